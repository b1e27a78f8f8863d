"""What was tried on a terminal: what to choose from, then every setting."""

from collections.abc import Sequence

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from unveil.records.exploration import Exploration
from unveil.view.disclosure_screen import notes
from unveil.view.disclosure_tables import fit_width, longest_name, new_table
from unveil.view.exploration import HEADS, cells, exploration_sentences
from unveil.view.utility import without_empty

# The same word would stand over two columns.
SHOWN = (
    "setting",
    "repU",
    "DiSCO",
    "±",
    "highest",
    "R",
    "pMSE",
    "S_pMSE",
    "± ",
    "worst pair",
    "its columns",
    "●",
)
SPARE = ("its columns", "highest", "pMSE", "± ", "±", "worst pair")
SPREAD = ", ± their spread (sd)"
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
        _table(record, width),
        Text("● no other setting has both less risk and better utility", style="dim"),
        Text(),
        *(Padding(Text(sentence), (0, 0, 0, 1)) for sentence in said[1:]),
        Text(),
        *(Text(f"▲ {sentence}") for sentence in look),
        *notes(record.coercions),
    )


def _table(record: Exploration, width: int) -> Table:
    """Every setting; columns that no setting has a figure in go first, then those to be spared."""
    rows = [
        (*cells(record, row)[:-1], "●" if row.name in record.frontier else "")
        for row in record.rows
    ]
    heads, told = without_empty(SHOWN, rows)
    spare = [head for head in SPARE if head in heads]
    return fit_width(lambda shown: _render_table(heads, told, shown), heads, spare, width)


def _render_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], shown: Sequence[str]
) -> Table:
    spread = SPREAD if {"±", "± "} & set(shown) else ""
    table = new_table(f"Lower is better in every column; means over copies{spread}")
    for head in shown:
        if head == "setting":
            least = longest_name([row[0] for row in rows])
            table.add_column(head, overflow="fold", min_width=least)
        else:
            table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        named = dict(zip(heads, row, strict=True))
        table.add_row(*(Text(named[head]) for head in shown))
    return table
