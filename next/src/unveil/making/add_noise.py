"""Noise on numbers of the synthetic data, with the statement that may be published."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl
from msgspec import Meta

from unveil.arguments import Form, SecretSeed
from unveil.counts.cells import Floats
from unveil.data.bands import band
from unveil.data.columns import Coded, Column, encode
from unveil.errors import InputError, check_name
from unveil.making.made import Made, change, say
from unveil.making.noise import round_up
from unveil.making.recode import levels_of
from unveil.making.shifts import BANDS, ShiftRow, chart_of_shifts, shifts_of
from unveil.making.steps import Levels, step_of
from unveil.results import Chart, Copy, Count, Figure, Heading, Note, Number, Row
from unveil.study import Alike, Study, measure

WIDE, NEAR = 8, 2  # standard deviations of noise: the width of bands, and what counts as near


class Amount(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is added to one column."""

    sigma: Annotated[float, Meta(gt=0)]
    noise: Literal["normal", "laplace"] = "normal"
    round: Annotated[int, Meta(ge=0, le=15)] | None = None
    low: float | None = None
    high: float | None = None
    keep_variance: bool = False

    def says(self) -> str:
        """Kind and amount, and nothing else."""
        text = f"{self.noise} noise with standard deviation {self.sigma:g}"
        if self.keep_variance:
            text += ", shrunk to the variance before"
        if self.round is not None:
            text += f", rounded to {self.round} decimals" if self.round else ", rounded to units"
        bounds = (("at least", self.low), ("at most", self.high))
        return text + "".join(f", {word} {bound:g}" for word, bound in bounds if bound is not None)

    def added(self, amounts: Floats, special: tuple[float, ...], rng: Any) -> Floats:
        """The amounts with noise; the order of records makes no difference to what is added."""
        scale = self.sigma if self.noise == "normal" else self.sigma / 2**0.5
        draw = rng.normal if self.noise == "normal" else rng.laplace
        noise = np.empty_like(amounts)
        noise[np.argsort(amounts, kind="stable")] = draw(0, scale, len(amounts))
        moved = amounts + noise
        if self.keep_variance and len(amounts):
            mean, variance = np.sort(amounts).mean(), np.sort(amounts).var()
            moved = mean + (moved - mean) * np.sqrt(variance / (variance + self.sigma**2))
        if self.round is not None:
            moved = np.round(moved, self.round)
        moved = np.clip(moved, self.low, self.high)
        return np.where(np.isin(moved, special), amounts, moved)  # none becomes a code


def parse_amounts(study: Study, amounts: Mapping[str, Any]) -> dict[str, Amount]:
    parsed = {}
    for name, about in amounts.items():
        check_name(name, study.original.columns, "'amounts': there is no column")
        table = about if isinstance(about, Mapping) else {"sigma": about}
        try:
            parsed[name] = msgspec.convert(dict(table), Amount, strict=False)
        except msgspec.ValidationError as fault:
            text = str(fault).replace(" - at `$`", "")
            raise InputError(f"'amounts' of {name!r}: {text}.") from None
        low, high = parsed[name].low, parsed[name].high
        if low is not None and high is not None and low >= high:
            raise InputError(f"'amounts' of {name!r}: low is not below high.")
    if not parsed:
        raise InputError("'amounts' names no column. Write {'income': 100}.")
    return parsed


class ColumnRow(Row, frozen=True):
    """One column, before and after."""

    version: str
    copy: Copy
    column: str
    sigma: Annotated[float, Number("standard deviation of the noise", "Chapelle 2023, section 4")]
    lowest: Annotated[Figure, Number("lower bound of what is released")]
    highest: Annotated[Figure, Number("upper bound of what is released")]
    changed: Annotated[int, Count("synthetic records that are changed")]
    before_mean: Annotated[Figure, Number("mean before", undefined="no amount")]
    after_mean: Annotated[Figure, Number("mean after", undefined="no amount")]
    before_sd: Annotated[Figure, Number("standard deviation before", undefined="one amount")]
    after_sd: Annotated[Figure, Number("standard deviation after", undefined="one amount")]


class Noise(Made, frozen=True, kw_only=True):
    """What noise does to columns, and the study with it."""

    title: ClassVar[str] = "Noise"

    drawings: ClassVar[Mapping[str, Chart]] = {
        "before_after": chart_of_shifts("Numbers before and after")
    }

    columns: Annotated[tuple[ColumnRow, ...], Heading("Columns with noise", (), True)]
    shifts: Annotated[tuple[ShiftRow, ...], Heading("Numbers before and after")]

    @property
    def statement(self) -> str:
        """What may be published: kind and amount."""
        amounts = self.settings["amounts"]
        parsed = {
            name: msgspec.convert(a if isinstance(a, dict) else {"sigma": a}, Amount, strict=False)
            for name, a in amounts.items()
        }
        return " ".join(f"{name} has {amount.says()}." for name, amount in parsed.items())

    @property
    def sentences(self) -> tuple[str, ...]:
        return (f"May be published: {self.statement}",)


Amounts = Annotated[
    Mapping[str, float | Mapping[str, Any]],
    Form("a mapping of columns to amounts of noise", "", list),
]


@measure
def add_noise(study: Alike, amounts: Amounts, *, seed: SecretSeed = None) -> Noise:
    """Add noise to numbers of the synthetic data.

    Parameters
    ----------
    study
        The original and the synthetic data.
    amounts
        By column the standard deviation, or {"sigma": 100, "round": 0, "low": 0, "high": None,
        "keep_variance": True, "noise": "laplace"}.
    seed
        The start of the random numbers, as confidential as the original.
    """
    parsed = parse_amounts(study, amounts)
    rows: list[ColumnRow] = []
    shifts: list[ShiftRow] = []
    notes: list[Note] = []
    columns = dict(study.columns)
    values: list[list[pl.Series]] = [[] for _ in study.files]
    for place, (name, amount) in enumerate(parsed.items()):
        levels = levels_of(study, name, np.random.default_rng(0))
        column = levels.column
        if column.kind != "number":
            raise InputError(f"'amounts': {name!r} holds no numbers.")
        for version, numbers in study.versions.items():
            for copy, number in enumerate(numbers, start=1):
                rng = np.random.default_rng([seed or 0, number, place])
                before = column.numbers[column.codes[column.rows[number]]]
                after, row = _with_noise(before, levels, amount, rng)
                values[number].append(after)
                rows.append(ColumnRow(version=version, copy=copy, column=name, **row))
                told = _together(name, before, after, levels.special)
                codes = [told.codes[part] for part in told.rows]
                shifts += shifts_of(version, copy, told, *codes)
        about = columns.get(name, Column())
        compared = compare_with_noise(about, name in study.keys, amount.sigma, levels.amounts)
        if compared:
            columns = say(columns, name, **compared.about)
            notes.append(Note(about=name, sentence=f"With noise {name} {compared.sentence}"))
    for table in rows, shifts:
        table.sort(key=lambda row: (row.version, row.copy))
    made = change(study, lambda n, file: file.frame.with_columns(values[n]), columns=columns)
    return Noise(columns=tuple(rows), shifts=tuple(shifts), notes=tuple(notes)).giving(made)


def _together(name: str, before: Floats, after: pl.Series, special: tuple[float, ...]) -> Coded:
    """The same records before and after, in the bands of those before."""
    n = len(before)
    values = pl.concat([pl.Series(before).fill_nan(None), after.cast(pl.Float64)])
    column = encode(name, values, (slice(n), slice(n, 2 * n)))
    amounts = before[np.isfinite(before) & ~np.isin(before, special)]
    if len(np.unique(amounts)) <= BANDS:
        return column
    breaks = np.unique(np.quantile(amounts, np.arange(1, BANDS) / BANDS, method="lower"))
    return band(column, breaks.tolist(), special)


def _with_noise(
    numbers: Floats, levels: Levels, amount: Amount, rng: Any
) -> tuple[pl.Series, dict[str, Any]]:
    numbers, has_amount = numbers.copy(), np.isfinite(numbers) & ~np.isin(numbers, levels.special)
    before = numbers[has_amount]
    after = amount.added(before, levels.special, rng)
    numbers[has_amount] = after
    values = pl.Series(levels.column.name, numbers).fill_nan(None)
    if (values.drop_nulls() % 1 == 0).all():
        values = values.cast(pl.Int64)
    moments = {
        f"{when}_{figure}": float(of(np.sort(x))) if len(x) >= fewest else None
        for when, x in (("before", before), ("after", after))
        for figure, of, fewest in (("mean", np.mean, 1), ("sd", lambda x: np.std(x, ddof=1), 2))
    }
    changed = int((before != after).sum())
    return values, moments | {
        "sigma": amount.sigma, "lowest": amount.low, "highest": amount.high, "changed": changed,
    }  # fmt: skip


class Compared(NamedTuple):
    """How a column with noise is compared from now on, and why."""

    about: dict[str, Any]
    sentence: str


def compare_with_noise(
    about: Column, is_key: bool, sigma: float, amounts: Floats
) -> Compared | None:
    """With noise a column equals nobody's exactly; nothing, where it is not compared so."""
    if about.bands is not None or (about.tolerance is not None and not is_key):
        return None
    if not is_key:
        near = NEAR * sigma
        return Compared({"tolerance": near}, (
            f"matches nobody exactly: numbers within {near:g} of a person's count as correct in"
            " rows marked near."
        ))  # fmt: skip
    width = round_up(WIDE * sigma)
    half = min(width, step_of(amounts)) / 2
    first, last = np.floor(amounts.min() / width), np.ceil(amounts.max() / width)
    breaks = width * np.arange(first, last + 1) - half  # no amount stands on a break
    is_inside = (breaks >= amounts.min() - half + width / 2) & (
        breaks <= amounts.max() + half - width / 2
    )
    breaks = np.round(breaks[is_inside] if is_inside.any() else breaks[-1:], 10)
    return Compared({"bands": tuple(breaks.tolist())}, (
        f"matches nobody exactly: as a key it is compared in bands {width:g} wide."
    ))  # fmt: skip
