"""Numbers of the section on GTCAP: Chapelle and Falissard 2023, Algorithm 2."""

from view.derived.leakage import ratio
from view.derived.written import Results, name, nothing, part_of, percent, whole


def names(record: dict) -> list[str]:
    return [name(one) for one in (*record["keys"], *record["target"])]


def sizes(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    m = len(record["n_synthetic"])
    counts = [record["n_original"], *record["n_synthetic"]]
    radii = [f"{one['radius']:.15g}" for one in record["radii"]]
    return [*map(whole, counts), *([whole(m)] if m > 1 else []), *radii, *names(record)]


def uniques(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    n, total = record["n_unique"], record["n_original"]
    return [whole(n), whole(total), percent(100 * n / total)]


def scale(results: Results, of: str) -> list[str]:
    return [ratio(part_of(results, of)["mean"])]


def means(results: Results, of: str) -> list[str]:
    """The three means over all uniques, and where the copy stands between the other two."""
    record = part_of(results, of)
    copy = 1 if len(record["n_synthetic"]) == 1 else "pooled"
    row = next(one for one in record["copies"] if one["copy"] == copy)
    fields = ("mean_synthetic", "mean_original", "mean_baseline")
    synthetic, original, baseline = (row[field] for field in fields)
    shares = [percent(100 * value) for value in (synthetic, original, baseline)]
    if row["ratio_of_means"] is None:
        return shares
    between = (synthetic - baseline) / (original - baseline)
    assert abs(between - row["ratio_of_means"]) < 1e-9
    return [*shares, ratio(between)]


def count(field: str):
    def derive(results: Results, of: str) -> list[str]:
        return [whole(part_of(results, of)[field])]

    return derive


def dilution(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    return [str(sum(one["column"] in record["keys"] for one in record["radii"])), "1"]


DERIVED = {
    "gtcap/sizes": sizes,
    "gtcap/uniques": uniques,
    "gtcap/scale": scale,
    "gtcap/means": means,
    "gtcap/means without scale": means,
    "gtcap/unmatched": count("n_unmatched"),
    "gtcap/dropped": count("n_dropped"),
    "gtcap/swing": nothing,
    "gtcap/dilution": dilution,
    "gtcap/none": nothing,
    "gtcap/no scale": nothing,
}
