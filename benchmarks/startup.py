"""How much does `import unveil` cost beside the two libraries it cannot do without?

The yardstick is a process that imports polars and numpy and nothing else. Both are started in
turns; the figure is the ratio of their median CPU seconds. `unveil --help` is timed beside them.

    python benchmarks/startup.py
"""

import os
import statistics
import subprocess
import sys

ROUNDS = 15
PROCESSES = {
    "bare python": ["-c", "pass"],
    "import polars, numpy": ["-c", "import polars, numpy"],
    "import unveil": ["-c", "import unveil"],
    "unveil --help": ["-m", "unveil", "--help"],
}
BOUND = 1.5


def cpu_seconds(arguments: list[str]) -> float:
    """CPU seconds of one process, user and system."""
    before = os.times()
    subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL)
    after = os.times()
    user = after.children_user - before.children_user
    return user + after.children_system - before.children_system


def main() -> None:
    """Print the table."""
    took: dict[str, list[float]] = {name: [] for name in PROCESSES}
    for _ in range(ROUNDS):
        for name, arguments in PROCESSES.items():
            took[name].append(cpu_seconds(arguments))
    median = {name: statistics.median(seconds) for name, seconds in took.items()}
    yardstick = median["import polars, numpy"]
    print(f"{'process':<22}  CPU s  ratio  (bound of `import unveil`: {BOUND})")
    for name, seconds in median.items():
        print(f"{name:<22}  {seconds:5.3f}  {seconds / yardstick:5.2f}")


if __name__ == "__main__":
    main()
