"""What does a file of R (.rds) hold? One data frame, read by pyreadr, which brings pandas.

Factors become their texts. What R's packages attach to columns, such as labels, is not read.
"""

import os
from typing import Any

from unveil.errors import ReadError
from unveil.read.columns import choose
from unveil.read.pandas import from_pandas
from unveil.read.wire import Parsed, Question

_NO_READER = (
    "{place} is a file of R, which needs the extra 'rds': pip install 'unveil[rds]'. Or save it "
    "in R as CSV, with write.csv(x, 'file.csv', row.names = FALSE)."
)


def parse(question: Question) -> Parsed:
    """The data frame; only the columns asked for, in that order, where they are given."""
    try:
        import pyreadr
    except ImportError:
        raise ReadError(_NO_READER.format(place=question.place)) from None
    found = pyreadr.read_r(os.fsdecode(question.path))
    frame: Any = found.get(None)
    if frame is None:
        raise ReadError(
            f"{question.place} holds no data frame. In R, save one with saveRDS(x, 'file.rds')."
        )
    names = [str(name) for name in frame.columns]
    frame.columns = names
    wanted = choose(names, question.columns, question.place)
    if not len(frame):
        raise ReadError(
            f"{question.place} has columns but no rows. Check that its export was finished."
        )
    return Parsed(from_pandas(frame, wanted, question.place))
