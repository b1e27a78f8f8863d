"""What do the checks of a release count where an engine keeps the records?

Files that memory holds are brought here whole, and every check is that of files in memory; from a
cluster or a warehouse no record is brought, and such a release does not pass. Of larger ones, what
columns and whole records say is counted in the engine, exactly; the checks that link records to
people look at *shares* of the files: all records, of every file, with some values of one column (of
a number, in bands of its ranks). In a share, people and records that agree in that column are
together, so that copies and near-copies stay what they are, and an honest release is honest there
too. By columns that did not make the share more people are unique than in the whole file: the
figures are upper estimates. Several columns make one share each: a release that drew one of them
anew is seen by the others.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import msgspec
import narwhals.stable.v2 as nw
import numpy as np
import polars as pl

from unveil.arrays import Ints, Mask
from unveil.io.memory import CELL
from unveil.io.table import Table
from unveil.measure.gate.beside_table import find_beside
from unveil.measure.gate.columns import ORIGINAL, LinkColumn, link_column
from unveil.measure.gate.copied_columns import (
    find_copied_identifiers,
    find_single_holder,
)
from unveil.measure.gate.evidence import (
    FAST,
    SLOW,
    DeclaredRoles,
    Files,
    gather_evidence,
    has_record_numbers,
)
from unveil.measure.gate.extra_columns import find_extra_columns
from unveil.measure.gate.linked_people import FINE, LEAST_GROUP
from unveil.measure.gate.links import effective_links, expected_share
from unveil.measure.gate.near_copies import choose_numbers
from unveil.measure.roles.person import find_person
from unveil.records.alerts import (
    BesideTable,
    CopiedColumn,
    GateEvidence,
    NotTested,
    OwnValue,
    SingleHolder,
    WholeRecords,
)
from unveil.records.base import Copy
from unveil.records.person import PersonColumn
from unveil.seeding import stream
from unveil.study.backends import Chunks
from unveil.study.choose_engine import memory_limit
from unveil.study.engine_scenario import sum_by, sum_if
from unveil.study.engine_study import EngineStudy, EntryColumn, pack_columns, packed
from unveil.study.parted_scenario import write_parts
from unveil.study.scenario import Progress
from unveil.study.study import OpenFiles, Study

MOST_BROUGHT = 400_000
"""Records, of all files together, that are brought to memory at once."""
LEAST_BROUGHT = 20_000
SHARES = 3
"""Columns that make a share each: those that link most people."""
_SLABS = 8  # bands of ranks that make the share of a number
_OFTEN = 100  # a value of so many records is thinned by its records, others as a whole


def bring_whole(files: OpenFiles) -> Study | None:
    """The files in memory, where it holds them; else None."""
    study = _study_of(files)
    is_held = study.backend.is_here and sum(files.rows) <= _most_brought(study)
    return study.bring() if is_held else None


def _study_of(files: OpenFiles) -> EngineStudy:
    assert isinstance(files.study, EngineStudy)
    return files.study


def gather_in_engine(
    files: OpenFiles, brought: Study | None, roles: DeclaredRoles, progress: Progress
) -> GateEvidence:
    """What the gate looks at, of files that an engine keeps; `brought` is what memory holds."""
    if brought is None:
        return gather_engine_evidence(files, roles, progress)
    return gather_evidence(Files(brought.files), roles, progress=progress)


def gather_engine_evidence(
    files: OpenFiles, roles: DeclaredRoles, progress: Progress
) -> GateEvidence:
    """Count everything that the gate looks at, of files that memory does not hold.

    A file with columns that another one lacks is looked at by itself too, in all of its own.
    """
    study = _study_of(files)
    found = _gather_release(study, roles, progress)
    columns = [{*table.frame.columns} for table in files]
    common = set.intersection(*columns)
    wider = [i for i in range(1, len(files)) if (columns[0] & columns[i]) - common]
    alone = [_gather_release(study.select((0, copy)), roles, progress) for copy in wider]
    checks = [one.checks for one in (*alone, *([] if len(wider) == len(files) - 1 else [found]))]
    for copy, one in zip(wider, alone, strict=True):
        found = _add_file(found, copy, one)
    is_all = all(set(SLOW) <= set(one) for one in checks)
    return msgspec.structs.replace(found, checks=(*FAST, *SLOW) if is_all else FAST[:4])


def _add_file(found: GateEvidence, copy: int, alone: GateEvidence) -> GateEvidence:
    """Evidence with that of one file by itself: what columns and records say is replaced by it."""

    def both(name: str) -> list[Any]:
        rows = getattr(found, name)
        mine = [msgspec.structs.replace(row, copy=copy) for row in getattr(alone, name)]
        is_exact = name in ("whole", "single", "copied")
        return [*(row for row in rows if not is_exact or row.copy != copy), *mine]

    return msgspec.structs.replace(
        found,
        compared=tuple(dict.fromkeys((*found.compared, *alone.compared))),
        **{name: tuple(both(name)) for name in ("whole", "single", "copied")},
        **{name: _worst(both(name), grade) for name, grade in _GRADES.items()},
        not_tested=tuple(dict.fromkeys((*found.not_tested, *alone.not_tested))),
    )


def _gather_release(study: EngineStudy, roles: DeclaredRoles, progress: Progress) -> GateEvidence:
    """The same of the columns that all files have."""
    most = _most_brought(study)
    made = EngineRelease(study, roles, progress)
    named = made.share_columns if study.backend.is_here else ()  # a cluster keeps its records
    shares = [made.look_at_share(name, most) for name in named]
    found = [one for one in shares if one is not None]
    evidence = made.counted_evidence()
    seen = {name: [row for one in found for row in getattr(one.evidence, name)] for name in _GRADES}
    return msgspec.structs.replace(
        evidence,
        checks=(*FAST, *SLOW) if found else FAST[:4],
        whole=tuple(_add_least_own(row, found) for row in evidence.whole),
        **{name: _worst(seen[name], grade) for name, grade in _GRADES.items()},
        single=(*evidence.single, *(one for share in found for one in share.computed)),
        not_tested=(*made.list_not_tested(found), *_untested_columns(found)),
    )


def _add_least_own(row: WholeRecords, shares: Sequence["Share"]) -> WholeRecords:
    """With the own value of people found by all columns but one: the highest of the shares."""
    rows = [one for share in shares for one in share.evidence.whole if one.copy == row.copy]
    known = [one.least_own for one in rows if one.least_own is not None]
    return msgspec.structs.replace(row, least_own=max(known, default=None))


def _most_brought(study: EngineStudy) -> int:
    """Records that memory holds in all of their columns, by what may be used."""
    width = max(len(side.places) for side in study.sides)
    limit = memory_limit(study.backend.settings)
    fits = MOST_BROUGHT if limit is None else limit // (8 * CELL * width)
    return max(min(fits, MOST_BROUGHT), LEAST_BROUGHT)


@dataclass(frozen=True, eq=False)
class Share:
    """Some records of every file, chosen by values of a column, and what all checks found there."""

    column: str
    n_people: int
    evidence: GateEvidence  # people scaled up to those of the whole file

    @property
    def computed(self) -> tuple[SingleHolder, ...]:
        """Values of one person that other columns give: what counts of columns do not show."""
        return tuple(one for one in self.evidence.single if one.computed_from)


class EngineRelease:
    """The files of a release that an engine keeps: columns by their counts, shares by records."""

    def __init__(self, study: EngineStudy, roles: DeclaredRoles, progress: Progress) -> None:
        self.study, self.roles, self.progress = study, roles, progress
        self.files = study.files
        self.copies = tuple(range(1, len(self.files)))
        self.columns: dict[str, LinkColumn] = {}
        names = [one for one in self.files[0].frame.columns if self._is_common(one)]
        for done, name in enumerate(names):
            progress(f"coding {name}", done, len(names))
            self.columns[name] = link_column(name, self.files)
        self.linking = [
            one for one in self.columns.values() if not has_record_numbers(one, self.copies)
        ]

    def _is_common(self, name: str) -> bool:
        return all(name in side.places for side in self.study.sides)

    @property
    def share_columns(self) -> list[str]:
        """The columns that link most people, and the finest number, for near-copies."""
        links = {
            one.name: effective_links(one.counts[ORIGINAL], one.counts[1:].sum(axis=0))
            for one in self.linking
        }
        found = sorted(links, key=lambda name: (-links[name], name))[:SHARES]
        numbers = choose_numbers(self.linking)
        return [*dict.fromkeys([*found, *(one.name for one in numbers[:1])])]

    # Checks that link records to people, in shares.

    def look_at_share(self, name: str, most: int) -> Share | None:
        """All checks on the records with some values of a column; None where they are too many."""
        column = self.columns[name]
        chosen = _choose_values(column, most)
        source: Any = column.source
        kept = [
            self.study.entries(name, place)[0].filter(
                pl.Series(chosen[column.code_of_level[codes]], dtype=pl.Boolean)
            )
            for place, (codes, _) in enumerate(source.entries)
        ]
        n_people = int(column.counts[ORIGINAL][chosen].sum())
        n_records = [int(column.counts[side][chosen].sum()) for side in self.copies]
        if not n_people or not all(n_records):
            return None
        brought = self.study.bring(name, kept)
        evidence = gather_evidence(Files(brought.files), self.roles, progress=self.progress)
        return Share(name, n_people, _scale(evidence, self.files.rows[0] / n_people))

    # Checks of columns and of whole records, in the engine.

    def counted_evidence(self) -> GateEvidence:
        """What columns and whole records say, exactly."""
        held = [
            row
            for column in self.columns.values()
            for copy in self.copies
            if (row := find_single_holder(column, copy, copy)) is not None
        ]
        return GateEvidence(
            files=tuple(table.source for table in self.files),
            n_original=self.files.rows[0],
            n_synthetic=self.files.rows[1:],
            compared=tuple(self.columns),
            checks=(),
            whole=tuple(self._whole()),
            single=tuple(held),
            copied=tuple(self._copied()),
            beside=tuple(self._beside()),
            undeclared=self._people(),
        )

    def _copied(self) -> Iterator[CopiedColumn]:
        """Identifiers, and columns that the original does not have."""
        original = self._thin(ORIGINAL, self.files[0].frame.columns)
        known = (*self.roles.compared, *self.roles.others)
        for copy in self.copies:
            yield from find_copied_identifiers(
                Study([original]).files,
                list(self.columns.values()),
                copy,
                copy,
                declared=self.roles.identifiers,
                known=known,
            )
            mine = self.files[0].frame.columns
            schema = self.files[copy].frame.schema
            more = [name for name, kind in schema.items() if name not in mine or _is_fine(kind)]
            yield from find_extra_columns(Study([original, self._thin(copy, more)]).files, copy)

    def _beside(self) -> Iterator[BesideTable]:
        """What each file holds beside its table."""

        def values(place: int, name: str) -> set[object]:
            return set(self.study.entries(name, place)[1].frame[name])

        for copy in self.copies:
            yield from find_beside(self.files, copy, values)

    def _thin(self, place: int, names: Sequence[str]) -> Table:
        """Columns of about as many records as are brought, each by itself, by whole values.

        How many people have a value stays as it is, but for values that many have; so does
        which values two columns share. Shorter columns are filled up with missing entries.
        """
        made = {}
        for name in names:
            entries = self.study.entries(name, place)[1]
            values, n = entries.frame[name], entries.counts
            share = min(1.0, MOST_BROUGHT / max(int(n.sum()), 1))
            plain = values.cast(pl.Float64) if values.dtype.is_numeric() else values
            if values.dtype.is_nested():
                continue
            marks = plain.cast(pl.String).hash(17).to_numpy() % np.uint64(2**32)
            is_kept = marks < share * 2**32
            times = np.where(n > _OFTEN, np.ceil(n * share).astype(np.int64), n * is_kept)
            times[values.is_null().to_numpy()] = 0
            made[name] = values.gather(np.repeat(np.arange(len(values)), times))
        longest = max(map(len, made.values()), default=0)
        frame = pl.DataFrame(
            {name: one.extend_constant(None, longest - len(one)) for name, one in made.items()}
        )
        table = self.files[place]
        return Table(table.side, table.place, frame, table.source, codebook=table.codebook)

    def _people(self) -> PersonColumn | None:
        """The column that numbers people with several rows, where none is declared."""
        if self.roles.person is not None:
            return None
        table = self._thin(ORIGINAL, self.files[0].frame.columns)
        for name in table.frame.columns:
            alone = replace(table, frame=table.frame.select(name).drop_nulls())
            found = find_person(alone) if alone.frame.height else None
            if found is not None:
                entries = self.study.entries(name, ORIGINAL)[1]
                n_missing = entries.count_missing(entries.frame[name])
                n_people = len(entries.frame[name].drop_nulls()) + n_missing
                return PersonColumn(column=name, n_rows=self.files.rows[0], n_people=n_people)
        return None

    def _whole(self) -> Iterator[WholeRecords]:
        """People whose whole record is unique and reappears, by file and in all files pooled."""
        if not self.linking:
            return
        sides: dict[Copy, Sequence[int]] = {copy: [copy] for copy in self.copies}
        if len(self.copies) > 1:
            sides["pooled"] = self.copies
        found = self._count_whole([*sides.values()])
        n_holders, times = (found[name].to_numpy().astype(np.int64) for name in ("n", "times"))
        n_unique = int(times[n_holders == 1].sum())
        for place, (copy, chosen) in enumerate(sides.items()):
            is_back = (n_holders == 1) & (found[f"b{place}"].to_numpy() > 0)
            n_records = sum(self.files.rows[side] for side in chosen)
            yield WholeRecords(
                copy=copy,
                n_columns=len(self.linking),
                n_unique=n_unique,
                n_reappearing=int(times[is_back].sum()),
                n_people=self.files.rows[0],
                expected=expected_share(n_holders, n_records, times) * n_unique,
            )

    def _count_whole(self, sides: Sequence[Sequence[int]]) -> pl.DataFrame:
        """Whole records by their holders, `n`, and by which files have them: how often, `times`."""
        coded: dict[str, Any] = {}
        for place, column in enumerate(self.linking):
            levels = pl.Series(range(column.n_levels), dtype=pl.Int64)
            source = column.source
            assert isinstance(source, EntryColumn)
            coded[f"x{place}"] = source.replace_levels(column.code_of_level, levels)
        if isinstance(self.study.backend, Chunks):
            return pl.concat(self._whole_parts(coded, sides), how="vertical_relaxed")
        rows = self.study.code_rows(coded, self.progress)
        groups = pack_columns({name: one.n_levels for name, one in coded.items()})
        packs = {f"w{place}": packed(group) for place, group in enumerate(groups)}
        side = nw.col("side")
        counts = {"n": sum_if(side == ORIGINAL)}
        counts |= {f"n{place}": sum_if(side.is_in([*some])) for place, some in enumerate(sides)}
        back = {
            f"b{place}": nw.when(nw.col(f"n{place}") > 0).then(1).otherwise(0)
            for place in range(len(sides))
        }
        alike = sum_by(rows.with_columns(**packs), *packs, **counts).filter(nw.col("n") > 0)
        asked = sum_by(alike.with_columns(**back), "n", *back, times=nw.len())
        return self.study.backend.fetch(asked, "comparing whole records")

    def _whole_parts(
        self, coded: Mapping[str, Any], sides: Sequence[Sequence[int]]
    ) -> Iterator[pl.DataFrame]:
        """The same of the parts into which equal records are written together."""
        parts = write_parts(self.study, coded, len(coded), self.progress)
        groups = pack_columns({name: one.n_levels for name, one in coded.items()})
        every = range(len(self.files))
        for part, rows in enumerate(parts.rows):
            self.progress("whole records", part, len(parts.rows))
            if not rows.sum():
                continue
            codes, side = parts.read(part, every, [*coded]), np.repeat(every, rows)
            packs = [_pack_codes(codes, group) for group in groups]
            order = np.lexsort(packs)
            is_new = np.any([np.diff(one[order], prepend=one[order[0]] - 1) for one in packs], 0)
            starts = np.flatnonzero(is_new)
            held = np.add.reduceat((side == ORIGINAL)[order].astype(np.int64), starts)
            back = {
                f"b{place}": np.logical_or.reduceat(np.isin(side, some)[order], starts)
                for place, some in enumerate(sides)
            }
            found = pl.DataFrame({"n": held, **back}).filter(pl.col("n") > 0)
            named = pl.col(*back).cast(pl.Int64)
            alike = found.with_columns(named).group_by("n", *back)
            yield alike.agg(pl.len().cast(pl.Int64).alias("times"))

    def list_not_tested(self, shares: Sequence[Share]) -> Iterator[NotTested]:
        """What was looked at in shares, and what these cannot show."""
        mine = self.files[0].frame.columns
        theirs = dict.fromkeys(n for copy in self.copies for n in self.files[copy].frame.columns)
        new = tuple(name for name in theirs if name not in mine)
        if new:
            yield NotTested(
                what="columns",
                columns=new,
                sentence=(
                    "only in the synthetic data: each was compared by itself; whether several tell"
                    " people's dates or amounts together was not tested."
                ),
            )
        yield NotTested(
            what="control",
            sentence=(
                "No control sample was given, so no attack was compared with people whose records"
                " were not used."
            ),
        )
        n = self.files.rows[0]
        if shares:
            seen = LEAST_GROUP * n // max(min(share.n_people for share in shares), 1)
            told = ", ".join(f"{share.n_people:,} by {share.column}" for share in shares)
            yield NotTested(
                what="sampling",
                columns=tuple(share.column for share in shares),
                sentence=(
                    "People tied to their own values, near-copies, groups and other codings were"
                    f" looked for in shares of the {n:,} people ({told}), each with all records"
                    " that have the same values; figures are scaled up, and rather too high."
                    f" Groups of fewer than {seen:,} people were not looked at one by one."
                ),
            )


def _pack_codes(codes: dict[str, Any], group: Sequence[tuple[str, int]]) -> Ints:
    """One whole number for each combination of these columns, as `packed` asks an engine."""
    made = np.zeros(len(codes[group[0][0]]), np.int64)
    for name, n_levels in group:
        made = made * n_levels + codes.pop(name)
    return made


def _choose_values(column: LinkColumn, most: int) -> Mask:
    """Values of a column that together have about so many records, of all files.

    Of a fine number bands of ranks, so that what is near is there too; else values at random.
    """
    sizes, chosen = column.counts.sum(axis=0), np.zeros(column.n_levels, bool)
    rng = stream(0, "shares", column.name)
    if not column.is_number or column.n_original_levels <= FINE:
        drawn = rng.permutation(column.n_levels)
        drawn = drawn[(drawn != column.missing) & (sizes[drawn] <= most)]
        chosen[drawn[np.cumsum(sizes[drawn]) <= most]] = True
        return chosen
    share, step = min(1.0, most / max(int(sizes.sum()), 1)), 1 / _SLABS
    starts = (np.arange(_SLABS) + rng.random(_SLABS) * (1 - share)) * step
    for start in rng.permutation(starts):
        band = (column.ranks >= start) & (column.ranks < start + 0.9 * share * step)
        if sizes[chosen | band].sum() <= most:  # a value of many people may be too much
            chosen |= band
    return chosen


def _scale(evidence: GateEvidence, factor: float) -> GateEvidence:
    """Evidence of a share with its people counted as those of the whole file."""

    def own(one: OwnValue) -> OwnValue:
        return msgspec.structs.replace(one, links=one.links * factor, tied=one.tied * factor)

    return msgspec.structs.replace(
        evidence,
        own=tuple(map(own, evidence.own)),
        groups=tuple(
            msgspec.structs.replace(one, n_people=round(one.n_people * factor), own=own(one.own))
            for one in evidence.groups
        ),
        single=tuple(
            msgspec.structs.replace(
                one,
                n_held=round(one.n_held * factor),
                n_reappearing=round(one.n_reappearing * factor),
            )
            for one in evidence.single
        ),
    )


def _tied(one: Any) -> tuple[Any, float]:
    return (one.copy, one.column), one.tied


def _nearer(one: Any) -> tuple[Any, float]:
    return (one.copy, one.ratio), one.share - one.expected


def _less_likely(one: Any) -> tuple[Any, float]:
    return (one.copy, one.column, one.level), -one.p


def _first(one: Any) -> tuple[Any, float]:
    return (one.copy, one.column), one.share


_GRADES = {"own": _tied, "near": _nearer, "groups": _less_likely, "codings": _first}
"""What shares say, and which of two rows about the same thing is the graver one."""


def _worst(rows: Iterable[Any], grade: Any) -> tuple[Any, ...]:
    """Of what several shares say of the same thing, the gravest."""
    found: dict[Any, Any] = {}
    for one in rows:
        about, weight = grade(one)
        if about not in found or weight > grade(found[about])[1]:
            found[about] = one
    return tuple(found.values())


def _is_fine(kind: pl.DataType) -> bool:
    """Whether a column of this type has room for digits or times that the original's lacks."""
    return kind.is_float() or kind == pl.Datetime


def _untested_columns(shares: Sequence[Share]) -> tuple[NotTested, ...]:
    """Columns in no scenario, as they are told of files in memory."""
    known = shares[0].evidence.not_tested if shares else ()
    return tuple(one for one in known if one.what == "columns")
