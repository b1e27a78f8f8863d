"""Random records for the oracles, and the study of them."""

from random import Random

import polars as pl

import unveil

LEVELS = (None, "a", "b", "c", "d", "e")


def draw(seed, *, has_several=False):
    """Records (person, keys) of people who have one or several; some lack keys."""
    chance = Random(seed)
    n, n_keys = chance.randint(1, 40), chance.randint(1, 5)
    levels = LEVELS[chance.randint(0, 1) : chance.randint(3, 6)]
    n_people = chance.randint(1, n)
    return [
        (chance.randrange(n_people) if has_several else place, draw_keys(chance, levels, n_keys))
        for place in range(n)
    ]


def draw_keys(chance, levels, n_keys):
    return tuple(chance.choices(levels, k=n_keys))


def frame_of(records, **columns):
    keys = [f"k{place}" for place in range(len(records[0][1]))]
    rows = [(f"p{person}", *row) for person, row in records]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["pid", *keys], pl.String), orient="row")
    return frame.with_columns(pl.Series(name, values) for name, values in columns.items())


def study_of(frame, synthetic=None, *, columns=(), **about):
    keys = [name for name in frame.columns if name.startswith("k")]
    columns = {"pid": "person", **dict(columns)}
    return unveil.Study(frame, synthetic, keys=keys, columns=columns, **about)
