"""Invented people, and releases of them that disclose or do not."""

import numpy as np
import polars as pl


def people(n, seed):
    random = np.random.default_rng(seed)
    age, wealth = random.integers(18, 90, n), random.normal(size=n)
    return pl.DataFrame({
        "sex": random.choice(["f", "m"], n), "age": age,
        "region": random.choice(list("abcdefgh"), n),
        "income": np.round(np.exp(9 + age / 100 + 0.5 * wealth), -1),
        "weight": np.round(70 + 12 * random.normal(size=n), 1),
        "visits": random.poisson(2 + age / 30),
        "illness": random.choice(["none", "flu", "asthma", "heart"], n, p=[0.5, 0.25, 0.15, 0.1]),
        "rent": np.round(600 + 300 * wealth + 100 * random.normal(size=n)),
    })  # fmt: skip


def drawn_anew(frame, *columns):
    """Some columns shuffled: whose the others are is not."""
    return frame.with_columns(pl.col(c).shuffle(seed=k) for k, c in enumerate(columns))


def jittered(frame, seed=1):
    """Every number moved by up to 1 %."""
    random = np.random.default_rng(seed)
    numbers = [c for c in frame.columns if frame[c].dtype.is_numeric()]
    return frame.with_columns(
        pl.Series(c, frame[c].to_numpy() * random.uniform(0.99, 1.01, len(frame))) for c in numbers
    )


def planted(frame, others, share):
    k = round(share * len(frame))
    return pl.concat([others[k:], frame[:k]])
