"""A small project with findings, for the tests of the desk: 60 people, a copy, two targets."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path

from unveil.project.edit_project import ProjectEdit, list_flags_now
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.records.disclosure import Disclosure
from unveil.records.judgement import FigureRow
from unveil.records.run import Run, RunPart

ANALYST = "A. Jones, analyst"
OFFICER = "B. Smith, data protection"
FACTORS = (
    "release_context",
    "taken_for_real",
    "other_sources",
    "intruder_knowledge",
    "method_released",
)

PROJECT = """\
schema = 1
title = "Desk"

[data]
original = "original.csv"
synthetic = ["copy.csv"]

[context]
audience = "registered"
analyst = "A. Jones, analyst"

[[scenario]]
name = "neighbour"
keys = ["sex", "age"]
targets = ["abroad", "ill"]
measures = ["disclosure", "suda"]
"""


def people(level: str = "NO", n: int = 120) -> list[str]:
    """Everybody says NO but every fortieth; illness goes with age."""
    lines = ["sex,age,abroad,ill"]
    for i in range(n):
        age = 20 + (i // 2) % 12
        abroad = "YES" if i % 40 == 7 else level
        lines.append(f"{'mf'[i % 2]},{age},{abroad},{'yes' if age == 31 else 'no'}")
    return lines


def made(folder: Path, text: str = PROJECT, *, level: str = "NO") -> Path:
    """A project in a folder, not yet run."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = people(level)
    (folder / "original.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    copy = [lines[0], *lines[21:], *lines[1:21]]
    (folder / "copy.csv").write_text("\n".join(copy) + "\n", encoding="utf-8")
    (folder / "project.toml").write_text(text, encoding="utf-8")
    return folder


def run(folder: Path, by: str | None = None) -> Run:
    """A run of the project as its file is now."""
    return run_project(read_project(folder), by=by)


def copied(folder: Path, place: Path) -> Path:
    """Another project that is the same to the byte."""
    shutil.copytree(folder, place)
    return place


def a_run(
    figures: tuple[FigureRow, ...] = (), parts: tuple[RunPart, ...] | None = None, **others
) -> Run:
    """A run that nobody made, with its gate; disclosure too where no parts are given."""
    said = {
        "number": 1,
        "title": "t",
        "by": ANALYST,
        "started": "2026-11-16T11:30:00Z",
        "finished": "2026-11-16T11:30:01Z",
        "seconds": 1.0,
        "n_resumed": 0,
        "project_sha256": "p",
        "settings_sha256": "s",
        "log_head": "0" * 64,
        "seed_file": None,
        "seed_sha256": None,
        "python": "3",
        "packages": (),
        "files": (),
        "n_original": 10,
        "n_synthetic": (10,),
        "warnings": (),
    }
    measured = (part("disclosure"),) if parts is None else parts
    gate = part("gate", name="gate", scenario=None)
    return Run(**{**said, **others}, figures=figures, parts=(gate, *measured))


def figure(measure: str, value: float | None, **others) -> FigureRow:
    """One figure of the part of disclosure."""
    return FigureRow(measure=measure, value=value, **{"part": "disclosure neighbour", **others})


def part(kind: str, *, state: str = "measured", reason: str | None = None, **others) -> RunPart:
    """A part that nobody measured."""
    said = {"name": f"{kind} neighbour", "scenario": "neighbour", "settings": "{}"}
    return RunPart(**{**said, **others}, kind=kind, fingerprint="f", state=state, reason=reason)


def flagged(record: Disclosure, *flags) -> Disclosure:
    """The same record with other flags."""
    from msgspec.structs import replace

    return replace(record, flags=flags)


@cache
def _base() -> Path:
    """A project with one run, made once."""
    folder = made(Path(tempfile.mkdtemp()) / "desk")
    atexit.register(shutil.rmtree, folder.parent, ignore_errors=True)
    run(folder)
    return folder


@cache
def _ready() -> Path:
    """A project in which nothing is left to be said, made once."""
    folder = copied(_base(), _base().parent / "ready")
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (100, 100)})
    for factor in FACTORS:
        Project(folder).answer(factor, "Thought about.", by=ANALYST)
    with ProjectEdit(read_project(folder), ANALYST) as edit:
        for finding in list_flags_now(edit.project):
            edit.rule(finding.id, accept=False, reason="Counted.")
    return folder


def ran(tmp_path: Path) -> Path:
    """A project of one's own with one run and nothing said."""
    return copied(_base(), tmp_path / "desk")


def ready(tmp_path: Path) -> Path:
    """A project of one's own in which nothing is left to be said."""
    return copied(_ready(), tmp_path / "desk")


def edited(folder: Path, old: str, new: str) -> None:
    """The project file edited by hand."""
    place = folder / "project.toml"
    text = place.read_text(encoding="utf-8")
    assert old in text
    place.write_text(text.replace(old, new, 1), encoding="utf-8")
