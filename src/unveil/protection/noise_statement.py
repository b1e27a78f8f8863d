"""What the public is told about the noise: its kind and amount, rounding and clipping.

Chapelle and Falissard recommend publishing this, so that users can reckon with it: an attacker is
taken to know it anyway. ECAP values, thresholds and seeds are never among it.
"""

from collections.abc import Iterator, Sequence

from unveil.records.noise import NoisedColumn
from unveil.report.noise import plain
from unveil.report.words import and_list, name

_HEAD = (
    "Random noise with mean 0 was added to the following columns, to each value by itself. Missing"
    " values and codes for no answer were left as they are."
)
_AGAIN = " Noise that would have turned a value into such a code was drawn again."
_KINDS = {"normal": "normal", "laplace": "Laplace", "uniform": "uniform"}


def statement(columns: Sequence[NoisedColumn], needless: Sequence[str]) -> str:
    """The whole statement, a line for each column."""
    noised = [column for column in columns if column.sigma > 0]
    silent = [column for column in columns if column.sigma == 0]
    changed = [column for column in silent if any(_after(column))]
    paragraphs = ["Noise statement"]
    if noised:
        paragraphs += [_HEAD + (_AGAIN if any(map(_has_redrawn, noised)) else ""), _listed(noised)]
    without = [*(column.column for column in silent), *needless]
    if without:
        paragraphs.append(f"No noise was added to {and_list(without)}.")
    if changed:
        paragraphs += ["Changed without noise:", _listed(changed)]
    return "\n\n".join(paragraphs) + "\n"


def _has_redrawn(column: NoisedColumn) -> bool:
    return column.n_codes > 0 or column.n_redrawn > 0


def _listed(columns: Sequence[NoisedColumn]) -> str:
    return "\n".join(f"- {name(column.column)}: {_told(column)}." for column in columns)


def _told(column: NoisedColumn) -> str:
    noise = f"{_KINDS[column.noise]} noise with standard deviation {plain(column.sigma)}"
    return ", then ".join([*([noise] if column.sigma else []), *_after(column)])


def _after(column: NoisedColumn) -> Iterator[str]:
    """Rounding and clipping."""
    if column.decimals == 0:
        yield "rounded to whole numbers"
    elif column.decimals is not None:
        yield f"rounded to {column.decimals} decimal{'s' if column.decimals > 1 else ''}"
    low = None if column.lowest is None else f"below {plain(column.lowest)}"
    high = None if column.highest is None else f"above {plain(column.highest)}"
    if low and high:
        yield f"values {low} or {high} set to these"
    elif low or high:
        yield f"values {low or high} set to it"
