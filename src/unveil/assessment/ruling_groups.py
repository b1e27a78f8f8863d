"""Which disclosures need one ruling together? Those of one value that one thing explains.

What explains them is a part of `unveil.claims`: the marginal distribution, a table of one key, of
two keys. Flags of the checks join the group of their value and key; a value that is common
knowledge by itself covers its pairs too. A ruling writes ordinary exclusions.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from unveil.assessment.alerts import format_names
from unveil.assessment.flag_rulings import flag_id
from unveil.records.disclosure import Disclosure, Flag, Part
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import FlagRuling
from unveil.records.summary import RulingGroup

MISSING = "(missing)"
MOST_LEVELS = 6
"""So many levels of keys are named in a sentence, ranges of whole numbers counted once."""
BY_SHARE = "its share of all people"
"""What explains a value where no key does."""
Levels = tuple[str | None, ...]


@dataclass
class _Draft:
    """A group while flags are added to it."""

    part: Part | None
    label: str
    n: int = 0
    key_levels: list[Levels] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    exclusions: list[str] = field(default_factory=list)


def group_rulings(
    scenario: str | None,
    record: Disclosure,
    findings: Sequence[FlagRuling],
    excluded: Collection[str] = (),
) -> Iterator[RulingGroup]:
    """Everything of a scenario that one ruling covers, most people of each target first.

    What exclusions in force (`excluded`) hold already is no longer asked.
    """
    drafts: dict[tuple[str, str | None, tuple[str, ...]], _Draft] = {}
    for one in record.groups:
        if not one.exclusions:  # public tables and all keys together: no short rule excludes them
            continue
        made = _Draft(one.part, MISSING if one.level is None else one.level, one.n)
        made.key_levels, made.exclusions = list(one.key_levels), list(one.exclusions)
        drafts[one.target, one.level, one.keys] = made
    still = {
        one.exclusion
        for one in findings
        if one.state == "open" and one.scenario == (scenario or "")
    }
    flags = [one for one in worst_flags(record.flags).values() if one.exclusion in still]
    for flag in sorted(flags, key=lambda one: one.kind):  # a whole level before its pairs
        _add(drafts, flag)
    for (target, level, keys), made in sorted(drafts.items(), key=lambda one: -one[1].n):
        whole = Exclusion(rule="level", target=target, level=level or "").text
        is_excluded = whole in excluded or {*excluded} >= {*made.exclusions}
        if made.flags or not is_excluded:
            yield RulingGroup(
                id=_group_id(scenario, whole, keys),
                scenario=scenario,
                target=target,
                level=level,
                label=made.label,
                part=made.part,
                keys=keys,
                key_levels=tuple(made.key_levels),
                n=made.n,
                flags=tuple(made.flags),
                exclusions=tuple(made.exclusions),
                sentence=_sentence(keys, made),
            )


def worst_flags(flags: Iterable[Flag]) -> dict[str, Flag]:
    """Every flag once, from the synthetic file with most people, by what it would exclude."""
    found: dict[str, Flag] = {}
    for flag in flags:
        if flag.exclusion not in found or flag.n > found[flag.exclusion].n:
            found[flag.exclusion] = flag
    return found


def _add(drafts: dict[tuple[str, str | None, tuple[str, ...]], _Draft], flag: Flag) -> None:
    """Put a flag into the group of its whole value or else of its value and key."""
    keys: tuple[str, ...] = () if flag.key is None else (flag.key,)
    is_covered = (flag.target, flag.level, ()) in drafts
    place = (flag.target, flag.level, () if is_covered else keys)
    made = drafts.setdefault(place, _Draft(None, ""))
    made.label = flag.level_label or flag.level or MISSING
    made.flags.append(flag.exclusion)
    if place[2] == keys and flag.exclusion not in made.exclusions:
        made.exclusions.append(flag.exclusion)
        made.key_levels += [(flag.key_level,)] if keys else []
        made.n += flag.n if made.part is None else 0


def _group_id(scenario: str | None, whole: str, keys: Sequence[str]) -> str:
    """The name of a ruling: that of its value, with the keys whose levels it lists."""
    named = [Exclusion(rule="level", target=key, level="").text.removesuffix("=") for key in keys]
    return flag_id(scenario or "", "@".join([whole, *named]))


def _sentence(keys: Sequence[str], made: _Draft) -> str:
    """In words: never married by age (16 to 19): 45 people, 3 flags."""
    by = f"{format_names(keys)} ({_levels(made.key_levels)})" if keys else BY_SHARE
    n = f"{made.n:,} {'person' if made.n == 1 else 'people'}"
    n_flags = len(made.flags)
    flags = f", {n_flags:,} {'flag' if n_flags == 1 else 'flags'}" if n_flags else ""
    return f"{made.label} by {by}: {n}{flags}"


def _levels(levels: Sequence[Levels]) -> str:
    """Levels of keys in a few words: whole numbers in a row as a range."""
    if all(len(one) == 1 and (one[0] or "").isdecimal() for one in levels):
        shown = [*_ranges(sorted({int(one[0] or 0) for one in levels}))]
    else:
        shown = [" and ".join(MISSING if at is None else at for at in one) for one in levels]
    more = len(shown) - MOST_LEVELS
    return f"{', '.join(shown[:MOST_LEVELS])}{f' and {more:,} more' if more > 0 else ''}"


def _ranges(numbers: Sequence[int]) -> Iterator[str]:
    start = 0
    for place, number in enumerate(numbers):
        if place + 1 == len(numbers) or numbers[place + 1] != number + 1:
            first = numbers[start]
            yield f"{first}" if first == number else f"{first} to {number}"
            start = place + 1
