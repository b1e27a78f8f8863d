"""The distance filter by hand, against its twin written from the definition, and its laws."""

from datetime import date
from itertools import chain

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import distance_filter as oracle
from profiles import examples
from unveil.count.threads import limit_to_one_thread
from unveil.errors import AlignError, ReadError, RolesError, SettingsError
from unveil.io.table import Labelled
from unveil.models.neighbours import distances
from unveil.models.neighbours.distances import Geometry, Gower, Jaccard, Mahalanobis, Points
from unveil.models.neighbours.missing import Corners, FilledRows, PatternPair, shortest
from unveil.protection.distance_filter import distance_filter
from unveil.records.codebook import Codebook
from unveil.records.protection import DistanceFilter
from unveil.view import distance_filter as shown


def frame(rows, dtype=pl.Float64):
    names = [chr(ord("a") + c) for c in range(len(rows[0]))]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, dtype), orient="row")


PLAIN = [[1.0, 0.0], [0.0, 1.0]]
WORKED = [[0.0, 0.0], [2.0, 0.0], [2.0, 0.5]]
COPY = [[0.5, 0.0], [1.0, 0.0], [2.0, 0.25], [-2.5, 0.0]]


def worked(original, synthetic, **more):
    return distance_filter(frame(original), frame(synthetic), inverse_covariance=PLAIN, **more)


class TestByHand:
    def test_the_worked_example_with_the_first_of_those_tied(self):
        result = worked(WORKED, COPY, ties="first")
        assert result.keep.tolist() == [False, False, False, True]
        assert result.d_synthetic.tolist() == [0.5, 1.0, 0.25, 2.5]
        assert result.d_original.tolist() == [2.0, 2.0, 0.5, 2.0]

    def test_in_another_order_the_first_of_those_tied_demands_less(self):
        result = worked([WORKED[1], WORKED[0], WORKED[2]], COPY, ties="first")
        assert result.keep.tolist() == [False, True, False, True]

    def test_with_any_of_those_tied_the_order_does_not_matter(self):
        for original in (WORKED, [WORKED[1], WORKED[0], WORKED[2]]):
            assert worked(original, COPY).keep.tolist() == [False, False, False, True]
        assert worked([WORKED[1], WORKED[0], WORKED[2]], COPY).limit.tolist()[1] == 2.0

    def test_a_duplicate_of_the_nearest_original_keeps_a_row(self):
        result = worked([[0.0, 0.0], [0.0, 0.0], [5.0, 5.0]], [[0.1, 0.0]])
        assert (result.keep.tolist(), result.d_original.tolist()) == ([True], [0.0])

    def test_the_strict_rule_asks_every_original(self):
        # Nearest is (0, 0), which has a twin 0.1 away; but (3, 0) has nobody within 2.9.
        original, copy = [[0.0, 0.0], [0.1, 0.0], [3.0, 0.0]], [[1.2, 0.0], [-9.0, 0.0]]
        paper, strict = worked(original, copy), worked(original, copy, rule="strict")
        assert (paper.keep.tolist(), strict.keep.tolist()) == ([True, True], [False, True])
        assert paper.record.n_refused_by_strict == 1
        assert paper.record.share_refused_by_strict == 0.5
        assert strict.record.n_refused_by_strict == 0

    def test_one_original_refuses_everything(self):
        result = distance_filter(frame([[0.0, 1.0]]), frame(COPY))
        assert not result.keep.any()
        assert result.to_dict()["d_original"] == [None] * 4
        assert result.record.warnings == (
            "The original has one row, which has no neighbour: every row is refused.",
        )
        assert not worked([[0.0, 1.0]], COPY).keep.any()

    def test_an_original_with_a_missing_value_refuses_far_and_wide_and_that_is_explained(self):
        # At worst the second is 50 from the last, and farther from all others; but a synthetic row
        # may be where it is.
        original = frame([[0.0, 1.0], [None, 1.0], [100.0, 1.0], [50.0, 1.0]])
        copy = frame([[20.0, 1.0], [70.0, 1.0]])
        asked = {"inverse_covariance": PLAIN, "rule": "strict"}
        strict = distance_filter(original, copy, **asked, missing="exact")
        assert strict._prepared.space._originals.all_own.tolist() == [50.0, 50.0, 50.0, 50.0]
        assert not strict.keep.any()
        assert strict.record.warnings[0] == (
            "1 of 4 original rows miss a value. At worst such a row is far from every other, so all"
            " synthetic rows that may be nearer to it are refused; the strict rule asks every such"
            " row, which is why it keeps none. To keep more, compare rows on the columns that both"
            " have (missing='pattern'), take distances on columns that every original row has"
            " (columns=...), or fill in missing values before the synthetic data are made. Values"
            " are missing in a (1)."
        )
        kept = distance_filter(original, copy, **asked)
        assert kept.record.missing == "pattern"
        # The second is compared on b alone, where every other is as near: nobody is refused by it.
        assert kept.record.warnings[0].startswith("1 of 4 original and 0 of 2 synthetic rows miss")
        assert kept.keep.tolist() == [False, False]  # the first is 20 from (0, 1), whose next is 50
        assert kept.nearest.tolist() == [0, 3]

    @pytest.mark.parametrize("metric", ["mahalanobis", "gower"])
    def test_by_pattern_the_strict_rule_keeps_what_can_be_kept(self, metric):
        rng = np.random.default_rng(1)
        rows = [rng.normal([45, 170, 70], [15, 10, 12], (2000, 3)).round(1) for _ in "os"]
        original, copy = (pl.DataFrame(one, schema=["age", "height", "weight"]) for one in rows)
        gone = pl.when(pl.int_range(2000) < 22).then(None).otherwise("weight")
        original = original.with_columns(weight=gone)
        asked = {"rule": "strict", "metric": metric}
        assert distance_filter(original, copy, **asked, missing="exact").n_kept == 0
        kept = distance_filter(original, copy, **asked)
        assert "does not know what is missing" in kept.record.warnings[0]
        known = distance_filter(original.drop_nulls(), copy, **asked)
        assert known.n_kept - 22 < kept.n_kept <= known.n_kept > 400
        again = distance_filter(original, original, **asked)
        assert again.n_kept == 0  # the original itself, with what it misses
        # Without the filter a file as long would hold as many as the rule refuses of all.
        expected = kept.n_kept * (2000 - kept.n_kept) / 2000
        assert kept.record.n_close_unfiltered == pytest.approx(expected)

    def test_a_missing_category_is_as_far_as_its_farthest_level(self):
        # Dimensions b, c and x; the row without a level is x = 0 away from the first and third.
        original = pl.DataFrame({"t": ["a", "a", "a", "b", "c", None], "x": [0.0, 5, 9, 0, 0, 0]})
        found = distance_filter(
            original, original.tail(1), inverse_covariance=np.diag([1.0, 4.0, 1.0])
        )
        own = found._prepared.space._originals.all_own
        # From a: c at 2; from b: c at sqrt(1 + 4); from c: b likewise. All corners of the dummies
        # together would have been farther from a, at sqrt(1 + 4), though no row is at b and c.
        assert own[5] == pytest.approx(2.0)
        assert own.tolist() == pytest.approx([1.0, 4.0, 4.0, 1.0, 2.0, 2.0])
        assert found.d_synthetic.tolist() == [0.0]

    def test_the_shortest_and_longest_difference_of_the_specification(self):
        covariance = np.array([[1.0, 0.8], [0.8, 1.0]])
        precision = np.linalg.inv(covariance)
        geometry = Geometry(covariance, precision, np.full(2, -2.0), np.full(2, 2.0))
        linear = np.array([[precision[0, 1]]])
        x = shortest(precision[1:, 1:], linear, np.array([[-2.0]]), np.array([[2.0]]))
        assert x[0, 0] == pytest.approx(0.8)
        assert geometry.lengths(np.array([[1.0, x[0, 0]]]))[0] == pytest.approx(1.0)
        assert geometry.lengths(np.array([[1.0, 0.0]]))[0] ** 2 == pytest.approx(1 / 0.36)
        corners = Corners.between(geometry, np.array([False, True]), np.array([False, False]))
        rows = FilledRows.of(geometry, np.array([[1.0, np.nan], [0.0, 0.0]]))
        one, two = np.array([0]), np.array([1])
        assert corners.longest(rows, one, two)[0] == pytest.approx(4.7726, abs=5e-5)

    def test_dates_and_ordered_categories_count_as_numbers(self):
        days = pl.Series("d", [date(2020, 1, 1), date(2020, 1, 3), date(2020, 2, 1)])
        levels = pl.Series("e", ["low", "high", "mid"], dtype=pl.Enum(["low", "mid", "high"]))
        data = pl.DataFrame([days, levels])
        numbers = pl.DataFrame({"d": [0, 2, 31], "e": [0, 2, 1]})
        by_type = distance_filter(data, data.head(2))
        by_number = distance_filter(numbers, numbers.head(2))
        assert by_type.d_original == pytest.approx(by_number.d_original)
        assert [column.kind for column in by_type.record.used] == ["number", "ordinal"]

    def test_text_is_dichotomised_and_one_level_left_out(self):
        texts = {"t": list("aabbcc"), "x": [1.0, 2.0, 4.0, 3.0, 7.0, 5.0]}
        dummies = {"b": [0, 0, 1, 1, 0, 0], "c": [0, 0, 0, 0, 1, 1], "x": texts["x"]}
        copy = pl.DataFrame({"t": ["c", "a"], "x": [1.0, 9.0]})
        coded = pl.DataFrame({"b": [0, 0], "c": [1, 0], "x": [1.0, 9.0]})
        ours = distance_filter(pl.DataFrame(texts), copy)
        theirs = distance_filter(pl.DataFrame(dummies), coded)
        assert ours.d_synthetic == pytest.approx(theirs.d_synthetic)
        assert [column.n_dimensions for column in ours.record.used] == [2, 1]

    def test_special_codes_count_as_missing_and_that_is_said(self):
        original = frame([[1.0, 2.0], [2.0, 1.0], [-8.0, 5.0], [4.0, 4.0]])
        holes = frame([[1.0, 2.0], [2.0, 1.0], [None, 5.0], [4.0, 4.0]])
        copy = frame([[3.0, 3.0]])
        coded = distance_filter(original, copy, special_codes={"a": [-8]})
        assert coded.d_original.tolist() == distance_filter(holes, copy).d_original.tolist()
        assert [note.sentence for note in coded.record.coercions] == [
            "Column 'a': 1 special codes count as missing where distances are taken."
        ]

    def test_a_labelled_copy_stays_labelled(self):
        copy = Labelled(frame(COPY), Codebook(source="a data frame", format="frame"))
        result = distance_filter(frame(WORKED), copy, inverse_covariance=PLAIN)
        assert isinstance(result.data, Labelled)
        assert result.data.frame.rows() == [(-2.5, 0.0)]


class TestScreening:
    def test_an_exact_combination_is_dropped_and_explained(self):
        rng = np.random.default_rng(1)
        x, y = rng.normal(size=(2, 50))
        data = pl.DataFrame({"x": x, "y": y, "sum": x + y})
        record = distance_filter(data, data.head(3)).record
        (gone,) = record.dropped_columns
        assert (record.columns, gone.column, gone.inflation) == (("x", "y"), "sum", None)
        assert gone.sentence == "Column 'sum' is an exact combination of others, above all by x, y."

    def test_a_protected_column_stays_and_another_goes(self):
        x = np.arange(20.0)
        data = pl.DataFrame({"x": x, "y": 2 * x, "z": x % 3})
        record = distance_filter(data, data, protect_columns=["y"]).record
        assert record.columns == ("y", "z")

    def test_units_do_not_matter(self):
        rng = np.random.default_rng(2)
        x = rng.normal(size=(60, 3))
        data, scaled = frame(x.tolist()), frame((x * [1e-9, 1.0, 1e9]).tolist())
        one, two = distance_filter(data, data[:9]), distance_filter(scaled, scaled[:9])
        assert one.record.condition == pytest.approx(two.record.condition)
        assert one.d_original == pytest.approx(two.d_original)

    def test_constant_and_empty_columns_are_dropped_and_said(self):
        data = pl.DataFrame(
            {"x": [1.0, 2.0, 4.0], "c": [3, 3, 3], "m": pl.Series([None] * 3, dtype=pl.Int64)}
        )
        record = distance_filter(data, data).record
        assert [(one.column, one.fault) for one in record.dropped_columns] == [
            ("c", "constant"),
            ("m", "all missing"),
        ]


value = st.one_of(st.none(), st.integers(0, 3).map(float))
full = st.integers(0, 3).map(float)


@st.composite
def tables(draw, entry=value, most=7):
    width = draw(st.integers(1, 3))
    rows = st.lists(entry, min_size=width, max_size=width)
    original = draw(st.lists(rows, min_size=2, max_size=most))
    return original, draw(st.lists(rows, min_size=1, max_size=4))


def precision_of(width):
    """A matrix in which columns correlate, of numbers that no grid has."""
    base = np.array([[1.0, 0.7, -0.3], [0.7, 1.3, 0.2], [-0.3, 0.2, 0.9]])[:width, :width]
    return np.linalg.inv(base).tolist()


choices = {
    "rule": st.sampled_from(["paper", "strict"]),
    "ties": st.sampled_from(["any", "first"]),
    "missing": st.sampled_from(["exact", "simple"]),
}


def agrees(result, expected):
    assert result.keep.tolist() == [row[0] for row in expected]
    assert result.nearest.tolist() == [row[1] for row in expected]
    assert result.d_synthetic.tolist() == pytest.approx([row[2] for row in expected], abs=1e-9)
    assert result.d_original.tolist() == pytest.approx([row[3] for row in expected], abs=1e-9)


WIDTHS = (0, 3, 2, 0)
DIMENSIONS = [(0.0, 3.0), (0.0, 1.0), (0.0, 1.0), (0.0, 1.0), (0.0, 3.0)]
SPANS = [(0.0, 3.0), (0.0, 1.0), (0.0, 1.0), (0.0, 3.0)]
_MIX = np.array(
    [
        [1.0, 0.2, -0.1, 0.1, 0.5],
        [0.0, 0.5, -0.2, 0.1, 0.1],
        [0.0, 0.0, 0.4, 0.1, -0.1],
        [0.0, 0.0, 0.0, 0.6, 0.2],
        [0.0, 0.0, 0.0, 0.0, 0.9],
    ]
)
MIXED = np.linalg.inv(_MIX.T @ _MIX).tolist()
EVERY_LEVEL = [(0.0, "u", "y", 1.0), (3.0, "v", "n", 0.0), (1.0, "w", "n", 3.0)]


@st.composite
def mixed_tables(draw):
    texts = (st.sampled_from(["u", "v", "w", None]), st.sampled_from(["y", "n", None]))
    rows = st.lists(st.tuples(value, *texts, value), min_size=1, max_size=3)
    return [*EVERY_LEVEL, *draw(rows)], draw(rows)


def mixed(rows):
    types = (pl.Float64, pl.String, pl.String, pl.Float64)
    return pl.DataFrame(rows, schema=dict(zip("abcd", types, strict=True)), orient="row")


def coder(original):
    """Levels as numbers, the most frequent of the original first."""
    columns = list(zip(*original, strict=True))
    orders = {}
    for place in (1, 2):
        known = [x for x in columns[place] if x is not None]
        orders[place] = sorted(set(known), key=lambda x: (-known.count(x), x))
    return lambda rows: [
        [orders[p].index(x) if p in orders and x is not None else x for p, x in enumerate(row)]
        for row in rows
    ]


people_rows = st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0]), min_size=2, max_size=2)


def long_frame(people, rng):
    """A row for each row of a person, mixed."""
    rows = [
        {"who": who, "when": when, "a": row[0], "b": row[1]}
        for who, own in enumerate(people)
        for when, row in enumerate(own)
    ]
    rng.shuffle(rows)
    return pl.DataFrame(rows)


class TestTwins:
    @pytest.mark.slow
    @examples(50)
    @given(tables(), st.fixed_dictionaries(choices))
    def test_the_filter_is_its_definition(self, data, chosen):
        original, synthetic = data
        P, ranges = precision_of(len(original[0])), [(0.0, 3.0)] * len(original[0])
        result = distance_filter(
            frame(original), frame(synthetic), inverse_covariance=P, ranges=ranges, **chosen
        )
        expected = oracle.filtered(
            original,
            synthetic,
            lambda a, b: oracle.shortest(a, b, P, ranges, chosen["missing"] == "simple"),
            lambda a, b: oracle.longest(a, b, P, ranges),
            rule=chosen["rule"],
            ties=chosen["ties"],
        )
        agrees(result, expected)
        if chosen["rule"] == "paper":
            strict = oracle.filtered(
                original,
                synthetic,
                lambda a, b: oracle.shortest(a, b, P, ranges, chosen["missing"] == "simple"),
                lambda a, b: oracle.longest(a, b, P, ranges),
                rule="strict",
                ties="any",
            )
            n = sum(p[0] and not s[0] for p, s in zip(expected, strict, strict=True))
            assert result.record.n_refused_by_strict == n

    @pytest.mark.slow
    @examples(50)
    @given(
        tables(), st.sampled_from(["paper", "strict"]), st.sampled_from(["gower", "mahalanobis"])
    )
    def test_by_pattern_it_is_the_filter_on_the_columns_that_both_rows_have(
        self, data, rule, metric
    ):
        original, synthetic = data
        original = [*original, [0.0] * len(original[0]), [3.0] * len(original[0])]  # the ranges
        covariance = np.linalg.inv(precision_of(len(original[0]))).tolist()
        given_ = {"inverse_covariance": precision_of(len(original[0]))}
        result = distance_filter(
            frame(original),
            frame(synthetic),
            **(given_ if metric == "mahalanobis" else {}),
            metric=metric,
            rule=rule,
            missing="pattern",
        )
        ranges = [(0.0, 3.0)] * len(original[0])
        expected = oracle.filtered_by_pattern(
            original,
            synthetic,
            lambda a, b, B: (
                oracle.mahalanobis_on(a, b, B, covariance)
                if metric == "mahalanobis"
                else oracle.gower_on(a, b, B, ranges)
            ),
            rule=rule,
        )
        assert result.keep.tolist() == expected
        if rule == "strict":
            return
        strict = distance_filter(
            frame(original),
            frame(synthetic),
            **(given_ if metric == "mahalanobis" else {}),
            metric=metric,
            rule="strict",
            missing="pattern",
        )
        assert result.record.n_refused_by_strict == result.n_kept - strict.n_kept

    @pytest.mark.slow
    @examples(50)
    @given(
        st.lists(st.lists(people_rows, min_size=1, max_size=3), min_size=2, max_size=5),
        st.lists(st.lists(people_rows, min_size=1, max_size=4), min_size=1, max_size=3),
        st.sampled_from(["paper", "strict"]),
        st.sampled_from(["gower", "mahalanobis"]),
        st.randoms(use_true_random=False),
    )
    def test_people_with_their_rows_are_compared_place_by_place(
        self, original, synthetic, rule, metric, rng
    ):
        original = [*original, [[0.0, 0.0], [3.0, 3.0]]]  # the ranges
        given_ = {"inverse_covariance": precision_of(2)} if metric == "mahalanobis" else {}
        result = distance_filter(
            long_frame(original, rng),
            synthetic_rows := long_frame(synthetic, rng),
            columns=["a", "b"],
            person="who",
            time="when",
            metric=metric,
            rule=rule,
            **given_,
        )
        covariance = np.linalg.inv(precision_of(2)).tolist()
        blocks = [
            [covariance[i % 2][j % 2] if i // 2 == j // 2 else 0.0 for j in range(8)]
            for i in range(8)
        ]
        expected = oracle.filtered_by_pattern(
            *(
                [[*chain(*rows), *[None] * (8 - 2 * len(rows))] for rows in side]
                for side in (original, synthetic)
            ),
            lambda a, b, B: (
                oracle.mahalanobis_on(a, b, B, blocks)
                if metric == "mahalanobis"
                else oracle.gower_on(a, b, B, [(0.0, 3.0)] * 8)
            ),
            rule=rule,
        )
        # People are numbered in the order of the file, which is mixed.
        seen = synthetic_rows["who"].unique(maintain_order=True).to_list()
        assert result.keep.tolist() == [expected[who] for who in seen]
        kept = {who for who in seen if expected[who]}
        assert result.data.height == sum(len(synthetic[who]) for who in kept)

    @examples(25)
    @given(
        st.lists(
            st.lists(st.sampled_from([0.0, 1.0, None]), min_size=3, max_size=3),
            min_size=2,
            max_size=6,
        ),
        st.fixed_dictionaries(choices),
    )
    def test_jaccard_is_its_definition(self, rows, chosen):
        original = [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], *rows]
        result = distance_filter(frame(original), frame(rows), metric="jaccard", **chosen)
        expected = oracle.filtered(
            original,
            rows,
            lambda a, b: oracle.jaccard(a, b, min),
            lambda a, b: oracle.jaccard(a, b, max),
            rule=chosen["rule"],
            ties=chosen["ties"],
        )
        agrees(result, expected)

    @examples(25)
    @given(
        st.lists(st.tuples(value, st.sampled_from(["u", "v", "w", None])), min_size=1, max_size=6),
        st.fixed_dictionaries(choices),
    )
    def test_gower_is_its_definition(self, rows, chosen):
        original = [(0.0, "u"), (3.0, "v"), *rows]
        copy = [*rows, (1.0, "new")]
        schema = {"a": pl.Float64, "b": pl.String}
        kinds, ranges = ("number", "category"), [(0.0, 3.0), (0.0, 1.0)]
        result = distance_filter(
            pl.DataFrame(original, schema=schema, orient="row"),
            pl.DataFrame(copy, schema=schema, orient="row"),
            metric="gower",
            **chosen,
        )
        expected = oracle.filtered(
            original,
            copy,
            lambda a, b: oracle.gower(a, b, kinds, ranges, min),
            lambda a, b: oracle.gower(a, b, kinds, ranges, max),
            rule=chosen["rule"],
            ties=chosen["ties"],
        )
        agrees(result, expected)

    @pytest.mark.parametrize("kind", ["continuous", "grid"])
    def test_the_tree_and_the_tiles_find_the_same(self, kind, monkeypatch):
        rng = np.random.default_rng(3)
        rows = rng.normal(size=(700, 4)) if kind == "continuous" else rng.integers(0, 4, (700, 4))
        data, copy = frame(rows[:400].astype(float).tolist()), frame(rows[400:].tolist())
        found = {}
        for dimensions in (10, 0):
            monkeypatch.setattr(distances, "MOST_DIMENSIONS", dimensions)
            monkeypatch.setattr(Mahalanobis, "tile", (2**12, 64))
            for rule in ("paper", "strict"):
                found[dimensions, rule] = distance_filter(data, copy, rule=rule)
        for rule in ("paper", "strict"):
            low, high = found[10, rule], found[0, rule]
            assert low.keep.tolist() == high.keep.tolist()
            assert low.nearest.tolist() == high.nearest.tolist()
            assert low.limit == pytest.approx(high.limit)
        assert found[10, "paper"].record.n_refused_by_strict > 0
        assert found[10, "paper"].record.n_refused_by_strict == (
            found[10, "paper"].n_kept - found[10, "strict"].n_kept
        )

    @pytest.mark.parametrize("metric", ["mahalanobis", "gower", "jaccard"])
    @pytest.mark.parametrize("rule", ["paper", "strict"])
    def test_tiles_and_blocks_change_nothing(self, metric, rule, monkeypatch):
        rng = np.random.default_rng(4)
        top = 2 if metric == "jaccard" else 5
        rows = rng.integers(0, top, (160, 12)).astype(float)
        rows[rng.random(rows.shape) < 0.02] = np.nan
        data, copy = (frame(part.tolist()).fill_nan(None) for part in (rows[:70], rows[70:]))
        whole = distance_filter(data, copy, metric=metric, rule=rule)
        for distance in (Mahalanobis, PatternPair, Gower, Jaccard):
            monkeypatch.setattr(distance, "tile", (12, 5))
        found = distance_filter(data, copy, metric=metric, rule=rule)
        for name in ("keep", "nearest", "d_synthetic", "d_original", "limit"):
            assert getattr(found, name).tobytes() == getattr(whole, name).tobytes()
        assert len(np.unique(whole.nearest)) > 10

    def test_many_missing_values_are_solved_as_a_general_solver_does(self):
        from scipy.optimize import lsq_linear

        rng = np.random.default_rng(4)
        mix = rng.normal(size=(6, 6))
        precision = mix @ mix.T + 0.05 * np.eye(6)
        root = np.linalg.cholesky(precision).T
        low, high = -rng.random((60, 6)), rng.random((60, 6))
        linear = 3 * rng.normal(size=(60, 6))
        ours = shortest(precision, linear, low, high)
        for x, pull, a, b in zip(ours, linear, low, high, strict=True):
            target = -np.linalg.solve(root.T, pull)
            theirs = lsq_linear(root, target, bounds=(a, b), method="bvls", tol=1e-14).x
            assert x == pytest.approx(theirs, abs=1e-7)

    @examples(25)
    @given(mixed_tables(), st.fixed_dictionaries(choices))
    def test_a_missing_category_is_one_of_its_levels(self, data, chosen):
        original, synthetic = data
        result = distance_filter(
            mixed(original), mixed(synthetic), inverse_covariance=MIXED, ranges=SPANS, **chosen
        )
        code = coder(original)
        agrees(
            result,
            oracle.filtered(
                code(original),
                code(synthetic),
                lambda a, b: oracle.shortest_spelled(
                    a, b, MIXED, DIMENSIONS, WIDTHS, simple=chosen["missing"] == "simple"
                ),
                lambda a, b: oracle.longest_spelled(a, b, MIXED, DIMENSIONS, WIDTHS),
                rule=chosen["rule"],
                ties=chosen["ties"],
            ),
        )

    @examples(12)
    @given(mixed_tables(), choices["rule"], st.integers(1, 8))
    def test_where_combinations_are_too_many_no_row_more_is_kept(self, data, rule, most):
        original, synthetic = (mixed(rows) for rows in data)
        more = {"inverse_covariance": MIXED, "ranges": SPANS, "rule": rule, "missing": "exact"}
        exact = distance_filter(original, synthetic, **more)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("unveil.models.neighbours.missing.MOST_CHOICES", most)
            bounded = distance_filter(original, synthetic, **more)
        if rule == "strict":
            assert (bounded.keep <= exact.keep).all()
        assert (bounded.d_synthetic <= exact.d_synthetic * (1 + 1e-9) + 1e-12).all()
        own = [found._prepared.space._originals.all_own for found in (exact, bounded)]
        assert (own[0] <= own[1] * (1 + 1e-9)).all()

    def test_beyond_all_combinations_a_bound_above_all_corners_is_taken(self):
        rng = np.random.default_rng(5)
        mix = rng.normal(size=(13, 13))
        covariance = mix @ mix.T + np.eye(13)
        precision = np.linalg.inv(covariance)
        geometry = Geometry(covariance, precision, np.zeros(13), np.ones(13))
        rows = np.array([np.full(13, np.nan), np.full(13, 0.5)])
        missing = np.isnan(rows)
        corners = Corners.between(geometry, missing[0], missing[1])
        bound = corners.longest(FilledRows.of(geometry, rows), np.array([0]), np.array([1]))[0]
        tried = 1.0 * rng.integers(0, 2, size=(4096, 13)) - rows[1]
        assert corners.is_bound
        assert (geometry.lengths(tried) <= bound).all()


class TestLaws:
    @examples(15)
    @given(tables(entry=full, most=10), st.randoms(use_true_random=False))
    def test_the_order_of_originals_does_not_matter_unless_the_first_is_asked(self, data, random):
        original, synthetic = data
        mixed = random.sample(original, len(original))
        P = precision_of(len(original[0]))
        one, two = (
            distance_filter(frame(rows), frame(synthetic), inverse_covariance=P)
            for rows in (original, mixed)
        )
        assert one.keep.tolist() == two.keep.tolist()

    @examples(15)
    @given(tables())
    def test_strict_keeps_no_more_than_any_and_any_no_more_than_first(self, data):
        original, synthetic = data
        P = precision_of(len(original[0]))
        chosen = ({"rule": "strict"}, {"ties": "any"}, {"ties": "first"})
        kept = [
            distance_filter(
                frame(original),
                frame(synthetic),
                inverse_covariance=P,
                ranges=[(0, 3)] * len(P),
                missing="exact",
                **more,
            ).keep
            for more in chosen
        ]
        assert (kept[0] <= kept[1]).all()
        assert (kept[1] <= kept[2]).all()

    def test_a_copy_of_the_original_is_refused_but_for_duplicates(self):
        rows = np.random.default_rng(6).normal(size=(40, 3)).tolist()
        result = distance_filter(frame([*rows, rows[0]]), frame(rows))
        assert result.keep.tolist() == [True, *[False] * 39]

    @pytest.mark.slow
    @pytest.mark.parametrize("width", [4, 13])
    def test_one_thread_and_many_give_the_same_bytes(self, width):
        rng = np.random.default_rng(9)
        rows = rng.normal(size=(600, width)) @ (np.eye(width) + rng.normal(size=(width, width)))
        rows[rng.random(rows.shape) < 0.004] = np.nan
        texts = pl.Series("t", rng.choice(["u", "v", "w", None], 600, p=[0.5, 0.3, 0.19, 0.01]))
        data = frame(rows.tolist()).fill_nan(None).with_columns(texts)
        original, copy = data[:300], data[300:]
        many = distance_filter(original, copy, rule="strict")
        with limit_to_one_thread():
            one = distance_filter(original, copy, rule="strict")
        for name in ("keep", "nearest", "d_synthetic", "d_original", "limit"):
            assert getattr(many, name).tobytes() == getattr(one, name).tobytes()

    def test_whitened_points_are_as_far_apart_as_the_quadratic_form_says(self):
        geometry = Geometry.from_rows(
            np.random.default_rng(7).normal(size=(30, 3)), np.zeros(3), np.ones(3)
        )
        rows = np.random.default_rng(8).normal(size=(2, 3))
        points = Points.of(geometry, rows)
        d = rows[0] - rows[1]
        assert np.linalg.norm(points.white[0] - points.white[1]) == pytest.approx(
            np.sqrt(d @ geometry.precision @ d)
        )


NUMBERS = pl.DataFrame({"x": [1.0, 2.0, 4.0, 3.0], "y": [0.0, 1.0, 1.0, 5.0]})
TWICE = pl.DataFrame({"x": [1.0, 2.0, 4.0], "y": [2.0, 4.0, 8.0]})
EMPTY = pl.DataFrame({"x": [1.0, 2.0], "m": pl.Series([None, None], dtype=pl.Float64)})
# ruff: noqa: E501
BAD = [
    (
        NUMBERS,
        NUMBERS.rename({"x": "u", "y": "v"}),
        {},
        RolesError,
        "The original and the synthetic data have no column in common, so there is no distance between"
        " their rows. Give the columns the same names in both.",
    ),
    (
        NUMBERS,
        NUMBERS,
        {"columns": "z"},
        RolesError,
        "The original has no column 'z'. Its columns are: x, y.",
    ),
    (
        TWICE,
        TWICE,
        {"drop": "refuse"},
        SettingsError,
        "Column 'y' is an exact combination of others, above all by x.\nOmit these columns, or"
        " have them dropped with drop='auto'.",
    ),
    (
        TWICE,
        TWICE,
        {"protect_columns": ["x", "y"]},
        SettingsError,
        "The protected columns by themselves are nearly singular: x, y nearly repeat each other."
        " Protect fewer columns.",
    ),
    (
        EMPTY,
        EMPTY,
        {"drop": "refuse"},
        SettingsError,
        "Column 'm' is missing in every row of the original.\nOmit these columns, or have them"
        " dropped with drop='auto'.",
    ),
    (
        EMPTY,
        EMPTY,
        {"protect_columns": "m"},
        SettingsError,
        "Column 'm' is missing in every row of the original.\nIt cannot be protected: remove it from protect_columns.",
    ),
    (
        NUMBERS,
        NUMBERS,
        {"metric": "jaccard"},
        SettingsError,
        "The metric jaccard is for columns of yes and no, but x, y hold other values. Code them as 1"
        " and 0 (or true and false), omit them, or use the metric gower.",
    ),
    (
        NUMBERS,
        [NUMBERS, NUMBERS],
        {},
        ReadError,
        "synthetic is a list. Filter one file at a time: each keeps rows of its own.",
    ),
    (
        NUMBERS,
        NUMBERS,
        {"columns": []},
        SettingsError,
        "No columns are given. Name the columns that distances are taken on.",
    ),
    (
        NUMBERS,
        NUMBERS,
        {"inverse_covariance": [[1.0]]},
        SettingsError,
        "inverse_covariance has 1 rows, but the columns have 2 dimensions (a category has one less"
        " than its levels).",
    ),
    (
        NUMBERS,
        NUMBERS,
        {"inverse_covariance": [[1.0, 2.0], [2.0, 1.0]]},
        SettingsError,
        "inverse_covariance must be positive definite, or some distances are below zero.",
    ),
    (
        NUMBERS,
        NUMBERS,
        {"ranges": [[0, 1]]},
        SettingsError,
        "ranges must hold [low, high], two finite numbers, for each of the 2 columns.",
    ),
    (
        NUMBERS,
        NUMBERS.with_columns(x=pl.lit(float("inf"))),
        {},
        AlignError,
        "Column 'x' holds infinite numbers, from which nothing is a finite distance away. Make"
        " them missing, or omit the column.",
    ),
    (
        pl.DataFrame({"x": [1.0, None, 2.0], "y": [None, 1.0, 2.0]}),
        NUMBERS,
        {},
        SettingsError,
        "Only 1 row of the original have a value in every column, too few for a covariance. Omit"
        " the columns with most missing values: x (1), y (1).",
    ),
]


class TestBadInput:
    @pytest.mark.parametrize(("original", "synthetic", "more", "error", "sentence"), BAD)
    def test_each_is_refused_in_a_sentence(self, original, synthetic, more, error, sentence):
        with pytest.raises(error) as caught:
            distance_filter(original, synthetic, **more)
        assert str(caught.value) == sentence
        assert caught.value.exit_code == 2

    @pytest.mark.parametrize("name", ["metric", "rule", "ties", "missing", "drop"])
    def test_an_unknown_choice_is_refused_by_name(self, name):
        with pytest.raises(SettingsError, match=f"{name} is 'papre'"):
            distance_filter(NUMBERS, NUMBERS, **{name: "papre"})

    def test_rows_that_miss_everything_are_no_distance_from_anyone(self):
        copy = pl.DataFrame({"x": [None], "y": [None]}, schema=NUMBERS.schema)
        result = distance_filter(NUMBERS, copy)
        assert (result.keep.tolist(), result.d_synthetic.tolist()) == ([False], [0.0])

    def test_no_message_quotes_a_value(self):
        secret = pl.DataFrame({"t": ["canary-8841", "b", "c"]})
        with pytest.raises(SettingsError) as caught:
            distance_filter(secret, secret, metric="jaccard")
        assert "canary" not in str(caught.value)


class TestViews:
    def test_the_record_round_trips_and_no_view_shows_a_row(self):
        result = worked(WORKED, COPY)
        assert DistanceFilter.from_json(result.to_json()) == result.record
        assert "nearest" not in result.to_json()
        assert result.to_dict()["nearest"] == [0, 0, 1, 0]
        assert repr(result) == (
            "Distance filter, paper rule, on a and b: 1 of 4 rows retained (25.0 %); the strict rule would reject 0 of them"
        )
        assert result.frame().height == 4

    def test_hostile_names_are_shown_harmless(self):
        names = {"a": "<b>x</b>\x1b[1m", "b": "y"}
        result = distance_filter(
            frame(WORKED).rename(names), frame(COPY).rename(names), inverse_covariance=PLAIN
        )
        page = result._repr_html_()
        assert "<b>x" not in page
        assert "\x1b" not in page + repr(result)

    def test_sentences_say_what_was_kept_and_that_it_is_selected(self):
        said = [text for _, text in shown.filter_sentences(worked(WORKED, COPY).record)]
        assert said[0] == (
            "1 of 4 synthetic rows (25.0 %) are retained, by Mahalanobis distance on a and b."
        )
        assert shown.SELECTED in said

    def test_a_shift_is_told_before_and_after(self):
        original = frame([[float(x)] for x in [*range(40), 200, 203]])
        copy = frame([[x + 0.9] for x in range(40)] + [[201.5]] * 40 + [[300.0]] * 40)
        record = distance_filter(original, copy).record
        (shift,) = record.shifts
        assert shift.after > shift.before
        assert shift.is_large
        assert record.warnings[-1].startswith("a was shifted by the filter")


def test_with_people_the_record_counts_those_whom_refused_rows_were_near_to():
    rng = np.random.default_rng(5)
    original = pl.DataFrame(rng.normal(size=(60, 2)), ["a", "b"]).with_columns(
        who=pl.Series([f"P{row // 3}" for row in range(60)])
    )
    copy = original.drop("who")[::2].select(pl.all() + 0.001)
    found = distance_filter(original, copy, person="who")
    plain = distance_filter(original.drop("who"), copy)
    assert found.keep.tolist() == plain.keep.tolist()
    near = {
        original["who"][row]
        for row, kept in zip(found.nearest.tolist(), found.keep, strict=True)
        if not kept
    }
    assert found.record.n_people_near == len(near) > 0
    assert found.record.person.n_people == 20
    assert plain.record.n_people_near is None
    assert any("'who' repeats: 60 rows of 20 people." in one for one in found.record.warnings)
    with pytest.raises(RolesError, match="'who' identifies the person of a row"):
        distance_filter(original, copy, columns=["a", "who"], person="who")
