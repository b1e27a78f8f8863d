from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import joint_tables as oracle
from profiles import examples
from synthesis.regressions import chi_square_p, classes, stream
from unveil.errors import SettingsError
from unveil.synthesis.catall import CatallModel, fit_catall
from unveil.synthesis.impossible import Impossible, Zeros
from unveil.synthesis.methods import Options

RECORDS = [(0, 0), (0, 0), (0, 1), (1, 2), (1, 2), (1, 2), (1, 1), (2, 0)]
LEVELS = (3, 4)
MARRIED_CHILD = Impossible({"age": (0,), "marital": (2, 3)})


def targets(records=RECORDS, n_levels=LEVELS, names=("age", "marital", "sex")):
    columns = zip(*records, strict=True)
    return [
        classes(codes, name=name, n_levels=n)
        for codes, name, n in zip(columns, names, n_levels, strict=False)
    ]


def is_married_child(cell):
    return cell[0] == 0 and cell[1] in (2, 3)


def counts_of(drawn, cells):
    seen = {cell: 0 for cell in cells}
    rows, n = np.unique(np.stack(drawn, axis=1), axis=0, return_counts=True)
    for row, many in zip(rows.tolist(), n.tolist(), strict=True):
        seen[tuple(row)] = many
    return [seen[cell] for cell in cells]


@pytest.mark.parametrize("prior", [0, 1, 8])
@pytest.mark.parametrize(
    ("impossible", "cannot"), [((), oracle.nothing), ((MARRIED_CHILD,), is_married_child)]
)
def test_draws_follow_the_table_cell_by_cell(prior, impossible, cannot):
    model = fit_catall(targets(), Options(prior=prior), stream(), impossible=impossible)
    shares = oracle.saturated(RECORDS, LEVELS, Fraction(prior), cannot)
    cells = list(product(*map(range, LEVELS)))
    expected = [60_000 * float(shares.get(cell, 0)) for cell in cells]
    assert chi_square_p(counts_of(model.sample(60_000, stream(4)), cells), expected) > 1e-3


@examples(50)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 3)), min_size=1),
    st.integers(0, 9),
)
def test_combinations_are_counted_rightly(records, seed):
    model = fit_catall(targets(records, (3, 2, 4)), Options(prior=0), stream())
    shares = oracle.saturated(records, (3, 2, 4), Fraction(0))
    seen = {tuple(row): n for row, n in zip(
        model.cells.seen.tolist(), np.diff(model.cells.up_to, prepend=0).tolist(), strict=True
    )}  # fmt: skip
    assert seen == {cell: len(records) * share for cell, share in shares.items() if share}
    drawn = model.sample(20, stream(seed))
    assert set(zip(*(column.tolist() for column in drawn), strict=True)) <= set(records)


def test_without_a_prior_only_combinations_of_the_original_occur():
    drawn = fit_catall(targets(), Options(prior=0), stream()).sample(5_000, stream(1))
    assert set(zip(*(column.tolist() for column in drawn), strict=True)) == set(RECORDS)


def test_the_prior_is_one_record_unless_said_otherwise():
    assert fit_catall(targets(), Options(), stream()).cells.prior == 1


def test_codes_have_their_type_and_shape():
    drawn = fit_catall(targets(), Options(), stream()).sample(7, stream())
    assert [(column.dtype, column.shape) for column in drawn] == [(np.int32, (7,))] * 2


def test_a_table_of_any_size_costs_what_the_records_cost():
    rng = stream(2)
    names = [f"c{place}" for place in range(12)]
    wide = [classes(rng.integers(300, size=1_000), name=name, n_levels=300) for name in names]
    model = fit_catall(wide, Options(prior=200), stream())
    drawn = np.stack(model.sample(2_000, stream(3)), axis=1)
    original = {tuple(row) for row in np.stack([target.values for target in wide], axis=1).tolist()}
    new = sum(tuple(row) not in original for row in drawn.tolist())
    assert new / 2_000 == pytest.approx(200 / 1_200, abs=0.03)


def test_noise_moves_counts_once_and_is_told():
    options = Options(noise=0.5)
    model = fit_catall(targets(), options, stream(5))
    assert model.notes == (
        "Laplace noise of scale 2 was added to every count. It gives no formal guarantee: the"
        " levels, the number of records and all other columns come from the original as it is.",
    )
    # The same noise for every draw, by the definition: max(count + noise, 0), then the prior.
    counts = np.zeros(LEVELS)
    np.add.at(counts, tuple(np.array(RECORDS).T), 1)
    by_hand = np.maximum(counts + stream(5).laplace(scale=2.0, size=LEVELS), 0)
    by_hand = by_hand / by_hand.sum() * 8 + 1 / 12
    weights = np.diff(model.cells.up_to, prepend=0).reshape(LEVELS)
    assert weights == pytest.approx(by_hand)


def test_noise_leaves_what_cannot_be_empty():
    model = fit_catall(targets(), Options(noise=0.01), stream(), impossible=[MARRIED_CHILD])
    age, marital = model.sample(20_000, stream(1))
    assert not ((age == 0) & (marital >= 2)).any()


@pytest.mark.parametrize("noise", [None, 1.0])
def test_a_model_file_gives_the_same_draws(noise):
    asked = Options(noise=noise, prior=5)
    model = fit_catall(targets(), asked, stream(), impossible=[MARRIED_CHILD])
    again = CatallModel.from_arrays(model.to_arrays())
    for one, other in zip(model.sample(500, stream(9)), again.sample(500, stream(9)), strict=True):
        assert np.array_equal(one, other)


def test_several_impossible_sets_add_up():
    zeros = Zeros.of([MARRIED_CHILD, Impossible({"marital": (1,)})], targets())
    table = zeros.table(LEVELS)
    assert np.argwhere(table).tolist() == [[0, 1], [0, 2], [0, 3], [1, 1], [2, 1]]
    rows = np.argwhere(np.ones(LEVELS, bool)).T
    assert np.array_equal(zeros.find_rows(list(rows)), table.ravel())


BAD = [
    (
        {},
        [Impossible({"age": (1,), "marital": (2,)})],
        "In the original 3 records have a combination that is declared impossible. Change the"
        " rule, or correct the data.",
    ),
    (
        {},
        [Impossible({"age": (2,)})],
        "In the original 1 record has a combination that is declared impossible. Change the rule,"
        " or correct the data.",
    ),
    ({"prior": -1}, [], "prior is -1. It must be a number from 0 on."),
    ({"noise": 0}, [], "noise is 0. It must be a number above 0."),
]


@pytest.mark.parametrize(("options", "impossible", "sentence"), BAD)
def test_what_means_nothing_is_refused(options, impossible, sentence):
    with pytest.raises(SettingsError) as fault:
        fit_catall(targets(), Options(**options), stream(), impossible=impossible)
    assert str(fault.value) == sentence
    assert fault.value.exit_code == 2


def test_a_table_too_large_for_noise_is_refused():
    wide = [classes([0, 1], name=name, n_levels=300) for name in "abcd"]
    with pytest.raises(SettingsError) as fault:
        fit_catall(wide, Options(noise=1), stream())
    assert str(fault.value) == (
        "The table of the 4 columns of 'catall' with noise would have 8,100,000,000 cells; at most"
        " 16,777,216 can be laid out. Give some of the columns another method, or use 'catall'"
        " without noise, which has no limit."
    )
