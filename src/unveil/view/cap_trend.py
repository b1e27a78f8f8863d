"""What the number of copies does to the CAP: a sentence chosen from slopes and matches."""

from collections.abc import Iterator
from typing import Literal

from unveil.records.cap import Cap, OnM
from unveil.view.cap_words import SCENARIOS, UNNAMED, key_set_name
from unveil.view.format import and_list, truncate

FIT_HEADS = ("method", "scenario", "non-matches", "intercept", "m", "p of m")
SIGNIFICANT = 0.05


def trend_sentences(record: Cap) -> Iterator[tuple[str, str]]:
    """What the number of copies does, in the first scenario and by the first set of keys."""
    scenario, keys = record.scenarios[0], record.key_sets[0].keys
    n_copies = [len(method.n_synthetic) for method in record.methods]
    if max(n_copies) < 2:
        return
    if max(n_copies) < 3:
        yield "m few", "Fewer than three copies: the effect of their number cannot be estimated."
        return
    for method, n in zip(record.methods, n_copies, strict=True):
        if n >= 3:
            zero = record.fit(method.name, keys, scenario, "zero")
            undefined = record.fit(method.name, keys, scenario, "undefined")
            first, *_, last = record.rows_of(method.name, keys, scenario)
            yield trend_sentence(zero, undefined, (first.n_match, last.n_match))
    yield "m guide", "Pools of m copies are nested, not independent: take p as a guide."


# By whether people find a match with all copies who have none with one, and by both slopes.
KINDS = {
    (True, "rises", "flat"): "m matches",
    (True, "rises", "rises"): "m both",
    (True, "rises", "falls"): "m thinner",
    (True, "flat", "flat"): "m none",
    (False, "rises", "rises"): "m surer",
    (False, "falls", "falls"): "m vaguer",
    (False, "flat", "flat"): "m none",
}


def trend_sentence(zero: OnM, undefined: OnM, n_match: tuple[int, int]) -> tuple[str, str]:
    """One method: the sentence that fits both slopes, and the matches with one and all copies."""
    one, every = n_match
    kind = KINDS.get((every > one, direction(zero), direction(undefined)), "m other")
    signed = kind == "m other"
    by_zero = f"{_slope(zero, signed=signed)} where non-matches count as zero"
    by_zero += f" ({p_value(zero.p_slope)})"
    p = f"({p_value(undefined.p_slope)})"
    among = f"by {_slope(undefined, signed=signed)} among those with a match {p}"
    said = {
        "m matches": (
            f"each further copy raises the CAP by {by_zero}, because more people are matched. Among"
            f" those matched, the number of copies makes no visible difference {p}."
        ),
        "m both": (
            f"each further copy raises the CAP by {by_zero}, and {among}: more people are matched,"
            " and more is disclosed about them."
        ),
        "m surer": (
            f"each further copy raises the CAP by {by_zero}, and {among}: no one else is matched,"
            " but more is disclosed about those matched."
        ),
        "m vaguer": (
            f"each further copy lowers the CAP by {by_zero}, and {among}: no one else is matched,"
            " and less is disclosed about those matched."
        ),
        "m thinner": (
            f"each further copy raises the CAP by {by_zero}, because more people are matched, but"
            f" lowers it {among}."
        ),
        "m none": (
            "the number of copies makes no visible difference, neither where non-matches count as"
            f" zero ({p_value(zero.p_slope)}) nor among those with a match {p}."
        ),
        "m other": f"with each further copy the CAP changes by {by_zero}, and {among}.",
    }[kind]
    about = f"{SCENARIOS[zero.scenario]}, keys {and_list(zero.keys)}"
    named = zero.method != UNNAMED
    about = f"{truncate(zero.method)}, {about}" if named else about[0].upper() + about[1:]
    return kind, f"{about}: {said}"


def direction(fit: OnM) -> Literal["rises", "falls", "flat", "unknown"]:
    """Which way the CAP goes with m, if it shows; a perfect line needs no test."""
    if fit.slope is None or fit.df == 0:
        return "unknown"
    shows = fit.slope != 0 if fit.p_slope is None else fit.p_slope < SIGNIFICANT
    if not shows:
        return "flat"
    return "rises" if fit.slope > 0 else "falls"


def _slope(fit: OnM, *, signed: bool) -> str:
    """A slope with three digits; what the words around it do not say, its sign does."""
    if fit.slope is None:
        return "-"
    return f"{fit.slope if signed else abs(fit.slope):.3g}"


def p_value(p: float | None) -> str:
    """A p in a sentence."""
    if p is None:
        return "p not defined"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}" if p < 0.1 else f"p = {p:.2f}"


def fit_cells(record: Cap, fit: OnM) -> tuple[str, ...]:
    """One regression under FIT_HEADS; with several key sets the scenario names its own."""
    several = len(record.key_sets) > 1
    where = f", {truncate(key_set_name(record, fit.keys))}" if several else ""
    slope = _slope(fit, signed=True)
    intercept = "-" if fit.intercept is None else f"{fit.intercept:.3f}"
    p = "-" if fit.p_slope is None else p_value(fit.p_slope).removeprefix("p ").removeprefix("= ")
    return (
        truncate(fit.method),
        f"{SCENARIOS[fit.scenario]}{where}",
        fit.nonmatch,
        intercept,
        slope,
        p,
    )
