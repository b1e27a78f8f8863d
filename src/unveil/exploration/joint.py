"""Which columns can a table of all their combinations model, so that catall and ipf compare?

Raab (2024), section 7: copies of the saturated model (catall) beside those of its margins (ipf).
Both get the same columns: categories, the keys first, as long as their table can be laid out.
"""

from collections.abc import Mapping, Sequence

from unveil.errors import SettingsError
from unveil.read.table import Table
from unveil.synthesis.splitting import split

MOST_CELLS = 2**16
"""Of the table: fitting its margins takes time in proportion."""
FEWEST_COLUMNS = 2


def joint_method(method: str, table: Table, first: Sequence[str]) -> Mapping[str, str]:
    """The method of the columns that are modelled together; all others are modelled by trees."""
    columns = joint_columns(table, first)
    if len(columns) < FEWEST_COLUMNS:
        raise SettingsError(
            f"{table.place} has fewer than {FEWEST_COLUMNS} categories of few levels, so"
            f" {method!r} has no table to model."
        )
    return dict.fromkeys(columns, method)


def joint_columns(table: Table, first: Sequence[str]) -> tuple[str, ...]:
    """Categories whose table has at most MOST_CELLS cells, chosen in turn; in the file's order."""
    turns = [*first, *(name for name in table.frame.columns if name not in first)]
    chosen: list[str] = []
    n_cells = 1
    for name in turns:
        column = split(table.frame[name], variable=table.variables.get(name)).column
        if column.is_category and n_cells * column.n_levels <= MOST_CELLS:
            chosen.append(name)
            n_cells *= column.n_levels
    return tuple(name for name in table.frame.columns if name in chosen)
