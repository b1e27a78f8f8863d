"""The terms of utility, of tables of counts, and of how sure a figure is."""

from unveil.view.glossary_entry import CHAPELLE, NOWOK, GlossaryTerm, Topic

UTILITY = (
    Topic(
        "Utility",
        (
            GlossaryTerm(
                "pmse",
                ("pMSE",),
                "How well a model distinguishes synthetic from original records; 0 = not at all.",
                "pMSE = Σ (p_i - c)² / N, c the share of synthetic records among all N",
                "all records of both files",
                NOWOK,
                "propensity score mean-squared error",
            ),
            GlossaryTerm(
                "s-pmse",
                ("S_pMSE",),
                "pMSE of a model, or of a table of two variables, relative to its expectation if"
                " the synthesis model is correct; 1 = no more than chance.",
                "S_pMSE = pMSE / expected pMSE; for a table VW / df",
                source=f"{NOWOK}; synthpop's vignette: below 10 is usable, below 3 better",
                also="standardised pMSE",
            ),
            GlossaryTerm(
                "specks",
                ("SPECKS",),
                "The largest difference between the distributions of propensity scores of the two"
                " files; 0 = none, 1 = complete separation.",
                "the largest distance between the two distribution functions of the score",
                "all records of both files",
                NOWOK,
                "Kolmogorov-Smirnov distance of the propensity scores",
            ),
            GlossaryTerm(
                "po50",
                ("PO50",),
                "The percentage of records that a model assigns to the correct file, less the 50 %"
                " expected by chance.",
                "100 times the share assigned correctly, less 50",
                "all records of both files, of one size",
                NOWOK,
                "percentage over 50",
            ),
            GlossaryTerm(
                "u",
                ("U",),
                "The rank-sum statistic of propensity scores: whether synthetic records score"
                " higher than original ones.",
                "pairs of an original and a synthetic record in which the synthetic one scores"
                " higher; ties count half",
                source="Wilcoxon; Mann and Whitney; as in " + NOWOK,
            ),
            GlossaryTerm(
                "mabsdd",
                ("MabsDD",),
                "The sum of the absolute differences of a table's cells, per synthetic record.",
                "MabsDD = Σ |synthetic - original, scaled to its size| / N_s",
                "synthetic records",
                NOWOK,
                "mean absolute difference in distributions",
            ),
            GlossaryTerm(
                "overlap",
                ("Interval overlap", "overlap"),
                "How far the confidence intervals of a published result in the two files overlap;"
                " 1 = completely.",
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
                "The probability that an intruder who knows n of the people in a table can be"
                " certain that some combination applies to none of the others.",
                "SAP(n) = Σ Π C(c_i, s_i) / C(N, n) over samples that recover a zero",
                "all samples of n people",
                "Smith and Elliot (2008), sections 2.3 and 3",
                "subtraction-attribution probability",
            ),
        ),
    ),
    Topic(
        "Uncertainty of a figure",
        (
            GlossaryTerm(
                "bootstrap",
                ("bootstrap",),
                "How far a figure would vary with other samples: it is recomputed on many"
                " resamples of the people.",
                source="Efron (1979)",
            ),
            GlossaryTerm(
                "wilson",
                ("Wilson",),
                "A confidence interval for a share that remains valid for few trials and shares"
                " near 0 or 1; its centre is slightly nearer to one half than the share.",
                "(k + z²/2) / (n + z²) ± z / (n + z²) · √(k (n - k) / n + z²/4), z = 1.96",
                source="Wilson (1927), as in Giomi, Boenisch, Wehmeyer and Tasnádi (2023)",
            ),
        ),
    ),
)
"""By what they are about, in the order of the report."""
