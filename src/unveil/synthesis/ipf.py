"""Several categories at once, from margins of their table: iterative proportional fitting.

The table has the margins of the original (all pairs of columns unless others are asked for) and is
otherwise as even as it can be: no interaction of higher order than the margins have.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import quote_value
from unveil.arrays import Floats
from unveil.errors import RolesError, SettingsError, hint_at, list_names
from unveil.measure.tables.parts import publish_counts
from unveil.measure.tables.schemes import Published, Scheme, parse_scheme, trivial_bounds
from unveil.synthesis.catall import (
    CatallModel,
    CellTable,
    add_prior,
    count_cells,
    noise_note,
    noise_scale,
    noisy,
    prior_of,
    shape_of,
)
from unveil.synthesis.impossible import Impossible, Zeros
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.plan import Step

ROUNDS = 1_000
WORK = 2e10
"""Cells to go through in all rounds together; at least 20 rounds are made."""
CLOSE = 1e-6
"""Margins are met when no count is further off than this share of a record."""

Axes = tuple[int, ...]


class IpfModel(CatallModel):
    """The fitted table."""


def fit_ipf(
    targets: Sequence[Target],
    options: Options,
    rng: np.random.Generator,
    *,
    impossible: Sequence[Impossible] = (),
) -> IpfModel:
    """Fit the margins, then add the prior; chance is asked for noise alone.

    Notes
    -----
    P(cell) = (n p + prior / C) / (n + prior), p the fitted share and C the cells that can be.

    References
    ----------
    Deming and Stephan (1940). What synthpop calls `ipf`, with `gmargins = "twoway"`, `othmargins`,
    `priorn` and `structzero`.
    """
    prior, axes = prior_of(options), parse_fitted_margins(options, targets)
    shape, n = shape_of(targets, "'ipf'"), len(targets[0].values)
    zeros = Zeros.of(impossible, targets)
    zeros.check_unseen(targets)
    cannot = zeros.table(shape)
    margins = {some: count_cells(targets, some) for some in axes}
    scale, notes = noise_scale(options, len(axes)), []
    if options.protect_margins is not None:
        margins, n = _publish(margins, parse_scheme(options.protect_margins))
    if scale is not None:
        margins = {some: _with_noise(margin, scale, n, rng) for some, margin in margins.items()}
        notes.append(noise_note(scale))
    table, off = fit_margins(margins, cannot)
    if off > 1e-3:
        notes.append(
            f"The margins of 'ipf' are met to within {off:.3g} records; they may contradict one"
            " another."
        )
    return IpfModel(CellTable.of(add_prior(table, prior, cannot, n)), tuple(notes))


def _publish(margins: Mapping[Axes, Floats], scheme: Scheme) -> tuple[dict[Axes, Floats], int]:
    """Margins as a reader has them, scaled to one total, and that total.

    A suppressed count is taken for the middle of what its scheme says of it. No true count is
    used after this: not even how many records there are.
    """
    chance = np.random.default_rng(0)  # is not asked: `check_protected` refuses schemes that draw
    made = {}
    for axes, counts in margins.items():
        values = publish_counts(counts.ravel().astype(np.int64), scheme, chance)
        made[axes] = np.array([_middle(value, scheme) for value in values]).reshape(counts.shape)
    total = float(np.mean([margin.sum() for margin in made.values()]))
    if not all(margin.sum() for margin in made.values()):
        raise SettingsError(
            f"A margin has no count above 0 under {scheme.text}. Choose a smaller base, or margins"
            " of fewer columns."
        )
    return {axes: margin * (total / margin.sum()) for axes, margin in made.items()}, round(total)


def published_total(model: Any, options: Options) -> int:
    """The records that protected margins speak of: the weight of the table without the prior."""
    return max(1, round(float(model.cells.up_to[-1]) - prior_of(options)))


def _middle(value: Published, scheme: Scheme) -> float:
    if isinstance(value, int):
        return float(value)
    low, high = trivial_bounds(value, scheme)
    return (low + (low if high is None else high)) / 2


def check_protected(options: Options, steps: Sequence[Step]) -> None:
    """Refuse what would let the synthetic data see more than protected margins."""
    if options.protect_margins is None:
        return
    scheme = parse_scheme(options.protect_margins)
    if scheme.kind not in ("conventional", "up", "down", "suppress") or scheme.unknown:
        raise SettingsError(
            f"protect_margins is {quote_value(options.protect_margins)}. Choose conventional:5,"
            " up:5, down:5 or suppress:5, which publish the same margins each time."
        )
    others = [name for step in steps if step.method != "ipf" for name in step.columns]
    if options.margins is None or others:
        named = f" {list_names(map(repr, others))} would be made otherwise." if others else ""
        raise SettingsError(
            f"protect_margins needs margins that name every synthesised column.{named}"
        )
    if options.noise is not None:
        raise SettingsError("noise and protect_margins cannot be combined. Omit one.")


def parse_fitted_margins(options: Options, targets: Sequence[Target]) -> tuple[Axes, ...]:
    """The sets of columns whose counts are fitted, by place; each column is in one at least."""
    names = [target.name for target in targets]
    if options.margins is None:
        return tuple(combinations(range(len(names)), min(2, len(names))))
    for name in (name for margin in options.margins for name in margin):
        if name not in names:
            raise RolesError(
                f"A margin of 'ipf' has the column {name!r}, which 'ipf' does not"
                f" synthesise.{hint_at(name, names)} Its columns are: {list_names(names)}."
            )
    asked = [tuple(sorted({names.index(name) for name in margin})) for margin in options.margins]
    alone = [(axis,) for axis in range(len(names)) if not any(axis in some for some in asked)]
    return tuple(dict.fromkeys([*(some for some in asked if some), *alone]))


def fit_margins(margins: Mapping[Axes, Floats], cannot: NDArray[np.bool_]) -> tuple[Floats, float]:
    """The table with these margins that is most even, and by how many records a margin is off.

    Notes
    -----
    Starts with 1 in every cell that can be, and scales the table to each margin in turn. If a
    table with the margins exists, the limit has them and is the maximum likelihood estimate of the
    log-linear model that they define (Bishop, Fienberg and Holland 1975, 3.5); if none exists, the
    rounds do not settle, and the last is given.
    """
    table = np.where(cannot, 0.0, 1.0)
    rounds = int(min(ROUNDS, max(20, WORK / (table.size * max(len(margins), 1)))))
    off = 0.0
    for _ in range(rounds):
        off = max(_scale(table, axes, margin) for axes, margin in margins.items())
        if off <= CLOSE:
            break
    return table, off


def _scale(table: Floats, axes: Axes, margin: Floats) -> float:
    """Scale a table, in place, to one margin; how far off the margin was."""
    others = tuple(axis for axis in range(table.ndim) if axis not in axes)
    now = table.sum(axis=others)
    ratio = np.divide(margin, now, out=np.zeros_like(margin), where=now > 0)
    table *= np.expand_dims(ratio, others)
    return float(np.abs(now - margin).max())


def _with_noise(margin: Floats, scale: float, n: int, rng: np.random.Generator) -> Floats:
    """Noise, and the total as it was, so that margins can agree."""
    made = noisy(margin, scale, rng)
    total = float(made.sum())
    return made * (n / total) if total > 0 else np.full(margin.shape, n / margin.size)
