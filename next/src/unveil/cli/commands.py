"""The commands: public calls by their names, and the few that are more than calls."""

from collections.abc import Callable
from functools import partial

import click

import unveil
from unveil.arguments import split_names
from unveil.cli.command import (
    JSON,
    SHOW,
    Command,
    always,
    make_command,
    print_text,
    screen_of,
    tell,
    when_asked,
    with_control,
    with_tolerance,
    within,
)
from unveil.cli.derive import summary_of
from unveil.results import to_json

ATTACKS = ("inference", "linkability", "singling_out", "membership", "recognition")
COMMANDS = {
    "assess": Command("assess", {"utility": when_asked}),
    "cap": Command("cap", {"gtcap": with_tolerance, "differential_confidentiality": with_control}),
    "attack": Command("attack", dict.fromkeys(ATTACKS, within)),
    "describe": Command("describe"),
    "disclosure": Command("disclosure", {"excess": with_control, "key_sets": when_asked}),
    "uniques": Command("suda", {"match_risk": always}, settings=("k", "wildcard")),
    "utility": Command("utility", {"compare": when_asked, "replicate": always}, ("results",)),
}


def demo(show: tuple[str, ...], is_json: bool, is_project: bool) -> int:
    """Assess the embedded example: 5,000 invented people and one synthetic file of them."""
    if is_project:
        from unveil.cli.project import demo as demo_project

        return demo_project()
    from unveil.examples import KEYS, TARGETS, survey, survey_synthetic

    income = unveil.Column(special=(-8,), tolerance=200)
    study = unveil.Study(
        survey(), survey_synthetic(), keys=KEYS, targets=TARGETS, columns={"income": income}
    )
    with unveil.progress(tell):
        result = unveil.disclosure(study, seed=1)
    print_text(to_json([result]) if is_json else screen_of([result], split_names(show), ()))
    return 0


def _split_command() -> click.Command:
    from unveil.cli.split import split_command

    return split_command()


def _synthesise_command() -> click.Command:
    from unveil.cli.making import synthesise_command

    return synthesise_command()


def _noise_command() -> click.Command:
    from unveil.cli.making import noise_command

    return noise_command()


def _demo_command() -> click.Command:
    project = click.Option(["--project", "is_project"], is_flag=True,
                           help="Write the files, and a finished project.")  # fmt: skip
    return click.Command("demo", callback=demo, help=summary_of(demo), params=[project, SHOW, JSON])


def _table_command() -> click.Command:
    from unveil.cli.table import table_command

    return table_command()


def _project_command(name: str) -> click.Command:
    from unveil.cli.project import COMMANDS as OF_PROJECT

    return OF_PROJECT[name]()


OF_PROJECT = ("init", "protect", "run", "explain", "sign", "decide", "report", "pack", "log")
ALL: dict[str, Callable[[], click.Command]] = {
    "demo": _demo_command,
    "noise": _noise_command,
    "split": _split_command,
    "synthesise": _synthesise_command,
    "table": _table_command,
    **{name: partial(_project_command, name) for name in OF_PROJECT},
    **{name: partial(make_command, name, command) for name, command in COMMANDS.items()},
}
