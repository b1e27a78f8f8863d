"""A record beside the table is seen wherever it stands; honest code lists are not stopped."""

import pytest

from gate.labelled_files import DISCLOSING, HONEST, ORIGINAL
from unveil.io.sources import read_table
from unveil.measure.gate.beside_table import find_beside


def mark(cases):
    frames = [pytest.mark.frames]
    return [
        pytest.param(*case, id=name, marks=frames if "pandas" in name else [])
        for name, case in cases.items()
    ]


def look(name, write, folder):
    """What is found beside the table of a file."""
    write(folder / name)
    tables = [
        read_table(ORIGINAL, side="original"),
        read_table(folder / name, side="synthetic"),
    ]
    return list(find_beside(tables, 1, lambda place, one: set(tables[place].frame[one])))


@pytest.mark.parametrize(("name", "write"), mark(DISCLOSING))
def test_a_record_beside_the_table_stops_the_release(tmp_path, name, write):
    found = look(name, write, tmp_path)
    assert any(one.is_much for one in found)
    said = " ".join(one.detail for one in found)
    assert "as one person of the original has" in said or "packed in a way" in said
    # Nothing of it is quoted: no settlement, no marital status, no amount.
    told = {str(one) for name in ("settlement", "marital", "spending") for one in ORIGINAL[name]}
    assert not any(one in said for one in told)


@pytest.mark.parametrize(("name", "write"), mark(HONEST))
def test_an_honest_code_list_stops_nothing(tmp_path, name, write):
    assert not any(one.is_much for one in look(name, write, tmp_path))
