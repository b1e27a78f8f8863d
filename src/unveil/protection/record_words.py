"""What did each step do, in a sentence? For the record of `unveil.protect`."""

from collections.abc import Iterator

from unveil.protection.plan import Planned
from unveil.records.distance_filter import Refill
from unveil.records.noise import Noise, NoisedColumn
from unveil.records.protection import NoiseReason, ProtectStep
from unveil.records.recoding import Recoding
from unveil.records.removal import Removal, Smoothing
from unveil.records.synthesis import Synthesis
from unveil.report.words import and_list, counted, name


class Told:
    """Sentences about steps that are done."""

    @staticmethod
    def recodings(record: Recoding, n_columns: int) -> Iterator[ProtectStep]:
        """The recodings, each with what was left in the end."""
        for row in record.rows:
            yield ProtectStep(
                number=row.number,
                do=row.do,
                column=row.column,
                n_rows=record.n_records_left,
                n_columns=n_columns,
                sentence=row.sentence,
            )

    @staticmethod
    def synthesis(record: Synthesis) -> str:
        """How the copy was drawn."""
        columns = counted(len(record.order), "column")
        leaves = f"leaves of at least {record.min_leaf:,}"
        return f"{counted(record.n_rows, 'row')} drawn by models of {columns}, {leaves}."

    @staticmethod
    def refill(record: Refill) -> str:
        """How many rows had to be drawn."""
        n_drawn = sum(one.drawn for one in record.rounds)
        rounds = counted(len(record.rounds), "round")
        return (
            f"{record.n_rows:,} of {record.rows_wanted:,} rows kept, out of {n_drawn:,} drawn in"
            f" {rounds}, by {record.metric} distance on {counted(len(record.columns), 'column')}."
        )

    @staticmethod
    def removal(record: Removal) -> str:
        """How many rows were taken out."""
        row = record.rows[0]
        return f"{row.n_removed:,} of {row.n_synthetic:,} rows taken out, {row.n_left:,} left."

    @staticmethod
    def smoothing(record: Smoothing) -> str:
        """Which columns were smoothed."""
        return f"Smoothed: {and_list(row.column for row in record.rows)}."

    @staticmethod
    def noise(step: Planned, reason: NoiseReason | None, made: Noise | None) -> str:
        """How much noise, and how sure a claim would still be."""
        column = name(str(step.column))
        if reason is None:
            return f"{column} needs no noise: {step.settings['not_needed']}"
        kind = step.settings.get("noise", "normal")
        text = f"{kind} noise with standard deviation {reason.sigma:.6g} on {column}"
        if reason.ecap is None or reason.ecap.worst is None:
            return f"{text}; nobody measured what it protects from."
        if _is_undone(str(step.column), made):
            return f"{text}; rounding has undone it, so that it protects from nothing."
        before = " before rounding" if _is_rounded(str(step.column), made) else ""
        return f"{text}; the highest ECAP{before} is {reason.ecap.worst:.3g}."


def _rows(column: str, made: Noise | None) -> list[NoisedColumn]:
    return [] if made is None else [row for row in made.columns if row.column == column]


def _is_rounded(column: str, made: Noise | None) -> bool:
    return any(row.decimals is not None for row in _rows(column, made))


def _is_undone(column: str, made: Noise | None) -> bool:
    """Whether no value was changed."""
    rows = _rows(column, made)
    return any(row.decimals is not None and row.n_changed == 0 < row.sigma for row in rows)
