"""The commands of a project: each a method of `unveil.Project`, shown as its result is shown."""

import inspect
import json
import shlex
import sys
import time
import webbrowser
from collections.abc import Callable, Sequence
from inspect import Parameter
from pathlib import Path
from textwrap import wrap
from typing import Any

import click
import tomlkit

import unveil
from unveil.arguments import hints_of, split_names
from unveil.cli.command import JSON, OUT, SHOW, check_paths, finish, print_text
from unveil.cli.derive import help_texts, options_of, parse_settings, summary_of, versions_of
from unveil.errors import InputError, printable
from unveil.making.tries import best_of
from unveil.project.pack import verify as verify_pack
from unveil.project.parts import open_study
from unveil.project.project import Project
from unveil.project.view import next_of
from unveil.results import Result, to_json
from unveil.show.save import write_csv
from unveil.show.terminal import screen

EXIT_CODES = "Exit codes: 0 within limits, or released; 2 input; 3 blocked; 4 a person must decide."
FOLDER = click.Option(["--project", "-p", "folder"], default=".", metavar="FOLDER",
                      help="The folder of the project.")  # fmt: skip
PATIENCE = 5  # seconds after which the time that is left is told
Method = Callable[..., Any]


class Progress:
    """How far a run is, on a line that it takes away again, with the time that is left."""

    def __init__(self) -> None:
        self.start, self.done, self.parts = time.monotonic(), 0, 1

    def __call__(self, what: str, place: int, parts: int) -> None:
        share = place / max(parts, 1)
        if what == "run":
            self.done, self.parts, share = place, parts, 0
        if not sys.stderr.isatty():
            return
        elapsed = time.monotonic() - self.start
        whole = (self.done + share) / max(self.parts, 1)
        left = (
            f", about {elapsed * (1 - whole) / whole:,.0f} s left"
            if (whole and elapsed > PATIENCE)
            else ""
        )
        line = f"part {min(self.done + 1, self.parts)} of {self.parts}{left}"
        click.echo("\r" + " " * 60 + "\r" + (line if whole < 1 else ""), err=True, nl=False)


def make_command(
    name: str, method: Method, run: Method, arguments: Sequence[click.Argument],
    output: Sequence[click.Parameter], left_out: Sequence[str] = (),
) -> click.Command:  # fmt: skip
    """The command of a method: its arguments, and an option for each other setting."""
    taken = {argument.name for argument in arguments} | {*left_out}
    parameters = inspect.signature(method).parameters
    names = [n for n in parameters if n in hints_of(method) and n not in taken]
    options = list(options_of(method, names, help_texts(method)))
    required = [o for o in options if parameters[str(o.name)].default is Parameter.empty]

    def run_checked(**asked: Any) -> int:
        for option in required:
            if asked[str(option.name)] is None:
                raise InputError(f"{option.opts[0]} is missing. {option.help}")
        code: int = run(**asked)
        return code

    return click.Command(
        name, callback=run_checked, help=f"{summary_of(method)}\n\n{EXIT_CODES}",
        params=[*arguments, *options, FOLDER, *output],
    )  # fmt: skip


MOST = 14  # columns that `init` lists


def init(folder: str, is_json: bool, **asked: Any) -> int:
    """Propose a project, and show what is proposed."""
    original, synthetic = asked.pop("original"), asked.pop("synthetic")
    about = parse_settings(Project.create, asked)
    project = Project.create(original, versions_of(synthetic), folder=folder, **about)
    described = unveil.describe(project.study())
    if is_json:
        print_text(to_json([described]))
        return 0
    columns = tomlkit.parse(project.file.read_text("utf-8"))["columns"]
    rows = [(name, column.get("role", "none"), column.trivia.comment.lstrip("# "))
            for name, column in columns.items()]  # fmt: skip
    width = max(len(name) for name, _, _ in rows)
    limits = ", ".join(f"{name} {limit:g}" for name, limit in project.settings.limits.items())
    where = "" if folder == "." else f" --project {shlex.quote(folder)}"
    lines = [
        f"{project.file} proposes:",
        *(f"  {name:<{width}}  {role:<10}  {why}" for name, role, why in rows[:MOST]),
        *([f"  {len(rows) - MOST} more"] if len(rows) > MOST else []),
        f"In no role: {', '.join(name for name, role, _ in rows if role == 'none') or 'none'}.",
        *(line for sentence in described.sentences for line in wrap(sentence, 80)),
        f"Limits: {limits} ({project.settings.context.audience} data; a start, no standard).",
        f"Next: unveil {'run' if synthetic else 'synthesise'}{where}",
    ]
    print_text("\n".join(map(printable, lines)))
    return 0


def run(
    folder: str, show: tuple[str, ...], out: tuple[Path, ...], is_json: bool, **asked: Any
) -> int:
    project = Project(folder)
    check_out(out, project)
    with unveil.progress(Progress()):
        result = project.run(**parse_settings(Project.run, asked))
    return print_result(result, show, out, is_json)


def explain(
    folder: str, target: str, show: tuple[str, ...], out: tuple[Path, ...], is_json: bool,
    **asked: Any,
) -> int:  # fmt: skip
    project = Project(folder)
    check_out(out, project)
    result = project.explain(target, **parse_settings(Project.explain, asked))
    if split_names(show) == ["records"]:
        records = result.records()
        print_text(json.dumps(records.to_dicts()) if is_json else write_csv(records))
        return 0
    return print_result(result, show, out, is_json)


def protect(
    folder: str, show: tuple[str, ...], out: tuple[Path, ...], is_json: bool, **asked: Any
) -> int:
    project = Project(folder)
    check_out(out, project)
    with unveil.progress(Progress()):
        result = project.protect(**parse_settings(Project.protect, asked))
    if show or out or is_json:
        return print_result(result, show, out, is_json)
    best = best_of(result.tried) if result.tried else None
    step = f"unveil protect --use {best.number:g}" if best else "unveil run"
    tables = screen([result], ["tried"] if result.tried else ["steps"]).splitlines()[1:-1]
    lines = [*(line for text in result.sentences for line in wrap(text, 80)), *tables]
    print_text("\n".join(map(printable, [*lines, f"Next: {in_folder(step, folder)}"])))
    return 0


def sign(folder: str, **asked: Any) -> int:
    project = Project(folder)
    signed = project.sign(**{"answers": {}} | parse_settings(Project.sign, asked))
    standing = project.standing()
    lines = [f"Stated by {said.by}: {said.about}, {said.answer}" for said in signed]
    more = (
        f"{len(standing.missing)} statements are missing."
        if standing.missing
        else ("Nothing is missing.")
    )
    step = next_of(standing, "")[1] if standing.state != "blocked" else "unveil run"
    print_text("\n".join(map(printable, [*lines, more, f"Next: {in_folder(step, folder)}"])))
    return 0


def decide(folder: str, is_json: bool, **asked: Any) -> int:
    result = Project(folder).decide(**parse_settings(Project.decide, asked))
    return print_result(result, (), (), is_json)


def report(folder: str, is_opened: bool, out: tuple[Path, ...], run: str | None) -> int:
    project = Project(folder)
    number = parse_settings(Project.report, {"run": run})
    for path in out or (None,):
        written = project.report(path, **number)
        print_text(f"{written} is written. It is confidential.")
    if is_opened:
        webbrowser.open(written.resolve().as_uri())
    print_text(f"Next: {in_folder(next_of(project.standing(), '')[1], folder)}")
    return 0


def pack(folder: str, path: Path | None, verify: Path | None, is_json: bool) -> int:
    if (path is None) == (verify is None):
        raise InputError("Name the pack that is built (release.zip), or one to --verify.")
    if verify is not None:
        return print_result(verify_pack(verify), (), (), is_json)
    return print_result(Project(folder).pack(path), (), (), is_json)


def log(folder: str, show: tuple[str, ...], is_json: bool) -> int:
    return print_result(Project(folder).log(), show, (), is_json)


def print_result(result: Result, show: Sequence[str], out: Sequence[Path], is_json: bool) -> int:
    """A result as it is asked for; the exit code says what is wrong with it."""
    names = split_names(show)
    code = finish([result], names, {}, out, is_json=is_json)
    return max(code, getattr(result, "exit_code", 0))


def in_folder(command: str, folder: str) -> str:
    """A command for a project that is elsewhere."""
    return command if folder == "." else f"{command} --project {shlex.quote(folder)}"


def check_out(out: Sequence[Path], project: Project) -> None:
    check_paths(out, open_study(project.settings, project.folder) if out else None)


ORIGINAL = click.Argument(["original"], metavar="FILE")
SYNTHETIC = click.Argument(["synthetic"], nargs=-1)
TARGET = click.Argument(["target"])
ANSWERS = click.Argument(["answers"], nargs=-1, metavar="ABOUT=ANSWER...")
ANSWER = click.Argument(["answer"], metavar="release|refuse")
PATH = click.Argument(["path"], required=False, metavar="OUT.zip", type=click.Path(path_type=Path))
VERIFY = click.Option(["--verify"], metavar="PACK.zip", type=click.Path(path_type=Path),
                      help="Check a pack that was received.")  # fmt: skip
OPEN = click.Option(["--open", "is_opened"], is_flag=True, help="Show it in the browser.")
COMMANDS: dict[str, Callable[[], click.Command]] = {
    "init": lambda: make_command(
        "init", Project.create, init, [ORIGINAL, SYNTHETIC], [JSON], ["folder"]
    ),
    "run": lambda: make_command("run", Project.run, run, [], [SHOW, OUT, JSON]),
    "protect": lambda: make_command("protect", Project.protect, protect, [], [SHOW, OUT, JSON]),
    "explain": lambda: make_command(
        "explain", Project.explain, explain, [TARGET], [SHOW, OUT, JSON]
    ),
    "sign": lambda: make_command("sign", Project.sign, sign, [ANSWERS], []),
    "decide": lambda: make_command("decide", Project.decide, decide, [ANSWER], [JSON]),
    "report": lambda: make_command("report", Project.report, report, [], [OPEN, OUT], ["path"]),
    "pack": lambda: make_command("pack", Project.pack, pack, [PATH], [VERIFY, JSON]),
    "log": lambda: make_command("log", Project.log, log, [], [SHOW, JSON]),
}


EXAMPLE = Path("unveil-demo")
STATED = {
    "limits": "accepted",
    "release_context": "Registered researchers, who sign that they link nothing.",
    "taken_for_real": "Every record is marked; users are told that nobody is in it.",
    "other_sources": "A population register, closed to these researchers.",
    "intruder_knowledge": "Neighbours see sex and age, and know where people live.",
    "method_released": "Trees, column by column.",
}


def demo() -> int:
    """A finished project of the example, and what it ran through."""
    from unveil.examples import KEYS, TARGETS, survey, survey_synthetic

    if EXAMPLE.exists():
        raise InputError(f"{str(EXAMPLE)!r} is there already. Move it, or go to another folder.")
    EXAMPLE.mkdir()
    survey().write_csv(EXAMPLE / "survey.csv")
    survey_synthetic().write_csv(EXAMPLE / "FAKE_survey.csv")
    analyst, head = "A. Jones, analyst", "B. Smith, data protection"
    project = Project.create(
        str(EXAMPLE / "survey.csv"), str(EXAMPLE / "FAKE_survey.csv"), folder=str(EXAMPLE),
        keys=KEYS, targets=TARGETS, columns={"income": {"special": (-8,)}}, audience="registered",
        by=analyst,
    )  # fmt: skip
    with unveil.progress(Progress()):
        project.run(by=analyst)
    abouts = [need.about for need in project.standing().missing]
    answers = {about: STATED.get(about, "accepted") for about in abouts}
    project.sign(answers, reason="Exact incomes are in no register.", by=analyst)
    project.decide("release", reason="For registered researchers only.", by=head)
    project.pack(EXAMPLE / "release.zip")
    written = project.report()
    lines = [
        f"{EXAMPLE} has two files, a run, {len(answers)} statements, a decision and a pack.",
        f"The page to sign is {written}.",
        f"What would leave is {EXAMPLE / 'release.zip'}.",
        f"Next: unveil run --project {EXAMPLE}",
    ]
    print_text("\n".join(lines))
    return 0
