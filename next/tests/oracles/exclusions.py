"""Raab's figures where some records are not to count, told record by record, in exact fractions.

First the intruder looks at everything, as in raab.py: whom they find, what they are told, what they
would guess. Only then does each record, of a real person or of the copy, pass a row of guards, one
per exclusion. The first guard who turns it away takes the credit for it; it then counts nowhere,
but everybody is still in the numbers that a percentage is taken of.

Guards stand in synthpop's order: levels of the target, missing targets, missing keys, pairs, limits
on the number of like records, limits on their number in the copy; of one kind, as they were given.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from oracles import raab
from oracles.raab import Figure, File, agree, average, drawers, percent, share


@dataclass(frozen=True)
class TargetLevel:
    target: str
    level: Hashable  # None is missing


@dataclass(frozen=True)
class MissingTargets:
    pass


@dataclass(frozen=True)
class MissingKeys:
    positions: frozenset[int] | None = None  # None: whichever key is missing


@dataclass(frozen=True)
class Pair:
    target: str
    level: Hashable
    keys: frozenset[tuple[int, Hashable]]  # position among the keys, and the value there


@dataclass(frozen=True)
class AboveLimit:
    limit: int


@dataclass(frozen=True)
class AboveLimitInCopy:
    limit: int


Rule = TargetLevel | MissingTargets | MissingKeys | Pair | AboveLimit | AboveLimitInCopy
ORDER = (TargetLevel, MissingTargets, MissingKeys, Pair, AboveLimit, AboveLimitInCopy)

COUNTED = ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO")  # whole people; CAPd and DCAP count shares
AFFECTED = ("DiSCO", "DiSDiO", "Dorig", "Dsyn", "iS", "DiS", "CAPd", "CAPs", "DCAP", "TCAP")
AFFECTED_IDENTITY = ("UiO", "UiS", "UiOiS", "repU")


@dataclass(frozen=True)
class Seen:
    """One record, all that was found out about it, and the guard who turned it away, if any."""

    key: tuple
    target: Hashable
    n_like: int  # records of its own file with the same key and target, itself among them
    n_like_in_copy: int
    counts: dict[str, Fraction | int]  # how much of it each figure counts
    turned_away_by: Rule | None = None


def in_order(rules: Iterable[Rule]) -> list[Rule]:
    """The guards as they stand, none twice."""
    return sorted(dict.fromkeys(rules), key=lambda rule: ORDER.index(type(rule)))


def concerns(rule: Rule, target: str) -> bool:
    """Could this guard ever turn away a record of this target's file?"""
    return not isinstance(rule, TargetLevel | Pair) or rule.target == target


def turns_away(rule: Rule, target: str, record: Seen) -> bool:
    match rule:
        case TargetLevel(its_target, level):
            return its_target == target and record.target == level
        case MissingTargets():
            return record.target is None
        case MissingKeys(positions):
            return any(
                value is None and (positions is None or position in positions)
                for position, value in enumerate(record.key)
            )
        case Pair(its_target, level, keys):
            return (
                its_target == target
                and record.target == level
                and all(record.key[position] == value for position, value in keys)
            )
        case AboveLimit(limit):
            return record.n_like > limit
        case AboveLimitInCopy(limit):
            return record.n_like_in_copy > limit


def guard(rules: list[Rule], target: str, record: Seen) -> Rule | None:
    """The first of the rules, in the order in which they stand, to turn this record away."""
    return next((rule for rule in rules if turns_away(rule, target, record)), None)


def passed(records: Iterable[Seen]) -> list[Seen]:
    return [record for record in records if record.turned_away_by is None]


def watch(
    original: File, synthetic: File, rules: Iterable[Rule], target: str
) -> tuple[list[Seen], list[Seen]]:
    """Every real person and every record of the copy: what was seen, and who turned them away."""
    rules = in_order(rules)
    real, copy = drawers(original), drawers(synthetic)
    like, like_in_copy = Counter(original), Counter(synthetic)

    def record(row: raab.Row, n_like: int, counts: dict) -> Seen:
        seen = Seen(*row, n_like, like_in_copy[row], counts)
        return Seen(*row, n_like, like_in_copy[row], counts, guard(rules, target, seen))

    people = []
    for key, value in original:
        fellows, lookalikes = real[key], copy.get(key, [])
        settled, told = agree(fellows), agree(lookalikes)
        rightly = told and lookalikes[0] == value
        counts = {
            "Dorig": settled,
            "iS": bool(lookalikes),
            "DiS": told,
            "DiSCO": rightly,
            "DiSDiO": rightly and settled,
            "CAPd": share(value, fellows),
            "DCAP": share(value, lookalikes),
        }
        people.append(record((key, value), like[key, value], counts))
    copied = [
        record(
            (key, value),
            like_in_copy[key, value],
            {"Dsyn": agree(copy[key]), "CAPs": share(value, copy[key])},
        )
        for key, value in synthetic
    ]
    return people, copied


def total(measure: str, records: Iterable[Seen]) -> Fraction:
    return sum((Fraction(record.counts[measure]) for record in records), Fraction(0))


def attribute(
    original: File, synthetic: File, rules: Iterable[Rule], target: str
) -> dict[str, Figure]:
    """raab.attribute where excluded records count nothing, and the renormalised figures beside."""
    n, n_copy = len(original), len(synthetic)
    people, copied = watch(original, synthetic, rules, target)
    real_kept, copy_kept = passed(people), passed(copied)
    figures = raab.attribute(original, synthetic)  # n_cells and baseCAPd know no exclusions
    for measure in (*COUNTED, "CAPd", "DCAP"):
        figures[measure] = percent(total(measure, real_kept), of=n)
    for measure in ("Dsyn", "CAPs"):
        figures[measure] = percent(total(measure, copy_kept), of=n_copy)
    n_found = int(total("iS", people))  # before anybody was turned away
    figures["TCAP"] = percent(total("DiSCO", real_kept), of=n_found)

    rightly = {
        (record.key, record.target): record for record in real_kept if record.counts["DiSCO"]
    }
    behind = [record.n_like for record in rightly.values()]
    behind_copy = [record.n_like_in_copy for record in rightly.values()]
    figures |= {
        "max_denom": max(behind, default=0),
        "mean_denom": average(behind),
        "max_denom_syn": max(behind_copy, default=0),
        "mean_denom_syn": average(behind_copy),
    }
    return figures | raab.derived(figures) | renormalised(real_kept, copy_kept, n, n_copy)


def renormalised(
    real_kept: list[Seen], copy_kept: list[Seen], n: int, n_copy: int
) -> dict[str, Figure]:
    """The same guesses by an intruder who never saw the records that were turned away."""
    real = drawers([(record.key, record.target) for record in real_kept])
    copy = drawers([(record.key, record.target) for record in copy_kept])
    guess_really = guess_copy = guess_inside_copy = Fraction(0)
    found = 0
    for record in real_kept:
        guess_really += share(record.target, real[record.key])
        guess_copy += share(record.target, copy.get(record.key, []))
        found += record.key in copy
    for record in copy_kept:
        guess_inside_copy += share(record.target, copy[record.key])
    return {
        "CAPd_renormalised": percent(guess_really, of=n),
        "CAPs_renormalised": percent(guess_inside_copy, of=n_copy),
        "DCAP_renormalised": percent(guess_copy, of=n),
        "TCAP_renormalised": percent(total("DiSCO", real_kept), of=found),
    }


def watch_keys(
    original: File, synthetic: File, rules: Iterable[Rule]
) -> tuple[list[Seen], list[Seen]]:
    """Every record by its keys alone: only guards against missing keys look at these."""
    rules = in_order(rule for rule in rules if isinstance(rule, MissingKeys))
    real, copy = drawers(original), drawers(synthetic)

    def record(row: raab.Row, counts: dict) -> Seen:
        seen = Seen(*row, 0, 0, counts)
        return Seen(*row, 0, 0, counts, guard(rules, "", seen))

    people = []
    for key, value in original:
        alone, n_found = len(real[key]) == 1, len(copy.get(key, []))
        counts = {"UiO": alone, "UiOiS": alone and n_found > 0, "repU": alone and n_found == 1}
        people.append(record((key, value), counts))
    copied = [record((key, value), {"UiS": len(copy[key]) == 1}) for key, value in synthetic]
    return people, copied


def identity(original: File, synthetic: File, rules: Iterable[Rule]) -> dict[str, Figure]:
    people, copied = watch_keys(original, synthetic, rules)
    changed = {
        measure: percent(total(measure, passed(people)), of=len(original))
        for measure in ("UiO", "UiOiS", "repU")
    }
    changed["UiS"] = percent(total("UiS", passed(copied)), of=len(synthetic))
    return raab.identity(original, synthetic) | changed


def credits_of(rules: Iterable[Rule], people: list[Seen], copied: list[Seen]) -> list[tuple]:
    """(rule, how many records it turned away from each sum), in order; None has what remains."""
    rows = []
    for rule in [*in_order(rules), None]:
        its_people = [record for record in people if record.turned_away_by == rule]
        its_copied = [record for record in copied if record.turned_away_by == rule]
        counts = {"original": len(its_people), "synthetic": len(its_copied)}
        for records, its_records in ((people, its_people), (copied, its_copied)):
            for measure in records[0].counts:
                if not measure.startswith(("CAP", "DCAP")):  # those count shares, not records
                    counts[measure] = int(total(measure, its_records))
        rows.append((rule, counts))
    return rows


def attribute_credits(
    original: File, synthetic: File, rules: Iterable[Rule], target: str
) -> list[tuple]:
    """Guards that look at another target have no part in this one's file."""
    rules = [rule for rule in rules if concerns(rule, target)]
    return credits_of(rules, *watch(original, synthetic, rules, target))


def identity_credits(original: File, synthetic: File, rules: Iterable[Rule]) -> list[tuple]:
    """Nothing at all where no guard looks at the keys alone."""
    rules = [rule for rule in rules if isinstance(rule, MissingKeys)]
    return credits_of(rules, *watch_keys(original, synthetic, rules)) if rules else []


def effects(before: dict[str, Figure], after: dict[str, Figure], names: Sequence[str]) -> dict:
    """By measure: the figure without and with exclusions, and the share of the way from 100."""
    found = {}
    for name in names:
        one, other = before[name], after[name]
        known = one is not None and other is not None and other != 100
        ratio = (one - other) / (100 - other) if known else None
        found[name] = {"all": one, "after": other, "R": ratio}
    return found


def at_risk(
    original: File, synthetic: File, rules: Iterable[Rule], target: str, measure: str
) -> list[dict]:
    """The real people whom a measure counts, in the order of the file, and why."""
    rules = list(rules)
    people, _ = watch(original, synthetic, rules, target)
    by_keys, _ = watch_keys(original, synthetic, rules)
    real, copy = drawers(original), drawers(synthetic)
    found = []
    for row, (person, known) in enumerate(zip(people, by_keys, strict=True)):
        counting = set()
        if known.turned_away_by is None and known.counts["repU"]:
            counting.add("repU")
        if person.turned_away_by is None:
            counting |= {name for name in COUNTED if person.counts[name]}
        if measure in counting:
            lookalikes = copy.get(person.key, [])
            found.append(
                {
                    "row": row,
                    "key": person.key,
                    "target": person.target,
                    "says": lookalikes[:1] if agree(lookalikes) else [],
                    "d_tq": person.n_like,
                    "s_tq": person.n_like_in_copy,
                    "d_q": len(real[person.key]),
                    "s_q": len(lookalikes),
                    "measures": counting,
                }
            )
    return found


def each_copy(story: Callable, original: File, copies: Sequence[File]) -> dict:
    """What is told of each copy and, of several, of all rows in one file; there is no mean."""
    found = {number: story(original, copy) for number, copy in enumerate(copies, 1)}
    if len(copies) > 1:
        found["pooled"] = story(original, [row for copy in copies for row in copy])
    return found
