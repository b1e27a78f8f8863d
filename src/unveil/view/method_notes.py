"""How were the figures computed, out of what, and where do they depart from what is printed?

The same facts stand, with the case that shows each, in `docs/differences.md`.
"""

from typing import NamedTuple

LETTERS = (
    "q stands for a combination of key levels, t for a level of the target. d counts original"
    " records and s records of the copy: d_q with the keys q, d_tq with keys q and target t; N_d"
    " and N_s are all of them. pd_tq = d_tq / d_q and ps_tq = s_tq / s_q are shares; a combination"
    " that a file lacks has none there. The bar in a sum reads: counting only where."
)

DENOMINATORS = (
    ("all original records (N_d)", "UiO, UiOiS, repU, Dorig, iS, DiS, DiSCO, DiSDiO, CAPd, DCAP"),
    ("all records of the copy (N_s)", "UiS, Dsyn, CAPs"),
    ("original records whose keys the copy has (N_d_both)", "TCAP of Raab"),
    ("records of the copy whose keys settle the target", "TCAP of Taub and Elliot"),
    ("original records alone with their keys", "TCAP of Chapelle and Falissard, GTCAP"),
    ("people of the scenario, with a match or all", "CAP, non-matches undefined or zero"),
    ("people whom the control rate would leave", "R"),
    ("all records of both files", "pMSE, S_pMSE"),
)
"""What each figure is a share of."""

CONVENTIONS = (
    "Everything is a category unless it was put into bands or given a radius. Missing is a level,"
    " equal to itself; each special code is a level of its own.",
    "Whoever is not found in the copy counts as not given away, and as a wrong guess.",
    "An exclusion takes records out of the sums. What the keys settle, the shares an intruder sees"
    " and the number of people a percentage is of stay as they were; only missing keys touch who"
    " is alone.",
    "With several copies every copy is measured, and so are all of them as one file (pooled). Means"
    " over copies are shown; limits are held against each copy and against the pool.",
    "What cannot be measured is said with its reason and is never shown as 0. Nothing is rounded"
    " before it is shown; a positive share is never shown as 0.",
    "GTCAP: people stand out where nobody else is near in every key; those for whom original and"
    " baseline are the same are dropped and counted; values below 0 and above 1 are kept.",
    "Attacks: ties are settled by their expectation, a control of another size is compared in one"
    " size, R below 0 is shown as it is.",
    "DiSCO has no baseline of guessing: baseCAPd can lie above it. Its companions are the original"
    " and, where there is one, the control.",
)
"""What was chosen where papers leave it open or differ."""


class Erratum(NamedTuple):
    """One place where print and computation differ."""

    where: str
    printed: str
    computed: str


ERRATA = (
    Erratum("UiS, Raab (3)", "uniques of the original, over N_d", "uniques of the copy, over N_s"),
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
        "counts in the original; the copy's beside them",
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
    Erratum("CAP of a copy, Taub et al. (4)", "one n for both files", "each file's own size"),
    Erratum(
        "Welch's test, Taub et al., footnote 7",
        "n - 2 degrees of freedom",
        "those of Welch and Satterthwaite",
    ),
    Erratum(
        "statistical uniques, Chapelle and Falissard",
        "called and not printed",
        "nobody else near in every key, unless another reading was set",
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
        "original records that the copy settles, rightly",
        "original records found in the copy",
    ),
    (
        "Taub and Elliot",
        "for each record of the copy whose keys settle the target (WEAP at least τ), the share of"
        " originals with its keys that have its target",
        "such records of the copy whose keys the original has",
    ),
    (
        "Chapelle and Falissard",
        "for each person alone with their keys, the share of matching records of the copy with"
        " their target, 0 where none matches",
        "original records alone with their keys",
    ),
    (
        "Little et al. (2025), as synthpop 1.9-3 quotes it",
        "original records whose single value is correct",
        "original records whose keys show a single value: DiSCO / DiS",
    ),
)
"""Four measures of one name; none of them is DiSCO."""
