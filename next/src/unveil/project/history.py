"""What was measured and done, from the log and the runs that it names."""

from collections.abc import Callable, Sequence
from pathlib import Path

from unveil.errors import UnveilError
from unveil.project.rows import ActRow, History, RunRow
from unveil.project.standing import Parts, RunRecord, result_of
from unveil.project.store import Log


def history(log: Log, records: Sequence[RunRecord], folder: Callable[[str], Path]) -> History:
    """Runs with their headline figures, acts, and the first fault of the log."""
    runs: list[RunRow] = []
    before: RunRecord | None = None
    for record in records:
        runs.append(_run(record, folder(record.version), before))
        before = record
    acts = tuple(
        ActRow(
            on=minute(str(act["on"])),
            by=str(act["by"]),
            act=str(act["act"]),
            about=str(act.get("about", "")),
            answer=str(act.get("answer", "")),
        )
        for act in log.acts()
    )
    fault = log.fault()
    return History(runs=tuple(runs), acts=acts, settings={"fault": fault, "head": log.head})


def minute(time: str) -> str:
    return time[:16].replace("T", " ")


def _run(record: RunRecord, folder: Path, before: RunRecord | None) -> RunRow:
    try:
        parts = [(part, part.load(folder)) for part in record.parts]
    except UnveilError:
        parts = []
    target, DiSCO, repU = _worst(parts)
    utility = result_of(parts, "utility")
    ratios = [row.S_pMSE for row in utility.overall if row.S_pMSE is not None] if utility else []
    return RunRow(
        run=record.number, on=minute(record.on.isoformat()), by=record.by, repU=repU, DiSCO=DiSCO,
        worst_target=target, S_pMSE=max(ratios, default=None), status=record.status,
        changed=_change(record, before),
    )  # fmt: skip


def _worst(parts: Parts) -> tuple[str, float | None, float | None]:
    """The target with the highest DiSCO, and the highest repU, of all scenarios and files."""
    results = [result for part, result in parts if part.measure == "assess" and result]
    rows = [row for result in results for row in result.attribute  # type: ignore[attr-defined]
            if row.copy != "sd" and row.DiSCO is not None]  # fmt: skip
    rates = [row.repU for result in results for row in result.identity  # type: ignore[attr-defined]
             if row.copy != "sd" and row.repU is not None]  # fmt: skip
    if not rows:
        return "", None, max(rates, default=None)
    worst = max(rows, key=lambda row: row.DiSCO)
    return worst.target, worst.DiSCO, max(rates, default=None)


def _change(record: RunRecord, before: RunRecord | None) -> str:
    """What is not as it was in the run before, in a few words."""
    if before is None:
        return "first run"
    roles = {**record.files, **before.files}
    files = [record.names.get(role, role) for role in roles
             if record.files.get(role) != before.files.get(role)]  # fmt: skip
    changes = [", ".join(files)] if files else []
    if not files and record.plan != before.plan:
        changes.append("settings")
    if record.limits != before.limits:
        changes.append("limits")
    if record.version != before.version:
        changes.append(f"unveil {record.version}")
    return "; ".join(changes) or "measured again"
