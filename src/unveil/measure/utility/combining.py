"""From the estimates of m copies to one: what would the original say, and what the population?

Raab, Nowok and Dibben (2016), "Practical data synthesis for large samples", Journal of Privacy and
Confidentiality 7(3), and Reiter (2003) where some columns were not synthesised; n are the records
of the original, k those of a copy.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Synthesis = Literal["simple", "proper", "incomplete"]
RULES: dict[Synthesis, str] = {
    "simple": "T_s = v k/n (1 + n/(k m)), Raab, Nowok and Dibben 2016",
    "proper": "T_p = v k/n (1 + (n/k + 1)/m), Raab, Nowok and Dibben 2016",
    "incomplete": "T = b/m + v k/n, Reiter 2003",
}
SYNTHESES: tuple[Synthesis, ...] = get_args(Synthesis)


@dataclass(frozen=True)
class Combined:
    """The mean estimate; its error as one of the original's, and as one of the population's.

    `population_se` is None where the rule needs more than one copy; `df` are the degrees of
    freedom of Student's t for it, None where the normal distribution serves.
    """

    estimate: float
    se: float
    population_se: float | None
    df: float | None = None


def combined(
    estimates: Sequence[float],
    errors: Sequence[float],
    sizes: Sequence[int],
    n: int,
    synthesis: Synthesis,
) -> Combined:
    """Combine the estimates and standard errors of copies with k records each.

    Notes
    -----
    With v the mean of the copies' variances, v k/n is what the original's variance is expected to
    be: its root is `se`, for comparisons with the original's own estimate Q-hat. The variance of
    the mean as an estimate of the population is T:

    - simple (models fitted once): v k/n (1 + n/(k m)) = v (k/n + 1/m);
    - proper (parameters drawn too): v k/n (1 + (n/k + 1)/m) = v (k/n + (1 + k/n)/m);
    - incomplete (some columns are the original's): b/m + v k/n, with b the variance of the
      estimates between copies; m must be at least 2. Student's t then has
      (m - 1) (1 + v k/n / (b/m))^2 degrees of freedom.

    Where copies differ in size, v k is the mean of the products and k the mean size.
    """
    m = len(estimates)
    k = sum(sizes) / m
    estimate = sum(one / m for one in estimates)
    apart = [one - estimate for one in estimates]
    unit = max(*errors, *map(abs, apart)) or 1.0  # so that no square is too large to hold
    within = sum((se / unit) ** 2 * size for se, size in zip(errors, sizes, strict=True)) / m / n
    se = unit * math.sqrt(within)
    if synthesis == "incomplete":
        if m == 1:
            return Combined(estimate, se, None)
        between = sum((one / unit) ** 2 for one in apart) / (m - 1) / m
        # With very many degrees of freedom Student's t is the normal distribution.
        df = (m - 1) * (1 + within / between) ** 2 if between > 1e-6 * within else None
        return Combined(estimate, se, unit * math.sqrt(between + within), df)
    more = n / k if synthesis == "simple" else n / k + 1
    return Combined(estimate, se, se * math.sqrt(1 + more / m))
