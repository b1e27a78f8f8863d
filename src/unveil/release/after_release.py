"""Are the files still those that were released? What changed since a decision is told, no fault."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from unveil.errors import ReadError
from unveil.records.judgement import Decision
from unveil.records.run import InputFile, Run
from unveil.release.hashing import file_sha256
from unveil.release.sources import on_disk


def changed_since_release(
    folder: Path, decision: Decision, files: Iterable[InputFile]
) -> Iterator[str]:
    """The files that are no longer those of the run that a decision released, in sentences."""
    for file in files:
        try:
            _, now = file_sha256(on_disk(folder, file.path))
        except ReadError:
            now = None
        if now != file.sha256:
            what = "is gone or cannot be read" if now is None else "was changed"
            yield (
                f"The file {file.path!r} {what} since decision {decision.number} released run"
                f" {decision.run}: the decision is about the file as it was."
            )


def decided_lines(folder: Path, run: Run, decisions: Iterable[Decision]) -> Iterator[str]:
    """What a person who sees a run has to know of decisions: about it, or about one before it."""
    known = list(decisions)
    about = [one for one in known if one.run == run.number]
    if about:
        yield f"Run {run.number} was {_word(about[-1])} (decision {about[-1].number})."
        if about[-1].release:
            yield from changed_since_release(folder, about[-1], run.files)
    elif known and known[-1].release:
        last = known[-1]
        yield (
            f"Run {last.run} was {_word(last)} (decision {last.number}). This is a later run, and"
            " no decision is about it."
        )


def _word(decision: Decision) -> str:
    word = "released" if decision.release else "refused"
    return f"{word} by {decision.by} on {decision.on[:10]}"
