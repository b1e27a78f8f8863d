import polars as pl

import unveil

ORIGINAL = pl.DataFrame({"k": ["x", "y"], "t": ["No", "Yes"]})


def notes(copy: pl.DataFrame, **roles) -> list[tuple[str, str | None, str]]:
    record = unveil.disclosure(ORIGINAL, copy, keys="k", **roles).record
    return [(note.kind, note.column, note.sentence) for note in record.coercions]


def test_a_target_whose_levels_never_meet_is_told():
    assert notes(ORIGINAL.with_columns(t=pl.Series(["1", "2"]))) == [
        (
            "no_common_level",
            "t",
            "Column 't' has no level in common with the original, so nothing about it can be"
            " correct. Is it coded in the same way?",
        )
    ]


def test_levels_that_differ_in_blanks_or_capitals_alone_are_told():
    assert notes(ORIGINAL.with_columns(t=pl.Series(["No", "yes "]))) == [
        (
            "look_alikes",
            "t",
            "Column 't': levels taken as different although the original has them too, but for"
            " blanks or capitals: 1.",
        )
    ]


def test_a_level_that_both_sides_have_is_no_look_alike():
    copy = pl.DataFrame({"k": ["x", "y"], "t": ["No", "no"]})
    assert notes(copy) == notes(copy.vstack(ORIGINAL)) == []


def test_of_several_copies_the_one_that_does_not_meet_is_named():
    strange = ORIGINAL.with_columns(t=pl.Series(["1", "2"]))
    record = unveil.disclosure(ORIGINAL, [ORIGINAL, strange], keys="k").record
    assert [(note.side, note.kind) for note in record.coercions] == [
        ("synthetic 2", "no_common_level")
    ]
