"""What does each audience ask of the findings of the checks?

Raab (2024), end of section 4: for trusted researchers the easy measure, denominators limited to 1,
may be enough; for a file that is openly shared the custodian looks at the findings one by one.
"""

from collections.abc import Iterable

from unveil.records.judgement import Audience

RULES: dict[Audience, str] = {
    "closed": (
        "Closed (trusted people, who may not pass it on): leaving out all but single records"
        " (max-denominator=1) is allowed as the quick route, and then no finding needs a ruling;"
        " otherwise every finding does."
    ),
    "registered": (
        "Registered (known people, under an agreement): every finding needs a ruling; the pairs of"
        " one target may be ruled together."
    ),
    "open": "Open (anybody): every finding needs a ruling, and each flagged pair one of its own.",
}
"""The rule of each audience, in a sentence."""

UNSAID = f"No audience is said, so it is taken for open. {RULES['open']}"
QUICK_ROUTE = "max-denominator=1"


def rule_of(audience: Audience | None) -> str:
    """What an audience asks for; the strictest where none is said."""
    return UNSAID if audience is None else RULES[audience]


def may_rule_together(audience: Audience | None) -> bool:
    """Whether the pairs of one target may be ruled on at once."""
    return audience in ("closed", "registered")


def is_quick_route(audience: Audience | None, exclusions: Iterable[str]) -> bool:
    """Whether no ruling is needed, given the exclusions in force in a scenario."""
    return audience == "closed" and QUICK_ROUTE in exclusions
