"""Which commands are there? Each is loaded when it is called, and not before."""

import gc
from importlib import import_module

import click

from unveil.errors import hint_at

COMMANDS = {
    "answer": ("answer", "Record the answers to the five context questions, by name."),
    "app": ("app", "Open a project in the browser, on this machine only."),
    "assess": ("assess", "Assess synthetic files without a project: the page to sign, in short."),
    "attack": ("attack", "Simulated attacks: excess success over a control sample."),
    "cap": ("cap", "Correct attribution probability: CAP, GCAP and the four TCAPs."),
    "codebook": (
        "codebook",
        "Describe a file, or compare the structure of synthetic data with it.",
    ),
    "claims": ("claims", "What the synthetic data add to what other people's records teach."),
    "compare": ("compare", "Compare runs of a project: settings, risk and utility."),
    "convert": ("convert", "Write synthetic data as SPSS, Stata, Parquet or CSV, marked as fake."),
    "decide": ("decide", "Record the release decision of a named person, with the evidence."),
    "demo": ("demo", "Assess the embedded example."),
    "differential-confidentiality": (
        "differential",
        "Test whether guesses are correct more often about training records.",
    ),
    "disclosure": ("disclosure", "Identity and attribute disclosure of synthetic data."),
    "doctor": ("doctor", "Check the installation; write a support bundle without data."),
    "excess": ("excess", "Excess disclosure of training records over a control sample."),
    "exclusion-table": ("exclusion_table", "Disclosure under the usual exclusions, side by side."),
    "explain": ("explain", "Explain the result for one target variable and list its flags."),
    "explore": ("explore", "Compare synthesis settings by disclosure risk and utility."),
    "gtcap": ("gtcap", "Attribute disclosure for statistical uniques, with numeric tolerance."),
    "init": ("init", "Start a project: proposes roles, scenarios and limits, with reasons."),
    "keysets": ("keysets", "Disclosure by every subset of the keys, beside what is expected."),
    "limits": ("limits", "Show, change and accept the limits of a project."),
    "log": ("log", "Show the audit trail; verify the hash chain."),
    "noise": ("noise", "Compute how much noise a synthetic column needs; add it."),
    "pack": ("pack", "Build the release pack, and check that nothing else leaves."),
    "plan": ("plan", "Disclosure by many published tables together, and which tables do it."),
    "protect": ("protect", "Recode, synthesise, filter and add noise, as the project declares."),
    "recognise": ("recognise", "Test whether single people are recognised as members."),
    "replicate": ("replicate", "Test whether the synthetic data replicate published results."),
    "report": ("report", "Write a run as one self-contained HTML report, ready to sign and print."),
    "rule": ("rule", "Record a ruling on a flag: common knowledge or residual risk."),
    "run": ("run", "Compute every measure a project declares; compare with the limits."),
    "set": ("set", "Change settings of a project: roles, scenarios, synthesis, pack; logged."),
    "sign": ("sign", "Accept limits and answer context questions in one step, by name."),
    "split": ("differential", "Split a file at random into a training and a control sample."),
    "suggest": ("suggest", "Propose keys, targets and identifiers, with reasons."),
    "synthesise": ("synthesise", "Synthesise a file; the output is marked as fake."),
    "table": ("table", "Disclosure risk of a table of counts (SAP, bounds)."),
    "uniques": ("uniques", "Sample uniques, special uniques (SUDA) and match risk of one file."),
    "utility": ("utility", "Utility of synthetic data: propensity score, pairs, distributions."),
    "verify": ("pack", "Check a release pack: manifest, marks, codebook, signature."),
    "whatif": ("whatif", "Show the effect of an exclusion before it is recorded."),
}
"""The module of each command in this folder, and what it does in a line."""

FORMER = {"findings": "replicate"}
"""Commands that have another name now; the old one works for one version more."""

PROJECT = (
    *("init", "set", "synthesise", "protect", "run", "explain", "whatif", "rule", "limits"),
    *("answer", "sign", "compare", "report", "decide", "pack", "verify", "log", "app"),
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
        gc.disable()  # a tenth of the time of imports is a search for garbage that is not there
        module = import_module(f"unveil.cli.{COMMANDS[cmd_name][0]}")
        gc.enable()
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
            raise click.UsageError(f"No such command {args[0]!r}.{hint_at(args[0], [*COMMANDS])}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands."""
        others = [name for name in COMMANDS if name not in PROJECT]
        for title, names in (
            ("A project, from data to decision", PROJECT),
            ("Without a project", others),
        ):
            with formatter.section(title):
                formatter.write_dl([(name, COMMANDS[name][1]) for name in names])
