"""What is to be done, in which order? The steps of a plan, read and checked before any data is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unveil.errors import InputError, SettingsError, listed, nearest
from unveil.protection.plan_order import (
    AFTER,
    NOISE,
    SYNTHESISE,
    order_faults,
    synthesis_place,
)
from unveil.protection.plan_steps import SETTINGS, step_faults
from unveil.protection.plan_synthesis import synthesis_faults
from unveil.protection.recoding.steps import EXAMPLE, heading, read_steps
from unveil.read.given import is_list, shown
from unveil.records.recoding import KINDS, Step, as_mapping

DOES = (*KINDS, *SETTINGS)
DEFAULT = ({"do": SYNTHESISE}, {"do": "distance_filter"})


@dataclass(frozen=True)
class Planned:
    """One step: its number from 1, what it does, and its settings."""

    number: int  # among all that are done
    do: str
    settings: Mapping[str, Any]
    written: int | None  # among those that were written; None for a synthesis that was not

    @property
    def column(self) -> str | None:
        """The column it is about, where it is about one."""
        found = self.settings.get("column")
        return found if isinstance(found, str) else None

    @property
    def called(self) -> str:
        """What a sentence calls it: "Step 3 (add_noise)", by its number as written."""
        return "The synthesis" if self.written is None else heading(self.written, self.do)


@dataclass(frozen=True)
class Fault:
    """What is wrong, and where it stands: ("protect", "step", 2, "sigma")."""

    path: tuple[str | int, ...]
    sentence: str
    kind: type[InputError] = SettingsError


@dataclass(frozen=True)
class Plan:
    """Recodings, the synthesis, and what is done to the copy, in their order."""

    recodings: tuple[Step, ...]
    steps: tuple[Planned, ...]  # all of them
    synthesis: Mapping[str, Any]

    @property
    def after(self) -> tuple[Planned, ...]:
        """What is done to the copy."""
        return tuple(step for step in self.steps if step.do in AFTER)

    def having(self, do: str) -> tuple[Planned, ...]:
        """The steps that do one thing."""
        return tuple(step for step in self.steps if step.do == do)


def plan_of(steps: Any, synthesis: Any) -> tuple[Plan | None, list[Fault]]:
    """The plan, or every fault of it."""
    said, faults = _synthesis(synthesis)
    given, told = _listed(steps)
    faults += told
    planned = [_planned(number, one) for number, one in enumerate(given, start=1)]
    faults += [one for one in planned if isinstance(one, Fault)]
    faults += _in_order(planned)
    known = [one for one in planned if isinstance(one, Planned)]
    recodings, told = _recodings(known, len(planned))
    faults += told
    faults += [fault for one in known if one.do in SETTINGS for fault in _settings(one)]
    faults += [*_twice(known), *_beside(known, said)]
    if faults:
        return None, faults
    return Plan(recodings, _with_synthesis(known), said), []


def refused(faults: Sequence[Fault], sentences: Sequence[str] | None = None) -> InputError:
    """All faults in one refusal, in the order of the steps; or in other words for them."""
    told = [fault.sentence for fault in faults] if sentences is None else sentences
    return faults[0].kind("\n".join(dict.fromkeys(told)))


def _synthesis(given: Any) -> tuple[dict[str, Any], list[Fault]]:
    """The settings of the synthesis, and what is wrong with them."""
    if given is None:
        return {}, []
    if not isinstance(given, Mapping):
        sentence = f'synthesis is {shown(given)}. It must be a mapping, such as {{"min_leaf": 50}}.'
        return {}, [Fault(("synthesis",), sentence)]
    return dict(given), [
        Fault(("synthesis", *([] if name is None else [name])), f"synthesis: {sentence}")
        for name, sentence in synthesis_faults(given)
    ]


def _listed(given: Any) -> tuple[list[Any], list[Fault]]:
    """The steps as they were given."""
    if given is None:
        return list(DEFAULT), []
    if isinstance(given, Mapping) or not is_list(given):
        kind = "a single table" if isinstance(given, Mapping) else shown(given)
        sentence = f"The steps are {kind}. Give a list of steps, such as [{EXAMPLE}]."
        return [], [Fault(("protect", "step"), sentence)]
    return [as_mapping(one) if isinstance(one, Step) else one for one in given], []


def _with_synthesis(steps: Sequence[Planned]) -> tuple[Planned, ...]:
    """All that is done, numbered: with the synthesis where it was not written."""
    does = [step.do for step in steps]
    all_steps = [*steps]
    if SYNTHESISE not in does:
        all_steps.insert(synthesis_place(does), Planned(0, SYNTHESISE, {}, None))
    return tuple(replace(step, number=n) for n, step in enumerate(all_steps, start=1))


def _planned(number: int, given: Any) -> Planned | Fault:
    path = ("protect", "step", number - 1)
    if not isinstance(given, Mapping):
        return Fault(
            path, f"Step {number} is {shown(given)}. Write each step as a table, such as {EXAMPLE}."
        )
    do = given.get("do")
    every = listed(DOES, most=len(DOES))
    if do is None:
        return Fault(path, f"Step {number} does not say what to do. Give it a do: {every}.")
    if not isinstance(do, str) or do not in DOES:
        hint = nearest(do, DOES) if isinstance(do, str) else ""
        sentence = f"Step {number}: do is {shown(do)}.{hint} It must be one of: {every}."
        return Fault((*path, "do"), sentence)
    settings = {name: said for name, said in given.items() if name != "do"}
    return Planned(number, do, settings, number)


def _in_order(steps: Sequence[Planned | Fault]) -> Iterator[Fault]:
    does = [step.do if isinstance(step, Planned) else None for step in steps]
    for place, sentence in order_faults(does):
        called = heading(place + 1, str(does[place]))
        yield Fault(("protect", "step", place), f"{called}: {sentence}")


def _settings(step: Planned) -> Iterator[Fault]:
    path: tuple[str | int, ...] = ("protect", "step", step.number - 1)
    for name, sentence in step_faults(step.do, step.settings):
        yield Fault(path if name is None else (*path, name), f"{step.called}: {sentence}")


def _recodings(steps: Sequence[Planned], n_steps: int) -> tuple[tuple[Step, ...], list[Fault]]:
    """The recodings, read as a recipe in which every other step is a place holder."""
    own = {step.number: step for step in steps if step.do in KINDS}
    if not own:
        return (), []
    recipe: list[Any] = [{"do": "drop", "column": ""}] * n_steps
    for number, step in own.items():
        recipe[number - 1] = {"do": step.do, **step.settings}
    read, told = read_steps(recipe)
    faults = [
        Fault(_path(own[one.number], str(one.error)), str(one.error))
        for one in told
        if one.number in own
    ]
    return tuple(step for number, step in read.items() if number in own), faults


def _path(step: Planned, sentence: str) -> tuple[str | int, ...]:
    """Where a fault of a recoding stands: at the setting that its sentence names, if it does."""
    text = sentence.partition(": ")[2]
    about = [
        name
        for name in step.settings
        if text.startswith((f"{name} ", f"there is no setting {name!r}"))
    ]
    return ("protect", "step", step.number - 1, *about[:1])


def _twice(steps: Sequence[Planned]) -> Iterator[Fault]:
    """A column has noise added to it once."""
    first: dict[str, int] = {}
    for step in steps:
        if step.do != NOISE or step.column is None:
            continue
        if step.column in first:
            yield Fault(
                ("protect", "step", step.number - 1, "column"),
                f"{step.called}: column {step.column!r} is in step {first[step.column]} already."
                " Give its noise once.",
            )
        first.setdefault(step.column, step.number)


def _beside(steps: Sequence[Planned], synthesis: Mapping[str, Any]) -> Iterator[Fault]:
    """Rows of columns that are kept cannot be drawn anew."""
    for step in steps:
        if step.do == "distance_filter" and synthesis.get("keep"):
            yield Fault(
                ("synthesis", "keep"),
                f"{step.called}: columns are kept as the original has them (keep), row for row, so"
                " rows cannot be drawn anew. Synthesise every column, or leave the filter out.",
            )
