"""Raab's exclusions on SD2011 and Adult are found by the parts, without being asked for."""

import pytest

import unveil
from golden.published import ADULT_KEYS, SD2011_KEYS, SYNTHPOP, WHERE

# Of each target: correct single values, and of these marginal, one key, two keys.
EXPLAINED = {
    "workab": (2605, 2482, 0, 25),
    "marital": (1759, 0, 717, 442),
    "depress": (477, 0, 0, 0),
    "capital.gain": (10820, 10817, 0, 0),
    "capital.loss": (14767, 14766, 0, 0),
    "native.country": (6217, 6160, 0, 0),
    "workclass": (6361, 0, 5229, 715),
    "marital.status": (2583, 0, 975, 594),
}
RAAB = {
    "workab": ("marginal", "NO", (), 2482),
    "marital": ("one_key", "SINGLE", ("age",), 393),
    "capital.gain": ("marginal", "0", (), 10817),
    "capital.loss": ("marginal", "0", (), 14766),
    "native.country": ("marginal", "United-States", (), 6160),
    "workclass": ("one_key", None, ("occupation",), 2399),
    "marital.status": ("one_key", "Never-married", ("age",), 975),
}
FILES = {
    "sd2011": ("sd2011_ods.csv", "s5_1.csv", SD2011_KEYS, ("workab", "marital", "depress")),
    "adult": ("adult.csv", "adult_syn.csv", ADULT_KEYS, tuple(EXPLAINED)[3:]),
}


@pytest.mark.slow
@pytest.mark.skipif(not SYNTHPOP.exists(), reason=f"{WHERE} is not there")
@pytest.mark.parametrize("data", FILES)
def test_what_raab_excluded_is_what_explains_most(data):
    original, copy, keys, targets = FILES[data]
    files = [SYNTHPOP / original, SYNTHPOP / copy]
    record = unveil.claims(*files, keys=list(keys), targets=list(targets)).record
    for row in record.parts:
        found = (row.correct, row.marginal, row.one_key, row.two_keys)
        assert found == EXPLAINED[row.target]
        assert row.pattern + row.rest == row.correct - sum(found[1:])
    groups = {(one.target, one.part, one.level, one.keys, one.n): one for one in record.groups}
    for target in (one for one in targets if one in RAAB):
        group = groups[target, *RAAB[target]]
        # What a ruling writes are ordinary exclusions, which disclosure takes.
        after = unveil.disclosure(
            *files, keys=list(keys), targets=target, exclude=list(group.exclusions)
        )
        before = unveil.disclosure(*files, keys=list(keys), targets=target)
        gone = before.attribute[0].DiSCO - after.attribute[0].DiSCO
        assert gone * record.n_original / 100 >= group.n - 1e-6
