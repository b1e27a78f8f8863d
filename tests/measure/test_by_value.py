"""Is each value disclosed to as many people as looking each of them up says?"""

import polars as pl
import pytest

import unveil
from measure.small import ORIGINAL, SYNTHETIC, measured
from oracles import gate
from unveil.measure import by_value

KEYS, TARGET = [0, 1], 2


def figures(rows) -> dict:
    return {
        (row.copy, row.kind, row.level): [row.n_people, row.n_correct, row.n_wrong, row.n_other]
        for row in rows
    }


def joined(expected: dict, copy, sensitive=()) -> dict:
    """Values of fewer than ten people together, but for missing and sensitive ones."""
    found, rare = {}, []
    for level, counts in expected.items():
        if level is not None and counts[0] < by_value.RARE and level not in sensitive:
            rare.append(counts)
        else:
            found[copy, "missing" if level is None else "value", level] = counts
    if rare:
        found[copy, "rare", None] = [sum(column) for column in zip(*rare, strict=True)]
    return found


def drawn(seed: int) -> list[list[gate.Row]]:
    """Two keys and a target of text, in an original and two synthetic files."""
    files = [gate.invent(seed + step)[1] for step in (0, 1, 2)]

    def text(cell, n):
        return None if cell is None else f"v{sum(map(ord, str(cell).lower())) % n}"

    return [
        [(text(row[0], 3), text(row[1], 4), text(row[-1], 5)) for row in file] for file in files
    ]


@pytest.mark.parametrize("seed", range(0, 60, 4))
def test_values_are_those_of_looking_each_person_up(seed):
    original, *synthetic = drawn(seed)
    frames = [
        pl.DataFrame(rows, schema=["a", "b", "t"], orient="row") for rows in (original, *synthetic)
    ]
    found = unveil.disclosure(
        frames[0], frames[1:], keys=["a", "b"], targets="t", sensitive={"t": ["v1"]}
    )
    levels = {row[TARGET] for file in (original, *synthetic) for row in file}
    expected = {}
    pooled = [row for file in synthetic for row in file]
    for copy, records in ((1, synthetic[0]), (2, synthetic[1]), ("pooled", pooled)):
        counts = gate.by_value(original, records, KEYS, TARGET)
        counts = {level: counts.get(level, [0, 0, 0, 0]) for level in levels}
        expected |= joined(counts, copy, ["v1"])
    assert figures(found.by_value) == expected
    for row in found.attribute:
        if row.copy != "mean":
            people, correct, wrong, other = (
                sum(one[k] for key, one in expected.items() if key[0] == row.copy) for k in range(4)
            )
            assert people == len(original)
            assert 100 * correct / people == pytest.approx(row.DiSCO)
            assert 100 * (correct + wrong) / people == pytest.approx(row.DiS)
            assert wrong == other


def test_values_by_hand(monkeypatch):
    """ax points to p: the p is shown it correctly, the q wrongly; ay points to q."""
    monkeypatch.setattr(by_value, "RARE", 0)
    found = figures(measured(ORIGINAL, SYNTHETIC).by_value)
    assert found == {(1, "value", "p"): [2, 1, 1, 1], (1, "value", "q"): [4, 0, 1, 1]}


def test_a_target_of_many_values_has_its_sensitive_ones_alone():
    values = [k % 70 for k in range(140)]
    frame = pl.DataFrame({"k": values, "t": [f"v{k}" for k in values]})
    found = unveil.disclosure(frame, frame, keys="k", targets="t")
    assert found.by_value == ()
    found = unveil.disclosure(frame, frame, keys="k", targets="t", sensitive={"t": ["v3"]})
    assert figures(found.by_value) == {(1, "value", "v3"): [2, 2, 0, 0]}
