"""`unveil assess`: the summary of synthetic files, without a project."""

from typing import Any

import click

from unveil.assessment.limits import LIMITABLE, check_limits, parse_limits
from unveil.assessment.summarise import summarise_disclosure
from unveil.cli.disclosure import measure_and_assess
from unveil.cli.gate_options import GateOptions, gate_options
from unveil.cli.options import (
    exclude_option,
    json_option,
    more_options,
    option,
    person_option,
    takes_engine,
    takes_scenario,
)
from unveil.view.alerts import alert_blocks
from unveil.view.blocks import Sentence
from unveil.view.output import print_output
from unveil.view.render_documents import json_text
from unveil.view.run import summary_screen


@click.command()
@takes_engine
@takes_scenario("assess survey.csv synthetic.csv")
@exclude_option
@option(
    "--limit limits",
    "Compare a figure with a limit, such as DiSCO=10 or real_records=5. May be repeated.",
    "MEASURE=PERCENT",
    multiple=True,
)
@gate_options
@person_option
@more_options
@json_option
def assess(
    *,
    files: tuple[Any, Any],
    limits: tuple[str, ...],
    gate: GateOptions,
    words: bool,
    flags: bool,
    details: bool,
    as_json: bool,
    **settings: Any,
) -> int:
    """Assess SYNTHETIC files against ORIGINAL: the page to sign in short, without a project.

    KEYS are what an intruder is assumed to know. Runs all checks of the files.

    \b
    Example:
      unveil assess survey.csv synthetic.csv --keys sex,age,region --limit DiSCO=10
      unveil assess survey.csv synthetic.csv -k sex,age --sensitive hiv_test=positive --words

    Exit codes: 0 within limits, 1 internal error, 2 wrong use or bad input, 3 a limit is exceeded
    or something in the files stands against a release, 4 a decision is outstanding.
    """
    wanted = parse_limits(limits)
    asked = {"sensitive": gate.sensitive, **settings}
    result, assessment = measure_and_assess(
        files, wanted, gate, asked, is_gate=True, has_parts=True
    )
    figures = {name: limit for name, limit in wanted.items() if name in LIMITABLE}
    found = summarise_disclosure(
        result.record,
        assessment=assessment,
        verdicts=check_limits(result.record, figures),
        sensitive=gate.sensitive,
    )
    if as_json:
        print_output(json_text({"summary": found.to_dict()}))
    else:
        next_ = Sentence("More: --words, --flags, --details", "dim")
        blocks = summary_screen(found, result.record, [next_], words=words, flags=flags)
        more = alert_blocks(assessment.alerts, assessment.not_tested) if details else ()
        print_output([*blocks, *more])
    return assessment.exit_code
