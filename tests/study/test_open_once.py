"""A command reads each file once, aligns each column once and encodes each column once."""

from collections import Counter

import polars as pl
import pytest
from click.testing import CliRunner

import unveil
import unveil.count.cells
import unveil.io.sources
import unveil.study.study
from unveil.cli.commands import Commands
from unveil.errors import AlignError, InputError, SettingsError
from unveil.examples import survey, survey_synthetic
from unveil.measure.attacks.linkability import linkability
from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.disclosure.excess import excess
from unveil.measure.utility.utility import utility
from unveil.study.study import Study

COLUMNS = ["sex", "age", "region", "income", "health"]
KEYS = "sex,age,region"
FILES = ("survey.csv", "one.csv", "two.csv", "left_out.csv")

COMMANDS = {
    "disclosure": (f"disclosure survey.csv one.csv two.csv -k {KEYS} --json", 3, 5),
    "limit": (f"disclosure survey.csv one.csv -k {KEYS} --limit DiSCO=90 --json", 2, 5),
    "exclusions": (f"exclusion-table survey.csv one.csv -k {KEYS} --json", 2, 5),
    "cap": (f"cap survey.csv one.csv two.csv -k {KEYS} -t income --json", 3, 4),
    "gtcap": ("gtcap survey.csv one.csv -k sex,region -t health --json", 2, 3),
    "excess": (f"excess survey.csv left_out.csv one.csv -k {KEYS} --json", 3, 5),
    "uniques": (f"uniques survey.csv -k {KEYS} --sensitive health --json", 1, 4),
    "utility": (
        "utility survey.csv one.csv two.csv --ways 1,2 --compare --projection --json",
        3,
        5,
    ),
    "attack": (
        "attack survey.csv one.csv two.csv --control left_out.csv --n 30 --seed 1 --json",
        4,
        5,
    ),
    "assess": (f"assess survey.csv one.csv two.csv --control left_out.csv -k {KEYS} --json", 4, 5),
    "keysets": (f"keysets survey.csv one.csv -k {KEYS} --limit DiSCO=90 --json", 2, 5),
    "differential": (
        f"differential-confidentiality survey.csv left_out.csv one.csv -k {KEYS} -t income --json",
        3,
        4,
    ),
    "suggest": ("suggest survey.csv --json", 1, 5),
    "init": ("init survey.csv --synthetic one.csv --control left_out.csv", 3, 5),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    people = survey().select(COLUMNS)
    people[:300].write_csv(tmp_path / "survey.csv")
    people[300:500].write_csv(tmp_path / "left_out.csv")
    made = survey_synthetic().select(COLUMNS)
    made[:300].write_csv(tmp_path / "one.csv")
    made[300:600].write_csv(tmp_path / "two.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def counted(monkeypatch) -> Counter:
    """How often each file was read, and each column aligned and encoded."""
    found = Counter()

    def count(module, name, what):
        real = getattr(module, name)

        def counting(first, *others, **settings):
            label = first if isinstance(first, str) else getattr(first, "name", "frame")
            found[what, label] += 1
            return real(first, *others, **settings)

        monkeypatch.setattr(module, name, counting)

    count(unveil.io.sources, "_read", "read")
    count(unveil.study.study, "align_column", "aligned")
    count(unveil.study.study, "encode", "encoded")
    return found


def number(counted: Counter, what: str) -> int:
    return sum(n for (kind, _), n in counted.items() if kind == what)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_opens_once(folder, counted, command):
    words, n_files, n_columns = COMMANDS[command]
    done = CliRunner().invoke(Commands(), words.split())
    assert done.exit_code in (0, 3, 4), done.output
    assert [label for label, n in counted.items() if n > 1] == []
    assert number(counted, "read") == n_files
    assert number(counted, "aligned") == n_columns
    assert n_columns >= number(counted, "encoded") >= n_columns - 1  # what is only looked up


def test_a_run_opens_once(folder, counted):
    invoke = CliRunner().invoke
    words = "init survey.csv --synthetic one.csv --synthetic two.csv --control left_out.csv"
    assert invoke(Commands(), words.split()).exit_code == 0
    counted.clear()
    done = invoke(Commands(), ["run"])
    assert done.exit_code in (0, 3, 4), done.output
    assert [label for label, n in counted.items() if n > 1] == []
    assert number(counted, "read") == len(FILES)
    assert number(counted, "aligned") == number(counted, "encoded") == len(COLUMNS)


PLAN = """
[data]
original = "survey.csv"
[[protect.step]]
do = "synthesise"
[[protect.step]]
do = "distance_filter"
columns = ["age", "income"]
max_rounds = 1
"""


def test_protecting_reads_the_original_once_and_compares_each_frame_once(folder, counted):
    (folder / "project.toml").write_text(PLAN, encoding="utf-8")
    done = CliRunner().invoke(Commands(), ["protect", "--seed", "1"])
    assert done.exit_code == 0, done.output
    assert counted["read", "survey.csv"] == 1
    # The original by itself, for identifiers, and with the rows drawn, for filter and picture.
    aligned = {label: n for (what, label), n in counted.items() if what == "aligned"}
    assert aligned == {"age": 2, "income": 2}


def test_a_filter_opens_once(folder, counted):
    unveil.distance_filter("survey.csv", "one.csv", columns=["age", "income"])
    assert counted["read", "survey.csv"] == counted["read", "one.csv"] == 1
    assert {label for label, n in counted.items() if n > 1} == set()
    assert number(counted, "aligned") == number(counted, "encoded") == 2


def test_exploring_compares_the_copies_of_a_setting_once(folder, counted):
    found = unveil.explore(
        "survey.csv", keys=KEYS.split(","), methods=["sample", "cart"], min_leaf=5, copies=2, seed=1
    )
    assert counted["read", "survey.csv"] == 1
    # Of each setting its copies with the whole and its two parts; the original by itself.
    n_made = len(found.rows) + 1  # independent columns, the floor of the map, are made too
    assert counted["aligned", "health"] == counted["encoded", "health"] == n_made + 1


def test_measures_of_a_study_share_what_is_known(folder, counted):
    study = Study.open("survey.csv", ["one.csv"], "left_out.csv", keys=["sex", "age"])
    found = disclosure(study)
    linked = linkability(study, columns=(["sex"], ["age", "region"]), n=20, seed=1)
    apart = utility(study, seed=1, n_permutations=2)
    assert number(counted, "read") == 3
    assert number(counted, "aligned") == number(counted, "encoded") == len(COLUMNS)
    pair = ("survey.csv", "one.csv")
    assert found.record == disclosure(*pair, keys=["sex", "age"]).record
    other = linkability(
        *pair, control="left_out.csv", columns=(["sex"], ["age", "region"]), n=20, seed=1
    )
    assert linked.record == other.record
    assert apart.record == utility(*pair, seed=1, n_permutations=2).record


def test_the_same_scenario_is_counted_once(monkeypatch):
    people = pl.DataFrame({"a": [1, 2, 2], "b": ["x", "y", "y"]})
    counted = []
    for name in ("count_keys", "count_cells"):
        real = getattr(unveil.count.cells, name)
        monkeypatch.setattr(
            unveil.count.cells,
            name,
            lambda *given, real=real: (counted.append(real), real(*given))[1],
        )
    study = Study.open(people, people)
    first, again = (disclosure(study, keys="a").record for _ in range(2))
    assert first == again
    assert len(counted) == len(set(counted)) == 2


def test_one_file_that_cannot_be_compared_does_not_stop_the_others():
    numbers, words = pl.DataFrame({"a": [1, 2], "b": [1, 2]}), pl.DataFrame({"a": [1, 2]})
    words = words.with_columns(b=pl.Series(["one", "two"]))
    study = Study.open(numbers, [numbers, words])
    first, second = study.synthetic
    assert disclosure(study.original, first, keys="a").record.targets == ("b",)
    with pytest.raises(
        AlignError, match="holds numbers in the original but text in the synthetic data"
    ):
        disclosure(study.original, second, keys="a")


def test_other_missing_values_than_those_of_the_study_are_refused():
    people = pl.DataFrame({"a": ["x", "NA"], "b": [1, 2]})
    study = Study.open(people, people, missing_values="NA")
    with pytest.raises(SettingsError, match="missing_values differ from those"):
        disclosure(study, keys="a", missing_values="x")


def test_kinds_are_reported():
    people = pl.DataFrame(
        {
            "age": [30, 40, 50],
            "sex": ["f", "m", "f"],
            "day": pl.Series(["2020-01-01", "2020-01-02", None]).str.to_date(),
            "school": pl.Series(["low", "high", "low"], dtype=pl.Enum(["low", "high"])),
        }
    )
    kinds = Study.open(people, categories=["age"]).kinds()
    assert kinds == {"age": "category", "sex": "category", "day": "date", "school": "ordered"}


PEOPLE = pl.DataFrame({"a": [1, 2, 2, 3], "b": [1, 5, 5, -8], "c": list("xyyx")})


def test_what_is_said_of_a_column_goes_to_measures_that_compare_it():
    study = Study.open(PEOPLE, PEOPLE, keys="a", special_codes={"b": [-8]}, bands={"b": 2})
    pair = (PEOPLE, PEOPLE)
    assert disclosure(study, targets="c").record == disclosure(*pair, keys="a", targets="c").record
    with_b = disclosure(*pair, keys="a", targets="b", special_codes={"b": [-8]}, bands={"b": 2})
    assert disclosure(study, targets="b").record == with_b.record
    assert linkability(study, columns=("a", "c"), seed=1).record == (
        linkability(*pair, columns=("a", "c"), seed=1).record
    )


BAD = {
    "a study with files": (lambda study: disclosure(study, PEOPLE), "A study holds all files"),
    "a study with a copy": (lambda study: disclosure(study, synthetic=PEOPLE), "A study holds all"),
    "no control": (excess, "The study has no control file. Give it to"),
    "an unknown key": (lambda _: Study.open(PEOPLE, PEOPLE, keys="aa"), "has no column 'aa'"),
    "an unknown category": (lambda _: Study.open(PEOPLE, categories=["d"]), "has no column 'd'"),
    "unknown bands": (lambda _: Study.open(PEOPLE, bands={"d": 2}), "has no column 'd'"),
}


@pytest.mark.parametrize("case", BAD)
def test_what_a_study_cannot_do_is_refused(case):
    call, sentence = BAD[case]
    with pytest.raises(InputError, match=sentence):
        call(Study.open(PEOPLE, PEOPLE, keys="a"))
