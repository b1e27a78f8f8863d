"""What `assess` says of honest releases and of releases that disclose, and what it costs.

    python benchmarks/gate.py honest [SPLITS] | disclosing [SPLITS] | small | cart | cost

All people are invented, but for the breast cancer and the diabetes data of scikit-learn. Exit codes
are counted: 0, 3, 4 because too few people can be told, 4 for another reason.
"""

import os

os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "POLARS_MAX_THREADS"), "1")

import resource
import sys
import time
from collections import Counter

import numpy as np
import polars as pl
from scipy.stats import norm

import unveil
from unveil.examples import survey

YOURS = {"beyond": 1, "real_records": 0}


def coarse(n, seed):
    """Four columns of few levels: nearly everybody has a twin."""
    random = np.random.default_rng(seed)
    age = random.integers(1, 9, n)
    return pl.DataFrame({
        "age": age, "sex": random.integers(0, 2, n), "region": random.integers(0, 8, n),
        "health": (age + random.integers(0, 4, n)) // 3,
    })  # fmt: skip


def patients(n, seed):
    """Twelve columns: exact amounts, counts, and levels that depend on them."""
    random = np.random.default_rng(seed)
    age, wealth = random.integers(18, 90, n), random.normal(size=n)
    illness = random.choice(4, n, p=[0.5, 0.25, 0.15, 0.1])
    return pl.DataFrame({
        "age": age, "sex": random.choice(["f", "m"], n), "region": random.integers(0, 8, n),
        "income": np.round(np.exp(9 + age / 100 + 0.5 * wealth), -1),
        "weight": np.round(70 + 12 * random.normal(size=n), 1),
        "visits": random.poisson(2 + age / 30 + illness), "illness": illness,
        "rent": np.round(600 + 300 * wealth + 100 * random.normal(size=n)),
        "school": np.clip(np.round(12 + 2 * wealth + random.normal(size=n)), 8, 20),
        "children": random.poisson(1 + (age > 30)), "smokes": random.random(n) < 0.3,
        "job": (random.integers(0, 6, n) + (wealth > 0) * 3) % 9,
    })  # fmt: skip


def answers(n, seed, k=20):
    """Twenty answers on a scale of five that hang together."""
    random = np.random.default_rng(seed)
    mood = random.normal(size=(n, 1)) @ np.ones((1, k))
    scores = np.clip(np.round(3 + 0.7 * mood + random.normal(size=(n, k))), 1, 5).astype(int)
    return pl.DataFrame({f"q{place}": scores[:, place] for place in range(k)})


def cells(n, seed):
    """Breast cancer of scikit-learn, in twelve columns to two digits, drawn with noise."""
    from sklearn.datasets import load_breast_cancer

    data, random = load_breast_cancer(), np.random.default_rng(seed)
    rows = random.integers(0, len(data.data), n)
    noise = 1 + 0.05 * random.normal(size=(n, 11))
    values = data.data[rows, :11] * noise
    step = 10 ** (np.floor(np.log10(np.maximum(values, 1e-9))) - 1)
    frame = pl.DataFrame((np.round(values / step) * step).round(6), [f"x{c}" for c in range(11)])
    return frame.with_columns(found=pl.Series(data.target[rows]))


SETS = {"coarse, 4": coarse, "patients, 12": patients, "answers, 20": answers, "cells, 12": cells}
KEYS = {
    "coarse, 4": (["age", "sex", "region"], None), "survey, 12": (["sex", "age", "region"], 3),
    "patients, 12": (["age", "sex", "region"], 3), "answers, 20": (["q0", "q1", "q2"], 3),
    "cells, 12": (["x0", "x1"], 3),
}  # fmt: skip


def halves(name, n, seed):
    """Two halves of twice as many people."""
    whole = survey().sample(2 * n, seed=seed) if name == "survey, 12" else SETS[name](2 * n, seed)
    whole = whole.sample(fraction=1, shuffle=True, seed=seed)
    return whole[:n], whole[n:]


def shuffled(frame, seed):
    return frame.select(pl.col(c).shuffle(seed=seed + k) for k, c in enumerate(frame.columns))


def copula(frame, seed):
    """Normal scores of ranks with the same correlations, and the values of the same ranks."""
    random, n = np.random.default_rng(seed), len(frame)
    orders = [frame[c].arg_sort(nulls_last=True).to_numpy() for c in frame.columns]
    scores = norm.ppf((np.argsort(orders, axis=1) + 0.5) / n)
    drawn = random.multivariate_normal(np.zeros(len(orders)), np.corrcoef(scores), n).T
    ranks = np.clip((norm.cdf(drawn) * n).astype(int), 0, n - 1)
    return pl.DataFrame({
        c: frame[c].gather(order[rank])
        for c, order, rank in zip(frame.columns, orders, ranks, strict=True)
    })  # fmt: skip


def jittered(frame, seed):
    """Every number moved by up to 1 %."""
    random = np.random.default_rng(seed)
    numbers = [c for c in frame.columns if frame[c].dtype.is_numeric()]
    return frame.with_columns(
        pl.Series(c, frame[c].to_numpy() * random.uniform(0.99, 1.01, len(frame))) for c in numbers
    )


def drawn_anew(frame, columns, seed):
    return frame.with_columns(pl.col(c).shuffle(seed=seed + k) for k, c in enumerate(columns))


def in_blocks(frame, seed, size=4):
    """Blocks of columns copied whole and shuffled against each other."""
    names = frame.columns
    blocks = [names[at : at + size] for at in range(0, len(names), size)]
    return pl.concat(
        [frame.select(b).sample(fraction=1, shuffle=True, seed=seed + k)
         for k, b in enumerate(blocks)], how="horizontal",
    )  # fmt: skip


def planted(frame, others, share):
    k = max(1, round(share * len(frame)))
    return pl.concat([others[k:], frame[:k]])


def assessed(name, original, synthetic, with_keys=True, **settings):
    keys, most = KEYS[name]
    targets = [c for c in original.columns if c not in keys][:most] if with_keys else ()
    study = unveil.Study(original, synthetic, keys=keys if with_keys else (), targets=targets)
    return unveil.assess(study, **settings)


def word(result):
    """0, 3, 4, or 4 where too few people can be told."""
    asks = [f for f in result.figures if f.status in ("above limit", "to be decided")]
    alerts = [alert for alert in result.alerts if alert.status != "review"]
    return (
        "4 too few" if result.exit_code == 4 and not asks and not alerts else str(result.exit_code)
    )


def honest(splits, n=2500, names=KEYS):
    """Another half, columns shuffled, a copula: proposed limits, then one's own."""
    for name in names:
        counts = Counter()
        for seed in range(splits):
            original, other = halves(name, min(n, 2500), seed)
            files = {"half": other, "shuffled": shuffled(original, seed)}
            files["copula"] = copula(original, seed)
            for kind, file in files.items():
                for whose, limits in (("proposed", {}), ("yours", YOURS)):
                    result = assessed(name, original, file, limits=limits)
                    counts[kind, whose, word(result)] += 1
                    if word(result) not in ("0", "4 too few"):
                        print("   ", name, kind, seed, whose, result.headline)
        print(name, n, dict(counts), flush=True)


def disclosing(splits, n=2500):
    """Faulty releases; how many end with which code."""
    for name in ("survey, 12", "patients, 12", "answers, 20", "cells, 12"):
        counts = Counter()
        for seed in range(splits):
            original, other = halves(name, n, seed)
            last = original.columns[-2:]
            files = {
                "copy": original, "sample": original.sample(n // 5, seed=seed),
                "jittered": jittered(original, seed),
                "but one": drawn_anew(original, last[:1], seed),
                "but two": drawn_anew(original, last, seed), "blocks": in_blocks(original, seed),
                "planted 1 %": planted(original, other, 0.01),
                "planted 5 %": planted(original, other, 0.05),
            }  # fmt: skip
            for kind, file in files.items():
                result = assessed(name, original, file, with_keys=False)
                counts[kind, word(result)] += 1
        print(name, n, dict(counts), flush=True)


def cart(splits, n=2500):
    """Each figure above its limit, asked of people whose records were not used."""
    for name in ("survey, 12", "patients, 12"):
        for leaf in (5, 33):
            for seed in range(splits):
                original, other = halves(name, n, seed)
                made = unveil.synthesise(unveil.Study(original), leaf=(leaf, 3 * leaf), seed=seed)
                (synthetic,) = made.study.synthetic.values()
                used = assessed(name, original, synthetic, with_keys=False)
                unused = unveil.assess(unveil.Study(original, synthetic, control=other))
                strangers = {(f.what, f.by): f.expected for f in unused.figures}
                print(name, "leaf", leaf, word(used), used.headline)
                for f in used.figures:
                    if f.status in ("above limit", "to be decided") and (f.what, f.by) in strangers:
                        told = f"{f.people:.0f}, from others {f.expected:.0f}"
                        print("   ", f.what, f.by, told, f"unused {strangers[f.what, f.by]:.0f}")


def cost():
    """CPU seconds and peak memory of the call, in one thread."""
    for n, k in ((5_000, 16), (50_000, 20), (1_000_000, 20)):
        original, other = (wide(n, k, seed) for seed in (1, 2))
        study = unveil.Study(original, other)
        start = time.process_time()
        result = unveil.assess(study)
        seconds = time.process_time() - start
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{n:,} x {k}: {seconds:.1f} s, {memory:,.0f} MB, {result.headline}", flush=True)


def wide(n, k, seed):
    """As many columns, a third of them numbers."""
    frames = [patients(n, seed), answers(n, seed + 7, 8)]
    return pl.concat(frames, how="horizontal")[:, :k]


if __name__ == "__main__":
    what, *rest = sys.argv[1:] or ["honest"]
    number = int(rest[0]) if rest else 20
    if what == "small":
        for few in (150, 300, 500, 1_000):
            honest(number, few)
    else:
        {"honest": honest, "disclosing": disclosing, "cart": cart, "cost": lambda _: cost()}[what](
            number
        )
