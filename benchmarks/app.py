"""How fast does the app answer a tick at a million people, to one person and to twenty?

A project of a million invented people (the embedded survey drawn again, with 400 districts), one
run of disclosure, an app in a process of its own, and clients on the same machine. Each tick is a
set of flags that nobody asked for before; meanwhile another client opens plain pages. Bounds:
a tick in 0.3 s and a plain page in 0.15 s, both at p95; the first count says how far it is.

    python benchmarks/app.py                     the table
    python benchmarks/app.py --rows 100000       another size
    python benchmarks/app.py --folder big        keep the project, or use it again
"""

import argparse
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import polars as pl

from unveil.examples import survey, survey_synthetic
from unveil.project.project import Project

TICK, PAGE = 0.3, 0.15
PAUSE = 0.4
SECONDS = 30
PAGES = ("/", "/jobs", "/decide")


def grow(frame: pl.DataFrame, n: int, seed: int) -> pl.DataFrame:
    """So many people drawn from a file, with a finer place beside."""
    rng = np.random.default_rng(seed)
    drawn = frame[rng.integers(0, frame.height, n)]
    return drawn.with_columns(district=pl.Series(rng.integers(0, 400, n)))


def make_project(folder: Path, rows: int) -> None:
    """A project with one run of disclosure."""
    folder.mkdir(parents=True, exist_ok=True)
    original = survey()
    grow(original, rows, 1).write_parquet(folder / "people.parquet")
    grow(survey_synthetic().select(original.columns), rows, 2).write_parquet(
        folder / "synthetic.parquet"
    )
    made = Project.create(
        folder / "people.parquet",
        folder=folder,
        synthetic=folder / "synthetic.parquet",
        keys=["sex", "age", "district", "settlement"],
    )
    start = time.perf_counter()
    made.run(only="disclosure")
    print(f"run --only disclosure: {time.perf_counter() - start:.1f} s", flush=True)


class Client:
    """One browser."""

    def __init__(self, base: str, cookie: str) -> None:
        self.host, self.base, self.cookie = base.removeprefix("http://"), base, cookie
        self.link = HTTPConnection(self.host, timeout=120)

    def send(self, method: str, path: str, fields: object = None) -> tuple[float, int, str]:
        """Seconds, status and text of an answer."""
        headers = {"Cookie": self.cookie, "Origin": self.base, "HX-Request": "true"}
        body = None
        if fields is not None:
            body = urlencode(fields, doseq=True)
            headers["Content-Type"] = "application/x-www-form-urlencoded"
        start = time.perf_counter()
        self.link.request(method, path, body, headers)
        answer = self.link.getresponse()
        text = answer.read().decode()
        return time.perf_counter() - start, answer.status, text


def start_app(folder: Path) -> tuple[subprocess.Popen[str], str, str]:
    """The process, its address, and the cookie that its one-time address gives."""
    words = [sys.executable, "-m", "unveil", "app", str(folder), "--no-open"]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    address = re.search(r"http://\S+", process.stderr.readline())
    assert address is not None
    base, _, path = address[0].partition("/enter")
    link = HTTPConnection(base.removeprefix("http://"))
    link.request("GET", f"/enter{path}")
    cookie = link.getresponse().getheader("set-cookie") or ""
    return process, base, cookie.partition(";")[0]


def percentile(values: list[float], share: float) -> float:
    """The value that so many are not above."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)]


def tick(
    new: Client, mark: str, n_flags: int, seed: int, *, end: float, taken: list[float]
) -> None:
    """Tick one box after the other, with a pause in between, until the time is over."""
    rng, ticked = random.Random(seed), set[int]()
    while time.perf_counter() < end:
        ticked.add(rng.randrange(n_flags))
        if len(ticked) > 20:
            ticked.clear()
        seconds, status, text = new.send("POST", "/risk/whatif", {"mark": mark, "f": [*ticked]})
        assert status == 200, text[:300]
        taken.append(seconds)
        time.sleep(PAUSE)


def look(new: Client, end: float, taken: list[float]) -> None:
    """Open plain pages, meanwhile."""
    place = 0
    while time.perf_counter() < end:
        seconds, status, _ = new.send("GET", PAGES[place % len(PAGES)])
        assert status == 200
        taken.append(seconds)
        place += 1
        time.sleep(PAUSE)


def measure(folder: Path) -> None:
    """Print a line for the first count, and one for each number of clients."""
    process, base, cookie = start_app(folder)
    try:
        first = Client(base, cookie)
        page = first.send("GET", "/risk")[2]
        mark = re.search(r'name="mark" value="([^"]*)"', page)
        assert mark is not None
        n_flags = len(re.findall(r'name="f" value="\d+"(?! disabled)', page))
        start, far = time.perf_counter(), []
        while "is being counted" in (
            text := first.send("POST", "/risk/whatif", {"mark": mark[1], "f": ["0"]})[2]
        ):
            far += re.findall(r"is being counted: ([^<]*)\.", text)
            time.sleep(0.5)
        print(
            f"{n_flags:,} flags; first count {time.perf_counter() - start:.1f} s, of which"
            f" {len(set(far))} steps were shown",
            flush=True,
        )
        print("clients  ticks    p50    p95  worst  bound   page p95  bound", flush=True)
        for n in (1, 20):
            ticks: list[float] = []
            pages: list[float] = []
            end = time.perf_counter() + SECONDS
            work = [
                threading.Thread(
                    target=tick,
                    args=(Client(base, cookie), mark[1], n_flags, seed),
                    kwargs={"end": end, "taken": ticks},
                )
                for seed in range(n * 100, n * 100 + n)
            ]
            work.append(threading.Thread(target=look, args=(Client(base, cookie), end, pages)))
            for one in work:
                one.start()
            for one in work:
                one.join()
            p95, of_pages = percentile(ticks, 0.95), percentile(pages, 0.95)
            verdict = "" if p95 <= TICK and of_pages <= PAGE else "  ABOVE"
            print(
                f"{n:>7}  {len(ticks):>5}  {statistics.median(ticks):.3f}  {p95:.3f}"
                f"  {max(ticks):.3f}  {TICK:.3f}   {of_pages:>8.3f}  {PAGE:.3f}{verdict}",
                flush=True,
            )
    finally:
        process.terminate()
        process.wait()


def main() -> None:
    """Make the project where there is none, and measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as spare:
        folder = (asked.folder or Path(spare) / "project").absolute()
        if not (folder / "runs").exists():
            make_project(folder, asked.rows)
        measure(folder)


if __name__ == "__main__":
    main()
