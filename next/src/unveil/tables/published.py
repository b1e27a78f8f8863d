"""`PublishedTable`: one table of counts, and what is published of it and of its margins."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from secrets import randbits
from typing import Annotated, Any, NamedTuple

import numpy as np
import polars as pl

from unveil.arguments import File, Form, Names, SecretSeed, Texts, as_names, checked, split_targets
from unveil.counts.cells import Floats, Ints
from unveil.data.read import OpenFile
from unveil.errors import InputError, check_name, list_names
from unveil.results import FileUsed, Note
from unveil.study import Study
from unveil.tables.schemes import (
    Scheme,
    draw,
    intervals,
    is_possible,
    parse_scheme,
    round_together,
)
from unveil.tables.system import Fact, Sums, System, Truths, system_of

Part = tuple[str, ...]
"""The dimensions of a margin: all of them are the table, none the total."""

MOST_CELLS, MOST_DIMS = 100_000, 12
OTHERS = ""  # in `publish`: all that is published and not named


class Values(NamedTuple):
    """What is published of one part: a value for each cell, NaN where hidden, and its bounds."""

    scheme: Scheme
    shown: Floats
    lower: Floats
    upper: Floats
    is_pair: Truths  # published as an interval


def _parse_publish(texts: Sequence[str]) -> Any:
    """``conventional:5``, or a scheme for each part: ``total=exact``."""
    named = {part: scheme for text in texts for part, _, scheme in [text.rpartition("=")]}
    return named[OTHERS] if [*named] == [OTHERS] else named


def _parse_nested(texts: Sequence[str]) -> dict[str, str]:
    pairs = [text.split("=") for text in texts]
    if any(len(pair) != 2 for pair in pairs):
        raise InputError("'nested' takes a dimension and the one it lies in: ward=region.")
    return {inner.strip(): outer.strip() for inner, outer in pairs}


Counts = Annotated[Any, Form("whole numbers in nested lists or an array", "COUNTS", list)]
Publish = Annotated[Any, Form("a scheme, or one for each part", "[PART=]SCHEME", _parse_publish)]
Margins = Annotated[Any, Form("all, total, or columns", "NAMES", split_targets)]
Published = Annotated[Any, Form("a mapping of parts to values", "VALUES", list)]


class PublishedTable:
    """A cross-classification of people: its true counts, and what is published of them.

    It holds the true counts and is confidential; `frame` gives what may be published.

    Parameters
    ----------
    counts
        How many people are in each cell; None where only `published` is known.
    dims
        The names of the dimensions.
    levels
        The levels of each dimension, in the order of the counts.
    publish
        How values are changed: exact, conventional:5, random:3, controlled:3, suppress:5, noise:2;
        or a scheme for each part, total=exact; none is not published.
    margins
        Which sums are published too: all, total, or dimensions, sex,age+region.
    published
        Values of parts that were drawn elsewhere: None is hidden, a pair an interval.
    structural
        Cells that nobody can be in: sex=m,age=2.
    nested
        A dimension, and the one that each of its levels lies in: ward=region.
    seed
        Of the values that are drawn. Keep it secret: it undoes them.
    """

    @checked
    def __init__(
        self,
        counts: Counts,
        *,
        dims: Names = (),
        levels: Sequence[Sequence[Any]] = (),
        publish: Publish = "exact",
        margins: Margins = (),
        published: Published = None,
        structural: Texts = (),
        nested: Annotated[
            Mapping[str, str],
            Form("a mapping of dimensions", "DIM=DIM", _parse_nested),
        ] = {},
        seed: SecretSeed = None,
    ) -> None:
        given = {} if published is None else published
        if not isinstance(given, Mapping):
            raise InputError("'published' takes a mapping of parts to values, as {'table': ...}.")
        is_open = counts is None
        if is_open:
            counts = np.zeros([*map(len, levels)]) if levels else _as_zeros(given.get("table"))
        array = _as_counts(counts)
        self.counts: Floats | None = None if is_open else array.reshape(-1)
        self.shape = array.shape
        self.dims = as_names(dims) or tuple(f"dim{axis + 1}" for axis in range(array.ndim))
        self.levels = self._name_levels(levels)
        self.nested = dict(nested)
        self.structural = tuple(structural)
        self.impossible = self._find_impossible()
        self.seed = randbits(31) if seed is None else seed
        self.schemes = self._choose_schemes(publish, margins, given)
        self.parts = self._publish(given)
        self.files: tuple[OpenFile, ...] = ()
        self.notes: tuple[Note, ...] = ()
        self.unit = "people"

    @classmethod
    def read(cls, file: File, dims: Names = (), **settings: Any) -> "PublishedTable":
        """Read a table of counts: a row for each cell, a cross-table, or an office's sheet.

        Parameters
        ----------
        file
            A file or frame with a column of counts, or counts across; book.xlsx#sheet.
        dims
            The names of the dimensions of a cross-table; of a long file, which columns they are.
        settings
            As of a `PublishedTable`.
        """
        from unveil.tables.reading import read_counts

        source = read_counts(file, as_names(dims))
        table = cls(source.counts, **source.settings | settings)
        table.files = source.files
        table.notes = (*source.notes, *table.notes)
        return table

    @classmethod
    def count(cls, study: Study, dims: Names, **settings: Any) -> "PublishedTable":
        """Count the people of a study by some of its columns, in its bands.

        Parameters
        ----------
        study
            The original, its bands, persons and weights.
        dims
            The columns whose levels are crossed.
        settings
            As of a `PublishedTable`.
        """
        if not isinstance(study, Study):
            raise InputError("'study' takes a Study of people's records.")
        names = as_names(dims)
        if not names:
            raise InputError("'dims' takes a column or several. Name what people are counted by.")
        notes = []
        crossed = study.crossed(names)
        people, levels, codes = crossed.person, [], []
        for name in names:
            column = study.column(name)
            occurring, code = np.unique(crossed.codes[name], return_inverse=True)
            levels.append(without_gap([column.texts[level] for level in occurring]))
            codes.append(code)
        shape = tuple(map(len, levels))
        check_size(shape)
        cell = np.ravel_multi_index(codes, shape)
        weights = [n for n, column in study.columns.items() if column.role == "weight"]
        if weights:
            weight = study.original[weights[0]].cast(pl.Float64, strict=False).to_numpy()
            if not (weight >= 0).all() or (weight % 1).any():
                raise InputError(
                    f"The weights {weights[0]!r} are no whole numbers from 0 on. Tables count"
                    " people: leave the weights out (ignore)."
                )
            counts = np.bincount(cell, weight, int(np.prod(shape)))
        elif crossed.n is not None:
            counts = np.bincount(cell, crossed.n, int(np.prod(shape))).astype(np.float64)
        else:
            pairs = np.unique(np.stack([people, cell]), axis=1)
            counts = np.bincount(pairs[1], minlength=int(np.prod(shape))).astype(np.float64)
            several = int((np.bincount(pairs[0]) > 1).sum())
            if several:
                sentence = f"{several:,} {study.unit} have records in several cells: in each once."
                notes.append(Note(about="table", sentence=sentence))
        if study.fraction is not None and study.fraction < 1:
            sentence = "The table counts a sample. SAP assumes it is known who is in it."
            notes.append(Note(about="sap", sentence=sentence))
        about = {"dims": names, "levels": levels}
        table = cls(counts.reshape(shape), **about | settings)
        table.files, table.notes, table.unit = (study.files[0],), tuple(notes), study.unit
        return table

    def suppressed(
        self, *, below: int = 5, keep: Sequence[str] = (), hide: Sequence[str] = ()
    ) -> "PublishedTable":
        """Hide counts below a number, and as few others as it takes that none is worked out.

        Parameters
        ----------
        below
            Counts from 1 to one less are hidden; readers are taken to know it.
        keep
            Values that stay, because they are published already: region=Ash,sex=m.
        hide
            Values that are hidden for another reason.
        """
        from unveil.tables.suppression import suppress_table

        return suppress_table(self, below, keep, hide)

    def __repr__(self) -> str:
        parts = (f"{self.part_name(part)} {scheme}" for part, scheme in self.schemes.items())
        return f"Table of {', '.join(self.dims)}. Published: {'; '.join(parts)}."

    def republish(self, schemes: Any, seed: int | None = None, **given: Any) -> "PublishedTable":
        """The same counts with other schemes for the same parts, or other values."""
        names = dict.fromkeys(self.schemes, str(schemes))
        table = PublishedTable(
            None if self.counts is None else self.counts.reshape(self.shape), dims=self.dims,
            levels=self.levels, publish=schemes if isinstance(schemes, Mapping) else names,
            structural=self.structural, nested=self.nested,
            seed=self.seed if seed is None else seed, **given,
        )  # fmt: skip
        table.files, table.notes, table.unit = self.files, self.notes, self.unit
        return table

    # Cells and sums of them

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    @property
    def people(self) -> int:
        """How many people the table counts, as far as it is known."""
        return 0 if self.counts is None else int(self.counts.sum())

    @cached_property
    def all_parts(self) -> tuple[Part, ...]:
        """The table, every margin, and the total."""
        sizes = range(len(self.dims), -1, -1)
        return tuple(part for size in sizes for part in combinations(self.dims, size))

    @cached_property
    def _places(self) -> Ints:
        """The level of each cell in each dimension."""
        return np.indices(self.shape).reshape(len(self.dims), -1)

    def members(self, part: Part) -> Ints:
        """For each cell the number of the cell of a margin that it is in."""
        kept = [axis for axis, dim in enumerate(self.dims) if dim in part]
        if not kept:
            return np.zeros(self.size, np.int64)
        shape = [self.shape[axis] for axis in kept]
        return np.ravel_multi_index([self._places[axis] for axis in kept], shape)

    def margin(self, part: Part) -> Floats | None:
        """The true counts of a part."""
        if self.counts is None:
            return None
        return np.bincount(self.members(part), self.counts).astype(np.float64)

    def groups(self, part: Part) -> list[Ints]:
        """The cells of each cell of a part."""
        label = self.members(part)
        order = np.argsort(label, kind="stable")
        return np.split(order, np.flatnonzero(np.diff(label[order])) + 1)

    def levels_of(self, part: Part) -> list[tuple[str, ...]]:
        """The levels of each cell of a part; of the total none."""
        kept = [own for dim, own in zip(self.dims, self.levels, strict=True) if dim in part]
        places = np.ndindex(*map(len, kept)) if kept else [()]
        return [tuple(own[i] for own, i in zip(kept, place, strict=True)) for place in places]

    def part_name(self, part: Part) -> str:
        return "table" if part == self.dims else ",".join(part) or "total"

    def part_of(self, name: Any) -> Part:
        """A part by its name: table, total, or dimensions."""
        for part in self.all_parts:
            if name in (part, self.part_name(part)):
                return part
        names = re.split(r"[,+]", name) if isinstance(name, str) else [*name]
        asked = [str(dim).strip() for dim in names]
        for dim in asked:
            check_name(dim, (*self.dims, "table", "total"), "The table has no dimension")
        return tuple(dim for dim in self.dims if dim in asked)

    def parse_levels(self, text: str, setting: str) -> tuple[int, dict[str, str]]:
        """``3 sex=m, age=2``: how many, and the levels."""
        dims = "|".join(re.escape(dim) for dim in sorted(self.dims, key=len, reverse=True))
        parts = re.split(rf"(?:^\s*(\d+)?\s*|\s*,\s*)({dims})\s*=", text)
        head, *rest = parts
        if head.strip() or not rest:
            raise InputError(
                f"{text!r} ({setting}) names no dimension of the table with a level. Write"
                f" {self.dims[0]}=LEVEL; there are {list_names(self.dims)}."
            )
        levels = {dim: level.strip() for dim, level in zip(rest[1::3], rest[2::3], strict=True)}
        for dim, level in levels.items():
            if level not in self.levels[self.dims.index(dim)]:
                raise InputError(f"{dim!r} has no level {level!r} ({setting}: {text!r}).")
        return int(rest[0] or 1), levels

    def under(self, levels: Mapping[str, str]) -> Ints:
        """The cells that have these levels."""
        inside = np.ones(self.size, bool)
        for dim, level in levels.items():
            axis = self.dims.index(dim)
            inside &= self._places[axis] == self.levels[axis].index(level)
        return np.flatnonzero(inside)

    def events(self, depth: int, given: Mapping[str, str]) -> list[tuple[int, ...]]:
        """Whose recovery is a risk: possible cells of margins of at most so many variables."""
        inside = np.zeros(self.size, bool)
        inside[self.under(given)] = True
        inside &= ~self.impossible
        free = [dim for dim in self.dims if dim not in given]
        parts = combinations(free, min(depth, len(free)))
        groups = (cells[inside[cells]] for part in parts for cells in self.groups(part))
        return sorted({tuple(cells.tolist()) for cells in groups if len(cells)})

    # What is known of it

    def facts(self) -> Iterator[Fact]:
        """Everything that is published, as bounds on sums of cells."""
        for cell in np.flatnonzero(self.impossible).tolist():
            yield (cell,), 0.0, 0.0
        for part, values in self.parts.items():
            for cells, low, high in zip(self.groups(part), values.lower, values.upper, strict=True):
                if low > 0 or high < np.inf:
                    yield cells, float(low), float(high)

    @cached_property
    def system(self) -> System:
        return system_of(self.size, self.facts(), self.counts)

    def true_counts(self) -> Floats:
        if self.counts is None:
            raise InputError(
                "The true counts of the table are not known: values are hidden in its file. Give"
                " the table as it was counted."
            )
        return self.counts

    # What may be published, and how it was made

    def frame(self) -> pl.DataFrame:
        """What may be published: a row for each value, its levels (total: all), and the value."""
        rows = [
            (*(dict(zip(part, levels, strict=True)).get(dim, "total") for dim in self.dims), value)
            for part, values in self.parts.items()
            for levels, value in zip(self.levels_of(part), _none(values.shown), strict=True)
        ]
        schema = {**dict.fromkeys(self.dims, pl.String), "published": pl.Float64}
        return pl.DataFrame(rows, schema=schema, orient="row")

    @property
    def settings(self) -> dict[str, Any]:
        """How it was made, without its counts."""
        names = {self.part_name(part): str(scheme) for part, scheme in self.schemes.items()}
        return {
            "dims": self.dims, "publish": names, "structural": self.structural,
            "nested": self.nested, "seed": self.seed, "unit": self.unit,
        }  # fmt: skip

    def files_used(self) -> tuple[FileUsed, ...]:
        return tuple(
            FileUsed(
                role=file.role, version="", copy=1, name=file.name, rows=len(file.frame),
                people=self.people, sha256=file.sha256,
            )
            for file in self.files
        )  # fmt: skip

    # How it is made

    def _name_levels(self, levels: Sequence[Sequence[Any]]) -> tuple[tuple[str, ...], ...]:
        if len(self.dims) != len(self.shape):
            raise InputError(
                f"'dims' has {len(self.dims)} names, and the counts have {len(self.shape)}"
                " dimensions. Name each once."
            )
        named = tuple(tuple(map(str, own)) for own in levels or map(range, self.shape))
        if tuple(map(len, named)) != self.shape:
            raise InputError("'levels' has not the shape of the counts. Name each level once.")
        for dim, own in zip(self.dims, named, strict=True):
            if len(set(own)) < len(own):
                raise InputError(f"'levels' has a level of {dim!r} twice. Name each once.")
        return named

    def _find_impossible(self) -> Truths:
        """Cells that are said to be impossible, or that nesting rules out."""
        impossible = np.zeros(self.size, bool)
        for text in self.structural:
            impossible[self.under(self.parse_levels(text, "structural")[1])] = True
        for inner, outer in self.nested.items():
            for dim in (inner, outer):
                check_name(dim, self.dims, "'nested' names no dimension")
            axes = tuple(a for a, dim in enumerate(self.dims) if dim not in (inner, outer))
            occurs = self.true_counts().reshape(self.shape).sum(axis=axes) > 0
            inside = occurs if self.dims.index(inner) < self.dims.index(outer) else occurs.T
            if (inside.sum(axis=1) > 1).any():
                raise InputError(
                    f"A level of {inner!r} lies in several of {outer!r}, and is not 'nested'."
                )
            is_outside = ~inside & inside.any(axis=1, keepdims=True)
            places = (self._places[self.dims.index(dim)] for dim in (inner, outer))
            impossible |= is_outside[tuple(places)]
        if self.counts is not None and self.counts[impossible].any():
            raise InputError("There are people in an impossible cell ('structural'). Leave it out.")
        return impossible

    def _choose_schemes(self, publish: Any, margins: Any, given: Any) -> dict[Part, Scheme]:
        if not isinstance(publish, str | Mapping):
            raise InputError("'publish' takes a scheme, as conventional:5, or one for each part.")
        listed = [margins] if isinstance(margins, str) else margins
        if not isinstance(listed, list | tuple) or not all(
            part and isinstance(part, str | list | tuple) for part in listed
        ):
            raise InputError("'margins' takes all, total, or dimensions: sex,age+region.")
        wanted: list[Part] = [self.dims]
        for margin in listed:
            is_all = margin == "all" and "all" not in self.dims
            wanted += self.all_parts[1:] if is_all else [self.part_of(margin)]
        for name, scheme in publish.items() if isinstance(publish, Mapping) else ():
            if not isinstance(name, str | tuple) or not isinstance(scheme, str):
                raise InputError("'publish' takes a text for each part, as {'total': 'exact'}.")
        named = {self.part_of(n): s for n, s in publish.items() if n != OTHERS} if not isinstance(
            publish, str
        ) else {}  # fmt: skip
        other: str = publish if isinstance(publish, str) else publish.get(OTHERS, "exact")
        asked = [*wanted, *named, *(self.part_of(name) for name in given)]
        texts = {part: str(named.get(part, other)) for part in self.all_parts if part in asked}
        return {part: parse_scheme(t) for part, t in texts.items() if t.strip() != "none"}

    def _publish(self, given: Mapping[str, Any]) -> dict[Part, Values]:
        """What each part publishes; what is drawn depends on the seed and the part alone."""
        elsewhere = {self.part_of(name): values for name, values in given.items()}
        together = [
            part for part, scheme in self.schemes.items()
            if scheme.kind == "controlled" and part not in elsewhere
        ]  # fmt: skip
        rounded: dict[Part, Floats] = {}
        for base in {self.schemes[part].size for part in together}:
            parts = [part for part in together if self.schemes[part].size == base]
            rounded |= self._round_together(parts, base)
        published = {}
        for part, scheme in self.schemes.items():
            name, true = self.part_name(part), self.margin(part)
            number = sum(1 << self.dims.index(dim) for dim in part)
            if part in elsewhere:
                size = int(self.members(part).max()) + 1
                values = _read_values(name, elsewhere[part], size, scheme, true)
            else:
                if true is None:
                    raise InputError(f"{name!r} has no values ('published') and no true counts.")
                rng = np.random.default_rng([self.seed, number])
                shown = rounded[part] if part in rounded else draw(true, scheme, rng)
                values = Values(scheme, shown, *intervals(shown, scheme, true), shown < 0)
            is_impossible = np.bincount(self.members(part), ~self.impossible) == 0
            shown, lower, upper = (np.where(is_impossible, 0.0, v) for v in values[1:4])
            if true is not None and ((true < lower) | (true > upper)).any():
                place = int(np.flatnonzero((true < lower) | (true > upper))[0])
                raise InputError(
                    f"Value {place + 1:,} of {name!r} ('published') is none that {scheme} gives of"
                    " its true count. Check the order of the values, and the scheme (publish)."
                )
            published[part] = Values(scheme, shown, lower, upper, values.is_pair)
        return published

    def _round_together(self, parts: Sequence[Part], base: int) -> dict[Part, Floats]:
        """Parts rounded so that they add up, by the sums of the finest cells that they have."""
        counts = self.true_counts()
        groups = [cells for part in parts for cells in self.groups(part)]
        sums = Sums.of(groups, self.size)
        truth = np.append(counts, [counts[cells].sum() for cells in groups])
        rng = np.random.default_rng([self.seed, base, 1 << 20])
        rounded = round_together(System(truth, truth, sums, self.size, truth=truth), base, rng)
        ends = np.cumsum([self.size, *(len(self.groups(part)) for part in parts)])
        return {part: rounded[ends[i] : ends[i + 1]] for i, part in enumerate(parts)}


def check_size(shape: Sequence[int]) -> None:
    if not 1 <= len(shape) <= MOST_DIMS or not 0 < np.prod(shape, dtype=float) <= MOST_CELLS:
        raise InputError(
            f"A table ('counts') has 1 to {MOST_DIMS} dimensions and at most {MOST_CELLS:,} cells."
            " Cross fewer dimensions (dims), or use bands."
        )


def _as_counts(counts: Any) -> Floats:
    try:
        array = np.asarray(counts, np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "'counts' takes whole numbers in nested lists or an array, each list of one length."
        ) from None
    check_size(array.shape)
    if not np.isfinite(array).all() or (array < 0).any() or (array % 1).any():
        raise InputError("'counts' takes whole numbers from 0 on. Counts are of people.")
    return array


def _as_zeros(values: Any) -> Any:
    """Nested lists of values, of which only the shape is used."""
    return [_as_zeros(value) for value in values] if isinstance(values, list) else 0


def without_gap(texts: Sequence[str | None]) -> list[str]:
    """Levels as texts; the missing one has a name that no other has."""
    gap = "(missing)"
    while gap in texts:
        gap = f"({gap})"
    return [gap if text is None else text for text in texts]


def _read_values(name: str, values: Any, size: int, scheme: Scheme, truth: Floats | None) -> Values:
    """Values that were drawn elsewhere: numbers, None where hidden, pairs for intervals."""
    flat = [*_flat(values)]
    if len(flat) != size:
        raise InputError(f"{name!r} has {size:,} values, not {len(flat):,} ('published').")
    is_pair = np.array([isinstance(value, tuple) for value in flat])
    pairs = [value if isinstance(value, tuple) else (0, None) for value in flat]
    try:
        shown = np.array([np.nan if v is None or isinstance(v, tuple) else v for v in flat], float)
        low = np.array([pair[0] for pair in pairs], float)
        high = np.array([np.inf if pair[1] is None else pair[1] for pair in pairs], float)
    except (TypeError, ValueError, IndexError):
        raise InputError(
            f"'published' takes a number, None or a pair for each cell of {name!r}."
        ) from None
    if not is_possible(shown, scheme) or (low > high).any():
        raise InputError(
            f"A value of {name!r} ('published') is none that {scheme} publishes. Check the scheme"
            " (publish)."
        )
    lower, upper = intervals(shown, scheme, truth)
    lower, upper = np.where(is_pair, low, lower), np.where(is_pair, high, upper)
    return Values(scheme, shown, lower, upper, is_pair)


def _flat(values: Any) -> Iterator[Any]:
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if not isinstance(values, list):
        yield None if isinstance(values, float) and np.isnan(values) else values
        return
    for value in values:
        yield from _flat(value)


def _none(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in values]
