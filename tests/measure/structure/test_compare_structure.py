"""Differences of structure: each is found, told in a sentence, and tells nothing of one person."""

import datetime as dt
import json

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import InputError
from unveil.io.table import Table
from unveil.measure.structure import compare_structure as compare
from unveil.measure.structure.compare_structure import compare_structure, pair_columns
from unveil.records.codebook import Codebook, CodebookDifferences, Level, MissingRange, Variable


def levels(**labels):
    return tuple(Level(code=int(code[1:]), label=label) for code, label in labels.items())


MALE_FEMALE = levels(_1="Male", _2="Female")


@pytest.fixture
def declared(monkeypatch):
    """Compare two frames with codebooks made by hand."""

    def run(original, synthetic, ours=(), theirs=(), formats=("spss", "spss")):
        made = zip(
            ("original", "synthetic"), (original, synthetic), (ours, theirs), formats, strict=True
        )
        tables = [
            Table(
                side=side,
                place={
                    "original": "The original (o.sav)",
                    "synthetic": "The synthetic dataset (s.sav)",
                }[side],
                frame=pl.DataFrame(frame, strict=False),
                source=f"{side[0]}.sav",
                codebook=Codebook(source=side, format=form, variables=tuple(variables)),
            )
            for side, frame, variables, form in made
        ]
        monkeypatch.setattr(compare, "open_files", lambda *_: tables)
        return compare_structure("o.sav", "s.sav").record

    return run


def told(record):
    return [(row.kind, row.sentence) for row in record.rows]


def variable(name="x", **fields):
    return Variable(name=name, **fields)


X = {"x": [1, 2]}


def test_equal_files_have_no_difference(declared):
    known = [variable(label="X", levels=MALE_FEMALE, missing=(-9,), measure="nominal")]
    record = declared(X, X, known, known)
    assert (record.rows, record.n_alike) == ((), 1)


def test_names_are_paired_by_capitals_and_slips():
    pairs = pair_columns(["sex", "region", "age", "q1"], ["Sex", "regoin", "income", "q2"])
    assert pairs.by_name == {"sex": "Sex", "region": "regoin"}
    assert (pairs.only_original, pairs.only_synthetic) == (("age", "q1"), ("income", "q2"))


def test_names_are_told(declared):
    record = declared(
        {"sex": [1], "region": [1], "age": [1]}, {"Sex": [1], "regoin": [1], "extra": [1]}
    )
    assert told(record) == [
        ("only original", "The synthetic dataset (s.sav) has no column 'age'."),
        (
            "only synthetic",
            "The synthetic dataset (s.sav) has a column 'extra' that the original lacks.",
        ),
        (
            "name",
            "Column 'sex' is called 'Sex' in the synthetic dataset (s.sav), in other capitals or"
            " blanks.",
        ),
        (
            "name",
            "Column 'region' is called 'regoin' in the synthetic dataset (s.sav), which looks"
            " misspelt.",
        ),
    ]


def test_the_order_of_columns_is_told_once(declared):
    record = declared({"a": [1], "b": [1], "c": [1]}, {"a": [1], "c": [1], "b": [1]})
    assert told(record) == [
        (
            "order",
            "The synthetic dataset (s.sav) has its columns in another order, from the 2nd that both"
            " have: 'c' instead of 'b'.",
        )
    ]


def test_kinds_are_those_of_the_data(declared):
    record = declared({"x": [dt.date(2020, 1, 1)]}, {"x": ["2020-01-01"]})
    assert told(record) == [
        (
            "kind",
            ("Column 'x' holds dates in the original and text in the synthetic dataset (s.sav)."),
        )
    ]
    assert declared({"x": [1, 2]}, {"x": [1.0, 2.0]}).rows == ()
    assert declared({"x": [1, 2]}, {"x": [None, None]}).rows == ()


def test_a_code_with_another_meaning_is_a_contradiction(declared):
    theirs = [variable(levels=levels(_1="Yes", _2="Female"))]
    record = declared(X, X, [variable(levels=MALE_FEMALE)], theirs)
    assert told(record) == [
        (
            "contradiction",
            "Column 'x' gives codes another meaning: 1 = Male in the original, 1 = Yes in the"
            " synthetic dataset (s.sav).",
        )
    ]


def test_the_same_labels_under_other_codes_are_a_recoding(declared):
    swapped = [variable(levels=levels(_1="Female", _2="Male"))]
    record = declared(X, X, [variable(levels=MALE_FEMALE)], swapped)
    assert told(record) == [
        (
            "recoded",
            "Column 'x' has the same labels under other codes: 1 = Male, 2 = Female in the"
            " original, 1 = Female, 2 = Male in the synthetic dataset (s.sav).",
        )
    ]
    moved = [variable(levels=levels(_1="Male", _3="Female"))]
    record = declared(X, {"x": [1, 1]}, [variable(levels=MALE_FEMALE)], moved)
    assert told(record) == [
        (
            "recoded",
            "Column 'x' has the same labels under other codes: 2 = Female in the original,"
            " 3 = Female in the synthetic dataset (s.sav).",
        )
    ]


def test_codes_of_one_side_only_and_labels_in_other_capitals(declared):
    theirs = [variable(levels=levels(_1="MALE", _3="Other"))]
    record = declared(X, {"x": [1, 1]}, [variable(levels=MALE_FEMALE)], theirs)
    assert told(record) == [
        (
            "category",
            "Column 'x' declares other codes: 2 = Female only in the original, and 3 = Other only"
            " in the synthetic dataset (s.sav).",
        ),
        (
            "category label",
            "Column 'x': labels of codes are written otherwise in the synthetic dataset (s.sav), in"
            " capitals or blanks: 1 = MALE.",
        ),
    ]


def test_a_copy_that_holds_labels_is_told_as_such_and_not_as_text(declared):
    known = [variable(levels=MALE_FEMALE)]
    record = declared(X, {"x": ["Male", "Female"]}, known, known)
    assert told(record) == [
        (
            "written as",
            "Column 'x' holds codes in the original and labels in the synthetic dataset (s.sav).",
        )
    ]


def test_values_that_are_no_codes_are_told_from_five_records_on(declared):
    known = [variable(levels=MALE_FEMALE)]
    record = declared(X, {"x": [1, 2, 3, 3, 3, 3, 3, 77]}, known, known)
    assert told(record) == [
        (
            "category",
            "Column 'x': the synthetic dataset (s.sav) has values that are no codes of the"
            " original: 3 and 1 more that fewer than 5 records have.",
        )
    ]
    assert "77" not in record.to_json()


def test_categories_that_nobody_declared_are_compared_too(declared):
    record = declared({"x": ["N"] * 9 + ["S"] * 5 + ["canary"]}, {"x": ["N"] * 9 + ["Z"] * 4})
    assert told(record) == [
        (
            "category",
            "Column 'x' has categories that occur only in the original: S and 1 more that fewer"
            " than 5 records have.",
        ),
        (
            "category",
            "Column 'x' has categories that occur only in the synthetic dataset (s.sav): 1 that"
            " fewer than 5 records have.",
        ),
    ]
    assert "canary" not in record.to_json()


def test_free_text_is_no_matter_of_structure(declared):
    record = declared({"x": [f"a{i}" for i in range(200)]}, {"x": [f"b{i}" for i in range(200)]})
    assert record.rows == ()


def test_a_copy_beyond_its_original_is_told_without_an_end(declared):
    record = declared({"x": list(range(1000, 1987))}, {"x": [*range(1000, 1987), 5432, 17]})
    assert told(record) == [
        (
            "range",
            "Column 'x': 1 % or less of the records of the synthetic dataset (s.sav) lie beyond"
            " everything in the original.",
        )
    ]
    assert record.rows[0].original == "about 1000 to 1980"
    text = record.to_json()
    assert not any(end in text for end in ("1986", "5432", "17,"))


def test_a_range_of_few_values_is_not_compared(declared):
    assert declared({"x": list(range(49))}, {"x": [1, 900]}).rows == ()


def test_missing_codes_and_ranges_are_compared(declared):
    ours = [variable(missing=(-9, -8), missing_ranges=(MissingRange(lo=None, hi=-1),))]
    theirs = [variable(missing=(-9,), missing_ranges=(MissingRange(lo=97, hi=99.5),))]
    assert told(declared(X, X, ours, theirs)) == [
        (
            "missing",
            "Column 'x': -9, -8 mean missing in the original and -9 mean missing in"
            " the synthetic dataset (s.sav).",
        ),
        (
            "missing",
            "Column 'x': numbers the lowest to -1 mean missing in the original, and 97 to"
            " 99.5 in the synthetic dataset (s.sav).",
        ),
    ]


def test_labels_levels_and_formats_are_compared(declared):
    ours = [variable(label="Sex", measure="nominal", format="F1.0")]
    theirs = [variable(label="Gender", measure="scale", format="F8.2")]
    assert told(declared(X, X, ours, theirs)) == [
        (
            "label",
            "Column 'x' is labelled 'Gender' in the synthetic dataset (s.sav); in the original"
            " it is 'Sex'.",
        ),
        (
            "measure",
            "Column 'x' has the measurement level 'nominal' in the original and the measurement"
            " level 'scale' in the synthetic dataset (s.sav).",
        ),
        (
            "format",
            "Column 'x' has the format 'F1.0' in the original and the format 'F8.2' in the"
            " synthetic dataset (s.sav).",
        ),
    ]
    kinds = [kind for kind, _ in told(declared(X, X, ours, theirs, formats=("spss", "stata")))]
    assert kinds == ["label", "measure"]


def test_what_a_copy_nowhere_declares_is_told_once(declared):
    ours = [
        Variable(name=name, label=name.upper(), levels=MALE_FEMALE, missing=(-9,))
        for name in ("a", "b", "c")
    ]
    frame = {"a": [1], "b": [1], "c": [1]}
    record = declared(frame, frame, ours, (), formats=("spss", "csv"))
    assert told(record) == [
        (
            "undeclared",
            "The synthetic dataset (s.sav) declares no labels of columns, codes with labels or"
            " missing codes; the original does, for 3 of its 3 columns.",
        )
    ]
    assert record.n_alike == 3


def test_every_difference_says_what_to_do(declared):
    record = declared({"a": [1], "b": ["x"]}, {"A": [1], "b": [2.5], "c": [1]})
    assert all(row.remedy.endswith(".") and row.sentence.endswith(".") for row in record.rows)
    assert len(record.rows) == 3


def test_public_frames_go_through_the_same_door():
    result = compare_structure(pl.DataFrame({"a": [1]}), pl.DataFrame({"a": ["x"]}))
    assert not result.is_alike
    assert result.frame()["kind"].to_list() == ["kind"]
    assert CodebookDifferences.from_json(result.to_json()) == result.record
    assert json.loads(result.to_json())["files"] == ["a data frame", "a data frame"]


def test_a_dictionary_speaks_for_both_files(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("variable,code,label\nsex,1,Male\nsex,2,Female\n", encoding="utf-8")
    result = compare_structure(
        pl.DataFrame({"sex": [1, 2]}), pl.DataFrame({"SEX": ["Male", "Female"]}), dictionary=path
    )
    assert [row.kind for row in result.rows] == ["name", "written as"]


def test_several_copies_are_refused():
    frame = pl.DataFrame({"a": [1]})
    with pytest.raises(InputError, match="is given as a list"):
        compare_structure(frame, [frame, frame])


names = st.lists(st.text(st.sampled_from("abAB_"), min_size=1, max_size=3), unique=True, min_size=1)


@given(names, names)
@examples(80)
def test_every_name_is_in_exactly_one_place(original, synthetic):
    pairs = pair_columns(original, synthetic)
    assert sorted([*pairs.by_name, *pairs.only_original]) == sorted(original)
    assert sorted([*pairs.by_name.values(), *pairs.only_synthetic]) == sorted(synthetic)
    assert all(pairs.by_name[name] == name for name in original if name in synthetic)


@given(names, st.randoms())
@examples(20)
def test_a_file_is_built_like_itself_whatever_the_order_of_its_records(columns, random):
    frame = pl.DataFrame({name: [random.choice("xyz") for _ in range(20)] for name in columns})
    assert compare_structure(frame, frame.reverse()).is_alike
