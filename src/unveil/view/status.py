"""How is a status said? By a shape and a word, the same wherever it is shown."""

from collections.abc import Iterable

from unveil.records.judgement import Status

GLYPHS: dict[Status, str] = {
    "above": "■",
    "not measured": "-",
    "review": "▲",
    "within": "●",
    "no limit": "○",
}
"""The shape of each status, the worst first."""
WORDS: dict[Status, str] = {
    "above": "above limit",
    "not measured": "not measured",
    "review": "review",
    "within": "within",
    "no limit": "no limit set",
}


def format_status(status: Status) -> str:
    """Shape and word."""
    return f"{GLYPHS[status]} {WORDS[status]}"


def worst(statuses: Iterable[Status]) -> Status:
    """The worst of some; of none, that there is no limit."""
    order = list(GLYPHS)
    return min(statuses, key=order.index, default="no limit")
