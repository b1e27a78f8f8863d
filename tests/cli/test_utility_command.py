"""`unveil utility` on files: figures, documents, pages and pictures, and what is refused."""

import csv
import json
import stat
import sys
from xml.dom import minidom

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main

COLUMNS = ("sex", "area", "pay")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("people")
    for seed, name in enumerate(("original", "copy", "control")):
        rng = np.random.default_rng(seed)
        area = rng.integers(6, size=300)
        pay = np.where(rng.random(300) < 0.1, -8, 100 * area + rng.integers(90, size=300))
        frame = {"sex": rng.choice(["m", "f"], 300), "area": [f"a{one}" for one in area]}
        pl.DataFrame({**frame, "pay": pay}).write_csv(place / f"{name}.csv")
    return place


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def code_of(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(["utility", *map(str, arguments)])
    return ended.value.code


def run(folder, *options, capsys):
    common = ("--permutations", "5", "--seed", "1", "--special-codes", "pay=-8")
    code = code_of(folder / "original.csv", folder / "copy.csv", *common, *options)
    return code, *capsys.readouterr()


@pytest.mark.slow
def test_the_headline_says_how_the_model_does_beside_chance(folder, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run(folder, "--compare", "--projection", capsys=capsys)
    files = (folder / "original.csv", folder / "copy.csv")
    codes = {"pay": [-8]}
    row = unveil.utility(*files, special_codes=codes, n_permutations=5, seed=1).rows[0]
    said = " ".join(out.split())
    assert code == 0
    assert f"S_pMSE {row.S_pMSE:.2f} (1 = no more than chance; below 3 good, above 10 poor)" in said
    assert "synthpop's vignette on utility" in said
    worst = unveil.pair_tables(*files, special_codes=codes).worst[0]
    pair = " by ".join(worst.variables)
    assert f"Worst pair of variables: {pair} (S_pMSE {worst.S_pMSE:.2f})." in said
    for title in ("Mean S_pMSE by variable", "Distributions of single columns", "Associations"):
        assert title in out
    assert "Principal components of the original" in out
    assert max(map(len, out.splitlines())) <= 80


def test_the_document_holds_the_records_that_were_asked_for(folder, capsys):
    code, out, err = run(folder, "--json", "--ways", "1,2", "--model", "logit", capsys=capsys)
    assert (code, err) == (0, "")
    found = json.loads(out)
    files = (folder / "original.csv", folder / "copy.csv")
    codes = {"pay": [-8]}
    wanted = unveil.utility(*files, special_codes=codes, model="logit").to_json()
    assert found["utility"] == json.loads(wanted)
    assert [one["ways"] for one in found["tables"]] == [1, 2]
    pairs = unveil.pair_tables(*files, special_codes=codes).to_json()
    assert found["tables"][1] == json.loads(pairs)
    assert (found["comparison"], found["projection"], found["tstr"]) == (None, None, None)


def test_more_is_in_the_document_where_more_is_asked_for(folder, capsys):
    more = ("--compare", "--projection", "--tstr", "pay", "--control", folder / "control.csv")
    _, out, _ = run(folder, "--json", *more, capsys=capsys)
    found = json.loads(out)
    assert found["comparison"]["columns"] == list(COLUMNS)
    assert len(found["projection"]["components"]) == 2
    assert (found["tstr"]["outcome"], found["tstr"]["tested_on"]) == ("pay", "control")


@pytest.mark.slow
def test_files_are_written_whole_and_for_the_owner_alone(folder, tmp_path, capsys):
    page, chart, lines = (tmp_path / name for name in ("p.html", "c.svg", "t.csv"))
    code, out, err = run(
        folder, "--page", page, "--chart", chart, "--csv", lines, "--tstr", "sex", capsys=capsys
    )
    assert code == 0
    assert "Utility of the synthetic data" in out
    assert err.count("It is confidential.") == 3
    text = page.read_text(encoding="utf-8")
    for part in (
        "CONFIDENTIAL",
        "default-src 'none'",
        "column by column",
        "components",
        "Train on",
    ):
        assert part in text
    assert "<script" not in text
    assert text.count("<figure") == 1 + 1 + len(COLUMNS) + 1 + 1  # map, distances, bars, both last
    minidom.parseString(chart.read_bytes())
    rows = list(csv.DictReader(lines.read_text(encoding="utf-8").splitlines()))
    assert [row["variables"] for row in rows] == ["sex : area", "sex : pay", "area : pay"]
    if sys.platform != "win32":
        assert {stat.S_IMODE(one.stat().st_mode) for one in (page, chart, lines)} == {0o600}


@pytest.mark.slow
def test_several_copies_are_told_by_the_worst(folder, capsys):
    files = [folder / f"{name}.csv" for name in ("original", "copy", "control")]
    assert code_of(*files, "--permutations", "3", "--seed", "1") == 0
    assert "This is the worst of 2 copies." in capsys.readouterr().out


def test_identical_files_are_told_to_be_so(folder, capsys):
    file = folder / "original.csv"
    assert code_of(file, file, "--model", "logit") == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "S_pMSE 0.00 (1 = no more than chance" in out
    assert "Every column has the same distribution" in out


@pytest.mark.slow
def test_a_constant_column_and_one_record_are_measured_and_told(tmp_path, capsys):
    pl.DataFrame({"a": ["x"] * 30, "b": ["y"] * 30}).write_csv(tmp_path / "a.csv")
    pl.DataFrame({"a": ["x"], "b": ["y"]}).write_csv(tmp_path / "b.csv")
    page = tmp_path / "p.html"
    assert code_of(tmp_path / "a.csv", tmp_path / "b.csv", "--page", page) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "S_pMSE of all columns cannot be computed: no tree of permuted labels has a cut" in out
    assert "No table has more than one cell" in out
    assert "Principal components" not in page.read_text(encoding="utf-8")
    assert code_of(tmp_path / "a.csv", tmp_path / "b.csv", "--projection") == 2
    assert "too few columns that vary" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--model", "carp"], "model is 'carp'. Did you mean 'cart'?"),
        (["--ways", "4"], "--ways '4' cannot be read. Write some of 1, 2 and 3"),
        (["--ways", "3", "--columns", "sex,pay"], "A table of 3 variables cannot be made of 2"),
        (["--interactions", "x"], "--interactions 'x' cannot be read."),
        (["--interactions", "9", "--model", "logit"], "interactions is 9. It must be a whole"),
        (["--permutations", "-1"], "n_permutations is -1"),
        (["--columns", "sez"], "'sez'"),
        (["--special", "area=x"], "A special code of column 'area' is 'x'"),
        (["--control", "c.csv"], "--control is for --tstr."),
        (["--chart", "c.svg", "--ways", "1"], "--chart draws all pairs of columns"),
        (["--page", "a", "--chart", "a"], "--chart and --page name the same file."),
        (["--page", "none/a.html"], "There is no folder 'none' to write to."),
        (["--tstr", "pai"], "'pai'"),
    ],
)
@pytest.mark.usefixtures("elsewhere")
def test_what_cannot_be_done_is_refused_with_exit_code_2(
    folder, options, sentence, capsys, tmp_path
):
    code, out, err = run(folder, *options, capsys=capsys)
    assert (code, out) == (2, "")
    assert sentence in " ".join(err.split())
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


def test_without_files_the_command_says_what_it_needs(capsys):
    assert code_of("one.csv") == 2
    assert "Name the original file and at least one synthetic file" in capsys.readouterr().err


def test_a_file_that_is_there_is_not_written_over(folder, tmp_path, capsys):
    page = tmp_path / "page.html"
    page.write_text("mine")
    code, _, err = run(folder, "--page", page, capsys=capsys)
    assert (code, page.read_text()) == (2, "mine")
    assert "is there already" in err


def written(path, **columns):
    pl.DataFrame(columns).write_csv(path)
    return path


@pytest.mark.slow
def test_columns_that_one_file_alone_has_are_told_in_one_sentence(tmp_path, capsys):
    sex = {"sex": ["m", "f"] * 40, "job": ["a", "b", "c", "d"] * 20}
    lone = {f"only{place}": range(80) for place in range(26)}
    original = written(tmp_path / "a.csv", **sex, **lone)
    page = tmp_path / "p.html"
    copy = written(tmp_path / "b.csv", **sex, other=range(80))
    assert code_of(original, copy, "--model", "logit", "--page", page) == 0
    out = " ".join(capsys.readouterr().out.split())
    said = (
        "26 columns are not in every file and were excluded: only0, only1, only2, only3, only4 and"
        " 21 more."
    )
    for text in (out, page.read_text(encoding="utf-8")):
        assert text.count("excluded") == 2
        assert f"original: {said}" in text
    assert "synthetic: Column 'other' is not in every file and was excluded." in out


@pytest.mark.slow
def test_levels_of_fewer_than_ten_people_are_on_no_screen_and_no_page(tmp_path, capsys):
    levels = ["common"] * 200 + ["usual"] * 84 + ["rarest"] * 7 + [None] * 9
    original = written(tmp_path / "a.csv", g=levels, h=["x", "y"] * 150)
    copy = written(tmp_path / "b.csv", g=levels[30:] + ["rarest"] * 30, h=["x", "y"] * 150)
    page = tmp_path / "p.html"
    more = ("--compare", "--page", page, "--ways", "1,2", "--model", "logit")
    assert code_of(original, copy, *more) == 0
    out, text = capsys.readouterr().out, page.read_text(encoding="utf-8")
    for shown in (out, text):
        assert "rarest" not in shown
        assert "usual" in shown
        assert "few" in shown
    assert "other (1 level), original under 3.4 %: under 3.4 and 12.3" in text
    assert "missing, original under 3.4 %: under 3.4 and 3.0" in text
    assert "Cells of g that differ most" in out
    assert "Cells of g by h that differ most" in out


@pytest.mark.slow
def test_by_pairs_is_a_column_only_where_there_are_several_copies(folder, tmp_path, capsys):
    page, other = tmp_path / "p.html", tmp_path / "q.html"
    run(folder, "--page", page, capsys=capsys)
    assert "by pairs" not in page.read_text(encoding="utf-8")
    files = [folder / f"{name}.csv" for name in ("original", "copy", "control")]
    assert code_of(*files, "--permutations", "3", "--seed", "1", "--page", other) == 0
    assert "by pairs" in other.read_text(encoding="utf-8")


@pytest.mark.slow
def test_figures_of_a_page_are_right_aligned_and_pictures_scroll_where_it_is_narrow(
    folder, tmp_path, capsys
):
    page = tmp_path / "p.html"
    run(folder, "--page", page, capsys=capsys)
    text = page.read_text(encoding="utf-8")
    assert text.count("<table>") == text.count('<div class="scroll"') > 3
    assert 'class="number' in text
    assert ".number{text-align:right" in text
    assert "figure svg{max-width:none" in text


HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


@pytest.mark.slow
def test_hostile_names_and_levels_are_shown_as_text(tmp_path, capsys):
    rng = np.random.default_rng(1)
    names = rng.choice([HOSTILE, "x", "=1+1"], 200)
    data = pl.DataFrame({HOSTILE: names, "b": rng.integers(50, size=200), "c": names[::-1]})
    data.write_csv(tmp_path / "a.csv")
    data.sample(fraction=1, shuffle=True, with_replacement=True, seed=1).write_csv(
        tmp_path / "b.csv"
    )
    page = tmp_path / "p.html"
    more = ("--compare", "--projection", "--page", page, "--permutations", "2", "--ways", "1,2")
    assert code_of(tmp_path / "a.csv", tmp_path / "b.csv", *more) == 0
    shown = capsys.readouterr()
    for text in (shown.out, shown.err, page.read_text(encoding="utf-8")):
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert "<script" not in page.read_text(encoding="utf-8")
