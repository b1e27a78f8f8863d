"""Raab's TCAP: of those found in the copy, how many are given away rightly?

Raab (2024), Appendix 1, equation 13. Two other measures are called TCAP: Taub's averages over the
copy's records, Chapelle's over key uniques. They are not computed here.
"""

from unveil.count.profile import Profile
from unveil.measure.attribute.cap import scaled
from unveil.measure.catalogue import measure


@measure("TCAP", equation="Raab 2024 (13)", undefined="no original key combination is in the copy")
def tcap(p: Profile) -> float | None:
    """Percent of matched original records whose keys settle the target in the copy, rightly.

    Notes
    -----
    TCAP = 100 sum(d_tq | ps_tq = 1) / N_d_both. DiSCO divides by N_d instead, so TCAP >= DiSCO.
    Undefined, not 0, where no original key combination occurs in the copy.
    """
    return p.percent(p.d_kept, given=p.ps_is_1, of=p.N_d_both)


@measure(
    "TCAP_renormalised",
    equation="Raab 2024 (13), as in synthpop 1.9-3",
    undefined="exclusions leave no original key combination that is left in the copy",
)
def tcap_renormalised(p: Profile) -> float | None:
    """TCAP among those found once the excluded records are struck out of original and copy.

    Notes
    -----
    TCAP_renormalised = 100 sum(d*_tq | ps_tq = 1) / sum(d*_q | s*_q > 0), with d*, s* the counts
    that exclusions leave. It can exceed 100: what the copy settles is decided before excluding.
    Without exclusions it is TCAP.
    """
    return p.percent(p.d_kept, given=p.ps_is_1, of=p.renormalised.d_found)


@measure(
    "TCAP_scaled",
    equation="Raab 2024, after (14)",
    of=("TCAP", "baseCAPd"),
    undefined="TCAP is undefined, or everyone has the same target level",
)
def tcap_scaled(tcap: float, base: float) -> float | None:
    """Raab's TCAP on the scale from guessing by frequencies (0) to certainty (1).

    Notes
    -----
    TCAP_scaled = (TCAP - baseCAPd) / (100 - baseCAPd); can be negative.
    """
    return scaled(tcap, base)
