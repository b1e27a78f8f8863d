"""How large should the leaves of trees be? Presets, and sizes compared."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any, get_args

import polars as pl

from unveil.arguments import parse_choice, parse_whole_number
from unveil.errors import SettingsError
from unveil.io.table import Labelled
from unveil.measure.disclosure.disclosure import disclosure
from unveil.measure.utility.pair_tables import pair_tables
from unveil.protection.plan_columns import fewest
from unveil.records.protection import Audience, SweepRow
from unveil.study.scenario import Progress
from unveil.synthesis.synthesise import synthesise

# What do larger leaves cost, and what do they spare? A synthesis for each size, measured.
#
# The copies are those of the synthesis alone, before filter and noise, so that the leaves are
# seen by themselves.


PARTS = 3
"""How many leaves a node must fill before it is cut, as in `unveil.synthesise`."""


def compare_leaf_sizes(
    recoded: Any,
    leaves: Sequence[int],
    settings: Mapping[str, Any],
    *,
    keys: Sequence[str],
    targets: Sequence[str] | None,
    seed: int,
    progress: Progress,
) -> Iterator[SweepRow]:
    """One row for each size of leaves."""
    used = settings.get("min_leaf")
    for place, leaf in enumerate(leaves):
        progress(f"leaves of {leaf}", place, len(leaves))
        own = settings.get("min_split") if leaf == used else None
        split = own or PARTS * leaf
        made = synthesise(
            recoded, **{**settings, "min_leaf": leaf, "min_split": split, "seed": seed}
        )
        copy = made.copies[0]
        shown = copy if made.codebook is None else Labelled(copy, made.codebook)
        codes = settings.get("special_codes")
        risks = _risks(recoded, shown, keys, targets, settings.get("person"))
        yield SweepRow(
            min_leaf=leaf,
            min_split=split,
            is_used=leaf == used,
            S_pMSE=_likeness(recoded, shown, codes),
            **risks,
        )


def _risks(
    recoded: Any,
    copy: Any,
    keys: Sequence[str],
    targets: Sequence[str] | None,
    person: str | None,
) -> dict[str, Any]:
    """The risks by row or by person, whichever is larger."""
    if not keys:
        return {"repU": None, "DiSCO": None, "worst_DiSCO": None, "worst_target": None}
    record = disclosure(recoded, copy, keys=keys, targets=targets, person=person).record
    risks = [(row.target, record.highest(row, "DiSCO", row.target)) for row in record.attribute]
    found = {target: risk for target, risk in risks if risk is not None}
    worst = max(found, key=lambda target: found[target], default=None)
    return {
        "repU": record.highest(record.identity[0], "repU", None),
        "DiSCO": sum(found.values()) / len(found) if found else None,
        "worst_DiSCO": None if worst is None else found[worst],
        "worst_target": worst,
    }


def _likeness(recoded: Any, copy: Any, codes: Any) -> float | None:
    """The median of S_pMSE over all pairs of columns; 1 is as like as chance allows."""
    rows = pair_tables(recoded, copy, special_codes=codes).record.rows
    found = [row.S_pMSE for row in rows if row.S_pMSE is not None]
    return median(found) if found else None


# How large are the leaves where the custodian did not say?
#
# The paper's leaves hold at least 33 records, and nodes of fewer than 100 are not cut. A copy
# that anybody may download is asked for more: it cannot be called back, and whoever attacks it is
# bound by no contract.


PAPER = {"min_leaf": 33, "min_split": 100}
OPEN = {"min_leaf": 100, "min_split": 300}
OPEN_SWEEP = (5, 20, 33, 100)
MOST_SWEPT = 12
WHY_OPEN = (
    "For open release leaves of at least 100 records are proposed, and no cut of fewer than 300:"
    " three times the paper's 33 and 100. Openly released data cannot be withdrawn, and a value"
    " drawn from a leaf of 100 is one of a hundred people's. The sweep shows what larger leaves"
    " cost."
)


def parse_audience(given: Any) -> Audience | None:
    """Who will have the copy."""
    audiences: tuple[Audience, ...] = get_args(Audience)
    return None if given is None else parse_choice("audience", given, audiences)


def add_leaf_size(
    synthesis: Mapping[str, Any], audience: Audience | None
) -> tuple[dict[str, Any], str | None]:
    """Settings of the synthesis with the size of leaves, and why where the preset decided."""
    if synthesis.get("min_leaf") is not None:
        return dict(synthesis), None
    is_open = audience == "open"
    given = {name: value for name, value in synthesis.items() if value is not None}
    return {**(OPEN if is_open else PAPER), **given}, WHY_OPEN if is_open else None


def parse_sweep(given: Any, audience: Audience | None) -> tuple[int, ...]:
    """The sizes of leaves to compare: those given, or for open release a few."""
    if given is None:
        return OPEN_SWEEP if audience == "open" else ()
    if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
        given = [given]
    leaves = tuple(dict.fromkeys(parse_whole_number("A leaf of the sweep", one) for one in given))
    if len(leaves) > MOST_SWEPT:
        raise SettingsError(
            f"The sweep has {len(leaves)} sizes of leaves. Each needs its own synthesis: give at"
            f" most {MOST_SWEPT}."
        )
    return tuple(sorted(leaves))


def list_leaf_sizes(
    leaves: Sequence[int], settings: Mapping[str, Any], frame: pl.DataFrame, given: Any
) -> tuple[int, ...]:
    """The sweep with the size in use; of sizes that nobody asked for those that can be had."""
    if not leaves:
        return ()
    most = fewest(frame, settings) if given is None else max(leaves)
    return tuple(sorted({*(leaf for leaf in leaves if leaf <= most), int(settings["min_leaf"])}))
