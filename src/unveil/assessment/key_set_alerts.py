"""Does a limit hold for an intruder who uses only some of the keys?

A limit on DiSCO or repU describes an intruder who knows at most the declared keys, so it is held
against every set of them. The largest of many figures is large by chance: a release stops where a
set is above the limit and beyond what is expected, corrected for the number of sets.
"""

from collections.abc import Collection, Iterator

from unveil.assessment.alerts import Limits, format_names, percent
from unveil.records.alerts import Alert, NotTested
from unveil.records.disclosure import MEANING, Disclosure, KeySetFigure, KeySetSearch, SetMeasure
from unveil.records.judgement import Status

LIMITED: tuple[SetMeasure, ...] = ("DiSCO", "repU")
_ACTION = "Look at unveil keysets; recode the keys it names, or protect the data further."

FigureId = tuple[str, str | None, str | None]  # measure, target, scenario


def assess_search(
    search: KeySetSearch, review: float, limit: float
) -> tuple[Status, KeySetFigure, float]:
    """How the sets of keys stand against a limit: the set that decides, and the number it passes.

    Above the limit and beyond chance is above; above it as chance would, or beyond chance above
    the first number, is for review.
    """
    beyond = search.beyond
    if beyond is not None and beyond.percent("correct") > limit:
        return "above", beyond, limit
    if search.worst.percent("correct") > limit:
        return "review", search.worst, limit
    if beyond is not None and beyond.percent("correct") > review:
        return "review", beyond, review
    return "within", search.worst, limit


def key_set_sentence(figure: KeySetFigure, n_sets: int, limit: float) -> str:
    """Why a set of keys stops the release, or asks for a review."""
    name = figure.measure if figure.target is None else f"{figure.measure} of {figure.target}"
    copy = "" if figure.copy == 1 else f" in file {figure.copy}"
    if figure.copy == "pooled":
        copy = " with all files pooled"
    chance = f"As chance over {n_sets:,} sets of keys would show."
    if figure.low_of_all > 0:
        chance = f"Beyond chance over {n_sets:,} sets of keys: {MEANING}."
    keys = format_names(figure.keys, most=len(figure.keys))
    only = "" if n_sets == 2 ** len(figure.keys) - 1 else "only "  # than all of the keys
    return (
        f"{name}: an intruder who uses {only}{keys} reaches {percent(figure.percent('correct'))}"
        f"{copy}, above {limit:g} %. Expected: {percent(figure.percent('expected'))}. {chance}"
    )


def key_set_alerts(
    record: Disclosure, limits: Limits, told: Collection[FigureId] = (), scenario: str | None = None
) -> Iterator[Alert]:
    """Limits against every set of the keys, but for what is above its limit with all of them."""
    gravest: dict[str, Alert] = {}
    for search, pair in _limited(record, limits):
        status, figure, limit = assess_search(search, *pair)
        if status == "within" or (search.measure, search.target, scenario) in told:
            continue
        name = f"keysets:{search.measure}" + ("" if search.target is None else f":{search.target}")
        name += "" if scenario is None else f"@{scenario}"
        found = Alert(
            id=name,
            kind="key_sets",
            columns=() if search.target is None else (search.target,),
            figure=figure.percent("correct"),
            expected=figure.percent("expected"),
            status="block" if status == "above" else "review",
            sentence=key_set_sentence(figure, search.n_sets, limit),
            action=_ACTION,
        )
        known = gravest.get(name)
        if known is None or _gravity(found) > _gravity(known):
            gravest[name] = found
    yield from gravest.values()


def _gravity(alert: Alert) -> tuple[bool, float]:
    return alert.status == "block", alert.figure or 0.0


def _limited(
    record: Disclosure, limits: Limits
) -> Iterator[tuple[KeySetSearch, tuple[float, float]]]:
    for search in record.key_sets:
        if search.measure in limits and len(record.keys) > 1:
            yield search, limits[search.measure]


def list_unexamined(record: Disclosure, limits: Limits) -> Iterator[NotTested]:
    """Sets of keys that no limit was held against, for there are too many."""
    searches = [search for search, _ in _limited(record, limits)]
    if searches and searches[0].at_most < len(record.keys):
        text = f"Only sets of at most {searches[0].at_most} of the keys were held against limits."
        yield NotTested(what="check", columns=record.keys[:3], sentence=text)
    short = [
        search.target or search.measure
        for search, (_, limit) in _limited(record, limits)
        if search.beyond is None and search.examined > limit
    ]
    if short:
        names = format_names(list(dict.fromkeys(short)))
        text = f"Not every set of keys above its limit was held against chance: {names}."
        yield NotTested(what="check", columns=record.keys[:3], sentence=text)
