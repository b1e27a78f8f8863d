import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.view import format as words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0 %"),
        (0.0, "0 %"),
        (0.04, "less than 0.1 %"),
        (1e-12, "less than 0.1 %"),
        (0.05, "0.1 %"),
        (9.54, "9.5 %"),
        (99.94, "99.9 %"),
        (99.97, "more than 99.9 %"),
        (100, "100.0 %"),
        (-0.01, "just below 0 %"),
        (-200, "-200.0 %"),
    ],
)
def test_percentages_never_round_a_person_away(value, shown):
    assert words.percent(value) == shown


@pytest.mark.parametrize(
    ("rule", "shown"),
    [
        ("income=", "income=(missing)"),
        ("income=@age=16", "income=(missing)@age=16"),
        ("marital=single@age=", "marital=single@age=(missing)"),
        ('income="=@"', 'income="=@"'),
        ("missing-targets", "missing-targets"),
        ("missing-keys=age", "missing-keys=age"),
    ],
)
def test_a_rule_about_the_missing_level_says_so(rule, shown):
    assert words.format_rule(rule) == shown


def test_a_share_just_below_zero_is_no_negative_zero():
    assert [words.ratio(value) for value in (-0.004, -0.006, 0.004)] == [">-0.01", "-0.01", "<0.01"]


def test_a_difference_that_is_not_zero_is_never_told_as_zero():
    shown = [words.format_signed(value) for value in (None, 0.0, 0.002, -0.002, -0.12, 0.126)]
    assert shown == ["-", "0", "<+0.01", ">-0.01", "-0.12", "+0.13"]


def test_in_a_grid_a_positive_percentage_is_never_nothing():
    shown = [words.rounded_percent(value) for value in (None, 0.0, 0.01, 44.4)]
    assert shown == ["-", "0", "<0.1", "44.4"]


def test_a_count_is_exact_or_says_that_it_is_not():
    assert words.n_of(100 * 477 / 5000, 5000) == "477"
    assert words.n_of(9.208, 5000) == "about 460"


@pytest.mark.parametrize(
    ("names", "shown"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_lists_in_a_sentence(names, shown):
    assert words.and_list(names) == shown


@given(st.text(max_size=200))
def test_no_name_can_steer_a_terminal_or_turn_the_direction_of_writing(text):
    shown = words.truncate(text)
    assert len(shown) <= words.LONGEST_NAME
    for hostile in ("\x1b", "\x07", "\n", "\r", "\u202e", "\u2066", "\u200f", "\u2028"):
        assert hostile not in shown
        assert hostile not in words.lines(text).replace("\n", "")


def test_a_hostile_name_is_made_visible_not_dropped():
    assert words.truncate("a\x1b[31mb\u202ec") == r"a\u001b[31mb\u202ec"


def test_verbs_and_nouns_have_the_number_of_their_count():
    template = "{k} of {N} {k:person|people} {k:is|are} {what:{one}|{many}}"
    given_ = {"N": 9, "what": 1, "one": "unique", "many": "uniques"}
    assert words.fill(template, k="1", **given_) == "1 of 9 person is unique"
    assert words.fill(template, k="about 1", **given_) == "about 1 of 9 person is unique"
    assert words.fill(template, k="1,001", **given_) == "1,001 of 9 people are unique"
    assert [words.agree(n) for n in (0, 1, 2)] == ["are", "is", "are"]
