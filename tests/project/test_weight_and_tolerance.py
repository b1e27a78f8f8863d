"""A project with sampling weights and a tolerance: the same figures as the library's."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.errors import InputError
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.run_result import RunResult

PROJECT = """\
schema = 1
title = "Survey"
[data]
original = "original.csv"
synthetic = ["copy.csv"]
[roles]
weight = "w"
[[scenario]]
name = "neighbour"
keys = ["sex", "age"]
targets = ["income"]
tolerance = {income = 10}
measures = ["disclosure", "cap"]
"""


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(1)
    for seed, name in enumerate(("original", "copy")):
        made = {"sex": rng.integers(0, 2, 150), "age": rng.integers(20, 60, 150)}
        made["income"] = made["age"] * 10 + rng.integers(0, 12, 150)
        if not seed:
            made["w"] = rng.integers(1, 9, 150)
        pl.DataFrame(made).write_csv(tmp_path / f"{name}.csv")
    (tmp_path / "project.toml").write_text(PROJECT)
    return tmp_path


def test_the_run_has_both(folder):
    project = read_project(folder)
    parts = RunResult.of(project, run_project(project, by="Ann Bell, analyst")).parts
    asked = {"keys": ["sex", "age"], "weights": "w"}
    files = (folder / "original.csv", folder / "copy.csv")
    found = unveil.disclosure(*files, targets="income", tolerance={"income": 10}, **asked).record
    record = parts["disclosure neighbour"]
    assert (record.weighted, record.tolerance) == (found.weighted, found.tolerance)
    assert record.tolerance[0].n_correct > 0
    cap = unveil.cap(*files, target="income", **asked).record
    full = [row for row in parts["cap neighbour income"].weighted if row.scenario == "full"]
    assert [row.cap_synthetic_zero for row in full] == [
        row.cap_synthetic_zero for row in cap.weighted
    ]


def test_weights_that_are_a_key_are_refused(folder):
    text = PROJECT.replace('keys = ["sex", "age"]', 'keys = ["sex", "w"]')
    (folder / "project.toml").write_text(text)
    with pytest.raises(InputError, match="'w' has the weights, so it cannot be a key"):
        read_project(folder)
