"""What was tried on a terminal: what to choose from, then every setting."""

from collections.abc import Sequence

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.cli.screen import notes
from unveil.cli.tables import as_wide_as_fits, longest_name, new_table
from unveil.records.exploration import Exploration
from unveil.report.exploration import HEADS, cells, exploration_sentences

# The same word would stand over two columns.
SHOWN = ("setting", "repU", "DiSCO", "±", "highest", "R", "pMSE", "S_pMSE", "± ", "worst pair", "●")
SPARE = ("highest", "worst pair", "pMSE", "± ", "±")
assert len(SHOWN) == len(HEADS)


def screen(record: Exploration, width: int) -> Group:
    """All that a custodian sees, in the order they need it."""
    told = list(exploration_sentences(record))
    said = [sentence for kind, sentence in told if kind not in ("refused", "warning")]
    look = [sentence for kind, sentence in told if kind in ("refused", "warning")]
    return Group(
        Text(),
        Text("Risk and utility of several ways to make copies", style="bold"),
        Text(said[0]),
        Text(),
        as_wide_as_fits(lambda shown: _table(record, shown), SHOWN, SPARE, width),
        Text("● no other setting has both less risk and better utility", style="dim"),
        Text(),
        *(Padding(Text(sentence), (0, 0, 0, 1)) for sentence in said[1:]),
        Text(),
        *(Text(f"▲ {sentence}") for sentence in look),
        *notes(record.coercions),
    )


def _table(record: Exploration, shown: Sequence[str]) -> Table:
    table = new_table("Lower is better in every column; means over copies, ± their spread (sd)")
    names = [row.name for row in record.rows]
    for head in shown:
        if head == "setting":
            table.add_column(head, overflow="fold", min_width=longest_name(names))
        else:
            table.add_column(head, justify="right", no_wrap=True)
    for row in record.rows:
        found = [*cells(record, row)[:-1], "●" if row.name in record.frontier else ""]
        named = dict(zip(SHOWN, found, strict=True))
        table.add_row(*(Text(named[head]) for head in shown))
    return table
