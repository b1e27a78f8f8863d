"""Damaged files of every kind: nothing comes out but a table or an error of ours.

Forty mutants of each kind, the same in every run; for longer, with new ones, set the environment
variable UNVEIL_FUZZ_SECONDS to the seconds for each kind.
"""

import os
import random
import time
from pathlib import Path

import polars as pl
import pytest

from foreign_files import CANARY, WRITERS, make, mutant
from unveil.errors import InputError
from unveil.io.sources import read_table

KEPT = Path(__file__).parent / "data" / "people.sas7bdat"
N_MUTANTS = 40
SECONDS = float(os.environ.get("UNVEIL_FUZZ_SECONDS", "0"))
FRAME = pl.DataFrame(
    {
        "SEX": [1.0, 2.0, 9.0, None] * 10,
        "WEIGHT": [n / 7 for n in range(40)],
        "ILL": [CANARY, "no", "no", ""] * 10,
    }
)
DECLARED = {
    "column_labels": {"SEX": "Sex of the person"},
    "variable_value_labels": {"SEX": {1: "male", 2: "female", 9: "refused"}},
}
LABELS = {".sav": DECLARED, ".zsav": DECLARED, ".dta": DECLARED}


def mutants(content, ending):
    """The same forty every time, and then others until the time is up."""
    dice = random.Random(ending)
    for _ in range(N_MUTANTS):
        yield mutant(content, dice)
    dice, end = random.Random(), time.monotonic() + SECONDS
    while time.monotonic() < end:
        yield mutant(content, dice)


def refused(path):
    """The error of ours, or None where there is a table."""
    try:
        assert read_table(path, side="original").frame.height > 0
    except InputError as fault:
        return fault
    return None


def good(path, ending):
    """The bytes of a good file; nothing here can write .sas7bdat, so one is kept."""
    if ending == ".sas7bdat":
        return KEPT.read_bytes()
    WRITERS[ending](FRAME, path, **LABELS.get(ending, {}))
    return path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("ending", [*WRITERS, ".sas7bdat"])
def test_a_mutant_is_a_table_or_an_error_of_ours(tmp_path, capfd, ending):
    path = tmp_path / f"f{ending}"
    faults = []
    for content in mutants(good(path, ending), ending):
        path.write_bytes(content)
        faults.append(refused(path))
    assert any(faults)
    for fault in filter(None, faults):
        assert str(fault).startswith("The original (f")
        assert CANARY not in str(fault)
        assert fault.__cause__ is None
    assert capfd.readouterr() == ("", "")


def test_a_good_file_is_read_after_all_that(tmp_path):
    for ending in WRITERS:
        assert read_table(make(tmp_path, ending), side="original").frame.height == 4
