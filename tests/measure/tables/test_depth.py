from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import sap as oracle
from profiles import examples
from unveil.errors import InputError
from unveil.measure.tables.sap import sap

COUNTS = [[2, 1], [1, 3]]


@st.composite
def tables(draw, most=2):
    shape = draw(st.sampled_from([(2, 2), (2, 3), (1, 3), (2, 1, 2), (4,)]))
    counts = draw(st.lists(st.integers(0, most), min_size=prod(shape), max_size=prod(shape)))
    structural = {cell for cell, n in enumerate(counts) if n == 0 and draw(st.booleans())}
    return shape, counts, structural


def nested(shape, counts):
    if len(shape) == 1:
        return list(counts)
    step = len(counts) // shape[0]
    return [nested(shape[1:], counts[i * step : (i + 1) * step]) for i in range(shape[0])]


def rounded(counts, base):
    """Conventional rounding to an odd base: what each published value says."""
    facts = []
    for cell, n in enumerate(counts):
        x = (n + base // 2) // base * base
        facts.append(((cell,), max(0, x - base // 2), x + base // 2))
    return facts


@given(tables(), st.sampled_from([None, 3]))
@examples(50)
def test_a_curve_for_each_depth_equals_going_through_all_samples(table, base):
    shape, counts, structural = table
    if sum(counts) == 0:
        return
    facts = [((c,), n, n) for c, n in enumerate(counts)] if base is None else rounded(counts, base)
    found = sap(
        nested(shape, counts),
        rounding=None if base is None else f"conventional:{base}",
        structural=sorted(structural),
        depth="all",
    )
    assert [one.depth for one in found.record.by_depth] == list(range(1, len(shape) + 1))
    for one in found.record.by_depth:
        events = oracle.margin_cells(shape, one.depth, structural=structural)
        expected = oracle.sap(counts, facts, structural=structural, events=events)
        assert one.exact == tuple(f"{p.numerator}/{p.denominator}" for p in expected)


@given(tables(), st.data())
@examples(50)
def test_given_key_levels_equals_going_through_their_samples(table, data):
    shape, counts, structural = table
    dim = data.draw(st.integers(0, len(shape) - 1))
    level = data.draw(st.integers(0, shape[dim] - 1))
    places = oracle.places(shape)
    inside = [cell for cell, place in enumerate(places) if place[dim] == level]
    chance = [n if cell in inside else 0 for cell, n in enumerate(counts)]
    if sum(chance) == 0:
        return
    events = [(cell,) for cell in inside if cell not in structural]
    facts = rounded(counts, 3)
    name = "cell" if len(shape) == 1 else f"dim{dim + 1}"
    found = sap(
        nested(shape, counts),
        rounding="conventional:3",
        structural=sorted(structural),
        given={name: str(level)},
    )
    expected = oracle.sap(counts, facts, structural=structural, events=events, chance=chance)
    assert list(found.fractions) == expected
    assert sum(chance) == found.record.N


def test_margins_and_a_total_at_every_depth():
    released = dict(rounding="conventional:3", margins="all", total=True)
    counts = [2, 1, 0, 1, 2, 1]
    facts = rounded(counts, 3)
    for cells in [(0, 1, 2), (3, 4, 5), (0, 3), (1, 4), (2, 5), (0, 1, 2, 3, 4, 5)]:
        n = sum(counts[cell] for cell in cells)
        x = (n + 1) // 3 * 3
        facts.append((cells, max(0, x - 1), x + 1))
    found = sap([counts[:3], counts[3:]], depth="all", **released)
    for one in found.record.by_depth:
        expected = oracle.sap(counts, facts, events=oracle.margin_cells((2, 3), one.depth))
        assert one.exact == tuple(f"{p.numerator}/{p.denominator}" for p in expected)


def test_a_deeper_curve_is_never_lower():
    record = sap([[[1, 2], [2, 1]], [[1, 1], [3, 1]]], depth="all").record
    for shallow, deep in zip(record.by_depth, record.by_depth[1:], strict=False):
        assert all(a <= b for a, b in zip(shallow.lower, deep.upper, strict=True))
    assert record.by_depth[-1].exact == record.exact


def test_one_depth_is_the_curve_itself():
    one = sap(COUNTS, depth=1).record
    every = sap(COUNTS, depth="all").record
    assert one.depth == 1
    assert one.exact == every.by_depth[0].exact
    assert sap(COUNTS, depth=2).record.exact == sap(COUNTS).record.exact


@pytest.mark.parametrize("depth", [0, 3, -1, 1.5, True, "both", None.__class__])
def test_a_depth_out_of_range_says_which_there_are(depth):
    with pytest.raises(
        InputError, match=r"It must be a whole number from 1 to 2, for the table has"
    ):
        sap(COUNTS, depth=depth)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"dim3": "0"}, "given names 'dim3', which is not a dimension of the table. Did you mean"
                        " 'dim2'? Its dimensions are: dim1, dim2."),
        ("dim1=7", "given names a level that dimension 'dim1' does not have. Its levels are: 0,"
         " 1."),
        ("dim1", "given is 'dim1'. Write each dimension once, as in \"sex=m,age=2\"; levels with a"
         " comma in them are written as a mapping."),
        ("dim1=0,dim1=1", "given is 'dim1=0,dim1=1'. Write each dimension once, as in"
         " \"sex=m,age=2\"; levels with a comma in them are written as a mapping."),
        (4, 'given is 4. Write levels as {"sex": "m"} or as text, "sex=m,age=2".'),
    ],
)  # fmt: skip
def test_key_levels_that_are_not_there(asked, sentence):
    with pytest.raises(InputError) as caught:
        sap(COUNTS, given=asked)
    assert str(caught.value) == sentence
    assert caught.value.exit_code == 2


def test_nobody_with_the_given_levels_has_no_figure():
    with pytest.raises(InputError) as caught:
        sap([[0, 0], [1, 2]], given="dim1=0")
    assert str(caught.value) == (
        "No one with the given levels is left in the table, so that no one can become known. Use"
        " n_max=0."
    )


def test_given_levels_are_all_that_is_reported():
    # Men have a zero that settles their column; women one that rules out a level.
    counts = [[4, 0, 0], [3, 2, 0]]
    names = {"dims": ["sex", "job"], "levels": [["m", "f"], ["a", "b", "c"]]}
    men, women = (sap(counts, given={"sex": one}, n_max=0, **names).record for one in "mf")
    assert (men.exposed, women.exposed) == ((0, 1, 2), (3, 4, 5))
    assert (men.taught.n_recovered, women.taught.n_recovered) == (2, 1)
    assert (men.taught.settles, men.taught.n_people_settled) == (2, 4)
    assert (women.taught.settles, women.taught.rules_out_level) == (0, 1)
    assert women.taught.n_people_settled == 0
    assert all(one.variables == ("job",) for one in (*men.taught.lessons, *women.taught.lessons))
    everyone = sap(counts, n_max=0, **names).record
    assert (everyone.taught.n_recovered, len(everyone.exposed)) == (3, 6)
