"""From what a user gives to a counted scenario: read, align, count, each once.

Every measure that compares copies with an original by keys and targets opens in this way, so that
all of them read alike, refuse alike, and can share one count.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from unveil.arguments import absent_sentence, check_faults
from unveil.count.codes import CodedColumn
from unveil.count.overlap import check_disjoint, doubtful_levels
from unveil.errors import RolesError, hint_at, list_names
from unveil.records.disclosure import BandedColumn, Coercion
from unveil.study.band_spec import NO_BANDS, Bands
from unveil.study.choose_engine import choose_engine, holder
from unveil.study.engine import EngineName, current_engine
from unveil.study.people import NONE, People, PeopleOfFiles, check_person, people_of_files
from unveil.study.roles import Roles, names, parse_roles, roles
from unveil.study.scenario import CountedScenario, Progress
from unveil.study.study import OpenFiles, StudyFile, open_files, parse_missing
from unveil.study.weights import Weights, check_weights, read_weights


@dataclass(frozen=True)
class OpenScenario:
    """A counted scenario, the files behind it, and what was noticed and changed on the way."""

    scenario: CountedScenario
    files: tuple[str, ...]
    notes: tuple[Coercion, ...]
    bands: tuple[BandedColumn, ...] = ()
    segment: CodedColumn | None = None
    people: PeopleOfFiles | None = None
    weights: Weights | None = None

    @property
    def original_people(self) -> People | None:
        """Whose each row of the original is, where a column says so."""
        return None if self.people is None else self.people.original

    def with_tolerance(self, columns: Collection[str]) -> "OpenScenario":
        """The same, where special codes of these columns act without bands: nothing to note."""
        notes = [one for one in self.notes if one.kind != "bands" or one.column not in columns]
        return replace(self, notes=tuple(notes))


def open_scenario(
    sides: Mapping[str, Any],
    *,
    keys: str | Iterable[str],
    targets: str | Iterable[str] | None,
    missing_values: str | Sequence[str],
    bands: Bands = NO_BANDS,
    segment: str | None = None,
    person: str | None = None,
    weights: str | None = None,
    progress: Progress,
) -> OpenScenario:
    """Read, align, band and count what the user gave; `segment` is of the first side only.

    `person` is the column that says whose row it is, `weights` that of sampling weights of the
    first side: they are compared with nothing.
    """
    key_names = names(keys, "Keys")
    target_names = None if targets is None else names(targets, "Targets")
    spelt = parse_roles(key_names, target_names)
    compared = (*key_names, *(target_names or ()))
    check_person(person, compared)
    check_weights(weights, (*compared, segment or ""))
    # A copy need not say whose rows are whose: with a person, whole files are read.
    wanted = None if spelt is None or person is not None else spelt.columns
    aside = [name for name in (segment, weights) if name is not None]
    by_counts = person in (None, NONE) and weights is None
    files = open_sides(sides, wanted, missing_values, progress, aside=aside, by_counts=by_counts)
    people = people_of_files(files, person)
    if people is not None:
        files = files.without_column(people.original.record.column)
    weighted = None if weights is None else read_weights(files, weights)
    if weighted is not None:
        files = files.without_column(weighted.column)
    chosen = roles(files, key_names, target_names)
    if segment is not None and segment not in files[0].frame.columns:
        raise RolesError(absent_sentence(files[0].place, segment, files[0].frame.columns))
    check_other_columns(bands, chosen)
    encoded = files.encode(chosen.columns, bands, progress)
    n_keys = len(chosen.keys)
    parts = _segment(segment, encoded.columns, files)
    counted = files.study.count(encoded.columns[:n_keys], encoded.columns[n_keys:], progress, parts)
    check_disjoint(encoded.columns[:n_keys], files)  # whose levels are counted by now
    return OpenScenario(
        counted,
        tuple(table.source for table in files),
        (*chosen.notes, *encoded.coercions, *doubtful_levels(encoded.columns, files)),
        encoded.bands,
        parts,
        people,
        weighted,
    )


def open_sides(
    sides: Mapping[str, Any],
    columns: Sequence[str] | None,
    missing_values: str | Sequence[str],
    progress: Progress,
    *,
    aside: Sequence[str] = (),
    by_counts: bool,
) -> OpenFiles:
    """The files in memory or, for what is asked `by_counts`, where an engine keeps their rows."""
    engine = choose_engine(
        sides.values(),
        current_engine(),
        by_counts=by_counts,
        n_columns=None if columns is None else len(columns),
    )
    if engine == "memory":
        return open_files(sides, columns, missing_values, progress, aside=aside)
    return open_in_engine(engine, sides, columns, missing_values, aside)


def open_in_engine(
    engine: EngineName,
    sides: Mapping[str, Any],
    columns: Sequence[str] | None,
    missing_values: str | Sequence[str],
    aside: Sequence[str],
    **reading: Any,
) -> OpenFiles:
    """The files, whose rows an engine keeps; only who needs one pays for the import.

    `reading` are types and dictionary, as in `Study.open`. Files of a study stay in its engine.
    """
    from unveil.study.backends import open_backend
    from unveil.study.engine_files import open_engine_files
    from unveil.study.engine_scenario import EngineScenario
    from unveil.study.engine_study import select_files
    from unveil.study.parted_scenario import PartedScenario

    if any(isinstance(one, StudyFile) for one in sides.values()):
        return select_files(sides, columns, aside)
    held = next((one for one in sides.values() if holder(one) == engine), None)
    backend = open_backend(engine, current_engine(), held)
    missing = parse_missing(missing_values)
    scenario_of = PartedScenario.of if engine == "chunks" else EngineScenario.of
    return open_engine_files(
        backend, sides, columns, missing, aside=aside, scenario_of=scenario_of, **reading
    )


def check_other_columns(bands: Bands, chosen: Roles) -> None:
    """Refuse bands of a column that is neither key nor target."""
    faults = (
        f"Bands or special codes are given for {name!r}, which is neither key nor target."
        f"{hint_at(name, chosen.columns)} Keys and targets are: {list_names(chosen.columns)}."
        for name in bands.columns
        if name not in chosen.columns
    )
    check_faults(faults, RolesError)


def _segment(
    name: str | None, columns: Sequence[CodedColumn], files: OpenFiles
) -> CodedColumn | None:
    """The column within whose levels checks are run, as it is compared or as it is read."""
    if name is None:
        return None
    known = {column.name: column for column in columns}
    return known[name] if name in known else files.select(0).encode([name]).columns[0]
