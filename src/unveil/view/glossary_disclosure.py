"""The terms of who could be found by the keys, and what could be learnt about them for certain."""

from unveil.view.glossary_entry import RAAB, GlossaryTerm, Topic

FOUND = (
    Topic(
        "Who could be re-identified",
        (
            GlossaryTerm(
                "key",
                ("Key",),
                "A key variable: what an intruder is assumed to know about a person, such as age,"
                " sex or place of residence.",
                also="quasi-identifier, identifying variable",
            ),
            GlossaryTerm(
                "unique",
                ("Unique", "statistical unique", "statistical uniques"),
                "A record that is the only one in its file with its combination of key values.",
                "d_q = 1",
                also="sample unique; a record that breaks 2-anonymity",
            ),
            GlossaryTerm(
                "k-anonymity",
                ("k-anonymity",),
                "A file is k-anonymous if every person shares their key values with at least k - 1"
                " others.",
                "violated where fewer than k records share the keys, the person's own included",
                "each record by itself",
                "Samarati and Sweeney (1998)",
            ),
            GlossaryTerm(
                "uio",
                ("UiO",),
                "People who are unique on the keys in the original.",
                "UiO = 100 Σ(d_q | d_q = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 2",
            ),
            GlossaryTerm(
                "uis",
                ("UiS",),
                "Synthetic records that are unique on the keys in the synthetic data.",
                "UiS = 100 Σ(s_q | s_q = 1) / N_s",
                "all synthetic records",
                f"{RAAB}, equation 3; the printed one counts uniques of the original",
            ),
            GlossaryTerm(
                "uiois",
                ("UiOiS",),
                "People who are unique on the keys in the original and matched in the synthetic"
                " data.",
                "UiOiS = 100 Σ(d_q | d_q = 1 and s_q > 0) / N_d",
                "all original records",
                f"{RAAB}, equation 4; printed with the two files exchanged",
            ),
            GlossaryTerm(
                "repu",
                ("repU",),
                "Replicated uniques: people who are unique on the keys in both files. Each is a"
                " possible match, not proof of one.",
                "repU = 100 Σ(d_q | d_q = 1 and s_q = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 5",
                "replicated uniques",
            ),
            GlossaryTerm(
                "suda",
                ("SUDA", "minimal sample unique", "MSU", "special unique", "special uniques"),
                "Finds the minimal sets of keys on which each person is unique (minimal sample"
                " uniques). A special unique has many small sets.",
                "score = Σ (K - s)! over the minimal sample uniques, s of K keys in each",
                "each record by itself",
                "Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008)",
                "special uniques detection; the score of sdcMicro's suda2",
            ),
            GlossaryTerm(
                "dis",
                ("DIS",),
                "The probability that a unique match is correct, for the stated sampling fraction.",
                "DIS = U f / (U f + P (1 - f)), U unique records, P in pairs, f the sampling"
                " fraction",
                "records that are unique or in pairs",
                "Elliot (2000); Skinner and Elliot (2002)",
                "data intrusion simulation",
            ),
            GlossaryTerm(
                "match-risk",
                ("Match risk", "individual risk"),
                "The probability that a match on the keys is the correct person in the population.",
                "the expectation of 1 / F_k, given that f_k records of the file have these keys",
                "each record by itself",
                "Benedetti and Franconi (1998); Franconi and Polettini (2004)",
                "sdcMicro's individual risk; its mean is the global risk",
            ),
        ),
    ),
    Topic(
        "Attribute disclosure",
        (
            GlossaryTerm(
                "target",
                ("Target",),
                "A target variable: what an intruder might learn about a person.",
                also="sensitive or confidential variable",
            ),
            GlossaryTerm(
                "dorig",
                ("Dorig",),
                "People whose keys determine the target in the original: attribute disclosure if"
                " the original were released.",
                "Dorig = 100 Σ(d_tq | pd_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 8",
                "records in classes of l-diversity 1",
            ),
            GlossaryTerm(
                "dsyn",
                ("Dsyn",),
                "Synthetic records whose keys determine the target in the synthetic data, correct"
                " or not.",
                "Dsyn = 100 Σ(s_tq | ps_tq = 1) / N_s",
                "all synthetic records",
                f"{RAAB}, equation 8 with the synthetic data in place of the original",
            ),
            GlossaryTerm(
                "is",
                ("iS",),
                "People who are matched: their key combination occurs in the synthetic data.",
                "iS = 100 Σ(d_tq | s_q > 0) / N_d",
                "all original records",
                f"{RAAB}, equation 9; printed with s_tq in the place of s_q",
            ),
            GlossaryTerm(
                "dis-step",
                ("DiS",),
                "People whose match shows a single value of the target, correct or not.",
                "DiS = 100 Σ(d_q | some t has ps_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 10",
            ),
            GlossaryTerm(
                "disco",
                ("DiSCO",),
                "People for whom a single value of the target is shown and is correct: disclosed"
                " correctly.",
                "DiSCO = 100 Σ(d_tq | ps_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 11",
                "disclosive in synthetic, correct in original; it is not one of the four TCAPs",
            ),
            GlossaryTerm(
                "disdio",
                ("DiSDiO",),
                "People counted by DiSCO whose keys determine the target in the original too.",
                "DiSDiO = 100 Σ(d_tq | ps_tq = 1 and pd_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 12",
            ),
            GlossaryTerm(
                "denominator",
                ("Denominator", "max_denom", "mean_denom"),
                "The number of people who share the keys and the value of a correct disclosure. A"
                " large group points to general knowledge, not to one person.",
                "largest and mean d_tq over the cells behind DiSCO",
                "cells with ps_tq = 1 and d_tq > 0",
                f"{RAAB}, section 3.4; counted in the original, those of the synthetic data end in"
                " _syn",
            ),
            GlossaryTerm(
                "one-way",
                ("One-way check", "1-way", "one-way"),
                "Flags a target for which nearly all correct disclosures are one value, which may"
                " be common knowledge.",
                "raised where one level has more than 50 correct disclosures and more than 90 % of"
                " them",
                "people counted by DiSCO",
                f"{RAAB}, section 3.4, with synthpop's thresholds unless others were set",
            ),
            GlossaryTerm(
                "two-way",
                ("Two-way check", "2-way", "two-way"),
                "Flags disclosures that follow from one key level: nearly everyone with it has the"
                " value. At age 16, for example, no one is married.",
                "raised where more than 4 people are disclosed so and more than 80 % with the key"
                " level have the value",
                "original records with the key level",
                f"{RAAB}, section 3.4, with synthpop's thresholds unless others were set",
            ),
            GlossaryTerm(
                "exclusion",
                ("Exclusion",),
                "A value that a named person declared common knowledge. It is dropped from the"
                " count; the denominator and what the keys determine do not change.",
                source=f"{RAAB}, section 4",
            ),
        ),
    ),
)
"""By what they are about, in the order of the report."""
