import os
from pathlib import Path

import polars as pl
import pytest

from unveil.errors import ReadError, RolesError
from unveil.read.files import read_table

CANARY = "HIVpositive1847"
FRAME = pl.DataFrame({"sex": ["M", "F", "NA"], "age": [31, -9, 40], "w": [1.5, -9.0, 2.0]})


def refusal(source, error=ReadError, side="original", **settings):
    with pytest.raises(error) as caught:
        read_table(source, side=side, **settings)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "f.parquet"
    FRAME.write_parquet(path)
    return path


@pytest.mark.parametrize("ending", [".csv", ".CSV", ".tsv", ".txt"])
@pytest.mark.parametrize("spelt", [str, Path])
def test_text_files_are_known_by_their_ending(tmp_path, ending, spelt):
    path = tmp_path / f"f{ending}"
    FRAME.write_csv(path)
    assert read_table(spelt(path), side="original").frame.equals(FRAME)


@pytest.mark.parametrize("ending", [".parquet", ".PQ"])
def test_parquet_files_are_known_by_their_ending(tmp_path, ending):
    path = tmp_path / f"f{ending}"
    FRAME.write_parquet(path)
    table = read_table(path, side="synthetic 2")
    assert table.frame.equals(FRAME)
    assert table.place == f"Synthetic copy 2 (f{ending})"


def test_a_name_with_the_signs_of_a_pattern_is_a_name(tmp_path):
    for name in ("a[1].csv", "b*.csv", "~c.csv"):
        FRAME.write_csv(tmp_path / name)
        assert read_table(tmp_path / name, side="original").frame.equals(FRAME)
    FRAME.write_parquet(tmp_path / "year=2020[1].parquet")
    read = read_table(tmp_path / "year=2020[1].parquet", side="original")
    assert read.frame.equals(FRAME)


def test_only_the_columns_asked_for_are_read(parquet):
    table = read_table(parquet, side="original", columns=["w", "sex"])
    assert table.frame.equals(FRAME.select("w", "sex"))


def test_missing_values_mean_the_same_in_every_kind_of_source(tmp_path, parquet):
    FRAME.write_csv(tmp_path / "f.csv")
    frames = [
        read_table(source, side="original", missing_values=["NA", "-9", "-9.0"]).frame
        for source in (
            tmp_path / "f.csv",
            parquet,
            FRAME,
            FRAME.cast({"sex": pl.Categorical}),
            FRAME.lazy(),
        )
    ]
    for frame in frames:
        assert frame.cast({"sex": pl.String}).rows() == [
            ("M", 31, 1.5),
            ("F", None, None),
            (None, 40, 2.0),
        ]


def test_a_misspelt_column_names_its_neighbour(parquet):
    assert refusal(parquet, RolesError, columns=["aeg"]) == (
        "The original (f.parquet) has no column 'aeg'. Did you mean 'age'? "
        "Its columns are: sex, age, w."
    )


@pytest.mark.parametrize("name", ["absent.csv", "absent.parquet"])
def test_a_file_that_is_not_there_is_refused(tmp_path, name):
    path = tmp_path / name
    assert refusal(path) == (
        f"The original ({name}) was not found: there is no file {str(path)!r}. "
        "Check the name and the folder."
    )


def test_a_path_that_no_system_could_have_is_not_found():
    assert refusal("a\0b.csv").endswith("Check the name and the folder.")
    assert refusal("a" * 5000 + ".csv").endswith("and try again.")


@pytest.mark.parametrize("name", ["folder", "folder.csv", "folder.parquet"])
def test_a_folder_is_refused(tmp_path, name):
    (tmp_path / name).mkdir()
    assert refusal(tmp_path / name) == (
        f"The original ({name}) is a folder, not a file. Give the path of one file in it."
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are of Unix")
def test_a_pipe_is_refused_before_it_blocks(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert refusal(tmp_path / "pipe.csv") == (
        "The original (pipe.csv) is a device or a pipe. Save the data to a file and give its path."
    )


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            PermissionError(f"not you, {CANARY}"),
            "may not be read by this user. Ask its owner for the right to read it, or read a copy "
            "that is yours.",
        ),
        (
            OSError(5, CANARY),
            "could not be read from the disk. Check that the disk or network folder is still "
            "there, and try again.",
        ),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_disk_that_refuses_is_told_in_our_words(tmp_path, monkeypatch, ending, problem, message):
    def no(*_, **__):
        raise problem

    path = tmp_path / f"f{ending}"
    FRAME.write_csv(path)
    monkeypatch.setattr(Path, "open", no)
    assert refusal(path, side="synthetic") == f"The synthetic copy (f{ending}) {message}"


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_no_bytes_are_refused(tmp_path, ending):
    path = tmp_path / f"f{ending}"
    path.touch()
    assert refusal(path) == (
        f"The original (f{ending}) is empty: it has no bytes. Check that its export was finished."
    )


@pytest.mark.parametrize(
    ("name", "ending"),
    [("f.xlsx", "the ending '.xlsx'"), ("f.csv.gz", "the ending '.gz'"), ("f", "no ending")],
)
def test_another_ending_is_refused(tmp_path, name, ending):
    (tmp_path / name).touch()
    assert refusal(tmp_path / name) == (
        f"The original ({name}) has {ending}; unveil reads files that end in .csv, .tsv, .txt, "
        ".parquet or .pq. Save it as CSV or Parquet."
    )


def test_parquet_without_rows_or_columns_is_refused(tmp_path):
    path = tmp_path / "f.parquet"
    FRAME.clear().write_parquet(path)
    assert refusal(path) == (
        "The original (f.parquet) has columns but no rows. Check that its export was finished."
    )
    pl.DataFrame().write_parquet(path)
    assert refusal(path) == (
        "The original (f.parquet) has no columns. Check that it is the file or frame you meant."
    )


def test_text_called_parquet_is_refused(tmp_path):
    path = tmp_path / "f.parquet"
    FRAME.write_csv(path)
    assert refusal(path) == (
        "The original (f.parquet) is not a Parquet file, whatever its name says. If it is text, "
        "give its name the ending .csv; otherwise export it again."
    )


def test_parquet_cut_short_is_refused(parquet):
    parquet.write_bytes(parquet.read_bytes()[:-20])
    assert refusal(parquet) == (
        "The original (f.parquet) is damaged: it begins as a Parquet file but cannot be read to "
        "its end. Export or copy it again."
    )


def test_parquet_cut_anywhere_is_refused_without_a_value(tmp_path):
    path = tmp_path / "f.parquet"
    pl.DataFrame({"diagnosis": [CANARY] * 5}).write_parquet(path)
    content = path.read_bytes()
    for n in range(1, len(content), 7):
        path.write_bytes(content[:n])
        assert CANARY not in refusal(path)


def test_parquet_that_makes_polars_panic_is_refused(parquet, monkeypatch):
    def panic(*_, **__):
        raise pl.exceptions.PanicException(CANARY)

    monkeypatch.setattr(pl, "scan_parquet", panic)
    assert refusal(parquet).startswith("The original (f.parquet) is damaged: it begins as a ")
