"""Which files does a project name, and how are they read? `[data]`, `[[table]]` and others."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unveil.arguments import is_list, number_in, quote_value
from unveil.errors import InputError, SettingsError, list_names, nearest
from unveil.measure.tables.schemes import parse_scheme
from unveil.measure.utility.replicate_settings import parse_results
from unveil.project.fields import Fields, tables_in
from unveil.project.model import Data, PublishedEntry
from unveil.project.toml import file_fault, unknown_faults
from unveil.protection.plan import FileError
from unveil.study.band_spec import parse_bands

# What does `[data]` say about the original and how it is read, and what of that is wrong?


DATA = (
    *("original", "synthetic", "control", "special_codes", "missing_values", "types"),
    *("labels", "sampling_fraction"),
)
TYPES = ("integer", "number", "text", "date")
"""What a column can be read as."""


def data_faults(
    document: Mapping[str, Any], folder: Path, *, needs_files: bool = True
) -> Iterator[FileError]:
    """What is wrong with the original, the labels and how the columns are read."""
    data = document.get("data")
    if not isinstance(data, dict):
        yield FileError(
            ("data",),
            'there is no [data]. Name the original there: [data] and below it original = "a.csv".',
        )
        return
    yield from unknown_faults(("data",), "[data]", data, DATA)
    if data.get("original") is None:
        yield FileError(("data",), '[data] has no original. Name the file: original = "a.csv".')
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
) -> Iterator[FileError]:
    """What is wrong with the name of one file, where one is given."""
    if given is None:
        return
    if not isinstance(given, str) or not given:
        yield FileError(path, f"{name} is {quote_value(given)}. Name a file, as text.")
    elif needs_files and (fault := file_fault(folder, given)) is not None:
        yield FileError(path, fault)


def texts_of(given: Any) -> tuple[str, ...]:
    """Entries that mean missing, one or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def _codes(codes: Any) -> Iterator[FileError]:
    if not isinstance(codes, dict):
        yield FileError(
            ("data", "special_codes"),
            f"special_codes is {quote_value(codes)}. Write them by column: {{income = [-8]}}.",
        )
        return
    for column, given in codes.items():
        try:
            parse_bands(None, {column: given})
        except SettingsError as fault:
            yield FileError(("data", "special_codes", column), str(fault))


def _types(types: Any) -> Iterator[FileError]:
    if not isinstance(types, dict):
        yield FileError(
            ("data", "types"),
            f'types is {quote_value(types)}. Write them by column: {{age = "integer"}}.',
        )
        return
    for column, given in types.items():
        if not isinstance(given, str) or given not in TYPES:
            hint = nearest(given, TYPES) if isinstance(given, str) else ""
            yield FileError(
                ("data", "types", column),
                f"the type of {quote_value(column)} is {quote_value(given)}.{hint} It must be "
                "one of:"
                f" {list_names(TYPES)}.",
            )


def _fraction(given: Any) -> Iterator[FileError]:
    number = number_in(given)
    if given is not None and (number is None or not 0 < number <= 1):
        yield FileError(
            ("data", "sampling_fraction"),
            f"sampling_fraction is {quote_value(given)}. Write the share of the population that "
            "is in the"
            " original: a number above 0 and at most 1.",
        )


def _missing(given: Any) -> Iterator[FileError]:
    is_list = isinstance(given, list) and all(isinstance(one, str) for one in given)
    if not is_list and not isinstance(given, str):
        yield FileError(
            ("data", "missing_values"),
            'missing_values must be a list of texts that mean missing, such as ["NA", "-9"].',
        )


# Which files are there? `[data]`, `[[published]]` and `[[table]]`; and which `[[finding]]`?


TABLE = (
    *("name", "file", "dims", "count", "layout", "total_label", "weights", "sample"),
    *("levels", "rounding", "total", "margins", "constraints", "structural", "known", "depth"),
    *("given", "n_max", "published", "seed", "nodes", "seconds"),
)
"""Settings of `[[table]]`: the arguments of `unveil.sap` and of the file or people it is about."""
_TEXTS = ("name", "count", "layout", "weights")
_NUMBERED = re.compile(r"Finding (\d+)\b")
_TWICE = re.compile(r"Two findings are called ")


def read_data(
    document: Mapping[str, Any], folder: Path, faults: list[FileError], *, needs_files: bool
) -> Data:
    """`[data]`: the original, its copies, the control, and how they are read."""
    faults.extend(data_faults(document, folder, needs_files=needs_files))
    given = document.get("data")
    data = given if isinstance(given, dict) else {}
    synthetic = _copies(data, folder, faults, needs_files=needs_files)
    control = data.get("control")
    own = [
        *path_faults(("data", "control"), "control", control, folder, needs_files=needs_files),
        *_same_file(data, control),
    ]
    faults.extend(own)
    return Data(
        original=str(data.get("original", "")),
        synthetic=synthetic,
        control=None if own else control,
        labels=data.get("labels"),
        special_codes=_as_mapping(data.get("special_codes")),
        missing_values=_texts(data.get("missing_values", [])),
        types=_as_mapping(data.get("types")),
        sampling_fraction=number_in(data.get("sampling_fraction")),
    )


def _copies(
    data: Mapping[str, Any], folder: Path, faults: list[FileError], *, needs_files: bool
) -> tuple[str, ...]:
    given = data.get("synthetic", [])
    path = ("data", "synthetic")
    if not isinstance(given, list) or not all(isinstance(one, str) and one for one in given):
        sentence = 'synthetic must be a list of files: synthetic = ["copy.csv"].'
        faults.append(FileError(path, sentence))
        return ()
    for place, one in enumerate(given):
        if _normal(one) in [_normal(other) for other in given[:place]]:
            sentence = f"the copy {quote_value(one)} is named twice. Name each copy once."
            faults.append(FileError(path, sentence))
        elif _is_same(data.get("original"), one):
            sentence = (
                f"the original {quote_value(one)} is also named as a synthetic copy. Take it out."
            )
            faults.append(FileError(path, sentence))
        else:
            faults.extend(path_faults(path, "synthetic", one, folder, needs_files=needs_files))
    return tuple(given)


def _same_file(data: Mapping[str, Any], control: Any) -> list[FileError]:
    if not isinstance(control, str) or not control:
        return []
    copies = data.get("synthetic", [])
    if _is_same(data.get("original"), control):
        what = "the original"
    elif isinstance(copies, list) and any(_is_same(one, control) for one in copies):
        what = "a synthetic copy"
    else:
        return []
    sentence = (
        f"control is {quote_value(control)}, which is {what} too. The control holds people who "
        "were not"
        " used to make the copy."
    )
    return [FileError(("data", "control"), sentence)]


def _is_same(one: Any, other: str) -> bool:
    return isinstance(one, str) and bool(one) and _normal(one) == _normal(other)


def _normal(path: str) -> Path:
    return Path(path.replace("\\", "/"))


def _as_mapping(given: Any) -> dict[str, Any]:
    return given if isinstance(given, dict) else {}


def _texts(given: Any) -> tuple[str, ...]:
    return texts_of(given) if isinstance(given, str | list) else ()


def read_published(
    document: Mapping[str, Any], folder: Path, faults: list[FileError], *, needs_files: bool
) -> tuple[PublishedEntry, ...]:
    """Every `[[published]]`: a table that anybody can know already."""
    made = []
    for fields in tables_in(document, "published", faults):
        fields.only(("table", "count"))
        table = fields.text("table", 'Name the file: table = "census.csv".')
        count = (
            fields.text("count", 'Name the column of counts: count = "n".')
            if (fields.has("count"))
            else None
        )
        if table is not None:
            path = (*fields.path, "table")
            faults.extend(path_faults(path, "table", table, folder, needs_files=needs_files))
            made.append(PublishedEntry(table, count))
    return tuple(made)


def read_tables(
    document: Mapping[str, Any], folder: Path, faults: list[FileError], *, needs_files: bool
) -> tuple[Mapping[str, Any], ...]:
    """Every `[[table]]`: counts to be published, of a file or counted from the original."""
    names: set[str] = set()
    read = tables_in(document, "table", faults)
    for fields in read:
        fields.only(TABLE)
        if not fields.has("file") and not fields.has("dims"):
            fields.refuse(
                '[[table]] has neither file nor dims. Name a file of counts: file = "counts.csv";'
                ' or the columns to count in the original: dims = ["sex", "age"].'
            )
        path = (*fields.path, "file")
        given = fields.table.get("file")
        faults.extend(path_faults(path, "file", given, folder, needs_files=needs_files))
        _table(fields)
        name = fields.table.get("name")
        if isinstance(name, str) and name in names:
            fields.refuse(
                f"two tables are called {quote_value(name)}. Give each its own name.", "name"
            )
        names.add(str(name))
    return tuple(fields.table for fields in read)


def _table(fields: Fields) -> None:
    for name in _TEXTS:
        fields.text(name)
    if fields.has("dims"):
        fields.columns("dims", "dims")
    for name in ("total", "sample"):
        fields.truth(name)
    n_max = fields.table.get("n_max", 0)
    if isinstance(n_max, bool) or not isinstance(n_max, int) or n_max < 0:
        fields.refuse(
            f"n_max is {quote_value(n_max)}. It must be a whole number from 0 on: how many "
            "people an"
            " intruder may know.",
            "n_max",
        )
    given = fields.table.get("rounding")
    for scheme in given.values() if isinstance(given, dict) else [given]:
        try:
            if scheme is not None and scheme != "none":
                parse_scheme(scheme)
        except SettingsError as fault:
            fields.refuse(str(fault), "rounding")


def read_findings(
    document: Mapping[str, Any], faults: list[FileError]
) -> tuple[Mapping[str, Any], ...]:
    """Every `[[finding]]`: a published result that a copy should still give."""
    read = tables_in(document, "finding", faults)
    if not read:
        return ()
    try:
        parse_results([fields.table for fields in read])
    except InputError as refusal:
        place: int | None = None
        for sentence in str(refusal).split("\n"):
            if (found := _NUMBERED.match(sentence)) is not None:
                place = int(found[1]) - 1
            elif _TWICE.match(sentence):
                place = _second(sentence, read)
            path = ("finding",) if place is None else ("finding", place)
            faults.append(FileError(path, sentence))
    return tuple(fields.table for fields in read)


def _second(sentence: str, read: list[Fields]) -> int | None:
    """The place of the second finding of a name that a sentence quotes."""
    named = [
        place
        for place, fields in enumerate(read)
        if isinstance(name := fields.table.get("name"), str) and repr(name) in sentence
    ]
    return named[1] if len(named) > 1 else None


def is_counted(table: Mapping[str, Any]) -> bool:
    """Whether a table is counted from the original, not read from a file of counts."""
    return "file" not in table and is_list(table.get("dims"))
