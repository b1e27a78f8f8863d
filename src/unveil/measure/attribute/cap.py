"""DCAP: guessing among the matching records, how often would the intruder be right?

Raab (2024), Appendix 1, equations 6, 7 and 14, after Elliot (2014) and Taub et al. (2018). CAPd is
the same guess made with the original, baseCAPd the guess of someone who knows frequencies only.
"""

import numpy as np

from unveil.count.profile import Profile
from unveil.measure.catalogue import NO_COPY, NOBODY, measure


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
    return p.shares(p.d_tq * p.d_kept, per=p.d_q).percent(of=p.N_d)


@measure("CAPs", equation="Raab 2024 (7), on the copy", undefined=NO_COPY)
def caps(p: Profile) -> float | None:
    """Percent right when guessing a copy's record among the copy's records with the same keys.

    Notes
    -----
    CAPs = 100 sum(ps_tq s_tq) / N_s, with ps_tq = s_tq / s_q.
    """
    return p.shares(p.s_tq * p.s_kept, per=p.s_q).percent(of=p.N_s)


@measure("DCAP", equation="Raab 2024 (6)", undefined=NOBODY)
def dcap(p: Profile) -> float | None:
    """Percent right when guessing among the copy's records with the same keys.

    Notes
    -----
    DCAP = 100 sum(ps_tq d_tq) / N_d, with ps_tq = s_tq / s_q. A person whose keys are not in the
    copy counts as a wrong guess; Taub et al. (2018) leave them out instead.
    """
    return p.shares(p.s_tq * p.d_kept, per=p.s_q).percent(of=p.N_d)


@measure("CAPd_renormalised", equation="Raab 2024 (7), as in synthpop 1.9-3", undefined=NOBODY)
def capd_renormalised(p: Profile) -> float | None:
    """CAPd with the excluded records struck out of the original before guessing.

    Notes
    -----
    CAPd_renormalised = 100 sum(d*_tq / d*_q d*_tq) / N_d, with d* the counts that exclusions leave.
    Without exclusions it is CAPd.
    """
    return p.renormalised.dd_per_d.percent(of=p.N_d)


@measure("CAPs_renormalised", equation="Raab 2024 (7), as in synthpop 1.9-3", undefined=NO_COPY)
def caps_renormalised(p: Profile) -> float | None:
    """CAPs with the excluded records struck out of the copy before guessing.

    Notes
    -----
    CAPs_renormalised = 100 sum(s*_tq / s*_q s*_tq) / N_s. Without exclusions it is CAPs.
    """
    return p.renormalised.ss_per_s.percent(of=p.N_s)


@measure("DCAP_renormalised", equation="Raab 2024 (6), as in synthpop 1.9-3", undefined=NOBODY)
def dcap_renormalised(p: Profile) -> float | None:
    """DCAP as if the intruder, too, knew to strike the excluded records out of the copy.

    Notes
    -----
    DCAP_renormalised = 100 sum(s*_tq / s*_q d*_tq) / N_d. Raab's own figures keep the intruder's
    probabilities as they were (her 3.21 for workab without NO is DCAP, not this one).
    """
    return p.renormalised.ds_per_s.percent(of=p.N_d)


def scaled(cap: float, base: float) -> float | None:
    """A CAP on the scale from guessing by frequencies (0) to certainty (1)."""
    return (cap - base) / (100 - base) if base < 100 else None


@measure(
    "DCAP_scaled",
    equation="Raab 2024, after (14)",
    of=("DCAP", "baseCAPd"),
    undefined="everyone has the same target level, so guessing is always right",
)
def dcap_scaled(dcap: float, base: float) -> float | None:
    """DCAP on the scale from guessing by frequencies (0) to certainty (1); can be negative.

    Notes
    -----
    DCAP_scaled = (DCAP - baseCAPd) / (100 - baseCAPd).
    """
    return scaled(dcap, base)
