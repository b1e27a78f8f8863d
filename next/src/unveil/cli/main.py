"""`unveil`: commands are public calls, their results in the form that is asked for."""

import shlex
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import click

import unveil
from unveil.arguments import split_names
from unveil.cli.derive import parameters_of, settings_of, study_of, summary_of
from unveil.errors import UnveilError, check_name
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
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
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
        with unveil.progress(_tell):
            results = [each(study, **settings_of(each, asked)) for each in calls]
        checks = _check(results, limits)
        for path in out:
            _save(results, path, names)
        click.echo(to_json(results) if is_json else _screen(results, names, checks))
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


def _check(results: Sequence[Result], limits: dict[str, float]) -> list[Check]:
    """Each limit is held against the first result that has the figure."""
    checks: list[Check] = []
    for address, limit in limits.items():
        figure = address.partition("@")[0]
        by_figure = {name: r for r in reversed(results) for t in r.all_tables() for name in t.units}
        check_name(figure, by_figure, "There is no figure")
        checks += by_figure[figure].check({address: limit})
    return checks


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
    click.echo(to_json([result]) if is_json else _screen([result], split_names(show), ()))
    return 0


commands.add_command(command_of(unveil.disclosure, _beside_disclosure))
commands.add_command(
    click.Command("demo", callback=demo, help=summary_of(demo), params=[SHOW, JSON])
)
