"""Canaries: values planted in the data, searched for in everything that comes out.

Every reader and the aligner is driven into a failed cast or a refusal; messages, what is behind
them, results in every form, and the outermost edge are searched.
"""

import importlib
import io
import logging
import pickle
import traceback
import zlib
from datetime import UTC, date, datetime, time, timedelta

import polars as pl
import pytest

import unveil
from unveil.cli import main

WORD = "CANARY-HIV-positive-77"
WHOLE = 9007199254771337
DECIMAL = 48151.62342
DAY = date(1987, 6, 5)
MOMENT = datetime(1987, 6, 5, 4, 3, 21)
CLOCK = time(4, 3, 21)

TRACES = (
    WORD,
    "HIV",
    str(WHOLE),
    f"{WHOLE:,}",
    str(DECIMAL),
    f"{DECIMAL:,}",
    "48,151",
    "1987",
    "04:03:21",
)
"""How a planted value could show itself."""

GOOD = pl.DataFrame({"k": ["a", "b"], "t": [1, 2]})


def column(*values, dtype=None):
    return pl.DataFrame({"k": ["a", "b"], "t": pl.Series(values, dtype=dtype, strict=False)})


def assert_silent(text):
    assert [trace for trace in TRACES if trace in text] == []


def refused(original, synthetic, **settings):
    """The refusal, once nothing that a user could print of it holds a planted value."""
    with pytest.raises(unveil.InputError) as caught:
        unveil.disclosure(original, synthetic, **{"keys": "k", **settings})
    fault = caught.value
    assert_silent(str(fault))
    assert_silent(repr(fault))
    assert fault.__cause__ is None
    assert fault.__suppress_context__ or fault.__context__ is None
    assert_silent("".join(traceback.format_exception(fault)))
    return str(fault)


# Frames of polars

CASTS = {
    "text for numbers": (column(1, 2), column(WORD, "2")),
    "text for decimals": (column(1.5, 2.5), column(WORD, "2.5")),
    "numbers too long for text": (column(1, 2), column(f"{WHOLE}x", "2")),
    "text for truth": (column(True, False), column(WORD, "true")),
    "text for dates": (column(date(2020, 1, 1), DAY), column("1987-06-31", "1987-06-05")),
    "text for times of day": (column(CLOCK, CLOCK), column("04:03:21 HIV", "04:03:21")),
    "text for durations": (column(timedelta(1), timedelta(2)), column(WORD, "1d")),
    "dates for numbers": (column(1, 2), column(DAY, DAY)),
    "moments for numbers": (column(DECIMAL, 2.0), column(MOMENT, MOMENT)),
    "moments for truth": (column(True, False), column(MOMENT, MOMENT)),
    "zones for none": (
        column(MOMENT, MOMENT),
        column(MOMENT.replace(tzinfo=UTC), MOMENT.replace(tzinfo=UTC)),
    ),
    "long whole numbers for decimals": (column(WHOLE, 1), column(DECIMAL, 1.5)),
    "lists": (column([WORD], ["b"]), column(["a"], ["b"])),
    "records": (column({"ill": WORD}, {"ill": "no"}), column(1, 2)),
    "bytes": (column(WORD.encode(), b"no"), column(b"a", b"b")),
    "objects": (column(WORD, WORD, dtype=pl.Object), column(1, 2)),
    "categories for numbers": (column(WORD, "b", dtype=pl.Categorical), column(1, 2)),
    "levels of an enum for numbers": (column(WORD, "b", dtype=pl.Enum([WORD, "b"])), column(1, 2)),
}


@pytest.mark.parametrize("pair", CASTS.values(), ids=list(CASTS))
@pytest.mark.parametrize("turned", [False, True], ids=["in the one", "in the other"])
def test_a_failed_comparison_quotes_no_value(pair, turned):
    original, synthetic = reversed(pair) if turned else pair
    assert "'t'" in refused(original, synthetic)


@pytest.mark.parametrize("pair", CASTS.values(), ids=list(CASTS))
def test_a_failed_comparison_of_the_second_copy_quotes_no_value(pair):
    original, synthetic = pair
    refused(original, [original, synthetic])


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (WORD, "other"),
        (WHOLE, WHOLE + 1),
        (DECIMAL, DECIMAL + 1),
        (DAY, date(2020, 1, 1)),
        (MOMENT, datetime(2020, 1, 1)),
        (CLOCK, time(1)),
    ],
)
def test_keys_without_a_level_in_common_are_refused_without_a_value(here, there):
    original = pl.DataFrame({"k": [here], "t": [WORD]})
    synthetic = pl.DataFrame({"k": [there], "t": [WORD]})
    assert refused(original, synthetic).startswith("Key 'k' has no level in common")


@pytest.mark.parametrize(
    "query",
    [
        pl.LazyFrame({"k": ["a"], "t": [WORD]}).with_columns(pl.col("t").cast(pl.Int64)),
        pl.LazyFrame({"k": ["a"], "t": [WORD]}).with_columns(pl.col("t").str.to_date()),
        pl.LazyFrame({"k": ["a"], "t": [WHOLE]}).with_columns(pl.col("t").cast(pl.Int8)),
    ],
    ids=["text to numbers", "text to dates", "numbers too long"],
)
@pytest.mark.parametrize("first", [True, False], ids=["original", "copy"])
def test_a_query_that_fails_quotes_no_value(query, first):
    refused(*((query, GOOD) if first else (GOOD, query)))


@pytest.mark.parametrize(
    "thing",
    [{"k": [WORD]}, [[WORD]], pl.Series("k", [WORD]), (WORD, WORD), {WORD}, WHOLE, DECIMAL],
    ids=lambda thing: type(thing).__name__,
)
def test_what_is_no_frame_is_called_by_its_type_alone(thing):
    assert "is given as a" in refused(thing, GOOD)


def test_a_name_asked_for_in_vain_brings_no_value():
    data = pl.DataFrame({"k": [WORD], "t": [WHOLE]})
    refused(data, data, keys="missing")
    refused(data, data, targets=["missing"])


# Text files


def text(*lines):
    return "\n".join(lines).encode() + b"\n"


DAMAGED = {
    "short": text("k,t", f"{WORD},1", WORD),
    "long": text("k,t", f"a,1,{WORD}"),
    "quotation mark not closed": text("k,t", f'a,"{WORD}', "b,2"),
    "stray quotation mark": text("k,t", f'a,{WORD}"x"', "b,2"),
    "quotation mark in the header": text('k,"t', f"{WORD},1", "b,2"),
    "NUL": text("k,t", f"{WORD}\0,1"),
    "mark belied": b"\xef\xbb\xbf" + text("k,t", f"{WORD},1") + b"\xff,1\n",
    "UTF-16 cut": "k,t\n".encode("utf-16") + f"{WORD},1\n".encode("utf-16-le")[:-1],
    "gzip": b"\x1f\x8b" + zlib.compress(WORD.encode()) + WORD.encode(),
    "zip": b"PK\x03\x04" + WORD.encode(),
    "page": f"<html>{WORD}</html>".encode(),
    "two names alike": text("k,k", f"{WORD},{WHOLE}"),
    "text for numbers": text("k,t", f"a,{WORD}", "b,2"),
    "dates for numbers": text("k,t", f"a,{DAY}", f"b,{DAY}"),
    "no level in common": text("k,t", f"{WORD},1"),
    "no such column": text("key,t", f"{WORD},{DECIMAL}"),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=list(DAMAGED))
@pytest.mark.parametrize("first", [True, False], ids=["original", "copy"])
def test_a_text_file_that_is_refused_is_not_quoted(tmp_path, content, first):
    path = tmp_path / "f.csv"
    path.write_bytes(content)
    assert "f.csv" in refused(*((path, GOOD) if first else (GOOD, path)))


def test_a_line_of_any_length_is_not_quoted(tmp_path):
    path = tmp_path / "f.csv"
    path.write_bytes(text("k,t", *["a,1"] * 3000, f'b,"{WORD} ' + "x" * 3_000_000))
    assert "line 3,002" in refused(path, GOOD)


# Parquet


def parquet(frame):
    written = io.BytesIO()
    frame.write_parquet(written)
    return written.getvalue()


@pytest.mark.parametrize("kept", [5, 20, 60, -40, -9, -1])
def test_parquet_cut_short_is_not_quoted(tmp_path, kept):
    path = tmp_path / "f.parquet"
    path.write_bytes(parquet(column(WORD, "b"))[:kept])
    refused(path, GOOD)


@pytest.mark.slow
@pytest.mark.parametrize("pair", [CASTS[key] for key in CASTS if key != "objects"])
def test_a_failed_comparison_of_parquet_quotes_no_value(tmp_path, pair):
    for name, frame in zip(("o.parquet", "s.parquet"), pair, strict=True):
        frame.write_parquet(tmp_path / name)
    refused(tmp_path / "o.parquet", tmp_path / "s.parquet")


# Frames of other libraries


def pandas_frames():
    pd = pytest.importorskip("pandas")
    return {
        "text for numbers": pd.DataFrame({"k": ["a", "b"], "t": [WORD, "x"]}),
        "objects for numbers": pd.DataFrame({"k": ["a", "b"], "t": [WORD, "x"]}, dtype=object),
        "several types": pd.DataFrame({"k": ["a", "b"], "t": [WORD, 1]}),
        "dictionaries": pd.DataFrame({"k": ["a", "b"], "t": [{WORD: 1}, {}]}),
        "lists": pd.DataFrame({"k": ["a", "b"], "t": [[WORD], []]}),
        "categories": pd.DataFrame({"k": ["a", "b"], "t": pd.Categorical([WORD, "b"])}),
        "categories of several types": pd.DataFrame(
            {"k": ["a", "b"], "t": pd.Series([WORD, 1], dtype="category")}
        ),
        "complex": pd.DataFrame({"k": ["a", "b"], "t": [DECIMAL + 1j, 2j]}),
        "moments": pd.DataFrame({"k": ["a", "b"], "t": pd.to_datetime([MOMENT, MOMENT])}),
        "periods": pd.DataFrame({"k": ["a", "b"], "t": pd.PeriodIndex([DAY, DAY], freq="D")}),
        "no level in common": pd.DataFrame({"k": [WORD, WORD], "t": [1, 2]}),
        "half a letter": pd.DataFrame({"k": ["a"], "t": ["\ud800" + WORD]}, dtype=object),
        "no such column": pd.DataFrame({"key": [WORD], "t": [WHOLE]}),
        "names that are no text": pd.DataFrame([[WORD, WHOLE]], columns=["k", 7]),
        "names alike": pd.DataFrame([[WORD, WHOLE]], columns=["k", "k"]),
    }


@pytest.mark.frames
@pytest.mark.parametrize("first", [True, False], ids=["original", "copy"])
def test_no_refusal_of_a_pandas_frame_quotes_a_value(first):
    for frame in pandas_frames().values():
        refused(*((frame, GOOD) if first else (GOOD, frame)))


@pytest.mark.frames
@pytest.mark.parametrize("first", [True, False], ids=["original", "copy"])
def test_no_refusal_of_an_arrow_table_quotes_a_value(first):
    pa = pytest.importorskip("pyarrow")
    tables = [
        pa.table({"k": ["a", "b"], "t": [WORD, "x"]}),
        pa.table({"k": ["a", "b"], "t": [[WORD], ["x"]]}),
        pa.table({"k": ["a", "b"], "t": [{"ill": WORD}, {"ill": "x"}]}),
        pa.table({"k": ["a", "b"], "t": pa.array([WORD, "x"]).dictionary_encode()}),
        pa.table({"k": ["a", "b"], "t": [WORD.encode(), b"x"]}),
        pa.table({"k": ["a", "b"], "t": [DAY, DAY]}),
        pa.table({"k": [WORD, WORD], "t": [1, 2]}),
        pa.table({"key": [WORD, WORD], "t": [1, 2]}),
    ]
    for table in tables:
        refused(*((table, GOOD) if first else (GOOD, table)))


@pytest.mark.frames
def test_the_result_of_a_pandas_frame_holds_no_value():
    pd = pytest.importorskip("pandas")
    data = pd.DataFrame(
        {
            "k": pd.Categorical([WORD, "b", WORD]),
            "whole": [WHOLE, 1, 2],
            "decimal": [DECIMAL, None, 1.5],
            "moment": pd.to_datetime([MOMENT, MOMENT, None]),
            "nullable": pd.array([WHOLE, None, 3], dtype="Int64"),
        }
    )
    search_result(unveil.disclosure(data, [data, data.iloc[:2]], keys="k"))


# Results


def people():
    return pl.DataFrame(
        {
            "k": [WORD, "b", WORD, None],
            "category": pl.Series([WORD, "x", "x", None], dtype=pl.Categorical),
            "whole": [WHOLE, 1, 2, None],
            "decimal": [DECIMAL, 1.5, float("nan"), None],
            "day": [DAY, date(2020, 1, 1), None, DAY],
            "moment": [MOMENT, None, MOMENT, datetime(2020, 1, 1)],
            "clock": [CLOCK, None, CLOCK, time(1)],
            "empty": ["", WORD, "", "x"],
        }
    )


def as_stored_otherwise(frame):
    """The same values in other types, so that every coercion is noted."""
    return frame.with_columns(
        pl.col("category").cast(pl.String),
        pl.col("whole").cast(pl.String),
        pl.col("decimal").cast(pl.Float32),
        pl.col("day").cast(pl.String),
        pl.col("clock").cast(pl.String),
    )


def search_result(result):
    for shown in (
        repr(result),
        str(result),
        f"{result}",
        result.to_json(),
        str(result.to_dict()),
        result._repr_html_(),
        result.frame().write_csv(),
        repr(result.frame()),
        repr(result.record),
        repr(result.identity) + repr(result.attribute),
        repr(result.mean) + repr(result.pooled),
    ):
        assert_silent(shown)


@pytest.mark.slow
@pytest.mark.parametrize("keys", [["k"], ["whole", "day"], ["decimal"], ["category", "moment"]])
def test_no_result_holds_a_value(keys):
    data = people()
    search_result(unveil.disclosure(data, data.reverse(), keys=keys))
    search_result(unveil.disclosure(data, [data, data.head(2)], keys=keys))


def test_no_note_of_what_was_changed_holds_a_value():
    data = people()
    result = unveil.disclosure(data, as_stored_otherwise(data), keys="k")
    kinds = {note.kind for note in result.record.coercions}
    assert kinds >= {"type", "missing"}
    search_result(result)


def test_no_note_of_how_a_text_file_was_read_holds_a_value(tmp_path):
    path = tmp_path / "f.csv"
    path.write_bytes(
        f"k;almost;comma;\r\n\r\n{WORD};1;{str(DECIMAL).replace('.', ',')};é\r\n\r\n"
        f"b;2;1,5;{WORD}\r\nb;{WORD};2,5;x\r\n".encode("cp1252")
    )
    result = unveil.disclosure(path, path, keys="k")
    kinds = {note.kind for note in result.record.coercions}
    assert kinds >= {
        "encoding",
        "separator",
        "blank_lines",
        "unnamed_column",
        "almost_numbers",
        "decimal_comma",
    }
    search_result(result)


def test_a_record_can_be_sent_elsewhere_and_holds_no_value():
    data = people()
    record = unveil.disclosure(data, data, keys="k").record
    sent = pickle.dumps(record)
    assert pickle.loads(sent) == record
    for trace in TRACES:
        assert trace.encode() not in sent


def test_nothing_is_logged_or_printed(caplog, capfd):
    caplog.set_level(logging.DEBUG)
    data = people()
    unveil.disclosure(data, as_stored_otherwise(data), keys="k")
    refused(column(1, 2), column(WORD, "2"))
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


def test_progress_tells_no_value():
    told = []
    data = people()
    unveil.disclosure(data, data, keys="k", progress=lambda *step: told.append(str(step)))
    assert told
    assert_silent("".join(told))


# The command line


@pytest.fixture
def run(tmp_path, capfd, monkeypatch):
    data = people()
    data.write_parquet(tmp_path / "o.parquet")
    as_stored_otherwise(data).head(3).write_csv(tmp_path / "s.csv")
    monkeypatch.chdir(tmp_path)

    def run(*more):
        with pytest.raises(SystemExit) as ended:
            main(["disclosure", "o.parquet", "s.csv", "-k", "k", "-t", "category,whole,day", *more])
        out, err = capfd.readouterr()
        assert_silent(out)
        assert_silent(err)
        return ended.value.code, out, err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",), ("--limit", "DiSCO=1")])
def test_no_output_of_the_command_line_holds_a_value(run, form):
    code, out, err = run(*form)
    assert (code, err) == (3 if "--limit" in form else 0, "")
    assert out


FAULTS = {
    "RuntimeError": RuntimeError(WORD),
    "KeyError": KeyError(WORD),
    "ValueError": ValueError(WORD),
    "MemoryError": MemoryError(WORD),
    "RecursionError": RecursionError(WORD),
    "OSError": OSError(5, WORD),
    "UnicodeDecodeError": UnicodeDecodeError("utf-8", WORD.encode(), 0, 1, WORD),
    "ComputeError": pl.exceptions.ComputeError(WORD),
    "InvalidOperationError": pl.exceptions.InvalidOperationError(WORD),
}
STAGES = ("parse_limits", "measure_disclosure", "check_limits", "render_rich")


def raising(fault):
    def fail(*_, **__):
        raise fault

    return fail


@pytest.mark.slow
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", FAULTS)
def test_an_unexpected_fault_is_told_by_its_type_alone(run, monkeypatch, stage, kind):
    module = importlib.import_module("unveil.cli.disclosure")
    monkeypatch.setattr(module, stage, raising(FAULTS[kind]))
    code, out, err = run()
    assert (code, out) == (1, "")
    assert err == (
        f"unveil: Internal error ({kind}). Nothing was written. The error is in unveil, not in"
        " your data: please report it with the command, and without any data.\n"
    )


def test_a_full_disk_is_no_internal_error(run, monkeypatch):
    module = importlib.import_module("unveil.cli.disclosure")
    monkeypatch.setattr(module, "render_rich", raising(OSError(28, WORD)))
    assert run() == (2, "", "unveil: The output could not be written. Check the disk.\n")


def test_work_that_is_stopped_by_hand_says_so(run, monkeypatch):
    module = importlib.import_module("unveil.cli.disclosure")
    monkeypatch.setattr(module, "measure_disclosure", raising(KeyboardInterrupt()))
    code, out, err = run()
    assert (code, out) == (130, "")
    assert err.strip() == "unveil: Stopped. Nothing was written."
