"""What people see first: above, within, without keys."""

import pytest
from inline_snapshot import snapshot

import unveil
from gate.files import people, planted
from unveil.show.terminal import screen

ORIGINAL, OTHERS = people(800, 1), people(800, 2)


def lines(synthetic, keys=(), targets=(), original=ORIGINAL, **settings):
    study = unveil.Study(original, synthetic, keys=keys, targets=targets, unit="patients")
    text = screen([unveil.assess(study, seed=1, **settings)], (), (), "unveil assess a.csv b.csv")
    return text.splitlines()


def test_above_limit():
    mixed = planted(ORIGINAL, OTHERS, 0.2)
    assert "\n".join(lines(mixed, ("sex", "age"), "illness")) == snapshot("""\
■ Blocked: 11 of 14 figures above the proposed limits (14 alerts). The data
contain 160 complete records of patients; 0 by chance. income would be disclosed
correctly for 159 of 800 patients (19.9 %) to an intruder who knows illness,
rent, weight; other patients' records alone give 0.
                              patients  from others     beyond  limit
Records of real patients in the data
  equal in all variables           160            0  +160 ± 35  ■ above 0
  equal in all, nobody alike       160            0  +160 ± 30  ■ above 0
  equal in all, or but one         160            0  +160 ± 35  ■ above 8
Possible matches by sex, age
  unique in both, of 3               0            -          -  no limit
Disclosed by linking illness, rent, weight
  income                           159            0  +159 ± 25  ■ above 8
  7 more above limit: +92 to +159 beyond
Disclosed to an intruder who knows sex, age
  illness                           28           29     -1 ± 3  ○ cannot reach 8
Limits      8 patients beyond (1 %, proposed) and 0 complete records (0 %,
            proposed) for open release; no standard stands behind them.
Cause       real records (14 alerts, block). Find out how real records came into
            the data, and make these again.
Not tested  sensitive values, being in the data, other knowledge, values hidden
            on purpose, order, groups, earlier releases and people who objected.
Next: unveil init a.csv b.csv --by 'Name, role'\
""")


def test_within_limit():
    assert "\n".join(lines(OTHERS, ("sex", "age"), "illness")) == snapshot("""\
● Within limits. The data contain no complete record of patients. Almost nothing
is told beyond what other patients' records tell.
                                 patients  from others  beyond  limit
Records of real patients in the data
  equal in all variables                0            0  +0 ± 0  ● within 0
  equal in all, or but one              0            0  +0 ± 0  ● within 8
Possible matches by sex, age
  unique in both, of 3                  0            -       -  no limit
Disclosed by linking other columns: none beyond chance, 448 figures
Disclosed to an intruder who knows sex, age
  illness                              38           41  -3 ± 3  ○ cannot reach 8
Limits      8 patients beyond (1 %, proposed) and 0 complete records (0 %,
            proposed) for open release; no standard stands behind them.
Not tested  sensitive values, being in the data, other knowledge, values hidden
            on purpose, order, groups, earlier releases and people who objected.
Next: unveil init a.csv b.csv --by 'Name, role'\
""")


def test_without_keys():
    assert "\n".join(lines(OTHERS)) == snapshot("""\
● Within limits. The data contain no complete record of patients. Almost nothing
is told beyond what other patients' records tell.
                                       patients  from others  beyond  limit
Records of real patients in the data
  equal in all variables                      0            0  +0 ± 0  ● within 0
  equal in all, or but one                    0            0  +0 ± 0  ● within 8
Disclosed by linking other columns: none beyond chance, 448 figures
Limits      8 patients beyond (1 %, proposed) and 0 complete records (0 %,
            proposed) for open release; no standard stands behind them.
Not tested  keys, sensitive values, being in the data, other knowledge, values
            hidden on purpose, order, groups and 2 more.
Next: unveil init a.csv b.csv --by 'Name, role'\
""")


@pytest.mark.parametrize("n", [40, 800])
def test_a_screen_has_at_most_25_lines_of_80_columns(n):
    """Long names, several versions, many alerts."""
    name = {"illness": "illness at the time of the interview, as told to the nurse"}
    original = people(n, 1).rename(name)
    synthetic = {
        "first": [original, people(n, 2).rename(name)],
        "second": people(n, 3).rename(name),
    }
    keys = ("sex", "region", *name.values())
    printed = lines(synthetic, keys, ("age", "visits"), original)
    assert len(printed) <= 25
    assert max(map(len, printed[:-1])) <= 80
