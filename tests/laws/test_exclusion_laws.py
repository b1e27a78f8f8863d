"""What must hold of every figure under exclusions, whatever the files and whatever is excluded."""

from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import pairwise

import polars as pl
from hypothesis import HealthCheck, assume, given
from hypothesis import strategies as st

import unveil
from exclusion_scenarios import Asked, Excluding, asked, exclusions, levels_of, said
from oracles.compare import TOLERANCE, assert_agrees
from oracles.exclusions import MissingKeys, Pair, Rule, TargetLevel
from profiles import examples
from scenarios import TEXT, Scenario, figures_of, scenarios

quick = examples(40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])

NEVER_RAISED = {
    *("UiO", "UiS", "UiOiS", "repU"),
    *("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "DiSDiO"),
    *("CAPd", "CAPs", "DCAP", "TCAP", "max_denom", "max_denom_syn"),
}
NEVER_CHANGED = {"baseCAPd", "N_d_both", "N_s_both", "n_q_synthetic", "n_q_both"} | {
    *("n_cells", "n_target_levels"),
}
CHAIN = ("DiSDiO", "DiSCO", "DiS", "iS")
RENORMALISED = ("CAPd", "CAPs", "DCAP", "TCAP")
SUMS = ("Dorig", "iS", "DiS", "DiSCO", "DiSDiO")


def result_of(scenario: Scenario, exclude: object = ()):
    return scenario.call(partial(unveil.disclosure, exclude=exclude))


def measure(scenario: Scenario, exclude: object = ()) -> dict[tuple, dict]:
    return figures_of(result_of(scenario, exclude))


def assert_same(one: dict[tuple, dict], other: dict[tuple, dict]) -> None:
    assert set(one) == set(other)
    for subject, figures in one.items():
        assert set(figures) == set(other[subject])
        assert_agrees(other[subject], figures, where=str(subject))


def assert_none_above(lower: dict[tuple, dict], upper: dict[tuple, dict]) -> None:
    assert set(lower) == set(upper)
    for subject, figures in lower.items():
        for name in NEVER_RAISED & set(figures):
            if upper[subject][name] is None:
                assert figures[name] is None
            else:
                assert figures[name] <= upper[subject][name] + TOLERANCE, (subject, name)


@quick
@given(exclusions(min_size=1))
def test_excluding_raises_no_figure(excluding):
    result = excluding.call(unveil.disclosure)
    before, after = figures_of(result.whatif(exclude=())), figures_of(result)
    assert_none_above(after, before)
    for subject, figures in after.items():
        same = {name: before[subject][name] for name in NEVER_CHANGED & set(figures)}
        assert_agrees(figures, same, where=str(subject))


@quick
@given(exclusions(min_size=1), st.data())
def test_more_exclusions_exclude_at_least_as_much(excluding, data):
    more = data.draw(asked(excluding.scenario, min_size=1, max_size=2))
    few = excluding.call(unveil.disclosure)
    many = few.whatif(exclude=[*excluding.asked.given, *more.given])
    assert_none_above(figures_of(many), figures_of(few))
    kept, kept_less = remaining(few), remaining(many)
    assert set(kept) == set(kept_less)  # in the order of the risk, which exclusions change
    for subject, row in kept_less.items():
        for name in ("original", "synthetic", "Dsyn", *SUMS):
            assert row[name] <= kept[subject][name]


def remaining(result) -> dict[tuple, dict]:
    rows = [row for row in result.to_dict()["excluded"] if row["rule"] is None]
    return {(row["target"], row["copy"]): row for row in rows}


@quick
@given(exclusions(min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_exclusions_changes_no_figure(excluding, chance):
    given_so = excluding.asked.given
    result = excluding.call(unveil.disclosure)
    other = result.whatif(exclude=chance.sample(given_so, len(given_so)))
    assert_same(figures_of(result), figures_of(other))
    assert result.to_dict()["effects"] == other.to_dict()["effects"]


@quick
@given(exclusions(min_size=1))
def test_excluding_twice_is_excluding_once(excluding):
    once = excluding.call(unveil.disclosure)
    twice = once.whatif(exclude=[*excluding.asked.given, *excluding.asked.given])
    assert once.to_dict() == twice.to_dict()


@quick
@given(exclusions(min_size=1, max_size=1))
def test_where_nothing_is_hit_nothing_changes_and_elsewhere_something_does(excluding):
    result = excluding.call(unveil.disclosure)
    taken = [row for row in result.to_dict()["excluded"] if row["rule"] is not None]
    before, after = figures_of(result.whatif(exclude=())), figures_of(result)
    if any(row["original"] or row["synthetic"] for row in taken):
        assert before != after
    else:
        assert_same(before, after)


@quick
@given(scenarios(), st.data())
def test_a_target_without_any_level_gives_nothing_away(scenario, data):
    target = data.draw(st.sampled_from(scenario.targets))
    every = [
        said(TargetLevel(target, level), scenario.keys) for level in levels_of(scenario, target)
    ]
    result = result_of(scenario, every)
    before, after = figures_of(result.whatif(exclude=())), figures_of(result)
    for (what, copy), figures in after.items():
        if what != f"target {target}":  # the people are still there, and so are other targets
            assert_agrees(figures, before[what, copy], where=what)
            continue
        nothing = {name: 0 for name in NEVER_RAISED & set(figures)} | {
            f"{name}_renormalised": None if name == "TCAP" else 0 for name in RENORMALISED
        }
        assert_agrees(figures, nothing | {"mean_denom": None}, where=f"{what} {copy}")


@quick
@given(exclusions(min_size=1))
def test_the_chain_holds_under_exclusions(excluding):
    for (what, _), figures in figures_of(excluding.call(unveil.disclosure)).items():
        if what == "identity":
            assert figures["repU"] <= figures["UiOiS"] + TOLERANCE
            assert figures["UiOiS"] <= figures["UiO"] + TOLERANCE
            continue
        chain = [figures[name] for name in CHAIN]
        assert all(low <= high + TOLERANCE for low, high in pairwise(chain))
        assert figures["DiSDiO"] <= figures["Dorig"] + TOLERANCE
        assert figures["Dorig"] <= figures["CAPd"] + TOLERANCE
        assert figures["Dsyn"] <= figures["CAPs"] + TOLERANCE


@quick
@given(exclusions(min_size=1))
def test_what_each_rule_took_and_what_remains_make_up_the_whole(excluding):
    result = excluding.call(unveil.disclosure)
    document, before = result.to_dict(), figures_of(result.whatif(exclude=()))
    n_of = dict(enumerate(document["n_synthetic"], 1)) | {"pooled": sum(document["n_synthetic"])}
    people = document["n_original"]
    assert document["excluded"]
    for kind, sums in (("excluded", SUMS), ("excluded_identity", ("UiO", "UiOiS", "repU"))):
        copied = "Dsyn" if kind == "excluded" else "UiS"
        totals: dict[tuple, Counter] = {}
        for row in document[kind]:
            what = f"target {row['target']}" if kind == "excluded" else "identity"
            counts = {name: row[name] for name in ("original", "synthetic", copied, *sums)}
            totals.setdefault((what, row["copy"]), Counter()).update(counts)
        for subject, counts in totals.items():
            figures, n = before[subject], n_of[subject[1]]
            expected = {name: figures[name] * people / 100 for name in sums}
            expected |= {copied: figures[copied] * n / 100, "original": people, "synthetic": n}
            assert_agrees(dict(counts), expected, where=str(subject))


@quick
@given(exclusions(min_size=1))
def test_what_remains_is_what_the_figures_count(excluding):
    result = excluding.call(unveil.disclosure)
    figures, document = figures_of(result), result.to_dict()
    for row in document["excluded"]:
        if row["rule"] is None:
            of = figures[f"target {row['target']}", row["copy"]]
            expected = {name: 100 * row[name] / document["n_original"] for name in SUMS}
            assert_agrees(of, expected, where=str(row))
            for name in SUMS:
                at_risk = result.records_at_risk(row["target"], copy=row["copy"], measure=name)
                assert len(at_risk) == row[name]


@quick
@given(scenarios())
def test_renormalised_is_plain_without_exclusions(scenario):
    result = result_of(scenario)
    for (what, copy), figures in figures_of(result).items():
        if what != "identity":
            plain = {f"{name}_renormalised": figures[name] for name in RENORMALISED}
            assert_agrees(figures, plain, where=f"{what} {copy}")
    document = result.to_dict()
    assert not any(document[name] for name in ("exclude", "excluded", "effects"))


@quick
@given(scenarios(kinds=("whole", "text", "boolean", "date"), plain=True), st.data())
def test_excluding_what_is_missing_changes_nothing_where_nothing_is(scenario, data):
    def fill(frame: pl.DataFrame) -> pl.DataFrame:
        text = pl.selectors.string()
        known = frame.with_columns(text.replace("", None))
        return known.with_columns(pl.all().forward_fill().backward_fill())

    filled = scenario.each_side(fill)
    assume(not any(frame.null_count().sum_horizontal().sum() for frame in filled.sides))
    rules = ["missing-targets", "missing-keys", said(MissingKeys(frozenset([0])), scenario.keys)]
    exclude = data.draw(st.lists(st.sampled_from(rules), min_size=1, unique=True))
    result = result_of(filled, exclude)
    assert_same(figures_of(result.whatif(exclude=())), figures_of(result))


@quick
@given(scenarios(max_levels=2, max_copies=2), st.sampled_from(("", "-syn")))
def test_a_limit_acts_below_the_largest_count_and_not_from_there_on(scenario, which):
    files = [scenario.files(target) for target in scenario.targets]
    copied = [[row for copy in sides[1:] for row in copy] for sides in files]
    originals = [] if which else [sides[0] for sides in files]
    largest = max(max(Counter(rows).values()) for rows in (*copied, *originals))
    result = result_of(scenario, f"max-denominator{which}={largest}")
    assert_same(figures_of(result.whatif(exclude=())), figures_of(result))
    if largest > 1:
        below = result.whatif(exclude=f"max-denominator{which}={largest - 1}").to_dict()["excluded"]
        assert any(row["synthetic"] or row["original"] for row in below if row["rule"] is not None)


SAME_WHATEVER_THE_ORDER = ("excluded", "excluded_identity", "effects", "flags", "exclude")


def flagging(excluding: Excluding):
    return excluding.call(unveil.disclosure, one_way=(0, 30), two_way=(0, 30))


@quick
@given(exclusions(min_size=1), st.integers(0, 2**32 - 1))
def test_the_order_of_the_rows_means_nothing(excluding, seed):
    def shuffle(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.sample(fraction=1, shuffle=True, seed=seed)

    shuffled = replace(excluding, scenario=excluding.scenario.each_side(shuffle))
    one, other = flagging(excluding), flagging(shuffled)
    assert_same(figures_of(one), figures_of(other))
    for name in SAME_WHATEVER_THE_ORDER:
        assert one.to_dict()[name] == other.to_dict()[name]


@quick
@given(exclusions(min_size=1), st.randoms(use_true_random=False))
def test_the_order_of_the_columns_means_nothing(excluding, chance):
    def shuffle(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(chance.sample(frame.columns, frame.width))

    shuffled = replace(excluding, scenario=excluding.scenario.each_side(shuffle))
    one, other = flagging(excluding), flagging(shuffled)
    assert_same(figures_of(one), figures_of(other))
    for name in SAME_WHATEVER_THE_ORDER:
        assert one.to_dict()[name] == other.to_dict()[name]


@quick
@given(
    exclusions(kinds=("text",), min_size=1, awkward=False),
    st.permutations([*TEXT, "c", "UPPER", "x=y", "p@q", "1,2", '"', '"a"', "ż", "-", "None", "@"]),
)
def test_the_names_of_the_levels_mean_nothing(excluding, names):
    rename = dict(zip(TEXT, names, strict=False)) | {"": "", None: None}

    def renamed(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.select(
            pl.Series(one.name, [rename[v] for v in one.to_list()], dtype=pl.String)
            for one in frame
        )

    def renamed_rule(rule: Rule) -> Rule:
        if isinstance(rule, TargetLevel):
            return replace(rule, level=rename[rule.level])
        if isinstance(rule, Pair):
            keys = frozenset((place, rename[level]) for place, level in rule.keys)
            return replace(rule, level=rename[rule.level], keys=keys)
        return rule

    scenario, rules = excluding.scenario, tuple(map(renamed_rule, excluding.asked.rules))
    texts = tuple(said(rule, scenario.keys) for rule in rules)
    other = Excluding(scenario.each_side(renamed), Asked(texts, rules)).call(unveil.disclosure)
    one = excluding.call(unveil.disclosure)
    assert_same(figures_of(one), figures_of(other))
    for name in ("excluded", "excluded_identity"):
        assert [without_rule(row) for row in one.to_dict()[name]] == [
            without_rule(row) for row in other.to_dict()[name]
        ]


def without_rule(row: dict) -> dict:
    return row | {"rule": row["rule"] is not None}


@quick
@given(exclusions(max_size=0, max_rows=25, max_levels=3))
def test_the_exclusion_that_a_flag_offers_takes_what_the_flag_counts(excluding):
    result = flagging(excluding)
    for flag in result.to_dict()["flags"]:
        after = result.whatif(exclude=flag["exclusion"]).to_dict()
        assert list(after["exclude"]) == [flag["exclusion"]]
        [taken] = [
            row["DiSCO"]
            for row in after["excluded"]
            if row["rule"] == flag["exclusion"]
            and (row["target"], row["copy"]) == (flag["target"], flag["copy"])
        ]
        assert taken == flag["n"]
