"""Whatever is given for a table or a setting is answered in a sentence, by no foreign error."""

from decimal import Decimal
from time import monotonic

import numpy as np
import polars as pl
import pytest

from unveil.errors import InputError, RolesError, SettingsError
from unveil.measure.tables.compare_rounding import compare_rounding
from unveil.measure.tables.published_table import PublishedTable
from unveil.measure.tables.sap import sap

ROWS = [[1, 3], [0, 2]]
FRAME = pl.DataFrame({"a": [1, 2]})
PEOPLE = pl.DataFrame({"name": ["Alice Smith", "Bob Jones", "Alice Smith"], "age": [1, 2, 2]})
COUNTS = pl.DataFrame({"sex": ["m", "f"], "count": [1, 2], "shown": [1, 2]})


class Contrary:
    """An object that can neither be compared nor made an array."""

    __hash__ = None

    def __eq__(self, other):
        raise RuntimeError

    def __array__(self, *given, **named):
        raise RuntimeError


class NAType:
    """As the missing value of pandas: comparing it does not tell."""

    def __ne__(self, other):
        return self

    def __bool__(self):
        raise TypeError("boolean value of NA is ambiguous")

    __hash__ = None


MISSING = "The count of cell 1 is missing. A table of counts holds whole numbers from 0."
NOT_WHOLE = (
    "The count of cell 1 is not a whole number. A table of counts holds whole numbers from 0."
)


@pytest.mark.parametrize(
    ("count", "sentence"),
    [
        (NAType(), MISSING),
        (Decimal("sNaN"), MISSING),
        (np.float32("nan"), MISSING),
        (Decimal("1.5"), NOT_WHOLE),
        (Decimal("1e999999"), NOT_WHOLE),
        (Contrary(), NOT_WHOLE),
    ],
)
def test_a_count_that_is_none_is_named_by_its_cell(count, sentence):
    for counts in ([1, count], {"0": 1, "1": count}):
        with pytest.raises(InputError) as refused:
            PublishedTable.from_counts(counts)
        assert str(refused.value) == sentence


@pytest.mark.parametrize("count", [np.array([1, 2]), FRAME, pl.Series([1])])
def test_an_array_is_no_count_of_a_cell(count):
    with pytest.raises(InputError) as refused:
        PublishedTable.from_counts({"0": 1, "1": count})
    assert str(refused.value) == NOT_WHOLE


def test_whole_decimals_of_a_database_are_counts():
    assert PublishedTable.from_counts([Decimal(3), Decimal("2.0")]).system.counts == (3, 2)
    file = pl.DataFrame({"sex": ["m", "f"], "count": [Decimal(1), Decimal(2)]})
    assert PublishedTable.from_file(file).system.counts == (1, 2)


@pytest.mark.parametrize("given", [np.array([1, 2]), np.array([]), FRAME, "yes", 1, None])
@pytest.mark.parametrize("setting", ["table", "total"])
def test_flags_are_true_or_false(setting, given):
    with pytest.raises(SettingsError, match=rf"^{setting} is .*\. It must be true or false\.$"):
        PublishedTable.from_counts(ROWS, **{setting: given})


@pytest.mark.parametrize("given", [np.array([1, 2]), FRAME, "yes"])
def test_other_flags_are_true_or_false_too(given):
    with pytest.raises(SettingsError, match=r"^sample is .* It must be true or false\.$"):
        PublishedTable.from_microdata(PEOPLE, ["name"], sample=given)
    with pytest.raises(SettingsError, match=r"^sample is .* It must be true or false\.$"):
        PublishedTable.from_file(COUNTS, published="shown", sample=given)
    with pytest.raises(SettingsError, match=r"^total is .* It must be true or false\.$"):
        compare_rounding(ROWS, "exact", total=given)
    assert PublishedTable.from_counts(ROWS, total=np.True_).schemes[-1] == ("total", "exact")


def test_published_values_may_be_an_array_a_series_or_a_frame():
    found = [
        PublishedTable.from_counts(ROWS, rounding="random:5", published=values).published
        for values in (np.array([[0, 5], [0, 0]]), pl.DataFrame({"a": [0, 0], "b": [5, 0]}))
    ]
    assert found[0] == found[1] == (("table", (0, 5, 0, 0)),)
    suppressed = PublishedTable.from_counts([4, 8], rounding="random:5", published=[NAType(), 10])
    assert suppressed.published == (("table", (None, 10)),)


def test_a_frame_of_another_shape_is_refused():
    with pytest.raises(SettingsError, match="do not have its shape, 2 x 2"):
        PublishedTable.from_counts(ROWS, published=FRAME)
    with pytest.raises(SettingsError, match=r"^Dimension 'dim1' has 2 levels in the counts, but 1"):
        PublishedTable.from_counts(ROWS, levels=FRAME)


def test_a_column_without_a_name_is_not_there():
    with pytest.raises(RolesError, match=r"^The dataset has no column ''\. Its columns are: sex, "):
        PublishedTable.from_file(COUNTS, published="")


def endless():
    made = []
    made.append(made)
    return made


def deep():
    made = [1]
    for _ in range(3_000):
        made = [made]
    return made


@pytest.mark.parametrize("made", [endless, deep])
@pytest.mark.parametrize(
    "measure", [PublishedTable.from_counts, sap, lambda counts: compare_rounding(counts, "exact")]
)
def test_lists_in_lists_without_end_are_no_counts(made, measure):
    with pytest.raises(SettingsError, match=r"; more than 64 lists are nested\.$"):
        measure(made())


def test_too_many_dimensions_are_refused_before_the_cells_are_gone_through():
    start = monotonic()
    with pytest.raises(InputError, match=r"^The table has 20 dimensions; at most 16 are worked on"):
        PublishedTable.from_counts(np.zeros((2,) * 20, int))
    assert monotonic() - start < 0.5


@pytest.mark.parametrize("bound", [10**30, 2**53 + 1])
def test_bounds_that_no_count_reaches_are_refused(bound):
    with pytest.raises(SettingsError, match=r"whole numbers from 0 to 9,007,199,254,740,992; hi"):
        PublishedTable.from_counts(ROWS, constraints=[{"cells": [0, 1], "hi": bound}])
    with pytest.raises(SettingsError, match=r"goes beyond 9,007,199,254,740,992\. Give None for"):
        PublishedTable.from_counts([4, 8], rounding="interval", published=[(4, bound), (8, 8)])
    within = [{"cells": [0, 1], "hi": 2**53}]
    assert PublishedTable.from_counts(ROWS, constraints=within).system.facts[-1].hi == 2**53


def test_contrary_objects_are_no_cells():
    with pytest.raises(SettingsError, match="structural names a cell that is of type Contrary"):
        PublishedTable.from_counts(ROWS, structural=[Contrary()])


def test_a_mask_may_be_lists_an_array_or_a_frame():
    rows = [[False, False], [True, False]]
    frame = pl.DataFrame({"a": [False, True], "b": [False, False]})
    for mask in (rows, np.array(rows), frame, [False, False, True, False]):
        assert PublishedTable.from_counts(ROWS, structural=mask).system.structural == {2}
    with pytest.raises(SettingsError, match="The mask of structural cells does not have the"):
        PublishedTable.from_counts(ROWS, structural=[[False], [True, False]])


def test_no_level_of_people_is_quoted_where_one_is_not_there():
    sentence = "names a level that dimension 'name' does not have. Write it as in the"
    release = PublishedTable.from_microdata(PEOPLE, ["name", "age"], rounding="conventional:5")
    asked = [
        lambda: PublishedTable.from_microdata(PEOPLE, ["name"], structural=["Alise Smith"]),
        lambda: PublishedTable.from_microdata(PEOPLE, ["name", "age"], structural=[("zzz", "1")]),
        lambda: sap(release, known=["name=Alise Smith"]),
        lambda: sap(release, known=[{"name": "zzz", "age": "1"}]),
    ]
    for ask in asked:
        with pytest.raises(SettingsError) as refused:
            ask()
        assert sentence in str(refused.value)
        assert "Alice" not in str(refused.value)
        assert "Bob" not in str(refused.value)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"structural": [0]}, "People are counted in cell 0, which is declared impossible"),
        ({"published": [9, 9, 9, 9]}, "What is said of cell 0 does not hold in the true table"),
        (
            {"rounding": {"name": "noise:1"}, "published": {"name": [2, 9]}},
            "What is said of the margin by name, value 1 does not hold in the true table",
        ),
    ],
)
def test_cells_of_people_are_named_by_number(asked, told):
    with pytest.raises(InputError) as refused:
        PublishedTable.from_microdata(PEOPLE, ["name", "age"], **asked)
    assert str(refused.value).startswith(told)


def test_a_level_is_one_text():
    for level in (["m"], deep(), {"m"}, {}):
        with pytest.raises(
            SettingsError, match=r"^Known person 1 names a level of dimension 'dim1'"
        ):
            sap(ROWS, known=[{"dim1": level}])


def test_levels_that_people_brought_are_not_listed_for_a_mistyped_given():
    release = PublishedTable.from_microdata(PEOPLE, ["name", "age"])
    with pytest.raises(InputError) as fault:
        sap(release, given={"name": "Alice"})
    assert "Smith" not in str(fault.value)
    assert "Bob" not in str(fault.value)


@pytest.mark.parametrize("depth", [np.array([1, 2]), FRAME, [1]])
def test_a_depth_that_is_no_number_is_refused(depth):
    with pytest.raises(InputError, match=r"^depth is "):
        sap(ROWS, depth=depth)


def test_endless_seconds_are_refused():
    with pytest.raises(InputError, match=r"^seconds is inf"):
        sap(ROWS, seconds=float("inf"))
