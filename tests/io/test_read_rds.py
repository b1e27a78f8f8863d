"""R's files, through pyreadr; they run where the extra `rds` is there."""

import gzip
import sys
from types import ModuleType

import polars as pl
import pytest

from foreign_files import CANARY
from r_files import HEAD, a_list, numbers, texts, whole_numbers, with_attributes
from unveil.errors import ReadError
from unveil.io import file_checks, read_rds
from unveil.io.rds_attributes import read_beside
from unveil.io.sources import read_table
from unveil.io.wire import ReadRequest

WHERE = "The original (f.rds)"

SAVE_ONE = (
    "In R, save one data frame: saveRDS(x, 'file.rds'); of what synthpop made, saveRDS(x$syn, "
    "'file.rds'), or x$syn[[1]] and so on where it made several."
)


def refusal(path):
    with pytest.raises(ReadError) as caught:
        read_table(path, side="original")
    assert CANARY not in str(caught.value)
    return str(caught.value)


@pytest.fixture
def write(tmp_path):
    import pandas
    import pyreadr

    def write(columns, compress=None):
        path = tmp_path / "f.rds"
        pyreadr.write_rds(str(path), pandas.DataFrame(columns), compress=compress)
        return path

    return write


@pytest.mark.frames
@pytest.mark.parametrize("compress", [None, "gzip"])
def test_a_data_frame_of_r_is_read(write, compress):
    import pandas

    path = write(
        {
            "n": [1.5, None, 3.0],
            "t": ["x", "é", None],
            "f": pandas.Categorical(["u", "v", "u"]),
            "b": [True, False, True],
        },
        compress,
    )
    assert read_table(path, side="original").frame.to_dict(as_series=False) == {
        "n": [1.5, None, 3.0],
        "t": ["x", "é", None],
        "f": ["u", "v", "u"],
        "b": [True, False, True],
    }
    assert read_table(path, side="original", columns=["f"]).frame.columns == ["f"]


@pytest.mark.frames
def test_a_damaged_file_of_r_is_one_sentence(write):
    path = write({"t": [CANARY] * 100}, "gzip")
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    sentence = (
        f"{WHERE} is damaged: it begins as an R file but cannot be read to its end. Export or copy"
        " it again."
    )
    assert refusal(path) == sentence
    path.write_bytes(gzip.compress(gzip.decompress(content)[:200]))
    assert refusal(path).startswith(f"{WHERE} is damaged, or holds a list, which cannot be read.")


@pytest.mark.frames
def test_a_list_of_r_is_told_with_what_to_do(tmp_path):
    numbers = whole_numbers(13, 2, 1, 2)
    frame = a_list(texts(CANARY.encode()), **{"names": [b"t"], "class": [b"data.frame"]})
    synds = a_list(numbers, frame, **{"names": [b"m", b"syn"], "class": [b"synds"]})
    found = {
        a_list(numbers, frame): "holds no data frame.",
        synds: "is damaged, or holds a list, which cannot be read.",
    }
    for content, sentence in found.items():
        head = HEAD
        (tmp_path / "f.rds").write_bytes(gzip.compress(head + content))
        assert refusal(tmp_path / "f.rds") == f"{WHERE} {sentence} {SAVE_ONE}"


def test_a_bomb_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(file_checks, "HARMLESS", 2 << 20)
    (tmp_path / "f.rds").write_bytes(gzip.compress(bytes(8 << 20)))
    assert refusal(tmp_path / "f.rds") == (
        f"{WHERE} would unpack to more than 200 times its size. No table does; if it is one, save "
        "it uncompressed."
    )


@pytest.mark.parametrize("lacking", ["pyreadr", "pandas"])
def test_without_its_reader_the_way_out_is_told(lacking, monkeypatch):
    for package in ("pyreadr", "pandas"):
        monkeypatch.setitem(sys.modules, package, None if package == lacking else ModuleType("x"))
    question = ReadRequest(kind="rds", path=b"f.rds", name="f.rds", place=WHERE, side="original")
    with pytest.raises(ReadError) as caught:
        read_rds.parse(question)
    assert str(caught.value) == (
        f"{WHERE} is a file of R, which needs the extra 'rds': pip install 'unveil[rds]'. Or save "
        "it in R as CSV, with write.csv(x, 'file.csv', row.names = FALSE)."
    )


def test_text_called_rds_is_told(tmp_path):
    pl.DataFrame({"a": [CANARY]}).write_csv(tmp_path / "f.rds")
    assert refusal(tmp_path / "f.rds").startswith(f"{WHERE} is not an R file, whatever its name ")


@pytest.mark.parametrize(
    ("column", "more", "texts_beside", "sentences"),
    [
        ({}, {}, [], []),
        ({"label": texts(b"Age in years")}, {}, [("attributes", ("Age in years",), None)], []),
        ({"x": numbers(31, 1843.27)}, {}, [("attributes", ("31 1843.27",), None)], []),
        ({}, {"comment": texts(b"woman", b"31")}, [("attributes", ("woman 31",), None)], []),
        ({"levels": texts(b"u", b"v")}, {}, [("values", ("u", "v"), "t")], []),
        ({}, {"row.names": whole_numbers(13, 2, -(2**31), -2)}, [], []),
        ({}, {"row.names": whole_numbers(13, 2, 3, 7)}, [], []),
        ({}, {"row.names": whole_numbers(13, 2, 7, 3)}, [], ["Its rows have names."]),
        ({}, {"row.names": texts(b"1", b"2")}, [], []),
        ({}, {"row.names": texts(b"Anna", b"Jan")}, [], ["Its rows have names."]),
    ],
)
def test_what_is_attached_to_a_data_frame_is_looked_at(
    tmp_path, column, more, texts_beside, sentences
):
    held = texts(b"a", b"b")
    held = with_attributes(held, **column) if column else held
    frame = with_attributes(
        whole_numbers(19, 1) + held, **{"names": texts(b"t"), "class": texts(b"data.frame"), **more}
    )
    for head in (
        HEAD,
        b"X\n" + whole_numbers(3, 0x40301, 0x30500, 5) + b"UTF-8",
    ):
        (tmp_path / "f.rds").write_bytes(gzip.compress(head + frame))
        found, said = read_beside(tmp_path / "f.rds")
        assert [(one.what, one.texts, one.column) for one in found] == texts_beside
        assert said == sentences


@pytest.mark.parametrize("content", [b"A\n2\n", b"X\n", b"X\n" + whole_numbers(2, 0, 0, 199, 1)])
def test_what_cannot_be_followed_is_not_vouched_for(tmp_path, content):
    (tmp_path / "f.rds").write_bytes(content)
    assert read_beside(tmp_path / "f.rds") == (
        [],
        ["It is written in a way that does not show what is attached to its columns."],
    )


@pytest.mark.frames
def test_levels_that_no_record_has_are_beside_a_synthetic_file_only(write):
    import pandas

    path = write({"f": pandas.Categorical(["u", "v"], ["u", "v", "w"])}, "gzip")
    assert read_table(path, side="original").beside == ()
    assert read_table(path, side="synthetic").beside[0].texts == ("u", "v", "w")
