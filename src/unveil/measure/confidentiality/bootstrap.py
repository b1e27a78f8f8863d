"""How sure is the difference? An interval by drawing key combinations anew.

People with the same keys have scores that hang together, within a group and between the groups,
because the same synthetic rows answer for all of them. So whole key combinations are drawn, with
the people of both groups in them, not people as if each stood alone. The copies stay as they are:
the interval says nothing about what other copies would show.
"""

from collections.abc import Iterator

import numpy as np

from unveil.count.packing import Whole
from unveil.measure.confidentiality.scores import INCLUDED, LEFT_OUT, Classes, Floats

DRAWN_AT_ONCE = 2**21
"""How many numbers are drawn at once, so that memory stays small."""


def interval(
    classes: Classes, *, confidence: float, n_bootstrap: int, seed: int, m: int
) -> tuple[float, float] | None:
    """The percentile interval of the difference in means; None where there is none.

    Notes
    -----
    Each draw takes as many key combinations as there are, with replacement, and the difference of
    the means over the people in them. A draw without anybody of one group has no difference and is
    left out. There is no interval where a group has people in fewer than two key combinations.
    The draws for m copies come from a stream of their own, keyed by (seed, m): the same for every
    method, so that what is found of one does not depend on the others.
    """
    if classes.n_classes.min() < 2:
        return None
    stream = np.random.SeedSequence(seed, spawn_key=(m,))
    found = np.concatenate(
        [
            differences(classes, weights)
            for weights in _weights(classes.w, n_bootstrap, np.random.default_rng(stream))
        ]
    )
    if not len(found):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(found, [tail, 1 - tail])
    return float(low), float(high)


def differences(classes: Classes, weights: Whole) -> Floats:
    """The difference in means of each draw (a row of weights, one for each look of classes)."""
    n = [(weights * group).sum(axis=1) for group in classes.n]
    # Multiplied and added up by numpy itself: a matrix product depends on the number of threads.
    scores = [(weights * group).sum(axis=1) for group in classes.scores]
    both = (n[INCLUDED] > 0) & (n[LEFT_OUT] > 0)
    included, left_out = (scores[group][both] / n[group][both] for group in (INCLUDED, LEFT_OUT))
    apart: Floats = included - left_out
    return apart


def _weights(w: Whole, n_draws: int, rng: np.random.Generator) -> Iterator[Whole]:
    """How often each look of classes is drawn, for some draws at a time."""
    n_classes = int(w.sum())
    at_once = max(1, DRAWN_AT_ONCE // len(w))
    for done in range(0, n_draws, at_once):
        yield rng.multinomial(n_classes, w / n_classes, size=min(at_once, n_draws - done))
