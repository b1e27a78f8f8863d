"""What does a project cost beside the measures that it calls?

The yardstick is every measure of the project called plainly on the same files, one after another,
each reading for itself. Both run in the same process, in turns; the figure is the ratio of CPU
seconds (threads included), the median over the rounds. Ours is all of `unveil run`: hashes, one
reading of every file, all measures, every record written and synced, the log. Below it: a run in
which only limits changed (nothing is measured), and one in which one exclusion was added.

    python benchmarks/project.py                the table
    python benchmarks/project.py --rounds 5     more rounds
"""

import argparse
import json
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from unveil.examples import survey, survey_synthetic
from unveil.project.measure_parts import Measuring
from unveil.project.plan_run import PlannedPart
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.seeds import project_seed
from unveil.project.sources import Inputs
from unveil.records.run import Run

PROJECT = """schema = 1
[data]
original = "survey.csv"
synthetic = ["copy.csv"]
control = "control.csv"
special_codes = { income = [-8] }
[[scenario]]
name = "neighbour"
keys = ["sex", "age", "region", "settlement"]
targets = "all"
radii = { age = 5, income = 300 }
"""
EXCLUDE = """
[[exclude]]
target = "condition"
level = "no condition"
reason = "most people"
by = "A"
"""
BOUNDS = {"run": 1.1, "nothing changed": 0.05, "one exclusion more": 0.3}


def made(folder: Path) -> None:
    """A project on the embedded example, a third of it held back."""
    people = survey()
    people[:3500].write_csv(folder / "survey.csv")
    people[3500:].write_csv(folder / "control.csv")
    survey_synthetic().write_csv(folder / "copy.csv")
    (folder / "project.toml").write_text(PROJECT)


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def plainly(folder: Path, run: Run) -> None:
    """Every part that the run measured, from files that are read anew for each."""
    project, seed = read_project(folder), project_seed(folder, None)
    for part in run.parts:
        if part.file is not None:
            copy = 1 if part.kind in ("structure", "inference", "linkability") else None
            copy = 1 if part.kind in ("singling_out", "membership") else copy
            asked = PlannedPart(
                part.name, part.kind, json.loads(part.settings), run.files, copy=copy
            )
            own = seed.of(part.name) if asked.has_chance else None
            Measuring(Inputs(project, run.files)).outcome(asked, own)


def one_round(folder: Path) -> dict[str, float]:
    """The seconds of each kind of run, over those of the plain calls."""
    shutil.rmtree(folder / "runs", ignore_errors=True)
    (folder / "project.toml").write_text(PROJECT)
    found: list[Run] = []
    whole = cpu_seconds(lambda: found.append(run_project(read_project(folder))))
    plain = cpu_seconds(lambda: plainly(folder, found[0]))
    same = cpu_seconds(lambda: run_project(read_project(folder)))
    (folder / "project.toml").write_text(PROJECT + EXCLUDE)
    more = cpu_seconds(lambda: run_project(read_project(folder)))
    ours = {"run": whole, "nothing changed": same, "one exclusion more": more}
    return {name: seconds / plain for name, seconds in ours.items()}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        made(folder)
        one_round(folder)  # imports are no part of it
        found = [one_round(folder) for _ in range(rounds)]
    print("CPU seconds over those of the same measures called plainly")
    for name, bound in BOUNDS.items():
        ratio = statistics.median(one[name] for one in found)
        print(f"{name:20} {ratio:6.3f}   at most {bound}")


if __name__ == "__main__":
    main()
