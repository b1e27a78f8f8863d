"""`unveil`: commands are public calls, their results in the form that is asked for."""

import inspect
import os
import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import click

import unveil
from unveil.arguments import split_names
from unveil.cli.derive import parameters_of, settings_of, study_of, summary_of
from unveil.errors import InputError, UnveilError, check_name
from unveil.results import Check, Result, exit_code, parse_limits, to_json
from unveil.study import Study

Call = Callable[..., Result]
EXIT_CODES = "Exit codes: 0 within limits, or none set; 2 input; 3 blocked; 4 a person must decide."
SHOW = click.Option(["--show"], multiple=True, metavar="NAMES", help="Tables, charts, words, all.")
JSON = click.Option(["--json", "is_json"], is_flag=True, help="Print one JSON document.")
OUTPUT = [
    SHOW,
    click.Option(["--out"], multiple=True, metavar="FILE", type=click.Path(path_type=Path),
                 help="Write a file: .json .csv .html .svg .png .pdf."),
    JSON,
    click.Option(["--limit"], multiple=True, metavar="FIGURE=VALUE",
                 help="The most a figure may be, as DiSCO@health=10; beyond in percent of people."),
]  # fmt: skip


@click.group(
    context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False,
    invoke_without_command=True,
)  # fmt: skip
@click.version_option(unveil.__version__)
@click.pass_context
def commands(context: click.Context) -> None:
    """The disclosure risk of synthetic data and of tables of counts, before release."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main() -> None:
    """Run a command; what people can mend is one sentence, and an exit code says what kind."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # of a terminal that lacks a sign
    try:
        sys.exit(commands(prog_name="unveil", standalone_mode=False))
    except UnveilError as fault:
        click.echo(f"unveil: {fault}", err=True)
        sys.exit(fault.exit_code)
    except click.ClickException as fault:
        click.echo(f"unveil: {fault.format_message()} Try unveil --help.", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        sys.exit(130)
    except OSError as fault:
        click.echo(f"unveil: the output cannot be written ({fault.strerror}).", err=True)
        sys.exit(2)
    except Exception as fault:  # its text may hold values of the data
        click.echo(f"unveil: internal error ({type(fault).__name__}). Please report it.", err=True)
        sys.exit(1)


def command_of(
    call: Call, beside: Callable[[Study, Sequence[str]], Iterable[Call]]
) -> click.Command:
    """The command of a public call, and of the others that its files allow or its tables need."""

    def run(
        show: tuple[str, ...], out: tuple[Path, ...], is_json: bool, limit: tuple[str, ...],
        **asked: Any,
    ) -> int:  # fmt: skip
        limits, names = parse_limits(limit), split_names(show)
        study = study_of(asked)
        calls = (call, *beside(study, names))
        kinds = [inspect.signature(each).return_annotation for each in calls]
        _check_names(kinds, names, limits)
        for path in out:
            check_path(path, [Path(text) for text in (asked["original"], *asked["synthetic"])])
        with unveil.progress(_tell):
            results = [each(study, **settings_of(each, asked)) for each in calls]
        checks = _check(results, limits)
        for path in out:
            _save(results, path, names)
        _print(to_json(results, checks) if is_json else _screen(results, names, checks))
        return exit_code(checks)

    return click.Command(
        call.__name__.replace("_", "-"), callback=run,
        help=f"{summary_of(call)}\n\n{EXIT_CODES}", params=[*parameters_of(call), *OUTPUT],
    )  # fmt: skip


def _tell(what: str, place: int, parts: int) -> None:
    """How far long work is, on a line that it takes away again."""
    if sys.stderr.isatty() and parts > 1:
        line = f"\r{what}: {place} of {parts}" if place < parts else "\r" + " " * 40 + "\r"
        click.echo(line, err=True, nl=False)


def _check_names(
    kinds: Sequence[type[Result]], names: Iterable[str], limits: Iterable[str]
) -> None:
    """Refuse what is asked for and is not there, before work begins."""
    known = {name for kind in kinds for name in (*kind.headings(), *kind.drawings)}
    known |= {"key_sets", "excess", "words", "all"}
    for name in names:
        check_name(name, sorted(known), "There is no table or chart")
    for address in limits:
        figures = {"beyond"}.union(*(kind.limited() for kind in kinds))
        check_name(address.partition("@")[0], sorted(figures), "No limit can be set on")


def _check(results: Sequence[Result], limits: dict[str, float]) -> list[Check]:
    """Each limit is held against every result that has the figure."""
    return [
        check
        for address, limit in limits.items()
        for result in results
        if _has(result, address.partition("@")[0])
        for check in result.check({address: limit})
    ]


def _has(result: Result, figure: str) -> bool:
    return bool(result.figures) if figure == "beyond" else figure in result.limited()


def _print(text: str) -> None:
    """To whoever reads it; who has gone away changes no exit code."""
    try:
        click.echo(text)
    except BrokenPipeError:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115


def check_path(path: Path, inputs: Sequence[Path]) -> None:
    """Refuse where nothing can be written, or a file that was read."""
    from unveil.show.save import check_writable

    check_writable(path)
    if any(file.exists() and path.exists() and path.samefile(file) for file in inputs):
        raise InputError(f"{str(path)!r} is a file that is read. Write to another (--out).")


def _save(results: Sequence[Result], path: Path, names: Sequence[str]) -> None:
    from unveil.show.save import save

    save(results, path, names)


def _screen(results: Sequence[Result], names: Sequence[str], checks: Sequence[Check]) -> str:
    from unveil.show.terminal import screen

    return screen(results, names, checks, shlex.join(["unveil", *sys.argv[1:]]))


def _beside_disclosure(study: Study, names: Sequence[str]) -> list[Call]:
    """R where there is a control sample, sets of keys where they are asked for."""
    asks_for_sets = {"key_sets", "sets", "worst"} & set(names)
    return [unveil.excess] * study.has_control + [unveil.key_sets] * bool(asks_for_sets)


def demo(show: tuple[str, ...], is_json: bool) -> int:
    """Assess the embedded example: 5,000 invented people and one synthetic file of them."""
    from unveil.examples import KEYS, TARGETS, survey, survey_synthetic

    income = unveil.Column(special=(-8,), tolerance=200)
    study = Study(
        survey(), survey_synthetic(), keys=KEYS, targets=TARGETS, columns={"income": income}
    )
    with unveil.progress(_tell):
        result = unveil.disclosure(study, seed=1)
    _print(to_json([result]) if is_json else _screen([result], split_names(show), ()))
    return 0


commands.add_command(command_of(unveil.disclosure, _beside_disclosure))
commands.add_command(
    click.Command("demo", callback=demo, help=summary_of(demo), params=[SHOW, JSON])
)
