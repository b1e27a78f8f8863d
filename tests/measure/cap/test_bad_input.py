"""What cannot be measured is refused in one sentence that says what to do."""

import polars as pl
import pytest

from measure.small import ORIGINAL, SYNTHETIC, people
from unveil.errors import InputError
from unveil.measure.cap.cap import cap
from unveil.measure.cap.cap_table import cap_table
from unveil.measure.cap.gcap import gcap
from unveil.measure.cap.tcap import tcap

NUMBERS = pl.DataFrame({"k": ["a", "b"], "x": [1.0, 2.0], "t": ["p", "q"]})
SCENARIOS = "The scenarios are: full, uniques, special, mask."

CAP = {
    "unknown target": (
        {"target": "tt"},
        "The original has no column 'tt'. Did you mean 't'? Its columns are: k1, k2, t.\n"
        "The same is true of every other file.",
    ),
    "key and target": (
        {"target": ["t", "k1"]},
        "'k1' cannot be key and target of the same scenario: what the intruder knows already"
        " cannot be disclosed. Remove it from one of the two.",
    ),
    "no keys": ({"keys": []}, "No keys are given. Name the columns an intruder would know."),
    "no target": (
        {"target": []},
        "No target is given. Name the column that an intruder might learn.",
    ),
    "unknown scenario": (
        {"scenario": "unique"},
        f"There is no scenario 'unique'. Did you mean 'uniques'? {SCENARIOS}",
    ),
    "several scenarios": (
        {"scenario": ["full", "uniques"]},
        "scenario is one text. For several at once use unveil.cap_table.",
    ),
    "no scenario at all": ({"scenario": ""}, f"There is no scenario ''. {SCENARIOS}"),
    "a mask that is not there": (
        {"scenario": "mask"},
        "Scenario 'mask' needs a mask. Give one truth value for each original record.",
    ),
    "a mask without use": (
        {"scenario": "uniques", "mask": [True] * 6},
        "A mask is given, but scenario 'uniques' does not use one. Add the scenario 'special' or"
        " 'mask'.",
    ),
    "a short mask": (
        {"mask": [True]},
        "The mask has 1 entry but the original 6. Give one truth value for each original record, in"
        " the order of the original.",
    ),
    "a mask of rows": (
        {"mask": [0, 3]},
        "The mask does not hold only truth values. Give true or false for each original record, in"
        " the order of the original.",
    ),
    "a mask with gaps": (
        {"mask": pl.Series([True, None, True, True, True, True])},
        "The mask does not hold only truth values. Give true or false for each original record, in"
        " the order of the original.",
    ),
    "tolerance of text": (
        {"tolerance": {"t": 1}},
        "A tolerance needs numbers, and 't' has none. Omit its tolerance.",
    ),
    "tolerance of a key": (
        {"tolerance": {"k1": 1}},
        "A tolerance is given for 'k1', which is not the target. The target is: t.",
    ),
    "tolerance below 0": (
        {"tolerance": {"t": -1}},
        "The tolerance of 't' is -1. It must be a number from 0 on.",
    ),
    "tolerance of nothing": (
        {"tolerance": 5},
        "tolerance is 5. Give a radius for each numeric target, as in {'income': 50}.",
    ),
}


@pytest.mark.parametrize("case", CAP)
def test_cap_refuses(case):
    given, sentence = CAP[case]
    settings = {"keys": ["k1", "k2"], "target": "t", **given}
    with pytest.raises(InputError) as refused:
        cap(people(ORIGINAL), people(SYNTHETIC), **settings)
    assert str(refused.value) == sentence


def test_special_uniques_by_very_many_keys_are_asked_for_as_a_mask():
    wide = pl.DataFrame({f"k{i}": ["a", "b"] for i in range(17)}).with_columns(t=pl.lit("p"))
    with pytest.raises(InputError) as refused:
        cap(wide, wide, keys=wide.columns[:17], target="t", scenario="special")
    assert str(refused.value) == (
        "Special uniques are not searched for by more than 16 keys. Give them as a mask, such as"
        " unveil.suda(original, keys=..., max_msu=3).special()."
    )


def test_a_tolerance_for_bands_is_refused():
    with pytest.raises(InputError) as refused:
        cap(NUMBERS, NUMBERS, keys="k", target="x", bands={"x": 2}, tolerance={"x": 1})
    assert str(refused.value) == (
        "A tolerance needs numbers, and 'x' is cut into bands. Omit its tolerance, or its bands."
    )


TABLE = {
    "no methods": (
        {"methods": {}},
        "Name the methods and their copies, as in {'CART': [copy1, copy2], 'parametric': [copy3]}.",
    ),
    "a list of copies": (
        {"methods": [people(SYNTHETIC)]},
        "Name the methods and their copies, as in {'CART': [copy1, copy2], 'parametric': [copy3]}.",
    ),
    "a method without copies": (
        {"methods": {"CART": []}},
        "Method 'CART' has no copy. Name at least one file or frame.",
    ),
    "a method without a name": (
        {"methods": {"": people(SYNTHETIC)}},
        "A method has no name that can be shown. Give each method a text as its name.",
    ),
    "a method with a name that steers a terminal": (
        {"methods": {"\x1b[31mCART": people(SYNTHETIC)}},
        "A method has no name that can be shown. Give each method a text as its name.",
    ),
    "the same keys twice": (
        {"key_sets": [["k1", "k2"], ["k2", "k1"]]},
        "The keys k2, k1 are given twice. Give each key set once.",
    ),
    "the same keys twice in the same order": (
        {"key_sets": [["k1"], ["k1"]]},
        "The keys k1 are given twice. Give each key set once.",
    ),
    "an empty key set": (
        {"key_sets": [["k1"], []]},
        "No keys are given. Name the columns an intruder would know.",
    ),
    "no scenario": ({"scenarios": []}, f"No scenario is given. {SCENARIOS}"),
    "a mask for another key set": (
        {"scenarios": "mask", "mask": {"other": [True] * 6}},
        "There is no mask for the keys 'Key 2'. Give one for each key set: {'Key 2': ...}.",
    ),
    "tau with a tolerance": (
        {"tau": 1, "tolerance": {"t": 1}},
        "TCAP and GCAP have no tolerance. Omit one or the other.",
    ),
    "GCAP with a tolerance": (
        {"gcap": True, "tolerance": {"t": 1}},
        "TCAP and GCAP have no tolerance. Omit one or the other.",
    ),
    "a key set without a name": (
        {"key_sets": {"": ["k1"], "both": ["k1", "k2"]}},
        "A key set has no name. Give each key set a text as its name.",
    ),
    "tau": ({"tau": 2}, "tau is 2. It must be a number above 0 and at most 1."),
}


@pytest.mark.parametrize("case", TABLE)
def test_cap_table_refuses(case):
    given, sentence = TABLE[case]
    settings = {"key_sets": [["k1", "k2"]], "target": "t", **given}
    methods = settings.pop("methods", {"CART": people(SYNTHETIC)})
    with pytest.raises(InputError) as refused:
        cap_table(people(ORIGINAL), methods, **settings)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("measure", [cap, tcap, gcap])
@pytest.mark.parametrize(
    ("copies", "sentence"),
    [
        ([], "No synthetic data are given. Name at least one file or frame."),
        (
            [people([])],
            "The synthetic dataset has columns but no rows. Check how the frame was made.",
        ),
    ],
)
def test_no_copy_is_refused(measure, copies, sentence):
    with pytest.raises(InputError) as refused:
        measure(people(ORIGINAL), copies, keys="k1", target="t")
    assert str(refused.value) == sentence


@pytest.mark.parametrize("measure", [cap, tcap, gcap])
def test_keys_missing_throughout_are_refused(measure):
    empty = pl.DataFrame({"k": pl.Series([None, None], dtype=pl.String), "t": ["p", "q"]})
    full = pl.DataFrame({"k": ["a", "b"], "t": ["p", "q"]})
    with pytest.raises(InputError, match="Key 'k' is empty throughout the synthetic data"):
        measure(full, empty, keys="k", target="t")


def test_files_of_one_record():
    one = people(["axp"])
    row = cap(one, one, keys=["k1", "k2"], target="t").rows[0]
    assert (row.n, row.cap_original, row.cap_baseline, row.cap_synthetic_zero) == (1, 1.0, 1.0, 1.0)
    assert gcap(one, people(["axq"]), keys=["k1", "k2"], target="t").record.gcap == 0.0
    assert tcap(one, one, keys=["k1", "k2"], target="t").record.tcap == 1.0


@pytest.mark.parametrize("m", [0, 2, True, "1", 1.5])
def test_scores_of_a_pool_that_is_not_there_are_refused(m):
    result = cap(people(ORIGINAL), people(SYNTHETIC), keys=["k1", "k2"], target="t")
    with pytest.raises(InputError) as refused:
        result.scores(m)
    assert (
        str(refused.value) == f"There are no scores for m = {m!r}. Give a whole number from 1 to 1."
    )
