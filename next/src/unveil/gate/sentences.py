"""What an assessment says in words: the line for a log, the opening, what was not tested."""

from collections.abc import Iterator, Sequence
from typing import Any

from unveil.gate.rows import ALL_LINKS, ALL_NEAR, UNIQUE, NotTestedRow
from unveil.results import COMPLETE, PeopleFigure
from unveil.results.units import NOT_MEASURED
from unveil.results.words import count, join_names, people, percent, side_of, whose
from unveil.study import Study

ABOVE = ("above limit", "to be decided", "not measured")
CAUSES = 3  # that the first screen tells
FEW = 500  # people below whom a quiet result says little
WORDS = {
    "blocked": "Blocked", "decide": "A person must decide", "review": "Within limits, to review",
    "within": "Within limits",
}  # fmt: skip


def worst_first(figures: Sequence[PeopleFigure]) -> list[PeopleFigure]:
    """The gravest status first, then by what is beyond; limits of people are all alike."""
    return sorted(
        figures,
        key=lambda figure: (
            ABOVE.index(figure.status) if figure.status in ABOVE else len(ABOVE),
            -(figure.beyond or 0),
        ),
    )


def headline_of(result: Any) -> str:
    """What failed, and by how much."""
    stops = [alert for alert in result.alerts if alert.status != "review"]
    above = [figure for figure in worst_first(result.figures) if figure.status in ABOVE]
    parts = []
    for status in ABOVE:
        if same := [figure for figure in above if figure.status == status]:
            parts.append(f"{status} in {len(same)} of {len(result.figures)} figures")
    if above:
        parts.append(f"furthest: {measured(above[0])}")
    if untold := untold_kinds(result.figures):
        parts.append(f"too few people to tell: {join_names(untold)}")
    if over := [check for check in result.checks if check.status == "above limit"]:
        parts.append(f"above your policy: {join_names(c.figure for c in over)}")
    if stops:
        parts.append(f"alerts: {join_names(dict.fromkeys(alert.id for alert in stops))}")
    return "; ".join(parts) or f"within limits: {len(result.figures)} figures, no alert"


def measured(figure: PeopleFigure) -> str:
    """school by income, gender, +1,205 (limit 88)."""
    by = f" by {figure.by}" if figure.by else ""
    beyond = "no figure" if figure.beyond is None else f"{figure.beyond:+,.0f}"
    limit = "" if figure.limit is None else f" (limit {figure.limit:,.0f})"
    return f"{side_of(figure)}{figure.what}{by}, {beyond}{limit}"


KINDS = {
    "records": "real records", "keys": "what the keys tell", "links": "what other columns tell",
}  # fmt: skip


def untold_kinds(figures: Sequence[PeopleFigure]) -> list[str]:
    """The kinds of which no figure could be told."""
    return [
        words
        for kind, words in KINDS.items()
        if (of_kind := {figure.status for figure in figures if figure.kind == kind})
        and of_kind <= {"cannot tell", "not measured"}
    ]


def opening(result: Any) -> tuple[str, ...]:
    """The verdict, then what a director repeats."""
    unit, n = result.settings["unit"], result.people
    figures = worst_first(result.figures)
    above = [figure for figure in figures if figure.status in ABOVE[:2]]
    yours = any(figure.limited_by in result.yours for figure in above)
    alerts = [alert.id for alert in result.alerts if alert.status != "review"]
    said = f"{WORDS[result.status]}."
    if above:
        limits = "your limits" if yours else "the proposed limits"
        also = f" ({len(alerts)} alerts)" if len(alerts) > 1 else ""
        n_above = sum(figure.status == ABOVE[0] for figure in above)
        n_asked = len(above) - n_above
        asked = f", {n_asked} to be decided" if n_asked else ""
        said = f"{WORDS[result.status]}: {n_above} of {len(figures)} figures above {limits}"
        said = f"{said}{asked}{also}."
    elif over := [check.figure for check in result.checks if check.status == "above limit"]:
        said = f"{WORDS[result.status]}: {join_names(dict.fromkeys(over))} above your policy."
    elif alerts:
        said = f"{WORDS[result.status]}: {join_names(dict.fromkeys(alerts))}."
    elif untold := untold_kinds(figures):
        said = f"{WORDS[result.status]}: too few {unit} to tell {join_names(untold)}."
    elif n < FEW and result.exit_code == 0:
        said = f"{WORDS[result.status]}: no copy, no large part; {n:,} {unit} tell no more."
    sentences = [_complete(figure, unit) for figure in figures if figure.what == COMPLETE][:1]
    shown = [figure for figure in figures if figure.kind in ("keys", "links")][:1]
    if all((figure.beyond or 0) < (figure.limit or 0) / 2 for figure in shown):
        little = f"Almost nothing is told beyond what other {whose(unit)} records tell."
        return said, *sentences, *([] if above or not shown else [little])
    return said, *sentences, *(_shown(figure, unit) for figure in shown)


def _complete(figure: PeopleFigure, unit: str) -> str:
    n = figure.people or 0
    records = f"{n:,.0f} complete record{'s' if n != 1 else ''}" if n else "no complete record"
    yardstick = f"; {people(figure.expected)} by chance" if n else ""
    return f"{side_of(figure)}The data contain {records} of {unit}{yardstick}."


def _shown(figure: PeopleFigure, unit: str) -> str:
    share = percent(100 * (figure.people or 0) / figure.of) if figure.of else "none"
    return (
        f"{side_of(figure)}{figure.what} would be disclosed correctly for {count(figure.people)} of"
        f" {count(figure.of)} {unit} ({share}) to an intruder who knows {figure.by}; other"
        f" {whose(unit)} records alone give {people(figure.expected)}."
    )


def closing(result: Any) -> Iterator[tuple[str, str]]:
    """Limit and who chose it, alerts by their cause, what was not tested: each with its label."""
    unit, settings = result.settings["unit"], result.settings
    limits = {figure.limited_by: figure.limit for figure in result.figures}
    texts = []
    for name, what in ("beyond", f"{unit} beyond"), ("real_records", "complete records"):
        if (limit := limits.get(name)) is not None:
            whose_choice = "yours" if name in result.yours else "proposed"
            share = f"{100 * limit / max(result.people, 1):g} %"
            texts.append(f"{limit:,.0f} {what} ({share}, {whose_choice})")
    if texts:
        audience = f"{settings['audience']} release"
        yield "Limits", f"{join_names(texts)} for {audience}; no standard stands behind them."
    for check in result.checks:
        value = NOT_MEASURED if check.value is None else f"{check.value:,.1f}"
        figure = f"{check.figure} {check.subject}".strip()
        yield "Policy", f"{figure} {value}, {check.status} {check.limit:g}."
    groups = _by_cause([alert for alert in result.alerts if alert.status != "review"])
    for (cause, _), same in groups[:CAUSES]:
        status = same[0].status
        if cause:
            alerts = f"{len(same)} alerts" if len(same) > 1 else "1 alert"
            yield "Cause", f"{cause} ({alerts}, {status}). {same[0].remedy}"
        else:
            yield "Alert", f"{status}, {same[0].sentence} {same[0].remedy}".strip()
    rest = sum(len(same) for _, same in groups[CAUSES:])
    reviews = sum(alert.status == "review" for alert in result.alerts)
    if rest or reviews:
        more = [f"{rest} more"] * bool(rest) + [f"{reviews} to review"] * bool(reviews)
        yield "Alerts", f"{join_names(more)} (--show alerts)."
    drawn = [row for row in result.not_tested if row.what in (ALL_LINKS, ALL_NEAR)]
    for row in drawn:
        yield "Sampled", f"{row.sentence.partition(';')[0].rstrip('.')}."
    names = [row.what for row in result.not_tested if row not in drawn]
    yield "Not tested", f"{join_names(dict.fromkeys(names))}."


def _by_cause(alerts: Sequence[Any]) -> list[tuple[tuple[str, str], list[Any]]]:
    """Alerts of one cause together; of those without one, each kind and its columns."""
    causes: dict[tuple[str, str], list[Any]] = {}
    for alert in alerts:
        kind = "" if alert.cause else alert.id
        causes.setdefault((alert.cause, kind), []).append(alert)
    return list(causes.items())


def not_tested(study: Study, figures: Sequence[PeopleFigure]) -> Iterator[NotTestedRow]:
    """What a reader might think was tested."""
    untold = [figure for figure in figures if figure.status == "cannot tell"]
    for figure in untold:
        sentence = f"{measured(figure)}: too few {study.unit} to tell at this limit."
        yield NotTestedRow(what=figure.what, sentence=sentence)
    if not study.keys:
        yield NotTestedRow(
            what="keys", sentence="What an intruder with some knowledge learns: name keys (--keys)."
        )
    told = {(f.version, f.copy, f.what) for f in figures if f.kind in ("keys", "uniques")}
    asked = {name: f"What the keys tell of {name}" for name in study.targets if study.keys}
    for name, what in (asked and {UNIQUE: "Who is unique by the keys", **asked}).items():
        if any((side.version, side.copy, name) not in told for side in study.sides()):
            sentence = f"{what}: the files do not code these columns alike."
            yield NotTestedRow(what=name, sentence=sentence)
    if study.has_people:
        sentence = "What several records of a person tell together, as over time."
        yield NotTestedRow(what="series", sentence=sentence)
    if not any(column.sensitive for column in study.columns.values()):
        yield NotTestedRow(
            what="sensitive values",
            sentence="No value is declared sensitive (-c COLUMN:sensitive=LEVEL).",
        )
    if not study.has_control:
        yield NotTestedRow(
            what="being in the data",
            sentence="Whether a person's own record changes what is told: a control sample"
            " (unveil split, then --control).",
        )
    for what, sentence in ALWAYS.items():
        yield NotTestedRow(what=what, sentence=sentence)


ALWAYS = {
    "other knowledge": "Links by four columns or more, and keys that were not named.",
    "values hidden on purpose": "Hashes, look-alike letters, a column scaled in secret, names of"
    " files and what else they hold.",
    "order": "Whether the order of the records tells whose they are: shuffle them.",
    "groups": "Harm to groups, beyond values that are declared sensitive.",
    "earlier releases": "This release together with earlier ones: give them as copies.",
    "people who objected": "What others' records tell is told of people who objected too.",
}
