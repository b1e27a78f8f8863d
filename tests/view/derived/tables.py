"""Numbers of the section on published tables."""

from fractions import Fraction
from math import ceil, floor

from view.derived.written import Results, digits_in, name, nothing, nth, part_of, whole

USUAL = 0.05
TOLD = 3


def table(of: str) -> str:
    part = of.split("|", maxsplit=1)[0]
    return name(part.removeprefix("sap "))


def first(results: Results, of: str) -> list[str]:
    """The table that comes first in `of` has the lowest start of them all."""
    starts = [results["parts"][part]["first_risk"] for part in of.split("|")]
    assert starts[0] == min(start for start in starts if start is not None)
    several = [whole(len(starts))] if len(starts) > 1 else []
    return [whole(starts[0]), *several, table(of)]


def named(results: Results, of: str) -> list[str]:
    return [table(of)]


def looked(results: Results, of: str) -> list[str]:
    return [whole(part_of(results, of)["n"][-1])]


def published(results: Results, of: str) -> list[str]:
    told = part_of(results, of)["schemes"]
    return [text for pair in told for part in pair for text in part.split(",")]


def note(results: Results, of: str) -> list[str]:
    return digits_in(part_of(results, of)["notes"][nth(of)])


def threshold(results: Results) -> float:
    limits = results["contents"]["judgement"]["limits"]
    return next((one["limit"] for one in limits if one["measure"] == "SAP"), USUAL)


def leaves_zero(lower: list[float], upper: list[float]) -> list[str]:
    start = next((n for n, low in enumerate(lower) if low > 0), None)
    if start is None:
        return [whole(len(lower) - 1), *(["0"] if upper[-1] == 0 else [])]
    is_sure = start > 0 and upper[start - 1] == 0
    return [whole(start), *(["0"] if is_sure else [])]


def starts(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    if record["first_risk"] == 0:
        return ["1"]  # SAP is 1 for every n
    return leaves_zero(record["lower"], record["upper"])


def passes(results: Results, of: str) -> list[str]:
    record, limit = part_of(results, of), threshold(results)
    surely, perhaps = (
        next((n for n, value in enumerate(record[side]) if value > limit), None)
        for side in ("lower", "upper")
    )
    last = len(record["lower"]) - 1
    if perhaps is None:
        numbers = [last]
    elif surely is None:
        numbers = [last, perhaps]
    else:
        numbers = [surely] if surely == perhaps else [surely, perhaps]
    return [*map(whole, numbers), f"{limit:g}"]


def bounds(record: dict, n: int) -> tuple[Fraction, Fraction]:
    exact = record["exact"][n]
    if exact is not None:
        return Fraction(exact), Fraction(exact)
    return Fraction(record["lower"][n]), Fraction(record["upper"][n])


def probability(value: Fraction) -> str:
    if value in (0, 1):
        return str(int(value))
    shown = f"{float(value):.3f}"
    return {"0.000": "less than 0.001", "1.000": "more than 0.999"}.get(shown, shown)


def spanned(low: Fraction, high: Fraction) -> list[str]:
    """One figure, or two rounded outwards."""
    if probability(low) == probability(high) or high - low < Fraction(1, 10**6):
        return [probability(high)]
    below, above = floor(low * 1000), ceil(high * 1000)
    return [f"{below / 1000:.3f}" if below else "0", f"{above / 1000:.3f}" if above < 1000 else "1"]


def told_at(record: dict, limit: float) -> list[int]:
    """Which n are spoken of: the start, the threshold, the last, the even chance; three of them."""
    left = [n for n in record["n"] if n < record["N"]] or [record["n"][-1]]
    if record["upper"][-1] == 0:
        return left[-1:]
    crossed = [
        next((n for n in record["n"] if record["lower"][n] > value), None) for value in (limit, 0.5)
    ]
    wanted = [record["first_risk"], crossed[0], left[-1], crossed[1]]
    order = dict.fromkeys([*(n for n in wanted if n in left), *left[1:], *left])
    return sorted(list(order)[:TOLD])


def known(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    n = told_at(record, threshold(results))[nth(of)]
    low, high = bounds(record, n)
    given = [text for pair in record["given"] for text in pair]
    span = [] if low == high and low in (0, 1) else spanned(low, high)
    depth = [] if record["depth"] is None else [whole(record["depth"])]
    return [*([whole(n)] if n else []), whole(record["N"]), *span, *given, *depth]


def exposed(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    return [whole(len(record["exposed"])), whole(len(record["cell_bounds"]))]


def stated(results: Results, of: str) -> list[str]:
    return [text for who, n in part_of(results, of)["known"] for text in (name(who), whole(n))]


def depth(results: Results, of: str) -> list[str]:
    one = part_of(results, of)["by_depth"][nth(of)]
    return [whole(one["depth"]), *leaves_zero(one["lower"], one["upper"])]


def boxes(results: Results, of: str) -> list[str]:
    n = part_of(results, of)["n_nodes"]
    return [] if n is None else [whole(n)]


def simulated(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    useful = [one for one in record["monte_carlo"] if one["tighter"]]
    one = max(useful, key=lambda one: record["upper"][one["n"]] - record["lower"][one["n"]])
    counts = [whole(one["n_draws"]), whole(one["n"])]
    span = spanned(Fraction(one["lower"]), Fraction(one["upper"]))
    return [*counts, probability(Fraction(one["estimate"])), *span, "95 %"]


def taught(results: Results, of: str) -> list[str]:
    record = part_of(results, of)["taught"]
    if record is None:
        return []
    kinds = ("settles", "rules_out_level", "combination_only")
    counts = [record["n_recovered"], *(record[kind] for kind in kinds if record[kind])]
    people = [record["n_people_settled"]] if record["settles"] else []
    lesson = record["lessons"][:1]
    said = [text for one in lesson for text in (name(one["cell"]), *map(name, one["variables"]))]
    return [*map(whole, (*counts, *people)), *said]


def everybody(results: Results, of: str) -> list[str]:
    return [whole(part_of(results, of)["N"])]


DERIVED = {
    "tables.first": first,
    "tables.by itself": named,
    "tables.no risk": looked,
    "tables.published": published,
    "tables.note": note,
    "sap/starts": starts,
    "sap/passes": passes,
    "sap/sap": known,
    "sap/exposed": exposed,
    "sap/sample": nothing,
    "sap/known": stated,
    "sap/depth": depth,
    "sap/certified": boxes,
    "sap/simulated": simulated,
    "sap/taught": taught,
    "sap/everybody": everybody,
}
