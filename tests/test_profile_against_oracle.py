"""The formulas on sides that the public call refuses: empty files, and keys that never meet."""

import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from oracles import raab
from oracles.compare import assert_agrees
from profiles import examples
from unveil.count.codes import CodedColumn, encode
from unveil.measure.disclosure.figures import CheckSettings
from unveil.measure.disclosure.record import measure_scenario
from unveil.records.disclosure import Checks
from unveil.study.open_scenario import OpenScenario
from unveil.study.study import Study

values = st.sampled_from((None, "a", "b", "c"))


@st.composite
def sides(draw) -> tuple[list, list]:
    """An original and one copy as rows of (key, target); either may be empty or a stranger."""
    n_keys = draw(st.integers(1, 3))
    row = st.tuples(st.tuples(*[values] * n_keys), values)
    original = draw(st.lists(row, max_size=12))
    if draw(st.booleans()):
        return original, draw(st.lists(row, max_size=12))
    stranger = st.tuples(st.tuples(*[st.sampled_from(("x", "y"))] * n_keys), values)
    return original, draw(st.lists(stranger, max_size=12))


def column(name: str, *sides: list) -> CodedColumn:
    return encode(name, [pl.Series(name, side, dtype=pl.String) for side in sides])


def profile_measures(original: list, synthetic: list) -> dict:
    """Every identity and attribute figure of one copy, measured below the public call."""
    n_keys = len((original or synthetic or [((None,), None)])[0][0])
    keys = [
        column(f"k{i}", *([key[i] for key, _ in rows] for rows in (original, synthetic)))
        for i in range(n_keys)
    ]
    target = column("t", *([value for _, value in rows] for rows in (original, synthetic)))
    record, _ = measure_scenario(
        OpenScenario(Study(()).count(keys, [target]), (), ()), CheckSettings(Checks())
    ).record()
    not_there = {(row.target, row.field) for row in record.not_measured}
    figures = record.identity[0].to_dict() | record.attribute[0].to_dict()
    # Whatever could not be measured has its reason, and nothing else has one.
    assert {name for _, name in not_there} == {n for n, v in figures.items() if v is None}
    return figures


@examples(1000)
@given(sides())
@example(([], []))
@example(([], [(("a",), "b")]))
@example(([(("a",), "b")], []))
@example(([(("a",), "b")], [(("x",), "b")]))
def test_the_formulas_equal_the_story_on_empty_and_disjoint_sides(pair):
    original, synthetic = pair
    expected = raab.identity(original, synthetic) | raab.attribute(original, synthetic)
    assert_agrees(profile_measures(original, synthetic), expected)
