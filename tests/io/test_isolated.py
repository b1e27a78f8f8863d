"""The process that reads: what becomes of the user's when it breaks down."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from foreign_files import CANARY, FRAME, make
from unveil.errors import ReadError, RolesError
from unveil.io import isolated, parsers
from unveil.io.sources import read_table
from unveil.io.wire import ReadRequest


@pytest.fixture(autouse=True)
def alone():
    """Each test starts without a process, and leaves none."""
    isolated._end_all()
    yield
    isolated._end_all()


def question(path, **settings):
    return ReadRequest(
        kind=settings.pop("kind", "spss"),
        path=os.fsencode(path),
        name=os.path.basename(path),
        place="The original (f.sav)",
        side="original",
        **settings,
    )


def refusal(path, **settings):
    with pytest.raises(ReadError) as caught:
        read_table(path, side="original", **settings)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


BROKE_DOWN = (
    "The original (f.sav) could not be read: it begins as an SPSS file, but what reads such files "
    "broke down on it. The file is damaged, or needs more memory than is free. Export or copy it "
    "again."
)


def with_worker(monkeypatch, code):
    """A reading process that does this, once it has heard its question."""
    start = (
        "import os, sys\n"
        "n = int.from_bytes(sys.stdin.buffer.read(8), 'big'); sys.stdin.buffer.read(n)\n"
        "sys.stdout.buffer.write(b'unveil: asked\\n'); sys.stdout.buffer.flush()\n"
    )
    popen = subprocess.Popen

    def started(_, **settings):
        return popen([sys.executable, "-c", start + code], **settings)

    monkeypatch.setattr(subprocess, "Popen", started)


@pytest.mark.slow
def test_one_process_reads_one_file_after_the_other(tmp_path):
    path = make(tmp_path, ".sav")
    read_table(path, side="original")
    (first,) = isolated._kept
    read_table(path, side="synthetic")
    assert isolated._kept == [first]
    assert first.process.poll() is None


@pytest.mark.slow
def test_a_refusal_of_ours_comes_through_as_it_is_and_the_process_stays(tmp_path):
    path = make(tmp_path, ".sav")
    with pytest.raises(RolesError, match=r"has no column 'AGEE'\. Did you mean 'AGE'"):
        read_table(path, side="original", columns=["AGEE"])
    assert len(isolated._kept) == 1


@pytest.mark.parametrize(
    "code",
    [
        "os.abort()",
        "os._exit(0)",
        "os.kill(os.getpid(), 11)",
        "sys.stdout.buffer.write(b'rubbish of no length')",
        "sys.stdout.buffer.write((5).to_bytes(8, 'big') + b'rubbi')",
        f"sys.exit({CANARY!r})",
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="signals are of Unix")
def test_a_process_that_breaks_down_is_one_sentence(tmp_path, monkeypatch, capfd, code):
    with_worker(monkeypatch, code)
    assert refusal(make(tmp_path, ".sav")) == BROKE_DOWN
    assert isolated._kept == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of Unix")
def test_a_breakdown_beside_a_catalogue_may_be_the_catalogues(tmp_path, monkeypatch):
    path = tmp_path / "f.sas7bdat"
    path.write_bytes((Path(__file__).parent / "data" / "people.sas7bdat").read_bytes())
    (tmp_path / "f.sas7bcat").write_bytes(b"rubbish")
    with_worker(monkeypatch, "os.abort()")
    assert refusal(path) == (
        "The original (f.sas7bdat) could not be read: it begins as a SAS file, but what reads such "
        "files broke down on it, or on its catalogue (f.sas7bcat). The file is damaged, or needs "
        "more memory than is free. Export or copy it again, or move f.sas7bcat away."
    )


@pytest.mark.slow
def test_after_a_breakdown_the_next_file_is_read(tmp_path, monkeypatch):
    path = make(tmp_path, ".sav")
    with monkeypatch.context() as broken:
        with_worker(broken, "os.abort()")
        refusal(path)
    assert read_table(path, side="original").frame.height == 4


@pytest.mark.slow
def test_a_process_that_ended_meanwhile_is_replaced(tmp_path):
    path = make(tmp_path, ".sav")
    read_table(path, side="original")
    isolated._kept[0].process.kill()
    isolated._kept[0].process.wait()
    assert read_table(path, side="original").frame.height == 4


@pytest.mark.parametrize("why", ["cannot start", "has no name", "does not answer"])
def test_where_no_process_can_be_started_the_file_is_read_here(tmp_path, monkeypatch, why):
    def no(*_, **__):
        raise OSError

    if why == "cannot start":
        monkeypatch.setattr(subprocess, "Popen", no)
    elif why == "has no name":
        monkeypatch.setattr(sys, "executable", "")
    else:
        popen = subprocess.Popen
        monkeypatch.setattr(
            subprocess,
            "Popen",
            lambda _, **settings: popen(
                [sys.executable, "-c", "import nothing_of_this_name"], **settings
            ),
        )
    assert read_table(make(tmp_path, ".sav"), side="original").frame.height == 4
    assert isolated._kept == []


@pytest.mark.slow
def test_a_process_that_this_one_did_not_start_is_let_alone(tmp_path):
    path = make(tmp_path, ".sav")
    read_table(path, side="original")
    (reader,) = isolated._kept
    reader.owner = -1
    try:
        assert read_table(path, side="original").frame.height == 4
        assert reader not in isolated._kept
        assert reader.process.poll() is None
    finally:
        reader.end()


@pytest.mark.slow
def test_threads_take_turns_at_one_process(tmp_path):
    path = make(tmp_path, ".sav")
    with ThreadPoolExecutor(4) as threads:
        tables = list(threads.map(lambda _: read_table(path, side="original"), range(8)))
    assert all(table.frame.equals(tables[0].frame) for table in tables)
    assert len(isolated._kept) == 1


@pytest.mark.slow
def test_a_copy_of_a_process_that_is_reading_does_not_wait_for_it(tmp_path, monkeypatch):
    path = make(tmp_path, ".sav")
    heights = []

    def read():
        heights.append(read_table(path, side="original").frame.height)

    with isolated._turns.setdefault(os.getpid(), threading.Lock()), monkeypatch.context() as copied:
        copied.setattr(os, "getpid", lambda: -1)
        reading = threading.Thread(target=read, daemon=True)
        reading.start()
        reading.join(60)
        isolated._end_all()
    assert heights == [4]


@pytest.mark.slow
def test_an_interruption_ends_the_process(tmp_path, monkeypatch):
    path = make(tmp_path, ".sav")
    read_table(path, side="original")
    (reader,) = isolated._kept

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(isolated._ReadingProcess, "answer", interrupted)
    with pytest.raises(KeyboardInterrupt):
        read_table(path, side="original")
    assert reader.process.poll() is not None
    assert isolated._kept == []


@pytest.fixture
def with_interruptions():
    """A process that a shell started in the background takes no notice of interruptions."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are of Unix")
@pytest.mark.usefixtures("with_interruptions")
def test_an_interruption_is_heard_while_the_process_is_silent(tmp_path, monkeypatch):
    path = make(tmp_path, ".sav")
    with_worker(monkeypatch, "import time; time.sleep(60)")
    started, answer = [], isolated._ReadingProcess.answer
    press = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))

    def interrupted(reader, question):
        started.append(reader.process)
        press.start()
        return answer(reader, question)

    monkeypatch.setattr(isolated._ReadingProcess, "answer", interrupted)
    before = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        read_table(path, side="original")
    assert time.monotonic() - before < 30  # of the 60 that it would be silent
    assert started[0].poll() is not None


@pytest.mark.slow
def test_an_interruption_before_the_question_is_heard_ends_the_process(tmp_path, monkeypatch):
    path = make(tmp_path, ".sav")
    read_table(path, side="original")
    (reader,) = isolated._kept

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(isolated, "send", interrupted)
    with pytest.raises(KeyboardInterrupt):
        read_table(path, side="original")
    assert reader.process.poll() is not None
    assert isolated._kept == []


@pytest.mark.slow
def test_a_large_table_is_read_in_pieces_and_its_process_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(isolated, "_LARGE", 1000)
    frame = pl.DataFrame({f"c{i}": [float(i)] * 500 for i in range(5)})
    assert read_table(make(tmp_path, ".sav", frame), side="original").frame.equals(frame)
    assert isolated._kept == []


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="memory as Linux seals it")
def test_shared_memory_holds_what_the_pipe_would_bring_and_outlives_its_process(
    tmp_path, monkeypatch
):
    n = 1000
    frame = pl.DataFrame(
        {"x": range(n), "sé\n": [f"text {i}" for i in range(n)], "empty": [None] * n, "": [1.5] * n}
    )
    frame.write_parquet(path := tmp_path / "f.parquet")
    monkeypatch.setattr(isolated, "_SMALL", 1 << 40)
    piped = read_table(path, side="original").frame
    monkeypatch.setattr(isolated, "_SMALL", 0)
    shared = [read_table(path, side="original").frame for _ in range(isolated._MOST_SHARED)]
    assert isolated._kept == []  # nothing left to answer with
    assert all(one.equals(piped) and one.schema == piped.schema for one in shared)
    assert piped.equals(frame)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="memory as Linux seals it")
def test_memory_that_could_still_be_cut_is_refused_and_none_is_left_open(tmp_path, monkeypatch):
    monkeypatch.setattr(isolated, "_SMALL", 0)
    with_worker(
        monkeypatch,
        "def out(b): sys.stdout.buffer.write(len(b).to_bytes(8, 'big') + b)\n"
        'out(b\'{"type":"found","n_pieces":1,"codebook":null,"notes":[]}\')\n'
        "out(b'[\"x\"]'); out(b''); sys.stdout.buffer.flush(); sys.stdin.buffer.read()\n",
    )
    before = len(os.listdir("/proc/self/fd"))
    assert refusal(make(tmp_path, ".sav")) == BROKE_DOWN
    assert len(os.listdir("/proc/self/fd")) == before


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux has them")
def test_a_file_that_takes_too_long_is_given_up():
    script = (
        "from unveil.io.wire import ReadRequest\n"
        "from unveil.io.worker import _limit\n"
        "_limit(ReadRequest(kind='spss', path=b'', name='', place='', side='', seconds=1))\n"
        "while True: pass\n"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], check=False, timeout=120)
    assert done.returncode == -signal.SIGXCPU


@pytest.mark.parametrize(
    "fault", [ValueError, TypeError, RecursionError, pl.exceptions.PanicException]
)
def test_a_fault_of_a_parser_is_one_sentence_without_its_words(monkeypatch, fault):
    from unveil.io import read_stat

    def no(_):
        raise fault(CANARY)

    monkeypatch.setattr(read_stat, "parse", no)
    with pytest.raises(ReadError) as caught:
        parsers.parse(question("f.sav"))
    assert str(caught.value) == (
        "The original (f.sav) is damaged: it begins as an SPSS file but cannot be read to its end. "
        "Export or copy it again."
    )
    assert caught.value.__suppress_context__


def test_a_parser_without_memory_says_so(monkeypatch):
    from unveil.io import read_stat

    def no(_):
        raise MemoryError

    monkeypatch.setattr(read_stat, "parse", no)
    with pytest.raises(ReadError) as caught:
        parsers.parse(question("f.sav", n_bytes=10**9))
    assert str(caught.value) == (
        "The original (f.sav) has 1.0 GB and needs more memory than is free. Close other programs, "
        "read fewer columns, or use a machine with more memory."
    )


@pytest.mark.slow
def test_a_script_without_a_main_guard_can_read(tmp_path):
    make(tmp_path, ".sav")
    (tmp_path / "csv.py").write_text("raise SystemExit('a module of the user, not ours')\n")
    script = (
        "from unveil.io.sources import read_table\n"
        "print(read_table('f.sav', side='original').frame.height)\n"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("4\n", "")


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits as Linux has them")
def test_the_process_leaves_no_image_and_is_gone_with_its_starter(tmp_path):
    script = (
        "import json, os\n"
        "from unveil.io import isolated\n"
        "from unveil.io.sources import read_table\n"
        "read_table('f.sav', side='original')\n"
        "pid = isolated._kept[0].process.pid\n"
        "limits = open(f'/proc/{pid}/limits').read()\n"
        "core = next(line.split()[4] for line in limits.splitlines() if 'core' in line)\n"
        "print(json.dumps([pid, core]))\n"
    )
    make(tmp_path, ".sav")
    done = subprocess.run(
        [sys.executable, "-P", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    pid, core = json.loads(done.stdout)
    assert core in ("0", "1")
    assert not os.path.exists(f"/proc/{pid}")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="names of any bytes are of Unix")
def test_names_of_any_bytes_can_be_read(tmp_path):
    path = make(tmp_path, ".sav")
    odd = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe s\xc3\xa4.sav")
    os.rename(path, odd)
    assert read_table(odd, side="original").frame.equals(FRAME)
