"""Do our default files disclose more than synthpop's, or tell less, target by target?

Social Diagnosis 2011, the 9 columns of Raab (2024): our files of seeds 1 to 10 beside synthpop's
five (`s5_1` to `s5_5`, version 1.9-3), all five targets. Seeds n and n + 5 are paired with file n;
as each file of synthpop has two partners, the differences are averaged within a file, which leaves
5 independent differences and 4 degrees of freedom. One-sided t tests of "ours is higher", with
Holm's correction over all figures of a table, 5 %. Exit code 1 where one of them finds it.

The second table pairs two settings of our own by seed (9 degrees of freedom): with leaves of 5
rows, the default until 0.1.0. The third shows what rpart's rule of complexity, which synthpop has,
does to a rare outcome: 5,000 invented patients, of whom 5 in 100 died, more often with age.

    python benchmarks/beside_synthpop.py
    python benchmarks/beside_synthpop.py 101   # other seeds, 101 to 110
"""

import math
import statistics
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import fidelity
import numpy as np
import polars as pl
from scipy.stats import t as student

from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.utility.pair_tables import measure_pairs
from unveil.measure.utility.table_statistics import group_variable
from unveil.models.tree import GrownTree, TreeCuts, prune_tree
from unveil.synthesis import cart
from unveil.synthesis.synthesise import synthesise

TARGETS = ("depress", "income", "ls", "marital", "workab")
LEVEL = 0.05
FIRST = int(sys.argv[1]) if len(sys.argv) > 1 else 1
SEEDS = range(FIRST, FIRST + 10)
BANDS = ((18, 40), (40, 60), (60, 75), (75, 85), (85, 96))

Figures = dict[str, float]


def figures(original: pl.DataFrame, copy: pl.DataFrame) -> Figures:
    """What one file discloses of every target, and how near it is; higher is worse of all."""
    found = disclosure(original, copy, keys=list(fidelity.KEYS), targets=list(TARGETS))
    both = fidelity.opened(original, copy)
    columns = [group_variable(variable, fidelity.GROUPS) for variable in both.variables]
    single = measure_pairs(both, columns, ways=1, groups=fidelity.GROUPS, n_worst=0).rows
    of_one = {row.variables[0]: row.S_pMSE or 0 for row in single}
    pairs = fidelity.s_pmse_of_pairs(original, copy).values()
    return {
        "repU": float(found.identity[0].repU or 0),
        "iS": float(found.attribute[0].iS or 0),
        **{f"DiSCO {row.target}": float(row.DiSCO or 0) for row in found.attribute},
        **{f"S_pMSE {name}": of_one[name] for name in TARGETS},
        "S_pMSE, worst variable": max(of_one.values()),
        "S_pMSE, median pair": statistics.median(pairs),
        "S_pMSE, worst pair": max(pairs),
    }


def ours(original: pl.DataFrame, **settings: Any) -> list[Figures]:
    """The figures of our files, seed by seed."""
    codes = fidelity.special_codes(original)
    return [
        figures(original, synthesise(original, special_codes=codes, seed=s, **settings).copies[0])
        for s in SEEDS
    ]


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Holm's corrected p values."""
    corrected, largest = {}, 0.0
    for place, name in enumerate(sorted(p, key=p.__getitem__)):
        largest = max(largest, min(1.0, (len(p) - place) * p[name]))
        corrected[name] = largest
    return corrected


def compare(title: str, some: Sequence[Figures], others: Sequence[Figures]) -> bool:
    """Print one table; whether no figure of `some` is found to be higher than that of `others`."""
    blocks = range(len(others))
    of_block = {
        name: [
            statistics.fmean(one[name] for one in some[n :: len(others)]) - others[n][name]
            for n in blocks
        ]
        for name in some[0]
    }
    error = {name: statistics.stdev(d) / math.sqrt(len(d)) for name, d in of_block.items()}
    mean = {name: statistics.fmean(d) for name, d in of_block.items()}
    p = {name: float(student.sf(mean[name] / error[name], len(others) - 1)) for name in mean}
    corrected = holm(p)
    least = float(student.isf(LEVEL / len(p), len(others) - 1))
    print(f"{title}\n{'':<24}{'first':>8}{'second':>8}{'difference (se)':>18}{'p':>7}{'Holm':>7}")
    for name, difference in mean.items():
        one, other = (statistics.fmean(row[name] for row in side) for side in (some, others))
        shown = f"{difference:+.2f} ({error[name]:.2f})"
        print(
            f"{name:<24}{one:>8.2f}{other:>8.2f}{shown:>18}{p[name]:>7.3f}{corrected[name]:>7.2f}"
        )
    print(
        f"{len(p)} tests; a difference above {least:.1f} standard errors is found whatever else\n"
    )
    return min(corrected.values()) > LEVEL


def rpart_rule(matrix: Any, outcome: Any, *, is_number: bool, **limits: Any) -> GrownTree:
    """The same trees, but classes pruned as rpart does: a cut must save errors."""
    grown = GROW(matrix, outcome, is_number=is_number, **limits)
    if is_number:
        return grown
    order, sons = [0], [-1]  # breadth first, so that a right child follows its left one
    for place, node in enumerate(order):
        if grown.cuts.left[node] >= 0:
            sons[place] = len(order)
            order += [grown.cuts.left[node], grown.cuts.right[node]]
            sons += [-1, -1]
    n = rows_below(grown.cuts, matrix)[order]
    errors = np.rint(n * (1 - grown.value[order].max(axis=1))).astype(int).tolist()
    prune_tree(errors, sons, limits["complexity"] * errors[0], 0)
    left, right = grown.cuts.left.copy(), grown.cuts.right.copy()
    gone = np.array(order)[np.array(sons) < 0]
    left[gone] = right[gone] = -1
    cuts = TreeCuts(grown.cuts.feature, grown.cuts.threshold, left, right)
    return GrownTree(cuts, grown.value, grown.impurity)


def rows_below(cuts: TreeCuts, matrix: Any) -> Any:
    """How many rows every node has; children have higher numbers than their parents."""
    n = np.bincount(cuts.leaves_of(matrix), minlength=len(cuts.left))
    for node in range(len(n) - 1, -1, -1):
        if cuts.left[node] >= 0:
            n[node] = n[cuts.left[node]] + n[cuts.right[node]]
    return n


def patients(n: int = 5_000) -> pl.DataFrame:
    """Invented patients: the older, the more often they died."""
    rng = np.random.default_rng(1)
    age, sex, ward = (rng.integers(low, high, n) for low, high in ((18, 95), (0, 2), (0, 8)))
    died = rng.random(n) < 1 / (1 + np.exp(9 - 0.08 * age - 0.8 * sex))
    text = {"sex": sex.astype(str), "ward": ward.astype(str), "died": died.astype(str)}
    return pl.DataFrame({"age": age, **text})


def rare(original: pl.DataFrame, label: str) -> None:
    """Print deaths by age, and the worst pair, of the means over the seeds."""
    copies = [synthesise(original, seed=seed).copies[0] for seed in SEEDS]
    shares = np.mean([deaths(copy) for copy in copies], axis=0)
    worst = statistics.fmean(max(fidelity.s_pmse_of_pairs(original, c).values()) for c in copies)
    print(f"{label:<16}" + "".join(f"{s:>8.1f}" for s in shares) + f"{worst:>12.2f}")


def deaths(frame: pl.DataFrame) -> list[float]:
    """Percent who died, by age."""
    ages, died = frame["age"].to_numpy(), frame["died"].to_numpy() == "True"
    return [100 * float(died[(ages >= low) & (ages < high)].mean()) for low, high in BANDS]


GROW = cart.grow_tree


def main() -> None:
    """Print the tables; exit code 1 where a figure of ours is found to be higher."""
    original = fidelity.read("sd2011_ods.csv")
    theirs = [figures(original, fidelity.read(f"s5_{n}.csv")) for n in range(1, 6)]
    made = ours(original)
    fine = compare("default (first) beside synthpop (second)", made, theirs)
    compare("default (first) beside min_leaf = 5 (second)", made, ours(original, min_leaf=5))
    hospital = patients()
    print(
        "died, % by age  "
        + "".join(f"{f'{a}-{b - 1}':>8}" for a, b in BANDS)
        + f"{'worst pair':>12}"
    )
    print(f"{'original':<16}" + "".join(f"{s:>8.1f}" for s in deaths(hospital)))
    rare(hospital, "default")
    cart.grow_tree = rpart_rule
    rare(hospital, "rpart's rule")
    print()
    compare("rpart's rule, min_leaf 5 (first) beside synthpop", ours(original, min_leaf=5), theirs)
    raise SystemExit(0 if fine else 1)


if __name__ == "__main__":
    main()
