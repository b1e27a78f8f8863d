"""The terms of guesses, attacks and protection."""

from unveil.view.glossary_entry import CHAPELLE, GIOMI, NOTE, RAAB, TAUB, GlossaryTerm, Topic

GUESSED = (
    Topic(
        "Guesses (CAP)",
        (
            GlossaryTerm(
                "basecapd",
                ("baseCAPd", "baseline"),
                "The baseline: how often a guess from the marginal distribution of the target is"
                " correct.",
                "baseCAPd = 100 Σ_t (d_t / N_d)²",
                "all original records",
                f"{RAAB}, equation 14; the printed one divides by N_d once more",
                "CAP_b, baseline CAP; not a lower bound, and not a yardstick for DiSCO",
            ),
            GlossaryTerm(
                "capd",
                ("CAPd",),
                "How often a random guess among matching original records is correct.",
                "CAPd = 100 Σ(pd_tq d_tq) / N_d",
                "all original records",
                f"{RAAB}, equation 7",
                "CAP_o, CAP_original",
            ),
            GlossaryTerm(
                "dcap",
                ("DCAP",),
                "How often a random guess among matching synthetic records is correct.",
                "DCAP = 100 Σ(ps_tq d_tq) / N_d",
                "all original records; a person without a match counts as wrong",
                f"{RAAB}, equation 6",
                "CAP with non-matches as zero",
            ),
            GlossaryTerm(
                "cap",
                ("CAP",),
                "How often a random guess among matching records is correct: in the original, in"
                " the pooled synthetic data, and at the baseline.",
                "CAP_j = records with the keys and target of j / records with the keys of j",
                "people of the scenario; those without a match count as 0 or are excluded",
                f"{TAUB}, equations 3 to 6; (6) is printed with the key of the synthetic record",
                "correct attribution probability",
            ),
            GlossaryTerm(
                "weap",
                ("WEAP",),
                "The share of synthetic records with the same keys that have the record's own"
                " target value.",
                "WEAP_j = s_tq / s_q",
                "synthetic records",
                NOTE,
                "within equivalence class attribution probability",
            ),
            GlossaryTerm(
                "tcap-raab",
                ("TCAP (Raab)", "TCAP"),
                "Of the people who are matched, those disclosed correctly.",
                "TCAP = 100 Σ(d_tq | ps_tq = 1) / N_d_both",
                "original records whose keys occur in the synthetic data",
                f"{RAAB}, equation 13",
                "the first of four measures of this name",
            ),
            GlossaryTerm(
                "tcap-taub",
                ("TCAP (Taub and Elliot)",),
                "For synthetic records whose keys point to their target value (WEAP at least τ),"
                " how often people with these keys have it.",
                "mean of d_tq / d_q over synthetic records with WEAP ≥ τ",
                "synthetic records whose keys occur in the original",
                NOTE,
                "the second of four measures of this name; τ is 1 unless set otherwise",
            ),
            GlossaryTerm(
                "tcap-uniques",
                ("TCAP (Chapelle and Falissard)",),
                "For people unique in the original: the share of matching synthetic records with"
                " their target value, 0 without a match.",
                "mean of s_tq / s_q over people with d_q = 1",
                "original records that are unique on the keys",
                f"Chen et al. (2019), as {CHAPELLE} describe it",
                "the third of four measures of this name; CAP of uniques, non-matches as zero",
            ),
            GlossaryTerm(
                "tcap-determined",
                ("TCAP (Little et al.)", "correct if determined"),
                "Of the people who are shown one single value, for how many it is correct.",
                "100 Σ(d_tq | ps_tq = 1) / Σ(d_q | some ps_tq = 1) = 100 DiSCO / DiS",
                "original records whose keys show a single target",
                "Little et al. (2025), as the vignette of synthpop 1.9-3 prints it",
                "the fourth of four measures of this name",
            ),
            GlossaryTerm(
                "gtcap",
                ("GTCAP", "mean GTCAP"),
                "Attribute disclosure for statistical uniques, with numeric tolerance: 0 ="
                " baseline, 1 = original.",
                "(synthetic - baseline) / (original - baseline), each Σ kc tc / Σ kc",
                "statistical uniques whose original and baseline differ",
                f"{CHAPELLE}, Algorithm 2",
                "generalised targeted CAP; negative values and values above 1 occur",
            ),
        ),
    ),
    Topic(
        "Beyond general knowledge",
        (
            GlossaryTerm(
                "control",
                ("Control",),
                "A control sample: people of the same population whose records were not used. What"
                " the synthetic data disclose about them is general knowledge.",
                also="hold-out sample",
            ),
            GlossaryTerm(
                "r",
                ("R", "excess"),
                "Excess risk: of the people not disclosed by general knowledge, the share"
                " disclosed only where their record was among those used.",
                "R = (train - control) / (100 - control), percentages; with shares 1 for 100",
                "people not disclosed at the control rate",
                f"{RAAB}, equation 1; {GIOMI}",
                "privacy risk in Anonymeter; a value below 0 is shown as it is",
            ),
            GlossaryTerm(
                "singling-out",
                ("Singling out", "singling-out"),
                "Finds descriptions that fit exactly one synthetic record and counts those that"
                " fit exactly one person in the original.",
                source=GIOMI,
            ),
            GlossaryTerm(
                "linkability",
                ("Linkability",),
                "Tests whether the synthetic data show that two halves of a record belong to the"
                " same person.",
                source=GIOMI,
            ),
            GlossaryTerm(
                "inference",
                ("Inference",),
                "Takes the synthetic record nearest on the keys and assigns its target value to"
                " the person.",
                source=GIOMI,
                also="attribute inference attack",
            ),
            GlossaryTerm(
                "membership",
                ("Membership", "membership advantage"),
                "Tests whether the distance to the nearest synthetic record shows who was in the"
                " original.",
                source="El Emam, Mosquera and Fang (2022)",
            ),
            GlossaryTerm(
                "relative-f1",
                ("relative F1",),
                "Success of the membership attack beyond claiming that everyone was in the"
                " original: 0 = no better, 1 = always correct.",
                "relative F1 = (F1 - F1 of a guess) / (1 - F1 of a guess)",
                "original and control records, weighted by prevalence",
                "El Emam, Mosquera and Fang (2022)",
            ),
        ),
    ),
    Topic(
        "Protection",
        (
            GlossaryTerm(
                "filter",
                ("Distance filter",),
                "Drops a synthetic record that is nearer to a real person than the nearest other"
                " real person is.",
                "dropped where d(s, o*) < d(o*, its nearest other original)",
                source=f"{CHAPELLE}, Algorithm 1",
            ),
            GlossaryTerm(
                "ecap",
                ("ECAP",),
                "The probability that the strongest claim about a value is correct, given the"
                " noise and an intruder who knows the method.",
                "1 - exp(n log1p(-1/N)) expm1(n log1p(-b)) / expm1(n log1p(-(p/N + (1 - 1/N) b)))",
                source=f"{CHAPELLE}, Equation 1, in a form that loses no digits",
                also="confidential; only the kind and amount of noise are published",
            ),
            GlossaryTerm(
                "quotient",
                ("quotient",),
                "The change of ECAP per unit of added noise: near 0, more noise gains little.",
                "(ECAP - the one before) / (sigma - the one before)",
            ),
        ),
    ),
)
"""By what they are about, in the order of the report."""
