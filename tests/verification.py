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
from numbers import Real
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "verification.md"
EXACT = 1e-6  # relative; a comparison that is looser is one of samples or of printed digits
BY_RECORD = "tests/test_against_oracle.py tests/test_profile_against_oracle.py"
EXCLUDING = "tests/test_exclusions_against_oracle.py"
SYNTHPOP = "synthpop options flags tables"


@dataclass(frozen=True)
class Family:
    """A row of the report: a measure with what is independent of its code."""

    name: str
    page: str
    formula: str
    source: str
    oracles: str
    tests: str
    goldens: str = ""


# What has its own list of symbols (Raab's measures) is reported symbol by symbol from its page.
SYMBOL_PAGES = ("uniques", "disco", "cap", "tcap")
FAMILIES = (
    Family(
        "Raab's measures",
        "disco",
        "see the next table",
        "Raab 2024, equations 2 to 14",
        "raab exclusions",
        f"{BY_RECORD} {EXCLUDING} tests/by_hand tests/laws/test_laws.py",
        "synthpop options tables formats",
    ),
    Family(
        "one-way, two-way checks",
        "checks",
        "n = Σ_q(d\\*_tq \\| ps_tq = 1) above its thresholds",
        "Raab 2024, section 4",
        "checks",
        "tests/measure/disclosure/test_checks.py tests/by_hand",
        "flags",
    ),
    Family(
        "excess R",
        "excess",
        "R = (training - control) / (100 - control)",
        "Raab 2024, equation 1",
        "excess",
        "tests/measure/disclosure/test_excess.py",
        "tables",
    ),
    Family(
        "claims, expected, adds",
        "claims",
        "correct claims of a rule less those expected from the pattern",
        "Raab 2024, sections 3 to 5, 7",
        "claims single_values",
        "tests/measure/disclosure/test_claims.py tests/measure/disclosure/test_single_values.py",
        "claims",
    ),
    Family(
        "sets of keys",
        "key_sets",
        "DiSCO and repU of every set of the keys",
        "own; Raab 2024 for each set",
        "key_sets",
        "tests/measure/disclosure/test_key_sets.py",
    ),
    Family(
        "values, weights, people, tolerance",
        "disco",
        "DiSCO by value, by weight, by person, within a tolerance",
        "own; Raab 2024, equation 11",
        "values people single_values",
        "tests/measure/disclosure/test_by_value.py tests/measure/disclosure/test_weights.py"
        " tests/measure/disclosure/test_people.py tests/measure/disclosure/test_tolerance.py",
    ),
    Family(
        "CAP",
        "taub_cap",
        "CAP_j = s_tq / s_q, mean over people",
        "Taub et al. 2018, equations 4 and 6",
        "taub regressions",
        "tests/measure/cap/test_cap.py tests/measure/cap/test_methods.py"
        " tests/measure/cap/test_regression.py tests/measure/cap/test_tolerance.py",
        "cap_cases",
    ),
    Family(
        "WEAP, TCAP",
        "weap",
        "WEAP_j = s_tq / s_q of a record; TCAP: correct where WEAP ≥ tau",
        "Taub and Elliot; Raab 2024; Chen et al. 2019; Little et al.",
        "taub",
        "tests/measure/cap/test_tcap.py",
        "cap_cases",
    ),
    Family(
        "GCAP",
        "gcap",
        "CAP over the nearest keys",
        "Hittmeir et al. 2020",
        "taub",
        "tests/measure/cap/test_gcap.py",
        "cap_cases",
    ),
    Family(
        "GTCAP",
        "gtcap",
        "Σ kc tc / Σ kc over near records",
        "Chapelle and Falissard, Algorithm 2",
        "gtcap",
        "tests/measure/cap/test_gtcap_oracle.py tests/measure/cap/test_gtcap_windows.py",
        "gtcap_cases",
    ),
    Family(
        "differential confidentiality",
        "differential_confidentiality",
        "t = (mean_included - mean_left_out) / √(e_included + e_left_out)",
        "Taub et al. 2018, section 4.3",
        "confidentiality",
        "tests/measure/cap/test_differential.py tests/measure/cap/test_bootstrap.py",
        "confidentiality_cases",
    ),
    Family(
        "singling out",
        "singling_out",
        "R = (main - control) / (1 - control), predicates that fit one person",
        "Giomi et al. 2023",
        "attacks singling_out",
        "tests/measure/attacks/test_singling_out.py tests/measure/attacks/test_rates.py",
        "singling_out attacks",
    ),
    Family(
        "linkability",
        "linkability",
        "1 - Σ_j C(w, j) C(t - x - w, a - j) / C(t, a) · C(u - y - j, b) / C(u, b)",
        "Giomi et al. 2023; ties by own formula",
        "attacks",
        "tests/measure/attacks/test_linkability.py",
        "attacks",
    ),
    Family(
        "inference",
        "inference",
        "guess of the nearest record, expectation over ties",
        "Giomi et al. 2023",
        "attacks",
        "tests/measure/attacks/test_inference.py tests/measure/attacks/test_agreement.py",
        "attacks",
    ),
    Family(
        "membership",
        "membership",
        "F1 of the distance threshold, relative to guessing",
        "El Emam et al. 2022",
        "membership",
        "tests/measure/attacks/test_membership.py",
    ),
    Family(
        "recognition",
        "recognition",
        "AUC over worlds with and without a person; lower bound on epsilon",
        "Carlini et al. 2022; Annamalai et al. 2024",
        "recognition",
        "tests/measure/attacks/test_recognition_figures.py",
    ),
    Family(
        "ECAP, noise",
        "ecap",
        "ECAP = f h / (f h + (1 - f) m)",
        "Chapelle and Falissard, Equation 1",
        "ecap",
        "tests/measure/ecap",
        "ecap",
    ),
    Family(
        "SUDA, DIS",
        "suda",
        "Σ over minimal unique sets of (K - s)!",
        "Elliot et al. 2002, 2000; Manning et al. 2008",
        "suda",
        "tests/measure/uniques/test_suda.py",
        "suda",
    ),
    Family(
        "match risk",
        "match_risk",
        "rk from p = fk / Fk; l-diversity",
        "Franconi and Polettini 2004; Machanavajjhala et al. 2007",
        "risk aligned_match",
        "tests/measure/uniques/test_match_risk.py tests/measure/uniques/test_individual.py"
        " tests/measure/uniques/test_aligned.py",
        "sdcmicro",
    ),
    Family(
        "SAP",
        "sap",
        "probability that n known people recover a zero",
        "Smith and Elliot 2008, sections 2.3 and 3",
        "sap tables",
        "tests/measure/tables/test_sap.py tests/measure/tables/test_polynomial.py"
        " tests/measure/tables/test_sap_boxes.py tests/measure/tables/test_depth.py"
        " tests/measure/tables/test_known_people.py tests/measure/tables/test_teaching.py",
        "sap sap_general sap_table3",
    ),
    Family(
        "bounds, plans",
        "bounds",
        "smallest and largest count over all tables of whole numbers that fit",
        "Smith and Elliot 2008, section 2.3.3",
        "tables plan joint_tables suppression",
        "tests/measure/tables/test_bounds.py tests/measure/tables/test_plan_bounds.py"
        " tests/measure/tables/test_network.py tests/measure/tables/test_protect_table.py",
        "trivial_bounds",
    ),
    Family(
        "rounding, cell keys",
        "rounding",
        "controlled rounding; a transition matrix of given variance",
        "Cox and Ernst 1982; cell keys: from memory, not checked",
        "rounding ptable",
        "tests/measure/tables/test_round_table.py tests/measure/tables/test_ptable.py"
        " tests/measure/tables/test_schemes.py",
    ),
    Family(
        "utility (pMSE)",
        "utility",
        "pMSE = Σ (p - c)² / N",
        "Snoke et al. 2018",
        "utility",
        "tests/measure/utility/test_utility.py tests/measure/utility/test_utility_edges.py",
        "utility",
    ),
    Family(
        "tables of variables",
        "pair_tables",
        "VW = Σ diff² / expect, and others",
        "Raab et al. 2021",
        "pair_tables",
        "tests/measure/utility/test_pair_tables.py",
        "utility",
    ),
    Family(
        "columns and associations",
        "compare",
        "Hellinger, total variation, Wasserstein, associations",
        "Hellinger 1909; Vallender 1974; others",
        "comparison",
        "tests/measure/utility/test_compare_oracle.py tests/by_hand/test_compare_by_hand.py",
    ),
    Family(
        "projection",
        "projection",
        "t = Σ x p / Σ p², p = Σ x t / Σ t² in turn",
        "Chapelle and Falissard 2023; Wold 1973",
        "nipals",
        "tests/measure/utility/test_projection.py",
    ),
    Family(
        "TSTR, replication",
        "findings",
        "models fitted to synthetic data, tested on people; published results again",
        "Esteban et al. 2017; Purdam and Elliot 2007",
        "regressions replication comparison",
        "tests/measure/utility/test_tstr.py tests/measure/utility/test_replicate.py"
        " tests/measure/utility/test_models.py",
    ),
    Family(
        "distance filter",
        "../distance_filter",
        "a row is kept if it is not too near to an original",
        "Chapelle and Falissard 2023, Algorithm 1",
        "distance_filter",
        "tests/protection/test_distance_filter.py",
        "distance_filter",
    ),
    Family(
        "replicated uniques, recoding",
        "../replicated_uniques",
        "rows whose keys are unique in both files; codings",
        "synthpop 1.9-3 (`sdc`)",
        "recoding people",
        "tests/protection/test_replicated_uniques.py tests/protection/recoding",
        "sdc",
    ),
    Family(
        "release gate",
        "../gate",
        "people tied to their own values; codings; near copies",
        "own",
        "gate coding",
        "tests/measure/gate",
    ),
)


@dataclass
class Tally:
    """What was compared in one place."""

    cases: int = 0
    tests: int = 0
    exact: int = 0
    loose: int = 0
    largest: float = 0.0
    by_name: dict[str, list[float]] = field(default_factory=dict)
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

    def pytest_runtest_setup(self, item) -> None:
        self.now = self.places[item.location[0]]

    def pytest_runtest_teardown(self, item) -> None:
        drawn = re.search(r"(\d+) passing", getattr(item, "hypothesis_statistics", ""))
        self.now.cases += int(drawn[1]) if drawn else 0

    def pytest_runtest_logreport(self, report) -> None:
        place = self.places[report.location[0]]
        place.tests += report.when == "call" and report.passed
        if report.failed:
            place.failed.append(report.nodeid)

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
    for path in (Path(path) for family in FAMILIES for path in paths_of(family)):
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
        env={**os.environ, "CI": "1"},
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
    marked = "not frames and not models and not browser and not app"
    marked += "" if os.environ.get("UNVEIL_TESTS") == "all" else " and not slow"
    with tempfile.TemporaryDirectory() as cache:
        pytest.main(
            ["-q", "-n", "0", "-m", marked, "-o", f"cache_dir={cache}", "--no-header", path],
            plugins=[recorder],
        )
    out.write_text(json.dumps({place: asdict(tally) for place, tally in recorder.places.items()}))


def paths_of(family: Family) -> list[str]:
    golden = [f"tests/golden/test_{name}.py" for name in family.goldens.split()]
    return [str(ROOT / path) for path in (*family.tests.split(), *golden)]


def total_of(places: dict[str, Tally], paths: list[str]) -> Tally:
    """The tallies under these files and folders, together."""
    total = Tally()
    for place, tally in places.items():
        if any((ROOT / place).is_relative_to(path) for path in paths):
            for name in ("cases", "tests", "exact", "loose"):
                setattr(total, name, getattr(total, name) + getattr(tally, name))
            total.largest = max(total.largest, tally.largest)
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
        "| measure | formula | source | oracle | tests | random cases | compared with the oracle,"
        " by hand or in laws | golden figures compared | largest difference |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for family in FAMILIES:
        paths = paths_of(family)
        own = total_of(places, paths[: len(family.tests.split())])
        golden = total_of(places, paths[len(family.tests.split()) :])
        both = total_of(places, paths)
        oracles = ", ".join(f"`{name}`" for name in family.oracles.split())
        link = f"measures/{family.page}.md".replace("measures/../", "")
        matched = f"{golden.exact + golden.loose:,}" if family.goldens else "none published"
        if golden.skipped:
            matched = "went unchecked"
        rows.append(
            f"| [{family.name}]({link}) | {cell(family.formula)} | {family.source} | {oracles} |"
            f" {both.tests:,} | {own.cases:,} | {own.exact:,} | {matched} | {figure(both)} |"
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


def gaps_of(places: dict[str, Tally]) -> list[str]:
    """What would make the report untrue: a failed test, or nothing compared for a measure."""
    gaps = [f"failed: {name}" for tally in places.values() for name in tally.failed]
    for family in FAMILIES:
        total = total_of(places, paths_of(family))
        if not total.tests:  # whole numbers are compared by ==, and are not counted as figures
            gaps.append(f"nothing was compared for {family.name}")
        for name in family.oracles.split():
            if not (ROOT / "tests" / "oracles" / f"{name}.py").exists():
                gaps.append(f"no oracle {name}")
    return gaps


def page_of(places: dict[str, Tally]) -> str:
    everything = total_of(places, [str(ROOT)])
    text = PAGE.read_text(encoding="utf-8")
    filled = {
        "TOTAL": f"{everything.tests:,} tests, {everything.cases:,} random cases,"
        f" {everything.exact:,} figures compared to six digits or better, largest difference"
        f" {figure(everything)}; {everything.loose:,} more within the printed digits or the error"
        " of a sample",
        "FAMILIES": "\n".join(family_rows(places)),
        "SYMBOLS": "\n".join(symbol_rows(places)),
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
    page, gaps = page_of(places), gaps_of(places)
    print("\n".join(line for line in page.splitlines() if "random cases," in line))
    if gaps:
        sys.exit("\n".join(gaps))
    if not quick:
        PAGE.write_text(page, encoding="utf-8")
        print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
