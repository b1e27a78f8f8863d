"""How is a release made, once more, from other people's data? With every protection inside.

By settings of `unveil.synthesise` or `unveil.protect`, by a Python function, or by a command. What
can be written down is made in processes of its own; each is started anew (never copied from this
one), is handed the data through a pipe, and ends when the pipe closes.
"""

import os
import subprocess
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from hashlib import sha256
from importlib import import_module
from inspect import getsource
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from unveil.arguments import quote_value
from unveil.errors import InputError, ReadError, SettingsError, quote_text
from unveil.io.sources import read_table
from unveil.io.table import Labelled, Table
from unveil.project.model import ProjectFile
from unveil.project.protect import plan_protection, protect
from unveil.project.read_files import parse_command
from unveil.project.recode_original import RECODINGS
from unveil.protection.leaf_sizes import add_leaf_size
from unveil.protection.recoding.recode import recode, restore_form
from unveil.records.recoding import Step, step_word
from unveil.seeding import stream
from unveil.study.study import Study
from unveil.synthesis.synthesise import synthesise

_FILE = "data.csv", "synthetic.csv"


@dataclass(frozen=True)
class ReleaseFiles:
    """The files of one release, and how people's records were recoded for it."""

    copies: list[pl.DataFrame]
    recipes: tuple[tuple[Step, ...], ...] = ()  # one for each file, where it was recoded

    def recode(self, people: pl.DataFrame, copy: int) -> pl.DataFrame:
        """People's records as that file has them: like is compared with like."""
        if not self.recipes or not self.recipes[copy]:
            return people
        return recode_people(people, self.recipes[copy])


def recode_people(people: pl.DataFrame, recipe: Sequence[Step]) -> pl.DataFrame:
    """Records recoded by a recipe with its limits; steps that leave out or add chance are not."""
    kept = [step for step in recipe if step_word(step) in RECODINGS]
    kept = [step for step in kept if step.column in people.columns]
    return _frame_of(recode(people, kept).data) if kept else people


def _frame_of(data: Any) -> pl.DataFrame:
    """The frame, without what is declared about it."""
    return data.frame if isinstance(data, Labelled) else data


class SynthesisProcedure(msgspec.Struct, frozen=True, tag="synthesise", tag_field="by"):
    """Settings of `unveil.synthesise`."""

    settings: dict[str, Any]

    def release(self, table: Table, seed: int, rows: int, files: int) -> ReleaseFiles:
        """All files from one fit."""
        own = {} if self.settings.get("keep") else {"rows": rows}
        asked: dict[str, Any] = {**self.settings, **own, "seed": seed, "copies": files}
        return ReleaseFiles(list(synthesise(restore_form(table), **asked, workers=1).copies))


class ProtectProcedure(msgspec.Struct, frozen=True, tag="protect", tag_field="by"):
    """Settings of `unveil.protect`: recoding, synthesis, filter and noise."""

    settings: dict[str, Any]

    def release(self, table: Table, seed: int, rows: int, files: int) -> ReleaseFiles:
        """Each file by itself, as `protect` makes one."""
        made = [
            protect(restore_form(table), **{**self.settings, "rows": rows, "seed": one})
            for one in _seeds(seed, files)
        ]
        return ReleaseFiles(
            [_frame_of(one.data) for one in made], tuple(one.recipe for one in made)
        )


class CandidateProcedure(msgspec.Struct, frozen=True, tag="explore", tag_field="by"):
    """One setting of `unveil.explore`, and what all its settings share."""

    setting: dict[str, Any]
    common: dict[str, Any]

    def release(self, table: Table, seed: int, rows: int, files: int) -> ReleaseFiles:
        """As `explore` makes its copies."""
        from unveil.project.explore.candidates import CommonSettings, make_copies
        from unveil.project.explore.settings import CandidateSetting
        from unveil.study.scenario import no_progress

        order = CommonSettings(**self.common, n_copies=files, workers=1)
        setting = CandidateSetting.of({"rows": rows, **self.setting})
        made = make_copies(Study([table]).original, setting, order, seed, no_progress).copies
        return ReleaseFiles([_frame_of(one) for one in made])


class CommandProcedure(msgspec.Struct, frozen=True, tag="command", tag_field="by"):
    """A program that reads a CSV file and writes one; its words, with places to fill in."""

    words: tuple[str, ...]

    def release(self, table: Table, seed: int, rows: int, files: int) -> ReleaseFiles:
        """The program is run once for each file; what it prints is thrown away."""
        return ReleaseFiles([self._run(table.frame, one, rows) for one in _seeds(seed, files)])

    def _run(self, frame: pl.DataFrame, seed: int, rows: int) -> pl.DataFrame:
        with tempfile.TemporaryDirectory(prefix="unveil_") as folder:
            data, out = (Path(folder) / name for name in _FILE)
            frame.write_csv(data)
            filled = {"data": data, "out": out, "seed": seed, "rows": rows}
            words = [_fill(word, filled) for word in self.words]
            try:
                done = subprocess.run(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    check=False,
                )
            except OSError:
                name = quote_text(self.words[0])
                raise SettingsError(f"The command {name} cannot be started.") from None
            if done.returncode or not out.exists():
                raise SettingsError(
                    f"The command {quote_text(self.words[0])} ended with code {done.returncode} and"
                    f" {'wrote its file' if out.exists() else 'wrote no file'}."
                )
            return read_table(out, side="synthetic").frame


class FunctionProcedure(msgspec.Struct, frozen=True, tag="function", tag_field="by"):
    """A Python function (data, seed, rows) that another process can import."""

    module: str
    name: str
    source: str  # hash of its text, so that worlds of another text are not reused

    def release(self, table: Table, seed: int, rows: int, files: int) -> ReleaseFiles:
        """As the function makes it."""
        function = reduce(getattr, self.name.split("."), import_module(self.module))
        return LiveProcedure(function).release(table, seed, rows, files)


@dataclass(frozen=True)
class LiveProcedure:
    """A function of this process alone: it cannot be handed to another."""

    function: Any

    def release(self, table: Table, seed: int, rows: int, files: int) -> ReleaseFiles:
        """One file for each call, or all files from one where it gives several."""
        made: list[Any] = []
        for one in _seeds(seed, files):
            found = self.function(table.frame, one, rows)
            made += found if isinstance(found, list | tuple) else [found]
            if len(made) >= files:
                break
        return ReleaseFiles([read_table(one, side="synthetic").frame for one in made])


Described = (
    SynthesisProcedure
    | ProtectProcedure
    | CandidateProcedure
    | CommandProcedure
    | FunctionProcedure
)
Procedure = Described | LiveProcedure


def _seeds(seed: int, files: int) -> list[int]:
    """One for each file; seeds of 31 bits, which every program takes."""
    return [int(stream(seed, "file", one).integers(2**31 - 1)) for one in range(files)]


def _fill(word: str, filled: Mapping[str, Any]) -> str:
    for name, value in filled.items():
        word = word.replace(f"{{{name}}}", str(value))
    return word


def parse_procedure(given: Any) -> Procedure:
    """What a user gave: settings, a function, or a command as text or words."""
    if isinstance(given, CandidateProcedure):
        return given
    if callable(given):
        return _of_function(given)
    if isinstance(given, str | list | tuple):
        return CommandProcedure(tuple(parse_command(given)))
    if not isinstance(given, Mapping):
        raise SettingsError(
            f"The release procedure is {quote_value(given)}. Give settings of unveil.synthesise or"
            " of unveil.protect, a function of data, seed and rows, or a command."
        )
    settings = {str(name): value for name, value in given.items()}
    beside = sorted({*BESIDE} & {*settings})
    if beside:
        raise SettingsError(
            f"The settings hold {', '.join(beside)}, which differ from world to world or are asked"
            " for beside the settings (files, rows). Remove them."
        )
    procedure = (ProtectProcedure if "steps" in settings else SynthesisProcedure)(settings)
    try:
        msgspec.json.encode(procedure)
    except (TypeError, ValueError, msgspec.MsgspecError):
        raise SettingsError(
            "The settings contain something other than text, numbers and lists. Use only these, so"
            " that another process can follow them."
        ) from None
    return procedure


def _of_function(given: Any) -> Procedure:
    module, name = getattr(given, "__module__", None), getattr(given, "__qualname__", "")
    if module in (None, "__main__") or "<" in name:
        return LiveProcedure(given)
    try:
        found = reduce(getattr, name.split("."), import_module(str(module)))
        text = getsource(given)
    except (ImportError, AttributeError, OSError, TypeError):
        return LiveProcedure(given)
    if found is not given:
        return LiveProcedure(given)
    return FunctionProcedure(str(module), name, sha256(text.encode()).hexdigest())


BESIDE = ("seed", "workers", "progress", "copies", "rows", "sweep")
"""Settings that differ from world to world, or are asked for beside the procedure."""


def procedure_of(project: ProjectFile) -> Any:
    """How a project says that its release is made: a command, its steps, or its synthesis."""
    command = (project.recognition or {}).get("command")
    if command is not None:
        return command
    given = dict(project.data.special_codes)
    codes = {"special_codes": given} if given else {}
    if project.steps:
        plan, _ = plan_protection(project)
        synthesis, _ = add_leaf_size(plan.synthesis, project.context.audience)
        kept = {name: one for name, one in synthesis.items() if name not in (*BESIDE, "person")}
        steps = [dict(step) for step in project.steps]
        return {"steps": steps, "synthesis": kept, **codes}
    if project.synthesis is None:
        raise SettingsError(
            "[recognition]: the project does not say how the release is made. Declare [synthesis],"
            ' [[protect.step]], or a command: command = "mysynth {data} {out} --seed {seed}".'
        )
    kept = {name: one for name, one in project.synthesis.items() if name not in BESIDE}
    return {**codes, **kept}


def describe(procedure: Procedure) -> str:
    """The procedure in a few words, for a page."""
    if isinstance(procedure, CommandProcedure):
        return f"the command {Path(procedure.words[0]).name}"
    if isinstance(procedure, ProtectProcedure):
        return "unveil.protect"
    if isinstance(procedure, SynthesisProcedure):
        method = procedure.settings.get("method", "cart")
        return f"unveil.synthesise, {method if isinstance(method, str) else 'several methods'}"
    if isinstance(procedure, CandidateProcedure):
        return "a setting of unveil.explore"
    name = procedure.name if isinstance(procedure, FunctionProcedure) else "given in Python"
    return f"the function {name}"


def mark(procedure: Procedure) -> str | None:
    """The same for the same procedure; None where it cannot be known. Files of a command count."""
    if isinstance(procedure, LiveProcedure):
        return None
    made = sha256(msgspec.json.encode(procedure, order="sorted"))
    if isinstance(procedure, CommandProcedure):
        for word in procedure.words:
            if os.path.isfile(word):
                made.update(Path(word).read_bytes())
    return made.hexdigest()


def keeps_rows(procedure: Procedure) -> bool:
    """Whether the number of rows can be asked for: else the length would tell who was out."""
    return not isinstance(procedure, CommandProcedure) or any(
        "{rows}" in word for word in procedure.words
    )


def explain_failure(fault: BaseException) -> str:
    """Why a release could not be made; of others' errors the name alone, for they quote data."""
    return str(fault) if isinstance(fault, InputError) else f"{type(fault).__name__}."


def release_quietly(
    procedure: Procedure, table: Table, seed: int, rows: int, files: int
) -> ReleaseFiles:
    """One release; what libraries warn of is not told for every world."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = procedure.release(table, seed, rows, files)
    if not made.copies or any(not one.height for one in made.copies):
        raise ReadError("The release is empty.")
    return made
