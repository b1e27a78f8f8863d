"""Every figure that a limit can be held against, out of the records of a run."""

import pytest

from project.run_projects import HEAD, SCENARIO, project
from unveil.project.figures import ATTRIBUTE, IDENTITY, list_figures
from unveil.project.run import run_project
from unveil.project.store import load_parts
from unveil.records.judgement import FigureRow
from unveil.records.limits import MEASURES
from unveil.records.report import Parts
from unveil.records.run import Run

TWO = HEAD.replace('["copy.csv"]', '["copy.csv", "copy_2.csv"]') + 'control = "control.csv"\n'
RADII = "radii = { age = 3, income = 50 }\n"
TABLE = '\n[[table]]\nname = "towns"\ndims = ["sex", "town"]\nn_max = 3\n'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Parts]:
    folder = tmp_path_factory.mktemp("figures")
    run = run_project(project(folder, SCENARIO + RADII, TABLE, head=TWO, copies=2), seed=1)
    return run, load_parts(folder, run)


def rows(run: Run, measure: str, kind: str) -> list[FigureRow]:
    return [
        row for row in run.figures if row.measure == measure and run.part(row.part).kind == kind
    ]


@pytest.mark.slow
def test_figures_of_a_run_are_those_of_its_records(made: tuple[Run, Parts]) -> None:
    run, parts = made
    record = parts["disclosure neighbour"]
    copies = (1, 2, "pooled")
    for measure in IDENTITY:
        found = rows(run, measure, "disclosure")
        assert [(row.copy, row.value) for row in found] == [
            (copy, getattr(record.identity_of(copy), measure)) for copy in copies
        ]
    for measure in ATTRIBUTE:
        for row in rows(run, measure, "disclosure"):
            assert row.copy != "mean"
            assert row.target is not None
            assert row.value == getattr(record.attribute_of(row.target, row.copy), measure)
        assert len(rows(run, measure, "disclosure")) == 3 * len(copies)


@pytest.mark.slow
def test_what_the_original_gives_away_stands_beside(made: tuple[Run, Parts]) -> None:
    run, parts = made
    record = parts["disclosure neighbour"]
    for measure, beside in (("DiSCO", "Dorig"), ("DiSDiO", "Dorig"), ("DCAP", "CAPd")):
        for row in rows(run, measure, "disclosure"):
            of_row = record.attribute_of(row.target, row.copy)
            assert row.companion == getattr(of_row, beside)
    for row in rows(run, "repU", "disclosure"):
        assert row.companion == record.identity_of(row.copy).UiO


def test_other_measures_give_their_figures(made: tuple[Run, Parts]) -> None:
    run, parts = made
    suda, risk = parts["suda neighbour"], parts["match_risk neighbour"]
    assert [row.value for row in rows(run, "unique", "suda")] == [
        100 * suda.n_uniques / suda.n_records
    ]
    assert [row.value for row in rows(run, "match_risk", "match_risk")] == [risk.global_risk]
    gtcap = parts["gtcap neighbour work"]
    found = [row for row in rows(run, "GTCAP", "gtcap") if row.target == "work"]
    assert [(row.copy, row.value) for row in found] == [
        (one.copy, one.mean) for one in gtcap.copies if one.copy != "mean"
    ]
    sap = parts["sap towns"]
    assert [(row.subject, row.value) for row in rows(run, "SAP", "sap")] == [
        (f"n = {n}", upper) for n, upper in zip(sap.n, sap.upper, strict=True)
    ]


def test_attacks_give_R_of_the_copy_they_were_made_on(made: tuple[Run, Parts]) -> None:
    run, parts = made
    for copy in (1, 2):
        record = parts[f"inference neighbour copy {copy}"]
        found = [row for row in rows(run, "R", "inference") if row.copy == copy]
        assert [(row.target, row.subject, row.value) for row in found] == [
            (one.target, "inference", one.R) for one in record.rows
        ]
        advantage = parts[f"membership copy {copy}"].headline.advantage
        found = [row for row in rows(run, "membership", "membership") if row.copy == copy]
        assert [row.value for row in found] == [advantage]
    excess = rows(run, "R", "excess")
    assert {row.subject for row in excess} == {"DiSCO"}
    assert "mean" not in {row.copy for row in excess}


def test_utility_is_of_the_whole_and_of_every_pair(made: tuple[Run, Parts]) -> None:
    run, parts = made
    whole = rows(run, "S_pMSE", "utility")
    assert [(row.copy, row.subject) for row in whole] == [(1, None), (2, None)]
    pairs = rows(run, "S_pMSE", "tables")
    assert len(pairs) == 2 * 10
    first = parts["tables"].rows[0]
    assert (pairs[0].subject, pairs[0].value) == (" x ".join(first.variables), first.S_pMSE)


def test_every_figure_is_one_that_a_limit_can_be_set_on(made: tuple[Run, Parts]) -> None:
    run, _ = made
    assert {row.measure for row in run.figures} <= set(MEASURES)
    for row in run.figures:
        assert run.part(row.part).kind in MEASURES[row.measure].kinds or row.measure == "S_pMSE"


def test_a_record_without_figures_has_none(made: tuple[Run, Parts]) -> None:
    run, parts = made
    for kind in ("cap", "tcap", "compare", "projection", "structure", "exclusion_table"):
        part = run.list_parts(kind)[0]
        assert list_figures(part, parts[part.name]) == ()
