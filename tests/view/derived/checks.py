"""Numbers of the section on what may be common knowledge: Raab 2024, section 4 and Table 2."""

from collections import Counter

from view.derived.written import (
    Results,
    name,
    part_of,
    percent,
    subject,
    whole,
)


def findings(results: Results, of: str) -> list[dict]:
    (scenario,) = (
        one["scenario"] for one in results["contents"]["run"]["parts"] if one["name"] == of
    )
    found = results["contents"]["judgement"]["findings"]
    return [one for one in found if one["scenario"] == scenario]


def summary(results: Results, of: str) -> list[str]:
    """Findings by their state; what the run leaves out by a ruling is found no more."""
    found = findings(results, of)
    rules = {one["exclusion"] for one in found}
    (scenario,) = (
        one["scenario"] for one in results["contents"]["run"]["parts"] if one["name"] == of
    )
    settled = [
        one
        for one in results["contents"]["exclusions"]
        if one["from_ruling"]
        and one["in_run"]
        and one["scenario"] == scenario
        and one["rule"] not in rules
    ]
    states = Counter(one["state"] for one in found)
    counts = [n for n in states.values() if n]
    values = {(one["target"], one["exclusion"].split("@")[0]) for one in found}
    on = [whole(len(values))] if found else []
    after = [whole(len(settled))] if settled else []
    return [whole(len(found)), *on, *map(whole, counts), *after]


def none(results: Results, of: str) -> list[str]:
    assert not findings(results, of)
    checks = part_of(results, of)["checks"]
    return [f"{value:g}" for value in (*checks["one_way"], *checks["two_way"])]


def falls(results: Results, of: str, column: int) -> dict[str, float]:
    rows = part_of(results, of)["rows"]
    by_cell = {(row["target"], row["column"]): row["synthetic"] for row in rows}
    return {
        target: by_cell[target, 0] - by_cell[target, column]
        for target in part_of(results, of)["targets"]
    }


def accepted(results: Results, of: str) -> list[str]:
    """The target that falls most when a column's exclusions are left out."""
    target, column = subject(of), int(subject(of, 2))
    record, fall = part_of(results, of), falls(results, of, column)
    if column == 2:
        assert fall[target] == max(fall.values()) > 0
    else:
        assert fall[target] == max(fall[one] for one in rivals(results, of, target)) > 0
    by_cell = {(row["target"], row["column"]): row["synthetic"] for row in record["rows"]}
    figures = [percent(by_cell[target, one]) for one in (0, column)]
    rules = record["columns"][column]["exclude"] if column == 1 else []
    own = [rule for rule in rules if rule.split("=")[0].strip('"') == target]
    return [*map(name, own), name(target), *figures]


def own_rules(record: dict, target: str) -> set[str]:
    rules = record["columns"][1]["exclude"]
    return {rule for rule in rules if rule.split("=")[0].strip('"') == target} or set(rules)


def rivals(results: Results, of: str, target: str) -> list[str]:
    """Of targets with something still to be accepted those; of the others, when none is left."""
    record = part_of(results, of)
    ruled = set(part_of(results, of.replace("exclusion_table", "disclosure", 1))["exclude"])
    ruled |= {one["rule"] for one in results["contents"]["exclusions"] if one["in_run"]}
    if "missing-targets" in ruled:
        ruled |= {f"{one}=" for one in record["targets"]}
    left = [one for one in record["targets"] if own_rules(record, one) - ruled]
    return left if target in left else record["targets"]


def same(results: Results, of: str) -> list[str]:
    assert max(falls(results, of, 2).values()) <= 0
    return []


DERIVED = {
    "checks.summary": summary,
    "checks.accepted": accepted,
    "checks.none": none,
    "checks.accept": accepted,
    "checks.grid missing": accepted,
    "checks.grid same": same,
}
