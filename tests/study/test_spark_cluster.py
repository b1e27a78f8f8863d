"""A real cluster, workers of which are killed at work, and Spark Connect: equal to memory."""

import os
import subprocess
import sys

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil

pytestmark = [pytest.mark.spark, pytest.mark.slow]

ASKED = {
    "keys": ["sex", "age"],
    "targets": ["job"],
    "bands": {"age": 4},
    "special_codes": {"age": [16]},
    "exclude": ["job=b@sex=M", "missing-targets", "max-denominator=110", "max-denominator-syn=300"],
    "one_way": (1, 20),
    "two_way": (0, 20),
}
STRATA = {"strata": ["sex", "job"], "seed": 3, "batch_rows": 100}

CHILD = """
import sys, threading, time
from pyspark.sql import SparkSession
import unveil
from unveil.study.backends import Backend
from unveil.synthesis import spark_strata

address, out, original, *copies = sys.argv[1:]
is_classic = not address.startswith("sc://")

def say_at_work(tracker):
    while True:  # until tasks run
        for stage in tracker.getActiveStageIds():
            known = tracker.getStageInfo(stage)
            if known is not None and known.numActiveTasks:
                print("at work", flush=True)
                return
        time.sleep(0.01)

def watch():
    if is_classic:
        tracker = SparkSession.getActiveSession().sparkContext.statusTracker()
        threading.Thread(target=say_at_work, args=[tracker], daemon=True).start()

def fetch(self, frame, what, asked=[], known=Backend.fetch):
    asked.append(what)
    if len(asked) == 12:
        watch()
    return known(self, frame, what)

def draw(*given, known=spark_strata.draw_on_spark):
    watch()
    return known(*given)

Backend.fetch, spark_strata.draw_on_spark = fetch, draw
with unveil.use_engine("spark", address=address):
    found = unveil.disclosure(original, copies, **ASKED)
    print("found", found.to_json().replace(chr(10), " "), flush=True)
    listed = found.records_at_risk("job", copy=1)
    assert type(listed).__module__.startswith("pyspark.sql")  # the cluster's own frame
    listed.coalesce(1).write.parquet(out + "/listed")
    rows = listed.sparkSession.read.parquet(original) if is_classic else original
    made = unveil.synthesise_strata(rows, out + "/strata.parquet", **STRATA)
    print("made", made.to_json().replace(chr(10), " "), flush=True)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("files"), []
    for seed in (1, 2, 3):
        r = np.random.default_rng(seed)
        frame = {"sex": r.choice(["M", "F"], 900), "age": r.integers(16, 80, 900)}
        drawn = zip(frame["age"], r.integers(0, 3, 900), strict=True)
        frame["job"] = ["a" if age < 32 else ["a", "b", None][one] for age, one in drawn]
        frame["income"] = r.integers(0, 4000, 900) / 8
        made.append(folder / f"{seed}.parquet")
        pl.DataFrame(frame).write_parquet(made[-1])
    return made


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    from spark_cluster import Cluster

    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def work(address, out, files, at_work=None):
    """What another process finds; `at_work` is called when its tasks run, and how often."""
    from spark_cluster import CONF, ENVIRONMENT

    conf = " ".join(f"--conf {name}={value}" for name, value in CONF.items())
    env = {**os.environ, **ENVIRONMENT}
    if address.startswith("spark://"):
        env["PYSPARK_SUBMIT_ARGS"] = f"{conf} pyspark-shell"
    code = f"ASKED, STRATA = {ASKED!r}, {STRATA!r}\n{CHILD}"
    command = [sys.executable, "-c", code, address, str(out), *map(str, files)]
    told, n_at_work = {}, 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as running:
        for line in running.stdout:
            what, _, rest = line.partition(" ")
            if what == "at":
                n_at_work += 1
                at_work()
            elif what in ("found", "made"):
                told[what] = msgspec.json.decode(rest)
    assert running.returncode == 0
    return told, n_at_work


def without_engine(found):
    return {**found, "coercions": [n for n in found["coercions"] if n["kind"] != "engine"]}


def check(told, out, files):
    """Figures, records at risk and synthetic rows are those of one machine, to the last byte."""
    original, *copies = files
    expected = unveil.disclosure(original, copies, **ASKED)
    assert without_engine(told["found"]) == without_engine(msgspec.json.decode(expected.to_json()))
    assert expected.record.flags
    assert "Counted by Spark" in str(told["found"]["coercions"])
    listed = pl.read_parquet(out / "listed" / "*.parquet")
    here = expected.records_at_risk("job", copy=1).select(listed.columns)
    assert here.height > 0
    assert sorted(listed.cast(pl.String).rows(), key=str) == sorted(
        here.cast(pl.String).rows(), key=str
    )
    (out / "here").mkdir()
    record = unveil.synthesise_strata(original, out / "here" / "strata.parquet", **STRATA)
    made = {**told["made"], "files": list(record.files)}  # frames have no names
    assert made == msgspec.json.decode(record.to_json())
    assert record.n_strata == 6
    there, here = (folder / "FAKE_strata.parquet" for folder in (out, out / "here"))
    assert there.read_bytes() == here.read_bytes()


def test_spark_connect_on_the_cluster(cluster, files, tmp_path):
    with cluster.connect() as address:
        told, _ = work(address, tmp_path, files)
    check(told, tmp_path, files)


def test_workers_that_are_killed_at_work_change_nothing(cluster, files, tmp_path):
    told, n_killed = work(cluster.address, tmp_path, files, cluster.replace_worker)
    assert n_killed == 2  # one while it counted, one while strata were synthesised
    check(told, tmp_path, files)
