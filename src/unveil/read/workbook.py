"""What does a workbook say that its parser does not: errors, merged cells, hidden sheets?

A workbook is an archive of XML files. Nothing is parsed here: marks are looked for in its bytes,
piece by piece.
"""

import html
import re
import zipfile

_PIECE = 1 << 20
_SHEET = re.compile(r"<(?:\w+:)?sheet\b[^>]*>")
_RELATION = re.compile(r"<(?:\w+:)?Relationship\b[^>]*>")
_ERROR = re.compile(rb"<(?:\w+:)?c\b[^<>]*\bt=[\"']e[\"']")
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^<>]*\bref=[\"']([A-Z]+\d+:[A-Z]+(\d+))[\"']")
_LONGEST_MARK = 200
_MOST_MERGED = 1 << 20
_LARGEST_INDEX = 1 << 24


def hidden_sheets(path: str) -> set[str]:
    """The names of the sheets that Excel does not show."""
    with zipfile.ZipFile(path) as archive:
        try:
            tags = _tags(archive, "xl/workbook.xml", _SHEET)
        except KeyError:
            return set()
    hidden = [tag for tag in tags if _attribute(tag, "state") in ("hidden", "veryHidden")]
    return {_attribute(tag, "name") or "" for tag in hidden}


def count_merged(path: str, sheet: str) -> int:
    """How many times cells below the first row were merged into one."""
    found: set[bytes] = set()
    with zipfile.ZipFile(path) as archive:
        part = _part(archive, sheet)
        if part is None:
            return 0
        tail = b""
        with archive.open(part) as file:
            while (piece := file.read(_PIECE)) and len(found) < _MOST_MERGED:
                text = tail + piece
                if b"mergeCell" in text:
                    found |= {cells for cells, last in _MERGED.findall(text) if int(last) > 1}
                tail = text[-_LONGEST_MARK:]
    return len(found)


def count_errors(path: str, sheet: str) -> int:
    """How many cells of the sheet hold an error; 0 where the sheet's file cannot be found."""
    with zipfile.ZipFile(path) as archive:
        part = _part(archive, sheet)
        if part is None:
            return 0
        n, tail = 0, b""
        with archive.open(part) as file:
            while piece := file.read(_PIECE):
                found = tail + piece
                if b'e"' not in found and b"e'" not in found:  # quicker than looking for cells
                    tail = found[-_LONGEST_MARK:]
                    continue
                n += len(_ERROR.findall(found))
                # What was counted is not looked at again.
                ends = [match.end() for match in _ERROR.finditer(found, len(found) - _LONGEST_MARK)]
                tail = found[max([len(found) - _LONGEST_MARK, *ends]) :]
        return n


def _part(archive: zipfile.ZipFile, sheet: str) -> str | None:
    """The file in the archive that holds a sheet."""
    try:
        sheets = _tags(archive, "xl/workbook.xml", _SHEET)
        relations = _tags(archive, "xl/_rels/workbook.xml.rels", _RELATION)
    except KeyError:
        return None
    mark = next(
        (_attribute(tag, r"\w+:id") for tag in sheets if _attribute(tag, "name") == sheet), None
    )
    target = next(
        (_attribute(tag, "Target") for tag in relations if _attribute(tag, "Id") == mark), None
    )
    if target is None:
        return None
    part = target.lstrip("/") if target.startswith("/") else f"xl/{target}"
    return part if part in archive.namelist() else None


def _tags(archive: zipfile.ZipFile, part: str, pattern: re.Pattern[str]) -> list[str]:
    with archive.open(part) as file:
        return pattern.findall(file.read(_LARGEST_INDEX).decode("utf-8", "replace"))


def _attribute(tag: str, name: str) -> str | None:
    found = re.search(rf"\s{name}\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", tag)
    return html.unescape(found[1] or found[2] or "") if found else None
