"""Values that one person has, and identifiers."""

import base64
import hashlib
from collections import Counter
from random import Random
from uuid import UUID

import polars as pl
import pytest

from measure.gate.test_links import columns
from oracles import gate
from unveil.io.table import Table
from unveil.measure.gate.copied_columns import find_copied_identifiers, find_single_holder
from unveil.measure.gate.disguises import find_disguise
from unveil.study.study import Study


def held(original: list, synthetic: list):
    (column,) = columns(["x"], *([(value,) for value in file] for file in (original, synthetic)))
    return find_single_holder(column, 1, 1)


def table(side: str, **data) -> Table:
    return Table(side, f"The {side}", pl.DataFrame(data))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_what_another_half_would_return_is_that_of_all_splits(seed):
    rng = Random(seed)
    n = rng.choice((4, 6, 8, 10))
    values = ["y", "z", *rng.choices("abcdefgh"[: rng.randint(1, 8)], k=n - 2)]
    half = held(values, ["q"] * (n // 2))
    assert half.expected == pytest.approx(float(gate.back_in_halves(values)))
    # Chances of absence multiply: a file of as many records as people is two halves.
    assert 1 - held(values, ["q"] * n).expected == pytest.approx((1 - half.expected) ** 2)


@pytest.mark.parametrize("seed", range(12))
def test_single_holders_are_those_of_plain_loops(seed):
    _, *files = gate.invent(seed)
    cells = [[row[0] for row in file] for file in files]
    mine, theirs = ([gate.plain(cell) for cell in file] for file in cells)
    alone = [value for value, n in Counter(mine).items() if n == 1 and value is not None]
    found = held(*cells)
    counts = (found.n_held, found.n_reappearing) if found else (0, 0)
    assert counts == (len(alone), sum(value in theirs for value in alone))


def test_missing_cells_make_no_value_likelier():
    some, others = ["a", "a", "b", "c"], ["a", "b", "d", "d"]
    with_missing = held([*some, *[None] * 4], [*others, *[None] * 4])
    assert with_missing.expected == held(some, others).expected


def test_identifiers_are_found_however_they_are_spelt():
    pesel = [f"{44051401359 + 7919 * k}" for k in range(40)]
    original = table("original", pesel=pesel, n=[k % 7 for k in range(40)])
    spelt = [f"{one[:6]}-{one[6:]}" for one in pesel[:30]] + [f"x{k}" for k in range(10)]
    coded = columns(["pesel", "n"], original.frame.rows(), [(one, 3) for one in spelt])
    found = find_copied_identifiers(Study([original]).files, coded, 1, 1, declared=["n"], known=[])
    counts = {one.column: (one.n_real, one.n_records, one.is_declared) for one in found}
    assert counts == {"pesel": (30, 40, False), "n": (40, 40, True)}
    # What a person gave another role is none.
    assert not [
        *find_copied_identifiers(
            Study([original]).files, coded, 1, 1, declared=[], known=["pesel", "n"]
        )
    ]


NUMBERS = [10**8 + 7919 * k for k in Random(1).sample(range(90_000), 300)]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda n: n + 1, "plus 1"),
        (lambda n: 3 * n + 17, "times 3, plus 17"),
        (lambda n: 5 * 10**9 - n, "times -1, plus 5e+09"),
        (lambda n: base64.b64encode(str(n).encode()).decode(), "encoded (base64)"),
        (lambda n: str(UUID(hashlib.md5(str(n).encode()).hexdigest())), "(MD5)"),
        (lambda n: str(n)[::-1], "written backwards"),
        (lambda n: str(n)[3:], "without their beginning"),
        (lambda n: str(n)[:6], "without their end"),
        (lambda n: hashlib.md5(str(n).encode()).hexdigest(), "hashed without a secret (MD5)"),
        (lambda n: hashlib.sha256(str(n).encode()).hexdigest()[:16].upper(), "(SHA-256)"),
        (lambda n: hashlib.sha256(f"secret{n}".encode()).hexdigest(), None),
        (lambda n: 10**8 + 7907 * (n % 90_011), None),
        (lambda n: 900_001 + NUMBERS.index(n), None),
    ],
)
def test_identifiers_are_found_in_disguise(change, words):
    """A change that anyone can guess is named; numbers drawn anew, or hashed with a secret, not."""
    changed = Random(2).sample([change(n) for n in NUMBERS], len(NUMBERS))
    (column,) = columns(["x"], [(n,) for n in NUMBERS], [(n,) for n in changed])
    found = find_disguise(column, 1)
    assert (found is None) == (words is None)
    if found is not None:
        assert words in found.words
        assert found.n_real == len(NUMBERS)
        (row,) = find_copied_identifiers(
            Study([table("original", x=NUMBERS)]).files, [column], 1, 1, declared=["x"], known=[]
        )
        assert (row.n_real, words in row.detail) == (len(NUMBERS), True)


def test_some_hashed_numbers_among_new_ones_are_found():
    """One in five is real."""
    drawn = [hashlib.sha256(f"new{n}".encode()).hexdigest() for n in NUMBERS[:240]]
    hashed = [hashlib.sha256(str(n).encode()).hexdigest() for n in NUMBERS[:60]]
    (column,) = columns(["x"], [(n,) for n in NUMBERS], [(n,) for n in [*drawn, *hashed]])
    found = find_disguise(column, 1)
    assert (found.n_real, found.expected) == (60, 0)
