"""How a text file is to be read, where it was misread: ``-c :delimiter=;``."""

from typing import Literal

import msgspec


class Reading(msgspec.Struct, frozen=True):
    """What is said of a file rather than of a column; empty: found from the file."""

    delimiter: Literal["", ",", ";", "tab", "|", ":", "space"] = ""
    decimal: Literal["", ".", ","] = ""
    encoding: str = ""
    dates: Literal["", "day first", "month first"] = ""
    codebook: str = ""  # a table of column, code and label
