"""The figures of engines that run on their own, beside those of memory.

    python tests/engines/services.py postgres|spark

A Postgres of this machine through the user's own Ibis; a Spark cluster with two workers, one of
which is killed while it counts. Both listen on the loopback only, and are gone afterwards.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any

import polars as pl

import unveil
from engines.cases import differences, files, measures, size, study_of

PORT, MASTER = 54329, 17077
SECRET = "Wilhelmina"  # a value that no message may quote


def beside_memory(there: unveil.Study, here: unveil.Study) -> None:
    both = zip(measures(there, few=True), measures(here, few=True), strict=True)
    for (name, counted), (_, known) in both:
        if different := list(differences(counted, known)):
            sys.exit(f"{name}: {len(different)} differ, as {different[:3]}")
        print(f"{name}: {size(known):,} values, none differs", flush=True)


@contextmanager
def postgres(folder: Path) -> Iterator[None]:
    tools = max(Path("/usr/lib/postgresql").glob("*/bin"))
    shutil.chown(folder, "postgres")
    folder.chmod(0o700)
    as_user = ["runuser", "-u", "postgres", "--"]
    data, options = folder / "data", f"-c listen_addresses=127.0.0.1 -p {PORT} -k {folder}"
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([*as_user, tools / "initdb", "-A", "trust", "-D", data], **quiet)
    control = [*as_user, tools / "pg_ctl", "-D", data, "-w", "-l", folder / "log"]
    subprocess.run([*control, "-o", options, "start"], **quiet)
    try:
        yield
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], **quiet)


def check_postgres() -> None:
    import ibis

    with tempfile.TemporaryDirectory() as folder, postgres(Path(folder)):
        address = {"host": "127.0.0.1", "port": PORT, "user": "postgres", "database": "postgres"}
        warehouse = ibis.postgres.connect(**address)
        frames = files(2_000)
        tables = [
            warehouse.create_table(f"people_{place}", frame.to_arrow())
            for place, frame in enumerate(frames)
        ]
        beside_memory(study_of(tables), study_of(frames))
        names = warehouse.create_table("names", pl.DataFrame({"name": [SECRET, "3"]}).to_arrow())
        check_message(names.mutate(name=names.name.cast("int64")))
        warehouse.disconnect()


def check_message(frame: Any) -> None:
    """A cast that fails where the engine computes it."""
    try:
        unveil.match_risk(unveil.Study(frame, keys="name"))
    except unveil.InputError as fault:
        message = str(fault)
        is_quiet = fault.__suppress_context__ and SECRET not in message
        if is_quiet and "stopped while" in message:
            print("a failed cast:", message, flush=True)
            return
    sys.exit("A cast that fails was not refused, or quotes its value.")


@contextmanager
def cluster(folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """A master and two workers of one core each."""
    import pyspark

    home = Path(pyspark.__file__).parent
    conf = folder / "conf"
    conf.mkdir()
    settings = {
        "spark.sql.shuffle.partitions": 4, "spark.executor.memory": "600m",
        "spark.executor.cores": 1,
        "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false", "spark.driver.memory": "800m",
    }  # fmt: skip
    lines = (f"{name} {value}\n" for name, value in settings.items())
    (conf / "spark-defaults.conf").write_text("".join(lines))
    os.environ |= {
        "SPARK_HOME": str(home),
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }

    def start(*words: str) -> subprocess.Popen[bytes]:
        command = [home / "bin" / "spark-class", *words]
        log = (folder / f"log_{time.time_ns()}").open("wb")
        return subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    deploy = "org.apache.spark.deploy"
    parts = [start(f"{deploy}.master.Master", "--host", "127.0.0.1", "--port", str(MASTER),
                   "--webui-port", "0")]  # fmt: skip
    time.sleep(5)
    for _ in range(2):
        worker = ["--cores", "1", "--memory", "700m", "--work-dir", str(folder / "work"), "--host",
                  "127.0.0.1", "--webui-port", "0"]  # fmt: skip
        parts.append(start(f"{deploy}.worker.Worker", *worker, f"spark://127.0.0.1:{MASTER}"))
    try:
        yield parts
    finally:
        for part in parts:
            kill(part)


def kill(part: subprocess.Popen[bytes]) -> None:
    """With all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(part.pid, signal.SIGKILL)
    part.wait()


def check_spark() -> None:
    with tempfile.TemporaryDirectory() as name, cluster(Path(name)) as parts:
        paths = []
        for place, frame in enumerate(files(20_000)[:2]):
            paths.append(Path(name) / f"{place}.parquet")
            frame.write_parquet(paths[-1])
        about = {"targets": ["income", ("ill", "code")]}
        study = study_of(paths, engine=f"spark://127.0.0.1:{MASTER}", **about)
        session = study.records.engine.session
        context, is_counting, killed = session.sparkContext, Event(), []

        def kill_a_worker() -> None:
            is_counting.wait()
            while not (stages := context.statusTracker().getActiveStageIds()):
                time.sleep(0.01)
            kill(parts[-1])
            killed.append(len(stages))

        def tell(what: str, place: int, of: int) -> None:
            if what == "disclosure" and place == 1:
                is_counting.set()

        Thread(target=kill_a_worker, daemon=True).start()
        with unveil.progress(tell):
            beside_memory(study, study_of(paths, **about))
        assert killed, "no worker was killed while stages ran"
        print(f"a worker was killed while {killed[0]} stage(s) ran", flush=True)
        frame = session.createDataFrame([(SECRET,), ("3",)], ["name"])
        check_message(frame.selectExpr("CAST(name AS BIGINT) AS name"))
        session.stop()


if __name__ == "__main__":
    {"postgres": check_postgres, "spark": check_spark}[sys.argv[1]]()
