import gzip

import polars as pl
import pytest

from foreign_files import CANARY, FRAME, make
from unveil.errors import ReadError
from unveil.io import file_checks
from unveil.io.sources import read_table


def refusal(path, **settings):
    with pytest.raises(ReadError) as caught:
        read_table(path, side="original", **settings)
    assert CANARY not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize(
    ("ending", "separator"),
    [(".csv.gz", ","), (".CSV.GZ", ","), (".tsv.gz", "\t"), (".txt.gz", ";")],
)
def test_packed_text_is_read_like_text(tmp_path, ending, separator):
    plain = tmp_path / "f.csv"
    FRAME.write_csv(plain, separator=separator)
    packed = tmp_path / f"f{ending}"
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    found, expected = (read_table(path, side="original") for path in (packed, plain))
    assert found.frame.equals(expected.frame)
    assert found.notes == expected.notes
    assert found.source == f"f{ending}"


def test_a_file_packed_in_parts_is_read_whole(tmp_path):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n") + bytes(100))
    assert read_table(path, side="original").frame.rows() == [(1, 2), (3, 4)]


def test_one_cut_short_or_changed_is_refused(tmp_path):
    path = make(tmp_path, ".csv.gz", pl.concat([FRAME] * 500))
    content = path.read_bytes()
    sentence = (
        "The original (f.csv.gz) is damaged: it begins as a gzip file but cannot be read to its "
        "end. Export or copy it again."
    )
    for n in (3, 12, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:n])
        assert refusal(path) == sentence
    path.write_bytes(content[:-8] + b"\0" * 8)
    assert refusal(path) == sentence


@pytest.mark.slow
def test_one_that_swells_beyond_any_table_is_refused_on_the_way(tmp_path, monkeypatch):
    monkeypatch.setattr(file_checks, "HARMLESS", 4 << 20)
    path = tmp_path / "f.csv.gz"
    path.write_bytes(gzip.compress(b"a,b\n" + b"1,2\n" * (16 << 20)))
    sizes = []
    refuse = file_checks.check_swelling

    def noted(n_bytes, *rest):
        sizes.append(n_bytes)
        refuse(n_bytes, *rest)

    monkeypatch.setattr(file_checks, "check_swelling", noted)
    assert refusal(path) == (
        "The original (f.csv.gz) would unpack to more than 200 times its size. No table does; if "
        "it is one, save it uncompressed."
    )
    assert max(sizes) <= 6 << 20


@pytest.mark.slow
def test_one_that_unpacks_to_more_than_is_free_is_refused(tmp_path, monkeypatch):
    path = make(tmp_path, ".csv.gz", pl.concat([FRAME] * 100_000))
    monkeypatch.setattr(file_checks, "free_memory", lambda: 2_000_000)
    assert refusal(path) == (
        "The original (f.csv.gz) unpacks to at least 2.1 MB, more than the 2.0 MB of memory that "
        "are free. Close other programs, or use a machine with more memory."
    )


def test_text_that_is_not_packed_is_told(tmp_path):
    path = tmp_path / "f.csv.gz"
    path.write_bytes(b"a,b\n1,2\n")
    assert refusal(path) == (
        "The original (f.csv.gz) is not a gzip file, whatever its name says. If it is text, give "
        "its name the ending .csv; otherwise export it again."
    )
