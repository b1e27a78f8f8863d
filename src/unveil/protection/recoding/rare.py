"""Rare levels: which of them might be merged, and into what?"""

from collections.abc import Iterator, Mapping

from unveil.protection.recoding.levels import Levels
from unveil.read.band_labels import counted
from unveil.records.recoding import Drop, MergeRare, Step

RARE = 10  # records
SMALL = 0.05  # share of records up to which the next level may join those that are rare
OTHERS = ("other", "others", "another", "other answer", "something else")


def rare_levels(levels: Levels, counts: Mapping[str, int]) -> Iterator[tuple[Step, str]]:
    """Rare levels merged under a name for others; a column of nothing else dropped.

    One rare level alone would only be renamed: the next rarest ones join it, where they are small,
    until together they are not rare any more. Where that cannot be, nothing is proposed.
    """
    name = levels.column.name
    rare = [n for n in counts.values() if n < RARE]
    if not rare:
        return
    if len(rare) == len(counts):
        reason = f"None of {counted(len(rare), 'level')} has {RARE} records: each points at people."
        yield Drop(column=name), reason
        return
    present = _present_other(levels, counts)
    group = _group({level: n for level, n in counts.items() if level != present}, counts, present)
    if not group:
        return
    have = "has" if len(rare) == 1 else "have"
    n_joined = len(group) - sum(n < RARE for level, n in counts.items() if level != present)
    joined = f" {counted(n_joined, 'small level')} may join." if n_joined > 0 else ""
    reason = (
        f"{counted(len(rare), 'level')} of {len(counts):,} {have} fewer than {RARE} records,"
        f" {sum(rare):,} together: rare answers point at people.{joined}"
    )
    into = levels.named(present) if present is not None else next(_free_names(levels))
    yield MergeRare(column=name, below=max(RARE, group[-1] + 1), into=into), reason


def _present_other(levels: Levels, counts: Mapping[str, int]) -> str | None:
    """The level that holds other answers already, where there is one of them alone."""
    found = [
        level for level in counts if levels.labels.get(level, level).strip().casefold() in OTHERS
    ]
    return found[0] if len(found) == 1 else None


def _group(others: Mapping[str, int], counts: Mapping[str, int], present: str | None) -> list[int]:
    """The counts of the levels to be merged, from low to high; none where it would not help."""
    most = SMALL * sum(counts.values())
    held = 0 if present is None else counts[present]
    group: list[int] = []
    for n in sorted(others.values()):
        is_enough = held + sum(group) >= RARE and (present is not None or len(group) > 1)
        if n >= RARE and (is_enough or n > most):
            break
        group.append(n)
    # What has as many records as the last of the group would go with it.
    while group and sum(n <= group[-1] for n in others.values()) > len(group):
        group.append(group[-1])
    is_helpful = len(group) > (present is None) and len(group) < len(others)
    return group if is_helpful else []


def _free_names(levels: Levels) -> Iterator[str]:
    taken = {name.strip().casefold() for name in (*levels.known, *levels.labels.values())}
    number = 1
    while True:
        name = "other" if number == 1 else f"other {number}"
        if name not in taken:
            yield name
        number += 1
