"""How the figures of one target come about, before anything is stated about it."""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from unveil.errors import check_name
from unveil.measures.disclosure.disclosure import Disclosure, disclosure
from unveil.project.rows import Explanation, FigureRow, StepRow
from unveil.project.standing import Standing
from unveil.results.words import count, join_names, percent, quote, side_of, whose
from unveil.study import Study


def explain(
    standing: Standing, study: Study, scenario: str, target: str, exclude: Sequence[str],
    told: Callable[[], None],
) -> Explanation:  # fmt: skip
    """Figures, values and flags as they were measured; with exclusions, counted again without."""
    check_name(target, study.targets, f"Scenario {scenario!r} has no target")
    of_target = ("keys", scenario, target)
    rows = standing.rows.figures
    figures = [row for row in rows if (row.kind, row.scenario, row.what) == of_target]
    asked = study.replace(targets=[study.joint.get(target, target)])
    result = disclosure(asked, exclude=exclude, expected=False, seed=standing.record.seed)
    explanation = Explanation(
        steps=tuple(_steps(result, () if exclude else figures, scenario, target)),
        values=result.values,
        flags=tuple(
            msgspec.structs.replace(flag, id=f"{scenario}/{flag.id}") for flag in result.flags
        ),
        effect=tuple(row for row in result.effect if row.target in (target, "")),
    ).beside(asked, settings=result.settings | {"scenario": scenario}, files=result.files)
    vars(explanation)["_told"] = told
    return explanation


def _steps(
    result: Disclosure, figures: Sequence[FigureRow], scenario: str, target: str
) -> Iterator[StepRow]:
    """Unique on the keys, matched, shown, correct: each a part of the one before."""
    keys, unit = join_names(result.settings["keys"]), result.settings["unit"]
    n = result.people
    for row in result.table("attribute").first_rows:
        if row.unit != "records":
            continue
        side = side_of(row)
        yield StepRow(
            scenario=scenario, figure="iS", value=row.iS,
            sentence=f"{side}For {percent(row.iS)} of {n:,} {unit}, records with their {keys} are"
            " in the synthetic data (iS).",
        )  # fmt: skip
        yield StepRow(
            scenario=scenario,
            figure="DiS",
            value=row.DiS,
            sentence=f"{side}For {percent(row.DiS)} these show a single value of {target} (DiS).",
        )
        yield StepRow(
            scenario=scenario,
            figure="DiSCO",
            value=row.DiSCO,
            sentence=f"{side}It is correct for {count(row.correct)} ({percent(row.DiSCO)}, DiSCO)"
            f" and wrong for {count(row.wrong)}.",
        )
    for figure in figures:
        if figure.symbol == "DiSCO" and figure.beyond is not None:
            margin = "" if figure.margin is None else f" ± {figure.margin:,.0f}"
            yield StepRow(
                scenario=scenario, figure="beyond", value=figure.beyond,
                sentence=f"{side_of(figure)}Other {whose(unit)} records alone give"
                f" {figure.expected:,.0f}; {figure.beyond:+,.0f}{margin} are beyond:"
                f" {figure.status}.",
            )  # fmt: skip
    values = result.table("values").first_rows
    if values:
        most = max(values, key=lambda row: row.correct or 0)
        yield StepRow(
            scenario=scenario, figure="values", value=most.correct,
            sentence=f"{side_of(most)}The value shown correctly most often is {quote(most.level)}:"
            f" {count(most.correct)} {unit} of {count(most.people)} who have it.",
        )  # fmt: skip
