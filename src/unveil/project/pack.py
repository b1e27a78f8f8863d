"""The release pack: what may leave, made from a list of what is allowed; the rest is archived.

`papers`: Chapelle and Falissard ask for the kind and amount of noise and warn of ECAP values; Raab
advises no more than the class of method, and fake data that say so. Nothing gets into a public pack
because it lies in a folder: each member is made here, from the synthetic files that a named person
released. What was made is then opened again by `leak_check`, which knows nothing of this module.
"""

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from statistics import median
from typing import Any, cast

import msgspec
import numpy as np
import polars as pl

from unveil.assessment.assess_release import is_barred
from unveil.atomic import check_present, is_left_behind, replace_file, write_beside
from unveil.errors import (
    LeakError,
    ReadError,
    RulingNeededError,
    SettingsError,
    TamperedError,
    WriteError,
    list_names,
    quote_text,
)
from unveil.io.archive import write_archive
from unveil.io.code_meanings import codebook_of, find_code_number, variable_of
from unveil.io.outgoing import PARTLY_LABEL
from unveil.io.sources import read_table
from unveil.io.table import Table
from unveil.io.write_checks import fit_column
from unveil.io.write_file import WriteSettings, target_of, write_files
from unveil.project.decide import alerts_against, load_decisions
from unveil.project.fingerprint import file_sha256, forget_hashes, hash_bytes, project_sha256
from unveil.project.judge_run import judge_run
from unveil.project.leak_check import BESIDE, DATA, Secrets, find_leaks, mark_faults
from unveil.project.lock import lock_project
from unveil.project.log import append, read_log
from unveil.project.log_repair import DECISIONS, heal_log
from unveil.project.make_copies import choose_ending
from unveil.project.model import ProjectFile
from unveil.project.people import list_answers
from unveil.project.ro_crate import CRATE, confidential_crate, public_crate
from unveil.project.seeds import CONFIDENTIAL
from unveil.project.sources import Inputs, list_files, resolve_path
from unveil.project.store import RUNS, load_parts, load_run
from unveil.project.verify import changes_since_release, release_obstacles
from unveil.project.verify_pack import (
    CODEBOOK,
    MANIFEST,
    PAGE,
    manifest_text,
    pooled_codebook,
    sign_file,
)
from unveil.protection.statement import statement_of
from unveil.records.codebook import FEWEST_PEOPLE, Codebook, CodebookDifferences, Variable
from unveil.records.judgement import Decision, Judgement
from unveil.records.pack import (
    Pack,
    PackCheck,
    PackDocuments,
    PackForm,
    PackMember,
    PublicDecision,
)
from unveil.records.report import Parts
from unveil.records.run import Run
from unveil.records.synthesis import ConfidentialSynthesis, Ending, Synthesis
from unveil.view.codebook_csv import codebook_csv
from unveil.view.format import format_count
from unveil.view.pack import pack_page

STAGE = f"{RUNS}/.pack"
STATEMENT, DECISION, BOOK_CSV, MORE = "noise_statement.txt", "decision.json", "codebook.csv", "more"
_FILE = "file:"
_ARCHIVED = ("project.toml", "log.jsonl", RUNS, DECISIONS, CONFIDENTIAL)


# What was released? A decision of a named person, about files that are as they were.


@dataclass(frozen=True)
class Release:
    """The last decision, which releases, with the run that it is about."""

    project: ProjectFile
    decision: Decision
    run: Run
    parts: Parts
    judgement: Judgement  # of now

    @cached_property
    def inputs(self) -> Inputs:
        """The files of the run."""
        return Inputs(self.project, self.run.files)


def find_release(project: ProjectFile) -> Release:
    """The release that stands; refused where there is none, or something changed since."""
    decisions = load_decisions(project.folder)
    if not decisions or not decisions[-1].release:
        what = "No decision releases these files" if not decisions else "The last decision refuses"
        raise RulingNeededError(
            f'Nothing is packed. {what}. First: unveil decide --release --by "Name, role" --note'
            ' "...".'
        )
    decision = decisions[-1]
    faults, _ = release_obstacles(project.folder, decision.run)
    if faults:
        raise TamperedError(
            f"Nothing is packed: {faults[0].sentence} {faults[0].fix or ''} {len(faults)} such,"
            " see unveil log --verify."
        )
    run = load_run(project.folder, decision.run)
    changes = [*changes_since_release(project.folder, decision, run.files)]
    decided = {(one.role, one.copy, one.path) for one in run.files}
    if {(one.role, one.copy, one.path) for one in list_files(project)} != decided:
        changes.append(f"The project names other files than decision {decision.number} is about.")
    if changes:
        told = "\n".join(f"- {one}" for one in changes)
        raise RulingNeededError(f"Nothing is packed. Measure and decide again:\n{told}")
    parts = load_parts(project.folder, run)
    return Release(project, decision, run, parts, judge_run(project, run, parts))


def blocking_alerts(release: Release) -> list[str]:
    """The ids of alerts that stand against the release now, although it was decided."""
    despite = {one.alert: one.reason for one in release.decision.despite}
    against = alerts_against(release.judgement, despite)
    return [
        one.id
        for one in against
        if one.status == "block" or is_barred(one, release.judgement.audience)
    ]


# The synthetic data as the public gets them: declared, but for what only the original tells.


@dataclass(frozen=True)
class PublicData:
    """The synthetic files, ready to be written."""

    frames: tuple[pl.DataFrame, ...]
    stems: tuple[str, ...]
    codebook: Codebook
    is_partly: bool
    notes: tuple[str, ...]


_HOSTILE = re.compile(
    r"<[!/?A-Za-z]|://|^[=+@]|^-(?![\d ])"  # markup, addresses, what a spreadsheet would run
    r"|[A-Za-z]:\\|\\\\\w|/(?:home|root|Users|mnt|srv|tmp|var)/"
)


def _public_data(release: Release) -> PublicData:
    folder, data = release.project.folder, release.project.data
    labels = None if data.labels is None else folder / data.labels
    tables = [read_table(folder / path, side="synthetic") for path in data.synthetic]
    if any(table.frame.columns != tables[0].frame.columns for table in tables):
        raise SettingsError(
            "The synthetic files have different columns, so one codebook cannot describe them."
            " Release them in packs of their own."
        )
    original = read_table(folder / data.original, side="original", dictionary=labels)
    fitted = [_fit(table, original) for table in tables]
    frames = tuple(frame for frame, _ in fitted)
    book, notes = _public_codebook(frames, fitted[0][1])
    is_partly = any(codebook_of(table).file_label == PARTLY_LABEL for table in tables)
    if "row-order" not in release.project.pack.released:
        frames = tuple(map(_shuffle, frames))
    return PublicData(frames, tuple(_stems(data.synthetic)), book, is_partly, tuple(notes))


def _stems(paths: Sequence[str]) -> Iterator[str]:
    names = [PurePosixPath(path.replace("\\", "/")).name.split(".", 1)[0] for path in paths]
    for number, name in enumerate(names, start=1):
        yield name if names.count(name) == 1 else f"{name}_{number}"


def _fit(table: Table, original: Table) -> tuple[pl.DataFrame, dict[str, Variable]]:
    """Columns coded as they are declared: by the synthetic file, or else by the original."""
    columns, known = {}, {}
    for column in table.frame.get_columns():
        for said in (table.variables.get(column.name), original.variables.get(column.name)):
            if said is None or not (said.levels or said.label or said.missing):
                continue
            try:
                columns[column.name] = fit_column(column.alias(""), said)
                known[column.name] = said
                break
            except WriteError:
                continue  # declared of other values, such as those before a recoding
        else:
            columns[column.name], known[column.name] = column, variable_of(column)
    return pl.DataFrame(columns), known


def _public_codebook(
    frames: Sequence[pl.DataFrame], known: Mapping[str, Variable]
) -> tuple[Codebook, Iterator[str]]:
    """What is declared, without codes that fewer than five records have, and hostile labels.

    A level that only the original has would tell that somebody has it.
    """
    rare, hostile, variables = [], [], []
    for name, said in known.items():
        counts = _count_codes([frame[name] for frame in frames])
        kept = [one for one in said.levels if counts(one.code) >= FEWEST_PEOPLE]
        clean = [one for one in kept if not _is_hostile(one.label)]
        label = None if said.label is None or _is_hostile(said.label) else said.label
        rare += [name] * (len(kept) < len(said.levels))
        hostile += [name] * (len(clean) < len(kept) or label != said.label)
        missing = tuple(code for code in said.missing if counts(code))
        variables.append(
            msgspec.structs.replace(said, label=label, levels=tuple(clean), missing=missing)
        )

    def notes() -> Iterator[str]:
        if rare:
            yield (
                f"Codes that fewer than {FEWEST_PEOPLE} records have are without a label in"
                f" {list_names(rare)}."
            )
        if hostile:
            yield (
                "Labels with markup, addresses, paths or characters that cannot be printed are"
                f" left out in {list_names(hostile)}."
            )

    return Codebook(source="", format="csv", variables=tuple(variables)), notes()


def _is_hostile(label: str) -> bool:
    return not label.isprintable() or _HOSTILE.search(label) is not None


def _count_codes(columns: Sequence[pl.Series]) -> Any:
    """How many records have a code, over all synthetic files."""
    values = pl.concat([column.alias("value").drop_nulls() for column in columns])
    if values.dtype == pl.Boolean:
        values = values.cast(pl.Int8)
    is_number = values.dtype.is_numeric()
    values = values.cast(pl.Float64 if is_number else pl.String)
    counts = dict(values.value_counts(name="n").iter_rows())
    return lambda code: counts.get(find_code_number(code) if is_number else str(code), 0)


def _shuffle(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows in an order that follows from their contents alone, and shows nothing else.

    Sorted first, whatever order they had is forgotten; then scattered by a hash of their place, so
    that the first rows are like the others. No seed takes part, and the same rows give one order.
    """
    texts = frame.select(pl.all().cast(pl.String, strict=False).fill_null("")).to_dict()
    order = pl.DataFrame({f"{n}": column for n, column in enumerate(texts.values())})
    place = np.arange(1, frame.height + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # splitmix64
        place = (place ^ (place >> np.uint64(shift))) * np.uint64(factor)
    ranks = order.with_row_index("row").sort(order.columns)["row"].to_numpy()
    return frame[ranks[np.argsort(place ^ (place >> np.uint64(31)), kind="stable")]]


# How the data were made, in a sentence; what is known to differ; what utility was selected.


@dataclass(frozen=True)
class _Origin:
    """What the records of the project say of how the synthetic files were made."""

    statement: str | None
    synthesis: Synthesis | None


def _find_origin(release: Release) -> _Origin:
    """One statement for all files; none where a file was made elsewhere, or they differ."""
    inputs, found = release.inputs, []
    made = [inputs.protection(file.path) for file in inputs.select_files("protection")]
    for path, mark in zip(release.project.data.synthetic, inputs.copy_marks, strict=True):
        mine = [one.protection for one in made if one is not None and one.is_of(*mark)]
        if mine:
            found.append(_Origin(mine[0].statement, mine[0].synthesis))
        elif (synthesis := _find_synthesis(release.project.folder, path, mark[0])) is not None:
            found.append(_Origin(statement_of(synthesis, (), None), synthesis))
        else:
            return _Origin(None, None)
    return found[0] if len({one.statement for one in found}) == 1 else _Origin(None, None)


def _find_synthesis(folder: Path, path: str, n_rows: int) -> Synthesis | None:
    for place in sorted((folder / CONFIDENTIAL).glob("synthesis_*.json"), reverse=True):
        try:
            kept = ConfidentialSynthesis.from_json(place.read_bytes())
        except (OSError, ReadError):
            continue
        if path in kept.copies and kept.synthesis.n_rows == n_rows:
            return kept.synthesis
    return None


_DIFFERENCES = {
    "only synthetic": "only in the synthetic data",
    "kind": "values of another kind than in the original",
    "written as": "values are written otherwise than in the original",
    "recoded": "coded otherwise than in the original",
    "contradiction": "codes contradict their labels in the original",
    "category": "the categories are not all those of the original",
    "missing": "missing values differ from the original's",
    "range": "the range differs from the original's",
}
"""What may be said of a difference: never a level, a number or the name of a column left out."""
_SEVERE = ("only synthetic", "kind", "contradiction")


def _differences(found: Sequence[CodebookDifferences]) -> Iterator[str]:
    rows = [row for record in found for row in record.rows]
    for kind, words in _DIFFERENCES.items():
        columns = dict.fromkeys(str(row.variable) for row in rows if row.kind == kind)
        if columns:
            yield f"{list_names(columns, most=40)}: {words}."
    if n := len({row.variable for row in rows if row.kind == "only original"}):
        yield f"{format_count(n, 'column')} of the original {'is' if n == 1 else 'are'} left out."


def _utility(release: Release) -> Iterator[str]:
    rows = [one for one in release.run.figures if one.measure == "S_pMSE" and one.value is not None]
    whole = [cast(float, one.value) for one in rows if one.subject is None]
    pairs = [cast(float, one.value) for one in rows if one.subject is not None]
    for chosen in release.project.pack.utility:
        if chosen == "S_pMSE" and whole:
            yield f"S_pMSE of all columns together: {max(whole):.2g} (1 is what chance gives)."
        if chosen == "pairs" and pairs:
            yield (
                f"S_pMSE of {format_count(len(pairs), 'pair')} of columns: median"
                f" {median(pairs):.2g}, highest {max(pairs):.2g} (1 is what chance gives)."
            )


# The four checks: each passed or open, with its evidence.


def _check_labelling(release: Release, data: Mapping[str, Path]) -> PackCheck:
    said = release.project.pack
    lacks_marker = said.is_low_fidelity and said.marker is None
    faults = [sentence for _, sentence in mark_faults(data, said.marker)]
    faults += ["Low-fidelity data need a column that says FAKE in every row."] * lacks_marker
    n = format_count(sum(not name.endswith(BESIDE) for name in data), "data file")
    column = ", and a column in every row" if said.marker else ""
    return PackCheck(
        name="labelling",
        is_passed=not faults,
        evidence=" ".join(faults) or f"{n}: name and label of each say FAKE{column}.",
        fix='Name the column in [pack]: marker = "FAKE".' if lacks_marker else None,
    )


def _check_disclosure(release: Release) -> PackCheck:
    alerts, decision = blocking_alerts(release), release.decision
    return PackCheck(
        name="disclosure",
        is_passed=not alerts,
        evidence=f"{format_count(len(alerts), 'alert')} against the release: {list_names(alerts)}."
        if alerts
        else f"Released by {decision.by} on {decision.on[:10]} (decision {decision.number}), after"
        " an assessment against limits accepted by name; the files are unchanged since.",
        fix="Decide again: unveil run, unveil decide." if alerts else None,
    )


def _check_structure(release: Release, origin: _Origin, n_columns: int) -> PackCheck:
    found = [record for _, record in release.parts.of("structure")]
    severe = dict.fromkeys(
        str(row.variable) for record in found for row in record.rows if row.kind in _SEVERE
    )
    open_, fix = "", None
    if not found:
        open_, fix = "The structure was not compared with the original's.", "unveil run --again"
    elif severe and not release.project.pack.differences:
        open_ = f"Built otherwise than the original: {list_names(severe)}."
        fix = 'Explain it in [pack]: differences = ["..."].'
    elif release.project.pack.is_low_fidelity and (modelled := _modelled(origin.synthesis)):
        open_ = f"Not of low fidelity: {list_names(modelled)} follow other columns."
        fix = 'Synthesise with method = "sample", or omit fidelity in [pack].'
    told = f"{format_count(n_columns, 'column')}, each described in the codebook;"
    n = len([*_differences(found)]) + len(release.project.pack.differences)
    return PackCheck(
        name="structure",
        is_passed=not open_,
        evidence=open_ or f"{told} {format_count(n, 'known difference')} listed.",
        fix=fix,
    )


def _modelled(synthesis: Synthesis | None) -> list[str]:
    """Columns of which low fidelity is not shown: modelled on others, or made elsewhere."""
    if synthesis is None:
        return ["columns made elsewhere"]
    return [one.name for one in synthesis.columns if one.predictors or one.role == "kept"]


def _check_documentation(release: Release, method: str | None, noise: str | None) -> PackCheck:
    said = {
        "method": method,
        "noise": noise,
        "licence": release.project.pack.licence,
        "contact": release.project.pack.contact,
    }
    lacking = [name for name, text in said.items() if text is None]
    example = ", ".join(f'{name} = "..."' for name in lacking)
    return PackCheck(
        name="documentation",
        is_passed=not lacking,
        evidence=f"Not stated: {', '.join(lacking)}."
        if lacking
        else "Codebook, class of method, noise statement, advice, licence and contact.",
        fix=f"State it in [pack]: {example}." if lacking else None,
    )


# Building a pack, looking at it again, and putting it in place.


def pack_public(
    project: ProjectFile,
    out: str | os.PathLike[str],
    *,
    sign: str | os.PathLike[str] | None = None,
) -> Pack:
    """Build the public pack of the release that stands, and write it if nothing leaks.

    Raises
    ------
    RulingNeededError
        Without a decision to release files that are unchanged since, or with an open check (4).
    LeakError
        If the finished archive holds what must not leave (5); nothing is written.
    """
    place = _parse_out(out)
    with lock_project(project.folder, "unveil pack"), _staged(project.folder) as stage:
        heal_log(project.folder)
        forget_hashes()
        release = find_release(project)
        members, documents = _public_members(release, stage)
        with _written(place, members, mode=0o666) as archive:
            leaks = [
                one
                for one in find_leaks(archive, gather_secrets(release, frozenset(members)))
                if one.id not in project.pack.released
            ]
            if leaks:
                raise LeakError(_refusal([(one.id, one.sentence) for one in leaks]))
            made = _record(place, "public", archive, members, documents)
            signature = None if sign is None else sign_file(archive, Path(os.fsdecode(sign)))
        made = msgspec.structs.replace(made, more=project.pack.more)
        pack = _signed(place, made, signature)
        _log(project, release, pack)
    return pack


def _refusal(found: Sequence[tuple[str, str]]) -> str:
    told = "\n".join(f"- {id_}: {sentence}" for id_, sentence in found)
    return (
        f"The leak check refused the pack, and nothing was written.\n{told}\nRemove it, or state in"
        " project.toml who releases it all the same and why:"
        f' [[pack.more]] release = "{found[0][0]}", reason = "...", by = "Name, role".'
    )


def pack_confidential(
    project: ProjectFile,
    out: str | os.PathLike[str],
    *,
    sign: str | os.PathLike[str] | None = None,
) -> Pack:
    """Archive runs, decisions, log, seeds and all else that stays, readable by the owner only."""
    place = _parse_out(out)
    with lock_project(project.folder, "unveil pack"), _staged(project.folder):
        heal_log(project.folder)
        forget_hashes()
        run = load_run(project.folder)
        faults, _ = release_obstacles(project.folder, run.number)
        if faults:
            raise TamperedError(f"Nothing is packed: {faults[0].sentence} {faults[0].fix or ''}")
        files: dict[str, Path | bytes] = dict(_archived(project.folder, place))
        decisions = load_decisions(project.folder)
        parts = load_parts(project.folder, run)
        files[CRATE] = confidential_crate(
            project.title,
            run=run,
            decision=decisions[-1] if decisions else None,
            judgement=judge_run(project, run, parts),
            answers=list_answers(project),
            members=_members(files),
        )
        files[MANIFEST] = manifest_text(_members(files)).encode()
        with _written(place, files, mode=0o600) as archive:
            made = _record(place, "confidential", archive, files, None)
            signature = None if sign is None else sign_file(archive, Path(os.fsdecode(sign)))
        return _signed(place, made, signature)


def _archived(folder: Path, out: Path) -> Iterator[tuple[str, Path]]:
    """Every file of the project that is no data, but for what is under way and the pack itself."""
    for name in _ARCHIVED:
        place = folder / name
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            inside = file.relative_to(folder)
            is_ours = file.is_file() and not any(part.startswith(".") for part in inside.parts)
            if is_ours and file.resolve() != out.resolve():
                yield inside.as_posix(), file


def _parse_out(out: str | os.PathLike[str]) -> Path:
    place = Path(os.fsdecode(out))
    if place.suffix.lower() != ".zip":
        raise WriteError(
            f"A release pack is a zip archive, and {quote_text(place.name)} does not end in .zip."
            " Name another file."
        )
    return place


@contextmanager
def _staged(folder: Path) -> Iterator[Path]:
    """A folder for what is being made; what a killed command left in it goes."""
    stage = folder / STAGE
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(mode=0o700, parents=True)
    except OSError as fault:
        raise WriteError(
            f"The folder {RUNS!r} of the project cannot be written: {fault.strerror}."
        ) from None
    try:
        yield stage
    finally:
        shutil.rmtree(stage, ignore_errors=True)


@contextmanager
def _written(place: Path, members: Mapping[str, Path | bytes], *, mode: int) -> Iterator[Path]:
    """The finished archive beside its place, to be looked at; in place when the block ends."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        for one in place.parent.iterdir():
            if one.name.startswith(f".{place.name}.") and is_left_behind(one):
                one.unlink(missing_ok=True)
        with write_beside(place, mode=mode) as archive:
            write_archive(archive, members)
            if os.path.lexists(place) and file_sha256(place)[1] != file_sha256(archive)[1]:
                check_present(place)
            yield archive
    except OSError as fault:
        raise WriteError(
            f"The file {quote_text(str(place))} cannot be written: {fault.strerror}. Name a file"
            " in a folder in which you may create files."
        ) from None


def _record(
    place: Path,
    form: PackForm,
    archive: Path,
    members: Mapping[str, Path | bytes],
    documents: PackDocuments | None,
) -> Pack:
    n_bytes, sha256 = file_sha256(archive)
    return Pack(
        path=str(place),
        form=form,
        n_bytes=n_bytes,
        sha256=sha256,
        is_new=not os.path.lexists(place),
        is_signed=False,
        members=_members(members),
        checks=() if documents is None else documents.checks,
        notes=() if documents is None else documents.notes,
    )


def _signed(place: Path, made: Pack, signature: bytes | None) -> Pack:
    if signature is None:
        return made
    beside = place.with_name(f"{place.name}.sig")
    try:
        replace_file(beside, signature, mode=0o666 if made.form == "public" else 0o600)
    except OSError as fault:
        raise WriteError(f"The signature cannot be written: {fault.strerror}.") from None
    return msgspec.structs.replace(made, is_signed=True)


def _log(project: ProjectFile, release: Release, pack: Pack) -> None:
    """One line for each pack, also where a killed command left it without one."""
    lines = read_log(project.folder)
    if any(line.event == "pack" and line.file_sha256 == pack.sha256 for line in lines):
        return
    append(
        project.folder,
        event="pack",
        subject=f"{release.decision.number} public",
        project_sha256=project_sha256(project),
        file_sha256=pack.sha256,
    )


def gather_secrets(release: Release, members: frozenset[str]) -> Secrets:
    """What the leak check looks for in a pack of a release with these members."""
    return Secrets.of(
        release.project,
        release.run,
        release.decision,
        release.inputs,
        members=members,
        alerts=blocking_alerts(release),
    )


_WHAT = {
    PAGE: "what it is, how to use it, what was decided",
    CODEBOOK: "codebook, for programs",
    BOOK_CSV: "codebook, as a table",
    STATEMENT: "class of method; kind and amount of noise",
    DECISION: "the decision",
    CRATE: "the record for programs (RO-Crate)",
    MANIFEST: "SHA-256 of every other file",
}


def _members(members: Mapping[str, Path | bytes]) -> tuple[PackMember, ...]:
    found = []
    for name in sorted(members):
        content = members[name]
        if isinstance(content, bytes):
            n, digest = len(content), hash_bytes(content)
        else:
            n, digest = file_sha256(content)
        what = _WHAT.get(name, "synthetic data" if name.startswith(DATA) else "added by name")
        found.append(PackMember(name=name, what=what, n_bytes=n, sha256=digest))
    return tuple(found)


def _public_members(release: Release, stage: Path) -> tuple[dict[str, Path | bytes], PackDocuments]:
    """Everything that leaves, made one by one: this is the list of what is allowed."""
    said, data = release.project.pack, _public_data(release)
    endings = said.formats or (choose_ending(release.project.data.synthetic[0]),)
    files = _write_data(release, data, cast(Sequence[Ending], endings), stage)
    first = [path for name, path in files.items() if name.endswith(f".{endings[0]}")]
    book = pooled_codebook(first)
    origin = _find_origin(release)
    paragraphs = (origin.statement or "").strip().split("\n\n")
    method = paragraphs[1] if origin.statement else said.method
    noise = "\n\n".join(paragraphs[2:]) if origin.statement else said.noise
    checks = (
        _check_labelling(release, files),
        _check_disclosure(release),
        _check_structure(release, origin, len(book.codebook.variables)),
        _check_documentation(release, method, noise),
    )
    # What is wrong with marks and alerts is for the leak check to refuse.
    if any(one.fix for one in checks if one.name != "disclosure"):
        still = [one for one in checks if not one.is_passed]
        told = "\n".join(f"- {one.name}: {one.evidence} {one.fix or ''}".strip() for one in still)
        raise RulingNeededError(f"Nothing is packed. Open checks:\n{told}")
    found = [record for _, record in release.parts.of("structure")]
    documents = PackDocuments(
        title=said.title or release.project.title,
        description=said.description,
        decision=_public_decision(release),
        is_low_fidelity=said.is_low_fidelity,
        licence=said.licence,
        contact=said.contact,
        publisher=said.publisher,
        method=method,
        noise=noise,
        n_records=tuple(frame.height for frame in data.frames),
        n_columns=len(book.codebook.variables),
        differences=(*_differences(found), *said.differences),
        utility=tuple(_utility(release)),
        checks=checks,
        notes=data.notes,
    )
    members: dict[str, Path | bytes] = {
        **files,
        **dict(_more_files(release.project)),
        CODEBOOK: f"{book.to_json()}\n".encode(),
        BOOK_CSV: f"{codebook_csv(book)}\n".encode(),
        STATEMENT: f"Noise statement\n\n{method}\n\n{noise}\n".encode(),
        DECISION: f"{documents.decision.to_json()}\n".encode(),
    }
    members[PAGE] = pack_page(documents, _members(members)).encode()
    limits = release.judgement.limits if "limits" in said.released else ()
    names = tuple(one.measure for one in release.judgement.limits)
    members[CRATE] = public_crate(documents, _members(members), names, limits)
    members[MANIFEST] = manifest_text(_members(members)).encode()
    return members, documents


def _write_data(
    release: Release, data: PublicData, endings: Sequence[Ending], stage: Path
) -> dict[str, Path]:
    jobs = [
        (frame, target_of(stage / f"{stem}.{ending}", fake=True))
        for ending in endings
        for stem, frame in zip(data.stems, data.frames, strict=True)
    ]
    marker = release.project.pack.marker
    made = write_files(jobs, WriteSettings(data.codebook, marker=marker, partly=data.is_partly))
    paths = [Path(path) for one in made for path in (one.path, *one.beside)]
    return {f"{DATA}{path.name}": path for path in paths}


def _more_files(project: ProjectFile) -> Iterator[tuple[str, Path]]:
    """Files that a named person adds; none of those that are confidential by their place."""
    data = project.data
    kept = [project.folder / one for one in (*_ARCHIVED, data.original, data.control) if one]
    for line in project.pack.more:
        if not line.release.startswith(_FILE):
            continue
        place = resolve_path(project.folder, line.release.removeprefix(_FILE))
        if any(place.resolve().is_relative_to(one.resolve()) for one in kept):
            raise SettingsError(
                f"{quote_text(line.release)} of [[pack.more]] is confidential. It cannot be"
                " released."
            )
        if not place.is_file():
            raise SettingsError(f"{quote_text(line.release)} of [[pack.more]] is not a file.")
        yield f"{MORE}/{place.name}", place


def _public_decision(release: Release) -> PublicDecision:
    decision, judgement = release.decision, release.decision.judgement
    accepted = [*decision.despite]
    accepted += [one.accepted for one in (judgement.alerts if judgement else ()) if one.accepted]
    # The id of an alert may name a level: its kind is all that is told.
    told = [f"{one.alert.partition(':')[0]}: {one.reason}" for one in accepted]
    return PublicDecision(
        number=decision.number,
        by=decision.by,
        on=decision.on,
        audience=release.judgement.audience,
        exceptions=tuple(dict.fromkeys(told)) if release.project.pack.exceptions else (),
    )
