"""`unveil synthesise`: copies of a file, fitted once, drawn as often as asked for, marked FAKE."""

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any, cast

import click
from rich.console import Console

from unveil.cli.progress import progress_bar
from unveil.cli.shown import put_out
from unveil.cli.synthesis_options import options_said, refuse_beside_model, synthesis_options
from unveil.cli.synthesis_screen import Written, document, screen
from unveil.errors import ReadError, RolesError, WriteError
from unveil.protection.plan_file import is_project
from unveil.read.files import read_table
from unveil.release.copy_files import ending_of, targets_of, write_copies
from unveil.release.making import is_in_project, synthesised
from unveil.release.model import ProjectFile
from unveil.release.project_file import read_project
from unveil.report.words import lines
from unveil.synthesis.again import drawn_again
from unveil.synthesis.model_file import load, refuse_path, save
from unveil.synthesis.predicting import Layout, methods_of
from unveil.synthesis.synthesise import synthesise as fit
from unveil.synthesis.synthesiser import Synthesiser

ANEW = "Name the file and the folder for its copies: unveil synthesise survey.csv --out copies."
AGAIN = (
    "Name the folder for the copies: unveil synthesise --from CONFIDENTIAL_survey.model --out"
    " copies."
)


@click.command(short_help="Make synthetic copies of a file, marked as fake.")
@click.argument("file", required=False)
@synthesis_options
@click.pass_context
def synthesise(
    context: click.Context,
    /,
    *,
    file: str | None,
    source: Path | None,
    out: Path | None,
    ending: str | None,
    model: Path | None,
    as_json: bool,
    **settings: Any,
) -> None:
    """Make synthetic copies of FILE: each column is modelled on those before it, then drawn.

    The copies go into a folder, under names that begin with FAKE_; nothing that is there is
    overwritten. A copy is not safe because it is synthetic: measure it, with unveil disclosure.

    In the folder of a project (or where FILE is a project file) its original is taken, with the
    settings of [synthesis]; options win. The copies go into copies/0001 and are entered in the
    project file; measure them with unveil run.

    \b
    Example:
      unveil synthesise
      unveil synthesise survey.csv --out copies
      unveil synthesise survey.sav --copies 5 --seed 1 --out copies \\
        --rule 'if age < 16 then marital = SINGLE' --special-codes income=-8
      unveil synthesise --from CONFIDENTIAL_survey.model --copies 5 --out more
    """
    if source is not None:
        refuse_beside_model(context, file)
        made, written = _again(source, _folder(out, AGAIN), ending, settings)
    elif is_project(file) or (file is None and is_in_project()):
        made, written = _of_project(
            read_project(file, needs_files=False),
            out=out,
            ending=ending,
            model=model,
            settings=settings,
            said=options_said(context),
        )
    elif file is not None:
        made, written = _anew(file, _folder(out, ANEW), ending, model, settings)
    else:
        raise ReadError(ANEW)
    record = made.record
    for sentence in record.warnings:
        click.echo(f"unveil: {lines(sentence)}", err=True)
    console = Console()
    put_out(
        document(record, written) if as_json else screen(record, written, console.width), console
    )


def _folder(out: Path | None, sentence: str) -> Path:
    if out is None:
        raise ReadError(sentence)
    if not str(out).strip("."):
        raise ReadError("Name a folder of their own for the copies, such as --out copies.")
    return out


def _anew(
    file: str, out: Path, ending: str | None, model: Path | None, settings: dict[str, Any]
) -> tuple[Synthesiser, Written]:
    """Fit to a file, draw, and write."""
    targets = targets_of(file, out, max(settings["copies"], 1), ending or ending_of(file))
    if model is not None:
        _refuse_beside(refuse_path(model), out)
    with progress_bar(Console(stderr=True)) as bar:
        made = fit(file, **_asked(file, settings), progress=bar)
    return made, _written(made, targets, model)


def _of_project(
    project: ProjectFile,
    *,
    out: Path | None,
    ending: str | None,
    model: Path | None,
    settings: dict[str, Any],
    said: Container[str],
) -> tuple[Synthesiser, Written]:
    """Fit to the original of a project, draw, write, and enter the copies there."""
    folder = None if out is None else _folder(out, ANEW)
    if model is not None and folder is not None:
        _refuse_beside(model, folder)
    original = str(project.folder / project.data.original)
    asked = _only(said, _asked(original, settings))
    with progress_bar(Console(stderr=True)) as bar:
        made = synthesised(project, out=folder, ending=ending, model=model, progress=bar, **asked)
    _tell(made.notes)
    written = Written(made.paths, made.model, project=project.path)
    return cast(Synthesiser, made.result), written


def _only(said: Container[str], asked: Mapping[str, Any]) -> dict[str, Any]:
    """What was said on the command line: a project knows better than a default."""
    words = {"derived": ("derive",), "order": ("order", "predictor_only")}
    words["predictors"] = ("predictors", "predictor_only")
    return {
        name: value
        for name, value in asked.items()
        if any(word in said for word in words.get(name, (name,)))
    }


def _again(
    source: Path, out: Path, ending: str | None, settings: dict[str, Any]
) -> tuple[Synthesiser, Written]:
    """Draw from a model that is kept, and write."""
    _refuse_beside(source, out)
    kept = load(source)
    asked = {name: settings[name] for name in ("copies", "rows", "seed")}
    original = kept.record.files[0]
    targets = targets_of(original, out, max(asked["copies"], 1), ending or ending_of(original))
    with progress_bar(Console(stderr=True)) as bar:
        made = drawn_again(kept, **asked, progress=bar)
    filed = write_copies(made.copies, targets, made.codebook, made.record)
    _tell(filed.notes)
    return made, Written(filed.paths, is_again=True)


def _refuse_beside(model: Path, out: Path) -> None:
    """What is in the folder of the copies may be released with them."""
    if model.resolve().parent == out.resolve():
        raise WriteError(
            "The model would stand beside the copies, and might be released with them. Keep it in"
            " another folder: it is as confidential as the original."
        )


def _asked(file: str, settings: dict[str, Any]) -> dict[str, Any]:
    """What the options ask of the library."""
    derive = settings.pop("derive")
    only, (method, own) = settings.pop("predictor_only"), settings.pop("method")
    order: Any = settings["order"] or None
    asked = {
        **settings,
        "order": "auto" if order == ("auto",) else order,
        "method": own or method or "cart",
        "derived": derive,
    }
    if only or (own and method):
        asked |= _laid_out(file, asked, derive, only, (method or "cart", own))
    return {name: value for name, value in asked.items() if value not in ({}, ())}


def _laid_out(
    file: str,
    asked: Mapping[str, Any],
    derive: Mapping[str, str],
    only: tuple[str, ...],
    method: tuple[str, dict[str, str]],
) -> dict[str, Any]:
    """Order, predictors and methods spelt out for every column."""
    if asked["order"] == "auto":
        raise RolesError(
            "--order auto cannot be combined with --predictor-only, or with one method for all"
            " columns and others by column. Name the columns in their order."
        )
    table = read_table(file, side="original", missing_values=asked["missing_values"])
    others = (*derive, *asked["drop"], *asked["renumber"])
    layout = Layout(table.frame.columns, table.place, asked["keep"], asked["strata"], others, only)
    order = layout.order(asked["order"])
    spelt: dict[str, Any] = {"method": methods_of(*method, order)} if method[1] else {}
    if only:
        spelt |= {"order": order, "predictors": layout.predictors(order, asked["predictors"])}
    return spelt


def _written(made: Synthesiser, targets: tuple[Path, ...], model: Path | None) -> Written:
    """Copies and model, or neither."""
    kept = None if model is None else save(made, model)
    try:
        filed = write_copies(made.copies, targets, made.codebook, made.record)
    except BaseException:
        if kept is not None:
            kept.unlink(missing_ok=True)
        raise
    _tell(filed.notes)
    return Written(filed.paths, kept)


def _tell(notes: tuple[str, ...]) -> None:
    for note in notes:
        click.echo(f"unveil: {lines(note)}", err=True)
