"""`unveil synthesise`: copies of a file, fitted once, drawn as often as asked for, marked FAKE."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from unveil.atomic import write_all_or_none
from unveil.cli.options import (
    Decorator,
    file_option,
    json_option,
    make_text_parser,
    missing_option,
    names_option,
    option,
    parse_by_column,
    parse_name_sets,
    parse_names,
    parse_numbers_by_column,
    parse_reasons,
    parse_texts,
    person_option,
    together,
)
from unveil.cli.progress import progress_bar
from unveil.errors import ReadError, RolesError, SettingsError, WriteError
from unveil.io.sources import read_table
from unveil.io.write_file import ENDINGS
from unveil.project.make_copies import (
    choose_ending,
    copy_paths,
    is_in_project,
    synthesise_project,
    write_copies,
)
from unveil.project.model import ProjectFile
from unveil.project.protect import is_project
from unveil.project.read_project import read_project
from unveil.records.synthesis import Synthesis
from unveil.study.scenario import Progress
from unveil.synthesis.large import BATCH_ROWS, synthesise_strata, write_copy
from unveil.synthesis.plan import Layout, methods_of
from unveil.synthesis.record import draw_again
from unveil.synthesis.synthesise import synthesise as fit
from unveil.synthesis.synthesiser import Synthesiser, check_path, load, save
from unveil.view.format import lines
from unveil.view.output import print_output
from unveil.view.render_documents import json_text
from unveil.view.synthesis import SynthesisFiles, synthesis_blocks

# Options of `unveil synthesise`, and how their text is read.


def parse_names_by_column(
    option: click.Parameter, given: tuple[str, ...]
) -> dict[str, tuple[str, ...]]:
    """Columns of columns: income=age,sex."""
    rows = parse_texts(option, given, f"the columns that predict it: {option.metavar}")
    return {name: parse_names(option, (names,)) for name, names in rows.items()}


def parse_methods(
    option: click.Parameter, given: tuple[str, ...]
) -> tuple[str | None, dict[str, str]]:
    """One method for all columns, and methods of single columns."""
    for_all = [text for text in given if "=" not in text]
    if len(for_all) > 1:
        raise SettingsError(
            f"{option.opts[0]} names {len(for_all)} methods for all columns. Name one, and others"
            " by column: --method parametric --method income=cart."
        )
    if for_all and not for_all[0].strip():
        raise SettingsError(f"{option.opts[0]} is empty. Name a method, such as cart, or omit it.")
    own = parse_by_column(option, tuple(text for text in given if "=" in text))
    return (for_all[0] if for_all else None), own


def _by_column(flag: str, metavar: str, parse: Any, text: str) -> Decorator:
    return option(flag, text, metavar, multiple=True, parse=parse)


FORMULAS = make_text_parser("its formula: bmi=weight / (height / 100) ^ 2")
COLUMN_OPTIONS = (
    option(
        "--copies -m",
        "Number of copies; each additional copy discloses more.",
        "M",
        type=int,
        default=1,
    ),
    option("--rows", "Rows of each file. Default: as in the original.", "N", type=int),
    option(
        "--method",
        "cart (default), parametric or sample for all columns, or income=normrank for one; all"
        " columns with catall or ipf are drawn jointly.",
        "METHOD",
        multiple=True,
        parse=parse_methods,
    ),
    names_option("--order", "Order of the columns: age,sex,income; or auto. Others are omitted."),
    _by_column(
        "--predictors",
        "COLUMN=NAMES",
        parse_names_by_column,
        "Predictors of a column: income=age,sex.",
    ),
    names_option("--keep", "Columns that stay as they are in the original."),
    names_option("--predictor-only", "Columns used only as predictors, not synthesised."),
    names_option(
        "--strata", "Strata: each combination of these columns is synthesised separately."
    ),
    names_option("--drop", "Columns to omit, such as identifiers and free text."),
    names_option("--renumber", "Identifiers to replace by running numbers."),
    _by_column(
        "--real-values",
        "COLUMN=REASON",
        parse_reasons,
        "Keep real values of an identifier or free text, for a stated reason.",
    ),
)
RULE_OPTIONS = (
    option(
        "--rule rules",
        "A rule for every row: 'if age < 16 then marital = SINGLE'. May be repeated.",
        "RULE",
        multiple=True,
    ),
    _by_column("--derive", "COLUMN=FORMULA", FORMULAS, "Compute a column: 'bmi=weight / height'."),
    _by_column(
        "--special-codes",
        "COLUMN=CODES",
        parse_numbers_by_column,
        "Special codes, which are not amounts: income=-8,-9.",
    ),
    _by_column(
        "--spikes", "COLUMN=NUMBERS", parse_numbers_by_column, "Very frequent amounts: income=0."
    ),
    missing_option,
)
TREE_OPTIONS = (
    option(
        "--min-leaf",
        "Minimum number of rows (with --person: people) in a leaf.",
        "N",
        type=int,
        default=10,
    ),
    option(
        "--min-split",
        "Minimum number of rows to split. Default: three times --min-leaf.",
        "N",
        type=int,
    ),
    option(
        "--complexity",
        "Minimum gain of a split, as a share of the impurity at the root.",
        "SHARE",
        type=float,
        default=1e-8,
    ),
    option("--min-spread", "Minimum spread within a leaf.", "SHARE", type=float),
    option("--smoothing", "Draw numbers from a smooth density.", type=click.Choice(["density"])),
    names_option(
        "--smooth",
        "Numbers to smooth alone, not beyond the fifth smallest and largest value.",
    ),
    option(
        "--prior",
        "catall and ipf: prior count spread evenly over the table. Default: 1.",
        "RECORDS",
        type=float,
    ),
    option(
        "--noise",
        "catall and ipf: Laplace noise on the counts. No formal guarantee.",
        "EPSILON",
        type=float,
    ),
    option(
        "--margin margins",
        "ipf: columns counted together: sex,region. May be repeated. Default: all pairs.",
        "NAMES",
        multiple=True,
        parse=parse_name_sets,
    ),
    option(
        "--protect-margins",
        "Publish the counts of --margin by this scheme first (conventional:5, suppress:10), and"
        " make the data from them alone.",
        "SCHEME",
    ),
    person_option,
    option(
        "--time",
        "With --person: the column by which a person's rows follow one another. People are made"
        " with their rows.",
        "COLUMN",
    ),
    option("--seed", "The same seed gives the same synthetic data.", "N", type=int),
)
LARGE_OPTIONS = (
    option("--sample", "Fit to so many rows, drawn at random from FILE.", "N", type=int),
    option(
        "--batch-rows",
        "Draw so many rows at a time into a Parquet file: memory does not grow with --rows.",
        "N",
        type=int,
    ),
    option(
        "--by-stratum",
        "Read, fit and draw one stratum of --strata at a time, from a Parquet file into another.",
        is_flag=True,
    ),
)
OUTPUT_OPTIONS = (
    file_option("--out", "The folder to write to.", "FOLDER"),
    option(
        "--format ending",
        "The format. Default: that of the original.",
        type=click.Choice(ENDINGS),
    ),
    file_option(
        "--model", "CONFIDENTIAL: keep the fitted models in this file, to draw again later."
    ),
    file_option(
        "--from source",
        "Draw from a model kept by --model, without FILE; nothing is fitted.",
        "MODEL",
    ),
    json_option,
)


_WITH_A_MODEL = {"source", "copies", "rows", "seed", "batch_rows", "out", "ending", "as_json"}


def check_beside_model(context: click.Context, file: str | None) -> None:
    """A model that is kept is fitted: only what is drawn from it can be said."""
    if file is not None:
        raise SettingsError(
            "Name a file to fit, or with --from a model to draw from, not both: a model needs no"
            " original."
        )
    for one in context.command.params:
        name = one.name or ""
        is_said = context.get_parameter_source(name) is ParameterSource.COMMANDLINE
        if is_said and name not in _WITH_A_MODEL:
            raise SettingsError(
                f"{one.opts[0]} cannot go with --from: the model is fitted already. Only"
                " --copies, --rows, --seed, --batch-rows, --out, --format and --json can."
            )


def options_on_command_line(context: click.Context) -> set[str]:
    """The options that stand on the command line, by their names in Python."""
    return {
        name
        for name in context.params
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }


synthesis_options = together(
    *COLUMN_OPTIONS, *RULE_OPTIONS, *TREE_OPTIONS, *LARGE_OPTIONS, *OUTPUT_OPTIONS
)
"""All options, in the order of the help."""


ANEW = "Name the file and the folder to write to: unveil synthesise survey.csv --out copies."
AGAIN = (
    "Name the folder to write to: unveil synthesise --from CONFIDENTIAL_survey.model --out copies."
)


@click.command()
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
    batch_rows: int | None,
    by_stratum: bool,
    **settings: Any,
) -> None:
    """Synthesise FILE: each column is modelled on those before it, then drawn.

    The copies go into a folder, under names that begin with FAKE_; nothing that is there is
    overwritten. Synthetic data can still disclose: measure them with unveil disclosure.

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
      unveil synthesise census.parquet --sample 200000 --batch-rows 500000 --out copies
    """
    made: Synthesiser | Synthesis
    if source is not None:
        check_beside_model(context, file)
        made, written = _again(source, _folder(out, AGAIN), ending, settings, batch_rows)
    elif is_project(file) or (file is None and is_in_project()):
        if batch_rows is not None or by_stratum:
            raise SettingsError(
                "--batch-rows and --by-stratum make a file, not the copies of a project. Name the"
                " original itself, and enter the file in the project."
            )
        made, written = _synthesise_project(
            read_project(file, needs_files=False),
            out=out,
            ending=ending,
            model=model,
            settings=settings,
            said=options_on_command_line(context),
        )
    elif by_stratum and file is not None:
        made, written = _by_stratum(context, file, _folder(out, ANEW), settings, batch_rows)
    elif file is not None:
        made, written = _anew(
            file, _folder(out, ANEW), ending, model, settings, batch_rows=batch_rows
        )
    else:
        raise ReadError(ANEW)
    if source is None and written.project is None:
        written = replace(written, original=file)
    record = made if isinstance(made, Synthesis) else made.record
    for sentence in record.warnings:
        click.echo(f"unveil: {lines(sentence)}", err=True)
    if as_json:
        print_output(_document(record, written))
    else:
        print_output(synthesis_blocks(record, written))


def _document(record: Synthesis, written: SynthesisFiles) -> str:
    """All of it for a machine."""
    found = {
        **record.to_dict(),
        "written": [str(path) for path in written.copies],
        "model": None if written.model is None else str(written.model),
        **({} if written.project is None else {"project": str(written.project)}),
    }
    return json_text(found)


def _folder(out: Path | None, sentence: str) -> Path:
    if out is None:
        raise ReadError(sentence)
    if not str(out).strip("."):
        raise ReadError("Name a separate folder to write to, such as --out copies.")
    return out


def _anew(
    file: str,
    out: Path,
    ending: str | None,
    model: Path | None,
    settings: dict[str, Any],
    *,
    batch_rows: int | None,
) -> tuple[Synthesiser, SynthesisFiles]:
    """Fit to a file, draw, and write."""
    end = _ending(ending, file, batch_rows)
    targets = copy_paths(file, out, max(settings["copies"], 1), end)
    if model is not None:
        _check_beside(check_path(model), out)
    asked = _parse_options(file, settings)
    with progress_bar() as bar:
        if batch_rows is None:
            made = fit(file, **asked, progress=bar)
            return made, _write_copies(made, targets, model)
        made = fit(file, **asked | {"copies": 1, "rows": None}, progress=bar)
        with write_all_or_none() as paths:
            kept = None if model is None else save(made, model)
            paths.extend([] if kept is None else [kept])
            made = _write_in_batches(made, targets, asked, batch_rows, bar=bar, paths=paths)
    return made, SynthesisFiles(targets, kept)


def _ending(ending: str | None, original: str, batch_rows: int | None) -> str:
    """The format to write; in batches, Parquet."""
    if batch_rows is not None and ending not in (None, "parquet"):
        raise SettingsError(f"--batch-rows writes Parquet, not {ending}. Omit one of them.")
    return ending or (choose_ending(original) if batch_rows is None else "parquet")


def _write_in_batches(
    made: Synthesiser,
    targets: Sequence[Path],
    asked: Mapping[str, Any],
    batch_rows: int,
    *,
    bar: Progress,
    paths: list[Path],
) -> Synthesiser:
    """Every copy in batches, or none of them."""
    drawn = made
    for number, target in enumerate(targets, start=1):
        size, seed = {"batch_rows": batch_rows, "copy": number}, asked.get("seed")
        drawn, written = write_copy(
            made, target, asked.get("rows"), **size, seed=seed, progress=bar
        )
        paths.append(target)
        _tell(written.notes)
    return drawn


def _by_stratum(
    context: click.Context,
    file: str,
    out: Path,
    settings: dict[str, Any],
    batch_rows: int | None,
) -> tuple[Synthesis, SynthesisFiles]:
    """Read, fit and draw one stratum at a time."""
    if not settings["strata"]:
        raise SettingsError("--by-stratum needs the columns that part the strata: --strata region.")
    said = options_on_command_line(context) | {"strata"}
    (target,) = copy_paths(file, out, 1, "parquet")
    asked = _only(said, _parse_options(file, settings))
    with progress_bar() as bar:
        size = BATCH_ROWS if batch_rows is None else batch_rows
        record = synthesise_strata(file, target, batch_rows=size, **asked, progress=bar)
    return record, SynthesisFiles((target,))


def _synthesise_project(
    project: ProjectFile,
    *,
    out: Path | None,
    ending: str | None,
    model: Path | None,
    settings: dict[str, Any],
    said: Container[str],
) -> tuple[Synthesiser, SynthesisFiles]:
    """Fit to the original of a project, draw, write, and enter the copies there."""
    folder = None if out is None else _folder(out, ANEW)
    if model is not None and folder is not None:
        _check_beside(model, folder)
    original = str(project.folder / project.data.original)
    asked = _only(said, _parse_options(original, settings))
    with progress_bar() as bar:
        made = synthesise_project(
            project, out=folder, ending=ending, model=model, progress=bar, **asked
        )
    _tell(made.notes)
    written = SynthesisFiles(made.paths, made.model, project=project.path)
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
    source: Path,
    out: Path,
    ending: str | None,
    settings: dict[str, Any],
    batch_rows: int | None,
) -> tuple[Synthesiser, SynthesisFiles]:
    """Draw from a model that is kept, and write."""
    _check_beside(source, out)
    kept = load(source)
    asked = {name: settings[name] for name in ("copies", "rows", "seed")}
    original = kept.record.files[0]
    end = _ending(ending, original, batch_rows)
    targets = copy_paths(original, out, max(asked["copies"], 1), end)
    with progress_bar() as bar:
        if batch_rows is not None:
            with write_all_or_none() as paths:
                made = _write_in_batches(kept, targets, asked, batch_rows, bar=bar, paths=paths)
            return made, SynthesisFiles(targets, is_again=True)
        made = draw_again(kept, **asked, progress=bar)
    filed = write_copies(made.copies, targets, made.codebook, made.record)
    _tell(filed.notes)
    return made, SynthesisFiles(filed.paths, is_again=True)


def _check_beside(model: Path, out: Path) -> None:
    """What is in the folder of the copies may be released with them."""
    if model.resolve().parent == out.resolve():
        raise WriteError(
            "The model would be in the folder of the synthetic data and might be released with"
            " them. Keep it in another folder: it is as confidential as the original."
        )


def _parse_options(file: str, settings: dict[str, Any]) -> dict[str, Any]:
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
        asked |= _spell_out_columns(file, asked, derive, only, (method or "cart", own))
    return {name: value for name, value in asked.items() if value not in ({}, ())}


def _spell_out_columns(
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
    people = {asked["person"]} & {*table.frame.columns}
    others = (*derive, *asked["drop"], *asked["renumber"], *people)
    layout = Layout(table.frame.columns, table.place, asked["keep"], asked["strata"], others, only)
    order = layout.order(asked["order"])
    spelt: dict[str, Any] = {"method": methods_of(*method, order)} if method[1] else {}
    if only:
        spelt |= {"order": order, "predictors": layout.predictors(order, asked["predictors"])}
    return spelt


def _write_copies(
    made: Synthesiser, targets: tuple[Path, ...], model: Path | None
) -> SynthesisFiles:
    """Copies and model, or neither."""
    kept = None if model is None else save(made, model)
    try:
        filed = write_copies(made.copies, targets, made.codebook, made.record)
    except BaseException:
        if kept is not None:
            kept.unlink(missing_ok=True)
        raise
    _tell(filed.notes)
    return SynthesisFiles(filed.paths, kept)


def _tell(notes: tuple[str, ...]) -> None:
    for note in notes:
        click.echo(f"unveil: {lines(note)}", err=True)
