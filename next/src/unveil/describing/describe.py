"""What do the files hold, how do they differ, and what might be said of them?

Differences are counts: no value is told, nor an end of a range. Only levels are.
"""

import shlex
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

import numpy as np

from unveil.arguments import quote_name
from unveil.data.columns import kind_of, plain
from unveil.data.read import ROLES
from unveil.describing.facts import Facts, read_facts
from unveil.describing.keys import RecodingRow, count, propose_recodings
from unveil.describing.roles import SENSITIVE, declared_roles, propose_roles
from unveil.results import Copy, Count, Figure, Heading, Level, Onward, Percent, Result, Row
from unveil.results.words import are, join_names, percent
from unveil.study import ALONE, AnyStudy, Side, Study, measure

APART = 5  # percentage points by which shares of missing values may differ
MOST_DECIMALS = 6  # more are those of calculations
MISSING = "--missing TEXT, if a text stands for no value"
MOST_NOTES = 3  # on how the original was read, on the first screen
MOST_LEVELS = 50  # of a column whose levels are listed
ORDER = ("key", "target", "identifier", "person", "time", "weight", "ignore")
UNLISTED = ("identifier", "person", "ignore")


class ColumnRow(Row, frozen=True):
    """One column of the original."""

    column: str
    label: str
    kind: str
    role: str
    reason: str
    levels: Annotated[int, Count("different answers")]
    missing: Annotated[int, Count("records without a value")]
    special: tuple[str, ...]
    unique: Annotated[int, Count("people unique on this column alone")]


class LevelRow(Row, frozen=True):
    """One level of a column, in both files."""

    version: str
    copy: Copy
    column: str
    level: Level
    label: str
    original: Annotated[Figure, Percent("of the original's records")]
    synthetic: Annotated[Figure, Percent("of the synthetic records")]


class KeysRow(Row, frozen=True):
    """The first keys, in the order in which each makes most people unique."""

    keys: tuple[str, ...]
    unique: Annotated[int, Count("people unique on these keys")]
    share: Annotated[Figure, Percent("of people")]


class DifferenceRow(Row, frozen=True):
    """One way in which a column differs between the files."""

    version: str
    copy: Copy
    column: str
    kind: str
    original: str
    synthetic: str
    remedy: str


class Description(Result, frozen=True, kw_only=True):
    """The columns of the files, with a role for each."""

    title: ClassVar[str] = "What the files hold"

    columns: Annotated[
        tuple[ColumnRow, ...],
        Heading("Columns", ("column", "kind", "role", "reason", "special", "unique"), True),
    ]
    levels: Annotated[tuple[LevelRow, ...], Heading("Levels")]
    keys: Annotated[tuple[KeysRow, ...], Heading("Keys")]
    recodings: Annotated[tuple[RecodingRow, ...], Heading("Recodings")]
    differences: Annotated[
        tuple[DifferenceRow, ...],
        Heading(
            "Differences between the files",
            ("column", "kind", "original", "synthetic", "remedy"), True,
        ),
    ]  # fmt: skip

    @property
    def sentences(self) -> tuple[str, ...]:
        n, unit = self.people, self.settings["unit"]
        proposed = "" if self.settings["keys"] else "proposed "
        texts = [
            f"{row.unique:,} of {n:,} {unit} ({percent(row.share)}) {are(row.unique)} unique on the"
            f" {proposed}keys {join_names(row.keys)}."
            for row in self.keys[-1:]
        ] or ["No name says what others know of people. Name the keys (--keys)."]
        if names := dict.fromkeys(row.column for row in self.differences):
            texts.append(f"The files differ in {join_names(names)}.")
        return f"The original has {len(self.columns):,} columns and {n:,} {unit}.", *texts

    @property
    def foot(self) -> tuple[str, ...]:
        """How the original was read, too: the wrong sheet is noticed here, or nowhere."""
        read = [note.sentence for note in self.notes if note.about == ROLES["original"]]
        return *self.sentences, *read[:MOST_NOTES]

    @property
    def next(self) -> str:
        return "differences" if self.differences else "recodings"

    @property
    def onward(self) -> Onward | None:
        """To measure disclosure, or of one file uniques, with what is proposed."""
        if not self.keys:
            return None
        proposed: dict[str, dict[str, Any]] = {}
        for row in self.columns:
            about = self.settings["columns"].get(row.column, {})
            if row.role not in ("key", "target") and "role" not in about:
                proposed[row.column] = {"role": row.role}
            elif row.special and row.kind == "number" and "special" not in about:
                proposed[row.column] = {"special": row.special}
        keys = () if self.settings["keys"] else self.keys[-1].keys
        if any(file.role == "synthetic" for file in self.files):
            return Onward("disclosure", "disclosure", keys, proposed)
        return Onward("suda", "uniques", keys, proposed)


@measure
def describe(study: AnyStudy) -> Description:
    """Describe what the files hold, and propose roles, keys and recodings.

    Parameters
    ----------
    study
        The files. What is said of a column is taken as it is, and the rest is proposed.
    """
    person, n = study.people()
    facts = read_facts(study, declared_roles(study).keys() | study.columns.keys())
    roles, steps = propose_roles(study, facts)
    keys = [key.name for key, _ in steps]

    def place(name: str) -> tuple[int, bool, str]:
        return ORDER.index(roles[name][0]), roles[name][1] != SENSITIVE, name

    columns = [facts[name] for name in (*keys, *sorted(facts.keys() - keys, key=place))]
    listed = [column for column in columns if roles[column.name][0] not in UNLISTED]
    sides = [*{side.version: side for side in study.sides()}.values()]  # copies together
    return Description(
        columns=tuple(
            ColumnRow(
                column=column.name, label=column.variable.label, kind=column.kind,
                role=roles[column.name][0], reason=roles[column.name][1],
                levels=len(column.answers), missing=column.missing,
                special=tuple(str(column.column.written[code]) for code in column.special),
                unique=count(person, [column.codes])[0],
            )
            for column in columns
        ),
        levels=tuple(level for column in listed for level in _level_rows(column, sides)),
        keys=tuple(
            KeysRow(keys=tuple(keys[:place]), unique=unique, share=100 * unique / n)
            for place, (_, unique) in enumerate(steps, start=1)
        ),
        recodings=tuple(propose_recodings([key for key, _ in steps], person)),
        differences=tuple(find_differences(study, facts, {c.name for c in listed}, sides)),
    )  # fmt: skip


def _level_rows(column: Facts, sides: list[Side]) -> Iterator[LevelRow]:
    """The levels of a category; each amount may be a single person's."""
    coded, labels = column.column, column.variable.labels
    if column.kind != "category" or len(column.answers) > MOST_LEVELS:
        return
    for side in (sides if column.is_alike else []) or [ALONE]:
        counts = coded.counts[[*side.files]].sum(axis=0)
        for code, level in enumerate(coded.texts):
            yield LevelRow(
                version=side.version, copy=side.copy, column=column.name, level=level,
                label=labels.get(level or "", ""),
                original=float(100 * column.counts[code] / len(column.codes)),
                synthetic=float(100 * counts[code] / counts.sum()) if side.files else None,
            )  # fmt: skip


def find_differences(
    study: Study, facts: dict[str, Facts], listed: set[str], sides: list[Side]
) -> Iterator[DifferenceRow]:
    """Of each column whether every file has it, its kind, or else what it holds."""
    names = {name for file in study.files for name in file.frame.columns}
    for name in sorted(names - (facts.keys() - listed)):
        rows = [(ALONE, _of_files(study, name))]
        if name in facts and facts[name].is_alike:
            rows = [(side, texts) for side in sides for texts in _of_values(facts[name], side)]
        for side, texts in rows:
            about = dict(zip(("kind", "original", "synthetic", "remedy"), texts, strict=True))
            yield DifferenceRow(version=side.version, copy=side.copy, column=name, **about)


def _of_files(study: Study, name: str) -> tuple[str, str, str, str]:
    """That a file lacks a column, or has another kind of values in it."""
    if lacking := [file.label for file in study.files if name not in file.frame.columns]:
        original = "has it" if name in study.original.columns else "lacks it"
        remedy = "Add it to every file, or drop it"
        return "column", original, f"not in {join_names(lacking)}", remedy
    kinds = [*dict.fromkeys(kind_of(plain(file.frame[name])) for file in study.files)]
    return "kind", kinds[0], kinds[-1], f"-c {_typed(name)}:kind=text, or {MISSING}"


def _typed(name: str) -> str:
    """A name as the option -c reads it, and the shell before it."""
    return shlex.quote(quote_name(name))


def _of_values(column: Facts, side: Side) -> Iterator[tuple[str, str, str, str]]:
    """Levels or range, decimals, and missing values."""
    coded, synthetic = column.column, column.column.counts[[*side.files]].sum(axis=0)
    is_value = coded.levels.is_not_null().to_numpy()
    here, there = is_value & (column.counts > 0), is_value & (synthetic > 0)
    if column.kind in ("number", "date") and len(column.answers):
        first, last = column.answers[[0, -1]]
        there[first : last + 1] = there[column.special] = False
        if n := synthetic[there].sum():
            codes = f"; if they are codes, -c {_typed(column.name)}:special=CODE"
            remedy = f"Cut them off{codes if column.kind == 'number' else ''}"
            yield "range", "all records", f"{n:,} records outside", remedy
    elif (here ^ there).any():
        lost, new = (here & ~there).sum(), (there & ~here).sum()
        remedy = "Correct them: nobody has these" if new else "None, if these are rare"
        if not (here & there).any():
            remedy = "Give it the same coding in every file"
        yield "levels", f"{lost:,} only here", f"{new:,} only here", remedy
    if column.kind == "number":
        decimals = np.array([len(str(text).partition(".")[2]) for text in coded.written])
        places = [decimals[n > 0].max() for n in (column.counts, synthetic)]
        fewer, more = sorted(np.minimum(places, MOST_DECIMALS))
        if fewer < more:
            remedy = f"Round both alike, to {fewer} decimals"
            yield "decimals", f"{places[0]}", f"{places[1]}", remedy
    missing, other = (100 * n[~is_value].sum() / n.sum() for n in (column.counts, synthetic))
    if abs(missing - other) > APART:
        yield "missing", f"{missing:.1f} %", f"{other:.1f} %", f"Check, or {MISSING}"
