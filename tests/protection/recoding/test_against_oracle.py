"""Each step against its definition, value by value, on small data with ties, codes and gaps."""

from datetime import date

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oracles import recoding as oracle
from profiles import examples
from unveil.errors import SettingsError
from unveil.protection.recoding.recode import recode

CODES = (-8, -9)
whole = st.one_of(st.none(), st.integers(-10, 12))
wholes = st.lists(whole, min_size=1, max_size=12).filter(
    lambda values: any(one is not None and one not in CODES for one in values)
)
tenths = st.one_of(st.none(), st.integers(-60, 60).map(lambda tenth: tenth / 10))
shares = st.integers(1, 99).map(lambda percent: percent / 100)
letters = st.one_of(st.none(), st.sampled_from("abcde"))
MODEST = examples(60)


def done(values, dtype, **step):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype)})
    result = recode(frame, [{"column": "x", **step}])
    assert frame["x"].to_list() == values  # what was given is not touched
    return result


def changes(before, after) -> int:
    return sum(old != new for old, new in zip(before, after, strict=True))


def plain(values):
    return [one for one in values if one is not None and one not in CODES]


@MODEST
@given(wholes, st.integers(-12, 14), st.booleans())
def test_what_lies_beyond_a_fixed_limit_is_set_to_it(values, limit, top):
    assume(limit not in CODES)
    do = "top_code" if top else "bottom_code"
    result = done(values, pl.Int64, do=do, at=limit, special_codes=CODES)
    wanted = oracle.cut_off(values, limit, CODES, top=top)
    assert result.data["x"].to_list() == wanted
    assert result.rows[0].n_changed == changes(values, wanted)


@MODEST
@given(st.lists(tenths, min_size=1, max_size=12), shares, st.booleans())
def test_what_lies_beyond_a_quantile_is_set_to_it(values, share, top):
    assume(plain(values))
    do = "top_code" if top else "bottom_code"
    result = done(values, pl.Float64, do=do, quantile=share, special_codes=CODES)
    limit = oracle.limit_at(plain(values), share, CODES, top=top)
    assert result.data["x"].to_list() == oracle.cut_off(values, limit, CODES, top=top)
    (fixed,) = result.fixed_steps()
    assert (fixed.at, fixed.quantile) == (limit, None)


@MODEST
@given(wholes, shares, st.booleans())
def test_a_quantile_of_whole_numbers_puts_nobody_else_beyond_it(values, share, top):
    do = "top_code" if top else "bottom_code"
    result = done(values, pl.Int8, do=do, quantile=share, special_codes=CODES)
    limit = oracle.quantile(plain(values), share)
    beyond = [one for one in plain(values) if (one > limit if top else one < limit)]
    assert result.rows[0].n_changed == len(beyond)
    assert result.data["x"].dtype == pl.Int8


@MODEST
@given(st.lists(tenths, min_size=1, max_size=8), st.sampled_from([0.1, 0.2, 0.5, 1, 2, 2.5, 7]))
def test_rounding_takes_the_nearest_multiple_and_halves_go_outwards(values, to):
    result = done(values, pl.Float64, do="round", to=to, special_codes=CODES)
    wanted = oracle.rounded(values, to, CODES)
    assert result.data["x"].to_list() == wanted
    assert result.rows[0].n_changed == changes(values, wanted)


@MODEST
@given(st.lists(letters, min_size=1, max_size=20), st.integers(2, 5))
def test_rare_levels_become_one(values, below):
    result = done(values, pl.String, do="merge_rare", below=below, into="rest")
    wanted = oracle.rare_into_one(values, below, "rest")
    assert result.data["x"].to_list() == wanted
    assert result.rows[0].n_changed == changes(values, wanted)


@MODEST
@given(
    st.lists(letters, min_size=1, max_size=20),
    st.integers(2, 6),
    st.dictionaries(st.sampled_from("abcdeuv"), st.sampled_from("bcdeuvwz"), min_size=1),
    st.booleans(),
)
def test_levels_climb_their_hierarchy(values, below, parents, always):
    # A letter's parent comes after it in the alphabet: no circles.
    parents = {child: parent for child, parent in parents.items() if child < parent}
    there = {one for one in values if one is not None} | set(parents.values())
    parents = {child: parent for child, parent in parents.items() if child in there}
    there = {one for one in values if one is not None}
    assume(parents)
    assume(all(child in there or child in parents.values() for child in parents))
    how = {"always": True} if always else {"below": below}
    result = done(values, pl.String, do="merge_rare", hierarchy=parents, **how)
    if always:
        wanted = oracle.up_to_the_top(values, parents)
    else:
        wanted = oracle.up_the_hierarchy(values, parents, below)
    assert result.data["x"].to_list() == wanted
    assert result.rows[0].n_changed == changes(values, wanted)


@MODEST
@given(
    st.lists(st.one_of(st.none(), st.dates(date(1890, 1, 1), date(2030, 1, 1))), min_size=1),
    st.sampled_from(["month", "quarter", "year"]),
)
def test_dates_become_the_first_day_of_their_period(values, period):
    result = done(values, pl.Date, do="coarsen_date", to=period)
    wanted = [None if day is None else oracle.first_day(day, period) for day in values]
    assert result.data["x"].to_list() == wanted
    assert result.rows[0].n_changed == changes(values, wanted)


@MODEST
@given(
    wholes,
    st.one_of(
        st.tuples(st.just("quantile"), st.sampled_from([0.5, 0.6, 0.75, 0.9, 0.99])),
        st.tuples(st.just("distance"), st.sampled_from([0.5, 1, 2.5])),
    ),
    st.sampled_from(["both", "low", "high"]),
)
def test_outliers_are_dropped_or_moved_beyond_the_same_fences(values, rule, tail):
    name, size = rule
    asked = {"share": size} if name == "quantile" else {"distance": size}
    found = oracle.fences(plain(values), **asked)
    step = {name: size, "tail": tail, "special_codes": CODES}
    if found is None:
        with pytest.raises(SettingsError, match="are equal, so that a robust distance"):
            done(values, pl.Int64, do="drop_outliers", **step)
        return
    low = float("-inf") if tail == "high" else found[0]
    high = float("inf") if tail == "low" else found[1]
    is_out = [one is not None and one not in CODES and not low <= one <= high for one in values]
    if not all(is_out):
        dropped = done(values, pl.Int64, do="drop_outliers", **step)
        kept = [one for one, out in zip(values, is_out, strict=True) if not out]
        assert dropped.data["x"].to_list() == kept
        assert dropped.rows[0].n_changed == sum(is_out)
    moved = done(values, pl.Int64, do="perturb_outliers", **step).data["x"].to_list()
    ends = min(plain(values)), max(plain(values))
    for old, new, out in zip(values, moved, is_out, strict=True):
        assert new == old or out
        if out:
            assert ends[0] <= new <= ends[1]
            assert new >= high if old > high else new <= low


rows = st.lists(st.tuples(letters, st.sampled_from(["p", "q"])), min_size=1, max_size=15)


@MODEST
@given(rows, rows)
def test_the_effect_on_keys_is_that_of_counting_by_hand(original, copy):
    # Keys without a level in common are refused.
    for place in (0, 1):
        assume({row[place] for row in original} & {row[place] for row in copy} - {None})
    frames = [
        pl.DataFrame(side, {"x": pl.String, "y": pl.String}, orient="row")
        for side in (original, copy)
    ]
    steps = [{"do": "merge_rare", "column": "x", "below": 3, "into": "rest"}]
    result = recode(frames[0], steps, keys=["x", "y"], copy=frames[1])
    (row,) = result.rows
    after = [tuple(one) for one in result.data.rows()]
    after_copy = [tuple(one) for one in result.copy.rows()]
    for figures, data, other in ((row.before, original, copy), (row.after, after, after_copy)):
        wanted = oracle.key_figures(data, other)
        assert figures.n_uniques == wanted["uniques"]
        assert [one.n for one in figures.anonymity] == [wanted[f"below {k}"] for k in (2, 3, 5)]
        assert figures.n_replicated == wanted["replicated"]
        assert figures.repU == pytest.approx(100 * wanted["replicated"] / len(data))
        assert figures.n_q == len(set(data))
