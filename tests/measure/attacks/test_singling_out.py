"""Singling out by hand, against the definition, under its laws, and where it is refused."""

from itertools import combinations
from math import comb, sqrt

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import singling_out as oracle
from profiles import examples
from unveil.errors import AlignError, InputError, RolesError, SettingsError
from unveil.measure.attacks import rates, singling_out_search
from unveil.measure.attacks.predicates import comparison_predicates
from unveil.measure.attacks.prepare import prepare_attack
from unveil.measure.attacks.rates import bootstrap
from unveil.measure.attacks.singling_out import singling_out
from unveil.measure.attacks.singling_out_search import (
    PredicateSides,
    expected_singles,
    naive_success,
)

SCHEMA = {"a": pl.Int64, "b": pl.Float64, "c": pl.String, "d": pl.String}
ORDERED = (True, True, False, False)
ALL = 1_000_000


def frame(records):
    return pl.DataFrame(records, SCHEMA, orient="row")


def sides(original, copy, control=None):
    return PredicateSides.of(
        prepare_attack(
            frame(original),
            frame(copy),
            None if control is None else frame(control),
            columns=list(SCHEMA),
            special_codes=None,
            missing_values=(),
            progress=lambda *_: None,
        )
    )


def names(*people):
    return pl.DataFrame({"name": list(people)})


def test_one_column_by_hand():
    # In the copy 1 and 9 occur once: = 1, <= 1, = 9, >= 9. 5 occurs twice.
    copy = pl.DataFrame({"x": [1, 5, 5, 9], "y": ["p", "p", "q", "q"]})
    original = pl.DataFrame({"x": [1, 2, 9, 9], "y": ["p", "p", "q", "p"]})
    control = pl.DataFrame({"x": [0, 1, 9, 9], "y": ["p", "p", "q", "p"]})
    (row,) = singling_out(original, copy, control=control, mode="univariate", seed=1).rows
    assert (row.n_found, row.n_requested, row.n_control) == (4, None, 4)
    assert row.main_successes == 2  # = 1 and <= 1; 9 is there twice
    assert row.control_successes == 1  # = 1; two are <= 1
    assert row.method == "every predicate"


def test_o_brien_singles_himself_out():
    people = names("O'Brien", 'the "second"', "Smith", "Smith")
    copy = people.with_columns(n=pl.Series([1, 1, 1, 2]))
    (row,) = singling_out(copy, copy, mode="univariate", columns=["name"], seed=1).rows
    # Distinct names: three of them, each alone.
    assert (row.n_found, row.main_successes) == (3, 3)


def test_negative_numbers_are_as_good_as_any():
    copy = pl.DataFrame({"x": [-5, -1, -1, 3], "y": [1, 1, 2, 1]})
    original = pl.DataFrame({"x": [-9, -5, -5, 3], "y": [1, 1, 2, 1]})
    (row,) = singling_out(original, copy, mode="univariate", columns=["x"], seed=1).rows
    # -5: equal and lowest; 3: equal and highest; -1, once among the distinct values of x.
    assert row.n_found == 5
    # The distinct originals are -9, -5, 3: = -5, = 3 and >= 3; two are <= -5 and none is -1.
    assert row.main_successes == 3


def test_a_copy_of_itself_is_singled_out_throughout():
    rng = np.random.default_rng(1)
    data = pl.DataFrame({name: rng.normal(size=60) for name in "abc"})
    other = pl.DataFrame({name: rng.normal(size=60) for name in "abc"})
    rows = singling_out(data, data, control=other, n=100, seed=2).rows
    assert [row.attack for row in rows] == ["singling_out_univariate", "singling_out_multivariate"]
    for row in rows:
        assert row.main_successes == row.n_found
        assert row.R > 0.5
        assert row.interval[0] > 0.5


def test_special_codes_are_neither_large_nor_small():
    copy = pl.DataFrame({"x": [-9, 4, 5, 5], "y": [1, 1, 1, 2]})
    told = singling_out(
        copy, copy, mode="univariate", columns=["x"], special_codes={"x": [-9]}, seed=1
    )
    # = -9, = 4, <= 4, = 5, >= 5: the distinct values are three.
    assert told.rows[0].n_found == 5
    untold = singling_out(copy, copy, mode="univariate", columns=["x"], seed=1)
    assert untold.rows[0].n_found == 5  # = -9, <= -9, = 4, = 5, >= 5
    original = pl.DataFrame({"x": [-9, -9, 4, 5, 6], "y": [1, 2, 1, 1, 1]})
    kept = singling_out(original, copy, mode="univariate", special_codes={"x": [-9]}, seed=1)
    lost = singling_out(original, copy, mode="univariate", seed=1)
    # With y there are twice 5 and -9. <= 4 singles out where -9 is no number.
    assert kept.rows[0].main_successes == lost.rows[0].main_successes + 1


def test_codes_have_no_order():
    copy = pl.DataFrame({"x": [1, 5, 9]})
    asked = {"mode": "univariate", "seed": 1}
    assert singling_out(copy, copy, **asked).rows[0].n_found == 5
    assert singling_out(copy, copy, categorical="x", **asked).rows[0].n_found == 3


def test_dates_are_in_order_and_truth_values_are_not():
    days = pl.Series([1, 5, 9], dtype=pl.Int32).cast(pl.Date)
    copy = pl.DataFrame({"day": days, "is": [True, False, False]})
    (row,) = singling_out(copy, copy, mode="univariate", seed=1).rows
    assert row.n_found == 3 + 2 + 1  # each day, the first and the last, and the one True


NUMBERS = st.one_of(st.none(), st.integers(-2, 2))
DECIMALS = st.one_of(st.none(), st.sampled_from([-0.5, 0.0, 0.25, 1.5]))
TEXTS = st.one_of(st.none(), st.sampled_from(["p", "q", "O'Brien"]))
RECORD = st.tuples(NUMBERS, DECIMALS, TEXTS, TEXTS)
RECORDS = st.lists(RECORD, min_size=2, max_size=6, unique=True)
REPEATED = st.lists(RECORD, min_size=2, max_size=3, unique=True).flatmap(
    lambda some: st.lists(st.sampled_from(some), max_size=5).map(lambda more: [*some, *more])
)


@pytest.mark.slow
@examples(80)
@given(REPEATED, RECORDS, REPEATED)
def test_predicates_of_one_column_are_as_defined(original, copy, control):
    result = singling_out(
        frame(original), frame(copy), control=frame(control), mode="univariate", seed=1
    )
    (row,) = result.rows
    wanted = oracle.univariate(copy, ORDERED)
    m = min(len(original), len(control))
    assert row.n_found == len(wanted)
    assert row.main_successes == pytest.approx(float(oracle.successes(wanted, original, m)))
    assert row.control_successes == pytest.approx(float(oracle.successes(wanted, control, m)))
    chance = naive_success(sides(original, copy, control))
    assert chance == pytest.approx(float(oracle.naive(copy, original, ORDERED, m)))
    assert row.naive_successes == pytest.approx(len(wanted) * chance)


@pytest.mark.slow
@examples(80)
@given(REPEATED, RECORDS, REPEATED, st.integers(1, 4), st.booleans())
def test_predicates_of_several_columns_are_as_defined(original, copy, control, n_cols, listed):
    with pytest.MonkeyPatch.context() as patch:
        if not listed:  # drawn at random, and so often that none is missed
            patch.setattr(singling_out_search, "MOST_LISTED", 0)
        result = singling_out(
            frame(original),
            frame(copy),
            control=frame(control),
            mode="multivariate",
            n_cols=n_cols,
            n=ALL,
            attempts=2_000,
            columns=list(SCHEMA),
            seed=3,
        )
    (row,) = result.rows
    wanted = oracle.multivariate(copy, ORDERED, n_cols)
    m = min(len(original), len(control))
    assert row.n_found == len(wanted)
    assert row.main_successes == pytest.approx(float(oracle.successes(wanted, original, m)))
    assert row.control_successes == pytest.approx(float(oracle.successes(wanted, control, m)))
    if not wanted:
        assert (row.main, row.R, row.interval) == (None, None, None)


# With several rows for a person: who they are, at least two people on each side.
OF_PEOPLE = st.lists(st.tuples(RECORD, st.integers(0, 3)), min_size=2, max_size=7).filter(
    lambda rows: len({who for _, who in rows}) > 1
)


def with_people(rows):
    return frame([record for record, _ in rows]).with_columns(
        who=pl.Series([f"P{who}" for _, who in rows])
    )


@pytest.mark.slow
@examples(80)
@given(OF_PEOPLE, RECORDS, OF_PEOPLE, st.integers(1, 4))
def test_people_are_singled_out_as_defined(original, copy, control, n_cols):
    result = singling_out(
        with_people(original),
        frame(copy),
        control=with_people(control),
        person="who",
        n_cols=n_cols,
        n=ALL,
        attempts=2_000,
        columns=list(SCHEMA),
        seed=3,
    )
    rows, whose, its, others = (
        [row[place] for row in side] for side in (original, control) for place in (0, 1)
    )
    m = min(len(set(whose)), len(set(others)))
    wanted = (oracle.univariate(copy, ORDERED), oracle.multivariate(copy, ORDERED, n_cols))
    for row, predicates in zip(result.rows, wanted, strict=True):
        assert row.n_found == len(predicates)
        main = oracle.successes_by_person(predicates, rows, whose, m)
        assert row.main_successes == pytest.approx(float(main))
        of_control = oracle.successes_by_person(predicates, its, others, m)
        assert row.control_successes == pytest.approx(float(of_control))
    chance = float(oracle.naive(copy, rows, ORDERED, m, whose))
    assert result.rows[0].naive_successes == pytest.approx(len(wanted[0]) * chance)


def test_three_rows_of_one_person_single_them_out_and_equal_rows_of_two_people_do_not():
    original = pl.DataFrame(
        {"who": ["a", "a", "a", "b", "c"], "x": [9, 9, 9, 1, 1], "y": ["p", "q", "q", "r", "r"]}
    )
    copy = pl.DataFrame({"x": [1, 9], "y": ["r", "s"]})
    asked = {"mode": "univariate", "columns": ["x"], "seed": 1}
    rows = singling_out(original.drop("who"), copy, **asked)
    people = singling_out(original, copy, person="who", **asked)
    # = 1, <= 1, = 9, >= 9: 1 is one value of two people, 9 that of one person in three rows.
    assert (rows.rows[0].main_successes, people.rows[0].main_successes) == (4, 2)
    assert people.record.person.n_people == 3
    (note,) = (one for one in people.record.coercions if one.kind == "person")
    assert note.sentence.endswith("where all rows that satisfy it are theirs.")


def test_one_person_is_too_few():
    alone = pl.DataFrame({"who": ["a", "a"], "x": [1, 2]})
    with pytest.raises(AlignError, match="The original has 1 person, which every predicate"):
        singling_out(alone, alone.drop("who"), person="who", mode="univariate", seed=1)


OPERATORS = list(oracle.OPERATORS)


@examples(60)
@given(RECORDS, RECORDS, st.data())
def test_every_operator_counts_as_defined(original, copy, data):
    attacked = sides(original, copy)
    predicates, wanted = [], []
    for _ in range(5):
        columns = data.draw(st.sampled_from(list(combinations(range(4), 2))))
        row = data.draw(st.sampled_from(copy))
        code, operators = [], []
        for column in columns:
            is_ordered = ORDERED[column] and row[column] is not None
            operators.append(data.draw(st.integers(0, 5 if is_ordered else 1)))
            code.append(int(attacked.book.codes[column, copy.index(row)]))
        n_ordered = [attacked.book.attributes[column].n_ordered for column in columns]
        predicates.append((columns, code, operators, n_ordered))
        wanted.append(
            tuple((c, OPERATORS[o], row[c]) for c, o in zip(columns, operators, strict=True))
        )
    made = comparison_predicates(*(np.array(field) for field in zip(*predicates, strict=True)))
    found = attacked.original.n_satisfying(made).tolist()
    assert found == [oracle.n_satisfying(each, original) for each in wanted]


@given(st.integers(2, 12), st.data())
def test_the_expectation_at_a_smaller_size_is_that_over_all_samples(n, data):
    m = data.draw(st.integers(1, n))
    c = np.arange(n + 1)
    found = expected_singles([(1, c)], n, m)
    wanted = [
        sum(sum(place < k for place in some) == 1 for some in combinations(range(n), m))
        / comb(n, m)
        for k in c
    ]
    assert found.tolist() == pytest.approx(wanted, rel=1e-12, abs=1e-15)


def test_the_expectation_holds_for_large_files():
    n, m = 500_000, 125_000
    c = np.array([0, 1, 2, 50, 400_000])
    found = expected_singles([(1, c)], n, m)
    assert found[:3].tolist() == pytest.approx([0, 0.25, 2 * 0.25 * 375_000 / 499_999])
    assert found[3] == pytest.approx(50 * 0.25 * 0.75**49, rel=1e-3)
    assert found[4] == 0


def test_sizes_that_differ_are_said():
    rng = np.random.default_rng(4)
    data = [pl.DataFrame({"x": rng.normal(size=n)}) for n in (40, 40, 20)]
    (row,) = singling_out(*data[:2], control=data[2], mode="univariate", seed=1).rows
    assert row.method == "every predicate, expected at 20 records each"


def test_the_same_seed_gives_the_same_record():
    rng = np.random.default_rng(5)
    data = [pl.DataFrame({name: rng.normal(size=80) for name in "abcd"}) for _ in range(3)]
    first, again, other = (
        singling_out(data[0], data[1], control=data[2], n=40, seed=seed) for seed in (7, 7, 8)
    )
    assert first.to_json() == again.to_json()
    assert first.rows[1] != other.rows[1]
    drawn = singling_out(*data[:2], n=40)
    assert singling_out(*data[:2], n=40, seed=drawn.record.seed).record == drawn.record


def test_sampling_takes_as_many_as_wanted():
    rng = np.random.default_rng(6)
    data = [pl.DataFrame({"x": rng.normal(size=80)}) for _ in range(2)]
    (row,) = singling_out(*data, mode="univariate", exhaustive=False, n=30, seed=1).rows
    assert (row.n_requested, row.n_found) == (30, 30)
    (row,) = singling_out(*data, mode="univariate", exhaustive=False, n=100, seed=1).rows
    assert (row.n_requested, row.n_found) == (100, 82)
    assert row.warnings[0] == (
        "82 of 100 predicates wanted were found, every one there is; rates are over those found."
    )


def test_no_predicate_is_not_measured():
    data = pl.DataFrame({"x": ["p", "p", "q", "q"], "y": ["r", "s", "r", "s"]})
    rows = singling_out(data, data, control=data, n_cols=1, seed=1).rows
    for row in rows:
        assert (row.n_found, row.main, row.R) == (0, None, None)
        assert row.warnings[0] == (
            "No predicate that singles out in the synthetic data was found: not measured."
        )


def independent(seed, n, n_control):
    rng = np.random.default_rng(seed)

    def people(size):
        return pl.DataFrame(
            {
                "a": rng.normal(size=size).round(2),
                "b": rng.exponential(size=size).round(2),
                "c": rng.integers(0, 20, size),
                "d": rng.integers(0, 6, size).astype(str),
                "e": rng.integers(0, 9, size).astype(str),
            }
        )

    return people(n), people(n), people(n_control)


def attacked_independently(mode, *, n_control=300, n=120, reps=200):
    rows = []
    for seed in range(reps):
        original, copy, control = independent(seed, 300, n_control)
        given = {"mode": mode, "n": n, "exhaustive": False, "seed": seed}
        rows.append(singling_out(original, copy, control=control, **given).rows[0])
    return rows


@pytest.fixture(scope="module")
def multivariate_rows():
    return attacked_independently("multivariate")


@pytest.mark.slow
def test_the_interval_holds_zero_where_data_are_independent(multivariate_rows):
    for rows in (multivariate_rows, attacked_independently("univariate")):
        covered = sum(row.interval[0] <= 0 <= row.interval[1] for row in rows)
        assert 181 <= covered <= 198


@pytest.mark.slow
@pytest.mark.parametrize("n_control", [150, 75])
def test_a_smaller_control_moves_no_mean(multivariate_rows, n_control):
    smaller = attacked_independently("multivariate", n_control=n_control, reps=60)
    whole, part = (np.array([row.R for row in rows]) for rows in (multivariate_rows, smaller))
    error = sqrt(whole.var(ddof=1) / len(whole) + part.var(ddof=1) / len(part))
    assert abs(whole.mean() - part.mean()) < 2 * error


def test_more_predicates_than_records_are_warned_of():
    original, copy, control = independent(1, 300, 60)
    (row,) = singling_out(original, copy, control=control, mode="multivariate", n=120, seed=1).rows
    assert row.warnings[0] == (
        "120 predicates were tried on 60 distinct records, so that several single out the same one;"
        " the intervals may be too narrow."
    )
    (row,) = singling_out(original[:50], copy, mode="multivariate", n=120, seed=1).rows
    assert row.warnings[0].startswith("120 predicates were tried on 50 distinct records")


def repeating(seed, n):
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, 31) ** 1.3
    chosen = rng.choice(30, (3, n), p=weights / weights.sum())
    return pl.DataFrame({name: chosen[at].astype(str) for at, name in enumerate("abc")})


@pytest.mark.slow
def test_a_smaller_control_moves_no_mean_where_records_repeat():
    risks = []
    for seed in range(60):
        original, copy, control = (repeating((seed, n), n) for n in (1001, 1000, 250))
        given = {"mode": "multivariate", "n_cols": 2, "n": 100, "seed": seed}
        risks.append(singling_out(original, copy, control=control, **given).rows[0].R)
    # By distinct records the mean was 0.04, nine of its standard errors above 0.
    assert abs(np.mean(risks)) < 3 * np.std(risks, ddof=1) / sqrt(len(risks))


@pytest.mark.slow
def test_predicates_of_one_record_of_the_copy_are_drawn_together(monkeypatch):
    seen = []

    def spied(outcomes, **asked):
        seen.append(outcomes)
        return bootstrap(outcomes, **asked)

    monkeypatch.setattr(rates, "bootstrap", spied)
    original, copy, control = independent(1, 300, 300)
    given = {"control": control, "mode": "multivariate", "n": 300, "seed": 1}
    (row,) = singling_out(original, copy, **given).rows
    (outcomes,) = seen
    assert outcomes.paired
    assert len(outcomes.clusters) == row.n_found == 300
    assert len(set(outcomes.clusters.tolist())) < 250


def test_what_a_predicate_expects_depends_on_who_repeats():
    # Two rows of three satisfy. The same record twice: singled out in a sample of 2 whenever it is
    # met, which is always. Two records: in the samples with the third row, two of three.
    assert expected_singles([(1, np.array([0])), (2, np.array([1]))], 3, 2).tolist() == [1]
    assert expected_singles([(1, np.array([2]))], 3, 2) == pytest.approx([2 / 3])


DATA = pl.DataFrame({"x": [1, 2, 3], "y": ["p", "q", "q"]})
BAD = {
    "mode": (
        {"mode": "univariat"},
        SettingsError,
        "mode is 'univariat'. Did you mean 'univariate'? It must be one of: univariate,"
        " multivariate, both.",
    ),
    "n_cols": (
        {"n_cols": 3},
        RolesError,
        "Predicates of 3 columns are asked for, but 2 columns are compared. Lower n_cols, or"
        " compare more columns.",
    ),
    "no whole number": (
        {"n": 2.5},
        SettingsError,
        "n is 2.5. It must be a whole number from 1 on.",
    ),
    "exhaustive": (
        {"exhaustive": "yes"},
        SettingsError,
        "exhaustive is 'yes'. It must be true or false.",
    ),
    "a control of one record": (
        {"control": DATA[:1], "n_cols": 2},
        AlignError,
        "The control sample has 1 distinct record in the compared columns, which every predicate"
        " that it satisfies singles out. Give a file of at least 2.",
    ),
    "a column that is not there": (
        {"columns": ["x", "z"], "n_cols": 2},
        RolesError,
        "The original has no column 'z'. Its columns are: x, y.\nThe same is true of every other"
        " file.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_told_in_a_sentence(case):
    given, kind, sentence = BAD[case]
    with pytest.raises(InputError) as fault:
        singling_out(DATA, DATA, seed=1, **given)
    assert type(fault.value) is kind
    assert str(fault.value) == sentence
    assert fault.value.exit_code == 2


def test_no_record_of_the_data_is_shown():
    copy = names("a secret name", "another", "a third")
    result = singling_out(copy, copy, mode="univariate", seed=1)
    assert "secret" not in result.to_json() + repr(result) + result._repr_html_()
    assert result.record.rows[0].attack == "singling_out_univariate"


def test_equal_records_count_once():
    twice = [(1, 1.0, "p", "q"), (1, 1.0, "p", "q"), (2, 1.0, "p", "q")]
    assert sides(twice, twice).original.n_records == 2
