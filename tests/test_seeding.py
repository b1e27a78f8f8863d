import pytest

from unveil.errors import SettingsError
from unveil.seeding import choose_seed, stream


def first(*path):
    return int(stream(*path).integers(2**62))


def test_a_path_always_gives_the_same_numbers():
    assert first(7, "copy", 1, "age", "value") == first(7, "copy", 1, "age", "value")
    # Written down, so that copies of an old seed stay what they were.
    assert first(7, "copy", 1, "age", "value") == EXPECTED


def test_every_part_of_a_path_counts_and_so_does_its_kind():
    paths = [
        (7, "copy", 1, "age"), (8, "copy", 1, "age"), (7, "copy", 2, "age"),
        (7, "copy", "1", "age"), (7, "copy", 1, "sex"), (7, "copy", 1), (7, "fit", 1, "age"),
    ]  # fmt: skip
    assert len({first(*path) for path in paths}) == len(paths)


def test_a_name_that_is_no_text_of_any_language_has_a_stream_too():
    assert first(1, "\ud800") != first(1, "\ud801")


@pytest.mark.parametrize(
    ("seed", "shown"), [(-1, "-1"), (1.5, "1.5"), (True, "True"), ("1", "'1'"), (2**63, str(2**63))]
)
def test_a_seed_that_is_none_is_refused(seed, shown):
    with pytest.raises(SettingsError) as caught:
        choose_seed(seed)
    assert str(caught.value) == (
        f"The seed is {shown}. It must be a whole number from 0 to 9,223,372,036,854,775,807."
    )


def test_without_a_seed_each_synthesis_has_its_own():
    assert choose_seed(None) != choose_seed(None)
    assert choose_seed(0) == 0


EXPECTED = 1150208645957993511
