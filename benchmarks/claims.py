"""Does the interval of `adds` hold what it promises? Coverage of 0 by simulation.

    python benchmarks/claims.py [draws] [--two-keys]

People and synthetic records are drawn independently from one population, so that nobody's own
record is in the synthetic data: what is added is 0 beyond the pattern of the keys. Without
interactions of the keys the one-key pattern is the population's own, and 90 to 99 % of intervals
should contain 0. With interactions an independent file still adds: it teaches the deeper pattern,
which is why `adds` is always shown as "own record or deeper pattern". A third line copies the
people themselves: there the interval should lie above 0. With --two-keys the pattern is raked to
every table of two keys instead, and to those tables of two keys that raise the log score.
"""

import sys
import time
from itertools import combinations

import numpy as np
import polars as pl

import unveil
from unveil.measure.disclosure.pattern import FOLDS, KeyedCells, rake

LEVELS = (2, 12, 8, 5)
N_VALUES = 4
SIZES = (1_000, 4_000, 16_000)


def population(rng, interaction):
    """Scores of the values of t: main effects of four keys, and an interaction of two of them."""
    main = [rng.normal(0, 0.7, (n, N_VALUES)) for n in LEVELS]
    pair = interaction * rng.normal(0, 1, (LEVELS[1], LEVELS[2], N_VALUES))
    return main, pair


def draw(rng, n, main, pair):
    """So many people or records of the population."""
    keys = [rng.integers(0, levels, n) for levels in LEVELS]
    score = sum(effect[key] for effect, key in zip(main, keys, strict=True))
    score = score + pair[keys[1], keys[2]] + rng.gumbel(size=(n, N_VALUES))
    columns = {f"k{i}": key for i, key in enumerate(keys)} | {"t": score.argmax(axis=1)}
    return pl.DataFrame(columns).cast(pl.String)


def cross_fit(q, t, fold, margins):
    """P(t | q) of each person by the people of the other folds, raked to some tables."""
    found = np.zeros((len(t), N_VALUES))
    codes = tuple(np.array(np.unravel_index(np.arange(np.prod(LEVELS)), LEVELS)))
    for f in range(FOLDS):
        mine = fold == f
        cells, n = np.unique(q[~mine] * N_VALUES + t[~mine], return_counts=True)
        others = KeyedCells(codes, cells // N_VALUES, cells % N_VALUES, n, N_VALUES)
        raked = rake(others, margins)
        of_value = [raked.share(q[mine], np.full(mine.sum(), value)) for value in range(N_VALUES)]
        found[mine] = np.stack(of_value, axis=1)
    return found


def log_score(found, t):
    """How well the values of people are told by others."""
    return np.log(np.maximum(found[np.arange(len(t)), t], 1e-3)).sum()


def choose_tables(q, t, fold):
    """Tables of one key, and those of two keys that raise the log score, the best first."""
    margins = [(key,) for key in range(len(LEVELS))]
    left = list(combinations(range(len(LEVELS)), 2))
    best = cross_fit(q, t, fold, margins)
    while left:
        tried = [(cross_fit(q, t, fold, [*margins, pair]), pair) for pair in left]
        found, pair = max(tried, key=lambda one: log_score(one[0], t))
        if log_score(found, t) <= log_score(best, t):
            break
        best = found
        margins.append(pair)
        left.remove(pair)
    return best


def score_patterns(rng, n, of):
    """What is added, and half its interval, of one draw by each pattern."""
    files = []
    for _ in range(2):
        columns = draw(rng, n, *of).cast(pl.Int64).to_numpy().T
        files.append((np.ravel_multi_index(tuple(columns[:-1]), LEVELS), columns[-1]))
    (q, t), (s_q, s_t) = files
    s = np.bincount(s_q * N_VALUES + s_t, minlength=np.prod(LEVELS) * N_VALUES)
    s = s.reshape(-1, N_VALUES)
    is_single = (s.max(axis=1) == s.sum(axis=1)) & s.any(axis=1)
    v = np.where(is_single, s.argmax(axis=1), -1)[q]
    fold, who = rng.integers(0, FOLDS, n), v >= 0
    one, two = ([*combinations(range(len(LEVELS)), size)] for size in (1, 2))
    for kind, found in (
        ("one key", cross_fit(q, t, fold, one)),
        ("all of two keys", cross_fit(q, t, fold, two)),
        ("chosen", choose_tables(q, t, fold)),
    ):
        by_q = np.bincount(q[who], (v == t)[who] - found[who, v[who]])
        yield kind, by_q.sum(), 1.96 * np.sqrt(by_q @ by_q)


def two_keys(draws):
    """Print coverage of 0 with deeper patterns."""
    for name, interaction in (("no", 0.0), ("weak", 0.3), ("strong", 1.5)):
        for n in SIZES:
            found = {}
            for number in range(draws if n < SIZES[-1] else draws // 2):
                rng = np.random.default_rng([number, n])
                for kind, adds, half in score_patterns(rng, n, population(rng, interaction)):
                    found.setdefault(kind, []).append((abs(adds) <= half, 100 * adds / n))
            for kind, rows in found.items():
                held, adds = np.mean(rows, axis=0)
                print(
                    f"{name:7} interaction, n = {n:6,}, {kind:16}: {100 * held:5.1f} %, adds"
                    f" {adds:+.2f}",
                    flush=True,
                )


def main():
    """Print coverage of 0 for three sizes, without interactions, with them, and of copies."""
    if "--two-keys" in sys.argv:
        two_keys(int(next((one for one in sys.argv[1:] if one.isdigit()), 40)))
        return
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    keys = [f"k{i}" for i in range(len(LEVELS))]
    print(f"{draws} draws; intervals of adds that contain 0, and the mean of adds in % of people")
    for name, interaction, is_copied in (
        ("no interaction, independent", 0.0, False),
        ("weak interaction, independent", 0.3, False),
        ("strong interaction, independent", 1.5, False),
        ("no interaction, half the records copied", 0.0, True),
    ):
        for n in SIZES:
            start = time.process_time()
            held, adds = 0, []
            for number in range(draws):
                rng = np.random.default_rng([number, n])
                of = population(rng, interaction)
                people, records = draw(rng, n, *of), draw(rng, n, *of)
                if is_copied:
                    records = pl.concat([people[: n // 2], records[n // 2 :]])
                row = unveil.claims(people, records, keys=keys, targets="t").record.row_of("t", 1)
                held += row.low <= 0 <= row.high
                adds.append(row.percent("adds"))
            seconds = time.process_time() - start
            print(
                f"{name:40} n = {n:6,}: {100 * held / draws:5.1f} % contain 0, adds"
                f" {np.mean(adds):+.2f} (sd {np.std(adds):.2f}), {seconds:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
