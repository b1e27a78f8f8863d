"""`unveil.protect`: four steps in one call, each kept so that it can be assessed alone."""

import json
import re

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import unveil
from project.run_projects import HEAD, SCENARIO, project
from unveil.errors import InputError, RolesError, SettingsError
from unveil.examples import labelled_survey, survey
from unveil.project.protect import protect
from unveil.protection.distance_filter import distance_filter
from unveil.protection.leaf_sizes import OPEN_SWEEP
from unveil.protection.noise import add_noise
from unveil.protection.recoding.recode import recode
from unveil.records.protection import ConfidentialProtection
from unveil.synthesis.synthesise import synthesise

N_ROWS = 240
STEPS = [
    {"do": "top_code", "column": "age", "at": 75},
    {"do": "synthesise"},
    {"do": "distance_filter", "columns": ["age", "height"]},
    {
        **{"do": "add_noise", "column": "height", "population": "normal(170, 9)"},
        **{"N": 61017, "threshold": 0.137, "clip": [120, 220]},
    },
    {"do": "add_noise", "column": "age", "not_needed": "known to no one"},
]


def people(n=N_ROWS, seed=5):
    rng = np.random.default_rng(seed)
    sex = rng.choice(["f", "m"], n)
    age = np.clip(rng.normal(45, 17, n).round(1), 16, 99)
    return pl.DataFrame(
        {
            "sex": sex,
            "age": age,
            "height": np.round(rng.normal(164, 7, n) + 12 * (sex == "m"), 2),
            "work": np.where(age > 65, "retired", rng.choice(["yes", "no"], n)),
        }
    )


ORIGINAL = people()
FEWER_SEX = min(ORIGINAL["sex"].value_counts()["count"])


@pytest.fixture(scope="module")
def made():
    return protect(ORIGINAL, steps=STEPS, seed=987654321, keys=["sex", "age"], targets=["work"])


@pytest.mark.slow
def test_the_recoded_original_is_that_of_recode(made):
    alone = recode(ORIGINAL, STEPS[:1], seed=made.seeds.recode)
    assert_frame_equal(made.recoded, alone.data)
    assert made.record.recoding.rows[0].n_changed == (ORIGINAL["age"] > 75).sum()


@pytest.mark.slow
def test_s2_begins_with_what_the_filter_keeps_of_s1(made):
    kept = distance_filter(made.recoded, made.s1, columns=["age", "height"]).data
    assert 0 < kept.height < N_ROWS
    assert_frame_equal(made.s2.head(kept.height), kept)
    assert made.record.refill.rounds[0].kept == kept.height


def test_the_first_rows_are_projected_retained_and_filtered_ones_apart(made):
    first = made.record.refill.rounds[0]
    groups = {row.mark: row.n for row in made.record.projection.rows if row.side == "synthetic"}
    assert groups["retained"] == first.kept
    assert groups["filtered"] == first.drawn - first.kept
    assert set(made.record.projection.columns) <= set(made.record.refill.columns)


def test_no_row_of_s2_is_refused_by_the_filter(made):
    again = distance_filter(made.recoded, made.s2, columns=["age", "height"])
    assert again.n_kept == made.s2.height == N_ROWS


def test_s3_is_s2_with_noise_on_the_declared_columns_alone(made):
    (reason,) = made.record.reasons
    how = {"sigma": reason.sigma, "clip": [120, 220]}
    alone = add_noise(made.s2, columns={"height": how}, seed=made.seeds.add_noise)
    assert_frame_equal(made.s3, alone.data)
    assert_frame_equal(made.s3.drop("height"), made.s2.drop("height"))
    assert (made.s3["height"] != made.s2["height"]).all()


def test_the_noise_is_the_least_that_is_enough_for_every_original_value(made):
    (reason,) = made.record.reasons
    assert reason.choice.n == N_ROWS  # the records, where n is not given
    assert reason.sigma == reason.choice.sigma_to_use >= reason.choice.sigma
    assert reason.ecap.worst <= 0.137
    assert reason.ecap.n_values == N_ROWS


def test_without_filter_and_noise_the_copy_is_that_of_synthesise_with_the_leaves_of_the_paper():
    made = protect(ORIGINAL, steps=[], seed=3)
    alone = synthesise(ORIGINAL, min_leaf=33, min_split=100, seed=made.seeds.synthesise)
    for frame in (made.s1, made.s2, made.s3):
        assert_frame_equal(frame, alone.copies[0])
    assert [step.do for step in made.record.steps] == ["synthesise"]
    assert made.record.noise is None
    assert made.statement == (
        "Noise statement\n\nThese data are synthetic: drawn from classification and regression"
        " trees fitted to confidential data.\n\nNo noise was added.\n"
    )


def test_without_steps_the_copy_is_synthesised_and_filtered():
    made = protect(ORIGINAL, seed=3, rows=100)
    assert [step.do for step in made.record.steps] == ["synthesise", "distance_filter"]
    assert made.s3.height == made.s1.height == 100


def test_a_synthesis_that_is_not_written_is_done_behind_the_recodings():
    steps = [STEPS[0], {"do": "add_noise", "column": "age", "sigma": 1}]
    made = protect(ORIGINAL, steps=steps, seed=3)
    assert [step.do for step in made.record.steps] == ["top_code", "synthesise", "add_noise"]
    assert "what it protects from was not measured" in made.record.steps[2].sentence


@pytest.mark.slow
def test_the_same_seed_makes_the_same_copy_on_any_number_of_threads():
    first, second = (
        protect(ORIGINAL, steps=STEPS, seed=11, synthesis={"workers": workers})
        for workers in (1, 2)
    )
    other = protect(ORIGINAL, steps=STEPS, seed=12)
    assert_frame_equal(first.s3, second.s3)
    assert first.confidential == second.confidential
    assert not first.s3.equals(other.s3)


def test_each_step_has_a_seed_of_its_own_and_the_record_has_none(made):
    seeds = made.seeds.to_dict()
    assert len(set(seeds.values())) == 6
    text = made.to_json()
    assert not [seed for seed in seeds.values() if str(seed) in text]
    assert made.record.is_seeded
    assert made.confidential.to_dict()["seeds"] == seeds


def test_the_confidential_record_round_trips_and_holds_everything(made):
    text = made.confidential.to_json()
    assert ConfidentialProtection.from_json(text) == made.confidential
    found = json.loads(text)
    assert found["note"].startswith("CONFIDENTIAL")
    assert found["protection"]["reasons"][0]["ecap"]["worst"] > 0
    assert found["seeds"]["seed"] == 987654321


PUBLIC = ("sigma", "lowest", "highest", "decimals")
"""What the statement may tell: of the noise of a column."""


def figures(found, path=()):
    """Every number of a document, with where it stands."""
    if isinstance(found, dict):
        for name, value in found.items():
            yield from figures(value, (*path, name))
    elif isinstance(found, list):
        for value in found:
            yield from figures(value, path)
    elif isinstance(found, int | float) and not isinstance(found, bool):
        yield path, found


def test_the_public_statement_holds_no_confidential_figure(made):
    told = {float(text) for text in re.findall(r"\d+(?:\.\d+)?", made.statement)}
    row = made.record.noise.columns[0]
    # "mean 0" is said of every noise.
    public = {0.0, row.sigma, row.lowest, row.highest}
    assert told == public
    document = json.loads(made.confidential.to_json())
    secret = {
        (path, value)
        for path, value in figures(document)
        if not (path[-1] in PUBLIC and "noise" in path) and float(value) not in public
    }
    assert {path[-1] for path, _ in secret} >= {
        *("worst", "threshold", "seed", "min_leaf", "min_split", "N", "kept", "drawn", "n_s1"),
        *("limit", "n_refused_by_strict", "acceptance", "quotient", "n_uniques", "n_original"),
    }
    shown = [f(value) for _, value in secret for f in (str, "{:,}".format, "{:.6g}".format)]
    words = set(re.findall(r"[\d.,]*\d", made.statement))
    assert words.isdisjoint(shown)


def test_the_public_statement_names_no_key_no_threshold_and_no_reason(made):
    assert not re.search(
        r"ecap|threshold|seed|lea[fv]|keys?\b|known to|sex|work", made.statement, re.I
    )
    assert "- height: normal noise with standard deviation" in made.statement
    assert "No noise was added to age." in made.statement
    assert "filtered by distance" in made.statement


@pytest.mark.slow
def test_open_release_has_larger_leaves_a_reason_and_the_sweep():
    made = protect(ORIGINAL, steps=[], audience="open", seed=1, keys=["sex"], targets=["work"])
    assert (made.record.synthesis.min_leaf, made.record.synthesis.min_split) == (100, 300)
    assert made.record.preset.startswith("For open release leaves of at least 100 records")
    assert [row.min_leaf for row in made.record.sweep] == list(OPEN_SWEEP)
    assert [row.is_used for row in made.record.sweep] == [False, False, False, True]
    assert made.record.sweep[3].min_split == 300
    assert made.sweep()["repU"].null_count() == 0


def test_the_custodians_own_leaves_win_over_the_preset():
    made = protect(
        ORIGINAL, steps=[], synthesis={"min_leaf": 20}, audience="open", sweep=[], seed=1
    )
    assert (made.record.synthesis.min_leaf, made.record.synthesis.min_split) == (20, 60)
    assert made.record.preset is None
    assert made.record.sweep == ()


def test_the_sweep_measures_copies_of_the_synthesis_alone():
    from unveil.measure.disclosure.disclosure import disclosure
    from unveil.measure.utility.pair_tables import pair_tables

    made = protect(ORIGINAL, steps=[], seed=8, keys=["sex", "age"], targets=["work"], sweep=[10, 5])
    first = made.record.sweep[0]
    assert (first.min_leaf, first.min_split, first.is_used) == (5, 15, False)
    copy = synthesise(ORIGINAL, min_leaf=5, min_split=15, seed=made.seeds.sweep).copies[0]
    found = disclosure(ORIGINAL, copy, keys=["sex", "age"], targets=["work"])
    assert first.repU == found.identity[0].repU
    assert first.DiSCO == first.worst_DiSCO == found.attribute[0].DiSCO
    assert first.worst_target == "work"
    pairs = [row.S_pMSE for row in pair_tables(ORIGINAL, copy).rows]
    assert first.S_pMSE == pytest.approx(np.median(pairs))


def test_without_keys_the_sweep_tells_likeness_alone():
    made = protect(ORIGINAL, steps=[], seed=8, sweep=[33])
    (row,) = made.record.sweep
    assert (row.repU, row.DiSCO, row.worst_target) == (None, None, None)
    assert row.S_pMSE > 0


def test_replicated_uniques_are_taken_out_and_numbers_smoothed_before_noise():
    steps = [
        {"do": "remove_replicated_uniques", "keys": ["sex", "age"]},
        {"do": "smooth", "columns": ["height"]},
        {"do": "add_noise", "column": "height", "sigma": 0.5},
    ]
    made = protect(ORIGINAL, steps=steps, seed=4)
    gone = made.record.removal.rows[0].n_removed
    assert made.s1.height == N_ROWS
    assert made.s2.height == made.s3.height == N_ROWS - gone < N_ROWS
    assert made.record.smoothing[0].rows[0].column == "height"
    short = (
        f"The synthetic data have {made.s3.height} rows, not {N_ROWS}: replicated uniques"
        " were taken out."
    )
    assert short in made.record.warnings


@pytest.mark.slow
def test_special_codes_are_no_amounts_in_any_step():
    coded = ORIGINAL.with_columns(
        pl.when(pl.col("sex") == "f").then(-8.0).otherwise("height").alias("height")
    )
    steps = [{"do": "add_noise", "column": "height", "population": "normal(176, 7)", "N": 60000}]
    made = protect(coded, steps=steps, seed=4, special_codes={"height": [-8]})
    codes = made.s3["height"] == -8
    assert (codes == (made.s2["height"] == -8)).all()
    assert codes.any()
    assert made.record.reasons[0].ecap.n_missing == (coded["height"] == -8).sum()


def test_numbers_about_which_nothing_is_said_are_named():
    made = protect(ORIGINAL, steps=STEPS[:2], seed=4)
    assert made.record.warnings[-1] == (
        "No noise setting for age and height. If an intruder could know these values, add noise;"
        " otherwise record the reason (not_needed)."
    )


def test_nothing_that_is_printed_shows_a_row(made):
    assert repr(made) == (
        "Protected synthetic data from a data frame: 240 rows after top_code, synthesise,"
        " distance_filter and add_noise"
    )
    page = made._repr_html_()
    assert "Rounds of the filter" in page
    assert str(made.seeds.seed) not in page
    assert made.frame().columns == ["number", "do", "column", "n_rows", "n_columns", "sentence"]


def test_rows_of_kept_columns_are_mixed_and_the_custodian_is_told():
    ordered = ORIGINAL.sort("age")
    settings = {"steps": [{"do": "synthesise"}], "synthesis": {"keep": ["age", "sex"]}}
    made = protect(ordered, **settings, seed=3)
    kept = ["age", "sex"]
    beside = synthesise(
        ordered, keep=kept, min_leaf=33, min_split=100, seed=made.seeds.synthesise
    ).copies[0]
    assert_frame_equal(beside.select(kept), ordered.select(kept))
    assert_frame_equal(made.s3.sort(made.s3.columns), beside.sort(beside.columns))
    by_place = [
        np.corrcoef(np.arange(N_ROWS), frame["age"].to_numpy())[0, 1] for frame in (beside, made.s3)
    ]
    assert by_place[0] > 0.9  # the original is sorted by age
    assert abs(by_place[1]) < 0.2
    assert made.s3.equals(protect(ordered, **settings, seed=3).s3)
    assert made.record.warnings[0] == (
        "sex and age are kept as the original has them: their values, and how they occur together,"
        " are those of real people. The rows were put into random order, so that none keeps its"
        " place in the original."
    )


def test_keys_that_a_step_dropped_are_left_out_of_the_sweep_and_that_is_said():
    steps = [{"do": "drop", "column": "age"}, {"do": "remove_replicated_uniques"}]
    keys, targets = ["sex", "age"], ["work"]
    made = protect(ORIGINAL, steps=steps, seed=1, keys=keys, targets=targets, sweep=[20])
    assert made.record.warnings[0] == (
        "The key 'age' is not in the synthetic data: step 1 drops it, so that the sweep is"
        " without it."
    )
    alone = protect(
        ORIGINAL.drop("age"), steps=[], seed=1, keys=["sex"], targets=targets, sweep=[20]
    )
    assert made.record.sweep == alone.record.sweep
    assert "<p>Keys: sex.</p>" in made._repr_html_()


def test_targets_that_are_not_synthesised_are_left_out_of_the_sweep_and_that_is_said():
    order = {"order": ["sex", "age", "height"]}
    made = protect(
        ORIGINAL, steps=[], synthesis=order, seed=1, keys="sex", targets=["work", "age"], sweep=[33]
    )
    assert made.record.sweep[0].worst_target == "age"
    assert made.record.warnings[0] == (
        "The target 'work' is not in the synthetic data: it is not synthesised, so that the"
        " sweep is without it."
    )


@pytest.mark.parametrize("role", ["keys", "targets"])
def test_a_sweep_of_which_every_key_or_target_is_dropped_can_be_done(role):
    roles = {"keys": ["sex"], "targets": ["work"]}
    steps = [{"do": "drop", "column": roles[role][0]}]
    made = protect(ORIGINAL, steps=steps, seed=1, sweep=[33], **roles)
    (row,) = made.record.sweep
    assert row.DiSCO is None
    assert (row.repU is None) == (role == "keys")


def test_special_codes_of_text_are_said_to_be_unused():
    made = protect(ORIGINAL, steps=[], seed=1, special_codes={"work": [3]})
    assert made.record.warnings[0] == (
        "The special codes of 'work' are not used: the column holds no numbers when it is"
        " synthesised."
    )


@pytest.mark.parametrize("columns", [["sex"], ["sex", "age"]])
def test_fewer_people_than_a_leaf_holds_are_refused_whatever_is_modelled(columns):
    with pytest.raises(SettingsError, match="min_leaf is 33, but the original has 1 row"):
        protect(ORIGINAL.select(columns).head(1), steps=[])


def test_the_sweep_holds_the_size_in_use_and_none_that_cannot_be_had():
    made = protect(ORIGINAL.head(60), steps=[], synthesis={"min_leaf": 25}, audience="open", seed=1)
    rows = [(row.min_leaf, row.is_used) for row in made.record.sweep]
    assert rows == [(5, False), (20, False), (25, True), (33, False)]


@pytest.mark.slow
def test_codes_with_labels_need_no_word_about_noise():
    made = protect(labelled_survey(), steps=[], seed=1)
    kinds = {column.name: column.kind for column in made.record.synthesis.columns}
    asked = made.record.warnings[-1].partition(". If")[0]
    schema = made.s3.schema
    coded = [name for name in schema if schema[name].is_numeric() and kinds[name] == "category"]
    assert coded
    assert asked.startswith("No noise setting for ")
    assert not [name for name in coded if name in asked]


def test_constants_need_no_word_about_noise():
    more = ORIGINAL.with_columns(constant=pl.lit(5))
    made = protect(more, steps=[], seed=1)
    assert "setting for age and height." in made.record.warnings[-1]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("parametric", "parametric models"),
        ("sample", "the distribution of each column by itself"),
        ({"age": "normrank", "work": "cart"}, "statistical models of each column"),
    ],
)
def test_the_statement_tells_the_class_of_method(method, words):
    more = ORIGINAL.with_columns(constant=pl.lit(5))
    made = protect(more, steps=[], synthesis={"method": method}, seed=1)
    assert f"drawn from {words} fitted to confidential data." in made.statement


def test_noise_that_rounding_has_undone_is_not_said_to_protect():
    steps = [
        {
            **{"do": "add_noise", "column": "age", "population": "normal(45, 17)", "N": 600_000},
            **{"sigma": 0.01, "round": 0},
        }
    ]
    whole = ORIGINAL.with_columns(pl.col("age").round())
    made = protect(whole, steps=steps, seed=1)
    assert made.record.steps[1].sentence == (
        "normal noise with standard deviation 0.01 on age; rounding has undone it, so that it"
        " protects from nothing."
    )
    steps[0]["sigma"] = 1
    more = protect(whole, steps=steps, seed=1)
    assert "; the highest ECAP before rounding is 0." in more.record.steps[1].sentence


NOISE = {"do": "add_noise", "column": "height"}
WRONG = [
    (
        {"steps": [NOISE | {"sigma": 1}, {"do": "synthesise"}]},
        "Step 1 (add_noise): it is done to the synthetic data, but nothing is synthesised by"
        " then. Put it behind the step synthesise, which is step 2.",
    ),
    (
        {"steps": [{"do": "synthesise"}, {"do": "drop", "column": "sex"}]},
        "Step 2 (drop): recodings are done to the original, before it is synthesised. Put it"
        " before the step synthesise, which is step 1.",
    ),
    (
        {"steps": [{"do": "synthesise"}, {"do": "synthesise"}]},
        "Step 2 (synthesise): this is step 1 again. Omit one of them.",
    ),
    (
        {"steps": [{"do": "synthesise"}, NOISE | {"sigma": 1}, {"do": "distance_filter"}]},
        "Step 3 (distance_filter): rows that are drawn again must undergo every later step. Put it"
        " before add_noise, directly after synthesise.",
    ),
    (
        {
            "steps": [
                *({"do": "synthesise"}, NOISE | {"sigma": 1}),
                {"do": "smooth", "columns": ["age"]},
            ]
        },
        "Step 3 (smooth): smoothing would undo the noise. Put it before add_noise.",
    ),
    (
        {
            "steps": [
                *({"do": "synthesise"}, NOISE | {"sigma": 1}, {"do": "remove_replicated_uniques"}),
                {"do": "add_noise", "column": "age", "sigma": 1},
            ]
        },
        "Step 4 (add_noise): remove_replicated_uniques is between it and an earlier add_noise. Put"
        " them together.",
    ),
    (
        {"steps": [{"do": "synthesise"}, NOISE | {"sigma": 1}, NOISE | {"sigma": 2}]},
        "Step 3 (add_noise): column 'height' is in step 2 already. Give its noise once.",
    ),
    (
        {"steps": [{"do": "synthesise", "min_leaf": 5}]},
        "Step 1 (synthesise): there is no setting 'min_leaf'. The settings of the synthesis belong"
        " in [synthesis], or in synthesis={...}.",
    ),
    (
        {"steps": [{"do": "synthesise"}, NOISE]},
        "Step 2 (add_noise): the amount of noise is missing. Give sigma, or population and N, from"
        " which the least noise that is enough is found.",
    ),
    (
        {"steps": [{"do": "synthesise"}, NOISE | {"not_needed": " "}]},
        "Step 2 (add_noise): not_needed must state why the column needs no noise.",
    ),
    (
        {"steps": [{"do": "synthesise"}, NOISE | {"not_needed": "no", "sigma": 1}]},
        "Step 2 (add_noise): sigma is given, but the column is declared to need no noise.",
    ),
    (
        {"steps": [{"do": "synthesise"}, NOISE | {"sigma": 1, "N": 5}]},
        "Step 2 (add_noise): N is given without a population. Give one, or omit it.",
    ),
    (
        {"steps": {"do": "synthesise"}},
        "The steps are a single table. Give a list of steps, such as"
        " [{'do': 'drop', 'column': 'name'}].",
    ),
    (
        {"steps": ["synthesise"]},
        "Step 1 is 'synthesise'. Write each step as a table, such as"
        " {'do': 'drop', 'column': 'name'}.",
    ),
    (
        {"synthesis": {"copies": 5}},
        "synthesis: copies is 5. One file is protected and released: several from the same"
        " original disclose more. Omit it.",
    ),
    (
        {"synthesis": {"keep": ["sex"]}},
        "Step 2 (distance_filter): columns are kept as the original has them (keep), row for row,"
        " so rows cannot be drawn again. Synthesise every column, or omit the filter.",
    ),
    (
        {"synthesis": [1]},
        'synthesis is of type list. It must be a mapping, such as {"min_leaf": 50}.',
    ),
    (
        {"audience": "opne"},
        "audience is 'opne'. Did you mean 'open'? It must be one of: closed, registered, open.",
    ),
    ({"sweep": [0]}, "A leaf of the sweep is 0. It must be a whole number from 1 on."),
    (
        {"sweep": range(1, 20)},
        "The sweep has 19 sizes of leaves. Each needs its own synthesis: give at most 12.",
    ),
    (
        {"special_codes": {"heigth": [-8]}},
        "Special codes: The original has no column 'heigth'. Did you mean 'height'? Its columns"
        " are: sex, age, height, work.",
    ),
    (
        {"keys": ["sx", "age"], "targets": ["wrk"]},
        "Keys: The original has no column 'sx'. Did you mean 'sex'? Its columns are: sex, age,"
        " height, work.\nTargets: The original has no column 'wrk'. Did you mean 'work'? Its"
        " columns are: sex, age, height, work.",
    ),
    (
        {"keys": ["sex"], "targets": ["sex"]},
        "'sex' cannot be key and target of the same scenario: what the intruder knows already"
        " cannot be disclosed. Remove it from one of the two.",
    ),
    (
        {"sweep": [5, 241]},
        "A leaf of the sweep is 241, but the original has 240 rows. Give smaller sizes.",
    ),
    (
        {"sweep": [200], "synthesis": {"strata": "sex"}},
        f"A leaf of the sweep is 200, but the smallest stratum has {FEWER_SEX} rows. Give smaller"
        " sizes.",
    ),
    (
        {"missing_values": 5},
        'missing_values is 5. Write entries as text, such as ["NA", "?"].',
    ),
    ({"rows": 0}, "rows is 0. It must be a whole number from 1 to 100,000,000."),
    (
        {"seed": -1},
        "The seed is -1. It must be a whole number from 0 to 9,223,372,036,854,775,807.",
    ),
]


@pytest.mark.parametrize(("settings", "sentence"), WRONG)
def test_what_means_nothing_is_refused_in_a_sentence(settings, sentence):
    with pytest.raises(InputError) as refusal:
        protect(ORIGINAL, **settings)
    assert str(refusal.value) == sentence


def test_all_faults_of_a_plan_are_told_at_once():
    steps = [
        {"do": "top_code", "column": "age", "att": 75},
        {"do": "synthesis"},
        {"do": "distance_filter", "metric": "euclid", "rule": "strickt"},
        {"do": "add_noise", "column": "age", "population": "normal(1)", "N": 0},
    ]
    with pytest.raises(SettingsError) as refusal:
        protect(ORIGINAL, steps=steps, synthesis={"min_lef": 3})
    told = str(refusal.value).split("\n")
    assert len(told) == 7
    assert told[-1] == "Step 4 (add_noise): N is 0. It must be a whole number from 1 on."
    assert told[0].startswith("synthesis: there is no setting 'min_lef'. Did you mean 'min_leaf'?")
    assert any("do is 'synthesis'. Did you mean 'synthesise'?" in one for one in told)


def test_columns_that_later_steps_name_are_looked_for_before_anything_is_fitted(monkeypatch):
    monkeypatch.setattr("unveil.protection.steps.synthesise", None)
    steps = [
        {"do": "drop", "column": "height"},
        {"do": "distance_filter", "columns": ["aeg"]},
        {"do": "add_noise", "column": "height", "sigma": 1},
    ]
    with pytest.raises(RolesError) as refusal:
        protect(ORIGINAL, steps=steps)
    assert str(refusal.value).split("\n") == [
        "Step 2 (distance_filter): The original has no column 'aeg'. Did you mean 'age'? Its"
        " columns are: sex, age, work.",
        "Step 3 (add_noise): column 'height' was dropped by step 1. Take one of them out.",
    ]


def test_more_rows_than_the_original_has_are_warned_of():
    made = protect(ORIGINAL, steps=[], rows=300, seed=1)
    assert made.s3.height == 300
    assert any("more than the 240 of the original" in one for one in made.record.warnings)


def test_a_column_of_numbers_that_are_all_missing_needs_no_noise():
    empty = ORIGINAL.with_columns(height=pl.lit(None, pl.Float64))
    with pytest.raises(SettingsError) as refusal:
        protect(empty, steps=[NOISE | {"population": "normal(170, 9)", "N": 60000}])
    assert str(refusal.value) == (
        "Step 1 (add_noise): column 'height' holds no number. Omit the step."
    )


def test_columns_with_noise_are_measured_together_and_people_by_their_rows():
    """What is enough for each column is not for both; the figure is that of `ecap_records`."""
    data = (
        survey()
        .head(300)
        .select("sex", "age", "income")
        .with_columns(income=pl.col("income").clip(0, 4000))
    )
    data = data.with_columns(who=pl.int_range(300) // 2)
    noise = {"N": 9_000, "n": 150, "threshold": 0.1}
    steps = [
        {"do": "synthesise"},
        {"do": "add_noise", "column": "age", "population": "normal(48, 19)", **noise},
        {"do": "add_noise", "column": "income", "population": "normal(1800, 1200)", **noise},
    ]
    made = protect(data, steps=steps, seed=1, synthesis={"person": "who"})
    how = {reason.column: reason.sigma for reason in made.record.reasons}
    own = unveil.ecap_records(data, columns=how, N=9_000, n=150, threshold=0.1, person="who").record
    assert made.record.together.worst == own.worst > 0.9
    assert made.record.together.factor == own.factor > 1
    assert any("knows age and income together" in one for one in made.record.warnings)


UNDONE_FILTER = """
[synthesis]
min_leaf = 5

[[protect.step]]
do = "synthesise"

[[protect.step]]
do = "distance_filter"
columns = ["age", "income"]

[[protect.step]]
do = "add_noise"
column = "income"
sigma = 40
"""


@pytest.mark.slow
@pytest.mark.parametrize("repair", [False, True])
def test_a_run_says_that_noise_undid_the_filter_unless_it_was_repaired(tmp_path, repair):
    steps = UNDONE_FILTER
    if repair:
        steps = steps.replace('["age", "income"]', '["age", "income"]\nrepair = true')
    released = HEAD.replace("copy.csv", "protected/FAKE_people.csv")
    project(tmp_path / "small", SCENARIO, steps)
    file = tmp_path / "small" / "project.toml"
    record = unveil.Project(file).protect(seed=1).record
    file.write_text(file.read_text("utf-8").replace(HEAD, released), "utf-8")
    alerts = unveil.Project(file).run().record.alerts
    found = [one for one in alerts if one.id == "undone:distance_filter"]
    if repair:
        assert (found, record.n_close_after > 0) == ([], True)
        return
    (alert,) = found
    original, copy = (pl.read_csv(tmp_path / "small" / name) for name in READ)
    kept = distance_filter(original, copy, columns=["age", "income"]).keep
    assert (alert.figure, alert.status) == ((~kept).sum(), "review")
    assert f"brought {(~kept).sum()} synthetic records so close" in alert.sentence


READ = ("people.csv", "protected/FAKE_people.csv")
