import os
from importlib.resources import files

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from survey_people import make_frames, survey_people, write_stored
from unveil import examples
from unveil.errors import InputError
from unveil.examples import (
    KEYS,
    TARGETS,
    survey,
    survey_codes,
    survey_labels,
    survey_synthetic,
    survey_synthetic_codes,
    write_csv,
)
from unveil.examples.make import synthesise

DATA_FILES = ("survey.parquet", "survey_synthetic.parquet", "survey_labels.json")
CODES = {"original": survey_codes, "synthetic": survey_synthetic_codes}
READABLE = {"original": survey, "synthetic": survey_synthetic}


@pytest.fixture(params=["original", "synthetic"])
def side(request):
    return request.param


def test_the_files_together_are_well_under_a_megabyte():
    folder = files("unveil.examples")
    assert sum(len(folder.joinpath(name).read_bytes()) for name in DATA_FILES) < 250_000


def test_there_are_5000_people_and_the_keys_and_targets_are_the_12_variables(side):
    frame = READABLE[side]()
    assert frame.shape == (5_000, 12)
    assert tuple(frame.columns) == KEYS + TARGETS


def test_every_public_name_exists_whatever_was_imported_before():
    # A module called `survey` would take the place of the function once it is imported.
    assert all(hasattr(examples, name) for name in examples.__all__)
    assert callable(examples.survey)


@pytest.mark.parametrize("name", ["survey.parquet", "survey_synthetic.parquet"])
def test_what_is_made_again_from_the_seeds_equals_what_is_stored(name):
    stored = survey_codes() if name == "survey.parquet" else survey_synthetic_codes()
    assert_frame_equal(make_frames()[name], stored)


def test_writing_the_stored_files_twice_gives_the_same_bytes(tmp_path):
    first = [path.read_bytes() for path in write_stored(tmp_path)]
    assert [path.read_bytes() for path in write_stored(tmp_path)] == first
    assert sorted(os.listdir(tmp_path)) == ["survey.parquet", "survey_synthetic.parquet"]


def test_another_seed_gives_other_people_and_another_copy():
    original = survey_codes()
    assert not survey_people(seed=1).equals(original)
    assert not synthesise(original, seed=1).equals(survey_synthetic_codes())


def test_every_variable_has_a_label_and_every_code_present_has_one_too(side):
    labels, codes = survey_labels(), CODES[side]()
    assert list(labels) == codes.columns
    assert all(variable["label"] for variable in labels.values())
    for name in codes.columns:
        values, special = labels[name]["values"], labels[name]["special"]
        present = set(codes[name].drop_nulls().to_list())
        if set(values) > set(special):
            assert present == set(values)
        else:
            assert {code for code in present if code < 0} == set(special) == set(values)


def test_levels_read_as_text_and_numbers_stay_numbers(side):
    frame = READABLE[side]()
    numbers = [name for name, dtype in frame.schema.items() if dtype == pl.Int64]
    assert numbers == ["age", "household", "income", "satisfaction"]
    assert all(frame[name].dtype == pl.String for name in frame.columns if name not in numbers)
    assert frame.null_count().equals(CODES[side]().null_count())


def test_answers_are_missing_in_several_targets_and_in_no_key(side):
    frame = READABLE[side]()
    n_missing = frame.null_count().row(0, named=True)
    assert all(n_missing[name] == 0 for name in KEYS)
    assert sum(n_missing[name] > 0 for name in TARGETS) >= 5


def test_income_is_skewed_in_steps_of_50_and_can_be_refused(side):
    income = READABLE[side]()["income"]
    told = income.drop_nulls().filter(income.drop_nulls() >= 0)
    assert (income == -8).sum() > 100
    assert (told % 50 == 0).all()
    assert told.mean() > 1.1 * told.median()
    assert survey_labels()["income"]["special"] == [-8]


def test_ages_are_whole_years_from_16_to_95(side):
    age = READABLE[side]()["age"]
    assert (age.min(), age.max()) == (16, 95)


def test_one_level_dominates_the_long_term_condition(side):
    share = (READABLE[side]()["condition"].fill_null("") == "no condition").mean()
    assert 0.86 < share < 0.91


def test_the_youngest_have_never_married_and_the_oldest_are_retired(side):
    frame = READABLE[side]()
    young, old = frame.filter(pl.col.age < 18), frame.filter(pl.col.age >= 75)
    assert young.height > 100
    assert young["marital"].unique().to_list() == ["never married"]
    assert young["income"].null_count() == young.height
    assert (old["employment"] == "retired").mean() > 0.95


def test_the_keys_single_out_a_good_part_of_the_people_and_some_again_in_the_copy():
    alone = [frame().filter(pl.struct(KEYS).is_unique()) for frame in (survey, survey_synthetic)]
    assert 0.30 < alone[0].height / 5_000 < 0.50
    assert 0.08 < alone[0].join(alone[1], on=KEYS).height / 5_000 < 0.18


def test_the_copy_has_the_same_columns_and_types():
    assert survey_synthetic().schema == survey().schema
    assert survey_synthetic_codes().schema == survey_codes().schema


def test_hardly_any_whole_row_of_the_survey_recurs_in_the_copy():
    original, copy = survey(), survey_synthetic()
    recurring = copy.join(original, on=original.columns, how="semi", nulls_equal=True)
    assert recurring.height / copy.height < 0.01


def test_each_level_is_about_as_frequent_in_the_copy():
    original, copy = survey(), survey_synthetic()
    for name in ("sex", "region", "settlement", "education", "marital", "employment", "health"):
        shares = [dict(f[name].value_counts(normalize=True).iter_rows()) for f in (original, copy)]
        assert shares[0].keys() == shares[1].keys()
        assert all(abs(shares[0][level] - shares[1][level]) < 0.03 for level in shares[0])


def test_nothing_carries_the_name_of_a_real_data_set():
    folder = files("unveil.examples")
    texts = [p.read_bytes().lower() for p in folder.iterdir() if p.name.endswith((".py", ".json"))]
    for name in (b"sd2011", b"adult", b"census", b"polish", b"diagnosis", b"eu-silc", b"nhanes"):
        assert not any(name in text for text in texts)


def test_the_csv_files_read_back_as_the_frames(tmp_path):
    paths = write_csv(tmp_path / "new folder")
    assert [path.name for path in paths] == ["survey.csv", "survey_synthetic.csv"]
    assert_frame_equal(pl.read_csv(paths[0]), survey())
    assert_frame_equal(pl.read_csv(paths[1]), survey_synthetic())
    assert sorted(os.listdir(tmp_path / "new folder")) == ["survey.csv", "survey_synthetic.csv"]


def test_a_file_that_is_there_already_is_kept_and_named(tmp_path):
    (tmp_path / "survey_synthetic.csv").write_text("mine")
    with pytest.raises(InputError, match=r"already holds survey_synthetic\.csv\. Nothing was"):
        write_csv(tmp_path)
    assert (tmp_path / "survey_synthetic.csv").read_text() == "mine"
    assert os.listdir(tmp_path) == ["survey_synthetic.csv"]


def test_a_folder_that_is_a_file_gives_a_sentence(tmp_path):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(InputError, match=r"cannot be written to .*Name a folder in which you may"):
        write_csv(tmp_path / "notes")


def test_a_write_that_fails_leaves_nothing_behind(tmp_path, monkeypatch):
    calls = []

    def full_disk(number):
        calls.append(number)
        if len(calls) == 2:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(InputError, match="No space left on device"):
        write_csv(tmp_path)
    assert os.listdir(tmp_path) == []
