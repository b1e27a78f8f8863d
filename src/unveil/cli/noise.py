"""`unveil noise`: how much noise a synthetic column needs, and the data with it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import click
import msgspec

from unveil.arguments import numbers_in, parse_finite_numbers
from unveil.atomic import write_all_or_none, write_new, write_private
from unveil.cli.options import (
    ABOVE_LIMIT,
    by_column_option,
    file_option,
    json_option,
    missing_option,
    option,
    parse_amounts,
    person_option,
)
from unveil.cli.output_files import check_targets
from unveil.errors import ReadError, SettingsError, WriteError
from unveil.io.outgoing import PREFIX
from unveil.io.sources import read_table
from unveil.io.table import Labelled
from unveil.io.write_file import WriteSettings, target_of, write_files
from unveil.measure.ecap.arguments import SAMPLINGS, parse_ecap_threshold, parse_noise_amount
from unveil.measure.ecap.choose_noise import choose_for_values
from unveil.measure.ecap.ecap import measure_ecap, prepare_values
from unveil.measure.ecap.ecap_records import ecap_records
from unveil.measure.ecap.noise_kinds import NOISES
from unveil.measure.ecap.noise_settings import column_values
from unveil.protection.noise import add_noise
from unveil.records.noise import EcapRecords
from unveil.view.charts.chart import Chart
from unveil.view.charts.distributions import before_and_after
from unveil.view.charts.lines import ecap_curve, populations
from unveil.view.ecap import NOT_PUBLIC
from unveil.view.format import lines
from unveil.view.noise import NoiseScreen, noise_blocks
from unveil.view.output import print_output, print_record
from unveil.view.render_documents import json_text

EXAMPLE = 'unveil noise FAKE_copy.csv --column age --population "normal(34, 8)" --N 60000 --n 600'


# Where do the copy with noise, its statement and the curve go? All of them, or none.


@dataclass(frozen=True)
class NoisePaths:
    """Files that are not there yet, in folders that are."""

    NAMES: ClassVar = ("out", "statement", "curve", "populations", "before_after")

    out: Path | None
    statement: Path | None
    curve: Path | None
    populations: Path | None
    before_after: Path | None

    @classmethod
    def of(cls, **given: Path | None) -> "NoisePaths":
        """Refuse, before anything is computed, what could not be written in the end."""
        out = given["out"]
        made = cls(**{**given, "out": None if out is None else target_of(out, fake=True)})
        check_targets({f"--{name.replace('_', '-')}": getattr(made, name) for name in cls.NAMES})
        return made


def write_noise_files(targets: NoisePaths, found: NoiseScreen, data: Any) -> tuple[str, ...]:
    """Write what was asked for, and give the paths; where one fails, none is left."""
    with write_all_or_none() as paths:
        if targets.out is not None:
            (made,) = write_files([(data, targets.out)], WriteSettings())
            paths.extend(Path(one) for one in (made.path, *made.beside))
        if targets.statement is not None and found.noise is not None:
            place = targets.statement
            paths.extend(write_new(place.parent, {place.name: found.noise.statement.encode()}))
        for place, picture in _pictures(targets, found):
            write_private(place, picture.encode(place))
            paths.append(place)
    return tuple(str(path) for path in paths)


def _pictures(targets: NoisePaths, found: NoiseScreen) -> Iterator[tuple[Path, Chart]]:
    """Each for its owner alone."""
    if targets.curve is not None and found.choice is not None:
        yield targets.curve, ecap_curve(found.choice)
    if targets.populations is not None and found.choice is not None:
        yield targets.populations, populations(found.choice)
    if targets.before_after is not None and found.noise is not None:
        yield targets.before_after, before_and_after(found.noise.columns[0])


_OF_A_COPY = {
    "--round": "decimals",
    "--clip": "clip",
    "--seed": "seed",
    "--not-needed": "not_needed",
    "--before-after": "before_after",
}


_NOT_TOGETHER = (
    *("column", "population", "sigma", "out", "statement", "curve", "populations"),
    *("before_after", "seed", "not_needed"),
)


def parse_ends(option: click.Parameter, given: str | None) -> list[float | str] | None:
    """The lowest and the highest plausible value, one of them perhaps empty."""
    return None if given is None else numbers_in(given)


@click.command()
@click.argument("file", required=False)
@option("--column", "The column of numbers.", "NAME")
@option(
    "--population",
    "Distribution of the population: normal(34, 8), lognormal(mu, sigma), t(df, loc, scale),"
    " gamma(shape, scale), or empirical: the values themselves, smoothed, if none is isolated.",
    "TEXT",
)
@option("--N size", "Population size.", "NUMBER", type=int)
@option("--n sample", "Sample size.", "NUMBER", type=int)
@option("--threshold", "Highest tolerated ECAP.", "ECAP", type=float, default=0.1)
@option("--noise kind", "The kind of noise.", type=click.Choice(NOISES), default="normal")
@option(
    "--sampling",
    "How people came into the data: equation 1 of the paper draws them with replacement.",
    type=click.Choice(SAMPLINGS),
    default="without replacement",
)
@option("--discrete", "Integer values and integer noise.", is_flag=True)
@option("--sigma", "Use this much noise; do not search.", "SD", type=float)
@option(
    "--together",
    "Columns that an intruder knows of one person, each with its noise, in the place of --column:"
    " age=1. May be repeated.",
    "COLUMN=SD",
    multiple=True,
    parse=parse_amounts,
)
@person_option
@option(
    "--keep-variance", "Draw the values towards their mean, to keep the variance.", is_flag=True
)
@option("--round decimals", "Number of decimals to round to.", "N", type=int)
@option(
    "--clip",
    "Set values beyond these limits to them: 16,99, or 16,",
    "LOW,HIGH",
    parse=parse_ends,
)
@option("--special-codes", "Special codes, kept unchanged: -8,-9.", "CODES")
@missing_option
@by_column_option(
    "--not-needed", "A column that needs no noise, and why. May be repeated.", "COLUMN=REASON"
)
@option("--seed", "Seed of the noise; confidential.", "NUMBER", type=int)
@file_option("--out", "Write the data with noise.")
@file_option("--statement", "Write the public statement of the noise.")
@file_option("--curve", "CONFIDENTIAL: draw ECAP by the amount of noise.", "FILE")
@file_option(
    "--populations",
    "CONFIDENTIAL: draw the same for populations of other size and spread.",
    "FILE",
)
@file_option(
    "--before-after",
    "CONFIDENTIAL: draw the column before and after, and the change of each value.",
    "FILE",
)
@json_option
def noise(*, file: str | None, as_json: bool, **asked: Any) -> int:
    """Find how much noise a column of the synthetic data FILE needs, and add it.

    An intruder who knows a person's value, the population and the noise must not be able to claim
    that the person was in the data. ECAP is the probability that such a claim is correct.
    Everything printed is confidential; only the statement is made to be published. The exit code
    is 3 if people stay above the threshold with the noise that --sigma or --together states.

    \b
    Example:
      unveil noise FAKE_copy.csv --column age --population "normal(34, 8)" --N 60000 --n 600
      unveil noise FAKE_copy.csv --column age --population "normal(34, 8)" --N 60000 --n 600 \\
        --threshold 0.1 --clip 16,99 --out FAKE_noised.csv --statement statement.txt
      unveil noise FAKE_copy.csv --together age=1 --together height=2 --N 60000 --n 600
    """
    if asked["together"] and file is not None:
        records = _measure_together(file, asked)
        if as_json:
            click.echo(f"unveil: {NOT_PUBLIC}", err=True)
        print_record(records, as_json=as_json)
        return ABOVE_LIMIT if records.n_above else 0
    source = _check_lacking(file, asked)
    targets = NoisePaths.of(**{which: asked[which] for which in NoisePaths.NAMES})
    found, data = _measure_noise(source, asked)
    paths = write_noise_files(targets, found, data)
    for sentence in _stderr_notes(source, targets):
        click.echo(f"unveil: {lines(sentence)}", err=True)
    shown = _document(found, paths) if as_json else noise_blocks(found, paths)
    print_output(shown)
    return ABOVE_LIMIT if found.ecap.n_above else 0


def _measure_together(file: str, asked: Mapping[str, Any]) -> EcapRecords:
    """ECAP of whole records, by the columns and the noise that were named."""
    if asked["size"] is None:
        raise SettingsError("--N must be given: the population size.")
    given = [name for name in _NOT_TOGETHER if asked[name] not in (None, {}, ())]
    if given:
        option = given[0].replace("_", "-")
        raise SettingsError(
            f"--together measures and writes nothing: omit --{option}, or give one --column."
        )
    decimals = 0 if asked["discrete"] and asked["decimals"] is None else asked["decimals"]
    how = {
        "noise": asked["kind"],
        "round": decimals,
        "clip": asked["clip"],
        "keep_variance": asked["keep_variance"],
        "special_codes": _codes(asked["special_codes"]),
    }
    made = ecap_records(
        file,
        columns={name: {"sigma": sigma, **how} for name, sigma in asked["together"].items()},
        N=asked["size"],
        n=asked["sample"],
        sampling=asked["sampling"],
        threshold=asked["threshold"],
        person=asked["person"],
        missing_values=tuple(asked["missing_values"]),
    )
    return made.record


def _document(found: NoiseScreen, paths: Sequence[str]) -> str:
    """All of it for a machine: confidential."""
    choice = None if found.choice is None else found.choice.to_dict()
    noise = None if found.noise is None else found.noise.to_dict()
    made = {"column": found.column, "choice": choice, "ecap": found.ecap.to_dict()}
    return json_text({**made, "noise": noise, "written": list(paths)})


def _check_lacking(file: str | None, asked: Mapping[str, Any]) -> str:
    if file is None:
        raise ReadError(f"Name the synthetic file: {EXAMPLE}.")
    needed = {"--column": "column", "--population": "population", "--N": "size", "--n": "sample"}
    lacking = [option for option, name in needed.items() if asked[name] is None]
    if lacking:
        raise SettingsError(f"{' and '.join(lacking)} must be given: {EXAMPLE}.")
    if asked["person"] is not None:
        raise SettingsError("--person is for records: give --together in the place of --column.")
    _check_without_out(asked)
    for which in ("curve", "populations"):
        if asked["sigma"] is not None and asked[which] is not None:
            raise SettingsError(
                f"--{which} is drawn when the amount of noise is searched for: omit --sigma."
            )
    return file


def _check_without_out(asked: Mapping[str, Any]) -> None:
    """Options of a copy that is not written would do nothing."""
    if asked["out"] is not None:
        return
    if asked["statement"] is not None:
        raise WriteError("--statement describes noise that was added: give --out as well.")
    given = [option for option, name in _OF_A_COPY.items() if asked[name] not in (None, {}, ())]
    given += ["--keep-variance"] if asked["keep_variance"] else []
    if given:
        verb = "is" if len(given) == 1 else "are"
        raise SettingsError(
            f"{' and '.join(given)} {verb} for the data with noise: give --out as well."
        )


def _measure_noise(file: str, asked: Mapping[str, Any]) -> tuple[NoiseScreen, Any]:
    """What the column needs, and the copy with noise where it is to be written."""
    missing = tuple(asked["missing_values"])
    table = read_table(file, side="data", missing_values=missing)
    codes = _codes(asked["special_codes"])
    values = column_values(table, asked["column"], codes)
    settings = (asked["population"], asked["size"], asked["sample"], asked["kind"])
    threshold = parse_ecap_threshold(asked["threshold"])
    given = None if asked["sigma"] is None else parse_noise_amount(asked["sigma"])
    people = prepare_values(
        values, *settings, discrete=asked["discrete"], sampling=asked["sampling"]
    )
    choice = None if given is not None else choose_for_values(people, threshold)
    sigma = given if choice is None else choice.sigma_to_use
    if sigma is None:
        raise SettingsError(" ".join(choice.warnings if choice is not None else ()))
    risk = measure_ecap(people, sigma, threshold).record
    if asked["out"] is None:
        return NoiseScreen(asked["column"], choice, risk, None), None
    decimals = 0 if asked["discrete"] and asked["decimals"] is None else asked["decimals"]
    how = {
        "sigma": sigma,
        "noise": asked["kind"],
        "round": decimals,
        "clip": asked["clip"],
        "keep_variance": asked["keep_variance"],
        "special_codes": codes,
    }
    made = add_noise(
        table.frame if table.codebook is None else Labelled(table.frame, table.codebook),
        columns={asked["column"]: how},
        seed=asked["seed"],
        not_needed=asked["not_needed"],
    )
    record = msgspec.structs.replace(made.record, files=(table.source,))
    return NoiseScreen(asked["column"], choice, risk, record), made.data


def _codes(text: str | None) -> tuple[float, ...]:
    if text is None:
        return ()
    return parse_finite_numbers(numbers_in(text), what="special code", example="-8,-9")


def _stderr_notes(file: str, targets: NoisePaths) -> list[str]:
    """What is told on standard error: what is confidential, and what should be known."""
    said = [NOT_PUBLIC]
    if targets.out is not None and not Path(file).name.startswith(PREFIX):
        said.append(
            "The data are written as FAKE, but the file they were made from is not marked so."
            " Noise does not make an original synthetic: add it to synthetic data."
        )
    if targets.curve is not None or targets.populations is not None:
        said.append("The curve shows ECAP values: keep it where the original is kept.")
    if targets.before_after is not None:
        said.append("The picture of before and after shows the data: keep it with them.")
    return said
