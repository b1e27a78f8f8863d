"""`unveil recognise`: can an intruder tell that a person was in the data?"""

from pathlib import Path
from typing import Any

import click

from unveil.cli.options import (
    by_column_option,
    file_option,
    json_option,
    missing_option,
    names_option,
    option,
    person_option,
)
from unveil.cli.output_files import check_records, write_private_rows
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, SettingsError
from unveil.io.read_toml import parse_document, read_text
from unveil.measure.attacks.recognition_result import RecognitionResult
from unveil.measure.attacks.worlds import ABSENCES, INTRUDERS
from unveil.project.make_worlds import HEAD
from unveil.project.measure_parts import Measuring, inputs_of
from unveil.project.plan_run import plan_recognition
from unveil.project.read_files import parse_command
from unveil.project.read_project import read_project
from unveil.project.recognition import FOLDER, recognition
from unveil.project.release_procedure import BESIDE
from unveil.project.seeds import CONFIDENTIAL, project_seed
from unveil.view.format import format_count, lines, people
from unveil.view.output import print_record

INTERRUPTED, EXCEEDED = 130, 3
QUICK = 100


def read_settings(path: Path) -> dict[str, Any]:
    """How a release is made, by the [synthesis] and [[protect.step]] of a TOML file."""
    document = parse_document(path.name, read_text(path, "settings"))
    synthesis, protect = document.get("synthesis", {}), document.get("protect", {})
    steps = protect.get("step", []) if isinstance(protect, dict) else []
    if not isinstance(synthesis, dict) or not isinstance(steps, list) or not (synthesis or steps):
        raise SettingsError(
            f"The file {path.name!r} does not say how the release is made. Write a table"
            " [synthesis], and steps as [[protect.step]]."
        )
    kept = {name: one for name, one in synthesis.items() if name not in BESIDE}
    return {"steps": steps, "synthesis": kept} if steps else kept


@click.command()
@click.argument("original", required=False)
@option("--reference", "People of the same kind whose records were not used.", "FILE")
@option("--settings", "The release by unveil: a file with [synthesis], [[protect.step]].", "FILE")
@option(
    "--command",
    'The release by a program: "mysynth {data} {out} --seed {seed}"; also {rows}.',
    "WORDS",
)
@option("--released", "A synthetic file to be released. May be repeated.", "FILE", multiple=True)
@option("--people", "Number of people to test.", "N", type=int, default=100)
@option("--worlds", "Number of worlds.", "N", type=int, default=400)
@option("--quick", f"Only {QUICK} worlds, for a first look.", is_flag=True)
@option(
    "--intruder", "Knows everyone else, or only people of the kind.",
    type=click.Choice(INTRUDERS), default="others",
)  # fmt: skip
@option("--out", "A person who is out is replaced, or removed.", type=click.Choice(ABSENCES))
@option("--files", "Synthetic files in one release. Default: those released, or 1.", "N", type=int)
@option("--rows", "Rows of each. Default: those released, or as the original.", "N", type=int)
@names_option("--knows columns", "What the intruder knows of a person. Default: all columns.")
@names_option("--without", "Columns to exclude, such as record numbers.")
@names_option("--categorical", "Numeric columns that are codes: equal or not, never near.")
@by_column_option(
    "--special-codes", "Special codes: income=-8,-9. May be repeated.", "COLUMN=CODES"
)
@person_option
@missing_option
@option("--claimed-epsilon", "Audit: exit code 3 if more is shown.", "EPSILON", type=float)
@option("--level", "Confidence level.", type=float, default=0.95)
@option("--seed", "The same seed gives the same figures.", "N", type=int)
@option("--workers", "Processes. Default: as many as there are cores.", "N", type=int)
@file_option("--folder", "CONFIDENTIAL: keep finished worlds here, and continue.", "FOLDER")
@file_option("--records", "CONFIDENTIAL: write the people tested to this CSV file.")
@json_option
def recognise(
    *,
    original: str | None,
    settings: str | None,
    command: str | None,
    released: tuple[str, ...],
    quick: bool,
    records: Path | None,
    as_json: bool,
    **asked: Any,
) -> int:
    """Test whether single people are recognised as members of ORIGINAL, by rerunning the release.

    The release is simulated in many worlds; in each, some of the people tested are in the data and
    some are not. Without ORIGINAL, or with a project, the project declares all settings.

    \b
    Example:
      unveil recognise survey.csv --reference others.csv --settings synthesis.toml
      unveil recognise survey.csv --reference others.csv --released synthetic.csv \\
        --command "Rscript mysynth.R {data} {out} {seed}" --folder worlds
      unveil recognise
    """
    check_records({"--records": records})
    if original is None or original.endswith(".toml") or Path(original).is_dir():
        found = _of_project(original)
    else:
        if (settings is None) == (command is None):
            raise ReadError(
                "State how the release is made, in one way: --settings synthesis.toml, or --command"
                ' "mysynth {data} {out} --seed {seed}".'
            )
        made = parse_command(command) if settings is None else read_settings(Path(settings))
        asked |= {"worlds": QUICK} if quick else {}
        asked |= {"columns": asked["columns"] or None, "released": list(released) or None}
        found = _recognise(original, made, asked)
    if records is not None:
        n = people(found.people().height)
        write_private_rows(records, found.people(), f"{n} tested, and what was found of each,")
    print_record(found.record, as_json=as_json)
    is_at_fault = not found.record.self_test.passed or found.record.exceeds_claim
    return EXCEEDED if is_at_fault else 0


def _recognise(original: str, made: Any, asked: dict[str, Any]) -> RecognitionResult:
    try:
        with progress_bar() as bar:
            return recognition(original, made, **asked, progress=bar)
    except KeyboardInterrupt:
        _tell_stopped(asked["folder"])
        raise click.exceptions.Exit(INTERRUPTED) from None


def _of_project(given: str | None) -> RecognitionResult:
    """As the project asks for it, and with the worlds that its run made."""
    project = read_project(given)
    part = plan_recognition(project, inputs := inputs_of(project))
    seed = project_seed(project.folder, None).of(part.name)
    try:
        with progress_bar() as bar:
            found: RecognitionResult = Measuring(inputs, bar).recognise(part, seed)
            return found
    except KeyboardInterrupt:
        _tell_stopped(project.folder / CONFIDENTIAL / FOLDER)
        raise click.exceptions.Exit(INTERRUPTED) from None


def _tell_stopped(folder: Path | None) -> None:
    if folder is not None and (folder / HEAD).exists():
        n = format_count(len(list(folder.glob("world_*.f32"))), "world")
        click.echo(
            f"unveil: Stopped. {n} kept in {lines(str(folder))!r}; the same command continues.",
            err=True,
        )
