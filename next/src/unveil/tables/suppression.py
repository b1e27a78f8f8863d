"""Which further values must be hidden, so that nobody works out those that must be?

For each figure that is not protected yet: the cheapest change of the true figures that keeps every
sum and moves it as far as it must be able to move; what moves is hidden. Then each further value is
shown again, dearest first, where all stay protected. `tighten` proves what is protected; the
choice is good, not proven cheapest. No clock and no chance: the same figures, the same pattern.

The same engine serves counts and amounts: what must be protected, and how far, are `Needs`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from unveil.arguments import as_names
from unveil.counts.cells import Floats, Ints
from unveil.errors import InputError
from unveil.results import Note
from unveil.tables.network import Network
from unveil.tables.published import Part, PublishedTable
from unveil.tables.ranges import Ranges, tighten
from unveil.tables.system import Fact, System, Truths, system_of

TIDIED = 200  # further values that are tried to be shown again


@dataclass(frozen=True, eq=False)
class Needs:
    """Figures that must not be worked out: readers are left at least low to high, or one end."""

    figures: Ints
    low: Floats
    high: Floats
    is_either: bool = False

    def met(self, ranges: Ranges) -> Truths:
        slack = 1e-6 * (1 + np.abs(ranges.lower))
        low, high = ranges.lower <= self.low + slack, ranges.upper >= self.high - slack
        return low | high if self.is_either else low & high


class Suppression:
    """A system whose figures are published as they are, or hidden and known to be in a range."""

    def __init__(
        self, system: System, lower: Floats, upper: Floats, needs: Needs, cost: Floats,
        may_hide: Truths,
    ) -> None:  # fmt: skip
        assert system.truth is not None
        self.system, self.truth, self.lower, self.upper = system, system.truth, lower, upper
        self.needs, self.cost, self.may_hide = needs, cost, may_hide

    def shown(self, hidden: Truths) -> System:
        """What readers know while these are hidden."""
        lower = np.where(hidden, self.lower, self.system.lower)
        upper = np.where(hidden, self.upper, self.system.upper)
        return self.system.within(lower, upper)

    def is_met(self, hidden: Truths) -> Truths:
        """Which needs are met, by all that readers know."""
        low, high = self.needs.low, self.needs.high
        if self.needs.is_either:
            low, high = np.full_like(low, -np.inf), np.full_like(high, np.inf)
        return self.needs.met(
            tighten(self.shown(hidden), self.needs.figures, need_low=low, need_high=high)
        )

    def faults(self, hidden: Truths) -> Iterator[set[Any]]:
        """What is not protected, by kinds, those first that are found soonest."""
        yield set(np.flatnonzero(~self.is_met(hidden)).tolist())

    def further(self, hidden: Truths) -> Truths:
        """What must be hidden for another reason."""
        return np.zeros_like(hidden)

    def pattern(self, start: Truths) -> Truths:
        """What is hidden in the end."""
        needed = self._show_again(self._hide_around(start), start, kinds=1)
        hidden = needed
        while (more := self.further(hidden) & ~hidden).any():
            hidden = self._hide_around(hidden | more)
        return self._show_again(hidden, needed)

    def _show_again(self, hidden: Truths, start: Truths, kinds: int | None = None) -> Truths:
        """Without what is hidden and makes no difference to these faults, the dearest first."""
        extra = np.flatnonzero(hidden & ~start).tolist()
        faults = [*islice(self.faults(hidden), kinds)] if extra else []
        for figure in sorted(extra, key=lambda f: (-self.cost[f], f))[:TIDIED]:
            trial = hidden.copy()
            trial[figure] = False
            if all(own <= before for before, own in zip(faults, self.faults(trial), strict=False)):
                hidden = trial
        return hidden

    def _hide_around(self, start: Truths) -> Truths:
        """With what the needs ask for."""
        hidden, before = start.copy(), -1
        while hidden.sum() > before:
            before = hidden.sum()
            for place in np.flatnonzero(~self.is_met(hidden)):
                hidden = self._hide_for(int(place), hidden)
        return hidden

    def _hide_for(self, place: int, hidden: Truths) -> Truths:
        figure, needs = int(self.needs.figures[place]), self.needs
        steps = (needs.high[place] - self.truth[figure], needs.low[place] - self.truth[figure])
        moves = [self.move(figure, s, hidden) for s in steps if s and np.isfinite(s)]
        found = [move for move in moves if move is not None]
        if needs.is_either:
            found = sorted(found, key=lambda move: float(self.cost[move & ~hidden].sum()))[:1]
        return np.asarray(np.logical_or.reduce([hidden, *found]))

    def move(self, figure: int, step: float, hidden: Truths) -> Truths | None:
        """What moves in the cheapest change in which this one moves by the step."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import hstack

        is_open = hidden | self.system.is_open
        is_free = is_open | self.may_hide
        index = np.flatnonzero(is_free)
        own = (hidden | self.may_hide)[index]
        low = np.where(own, self.lower[index], self.system.lower[index]) - self.truth[index]
        high = np.where(own, self.upper[index], self.system.upper[index]) - self.truth[index]
        top, bottom = np.maximum(high, 0), np.maximum(-low, 0)
        place = int(np.searchsorted(index, figure))
        if index[place] != figure or step > top[place] + 1e-9 or -step > bottom[place] + 1e-9:
            return None
        # The cost is of hiding, so a unit of movement costs less where more can move.
        room = np.minimum(np.maximum(np.maximum(top, bottom), 1e-9), abs(step))
        price = np.where(is_open[index], 1e-6, 1.0) * self.cost[index] / room
        cost = price / max(price.max(initial=0), 1e-300) + 1e-9 * np.arange(len(index)) / len(index)
        equations = self.system.matrix[:, index]
        equations = equations[np.diff(equations.indptr) > 0]
        least, most = np.zeros(2 * len(index)), np.concatenate([top, bottom])
        least[place if step > 0 else place + len(index)] = abs(step)
        most[place + len(index) if step > 0 else place] = 0
        result = milp(
            np.tile(cost, 2), bounds=Bounds(np.minimum(least, most), most),
            constraints=LinearConstraint(hstack([equations, -equations]).tocsr(), 0, 0)
            if equations.shape[0] else (),
            integrality=np.full(2 * len(index), int(self.system.is_whole)),
        )  # fmt: skip
        if result.x is None:
            return None
        moved = np.zeros(self.system.size, bool)
        change = result.x[: len(index)] - result.x[len(index) :]
        moved[index] = np.abs(change) > 1e-6 * max(1.0, abs(step))
        return moved & self.may_hide


def suppress_small(
    system: System,
    known: tuple[Floats, Floats],
    below: int,
    secret: Truths,
    may_hide: Truths,
    pieces: Truths | None = None,
) -> tuple[Truths, Truths]:
    """Hide secret counts, and others until none of them or of the pieces is worked out.

    Readers know the rule: a small count is from 1 to k-1, one that protects others k or more.
    `known` are bounds that rounded values leave in any case; pieces are counts that no table
    shows. Gives what is hidden, and which needs are met.
    """
    truth = system.truth
    assert truth is not None
    is_small = secret & (truth < below)
    figures = np.flatnonzero(secret if pieces is None else secret | pieces)
    least = 0.0 if (truth[is_small] == 0).any() else 1.0
    lower = np.maximum(np.where(is_small, least, below), known[0])
    upper = np.minimum(np.where(is_small, below - 1.0, np.inf), known[1])
    own = truth[figures]
    needs = Needs(
        figures, np.where(own > lower[figures], own - 1, -np.inf),
        np.where(own < upper[figures], own + 1, np.inf), is_either=True,
    )  # fmt: skip
    free = may_hide & (truth >= below) & ~system.is_open
    engine = Suppression(system, lower, upper, needs, np.maximum(truth, 1), free | secret)
    hidden = engine.pattern(secret)
    return hidden, engine.is_met(hidden)


def suppress_table(
    table: PublishedTable, below: int, keep: Sequence[str], hide: Sequence[str]
) -> PublishedTable:
    """A table with small and secret counts hidden, and what protects them."""
    check_below(below)
    if table.counts is None:
        raise InputError("The true counts of the table are not known, and nothing can be hidden.")
    parts = [p for p, values in table.parts.items() if values.scheme.may_be_hidden]
    if not parts:
        raise InputError("No part of the table is published as it is ('publish').")
    groups = {part: [tuple(c.tolist()) for c in table.groups(part)] for part in parts}
    exact = [
        (cells, *2 * (float(table.counts[[*cells]].sum()),))
        for part in parts
        for cells in groups[part]
    ]
    system = system_of(table.size, [*_others(table, parts), *exact], table.counts)
    assert system.truth is not None
    figures = {part: np.array([system.figure_of[c] for c in groups[part]]) for part in parts}
    is_shown = np.zeros(system.size, bool)
    is_shown[np.concatenate([*figures.values()])] = True
    kept, secret = (
        _named(table, texts, setting, figures, system.size)
        for texts, setting in ((keep, "keep"), (hide, "hide"))
    )
    refuse_both(kept, secret)
    impossible = np.append(table.impossible, np.zeros(system.size - table.size, bool))
    small = is_shown & (system.truth > 0) & (system.truth < below)
    secret = (secret | small) & ~kept & ~impossible
    around = system_of(
        table.size, [*_others(table, parts), *((c, 0.0, np.inf) for c, _, _ in exact)]
    )
    may_hide, known = is_shown & ~kept & ~impossible, (around.lower, around.upper)
    hidden, is_met = suppress_small(system, known, below, secret, may_hide)
    published = {
        part: _values(table, part, hidden[figures[part]] if part in figures
                                       else None)
        for part in table.parts
    }  # fmt: skip
    schemes = {
        part: f"suppress:{below}" if part in parts else str(values.scheme)
        for part, values in table.parts.items()
    }
    suppressed = table.republish(schemes, published=published)
    further = int((hidden & ~secret).sum())
    note = (
        f"{int(secret.sum()):,} values were hidden because they are small or secret, and"
        f" {further:,} more to protect them."
    )
    if not is_met.all():
        note += f" {int((~is_met).sum()):,} can be worked out still: publish fewer sums."
    suppressed.notes = (*table.notes, Note(about="suppressed", sentence=note))
    return suppressed


def _others(table: PublishedTable, parts: Sequence[Part]) -> Iterator[Fact]:
    """What is known of parts that are not published as they are."""
    for cell in np.flatnonzero(table.impossible).tolist():
        yield (cell,), 0.0, 0.0
    for part, values in table.parts.items():
        if part not in parts:
            yield from zip(
                table.groups(part), values.lower.tolist(), values.upper.tolist(), strict=True
            )


def _named(
    table: PublishedTable, texts: Sequence[str], setting: str, figures: dict[Part, Ints], size: int
) -> Truths:
    """The figures that texts name by their levels; of some dimensions a sum, and the total."""
    named = np.zeros(size, bool)
    for text in as_names(texts):
        part, place = place_of(table, text, setting)
        if part not in figures:
            raise InputError(f"{text!r} ({setting}) is not published as it is. Name what is.")
        named[figures[part][place]] = True
    return named


def refuse_both(kept: Truths, secret: Truths) -> None:
    if (kept & secret).any():
        raise InputError("A value is to stay ('keep') and to be hidden ('hide'). Choose one.")


def place_of(table: PublishedTable, text: str, setting: str) -> tuple[Part, int]:
    """The part of a table, and the place in it, that levels name; all of it is the total."""
    levels = {} if text == "total" else table.parse_levels(text, setting)[1]
    part = tuple(dim for dim in table.dims if dim in levels)
    return part, table.levels_of(part).index(tuple(levels[dim] for dim in part))


def _values(table: PublishedTable, part: Part, hidden: Truths | None) -> list[object]:
    """The values of a part as they were, or as counted with some hidden."""
    values, counts = table.parts[part], table.margin(part)
    if hidden is not None and counts is not None:
        pairs = zip(counts.tolist(), hidden.tolist(), strict=True)
        return [None if is_hidden else value for value, is_hidden in pairs]
    return [
        (low, None if np.isinf(high) else high) if is_pair else None if np.isnan(value) else value
        for value, low, high, is_pair in zip(
            values.shown, values.lower, values.upper, values.is_pair, strict=True
        )
    ]


def protect_network(network: Network, below: int) -> dict[str, PublishedTable]:
    """The tables of a plan with values hidden until no small count of theirs is worked out."""
    truth = network.system.truth
    if truth is None:
        raise InputError("The records behind the tables are not known. Name them in a plan file.")
    check_below(below)
    may_hide = network.is_exact | network.is_hidden
    lower = np.where(may_hide, truth, network.system.lower)
    upper = np.where(may_hide, truth, network.system.upper)
    is_small = (truth > 0) & (truth < below)
    hidden, is_met = suppress_small(
        network.system.within(lower, upper), (network.lower, network.upper), below,
        (may_hide & is_small) | network.is_hidden, may_hide, ~network.is_published & is_small,
    )  # fmt: skip
    note = ""
    if not is_met.all():
        note = f"{int((~is_met).sum()):,} small counts are told by the plan still: publish less."
    tables = {}
    for number, planned in enumerate(network.tables):
        table, published, schemes = planned.table, dict[Part, Any](), dict[Part, str]()
        for part, values in table.parts.items():
            is_open = values.scheme.may_be_hidden
            own = hidden[network.figures_of(number, part)] if is_open else None
            published[part] = _values(table, part, own)
            schemes[part] = f"suppress:{below}" if is_open else str(values.scheme)
        tables[planned.name] = table.republish(schemes, published=published)
        if note:
            tables[planned.name].notes += (Note(about="suppressed", sentence=note),)
    return tables


def check_below(below: int) -> None:
    if isinstance(below, bool) or not isinstance(below, int) or below < 3:
        raise InputError("'below' takes a whole number from 3 on: below 2 tells that a count is 1.")
