"""Which worlds look as if a person were in them? A score for every person and world.

Half of the worlds teach, the others test. What a release looks like with a person and without is
learned from all tested people together, with a little of each one's own (Carlini et al. 2022
compare shadow models for one person at a time; one at a time, it recognises the rest of the file).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.models.regression import fit_ridge

COMMON, OWN = 100.0, 3000.0
"""Ridge penalties: of the weights that all people share, and of what a person's own add."""

ScoreRows = NDArray[np.float32]
Load = Callable[[slice], ScoreRows]
"""The figures of some people in all worlds: worlds x people x figures."""

_PEOPLE_AT_ONCE = 8


@dataclass(frozen=True)
class WorldScores:
    """What was seen in every world, and what the coins said; loaded a few people at a time."""

    load: Load
    coins: Mask  # worlds x people
    numbers: Ints  # of the worlds: even ones teach, so that more worlds change no earlier half

    @property
    def teaches(self) -> Mask:
        """Which worlds the attack learns from; the others test it."""
        is_even: Mask = self.numbers % 2 == 0
        return is_even

    @property
    def test_coins(self) -> Mask:
        """The coins of the worlds that test."""
        return self.coins[~self.teaches]

    def people(self) -> Iterator[tuple[int, ScoreRows]]:
        """Each person's figures in all worlds."""
        n = self.coins.shape[1]
        for start in range(0, n, _PEOPLE_AT_ONCE):
            some = slice(start, min(start + _PEOPLE_AT_ONCE, n))
            looks = self.load(some)
            for place in range(some.stop - start):
                yield start + place, looks[:, place]


@dataclass(frozen=True)
class Scores:
    """Scores of worlds (rows) for people; the higher, the more it looks as if they were in."""

    train: Floats
    test: Floats
    released: Floats | None  # one for each person


def score_worlds(worlds: WorldScores, k: int, released: ScoreRows | None) -> Scores:
    """Learn from the teaching worlds and score all; the first k people teach what is common.

    Notes
    -----
    With z a person's figures, standardised over teaching worlds, and y the coin less its mean,
    w = (sum z z' + COMMON I)^-1 sum z y over the tested people and teaching worlds, and of each
    person v = (sum z z' + OWN I)^-1 sum z (y - z'w) over that person's worlds. The score z'(w + v)
    is centred and scaled over teaching worlds without the person. Those in no world never teach w.
    """
    teaches = worlds.teaches
    y = worlds.coins[teaches] - worlds.coins[teaches].mean(0)
    common = _common_weights(worlds, y, k)
    n, n_people = worlds.coins.shape
    made = np.empty((n, n_people))
    out = None if released is None else np.empty(n_people)
    for person, looks in worlds.people():
        z, scale = _standardise(looks, teaches)
        own = z[teaches]
        # X'(XX' + penalty I)^-1 y is the same, and of fewer worlds than figures it is faster.
        dual = fit_ridge(own @ own.T, y[:, person] - own @ common, OWN)
        weights = common + own.T @ dual
        raw = z @ weights
        without = raw[teaches & ~worlds.coins[:, person]]
        centre = without.mean() if len(without) else 0.0
        spread = (without.std() if len(without) else 0.0) or 1.0
        made[:, person] = (raw - centre) / spread
        if out is not None and released is not None:
            out[person] = (scale(released[person]) @ weights - centre) / spread
    return Scores(made[teaches], made[~teaches], out)


def _common_weights(worlds: WorldScores, y: Floats, k: int) -> Floats:
    products: Any = 0.0
    sums: Any = 0.0
    for person, looks in worlds.people():
        if person >= k:
            break
        z = _standardise(looks, worlds.teaches)[0][worlds.teaches]
        products = products + z.T @ z
        sums = sums + z.T @ y[:, person]
    return fit_ridge(products, sums, COMMON)


def _standardise(looks: ScoreRows, teaches: Mask) -> tuple[Floats, Callable[[ScoreRows], Floats]]:
    """By mean and standard deviation over the teaching worlds; what never varies there is 0."""
    whole = looks.astype(np.float64)
    mean, sd = whole[teaches].mean(0), whole[teaches].std(0)
    factor = np.divide(1.0, sd, out=np.zeros(len(sd)), where=sd > 0)

    def scale(more: ScoreRows) -> Floats:
        scaled: Floats = (more - mean) * factor
        return scaled

    return scale(whole), scale  # type: ignore[arg-type]
