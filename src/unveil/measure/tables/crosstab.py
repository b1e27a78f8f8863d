"""How is a cross-table read that an office laid out by hand, and written again in its shape?

A sheet has titles, one to three rows of headers, a body of labels and values, and notes below.
Nothing is guessed in silence: what is read is said, and a number outside the body is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO

from unveil.errors import ReadError, list_names
from unveil.io.read_cells import SheetCells

HIDDEN_MARKS = ("*", "x", "c", ":", "..", "[c]", "[x]")
"""What offices write for a suppressed value, besides nothing."""
ZERO_MARKS = ("-", "\u2013", "\u2014")
MOST_HEADERS = 3
_SPACES = re.compile(r"[\u00a0\u2007\u2009\u202f ']")
_GROUPED = re.compile(r"\d{1,3}(,\d{3})+", re.ASCII)
_WHOLE = re.compile(r"(\d{1,15})(\.0*)?", re.ASCII)
_INTERVAL = re.compile(r"\d{1,15} to \d{1,15}|\d{1,15} or more", re.ASCII)
_YEARS = range(1800, 2200)
_SEVERAL = (
    "has numbers outside the block that was read as the table: headings between rows, or several"
    " tables on one sheet"
)

Row = Sequence[str | None]
Place = tuple[int, int]


def parse_value(text: str) -> int | str | None:
    """A count as offices write it, an interval as its text, None for a hidden one.

    Raises ValueError of anything else: 1 200, 1,200 and 1'200 are counts, 1.200 is not.
    """
    bare = text.strip()
    if bare.casefold() in HIDDEN_MARKS:
        return None
    if bare in ZERO_MARKS:
        return 0
    if _INTERVAL.fullmatch(bare):
        return bare
    joined = _SPACES.sub("", bare)
    if _GROUPED.fullmatch(joined):
        joined = joined.replace(",", "")
    found = _WHOLE.fullmatch(joined)
    if found is None:
        raise ValueError("not a count")
    return int(found[1])


def _is_value(text: str | None) -> bool:
    try:
        parse_value(text or "")
    except ValueError:
        return False
    return True


@dataclass(frozen=True)
class Crosstab:
    """A cross-table as it was laid out, and where each of its values stood."""

    cells: tuple[tuple[str | None, ...], ...]
    """Everything on the sheet, as text."""
    names: tuple[str, ...]
    """Of the dimensions: label columns first, then rows of headers."""
    labels: tuple[tuple[str, ...], ...]
    """Of every value, a level for each dimension."""
    values: tuple[int | str | None, ...]
    blank: tuple[bool, ...]
    """Whether the cell of a value is empty."""
    places: tuple[Place, ...]
    n_titles: int
    n_notes: int
    shape: Place
    """Rows and columns of values."""

    def rename_level(self, dim: int, level: str, name: str) -> Crosstab:
        """The same table where one level of a dimension has another name."""
        labels = tuple(
            tuple(name if k == dim and one == level else one for k, one in enumerate(label))
            for label in self.labels
        )
        return replace(self, labels=labels)

    @property
    def sentence(self) -> str:
        """How the sheet was read."""
        rows, columns = self.shape
        beside = [
            f"{n:,} {'row' if n == 1 else 'rows'} of {what}"
            for n, what in ((self.n_titles, "titles"), (self.n_notes, "notes"))
            if n
        ]
        kept = f" Kept as text: {list_names(beside)}." if beside else ""
        return (
            f"Read as a cross-table: {rows:,} rows by {columns:,} columns of values, by"
            f" {list_names(self.names)}.{kept}"
        )


def parse_crosstab(sheet: SheetCells, totals: frozenset[str]) -> Crosstab:
    """The cross-table on a sheet, or a sentence on what cannot be read."""
    return _SheetReader(sheet, totals).read()


class _SheetReader:
    def __init__(self, sheet: SheetCells, totals: frozenset[str]) -> None:
        self._place, self._totals = sheet.place, totals
        width = max((len(row) for row in sheet.rows), default=0)
        self._rows = [[*row, *[None] * (width - len(row))] for row in sheet.rows]
        self._width = width

    def read(self) -> Crosstab:
        top, bottom = self._body()
        body = [i for i in range(top, bottom) if any(self._rows[i])]
        headers = self._headers(top, self._n_labels(body))
        if not headers and self._is_header_of_years(body[0]):
            headers, body = [body[0]], body[1:]
        if not headers or not body:
            raise self._refusal("has no row of headers above its numbers")
        left = self._n_labels(body)
        columns = [
            j for j in range(left, self._width) if any(self._rows[i][j] for i in [*headers, *body])
        ]
        above = self._fill_right(headers, columns)
        beside = self._fill_down(body, left)
        self._check_outside(headers[0], bottom)
        cells = [(i, j) for i in body for j in columns]
        texts = [self._rows[i][j] for i, j in cells]
        return Crosstab(
            tuple(tuple(row) for row in self._rows),
            self._names(headers, left),
            tuple((*beside[i], *above[j]) for i, j in cells),
            tuple(self._value(i, text) for (i, _), text in zip(cells, texts, strict=True)),
            tuple(text is None for text in texts),
            tuple(cells),
            sum(any(row) for row in self._rows[: headers[0]]),
            sum(any(row) for row in self._rows[bottom:]),
            (len(body), len(columns)),
        )

    def _value(self, row: int, text: str | None) -> int | str | None:
        """What a cell holds; rows may have labels in unequal numbers of columns."""
        try:
            return None if text is None else parse_value(text)
        except ValueError:
            raise self._refusal("has text among its numbers", row) from None

    def _refusal(self, fault: str, row: int | None = None) -> ReadError:
        where = "" if row is None else f" See row {row + 1:,}."
        return ReadError(
            f"{self._place} {fault}.{where} A cross-table has labels in its first columns, headers"
            " above, whole numbers in every cell, and text only above and below."
        )

    def _is_body(self, row: Row, *, is_first: bool) -> bool:
        """A label, then values and nothing else; of the first row one is a number."""
        if is_first and not any(_int(cell) is not None for cell in row[1:]):
            return False  # a header may be called c or x
        first = next((j for j, cell in enumerate(row) if j and _is_value(cell)), None)
        if first is None or _is_value(row[0]) or not any(row[:first]):
            return False
        return all(cell is None or _is_value(cell) for cell in row[first:])

    def _body(self) -> Place:
        """The run of rows with labels and values; empty rows may stand between them."""
        runs: list[Place] = []
        is_open = False
        for i, row in enumerate(self._rows):
            if self._is_body(row, is_first=not is_open):
                runs = [*runs[:-1], (runs[-1][0], i + 1)] if is_open else [*runs, (i, i + 1)]
                is_open = True
            elif any(row):
                is_open = False
        if not runs:
            raise self._refusal("has no rows of a label and numbers")
        if len(runs) > 1:
            raise self._refusal(_SEVERAL, runs[1][0])
        top, bottom = runs[0]
        # Rows in which everything is hidden belong to the body if headers stand above them.
        while top > 1 and self._is_hidden(top - 1) and sum(map(bool, self._rows[top - 2])) > 1:
            top -= 1
        return top, bottom

    def _is_hidden(self, row: int) -> bool:
        """A row of labels and marks of suppression."""
        cells = self._rows[row][self._n_labels([row + 1]) :]
        return all(_is_value(cell) for cell in cells if cell) and any(cells)

    def _n_labels(self, body: Sequence[int]) -> int:
        first = [next(j for j, c in enumerate(self._rows[i]) if j and _is_value(c)) for i in body]
        return min(first)

    def _headers(self, top: int, left: int) -> list[int]:
        found: list[int] = []
        for i in range(top - 1, -1, -1):
            n_filled = sum(cell is not None for cell in self._rows[i][left:])
            one_column = self._width - left == 1
            if len(found) == MOST_HEADERS or n_filled < (1 if found or one_column else 2):
                break
            found.insert(0, i)
        return found

    def _is_header_of_years(self, row: int) -> bool:
        """A first row of years, under the name of the rows: numbers, but no counts."""
        values = [_int(cell) for cell in self._rows[row][1:] if cell is not None]
        return len(set(values)) == len(values) > 0 and all(one in _YEARS for one in values)

    def _fill_right(
        self, headers: Sequence[int], columns: Sequence[int]
    ) -> dict[int, tuple[str, ...]]:
        """The levels above each column: a blank repeats its left one, but in the last row."""
        filled: dict[int, list[str | None]] = {j: [] for j in columns}
        for i in headers:
            so_far = None
            for j in columns:
                so_far = self._rows[i][j] or (None if i == headers[-1] else so_far)
                filled[j].append(so_far)
        fault = "has a column of numbers without a header"
        return {j: self._complete(levels, fault, headers[-1]) for j, levels in filled.items()}

    def _complete(self, levels: Sequence[str | None], fault: str, row: int) -> tuple[str, ...]:
        """The levels; where one is a total and others are blank, all of them are."""
        sums = [level for level in levels if level and level.casefold() in self._totals]
        made = [level or (sums[0] if sums else None) for level in levels]
        if any(level is None for level in made):
            raise self._refusal(fault, row)
        return tuple(level for level in made if level is not None)

    def _fill_down(self, body: Sequence[int], left: int) -> dict[int, tuple[str, ...]]:
        """The levels beside each row: a blank repeats what is above it, but in the last column."""
        made: dict[int, tuple[str, ...]] = {}
        so_far: list[str | None] = [None] * left
        for i in body:
            own = self._rows[i][:left]
            # A new label in one column begins anew in those to its right.
            news = next((c for c in range(left) if own[c]), left - 1)
            so_far = [*(own[c] or so_far[c] for c in range(news)), *own[news:]]
            made[i] = self._complete(so_far, "has a row of numbers without a label", i)
        return made

    def _names(self, headers: Sequence[int], left: int) -> tuple[str, ...]:
        """Names of label columns stand in the last header; headers themselves have none."""
        last = self._rows[headers[-1]]
        own = [last[c] or (f"rows{c + 1}" if left > 1 else "rows") for c in range(left)]
        above = [f"columns{h + 1}" if len(headers) > 1 else "columns" for h in range(len(headers))]
        return (*own, *above)

    def _check_outside(self, first: int, bottom: int) -> None:
        """Refuse numbers above the headers or below the body: something was not understood."""
        outside = [*range(first), *range(bottom, len(self._rows))]
        for i in outside:
            row = self._rows[i]
            if sum(_int(cell) is not None for cell in row[1:]) > 1:
                raise self._refusal(_SEVERAL, i)


def _int(text: str | None) -> int | None:
    try:
        value = None if text is None else parse_value(text)
    except ValueError:
        return None
    return value if isinstance(value, int) else None


def published_crosstab(
    table: Crosstab, published: Mapping[Place, int | str]
) -> list[list[int | str | None]]:
    """A sheet of the same shape, with the published values in the places of the counts.

    Nothing else is taken over from the file: formulas, hidden sheets and comments keep true counts.
    A place without a value stays empty.
    """
    counts = set(table.places)
    return [
        [published.get((i, j)) if (i, j) in counts else cell for j, cell in enumerate(row)]
        for i, row in enumerate(table.cells)
    ]


def write_workbook(rows: Sequence[Sequence[int | str | None]]) -> bytes:
    """One sheet of numbers and texts; a text is never a formula."""
    from datetime import datetime

    import xlsxwriter

    made = BytesIO()
    with xlsxwriter.Workbook(made, {"in_memory": True}) as book:
        # The same table makes the same file.
        book.set_properties({"created": datetime(2000, 1, 1)})
        sheet = book.add_worksheet("table")
        for i, row in enumerate(rows):
            for j, cell in enumerate(row):
                if isinstance(cell, int):
                    sheet.write_number(i, j, cell)
                elif cell is not None:
                    sheet.write_string(i, j, cell)
    return made.getvalue()
