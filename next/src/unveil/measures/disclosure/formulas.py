"""The measures of Raab (2024), section 3 and Appendix 1, one line each, in the paper's letters.

Errata. (3), (4): the conditions of UiS and UiOiS are printed exchanged. (9): iS is printed with the
target; the text of section 3.3 looks for the keys alone. (14): the sum of squared proportions is
printed divided by N_d once more. Section 3.4: the denominators of Table 1 are counts in the
original. In each case the text, the tables and synthpop 1.9-3 agree with what is computed here.
"""

from typing import Annotated, Literal

import msgspec
import numpy as np

from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import PersonProfile, Profile
from unveil.results import Copy, Count, Figure, Number, People, Percent, Row, Share
from unveil.study import Side

Unit = Literal["records", "people", "near"]
"""What a row counts: records; people who have several; records, numbers within the tolerance."""

NO_CELL, NO_MATCH = "nobody disclosed", "nobody matched"


class IdentityRow(Row, frozen=True):
    """Who would be found by the keys alone."""

    version: str
    copy: Copy
    unit: Unit
    UiO: Annotated[Figure, Percent("people unique on the keys in the original", "Raab 2024 (2)")]
    UiS: Annotated[Figure, Percent("records unique in the synthetic data", "Raab 2024 (3)")]
    UiOiS: Annotated[
        Figure,
        Percent(
            "people unique whose keys are in the synthetic data", "Raab 2024 (4)", limited=True
        ),
    ]
    repU: Annotated[
        Figure, Percent("people unique on the keys in both files", "Raab 2024 (5)", limited=True)
    ]
    unique: Annotated[Figure, Count("people unique on the keys in the original")]
    replicated: Annotated[Figure, Count("people unique on the keys in both files")]
    matched: Annotated[Figure, Count("people whose keys are in the synthetic data")]


def identity(p: Profile, side: Side, unit: Unit = "records") -> IdentityRow:
    """Equations 2 to 5, of a profile of the keys alone."""
    is_unique, is_replicated = p.d_q == 1, (p.d_q == 1) & (p.s_q == 1)
    return IdentityRow(
        version=side.version,
        copy=side.copy,
        unit=unit,
        UiO=p.percent(p.d, is_unique),
        UiS=p.percent(p.s, p.s_q == 1, of=p.N_s),
        UiOiS=p.percent(p.d, is_unique & (p.s_q > 0)),
        repU=p.percent(p.d, is_replicated),
        unique=p.count(is_unique),
        replicated=p.count(is_replicated),
        matched=p.count(p.s_q > 0),
    )


class AttributeRow(Row, frozen=True):
    """What the synthetic data disclose about one target."""

    version: str
    copy: Copy
    target: str
    unit: Unit
    Dorig: Annotated[Figure, Percent("keys determine it in the original", "Raab 2024 (8)")]
    Dsyn: Annotated[Figure, Percent("records whose keys determine it there", "synthpop 1.9-3")]
    iS: Annotated[Figure, Percent("matched: keys are in the synthetic data", "Raab 2024 (9)")]
    DiS: Annotated[Figure, Percent("shown a single value, right or wrong", "Raab 2024 (10)")]
    DiSCO: Annotated[
        Figure, Percent("shown a single value, and it is theirs", "Raab 2024 (11)", limited=True)
    ]
    DiSDiO: Annotated[Figure, Percent("DiSCO, determined in the original too", "Raab 2024 (12)")]
    CAPd: Annotated[Figure, Percent("guessed right among originals alike", "Raab 2024 (7)")]
    CAPs: Annotated[Figure, Percent("CAPd of the synthetic data themselves", "synthpop 1.9-3")]
    DCAP: Annotated[
        Figure, Percent("guessed right among their matches", "Raab 2024 (6)", limited=True)
    ]
    TCAP: Annotated[
        Figure,
        Percent("DiSCO of those matched", "Raab 2024 (13)", undefined=NO_MATCH, limited=True),
    ]
    baseCAPd: Annotated[Figure, Percent("guessed right by the shares alone", "Raab 2024 (14)")]
    protection: Annotated[Figure, Percent("Dorig less DiSCO", "Raab 2024, 3.4")]
    max_denom: Annotated[Figure, Number("most people in a cell of DiSCO", "Raab 2024, 3.4")]
    mean_denom: Annotated[
        Figure, Number("people in a cell of DiSCO, on average", "Raab 2024, 3.4", undefined=NO_CELL)
    ]
    max_denom_syn: Annotated[Figure, Number("most synthetic records in such a cell")]
    mean_denom_syn: Annotated[Figure, Number("synthetic records, on average", undefined=NO_CELL)]
    correct: Annotated[Figure, Count("people shown a single value, and it is theirs")]
    wrong: Annotated[Figure, Count("people shown a single value that is not theirs")]
    uncommon: Annotated[Figure, Count("correct, and not the most common value")]
    shares: Annotated[Figure, People("of the values shown, right by the public shares")] = None
    expected: Annotated[
        Figure,
        People("of the values shown, right by a model of other people's records", "",
               "from others"),
    ] = None  # fmt: skip
    beyond: Annotated[Figure, People("correct less expected")] = None
    margin: Annotated[Figure, People("half of the 95 % interval of beyond, chance alone")] = None
    low: Annotated[Figure, People("lower 95 % bound of beyond", "", "at least")] = None
    reach: Annotated[Figure, People("beyond, of an exact copy of the original")] = None
    exceptions: Annotated[
        Figure,
        Count("correct, not the likeliest value by others' records, keys shared"),
    ] = None
    exceptions_expected: Annotated[Figure, People("such people who are right by chance")] = None
    exceptions_margin: Annotated[Figure, People("half of the 95 % interval, chance alone")] = None
    learner: str = ""
    self_test: Annotated[Figure, Share("beyond of each value shown, of strangers")] = None

    def scaled(self, figure: str) -> Figure:
        """A CAP from the baseline (0) to certainty (1): Raab (2024), section 3.3."""
        return excess_ratio(self[figure], self.baseCAPd)


OF_RECORDS = (
    "Dsyn", "CAPd", "CAPs", "DCAP", "TCAP", "baseCAPd",
    "max_denom", "mean_denom", "max_denom_syn", "mean_denom_syn",
)  # fmt: skip
"""Figures that count records, not the people who have them."""


def attribute(p: Profile, side: Side, unit: Unit = "records") -> AttributeRow:
    """Equations 6 to 14, of the profile of one target."""
    disclosed = p.ps_is_1 & (p.d > 0)  # the cells of DiSCO
    n_cells = p.w[disclosed].sum()
    Dorig, DiSCO = p.percent(p.d, p.pd_is_1), p.percent(p.d, p.ps_is_1)
    return AttributeRow(
        version=side.version,
        copy=side.copy,
        target=p.target.name,
        unit=unit,
        Dorig=Dorig,
        Dsyn=p.percent(p.s, p.ps_is_1, of=p.N_s),
        iS=p.percent(p.d, p.s_q > 0),
        DiS=p.percent(p.d, p.is_shown),
        DiSCO=DiSCO,
        DiSDiO=p.percent(p.d, p.ps_is_1 & p.pd_is_1),
        CAPd=_guessed(p.d_right, p.d_q, p.d, p.N_d),
        CAPs=_guessed(p.s_right, p.s_q, p.s, p.N_s),
        DCAP=_guessed(p.s_right, p.s_q, p.d, p.N_d),
        TCAP=p.percent(p.d, p.ps_is_1, of=np.dot(p.n_d, p.s_q > 0)),
        baseCAPd=_mean(100 * p.d_t * p.guess, p.N_d**2),
        protection=None if Dorig is None or DiSCO is None else Dorig - DiSCO,
        max_denom=int(p.d_tq[disclosed].max(initial=0)),
        mean_denom=_mean(p.n_d[disclosed], n_cells),
        max_denom_syn=int(p.s_tq[disclosed].max(initial=0)),
        mean_denom_syn=_mean(p.n_s[disclosed], n_cells),
        correct=p.count(p.ps_is_1),
        wrong=p.count(p.is_shown & ~p.ps_is_1),
        uncommon=p.count(p.ps_is_1 & (p.t != p.d_t.argmax())),
    )


def attribute_of_people(p: PersonProfile, side: Side) -> AttributeRow:
    """Equations 8 to 12 where a person counts once, if one of their records does."""
    row = attribute(p, side, "people")
    return msgspec.structs.replace(row, **dict.fromkeys(OF_RECORDS))


def _mean(values: Ints | Floats, n: int) -> Figure:
    return float(values.sum() / n) if n else None


def _guessed(part: Ints, whole: Ints, counts: Ints, n: int) -> Figure:
    """Of n records the percentage that is guessed right, each at the chance part / whole.

    Whole numbers are summed for each denominator, so no order of cells changes the last digit.
    """
    right = np.bincount(whole, part * counts.astype(np.float64))
    return 100 * float((right[1:] / np.arange(1, len(right))).sum()) / n if n else None


def excess_ratio(measured: Figure, known: Figure) -> Figure:
    """Equation 1: of the people not disclosed by what is known already, the share that is."""
    if measured is None or known is None or known >= 100:
        return None
    return (measured - known) / (100 - known)
