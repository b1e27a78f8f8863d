"""Who is alone, and with what? The records behind the figures, for the custodian's eyes only."""

from collections.abc import Container, Sequence

import numpy as np
import polars as pl

from unveil.count.codes import Column
from unveil.count.levels import all_as_read
from unveil.count.packing import Whole


def records_at_risk(
    columns: Sequence[Column], rows: Whole, figures: pl.DataFrame, msus: pl.DataFrame
) -> pl.DataFrame:
    """One row per statistical unique: its keys as text, its figures, and the first of its MSUs."""
    names = [column.name for column in columns]
    own = figures[rows].with_columns(alone_with=_first_sets(rows, msus))
    free = {name: free_name(name, names) for name in own.columns}
    keys = [
        # Named last: polars takes some names for patterns of names.
        pl.Series(all_as_read(column), dtype=pl.String)
        .gather(column.codes[rows])
        .alias(column.name)
        for column in columns
    ]
    made = [
        own["row"].alias(free["row"]),
        *keys,
        *(own[name].alias(free[name]) for name in own.columns if name != "row"),
    ]
    return pl.DataFrame(made)[np.argsort(-own["suda"].to_numpy(), kind="stable")]


def _first_sets(rows: Whole, msus: pl.DataFrame) -> pl.Series:
    """For each row the keys of its smallest set, in one text; null where it has none."""
    first = msus.unique("row", keep="first", maintain_order=True)
    texts = first.select("row", first["keys"].list.join(", ").alias("keys"))
    asked = pl.DataFrame({"row": pl.Series(rows, dtype=pl.Int64)})
    return asked.join(texts, on="row", how="left", maintain_order="left")["keys"]


def free_name(name: str, taken: Container[str]) -> str:
    """A name of ours that gives way, by a `_`, to those that are taken."""
    return free_name(f"{name}_", taken) if name in taken else name
