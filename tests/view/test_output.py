"""What becomes of output that cannot be written, and of the exit code then."""

import os
import subprocess
import sys

import pytest

CODE = "import unveil.cli as cli; cli.main({})"
FULL = "/dev/full"


def called(*arguments, stdout, stderr=subprocess.PIPE):
    return subprocess.run(
        [sys.executable, "-c", CODE.format(list(arguments))],
        stdout=stdout,
        stderr=stderr,
        check=False,
    )


@pytest.mark.skipif(os.name == "nt", reason="no pipes of this kind")
def test_a_reader_who_has_seen_enough_changes_no_exit_code():
    reads, writes = os.pipe()
    os.close(reads)
    done = called("codebook", __file__.replace(".py", ".nope"), stdout=writes, stderr=writes)
    assert done.returncode == 2
    done = called("doctor", "--json", stdout=writes)
    os.close(writes)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.skipif(not os.path.exists(FULL), reason="no device that is always full")
@pytest.mark.parametrize("arguments", [("--help",), ("doctor", "--json")])
def test_a_full_disk_is_a_sentence_and_no_internal_error(arguments):
    with open(FULL, "w") as full:
        done = called(*arguments, stdout=full)
        assert done.returncode == 2
        assert done.stderr.decode().startswith("unveil: The output could not be written. Check")
        assert called(*arguments, stdout=full, stderr=full).returncode == 2
