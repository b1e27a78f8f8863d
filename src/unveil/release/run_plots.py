"""Which charts has a run? Those of its parts, and the one of all targets against their limits."""

from unveil.errors import RolesError, listed, nearest
from unveil.records.dossier import Parts
from unveil.records.judgement import Judgement
from unveil.records.view import Plots, charts
from unveil.report.charts.chart import Chart
from unveil.report.charts.lollipop import Measure, lollipop_chart


class RunPlots:
    """Charts of one run: `run.plot.lollipop()`, `run.plot["gtcap neighbour income"].histogram()`.

    They show aggregates only, as the report does.
    """

    def __init__(self, parts: Parts, judgement: Judgement) -> None:
        self._parts = parts
        self._judgement = judgement

    def __getitem__(self, part: str) -> Plots:
        """The charts of one part, by its name."""
        known = self._names()
        if part not in known:
            raise RolesError(
                f"Run {self._judgement.run} has no part {part!r} with charts."
                f"{nearest(str(part), known)} Those with charts are: {listed(known)}."
            )
        return Plots(self._parts[part])

    def lollipop(self, scenario: str | None = None, *, measure: Measure = "DiSCO") -> Chart:
        """All targets of a scenario, from the copy to the original, with the limits in force."""
        found = self._parts.of("disclosure")
        known = [part.scenario or "" for part in self._parts.run.of_kind("disclosure")]
        if not found:
            raise RolesError("This run has no figures of disclosure to draw.")
        chosen = known[0] if scenario is None else scenario
        if chosen not in known:
            raise RolesError(
                f"There is no scenario {chosen!r}.{nearest(str(chosen), known)} The scenarios are:"
                f" {listed(known)}."
            )
        _, record = found[known.index(chosen)]
        judged = [one for one in self._judgement.figures if one.scenario == chosen]
        return lollipop_chart(record, measure=measure, judged=judged)

    def _names(self) -> list[str]:
        run = self._parts.run
        measured = [part.name for part in run.parts if part.file is not None]
        return [name for name in measured if charts(self._parts[name])]

    def __repr__(self) -> str:
        return f"Charts of run {self._judgement.run}: lollipop, and of {listed(self._names())}"
