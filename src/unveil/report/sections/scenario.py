"""What is assumed of the intruder, and what is left out as no real risk, why and by whom?"""

from collections.abc import Iterator

from unveil.records.dossier import Dossier, ExclusionText, Parts, ScenarioText
from unveil.report.catalogue import said
from unveil.report.page import folded
from unveil.report.pieces import chips, text, text_table, when
from unveil.report.sections.section import Said, Section
from unveil.report.words import counted, name, shown_rule

MOST_CHIPS = 24


def section(dossier: Dossier, parts: Parts) -> Section | None:
    """Each scenario with its keys and targets, then the exclusions in force."""
    told = "".join(_scenario(one) for one in dossier.scenarios)
    body = [
        said("scenario.assumed").html("lead"),
        told or said("scenario.none").html("told"),
        "<h3>What is left out</h3>",
        _exclusions(dossier.exclusions),
    ]
    return Section("scenario", "What an intruder is assumed to know", "".join(body))


def _scenario(one: ScenarioText) -> str:
    size = said(
        "scenario.size",
        one.name,
        keys=counted(len(one.keys), "column"),
        targets=counted(len(one.targets), "column"),
    )
    is_other = one.template and one.template != one.name
    template = f' <span class="dim">({text(one.template or "")})</span>' if is_other else ""
    targets = chips(one.targets, kind="targets", label="Targets")
    if len(one.targets) > MOST_CHIPS:
        targets = folded(f"All {len(one.targets):,} targets", targets)
    return (
        f"<h3>{text(name(one.name))}{template}</h3><p>{text(one.sentence)}</p>{size.html('told')}"
        f'<p class="over">Keys</p>{chips(one.keys, kind="keys", label="Keys")}'
        f'<p class="over">Targets</p>{targets}'
    )


def _exclusions(given: tuple[ExclusionText, ...]) -> str:
    if not given:
        return said("scenario.nothing_excluded").html("told")
    rows = [
        (
            shown_rule(one.rule),
            name(one.scenario) if one.scenario is not None else "all",
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


def _counted(given: tuple[ExclusionText, ...]) -> Iterator[Said]:
    n_in_run = sum(one.in_run for one in given)
    n_added = len(given) - n_in_run
    if n_in_run:
        yield said("scenario.excluded", n=counted(n_in_run, "exclusion"))
    else:
        yield said("scenario.nothing_excluded")
    if n_added:
        were, it = ("was", "it leaves out") if n_added == 1 else ("were", "they leave out")
        yield said("scenario.added", n=f"{counted(n_added, 'exclusion')} {were}", it=it)


def _through(one: ExclusionText) -> str:
    through = "a ruling on a finding" if one.from_ruling else "a line of its own"
    return through if one.in_run else f"{through}, ADDED SINCE: not in these figures"
