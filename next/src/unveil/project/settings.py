"""`project.toml` as one typed model; each fault has its line, and the nearest name."""

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from unveil.arguments import Part, convert
from unveil.data.columns import Column, as_columns
from unveil.data.reading import Reading
from unveil.errors import InputError, check_name
from unveil.measures.utility.published import PublishedResult
from unveil.results import Row
from unveil.tables.plan_file import TableOfPlan

Audience = Literal["closed", "registered", "open"]
Place = tuple[str | int, ...]
Files = str | list[str]
Limit = Annotated[float, Meta(ge=0)]
Format = Literal["csv", "parquet", "sav", "dta"]
EVERYTHING = "everything"
"""The scenario of all keys and targets, where none is written."""

KINDS = ("records", "uniques", "links", "keys", "sensitive")
"""Words that statements begin with, where they are of no scenario."""

QUESTIONS = {
    "release_context": "Who will hold the data, and under which conditions?",
    "taken_for_real": "What if a synthetic record is taken for a real person's?",
    "other_sources": "Which other data about these people can be linked?",
    "intruder_knowledge": "Why would an intruder know these columns, and no others?",
    "method_released": "What is said in public of how the data were made?",
}
"""What figures do not answer (Raab 2024)."""


class Section(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A section of the file."""


class Data(Section, frozen=True, kw_only=True):
    original: str
    synthetic: str | list[str] | dict[str, Files] | None = None
    control: str | None = None
    recoded: str | None = None
    published: str | None = None
    codebook: str | None = None
    missing: tuple[str, ...] = ()
    fraction: Part | None = None
    unit: str = "people"
    engine: Literal["memory"] = "memory"
    reading: Reading = Reading()

    def files(self) -> dict[str, str]:
        """Each file by what it is: original, synthetic 1, synthetic 2 of cart, control."""
        named = {"original": self.original, "control": self.control, "codebook": self.codebook,
                 "published": self.published}  # fmt: skip
        versions = self.synthetic if isinstance(self.synthetic, dict) else {"": self.synthetic}
        for version, copies in versions.items():
            paths = [copies] if isinstance(copies, str) else copies or ()
            of_version = f" of {version}" if version else ""
            named |= {f"synthetic {n}{of_version}": path for n, path in enumerate(paths, 1)}
        return {role: path for role, path in named.items() if path}


class Scenario(Section, frozen=True, kw_only=True):
    keys: tuple[str, ...] = ()
    targets: tuple[str | tuple[str, ...], ...] = ()
    columns: dict[str, Column] = {}
    measures: tuple[str, ...] = ()


class Context(Section, frozen=True, kw_only=True):
    audience: Audience = "open"
    four_eyes: bool = False


class PackSettings(Section, frozen=True, kw_only=True):
    formats: tuple[Format, ...] = ()
    title: str = ""
    description: str = ""
    licence: str = ""
    contact: str = ""
    publisher: str = ""
    differences: str = ""
    method: str = ""


class Statement(Row, frozen=True, kw_only=True):
    """What a named person states, whatever it is about."""

    about: str
    answer: str
    reason: str = ""
    by: str
    on: date


class Signed(Statement, frozen=True, kw_only=True):
    """The same with what it was said of: it is void when that changes."""

    holds_for: str = ""

    @property
    def plain(self) -> Statement:
        return Statement(**{name: self[name] for name in Statement.__struct_fields__})


class Settings(Section, frozen=True, kw_only=True):
    unveil: Literal[1]
    title: str = ""
    data: Data
    columns: dict[str, Column] = {}
    scenario: dict[str, Scenario] = {}
    context: Context = Context()
    limits: dict[str, Limit] = {}
    synthesis: dict[str, Any] = {}
    protect: tuple[dict[str, Any], ...] = ()
    result: tuple[PublishedResult, ...] = ()
    table: tuple[TableOfPlan, ...] = ()
    pack: PackSettings = PackSettings()
    statement: tuple[Signed, ...] = ()

    def with_role(self, role: str) -> tuple[str, ...]:
        columns = as_columns(self.columns)
        return tuple(name for name, column in columns.items() if column.role == role)

    @property
    def scenarios(self) -> dict[str, Scenario]:
        """Each intruder; all keys and targets where nothing else is said of one."""
        declared = self.scenario or {EVERYTHING: Scenario()}
        return {
            name: msgspec.structs.replace(
                scenario,
                keys=scenario.keys or self.with_role("key"),
                targets=scenario.targets or self.with_role("target"),
            )
            for name, scenario in declared.items()
        }


def read_settings(text: str, limited: Iterable[str], measures: Iterable[str]) -> Settings:
    """The settings, or all faults of the file at once."""
    try:
        document = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        raise InputError(f"project.toml is no TOML: {fault}.") from None
    faults = list(_faults(document, Settings, ()))
    if not faults:
        settings = msgspec.convert(document, Settings, strict=False)
        faults = list(_names_not_there(settings, [*limited], [*measures]))
        if not faults:
            return settings
    lines = sorted((line_of(text, place), sentence) for place, sentence in faults)
    raise InputError("\n".join(f"project.toml, line {at}: {what}" for at, what in lines))


Fault = tuple[Place, str]


def _faults(value: Any, kind: Any, place: Place) -> Iterator[Fault]:
    """Where a value is not of its declared type, down to the single setting."""
    name = ".".join(map(str, place))
    if isinstance(value, dict) and (struct := _struct_of(kind)):
        hints = get_type_hints(struct, include_extras=True)
        for setting, part in value.items():
            if setting in hints:
                yield from _faults(part, hints[setting], (*place, setting))
            else:
                where = f"[{name}] has no setting" if name else "There is no section"
                yield from _refusal((*place, setting), check_name, setting, hints, where)
        for field in msgspec.structs.fields(struct):
            if field.required and field.name not in value:
                yield place, f"{'.'.join(filter(None, (name, field.name)))} is missing."
    elif isinstance(value, dict) and get_origin(kind) is dict:
        for key, part in value.items():
            yield from _faults(part, get_args(kind)[1], (*place, key))
    elif isinstance(value, list) and _struct_of(entry := next(iter(get_args(kind)), None)):
        for number, part in enumerate(value):
            yield from _faults(part, entry, (*place, number))
    elif isinstance(value, str) and (choices := [*_choices(kind)]):
        yield from _refusal(place, check_name, value, choices, f"{name} cannot be")
    else:
        yield from _refusal(place, convert, name, value, kind)


def _refusal(place: Place, check: Callable[..., Any], *about: Any) -> Iterator[Fault]:
    try:
        check(*about)
    except InputError as fault:
        yield place, str(fault)


def _struct_of(kind: Any) -> type[msgspec.Struct] | None:
    """The struct that a type is, or allows."""
    kinds = () if get_origin(kind) in (dict, list, tuple) else (kind, *get_args(kind))
    return next((k for k in kinds if isinstance(k, type) and issubclass(k, msgspec.Struct)), None)


def _choices(kind: Any) -> Iterator[Any]:
    """The texts that a type allows, where it allows no others."""
    if get_origin(kind) is Literal:
        yield from get_args(kind)
    elif str not in get_args(kind):
        for part in get_args(kind):
            yield from _choices(part)


def _names_not_there(
    settings: Settings, limited: list[str], measures: list[str]
) -> Iterator[Fault]:
    """Names that no column, figure or measure has, and what is said twice."""
    columns = [*settings.columns]
    for name, scenario in settings.scenario.items():
        targets = [part for t in scenario.targets for part in ([t] if isinstance(t, str) else t)]
        for setting, names, known, lacks in (
            ("keys", scenario.keys, columns, "[columns] has no"),
            ("targets", targets, columns, "[columns] has no"),
            ("columns", scenario.columns, columns, "[columns] has no"),
            ("measures", scenario.measures, measures, "There is no measure"),
        ):
            for text in names:
                yield from _refusal(("scenario", name, setting), check_name, text, known, lacks)
        if "/" in name or name in KINDS:
            yield ("scenario", name), f"A scenario cannot be called {name!r}. Rename it."
    for address in settings.limits:
        figure = address.partition("@")[0]
        yield from _refusal(
            ("limits", address), check_name, figure, limited, "No limit can be set on"
        )


def line_of(text: str, place: Place) -> int:
    """The line on which a setting stands, or the nearest table around it."""
    line, depth, table = 1, 0, Place()
    entries: dict[Place, int] = {}
    for number, written in enumerate(text.splitlines(), start=1):
        if header := re.match(r"\s*(\[\[?)([^\]]+)\]", written):
            here = table = _parts(header[2])
            if header[1] == "[[":
                entries[table] = entries.get(table, -1) + 1
                here = table = (*table, entries[table])
        elif setting := re.match(r"""\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\.[\w-]+)*)\s*=""", written):
            here = (*table, *_parts(setting[1]))
        else:
            continue
        if depth < len(here) and place[: len(here)] == here:
            line, depth = number, len(here)
    return line


def _parts(dotted: str) -> Place:
    names = re.findall(r"""("[^"]*"|'[^']*'|[\w-]+)""", dotted)
    return tuple(name.strip("\"'") for name in names)
