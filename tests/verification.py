"""The verification report: which check stands behind each figure, and by how much do they differ?

    python tests/verification.py            runs the fast comparisons, writes docs/verification.md
    UNVEIL_TESTS=all ...                    all comparisons, with all their random cases
    python tests/verification.py --quick    every eighth test, writes nothing, fails on a gap

Every number that tests compare with an oracle, a published or a reference figure is recorded: how
many, and the largest difference. Formulas, sources and errata are read from the pages.
Only the parts between comments of the page are written anew.
"""

import argparse
import json
import math
import os
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from inspect import isfunction
from numbers import Real
from pathlib import Path

from verified import FAMILIES, NO_FIGURE, PEERS, SYMBOL_PAGES, Family

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "verification.md"
EXACT = 1e-6  # relative; a comparison that is looser is one of samples or of printed digits


@dataclass
class Tally:
    """What was compared in one place."""

    cases: int = 0
    tests: int = 0
    exact: int = 0
    loose: int = 0
    equal: int = 0
    largest: float = 0.0
    by_name: dict[str, list[float]] = field(default_factory=dict)
    passed: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)

    def add(self, measured: object, expected: object, tolerance: float, name: str = "") -> None:
        """One number beside the one expected; what is not a number is equal or the test fails."""
        if not all(isinstance(x, Real) and not isinstance(x, bool) for x in (measured, expected)):
            return
        scale = max(1.0, abs(float(expected)))
        difference = abs(float(measured) - float(expected)) / scale
        if tolerance / scale > EXACT or math.isnan(difference):
            self.loose += 1
            return
        self.exact += 1
        self.largest = max(self.largest, difference)
        if name:
            entry = self.by_name.setdefault(name, [0, 0.0])
            entry[0] += 1
            entry[1] = max(entry[1], difference)


class Recorder:
    """A plug-in of pytest that counts what tests compare, and the cases that hypothesis drew."""

    def __init__(self, *, quick: bool) -> None:
        self.quick = quick
        self.places: dict[str, Tally] = defaultdict(Tally)
        self.now = Tally()

    def pytest_collection_modifyitems(self, items: list) -> None:
        if self.quick:  # every eighth
            items[:] = items[::8]

    def pytest_collection_finish(self) -> None:
        # Random cases are fixed by now; with this set, pytest compares long lists line by line.
        os.environ.pop("CI", None)

    def pytest_runtest_setup(self, item) -> None:
        self.now = self.places[item.location[0]]

    def pytest_runtest_teardown(self, item) -> None:
        drawn = re.search(r"(\d+) passing", getattr(item, "hypothesis_statistics", ""))
        self.now.cases += int(drawn[1]) if drawn else 0

    def pytest_runtest_logreport(self, report) -> None:
        place = self.places[report.location[0]]
        if report.when == "call" and report.passed:
            place.tests += 1
            place.passed.append(report.nodeid.partition("[")[0])
        if report.failed:
            place.failed.append(report.nodeid)

    def pytest_assertion_pass(self, orig: str) -> None:
        """What is equal to the last digit: whole numbers, tables, fractions."""
        self.now.equal += "==" in orig and "approx" not in orig

    def pytest_collectreport(self, report) -> None:
        if report.skipped:
            self.places[report.nodeid].skipped.append(str(report.longrepr[-1]))
        if report.failed:
            self.places[report.nodeid].failed.append(report.nodeid)

    def listen(self) -> None:
        """Every comparison by `assert_agrees` or `pytest.approx` is recorded."""
        import pytest

        from oracles import compare

        scalar_type = type(pytest.approx(1.0))
        agrees, equal = compare.assert_agrees, scalar_type.__eq__

        def assert_agrees(measured: dict, expected: dict, where: str = "") -> None:
            agrees(measured, expected, where)
            for name, value in expected.items():
                self.now.add(measured[name], value, compare.TOLERANCE, name)

        def approx_equal(scalar, actual) -> bool:
            same = equal(scalar, actual)
            if same is True and isinstance(scalar.expected, Real):
                self.now.add(actual, scalar.expected, scalar.tolerance)
            return same

        compare.assert_agrees = assert_agrees
        scalar_type.__eq__ = approx_equal


def run_tests(*, quick: bool, jobs: int) -> dict[str, Tally]:
    """The tests of all families, once each, every file in a process of its own."""
    files: set[Path] = set()
    shown = [str(ROOT / peer.test.partition("::")[0]) for peer in PEERS]
    for path in map(Path, [*shown, *(path for one in FAMILIES for path in paths_of(one))]):
        files.update(path.rglob("test_*.py") if path.is_dir() else [path])
    places: dict[str, Tally] = {}
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(jobs) as pool:
        for found in pool.map(
            lambda path: run_file(path, Path(folder), quick=quick), sorted(files)
        ):
            places |= found
    return places


def run_file(path: Path, folder: Path, *, quick: bool) -> dict[str, Tally]:
    out = folder / f"{path.parent.name}_{path.stem}.json"
    command = [sys.executable, __file__, "--file", str(path), "--out", str(out)]
    ended = subprocess.run(
        [*command, *(["--quick"] if quick else [])],
        # Tests are compiled anew, so that they tell which assertions pass.
        env={**os.environ, "CI": "1", "PYTHONPYCACHEPREFIX": str(folder / "compiled")},
        capture_output=True,
        text=True,
        check=False,
    )
    name = str(path.relative_to(ROOT))
    if not out.exists():
        return {name: Tally(failed=[f"{name}: {(ended.stdout + ended.stderr)[-2000:]}"])}
    found = {place: Tally(**tally) for place, tally in json.loads(out.read_text()).items()}
    print(f"{name}: {total_of(found, [str(path)]).tests} tests", flush=True)
    return found


def record_file(path: str, out: Path, *, quick: bool) -> None:
    """In a process of its own: the tests of one file, and what they compared."""
    sys.path.insert(0, str(ROOT / "tests"))
    import pytest

    recorder = Recorder(quick=quick)
    recorder.listen()
    marked = "not frames and not models and not browser and not app and not large and not spark"
    marked += "" if os.environ.get("UNVEIL_TESTS") == "all" else " and not slow"
    told = ("-o", "enable_assertion_pass_hook=true", "-p", "no:cacheprovider", "--no-header")
    pytest.main(["-q", "-n", "0", "-m", marked, *told, path], plugins=[recorder])
    out.write_text(json.dumps({place: asdict(tally) for place, tally in recorder.places.items()}))


def paths_of(family: Family) -> list[str]:
    golden = [f"tests/golden/test_{name}.py" for name in family.goldens.split()]
    return [str(ROOT / path) for path in (*family.tests.split(), *golden)]


def total_of(places: dict[str, Tally], paths: list[str]) -> Tally:
    """The tallies under these files and folders, together."""
    total = Tally()
    for place, tally in places.items():
        if any((ROOT / place).is_relative_to(path) for path in paths):
            for name in ("cases", "tests", "exact", "loose", "equal"):
                setattr(total, name, getattr(total, name) + getattr(tally, name))
            total.largest = max(total.largest, tally.largest)
            total.passed += tally.passed
            total.skipped += tally.skipped
            total.failed += tally.failed
            for name, (n, largest) in tally.by_name.items():
                entry = total.by_name.setdefault(name, [0, 0.0])
                entry[0] += n
                entry[1] = max(entry[1], largest)
    return total


def bullets_of(page: str) -> dict[str, dict[str, str]]:
    """The lists `- Formula: ...` below each heading of a page of measures."""
    text = (ROOT / "docs" / "measures" / f"{page}.md").read_text(encoding="utf-8")
    found = {}
    for symbol, body in re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", text, re.M | re.S):
        items = re.findall(r"^- (Formula|Source|Erratum): (.*?)(?=^- |^\s*$|\Z)", body, re.M | re.S)
        if items:
            found[symbol] = {name: " ".join(text.split()) for name, text in items}
    return found


def cell(text: str) -> str:
    text = re.sub(r"\]\((\w+\.md)", r"](measures/\1", text).replace("](../", "](")
    return re.sub(r"(?<!\\)\|", r"\\|", text)


def figure(tally: Tally) -> str:
    return "0" if tally.largest == 0 else f"{tally.largest:.0e}"


def family_rows(places: dict[str, Tally]) -> list[str]:
    rows = [
        "| measure, its calls | formula | source | errata | oracle | tests | random cases |"
        " figures compared with the oracle, by hand or in laws | equal to the last digit |"
        " golden figures compared | largest difference |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for family in FAMILIES:
        paths = paths_of(family)
        own = total_of(places, paths[: len(family.tests.split())])
        golden = total_of(places, paths[len(family.tests.split()) :])
        both = total_of(places, paths)
        oracles = ", ".join(f"`{name}`" for name in family.oracles.split())
        calls = ", ".join(f"`{name}`" for name in family.calls.split())
        link = f"measures/{family.page}.md".replace("measures/../", "")
        matched = f"{golden.exact + golden.loose:,}" if family.goldens else "none published"
        if golden.skipped:
            matched = "went unchecked"
        rows.append(
            f"| [{family.name}]({link}): {calls} | {cell(family.formula)} | {family.source} |"
            f" {cell(family.errata)} | {oracles} | {both.tests:,} | {own.cases:,} | {own.exact:,} |"
            f" {own.equal:,} | {matched} | {figure(both)} |"
        )
    return rows


def symbol_rows(places: dict[str, Tally]) -> list[str]:
    tally = total_of(places, paths_of(FAMILIES[0]))
    rows = [
        "| symbol | formula | source | erratum | figures compared | largest difference |",
        "|---|---|---|---|---|---|",
    ]
    for page in SYMBOL_PAGES:
        for symbol, items in bullets_of(page).items():
            n, largest = tally.by_name.get(symbol, (0, 0.0))
            shown = f"{largest:.0e}" if largest else "0"
            rows.append(
                f"| [{symbol}](measures/{page}.md#{symbol.lower()}) | {cell(items['Formula'])} |"
                f" {cell(items.get('Source', ''))} | {cell(items.get('Erratum', 'none'))} |"
                f" {n:,} | {shown} |"
            )
    return rows


def peer_rows() -> list[str]:
    """Other tools; what is compared here is our figure, by the test that is named."""
    head = ("tool", "what differs", "smallest case", "its figure", "unveil", "why unveil", "test")
    rows = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for peer in PEERS:
        test = f"`{peer.test.partition('::')[2]}`"
        told = (peer.tool, peer.what, peer.case, peer.theirs, peer.ours, peer.why, test)
        rows.append(f"| {' | '.join(map(cell, told))} |")
    return rows


def gaps_of(places: dict[str, Tally], *, quick: bool) -> list[str]:
    """What would make the report untrue: a failed test, or nothing compared for a measure."""
    import unveil

    gaps = [f"failed: {name}" for tally in places.values() for name in tally.failed]
    for family in FAMILIES:
        total = total_of(places, paths_of(family))
        if not total.tests:  # whole numbers are compared by ==, and are not counted as figures
            gaps.append(f"nothing was compared for {family.name}")
        for name in family.oracles.split():
            if not (ROOT / "tests" / "oracles" / f"{name}.py").exists():
                gaps.append(f"no oracle {name}")
    public = {name for name in unveil.__all__ if isfunction(getattr(unveil, name))}
    told = {name for family in FAMILIES for name in family.calls.split()} | set(NO_FIGURE)
    gaps += [f"no measure has the call {name}" for name in sorted(public ^ told)]
    used = {name for family in FAMILIES for name in family.oracles.split()} | {"compare"}
    there = {path.stem for path in (ROOT / "tests" / "oracles").glob("[a-z]*.py")}
    gaps += [f"no measure has the oracle {name}" for name in sorted(there - used)]
    passed = set(total_of(places, [str(ROOT)]).passed)
    gaps += [f"not shown: {peer.test}" for peer in PEERS if not quick and peer.test not in passed]
    return gaps


def page_of(places: dict[str, Tally]) -> str:
    everything = total_of(places, [str(ROOT)])
    text = PAGE.read_text(encoding="utf-8")
    filled = {
        "TOTAL": f"{everything.tests:,} tests, {everything.cases:,} random cases,"
        f" {everything.exact:,} figures compared to six digits or better, largest difference"
        f" {figure(everything)}; {everything.equal:,} checks of what is equal to the last digit;"
        f" {everything.loose:,} figures within the printed digits or the error of a sample",
        "FAMILIES": "\n".join(family_rows(places)),
        "SYMBOLS": "\n".join(symbol_rows(places)),
        "PEERS": "\n".join(peer_rows()),
    }
    for name, value in filled.items():
        begin, end = f"<!-- {name} -->\n", f"\n<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{value}{end}{rest.partition(end)[2]}"
    return text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="few cases; write nothing")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--file", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    quick = asked.quick
    if asked.file:
        record_file(asked.file, asked.out, quick=quick)
        return
    places = run_tests(quick=quick, jobs=asked.jobs)
    page, gaps = page_of(places), gaps_of(places, quick=quick)
    print("\n".join(line for line in page.splitlines() if "random cases," in line))
    if gaps:
        sys.exit("\n".join(gaps))
    if not quick:
        PAGE.write_text(page, encoding="utf-8")
        print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
