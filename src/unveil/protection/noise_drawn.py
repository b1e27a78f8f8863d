"""The noise itself: drawn, rounded, clipped, and kept off the codes for no answer."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from unveil.count.streams import stream
from unveil.errors import SettingsError, quoted
from unveil.measure.membership.noises import KINDS
from unveil.measure.membership.shapes import Floats
from unveil.protection.noise_asked import Wanted
from unveil.protection.noise_effects import Done

_MOST_TRIES = 200


@dataclass(frozen=True)
class Drawn:
    """The numbers of a column with noise, also where there is none to have it."""

    values: Floats
    done: Done


def noised(
    asked: Wanted,
    numbers: Floats,
    known: np.ndarray,
    seed: int,
    is_code: Callable[[Floats], np.ndarray],
) -> Drawn:
    """Numbers with noise of their own.

    The stream is named by column, kind and amount: with the same numbers at another amount, who has
    two releases could cancel the noise. One draw a row, so that what is missing elsewhere does not
    shift the noise of the others.
    """
    rng = stream(seed, "noise", asked.column, asked.noise, repr(asked.sigma))
    moved = _moved(asked, numbers, rng)
    values = _clipped(asked, moved)
    again = known & is_code(values)
    n_redrawn = int(again.sum())
    for _ in range(_MOST_TRIES):
        if not again.any():
            break
        moved = np.where(again, _moved(asked, numbers, rng), moved)
        values = _clipped(asked, moved)
        again &= is_code(values)
    if again.any():
        raise SettingsError(
            f"Rounding or clipping turns numbers of {quoted(asked.column)} into codes for no answer"
            " whatever the noise. Round to more decimals, or clip to values that are no codes."
        )
    n_undone = int((moved == _rounded(asked, numbers))[known].sum())
    return Drawn(values, Done(int((values != moved)[known].sum()), n_redrawn, n_undone))


def _moved(asked: Wanted, numbers: Floats, rng: np.random.Generator) -> Floats:
    return _rounded(asked, numbers + asked.sigma * KINDS[asked.noise].drawn(rng, len(numbers)))


def _rounded(asked: Wanted, numbers: Floats) -> Floats:
    return numbers if asked.decimals is None else np.round(numbers, asked.decimals)


def _clipped(asked: Wanted, moved: Floats) -> Floats:
    return moved if asked.clip == (None, None) else np.clip(moved, *asked.clip)
