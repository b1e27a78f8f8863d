from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import joint_tables as oracle
from profiles import examples
from synthesis.regressions import chi_square_p, classes, stream
from unveil.errors import RolesError, SettingsError
from unveil.synthesis.impossible import Impossible
from unveil.synthesis.ipf import IpfModel, fit_ipf
from unveil.synthesis.methods import Options

LEVELS = (2, 3, 2)
NAMES = ("sex", "region", "work")
CELL = st.tuples(st.integers(0, 1), st.integers(0, 2), st.integers(0, 1))
MARGINS = [None, (("sex", "region"), ("work",)), (("sex",), ("region",), ("work",))]
PAIRS = tuple(combinations(range(3), 2))


def targets(records):
    columns = zip(*records, strict=True)
    return [
        classes(codes, name=name, n_levels=n)
        for codes, name, n in zip(columns, NAMES, LEVELS, strict=True)
    ]


def weights(model):
    return np.diff(model.cells.up_to, prepend=0).reshape(model.cells.shape)


def laid_out(table):
    made = np.zeros(LEVELS)
    for cell, weight in table.items():
        made[cell] = weight
    return made


# No margin of these has a 0, so the rounds settle quickly.
FULL = [(a, b, c) for a in range(2) for b in range(3) for c in range(2)]


@examples(12)
@given(st.lists(CELL, max_size=60), st.sampled_from(MARGINS))
def test_the_table_is_that_of_plain_scaling(more, margins):
    records = FULL + more
    model = fit_ipf(targets(records), Options(prior=0, margins=margins), stream())
    asked = PAIRS if margins is None else [tuple(map(NAMES.index, some)) for some in margins]
    by_hand = laid_out(oracle.proportional(records, LEVELS, asked))
    assert weights(model) == pytest.approx(by_hand, abs=1e-4)
    assert model.notes == ()


@examples(12)
@given(st.lists(CELL, min_size=1, max_size=40))
def test_margins_are_those_of_the_original(records):
    model = fit_ipf(targets(records), Options(prior=0), stream())
    seen = {cell: float(records.count(cell)) for cell in set(records)}
    table = dict(np.ndenumerate(weights(model)))
    # Where zeros of the margins leave no room the rounds settle slowly; then it is said.
    off = 0.05 if model.notes else 2e-3
    for axes in PAIRS:
        wanted = oracle.margin(seen, axes)
        for some, n in oracle.margin(table, axes).items():
            assert n == pytest.approx(wanted.get(some, 0.0), abs=off)


def test_single_margins_are_independence_by_hand():
    records = [(0, 0, 0), (0, 1, 1), (1, 1, 1), (1, 2, 1)]
    margins = (("sex",), ("region",), ("work",))
    model = fit_ipf(targets(records), Options(prior=0, margins=margins), stream())
    shares = np.einsum("i,j,k->ijk", [0.5, 0.5], [0.25, 0.5, 0.25], [0.25, 0.75])
    assert weights(model) == pytest.approx(4 * shares)


def test_the_prior_is_spread_over_all_cells():
    records = [(0, 0, 0), (1, 1, 1)]
    bare = fit_ipf(targets(records), Options(prior=0), stream())
    prior = fit_ipf(targets(records), Options(prior=3), stream())
    assert weights(prior) == pytest.approx(weights(bare) + 3 / 12, abs=1e-6)


def test_draws_follow_the_table():
    rng = stream(1)
    records = FULL + [tuple(rng.integers(LEVELS).tolist()) for _ in range(50)]
    model = fit_ipf(targets(records), Options(), stream())
    drawn = model.sample(80_000, stream(2))
    assert [column.dtype for column in drawn] == [np.int32] * 3
    got = np.zeros(LEVELS)
    np.add.at(got, drawn, 1)
    table = laid_out(oracle.proportional(records, LEVELS, PAIRS)) + 1 / 12
    assert chi_square_p(got.ravel(), (80_000 * table / table.sum()).ravel()) > 1e-3


def test_what_cannot_be_stays_empty_and_margins_hold():
    records = [cell for cell in FULL if not (cell[0] == 0 and cell[1] == 2)] * 2 + [(0, 0, 1)]
    none = Impossible({"sex": (0,), "region": (2,)})
    model = fit_ipf(targets(records), Options(prior=4), stream(), impossible=[none])
    table = weights(model)
    assert table[0, 2].tolist() == [0, 0]
    by_hand = laid_out(
        oracle.proportional(records, LEVELS, PAIRS, lambda cell: cell[0] == 0 and cell[1] == 2)
    )
    by_hand[by_hand > 0] += 4 / 10
    assert table == pytest.approx(by_hand, abs=1e-4)


def test_a_column_in_no_margin_keeps_its_own_shares():
    records = [*FULL, (0, 0, 1), (0, 0, 1)]
    model = fit_ipf(targets(records), Options(prior=0, margins=(("sex", "region"),)), stream())
    assert weights(model).sum(axis=(0, 1)) == pytest.approx([6, 8])


def test_one_column_alone_is_its_own_margin():
    model = fit_ipf([classes([0, 1, 1], name="sex")], Options(prior=0), stream())
    assert model.cells.up_to.tolist() == pytest.approx([1, 3])


def test_noise_is_shared_among_the_margins_and_told():
    records = FULL * 20
    model = fit_ipf(targets(records), Options(noise=0.5), stream(3))
    assert model.notes[0].startswith("Laplace noise of scale 6 was added to every count. It gives")
    assert weights(model).sum() == pytest.approx(len(records) + 1)
    again = fit_ipf(targets(records), Options(noise=0.5), stream(3))
    assert np.array_equal(weights(model), weights(again))
    assert not np.allclose(weights(model), 20, atol=1)


def test_margins_that_contradict_one_another_are_told():
    model = fit_ipf(targets(FULL), Options(noise=0.5), stream(3))
    assert model.notes[1].startswith("The margins of 'ipf' are met to within ")


def test_a_model_file_gives_the_same_draws():
    model = fit_ipf(targets(FULL), Options(), stream())
    again = IpfModel.from_arrays(model.to_arrays())
    for one, other in zip(model.sample(500, stream(9)), again.sample(500, stream(9)), strict=True):
        assert np.array_equal(one, other)


def test_a_margin_of_an_unknown_column_is_refused():
    with pytest.raises(RolesError) as fault:
        fit_ipf(targets(FULL), Options(margins=(("sex", "regoin"),)), stream())
    assert str(fault.value) == (
        "A margin of 'ipf' has the column 'regoin', which 'ipf' does not synthesise."
        " Did you mean 'region'? Its columns are: sex, region, work."
    )


def test_a_table_too_large_is_refused():
    wide = [classes([0, 1], name=name, n_levels=300) for name in "abcd"]
    with pytest.raises(SettingsError) as fault:
        fit_ipf(wide, Options(), stream())
    assert str(fault.value) == (
        "The table of the 4 columns of 'ipf' would have 8,100,000,000 cells; at most 16,777,216 can"
        " be laid out. Give some of the columns another method, or use 'catall' without noise,"
        " which has no limit."
    )
