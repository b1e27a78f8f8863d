"""The records behind a figure, each with what is said of it: told again record by record."""

from random import Random

import pytest

import unveil
from measure.small import people

SYMBOLS = ("repU", "Dorig", "iS", "DiS", "DiSCO", "DiSDiO")


def story(original: list[str], copy: list[str], measure: str, excluded: str) -> list[dict]:
    """Every record that the measure counts, from the definition."""
    told = []
    for row, (k1, k2, t) in enumerate(original):
        same = [one[2] for one in original if one[:2] == k1 + k2]
        shown = [one[2] for one in copy if one[:2] == k1 + k2]
        is_sure = len(set(shown)) == 1
        counts = {
            "repU": len(same) == len(shown) == 1,
            "Dorig": len(set(same)) == 1,
            "iS": bool(shown),
            "DiS": is_sure,
            "DiSCO": is_sure and shown[0] == t,
        }
        counts["DiSDiO"] = counts["DiSCO"] and counts["Dorig"]
        counts |= {name: False for name in SYMBOLS[1:] if t == excluded}
        if counts[measure]:
            says = shown[0] if is_sure else None
            own = dict(zip(("k1", "k2", "t"), (k1, k2, t), strict=True))
            sizes = (same.count(t), shown.count(t), len(same), len(shown))
            told.append(
                {"row": row, **own, "copy_says": says}
                | dict(zip(("d_tq", "s_tq", "d_q", "s_q"), sizes, strict=True))
                | {"measures": ", ".join(name for name in SYMBOLS if counts[name])}
                | {"why": why(t, same, shown)}
            )
    return told


def why(t: str, same: list[str], shown: list[str]) -> str:
    who = f"One of {len(same)} people with these keys in the original"
    who += f", {same.count(t)} of them with this value"
    if set(same) == {t}:
        who = f"One of {len(same)} people with these keys in the original, all with this value"
    if len(same) == 1:
        who = "Unique on these keys in the original"
    n = len(shown)
    if not shown:
        return f"{who}; the synthetic data have no record with them."
    if len(set(shown)) > 1:
        with_ = f"with {len(set(shown))} different values"
    else:
        with_ = "all " * (n > 1) + "with "
        with_ += "the same value: right" if shown[0] == t else "one other value: wrong"
    return f"{who}; the synthetic data have {n} with them, {with_}."


@pytest.mark.parametrize("seed", range(4))
def test_each_record_is_told_as_it_is(seed):
    dice = Random(seed)
    sizes = (dice.randint(4, 20), dice.randint(3, 12), dice.randint(3, 12))
    drawn = [["".join(map(dice.choice, ("ab", "xyz", "pqr"))) for _ in range(n)] for n in sizes]
    original, *copies = [[*one, "axp"] for one in drawn]
    excluded = dice.choice(["", "q"])
    asked = dict(keys=["k1", "k2"], targets="t", exclude=["t=q"] if excluded else [])
    for files in (copies[:1], copies):
        found = unveil.disclosure(people(original), list(map(people, files)), **asked)
        pooled = [row for one in files for row in one]
        last = "pooled" if len(files) > 1 else 1
        for copy, rows in {**dict(enumerate(files, 1)), last: pooled, None: pooled}.items():
            for measure in SYMBOLS:
                told = story(original, rows, measure, excluded)
                frame = found.records_at_risk("t", measure=measure, copy=copy)
                assert frame.to_dicts() == [
                    {"row": one["row"], "copy": str(copy or last)} | one for one in told
                ]
