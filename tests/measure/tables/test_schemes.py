"""Schemes by hand, against all counts that a value may come from, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.rounding import outcomes, possible_counts
from profiles import examples
from unveil.errors import SettingsError
from unveil.measure.tables.schemes import KINDS, Scheme, parse_scheme, trivial_bounds

SIZED = ["conventional", "random", "controlled", "up", "down", "noise", "suppress"]


@pytest.mark.parametrize(
    "text",
    [
        *(
            "exact",
            "interval",
            "suppress:5:interval",
            "suppress:5:unknown",
            "noise:5:zeros",
            "cellkey:5:2.5:1",
        ),
        *(f"{kind}:5" for kind in SIZED),
    ],
)
def test_a_scheme_is_written_as_it_was_read(text):
    assert parse_scheme(text).text == text
    assert parse_scheme(f" {text.upper().replace(':', ' : ')} ").text == text
    assert parse_scheme(parse_scheme(text)) is not None


def test_every_kind_can_be_parsed():
    written = {"exact": "exact", "interval": "interval", "cellkey": "cellkey:3:2"}
    assert [parse_scheme(written.get(kind, f"{kind}:3")).kind for kind in KINDS] == [*KINDS]


@pytest.mark.parametrize(
    ("published", "scheme", "bounds"),
    [
        (7, "exact", (7, 7)),
        (5, "conventional:5", (3, 7)),
        (0, "conventional:5", (0, 2)),
        (4, "conventional:4", (2, 5)),
        (0, "conventional:2", (0, 0)),
        (3, "random:3", (1, 5)),
        (3, "controlled:3", (1, 5)),
        (10, "up:5", (6, 10)),
        (0, "up:5", (0, 0)),
        (10, "down:5", (10, 14)),
        (1, "noise:2", (0, 3)),
        (0, "noise:2", (0, 2)),
        (0, "noise:2:zeros", (0, 0)),
        (1, "noise:2:zeros", (1, 3)),
        (3, "cellkey:3:2:2", (1, 6)),
        (4, "cellkey:3:2:2", (3, 7)),
        (0, "cellkey:3:2:2", (0, 3)),
        (None, "suppress:5", (1, 4)),
        (None, "suppress:5:zeros", (0, 4)),
        (None, "suppress:5:unknown", (0, None)),
        (None, "suppress:5:interval", (1, 4)),
        (5, "suppress:5", (5, 5)),
        (0, "suppress:5", (0, 0)),
        (None, "exact", (0, None)),
        ((2, 9), "interval", (2, 9)),
        ((2, None), "interval", (2, None)),
    ],
)
def test_trivial_bounds_by_hand(published, scheme, bounds):
    assert trivial_bounds(published, scheme) == bounds


@examples(150)
@given(st.integers(0, 30), st.sampled_from(SIZED[:-1]), st.integers(2, 7))
def test_trivial_bounds_are_the_lowest_and_highest_count_behind_a_value(count, kind, size):
    for published in outcomes(count, kind, size):
        behind = possible_counts(published, kind, size, most=60)
        assert trivial_bounds(published, Scheme(kind, size)) == (behind[0], behind[-1])


@examples(60)
@given(st.integers(0, 30), st.integers(1, 7))
def test_noise_that_keeps_zeros_has_exactly_the_counts_behind_it(count, size):
    for published in outcomes(count, "noise:zeros", size):
        behind = possible_counts(published, "noise:zeros", size, most=60)
        assert trivial_bounds(published, f"noise:{size}:zeros") == (behind[0], behind[-1])


@examples(60)
@given(st.integers(0, 20), st.integers(2, 7))
def test_a_suppressed_value_with_its_interval_has_exactly_the_counts_behind_it(count, size):
    (published,) = outcomes(count, "suppress", size)
    behind = possible_counts(published, "suppress", size, most=60)
    assert trivial_bounds(published, f"suppress:{size}:interval") == (behind[0], behind[-1])


EXAMPLES = "conventional:5, random:3, controlled:3, up:5, down:5, noise:2, cellkey:3:2, suppress:5"
ALL = "exact, interval, conventional, random, controlled, up, down, noise, cellkey, suppress"
BAD_SCHEMES = {
    "conventinal:5": "There is no rounding scheme 'conventinal:5'. Did you mean 'conventional'?"
    f" The schemes are: {ALL}.",
    "": f"There is no rounding scheme ''. The schemes are: {ALL}.",
    5: f"A rounding scheme is 5. Write it as text, such as {EXAMPLES}, or exact.",
    None: f"A rounding scheme is None. Write it as text, such as {EXAMPLES}, or exact.",
    "exact:3": "The scheme 'exact:3' takes no number: write exact.",
    "random": "The scheme 'random' needs one whole number: write it as random:5.",
    "random:": "The scheme 'random:' needs one whole number: write it as random:5.",
    "random:2.5": "The scheme 'random:2.5' needs one whole number: write it as random:5.",
    "random:-3": "The scheme 'random:-3' needs one whole number: write it as random:5.",
    "random:3:interval": "The scheme 'random:3:interval' needs one whole number: write it as"
    " random:5.",
    "suppress:5:intervals": "The scheme 'suppress:5:intervals' needs one whole number: write it as"
    " suppress:5, or suppress:5:interval, or suppress:5:zeros, or suppress:5:unknown.",
    "noise:2:zero": "The scheme 'noise:2:zero' needs one whole number: write it as noise:5, or"
    " noise:5:zeros.",
    "cellkey:3": "The scheme 'cellkey:3' needs the largest change and its variance, or a file of"
    " probabilities: write cellkey:3:2 or cellkey:ptable.csv. For noise that is drawn for each"
    " value write noise:2:zeros.",
    "cellkey:3:20": "V is 20: shifts up to 3 have at most 9.",
    "conventional:1": "The base of the scheme 'conventional:1' must be a whole number from 2 to"
    " 1,000,000,000.",
    "controlled:0": "The base of the scheme 'controlled:0' must be a whole number from 2 to"
    " 1,000,000,000.",
    "noise:0": "The noise of the scheme 'noise:0' must be a whole number from 1 to 1,000,000,000.",
    "suppress:1": "The threshold of the scheme 'suppress:1' must be a whole number from 2 to"
    " 1,000,000,000.",
    "up:99999999999": "The base of the scheme 'up:99999999999' must be a whole number from 2 to"
    " 1,000,000,000.",
}


@pytest.mark.parametrize("text", BAD_SCHEMES, ids=str)
def test_a_scheme_that_means_nothing_is_refused(text):
    with pytest.raises(SettingsError) as refused:
        parse_scheme(text)
    assert str(refused.value) == BAD_SCHEMES[text]
    assert refused.value.exit_code == 2


BAD_VALUES = {
    (4, "conventional:5"): "The published value 4 cannot be: the scheme 'conventional:5' never"
    " publishes anything but multiples of 5.",
    (-5, "up:5"): "The published value -5 cannot be: the scheme 'up:5' never publishes values"
    " below 0.",
    (3, "suppress:5"): "The published value 3 cannot be: the scheme 'suppress:5' never publishes"
    " counts from 1 to 4.",
    (1, "cellkey:3:2:2"): "The published value 1 cannot be: the scheme 'cellkey:3:2:2' never"
    " publishes it.",
    (3, "interval"): "The scheme 'interval' publishes pairs of numbers: give the lowest and the"
    " highest count, or None for no highest.",
}


@pytest.mark.parametrize(("value", "scheme"), BAD_VALUES)
def test_a_value_that_a_scheme_never_publishes_is_refused(value, scheme):
    with pytest.raises(SettingsError) as refused:
        trivial_bounds(value, scheme)
    assert str(refused.value) == BAD_VALUES[value, scheme]
