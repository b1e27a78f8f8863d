"""Does the interval of `adds` hold what it promises? Coverage of 0 by simulation.

    python benchmarks/claims.py [draws]

People and synthetic records are drawn independently from one population, so that nobody's own
record is in the synthetic data: what is added is 0 beyond the pattern of the keys. Without
interactions of the keys the one-key pattern is the population's own, and 90 to 99 % of intervals
should contain 0. With interactions an independent file still adds: it teaches the deeper pattern,
which is why `adds` is always shown as "own record or deeper pattern". A third line copies the
people themselves: there the interval should lie above 0.
"""

import sys
import time

import numpy as np
import polars as pl

import unveil

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


def main():
    """Print coverage of 0 for three sizes, without interactions, with them, and of copies."""
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
