"""What must a person have thought about before any figure means something?

Raab (2024), section 2, items (a) to (e), after the anonymisation decision-making framework: how
great a risk is depends on these, and no program can answer them.
"""

from dataclasses import dataclass
from typing import get_args

from unveil.errors import SettingsError, listed, nearest, quoted
from unveil.records.judgement import FactorName


@dataclass(frozen=True)
class Question:
    """One factor: the question, and why it is asked."""

    item: str  # its letter in Raab's list
    question: str
    why: str


QUESTIONS: dict[FactorName, Question] = {
    "release_context": Question(
        "a",
        "To whom will the copy be released, when, how, and under what rules?",
        "Every figure is read in this light; the data holder decides it.",
    ),
    "taken_for_real": Question(
        "b",
        "Could somebody who comes by the copy take it for real data, and what would follow?",
        "The measures assume that the intruder does: a wrong finding harms too.",
    ),
    "other_sources": Question(
        "c",
        "Which other data about the same people can somebody get hold of?",
        "What can be looked up elsewhere belongs among the keys of a scenario.",
    ),
    "intruder_knowledge": Question(
        "d",
        "What may somebody with the copy know about the original, in general and of single people?",
        "It decides the keys, and what is common knowledge.",
    ),
    "method_released": Question(
        "e",
        "What is released about how the copy was made?",
        "Details of a model help an intruder; it is prudent to keep them.",
    ),
}
"""Raab's five factors, in the order of the paper."""

FACTORS: tuple[FactorName, ...] = get_args(FactorName)


def factor_named(name: str) -> FactorName:
    """A factor by its name; another name is refused with its nearest."""
    for factor in FACTORS:
        if factor == name:
            return factor
    raise SettingsError(
        f"There is no question {quoted(name)}.{nearest(name, FACTORS)} The five are:"
        f" {listed(FACTORS)}."
    )
