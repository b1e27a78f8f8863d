"""What does a table producer publish: the values of each part under its scheme, by seeded draws?"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.errors import SettingsError
from unveil.measure.confidentiality.settings import seed_asked
from unveil.measure.tables.controlled import controlled
from unveil.measure.tables.grid import TABLE, Counts, Grid
from unveil.measure.tables.parts import Plan
from unveil.measure.tables.schemes import Published, Scheme

Values = dict[str, tuple[Published, ...]]


def seed_for(asked: Plan, given: Mapping[str, Any], seed: Any) -> int | None:
    """The seed of the draws; None where nothing is drawn."""
    found = None if seed is None else seed_asked(seed)
    if not any(scheme.draws for part, scheme in asked.items() if part not in given):
        return None
    return secrets.randbits(53) if found is None else found


def publish(
    grid: Grid,
    counts: Counts,
    asked: Plan,
    given: Values,
    *,
    seed: int | None,
    impossible: frozenset[int] = frozenset(),
) -> Values:
    """The values of each part: those given, and the others by their scheme.

    Notes
    -----
    Every part has a stream of its own, keyed by the seed and its name, so that asking for one more
    margin changes no other value. Margins are rounded from their own true sums, not added up from
    rounded cells; only controlled rounding ties parts together: those of one base add up.
    Impossible cells are published as 0 under every scheme: noise in them would betray itself.
    """
    made: Values = dict(given)
    bases = {s.size for part, s in asked.items() if s.kind == "controlled" and part not in given}
    for base in sorted(bases):
        tied = [part for part, scheme in asked.items() if scheme == Scheme("controlled", base)]
        made |= _controlled(grid, counts, base, [p for p in tied if p not in given], seed)
    for part, scheme in asked.items():
        if part not in made:
            values = changed(grid.summed(counts, part), scheme, stream(seed, part))
            empty = impossible if part == TABLE else ()
            made[part] = tuple(0 if i in empty else v for i, v in enumerate(values))
    return {part: made[part] for part in asked}


def _controlled(
    grid: Grid, counts: Counts, base: int, parts: Sequence[str], seed: int | None
) -> Values:
    """Parts that are rounded together, so that they add up: all of them from the finest."""
    finest = max(parts, key=lambda part: len(grid.dims_of(part)))
    dims = set(grid.dims_of(finest))
    if not all(dims.issuperset(grid.dims_of(part)) for part in parts):
        raise SettingsError(
            "Controlled rounding of margins that share no table needs the table itself, or a"
            " margin by all their dimensions, rounded with the same base. Add it, or round with"
            " 'random'."
        )
    fine = Grid(grid.dims_of(finest), _levels_of(grid, finest)) if dims else grid
    within = counts if finest == TABLE else grid.summed(counts, finest)
    coarser = [part for part in parts if part != finest]
    inner = {part: fine.members(fine.part(grid.dims_of(part))) for part in coarser}
    if not dims:
        inner = {}
    rounded = controlled(within, base, stream(seed, finest), [*inner.values()])
    made: Values = {finest: _plain(rounded)}
    for part, cells in inner.items():
        made[part] = _plain(rounded[cells].sum(axis=1))
    return made


def _levels_of(grid: Grid, part: str) -> tuple[tuple[str, ...], ...]:
    kept = grid.dims_of(part)
    return tuple(lv for dim, lv in zip(grid.dims, grid.levels, strict=True) if dim in kept)


def stream(seed: int | None, part: str) -> np.random.Generator:
    """The stream of one part: the same whatever else is published."""
    return np.random.default_rng([seed or 0, *part.encode()])


def changed(counts: Counts, scheme: Scheme, draws: np.random.Generator) -> tuple[Published, ...]:
    """Counts as a scheme publishes them.

    Notes
    -----
    Conventional: to the nearest multiple, a half going up. Random: up with the probability of what
    is left over, (c mod b) / b, so that the mean over draws is the count; multiples stay. Up and
    down: to the next multiple. Noise: a whole number from -D to D is added, each as likely; below 0
    is 0. Cell key: the same, but 0 stays 0 and no other count becomes 0. Suppress: counts from 1 to
    k - 1 are not published.
    """
    if scheme.kind == "interval":
        raise SettingsError("The scheme 'interval' needs its intervals: give them in published.")
    if scheme.kind == "suppress":
        return tuple(None if 0 < c < scheme.size else c for c in counts.tolist())
    return _plain(_perturbed(counts, scheme, draws))


def _perturbed(counts: Counts, scheme: Scheme, draws: np.random.Generator) -> Counts:
    b = D = scheme.size
    if scheme.kind in ("noise", "cellkey"):
        noisy = counts + draws.integers(-D, D, size=len(counts), endpoint=True)
        if scheme.kind == "cellkey":
            noisy = np.where(counts > 0, np.maximum(noisy, 1), 0)
        cut: Counts = np.maximum(noisy, 0)
        return cut
    added: dict[str, int | NDArray[np.int64]] = {"conventional": b // 2, "up": b - 1, "down": 0}
    if scheme.kind == "random":
        goes_up = draws.random(len(counts)) < (counts % b) / b
        added["random"] = goes_up * (b - 1)
    if scheme.kind not in added:
        return counts
    made: Counts = (counts + added[scheme.kind]) // b * b
    return made


def _plain(counts: Counts) -> tuple[Published, ...]:
    return tuple(counts.tolist())
