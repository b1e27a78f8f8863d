"""Numbers of the section on the distance filter."""

from view.derived.written import (
    Results,
    digits_in,
    name,
    nothing,
    nth,
    part_of,
    percent,
    whole,
)


def refill(results: Results, of: str) -> dict:
    return part_of(results, of)["refill"]


def removed(results: Results, of: str) -> list[str]:
    """All that were refused; of those retained, where more passed than were needed."""
    record = refill(results, of)
    drawn = sum(one["drawn"] for one in record["rounds"])
    passed = sum(one["kept"] for one in record["rounds"])
    more = [passed, passed - record["n_rows"]] if passed > record["n_rows"] else []
    return [whole(n) for n in (drawn - passed, drawn, *more)]


def wanting(results: Results, of: str) -> list[str]:
    record = refill(results, of)
    drawn = sum(one["drawn"] for one in record["rounds"])
    n = sum(one["drawn"] - one["kept"] for one in record["rounds"])
    lacking = record["rows_wanted"] - record["n_rows"]
    return [whole(one) for one in (n, drawn, lacking, record["rows_wanted"])]


def shift(results: Results, of: str) -> list[str]:
    rows = [one for one in refill(results, of)["shifts"] if one["difference"] is not None]
    most = max(rows, key=lambda one: abs(one["difference"]))
    return [f"{most['difference']:+.2f}", name(most["column"])]


def warning(results: Results, of: str) -> list[str]:
    return digits_in(refill(results, of)["warnings"][nth(of)])


def paper(results: Results, of: str) -> list[str]:
    record = refill(results, of)
    share = record["n_refused_by_strict"] / record["n_rows"]
    return [whole(record["n_refused_by_strict"]), percent(100 * share)]


def unfiltered(results: Results, of: str) -> list[str]:
    record = refill(results, of)
    drawn = sum(one["drawn"] for one in record["rounds"])
    kept = sum(one["kept"] for one in record["rounds"])
    return [f"{record['n_rows'] * (1 - kept / drawn):,.0f}"]


def dropped(results: Results, of: str) -> list[str]:
    return digits_in(refill(results, of)["dropped_columns"][nth(of)]["sentence"])


DERIVED = {
    "filter.replaced": removed,
    "filter.wanting": wanting,
    "filter.no filter": nothing,
    "filter.shift": shift,
    "filter.warning": warning,
    "distance filter/paper": paper,
    "distance filter/strict": nothing,
    "distance filter/unfiltered": unfiltered,
    "distance filter/selected": nothing,
    "distance filter/dropped": dropped,
}
