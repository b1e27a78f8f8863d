"""`/table`: what would publishing a table of counts disclose? Pasted, rounded, taken back.

The counts are in the form and in memory alone. Seeds are remembered here, not on the page.
"""

import asyncio
import csv
import secrets
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.files import list_files
from unveil.app.form_fields import parse_text, parse_ticked, parse_typed_integer
from unveil.app.render_app import (
    draw_fault,
    draw_page,
    draw_part,
    is_part,
    wait_patiently,
    workspace_of,
)
from unveil.errors import SettingsError, UnveilError
from unveil.io.read_cells import read_cells
from unveil.measure.tables.bounds import bounds
from unveil.measure.tables.crosstab import Crosstab, write_workbook
from unveil.measure.tables.plan.plan import Plan
from unveil.measure.tables.publish import published_cells
from unveil.measure.tables.published_table import PublishedTable, make_release
from unveil.measure.tables.sap import sap
from unveil.measure.tables.schemes import CHANCE
from unveil.records.count_tables import Bounds
from unveil.view.blocks import Block, Figure, Folded, Items, Sentence
from unveil.view.charts.lines import StepLine, sap_curve
from unveil.view.count_tables import bounds_sentences
from unveil.view.publication_plan import plan_blocks
from unveil.view.sap import THRESHOLD, sap_sentences
from unveil.view.sections import tables
from unveil.view.sections.tables import CAPTION

TITLE = "Tables of counts"
SCHEMES = (
    ("exact", "as it is"),
    ("conventional", "conventional (nearest)"),
    ("random", "random"),
    ("controlled", "controlled"),
    ("up", "up"),
    ("suppress", "suppress small"),
)
BASES = ("3", "5", "10")
SUMS = ("Total", "All")
SECONDS, PLAN_SECONDS = 3.0, 20.0
MOST_KNOWN = 24
ENDINGS = (".xlsx", ".xlsm", ".csv", ".tsv", ".txt")
SHAPES = {"xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"}
SHAPES |= {"tsv": "text/tab-separated-values"}
_DRAWS: OrderedDict[tuple[str, str], int] = OrderedDict()
_MOST_DRAWS = 64
Cells = Sequence[Sequence[int | str | None]]


@dataclass(frozen=True)
class TableForm:
    """What was asked about which table."""

    pasted: str = ""
    scheme: str = "conventional"
    base: str = "3"
    margins: bool = True
    total: bool = True
    blank: bool = False
    n: int = 12
    is_dropped: bool = False  # the text is that of a file

    @property
    def rounding(self) -> str:
        """The scheme as the commands write it."""
        return self.scheme if self.scheme == "exact" else f"{self.scheme}:{self.base}"

    def command(self, ending: str = "xlsx") -> tuple[str, ...]:
        """What would be typed about the same table in a file."""
        return (
            *("unveil", "table", "table.tsv", "--round", self.rounding),
            *(("--margins", "all") if self.margins else ()),
            *(("--total",) if self.total else ()),
            *(("--blank", "zero") if self.blank else ()),
            *("--sap-max-n", str(self.n), "--bounds"),
            *(() if self.scheme == "exact" else ("--out", f"publish.{ending}")),
        )


async def show(request: Request) -> Response:
    """An empty form, or that of a table without script; what the project's own tables disclose."""
    form = await _read_form(request) if request.method == "POST" else TableForm()
    found = await _figures(form)
    return draw_page(
        request, "table.html", title=TITLE, command=form.command(), **found, **_own(request)
    )


async def live(request: Request) -> Response:
    """How the table was read, and what is known once it is published so."""
    form = await _read_form(request)
    found = await _figures(form)
    said = found["fault"] or found["said"]
    return draw_part(request, "tabled.html", command=form.command(), say=said, **found)


async def take(request: Request) -> Response:
    """The table to publish, in the shape in which it came."""
    given = await request.form()
    form = await _read_form(request)
    ending = "tsv" if given.get("as") == "tsv" else "xlsx"
    try:
        cells = await asyncio.to_thread(lambda: published_cells(_release(form), SUMS))
    except UnveilError as fault:
        return draw_fault(request, str(fault))
    content = write_workbook(cells) if ending == "xlsx" else _tsv(cells).encode()
    name = {"content-disposition": f'attachment; filename="publish.{ending}"'}
    return Response(content, media_type=SHAPES[ending], headers=name)


async def plan(request: Request) -> Response:
    """What the tables of a publication plan disclose together."""
    form, workspace = await request.form(), workspace_of(request)
    (name,) = parse_ticked(form, "plan", _plans(request))[:1] or [""]
    if not name:
        return draw_fault(request, "There is no such plan.", status=404)

    def measure() -> Any:
        opened = Plan.from_file(workspace.folder / name)
        return opened.disclosed(limits={"recovered": 0}, seconds=PLAN_SECONDS).record

    try:
        record = await wait_patiently(("plan", name), measure, "The plan is being checked")
    except UnveilError as fault:
        return draw_fault(request, str(fault))
    command = ("unveil", "plan", name, "--limit", "recovered=0", "--seconds", "20")
    blocks = [*plan_blocks(record, has_rows=True)]
    if is_part(request):
        return draw_part(request, "sheet.html", blocks=blocks, command=command)
    return draw_page(request, title=name, blocks=blocks, command=command)


async def _read_form(request: Request) -> TableForm:
    given = await request.form()
    n = parse_typed_integer(given, "n", "The number of people known")
    return TableForm(
        pasted=await _pasted(given),
        scheme=_one_of(parse_text(given, "scheme"), [name for name, _ in SCHEMES], "conventional"),
        base=_one_of(parse_text(given, "base"), BASES, "3"),
        margins="margins" in given,
        total="total" in given,
        blank="blank" in given,
        is_dropped=_is_file(given),
        n=min(max(12 if n is None else n, 1), MOST_KNOWN),
    )


def _is_file(given: FormData) -> bool:
    file = given.get("file")
    return isinstance(file, UploadFile) and bool(file.filename)


def _one_of(text: str, known: Sequence[str], usual: str) -> str:
    return text if text in known else usual


async def _pasted(given: FormData) -> str:
    """The text of the form, or the cells of a file that was dropped, as the same text."""
    file = given.get("file")
    if not isinstance(file, UploadFile) or not file.filename:
        return str(given.get("pasted", "")).replace("\r\n", "\n")
    ending = Path(file.filename).suffix.lower()
    if ending not in ENDINGS:
        raise SettingsError(f"A table is read from {', '.join(ENDINGS[:4])}, not from this file.")
    content = await file.read()
    await file.seek(0)  # it may be asked for again
    return await asyncio.to_thread(_cells_of, content, ending)


def _cells_of(content: bytes, ending: str) -> str:
    with TemporaryDirectory(dir=_memory()) as folder:
        place = Path(folder) / f"table{ending if ending != '.txt' else '.tsv'}"
        place.write_bytes(content)
        return _tsv(read_cells(place, side="data").rows)


def _memory() -> str | None:
    """A folder that is memory where the system has one: nothing then reaches a disk."""
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


def _tsv(cells: Cells) -> str:
    made = StringIO()
    rows = [["" if one is None else one for one in row] for row in cells]
    csv.writer(made, delimiter="\t", lineterminator="\n").writerows(rows)
    return made.getvalue()


def _read(form: TableForm) -> PublishedTable:
    """The table of the form, by the reader of every other face."""
    with TemporaryDirectory(dir=_memory()) as folder:
        place = Path(folder) / "table.tsv"
        place.write_text(form.pasted, encoding="utf-8")
        blank = "zero" if form.blank else None
        return PublishedTable.from_file(place, blank=blank, total_label=SUMS)


def _release(form: TableForm, counts: PublishedTable | None = None) -> PublishedTable:
    read = _read(form) if counts is None else counts
    made = make_release(
        read.grid,
        np.array(read.system.counts, np.int64),
        rounding=form.rounding,
        total=form.total,
        margins="all" if form.margins and len(read.dims) > 1 else None,
        seed=_seed(form) if form.scheme in CHANCE else None,
    )
    return replace(made, crosstab=read.crosstab)


def _seed(form: TableForm) -> int:
    """One draw for a table and a scheme, until it is drawn again."""
    key = (form.pasted, form.rounding)
    if key not in _DRAWS:
        _DRAWS[key] = secrets.randbits(48)
        while len(_DRAWS) > _MOST_DRAWS:
            _DRAWS.popitem(last=False)
    return _DRAWS[key]


async def again(request: Request) -> Response:
    """Draw again."""
    form = await _read_form(request)
    _DRAWS.pop((form.pasted, form.rounding), None)
    return await live(request) if is_part(request) else await show(request)


async def _figures(form: TableForm) -> dict[str, Any]:
    """All that the page shows of a table; a fault in words where it cannot be read."""
    empty: dict[str, Any] = dict(form=form, schemes=SCHEMES, bases=BASES, fault="", said="")
    empty |= dict(read=(), back=(), blocks=(), reading=(), is_random=form.scheme in CHANCE)
    if not form.pasted.strip():
        return empty
    try:
        return empty | await asyncio.to_thread(_measure, form)
    except UnveilError as fault:
        return empty | {"fault": str(fault)}


def _measure(form: TableForm) -> dict[str, Any]:
    counts = _read(form)
    release = _release(form, counts)
    known = bounds(release, seconds=SECONDS).record
    curves = [(form.rounding, sap(release, n_max=form.n, seconds=SECONDS).record)]
    if form.scheme != "exact":
        exact = _release(replace(form, scheme="exact"), counts)
        curves.append(("exact", sap(exact, n_max=form.n, seconds=SECONDS).record))
    record = curves[0][1]
    told = [text for _, text in sap_sentences(record)]
    lines = [StepLine(name, one.lower, one.upper) for name, one in curves]
    more = [*told[1:], *(text for _, text in bounds_sentences(known))]
    blocks: list[Block] = [
        Figure(Sentence(told[0], "lead"), sap_curve(lines, threshold=THRESHOLD), CAPTION),
        *(Sentence(one) for one in more[:1]),
        Folded("In words", tuple(Sentence(one) for one in more[1:])),
        *_without_sums(form, counts),
    ]
    reading = [Items(counts.notes)]
    shown = {"blocks": blocks, "reading": reading, "said": told[0]}
    table = counts.crosstab
    if table is not None:
        shown["read"] = _painted(table, table.cells, None)
    try:
        back = published_cells(release, SUMS)
    except SettingsError:  # as it is: there is nothing to take back
        return shown
    return shown | {"back": _painted(table, back, known)}


def _without_sums(form: TableForm, counts: PublishedTable) -> Iterator[Block]:
    table = counts.crosstab
    if table is None or not (form.margins or form.total):
        return
    if not any(one.casefold() in _folded() for label in table.labels for one in label):
        yield Sentence(
            "The table has no row or column of sums, so it goes back without them. Add a row and a"
            " column called Total to publish them in it.",
            "look",
        )


def _folded() -> set[str]:
    return {one.casefold() for one in SUMS}


def _painted(
    table: Crosstab | None, cells: Cells, known: Bounds | None
) -> list[list[tuple[str, str]]]:
    """Every cell with what it is: label, count, sum or beside; and what is given away of it."""
    kinds: dict[tuple[int, int], str] = {}
    if table is not None:
        found = {} if known is None else {one.levels: one for one in known.cells}
        for place, label in zip(table.places, table.labels, strict=True):
            is_sum = any(one.casefold() in _folded() for one in label)
            kinds[place] = "sum" if is_sum else "count"
            cell = found.get(label)
            if cell is not None and not cell.structural and cell.lower == cell.upper:
                kinds[place] = "recovered" if cell.recovered else "known"
        top = min((row for row, _ in table.places), default=0)
        left = min((column for _, column in table.places), default=0)
    rows = []
    for i, row in enumerate(cells):
        shown = []
        for j, one in enumerate(row):
            beside = "label" if table is None or (i >= top - 3 or j < left) else "beside"
            text = "" if one is None else f"{one:,}" if isinstance(one, int) else one
            shown.append((text, kinds.get((i, j), beside if text else "empty")))
        rows.append(shown)
    return rows


def _plans(request: Request) -> list[str]:
    return [
        one
        for one in list_files(workspace_of(request), endings=(".toml",))
        if one != "project.toml"
    ]


def _own(request: Request) -> dict[str, Any]:
    """Tables that the project declares, as the last run measured them; plans to check."""
    workspace = workspace_of(request)
    found: list[Block] = []
    if workspace.result is not None and (
        workspace.result.parts.of("sap") or workspace.result.parts.of("plan")
    ):
        found = [*tables.blocks(workspace.contents, workspace.result.parts)]
    return {"own": found, "plans": _plans(request)}


ROUTES = (
    Route("/table", show, methods=["GET", "POST"]),
    Route("/table/live", live, methods=["POST"]),
    Route("/table/again", again, methods=["POST"]),
    Route("/table/file", take, methods=["POST"]),
    Route("/table/plan", plan, methods=["POST"]),
)
