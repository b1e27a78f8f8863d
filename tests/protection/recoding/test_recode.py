"""Recipes by hand: what each step makes of a small file, of labels, and of who stands alone."""

import tomllib
from datetime import UTC, date, datetime

import polars as pl
import pytest

import unveil.view.recoding  # noqa: F401  (teaches records to show themselves)
from toml_tables import write_steps
from unveil.errors import AlignError, SettingsError
from unveil.examples import KEYS, labelled_survey
from unveil.io.sources import read_table
from unveil.io.table import Labelled
from unveil.io.write_file import write_file
from unveil.protection.recoding.recode import recode
from unveil.protection.recoding.steps import parse_steps
from unveil.protection.replicated_uniques import remove_replicated_uniques
from unveil.records.codebook import Codebook, Level, MissingRange, Variable
from unveil.records.recoding import Recoding, TopCode

PEOPLE = pl.DataFrame(
    {
        "id": ["p1", "p2", "p3", "p4", "p5", "p6"],
        "age": [17, 34, 35, 61, 90, 90],
        "town": ["A", "A", "A", "B", "C", "C"],
        "born": [date(2004, 5, 17), date(1987, 11, 2), None, *[date(1960, 8, 30)] * 3],
    }
)


def test_a_recipe_by_hand_says_who_stands_alone_after_each_step():
    result = recode(
        PEOPLE,
        [
            {"do": "drop", "column": "id"},
            {"do": "round", "column": "age", "to": 10},
            {"do": "merge", "column": "town", "levels": ["B", "C"], "into": "D"},
            {"do": "top_code", "column": "age", "at": 60},
            {"do": "coarsen_date", "column": "born", "to": "quarter"},
        ],
        keys=["age", "town"],
    )
    # Alone at first: 17 A, 34 A, 35 A, 61 B. Rounded: 20 A, 30 A, 40 A, 60 B, 90 C twice.
    alone = [(row.before.n_uniques, row.after.n_uniques) for row in result.rows]
    assert alone == [(4, 4), (4, 4), (4, 4), (4, 3), (3, 3)]
    assert [row.n_changed for row in result.rows] == [6, 4, 3, 2, 5]
    assert [(one.k, one.n) for one in result.rows[-1].after.anonymity] == [(2, 3), (3, 3), (5, 6)]
    assert result.data.rows() == [
        (20, "A", date(2004, 4, 1)),
        (30, "A", date(1987, 10, 1)),
        (40, "A", None),
        (60, "D", date(1960, 7, 1)),
        (60, "D", date(1960, 7, 1)),
        (60, "D", date(1960, 7, 1)),
    ]
    assert repr(result).splitlines() == [
        "5 steps were applied to a data frame: 6 records and 3 columns remain of 6 and 4.",
        "1. Column 'id' was dropped.",
        "2. Column 'age': 4 records were rounded to a multiple of 10.",
        "3. Column 'town': 2 levels (3 records) were merged into 'D'.",
        "4. Column 'age': 2 records above 60 were set to 60.",
        "5. Column 'born': 5 records were set to the first day of the quarter.",
        "Unique on age and town: 4 of 6 before recoding, 3 of 6 after.",
    ]


def test_without_keys_no_effect_is_claimed():
    result = recode(PEOPLE, [{"do": "drop", "column": "id"}])
    assert (result.rows[0].before, result.rows[0].after) == (None, None)
    assert result.frame()["uniques_after"].to_list() == [None]
    assert result.data.columns == ["age", "town", "born"]


def test_dropped_keys_are_told_and_the_others_counted():
    keys = ["id", "town"]
    result = recode(PEOPLE, [{"do": "drop", "column": "id"}], keys=keys)
    assert result.rows[0].before.n_uniques == 6
    assert result.rows[0].after.keys == ("town",)
    assert result.rows[0].after.n_uniques == 1
    assert repr(result).endswith("1 of 6 after by town.")
    nothing = recode(PEOPLE, [{"do": "drop", "column": "id"}], keys="id")
    assert nothing.rows[0].after is None
    assert repr(nothing).endswith("No key remains. Unique on id before recoding: 6 of 6.")


def test_a_copy_is_recoded_alike_and_gives_repu():
    copy = pl.DataFrame({"age": [17, 36, 95], "town": ["A", "A", "E"]})
    steps = [
        {"do": "top_code", "column": "age", "quantile": 0.5},
        {"do": "merge_rare", "column": "town", "below": 2, "into": "small"},
        {"do": "drop", "column": "id"},
    ]
    result = recode(PEOPLE, steps, keys=["age", "town"], copy=copy)
    # The median of the data, 48, is a limit for both; E is unknown to the data and stays.
    assert result.rows[1].sentence == (
        "Column 'town': 1 level with fewer than 2 records (1 record) was merged into 'small'."
        " 1 level still has fewer than 2 records. 1 level that only the synthetic data have"
        " stays as it is."
    )
    assert result.copy.rows() == [(17, "A"), (36, "A"), (48, "E")]
    assert result.data["age"].to_list() == [17, 34, 35, 48, 48, 48]
    first, last = result.rows[0].before, result.rows[-1].after
    assert (first.n_replicated, last.n_replicated) == (1, 1)  # 17 A
    assert last.repU == pytest.approx(100 / 6)
    assert (
        "Replicated uniques (unique in both files): 1 (16.7 %) before, 1 (16.7 %) after."
        in repr(result)
    )


def test_bands_keep_codes_apart_and_their_order():
    frame = pl.DataFrame({"income": [100, 900, 2000, 3000, -8, None]})
    step = {"do": "band", "column": "income", "breaks": [0, 1000, 5000], "special_codes": [-8]}
    result = recode(frame, [step])
    bands = ["0 to 999", "0 to 999", "1000 to 4999", "1000 to 4999", "-8", None]
    assert result.data["income"].to_list() == bands
    assert result.data["income"].dtype == pl.Enum(["0 to 999", "1000 to 4999", "-8"])
    assert result.rows[0].n_changed == 4
    assert result.rows[0].sentence == "Column 'income': 4 records were put into 2 bands."


def test_bands_of_a_recipe_can_be_merged_and_stay_in_order():
    frame = pl.DataFrame({"x": [1, 12, 25, 31]})
    steps = [
        {"do": "band", "column": "x", "breaks": [0, 10, 20, 30, 40]},
        {"do": "merge", "column": "x", "levels": ["10 to 19", "20 to 29"], "into": "10 to 29"},
    ]
    made = recode(frame, steps).data["x"]
    assert made.dtype == pl.Enum(["0 to 9", "10 to 29", "30 to 39"])
    assert made.to_list() == ["0 to 9", "10 to 29", "10 to 29", "30 to 39"]


def test_decimals_missing_values_and_infinity_are_each_treated_as_what_they_are():
    frame = pl.DataFrame({"x": pl.Series([0.7, 0.1, None, float("nan"), float("inf")])})
    made = recode(frame, [{"do": "top_code", "column": "x", "at": 0.5}]).data["x"].to_list()
    assert made[:3] == [0.5, 0.1, None]
    assert made[3] != made[3]
    assert made[4] == 0.5
    single = pl.DataFrame({"x": pl.Series([0.7, 0.1], dtype=pl.Float32)})
    result = recode(single, [{"do": "top_code", "column": "x", "at": 0.7}])
    assert result.rows[0].n_changed == 0  # 0.7 in single precision is 0.7


def test_a_limit_that_a_small_type_cannot_hold_widens_the_column():
    frame = pl.DataFrame({"x": pl.Series([1, 2], dtype=pl.UInt8)})
    assert recode(frame, [{"do": "top_code", "column": "x", "at": -3}]).data["x"].to_list() == [
        -3,
        -3,
    ]
    high = recode(frame, [{"do": "top_code", "column": "x", "at": 300}]).data["x"]
    assert (high.dtype, high.to_list()) == (pl.UInt8, [1, 2])
    half = recode(frame, [{"do": "top_code", "column": "x", "at": 1.5}]).data["x"]
    assert half.to_list() == [1, 1.5]


def test_moments_lose_their_time_with_their_day():
    frame = pl.DataFrame({"t": [datetime(2020, 5, 17, 12, 30, tzinfo=UTC)]})
    made = recode(frame, [{"do": "coarsen_date", "column": "t", "to": "year"}]).data["t"]
    assert made.to_list() == [datetime(2020, 1, 1, tzinfo=UTC)]


def test_a_hierarchy_lets_children_join_before_their_parents_are_judged():
    towns = ["Leith"] * 2 + ["Edinburgh"] * 3 + ["Oban"]
    parents = {"Leith": "Edinburgh", "Edinburgh": "Lothian", "Oban": "Argyll", "Lothian": "UK"}
    frame = pl.DataFrame({"town": towns})
    rare = recode(frame, [{"do": "merge_rare", "column": "town", "below": 5, "hierarchy": parents}])
    # Leith makes Edinburgh frequent enough; Oban goes to Argyll, which has no parent.
    assert rare.data["town"].to_list() == ["Edinburgh"] * 5 + ["Argyll"]
    assert rare.rows[0].sentence == (
        "Column 'town': 2 levels with fewer than 5 records each (3 records) were merged into their"
        " parents. 1 level still has fewer than 5 records."
    )
    always = recode(
        frame, [{"do": "merge_rare", "column": "town", "hierarchy": parents, "always": True}]
    )
    assert always.data["town"].to_list() == ["UK"] * 5 + ["Argyll"]


def test_merging_plain_numbers_makes_text_unless_the_new_level_is_a_number():
    frame = pl.DataFrame({"size": [1, 1, 2, 7, 8]})
    step = {"do": "merge", "column": "size", "levels": [7, 8]}
    named = recode(frame, [{**step, "into": "7 or more"}]).data["size"]
    assert named.to_list() == ["1", "1", "2", "7 or more", "7 or more"]
    number = recode(frame, [{**step, "into": 7}])
    assert number.data["size"].to_list() == [1, 1, 2, 7, 7]
    assert number.rows[0].n_changed == 1
    categorical = frame.select(pl.col("size").cast(pl.String).cast(pl.Categorical))
    kept = recode(categorical, [{**step, "into": "more"}]).data["size"]
    assert isinstance(kept.dtype, pl.Categorical)
    assert kept.to_list() == ["1", "1", "2", "more", "more"]


BOOK = Codebook(
    source="survey.sav",
    format="spss",
    variables=(
        Variable(
            name="marital",
            label="Marital status",
            kind="number",
            measure="nominal",
            levels=tuple(
                Level(code=code, label=label)
                for code, label in [(1, "single"), (2, "widowed"), (3, "divorced"), (99, "refused")]
            ),
            missing=(99,),
        ),
        Variable(
            name="income",
            label="Income",
            kind="number",
            levels=(Level(code=-8, label="refused"), Level(code=9000, label="a lot")),
            missing_ranges=(MissingRange(lo=-9, hi=-8),),
        ),
    ),
)
SURVEY = Labelled(
    pl.DataFrame({"marital": [1, 1, 2, 3, 99], "income": [500.0, 9000.0, -8.0, 700.0, 600.0]}),
    BOOK,
)


def test_labels_name_levels_and_a_new_level_gets_a_code_of_its_own():
    step = {
        "do": "merge",
        "column": "marital",
        "levels": ["widowed", 3],
        "into": "no longer married",
    }
    result = recode(SURVEY, [step])
    assert isinstance(result.data, Labelled)
    assert result.data.frame["marital"].to_list() == [1, 1, 4, 4, 99]
    variable = result.data.codebook.variable("marital")
    assert [(level.code, level.label) for level in variable.levels] == [
        (1, "single"),
        (99, "refused"),
        (4, "no longer married"),
    ]
    assert (variable.label, variable.missing) == ("Marital status", (99,))
    assert SURVEY.codebook is BOOK


def test_declared_codes_are_untouched_without_being_named():
    steps = [
        {"do": "top_code", "column": "income", "at": 1000},
        {"do": "bottom_code", "column": "income", "at": 550},
        {"do": "round", "column": "income", "to": 1000},
        {"do": "merge_rare", "column": "marital", "below": 2, "into": "single"},
    ]
    result = recode(SURVEY, steps)
    assert result.data.frame["income"].to_list() == [1000, 1000, -8, 1000, 1000]
    assert result.data.frame["marital"].to_list() == [1, 1, 1, 1, 99]
    (refused,) = result.data.codebook.variable("income").levels
    assert refused.code == -8  # 9000 cannot occur any more


def test_a_labelled_column_in_bands_keeps_its_label_and_what_its_codes_stand_for():
    result = recode(SURVEY, [{"do": "band", "column": "income", "breaks": [0, 650, 10000]}])
    variable = result.data.codebook.variable("income")
    assert (variable.kind, variable.label, variable.measure) == ("text", "Income", "ordinal")
    assert [(level.code, level.label) for level in variable.levels] == [
        ("0 to 649", "0 to 649"),
        ("650 to 9999", "650 to 9999"),
        ("-8", "refused"),
    ]
    assert variable.missing == ("-8",)


def test_a_dropped_column_leaves_the_codebook():
    result = recode(SURVEY, [{"do": "drop", "column": "income"}])
    assert [variable.name for variable in result.data.codebook.variables] == ["marital"]


def test_the_same_seed_moves_outliers_to_the_same_place_and_others_elsewhere():
    frame = pl.DataFrame({"x": [float(i) for i in range(50)] + [400.0, 900.0]})
    step = {"do": "perturb_outliers", "column": "x", "distance": 5, "between": [0, 1000]}
    once, again, other = (recode(frame, [step], seed=seed) for seed in (1, 1, 2))
    assert once.data["x"].to_list() == again.data["x"].to_list()
    assert once.data["x"].to_list() != other.data["x"].to_list()
    assert once.rows[0].n_changed == 2
    assert once.record.is_seeded
    assert not recode(frame, [step]).record.is_seeded
    assert "seed" not in once.to_json().replace("is_seeded", "")
    fence = 25.5 + 5 * 1.4826 * 13
    assert all(fence < one <= 1000 for one in once.data["x"].to_list()[-2:])


def test_a_file_is_recoded_as_a_frame_is(tmp_path):
    PEOPLE.write_csv(tmp_path / "people.csv")
    steps = [{"do": "top_code", "column": "age", "at": 60}, {"do": "drop", "column": "id"}]
    result = recode(tmp_path / "people.csv", steps, keys="age")
    assert result.record.files == ("people.csv",)
    assert result.data.equals(recode(PEOPLE, steps).data)


def test_a_record_survives_its_document():
    result = recode(PEOPLE, [{"do": "drop", "column": "id"}], keys=["age"])
    assert Recoding.from_json(result.to_json()) == result.record


def test_hostile_names_are_made_visible_where_they_are_shown():
    name = "a\x1b[31m<b>"
    result = recode(pl.DataFrame({name: [1, 2], "b": [1, 2]}), [{"do": "drop", "column": name}])
    assert "\x1b" not in repr(result)
    assert "<b>" not in result._repr_html_()
    assert "\x1b" not in result._repr_html_()


def test_columns_with_names_that_look_like_patterns_are_single_columns():
    frame = pl.DataFrame({"^a.*$": [1, 2], "*": [1, 2], "ab": [5, 6]})
    steps = [{"do": "top_code", "column": "^a.*$", "at": 1}, {"do": "drop", "column": "*"}]
    result = recode(frame, steps, keys=["^a.*$"])
    assert result.data.to_dict(as_series=False) == {"^a.*$": [1, 1], "ab": [5, 6]}


def test_a_step_that_finds_nothing_says_so_and_leaves_the_type_alone():
    frame = pl.DataFrame({"day": [date(2020, 1, 5)] * 3, "text": ["", "", None], "x": [1, 1, 9]})
    steps = [
        {"do": "merge_rare", "column": "day", "below": 2, "into": "other"},
        {"do": "merge_rare", "column": "text", "below": 5, "into": "other"},
        {"do": "top_code", "column": "x", "at": 10},
        {"do": "drop_outliers", "column": "x", "quantile": 0.99, "tail": "low"},
    ]
    result = recode(frame, steps)
    assert result.data.equals(frame)
    assert [row.sentence for row in result.rows] == [
        "Column 'day': no level with fewer than 2 records was merged.",
        "Column 'text': no level with fewer than 5 records was merged.",
        "Column 'x': no record above 10 was set to 10.",
        "Column 'x': no record with an outlying value (below the quantile 0.01) was dropped.",
    ]


def test_infinity_is_an_outlier_and_comes_back_to_the_fence():
    frame = pl.DataFrame({"x": [*map(float, range(20)), float("inf"), float("nan"), None]})
    dropped = recode(frame, [{"do": "drop_outliers", "column": "x", "distance": 3}])
    assert dropped.rows[0].n_changed == 1
    step = {"do": "perturb_outliers", "column": "x", "distance": 3}
    moved = recode(frame, [step]).data["x"][20]
    assert moved == pytest.approx(9.5 + 3 * 1.4826 * 5, abs=1)


def test_a_column_coded_otherwise_in_the_copy_is_refused():
    frame, copy = pl.DataFrame({"x": [1, 2, 2]}), pl.DataFrame({"x": ["a", "b"]})
    for step, sentence in (
        (
            {"do": "merge", "levels": [1], "into": 2},
            "Step 1 (merge): column 'x' holds numbers, but text in the synthetic data. Give it"
            " the same coding in both.",
        ),
        (
            {"do": "top_code", "at": 1},
            "Step 1 (top_code): column 'x' holds text in the synthetic data, not numbers. Take"
            " the step out, or name another column.",
        ),
    ):
        with pytest.raises(SettingsError) as refused:
            recode(frame, [{**step, "column": "x"}], copy=copy)
        assert str(refused.value) == sentence


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["sav", "dta", "parquet", "csv"])
def test_a_recoded_survey_can_be_written_and_read_with_its_new_labels(ending, tmp_path):
    steps = [
        {"do": "band", "column": "age", "n": 5},
        {
            "do": "merge",
            "column": "marital",
            "levels": ["widowed", "marriage ended"],
            "into": "no longer",
        },
        {"do": "merge_rare", "column": "region", "below": 300, "into": "elsewhere"},
        {"do": "drop", "column": "condition"},
    ]
    result = recode(labelled_survey(), steps, keys=KEYS)
    written = write_file(result.data, tmp_path / f"recoded.{ending}", fake=False)
    back = read_table(written.path, side="data")
    labels = {level.label: level.code for level in back.codebook.variable("marital").levels}
    assert "widowed" not in labels
    n_merged = result.rows[1].n_changed
    assert (back.frame["marital"] == labels["no longer"]).sum() == n_merged == 873
    assert back.frame["age"].cast(pl.String).to_list() == result.data.frame["age"].to_list()
    assert "condition" not in back.frame.columns


def test_a_tiny_or_an_enormous_unit_rounds_what_it_can():
    frame = pl.DataFrame({"x": [1.5, -2.25e-20, 1e120]})
    for to, wanted in ((1e-20, [1.5, -2e-20, 1e120]), (1e119, [0.0, 0.0, 1e120])):
        made = recode(frame, [{"do": "round", "column": "x", "to": to}]).data["x"].to_list()
        assert made == pytest.approx(wanted, rel=1e-12, abs=0)


def test_perturbed_decimals_stay_between_their_fence_and_the_end_and_keep_their_excess():
    far = [100.25 + 0.5 * i for i in range(40)]
    frame = pl.DataFrame({"x": [0.25 + (i % 50) for i in range(1000)] + far})
    step = {"do": "perturb_outliers", "column": "x", "distance": 3, "tail": "high"}
    median, spread = 25.25, 13
    fence = median + 3 * 1.4826 * spread
    for seed in range(5):
        moved = recode(frame, [step], seed=seed).data["x"].to_list()[-40:]
        assert all(fence < one <= max(far) for one in moved)
        assert sum(moved) / 40 == pytest.approx(sum(far) / 40, rel=0.1)
    wide = recode(frame, [{**step, "between": [0, 1000]}], seed=1).data["x"].to_list()[-40:]
    assert max(far) < max(wide) <= fence + 1.5 * (max(far) - fence)


def test_a_rare_level_that_the_others_join_is_not_merged_itself():
    frame = pl.DataFrame({"x": ["a"] * 5 + ["b", "other"]})
    result = recode(frame, [{"do": "merge_rare", "column": "x", "below": 3, "into": "other"}])
    assert result.rows[0].sentence == (
        "Column 'x': 1 level with fewer than 3 records (1 record) was merged into 'other'."
        " 1 level still has fewer than 3 records."
    )


COPIED = [{"do": "top_code", "column": "z", "at": 3}]


def test_keys_without_a_level_in_common_are_refused_and_look_alikes_told():
    data = pl.DataFrame({"j": ["A", "B", "C", "D"], "z": [1, 2, 3, 4]})
    with pytest.raises(AlignError) as refused:
        recode(data, COPIED, keys="j", copy=data.with_columns(pl.col("j").str.to_lowercase()))
    assert str(refused.value) == (
        "Key 'j' has no level in common between the dataset and the synthetic dataset. Nothing"
        " would match, so the risk would appear as zero. Give the column the same coding in both"
        " files."
    )
    alike = pl.DataFrame({"j": ["A", "b", "c", "d"], "z": [1, 2, 3, 4]})
    (note,) = recode(data, COPIED, keys="j", copy=alike).record.coercions
    assert (note.kind, note.column) == ("look_alikes", "j")


def test_how_keys_were_compared_is_told_as_for_every_measure():
    data = pl.DataFrame({"j": [1, 2, 3, 4], "z": [1, 2, 3, 4]})
    copy = pl.DataFrame({"j": ["1", "2", "3", "4"], "z": [1, 2, 3, 4]})
    result = recode(data, COPIED, keys="j", copy=copy)
    assert result.rows[0].after.n_replicated == 4
    removed = remove_replicated_uniques(data, copy, keys="j")
    assert [(one.column, one.kind) for one in result.record.coercions] == [
        (one.column, one.kind) for one in removed.record.coercions
    ]
    assert result.record.coercions


def test_a_limit_that_is_one_person_s_number_is_told_to_nobody():
    amounts = [10.5 * i**2 + 0.37 for i in range(101)]
    frame = pl.DataFrame({"income": amounts})
    step = {"do": "top_code", "column": "income", "quantile": 0.99}
    result = recode(frame, [step])
    assert result.data["income"].max() == amounts[99]
    shown = repr(result) + result.to_json() + result._repr_html_() + repr(result.frame())
    assert "102910" not in shown.replace(",", "")
    assert result.rows[0].sentence == (
        "Column 'income': 1 record above the quantile 0.99 was set to it."
    )
    assert result.fixed_steps() == (TopCode(column="income", at=amounts[99]),)


def test_what_was_found_can_be_applied_to_the_next_extract():
    frame = pl.DataFrame(
        {
            "age": [20 + 3 * i for i in range(20)],
            "size": [-2.5 + 0.75 * i for i in range(20)],
            "pay": [100.0 * i for i in range(20)],
            "town": ["a"] * 12 + ["b"] * 5 + ["c", "d", "e"],
            "code": [1] * 15 + [2, 3, 4, 5, 6],
        }
    )
    steps = [
        {"do": "band", "column": "age", "n": 4},
        {"do": "band", "column": "size", "n": 3, "style": "equal"},
        {"do": "top_code", "column": "pay", "quantile": 0.9},
        {"do": "bottom_code", "column": "pay", "quantile": 0.1},
        {"do": "merge_rare", "column": "town", "below": 3, "into": "other"},
        {"do": "merge_rare", "column": "code", "below": 3, "hierarchy": {"2": "3", "4": "3"}},
    ]
    result = recode(frame, steps)
    fixed = result.fixed_steps()
    assert recode(frame, fixed).data.equals(result.data)
    assert parse_steps(tomllib.loads(write_steps(fixed))["protect"]["step"]) == fixed
    # In the next extract the same limits hold, whoever is in it.
    later = frame.with_columns(age=pl.col("age") + 7, pay=pl.col("pay") * 2)
    made = recode(later, fixed).data
    assert made["pay"].max() == result.data["pay"].max()
    assert set(made["age"]) <= set(result.data["age"])
    assert "found" not in result.to_dict()


def test_a_hierarchy_that_always_holds_holds_for_the_copy_too():
    frame, copy = pl.DataFrame({"x": ["a", "a", "b"]}), pl.DataFrame({"x": ["c", "b"]})
    parents = {"b": "top", "c": "top"}
    step = {"do": "merge_rare", "column": "x", "hierarchy": parents, "always": True}
    assert recode(frame, [step], copy=copy).copy["x"].to_list() == ["top", "top"]


def test_one_other_is_one_other():
    html = recode(PEOPLE, [{"do": "drop", "column": "id"}], keys="age")._repr_html_()
    assert "1 others" not in html
    assert "1 other<" in html
    assert "2 others<" in html
