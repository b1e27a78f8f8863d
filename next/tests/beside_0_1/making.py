"""Is what is made as in 0.1? Run by hand, and before a release.

    python making.py [PYTHON_OF_0_1]

ECAP and the least noise to 1e-6, decisions of the distance filter, and recoded columns, of random
files; then risk and utility of synthetic data of SD2011 and Adult beside synthpop's, ten seeds, and
CPU time. Ends with 1 if a figure differs, but by these decisions:

- top_code by a quantile takes the amount of somebody, inwards; 0.1 takes R's type 7 between two.
"""

import json
import os
import subprocess
import sys
import time
from functools import partial
from math import isclose
from pathlib import Path
from random import Random
from statistics import fmean, median, stdev

import polars as pl

import unveil

HERE = Path(__file__).resolve().parent
IS_NEW = hasattr(unveil, "Column")
KEYS, LEAVES = ("sex", "age", "region", "placesize"), {"5/15": (5, 15), "33/100": (33, 100)}
STEPS = (
    {"do": "top_code", "column": "a", "at": 55},
    {"do": "bottom_code", "column": "a", "at": 25},
    {"do": "round", "column": "b", "to": 50},
    {"do": "merge", "column": "c", "levels": ["x", "y"], "into": "other"},
    {"do": "merge_rare", "column": "c", "below": 8, "into": "other"},
)
SAMPLING = {True: "equation 1", False: "without replacement"}


def claims():
    """Values, population, N, n, sigma, noise, discrete and replacement."""
    chance = Random(4)
    for _ in range(60):
        mean, sd = chance.uniform(20, 200), chance.uniform(2, 20)
        values = sorted({round(chance.gauss(mean, sd)) for _ in range(5)})
        N = chance.choice([60, 1500, 60_000])
        yield (
            values, f"normal({mean!r}, {sd!r})", N, N // chance.choice([2, 10, 50]),
            chance.choice([0.05, 0.3, 1, 5]), chance.choice(["normal", "laplace"]),
            chance.random() < 0.3, chance.random() < 0.5,
        )  # fmt: skip


def frame(seed, n):
    chance = Random(seed)
    return pl.DataFrame({
        "a": [chance.randint(18, 70) for _ in range(n)],
        "b": [round(chance.gauss(1000, 300)) for _ in range(n)],
        "c": chance.choices("xyzw", (8, 4, 2, 1), k=n),
    })  # fmt: skip


def figures():
    """Each figure behind what it is of."""
    measured = {}
    for number, (values, population, N, n, sigma, noise, discrete, replaced) in enumerate(claims()):
        asked = {"population": population, "N": N, "n": n, "noise": noise, "discrete": discrete}
        asked |= {"replacement": replaced} if IS_NEW else {"sampling": SAMPLING[replaced]}
        result = unveil.ecap(values, sigma=sigma, **asked)
        column = result.frame()["ECAP" if IS_NEW else "ecap"].to_list()
        measured |= {f"ECAP {number} {value}": x for value, x in zip(values, column, strict=True)}
        choice = unveil.choose_noise(values, threshold=0.2, **asked)
        measured[f"sigma {number}"] = choice.choice[0].sigma if IS_NEW else choice.record.sigma
    for seed in range(20):
        original, synthetic = frame(seed, 60), frame(seed + 100, 80)
        for rule in ("paper", "strict"):
            if IS_NEW:
                study = unveil.Study(original, synthetic)
                keep = unveil.distance_filter(study, rule=rule).records()["keep"].to_list()
            else:
                keep = (
                    unveil.distance_filter(original, synthetic, rule=rule).frame()["keep"].to_list()
                )
            measured |= {f"filter {rule} {seed} {row}": kept for row, kept in enumerate(keep)}
        for step in STEPS:
            data = (
                unveil.recode(unveil.Study(original), [step]).study.original
                if IS_NEW
                else unveil.recode(original, [step]).data
            )
            column = pl.DataFrame(data)[step["column"]].to_list()
            place = f"recode {step['do']} {seed}"
            measured |= {f"{place} {row}": value for row, value in enumerate(column)}
    return measured


def synthesise(path, copies):
    """Seconds, and the files."""
    original = pl.read_csv(path, null_values="NA", infer_schema_length=None)
    made = {}
    for name, method, leaf in (
        *(("cart " + name, "cart", leaf) for name, leaf in LEAVES.items()),
        ("parametric", "parametric", (33, 100)),
    ):
        start = time.process_time()
        if IS_NEW:
            study = unveil.Study(original, columns={"income": {"special": (-8,)}})
            result = unveil.synthesise(study, method=method, leaf=leaf, copies=copies, seed=1)
            files = [*result.study.synthetic.values()]
        else:
            result = unveil.synthesise(
                original, method=method, min_leaf=leaf[0], min_split=leaf[1], copies=copies,
                special_codes={"income": [-8]}, seed=1,
            )  # fmt: skip
            files = [pl.DataFrame(copy) for copy in result.copies]
        made[name] = time.process_time() - start, [f.to_dict(as_series=False) for f in files]
    return made


def risks(original, files):
    """repU, iS and the mean DiSCO of all targets, over the copies."""
    targets = [name for name in original.columns if name not in KEYS]
    study = unveil.Study(original, files, keys=KEYS, targets=targets, missing=("NA",))
    result = unveil.disclosure(study, expected=False)
    attribute = [row for row in result.attribute if isinstance(row.copy, int)]
    identity = [row for row in result.identity if isinstance(row.copy, int)]
    return (
        fmean(row.repU for row in identity), fmean(row.iS for row in attribute),
        fmean(row.DiSCO for row in attribute),
    )  # fmt: skip


def beside_synthpop(name, original, released, keys, columns):
    """repU, mean DiSCO and the median S_pMSE of pairs: default trees, ten seeds, and synthpop's."""
    study = unveil.Study(original, keys=keys, columns=columns, missing=("NA",))
    made = [unveil.synthesise(study, seed=seed).study.synthetic["", 1] for seed in range(1, 11)]
    for label, files in (("synthpop", released), ("ten seeds", made)):
        figures = []
        for file in files:
            alone = study.replace(synthetic=file)
            result = unveil.disclosure(alone, expected=False)
            pairs = unveil.utility(alone, permutations=1, rows=1_000, seed=1).pairs
            figures.append((
                result.identity[0].repU, fmean(row.DiSCO for row in result.attribute),
                median(pair.S_pMSE for pair in pairs if pair.S_pMSE is not None),
            ))  # fmt: skip
        means = [round(fmean(column), 2) for column in zip(*figures, strict=True)]
        spread = [round(stdev(c), 2) if len(c) > 1 else None for c in zip(*figures, strict=True)]
        print(f"{name}, {label}: repU, DiSCO, S_pMSE {means}, sd over files {spread}", flush=True)


def synthpops(place):
    """SD2011 and Adult as synthpop had them, with its files."""
    read = partial(pl.read_csv, null_values="NA", infer_schema_length=None)
    yield (
        "SD2011", read(place / "sd2011_ods.csv"),
        [read(place / f"s5_{copy}.csv") for copy in range(1, 6)], KEYS,
        {"income": {"special": (-8,)}},
    )  # fmt: skip
    order = (
        "age", "sex", "race", "marital.status", "relationship", "income", "workclass", "occupation",
        "hours.per.week", "capital.gain", "capital.loss", "education.num", "native.country",
    )  # fmt: skip
    about = {"capital.gain": {"special": (99_999,)}, "hours.per.week": {"special": (99,)}}
    adult, made = (read(place / f"{name}.csv").select(order) for name in ("adult", "adult_syn"))
    yield "Adult", adult, [made], ("age", "sex", "occupation", "race"), about


def main():
    sys.path.append(str(HERE.parent))
    from reference import find_reference

    python = sys.argv[1] if len(sys.argv) > 1 else str(HERE.parents[2] / ".venv/bin/python")
    place = find_reference("synthpop/sd2011_ods.csv")
    words = [python, str(Path(__file__)), "--of-0-1", *([str(place)] if place else [])]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ran = subprocess.run(words, stdout=subprocess.PIPE, check=True, env=environment)
    before, made = json.loads(ran.stdout)
    here = json.loads(json.dumps(figures()))
    counts, differing = {}, []
    for name, value in before.items():
        kind = name.split()[0]
        is_number = isinstance(value, float) and isinstance(here[name], float)
        is_equal = isclose(here[name], value, rel_tol=1e-6) if is_number else here[name] == value
        counts[kind] = counts.get(kind, 0) + is_equal
        differing += [] if is_equal else [(name, here[name], value)]
    print("equal:", ", ".join(f"{n:,} of {kind}" for kind, n in counts.items()))
    print(f"differing: {len(differing)}", *differing[:10], sep="\n")
    if place:
        for case in synthpops(place.parent):
            beside_synthpop(*case)
        original = pl.read_csv(place, null_values="NA", infer_schema_length=None)
        for label in ("s5", "parametric5"):
            files = [str(place.parent / f"{label}_{copy}.csv") for copy in range(1, 6)]
            print(f"synthpop {label}: {risks(original, files)}")
        for name, (seconds, files) in synthesise(place, 10).items():
            old_seconds, old = made[name]
            pair = risks(original, [*map(pl.DataFrame, files)]), risks(
                original, [pl.DataFrame(f, schema=original.schema) for f in old])  # fmt: skip
            print(f"{name}: here {pair[0]} {seconds:.2f} s; 0.1 {pair[1]} {old_seconds:.2f} s")
    return int(bool(differing))


if __name__ == "__main__":
    if "--of-0-1" in sys.argv:
        rest = sys.argv[sys.argv.index("--of-0-1") + 1 :]
        json.dump([figures(), synthesise(rest[0], 10) if rest else {}], sys.stdout)
    else:
        sys.exit(main())
