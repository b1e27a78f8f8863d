"""Numbers of the section on train against control, attacks and membership.

Raab 2024, equation 1; Giomi et al. 2023; El Emam et al. 2022.
"""

import math

from view.derived.written import (
    Results,
    name,
    nothing,
    part_of,
    percent,
    two,
    whole,
)


def rows_of(record: dict) -> list[dict]:
    copy = 1 if len(record["n_synthetic"]) == 1 else "mean"
    return [row for row in record["rows"] if row["copy"] == copy]


def excess_row(results: Results, of: str) -> dict:
    _, target, measure = of.split("|")
    return next(
        row
        for row in rows_of(part_of(results, of))
        if (row["target"], row["measure"]) == (target, measure)
    )


def widest(results: Results, of: str) -> list[str]:
    row = excess_row(results, of)
    gap = row["train"] - row["control"]
    known = [one for one in rows_of(part_of(results, of)) if one["train"] is not None]
    assert gap == max(one["train"] - one["control"] for one in known)
    shown = [percent(row["train"]), percent(row["control"]), name(row["target"])]
    if gap <= 0:
        return shown
    return [*shown, "0.1" if gap < 0.05 else f"{gap:.1f}"]


def sizes(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    m = len(record["n_synthetic"])
    counts = [record["n_train"], record["n_control"], *record["n_synthetic"]]
    keys = [name(key) for key in record["keys"]]
    return [*map(whole, counts), *([whole(m)] if m > 1 else []), *keys]


def excess(results: Results, of: str) -> list[str]:
    """R = (train - control) / (100 - control), said only where it is above 0."""
    row, record = excess_row(results, of), part_of(results, of)
    train, control = row["train"], row["control"]
    shown = [percent(train), percent(control), name(row["target"])]
    for share, total in ((train, record["n_train"]), (control, record["n_control"])):
        shown += [whole(total), whole(round(share * total / 100))]
    if train > control:
        shown.append(percent(100 * (train - control) / (100 - control)))
    if row["R_exclusion"]:
        shown += [percent(row["train_after"]), percent(row["control_after"])]
        shown += [name(rule) for rule in record["exclude"]]
    for part in record["parts"]:
        about = (part["target"], part["measure"], part["copy"])
        if about == (row["target"], row["measure"], row["copy"]):
            ends = {"R": ("R",), "most_common": (), "nearest": ()}
            shown += [ratio(part[end]) for end in ends.get(part["part"], ("R", "low", "high"))]
    return shown


def copy_shown(results: Results, of: str) -> list[str]:
    return [of.rsplit(" ", maxsplit=1)[-1], whole(len(results["contents"]["run"]["n_synthetic"]))]


def attack_row(results: Results, of: str) -> dict:
    _, attack, target = of.split("|")
    return next(
        row
        for row in part_of(results, of)["rows"]
        if (row["attack"], row["target"] or "", row["group"]) == (attack, target, None)
    )


def expected(successes: float | None) -> list[str]:
    if successes is None:
        return []
    shown = round(successes)
    if abs(successes - shown) < 1e-6 or successes >= 10:
        return [whole(shown)]
    return [f"{max(successes, 0.1):.1f}"]  # of few a decimal, and never nobody


def attack(results: Results, of: str) -> list[str]:
    row, record = attack_row(results, of), part_of(results, of)
    fields = ("main_successes", "naive_successes", "control_successes")
    shown = [text for field in fields for text in expected(row[field])]
    shown.append(whole(row["n_found"]))
    if row["n_control"] is not None and not row["attack"].startswith("singling_out"):
        shown.append(whole(row["n_control"]))
    names = [*row["keys"], *row["other_keys"]] if row["attack"] == "linkability" else []
    if row["attack"] == "inference":
        names = [row["target"]]
    if record["k"] is not None and record["k"] > 1 and row["attack"] == "linkability":
        shown.append(whole(record["k"]))
    return [*shown, *map(name, names), *risk(row)]


def risk(row: dict) -> list[str]:
    """R with its interval; in percent where all of it lies above 0."""
    if row["R"] is None or row["interval"] is None:
        return []
    low, high = row["interval"]
    main, control = row["main"], row["control"]
    assert math.isclose(row["R"], (main - control) / (1 - control))
    if low > 0:
        return [percent(100 * value) for value in (row["R"], low, high)]
    numbers = [ratio(value) for value in (row["R"], low, high)]
    if high < 0:
        return [*numbers, "0"]
    return [*numbers, "0", two(max(high, 0.01))]


def ratio(value: float) -> str:
    """Two decimals, and no 0.00 of either sign but of 0 itself."""
    if value == 0:
        return "0"
    return "0.01" if abs(value) < 0.005 else f"{value:.2f}"


def distance(value: float) -> str:
    if value == int(value):
        return f"{value:.0f}"
    return "0.001" if value < 0.0005 else f"{value:.3f}"


def members(results: Results, of: str) -> list[str]:
    row = part_of(results, of)["headline"]
    shares = [percent(100 * row[field]) for field in ("recall", "false_positive_rate")]
    return [distance(row["threshold"]), *shares]


def f1(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    row, t = record["headline"], record["prevalence"]
    naive = 2 * t / (1 + t)
    relative = (row["F1"] - naive) / (1 - naive)
    assert math.isclose(relative, row["relative_F1"], abs_tol=1e-9)
    return [percent(100 * t), *map(ratio, (row["F1"], naive, relative, *row["interval"]))]


def closest(results: Results, of: str) -> dict[str, dict]:
    return {row["pair"]: row for row in part_of(results, of)["closest"]}


def exact(results: Results, of: str) -> list[str]:
    record, by_pair = part_of(results, of), closest(results, of)
    n, total = record["n_exact"], record["n_synthetic"]
    original, control = (by_pair[f"synthetic to {side}"] for side in ("original", "control"))
    shares = [n / total, original["share_exact"], control["share_exact"]]
    counts = [n, total, original["n_reference"]]
    return [*(percent(100 * value) for value in shares), *map(whole, counts)]


def nearness(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    figures = (record["people_auc"], *record["people_auc_interval"])
    return [percent(100 * value) for value in figures]


def recall(results: Results, of: str) -> list[str]:
    return [percent(100 * part_of(results, of)["recall_at_1"])]


def median_distance(results: Results, of: str) -> list[str]:
    by_pair = closest(results, of)
    sides = (by_pair[f"synthetic to {side}"] for side in ("original", "control"))
    return [distance(row["dcr_median"]) for row in sides]


DERIVED = {
    "leakage.more": widest,
    "leakage.none": widest,
    "leakage.nothing": nothing,
    "leakage.copy": copy_shown,
    "checks/excess sizes": sizes,
    "checks/excess": excess,
    "attacks/meaning": nothing,
    "attacks/no control": nothing,
    "attacks/limits": nothing,
    "attacks/singling_out": attack,
    "attacks/linkability": attack,
    "attacks/inference": attack,
    "membership/attack": members,
    "membership/F1": f1,
    "membership/chosen": nothing,
    "membership/exact": exact,
    "membership/people": nearness,
    "membership/recall": recall,
    "membership/distance": median_distance,
    "membership/limits": nothing,
}
