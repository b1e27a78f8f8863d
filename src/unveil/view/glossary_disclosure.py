"""The terms of who could be found by the keys, and what could be learnt about them for certain."""

from unveil.view.glossary_entry import RAAB, GlossaryTerm, Topic

FOUND = (
    Topic(
        "Who could be found",
        (
            GlossaryTerm(
                "key",
                ("Key",),
                "A column that an intruder is assumed to know about a person: age, sex, where they"
                " live.",
                also="quasi-identifier, identifying variable",
            ),
            GlossaryTerm(
                "unique",
                ("Unique", "statistical unique", "statistical uniques"),
                "A person whom nobody else in the data has the same keys as.",
                "d_q = 1",
                also="sample unique; a record that breaks 2-anonymity",
            ),
            GlossaryTerm(
                "k-anonymity",
                ("k-anonymity",),
                "Whether at least k people have the same keys, for everybody; who is with fewer"
                " breaks it.",
                "broken where fewer than k records match by the keys, the person included",
                "each record by itself",
                "Samarati and Sweeney (1998)",
            ),
            GlossaryTerm(
                "uio",
                ("UiO",),
                "How many of your people are alone with their keys in your own data.",
                "UiO = 100 Σ(d_q | d_q = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 2",
            ),
            GlossaryTerm(
                "uis",
                ("UiS",),
                "How many of the copy's own records are alone with their keys there.",
                "UiS = 100 Σ(s_q | s_q = 1) / N_s",
                "all records of the copy",
                f"{RAAB}, equation 3; the printed one counts uniques of the original",
            ),
            GlossaryTerm(
                "uiois",
                ("UiOiS",),
                "How many people are alone with their keys in your data and can be looked up in the"
                " copy.",
                "UiOiS = 100 Σ(d_q | d_q = 1 and s_q > 0) / N_d",
                "all original records",
                f"{RAAB}, equation 4; printed with the two files the other way about",
            ),
            GlossaryTerm(
                "repu",
                ("repU",),
                "How many people are alone with their keys in your data and again alone in the"
                " copy.",
                "repU = 100 Σ(d_q | d_q = 1 and s_q = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 5",
                "replicated uniques",
            ),
            GlossaryTerm(
                "suda",
                ("SUDA", "minimal sample unique", "MSU", "special unique", "special uniques"),
                "Finds the fewest keys with which each person is already alone: many small sets"
                " make a person special.",
                "score = Σ (K - s)! over the minimal sets, s of K keys in each",
                "each record by itself",
                "Elliot, Manning and Ford (2002); Manning, Haglin and Keane (2008)",
                "special uniques detection; the score of sdcMicro's suda2",
            ),
            GlossaryTerm(
                "dis",
                ("DIS",),
                "If exactly one record fits a person, the probability that it is theirs.",
                "DIS = U f / (U f + P (1 - f)), U records alone, P in pairs, f the sampling"
                " fraction",
                "records that are alone or in pairs",
                "Elliot (2000); Skinner and Elliot (2002)",
                "data intrusion simulation",
            ),
            GlossaryTerm(
                "match-risk",
                ("Match risk", "individual risk"),
                "The probability that a match by the keys is the right person of the population.",
                "the expectation of 1 / F_k, given that f_k records of the file have these keys",
                "each record by itself",
                "Benedetti and Franconi (1998); Franconi and Polettini (2004)",
                "sdcMicro's individual risk; its mean is the global risk",
            ),
        ),
    ),
    Topic(
        "What could be learnt for certain",
        (
            GlossaryTerm(
                "target",
                ("Target",),
                "A column that an intruder wants to learn about a person.",
                also="sensitive or confidential variable",
            ),
            GlossaryTerm(
                "dorig",
                ("Dorig",),
                "For how many people the keys settle the target in your own data: what releasing"
                " the original would give away.",
                "Dorig = 100 Σ(d_tq | pd_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 8",
                "records in classes of l-diversity 1",
            ),
            GlossaryTerm(
                "dsyn",
                ("Dsyn",),
                "For how many records of the copy the keys settle the target there, rightly or"
                " wrongly.",
                "Dsyn = 100 Σ(s_tq | ps_tq = 1) / N_s",
                "all records of the copy",
                f"{RAAB}, equation 8 with the copy in the original's place",
            ),
            GlossaryTerm(
                "is",
                ("iS",),
                "How many of your people are found in the copy by their keys at all.",
                "iS = 100 Σ(d_tq | s_q > 0) / N_d",
                "all original records",
                f"{RAAB}, equation 9; printed with s_tq in the place of s_q",
            ),
            GlossaryTerm(
                "dis-step",
                ("DiS",),
                "For how many people the copy shows one single value of the target, right or"
                " wrong.",
                "DiS = 100 Σ(d_q | some t has ps_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 10",
            ),
            GlossaryTerm(
                "disco",
                ("DiSCO",),
                "For how many people the copy shows one single value of the target, and it is"
                " right.",
                "DiSCO = 100 Σ(d_tq | ps_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 11",
                "disclosive in synthetic, correct in original; it is none of the four TCAPs",
            ),
            GlossaryTerm(
                "disdio",
                ("DiSDiO",),
                "Those of DiSCO for whom the original settles the target, too.",
                "DiSDiO = 100 Σ(d_tq | ps_tq = 1 and pd_tq = 1) / N_d",
                "all original records",
                f"{RAAB}, equation 12",
            ),
            GlossaryTerm(
                "denominator",
                ("Denominator", "max_denom", "mean_denom"),
                "How many original people share the keys and the value behind a finding: a"
                " finding that many share tells of a group, not of one person.",
                "largest and mean d_tq over the cells behind DiSCO",
                "cells with ps_tq = 1 and d_tq > 0",
                f"{RAAB}, section 3.4; counted in the original, the copy's are named _syn",
            ),
            GlossaryTerm(
                "one-way",
                ("One-way check", "1-way", "one-way"),
                "Asks whether nearly all findings about a target are one and the same answer, which"
                " anybody would guess.",
                "raised where one level has more than 50 findings and more than 90 % of all",
                "findings: the people DiSCO counts",
                f"{RAAB}, section 3.4, with synthpop's thresholds unless others were set",
            ),
            GlossaryTerm(
                "two-way",
                ("Two-way check", "2-way", "two-way"),
                "Asks whether findings come from a level of one key that settles the answer for"
                " nearly everybody: at 16 nobody is married.",
                "raised where cells of more than 4 people share it and more than 80 % with the key"
                " level have the answer",
                "original records with the key level",
                f"{RAAB}, section 3.4, with synthpop's thresholds unless others were set",
            ),
            GlossaryTerm(
                "exclusion",
                ("Exclusion",),
                "What a named person declared to be no real risk. It leaves every sum; what the"
                " keys settle, and the number of people it is a percentage of, stay.",
                source=f"{RAAB}, section 4",
            ),
        ),
    ),
)
"""By what they are about, in the order of the report."""
