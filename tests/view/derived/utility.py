"""Numbers of the section on utility."""

from statistics import median

from view.derived.written import (
    Results,
    digits_in,
    name,
    nothing,
    nth,
    part_of,
    percent,
    subject,
    two,
    whole,
)

MOST_IN_MAP = 24
MOST_IN_DIFFERENCE = 30
MOST_BARS = 24


def row_of(results: Results, of: str) -> dict:
    rows = part_of(results, of)["rows"]
    return next(row for row in rows if row["copy"] == int(subject(of)))


def worst_row(results: Results, of: str) -> dict:
    rows = part_of(results, of)["rows"]
    row = max(rows, key=lambda one: (one["S_pMSE"] or 0, one["pMSE"]))
    assert row == row_of(results, of)
    return row


def times(results: Results, of: str) -> list[str]:
    return [two(worst_row(results, of)["S_pMSE"])]


def several(results: Results, of: str) -> list[str]:
    return [whole(len(part_of(results, of)["rows"]))]


def why(results: Results, of: str) -> list[str]:
    lost = part_of(results, of)["not_measured"]
    return [number for one in lost for number in digits_in(one["reason"])]


def sizes(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    m = len(record["n_synthetic"])
    copies = record["n_synthetic"][0] if m == 1 else m
    return [whole(n) for n in (record["n_original"], copies, len(record["columns"]))]


def model(results: Results, of: str) -> list[str]:
    row = row_of(results, of)
    return [whole(row["df"] if row["model"] == "logit" else row["n_leaves"])]


def against_chance(results: Results, of: str) -> list[str]:
    row = row_of(results, of)
    error = [two(row["S_pMSE_error"]), whole(row["n_permutations"] or 0)]
    return [two(row["S_pMSE"]), *(error if row["S_pMSE_error"] else [])]


def by_pairs(results: Results, of: str) -> list[str]:
    return [two(row_of(results, of)["S_pMSE_pairs"])]


def assigned(results: Results, of: str) -> list[str]:
    return [percent(50 + row_of(results, of)["PO50"])]


def ranked(results: Results, of: str) -> list[dict]:
    """Tables of the copy that has the highest, the highest first."""
    rows = [row for row in part_of(results, of)["rows"] if row["S_pMSE"] is not None]
    worst = max(rows, key=lambda row: row["S_pMSE"])
    if "|" in of:
        assert worst["copy"] == int(subject(of))
    own = [row for row in rows if row["copy"] == worst["copy"]]
    return sorted(own, key=lambda row: -row["S_pMSE"])


def worst_pair(results: Results, of: str) -> list[str]:
    first = ranked(results, of)[0]
    return [two(first["S_pMSE"]), *map(name, first["variables"])]


def counted(results: Results, of: str) -> list[str]:
    values = [row["S_pMSE"] for row in ranked(results, of)]
    n_columns = len(part_of(results, of)["variables"])
    below = sum(value < 3 for value in values)
    above = sum(value > 10 for value in values)
    return [whole(n) for n in (len(values), n_columns, below, above)]


def middle(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    values = [row["S_pMSE"] for row in ranked(results, of)]
    n = record["n_synthetic"][int(subject(of)) - 1]
    return [two(median(values)), two(1 + n / record["n_original"])]


def variable(results: Results, of: str) -> list[str]:
    """The mean over all tables that a column is in."""
    rows = ranked(results, of)
    means = {}
    for column in part_of(results, of)["variables"]:
        own = [row["S_pMSE"] for row in rows if column in row["variables"]]
        if own:
            means[column] = sum(own) / len(own)
    worst = max(means, key=lambda column: means[column])
    return [two(means[worst]), name(worst)]


def one_cell(results: Results, of: str) -> list[str]:
    rows = [row for row in part_of(results, of)["rows"] if row["copy"] == int(subject(of))]
    return [whole(sum(row["S_pMSE"] is None for row in rows))]


def some_columns(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    if "variables" not in record:
        return [whole(MOST_IN_DIFFERENCE), whole(len(record["columns"]))]
    rows = ranked(results, of)
    copy = rows[0]["copy"]
    scores = [one["variable"] for one in record["scores"] if one["copy"] == copy]
    shown = {*scores[:MOST_IN_MAP], *rows[0]["variables"]}
    return [whole(len(shown)), whole(len(record["variables"]))]


def headline(record: dict) -> str | int:
    return 1 if len(record["n_synthetic"]) == 1 else "mean"


def compared_sizes(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    counts = (len(record["columns"]), record["n_original"], *record["n_synthetic"])
    return [*map(whole, counts), *copies(record)]


def copies(record: dict) -> list[str]:
    """How many, where they are not one."""
    m = len(record["n_synthetic"])
    return [whole(m)] if m > 1 else []


def distances(record: dict) -> dict[str, float]:
    rows = [row for row in record["rows"] if row["copy"] == headline(record)]
    return {row["column"]: row["total_variation"] or 0.0 for row in rows}


def worst_column(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    far = distances(record)
    worst = max(far, key=lambda column: far[column])
    share = [percent(100 * far[worst]), name(worst)] if far[worst] else []
    return [*share, *copies(record)]


def column(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    own = name(subject(of))
    far = distances(record)[subject(of)]
    share = [percent(100 * far)] if far else []
    return [*share, own]


def more_columns(results: Results, of: str) -> list[str]:
    return [whole(len(distances(part_of(results, of))) - MOST_BARS)]


def association(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    rows = [
        row
        for row in record["associations"]
        if row["copy"] == headline(record) and row["difference"] is not None
    ]
    if not rows or not any(row["difference"] for row in rows):
        return []
    far = max(abs(row["difference"]) for row in rows)
    row = record["most_changed"]
    assert abs(row["difference"]) == far
    shown = [three(row["original"]), three(row["synthetic"])]
    return [*shown, name(row["a"]), name(row["b"]), *copies(record)]


def three(value: float) -> str:
    if value and abs(value) < 0.0005:
        return "0.001"
    return f"{value:.3f}" if value else "0"


def built(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    counts = (len(record["rows"]), record["n_alike"], record["n_variables_original"])
    return [*(map(whole, counts) if record["rows"] else ()), *map(name, record["files"])]


def all_alike(results: Results, of: str) -> list[str]:
    """The names of the files, of which none differs."""
    names = [name(part_of(results, of)["files"][0])]
    for part, record in results["parts"].items():
        if part.startswith("structure") and not record["rows"]:
            names.append(name(record["files"][1]))
    return names


def axes_of(results: Results, of: str) -> dict:
    """A projection of its own, or that of the rows which a filter was shown first."""
    record = part_of(results, of)
    return record.get("projection") or record


def explained(results: Results, of: str) -> list[str]:
    record = axes_of(results, of)
    first, second = (100 * one["explained"] for one in record["components"])
    n_columns = len(record["columns"])
    return [percent(first + second), percent(first), percent(second), whole(n_columns)]


def some_records(results: Results, of: str) -> list[str]:
    return [whole(axes_of(results, of)["n_fitted"])]


def place(results: Results, of: str) -> list[str]:
    original, *others = axes_of(results, of)["rows"]
    copies = [row for row in others if row["mark"] is None and row["mean_1"] is not None]
    row = copies[nth(of)]
    apart = [
        abs(row[f"mean_{axis}"] - original[f"mean_{axis}"]) / original[f"sd_{axis}"]
        for axis in (1, 2)
    ]
    return [str(row["copy"]), *(f"{one:.2f}" for one in apart)]


def unplaced(results: Results, of: str) -> list[str]:
    rows = [row for row in axes_of(results, of)["rows"] if row["n_unplaced"] and not row["mark"]]
    row = rows[nth(of)]
    return [whole(row["n_unplaced"]), str(row["copy"] or "")]


def marks(results: Results, of: str) -> list[str]:
    rows = axes_of(results, of)["rows"]
    kept = [row for row in rows if row["mark"] == "retained"][nth(of)]
    gone = next(r for r in rows if r["mark"] == "filtered" and r["copy"] == kept["copy"])
    return [whole(kept["n"]), whole(gone["n"]), str(kept["copy"])]


def left_out(results: Results, of: str) -> list[str]:
    one = axes_of(results, of)["dropped_columns"][nth(of)]
    return [name(one["column"]), *digits_in(one["reason"])]


def warning(results: Results, of: str) -> list[str]:
    return digits_in(part_of(results, of)["warnings"][nth(of)])


DERIVED = {
    "utility page/times": times,
    "utility page/several": several,
    "utility page/not measured": why,
    "utility/sizes": sizes,
    "utility/tree": model,
    "utility/no tree": nothing,
    "utility/logit": model,
    "utility/S": against_chance,
    "utility/no S": why,
    "utility/sizes differ": nothing,
    "utility/pairs": by_pairs,
    "utility/PO50": assigned,
    "utility/separated": nothing,
    "utility/separated by a tree": nothing,
    "utility.worst pair": worst_pair,
    "utility.some": some_columns,
    "utility.column": column,
    "utility.alike": column,
    "utility.warning": warning,
    "utility.more columns": more_columns,
    "utility.nothing": nothing,
    "pair tables/none": nothing,
    "pair tables/tables": counted,
    "pair tables/median": middle,
    "pair tables/worst": worst_pair,
    "pair tables/variable": variable,
    "pair tables/one cell": one_cell,
    "comparison/sizes": compared_sizes,
    "comparison/column": worst_column,
    "comparison/association": association,
    "projection/explained": explained,
    "projection/some": some_records,
    "projection/place": place,
    "projection/unplaced": unplaced,
    "projection/marks": marks,
    "projection/dropped": left_out,
    "codebook/built alike": built,
    "utility.built alike": all_alike,
    "codebook/built otherwise": built,
}
