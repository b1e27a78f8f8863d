"""Files read some rows at a time hold what they hold when they are read whole."""

import polars as pl
import pytest

from unveil.errors import ReadError
from unveil.io.batches import open_batches
from unveil.io.read_csv import type_columns
from unveil.io.sources import read_table

TEXTS = {
    "quoted": b'a,b\n1,"x\ny"\n"2","a ""b"""\n3,\n',
    "blank": b"\n\na,b\n\n1,2\n\n\n3,4\n\n",
    "returns": b"a;b\r\n1;2\r\n3;4",
    "one": b"a\n1\n\n2\n",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_text_file_in_batches_is_the_file_read_whole(text, tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes(text)
    file, whole = open_batches(path, "original"), read_table(path, side="original")
    rows = pl.concat(file.read(file.columns, 1))
    made, notes = type_columns(rows, file.dialect, "original", ())
    assert file.n_rows == whole.frame.height
    assert made.equals(whole.frame)
    assert (*file.notes, *notes) == whole.notes


def test_a_text_file_of_many_pieces_is_the_file_read_whole(tmp_path):
    path = tmp_path / "file.csv"
    n = 300_000
    made = pl.DataFrame({"n": range(n), "t": [f'{i % 7}"\n' for i in range(n)]})
    made.write_csv(path)
    file = open_batches(path, "original")
    parts = list(file.read(["t", "n"], 50_000))
    assert len(parts) > 3
    assert pl.concat(parts)["n"].cast(pl.Int64).equals(made["n"])
    assert pl.concat(parts)["t"].equals(made["t"])


def test_a_parquet_file_in_batches_is_the_file_read_whole(tmp_path):
    path = tmp_path / "file.parquet"
    made = pl.DataFrame({"^a$": range(10), "b": list("abcdefghij")})
    made.write_parquet(path, row_group_size=3)
    file = open_batches(path, "original")
    assert [part.height for part in file.read(file.columns, 4)] == [4, 4, 2]
    assert pl.concat(file.read(["b", "^a$"], 4)).equals(made[["b", "^a$"]])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_sample_has_so_many_different_rows_in_their_order(ending, tmp_path):
    path = tmp_path / f"file.{ending}"
    made = pl.DataFrame({"a": range(1000)})
    getattr(made, f"write_{ending}")(path)
    sampled = open_batches(path, "original").sample(100, 1).whole.frame["a"]
    assert sampled.is_sorted()
    assert sampled.n_unique() == 100
    assert 400 < sampled.mean() < 600
    again = open_batches(path, "original").sample(100, 1).whole.frame["a"]
    assert sampled.equals(again)


def test_a_record_damaged_far_below_is_named_by_its_line(tmp_path):
    path = tmp_path / "file.csv"
    lines = [f"{i},secret" for i in range(200_000)]
    lines[150_000] += ",more"
    path.write_text("a,b\n" + "\n".join(lines) + "\n")
    with pytest.raises(ReadError) as fault:
        open_batches(path, "original")
    assert str(fault.value).startswith("The original (file.csv) is damaged at line 150,002: ")
    assert "secret" not in str(fault.value)


def test_a_parquet_file_damaged_in_the_middle_is_one_sentence(tmp_path):
    path = tmp_path / "file.parquet"
    pl.DataFrame({"a": [f"secret {i}" for i in range(50_000)]}).write_parquet(
        path, row_group_size=5_000
    )
    whole = bytearray(path.read_bytes())
    middle = len(whole) // 2
    whole[middle : middle + 2_000] = b"\xff" * 2_000
    path.write_bytes(whole)
    file = open_batches(path, "original")
    with pytest.raises(ReadError) as fault:
        list(file.read(["a"], 5_000))
    assert str(fault.value).startswith("The original (file.parquet) is damaged")
    assert "secret" not in str(fault.value)


def test_what_cannot_be_read_in_batches_is_refused(tmp_path):
    path = tmp_path / "file.csv"
    path.write_bytes("a\nü\n".encode("latin-1"))
    with pytest.raises(ReadError, match="not plain UTF-8"):
        open_batches(path, "original")
    with pytest.raises(ReadError, match="cannot be read in batches"):
        open_batches(tmp_path / "file.sav", "original")
    path.write_text("a,b\n")
    with pytest.raises(ReadError, match="no rows"):
        open_batches(path, "original")
