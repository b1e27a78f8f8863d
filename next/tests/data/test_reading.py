"""Files as custodians have them, read by `unveil.read`: what comes of them, and what is refused."""

import gzip
from datetime import date
from random import Random

import pytest

import unveil

READ = {
    "plain.csv": (b"a,b,c\n1,x,01\n2,y,1\n", {"a": [1, 2], "b": ["x", "y"], "c": ["01", "1"]}, ()),
    "semicolons.csv": (
        "a;b;d\n1,5;\xe4;03.04.2026\n2,0;y;25.12.2025\n".encode("latin-1"),
        {"a": [1.5, 2.0], "b": ["\xe4", "y"], "d": [date(2026, 4, 3), date(2025, 12, 25)]},
        (
            "Read with semicolons, decimal commas and encoding windows-1252.",
            "d holds dates as day.month.year.",
        ),
    ),
    "mark.csv": (b"\xef\xbb\xbfa,b\n1,x\n", {"a": [1], "b": ["x"]}, ()),
    "wide.csv": ("a,b\n1,é\n".encode("utf-16"), {"a": [1], "b": ["é"]},
                 ("Read with encoding utf-16.",)),
    "title.csv": (b"Title\n\na,b\n1,2\n", {"a": [1], "b": [2]},
                  ("The names are in line 3; the lines above were left out.",)),
    "packed.csv.gz": (gzip.compress(b"a,b\n1,2\n"), {"a": [1], "b": [2]}, ()),
    "quotes.csv": (b'a,b\n"x, y",1\n"z ""q""",2\n', {"a": ["x, y", 'z "q"'], "b": [1, 2]}, ()),
    "tabs.tsv": (b"a\tb\n1\t2\n", {"a": [1], "b": [2]}, ("Read with tabs.",)),
    "truths.csv": (b"a,b\nTRUE,1e3\nFALSE,2.5\n", {"a": [True, False], "b": [1000, 2.5]}, ()),
}  # fmt: skip

REFUSED = {
    "short.csv": (b"a,b\n1,2\n3\n", "line 3 has 1 field.s., the header 2"),
    "long.csv": (b"a,b\n1,2,3\n", "line 2 has 3 field.s., the header 2"),
    "empty.csv": (b"", "is empty"),
    "names.csv": (b"a,b\n", "no records"),
    "numbers.csv": (b"1,2\n3,4\n", "a number for the name of column 1"),
    "twice.csv": (b"a,a\n1,2\n", "same name for columns 1 and 2"),
    "packed.gz": (b"", "of a type that is not read"),
    "r.rds": (b"x", "arrow::write_parquet"),
    "book.xlsx": (b"PK not a book", "cannot be read"),
    "data.sav": (b"no file of SPSS", "no file of SPSS"),
    "data.parquet": (b"PAR1", "cannot be read"),
}


@pytest.mark.parametrize("name", READ)
def test_a_text_file_is_read_as_it_was_meant(name, tmp_path):
    raw, columns, notes = READ[name]
    (tmp_path / name).write_bytes(raw)
    data = unveil.read(tmp_path / name)
    assert data.frame.to_dict(as_series=False) == columns
    assert data.notes == notes


def test_what_stands_for_missing_is_no_text_among_numbers(tmp_path):
    (tmp_path / "file.csv").write_text("a,b\n1,NA\n2,3\n")
    assert unveil.read(tmp_path / "file.csv", missing="NA").frame["b"].to_list() == [None, 3]
    assert unveil.read(tmp_path / "file.csv").frame["b"].to_list() == ["NA", "3"]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_in_a_sentence(name, tmp_path):
    raw, fault = REFUSED[name]
    (tmp_path / name).write_bytes(raw)
    with pytest.raises(unveil.InputError, match=fault) as refusal:
        unveil.read(tmp_path / name)
    assert name in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_how_a_file_is_read_may_be_said(tmp_path):
    for name in ("original.csv", "synthetic.csv"):
        (tmp_path / name).write_text("key|t;u\nx|1;5\ny|2;5\n")
    files = [tmp_path / name for name in ("original.csv", "synthetic.csv")]
    study = unveil.Study(*files, keys="key", columns={"": {"delimiter": "|"}})
    assert study.original.columns == ["key", "t;u"]
    with pytest.raises(unveil.InputError, match="delimeter"):
        unveil.Study(*files, keys="key", columns={"": {"delimeter": "|"}})


def test_a_link_is_refused(tmp_path):
    (tmp_path / "file.csv").write_text("a\n1\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "file.csv")
    with pytest.raises(unveil.InputError, match="is a link"):
        unveil.read(tmp_path / "link.csv")


def test_a_damaged_text_is_read_or_refused(tmp_path):
    chance, path = Random(1), tmp_path / "file.csv"
    lines = [f"{row},Zq-{row},2026-01-{row % 28 + 1:02}\n" for row in range(60)]
    for damage in range(100):
        raw = bytearray(("a,b,c\n" + "".join(lines)).encode())
        for _ in range(chance.randint(1, 20)):
            raw[chance.randrange(len(raw))] = chance.randrange(256)
        path.write_bytes(raw[: chance.randrange(1, len(raw))] if damage % 3 else raw)
        try:
            assert unveil.read(path).frame.height
        except unveil.InputError as fault:
            refused = str(fault)
        else:
            refused = ""
        assert "Zq-" not in refused
