"""`unveil`: commands are public calls, their results in the form that is asked for."""

import sys
from io import TextIOWrapper

import click

import unveil
from unveil.arguments import split_names
from unveil.cli.command import (
    JSON,
    SHOW,
    Command,
    make_command,
    print_text,
    screen_of,
    tell,
    when_asked,
    with_control,
    within,
)
from unveil.cli.derive import summary_of
from unveil.errors import UnveilError
from unveil.results import to_json

ATTACKS = (unveil.inference, unveil.linkability, unveil.singling_out, unveil.membership)
COMMANDS = {
    "attack": Command(unveil.attack, dict.fromkeys(ATTACKS, within)),
    "disclosure": Command(
        unveil.disclosure, {unveil.excess: with_control, unveil.key_sets: when_asked}
    ),
}


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


def demo(show: tuple[str, ...], is_json: bool) -> int:
    """Assess the embedded example: 5,000 invented people and one synthetic file of them."""
    from unveil.examples import KEYS, TARGETS, survey, survey_synthetic

    income = unveil.Column(special=(-8,), tolerance=200)
    study = unveil.Study(
        survey(), survey_synthetic(), keys=KEYS, targets=TARGETS, columns={"income": income}
    )
    with unveil.progress(tell):
        result = unveil.disclosure(study, seed=1)
    print_text(to_json([result]) if is_json else screen_of([result], split_names(show), ()))
    return 0


for command_name, command in COMMANDS.items():
    commands.add_command(make_command(command_name, command))
commands.add_command(
    click.Command("demo", callback=demo, help=summary_of(demo), params=[SHOW, JSON])
)
