"""What does a file of R (.rds) hold? One data frame, read by pyreadr into a frame of pandas.

Factors become their texts. What R's packages attach to columns, such as labels, is no part of the
table: of a synthetic file it is looked at by itself. Lists are not read; pyreadr either passes over
them or takes them for a damaged file.
"""

import os
import warnings
from pathlib import Path
from typing import Any

from unveil.errors import ReadError
from unveil.io.rds_attributes import read_beside
from unveil.io.read_frames import from_pandas
from unveil.io.table import choose, note_beside
from unveil.io.wire import ParsedFile, ReadRequest

_NO_READER = (
    "{place} is a file of R, which needs the extra 'rds': pip install 'unveil[rds]'. Or save it "
    "in R as CSV, with write.csv(x, 'file.csv', row.names = FALSE)."
)
_SAVE_ONE = (
    "In R, save one data frame: saveRDS(x, 'file.rds'); of what synthpop made, saveRDS(x$syn, "
    "'file.rds'), or x$syn[[1]] and so on where it made several."
)


def parse(question: ReadRequest) -> ParsedFile:
    """The data frame; only the columns asked for, in that order, where they are given."""
    try:
        import pandas  # noqa: F401  (pyreadr needs it, and does not always bring it)
        import pyreadr
    except ImportError:
        raise ReadError(_NO_READER.format(place=question.place)) from None
    try:
        with warnings.catch_warnings(action="ignore"):
            found = pyreadr.read_r(os.fsdecode(question.path))
    except pyreadr.LibrdataError:
        raise ReadError(
            f"{question.place} is damaged, or holds a list, which cannot be read. {_SAVE_ONE}"
        ) from None
    frame: Any = found.get(None)
    if frame is None:
        raise ReadError(f"{question.place} holds no data frame. {_SAVE_ONE}")
    names = [str(name) for name in frame.columns]
    frame.columns = names
    wanted = choose(names, question.columns, question.place)
    if not len(frame):
        raise ReadError(
            f"{question.place} has columns but no rows. Check that its export was finished."
        )
    made = from_pandas(frame, wanted, question.place)
    if not question.side.startswith("synthetic"):
        return ParsedFile(made)
    beside, said = read_beside(Path(os.fsdecode(question.path)))
    notes = tuple(note_beside(question.side, sentence) for sentence in said)
    return ParsedFile(made, None, notes, tuple(beside))
