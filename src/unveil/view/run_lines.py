"""What a run found beside disclosure, in a line each; and what it could not measure, and why."""

from collections.abc import Iterator

from unveil.records.judgement import Judgement, LimitCheck, Status
from unveil.records.report import Parts
from unveil.records.run import Kind, Run, RunPart
from unveil.view.format import and_list, format_count, lines, percent, ratio, truncate, visible
from unveil.view.status import worst

ATTACKS: tuple[Kind, ...] = ("singling_out", "linkability", "inference")
WORDS: dict[str, str] = {
    "singling_out_univariate": "singling out by one column",
    "singling_out_multivariate": "singling out by several columns",
}
_MOST_NAMED = 4

Line = tuple[str, str, Status | None]
"""What a line is about, what it says, and what the limits say of it."""


def lines_of_run(run: Run, parts: Parts, judgement: Judgement) -> Iterator[Line]:
    """What, in a sentence, and what the limits say."""
    at = _At(run, parts, judgement)
    yield from at.uniques()
    yield from at.gtcap()
    yield from at.excess()
    yield from at.attacks()
    yield from at.membership()
    yield from at.ecap()
    yield from at.sap()
    yield from at.utility()
    yield from at.pairs()
    yield from at.findings()


class _At:
    """The figures of a run by what they are."""

    def __init__(self, run: Run, parts: Parts, judgement: Judgement) -> None:
        self.run = run
        self.parts = parts
        kinds = {part.name: part.kind for part in run.parts}
        self.rows = [(kinds[row.part], row) for row in judgement.figures if row.part in kinds]

    def of(self, measure: str, *kinds: Kind) -> list[LimitCheck]:
        """Figures of a measure that have a value, the highest first."""
        found = [row for kind, row in self.rows if row.measure == measure and kind in kinds]
        known = [row for row in found if row.value is not None]
        return sorted(known, key=lambda row: -(row.value or 0.0))

    def uniques(self) -> Iterator[Line]:
        found = self.of("unique", "suda")
        if found:
            sentence = f"{percent(_value(found[0]))} of people are unique on all keys"
            yield "Uniques", f"{sentence}{_where(found[0], self.run)}.", _status(found)

    def gtcap(self) -> Iterator[Line]:
        found = self.of("GTCAP", "gtcap")
        if found:
            yield (
                "GTCAP",
                f"at most {ratio(_value(found[0]))}, for {truncate(found[0].target or '')}; 0 ="
                " baseline, 1 = original.",
                _status(found),
            )
        else:
            yield from self._nobody()

    def _nobody(self) -> Iterator[Line]:
        """Why GTCAP has no figure at all, where it was asked for."""
        reasons = [
            one.reason for _, record in self.parts.of("gtcap") for one in record.not_measured
        ]
        if reasons:
            yield "GTCAP", f"not measurable: {lines(reasons[0]).rstrip('.')}.", None

    def excess(self) -> Iterator[Line]:
        found = self.of("R", "excess")
        if found:
            yield (
                "Excess",
                f"R at most {ratio(_value(found[0]))}, for {truncate(found[0].target or '')}:"
                " excess disclosure because people's own records were used.",
                _status(found),
            )

    def attacks(self) -> Iterator[Line]:
        found = self.of("R", *ATTACKS)
        if found:
            attack = found[0].subject or ""
            secret = f" of {truncate(found[0].target)}" if found[0].target else ""
            n = len({(row.subject, row.target) for row in found})
            yield (
                "Attacks",
                f"the most successful of {n:,} is {WORDS.get(attack, attack)}{secret}: R ="
                f" {ratio(_value(found[0]))} beyond what works on people who were not used.",
                _status(found),
            )
        else:
            yield from self._without_control()

    def _without_control(self) -> Iterator[Line]:
        """Singling out beside its own baseline, which no limit is held against."""
        rows = [row for _, record in self.parts.of("singling_out") for row in record.rows]
        known = [row for row in rows if row.main is not None and row.naive is not None]
        if known:
            row = max(known, key=lambda one: one.main - one.naive)
            yield (
                "Attacks",
                f"{WORDS[row.attack]}: {percent(100 * row.main)} of"
                f" {format_count(row.n_found, 'description')} that fit one synthetic record fit"
                " exactly one person of the original; of descriptions made without the data,"
                f" {percent(100 * row.naive)}. Not judged: there is no control sample.",
                None,
            )

    def membership(self) -> Iterator[Line]:
        found = self.of("membership", "membership")
        if found:
            yield (
                "Membership",
                f"telling members by the nearest record gains {ratio(_value(found[0]))} over"
                " guessing (advantage: 0 is nothing, 1 everything).",
                _status(found),
            )

    def ecap(self) -> Iterator[Line]:
        found = self.of("ECAP", "protection")
        if found:
            yield (
                "ECAP",
                "the strongest claim about a noised value is correct with probability at most"
                f" {ratio(_value(found[0]))}, for {truncate(found[0].subject or '')}.",
                _status(found),
            )

    def sap(self) -> Iterator[Line]:
        for part, record in self.parts.of("sap"):
            found = [row for row in self.of("SAP", "sap") if row.part == part]
            first = "at no number of known people that was asked for"
            if record.first_risk is not None:
                first = f"once {format_count(record.first_risk, 'person is', 'people are')} known"
            label = truncate(part.removeprefix("sap "))
            yield "Table", f"{label}: a zero may be disclosed {first} (SAP).", _status(found)

    def utility(self) -> Iterator[Line]:
        found = self.of("S_pMSE", "utility")
        if found:
            yield (
                "Utility",
                f"a model separates the files {_value(found[0]):.1f} times as well as"
                f" chance{_copy(found[0], self.run)} (S_pMSE; 1 is perfect).",
                _status(found),
            )

    def pairs(self) -> Iterator[Line]:
        found = self.of("S_pMSE", "tables")
        if found:
            values = [_value(row) for row in found]
            yield (
                "Pairs",
                f"{visible(found[0].subject or '')} is least alike, S_pMSE {values[0]:.1f}; the"
                f" median of {format_count(len(found), 'table')} is "
                f"{values[len(values) // 2]:.1f}.",
                _status(found),
            )

    def findings(self) -> Iterator[Line]:
        for _, record in self.parts.of("findings"):
            n = len(record.findings)
            yield (
                "Findings",
                f"{format_count(n, 'published result')} computed again on the synthetic data.",
                None,
            )


def _value(row: LimitCheck) -> float:
    return row.value or 0.0


def _status(rows: list[LimitCheck]) -> Status | None:
    return worst(row.status for row in rows)


def _where(row: LimitCheck, run: Run) -> str:
    several = len({part.scenario for part in run.parts if part.scenario}) > 1
    return f" in scenario {truncate(row.scenario)}" if several and row.scenario else ""


def _copy(row: LimitCheck, run: Run) -> str:
    return f" in copy {row.copy}" if len(run.n_synthetic) > 1 else ""


def not_measured(run: Run) -> list[str]:
    """What is not measured and why: parts with one reason in one line."""
    by_reason: dict[str, list[RunPart]] = {}
    for part in run.parts:
        if part.state == "not measured":
            first = (part.reason or "").split("\n")[0]
            by_reason.setdefault(first, []).append(part)
    return [f"{_format_part_names(parts)}: {lines(reason)}" for reason, parts in by_reason.items()]


def _format_part_names(parts: list[RunPart]) -> str:
    if len(parts) <= _MOST_NAMED:
        return and_list(part.name for part in parts)
    kinds = and_list(dict.fromkeys(part.kind for part in parts))
    return f"{kinds} ({format_count(len(parts), 'part')})"
