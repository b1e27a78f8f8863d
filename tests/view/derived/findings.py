"""Numbers of the section on published findings."""

from view.derived.written import Results, digits_in, name, nothing, nth, part_of, whole


def headline(record: dict) -> list[dict]:
    copy = 1 if len(record["n_synthetic"]) == 1 else "combined"
    return [row for row in record["rows"] if row["copy"] == copy]


def sizes(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    m = len(record["n_synthetic"])
    counts = (record["n_original"], *record["n_synthetic"], *([m] if m > 1 else []))
    return [*map(whole, counts), f"{100 * record['level']:g} %"]


def overlaps(results: Results, of: str) -> list[float]:
    rows = headline(part_of(results, of))
    return [row["overlap"] for row in rows if row["overlap"] is not None]


def means(results: Results, of: str) -> list[str]:
    own = overlaps(results, of)
    rows = headline(part_of(results, of))
    far = [abs(z) for row in rows if (z := row["standardised_difference"]) is not None]
    return [f"{sum(own) / len(own):.2f}", f"{sum(far) / len(far):.2f}"]


def half(results: Results, of: str) -> list[str]:
    own = overlaps(results, of)
    return [whole(sum(one >= 0.5 for one in own)), whole(len(own))]


def apart(results: Results, of: str) -> list[str]:
    own = overlaps(results, of)
    return [whole(sum(one < 0 for one in own)), whole(len(own))]


def figure(value: float, unit: str) -> str:
    if unit == "percent":
        return f"{value:.1f} %"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def farthest(results: Results, of: str) -> list[str]:
    rows = [row for row in headline(part_of(results, of)) if row["standardised_difference"]]
    worst = max(rows, key=lambda row: abs(row["standardised_difference"]))
    figures = [figure(worst[side], worst["unit"]) for side in ("original", "synthetic")]
    z = abs(worst["standardised_difference"])
    term = [] if worst["unit"] == "value" else [name(worst["term"])]
    return [*figures, f"{z:.1f}", name(worst["finding"]), *term]


def combined(results: Results, of: str) -> list[str]:
    return digits_in(part_of(results, of)["rule"])


def lost(results: Results, of: str) -> list[str]:
    one = part_of(results, of)["not_measured"][nth(of)]
    several = len(part_of(results, of)["n_synthetic"]) > 1
    copy = [str(one["copy"])] if several and isinstance(one["copy"], int) else []
    named = [name(one["finding"]), name(one["term"] or ""), *copy]
    return [*named, *digits_in(one["reason"])]


DERIVED = {
    "replication/sizes": sizes,
    "replication/none": nothing,
    "replication/means": means,
    "replication/half": half,
    "replication/apart": apart,
    "replication/farthest": farthest,
    "replication/combined": combined,
    "replication/not measured": lost,
}
