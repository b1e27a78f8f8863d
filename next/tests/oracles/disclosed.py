"""Every table of a disclosure, told of a world by the stories beside this one.

A table is a mapping of what a row is about to its figures, without what other people's records
tell. Rows of copies are followed by their mean, their standard deviation and all copies as one
file; tables of people and levels have copies and the pooled file alone.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations
from statistics import stdev

from oracles import checks, exclusions, near, people, persons, raab, shown, twins
from oracles.exclusions import (
    AboveLimit,
    MissingKeys,
    MissingTargets,
    Pair,
    Rule,
    Seen,
    TargetLevel,
    passed,
    total,
)
from oracles.raab import Figure
from oracles.worlds import File, Target, World, label_of

Figures = dict[str, Figure | str]
Table = dict[tuple, Figures]
Story = Callable[[File], Figures]
PERCENTS = (
    *("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO"),
    *("CAPd", "CAPs", "DCAP", "TCAP", "baseCAPd", "protection"),
)
IDENTITY_PERCENTS = ("UiO", "UiS", "UiOiS", "repU")
DENOMINATORS = ("max_denom", "mean_denom", "max_denom_syn", "mean_denom_syn")


def each_file(world: World) -> Iterable[tuple[str, int | str, File]]:
    """Every copy of every version, and where there are several all of them as one file."""
    for version, copies in world.synthetic.items():
        yield from ((version, number, copy) for number, copy in enumerate(copies, 1))
        if len(copies) > 1:
            yield version, "pooled", world.pool(copies)


def with_summaries(world: World, story: Story) -> Table:
    """What is told of each file, and of the copies of a version their mean and deviation."""
    table: Table = {(version, copy): story(file) for version, copy, file in each_file(world)}
    for version, copies in world.synthetic.items():
        if len(copies) > 1:
            each = [table[version, number] for number in range(1, len(copies) + 1)]
            table[version, "mean"] = summary(each, raab.average)
            table[version, "sd"] = summary(each, deviation)
    return table


def summary(each: Sequence[Figures], of: Callable) -> Figures:
    return {name: of([figures[name] for figures in each]) for name in each[0]}


def deviation(values: Sequence[Figure]) -> float | None:
    return None if None in values else stdev(map(float, values))


def tables(world: World) -> dict[str, Table]:
    """All tables of a disclosure, but for what other people's records tell."""
    return {
        "attribute": attribute(world),
        "identity": identity(world, world.rules),
        "values": values(world),
        "flags": flags(world),
        "excluded": excluded(world),
        "effect": effect(world),
        "exclusions": five_sets(world),
        "together": together(world),
        "sensitive": sensitive(world),
    }


# Figures


def attribute(world: World) -> Table:
    table: Table = {}
    for target in world.targets:
        stories = {"records": partial(of_records, world, target, world.rules)}
        about = world.columns.get(target, {}) if isinstance(target, str) else {}
        if "tolerance" in about:
            stories["near"] = partial(of_numbers, world, target)
        if world.person:
            stories["people"] = partial(of_people, world, target)
        for unit, story in stories.items():
            for side, figures in with_summaries(world, story).items():
                table[*side, label_of(target), unit] = figures
    return table


def of_records(
    world: World, target: Target, rules: Sequence[Rule], synthetic: File, people: File = ()
) -> Figures:
    """The figures of the people of the original, or of others in their place."""
    label = label_of(target)
    original, copy = world.rows(people or world.original, target), world.rows(synthetic, target)
    figures = exclusions.attribute(original, copy, rules, label)
    showings = shown.showings(original, copy, rules, label)
    n_shown = sum(person.is_counted for person in showings)
    n_right = sum(person.is_counted and person.is_correct for person in showings)
    return {name: figures[name] for name in (*PERCENTS, *DENOMINATORS)} | {
        "correct": n_right,
        "wrong": n_shown - n_right,
        "uncommon": shown.uncommon(original, showings, world.order(target)),
        "shares": shown.right_by_shares(showings, shares_of(world, target)),
    }


def shares_of(world: World, target: Target) -> dict[Hashable, Fraction] | None:
    """What is public of each level: as published, or else as in the original."""
    if world.published:
        return world.published.get(label_of(target))
    return shown.shares([value for _, value in world.rows(world.original, target)])


def of_numbers(world: World, target: str, synthetic: File) -> Figures:
    about = world.columns[target]
    ruler = near.Ruler(about["tolerance"], about.get("special", ()))
    files = world.rows(world.original, target), world.rows(synthetic, target)
    return near.attribute(*files, world.rules, target, ruler)


def of_people(world: World, target: Target, synthetic: File) -> Figures:
    files = world.people(world.original, target), world.people(synthetic, target)
    return persons.attribute(*files, world.rules, label_of(target))


def identity(world: World, rules: Sequence[Rule]) -> Table:
    stories = {"records": partial(identity_of_records, world, rules)}
    if world.person:
        stories["people"] = partial(identity_of_people, world, rules)
    return {
        (*side, unit): figures
        for unit, story in stories.items()
        for side, figures in with_summaries(world, story).items()
    }


def identity_of_records(
    world: World, rules: Sequence[Rule], synthetic: File, people: File = ()
) -> Figures:
    target = world.targets[0]
    files = world.rows(people or world.original, target), world.rows(synthetic, target)
    figures = exclusions.identity(*files, rules)
    left = passed(exclusions.watch_keys(*files, rules)[0])
    return {name: figures[name] for name in IDENTITY_PERCENTS} | {
        "unique": int(total("UiO", left)),
        "replicated": int(total("repU", left)),
        "matched": sum(person.key in dict(files[1]) for person in left),
    }


def identity_of_people(world: World, rules: Sequence[Rule], synthetic: File) -> Figures:
    target = world.targets[0]
    files = world.people(world.original, target), world.people(synthetic, target)
    return persons.identity(*files, rules)


# What is shown


def values(world: World) -> Table:
    table: Table = {}
    for version, copy, target, files in each_target(world):
        told = shown.showings(*files, world.rules, label_of(target))
        for level, counts in shown.values(files[0], told, world.order(target)).items():
            table[version, copy, label_of(target), world.text(target, level)] = counts
    return table


def each_target(world: World) -> Iterable[tuple[str, int | str, Target, tuple[list, list]]]:
    for version, copy, synthetic in each_file(world):
        for target in world.targets:
            files = world.rows(world.original, target), world.rows(synthetic, target)
            yield version, copy, target, files


def together(world: World) -> Table:
    """People who are shown any target correctly."""
    owners = people.whose(world.people(world.original, world.targets[0]))
    right: dict[tuple, set] = {}
    for version, copy, target, files in each_target(world):
        told = shown.showings(*files, world.rules, label_of(target))
        whose = {owners[s.place] for s in told if s.is_correct and s.is_counted}
        right[version, copy] = right.get((version, copy), set()) | whose
    of = len(set(owners))
    return {
        side: {"people": of, "any_correct": len(whose), "share": raab.percent(len(whose), of)}
        for side, whose in right.items()
    }


def sensitive(world: World) -> Table:
    table: Table = {}
    owners = people.whose(world.people(world.original, world.targets[0]))
    for version, copy, target, files in each_target(world):
        about = world.columns.get(target, {}) if isinstance(target, str) else {}
        for level in world.order(target):
            if (text := world.text(target, level)) in about.get("sensitive", ()):
                counts = shown.sensitive(
                    *files, world.rules, target, level, shares_of(world, target), owners
                )
                table[version, copy, target, text] = counts
    return table


# Exclusions


def excluded(world: World) -> Table:
    """What each rule takes out of each sum, and under an empty rule what is left."""
    table: Table = {}
    for version, copy, target, files in each_target(world) if world.rules else ():
        records = exclusions.watch(*files, world.rules, label_of(target))
        for rule, counts in exclusions.credits_of(world.rules, *records):
            figures = {"people": counts["original"], "records": counts["synthetic"]}
            figures |= {name: counts[name] for name in (*exclusions.COUNTED, "Dsyn")}
            text = "" if rule is None else world.rule_text(rule)
            table[version, copy, label_of(target), text] = figures
    return table


def effect(world: World) -> Table:
    """Each figure without and with exclusions; without a target those of identity."""
    table: Table = {}
    for target in (*world.targets, None) if world.rules else ():
        names = IDENTITY_PERCENTS if target is None else PERCENTS
        before, after = figures_of(world, target, ()), figures_of(world, target, world.rules)
        for side in before:
            for name, row in exclusions.effects(before[side], after[side], names).items():
                change = {"before": row["all"], "after": row["after"], "R": row["R"]}
                if side[1] != "sd":
                    table[*side, label_of(target or ""), name] = change
    return table


def figures_of(
    world: World, target: Target | None, rules: Sequence[Rule], people: File = ()
) -> Table:
    """The figures of a target, or of the keys alone, of each synthetic file."""
    if target is None:
        return with_summaries(world, partial(identity_of_records, world, rules, people=people))
    return with_summaries(world, partial(of_records, world, target, rules, people=people))


def five_sets(world: World) -> Table:
    """Raab's Table 2: nothing; levels; and missing targets; and large cells; large cells alone."""
    table: Table = {}
    for version, copy, target, files in each_target(world):
        label = label_of(target)
        levels = [rule for rule in world.rules if isinstance(rule, TargetLevel | Pair)]
        if not levels and not world.within:
            seen, _ = exclusions.watch(*files, world.rules, label)
            flags = checks.one_way(seen, world.thresholds[0])
            levels = [TargetLevel(label, flag["level"]) for flag in first(world, target, flags)]
        large = [rule for rule in world.rules if isinstance(rule, AboveLimit)] or [AboveLimit(1)]
        sets = {
            "all": [],
            "levels": levels,
            "levels_missing": [*levels, MissingTargets()],
            "levels_missing_large": [*levels, MissingTargets(), *large],
            "large": large,
        }
        for figure in ("Dorig", "DiSCO"):
            table[version, copy, label, figure] = {
                name: exclusions.attribute(*files, rules, label)[figure]
                for name, rules in sets.items()
            }
    return table


# Flags


def flags(world: World) -> Table:
    """By what they are about."""
    raised: Table = {}
    for version, copy, target, files in each_target(world):
        about, label = (version, copy, label_of(target)), label_of(target)
        at = [(world.level(r, world.within),) for r in world.original] if world.within else None
        found = checks.flags(*files, world.rules, label, limits=world.thresholds, segments=at)
        seen, _ = exclusions.watch(*files, world.rules, label)
        for segment, (one_way, two_way) in found.items():
            inside = [s for place, s in enumerate(seen) if at is None or at[place] == segment]
            within = "" if segment is None else place_of(world, segment[0])
            for flag in first(world, target, one_way):
                level = world.text(target, flag["level"])
                raised[*about, "one-way", level, "", "", within] = one_way_row(flag)
            for flag in two_way:
                key = world.keys[flag["key"]]
                levels = world.text(target, flag["level"]), world.text(key, flag["key_level"])
                row = two_way_row(flag, checks.rightly_told(inside))
                raised[*about, "two-way", levels[0], key, levels[1], within] = row
    return raised


def first(world: World, target: Target, tied: Sequence[dict]) -> Sequence[dict]:
    """Of one-way flags that tie for the most the first in the order of levels, as in synthpop."""
    order = world.order(target)
    return sorted(tied, key=lambda flag: order.index(flag["level"]))[:1]


def place_of(world: World, level: Hashable) -> str:
    return f"{world.within}={world.text(world.within, level) or ''}"


def one_way_row(flag: dict) -> Figures:
    return {
        "correct": flag["n"],
        "disclosed": flag["n_disclosive"],
        "share": flag["percent"],
        "people": flag["n_level"],
        "people_all": flag["n_all"],
        "share_all": flag["percent_all"],
    }


def two_way_row(flag: dict, right: Sequence[Seen]) -> Figures:
    """Those shown it correctly are counted in cells of any size."""
    place, having = flag["key"], (flag["level"], flag["key_level"])
    n = sum((person.target, person.key[place]) == having for person in right)
    return {
        "correct": n,
        "disclosed": flag["n_disclosive"],
        "share": Fraction(100 * n, flag["n_disclosive"]),
        "people": flag["n_level"],
        "people_all": flag["n_all"],
        "share_all": flag["percent"],
    }


# Control sample


def excess(world: World, names: Sequence[str]) -> Table:
    """The figures of the original, and of the control sample in its place, and R of the two."""
    table: Table = {}
    for target in (None, *world.targets):
        used = figures_of(world, target, world.rules)
        unused = figures_of(world, target, world.rules, world.control)
        for side in used:
            for name in filter(used[side].__contains__, names):
                pair = used[side][name], unused[side][name]
                R = None if side[1] == "sd" or world.fraction == 1 else beyond(*pair)
                row = {"training": pair[0], "control": pair[1], "R": R}
                table[*side, label_of(target or ""), name] = row
    return table


def beyond(training: Figure, control: Figure) -> Figure:
    """Equation 1: of those not disclosed by the control, the part that is; of nobody 0."""
    if training is None or control is None:
        return None
    if control == 100:
        return Fraction(0)
    return (training - control) / (100 - control)


# Sets of keys


def key_sets(world: World, largest: int | None = None) -> Table:
    """Each set of keys as if it were all keys; a rule that names other keys takes nobody out."""
    table: Table = {}
    for size in range(1, min(largest or 9, len(world.keys)) + 1):
        for places in combinations(range(len(world.keys)), size):
            keys = tuple(world.keys[place] for place in places)
            part = replace(world, keys=keys, rules=rules_on(world, places))
            for target in world.targets:
                story = partial(of_set, part, target)
                for side, figures in with_summaries(part, story).items():
                    table[*side, keys, label_of(target)] = figures | {"size": size}
    return table


def of_set(world: World, target: Target, synthetic: File) -> Figures:
    files = world.rows(world.original, target), world.rows(synthetic, target)
    figures = exclusions.attribute(*files, world.rules, label_of(target))
    people, _ = exclusions.watch(*files, world.rules, label_of(target))
    return {
        "repU": exclusions.identity(*files, world.rules)["repU"],
        "DiS": figures["DiS"],
        "DiSCO": figures["DiSCO"],
        "expected": twins.taught_by_others(people),
    }


def rules_on(world: World, places: Sequence[int]) -> tuple[Rule, ...]:
    """The rules as they stand among some of the keys."""
    rules: list[Rule] = []
    for rule in world.rules:
        match rule:
            case Pair(target, level, at):
                if {place for place, _ in at} <= set(places):
                    keys = frozenset((places.index(place), value) for place, value in at)
                    rules.append(Pair(target, level, keys))
            case MissingKeys(frozenset() as at):
                here = frozenset(places.index(place) for place in at & set(places))
                rules += [MissingKeys(here)] if here else []
            case _:
                rules.append(rule)
    return tuple(rules)
