"""Who would be found by their keys? UiO, UiS, UiOiS, repU, and records that recur whole."""

from collections.abc import Callable
from typing import Literal

from unveil.arrays import Mask
from unveil.count.profile import Profile
from unveil.measure.disclosure.measures import NO_COPY, NOBODY, measure
from unveil.records.disclosure import Recurrence
from unveil.study.scenario import CountedScenario

# Do original records reappear in the synthetic data, equal in every compared column?
#
# The idea is that of "replicated uniques" (Raab 2024, section 3.2) over all columns. A row that
# many people share recurs by chance, and with few columns so does a unique one: whether records
# are real ones is for `unveil.assess` to say. Only a file in which all records reappear, most of
# them unique, is called the original here.


Kind = Literal["none", "some", "all", "equal"]

UNIQUE = 0.5
"""All records reappear not by chance if so many of the people are unique in what is compared."""


def count_recurrences(scenario: CountedScenario) -> list[Recurrence]:
    """For each copy, how many original records stand in it whole."""
    n_alone, counted = scenario.count_recurring()
    n_original = scenario.sides.rows[0]
    return [
        Recurrence(
            copy=copy,
            n=n,
            percent=100 * n / max(n_original, 1),
            n_columns=len(scenario.key_columns) + len(scenario.target_columns),
            n_alone=n_alone,
            n_alone_recurring=n_alone_recurring,
            kind="equal" if is_equal else _kind(n, n_original, n_alone),
        )
        for copy, (n, n_alone_recurring, is_equal) in enumerate(counted, start=1)
    ]


def _kind(n: int, n_original: int, n_alone: int) -> Kind:
    if n == 0:
        return "none"
    return "all" if n == n_original and n_alone > UNIQUE * n_original else "some"


# UiO, UiS, UiOiS, repU: who stands unique on the keys, and still does in the synthetic data?
#
# Raab (2024), section 3.2 and Appendix 1, equations 2 to 5, in the paper's order and symbols.


@measure("UiO", equation="Raab 2024 (2)", kind="identity", undefined=NOBODY)
def uio(p: Profile) -> float | None:
    """Percent of original records that are unique on the keys in the original.

    Notes
    -----
    UiO = 100 sum(d_q | d_q = 1) / N_d.
    """
    return p.percent(p.d_kept, given=p.d_q == 1, of=p.N_d)


@measure("UiS", equation="Raab 2024 (3)", kind="identity", undefined=NO_COPY)
def uis(p: Profile) -> float | None:
    """Percent of synthetic records that are unique on the keys there.

    Notes
    -----
    UiS = 100 sum(s_q | s_q = 1) / N_s. Erratum: equation 3 is printed with the condition d_q = 1
    over N_d; the text of section 3.2 and synthpop count synthetic records, and so do we.
    """
    return p.percent(p.s_kept, given=p.s_q == 1, of=p.N_s)


@measure("UiOiS", equation="Raab 2024 (4)", kind="identity", undefined=NOBODY)
def uiois(p: Profile) -> float | None:
    """Percent of original records that are unique on the keys, and matched.

    Notes
    -----
    UiOiS = 100 sum(d_q | d_q = 1 and s_q > 0) / N_d. Erratum: equation 4 is printed with the two
    conditions exchanged; the text of section 3.2 and synthpop agree with what is computed here.
    """
    return p.percent(p.d_kept, given=(p.d_q == 1) & (p.s_q > 0), of=p.N_d)


@measure("repU", equation="Raab 2024 (5)", kind="identity", undefined=NOBODY)
def repu(p: Profile) -> float | None:
    """Percent of original records that are unique on the keys in both files.

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
