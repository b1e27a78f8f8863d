"""How large are the leaves where the custodian did not say?

The paper's leaves hold at least 33 records, and nodes of fewer than 100 are not cut. A copy that
anybody may download is asked for more: it cannot be called back, and whoever attacks it is bound by
no contract.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import polars as pl

from unveil.errors import SettingsError
from unveil.protection.plan_columns import fewest
from unveil.read.given import choice
from unveil.records.protection import Audience
from unveil.synthesis.settings import whole

PAPER = {"min_leaf": 33, "min_split": 100}
OPEN = {"min_leaf": 100, "min_split": 300}
OPEN_SWEEP = (5, 20, 33, 100)
MOST_SWEPT = 12
WHY_OPEN = (
    "For open release leaves of at least 100 records are proposed, and no cut of fewer than 300:"
    " three times the paper's 33 and 100. An open copy cannot be called back, and a value drawn"
    " from a leaf of 100 is one of a hundred people's. The sweep shows what larger leaves cost."
)


def audience_of(given: Any) -> Audience | None:
    """Who will have the copy."""
    audiences: tuple[Audience, ...] = get_args(Audience)
    return None if given is None else choice("audience", given, audiences)


def with_leaves(
    synthesis: Mapping[str, Any], audience: Audience | None
) -> tuple[dict[str, Any], str | None]:
    """Settings of the synthesis with the size of leaves, and why where the preset decided."""
    if synthesis.get("min_leaf") is not None:
        return dict(synthesis), None
    is_open = audience == "open"
    given = {name: value for name, value in synthesis.items() if value is not None}
    return {**(OPEN if is_open else PAPER), **given}, WHY_OPEN if is_open else None


def sweep_of(given: Any, audience: Audience | None) -> tuple[int, ...]:
    """The sizes of leaves to compare: those given, or for open release a few."""
    if given is None:
        return OPEN_SWEEP if audience == "open" else ()
    if isinstance(given, str | Mapping) or not hasattr(given, "__iter__"):
        given = [given]
    leaves = tuple(dict.fromkeys(whole("A leaf of the sweep", one, least=1) for one in given))
    if len(leaves) > MOST_SWEPT:
        raise SettingsError(
            f"The sweep has {len(leaves)} sizes of leaves. Each is a synthesis of its own: give at"
            f" most {MOST_SWEPT}."
        )
    return tuple(sorted(leaves))


def sizes_of(
    leaves: Sequence[int], settings: Mapping[str, Any], frame: pl.DataFrame, given: Any
) -> tuple[int, ...]:
    """The sweep with the size in use; of sizes that nobody asked for those that can be had."""
    if not leaves:
        return ()
    most = fewest(frame, settings) if given is None else max(leaves)
    return tuple(sorted({*(leaf for leaf in leaves if leaf <= most), int(settings["min_leaf"])}))
