"""What is printed or drawn is whole: no figure cut off, no label without its level."""

import json

import polars as pl

import unveil
from unveil.show.chart import draw_parts, vega_lite
from unveil.tables.published import PublishedTable


def _study():
    columns = {f"column{place:02d}": ["a", "b", "b", None] for place in range(14)}
    return unveil.Study(pl.DataFrame(columns), pl.DataFrame(columns))


def test_a_chart_of_many_columns_is_drawn_in_sheets_that_have_each_column_once():
    result = unveil.compare(_study())
    sheets = list(draw_parts(result, "distributions"))
    assert len(sheets) == 3  # of six columns at most
    for name in _study().targets:
        assert sum(f">{name}<" in sheet for sheet in sheets) == 1


def test_versions_stand_in_one_panel_with_the_original_once():
    frame = pl.DataFrame({"sex": ["m", "w", "w"]})
    study = unveil.Study(frame, {"first": frame, "second": frame})
    (sheet,) = draw_parts(unveil.compare(study), "distributions")
    for name in ("original", "first", "second"):
        assert sheet.count(f">{name}<") == 1


def test_the_last_figure_of_a_wide_table_is_on_the_screen(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    frame = pl.DataFrame({"pay": [1000.0 * place for place in range(1, 41)]})
    entry = {"name": "Mean pay of everybody who was asked and has told it", "kind": "mean",
             "outcome": "pay"}  # fmt: skip
    copies = frame.with_columns(pl.col("pay") * 1.01)
    result = unveil.replicate(unveil.Study(frame, copies), [entry])
    result.show("terms")
    shown = capsys.readouterr().out
    assert "overlap" in shown
    assert f"{result.terms[0].overlap:.2f}" in shown


def test_charts_of_tables_name_each_row():
    table = PublishedTable([[3, 0], [5, 2]])
    spec = vega_lite(unveil.compare_schemes(table, ["exact", "suppress:3"], people=2), "schemes")
    hidden = {datum["label"]: datum["hidden"] for datum in spec["data"]["values"]}
    assert hidden["exact"] == 0 < hidden["suppress:3"]
    assert "total:" not in next(draw_parts(unveil.bounds(table), "bounds"))
    assert json.loads(json.dumps(spec)) == spec
