"""What a custodian must be told of the noise that was added."""

from collections.abc import Iterator

from unveil.errors import quoted
from unveil.protection.noise_effects import Done
from unveil.records.noise import NoisedColumn


def column_warnings(row: NoisedColumn, done: Done) -> list[str]:
    """All warnings of one column."""
    said = [*_undone(row, done), *_piled(row), *_told_ends(row)]
    return [f"Column {quoted(row.column)}: {sentence}" for sentence in said]


def _undone(row: NoisedColumn, done: Done) -> Iterator[str]:
    if row.sigma == 0:
        yield "sigma is 0, so that no noise was added."
    elif row.decimals is not None and row.n_values and done.n_undone == row.n_values:
        yield "rounding has undone the noise."
    elif row.decimals is not None and done.n_undone > row.n_values / 2:
        yield (
            f"rounding has undone the noise of {done.n_undone:,} of {row.n_values:,} values. For"
            " whole numbers choose the noise with discrete=True."
        )


def _piled(row: NoisedColumn) -> Iterator[str]:
    if row.n_values and row.n_clipped > row.n_values / 20:
        yield (
            f"{row.n_clipped:,} of {row.n_values:,} values were beyond what is plausible and were"
            " set to its ends, where they now pile up."
        )


def _told_ends(row: NoisedColumn) -> Iterator[str]:
    """A plausible value taken from the data would tell the public of somebody in it."""
    ends = {
        "lowest": (row.lowest, row.before.minimum),
        "highest": (row.highest, row.before.maximum),
    }
    told = [which for which, (end, seen) in ends.items() if end is not None and end == seen]
    if told:
        yield (
            f"the {' and the '.join(told)} plausible value is also that of the data, and the"
            " statement publishes it. Clip where general knowledge says, not where the data end."
        )
