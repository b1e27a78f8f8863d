"""`unveil uniques` opens its file once, and both measures find what they find by themselves."""

import json

import polars as pl
import pytest
from click.testing import CliRunner

from unveil.cli.uniques import uniques
from unveil.measure import one_table
from unveil.measure.one_table import open_table
from unveil.measure.uniques.match_risk import match_risk
from unveil.measure.uniques.suda import suda
from unveil.study.scenario import no_progress


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("k1,k2,t,w\na,x,p,1\na,y,p,2.5\nb,x, q,3\n,y,q,1\n", encoding="utf-8")
    return str(path)


def test_the_file_is_read_once(file, monkeypatch):
    read, times = one_table.open_sides, []

    def reading(sides, columns, *given, **asked):
        times.append(columns)
        return read(sides, columns, *given, **asked)

    monkeypatch.setattr(one_table, "open_sides", reading)
    asked = [file, "-k", "k1,k2", "--weights", "w", "--sensitive", "t", "--json"]
    done = CliRunner().invoke(uniques, asked)
    assert done.exception is None
    assert times == [("k1", "k2", "w", "t")]
    document = json.loads(done.stdout)
    risk = match_risk(file, keys=["k1", "k2"], weights="w", sensitive="t")
    assert document.pop("match_risk") == json.loads(risk.to_json())
    assert document == json.loads(suda(file, keys=["k1", "k2"]).to_json())


def test_notes_on_other_columns_are_not_those_of_the_uniques():
    data = pl.DataFrame({"k1": ["a", "", "b"], "t": ["p", "", ""]})
    table = open_table(
        data,
        keys=["k1"],
        others=["t"],
        bands=None,
        special_codes=None,
        missing_values=(),
        progress=no_progress,
    )
    assert [note.column for note in table.notes] == ["k1", "t"]
    assert table.notes_on_keys == suda(data, keys="k1").record.coercions == table.notes[:1]
    assert table.key_names == ("k1",)
