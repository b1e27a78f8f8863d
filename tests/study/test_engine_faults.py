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

SECRET = "Maria-Magdalena-Mustermann"


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
    assert SECRET not in told
    assert match in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.large
def test_a_message_that_quotes_a_value_is_not_passed_on(files_of_words, spill):
    duckdb = pytest.importorskip("duckdb")
    failing = duckdb.sql(f"select a::int as a, t from read_parquet('{files_of_words}')")
    with pytest.raises(duckdb.Error, match=SECRET):
        failing.fetchall()
    with use_engine("duckdb", spill=spill), pytest.raises(unveil.EngineError) as refusal:
        unveil.disclosure(failing, failing, keys=["a"])
    check_refusal(refusal, "could not answer")
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


@pytest.fixture
def files_of_words(tmp_path):
    path = tmp_path / "words.parquet"
    pl.DataFrame({"a": ["1", *[SECRET] * 40], "t": ["x"] * 41}).write_parquet(path)
    return path


FAILING = """
import sys, unveil
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
rows = builder.getOrCreate().read.parquet(sys.argv[1]).repartition(4)
failing = rows.selectExpr("cast(a as int) as a", "t")
try:
    unveil.disclosure(failing, failing, keys=["a"])
except unveil.EngineError as refusal:
    print(refusal)
print("From here others ask.", file=sys.stderr, flush=True)
failing.collect()
"""


@pytest.mark.spark
@pytest.mark.slow
def test_messages_of_spark_are_not_passed_on(files_of_words):
    command = [sys.executable, "-c", FAILING, str(files_of_words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert "could not answer" in done.stdout
    ours, _, others = done.stderr.partition("From here others ask.")
    assert SECRET not in done.stdout + ours
    assert SECRET in others  # Spark itself tells, as before
    assert " INFO " not in others  # and no more than before


LARGE = pytest.mark.large
ENGINES = ["chunks", pytest.param("duckdb", marks=LARGE)]


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
import sys
from unveil.cli import main
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
