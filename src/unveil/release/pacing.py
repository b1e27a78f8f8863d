"""How far is a run? Parts weigh what they took the last time, or what their like usually take."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from unveil.count.scenario import Progress
from unveil.records.run import Kind, Run
from unveil.release.planned import Planned

SECONDS: dict[Kind, float] = {
    "gate": 1.0,
    "disclosure": 0.2,
    "exclusion_table": 0.2,
    "singling_out": 1.0,
    "linkability": 0.5,
    "inference": 1.0,
    "membership": 1.0,
    "utility": 2.0,
    "compare": 0.2,
    "sap": 0.5,
}
_OTHERS = 0.05


@dataclass
class Pace:
    """What every part weighs, in thousandths of a second, and how much of it is done."""

    weights: dict[str, int]
    report: Progress
    finished: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, plan: Sequence[Planned], known: Sequence[Run], report: Progress) -> "Pace":
        """By the seconds that the last run needed; by kind where it did not have the part."""
        took = {part.name: part.seconds for run in known for part in run.parts if part.seconds}
        weights = {
            one.name: max(round(1000 * took.get(one.name, SECONDS.get(one.kind, _OTHERS))), 1)
            for one in plan
        }
        return cls(weights, report)

    @property
    def _total(self) -> int:
        return sum(self.weights.values())

    @property
    def _so_far(self) -> int:
        return sum(self.weights[name] for name in self.finished)

    def within(self, part: str) -> Progress:
        """What the measure of a part reports, as a step of the whole run."""

        def progress(what: str, done: int, total: int) -> None:
            self.report(f"{part}: {what}", self._so_far, self._total)

        self.report(part, self._so_far, self._total)
        return progress

    def done(self, part: str) -> None:
        """Count a part as done."""
        self.finished.add(part)
        self.report(part, self._so_far, self._total)
