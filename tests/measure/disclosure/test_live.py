"""Live figures are those of the whole record, told apart by a count person by person."""

from collections import Counter, defaultdict
from fractions import Fraction
from statistics import fmean

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from unveil.errors import InputError, RolesError, SettingsError
from unveil.measure.disclosure.live import SYMBOLS, LiveFigures
from unveil.study.exclusion_rules import parse_exclusions

ORIGINAL = {"q": ["q1"] * 4 + ["q2"] * 2 + ["q3"], "t": [*"AAAB", *"AA", "B"]}
COPY = {"q": ["q1", "q1", "q2", "q2", "q3", "q4"], "t": [*"AA", *"AB", "B", "A"]}


def live_of(original, copies, keys, targets):
    frames = [pl.DataFrame(one) for one in copies]
    found = unveil.disclosure(pl.DataFrame(original), frames, keys=keys, targets=targets)
    return found, LiveFigures(found.exclusions.scenario)


def told(original, copy, keys, target, is_struck):
    """Person by person: whom each figure counts, of those whom nothing strikes out."""
    key = lambda rows, i: tuple(rows[name][i] for name in keys)  # noqa: E731
    drawer = [defaultdict(Counter), defaultdict(Counter)]
    for side, rows in zip(drawer, (original, copy), strict=True):
        for i, value in enumerate(rows[target]):
            side[key(rows, i)][value] += 1
    counts = dict.fromkeys(SYMBOLS, 0)
    n = len(original[target])
    for i, value in enumerate(original[target]):
        mine = key(original, i)
        if is_struck(mine, value):
            continue
        settled, shown = len(drawer[0][mine]) == 1, set(drawer[1].get(mine, ()))
        counts["Dorig"] += settled
        counts["DiS"] += len(shown) == 1
        counts["DiSCO"] += shown == {value}
        counts["DiSDiO"] += shown == {value} and settled
    return {symbol: 100 * Fraction(found, n) for symbol, found in counts.items()}


def test_the_worked_example():
    _, live = live_of(ORIGINAL, [COPY], ["q"], ["t"])

    def figures(*texts):
        found = live.figures(parse_exclusions(texts))["t"]
        return [round(found[name] * 7 / 100, 9) for name in ("DiSCO", "DiS", "Dorig", "DiSDiO")]

    assert figures() == [4, 5, 3, 1]
    assert figures("t=A") == [1, 2, 1, 1]
    assert figures("t=A@q=q1") == [1, 2, 3, 1]
    assert figures("t=A", "t=A@q=q1") == figures("t=A@q=q1", "t=A") == figures("t=A")
    merged = [
        {**one, "q": ["q12" if q in ("q1", "q2") else q for q in one["q"]]}
        for one in (ORIGINAL, COPY)
    ]
    _, coarse = live_of(merged[0], merged[1:], ["q"], ["t"])
    found = coarse.figures()["t"]
    assert [round(found[name] * 7 / 100, 9) for name in ("DiSCO", "Dorig")] == [1, 1]


values = st.sampled_from(["p", "q", "r", None])
sizes = st.integers(1, 3)


@st.composite
def files(draw):
    def one():
        n = draw(st.integers(1, 12))
        column = st.lists(values, min_size=n, max_size=n)
        return {name: draw(column) for name in ("a", "b", "t")}

    return one(), [one() for _ in range(draw(sizes))]


rules = st.lists(
    st.sampled_from(["t=p", "t=q", "t=p@a=p", "t=q@a=q", "t=p@b=r", "t=r@b=p", "missing-targets"]),
    max_size=5,
)


@given(files(), rules)
def test_they_are_those_of_a_count_person_by_person(case, texts):
    original, copies = case
    try:
        _, live = live_of(original, copies, ["a", "b"], ["t"])
        found = live.figures(parse_exclusions(texts))["t"]
    except InputError:  # no level in common, or a level that nobody has
        return
    struck = [one.replace("missing-targets", "t=").partition("=")[2] for one in texts]
    pairs = [(level or None, at) for level, _, at in (one.partition("@") for one in struck)]

    def is_struck(mine, value):
        known = dict(zip("ab", mine, strict=True))
        ats = [at.partition("=") for level, at in pairs if level == value]
        return any(not name or known[name] == at for name, _, at in ats)

    each = [told(original, copy, ["a", "b"], "t", is_struck) for copy in copies]
    for symbol in SYMBOLS:
        assert found[symbol] == pytest.approx(fmean(one[symbol] for one in each), rel=1e-12)


every = st.lists(
    st.sampled_from(
        [
            *("t=p", "t=q", "t=p@a=p", "t=q@b=q", "t=p@a=q@b=r", "missing-targets"),
            *("missing-keys", "missing-keys=a", "max-denominator=1", "max-denominator-syn=1"),
        ]
    ),
    max_size=5,
)


@given(files(), every)
def test_they_are_exactly_those_of_the_whole_record(case, texts):
    try:
        found, live = live_of(*case, ["a", "b"], ["t"])
        record = found.whatif(texts).record
    except InputError:
        return
    row = record.attribute_of("t", record.headline_copy)
    now = live.figures(parse_exclusions(texts))["t"]
    assert {name: getattr(row, name) for name in SYMBOLS} == now
    before = live.figures()["t"]
    assert all(now[name] <= before[name] for name in SYMBOLS)  # more struck out never raises one


def test_what_nobody_has_is_refused():
    _, live = live_of(ORIGINAL, [COPY], ["q"], ["t"])
    with pytest.raises(SettingsError, match="no one has 't' = 'Z'"):
        live.figures(parse_exclusions(["t=Z"]))
    with pytest.raises(RolesError, match="'x' is not among the targets"):
        live.figures(parse_exclusions(["x=A"]))
