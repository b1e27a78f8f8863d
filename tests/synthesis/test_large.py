"""Rows in batches, samples and strata: the size of memory is not the size of the data."""

import polars as pl
import pytest

import unveil
from unveil.errors import SettingsError, WriteError
from unveil.examples import survey
from unveil.synthesis import large


@pytest.fixture(scope="module")
def people():
    return survey().head(1500).select("sex", "age", "region", "income")


@pytest.fixture(scope="module")
def made(people):
    case = pl.Series("case", [f"C{7 * n:05}" for n in range(len(people))])
    return unveil.synthesise(people.with_columns(case), renumber="case", seed=1)


def test_batches_make_one_file_with_running_numbers(made, tmp_path):
    with pytest.warns(UserWarning, match="4,000 rows, more than the 1,500"):
        written = unveil.write_synthetic(made, tmp_path / "a.parquet", 4_000, batch_rows=1_500)
    assert (written.n_rows, written.path) == (4_000, str(tmp_path / "FAKE_a.parquet"))
    frame = pl.read_parquet(written.path)
    assert frame["case"].to_list() == [f"FAKE_{n}" for n in range(1, 4_001)]
    assert frame.columns == made.copies[0].columns
    assert not frame[:1500].drop("case").equals(frame[1500:3000].drop("case"))
    assert pl.read_parquet_metadata(written.path)["unveil.notice"].startswith("FAKE")


def test_the_same_seed_and_size_give_the_same_bytes(made, tmp_path):
    for name in ("a", "b"):
        unveil.write_synthetic(made, tmp_path / f"{name}.parquet", 1_000, batch_rows=300, seed=3)
    first, second = (tmp_path / f"FAKE_{name}.parquet" for name in "ab")
    assert pl.read_parquet(first).equals(pl.read_parquet(second))
    unveil.write_synthetic(made, tmp_path / "c.parquet", 1_000, batch_rows=300, seed=4)
    assert not pl.read_parquet(tmp_path / "FAKE_c.parquet").equals(pl.read_parquet(first))


def test_an_interrupted_run_leaves_no_file(made, tmp_path):
    def stop(_what, done, _n):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        unveil.write_synthetic(made, tmp_path / "a.parquet", 1_000, batch_rows=300, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_what_is_there_is_not_overwritten(made, tmp_path):
    unveil.write_synthetic(made, tmp_path / "a.parquet", 100)
    with pytest.raises(WriteError, match="already holds FAKE_a"):
        unveil.write_synthetic(made, tmp_path / "a.parquet", 100)
    with pytest.raises(WriteError, match="in batches"):
        unveil.write_synthetic(made, tmp_path / "a.csv", 100)


def test_kept_columns_are_not_drawn_in_batches(people, tmp_path):
    made = unveil.synthesise(people, keep="sex", seed=1)
    with pytest.raises(SettingsError, match="kept row for row"):
        unveil.write_synthetic(made, tmp_path / "a.parquet", 100)


@pytest.mark.parametrize("ending", ["csv", "parquet", "frame"])
def test_a_sample_is_fitted_and_said_to_be_one(people, ending, tmp_path):
    source = people
    if ending != "frame":
        source = tmp_path / f"people.{ending}"
        getattr(people, f"write_{ending}")(source)
    made = unveil.synthesise(source, sample=400, seed=1)
    assert (made.record.n_original, made.record.n_file) == (400, 1500)
    assert made.copies[0].height == 400
    assert "400 rows drawn at random from the 1,500" in made.record.notes[0]
    assert {*made.copies[0]["income"]} <= {*people["income"]}


def test_a_sample_would_part_the_rows_of_people(people):
    with pytest.raises(SettingsError, match="part the rows of a person"):
        unveil.synthesise(people, sample=10, person="region")


def test_strata_are_made_one_by_one_with_their_sizes(people, tmp_path):
    people = people.with_columns(pl.when(pl.col("sex") == "man").then(pl.col("sex")).alias("sex"))
    path = tmp_path / "people.parquet"
    people.write_parquet(path)
    seen = []
    record = unveil.synthesise_strata(
        path,
        tmp_path / "a.parquet",
        strata="sex",
        seed=1,
        batch_rows=200,
        progress=lambda *told: seen.append(told),
    )
    frame = pl.read_parquet(tmp_path / "FAKE_a.parquet")
    assert (record.n_strata, record.n_rows, record.n_original) == (2, 1500, 1500)
    counts = [one["sex"].value_counts().sort("sex") for one in (frame, people)]
    assert counts[0].equals(counts[1])
    assert len(seen) == 2
    # The order of the file is no part of what is made.
    people.sample(fraction=1.0, shuffle=True, seed=2).write_parquet(tmp_path / "mixed.parquet")
    unveil.synthesise_strata(
        tmp_path / "mixed.parquet", tmp_path / "b.parquet", strata="sex", seed=1, batch_rows=200
    )
    assert pl.read_parquet(tmp_path / "FAKE_b.parquet").equals(frame)


def test_rows_are_shared_among_strata_as_a_sample_would_be():
    assert large._share([10, 20], None, 1) == [10, 20]
    shares = large._share([10, 30, 0], 40_000, 1)
    assert sum(shares) == 40_000
    assert abs(shares[0] - 10_000) < 500
    assert shares[2] == 0


def test_strata_refuse_what_they_cannot_do(people, tmp_path):
    path = tmp_path / "people.csv"
    people.write_csv(path)
    with pytest.raises(SettingsError, match="Parquet file only"):
        unveil.synthesise_strata(path, tmp_path / "a.parquet", strata="sex")
    with pytest.raises(SettingsError, match="copies cannot be set"):
        unveil.synthesise_strata(path, tmp_path / "a.parquet", strata="sex", copies=2)


def test_a_fault_in_a_stratum_names_no_value(people, tmp_path):
    people.write_parquet(tmp_path / "people.parquet")
    with pytest.raises(SettingsError, match="In one of the strata") as refusal:
        unveil.synthesise_strata(
            tmp_path / "people.parquet", tmp_path / "a.parquet", strata="sex", min_leaf=-1
        )
    assert "woman" not in str(refusal.value)
    assert not (tmp_path / "FAKE_a.parquet").exists()
