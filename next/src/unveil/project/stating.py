"""Stating and deciding: what a named person says, held against what is to be said."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import msgspec
import tomlkit

from unveil.errors import DecisionNeededError, InputError, check_name
from unveil.project.rows import Decision
from unveil.project.settings import QUESTIONS, Signed
from unveil.project.standing import Standing
from unveil.project.statements import ACCEPTED, COMMON, RESIDUAL, Need
from unveil.project.store import DIGITS, short_hash


def check_name_given(by: str) -> None:
    if not by.strip():
        raise InputError('Who says so? Give your name and role (--by "NAME, ROLE").')


def person(by: str) -> str:
    """The name without the role, as it is compared."""
    return " ".join(by.partition(",")[0].casefold().split())


def seal(said: Signed) -> str:
    """The hash of a statement, by which the log knows it."""
    return short_hash(said)


def rulings(standing: Standing) -> dict[str, Need]:
    """What a ruling may be given on besides: the flags of each scenario."""
    original = standing.record.files["original"][:DIGITS]
    return {
        (about := f"{part.scenario}/{flag.rule}"): Need(about, "", (COMMON, RESIDUAL), original)
        for part, result in standing.parts
        if part.measure == "disclosure" and result is not None
        for flag in result.flags  # type: ignore[attr-defined]
        if not flag.rule.startswith("cannot")
    }


def needs_of(about: str, needed: Mapping[str, Need]) -> list[Need]:
    """What a statement is about; of a target its flagged levels, or else all flagged pairs."""
    if about in needed:
        return [needed[about]]
    of_target = [need for name, need in needed.items() if name.startswith(f"{about}=")]
    of_target = [need for need in of_target if "@" not in need.about] or of_target
    if not of_target:
        check_name(about, needed, "There is nothing to state about")
    return of_target


def state(
    about: str, answer: str, reason: str, by: str, need: Need, is_among_others: bool
) -> Signed:

    if about in QUESTIONS:
        if not answer.strip(" ."):
            raise InputError(f"An answer is missing for {about}: {QUESTIONS[about]}")
    elif answer not in need.choices:
        raise InputError(f"{about!r} takes {' or '.join(need.choices)}, not {answer!r}.")
    needs_reason = need.choices != (ACCEPTED,) or need.is_of_figure
    if about not in QUESTIONS and needs_reason and not reason.strip():
        raise InputError(f"A reason is missing for: {about} (--reason).")
    if is_among_others and (about in QUESTIONS or not needs_reason):
        reason = ""  # it is that of the figures beside it
    return Signed(about=need.about, answer=answer, reason=reason, by=by, on=date.today(),
                  holds_for=need.holds_for)  # fmt: skip


def put(document: tomlkit.TOMLDocument, signed: Sequence[Signed]) -> None:
    """Each statement in the place of an earlier one about the same."""
    entries = document.setdefault("statement", tomlkit.aot())
    abouts = {said.about for said in signed}
    for place in reversed(range(len(entries))):
        if entries[place].get("about") in abouts:
            del entries[place]
    for said in signed:
        entry = tomlkit.item({name: said[name] for name in said.units() if said[name]})
        entry.trivia.indent = "\n"
        entries.append(entry)


def check_nothing_is_missing(standing: Standing) -> None:
    if not standing.missing:
        return
    lines = [f"  {row.sentence}\n    {row.command}" for row in standing.outstanding()]
    raise DecisionNeededError(f"A release needs {len(lines)} statements more:\n" + "\n".join(lines))


def take_decision(standing: Standing, answer: str, reason: str, by: str) -> Decision:
    record, today = standing.record, date.today()
    word = "Released" if answer == "release" else "Not to be released, decided"
    n = standing.accepted
    accepted = f"; {n} {'figures' if n > 1 else 'figure'} accepted, with reasons" if n else ""
    about = {
        "answer": answer, "reason": reason, "by": by, "on": today, "run": record.number,
        "sentence": f"{word} by {by}, on {today:%-d %B %Y}{accepted}", "plan": record.plan,
        "limits": standing.limits, "files": record.files, "names": record.names,
        "log": standing.log, "unit": standing.settings.data.unit,
    }  # fmt: skip
    statements = tuple(said.plain for said in standing.stated.values())
    return Decision(statements=statements, settings=msgspec.to_builtins(about))


def put_data(document: tomlkit.TOMLDocument, data: Mapping[str, Any]) -> None:
    """Files that were made, in their places."""
    section: Any = document["data"]
    for name, value in data.items():
        if value is None:
            section.pop(name, None)
        elif section.get(name) != value:
            section[name] = value


def put_steps(document: tomlkit.TOMLDocument, steps: Sequence[Mapping[str, Any]]) -> None:
    """The steps in the place of those that were written."""
    entries = tomlkit.aot()
    for step in steps:
        entry = tomlkit.item(dict(step))
        entry.trivia.indent = "\n"
        entries.append(entry)
    document["protect"] = entries
