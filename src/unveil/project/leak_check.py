"""Does a finished pack hold what must not leave? It is opened again as an outsider would open it.

Nothing here trusts what built the pack: every member is read from the archive, documents as text,
data by the readers that any user has, and compared with what only the custodian knows. What is
found is told by place and kind, never by the value.
"""

import getpass
import json
import platform
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from unveil.errors import InputError
from unveil.io.archive import archive_faults, extract_archive
from unveil.io.code_meanings import codebook_of, find_code_number, fold_label, fold_labels
from unveil.io.outgoing import LABEL, MARK, PREFIX
from unveil.io.sources import read_table
from unveil.io.table import Table
from unveil.io.write_csv import is_formula
from unveil.measure.gate.columns import link_column
from unveil.measure.gate.row_order import has_row_order
from unveil.project.model import ProjectFile
from unveil.project.ro_crate import CRATE
from unveil.project.seeds import CONFIDENTIAL
from unveil.protection.recoding.column import declared_codes, ordinary
from unveil.records.codebook import FEWEST_PEOPLE, Code, Codebook
from unveil.records.judgement import Decision
from unveil.records.limits import RISK
from unveil.records.pack import Leak, LeakKind
from unveil.records.run import Run
from unveil.study.band_spec import parse_bands
from unveil.study.study import Study

DATA = "data/"
BESIDE = ".codebook.json"
_TABLES = (".csv", ".tsv", ".sav", ".zsav", ".dta", ".parquet", ".xlsx", ".xlsm")
_TEXTS = (".html", ".htm", ".json", ".txt", ".md", ".csv", ".tsv", ".sha256", ".svg", ".xml")
_PACKED = (".xlsx", ".xlsm", ".docx", ".odt", ".ods", ".zip")
_HASHES = re.compile(r"\b[0-9a-f]{64}\b")

# What only the custodian knows.


@dataclass(frozen=True)
class Secrets:
    """What an outsider must not find, and what is allowed beside the synthetic data."""

    project: ProjectFile
    run: Run
    decision: Decision
    original: Table  # as it was collected, with what is declared of it
    synthetic: pl.DataFrame  # all files that were released, together
    members: frozenset[str]  # that were put in
    alerts: tuple[str, ...]  # that stand against the release

    @property
    def with_role(self) -> set[str | None]:
        """Columns that a person gave a role, or that the checks of the files compared."""
        roles, gates = self.project.roles, self.run.list_parts("gate")
        return {
            *(*roles.key, *roles.target, *roles.identifier, *roles.ignore, roles.weight),
            *(name for one in self.project.scenarios for name in (*one.keys, *(one.targets or ()))),
            *(name for part in gates for name in json.loads(part.settings)["compared"]),
            self.project.pack.marker,
        }

    @cached_property
    def figures(self) -> set[str]:
        """Figures of risk, as texts with so many digits that nothing else has them."""
        rows = [one for one in self.run.figures if one.measure in RISK]
        values = {one for row in rows for one in (row.value, row.companion, row.high)} - {None}
        texts = {text for one in values for text in (f"{one:.5g}", f"{one:.6g}", repr(one))}
        return {text for text in texts if sum(map(str.isdigit, text)) >= 5}

    @cached_property
    def seeds(self) -> set[str]:
        """Every seed that is kept: of runs, of the synthesis and of each step of protection."""
        found = set[str]()
        for place in (self.project.folder / CONFIDENTIAL).rglob("*.json"):
            with suppress(OSError, ValueError):
                found |= {str(one) for one in _seeds_in(json.loads(place.read_bytes()))}
        return {one for one in found if len(one) > 3}  # a short one is any number

    @cached_property
    def names(self) -> list[str]:
        """People named in the project whom nothing names to the public; this user and machine."""
        project, said = self.project, self.project.pack
        told = [self.decision.by, said.contact, said.publisher, said.description, said.licence]
        told += [said.title or project.title, *project.data.synthetic]
        named = [project.context.analyst, self.run.by, project.limits.accepted_by]
        named += [one.by for one in project.context.factors.values()]
        named += [one.by for one in project.excludes] + [one.by for one in project.rulings]
        named += [one.by for one in project.exceptions] + [one.by for one in said.more]
        people = {re.split(r"[,;(]", one)[0].strip() for one in named if one}
        with suppress(OSError, KeyError, ImportError):
            people |= {getpass.getuser(), platform.node().partition(".")[0]} - _COMMON
        public = " ".join(filter(None, told)).casefold()
        return [one for one in people if len(one) > 3 and one.casefold() not in public]

    @cached_property
    def places(self) -> list[str]:
        """Paths on this machine."""
        found = (str(self.project.folder.resolve()), str(Path.home()))
        return [one for one in found if len(one) > 5]


_COMMON = {"root", "user", "users", "admin", "home", "data", "work", "localhost", "test", "main"}


def _seeds_in(found: Any, *, is_seed: bool = False) -> Iterator[int]:
    if isinstance(found, dict):
        for name, one in found.items():
            yield from _seeds_in(one, is_seed=is_seed or "seed" in name)
    elif isinstance(found, int) and is_seed and not isinstance(found, bool):
        yield found


# What an outsider sees: documents as text, tables by their cells, and what a file says of itself.


@dataclass(frozen=True)
class PackContents:
    """The members of an archive: all as files, documents as text, data as tables."""

    files: Mapping[str, Path]
    documents: Mapping[str, str]  # all text but cells of data: metadata and names too
    tables: Mapping[str, Table]
    unreadable: tuple[str, ...]

    @property
    def columns(self) -> frozenset[str]:
        """The names of all columns."""
        return frozenset(name for one in self.tables.values() for name in one.frame.columns)


def open_pack(files: Mapping[str, Path]) -> PackContents:
    """Everything that can be read in extracted members."""
    documents, tables, unreadable = {}, {}, []
    for name, path in files.items():
        ending = PurePosixPath(name).suffix.lower()
        is_data = name.startswith(DATA) or (ending in _TABLES and name.startswith("more/"))
        text = None
        with suppress(UnicodeDecodeError):
            text = path.read_bytes().decode("utf-8-sig") if ending in _TEXTS else None
        if is_data and ending in _TABLES:
            try:
                tables[name] = read_table(path, side="data")
                text = _metadata(path, tables[name])
            except InputError:
                unreadable.append(name)
        elif ending in _PACKED:
            text = _inner_text(path)
        if text is None:
            unreadable.append(name)
        documents[name] = f"{name}\n{text or ''}"
    return PackContents(files, documents, tables, tuple(dict.fromkeys(unreadable)))


def _metadata(path: Path, table: Table) -> str:
    """What a data file says beside its cells: header, labels, notes, and the foot of Parquet."""
    told = [*table.frame.columns, codebook_of(table).to_json()]
    if path.suffix == ".parquet":
        content = path.read_bytes()
        n = int.from_bytes(content[-8:-4], "little")
        told.append(content[-8 - n : -8].decode("latin-1"))
    elif path.suffix in (".sav", ".zsav", ".dta"):
        with path.open("rb") as file:
            told.append(file.read(176).decode("latin-1"))  # program, time of making, label
    elif path.suffix in _PACKED:
        told.append(_inner_text(path) or "")
    return "\n".join(told)


def _inner_text(path: Path) -> str | None:
    """The text of a document that is itself an archive; its cells stay where they are."""
    try:
        with zipfile.ZipFile(path) as inner:
            return "\n".join(
                f"{one.filename}\n{inner.read(one).decode('utf-8', 'replace')}"
                for one in inner.infolist()
                if "sharedStrings" not in one.filename and one.file_size < 1 << 26
            )
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
        return None


def find_leaks(archive: Path, known: Secrets) -> tuple[Leak, ...]:
    """Everything in a finished archive that must not leave, once each."""
    with TemporaryDirectory() as folder:
        files = extract_archive(archive, Path(folder))
        pack = open_pack(files)
        found = [
            *(("zip-metadata", "", one) for one in archive_faults(archive, files)),
            *_unexpected(pack, known),
            *(
                ("mark", f"@{name}", one)
                for name, one in mark_faults(pack, known.project.pack.marker)
            ),
            *_document_leaks(pack, known),
            *_page_leaks(pack),
            *_byte_leaks(pack, known),
            *_cell_leaks(pack, known),
            *_level_leaks(pack, known),
            *_extreme_values(pack, known),
            *_row_order(pack, known),
        ]
    made = [Leak(kind=kind, id=f"{kind}{where}", sentence=one) for kind, where, one in found]
    return tuple({one.id: one for one in made}.values())


FoundLeak = tuple[LeakKind, str, str]


def _unexpected(pack: PackContents, known: Secrets) -> Iterator[FoundLeak]:
    for name in pack.files:
        if name not in known.members:
            yield "unexpected", f"@{name}", "The file is not on the list of what may leave."
    for name in pack.unreadable:
        yield "unreadable", f"@{name}", f"The file {name} cannot be searched: unknown format."
    for one in known.alerts:
        yield "blocking-alert", f":{one}", "An alert stands against the release; decide again."


# Marks of fake data


def mark_faults(opened: PackContents, marker: str | None) -> Iterator[tuple[str, str]]:
    """Data files that do not say that they are fake: by name, label, and column where asked."""
    names = [name for name in opened.files if name in opened.tables or name.endswith(BESIDE)]
    for name in names:
        if not PurePosixPath(name).name.startswith(PREFIX):
            yield name, f"The name of {name} does not begin with {PREFIX}."
    for name, table in opened.tables.items():
        if codebook_of(table).file_label != LABEL:
            yield name, f"The label in {name} does not say that the data are fake."
        if marker is not None and not _is_marked_fake(table.frame, marker):
            yield name, f"The column {marker!r} of {name} does not say FAKE in every row."


def _is_marked_fake(frame: pl.DataFrame, marker: str) -> bool:
    return marker in frame.columns and bool((frame[marker].cast(pl.String) == MARK).all())


# Documents and metadata: figures, seeds, models, names, paths


_FIGURE = r"[^\n\d]{0,40}?(?<![\w.])\d"
_ECAP = re.compile(rf"\bECAP\b{_FIGURE}")
_SEED = re.compile(r"\bseeds?\b\W{0,12}\d", re.IGNORECASE)
_MODEL = re.compile(
    r"\b(min_?leaf|min_?split|min_?bucket|max_?depth|min_spread|predictors?|visit sequence|"
    r"order of synthesis|lea(?:f|ves) (?:size|of)|complexity parameter|hyperparameters?|"
    r"random_state|n_estimators|learning rate|epochs?|epsilon)\b",
    re.IGNORECASE,
)
_PATH = re.compile(
    r"(?:^|[\s\"'(=>])(?:[A-Za-z]:\\\w|\\\\[\w.-]+\\|file://"
    r"|/(?:home|root|Users|mnt|media|tmp|var|srv|opt|etc|work|usr)/\w)",
    re.MULTILINE,
)


def _document_leaks(pack: PackContents, known: Secrets) -> Iterator[FoundLeak]:
    risky = sorted(set(RISK) - {"unique", "sensitive", "membership", "adds", "tied", "R"})
    symbols = re.compile(rf"\b(?:{'|'.join(map(re.escape, risky))})\b{_FIGURE}")
    for name, text in pack.documents.items():
        plain = _HASHES.sub("", _without_columns(text, pack.columns))
        at, in_it = f"@{name}", f"in {name}"
        numbers = set(re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w])", plain))
        published = _without_criteria(plain) if name == CRATE else plain
        if _ECAP.search(plain) or symbols.search(published) or numbers & known.figures:
            yield (
                "disclosure-figures",
                at,
                f"ECAP or another figure of disclosure risk stands {in_it}.",
            )
        if _SEED.search(plain) or numbers & known.seeds:
            yield "seed", at, f"A seed stands {in_it}."
        if _MODEL.search(plain):
            yield "model-details", at, f"Details of the model stand {in_it}: the class is enough."
        if _PATH.search(text) or any(place in text for place in known.places):
            yield "path", at, f"A path stands {in_it}."
        if _names_in(text, known.names):
            yield "user-name", at, f"The name of a user or of a machine stands {in_it}."


def _without_columns(text: str, columns: Iterable[str]) -> str:
    """A text without names of columns, which may be called like a measure or a setting."""
    for name in columns:
        if len(name) > 1 and name in text:
            text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", text)
    return text


def _without_criteria(text: str) -> str:
    """The record for programs without criteria, which a line of their own releases."""
    try:
        graph = json.loads(text[text.index("{") :])["@graph"]
    except (ValueError, KeyError, TypeError):
        return text
    kept = [one for one in graph if not str(one.get("@id", "")).startswith("#criterion-")]
    return json.dumps(kept)


def _names_in(text: str, names: Iterable[str]) -> bool:
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)


def _byte_leaks(pack: PackContents, known: Secrets) -> Iterator[FoundLeak]:
    """Paths of this machine anywhere, cells of data included."""
    codes = ("utf-8", "utf-16-le")
    needles = [place.encode(code) for place in known.places for code in codes]
    for name, path in pack.files.items():
        content = path.read_bytes()
        if any(needle in content for needle in needles):
            yield "path", f"@{name}", f"A path stands in {name}."


# Does a page run something, or lead outside?


class _Page(HTMLParser):
    """Whether a page runs something, or leads outside."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = self.addresses = False
        self._is_style = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._is_style = tag == "style"
        self.scripts |= tag in ("script", "iframe", "object", "embed", "applet", "frame")
        self.addresses |= tag in ("link", "base", "form")
        for name, value in attrs:
            text = re.sub(r"\s", "", value or "").casefold()
            self.scripts |= name.startswith("on") or text.startswith(("javascript:", "vbscript:"))
            leads = re.match(r"[a-z][a-z0-9+.-]*:|//", text) is not None
            self.addresses |= name not in _OWN_TEXT and leads and not text.startswith("data:image/")
            self.addresses |= name in ("style", "content") and _leads(text)

    handle_startendtag = handle_starttag

    def handle_data(self, data: str) -> None:
        self.addresses |= self._is_style and _leads(data)


_OWN_TEXT = ("content", "title", "alt", "aria-label", "data-l", "data-of", "data-says", "style")


def _leads(style: str) -> bool:
    return re.search(r"url\(\s*['\"]?(?!#)|@import|refresh|;url=", style, re.IGNORECASE) is not None


def _page_leaks(pack: PackContents) -> Iterator[FoundLeak]:
    for name, text in pack.documents.items():
        if not name.lower().endswith((".html", ".htm", ".svg", ".xml")):
            continue
        page = _Page()
        page.feed(text)
        page.close()
        if page.scripts:
            yield "script", f"@{name}", f"The page {name} runs something."
        if page.addresses:
            yield "address", f"@{name}", f"The page {name} leads to an address outside."


# Cells, levels and numbers


def _cell_leaks(pack: PackContents, known: Secrets) -> Iterator[FoundLeak]:
    for name, table in pack.tables.items():
        texts = [one for one in table.frame.get_columns() if one.dtype.base_type() in _TEXT_TYPES]
        columns = [one.name for one in texts if _runs(one)]
        columns += [one for one in table.frame.columns if _runs(pl.Series([one]))]
        for column in dict.fromkeys(columns):
            yield "formula", f":{column}", f"A spreadsheet would run cells of {column!r} in {name}."
        for column in table.frame.columns:
            if column not in known.with_role:
                yield "no-role", f":{column}", f"The column {column!r} has no role in the project."
    for name, path in pack.files.items():
        if name.lower().endswith((".xlsx", ".xlsm")) and "<f" in (_inner_text(path) or ""):
            yield "formula", f"@{name}", f"The workbook {name} has formulas."


_TEXT_TYPES = (pl.String, pl.Categorical, pl.Enum)


def _runs(column: pl.Series) -> bool:
    text = column.alias("").cast(pl.String)
    plain = text.str.strip_chars_start(" ")  # spreadsheets pass over blanks
    steered = text.str.contains(r"^[\t\r\n\uFF1D\uFF0B\uFF20]").fill_null(value=False)
    return bool((is_formula(plain) & (plain.str.len_chars() > 1)).any() or steered.any())


def _rare_levels(known: Secrets) -> Iterator[tuple[str, set[str], set[float]]]:
    """By column, values that few people have and no synthetic record: texts, and numbers."""
    synthetic = known.synthetic
    for column in known.original.frame.get_columns():
        counts = column.alias("value").drop_nulls().value_counts(name="n")
        rare = counts.filter(pl.col("n") < FEWEST_PEOPLE)["value"]
        name, texts, numbers = column.name, _folded(rare), set(_as_numbers(rare))
        if name in synthetic.columns:
            texts -= _folded(synthetic[name].unique())
            numbers -= set(_as_numbers(synthetic[name].unique()))
        yield name, texts, numbers


def _folded(values: pl.Series) -> set[str]:
    return set(fold_labels(values.cast(pl.String, strict=False).drop_nulls()).to_list())


def _as_numbers(values: pl.Series) -> list[float]:
    if not values.dtype.is_numeric():
        return []
    return values.cast(pl.Float64).drop_nulls().to_list()


def _level_leaks(pack: PackContents, known: Secrets) -> Iterator[FoundLeak]:
    """Levels that only the original has: cells, codes or labels of their column, or any text."""
    books = [codebook_of(table) for table in pack.tables.values()]
    books += [book for text in pack.documents.values() for book in _codebooks_in(text)]
    for column, texts, numbers in _rare_levels(known):
        said = known.original.variables.get(column)
        own = [] if said is None else said.levels
        named = {fold_label(one.label) for one in own if _is_code(one.code, texts, numbers)}
        levels = [level for book in books if (one := book.variable(column)) for level in one.levels]
        cells = [one.frame[column] for one in pack.tables.values() if column in one.frame.columns]
        # Longer texts are looked for wherever they are; of short ones prose is full.
        long = [one for one in texts if len(one) >= 8]
        if (
            any(_is_code(one.code, texts, numbers) for one in levels)
            or any(fold_label(one.label) in texts | named for one in levels)
            or any(_folded(one.unique()) & texts for one in cells)
            or any(numbers & {*_as_numbers(one.unique())} for one in cells)
            or (long and any(_has_any(text, long) for text in pack.documents.values()))
        ):
            told = f"A rare level of {column!r} that only the original has."
            yield "rare-level", f":{column}", told


def _is_code(code: Code, texts: set[str], numbers: set[float]) -> bool:
    return find_code_number(code) in numbers or fold_label(str(code)) in texts


def _codebooks_in(text: str) -> Iterator[Codebook]:
    """Codebooks in a document of JSON, wherever they stand in it."""
    try:
        document = json.loads(text[text.index("{") :])
    except ValueError:
        return
    for one in (document, document.get("codebook") if isinstance(document, dict) else None):
        try:
            yield Codebook.from_json(json.dumps(one))
        except InputError:
            continue


def _has_any(text: str, needles: Sequence[str]) -> bool:
    found = pl.Series([fold_label(text)]).str.extract_many(list(needles))[0].to_list()
    return _names_in(fold_label(text), set(found))


def _extreme_values(pack: PackContents, known: Secrets) -> Iterator[FoundLeak]:
    """Ends of clipping that are the lowest or highest value of the original, held by few."""
    texts = [one for name, one in pack.documents.items() if name.endswith((".txt", ".md", ".html"))]
    lines = [line for text in texts for line in re.split(r"\n|<[^>]*>|\. ", text)]
    codes = parse_bands(None, known.project.data.special_codes).special_codes
    for column in known.original.frame.get_columns():
        if not column.dtype.is_numeric():
            continue
        told = [line for line in lines if _names_in(line, [column.name])]
        said = {float(one) for line in told for one in re.findall(r"-?\d+(?:\.\d+)?", line)}
        apart = declared_codes(known.original.variables.get(column.name))
        values = ordinary(column, apart.also(codes.get(column.name, ())))
        ends = {values.min(), values.max()} if len(values) else set()
        if any(end in said and (values == end).sum() < FEWEST_PEOPLE for end in ends):
            sentence = f"The lowest or highest value of {column.name!r} in the original is told."
            yield "extreme-value", f":{column.name}", sentence


# Does the order of rows follow that of the original?


def _row_order(pack: PackContents, known: Secrets) -> Iterator[FoundLeak]:
    for name, table in pack.tables.items():
        if has_original_order(known.original, table):
            yield "row-order", "", f"The order of rows in {name} follows the original's."


def has_original_order(original: Table, released: Table) -> bool:
    """Whether the order of rows follows the original's, by any column or columns together."""
    files = Study([original, released]).files
    shared = [name for name in released.frame.columns if name in original.frame.columns]
    return has_row_order([link_column(name, files) for name in shared], 1)
