"""DiSCO: would a reader of the copy learn the target, and learn it rightly?

Raab (2024), section 3.3 and Appendix 1, equations 8 to 12, in the paper's order and symbols; then
the denominators behind DiSCO and what the copy protects.
"""

from collections.abc import Callable

from unveil.count.packing import Whole
from unveil.count.profile import Mask, Profile
from unveil.measure.catalogue import NO_COPY, NOBODY, measure

NO_CELL = "no record could be attributed in this way"


@measure("Dorig", equation="Raab 2024 (8)", undefined=NOBODY)
def dorig(p: Profile) -> float | None:
    """Percent of original records whose keys settle the target in the original itself.

    Notes
    -----
    Dorig = 100 sum(d_tq | pd_tq = 1) / N_d.
    """
    return p.percent(p.d_kept, given=p.pd_is_1, of=p.N_d)


@measure("Dsyn", equation="Raab 2024 (8), on the copy", undefined=NO_COPY)
def dsyn(p: Profile) -> float | None:
    """Percent of the copy's records whose keys settle the target in the copy.

    Notes
    -----
    Dsyn = 100 sum(s_tq | ps_tq = 1) / N_s: equation 8 with the copy in the place of the original.
    """
    return p.percent(p.s_kept, given=p.ps_is_1, of=p.N_s)


@measure("iS", equation="Raab 2024 (9)", undefined=NOBODY)
def i_s(p: Profile) -> float | None:
    """Percent of original records whose keys are found in the copy.

    Notes
    -----
    iS = 100 sum(d_tq | s_q > 0) / N_d. Erratum: equation 9 is printed with s_tq > 0, which would
    ask for the target too; the text of section 3.3 and synthpop look for the keys alone.
    """
    return p.percent(p.d_kept, given=p.s_q > 0, of=p.N_d)


@measure("DiS", equation="Raab 2024 (10)", undefined=NOBODY)
def dis(p: Profile) -> float | None:
    """Percent of original records whose keys settle the target in the copy, rightly or wrongly.

    Notes
    -----
    DiS = 100 sum(d_iq | some ps_jq = 1) / N_d: in the copy the keys have one target level.
    """
    return p.percent(p.d_kept, given=p.T_s == 1, of=p.N_d)


@measure("DiSCO", equation="Raab 2024 (11)", undefined=NOBODY)
def disco(p: Profile) -> float | None:
    """Percent of original records whose keys settle the target in the copy, rightly.

    Notes
    -----
    DiSCO = 100 sum(d_tq | ps_tq = 1) / N_d. It can exceed Dorig: the copy may look more certain
    than the original is.
    """
    return p.percent(p.d_kept, given=p.ps_is_1, of=p.N_d)


@measure("DiSDiO", equation="Raab 2024 (12)", undefined=NOBODY)
def disdio(p: Profile) -> float | None:
    """Percent of original records whose keys settle the target in the copy and in the original.

    Notes
    -----
    DiSDiO = 100 sum(d_tq | ps_tq = 1 and pd_tq = 1) / N_d. The intruder cannot tell these from the
    rest of DiSCO.
    """
    return p.percent(p.d_kept, given=p.ps_is_1 & p.pd_is_1, of=p.N_d)


COUNTED: dict[str, Callable[[Profile], Mask]] = {
    "Dorig": lambda p: p.pd_is_1,
    "iS": lambda p: p.s_q > 0,
    "DiS": lambda p: p.T_s == 1,
    "DiSCO": lambda p: p.ps_is_1,
    "DiSDiO": lambda p: p.ps_is_1 & p.pd_is_1,
}
"""Whose records these measures count: the cells each of them sums d_tq over."""


def disco_cells(p: Profile) -> Mask:
    """The cells that make up DiSCO: settled in the copy, and someone in the original has it."""
    return p.ps_is_1 & (p.d_kept > 0)


@measure("max_denom", equation="Raab 2024, section 3.4")
def max_denom(p: Profile) -> int:
    """The most original records that share one DiSCO cell; 0 where there is no such cell.

    Notes
    -----
    max(d_tq) over the DiSCO cells. Erratum: the text speaks of counts in the copy; the figures of
    Table 1 are counts in the original. The copy's have their own name, max_denom_syn.
    """
    return int(p.d_tq[disco_cells(p)].max(initial=0))


@measure("mean_denom", equation="Raab 2024, section 3.4", undefined=NO_CELL)
def mean_denom(p: Profile) -> float | None:
    """How many original records share a DiSCO cell, on average over the cells."""
    return _mean_over_cells(p, p.d_tq)


@measure("max_denom_syn", equation="Raab 2024, Appendix 1")
def max_denom_syn(p: Profile) -> int:
    """The most records of the copy that share one DiSCO cell: what the intruder can see."""
    return int(p.s_tq[disco_cells(p)].max(initial=0))


@measure("mean_denom_syn", equation="Raab 2024, Appendix 1", undefined=NO_CELL)
def mean_denom_syn(p: Profile) -> float | None:
    """How many records of the copy share a DiSCO cell, on average over the cells."""
    return _mean_over_cells(p, p.s_tq)


def _mean_over_cells(p: Profile, count: Whole) -> float | None:
    cells = disco_cells(p)
    n_cells = p.n_cells(cells)
    return p.total(count, given=cells) / n_cells if n_cells else None


@measure("protection", equation="Raab 2024, section 3.1", of=("Dorig", "DiSCO"), undefined=NOBODY)
def protection(dorig: float, disco: float) -> float:
    """How many percentage points less the copy gives away than the original would.

    Notes
    -----
    protection = Dorig - DiSCO.
    """
    return dorig - disco


@measure(
    "removed",
    equation="Raab 2024, section 3.1",
    of=("Dorig", "DiSCO"),
    undefined="the original settles this target for nobody, so there is nothing to remove",
)
def removed(dorig: float, disco: float) -> float | None:
    """The percentage of the original's disclosure that the copy takes away.

    Notes
    -----
    removed = 100 (Dorig - DiSCO) / Dorig; negative where the copy gives away more.
    """
    return 100 * (dorig - disco) / dorig if dorig else None
