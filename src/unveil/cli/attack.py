"""`unveil attack`: simulated attacks, and their excess success over a control sample."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import click

from unveil.cli.options import (
    by_column_option,
    file_option,
    files_arguments,
    keys_option,
    missing_option,
    names_option,
    option,
    output_options,
    parse_names,
    parse_number_by_column,
    parse_whole_numbers,
    person_option,
    together,
    words_option,
)
from unveil.cli.output_files import check_targets, write_targets
from unveil.cli.progress import Report, progress_bar
from unveil.errors import ReadError, RolesError, SettingsError, list_names, quote_text
from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability
from unveil.measure.attacks.membership import membership
from unveil.measure.attacks.prepare import check_asked_for
from unveil.measure.attacks.singling_out import singling_out
from unveil.records.attacks import AttackRun, Attacks, CopyAttacks, Membership
from unveil.seeding import choose_seed
from unveil.study.study import Study, StudyFile
from unveil.view.attacks import TITLE, attack_rates, attacks_page, run_blocks
from unveil.view.blocks import Heading
from unveil.view.output import print_output
from unveil.view.render_documents import csv_document, json_document

# Which attacks, with which settings? How the options of `unveil attack` are read.


Sets = tuple[tuple[str, ...], tuple[str, ...]]

_APART = re.compile(r'((?:"(?:[^"]|"")*"|[^":])*):(.*)', re.DOTALL)


def parse_column_sets(option: click.Parameter, given: tuple[str, ...]) -> tuple[Sets, ...]:
    """Two sets of column names with a colon between them; a name with one stands in quotes."""
    return tuple(_sets(text, option) for text in given)


def _sets(text: str, option: click.Parameter) -> Sets:
    parted = _APART.fullmatch(text)
    if parted is None:
        raise RolesError(
            f"{option.opts[0]} {quote_text(text)} cannot be read. Write the columns of one file, a"
            f" colon, and those of the other: {option.opts[0]} sex,age:region,job. Put a name that"
            " contains a colon in double quotes."
        )
    one, other = (parse_names(option, (part,)) for part in parted.groups())
    return one, other


which_options = together(
    option(
        "--control",
        "Control sample: people whose records were not used. Without it there is no R.",
        "FILE",
    ),
    option(
        "--all everything",
        "Run every attack that the files allow (default).",
        is_flag=True,
    ),
    option("--singling-out", "Look for descriptions that fit exactly one person.", is_flag=True),
    option(
        "--linkability",
        "Link two parts of a record: sex,age:region,job. May be repeated.",
        "NAMES:NAMES",
        multiple=True,
        parse=parse_column_sets,
    ),
    option("--inference", "Guess secrets from the nearest record.", is_flag=True),
    option("--membership", "Try to recognise training records; needs --control.", is_flag=True),
)
"""--all, or the attacks by name."""


setting_options = together(
    keys_option,
    names_option(
        "--secrets", "Inference: what is guessed, one at a time. Default: all but the keys."
    ),
    option(
        "--n",
        "Number of people to attack, drawn at random. Default: all; 500 descriptions.",
        "N",
        type=int,
    ),
    option(
        "--k",
        "Linkability: number of nearest records to compare.",
        "N,N",
        default="1",
        parse=parse_whole_numbers,
    ),
    option(
        "--n-cols", "Singling out: number of columns in a description. Default: 3.", "N", type=int
    ),
    option(
        "--tolerance",
        "Tolerance for a numeric guess, as a share of the true value.",
        "SHARE",
        type=float,
        default=0.05,
    ),
    option(
        "--absolute",
        "Tolerance in the column's own unit: income=50. May be repeated.",
        "COLUMN=X",
        multiple=True,
        parse=parse_number_by_column,
    ),
    option("--groups", "Inference for each value of a secret as well.", is_flag=True),
    option("--level", "Confidence level of the intervals.", type=float, default=0.95),
    option("--seed", "Seed of the draws. Default: drawn and recorded.", "N", type=int),
    names_option("--categorical", "Numeric columns that are codes: equal or not, never near."),
    names_option("--without", "Columns to exclude, such as record numbers."),
    by_column_option(
        "--special-codes",
        "Special codes, which are not amounts: income=-8,-9. May be repeated.",
        "COLUMN=CODES",
    ),
    person_option,
    option(
        "--time",
        "With --person: the column by which a person's rows follow one another. The intruder knows"
        " all of them.",
        "COLUMN",
    ),
    missing_option,
)
"""What is known, what is guessed, how many are attacked, and how columns are read."""


document_options = together(
    words_option,
    file_option("--chart", "Write the chart of all risks: .svg, .png or .pdf.", "FILE"),
    file_option("--page", "Write a self-contained page.", "FILE.html"),
)
"""The sentences, and the files to write."""


def halves(names: Sequence[str]) -> Sets:
    """The first half of the names and the rest."""
    middle = (len(names) + 1) // 2
    return tuple(names[:middle]), tuple(names[middle:])


# Run the attacks that were asked for on each copy, all from one seed.


N_COLS = 3


@dataclass(frozen=True)
class AttackSettings:
    """What is attacked, and how."""

    original: str
    control: str | None
    everything: bool
    singling_out: bool
    linkability: tuple[Sets, ...]
    inference: bool
    membership: bool
    keys: tuple[str, ...]
    without: tuple[str, ...]
    k: tuple[int, ...]
    n: int | None
    n_cols: int | None
    guessing: dict[str, Any]  # the settings of inference alone
    shared: dict[str, Any]  # those of all attacks, the seed among them

    @cached_property
    def is_all(self) -> bool:
        """Whether every attack is to be run that can be."""
        named = (self.singling_out, self.linkability, self.inference, self.membership)
        return self.everything or not any(named)

    @property
    def runs_inference(self) -> bool:
        """Whether secrets are guessed."""
        return self.inference or self.is_all

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """What is guessed; nothing where it is left open."""
        return self.guessing["secrets"] or ()

    @cached_property
    def elsewhere(self) -> tuple[str, ...]:
        """Every column that is asked for by its name."""
        linked = (name for two in self.linkability for part in two for name in part)
        return (*self.keys, *self.secrets, *linked)

    def settings(self, compared: Sequence[str]) -> dict[str, Any]:
        """The settings of an attack on these columns; none are all.

        Codes of columns that only another attack looks at are left to that attack.
        """
        if not compared:
            return self.shared
        is_open = self.runs_inference and not (self.keys and self.secrets)
        sees_all = self.is_all or self.singling_out or self.membership or is_open

        def mine(name: str) -> bool:
            return name in compared or not (sees_all or name in self.elsewhere)

        codes = self.shared["special_codes"]
        return {
            **self.shared,
            "special_codes": {name: given for name, given in codes.items() if mine(name)},
            "categorical": [name for name in self.shared["categorical"] if mine(name)],
        }


@dataclass
class _Target:
    """One copy under attack, and what is noticed on the way."""

    asked: AttackSettings
    study: Study
    synthetic: StudyFile
    report: Report
    notes: list[str] = field(default_factory=list)

    def measure(self, attack: Any, what: str, of: Sequence[str] = (), /, **settings: Any) -> Any:
        """The record of an attack; `of` are its columns where it does not look at all."""
        asked = self.asked
        left_out = {} if attack is linkability else {"without": asked.without}
        shared = dict(asked.settings(of))
        if attack is singling_out:  # all rows of a person are theirs, in any order
            del shared["time"]

        def progress(step: str, done: int, total: int) -> None:
            self.report(f"{what}: {step}", done, total)

        return attack(
            self.study.original,
            self.synthetic,
            control=self.study.control,
            **settings,
            **left_out,
            **shared,
            progress=progress,
        ).record


def run_attacks(asked: AttackSettings, copies: Sequence[str], report: Report) -> AttackRun:
    """Every attack on every copy; what could not be run is noted."""
    if asked.membership and asked.control is None:
        raise ReadError(
            "--membership needs --control: a control sample of people whose records were not used."
            " See unveil split."
        )
    _check_idle(asked)
    check_asked_for(asked.without, asked.elsewhere)
    missing = asked.shared["missing_values"]
    study = Study.open(
        asked.original, copies, asked.control, missing_values=missing, progress=report
    )
    targets = [_Target(asked, study, copy, report) for copy in study.synthetic]
    found = tuple(_copy(target, number) for number, target in enumerate(targets, start=1))
    first = found[0].attacks[0] if found[0].attacks else found[0].membership
    return AttackRun(
        seed=asked.shared["seed"],
        level=asked.shared["level"],
        control=None if first is None or asked.control is None else first.files[-1],
        copies=found,
        notes=tuple(dict.fromkeys(note for target in targets for note in target.notes)),
    )


def _check_idle(asked: AttackSettings) -> None:
    """Refuse settings of an attack that is not run."""
    of_inference = {
        "--secrets": asked.secrets,
        "--absolute": asked.guessing["absolute"],
        "--groups": asked.guessing["groups"],
        "--keys": asked.keys,
    }
    for name, given in of_inference.items():
        if given and not asked.runs_inference:
            raise SettingsError(f"{name} is about inference, which is not run. Add --inference.")
    if asked.n_cols is not None and not (asked.singling_out or asked.is_all):
        raise SettingsError("--n-cols is about singling out, which is not run. Add --singling-out.")


def _copy(target: _Target, number: int) -> CopyAttacks:
    asked = target.asked
    attacks = tuple(_attacks(target))
    return CopyAttacks(
        copy=number,
        file=target.synthetic.whole.source,
        attacks=attacks,
        membership=_membership(target) if asked.membership or asked.is_all else None,
    )


def _attacks(target: _Target) -> Iterator[Attacks]:
    asked, columns = target.asked, ()
    if asked.is_all and asked.n_cols is None:
        alone = target.measure(
            singling_out, "singling out", mode="univariate", **_selected_attacks(asked)
        )
        columns = alone.rows[0].keys
        yield alone
        yield from _joint(target, len(columns))
    elif asked.singling_out or asked.is_all:
        settings = {"n_cols": asked.n_cols or N_COLS, **_selected_attacks(asked)}
        record = target.measure(singling_out, "singling out", **settings)
        columns = record.rows[0].keys
        yield record
    for sets in asked.linkability or _two_halves(target, columns):
        for k in asked.k:
            both = (*sets[0], *sets[1])
            yield target.measure(linkability, "linkability", both, columns=sets, k=k, n=asked.n)
    if asked.runs_inference:
        yield from _inference(target, columns)


def _selected_attacks(asked: AttackSettings) -> dict[str, int]:
    return {} if asked.n is None else {"n": asked.n}


def _joint(target: _Target, n_columns: int) -> Iterator[Attacks]:
    """Descriptions by several columns, where there are several."""
    if n_columns < 2:
        target.notes.append(
            "Singling out by several columns and inference were not run: the files share only one"
            " column."
        )
        return
    yield target.measure(
        singling_out,
        "singling out",
        mode="multivariate",
        n_cols=min(N_COLS, n_columns),
        **_selected_attacks(target.asked),
    )


def _two_halves(target: _Target, columns: Sequence[str]) -> Iterator[Sets]:
    """Where everything is to be run and no sets are named: the keys, or the columns, in two."""
    if not target.asked.is_all:
        return
    keys = target.asked.keys
    what, names = ("keys", keys) if len(keys) > 1 else ("columns", tuple(columns))
    if len(names) < 2:
        target.notes.append("Linkability was not run: it needs at least two columns.")
        return
    one, other = halves(names)
    target.notes.append(
        f"No column sets are named for linkability, so the {what} were split in two halves:"
        f" {list_names(one)}, and {list_names(other)}. Name those of your scenario: "
        "--linkability A,B:C,D."
    )
    yield one, other


def _inference(target: _Target, columns: Sequence[str]) -> Iterator[Attacks]:
    asked = target.asked
    if asked.is_all and len(columns) == 1 and not asked.keys and not asked.inference:
        return
    of = (*asked.keys, *asked.secrets) if asked.keys and asked.secrets else ()
    keys = asked.keys or None
    yield target.measure(inference, "inference", of, keys=keys, n=asked.n, **asked.guessing)


def _membership(target: _Target) -> Membership | None:
    if target.asked.control is None:
        target.notes.append("Membership was not run: it needs a control sample, --control.")
        return None
    found: Membership = target.measure(membership, "membership", n=target.asked.n)
    return found


GUESSING = ("tolerance", "absolute", "groups")
SHARED = ("level", "person", "time", "categorical", "special_codes", "missing_values")


@click.command()
@files_arguments
@which_options
@setting_options
@output_options
@document_options
def attack(
    *,
    original: str | None,
    synthetic: tuple[str, ...],
    words: bool,
    as_json: bool,
    as_csv: bool,
    chart: Path | None,
    page: Path | None,
    **settings: Any,
) -> None:
    """Attack SYNTHETIC as an intruder would, and measure what it discloses about ORIGINAL.

    Descriptions that fit exactly one person (singling out), parts of a record brought together
    (linkability), secrets guessed (inference), and training records recognised (membership).
    Success on the control sample is general knowledge; R is the excess.

    \b
    Example:
      unveil attack train.csv synthetic.csv --control control.csv --all
      unveil attack train.csv synthetic.csv --control control.csv --inference --secrets income
    """
    _check(original, synthetic, chart=chart, page=page)
    seed = choose_seed(settings.pop("seed"))
    guessing = {name: settings.pop(name) for name in GUESSING}
    shared = {name: settings.pop(name) for name in SHARED}
    secrets = settings.pop("secrets")
    asked = AttackSettings(
        original=original or "",
        **settings,
        guessing={**guessing, "secrets": secrets or None},
        shared={**shared, "seed": seed},
    )
    with progress_bar() as bar:
        run = run_attacks(asked, synthetic, bar)
    _write(run, chart=chart, page=page)
    if as_json:
        print_output(json_document(run))
    elif as_csv:
        print_output(_csv(run))
    elif chart is None and page is None:
        print_output([Heading(TITLE), *run_blocks(run, has_words=words)])


def _check(
    original: str | None, synthetic: tuple[str, ...], *, chart: Path | None, page: Path | None
) -> None:
    """Refuse, before anything is read, what could not be done in the end."""
    if not original or not synthetic:
        raise ReadError(
            "Name the original file and at least one synthetic file: unveil attack original.csv"
            " synthetic.csv --control control.csv."
        )
    check_targets({"--chart": chart, "--page": page})


def _write(run: AttackRun, *, chart: Path | None, page: Path | None) -> None:
    write_targets({chart: lambda: attack_rates(run.copies), page: lambda: attacks_page(run)})


def _csv(run: AttackRun) -> str:
    """One row for each attack; where membership alone was tried, one for each threshold."""
    rows = [
        {"copy": copy.copy, **row.flat(), "k": record.k}
        for copy in run.copies
        for record in copy.attacks
        for row in record.rows
    ]
    members = [
        {"copy": copy.copy, **row.flat()}
        for copy in run.copies
        if copy.membership is not None
        for row in copy.membership.rows
    ]
    if rows and members:
        click.echo("unveil: membership is not among the rows: see --json.", err=True)
    return csv_document(rows or members)
