"""`init` proposes rules that every row obeys, and none that holds by accident of the ranges."""

import numpy as np
import polars as pl

import unveil
from unveil.measure.structure.propose_rules import propose_rules
from unveil.project.propose import write_project

N = 400


def _waves() -> pl.DataFrame:
    rng = np.random.default_rng(3)
    admitted = 19_000 + rng.integers(0, 300, N)
    los = rng.poisson(5, N)
    age = rng.integers(20, 70, N)
    return pl.DataFrame({
        "admitted": admitted,
        "discharged": admitted + los,
        "los": los,
        "age_0": age,
        "age_1": age + rng.integers(0, 4, N),
        "income": rng.gamma(4, 900, N).round(),  # above every age, which is no rule
        "score_1": rng.normal(0, 1, N),
        "score_2": rng.normal(0.1, 1, N),
    }).with_columns(pl.col("admitted", "discharged").cast(pl.Int32).cast(pl.Date))  # fmt: skip


def test_rules_are_those_that_hold_in_every_row() -> None:
    frame = _waves()
    found = propose_rules(frame, frame.columns)
    assert found == ("los = discharged - admitted", "discharged >= admitted", "age_1 >= age_0")
    once = frame.with_columns(
        pl.when(pl.int_range(N) == 7).then(0).otherwise(pl.col("age_1")).alias("age_1")
    )
    assert "age_1 >= age_0" not in propose_rules(once, once.columns)
    unveil.synthesise(frame, rules=list(found), seed=1)  # all of them can be used as they stand


def test_the_project_file_names_them(tmp_path) -> None:
    _waves().with_columns(ward=pl.Series(["a", "b"] * (N // 2))).write_csv(tmp_path / "stays.csv")
    path, _ = write_project(tmp_path / "stays.csv", tmp_path)
    text = path.read_text()
    assert "\nrules = [\n" in text[text.index("[synthesis]") :]
    assert '"los = discharged - admitted"' in text
