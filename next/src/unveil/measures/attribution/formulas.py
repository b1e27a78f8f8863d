"""CAP, TCAP and the line through copies: Taub et al. (2018), and the note on TCAP.

Errata. (4) writes the same n for both files; each has its own. (6) conditions on the key of the
synthetic record; it is the person's. Table 2 repeats the CART numbers for parametric model 1 (the
printed means give 0.3193 + 0.01087 m), Table 3 model 2 for CART model 5 (0.3155 - 0.00015 m).
"""

from collections.abc import Sequence
from math import sqrt
from typing import Annotated, Any, Literal

import numpy as np

from unveil.counts.cells import Floats
from unveil.counts.profile import CellProfile
from unveil.measures.attribution.people import Scored, mean_of_cells, ratios
from unveil.measures.disclosure.formulas import Unit
from unveil.results import Count, Figure, Number, Row, Share

NonMatch = Literal["zero", "undefined"]
"""What a person counts whose keys are in no synthetic record: a wrong guess, or nothing."""

ROUNDING = 1e-14  # points that are so near to a line lie on it
NOBODY, NO_MATCH = "nobody in the group", "nobody matched"
NO_SHARE = "nobody in the group, or no share of it in the table"


class CapRow(Row, frozen=True):
    """Correct attribution of one target, with copies 1 to m pooled."""

    version: str
    keys: tuple[str, ...]
    target: str
    unit: Unit
    group: str
    m: int
    people: Annotated[Figure, Count("people of the group")]
    matched: Annotated[Figure, Count("people whose keys are in the synthetic data")]
    cap_original: Annotated[
        Figure, Share("a draw among originals alike is right", "Taub 2018 (3)", "original", NOBODY)
    ]
    cap_baseline: Annotated[
        Figure,
        Share("a guess by the shares alone is right", "Taub 2018 (5)", "shares alone", NO_SHARE),
    ]
    cap_synthetic_zero: Annotated[
        Figure,
        Share("a draw among synthetic records alike is right, never without a match",
              "Taub 2018 (4), (6)", "a draw", NOBODY),
    ]  # fmt: skip
    cap_synthetic_undefined: Annotated[
        Figure,
        Share("the same, of those matched", "Taub 2018, 3.3", "if matched", NO_MATCH),
    ]


def cap_figures(p: CellProfile, baseline: Floats | None, scored: Scored) -> dict[str, Any]:
    """Equations 3 to 6, of some people; a profile of numbers within a tolerance has them near."""
    synthetic = ratios(p.s_right, p.s_q)
    return {
        "people": scored.count(p.d_q > 0),
        "matched": scored.count(p.s_q > 0),
        "cap_original": scored.mean(ratios(p.d_right, p.d_q)),
        "cap_baseline": None if baseline is None else scored.mean(baseline[p.t]),
        "cap_synthetic_zero": scored.mean(np.nan_to_num(synthetic)),
        "cap_synthetic_undefined": scored.mean(synthetic),
    }


class TcapRow(Row, frozen=True):
    """Synthetic records that are certain of their target, held against the original."""

    version: str
    keys: tuple[str, ...]
    target: str
    m: int
    tau: Annotated[float, Share("least WEAP: synthetic records with their keys and target")]
    selected: Annotated[Figure, Count("synthetic records with this WEAP", "Taub and Elliot")]
    undefined: Annotated[Figure, Count("of them, with keys that nobody has")]
    tcap: Annotated[
        Figure,
        Share("of the people with their keys, the part that has their target", "Taub and Elliot",
              undefined="no such record with keys that somebody has"),
    ]  # fmt: skip
    tcap_baseline: Annotated[Figure, Share("of all people, the part that has it", "", "baseline")]


def tcap_figures(p: CellProfile, baseline: Floats | None, tau: float) -> dict[str, Any]:
    """The mean of TCAP over synthetic records with WEAP of at least tau whose keys somebody has."""
    weap = ratios(p.s_tq, p.s_q)
    selected = p.n_s * (weap >= tau)
    known = selected * (p.d_q > 0)
    return {
        "selected": int(selected.sum()),
        "undefined": int((selected - known).sum()),
        "tcap": mean_of_cells(ratios(p.d_tq, p.d_q), known),
        "tcap_baseline": None if baseline is None else mean_of_cells(baseline[p.t], known),
    }


class TrendRow(Row, frozen=True):
    """The line through CAP at m = 1 to M pooled copies: ordinary least squares."""

    version: str
    keys: tuple[str, ...]
    target: str
    unit: Unit
    group: str
    nonmatch: NonMatch
    points: int
    intercept: Annotated[Figure, Number("CAP at m = 0", "Taub 2018, Tables 2 and 3")]
    slope: Annotated[Figure, Number("more CAP for each copy more", "Taub 2018, Tables 2 and 3")]
    se_slope: Annotated[Figure, Number("standard error; pools are nested, so it is a guide")]
    t: Annotated[Figure, Number("slope / se_slope")]
    p: Annotated[Figure, Share("of a slope as far from 0 by chance, M - 2 degrees of freedom")]


def line_through(points: Sequence[tuple[int, float]]) -> dict[str, Any]:
    """Two points have no standard error; of points on a line there is nothing to test."""
    n = len(points)
    line: dict[str, Any] = dict.fromkeys(("intercept", "slope", "se_slope", "t", "p"))
    line["points"] = n
    if n < 2:
        return line
    m, cap = np.array(points, float).T
    line["slope"], line["intercept"] = slope, intercept = np.polyfit(m, cap, 1).tolist()
    rest = cap - intercept - slope * m
    if n > 2:
        is_on_it = abs(rest).max() <= ROUNDING * abs(cap).max()
        se = 0.0 if is_on_it else float(rest.std() / m.std() / sqrt(n - 2))
        line["se_slope"] = se
        if se:
            line |= {"t": slope / se, "p": two_sided_p(slope / se, n - 2)}
    return line


def two_sided_p(t: float, df: float) -> float:
    """The chance of a t as far from 0."""
    from scipy.special import stdtr

    return float(2 * stdtr(df, -abs(t)))
