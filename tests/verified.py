"""What the verification report speaks of: measures with what is independent, and other tools."""

from dataclasses import dataclass

BY_RECORD = "tests/test_against_oracle.py tests/test_profile_against_oracle.py"
EXCLUDING = "tests/test_exclusions_against_oracle.py"


@dataclass(frozen=True)
class Family:
    """A row of the report: a measure with what is independent of its code."""

    name: str
    page: str
    formula: str
    source: str
    oracles: str
    tests: str
    goldens: str = ""
    calls: str = ""
    errata: str = "none found"


# What has its own list of symbols (Raab's measures) is reported symbol by symbol from its page.
SYMBOL_PAGES = ("uniques", "disco", "cap", "tcap")
FAMILIES = (
    Family(
        "Raab's measures",
        "disco",
        "see the next table",
        "Raab 2024, equations 2 to 14",
        "raab exclusions",
        f"{BY_RECORD} {EXCLUDING} tests/by_hand tests/laws/test_laws.py",
        "synthpop options tables formats",
        calls="disclosure exclusion_table",
        errata="see the next table",
    ),
    Family(
        "one-way, two-way checks",
        "checks",
        "n = Σ_q(d\\*_tq \\| ps_tq = 1) above its thresholds",
        "Raab 2024, section 4",
        "checks",
        "tests/measure/disclosure/test_checks.py tests/by_hand",
        "flags",
        calls="disclosure",
        errata="the shares of Adult in section 4 are of all people, not of disclosures",
    ),
    Family(
        "excess R",
        "excess",
        "R = (training - control) / (100 - control)",
        "Raab 2024, equation 1",
        "excess",
        "tests/measure/disclosure/test_excess.py",
        "tables",
        calls="excess",
        errata="R is called the part due to utility; 56.65 for 56.56 in appendix 2",
    ),
    Family(
        "claims, expected, adds",
        "claims",
        "correct claims of a rule less those expected from the pattern",
        "Raab 2024, sections 3 to 5, 7",
        "claims single_values",
        "tests/measure/disclosure/test_claims.py tests/measure/disclosure/test_single_values.py",
        "claims",
        calls="claims",
    ),
    Family(
        "sets of keys",
        "key_sets",
        "DiSCO and repU of every set of the keys",
        "own; Raab 2024 for each set",
        "key_sets",
        "tests/measure/disclosure/test_key_sets.py",
        calls="key_sets",
    ),
    Family(
        "values, weights, people, tolerance",
        "disco",
        "DiSCO by value, by weight, by person, within a tolerance",
        "own; Raab 2024, equation 11",
        "values people single_values survey",
        "tests/measure/disclosure/test_by_value.py tests/measure/disclosure/test_weights.py"
        " tests/measure/disclosure/test_people.py tests/measure/disclosure/test_tolerance.py",
        calls="disclosure",
    ),
    Family(
        "CAP",
        "taub_cap",
        "CAP_j = s_tq / s_q, mean over people",
        "Taub et al. 2018, equations 4 and 6",
        "taub regressions",
        "tests/measure/cap/test_cap.py tests/measure/cap/test_methods.py"
        " tests/measure/cap/test_regression.py tests/measure/cap/test_tolerance.py"
        " tests/measure/cap/test_cap_table.py",
        "cap_cases",
        calls="cap cap_table",
        errata="(6) conditions on the synthetic record's key; (4) has one n for both files;"
        " Tables 2 and 3 print two lines twice",
    ),
    Family(
        "WEAP, TCAP",
        "weap",
        "WEAP_j = s_tq / s_q of a record; TCAP: correct where WEAP ≥ tau",
        "Taub and Elliot; Raab 2024; Chen et al. 2019; Little et al.",
        "taub",
        "tests/measure/cap/test_tcap.py",
        "cap_cases",
        calls="tcap",
        errata="four measures of one name",
    ),
    Family(
        "GCAP",
        "gcap",
        "CAP over the nearest keys",
        "Hittmeir et al. 2020",
        "taub",
        "tests/measure/cap/test_gcap.py",
        "cap_cases",
        calls="gcap",
    ),
    Family(
        "GTCAP",
        "gtcap",
        "Σ kc tc / Σ kc over near records",
        "Chapelle and Falissard, Algorithm 2",
        "gtcap",
        "tests/measure/cap/test_gtcap_oracle.py tests/measure/cap/test_gtcap_windows.py",
        "gtcap_cases",
        calls="gtcap",
        errata="`getUniqueRows` is called, and not printed: four readings",
    ),
    Family(
        "differential confidentiality",
        "differential_confidentiality",
        "t = (mean_included - mean_left_out) / √(e_included + e_left_out)",
        "Taub et al. 2018, section 4.3",
        "confidentiality",
        "tests/measure/cap/test_differential.py tests/measure/cap/test_bootstrap.py",
        "confidentiality_cases",
        calls="differential_confidentiality",
        errata="footnote 7 has the degrees of freedom of the pooled variance",
    ),
    Family(
        "singling out",
        "singling_out",
        "R = (main - control) / (1 - control), predicates that fit one person",
        "Giomi et al. 2023",
        "attacks singling_out",
        "tests/measure/attacks/test_singling_out.py tests/measure/attacks/test_rates.py",
        "singling_out attacks",
        calls="singling_out",
    ),
    Family(
        "linkability",
        "linkability",
        "1 - Σ_j C(w, j) C(t - x - w, a - j) / C(t, a) · C(u - y - j, b) / C(u, b)",
        "Giomi et al. 2023; ties by own formula",
        "attacks",
        "tests/measure/attacks/test_linkability.py",
        "attacks",
        calls="linkability",
    ),
    Family(
        "inference",
        "inference",
        "guess of the nearest record, expectation over ties",
        "Giomi et al. 2023",
        "attacks",
        "tests/measure/attacks/test_inference.py tests/measure/attacks/test_agreement.py",
        "attacks",
        calls="inference",
    ),
    Family(
        "membership",
        "membership",
        "F1 of the distance threshold, relative to guessing",
        "El Emam et al. 2022",
        "membership",
        "tests/measure/attacks/test_membership.py",
        calls="membership",
    ),
    Family(
        "recognition",
        "recognition",
        "AUC over worlds with and without a person; lower bound on epsilon",
        "Carlini et al. 2022; Annamalai et al. 2024",
        "recognition",
        "tests/measure/attacks/test_recognition_figures.py",
        calls="recognition",
    ),
    Family(
        "ECAP, noise",
        "ecap",
        "ECAP = f h / (f h + (1 - f) m)",
        "Chapelle and Falissard, Equation 1",
        "ecap",
        "tests/measure/ecap tests/protection/test_noise.py",
        "ecap",
        calls="ecap ecap_discrete ecap_from_probabilities ecap_records choose_noise add_noise",
        errata="order statistics include x itself; the axis of Figure 5 is the standard deviation",
    ),
    Family(
        "SUDA, DIS",
        "suda",
        "Σ over minimal unique sets of (K - s)!",
        "Elliot et al. 2002, 2000; Manning et al. 2008",
        "suda",
        "tests/measure/uniques/test_suda.py",
        "suda",
        calls="suda",
        errata="with a largest size M the weights have another factor, the same for everyone",
    ),
    Family(
        "match risk",
        "match_risk",
        "rk from p = fk / Fk; l-diversity",
        "Franconi and Polettini 2004; Machanavajjhala et al. 2007",
        "risk aligned_match",
        "tests/measure/uniques/test_match_risk.py tests/measure/uniques/test_individual.py"
        " tests/measure/uniques/test_aligned.py",
        "sdcmicro",
        calls="match_risk",
    ),
    Family(
        "SAP",
        "sap",
        "probability that n known people recover a zero",
        "Smith and Elliot 2008, sections 2.3 and 3",
        "sap tables",
        "tests/measure/tables/test_sap.py tests/measure/tables/test_polynomial.py"
        " tests/measure/tables/test_sap_boxes.py tests/measure/tables/test_depth.py"
        " tests/measure/tables/test_known_people.py tests/measure/tables/test_teaching.py"
        " tests/measure/tables/test_neighbour_sap.py",
        "sap sap_general sap_table3",
        calls="sap neighbour_sap",
    ),
    Family(
        "bounds, plans",
        "bounds",
        "smallest and largest count over all tables of whole numbers that fit",
        "Smith and Elliot 2008, section 2.3.3",
        "tables plan joint_tables suppression",
        "tests/measure/tables/test_bounds.py tests/measure/tables/test_plan_bounds.py"
        " tests/measure/tables/test_network.py tests/measure/tables/test_protect_table.py"
        " tests/measure/tables/test_audit.py",
        "trivial_bounds",
        calls="bounds audit protect_table",
    ),
    Family(
        "rounding, cell keys",
        "rounding",
        "controlled rounding; a transition matrix of given variance",
        "Cox and Ernst 1982; cell keys: from memory, not checked",
        "rounding ptable",
        "tests/measure/tables/test_round_table.py tests/measure/tables/test_ptable.py"
        " tests/measure/tables/test_schemes.py"
        " tests/measure/tables/test_compare_rounding.py",
        calls="round_table ptable compare_rounding",
    ),
    Family(
        "utility (pMSE)",
        "utility",
        "pMSE = Σ (p - c)² / N",
        "Snoke et al. 2018",
        "utility",
        "tests/measure/utility/test_utility.py tests/measure/utility/test_utility_edges.py",
        "utility",
        calls="utility",
    ),
    Family(
        "tables of variables",
        "pair_tables",
        "VW = Σ diff² / expect, and others",
        "Raab et al. 2021",
        "pair_tables",
        "tests/measure/utility/test_pair_tables.py",
        "utility",
        calls="pair_tables",
    ),
    Family(
        "columns and associations",
        "compare",
        "Hellinger, total variation, Wasserstein, associations",
        "Hellinger 1909; Vallender 1974; others",
        "comparison",
        "tests/measure/utility/test_compare_oracle.py tests/by_hand/test_compare_by_hand.py",
        calls="compare",
    ),
    Family(
        "projection",
        "projection",
        "t = Σ x p / Σ p², p = Σ x t / Σ t² in turn",
        "Chapelle and Falissard 2023; Wold 1973",
        "nipals",
        "tests/measure/utility/test_projection.py",
        calls="projection",
    ),
    Family(
        "TSTR, replication",
        "findings",
        "models fitted to synthetic data, tested on people; published results again",
        "Esteban et al. 2017; Purdam and Elliot 2007",
        "regressions replication comparison",
        "tests/measure/utility/test_tstr.py tests/measure/utility/test_replicate.py"
        " tests/measure/utility/test_models.py",
        calls="tstr replicate",
    ),
    Family(
        "distance filter",
        "../distance_filter",
        "a row is kept if it is not too near to an original",
        "Chapelle and Falissard 2023, Algorithm 1",
        "distance_filter",
        "tests/protection/test_distance_filter.py",
        "distance_filter",
        calls="distance_filter",
        errata="where columns correlate, the value given for a missing one is not the nearest",
    ),
    Family(
        "replicated uniques, recoding",
        "../replicated_uniques",
        "rows whose keys are unique in both files; codings",
        "synthpop 1.9-3 (`sdc`)",
        "recoding people",
        "tests/protection/test_replicated_uniques.py tests/protection/recoding"
        " tests/protection/test_smooth.py",
        "sdc",
        calls="remove_replicated_uniques recode smooth",
    ),
    Family(
        "release gate",
        "../gate",
        "people tied to their own values; codings; near copies",
        "own",
        "gate coding",
        "tests/measure/gate",
        calls="assess suggest_coding",
    ),
    Family(
        "rows that recur",
        "recurrence",
        "n = Σ(d_r \\| s_r > 0) over whole rows r",
        "own, after Raab 2024, section 3.2",
        "raab",
        "tests/measure/disclosure/test_recurrence.py tests/test_against_oracle.py",
        calls="disclosure",
    ),
    Family(
        "bands",
        "../bands",
        "equal widths, quantiles, natural groups; special codes apart",
        "synthpop 1.9-3 (`numtocat.syn`)",
        "bands",
        "tests/study/test_bands.py tests/test_exclusions_against_oracle.py",
        "options oracle",
        calls="disclosure",
    ),
    Family(
        "keys, targets, people proposed",
        "../suggest",
        "what a column is for, from its name, type and values",
        "own",
        "suggestion",
        "tests/measure/roles",
        calls="suggest",
    ),
    Family(
        "codebook, structure",
        "../codebook",
        "types, ranges, levels and missing values of each column, and what differs",
        "own",
        "codebook",
        "tests/measure/structure",
        calls="codebook compare_structure",
    ),
    Family(
        "exploration",
        "../explore",
        "settings that no other betters in risk and utility",
        "own",
        "frontier",
        "tests/project/explore",
        calls="explore stages",
    ),
    Family(
        "rules, derived columns",
        "../project_file",
        "a small language, worked out row by row",
        "own",
        "expressions",
        "tests/expressions",
        calls="protect",
    ),
    Family(
        "synthesis",
        "../synthesis_methods",
        "CART, regressions, joint tables; utility beside synthpop's files",
        "Nowok et al. 2016",
        "regressions",
        "tests/synthesis",
        "fidelity",
        calls="synthesise synthesise_strata refill",
    ),
)

# Public calls that give no figure of their own.
NO_FIGURE = {
    "read_file": "reads",
    "write_file": "writes",
    "write_synthetic": "writes",
    "label_as_fake": "marks",
    "split": "draws people",
    "use_engine": "says where it is counted",
    "verify_pack": "checks seals",
}


@dataclass(frozen=True)
class Peer:
    """A difference from another tool: the smallest case, and the test that shows our figure."""

    tool: str
    what: str
    case: str
    theirs: str
    ours: str
    why: str
    test: str


SMALL = "tests/test_peers.py::test_"
PEERS = (
    Peer(
        "synthpop 1.9-3",
        "misaligned tables: a numeric target",
        "original `a,2` `b,3` `c,10`; synthetic `a,2` `b,10` `c,10`",
        "DiSCO 0",
        "66.7",
        "the synthetic data are correct about a and c; its tables are sorted in two ways",
        SMALL + "numbers_of_unequal_length_stay_in_their_place",
    ),
    Peer(
        "synthpop 1.9-3",
        "replicated uniques: a numeric key beside text",
        "original `f,5` `m,7` `m,10`; synthetic `f,5` `m,7`",
        "0",
        "2",
        "both records are there; numbers are padded to the width of their file, then matched",
        SMALL + "numbers_as_keys_match_whatever_the_width_of_others",
    ),
    Peer(
        "Anonymeter 1.1.0",
        "sizes: a control smaller than the original",
        "original and synthetic `a` `b` `c` `d`; control `a` `b`",
        "control 1.45 of 4, R 0.57",
        "R 0",
        "with the control in full R is 0 there, too; a curve fitted to one size rescales it",
        SMALL + "half_of_the_people_as_control_explain_all_of_it",
    ),
    Peer(
        "Anonymeter 1.1.0",
        "ties: the nearest records differ in the secret",
        "original `a,p` `b,p`; synthetic `a,p` `a,q` `b,p`, and with its first two rows exchanged",
        "2 of 2; 1 of 2",
        "1.5 of 2",
        "the order of rows is no knowledge: one half is the expectation",
        SMALL + "a_tie_counts_half_in_any_order_of_rows",
    ),
    Peer(
        "SDMetrics 0.32.0",
        "DisclosureProtection: the baseline takes all answers as equally common",
        "original and synthetic `a,p` `a,p` `a,p` `a,q`",
        "score 0.75: a quarter of the protection is gone",
        "DCAP 62.5, which is baseCAPd; DCAP_scaled 0",
        "who knows the shares alone guesses as well",
        SMALL + "a_copy_that_tells_the_shares_alone_adds_nothing",
    ),
    Peer(
        "sdcMicro 5.8.1",
        "SUDA: records that share a bucket of its hash",
        "`1,3,1` `2,1,1` `3,2,2` `3,2,2`",
        "DIS missing (0/0)",
        "0.01, 0.01",
        "two records are unique with one key each; DIS is defined",
        SMALL + "uniques_have_a_dis_whatever_their_records_hash_to",
    ),
    Peer(
        "riskutility (read)",
        "DiSCO: certainty asked of the original",
        "original `a,p` `a,q`; synthetic `a,p`, and the two exchanged",
        "certain 0; 50",
        "50; 0",
        "an intruder has the synthetic data only: they determine p, then nothing",
        "tests/measure/cap/test_tcap.py::test_certainty_is_asked_of_the_synthetic_data",
    ),
)
