"""Who made this run, when, with what, of which files; for whom, and by whose limits?"""

import math
from collections.abc import Iterator

from unveil.records.disclosure import Coercion
from unveil.records.judgement import Judgement
from unveil.records.report import Parts, ReportContents
from unveil.records.run import Run, RunPart
from unveil.view.format import format_count, people, truncate
from unveil.view.group_notes import group_notes
from unveil.view.html import notes
from unveil.view.html_page import render_details
from unveil.view.html_pieces import NOT_SAID, aside, facts, text, text_table, when
from unveil.view.limits import limit_text
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase, Section

AUDIENCES = {
    "closed": "closed: people under one roof, bound by contract",
    "registered": "registered: known users who have signed conditions",
    "open": "open: anybody",
}
"""To whom the copy would go."""
FACTORS = {
    "release_context": "Context of the release",
    "taken_for_real": "Taken for real",
    "other_sources": "Other sources",
    "intruder_knowledge": "What an intruder knows",
    "method_released": "What is told of the method",
}
"""Raab's five factors, in a word or two."""


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """Run, files, the five factors, limits with their origin, and how files were read."""
    run, judgement = contents.run, contents.judgement
    body = [
        *(one.html("told") for one in _run_sentences(run)),
        _files(run),
        "<h3>The five factors</h3>",
        _answered(contents).html("told"),
        _factors(contents),
        "<h3>Your limits</h3>",
        _audience(judgement),
        _limits(judgement),
        render_details("Versions and hashes", _versions(contents)),
        aside("What was measured, part by part", _parts(run)),
        aside("How the files were read and matched", _notes(run, parts)),
        *(f'<p class="told">{text(warning)}</p>' for warning in run.warnings),
    ]
    return Section("context", "Context", "".join(body))


def _run_sentences(run: Run) -> Iterator[Phrase]:
    told = {
        "n": f"{run.number:,}",
        "started": when(run.started),
        "seconds": format_count(math.ceil(run.seconds), "second"),
    }
    if run.by is None:
        yield fill_sentence("context.run_unnamed", **told)
    else:
        yield fill_sentence("context.run", **told, by=truncate(run.by))
    states = [part.state for part in run.parts]
    yield fill_sentence("context.measured", n=_parts_were(states.count("measured")))
    if n_reused := states.count("reused"):
        yield fill_sentence("context.reused", n=_parts_were(n_reused))
    if n_lacking := states.count("not measured"):
        yield fill_sentence("context.lacking", n=f"{format_count(n_lacking, 'part')} could")
    if run.n_resumed:
        yield fill_sentence("context.resumed", n=f"{run.n_resumed:,}")
    if run.n_original is not None and run.n_synthetic:
        yield _sizes(run.n_original, run.n_synthetic)


def _parts_were(count: int) -> str:
    return f"{format_count(count, 'part')} {'was' if count == 1 else 'were'}"


def _sizes(n_original: int, n_synthetic: tuple[int, ...]) -> Phrase:
    least, most, m = min(n_synthetic), max(n_synthetic), len(n_synthetic)
    records = format_count(most, "record") if least == most else f"{least:,} to {most:,} records"
    copies = "the copy" if m == 1 else f"each of {m:,} copies"
    return fill_sentence("context.sizes", n=people(n_original), m=records, copies=copies)


def _files(run: Run) -> str:
    rows = [
        (
            file.role if file.copy is None else f"{file.role} {file.copy}",
            file.path,
            f"{file.n_bytes:,}",
            file.sha256,
        )
        for file in run.files
    ]
    heads = ("file", "name", "bytes", "SHA-256")
    return text_table("The files that were read", heads, rows, kinds=("", "text", "number", "hash"))


def _answered(contents: ReportContents) -> Phrase:
    answered = sum(factor.answer is not None for factor in contents.factors)
    return fill_sentence("context.answered", k=f"{answered:,}", n=f"{len(contents.factors):,}")


def _factors(contents: ReportContents) -> str:
    rows = [
        (
            FACTORS[factor.name],
            factor.question,
            factor.answer or "not answered yet",
            factor.by or "",
            when(factor.on) if factor.on else "",
        )
        for factor in contents.factors
    ]
    heads = ("factor", "question", "answer", "by", "on")
    kinds = ("text", "text", "text", "text", "date")
    return text_table("Raab (2024) asks these before any figure is read", heads, rows, kinds=kinds)


def _audience(judgement: Judgement) -> str:
    audience = AUDIENCES.get(judgement.audience or "", NOT_SAID)
    accepted = judgement.accepted_by or "nobody yet"
    if judgement.accepted_by and judgement.accepted_on:
        accepted += f", {when(judgement.accepted_on)}"
    return facts(
        [("audience", audience), ("it asks for", judgement.rule), ("limits accepted by", accepted)]
    )


def _limits(judgement: Judgement) -> str:
    rows = [
        (
            one.measure,
            limit_text(one.measure, one.review),
            limit_text(one.measure, one.limit),
            one.origin,
        )
        for one in judgement.limits
    ]
    heads = ("measure", "review above", "limit", "where the values come from")
    table = text_table("Limits", heads, rows, kinds=("", "number", "number", "text"))
    return table or '<p class="told">No limit is set on any measure.</p>'


def _versions(contents: ReportContents) -> str:
    run = contents.run
    packages = ", ".join(f"{one.package} {one.version}" for one in run.packages)
    return facts(
        [
            ("unveil", run.version),
            ("Python", run.python),
            ("packages", packages),
            ("results.json, SHA-256", contents.results_sha256),
            ("project file, SHA-256", run.project_sha256),
            ("settings, SHA-256", run.settings_sha256),
            ("log before the run", run.log_head),
            ("seed", f"kept in {run.seed_file}" if run.seed_file else "none was needed"),
            ("seed file, SHA-256", run.seed_sha256 or ""),
        ]
    )


def _parts(run: Run) -> str:
    rows = [(part.name, part.kind, _state(part), _seconds(part)) for part in run.parts]
    heads = ("part", "measure", "state", "seconds")
    return text_table("Parts of the run", heads, rows, kinds=("text", "", "text", "number"))


def _state(part: RunPart) -> str:
    if part.state == "reused":
        return f"as measured in run {part.reused_from:,}"
    return f"{part.state}: {part.reason}" if part.reason else part.state


def _seconds(part: RunPart) -> str:
    if part.seconds is None:
        return "-"
    return f"{part.seconds:.1f}" if part.seconds >= 0.05 else "under 0.1"


def _notes(run: Run, parts: Parts) -> str:
    """Each note of reading once, whichever parts have it."""
    found: dict[tuple[str, str], Coercion] = {}
    for part in run.parts:
        record = parts[part.name] if part.file is not None else None
        for note in getattr(record, "coercions", ()):
            found.setdefault((note.side, note.sentence), note)
    return notes(group_notes(list(found.values())))
