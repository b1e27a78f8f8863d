"""Small files with numbers, levels, special codes and missing values, as plain lists too."""

from random import Random

import polars as pl

import unveil

ABOUT = {"columns": {"income": {"special": (-8,)}}}


def people(seed, n=300):
    """Age makes people poorer and likelier to live in a village."""
    chance = Random(seed)
    rows = []
    for _ in range(n):
        age = chance.randrange(18, 90)
        income = chance.choice([None, -8, -8]) if chance.random() < 0.15 else 3000 - 20 * age
        if income and income > 0:
            income += chance.randrange(0, 900, 50)
        place = "village" if chance.random() * 100 < age else chance.choice(["town", "city", None])
        rows.append((chance.choice("fm"), age, place, income))
    return pl.DataFrame(rows, schema=["sex", "age", "place", "income"], orient="row")


def study(original, synthetic, **about):
    return unveil.Study(original, synthetic, **(ABOUT | about))


def worse(frame):
    """Incomes that have nothing to do with age any more."""
    return frame.with_columns(pl.col("income").shuffle(seed=1))
