"""The distance filter beside its definition, pair by pair, and on releases that disclose."""

from random import Random
from statistics import covariance

import polars as pl
import pytest

import unveil
from oracles import distance_filter as oracle


def numbers(seed, n, missing=0.0):
    chance = Random(seed)
    rows = []
    for _ in range(n):
        age = chance.gauss(40, 10)
        rows.append((round(age, 1), round(age * 30 + chance.gauss(0, 200)), chance.randint(0, 1)))
    rows = [tuple(None if chance.random() < missing else x for x in row) for row in rows]
    return pl.DataFrame(rows, schema=["age", "income", "works"], orient="row")


def inverse(matrix):
    unit = [[float(i == j) for j in range(len(matrix))] for i in range(len(matrix))]
    columns = [oracle.solve(matrix, e) for e in unit]
    return [list(row) for row in zip(*columns, strict=True)]


def expected(original, synthetic, rule, ranges=None):
    """By the oracle, on numbers."""
    rows, others = original.rows(), synthetic.rows()
    complete = [row for row in rows if None not in row]
    values = list(zip(*complete, strict=True))
    P = inverse([[covariance(a, b) for b in values] for a in values])
    return oracle.filtered(
        rows, others, lambda a, b: oracle.shortest(a, b, P, ranges or [(0, 0)] * len(values)),
        lambda a, b: oracle.longest(a, b, P, ranges or [(0, 0)] * len(values)),
        rule=rule, ties="any",
    )  # fmt: skip


@pytest.mark.parametrize("rule", ["paper", "strict"])
@pytest.mark.parametrize("seed", range(3))
def test_records_are_kept_or_refused_as_the_definition_says(seed, rule):
    original, synthetic = numbers(seed, 40), numbers(seed + 50, 60)
    result = unveil.distance_filter(unveil.Study(original, synthetic), rule=rule)
    records = result.records().rows(named=True)
    for row, (keep, nearest, d_synthetic, d_original) in zip(
        records, expected(original, synthetic, rule), strict=True
    ):
        assert (row["keep"], row["nearest"]) == (keep, nearest)
        assert row["d_synthetic"] == pytest.approx(d_synthetic, rel=1e-9)
        assert row["d_original"] == pytest.approx(d_original, rel=1e-9)
    kept = synthetic.filter(pl.Series([row["keep"] for row in records]))
    assert result.study.synthetic["", 1].equals(kept)
    (of,) = result.rounds
    assert (of.drawn, of.kept, of.refused) == (60, len(kept), 60 - len(kept))


def test_missing_numbers_are_where_a_record_is_closest_in_the_worst_case():
    original, synthetic = numbers(7, 25, missing=0.1), numbers(8, 30, missing=0.1)
    both = pl.concat([original, synthetic])
    ranges = [(both[name].min(), both[name].max()) for name in both.columns]
    result = unveil.distance_filter(unveil.Study(original, synthetic), missing="worst")
    kept = [keep for keep, *_ in expected(original, synthetic, "paper", ranges)]
    assert result.records()["keep"].to_list() == kept


def one(original, synthetic, **asked):
    study = unveil.Study(pl.DataFrame({"x": original}), pl.DataFrame({"x": synthetic}))
    return unveil.distance_filter(study, **asked)


def test_by_hand():
    """Originals at 0, 2 and 2.5. 1 ties 0 and 2: 0 is 2 from anybody else, so it is refused.

    At -2.5 a record is farther from 0 than 2 is; at 0.5, 2.25 and 2 it is nearer than others are.
    """
    result = one([0.0, 2.0, 2.5], [0.5, 1.0, 2.25, -2.5, 2.0])
    assert result.records()["keep"].to_list() == [False, False, False, True, False]
    assert result.sentences[0] == (
        "4 of 5 synthetic records (80.0 %) are refused: they are nearer to the nearest person than"
        " that person is to anybody else."
    )


def test_the_strict_rule_asks_every_person():
    """3.1 is 0.1 from 3 and 3.2, which are 0.1 and 0.2 from others: 6 is 2.8 from anybody."""
    originals = [0.0, 2.9, 3.0, 3.2, 6.0]
    kept = [one(originals, [3.1, 4.5], rule=rule).records()["keep"].to_list()
            for rule in ("paper", "strict")]  # fmt: skip
    paper, strict = kept
    assert paper == [not (0.1 < 0.1 - 1e-6 or 0.1 < 0.2), True]
    assert strict == [False, False]
    (row,) = one(originals, [3.1, 4.5]).rounds
    assert row.refused_by_strict == 1


def test_of_a_shuffled_copy_nobody_stays_but_who_has_a_twin():
    original = numbers(1, 50)
    original = pl.concat([original, original.head(5)])
    copy = original.sample(fraction=1, shuffle=True, seed=3)
    result = unveil.distance_filter(unveil.Study(original, copy))
    assert result.rounds[0].kept == 10
    assert sorted(result.study.synthetic["", 1].rows()) == sorted(original.head(5).rows() * 2)


def test_when_nobody_stays_the_file_leaves_the_study_and_a_note_says_so():
    original = numbers(1, 50)
    versions = {"copy": original, "apart": original.with_columns(pl.col("age") + 500)}
    result = unveil.distance_filter(unveil.Study(original, versions))
    assert {version for version, _ in result.study.synthetic} == {"apart"}
    assert any("No record of synthetic file 1 of copy is kept" in n.sentence for n in result.notes)


def test_a_record_of_their_own_is_nobody_else():
    """Each person has two records alike: without the person column all of a copy would stay."""
    original = numbers(2, 30)
    twice = pl.concat([original, original]).with_columns(who=pl.Series([*range(30)] * 2))
    synthetic = twice.drop("who")
    alone = unveil.distance_filter(unveil.Study(twice.drop("who"), synthetic))
    people = unveil.distance_filter(unveil.Study(twice, synthetic, columns={"who": "person"}))
    assert (alone.rounds[0].kept, people.rounds[0].kept) == (60, 0)


def test_columns_that_others_explain_are_left_out_and_named():
    original = numbers(3, 40).with_columns(pl.col("age").alias("also"), constant=pl.lit(1))
    synthetic = numbers(4, 40).with_columns(pl.col("age").alias("also"), constant=pl.lit(1))
    result = unveil.distance_filter(unveil.Study(original, synthetic))
    left_out = {row.column for row in result.columns if not row.used}
    assert left_out in ({"also", "constant"}, {"age", "constant"})
    plain = unveil.distance_filter(unveil.Study(numbers(3, 40), numbers(4, 40)))
    assert result.records()["keep"].to_list() == plain.records()["keep"].to_list()


def test_categories_are_equal_or_not_and_jaccard_counts_what_two_have_in_common():
    chance = Random(5)
    rows = [[[chance.randint(0, 1) for _ in range(5)] for _ in range(30)] for _ in range(2)]
    frames = [pl.DataFrame(r, schema=list("abcde"), orient="row") for r in rows]
    records = unveil.distance_filter(unveil.Study(*frames), metric="jaccard").records()
    by_hand = oracle.filtered(
        *rows, lambda a, b: oracle.jaccard(a, b, min), lambda a, b: oracle.jaccard(a, b, max),
        rule="paper", ties="any",
    )  # fmt: skip
    assert records["keep"].to_list() == [keep for keep, *_ in by_hand]
    with pytest.raises(unveil.InputError, match="0 and 1"):
        unveil.distance_filter(unveil.Study(numbers(1, 9), numbers(2, 9)), metric="jaccard")


def test_shifts_are_shares_before_and_after():
    original, synthetic = numbers(1, 40), numbers(2, 60)
    result = unveil.distance_filter(unveil.Study(original, synthetic))
    after = result.study.synthetic["", 1]
    for row in result.shifts:
        if row.column == "works":
            is_level = pl.col("works") == int(row.level)
            for frame, share in ((synthetic, row.before), (after, row.after)):
                assert share == pytest.approx(100 * frame.select(is_level.mean()).item())
