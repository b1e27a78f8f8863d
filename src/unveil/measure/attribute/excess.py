"""R: how much of a figure is more than general knowledge would give?

Raab (2024), section 5, equation 1, after Giomi et al. (2023).
"""


def excess_ratio(measured: float | None, known: float | None) -> float | None:
    """The share of those not given away by what is known already who are given away all the same.

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
