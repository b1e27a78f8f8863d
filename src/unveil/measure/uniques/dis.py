"""DIS: if one record fits a person, is it theirs?

Data intrusion simulation, Elliot (2000), Skinner and Elliot (2002): take a record out of a sample,
put it back with the chance of being sampled, and see whether a unique match is a right one. With
SUDA scores the risk of the file is spread over its records, the most special first.
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

MOST_KEYS = 27
"""Of more keys Q is 0 or negative, and DIS would fall where the score rises."""


def dis_file(n_uniques: int, n_in_pairs: int, fraction: float) -> float | None:
    """The probability that a record alone with its keys is the person one takes it for.

    Notes
    -----
    DIS = U f / (U f + P (1 - f)), where U records are alone with their keys, P lie in pairs, and
    the data are a share f of the population. Larger groups do not count. 1 where nobody lies in a
    pair, 0 where nobody is alone, undefined where there is neither.

    References
    ----------
    Elliot (2000); Skinner and Elliot (2002).
    """
    if not n_uniques:
        return 0.0 if n_in_pairs else None
    found = n_uniques * fraction
    return found / (found + n_in_pairs * (1 - fraction))


def dis_records(scores: Floats, n_keys: int, n_in_pairs: int, fraction: float) -> Floats | None:
    """The same probability for each record, spread by the SUDA scores (all above 0).

    None where there are more than 27 keys.

    Notes
    -----
    DIS_r = 1 / (1 + P (1 - f) / (f score_r^Q A)) with Q = 1 + (8 - K) / 20 and A the sum of
    score^-Q over all records with a score. U is not in it, so it does not matter how many have a
    score of 0; nor does the unit of the scores. Q is 0 for 28 keys, so that all records would have
    the same risk, and negative beyond, so that the most special would have the lowest: there the
    formula is not applied. Erratum: sdcMicro 5.8.1 counts U wrongly where uniques share a bucket
    of its hash table, and returns NaN where all of them do.

    References
    ----------
    sdcMicro `suda2`, after Elliot, Manning, Mayes, Gurd and Bane (2005).
    """
    if n_keys > MOST_KEYS:
        return None
    if not len(scores):
        return np.zeros(0)
    Q = 1 + (8 - n_keys) / 20
    relative = (scores / scores.max()) ** Q  # the unit cancels, and so cannot overflow
    A = (1 / relative).sum()
    spread: Floats = 1 / (1 + n_in_pairs * (1 - fraction) / (fraction * relative * A))
    return spread
