"""Notes of reading: many that say the same of one column each become one sentence."""

from collections.abc import Sequence

from unveil.records.disclosure import Coercion
from unveil.view.format import truncate

EXCLUDED = "{n} columns are not in every file and were excluded: {names}."
MOST_NAMED = 5


def group_notes(coercions: Sequence[Coercion]) -> list[Coercion]:
    """The same notes, but all columns that a side alone has in one sentence."""
    lone = [note for note in coercions if note.kind == "not_compared" and note.column]
    by_side: dict[str, list[str]] = {}
    for note in lone:
        by_side.setdefault(note.side, []).append(note.column or "")
    told = [_exclude(side, columns) for side, columns in by_side.items() if len(columns) > 1]
    sides = {note.side for note in told}
    return told + [note for note in coercions if note not in lone or note.side not in sides]


def _exclude(side: str, columns: Sequence[str]) -> Coercion:
    shown = [truncate(column) for column in columns]
    if len(shown) > MOST_NAMED + 1:
        shown = [*shown[:MOST_NAMED], f"{len(shown) - MOST_NAMED:,} more"]
    sentence = EXCLUDED.format(n=len(columns), names=f"{', '.join(shown[:-1])} and {shown[-1]}")
    return Coercion(side=side, column=None, kind="not_compared", sentence=sentence)
