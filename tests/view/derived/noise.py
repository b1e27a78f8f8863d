"""Numbers of the section on noise."""

from decimal import ROUND_CEILING, Decimal

from view.derived.written import (
    Results,
    digits_in,
    name,
    nothing,
    nth,
    part_of,
    subject,
    whole,
)


def four(value: float) -> str:
    """Four digits; from a thousand on all those before the point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"


def upwards(value: float) -> str:
    """A probability with four decimals, rounded up so that "at most" is true; 0 and 1 are whole."""
    if value in (0, 1):
        return str(int(value))
    if value > 0.9999:
        return "almost 1"
    exact = Decimal(value)
    digits = max(4, 3 - exact.adjusted())
    up = exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_CEILING)
    near = exact.quantize(Decimal(1).scaleb(-digits))
    # What floating point leaves over is not rounded up.
    shown = near if abs(float(near) - value) <= 1e-7 * value else up
    return format(shown, "f").rstrip("0")


def column_of(results: Results, of: str) -> dict:
    columns = part_of(results, of)["noise"]["columns"]
    return next(one for one in columns if one["column"] == subject(of))


def reason(results: Results, of: str) -> dict:
    reasons = part_of(results, of)["reasons"]
    return next(one for one in reasons if one["column"] == subject(of))


def added(results: Results, of: str) -> list[str]:
    column = column_of(results, of)
    return [four(column["sigma"]), name(column["column"])]


def named(results: Results, of: str) -> list[str]:
    return [name(subject(of))]


def above(results: Results, of: str) -> list[str]:
    ecap = reason(results, of)["ecap"]
    return [whole(ecap["n_above"]), f"{ecap['threshold']:g}"]


def claim(results: Results, of: str) -> list[str]:
    worst = reason(results, of)["ecap"]["worst"]
    return [] if worst is None else [upwards(worst)]


def limit(results: Results, of: str) -> list[str]:
    return [four(reason(results, of)["ecap"]["limit"])]


def values(results: Results, of: str) -> list[str]:
    ecap = reason(results, of)["ecap"]
    missing = [whole(ecap["n_missing"])] if ecap["n_missing"] else []
    counts = (ecap[one] for one in ("n_values", "n_distinct", "N", "n"))
    return [*map(whole, counts), *missing, *digits_in(ecap["population"])]


def moved(results: Results, of: str) -> list[str]:
    column = column_of(results, of)
    far = column["displacement"]
    counts = [whole(column["n_changed"]), whole(column["n_values"])]
    return [*counts, four(far["mean_absolute"]), four(far["largest"]), name(column["column"])]


def kept(results: Results, of: str) -> list[str]:
    column = column_of(results, of)
    counts = (column["n_missing"], column["n_codes"])
    return [*(whole(n) for n in counts if n), name(column["column"])]


def redrawn(results: Results, of: str) -> list[str]:
    column = column_of(results, of)
    return [whole(column["n_redrawn"]), name(column["column"])]


def clipped(results: Results, of: str) -> list[str]:
    column = column_of(results, of)
    ends = [format(Decimal(repr(column[end])).normalize(), "f") for end in ("lowest", "highest")
            if column[end] is not None]  # fmt: skip
    return [whole(column["n_clipped"]), *ends, name(column["column"])]


def not_needed(results: Results, of: str) -> list[str]:
    one = part_of(results, of)["noise"]["not_needed"][nth(of)]
    return [name(one["column"]), *digits_in(one["reason"])]


def undeclared(results: Results, of: str) -> list[str]:
    return [name(column) for column in part_of(results, of)["noise"]["undeclared"]]


def warning(results: Results, of: str) -> list[str]:
    return digits_in(part_of(results, of)["noise"]["warnings"][nth(of)])


def unneeded(results: Results, of: str) -> list[str]:
    return [f"{reason(results, of)['choice']['threshold']:g}"]


def status(results: Results, of: str) -> list[str]:
    figures = results["contents"]["judgement"]["figures"]
    own = [one for one in figures if one["measure"] == "ECAP" and one["subject"] == subject(of)]
    return [f"{own[0]['limit']:g}", name(subject(of))]


DERIVED = {
    "noise.added": added,
    "noise.zero": named,
    "noise.unneeded": unneeded,
    "noise.status": status,
    "noise.undone": named,
    "noise.above": above,
    "noise.no population": named,
    "noise.none": nothing,
    "noise.public": nothing,
    "noise.warning": warning,
    "ecap/confidential": nothing,
    "ecap/claim": claim,
    "ecap/limit": limit,
    "ecap/values": values,
    "noise/moved": moved,
    "noise/kept": kept,
    "noise/redrawn": redrawn,
    "noise/clipped": clipped,
    "noise/not needed": not_needed,
    "noise/undeclared": undeclared,
}
