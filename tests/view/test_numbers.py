"""Every number in every sentence of a rendered report is worked out again from the records."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest

import unveil.view
from view import report_cases
from view.derived import every as derived

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
CASES = ("example", "copies", "many", "empty")


class Sentences(HTMLParser):
    """Every element that says which sentence it is: key, of what, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self._open: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "data-says" in given:
            self._open = [given["data-says"], given["data-of"], ""]

    def handle_data(self, data):
        if self._open is not None:
            self._open[2] += data

    def handle_endtag(self, tag):
        if tag == "p" and self._open is not None:
            self.found.append(tuple(self._open))
            self._open = None


def numbers(text: str) -> set[str]:
    return {found.rstrip(",").replace(",", "") for found in NUMBER.findall(text)}


@cache
def templates() -> dict[str, list[str]]:
    """Every template of the views, by the name it has with its subject."""
    folder, found = Path(unveil.view.__file__).parent, {}
    for path in sorted(folder.rglob("*.py")):
        if re.search(r"^TEMPLATES\b.*=", path.read_text(encoding="utf-8"), re.MULTILINE):
            module = ".".join(path.relative_to(folder).with_suffix("").parts)
            for key, text in import_module(f"unveil.view.{module}").TEMPLATES.items():
                found.setdefault(key, []).append(text)
    return found


def literal(key: str) -> set[str]:
    """The numbers that a template has without being filled; the report's own have none."""
    parsed = (Formatter().parse(text) for text in templates().get(key.partition("/")[2], ()))
    return numbers(" ".join(text for one in parsed for text, *_ in one))


@cache
def sentences(case: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(Sentences(report_cases.undrawn(case)).found)


def faults(case: str) -> Iterator[str]:
    results = report_cases.as_json(*getattr(report_cases, case)())
    known = derived()
    for key, of, text in sentences(case):
        if key not in known:
            yield f"{key}: nothing derives it"
            continue
        given = numbers(" ".join(known[key](results, of)))
        own, shown = literal(key), numbers(text)
        if shown - own - given:
            yield f"{key} of {of}: {sorted(shown - own - given)} stand in {text!r}"
        if given - shown:
            yield f"{key} of {of}: {sorted(given - shown)} do not stand in {text!r}"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_every_number_of_every_sentence_is_derived_from_the_records(case):
    assert len(sentences(case)) > 5
    assert list(faults(case)) == []


def test_nothing_is_derived_that_is_no_sentence():
    folder = Path(unveil.view.__file__).parent
    paths = [*(folder / "sections").glob("*.py"), folder / "summary.py"]
    source = "".join(path.read_text(encoding="utf-8") for path in paths)
    unknown = [
        key
        for key in derived()
        if key.partition("/")[2] not in templates() and f'"{key}"' not in source
    ]
    put_together = {"checks.accept", "checks.accepted", "checks.grid missing"}
    assert {key for key in unknown if not key.endswith(".warning")} == put_together
