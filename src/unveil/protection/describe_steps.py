"""How much noise does each declared column get, and what did each step do, in a sentence?

The noise is found on the original, before anything is fitted. A tree draws values that the original
has, so that the value with the highest ECAP is one of the original's: the amount that protects all
of them protects whatever is drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.errors import SettingsError
from unveil.io.table import Table
from unveil.measure.ecap.arguments import parse_ecap_threshold, parse_noise_amount
from unveil.measure.ecap.choose_noise import choose_for_values
from unveil.measure.ecap.ecap import measure_ecap, prepare_values
from unveil.measure.ecap.noise_settings import find_kept_codes
from unveil.protection.plan import PlannedStep
from unveil.records.noise import Ecap, Noise, NoiseChoice, NoisedColumn
from unveil.records.protection import NoiseReason, ProtectStep, Refill, Removal, Smoothing
from unveil.records.recoding import Recoding
from unveil.records.synthesis import Synthesis
from unveil.study.band_spec import parse_bands
from unveil.view.format import and_list, format_count, truncate

WITHOUT = "without replacement"
THRESHOLD = 0.1
"""The highest ECAP that is tolerated where nothing is said, as in the paper."""


@dataclass(frozen=True)
class NoisePlan:
    """The noise of one column as `add_noise` takes it, and why it is as much."""

    how: Mapping[str, Any]
    reason: NoiseReason


def plan_noise(
    step: PlannedStep, table: Table, codes: Mapping[str, Any], n_people: int
) -> NoisePlan:
    """The noise of one column of the recoded original."""
    said, column = step.settings, str(step.column)
    own = _codes(said.get("special_codes"), codes.get(column))
    values = _values(table, column, own)
    sigma = None if "sigma" not in said else parse_noise_amount(said["sigma"])
    choice, risk = _measure_noise(values, said, n_people, sigma)
    if sigma is None:
        sigma = None if choice is None else choice.sigma_to_use
    if sigma is None:
        raise SettingsError(" ".join(() if choice is None else choice.warnings))
    decimals = said.get("round", 0 if said.get("discrete") else None)
    how = {
        "sigma": sigma,
        "noise": said.get("noise", "normal"),
        "round": decimals,
        "clip": said.get("clip"),
        "keep_variance": said.get("keep_variance", False),
        "special_codes": own,
    }
    reason = NoiseReason(column=column, sigma=sigma, choice=choice, ecap=risk)
    return NoisePlan(how, reason)


def _measure_noise(
    values: pl.Series, said: Mapping[str, Any], n_people: int, sigma: float | None
) -> tuple[NoiseChoice | None, Ecap | None]:
    """The least noise, where it is not given, and ECAP with the noise that is used."""
    if "population" not in said:
        return None, None
    if "N" not in said:
        raise SettingsError("N is not given. State the population size.")
    people = prepare_values(
        values,
        said["population"],
        said["N"],
        said.get("n", n_people),
        said.get("noise", "normal"),
        discrete=bool(said.get("discrete", False)),
        sampling=said.get("sampling", WITHOUT),
    )
    threshold = parse_ecap_threshold(said.get("threshold", THRESHOLD))
    choice = choose_for_values(people, threshold) if sigma is None else None
    used = sigma if choice is None else choice.sigma_to_use
    return choice, None if used is None else measure_ecap(people, used, threshold).record


def _values(table: Table, column: str, codes: Sequence[float]) -> pl.Series:
    """The numbers of a column, missing where it holds a code for no answer."""
    given = table.frame[column]
    kept = pl.Series(find_kept_codes(given, table.variables.get(column), codes, table.place))
    values = given.cast(pl.Float64).alias("").set(kept, None)
    if values.is_null().all():
        raise SettingsError(f"column {column!r} holds no number. Omit the step.")
    return values


def _codes(own: Any, of_data: Any) -> tuple[float, ...]:
    given = of_data if own is None else own
    if given is None:
        return ()
    return tuple(parse_bands(None, {"column": given}).special_codes["column"])


class StepSentences:
    """Sentences about steps that are done."""

    @staticmethod
    def recodings(record: Recoding, n_columns: int) -> Iterator[ProtectStep]:
        """The recodings, each with what was left in the end."""
        for row in record.rows:
            yield ProtectStep(
                number=row.number,
                do=row.do,
                column=row.column,
                n_rows=record.n_records_left,
                n_columns=n_columns,
                sentence=row.sentence,
            )

    @staticmethod
    def synthesis(record: Synthesis) -> str:
        """How the copy was drawn."""
        columns = format_count(len(record.order), "column")
        whom = "" if record.person is None else " people"
        leaves = f"leaves of at least {record.min_leaf:,}{whom}"
        return f"{format_count(record.n_rows, 'row')} drawn by models of {columns}, {leaves}."

    @staticmethod
    def refill(record: Refill) -> str:
        """How many rows had to be drawn."""
        n_drawn = sum(one.drawn for one in record.rounds)
        rounds = format_count(len(record.rounds), "round")
        near, unit = "", "rows" if record.time is None else "people with all their rows"
        if record.time is not None and record.person is not None:
            near = f" Those refused were nearest to {record.n_people_near or 0:,} people."
        elif record.person is not None:
            near = (
                f" Rows refused were nearest to {record.n_people_near or 0:,} of"
                f" {record.person.n_people:,} people."
            )
        return (
            f"{record.n_rows:,} of {record.rows_wanted:,} {unit} kept, out of {n_drawn:,} drawn in"
            f" {rounds}, by {record.metric} distance on "
            f"{format_count(len(record.columns), 'column')}.{near}"
        )

    @staticmethod
    def removal(record: Removal) -> str:
        """How many rows were taken out."""
        row = record.rows[0]
        return f"{row.n_removed:,} of {row.n_synthetic:,} rows taken out, {row.n_left:,} left."

    @staticmethod
    def smoothing(record: Smoothing) -> str:
        """Which columns were smoothed."""
        return f"Smoothed: {and_list(row.column for row in record.rows)}."

    @staticmethod
    def noise(step: PlannedStep, reason: NoiseReason | None, made: Noise | None) -> str:
        """How much noise, and how sure a claim would still be."""
        column = truncate(str(step.column))
        if reason is None:
            return f"{column} needs no noise: {step.settings['not_needed']}"
        kind = step.settings.get("noise", "normal")
        text = f"{kind} noise with standard deviation {reason.sigma:.6g} on {column}"
        if reason.ecap is None or reason.ecap.worst is None:
            return f"{text}; what it protects from was not measured."
        if _is_undone(str(step.column), made):
            return f"{text}; rounding has undone it, so that it protects from nothing."
        before = " before rounding" if _is_rounded(str(step.column), made) else ""
        return f"{text}; the highest ECAP{before} is {reason.ecap.worst:.3g}."


def _rows(column: str, made: Noise | None) -> list[NoisedColumn]:
    return [] if made is None else [row for row in made.columns if row.column == column]


def _is_rounded(column: str, made: Noise | None) -> bool:
    return any(row.decimals is not None for row in _rows(column, made))


def _is_undone(column: str, made: Noise | None) -> bool:
    """Whether no value was changed."""
    rows = _rows(column, made)
    return any(row.decimals is not None and row.n_changed == 0 < row.sigma for row in rows)
