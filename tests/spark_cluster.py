"""A Spark cluster on this machine: a master and two workers, started from the pyspark package."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pyspark

HOME = Path(pyspark.__file__).parent
WATCH = """
import os, subprocess, sys, time
made = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
parent = os.getppid()
while made.poll() is None and os.getppid() == parent:
    time.sleep(0.3)
made.kill()
"""  # ends what it started as soon as the test that started it is gone


CONF = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    # Plans are run as they are: to write and compile code for each takes longer than small files.
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}


OPENS = [f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in ("java.nio", "sun.nio.ch")]
OPENS += ["-Dio.netty.tryReflectionSetAccessible=true"]


ENVIRONMENT = {
    "SPARK_LOCAL_IP": "127.0.0.1",
    "PYSPARK_PYTHON": sys.executable,
    # For programs of seconds, a third less time than with compilers for those of hours.
    "JDK_JAVA_OPTIONS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
}


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Cluster:
    """Master and workers; stops with the `with`, or when its process ends."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = free_port()
        self.address = f"spark://127.0.0.1:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> "Cluster":
        master = "org.apache.spark.deploy.master.Master"
        self.master = self._start(
            master, "--host", "127.0.0.1", "--port", self.port, "--webui-port", free_port()
        )
        _wait_for(self.port)
        self.workers = [self._start_worker(n) for n in (1, 2)]
        self.n_started = 2
        return self

    def _start_worker(self, number: int) -> subprocess.Popen[bytes]:
        return self._start(
            *("org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1"),
            *("--cores", 1, "--memory", "600m", "--work-dir", self.folder / f"work{number}"),
            *("--webui-port", free_port(), self.address),
        )

    def _start(self, name: str, *given: object) -> subprocess.Popen[bytes]:
        command = ["java", "-Xmx700m", *OPENS, "-cp", f"{HOME}/jars/*", name, *map(str, given)]
        env = {**os.environ, **ENVIRONMENT, "SPARK_HOME": str(HOME)}
        env["SPARK_SCALA_VERSION"] = "2.13"  # which else is looked for in folders of a build
        # A session of its own: what it starts is killed with it, by the number of its group.
        with (self.folder / f"{name.rpartition('.')[2]}.log").open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-c", WATCH, *command],
                stdout=log, stderr=log, env=env, start_new_session=True,
            )  # fmt: skip

    @contextmanager
    def connect(self) -> Iterator[str]:
        """The address of a Spark Connect server, which has the whole cluster meanwhile."""
        port = free_port()
        name = "org.apache.spark.sql.connect.service.SparkConnectServer"
        given = {**CONF, "spark.connect.grpc.binding.port": port}
        given["spark.connect.grpc.binding.address"] = "127.0.0.1"
        conf = [part for one in given.items() for part in ("--conf", "=".join(map(str, one)))]
        submit = "org.apache.spark.deploy.SparkSubmit"
        at = ("--master", self.address, "--class", name)
        server = self._start(submit, *at, *conf, "spark-internal")
        try:
            _wait_for(port)
            yield f"sc://127.0.0.1:{port}"
        finally:
            _kill(server)

    def replace_worker(self) -> None:
        """Kill a worker and its executor, at once; then another one starts."""
        _kill(self.workers.pop(0))
        self.n_started += 1
        self.workers.append(self._start_worker(self.n_started))

    def __exit__(self, *_: object) -> None:
        for one in (*self.workers, self.master):
            _kill(one)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _wait_for(port: int, seconds: float = 240) -> None:
    stop = time.monotonic() + seconds
    while time.monotonic() < stop:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.3)
    raise TimeoutError("a process of the cluster did not start")
