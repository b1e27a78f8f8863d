"""What does a plan file say: which tables, of whom, published how?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unveil.arguments import is_list, parse_true_or_false, parse_whole_number, quote_value
from unveil.errors import RolesError, SettingsError, hint_at, list_names
from unveil.io.read_toml import parse_document, read_text
from unveil.measure.tables.crosstab import HIDDEN_MARKS
from unveil.seeding import choose_seed
from unveil.study.roles import names

MOST_TABLES = 4096
THRESHOLD = 5
_WEIGHTED = ("weights", "weight", "weighted")


@dataclass(frozen=True)
class TableSettings:
    """One table of the plan."""

    name: str
    by: tuple[str, ...]
    where: Mapping[str, Any]
    bands: Mapping[str, tuple[int, ...]]
    publish: Any
    """A scheme, or one for each part, as in `PublishedTable`."""
    margins: Any
    total: bool
    file: Any
    """Published values as they are; None: published from the microdata."""
    value: str | None
    secondary: bool
    """Whether some values are suppressed only to protect others."""
    population: str


@dataclass(frozen=True)
class GroupSettings:
    """A column whose levels are groups of those of another."""

    of: str
    groups: Mapping[str, tuple[str, ...]] | None
    """None: as the microdata say."""


@dataclass(frozen=True)
class PlanSettings:
    """A publication plan, as it is written down."""

    tables: tuple[TableSettings, ...]
    data: Any = None
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Of columns whose order is declared."""
    ranges: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    """Of columns of numbers: the least, and the one after the largest."""
    groups: Mapping[str, GroupSettings] = field(default_factory=dict)
    apart: frozenset[str] = frozenset()
    """Columns whose levels say nothing of those of others, though the data link them."""
    missing_values: tuple[str, ...] = ()
    hidden: tuple[str, ...] = HIDDEN_MARKS
    threshold: int = THRESHOLD
    record_keys: str | None = None
    """Of cell keys: the column of each person's secret key; None: drawn by the seed."""
    seed: int = 0

    def base(self, column: str) -> str:
        """The column whose levels make up those of this one."""
        while column in self.groups:
            column = self.groups[column].of
        return column


def read_plan_file(path: Any, seed: int | None = None) -> PlanSettings:
    """The plan in a TOML file; files it names are looked for beside it."""
    file = Path(path)
    document = parse_document(file.name, read_text(file, "a plan file"))
    return parse_plan({"seed": seed, **document}, folder=file.parent)


def parse_plan(given: Mapping[str, Any], folder: Path | None = None) -> PlanSettings:
    """A plan as a mapping, of the form of the file."""
    known = (
        *("data", "threshold", "record_keys", "seed", "missing_values", "hidden", "columns"),
        "table",
    )
    _check_known(given, known, "The plan")
    entries = given.get("table", ())
    if not is_list(entries) or len(entries) > MOST_TABLES:
        raise SettingsError(
            f"The tables of a plan are a list, one [[table]] for each, at most {MOST_TABLES:,}."
        )
    tables = tuple(_parse_table(one, i, folder) for i, one in enumerate(entries, 1))
    twice = [one.name for i, one in enumerate(tables) if one.name in {t.name for t in tables[:i]}]
    if twice:
        raise SettingsError(f"Two tables of the plan are called {quote_value(twice[0])}.")
    levels, ranges, groups, apart = _parse_columns(given.get("columns", {}))
    made = PlanSettings(
        tables=tables,
        data=_place(given.get("data"), folder),
        levels=levels,
        ranges=ranges,
        groups=groups,
        apart=apart,
        missing_values=_texts(given.get("missing_values", ()), "missing_values"),
        hidden=_texts(given.get("hidden", HIDDEN_MARKS), "hidden"),
        threshold=parse_whole_number("threshold", given.get("threshold", THRESHOLD), least=2),
        record_keys=_parse_record_keys(given.get("record_keys"), tables),
        seed=choose_seed(given.get("seed")),
    )
    if made.data is not None and len({table.population for table in tables}) > 1:
        raise SettingsError(
            "The tables of the plan have different populations, but people's records are of one."
            " Give tables of other people a plan of their own."
        )
    for table in tables:
        if table.file is None and made.data is None:
            raise SettingsError(
                f"Table {quote_value(table.name)} has no file of published values, and the plan has"
                " no data to make them from. Give the table a file, or the plan data."
            )
    return made


def _parse_record_keys(given: Any, tables: Sequence[TableSettings]) -> str | None:
    if given is not None and not isinstance(given, str):
        raise SettingsError(
            f"record_keys is {quote_value(given)}. Name the column of each person's secret key."
        )
    if any(given in (*table.by, *table.where) for table in tables if given is not None):
        raise SettingsError(f"Column {given!r} holds record keys: no table can count by it.")
    return given


def _check_known(given: Any, known: Sequence[str], where: str) -> None:
    if not isinstance(given, Mapping):
        raise SettingsError(f"{where} is {quote_value(given)}, not settings by name.")
    for key in given:
        if key not in known:
            raise SettingsError(
                f"{where} has no setting {quote_value(key)}.{hint_at(str(key), known)} Its settings"
                f" are: {list_names(known)}."
            )


def _place(given: Any, folder: Path | None) -> Any:
    if isinstance(given, str) and folder is not None:
        return str(folder / given)
    return given


def _place_schemes(given: Any, folder: Path | None) -> Any:
    """Schemes, with the file of a table of probabilities looked for beside the plan."""
    if isinstance(given, Mapping):
        return {part: _place_schemes(one, folder) for part, one in given.items()}
    kind, _, file = given.partition(":") if isinstance(given, str) else ("", "", "")
    is_file = folder is not None and kind.strip().lower() == "cellkey" and "." in Path(file).name
    if is_file and folder is not None and (folder / file.strip()).is_file():
        return f"{kind}:{folder / file.strip()}"
    return given


def _texts(given: Any, what: str) -> tuple[str, ...]:
    found = [given] if isinstance(given, str) else given
    if not is_list(found) or not all(isinstance(one, str) for one in found):
        raise SettingsError(f"{what} is {quote_value(given)}. It must be a list of texts.")
    return tuple(found)


_TABLE = (
    *("name", "by", "where", "bands", "publish", "margins", "total", "file", "value"),
    *("secondary", "population"),
)


def _parse_table(given: Any, number: int, folder: Path | None) -> TableSettings:
    if not isinstance(given, Mapping):
        raise SettingsError(f"Table {number} of the plan is {quote_value(given)}, not settings.")
    name = given.get("name", f"Table {number}")
    if not isinstance(name, str) or not name.strip():
        raise SettingsError(f"The name of table {number} is {quote_value(name)}. Give it a text.")
    where = f"Table {quote_value(name)}"
    if any(key in given for key in _WEIGHTED):
        raise SettingsError(
            f"{where} is weighted. Weighted tables do not count whole people, and cannot be part"
            " of a plan: omit it, or publish the unweighted counts."
        )
    _check_known(given, _TABLE, where)
    filters = given.get("where", {})
    if not isinstance(filters, Mapping):
        raise SettingsError(
            f'{where} has a filter that is {quote_value(filters)}. Write {{ age = ">= 16", year ='
            " 2025 }: filters are joined by and; split a table that joins them by or."
        )
    margins = given.get("margins")
    return TableSettings(
        name=name,
        by=_parse_by(given.get("by", ()), where),
        where=dict(filters),
        bands=_parse_bands(given.get("bands", {}), where),
        publish=_place_schemes(given.get("publish", "exact"), folder),
        margins=margins,
        total=parse_true_or_false(f"{where}: total", given.get("total", margins == "all")),
        file=_place(given.get("file"), folder),
        value=given.get("value"),
        secondary=parse_true_or_false(f"{where}: secondary", given.get("secondary", False)),
        population=str(given.get("population", "")),
    )


def _parse_by(given: Any, where: str) -> tuple[str, ...]:
    try:
        found = names(given, "Columns")
    except RolesError as fault:
        raise RolesError(f"{where}: {fault}") from None
    if not found:
        raise RolesError(f"{where} names no columns. Say by which it counts: by = ['sex', 'age'].")
    return found


def _parse_bands(given: Any, where: str) -> dict[str, tuple[int, ...]]:
    if not isinstance(given, Mapping):
        raise SettingsError(f"{where} has bands that are {quote_value(given)}, not by column.")
    made = {}
    for column, breaks in given.items():
        asked = [*breaks] if is_list(breaks) else []
        found = [
            parse_whole_number(f"{where}: a band of {column!r}", b, least=-(10**9)) for b in asked
        ]
        if not found or found != sorted(set(found)):
            raise SettingsError(
                f"{where} has bands of column {column!r} that are no list of rising whole numbers."
                " Write where each band begins: [0, 16, 25, 65]."
            )
        made[str(column)] = tuple(found)
    return made


def _parse_columns(
    given: Any,
) -> tuple[
    dict[str, tuple[str, ...]],
    dict[str, tuple[int, int]],
    dict[str, GroupSettings],
    frozenset[str],
]:
    levels: dict[str, tuple[str, ...]] = {}
    ranges: dict[str, tuple[int, int]] = {}
    groups: dict[str, GroupSettings] = {}
    apart: set[str] = set()
    if not isinstance(given, Mapping):
        raise SettingsError(f"columns is {quote_value(given)}. Write [columns.region] and so on.")
    for name, one in given.items():
        where = f"Column {name!r} of the plan"
        _check_known(one, ("levels", "range", "of", "groups", "apart"), where)
        n_given = sum(key in one for key in ("levels", "range", "of"))
        if parse_true_or_false(f"{where}: apart", one.get("apart", False)):
            apart.add(name)
        if not n_given and name in apart:
            continue
        if n_given != 1 or ("groups" in one and "of" not in one):
            raise SettingsError(
                f"{where} needs one of three settings: levels, its levels in order; range, the"
                " least and the largest number; or of, the column whose levels it groups."
            )
        if "range" in one:
            ends = [*one["range"]] if is_list(one["range"]) else []
            found = [parse_whole_number(f"{where}: range", end, least=-(10**9)) for end in ends]
            if len(found) != 2 or found[0] > found[1]:
                raise SettingsError(f"{where}: range must be two numbers, such as [0, 110].")
            ranges[name] = found[0], found[1] + 1
        elif "levels" in one:
            asked = one["levels"] if is_list(one["levels"]) else ()
            levels[name] = tuple(str(level) for level in asked)
            if not levels[name] or len(set(levels[name])) < len(levels[name]):
                raise SettingsError(f"{where}: levels must be a list with each level once.")
        else:
            groups[name] = GroupSettings(str(one["of"]), _parse_groups(one.get("groups"), where))
    _check_rings(groups)
    return levels, ranges, groups, frozenset(apart)


def _check_rings(groups: Mapping[str, GroupSettings]) -> None:
    for name in groups:
        seen = [name]
        while seen[-1] in groups:
            seen.append(groups[seen[-1]].of)
            if seen[-1] in seen[:-1]:
                raise SettingsError(f"Column {name!r} of the plan groups itself.")


def _parse_groups(given: Any, where: str) -> dict[str, tuple[str, ...]] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping) or not all(is_list(one) for one in given.values()):
        raise SettingsError(
            f"{where} has groups that are no lists of levels. Write groups = {{ North ="
            ' ["Leeds", "York"] }.'
        )
    made = {str(name): tuple(str(level) for level in one) for name, one in given.items()}
    members = [level for one in made.values() for level in one]
    if len(set(members)) < len(members):
        raise SettingsError(f"{where} has a level in two groups. Put each into one.")
    return made
