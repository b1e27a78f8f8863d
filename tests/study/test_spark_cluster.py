"""A real cluster, a worker of which is killed at work, and Spark Connect: equal to memory."""

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
    "exclude": ["missing-targets", "max-denominator=40"],
}
CHILD = """
import sys
import unveil
from unveil.study.backends import Backend
fetch = Backend.fetch
def say(self, frame, what):
    print("asked", flush=True)
    return fetch(self, frame, what)
Backend.fetch = say
with unveil.use_engine("spark", address=sys.argv[1]):
    found = unveil.disclosure(sys.argv[2], sys.argv[3], **ASKED)
print("record", found.to_json().replace(chr(10), " "), flush=True)
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, made = tmp_path_factory.mktemp("files"), []
    for seed in (1, 2):
        r = np.random.default_rng(seed)
        frame = {"sex": r.choice(["M", "F"], 900), "age": r.integers(16, 80, 900)}
        frame["job"] = pl.Series(r.choice(["a", "b", ""], 900))
        made.append(folder / f"{seed}.parquet")
        pl.DataFrame(frame).write_parquet(made[-1])
    return made


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    from spark_cluster import Cluster

    with Cluster(tmp_path_factory.mktemp("cluster")) as running:
        yield running


def measure(address, files, at_step=None, then=None):
    """The record that another process finds; `then` is done while it asks."""
    from spark_cluster import CONF

    conf = " ".join(f"--conf {name}={value}" for name, value in CONF.items())
    env = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    if address.startswith("spark://"):
        env["PYSPARK_SUBMIT_ARGS"] = f"{conf} pyspark-shell"
    code = f"ASKED = {ASKED!r}\n{CHILD}"
    command = [sys.executable, "-c", code, address, *map(str, files)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=env, text=True) as running:
        n_asked = 0
        for line in running.stdout:
            n_asked += line.startswith("asked")
            if then is not None and n_asked == at_step:
                then()
                then = None
            if line.startswith("record "):
                return then is None, msgspec.json.decode(line.removeprefix("record "))
    raise AssertionError("no record was found")


def without_engine(found):
    return {**found, "coercions": [n for n in found["coercions"] if n["kind"] != "engine"]}


def check(found, files):
    expected = msgspec.json.decode(unveil.disclosure(*files, **ASKED).to_json())
    assert without_engine(found) == without_engine(expected)
    assert any("Counted by Spark" in note["sentence"] for note in found["coercions"])


def test_spark_connect_on_the_cluster(cluster, files):
    done, found = measure(cluster.connect(), files)
    assert done
    check(found, files)


def test_a_worker_that_is_killed_at_work_changes_nothing(cluster, files):
    was_killed, found = measure(cluster.address, files, 9, lambda: cluster.kill_worker(0))
    assert was_killed
    check(found, files)
