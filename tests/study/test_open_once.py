"""A command reads each file once, aligns each column once and encodes each column once."""

from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal
from polars.testing import assert_series_equal

import unveil
import unveil.count.cells
import unveil.io.sources
import unveil.study.study
from project.test_pack import decided
from unveil.cli.commands import Commands
from unveil.count.codes import CodedColumn
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
    "claims": (f"claims survey.csv one.csv -k {KEYS} --control left_out.csv --json", 3, 5),
    "replicate": ("replicate survey.csv one.csv two.csv --findings found.toml --json", 3, 3),
    "plan": ("plan plan.toml --json", 1, 3),
    "table": ("table survey.csv --microdata --dims sex,region -r conventional:5 --json", 1, 2),
    "synthesise": ("synthesise survey.csv --seed 1 --out made", 1, 2),  # what may be an identifier
    "people": ("split rows.csv --person person --strata sex --seed 1 --out parts", 1, 2),
    # What needs no comparison aligns nothing.
    "codebook": ("codebook survey.csv --json", 1, 0),
    "structure": ("codebook survey.csv one.csv --json", 2, 0),
    "convert": ("convert one.csv --like survey.csv --format csv --out other", 2, 0),
    "noise": (
        "noise one.csv --column age --population empirical --N 60000 --n 300 --json",
        1,
        0,
    ),
    "ecap": ("noise one.csv --together age=1 --together income=2 --N 60000 --n 300 --json", 1, 0),
    "split": ("split survey.csv --seed 1 --out halves", 1, 0),
    "init": ("init survey.csv --synthetic one.csv --control left_out.csv", 3, 5 / 3),
    # What was released is compared as it is: only who is in and who is out is aligned.
    "recognise": (
        "recognise survey.csv --reference left_out.csv --settings made.toml --released one.csv"
        " --people 10 --worlds 60 --workers 1 --seed 1",
        3,
        5 * 2 / 3,
    ),
}

FINDING = """
[[finding]]
name = "pay"
kind = "regression"
formula = "income ~ age + sex"
"""
TABLES = """
data = "survey.csv"
[[table]]
name = "a"
by = ["sex", "region"]
publish = "suppress:4"
[[table]]
name = "b"
by = ["sex", "health"]
publish = "conventional:3"
"""
WITHOUT_DATA = {
    *("set", "explain", "rule", "limits", "answer", "sign", "compare", "report", "decide", "log"),
    *("app", "doctor"),
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    people = survey().select(COLUMNS)
    people[:300].write_csv(tmp_path / "survey.csv")
    people[300:500].write_csv(tmp_path / "left_out.csv")
    made = survey_synthetic().select(COLUMNS)
    made[:300].write_csv(tmp_path / "one.csv")
    made[300:600].write_csv(tmp_path / "two.csv")
    twice = people[:100].with_columns(person=pl.int_range(100) // 2, sex=pl.lit("f"))
    twice.write_csv(tmp_path / "rows.csv")
    (tmp_path / "found.toml").write_text(FINDING, encoding="utf-8")
    (tmp_path / "plan.toml").write_text(TABLES, encoding="utf-8")
    (tmp_path / "made.toml").write_text('[synthesis]\nmethod = "sample"', encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def counted(monkeypatch) -> Counter:
    """How often each file was read, and each column aligned and encoded."""
    found = Counter()

    def count(module, name, tell):
        real = getattr(module, name)

        def counting(*given, **settings):
            found.update(tell(*given))
            return real(*given, **settings)

        monkeypatch.setattr(module, name, counting)

    def read(source, *_):
        yield "read", str(getattr(source, "name", source)) if is_path(source) else "frame"

    def aligned(column, tables):
        yield from (("aligned", f"{table.side}: {column}") for table in tables)

    def encoded(column, sides, *_):
        yield from [("encoded", column)] * len(sides)

    count(unveil.io.sources, "_read", read)
    count(unveil.study.study, "align_column", aligned)
    count(unveil.study.study, "align_beside", lambda known, _, new: aligned(known.name, new))
    count(unveil.study.study, "encode", encoded)
    count(CodedColumn, "add_sides", lambda known, new: encoded(known.name, new))
    return found


def is_path(source) -> bool:
    return isinstance(source, str | Path)


def number(counted: Counter, what: str) -> int:
    found = {label: n for (kind, label), n in counted.items() if kind == what}
    return sum(n for label, n in found.items() if label != "frame")


def aligned_of(counted: Counter, *names: str) -> dict[str, int]:
    """How often each column of a file was aligned, by the names that it has as a side."""
    found = Counter()
    for (what, label), n in counted.items():
        side, _, column = label.partition(": ")
        if what == "aligned" and side in names:
            found[column] += n
    return dict(found)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_opens_once(folder, counted, command):
    words, n_files, n_columns = COMMANDS[command]
    done = CliRunner().invoke(Commands(), words.split())
    assert done.exit_code in (0, 3, 4), done.output
    check_once(counted)
    assert number(counted, "read") == n_files
    assert number(counted, "aligned") == n_files * n_columns
    assert 0 <= n_columns - number(counted, "encoded") / n_files <= 1  # what is only looked up


def check_once(counted: Counter) -> None:
    """No file was read twice, and none of its columns aligned twice."""
    is_counted = [key for key in counted if key[0] != "encoded" and key != ("read", "frame")]
    assert [key for key in is_counted if counted[key] > 1] == []


def test_every_command_that_opens_data_is_counted():
    told = {words.split()[0] for words, *_ in COMMANDS.values()}
    apart = {"run", "whatif", "explore", "protect", "demo", "pack", "verify"}
    assert told | apart | WITHOUT_DATA == {*Commands().list_commands(None)}


def test_a_run_opens_once(folder, counted):
    invoke = CliRunner().invoke
    words = "init survey.csv --synthetic one.csv --synthetic two.csv --control left_out.csv"
    assert invoke(Commands(), words.split()).exit_code == 0
    counted.clear()
    done = invoke(Commands(), ["run"])
    assert done.exit_code in (0, 3, 4), done.output
    n_sides = len(FILES) * len(COLUMNS)
    check_once(counted)
    assert number(counted, "read") == len(FILES)
    assert number(counted, "aligned") == number(counted, "encoded") == n_sides
    counted.clear()
    assert invoke(Commands(), ["whatif", "-x", "health=good"]).exit_code == 0
    check_once(counted)
    assert (number(counted, "read"), number(counted, "aligned")) == (len(FILES), n_sides)


def test_a_demonstration_aligns_and_encodes_once(folder, counted):
    assert CliRunner().invoke(Commands(), ["demo"]).exit_code == 0
    names = survey().columns
    check_once(counted)
    assert number(counted, "read") == 0  # the example is embedded
    assert number(counted, "aligned") == number(counted, "encoded") == 2 * len(names)


@pytest.mark.slow
def test_a_demonstration_project_reads_its_files_once(folder, counted):
    assert CliRunner().invoke(Commands(), ["demo", "--project", "own"]).exit_code == 0
    names = ("survey.csv", "survey_synthetic.csv")
    assert {name: counted["read", name] for name in names} == dict.fromkeys(names, 1)
    assert number(counted, "read") == len(names)


@pytest.mark.slow
@pytest.mark.parametrize("declared", ["", 'missing_values = ["NA"]\n'])
def test_a_pack_is_built_and_verified_with_one_reading(tmp_path, monkeypatch, counted, declared):
    decided(tmp_path / "own", said=declared)
    monkeypatch.chdir(tmp_path / "own")
    counted.clear()
    done = CliRunner().invoke(Commands(), ["pack", "--public", "out.zip"])
    assert done.exit_code == 0, done.output
    made = {f"FAKE_copy.{ending}": 2 for ending in ("csv", "sav", "zsav", "dta", "parquet")}
    # What was written is read to describe it, and once more out of the archive; the copy itself,
    # which has the name of one of them, and the original once each.
    wanted = {**made, "FAKE_copy.csv": 3, "people.csv": 1}
    read = {name: n for (what, name), n in counted.items() if what == "read" and name != "frame"}
    assert read == wanted
    counted.clear()
    assert CliRunner().invoke(Commands(), ["verify", "out.zip"]).exit_code == 0
    assert counted == {("read", name): 1 for name in made}
    counted.clear()
    assert CliRunner().invoke(Commands(), ["pack", "--confidential", "all.zip"]).exit_code == 0
    assert not counted


PLAN = """
[data]
original = "survey.csv"
control = "left_out.csv"
[roles]
key = ["sex", "age", "region"]
RECODE
[[protect.step]]
do = "synthesise"
[[protect.step]]
do = "distance_filter"
columns = ["age", "income"]
max_rounds = 3
[[protect.step]]
do = "remove_replicated_uniques"
[[protect.step]]
do = "smooth"
columns = ["income"]
[[protect.step]]
do = "add_noise"
column = "age"
sigma = 1
round = 0
"""
RECODE = """
[[protect.step]]
do = "top_code"
column = "age"
at = 70
"""


@pytest.mark.parametrize("recoding", ["", RECODE])
@pytest.mark.parametrize("more", ["", "--sweep 5,20", "--stages"])
def test_protecting_aligns_each_column_of_the_original_once(folder, counted, recoding, more):
    (folder / "project.toml").write_text(PLAN.replace("RECODE", recoding), encoding="utf-8")
    done = CliRunner().invoke(Commands(), ["protect", "--seed", "1", *more.split()])
    assert done.exit_code == 0, done.output
    assert counted["read", "survey.csv"] == 1
    assert counted["read", "left_out.csv"] == (more == "--stages")
    once = dict.fromkeys(COLUMNS if more else COLUMNS[:4], 1)
    # What a recoding changed is no longer what was aligned for the keys before it.
    changed = {"age": 2} if recoding else {}
    assert aligned_of(counted, "data", "original") == {**once, **changed}
    if more == "--stages":
        assert aligned_of(counted, "control") == once


def test_a_filter_opens_once(folder, counted):
    unveil.distance_filter("survey.csv", "one.csv", columns=["age", "income"])
    assert counted["read", "survey.csv"] == counted["read", "one.csv"] == 1
    check_once(counted)
    assert number(counted, "aligned") == number(counted, "encoded") == 2 * 2


def test_exploring_aligns_the_original_once_and_every_copy_once(folder, counted):
    found = unveil.explore(
        "survey.csv",
        keys=KEYS.split(","),
        methods=["sample", "cart"],
        min_leaf=5,
        copies=2,
        seed=1,
        files={"other": ["one.csv", "two.csv"]},
    )
    for name in ("survey.csv", "one.csv", "two.csv"):
        assert counted["read", name] == 1
    # The original and its two parts (all read as the original); the floor of the map is made too.
    assert aligned_of(counted, "original") == dict.fromkeys(COLUMNS, 3)
    n_copies = 2 * 2 * len(found.rows[:-1]) + 2 * 2 + 2  # of the whole and of a part; and the files
    n_parts = len(found.rows[:-1]) + 1
    assert number(counted, "encoded") == len(COLUMNS) * (3 + n_copies), n_parts


def test_what_a_study_knows_is_what_aligning_anew_would_tell():
    chance = np.random.default_rng(1)
    for seed in range(8):
        frames = [any_columns(chance, n, has_gaps=seed % 2 > 0) for n in (30, 17, 5)]
        known = Study.open(frames[0], control=frames[2])
        one = Study.open(known.original, frames[1], known.control)
        two = Study.open(frames[0], frames[1], frames[2])
        for name in frames[0].columns:
            beside, anew = (study.files.align_one(name) for study in (one, two))
            assert {*beside.notes} == {*anew.notes}
            for here, there in zip(beside.sides, anew.sides, strict=True):
                assert_series_equal(here, there)
            beside, anew = (study.files.column(name) for study in (one, two))
            assert_series_equal(beside.levels, anew.levels)
            assert_array_equal(beside.codes, anew.codes, strict=True)
            assert (beside.sides, beside.kind) == (anew.sides, anew.kind)
        assert {"whole", "decimal", "text", "wide"} <= one._beside  # which were not aligned again


def any_columns(chance, n: int, *, has_gaps: bool) -> pl.DataFrame:
    """Columns of every type, with values that others may lack; decimals that may all be whole."""
    whole, words = chance.integers(0, 9, n), np.array(["", "b", "a", "\u00e9", "Z"])
    half = chance.choice([0.0, 0.5])
    columns = {
        "whole": pl.Series(whole),
        "short": pl.Series(whole).cast(pl.UInt8),
        "wide": pl.Series(chance.integers(-(10**12), 10**12, n)),
        "decimal": pl.Series(np.round(chance.normal(size=n), 1)),
        "single": pl.Series(np.round(chance.normal(size=n), 1)).cast(pl.Float32),
        "by chance": pl.Series(whole + half),
        "no number": pl.Series(np.where(chance.random(n) < 0.2, np.nan, whole)),
        "zero": pl.Series(np.where(chance.random(n) < 0.5, -0.0, 1.5)),
        "text": pl.Series(words[chance.integers(0, 5, n)]),
        "category": pl.Series(words[chance.integers(1, 3, n)]).cast(pl.Categorical),
        "ordered": pl.Series(words[chance.integers(1, 3, n)]).cast(pl.Enum(["b", "a"])),
        "truth": pl.Series(chance.random(n) < 0.5),
        "day": pl.Series(whole).cast(pl.Int32).cast(pl.Date),
        "moment": pl.Series(whole * 10**6).cast(pl.Datetime("us")),
        "nothing": pl.Series([None] * n, dtype=pl.Int64),
    }
    gaps = pl.Series(chance.random(n) < (0.1 if has_gaps else 0))
    return pl.DataFrame(
        {name: column.scatter(gaps.arg_true(), None) for name, column in columns.items()}
    )


def test_measures_of_a_study_share_what_is_known(folder, counted):
    study = Study.open("survey.csv", ["one.csv"], "left_out.csv", keys=["sex", "age"])
    found = disclosure(study)
    linked = linkability(study, columns=(["sex"], ["age", "region"]), n=20, seed=1)
    apart = utility(study, seed=1, n_permutations=2)
    assert number(counted, "read") == 3
    assert number(counted, "aligned") == number(counted, "encoded") == 3 * len(COLUMNS)
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
