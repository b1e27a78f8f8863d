"""Which flags of the checks are there, and what did people say about each?

A flag is one level of a target, alone or with the level of a key, that may be common knowledge
(Raab 2024, section 4). Its id is "SCENARIO/EXCLUSION": what to exclude if it is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from unveil.assessment.context import can_rule_together, is_quick_route
from unveil.records.disclosure import Disclosure, Flag
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import Audience, FlagRuling, RulingState

TWO_WAY = " two-way"


@dataclass(frozen=True)
class Ruling:
    """What a named person said: accept is "it is common knowledge", otherwise it is kept."""

    finding: str  # an id, or "SCENARIO/TARGET two-way" for all pairs of one target
    accept: bool
    reason: str
    by: str
    on: str | None


@dataclass(frozen=True)
class ExclusionInForce:
    """One exclusion that the project now has, with its reason."""

    scenario: str | None  # None: every scenario
    text: str
    reason: str
    by: str
    on: str | None


def flag_id(scenario: str, exclusion: str) -> str:
    """What a ruling names."""
    return f"{scenario}/{exclusion}"


def together_id(scenario: str, target: str) -> str:
    """What a ruling on all pairs of one target names."""
    return f"{scenario}/{target}{TWO_WAY}"


def list_flag_rulings(
    disclosures: Iterable[tuple[str, Disclosure]],
    *,
    audience: Audience | None,
    rulings: Sequence[Ruling],
    exclusions: Sequence[ExclusionInForce],
) -> tuple[FlagRuling, ...]:
    """Every flag once, from its worst copy, with what was said of it."""
    by_id = {ruling.finding: ruling for ruling in rulings}
    found = []
    for scenario, record in disclosures:
        here = [entry for entry in exclusions if entry.scenario in (None, scenario)]
        in_force = {entry.text: entry for entry in here}
        is_quick = is_quick_route(audience, record.exclude)
        for flag in _worst(record.flags):
            row = _make_flag_ruling(scenario, flag)
            said = _apply_ruling(row, by_id, audience) or _apply_exclusion(row, in_force)
            said = said or _apply_implied_ruling(row, flag, by_id, in_force)
            found.append(said or _apply_quick_route(row, is_quick=is_quick))
    return tuple(found)


def _worst(flags: Iterable[Flag]) -> list[Flag]:
    worst: dict[str, Flag] = {}
    for flag in flags:
        known = worst.get(flag.exclusion)
        if known is None or flag.n > known.n:
            worst[flag.exclusion] = flag
    return list(worst.values())


def _make_flag_ruling(scenario: str, flag: Flag) -> FlagRuling:
    return FlagRuling(
        id=flag_id(scenario, flag.exclusion),
        scenario=scenario,
        target=flag.target,
        kind=flag.kind,
        exclusion=flag.exclusion,
        n=flag.n,
        sentence=flag.sentence,
        state="open",
    )


def _apply_ruling(
    row: FlagRuling, by_id: Mapping[str, Ruling], audience: Audience | None
) -> FlagRuling | None:
    ruling = by_id.get(row.id)
    if ruling is None and row.kind == "two_way" and can_rule_together(audience):
        ruling = by_id.get(together_id(row.scenario, row.target))
    if ruling is None:
        return None
    return _set_ruling(row, "common knowledge" if ruling.accept else "keep", ruling)


def _apply_exclusion(
    row: FlagRuling, in_force: Mapping[str, ExclusionInForce]
) -> FlagRuling | None:
    entry = in_force.get(row.exclusion)
    return None if entry is None else _set_ruling(row, "common knowledge", entry)


def _apply_implied_ruling(
    row: FlagRuling,
    flag: Flag,
    by_id: Mapping[str, Ruling],
    in_force: Mapping[str, ExclusionInForce],
) -> FlagRuling | None:
    """A pair whose level is common knowledge by itself: without the level it is excluded too."""
    whole = Exclusion(rule="level", target=flag.target, level=flag.level or "").text
    ruling = by_id.get(flag_id(row.scenario, whole))
    said = in_force.get(whole) if ruling is None or not ruling.accept else ruling
    return None if said is None else _set_ruling(row, "common knowledge", said)


def _apply_quick_route(row: FlagRuling, *, is_quick: bool) -> FlagRuling:
    return _with(row, state="not needed") if is_quick else row


def _set_ruling(row: FlagRuling, state: RulingState, said: Ruling | ExclusionInForce) -> FlagRuling:
    return _with(row, state=state, reason=said.reason, by=said.by, on=said.on)


def _with(row: FlagRuling, **fields: object) -> FlagRuling:
    return FlagRuling(**{**{name: getattr(row, name) for name in _FIELDS}, **fields})


_FIELDS = FlagRuling.__struct_fields__
