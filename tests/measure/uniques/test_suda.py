"""Special uniques on files small enough to do by hand, and against the definition."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from oracles import suda as oracle
from profiles import examples
from unveil.count.codes import encode
from unveil.measure.uniques.suda import special_uniques, suda
from unveil.view.uniques import suda_sentences

# The worked example of the page: x p, a q, a y and y p, b x are the smallest that single one out.
PEOPLE = ["axp", "axq", "ayp", "bxq", "byq", "byq"]
KEYS = ["k1", "k2", "t"]


def frame(rows) -> pl.DataFrame:
    names = [f"k{place}" for place in range(len(rows[0]))]
    return pl.DataFrame([list(row) for row in rows], names, orient="row")


def people(*rows) -> pl.DataFrame:
    return pl.DataFrame([list(row) for row in rows], KEYS, orient="row")


def found(result) -> list[list[tuple[int, ...]]]:
    """The minimal uniques of every record, as the oracle has them."""
    place = {name: at for at, name in enumerate(result.record.keys)}
    own: list[list[tuple[int, ...]]] = [[] for _ in range(result.record.n_records)]
    for row, _, keys in result.msus().rows():
        own[row].append(tuple(place[key] for key in keys))
    return own


def test_the_worked_example_by_hand():
    result = suda(people(*PEOPLE), keys=KEYS)
    assert result.msus().rows() == [
        (0, 2, ["k2", "t"]),
        (1, 2, ["k1", "t"]),
        (2, 2, ["k1", "k2"]),
        (2, 2, ["k2", "t"]),
        (3, 2, ["k1", "k2"]),
    ]
    assert result.suda.tolist() == [1.0, 1.0, 2.0, 1.0, 0.0, 0.0]
    # U = 4, P = 2: 0.04 / (0.04 + 1.98). Q = 1.25 and A = 3 + 2 ** -1.25.
    assert result.dis_file == pytest.approx(0.04 / 2.02)
    A = 3 + 2**-1.25
    one, two = 1 / (1 + 1.98 / (0.01 * A)), 1 / (1 + 1.98 / (0.01 * 2**1.25 * A))
    assert result.dis.tolist() == pytest.approx([one, one, two, one, 0, 0])
    assert (round(one, 4), round(two, 4)) == (0.0170, 0.0395)
    # Interpolated, the 90th percentile of 1, 1, 1, 2 is 1.7.
    assert result.record.special_threshold == pytest.approx(1.7)
    assert result.special().tolist() == [False, False, True, False, False, False]
    # k1 is in three of five sets of weight 1 each, k2 in four, t in three.
    assert [row.percent for row in result.contributions] == pytest.approx([60.0, 80.0, 60.0])
    assert [row.n_msu for row in result.contributions] == [3, 4, 3]


def test_what_each_record_and_each_value_has_by_hand():
    result = suda(people(*PEOPLE), keys=KEYS)
    assert result.records[2] == {
        "row": 2,
        "suda": 2.0,
        "dis": pytest.approx(0.0395, abs=1e-4),
        "n_msu": 2,
        "special": True,
    }
    assert [record["row"] for record in result.records] == [0, 1, 2, 3, 4, 5]
    assert result.record_contributions().rows() == [
        (0, 0.0, 1.0, 1.0),
        (1, 1.0, 0.0, 1.0),
        (2, 0.5, 1.0, 0.5),
        (3, 1.0, 1.0, 0.0),
    ]
    # k1: sets of weight 1 on a (twice) and b. k2: x twice, y twice. t: p twice, q once.
    assert [
        (key, value, n, round(p, 1)) for key, value, n, p in result.value_contributions().rows()
    ] == [
        ("k1", "a", 2, 66.7),
        ("k1", "b", 1, 33.3),
        ("k2", "x", 2, 50.0),
        ("k2", "y", 1, 50.0),
        ("t", "p", 2, 66.7),
        ("t", "q", 1, 33.3),
    ]


def test_normalised_scores_by_hand():
    # A set of two of three keys weighs (2 - 1) / 3.
    result = suda(people(*PEOPLE), keys=KEYS, scores="normalised")
    assert result.suda.tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 1 / 3, 0, 0])


def test_a_record_alone_on_all_keys_only_has_no_normalised_score():
    rows = ["ax", "ay", "bx", "by"]
    result = suda(frame(rows), keys=["k0", "k1"], scores="normalised")
    assert result.suda.tolist() == [0.0] * 4
    assert (result.record.n_uniques, result.record.n_scored, result.record.n_msu) == (4, 0, 4)
    assert [row.percent for row in result.contributions] == [None, None]
    assert result.record.special_threshold is None
    assert not result.special(0.0).any()


def test_a_missing_key_singles_nobody_out_unless_it_is_a_category():
    rows = [("a", None), ("a", "x"), ("b", "x"), ("b", "x")]
    excluded = suda(frame(rows), keys=["k0", "k1"])
    assert found(excluded) == [[], [(0, 1)], [], []]
    assert excluded.record.n_uniques == 2  # the duplicate step takes missing for a level
    category = suda(frame(rows), keys=["k0", "k1"], missing="category")
    assert found(category) == [[(1,)], [(0, 1)], [], []]


def test_missing_values_may_be_declared():
    rows = ["aN", "ax", "bx", "bx"]
    result = suda(frame(rows), keys=["k0", "k1"], missing_values="N")
    assert found(result) == [[], [(0, 1)], [], []]


def test_numbers_can_be_cut_into_bands():
    data = pl.DataFrame({"age": [20, 21, 22, 70], "sex": ["f", "f", "m", "m"]})
    assert suda(data, keys=["age", "sex"]).record.n_uniques == 4
    banded = suda(data, keys=["age", "sex"], bands={"age": [0, 50, 100]})
    assert found(banded) == [[], [], [(0, 1)], [(0,)]]


def test_one_record_is_alone_with_every_key():
    result = suda(frame(["axp"]), keys=["k0", "k1", "k2"])
    assert found(result) == [[(0,), (1,), (2,)]]
    assert (result.suda.tolist(), result.dis.tolist(), result.dis_file) == ([6.0], [1.0], 1.0)


def test_keys_that_are_all_missing():
    data = pl.DataFrame({"a": [None, None], "b": [None, None]})
    result = suda(data, keys=["a", "b"])
    assert (result.record.n_uniques, result.record.n_in_pairs, result.dis_file) == (0, 2, 0.0)
    (alone,) = suda(data[:1], keys=["a", "b"]).records
    assert (alone["suda"], alone["n_msu"]) == (0.0, 0)


def test_nobody_alone_and_nobody_in_pairs_is_not_measurable():
    result = suda(frame(["ax"] * 3), keys=["k0", "k1"])
    assert (result.dis_file, result.record.dis_highest) == (None, 0.0)
    assert [one.field for one in result.record.not_measured] == ["dis_file"]
    assert result.msus().rows() == []
    assert result.value_contributions().rows() == []
    assert result.record_contributions().rows() == []


def test_a_largest_size_leaves_out_larger_sets_and_changes_no_other_weight():
    result = suda(people(*PEOPLE, "czr"), keys=KEYS, max_msu=1)
    assert result.suda.tolist() == [0, 0, 0, 0, 0, 0, 6.0]
    assert [row.size for row in result.record.sizes] == [1]
    assert suda(people(*PEOPLE), keys=KEYS, max_msu=9).record.max_msu == 3


def test_seventeen_keys_are_searched_up_to_a_size():
    rng = np.random.default_rng(3)
    data = pl.DataFrame({f"k{key}": rng.integers(0, 3, 40) for key in range(17)})
    result = suda(data, keys=data.columns, max_msu=2)
    rows = [tuple(row) for row in data.rows()]
    assert found(result) == oracle.minimal(rows, exclude=True, most=2)
    assert result.record.max_msu == 2


def wide(n_keys: int) -> pl.DataFrame:
    rng = np.random.default_rng(4)
    data = pl.DataFrame({f"k{key}": rng.integers(0, 6, 40) for key in range(n_keys)})
    return pl.concat([data, data[:1]])  # the first two are a pair


def test_beyond_27_keys_the_file_has_a_dis_but_its_records_have_none():
    data = wide(28)
    result = suda(data, keys=data.columns, max_msu=2)
    assert result.record.n_scored == 39
    assert result.dis is None
    assert result.frame().schema["dis"] == pl.Float64
    assert result.frame()["dis"].null_count() == len(data)
    assert {one["dis"] for one in result.to_dict()["records"]} == {None}
    assert result.records_at_risk()["dis"].null_count() == 39
    assert result.dis_file == pytest.approx(0.39 / (0.39 + 1.98))
    assert result.record.dis_highest is None
    assert [(one.field, one.reason) for one in result.record.not_measured] == [
        (
            "dis_highest",
            "with more than 27 keys the DIS of single records would no longer rise with the score",
        )
    ]
    said = dict(suda_sentences(result.record))["special"]
    assert said.endswith(
        "with ties). Single records have no DIS: with more than 27 keys the DIS of single"
        " records would no longer rise with the score."
    )
    assert "Single records have no DIS" in result._repr_html_()


def test_with_27_keys_the_records_have_a_dis_that_rises_with_the_score():
    data = wide(27)
    result = suda(data, keys=data.columns, max_msu=2)
    order = np.argsort(result.suda)
    assert (np.diff(result.dis[order]) >= 0).all()
    assert result.record.dis_highest == result.dis.max() > 0
    assert result.record.not_measured == ()


FEW = st.sampled_from(["a", "b", "c"])
LEVELS = st.one_of(FEW, FEW, st.none())


@st.composite
def files(draw):
    n_keys = draw(st.integers(1, 5))
    row = st.tuples(*[LEVELS] * n_keys)
    return draw(st.lists(row, min_size=1, max_size=14))


@examples(150)
@given(files(), st.booleans(), st.sampled_from(["original", "normalised"]), st.integers(1, 5))
def test_everything_is_as_defined(rows, exclude, kind, most):
    data = frame(rows).cast(pl.String)
    f = 0.25
    result = suda(
        data,
        keys=data.columns,
        missing="exclude" if exclude else "category",
        scores=kind,
        max_msu=most,
        dis_fraction=f,
    )
    n_keys = len(rows[0])
    msus = oracle.minimal(rows, exclude=exclude, most=most)
    scores = oracle.scores(msus, n_keys, kind)
    assert found(result) == msus
    assert result.frame()["n_msu"].to_list() == [len(own) for own in msus]
    assert result.suda.tolist() == pytest.approx([float(score) for score in scores], rel=1e-12)
    expected = oracle.dis_file(rows, Fraction(f))
    assert result.dis_file == (None if expected is None else pytest.approx(float(expected)))
    assert result.dis.tolist() == pytest.approx(oracle.dis_records(scores, rows, f))
    alone, paired = oracle.alone_and_paired(rows)
    assert (result.record.n_uniques, result.record.n_in_pairs) == (alone, paired)
    for quantile in (Fraction(1, 2), Fraction(3, 4), Fraction(1)):
        # Interpolation in floats may fall either side of a score that is not whole.
        if kind == "original":
            assert result.special(float(quantile)).tolist() == oracle.special(scores, quantile)
    shares = {row: rest for row, *rest in result.record_contributions().rows()}
    for row, own in enumerate(msus):
        wanted = [float(share) for share in oracle.contributions(own, n_keys, kind)]
        assert shares.get(row, [0.0] * n_keys) == pytest.approx(wanted, abs=1e-12)


@examples(60)
@given(files(), st.booleans())
def test_every_minimal_unique_is_unique_and_minimal(rows, exclude):
    data = frame(rows).cast(pl.String)
    result = suda(data, keys=data.columns, missing="exclude" if exclude else "category")
    for row, own in enumerate(found(result)):
        for keys in own:
            assert oracle.is_unique(rows, row, keys, exclude=exclude)
            for key in keys:
                less = tuple(other for other in keys if other != key)
                assert not less or not oracle.is_unique(rows, row, less, exclude=exclude)


@examples(40)
@given(files(), st.randoms(use_true_random=False))
def test_order_and_names_of_levels_and_order_of_keys_do_not_matter(rows, random):
    data = frame(rows).cast(pl.String)
    order = list(range(len(rows)))
    random.shuffle(order)
    keys = list(data.columns)
    random.shuffle(keys)
    other = data[order].with_columns(pl.all().replace({"a": "zz", "b": "1", "c": "A"}))
    one, two = suda(data, keys=data.columns), suda(other, keys=keys)
    assert two.suda.tolist() == one.suda[order].tolist()
    assert two.dis.tolist() == pytest.approx(one.dis[order].tolist())
    percents = {row.key: row.percent for row in one.contributions}
    assert {row.key: row.percent for row in two.contributions} == pytest.approx(percents)


@examples(40)
@given(files())
def test_without_missing_keys_a_score_and_standing_alone_are_the_same(rows):
    data = frame(rows).cast(pl.String).fill_null("d")
    result = suda(data, keys=data.columns)
    is_alone = data.is_unique().to_list()
    assert (result.suda > 0).tolist() == is_alone
    assert result.record.n_scored == result.record.n_uniques == sum(is_alone)


@examples(40)
@given(files())
def test_the_parts_of_a_key_add_up_and_dis_grows_with_the_score(rows):
    data = frame(rows).cast(pl.String)
    result = suda(data, keys=data.columns)
    values = result.value_contributions().group_by("key").agg(pl.col("percent").sum())
    assert values["percent"].to_list() == pytest.approx([100.0] * values.height)
    order = np.argsort(result.suda)
    assert (np.diff(result.dis[order]) >= 0).all()
    assert ((result.dis >= 0) & (result.dis <= 1)).all()


BAD = [
    ({"keys": []}, "No keys are given. Name the columns an intruder would know."),
    (
        {"keys": ["k1", "ke"]},
        "The dataset has no column 'ke'. Its columns are: k1, k2, t.",
    ),
    ({"keys": ["k1", "k1"]}, "Column 'k1' is given twice among the keys. Name it once."),
    (
        {"max_msu": 0},
        "max_msu is 0. It must be a whole number from 1 on.",
    ),
    (
        {"max_msu": 1.5},
        "max_msu is 1.5. It must be a whole number from 1 on.",
    ),
    (
        {"dis_fraction": 0},
        "dis_fraction is 0. It must be a number from 1e-12 to 1, the share of the population that"
        " is in the data, such as 0.01.",
    ),
    (
        {"dis_fraction": float("nan")},
        "dis_fraction is nan. It must be a number from 1e-12 to 1, the share of the population that"
        " is in the data, such as 0.01.",
    ),
    ({"scores": "ihsn"}, "scores is 'ihsn'. It must be one of: original, normalised."),
    ({"missing": "wildcard"}, "missing is 'wildcard'. It must be one of: exclude, category."),
    ({"missing_values": 9}, 'missing_values must be texts, such as ["NA", "-9"].'),
    (
        {"bands": {"age": 5}},
        "Bands or special codes are given for 'age', which is neither key nor target. Keys and"
        " targets are: k1, k2, t.",
    ),
]


@pytest.mark.parametrize(("given_settings", "sentence"), BAD, ids=lambda one: str(one)[:40])
def test_bad_input_is_a_sentence(given_settings, sentence):
    with pytest.raises(unveil.InputError) as caught:
        suda(people(*PEOPLE), **{"keys": KEYS, **given_settings})
    assert str(caught.value) == sentence


def test_beyond_sixteen_keys_a_largest_size_is_asked_for():
    data = pl.DataFrame({f"k{key}": [1, 2] for key in range(30)})
    with pytest.raises(unveil.SettingsError) as caught:
        suda(data, keys=data.columns[:17])
    assert str(caught.value) == (
        "17 keys make 131,071 sets, and no more than 65,535 are searched. Give max_msu (--max-msu"
        " on the command line), at most 8, or fewer keys."
    )
    with pytest.raises(unveil.SettingsError, match=r"sets of at most 6, .* at most 4, or fewer"):
        suda(data, keys=data.columns, max_msu=6)
    assert suda(data, keys=data.columns[:16]).record.n_scored == 2


def test_there_is_an_end_to_keys():
    data = pl.DataFrame({f"k{key}": [1, 2] for key in range(101)})
    with pytest.raises(unveil.SettingsError) as caught:
        suda(data, keys=data.columns, max_msu=1)
    assert str(caught.value) == (
        "101 keys are given; uniques are searched among at most 100. Name the columns an intruder"
        " would know."
    )
    assert suda(data, keys=data.columns[:100], max_msu=2).record.n_scored == 2


@examples(60)
@given(files(), files())
def test_keys_that_are_encoded_already_give_what_files_give(rows, copy):
    n_keys = min(len(rows[0]), len(copy[0]))
    sides = [frame([row[:n_keys] for row in side]).cast(pl.String) for side in (rows, copy)]
    columns = [encode(name, [side[name] for side in sides]) for name in sides[0].columns]
    alone = suda(sides[0], keys=sides[0].columns, missing="category")
    assert special_uniques(columns).tolist() == alone.special(0.9).tolist()


def test_keys_that_are_encoded_already_may_be_too_many():
    columns = [encode(f"k{place}", [pl.Series([1, 2])]) for place in range(17)]
    with pytest.raises(unveil.SettingsError, match="17 keys make 131,071 sets"):
        special_uniques(columns)


def test_numbers_of_any_kind_are_numbers():
    result = suda(people(*PEOPLE), keys=KEYS, dis_fraction=Decimal("0.5"))
    assert result.record.dis_fraction == 0.5
    assert result.special(Fraction(1, 2)).tolist() == result.special(np.float32(0.5)).tolist()


@pytest.mark.parametrize("quantile", [-0.1, 1.1, "0.9", True, float("nan")])
def test_a_quantile_is_a_number_from_0_to_1(quantile):
    with pytest.raises(unveil.SettingsError) as caught:
        suda(people(*PEOPLE), keys=KEYS).special(quantile)
    assert str(caught.value) == (
        f"The quantile of special uniques is {quantile!r}. It must be a number from 0 to 1, such as"
        " 0.9 for the top decile."
    )


def test_progress_is_told():
    told = []
    suda(people(*PEOPLE), keys=KEYS, progress=lambda *step: told.append(step))
    assert ("searching for minimal uniques", 0, 7) in told
    assert all(done <= total for _, done, total in told)


@pytest.mark.parametrize("setting", ["dis_fraction", "max_msu", "scores", "missing"])
def test_a_frame_given_as_a_setting_is_named_by_its_type_alone(setting):
    frame = pl.DataFrame({"k": ["canary", "b"]})
    with pytest.raises(unveil.SettingsError) as refused:
        unveil.suda(frame, keys="k", **{setting: frame})
    assert "canary" not in str(refused.value)
    assert "of type DataFrame" in str(refused.value)


def test_a_key_whose_name_is_a_pattern_is_listed():
    frame = pl.DataFrame({"^a.*$": ["x", "y"], "*": ["p", "p"]})
    found = unveil.suda(frame, keys=["^a.*$", "*"]).records_at_risk()
    assert found["^a.*$"].to_list() == ["x", "y"]
