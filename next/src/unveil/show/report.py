"""The page to sign and its annexes, drawn from a `View`: one file, without scripts or links."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from unveil.measures.utility.compare import Compare
from unveil.project.parts import kind_of
from unveil.project.settings import QUESTIONS
from unveil.project.store import DIGITS
from unveil.project.view import NEVER_TESTED, Fact, Line, View
from unveil.results import Heading, Result, Table
from unveil.results.words import join_names
from unveil.show.bar import bars_of
from unveil.show.chart import draw
from unveil.show.page import style, template

VARIABLES = 10  # rows of annex 2; the others are counted
ALERTS, MISSING, STATEMENTS, UNTESTED, SENTENCES, PARTS = 5, 5, 10, 20, 3, 9
DIFFER, LEVELS = 6, 5  # columns whose distributions are drawn, and levels of each


class Shown(NamedTuple):
    """What an annex takes of a measure: sentences, and so many rows of a table."""

    sentences: int = SENTENCES
    table: str = ""
    columns: tuple[str, ...] = ()
    rows: int = 0
    chart: str = ""


AT_RISK = {
    "disclosure": Shown(), "suda": Shown(2), "match_risk": Shown(2), "excess": Shown(3),
    "key_sets": Shown(2), "attack": Shown(chart="attacks"), "cap": Shown(2), "gtcap": Shown(2),
    "differential_confidentiality": Shown(2),
}  # fmt: skip
USEFUL = {
    "utility": Shown(2, "pairs", ("a", "b", "S_pMSE"), 10),
    "compare": Shown(2, chart="distributions"),
    "replicate": Shown(3, "terms", ("result", "term", "original", "synthetic", "overlap"), 8),
}
OF_TABLES = {"plan": Shown(12)}


class Variable(NamedTuple):
    """One variable: by the keys, and by the link that tells most."""

    name: str
    keys: Line | None
    link: Line | None
    small: str


class AnnexPart(NamedTuple):
    title: str
    sentences: Sequence[str] = ()
    facts: Sequence[Fact] = ()
    tables: Sequence[Table] = ()
    charts: Sequence[str] = ()


class Annex(NamedTuple):
    title: str
    variables: Sequence[Variable] = ()
    parts: Sequence[AnnexPart] = ()


def report(view: View) -> str:
    """The whole file."""
    bar_of = bars_of(line for block in view.blocks for line in block.all_lines)
    never = len(view.not_tested) - NEVER_TESTED
    more = [f"{never} more in annex 5."] if never > 0 else []
    return template("report.html").render(
        view=view, style=style(), bar_of=bar_of, annexes=[*annexes_of(view)],
        synthetic=[file.name for file in view.files if file.role == "synthetic"],
        not_tested=[*view.not_tested[:NEVER_TESTED], *more],
    )  # fmt: skip


def annexes_of(view: View) -> Iterator[Annex]:
    variables = [*variables_of(view)]
    rest = _count_others(variables[VARIABLES:])
    yield Annex("Annex 2. All variables", variables[:VARIABLES], [AnnexPart(rest)] if rest else [])
    yield Annex("Annex 3. People at risk and links", (),
                [*_alerts(view), *_links(view), *_parts(view, AT_RISK)])  # fmt: skip
    yield Annex("Annex 4. Utility", (), [*_parts(view, USEFUL)])
    yield Annex("Annex 5. Setting", (), [*_setting(view)])
    if tables := [*_parts(view, OF_TABLES)]:
        yield Annex("Annex 6. Tables to be published", (), tables)


# Annex 2


def variables_of(view: View) -> Iterator[Variable]:
    """A row for each variable, the most beyond first; of several intruders the worst."""
    keys, links = _worst_lines(view, "keys"), _worst_lines(view, "links")
    tables = {part.row.scenario: part.result.table("attribute") for part in view.parts
              if part.row.measure == "disclosure" and part.result}  # fmt: skip
    variables = [
        Variable(name, keys.get(name), links.get(name), _papers_of(keys.get(name), tables))
        for name in keys | links
    ]
    yield from sorted(variables, key=lambda variable: -_most(variable))


def _worst_lines(view: View, kind: str) -> dict[str, Line]:
    """Of each variable the first line, which is the worst."""
    lines = [line for block in view.blocks if block.kind == kind for line in block.all_lines]
    return {line.row.what: line for line in reversed(lines)}


def _most(variable: Variable) -> float:
    lines = filter(None, (variable.keys, variable.link))
    return max((line.row.beyond or 0 for line in lines), default=0)


def _papers_of(line: Line | None, tables: Mapping[str, Table]) -> str:
    """The figures of Raab (2024) of the same target, file and intruder."""
    if line is None or line.row.scenario not in tables:
        return ""
    table, figure = tables[line.row.scenario], line.row
    about = (figure.what, figure.version, figure.copy)
    row = next((r for r in table.rows if (r["target"], r["version"], r["copy"]) == about), None)
    if row is None:
        return ""
    said = {name: table.units[name].text(row[name]) for name in ("DiSCO", "Dorig", "wrong")}
    intruder = f"{figure.scenario}: " if len(tables) > 1 else ""
    return intruder + "DiSCO {DiSCO}, Dorig {Dorig}; {wrong} wrongly".format_map(said)


def _count_others(variables: Sequence[Variable]) -> str:
    if not variables:
        return ""
    beyond = [round(_most(variable)) for variable in variables]
    return f"{len(variables)} variables more: {min(beyond):+,} to {max(beyond):+,} beyond at most"


# Annexes 3 to 6


def _alerts(view: View) -> Iterator[AnnexPart]:
    sentences = [alert.sentence for alert in view.alerts]
    if sentences:
        yield AnnexPart("Alerts", _first(sentences, ALERTS))


def _links(view: View) -> Iterator[AnnexPart]:
    """Which variables the worst links use."""
    lines = [line for block in view.blocks if block.kind == "links" for line in block.all_lines]
    if lines:
        sentences = [f"{line.what} {line.known}: {line.beyond} beyond, {line.status}."
                     for line in lines]  # fmt: skip
        yield AnnexPart("Links found by search", _first(sentences, ALERTS))


def _parts(view: View, measures: Mapping[str, Shown]) -> Iterator[AnnexPart]:
    """The parts of a run that an annex shows, each in its own words; of many the first."""
    is_several = len({part.row.scenario for part in view.parts} - {""}) > 1
    parts = [part for measure in measures for part in view.parts if part.row.measure == measure]
    for part in parts[:PARTS]:
        row, result = part.row, part.result
        of = f" ({row.scenario})" if is_several and row.scenario else ""
        if result is None:
            yield AnnexPart(f"{kind_of(row.measure).title}{of}", [f"Not measured: {row.reason}"])
            continue
        shown = measures[row.measure]
        yield AnnexPart(
            f"{result.title}{of}", result.sentences[: shown.sentences], (),
            [_first_rows(result.table(shown.table), shown)] if shown.table else (),
            [Markup(draw(_most_different(result), shown.chart, "svg").decode())]
            if shown.chart else (),
        )  # fmt: skip
    if others := parts[PARTS:]:
        names = dict.fromkeys(part.row.measure for part in others)
        yield AnnexPart("Not shown here", [f"{join_names(names)}: unveil run --show all."])


def _first_rows(table: Table, shown: Shown) -> Table:
    heading = Heading(table.heading.title, shown.columns)
    return msgspec.structs.replace(table, heading=heading, rows=table.first_rows[: shown.rows])


def _most_different(result: Result) -> Result:
    """A comparison with the distributions that differ most, and the largest of their levels."""
    if not isinstance(result, Compare):
        return result
    columns = result.table("columns").first_rows
    worst = sorted(columns, key=lambda row: -(row.total_variation or 0))
    names = [row.column for row in worst[:DIFFER]]
    levels: list[Any] = []
    for name in names:
        rows = [row for row in result.table("levels").first_rows if row.column == name]
        levels += sorted(rows, key=lambda row: -(row.original or 0))[:LEVELS]
    return msgspec.structs.replace(result, levels=tuple(levels))


def _setting(view: View) -> Iterator[AnnexPart]:
    files = [Fact(" ".join(filter(None, (file.role, file.version))),
                  f"{file.name}, {file.rows:,} records, {file.sha256[:DIGITS]}")
             for file in view.files]  # fmt: skip
    yield AnnexPart("Files", facts=files)
    yield AnnexPart("Assumed", [view.limit], view.settings)
    questions = [Fact(fact.name, fact.text or "not answered") for fact in view.questions]
    yield AnnexPart("Questions", facts=questions)
    said = [f"{said.about}: {said.answer}. {said.reason} {said.by}, {said.on:%-d %B %Y}."
            for said in view.statements]  # fmt: skip
    if said:
        yield AnnexPart("Stated", _first(said, STATEMENTS))
    if missing := [row.sentence for row in view.outstanding if row.about not in QUESTIONS]:
        yield AnnexPart("To be stated before a release", _first(missing, MISSING))
    yield AnnexPart("Not tested", _first(view.not_tested, UNTESTED))


def _first(sentences: Sequence[str], most: int) -> list[str]:
    """The first sentences, and how many more there are."""
    others = len(sentences) - most
    return [*sentences[:most], *([f"{others} more."] if others > 0 else [])]
