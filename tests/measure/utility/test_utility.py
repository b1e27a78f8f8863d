"""Telling a copy from the original: the tree of rpart, the logistic model, chance, bad input."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import utility as oracle
from profiles import examples
from unveil.errors import InputError
from unveil.measure.utility.pair_tables import pair_tables
from unveil.measure.utility.propensity import permuted_pmse, standardise_pmse
from unveil.measure.utility.utility import utility
from unveil.models import tree as cart_cuts
from unveil.models.tree import Predictor, grow_rpart_trees, prune_tree
from unveil.view.utility import utility_sentences

KINDS = ("number", "category", "category")
people = st.lists(
    st.tuples(st.integers(0, 6), st.integers(0, 4), st.integers(0, 1)), min_size=4, max_size=70
)


def both(data: list[tuple[int, int, int]], n_original: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    frame = pl.DataFrame(data, schema=["n", "c", "d"], orient="row").with_columns(
        pl.col("c", "d").cast(pl.String)
    )
    return frame[:n_original], frame[n_original:]


def drawn(seed: int, n: int, *, shift: float = 0.0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    number = rng.normal(shift, 1, n).round(1)
    letter = np.array(list("abcdef"))[rng.integers(0, 6, n)]
    return pl.DataFrame({"number": number, "letter": letter, "flag": rng.random(n) < 0.3})


@examples(60)
@given(people, st.data())
def test_the_tree_is_rparts_to_the_last_leaf(data: list[Any], more: Any) -> None:
    n_original = more.draw(st.integers(1, len(data) - 1))
    labels = [0] * n_original + [1] * (len(data) - n_original)
    (row,) = utility(*both(data, n_original), n_permutations=0).rows
    leaves = oracle.tree(data, labels, KINDS)
    p = oracle.propensities(leaves, labels)
    assert row.n_leaves == len(leaves)
    assert row.pMSE == pytest.approx(float(oracle.pmse(p, labels)), rel=1e-12, abs=1e-15)
    assert pytest.approx(float(oracle.specks(p, labels))) == row.SPECKS
    assert pytest.approx(float(oracle.po50(p, labels))) == row.PO50
    assert float(oracle.wins(p, labels)) == row.U


@examples(60)
@given(st.randoms(use_true_random=False), st.integers(1, 60))
def test_cuts_are_kept_as_rpart_keeps_them(random: Any, percent: int) -> None:
    errors, left, nodes = random_tree(random)
    price = Fraction(percent, 100) * 10
    expected = oracle_leaves(nodes, price)
    assert prune_tree(list(errors), list(left), float(price), 0) == expected


def random_tree(random: Any) -> tuple[list[int], list[int], list[Any]]:
    """A tree in which children never have more errors than their parent together."""
    errors, left, depth = [random.randint(20, 120)], [-1], [0]
    for node in range(200):
        if node >= len(errors) or len(errors) > 60:
            break
        if errors[node] > 1 and depth[node] < 7 and random.random() < 0.85:
            left[node] = len(errors)
            below = random.randint(errors[node] // 3, errors[node])
            first = random.randint(0, below)
            errors += [first, below - first]
            left += [-1, -1]
            depth += [depth[node] + 1] * 2
    return errors, left, [(errors[i], left[i]) for i in range(len(errors))]


def oracle_leaves(nodes: list[tuple[int, int]], price: Fraction) -> list[int]:
    def made(number: int) -> Any:
        node = oracle.Node([], [])
        node.rows, node.errors = [number], nodes[number][0]
        return node

    def grow(node: Any) -> Any:
        son = nodes[node.rows[0]][1]
        return None if son < 0 else (made(son), made(son + 1))

    root = made(0)
    root.complexity = Fraction(root.errors)
    oracle.partition(root, grow, price)
    return [leaf.rows[0] for leaf in oracle.leaves_of(root)]


def predictors(seed: int, n: int) -> list[Predictor]:
    rng = np.random.default_rng(seed)
    sizes = ((40, True), (9, False), (2, True))
    return [
        Predictor(str(k), rng.integers(0, k, n).astype(np.uint8), k, is_ordered)
        for k, is_ordered in sizes
    ]


def test_trees_grown_side_by_side_are_those_grown_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    columns = predictors(1, 400)
    rng = np.random.default_rng(2)
    labels = [rng.permutation(np.arange(400) < 150) for _ in range(5)]
    together = grow_rpart_trees(columns, labels)
    monkeypatch.setattr(cart_cuts, "ROOM", 0)  # cells are sorted, not counted in an array
    for leaves, label in zip(together, labels, strict=True):
        (alone,) = grow_rpart_trees(columns, [label])
        assert alone.n.tolist() == leaves.n.tolist()
        assert alone.n_synthetic.tolist() == leaves.n_synthetic.tolist()
        assert int(leaves.n.sum()) == 400


@pytest.mark.slow
def test_threads_change_no_figure_and_seeds_do() -> None:
    original, copy = drawn(1, 300), drawn(2, 280)
    first, again = (utility(original, copy, seed=7, workers=w).record for w in (1, 3))
    assert first == again
    assert utility(original, copy, seed=8).rows[0].S_pMSE != first.rows[0].S_pMSE


def test_the_permutations_are_the_same_however_many_are_asked_for() -> None:
    columns, label = predictors(3, 300), np.arange(300) < 100
    few, many = (permuted_pmse(columns, label, n, (1, "utility", 1), 2) for n in (3, 8))
    assert many[:3] == few


def test_s_pmse_is_over_half_the_mean_of_chance_with_the_error_of_a_mean() -> None:
    ratio, error = standardise_pmse(0.03, [0.01, 0.02, 0.03])
    assert ratio == pytest.approx(3.0)
    assert error == pytest.approx(3.0 * 0.01 / math.sqrt(3) / 0.02)
    assert standardise_pmse(0.03, [0.0, 0.0]) == (None, None)
    assert standardise_pmse(0.03, [0.02]) == (pytest.approx(3.0), None)


def test_identical_files_are_not_told_apart() -> None:
    data = drawn(3, 300)
    (tree,) = utility(data, data, seed=1, n_permutations=5).rows
    assert (tree.pMSE, tree.S_pMSE, tree.SPECKS, tree.PO50, tree.n_leaves) == (0, 0, 0, 0, 1)
    (model,) = utility(data, data, model="logit").rows
    assert model.pMSE == pytest.approx(0, abs=1e-20)
    assert not model.is_separated


@examples(25)
@given(st.lists(st.sampled_from("abc"), min_size=6, max_size=40), st.data())
def test_a_logistic_model_of_one_category_is_its_table(letters: list[str], more: Any) -> None:
    # Every level on both sides, or the likelihood has no maximum.
    original = pl.DataFrame({"v": list("abc") + letters})
    copy = pl.DataFrame(
        {"v": list("abc") + more.draw(st.lists(st.sampled_from("abc"), max_size=30))}
    )
    (model,) = utility(original, copy, model="logit").rows
    (table,) = pair_tables(original, copy, ways=1).rows
    assert model.df == table.df
    assert model.pMSE == pytest.approx(table.pMSE, rel=1e-7, abs=1e-12)
    assert model.S_pMSE == pytest.approx(table.S_pMSE, rel=1e-7, abs=1e-9)
    assert pytest.approx(table.SPECKS) == model.SPECKS
    assert pytest.approx(table.U) == model.U


def test_all_interactions_of_two_categories_are_their_table() -> None:
    rng = np.random.default_rng(5)
    original, copy = (
        pl.DataFrame({k: rng.choice(list("abc"), 300).tolist() for k in "vw"}) for _ in range(2)
    )
    (model,) = utility(original, copy, model="logit", interactions=True).rows
    (table,) = pair_tables(original, copy).rows
    assert model.df == table.df == 8
    assert model.S_pMSE == pytest.approx(table.S_pMSE, rel=1e-7)


def test_a_column_that_says_nothing_new_is_no_parameter() -> None:
    original, copy = (drawn(seed, 200).select("number", "letter") for seed in (1, 2))
    twice = [
        side.with_columns(twice=2 * pl.col("number") + 1, same=pl.col("letter") + "!")
        for side in (original, copy)
    ]
    (alone,) = utility(original, copy, model="logit").rows
    (more,) = utility(*twice, model="logit").rows
    assert more.df == alone.df == 6
    assert more.pMSE == pytest.approx(alone.pMSE, rel=1e-9)


def test_perfect_separation_is_said_and_not_a_crash() -> None:
    original, copy = pl.DataFrame({"n": list(range(30))}), pl.DataFrame({"n": list(range(50, 80))})
    found = utility(original, copy, model="logit")
    (row,) = found.rows
    assert row.is_separated
    assert row.pMSE == pytest.approx(0.25, rel=1e-6)
    assert (row.SPECKS, row.PO50, row.U) == (1.0, 50.0, 900.0)
    assert any(
        "with certainty" in said for said in dict(utility_sentences(found.record, row)).values()
    )
    (tree,) = utility(original, copy, seed=1, n_permutations=3).rows
    assert (tree.pMSE, tree.n_leaves) == (0.25, 2)


def test_a_level_of_one_file_only_is_said_too() -> None:
    original = pl.DataFrame({"v": ["a", "b"] * 20})
    copy = pl.DataFrame({"v": ["a", "b"] * 15 + ["c"] * 10})
    (row,) = utility(original, copy, model="logit").rows
    (table,) = pair_tables(original, copy, ways=1).rows
    assert row.is_separated
    assert row.pMSE == pytest.approx(table.pMSE, rel=1e-5)


@pytest.mark.parametrize("model", ["cart", "logit"])
@pytest.mark.parametrize("gap", [None, -8])
def test_what_is_missing_is_an_indicator_and_not_a_zero(model: str, gap: int | None) -> None:
    original = pl.DataFrame({"n": [0] * 20})
    copy = pl.DataFrame({"n": [0] * 10 + [gap] * 10})
    (row,) = utility(original, copy, model=model, special_codes={"n": -8}, n_permutations=0).rows
    # Ten of the copy are known; the other thirty are its own by one in three.
    c = 0.5
    assert row.pMSE == pytest.approx((10 * (1 - c) ** 2 + 30 * (1 / 3 - c) ** 2) / 40, rel=1e-5)


@pytest.mark.parametrize("model", ["cart", "logit"])
def test_constant_columns_give_a_model_nothing_to_go_by(model: str) -> None:
    data = pl.DataFrame({"a": ["x"] * 20, "b": [1] * 20})
    found = utility(data, data, model=model, seed=1, n_permutations=2)
    (row,) = found.rows
    assert (row.pMSE, row.S_pMSE, row.SPECKS, row.U) == (0, None, 0, 200)
    (why,) = found.record.not_measured
    assert why.field == "S_pMSE"
    assert why.reason in str(list(dict(utility_sentences(found.record, row)).values()))


@pytest.mark.parametrize("model", ["cart", "logit"])
def test_files_of_one_row_are_compared(model: str) -> None:
    one, other = pl.DataFrame({"a": ["x"], "b": [1]}), pl.DataFrame({"a": ["y"], "b": [2]})
    (row,) = utility(one, other, model=model, seed=1, n_permutations=2).rows
    assert row.pMSE == pytest.approx(0.25 if model == "logit" else 0, rel=1e-6)


def test_several_copies_are_measured_against_one_another() -> None:
    original, *copies = (drawn(seed, 250, shift=seed / 4) for seed in range(4))
    found = utility(original, copies, seed=1, n_permutations=2)
    between = [
        utility(copies[a], copies[b], n_permutations=0).rows[0].pMSE
        for a, b in ((0, 1), (0, 2), (1, 2))
    ]
    for row in found.rows:
        assert row.S_pMSE_pairs == pytest.approx(2 * row.pMSE / (sum(between) / 3))
    assert [row.copy for row in found.rows] == [1, 2, 3]
    assert "the highest of 3 copies" in repr(found)


@pytest.mark.slow
def test_a_copy_of_the_true_model_has_an_s_pmse_near_1_by_logit() -> None:
    original = drawn(9, 500)
    copies = [original.sample(500, with_replacement=True, seed=seed) for seed in range(100)]
    found = np.array([utility(original, copy, model="logit").rows[0].S_pMSE for copy in copies])
    assert abs(found.mean() - 1) < 3 * found.std(ddof=1) / 10


ONE = pl.DataFrame({"a": ["x", "y"], "b": [1, 2]})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"model": "tree"}, "model is 'tree'. It must be one of: cart, logit."),
        ({"interactions": 9}, "interactions is 9. It must be a whole number from 1 to 5."),
        ({"interactions": "all"}, "interactions is 'all'. It must be a whole number from 1 to 5."),
        ({"n_permutations": -1}, "n_permutations is -1. It must be a whole number from 0 to"),
        ({"workers": 0}, "workers is 0. It must be a whole number from 1 to 1,000."),
        ({"seed": -1}, "The seed is -1. It must be a whole number from 0 to"),
        ({"columns": ["c"]}, "The original has no column 'c'."),
    ],
)
def test_bad_settings_are_refused_in_a_sentence(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError) as refusal:
        utility(ONE, ONE, **settings)
    assert str(refusal.value).startswith(sentence)
    assert refusal.value.exit_code == 2


def test_files_without_a_common_column_are_refused() -> None:
    with pytest.raises(InputError, match="The files have no column in common"):
        utility(ONE, pl.DataFrame({"c": [1]}))


def test_a_model_that_does_not_fit_into_memory_is_refused() -> None:
    data = pl.DataFrame({f"c{k}": [str(i) for i in range(1_000)] for k in range(3)})
    with pytest.raises(InputError, match="parameters for 2,000 records"):
        utility(data, data, model="logit", interactions=True)


def test_a_record_survives_json() -> None:
    found = utility(drawn(1, 60), drawn(2, 60), seed=1, n_permutations=2)
    assert type(found.record).from_json(found.to_json()) == found.record
