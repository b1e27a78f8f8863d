"""Numbers that stand for no answer: never lost, never given to people who did answer."""

from datetime import date

import polars as pl
import pytest

from unveil.errors import InputError, SettingsError
from unveil.io.numbers import TAGS
from unveil.io.table import Labelled
from unveil.io.write_file import write_file
from unveil.protection.recoding.recode import recode
from unveil.records.codebook import Codebook, Level, MissingRange, Variable


def labelled(values, labels=None, *, dtype=pl.Float64, **more):
    levels = tuple(Level(code=code, label=label) for code, label in (labels or {}).items())
    variable = Variable(name="x", **{"kind": "number", "levels": levels, **more})
    book = Codebook(source="a.sav", format="spss", variables=(variable,))
    return Labelled(pl.DataFrame({"x": pl.Series(values, dtype=dtype)}), book)


def done(data, copy=None, **step):
    return recode(data, [{"column": "x", **step}], copy=copy, seed=1)


def values(data):
    return (data.frame if isinstance(data, Labelled) else data)["x"].to_list()


def declared(data):
    return data.codebook.variable("x")


def pairs(variable):
    return [(level.code, level.label) for level in variable.levels]


MERGED = {"do": "merge_rare", "below": 3, "into": "z"}


def test_a_new_level_gets_no_code_that_is_declared_missing():
    data = labelled([1, 1, 1, 2, 3], {1: "a", 2: "b", 3: "c"}, missing=(4,))
    made = done(data, **MERGED).data
    assert values(made) == [1, 1, 1, 5, 5]
    assert (pairs(declared(made)), declared(made).missing) == ([(1, "a"), (5, "z")], (4,))


@pytest.mark.parametrize(("hi", "code"), [(99.0, 100), (None, 94)])
def test_a_new_level_gets_no_code_within_a_range_of_no_answers(hi, code):
    gap = MissingRange(lo=97.0, hi=hi)
    labels = {95: "a", 96: "b", 97: "refused"}
    data = labelled([96, 95, 96, 96, 96, 97], labels, missing_ranges=(gap,))
    made = done(data, **MERGED).data
    assert values(made) == [96, code, 96, 96, 96, 97]
    assert pairs(declared(made)) == [(96, "b"), (97, "refused"), (code, "z")]


DATA = labelled([10, 20, 30, 40, 50], {99: "refused"}, missing=(99,))
COPY = labelled([10, 99, 30, 45, 99], {99: "refused"}, missing=(99,))
STEPS = {
    "top": ({"do": "top_code", "at": 40}, [10, 99, 30, 40, 99]),
    "round": ({"do": "round", "to": 20}, [20, 99, 40, 40, 99]),
    "drop": ({"do": "drop_outliers", "quantile": 0.9, "tail": "high"}, [10, 99, 30, 45, 99]),
    "band": (
        {"do": "band", "breaks": [0, 25, 50]},
        ["0 to 24", "99", "25 to 49", "25 to 49", "99"],
    ),
    "merge": ({"do": "merge_rare", "below": 2, "into": "o"}, ["o", "99", "o", "45", "99"]),
}


@pytest.mark.parametrize("case", STEPS)
@pytest.mark.parametrize(
    "data", [DATA, DATA.frame], ids=["both declare", "the synthetic dataset declares"]
)
def test_codes_that_only_the_copy_has_are_untouched_in_it(case, data):
    step, wanted = STEPS[case]
    result = done(data, COPY, **step)
    assert values(result.copy) == wanted
    assert pairs(declared(result.copy))[-1][1] == "refused"
    assert declared(result.copy).missing in ((99,), ("99",))


def test_labels_and_codes_that_only_the_copy_declares_are_known_beside_those_of_the_data():
    data = labelled([1, 1, 1, 2], {1: "a", 2: "b"})
    copy = labelled([1, 3, 4, 2], {1: "A", 3: "c"}, missing=(4,))
    result = done(data, copy, do="merge", levels=["b", "c"], into="z")
    assert (values(result.data), values(result.copy)) == ([1, 1, 1, 5], [1, 5, 4, 5])
    assert pairs(declared(result.data)) == [(1, "a"), (5, "z")]
    assert pairs(declared(result.copy)) == [(1, "A"), (5, "z")]
    assert (declared(result.data).missing, declared(result.copy).missing) == ((), (4,))


def test_codes_of_the_data_are_known_in_a_copy_that_declares_nothing():
    assert values(done(DATA, COPY.frame, do="top_code", at=40).copy) == [10, 99, 30, 40, 99]


def test_perturbed_outliers_leave_the_codes_of_the_copy_alone():
    made = done(DATA, COPY, do="perturb_outliers", quantile=0.75).copy
    assert [values(made)[1], values(made)[4]] == [99, 99]


def test_a_code_is_known_in_single_precision_too():
    single = pl.DataFrame({"x": pl.Series([1.0, 2.0, 0.7], dtype=pl.Float32)})
    data = pl.DataFrame({"x": [1.0, 2.0, 0.7]})
    made = done(data, single, do="top_code", at=0.5, special_codes=[0.7])
    assert made.copy["x"].to_list() == pytest.approx([0.5, 0.5, 0.7])


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (
            {"do": "round", "to": 9},
            "Step 1 (round): 1 record of column 'x' would get a number that stands for a missing"
            " value. Round to another multiple.",
        ),
        (
            {"do": "top_code", "at": 99},
            "Step 1 (top_code): the limit of column 'x' is a number that stands for a missing"
            " value. Give another one.",
        ),
        (
            {"do": "merge_rare", "below": 3, "into": "refused"},
            "Step 1 (merge_rare): levels of column 'x' would be merged into one that stands for"
            " a missing value. Name another level.",
        ),
    ],
)
def test_nobody_is_given_a_number_that_stands_for_no_answer(step, sentence):
    data = labelled([20, 97, 120, 99], {99: "refused"}, missing=(99,))
    with pytest.raises(InputError) as refused:
        done(data, **step)
    assert str(refused.value) == sentence


def test_a_quantile_that_is_a_code_steps_aside():
    data = pl.DataFrame({"x": [1, 2, 98, 100, 120, 99]})
    result = done(data, do="top_code", quantile=0.625, special_codes=[99])
    assert result.data["x"].to_list() == [1, 2, 98, 98, 98, 99]


def test_perturbed_outliers_do_not_land_on_a_code():
    numbers = [20 + i % 40 for i in range(300)] + [85, 88, 90, 92, 95, 97, 110] + [99] * 20
    frame = pl.DataFrame({"x": numbers})
    step = {"do": "perturb_outliers", "column": "x", "distance": 2, "special_codes": [99]}
    for seed in range(30):
        assert recode(frame, [step], seed=seed).data["x"].to_list().count(99) == 20


def test_outliers_that_stay_by_chance_are_told():
    frame = pl.DataFrame({"x": [i % 10 for i in range(200)] + [11, 12]})
    step = {"do": "perturb_outliers", "column": "x", "quantile": 0.99, "tail": "high"}
    result = recode(frame, [step], seed=3)
    stayed = sum(old == new for old, new in zip([11, 12], values(result.data)[-2:], strict=True))
    assert stayed == 2 - result.rows[0].n_changed
    sentences = [recode(frame, [step], seed=seed).rows[0].sentence for seed in range(12)]
    assert any("; 1 stayed the same by chance." in one for one in sentences)


def test_bands_keep_the_labels_of_codes_that_the_step_names():
    data = labelled([100, 200, -8, 400, -7], {-8: "refused", -7: "unknown"})
    made = done(data, do="band", breaks=[0, 250, 600], special_codes=[-8, -7]).data
    assert pairs(declared(made))[2:] == [("-8", "refused"), ("-7", "unknown")]
    assert declared(made).missing == ("-8", "-7")


def test_numbers_that_become_text_take_their_codes_with_them():
    gap = MissingRange(lo=None, hi=-5.0)
    data = labelled([1, 1, 1, 2, -8, -9], measure="scale", missing=(99,), missing_ranges=(gap,))
    made = done(data, **MERGED).data
    variable = declared(made)
    assert values(made) == ["1", "1", "1", "z", "-8", "-9"]
    assert (variable.kind, variable.measure, variable.missing_ranges) == ("text", None, ())
    assert set(variable.missing) == {"99", "-8", "-9"}
    assert values(done(made, **MERGED).data) == values(made)  # still no rare answers


def test_a_scale_whose_only_label_is_a_letter_is_no_list_of_names():
    a = TAGS[".a"]
    data = labelled([1, 2, 3, 50, a, a], {".a": "refused"}, missing=(".a",))
    made = done(data, do="merge_rare", below=2, into="few").data
    assert values(made) == ["few"] * 4 + [".a", ".a"]
    assert pairs(declared(made)) == [(".a", "refused")]
    assert declared(made).missing == (".a",)


def test_bottom_coding_keeps_the_label_of_a_code_in_a_range():
    gap = MissingRange(lo=None, hi=-5.0)
    labels = {-8: "refused", -99: "skipped", 10: "ten"}
    data = labelled([100, 200, -8], labels, missing_ranges=(gap,))
    made = done(data, do="bottom_code", at=150).data
    assert pairs(declared(made)) == [(-8, "refused"), (-99, "skipped")]


@pytest.mark.parametrize(
    ("values", "kind", "level"),
    [
        ([True, False, None], "truth", "true"),
        ([date(2020, 1, 5), None, date(2021, 3, 9)], "date", "2020-01-05"),
    ],
)
def test_truth_values_and_dates_that_become_text_can_be_written(tmp_path, values, kind, level):
    book = labelled([1.0], kind=kind).codebook
    data = Labelled(pl.DataFrame({"x": values}), book)
    made = done(data, do="merge", levels=[level], into="some").data
    assert (declared(made).kind, declared(made).format) == ("text", None)
    for ending in ("sav", "dta", "parquet", "csv"):
        write_file(made, tmp_path / f"a.{ending}", fake=False)


def test_codes_that_stand_for_names_are_neither_cut_off_nor_banded():
    data = labelled([1, 2, 3], {1: "a", 2: "b", 3: "c"}, measure="nominal")
    for step in ({"do": "top_code", "at": 2}, {"do": "band", "n": 2}):
        with pytest.raises(InputError, match="is declared nominal: its numbers stand for names"):
            done(data, **step)


def test_a_label_that_two_codes_have_names_neither():
    data = labelled([1, 2, 3], {1: "other", 2: "other", 3: "c"})
    with pytest.raises(SettingsError) as refused:
        done(data, do="merge", levels=[3], into="other")
    assert str(refused.value) == (
        "Step 1 (merge): column 'x' has 2 codes with the label 'other'. Name the code."
    )


@pytest.mark.parametrize("name", ["Infinity", "nan", "1_0", "007", ".a"])
def test_names_that_a_machine_would_take_for_numbers_are_names(name):
    made = done(pl.DataFrame({"x": [1, 1, 1, 2]}), do="merge_rare", below=2, into=name).data
    assert made["x"].to_list() == ["1", "1", "1", name]
