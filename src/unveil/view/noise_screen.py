"""Noise on a terminal: what the column needs, what it does, and where the files are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from unveil.records.noise import Ecap, Noise, NoiseChoice
from unveil.view import ecap as of_ecap
from unveil.view import noise as of_noise
from unveil.view.disclosure_tables import fit_width, longest_name, new_table
from unveil.view.format import lines, truncate, visible
from unveil.view.render_documents import json_text

_WORDS = ("what is other", "population", "column", "when")


@dataclass(frozen=True)
class NoiseScreen:
    """What is to be told of one column."""

    column: str
    choice: NoiseChoice | None  # None where the amount was given
    ecap: Ecap  # at the amount that is used
    noise: Noise | None  # None where nothing was written


def document(found: NoiseScreen, paths: Sequence[str]) -> str:
    """All of it for a machine: confidential."""
    made = {
        "column": found.column,
        "choice": None if found.choice is None else found.choice.to_dict(),
        "ecap": found.ecap.to_dict(),
        "noise": None if found.noise is None else found.noise.to_dict(),
        "written": list(paths),
    }
    return json_text(made)


def screen(found: NoiseScreen, paths: Sequence[str], width: int) -> Group:
    """All that a custodian sees, in the order they need it."""
    return Group(
        Text(),
        Text(f"Noise for {truncate(found.column)}: can anybody claim who was in the data?", "bold"),
        *_sentences(found),
        Text(),
        *_warnings(found),
        *_tables(found, width),
        *_done(found, width),
        *(Text(f"Written: {visible(path)}") for path in paths),
    )


def _sentences(found: NoiseScreen) -> Iterator[RenderableType]:
    if found.choice is None:
        yield from (Text(sentence) for _, sentence in of_ecap.ecap_sentences(found.ecap))
        return
    told = dict(of_ecap.choice_sentences(found.choice))
    told.pop("tail", None)
    # With the noise that is used, not with the least.
    told["claim"] = dict(of_ecap.ecap_sentences(found.ecap))["claim"]
    yield from map(Text, told.values())


def _warnings(found: NoiseScreen) -> Iterator[RenderableType]:
    said: list[str] = []
    if found.choice is not None:
        said += found.choice.warnings
        said += [text for what, text in of_ecap.choice_sentences(found.choice) if what == "tail"]
    said += found.ecap.warnings
    if found.noise is not None:
        said += found.noise.warnings
    yield from (Text(f"▲ {lines(sentence)}") for sentence in dict.fromkeys(said))
    if said:
        yield Text()


def _tables(found: NoiseScreen, width: int) -> Iterator[RenderableType]:
    if found.choice is None:
        return
    yield _table(
        "ECAP by the amount of noise",
        of_ecap.CURVE_HEADS,
        of_ecap.curve_rows(found.choice),
    )
    yield Text()
    rows = [of_ecap.sensitivity_cells(row) for row in found.choice.sensitivity]
    title, heads = "What other populations would need", of_ecap.SENSITIVITY_HEADS
    yield fit_width(
        lambda shown: _table(title, heads, rows, shown), heads, ("population", "N"), width
    )
    yield Text()


def _done(found: NoiseScreen, width: int) -> Iterator[RenderableType]:
    if found.noise is None:
        return
    yield Text("What the noise did", style="bold underline")
    yield from (Text(sentence) for sentence in of_noise.noise_sentences(found.noise))
    yield Text()
    rows, heads = list(of_noise.summary_rows(found.noise)), of_noise.HEADS
    yield fit_width(
        lambda shown: _table("Before and after", heads, rows, shown), heads, ("sd",), width
    )
    yield Text()


def _table(
    title: str,
    heads: Sequence[str],
    rows: Sequence[Sequence[str]],
    shown: Sequence[str] | None = None,
) -> Table:
    table = new_table(title)
    chosen = [place for place, head in enumerate(heads) if shown is None or head in shown]
    for place in chosen:
        first = place == 0
        table.add_column(
            heads[place],
            overflow="fold",
            justify="left" if heads[place] in _WORDS else "right",
            min_width=longest_name([row[0] for row in rows]) if first else None,
        )
    for row in rows:
        table.add_row(*(Text(row[place]) for place in chosen))
    return table
