"""`unveil disclosure`: what would synthetic data disclose about the original?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unveil.assessment.key_set_alerts import LIMITED
from unveil.assessment.limits import LIMITABLE, check_limits, parse_limits
from unveil.atomic import write_all_or_none
from unveil.cli.gate_options import GateOptions, gate_options
from unveil.cli.options import (
    exclude_option,
    file_option,
    more_options,
    option,
    output_options,
    parse_two_numbers,
    person_option,
    takes_engine,
    takes_scenario,
    tolerance_option,
    weights_option,
)
from unveil.cli.output_files import chart_option, check_records, write_chart, write_records
from unveil.cli.progress import progress_bar
from unveil.errors import EngineError, SettingsError
from unveil.measure.disclosure.disclosure import check_settings
from unveil.measure.disclosure.disclosure import disclosure as measure_disclosure
from unveil.measure.disclosure.result import DisclosureResult
from unveil.measure.gate.assess import assess_files, assess_in_engine, engine_of, hash_study
from unveil.measure.gate.evidence import Files
from unveil.records.alerts import Assessment
from unveil.records.disclosure import Disclosure
from unveil.records.limits import Verdict
from unveil.study.open_scenario import open_in_engine
from unveil.study.study import Study, sides_of
from unveil.view.blocks import Sentence
from unveil.view.disclosure_blocks import PARTS, disclosure_blocks
from unveil.view.format import visible
from unveil.view.output import print_output
from unveil.view.render_documents import disclosure_csv, json_document
from unveil.view.render_rich import render_rich

CHARTS = ("lollipop", "funnel", "ladder", "steps", "guesses")
"""The charts of disclosure, the first unless another is asked for."""

if TYPE_CHECKING:
    from unveil.project.recode_original import Recipe


@click.command()
@takes_engine
@takes_scenario("disclosure survey.csv synthetic.csv")
@exclude_option
@option(
    "--limit limits",
    "Gate the release: exit code 3 when a figure is above this, such as DiSCO=10, or"
    " real_records=5. May be repeated.",
    "MEASURE=PERCENT",
    multiple=True,
)
@gate_options
@option(
    "--one-way",
    "Flag a target level above so many disclosures and percent of them. Default: 50,90.",
    "50,90",
    parse=parse_two_numbers,
)
@option(
    "--two-way",
    "Flag target with key levels above so many disclosures and percent. Default: 4,80.",
    "4,80",
    parse=parse_two_numbers,
)
@option(
    "--checks-by",
    "Run these checks within each level of a column of the original, such as region.",
    "COLUMN",
)
@option(
    "--recode",
    "How the synthetic data were recoded: the [[protect.step]] of this TOML file. The original"
    " is recoded likewise.",
    "FILE",
    type=click.Path(),
)
@person_option
@weights_option
@tolerance_option
@file_option("--records", "CONFIDENTIAL: write the records at risk, and why, to this CSV file.")
@chart_option
@option(
    "--chart-of",
    "What --chart draws: DiSCO of all targets, uniqueness, one target, or guesses (DCAP).",
    type=click.Choice(CHARTS),
)
@more_options
@output_options
def disclosure(
    *,
    files: tuple[Any, Any],
    limits: tuple[str, ...],
    gate: GateOptions,
    one_way: tuple[float, float] | None,
    two_way: tuple[float, float] | None,
    recode: str | None,
    records: Path | None,
    chart: Path | None,
    chart_of: str | None,
    words: bool,
    flags: bool,
    details: bool,
    as_json: bool,
    as_csv: bool,
    **settings: Any,
) -> int:
    """Measure what the SYNTHETIC files would disclose about the people in ORIGINAL.

    Files are SPSS, Stata, SAS, Excel, Parquet or CSV, in any mixture. KEYS are the variables an
    intruder would know about a person; each TARGET is a variable they might learn.

    \b
    Example:
      unveil disclosure survey.csv synthetic.csv --keys sex,age,region --limit DiSCO=10
      unveil disclosure survey.csv copy1.csv copy2.csv -k sex,age -t income --json > figures.json
      unveil disclosure survey.csv synthetic.csv -k sex,age --exclude missing-targets --bands age=5

    Exit codes: 0 within limits, 1 internal error, 2 wrong use or bad input, 3 a limit is exceeded
    or an alert blocks the release, 4 a decision is outstanding. Without --limit this is no gate:
    alerts are printed, and the exit code is 0.
    """
    wanted = parse_limits(limits)
    check_records({"--records": records})
    if chart_of is not None and chart is None:
        raise SettingsError("--chart-of names a picture, but --chart no file. Give --chart FILE.")
    thresholds = {"one_way": one_way, "two_way": two_way}
    settings |= {name: pair for name, pair in thresholds.items() if pair is not None}
    settings["sensitive"] = gate.sensitive
    recipe = None if recode is None else _read_recipe(recode)
    result, assessment = measure_and_assess(files, wanted, gate, settings, recipe=recipe)
    figures = {name: limit for name, limit in wanted.items() if name in LIMITABLE}
    verdicts = check_limits(result.record, figures)
    asked = zip(PARTS, (words, flags, details), strict=True)
    show = tuple(part for part, is_asked in asked if is_asked)
    form = Form(show, as_json=as_json, as_csv=as_csv)
    shown = render_charts(result.record, verdicts, assessment, form)
    with write_all_or_none() as written:  # only once nothing else can go wrong
        written.extend(write_chart(chart, result.record, chart_of))
        if records is not None:
            click.echo(f"unveil: {write_records(result, records)}", err=True)
    print_output(shown)
    return assessment.exit_code


def _read_recipe(path: str) -> "Recipe":
    # Here, for it imports all of synthesis, which takes a tenth of a second.
    from unveil.project.recode_original import recipe_in

    return recipe_in(path)


def measure_and_assess(
    files: tuple[Any, Any],
    limits: Mapping[str, float],
    gate: GateOptions,
    settings: Mapping[str, Any],
    *,
    recipe: "Recipe | None" = None,
    is_gate: bool = False,
    has_parts: bool = False,
) -> tuple[DisclosureResult, Assessment]:
    """Read once, measure and assess, with a progress bar; a limit, too, makes it a gate."""
    check_settings(**settings)
    if engine_of(*files) != "memory":
        if gate.control:
            raise EngineError("--control needs the records in memory (--engine memory). Omit it.")
        if recipe is not None:
            files = _recode_in_engine(files, recipe, settings.get("missing_values", ()))
        with progress_bar() as bar:
            counted, assessment = assess_in_engine(
                *files,
                limits={name: (limit, limit) for name, limit in limits.items()},
                settings=settings,
                identifiers=gate.identifiers,
                acceptances=gate.acceptances,
                audience=gate.audience,
                is_gate=bool(limits) or is_gate,
                progress=bar,
            )
        gate.refuse_unknown(assessment)
        assert counted is not None  # for types: the command has keys
        return counted, assessment
    with progress_bar() as bar:
        missing = settings.get("missing_values", ())
        opened = Study.open(*files, gate.control, missing_values=missing, progress=bar)
        digest = hash_study(opened) if gate.accept else None
        notes: tuple[str, ...] = ()
        if recipe is not None:
            from unveil.project.recode_original import recode_opened

            opened, notes = recode_opened(opened, recipe)
        result = measure_disclosure(opened.original, opened.synthetic, **settings, progress=bar)
        result = result.with_expected(bar, has_parts=has_parts)
        if any(name in limits for name in LIMITED):
            result = result.with_key_sets(bar)
        assessment = assess_files(
            Files(opened.files),
            result.record,
            limits={name: (limit, limit) for name, limit in limits.items()},
            sensitive=gate.sensitive,
            identifiers=gate.identifiers,
            person=settings.get("person"),
            accept=gate.acceptances(digest),
            files_sha256=digest,
            audience=gate.audience,
            in_full=bool(limits) or gate.is_full or is_gate,
            is_gate=bool(limits) or is_gate,
            progress=bar,
        )
    gate.refuse_unknown(assessment)
    for note in notes:
        click.echo(f"unveil: {visible(note)}", err=True)
    return result, assessment


def _recode_in_engine(
    files: tuple[Any, Any], recipe: "Recipe", missing_values: Any
) -> tuple[Any, Any]:
    """The files, whose rows an engine keeps, with the original recoded as the synthetic data."""
    from unveil.project.recode_original import recode_opened

    sides = sides_of(files[1], original=files[0])
    opened = open_in_engine(engine_of(*files), sides, None, missing_values, ())
    made, notes = recode_opened(opened.study, recipe)
    for note in notes:
        click.echo(f"unveil: {visible(note)}", err=True)
    return made.original, made.synthetic


@dataclass(frozen=True)
class Form:
    """In which form a result is printed."""

    show: tuple[str, ...] = ()  # the folded parts to unfold on a screen
    as_json: bool = False
    as_csv: bool = False


def render_charts(
    record: Disclosure, verdicts: Sequence[Verdict], assessment: Assessment, form: Form
) -> Any:
    """The record in the form asked for, ready to be printed."""
    if not form.as_json and not form.as_csv:
        blocks = disclosure_blocks(record, verdicts, assessment, form.show)
        more = [f"--{part}" for part in PARTS if part not in form.show]
        hint = Sentence(f"More: {', '.join(more)}", "lead")
        return render_rich([*blocks, hint] if more else blocks)
    for one in assessment.alerts:
        if one.accepted is None and one.status != "review" and one.kind != "limit":
            click.echo(f"unveil: {one.status}: {visible(one.sentence)}", err=True)
    if form.as_json:
        return json_document(record, verdicts, assessment)
    return disclosure_csv(record)
