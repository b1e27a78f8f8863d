"""Small tables whose figures were counted one by one, as fractions (cases.json, SPEC.md B).

All 50 cases of CAP: Raab's measures of the first synthetic file, of one target and of two together,
with missing values. Their other figures are those of `cap` and `gtcap`.
"""

import json
from fractions import Fraction
from typing import Any

import polars as pl
import pytest

import unveil
from reference import FIGURES, Figures, differing, reference

DOCUMENT = json.loads(reference("measures/cases.json").read_text())
CASES = {case["id"]: case for case in DOCUMENT["cases"] if case["measure"] == "cap"}


def measured(case: dict[str, Any]) -> Figures:
    tables = case["input"]
    names = [f"c{place}" for place in range(len(tables["original"][0]))]
    original, synthetic = (
        pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)
        for rows in (tables["original"], tables["synthetic"][0])
    )
    keys, target = ([names[place] for place in tables[role]] for role in ("keys", "targets"))
    targets = target if len(target) == 1 else [tuple(target)]
    study = unveil.Study(original, synthetic, keys=keys, targets=targets)
    result = unveil.disclosure(study, expected=False)
    rows = {"identity": result.identity[0], "attribute": result.attribute[0]}
    return {
        (table, name): getattr(row, name)
        for table, row in rows.items()
        for name in row.__struct_fields__
    }


def published(case: dict[str, Any]) -> Figures:
    expected = case["expected"]
    figures: dict[tuple[str, ...], Any] = {
        ("attribute", name): None if figure is None else float(Fraction(figure))
        for name, figure in expected["raab_m1"].items()
    }
    figures["identity", "matched"] = expected["nested"][0]["n_match"]
    figures["identity", "unique"] = expected["uniques"]["n"]
    return figures


@pytest.mark.parametrize("name", CASES)
def test_a_small_table_gives_the_figures_counted_one_by_one(name: str) -> None:
    assert differing(measured(CASES[name]), published(CASES[name])) == {}


def test_the_last_line_counts_all_of_these_figures() -> None:
    others = 6_266 + 3_008 + 1_546  # of attribution, tables of counts, ECAP and distance filter
    n = sum(map(len, map(published, CASES.values())))
    assert n + others == FIGURES["measures/cases.json"][1]
