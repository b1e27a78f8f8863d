"""Faults of engines: one sentence that quotes no value, and nothing left behind."""

import gc
import os
import re
import signal
import subprocess
import sys
import time
import traceback

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest

import unveil
from unveil.study.backends import open_backend
from unveil.study.engine import EngineSettings, use_engine
from unveil.study.open_scenario import open_in_engine

SECRET = "Maria-Magdalena-Mustermann"
SOUND = "a,t,d\n" + "".join(f"{i % 7},{i % 3},2020-01-0{1 + i % 9}\n" for i in range(300))
NUMBER = "471147114711471147114711"


def write(path, seed, n=60_000):
    r = np.random.default_rng(seed)
    columns = {name: r.integers(0, 300, n) for name in ("a", "b", "c")}
    pl.DataFrame({**columns, "t": r.integers(0, 9, n)}).write_parquet(path)
    return path


@pytest.fixture
def pair(tmp_path):
    return write(tmp_path / "o.parquet", 1), write(tmp_path / "s.parquet", 2)


def count(pair, spill, engine, **settings):
    with use_engine(engine, spill=spill, **settings):
        return unveil.disclosure(*pair, keys=["a", "b", "c"])


@pytest.fixture
def spill(tmp_path):
    (tmp_path / "spill").mkdir()
    return tmp_path / "spill"


def check_refusal(refusal, match):
    told = "".join(traceback.format_exception(refusal.value))
    assert not re.search(f"{SECRET}|{NUMBER[:11]}", told)
    assert not re.search(f"{SECRET}|{NUMBER[:11]}", f"{refusal.value.__context__}")
    assert match in str(refusal.value)
    assert "\n" not in str(refusal.value)


QUOTING = {
    "no number": "select a::int as a, t from read_parquet('{words}')",
    "no date": "select a::date as a, t from read_parquet('{words}') where a > '2'",
    "no time": "select strptime(a, '%Y') as a, t from read_parquet('{words}')",
    "an error of their own": "select error(a) as a, t from read_parquet('{words}') where a > '2'",
    "text": "select * from read_csv('{lines}', header=true, columns={{'a': 'INT', 't': 'INT'}})",
    "too large": "select (a + 1)::tinyint as a, t from (select {number} as a, 1 as t)",
}


@pytest.mark.large
@pytest.mark.parametrize("asked", QUOTING)
def test_a_message_that_quotes_a_value_is_not_passed_on(files_of_words, spill, asked, capfd):
    duckdb = pytest.importorskip("duckdb")
    lines = spill.parent / "lines.csv"
    lines.write_text("a,t\n" + "1,2\n" * 30_000 + f"{SECRET},2\n")
    number = NUMBER[:12]
    failing = duckdb.sql(QUOTING[asked].format(words=files_of_words, lines=lines, number=number))
    with pytest.raises(duckdb.Error, match=f"{SECRET}|{number[:-1]}"):
        failing.fetchall()
    with use_engine("duckdb", spill=spill), pytest.raises(unveil.EngineError) as refusal:
        unveil.disclosure(failing, failing, keys=["a"])
    check_refusal(refusal, "could not answer")
    assert not re.search(f"{SECRET}|{number[:-1]}", "".join(capfd.readouterr()))
    del refusal
    gc.collect()
    assert [*spill.iterdir()] == []


@pytest.mark.parametrize(
    "engine",
    ["chunks", *(pytest.param(one, marks=pytest.mark.large) for one in ("duckdb", "ibis"))],
)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ibis asks DuckDB in an older way
def test_an_answer_that_fails_quotes_nothing(engine, spill):
    backend = open_backend(engine, EngineSettings(engine, spill=spill))
    words = backend.put(pl.DataFrame({"a": ["1", SECRET]}))
    failing = words.select(nw.col("a").cast(nw.Int64))
    with pytest.raises(Exception, match=SECRET):  # the message of the library does
        backend._collect(failing)
    with pytest.raises(unveil.EngineError) as refusal:
        backend.fetch(failing, "counting")
    check_refusal(refusal, "could not answer (while counting)")
    backend.close()
    assert [*spill.iterdir()] == []


@pytest.mark.large
def test_what_memory_does_not_hold_for_two_threads_is_asked_of_one(spill):
    backend = open_backend("duckdb", EngineSettings("duckdb", spill=spill))
    for fault, asked in ((MemoryError(), [2, 1]), (ValueError(), [2])):
        backend._use_threads(2)
        threads = []

        def question(fault=fault, threads=threads):
            threads.append(backend.n_threads)
            if threads[-1] > 1:
                raise fault
            return backend.connection.execute("SELECT current_setting('threads')").fetchone()

        if len(asked) == 2:
            assert backend._ask(question) == (1,)
            with pytest.raises(MemoryError):  # of one thread there is nothing left to try
                backend._ask(lambda: (_ for _ in ()).throw(MemoryError()))
        else:
            with pytest.raises(ValueError, match=r"^$"):
                backend._ask(question)
        assert threads == asked
    backend.close()


@pytest.fixture
def files_of_words(tmp_path):
    path = tmp_path / "words.parquet"
    pl.DataFrame({"a": ["1", *[SECRET] * 40], "t": ["x"] * 41}).write_parquet(path)
    return path


FAILING = """
import sys, traceback, unveil
from pyspark.sql import SparkSession, functions
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
rows = session.read.parquet(sys.argv[1]).repartition(2)
lines = session.read.option("mode", "FAILFAST").schema("a int, t string")


def fail(word):
    raise ValueError(word)


failing = [
    rows.selectExpr("cast(a as int) as a", "t"),
    rows.selectExpr("cast(raise_error(a) as string) as a", "t"),
    rows.selectExpr("cast(471147114711 + length(a) as int) as a", "t"),
    rows.select(functions.udf(fail)("a").alias("a"), "t"),
    lines.csv(sys.argv[2]),
]
for frame in failing:
    try:
        unveil.disclosure(frame, frame, keys=["a"])
    except unveil.EngineError as refusal:
        print(traceback.format_exc(), refusal.__context__)
print("From here others ask.", file=sys.stderr, flush=True)
failing[0].collect()
"""


@pytest.mark.spark
@pytest.mark.slow
def test_messages_of_spark_are_not_passed_on(files_of_words, tmp_path):
    lines = tmp_path / "lines"
    lines.write_text("1,x\n" * 9 + f"{SECRET},x\n" * 9)
    command = [sys.executable, "-c", FAILING, str(files_of_words), str(lines)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.stdout.count("EngineError: Spark") == done.stdout.count("could not answer") == 5
    ours, _, others = done.stderr.partition("From here others ask.")
    assert not re.search(f"{SECRET}|{NUMBER[:8]}", done.stdout + ours)
    assert SECRET in others  # Spark itself tells, as before
    assert " INFO " not in others  # and no more than before


LARGE = pytest.mark.large
ENGINES = ["chunks", pytest.param("duckdb", marks=LARGE)]


DAMAGED = {
    "too few entries": (f"{SECRET}\n", "damaged at line 302"),
    "too many": (f"1,2,3,{SECRET},5\n", "damaged at line 302"),
    "a quotation mark that opens": (f'1,"{SECRET},2\n', "not closed"),
    "one inside": (f'1,x"{SECRET}"y,2\n', "does not enclose a whole field"),
    "bytes of no text": (f"1,{SECRET}\udcff,2\n", "not plain UTF-8"),
    "a NUL byte": (f"1,{SECRET}\0,2\n", "NUL byte"),
    "no number": (f"{SECRET},1,2\n", "Column 'a' holds numbers"),
    "a long entry": (f"{SECRET * 20_000},1,2\n", "Column 'a' holds numbers"),
    "lines in quotes": (f'"{SECRET}\n{SECRET}",1,2\n', "Column 'a' holds numbers"),
    "more than 64 bits": (f"{NUMBER},1,2\n", "which cannot be compared exactly"),
    "no whole number, as declared": (f"{SECRET},1,2\n", "[data.types] says", "integer"),
    "no number, as declared": (f"{SECRET},1,2\n", "[data.types] says", "number"),
    "no date, as declared": (f"1,1,2020-13-45 {SECRET}\n", "[data.types] says", "date"),
    "too large, as declared": (f"{NUMBER},1,2\n", "[data.types] says", "integer"),
}


def compare_texts(files, engine, types):
    sides = dict(zip(("original", "synthetic"), files, strict=True))
    study = open_in_engine(engine, sides, None, (), (), types=types).study
    unveil.disclosure(study.file(0), study.file(1), keys=["a"], targets=["t"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("damage", DAMAGED)
def test_what_is_wrong_in_a_text_file_is_told_without_it(damage, engine, spill, capfd, caplog):
    line, match, *declared = DAMAGED[damage]
    sound, damaged = spill.parent / "sound.csv", spill.parent / "damaged.csv"
    sound.write_text(SOUND)
    damaged.write_text(SOUND + line + SOUND[6:], errors="surrogateescape", newline="")
    types = {"d" if kind == "date" else "a": kind for kind in declared}
    for files in ((sound, damaged), (damaged, sound)):
        with use_engine(engine, spill=spill), pytest.raises(unveil.UnveilError) as refusal:
            compare_texts(files, engine, types)
        check_refusal(refusal, match)
        printed = capfd.readouterr()
        written = str(refusal.value) + printed.out + printed.err + caplog.text
        assert not re.search(f"{SECRET}|{NUMBER}", written)
        del refusal
        gc.collect()
        assert [*spill.iterdir()] == []


@pytest.mark.parametrize(
    ("engine", "memory"), [("chunks", 70_000_000), pytest.param("duckdb", 6_000_000, marks=LARGE)]
)
def test_too_little_memory_is_told_with_what_is_enough(pair, spill, monkeypatch, engine, memory):
    monkeypatch.setattr("unveil.study.engine.LEAST_MEMORY", 1)
    with pytest.raises(unveil.EngineError) as refusal:
        count(pair, spill, engine, memory=memory)
    check_refusal(refusal, "of memory are too little" if engine == "chunks" else "out of memory")
    enough = re.search(r"[Ww]ith (\d[\d.]* [MG]B) ", str(refusal.value))[1]
    del refusal
    gc.collect()
    assert [*spill.iterdir()] == []
    assert count(pair, spill, engine, memory=enough).record.n_original == 60_000


FULL = """
import resource, sys, unveil
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    with unveil.use_engine(sys.argv[4], spill=sys.argv[3]):
        unveil.disclosure(sys.argv[1], sys.argv[2], keys=["a", "b", "c"])
except unveil.EngineError as refusal:
    print(refusal)
"""


@pytest.mark.parametrize("engine", ENGINES)
def test_a_full_disk_is_told_and_left_clean(pair, spill, engine):
    # The system lets no file grow, as on a full disk.
    done = subprocess.run(
        [sys.executable, "-c", FULL, *map(str, pair), str(spill), engine],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "has no room left in the spill folder" in done.stdout
    assert done.stdout.count("\n") == 1
    assert [*spill.iterdir()] == []


LONG = """
import signal, sys
from unveil.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where started in the background
original, copy, spill, engine = sys.argv[1:]
while True:
    try:
        main(["disclosure", original, copy, "-k", "a,b,c", "--engine", engine, "--spill", spill])
    except SystemExit as end:
        if end.code not in (0, 3):
            raise
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_files(pair, spill, engine, by):
    command = [sys.executable, "-c", LONG, *map(str, pair), str(spill), engine]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    stop = time.monotonic() + 120
    while not [*spill.glob("*/*")] and time.monotonic() < stop:
        time.sleep(0.05)
    os.kill(running.pid, by)
    assert running.wait(120) not in (0, 1)
    if by == signal.SIGKILL:  # no one could remove them then: the next run does
        assert [*spill.iterdir()] != []
        with use_engine("chunks", spill=spill):
            unveil.disclosure(*pair, keys=["a"])
        gc.collect()
    assert [*spill.iterdir()] == []


@pytest.mark.slow
def test_what_is_said_to_be_enough_is_enough_for_one_large_combination(tmp_path):
    r = np.random.default_rng(3)
    pair = tmp_path / "o.parquet", tmp_path / "s.parquet"
    for path in pair:
        a = np.where(r.random(500_000) < 0.5, 0, r.integers(0, 20_000, 500_000))
        pl.DataFrame({"a": a, "t": r.integers(0, 9, a.size)}).write_parquet(path)
    asked = {"keys": ["a"], "targets": ["t"]}
    with use_engine("chunks", memory=420_000_000), pytest.raises(unveil.EngineError) as refusal:
        unveil.disclosure(*pair, **asked)
    enough = re.search(r"with (\d[\d.]* [MG]B) ", str(refusal.value))[1]
    with use_engine("chunks", memory=enough):
        assert unveil.disclosure(*pair, **asked).record.n_original == 500_000
