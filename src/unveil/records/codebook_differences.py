"""What `unveil.compare_structure` found: how a copy is built otherwise than its original."""

from typing import Literal

from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.version import __version__

DifferenceKind = Literal[
    "only original",
    "only synthetic",
    "name",
    "kind",
    "written as",
    "recoded",
    "contradiction",
    "category",
    "missing",
    "range",
    "order",
    "label",
    "category label",
    "measure",
    "format",
    "undeclared",
]
"""The worst first: what would keep the files from being used for each other."""


class Difference(Record, frozen=True, kw_only=True):
    """One way in which the copy is built otherwise."""

    kind: DifferenceKind
    variable: str | None  # by its name in the original, where it is there; None: the whole file
    original: str | None  # what the original has, in a few words
    synthetic: str | None
    sentence: str
    remedy: str  # what to do about it


class CodebookDifferences(Record, frozen=True, kw_only=True):
    """How the structure of a copy differs from its original's."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]  # the original's first
    n_variables_original: int
    n_variables_synthetic: int
    n_alike: int  # columns of the original that nothing is said about
    rows: tuple[Difference, ...]  # the worst first, then in the order of the file
    coercions: tuple[Coercion, ...]
