"""Confidence intervals of an estimate, and how far two of them cover each other."""

Interval = tuple[float, float]


def interval(estimate: float, se: float, level: float, df: float | None = None) -> Interval:
    """Estimate -/+ quantile x standard error: of Student's t with `df`, or normal without."""
    from scipy.special import ndtri, stdtrit

    upper = (1 + level) / 2
    reach = float(ndtri(upper) if df is None else stdtrit(df, upper)) * se
    return estimate - reach, estimate + reach


def overlap(one: Interval, two: Interval) -> float | None:
    """The mean share of two intervals that lies in the other; None where one has no length.

    Notes
    -----
    With U and L the smaller upper and the larger lower end, 1/2 ((U - L) / (u1 - l1) +
    (U - L) / (u2 - l2)). 1 for the same interval, 0 where they touch, negative where they are
    apart: the farther, the lower, without an end.

    References
    ----------
    Karr and others (2006), whose overlap is 0 where the intervals are apart; synthpop
    lets it be negative, and so do we.
    """
    lengths = [end - start for start, end in (one, two)]
    if min(lengths) <= 0:
        return None
    shared = min(one[1], two[1]) - max(one[0], two[0])
    return sum(shared / length for length in lengths) / 2


def ratio_of_counts(one: float, two: float) -> float:
    """The smaller count over the larger: 1 where they are the same, also where both are 0.

    References
    ----------
    Taub, Elliot and Sakshaug (2017), the ratio of counts of the Purdam and Elliot method.
    """
    return 1.0 if one == two else min(one, two) / max(one, two)
