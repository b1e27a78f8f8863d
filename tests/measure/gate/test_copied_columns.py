"""Values that one person has, identifiers, and columns that only the synthetic data have."""

import base64
import hashlib
import zlib
from collections import Counter
from random import Random
from uuid import UUID

import polars as pl
import pytest

from measure.gate.test_links import columns
from oracles import gate
from unveil.io.table import Table
from unveil.measure.gate.copied_columns import (
    find_copied_identifiers,
    find_extra_columns,
    find_single_holder,
)
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


PAY = [round(1000 + 37.31 * k + k * k % 17, 2) for k in range(60)]


@pytest.mark.parametrize(
    ("values", "reason", "detail"),
    [
        (PAY, "repeats", "its values are those of pay"),
        ([1000 * one for one in PAY], "recodes", "its values are those of pay times 1000"),
        ([one / 12 for one in PAY], "recodes", "its values are those of pay times 0.0833333"),
        ([f"ID-{k:03}x" for k in range(60)], "recodes", "letters put around them"),
        (["red", "green"] * 30, "new text", "can be compared with it"),
        ([k * k % 61 + 0.5 for k in range(60)], "unknown", "can be compared with it"),
    ],
)
def test_columns_that_only_the_synthetic_data_have(values, reason, detail):
    original = table("original", pay=PAY, key=[f"{k:03}x" for k in range(60)])
    (found,) = find_extra_columns(Study([original, table("synthetic", more=values)]).files, 1)
    assert (found.column, found.reason) == ("more", reason)
    assert found.detail.endswith(detail)
    assert found.n_real == (60 if reason == "repeats" else 0)


@pytest.mark.parametrize(
    ("write", "reason"),
    [
        (lambda k, pay: f"R-{k}", "identifier"),
        (lambda k, pay: str(UUID(int=Random(k).getrandbits(128))), "identifier"),
        (lambda k, pay: f"{k * 7919 % 100_003:08}Q", "identifier"),
        (lambda k, pay: f"{{'n': {k}, 'pay': {pay}}}", "new text"),
        (lambda k, pay: f"{k}-{pay:.0f}-{'abc'[k % 3]}", "new text"),
        (lambda k, pay: f"person {k:03} has {pay:07.2f}", "new text"),
    ],
)
def test_new_texts_of_one_record_each_are_record_numbers_or_for_a_person_to_explain(write, reason):
    """Real records written out in a column of their own end in no silent note."""
    original = table("original", pay=PAY * 5, key=["a", "b", "c"] * 100)
    values = [write(k, pay) for k, pay in enumerate(PAY * 5)]
    (found,) = find_extra_columns(Study([original, table("synthetic", more=values)]).files, 1)
    assert found.reason == reason


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


@pytest.mark.parametrize(
    ("name", "make", "like"),
    [
        ("index", lambda f: f["weight"] / f["height"] ** 2, "weight"),
        ("share", lambda f: f["weight"] / f["height"], "weight"),
        ("product", lambda f: f["weight"] * f["height"], "height"),
        ("units", lambda f: f["weight"].floor(), "weight"),
        ("check", lambda f: pl.Series([zlib.crc32(one.encode()) for one in f["id"]]), "id"),
    ],
)
def test_numbers_computed_from_peoples_numbers_are_for_a_person_to_explain(name, make, like):
    """Not so where they are computed from the synthetic records."""
    dice = Random(4)

    def people():
        return pl.DataFrame(
            {
                "id": [f"{dice.randrange(10**10):010d}" for _ in range(200)],
                "height": [round(dice.gauss(1.7, 0.1), 4) for _ in range(200)],
                "weight": [round(dice.uniform(40, 9000), 2) for _ in range(200)],
            }
        )

    original, synthetic = people(), people()
    alone = synthetic.drop("id")
    real = alone.with_columns(make(original.sample(fraction=1, shuffle=True, seed=2)).alias(name))
    known = table("original", **original.to_dict())
    (found,) = find_extra_columns(Study([known, table("synthetic", **real.to_dict())]).files, 1)
    assert (found.reason, found.like) == ("recodes", like)
    honest = alone.with_columns(make(synthetic).alias(name))
    (found,) = find_extra_columns(Study([known, table("synthetic", **honest.to_dict())]).files, 1)
    assert found.reason != "recodes"
