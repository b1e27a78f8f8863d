"""Levels merged: rare ones into one, or into their parents, or those that are named."""

from collections import Counter
from collections.abc import Iterator, Mapping

from unveil.errors import SettingsError, quote_text
from unveil.protection.recoding.column import Change, RecodedColumn, records, were
from unveil.protection.recoding.levels import RecodeLevels
from unveil.records.recoding import LevelName, Merge, MergeRare
from unveil.study.band_spec import format_n

# Which level goes into which, where a hierarchy says whose parent is whose?


def check_cycles(parents: Mapping[str, str]) -> None:
    """Refuse a hierarchy in which a level is its own ancestor."""
    settled: set[str] = set()
    for start in parents:
        chain: dict[str, None] = {}
        level = start
        while level in parents and level not in settled:
            if level in chain:
                raise SettingsError(
                    f"hierarchy goes round in a circle: {quote_text(level)} is its own ancestor."
                    " Give every level a parent above it."
                )
            chain[level] = None
            level = parents[level]
        settled |= set(chain)


def climb_hierarchy(parents: Mapping[str, str]) -> dict[str, str]:
    """Every level with the last of its ancestors."""
    tops: dict[str, str] = {}
    for level in _parents_first(parents):
        parent = parents[level]
        tops[level] = tops.get(parent, parent)
    return tops


def climb_while_rare(
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
    return climb_hierarchy(climbed), held


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


def merge_levels(step: Merge, column: RecodedColumn) -> Change:
    """The levels that are named, as one."""
    levels = RecodeLevels(column)
    levels.check_known(step.levels, "which is to be merged")
    target = levels.find_level(step.into)
    into = {levels.find_level(one): target for one in step.levels}
    sides, declared = levels.merge(into)
    n_levels = format_n(len(into), "level")

    def describe(n: int) -> str:
        done = f"{were(len(into))} merged into {_format_level(step.into)}."
        return f"Column {column.name!r}: {n_levels} ({records(n)}) {done}"

    return Change(describe, sides, declared=declared)


def merge_rare(step: MergeRare, column: RecodedColumn) -> Change:
    """Levels that few records have, as one level or as their parents."""
    levels = RecodeLevels(column)
    apart = levels.no_answers | {levels.find_level(code) for code in step.special_codes}
    counts = {level: n for level, n in levels.counts.items() if level not in apart}
    if step.hierarchy:
        into, held = _climb(step, levels, counts)
    else:
        into, held = _into_one(step, levels, counts)
    _check_no_answer(column, into, apart)
    sides, declared = levels.merge(into)
    n_left = sum(0 < n < (step.below or 0) for n in held.values())
    gone = [level for level in into if counts.get(level)]
    # What nobody of the data has is nobody's rare answer, but it stands in the copy.
    n_unknown = len(levels.only_in_copy - apart - set(into) - set(into.values()))

    def describe(n: int) -> str:
        left = f"{_still_rare(step, n_left)}{_unknown_sentence(n_unknown)}"
        return f"Column {column.name!r}: {_what(step, len(gone), n)}{left}"

    return Change(describe, sides, declared=declared, fixed=_fix_levels(step, levels, into))


def _check_no_answer(column: RecodedColumn, into: Mapping[str, str], apart: set[str]) -> None:
    if apart & set(into.values()):
        raise SettingsError(
            f"levels of column {column.name!r} would be merged into one that stands for a"
            " missing value. Name another level."
        )


def _fix_levels(
    step: MergeRare, levels: RecodeLevels, into: Mapping[str, str]
) -> tuple[Merge, ...]:
    """The levels that were merged, by name."""
    merged: dict[str, list[LevelName]] = {}
    for level, target in into.items():
        if level != target:
            merged.setdefault(target, []).append(levels.name_level(level))
    return tuple(
        Merge(column=step.column, levels=tuple(found), into=levels.name_level(target))
        for target, found in merged.items()
    )


def _into_one(
    step: MergeRare, levels: RecodeLevels, counts: Mapping[str, int]
) -> tuple[dict[str, str], dict[str, int]]:
    target = levels.find_level(step.into if step.into is not None else "")
    rare = [level for level, n in counts.items() if n < (step.below or 0) and level != target]
    held = Counter(counts)
    for level in rare:
        held[target] += held.pop(level)
    return dict.fromkeys(rare, target), dict(held)


def _climb(
    step: MergeRare, levels: RecodeLevels, counts: Mapping[str, int]
) -> tuple[dict[str, str], dict[str, int]]:
    parents = {child: parent for child, parent in step.hierarchy}
    grown = set(parents.values())
    unknown = [child for child in parents if child not in grown]
    levels.check_known(unknown, "which the hierarchy names as a child")
    by_code = {
        levels.find_level(child): levels.find_level(parent) for child, parent in parents.items()
    }
    check_cycles(by_code)  # a code and its label may be two names of one level
    if not step.always:
        return climb_while_rare(by_code, counts, step.below or 0)
    held = Counter[str]()
    tops = climb_hierarchy(by_code)
    for level, n in counts.items():
        held[tops.get(level, level)] += n
    return {level: top for level, top in tops.items() if level in levels.known_levels}, dict(held)


def _what(step: MergeRare, n_levels: int, n: int) -> str:
    rare = "" if step.always else f" with fewer than {step.below:,} records"
    if not n_levels:
        return "no level was merged." if step.always else f"no level{rare} was merged."
    each = "" if step.always or n_levels == 1 else " each"
    parents = "its parent" if n_levels == 1 else "their parents"
    where = parents if step.hierarchy else _format_level(step.into)
    return (
        f"{format_n(n_levels, 'level')}{rare}{each} ({records(n)}) {were(n_levels)} merged into"
        f" {where}."
    )


def _still_rare(step: MergeRare, n_left: int) -> str:
    if not n_left or step.below is None:
        return ""
    has = "1 level still has" if n_left == 1 else f"{n_left:,} levels still have"
    return f" {has} fewer than {step.below:,} records."


def _unknown_sentence(n: int) -> str:
    if not n:
        return ""
    what = (
        "1 level that only the synthetic data have stays"
        if n == 1
        else f"{n:,} levels that only the synthetic data have stay"
    )
    return f" {what} as it is." if n == 1 else f" {what} as they are."


def _format_level(level: LevelName | None) -> str:
    return quote_text(level) if isinstance(level, str) else f"{level:.15g}"
