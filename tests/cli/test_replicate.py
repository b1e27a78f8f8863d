"""`unveil replicate` on files: figures, documents, pages and pictures, and what is refused."""

import json
import stat
import sys
from xml.dom import minidom

import polars as pl
import pytest

from toml_tables import write_tables
from unveil.cli import main
from unveil.examples import write_csv
from unveil.measure.utility.replicate import replicate
from unveil.measure.utility.replicate_settings import read_findings
from unveil.view.replication import lost, overlap, replication_page, replication_sentences

LIST = [
    {
        "name": "Diabetes, 65 and over",
        "kind": "prevalence",
        "column": "condition",
        "level": "diabetes",
        "where": "age >= 65",
    },
    {"kind": "mean", "column": "income", "where": "employment = employee"},
    {"kind": "table", "columns": ["sex", "health"], "within": "sex"},
    {"kind": "regression", "formula": "income ~ age + sex"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("survey")
    write_csv(place)
    (place / "list.toml").write_text(write_tables("finding", LIST), encoding="utf-8")
    return place


def code_of(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["replicate", *map(str, arguments)])
    return ended.value.code


def run(folder, *options, capsys):
    files = [folder / name for name in ("survey.csv", "survey_synthetic.csv")]
    code = code_of(*files, *options)
    return code, *capsys.readouterr()


def test_the_figures_are_shown_with_their_sentences(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(
        folder, "-f", folder / "list.toml", "--special-codes", "income=-8", capsys=capsys
    )
    assert code == 0
    assert "Diabetes, 65 and over" in out
    assert "income ~ age + sex (linear regression)" in out
    assert "Furthest from the original" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.slow
def test_the_document_is_the_record(folder, capsys):
    code, out, err = run(
        folder, "-f", folder / "list.toml", "--special-codes", "income=-8", "--json", capsys=capsys
    )
    files = [folder / "survey.csv", folder / "survey_synthetic.csv"]
    wanted = replicate(*files, folder / "list.toml", special_codes={"income": [-8]}).record
    assert (code, err) == (0, "")
    assert json.loads(out) == json.loads(wanted.to_json())
    code, out, _ = run(folder, "-f", folder / "list.toml", "--csv", capsys=capsys)
    assert len(out.splitlines()) == 1 + len(wanted.rows)


@pytest.mark.slow
def test_a_page_and_a_picture_are_written_whole_and_for_the_owner_alone(folder, tmp_path, capsys):
    page, chart = tmp_path / "page.html", tmp_path / "chart.svg"
    code, out, err = run(
        folder, "-f", folder / "list.toml", "--page", page, "--chart", chart, capsys=capsys
    )
    assert (code, out) == (0, "")
    assert "written to" in err
    text = page.read_text(encoding="utf-8")
    assert "CONFIDENTIAL" in text
    assert "default-src 'none'" in text
    assert "<script" not in text
    minidom.parseString(chart.read_bytes())
    if sys.platform != "win32":
        assert stat.S_IMODE(page.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "Name the list of published results: --findings results.toml."),
        (["-f", "none.toml"], "The file 'none.toml' cannot be read: No such file or directory."),
        (
            ["-f", "LIST", "--level", "2"],
            "level is 2. It must be a number between 0 and 1, such as 0.95.",
        ),
        (
            ["-f", "LIST", "--synthesis", "prop"],
            "synthesis is 'prop'. Did you mean 'proper'? It must be one of: simple, proper,"
            " incomplete.",
        ),
        (
            ["-f", "LIST", "--special-codes", "income=x"],
            "A special code of 'income' is 'x', which is not a number. Write numbers such as -8.",
        ),
        (["-f", "LIST", "--json", "--csv"], "--json and --csv cannot be printed together."),
        (["-f", "LIST", "--page", "a", "--chart", "a"], "--chart and --page name the same file."),
        (["-f", "LIST", "--page", "none/a.html"], "There is no folder 'none' to write to."),
    ],
)
def test_what_cannot_be_done_is_refused_with_exit_code_2(folder, options, sentence, capsys):
    given = [folder / "list.toml" if option == "LIST" else option for option in options]
    code, out, err = run(folder, *given, capsys=capsys)
    assert (code, out) == (2, "")
    assert sentence in " ".join(err.split())
    assert "Traceback" not in err


def test_without_files_the_command_says_what_it_needs(capsys):
    assert code_of() == 2
    assert "Name the original file and at least one synthetic file" in capsys.readouterr().err


def test_a_file_that_is_there_is_not_written_over(folder, tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("mine")
    code, _, err = run(folder, "-f", folder / "list.toml", "--page", page, capsys=capsys)
    assert code == 2
    assert "is there already" in err
    assert page.read_text() == "mine"


HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


@pytest.mark.slow
def test_hostile_names_and_levels_are_shown_as_text(tmp_path, capsys):
    data = pl.DataFrame({HOSTILE: [1, 2, 3, 4], "b": [HOSTILE, "x", HOSTILE, "x"]})
    data.write_csv(tmp_path / "a.csv")
    asked = [
        {"name": HOSTILE, "kind": "mean", "column": HOSTILE},
        {"name": "t", "kind": "table", "columns": "b"},
        {"name": "r", "kind": "regression", "formula": f"`{HOSTILE}` ~ b"},
    ]
    (tmp_path / "l.toml").write_text(write_tables("finding", asked), encoding="utf-8")
    assert read_findings(tmp_path / "l.toml") == asked
    file = tmp_path / "a.csv"
    for more in ([], ["--csv"], ["--json"]):
        assert code_of(file, file, "-f", tmp_path / "l.toml", *more) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert "\u202e" not in out
    record = replicate(data, data, asked).record
    page, picture = replication_page(record), overlap(record).svg()
    assert "<script" not in page
    assert "\x1b" not in page + picture
    minidom.parseString(picture)


def test_a_finding_without_any_figure_still_has_its_page():
    data = pl.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    asked = [{"name": "m", "kind": "mean", "column": "a", "where": "a > 5"}]
    record = replicate(data, data, asked).record
    assert record.rows == ()
    assert list(replication_sentences(record)) == [("none", "No figure could be compared.")]
    assert list(lost(record)) == [
        "m, in the original: no one is in the subgroup.",
        "m, in the synthetic data: no one is in the subgroup.",
    ]
    assert "No figure could be compared." in replication_page(record)


def test_a_notebook_shows_the_figures_and_no_script():
    data = pl.DataFrame({"a": [1, 2, 4], "b": ["x", "y", "y"]})
    result = replicate(data, [data, data], [{"name": "<b>", "kind": "mean", "column": "a"}])
    assert repr(result) == "1 published result: mean overlap of confidence intervals 1.00"
    assert "&lt;b&gt;" in result._repr_html_()
    assert "<b>" not in result._repr_html_()
