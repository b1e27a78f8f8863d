"""`unveil.findings`: do the published results still come out when computed on the copy?

The method named after Purdam and Elliot (2007), as Taub and others (2017) and Chapelle and
Falissard (2023) use it: the essential findings of the original study are declared, computed on the
original and on every copy, and compared.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from unveil.count.scenario import Progress, silent
from unveil.errors import SettingsError
from unveil.measure.tabular import RowsResult
from unveil.measure.utility.combining import RULES, SYNTHESES, Synthesis
from unveil.measure.utility.findings_asked import Asked, asked_of
from unveil.measure.utility.findings_file import read_findings
from unveil.measure.utility.findings_models import regressions
from unveil.measure.utility.findings_opening import Opened, opened_for
from unveil.measure.utility.findings_rows import Settings, not_measured, rows_of, summaries
from unveil.measure.utility.replicating import Answer, means, prevalences, tables
from unveil.read.given import choice, number_in, shown
from unveil.records.replication import Finding, FindingNotMeasured, FindingRow, Replication


def findings(
    original: Any,
    synthetic: Any,
    findings: Any,
    *,
    level: float = 0.95,
    synthesis: Synthesis = "simple",
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RowsResult[Replication]:
    """Compute declared results on original and copies, and compare them.

    Parameters
    ----------
    original, synthetic, missing_values, progress
        As in `unveil.disclosure`; `synthetic` is one copy, or a list of copies.
    findings
        A list of mappings, or the name of a TOML file with the same as `[[finding]]`. Each has a
        `kind`, and may have a `name` and a subgroup, `where = "severity >= 5 and sex = F"`:

        - prevalence: `column` and `level` (one, or a list); `of = "all"` counts those without a
          value among the others;
        - mean: `column`;
        - table: `columns`, one or two; `within` one of them gives percentages within its levels;
          `of = "all"` makes missing a level;
        - regression: `formula`, such as "income ~ age + sex + age:sex"; `model`, one of linear,
          logistic, multinomial and ordered; `levels`, the order of the levels of a column.
    level
        Of the confidence intervals.
    synthesis
        How the copies were made, for inference about the population: "simple" (models fitted once),
        "proper" (their parameters drawn) or "incomplete" (some columns are the original's).
    special_codes
        Numbers that stand for no answer, by column: {"income": [-8]}. No mean or regression takes
        them for amounts.

    Returns
    -------
    RowsResult
        `.rows`, one for each finding, term and copy, and for all copies combined.

    References
    ----------
    Purdam and Elliot (2007); Taub, Elliot and Sakshaug (2017); Chapelle and Falissard (2023),
    Table 4; Karr and others (2006) for the overlap; Raab, Nowok and Dibben (2016)
    and Reiter (2003) for the combining rules.
    """
    progress = progress or silent
    is_file = isinstance(findings, str | os.PathLike)
    asked = asked_of(read_findings(findings) if is_file else findings)
    share = _level(level)
    rule = choice("synthesis", synthesis, SYNTHESES)
    opened = opened_for(
        asked,
        original,
        synthetic,
        special_codes=special_codes,
        missing_values=missing_values,
        progress=progress,
    )
    return RowsResult(_record(asked, opened, Settings(opened.sizes, share, rule), progress))


def _level(given: Any) -> float:
    level = number_in(given)
    if level is None or not 0 < level < 1:
        raise SettingsError(f"level is {shown(given)}. It must lie between 0 and 1, such as 0.95.")
    return level


def _record(
    asked: Sequence[Asked], opened: Opened, settings: Settings, progress: Progress
) -> Replication:
    rows: list[FindingRow] = []
    lost: list[FindingNotMeasured] = []
    told: list[Finding] = []
    for done, one in enumerate(asked):
        progress("computing the findings", done, len(asked))
        answers, model = _answers(one, opened)
        own = list(rows_of(one.name, one.kind, answers, settings))
        rows += own
        lost += not_measured(one.name, answers, own)
        told.append(
            Finding(
                name=one.name,
                kind=one.kind,
                where=one.where,
                formula=None if one.formula is None else one.formula.text,
                model=model,
                copies=summaries(own),
            )
        )
    return Replication(
        files=tuple(table.source for table in opened.tables),
        n_original=opened.sizes[0],
        n_synthetic=opened.sizes[1:],
        level=settings.level,
        synthesis=settings.synthesis,
        rule=RULES[settings.synthesis],
        findings=tuple(told),
        rows=tuple(rows),
        coercions=opened.aligned.coercions,
        not_measured=tuple(lost),
    )


def _answers(one: Asked, opened: Opened) -> tuple[list[Answer], str | None]:
    if one.kind == "regression":
        answers, model = regressions(one, opened)
        return answers, model
    return {"prevalence": prevalences, "mean": means, "table": tables}[one.kind](one, opened), None
