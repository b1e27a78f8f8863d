"""`unveil.cap`: somebody draws a synthetic record with a person's keys; how often is it right?

Taub, Elliot, Pampaka and Smith (2018); the note of Taub and Elliot on TCAP.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Annotated, Any, ClassVar, NamedTuple, get_args

import numpy as np
import polars as pl

from unveil.arguments import Form, Names, Part, as_names
from unveil.counts.cells import Floats
from unveil.counts.profile import CellProfile
from unveil.data.columns import is_number
from unveil.data.read import OpenFile, open_file
from unveil.errors import InputError, check_name
from unveil.measures.attribution.formulas import (
    CapRow,
    NonMatch,
    TcapRow,
    TrendRow,
    cap_figures,
    line_through,
    tcap_figures,
)
from unveil.measures.attribution.gcap import GcapRow, Nearest
from unveil.measures.attribution.people import (
    Group,
    Scored,
    mean_of_people,
    percent_of,
    ratios,
    records_of,
)
from unveil.measures.attribution.pools import cells_of_copies, pools
from unveil.measures.disclosure.formulas import Unit
from unveil.progress import steps
from unveil.results import Chart, Figure, FileUsed, Heading, Note, Result, grouped
from unveil.results.words import Words, count, side_of
from unveil.study import Counted, Study, measure

GROUPS = {"full": "people", "uniques": "uniques on the keys", "special": "special uniques"}
SAID = 3  # targets and versions with sentences of their own
FIRST = (
    "target", "unit", "group", "people", "cap_synthetic_zero", "cap_synthetic_undefined",
    "cap_baseline", "cap_original",
)  # fmt: skip
LINE = ("target", "unit", "group", "nonmatch", "intercept", "slope", "se_slope", "p")


def _parse_baseline(texts: Sequence[str]) -> float | str:
    return float(texts[-1]) if is_number(texts[-1]) else texts[-1]


Baseline = Annotated[
    Any,
    Form("a share from 0 to 1, or a table of column, level and share", "SHARE", _parse_baseline),
]


class Cap(Result, frozen=True, kw_only=True):
    """Correct attribution with m = 1 to M copies pooled."""

    title: ClassVar[str] = "Correct attribution (CAP)"
    drawings: ClassVar[dict[str, Chart]] = {
        "cap_by_m": Chart(
            spec="lines", table="cap", title="CAP by the number of copies pooled",
            columns={"label": "target", "group": "group", "m": "m",
                     "original": "cap_original", "baseline": "cap_baseline",
                     "zero": "cap_synthetic_zero", "undefined": "cap_synthetic_undefined"},
        )
    }  # fmt: skip

    cap: Annotated[tuple[CapRow, ...], Heading("A draw among records alike", FIRST, True)]
    trend: Annotated[tuple[TrendRow, ...], Heading("CAP by copies", LINE)] = ()
    tcap: Annotated[
        tuple[TcapRow, ...],
        Heading("Synthetic records that are certain (TCAP)",
                ("target", "selected", "undefined", "tcap", "tcap_baseline"), True),
    ] = ()  # fmt: skip
    gcap: Annotated[
        tuple[GcapRow, ...],
        Heading("Records with the nearest keys", ("target", "distance", "gcap")),
    ] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        words = _Wording(self.settings, self.files)
        first = self.table("cap").first_rows
        unit = "people" if any(row.unit == "people" for row in first) else "records"
        rows = [row for row in first if row.unit == unit]
        targets = list(dict.fromkeys(row.target for row in rows))[:SAID]
        return (
            f"The intruder knows {words.keys}, draws one of the records with these keys, and states"
            " its value.",
            *(words.draw(row) for row in rows if row.target in targets and row.people),
            *(words.certain(row) for row in self.table("tcap").first_rows[:SAID] if row.selected),
        )

    def records(self, *targets: str) -> pl.DataFrame:
        """The scores of single records, all copies of a version pooled: confidential.

        `file` is original, with cap_original and cap_synthetic, or synthetic, with weap and tcap;
        `row` is the place in it, of several copies one after the other.
        """
        self.study.need_memory()
        frames = [
            frame
            for target in targets or self.study.targets
            for version in self.study.versions
            for frame in _scores(self.study, target, version)
        ]
        return pl.concat(frames, how="diagonal")


class _Wording(Words):
    """The sentences of correct attribution, each with what is known anyway."""

    def __init__(self, settings: dict[str, Any], files: Sequence[FileUsed]) -> None:
        super().__init__(settings, files)
        self.known = "the shares alone" if settings["baseline"] is None else "the given baseline"

    def yardstick(self, share: Figure) -> str:
        if share is None:
            return f"nothing is told by {self.known}"
        return f"{self.known} would be right in {percent_of(share)}"

    def draw(self, row: CapRow) -> str:
        group = self.base(row)[1] if row.group == "full" else GROUPS[row.group]
        start = f"{side_of(row)}{row.target}, {count(row.people)} {group}: "
        if not row.matched:
            return f"{start}the synthetic data have nobody's keys, and there is no record to draw."
        sentence = (
            f"{start}a draw is right in {percent_of(row.cap_synthetic_zero)} of cases, and in"
            f" {percent_of(row.cap_synthetic_undefined)} for the {count(row.matched)} with a"
            f" match; {self.yardstick(row.cap_baseline)}, the original"
            f" itself in {percent_of(row.cap_original)}."
        )
        base, matched = row.cap_baseline, row.cap_synthetic_undefined
        if row.group == "full" and base is not None and matched is not None and matched <= base:
            sentence += f" Matches are no better than {self.known}, a matter of utility too."
        return sentence

    def certain(self, row: TcapRow) -> str:
        sure = "" if row.tau == 1 else f" with at least {percent_of(row.tau)}"
        sentence = (
            f"{side_of(row)}The keys of {count(row.selected)} synthetic records point to their"
            f" {row.target}{sure}; nobody has the keys of {count(row.undefined)} of them."
        )
        if row.tcap is None:
            return sentence
        return (
            f"{sentence} Of the {self.counted} with the keys of one of the others,"
            f" {percent_of(row.tcap)} have that {row.target} on average (TCAP);"
            f" {self.yardstick(row.tcap_baseline)}."
        )


@measure
def cap(
    study: Counted,
    *,
    groups: Names = ("full", "uniques", "special"),
    baseline: Baseline = None,
    tau: Part = 1.0,
) -> Cap:
    """Measure how often a draw among the synthetic records with a person's keys is right.

    Parameters
    ----------
    study
        The files, and what an intruder knows and may learn.
    groups
        Who is scored: full, uniques on the keys, special uniques.
    baseline
        What is known without synthetic data: a share, or a table of column, level and share; by
        default the shares of the original.
    tau
        The least share of synthetic records alike that makes one of them certain.

    References
    ----------
    Taub, Elliot, Pampaka and Smith (2018), Differential correct attribution probability for
    synthetic data: an exploration.
    """
    names = as_names(groups)
    if not names:
        raise InputError("There is no one in 'groups'. Choose from 'full', 'uniques', 'special'.")
    for group in names:
        check_name(group, GROUPS, "There is no one in 'groups' called")
    if not study.in_memory:
        names = tuple(group for group in names if group != "special")
    request = _Request(study, names, baseline, tau)
    targets = sorted((_measure(request, t) for t in steps("cap", study.targets)), key=_worst_first)
    caps = [row for of_target in targets for row in of_target.cap]
    return Cap(
        cap=tuple(caps),
        trend=tuple(_trends(caps)),
        tcap=tuple(row for of_target in targets for row in of_target.tcap),
        gcap=tuple(row for of_target in targets for row in of_target.gcap),
        notes=tuple(_notes(study, caps)),
    )


def _read_baseline(baseline: Any) -> float | OpenFile | None:
    """A share, or a table."""
    if baseline is None or not isinstance(baseline, int | float):
        return None if baseline is None else open_file(baseline, "baseline")
    if isinstance(baseline, bool) or not 0 <= baseline <= 1:
        raise InputError(
            "'baseline' takes a share from 0 to 1, or a table of column, level and share, not"
            f" {baseline!r}."
        )
    return float(baseline)


class _Request:
    """What is asked about every target; who is scored, and who is nearest, is found once."""

    def __init__(self, study: Study, groups: Sequence[Group], baseline: Any, tau: float) -> None:
        self.study, self.baseline, self.tau = study, _read_baseline(baseline), tau
        self.groups = groups
        if not study.in_memory:
            return
        self.person, _ = study.people()
        self.records = {
            of_people: {g: records_of(study, g, of_people=of_people) for g in groups}
            for of_people in {False, study.has_people}
        }
        self.nearest_to = cache(partial(Nearest, study))

    def known(self, target: str) -> Floats | None:
        """By level of a target, how often it is right without synthetic data."""
        if isinstance(self.baseline, float):
            return np.full(self.study.column(target).n_levels, self.baseline)
        return self.study.shares(target, self.baseline)


class _Rows(NamedTuple):
    """The rows about one target."""

    cap: list[CapRow]
    tcap: list[TcapRow]
    gcap: list[GcapRow]


def _measure(request: _Request, target: str) -> _Rows:
    """CAP, TCAP and GCAP for every version and m."""
    study, known, rows = request.study, request.known(target), _Rows([], [], [])
    for version in study.versions:
        for m, p in pools(study, target, version):
            about: dict[str, Any] = {
                "version": version, "keys": study.keys, "target": target, "m": m,
            }  # fmt: skip
            for unit, profile, baseline in _units(request, p, known):
                person = request.person if unit == "people" else None
                for group in request.groups:
                    if study.in_memory:
                        records = request.records[unit == "people"][group]
                        scored = Scored.of(p, records, person)
                    else:
                        scored = Scored.there(p, group)
                    figures = cap_figures(profile, baseline, scored)
                    rows.cap.append(CapRow(**about, unit=unit, group=group, **figures))
            rows.tcap.append(
                TcapRow(**about, tau=request.tau, **tcap_figures(p, known, request.tau))
            )
            if not study.in_memory:
                continue
            nearest = request.nearest_to(version, m)
            scores = nearest.draw(target, p.of_people(ratios(p.s_tq, p.s_q)))
            rows.gcap.append(GcapRow(
                **about, distance=mean_of_people(nearest.distance, request.person),
                gcap=mean_of_people(scores, request.person),
            ))  # fmt: skip
    return rows


def _units(
    request: _Request, p: CellProfile, known: Floats | None
) -> Iterator[tuple[Unit, CellProfile, Floats | None]]:
    """Records; numbers within the tolerance, where near ones are right; people with several."""
    yield "records", p, known
    if (distances := request.study.distances(p.target.name)) is not None:
        tolerance = request.study.columns[p.target.name].tolerance or 0
        near = replace(p, d_t=p.d_t if known is None else known)
        near = near.within_tolerance(distances, tolerance)
        is_fixed = known is None or isinstance(request.baseline, float)
        yield "near", near, known if is_fixed else near.guess
    if request.study.has_people:
        yield "people", p, known


def _trends(rows: Sequence[CapRow]) -> Iterator[TrendRow]:
    """The lines through CAP at m = 1 to M, under both rules for people without a match."""
    for of_line in grouped(rows, lambda row: (row.version, row.target, row.unit, row.group)):
        about = {name: of_line[0][name] for name in ("version", "keys", "target", "unit", "group")}
        for nonmatch in get_args(NonMatch) if len(of_line) > 1 else ():
            points = [(row.m, row[f"cap_synthetic_{nonmatch}"]) for row in of_line]
            line = line_through([(m, cap) for m, cap in points if cap is not None])
            yield TrendRow(**about, nonmatch=nonmatch, **line)


def _worst_first(rows: _Rows) -> tuple[float, str]:
    """Targets by how much more is right than by the shares, in any row."""
    beyond = ((row.cap_synthetic_zero or 0) - (row.cap_baseline or 0) for row in rows.cap)
    return -max(beyond), rows.cap[0].target


def _notes(study: Study, rows: Sequence[CapRow]) -> Iterator[Note]:
    """Where special uniques are all uniques, or not measured."""
    if not study.in_memory:
        sentence = (
            "Special uniques and the nearest keys (GCAP) are not measured, for the records are not"
            " in memory. Measure them on people drawn at random (study.sample)."
        )
        yield Note(about="gcap", sentence=sentence)
    people = {(row.unit, row.group): row.people for row in rows}
    n = people.get(("records", "special"))
    if n and n == people.get(("records", "uniques")):
        sentence = (
            f"Special uniques say nothing here: with ties, all {count(n)} uniques are in the top"
            " tenth of SUDA scores."
        )
        yield Note(about="cap.group", sentence=sentence)


def _scores(study: Study, target: str, version: str) -> Iterator[pl.DataFrame]:
    """Of the original's records, then of the synthetic ones."""
    *_, (_, p) = pools(study, target, version)
    cell = cells_of_copies(p.cells)
    in_original, in_synthetic = ratios(p.d_tq, p.d_q), ratios(p.s_tq, p.s_q)
    of_people = {"cap_original": p.of_people(in_original),
                 "cap_synthetic": p.of_people(in_synthetic)}  # fmt: skip
    of_synthetic = {"weap": in_synthetic[cell], "tcap": in_original[cell]}
    for file, n, scores in (("original", p.N_d, of_people), ("synthetic", p.N_s, of_synthetic)):
        about = {"row": np.arange(n), "file": file, "version": version, "target": target}
        yield pl.DataFrame(about | scores, nan_to_null=True)
