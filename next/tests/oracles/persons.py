"""Raab's figures where a person has several records: a person counts once one of them does.

A record that an exclusion turns away counts for nobody. A row is a person, keys and a target, as in
`oracles.people`, which tells the same without exclusions.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from oracles.exclusions import Rule, watch, watch_keys
from oracles.people import Row, holders, whose
from oracles.raab import Figure, File, percent


def nameless(rows: Sequence[Row]) -> File:
    return [(key, value) for _, key, value in rows]


def attribute(
    original: Sequence[Row], synthetic: Sequence[Row], rules: Iterable[Rule], target: str
) -> dict[str, Figure]:
    people, _ = watch(nameless(original), nameless(synthetic), rules, target)
    owners = whose(original)
    counted: dict[str, set] = {name: set() for name in ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO")}
    wrong = set()
    for owner, seen in zip(owners, people, strict=True):
        if seen.turned_away_by is None:
            for figure, persons in counted.items():
                persons |= {owner} if seen.counts[figure] else set()
            wrong |= {owner} if seen.counts["DiS"] and not seen.counts["DiSCO"] else set()
    percents = {name: percent(Fraction(len(c)), len(set(owners))) for name, c in counted.items()}
    return percents | {
        "protection": percents["Dorig"] - percents["DiSCO"],
        "correct": len(counted["DiSCO"]),
        "wrong": len(wrong),
    }


def identity(
    original: Sequence[Row], synthetic: Sequence[Row], rules: Iterable[Rule]
) -> dict[str, Figure]:
    people, _ = watch_keys(nameless(original), nameless(synthetic), rules)
    owners = whose(original)
    counted: dict[str, set] = {name: set() for name in ("UiO", "UiOiS", "repU", "matched")}
    for owner, seen in zip(owners, people, strict=True):
        is_alone, n_copy = len(holders(original, seen.key)) == 1, len(holders(synthetic, seen.key))
        facts = {
            "UiO": is_alone,
            "UiOiS": is_alone and n_copy > 0,
            "repU": is_alone and n_copy == 1,
            "matched": n_copy > 0,
        }
        for figure, is_so in facts.items():
            counted[figure] |= {owner} if is_so and seen.turned_away_by is None else set()
    sizes = {figure: len(persons) for figure, persons in counted.items()}
    of = len(set(owners))
    return {
        **{figure: percent(Fraction(sizes[figure]), of) for figure in ("UiO", "UiOiS", "repU")},
        "unique": sizes["UiO"],
        "replicated": sizes["repU"],
        "matched": sizes["matched"],
    }
