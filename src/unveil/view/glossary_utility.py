"""The terms of utility, of tables of counts, and of how sure a figure is."""

from unveil.view.glossary_entry import CHAPELLE, NOWOK, GlossaryTerm, Topic

UTILITY = (
    Topic(
        "Utility",
        (
            GlossaryTerm(
                "pmse",
                ("pMSE",),
                "How well a model tells the records of the copy from those of the original; 0 is"
                " not at all.",
                "pMSE = Σ (p_i - c)² / N, c the copy's share of all N records",
                "all records of both files",
                NOWOK,
                "propensity score mean-squared error",
            ),
            GlossaryTerm(
                "s-pmse",
                ("S_pMSE",),
                "How many times as well as chance a model, or a table of two columns, tells copy"
                " and original apart; 1 is as good as can be asked.",
                "S_pMSE = pMSE / the pMSE that chance gives; for a table VW / df",
                source=f"{NOWOK}; synthpop's vignette: below 10 is usable, below 3 better",
                also="standardised pMSE",
            ),
            GlossaryTerm(
                "specks",
                ("SPECKS",),
                "How far apart the scores lie that a model gives the records of the copy and those"
                " of the original; 0 is not at all, 1 entirely.",
                "the largest distance between the two distribution functions of the score",
                "all records of both files",
                NOWOK,
                "distance of Kolmogorov and Smirnov of propensity scores",
            ),
            GlossaryTerm(
                "po50",
                ("PO50",),
                "How many records beyond half a model assigns to the right file; a coin gets half"
                " of them right.",
                "100 times the share assigned rightly, less 50",
                "all records of both files, of one size",
                NOWOK,
                "percentage over 50",
            ),
            GlossaryTerm(
                "u",
                ("U",),
                "Whether records of the copy get higher scores than those of the original: ranks"
                " of their scores, added up.",
                "pairs of a record of either file in which that of the copy has the higher score,"
                " ties half",
                source="Wilcoxon; Mann and Whitney; as in " + NOWOK,
            ),
            GlossaryTerm(
                "mabsdd",
                ("MabsDD",),
                "By how much the cells of a table differ in sum, for every record of the copy.",
                "MabsDD = Σ |copy - original, scaled to its size| / N_s",
                "records of the copy",
                NOWOK,
                "mean absolute difference in distributions",
            ),
            GlossaryTerm(
                "overlap",
                ("Interval overlap", "overlap"),
                "How much of the interval around a published result the copy's own interval"
                " covers; 1 is all of it.",
                "½ (U - L) / (u_o - l_o) + ½ (U - L) / (u_s - l_s)",
                source="Karr et al. (2006); used by " + CHAPELLE,
            ),
        ),
    ),
    Topic(
        "Tables of counts",
        (
            GlossaryTerm(
                "sap",
                ("SAP",),
                "If somebody knows n of the people in a table, the probability that they can be"
                " certain that some combination applies to nobody else.",
                "SAP(n) = Σ Π C(c_i, s_i) / C(N, n) over samples that recover a zero",
                "all samples of n people",
                "Smith and Elliot (2008), sections 2.3 and 3",
                "subtraction-attribution probability",
            ),
        ),
    ),
    Topic(
        "How sure a figure is",
        (
            GlossaryTerm(
                "bootstrap",
                ("bootstrap",),
                "How far a figure would move had other people been asked: it is measured again on"
                " people drawn from those there are, many times.",
                source="Efron (1979)",
            ),
            GlossaryTerm(
                "wilson",
                ("Wilson",),
                "An interval for a share that stays true for few trials and for shares near 0 or"
                " 1; its centre is a little nearer to one half than the share.",
                "(k + z²/2) / (n + z²) ± z / (n + z²) · √(k (n - k) / n + z²/4), z = 1.96",
                source="Wilson (1927), as in Giomi, Boenisch, Wehmeyer and Tasnádi (2023)",
            ),
        ),
    ),
)
"""By what they are about, in the order of the report."""
