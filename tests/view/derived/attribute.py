"""Numbers of the section on what could be learnt: Raab 2024, equations 6 to 11."""

from view.derived.identity import headline, keys, people
from view.derived.written import (
    Results,
    name,
    nothing,
    part_of,
    percent,
    subject,
    whole,
)

ORDER = ("above", "not measured", "review", "within", "no limit")


def row_of(results: Results, of: str) -> dict:
    """The row of `part|target|copy`, or of `part|target` in the copy that stands for all."""
    record = part_of(results, of)
    copy = subject(of, 2) if of.count("|") > 1 else headline(record)
    return next(
        row
        for row in record["attribute"]
        if row["target"] == subject(of) and str(row["copy"]) == str(copy)
    )


def headline_rows(record: dict) -> list[dict]:
    return [row for row in record["attribute"] if row["copy"] == headline(record)]


def statuses(results: Results, part: str, target: str) -> str:
    """The worst that any copy, or all pooled, has against the limit of DiSCO."""
    own = [
        one["status"]
        for one in results["contents"]["judgement"]["figures"]
        if (one["part"], one["measure"], one["target"]) == (part, "DiSCO", target)
    ]
    return min(own, key=ORDER.index)


def status(results: Results, of: str) -> list[str]:
    targets = part_of(results, of)["targets"]
    worst = [statuses(results, of, target) for target in targets]
    counts = [worst.count(one) for one in ("above", "review", "within")]
    (limit,) = (
        one for one in results["contents"]["judgement"]["limits"] if one["measure"] == "DiSCO"
    )
    shown = [whole(n) for n in counts if n]
    return [whole(len(targets)), *shown, f"{limit['review']:g}", f"{limit['limit']:g}"]


def n_targets(results: Results, of: str) -> list[str]:
    return [whole(len(part_of(results, of)["targets"]))]


def guess(results: Results, of: str) -> list[str]:
    rows = headline_rows(part_of(results, of))
    gains = {row["target"]: row["DCAP"] - row["baseCAPd"] for row in rows}
    better = sum(gain > 0 for gain in gains.values())
    counts = [whole(better), whole(len(rows))]
    if not better:
        return counts
    most = max(gains, key=lambda target: gains[target])
    (row,) = (one for one in rows if one["target"] == most)
    shown = [percent(row[symbol]) for symbol in ("DCAP", "baseCAPd", "CAPd")]
    return [*counts, name(most), *shown]


def means(results: Results, of: str) -> list[str]:
    return [whole(len(part_of(results, of)["n_synthetic"]))]


def disco(results: Results, of: str) -> list[str]:
    record, row = part_of(results, of), row_of(results, of)
    names = [*keys(record), name(row["target"])]
    total = record["n_original"]
    original = [whole(total), percent(row["Dorig"]), people(row["Dorig"], total)]
    if not row["DiSCO"]:
        return [*names, *original]
    return [*names, *original, percent(row["DiSCO"]), people(row["DiSCO"], total)]


DERIVED = {
    "attribute.status": status,
    "attribute.no limit": n_targets,
    "attribute.no targets": nothing,
    "attribute.guess": guess,
    "disclosure/means": means,
    "disclosure/DiSCO": disco,
}
