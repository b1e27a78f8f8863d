"""Where do the stored frames come from? They are made again here, from their seeds.

A maintainer who changes the survey calls, in Python, ``make.write_stored()`` and keeps the new
files. The codebook, `survey_labels.json`, is written by hand and is not touched.
"""

from importlib.resources import as_file, files
from io import BytesIO
from pathlib import Path

import polars as pl

from unveil.examples.codebook import ORIGINAL, SYNTHETIC
from unveil.examples.donors import synthesise
from unveil.examples.people import survey_people
from unveil.writing import replace_file


def make_frames() -> dict[str, pl.DataFrame]:
    """Both frames as codes, made from their seeds in memory, under their file names."""
    original = survey_people()
    return {ORIGINAL: original, SYNTHETIC: synthesise(original)}


def write_stored(folder: Path | None = None) -> tuple[Path, ...]:
    """Write both frames over the stored ones, or into another existing folder.

    Notes
    -----
    With the same polars the files are the same byte for byte; another version of polars may pack
    the same frames differently.
    """
    if folder is None:
        with as_file(files("unveil.examples")) as package:
            return write_stored(package)
    return tuple(replace_file(folder / name, _pack(f)) for name, f in make_frames().items())


def _pack(frame: pl.DataFrame) -> bytes:
    packed = BytesIO()
    frame.write_parquet(packed, compression="zstd", compression_level=19, statistics=False)
    return packed.getvalue()
