"""Each command parses a text of the project file once, and hashes each data file once."""

import os
from collections import Counter
from pathlib import Path

import pytest

from cli.project_commands import typed
from project_cases import ANALYST, OFFICER, edited, ran, ready, run
from unveil.project import fingerprint, read_project
from unveil.project.project import Project

BY = ("--by", ANALYST)
RULE = ("rule", "neighbour/abroad=NO", "--common-knowledge", "--reason", "Known.", *BY)
REFUSE = ("decide", "--refuse", "--note", "No.", "--by", OFFICER)
RELEASE = ("decide", "--release", "--note", "Yes.", "--by", OFFICER)
BOTH = {"original.csv": 1, "copy.csv": 1}


def settled(folder: Path) -> Path:
    """The project with files that were not changed a moment ago."""
    for one in folder.glob("*.csv"):
        os.utime(one, ns=(10**18, 10**18))
    return folder


@pytest.fixture
def counts(monkeypatch):
    """How often project files are parsed, and each file is hashed; all is forgotten first."""
    found = Counter()
    parse, hash_ = read_project.parse_document, fingerprint.size_and_sha256

    def parsing(name, text):
        found[name] += 1
        return parse(name, text)

    def hashing(file):
        found[Path(file.name).name] += 1
        return hash_(file)

    monkeypatch.setattr(read_project, "parse_document", parsing)
    monkeypatch.setattr(fingerprint, "size_and_sha256", hashing)
    return found


def forget(counts):
    read_project._parse_project.cache_clear()
    fingerprint.forget_hashes()
    counts.clear()


@pytest.mark.parametrize(
    ("command", "found"),
    [
        (("run",), (1, BOTH)),
        (("run", "--again"), (1, BOTH)),
        (("report",), (1, BOTH)),
        (("rule",), (1, BOTH)),
        (RULE, (2, BOTH)),  # the text before, and the text after
        (("explain", "abroad"), (1, BOTH)),
        (("whatif", "--exclude", "abroad=YES"), (1, BOTH)),
        (REFUSE, (1, BOTH)),
        (("log", "--verify"), (0, {})),
    ],
)
def test_a_command_reads_each_file_once(tmp_path, monkeypatch, counts, command, found):
    folder = settled(ran(tmp_path))
    forget(counts)
    monkeypatch.chdir(folder)
    typed(folder, *command, takes_option=command[0] not in ("run", "report"))
    assert counts == Counter({"project.toml": found[0], **found[1]})


def test_a_release_and_its_check_hash_each_file_once_and_afresh(tmp_path, counts):
    folder = settled(ready(tmp_path))
    run(folder)
    assert typed(folder, *RELEASE)[0] == 0
    for command in (RELEASE, ("log", "--verify")):  # both look at what was released before
        counts.clear()
        assert typed(folder, *command)[0] == 0
        assert {name: counts[name] for name in BOTH} == BOTH


def test_a_decision_does_not_rest_on_what_was_remembered(tmp_path, monkeypatch):
    folder = settled(ready(tmp_path))
    run(folder)
    place = os.path.abspath(folder / "copy.csv")
    mark, (size, _) = fingerprint._HASHES[place]
    fingerprint._HASHES[place] = mark, (size, "0" * 64)
    assert "was changed since the run" in Project(folder).judgement().stale[0]
    assert Project(folder).decide(release=True, by=OFFICER, note="Yes.").release


def test_a_file_that_is_changed_is_hashed_again_whatever_its_size_and_time(tmp_path):
    folder = settled(ran(tmp_path))
    file = folder / "copy.csv"
    before = fingerprint.file_sha256(file)
    other = file.read_bytes().replace(b"YES", b"yes")
    file.write_bytes(other)
    settled(folder)
    after = fingerprint.file_sha256(file)
    assert (after[0], after[1] == before[1]) == (before[0], False)


def test_a_file_changed_a_moment_ago_is_never_taken_for_known(tmp_path, counts):
    file = tmp_path / "new.csv"
    file.write_text("a\n1\n", encoding="utf-8")
    assert fingerprint.file_sha256(file) == fingerprint.file_sha256(file)
    assert counts == {"new.csv": 2}


def test_python_parses_a_text_once_however_often_it_is_asked(tmp_path, counts):
    folder = settled(ran(tmp_path))
    project = Project(folder)
    forget(counts)
    for _ in range(3):
        assert project.file.title == "Desk"
        assert project.judgement().run == 1
    assert counts == Counter({"project.toml": 1, **BOTH})
    edited(folder, '"Desk"', '"Other"')
    assert project.file.title == "Other"
    assert counts["project.toml"] == 2
