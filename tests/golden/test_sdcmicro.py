"""unveil against frequencies, risk and l-diversity of sdcMicro 5.8.1."""

import csv
import json
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from unveil.measure.uniques.match_risk import match_risk

WHERE = "../shared/reference/sdcmicro"
FOLDER = Path(__file__).parents[2] / WHERE
SETS = {
    "f01_small5": "s05_small5",
    "f02_small5_weights": "s05_small5",
    "f03_missing": "s06_missing",
    "f04_medium6_weights": "m01_medium6",
    "f05_testdata": "x02_testdata",
}
FIGURES = 34_651
SUFFIXES = {"": 1.0, "_alpha0.5": 0.5, "_alpha0": 0.0}
DIVERSITY = {"distinct": "Distinct", "entropy": "Entropy", "recursive": "Recursive"}

if not FOLDER.exists():
    pytest.skip(
        f"{FIGURES:,} reference figures of test_sdcmicro went unchecked: {WHERE} is not there",
        allow_module_level=True,
    )


@cache
def totals(name: str) -> dict:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


@cache
def records(name: str) -> list[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def numbers(name: str, column: str) -> list[float]:
    return [float(row[column]) for row in records(name)]


@cache
def measured(name: str, suffix: str = ""):
    path = FOLDER.parent / "suda" / f"{SETS[name]}.csv"
    data = pl.read_csv(path, infer_schema=False).with_columns(w=pl.Series(numbers(name, "w")))
    return match_risk(
        data,
        keys=totals(name)["keys"],
        weights="w",
        sensitive=totals(name).get("ldiversity_sensitive"),
        alpha=SUFFIXES[suffix],
    )


CASES = [
    (name, suffix) for name in SETS for suffix in (SUFFIXES if name == "f03_missing" else [""])
]


@pytest.mark.parametrize(("name", "suffix"), CASES)
def test_frequencies(name, suffix):
    result = measured(name, suffix)
    found = result.frame()
    assert found["fk"].to_list() == numbers(name, f"fk{suffix}")
    assert found["Fk"].to_list() == pytest.approx(numbers(name, f"Fk{suffix}"), rel=1e-12)
    wanted = totals(name)
    assert [(row.k, row.n) for row in result.record.anonymity] == [
        (k, wanted[f"violate_{k}_anonymity{suffix}"]) for k in (2, 3, 5)
    ]
    for n_others, field in ((1, "n1"), (2, "n2")):
        assert (found["fk"] == n_others).sum() == wanted[f"{field}{suffix}"]


@pytest.mark.parametrize("name", [name for name in SETS if name != "f01_small5"])
def test_individual_and_global_risk(name):
    result = measured(name)
    for column in ("rk", "sdc_risk"):
        assert result.frame()["rk"].to_list() == pytest.approx(numbers(name, column), rel=1e-12)
    wanted = totals(name)
    for field in ("global_risk", "sdc_global_risk"):
        assert result.global_risk == pytest.approx(wanted[field], rel=1e-12)
    for field in ("global_risk_expected_reidentifications", "sdc_risk_ER"):
        assert result.expected_reidentifications == pytest.approx(wanted[field], rel=1e-12)


@pytest.mark.parametrize("kind", DIVERSITY)
@pytest.mark.parametrize("name", ["f02_small5_weights", "f04_medium6_weights"])
def test_diversity(name, kind):
    wanted = numbers(name, f"ldiv_sens_{DIVERSITY[kind]}_Ldiversity")
    assert measured(name).frame()[kind].to_list() == pytest.approx(wanted, rel=1e-12)


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    n_figures = 0
    for name in SETS:
        columns = [one for one in records(name)[0] if one not in ("record", "w")]
        checked = [one for one in columns if not one.startswith("ldiv_Multi")]
        n_figures += len(checked) * len(records(name))
        fields = ("n1", "n2", "violate", "global_risk", "sdc_global", "sdc_risk")
        n_figures += sum(one.startswith(fields) for one in totals(name))
    assert n_figures == FIGURES
