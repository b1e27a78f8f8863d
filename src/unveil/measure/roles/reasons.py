"""Why is a role proposed? In plain words, with counts of people and without any value."""

from unveil.errors import listed
from unveil.measure.roles.choosing import LEAST_GAIN, Chosen
from unveil.measure.roles.sorting import LEARN, Sorted

KNOWN = {
    "visible": "others see it or find it out",
    "often": "colleagues and friends often know it",
    "sometimes": "some people know it",
}


def of_key(column: Sorted, found: Chosen, n_gained: int) -> str:
    """Why a column is a key."""
    is_alone = not n_gained and column.name == found.names[0]
    gained = "Nobody becomes unique by it alone." if is_alone else _gained(n_gained)
    if found.stop != "given":
        return f"{_topic(column)}: {KNOWN[column.grade or '']}. {gained}"
    is_name = column.look is not None and column.look.is_near_unique
    doubt = " Nearly everyone has a value of their own: is it an identifier?" if is_name else ""
    return f"named by you as a key. {gained}{doubt}"


def of_other(
    column: Sorted, found: Chosen, functions: tuple[str, ...], n_gained: int, n_records: int
) -> str:
    """Why a column is a target, or is left aside as a function of a key."""
    settled = f"a function of {listed(map(repr, functions))}" if functions else ""
    if column.grade in KNOWN:
        if settled:
            return f"{_topic(column)}, but {settled}: it adds {_points(n_gained, n_records)}."
        return f"{_topic(column)}: {_left(column, found, n_gained)}"
    also = f" In these data it is {settled}: the key gives it away." if settled else ""
    if column.grade == "sensitive":
        return f"{_topic(column)}: sensitive, so {LEARN}.{also}"
    if column.topic == "opinion":
        return f"{_topic(column)}: {LEARN}.{also}"
    return f"no word says that others know it: {LEARN}.{also}"


def _left(column: Sorted, found: Chosen, n_gained: int) -> str:
    """Why a candidate became no key."""
    known = KNOWN[column.grade or ""]
    if found.stop == "given":
        return f"{known}, but it is not among your keys. {_gained(n_gained, 'would become')}"
    if found.stop == "most_keys":
        return f"{known}, but there are {len(found.looks)} keys already."
    if column.name == found.stopped_at:
        less = f"less than {LEAST_GAIN:g} % of all"
        return f"{known}, but it adds little. {_gained(n_gained, 'would become', less)}"
    if not n_gained:
        return f"{known}, but nobody more becomes unique by it."
    return f"{known}, but the keys single out enough people without it."


def _gained(count: int, verb: str | None = None, less: str = "") -> str:
    who = "Nobody" if not count else "1 person" if count == 1 else f"{count:,} people"
    does = verb or ("becomes" if count < 2 else "become")
    return f"{who} more {does} unique{f', {less}' if less else ''}."


def _topic(column: Sorted) -> str:
    where = column.said.source if column.said else "name"
    return f"{column.topic} in its {where}"


def _points(count: int, of: int) -> str:
    if not count:
        return "nobody who is unique"
    percent = 100 * count / of
    points = f"{percent:.1f}" if percent >= 0.05 else "less than 0.1"
    return f"{points} points of unique people"
