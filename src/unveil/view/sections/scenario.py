"""What is assumed of the intruder, and what is left out as no real risk, why and by whom?"""

from collections.abc import Iterator

from unveil.records.report import ExclusionText, Parts, ReportContents, ScenarioText
from unveil.view.format import format_count, format_rule, truncate
from unveil.view.html_page import render_details
from unveil.view.html_pieces import chips, text, text_table, when
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase, Section

MOST_CHIPS = 24


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Each scenario with its keys and targets, then the exclusions in force."""
    told = "".join(_scenario(one) for one in contents.scenarios)
    body = [
        fill_sentence("scenario.assumed").html("lead"),
        told or fill_sentence("scenario.none").html("told"),
        "<h3>What is left out</h3>",
        _exclusions(contents.exclusions),
    ]
    return Section("scenario", "What an intruder is assumed to know", "".join(body))


def _scenario(one: ScenarioText) -> str:
    size = fill_sentence(
        "scenario.size",
        one.name,
        keys=format_count(len(one.keys), "column"),
        targets=format_count(len(one.targets), "column"),
    )
    is_other = one.template and one.template != one.name
    template = f' <span class="dim">({text(one.template or "")})</span>' if is_other else ""
    targets = chips(one.targets, kind="targets", label="Targets")
    if len(one.targets) > MOST_CHIPS:
        targets = render_details(f"All {len(one.targets):,} targets", targets)
    return (
        f"<h3>{text(truncate(one.name))}{template}</h3><p>{text(one.sentence)}</p>{size.html('told')}"
        f'<p class="over">Keys</p>{chips(one.keys, kind="keys", label="Keys")}'
        f'<p class="over">Targets</p>{targets}'
    )


def _exclusions(given: tuple[ExclusionText, ...]) -> str:
    if not given:
        return fill_sentence("scenario.nothing_excluded").html("told")
    rows = [
        (
            format_rule(one.rule),
            truncate(one.scenario) if one.scenario is not None else "all",
            one.reason,
            one.by,
            when(one.on) if one.on else "",
            _through(one),
        )
        for one in given
    ]
    heads = ("left out", "scenario", "reason", "by", "on", "through")
    kinds = ("text", "", "text", "text", "date", "")
    return "".join(one.html("told") for one in _counted(given)) + text_table(
        "Exclusions", heads, rows, kinds=kinds
    )


def _counted(given: tuple[ExclusionText, ...]) -> Iterator[Phrase]:
    n_in_run = sum(one.in_run for one in given)
    n_added = len(given) - n_in_run
    if n_in_run:
        yield fill_sentence("scenario.excluded", n=format_count(n_in_run, "exclusion"))
    else:
        yield fill_sentence("scenario.nothing_excluded")
    if n_added:
        were, it = ("was", "it leaves out") if n_added == 1 else ("were", "they leave out")
        yield fill_sentence(
            "scenario.added", n=f"{format_count(n_added, 'exclusion')} {were}", it=it
        )


def _through(one: ExclusionText) -> str:
    through = "a ruling on a finding" if one.from_ruling else "a line of its own"
    return through if one.in_run else f"{through}, ADDED SINCE: not in these figures"
