"""Is each value disclosed to as many people as looking each of them up says?"""

from random import Random

import polars as pl
import pytest

import unveil
from measure.small import ORIGINAL, SYNTHETIC, measured
from oracles import gate
from unveil.measure.disclosure import figures as module


def figures(found) -> dict:
    return {
        (row.copy, row.kind, row.level): [row.n_people, row.n_correct, row.n_wrong, row.n_other]
        for row in found.record.by_value
    }


def expected_of(files: gate.Files, copy, levels: set[gate.Cell]) -> dict:
    """Values of fewer than ten people together, but for missing and v1, which is sensitive."""
    found, rare = {}, []
    counted = {level: [0, 0, 0, 0] for level in levels} | gate.by_value(files, [0, 1], 2)
    for level, counts in counted.items():
        if level not in (None, "v1") and counts[0] < 10:
            rare.append(counts)
        else:
            found[copy, "missing" if level is None else "value", level] = counts
    return found | ({(copy, "rare", None): [*map(sum, zip(*rare, strict=True))]} if rare else {})


@pytest.mark.parametrize("seed", range(15))
def test_values_are_those_of_looking_each_person_up(seed):
    """The target mostly follows two keys; an original and two synthetic files."""
    rng = Random(seed)

    def row() -> gate.Row:
        a, b = rng.choice(["x", "y", None]), rng.choice("klmnopq")
        follows = f"v{(ord(b) + bool(a)) % 4}"
        return a, b, follows if rng.random() < 0.8 else rng.choice(["v1", "v5", None])

    original, *synthetic = ([row() for _ in range(size)] for size in (60, 30, 50))
    frames = [pl.DataFrame(one, ["a", "b", "t"], orient="row") for one in (original, *synthetic)]
    given = {"keys": ["a", "b"], "targets": "t", "sensitive": {"t": ["v1"]}}
    found = unveil.disclosure(frames[0], frames[1:], **given)
    levels = {one[2] for file in (original, *synthetic) for one in file}
    files = {1: synthetic[0], 2: synthetic[1], "pooled": synthetic[0] + synthetic[1]}
    expected = {copy: expected_of((original, file), copy, levels) for copy, file in files.items()}
    assert figures(found) == expected[1] | expected[2] | expected["pooled"]
    for one in found.attribute:
        if one.copy != "mean":
            counts = zip(*expected[one.copy].values(), strict=True)
            people, correct, wrong, other = map(sum, counts)
            assert (people, wrong) == (60, other)
            assert (correct / 0.6, (correct + wrong) / 0.6) == pytest.approx((one.DiSCO, one.DiS))


def test_values_by_hand(monkeypatch):
    """ax points to p: the p is shown it correctly, the q wrongly; ay points to q."""
    monkeypatch.setattr(module, "RARE", 0)
    found = figures(measured(ORIGINAL, SYNTHETIC))
    assert found == {(1, "value", "p"): [2, 1, 1, 1], (1, "value", "q"): [4, 0, 1, 1]}


def test_a_target_of_many_values_has_its_sensitive_ones_alone():
    frame = pl.DataFrame({"k": [*range(70)] * 2, "t": [f"v{k}" for k in range(70)] * 2})
    given = {"keys": "k", "targets": "t"}
    assert figures(unveil.disclosure(frame, frame, **given)) == {}
    found = unveil.disclosure(frame, frame, **given, sensitive={"t": ["v3"]})
    assert figures(found) == {(1, "value", "v3"): [2, 2, 0, 0]}
