"""The parameters of a command, from the signatures and numpydoc docstrings of `Study` and a call.

The files and options of a study come first, then each keyword of the call as an option of the same
name. How an argument is written and read is part of its type (`unveil.arguments.Form`).
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import Parameter
from pathlib import Path
from typing import Any

import click

from unveil.arguments import form_of, hints_of, split_names, takes
from unveil.errors import InputError
from unveil.study import Needs, Study

Call = Callable[..., Any]
OF_STUDY = ("keys", "targets", "control", "columns", "missing", "engine")


def parameters_of(calls: Sequence[Call], settings: Sequence[str]) -> Iterator[click.Parameter]:
    """Arguments for the files, options for what is said of the study, and of the first call.

    Settings that only a call beside it has are options where they are named.
    """
    first, *others = calls
    needs = Needs.of(first)
    yield click.Argument(["original"])
    if needs.synthetic is not False:
        yield click.Argument(["synthetic"], nargs=-1, required=bool(needs.synthetic))
    is_said = {
        "keys": needs.keys or needs.synthetic is not False,
        "targets": needs.keys or bool(needs.synthetic),
        "control": bool(needs.synthetic),
        "engine": needs.there,
    }  # fmt: skip
    names = [name for name in OF_STUDY if is_said.get(name, True)]
    yield from options_of(Study.__init__, names, help_texts(Study))
    yield from options_of(first, _settings_of(first), help_texts(first))
    for call in others:
        names = [name for name in _settings_of(call) if name in settings]
        yield from options_of(call, names, help_texts(call))


def lacking(call: Call, asked: Mapping[str, Any]) -> list[str]:
    """What a call cannot do without, and was not given."""
    parameters = inspect.signature(call).parameters
    needed = (name for name in _settings_of(call) if parameters[name].default is Parameter.empty)
    return [name for name in needed if asked.get(name) in (None, ())]


def options_of(call: Call, names: Any, texts: dict[str, str]) -> Iterator[click.Option]:
    """An option for each of these settings of a call."""
    defaults, hints = inspect.signature(call).parameters, hints_of(call)
    for name in names:
        yield _option(name, defaults[name].default, hints[name], texts[name])


def study_of(asked: dict[str, Any]) -> Study:
    """The study of what a command was given."""
    about = {name: asked[name] for name in OF_STUDY if name in asked}
    synthetic = versions_of(asked.get("synthetic") or ())
    return Study(asked["original"], synthetic, **parse_settings(Study.__init__, about))


def settings_of(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    """The settings of a call, as far as it was given any."""
    return parse_settings(call, {name: asked[name] for name in _settings_of(call) if name in asked})


def summary_of(call: Call) -> str:
    """The first line of the docstring."""
    return (inspect.getdoc(call) or "").partition("\n")[0]


def _settings_of(call: Call) -> list[str]:
    return [name for name in hints_of(call) if name != "study"]


def parse_settings(call: Call, asked: dict[str, Any]) -> dict[str, Any]:
    hints = hints_of(call)
    return {
        name: form.parse(value) if (form := form_of(hints[name])) else value
        for name, value in asked.items()
        if value not in (None, ())
    }


def versions_of(texts: tuple[str, ...]) -> Any:
    """Files, or NAME=FILE,FILE for each version."""
    if not texts:
        return None
    named = [("", "", text) if Path(text).is_file() else text.partition("=") for text in texts]
    if not any(mark for _, mark, _ in named):
        return list(texts)
    names = [name for name, _, _ in named]
    if not all(mark for _, mark, _ in named) or len(set(names)) < len(names):
        raise InputError("Name every version once, NAME=FILE,FILE, or none.")
    return {name: split_names([files]) for name, _, files in named}


def _option(name: str, default: Any, hint: Any, help_text: str) -> click.Option:
    if form := form_of(hint):
        flags = form.flags or (f"--{name.replace('_', '-')}",)
        return click.Option([*flags, name], help=help_text, metavar=form.metavar, multiple=True)
    if hint is bool:
        flag = f"--no-{name}" if default else f"--{name.replace('_', '-')}"
        return click.Option([flag, name], help=help_text, flag_value=not default,
                            default=default, is_flag=True)  # fmt: skip
    metavar = "NUMBER" if "number" in takes(hint) else "TEXT"
    flags = (f"--{name.replace('_', '-')}", name)
    return click.Option(flags, help=help_text, metavar=metavar, type=str, default=None)


def help_texts(call: Any) -> dict[str, str]:
    """What a docstring says of each parameter."""
    section = (inspect.getdoc(call) or "").partition("Parameters\n----------\n")[2]
    entries = re.findall(r"^(\w+(?:, \w+)*)\n((?: {4}.*\n?)+)", section, re.MULTILINE)
    return {name: " ".join(text.split()) for names, text in entries for name in names.split(", ")}
