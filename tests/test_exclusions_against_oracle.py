"""Exclusions, flags, records at risk and bands against stories told record by record."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from random import Random

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import unveil
from exclusion_scenarios import Excluding, asked, exclusions, joined, written
from oracles import bands, checks, raab
from oracles import exclusions as oracle
from oracles.compare import assert_agrees
from oracles.values import canonical
from profiles import examples
from scenarios import Scenario, figures_of, scenarios

seeds = st.integers(0, 2**32 - 1)
unhurried = [HealthCheck.too_slow, HealthCheck.data_too_large]


def times(n: int) -> settings:
    return examples(n, suppress_health_check=unhurried)


def files_of(scenario: Scenario, target: str) -> tuple[list, list]:
    original, *copies = scenario.files(target)
    return original, copies


def expected_figures(scenario: Scenario, rules) -> dict[tuple, dict]:
    expected = {}
    for target in scenario.targets:
        original, copies = files_of(scenario, target)
        n_levels = len({value for side in scenario.column(target) for value in side})
        story = partial(oracle.attribute, rules=rules, target=target)
        for copy, figures in raab.over_copies(story, original, copies).items():
            expected[f"target {target}", copy] = figures | {"n_target_levels": n_levels}
    story = partial(oracle.identity, rules=rules)
    for copy, figures in raab.over_copies(story, original, copies).items():
        expected["identity", copy] = figures
    return expected


def check_figures(result, scenario: Scenario, rules) -> None:
    measured, expected = figures_of(result), expected_figures(scenario, rules)
    assert set(measured) == set(expected)
    for subject, figures in expected.items():
        assert set(measured[subject]) == set(figures)
        assert_agrees(measured[subject], figures, where=str(subject))
    check_effects(result, scenario, rules, expected)


def check_effects(result, scenario: Scenario, rules, after: dict[tuple, dict]) -> None:
    expected = {}
    before = expected_figures(scenario, ()) if rules else {}
    for (what, copy), figures in before.items():
        names = oracle.AFFECTED_IDENTITY if what == "identity" else oracle.AFFECTED
        for name, row in oracle.effects(figures, after[what, copy], names).items():
            expected[what, copy, name] = row
    measured = {}
    for row in result.effects:
        what = "identity" if row.target is None else f"target {row.target}"
        figures = {"all": row.all, "after": row.after, "R": row.R}
        assert measured.setdefault((what, row.copy, row.measure), figures) is figures
    assert set(measured) == set(expected)
    for subject, row in expected.items():
        assert_agrees(measured[subject], row, where=f"effect {subject}")


def check_credits(document: dict, scenario: Scenario, rules) -> None:
    """Each rule's row, in the order in which the rules act, and last what remains."""
    acting = oracle.in_order(rules)
    assert len(document["exclude"]) == len(acting)
    text = dict(zip(acting, document["exclude"], strict=True)) | {None: None}
    expected = {}
    for target in document["targets"] if rules else ():
        original, copies = files_of(scenario, target)
        story = partial(oracle.attribute_credits, rules=rules, target=target)
        for copy, rows in oracle.each_copy(story, original, copies).items():
            expected[target, copy] = [{"rule": text[rule]} | counts for rule, counts in rows]
    assert_rows(document["excluded"], expected, ("target", "copy"))

    original, copies = files_of(scenario, scenario.targets[0])
    story = partial(oracle.identity_credits, rules=rules)
    told = oracle.each_copy(story, original, copies)
    expected = {
        (copy,): [{"rule": text[rule]} | counts for rule, counts in rows]
        for copy, rows in told.items()
        if rows
    }
    assert_rows(document["excluded_identity"], expected, ("copy",))


def assert_rows(measured: list[dict], expected: dict[tuple, list], names: tuple[str, ...]) -> None:
    found: dict = {}
    for row in measured:
        rest = {name: value for name, value in row.items() if name not in names}
        found.setdefault(tuple(row[name] for name in names), []).append(rest)
    assert list(found) == list(expected)  # targets and copies in their order
    for subject, rows in expected.items():
        assert [row["rule"] for row in found[subject]] == [row["rule"] for row in rows], subject
        for one, other in zip(found[subject], rows, strict=True):
            assert set(one) == set(other)
            assert_agrees(one, other, where=f"{subject} {other['rule']}")


def check(excluding: Excluding, *, by_whatif: bool) -> None:
    scenario, rules = excluding.scenario, excluding.asked.rules
    if by_whatif:
        result = scenario.call(unveil.disclosure).whatif(exclude=excluding.asked.exclude)
    else:
        result = excluding.call(unveil.disclosure)
    check_figures(result, scenario, rules)
    check_credits(result.to_dict(), scenario, rules)


@pytest.mark.slow
@times(450)
@given(exclusions(min_size=1), st.booleans())
def test_every_figure_under_exclusions_equals_its_story(excluding, by_whatif):
    check(excluding, by_whatif=by_whatif)


@times(150)
@given(exclusions(min_size=1, max_rows=40, max_levels=2, max_copies=2, plain=True), st.booleans())
def test_every_figure_under_exclusions_where_many_share_their_keys(excluding, by_whatif):
    check(excluding, by_whatif=by_whatif)


@times(60)
@given(exclusions(min_size=1), st.data())
def test_whatif_gives_the_record_of_the_direct_call(excluding, data):
    before = data.draw(asked(excluding.scenario, max_size=2))
    start = Excluding(excluding.scenario, before).call(unveil.disclosure)
    direct = excluding.call(unveil.disclosure)
    assert start.whatif(exclude=excluding.asked.exclude).to_dict() == direct.to_dict()
    again = direct.whatif(exclude=direct.to_dict()["exclude"])  # its own texts mean the same
    assert again.to_dict() == direct.to_dict()


# Who is at risk


@times(120)
@given(exclusions(max_rows=14, max_levels=3), st.data())
def test_the_records_at_risk_are_those_the_measure_counts(excluding, data):
    scenario, rules = excluding.scenario, excluding.asked.rules
    result = excluding.call(unveil.disclosure)
    target = data.draw(st.sampled_from(scenario.targets))
    measure = data.draw(st.sampled_from((*oracle.COUNTED, "repU")))
    original, copies = files_of(scenario, target)
    numbers = [*range(1, len(copies) + 1), *(["pooled"] if len(copies) > 1 else [])]
    copy = data.draw(st.sampled_from([None, *numbers]))
    frame = result.records_at_risk(target, copy=copy, measure=measure)

    story = partial(oracle.at_risk, rules=rules, target=target, measure=measure)
    told = oracle.each_copy(story, original, copies)[copy or numbers[-1]]
    assert frame["row"].to_list() == [record["row"] for record in told]
    names = ("row", "d_tq", "s_tq", "d_q", "s_q")
    for row, record in zip(frame.iter_rows(), told, strict=True):
        measured = dict(zip(frame.columns, row, strict=True))
        assert_agrees(measured, {name: record[name] for name in names}, where=f"row {row[0]}")
        assert str(row[1]) == str(copy or numbers[-1])
        shown = row[2 : 2 + len(scenario.keys) + 1]
        assert list(map(as_text, shown)) == [written(v) for v in (*record["key"], record["target"])]
        if record["says"]:
            assert as_text(measured["copy_says"]) == written(record["says"][0])
        counting = [name for name in ("repU", *oracle.COUNTED) if name in record["measures"]]
        assert measured["measures"] == ", ".join(counting)
        assert measured["why"].strip()


def as_text(value: object) -> str | None:
    return written(canonical(value))


# What everybody knows anyway


def with_regions(scenario: Scenario, chance: Random) -> Scenario:
    """One more column, neither key nor target, that the copies need not have."""
    places = pl.Series("region", chance.choices(("north", "south", None), k=len(scenario.original)))
    return replace(scenario, original=scenario.original.with_columns(places))


@times(180)
@given(
    exclusions(max_size=2, max_rows=25, max_levels=3, max_copies=2),
    st.tuples(st.integers(0, 2), st.integers(20, 60)),
    st.tuples(st.integers(0, 1), st.integers(20, 60)),
    seeds,
)
def test_flags_are_raised_exactly_where_their_story_raises_them(excluding, one_way, two_way, seed):
    chance = Random(seed)
    excluding = replace(excluding, scenario=with_regions(excluding.scenario, chance))
    scenario, rules = excluding.scenario, excluding.asked.rules
    by = chance.choice([None, None, *scenario.original.columns])
    if by == "region":
        segments = [(place,) for place in scenario.original["region"]]
    else:
        segments = by and [(value,) for value in scenario.column(by)[0]]
    result = excluding.call(unveil.disclosure, one_way=one_way, two_way=two_way, checks_by=by)
    document = result.to_dict()
    assert document["checks"] == {"one_way": one_way, "two_way": two_way, "by": by}
    flags = {}
    for flag in document["flags"]:
        place = (flag["target"], flag["copy"], flag["segment"])
        assert flag["by"] == by
        flags.setdefault(place, {"one_way": [], "two_way": []})[flag["kind"]].append(flag)
    for target in scenario.targets:
        original, copies = files_of(scenario, target)
        story = partial(
            checks.flags, rules=rules, target=target, limits=(one_way, two_way), segments=segments
        )
        for copy, told in oracle.each_copy(story, original, copies).items():
            for segment, (choices, pairs) in told.items():
                name = segment and written(segment[0])
                # A level is to be excluded where it was flagged: in that segment, if keys tell it.
                within = [(by, name)] if by in scenario.keys else []
                place = (target, copy, name)
                found = flags.pop(place, {"one_way": [], "two_way": []})
                check_one_way(found["one_way"], choices, within)
                check_two_way(found["two_way"], pairs, scenario.keys, within)
    assert not flags


def check_one_way(found: list[dict], choices: list[dict], within: list[tuple]) -> None:
    assert len(found) == min(len(choices), 1)
    for flag in found:
        told = {written(choice["level"]): choice for choice in choices}[flag["level"]]
        expected = told | {"level": flag["level"], "key": None, "key_level": None}
        expected["exclusion"] = joined([(flag["target"], flag["level"]), *within])
        assert_agrees(flag, expected, where=f"one-way {flag['target']}")


def check_two_way(found: list[dict], pairs: list[dict], keys: tuple, within: list[tuple]) -> None:
    told = {(keys[p["key"]], written(p["key_level"]), written(p["level"])): p for p in pairs}
    assert len(found) == len(told)
    for flag in found:
        names = {name: flag[name] for name in ("key", "key_level", "level")}
        levels = [(flag["target"], flag["level"]), (flag["key"], flag["key_level"])]
        levels += [one for one in within if one not in levels]  # the segment may be that key's
        names["exclusion"] = joined(levels)
        expected = told[flag["key"], flag["key_level"], flag["level"]] | names
        assert_agrees(flag, expected, where=f"two-way {flag['target']}")
    order = [(-flag["n"], keys.index(flag["key"])) for flag in found]
    assert order == sorted(order)


# Numbers in bands


@dataclass(frozen=True)
class InBands(Scenario):
    """A scenario whose columns are read by band."""

    by_band: dict[str, list[list]]

    def column(self, name: str) -> list[list]:
        return self.by_band[name]


@st.composite
def banded(draw) -> tuple[Scenario, dict, dict, dict]:
    """A scenario of whole numbers, its settings of bands, and its columns by band."""
    scenario = draw(scenarios(kinds=("whole",), max_rows=16, max_levels=5, max_copies=2))
    wanted, special, columns = {}, {}, {}
    for name in (*scenario.keys, *scenario.targets):
        column = scenario.column(name)
        columns[name] = column
        if draw(st.booleans()):
            codes = draw(st.sets(st.sampled_from((-8, 0)), max_size=1))
            if codes:
                special[name] = sorted(codes)
            setting, asked_for = draw(one_banding())
            wanted[name] = setting
            columns[name] = bands.banded(column, special=set(map(Fraction, codes)), **asked_for)
    return scenario, wanted, special, columns


@st.composite
def one_banding(draw) -> tuple[object, dict]:
    """As unveil is told it, and as the oracle is."""
    n = draw(st.integers(2, 13))
    style = draw(st.sampled_from(("quantile", "equal", "breaks")))
    if style == "breaks":
        breaks = sorted(draw(st.sets(st.integers(-9, 11), min_size=1, max_size=4)))
        as_text = ",".join(map(str, breaks))
        setting = draw(st.sampled_from((breaks, {"breaks": breaks}, as_text)))
        if len(breaks) == 1 and setting == as_text:  # "5" alone could be a number of bands
            setting = breaks
        return setting, {"breaks": list(map(Fraction, breaks))}
    settings_of = {"quantile": (n, f"quantile:{n}"), "equal": (f"equal:{n}",)}[style]
    setting = draw(st.sampled_from((*settings_of, {"style": style, "n": n})))
    return setting, {"style": style, "n": n}


@times(120)
@given(banded())
def test_bands_measure_as_if_each_number_were_the_name_of_its_band(case):
    scenario, wanted, special, columns = case
    call = partial(unveil.disclosure, bands=wanted, special_codes=special)
    result = scenario.call(call)
    by_band = InBands(scenario.original, scenario.copies, scenario.keys, scenario.targets, columns)
    check_figures(result, by_band, ())
    told = {row["column"] for row in result.to_dict()["bands"]}
    assert told <= set(wanted)
    for name in set(wanted) - told:  # there was no number to put into a band
        assert all(value is None or value[0] == "code" for side in columns[name] for value in side)


@times(200)
@given(one_banding(), st.integers(1, 4), st.sampled_from((1, 2, 4)), seeds)
def test_every_number_lies_in_its_band_and_its_band_says_so(banding, per_band, parts, seed):
    setting, asked_for = banding
    chance = Random(seed)
    # As many numbers as put each quantile upon one of them, or not quite.
    n = asked_for.get("n", 4) * per_band + chance.choice((0, 1, 1))
    highest = chance.choice((5, 60))
    numbers = [chance.randint(-9, highest) / parts for _ in range(n - 1)]
    sides = [numbers, numbers[:1]]
    frames = [pl.DataFrame({"age": one, "sex": [1] * len(one)}) for one in sides]
    result = unveil.disclosure(*frames, keys="age", targets="sex", bands={"age": setting})
    # Everybody's target is the same, so that everybody is at risk and every band is told.
    labels = result.records_at_risk("sex", measure="Dorig")["age"].cast(pl.String).to_list()
    for value, label in zip(numbers, labels, strict=True):
        assert says(label, value), (label, value)
    told, _ = bands.banded([list(map(Fraction, one)) for one in sides], **asked_for)
    pairs = set(zip(told, labels, strict=True))
    assert len(pairs) == len(set(told)) == len(set(labels)), pairs


def says(label: str, value: float) -> bool:
    """Is this number among those that the band's name tells of?"""
    match label.split():
        case ["all", "values"]:
            told = True
        case ["under", high]:
            told = value < float(high)
        case ["over", low]:
            told = value > float(low)
        case [low, "or", "more"]:
            told = value >= float(low)
        case [low, "to", "under", high]:
            told = float(low) <= value < float(high)
        case [low, "to", high]:
            told = float(low) <= value <= float(high)
        case _:
            told = value == float(label)
    return told
