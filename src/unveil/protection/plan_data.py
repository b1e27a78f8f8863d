"""What does `[data]` say about the original and how it is read, and what of that is wrong?"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unveil.errors import SettingsError, listed, nearest
from unveil.protection.plan import Fault
from unveil.protection.plan_faults import file_fault, unknown_faults
from unveil.read.banding import parse_bands
from unveil.read.given import number_in, shown

DATA = (
    *("original", "synthetic", "control", "special_codes", "missing_values", "types"),
    *("labels", "sampling_fraction"),
)
TYPES = ("integer", "number", "text", "date")
"""What a column can be read as."""


def data_faults(
    document: Mapping[str, Any], folder: Path, *, needs_files: bool = True
) -> Iterator[Fault]:
    """What is wrong with the original, the labels and how the columns are read."""
    data = document.get("data")
    if not isinstance(data, dict):
        yield Fault(
            ("data",),
            'there is no [data]. Name the original there: [data] and below it original = "a.csv".',
        )
        return
    yield from unknown_faults(("data",), "[data]", data, DATA)
    if data.get("original") is None:
        yield Fault(("data",), '[data] has no original. Name the file: original = "a.csv".')
    for name in ("original", "labels"):
        yield from path_faults(
            ("data", name), name, data.get(name), folder, needs_files=needs_files
        )
    yield from _codes(data.get("special_codes", {}))
    yield from _types(data.get("types", {}))
    yield from _missing(data.get("missing_values", []))
    yield from _fraction(data.get("sampling_fraction"))


def path_faults(
    path: tuple[str | int, ...], name: str, given: Any, folder: Path, *, needs_files: bool = True
) -> Iterator[Fault]:
    """What is wrong with the name of one file, where one is given."""
    if given is None:
        return
    if not isinstance(given, str) or not given:
        yield Fault(path, f"{name} is {shown(given)}. Name a file, as text.")
    elif needs_files and (fault := file_fault(folder, given)) is not None:
        yield Fault(path, fault)


def texts_of(given: Any) -> tuple[str, ...]:
    """Entries that mean missing, one or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def _codes(codes: Any) -> Iterator[Fault]:
    if not isinstance(codes, dict):
        yield Fault(
            ("data", "special_codes"),
            f"special_codes is {shown(codes)}. Write them by column: {{income = [-8]}}.",
        )
        return
    for column, given in codes.items():
        try:
            parse_bands(None, {column: given})
        except SettingsError as fault:
            yield Fault(("data", "special_codes", column), str(fault))


def _types(types: Any) -> Iterator[Fault]:
    if not isinstance(types, dict):
        yield Fault(
            ("data", "types"),
            f'types is {shown(types)}. Write them by column: {{age = "integer"}}.',
        )
        return
    for column, given in types.items():
        if not isinstance(given, str) or given not in TYPES:
            hint = nearest(given, TYPES) if isinstance(given, str) else ""
            yield Fault(
                ("data", "types", column),
                f"the type of {shown(column)} is {shown(given)}.{hint} It must be one of:"
                f" {listed(TYPES)}.",
            )


def _fraction(given: Any) -> Iterator[Fault]:
    number = number_in(given)
    if given is not None and (number is None or not 0 < number <= 1):
        yield Fault(
            ("data", "sampling_fraction"),
            f"sampling_fraction is {shown(given)}. Write the share of the population that is in the"
            " original: a number above 0 and at most 1.",
        )


def _missing(given: Any) -> Iterator[Fault]:
    is_list = isinstance(given, list) and all(isinstance(one, str) for one in given)
    if not is_list and not isinstance(given, str):
        yield Fault(
            ("data", "missing_values"),
            'missing_values must be a list of texts that mean missing, such as ["NA", "-9"].',
        )
