"""Worlds as data frames: whole numbers may be decimals, or digits, in the next file."""

from fractions import Fraction
from random import Random

import polars as pl

import unveil
from oracles.worlds import File, World, number

DTYPES = {
    "text": (pl.String, pl.Categorical, pl.Enum),
    "whole": (pl.Int64, pl.Int8, pl.Float64, pl.Float32, pl.String),
    "quarters": (pl.Float64, pl.Float32, pl.String),
    "date": (pl.Date,),
}


def study_of(world: World, seed: int = 0) -> unveil.Study:
    """The study of a world; a column is of its kind in the original at least."""
    chance = Random(seed)
    files = [as_frame(file, world, chance) for file in world.files]
    copies = iter(files[1:])
    versions = world.synthetic.items()
    return unveil.Study(
        files[0],
        {version: [next(copies) for _ in several] for version, several in versions},
        control=files[-1],
        keys=world.keys,
        targets=world.targets,
        columns={name: plain(about) for name, about in world.columns.items()},
        missing=world.missing,
        published=as_shares(world),
        fraction=plain(world.fraction),
    )


def as_frame(file: File, world: World, chance: Random) -> pl.DataFrame:
    def series(name: str) -> pl.Series:
        kind = world.kinds.get(name, "text")
        is_number = file is world.original and kind in ("whole", "quarters")
        dtype = chance.choice(DTYPES[kind][: -1 if is_number else None])
        return as_series(name, [record[name] for record in file], dtype, chance.random() < 0.5)

    return pl.DataFrame([series(name) for name in file[0]])


def as_series(name: str, values: list, dtype: type, is_empty: bool) -> pl.Series:
    """A column of one type; a missing value is null, or the other thing that stands for it."""
    if dtype in (pl.Float64, pl.Float32):
        hole = float("nan") if is_empty else None
        return pl.Series(name, [hole if v is None else float(v) for v in values], dtype=dtype)
    if dtype not in (pl.String, pl.Categorical, pl.Enum):
        return pl.Series(name, [int(v) if isinstance(v, Fraction) else v for v in values], dtype)
    hole = "" if is_empty else None
    texts = [hole if v is None else number(v) if isinstance(v, Fraction) else v for v in values]
    levels = sorted(set(texts) - {None})
    return pl.Series(name, texts, dtype=pl.Enum(levels) if dtype is pl.Enum else dtype)


def as_shares(world: World) -> pl.DataFrame | None:
    """What is public of each level."""
    rows = [
        (target, world.text(target, level), float(share))
        for target, levels in world.published.items()
        for level, share in levels.items()
    ]
    return pl.DataFrame(rows, ["column", "level", "share"], orient="row") if rows else None


def plain(value: object) -> object:
    """Settings as people write them: no fractions."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return float(value) if isinstance(value, Fraction) else value
