"""Every sentence, table and limit that has an R says which: of a measure, or of an attack.

And wherever `adds` is shown, so is what it can mean: own record or deeper pattern.
"""

import re

import polars as pl
import pytest

import unveil
from unveil.examples import KEYS, survey, survey_synthetic
from unveil.records.disclosure import MEANING
from unveil.records.limits import MEASURES
from unveil.view.blocks import Block, Folded, Sentence, TableBlock
from unveil.view.show import as_blocks, as_html
from unveil.view.summary import screen_blocks, words_blocks

NAMED = re.compile(
    r"R of (DCAP|DiSCO|CAPd|DiSDiO|iS|DiS|Dorig|Dsyn|TCAP|this attack)\b|attacks on it R is"
)
GENERAL = ("R (excess risk): of", "An R of up to", "R: ↑ its interval")


@pytest.fixture(scope="module")
def parts() -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    people = survey().head(1500)
    return people.head(1000), people.tail(500), survey_synthetic().head(1000)


def sentences(blocks) -> list[str]:
    found: list[str] = []
    for one in blocks:
        if isinstance(one, Sentence):
            found.append(one.text)
        elif isinstance(one, Folded):
            found += sentences(one.blocks)
    return found


def test_sentences_about_excess_and_attacks_say_which_R(parts):
    train, control, copy = parts
    excess = unveil.excess(train, control, copy, keys=KEYS, targets=["marital", "health"])
    attack = unveil.inference(train, copy, control=control, keys=KEYS, secrets="marital")
    said = [
        part
        for result in (excess, attack)
        for text in sentences(as_blocks(result.record))
        for part in re.split(r"(?<=[.:]) (?=[A-Z])", text)
        if re.search(r"\bR\b.*\d", part) and not part.startswith(GENERAL)
    ]
    assert len(said) >= 4
    assert [one for one in said if not NAMED.search(one)] == []


def test_a_limit_on_R_is_one_of_attacks_and_says_so():
    assert "simulated attack" in MEASURES["R"].what


def shown(blocks) -> list[Block]:
    """Tables and sentences that name what is added."""
    found: list[Block] = []
    for one in blocks:
        heads = [column.head for column in one.columns] if isinstance(one, TableBlock) else []
        if isinstance(one, Folded):
            found += shown(one.blocks)
        elif any(re.search(r"\badds\b", head) for head in heads):
            found.append(one)
    return found


def test_what_is_added_never_stands_without_its_meaning(parts):
    train, _, copy = parts
    asked = {"keys": KEYS, "targets": ["marital", "health"]}
    disclosure = unveil.disclosure(train, copy, expected=True, **asked)
    records = (
        disclosure.record,
        unveil.claims(train, copy, **asked).record,
        unveil.key_sets(train, copy, **asked).record,
        disclosure.summary(),
    )
    for record in records:
        assert shown(as_blocks(record)), type(record).__name__
        assert MEANING in as_html(record), type(record).__name__
    screen = [*screen_blocks(disclosure.summary())]
    assert shown(screen)
    assert any(MEANING in text for text in sentences(screen))
    words = [text for text in sentences(words_blocks(disclosure.summary())) if "adds" in text]
    assert len(words) == 2
    assert all(MEANING in text for text in words)
    assert MEANING in MEASURES["adds"].what
