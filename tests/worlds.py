"""Random small worlds: whichever way they are measured, the figures are the same.

    python tests/worlds.py --worlds 20 [--seed N]

A world is an original, two synthetic files, keys and targets, all drawn. It is measured by Python
calls on frames, and again: with its rows in another order, as other types of equal value, as files,
on the command line with one thread and with four, in a project, by each engine that is there, and
in the app (extra `app`), whose pages are read as a browser gets them.
Printed is how many figures were compared with those of the plain call, and in how many ways.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import unveil  # noqa: E402
from laws.test_dtypes import WRITTEN, figures, people  # noqa: E402
from unveil.project.read_project import read_project  # noqa: E402
from unveil.project.run import run_project  # noqa: E402
from unveil.project.store import load_parts  # noqa: E402

# What a project measures beyond the plain call (expected claims, sets of keys) is left out.
SECTIONS = ("identity", "attribute", "flags", "excluded", "by_value", "recurrence", "small_cells")
Figures = dict[str, list[float]]


@dataclass(frozen=True)
class World:
    """What is measured: people, copies, and what an intruder knows and wants."""

    original: pl.DataFrame
    copies: list[pl.DataFrame]
    keys: list[str]
    target: str
    exclude: list[str]

    @classmethod
    def draw(cls, seed: int) -> "World":
        dice = np.random.default_rng(seed)
        frames = [people(seed + more, int(dice.integers(20, 160))) for more in range(3)]
        keys = list(dice.choice(["sex", "area", "age", "day"], dice.integers(1, 4), replace=False))
        target = str(dice.choice(["ill", "pay"]))
        drawn = [["missing-targets"], ["max-denominator=2"], ["ill=never"]]
        exclude = drawn[dice.integers(3)] if target == "ill" and dice.random() < 0.5 else []
        return cls(frames[0], frames[1:], [str(key) for key in keys], target, exclude)

    def change(self, change: Callable[[pl.DataFrame], Any]) -> "World":
        copies = [change(copy) for copy in self.copies]
        return World(change(self.original), copies, self.keys, self.target, self.exclude)


def by_python(world: World) -> Figures:
    asked = {"keys": world.keys}
    of = (world.original, world.copies)
    found = {
        "disclosure": unveil.disclosure(*of, targets=world.target, exclude=world.exclude, **asked),
        "tcap": unveil.tcap(*of, target=world.target, **asked),
        "suda": unveil.suda(world.original, **asked),
        "match_risk": unveil.match_risk(world.original, missing="category", **asked),
    }
    return {name: numbers_of(name, result.record.to_dict()) for name, result in found.items()}


def numbers_of(measure: str, document: dict[str, Any]) -> list[float]:
    if measure == "disclosure":
        document = {name: document[name] for name in SECTIONS}
    document.pop("match_risk", None)
    return list(figures(document))


def write(world: World, folder: Path, ending: str) -> list[Path]:
    paths = []
    for number, frame in enumerate([world.original, *world.copies]):
        path = folder / f"file {number}{ending}"
        frame.write_csv(path) if ending == ".csv" else frame.write_parquet(path)
        paths.append(path)
    return paths


def by_command(world: World, folder: Path, threads: int) -> Figures:
    paths = [str(path) for path in write(world, folder, ".csv")]
    keys = ["--keys", ",".join(world.keys)]
    limited = {"POLARS_MAX_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    excluded = [word for text in world.exclude for word in ("--exclude", text)]
    asked = {
        "disclosure": ["disclosure", *paths, *keys, "--targets", world.target, *excluded],
        "suda": ["uniques", paths[0], *keys],
    }
    found = {}
    for name, words in asked.items():
        command = [sys.executable, "-m", "unveil", *words, "--json"]
        ended = subprocess.run(
            command, env={**os.environ, **limited}, capture_output=True, check=True
        )
        found[name] = numbers_of(name, json.loads(ended.stdout))
    return found


def write_project(world: World, folder: Path) -> list[str]:
    """Write a project with its files; which measures it asks for."""
    files = [path.name for path in write(world, folder, ".parquet")]
    signed = 'reason = "r"\nby = "Ann Lee, analyst"\n'
    excluded = [
        f'[[exclude]]\nrule = "{text}"\n{signed}'
        if "=" not in text or text.startswith("max")
        else f'[[exclude]]\ntarget = "ill"\nlevel = "{text[4:]}"\n{signed}'
        for text in world.exclude
    ]
    measures = ["disclosure", "tcap", "suda"]
    text = (
        f"[data]\noriginal = {json.dumps(files[0])}\nsynthetic = {json.dumps(files[1:])}\n"
        f'[[scenario]]\nname = "s"\nkeys = {json.dumps(world.keys)}\n'
        f"targets = {json.dumps([world.target])}\nmeasures = {json.dumps(measures)}\n"
    )
    (folder / "project.toml").write_text(text + "".join(excluded), encoding="utf-8")
    return measures


def by_project(world: World, folder: Path) -> Figures:
    measures = write_project(world, folder)
    parts = load_parts(folder, run_project(read_project(folder), seed=1))
    return {
        kind: numbers_of(kind, record.to_dict())
        for kind in measures
        for _, record in parts.of(kind)
    }


def by_app(world: World, folder: Path) -> Figures:
    """What the app shows after a run that it started, and what it counts itself."""
    from app.conftest import serving, wait_for

    write_project(world, folder)
    with serving(folder) as app:
        browser = app.browser.enter()
        browser.act("/jobs/run", by="Ann Lee, analyst")
        pages = [wait_for(lambda: with_table(browser.get("/risk")[2]))]
        pages += [wait_for(lambda: with_table(browser.act("/risk/whatif")[2]))]
        pages += [browser.get(f"/risk/values?c={at}")[2] for at, _ in enumerate(world.copies)]
    return {"shown": [number for page in pages for number in shown_on(page)]}


def with_table(page: str) -> str:
    """The page when it shows its figures; nothing while the app runs or counts."""
    return page if "<table" in page else ""


def shown_on(page: str) -> list[float]:
    """The numbers of a page's tables, row by row, the rows sorted."""
    rows = re.findall(r"<tr><th scope=.row.*?</tr>", page)
    cells = [re.findall(r'<td class="number[^>]*>([\d,]+\.?\d*)', row) for row in rows]
    found = sorted([float(text.replace(",", "")) for text in row] for row in cells)
    return [number for row in found for number in row]


def expected_on(record: dict[str, Any], n_copies: int) -> list[float]:
    """What those pages must show, from the record of the plain call."""
    (row,) = [one for one in record["attribute"] if one["copy"] == "mean"]
    chart = [float(f"{row[name] or 0:.1f}") for name in ("DiSCO", "Dorig")]
    values = []
    for copy in range(1, n_copies + 1):
        of_copy = [one for one in record["by_value"] if one["copy"] == copy]
        seen = [(one, one["n_correct"] + one["n_wrong"]) for one in of_copy]
        values += sorted(
            [
                n,
                one["n_correct"],
                round(100 * one["n_correct"] / n, 1),
                one["n_wrong"],
                one["n_people"],
            ]
            for one, n in seen
            if n
        )
    return [*chart, *chart, *(number for row in values for number in row)]


def by_engine(world: World, folder: Path, engine: str) -> Figures:
    paths = write(world, folder, ".parquet")
    asked = dict(keys=world.keys, targets=world.target, exclude=world.exclude)
    with unveil.use_engine(engine):
        found = unveil.disclosure(paths[0], paths[1:], **asked).record.to_dict()
    parts = {name: found[name] for name in ("identity", "attribute")}
    return {"counts": list(figures(parts))}


def ways(world: World, seed: int) -> Iterator[tuple[str, Callable[[Path], Figures]]]:
    """How the world is measured once more."""
    dice = np.random.default_rng(seed)
    types = [name for name in WRITTEN if name != "ordered categories"]
    written = types[dice.integers(len(types))]
    shuffled = world.change(lambda frame: frame.sample(fraction=1, shuffle=True, seed=seed))
    yield "rows in another order", lambda folder: by_python(shuffled)
    yield "other types", lambda folder: by_python(world.change(WRITTEN[written]))

    def by_files(folder: Path) -> Figures:
        paths = write(shuffled, folder, ".csv")
        return by_python(World(paths[0], paths[1:], world.keys, world.target, world.exclude))

    yield "CSV files", by_files
    yield "commands, one thread", lambda folder: by_command(shuffled, folder, 1)
    yield "commands, four threads", lambda folder: by_command(world, folder, 4)
    yield "project", lambda folder: by_project(shuffled, folder)
    if find_spec("starlette"):
        yield "app", lambda folder: by_app(shuffled, folder)
    for engine in engines():
        yield f"engine {engine}", lambda folder, engine=engine: by_engine(shuffled, folder, engine)


def engines() -> list[str]:
    """Those that can count here; what needs an extra that is not installed is left out.

    An engine whose library is not there and which counts all the same was not asked: none is.
    """
    there: list[str] = []
    frame = pl.DataFrame({"a": ["x", "y"], "b": ["x", "y"]})
    for engine in ("memory", "chunks", "duckdb"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "f.parquet"
            frame.write_parquet(path)
            try:
                with unveil.use_engine(engine):
                    unveil.disclosure(path, path, keys="a", targets="b")
            except unveil.InputError:
                continue
            there.append(engine)
    return [] if "duckdb" in there and find_spec("duckdb") is None else there


def compare_world(seed: int, compared: Counter[str]) -> list[str]:
    """What differs in a world."""
    world, wrong = World.draw(seed), []
    plain = by_python(world)
    found = unveil.disclosure(
        world.original, world.copies, keys=world.keys, targets=world.target, exclude=world.exclude
    ).record.to_dict()
    plain["shown"] = expected_on(found, len(world.copies))
    plain["counts"] = list(figures({name: found[name] for name in ("identity", "attribute")}))
    for way, measure in ways(world, seed):
        with tempfile.TemporaryDirectory() as folder:
            for name, numbers in measure(Path(folder)).items():
                same = len(numbers) == len(plain[name]) and np.allclose(
                    numbers, plain[name], rtol=1e-9, atol=1e-12
                )
                if not same or not numbers:
                    wrong.append(f"world {seed}, {way}, {name}: {world.keys} {world.target}")
                compared[way] += len(numbers)
    return wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    started, compared = time.monotonic(), Counter[str]()
    wrong = [
        fault
        for number in range(asked.worlds)
        for fault in compare_world(asked.seed + 10 * number, compared)
    ]
    print(
        f"{asked.worlds} worlds, {sum(compared.values()):,} figures equal in {len(compared)} ways,"
        f" {len(wrong)} differences, {time.monotonic() - started:.0f} s: {dict(compared)}"
    )
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main()
