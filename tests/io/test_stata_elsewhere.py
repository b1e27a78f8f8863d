"""Another reader of Stata files, written by other people, finds in them what was written."""

from datetime import datetime

import polars as pl
import pytest

from unveil.io.numbers import TAGS
from unveil.io.write_file import write_file
from unveil.records.codebook import Codebook, Level, Variable

pytestmark = pytest.mark.frames

LEVELS = (Level(code=1, label="Yes"), Level(code=2, label="Nö"), Level(code=".a", label="Refused"))
VARIABLES = (
    Variable(name="ill", label="Is ill", kind="number", levels=LEVELS, format="%8.0g"),
    Variable(name="born", kind="date", format="%td"),
    Variable(name="seen", kind="moment", format="%tc"),
)
BOOK = Codebook(source="o.dta", format="stata", variables=VARIABLES)


def test_pandas_reads_values_letters_labels_and_dates(tmp_path):
    from pandas.io.stata import StataReader

    frame = pl.DataFrame(
        {
            "ill": [1.0, 2.0, TAGS[".a"], None],
            "born": [datetime(1950, 2, 3).date(), None, None, datetime(2024, 2, 29).date()],
            "seen": [datetime(2024, 1, 1, 12, 30, 15, 250000), None, None, None],
            "text": ["ü", "", "w" * 3000, "b"],
        }
    )
    write_file(frame, tmp_path / "copy.dta", codebook=BOOK)
    with StataReader(tmp_path / "FAKE_copy.dta", convert_categoricals=False) as reader:
        found = reader.read(convert_missing=True, convert_dates=False)
        assert reader.data_label == "FAKE: synthetic data, no real people"
        assert reader.time_stamp == "01 Jan 1970 00:00"
        assert reader.variable_labels()["ill"] == "Is ill"
        (labels,) = reader.value_labels().values()
    assert {code: label for code, label in labels.items() if abs(code) < 100} == {1: "Yes", 2: "Nö"}
    assert found["ill"].astype(str).tolist() == ["1", "2", ".a", "."]
    assert found["text"].tolist() == frame["text"].to_list()
    with StataReader(tmp_path / "FAKE_copy.dta", convert_categoricals=False) as reader:
        dates = reader.read()
    assert dates["born"].iloc[3] == datetime(2024, 2, 29)
    assert dates["seen"].iloc[0] == datetime(2024, 1, 1, 12, 30, 15, 250000)
