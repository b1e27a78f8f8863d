"""Invented people: small keys that many share, large ones that few do, five targets."""

import numpy as np
import polars as pl

SMALL = ("sex", "age", "region", "settlement")
LARGE = ("parish", "birthday", "employer", "postcode")
TARGETS = ("education", "marital", "health", "income", "condition")


def people(n: int, seed: int) -> pl.DataFrame:
    """Records drawn at random; a copy is another seed."""
    random = np.random.default_rng(seed)

    def texts(stem: str, shares: list[float]) -> pl.Series:
        levels = pl.Series([f"{stem} {place}" for place in range(len(shares))])
        return levels.gather(random.choice(len(shares), n, p=np.array(shares) / sum(shares)))

    condition = texts("condition", [88, 5, 4, 3])
    nothing = pl.Series([None], dtype=pl.String)
    return pl.DataFrame(
        {
            "sex": texts("sex", [51, 49]),
            "age": random.integers(16, 96, n),
            "region": texts("region", [16 - place for place in range(16)]),
            "settlement": texts("settlement", [4, 3, 2, 2, 1, 1]),
            "parish": texts("parish", [1.0] * 400),
            "birthday": random.integers(0, 366, n),
            "employer": random.integers(0, 500, n),
            "postcode": random.integers(10_000, 10_300, n),
            "education": texts("education", [1, 3, 4, 2]),
            "marital": texts("marital", [5, 3, 1, 1]),
            "health": random.integers(1, 24, n),
            "income": np.round(np.exp(random.normal(7.5, 0.5, n)), -1),
            "condition": condition.zip_with(pl.Series(random.random(n) > 0.02), nothing),
        }
    )
