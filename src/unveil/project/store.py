"""Where do runs live? Each in a folder of its own that is put in place whole and never changed.

A run under way is `runs/.unfinished`: the record of each part that is done, and beside it what was
asked for. When all parts are done it gets its number by one rename. Whatever kills a run before
that leaves what the next run goes on with.
"""

import os
import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from unveil.atomic import is_left_behind, replace_file
from unveil.errors import ReadError, SettingsError, TamperedError, WriteError, list_names
from unveil.project.fingerprint import hash_bytes
from unveil.project.log import number_in, parse_lines, read_content
from unveil.records.base import Record
from unveil.records.report import RECORDS, Parts
from unveil.records.run import Run, RunPart

RUNS = "runs"
RESULTS = "results.json"
PARTS = "parts"
UNFINISHED = ".unfinished"
DONE = "done"
AGAIN = "again"
_NUMBER = re.compile(r"\d{4,9}")


def list_runs(folder: Path) -> tuple[int, ...]:
    """The numbers of the finished runs, in order."""
    return tuple(n for n in _numbers(folder) if (run_folder(folder, n) / RESULTS).is_file())


def _numbers(folder: Path) -> list[int]:
    place = folder / RUNS
    names = [one.name for one in place.iterdir()] if place.is_dir() else []
    found = (int(name) for name in names if _NUMBER.fullmatch(name))
    return sorted({n for n in found if f"{n:04d}" in names})


def next_number(folder: Path) -> int:
    """One more than any run that is there, is called like one, or once was logged."""
    return max([0, *_numbers(folder), *_logged_hashes(folder)]) + 1


def run_folder(folder: Path, number: int) -> Path:
    """Where one run lives."""
    return folder / RUNS / f"{number:04d}"


def load_run(folder: Path, n: int | None = None) -> Run:
    """A finished run; the last where no number is given.

    Raises
    ------
    TamperedError
        If its results are not those that were logged.
    """
    known = list_runs(folder)
    if not known:
        raise ReadError("The project has no finished run yet. Make one: unveil run.")
    number = known[-1] if n is None else n
    if number not in known:
        raise SettingsError(
            f"There is no run {number}. The runs are: {list_names(map(str, known))}."
        )
    place = run_folder(folder, number) / RESULTS
    content = _read(place)
    if _logged_hashes(folder).get(number, hash_bytes(content)) != hash_bytes(content):
        raise TamperedError(
            f"{_name_file(place)} differs from the log: the results of run {number} were changed."
            " Restore it from a backup; if there is none, measure everything again: unveil run"
            " --again."
        )
    run = Run.from_json(content)
    if run.number != number:
        raise ReadError(f"{_name_file(place)} is of another run. It was copied or changed.")
    return run


def _logged_hashes(folder: Path) -> dict[int, str]:
    """The results of every run, by SHA-256, as the log has them."""
    found: dict[int, str] = {}
    for line in parse_lines(read_content(folder)):
        number = number_in(line.subject)
        if line.event == "run" and number is not None and line.file_sha256 is not None:
            found[number] = line.file_sha256
    return found


def results_sha256(folder: Path, n: int) -> str:
    """Of `results.json` of one run, as it is on the disk now."""
    return hash_bytes(_read(run_folder(folder, n) / RESULTS))


def load_parts(folder: Path, run: Run) -> Parts:
    """The records of all parts of a run.

    Raises
    ------
    TamperedError
        If the file of a part is gone, or not as the run wrote it.
    """
    home = run_folder(folder, run.number)
    records = {}
    for part in run.parts:
        if part.file is not None:
            content = _intact(home, part)
            if content is None:
                raise TamperedError(
                    f"{_name_file(home / part.file)} is not as the run wrote it. Restore it from a"
                    " backup, or measure it again: unveil run."
                )
            records[part.name] = RECORDS[part.kind].from_json(content)
    return Parts(run, records)


def _intact(home: Path, part: RunPart) -> bytes | None:
    """The file of a part, if it is as it was written; it is looked for in its place alone."""
    if part.file is None or part.file != part_file(part):
        return None
    try:
        content = (home / part.file).read_bytes()
    except OSError:
        return None
    return content if hash_bytes(content) == part.sha256 else None


def find_damaged_parts(folder: Path, run: Run) -> tuple[RunPart, ...]:
    """The parts whose record is gone, or not as it was written."""
    home = run_folder(folder, run.number)
    return tuple(
        part for part in run.parts if part.file is not None and _intact(home, part) is None
    )


def part_file(part: RunPart) -> str:
    """The file of a part below its run's folder: by its name, whatever characters that has."""
    mark = hash_bytes(part.name.encode("utf-8", "surrogatepass"))[:16]
    return f"{PARTS}/{part.kind}_{mark}.json"


def _read(place: Path) -> bytes:
    try:
        return place.read_bytes()
    except OSError as fault:
        raise ReadError(f"{_name_file(place)} cannot be read: {fault.strerror}.") from None


def _name_file(place: Path) -> str:
    return f"The file {'/'.join(place.parts[place.parts.index(RUNS) :])!r}"


@contextmanager
def _explain_write_faults(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as fault:
        raise WriteError(
            f"{what} cannot be written: {fault.strerror}. Earlier results are kept. Free disk"
            " space or allow writing to the folder, then repeat unveil run."
        ) from None


def load_unfinished(folder: Path) -> tuple[tuple[RunPart, Record], ...]:
    """What a run under way has finished so far, part by part; its files are only read."""
    left = Unfinished(folder)
    if not (left.home / DONE).is_dir():
        return ()
    try:
        return tuple((part, left.record(part)) for part in left.load_parts().values())
    except (AssertionError, OSError):  # it got its number in this moment
        return ()


@dataclass(frozen=True)
class Unfinished:
    """The run under way, or what a killed one left."""

    folder: Path  # of the project

    @property
    def home(self) -> Path:
        """Where its parts are until it has a number."""
        return self.folder / RUNS / UNFINISHED

    @property
    def is_again(self) -> bool:
        """Whether a killed run was to measure everything anew."""
        return (self.home / AGAIN).exists()

    @property
    def lacks_number(self) -> bool:
        """Whether a killed run lacks nothing but its number."""
        return (self.home / RESULTS).exists()

    def open(self, *, again: bool) -> None:
        """Make the folders, and take up what was finished."""
        with _explain_write_faults(f"The folder {RUNS!r} of the project"):
            for place in (self.home, self.home / PARTS, self.home / DONE):
                place.mkdir(mode=0o700, parents=True, exist_ok=True)
            if again:
                (self.home / AGAIN).touch(mode=0o600)
            self._take_up()

    def sweep(self) -> None:
        """Take away what killed writers left half-written; strangers keep theirs."""
        places = (self.home.parent, self.home, self.home / PARTS, self.home / DONE)
        ours = (*places, self.folder / "confidential", self.folder / "decisions")
        with _explain_write_faults(f"The folder {RUNS!r} of the project"):
            for place in ours:
                for one in place.iterdir() if place.is_dir() else ():
                    if is_left_behind(one):
                        one.unlink(missing_ok=True)

    def _take_up(self) -> None:
        """A run that was killed between its last part and its rename is opened again."""
        written = self.home / RESULTS
        if not written.exists():
            return
        try:
            parts = Run.from_json(written.read_bytes()).parts
        except ReadError:
            parts = ()
        for part in parts:
            if part.file is not None and part.state == "measured":
                self._note(part)
        written.unlink()

    def load_parts(self) -> dict[str, RunPart]:
        """The parts that a killed run measured, by fingerprint, if their records are intact."""
        found = {}
        for place in sorted((self.home / DONE).iterdir()):
            try:
                part = RunPart.from_json(place.read_bytes())
            except (ReadError, OSError):
                continue
            if _intact(self.home, part) is not None:
                found[part.fingerprint] = part
        return found

    def record(self, part: RunPart) -> Record:
        """What a killed run measured."""
        content = _intact(self.home, part)
        assert content is not None
        return RECORDS[part.kind].from_json(content)

    def put(self, part: RunPart, record: Record) -> RunPart:
        """Write the record of a part that was just measured, and note that it is done."""
        content = record.to_json().encode()
        made = _with_file(part, content)
        with _explain_write_faults(f"The record of {part.name!r}"):
            replace_file(self.home / part_file(part), content, mode=0o600)
            self._note(made)
        return made

    def put_again(self, part: RunPart, content: bytes) -> RunPart:
        """Write the record that an earlier run measured."""
        made = _with_file(part, content)
        with _explain_write_faults(f"The record of {part.name!r}"):
            replace_file(self.home / part_file(part), content, mode=0o600)
        return made

    def _note(self, part: RunPart) -> None:
        name = Path(part_file(part)).name
        replace_file(self.home / DONE / name, part.to_json().encode(), mode=0o600)

    def finish(self, run: Run) -> None:
        """Give the run its number: from now on it is there whole, and before it was not."""
        kept = {part.file for part in run.parts}
        with _explain_write_faults(f"Run {run.number}"):
            for place in (self.home / PARTS).iterdir():
                if f"{PARTS}/{place.name}" not in kept:
                    place.unlink()
            replace_file(self.home / RESULTS, run.to_json().encode(), mode=0o600)
            shutil.rmtree(self.home / DONE)
            (self.home / AGAIN).unlink(missing_ok=True)
            os.rename(self.home, run_folder(self.folder, run.number))

    def drop(self) -> None:
        """Take it away where it turned out that nothing is to be measured."""
        shutil.rmtree(self.home, ignore_errors=True)


def _with_file(part: RunPart, content: bytes) -> RunPart:
    return replace(part, file=part_file(part), sha256=hash_bytes(content))


@dataclass(frozen=True)
class StoredPart:
    """A part of a finished run, and where its record is."""

    run: int
    part: RunPart
    home: Path

    def content(self) -> bytes | None:
        """Its record; None where it is not as it was written."""
        return _intact(self.home, self.part)


def load_measured(folder: Path, runs: Iterable[Run]) -> dict[str, StoredPart]:
    """What finished runs measured, by fingerprint; the last run goes before the others."""
    found: dict[str, StoredPart] = {}
    for run in runs:
        for part in run.parts:
            if part.file is not None:
                number = part.reused_from or run.number
                found[part.fingerprint] = StoredPart(number, part, run_folder(folder, run.number))
    return found


def load_runs(folder: Path) -> list[Run]:
    """Every finished run that is as it was logged, in order."""
    found = []
    for n in list_runs(folder):
        try:
            found.append(load_run(folder, n))
        except (ReadError, TamperedError):
            continue
    return found
