"""The distance filter in sentences and in a notebook: about all rows, never about one."""

from collections.abc import Iterator, Sequence

from unveil.records.protection import DistanceFilter, Refill, Shift
from unveil.view.format import and_list, format_count, format_signed, lines, percent, truncate
from unveil.view.html import grid, notes, paragraph, titled_view
from unveil.view.show import as_html, as_text

TEMPLATES = {
    "kept": "{k} of {n} synthetic rows ({p}) are kept, by {metric} distance on {columns}.",
    "paper": (
        "Each of them is at least as far from its nearest original as another original is. That"
        " asks the nearest alone: {s} of the rows kept ({p}) are closer to some other original"
        " than any original is, and the strict rule would refuse them."
    ),
    "strict": "None of them is closer to any original than its nearest other original is.",
    "selected": (
        "The rows kept are a selected sample: outlying values are favoured, for they are far from"
        " everyone. Look at what moved."
    ),
    "dropped": "{why} It is left out.",
    "refill": "{k} of {n} rows wanted were kept, out of {drawn} drawn in {rounds}.",
}

METRICS = {"mahalanobis": "Mahalanobis", "jaccard": "Jaccard's", "gower": "Gower's"}
SHIFT_HEADS = (
    *("column", "level", "before", "after", "difference in sd"),
    *("missing before", "missing after"),
)
ROUND_HEADS = ("round", "drawn", "kept", "acceptance")


def sentences(record: DistanceFilter) -> Iterator[str]:
    """What the filter did, the most important first."""
    yield from (text for _, text in _keyed(record))


def _keyed(record: DistanceFilter) -> Iterator[tuple[str, str]]:
    kept = TEMPLATES["kept"].format(
        k=f"{record.n_kept:,}",
        n=f"{record.n_synthetic:,}",
        p=_share(record.acceptance),
        metric=METRICS[record.metric],
        columns=and_list(record.columns),
    )
    yield "kept", kept
    yield from _rest(record)


def refill_sentences(record: Refill) -> Iterator[str]:
    """How the rounds ended, the most important first."""
    yield from (text for _, text in refill_keyed(record))


def refill_keyed(record: Refill) -> Iterator[tuple[str, str]]:
    """The same, each with the name of its template."""
    refill = TEMPLATES["refill"].format(
        k=f"{record.n_rows:,}",
        n=f"{record.rows_wanted:,}",
        drawn=f"{sum(one.drawn for one in record.rounds):,}",
        rounds=format_count(len(record.rounds), "round"),
    )
    yield "refill", refill
    yield from _rest(record)


def _rest(record: DistanceFilter | Refill) -> Iterator[tuple[str, str]]:
    is_any = record.n_kept if isinstance(record, DistanceFilter) else record.n_rows
    if is_any and record.rule == "paper":
        s, p = f"{record.n_refused_by_strict:,}", _share(record.share_refused_by_strict)
        yield "paper", TEMPLATES["paper"].format(s=s, p=p)
    elif is_any:
        yield "strict", TEMPLATES["strict"]
    if is_any:
        yield "selected", TEMPLATES["selected"]
    for dropped in record.dropped_columns:
        yield "dropped", TEMPLATES["dropped"].format(why=lines(dropped.sentence))
    yield from (("warning", lines(warning)) for warning in record.warnings)


def _share(share: float | None) -> str:
    return "-" if share is None else percent(100 * share)


def shift_cells(row: Shift) -> tuple[str, ...]:
    """One column under SHIFT_HEADS."""
    shown = _share if row.kind == "category" else _figure
    return (
        truncate(row.column),
        "-" if row.level is None else truncate(row.level),
        shown(row.before),
        shown(row.after),
        format_signed(row.difference),
        _share(row.missing_before),
        _share(row.missing_after),
    )


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:,.4g}"


def sort_by_shift(shifts: Sequence[Shift]) -> list[Shift]:
    """The columns, those that moved most first."""
    return sorted(shifts, key=lambda row: -abs(row.difference or 0.0))


def round_rows(record: Refill) -> list[tuple[str, ...]]:
    """The rounds under ROUND_HEADS."""
    return [
        (str(one.round), f"{one.drawn:,}", f"{one.kept:,}", _share(one.acceptance))
        for one in record.rounds
    ]


@as_text.register
def _(record: DistanceFilter) -> str:
    kept = f"{record.n_kept:,} of {record.n_synthetic:,} rows kept ({_share(record.acceptance)})"
    strict = f"; the strict rule would refuse {record.n_refused_by_strict:,} of them"
    return (
        f"Distance filter, {record.rule} rule, on {and_list(record.columns)}: {kept}"
        f"{strict if record.rule == 'paper' else ''}"
    )


@as_text.register
def _(record: Refill) -> str:
    return (
        f"Refill, {record.rule} rule, on {and_list(record.columns)}: {record.n_rows:,} of"
        f" {record.rows_wanted:,} rows after {format_count(len(record.rounds), 'round')}"
        f" (acceptance {_share(record.acceptance)})"
    )


@as_html.register
def _(record: DistanceFilter) -> str:
    return _view(record, sentences(record), "")


@as_html.register
def _(record: Refill) -> str:
    rounds = grid("Rounds", ROUND_HEADS, round_rows(record))
    return _view(record, refill_sentences(record), rounds)


def _view(record: DistanceFilter | Refill, said: Iterator[str], rounds: str) -> str:
    rows = [shift_cells(row) for row in sort_by_shift(record.shifts)]
    return titled_view(
        as_text(record),
        *map(paragraph, said),
        rounds,
        grid("The copy before and after the filter", SHIFT_HEADS, rows),
        notes(record.coercions),
    )
