"""Words and figures that all pages on correct attribution share."""

from unveil.records.cap import Cap
from unveil.records.cap_layout import BASELINE, ORIGINAL
from unveil.report.words import name, percent

SCENARIOS = {
    "full": "full set",
    "uniques": "statistical uniques",
    "special": "special uniques",
    "mask": "mask",
}
UNNAMED = "synthetic"
"""What the only method is called where none was named."""


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


def as_percent(value: float | None) -> str:
    """A share as a percentage."""
    return "-" if value is None else percent(100 * value)


def of_method(method: str) -> str:
    """Whose copies; nothing where no method was named."""
    return "" if method == UNNAMED else f" of {name(method)}"


def label_of(label: str, m: int | None) -> str:
    """What stands before a row."""
    if m is None:
        return {ORIGINAL: "Original", BASELINE: "Baseline"}[label]
    return f"m = {m}" if label == UNNAMED else f"{name(label)} m = {m}"


def key_set_name(record: Cap, keys: tuple[str, ...]) -> str:
    """What a set of keys is called."""
    return next(one.name for one in record.key_sets if one.keys == keys)
