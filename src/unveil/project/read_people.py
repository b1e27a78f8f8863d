"""What have people said, with names?

`[context]`, `[[exclude]]`, `[limits]`, `[[ruling]]`, `[[exceptions]]` and `[pack]`.
"""

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unveil.arguments import is_list, number_in, parse_choice, quote_value
from unveil.assessment.context import FACTORS, can_rule_together
from unveil.errors import InputError, SettingsError, hint_at, quote_text, unknown_name
from unveil.io.read_toml import parse_document, read_text
from unveil.io.write_file import ENDINGS
from unveil.project.fields import Fields, table_in, tables_in
from unveil.project.model import (
    Answer,
    Context,
    ExceptionEntry,
    ExcludeEntry,
    LimitsEntry,
    PackEntry,
    RulingEntry,
    ScenarioEntry,
    limits_mark,
)
from unveil.project.rulings_in_force import FlagName, parse_flag_name
from unveil.project.toml import Lines, sort_faults
from unveil.protection.leaf_sizes import parse_audience
from unveil.protection.plan import FileError
from unveil.records.exclusions import Exclusion
from unveil.records.judgement import Audience, FactorName
from unveil.records.limits import NAMES, limits_fault, unknown_measure
from unveil.records.pack import MoreReleased
from unveil.study.exclusion_rules import parse_exclusions
from unveil.view.suggestion_toml import toml_string

_ACCEPTED = ("accepted_by", "accepted", "on")
CONTEXT = ("audience", "four_eyes", "analyst", *FACTORS)
_RULE = ("target", "level", "key", "key_level", "keys", "key_levels", "limit", "rule")
_RULES = ("missing-targets", "missing-keys", "max-denominator=1", "max-denominator-syn=1")
EXCLUDE = ("scenario", *_RULE, "reason", "by", "on")
EXCEPTION = ("alert", "reason", "by", "on", "files")
RULING = ("finding", "accept", "reason", "by", "on")
_PACK_TEXTS = ("title", "description", "licence", "contact", "publisher", "method", "noise")
PACK = (
    "fidelity",
    "formats",
    "marker",
    *_PACK_TEXTS,
    "utility",
    "differences",
    "exceptions",
    "more",
)
PUBLIC_UTILITY = ("S_pMSE", "pairs")
"""Figures of utility that can be published: of all columns together, and of pairs of columns."""
_SHA256 = re.compile(r"[0-9a-f]{64}", re.ASCII)
REASON = 'State the reason in a sentence: reason = "...".'
BY = 'Name who decided: by = "Name, role".'
FILES = "It is the hash of the files of the exception; unveil run --accept writes it."
ACCEPTED_BY = 'Write who accepts them: accepted_by = "Name, role", or omit it.'


def read_context(document: Mapping[str, Any], faults: list[FileError]) -> Context:
    """`[context]`, with what named people answered to the five factors."""
    fields = table_in(document, "context", faults)
    fields.only(CONTEXT)
    answers = {name: _answer(fields, name) for name in FACTORS if fields.has(name)}
    return Context(
        audience=fields.parse("audience", parse_audience),
        four_eyes=bool(fields.truth("four_eyes")),
        analyst=fields.person("analyst", 'Write a name: analyst = "Name, role".')
        if fields.has("analyst")
        else None,
        factors={name: one for name, one in answers.items() if one is not None},
    )


def _answer(context: Fields, name: FactorName) -> Answer | None:
    given = context.table[name]
    if not isinstance(given, dict):
        context.refuse(
            f"{name} is {quote_value(given)}. Write it as a table with answer and by: "
            f"[context.{name}].",
            name,
        )
        return None
    fields = Fields(given, ("context", name), context.faults)
    fields.only(("answer", "by", "on"))
    answer = fields.sentence("answer", 'Write a sentence: answer = "...".')
    by, on = fields.person("by", 'Name who answered: by = "Name, role".'), fields.day()
    return None if answer is None or by is None else Answer(answer, by, on)


def read_excludes(
    document: Mapping[str, Any], scenarios: Sequence[ScenarioEntry], faults: list[FileError]
) -> tuple[ExcludeEntry, ...]:
    """Every `[[exclude]]`: what is no real risk, why, and who says so."""
    made: list[ExcludeEntry] = []
    for fields in tables_in(document, "exclude", faults):
        fields.only(EXCLUDE)
        exclusion, scenario = _exclusion(fields), fields.text("scenario")
        if scenario is not None:
            _check_absent(fields, scenario, scenarios, "scenario")
        reason, by, on = fields.sentence("reason", REASON), fields.person("by", BY), fields.day()
        if exclusion is None:
            continue
        if any((one.exclusion, one.scenario) == (exclusion, scenario) for one in made):
            fields.refuse(f"{quote_value(exclusion.text)} is excluded twice. Keep one of the two.")
        made.append(ExcludeEntry(exclusion, reason or "", by or "", on, scenario))
    return tuple(made)


def _exclusion(fields: Fields) -> Exclusion | None:
    said = {name: fields.table[name] for name in _RULE if fields.has(name)}
    if not said:
        fields.refuse(
            "[[exclude]] does not name what to exclude. Give target and level, or a rule: rule ="
            ' "missing-targets".'
        )
        return None
    rule = said.get("rule")
    is_text = isinstance(rule, str) and len(said) == 1
    try:
        (exclusion,) = parse_exclusions([rule] if is_text else [said])
    except InputError as fault:
        fields.refuse(str(fault), *(["rule"] if is_text else []))
        return None
    if is_text and exclusion.target is not None:
        name = str(rule).partition("=")[0]
        level = f"A level is written as target = {toml_string(name)} and level = ..."
        fields.refuse(
            f"{unknown_name('there is no rule', rule, _RULES, 'The rules are')} {level}", "rule"
        )
        return None
    return exclusion


def _check_absent(
    fields: Fields, name: str, scenarios: Sequence[ScenarioEntry], *setting: str
) -> None:
    """Refuse the name of a scenario that is not there."""
    known = [one.name for one in scenarios if one.name]
    if name not in known:
        sentence = unknown_name("there is no scenario", name, known, "The scenarios are")
        fields.refuse(sentence, *setting)


def read_limits(document: Mapping[str, Any], faults: list[FileError]) -> LimitsEntry:
    """`[limits]`: review and limit by measure, and who accepted them."""
    fields = table_in(document, "limits", faults)
    values = {
        name: pair
        for name in fields.table
        if name not in _ACCEPTED and (pair := _limit(fields, name)) is not None
    }
    by = fields.person("accepted_by", ACCEPTED_BY) if fields.has("accepted_by") else None
    if by is not None and not set(fields.table) - set(_ACCEPTED):
        fields.refuse(
            "limits are accepted, but none is set. Set some, such as DiSCO = [5, 10].",
            "accepted_by",
        )
    mark, on = fields.text("accepted") if fields.has("accepted") else None, fields.day()
    is_in_force = by is not None and mark == limits_mark(values, by)
    return LimitsEntry(values, by if is_in_force else None, on, by, mark is not None)


def _limit(fields: Fields, name: str) -> tuple[float, float] | None:
    if name not in NAMES:
        near = hint_at(name, _ACCEPTED) if not hint_at(name, NAMES) else ""
        fields.refuse(f"{unknown_measure(name, NAMES)}{near}", name)
        return None
    given = fields.table[name]
    numbers = [number_in(one) for one in given] if isinstance(given, list) else []
    pair = [one for one in numbers if one is not None]
    if len(numbers) != 2 or len(pair) != 2:
        fields.refuse(
            f"The limit of {name} must be two numbers, review above and limit, such as {name} ="
            " [5, 10].",
            name,
        )
        return None
    review, limit = pair
    if (sentence := limits_fault(name, review, limit)) is not None:
        fields.refuse(sentence, name)
        return None
    return review, limit


def read_rulings(
    document: Mapping[str, Any],
    scenarios: Sequence[ScenarioEntry],
    audience: Audience | None,
    faults: list[FileError],
) -> tuple[RulingEntry, ...]:
    """Every `[[ruling]]`: whether a finding is common knowledge, why, and who says so."""
    made, ruled = [], set()
    for fields in tables_in(document, "ruling", faults):
        fields.only(RULING)
        finding, accept, reason = _ruling(fields)
        by, on = fields.person("by", BY), fields.day()
        name = None if finding is None else _read_flag_name(fields, scenarios, audience)
        if finding is None or name is None:
            continue
        if name in ruled:
            fields.refuse(
                f"the flag {quote_value(finding)} is ruled on twice. Keep one of the two.",
                "finding",
            )
        ruled.add(name)
        made.append(RulingEntry(finding, accept, reason, by or "", on))
    return tuple(made)


def _ruling(fields: Fields) -> tuple[str | None, bool, str]:
    """What a ruling is on, what it says, and why."""
    finding = fields.text("finding", 'Name it: finding = "neighbour/workab=NO".')
    if not fields.has("accept"):
        fields.refuse(
            "[[ruling]] has no accept. Write accept = true for common knowledge, false to keep"
            " it as a risk."
        )
    return finding, bool(fields.truth("accept")), fields.sentence("reason", REASON) or ""


def read_rulings_file(given: str | os.PathLike[str]) -> list[tuple[str, bool, str]]:
    """The `[[ruling]]` of a file of their own: finding, accept and reason of each."""
    path = Path(os.fsdecode(given))
    text = read_text(path)
    faults: list[FileError] = []
    made = []
    for fields in tables_in(parse_document(path.name, text), "ruling", faults):
        fields.only(("finding", "accept", "reason"))
        finding, accept, reason = _ruling(fields)
        made.append((finding or "", accept, reason))
    if not made and not faults:
        faults.append(FileError((), f"The file {quote_text(path.name)} has no [[ruling]]."))
    if faults:
        raise SettingsError("\n".join(sort_faults(path.name, Lines(text), faults)))
    return made


def read_exceptions(
    document: Mapping[str, Any], faults: list[FileError]
) -> tuple[ExceptionEntry, ...]:
    """Every `[[exceptions]]`: an alert that is accepted for some files, why, and by whom."""
    made: list[ExceptionEntry] = []
    for fields in tables_in(document, "exceptions", faults):
        fields.only(EXCEPTION)
        alert = fields.text("alert", 'Name it: alert = "near-copies".')
        reason, by, on = fields.sentence("reason", REASON), fields.person("by", BY), fields.day()
        files = fields.text("files", FILES)
        if files is not None and not _SHA256.fullmatch(files):
            fields.refuse(f"files is {quote_value(files)}. {FILES}", "files")
        if alert is None or files is None:
            continue
        if any((one.alert, one.files) == (alert, files) for one in made):
            fields.refuse(f"{quote_value(alert)} is accepted twice. Keep one of the two.", "alert")
        made.append(ExceptionEntry(alert, reason or "", by or "", on, files))
    return tuple(made)


def read_pack(document: Mapping[str, Any], faults: list[FileError]) -> PackEntry:
    """`[pack]`: what goes with the synthetic data, and what more is released, by whom and why."""
    fields = table_in(document, "pack", faults)
    fields.only(PACK)
    texts = {
        name: fields.sentence(name, "Write a sentence, or omit it.") if fields.has(name) else None
        for name in _PACK_TEXTS
    }
    entries = {"pack.more": fields.table.get("more", [])}
    return PackEntry(
        formats=_listed(fields, "formats", ENDINGS),
        marker=fields.text("marker", 'Name the column: marker = "FAKE".')
        if fields.has("marker")
        else None,
        utility=_listed(fields, "utility", PUBLIC_UTILITY),
        differences=_listed(fields, "differences"),
        exceptions=bool(fields.truth("exceptions")),
        is_low_fidelity=fields.one_of("fidelity", ("low",)) is not None,
        more=tuple(_more(one) for one in tables_in(entries, "pack.more", faults)),
        **texts,
    )


def _listed(fields: Fields, name: str, known: Sequence[str] = ()) -> tuple[Any, ...]:
    """Texts in a list, each once; of those that are known, where they are."""

    def read(given: Any) -> tuple[str, ...]:
        if not is_list(given) or not all(isinstance(one, str) and one.strip() for one in given):
            raise SettingsError(f"{name} of {fields.heading} must be a list of texts.")
        return tuple(
            dict.fromkeys(parse_choice(name, one, known) if known else one for one in given)
        )

    return fields.parse(name, read) or ()


def _more(fields: Fields) -> MoreReleased:
    fields.path = ("pack", "more", *fields.path[1:])
    fields.only(("release", "reason", "by", "on"))
    what = 'Name what is released: release = "file:method.md", or as the leak check names it.'
    return MoreReleased(
        release=fields.text("release", what) or "",
        reason=fields.sentence("reason", REASON) or "",
        by=fields.person("by", BY) or "",
        on=fields.day(),
    )


def _read_flag_name(
    fields: Fields, scenarios: Sequence[ScenarioEntry], audience: Audience | None
) -> FlagName | None:
    found = fields.parse("finding", parse_flag_name)
    if found is None:
        return None
    _check_absent(fields, found.scenario, scenarios, "finding")
    if found.is_whole_target and not can_rule_together(audience):
        whom = "audience open" if audience else "an audience that is not stated (taken to be open)"
        fields.refuse(
            f"all pairs of a target cannot be ruled on together for {whom}: rule on each, as"
            f' in "{found.scenario}/{found.target}=level@key=level".',
            "finding",
        )
    return found
