"""Key combinations and cells against a plain dictionary."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unveil.count import packing, profile
from unveil.count.codes import encode
from unveil.study.study import Study

row = st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.sampled_from(("p", "q", None)))
files = st.lists(st.lists(row, max_size=15), min_size=2, max_size=4)


def scenario_of(sides):
    def column(i):
        return encode(str(i), [pl.Series([r[i] for r in side], dtype=pl.String) for side in sides])

    return Study(()).count([column(0), column(1)], [column(2)])


@pytest.mark.slow
@pytest.mark.parametrize("dense", [True, False])
@given(sides=files, chunk=st.sampled_from((packing.CHUNK, 3)))
def test_cells_are_the_plain_counts_whether_dense_or_sorted(dense, sides, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "is_dense", lambda space, n: dense)
        patch.setattr(packing, "CHUNK", chunk)
        scenario = scenario_of(sides)
    keys, cells, (target,) = scenario.keys, scenario.cells(0), scenario.target_columns
    rows = keys.example_rows()
    key_levels = list(
        zip(
            *(
                column.levels.gather(column.codes[rows]).to_list()
                for column in scenario.key_columns
            ),
            strict=True,
        )
    )
    assert len(set(key_levels)) == keys.n_q  # q decodes to key levels, each once
    found = {
        (*key_levels[q], target.levels[t]): counts
        for q, t, counts in zip(
            cells.q.tolist(), cells.t.tolist(), cells.counts.T.tolist(), strict=True
        )
    }
    counters = [Counter(side) for side in sides]
    assert found == {cell: [c[cell] for c in counters] for cell in set().union(*sides)}
    assert keys.counts.tolist() == [
        [sum(r[:2] == level for r in side) for level in key_levels] for side in sides
    ]


@pytest.mark.slow
@given(sides=files, chunk=st.sampled_from((packing.CHUNK, 3)))
def test_a_profile_holds_every_cell_once_and_each_look_once(sides, chunk):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(profile, "CHUNK", chunk)
        patch.setattr(profile, "FEW_CELLS", 0)
        scenario = scenario_of(sides)
        pair = scenario.pooled_copies
        found = pair.looks(0)
        p = found.profile
    rows = list(zip(p.d_tq, p.s_tq, p.d_q, p.s_q, p.T_d, p.T_s, strict=True))
    assert len(set(rows)) == len(rows)
    cells = pair.cells(0)
    assert found.count(np.arange(len(cells.t))).tolist() == p.w.tolist()
    assert p.d_tq[found.of_cell].tolist() == cells.counts[0].tolist()
    assert p.w.sum() == len(set().union(*sides))
    assert (p.N_d, p.N_s) == (len(sides[0]), sum(map(len, sides[1:])))


def test_the_counts_of_some_sides_know_nothing_of_the_others():
    train, control, copy = [("a", "x", "p")], [("b", "y", "q")], [("c", "x", "p")]
    part = scenario_of([train, control, copy]).select_sides([0, 2])
    assert part.keys.n_q == 2
    assert part.keys.counts.tolist() == [[1, 0], [0, 1]]


@given(sides=files)
def test_a_copy_is_counted_beside_the_original_as_if_it_were_the_only_one(sides):
    whole = scenario_of(sides)
    for copy, pair in whole.pairs():
        chosen = [row for side in sides[1:] for row in side] if copy == "pooled" else sides[copy]
        alone = scenario_of([sides[0], chosen])
        assert sorted(pair.keys.counts.T.tolist()) == sorted(alone.keys.counts.T.tolist())
        assert sorted(pair.cells(0).counts.T.tolist()) == sorted(alone.cells(0).counts.T.tolist())
        assert [column.counts.sum(axis=1).tolist() for column in pair.target_columns] == [
            [len(sides[0]), len(chosen)]
        ]
