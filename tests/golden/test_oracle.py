"""The oracle tied to published figures, so that unveil and the oracle cannot be wrong together."""

import csv
import json
from fractions import Fraction

import pytest

from golden import published
from golden.calls import (
    SPECIAL_CODES,
    attribute_expected,
    call_of,
    identity_expected,
    reason_of,
    removed_expected,
)
from golden.published import SYNTHPOP, WHERE
from oracles import checks, exclusions, raab
from oracles.bands import banded
from oracles.compare import assert_agrees
from oracles.values import canonical

MEASURES = SYNTHPOP.parent / "measures" / "cases.json"
# Of the published figures that other modules compare with unveil, and of the specification's own.
N_PUBLISHED, N_EXACT = 534, 500

if not SYNTHPOP.exists():
    pytest.skip(
        f"the oracle, too, went unchecked against {N_PUBLISHED} of these figures "
        f"(and {N_EXACT} exact fractions): {WHERE} is not there",
        allow_module_level=True,
    )

SMALL = [
    case for case in published.cases() if case["id"].startswith(("s1.", "control.", "misalign"))
]
# One of each option: the oracle is slow.
OPTIONS = (
    "s1.workab.notNO",
    "s1.ls.targetNAfalse",
    "s1.ls.keysNAmixed",
    "s1.marital.exclude",
    "s1.workab.denom1excl",
    "s1.income.ng20",
    "s1.marital.ngkeys5",
)
WITH_OPTIONS = [case for case in published.cases_with_options() if case["id"] in OPTIONS]
EXACT = [
    case
    for case in json.loads(MEASURES.read_text(encoding="utf-8"))["cases"]
    if case["measure"] == "cap"
]


def read(name: str, keys: tuple[str, ...], target: str) -> list[tuple]:
    with (SYNTHPOP / name).open(newline="", encoding="utf-8") as file:
        return [
            (tuple(canonical(row[key]) for key in keys), canonical(row[target]))
            for row in csv.DictReader(file)
        ]


@pytest.mark.slow
@pytest.mark.parametrize("case", SMALL, ids=lambda case: case["id"])
def test_the_oracle_has_the_figures_of_synthpop(case):
    original = read(case["orig"], case["keys"], case["target"])
    for name, synthesis in zip(case["syn"], case["syntheses"], strict=True):
        synthetic = read(name, case["keys"], case["target"])
        assert_agrees(raab.identity(original, synthetic), published.identity_of(synthesis))
        assert_agrees(raab.attribute(original, synthetic), published.attribute_of(synthesis))


def read_banded(case: dict) -> list[list[tuple]]:
    """Original and copies with the groups that the case asks for."""
    files = [read(name, case["keys"], case["target"]) for name in (case["orig"], *case["syn"])]
    columns = [list(zip(*((*key, value) for key, value in file), strict=True)) for file in files]
    for name, n in call_of(case).bands:
        place = (*case["keys"], case["target"]).index(name)
        numbers = [
            [canonical(value, as_number=True) for value in column[place]] for column in columns
        ]
        for column, levels in zip(
            columns, banded(numbers, n=n, special=SPECIAL_CODES.get(name, ())), strict=True
        ):
            column[place] = levels
    return [
        [(tuple(key), value) for *key, value in zip(*column, strict=True)] for column in columns
    ]


def rule_of(text: str, keys: tuple[str, ...]) -> exclusions.Rule:
    head, _, rest = text.partition("=")
    if head == "missing-targets":
        return exclusions.MissingTargets()
    if head == "missing-keys":
        return exclusions.MissingKeys(frozenset(keys.index(key) for key in rest.split(",")))
    if head == "max-denominator":
        return exclusions.AboveLimit(int(rest))
    level, _, pair = rest.partition("@")
    if not pair:
        return exclusions.TargetLevel(head, level)
    key, _, key_level = pair.partition("=")
    return exclusions.Pair(head, level, frozenset({(keys.index(key), key_level)}))


def flags_expected(synthesis: dict) -> list[list[dict]]:
    """The numbers of the flags of each kind, by the oracle's names; the levels are not compared."""
    return [list(flags.values()) for flags in published.flags_of(synthesis).values()]


@pytest.mark.slow
@pytest.mark.parametrize("case", WITH_OPTIONS, ids=lambda case: case["id"])
def test_the_oracle_has_the_figures_of_synthpop_under_its_options(case):
    (synthesis,), target = case["syntheses"], case["target"]
    original, synthetic = read_banded(case)
    texts = call_of(case).exclude
    rules = [rule_of(text, case["keys"]) for text in texts]
    assert_agrees(
        exclusions.identity(original, synthetic, rules), identity_expected(case, synthesis)
    )
    assert_agrees(
        exclusions.attribute(original, synthetic, rules, target),
        attribute_expected(case, synthesis),
    )
    if texts:
        removed: dict[str, int] = {}
        reasons = {rule_of(text, case["keys"]): reason_of(text) for text in texts}
        for rule, counts in exclusions.attribute_credits(original, synthetic, rules, target):
            for table, n in counts.items():
                name = f"{table}, {reasons.get(rule, 'remaining')}"
                removed[name] = removed.get(name, 0) + n
        assert_agrees(removed, removed_expected(case, synthesis))


@pytest.mark.slow
@pytest.mark.parametrize("case", WITH_OPTIONS, ids=lambda case: case["id"])
def test_the_oracle_raises_the_flags_of_synthpop(case):
    (synthesis,) = case["syntheses"]
    original, synthetic = read_banded(case)
    rules = [rule_of(text, case["keys"]) for text in call_of(case).exclude]
    limits = (call_of(case).one_way, call_of(case).two_way)
    found = checks.flags(original, synthetic, rules, case["target"], limits=limits)[None]
    for kind, expected in zip(found, flags_expected(synthesis), strict=True):
        assert len(kind) == len(expected)
        for flag, numbers in zip(
            sorted(kind, key=by_size), sorted(expected, key=by_size), strict=True
        ):
            assert_agrees(flag, numbers)


def by_size(flag: dict) -> tuple:
    return flag["n"], flag["n_all"]


def test_the_oracle_counts_the_key_combinations_of_section_3_4():
    original, synthetic = (
        read(name, published.SD2011_KEYS, "depress") for name in ("sd2011_ods.csv", "s1.csv")
    )
    counts = raab.key_counts(original, synthetic)
    assert {name: counts[name] for name in published.SECTION_3_4} == published.SECTION_3_4


@pytest.mark.parametrize("case", EXACT, ids=lambda case: case["id"])
def test_the_oracle_has_the_exact_fractions_of_the_specification(case):
    given = case["input"]

    def rows(file: list[list]) -> list[tuple]:
        return [
            (tuple(row[k] for k in given["keys"]), tuple(row[t] for t in given["targets"]))
            for row in file
        ]

    original, copies = rows(given["original"]), [rows(file) for file in given["synthetic"]]
    first = raab.attribute(original, copies[0])
    expected = case["expected"]["raab_m1"]
    assert {name: first[name] for name in expected} == {
        name: None if value is None else Fraction(value) for name, value in expected.items()
    }
    pooled = raab.attribute(original, [row for copy in copies for row in copy])
    assert pooled["DCAP"] == 100 * Fraction(case["expected"]["full"]["cap_s_zero"])


def test_the_number_of_figures_is_the_one_a_run_without_them_reports():
    figures = sum(
        len(published.identity_of(synthesis)) + len(published.attribute_of(synthesis))
        for case in SMALL
        for synthesis in case["syntheses"]
    )
    for case in WITH_OPTIONS:
        (synthesis,) = case["syntheses"]
        figures += len(identity_expected(case, synthesis)) + len(
            attribute_expected(case, synthesis)
        )
        figures += len(removed_expected(case, synthesis)) if call_of(case).exclude else 0
        figures += sum(len(flag) for flags in flags_expected(synthesis) for flag in flags)
    assert len(WITH_OPTIONS) == len(OPTIONS)
    fractions = sum(len(case["expected"]["raab_m1"]) + 1 for case in EXACT)
    assert (figures + len(published.SECTION_3_4), fractions) == (N_PUBLISHED, N_EXACT)
