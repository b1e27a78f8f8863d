"""A run in a notebook and a console: verdict, tables, flags; aggregates only.

Notebooks store what they show, so nothing here is about one person.
"""

from collections.abc import Iterable, Iterator

from unveil.records.disclosure import AttributeRow, Disclosure
from unveil.records.judgement import Judgement, LimitCheck
from unveil.records.report import Parts
from unveil.records.run import Run
from unveil.view import disclosure, flags
from unveil.view.alerts import alert_blocks, alert_lines
from unveil.view.blocks import Block, Heading, Items, Sentence, TableBlock, sentences, table
from unveil.view.format import format_count, n_of, percent_or_dash, truncate, visible
from unveil.view.status import format_status, worst

MOST_EXCLUSIONS = 6
HEADS = ("target", "original (Dorig)", "synthetic (DiSCO)", "people", "protection", "removed")


def run_text(run: Run, judgement: Judgement) -> str:
    """A run for a console: its alerts, the verdict, and what was not tested."""
    alerts, left = alert_lines(judgement.alerts), alert_lines((), judgement.not_tested)
    return "\n".join([*alerts, _line(run, judgement), *left])


def _line(run: Run, judgement: Judgement) -> str:
    return f"Run {run.number} of {visible(run.title)}: {visible(judgement.headline)}"


def run_blocks(run: Run, parts: Parts, judgement: Judgement) -> Iterator[Block]:
    """A run for a notebook."""
    yield from alert_blocks(judgement.alerts, judgement.not_tested)
    yield Heading(_line(run, judgement))
    yield Sentence(format_measured(run))
    for part in run.list_parts("disclosure"):
        yield from _scenario(part.scenario or "", parts[part.name], judgement)
    yield _others(judgement)
    found = [(one.id, f"{one.n:,}", one.state) for one in judgement.findings]
    heads = ("flag", "people", "ruling")
    yield table("Flags that may be common knowledge", heads, found, text=("ruling",))
    yield from _list("Outstanding", (f"{one.sentence} {one.fix}" for one in judgement.missing))
    left = (f"{one.name}: {one.reason or ''}" for one in run.parts if one.state == "not measured")
    yield from _list("Not measured", left)
    yield from _list("Since this run", (*judgement.stale, *judgement.void))


def _list(title: str, rows: Iterable[str]) -> Iterator[Block]:
    if shown := tuple(rows):
        yield Heading(title, 4)
        yield Items(shown)


def format_measured(run: Run) -> str:
    """How much was measured, and how much of it anew."""
    states = [part.state for part in run.parts]
    said = [f"{format_count(states.count('measured'), 'part')} measured"]
    said += [f"{n:,} {state}" for state in ("reused", "not measured") if (n := states.count(state))]
    return f"{', '.join(said)}; begun {run.started}."


def _scenario(scenario: str, record: Disclosure, judgement: Judgement) -> Iterator[Block]:
    of_copy = record.headline_copy
    row = record.identity_of(of_copy)
    yield from sentences(
        (
            disclosure.scenario(record),
            *list(disclosure.identity(record, row).values())[-1:],
            flags.exclusions(record, most=MOST_EXCLUSIONS),
            disclosure.people_sentence(record),
        )
    )
    rows = [
        (
            *_cells(record, record.attribute_of(target, of_copy)),
            _status(judgement, scenario, target),
        )
        for target in record.targets
    ]
    caption = f"{truncate(scenario)}: attribute disclosure by target variable, highest first"
    yield table(caption, (*HEADS, "status"), rows)


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


def _others(judgement: Judgement) -> TableBlock:
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
    return table("Other figures to look at", heads, rows, text=("of", "copy"))


def figure(one: LimitCheck) -> str:
    """A figure beside its limit, in the unit of its measure."""
    return "-" if one.value is None else f"{one.value:.4g} (limit {one.limit:g})"
