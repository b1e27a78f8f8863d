"""`unveil synthesise` and `unveil noise`: synthetic data as files, and how much noise to add."""

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import unveil
from unveil.arguments import split_names
from unveil.cli.command import (
    JSON,
    OUT,
    SHOW,
    check_paths,
    finish,
    print_text,
    tell,
)
from unveil.cli.derive import help_texts, options_of, parse_settings, study_of, summary_of
from unveil.data.write import PREFIX, WRITERS
from unveil.errors import InputError, check_name, printable
from unveil.results import to_json
from unveil.study import ORIGINAL, Study

FOLDER = click.Option(["--project", "-p", "folder"], metavar="FOLDER",
                      help="A project, which says how; without FILE.")  # fmt: skip
OF_STUDY = ("columns", "missing")
OF_SYNTHESIS = ("method", "order", "rules", "leaf", "copies", "rows", "seed")
OF_NOISE = ("population", "N", "n", "threshold", "noise", "discrete")


def synthesise_command() -> click.Command:
    where = click.Option(
        ["--out"], metavar="FILE", type=click.Path(path_type=Path),
        help=f"Where to write: {' '.join(WRITERS)}; the name will start with {PREFIX}.",
    )  # fmt: skip
    return click.Command(
        "synthesise", callback=run_synthesise, help=summary_of(unveil.synthesise),
        params=[
            click.Argument(["original"], required=False),
            *options_of(Study.__init__, OF_STUDY, help_texts(Study)),
            *options_of(unveil.synthesise, OF_SYNTHESIS, help_texts(unveil.synthesise)),
            where, FOLDER, JSON,
        ],
    )  # fmt: skip


def run_synthesise(out: Path | None, folder: str | None, is_json: bool, **asked: Any) -> int:
    """Write each copy as a file like the original, and a record of how it was made."""
    if folder is not None and asked["original"] is None:
        return run_in_project(folder, is_json, asked)
    if folder is not None or out is None or asked["original"] is None:
        raise InputError("Name a FILE and where to write (--out), or a project (--project) alone.")
    study = study_of(asked)
    settings = {name: asked[name] for name in OF_SYNTHESIS}
    record = out.with_suffix(".json")
    if out.suffix.lower() not in WRITERS or not out.parent.is_dir():
        raise InputError(
            f"{str(out)!r} ends with none of {' '.join(WRITERS)}, or is in no folder (--out)."
        )
    check_paths([record], study)
    for path in (out, out.with_name(PREFIX + out.name)):
        if any(path.exists() and f.path and path.samefile(f.path) for f in study.files):
            raise InputError(f"{str(path)!r} is a file that is read. Write to another (--out).")
    with unveil.progress(tell):
        result = unveil.synthesise(study, **parse_settings(unveil.synthesise, settings))
    written = [str(path) for path in _write(result.study, out)]
    result.save(record)
    if is_json:
        print_text(to_json([result]))
        return 0
    original = shlex.quote(str(asked["original"]))
    lines = [
        *result.sentences,
        *(note.sentence for note in result.notes),
        f"Written: {', '.join(written)}. Keep {record} confidential: it has the seed.",
        f"Next: unveil describe {original} {' '.join(map(shlex.quote, written))}",
    ]
    print_text("\n".join(map(printable, lines)))
    return 0


def run_in_project(folder: str, is_json: bool, asked: dict[str, Any]) -> int:
    """As the project says: what a nightly job types."""
    from unveil.project.project import Project

    if said := [
        name for name, value in asked.items() if value not in (None, ()) and name != "seed"
    ]:
        raise InputError(f"A project says itself what --{said[0]} says. Write it in [synthesis].")
    project = Project(folder)
    with unveil.progress(tell):
        result = project.synthesise(**parse_settings(Project.synthesise, {"seed": asked["seed"]}))
    if is_json:
        print_text(to_json([result]))
        return 0
    files = project.settings.data.files()
    names = ", ".join(name for role, name in files.items() if role.startswith("synthetic"))
    where = "" if folder == "." else f" --project {shlex.quote(folder)}"
    lines = [*result.sentences, f"Written: {names}.", f"Next: unveil run{where}"]
    print_text("\n".join(map(printable, lines)))
    return 0


def _write(study: Study, out: Path) -> list[Path]:
    """Each copy; of several with its number."""
    files = [file for file in study.files if file.role == "synthetic"]
    return [
        unveil.write(
            file.data,
            out if len(files) == 1 else out.with_stem(f"{out.stem}_{file.copy}"),
        )
        for file in files
    ]


def noise_command() -> click.Command:
    sigma = options_of(unveil.ecap, ["sigma"], help_texts(unveil.ecap))
    return click.Command(
        "noise", callback=run_noise, help=summary_of(unveil.choose_noise),
        params=[
            click.Argument(["original"]), click.Argument(["name"], metavar="COLUMN"),
            *options_of(Study.__init__, OF_STUDY, help_texts(Study)),
            *options_of(unveil.choose_noise, OF_NOISE, help_texts(unveil.choose_noise)),
            *sigma, SHOW, OUT, JSON,
        ],
    )  # fmt: skip


def run_noise(
    name: str, show: Sequence[str], out: Sequence[Path], is_json: bool, **asked: Any
) -> int:
    """The least noise of a column, or its ECAP with the noise that is given."""
    study = study_of(asked)
    check_name(name, study.original.columns, "The original has no column")
    call: Any = unveil.ecap if asked["sigma"] else unveil.choose_noise
    names = OF_NOISE if call is unveil.choose_noise else (*OF_NOISE, "sigma")
    settings = {setting: asked[setting] for setting in names if setting != "threshold"}
    if call is unveil.choose_noise:
        settings["threshold"] = asked["threshold"]
    elif asked["threshold"] is not None:
        raise InputError("Give either a threshold (--threshold) or an amount (--sigma).")
    settings["n"] = settings["n"] or study.people()[1]
    for needed in ("population", "N"):
        if not settings[needed]:
            raise InputError(f"The {needed!r} is missing. Say who else there is (--{needed}).")
    check_paths(out, study)
    result = call(amounts(study, name), **parse_settings(call, settings))
    return finish([result], split_names(show), {}, out, is_json=is_json)


def amounts(study: Study, name: str) -> list[float]:
    """The numbers of a column, without codes."""
    column = study.unbanded(name)
    if column.kind != "number":
        raise InputError(f"{name!r} holds no numbers.")
    special = study.special(name, column)
    return [x for x in column.numbers[column.codes[column.rows[ORIGINAL]]] if x not in special]
