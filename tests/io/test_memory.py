"""Too little memory is one sentence, before anything is read."""

import subprocess
import sys

import polars as pl
import pytest

from unveil.errors import ReadError
from unveil.io import memory
from unveil.io.sources import read_table
from unveil.study.study import Study


@pytest.fixture
def paths(tmp_path):
    found = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path in found:
        pl.DataFrame({"x": range(1000), "y": range(1000)}).write_csv(path)
    return found


def test_entries_of_text_files_are_known_from_their_size_and_first_lines(paths):
    assert memory._n_cells(paths[0], None) == pytest.approx(2_000, rel=0.01)
    assert memory._n_cells(paths[0], 1) == pytest.approx(1_000, rel=0.01)
    assert memory._n_cells(paths[0].with_name("none.csv"), None) == 0


def test_files_that_memory_cannot_hold_together_are_refused_with_what_is_enough(paths, monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 100_000)
    assert Study.open(paths[0]).tables[0].frame.height == 1000
    with pytest.raises(ReadError) as caught:
        Study.open(*paths)
    assert str(caught.value) == (
        "a.csv, b.csv have about 4,004 entries, for which 128 KB of memory would be enough; 100 KB"
        " can be used. Close other programs, raise the limit of memory, read fewer columns, or use"
        " a machine with more memory."
    )


def test_a_file_that_is_read_by_itself_is_refused_too(paths, monkeypatch):
    monkeypatch.setattr(memory, "free_memory", lambda: 50_000)
    assert read_table(paths[0], side="data", columns=["x"]).frame.height == 1000
    with pytest.raises(ReadError, match=r"^a\.csv has about 2,002 entries, for which 64.1 KB"):
        read_table(paths[0], side="data")


def test_a_parquet_file_says_itself_how_much_it_holds(paths, monkeypatch, tmp_path):
    from unveil.io.read_parquet import parse
    from unveil.io.wire import ReadRequest

    pl.read_csv(paths[0]).write_parquet(path := tmp_path / "a.parquet")
    monkeypatch.setattr(memory, "free_memory", lambda: 1000)
    asked = ReadRequest(
        kind="parquet", path=bytes(path), name="a.parquet", place="", side="original"
    )
    with pytest.raises(ReadError, match=r"^a\.parquet has about 2,000 entries"):
        parse(asked)


def test_parquet_files_that_memory_cannot_hold_together_are_refused(paths, monkeypatch):
    pl.read_csv(paths[0]).write_parquet(one := paths[0].with_name("a.parquet"))
    monkeypatch.setattr("unveil.study.study.free_memory", lambda: 100_000)
    assert Study.open(one).tables[0].frame.height == 1000
    with pytest.raises(
        ReadError, match=r"^a\.parquet, a\.parquet have about 4,000 entries, .*128 KB"
    ):
        Study.open(one, one)


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux has them")
@pytest.mark.parametrize(("n_rows", "entries"), [(300_000, "4,"), (1_000, "1")])
def test_a_limit_of_the_process_ends_in_a_sentence_and_exit_code_2(tmp_path, n_rows, entries):
    people = pl.DataFrame({f"c{i}": range(100_000, 100_000 + n_rows) for i in range(8)})
    for name in ("a.csv", "b.csv"):
        people.write_csv(tmp_path / name)
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1_300_000_000,) * 2)\n"
        "from unveil.cli import main; main(['disclosure', 'a.csv', 'b.csv', '--keys', 'c0'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith(f"unveil: a.csv, b.csv have about {entries}")
    assert "of memory would be enough; 1.3 GB can be used." in done.stderr
    assert "backtrace" not in done.stderr


def test_where_a_header_would_end_the_process_nothing_is_read(paths, monkeypatch):
    parquet = paths[0].with_suffix(".parquet")
    pl.read_csv(paths[0]).write_parquet(parquet)
    monkeypatch.setattr(memory, "_address_limit", lambda: 600_000_000)
    refusals = (lambda: read_table(parquet, side="original"), lambda: memory.file_size(parquet))
    for refuse in refusals:
        with pytest.raises(ReadError, match=r"a\.parquet cannot be read: 1\.6 GB .* 600 MB can be"):
            refuse()
