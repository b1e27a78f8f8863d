"""Raab (2024), Appendix 1, told record by record, in exact fractions: slow and plain on purpose.

Each figure is a story about an intruder who knows somebody's keys and holds the copy. Nothing here
is a table formula, and nothing here comes from unveil: the two are written apart so that they can
be compared. The conventions are those of synthpop's code where the printed equations have slips
(UiS over synthetic records, iS and UiOiS by presence of the key, baseCAPd not divided by N_d).

A file is a list of rows ``(key, target)``: the key is the tuple of key values, None is missing, and
None equals None. Percentages are Fractions from 0 to 100; None is a figure that does not exist.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

Row = tuple[tuple[Hashable, ...], Hashable]
File = Sequence[Row]
Figure = Fraction | int | None


def drawers(file: File) -> dict:
    """The file sorted into drawers, one per key: the targets of all rows that have that key."""
    found: dict = {}
    for key, target in file:
        found.setdefault(key, []).append(target)
    return found


def percent(n: Fraction | int, of: int) -> Fraction | None:
    return Fraction(100) * n / of if of else None


def share(target: Hashable, drawer: list) -> Fraction:
    """How much of a drawer has this target; nothing of an empty one."""
    return Fraction(drawer.count(target), len(drawer)) if drawer else Fraction(0)


def agree(drawer: list) -> bool:
    """Is there something in the drawer, and is it all the same?"""
    return bool(drawer) and drawer.count(drawer[0]) == len(drawer)


def key_counts(original: File, synthetic: File) -> dict[str, int]:
    """How many different keys there are, on each side, on both, on any."""
    in_original = {key for key, _ in original}
    in_synthetic = {key for key, _ in synthetic}
    return {
        "n_q_original": len(in_original),
        "n_q_synthetic": len(in_synthetic),
        "n_q_both": len(in_original & in_synthetic),
        "n_q_union": len(in_original | in_synthetic),
    }


def identity(original: File, synthetic: File) -> dict[str, Figure]:
    """Who could be found by the keys alone."""
    real, copy = drawers(original), drawers(synthetic)
    alone = found = alone_and_found = alone_in_both = 0
    for key, _ in original:  # each real person, looked up in the copy
        is_alone = len(real[key]) == 1
        is_found = key in copy
        alone += is_alone
        found += is_found
        alone_and_found += is_alone and is_found
        alone_in_both += is_alone and is_found and len(copy[key]) == 1
    copy_alone = sum(len(copy[key]) == 1 for key, _ in synthetic)
    copy_found = sum(key in real for key, _ in synthetic)
    counts = key_counts(original, synthetic)
    return {
        "UiO": percent(alone, of=len(original)),
        "UiS": percent(copy_alone, of=len(synthetic)),
        "UiOiS": percent(alone_and_found, of=len(original)),
        "repU": percent(alone_in_both, of=len(original)),
        "N_d_both": found,
        "N_s_both": copy_found,
        "n_q_synthetic": counts["n_q_synthetic"],
        "n_q_both": counts["n_q_both"],
    }


def attribute(original: File, synthetic: File) -> dict[str, Figure]:
    """What the intruder would learn about the target of the people whose keys they know."""
    n, n_copy = len(original), len(synthetic)
    real, copy = drawers(original), drawers(synthetic)
    everyone = [target for _, target in original]

    settled_really = found = told = told_rightly = told_rightly_and_settled = 0
    guess_blind = guess_really = guess_copy = Fraction(0)
    rightly: set[Row] = set()
    for key, target in original:
        fellows = real[key]  # the person is one of them
        lookalikes = copy.get(key, [])  # what the intruder sees
        found += bool(lookalikes)
        settled_really += agree(fellows)
        if agree(lookalikes):
            told += 1
            if lookalikes[0] == target:
                told_rightly += 1
                told_rightly_and_settled += agree(fellows)
                rightly.add((key, target))
        guess_blind += share(target, everyone)
        guess_really += share(target, fellows)
        guess_copy += share(target, lookalikes)

    settled_copy = sum(agree(copy[key]) for key, _ in synthetic)
    guess_inside_copy = sum((share(t, copy[key]) for key, t in synthetic), Fraction(0))

    behind = [real[key].count(target) for key, target in rightly]
    behind_copy = [copy[key].count(target) for key, target in rightly]

    figures = {
        "Dorig": percent(settled_really, of=n),
        "Dsyn": percent(settled_copy, of=n_copy),
        "iS": percent(found, of=n),
        "DiS": percent(told, of=n),
        "DiSCO": percent(told_rightly, of=n),
        "DiSDiO": percent(told_rightly_and_settled, of=n),
        "max_denom": max(behind, default=0),
        "mean_denom": average(behind),
        "max_denom_syn": max(behind_copy, default=0),
        "mean_denom_syn": average(behind_copy),
        "baseCAPd": percent(guess_blind, of=n),
        "CAPd": percent(guess_really, of=n),
        "CAPs": percent(guess_inside_copy, of=n_copy),
        "DCAP": percent(guess_copy, of=n),
        "TCAP": percent(told_rightly, of=found),
        "n_cells": len(set(original) | set(synthetic)),
    }
    return figures | derived(figures)


def derived(figures: dict[str, Figure]) -> dict[str, Figure]:
    """What follows from the figures above by arithmetic alone."""
    base, dorig, disco = figures["baseCAPd"], figures["Dorig"], figures["DiSCO"]

    def scaled(x: Figure) -> Figure:
        return None if x is None or base is None or base == 100 else (x - base) / (100 - base)

    return {
        "DCAP_scaled": scaled(figures["DCAP"]),
        "TCAP_scaled": scaled(figures["TCAP"]),
        "protection": None if dorig is None else dorig - disco,
        "removed": 100 * (dorig - disco) / dorig if dorig else None,
    }


def average(values: Sequence[Figure]) -> Fraction | None:
    """The mean; None of nothing, and None where one of the values does not exist."""
    if not values or any(value is None for value in values):
        return None
    return Fraction(sum(values)) / len(values)


def over_copies(
    figures: Callable[[File, File], dict[str, Figure]], original: File, copies: Sequence[File]
) -> dict[int | str, dict[str, Figure]]:
    """The figures of each copy and, of several, their mean and those of all rows in one file."""
    found: dict = {number: figures(original, copy) for number, copy in enumerate(copies, 1)}
    if len(copies) > 1:
        each = list(found.values())
        found["mean"] = {name: average([one[name] for one in each]) for name in each[0]}
        found["pooled"] = figures(original, [row for copy in copies for row in copy])
    return found


def recurrence(original_rows: Sequence[Hashable], synthetic_rows: Sequence[Hashable]) -> dict:
    """How many original rows stand whole in the copy, and whether that is none, some or all.

    "equal": the same rows, each as often. "all": every original row recurs, and more than half of
    them are unique.
    """
    in_copy = set(synthetic_rows)
    times = Counter(original_rows)
    alone = [row for row in original_rows if times[row] == 1]
    alone_recurring = [row for row in alone if row in in_copy]
    n = sum(row in in_copy for row in original_rows)
    if n == 0:
        kind = "none"
    elif times == Counter(synthetic_rows):
        kind = "equal"
    elif n == len(original_rows) and 2 * len(alone) > n:
        kind = "all"
    else:
        kind = "some"
    return {
        "n": n,
        "percent": percent(n, of=len(original_rows)),
        "n_alone": len(alone),
        "n_alone_recurring": len(alone_recurring),
        "kind": kind,
    }
