"""Random files with gaps, codes and other types, and every result that engines count too."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import numpy as np
import polars as pl

import unveil

RULES = (
    "health=good", "code=b@sex=m", "missing-targets", "missing-keys=marital",
    "max-denominator=30", "max-denominator-syn=25",
)  # fmt: skip
KEYS = ("age", "sex", "region", "marital")
SETTINGS: dict[str, Any] = {
    "keys": KEYS,
    "targets": ["income", "health", ("ill", "code"), "code"],
    "columns": {
        "income": unveil.Column(special=(-8,), bands=5),
        "age": unveil.Column(bands="equal:20"),
        "code": unveil.Column(tolerance=1, sensitive=("a",)),
    },
    "missing": ("NA",),
    "codebook": pl.DataFrame(
        {"column": ["code"] * 6, "code": list("123456"), "label": list("abcdef")}
    ),
}


def people(n: int, seed: int, *, is_coarse: bool = False) -> pl.DataFrame:
    """Records drawn at random; in coarse files regions are text and some columns are not there."""
    random = np.random.default_rng(seed)
    age = random.integers(16, 96, n)
    income = np.where(random.random(n) < 0.05, -8.0, np.round(np.exp(random.normal(7, 0.4, n))))
    health = np.array(["good", "fair", "poor", "", "NA"])[
        np.minimum(random.geometric(0.55, n) - 1, 4)
    ]
    frame = pl.DataFrame(
        {
            "age": age,
            "sex": np.where(random.random(n) < 0.5, "m", "f"),
            "region": np.minimum(random.geometric(0.2, n), 14),
            "marital": np.where(age < 20, 0, random.integers(0, 5, n)),
            "income": np.where(random.random(n) < 0.01, np.nan, income),
            "health": health,
            "ill": (age > 60) & (random.random(n) < 0.3),
            "code": np.minimum(random.geometric(0.4, n), 6),
        }
    )
    gaps = [
        pl.when(pl.Series(random.random(n) < 0.02)).then(None).otherwise(pl.col(name)).alias(name)
        for name in ("sex", "marital", "ill", "code")
    ]
    frame = frame.with_columns(gaps)
    return frame.with_columns(pl.col("region").cast(pl.String)) if is_coarse else frame


def files(n: int, seed: int = 0) -> list[pl.DataFrame]:
    """An original, two copies, and a control sample."""
    return [
        people(n, seed + 1),
        people(n, seed + 2, is_coarse=True),
        people(n + 7, seed + 3),
        people(n // 2, seed + 4),
    ]


def study_of(sources: list[Any], **settings: Any) -> unveil.Study:
    if len(sources) == 2:
        return unveil.Study(*sources, **SETTINGS | settings)
    original, first, second, control = sources
    versions = {"a": [first, second], "b": first}
    return unveil.Study(original, versions, control=control, **SETTINGS | settings)


def measures(study: unveil.Study, *, few: bool = False) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """What is counted, without what learners say."""
    others = tuple({"health", "code"} - {*study.targets})
    rules = [rule for rule in RULES if not rule.startswith(others)]
    flags = {"expected": False, "thresholds": (10, 50, 2, 60)}
    calls: dict[str, Any] = {
        "disclosure": lambda: unveil.disclosure(study, **flags),
        "exclusions": lambda: unveil.disclosure(study, exclude=rules, **flags),
        "match_risk": lambda: unveil.match_risk(study, fraction=0.1),
        "excess": lambda: unveil.excess(study, exclude=rules[:3]),
        "cap": lambda: unveil.cap(study, groups=("full", "uniques")),
        "key_sets": lambda: unveil.key_sets(study, exclude=rules, expected=False),
    }
    for name in list(calls)[1:3] if few else calls:
        document = msgspec.json.decode(msgspec.json.encode(calls[name]()))
        for aside in ("files", "notes", "gcap"):
            document.pop(aside, None)
        yield name, document


def differences(left: Any, right: Any, at: str = "") -> Iterator[str]:
    """Where two documents differ in any digit."""
    if isinstance(left, dict) and isinstance(right, dict) and left.keys() == right.keys():
        for name in left:
            yield from differences(left[name], right[name], f"{at}.{name}")
    elif isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        for place, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from differences(one, other, f"{at}[{place}]")
    elif left != right:
        yield f"{at}: {left!r} and {right!r}"


def size(document: Any) -> int:
    """How many values it has."""
    inner = document.values() if isinstance(document, dict) else document
    return sum(map(size, inner)) if isinstance(document, dict | list) else 1
