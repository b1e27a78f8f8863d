"""Names are compared, not persons: in whatever spelling, and never an empty one."""

import pytest

from unveil.errors import SettingsError
from unveil.project.people import check_name, is_same_person

ANN = "Ann Bell, analyst"


@pytest.mark.parametrize(
    "other",
    [
        *("ann  BELL, boss", "Ann Bell (boss)", "Ann Bell - boss", "Ann Bell \u2013 boss"),
        *("Ann Bell; boss", "Ann Bell [boss]", "Ann Bell.", "Dr Ann Bell", "Prof. Dr. Ann Bell"),
        *("Ann Bell\uff0cboss", "\uff21nn Bell", "\u0410nn Bell", "Ann B\u00ebll", "Bell, Ann"),
        *("Bell, Ann, boss", "Ann\u200b Bell", "A\u00adnn Bell"),
    ],
)
def test_one_name_in_another_spelling_is_the_same_person(other):
    assert is_same_person(ANN, other)
    assert is_same_person(other, ANN)


@pytest.mark.parametrize("other", ["Ann Leigh, analyst", "Anna Bell", "Carl Bell", "analyst"])
def test_another_name_is_another_person(other):
    assert not is_same_person(ANN, other)
    assert not is_same_person(other, ANN)


@pytest.mark.parametrize("by", [",", " , boss", "-", "1234", "A, boss", "(boss)", "\u0301\u0301"])
def test_a_name_without_letters_is_refused(by):
    with pytest.raises(SettingsError) as refusal:
        check_name(by)
    assert str(refusal.value) == ('A name of at least 2 letters is required: --by "Name, role".')


@pytest.mark.parametrize("by", ["Li", "\u674e\u660e", "O'Brien-Smith, head", "\u00c9a"])
def test_a_short_or_foreign_name_is_a_name(by):
    assert check_name(by) == by
