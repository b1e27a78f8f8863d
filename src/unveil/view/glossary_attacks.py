"""The terms of guesses, attacks and protection."""

from unveil.view.glossary_entry import CHAPELLE, GIOMI, NOTE, RAAB, TAUB, GlossaryTerm, Topic

GUESSED = (
    Topic(
        "What could be guessed",
        (
            GlossaryTerm(
                "basecapd",
                ("baseCAPd", "baseline"),
                "How often somebody would guess right who knows how common each value is, and"
                " nothing about the person.",
                "baseCAPd = 100 Σ_t (d_t / N_d)²",
                "all original records",
                f"{RAAB}, equation 14; the printed one divides by N_d once more",
                "CAP_b, baseline CAP; no floor, and no rail for DiSCO",
            ),
            GlossaryTerm(
                "capd",
                ("CAPd",),
                "How often a guess among the original's own matching records would be right.",
                "CAPd = 100 Σ(pd_tq d_tq) / N_d",
                "all original records",
                f"{RAAB}, equation 7",
                "CAP_o, CAP_original",
            ),
            GlossaryTerm(
                "dcap",
                ("DCAP",),
                "How often a guess among the copy's matching records would be right.",
                "DCAP = 100 Σ(ps_tq d_tq) / N_d",
                "all original records; whoever is not found counts as wrong",
                f"{RAAB}, equation 6",
                "CAP with non-matches as zero",
            ),
            GlossaryTerm(
                "cap",
                ("CAP",),
                "How often a guess among matching records would be right: with the original, with"
                " the copies pooled, and by frequencies alone.",
                "CAP_j = records with the keys and target of j / records with the keys of j",
                "people of the scenario; those without a match count as 0, or not at all",
                f"{TAUB}, equations 3 to 6; (6) is printed with the key of the synthetic record",
                "correct attribution probability",
            ),
            GlossaryTerm(
                "weap",
                ("WEAP",),
                "How sure a record of the copy is of its own target, given its keys.",
                "WEAP_j = s_tq / s_q",
                "records of the copy",
                NOTE,
                "within equivalence class attribution probability",
            ),
            GlossaryTerm(
                "tcap-raab",
                ("TCAP (Raab)", "TCAP"),
                "Of the people who are found in the copy, how many are shown one single value, and"
                " it is right.",
                "TCAP = 100 Σ(d_tq | ps_tq = 1) / N_d_both",
                "original records whose keys the copy has",
                f"{RAAB}, equation 13",
                "the first of four measures of this name",
            ),
            GlossaryTerm(
                "tcap-taub",
                ("TCAP (Taub and Elliot)",),
                "Where a record of the copy is sure of its target, how often the original people"
                " with its keys have that target.",
                "mean of d_tq / d_q over records of the copy with WEAP ≥ τ",
                "records of the copy whose keys the original has",
                NOTE,
                "the second of four measures of this name; τ is 1 unless set otherwise",
            ),
            GlossaryTerm(
                "tcap-uniques",
                ("TCAP (Chapelle and Falissard)",),
                "For people alone with their keys: how many of the matching records of the copy"
                " have their target, 0 where none matches.",
                "mean of s_tq / s_q over people with d_q = 1",
                "original records that are alone with their keys",
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
                "For people who stand out, numbers counted by how near they are: 0 is no better"
                " than guessing by frequencies, 1 as good as the original.",
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
                "People of the same kind whose records were not used to make the copy: what is"
                " learnt about them is general knowledge.",
                also="holdout, left out",
            ),
            GlossaryTerm(
                "r",
                ("R", "excess"),
                "Of the people whom general knowledge would not give away, how many are given away"
                " because their own record was used.",
                "R = (train - control) / (100 - control), percentages; with shares 1 for 100",
                "people whom the control rate would leave",
                f"{RAAB}, equation 1; {GIOMI}",
                "privacy risk in Anonymeter; a value below 0 is shown as it is",
            ),
            GlossaryTerm(
                "singling-out",
                ("Singling out", "singling-out"),
                "Finds descriptions that fit one record of the copy alone, and counts how many fit"
                " one person of the original alone.",
                source=GIOMI,
            ),
            GlossaryTerm(
                "linkability",
                ("Linkability",),
                "Asks whether the copy would tell that two halves of a record belong to one"
                " person.",
                source=GIOMI,
            ),
            GlossaryTerm(
                "inference",
                ("Inference",),
                "Takes the record of the copy that is nearest in the keys and believes what it"
                " says of the target.",
                source=GIOMI,
                also="attribute inference attack",
            ),
            GlossaryTerm(
                "membership",
                ("Membership", "membership advantage"),
                "Asks whether it can be told who was in the original, from how near the copy comes"
                " to them.",
                source="El Emam, Mosquera and Fang (2022)",
            ),
            GlossaryTerm(
                "relative-f1",
                ("relative F1",),
                "How much better than by guessing that everybody was in the original it can be told"
                " who was: 0 is no better, 1 is always right.",
                "relative F1 = (F1 - F1 of a guess) / (1 - F1 of a guess)",
                "original and control records, weighed by the prevalence",
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
                "Drops a generated person who stands nearer to a real one than the next real"
                " person does.",
                "dropped where d(s, o*) < d(o*, its nearest other original)",
                source=f"{CHAPELLE}, Algorithm 1",
            ),
            GlossaryTerm(
                "ecap",
                ("ECAP",),
                "The probability that the strongest claim about a value would be right, though"
                " noise was added and the method is known.",
                "1 - exp(n log1p(-1/N)) expm1(n log1p(-b)) / expm1(n log1p(-(p/N + (1 - 1/N) b)))",
                source=f"{CHAPELLE}, Equation 1, in a form that loses no digits",
                also="it stays with the custodian; only kind and amount of noise are published",
            ),
            GlossaryTerm(
                "quotient",
                ("quotient",),
                "By how much ECAP falls for each bit of noise that is added: near 0, more noise"
                " gains little.",
                "(ECAP - the one before) / (sigma - the one before)",
            ),
        ),
    ),
)
"""By what they are about, in the order of the report."""
