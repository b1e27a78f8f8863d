"""Canaries under exclusions, bands, checks, records at risk, excess and the exclusion table.

Values are planted in the data, each held by one or two people, and searched for in every message,
view and document. Records at risk alone may hold them, and nothing else knows of records at risk.
"""

import importlib
import logging
import pickle
import traceback
from datetime import date

import polars as pl
import pytest

import unveil
from unveil.cli import main

WORD = "CANARY-HIV-positive-77"
WHOLE = 9007199254771337
DECIMAL = 48151.62342
DAY = date(1987, 6, 5)
TRACES = (WORD, "HIV", str(WHOLE), f"{WHOLE:,}", "48151.6", "48,151", "1987-06", "1987, 6")
"""How a planted value could show itself."""


def people():
    """Sixty people, two of them with planted values in every column."""
    n = 60
    area = ["north", "south", "east"] * 20
    data = {
        "area": area,
        "age": [20 + i % 3 * 10 for i in range(n)],
        "ill": ["no"] * n,
        "income": [1000.0 + 10 * (i % 20) for i in range(n)],
        "code": [100 + i % 3 for i in range(n)],
        "born": [date(2000, 1, 1 + i % 3) for i in range(n)],
    }
    for place in (7, 31):
        for column, value in zip(data, (WORD, 99, WORD, DECIMAL, WHOLE, DAY), strict=True):
            data[column][place] = value
    return pl.DataFrame(data)


def assert_silent(text):
    assert [trace for trace in TRACES if trace in text] == []


KEYS = ["area", "age"]
EXCLUDE = ["ill=no", "missing-targets", "missing-keys", "code=100@area=north", "max-denominator=9"]
SETTINGS = {
    "nothing": {},
    "exclusions": {"exclude": EXCLUDE},
    "bands": {"bands": {"income": 3, "age": "equal:2"}},
    "breaks": {"bands": {"income": [1000, 1100], "age": [30]}},
    "codes": {"bands": {"income": 3}, "special_codes": {"income": [1000, -8]}},
    "checks by a key": {"checks_by": "area"},
    "checks by a target": {"checks_by": "ill"},
    "checks by dates": {"checks_by": "born"},
    "lower thresholds": {"one_way": (2, 10), "two_way": (2, 10)},
    "all": {"exclude": EXCLUDE[1:], "bands": {"income": 3}, "checks_by": "area"},
}


def views(result):
    yield repr(result)
    yield str(result)
    yield f"{result}"
    yield result.to_json()
    yield str(result.to_dict())
    yield result._repr_html_()
    yield result.frame().write_csv()
    yield repr(result.frame())
    yield repr(result.record)
    yield str(result.record)


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=list(SETTINGS))
@pytest.mark.parametrize("copies", [1, 2])
def test_no_view_of_a_result_holds_a_value(settings, copies):
    data = people()
    result = unveil.disclosure(data, [data, data.head(40)][:copies], keys=KEYS, **settings)
    for shown in views(result):
        assert_silent(shown)
    assert_silent(repr(result.flags) + repr(result.excluded) + repr(result.effects))
    assert_silent("".join(flag.sentence for flag in result.flags))
    for shown in views(result.whatif(EXCLUDE[1:3])):
        assert_silent(shown)


def test_having_listed_records_a_result_shows_none_of_them():
    data = people()
    result = unveil.disclosure(data, data, keys=KEYS)
    listed = result.records_at_risk("ill")
    assert WORD in listed.write_csv()
    for shown in views(result):
        assert_silent(shown)
    for trace in TRACES:
        assert trace.encode() not in pickle.dumps(result.record)


@pytest.mark.parametrize("settings", [{}, {"exclude": EXCLUDE}, {"bands": {"income": 3}}])
def test_neither_excess_nor_table_holds_a_value(settings):
    data = people()
    measures = ["iS", "DiSCO", "TCAP"]
    compared = unveil.excess(data, data.head(30), data, keys=KEYS, measure=measures, **settings)
    settings = {"levels": "ill=no"} if "exclude" in settings else settings
    table = unveil.exclusion_table(data, data, keys=KEYS, one_way=(2, 10), **settings)
    for result in (compared, table):
        for shown in views(result):
            assert_silent(shown)


def test_nothing_is_logged_printed_or_told_of_progress(caplog, capfd):
    caplog.set_level(logging.DEBUG)
    data, told = people(), []

    def progress(*step):
        told.append(str(step))

    result = unveil.disclosure(
        data, data, keys=KEYS, exclude=EXCLUDE, bands={"income": 3}, progress=progress
    )
    result.whatif(EXCLUDE[:1])
    result.records_at_risk("ill")
    unveil.excess(data, data, data, keys=KEYS, exclude=EXCLUDE, progress=progress)
    unveil.exclusion_table(data, data, keys=KEYS, progress=progress)
    assert told
    assert_silent("".join(told))
    assert caplog.records == []
    assert capfd.readouterr() == ("", "")


# Refusals

REFUSED = {
    "a level nobody has": {"exclude": "ill=well"},
    "a number nobody has": {"exclude": "income=3"},
    "a date nobody has": {"exclude": "born=2024-12-31"},
    "a date in another form": {"exclude": "born=today"},
    "a key level nobody has": {"exclude": "ill=no@area=west"},
    "a number as a key level nobody has": {"exclude": "ill=no@age=7"},
    "a missing level where none is": {"exclude": "ill="},
    "an unknown target": {"exclude": "illness=no"},
    "an unknown key": {"exclude": "ill=no@aera=north"},
    "a key as a target": {"exclude": "area=north"},
    "bands of text": {"bands": {"ill": 3}},
    "bands of dates": {"bands": {"born": 3}},
    "bands of a key of text": {"bands": {"area": 3}},
    "bands that fall": {"bands": {"income": [3, 1]}},
    "bands of an unknown column": {"bands": {"incom": 3}},
    "codes that are no numbers": {"special_codes": {"income": "x"}},
    "checks by an unknown column": {"checks_by": "region"},
    "thresholds": {"two_way": (4, 101)},
}


def refused(call, *data, **settings):
    """The refusal, once nothing that a user could print of it holds a planted value."""
    with pytest.raises(unveil.InputError) as caught:
        call(*data, **settings)
    fault = caught.value
    assert_silent(str(fault))
    assert_silent(repr(fault))
    assert fault.__cause__ is None
    assert fault.__suppress_context__ or fault.__context__ is None
    assert_silent("".join(traceback.format_exception(fault)))
    return str(fault)


@pytest.mark.slow
@pytest.mark.parametrize("settings", REFUSED.values(), ids=list(REFUSED))
def test_a_refusal_quotes_no_value(settings):
    data = people()
    refused(unveil.disclosure, data, data, keys=KEYS, **settings)
    if not settings.keys() & {"checks_by", "two_way"}:
        refused(unveil.excess, data, data, data, keys=KEYS, **settings)
    if "exclude" in settings:
        result = unveil.disclosure(data, data, keys=KEYS)
        refused(result.whatif, **settings)
        refused(unveil.exclusion_table, data, data, keys=KEYS, levels=settings["exclude"])


@pytest.mark.parametrize(
    "call",
    [
        lambda result: result.records_at_risk("sick"),
        lambda result: result.records_at_risk("ill", copy=2),
        lambda result: result.records_at_risk("ill", measure="disco"),
    ],
)
def test_records_that_cannot_be_listed_are_refused_without_a_value(call):
    data = people()
    refused(call, unveil.disclosure(data, data, keys=KEYS))


def test_one_level_is_suggested_to_those_who_all_but_typed_it_and_no_other():
    data = pl.DataFrame({"k": ["a", "b", "c", "d"], "t": ["divorced", "single", "widowed", "no"]})
    told = refused(unveil.disclosure, data, data, keys="k", exclude="t=divorcd")
    assert "Did you mean 'divorced'?" in told
    assert "single" not in told
    assert "widowed" not in told


@pytest.mark.parametrize("copy", [people().with_columns(pl.lit(WORD).alias("income"))])
def test_a_column_that_cannot_be_cut_because_it_cannot_be_compared_is_not_quoted(copy):
    told = refused(unveil.disclosure, people(), copy, keys=KEYS, bands={"income": 3})
    assert "Column 'income'" in told


# The command line


@pytest.fixture
def run(tmp_path, capfd, monkeypatch):
    people().write_parquet(tmp_path / "o.parquet")
    people().head(50).write_parquet(tmp_path / "s.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")

    def run(command, *more):
        files = ["o.parquet", "s.parquet"]
        files += ["s.parquet"] if command == "excess" else []
        with pytest.raises(SystemExit) as ended:
            main([command, *files, "-k", "area,age", *more])
        out, err = capfd.readouterr()
        assert_silent(out)
        assert_silent(err)
        return ended.value.code, out, err

    return run


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["screen", "json", "csv"])
@pytest.mark.parametrize(
    "command",
    [
        ("disclosure", "-x", "ill=no", "-x", "max-denominator=9"),
        ("disclosure", "--bands", "income=3", "--special-codes", "income=-8"),
        ("disclosure", "--checks-by", "area", "--two-way", "2,10"),
        ("disclosure", "--records", "r.csv"),
        ("disclosure", "--records", "r.csv", "-x", "ill=no", "--bands", "income=3"),
        ("excess", "-x", "ill=no"),
        ("exclusion-table",),
    ],
    ids=" ".join,
)
def test_no_output_of_the_command_line_holds_a_value(run, tmp_path, command, form):
    code, out, err = run(*command, *form)
    assert code == 0
    assert out
    if "--records" in command:
        assert WORD in (tmp_path / "r.csv").read_text()
        assert "unveil: CONFIDENTIAL: " in err
    # Only alerts about the files stand beside a document.
    lines = [line for line in err.splitlines() if not line.startswith("unveil: CONFIDENTIAL: ")]
    assert all(line.startswith("unveil: block: ") for line in lines)


FAULTS = {
    "RuntimeError": RuntimeError(WORD),
    "KeyError": KeyError(WORD),
    "OSError": OSError(5, WORD),
    "UnicodeEncodeError": UnicodeEncodeError("utf-8", WORD, 0, 1, WORD),
    "ComputeError": pl.exceptions.ComputeError(WORD),
}
STAGES = [
    ("disclosure", "disclosure", "write_records"),
    ("excess", "excess", "measure_excess"),
    ("excess", "output_files", "print_record"),
    ("exclusion-table", "exclusion_table", "measure_table"),
    ("exclusion-table", "output_files", "print_record"),
]


def raising(fault):
    def fail(*_, **__):
        raise fault

    return fail


@pytest.mark.slow
@pytest.mark.parametrize("place", STAGES)
@pytest.mark.parametrize("kind", FAULTS)
def test_an_unexpected_fault_is_told_by_its_type_alone(run, tmp_path, monkeypatch, place, kind):
    command, module, stage = place
    monkeypatch.setattr(
        importlib.import_module(f"unveil.cli.{module}"), stage, raising(FAULTS[kind])
    )
    more = ("--records", "r.csv") if stage == "write_records" else ()
    code, out, err = run(command, *more)
    assert (code, out) == (1, "")
    assert err == (
        f"unveil: Internal error ({kind}). Nothing was written. The error is in unveil, not in"
        " your data: please report it with the command, and without any data.\n"
    )
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.parquet", "s.parquet"]


@pytest.mark.slow
def test_a_disk_that_fails_leaves_no_record_behind(run, tmp_path, monkeypatch):
    monkeypatch.setattr("unveil.atomic.os.fsync", raising(OSError(28, "No space left on device")))
    code, out, err = run("disclosure", "--records", "r.csv")
    assert (code, out) == (2, "")
    assert err.startswith("unveil: The file 'r.csv' cannot be written: No space left on device.")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.parquet", "s.parquet"]


@pytest.mark.slow
def test_work_that_is_stopped_by_hand_leaves_no_record_behind(run, tmp_path, monkeypatch):
    monkeypatch.setattr("unveil.atomic.os.fsync", raising(KeyboardInterrupt()))
    code, out, err = run("disclosure", "--records", "r.csv")
    assert (code, out) == (130, "")
    assert err.strip() == "unveil: Stopped. Nothing was written."
    assert sorted(path.name for path in tmp_path.iterdir()) == ["o.parquet", "s.parquet"]
