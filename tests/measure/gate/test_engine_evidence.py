"""The gate of releases whose records an engine keeps: whole, or in shares."""

import json

import numpy as np
import polars as pl
import pytest
from msgspec.structs import replace

import unveil
from unveil.cli import main
from unveil.errors import EngineError
from unveil.examples import survey, survey_synthetic
from unveil.measure.gate import engine_evidence
from unveil.study.engine_study import EngineStudy

MOST = 3_000


@pytest.fixture
def is_large(monkeypatch):
    """Memory holds no more than 3,000 of the 10,000 records."""
    monkeypatch.setattr(engine_evidence, "MOST_BROUGHT", MOST)
    monkeypatch.setattr(engine_evidence, "LEAST_BROUGHT", MOST)


def assessed(tmp_path, synthetic, engine="chunks", original=None, **asked):
    """The assessment of a release by an engine."""
    copies = synthetic if isinstance(synthetic, list) else [synthetic]
    paths = [tmp_path / f"{number}.parquet" for number in range(len(copies) + 1)]
    for frame, path in zip(
        [survey() if original is None else original, *copies], paths, strict=True
    ):
        frame.write_parquet(path)
    with unveil.use_engine(engine, spill=tmp_path):
        return unveil.assess(paths[0], paths[1:], **asked)


def shuffled(frame, seed=1):
    return frame.sample(fraction=1, shuffle=True, seed=seed)


ENGINES = ["chunks", pytest.param("duckdb", marks=pytest.mark.large)]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_release_that_memory_holds_is_assessed_as_there(engine, tmp_path):
    asked = {"keys": ["sex", "age"], "targets": "income", "limits": {"DiSCO": 10}}
    here = unveil.assess(survey(), survey_synthetic(), **asked)
    there = assessed(tmp_path, survey_synthetic(), engine, **asked)
    same = ("whole", "single", "copied", "codings")  # the rest asks for neighbours in the file
    for name in (*same, "own", "near", "groups") if engine == "chunks" else same:
        assert getattr(there.record.evidence, name) == getattr(here.record.evidence, name)
    assert [one.id for one in there.alerts] == [one.id for one in here.alerts]
    assert there.exit_code == here.exit_code == 0
    assert there.disclosure.record.key_sets == here.disclosure.record.key_sets


@pytest.mark.parametrize("engine", ENGINES)
def test_what_columns_and_whole_records_say_is_exact(engine, tmp_path, is_large):
    copied = pl.concat([shuffled(survey())[:1000], survey_synthetic()[1000:]])
    here = unveil.assess(survey(), copied).record.evidence
    there = assessed(tmp_path, copied, engine).record.evidence
    (least,) = {row.least_own for row in here.whole}
    assert [replace(row, least_own=least) for row in there.whole] == [*here.whole]
    assert all(0 < row.least_own <= 1 for row in there.whole)  # in a share, by other neighbours
    assert there.single == tuple(one for one in here.single if not one.computed_from)
    assert there.copied == here.copied


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_an_honest_release_passes_and_says_what_was_looked_at_in_shares(engine, tmp_path, is_large):
    asked = {"keys": ["sex", "age"], "targets": "income", "limits": {"DiSCO": 10}}
    found = assessed(tmp_path, survey_synthetic(), engine, **asked)
    assert found.exit_code == 0
    assert not found.alerts
    assert any("looked for in shares" in one.sentence for one in found.record.not_tested)


def jittered(frame, rng):
    numbers = [name for name, dtype in frame.schema.items() if dtype.is_numeric()]
    noise = {name: 1 + 1e-6 * rng.normal(size=frame.height) for name in numbers}
    return frame.with_columns(**{n: pl.col(n) * pl.Series(by) for n, by in noise.items()})


def numbered(frame):
    return frame.with_columns(nhs=pl.Series([f"{7919 * i % 1000003:07}" for i in range(5000)]))


def amounts(n, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "sex": rng.integers(0, 2, n),
            "height": rng.normal(170, 10, n).round(2),
            "weight": rng.normal(75, 12, n).round(2),
            "cost": rng.gamma(2, 900, n).round(2),
        }
    )


AMOUNTS = amounts(5000, 1)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("files", "alert"),
    [
        ((survey(), shuffled(survey())), "real-records"),
        ((AMOUNTS, shuffled(jittered(AMOUNTS, np.random.default_rng(2)))), "near"),
        ((numbered(survey()), numbered(survey_synthetic())), "nhs"),
        ((AMOUNTS, amounts(5000, 2).with_columns(cost=AMOUNTS["cost"])), "cost"),
    ],
    ids=["copied", "jittered", "identifier", "single values"],
)
def test_a_release_that_discloses_is_named(files, alert, engine, tmp_path, is_large):
    original, synthetic = files
    found = assessed(tmp_path, synthetic, engine, original)
    assert found.exit_code == 3
    assert any(alert in one.id for one in found.alerts if one.status == "block")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_file_with_more_columns_than_another_is_looked_at_in_all(
    is_first, engine, tmp_path, is_large
):
    original, copied = numbered(survey()), numbered(survey_synthetic())
    files = [copied, shuffled(survey_synthetic())]
    files = files if is_first else files[::-1]
    here = unveil.assess(original, files)
    there = assessed(tmp_path, files, engine, original)
    found = {one.id: one.status for one in there.alerts}
    assert found == {one.id: one.status for one in here.alerts}
    assert found["identifier:nhs"] == "block"
    shown = {"whole": {"least_own": None}, "single": {}, "copied": {"detail": ""}}
    for name, aside in shown.items():
        mine, theirs = (
            {str(replace(row, **aside)) for row in getattr(one.record.evidence, name)}
            for one in (there, here)
        )
        assert mine == theirs


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_types_that_cannot_meet_are_compared_as_texts(engine, tmp_path, is_large):
    days = pl.Series(np.arange(5000) * 7, dtype=pl.Int32)
    original = AMOUNTS.with_columns(day=days.cast(pl.Date))
    synthetic = amounts(5000, 2).with_columns(day=pl.Series(["x", "y"] * 2500))
    assert assessed(tmp_path, synthetic, engine, original).exit_code == 0
    real = shuffled(AMOUNTS.with_columns(day=pl.Series(["x", "y"] * 2500)))
    found = assessed(tmp_path, real, engine, original)
    assert found.exit_code == 3
    assert "near-copies" in {one.id for one in found.alerts}


def test_people_tied_to_their_own_values_are_found_in_a_share(tmp_path, is_large):
    # Six columns of real people, and income too; the others were drawn anew.
    real = shuffled(survey())
    drawn = {n: survey_synthetic()[n] for n in survey().columns if n not in real.columns[:6]}
    found = assessed(tmp_path, real.with_columns(**drawn).with_columns(income=real["income"]))
    here = unveil.assess(survey(), real.with_columns(**drawn).with_columns(income=real["income"]))
    assert found.exit_code == here.exit_code == 3
    mine, theirs = (
        {one.column: one.tied for one in each.record.evidence.own if one.z > 6}
        for each in (found, here)
    )
    # In a share more people are unique by columns that did not make it: never fewer are tied.
    assert mine["income"] > 0.9 * theirs["income"]


def test_sets_of_keys_are_held_against_the_limit_too(tmp_path, is_large):
    # With both keys hardly anybody is matched; by weight alone many are.
    rng = np.random.default_rng(3)
    original = AMOUNTS.with_columns(code=pl.Series(rng.integers(0, 9, 5000)))
    synthetic = original.with_columns(height=amounts(5000, 2)["height"])
    asked = {"keys": ["weight", "height"], "targets": "code", "limits": {"DiSCO": 10}}
    found = assessed(tmp_path, synthetic, original=original, **asked)
    assert "keysets:DiSCO:code" in [one.id for one in found.alerts]
    assert found.exit_code != 0


def test_checks_that_cannot_be_made_stop_the_release(tmp_path, monkeypatch, capsys):
    def refuse(*_):
        raise EngineError("Nothing can be brought here.")

    monkeypatch.setattr(EngineStudy, "bring", refuse)
    survey().write_csv(tmp_path / "a.csv")
    survey_synthetic().write_csv(tmp_path / "b.csv")
    files = [str(tmp_path / name) for name in ("a.csv", "b.csv")]
    asked = [*files, "--keys", "sex,age", "--targets", "income", "--limit", "DiSCO=10"]
    with pytest.raises(SystemExit) as ended:
        main(["disclosure", *asked, "--engine", "chunks", "--json"])
    assert ended.value.code == 4
    found = json.loads(capsys.readouterr().out)
    assert "records-not-compared" in [one["id"] for one in found["alerts"]]
