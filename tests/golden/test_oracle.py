"""The oracle tied to published figures, so that unveil and the oracle cannot be wrong together."""

import csv
import json
from fractions import Fraction

import pytest

from golden import published
from golden.published import SYNTHPOP, WHERE
from oracles import raab
from oracles.compare import assert_agrees
from oracles.values import canonical

MEASURES = SYNTHPOP.parent / "measures" / "cases.json"

if not SYNTHPOP.exists():
    pytest.skip(
        f"the oracle went unchecked against published figures: {WHERE} is not there",
        allow_module_level=True,
    )

SMALL = [
    case for case in published.cases() if case["id"].startswith(("s1.", "control.", "misalign"))
]
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


@pytest.mark.parametrize("case", SMALL, ids=lambda case: case["id"])
def test_the_oracle_has_the_figures_of_synthpop(case):
    original = read(case["orig"], case["keys"], case["target"])
    for name, synthesis in zip(case["syn"], case["syntheses"], strict=True):
        synthetic = read(name, case["keys"], case["target"])
        assert_agrees(raab.identity(original, synthetic), published.identity_of(synthesis))
        assert_agrees(raab.attribute(original, synthetic), published.attribute_of(synthesis))


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
