"""How fast is a what-if, beside the count of the scenario it is asked of?

The yardstick is the count itself: from loaded frames to encoded columns and counted cells, nothing
measured. A what-if takes the counted scenario and new exclusions to a whole record: every figure,
renormalised ones too, every flag, and what each rule took out. Both run in the same process, in
turns; the figure is the ratio of CPU seconds (threads included), the median over the rounds.

    python benchmarks/whatif.py                     the table
    python benchmarks/whatif.py --rows 100000       another size
"""

import argparse
import statistics

from disclosure import LARGE_KEYS, SMALL_KEYS, TARGETS, cpu_seconds, people

import unveil
from unveil.study.open_scenario import open_scenario
from unveil.study.scenario import no_progress
from unveil.study.study import sides_of

BOUND = 0.15
ROUNDS = 7
LEVEL = "condition=condition 0"
WHATIFS = {
    "one level of one target": [LEVEL],
    "a level with a key level": [f"{LEVEL}@{{key}}"],
    "missing targets": ["missing-targets"],
    "single matches, every target": ["max-denominator=1"],
    "level, missing, single matches": [LEVEL, "missing-targets", "max-denominator=1"],
}
KEY_LEVELS = {SMALL_KEYS: "sex=sex 0", LARGE_KEYS: "parish=parish 3"}


def measure(rows: int, keys: tuple[str, ...]) -> tuple[float, dict[str, float]]:
    """Median CPU seconds of the count, and of each what-if on it."""
    original, synthetic = people(rows, 1), people(rows, 2)
    result = unveil.disclosure(original, synthetic, keys=keys, targets=TARGETS)

    def count() -> None:
        open_scenario(
            sides_of(synthetic, original=original),
            keys=keys,
            targets=TARGETS,
            missing_values=(),
            progress=no_progress,
        )

    counting: list[float] = []
    asking: dict[str, list[float]] = {name: [] for name in WHATIFS}
    for _ in range(ROUNDS):
        counting.append(cpu_seconds(count))
        for name, texts in WHATIFS.items():
            exclude = [text.format(key=KEY_LEVELS[keys]) for text in texts]
            asking[name].append(cpu_seconds(lambda rules=exclude: result.whatif(rules)))
    medians = {name: statistics.median(seconds) for name, seconds in asking.items()}
    return statistics.median(counting), medians


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    print(f"{rows:,} rows per side   keys   what-if s  count s  ratio  bound")
    for size, keys in (("small", SMALL_KEYS), ("large", LARGE_KEYS)):
        count, whatifs = measure(rows, keys)
        for name, seconds in whatifs.items():
            ratio = seconds / count
            verdict = "" if ratio <= BOUND else "  ABOVE"
            print(
                f"{name:<30}  {size}  {seconds:>9.3f}  {count:>7.2f}  {ratio:>5.2f}"
                f"  {BOUND:>5.2f}{verdict}",
                flush=True,
            )


if __name__ == "__main__":
    main()
