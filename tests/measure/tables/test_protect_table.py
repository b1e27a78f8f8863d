"""Secondary suppression: against every pattern of small tables, and always audited."""

from time import monotonic

import numpy as np
import pytest

import unveil
from oracles import suppression as oracle
from unveil import PublishedTable, protect_table
from unveil.errors import InputError, SettingsError
from unveil.measure.tables import protect_table as module
from unveil.records.count_tables import ProtectedTable

EXACT_MARGINS = {"margins": "exact", "total": "exact"}


def release(counts, k=3):
    return PublishedTable.from_counts(
        counts, rounding={"table": f"suppress:{k}", **EXACT_MARGINS}, margins="all"
    )


def random_counts(seed):
    return np.random.default_rng(seed).poisson(2.5, (3, 3)).tolist()


@pytest.mark.parametrize("seed", range(12))
def test_the_cheapest_pattern_is_that_of_trying_all(seed):
    counts = random_counts(seed)
    expected = oracle.cheapest(counts, 3, 1)
    if expected is None:
        with pytest.raises(InputError, match="cannot be protected"):
            protect_table(release(counts))
        return
    found = protect_table(release(counts))
    assert found.record.proven
    assert found.record.total_cost == found.record.least_cost == expected
    hidden = {3 * int(row.levels[0]) + int(row.levels[1]) for row in found.rows}
    bounds = oracle.intervals(counts, hidden, 3)
    assert [(row.lower, row.upper) for row in found.rows] == list(bounds.values())
    assert all(row.upper - row.lower >= 1 for row in found.rows if row.small)


@pytest.mark.slow
def test_exact_beside_greedy_on_two_hundred_tables():
    n_found = n_equal = 0
    for seed in range(1_000):
        counts = random_counts(seed)
        values = module._values(release(counts), np.array(counts, float).reshape(-1))
        until = monotonic() + 60
        expected = oracle.cheapest(counts, 3, 1)
        if expected is None or not values.small.any():
            continue
        greedy = module._greedy(values, 1, until, release(counts), lambda *_: None)
        least, hardest = module._least_cost(values, 1, until)
        everything = values.small | values.can_hide
        exact, bound, proven = module._exact(
            values, 1, everything, least, hardest=hardest, until=until
        )
        cost = [values.cost[one & ~values.small].sum() for one in (greedy, exact)]
        assert proven
        assert cost[1] == bound == expected <= cost[0]
        hidden = set(np.flatnonzero(greedy)[np.flatnonzero(greedy) < 9].tolist())
        bounds = oracle.intervals(counts, hidden, 3)
        small = [i for i in hidden if values.small[i]]
        assert all(bounds[i][1] - bounds[i][0] >= 1 for i in small)
        n_found, n_equal = n_found + 1, n_equal + bool(cost[0] == cost[1])
        if n_found == 200:
            break
    assert n_found == 200
    assert n_equal >= 150


def test_the_proposal_is_what_would_be_published_beside_controlled_rounding():
    counts = np.random.default_rng(3).negative_binomial(2, 2 / 10, (6, 5))
    found = protect_table(counts, "suppress:5", margins="all", total=True)
    record = found.record
    assert (record.n_small, record.n_secondary, record.total_cost) == (9, 6, 45)
    assert record.proven
    assert record.width == 2 <= record.narrowest
    hidden = [value for _, part in found.release.published for value in part if value is None]
    assert len(hidden) == len(found.rows) == 15
    again = unveil.audit(found.release)
    assert again.complete
    assert [(row.lower, row.upper) for row in again.rows] == [
        (r.lower, r.upper) for r in found.rows
    ]
    assert [one.scheme for one in record.options] == ["suppress:5", "controlled:5"]
    assert record.options[1].n_changed == 26
    assert ProtectedTable.from_json(found.to_json()) == record


def test_three_crossing_margins_are_protected_in_whole_numbers():
    counts = np.random.default_rng(1).poisson(6, (3, 3, 2))
    found = protect_table(counts, "suppress:4", width=1, margins="all", total=True, seconds=30)
    assert found.record.narrowest >= 1
    assert unveil.audit(found.release).complete


def test_cells_or_weights_instead_of_people():
    counts = [[1, 9, 20], [30, 8, 40], [50, 60, 7]]
    few = protect_table(release(counts, 5), cost="cells").record
    assert (few.total_cost, few.n_secondary) == (3, 3)
    dear = [[0, 100, 1], [100, 1, 1], [1, 1, 1]]
    weighed = protect_table(release(counts, 5), cost=dear)
    assert {row.levels for row in weighed.rows if not row.small} == {
        ("0", "2"),
        ("2", "0"),
        ("2", "2"),
    }
    nothing = protect_table([[9, 9], [9, 9]], margins="all").record
    assert (nothing.n_small, nothing.n_secondary, nothing.proven) == (0, 0, True)


@pytest.mark.parametrize(
    ("counts", "asked", "sentence"),
    [
        ([9, 1], {"scheme": "conventional:5"}, "Nothing is published by suppression"),
        ([9, 1], {"scheme": "suppress:2"}, "suppress:2 suppresses only ones"),
        ([9, 1], {"width": 4}, "width is 4. It must be a whole number from 1 to 3"),
        ([9, 1], {"cost": "people"}, "cost is 'people'. Write count or cells"),
        ([9, 1], {"cost": [1, -1]}, "cost must be a number from 0 for each cell"),
        ([9, 1], {"seconds": 0}, "seconds"),
    ],
)
def test_what_cannot_be_asked(counts, asked, sentence):
    with pytest.raises(SettingsError, match=sentence):
        protect_table(counts, **asked)


def test_a_count_that_nothing_protects_is_named():
    with pytest.raises(InputError, match=r"The cell dim1=0, dim2=1 cannot be protected: whatever"):
        protect_table(release([[0, 2, 0], [5, 6, 7]], 5))
