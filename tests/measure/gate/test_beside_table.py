"""What a synthetic file holds beside the table that was compared is told, and stops a release."""

import json
from functools import partial

import polars as pl
import pytest
import xlsxwriter

import unveil
from foreign_files import write_dta, write_sav
from unveil.examples import survey, survey_synthetic
from unveil.io.outgoing import NOTE

ORIGINAL = survey().head(300).select("sex", "age", "region", "household", "income")
SYNTHETIC = survey_synthetic().head(300).select(ORIGINAL.columns)
REAL = [str(row) for row in ORIGINAL.rows()]


def write_excel(frame, path, *, sheets=1, comment=False):
    book = xlsxwriter.Workbook(path)
    for number, held in enumerate((frame, ORIGINAL)[:sheets]):
        sheet = book.add_worksheet(f"s{number}")
        sheet.write_row(0, 0, held.columns)
        for place, row in enumerate(held.rows(), start=1):
            sheet.write_row(place, 0, ["" if one is None else one for one in row])
        if number:
            sheet.hide()
        elif comment:
            sheet.write_comment(3, 3, REAL[3])
    book.close()


def write_enum(frame, path, *, n):
    levels = pl.Enum([*ORIGINAL["region"].unique(), *map(str, range(n))])
    frame.with_columns(pl.col("region").cast(levels)).write_parquet(path)


def labels_of(n):
    return {"household": {float(code): f"person {code}" for code in range(100, 100 + n)}}


def odd_of(n):
    """Labels that are numbers, or something encoded."""
    return {"household": {float(code): f"{code}-{7 * code}" for code in range(100, 100 + n)}}


@pytest.mark.parametrize(
    ("name", "write", "status", "said"),
    [
        ("x.xlsx", write_excel, None, ""),
        ("x.xlsx", partial(write_excel, sheets=2), "decide", "also holds the sheet 's1'."),
        ("x.xlsx", partial(write_excel, comment=True), "decide", "also holds comments."),
        ("x.parquet", pl.DataFrame.write_parquet, None, ""),
        (
            "x.parquet",
            lambda frame, path: frame.write_parquet(path, metadata={"m": json.dumps(REAL)}),
            "decide",
            f"It has 1 entry of metadata ({len(json.dumps(REAL)) + 1:,} bytes).",
        ),
        ("x.parquet", partial(write_enum, n=20), None, ""),
        ("x.parquet", partial(write_enum, n=21), "review", "lists 21 categories that no record"),
        ("x.parquet", partial(write_enum, n=501), "decide", "lists 501 categories that no record"),
        ("x.sav", partial(write_sav, note=[NOTE]), None, ""),
        ("x.sav", partial(write_sav, note=["made by hand"]), "review", "It has 1 line of notes."),
        ("x.sav", partial(write_sav, note=["a", "b", "c", "d"]), "decide", "4 lines of notes."),
        ("x.sav", partial(write_sav, variable_value_labels=labels_of(20)), None, ""),
        ("x.sav", partial(write_sav, variable_value_labels=labels_of(21)), "review", "21 labels"),
        ("x.dta", partial(write_dta, variable_value_labels=labels_of(501)), "decide", "501 labels"),
        ("x.dta", partial(write_dta, variable_value_labels=odd_of(20)), None, ""),
        ("x.dta", partial(write_dta, variable_value_labels=odd_of(21)), "decide", "21 labels"),
        ("x.sav", partial(write_sav, column_labels={"age": "x" * 120}), None, ""),
        ("x.sav", partial(write_sav, column_labels={"age": "x" * 121}), "review", "than 120 lett"),
    ],
)
def test_what_a_file_holds_beside_its_table_is_told(tmp_path, name, write, status, said):
    write(SYNTHETIC, tmp_path / name)
    found = unveil.assess(ORIGINAL, tmp_path / name, keys=["sex", "age"])
    alerts = [one for one in found.alerts if one.kind == "beside"]
    assert [one.status for one in alerts] == ([status] if status else [])
    assert all(said in one.sentence for one in alerts)
    # Nothing of what is there is quoted.
    assert not any("person" in one.sentence or REAL[3] in one.sentence for one in alerts)


def test_labels_that_the_original_declares_too_are_its_coding(tmp_path):
    for name, frame in (("o.sav", ORIGINAL), ("s.sav", SYNTHETIC)):
        write_sav(frame, tmp_path / name, variable_value_labels=labels_of(40))
    found = unveil.assess(tmp_path / "o.sav", tmp_path / "s.sav", keys=["sex", "age"])
    assert not [one for one in found.alerts if one.kind == "beside"]


def test_engines_look_beside_the_table_too(tmp_path, monkeypatch):
    """Of files that memory does not hold, too."""
    from unveil.measure.gate import engine_evidence

    monkeypatch.setattr(engine_evidence, "bring_whole", lambda files: None)
    ORIGINAL.write_parquet(tmp_path / "o.parquet")
    write_enum(SYNTHETIC, tmp_path / "s.parquet", n=25)
    frame = pl.read_parquet(tmp_path / "s.parquet")
    frame.write_parquet(tmp_path / "s.parquet", metadata={"m": json.dumps(REAL)})
    with unveil.use_engine("chunks", memory="1GB"):
        found = unveil.assess(tmp_path / "o.parquet", tmp_path / "s.parquet", keys=["sex", "age"])
    (alert,) = (one for one in found.alerts if one.kind == "beside")
    assert "1 entry of metadata" in alert.sentence
    assert "lists 25 categories" in alert.sentence
