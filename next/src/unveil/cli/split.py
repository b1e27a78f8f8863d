"""`unveil split`: a training and a control sample, each a file like the original, and a record."""

import shlex
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

import unveil
from unveil.cli.command import JSON, print_text
from unveil.cli.derive import parameters_of, settings_of, study_of, summary_of
from unveil.data.write import WRITERS
from unveil.errors import InputError, printable
from unveil.results import to_json
from unveil.study import ORIGINAL

LABELLED = (".sas7bdat", ".xpt")  # written for SPSS, which keeps their labels


def split_command() -> click.Command:
    folder = click.Option(["--out"], required=True, metavar="FOLDER", help="Where to write.",
                          type=click.Path(path_type=Path))  # fmt: skip
    return click.Command(
        "split", callback=run, help=summary_of(unveil.split),
        params=[*parameters_of([unveil.split], ()), folder, JSON],
    )  # fmt: skip


def run(out: Path, is_json: bool, **asked: Any) -> int:
    if not (out.is_dir() or out.parent.is_dir()) or out.is_file():
        raise InputError(f"{str(out)!r} can be no folder. Name another (--out).")
    study = study_of(asked)
    file = study.files[ORIGINAL]
    ending = Path(file.name).suffix.lower()
    ending = ".sav" if ending in LABELLED else ending if ending in WRITERS else ".csv"
    result = unveil.split(study, **settings_of(unveil.split, asked))
    training = f"training{ending}"
    with TemporaryDirectory(prefix=".", dir=out if out.is_dir() else out.parent) as apart:
        for name, frame in (training, result.training), (f"control{ending}", result.control):
            data = unveil.Data(frame, file.data.codebook)
            unveil.write(data, Path(apart, name), fake=False)
        result.save(Path(apart, "split.json"))
        written = sorted(path.name for path in Path(apart).iterdir())
        if there := [str(out / name) for name in written if (out / name).exists()]:
            raise InputError(f"{there[0]!r} is there already. Name another folder (--out).")
        out.mkdir(exist_ok=True)
        for name in written:
            Path(apart, name).rename(out / name)
    first = str(out / training)
    first = f"./{first}" if first.startswith("-") else first
    lines = [
        *result.sentences,
        f"Written to {out}: {', '.join(written)}. Synthetic data are made of {training} alone.",
        f"Next: unveil describe {shlex.quote(first)}",
    ]
    print_text(to_json([result]) if is_json else "\n".join(map(printable, lines)))
    return 0
