"""Small projects to run: invented people, a copy of them, and a project file."""

import random
from pathlib import Path

import polars as pl

from unveil.project.model import ProjectFile, limits_mark
from unveil.project.read_project import read_project

HEAD = """schema = 1
title = "Small"

[data]
original = "people.csv"
synthetic = ["copy.csv"]
"""
SCENARIO = """
[[scenario]]
name = "neighbour"
keys = ["sex", "age"]
targets = "all"
"""
CUSTODIAN = "C. Ustodian, head"


def limits(review: float, limit: float) -> str:
    """A limit on DiSCO that somebody accepted."""
    mark = limits_mark({"DiSCO": (review, limit)}, CUSTODIAN)
    return (
        f"\n[limits]\nDiSCO = [{review}, {limit}]\n"
        f'accepted_by = "{CUSTODIAN}"\non = 2026-11-16\naccepted = "{mark}"\n'
    )


LIMITS = limits(5, 10)


def people(seed: int, n: int = 120) -> pl.DataFrame:
    """Invented people with two keys and three things to learn about them."""
    chance = random.Random(seed)
    return pl.DataFrame(
        {
            "sex": [chance.choice("fm") for _ in range(n)],
            "age": [chance.randrange(20, 40) for _ in range(n)],
            "work": [chance.choice(["yes", "no", "no", "no"]) for _ in range(n)],
            "town": [chance.choice(["A", "B", "C"]) for _ in range(n)],
            "income": [chance.randrange(10, 60) * 10 for _ in range(n)],
        }
    )


def project(folder: Path, *more: str, head: str = HEAD, copies: int = 1) -> ProjectFile:
    """A project in a folder, with its files, read back."""
    folder.mkdir(parents=True, exist_ok=True)
    people(1).write_csv(folder / "people.csv")
    people(2).write_csv(folder / "copy.csv")
    for number in range(2, copies + 1):
        people(number + 1).write_csv(folder / f"copy_{number}.csv")
    people(9, 60).write_csv(folder / "control.csv")
    (folder / "project.toml").write_text(head + "".join(more or (SCENARIO,)))
    return read_project(folder)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path there."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
