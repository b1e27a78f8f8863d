"""NIPALS as in a textbook: a list of rows with None for gaps, scores and loadings in turn."""

from collections.abc import Sequence
from math import sqrt

Row = list[float | None]


def component(rows: Sequence[Row], rounds: int = 1_000) -> tuple[list[float], list[float], float]:
    """Loadings of length 1, scores, and how far the last round moved the loadings."""
    p = _start(rows)
    moved = 1.0
    for _ in range(rounds):
        new = _unit(_loadings(rows, _scores(rows, p)))
        moved = sqrt(sum((a - b) ** 2 for a, b in zip(new, p, strict=True)))
        p = new
        if moved < 1e-14:
            break
    largest = max(p, key=abs)
    if largest < 0:
        p = [-one for one in p]
    return p, _scores(rows, p), moved


def deflated(rows: Sequence[Row], p: Sequence[float], t: Sequence[float]) -> list[Row]:
    return [
        [None if x is None else x - t_i * p_k for x, p_k in zip(row, p, strict=True)]
        for row, t_i in zip(rows, t, strict=True)
    ]


def standardised(columns: Sequence[Sequence[float | None]]) -> list[Row]:
    """Columns with mean 0 and standard deviation 1 (divided by n) over what they have, as rows."""
    made = []
    for column in columns:
        held = [x for x in column if x is not None]
        mean = sum(held) / len(held)
        sd = sqrt(sum((x - mean) ** 2 for x in held) / len(held))
        made.append([None if x is None else (x - mean) / sd for x in column])
    return [list(row) for row in zip(*made, strict=True)]


def _start(rows: Sequence[Row]) -> list[float]:
    return _unit([1.0 + 0.1 * k for k in range(len(rows[0]))])


def _scores(rows: Sequence[Row], p: Sequence[float]) -> list[float]:
    scores = []
    for row in rows:
        held = [(x, p_k) for x, p_k in zip(row, p, strict=True) if x is not None]
        below = sum(p_k**2 for _, p_k in held)
        scores.append(sum(x * p_k for x, p_k in held) / below if below else 0.0)
    return scores


def _loadings(rows: Sequence[Row], t: Sequence[float]) -> list[float]:
    loadings = []
    for k in range(len(rows[0])):
        held = [(row[k], t_i) for row, t_i in zip(rows, t, strict=True) if row[k] is not None]
        below = sum(t_i**2 for _, t_i in held)
        loadings.append(sum(x * t_i for x, t_i in held) / below if below else 0.0)
    return loadings


def _unit(p: Sequence[float]) -> list[float]:
    length = sqrt(sum(one**2 for one in p))
    return [one / length for one in p]
