"""Synthetic data from protected margins: they depend on what is published, and on nothing else."""

from itertools import product

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.errors import InputError
from unveil.synthesis.synthesise import synthesise

MARGINS = [["a", "b"], ["b", "c"]]
LEVELS = {"a": "xy", "b": "pqr", "c": "mn"}


def frame_of(counts):
    """One row for each person of a table of counts by a, b and c."""
    rows = [cell for cell, n in counts.items() for _ in range(n)]
    return pl.DataFrame(rows, schema=["a", "b", "c"], orient="row")


def table(seed):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(6, 40, 12).tolist()
    return dict(zip(product(*LEVELS.values()), sizes, strict=True))


def fitted_by_hand(counts, base):
    """Rounded margins, scaled to one total, and fitted in turn: standard library only."""
    cells = [*counts]
    sets = [(0, 1), (1, 2)]
    published = []
    for axes in sets:
        sums = {}
        for cell, n in counts.items():
            key = tuple(cell[i] for i in axes)
            sums[key] = sums.get(key, 0) + n
        published.append({key: base * ((n + base // 2) // base) for key, n in sums.items()})
    total = sum(sum(one.values()) for one in published) / len(published)
    weights = dict.fromkeys(cells, 1.0)
    for _ in range(2000):
        for axes, margin in zip(sets, published, strict=True):
            scale = total / sum(margin.values())
            for key, wanted in margin.items():
                own = [cell for cell in cells if tuple(cell[i] for i in axes) == key]
                now = sum(weights[cell] for cell in own)
                for cell in own:
                    weights[cell] *= wanted * scale / now
    return weights, total


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_fitted_table_is_that_of_the_rounded_margins(seed):
    counts = table(seed)
    made = synthesise(
        frame_of(counts), margins=MARGINS, protect_margins="conventional:5", prior=0, seed=1
    )
    weights, total = fitted_by_hand(counts, 5)
    cells = made.models.drawing.strata[0][0].joint.cells
    found = np.diff(cells.up_to, prepend=0.0)
    assert cells.up_to[-1] == pytest.approx(round(total))
    # Rounded margins may contradict one another in their common column: rounds then do not settle,
    # and both are compared after their last margin.
    assert found / found.sum() == pytest.approx(
        np.array([*weights.values()]) / sum(weights.values()), rel=1e-6
    )
    assert made.copies[0].height == round(total)


def test_the_data_depend_on_the_published_margins_alone():
    one = table(1)
    moved = dict(one)  # people change cells, but no margin: a with c, given b
    for a, c, step in (("x", "m", 1), ("x", "n", -1), ("y", "m", -1), ("y", "n", 1)):
        moved[a, "p", c] += step
    other = {cell: n for cell, n in one.items()}
    key = ("x", "q", "m")
    sums = [
        sum(n for cell, n in one.items() if cell[:2] == key[:2]),
        sum(n for cell, n in one.items() if cell[1:] == key[1:]),
    ]
    room = [s for s in (1, -1, 2, -2) if all((s + n + 2) // 5 == (n + 2) // 5 for n in sums)]
    other[key] += room[0]  # one or two people more or less, within the rounding
    settings = {"margins": MARGINS, "protect_margins": "conventional:5", "seed": 1}
    wanted = synthesise(frame_of(one), **settings).copies[0]
    assert moved != one
    assert other != one
    for counts in (moved, other):
        assert synthesise(frame_of(counts), **settings).copies[0].equals(wanted)
    assert not synthesise(frame_of(table(2)), **settings).copies[0].equals(wanted)


def test_bounds_of_the_margins_hold_for_every_cell():
    counts = table(1)
    release = unveil.PublishedTable.from_microdata(
        frame_of(counts), ["a", "b", "c"], table=False, margins=MARGINS, rounding="conventional:5"
    )
    bounds = unveil.bounds(release)
    for cell, n in zip(bounds.record.cells, counts.values(), strict=True):
        assert cell.lower <= n
        assert cell.upper is None or n <= cell.upper


def test_suppressed_counts_are_taken_for_the_middle_of_what_is_said_of_them():
    frame = frame_of({("x", "p", "m"): 40, ("x", "q", "m"): 3, ("y", "p", "n"): 57})
    made = synthesise(frame, margins=[["b"]], protect_margins="suppress:10", prior=0, seed=1)
    assert made.models.drawing.strata[0][0].joint.cells.up_to.tolist() == pytest.approx([97, 102])
    assert made.copies[0].columns == ["b"]
    assert any("Made from protected margins" in note for note in made.record.notes)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"protect_margins": "random:3", "margins": MARGINS}, "publish the same margins each time"),
        ({"protect_margins": "nearest:3", "margins": MARGINS}, "no rounding scheme"),
        ({"protect_margins": "conventional:5"}, "needs margins that name every"),
        (
            {"protect_margins": "up:5", "margins": MARGINS, "method": {"a": "ipf", "b": "ipf"}},
            "'c' would be made otherwise|which 'ipf' does not",
        ),
        ({"protect_margins": "down:500", "margins": MARGINS}, "no count above 0"),
        ({"protect_margins": "up:5", "margins": MARGINS, "noise": 1.0}, "cannot be combined"),
    ],
)
def test_what_would_see_more_than_the_margins_is_refused(settings, sentence):
    with pytest.raises(InputError, match=sentence):
        synthesise(frame_of(table(1)), seed=1, **settings)
