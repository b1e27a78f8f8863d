"""UiO, UiS, UiOiS, repU: who stands alone with their keys, and still does in the copy?

Raab (2024), section 3.2 and Appendix 1, equations 2 to 5, in the paper's order and symbols.
"""

from collections.abc import Callable

from unveil.count.profile import Mask, Profile
from unveil.measure.catalogue import NO_COPY, NOBODY, measure


@measure("UiO", equation="Raab 2024 (2)", kind="identity", undefined=NOBODY)
def uio(p: Profile) -> float | None:
    """Percent of original records that are alone with their keys in the original.

    Notes
    -----
    UiO = 100 sum(d_q | d_q = 1) / N_d.
    """
    return p.percent(p.d_kept, given=p.d_q == 1, of=p.N_d)


@measure("UiS", equation="Raab 2024 (3)", kind="identity", undefined=NO_COPY)
def uis(p: Profile) -> float | None:
    """Percent of the copy's records that are alone with their keys in the copy.

    Notes
    -----
    UiS = 100 sum(s_q | s_q = 1) / N_s. Erratum: equation 3 is printed with the condition d_q = 1
    over N_d; the text of section 3.2 and synthpop count the copy's own records, and so do we.
    """
    return p.percent(p.s_kept, given=p.s_q == 1, of=p.N_s)


@measure("UiOiS", equation="Raab 2024 (4)", kind="identity", undefined=NOBODY)
def uiois(p: Profile) -> float | None:
    """Percent of original records that are alone with their keys and whose keys are in the copy.

    Notes
    -----
    UiOiS = 100 sum(d_q | d_q = 1 and s_q > 0) / N_d. Erratum: equation 4 is printed with the two
    conditions exchanged; the text of section 3.2 and synthpop agree with what is computed here.
    """
    return p.percent(p.d_kept, given=(p.d_q == 1) & (p.s_q > 0), of=p.N_d)


@measure("repU", equation="Raab 2024 (5)", kind="identity", undefined=NOBODY)
def repu(p: Profile) -> float | None:
    """Percent of original records that are alone with their keys, and alone again in the copy.

    Notes
    -----
    repU = 100 sum(d_q | d_q = 1 and s_q = 1) / N_d.
    """
    return p.percent(p.d_kept, given=(p.d_q == 1) & (p.s_q == 1), of=p.N_d)


COUNTED: dict[str, Callable[[Profile], Mask]] = {
    "UiO": lambda p: p.d_q == 1,
    "UiOiS": lambda p: (p.d_q == 1) & (p.s_q > 0),
    "repU": lambda p: (p.d_q == 1) & (p.s_q == 1),
}
"""Whose records these measures count: the key combinations each of them sums d_q over."""
