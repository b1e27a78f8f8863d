"""Annex F: scenarios, exclusions, files, limits, the five factors, settings and run history."""

import math
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from unveil.records.disclosure import Coercion
from unveil.records.judgement import Decision, Judgement, Limit
from unveil.records.report import (
    ContextAnswer,
    ExclusionText,
    HistoryRow,
    Parts,
    ReportContents,
    ScenarioText,
)
from unveil.records.run import InputFile, Run, RunPart
from unveil.view.blocks import (
    Block,
    Facts,
    Heading,
    Items,
    Sentence,
    TableBlock,
    list_rows,
    notes,
    table,
)
from unveil.view.format import (
    format_count,
    format_rule,
    limit_text,
    people,
    percent,
    percent_or_dash,
    ratio,
    truncate,
)
from unveil.view.sections.shared import fold, format_time

AUDIENCES = {
    "closed": "closed: authorised users, no onward sharing",
    "registered": "registered: known users who have signed conditions",
    "open": "open: anyone",
}
FACTORS = {
    "release_context": "Context of the release",
    "taken_for_real": "Mistaken for real data",
    "other_sources": "Other sources",
    "intruder_knowledge": "Intruder knowledge",
    "method_released": "Method released",
}
"""Raab's five factors, in a word or two."""
APPLY = (
    "Exclusions apply to DiSCO, iS, DiS, DiSDiO, Dorig, DCAP and CAPd, and where a rule concerns"
    " missing keys to uniques; they do not apply to CAP, TCAP, GTCAP, SUDA, match risk or attacks."
)
MOST_TARGETS = 25
MOST_RULES = 3
EXCLUSIONS: dict[str, Callable[[ExclusionText], str]] = {
    "excluded": lambda one: format_rule(one.rule),
    "scenario": lambda one: "all" if one.scenario is None else truncate(one.scenario),
    "reason": lambda one: one.reason,
    "by": lambda one: ", ".join(filter(None, (one.by, format_time(one.on) if one.on else ""))),
    "recorded as": lambda one: (
        f"{'ruling on a flag' if one.from_ruling else 'project file'}"
        f"{'' if one.in_run else ', ADDED SINCE'}"
    ),
}
FILES: dict[str, Callable[[InputFile], str]] = {
    "file": lambda file: file.role if file.copy is None else f"{file.role} {file.copy}",
    "name": lambda file: file.path,
    "bytes": lambda file: f"{file.n_bytes:,}",
    "SHA-256 (first 12)": lambda file: file.sha256[:12],
}
ANSWERS: dict[str, Callable[[ContextAnswer], str]] = {
    "factor": lambda factor: FACTORS[factor.name],
    "question": lambda factor: factor.question,
    "answer": lambda factor: factor.answer or "not answered",
    "by": lambda factor: ", ".join(filter(None, (factor.by, factor.on))),
}
LIMITS: dict[str, Callable[[Limit], str]] = {
    "measure": lambda one: one.measure,
    "review above": lambda one: limit_text(one.measure, one.review),
    "limit": lambda one: limit_text(one.measure, one.limit),
    "origin": lambda one: one.origin,
}
HISTORY: dict[str, Callable[[HistoryRow], str]] = {
    "run": lambda row: f"{row.run:,}",
    "date": lambda row: format_time(row.started)[:10],
    "highest repU": lambda row: percent_or_dash(row.repU),
    "highest DiSCO": lambda row: percent_or_dash(row.DiSCO),
    "target": lambda row: truncate(row.worst_target) if row.worst_target is not None else "-",
    "worst S_pMSE": lambda row: ratio(row.S_pMSE),
    "changes": lambda row: "; ".join(row.changed) or "-",
    "decision": lambda row: row.decision or "-",
}


def blocks(contents: ReportContents, parts: Parts) -> Iterator[Block]:
    """Everything a reader needs to know about the run itself."""
    run = contents.run
    yield Heading("Disclosure scenarios", 3)
    yield from _scenarios(contents.scenarios)
    yield from _exclusions(contents.exclusions)
    yield Heading("Run and files", 3)
    yield from _run_sentences(run)
    yield list_rows("", FILES, run.files, text=("name", "SHA-256 (first 12)"))
    yield from (Sentence(warning, "look") for warning in run.warnings)
    yield from fold("Versions and hashes", [_versions(contents)])
    yield from fold("Parts of the run", [_parts(run)])
    yield from fold("How the files were read and matched", _notes(run, parts))
    yield Heading("Five questions about the context (Raab 2024)", 3)
    yield from _factors(contents)
    yield Heading("Limits", 3)
    yield from _limits(contents.judgement)
    yield Heading("Decision", 3)
    yield from _decision_blocks(contents.decision)
    yield Heading("Run history", 3)
    yield from history_blocks(contents)
    yield Heading("Records at risk", 3)
    yield from _records(contents)


def _scenarios(given: tuple[ScenarioText, ...]) -> Iterator[Block]:
    if not given:
        text = "No scenario was measured: no key variables were declared."
        yield Sentence(text, key="scenario.none")
    rows = []
    for one in given:
        name = one.name + (f" ({one.template})" if one.template not in (None, one.name) else "")
        shown = [truncate(target) for target in one.targets[:MOST_TARGETS]]
        rest = len(one.targets) - len(shown)
        more = f" and {rest:,} more" if rest else ""
        targets = f"{', '.join(shown)}{more} ({len(one.targets):,})"
        rows.append((name, ", ".join(map(truncate, one.keys)), targets, one.sentence))
    heads = ("scenario", "keys", "targets", "assumed intruder")
    yield table("", heads, rows, text=heads)


def _exclusions(given: tuple[ExclusionText, ...]) -> Iterator[Block]:
    n_in_run = sum(one.in_run for one in given)
    yield Heading("Exclusions", 3)
    if n_in_run:
        text = f"{format_count(n_in_run, 'exclusion')} in force. {APPLY}"
        yield Sentence(text, key="scenario.excluded")
    else:
        text = "Nothing is excluded: every figure counts all people."
        yield Sentence(text, key="scenario.nothing excluded")
    if n := len(given) - n_in_run:
        text = f"{format_count(n, 'exclusion')} added since this run: not applied to its figures."
        yield Sentence(text, "look", "scenario.added")
    yield list_rows("", EXCLUSIONS, given, text=tuple(EXCLUSIONS))


def _run_sentences(run: Run) -> Iterator[Block]:
    by = f" by {truncate(run.by)}" if run.by is not None else ", no name given,"
    took = format_count(math.ceil(run.seconds), "second")
    text = f"Run {run.number:,} was started {format_time(run.started)}{by} and took {took}."
    yield Sentence(text, key="context.run")
    states = [part.state for part in run.parts]
    said = [f"{format_count(states.count('measured'), 'result')} computed"]
    if n := states.count("reused"):
        said.append(f"{n:,} reused from earlier runs (inputs unchanged)")
    if n := states.count("not measured"):
        said.append(f"{n:,} could not be computed")
    if run.n_resumed:
        said.append(f"{run.n_resumed:,} kept from an interrupted run")
    yield Sentence(f"{'; '.join(said)}.", key="context.measured")
    if run.n_original is not None and run.n_synthetic:
        least, most, m = min(run.n_synthetic), max(run.n_synthetic), len(run.n_synthetic)
        size = format_count(most, "record") if least == most else f"{least:,} to {most:,} records"
        where = "the synthetic data" if m == 1 else f"each of {m:,} copies"
        text = f"{people(run.n_original)} in the original, {size} in {where}."
        yield Sentence(text, key="context.sizes")


def _factors(contents: ReportContents) -> Iterator[Block]:
    answered = sum(factor.answer is not None for factor in contents.factors)
    text = f"{answered:,} of {len(contents.factors):,} questions about the context are answered."
    yield Sentence(text, key="context.answered")
    yield list_rows("", ANSWERS, contents.factors, text=tuple(ANSWERS))


def _limits(judgement: Judgement) -> Iterator[Block]:
    accepted = judgement.accepted_by or "no one yet"
    if judgement.accepted_by and judgement.accepted_on:
        accepted += f", {format_time(judgement.accepted_on)}"
    audience = AUDIENCES.get(judgement.audience or "", "not stated")
    yield Facts(
        (("audience", audience), ("requires", judgement.rule), ("limits accepted by", accepted))
    )
    if not judgement.limits:
        yield Sentence("No limit is set on any measure.")
    yield list_rows("", LIMITS, judgement.limits, text=["origin"])


def _versions(contents: ReportContents) -> Facts:
    run = contents.run
    packages = ", ".join(f"{one.package} {one.version}" for one in run.packages)
    return Facts(
        (
            ("unveil", run.version),
            ("Python", run.python),
            ("packages", packages),
            ("results.json, SHA-256", contents.results_sha256),
            ("project file, SHA-256", run.project_sha256),
            ("settings, SHA-256", run.settings_sha256),
            ("log before the run", run.log_head),
            ("seed", f"stored in {run.seed_file}" if run.seed_file else "none was needed"),
            ("seed file, SHA-256", run.seed_sha256 or ""),
            *((f"{file.role} {file.copy or ''}, SHA-256", file.sha256) for file in run.files),
        )
    )


def _parts(run: Run) -> TableBlock:
    rows = [(part.name, part.kind, _state(part), _seconds(part)) for part in run.parts]
    heads = ("part", "measure", "state", "seconds")
    return table("", heads, rows, text=heads[:3])


def _state(part: RunPart) -> str:
    if part.state == "reused":
        return f"reused from run {part.reused_from:,}"
    return f"{part.state}: {part.reason}" if part.reason else part.state


def _seconds(part: RunPart) -> str:
    if part.seconds is None:
        return "-"
    return f"{part.seconds:.1f}" if part.seconds >= 0.05 else "under 0.1"


def _notes(run: Run, parts: Parts) -> Iterator[Block]:
    """Each note of reading once, whichever parts have it."""
    found: dict[tuple[str, str], Coercion] = {}
    for part in run.parts:
        record = parts[part.name] if part.file is not None else None
        for note in getattr(record, "coercions", ()):
            found.setdefault((note.side, note.sentence), note)
    yield from notes(list(found.values()))


def history_blocks(contents: ReportContents) -> Iterator[Block]:
    """What the last run changed, and every run in a line."""
    rows = [row for row in contents.history if row.run <= contents.run.number]
    if len(rows) < 2:
        yield Sentence("This is the first run.", key="history.first")
    else:
        yield from _change(*rows[-2:])
    if later := len(contents.history) - len(rows):
        yield Sentence(f"{format_count(later, 'run')} came after this one.", "look")
    text = ("date", "target", "changes", "decision")
    yield list_rows("", HISTORY, contents.history, text=text)


def _change(before: HistoryRow, now: HistoryRow) -> Iterator[Block]:
    """What the last run changed in risk and utility; a price only where the risk fell for it."""
    of, fell = f"{before.run}|{now.run}", False
    if before.DiSCO is not None and now.DiSCO is not None:
        x, y = percent(before.DiSCO), percent(now.DiSCO)
        is_ruled = bool(now.left_out or now.counted_again) and x != y
        fell = now.DiSCO < before.DiSCO and x != y and not is_ruled
        how = f"stayed at {x}" if x == y else f"changed from {x} to {y}"
        text = f"From run {before.run:,} to run {now.run:,} the highest DiSCO {how}"
        if is_ruled:
            files = "the files are the same" if now.same_files else "files changed too"
            text += f"; the exclusions differ ({_rules(now)}) and {files}"
        yield Sentence(f"{text}.", key="history.rules" if is_ruled else "history.risk", of=of)
    if before.S_pMSE is not None and now.S_pMSE is not None:
        x, y = ratio(before.S_pMSE), ratio(now.S_pMSE)
        how = f"stayed at {x}" if x == y else f"changed from {x} to {y}"
        is_price = fell and x != y and now.S_pMSE > before.S_pMSE
        price = f": a cost of {ratio(now.S_pMSE - before.S_pMSE)}" if is_price else ""
        text = f"S_pMSE of the worst pair {how}{price} (lower is closer to the original)."
        yield Sentence(text, key="history.price" if is_price else "history.fit", of=of)


def _rules(row: HistoryRow) -> str:
    """What is excluded now, and what no longer is."""
    said = []
    for words, rules in (("now", row.left_out), ("no longer", row.counted_again)):
        if rules:
            more = f" and {len(rules) - MOST_RULES:,} more" if len(rules) > MOST_RULES else ""
            shown = "; ".join(truncate(format_rule(rule)) for rule in rules[:MOST_RULES])
            said.append(f"{words} excluded: {shown}{more}")
    return "; ".join(said)


def _decision_blocks(decision: Decision | None) -> Iterator[Block]:
    """What a named person decided, with the note and every alert it overrides."""
    if decision is None:
        yield Sentence("No decision has been recorded for this run.", key="decision.none")
        return
    what = "release" if decision.release else "no release"
    text = (
        f"Decision: {what}. {truncate(decision.by)}, {format_time(decision.on)}, on run"
        f" {decision.run:,}."
    )
    yield Sentence(text, "lead", "decision.made", "decision")
    yield Sentence(f"Note: {decision.note}")
    for one in decision.despite:
        yield Sentence(f"Despite {one.alert}, because: {one.reason}")


def _records(contents: ReportContents) -> Iterator[Block]:
    """Where the people at risk are listed: in a confidential file of its own, never here."""
    file = contents.records_file
    if file is None:
        text = (
            "The people behind DiSCO are listed on request, in a confidential file of their own:"
            " unveil report --records."
        )
        yield Sentence(text, key="records.none")
        return
    yield Sentence(
        "The people behind DiSCO, each with a reason, are in a confidential file of their own.",
        key="records.written",
    )
    is_beside = PurePosixPath(file).name == file
    where = "beside this report" if is_beside else "in the project"
    also = [file.removesuffix(".html") + ".csv"] if file.endswith(".html") else []
    files = (file, *also)
    rows = tuple(f"{one} ({where})" for one in files)
    yield Items(rows, files=files if is_beside else ())
