"""What must people have thought about, and what does each audience ask of the flags?"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from unveil.errors import SettingsError, unknown_name
from unveil.records.judgement import Audience, FactorName

# What does each audience ask of the flags of the checks?
#
# Raab (2024), end of section 4: for trusted researchers the easy measure, denominators limited to
# 1, may be enough; for a file that is openly shared the custodian looks at the flags one by
# one.


RULES: dict[Audience, str] = {
    "closed": (
        "Closed (authorised users, no onward sharing): restricting the measures to groups of one"
        " (max-denominator = 1) is accepted in place of rulings; otherwise every flag needs one."
    ),
    "registered": (
        "Registered (known users, under an agreement): every flag needs a ruling; the pairs of"
        " one target may be ruled together."
    ),
    "open": "Open (anyone): each flagged value needs a ruling, and each two-way flag its own.",
}
"""The rule of each audience, in a sentence."""

UNSAID = f"No audience is stated, so it is taken to be open. {RULES['open']}"
QUICK_ROUTE = "max-denominator=1"


def rule_of(audience: Audience | None) -> str:
    """What an audience asks for; the strictest where none is said."""
    return UNSAID if audience is None else RULES[audience]


def can_rule_together(audience: Audience | None) -> bool:
    """Whether the pairs of one target may be ruled on at once."""
    return audience in ("closed", "registered")


def is_quick_route(audience: Audience | None, exclusions: Iterable[str]) -> bool:
    """Whether no ruling is needed, given the exclusions in force in a scenario."""
    return audience == "closed" and QUICK_ROUTE in exclusions


# What must a person have thought about before any figure means something?
#
# Raab (2024), section 2, items (a) to (e), after the anonymisation decision-making framework: how
# great a risk is depends on these, and no program can answer them.


@dataclass(frozen=True)
class ContextQuestion:
    """One factor: the question, and why it is asked."""

    item: str  # its letter in Raab's list
    question: str
    why: str


QUESTIONS: dict[FactorName, ContextQuestion] = {
    "release_context": ContextQuestion(
        "a",
        "To whom will the synthetic data be released, when, how, and under what rules?",
        "Every figure is read in this light; the data holder decides it.",
    ),
    "taken_for_real": ContextQuestion(
        "b",
        "Could the synthetic data be mistaken for real data, and with what consequence?",
        "The measures assume that the intruder does: a wrong disclosure harms too.",
    ),
    "other_sources": ContextQuestion(
        "c",
        "Which other data about the same people could an intruder obtain?",
        "What is available elsewhere belongs among the keys of a scenario.",
    ),
    "intruder_knowledge": ContextQuestion(
        "d",
        "What may a user of the synthetic data know about the original and its people?",
        "It decides the keys, and what is common knowledge.",
    ),
    "method_released": ContextQuestion(
        "e",
        "What is released about how the synthetic data were made?",
        "Details of a model help an intruder; it is prudent to keep them.",
    ),
}
"""Raab's five factors, in the order of the paper."""

FACTORS: tuple[FactorName, ...] = get_args(FactorName)


def parse_factor(name: str) -> FactorName:
    """A factor by its name; another name is refused with its nearest."""
    for factor in FACTORS:
        if factor == name:
            return factor
    raise SettingsError(unknown_name("There is no question", name, FACTORS, "The five are"))
