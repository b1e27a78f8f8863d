"""In which order can steps be done, and what is wrong with another?"""

from collections.abc import Iterator, Sequence

from unveil.records.recoding import KINDS

SYNTHESISE, FILTER, REMOVE, SMOOTH, NOISE = (
    *("synthesise", "distance_filter", "remove_replicated_uniques"),
    *("smooth", "add_noise"),
)
AFTER = (FILTER, REMOVE, SMOOTH, NOISE)
"""What is done to a copy."""
_ONCE = (SYNTHESISE, FILTER, REMOVE)


def synthesis_place(does: Sequence[str | None]) -> int:
    """Where the synthesis is, or would be put: before all that is done to the copy."""
    if SYNTHESISE in does:
        return does.index(SYNTHESISE)
    return next((place for place, do in enumerate(does) if do in AFTER), len(does))


def order_faults(does: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """The place of each step that cannot be where it is, and why; None is an unknown step."""
    synthesis = synthesis_place(does)
    for place, do in enumerate(does):
        before = does[:place]
        if do in _ONCE and do in before:
            yield place, f"this is step {before.index(do) + 1} again. Leave one of them out."
        elif do in AFTER and place < synthesis:
            yield (
                place,
                "it is done to the copy, but nothing is synthesised by then. Put it behind the"
                f" step synthesise, which is step {synthesis + 1}.",
            )
        elif do in KINDS and place > synthesis:
            yield (
                place,
                "recodings are done to the original, before it is synthesised. Put it before the"
                f" step {does[synthesis]}, which is step {synthesis + 1}.",
            )
        elif do == FILTER:
            yield from _late_filter(place, before)
        elif do == NOISE and NOISE in before and before[-1] not in (NOISE, None):
            yield place, f"{before[-1]} stands between it and add_noise before. Put them together."
        elif do == SMOOTH and NOISE in before:
            yield place, "smoothing would undo the noise. Put it before add_noise."


def _late_filter(place: int, before: Sequence[str | None]) -> Iterator[tuple[int, str]]:
    """Rows that the filter has drawn anew would be without what was done before."""
    done = [do for do in before if do in AFTER]
    if done:
        yield (
            place,
            "rows that are drawn anew must undergo every later step. Put it before"
            f" {done[0]}, straight behind synthesise.",
        )
