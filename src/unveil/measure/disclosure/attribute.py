"""What would be disclosed of a target? DiSCO, DCAP, TCAP and the excess R: one formula for each."""

from collections.abc import Callable

import numpy as np

from unveil.arrays import Ints, Mask
from unveil.count.profile import Profile
from unveil.measure.disclosure.measures import NO_COPY, NOBODY, measure

# DCAP: guessing among the matching records, how often would the intruder be right?
#
# Raab (2024), Appendix 1, equations 6, 7 and 14, after Elliot (2014) and Taub et al. (2018). CAPd
# is the same guess made with the original, baseCAPd the guess of an intruder who knows frequencies
# only.


@measure("baseCAPd", equation="Raab 2024 (14)", undefined=NOBODY)
def base_capd(p: Profile) -> float | None:
    """Percent right when guessing the target by its frequencies in the original alone.

    Notes
    -----
    baseCAPd = 100 sum_t (d_t / N_d)^2. Erratum: equation 14 divides the sum of squared proportions
    by N_d once more, which cannot be meant; synthpop does not.
    """
    if p.N_d == 0:
        return None
    d_t = p.d_t.astype(np.int64)
    return 100 * int(np.dot(d_t, d_t)) / p.N_d**2


@measure("CAPd", equation="Raab 2024 (7)", undefined=NOBODY)
def capd(p: Profile) -> float | None:
    """Percent right when guessing among the original records with the same keys.

    Notes
    -----
    CAPd = 100 sum(pd_tq d_tq) / N_d, with pd_tq = d_tq / d_q.
    """
    return p.shares(p.d_tq, p.d_kept, per=p.d_q).percent(of=p.N_d)


@measure("CAPs", equation="Raab 2024 (7), on the synthetic data", undefined=NO_COPY)
def caps(p: Profile) -> float | None:
    """Percent right when guessing a copy's record among the copy's records with the same keys.

    Notes
    -----
    CAPs = 100 sum(ps_tq s_tq) / N_s, with ps_tq = s_tq / s_q.
    """
    return p.shares(p.s_tq, p.s_kept, per=p.s_q).percent(of=p.N_s)


@measure("DCAP", equation="Raab 2024 (6)", undefined=NOBODY)
def dcap(p: Profile) -> float | None:
    """Percent right when guessing among the copy's records with the same keys.

    Notes
    -----
    DCAP = 100 sum(ps_tq d_tq) / N_d, with ps_tq = s_tq / s_q. A person whose keys are not in the
    copy counts as a wrong guess; Taub et al. (2018) leave them out instead.
    """
    return p.shares(p.s_tq, p.d_kept, per=p.s_q).percent(of=p.N_d)


@measure("CAPd_renormalised", equation="Raab 2024 (7), as in synthpop 1.9-3", undefined=NOBODY)
def capd_renormalised(p: Profile) -> float | None:
    """CAPd with the excluded records struck out of the original before guessing.

    Notes
    -----
    CAPd_renormalised = 100 sum(d*_tq / d*_q d*_tq) / N_d, with d* the counts that exclusions leave.
    Without exclusions it is CAPd.
    """
    return p.renormalised_sums.dd_per_d.percent(of=p.N_d)


@measure("CAPs_renormalised", equation="Raab 2024 (7), as in synthpop 1.9-3", undefined=NO_COPY)
def caps_renormalised(p: Profile) -> float | None:
    """CAPs with the excluded records struck out of the synthetic data before guessing.

    Notes
    -----
    CAPs_renormalised = 100 sum(s*_tq / s*_q s*_tq) / N_s. Without exclusions it is CAPs.
    """
    return p.renormalised_sums.ss_per_s.percent(of=p.N_s)


@measure("DCAP_renormalised", equation="Raab 2024 (6), as in synthpop 1.9-3", undefined=NOBODY)
def dcap_renormalised(p: Profile) -> float | None:
    """DCAP as if the intruder, too, knew to strike out the excluded records.

    Notes
    -----
    DCAP_renormalised = 100 sum(s*_tq / s*_q d*_tq) / N_d. Raab's own figures keep the intruder's
    probabilities as they were (her 3.21 for workab without NO is DCAP, not this one).
    """
    return p.renormalised_sums.ds_per_s.percent(of=p.N_d)


def scale_cap(cap: float, base: float) -> float | None:
    """A CAP on the scale from the baseline (0) to certainty (1)."""
    return (cap - base) / (100 - base) if base < 100 else None


@measure(
    "DCAP_scaled",
    equation="Raab 2024, after (14)",
    of=("DCAP", "baseCAPd"),
    undefined="everyone has the same target level, so guessing is always right",
)
def dcap_scaled(dcap: float, base: float) -> float | None:
    """DCAP on the scale from the baseline (0) to certainty (1); can be negative.

    Notes
    -----
    DCAP_scaled = (DCAP - baseCAPd) / (100 - baseCAPd).
    """
    return scale_cap(dcap, base)


# DiSCO: would a reader of the synthetic data learn the target, and learn it correctly?
#
# Raab (2024), section 3.3 and Appendix 1, equations 8 to 12, in the paper's order and symbols;
# then the denominators behind DiSCO and what the copy protects.


NO_CELL = "no record could be attributed in this way"


@measure("Dorig", equation="Raab 2024 (8)", undefined=NOBODY)
def dorig(p: Profile) -> float | None:
    """Percent of original records whose keys determine the target in the original itself.

    Notes
    -----
    Dorig = 100 sum(d_tq | pd_tq = 1) / N_d.
    """
    return p.percent(p.d_kept, given=p.pd_is_1, of=p.N_d)


@measure("Dsyn", equation="Raab 2024 (8), on the synthetic data", undefined=NO_COPY)
def dsyn(p: Profile) -> float | None:
    """Percent of synthetic records whose keys determine the target there.

    Notes
    -----
    Dsyn = 100 sum(s_tq | ps_tq = 1) / N_s: equation 8 with the copy in the place of the original.
    """
    return p.percent(p.s_kept, given=p.ps_is_1, of=p.N_s)


@measure("iS", equation="Raab 2024 (9)", undefined=NOBODY)
def i_s(p: Profile) -> float | None:
    """Percent of original records whose keys are found in the synthetic data.

    Notes
    -----
    iS = 100 sum(d_tq | s_q > 0) / N_d. Erratum: equation 9 is printed with s_tq > 0, which would
    ask for the target too; the text of section 3.3 and synthpop look for the keys alone.
    """
    return p.percent(p.d_kept, given=p.in_s, of=p.N_d)


@measure("DiS", equation="Raab 2024 (10)", undefined=NOBODY)
def dis(p: Profile) -> float | None:
    """Percent of original records whose keys determine the target there, correctly or wrongly.

    Notes
    -----
    DiS = 100 sum(d_iq | some ps_jq = 1) / N_d: the keys have one target level there.
    """
    return p.percent(p.d_kept, given=p.T_s_is_1, of=p.N_d)


@measure("DiSCO", equation="Raab 2024 (11)", undefined=NOBODY)
def disco(p: Profile) -> float | None:
    """Percent of original records whose keys determine the target in the synthetic data, correctly.

    Notes
    -----
    DiSCO = 100 sum(d_tq | ps_tq = 1) / N_d. It can exceed Dorig: the copy may look more certain
    than the original is.
    """
    return p.percent(p.d_kept, given=p.ps_is_1, of=p.N_d)


@measure("DiSDiO", equation="Raab 2024 (12)", undefined=NOBODY)
def disdio(p: Profile) -> float | None:
    """Percent of original records whose keys determine the target in both files, correctly.

    Notes
    -----
    DiSDiO = 100 sum(d_tq | ps_tq = 1 and pd_tq = 1) / N_d. The intruder cannot tell these from the
    rest of DiSCO.
    """
    return p.percent(p.d_kept, given=p.both_are_1, of=p.N_d)


COUNTED: dict[str, Callable[[Profile], Mask]] = {
    "Dorig": lambda p: p.pd_is_1,
    "iS": lambda p: p.in_s,
    "DiS": lambda p: p.T_s_is_1,
    "DiSCO": lambda p: p.ps_is_1,
    "DiSDiO": lambda p: p.both_are_1,
}
"""Whose records these measures count: the cells each of them sums d_tq over."""


def disco_cells(p: Profile) -> Mask:
    """The cells that make up DiSCO: determined there, and a person in the original has it."""
    return p.ps_is_1 & (p.d_kept > 0)


@measure("max_denom", equation="Raab 2024, section 3.4")
def max_denom(p: Profile) -> int:
    """The most original records that share one DiSCO cell; 0 where there is no such cell.

    Notes
    -----
    max(d_tq) over the DiSCO cells. Erratum: the text speaks of synthetic counts; the figures of
    Table 1 are counts in the original. The copy's have their own name, max_denom_syn.
    """
    return int(p.d_tq[disco_cells(p)].max(initial=0))


@measure("mean_denom", equation="Raab 2024, section 3.4", undefined=NO_CELL)
def mean_denom(p: Profile) -> float | None:
    """How many original records share a DiSCO cell, on average over the cells."""
    return _mean_over_cells(p, p.d_tq)


@measure("max_denom_syn", equation="Raab 2024, Appendix 1")
def max_denom_syn(p: Profile) -> int:
    """The most synthetic records that share one DiSCO cell: what the intruder can see."""
    return int(p.s_tq[disco_cells(p)].max(initial=0))


@measure("mean_denom_syn", equation="Raab 2024, Appendix 1", undefined=NO_CELL)
def mean_denom_syn(p: Profile) -> float | None:
    """How many records of the synthetic data share a DiSCO cell, on average over the cells."""
    return _mean_over_cells(p, p.s_tq)


def _mean_over_cells(p: Profile, count: Ints) -> float | None:
    cells = disco_cells(p)
    n_cells = p.n_cells(cells)
    return p.total(count, given=cells) / n_cells if n_cells else None


@measure("protection", equation="Raab 2024, section 3.1", of=("Dorig", "DiSCO"), undefined=NOBODY)
def protection(dorig: float, disco: float) -> float:
    """How many percentage points less the synthetic data disclose than the original would.

    Notes
    -----
    protection = Dorig - DiSCO.
    """
    return dorig - disco


@measure(
    "removed",
    equation="Raab 2024, section 3.1",
    of=("Dorig", "DiSCO"),
    undefined="the original determines this target for no one, so there is nothing to remove",
)
def removed(dorig: float, disco: float) -> float | None:
    """The percentage of the original's disclosure that the synthetic data take away.

    Notes
    -----
    removed = 100 (Dorig - DiSCO) / Dorig; negative where the synthetic data disclose more.
    """
    return 100 * (dorig - disco) / dorig if dorig else None


# Raab's TCAP: of those found in the synthetic data, how many are disclosed correctly?
#
# Raab (2024), Appendix 1, equation 13. Two other measures are called TCAP: Taub's averages over
# the copy's records, Chapelle's over key uniques. They are not computed here.


@measure(
    "TCAP",
    equation="Raab 2024 (13)",
    undefined="no original key combination is in the synthetic data",
)
def tcap(p: Profile) -> float | None:
    """Percent of matched original records that are disclosed correctly.

    Notes
    -----
    TCAP = 100 sum(d_tq | ps_tq = 1) / N_d_both. DiSCO divides by N_d instead, so TCAP >= DiSCO.
    Undefined, not 0, where no original key combination occurs in the synthetic data.
    """
    return p.percent(p.d_kept, given=p.ps_is_1, of=p.N_d_both)


@measure(
    "TCAP_renormalised",
    equation="Raab 2024 (13), as in synthpop 1.9-3",
    undefined="exclusions leave no original key combination that is left in the synthetic data",
)
def tcap_renormalised(p: Profile) -> float | None:
    """TCAP among those found once the excluded records are struck out of original and copy.

    Notes
    -----
    TCAP_renormalised = 100 sum(d*_tq | ps_tq = 1) / sum(d*_q | s*_q > 0), with d*, s* the counts
    that exclusions leave. It can exceed 100: what the copy determines is decided before excluding.
    Without exclusions it is TCAP.
    """
    return p.percent(p.d_kept, given=p.ps_is_1, of=p.renormalised_sums.d_found)


@measure(
    "TCAP_scaled",
    equation="Raab 2024, after (14)",
    of=("TCAP", "baseCAPd"),
    undefined="TCAP is undefined, or everyone has the same target level",
)
def tcap_scaled(tcap: float, base: float) -> float | None:
    """Raab's TCAP on the scale from the baseline (0) to certainty (1).

    Notes
    -----
    TCAP_scaled = (TCAP - baseCAPd) / (100 - baseCAPd); can be negative.
    """
    return scale_cap(tcap, base)


# R: how much of a figure is more than general knowledge would give?
#
# Raab (2024), section 5, equation 1, after Giomi et al. (2023).


def excess_ratio(measured: float | None, known: float | None) -> float | None:
    """The share of those not disclosed by what is known already who are disclosed all the same.

    Notes
    -----
    R = (r_train - r_control) / (1 - r_control), on percentages. The same ratio says how much of a
    figure an exclusion explains: (all - after) / (100 - after). Undefined where what is known
    already gives everyone away, or a part of it cannot be measured; negative where the control is
    above the train.
    """
    if measured is None or known is None or known >= 100:
        return None
    return (measured - known) / (100 - known)
