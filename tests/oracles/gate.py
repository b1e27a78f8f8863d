"""Whose record is it? The counts of the release gate, person by person and pair by pair.

A file is a list of rows, a row a tuple of cells: text, a number, or None for missing, which is a
value of its own. `files` are the original and a synthetic one; `by` and `x` are places of columns.
Shares are exact fractions but for roots.
"""

import math
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from fractions import Fraction
from itertools import combinations, permutations, product
from random import Random
from typing import NamedTuple

Cell = str | float | None
Row = tuple[Cell, ...]
Files = tuple[list[Row], list[Row]]
MOST = 5  # records of a person, people of a cell of twins
ENOUGH = 20  # pairs of twins, people of a group; half as many of them linked


def plain(cell: Cell) -> Hashable:
    """What a reader calls the same: text whatever its case, accents and blanks, 11 digits."""
    if cell is None or isinstance(cell, str):
        text = unicodedata.normalize("NFKD", cell or "").casefold()
        return " ".join("".join(c for c in text if not unicodedata.combining(c)).split()) or None
    return float(f"{cell:.10e}")


def _key(row: Row, by: Sequence[int]) -> tuple[Hashable, ...]:
    return tuple(plain(row[place]) for place in by)


def whole(original: list[Row], synthetic: list[Row]) -> tuple[int, int]:
    """People whose whole record nobody else has, and those of them whose record reappears."""
    people, records = ([_key(row, range(len(row))) for row in one] for one in (original, synthetic))
    unique = [person for person in people if people.count(person) == 1]
    return len(unique), sum(person in records for person in unique)


def links(files: Files, by: Sequence[int]) -> list[tuple[int, int, Fraction]]:
    """Person, record and weight: nobody else has her values, and one to five records do.

    Five for each time that there are as many records as people, begun times counted.
    """
    people, records = ([_key(row, by) for row in file] for file in files)
    most, found = MOST * math.ceil(len(records) / len(people)), []
    for person, key in enumerate(people):
        same = [record for record, other in enumerate(records) if other == key]
        if people.count(key) == 1 and 1 <= len(same) <= most:
            found += [(person, record, Fraction(1, len(same))) for record in same]
    return found


def rank(held: Sequence[Cell], value: Cell) -> Fraction:
    """Mid-rank among the numbers of the original, 0 to 1, on straight lines between them."""
    known = [float(one) for one in held if one is not None]
    if value is None or not known:
        return Fraction(-1)
    value = min(max(float(value), min(known)), max(known))  # beyond its ends: the end
    low, high = max(k for k in known if k <= value), min(k for k in known if k >= value)
    below, above = (
        Fraction(2 * sum(k < one for k in known) + known.count(one), 2 * len(known))
        for one in (low, high)
    )
    way = Fraction(value) - Fraction(low)
    return below + (above - below) * way / (Fraction(high) - Fraction(low) or 1)


def agree(original: list[Row], x: int, mine: Cell, theirs: Cell) -> bool:
    """Equal; for numbers within 0.2 % of the original's ranks."""
    if plain(mine) == plain(theirs) or isinstance(mine, str) or None in {mine, theirs}:
        return plain(mine) == plain(theirs)
    held = [row[x] for row in original]
    return abs(rank(held, mine) - rank(held, theirs)) <= Fraction(2, 1000)


def in_order(files: Files, by: Sequence[int], names: Sequence[str]) -> list[int]:
    """People in the order of `by`: columns of few levels first, the finest last; missing first.

    Levels are those of the original; people with the same values stand as the file has them.
    """
    levels = {place: len({plain(row[place]) for row in files[0]}) for place in by}
    places = sorted(by, key=lambda place: (levels[place], names[place]))

    def key(person: int) -> list[tuple[bool, Hashable]]:
        return [(cell is not None, cell or 0) for cell in _key(files[0][person], places)]

    return sorted(range(len(files[0])), key=key)  # type: ignore[arg-type]


def twins(original: list[Row], by: Sequence[int]) -> list[tuple[int, int]]:
    """All pairs of different people with equal values on `by`, in cells of two to five."""
    cells: dict[Hashable, list[int]] = {}
    for person, row in enumerate(original):
        cells.setdefault(_key(row, by), []).append(person)
    return [pair for cell in cells.values() if len(cell) <= MOST for pair in combinations(cell, 2)]


class Look(NamedTuple):
    """What linked records show of a column; `z` as if there were no twins, and `twin_z`."""

    links: Fraction
    own: Fraction
    neighbour: Fraction
    n_twins: int
    twin: Fraction
    yardstick: Fraction
    tied: Fraction
    z: float
    twin_z: float


def look(
    files: Files, by: Sequence[int], x: int, names: Sequence[str], only: Sequence[int] | None = None
) -> Look | None:
    """The own value of column `x` over the people linked by `by` (and among `only`)."""
    original, synthetic = files
    order = in_order(files, by, names)
    total = own = neighbour = squares = Fraction(0)
    for person, record, weight in links(files, by):
        if only is not None and person not in only:
            continue
        place, shown = order.index(person), synthetic[record][x]
        beside = [order[k] for k in (place - 1, place + 1) if 0 <= k < len(order)] or [person]
        mine = agree(original, x, original[person][x], shown)
        others = [agree(original, x, original[one][x], shown) for one in beside]
        theirs = Fraction(sum(others), len(others))
        total, own, neighbour = total + weight, own + weight * mine, neighbour + weight * theirs
        squares += (weight * (mine - theirs)) ** 2
    if not total:
        return None
    pairs = twins(original, by)
    n, alike = len(pairs), sum(agree(original, x, original[a][x], original[b][x]) for a, b in pairs)
    twin = Fraction(alike, n or 1)
    spread = max(twin * (1 - twin), Fraction(1, 100)) * (1 / total + Fraction(1, n or 1))
    yardstick = max(neighbour / total, twin if n >= ENOUGH else 0)
    z = float(own - neighbour) / math.sqrt(max(squares, 1e-9))
    own, neighbour, tied = own / total, neighbour / total, own - yardstick * total
    twin_z = float(own - twin) / math.sqrt(spread)
    return Look(total, own, neighbour, n, twin, yardstick, tied, z, twin_z)


def group_tails(files: Files, names: Sequence[str]) -> dict[tuple[int, Hashable], tuple]:
    """For each column and level, the least binomial tail of own values, and what is expected.

    Linked by all other columns.
    """
    found: dict[tuple[int, Hashable], tuple] = {}
    for x, g in permutations(range(len(names)), 2):
        by = [place for place in range(len(names)) if place != x]
        for level in {plain(row[g]) for row in files[0]}:
            inside = [i for i, row in enumerate(files[0]) if plain(row[g]) == level]
            here = group_tail(files, by, x, names, inside)
            if here is not None:
                found[g, level] = min(found.get((g, level), (2.0, 0.0)), here)
    return found


def group_tail(
    files: Files, by: Sequence[int], x: int, names: Sequence[str], inside: Sequence[int]
) -> tuple[float, float] | None:
    """The binomial tail of own values in a group of 20 people, 10 of them linked.

    Expected is the larger of the yardstick in the group and of the own value outside of it, and,
    where the own value is above both, at least the share of the commonest value in the group.
    """
    here = look(files, by, x, names, inside) if len(inside) >= ENOUGH else None
    if here is None or here.links < ENOUGH / 2:
        return None
    rest = look(files, by, x, names, [i for i in range(len(files[0])) if i not in set(inside)])
    expected = max(here.yardstick, rest.own if rest and rest.links >= ENOUGH else 0)
    if here.own > expected:
        commonest = Counter(plain(files[0][i][x]) for i in inside).most_common(1)[0][1]
        expected = max(expected, Fraction(commonest, len(inside)))
    p, n = min(0.999, float(expected)), round(here.links)
    least = round(here.own * here.links)
    return sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(least, n + 1)), p


def near_share(people: list[tuple], records: list[tuple], ratio: float) -> float:
    """People with a record nearer than `ratio` times the way to the nearest other person."""
    n_near = 0
    for place, person in enumerate(people):
        others = [*people[:place], *people[place + 1 :]]
        nearest = [min(math.dist(person, one) for one in some) for some in (records, others)]
        n_near += nearest[0] < ratio * nearest[1]
    return n_near / len(people)


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


def by_value(files: Files, keys: Sequence[int], target: int) -> dict[Cell, list[int]]:
    """For each value: people who have it, shown it correctly, wrongly, and shown another."""
    found: dict[Cell, list[int]] = {row[target]: [0, 0, 0, 0] for file in files for row in file}
    for person in files[0]:
        mine, wanted = person[target], [person[k] for k in keys]
        found[mine][0] += 1
        shown = {row[target] for row in files[1] if [row[k] for k in keys] == wanted}
        if shown == {mine}:
            found[mine][1] += 1
        elif len(shown) == 1:
            found[shown.pop()][2] += 1
            found[mine][3] += 1
    return found


def invent(seed: int) -> tuple[list[str], list[Row], list[Row]]:
    """Two to five columns of text and numbers with ties and missing cells, partly copied."""
    rng = Random(seed)
    kinds = [(rng.choice("tn"), rng.choice((2, 4, 9, 30, 90))) for _ in range(rng.randint(2, 5))]

    def cell(kind: str, n_levels: int) -> Cell:
        level = int(n_levels * rng.random() ** rng.choice((1, 2)))
        text = f"{chr(97 + level % 26)} {level:b}"
        values = (level * 1.5,) if kind == "n" else (text, text.upper())
        return None if rng.random() < 0.08 else rng.choice(values)

    original = [tuple(cell(*kind) for kind in kinds) for _ in range(60)]
    synthetic = []
    for row in rng.choices(original, k=rng.randint(1, 60)):
        kept, cells = rng.choice((0.3, 0.8, 1)), zip(row, kinds, strict=True)
        synthetic.append(tuple(own if rng.random() < kept else cell(*kind) for own, kind in cells))
    return [f"c{rng.randint(10, 99)}_{place}" for place in range(len(kinds))], original, synthetic


def tells(people: Sequence[Row], names: Sequence[str], text: str) -> bool:
    """Whether a text beside the table is a record: values of three columns of one person alone.

    Values are of single plain words. Each word that someone has as a value is a part. The person
    with most parts, in as many columns, must be one alone. Their parts are a record where fewer
    than 1/1000 people would meet so many of the parts by chance; or where they are four words of
    five, names of columns aside, and two are words of one column only (or they are four columns and
    four of five in all); or half of the words, with three such or fewer than 1/100 people.
    """
    words = text.split()
    n_columns, n_people = len(people[0]), len(people)
    holders = {
        word: [{c for c in range(n_columns) if str(row[c]) == word} for row in people]
        for word in words
    }
    parts = [word for word in holders if any(holders[word])]
    met = []
    for person in range(n_people):
        columns = [holders[part][person] for part in parts]
        met.append(min(sum(map(bool, columns)), len(set().union(*columns))))
    most = max(met, default=0)
    if most < 3 or met.count(most) > 1 or len(parts) < 3:
        return False
    person = met.index(most)
    own = [p for p in parts if holders[p][person]]
    columns_of = {p: {c for row in holders[p] for c in row} for p in own}
    by_chance = Fraction(n_people * math.comb(len(parts), len(own)))
    for part in own:
        by_column = [sum(c in row for row in holders[part]) for c in columns_of[part]]
        by_chance *= min(Fraction(1), Fraction(sum(by_column), n_people))
    others = sum(word not in names for word in words)
    covered = Fraction(len(own), max(others, len(own)))
    n_words = sum(len(columns_of[p]) == 1 and not p[0].isdigit() for p in own)
    is_whole = len(own) >= 4 and 5 * len(own) >= 4 * n_columns
    return (
        by_chance < Fraction(1, 1000)
        or (covered >= Fraction(4, 5) and (n_words >= 2 or is_whole))
        or (covered >= Fraction(1, 2) and (n_words >= 3 or by_chance < Fraction(1, 100)))
    )
