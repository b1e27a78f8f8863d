"""A project in a notebook: what-ifs, explanations, judgements, decisions, the log, as blocks.

Aggregates, levels that checks name, and what people said.
"""

from collections.abc import Iterable, Iterator

from unveil.records.judgement import (
    Decision,
    ExplainedFlag,
    Explanation,
    Judgement,
    LogCheck,
    WhatIf,
)
from unveil.view import project
from unveil.view.alerts import alert_blocks
from unveil.view.blocks import Block, Heading, Sentence, TableBlock, sentences, table
from unveil.view.format import and_list, truncate
from unveil.view.show import as_blocks, as_text


@as_blocks.register
def _(record: WhatIf) -> Iterator[Block]:
    yield Heading(f"Effect of excluding {and_list(record.exclude)}")
    for one in record.scenarios:
        yield from sentences(one.sentences)
        rows = project.whatif_rows(record, one)
        yield table(f"{truncate(one.scenario)}: before and after", project.WHATIF_HEADS, rows)
    yield Sentence(project.saved_sentence(record))


@as_blocks.register
def _(record: Explanation) -> Iterator[Block]:
    yield Heading(f"{truncate(record.target)} in run {record.run}")
    for place, one in enumerate(record.scenarios):
        yield from sentences(one.sentences)
        heads, rows = project.LADDER_HEADS, project.ladder_rows(record, place)
        yield table(f"{truncate(one.scenario)}: step by step", heads, rows)
        yield _flags(one.findings)
    limited = [one for one in record.figures if one.status != "no limit"]
    yield table("Against the limits", project.FIGURE_HEADS, project.figure_rows(limited))
    yield from sentences(record.stale)


def _flags(flags: Iterable[ExplainedFlag]) -> TableBlock:
    rows = []
    for one in flags:
        found = one.finding
        then = one.accept if found.state == "open" else found.reason or ""
        rows.append((truncate(found.id), f"{found.n:,}", found.state, then))
    heads = ("flag", "people", "ruling", "if it is common knowledge; or the reason of the ruling")
    return table("Flags that may be common knowledge", heads, rows, text=heads[2:])


@as_blocks.register
def _(record: Judgement) -> Iterator[Block]:
    yield from alert_blocks(record.alerts, record.not_tested)
    yield Heading(as_text(record))
    yield from sentences((record.rule, *record.stale, *record.void))
    above = [one for one in record.figures if one.status in ("above", "review", "not measured")]
    yield table("To look at", project.FIGURE_HEADS, project.figure_rows(above))
    missing = [(one.sentence, one.fix) for one in record.missing]
    yield table("Outstanding", ("what", "how"), missing, text=("how",))


@as_blocks.register
def _(record: Decision) -> Iterator[Block]:
    first, *rest = project.decision_lines(record)
    yield Heading(first)
    yield from sentences(rest)


@as_blocks.register
def _(record: LogCheck) -> Iterator[Block]:
    yield from sentences(project.check_lines(record))
