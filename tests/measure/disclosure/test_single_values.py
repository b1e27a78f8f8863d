"""Whole numbers of people behind DiS and DiSCO: the worked example, laws, and an oracle."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from oracles import single_values as oracle
from profiles import examples

TARGETS = ("hiv", "smoking")
ORIGINAL = {"key": ["A", "A", "B", "C"], "hiv": list("nnpn"), "smoking": list("0101")}
SYNTHETIC = {"key": ["A", "A", "B", "D"], "hiv": list("nnnp"), "smoking": list("0100")}


def counted(original, synthetic, **settings):
    result = unveil.disclosure(
        pl.DataFrame(original), pl.DataFrame(synthetic), keys="key", targets=TARGETS, **settings
    )
    return result, {row.target: row for row in result.record.single_values.targets}


def test_the_worked_example():
    result, rows = counted(ORIGINAL, SYNTHETIC, sensitive={"hiv": ["p"]})
    found = {
        name: (row.n_correct, row.n_wrong, row.n_not_most_common, row.n_level, row.is_tied)
        for name, row in rows.items()
    }
    assert found == {"hiv": (2, 1, 0, 3, False), "smoking": (1, 0, 0, 2, True)}
    summary = result.summary()
    assert (summary.identity.unique, summary.identity.replicated) == (2, 1)
    assert summary.any_correct == 3
    (value,) = summary.sensitive
    assert (value.people, value.correct, value.falsely_shown) == (1, 0, 0)
    assert [row.target for row in summary.targets] == ["hiv", "smoking"]
    assert summary.targets[0].most_common is None  # fewer than ten people have it


def test_identical_files_disclose_nothing_wrongly_and_foreign_keys_nothing_at_all():
    _, same = counted(ORIGINAL, ORIGINAL)
    assert [row.n_wrong for row in same.values()] == [0, 0]
    mine, theirs = ({**ORIGINAL, "key": list("AABB"), "sex": list(sex)} for sex in ("mmff", "ffmm"))
    result = unveil.disclosure(
        pl.DataFrame(mine), pl.DataFrame(theirs), keys=("key", "sex"), targets=TARGETS
    )
    found = result.record.single_values
    assert [(row.n_correct, row.n_wrong) for row in found.targets] == [(0, 0), (0, 0)]
    assert found.any_correct[0].n_people == 0


rows = st.tuples(st.sampled_from("ABC"), st.sampled_from("np"), st.sampled_from("012"))
# One row in common, for files without a level in common are refused.
files = st.lists(rows, max_size=25).map(lambda drawn: [("A", "n", "0"), *drawn])


def frame(rows):
    names = ("key", *TARGETS)
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def told(rows, people=None):
    """Rows as the oracle reads them."""
    whose = people or [None] * len(rows)
    return [
        (who, (key,), {"hiv": hiv, "smoking": smoking})
        for who, (key, hiv, smoking) in zip(whose, rows, strict=True)
    ]


def check(original, synthetic, record, excluded=(), people=None):
    real, copy = told(original, people), told(synthetic)
    orders = {name: sorted({row[2][name] for row in real + copy}) for name in TARGETS}
    found = {row.target: row for row in record.single_values.targets}
    for name in TARGETS:
        row = found[name]
        correct, wrong, other, _, top, tied = oracle.count_target(
            real, copy, name, orders[name], excluded
        )
        assert (row.n_correct, row.n_wrong, row.n_not_most_common) == tuple(
            map(len, (correct, wrong, other))
        )
        assert (row.n_level, row.is_tied) == (top, tied)
    union = oracle.any_correct(real, copy, TARGETS, orders, excluded)
    assert record.single_values.any_correct[0].n_people == len(union)
    return found


@examples(150)
@given(files, files)
def test_every_count_is_the_oracles(original, synthetic):
    result, _ = counted(frame(original), frame(synthetic))
    found = check(original, synthetic, result.record)
    n = len(original)
    for row in result.record.attribute:
        mine = found[row.target]
        assert 100 * mine.n_correct / n == pytest.approx(row.DiSCO, abs=1e-9)
        assert 100 * (mine.n_correct + mine.n_wrong) / n == pytest.approx(row.DiS, abs=1e-9)
    most = [mine.n_correct for mine in found.values()]
    (union,) = result.record.single_values.any_correct
    assert max(most) <= union.n_people <= min(n, sum(most))


@examples(60)
@given(files, files, st.sampled_from([("hiv", "n"), ("hiv", "p"), ("smoking", "0")]))
def test_exclusions_never_raise_a_count(original, synthetic, rule):
    values = {row[1 if rule[0] == "hiv" else 2] for row in original + synthetic}
    if rule[1] not in values:
        return
    before, _ = counted(frame(original), frame(synthetic))
    after = before.whatif(f"{rule[0]}={rule[1]}")
    check(original, synthetic, after.record, excluded=(rule,))
    pairs = zip(
        before.record.single_values.targets, after.record.single_values.targets, strict=True
    )
    for one, other in pairs:
        assert (other.n_correct, other.n_wrong, other.n_not_most_common) <= (
            one.n_correct,
            one.n_wrong,
            one.n_not_most_common,
        )


@examples(60)
@given(files, files, st.data())
def test_people_with_several_rows_are_counted_once(original, synthetic, data):
    people = data.draw(
        st.lists(st.sampled_from("uvwxyz"), min_size=len(original), max_size=len(original))
    )
    real = {**frame(original), "who": people}
    result = unveil.disclosure(
        pl.DataFrame(real), pl.DataFrame(frame(synthetic)), keys="key", targets=TARGETS,
        person="who", sensitive={"hiv": ["n", "p"]},
    )  # fmt: skip
    check(original, synthetic, result.record, people=people)
    for one in result.summary().sensitive:
        wanted = oracle.sensitive_by_person(
            told(original, people), told(synthetic), "hiv", one.level
        )
        assert (one.people, one.correct, one.falsely_shown) == wanted
    assert result.record.single_values.n_people == len(set(people))
    assert result.summary().n_people == len(set(people))


@examples(60)
@given(files, files)
def test_values_sum_to_the_counts(original, synthetic):
    wanted = {"hiv": ["n", "p"], "smoking": ["0", "1", "2"]}
    result, found = counted(frame(original), frame(synthetic), sensitive=wanted)
    summary = result.summary()
    for name in TARGETS:
        rows = [one for one in summary.sensitive if one.target == name]
        assert sum(one.correct for one in rows) == found[name].n_correct
        assert sum(one.falsely_shown for one in rows) == found[name].n_wrong
        people, correct, wrong = oracle.by_value(told(original), told(synthetic), name)
        for one in rows:
            assert one.people == people[one.level]
            assert (one.correct, one.falsely_shown) == (correct[one.level], wrong[one.level])


@examples(40)
@given(files, files, st.randoms(use_true_random=False))
def test_order_and_names_change_nothing_and_a_target_more_lowers_nothing(original, synthetic, rng):
    result, _ = counted(frame(original), frame(synthetic))
    mixed = original[:]
    rng.shuffle(mixed)
    renamed = [(key, {"n": "z", "p": "a"}[hiv], smoking) for key, hiv, smoking in mixed]
    other = [(key, {"n": "z", "p": "a"}[hiv], smoking) for key, hiv, smoking in synthetic]
    again, _ = counted(frame(renamed), frame(other))
    (union,), (same,) = (
        one.record.single_values.any_correct for one in (result, again)
    )  # fmt: skip
    assert union.n_people == same.n_people
    alone = unveil.disclosure(
        pl.DataFrame(frame(original)), pl.DataFrame(frame(synthetic)), keys="key", targets="hiv"
    )
    assert alone.record.single_values.any_correct[0].n_people <= union.n_people
    assert alone.summary().any_correct is None
