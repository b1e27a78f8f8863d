"""Which columns are to be read, and does the table have them?"""

from collections.abc import Sequence

from unveil.errors import ReadError, RolesError
from unveil.read.roles import absent


def choose(names: Sequence[str], columns: Sequence[str] | None, place: str) -> list[str]:
    """The columns to read, each once: those asked for, in that order, or all there are."""
    if not names:
        raise ReadError(f"{place} has no columns. Check that it is the file or frame you meant.")
    _refuse_twins(names, place)
    if not columns:
        return list(names)
    wanted = list(dict.fromkeys(columns))
    faults = [absent(place, name, names) for name in wanted if name not in names]
    if faults:
        raise RolesError("\n".join(faults))
    return wanted


def _refuse_twins(names: Sequence[str], place: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise RolesError(
                f"{place} has more than one column {name!r}. Give each column a name of its own."
            )
        seen.add(name)


def has_pattern(names: Sequence[str]) -> bool:
    """Whether polars would take one of these names, exact as they are, for a pattern of names."""
    return any(name == "*" or (name.startswith("^") and name.endswith("$")) for name in names)
