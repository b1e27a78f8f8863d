"""What other people's records tell, beside populations whose truth is known.

    python benchmarks/others.py [--draws 10] [--only files]

`files`, `sets`: five keys of 8, 5, 4, 3, 2 levels, a target of 4. The truth is what is correct less
the true probability, for each person, of the value shown. `exceptions`: four keys, of which one or
two tell a target of ten levels: the likeliest has a probability of 0.5, each further one of half
the one before. Original, strangers and control sample have the same key combinations, each of so
many people.
"""

import os

for library in ("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ[library] = "1"

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import polars as pl
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

import unveil

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
LEVELS, VALUES, SIZES = (8, 5, 4, 3, 2), 4, (2_000, 5_000)
CROWDED, TEN, PLANTED = (10, 10, 10, 5), 10, 150


def main_effects(random: Generator) -> Floats:
    effects = [random.normal(size=(n_levels, VALUES)) for n_levels in LEVELS]
    logits = sum(of_key[codes] for of_key, codes in zip(effects, np.indices(LEVELS), strict=True))
    odds: Floats = np.exp(logits)
    return odds / odds.sum(axis=-1, keepdims=True)


def table_of(n_keys: int, random: Generator) -> Floats:
    """The first keys together tell the target, the others nothing."""
    table = random.dirichlet([0.5] * VALUES, LEVELS[:n_keys])
    table = table.reshape(*LEVELS[:n_keys], *[1] * (len(LEVELS) - n_keys), VALUES)
    return np.broadcast_to(table, (*LEVELS, VALUES))


def xor(_: Generator) -> Floats:
    """(a + b) mod 4 with probability 0.85, else any value."""
    first, second = np.indices(LEVELS)[:2]
    return 0.85 * np.eye(VALUES)[(first + second) % VALUES] + 0.15 / VALUES


POPULATIONS: dict[str, Callable[[Generator], Floats]] = {
    "main effects": main_effects, "two-way": partial(table_of, 2),
    "xor": xor, "three-way": partial(table_of, 3),
}  # fmt: skip


def draw_values(chances: Floats, random: Generator) -> Ints:
    return (chances.cumsum(axis=1) < random.random((len(chances), 1))).sum(axis=1)


def draw_people(chances: Floats, n: int, random: Generator) -> Ints:
    """Independent keys, the first level of each the most common; the target is the last column."""
    shares = [np.arange(n_levels, 0, -1.0) for n_levels in LEVELS]
    keys = [random.choice(len(share), n, p=share / share.sum()) for share in shares]
    return np.column_stack([*keys, draw_values(chances[tuple(keys)], random)])


def cart(records: Ints, leaf: int, random: Generator) -> Ints:
    """Column after column, each record takes the value of a person in its leaf."""
    n, width = records.shape
    synthetic = records[random.integers(0, n, n), :1]
    for place in range(1, width):
        tree = DecisionTreeClassifier(min_samples_leaf=leaf, random_state=0)
        tree.fit(records[:, :place], records[:, place])
        leaf_of_people, leaf_of_records = tree.apply(records[:, :place]), tree.apply(synthetic)
        people = np.argsort(leaf_of_people, kind="stable")
        start = np.searchsorted(leaf_of_people[people], leaf_of_records)
        end = np.searchsorted(leaf_of_people[people], leaf_of_records, side="right")
        donors = people[random.integers(start, end)]
        synthetic = np.column_stack([synthetic, records[donors, place]])
    return synthetic


def frame_of(records: Ints) -> pl.DataFrame:
    names = [*(f"key {place}" for place in range(1, records.shape[1])), "target"]
    codes = pl.DataFrame(records, names, orient="row")
    return codes.select(pl.format("level {}", name).alias(name) for name in names)


def study_of(original: Ints, versions: dict[str, Ints], **settings: Any) -> unveil.Study:
    synthetic = {name: frame_of(records) for name, records in versions.items()}
    frame = frame_of(original)
    return unveil.Study(frame, synthetic, keys=frame.columns[:-1], targets="target", **settings)


def synthesise(population: str, n: int, seed: int) -> tuple[unveil.Study, Floats]:
    """Four files, and for each person the true probabilities."""
    random = np.random.default_rng([seed, n, list(POPULATIONS).index(population)])
    chances = POPULATIONS[population](random)
    original = draw_people(chances, n, random)
    versions = {
        "strangers": draw_people(chances, n, random),
        "exact copy": original,
        "CART, leaves of 5": cart(original, 5, random),
        "CART, leaves of 33": cart(original, 33, random),
    }
    return study_of(original, versions), chances[tuple(original[:, :-1].T)]


def plant(n_keys: int, size: int, seed: int) -> tuple[unveil.Study, Floats]:
    """Strangers, and strangers with the unlikely own values of some people."""
    random, n = np.random.default_rng([seed, n_keys, size]), SIZES[-1]
    table = np.tile(0.5 ** np.array([*range(1, TEN), TEN - 1]), (*CROWDED[:n_keys], 1))
    combinations = random.choice(np.prod(CROWDED), -(-n // size), replace=False)
    cell = np.arange(n) // size
    keys = np.unravel_index(combinations[cell], CROWDED)
    chances = random.permuted(table, axis=-1)[keys[:n_keys]]
    original, strangers, control = (
        np.column_stack([*keys, draw_values(chances, random)]) for _ in range(3)
    )
    planted, own = strangers.copy(), original[:, -1]
    unlikely = random.permutation(np.flatnonzero(own != chances.argmax(axis=1)))
    _, first = np.unique(cell[unlikely], return_index=True)  # one person of a cell
    for person in unlikely[random.permutation(first)[:PLANTED]]:
        planted[cell == cell[person], -1] = own[person]
    versions = {"strangers": strangers, "planted": planted}
    return study_of(original, versions, control=frame_of(control)), chances


def true_beyond(result: Any, version: str, correct: float, chances: Floats) -> float:
    shown = result.records().filter(version=version)
    value = shown["shown"].str.strip_prefix("level ").cast(int).to_numpy()
    return float(correct - chances[shown["row"].to_numpy(), value].sum())


def files(draws: int) -> Iterator[Sequence[object]]:
    """Each cell: mean truth; mean bias of beyond, % of people; truth below low; low above 0."""
    yield "people", "file", *POPULATIONS
    for n in SIZES:
        cells = defaultdict(list)
        for population, seed in product(POPULATIONS, range(1, draws + 1)):
            study, chances = synthesise(population, n, seed)
            result = unveil.disclosure(study, seed=seed)
            for row in result.attribute:
                truth = true_beyond(result, row.version, row.correct, chances)
                cells[row.version, population].append((truth, row.beyond, row.low))
        for version in dict.fromkeys(version for version, _ in cells):
            figures = [100 / n * np.array(cells[version, name]).T for name in POPULATIONS]
            yield f"{n:,}", version, *(
                f"{truth.mean():.1f}; {(beyond - truth).mean():+.1f};"
                f" {(truth < low).sum()}/{draws}; {(low > 0).sum()}/{draws}"
                for truth, beyond, low in figures
            )  # fmt: skip


def exceptions(draws: int) -> Iterator[Sequence[object]]:
    """Means over draws, in people; how many draws have a status; R with lowest and highest."""
    yield (
        "keys that tell", "cells of", "file", "truth", "beyond (low)", "exceptions (expected)",
        'draws by `check({"beyond": 1})`', "R of DiSCO",
    )  # fmt: skip
    for n_keys, size in product((1, 2), (1, 3, 8)):
        figures = defaultdict(list)
        statuses: dict[str, Counter[str]] = defaultdict(Counter)
        for seed in range(1, draws + 1):
            study, chances = plant(n_keys, size, seed)
            result = unveil.disclosure(study, seed=seed)
            R = {row.version: row.R for row in unveil.excess(study, figures="DiSCO").excess}
            for row in result.attribute:
                truth = true_beyond(result, row.version, row.correct, chances)
                of_others = (row.beyond, row.low, row.exceptions, row.exceptions_expected)
                figures[row.version].append((truth, *of_others, R[row.version]))
            for check in result.check({"beyond": 1}):
                statuses[check.version][f"{check.figure} {check.status}"] += 1
        for version, of_draws in figures.items():
            truth, beyond, low, people, expected, R_mean = np.mean(of_draws, axis=0)
            lowest, highest = np.quantile([row[-1] for row in of_draws], [0, 1])
            yield (
                n_keys, size, version, f"{truth:.0f}", f"{beyond:.0f} ({low:.0f})",
                f"{people:.0f} ({expected:.0f})",
                ", ".join(f"{status} {times}" for status, times in statuses[version].items()),
                f"{R_mean:.3f} ({lowest:.3f} to {highest:.3f})",
            )  # fmt: skip


def sets(draws: int) -> Iterator[Sequence[object]]:
    """Correct less expected by twins, % of people, over sets and draws; mean worst set, people."""
    about_worst = ("worst set: correct", "expected", "beyond", "low", "low > 0")
    yield "file", "all sets: mean", "furthest from 0", *about_worst
    surplus, worst = defaultdict(list), defaultdict(list)
    for seed in range(1, draws + 1):
        study, _ = synthesise("two-way", SIZES[-1], seed)
        result = unveil.key_sets(study, seed=seed)
        for row in result.sets:
            surplus[row.version].append(row.DiSCO - 100 * row.expected / SIZES[-1])
        for row in result.worst:
            if row.figure == "beyond":
                worst[row.version].append((row.value, row.expected, row.beyond, row.low))
    for version, of_sets in surplus.items():
        yield (
            version, f"{np.mean(of_sets):+.2f}", f"{max(of_sets, key=abs):+.1f}",
            *(f"{mean:.0f}" for mean in np.mean(worst[version], axis=0)),
            f"{sum(low > 0 for *_, low in worst[version])}/{draws}",
        )  # fmt: skip


TABLES = {"files": files, "exceptions": exceptions, "sets": sets}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--only", choices=TABLES)
    asked = parser.parse_args()
    for name in [asked.only] if asked.only else TABLES:
        heads, *rows = TABLES[name](asked.draws)
        print(f"\n{name}, {asked.draws} draws\n")
        for row in (heads, ["---"] * len(heads), *rows):
            print("|", *(f"{cell} |" for cell in row), flush=True)


if __name__ == "__main__":
    main()
