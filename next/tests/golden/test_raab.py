"""Tables 1 to 3 of Raab (2024) as printed, with figures of sections 3.4 and 5; some of R's digits.

R computed Tables 2 and 3 once more (golden.json): all DiSCO of another synthesis of Adult, and the
control sample of Table 3, are held to its 17 digits.

Left out, for the data behind them are not there:

- Table 1: rows 2 to 5 are other random draws. DCAP of row 1 is 16.20 in print; Table 3 prints
  16.39 of the same data, and that is right.
- Table 2: its DiSCO. The levels without which its columns are counted are the paper's; by our flags
  `hours.per.week=40` would be one, whose DiSCO synthpop gets wrong.
- Section 3.4: "93 % of all disclosive records"; in these data 95.3, for synthpop too.
"""

import json
from functools import cache
from itertools import product

import pytest

import unveil
from reference import FIGURES, Figures, differing, reference

GOLDEN = json.loads(reference("synthpop/golden.json").read_text())
POLAND, ADULT = ("sex", "age", "region", "placesize"), ("age", "sex", "occupation", "race")

TABLE_1 = {
    ("depress", "iS"): 64.90,
    ("depress", "DiS"): 34.18,
    ("depress", "DiSCO"): 9.54,
    ("depress", "DiSDiO"): 6.14,
    ("depress", "max_denom"): 3.00,
    ("depress", "mean_denom"): 1.16,
}
WITHOUT_NO = {
    ("workab", "DiSCO"): 2.46,
    ("workab", "DCAP"): 3.21,
    ("workab", "DiSCO", "R"): 0.51,
    ("workab", "DCAP", "R"): 0.55,
}

COMMON = ("capital.gain=0", "capital.loss=0", "native.country=United-States")
COLUMNS_2 = ("all", "levels", "levels_missing", "levels_missing_large", "large")
TABLE_2 = {
    "capital.gain": (22.55, 0.21, 0.21, 0.21, 2.68),
    "capital.loss": (30.61, 0.08, 0.08, 0.08, 2.68),
    "education.num": (3.71, 3.71, 3.71, 2.68, 2.68),
    "hours.per.week": (4.36, 4.36, 4.36, 2.68, 2.68),
    "income": (4.97, 4.97, 3.51, 1.74, 2.68),
    "marital.status": (8.23, 8.23, 8.23, 2.68, 2.68),
    "native.country": (17.09, 0.94, 0.83, 0.73, 2.68),
    "relationship": (5.17, 5.17, 5.17, 2.68, 2.68),
    "workclass": (14.27, 14.27, 9.14, 2.45, 2.68),
}

COLUMNS_3 = tuple(product(("DiSCO", "DCAP"), ("all", "training", "control", "R")))
TABLE_3 = {
    "income": (4.90, 5.53, 1.90, 0.04, 8.91, 9.06, 2.92, 0.06),
    "depress": (9.54, 9.45, 4.20, 0.05, 16.39, 15.98, 5.80, 0.11),
    "ls": (13.78, 11.88, 8.60, 0.04, 23.03, 19.79, 12.53, 0.08),
    "marital": (35.18, 34.50, 21.30, 0.17, 43.66, 41.50, 24.94, 0.22),
    "workab": (52.10, 49.28, 31.30, 0.26, 56.56, 52.92, 33.31, 0.29),
}


def open_files(*names: str, **settings: object) -> unveil.Study:
    original, synthetic = (reference(f"synthpop/{name}.csv") for name in names)
    return unveil.Study(original, synthetic, **settings)


@cache
def measure_poland(*exclude: str) -> Figures:
    """Figures of the first synthesis, and the part of each that exclusions explain."""
    study = open_files("sd2011_ods", "s1", keys=POLAND)
    result = unveil.disclosure(study, exclude=exclude, expected=False)
    figures = {
        (row["target"], column): value
        for row in result.frame("attribute").to_dicts()
        for column, value in row.items()
    }
    return figures | {(row.target, row.figure, "R"): row.R for row in result.effect}


@cache
def measure_adult() -> Figures:
    study = open_files("adult", "adult_syn", keys=ADULT)
    rows = unveil.disclosure(study, exclude=COMMON, expected=False).exclusions
    return {(r.target, r.figure, name): getattr(r, name) for r in rows for name in COLUMNS_2}


@cache
def measure_excess() -> Figures:
    control = reference("synthpop/control.csv")
    study = open_files("train", "syntrain", control=control, keys=POLAND)
    rows, columns = unveil.excess(study).excess, ("training", "control", "R")
    figures = {(r.target, r.figure, name): getattr(r, name) for r in rows for name in columns}
    return figures | {(*place, "all"): value for place, value in measure_poland().items()}


def test_row_1_of_table_1() -> None:
    assert differing(measure_poland(), TABLE_1, digits=2) == {}


def test_workab_without_no() -> None:
    assert differing(measure_poland("workab=NO"), WITHOUT_NO, digits=2) == {}


def test_income_in_twenty_bands() -> None:
    columns = {"income": unveil.Column(bands=20, special=(-8,))}
    study = open_files("sd2011_ods", "s1", keys=POLAND, targets="income", columns=columns)
    assert round(unveil.disclosure(study, expected=False).attribute[0].DiSCO, 2) == 6.14


@pytest.mark.parametrize("target", TABLE_2)
def test_the_original_in_table_2(target: str) -> None:
    places = product([target], ["Dorig"], COLUMNS_2)
    printed = dict(zip(places, TABLE_2[target], strict=True))
    assert differing(measure_adult(), printed, digits=2) == {}


@pytest.mark.parametrize("target", TABLE_2)
def test_the_digits_of_r_in_table_2(target: str) -> None:
    assert differing(measure_adult(), digits_2(target)) == {}


def digits_2(target: str) -> Figures:
    """Five calls of R for a target; where they are wrong, what is right (see test_synthpop)."""
    cases = {case["id"]: case["syntheses"][0] for case in GOLDEN["cases"]}
    return {
        (target, figure, name): synthesis.get("aligned_values", synthesis["attrib"])[figure]
        for column, name in enumerate(COLUMNS_2)
        for synthesis in [cases[f"adult.column{column}.{target}"]]
        for figure in ("Dorig", "DiSCO")
    }


@pytest.mark.parametrize("target", TABLE_3)
def test_table_3(target: str) -> None:
    places = [(target, *place) for place in COLUMNS_3]
    printed = dict(zip(places, TABLE_3[target], strict=True))
    assert differing(measure_excess(), printed, digits=2) == {}
    rows = {row.pop("target"): row.values() for row in map(dict, GOLDEN["multi"]["table3"])}
    assert differing(measure_excess(), dict(zip(places, rows[target], strict=True))) == {}


def test_the_last_line_counts_all_of_these_figures() -> None:
    rows = [*TABLE_2.values(), *TABLE_3.values(), *TABLE_3.values()]
    tables = [TABLE_1, WITHOUT_NO, {"income": 6.14}, *map(digits_2, TABLE_2)]
    assert sum(map(len, [*rows, *tables])) == FIGURES["synthpop/adult.csv"][1]
