"""Codes against labels: the same people give the same figures however a file writes them down."""

from typing import NamedTuple

import polars as pl
import pytest

import unveil
from unveil.io.numbers import TAGS
from unveil.io.table import Table, place_of
from unveil.records.codebook import Codebook, Level, MissingRange, Variable
from unveil.study.study import Study

CODES = [1, 2, 2, 9, None]
WORDS = ["Male", "Female", "Female", "Refused", None]
SEX = {1: "Male", 2: "Female", 9: "Refused"}


def variable(labels: dict, **more) -> Variable:
    levels = tuple(Level(code=code, label=label) for code, label in labels.items())
    return Variable(name="x", kind="number", levels=levels, **more)


def table(values: list, known: Variable | None = None, side: str = "original") -> Table:
    codebook = None
    if known is not None:
        codebook = Codebook(source="x.sav", format="spss", variables=(known,))
    frame = pl.DataFrame({"x": values})
    return Table(side=side, place=place_of(side), frame=frame, codebook=codebook)


class Found(NamedTuple):
    """What was noted and decided of the column."""

    coercions: tuple
    meanings: dict
    special_codes: tuple


def together(original: Table, copy: Table):
    files = Study([original, copy]).files
    found = files.align_one("x")
    notes = files.notes({"x": found})
    return [side.to_list() for side in found.sides], Found(
        notes, found.matched.meanings, found.special_codes
    )


def notes_of(found, kind: str) -> list[tuple[str, str]]:
    return [(note.side, note.sentence) for note in found.coercions if note.kind == kind]


def test_codes_on_both_sides_are_compared_as_codes():
    sides, found = together(table(CODES, variable(SEX)), table([2, 1], side="synthetic"))
    assert sides == [CODES, [2, 1]]
    assert notes_of(found, "matched_by") == [("synthetic", "Compared by code: x.")]
    assert found.meanings["1"].label_with_code == "Male (1)"


def test_nothing_is_said_where_both_files_have_the_same_labels():
    _, found = together(table(CODES, variable(SEX)), table([2], variable(SEX), side="synthetic"))
    assert found.coercions == ()


def test_labels_in_a_text_file_become_the_codes_they_stand_for():
    sides, found = together(table(CODES, variable(SEX)), table(WORDS, side="synthetic"))
    assert sides == [CODES, CODES]
    assert notes_of(found, "matched_by") == [("synthetic", "Compared by label: x.")]


def test_the_original_may_be_the_one_without_labels():
    sides, found = together(table(WORDS), table(CODES, variable(SEX), side="synthetic"))
    assert sides == [CODES, CODES]
    assert notes_of(found, "matched_by") == [("original", "Compared by label: x.")]


def test_blanks_and_capitals_of_labels_do_not_matter():
    sides, _ = together(
        table(CODES, variable(SEX)), table(["male ", " FEMALE", "refused"], side="synthetic")
    )
    assert sides[1] == [1, 2, 9]


def test_text_that_is_more_than_labels_turns_codes_into_labels():
    words = ["Male", "Female", "Other"]
    sides, found = together(table(CODES, variable(SEX)), table(words, side="synthetic"))
    assert sides == [WORDS, words]
    assert [side for side, _ in notes_of(found, "matched_by")] == ["original", "synthetic"]
    assert found.meanings["Male"].label_with_code == "Male (1)"


def test_numbers_with_labels_of_special_codes_stay_numbers():
    income = variable({-8: "Refused"}, missing=(-8,))
    sides, found = together(
        table([1200.0, 900.0, -8.0], income), table(["1200", "Refused", "77.5"], side="synthetic")
    )
    assert sides == [[1200.0, 900.0, -8.0], [1200.0, -8.0, 77.5]]
    assert found.special_codes == (-8.0,)


def test_the_same_labels_at_other_codes_decide():
    other = variable({1: "Female", 2: "Male", 9: "Refused"})
    sides, found = together(table(CODES, variable(SEX)), table([1, 2, 9], other, side="synthetic"))
    assert sides == [CODES, [2, 1, 9]]
    assert notes_of(found, "matched_by") == [("synthetic", "Compared by label: x.")]


def found_of(original: Table, copy: Table):
    return together(original, copy)[0][1]


def test_a_label_under_a_code_that_the_other_file_lacks_goes_to_its_code():
    sex = variable({1: "Male", 2: "Female"})
    other = variable({1: "Male", 0: "Female"})
    assert found_of(table([1, 2], sex), table([1, 0, 0], other, side="synthetic")) == [1, 2, 2]


def test_codes_of_no_answer_meet_by_their_label():
    here = variable({-8: "Refused"}, missing=(-8,))
    there = variable({-9: "Refused"}, missing=(-9,))
    stata = variable({".a": "Refused"}, missing=(".a",))
    original = table([100, 200, -8], here)
    for copy, values in ((there, [100.0, -9.0]), (stata, [100.0, TAGS[".a"]])):
        sides, found = together(original, table(values, copy, side="synthetic"))
        assert sides[1] == [100, -8]
        assert found.special_codes == (-8.0,)


def test_numbers_beside_swapped_codes_stay_numbers():
    here = variable({-8: "Refused", -9: "Unknown"})
    there = variable({-9: "Refused", -8: "Unknown"})
    copy = table([100, 250, -9, -8], there, side="synthetic")
    assert found_of(table([100, -8, -9], here), copy) == [100, 250, -8, -9]


def test_one_reworded_label_does_not_take_its_code_away():
    here = variable({1: "Good", 2: "Fair", 3: "Poor"})
    there = variable({1: "Good", 2: "Fair", 3: "Bad"})
    sides, found = together(table([1, 2, 3], here), table([3, 2, 1], there, side="synthetic"))
    assert sides[1] == [3, 2, 1]
    assert len(notes_of(found, "labels_differ")) == 1


def test_a_label_that_wants_a_place_where_another_stays_turns_codes_into_labels():
    other = variable({1: "Male", 0: "Female", 2: "Other"})
    sides, _ = together(
        table([1, 2], variable({1: "Male", 2: "Female"})), table([0, 2], other, side="synthetic")
    )
    assert sides == [["Male", "Female"], ["Female", "Other"]]


def test_an_unlabelled_value_keeps_its_place_from_being_taken():
    other = variable({1: "Male", 0: "Female"})
    sides, _ = together(
        table([1, 2], variable({1: "Male", 2: "Female"})), table([0, 2], other, side="synthetic")
    )
    assert sides == [["Male", "Female"], ["Female", "2"]]


@pytest.mark.parametrize("values", [[0, 1, 1], ["0", "1", "1"]])
def test_numbers_that_are_labels_and_no_codes_are_taken_as_labels(values):
    children = variable({1: "0", 2: "1", 3: "2+"})
    assert found_of(table([1, 2, 3], children), table(values, side="synthetic")) == [1, 2, 2]


def test_text_that_is_all_labels_is_taken_as_labels_even_where_some_are_numbers():
    children = variable({1: "0", 2: "1", 3: "2+"})
    assert found_of(table([1, 2, 3], children), table(["1", "2+"], side="synthetic")) == [2, 3]


def test_values_that_can_be_codes_as_well_as_labels_are_codes_and_this_is_told():
    score = variable({1: "2", 2: "1"})
    sides, found = together(table([1, 2], score), table([2, 1, 1], side="synthetic"))
    assert sides[1] == [2, 1, 1]
    assert notes_of(found, "codes_or_labels") == [
        (
            "synthetic",
            "Column 'x': its values can be codes as well as labels of the other file; they were"
            " taken for codes. Are they?",
        )
    ]


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ({1: "Yes", 2: "No"}, [1, 2]),
        ({1: "yes", 0: "no"}, [1, 0]),
        ({"y": "Yes", "n": "No"}, ["y", "n"]),
    ],
)
def test_truth_values_meet_yes_and_no(labels, expected):
    codes = [*labels]
    assert (
        found_of(table(codes, variable(labels)), table([True, False], side="synthetic")) == expected
    )


def test_truth_values_without_a_yes_and_a_no_are_not_taken_for_codes():
    with pytest.raises(unveil.AlignError, match="no level in common"):
        unveil.disclosure(
            labelled([1, 2], variable({1: "Male", 2: "Female"}), [1, 2]),
            pl.DataFrame({"x": [True, False], "k": [1, 2]}),
            keys=["x"],
            targets=["k"],
        )


def test_codes_that_are_text_meet_codes_that_are_numbers_by_their_labels():
    there = variable({"m": "Male", "f": "Female"})
    copy = table(["f", "m"], there, side="synthetic")
    assert found_of(table([1, 2], variable({1: "Male", 2: "Female"})), copy) == [2, 1]


def test_among_labels_capitals_blanks_accents_and_numbers_are_read_alike():
    known = variable({1: "Café", 2: "Tea", -8: "Refused"})
    words = ["cafe\u0301", "TEA ", "refused", "1200.0", "Other"]
    sides, found = together(table([1.0, 2.0, -8.0, 1200.0], known), table(words, side="synthetic"))
    assert sides == [
        ["Café", "Tea", "Refused", "1200"],
        ["Café", "Tea", "Refused", "1200", "Other"],
    ]
    assert notes_of(found, "labels_shared") == []


def test_a_label_that_reads_like_an_unlabelled_code_is_told():
    known = variable({1: "2", 3: "Three"})
    _, found = together(table([1, 2, 3], known), table(["Three", "x"], side="synthetic"))
    assert len(notes_of(found, "labels_shared")) == 1


def test_a_translation_of_the_labels_leaves_the_codes_and_is_told():
    french = variable({1: "Homme", 2: "Femme", 9: "Refus"})
    sides, found = together(table(CODES, variable(SEX)), table([1, 2], french, side="synthetic"))
    assert sides == [CODES, [1, 2]]
    assert notes_of(found, "labels_differ") == [
        (
            "synthetic",
            "Column 'x': codes with another label here than in the other files: 3. Do they mean"
            " the same?",
        )
    ]


def test_one_label_for_two_codes_makes_one_level_of_text_and_is_told():
    known = variable({1: "Yes", 2: "No", 3: "No"})
    sides, found = together(table([1, 2, 3], known), table(["Yes", "No"], side="synthetic"))
    assert sides == [["Yes", "No", "No"], ["Yes", "No"]]
    assert notes_of(found, "labels_shared") == [
        (
            "all files",
            "Column 'x': some codes have the same label; compared by label, they are one level.",
        )
    ]


def test_codes_that_are_text_match_their_labels_too():
    known = variable({"m": "Male", "f": "Female"})
    sides, _ = together(table(["m", "f"], known), table(["Female", "Male"], side="synthetic"))
    assert sides == [["m", "f"], ["f", "m"]]


def test_text_that_is_neither_code_nor_label_is_refused():
    with pytest.raises(
        unveil.AlignError, match="Column 'x' holds numbers in the original but text"
    ):
        together(table(CODES, variable(SEX)), table(["a", "b"], side="synthetic"))


def test_empty_labels_say_nothing():
    sides, found = together(
        table([1, 2], variable({1: "", 2: "  "})), table([1, 2], side="synthetic")
    )
    assert sides == [[1, 2], [1, 2]]
    assert found.meanings == {}


def test_letters_of_missing_values_stay_apart_from_numbers_and_from_each_other():
    known = variable({1: "One", ".a": "Refused"}, missing=(".a", ".b"))
    original = table([1.0, TAGS[".a"], TAGS[".b"], None], known)
    sides, found = together(original, table([1, 1, None], side="synthetic"))
    assert sides == [[1.0, TAGS[".a"], TAGS[".b"], None], [1.0, 1.0, None]]
    assert found.special_codes == (TAGS[".a"], TAGS[".b"])


@pytest.mark.parametrize("words", [[".a", "1", None], [".A ", "1", None], ["Refused", "1", None]])
def test_letters_in_a_text_file_are_understood(words):
    known = variable({1: "One", ".a": "Refused"}, missing=(".a",))
    sides, _ = together(table([1.0, TAGS[".a"]], known), table(words, side="synthetic"))
    assert sides[1] == [TAGS[".a"], 1.0, None]


def test_large_whole_numbers_beside_letters_are_still_compared_exactly():
    known = variable({}, missing=(".a",))
    with pytest.raises(unveil.AlignError, match="beyond 9,007,199,254,740,992"):
        together(table([2.0**60, TAGS[".a"]], known), table([2**60, 1], side="synthetic"))


def test_a_range_of_missing_values_gives_the_special_codes_that_occur():
    known = variable({}, missing=(99,), missing_ranges=(MissingRange(lo=None, hi=-1),))
    _, found = together(table([5, -9, -8, 99, 7], known), table([5, -7], side="synthetic"))
    assert found.special_codes == (-9.0, -8.0, 99.0)


def labelled(values: list, known: Variable, other: list):
    codebook = Codebook(source="x.sav", format="spss", variables=(known,))
    return unveil.Labelled(pl.DataFrame({"x": values, "k": other}), codebook)


def test_bands_leave_declared_missing_codes_apart():
    known = variable({-8: "Refused"}, missing=(-8,))
    people = labelled([10, 20, 30, 40, -8, -8], known, [1, 2, 1, 2, 1, 2])
    result = unveil.disclosure(people, people, keys=["k"], targets=["x"], bands={"x": 2})
    (cut,) = result.record.bands
    assert cut.special_codes == ("-8",)
    assert cut.levels == ("under 25", "25 or more")


def people(n: int = 60):
    known = variable({1: "Yes", 0: "No"})
    return labelled([1] * (n - 1) + [0], known, [f"k{i}" for i in range(n)])


def test_a_flag_shows_the_label_with_the_code_beside_it():
    result = unveil.disclosure(people(), people(), keys=["k"], targets=["x"])
    (flag,) = [flag for flag in result.flags if flag.kind == "one_way"]
    assert (flag.level, flag.level_label, flag.exclusion) == ("1", "Yes (1)", "x=1")
    assert "have the value Yes (1)" in flag.sentence


@pytest.mark.parametrize("rule", ["x=1", "x=Yes", "x=Yes (1)"])
def test_a_level_may_be_excluded_by_code_or_by_label(rule):
    result = unveil.disclosure(people(), people(), keys=["k"], targets=["x"], exclude=[rule])
    assert result.record.exclude == ("x=Yes (1)",)
    assert result.record.excluded[0].original == 59


def test_records_at_risk_show_labels_as_text():
    result = unveil.disclosure(people(), people(), keys=["k"], targets=["x"])
    found = result.records_at_risk("x", as_text=True)
    assert found["x"].unique().sort().to_list() == ["No (0)", "Yes (1)"]
    assert result.records_at_risk("x")["x"].unique().sort().to_list() == [0, 1]
