"""How alike are files in bands? S_pMSE and entropy counted apart, record by record."""

import csv
from collections import Counter
from math import log2

import pytest

from project_cases import ran
from unveil import Project

BREAKS = (20, 24, 28, 32)


def rows_of(path):
    with path.open(newline="") as file:
        return [*csv.DictReader(file)]


def band(age):
    """The band of an age; the last break belongs to the last band."""
    return sum(int(age) >= one for one in BREAKS[1:-1])


def expected_likeness(original, copy, key):
    """VW / df over the cells that anyone is in: Raab, Nowok and Dibben 2021."""
    d, s = (Counter((key(one["age"]), one["ill"]) for one in rows) for rows in (original, copy))
    n_d, n_s = len(original), len(copy)
    c = n_s / (n_d + n_s)
    cells = set(d) | set(s)
    vw = sum((s[q] - d[q] * c / (1 - c)) ** 2 / ((d[q] + s[q]) * c) for q in cells)
    return vw / (len(cells) - 1)


def entropy(values):
    counts = Counter(values)
    return -sum(n / len(values) * log2(n / len(values)) for n in counts.values())


def test_likeness_in_bands_is_that_of_the_formula(tmp_path):
    folder = ran(tmp_path)
    lines = (folder / "copy.csv").read_text().splitlines()
    (folder / "copy.csv").write_text("\n".join([lines[0], *lines[1:70], *lines[40:60]]) + "\n")
    original, copy = rows_of(folder / "original.csv"), rows_of(folder / "copy.csv")
    found = Project.open(folder).whatif((), bands={"age": list(BREAKS)})
    row = next(one for one in found.likeness if one.target == "ill")
    assert (row.key, row.copy, len(found.likeness)) == ("age", 1, 2)
    assert row.S_pMSE_before == pytest.approx(expected_likeness(original, copy, int))
    assert row.S_pMSE_after == pytest.approx(expected_likeness(original, copy, band))
    assert len({row.S_pMSE_before, row.S_pMSE_after, 0.0}) == 3
    ages = [int(one["age"]) for one in original]
    kept = 100 * entropy([*map(band, ages)]) / entropy(ages)
    assert row.detail == pytest.approx(kept)
    assert any(one.measure == "DiSCO" and one.before != one.after for one in found.rows)
