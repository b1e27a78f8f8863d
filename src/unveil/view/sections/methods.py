"""Annex G: letters, denominators, conventions and errata; the glossary follows in the template.

The same facts stand, with the case that shows each, in `docs/differences.md`.
"""

from collections.abc import Collection, Iterator

from unveil.view.blocks import Block, Items, Sentence, table
from unveil.view.glossary import read_topics
from unveil.view.sections.shared import fold

NOTES = dict(read_topics("methods.tsv"))
"""How figures were computed, out of what, and where that departs from what is printed."""
ALL_TCAPS = {"tcap-raab", "tcap-taub", "tcap-uniques", "tcap-determined"}
"""None is explained without the others."""
LIMITS = (
    "The figures hold for the scenarios above, not for an intruder who knows more. A low figure"
    " does not show that nothing is disclosed; no figure here shows that data are free of risk."
)


def blocks(used: Collection[str]) -> Iterator[Block]:
    """Method notes; of the four TCAPs only where one is used."""
    yield Sentence(LIMITS, "lead", "methods.limits")
    over = table(
        "", ("percentage or mean over", "measures"), NOTES["Denominators"], text=["measures"]
    )
    yield from fold("Letters and denominators", [Sentence(NOTES["Letters"][0][0]), over])
    if ALL_TCAPS & set(used):
        heads = ("TCAP of", "counts", "over")
        shown = table("", heads, NOTES["TCAPs"], text=heads)
        yield from fold("Four measures called TCAP; none is DiSCO", [shown])
    yield from fold("Conventions", [Items(tuple(one for (one,) in NOTES["Conventions"]))])
    heads = ("where", "printed", "computed here")
    yield from fold(
        "Where print and computation differ", [table("", heads, NOTES["Errata"], text=heads)]
    )
