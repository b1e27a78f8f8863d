"""What is to be done, in which order? The steps of a plan, read and checked before any data is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np

from unveil.arguments import (
    is_list,
    number_in,
    parse_choice,
    parse_true_or_false,
    parse_whole_number,
    quote_value,
)
from unveil.errors import InputError, SettingsError
from unveil.measure.ecap.arguments import (
    SAMPLINGS,
    SampleSettings,
    parse_ecap_threshold,
    parse_noise_amount,
)
from unveil.measure.ecap.noise_settings import parse_noise
from unveil.measure.ecap.populations import parse_population
from unveil.models.neighbours.settings import DistanceSettings
from unveil.protection.plan_synthesis import Faults, GivenSettings, find_faults, synthesis_faults
from unveil.protection.recoding.steps import (
    EXAMPLE,
    read_step,
    step_fault,
    step_heading,
    unknown_settings,
)
from unveil.records.recoding import KINDS, Step, as_mapping
from unveil.study.band_spec import parse_bands
from unveil.study.roles import names

# In which order can steps be done, and what is wrong with another?


SYNTHESISE, FILTER, REMOVE, SMOOTH, NOISE = (
    *("synthesise", "distance_filter", "remove_replicated_uniques"),
    *("smooth", "add_noise"),
)
AFTER = (FILTER, REMOVE, SMOOTH, NOISE)
"""What is done to a copy."""
_ONCE = (SYNTHESISE, FILTER, REMOVE)


def find_synthesis(does: Sequence[str | None]) -> int:
    """Where the synthesis is, or would be put: before all that is done to the copy."""
    if SYNTHESISE in does:
        return does.index(SYNTHESISE)
    return next((place for place, do in enumerate(does) if do in AFTER), len(does))


def order_faults(does: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """The place of each step that cannot be where it is, and why; None is an unknown step."""
    synthesis = find_synthesis(does)
    for place, do in enumerate(does):
        before = does[:place]
        if do in _ONCE and do in before:
            yield place, f"this is step {before.index(do) + 1} again. Omit one of them."
        elif do in AFTER and place < synthesis:
            yield (
                place,
                "it is done to the synthetic data, but nothing is synthesised by then. Put it"
                f" behind the step synthesise, which is step {synthesis + 1}.",
            )
        elif do in KINDS and place > synthesis:
            yield (
                place,
                "recodings are done to the original, before it is synthesised. Put it before the"
                f" step {does[synthesis]}, which is step {synthesis + 1}.",
            )
        elif do == FILTER:
            yield from _filter_faults(place, before)
        elif do == NOISE and NOISE in before and before[-1] not in (NOISE, None):
            yield place, f"{before[-1]} is between it and an earlier add_noise. Put them together."
        elif do == SMOOTH and NOISE in before:
            yield place, "smoothing would undo the noise. Put it before add_noise."


def _filter_faults(place: int, before: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """Rows that the filter has drawn anew would be without what was done before."""
    done = [do for do in before if do in AFTER]
    if done:
        yield (
            place,
            f"rows that are drawn again must undergo every later step. Put it before {done[0]},"
            " directly after synthesise.",
        )


# Which settings has each step after the recodings, and what may they say?
#
# All that can be refused before any data is read is refused here, in the words of the step itself.


FILTER_SETTINGS = tuple(
    field.name
    for field in fields(DistanceSettings)
    if field.name not in ("inverse_covariance", "ranges", "missing_values")
)
NOISE_SETTINGS = ("sigma", "noise", "round", "clip", "keep_variance", "special_codes")
PEOPLE = ("population", "N", "n", "threshold", "discrete", "sampling")
SETTINGS: dict[str, tuple[str, ...]] = {
    "synthesise": (),
    "distance_filter": (*FILTER_SETTINGS, "max_rounds", "repair"),
    "remove_replicated_uniques": ("keys", "uniques_of_original"),
    "smooth": ("columns", "special_codes"),
    "add_noise": ("column", *PEOPLE, *NOISE_SETTINGS, "not_needed"),
}
"""The steps that are no recoding, by the word a plan has for them."""


def step_faults(do: str, said: GivenSettings) -> Faults:
    """What is wrong with the settings of one step."""
    told = list(unknown_settings(said, SETTINGS[do], none=_NONE))
    yield from told
    known = {name: given for name, given in said.items() if name in SETTINGS[do]}
    for name, sentence in _CHECKS[do](known) if do in _CHECKS else ():
        if name is not None or not told:  # what seems left out may be what is misspelt
            yield name, sentence


_NONE = "The settings of the synthesis belong in [synthesis], or in synthesis={...}."


def _filter(said: GivenSettings) -> Faults:
    for name in said:
        if name == "max_rounds":
            yield from find_faults(
                name, lambda: parse_whole_number("max_rounds", said["max_rounds"])
            )
        elif name == "repair":
            yield from _truth_faults(name, said)
        else:
            yield from find_faults(name, partial(DistanceSettings, **{name: said[name]}))


def _removal(said: GivenSettings) -> Faults:
    if "keys" in said:
        yield from find_faults("keys", lambda: names(said["keys"], "Keys"))
    yield from _truth_faults("uniques_of_original", said)


def _truth_faults(name: str, said: GivenSettings) -> Faults:
    yield from find_faults(name, lambda: parse_true_or_false(name, said.get(name, False)))


def _smoothing_faults(said: GivenSettings) -> Faults:
    if not said.get("columns"):
        yield None, 'columns is not given. Name columns of numbers, such as ["income"].'
    else:
        yield from find_faults("columns", lambda: names(said["columns"], "Columns to smooth"))
    yield from find_faults("special_codes", lambda: parse_bands(None, said.get("special_codes")))


def _noise(said: GivenSettings) -> Faults:
    if not isinstance(said.get("column"), str) or not said["column"]:
        yield None, 'column is not given. Name a column of numbers: column = "age".'
        said = {**said, "column": "column"}
    if "not_needed" in said:
        yield from _check_not_needed(said)
        return
    if "sigma" not in said and ("population" not in said or "N" not in said):
        yield (
            None,
            "the amount of noise is missing. Give sigma, or population and N, from which the least"
            " noise that is enough is found.",
        )
    lonely = [name for name in PEOPLE if name in said and "population" not in said]
    if "sigma" in said and lonely:
        yield lonely[0], f"{lonely[0]} is given without a population. Give one, or omit it."
    yield from _how_much(said)
    yield from _population_faults(said)


def _check_not_needed(said: GivenSettings) -> Faults:
    reason, rest = said["not_needed"], [one for one in said if one not in ("column", "not_needed")]
    if not isinstance(reason, str) or not reason.strip():
        yield "not_needed", "not_needed must state why the column needs no noise."
    if rest:
        yield rest[0], f"{rest[0]} is given, but the column is declared to need no noise."


def _how_much(said: GivenSettings) -> Faults:
    if "sigma" in said:
        yield from find_faults("sigma", lambda: parse_noise_amount(said["sigma"]))
    for name in NOISE_SETTINGS[1:]:
        if name in said:
            asked = {said["column"]: {"sigma": 0, name: said[name]}}
            swapped = [*_swapped_ends_faults(said[name])] if name == "clip" else []
            yield from swapped or find_faults(name, partial(parse_noise, asked, None))


def _swapped_ends_faults(clip: Any) -> Faults:
    ends = [number_in(end) for end in clip] if is_list(clip) else []
    if len(ends) == 2 and ends[0] is not None and ends[1] is not None and ends[0] > ends[1]:
        yield (
            "clip",
            f"clip goes from {ends[0]:.15g} to {ends[1]:.15g}. Give the lowest value first:"
            f" [{ends[1]:.15g}, {ends[0]:.15g}].",
        )


def _population_faults(said: GivenSettings) -> Faults:
    if "population" in said:
        some = np.array([0.0, 1.0])
        yield from find_faults("population", lambda: parse_population(said["population"], some))
    told = [
        fault
        for name in ("N", "n")
        if name in said
        for fault in find_faults(name, partial(parse_whole_number, name, said[name]))
    ]
    if not told and "N" in said and "n" in said:
        told = [*find_faults("N", lambda: SampleSettings(said["N"], said["n"]))]
    yield from told
    if "threshold" in said:
        yield from find_faults("threshold", lambda: parse_ecap_threshold(said["threshold"]))
    yield from _truth_faults("discrete", said)
    if "sampling" in said:
        yield from find_faults(
            "sampling", lambda: parse_choice("sampling", said["sampling"], SAMPLINGS)
        )


_CHECKS: dict[str, Callable[[GivenSettings], Faults]] = {
    "distance_filter": _filter,
    "remove_replicated_uniques": _removal,
    "smooth": _smoothing_faults,
    "add_noise": _noise,
}


DOES = (*KINDS, *SETTINGS)
DEFAULT = ({"do": SYNTHESISE}, {"do": "distance_filter"})


@dataclass(frozen=True)
class PlannedStep:
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
    def heading(self) -> str:
        """What a sentence calls it: "Step 3 (add_noise)", by its number as written."""
        return "The synthesis" if self.written is None else step_heading(self.written, self.do)


@dataclass(frozen=True)
class FileError:
    """What is wrong, and where it stands: ("protect", "step", 2, "sigma")."""

    path: tuple[str | int, ...]
    sentence: str
    kind: type[InputError] = SettingsError


@dataclass(frozen=True)
class ProtectionPlan:
    """Recodings, the synthesis, and what is done to the copy, in their order."""

    recodings: tuple[Step, ...]
    steps: tuple[PlannedStep, ...]  # all of them
    synthesis: Mapping[str, Any]

    @property
    def after(self) -> tuple[PlannedStep, ...]:
        """What is done to the copy."""
        return tuple(step for step in self.steps if step.do in AFTER)

    def having(self, do: str) -> tuple[PlannedStep, ...]:
        """The steps that do one thing."""
        return tuple(step for step in self.steps if step.do == do)


def parse_plan(steps: Any, synthesis: Any) -> tuple[ProtectionPlan | None, list[FileError]]:
    """The plan, or every fault of it."""
    said, faults = _synthesis(synthesis)
    given, told = _list_steps(steps)
    faults += told
    planned = [_plan_step(number, one) for number, one in enumerate(given, start=1)]
    faults += [one for one in planned if isinstance(one, FileError)]
    faults += _check_order(planned)
    known = [one for one in planned if isinstance(one, PlannedStep)]
    recodings, told = _recodings(known)
    faults += told
    faults += [fault for one in known if one.do in SETTINGS for fault in _settings(one)]
    faults += [*_twice(known), *_beside(known, said)]
    if faults:
        return None, faults
    return ProtectionPlan(recodings, _with_synthesis(known), said), []


def faults_error(faults: Sequence[FileError]) -> InputError:
    """All faults in one refusal, in the order of the steps."""
    return faults[0].kind("\n".join(dict.fromkeys(fault.sentence for fault in faults)))


def _synthesis(given: Any) -> tuple[dict[str, Any], list[FileError]]:
    """The settings of the synthesis, and what is wrong with them."""
    if given is None:
        return {}, []
    if not isinstance(given, Mapping):
        sentence = (
            f'synthesis is {quote_value(given)}. It must be a mapping, such as {{"min_leaf": 50}}.'
        )
        return {}, [FileError(("synthesis",), sentence)]
    return dict(given), [
        FileError(("synthesis", *([] if name is None else [name])), f"synthesis: {sentence}")
        for name, sentence in synthesis_faults(given)
    ]


def _list_steps(given: Any) -> tuple[list[Any], list[FileError]]:
    """The steps as they were given."""
    if given is None:
        return list(DEFAULT), []
    if isinstance(given, Mapping) or not is_list(given):
        kind = "a single table" if isinstance(given, Mapping) else quote_value(given)
        sentence = f"The steps are {kind}. Give a list of steps, such as [{EXAMPLE}]."
        return [], [FileError(("protect", "step"), sentence)]
    return [as_mapping(one) if isinstance(one, Step) else one for one in given], []


def _with_synthesis(steps: Sequence[PlannedStep]) -> tuple[PlannedStep, ...]:
    """All that is done, numbered: with the synthesis where it was not written."""
    does = [step.do for step in steps]
    all_steps = [*steps]
    if SYNTHESISE not in does:
        all_steps.insert(find_synthesis(does), PlannedStep(0, SYNTHESISE, {}, None))
    return tuple(replace(step, number=n) for n, step in enumerate(all_steps, start=1))


def _plan_step(number: int, given: Any) -> PlannedStep | FileError:
    path = ("protect", "step", number - 1)
    if (wrong := step_fault(number, given, DOES)) is not None:
        return FileError((*path, "do"), wrong)  # a step without it is told with its own line
    settings = {name: said for name, said in given.items() if name != "do"}
    return PlannedStep(number, given["do"], settings, number)


def _check_order(steps: Sequence[PlannedStep | FileError]) -> Iterator[FileError]:
    does = [step.do if isinstance(step, PlannedStep) else None for step in steps]
    for place, sentence in order_faults(does):
        called = step_heading(place + 1, str(does[place]))
        yield FileError(("protect", "step", place), f"{called}: {sentence}")


def _settings(step: PlannedStep) -> Iterator[FileError]:
    path: tuple[str | int, ...] = ("protect", "step", step.number - 1)
    for name, sentence in step_faults(step.do, step.settings):
        yield FileError(path if name is None else (*path, name), f"{step.heading}: {sentence}")


def _recodings(steps: Sequence[PlannedStep]) -> tuple[tuple[Step, ...], list[FileError]]:
    """The recodings, and what is wrong with them."""
    found: list[Step] = []
    faults: list[FileError] = []
    for step in steps:
        read = read_step(step.number, {"do": step.do, **step.settings}) if step.do in KINDS else []
        if isinstance(read, list):
            faults += [FileError(_path(step, sentence), sentence) for sentence in read]
        else:
            found.append(read)
    return tuple(found), faults


def _path(step: PlannedStep, sentence: str) -> tuple[str | int, ...]:
    """Where a fault of a recoding stands: at the setting that its sentence names, if it does."""
    text = sentence.partition(": ")[2]
    about = [
        name
        for name in step.settings
        if text.startswith((f"{name} ", f"there is no setting {name!r}"))
    ]
    return ("protect", "step", step.number - 1, *about[:1])


def _twice(steps: Sequence[PlannedStep]) -> Iterator[FileError]:
    """A column has noise added to it once."""
    first: dict[str, int] = {}
    for step in steps:
        if step.do != NOISE or step.column is None:
            continue
        if step.column in first:
            yield FileError(
                ("protect", "step", step.number - 1, "column"),
                f"{step.heading}: column {step.column!r} is in step {first[step.column]} already."
                " Give its noise once.",
            )
        first.setdefault(step.column, step.number)


def _beside(steps: Sequence[PlannedStep], synthesis: Mapping[str, Any]) -> Iterator[FileError]:
    """Rows of columns that are kept cannot be drawn anew."""
    for step in steps:
        if step.do == "distance_filter" and synthesis.get("keep"):
            yield FileError(
                ("synthesis", "keep"),
                f"{step.heading}: columns are kept as the original has them (keep), row for row,"
                " so rows cannot be drawn again. Synthesise every column, or omit the filter.",
            )
