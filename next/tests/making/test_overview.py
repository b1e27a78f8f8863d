"""Versions side by side: each figure is that of the call that measures it."""

from random import Random
from statistics import fmean

import polars as pl
import pytest

import unveil

ABOUT = {
    "keys": ("sex", "age", "region"),
    "targets": ("health", "income"),
    "columns": {"age": {"tolerance": 3}, "income": {"tolerance": 100}},
}


def frame(seed, n=300):
    chance = Random(seed)
    age = [chance.randint(18, 80) for _ in range(n)]
    return pl.DataFrame({
        "sex": chance.choices("fm", k=n), "age": age, "region": chance.choices("abc", k=n),
        "health": chance.choices(["good", "fair", "poor"], (6, 3, 1), k=n),
        "income": [20 * a + round(chance.gauss(1000, 200)) for a in age],
    })  # fmt: skip


RESULTS = [
    {"name": "Income", "kind": "mean", "outcome": "income"},
    {"name": "In good health", "kind": "share", "outcome": "health = 'good'"},
]


@pytest.fixture(scope="module")
def study():
    """A copy of everyone, and other people."""
    return unveil.Study(
        frame(1), {"copy": frame(1), "others": [frame(2), frame(3)]}, control=frame(4), **ABOUT
    )


@pytest.fixture(scope="module")
def rows(study):
    result = unveil.overview(study, results=RESULTS, seed=1)
    return {(row.version, row.copy): row for row in result.overview}


def of_copy(rows, version, copy):
    return [row for row in rows if (row.version, row.copy) == (version, copy)]


FILES = [("copy", 1), ("others", 1), ("others", 2)]


@pytest.mark.parametrize("file", FILES)
def test_disclosure_is_of_the_target_that_is_shown_most(study, rows, file):
    result = unveil.disclosure(study, expected=False)
    attribute = [row for row in of_copy(result.attribute, *file) if row.unit == "records"]
    worst = max(attribute, key=lambda row: row.DiSCO)
    assert (rows[file].DiSCO, rows[file].DiSCO_worst) == (worst.DiSCO, worst.target)
    assert rows[file].repU == of_copy(result.identity, *file)[0].repU
    excess = of_copy(unveil.excess(study, figures="DiSCO").excess, *file)
    assert max(row.R for row in excess) == rows[file].R
    assert max(row.GTCAP for row in of_copy(unveil.gtcap(study).gtcap, *file)) == rows[file].GTCAP


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("attack", ["singling_out", "linkability", "inference"])
def test_attacks_are_told_beyond_the_control_sample(study, rows, file, attack):
    attacks = of_copy(getattr(unveil, attack)(study, seed=1).attacks, *file)
    assert getattr(rows[file], attack) == max(row.R for row in attacks)
    without = study.replace(control=None)
    attacks = of_copy(getattr(unveil, attack)(without, seed=1).attacks, *file)
    expected = max((row.main - row.naive) / (1 - row.naive) for row in attacks)
    alone = unveil.overview(without, figures=attack, seed=1).overview
    assert getattr(of_copy(alone, *file)[0], attack) == pytest.approx(expected)


@pytest.mark.parametrize("file", FILES)
def test_utility_is_that_of_the_tree_and_of_published_results(study, rows, file):
    overall = of_copy(unveil.utility(study, seed=1).overall, *file)[0]
    row = rows[file]
    assert (row.pMSE, row.S_pMSE, row.S_pMSE_worst) == (overall.pMSE, overall.S_pMSE, overall.worst)
    terms = of_copy(unveil.replicate(study, RESULTS).terms, *file)
    assert row.overlap == pytest.approx(fmean(term.overlap for term in terms))


def test_an_exact_copy_has_all_of_the_risk_and_others_hardly_any(rows):
    copy, others = rows["copy", 1], rows["others", 1]
    assert pytest.approx(1) == copy.GTCAP
    assert copy.overlap == pytest.approx(1)
    assert copy.DiSCO > 2 * others.DiSCO
    assert copy.singling_out > 0.5 > others.singling_out
    assert copy.R > 0.5 > abs(others.R)


def test_copies_have_a_mean_that_names_no_worst(rows):
    mean = rows["others", "mean"]
    assert mean.DiSCO == pytest.approx(fmean(rows["others", copy].DiSCO for copy in (1, 2)))
    assert mean.DiSCO_worst == mean.S_pMSE_worst == ""


def test_only_the_figures_asked_for_are_measured(study):
    (row, *_) = unveil.overview(study, figures=("repU", "S_pMSE")).overview
    assert row.repU is not None
    assert row.S_pMSE is not None
    assert row.DiSCO is row.pMSE is row.GTCAP is None


def test_what_the_files_do_not_allow_is_empty_and_a_note_says_why():
    study = unveil.Study(frame(1), {"A": frame(2)}, targets=("health", "income"))
    result = unveil.overview(study, seed=1)
    (row,) = result.overview
    assert row.S_pMSE is not None
    assert row.DiSCO is row.GTCAP is row.ECAP is row.overlap is None
    said = {note.about: note.sentence for note in result.notes}
    assert "no keys" in said["repU"]
    assert "no keys" in said["R"]
    assert "overlap" not in said


def test_a_wrong_figure_is_refused_with_the_nearest():
    with pytest.raises(unveil.InputError, match="Did you mean 'DiSCO'"):
        unveil.overview(unveil.Study(frame(1), frame(2), **ABOUT), figures="DISCO")


def test_the_map_has_a_point_for_each_version(study):
    spec = unveil.overview(study, figures=("DiSCO", "S_pMSE"), seed=1).chart("map")
    points = {point["label"]: (point["x"], point["y"]) for point in spec["data"]["values"]}
    assert [*points] == ["copy", "others"]
    assert points["copy"][1] > points["others"][1]


def test_sentences_tell_risk_and_utility_of_each(study):
    result = unveil.overview(study, figures=("DiSCO", "DiSCO_worst", "S_pMSE"), seed=1)
    row = result.overview[0]
    assert result.sentences[0] == (
        f"copy: {row.DiSCO:.1f} % of people would be disclosed correctly on {row.DiSCO_worst};"
        f" S_pMSE is {row.S_pMSE:.1f} (1 by chance)."
    )
