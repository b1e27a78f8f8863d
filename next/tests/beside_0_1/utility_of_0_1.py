"""Utility as 0.1 measures it; utility.py runs it with the Python of 0.1.

    python utility_of_0_1.py ORIGINAL COPY ...

Prints one JSON document: each figure behind its table, copy, subject and column. Left out is what
only one of them has, or is another thing here: S_pMSE of a tree (other permutations), total
variation of numbers (here in five groups), missing values (0.1 takes special codes for missing),
Spearman's rank correlation, the projection (here factor analysis of mixed data).
"""

import json
import sys
from collections.abc import Iterator
from typing import Any

import unveil

READING: dict[str, Any] = {"special_codes": {"income": [-8]}, "missing_values": ["NA"]}
TABLES = (
    *("df", "dfG", "VW", "FT", "JSD", "G", "pMSE", "SPECKS", "PO50", "U", "MabsDD", "WMabsDD"),
    *("dBhatt", "S_pMSE", "S_FT", "S_JSD", "S_G", "S_WMabsDD"),
)
OVERALL = {"pMSE": "pMSE", "leaves": "n_leaves", "SPECKS": "SPECKS", "PO50": "PO50", "U": "U"}
TERMS = {name: name for name in ("original", "original_se", "synthetic", "synthetic_se", "overlap")}
TERMS |= {"low": "synthetic_low", "high": "synthetic_high", "difference": "difference"}
TERMS |= {"original_low": "original_low", "original_high": "original_high"}
FINDINGS = [
    {"name": "Income", "kind": "mean", "column": "income"},
    {"name": "Women", "kind": "prevalence", "column": "sex", "level": "FEMALE"},
    {"name": "Depressed", "kind": "regression", "formula": "depress ~ age + sex + placesize"},
    {"name": "Abroad", "kind": "regression", "model": "logistic", "formula": "workab ~ age + sex"},
]


def figures(original: str, copies: list[str]) -> Iterator[list[Any]]:
    for model in ("cart", "logit"):
        result = unveil.utility(original, copies, model=model, n_permutations=1, seed=1, **READING)
        for row in result.rows:
            for name, column in OVERALL.items():
                yield ["overall", row.copy, model, name, getattr(row, column)]
            if model == "logit":
                yield ["overall", row.copy, model, "S_pMSE", row.S_pMSE]
    for ways in (1, 2):
        for row in unveil.pair_tables(original, copies, ways=ways, **READING).rows:
            for name in TABLES:
                yield [
                    "statistics",
                    row.copy,
                    " by ".join(sorted(row.variables)),
                    name,
                    getattr(row, name),
                ]
    result = unveil.compare(original, copies, **READING)
    for row in result.rows:
        names = ["wasserstein"] + ["total_variation"] * (row.kind == "category")
        for name in names:
            yield ["columns", row.copy, row.column, name, getattr(row, name)]
    for row in result.associations().to_dicts():
        if row["measure"] == "spearman":
            continue
        for name in ("original", "synthetic"):
            yield [
                "associations",
                row["copy"],
                " by ".join(sorted((row["a"], row["b"]))),
                name,
                row[name],
            ]
    for row in unveil.replicate(original, copies, FINDINGS, **READING).rows:
        scale = 100 if row.unit == "percent" else 1
        term = "(intercept)" if row.term == "intercept" else row.term
        for name, column in TERMS.items():
            value = getattr(row, column)
            if row.copy != "combined" and value is not None:
                yield [
                    "terms",
                    row.copy,
                    f"{row.finding}, {term}",
                    name,
                    value if name == "overlap" else value / scale,
                ]


if __name__ == "__main__":
    print(json.dumps(list(figures(sys.argv[1], sys.argv[2:])), default=str))
