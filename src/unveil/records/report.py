"""All that a report shows: a run, the records of its parts, what people said, what was decided."""

from typing import Any

from unveil.records.alerts import GateEvidence
from unveil.records.attacks import Attacks, Membership
from unveil.records.base import Record, VersionedRecord
from unveil.records.cap import Cap, Gtcap, Tcap
from unveil.records.codebook import CodebookDifferences
from unveil.records.comparison import Comparison
from unveil.records.count_tables import Sap
from unveil.records.disclosure import Disclosure, Excess, ExclusionTable
from unveil.records.judgement import Decision, FactorName, Judgement
from unveil.records.protection import Protection
from unveil.records.publication_plan import PublicationPlan
from unveil.records.recognition import Recognition
from unveil.records.replication import Replication
from unveil.records.run import Kind, Run
from unveil.records.summary import Summary
from unveil.records.uniques import MatchRisk, Suda
from unveil.records.utility import PairTables, Projection, Utility

RECORDS: dict[Kind, type[Record]] = {
    "gate": GateEvidence,
    "disclosure": Disclosure,
    "exclusion_table": ExclusionTable,
    "cap": Cap,
    "tcap": Tcap,
    "gtcap": Gtcap,
    "suda": Suda,
    "match_risk": MatchRisk,
    "excess": Excess,
    "singling_out": Attacks,
    "linkability": Attacks,
    "inference": Attacks,
    "membership": Membership,
    "recognition": Recognition,
    "structure": CodebookDifferences,
    "utility": Utility,
    "tables": PairTables,
    "compare": Comparison,
    "findings": Replication,
    "projection": Projection,
    "sap": Sap,
    "plan": PublicationPlan,
    "protection": Protection,
}
"""What the file of a part holds, by its kind."""


class ContextAnswer(Record, frozen=True, kw_only=True):
    """One of Raab's five factors, and what a named person answered; None where no one did."""

    name: FactorName
    question: str
    answer: str | None
    by: str | None
    on: str | None


class ScenarioText(Record, frozen=True, kw_only=True):
    """What one scenario assumes of the intruder."""

    name: str
    template: str | None
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    sentence: str


class ExclusionText(Record, frozen=True, kw_only=True):
    """One exclusion of a run: by a line of its own, or by a ruling that it is common knowledge."""

    scenario: str | None  # None: every scenario
    rule: str  # its text: "workab=NO"
    reason: str
    by: str
    on: str | None
    from_ruling: bool
    in_run: bool = True  # False: added since, so that no figure of the run is without it


class HistoryRow(Record, frozen=True, kw_only=True):
    """One run in a line: what it disclosed, how useful the synthetic file was, what had changed."""

    run: int
    started: str
    repU: float | None  # the worst over scenarios and copies
    DiSCO: float | None
    worst_target: str | None
    S_pMSE: float | None  # the worst pair
    pMSE: float | None
    changed: tuple[str, ...]  # beside the run before, in words
    decision: str | None  # "released by ...", "refused by ..."
    left_out: tuple[str, ...] = ()  # what this run excludes and the run before did not
    counted_again: tuple[str, ...] = ()  # what the run before excluded and this one does not
    same_files: bool = False  # as the run before


class ReportContents(VersionedRecord, frozen=True, kw_only=True):
    """Everything a report of one run shows; the records of its parts are in their order."""

    title: str
    run: Run
    results_sha256: str
    judgement: Judgement
    summary: Summary
    decision: Decision | None  # the last about this run
    factors: tuple[ContextAnswer, ...]
    scenarios: tuple[ScenarioText, ...]
    exclusions: tuple[ExclusionText, ...]
    history: tuple[HistoryRow, ...]
    records_file: str | None  # records at risk, beside the report; None where none was written


class Parts:
    """The records of the parts of a run, by name."""

    def __init__(self, run: Run, records: dict[str, Any]) -> None:
        self.run = run
        self._records = records

    def __getitem__(self, name: str) -> Any:
        return self._records[name]

    def of(self, kind: Kind, scenario: str | None = None) -> list[tuple[str, Any]]:
        """Name and record of every part of one kind, of one scenario where it is given."""
        return [
            (part.name, self._records[part.name])
            for part in self.run.list_parts(kind)
            if scenario is None or part.scenario == scenario
        ]

    def about(self, kind: Kind, scenario: str | None) -> list[tuple[str, Any]]:
        """The same of one scenario, or of the files as a whole where none is named."""
        found = self.run.list_parts(kind)
        return [(one.name, self._records[one.name]) for one in found if one.scenario == scenario]
