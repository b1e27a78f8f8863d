"""Which files does a project name, and how are they read? `[data]`, `[[table]]` and others."""

import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from unveil.arguments import parse_choice, parse_number_within, parse_whole_number, quote_value
from unveil.errors import InputError, SettingsError, quote_text
from unveil.io.sources import is_there
from unveil.measure.attacks.worlds import ABSENCES, FEWEST_WORLDS, INTRUDERS, MOST_WORLDS
from unveil.measure.tables.schemes import parse_scheme
from unveil.measure.utility.replicate_settings import parse_results
from unveil.project.fields import Fields, table_in, tables_in
from unveil.project.model import Data, ProjectFile, PublishedEntry
from unveil.protection.plan import FileError
from unveil.study.band_spec import parse_bands
from unveil.study.engine import parse_engine, parse_memory
from unveil.study.study import parse_missing

DATA = (
    *("original", "synthetic", "control", "special_codes", "missing_values", "types"),
    *("labels", "sampling_fraction", "utility_sample"),
)
TYPES = ("integer", "number", "text", "date")
"""What a column can be read as."""
TABLE = (
    *("name", "file", "dims", "count", "layout", "total_label", "weights", "sample", "blank"),
    *("levels", "rounding", "total", "margins", "constraints", "structural", "nested", "known"),
    *("depth", "given", "n_max", "published", "seed", "nodes", "seconds", "record_keys"),
)
"""Settings of `[[table]]`: the arguments of `unveil.sap` and of the file or people it is about."""
PUBLICATION = ("plan", "threshold", "width", "seconds")
_TEXTS = ("name", "count", "layout", "weights", "blank", "record_keys")
_NUMBERED = re.compile(r"Published result (\d+)\b")
_TWICE = re.compile(r"Two published results are called ")
_WORKBOOKS = (".xlsx", ".xlsm")


def read_data(document: Mapping[str, Any], faults: list[FileError]) -> Data:
    """`[data]`: the original, its copies, the control, and how they are read."""
    data = document.get("data")
    if not isinstance(data, dict):
        faults.append(
            FileError(
                ("data",),
                "there is no [data]. Name the original there: [data] and below it original ="
                ' "a.csv".',
            )
        )
        return Data("")
    fields = Fields(data, ("data",), faults)
    fields.only(DATA)
    if not fields.has("original"):
        fields.refuse('[data] has no original. Name the file: original = "a.csv".')
    original, control = fields.file("original"), fields.file("control")
    synthetic = _copies(fields, original)
    _check_control(fields, control, original, synthetic)
    return Data(
        original=original or "",
        synthetic=synthetic,
        control=control,
        labels=fields.file("labels"),
        special_codes=fields.by_column("special_codes", "{income = [-8]}", _check_codes),
        missing_values=fields.parse("missing_values", parse_missing) or (),
        types=fields.by_column("types", '{age = "integer"}', _check_type),
        sampling_fraction=fields.parse("sampling_fraction", _parse_fraction),
        utility_sample=fields.parse("utility_sample", _parse_sample),
    )


def read_recognition(document: Mapping[str, Any], faults: list[FileError]) -> dict[str, Any] | None:
    """`[recognition]`: whether a run tests the membership of single people, and how."""
    if "recognition" not in document:
        return None
    fields = table_in(document, "recognition", faults)
    readers: dict[str, Callable[[Any], Any]] = {
        "people": partial(parse_whole_number, "people"),
        "worlds": partial(parse_whole_number, "worlds", least=FEWEST_WORLDS, most=MOST_WORLDS),
        "intruder": lambda given: parse_choice("intruder", given, INTRUDERS),
        "out": lambda given: parse_choice("out", given, ABSENCES),
        "claimed_epsilon": lambda given: parse_number_within("claimed_epsilon", given, "[0, inf)"),
        "command": parse_command,
    }
    fields.only([*readers])
    return {name: fields.parse(name, read) for name, read in readers.items() if fields.has(name)}


def parse_command(given: Any) -> list[str]:
    """The words of a command with places to fill in; never a line for a shell."""
    try:
        words = shlex.split(given) if isinstance(given, str) else [str(word) for word in given]
    except ValueError:
        raise SettingsError("The command has a quotation mark that is not closed.") from None
    lacks = [place for place in ("{data}", "{out}") if place not in " ".join(words)]
    if lacks:
        raise SettingsError(
            f"The command names no {' and no '.join(lacks)}. Write where the program finds its file"
            " and where it writes: mysynth {data} {out} --seed {seed}"
        )
    return words


def _check_codes(column: str, given: Any) -> None:
    parse_bands(None, {column: given})


def _check_type(column: str, given: Any) -> None:
    parse_choice(f"the type of {quote_value(column)}", given, TYPES)


def _parse_sample(given: Any) -> Any:
    why = ', the records of the largest file that utility compares; or "all"'
    return "all" if given == "all" else parse_whole_number("utility_sample", given, why=why)


def _parse_fraction(given: Any) -> float:
    why = ", the share of the population that is in the original"
    return parse_number_within("sampling_fraction", given, "(0, 1]", why)


def _copies(fields: Fields, original: str | None) -> tuple[str, ...]:
    given = fields.table.get("synthetic", [])
    if not isinstance(given, list) or not all(isinstance(one, str) and one for one in given):
        fields.refuse('synthetic must be a list of files: synthetic = ["copy.csv"].', "synthetic")
        return ()
    for place, one in enumerate(given):
        if _normal(one) in [_normal(other) for other in given[:place]]:
            sentence = f"the synthetic file {quote_value(one)} is named twice. Name each file once."
            fields.refuse(sentence, "synthetic")
        elif original and _normal(original) == _normal(one):
            fields.refuse(
                f"the original {quote_value(one)} is also named as a synthetic file. Remove it.",
                "synthetic",
            )
    return tuple(given)


def _check_control(
    fields: Fields, control: str | None, original: str | None, synthetic: Sequence[str]
) -> None:
    """Refuse a control that holds the people it is to be compared with."""
    if not control:
        return
    if original and _normal(control) == _normal(original):
        what = "the original"
    elif _normal(control) in map(_normal, synthetic):
        what = "a synthetic file"
    else:
        return
    fields.refuse(
        f"control is {quote_value(control)}, which is {what} too. The control holds people who"
        " were not used to make the synthetic data.",
        "control",
    )


def _normal(path: str) -> Path:
    return Path(path.replace("\\", "/"))


def missing_files(project: ProjectFile) -> Iterator[FileError]:
    """The files that a project names and that are not there, with where it names them."""
    data = project.data
    named: list[tuple[tuple[str | int, ...], Any]] = [
        (("data", "original"), data.original),
        (("data", "labels"), data.labels),
        (("data", "control"), data.control),
        *((("data", "synthetic"), one) for one in data.synthetic),
        *((("published", n, "table"), one.table) for n, one in enumerate(project.published)),
        *((("table", n, "file"), one.get("file")) for n, one in enumerate(project.tables)),
    ]
    for path, given in named:
        if isinstance(given, str) and given and (fault := file_fault(project.folder, given)):
            yield FileError(path, fault)


def file_fault(folder: Path, given: str) -> str | None:
    """What is said of a file that is not there; None where it is. A sheet may stand behind #."""
    book, mark, _ = given.rpartition("#")
    is_sheet = bool(mark) and book.lower().endswith(_WORKBOOKS)
    if is_there(folder / given) or (is_sheet and is_there(folder / book)):
        return None
    return f"there is no file {quote_text(given)}. Paths start at the folder of the project file."


def read_published(
    document: Mapping[str, Any], faults: list[FileError]
) -> tuple[PublishedEntry, ...]:
    """Every `[[published]]`: a table that anybody can know already."""
    made = []
    for fields in tables_in(document, "published", faults):
        fields.only(("table", "count"))
        table = fields.text("table", 'Name the file: table = "census.csv".')
        need = 'Name the column of counts: count = "n".'
        count = fields.text("count", need) if fields.has("count") else None
        made.append(PublishedEntry(table or "", count))
    return tuple(made)


def read_tables(
    document: Mapping[str, Any], faults: list[FileError]
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
        fields.file("file")
        _table(fields)
        name = fields.table.get("name")
        if isinstance(name, str) and name in names:
            fields.refuse(
                f"two tables are called {quote_value(name)}. Give each its own name.", "name"
            )
        names.add(str(name))
    return tuple(fields.table for fields in read)


def read_publication(
    document: Mapping[str, Any], faults: list[FileError]
) -> Mapping[str, Any] | None:
    """`[publication]`: a plan of many tables, and how `unveil.Plan.disclosed` looks at it."""
    if "publication" not in document:
        return None
    fields = table_in(document, "publication", faults)
    fields.only(PUBLICATION)
    fields.file("plan")
    if not fields.has("plan"):
        fields.refuse('[publication] has no plan. Name the file: plan = "plan.toml".')
        return None
    fields.parse("threshold", lambda given: parse_whole_number("threshold", given, least=2))
    fields.parse("width", lambda given: parse_whole_number("width", given, least=0))
    fields.parse("seconds", lambda given: parse_number_within("seconds", given, "(0, inf)"))
    return dict(fields.table)


def read_engine(document: Mapping[str, Any], faults: list[FileError]) -> dict[str, str]:
    """`[engine]`: who counts the rows of a run, as `--engine`, `--memory` and `--spill` say it."""
    fields = table_in(document, "engine", faults)
    fields.only(("name", "memory", "spill", "address"))
    fields.parse("name", lambda given: parse_engine(str(given)))
    fields.parse("memory", parse_memory)
    given = {name: fields.text(name) for name in ("name", "memory", "spill", "address")}
    return {name: one for name, one in given.items() if one is not None}


def _table(fields: Fields) -> None:
    for name in _TEXTS:
        fields.text(name)
    if fields.has("dims"):
        fields.columns("dims", "dims")
    for name in ("total", "sample"):
        fields.truth(name)
    nested = fields.table.get("nested", {})
    if not isinstance(nested, dict) or not all(isinstance(one, str) for one in nested.values()):
        fields.refuse(
            'nested of [[table]] names pairs of dimensions: { ward = "region" } for wards within'
            " regions.",
            "nested",
        )
    why = ": how many people an intruder may know"
    fields.parse("n_max", lambda given: parse_whole_number("n_max", given, least=0, why=why))
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
