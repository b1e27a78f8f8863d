"""Which commands are there? Each is loaded when it is called, and not before."""

from importlib import import_module

import click

from unveil.errors import nearest

COMMANDS = {
    "attack": ("attack", "What simulated attacks find in a copy, beyond general knowledge."),
    "cap": ("cap", "How often a guess among matching records would be right (CAP, TCAP)."),
    "codebook": ("codebook", "What is in a file, and how a copy is built otherwise."),
    "convert": ("convert", "Write copies as SPSS, Stata, Parquet or CSV, marked as fake."),
    "demo": ("demo", "The main job, on an embedded example."),
    "differential-confidentiality": (
        "confidentiality",
        "Whether people are recognised because their own record was used, tested.",
    ),
    "disclosure": ("disclosure", "What synthetic files would give away about an original."),
    "doctor": ("doctor", "Whether all is there that unveil needs; a bundle for help requests."),
    "excess": ("excess", "Whether people are given away because their own record was used."),
    "exclusion-table": ("exclusion_table", "What the usual exclusions leave, side by side."),
    "explore": ("explore", "Which way of making copies gives least away for its utility."),
    "findings": ("findings", "Whether published results still come out on the copy."),
    "gtcap": ("gtcap", "What is given away about people who stand out, numbers included."),
    "noise": ("noise", "How much noise a column of a copy needs; the copy with it."),
    "protect": ("protect", "Recode, synthesise, filter and add noise, as a project file says."),
    "split": ("confidentiality", "Split a file at random into people to be used and left out."),
    "suggest": ("suggest", "Which columns may be keys, targets or identifiers, and why."),
    "synthesise": ("synthesise", "Make synthetic copies of a file, marked as fake."),
    "table": ("table", "What a published table of counts gives away, by how many are known."),
    "uniques": ("uniques", "Who is alone with their keys, and with how few of them."),
    "utility": ("utility", "How much of the original's story a copy still tells."),
}
"""The module of each command in this room, and what it does in a line."""


class Commands(click.Group):
    """A group whose commands are loaded one by one; its list needs none of them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"unveil.cli.{COMMANDS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name.replace("-", "_"))
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that was called; one mistyped is answered with its neighbour."""
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command {args[0]!r}.{nearest(args[0], [*COMMANDS])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, what) for name, (_, what) in COMMANDS.items()])
