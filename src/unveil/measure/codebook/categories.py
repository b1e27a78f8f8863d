"""How do the categories of one column differ: codes, what they stand for, and which occur?"""

from collections.abc import Iterator

import polars as pl

from unveil.measure.codebook.columns import Pair
from unveil.measure.codebook.found import has_categories, valid_levels
from unveil.measure.codebook.wording import coded, codes, difference, one
from unveil.read.meanings import folded
from unveil.records.codebook import Code, Variable
from unveil.records.codebook_differences import Difference
from unveil.records.described import FEWEST_PEOPLE, MOST_LISTED, Found

Labels = dict[Code, str]

_RECODE = "Recode the copy to the codes of the original, or its figures are of other answers."


def category_differences(pair: Pair) -> Iterator[Difference]:
    """Differences of declared codes, then of what occurs."""
    if "levels" not in pair.lost:
        yield from _declared(pair)
    if valid_levels(pair.original):
        yield from _occurring(pair)
    else:
        yield from _undeclared(pair)


def _labels(variable: Variable) -> Labels:
    return {level.code: level.label for level in variable.levels}


def _declared(pair: Pair) -> Iterator[Difference]:
    here, there = _labels(pair.original), _labels(pair.synthetic)
    shared = [code for code in here if code in there]
    other = [code for code in shared if folded(here[code]) != folded(there[code])]
    if other and _same_labels(here, there):
        yield _recoded(pair, here, there, other)
        return
    yield from _contradicting(pair, here, there, other)
    yield from _only_in_one(pair, here, there)
    respelt = [code for code in shared if here[code] != there[code] and code not in other]
    if respelt:
        yield difference(
            "category label",
            pair.name,
            _both(respelt, here, there),
            f"Column {one(pair.name)}: labels of codes are written otherwise in {pair.copy}, in"
            f" capitals or blanks: {_of(respelt, there)}.",
            "Write the labels as in the original.",
        )


def _same_labels(here: Labels, there: Labels) -> bool:
    """Whether both have the same labels, each of one code alone."""
    ours, theirs = (sorted(map(folded, labels.values())) for labels in (here, there))
    return ours == theirs and len(set(ours)) == len(ours)


def _of(some: list[Code], labels: Labels) -> str:
    return coded((code, labels[code]) for code in some)


def _both(some: list[Code], here: Labels, there: Labels) -> tuple[str, str]:
    return _of(some, here), _of(some, there)


def _recoded(pair: Pair, here: Labels, there: Labels, other: list[Code]) -> Difference:
    return difference(
        "recoded",
        pair.name,
        _both(other, here, there),
        f"Column {one(pair.name)} has the same labels under other codes: {_of(other, here)} in the"
        f" original, {_of(other, there)} in {pair.copy}.",
        _RECODE,
    )


def _contradicting(
    pair: Pair, here: Labels, there: Labels, other: list[Code]
) -> Iterator[Difference]:
    if other:
        yield difference(
            "contradiction",
            pair.name,
            _both(other, here, there),
            f"Column {one(pair.name)} gives codes another meaning: {_of(other, here)} in the"
            f" original, {_of(other, there)} in {pair.copy}.",
            "Find out which labels are right. If the codes mean the same, write the labels of the"
            " original into the copy; if not, recode it.",
        )


def _only_in_one(pair: Pair, here: Labels, there: Labels) -> Iterator[Difference]:
    ours = [code for code in here if code not in there]
    theirs = [code for code in there if code not in here]
    moved = {folded(here[code]): code for code in ours}
    pairs = [(moved[folded(there[code])], code) for code in theirs if folded(there[code]) in moved]
    if pairs:
        was, now = [a for a, _ in pairs], [b for _, b in pairs]
        yield difference(
            "recoded",
            pair.name,
            (_of(was, here), _of(now, there)),
            f"Column {one(pair.name)} has the same labels under other codes: {_of(was, here)} in"
            f" the original, {_of(now, there)} in {pair.copy}.",
            _RECODE,
        )
        ours = [code for code in ours if code not in was]
        theirs = [code for code in theirs if code not in now]
    if ours or theirs:
        told = [
            *([f"{_of(ours, here)} only in the original"] if ours else []),
            *([f"{_of(theirs, there)} only in {pair.copy}"] if theirs else []),
        ]
        yield difference(
            "category",
            pair.name,
            (_of(ours, here) or None, _of(theirs, there) or None),
            f"Column {one(pair.name)} declares other codes: {', and '.join(told)}.",
            "Declare the codes of the original in the copy, those that nobody has among them.",
        )


def _occurring(pair: Pair) -> Iterator[Difference]:
    """What the copy has, seen through the codes of the original."""
    here, there = pair.found_here, pair.found_there
    if None not in (here.holds, there.holds) and here.holds != there.holds:
        yield difference(
            "written as",
            pair.name,
            (here.holds, there.holds),
            f"Column {one(pair.name)} holds {here.holds} in the original and {there.holds} in"
            f" {pair.copy}.",
            f"Write the {here.holds} in the copy; unveil convert and --like the original do so.",
        )
    if there.n_outside and not here.n_outside:
        listed = f": {codes(there.occurring)}" if there.occurring else ""
        yield difference(
            "category",
            pair.name,
            (None, codes(there.occurring) or None),
            f"Column {one(pair.name)}: {pair.copy} has values that are no {there.holds} of the"
            f" original{listed}{_rest(there.n_rare, listed)}.",
            "Recode them, or declare what they stand for.",
        )


def _undeclared(pair: Pair) -> Iterator[Difference]:
    """Where nobody declared codes: categories that occur on one side only."""
    here, there = pair.found_here, pair.found_there
    if here.kind != there.kind or not _is_told_by_categories(pair, here):
        return
    if pair.ours is None or pair.theirs is None:
        return
    ours, theirs = pair.ours.present, pair.theirs.present
    for kind, mine, other in (("original", ours, theirs), ("synthetic", theirs, ours)):
        alone = mine.filter(~mine["value"].is_in(other["value"].to_list()))
        if alone.height:
            yield _alone(pair, kind, alone)


def _is_told_by_categories(pair: Pair, here: Found) -> bool:
    """Free text differs from record to record: nothing is said of its values."""
    is_categories = has_categories(pair.original, pair.here.dtype, 0)
    return is_categories and (here.n_distinct or 0) <= MOST_LISTED


def _alone(pair: Pair, kind: str, alone: pl.DataFrame) -> Difference:
    told = alone.filter(pl.col("n") >= FEWEST_PEOPLE).sort("value")["value"].to_list()
    listed = f": {codes(told)}" if told else ""
    where = "the original" if kind == "original" else pair.copy
    return difference(
        "category",
        pair.name,
        (codes(told) or None, None) if kind == "original" else (None, codes(told) or None),
        f"Column {one(pair.name)} has categories that occur only in {where}"
        f"{listed}{_rest(alone.height - len(told), listed)}.",
        "Check how the copy was made: categories may be lost or misspelt.",
    )


def _rest(n_rare: int, listed: str) -> str:
    """How many are counted but not told."""
    if not n_rare:
        return ""
    more = " more" if listed else ""
    joint = " and" if listed else ":"
    return f"{joint} {n_rare:,}{more} that fewer than {FEWEST_PEOPLE} records have"
