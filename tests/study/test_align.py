"""Values are compared as what they are; what was changed is said; what cannot be is refused."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import polars as pl
import pytest

from unveil.errors import AlignError
from unveil.io.table import Table, place_of
from unveil.study.align import align_column
from unveil.study.study import Study

NAN = float("nan")


def tables(*sides: pl.Series) -> list[Table]:
    names = (
        ["original", "synthetic"] if len(sides) == 2 else ["original", "synthetic 1", "synthetic 2"]
    )
    return [
        Table(name, place_of(name), pl.DataFrame({"x": side}))
        for name, side in zip(names, sides, strict=True)
    ]


def series(values, dtype=None) -> pl.Series:
    return pl.Series(values, dtype=dtype, strict=False)


EQUAL_BY_VALUE = {
    "whole numbers and decimals": (series([1, 2]), series([1.0, 2.0]), [1, 2]),
    "whole numbers that became decimals because of missing values": (
        series([1, None]),
        series([1.0, NAN]),
        [1, None],
    ),
    "digits as text against whole numbers": (series([1, 2]), series(["1", " 2"]), [1, 2]),
    "text with a decimal point against numbers": (series([1, 2]), series(["1.0", "2"]), [1, 2]),
    "decimals": (series([0.5, 1.0]), series(["0.5", "1e0"]), [0.5, 1.0]),
    "minus zero": (series([-0.0, 0.5]), series([0.0, 0.5]), [0.0, 0.5]),
    "single and double precision": (
        series([0.1, 0.5], pl.Float32),
        series([0.1, 0.5]),
        pytest.approx([0.1, 0.5]),
    ),
    "small and large integers": (series([1, 2], pl.UInt8), series([1, 2], pl.Int64), [1, 2]),
    "long identifiers": (series([2**53 + 1, 2**53]), series([str(2**53 + 1), str(2**53)]), None),
    "beyond 64 bits": (
        series([2**64 - 1, 1], pl.UInt64),
        series([2**64 - 1, 1], pl.UInt64),
        [str(2**64 - 1), "1"],
    ),
    "truth values": (series([True, False]), series(["TRUE", "False"]), [True, False]),
    "truth values against 0 and 1": (series([True, False]), series([1, 0]), [1, 0]),
    "dates": (series([date(2020, 2, 29)]), series(["2020-02-29"]), [date(2020, 2, 29)]),
    "dates and midnights": (
        series([date(2020, 2, 29)]),
        series([datetime(2020, 2, 29)]),
        [datetime(2020, 2, 29)],
    ),
    "moments against text": (
        series([datetime(2020, 1, 1, 10, 30), datetime(2020, 1, 2)]),
        series(["2020-01-01T10:30:00", "2020-01-02"]),
        [datetime(2020, 1, 1, 10, 30), datetime(2020, 1, 2)],
    ),
    "moments with a zone against nothing at all": (
        series([datetime(2020, 1, 1, 12, tzinfo=ZoneInfo("UTC"))]),
        series([None]),
        None,
    ),
    "moments of different units": (
        series([datetime(2020, 1, 1, 12)], pl.Datetime("ms")),
        series([datetime(2020, 1, 1, 12)], pl.Datetime("ns")),
        [datetime(2020, 1, 1, 12)],
    ),
    "moments of different zones": (
        series([datetime(2020, 1, 1, 12, tzinfo=ZoneInfo("UTC"))]),
        series([datetime(2020, 1, 1, 13, tzinfo=ZoneInfo("Europe/Warsaw"))]),
        [datetime(2020, 1, 1, 12)],
    ),
    "categories of different sets": (
        series(["a", "b"], pl.Enum(["b", "a"])),
        series(["a", "b"], pl.Categorical),
        ["a", "b"],
    ),
    "empty text is missing": (series(["a", ""]), series(["a", None]), ["a", None]),
    "a column that is missing throughout": (
        series([1, 2]),
        series([None, None], pl.String),
        None,
    ),
}


@pytest.mark.parametrize("case", EQUAL_BY_VALUE)
def test_equal_by_value(case):
    original, synthetic, expected = EQUAL_BY_VALUE[case]
    ours, theirs = align_column("x", tables(original, synthetic)).sides
    assert ours.dtype == theirs.dtype
    if expected is not None:
        assert ours.to_list() == expected
        assert theirs.to_list() == ours.to_list()


@pytest.mark.parametrize("word", ["Missing", "NA", "nan", " "])
def test_a_text_level_spelt_like_missing_is_not_missing(word):
    ours, _ = align_column("x", tables(series([word, None]), series(["a", "b"]))).sides
    assert ours.to_list() == [word, None]


SAID = {
    "Column 'x': text compared as numbers, by value.": (series([1]), series(["1"])),
    "Column 'x': truth values compared as numbers, by value.": (series([1]), series([True])),
    "Column 'x': dates compared as dates with time, by value.": (
        series([datetime(2020, 1, 1)]),
        series([date(2020, 1, 1)]),
    ),
    "Column 'x': stored as decimals here and as whole numbers elsewhere; compared by value.": (
        series([1]),
        series([1.0]),
    ),
    "Column 'x': stored in single precision here and in double elsewhere; compared in single"
    " precision.": (series([0.1]), series([0.1], pl.Float32)),
    "Column 'x': 2 empty entries are taken as missing.": (series(["a"]), series(["", "", "a"])),
    "Column 'x': 1 NaN entry is taken as missing.": (series([0.5]), series([NAN, 0.5])),
}


@pytest.mark.parametrize("sentence", SAID)
def test_every_change_is_said_of_the_side_it_was_made_to(sentence):
    notes = align_column("x", tables(*SAID[sentence])).notes
    assert [(note.side, note.column, note.sentence) for note in notes] == [
        ("synthetic", "x", sentence)
    ]


def test_nothing_is_said_where_nothing_was_changed():
    assert align_column("x", tables(series(["a"]), series(["b"]))).notes == ()


REFUSED = {
    "text among numbers": (
        series([1, 2]),
        series(["1", "two"]),
        "Column 'x' holds numbers in the original but text in the synthetic dataset, where 1 of 2"
        " entries are not numbers.",
    ),
    "dates against numbers": (
        series([1, 2]),
        series([date(2020, 1, 1)]),
        "Column 'x' differs: numbers in the original, dates in the synthetic dataset.",
    ),
    "truth values against words": (
        series([True]),
        series(["yes"]),
        "Column 'x' holds truth values in the original but text in the synthetic dataset, where 1"
        " of 1 entries are not truth values.",
    ),
    "long whole numbers against decimals": (
        series([2**63 + 1, 1], pl.UInt64),
        series([0.5, 1.0]),
        "Column 'x' has whole numbers beyond 9,007,199,254,740,992 in one file and decimals in"
        " another, which cannot be compared exactly.",
    ),
    "zones against none": (
        series([datetime(2020, 1, 1)]),
        series([datetime(2020, 1, 1, tzinfo=ZoneInfo("UTC"))]),
        "Column 'x' has times with a time zone in the synthetic dataset and without in the"
        " original, which cannot be compared.",
    ),
    "moments too far away for the unit of the other": (
        series([datetime(1500, 1, 2, 3, 4)], pl.Datetime("us")),
        series([datetime(2020, 1, 1)], pl.Datetime("ns")),
        "Column 'x' has times in billionths of a second in one file and times too far away for that"
        " unit in another.",
    ),
    "moments against words": (
        series([datetime(2020, 1, 1, 10)]),
        series(["unknown"]),
        "Column 'x' holds dates with time in the original but text in the synthetic dataset, where"
        " 1 of 1 entries are not dates with time.",
    ),
    "lists": (
        series([[1]]),
        series([1]),
        "Column 'x' of the original holds lists, not single values.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_compared_is_refused(case):
    original, synthetic, sentence = REFUSED[case]
    with pytest.raises(AlignError) as refusal:
        align_column("x", tables(original, synthetic))
    assert str(refusal.value).startswith(sentence)
    assert refusal.value.__suppress_context__ or refusal.value.__context__ is None


def test_all_faults_are_shown_together():
    frame = pl.DataFrame({"a": [1], "b": [date(2020, 1, 1)], "c": ["x"]})
    other = pl.DataFrame({"a": ["one"], "b": [1], "c": ["y"]})
    sides = [
        Table("original", "The original", frame),
        Table("synthetic", "The synthetic data", other),
    ]
    with pytest.raises(AlignError) as refusal:
        Study(sides).files.align(["a", "b", "c"])
    first, second = str(refusal.value).splitlines()
    assert first.startswith("Column 'a'")
    assert second.startswith("Column 'b'")


def test_a_fault_of_the_second_copy_names_it():
    with pytest.raises(AlignError, match=r"but text in synthetic dataset 2, where 1 of 1"):
        align_column("x", tables(series([1]), series([1]), series(["one"])))
