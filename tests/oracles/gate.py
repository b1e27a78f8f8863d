"""Whose record is it? The counts of the release gate, person by person and pair by pair.

A file is a list of rows, a row a tuple of cells: text, a number, or None for missing, which is a
value of its own. `by` and `x` are places of columns. Shares are exact fractions but for roots.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random

Cell = str | float | None
Row = tuple[Cell, ...]
Point = tuple[float, ...]

MOST_RECORDS = 5
ENOUGH = 20
NEAR = Fraction(2, 1000)


def plain(cell: Cell) -> Hashable:
    """What a reader calls the same: text whatever its case, accents and blanks, 11 digits."""
    if cell is None or isinstance(cell, str):
        text = unicodedata.normalize("NFKD", cell or "").casefold()
        return " ".join("".join(c for c in text if not unicodedata.combining(c)).split()) or None
    return float(f"{cell:.10e}")


def _key(row: Row, by: Sequence[int]) -> tuple[Hashable, ...]:
    return tuple(plain(row[place]) for place in by)


def whole(original: Sequence[Row], synthetic: Sequence[Row]) -> tuple[int, int]:
    """People whose whole record nobody else has, and those of them whose record reappears."""
    every = range(len(original[0]))
    people = [_key(row, every) for row in original]
    unique = [person for person in people if people.count(person) == 1]
    records = [_key(row, every) for row in synthetic]
    return len(unique), sum(person in records for person in unique)


def links(
    original: Sequence[Row], synthetic: Sequence[Row], by: Sequence[int]
) -> list[tuple[int, int, Fraction]]:
    """Person, record and weight: nobody else has her values, and one to five records do.

    Five for each time that there are as many records as people, begun times counted.
    """
    people = [_key(row, by) for row in original]
    most = MOST_RECORDS * max(1, math.ceil(len(synthetic) / len(original)))
    found = []
    for person, key in enumerate(people):
        records = [record for record, row in enumerate(synthetic) if _key(row, by) == key]
        if people.count(key) == 1 and 1 <= len(records) <= most:
            found += [(person, record, Fraction(1, len(records))) for record in records]
    return found


def is_number(rows: Sequence[Row], place: int) -> bool:
    """Whether the column holds numbers."""
    return any(isinstance(row[place], int | float) for row in rows)


def rank(held: Sequence[Cell], value: Cell) -> Fraction:
    """Mid-rank among the numbers of the original, 0 to 1, on straight lines between them."""
    known = [float(one) for one in held if one is not None]
    if value is None or not known:
        return Fraction(-1)
    low = max((one for one in known if one <= value), default=min(known))
    high = min((one for one in known if one >= value), default=max(known))

    def middle(one: float) -> Fraction:
        below, equal = sum(other < one for other in known), known.count(one)
        return Fraction(2 * below + equal, 2 * len(known))

    if low >= high:  # a number of the original, or beyond its ends
        return middle(min(max(float(value), min(known)), max(known)))
    way = (Fraction(value) - Fraction(low)) / (Fraction(high) - Fraction(low))
    return middle(low) + way * (middle(high) - middle(low))


def agree(original: Sequence[Row], x: int, mine: Cell, theirs: Cell) -> bool:
    """Equal; for numbers within 0.2 % of the original's ranks."""
    if plain(mine) == plain(theirs):
        return True
    if mine is None or theirs is None or not is_number(original, x):
        return False
    held = [row[x] for row in original]
    return abs(rank(held, mine) - rank(held, theirs)) <= NEAR


def in_order(
    original: Sequence[Row], synthetic: Sequence[Row], by: Sequence[int], names: Sequence[str]
) -> list[int]:
    """People in the order of `by`: columns of few levels first, the finest last; missing first.

    Levels are those of both files; people with the same values stand as the file has them.
    """

    def levels(place: int) -> int:
        return len({plain(row[place]) for row in [*original, *synthetic]})

    places = sorted(by, key=lambda place: (levels(place), names[place]))

    def key(person: int) -> list[tuple[bool, Hashable]]:
        cells = [plain(original[person][place]) for place in places]
        return [(cell is not None, cell if cell is not None else 0) for cell in cells]

    return sorted(range(len(original)), key=key)  # type: ignore[arg-type]


def twins(original: Sequence[Row], by: Sequence[int]) -> Iterator[tuple[int, int]]:
    """All pairs of different people with equal values on `by`, in cells of two to five."""
    cells: dict[Hashable, list[int]] = {}
    for person, row in enumerate(original):
        cells.setdefault(_key(row, by), []).append(person)
    for cell in cells.values():
        if len(cell) <= MOST_RECORDS:
            yield from combinations(cell, 2)


@dataclass(frozen=True)
class Look:
    """What linked records show of a column; `z` as if there were no twins, and `twin_z`."""

    links: Fraction
    own: Fraction
    neighbour: Fraction
    n_twins: int
    twin: Fraction
    z: float
    twin_z: float

    @property
    def yardstick(self) -> Fraction:
        """What an honest record would show."""
        return max(self.neighbour, self.twin if self.n_twins >= ENOUGH else Fraction(0))

    @property
    def tied(self) -> Fraction:
        """People shown with their own value beyond that."""
        return (self.own - self.yardstick) * self.links


def look(
    original: Sequence[Row],
    synthetic: Sequence[Row],
    by: Sequence[int],
    x: int,
    *,
    names: Sequence[str],
    only: Sequence[int] | None = None,
) -> Look | None:
    """The own value of column `x` over the people linked by `by` (and among `only`)."""
    order = in_order(original, synthetic, by, names)
    total = own = neighbour = squares = Fraction(0)
    for person, record, weight in links(original, synthetic, by):
        if only is not None and person not in only:
            continue
        place = order.index(person)
        beside = [order[k] for k in (place - 1, place + 1) if 0 <= k < len(order)] or [person]
        shows = [agree(original, x, original[one][x], synthetic[record][x]) for one in beside]
        mine = agree(original, x, original[person][x], synthetic[record][x])
        theirs = Fraction(sum(shows), len(shows))
        total, own, neighbour = total + weight, own + weight * mine, neighbour + weight * theirs
        squares += (weight * (mine - theirs)) ** 2
    if not total:
        return None
    pairs = [(original[a][x], original[b][x]) for a, b in twins(original, by)]
    alike = sum(agree(original, x, a, b) for a, b in pairs)
    twin = Fraction(alike, len(pairs) or 1)
    spread = max(twin * (1 - twin), Fraction(1, 100)) * (1 / total + Fraction(1, len(pairs) or 1))
    return Look(
        total,
        own / total,
        neighbour / total,
        len(pairs),
        twin,
        z=float(own - neighbour) / math.sqrt(max(squares, 1e-9)),
        twin_z=float(own / total - twin) / math.sqrt(spread),
    )


def group_tails(
    original: Sequence[Row], synthetic: Sequence[Row], names: Sequence[str]
) -> dict[tuple[int, Hashable], tuple[float, float]]:
    """For each column and level, the least binomial tail of own values, and what is expected.

    Linked by all other columns. Levels of 20 people, 20 of them linked; expected is the larger of
    the yardstick in the level and of the own value in the other levels, and, where the own value
    is above both, at least the share of the commonest value in the level.
    """
    found: dict[tuple[int, Hashable], tuple[float, float]] = {}
    for x, g in permutations(range(len(names)), 2):
        by = [place for place in range(len(names)) if place != x]
        for level in {plain(row[g]) for row in original}:
            inside = [i for i, row in enumerate(original) if plain(row[g]) == level]
            if len(inside) < ENOUGH:
                continue
            outside = [i for i in range(len(original)) if i not in inside]
            here = look(original, synthetic, by, x, names=names, only=inside)
            rest = look(original, synthetic, by, x, names=names, only=outside)
            if here is None or here.links < ENOUGH:
                continue
            others = rest.own if rest is not None and rest.links >= ENOUGH else Fraction(0)
            expected = max(here.yardstick, others)
            if here.own > expected:
                ((_, n_most),) = Counter(plain(original[i][x]) for i in inside).most_common(1)
                expected = max(expected, Fraction(n_most, len(inside)))
            expected = min(0.999, float(expected))
            n, k = round(here.links), round(here.own * here.links)
            tail = sum(
                math.comb(n, i) * expected**i * (1 - expected) ** (n - i) for i in range(k, n + 1)
            )
            found[g, level] = min(found.get((g, level), (2.0, 0.0)), (tail, expected))
    return found


def near_share(people: Sequence[Point], records: Sequence[Point], ratio: float) -> Fraction:
    """People with a record nearer than `ratio` times the way to the nearest other person."""
    n_near = 0
    for place, person in enumerate(people):
        others = [*people[:place], *people[place + 1 :]]
        to_person = min(math.dist(person, one) for one in others)
        n_near += min(math.dist(person, one) for one in records) < ratio * to_person
    return Fraction(n_near, len(people))


def back_in_halves(values: Sequence[Hashable]) -> Fraction:
    """Of values that one person of a random half has, the share that the other half has too.

    Every way of splitting the people, each of whom goes to either half with the same chance.
    """
    n_held = n_back = 0
    for sides in product((0, 1), repeat=len(values)):
        halves = [Counter(v for v, s in zip(values, sides, strict=True) if s == h) for h in (0, 1)]
        held = [value for value, count in halves[0].items() if count == 1]
        n_held, n_back = n_held + len(held), n_back + sum(halves[1][value] > 0 for value in held)
    return Fraction(n_back, n_held)


def by_value(
    original: Sequence[Row], synthetic: Sequence[Row], keys: Sequence[int], target: int
) -> dict[Cell, list[int]]:
    """For each value: people who have it, shown it correctly, wrongly, and shown another."""
    found: dict[Cell, list[int]] = {row[target]: [0, 0, 0, 0] for row in [*original, *synthetic]}
    for person in original:
        mine = person[target]
        found[mine][0] += 1
        shown = {r[target] for r in synthetic if [r[k] for k in keys] == [person[k] for k in keys]}
        if shown == {mine}:
            found[mine][1] += 1
        elif len(shown) == 1:
            found[shown.pop()][2] += 1
            found[mine][3] += 1
    return found


def invent(seed: int, n_people: int = 60) -> tuple[list[str], list[Row], list[Row]]:
    """Two to five columns of text and numbers with ties and missing cells, partly copied."""
    rng = Random(seed)
    kinds = [(rng.choice("tn"), rng.choice((2, 4, 9, 30, 90))) for _ in range(rng.randint(2, 5))]

    def cell(kind: str, n_levels: int) -> Cell:
        level = int(n_levels * rng.random() ** rng.choice((1, 2)))
        if rng.random() < 0.08:
            return None
        text = f"{chr(97 + level % 26)} {level:b}"
        return level * 1.5 if kind == "n" else text if rng.random() < 0.5 else text.upper()

    original = [tuple(cell(*kind) for kind in kinds) for _ in range(n_people)]
    synthetic = []
    for _ in range(rng.randint(1, n_people)):
        row, kept = rng.choice(original), rng.choice((0.3, 0.8, 1))
        synthetic.append(
            tuple(
                own if rng.random() < kept else cell(*kind)
                for own, kind in zip(row, kinds, strict=True)
            )
        )
    return [f"c{rng.randint(10, 99)}_{place}" for place in range(len(kinds))], original, synthetic
