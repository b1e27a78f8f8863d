"""Faults of engines: one sentence that quotes no value, and nothing left behind."""

import gc
import os
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


def count(pair, spill, **settings):
    with use_engine("duckdb", spill=spill, **settings):
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
    pl.DataFrame({"a": ["1", SECRET], "t": ["x", "y"]}).write_parquet(path)
    return path


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # pyspark warns of newer versions of pandas
def test_messages_of_spark_are_not_passed_on(files_of_words, spill):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    failing = session.read.parquet(str(files_of_words)).selectExpr("cast(a as int) as a", "t")
    with use_engine("spark", spill=spill), pytest.raises(unveil.EngineError) as refusal:
        unveil.disclosure(failing, failing, keys=["a"])
    check_refusal(refusal, "could not answer")


@pytest.mark.large
def test_too_little_memory_is_told_with_what_is_enough(pair, spill, monkeypatch):
    monkeypatch.setattr("unveil.study.engine.LEAST_MEMORY", 1)
    with pytest.raises(unveil.EngineError) as refusal:
        count(pair, spill, memory=6_000_000)
    check_refusal(refusal, "ran out of memory")
    enough = str(refusal.value).partition("With ")[2].partition(" everything")[0]
    del refusal
    gc.collect()
    assert [*spill.iterdir()] == []
    assert count(pair, spill, memory=enough).record.n_original == 60_000


FULL = """
import resource, sys, unveil
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
try:
    with unveil.use_engine("duckdb", spill=sys.argv[3]):
        unveil.disclosure(sys.argv[1], sys.argv[2], keys=["a", "b", "c"])
except unveil.EngineError as refusal:
    print(refusal)
"""


@pytest.mark.large
def test_a_full_disk_is_told_and_left_clean(pair, spill):
    # The system lets no file grow, as on a full disk.
    done = subprocess.run(
        [sys.executable, "-c", FULL, *map(str, pair), str(spill)],
        capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    assert "has no room left in the spill folder" in done.stdout
    assert done.stdout.count("\n") == 1
    assert [*spill.iterdir()] == []


LONG = """
import sys, unveil
with unveil.use_engine(sys.argv[4], spill=sys.argv[3]):
    while True:
        unveil.disclosure(sys.argv[1], sys.argv[2], keys=["a", "b", "c"])
"""


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["chunks", pytest.param("duckdb", marks=pytest.mark.large)])
@pytest.mark.parametrize("by", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_files(pair, spill, engine, by):
    command = [sys.executable, "-c", LONG, *map(str, pair), str(spill), engine]
    running = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    stop = time.monotonic() + 120
    while not [*spill.glob("*/*")] and time.monotonic() < stop:
        time.sleep(0.05)
    os.kill(running.pid, by)
    running.wait(120)
    if by == signal.SIGKILL:  # no one could remove them then: the next run does
        assert [*spill.iterdir()] != []
        with use_engine("chunks", spill=spill):
            unveil.disclosure(*pair, keys=["a"])
        gc.collect()
    assert [*spill.iterdir()] == []
