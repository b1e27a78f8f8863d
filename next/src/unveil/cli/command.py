"""A command: a public call on files, with its result in the form that is asked for."""

import inspect
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

import unveil
from unveil.arguments import hints_of, split_names
from unveil.cli.derive import lacking, parameters_of, settings_of, study_of, summary_of
from unveil.errors import InputError, check_name, printable
from unveil.results import Check, Result, exit_code, parse_limits, to_json
from unveil.study import Needs, Study

Call = Callable[..., Result]
EXIT_CODES = "Exit codes: 0 within limits, or none set; 2 input; 3 blocked; 4 a person must decide."
SHOW = click.Option(["--show"], multiple=True, metavar="NAMES", help="Tables, charts, words, all.")
JSON = click.Option(["--json", "is_json"], is_flag=True, help="Print one JSON document.")
OUT = click.Option(["--out"], multiple=True, metavar="FILE", type=click.Path(path_type=Path),
                   help="Write a file: .json .csv .html .svg .png .pdf.")  # fmt: skip
LIMIT = click.Option(["--limit"], multiple=True, metavar="FIGURE=VALUE",
                     help="The most a figure may be; of one row FIGURE@ROW=VALUE.")  # fmt: skip


Where = Callable[[Study, bool], bool]
"""Of a call beside another: whether it is made, of a study, and if its tables are asked for."""


def always(study: Study, is_asked: bool) -> bool:
    return True


def with_control(study: Study, is_asked: bool) -> bool:
    return study.has_control


def with_tolerance(study: Study, is_asked: bool) -> bool:
    return is_asked or bool(study.near_targets)


def when_asked(study: Study, is_asked: bool) -> bool:
    return is_asked


def within(study: Study, is_asked: bool) -> bool:
    """The first call makes it itself."""
    return False


class Command(NamedTuple):
    """The name of a call whose settings are options, and those of others beside it."""

    name: str
    beside: Mapping[str, Where] = {}
    settings: tuple[str, ...] = ()  # options that only a call beside it has; some cannot do without

    @property
    def call(self) -> Call:
        return getattr(unveil, self.name)

    @property
    def all_calls(self) -> list[Call]:
        return [getattr(unveil, name) for name in (self.name, *self.beside)]

    def calls(self, study: Study, names: Sequence[str], asked: Mapping[str, Any]) -> list[Call]:
        """All that the files allow, and what is typed."""
        first, *others = self.all_calls
        beside = [
            call
            for call, where in zip(others, self.beside.values(), strict=True)
            if where(study, is_shown := bool(_names_of(call) & set(names)))
            and (is_shown or study.in_memory or Needs.of(call).there)
            and not lacking(call, asked)
        ]
        return [first, *beside]

    @property
    def known(self) -> set[str]:
        """What may be asked to be shown."""
        return {"words", "all"}.union(*map(_names_of, self.all_calls))


def _kind_of(call: Call) -> type[Result]:
    kind: type[Result] = inspect.signature(call).return_annotation
    return kind


def _names_of(call: Call) -> set[str]:
    """The names of its tables and charts, and its own."""
    kind = _kind_of(call)
    return {call.__name__, *kind.headings(), *kind.drawings}


def make_command(name: str, command: Command) -> click.Command:
    """The command line of a command."""

    def run(
        show: tuple[str, ...], out: tuple[Path, ...], is_json: bool,
        limit: tuple[str, ...] = (), **asked: Any,
    ) -> int:  # fmt: skip
        limits, names = parse_limits(limit), split_names(show)
        for shown in names:
            check_name(shown, sorted(command.known), "There is no table or chart")
        study = study_of(asked)
        calls = command.calls(study, names, asked)
        check_limits_of(calls, limits)
        check_paths(out, study)
        settings = [settings_of(call, asked) for call in calls]
        with unveil.progress(tell):
            results = [
                call(study, **of_call) for call, of_call in zip(calls, settings, strict=True)
            ]
        return finish(results, names, limits, out, is_json=is_json)

    has_limits = any(_kind_of(call).limited() for call in command.all_calls)
    is_own = "limits" in hints_of(command.call)  # which knows its limits itself
    output = [SHOW, OUT, JSON, *([LIMIT] if has_limits and not is_own else [])]
    codes = f"\n\n{EXIT_CODES}" if has_limits else ""
    return click.Command(
        name, callback=run, help=f"{summary_of(command.call)}{codes}",
        params=[*parameters_of(command.all_calls, command.settings), *output],
    )  # fmt: skip


def finish(
    results: Sequence[Result], names: Sequence[str], limits: dict[str, float],
    out: Iterable[Path], *, is_json: bool,
) -> int:  # fmt: skip
    """Write and print results beside their limits; the exit code."""
    checks = _check(results, limits)
    for path in out:
        _save(results, path, names)
    verdict = results[0].verdict
    checks += results[0].checks
    print_text(to_json(results, checks) if is_json else screen_of(results, names, checks))
    if verdict is None:
        return exit_code(checks)
    click.echo(f"exit {verdict.exit_code}: {printable(verdict.headline)}", err=True)
    return int(verdict.exit_code)


def tell(what: str, place: int, parts: int) -> None:
    """How far long work is, on a line that it takes away again."""
    if not parts:
        click.echo(what, err=True)
    elif sys.stderr.isatty() and parts > 1:
        line = f"\r{what}: {place} of {parts}" if place < parts else "\r" + " " * 40 + "\r"
        click.echo(line, err=True, nl=False)


def check_limits_of(calls: Sequence[Call], limits: Iterable[str]) -> None:
    """Refuse limits on what will not be measured, before work begins."""
    figures = set[str]().union(*(_kind_of(call).limited() for call in calls))
    for address in limits:
        check_name(address.partition("@")[0], sorted(figures), "No limit can be set on")


def check_paths(paths: Iterable[Path], study: Any) -> None:
    """Refuse where nothing can be written, or a file that was read."""
    for path in paths:
        from unveil.show.save import check_writable

        check_writable(path)
        if any(path.exists() and file.path and path.samefile(file.path) for file in study.files):
            raise InputError(f"{str(path)!r} is a file that is read. Write to another (--out).")


def _check(results: Sequence[Result], limits: dict[str, float]) -> list[Check]:
    """Each limit is held against every result that has the figure."""
    return [
        check
        for address, limit in limits.items()
        for result in results
        if address.partition("@")[0] in result.limited()
        for check in result.check({address: limit})
    ]


def _save(results: Sequence[Result], path: Path, names: Sequence[str]) -> None:
    from unveil.show.save import save

    save(results, path, names)


def print_text(text: str) -> None:
    """To whoever reads it; who has gone away changes no exit code."""
    try:
        click.echo(text)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def screen_of(results: Sequence[Result], names: Sequence[str], checks: Sequence[Check]) -> str:
    from unveil.show.terminal import screen

    return screen(results, names, checks, shlex.join(["unveil", *sys.argv[1:]]))
