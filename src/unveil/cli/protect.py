"""`unveil protect`: from raw data to protected synthetic data, as a project file says."""

from pathlib import Path
from typing import Any, cast

import click

from unveil.arguments import numbers_in, parse_whole_number
from unveil.cli.options import file_option, json_option, option, same_project
from unveil.cli.output_files import check_targets, write_targets
from unveil.cli.progress import progress_bar
from unveil.errors import SettingsError
from unveil.io.write_file import ENDINGS
from unveil.project.make_copies import protect_copy
from unveil.project.read_project import read_project
from unveil.records.protection import Protection
from unveil.view.format import lines
from unveil.view.output import print_output
from unveil.view.projection import projected_groups
from unveil.view.protection import protection_blocks
from unveil.view.render_documents import json_text


def parse_leaves(option: click.Parameter, given: str | None) -> list[float | str] | None:
    """Sizes of leaves; the library says what is wrong with them."""
    return None if given is None else numbers_in(given)


@click.command()
@same_project
@file_option(
    "--out", "The folder to write to. Default: protected, beside the project file.", "FOLDER"
)
@option("--seed", "Seed, to make the same data again; confidential.", "NUMBER", type=int)
@option("--rows", "Number of synthetic records. Default: as in the original.", "NUMBER", type=int)
@option(
    "--format ending",
    "The format of the data. Default: that of the original, or CSV.",
    type=click.Choice(ENDINGS),
)
@option(
    "--keep-stages",
    "Also write S1 (after synthesis) and S2 (before noise) to the confidential folder.",
    is_flag=True,
)
@option(
    "--stages measure_stages",
    "Also measure risk, attacks, utility and published results of S1, S2 and S3.",
    is_flag=True,
)
@file_option(
    "--chart",
    "CONFIDENTIAL: draw retained and filtered people on the original's axes: .svg, .png or .pdf.",
)
@option(
    "--sweep",
    "Compare leaf sizes: 5,20,33,100. Each needs its own synthesis.",
    "SIZES",
    parse=parse_leaves,
)
@json_option
def protect(
    *,
    project: str | None,
    out: Path | None,
    ending: str | None,
    chart: Path | None,
    as_json: bool,
    **asked: Any,
) -> None:
    """Make protected synthetic data as PROJECT (a folder or its project.toml) declares.

    PROJECT names the original in [data], how it is synthesised in [synthesis], and what is done in
    tables [[protect.step]], in their order. The data and a public noise statement go into a folder,
    and everything that must not be released, the seed among it, into the folder confidential
    beside the project file. The data are entered in the project file; next: unveil run.
    Without PROJECT it is the project of this folder.

    \b
    Example:
      unveil protect project.toml --out protected
      unveil protect project.toml --sweep 5,20,33,100 --seed 1 --keep-stages --out protected
      unveil protect project.toml --stages --chart retained.svg
    """
    if asked["seed"] is not None:
        parse_whole_number("--seed", asked["seed"], least=0)
    check_targets({"--chart": chart})
    read = read_project(project, needs_files=False)
    with progress_bar() as bar:
        made = protect_copy(read, out=out, ending=ending, progress=bar, **asked)
    for note in made.notes:
        click.echo(f"unveil: {lines(note)}", err=True)
    record = cast(Protection, made.record)
    if chart is not None:
        axes = record.projection
        if axes is None:
            raise SettingsError("There is no picture: no distance filter left rows to draw.")
        write_targets({chart: lambda: projected_groups(axes)})
    if as_json:  # confidential, without seeds
        written = [str(path) for path in made.paths]
        print_output(json_text({**record.to_dict(), "written": written}))
    else:
        print_output(protection_blocks(record, made.paths, read.path.name))
