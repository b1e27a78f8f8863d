"""Which commands are there? Each is loaded when it is called, and not before."""

from importlib import import_module

import click

from unveil.errors import nearest

COMMANDS = {
    "answer": ("answer", "Answer the five questions about the context of a release."),
    "assess": ("assess", "The summary of synthetic files, without a project."),
    "attack": ("attack", "What simulated attacks find in a copy, beyond general knowledge."),
    "cap": ("cap", "How often a guess among matching records would be right (CAP, TCAP)."),
    "codebook": ("codebook", "What is in a file, and how a copy is built otherwise."),
    "compare": ("compare", "Runs of a project side by side: settings, risk and utility."),
    "convert": ("convert", "Write copies as SPSS, Stata, Parquet or CSV, marked as fake."),
    "decide": ("decide", "Release the copy, or refuse to: decided by a named person."),
    "demo": ("demo", "The main job, on an embedded example."),
    "differential-confidentiality": (
        "differential",
        "Whether people are recognised because their own record was used, tested.",
    ),
    "disclosure": ("disclosure", "What synthetic files would give away about an original."),
    "doctor": ("doctor", "Whether all is there that unveil needs; a bundle for help requests."),
    "excess": ("excess", "Whether people are given away because their own record was used."),
    "exclusion-table": ("exclusion_table", "What the usual exclusions leave, side by side."),
    "explain": ("explain", "Why a target stands where it stands, and what to type about it."),
    "explore": ("explore", "Which way of making copies gives least away for its utility."),
    "gtcap": ("gtcap", "What is given away about people who stand out, numbers included."),
    "init": ("init", "Begin a project: roles, scenarios and limits, proposed with reasons."),
    "keysets": (
        "keysets",
        "Disclosure by every set of the keys: the worst, beside what is expected.",
    ),
    "limits": ("limits", "Limits in force, presets with their origin; accept them by name."),
    "log": ("log", "Who changed what and when; whether all is as it was written."),
    "noise": ("noise", "How much noise a column of a copy needs; the copy with it."),
    "plan": ("plan", "What many published tables disclose together, and which of them."),
    "protect": ("protect", "Recode, synthesise, filter and add noise, as a project file says."),
    "replicate": ("replicate", "Whether published results still come out on the copy."),
    "report": ("report", "Write a run as one self-contained HTML report, ready to sign and print."),
    "rule": ("rule", "Record a ruling on a flag: common knowledge or residual risk."),
    "run": ("run", "Compute every measure a project declares; compare with the limits."),
    "split": ("differential", "Split a file at random into people to be used and left out."),
    "suggest": ("suggest", "Which columns may be keys, targets or identifiers, and why."),
    "synthesise": ("synthesise", "Make synthetic copies of a file, marked as fake."),
    "table": ("table", "Disclosure risk of a table of counts (SAP, bounds)."),
    "uniques": ("uniques", "Who is alone with their keys, and with how few of them."),
    "utility": ("utility", "How much of the original's story a copy still tells."),
    "whatif": ("whatif", "What would change if something were common knowledge."),
}
"""The module of each command in this folder, and what it does in a line."""

FORMER = {"findings": "replicate"}
"""Commands that have another name now; the old one works for one version more."""

PROJECT = (
    *("init", "synthesise", "protect", "run", "explain", "whatif", "rule", "limits", "answer"),
    *("compare", "report", "decide", "log"),
)
"""The commands of a project, in the order in which they are needed."""


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
        if args[0] in FORMER:
            name = FORMER[args[0]]
            click.echo(f"`unveil {args[0]}` is now `unveil {name}`.", err=True)
            args = [name, *args[1:]]
        if args[0] not in COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"No such command {args[0]!r}.{nearest(args[0], [*COMMANDS])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        others = [name for name in COMMANDS if name not in PROJECT]
        for title, names in (("A project, from data to decision", PROJECT), ("By itself", others)):
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names])
