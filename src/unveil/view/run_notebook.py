"""A run in a notebook and a console: verdict, tables, findings; aggregates only.

Notebooks store what they show, so nothing here is about one person. No script, no outside
resource; every name from the data is escaped.
"""

from collections.abc import Iterator
from html import escape

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.judgement import Judgement, LimitCheck
from unveil.records.report import Parts
from unveil.records.run import Run
from unveil.view import disclosure, flags
from unveil.view.alerts import alert_lines, alerts_html
from unveil.view.format import format_count, n_of, percent_or_dash, truncate, visible
from unveil.view.html import grid, paragraph, view
from unveil.view.status import format_status, worst

MOST_EXCLUSIONS = 6
HEADS = ("target", "original (Dorig)", "synthetic (DiSCO)", "people", "protection", "removed")


def run_text(run: Run, judgement: Judgement) -> str:
    """A run for a console: its alerts, the verdict, and what was not tested."""
    alerts, left = alert_lines(judgement.alerts), alert_lines((), judgement.not_tested)
    return "\n".join([*alerts, _line(run, judgement), *left])


def _line(run: Run, judgement: Judgement) -> str:
    return f"Run {run.number} of {visible(run.title)}: {visible(judgement.headline)}"


def run_html(run: Run, parts: Parts, judgement: Judgement) -> str:
    """A run for a notebook."""
    disclosures = [(part.scenario or "", parts[part.name]) for part in run.list_parts("disclosure")]
    return view(
        [
            alerts_html(judgement.alerts, judgement.not_tested),
            f"<h3>{escape(_line(run, judgement))}</h3>",
            paragraph(format_measured(run)),
            *(_scenario(name_, record, judgement) for name_, record in disclosures),
            _others(judgement),
            _findings(judgement),
            _lines("What is still to be said", (_missing(judgement))),
            _lines("Not measured", _not_measured(run)),
            _lines("Since this run", (visible(one) for one in (*judgement.stale, *judgement.void))),
        ]
    )


def format_measured(run: Run) -> str:
    """How much was measured, and how much of it anew."""
    states = [part.state for part in run.parts]
    said = [f"{format_count(states.count('measured'), 'part')} measured"]
    said += [f"{n:,} {state}" for state in ("reused", "not measured") if (n := states.count(state))]
    return f"{', '.join(said)}; begun {run.started}."


def _scenario(scenario: str, record: Disclosure, judgement: Judgement) -> str:
    of_copy = record.headline_copy
    row = record.identity_of(of_copy)
    rows = [
        (
            *_cells(record, record.attribute_of(target, of_copy)),
            _status(judgement, scenario, target),
        )
        for target in record.targets
    ]
    caption = f"{truncate(scenario)}: what could be learnt for certain, the riskiest first"
    return "".join(
        [
            paragraph(disclosure.scenario(record)),
            paragraph(" ".join(list(disclosure.identity(record, row).values())[-1:])),
            paragraph(flags.exclusions(record, most=MOST_EXCLUSIONS)),
            paragraph(disclosure.people_sentence(record)),
            grid(caption, (*HEADS, "status"), rows),
        ]
    )


def _cells(record: Disclosure, row: AttributeRow) -> tuple[str, ...]:
    found = "-" if row.DiSCO is None else n_of(row.DiSCO, record.n_original)
    points = "-" if row.protection is None else f"{row.protection:.1f} points"
    return (
        truncate(row.target),
        percent_or_dash(row.Dorig),
        percent_or_dash(row.DiSCO),
        found,
        points,
        percent_or_dash(row.removed),
    )


def _status(judgement: Judgement, scenario: str, target: str) -> str:
    """The worst of all that is judged about a target in a scenario."""
    mine = [one for one in judgement.figures if one.scenario == scenario and one.target == target]
    return format_status(worst(one.status for one in mine))


def _others(judgement: Judgement) -> str:
    """Every other figure that is too high or to be looked at."""
    rows = [
        (
            one.measure,
            " ".join(truncate(text) for text in (one.scenario, one.target, one.subject) if text),
            "-" if one.copy is None else str(one.copy),
            figure(one),
            format_status(one.status),
        )
        for one in judgement.figures
        if one.status in ("above", "review", "not measured") and one.measure != "DiSCO"
    ]
    heads = ("measure", "of", "copy", "figure", "status")
    return grid("Other figures to look at", heads, rows)


def figure(one: LimitCheck) -> str:
    """A figure beside its limit, in the unit of its measure."""
    return "-" if one.value is None else f"{one.value:.4g} (limit {one.limit:g})"


def _findings(judgement: Judgement) -> str:
    rows = [(visible(found.id), f"{found.n:,}", found.state) for found in judgement.findings]
    return grid("What may be common knowledge", ("finding", "people", "ruling"), rows)


def _missing(judgement: Judgement) -> Iterator[str]:
    for one in judgement.missing:
        yield f"{visible(one.sentence)} {visible(one.fix)}"


def _not_measured(run: Run) -> Iterator[str]:
    for part in run.parts:
        if part.state == "not measured":
            yield f"{visible(part.name)}: {visible(part.reason or '')}"


def _lines(title: str, items: Iterator[str]) -> str:
    told = "".join(f"<li>{escape(item)}</li>" for item in items)
    return f"<p>{title}:</p><ul>{told}</ul>" if told else ""
