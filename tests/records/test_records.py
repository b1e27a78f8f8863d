import numpy as np
import pytest

from measure.small import ORIGINAL, SYNTHETIC, measured
from unveil.errors import InternalError, ReadError
from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Disclosure


class Example(Record, frozen=True, kw_only=True):
    value: float | None = None
    several: tuple[int, ...] = ()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), np.float64("nan")])
def test_what_json_would_silently_lose_is_refused(value):
    with pytest.raises(InternalError, match=r"Example\.value would be"):
        Example(value=value)


def test_numbers_of_other_libraries_become_plain():
    record = Example(value=np.float64(1.5), several=[np.int64(3), 4])
    assert (type(record.value), record.value) == (float, 1.5)
    assert [type(item) for item in record.several] == [int, int]


@pytest.mark.parametrize("value", [object(), {"a": 1}, np.array([1, 2])])
def test_anything_else_is_refused(value):
    with pytest.raises(InternalError, match=r"Example\.value holds a"):
        Example(value=value)


def test_records_are_frozen():
    with pytest.raises(AttributeError):
        Example(value=1.0).value = 2.0


def test_a_record_comes_back_from_json_equal():
    record = measured(ORIGINAL, SYNTHETIC, ["bxq"]).record
    assert Disclosure.from_json(record.to_json()) == record
    assert record.to_dict()["schema"] == SCHEMA


def test_a_document_with_an_unknown_field_is_refused():
    with pytest.raises(ReadError, match=r"The document is not of type Example: .*unknown field"):
        Example.from_json('{"value": 1, "vaule": 2}')
