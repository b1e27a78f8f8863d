"""Faults that were found by trying to break unveil, each mended, each kept from coming back."""

import csv
import importlib
import io
import json
import shlex
import traceback
from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main

CANARY = "CANARY-HIV-positive-77"
BASE = "sex,age,ill\nM,31,yes\nF,42,no\nM,53,yes\n"


@pytest.fixture
def run(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("o.csv", "s.csv"):
        (tmp_path / name).write_text(BASE)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        return (ended.value.code, *capfd.readouterr())

    return run


D = ("disclosure", "o.csv", "s.csv")


def test_a_limit_on_targets_is_not_within_when_no_target_was_measured(run, tmp_path):
    (tmp_path / "s.csv").write_text(BASE.replace("age,ill", "AGE,ILL"))
    code, _, _ = run(*D, "-k", "sex", "--limit", "DiSCO=0")
    assert code != 0


def test_keys_given_in_two_options_are_not_silently_dropped(run):
    code, out, _ = run(*D, "-k", "sex", "-k", "age", "--json")
    assert code == 2 or json.loads(out)["keys"] == ["sex", "age"]


def test_moments_out_of_range_do_not_leak_through_python():
    old = pl.DataFrame({"k": [1], "t": [datetime(1500, 1, 2, 3, 4)]})
    new = pl.DataFrame({"k": [1], "t": pl.Series([datetime(2020, 1, 1)], dtype=pl.Datetime("ns"))})
    with pytest.raises(unveil.AlignError) as refusal:
        unveil.disclosure(old, new, keys="k")
    assert "1500-01-02" not in "".join(traceback.format_exception(refusal.value))


def test_moments_against_text_are_the_users_fault_and_not_ours(run, tmp_path):
    (tmp_path / "o.csv").write_text("k,t\na,2020-01-01T10:00:00\nb,2020-01-02T10:00:00\n")
    (tmp_path / "s.csv").write_text(f"k,t\na,{CANARY}\nb,unknown\n")
    code, _, err = run(*D, "-k", "k")
    assert code == 2
    assert "Column 't' holds dates with time" in err


@pytest.mark.slow
@pytest.mark.parametrize("escape", ["\x1b[31m", "\x9b31m", "\u202e", "\x07"])
def test_csv_on_a_terminal_shows_no_escape(run, escape):
    frame = pl.DataFrame({"k": ["a"], f"{escape}x": [1]})
    frame.write_parquet("o.parquet")
    _, out, _ = run("disclosure", "o.parquet", "o.parquet", "-k", "k", "--csv")
    assert escape not in out


def test_a_return_in_a_name_starts_no_new_row_with_a_formula(run):
    frame = pl.DataFrame({"k": ["a"], "x\r=cmd|' /C calc'!A0": [1]})
    frame.write_parquet("o.parquet")
    _, out, _ = run("disclosure", "o.parquet", "o.parquet", "-k", "k", "--csv")
    rows = list(csv.reader(io.StringIO(out, newline="")))
    assert len(rows) == 2
    assert not any(row[0].startswith("=") for row in rows)


def test_a_panic_of_polars_is_told_by_its_type_alone(run, monkeypatch):
    def panic(*_, **__):
        raise pl.exceptions.PanicException(CANARY)

    monkeypatch.setattr(
        importlib.import_module("unveil.cli.disclosure"), "measure_disclosure", panic
    )
    code, _, err = run(*D, "-k", "sex")
    assert code == 1
    assert CANARY not in err


def test_a_header_with_blanks_after_its_commas_can_be_named(run, tmp_path):
    for name in ("o.csv", "s.csv"):
        (tmp_path / name).write_text(BASE.replace("sex,age", "sex, age"))
    code, out, err = run(*D, "-k", "sex, age")
    assert (code, err) == (0, "")
    assert "The name of column 'age' has blanks around it" in " ".join(out.split())


def test_a_column_whose_name_begins_with_a_blank_can_be_named_in_quotation_marks(run):
    pl.DataFrame({"sex": ["f", "m"], " age": [1, 2]}).write_parquet("o.parquet")
    code, _, err = run("disclosure", "o.parquet", "o.parquet", "-k", 'sex," age"')
    assert (code, err) == (0, "")


@pytest.mark.parametrize("keys", ["a\nb", "x" * 200_000])
def test_no_text_of_keys_is_a_fault_of_ours(run, keys):
    assert run(*D, "-k", keys)[0] == 2


@pytest.mark.parametrize("path", ["a" * 300, "a\0b"])
def test_no_path_is_a_fault_of_ours(run, path):
    assert run("disclosure", path, "s.csv", "-k", "sex")[0] == 2


def test_a_column_empty_in_one_file_has_no_time_zone():
    zoned = pl.DataFrame({"k": [1], "t": [datetime(2020, 1, 1, tzinfo=UTC)]})
    empty = pl.DataFrame({"k": [1], "t": [None]})
    unveil.disclosure(zoned, empty, keys="k")


@pytest.mark.parametrize("command", [(), ("disclosure",)])
def test_help_keeps_its_lines(run, command):
    _, out, _ = run(*command, "--help")
    assert "\\b" not in out
    assert "\n  unveil" in out.replace("    unveil", "  unveil")


def test_the_help_of_the_demo_shows_an_example(run):
    assert "unveil demo --files" in run("demo", "--help")[1]


@pytest.mark.slow
def test_the_command_the_demo_prints_works_where_the_folder_has_a_space(run, tmp_path):
    _, out, _ = run("demo", "--files", str(tmp_path / "my data"))
    command = shlex.split(out.rstrip().split("\n")[-1].partition(":  ")[2])
    assert run(*command[1:])[0] == 0


def test_a_demo_that_cannot_write_prints_no_figures_first(run, tmp_path):
    (tmp_path / "survey.csv").write_text("x")
    code, out, _ = run("demo", "--files", str(tmp_path))
    assert (code, out) == (2, "")


def test_faults_of_all_files_are_told_at_once_when_targets_are_named(run):
    _, _, err = run(*D, "-k", "sxe", "-t", "ill")
    assert err == (
        "unveil: The original (o.csv) has no column 'sxe'. Did you mean 'sex'? Its columns are:"
        " sex, age, ill.\nThe same is true of every other file.\n"
    )
    _, _, err = run("disclosure", "gone.csv", "lost.csv", "-k", "sex")
    assert "gone.csv" in err
    assert "lost.csv" in err


def test_a_line_end_in_a_name_makes_no_line_of_its_own(run):
    frame = pl.DataFrame({"k": ["a"], "x\nunveil: all is well": [1]})
    frame.write_parquet("o.parquet")
    _, _, err = run("disclosure", "o.parquet", "o.parquet", "-k", "zzz")
    assert "\nunveil: all is well" not in err


def test_a_very_long_name_is_cut_in_a_message(run):
    frame = pl.DataFrame({"k": ["a"], "n" * 10_000: [1]})
    frame.write_parquet("o.parquet")
    _, _, err = run("disclosure", "o.parquet", "o.parquet", "-k", "zzz")
    assert len(err) < 2_000


def test_the_first_record_of_a_file_without_header_is_not_quoted(run, tmp_path):
    for name in ("o.csv", "s.csv"):
        (tmp_path / name).write_text(f"M,31,{CANARY}\nF,42,no\n")
    _, _, err = run(*D, "-k", "sex")
    assert CANARY not in err


@pytest.mark.parametrize("text", ["1_0", "\uff11\uff10", "1e1"])
def test_a_limit_is_a_plain_number(run, text):
    assert run(*D, "-k", "sex", "--limit", f"DiSCO={text}")[0] == 2


def test_missing_values_given_as_one_text_are_not_taken_letter_by_letter():
    data = pl.DataFrame({"k": ["N", "A", "NA"], "t": [1, 2, 3]})
    result = unveil.disclosure(data, data, keys="k", missing_values="NA")
    assert result.record.n_q_original == 3


def test_missing_values_that_are_numbers_are_refused():
    data = pl.DataFrame({"k": ["a"], "t": [-9]})
    with pytest.raises(unveil.SettingsError, match="missing_values must be texts"):
        unveil.disclosure(data, data, keys="k", missing_values=[-9])


@pytest.mark.parametrize("keys", [None, 5])
def test_keys_that_are_no_names_are_refused_in_words(keys):
    data = pl.DataFrame({"k": ["a"], "t": [-9]})
    with pytest.raises(unveil.InputError):
        unveil.disclosure(data, data, keys=keys)


def test_a_limit_just_above_100_is_not_shown_as_100(run):
    assert "is 100. It is" not in run(*D, "-k", "sex", "--limit", "DiSCO=100.0000001")[2]


def test_unveil_alone_shows_its_help_as_help(run):
    code, out, err = run()
    assert (code, err) == (0, "")
    assert out.startswith("Usage: unveil")


@pytest.mark.slow
def test_copies_of_several_sizes_are_told_apart(run, tmp_path):
    (tmp_path / "c.csv").write_text("sex,age,ill\nM,31,no\n")
    _, out, _ = run("disclosure", "o.csv", "c.csv", "s.csv", "-k", "sex")
    assert "1 and 3 records in each of 2 copies" not in " ".join(out.split())


@pytest.mark.skipif(__import__("os").geteuid() == 0, reason="the superuser may read every file")
def test_a_file_that_may_not_be_read_is_told_in_our_words(run, tmp_path):
    (tmp_path / "o.csv").chmod(0)
    assert run(*D, "-k", "sex")[2] == (
        "unveil: The original (o.csv) may not be read by this user. Ask its owner for permission,"
        " or use your own copy of the file.\n"
    )


@pytest.mark.parametrize("form", ["csv", "parquet", "frame", "lazy"])
def test_a_column_whose_name_looks_like_a_pattern_is_that_column_alone(form, tmp_path):
    frame = pl.DataFrame({"a": [1, 2], "*": [3, 3], "^a.*$": [5, 6], "b": [7, 8]})
    if form == "csv":
        frame.write_csv(tmp_path / "o.csv")
    if form == "parquet":
        frame.write_parquet(tmp_path / "o.parquet")
    given = {"frame": frame, "lazy": frame.lazy()}.get(form, tmp_path / f"o.{form}")
    result = unveil.disclosure(given, given, keys=["*", "^a.*$"], targets=["b"])
    assert (result.record.keys, result.record.n_q_original) == (("*", "^a.*$"), 2)
    assert unveil.disclosure(given, given, keys="*", targets="b").record.n_q_original == 1
    assert set(unveil.disclosure(given, given, keys="*").record.targets) == {"a", "^a.*$", "b"}


def patterned() -> pl.DataFrame:
    """Columns whose names polars takes for patterns: of all names, of another, and of none."""
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "*": rng.choice(["x", "y"], 120),
            "^a$": rng.choice(["u", "v", "w"], 120),
            "a": rng.integers(10, 80, 120),
            "^z$": rng.normal(50, 10, 120).round(1),
        }
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"strata": "^a$", "special_codes": {"^z$": [50.0]}},
        {"derived": {"a": "`^z$` * 2"}, "method": {"^z$": "normrank"}},
        {"rules": ["if `*` = x then `^a$` = u", "if `^a$` = v then `^z$` = 40"]},
    ],
)
def test_columns_whose_names_look_like_patterns_are_synthesised(settings, tmp_path):
    data = patterned()
    copy = unveil.synthesise(data, seed=1, **settings).copies[0]
    assert copy.schema == data.schema
    assert set(copy["^a$"].to_list()) <= {"u", "v", "w"}
    for ending in ("csv", "parquet"):
        file = tmp_path / f"copy.{ending}"
        unveil.write_file(copy, file, fake=False)
        assert unveil.compare(copy, file).rows[0].total_variation == 0


def test_columns_whose_names_look_like_patterns_become_a_project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    codes = pl.when(pl.int_range(120) < 5).then(-9).otherwise(pl.nth(3)).alias("^z$")
    patterned().with_columns(codes).write_csv("o.csv")
    with pytest.raises(SystemExit) as ended:
        main(["init", "o.csv"])
    assert ended.value.code == 0
    assert '"^z$" = [-9]' in (tmp_path / "project.toml").read_text(encoding="utf-8")


def test_columns_whose_names_look_like_patterns_are_protected():
    steps = [
        {"do": "band", "column": "a", "breaks": [30, 50]},
        {"do": "merge_rare", "column": "^a$", "below": 45, "into": "other"},
        {"do": "synthesise"},
        {"do": "distance_filter"},
        {"do": "remove_replicated_uniques"},
        {"do": "add_noise", "column": "^z$", "sigma": 1},
    ]
    made = unveil.protect(patterned(), keys=["*", "^a$"], targets="^z$", steps=steps, seed=1)
    assert made.data.columns == ["*", "^a$", "a", "^z$"]
    assert made.data["^z$"].dtype == pl.Float64
    whole = unveil.add_noise(patterned(), columns={"a": {"sigma": 3, "round": 0}}, seed=1)
    assert whole.data["^z$"].to_list() == patterned()["^z$"].to_list()
    assert whole.data["a"].dtype == pl.Int64


@pytest.mark.parametrize("exact", ["Int64", "text"])
def test_long_identifiers_that_became_decimals_are_refused(exact):
    ids = [1, *(2**53 + odd for odd in range(1, 40, 2))]
    kept = pl.Series(ids) if exact == "Int64" else pl.Series([str(i) for i in ids])
    original = pl.DataFrame({"k": kept, "t": ids})
    rounded = pl.DataFrame({"k": [float(i) for i in ids], "t": ids})
    with pytest.raises(unveil.AlignError, match="cannot be compared exactly"):
        unveil.disclosure(original, rounded, keys="k")


def test_single_precision_matches_exact_decimals_too():
    values = [0.1, 0.2, 0.3]
    single = pl.DataFrame({"k": [1, 2, 3], "t": pl.Series(values, dtype=pl.Float32)})
    exact = single.with_columns(t=pl.Series(values).cast(pl.Decimal(10, 2)))
    result = unveil.disclosure(exact, single, keys="k")
    assert result.attribute[0].DiSCO == 100
    assert "precision" in {note.kind for note in result.coercions}


@pytest.mark.frames
@pytest.mark.parametrize("dtype", ["float32", "Float32", "float16"])
def test_single_precision_of_pandas_matches_double(dtype):
    import pandas as pd

    values = [0.5, 0.25, 0.1 if dtype != "float16" else 0.75]
    double = pd.DataFrame({"k": [1, 2, 3], "t": values})
    result = unveil.disclosure(double, double.astype({"t": dtype}), keys="k")
    assert result.attribute[0].DiSCO == 100


def test_a_number_declared_missing_is_missing_however_it_is_written(tmp_path):
    (tmp_path / "o.csv").write_text("k,t\na,-9\nb,1\nc,-9\n")
    (tmp_path / "s.csv").write_text("k,t\na,-9.0\nb,1.0\nc,2.5\n")
    result = unveil.disclosure(
        tmp_path / "o.csv", tmp_path / "s.csv", keys="k", missing_values="-9"
    )
    assert result.attribute[0].n_target_levels == 3  # 1, 2.5 and missing
    assert result.attribute[0].DiSCO == pytest.approx(200 / 3)


@pytest.mark.parametrize("given", [None, -9])
def test_missing_values_that_are_no_texts_are_refused(given):
    data = pl.DataFrame({"k": ["a"], "t": [1]})
    with pytest.raises(unveil.SettingsError, match="missing_values must be texts"):
        unveil.disclosure(data, data, keys="k", missing_values=given)


def test_a_copy_or_target_that_is_not_there_is_told():
    data = pl.DataFrame({"k": ["a"], "t": [1]})
    result = unveil.disclosure(data, data, keys="k", progress=None)
    with pytest.raises(unveil.SettingsError, match=r"There is no copy 7\. There are: 1\."):
        result.find_copy(7)
    with pytest.raises(unveil.SettingsError, match=r"The targets are: t\."):
        result.record.attribute_of("u", 1)


def test_pooled_counts_do_not_overflow_the_small_types_they_are_kept_in():
    data = pl.DataFrame({"k": ["a"] * 30_000, "t": [1] * 30_000})
    result = unveil.disclosure(data, [data, data, data], keys="k")
    assert result.pooled.identity.N_s_both == 90_000
    assert result.pooled.attribute[0].max_denom_syn == 90_000


@pytest.mark.parametrize("n_levels", [255, 256, 257, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("has_missing", [False, True])
def test_no_number_of_levels_is_one_too_many(n_levels, has_missing):
    values = [*range(n_levels), *([None] if has_missing else [])]
    data = pl.DataFrame({"k": values, "t": values[::-1]})
    row = unveil.disclosure(data, data, keys="k").attribute[0]
    assert (row.n_target_levels, row.n_cells, row.DiSCO) == (len(values), len(values), 100)
