"""GTCAP against pairs written out, on random small files with ties and gaps; and laws."""

from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import gtcap as oracle
from oracles.compare import assert_agrees
from profiles import examples
from unveil.measure.cap import gtcap_scores
from unveil.measure.cap.gtcap import gtcap
from unveil.models.neighbours import radius as kernel_pairs

KINDS = {"c": pl.String, "k": pl.Int64, "x": pl.Float64, "y": pl.Float64, "t": pl.String}
KINDS["u"] = KINDS["v"] = pl.Float64
NAMES = list(KINDS)


@dataclass(frozen=True)
class Case:
    original: list
    synthetic: list
    keys: list
    targets: list
    radii: dict

    def measured(self, **settings):
        named = {NAMES[place]: radius for place, radius in self.radii.items()}
        return gtcap(
            frame(self.original),
            frame(self.synthetic),
            keys=[NAMES[place] for place in self.keys],
            target=[NAMES[place] for place in self.targets],
            radii=named,
            **settings,
        )

    def expected(self, rule, kind):
        roles = oracle.Roles(self.keys, self.targets, self.radii, kind)
        return oracle.gtcap(self.original, self.synthetic, roles, rule)


def frame(rows):
    return pl.DataFrame(rows, schema=KINDS, orient="row")


def tenths(most):
    return st.integers(-most, most).map(lambda n: n / 10)


VALUES = [
    st.sampled_from(["a", "b"]),
    st.sampled_from([1, 2]),
    tenths(40),
    tenths(8),
    st.sampled_from(["p", "q"]),
    tenths(20),
    tenths(6),
]
whole_records = st.tuples(*VALUES)
records = st.tuples(*(st.none() | values for values in VALUES))
RADII = st.sampled_from([0, 0.1, 0.3, 0.7, 1, 2.5, 100])


@st.composite
def cases(draw, max_size=8):
    # One whole record in common: files of which nothing can match are refused.
    common = draw(whole_records)
    original = [*draw(st.lists(records, max_size=max_size)), common]
    copy = [*draw(st.lists(records, max_size=max_size)), common]
    keys = draw(st.lists(st.sampled_from([0, 1, 2, 3]), min_size=1, unique=True))
    targets = draw(st.lists(st.sampled_from([4, 5, 6]), min_size=1, unique=True))
    radii = {c: draw(RADII) for c in (2, 3, 5, 6) if c in keys + targets and draw(st.booleans())}
    return Case(original, copy, keys, targets, radii)


def check(case, rule, kind):
    result, expected = case.measured(unique_rule=rule, coefficient=kind), case.expected(rule, kind)
    assert result.unique.tolist() == expected["unique"]
    found = [tuple(row.values()) for row in result.to_dict()["rows"]]
    for ours, theirs in zip(found, expected["rows"], strict=True):
        assert_agrees(dict(enumerate(ours)), dict(enumerate(theirs)))
    summary = ("n_unique", "n_dropped", "mean", "ratio_of_means")
    document = result.to_dict()
    assert_agrees({k: document[k] for k in summary}, {k: expected[k] for k in summary})


@examples(150)
@given(cases(), st.sampled_from(oracle.RULES), st.sampled_from(oracle.COEFFICIENTS))
def test_it_is_what_pairs_written_out_give(case, rule, kind):
    check(case, rule, kind)


@examples(40)
@given(cases(16), st.sampled_from(["all_keys", "joint"]), st.sampled_from(oracle.COEFFICIENTS))
def test_neither_cells_nor_pieces_of_windows_make_a_difference(case, rule, kind):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel_pairs, "LONG", 0)
        patch.setattr(kernel_pairs, "WORTHWHILE", 0)
        patch.setattr(kernel_pairs, "BLOCK", 3)
        patch.setattr(gtcap_scores, "PLACES", 2)
        check(case, rule, kind)


@examples(30)
@given(cases(), st.sampled_from(oracle.RULES), st.sampled_from(oracle.COEFFICIENTS), st.randoms())
def test_the_order_of_records_does_not_matter(case, rule, kind, random):
    shuffled = Case(
        *map(list, (case.original, case.synthetic)), case.keys, case.targets, case.radii
    )
    random.shuffle(shuffled.original)
    random.shuffle(shuffled.synthetic)
    one, other = (c.measured(unique_rule=rule, coefficient=kind) for c in (case, shuffled))
    assert one.n_unique == other.n_unique
    for field in ("mean", "ratio_of_means"):
        assert getattr(one, field) == pytest.approx(getattr(other, field))


@examples(30)
@given(cases(), st.sampled_from(oracle.RULES), st.sampled_from([0.5, 8.0]), st.integers(-9, 9))
def test_neither_the_unit_nor_the_zero_of_a_number_matters(case, rule, unit, zero):
    def moved(rows, unit, zero):
        """All numbers with a radius in quarters, which floats hold exactly, then moved."""
        return [
            tuple(
                value
                if c not in case.radii or value is None
                else round(value * 4) / 4 * unit + zero
                for c, value in enumerate(row)
            )
            for row in rows
        ]

    one, two = (
        Case(
            moved(case.original, *how),
            moved(case.synthetic, *how),
            case.keys,
            case.targets,
            {c: radius * how[0] for c, radius in case.radii.items()},
        )
        .measured(unique_rule=rule)
        .to_dict()
        for how in ((1, 0), (unit, zero))
    )
    assert one["unique"] == two["unique"]
    for ours, theirs in zip(one["rows"], two["rows"], strict=True):
        assert ours == pytest.approx(theirs)


@examples(30)
@given(cases())
def test_all_categorical_it_is_zero_coded_cap_on_key_uniques(case):
    plain = Case(case.original, case.synthetic, case.keys, case.targets, {})
    expected = oracle.cap_of_key_uniques(case.original, case.synthetic, case.keys, case.targets)
    for rule in ("all_keys", "key", "equal"):
        result = plain.measured(unique_rule=rule)
        assert {row.row: row.synthetic for row in result.rows} == pytest.approx(expected)
        assert all(row.original == 1 for row in result.rows)


@examples(20)
@given(cases(), st.sampled_from(oracle.RULES))
def test_with_one_numeric_column_a_side_the_coefficients_agree(case, rule):
    radii = {c: 1.0 for c in (2, 5) if c in case.keys + case.targets}
    one = Case(case.original, case.synthetic, case.keys, case.targets, radii)
    mean, product, minimum = (
        one.measured(unique_rule=rule, coefficient=kind).to_dict() for kind in oracle.COEFFICIENTS
    )
    for other in (product, minimum):
        assert mean["unique"] == other["unique"]
        for ours, theirs in zip(mean["rows"], other["rows"], strict=True):
            assert ours == pytest.approx(theirs)


@examples(20)
@given(cases(), st.sampled_from(oracle.RULES))
def test_a_radius_of_zero_on_the_only_number_is_a_category(case, rule):
    keys = [c for c in case.keys if c != 3] or [2]
    targets = [4]
    numeric, plain = (
        Case(case.original, case.synthetic, keys, targets, radii).measured(unique_rule=rule)
        for radii in ({2: 0} if 2 in keys else {}, {})
    )
    assert numeric.to_dict()["rows"] == plain.to_dict()["rows"]
    assert numeric.unique.tolist() == plain.unique.tolist()


@examples(20)
@given(cases(), st.sampled_from(oracle.RULES), st.sampled_from(oracle.COEFFICIENTS))
def test_scores_are_shares_and_a_copy_of_the_original_scores_one(case, rule, kind):
    same = Case(case.original, case.original, case.keys, case.targets, case.radii)
    result = same.measured(unique_rule=rule, coefficient=kind)
    for row in result.rows:
        assert 0 <= row.baseline <= 1
        assert 0 < row.original <= 1
        assert row.synthetic == row.original
        assert row.normalised in (None, 1)


@pytest.mark.parametrize("kind", oracle.COEFFICIENTS)
@pytest.mark.parametrize("long", [1, 10**9])
def test_hundreds_of_records_against_the_dense_kernel(kind, long, monkeypatch):
    monkeypatch.setattr(kernel_pairs, "LONG", long)
    rng = np.random.default_rng(7)
    names = ["c", "x", "y", "t", "u"]
    sides = [
        {
            "c": rng.choice(["a", "b"], n),
            "x": np.round(rng.normal(0, 3, n), 2),
            "y": rng.uniform(0, 10, n),
            "t": rng.choice(["p", "q"], n),
            "u": rng.normal(50, 9, n),
        }
        for n in (400, 300)
    ]
    radii = {"x": 0.315, "y": 0.5, "u": 4.0}
    frames = [pl.DataFrame(side) for side in sides]
    result = gtcap(
        *frames,
        keys=names[:3],
        target=names[3:],
        radii=radii,
        coefficient=kind,
        unique_rule="equal",
    )
    kc, tc = (dense(sides, *columns, radii, kind) for columns in (("c", ["x", "y"]), ("t", ["u"])))
    all_kc = kc.sum(axis=1)
    expected = np.divide((kc * tc).sum(axis=1), all_kc, out=np.zeros(400), where=all_kc > 0)
    assert result.n_unique == 400
    assert result.frame()["synthetic"].to_numpy() == pytest.approx(expected, rel=1e-12, abs=1e-15)
    assert result.record.n_unmatched == np.count_nonzero(all_kc == 0)


def dense(sides, category, numbers, radii, kind):
    """The coefficients of all pairs."""
    original, synthetic = sides
    near = [
        np.maximum(0, 1 - np.abs(original[x][:, None] - synthetic[x][None, :]) / radii[x])
        for x in numbers
    ]
    together = {"mean": np.mean, "product": np.prod, "minimum": np.min}[kind]
    return together(near, axis=0) * (original[category][:, None] == synthetic[category][None, :])
