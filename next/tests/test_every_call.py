"""What holds of every public call and every command, whichever they are."""

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import click
import polars as pl
import pytest

import every_call
import unveil
from every_call import ABOUT, CALLS, CANARIES, arguments, frames, make, study, tables, wrong_values
from unveil.cli.commands import ALL, COMMANDS
from unveil.cli.main import main
from unveil.cli.table import CALLS as OF_TABLES
from unveil.data.codebook import Data, Variable
from unveil.results import to_json
from unveil.study import Needs

every = pytest.mark.parametrize("name", CALLS)
SOURCE = Path(unveil.__file__).parents[1]


def test_every_call_can_be_made_here():
    for name in CALLS:
        assert make(name, study()).tables, f"{name}: add what it needs to NEEDED"


# Refusals


def fault_of(call, *words):
    """What is wrong with how a call refuses; nothing, where it does so in plain words."""
    try:
        call()
    except unveil.InputError as error:
        text = str(error)
        if error.__cause__ or (error.__context__ and not error.__suppress_context__):
            return f"a traceback hangs on it: {text}"
        if not 1 <= len(re.findall(r"[.?!](?=\s|$)", text)) <= 3 or not text.isprintable():
            return f"no plain sentence: {text!r}"
        if not any(word in text for word in words):
            return f"names none of {words}: {text}"
        values = [value for value in CANARIES + LEVELS if value in text]
        return f"holds {values}: {text}" if values else ""
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "is taken"


def typed(value):
    """As a message repeats it: nothing in it acts on a terminal."""
    return repr(str(next(iter(value)) if isinstance(value, dict) else value))[1:-1]


LEVELS = ("womanly", "Ashwick", "finely", "person-", "remark")


def assert_refused(faults):
    assert not any(faults.values()), "\n".join(f"{k}: {v}" for k, v in faults.items() if v)


@every
def test_a_wrong_argument_is_refused_in_a_sentence_that_names_it(name):
    files = study()
    faults = {"study": fault_of(lambda: make(name, 5), "Study", "study", "'table")}
    for argument, hint in arguments(CALLS[name]).items():
        for value in wrong_values(argument, hint):
            refusal = fault_of(
                lambda: make(name, files, **{argument: value}), argument, typed(value)
            )
            faults[f"{argument}={value!r}"] = refusal
    assert_refused(faults)


def test_a_wrong_argument_of_a_study_is_refused_in_a_sentence_that_names_it():
    faults = {}
    for argument, hint in arguments(unveil.Study.__init__).items():
        for value in wrong_values(argument, hint):
            settings = frames() | ABOUT | {argument: value}
            refusal = fault_of(lambda: unveil.Study(**settings), argument, typed(value) or "''")
            faults[f"{argument}={value!r}"] = refusal
    assert_refused(faults)


SETTINGS = {
    "role": ("no such role", 5, ["key"]),
    "kind": ("no such kind", 5),
    "special": ("none", [None], [[1]], 5),
    "bands": (
        *(1, 0, -3, 1.5, "five", "equal:1", (65, 18), (1, 1), ()),
        *({"A": ("nowhere",)}, {"A": 5}),
    ),
    "tolerance": (-1, "near", float("nan"), []),
    "sensitive": (5, [5], ["nowhere"]),
    "reason": (5, ["because"]),
    "no such setting": (1,),
}


@pytest.mark.parametrize("setting", SETTINGS)
def test_a_wrong_setting_of_a_column_is_refused_in_a_sentence_that_names_the_column(setting):
    def disclose(column, value):
        files = study(columns={**ABOUT["columns"], column: {setting: value}})
        unveil.disclosure(files, expected=False)

    columns = ("health", "region") if setting == "sensitive" else ("income", "age")
    assert_refused({
        f"{column}:{value!r}": fault_of(lambda: disclose(column, value), column)
        for column in columns
        for value in SETTINGS[setting]
    })  # fmt: skip


def with_text(column):
    return lambda frame: frame.with_columns(pl.col(column).cast(pl.String).replace("60", "Zq-key"))


FILES = {
    "text among numbers": ("age", with_text("age"), {"columns": {"age": {"kind": "number"}}}),
    "bands on text": ("region", pl.DataFrame.clone, {"columns": {"region": {"bands": 3}}}),
    "a person as target": ("pid", pl.DataFrame.clone, {"targets": "pid"}),
    "a key as target": ("sex", pl.DataFrame.clone, {"targets": "sex"}),
    "a column less": ("region", lambda f: f.drop("region") if len(f) == 70 else f, {}),
    "a key of other values": (
        "sex", lambda f: f.with_columns(pl.col("sex") + str(len(f))), {},
    ),
    "a target of other values": (
        "health", lambda f: f.with_columns(pl.col("health") + str(len(f))), {},
    ),
    "lists": ("region", lambda f: f.with_columns(pl.col("region").str.split("i")), {}),
    "no records": ("original", pl.DataFrame.clear, {}),
}  # fmt: skip


@every
@pytest.mark.parametrize("case", FILES)
def test_files_that_cannot_be_compared_are_refused_without_a_value_of_theirs(name, case):
    column, change, about = FILES[case]
    is_of_tables = name in (*every_call.TABLE_CALLS, "amounts")
    if is_of_tables and (column == "region" or case.endswith("other values")):
        return  # it counts other columns of the original alone
    if case.endswith("of other values") and not Needs.of(CALLS[name]).synthetic:
        return  # it compares nothing
    if case.endswith("of other values") and Needs.of(CALLS[name]).numbers == "unlike":
        assert f"coding:{column}" in [alert.id for alert in make(name, study(change)).alerts]
        return
    assert_refused({case: fault_of(lambda: make(name, study(change, **about)), column)})


# Commands


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("files")
    files = frames()
    for role, frame in ("original", files["original"]), ("control", files["control"]):
        frame.write_csv(place / f"{role}.csv")
    files["synthetic"]["cart"][0].write_csv(place / "synthetic.csv")
    return place


def words_of(name, folder):
    """A command with its files and with what is said of them."""
    roles = [p.name for p in ALL[name]().params if isinstance(p, click.Argument)]
    about = {"--keys": "sex,age,region", "--targets": "health,income", "--column": "pid=person"}
    if name in ("split", "synthesise"):
        about["--out"] = str(folder / {"split": "samples", "synthesise": "made.csv"}[name])
    options = {o for p in ALL[name]().params for o in p.opts} & about.keys()
    words = [name, *(str(folder / f"{role}.csv") for role in roles)]
    return [*words, *(word for option in sorted(options) for word in (option, about[option]))]


def run(words, monkeypatch, capsys):
    """The exit code, and what is printed and complained of."""
    monkeypatch.setattr(sys, "argv", ["unveil", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    return (ended.value.code or 0, *capsys.readouterr())


@pytest.mark.parametrize("name", ALL)
def test_a_wrong_option_ends_with_2_and_one_line(name, folder, monkeypatch, capsys):
    options = [p for p in ALL[name]().params if isinstance(p, click.Option)]
    is_free = {o.name for o in options if o.is_flag or o.required} | every_call.FREE
    takes_value = [o for o in options if o.name not in is_free]
    wrong = [[option.opts[0], "no such thing"] for option in takes_value]
    faults = {}
    for words in (*wrong, ["--kyes", "sex"], ["--json", "too", "many", "files.csv"]):
        code, printed, complaint = run([*words_of(name, folder), *words], monkeypatch, capsys)
        is_line = complaint.startswith("unveil: ") and complaint.count("\n") == 1
        is_plain = code == 2 and is_line and not printed
        faults[" ".join(words)] = "" if is_plain else f"{code} {printed!r} {complaint!r}"
    assert_refused(faults)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_prints_and_writes_what_the_call_gives(name, folder, monkeypatch, capsys):
    path = folder / "result.json"
    words = [*words_of(name, folder), "--json", "--out", str(path)]
    files = [file for file in words if file.endswith(".csv")]
    typed = {"--keys": "keys", "--targets": "targets"}
    about = {typed[word]: ABOUT[typed[word]] for word in words if word in typed}
    files = unveil.Study(*files, columns={"pid": "person"}, **about)
    calls = COMMANDS[name].calls(files, (), {})
    results = [call(files, **every_call.NEEDED.get(call.__name__, {})) for call in calls]
    _, printed, _ = run(words, monkeypatch, capsys)
    assert json.loads(printed) == json.loads(path.read_text()) == json.loads(to_json(results))
    assert len(results) > 1 or unveil.Result.load(path) == results[0]


STEPS = {"add_noise", "distance_filter", "recode", "remove_uniques"}
"""Calls that are steps of `protect`."""
IN_PYTHON = {"overview"}
"""What a command shows by its own tables: tries, and each measure of several versions."""


def test_every_call_has_a_command():
    """Its own, or one that makes it beside another call."""
    commands = (*COMMANDS.values(), OF_TABLES)
    made = {call.__name__ for command in commands for call in command.all_calls}
    assert made | (ALL.keys() - COMMANDS.keys()) >= CALLS.keys() - STEPS - IN_PYTHON


@pytest.mark.parametrize("name", COMMANDS)
def test_a_file_that_is_read_is_not_written(name, folder, monkeypatch, capsys):
    words = words_of(name, folder)
    files = [file for file in words if file.endswith(".csv")]
    if "--control" in {o for p in ALL[name]().params for o in p.opts}:
        files.append(str(folder / "control.csv"))
        words += ["--control", files[-1]]
    for file in files:
        before = Path(file).read_bytes()
        code, _, complaint = run([*words, "--out", file], monkeypatch, capsys)
        assert (code, complaint.count("\n")) == (2, 1)
        assert Path(file).read_bytes() == before


# Results


@every
def test_a_result_is_the_same_after_json(name, tmp_path):
    result = make(name, study())
    loaded = unveil.Result.load(result.save(tmp_path / "result.json"))
    assert loaded == result
    assert (loaded.sentences, loaded.tables) == (result.sentences, result.tables)


@every
def test_a_frame_has_the_declared_types(name):
    result = make(name, study())
    for table in result.tables:
        for row in getattr(result, table)[:1]:
            kinds = {c: {k for k, _ in every_call.parts_of(h)} for c, h in hints_of(row).items()}
            declared = {c: dtype_of(several) for c, several in kinds.items()}
            assert dict(result.frame(table).schema) == declared, table


def hints_of(row):
    return every_call.get_type_hints(type(row), include_extras=True)


def dtype_of(kinds):
    dtypes = {float: pl.Float64, bool: pl.Boolean, int: pl.Int64}
    if str in kinds or not kinds & dtypes.keys():
        is_list = any(every_call.get_origin(kind) is tuple for kind in kinds)
        return pl.List(pl.String) if is_list else pl.String
    return next(dtype for kind, dtype in dtypes.items() if kind in kinds)


@every
def test_percents_and_shares_stay_within_their_bounds(name):
    result = make(name, study())
    highest = {"Percent": 100, "Share": 1}
    for row in (row for table in result.tables for row in getattr(result, table)):
        for column, hint in hints_of(row).items():
            unit = next((type(u).__name__ for u in getattr(hint, "__metadata__", ())), "")
            value = getattr(row, column)
            if unit in highest and value is not None and getattr(row, "copy", "") != "sd":
                low = float("-inf") if column in SIGNED else 0
                assert low <= value <= highest[unit] + 1e-9, (column, row)


SIGNED = {
    *("R", "R_low", "R_high", "advantage", "self_test"),
    *("singling_out", "linkability", "inference"),
}


# What does not matter


def cast(frame, dtypes):
    return frame.with_columns(pl.col(kind).cast(dtype) for kind, dtype in dtypes.items())


def as_enum(frame):
    texts = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    return frame.with_columns(
        frame[name].cast(pl.Enum(frame[name].drop_nulls().unique().sort())) for name in texts
    )


def labelled(frame):
    """Texts as codes with labels, as SPSS, Stata and SAS have them."""
    codebook = {}
    for name in ("sex", "region", "health"):
        texts = frame[name].replace("unknown", None)
        codes = {text: str(code) for code, text in enumerate(LABELS[name], start=1)}
        frame = frame.with_columns(texts.replace_strict(codes, return_dtype=pl.Float64).alias(name))
        codebook[name] = Variable(labels={code: text for text, code in codes.items()})
    return Data(frame, codebook)


LABELS = {
    "sex": ("manly", "womanly"),
    "region": ("Ashwick", "Birchby", "Zq-key"),
    "health": ("Zq-target", "fairly", "finely", "poorly"),
}

EQUAL = {
    "categories": lambda f: cast(f, {pl.String: pl.Categorical}),
    "declared levels": as_enum,
    "decimals": lambda f: cast(f, {pl.Int64: pl.Decimal(12, 2)}),
    "floats": lambda f: cast(f, {pl.Int64: pl.Float64}),
    "small numbers": lambda f: cast(f, {pl.Int64: pl.Int32}),
    "digits in some files": lambda f: f if len(f) > 70 else cast(f, {pl.Int64: pl.String}),
    "empty texts": lambda f: f.with_columns(pl.col(pl.String).fill_null("")),
    "pandas": pl.DataFrame.to_pandas,
    "pyarrow": pl.DataFrame.to_arrow,
    "columns in another order": lambda f: f.select(reversed(f.columns)),
    "labelled codes": labelled,
    "labelled codes in some files": lambda f: f if len(f) > 70 else labelled(f),
    "codes, and labels in others": lambda f: labelled(f) if len(f) > 70 else f,
    "codes without labels in others": lambda f: labelled(f) if len(f) > 70 else labelled(f).frame,
    "one more column": lambda f: f.with_columns(count=pl.lit(1)),
}


@every
@pytest.mark.parametrize("change", EQUAL)
def test_what_a_file_looks_like_makes_no_difference(name, change):
    if (name, change) in TOLD:
        return
    plain = tables(CALLS[name](study(), **every_call.settings_of(name)))
    again = tables(CALLS[name](study(EQUAL[change]), **every_call.settings_of(name)))
    for table, frame in plain.items():
        assert again[table].equals(frame), table


@every
def test_codes_for_missing_answers_are_those_of_the_file_or_as_they_are_declared(name):
    refused = {"income": Variable(missing=((-9.0, -1.0),))}
    about = {**ABOUT["columns"], "income": {"tolerance": 200}}
    plain = tables(CALLS[name](study(), **every_call.settings_of(name)))
    files = study(lambda frame: Data(frame, refused), columns=about)
    again = tables(CALLS[name](files, **every_call.settings_of(name)))
    for table, frame in plain.items():
        assert again[table].equals(frame), table


DATES = {
    "texts": lambda f: f.with_columns(pl.col("age").dt.to_string("%Y-%m-%d")),
    "texts in some files": lambda f: DATES["texts"](f) if len(f) == 70 else f,
    "moments": lambda f: f.with_columns(pl.col("age").cast(pl.Datetime("ms"))),
    "texts as categories": lambda f: cast(DATES["texts"](f), {pl.String: pl.Categorical}),
}


OF_ALL_COLUMNS = ("assess", "describe", "distance_filter", "synthesise")
TOLD = {
    ("synthesise", "columns in another order"),  # columns are made in the order of the file
    *((name, "one more column") for name in OF_ALL_COLUMNS),
    *((name, "texts") for name in OF_ALL_COLUMNS),  # which are equal or not; dates are near or far
    *((name, "texts as categories") for name in OF_ALL_COLUMNS),
}
"""What a file looks like, where that is what the call tells."""


@every
@pytest.mark.parametrize("change", DATES)
def test_a_date_is_a_date(name, change):
    if (name, change) in TOLD:
        return
    plain = tables(make(name, study(lambda f: f.with_columns(age=dates_of(f)))))
    again = tables(make(name, study(lambda f: DATES[change](f.with_columns(age=dates_of(f))))))
    for table, frame in plain.items():
        assert again[table].equals(frame), table


def dates_of(frame):
    return pl.date(2026, 1, 1) + pl.duration(days=frame["age"])


@every
def test_the_order_of_rows_makes_no_difference(name):
    about = {"keys": ()} if name == "assess" else {}  # a model learns from people in their order
    shuffled = study(lambda f: f.sample(fraction=1, shuffle=True, seed=7), **about)
    for table, frame in tables(make(name, study(**about))).items():
        assert make(name, shuffled).frame(table).equals(frame), table


@every
def test_the_names_of_levels_change_no_figure(name):
    new = {"womanly": "zebra", "Ashwick": "Zermatt", "finely": "wholly", "unknown": "unknown"}
    texts = pl.col(pl.String).exclude("pid")
    about = {"keys": ()} if name == "assess" else {}  # a model learns from levels in their order
    renamed = tables(make(name, study(lambda f: f.with_columns(texts.replace(new)), **about)))
    for table, frame in tables(make(name, study(**about))).items():
        if (name, table) == ("assess", "figures"):  # in whose order neighbours of links stand
            renamed[table], frame = (t.filter(kind="records") for t in (renamed[table], frame))
        assert figures(renamed[table]) == figures(frame), table


def figures(frame):
    """The numbers of a table, whatever its order, with what is no name of a level."""
    about = [
        c for c in ("version", "copy", "target", "unit", "figure", "kind") if c in frame.columns
    ]
    columns = frame.select(*about, pl.selectors.numeric())
    return sorted(columns.rows(), key=repr)


def test_the_number_of_threads_makes_no_difference():
    documents = []
    for n in ("1", "4"):
        threads = dict.fromkeys(("POLARS_MAX_THREADS", "OMP_NUM_THREADS", "LOKY_MAX_CPU_COUNT"), n)
        paths = os.pathsep.join([str(SOURCE), str(Path(__file__).parent)])
        words = [sys.executable, every_call.__file__]
        environment = os.environ | threads | {"PYTHONPATH": paths}
        documents.append(subprocess.run(words, env=environment, capture_output=True, check=True))
    assert json.loads(documents[0].stdout) == json.loads(documents[1].stdout)


# Hostile and confidential texts

HOSTILE = (
    "<script>alert(1)</script>",
    '=cmd("x")',
    "@SUM(A1)",
    "[red]red[/red]",
    "two\nlines",
    "\x1b[31mred\x07",
    "$label",
    "\u202egnirts",
    "<script>alert(1)</script>" * 12,
)


def hostile(frame):
    """Every text a hostile one, and hostile names of columns."""
    levels = {
        "womanly": HOSTILE[0],
        "manly": HOSTILE[5],
        "finely": HOSTILE[1],
        "fairly": HOSTILE[3],
    }
    levels |= {"poorly": HOSTILE[4], "Ashwick": HOSTILE[6], "Birchby": HOSTILE[7]}
    return frame.with_columns(pl.col(pl.String).replace(levels)).rename(NAMES)


NAMES = {"region": HOSTILE[8], "health": HOSTILE[0], "sex": HOSTILE[5]}


@pytest.fixture(scope="module", params=CALLS)
def hostile_result(request):
    columns = {**ABOUT["columns"], HOSTILE[0]: {"sensitive": HOSTILE[1:2]}}
    del columns["health"]
    files = study(
        hostile,
        keys=(HOSTILE[5], "age", HOSTILE[8]),
        targets=(HOSTILE[0], "income"),
        columns=columns,
    )
    return make(request.param, files, thresholds=(0, 0, 0, 0))


def test_a_terminal_gets_no_control_character(hostile_result, capsys):
    hostile_result.show()
    hostile_result.show("all")
    for name in (*hostile_result.tables, *hostile_result.charts):
        hostile_result.show(name)
    printed = capsys.readouterr().out
    assert not re.findall(
        r"[^\n\x20-\x7e\xa0-\u200d\u2010-\u2027\u2030-\u2065\u206a-\uffff]", printed
    )


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)


def test_a_page_holds_texts_as_texts(hostile_result, tmp_path):
    page = hostile_result.save(tmp_path / "page.html").read_text()
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.found
    assert "alert(1)" in page or "alert(1)" not in str(hostile_result.document()["tables"])


def test_a_spreadsheet_gets_no_formula(hostile_result, tmp_path):
    for table in hostile_result.tables:
        path = hostile_result.save(tmp_path / "table.csv", table)
        cells = pl.read_csv(path, infer_schema=False).select(pl.col(pl.String)).rows()
        texts = [cell for row in cells for cell in row if cell and not is_number(cell)]
        assert not [text for text in texts if text[0] in "=@+-\t\r"], table


def is_number(text):
    return re.fullmatch(r"-?[\d.]+(e-?\d+)?", text)


def test_json_holds_texts_exactly(hostile_result, tmp_path):
    path = hostile_result.save(tmp_path / "result.json")
    assert unveil.Result.load(path) == hostile_result
    assert HOSTILE[0] in json.loads(path.read_text())["settings"].get("targets", HOSTILE)


SHOWING_LEVELS = {"values", "flags", "sensitive", "excluded", "levels", "lessons", "recovered"}


@every
def test_a_value_that_one_person_has_stands_only_where_levels_are_shown(name, tmp_path, capsys):
    result = make(name, study())
    result.show()
    shown = [capsys.readouterr().out, *result.sentences, *(note.sentence for note in result.notes)]
    for table in set(result.tables) - SHOWING_LEVELS:
        shown.append(result.save(tmp_path / "table.csv", table).read_text())
    shown.append(json.dumps(result.settings))
    assert not [canary for canary in CANARIES for text in shown if canary in text]
    everything = result.save(tmp_path / "page.html").read_text() + str(result.document())
    assert not [canary for canary in ("Zq-pid", "Zq-note") if canary in everything]
