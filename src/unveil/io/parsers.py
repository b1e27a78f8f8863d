"""Which parser reads which kind of file, and what is said when it cannot?

Parsers of other people's formats fail in every way there is, with messages that may quote data:
whatever is not an error of ours becomes one sentence.
"""

from collections.abc import Callable
from importlib import import_module

import polars as pl

from unveil.errors import ReadError, UnveilError
from unveil.io.memory import size_text
from unveil.io.wire import ParsedFile, ReadRequest

# Each in a module of its own, entered when a file of its kind is read.
_HOMES = {
    "spss": "read_stat",
    "portable": "read_stat",
    "stata": "read_stat",
    "sas": "read_stat",
    "transport": "read_stat",
    "excel": "read_excel",
    "parquet": "read_parquet",
    "rds": "read_rds",
}

NAMES = {
    "spss": "an SPSS file",
    "portable": "a portable SPSS file",
    "stata": "a Stata file",
    "sas": "a SAS file",
    "transport": "a SAS transport file",
    "excel": "an Excel workbook",
    "parquet": "a Parquet file",
    "rds": "an R file",
    "gzip": "a gzip file",
}


def parse(question: ReadRequest) -> ParsedFile:
    """What the file holds; every failure is an error of ours."""
    try:
        module = import_module(f"unveil.io.{_HOMES[question.kind]}")
        parser: Callable[[ReadRequest], ParsedFile] = module.parse
        return parser(question)
    except UnveilError:
        raise
    except MemoryError:
        raise ReadError(too_large_sentence(question)) from None
    except (Exception, pl.exceptions.PanicException):
        raise ReadError(damaged_sentence(question.kind, question.place)) from None


def damaged_sentence(kind: str, place: str) -> str:
    """The sentence for a file whose beginning is right and whose rest is not."""
    return (
        f"{place} is damaged: it begins as {NAMES[kind]} but cannot be read to its end. "
        "Export or copy it again."
    )


def too_large_sentence(question: ReadRequest) -> str:
    """The sentence for a file that memory cannot hold."""
    return (
        f"{question.place} has {size_text(question.n_bytes)} and needs more memory than is free. "
        "Close other programs, read fewer columns, or use a machine with more memory."
    )
