"""How long does a report take, beside the bare drawing of as many charts?

    python benchmarks/report.py

One line for each report: how many charts it has, its size, and its time as a multiple of the
yardstick: the same number of one plain bar chart drawn by vl-convert alone, in the same run.
"""

import statistics
import sys
import time
from pathlib import Path
from typing import Any

import vl_convert

ROOT = Path(__file__).parents[1]
sys.path[0] = str(ROOT / "tests")  # not this folder: `report` there is this file

from report.report_cases import example, many  # noqa: E402  (the tests' own examples)

from unveil.view.pages.report import custodian_page  # noqa: E402

MADE = "2026-11-16T12:00:00Z"
ROUNDS = 3
MOST_BYTES = 3_000_000
BAR = {
    "data": {"values": [{"a": name, "b": place} for place, name in enumerate("abcdefgh")]},
    "mark": "bar",
    "encoding": {"x": {"field": "b", "type": "quantitative"}, "y": {"field": "a"}},
}


def seconds_of(work: Any) -> float:
    """The middle of a few rounds, in processor time."""
    taken = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def main() -> None:
    """Print the table."""
    vl_convert.vegalite_to_svg(BAR)  # the first drawing starts the engine
    one = seconds_of(lambda: [vl_convert.vegalite_to_svg(BAR) for _ in range(10)]) / 10
    print(f"{'report':<24}{'charts':>8}{'bytes':>12}{'ratio':>8}")
    for name, made in {"example": example(), "60 targets, 10 copies": many()}.items():
        page = custodian_page(*made, made=MADE)
        charts = page.count("<svg")
        ratio = seconds_of(lambda made=made: custodian_page(*made, made=MADE)) / (one * charts)
        size = len(page.encode())
        print(f"{name:<24}{charts:>8}{size:>12,}{ratio:>8.2f}")
        assert size < MOST_BYTES, "the report has outgrown what it may weigh"


if __name__ == "__main__":
    main()
