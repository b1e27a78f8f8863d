"""Recognition of single people: what it costs, whether it errs as rarely as it says, what it finds.

python benchmarks/recognition.py speed       100 people, 5,000 x 12, 400 worlds: at most 10 min
python benchmarks/recognition.py selftest    people in no world, 20 seeds: mean AUC 0.5 +- 0.03
python benchmarks/recognition.py family      anybody shown who leaves no trace: at most 5 %
python benchmarks/recognition.py oracle      rows drawn with replacement: the best AUC is known
python benchmarks/recognition.py audit       a claimed epsilon: alarms of 200 correct releases
python benchmarks/recognition.py real        SD2011 and Adult, four ways (needs reference data)
python benchmarks/recognition.py reduce      leaves, smoothing, noise, filter, rows and files
python benchmarks/recognition.py memory      50 columns: the peak of this process
"""

import argparse
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import unveil
from unveil.examples import apply_labels
from unveil.measure.attacks.recognition_figures import (
    assess_jointly,
    clopper_pearson,
    mean_interval,
)
from unveil.measure.attacks.recognition_result import RecognitionResult
from unveil.project.release_procedure import CandidateProcedure

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from survey_people import survey_people

FOLDER = Path(__file__).parents[2] / "shared" / "reference" / "synthpop"
CODES = {"income": -8}
TREES = {"min_leaf": 5, "special_codes": CODES}
SECONDS, MARGIN, ALPHA = 600, 0.03, 0.05


def survey(n: int, seed: int) -> pl.DataFrame:
    """So many invented people."""
    return apply_labels(survey_people(seed, n))


def cpu() -> float:
    """CPU seconds of this process and of those that ended."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in both)


def line(name: str, found: RecognitionResult, seconds: float) -> None:
    """One row of a table, as Markdown."""
    one = found.record
    if one.auc_mean is None:
        print(f"| {name} | self-test failed: AUC {one.self_test.auc_mean} |", flush=True)
        return
    hits = [f"{rate.rate:.3f}" if rate.rate is not None else "-" for rate in one.hit_rates]
    print(
        f"| {name} | {one.auc_mean:.3f} ({one.auc_exposed:.3f} / {one.auc_random:.3f}) |"
        f" {one.n_shown} of {one.n_people} | {hits[0]} / {hits[1]} |"
        f" {one.epsilon:.2f} (of {one.epsilon_most:.2f}) | {one.n_recognised} |"
        f" {one.self_test.auc_mean:.3f} | {seconds:.0f} |",
        flush=True,
    )


HEADS = (
    "| release | mean AUC (exposed / random) | shown | hits at 1 % / 0.1 % | epsilon at least |"
    " recognised | self-test | CPU s |\n|---|---|---|---|---|---|---|---|"
)


def test(name: str, *given: Any, **asked: Any) -> RecognitionResult:
    """One test and its row."""
    start = cpu()
    found = unveil.recognition(*given, seed=1, workers=2, **asked)
    line(name, found, cpu() - start)
    return found


def speed() -> bool:
    """The whole test at the size that the bound is for."""
    original, reference = survey(5000, 11), survey(10_000, 22)
    released = unveil.synthesise(original, seed=5, workers=1, **TREES).copies[0]
    clock, start = time.perf_counter(), cpu()
    print(HEADS)
    test("trees, n = 5,000", original, TREES, reference=reference, released=released,
         special_codes=CODES)  # fmt: skip
    took = cpu() - start
    wall = time.perf_counter() - clock
    print(f"{took:.0f} CPU seconds, {took / 2:.0f} s on two cores; {wall:.0f} s here.")
    return took / 2 <= SECONDS


def selftest(seeds: int = 20) -> bool:
    """People in no world, from other people and seeds each time."""
    means = []
    for seed in range(seeds):
        original, reference = survey(400, 100 + seed), survey(1500, 200 + seed)
        found = unveil.recognition(
            original, TREES, reference=reference, people=40, worlds=200, seed=seed, workers=2,
            special_codes=CODES,
        )  # fmt: skip
        one = found.record.self_test
        means.append(one.auc_mean)
        print(f"seed {seed}: {one.auc_mean:.4f}, passed {one.passed}; tested people"
              f" {found.record.auc_mean}", flush=True)  # fmt: skip
    furthest = max(abs(mean - 0.5) for mean in means)
    print(f"Mean AUC of people in no world: {min(means):.4f} to {max(means):.4f}; furthest"
          f" {furthest:.4f} from 0.5 in {seeds} seeds.")  # fmt: skip
    return furthest <= MARGIN


def family(runs: int = 10_000) -> bool:
    """Scores with a common part of each world; half of the people leave a trace in theirs."""
    is_fine = True
    for n_traced in (0, 10):
        alarms = 0
        for run in range(runs):
            rng = np.random.default_rng([n_traced, run])
            coins = rng.random((60, 20)) < 0.5
            scores = rng.normal(size=(60, 20)) + rng.normal(size=(60, 1))
            scores[:, :n_traced] += 2 * coins[:, :n_traced]
            p = assess_jointly(np.round(scores, 1), coins, run, draws=199).p
            alarms += bool((p[n_traced:] <= ALPHA).any())
        low, high = (float(one) for one in share_limits(alarms, runs))
        print(f"{n_traced} of 20 leave a trace: a false one is shown in {alarms} of {runs} runs"
              f" ({alarms / runs:.4f}, 95 % {low:.4f} to {high:.4f}).", flush=True)  # fmt: skip
        is_fine &= low <= ALPHA
    return is_fine


def share_limits(k: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Clopper and Pearson's 95 % interval."""
    low, high = clopper_pearson(np.array(k), n, 0.025)
    return low, high


def unlike(n: int, seed: int) -> pl.DataFrame:
    """Everybody is unlike everybody else."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame({f"x{j}": rng.integers(30, size=n) for j in range(6)}).cast(pl.String)


def resampled(frame: pl.DataFrame, seed: int, rows: int) -> pl.DataFrame:
    """Rows drawn with replacement."""
    return frame[np.random.default_rng(seed).integers(frame.height, size=rows)]


def oracle() -> bool:
    """A release of which the best possible attack is known."""
    n = 150
    best = 0.5 + (1 - (1 - 1 / n) ** n) / 2
    found = unveil.recognition(
        unlike(n, 1), resampled, reference=unlike(400, 2), people=60, worlds=2000, seed=1
    ).record
    low, high = found.auc_interval or (0, 0)
    print(f"Best possible AUC {best:.4f}; found {found.auc_mean:.4f} ({low:.4f} to {high:.4f});"
          f" people in no world {found.self_test.auc_mean:.4f}.")  # fmt: skip
    return abs((found.auc_mean or 0) - best) <= 0.01


CELLS = [(a, b) for a in "abc" for b in "xyz"]


def few_people(seed: int) -> pl.DataFrame:
    """30 people in nine cells; the last cell has one person."""
    rng = np.random.default_rng(seed)
    cells = [CELLS[place] for place in (*rng.integers(8, size=29), 8)]
    return pl.DataFrame(cells, schema=["a", "b"], orient="row")


def noisy_histogram(epsilon: float, fault: str = "") -> Callable[..., pl.DataFrame]:
    """Counts of all cells with Laplace noise of scale 1 / epsilon, written out as rows.

    Faults: the scale is half of what it should be; cells with one person are copied through.
    """

    def release(frame: pl.DataFrame, seed: int, rows: int) -> pl.DataFrame:
        rng = np.random.default_rng(seed)
        place = {cell: at for at, cell in enumerate(CELLS)}
        counts = np.bincount([place[row] for row in frame.iter_rows()], minlength=len(CELLS))
        scale = (0.5 if fault == "scale" else 1) / epsilon
        noisy = np.maximum(np.round(counts + rng.laplace(scale=scale, size=len(CELLS))), 0)
        if fault == "copied":
            noisy = np.where(counts == 1, 1, noisy * (counts != 0))
        rows_of = np.repeat(np.arange(len(CELLS)), noisy.astype(int))
        if not len(rows_of):
            rows_of = np.array([0])
        return pl.DataFrame([CELLS[at] for at in rows_of], schema=["a", "b"], orient="row")

    return release


def audit(runs: int = 200, worlds: int = 1000) -> bool:
    """A claimed epsilon of 1: alarms of correct releases, and of two that are at fault."""
    alarms, n = {}, {"": runs, "scale": 10, "copied": 10}
    for fault, times in n.items():
        found = []
        for seed in range(times):
            one = unveil.recognition(
                few_people(seed), noisy_histogram(1.0, fault), out="remove", people=8,
                worlds=worlds, claimed_epsilon=1.0, seed=seed, person="none",
            ).record  # fmt: skip
            found.append(one)
            if seed % 20 == 19:
                print(f"  {fault or 'correct'}: {seed + 1} runs", flush=True)
        shown = [one.epsilon for one in found if one.epsilon is not None]
        alarms[fault] = sum(bool(one.exceeds_claim) for one in found)
        low, high = share_limits(alarms[fault], times)
        share = alarms[fault] / times
        print(f"{fault or 'correct'}: {alarms[fault]} of {times} alarms ({share:.3f},"
              f" 95 % {low:.3f} to {high:.3f}); epsilon at least {np.median(shown):.2f} (median,"
              f" highest {max(shown):.2f}, most {found[0].epsilon_most}); self-test failed"
              f" {times - len(shown)} times.", flush=True)  # fmt: skip
    return alarms[""] <= ALPHA * runs and alarms["scale"] == 10 and alarms["copied"] == 10


def real(n: int = 2000, people: int = 50, worlds: int = 200) -> bool:
    """Two files of real people, four ways to release each."""
    files = {
        "SD2011": ("sd2011_ods.csv", ("sex", "region", "placesize", "marital")),
        "Adult": ("adult.csv", ("sex", "race", "marital.status", "workclass")),
    }
    print(HEADS)
    is_fine = True
    for name, (file, keys) in files.items():
        whole = pl.read_csv(FOLDER / file, infer_schema_length=None, null_values=["NA", "?"])
        whole = whole.sample(fraction=1, shuffle=True, seed=1)
        original, reference = whole[:n], whole[n : n + 2500]
        codes = {"income": -8} if name == "SD2011" else {}
        common: dict[str, Any] = {"special_codes": codes} if codes else {}
        margins = {"method": dict.fromkeys(keys, "ipf"), **common}
        ways: dict[str, dict[str, Any]] = {
            "CART": {**common},
            "parametric": {"method": "parametric", **common},
            "IPF from margins (4 columns, trees for others)": margins,
            "protect (leaves of 33, distance filter)": {
                "steps": [
                    {"do": "synthesise"},
                    {"do": "distance_filter", "columns": ["age", *keys], "metric": "gower"},
                ],
                **common,
            },
        }
        for way, settings in ways.items():
            released = None
            if "steps" in settings:
                released = unveil.protect(original, seed=5, rows=n, **settings).data
            else:
                released = unveil.synthesise(original, seed=5, **settings).copies[0]
            found = test(
                f"{name}, {way}", original, settings, reference=reference, released=released,
                people=people, worlds=worlds, rows=n, special_codes=codes or None,
            )  # fmt: skip
            is_fine &= found.record.self_test.passed
    return is_fine


def filtered(frame: pl.DataFrame, seed: int, rows: int) -> pl.DataFrame:
    """As many rows as there are people are made and filtered; so many of what is left."""
    made = unveil.synthesise(frame, seed=seed, workers=1, **TREES).copies[0]
    kept = unveil.distance_filter(frame, made, columns=KEYS, metric="gower")
    return kept.data.head(rows)


KEYS, BASE = ("sex", "age", "region"), "leaves of 5"


def reduce(n: int = 400, people: int = 40, worlds: int = 200) -> bool:
    """What reduces recognition: the same people and coins in all, so that people are paired."""
    original, reference = survey(n, 11), survey(3 * n, 22)
    few = n // 5  # what the filter leaves at least
    ways: dict[str, tuple[Any, dict[str, Any]]] = {
        BASE: ({}, {}),
        "leaves of 20": ({"min_leaf": 20}, {}),
        "leaves of 50": ({"min_leaf": 50}, {}),
        "smoothing": ({"smoothing": "density"}, {}),
        "noise (age 5, income 500)": ({"add_noise": {"age": 5, "income": 500}}, {}),
        "filter, refilled": ({"filter": {"metric": "gower", "columns": list(KEYS)}}, {}),
        f"filter, {few} of the rows left": (filtered, {"rows": few}),
        f"{few} rows": ({}, {"rows": few}),
        f"{n // 2} rows": ({}, {"rows": n // 2}),
        "5 files": ({}, {"files": 5}),
        "each column by itself": ({"method": "sample"}, {}),
    }
    common = {"keys": KEYS, "first": KEYS, "special_codes": CODES, "real_values": {}}
    aucs: dict[str, np.ndarray] = {}
    print("| release | mean AUC | difference, paired | shown | hits at 1 % | in no world | CPU s |")
    print("|---|---|---|---|---|---|---|")
    for name, (how, asked) in ways.items():
        start = cpu()
        setting = {"min_leaf": 5, **how} if isinstance(how, dict) else {}
        if setting.get("method"):
            del setting["min_leaf"]
        way = CandidateProcedure(setting, common) if setting else how
        found = unveil.recognition(
            original, way, reference=reference, people=people, worlds=worlds, seed=1, workers=2,
            special_codes=CODES, **asked,
        )  # fmt: skip
        one = found.record
        if one.auc_mean is None:
            print(f"| {name} | self-test failed: {one.self_test.auc_mean:.3f} |", flush=True)
            continue
        aucs[name] = found.people()["auc"].to_numpy()
        low, high = one.auc_interval or (0, 0)
        print(f"| {name} | {one.auc_mean:.3f} ({low:.3f} to {high:.3f}) |"
              f" {paired(aucs[name] - aucs[BASE])} | {one.n_shown} of {people} |"
              f" {one.hit_rates[0].rate or 0:.3f} | {one.self_test.auc_mean:.3f} |"
              f" {cpu() - start:.0f} |", flush=True)  # fmt: skip
    few_rows, kept = f"{few} rows", f"filter, {few} of the rows left"
    if few_rows in aucs and kept in aucs:
        print(f"{kept} beside {few_rows}: {paired(aucs[kept] - aucs[few_rows])}.")
    return len(aucs) == len(ways)


def paired(differences: np.ndarray) -> str:
    """The mean and its 95 % interval over people."""
    low, high = mean_interval(differences, 0.95)
    return f"{differences.mean():+.3f} ({low:+.3f} to {high:+.3f})"


def memory() -> bool:
    """The peak with 50 columns, without what the process held before the test."""
    rng = np.random.default_rng(1)

    def wide(n: int) -> pl.DataFrame:
        return pl.DataFrame({f"x{j}": rng.integers(8, size=n) for j in range(50)}).cast(pl.String)

    original, reference = wide(2000), wide(1000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    found = unveil.recognition(
        original, resampled, reference=reference, people=100, worlds=200, seed=1
    )
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    whole = 200 * 200 * 1650 * 4 / 2**20
    print(f"Peak {after:.0f} MB, {after - before:.0f} MB above the start (all figures at once would"
          f" be {whole:.0f} MB); AUC {found.record.auc_mean:.3f}.")  # fmt: skip
    return after - before < whole


PARTS = {
    one.__name__: one for one in (speed, selftest, family, oracle, audit, real, reduce, memory)
}


def main() -> None:
    """All parts, or one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=[*PARTS, "all"], nargs="?", default="all")
    asked = parser.parse_args().part
    start, failed = cpu(), []
    for name, part in PARTS.items():
        if asked in (name, "all"):
            print(f"## {name}", flush=True)
            if not part():
                failed.append(name)
    said = f"Above its bound: {', '.join(failed)}." if failed else "All within bounds."
    print(f"{cpu() - start:.0f} CPU seconds. {said}")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
