"""`unveil.differential_confidentiality`: is anybody recognised because their record was used?

Taub et al. (2018), section 4.3: split the people, make the copies from one part, and score both
parts against the same copies. A small t is no evidence that there is no difference; so beside the
paper's test stand the difference with an interval, and whether the interval lies inside a margin.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, get_args

import polars as pl
from msgspec.structs import replace

from unveil.arguments import check_fields, parse_choice, parse_number_within, parse_whole_number
from unveil.errors import ReadError, RolesError
from unveil.measure.cap.differential_scores import (
    FIRST_COPY,
    INCLUDED,
    LEFT_OUT,
    GroupScores,
    interval,
    score_by_m,
)
from unveil.measure.cap.prepare import sides_of_methods
from unveil.measure.result import RowsResult, rows_frame
from unveil.models.intervals import difference, group_of, welch
from unveil.records.differential import (
    ConfidentialityRow,
    DifferentialConfidentiality,
    Nonmatch,
    NotMeasuredAt,
)
from unveil.seeding import choose_seed
from unveil.study.band_spec import parse_bands
from unveil.study.open_scenario import OpenScenario, open_scenario
from unveil.study.roles import names
from unveil.study.scenario import Progress, no_progress
from unveil.study.study import sides_of

# Whose copies are they? Those of one way of making them, or of several methods by name.


UNNAMED = ""
"""What the only method is called where none is named."""


def sides_by_method(
    included: Any, left_out: Any, synthetic: Any
) -> tuple[dict[str, Any], dict[str, range]]:
    """Every side by its name, and by method the places of its copies among them."""
    groups = {"included": included, "left out": left_out}
    if not isinstance(synthetic, Mapping):
        sides = sides_of(synthetic, **groups)
        return sides, {UNNAMED: range(len(groups), len(sides))}
    if not synthetic:
        raise ReadError("No synthetic data are given. Name at least one file or frame.")
    return sides_of_methods(synthetic, **groups)


# Which settings of a comparison mean something, and what is said of those that do not?


@dataclass(frozen=True)
class DifferentialSettings:
    """The settings as the record holds them, checked; a seed is drawn where none is given."""

    nonmatch: Nonmatch
    confidence: float
    n_bootstrap: int
    seed: int
    margin: float | None = None

    def __post_init__(self) -> None:
        share = partial(parse_number_within, range_="(0, 1)", why=", such as 0.02 for two points")
        level = partial(parse_number_within, range_="[0.5, 1)", why=", such as 0.95")
        rule = "The rule for people without a match"
        check_fields(
            self,
            {
                "nonmatch": lambda _, given: parse_choice(rule, given, get_args(Nonmatch)),
                "margin": lambda _, given: share("The margin", given),
                "confidence": lambda _, given: level("The confidence", given),
                "n_bootstrap": partial(parse_whole_number, least=100, most=1_000_000),
                "seed": lambda _, given: choose_seed(given),
            },
        )


FEW = "a group has fewer than two scores"
CONSTANT = "the scores vary in neither group"
FEW_CLASSES = "a group has people in fewer than two key combinations"
NOBODY_FOUND = "no one of this group has keys that occur in the synthetic files"


class ConfidentialityResult(RowsResult[DifferentialConfidentiality]):
    """Included against excluded by m; printing it never shows a record of the data."""

    def frame(self) -> pl.DataFrame:
        """One row for each method and m, unrounded; the interval as two columns, its ends."""
        kinds = {
            name: pl.Int64() if name == "m" or name.startswith("n_") else pl.Float64()
            for name in self.rows[0].flat()
        }
        others = {"method": pl.String(), "equivalent": pl.Boolean()}
        return rows_frame(self.rows, {**kinds, **others})


def differential_confidentiality(
    included: Any,
    left_out: Any,
    synthetic: Any,
    *,
    keys: str | Iterable[str],
    target: str | Iterable[str],
    nonmatch: Nonmatch = "zero",
    margin: float | None = None,
    confidence: float = 0.95,
    n_bootstrap: int = 2000,
    seed: int | None = None,
    bands: Mapping[str, Any] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> ConfidentialityResult:
    """Compare how often people are recognised whose records were used, and whose were not.

    Parameters
    ----------
    included
        The records that the copies were made from, in any of the forms of `unveil.disclosure`.
    left_out
        Records of the same kind that were not used; `unveil.split` makes both.
    synthetic
        One copy, or a list of copies, which are pooled one after the other: m = 1, 2, ... Or such
        copies by method: ``{"CART": [copy1, copy2], "parametric": copy}``.
    keys, bands, special_codes, missing_values, progress
        As in `unveil.disclosure`.
    target
        What would be guessed: one column, or several taken jointly.
    nonmatch
        What a person counts whose keys are in no copy: "zero", as in the paper's Table 4, or
        "undefined", which omits them.
    margin
        The difference, as a share, below which it would not matter, such as 0.02: two points.
    confidence, n_bootstrap, seed
        Of the bootstrap interval. Without a seed one is drawn; the record holds it.

    Returns
    -------
    ConfidentialityResult
        `.rows`, one for each method and m: method, m, n_included, n_left_out, n_match_included,
        n_match_left_out, n_keys_included, n_keys_left_out, mean_included, mean_left_out,
        difference, t, df, p, interval, equivalent.

    Notes
    -----
    A person's score is CAP_s: the share of the synthetic rows with their keys that have their
    target. `equivalent` is True only where the whole interval lies inside (-margin, margin); an
    interval of 95 % makes that a test at 2.5 % on each side. It is None where the interval has no
    width, or where a group has people in fewer than 20 key combinations (see `FEWEST_CLASSES`).
    Fewer than two scores in a group: only the means and their difference. Scores that vary in
    neither group: no t, df, p nor interval.

    References
    ----------
    Taub et al. (2018), section 4.3 and Table 4. Errata: footnote 7 gives the degrees of freedom of
    another test (see `welch`); equation 6 conditions on the wrong key (see `differential_scores`).
    """
    progress = progress or no_progress
    settings = DifferentialSettings(nonmatch, confidence, n_bootstrap, seed, margin)  # type: ignore[arg-type]
    target_names = names(target, "Target")
    if not target_names:
        raise RolesError("No target is given. Name the column that an intruder would guess.")
    sides, copies = sides_by_method(included, left_out, synthetic)
    opening = open_scenario(
        sides,
        keys=keys,
        targets=target_names,
        missing_values=missing_values,
        bands=parse_bands(bands, special_codes),
        progress=progress,
    )
    return ConfidentialityResult(_record(opening, copies, settings, progress))


def _record(
    opening: OpenScenario,
    copies: dict[str, range],
    settings: DifferentialSettings,
    progress: Progress,
) -> DifferentialConfidentiality:
    scenario = opening.scenario
    places = [(name, m) for name, sides in copies.items() for m in range(1, len(sides) + 1)]
    rows, lacking = [], []
    found = score_by_m(scenario, tuple(copies.values()))
    for done, ((method, m), scored) in enumerate(zip(places, found, strict=True)):
        progress(f"comparing with {m} pooled", done, len(places))
        row = _row(method, m, scored, settings)
        rows.append(row)
        lacking += list(_missing_figures(row, settings))
    return DifferentialConfidentiality(
        files=opening.files,
        keys=scenario.key_names,
        target=scenario.target_names,
        **asdict(settings),
        n_included=scenario.sides.rows[INCLUDED],
        n_left_out=scenario.sides.rows[LEFT_OUT],
        n_synthetic=scenario.sides.rows[FIRST_COPY:],
        rows=tuple(rows),
        bands=opening.bands,
        coercions=opening.notes,
        not_measured=tuple(lacking),
    )


def _row(
    method: str, m: int, every: GroupScores, settings: DifferentialSettings
) -> ConfidentialityRow:
    scored = every if settings.nonmatch == "zero" else every.without_nonmatches()
    a, b = (group_of(scored.people.score, n) for n in scored.people.n)
    test = welch(a, b)
    ends = None
    if test is not None:
        ends = interval(
            scored.classes,
            confidence=settings.confidence,
            n_bootstrap=settings.n_bootstrap,
            seed=settings.seed,
            m=m,
        )
    n_match, n_keys = every.people.n_match.tolist(), scored.classes.n_classes.tolist()
    row = ConfidentialityRow(
        method=method,
        m=m,
        n_included=a.n,
        n_left_out=b.n,
        n_match_included=n_match[INCLUDED],
        n_match_left_out=n_match[LEFT_OUT],
        n_keys_included=n_keys[INCLUDED],
        n_keys_left_out=n_keys[LEFT_OUT],
        mean_included=a.mean,
        mean_left_out=b.mean,
        difference=difference(a, b),
        t=None if test is None else test.t,
        df=None if test is None else test.df,
        p=None if test is None else test.p,
        interval=ends,
        equivalent=None,
    )
    return replace(row, equivalent=_is_inside(row, settings.margin))


def _is_inside(row: ConfidentialityRow, margin: float | None) -> bool | None:
    """Whether the interval lies inside the margin, its ends too; None where no one can tell."""
    if row.interval is None or margin is None or row.doubt is not None:
        return None
    low, high = row.interval
    return -margin < low and high < margin


def _missing_figures(
    row: ConfidentialityRow, settings: DifferentialSettings
) -> Iterator[NotMeasuredAt]:
    """The fields of a row that could not be measured, each with its reason."""
    reasons: dict[str, str] = {}
    for group in ("included", "left_out"):
        if getattr(row, f"mean_{group}") is None:
            reasons[f"mean_{group}"] = reasons["difference"] = NOBODY_FOUND
    why = FEW if min(row.n_included, row.n_left_out) < 2 else CONSTANT
    reasons |= dict.fromkeys(("t", "df", "p", "interval"), why) if row.t is None else {}
    if row.interval is None and row.t is not None:
        reasons["interval"] = FEW_CLASSES
    if row.equivalent is None and settings.margin is not None:
        reasons["equivalent"] = row.doubt or reasons["interval"]
    for field, reason in reasons.items():
        yield NotMeasuredAt(method=row.method, m=row.m, field=field, reason=reason)
