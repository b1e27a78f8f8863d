"""`unveil explore` on a file: figures, documents, page and map, and going on after a stop."""

import csv
import json
from xml.dom import minidom

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main
from unveil.project.explore import explore as module


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = np.random.default_rng(1)
    area = rng.integers(20, size=200)
    frame = pl.DataFrame(
        {
            "sex": rng.choice(["m", "f"], 200),
            "area": [f"a{one}" for one in area],
            "pay": 10 * area + rng.integers(20, size=200),
        }
    )
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame.write_csv(path)
    return path


COMMON = ("--keys", "sex,area", "--seed", "1", "--copies", "2")
SMALL = (*COMMON, "--methods", "cart", "--min-leaf", "5,40")


def code_of(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["explore", *map(str, arguments)])
    return ended.value.code


@pytest.mark.slow
def test_every_setting_is_shown_with_what_to_choose_from(file, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert code_of(file, *SMALL, "--noise", "pay=5") == 0
    out = capsys.readouterr().out
    for name in ("cart, min_leaf 5", "cart, min_leaf 40", "cart, min_leaf 5, noise pay"):
        assert name in out
    assert "● frontier: no other setting has both less risk and better utility" in out
    assert max(map(len, out.splitlines())) <= 80


def head_of(out):
    """The heads, which stand in two lines, word by word."""
    shown = out.splitlines()
    place = next(n for n, line in enumerate(shown) if line.lstrip().startswith("setting"))
    return f" {shown[place - 1]} {shown[place]} ".split()


@pytest.mark.slow
def test_columns_without_a_figure_give_way_before_those_with_figures(file, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    one = ("--keys", "sex,area", "--seed", "1", "--copies", "1", "--methods", "cart")
    assert code_of(file, *one, "--min-leaf", "5,40", "--control", "0") == 0
    out = capsys.readouterr().out
    head = head_of(out)
    assert "sd" not in head
    assert "R" not in head
    assert "highest" in head
    assert "worst" in head
    assert code_of(file, *SMALL) == 0
    head = head_of(capsys.readouterr().out)
    assert head.count("sd") == 2
    assert "worst" in head


def test_a_wide_screen_names_the_columns_of_the_worst_pair(file, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "140")
    assert code_of(file, *SMALL) == 0
    out = capsys.readouterr().out
    assert "its" in head_of(out)
    assert "area by pay" in out or "sex by pay" in out or "sex by area" in out


@pytest.mark.slow
def test_the_documents_are_the_record(file, capsys):
    assert code_of(file, *SMALL, "--json") == 0
    wanted = unveil.explore(
        file, keys=["sex", "area"], methods="cart", min_leaf=(5, 40), seed=1, copies=2
    )
    assert json.loads(capsys.readouterr().out) == json.loads(wanted.to_json())
    assert code_of(file, *SMALL, "--csv") == 0
    rows = list(csv.DictReader(capsys.readouterr().out.splitlines()))
    assert [row["name"] for row in rows] == [row.name for row in wanted.rows]
    assert [float(row["DiSCO"]) for row in rows] == [row.DiSCO for row in wanted.rows]


@pytest.mark.slow
def test_page_and_map_are_written(file, tmp_path, capsys):
    page, chart = tmp_path / "p.html", tmp_path / "c.svg"
    assert code_of(file, *SMALL, "--page", page, "--chart", chart) == 0
    assert "CONFIDENTIAL" in page.read_text(encoding="utf-8")
    minidom.parseString(chart.read_bytes())


@pytest.mark.slow
def test_a_stop_says_how_far_it_came_and_the_same_command_goes_on(
    file, tmp_path, capsys, monkeypatch
):
    make = module.make_copies

    def stopped(table, setting, *rest):
        if setting.min_leaf == 40:
            raise KeyboardInterrupt
        return make(table, setting, *rest)

    monkeypatch.setattr(module, "make_copies", stopped)
    folder = tmp_path / "tried"
    assert code_of(file, *SMALL, "--folder", folder) == 130
    err = capsys.readouterr().err
    assert "Stopped. 1 setting is kept in" in err
    assert "the same command continues from there." in err
    assert code_of(file, *SMALL) == 130
    assert "Stopped. Nothing was written." in capsys.readouterr().err
    monkeypatch.setattr(module, "make_copies", make)
    assert code_of(file, *SMALL, "--folder", folder, "--json") == 0
    resumed = json.loads(capsys.readouterr().out)
    assert code_of(file, *SMALL, "--json") == 0
    assert json.loads(capsys.readouterr().out) == resumed


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "Name the key variables an intruder would know: --keys sex,age,region."),
        (["-k", "sez"], "None of the files has a column 'sez'. Did you mean 'sex'?"),
        (["-k", "sex", "--min-leaf", "5,x"], "--min-leaf '5,x' cannot be read."),
        (["-k", "sex", "--min-leaf", "1e400"], "--min-leaf '1e400' cannot be read."),
        (["-k", "sex", "--min-leaf", "5,-1e999"], "--min-leaf '5,-1e999' cannot be read."),
        (["-k", "sex", "--min-leaf", "2.5"], "--min-leaf '2.5' cannot be read."),
        (["-k", "sex", "--min-leaf", "0"], "Write whole numbers of 1 or more"),
        (["-k", "sex", "--methods", "carp"], "Did you mean 'cart'?"),
        (["-k", "sex", "--noise", "pay=x"], "--noise 'pay=x' cannot be read."),
        (["-k", "sex", "--control", "1"], "control is 1."),
        (["-k", "sex", "--copies", "0"], "copies is 0"),
        (["-k", "sex", "--risk", "DISCO"], "risk is 'DISCO'. Did you mean 'DiSCO'?"),
        (["-k", "sex", "--json", "--csv"], "--json and --csv cannot be printed together."),
        (["-k", "sex", "--page", "none/p.html"], "There is no folder 'none' to write to."),
    ],
)
def test_what_cannot_be_done_is_refused_with_exit_code_2(file, options, sentence, capsys):
    more = ("--methods", "cart") if "--methods" not in options else ()
    assert code_of(file, *more, *options) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert sentence in " ".join(said.err.split())
    assert "Traceback" not in said.err


def test_without_a_file_the_command_says_what_it_needs(capsys):
    assert code_of() == 2
    assert "Name the original file: unveil explore survey.csv" in capsys.readouterr().err
