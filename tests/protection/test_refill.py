"""Rounds of drawing and filtering, until there are enough rows or cannot be."""

import numpy as np
import polars as pl
import pytest

from unveil.errors import SettingsError
from unveil.models.neighbours.originals import Originals
from unveil.protection.distance_filter import distance_filter
from unveil.protection.refill import refill
from unveil.records.protection import Refill
from unveil.synthesis.synthesise import synthesise
from unveil.view import distance_filter as shown


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    age = rng.integers(18, 80, 300)
    return pl.DataFrame(
        {
            "age": age,
            "income": (age * 30 + rng.normal(0, 300, 300)).round(),
            "sex": rng.choice(["f", "m"], 300),
        }
    )


@pytest.fixture(scope="module")
def synthesiser(people):
    return synthesise(people, seed=1)


def test_it_ends_with_the_rows_wanted_and_says_each_round(people, synthesiser):
    result = refill(people, synthesiser, rows=200, seed=5)
    record = result.record
    assert record.is_finished
    assert (result.data.height, record.n_rows, record.stopped) == (200, 200, "enough rows")
    assert sum(one.kept for one in record.rounds) >= 200
    assert all(one.acceptance == one.kept / one.drawn for one in record.rounds)
    assert record.rows_to_draw == 0
    assert result.frame().height == len(record.rounds)
    assert Refill.from_json(result.to_json()) == record


def test_every_row_would_pass_the_filter_and_the_order_is_that_of_the_draws(people, synthesiser):
    result = refill(people, synthesiser, rows=150, seed=5)
    again = distance_filter(people, result.data)
    assert again.keep.all()
    first = result._drawn[0]
    kept = first.frame.filter(pl.Series(first.keep))
    assert result.data.head(kept.height).equals(kept.head(150))


def test_the_same_seed_gives_the_same_rows_and_another_gives_others(people, synthesiser):
    one, two, three = (refill(people, synthesiser, rows=60, seed=s).data for s in (7, 7, 8))
    assert one.equals(two)
    assert not one.equals(three)


def test_it_stops_at_once_when_the_rounds_left_cannot_be_enough(people, synthesiser):
    record = refill(people, synthesiser, rows=100_000, max_rounds=3, seed=1).record
    assert (record.stopped, record.is_finished, len(record.rounds)) == ("cannot finish", False, 1)
    assert record.rows_to_draw > 2 * 300
    assert record.warnings[0].startswith(
        f"Only {record.n_rows:,} of the 100,000 wanted were kept, for"
    )
    assert f"About {record.rows_to_draw:,} more rows" in record.warnings[0]


def test_after_the_last_round_it_says_what_is_wanting(people, synthesiser):
    record = refill(people, synthesiser, rows=300, max_rounds=1, seed=1).record
    assert record.stopped == "last round"
    assert "1 rounds are over" in record.warnings[0]


def test_where_nothing_is_kept_it_stops_after_one_round():
    apart = pl.DataFrame({"x": [1.0, 100.0], "y": [5.0, 6.0]})
    copies = synthesise(apart, seed=1, method="sample")
    record = refill(apart, copies, rows=5, seed=1, columns=["x"]).record
    assert (record.stopped, record.n_rows, record.rows_to_draw) == ("nothing is kept", 0, None)
    assert record.warnings == (
        "Only 0 of the 5 wanted were kept: the filter refused every row of the first round. Use"
        " fewer columns.",
    )


def test_the_views_show_rounds_and_no_row(people, synthesiser):
    result = refill(people, synthesiser, rows=50, seed=987_654_321)
    assert repr(result).startswith("Refill, paper rule, on age, income and sex: 50 of 50 rows")
    assert "<caption>Rounds</caption>" in result._repr_html_()
    _, first = next(shown.filter_sentences(result.record))
    assert first.startswith("50 of 50 rows wanted were retained")
    assert str(result.seed) not in result.to_json()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"rows": 0}, "rows is 0. It must be a whole number from 1 to 100,000,000."),
        ({"max_rounds": 0}, "max_rounds is 0. It must be a whole number from 1 to 100,000."),
    ],
)
def test_counts_that_mean_nothing_are_refused(people, synthesiser, more, sentence):
    with pytest.raises(SettingsError) as caught:
        refill(people, synthesiser, **more)
    assert str(caught.value) == sentence


def test_a_frame_is_no_synthesiser(people):
    with pytest.raises(SettingsError, match=r"must be the result of unveil\.synthesise"):
        refill(people, people)


def test_distances_between_originals_are_taken_once(people, synthesiser, monkeypatch):
    asked = []
    searched = Originals.own

    def own(self, at):
        asked.append(self)
        return searched(self, at)

    monkeypatch.setattr(Originals, "own", own)
    result = refill(people, synthesiser, rows=250, seed=5, rule="strict", columns=["age", "income"])
    assert len(result._drawn) > 1
    assert len(set(map(id, asked))) == 1


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["mahalanobis", "gower"])
@pytest.mark.parametrize("rule", ["paper", "strict"])
def test_each_round_decides_as_a_filter_of_its_own_would(people, synthesiser, metric, rule):
    result = refill(people, synthesiser, rows=250, seed=5, metric=metric, rule=rule)
    assert len(result._drawn) > 1
    # The ranges of missing values, and under gower of all, are those of the first round.
    wide = pl.concat([people, result._drawn[0].frame.cast(people.schema)])
    ranges = [[wide[c].min(), wide[c].max()] for c in ("age", "income")] + [[0, 1]]
    for one in result._drawn[1:]:
        alone = distance_filter(people, one.frame, metric=metric, rule=rule, ranges=ranges)
        assert one.keep.tolist() == alone.keep.tolist()
        assert one.found.d_synthetic.tolist() == alone.d_synthetic.tolist()
        assert one.found.nearest.tolist() == alone.nearest.tolist()


def test_a_column_dropped_in_the_first_round_is_not_missed_in_the_second(people):
    again = people.with_columns(twice=2 * pl.col("age"))
    copies = synthesise(again, seed=1)
    record = refill(again, copies, rows=200, seed=5, special_codes={"twice": [-8]}).record
    assert [one.column for one in record.dropped_columns] == ["twice"]
    assert len(record.rounds) > 1
    assert record.columns == ("age", "income", "sex")
