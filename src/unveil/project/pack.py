"""The release pack: what may leave, made from a list of what is allowed; the rest is archived.

Chapelle and Falissard ask to publish the kind and amount of noise and warn of ECAP values; Raab
advises no more than the class of method, and data that say that they are fake. Nothing gets into a
public pack because it lies in a folder: each member is made here, from the synthetic files that a
named person released. `leak_check` then opens the archive, and knows nothing of this module.
"""

import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePath
from statistics import median
from typing import Any, cast

import numpy as np
import polars as pl
from msgspec.structs import replace

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
from unveil.io.sources import hold, read_table
from unveil.io.table import Table
from unveil.io.text_types import apply_types
from unveil.io.write_checks import fit_column
from unveil.io.write_file import WriteSettings, target_of, write_files
from unveil.project.assess_stored_run import assess_stored_run
from unveil.project.decide import alerts_against, load_decisions
from unveil.project.fingerprint import file_sha256, forget_hashes, hash_bytes, project_sha256
from unveil.project.leak_check import (
    BESIDE,
    DATA,
    PackContents,
    Secrets,
    find_leaks,
    mark_faults,
    open_pack,
)
from unveil.project.lock import lock_project
from unveil.project.log import append, read_log
from unveil.project.log_repair import DECISIONS, complete_log
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
    PackCheckName,
    PackDocuments,
    PackForm,
    PackMember,
    PublicDecision,
)
from unveil.records.report import Parts
from unveil.records.run import Run
from unveil.records.synthesis import ConfidentialSynthesis, Synthesis
from unveil.view.codebook_csv import codebook_csv
from unveil.view.format import format_count
from unveil.view.pack import pack_page

STAGE = f"{RUNS}/.pack"
STATEMENT, DECISION, BOOK_CSV, MORE = "noise_statement.txt", "decision.json", "codebook.csv", "more"
_ARCHIVED = ("project.toml", "log.jsonl", RUNS, DECISIONS, CONFIDENTIAL)
_WHAT = {
    PAGE: "what it is, how to use it, what was decided",
    CODEBOOK: "codebook, for programs",
    BOOK_CSV: "codebook, as a table",
    STATEMENT: "class of method; kind and amount of noise",
    DECISION: "the decision",
    CRATE: "the record for programs (RO-Crate)",
    MANIFEST: "SHA-256 of every other file",
}
Contents = dict[str, Path | bytes]


# What was released? A decision of a named person, about files that are as they were.


@dataclass(frozen=True)
class Release:
    """The last decision, which releases, with the run that it is about."""

    project: ProjectFile
    decision: Decision
    run: Run
    parts: Parts
    judgement: Judgement  # of now

    @property
    def inputs(self) -> Inputs:
        """The files of the run."""
        return Inputs(self.project, self.run.files, in_memory=True)

    @cached_property
    def original(self) -> Table:
        """The original as it was collected, with what is declared of it."""
        data, folder = self.project.data, self.project.folder
        labels = None if data.labels is None else folder / data.labels
        held = hold(folder / data.original, side="original", dictionary=labels, types=data.types)
        return read_table(held, side="original")

    @cached_property
    def copies(self) -> tuple[Table, ...]:
        """The synthetic files as anybody reads them."""
        paths = (self.project.folder / path for path in self.project.data.synthetic)
        return tuple(read_table(path, side="synthetic") for path in paths)

    @property
    def copy_marks(self) -> list[tuple[int, str]]:
        """By what the record of a copy knows it: records, and hash."""
        files = self.inputs.select_files("synthetic")
        pairs = zip(self.copies, files, strict=True)
        return [(table.frame.height, file.sha256) for table, file in pairs]

    @property
    def alerts(self) -> list[str]:
        """Alerts that stand against the release now, although it was decided."""
        despite = {one.alert: one.reason for one in self.decision.despite}
        against = alerts_against(self.judgement, despite)
        barred = self.judgement.audience
        return [one.id for one in against if one.status == "block" or is_barred(one, barred)]

    @property
    def n_accepted(self) -> int:
        """Alerts that stood against the release until a named person accepted them."""
        accepted = {one.id for one in self.judgement.alerts if one.accepted is not None}
        return len(accepted | {one.alert for one in self.decision.despite})

    @property
    def differences(self) -> list[CodebookDifferences]:
        """How the structure of each synthetic file differs."""
        return [record for _, record in self.parts.of("structure")]


def find_release(project: ProjectFile) -> Release:
    """The release that stands; refused where there is none, or something changed since."""
    decisions = load_decisions(project.folder)
    if not decisions or not decisions[-1].release:
        what = "The last decision refuses" if decisions else "No decision releases these files"
        raise RulingNeededError(
            f'Nothing is packed. {what}. First: unveil decide --release --by "Name, role" --note'
            ' "...".'
        )
    decision = decisions[-1]
    _check_log(project.folder, decision.run)
    run = load_run(project.folder, decision.run)
    _check_unchanged(project, decision, run)
    parts = load_parts(project.folder, run)
    return Release(project, decision, run, parts, assess_stored_run(project, run, parts))


def _check_unchanged(project: ProjectFile, decision: Decision, run: Run) -> None:
    forget_hashes()
    changes = [*changes_since_release(project.folder, decision, run.files)]
    decided = {(one.role, one.copy, one.path) for one in run.files}
    if {(one.role, one.copy, one.path) for one in list_files(project)} != decided:
        changes.append(f"The project names other files than decision {decision.number} is about.")
    if changes:
        told = "\n".join(f"- {one}" for one in changes)
        raise RulingNeededError(f"Nothing is packed. Measure and decide again:\n{told}")


def _check_log(folder: Path, run: int) -> None:
    faults, _ = release_obstacles(folder, run)
    if faults:
        raise TamperedError(
            f"Nothing is packed: {faults[0].sentence} {faults[0].fix or ''} {len(faults)} such,"
            " see unveil log --verify."
        )


# The synthetic data as the public gets them: declared, but for what only the original tells.


_HOSTILE = re.compile(
    r"<[!/?A-Za-z]|://|^[=+@]|^-(?![\d ])"  # markup, addresses, what a spreadsheet would run
    r"|[A-Za-z]:\\|\\\\\w|/(?:home|root|Users|mnt|srv|tmp|var)/"
)


def _write_data(release: Release, stage: Path) -> tuple[dict[str, Path], str, list[str]]:
    """The data files by member, the ending of the first format, and notes on their labels."""
    project, said = release.project, release.project.pack
    paths, tables = [Path(path) for path in project.data.synthetic], release.copies
    if any(table.frame.columns != tables[0].frame.columns for table in tables):
        raise SettingsError(
            "The synthetic files have different columns, so one codebook cannot describe them."
            " Release them in packs of their own."
        )
    fitted = [_fit(table, release.original) for table in tables]
    frames = [frame for frame, _ in fitted]
    book, notes = _public_codebook(frames, fitted[0][1])
    if "row-order" not in said.released:
        frames = [*map(_shuffle, frames)]
    names = [PurePath(path.name.split(".", 1)[0]).name for path in paths]
    stems = [f"{one}_{n}" if names.count(one) > 1 else one for n, one in enumerate(names, 1)]
    endings = said.formats or (choose_ending(paths[0].name),)
    jobs = [
        (frame, target_of(stage / f"{stem}.{ending}", fake=True))
        for ending in endings
        for stem, frame in zip(stems, frames, strict=True)
    ]
    partly = any(codebook_of(table).file_label == PARTLY_LABEL for table in tables)
    made = write_files(jobs, WriteSettings(book, marker=said.marker, partly=partly))
    written = [Path(path) for one in made for path in (one.path, *one.beside)]
    return {f"{DATA}{path.name}": path for path in written}, f".{endings[0]}", notes


def _fit(table: Table, original: Table) -> tuple[pl.DataFrame, dict[str, Variable]]:
    """Columns coded as they are declared: by the synthetic file, or else by the original."""
    columns, known = {}, {}
    for column in table.frame.get_columns():
        name = column.name
        columns[name], known[name] = column, variable_of(column)
        for said in (table.variables.get(name), original.variables.get(name)):
            if said is not None and (said.levels or said.label or said.missing):
                try:
                    columns[name], known[name] = fit_column(column.alias(""), said), said
                    break
                except WriteError:  # declared of other values, such as those before a recoding
                    continue
    return pl.DataFrame(columns), known


def _public_codebook(
    frames: Sequence[pl.DataFrame], known: Mapping[str, Variable]
) -> tuple[Codebook, list[str]]:
    """What is declared, without codes that fewer than five records have, and hostile labels.

    A level that only the original has would tell that somebody has it.
    """
    rare, hostile, variables = [], [], []
    for name, said in known.items():
        counts = _count_codes([frame[name] for frame in frames])
        kept = [one for one in said.levels if counts(one.code) >= FEWEST_PEOPLE]
        clean = tuple(one for one in kept if not _is_hostile(one.label))
        label = None if said.label is None or _is_hostile(said.label) else said.label
        rare += [name] * (len(kept) < len(said.levels))
        hostile += [name] * (len(clean) < len(kept) or label != said.label)
        missing = tuple(code for code in said.missing if counts(code))
        variables.append(replace(said, label=label, levels=clean, missing=missing))
    notes = {
        f"Codes of fewer than {FEWEST_PEOPLE} records have no label in {list_names(rare)}.": rare,
        f"Labels that a program might run are omitted in {list_names(hostile)}.": hostile,
    }
    book = Codebook(source="", format="csv", variables=tuple(variables))
    return book, [sentence for sentence, names in notes.items() if names]


def _is_hostile(label: str) -> bool:
    return not label.isprintable() or _HOSTILE.search(label) is not None


def _count_codes(columns: Sequence[pl.Series]) -> Any:
    """How many records have a code, over all synthetic files."""
    values = pl.concat([column.alias("value").drop_nulls() for column in columns])
    is_number = values.dtype.is_numeric() or values.dtype == pl.Boolean
    counts = values.cast(pl.Float64 if is_number else pl.String).value_counts(name="n")
    known = dict(counts.iter_rows())
    return lambda code: known.get(find_code_number(code) if is_number else str(code), 0)


def _shuffle(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows in an order that follows from their contents alone, and shows nothing else.

    Sorted first, whatever order they had is forgotten; then scattered by a hash of their place, so
    that the first rows are like the others. No seed takes part, and the same rows give one order.
    """
    texts = frame.select(pl.all().cast(pl.String, strict=False).fill_null("\uffff"))
    order = pl.DataFrame({f"{n}": column for n, column in enumerate(texts)})
    place = np.arange(1, frame.height + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):  # splitmix64
        place = (place ^ (place >> np.uint64(shift))) * np.uint64(factor)
    ranks = order.with_row_index("row").sort(order.columns)["row"].to_numpy()
    return frame[ranks[np.argsort(place ^ (place >> np.uint64(31)), kind="stable")]]


# How the data were made, in a sentence; what is known to differ; what utility was selected.


Origin = tuple[str | None, Synthesis | None]
"""The public statement of synthetic files, and the record of their synthesis."""


def _find_origin(release: Release) -> Origin:
    """One statement for all files; none where a file was made elsewhere, or they differ."""
    inputs, found = release.inputs, dict[str | None, Origin]()
    made = [inputs.protection(file.path) for file in inputs.select_files("protection")]
    for path, mark in zip(release.project.data.synthetic, release.copy_marks, strict=True):
        origin: Origin = (None, None)
        synthesis = _find_synthesis(release.project.folder, path, mark[0])
        if synthesis is not None:
            origin = statement_of(synthesis, (), None), synthesis
        for one in made:
            if one is not None and one.is_of(*mark):
                origin = one.protection.statement, one.protection.synthesis
        found[origin[0]] = origin
    return next(iter(found.values())) if len(found) == 1 else (None, None)


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


def _differences(release: Release) -> Iterator[str]:
    rows = [row for record in release.differences for row in record.rows]
    for kind, words in _DIFFERENCES.items():
        columns = dict.fromkeys(str(row.variable) for row in rows if row.kind == kind)
        if columns:
            yield f"{list_names(columns, most=40)}: {words}."
    if n := len({row.variable for row in rows if row.kind == "only original"}):
        yield f"{format_count(n, 'column')} of the original {'is' if n == 1 else 'are'} omitted."
    yield from release.project.pack.differences


def _utility(release: Release) -> Iterator[str]:
    rows = [one for one in release.run.figures if one.measure == "S_pMSE" and one.value is not None]
    whole = [cast(float, one.value) for one in rows if one.subject is None]
    pairs = [cast(float, one.value) for one in rows if one.subject is not None]
    for chosen in release.project.pack.utility:
        if chosen == "S_pMSE" and whole:
            yield f"S_pMSE of all columns together: {max(whole):.2g} (1 is what chance gives)."
        if chosen == "pairs" and pairs:
            n = format_count(len(pairs), "pair")
            yield f"S_pMSE of {n} of columns: median {median(pairs):.2g}, highest {max(pairs):.2g}."


# The four checks: each passed, or open with what is lacking.


def _check(name: PackCheckName, evidence: str, *lacking: str, fix: str | None = None) -> PackCheck:
    """Passed with its evidence, unless something is lacking."""
    told = " ".join(filter(None, lacking))
    return PackCheck(name=name, is_passed=not told, evidence=told or evidence, fix=fix)


def _checks(
    release: Release, opened: PackContents, synthesis: Synthesis | None, said: Mapping[str, Any]
) -> Iterator[PackCheck]:
    pack, decision = release.project.pack, release.decision
    n = format_count(sum(not name.endswith(BESIDE) for name in opened.files), "data file")
    column = ", and a column in every row" if pack.marker else ""
    told = format_count(release.n_accepted, "alert")
    despite = f", despite {told} accepted by name" if release.n_accepted else ""
    needs = 'Name it in [pack]: marker = "FAKE".' if pack.is_low_fidelity and not column else None
    yield _check(
        "labelling",
        f"{n}: name and label of each say FAKE{column}.",
        *(sentence for _, sentence in mark_faults(opened, pack.marker)),
        "Low-fidelity data need a column that says FAKE in every row." if needs else "",
        fix=needs,
    )
    yield _check(
        "disclosure",
        f"Released by {decision.by} on {decision.on[:10]} (decision {decision.number}), after an"
        f" assessment against limits accepted by name{despite}; the files are unchanged since.",
        f"Alerts stand against it: {list_names(release.alerts)}." if release.alerts else "",
    )
    lacking, fix = _structure_lack(release, synthesis)
    listed = format_count(len([*_differences(release)]), "known difference")
    yield _check("structure", f"Each column is in the codebook; {listed}.", lacking, fix=fix)
    open_ = [name for name, text in said.items() if text is None]
    examples = [f'{name} = "..."' for name in open_]
    yield _check(
        "documentation",
        "Codebook, class of method, noise statement, advice, licence and contact.",
        f"Not stated: {', '.join(open_)}." if open_ else "",
        fix=f"State in [pack]: {', '.join(examples)}." if open_ else None,
    )


def _structure_lack(release: Release, synthesis: Synthesis | None) -> tuple[str, str | None]:
    rows = [row for record in release.differences for row in record.rows]
    severe = dict.fromkeys(str(row.variable) for row in rows if row.kind in _SEVERE)
    if not release.differences:
        return "The structure was not compared with the original's.", "Measure it: unveil run."
    if severe and not release.project.pack.differences:
        told = f"Built otherwise than the original: {list_names(severe)}."
        return told, 'Explain it in [pack]: differences = ["..."].'
    columns = () if synthesis is None else synthesis.columns
    modelled = [one.name for one in columns if one.predictors or one.role == "kept"]
    if release.project.pack.is_low_fidelity and (modelled or synthesis is None):
        told = f"Low fidelity is not shown of {list_names(modelled) or 'files made elsewhere'}."
        return told, 'Synthesise with method = "sample", or omit fidelity in [pack].'
    return "", None


# Building a pack, looking at it again, and putting it in place.


Key = str | os.PathLike[str] | None


def pack_public(project: ProjectFile, out: str | os.PathLike[str], *, sign: Key = None) -> Pack:
    """Build the public pack of the release that stands, and write it if nothing leaks.

    Raises
    ------
    RulingNeededError
        Without a decision to release files that are unchanged since, or with an open check (4).
    LeakError
        If the finished archive holds what must not leave (5); nothing is written.
    """
    with _prepared(project, out) as (place, stage):
        release = find_release(project)
        members, documents = _public_members(release, stage)

        def look_again(archive: Path) -> None:
            found = find_leaks(archive, gather_secrets(release, frozenset(members)))
            leaks = [one for one in found if one.id not in project.pack.released]
            if leaks:
                told = "\n".join(f"- {one.id}: {one.sentence}" for one in leaks)
                raise LeakError(
                    f"The leak check refused the pack, and nothing was written.\n{told}\nRemove"
                    " it, or state in project.toml who releases it all the same and why:"
                    f' [[pack.more]] release = "{leaks[0].id}", reason = "...", by = "Name, role".'
                )
            _check_unchanged(project, release.decision, release.run)  # also while it was read

        made = _write(place, "public", members, sign, look_again)
        _log(project, release, made)
        return replace(made, checks=documents.checks, notes=documents.notes, more=project.pack.more)


def pack_confidential(
    project: ProjectFile, out: str | os.PathLike[str], *, sign: Key = None
) -> Pack:
    """Archive runs, decisions, log, seeds and all else that stays, readable by the owner only."""
    with _prepared(project, out) as (place, _):
        run = load_run(project.folder)
        _check_log(project.folder, run.number)
        members: Contents = dict(_archived(project.folder, place))
        decisions = load_decisions(project.folder)
        members[CRATE] = confidential_crate(
            project.title,
            run=run,
            decision=decisions[-1] if decisions else None,
            judgement=assess_stored_run(project, run, load_parts(project.folder, run)),
            answers=list_answers(project),
            members=_members(members),
        )
        members[MANIFEST] = manifest_text(_members(members)).encode()
        return _write(place, "confidential", members, sign)


def _archived(folder: Path, out: Path) -> Iterator[tuple[str, Path]]:
    """Every file of the project that is no data, but for what is under way and the pack itself."""
    for name in _ARCHIVED:
        place = folder / name
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            inside = file.relative_to(folder)
            is_ours = file.is_file() and not any(part.startswith(".") for part in inside.parts)
            if is_ours and file.resolve() != out.resolve():
                yield inside.as_posix(), file


@contextmanager
def _prepared(project: ProjectFile, out: str | os.PathLike[str]) -> Iterator[tuple[Path, Path]]:
    """Where the pack goes, and a folder to make it in, without what a killed command left."""
    place, stage = Path(os.fsdecode(out)), project.folder / STAGE
    if place.suffix.lower() != ".zip":
        raise WriteError(
            f"A release pack is a zip archive, and {quote_text(place.name)} does not end in .zip."
            " Name another file."
        )
    with lock_project(project.folder, "unveil pack"):
        complete_log(project.folder)
        try:
            shutil.rmtree(stage, ignore_errors=True)
            stage.mkdir(mode=0o700, parents=True)
            yield place, stage
        except OSError as fault:
            raise WriteError(
                f"The pack {quote_text(str(place))} cannot be written: {fault.strerror}. Name a"
                " file in a folder in which you may create files."
            ) from None
        finally:
            shutil.rmtree(stage, ignore_errors=True)


def _write(
    place: Path,
    form: PackForm,
    members: Contents,
    sign: Key,
    look_again: Callable[[Path], None] = lambda archive: None,
) -> Pack:
    """Write the archive beside its place; once it was looked at it is put there, and signed."""
    mode = 0o666 if form == "public" else 0o600
    place.parent.mkdir(parents=True, exist_ok=True)
    for one in place.parent.iterdir():
        if one.name.startswith(f".{place.name}.") and is_left_behind(one):
            one.unlink(missing_ok=True)
    with write_beside(place, mode=mode) as archive:
        write_archive(archive, members)
        n_bytes, sha256 = file_sha256(archive)
        is_new = not os.path.lexists(place)
        if not is_new and file_sha256(place)[1] != sha256:
            check_present(place)
        look_again(archive)
        signature = None if sign is None else sign_file(archive, Path(os.fsdecode(sign)))
    if signature is not None:
        replace_file(place.with_name(f"{place.name}.sig"), signature, mode=mode)
    return Pack(
        path=str(place),
        form=form,
        n_bytes=n_bytes,
        sha256=sha256,
        is_new=is_new,
        is_signed=sign is not None,
        members=_members(members),
    )


def _log(project: ProjectFile, release: Release, pack: Pack) -> None:
    """One line for each pack, also where a killed command left it without one."""
    lines = read_log(project.folder)
    if not any(line.event == "pack" and line.file_sha256 == pack.sha256 for line in lines):
        append(
            project.folder,
            event="pack",
            subject=f"{release.decision.number} public",
            project_sha256=project_sha256(project),
            file_sha256=pack.sha256,
        )


def gather_secrets(release: Release, members: frozenset[str]) -> Secrets:
    """What the leak check looks for in a pack of a release with these members."""
    typed = [apply_types(one, release.project.data.types).frame for one in release.copies]
    return Secrets(
        release.project,
        release.run,
        release.decision,
        release.original,
        pl.concat(typed, how="diagonal_relaxed"),
        members,
        tuple(release.alerts),
    )


def _members(members: Mapping[str, Path | bytes]) -> tuple[PackMember, ...]:
    found = []
    for name, content in sorted(members.items(), key=lambda one: one[0]):
        if isinstance(content, bytes):
            n, digest = len(content), hash_bytes(content)
        else:
            n, digest = file_sha256(content)
        kind = "codebook of the text file" if name.endswith(BESIDE) else "synthetic data"
        what = _WHAT.get(name, kind if name.startswith(DATA) else "added by name")
        found.append(PackMember(name=name, what=what, n_bytes=n, sha256=digest))
    return tuple(found)


def _public_members(release: Release, stage: Path) -> tuple[Contents, PackDocuments]:
    """Everything that leaves, made one by one: this is the list of what is allowed."""
    said = release.project.pack
    files, first, notes = _write_data(release, stage)
    opened = open_pack(files)
    mine = [one for name, one in opened.tables.items() if name.endswith(first)]
    book = pooled_codebook(mine)
    statement, synthesis = _find_origin(release)
    _, *paragraphs = (statement or "").strip().split("\n\n")
    method = paragraphs[0] if paragraphs else said.method
    noise = "\n\n".join(paragraphs[1:]) if paragraphs else said.noise
    texts = {"method": method, "noise": noise, "licence": said.licence, "contact": said.contact}
    checks = tuple(_checks(release, opened, synthesis, texts))
    if any(one.fix for one in checks):  # wrong marks and alerts are for the leak check to refuse
        still = [one for one in checks if not one.is_passed]
        told = "\n".join(f"- {one.name}: {one.evidence} {one.fix or ''}".strip() for one in still)
        raise RulingNeededError(f"Nothing is packed. Open checks:\n{told}")
    documents = PackDocuments(
        title=said.title or release.project.title,
        description=said.description,
        decision=_public_decision(release),
        is_low_fidelity=said.is_low_fidelity,
        publisher=said.publisher,
        n_records=book.n_records,
        n_files=len(mine),
        n_columns=len(book.codebook.variables),
        differences=tuple(_differences(release)),
        utility=tuple(_utility(release)),
        checks=checks,
        notes=tuple(notes),
        **texts,
    )
    members: Contents = {
        **files,
        **dict(_more_files(release.project)),
        CODEBOOK: f"{book.to_json()}\n".encode(),
        BOOK_CSV: f"{codebook_csv(book)}\n".encode(),
        STATEMENT: f"Noise statement\n\n{method}\n\n{noise}\n".encode(),
        DECISION: f"{documents.decision.to_json()}\n".encode(),
    }
    members[PAGE] = pack_page(documents, _members(members)).encode()
    is_told = "limits" in said.released
    members[CRATE] = public_crate(
        documents, _members(members), release.judgement.limits, with_thresholds=is_told
    )
    members[MANIFEST] = manifest_text(_members(members)).encode()
    return members, documents


def _more_files(project: ProjectFile) -> Iterator[tuple[str, Path]]:
    """Files that a named person adds; none of those that are confidential by their place."""
    kept = [*_ARCHIVED, project.data.original, project.data.control or RUNS]
    for line in project.pack.more:
        kind, _, name = line.release.partition(":")
        if kind != "file":
            continue
        place = resolve_path(project.folder, name)
        if any(place.resolve().is_relative_to((project.folder / one).resolve()) for one in kept):
            raise SettingsError(f"{quote_text(name)} is confidential and cannot be released.")
        if not place.is_file():
            raise SettingsError(f"{quote_text(name)} of [[pack.more]] is not a file.")
        yield f"{MORE}/{place.name}", place


def _public_decision(release: Release) -> PublicDecision:
    decision, judgement = release.decision, release.decision.judgement
    accepted = [*decision.despite]
    accepted += [one.accepted for one in (judgement.alerts if judgement else ()) if one.accepted]
    # The id of an alert may name a level: its kind is all that is told.
    told = dict.fromkeys(f"{one.alert.partition(':')[0]}: {one.reason}" for one in accepted)
    return PublicDecision(
        number=decision.number,
        by=decision.by,
        on=decision.on,
        audience=release.judgement.audience,
        exceptions=tuple(told) if release.project.pack.exceptions else (),
    )
