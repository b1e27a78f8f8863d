"""Numbers of the section on who could be found: Raab 2024, equations 2 to 5."""

from view.derived.written import (
    Results,
    digits_in,
    name,
    part_of,
    percent,
    subject,
    whole,
)


def headline(record: dict) -> str | int:
    return 1 if len(record["n_synthetic"]) == 1 else "mean"


def of_copy(rows: list[dict], copy: str | int) -> dict:
    return next(row for row in rows if str(row["copy"]) == str(copy))


def people(value: float, total: int) -> str:
    return whole(round(value * total / 100))


def keys(record: dict) -> list[str]:
    return [name(key) for key in record["keys"]]


def pooled(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    row, total = of_copy(record["identity"], "pooled"), record["n_original"]
    figures = [row["UiOiS"], row["repU"]]
    counts = [people(value, total) for value in figures]
    return [whole(len(record["n_synthetic"])), *map(percent, figures), *counts, whole(total)]


def status(results: Results, of: str) -> list[str]:
    part, measure, _ = of.split("|")
    judged = [
        one
        for one in results["contents"]["judgement"]["figures"]
        if (one["part"], one["measure"]) == (part, measure) and one["limit"] is not None
    ]
    highest = max(one["value"] for one in judged)
    (limits,) = {(one["review"], one["limit"]) for one in judged}
    return [percent(highest), *(f"{limit:g}" for limit in limits)]


def undefined(results: Results, of: str) -> list[str]:
    return digits_in(" ".join(one["reason"] for one in part_of(results, of)["not_measured"]))


def identity(symbol: str):
    def derive(results: Results, of: str) -> list[str]:
        record = part_of(results, of)
        copy = subject(of, 2)
        value = of_copy(record["identity"], copy)[symbol]
        if symbol == "repU" and not value:
            return [whole(record["n_original"]), percent(value), *keys(record)]
        if symbol == "UiS" and copy == "mean":
            return [percent(value), *keys(record)]
        total = record["n_original"]
        if symbol == "UiS":
            total = record["n_synthetic"][int(copy) - 1]
        return [percent(value), people(value, total), whole(total), *keys(record)]

    return derive


def spread(results: Results, of: str) -> list[str]:
    """The lowest and the highest of the copies, looked up in their own rows."""
    record = part_of(results, of)
    _, target, measure = of.split("|")
    rows = record["identity"]
    if target:
        rows = [row for row in record["attribute"] if row["target"] == target]
    values = [row[measure] for row in rows if isinstance(row["copy"], int)]
    return [whole(len(values)), percent(min(values)), percent(max(values))]


def recurring(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    some = [row for row in record["recurrence"] if row["kind"] == "some"]
    total, m = record["n_original"], len(record["recurrence"])
    least, most = min(row["n"] for row in some), max(row["n"] for row in some)
    assert len(some) == m
    counts = [percent(100 * n / total) for n in (least, most)] + [whole(least), whole(most)]
    copies = [whole(m)] if m > 1 else []
    return [*counts, whole(total), *copies, whole(some[0]["n_columns"])]


DERIVED = {
    "identity.pooled": pooled,
    "identity.status": status,
    "identity.undefined": undefined,
    "disclosure/UiO": identity("UiO"),
    "disclosure/UiS": identity("UiS"),
    "disclosure/UiOiS": identity("UiOiS"),
    "disclosure/repU": identity("repU"),
    "disclosure/mean": spread,
    "disclosure/some": recurring,
}
