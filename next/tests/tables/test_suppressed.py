"""What must be hidden beside small counts: by every table that a reader must allow."""

import numpy as np
import pytest

import unveil
from oracles import suppression


def random_counts(seed):
    rng = np.random.default_rng(seed)
    shape = [(3, 3), (2, 4), (3, 4)][seed % 3]
    return rng.poisson(rng.uniform(1.5, 4), shape).tolist()


@pytest.mark.parametrize("seed", range(30))
def test_no_hidden_count_is_worked_out_and_no_pattern_costs_much_less(seed):
    counts, below = random_counts(seed), 4
    table = unveil.PublishedTable(counts, margins="all", seed=1)
    hidden_table = table.suppressed(below=below)
    frame = hidden_table.frame()
    flat = [n for row in counts for n in row]
    cells = frame["published"].to_list()[: len(flat)]
    hidden = {i for i, value in enumerate(cells) if value is None}
    small = {i for i, n in enumerate(flat) if 0 < n < below}
    assert small <= hidden
    assert all(cells[i] == flat[i] for i in range(len(flat)) if i not in hidden)
    sums = frame["published"].to_list()[len(flat) :]
    told = [note for note in hidden_table.notes if "still" in note.sentence]
    recovered = [row for row in unveil.bounds(hidden_table).values if row.recovered]
    assert told or not recovered
    if None not in sums and not told:
        ranges = suppression.intervals(counts, hidden, below)
        assert all(low < high for i, (low, high) in ranges.items())
        best = suppression.cheapest(counts, below, 1)
        assert best is not None
        assert sum(flat[i] for i in hidden - small) <= best + max(flat)


def test_the_same_counts_have_the_same_pattern():
    counts = random_counts(7)
    frames = [
        unveil.PublishedTable(counts, margins="all").suppressed(below=4).frame() for _ in range(3)
    ]
    assert frames[0].equals(frames[1])
    assert frames[0].equals(frames[2])


NAMES = {"dims": ("ward", "job"), "levels": [["A", "B", "C"], ["x", "y", "z"]]}
COUNTS = [[2, 3, 20], [30, 12, 9], [25, 26, 40]]


def hidden_of(table):
    return [row.levels for row in unveil.bounds(table).values if row.suppressed]


def test_a_table_by_hand_hides_two_more():
    """2 and 3 stand in one row; another row must hide the same columns: B has the fewest people."""
    table = unveil.PublishedTable(COUNTS, margins="all", **NAMES).suppressed()
    assert hidden_of(table) == [("A", "x"), ("A", "y"), ("B", "x"), ("B", "y")]
    sentence = "2 values were hidden because they are small or secret, and 2 more to protect them."
    assert sentence in [note.sentence for note in table.notes]
    assert unveil.bounds(table).sentences[-1] == (
        "None of the 4 hidden values are told exactly by all that is published."
    )


def test_what_is_published_already_stays_and_what_is_secret_is_hidden():
    table = unveil.PublishedTable(COUNTS, margins="all", **NAMES)
    kept = table.suppressed(keep=["ward=B, job=x", "ward=B, job=y"])
    assert not {("B", "x"), ("B", "y")} & set(hidden_of(kept))
    secret = table.suppressed(hide=["ward=C, job=z"])
    assert ("C", "z") in hidden_of(secret)
    assert not [row for row in unveil.bounds(secret).values if row.recovered]


def test_hiding_can_fail_and_says_so():
    table = unveil.PublishedTable([1, 9], margins="total").suppressed(keep=["dim1=1", "total"])
    assert any("can be worked out still" in note.sentence for note in table.notes)
    assert unveil.bounds(table).values[0].recovered


@pytest.mark.parametrize(
    "settings",
    [{"below": 2}, {"below": "5"}, {"below": True}, {"keep": "ward=Z"}, {"hide": "age=3"},
     {"keep": "job"}, {"keep": "ward=A", "hide": "ward=A"}],
)  # fmt: skip
def test_wrong_settings_are_refused(settings):
    table = unveil.PublishedTable(COUNTS, margins="all", **NAMES)
    with pytest.raises(unveil.InputError):
        table.suppressed(**settings)
