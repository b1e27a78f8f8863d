"""What linking some columns discloses of another, found by search, for intruders nobody assumed.

A set tells the value of a person if the records with their values of the set show that value alone.
Expected is what excuses most of three: what is told suits the neighbours of people in the order of
these columns; pairs of people equal in them agree; people tell it of each other.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from unveil.arguments import quote_name
from unveil.counts.cells import Ints, number
from unveil.counts.key_sets import single_level
from unveil.gate.columns import Compared, codes_of
from unveil.gate.records import Z, claims_beside_control
from unveil.gate.rows import ALL_LINKS, NotTestedRow
from unveil.progress import steps
from unveil.results import PeopleFigure
from unveil.results.words import percent
from unveil.study import ORIGINAL, Study

SEARCHED = 2.5  # margins that a search of thousands of sets takes for certain
FEWEST_PAIRS = 20  # pairs of equal people from which one can tell what they share
WORK = 4e8  # people times figures that are looked at in one search
MOST_ROWS = 50_000  # people, and records, of a search; of more, as many are drawn
PLAIN = 0.05  # of people: what a copy shows beyond this needs no further search
CODES = 2**62


class Link(NamedTuple):
    """What one set of columns tells of a target."""

    target: int
    by: tuple[int, ...]
    people: int
    expected: float
    margin: float

    @property
    def certain(self) -> float:
        return self.people - self.expected - SEARCHED * self.margin


class Found(NamedTuple):
    """The set that tells most of each target beyond expected, and how many were asked."""

    links: dict[int, Link]
    asked: int


class Links:
    """People, records, and perhaps a control sample, column by column."""

    def __init__(
        self, people: Sequence[Ints], records: Sequence[Ints], control: Sequence[Ints] | None = None
    ) -> None:
        self.files = [in_order(file) for file in (people, records, control) if file is not None]
        self.n, self.m = len(people[0]), len(records[0])
        self.codes = [np.concatenate(parts) for parts in zip(*self.files, strict=True)]
        self.levels = [int(codes.max(initial=0)) + 1 for codes in self.codes]
        n_some = min(self.m + 1, self.n)  # as many people as there are records and one
        self.some = np.sort(np.random.default_rng(11).permutation(self.n)[:n_some])

    def search(self, *, enough: float = np.inf) -> Found:
        """All pairs, then triples of the best pairs, as far as the work allows.

        Triples are left where every target has more than enough beyond expected.
        """
        best: dict[int, Link] = {}
        promise: dict[tuple[int, ...], float] = {}
        asked, columns = 0, range(len(self.codes))

        def look(sets: Iterable[tuple[int, ...]]) -> None:
            nonlocal asked
            for by in sets:
                if asked * self.n >= WORK:
                    return
                for link in self.by(by):
                    asked += 1
                    promise[by] = max(promise.get(by, -np.inf), link.certain)
                    if link.target not in best or link.certain > best[link.target].certain:
                        best[link.target] = link

        def worth(by: tuple[int, ...]) -> float:
            return max(promise.get(pair, -np.inf) for pair in combinations(by, 2))

        look(steps("links", list(combinations(columns, 2))))
        if any(link.people - link.expected <= enough for link in best.values()):
            look(sorted(combinations(columns, 3), key=worth, reverse=True))
        return Found(best, asked)

    def by(self, columns: tuple[int, ...]) -> Iterator[Link]:
        """One link to each other column."""
        packed, space = np.zeros(len(self.codes[0]), np.int64), 1
        for column in sorted(columns, key=lambda column: self.levels[column]):
            if space * self.levels[column] > CODES:
                packed, space = number(packed, space)
            packed = packed * self.levels[column] + self.codes[column]
            space *= self.levels[column]
        cell, n_cells = number(packed, space)
        people, records = cell[: self.n], cell[self.n : self.n + self.m]
        before, after = _neighbours(people)
        twins = np.flatnonzero(people == people[after])
        others = np.bincount(people[self.some], minlength=n_cells)[people] > 1
        drawn = np.zeros(self.n)
        drawn[self.some] = self.n / len(self.some)
        for target in range(len(self.codes)):
            if target in columns:
                continue
            values = self.codes[target]
            own = values[: self.n]
            told = single_level(records, values[self.n : self.n + self.m], n_cells)
            said = told[people]
            right = said == own
            heard = told[cell[self.n + self.m :]]
            if (heard >= 0).sum() >= FEWEST_PAIRS:  # people of a control sample who are told so
                is_right = heard == values[self.n + self.m :]
                expected, variance = claims_beside_control(right, said >= 0, is_right, heard >= 0)
                yield Link(target, columns, int(right.sum()), expected, Z * variance**0.5)
                continue
            agree = 0.0
            if len(twins) >= FEWEST_PAIRS:
                agree = float((own[twins] == own[after[twins]]).mean())
            among = single_level(people[self.some], own[self.some], n_cells)[people]
            yardsticks = [
                _beside(people, right, chance, n_cells)
                for chance in (
                    (said == own[before]) / 2 + (said == own[after]) / 2,
                    (said >= 0) * agree,
                    drawn * others * (among == own),
                )
            ]
            expected, margin = max(yardsticks, key=lambda pair: pair[0] + SEARCHED * pair[1])
            yield Link(target, columns, int(right.sum()), expected, margin)


def measure_links(study: Study, columns: Sequence[Compared]) -> Iterator[PeopleFigure]:
    """For each file and target the set that tells most; of people with several rows one of each."""
    if len(columns) < 3:
        return
    person, n_people = study.people()
    everyone = one_of_each(codes_of(columns, ORIGINAL), person)
    drawn = (draw(n_people, MOST_ROWS, seed) for seed in (12, 13))
    people, copy = ([codes[rows] for codes in everyone] for rows in drawn)
    control = None
    if study.has_control:
        number = study.control_number
        control = one_of_each(codes_of(columns, number), study.people(number)[0])
    copied = Links(people, copy).search(enough=PLAIN * len(people[0])).links
    sides, scale = list(study.sides()), n_people / len(people[0])
    for side in sides:
        files = [codes_of(columns, number) for number in side.files]
        whole = [np.concatenate(parts) for parts in zip(*files, strict=True)]
        records = one_of_each(whole, study.owners(side))
        rows = draw(len(records[0]), _most_records(n_people), 13)
        found = Links(people, [codes[rows] for codes in records], control).search()
        links = sorted(found.links.values(), key=lambda link: -link.certain)
        for link in links:
            by = ", ".join(quote_name(columns[c].name) for c in link.by)
            reach = copied[link.target].people - copied[link.target].expected
            yield PeopleFigure(
                version=side.version, copy=side.copy, kind="links", what=columns[link.target].name,
                by=by, people=round(scale * link.people),
                of=n_people, expected=scale * link.expected,
                beyond=scale * (link.people - link.expected), margin=scale * link.margin,
                reach=scale * reach, symbol="DiSCO", searched=found.asked * len(sides),
            )  # fmt: skip


def _most_records(n_people: int) -> int:
    """As many as there are other people, or as are drawn."""
    return max(n_people - 1, 1) if n_people <= MOST_ROWS else MOST_ROWS


def links_drawn(study: Study) -> Iterator[NotTestedRow]:
    """Of how many people and records links are asked, if not of all."""
    _, n_people = study.people()
    sizes = [study.people(at)[1] for at, f in enumerate(study.files) if f.role == "synthetic"]
    n, m = min(n_people, MOST_ROWS), max(sizes)
    n_records = min(m, _most_records(n_people))
    if study.has_people:
        sentence = "Links are asked of one record of each person; the others may tell more."
        yield NotTestedRow(what=ALL_LINKS, sentence=sentence)
    if n < n_people or n_records < m - 1:
        sentence = (
            f"Links are asked of {n:,} of {n_people:,} {study.unit} and {n_records:,} of {m:,}"
            " records, drawn at random; a copied record tells only if it is among them"
            f" ({percent(100 * n_records / m)})."
        )
        yield NotTestedRow(what=ALL_LINKS, sentence=sentence)


def one_of_each(file: Sequence[Ints], person: Ints) -> list[Ints]:
    """The first record of each person in the order of values, which is the same of a copy."""
    order = np.lexsort(tuple(file))
    first = np.sort(np.unique(person[order], return_index=True)[1])
    return [codes[order[first]] for codes in file]


def in_order(file: Sequence[Ints]) -> list[Ints]:
    """Records in the order of their values: in which they came changes nothing."""
    order = np.lexsort(tuple(file))
    return [codes[order] for codes in file]


def _neighbours(cells: Ints) -> tuple[Ints, Ints]:
    """The people before and after each in the order of their cells; the ends have one twice."""
    order, n = np.argsort(cells, kind="stable"), len(cells)
    before, after = np.empty(n, np.int64), np.empty(n, np.int64)
    before[order] = order[np.r_[min(1, n - 1), : n - 1]]
    after[order] = order[np.r_[1:n, max(n - 2, 0)]]
    return before, after


def _beside(cells: Ints, right: Ints, chance: Ints, n_cells: int) -> tuple[float, float]:
    """What is expected, and its margin: people of a cell are told the same."""
    gap = np.bincount(cells, right - chance, minlength=n_cells)
    return float(chance.sum()), Z * float(np.sqrt((gap**2).sum()))


def draw(n: int, most: int, seed: int) -> Ints:
    """So many of n at most, in their order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, most, replace=False))
