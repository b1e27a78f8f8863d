"""How do copies get into a folder? All of them or none, over nothing, and marked as fake."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from unveil.errors import WriteError, listed, quoted
from unveil.records.codebook import Codebook
from unveil.records.synthesis import Synthesis
from unveil.synthesis.settings import MOST_COPIES, whole
from unveil.write.copies import ENDINGS, Asked, target_of, write_all

_OF_ORIGINAL = {"pq": "parquet"}


@dataclass(frozen=True)
class Filed:
    """What was written, and what the format had no room for: each sentence once."""

    paths: tuple[Path, ...]
    notes: tuple[str, ...] = ()


def ending_of(original: str) -> str:
    """The format of copies where none is asked for: that of the original, or CSV."""
    ending = Path(original).suffix.lower().removeprefix(".")
    ending = _OF_ORIGINAL.get(ending, ending)
    return ending if ending in ENDINGS else "csv"


def targets_of(original: str, folder: Path, copies: int, ending: str) -> tuple[Path, ...]:
    """Where each copy goes; refused, before anything is fitted, where something is there."""
    whole("copies", copies, least=1, most=MOST_COPIES)  # before as many names are made
    stem = Path(original).name.split(".", maxsplit=1)[0]
    numbers = [""] if copies == 1 else [f"_{number}" for number in range(1, copies + 1)]
    paths = tuple(target_of(folder / f"{stem}{number}.{ending}", fake=True) for number in numbers)
    present = [path.name for path in paths if os.path.lexists(path)]
    if present:
        raise WriteError(
            f"The folder {quoted(str(folder))} already holds {listed(present)}. Nothing was"
            " written. Name another folder, or move the old files away first."
        )
    if os.path.lexists(folder) and not folder.is_dir():
        raise WriteError(f"{quoted(str(folder))} is a file, not a folder. Name a folder.")
    return paths


def write_copies(
    copies: Sequence[pl.DataFrame],
    targets: Sequence[Path],
    codebook: Codebook | None,
    record: Synthesis,
) -> Filed:
    """Write every copy to its place, declared like the original, or none of them."""
    partly = any(column.role == "kept" for column in record.columns)
    asked = Asked(codebook, partly=partly)
    made = write_all(list(zip(copies, targets, strict=True)), asked)
    return Filed(
        tuple(Path(path) for one in made for path in (one.path, *one.beside)),
        tuple(dict.fromkeys(note for one in made for note in one.notes)),
    )
