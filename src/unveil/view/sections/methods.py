"""Annex G: letters, denominators, conventions and errata; the glossary follows in the template."""

from collections.abc import Collection, Iterator
from typing import NamedTuple

from unveil.view.blocks import Block, Items, Sentence, table
from unveil.view.sections.shared import fold

LETTERS = (
    "q is a combination of key levels, t a level of the target. d counts original and s synthetic"
    " records: d_q those with keys q, d_tq those with keys q and target t; N_d and N_s are the"
    " totals. pd_tq = d_tq / d_q and ps_tq = s_tq / s_q are shares, undefined for a combination"
    " that a file lacks. The bar in a sum means: only where."
)

DENOMINATORS = (
    ("all original records (N_d)", "UiO, UiOiS, repU, Dorig, iS, DiS, DiSCO, DiSDiO, CAPd, DCAP"),
    ("all synthetic records (N_s)", "UiS, Dsyn, CAPs"),
    ("original records whose keys occur in the synthetic data (N_d_both)", "TCAP of Raab"),
    ("synthetic records whose keys determine the target", "TCAP of Taub and Elliot"),
    ("original records unique on the keys", "TCAP of Chapelle and Falissard, GTCAP"),
    ("people of the scenario, with a match or all", "CAP, non-matches undefined or zero"),
    ("people not disclosed at the control rate", "R"),
    ("all records of both files", "pMSE, S_pMSE"),
)
"""What each figure is a share of."""

CONVENTIONS = (
    "Every variable is treated as categorical unless it was banded or given a radius. Missing is a"
    " level, equal to itself; each special code is a level of its own.",
    "A person who is not matched in the synthetic data counts as not disclosed, and as a wrong"
    " guess.",
    "An exclusion removes records from the numerator only. What the keys determine, the shares an"
    " intruder sees and the denominator do not change; only a rule on missing keys changes who is"
    " unique.",
    "Several copies are measured one by one and as one pooled file. Means over copies are shown;"
    " limits apply to every copy and to the pool.",
    "What cannot be measured is listed with the reason and never shown as 0. Figures are rounded"
    " only for display; a positive share is never shown as 0.",
    "GTCAP: a statistical unique has no one else near in every key. Those whose original and"
    " baseline scores are equal are dropped and counted; values below 0 and above 1 are kept.",
    "Attacks: ties count with their expectation; samples of different sizes are compared at equal"
    " size; a negative R is shown as it is.",
    "baseCAPd is not a baseline for DiSCO and can exceed it. Compare DiSCO with the original and,"
    " if there is one, the control sample.",
)
"""What was chosen where papers leave it open or differ."""


class Erratum(NamedTuple):
    """One place where print and computation differ."""

    where: str
    printed: str
    computed: str


ERRATA = (
    Erratum(
        "UiS, Raab (3)",
        "uniques of the original, over N_d",
        "uniques of the synthetic data, over N_s",
    ),
    Erratum("UiOiS, Raab (4)", "s_q = 1 and d_q > 0", "d_q = 1 and s_q > 0"),
    Erratum("iS, Raab (9)", "s_tq > 0", "s_q > 0"),
    Erratum(
        "baseCAPd, Raab (14)",
        "the sum of squared shares, over N_d",
        "100 times the sum, not divided again",
    ),
    Erratum(
        "denominators, Raab section 3.4",
        "counts in the synthetic data",
        "counts in the original, with those of the synthetic data beside them",
    ),
    Erratum(
        "R, text after Raab's Table 3",
        "the part that is due to utility",
        "equation 1: the part beyond what a control explains",
    ),
    Erratum(
        "CAP of several copies, Taub et al. (6)",
        "given the key of the synthetic record",
        "given the key of the person",
    ),
    Erratum("CAP of one copy, Taub et al. (4)", "one n for both files", "each file's own size"),
    Erratum(
        "Welch's test, Taub et al., footnote 7",
        "n - 2 degrees of freedom",
        "those of Welch and Satterthwaite",
    ),
    Erratum(
        "statistical uniques, Chapelle and Falissard",
        "called and not printed",
        "no one else near in every key, unless another definition was set",
    ),
    Erratum(
        "distances with missing values, Chapelle and Falissard",
        "the same value for both, not always the nearest",
        "the shortest distance that is possible",
    ),
    Erratum(
        "Figure 5, Chapelle and Falissard",
        "noise variance on the axis",
        "standard deviation",
    ),
)
"""Where the printed equations or words are not what is computed."""

TCAPS = (
    (
        "Raab (2024), equation 13",
        "original records disclosed correctly",
        "matched original records",
    ),
    (
        "Taub and Elliot",
        "for each synthetic record whose keys determine the target (WEAP at least τ), the share of"
        " original records with its keys that have its target value",
        "those of them whose keys occur in the original",
    ),
    (
        "Chapelle and Falissard",
        "for each person unique in the original, the share of matching synthetic records with"
        " their target value, 0 without a match",
        "original records unique on the keys",
    ),
    (
        "Little et al. (2025), as synthpop 1.9-3 quotes it",
        "original records whose single value is correct",
        "original records whose keys show a single value: DiSCO / DiS",
    ),
)
"""Four measures of one name; none of them is DiSCO."""


ALL_TCAPS = {"tcap-raab", "tcap-taub", "tcap-uniques", "tcap-determined"}
"""None is explained without the others."""
LIMITS = (
    "The figures hold for the scenarios above, not for an intruder who knows more. A low figure"
    " does not show that nothing is disclosed; no figure here shows that data are free of risk."
)


def blocks(used: Collection[str]) -> Iterator[Block]:
    """Method notes; of the four TCAPs only where one is used."""
    yield Sentence(LIMITS, "lead", "methods.limits")
    over = table("", ("percentage or mean over", "measures"), DENOMINATORS, text=["measures"])
    yield from fold("Letters and denominators", [Sentence(LETTERS), over])
    if ALL_TCAPS & set(used):
        heads = ("TCAP of", "counts", "over")
        shown = table("", heads, TCAPS, text=heads)
        yield from fold("Four measures called TCAP; none is DiSCO", [shown])
    yield from fold("Conventions", [Items(CONVENTIONS)])
    heads = ("where", "printed", "computed here")
    yield from fold("Where print and computation differ", [table("", heads, ERRATA, text=heads)])
