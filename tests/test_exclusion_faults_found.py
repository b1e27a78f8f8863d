"""Faults found in exclusions and checks by trying, each with the case that showed it."""

import io
import json
from datetime import datetime, timedelta
from importlib import import_module

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main
from unveil.errors import AlignError, SettingsError

JOBS = pl.DataFrame({"k": ["a", "a", "b", "c"], "job": ["NO", "NO", "YES", None]})


def run(monkeypatch, capsys, folder, *arguments: str) -> tuple[int, str, str]:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    told = capsys.readouterr()
    return ended.value.code, told.out, told.err


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    JOBS.write_csv(tmp_path / "o.csv")
    JOBS.write_csv(tmp_path / "s.csv")
    return lambda *arguments: run(monkeypatch, capsys, tmp_path, *arguments)


def test_sentences_say_that_something_is_left_out(command):
    exclude = ("-x", "job=NO", "-x", "job=YES")
    _, out, _ = command("disclosure", "o.csv", "s.csv", "-k", "k", *exclude, "--words")
    told = " ".join(out.split())
    assert "After exclusions: 1 person (iS 25.0 %) is matched" in told


@pytest.mark.slow
def test_a_limit_that_holds_by_exclusions_alone_is_told(command):
    limit = ("--limit", "DiSCO=30")
    code, _, _ = command("disclosure", "o.csv", "s.csv", "-k", "k", "-x", "job=NO", *limit)
    assert code == 3  # two of four people are left
    code, out, _ = command(
        "disclosure", "o.csv", "s.csv", "-k", "k", "-x", "job=NO", "-x", "job=", *limit
    )
    told = " ".join(out.split())
    assert code == 0
    assert "● All figures with a limit are within it after exclusions." in told
    assert (
        "meets its limit of 30 % only because of the exclusions: without them it is 100.0 %."
    ) in told


def test_csv_says_what_is_left_out(command):
    _, out, _ = command("disclosure", "o.csv", "s.csv", "-k", "k", "-x", "job=NO", "--csv")
    assert pl.read_csv(io.StringIO(out))["exclude"].to_list() == ["job=NO"]


def test_a_file_of_keys_alone_can_be_shown(command, tmp_path):
    JOBS.select("k").write_csv(tmp_path / "keys.csv")
    code, out, _ = command("disclosure", "keys.csv", "keys.csv", "-k", "k", "-x", "missing-keys")
    assert code == 0
    assert "repU" in out


@pytest.mark.slow
def test_headings_of_the_records_file_are_harmless_and_each_once(command, tmp_path):
    frame = pl.DataFrame({"row": ["a"], "row (key)": ["b"], "=cmd": ["c"], "t": ["=1+1"]})
    frame.write_csv(tmp_path / "o.csv")
    keys = 'row,"row (key)",=cmd'
    code, _, err = command(
        "disclosure", "o.csv", "o.csv", "-k", keys, "--records", "r.csv", "--json"
    )
    assert code == 0
    assert "1 disclosure about 1 person written to r.csv" in err
    read = pl.read_csv(tmp_path / "r.csv")
    assert read.columns[:6] == ["row", "target", "copy", "row (key)", "row (key) (key)", "'=cmd"]
    assert read["value"].to_list() == ["'=1+1"]


def test_values_in_the_records_file_are_written_as_exclusions_name_them(tmp_path):
    from unveil.cli.output_files import write_records

    frame = pl.DataFrame({"k": [1.0, 2.5], "t": [timedelta(hours=5), timedelta(days=1)]})
    result = unveil.disclosure(frame, frame, keys="k")
    write_records(result, tmp_path / "r.csv")
    read = pl.read_csv(tmp_path / "r.csv", infer_schema=False)
    assert read["k"].to_list() == ["1", "2.5"]
    assert read["value"].to_list() == ["5:00:00", "1 day, 0:00:00"]


def test_nothing_is_written_when_the_screen_cannot_be_drawn(command, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(import_module("unveil.cli.disclosure"), "render_rich", broken)
    code, _, err = command("disclosure", "o.csv", "s.csv", "-k", "k", "--records", "r.csv")
    assert code == 1
    assert "Nothing was written" in err
    assert not (tmp_path / "r.csv").exists()


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (
            {"rule": "missing-targets", "target": "job"},
            "Exclusion 'rule = missing-targets, target = job': missing-targets takes no field"
            " target. It acts on every target; for one target give its name and the empty"
            ' level ("") instead.',
        ),
        (
            {"rule": "max-denominator", "limit": 1, "target": "job"},
            "Exclusion 'rule = max-denominator, limit = 1, target = job': max-denominator takes no"
            " field target. It takes a limit and acts on every target.",
        ),
        (
            {"rule": "missing-keys", "keys": []},
            "Exclusion 'rule = missing-keys, keys = list' names no key. Write missing-keys for all"
            " keys, or their names: missing-keys=age,region.",
        ),
    ],
)
def test_a_field_that_a_rule_does_not_take_is_refused(table, sentence):
    with pytest.raises(SettingsError) as refused:
        unveil.disclosure(JOBS, JOBS, keys="k", exclude=table)
    assert str(refused.value) == sentence


@pytest.mark.parametrize("name", ["max-denominator", "missing-targets", "missing-keys"])
def test_a_target_with_the_name_of_a_rule_can_be_excluded(name):
    frame = pl.DataFrame({"k": ["a"] * 60 + ["b"] * 3, name: ["1"] * 60 + ["2"] * 3})
    result = unveil.disclosure(frame, frame, keys="k")
    flag = next(flag for flag in result.flags if flag.kind == "one_way")
    assert flag.exclusion == f'"{name}"=1'
    after = result.whatif(flag.exclusion)
    assert [row.DiSCO for row in after.excluded] == [60, 3]
    assert unveil.exclusion_table(frame, frame, keys="k").record.columns[1].exclude == (
        f'"{name}"=1',
    )


def test_levels_are_named_as_people_write_them():
    moments = pl.Series([datetime(2024, 1, 31, 1, 2, 3), datetime(2024, 1, 31)])
    frame = pl.DataFrame(
        {
            "k": [1, 2],
            "infinite": [1.0, float("inf")],
            "single": pl.Series([0.1, 0.7], dtype=pl.Float32),
            "moment": moments,
        }
    )
    result = unveil.disclosure(frame, frame, keys="k")
    for text, name in {
        "infinite=inf": "infinite=inf",
        "single=0.1": "single=0.1",
        "moment=2024-01-31T01:02:03": "moment=2024-01-31T01:02:03",
        "moment=2024-01-31 01:02:03": "moment=2024-01-31T01:02:03",
        "moment=2024-01-31": "moment=2024-01-31T00:00:00",
    }.items():
        after = result.whatif(text)
        assert after.record.exclude == (name,)
        assert sum(row.DiSCO for row in after.excluded if row.rule) == 1


def test_a_level_nobody_has_is_not_answered_with_one_persons_value():
    incomes = pl.DataFrame({"k": ["a"] * 40, "income": range(48_100, 48_140)})
    ids = pl.DataFrame({"k": ["a"] * 40, "income": [f"ID-{i:07}" for i in range(40)]})
    for frame, typed in ((incomes, "income=48150"), (ids, "income=ID-0000099")):
        with pytest.raises(SettingsError) as refused:
            unveil.disclosure(frame, frame, keys="k", exclude=typed)
        assert "Did you mean" not in str(refused.value)
    rare = pl.DataFrame({"k": ["a"] * 99, "job": ["common"] * 98 + ["Creutzfeldt-Jakob"]})
    with pytest.raises(SettingsError) as refused:
        unveil.disclosure(rare, rare, keys="k", exclude="job=Creutzfeld-Jakob")
    assert "Did you mean" not in str(refused.value)
    with pytest.raises(SettingsError, match="Did you mean 'NO'"):
        unveil.disclosure(JOBS, JOBS, keys="k", exclude="job=NOO")


def test_a_number_is_matched_by_its_value_and_no_other():
    frame = pl.DataFrame({"k": [1, 2], "t": [20_000_000.0, 1.5], "u": [0.5, float("inf")]})
    for typed in ("t=20000001", "u=0.50000001", "u=1e400", "k=1_0"):
        with pytest.raises(unveil.InputError):
            unveil.disclosure(frame, frame, keys="k", exclude=typed)


def test_a_number_in_the_place_of_a_band_is_answered_with_the_bands():
    frame = pl.DataFrame({"age": [20, 30, 40, 50], "t": ["x", "y", "x", "y"]})
    with pytest.raises(SettingsError) as refused:
        unveil.disclosure(frame, frame, keys="age", bands={"age": [25, 45]}, exclude="t=x@age=20")
    assert str(refused.value) == (
        "Exclusion 't=x@age=20': 'age' is compared in bands, and none is called '20'. They are:"
        " under 25, 25 to 44, 45 or more."
    )


def test_whole_numbers_too_large_for_exact_bands_are_refused():
    frame = pl.DataFrame({"x": [2**62 + i for i in range(60)], "t": ["a"] * 60})
    with pytest.raises(AlignError, match="too large to be cut exactly"):
        unveil.disclosure(frame, frame, keys="x", bands={"x": 5})


@pytest.mark.parametrize(
    "call",
    [
        lambda: unveil.excess(JOBS, JOBS, JOBS, keys="k", measure=5),
        lambda: unveil.exclusion_table(JOBS, JOBS, keys="k", measure=["DiSCO"]),
        lambda: unveil.disclosure(JOBS, JOBS, keys="k").records_at_risk("job", measure=["DiSCO"]),
        lambda: unveil.disclosure(JOBS, JOBS, keys="k", two_way=(10**400, 80)),
        lambda: unveil.disclosure(JOBS, JOBS, keys="k", exclude=np.array("job=NO")),
        lambda: unveil.disclosure(JOBS, JOBS, keys="k", exclude="max-denominator=\x1f1"),
        lambda: unveil.disclosure(
            JOBS,
            JOBS,
            keys="k",
            exclude=unveil.Exclusion(
                rule="pair", target="job", level="NO", keys=("k", "j"), key_levels=("a",)
            ),
        ),
    ],
)
def test_wrong_kinds_of_settings_are_our_own_faults(call):
    with pytest.raises(SettingsError):
        call()


def test_numbers_of_other_libraries_are_numbers():
    thresholds = (np.int64(0), np.float64(10))
    result = unveil.disclosure(JOBS, JOBS, keys="k", one_way=thresholds, two_way=thresholds)
    assert result.record.checks.one_way == (0, 10)


def test_an_exclusion_record_of_the_missing_level():
    rule = unveil.Exclusion(rule="level", target="job", level=None)
    result = unveil.disclosure(JOBS, JOBS, keys="k", exclude=rule)
    assert result.record.exclude == ("job=",)
    same = unveil.disclosure(
        JOBS, JOBS, keys="k", exclude=unveil.Exclusion(rule="level", target="job", level="NO")
    )
    assert same.record.exclude == ("job=NO",)


def test_a_control_that_cannot_meet_the_copy_is_refused():
    train = pl.DataFrame({"k": ["a", "z"], "t": ["p", "p"]})
    control = pl.DataFrame({"k": ["z"], "t": ["p"]})
    copy = pl.DataFrame({"k": ["a"], "t": ["p"]})
    with pytest.raises(AlignError, match="between the control sample and the synthetic data"):
        unveil.excess(train, control, copy, keys="k")


def test_the_same_rule_in_other_words_is_one_rule():
    frame = pl.DataFrame({"k": [1, 2], "n": [1, None], "t": [1.0, 2.0]})
    result = unveil.disclosure(
        frame,
        frame,
        keys=["k", "n"],
        exclude=[
            "t=1",
            "t=1.0",
            "t=1@n=1@k=1",
            "t=1.0@k=1@n=1.0",
            "missing-keys",
            "missing-keys=n,k",
        ],
    )
    assert result.record.exclude == ("t=1", "missing-keys", "t=1@k=1@n=1")


def test_the_document_of_the_command_line_is_read_back(command):
    _, out, _ = command("disclosure", "o.csv", "s.csv", "-k", "k", "--one-way", "0,10", "--json")
    beside = ("alerts", "not_tested", "assessment")
    document = {name: value for name, value in json.loads(out).items() if name not in beside}
    record = unveil.records.disclosure.Disclosure.from_json(json.dumps(document))
    assert record.flags
    assert json.loads(record.to_json())["flags"][0]["sentence"]


def test_a_misspelt_segment_is_told_before_anything_is_counted():
    told = []
    with pytest.raises(unveil.RolesError, match=r"has no column 'jub'\. Did you mean 'job'"):
        unveil.disclosure(
            JOBS, JOBS, keys="k", checks_by="jub", progress=lambda *step: told.append(step[0])
        )
    assert not [step for step in told if step.startswith("counting")]


def test_exclusion_table_keeps_its_names_on_a_narrow_screen(command, monkeypatch):
    for width in (40, 60):
        monkeypatch.setenv("COLUMNS", str(width))
        code, out, _ = command("exclusion-table", "o.csv", "s.csv", "-k", "k")
        assert code == 0
        assert "job" in out
