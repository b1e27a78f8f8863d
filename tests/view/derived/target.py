"""Numbers of the section on one target after another: Raab 2024, equations 6 to 12."""

from view.derived.attribute import headline_rows, row_of
from view.derived.identity import headline, people
from view.derived.written import (
    Results,
    digits_in,
    name,
    part_of,
    percent,
    subject,
    whole,
)


def steps(results: Results, of: str) -> list[str]:
    row = row_of(results, of)
    assert row["iS"] >= row["DiS"] >= row["DiSCO"]
    shares = [row["iS"], row["DiS"], row["DiSCO"], row["DiS"] - row["DiSCO"]]
    total = part_of(results, of)["n_original"]
    return [*(people(share, total) for share in shares), *map(percent, shares[:2])]


def dcap(results: Results, of: str) -> list[str]:
    row = row_of(results, of)
    correct = people(row["DCAP"], part_of(results, of)["n_original"])
    return [correct, *(percent(row[symbol]) for symbol in ("DCAP", "baseCAPd", "CAPd"))]


def removed(results: Results, of: str) -> list[str]:
    """What is no longer disclosed, of what the original discloses."""
    row = row_of(results, of)
    if not row["Dorig"]:
        return [name(row["target"])]
    shown = [percent(row["DiSCO"]), percent(row["Dorig"])]
    if row["DiSCO"] > row["Dorig"]:
        return shown
    return [*shown, percent(100 * (row["Dorig"] - row["DiSCO"]) / row["Dorig"])]


def effect(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    own = [name(subject(of))]
    (found,) = (
        one
        for one in record["effects"]
        if (one["target"], one["measure"], one["copy"]) == (subject(of), "DiSCO", headline(record))
    )
    if found["all"] == found["after"]:
        return own
    total = record["n_original"]
    figures = [found["all"], found["after"]]
    assert found["after"] == row_of(results, of)["DiSCO"]
    counts = [people(value, total) for value in figures]
    return [*own, *map(percent, figures), *counts, whole(total)]


def pooled(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    (row,) = (
        one
        for one in record["attribute"]
        if (one["target"], one["copy"]) == (subject(of), "pooled")
    )
    total = record["n_original"]
    found = [percent(row["DiSCO"]), people(row["DiSCO"], total), whole(total)]
    return [whole(len(record["n_synthetic"])), *found]


def groups(results: Results, of: str) -> list[str]:
    row = row_of(results, of)
    most = row["max_denom"]
    return [f"{most:.0f}" if most == int(most) else f"{most:.1f}", f"{row['mean_denom']:.1f}"]


def alone(results: Results, of: str) -> list[str]:
    assert row_of(results, of)["max_denom"] == 1
    return []


def undefined(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    _, target, field = of.split("|")
    assert all(row[field] is None for row in headline_rows(record) if row["target"] == target)
    reasons = [one["reason"] for one in record["not_measured"] if one["target"] == target]
    return [name(target), *digits_in(reasons[0])]


DERIVED = {
    "target.pooled": pooled,
    "target.groups": groups,
    "target.one": alone,
    "target.undefined": undefined,
    "disclosure/iS, DiS": steps,
    "disclosure/DCAP": dcap,
    "disclosure/removed": removed,
    "checks/effect": effect,
}
