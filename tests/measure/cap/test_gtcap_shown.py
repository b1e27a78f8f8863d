"""GTCAP as people see it: sentences, notebook, command line; each number is that of the record."""

import csv
import io
import json

import polars as pl
import pytest
from msgspec.structs import replace

from unveil.cli.gtcap import gtcap as command
from unveil.errors import ReadError, RolesError, SettingsError
from unveil.measure.cap.gtcap import gtcap
from unveil.view import gtcap as words

ORIGINAL = [("m", 30, 1), ("m", 33, 0), ("m", 50, 1), ("f", 40, 0)]
SYNTHETIC = [("m", 32, 1), ("m", 48, 1), ("f", 60, 0)]
HOSTILE = "<b>\x1b[31m=cmd"


def people(rows, columns=("sex", "age", "ill")):
    return pl.DataFrame(rows, schema=list(columns), orient="row")


def measured(original=ORIGINAL, synthetic=SYNTHETIC, **settings):
    chosen = {"keys": ["sex", "age"], "target": "ill", "radii": {"age": 5}, **settings}
    return gtcap(people(original), synthetic, **chosen)


@pytest.fixture
def result():
    return measured(synthetic=people(SYNTHETIC))


@pytest.fixture
def files(tmp_path):
    paths = [str(tmp_path / name) for name in ("original.csv", "synthetic.csv")]
    people(ORIGINAL).write_csv(paths[0])
    people(SYNTHETIC).write_csv(paths[1])
    return paths


def told(record):
    return dict(words.gtcap_sentences(record)).values()


def run(*arguments):
    command.main([str(argument) for argument in arguments], standalone_mode=False)


def test_the_sentences_of_the_worked_example(result):
    assert words.sizes(result.record) == (
        "4 people in the original, 3 records in the synthetic data. An intruder knows sex and age"
        " and wants ill. Near means closer than age 5; all other columns must be the same."
    )
    assert list(told(result.record)) == [
        "2 of 4 people (50.0 %) are statistical uniques: no one else in the original is near them"
        " in every key.",
        "GTCAP 0 (0 = baseline, a guess from the marginal distribution; 1 = original).",
        "A draw among the records near such a person, by weight, is correct in 50.0 % of cases with"
        " the synthetic data, 100.0 % with the original and 50.0 % at the baseline: 0 on that"
        " scale.",
        "1 of them have no record near them in the synthetic data, which counts as 0.",
    ]
    assert repr(result) == (
        "GTCAP of ill from sex and age: mean 0, ratio of means 0 (2 statistical uniques)"
    )


def test_without_uniques_the_sentence_says_so():
    result = measured(ORIGINAL[:2], people(SYNTHETIC))
    assert list(told(result.record)) == [
        "No one is a statistical unique under this rule, so nothing could be measured."
    ]
    assert "mean -" in repr(result)
    assert "No one is a statistical unique" in result._repr_html_()


def test_without_a_scale_the_sentence_says_so():
    original = [("m", 30, 1), ("f", 30, 1)]
    said = list(told(measured(original, people(original)).record))
    assert said[1] == (
        "The original discloses no more about any of them than the baseline, so there is no scale."
    )
    assert said[2].endswith("and 100.0 % at the baseline.")


def test_dropped_records_are_told(result):
    record = replace(result.record, n_dropped=1_234)
    assert (
        "1,234 of them are not in the mean: the original discloses no more about them than the"
        " baseline."
    ) in told(record)


def test_a_mean_that_single_scores_swing_is_explained(result):
    steady, swung = (replace(result.record, mean=mean, ratio_of_means=0.1) for mean in (0.2, 9.5))
    assert words.SWINGS not in told(steady)
    assert words.SWINGS in told(swung)


def test_the_dilution_by_several_numeric_keys_is_told():
    settings = {"keys": ["age", "ill"], "target": "sex", "radii": {"age": 5, "ill": 2}}
    for kind, is_told in (("mean", True), ("product", False)):
        record = measured(synthetic=people(ORIGINAL), coefficient=kind, **settings).record
        said = "A record that is near in only one of the 2 numeric keys still counts, with 1/2 of"
        assert any(text.startswith(said) for text in told(record)) == is_told


@pytest.mark.parametrize("rule", words.RULES)
def test_every_rule_has_its_words(rule):
    record = measured(synthetic=people(SYNTHETIC), unique_rule=rule).record
    assert any(words.RULES[rule] in sentence for sentence in told(record))


def test_without_radii_the_sizes_say_so():
    record = measured(synthetic=[people(ORIGINAL), people(ORIGINAL)], radii=None).record
    assert words.sizes(record) == (
        "4 people in the original, 2 copies of 4 and 4 records. An intruder knows sex and age and"
        " wants ill. No column has a radius: all must be the same."
    )


def test_the_notebook_view_escapes_names_and_shows_no_record(result):
    columns = ("sex", "age", HOSTILE)
    hostile = gtcap(
        people(ORIGINAL, columns),
        people(SYNTHETIC, columns),
        keys=["sex", "age"],
        target=HOSTILE,
        radii={"age": 5},
    )
    for shown in (hostile._repr_html_(), repr(hostile)):
        assert "\x1b" not in shown
    assert "<b>" not in hostile._repr_html_()
    assert "1 and more" in result._repr_html_()


def test_the_screen(files, capsys):
    run(*files, "--keys", "sex,age", "--target", "ill", "--radius", "age=5")
    out = capsys.readouterr().out
    for shown in ("2 of 4 people (50.0 %)", "ratio", "synthetic", "1 and more", "-1 to -0.75"):
        assert shown in out


def test_the_screen_without_uniques(files, capsys):
    run(*files, "-k", "age", "-t", "ill", "-r", "age=100")
    out = capsys.readouterr().out
    assert "No one is a statistical unique" in out
    assert "1 and more" not in out


def test_the_json_document_has_no_record_of_a_person(files, capsys):
    run(*files, "-k", "sex,age", "-t", "ill", "-r", "age=5", "--json")
    document = json.loads(capsys.readouterr().out)
    assert document["files"] == ["original.csv", "synthetic.csv"]
    assert (document["n_unique"], document["mean"], document["unique_rule"]) == (2, 0.0, "all_keys")
    assert document["radii"] == [{"column": "age", "radius": 5.0}]
    assert not {"rows", "unique"} & set(document)


def test_the_csv_has_one_row_per_copy(files, capsys):
    original, synthetic = files
    run(original, synthetic, original, "-k", "sex,age", "-t", "ill", "-r", "age=5", "--csv")
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["copy"] for row in rows] == ["1", "2", "mean", "pooled"]
    assert rows[1]["mean"] == "1.0"


def test_settings_reach_the_measure(files, capsys):
    run(
        *(*files, "-k", "sex,age", "-t", "ill", "-r", "age=5", "--json"),
        *("--unique-rule", "equal", "--coefficient", "minimum", "--special-codes", "age=-8"),
    )
    document = json.loads(capsys.readouterr().out)
    assert (document["unique_rule"], document["coefficient"]) == ("equal", "minimum")
    assert document["n_unique"] == 4


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (
            [],
            ReadError,
            "Name the original file and at least one synthetic file: unveil gtcap original.csv"
            " synthetic.csv --keys sex,age,region.",
        ),
        (
            ["o.csv", "s.csv"],
            RolesError,
            "Name the key variables an intruder would know: --keys sex,age,region.",
        ),
        (
            ["o.csv", "s.csv", "-k", "sex"],
            RolesError,
            "Name the target variable: --target ill.",
        ),
        (
            ["o.csv", "s.csv", "-k", "sex", "-t", "ill", "-r", "age"],
            SettingsError,
            "--radius 'age' cannot be read. Write a column, =, and a value: COLUMN=RADIUS.",
        ),
        (
            ["o.csv", "s.csv", "-k", "sex", "-t", "ill", "-r", "sex=1", "-r", "sex=2"],
            SettingsError,
            "--radius is given twice for 'sex'. Give it once.",
        ),
        (
            ["o.csv", "s.csv", "-k", "sex", "-t", "ill", "--json", "--csv"],
            SettingsError,
            "--json and --csv cannot be printed together. Choose one.",
        ),
    ],
)
def test_wrong_use_is_a_sentence(arguments, error, sentence):
    with pytest.raises(error) as refusal:
        run(*arguments)
    assert str(refusal.value) == sentence
