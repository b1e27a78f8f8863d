"""Words and figures that all pages on correct attribution share."""

from typing import Literal

from unveil.records.cap import BASELINE, ORIGINAL, Cap, CapRow
from unveil.view.format import truncate

SCENARIOS = {
    "full": "full set",
    "uniques": "statistical uniques",
    "special": "special uniques",
    "mask": "mask",
}
UNNAMED = "synthetic"
"""What the only method is called where none was named."""

# One point in a hundred: so near to the baseline, or to the original, counts as there.
AT_AN_END = 0.01
DIGITS = 12  # 0.2 and 0.19 differ by a point, whatever becomes of the last binary digit

Standing = Literal[
    "below the baseline", "below, as the original", "at the baseline", "as the original", "between"
]


def share(value: float | None) -> str:
    """A share from 0 to 1 with three digits, as in the paper; never a positive 0 or a false 1."""
    if value is None:
        return "-"
    if value in (0, 1):
        return f"{value:.0f}"
    if value < 0.0001:
        return "<0.0001"
    shown = f"{value:.3f}" if value >= 0.1 else f"{value:.3g}"
    return ">0.999" if shown == "1.000" and value < 1 else shown


def method_phrase(method: str) -> str:
    """Whose copies; nothing where no method was named."""
    return "" if method == UNNAMED else f" of {truncate(method)}"


def label_of(label: str, m: int | None) -> str:
    """What stands before a row."""
    if m is None:
        return {ORIGINAL: "Original", BASELINE: "Baseline"}[label]
    return f"m = {m}" if label == UNNAMED else f"{truncate(label)} m = {m}"


def key_set_name(record: Cap, keys: tuple[str, ...]) -> str:
    """What a set of keys is called."""
    return next(one.name for one in record.key_sets if one.keys == keys)


def cap_standing(row: CapRow) -> tuple[Standing, float] | None:
    """Where the CAP among those matched stands, and what part of the way it is from the baseline.

    Baseline and original are those of the same people. Within a point of the baseline is at it; not
    below the original by more than that is as the original.
    """
    low, high = row.cap_baseline_matched, row.cap_original_matched
    cap = row.cap_synthetic_undefined
    if low is None or high is None or cap is None:
        return None
    above, lacking = round(cap - low, DIGITS), round(high - cap, DIGITS)
    if above < -AT_AN_END:
        return "below the baseline" if lacking > AT_AN_END else "below, as the original", 0.0
    if above <= AT_AN_END:
        return "at the baseline", 0.0
    if lacking <= AT_AN_END:
        return "as the original", 1.0
    return "between", (cap - low) / (high - low)
