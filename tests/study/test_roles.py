import polars as pl
import pytest

import unveil
from unveil.errors import AlignError, ReadError, RolesError

ORIGINAL = pl.DataFrame({"sex": ["f", "m"], "age": [30, 40], "ill": ["yes", "no"]})


def call(synthetic=ORIGINAL, **roles):
    return unveil.disclosure(ORIGINAL, synthetic, **roles)


def test_targets_left_open_are_all_other_columns_in_common():
    copy = ORIGINAL.drop("age").with_columns(extra=pl.lit(1))
    record = call(copy, keys="sex").record
    assert record.targets == ("ill",)
    assert [(note.side, note.column, note.kind) for note in record.coercions] == [
        ("original", "age", "not_compared"),
        ("synthetic", "extra", "not_compared"),
    ]


def test_without_targets_only_identity_is_measured():
    record = call(keys=["sex", "age"], targets=[]).record
    assert (record.attribute, record.identity[0].repU) == ((), 100.0)


REFUSED = {
    "no keys": ({"keys": []}, "No keys are given. Name the columns an intruder would know."),
    "a key twice": (
        {"keys": ["sex", "sex"]},
        "Column 'sex' is given twice among the keys. Name it once.",
    ),
    "a key that is a target": (
        {"keys": ["sex", "ill"], "targets": ["ill"]},
        "'ill' cannot be key and target of the same scenario: what the intruder knows already"
        " cannot be disclosed. Remove it from one of the two.",
    ),
    "a key that is no text": (
        {"keys": ["sex", 3]},
        "Keys must be column names, as text; one is int.",
    ),
    "a misspelt key": (
        {"keys": ["sex", "aeg"]},
        "None of the files has a column 'aeg'. Did you mean 'age'? The columns of the original are:"
        " sex, age, ill.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_roles_that_do_not_fit_are_refused(case):
    roles, sentence = REFUSED[case]
    with pytest.raises(RolesError) as refusal:
        call(**roles)
    assert str(refusal.value) == sentence


def test_a_list_without_copies_is_refused():
    with pytest.raises(ReadError, match="No synthetic data are given"):
        call([], keys="sex")


@pytest.mark.parametrize(
    ("original", "synthetic"),
    [
        (["a", "b"], ["c", "d"]),
        (["a", None], ["b", None]),  # missing values alone in common are no match
    ],
)
def test_a_key_without_a_level_in_common_is_refused(original, synthetic):
    frames = [pl.DataFrame({"k": k, "t": [1, 2]}) for k in (original, synthetic)]
    with pytest.raises(AlignError) as refusal:
        unveil.disclosure(*frames, keys="k")
    assert str(refusal.value) == (
        "Key 'k' has no level in common between the original and the synthetic dataset. Nothing"
        " would match, so the risk would appear as zero. Give the column the same coding in both"
        " files."
    )


def test_a_key_empty_throughout_is_refused():
    frames = [pl.DataFrame({"k": k, "t": [1, 2]}) for k in ([None, None], ["a", "b"])]
    with pytest.raises(
        AlignError, match=r"Key 'k' is empty throughout the original\. Nothing would"
    ):
        unveil.disclosure(*frames, keys="k")


def test_a_key_missing_throughout_on_one_side_can_match_missing_values_of_the_other():
    frames = [pl.DataFrame({"k": k, "t": [1, 2]}) for k in ([None, None], ["a", None])]
    assert unveil.disclosure(*frames, keys="k").identity[0].N_d_both == 2
