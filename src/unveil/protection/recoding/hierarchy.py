"""Which level goes into which, where a hierarchy says whose parent is whose?"""

from collections.abc import Iterator, Mapping

from unveil.errors import SettingsError, quoted


def refuse_cycles(parents: Mapping[str, str]) -> None:
    """Refuse a hierarchy in which a level is its own ancestor."""
    settled: set[str] = set()
    for start in parents:
        chain: dict[str, None] = {}
        level = start
        while level in parents and level not in settled:
            if level in chain:
                raise SettingsError(
                    f"hierarchy goes round in a circle: {quoted(level)} is its own ancestor. Give"
                    " every level a parent above it."
                )
            chain[level] = None
            level = parents[level]
        settled |= set(chain)


def to_the_top(parents: Mapping[str, str]) -> dict[str, str]:
    """Every level with the last of its ancestors."""
    tops: dict[str, str] = {}
    for level in _parents_first(parents):
        parent = parents[level]
        tops[level] = tops.get(parent, parent)
    return tops


def while_rare(
    parents: Mapping[str, str], counts: Mapping[str, int], below: int
) -> tuple[dict[str, str], dict[str, int]]:
    """Where each level ends that climbs as long as it is rare; and how many records each has then.

    Notes
    -----
    Children climb before their parents are looked at, so that a parent whose children joined it
    counts with them, and no level climbs that they made frequent enough.
    """
    held = dict(counts)
    climbed = {}
    for level in reversed(list(_parents_first(parents))):
        n = held.get(level, 0)
        if 0 < n < below:
            climbed[level] = parents[level]
            held[parents[level]] = held.get(parents[level], 0) + n
            held[level] = 0
    return to_the_top(climbed), held


def _parents_first(parents: Mapping[str, str]) -> Iterator[str]:
    """Every level that has a parent, after all of its ancestors."""
    done: set[str] = set()
    for start in parents:
        chain = []
        level = start
        while level in parents and level not in done:
            chain.append(level)
            done.add(level)
            level = parents[level]
        yield from reversed(chain)
