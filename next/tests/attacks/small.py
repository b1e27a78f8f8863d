"""Small random files: categories and numbers, with missing values, special codes and ties."""

from fractions import Fraction
from random import Random

import polars as pl

import unveil

NAMES = ("sex", "region", "age", "income")
ORDERED = (False, False, True, True)
SPECIALS = ((), (), (), (-8,))


def draw(chance, n, *, special):
    """Records as tuples; the first is in every file."""
    incomes = (100, 104, 200, 300, None, *([-8] * special))
    return [("f", "Ash", 20, 100)] + [
        (chance.choice("fm"), chance.choice(("Ash", "Birch", None)),
         chance.choice((20, 30, 50, 80)), chance.choice(incomes))
        for _ in range(n - 1)
    ]  # fmt: skip


class World:
    """An original, two copies and a control sample; some people have several records."""

    def __init__(self, seed, *, special=True, several=True):
        chance = Random(seed)
        sizes = [
            chance.randint(5, 7),
            chance.randint(4, 7),
            chance.randint(4, 7),
            chance.randint(4, 6),
        ]
        self.original, first, second, self.control = (
            draw(chance, n, special=special) for n in sizes
        )
        self.copies = {1: first, 2: second, "pooled": first + second}
        self.owners = [self._owners(chance, several, f) for f in (self.original, self.control)]

    @staticmethod
    def _owners(chance, several, file):
        return [row - (several and row > 0 and chance.random() < 0.3) for row in range(len(file))]

    def study(self, **about):
        def frame(file, owners):
            columns = pl.DataFrame(file, list(NAMES), orient="row")
            return columns.with_columns(pid=pl.Series(owners, dtype=pl.Int64))

        copies = [frame(self.copies[copy], range(len(self.copies[copy]))) for copy in (1, 2)]
        columns = {"pid": "person", "income": {"special": SPECIALS[3]}}
        about = {"keys": NAMES[:3], "targets": NAMES[3], "columns": columns} | about
        return unveil.Study(
            frame(self.original, self.owners[0]), copies,
            control=frame(self.control, self.owners[1]), **about,
        )  # fmt: skip

    def groups(self):
        """The records used and not used, each with their owners."""
        return zip((self.original, self.control), self.owners, strict=True)


def per_person(chances, owners):
    """The mean over the records of each person, summed over people; and how many they are."""
    by_person = {}
    for chance, owner in zip(chances, owners, strict=True):
        by_person.setdefault(owner, []).append(chance)
    return sum(Fraction(sum(of)) / len(of) for of in by_person.values()), len(by_person)
