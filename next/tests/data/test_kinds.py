"""Kinds: what is declared or found holds for every way in which values are stored."""

import os
from datetime import datetime

import pandas as pd
import polars as pl
import pytest

import unveil


def levels(original, synthetic, **about):
    frames = [pl.DataFrame({"k": [0, 1], "x": values}) for values in (original, synthetic)]
    study = unveil.Study(*frames, keys="k", targets="x", columns={"x": about})
    return study.column("x").texts


def test_numbers_compared_as_text_are_written_alike():
    assert levels([1, 2], [1.0, 2.0], kind="text") == ["1", "2"]


def test_dates_are_read_as_they_are_written_or_refused():
    assert levels(pl.Series(["2026-01-02", "2026-01-03 10:00"]), [datetime(2026, 1, 2), None]) == [
        "2026-01-02", "2026-01-03 10:00:00", None,
    ]  # fmt: skip
    for other in (["03/04/2026", "05/06/2026"], ["2026-01-02T00:00+01:00", None]):
        with pytest.raises(unveil.InputError, match="cannot be read as a date"):
            levels([datetime(2026, 4, 3), None], other)
    with pytest.raises(unveil.InputError, match="cannot be read as a date"):
        levels([20201231, 20201230], [20201231, 20201230], kind="date")


def test_a_moment_is_that_of_the_clock_on_the_wall(tmp_path):
    moments = pl.Series([datetime(2026, 1, 2), datetime(2026, 7, 2)])
    berlin = moments.dt.replace_time_zone("Europe/Berlin")
    assert levels(berlin, moments) == ["2026-01-02", "2026-07-02"]
    path = unveil.write(pl.DataFrame({"x": berlin}), tmp_path / "f.sav", fake=False)
    assert unveil.read(path).frame["x"].cast(pl.Datetime("us")).to_list() == moments.to_list()


def test_a_frame_that_its_owner_changes_does_not_change_a_study():
    frame = pd.DataFrame({"sex": ["f", "m"], "age": [30, 40], "pay": [1.5, 2.5]})
    study = unveil.Study(frame, frame.copy(), keys="sex", targets=("age", "pay"))
    frame.loc[:, "age"] = 99
    frame.iloc[0, 2] = 99.0
    assert study.original.rows() == [("f", 30, 1.5), ("m", 40, 2.5)]
    assert unveil.disclosure(study, expected=False).people == 2


def test_a_frame_with_texts_among_numbers_is_refused_and_the_column_named():
    frame = pd.DataFrame({"sex": ["f", 1], "age": [30, 40]})
    with pytest.raises(unveil.InputError, match=r"'file' cannot be read .* columns: 'sex'"):
        unveil.read(frame)


def test_the_name_of_a_parquet_file_is_no_pattern(tmp_path):
    for name in ("d[1].parquet", "d1.parquet"):
        pl.DataFrame({"x": [name]}).write_parquet(tmp_path / name)
    assert unveil.read(tmp_path / "d[1].parquet").frame["x"].to_list() == ["d[1].parquet"]
    with pytest.raises(unveil.InputError, match="There is no file"):
        unveil.read(tmp_path / "d*.parquet")


def test_a_parquet_file_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("unveil.data.text.BOMB", 1_000_000)
    path = tmp_path / "bomb.parquet"
    for n_rows, is_bomb in ((200_000, False), (3_000_000, True)):
        pl.select(x=pl.repeat(1, n_rows, dtype=pl.Int8)).write_parquet(path)
        if not is_bomb:
            assert unveil.read(path).frame.height == n_rows
            continue
        with pytest.raises(unveil.InputError, match=r"over 100 times as large when unpacked"):
            unveil.read(path)


def test_a_parser_that_panics_is_not_heard(tmp_path, monkeypatch, capfd):
    def panic(*_, **__):
        os.write(2, b"thread panicked at 4711")
        raise pl.exceptions.PanicException("4711")

    path = tmp_path / "d.parquet"
    pl.DataFrame({"x": [1]}).write_parquet(path)
    monkeypatch.setattr(pl, "read_parquet", panic)
    with pytest.raises(unveil.InputError, match="cannot be read") as refusal:
        unveil.read(path)
    assert "4711" not in str(refusal.value) + capfd.readouterr().err


def test_what_is_beside_a_csv_is_its_codebook_or_stays_out(tmp_path):
    path, beside = tmp_path / "x.csv", tmp_path / "x_codebook.csv"
    path.write_text("sex\n1\n2\n")
    beside.write_text("what,ever\n1,2\n")
    data = unveil.read(path)
    assert (data.codebook, data.notes) == ({}, ("x_codebook.csv is no codebook.",))
    with pytest.raises(unveil.InputError, match=r"x_codebook\.csv' is there"):
        unveil.write(pl.DataFrame({"sex": [1]}), path, fake=False)
