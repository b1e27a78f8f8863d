"""The way of docs/tutorial_release.md on SD2011 in SPSS form, with the figures of Raab (2024)."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from project.whole_way import (
    ANALYST,
    FACTORS,
    OWNER,
    REVIEWER,
    SYNTHPOP,
    Desk,
    write_sd2011_as_spss,
)
from unveil.project.read_project import read_project

N_STEPS = 18

if not SYNTHPOP.is_dir():
    pytest.skip(
        f"{N_STEPS} steps of the tutorial on SD2011 went unchecked: ../shared is not there",
        allow_module_level=True,
    )

KEYS = {"sex", "age", "region", "placesize"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("sd2011")
    write_sd2011_as_spss(place)
    shutil.copyfile(SYNTHPOP / "s1.csv", place / "s1.csv")
    return place


def figure(run: dict[str, Any], measure: str, target: str | None) -> float:
    (value,) = (
        row["value"]
        for row in run["figures"]
        if row["measure"] == measure and row["target"] == target and row["scenario"] == "neighbour"
    )
    return value


@pytest.mark.slow
def test_the_tutorial_holds_on_sd2011(folder, monkeypatch):
    monkeypatch.chdir(folder)
    unveil_ = Desk()

    code, proposal = unveil_.document(
        "init", "sd2011.sav", "--synthetic", "s1.csv", "--by", ANALYST
    )
    assert code == 0
    assert set(proposal["scenarios"][0]["keys"]) == KEYS
    assert proposal["scenarios"][0]["n_unique"] == 2419

    code, first = unveil_.document("run", "--seed", "1")
    assert code == 4
    assert first["run"]["n_original"] == 5000
    rounded = {
        (measure, target): round(figure(first["run"], measure, target), 2)
        for measure, target in (
            ("iS", "depress"),
            ("DiS", "depress"),
            ("DiSCO", "depress"),
            ("DiSDiO", "depress"),
            ("Dorig", "depress"),
            ("DiSCO", "income"),
        )
    }
    assert rounded == {  # Raab (2024), Table 1, first row, and section 3
        ("iS", "depress"): 64.9,
        ("DiS", "depress"): 34.18,
        ("DiSCO", "depress"): 9.54,
        ("DiSDiO", "depress"): 6.14,
        ("Dorig", "depress"): 53.3,
        ("DiSCO", "income"): 4.9,
    }
    assert unveil_("run") == unveil_("run")  # nothing has changed, so no new run is made

    code, printed = unveil_("explain", "workab")
    assert code == 0
    told = " ".join(printed.split())
    assert "2,482 of the 2,605 people" in told
    assert 'unveil rule "neighbour/workab=1" --common-knowledge' in told

    code, tried = unveil_.document("whatif", "--exclude", "workab=NO")
    assert code == 0
    (row,) = (
        one for one in tried["rows"] if one["measure"] == "DiSCO" and one["target"] == "workab"
    )
    assert (round(row["before"], 1), round(row["after"], 2)) == (52.1, 2.46)
    assert read_project().excludes == ()

    said = ("--common-knowledge", "--reason", "nine in ten people", "--by", REVIEWER)
    assert unveil_("rule", "neighbour/workab=1", *said)[0] == 0
    assert unveil_("limits", "--preset", "registered", "--accept", "--by", OWNER)[0] == 0
    for factor, answer in FACTORS.items():
        assert unveil_("answer", factor, answer, "--by", OWNER)[0] == 0

    code, second = unveil_.document("run")
    assert code == 3
    assert second["run"]["number"] == 2
    assert round(figure(second["run"], "DiSCO", "workab"), 2) == 2.46
    statuses = {
        one["target"]: one["status"]
        for one in second["judgement"]["figures"]
        if one["measure"] == "DiSCO"
    }
    assert statuses["workab"] == "within"
    assert statuses["depress"] == "review"

    code, _ = unveil_("decide", "--release", "--by", OWNER, "--note", "useful as it is")
    assert code == 3
    code, decision = unveil_.document(
        "decide", "--refuse", "--by", OWNER, "--note", "too many are alone with their keys"
    )
    assert code == 0
    assert (decision["run"], decision["release"]) == (2, False)

    code, compared = unveil_.document("compare", "1", "2")
    assert code == 0
    assert compared["runs"] == [1, 2]
    code, printed = unveil_("log", "--verify")
    assert code == 0
    assert "2 runs and 1 decision: all as they were written" in printed
    assert unveil_.steps == N_STEPS
