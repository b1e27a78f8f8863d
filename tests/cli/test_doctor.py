"""`unveil doctor`: what it finds, what it never tells, and that no network is used."""

import json
import os
import platform
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from unveil.cli import main
from unveil.doctor import examine as examining
from unveil.doctor import examine as machine
from unveil.doctor import examine as packages
from unveil.doctor import examine as readers
from unveil.doctor.examine import NETWORK, examine
from unveil.records.doctor import Examination, Folder, Package, ReaderCheck

ENDINGS = {
    *("csv", "tsv", "txt", "csv.gz", "parquet", "sav", "zsav", "por", "dta", "xpt", "xlsx"),
    *("sas7bdat", "rds"),
}


@pytest.fixture(scope="module")
def found() -> Examination:
    return examine()


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["doctor", *arguments])
    said = capsys.readouterr()
    return ended.value.code, said.out, said.err


@dataclass
class Faked:
    """An examination in place of the real one, which takes seconds."""

    record: Examination

    def __call__(self) -> Examination:
        return self.record


@pytest.fixture
def quick(found, monkeypatch):
    monkeypatch.setattr("unveil.cli.doctor.examine", Faked(found))
    monkeypatch.setenv("COLUMNS", "100")
    return found


def test_every_reader_is_tried_and_works(found):
    assert {one.ending for one in found.readers} == ENDINGS
    status = {one.ending: (one.status, one.why) for one in found.readers}
    untried = {"sas7bdat", "rds"}
    assert {ending: status[ending] for ending in ENDINGS - untried} == dict.fromkeys(
        ENDINGS - untried, ("works", None)
    )
    assert status["sas7bdat"] == ("not tried", "no writer makes a file to try it with")
    assert found.faults == ()


def test_versions_and_sizes_are_those_of_this_machine(found):
    assert found.python == platform.python_version()
    assert found.n_cores == os.cpu_count()
    assert found.network == NETWORK
    by_name = {one.name: one for one in found.packages}
    assert by_name["polars"].is_enough
    assert by_name["polars"].extra is None
    assert by_name["pytest"].extra == "test"
    assert [one.which for one in found.folders] == ["current", "temporary"]
    assert all(one.free is None or one.free > 0 for one in found.folders)


def test_a_machine_without_a_network_interface_is_told_of(quick, monkeypatch):
    for names, is_told in (([(1, "lo")], True), ([(1, "lo"), (2, "eth0")], False)):
        monkeypatch.setattr("socket.if_nameindex", lambda names=names: names)
        assert any("no network interface" in one for one in examine().remarks) is is_told


def test_the_screen_ends_with_good_news(quick, capsys):
    code, said, told = run(capsys)
    assert (code, told) == (0, "")
    lines = said.splitlines()
    assert lines[-1] == "● Everything that unveil needs is installed."
    assert NETWORK in " ".join(said.split())
    assert any(line.split()[:2] == [".sav", "works"] for line in lines)


def test_json_is_the_record(quick, capsys):
    code, said, _ = run(capsys, "--json")
    assert code == 0
    assert Examination.from_json(said) == quick


@pytest.mark.slow
def test_the_bundle_holds_no_path_and_no_name(tmp_path, monkeypatch):
    home = tmp_path / "canary-home"
    home.mkdir()
    names = ("USER", "LOGNAME", "USERNAME", "HOSTNAME", "COMPUTERNAME")
    settings = {name: f"canary-{name.lower()}" for name in names}
    code = "from unveil.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor", "--json", "--bundle", "help.json"],
        capture_output=True,
        text=True,
        check=False,
        cwd=home,
        env={**os.environ, **settings, "HOME": str(home), "USERPROFILE": str(home)},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "unveil: Written: help.json. It holds no data, no path and no name.\n"
    text = (home / "help.json").read_text()
    assert json.loads(text) == json.loads(done.stdout)
    never = ["canary", str(home), str(Path.home()), str(Path(sys.prefix)), os.getcwd(), "tmp"]
    never += [platform.node()] if len(platform.node()) > 5 else []  # a short one is there by chance
    assert [name for name in never if name in text] == []
    assert [path.name for path in home.iterdir()] == ["help.json"]


def test_a_bundle_that_is_there_is_not_overwritten(quick, tmp_path, capsys):
    (tmp_path / "help.json").write_text("old")
    code, said, told = run(capsys, "--bundle", str(tmp_path / "help.json"))
    assert (code, said) == (2, "")
    assert told.endswith(
        "is there already. Nothing was written. Name another file, or move the old one away"
        " first.\n"
    )
    assert (tmp_path / "help.json").read_text() == "old"


NO_SOCKETS = """
import sys

def forbid(event, arguments):
    if event.startswith("socket."):
        open({log!r}, "a").write(event + "\\n")
        raise RuntimeError("no network here")

sys.addaudithook(forbid)
open({log!r} + ".started", "a").write("one\\n")
"""


def with_path(folder: Path) -> dict[str, str]:
    before = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([str(folder), *([before] if before else [])])
    return {**os.environ, "PYTHONPATH": path}


@pytest.mark.slow
def test_no_network_is_used_by_the_doctor_nor_by_the_processes_it_starts(tmp_path):
    log = tmp_path / "sockets"
    (tmp_path / "sitecustomize.py").write_text(NO_SOCKETS.format(log=str(log)))
    code = "import sys; assert 'sitecustomize' in sys.modules; from unveil.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "doctor", "--json"],
        capture_output=True,
        text=True,
        check=False,
        env=with_path(tmp_path),
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["faults"] == []
    started = Path(f"{log}.started").read_text().split()
    assert len(started) >= 2  # the command, and the process that reads files
    assert not log.exists()


def test_the_guard_against_sockets_would_tell(tmp_path):
    log = tmp_path / "sockets"
    (tmp_path / "sitecustomize.py").write_text(NO_SOCKETS.format(log=str(log)))
    done = subprocess.run(
        [sys.executable, "-c", "import socket; socket.socket()"],
        capture_output=True,
        check=False,
        env=with_path(tmp_path),
    )
    assert done.returncode == 1
    assert log.read_text().startswith("socket.")


def package(**changed) -> Package:
    fields = {"name": "polars", "version": "1.0", "wants": "1.32", "extra": None}
    return Package(**{**fields, "is_enough": False, **changed})


HERE = Folder(which="current", writable=True, free=10**10)
TEMPORARY = Folder(which="temporary", writable=True, free=10**10)


@pytest.mark.parametrize(
    ("wanted", "places", "tried", "sentence"),
    [
        (
            [package()],
            [],
            [],
            "The package polars is too old: 1.0, and unveil needs 1.32 or later. Run: pip install"
            " --upgrade unveil.",
        ),
        (
            [package(version=None)],
            [],
            [],
            "The package polars is not installed. Run: pip install --upgrade unveil.",
        ),
        (
            [],
            [Folder(which="temporary", writable=False, free=None)],
            [],
            "The folder for temporary files cannot be written to. Free some of its disk, or name"
            " another folder in the environment variable TMPDIR.",
        ),
        (
            [],
            [],
            [ReaderCheck(ending="sav", status="fails", why="ReadError")],
            "A tiny .sav file could not be read back (ReadError). Install unveil again, and if that"
            " does not help, report it with unveil doctor --bundle help.json.",
        ),
        (
            [],
            [],
            [ReaderCheck(ending="sas7bdat", status="not installed", why="needs pyreadstat: x")],
            "Files that end in .sas7bdat cannot be read: needs pyreadstat: x.",
        ),
    ],
)
def test_what_is_needed_and_missing_is_a_sentence_each(wanted, places, tried, sentence):
    assert list(examining._faults(wanted, places, tried)) == [sentence]


def test_what_only_an_extra_needs_is_no_fault():
    wanted = [package(extra="frames", version=None)]
    tried = [ReaderCheck(ending="rds", status="not installed", why="needs pyreadr")]
    assert list(examining._faults(wanted, [HERE, TEMPORARY], tried)) == []


def test_remarks_stop_nothing(monkeypatch):
    monkeypatch.setattr(examining, "is_offline", lambda: False)
    full = Folder(which="current", writable=False, free=1)
    assert list(examining._remarks([], [full], 1)) == [
        "unveil is not installed as a package, so that its dependencies could not be listed.",
        "This folder cannot be written to: give output files a path in another one.",
        "Less than 500 MB are free on the disk of the current folder.",
        "Less than 500 MB of memory are free: large files will be refused.",
    ]


def test_a_fault_ends_with_code_2(quick, capsys, monkeypatch):
    faults = ("Something is missing. Get it.",)
    ill = Examination(
        **{**{f: getattr(quick, f) for f in quick.__struct_fields__}, "faults": faults}
    )
    monkeypatch.setattr("unveil.cli.doctor.examine", Faked(ill))
    code, said, _ = run(capsys)
    assert code == 2
    assert said.splitlines()[-1] == "■ Something is missing. Get it."


def test_a_reader_that_reads_something_else_fails(tmp_path):
    tried = readers._try_reader("csv", lambda path: path.write_text("a,b\n1,x\n3,y\n"), tmp_path)
    assert (tried.status, tried.why) == ("fails", "what was read is not what was made")
    tried = readers._try_reader("sav", lambda path: path.write_text("no SPSS file"), tmp_path)
    assert (tried.status, tried.why) == ("fails", "ReadError")


def test_a_folder_that_cannot_be_written_to_is_seen(tmp_path):
    assert machine._folder("current", str(tmp_path)).writable
    assert machine._folder("current", str(tmp_path / "absent")) == Folder(
        which="current", writable=False, free=None
    )
    assert machine._folder("temporary", None) == Folder(
        which="temporary", writable=False, free=None
    )


@pytest.mark.parametrize(
    ("line", "name", "wants", "extra"),
    [
        ("polars>=1.32", "polars", "1.32", None),
        ('hypothesis>=6.100; extra == "test"', "hypothesis", "6.100", "test"),
        ("pytest-xdist (>=3.6) ; extra == 'test'", "pytest-xdist", "3.6", "test"),
        ("nosuchpackage", "nosuchpackage", None, None),
    ],
)
def test_a_line_of_the_dependencies_is_understood(line, name, wants, extra):
    made = packages._package(line)
    assert (made.name, made.wants, made.extra) == (name, wants, extra)
    assert made.is_enough is (name != "nosuchpackage")
