"""Noise on a column: the draw, what it changed, and what to warn of."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.arrays import Floats
from unveil.errors import SettingsError, quote_text
from unveil.measure.ecap.noise_kinds import KINDS
from unveil.measure.ecap.noise_settings import NoiseSpec, Shrinking
from unveil.records.noise import Bin, Displacement, NoisedColumn, NumberSummary
from unveil.seeding import stream

# What did the noise change? How far values moved, and how they lie before and after.


_MOST_BINS = 20


@dataclass(frozen=True)
class NoiseOutcome:
    """What happened on the way."""

    n_clipped: int
    n_redrawn: int
    n_undone: int  # are where rounding alone would have put them


def noise_record(
    asked: NoiseSpec,
    values: tuple[Floats, Floats],
    done: NoiseOutcome,
    given: tuple[pl.Series, np.ndarray],
) -> NoisedColumn:
    """The record of one column, from its numbers before and after."""
    before, after = values
    column, is_code = given
    n_codes = int(is_code.sum())
    return NoisedColumn(
        column=asked.column,
        noise=asked.noise,
        sigma=asked.sigma,
        keeps_variance=asked.keeps_variance,
        decimals=asked.decimals,
        lowest=asked.clip[0],
        highest=asked.clip[1],
        n_values=len(before),
        n_missing=len(column) - len(before) - n_codes,
        n_codes=n_codes,
        n_changed=int((before != after).sum()),
        n_clipped=done.n_clipped,
        n_redrawn=done.n_redrawn,
        displacement=_displacement(after - before),
        before=_summary(before),
        after=_summary(after),
        bins=_bins(before, after),
    )


def _displacement(moved: Floats) -> Displacement | None:
    if not len(moved):
        return None
    return Displacement(
        mean=float(moved.mean()),
        sd=float(moved.std()),
        mean_absolute=float(np.abs(moved).mean()),
        largest=float(np.abs(moved).max()),
    )


def _summary(values: Floats) -> NumberSummary:
    if not len(values):
        nothing = dict.fromkeys(NumberSummary.__struct_fields__)
        return NumberSummary(**nothing)
    ends = [float(one) for one in np.quantile(values, [0, 0.25, 0.5, 0.75, 1])]
    return NumberSummary(
        mean=float(values.mean()),
        sd=float(values.std()),
        minimum=ends[0],
        quarter=ends[1],
        median=ends[2],
        three_quarters=ends[3],
        maximum=ends[4],
    )


def _bins(before: Floats, after: Floats) -> tuple[Bin, ...]:
    """Equal intervals over both, for a picture of the distribution before and after."""
    if not len(before):
        return ()
    low, high = min(before.min(), after.min()), max(before.max(), after.max())
    n_bins = _MOST_BINS if high > low else 1
    edges = np.linspace(low, high, n_bins + 1)
    counts = [
        np.histogram(values, edges)[0] if high > low else [len(values)]
        for values in (before, after)
    ]
    return tuple(
        Bin(
            lower=float(edges[i]),
            upper=float(edges[i + 1]),
            n_before=int(counts[0][i]),
            n_after=int(counts[1][i]),
        )
        for i in range(n_bins)
    )


# The noise itself: drawn, rounded, clipped, and kept off the codes for no answer.


_MOST_TRIES = 200


@dataclass(frozen=True)
class NoisyColumn:
    """The numbers of a column with noise, also where there is none to have it."""

    values: Floats
    done: NoiseOutcome


def draw_noise(
    asked: NoiseSpec,
    numbers: Floats,
    known: np.ndarray,
    seed: int,
    is_code: Callable[[Floats], np.ndarray],
) -> NoisyColumn:
    """Numbers with noise of their own.

    The stream is named by column, kind and amount: with the same numbers at another amount, who has
    two releases could cancel the noise. One draw a row, so that what is missing elsewhere does not
    shift the noise of the others.
    """
    rng = stream(seed, "noise", asked.column, asked.noise, repr(asked.sigma))
    shrinking = Shrinking.of(asked, numbers[known])
    moved = _move_numbers(asked, numbers, shrinking, rng)
    values = _clip_numbers(asked, moved)
    again = known & is_code(values)
    n_redrawn = int(again.sum())
    for _ in range(_MOST_TRIES):
        if not again.any():
            break
        moved = np.where(again, _move_numbers(asked, numbers, shrinking, rng), moved)
        values = _clip_numbers(asked, moved)
        again &= is_code(values)
    if again.any():
        raise SettingsError(
            f"Rounding or clipping turns numbers of {quote_text(asked.column)} into codes for"
            " missing values whatever the noise. Round to more decimals, or clip to values that"
            " are not codes."
        )
    n_undone = int((moved == _round_numbers(asked, numbers))[known].sum())
    return NoisyColumn(
        values, NoiseOutcome(int((values != moved)[known].sum()), n_redrawn, n_undone)
    )


def _move_numbers(
    asked: NoiseSpec, numbers: Floats, shrinking: Shrinking, rng: np.random.Generator
) -> Floats:
    drawn = numbers + asked.sigma * KINDS[asked.noise].drawn(rng, len(numbers))
    return _round_numbers(asked, shrinking.apply(drawn))


def _round_numbers(asked: NoiseSpec, numbers: Floats) -> Floats:
    return numbers if asked.decimals is None else np.round(numbers, asked.decimals)


def _clip_numbers(asked: NoiseSpec, moved: Floats) -> Floats:
    return moved if asked.clip == (None, None) else np.clip(moved, *asked.clip)


# What a custodian must be told of the noise that was added.


def column_warnings(row: NoisedColumn, done: NoiseOutcome) -> list[str]:
    """All warnings of one column."""
    said = [*_undone_warnings(row, done), *_clipping_warnings(row), *_disclosed_end_warnings(row)]
    return [f"Column {quote_text(row.column)}: {sentence}" for sentence in said]


def _undone_warnings(row: NoisedColumn, done: NoiseOutcome) -> Iterator[str]:
    if row.sigma == 0:
        yield "sigma is 0, so that no noise was added."
    elif row.decimals is not None and row.n_values and done.n_undone == row.n_values:
        yield "rounding has undone the noise."
    elif row.decimals is not None and done.n_undone > row.n_values / 2:
        yield (
            f"rounding has undone the noise of {done.n_undone:,} of {row.n_values:,} values. For"
            " whole numbers choose the noise with discrete=True."
        )


def _clipping_warnings(row: NoisedColumn) -> Iterator[str]:
    if row.n_values and row.n_clipped > row.n_values / 20:
        yield (
            f"{row.n_clipped:,} of {row.n_values:,} values were beyond what is plausible and were"
            " set to its ends, where they now pile up."
        )


def _disclosed_end_warnings(row: NoisedColumn) -> Iterator[str]:
    """A plausible value taken from the data would tell the public of somebody in it."""
    ends = {
        "lowest": (row.lowest, row.before.minimum),
        "highest": (row.highest, row.before.maximum),
    }
    told = [which for which, (end, seen) in ends.items() if end is not None and end == seen]
    if told:
        yield (
            f"the {' and the '.join(told)} plausible value is also that of the data, and the"
            " statement publishes it. Clip at a limit of general knowledge, not where the data"
            " end."
        )
