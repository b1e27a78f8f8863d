"""Is missing a word or a code in one file, and something else in the other?"""

from collections.abc import Iterator

import numpy as np

from unveil.measure.gate.coding_pair import LEAST_RECORDS, SYNTHETIC, CodingPair, CodingProposal
from unveil.measure.gate.columns import ORIGINAL, Mask
from unveil.measure.gate.values import Floats

NOTHING = (
    *("", "-", "--", "---", ".", "..", "?", "*", "#", "/", "na", "n/a", "n.a.", "nan", "null"),
    *("none given", "missing", "unknown", "not stated", "not known", "no answer", "#n/a", "<na>"),
    *("nil", "undefined", "not available", "refused", "n.k.", "nk", "empty", "blank", "(blank)"),
)
CODES = np.array(
    [
        *(-1, -2, -3, -4, -5, -6, -7, -8, -9, -88, -98, -99, -888, -998, -999, -9999, 9, 88, 98),
        *(99, 888, 998, 999, 8888, 9998, 9999, 99999, 999999, 9999999),
    ],
    float,
)
LEAST_MISSING = 0.01
"""A word or a code for missing is asked about from this share of records on."""


def find_missing(pair: CodingPair) -> Iterator[CodingProposal]:
    """A word or a code for missing on one side, and something else in its place on the other."""
    rows = pair.counts.sum(axis=1)
    is_empty = pair.levels.is_null().to_numpy()
    named = is_empty | _is_nothing(pair)
    shares: Floats = np.where(named, pair.counts / np.maximum(rows, 1)[:, None], 0.0)
    less, more = (np.maximum(d, 0) for d in (shares[0] - shares[1], shares[1] - shares[0]))
    gone = named & (pair.counts[SYNTHETIC] == 0) & (shares[0] >= LEAST_MISSING)
    came = named & (pair.counts[ORIGINAL] == 0) & (shares[1] >= LEAST_MISSING)
    # So many that the other file would have some, too.
    gone &= shares[0] * rows.min() >= LEAST_RECORDS
    came &= shares[1] * rows.min() >= LEAST_RECORDS
    lost, found = float(shares[0][gone].sum()), float(shares[1][came].sum())
    is_swapped = (lost and more.sum() >= 0.5 * lost) or (found and less.sum() >= 0.5 * found)
    if not is_swapped:
        return
    # One level stands for missing in either file: that which the other has least of.
    here, there = int(less.argmax()), int(more.argmax())
    to = np.arange(len(pair.levels))
    to[there] = here
    names = ["empty" if is_empty[one] else repr(pair.text[one]) for one in (here, there)]
    yield CodingProposal(
        "missing",
        max(lost, found),
        0.0,
        f"missing is {names[0]} in the original and {names[1]} in the synthetic data",
        synthetic=pair.moved(to),
    )


def _is_nothing(pair: CodingPair) -> Mask:
    """Levels that say missing: a word, or one of the usual codes at the edge of the numbers."""
    text = pair.text.str.strip_chars().str.to_lowercase()
    found: Mask = text.is_in(NOTHING).fill_null(value=False).to_numpy()
    if pair.numbers is not None and not pair.reading.is_date:
        known = np.nan_to_num(pair.numbers)
        found = found | (np.isin(known, CODES) & ((known < 0) | (known == known.max(initial=0.0))))
    return found
