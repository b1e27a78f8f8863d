"""Numbers of the section on uniques: Elliot, Manning and Ford 2002; Franconi and Polettini 2004."""

from view.derived.written import (
    Results,
    digits_in,
    name,
    part_of,
    percent,
    subject,
    whole,
)

WORDS = 10  # numbers below this are written as words


def figure(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) else f"{value:,.3g}"


def alone(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    keys = [name(key) for key in record["keys"]]
    n, total = record["n_uniques"], record["n_records"]
    if not n:
        return keys
    return [percent(100 * n / total), whole(n), whole(total), *keys]


def sizes(results: Results, of: str) -> list[str]:
    rows = [row for row in part_of(results, of)["sizes"] if row["n_records"]]
    many = [str(row["size"]) for row in rows if row["size"] >= WORDS]
    return [*many, *(whole(row["n_records"]) for row in rows)]


def dis(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    if record["dis_file"] is None:
        return digits_in(next(o["reason"] for o in record["not_measured"]))
    return [percent(100 * record["dis_file"]), percent(100 * record["dis_fraction"])]


def special(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    shown = [whole(record["n_special"]), figure(record["special_threshold"])]
    shown.append(percent(100 * (1 - record["quantile"])))
    if record["dis_highest"] is None:
        return [*shown, *digits_in(record["not_measured"][-1]["reason"])]
    return [*shown, percent(100 * record["dis_highest"])]


def unscored(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    most = record["max_msu"]
    searched = [whole(most)] if most is not None and most < len(record["keys"]) else []
    return [whole(record["n_uniques"] - record["n_scored"]), *searched]


def key(results: Results, of: str) -> list[str]:
    most = max(part_of(results, of)["contributions"], key=lambda row: row["percent"])
    return [name(most["key"]), percent(most["percent"])]


def anonymity(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    k = int(subject(of).removeprefix("k = "))
    n, total = next(row["n"] for row in record["anonymity"] if row["k"] == k), record["n_records"]
    return [percent(100 * n / total), whole(n), whole(total)]


def safe(results: Results, of: str) -> list[str]:
    assert not any(row["n"] for row in part_of(results, of)["anonymity"])
    return []


def expected(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    n, total = record["expected_reidentifications"], record["n_records"]
    shown = f"{n:,.0f}" if n >= 10 else f"{n:.1f}" if n >= 0.05 else "0.1"
    weights = [name(record["weights"])] if record["weights"] else []
    return [shown, whole(total), percent(100 * n / total), *weights]


def above(results: Results, of: str) -> list[str]:
    (row,) = (one for one in part_of(results, of)["risks"] if one["above"] == 0.1)
    return [whole(row["n"]), percent(100 * row["above"])]


def diversity(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    (row,) = (one for one in record["diversity"] if one["kind"] == "distinct")
    n, total = row["n_below_2"], record["n_records"]
    own = [name(record["sensitive"])]
    return [*own, percent(100 * n / total), whole(n), whole(total)] if n else own


DERIVED = {
    "uniques/uniques": alone,
    "uniques/sizes": sizes,
    "uniques/DIS": dis,
    "uniques/special": special,
    "uniques/unscored": unscored,
    "uniques/key": key,
    "match risk/anonymity": anonymity,
    "match risk/no anonymity": safe,
    "match risk/risk": expected,
    "match risk/above": above,
    "match risk/diversity": diversity,
}
