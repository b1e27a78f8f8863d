"""What every call returns: tables of typed rows, sentences and charts.

A capability declares its rows and its result as structs. All else follows from the declaration:
JSON and its schema, CSV, frames, limits, and every face that `unveil.show` draws.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from statistics import fmean, stdev
from typing import (
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    Self,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

import msgspec
import polars as pl

from unveil.errors import InputError, check_name
from unveil.results.units import Count, Text, Truth, Unit

Copy = int | str
"""A number, or mean, sd or pooled."""

R = TypeVar("R", bound="Row")
SIDE = ("version", "copy", "unit")  # which data a row is about, not what
ABOUT = (*SIDE, "m", "target", "")


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One line of a table; the type of a field carries its unit, a plain one is text or count."""

    @classmethod
    @cache
    def units(cls) -> dict[str, Unit]:
        """The unit of each column, in order."""
        hints = get_type_hints(cls, include_extras=True)
        units = {}
        for name in cls.__struct_fields__:
            unit = _annotation(hints[name], Unit) or PLAIN.get(hints[name], Text())
            units[name] = msgspec.structs.replace(unit, title=unit.title or name.replace("_", " "))
        return units

    @classmethod
    @cache
    def dtypes(cls) -> dict[str, Any]:
        """The polars type of each column."""
        hints = get_type_hints(cls)
        return {name: _dtype(hints[name]) for name in cls.__struct_fields__}

    @property
    def subject(self) -> str:
        """What the row is about: its first text."""
        texts = (name for name, unit in self.units().items() if not unit.is_figure)
        return str(self[next((name for name in texts if name not in SIDE), "")] or "")

    def __getitem__(self, column: str) -> Any:
        """A column by its name; those that tell data and targets apart are empty where none is."""
        return getattr(self, column, *[""] * (column in ABOUT))


PLAIN: dict[Any, Unit] = {int: Count(), bool: Truth()}


def _dtype(hint: Any) -> Any:
    kinds = {part for part in (get_args(hint) or (hint,)) if isinstance(part, type)}
    if get_origin(hint) is tuple:
        return pl.List(pl.String)
    if str in kinds:
        return pl.String
    dtypes: dict[type, Any] = {float: pl.Float64, bool: pl.Boolean, int: pl.Int64}
    return next((dtypes[kind] for kind in dtypes if kind in kinds), pl.String)


class Heading(msgspec.Struct, frozen=True):
    """The title of a table, as part of its field's type, and how much of it people see at first."""

    title: str
    columns: tuple[str, ...] = ()  # empty: all
    is_first: bool = False  # whether it stands on the first screen


class Table(msgspec.Struct, frozen=True):
    """One table of a result: what each face draws."""

    name: str
    heading: Heading
    row_type: type[Row]
    rows: Sequence[Row]

    @property
    def units(self) -> dict[str, Unit]:
        return self.row_type.units()

    @property
    def first_rows(self) -> Sequence[Any]:
        """The rows that people see first: of several copies the mean, or else all pooled."""
        copies: dict[str, set[Any]] = {}
        last: dict[str, Any] = {}  # the most copies that are pooled, where tables count them
        for row in self.rows:
            copies.setdefault(row["version"], set()).add(row["copy"])
            last[row["version"]] = max(row["m"], last.get(row["version"], row["m"]))
        summary = {
            version: next((name for name in ("mean", "pooled") if name in of_version), None)
            for version, of_version in copies.items()
        }
        return [
            row
            for row in self.rows
            if summary[row["version"]] in (None, row["copy"]) and row["m"] == last[row["version"]]
        ]

    @property
    def first_columns(self) -> dict[str, Unit]:
        """The columns that people see first; what is empty, or one unit throughout, is no news."""
        rows = self.first_rows
        names = self.heading.columns or tuple(name for name in self.units if name not in SIDE[:2])
        versions = ("version",) if len({row["version"] for row in rows}) > 1 else ()
        values = {name: {row[name] for row in rows} for name in names}
        is_news = {
            name: len(values[name]) > 1 or not (name in SIDE or values[name] <= {None, "", ()})
            for name in names[1:]
        }
        return {name: self.units[name] for name in (*versions, *names) if is_news.get(name, True)}

    def frame(self) -> pl.DataFrame:
        """The rows as a polars frame, unrounded."""
        dtypes = self.row_type.dtypes()
        columns = {
            name: [
                value if value is None or dtype != pl.String else str(value)
                for value in (row[name] for row in self.rows)
            ]
            for name, dtype in dtypes.items()
        }
        return pl.DataFrame(columns, schema=dtypes, strict=False)


class Chart(msgspec.Struct, frozen=True):
    """A picture of one table: a Vega-Lite file of `unveil.show.charts`, and what fills it.

    Without a table it is drawn of single records, `result.points(chart)`, and stands on no page.
    """

    spec: str
    table: str
    title: str
    columns: dict[str, str]  # the names that the file uses, and the columns behind them
    marks: str = ""  # a table; what it has rows of is marked
    meaning_of_marks: str = ""


class Onward(NamedTuple):
    """A call to make next on the same files, and what to say of them besides."""

    call: str
    command: str
    keys: Sequence[str] = ()
    columns: Mapping[str, Mapping[str, Any]] = {}
    drops: Sequence[str] = ()  # options that it does not take
    adds: Sequence[str] = ()  # and words to add


class FileUsed(Row, frozen=True):
    """A file that was read."""

    role: str
    version: str
    copy: Copy
    name: str
    rows: int
    people: int
    sha256: str


class Note(Row, frozen=True):
    """How something was read, or why it was not measured."""

    about: str
    sentence: str


class Result(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """Base of every result; fields that are tuples of rows, with a heading, are its tables."""

    title: ClassVar[str] = ""
    drawings: ClassVar[Mapping[str, Chart]] = {}

    settings: dict[str, Any] = {}
    files: tuple[FileUsed, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def name(self) -> str:
        """The name of the call."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", type(self).__name__).lower()

    @property
    def sentences(self) -> tuple[str, ...]:
        """One for each headline figure."""
        return ()

    @property
    def head(self) -> tuple[str, ...]:
        """The sentences above the tables of the first screen."""
        return ()

    @property
    def foot(self) -> tuple[str, ...]:
        """The sentences below the tables of the first screen."""
        return ()

    @property
    def next(self) -> str:
        """What is worth showing after the first screen."""
        return "words"

    @property
    def step(self) -> str:
        """A command to type next, where it is none of these."""
        return ""

    @property
    def onward(self) -> "Onward | None":
        """The call to make next, where it is another."""
        return None

    @property
    def verdict(self) -> Any:
        """Exit code, status and headline, of a result that gives a verdict."""
        return None

    @property
    def checks(self) -> tuple[Any, ...]:
        """Limits that the result itself was given."""
        return ()

    @property
    def figures(self) -> tuple[Any, ...]:
        """The figures of people that a limit on `beyond` binds."""
        return ()

    @property
    def searched(self) -> int:
        """How many figures were searched for the worst; 0: as many as are told apart."""
        return 0

    @classmethod
    def limited(cls) -> set[str]:
        """The columns that may have a limit."""
        row_types = (row_type for _, row_type in cls.headings().values())
        names = {name for kind in row_types for name, unit in kind.units().items() if unit.limited}
        return names if cls.figures is Result.figures else names | {"beyond"}

    @property
    def tables(self) -> tuple[str, ...]:
        return tuple(self.headings())

    @property
    def charts(self) -> tuple[str, ...]:
        return tuple(self.drawings)

    @property
    def people(self) -> int:
        """How many people the original has."""
        return next((file.people for file in self.files if file.role == "original"), 0)

    def beside(self, study: Any, **about: Any) -> Self:
        """The same with what was asked; it keeps the study, which is not compared or saved."""
        result = msgspec.structs.replace(self, **about)
        vars(result).update(vars(self), _study=study)
        return result

    @property
    def study(self) -> Any:
        """The study that was measured."""
        if "_study" not in vars(self):
            raise InputError("This result was loaded, without its files. Make the call again.")
        return vars(self)["_study"]

    @classmethod
    @cache
    def headings(cls) -> dict[str, tuple[Heading, type[Row]]]:
        """The title and the type of the rows of each table."""
        hints = get_type_hints(cls, include_extras=True)
        return {
            name: (_annotation(hints[name], Heading), get_args(get_args(hints[name])[0])[0])
            for name in cls.__struct_fields__
            if get_origin(hints[name]) is Annotated
        }

    def all_tables(self) -> list[Table]:
        return [
            Table(name, heading, row_type, getattr(self, name))
            for name, (heading, row_type) in self.headings().items()
        ]

    def table(self, name: str = "") -> Table:
        """One table with its rows and units; by default the first."""
        tables = {table.name: table for table in self.all_tables()}
        name = name or next(iter(tables))
        check_name(name, tables, f"{type(self).__name__} has no table")
        return tables[name]

    def frame(self, table: str = "") -> pl.DataFrame:
        """One table as a polars frame, unrounded; by default the first."""
        return self.table(table).frame()

    def chart(self, chart: str = "") -> dict[str, Any]:
        """One chart as a Vega-Lite specification with its data; by default the first."""
        from unveil.show.chart import vega_lite

        return vega_lite(self, chart)

    def points(self, chart: str) -> pl.DataFrame:
        """The records that a chart without a table is drawn of; confidential."""
        raise InputError(f"{type(self).__name__} has no chart {chart!r} of single records.")

    def show(self, *names: str) -> None:
        """Print the first screen, or tables, charts in letters, "words" or "all"."""
        from unveil.show.terminal import screen

        print(screen([self], names))  # noqa: T201

    def save(self, path: str | Path, *names: str) -> Path:
        """Write what the ending says: .json .csv .html .svg .png .pdf."""
        from unveil.show.save import save

        if not isinstance(path, str | Path):
            raise InputError("'path' takes the name of a file: result.json.")
        return save([self], Path(path), names)

    def check(self, limits: Mapping[str, float]) -> tuple[Any, ...]:
        """Hold figures against limits: ``{"beyond": 2, "DiSCO@health": 10}``."""
        from unveil.results.limits import check_limits

        return check_limits(self, limits)

    def document(self) -> dict[str, Any]:
        """What is saved as JSON."""
        return {
            "unveil": 1,
            "result": self.name,
            **(self.verdict._asdict() if self.verdict else {}),
            "settings": self.settings,
            "files": msgspec.to_builtins(self.files),
            "tables": {name: msgspec.to_builtins(getattr(self, name)) for name in self.tables},
            "sentences": list(self.sentences),
            "notes": msgspec.to_builtins(self.notes),
        }

    @classmethod
    def load(cls, path: str | Path) -> "Result":
        """Read a result that was saved as JSON."""
        try:
            document = msgspec.json.decode(Path(path).read_bytes())
            kinds = {kind.__name__.lower(): kind for kind in (cls, *_descendants(cls))}
            kind = kinds[document["result"].replace("_", "")]
            fields = {name: document[name] for name in ("settings", "files", "notes")}
            return msgspec.convert(fields | document["tables"], kind)
        except OSError:
            raise InputError(f"There is no file {str(path)!r} that can be read.") from None
        except (msgspec.MsgspecError, LookupError, TypeError, AttributeError):
            raise InputError(
                f"{str(path)!r} is no result of this version. Make the call again and save it."
            ) from None

    @classmethod
    def json_schema(cls) -> dict[str, Any]:
        """JSON schema of the tables, each column with its title and meaning."""
        schema = msgspec.json.schema(cls)
        for _, row_type in cls.headings().values():
            fields = schema["$defs"][row_type.__name__]["properties"]
            for name, unit in row_type.units().items():
                about = {"title": unit.title, "description": unit.meaning, "source": unit.source}
                fields[name] |= {key: text for key, text in about.items() if text}
        return schema

    def __repr__(self) -> str:
        from unveil.show.terminal import screen

        return screen([self])

    def _repr_html_(self) -> str:
        from unveil.show.page import fragment

        return fragment([self])


def _descendants(kind: type[Result]) -> Iterator[type[Result]]:
    for child in kind.__subclasses__():
        yield child
        yield from _descendants(child)


def to_json(results: Sequence[Result], checks: Sequence[Row] = ()) -> str:
    """One document: the first result, with tables and sentences of the others beside its own."""
    first, *others = (result.document() for result in results)
    if checks:
        first["checks"] = msgspec.to_builtins(checks)
    for document in others:
        same = first["tables"].keys() & document["tables"].keys()
        names = {
            name: f"{document['result']}.{name}" if name in same else name
            for name in document["tables"]
        }
        first["tables"] |= {names[name]: rows for name, rows in document["tables"].items()}
        for part in ("sentences", "notes"):
            first[part] += document[part]
    return msgspec.json.format(msgspec.json.encode(first), indent=2).decode()


def with_mean(rows: Sequence[R]) -> list[R]:
    """Rows of the copies of each version, their mean and sd, then the row of all pooled."""
    rows_and_means: list[R] = []
    for version in dict.fromkeys(row["version"] for row in rows):
        of_version = [row for row in rows if row["version"] == version]
        copies = [row for row in of_version if row["copy"] != "pooled"]
        rows_and_means += copies
        if len(copies) > 1:
            rows_and_means += [_over(copies, "mean", fmean), _over(copies, "sd", stdev)]
        rows_and_means += [row for row in of_version if row["copy"] == "pooled"]
    return rows_and_means


def _over(rows: Sequence[R], copy: str, summary: Any) -> R:
    values = {
        name: [row[name] for row in rows]
        for name, dtype in rows[0].dtypes().items()
        if dtype == pl.Float64
    }
    figures = {name: None if None in column else summary(column) for name, column in values.items()}
    return msgspec.structs.replace(rows[0], copy=copy, **figures)


def _annotation(hint: Any, kind: type) -> Any:
    return next((extra for extra in get_args(hint)[1:] if isinstance(extra, kind)), None)
