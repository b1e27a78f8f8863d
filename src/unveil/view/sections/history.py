"""How did the project come here? Every run in a line: risk, utility, and what had changed."""

from collections.abc import Iterator

from unveil.records.report import HistoryRow, Parts, ReportContents
from unveil.view.format import format_count, format_rule, percent, percent_or_dash, ratio, truncate
from unveil.view.html_pieces import text_table, when
from unveil.view.report_sentences import fill_sentence
from unveil.view.sections.section import Phrase, Section

MOST_RULES = 3


def section(contents: ReportContents, parts: Parts) -> Section | None:
    """What the last round changed, in words, and all runs in a table."""
    shown = [row for row in contents.history if row.run <= contents.run.number]
    told = [one.html("lead") for one in _sentences(shown)]
    later = len(contents.history) - len(shown)
    note = format_count(len(shown), "run") if shown else ""
    if later:
        told.append(f'<p class="told">{format_count(later, "run")} came after this one.</p>')
    body = "".join(told) + _table(contents.history)
    return Section("history", "The rounds so far", body, note)


def _sentences(rows: list[HistoryRow]) -> Iterator[Phrase]:
    if len(rows) < 2:
        yield fill_sentence("history.first")
        return
    before, now = rows[-2:]
    risk = _risk(before, now)
    if risk is not None:
        yield risk
    fit = _fit(before, now, is_better=risk is not None and risk.key == "history.risk_fell")
    if fit is not None:
        yield fit


def _risk(before: HistoryRow, now: HistoryRow) -> Phrase | None:
    if before.DiSCO is None or now.DiSCO is None:
        return None
    x, y = percent(before.DiSCO), percent(now.DiSCO)
    runs = {"a": f"{before.run:,}", "b": f"{now.run:,}"}
    if x == y:
        return fill_sentence("history.risk_same", f"{before.run}|{now.run}", x=x, **runs)
    if now.left_out or now.counted_again:
        key = f"history.risk_other_rules{'' if now.same_files else '_files'}"
        return fill_sentence(key, f"{before.run}|{now.run}", x=x, y=y, rules=_rules(now), **runs)
    key = "history.risk_fell" if now.DiSCO < before.DiSCO else "history.risk_rose"
    return fill_sentence(key, f"{before.run}|{now.run}", x=x, y=y, **runs)


def _rules(row: HistoryRow) -> str:
    """What is left out now, and what no longer is."""
    told = []
    for words, rules in (("now", row.left_out), ("no longer", row.counted_again)):
        if rules:
            more = f" and {len(rules) - MOST_RULES:,} more" if len(rules) > MOST_RULES else ""
            shown = "; ".join(truncate(format_rule(rule)) for rule in rules[:MOST_RULES])
            told.append(f"{words} left out: {shown}{more}")
    return "; ".join(told)


def _fit(before: HistoryRow, now: HistoryRow, *, is_better: bool) -> Phrase | None:
    """What it did to utility: a price only where the risk fell for it."""
    if before.S_pMSE is None or now.S_pMSE is None:
        return None
    of, x, y = f"{before.run}|{now.run}", ratio(before.S_pMSE), ratio(now.S_pMSE)
    if x == y:
        return fill_sentence("history.fit_same", of, x=x)
    if now.S_pMSE < before.S_pMSE:
        return fill_sentence("history.fit_fell", of, x=x, y=y)
    if is_better:
        return fill_sentence("history.fit_rose", of, d=ratio(now.S_pMSE - before.S_pMSE), x=x, y=y)
    return fill_sentence("history.fit_worse", of, x=x, y=y)


def _table(rows: tuple[HistoryRow, ...]) -> str:
    heads = ("run", "began", "repU", "DiSCO", "of", "S_pMSE", "pMSE")
    told = [
        (
            f"{row.run:,}",
            when(row.started)[:10],
            percent_or_dash(row.repU),
            percent_or_dash(row.DiSCO),
            truncate(row.worst_target) if row.worst_target is not None else "-",
            ratio(row.S_pMSE),
            "-" if row.pMSE is None else f"{row.pMSE:.4f}",
            "; ".join(row.changed) or "-",
            row.decision or "-",
        )
        for row in rows
    ]
    number = "number"
    kinds = ("", "date", number, number, "", number, number, "text", "text")
    return text_table(
        "Runs; figures are the highest over scenarios, targets, pairs of columns and copies",
        (*heads, "what had changed", "decision"),
        told,
        kinds=kinds,
    )
