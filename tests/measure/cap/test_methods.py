"""Several methods beside each other, bands and special codes: opened together, told apart."""

import json

import polars as pl
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from measure.small import ORIGINAL, SYNTHETIC, people
from oracles import confidentiality as oracle
from oracles.compare import assert_agrees
from profiles import examples
from unveil.cli import differential as commands
from unveil.errors import ReadError, RolesError, SettingsError
from unveil.io.table import place_of
from unveil.measure.cap.differential import differential_confidentiality
from unveil.view import differential as told

LEFT_OUT = ["axq", "byp", "bxq", "cxq"]
SECOND = ["bxq", "axq"]
METHODS = {"CART": [SYNTHETIC, SECOND], "parametric": [["axq", "byq"]]}


def framed(methods: dict) -> dict:
    return {name: [people(copy) for copy in copies] for name, copies in methods.items()}


def measured(synthetic, included=ORIGINAL, left_out=LEFT_OUT, **asked):
    asked = {"seed": 1, "n_bootstrap": 200, "keys": ["k1", "k2"], "target": "t", **asked}
    return differential_confidentiality(people(included), people(left_out), synthetic, **asked)


def test_every_method_has_its_rows_and_m_starts_anew():
    result = measured(framed(METHODS))
    assert [(row.method, row.m) for row in result.rows] == [
        ("CART", 1),
        ("CART", 2),
        ("parametric", 1),
    ]
    assert result.record.n_synthetic == (6, 2, 2)
    assert result.record.methods == {"CART": (6, 2), "parametric": (2,)}
    # The copy by parametric says q under a x and b y: 1 of a x, and both of b y, of 6.
    assert result.rows[2].mean_included == pytest.approx(3 / 6)
    assert result.rows[2].mean_left_out == pytest.approx(1 / 4)
    assert result.frame()["method"].to_list() == ["CART", "CART", "parametric"]
    assert type(result.record).from_json(result.to_json()) == result.record


def test_a_single_one_has_no_name():
    result = measured(people(SYNTHETIC))
    assert [row.method for row in result.rows] == [""]
    assert result.frame()["method"].to_list() == [""]


def test_one_copy_of_a_method_needs_no_list():
    one = measured({"CART": people(SYNTHETIC)})
    assert one.rows == measured({"CART": [people(SYNTHETIC)]}).rows


letters = st.lists(
    st.builds("".join, st.tuples(*map(st.sampled_from, ("abc", "xy", "pqr")))),
    min_size=1,
    max_size=9,
).map(lambda rows: ["axp", *rows])
some_methods = st.dictionaries(
    st.sampled_from(["CART", "parametric", "third"]),
    st.lists(letters, min_size=1, max_size=2),
    min_size=1,
)


@pytest.mark.slow
@examples(40)
@given(letters, letters, some_methods, st.sampled_from(oracle.RULES))
def test_methods_have_the_rows_they_have_alone_and_those_of_the_story(
    included, left_out, methods, rule
):
    asked = {"nonmatch": rule, "margin": 0.5, "n_bootstrap": 100}
    found = measured(framed(methods), included, left_out, **asked)
    for name, copies in methods.items():
        alone = measured(framed({"": copies})[""], included, left_out, **asked)
        mine = [row.to_dict() for row in found.rows if row.method == name]
        assert mine == [{**row.to_dict(), "method": name} for row in alone.rows]
        lacking = [(one.m, one.field) for one in found.record.not_measured if one.method == name]
        assert lacking == [(one.m, one.field) for one in alone.record.not_measured]
        files = [[(row[:2], row[2]) for row in file] for file in (included, left_out, *copies)]
        for row, figures in zip(mine, oracle.by_m(*files[:2], files[2:], rule), strict=True):
            assert_agrees(row, figures, where=name)


def test_what_is_said_names_the_method():
    result = measured(framed(METHODS), margin=0.5)
    assert (
        "2 copies by CART of 6 and 2 records, 2 records in the synthetic data by parametric."
        in (told.sizes(result.record))
    )
    headings = dict(told.differential_sentences(result.record))
    assert list(headings) == ["In words, CART", "In words, parametric"]
    assert "in the 2 copies by CART together." in "".join(headings["In words, CART"])
    assert "in the synthetic data by parametric." in "".join(headings["In words, parametric"])
    assert [line.partition(": ")[0] for line in repr(result).splitlines()] == [
        "Training against control, t from k1 and k2, CART m = 2",
        "Training against control, t from k1 and k2, parametric m = 1",
    ]
    shown = result._repr_html_()
    assert shown.index("(m), CART</caption>") < shown.index("(m), parametric</caption>")
    assert shown.count("<table>") == 2


def test_a_hostile_name_of_a_method_is_made_harmless():
    shown = measured({"<script>": people(SYNTHETIC)})._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({}, ReadError, "No synthetic data are given. Name at least one file or frame."),
        (
            {"CART": []},
            ReadError,
            "Method 'CART' has no copy. Name at least one file or frame.",
        ),
        *(
            (
                {name: people(SYNTHETIC)},
                SettingsError,
                "A method has no name that can be shown. Give each method a text as its name.",
            )
            for name in ("", 1, "\x1b[31m")
        ),
        (
            {"CART": [people(SYNTHETIC), people(SECOND).drop("t")]},
            RolesError,
            f"{place_of('synthetic CART 2')} has no column 't'. Its columns are: k1, k2.",
        ),
    ],
)
def test_methods_that_cannot_be_read_are_refused(given, error, sentence):
    with pytest.raises(error) as refused:
        measured(given)
    assert str(refused.value) == sentence


AGES = {"included": [21, 24, 38, -9, 52], "left_out": [22, 39, 55, -9], "copy": [20, 33, 58, -9]}


def aged(part: str) -> pl.DataFrame:
    sides = {"included": "ppqqr", "left_out": "pqrq", "copy": "pqrq"}
    return pl.DataFrame({"age": AGES[part], "t": list(sides[part])})


def banded(synthetic, **asked):
    return differential_confidentiality(
        aged("included"), aged("left_out"), synthetic, keys="age", target="t", seed=1, **asked
    )


def test_bands_are_those_of_people_cut_by_hand():
    cut = {"bands": {"age": [0, 30, 50, 70]}, "special_codes": {"age": [-9]}}
    result = banded(aged("copy"), **cut)
    # In bands everyone is found, and the copy says p, q, r, and q for the code: all are right.
    assert (result.rows[0].n_match_included, result.rows[0].n_match_left_out) == (5, 4)
    assert (result.rows[0].mean_included, result.rows[0].mean_left_out) == (1.0, 1.0)
    (bands,) = result.record.bands
    assert (bands.column, bands.breaks) == ("age", (0.0, 30.0, 50.0, 70.0))
    assert bands.special_codes == ("-9",)
    # As they stand only the code meets.
    assert banded(aged("copy")).rows[0].n_match_included == 1
    assert banded(aged("copy")).record.bands == ()


def test_the_limits_of_bands_are_shared_by_all_methods():
    other = aged("copy").with_columns(age=pl.Series([20, 33, 258, -9]))
    (bands,) = banded({"CART": aged("copy"), "other": other}, bands={"age": "equal:4"}).record.bands
    # From -9 to 258, over both groups and both methods.
    assert bands.breaks == pytest.approx((57.75, 124.5, 191.25))


@pytest.mark.parametrize(
    ("asked", "error", "start"),
    [
        ({"bands": 5}, SettingsError, "bands is 5. Name the columns, as in {'age': 5}."),
        (
            {"bands": {"income": 5}},
            RolesError,
            "Bands or special codes are given for 'income', which is neither key nor target.",
        ),
    ],
)
def test_bands_that_do_not_fit_are_refused(asked, error, start):
    with pytest.raises(error) as refused:
        banded(aged("copy"), **asked)
    assert str(refused.value).startswith(start)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    files = {"in": ORIGINAL, "out": LEFT_OUT, "c1": SYNTHETIC, "c2": SECOND, "p1": ["axq", "byq"]}
    for name, rows in files.items():
        people(rows).write_csv(tmp_path / f"{name}.csv")
    for part in AGES:
        aged(part).write_csv(tmp_path / f"aged_{part}.csv")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(commands.differential_confidentiality, arguments)
    if result.exception:
        raise result.exception
    return result.output


ASKED = ("-k", "k1,k2", "-t", "t", "--seed", "1")
CART = ("--method", "CART=c1.csv,c2.csv")
PARAMETRIC = ("--method", "parametric=p1.csv")


def test_the_command_takes_methods(folder):
    files = {"CART": [folder / "c1.csv", folder / "c2.csv"], "parametric": folder / "p1.csv"}
    result = differential_confidentiality(
        folder / "in.csv", folder / "out.csv", files, keys=["k1", "k2"], target="t", seed=1
    )
    out = run("in.csv", "out.csv", *CART, *PARAMETRIC, *ASKED, "--json")
    assert json.loads(out) == json.loads(result.to_json())


def test_the_command_prints_a_table_and_words_for_each_method(folder):
    out = run("in.csv", "out.csv", *CART, *PARAMETRIC, *ASKED, "--margin", "0.5")
    caption = "Training data against control sample, by number of pooled copies (m)"
    for line in (f"{caption}, CART", f"{caption}, parametric", "In words, CART"):
        assert line in [one.strip() for one in out.splitlines()]
    assert max(map(len, out.splitlines())) <= 80
    assert "differentially confidential" not in " ".join(out.split())


def test_files_without_a_method_stand_beside_those_with_one(folder):
    out = run("in.csv", "out.csv", "c1.csv", "c2.csv", *PARAMETRIC, *ASKED, "--csv")
    assert [line.split(",")[:2] for line in out.splitlines()[1:]] == [
        ["synthetic", "1"],
        ["synthetic", "2"],
        ["parametric", "1"],
    ]


def test_a_method_called_as_the_files_beside_it_is_refused(folder):
    with pytest.raises(SettingsError) as refused:
        run("in.csv", "out.csv", "c1.csv", "--method", "synthetic=p1.csv", *ASKED)
    assert str(refused.value) == (
        "Files without a method are called 'synthetic', and so is a --method. Give the method"
        " another name."
    )


def test_the_command_takes_bands_and_special_codes(folder):
    files = ("aged_included.csv", "aged_left_out.csv", "aged_copy.csv")
    options = ("-k", "age", "-t", "t", "--seed", "1", "--bands", "age=0,30,50,70")
    out = json.loads(run(*files, *options, "--special-codes", "age=-9", "--json"))
    assert out["bands"][0]["special_codes"] == ["-9"]
    assert out["rows"][0]["mean_included"] == 1.0
