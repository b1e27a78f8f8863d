"""When a sum of contributions is unsafe: the rules as the Handbook on SDC (4.2) has them, in words.

Each rule by itself, on the contributions of one sum.
"""

from collections import Counter
from collections.abc import Iterable, Mapping


def contributions(records: Iterable[tuple[object, float]]) -> list[float]:
    """What each unit gives in all its records, the largest first; who gives nothing is nobody."""
    total: Counter[object] = Counter()
    for unit, amount in records:
        total[unit] += amount
    return sorted((amount for amount in total.values() if amount > 0), reverse=True)


def judge(x: list[float], rule: Mapping[str, float]) -> tuple[bool, float]:
    """Whether the sum is unsafe, and how far above it readers must be left."""
    if not x:
        return False, 0.0
    total, unsafe, level = sum(x), len(x) < rule.get("least", 3), 0.0
    if "p" in rule:
        # The second largest knows its own share, and so an upper bound of the largest.
        others = total - x[0] - (x[1] if len(x) > 1 else 0)
        short = rule["p"] / 100 * x[0] - others
        unsafe, level = unsafe or short > 0, max(level, short)
    if "n" in rule:
        top = sum(x[: int(rule["n"])])
        short = top / (rule["k"] / 100) - total
        unsafe, level = unsafe or short > 0, max(level, short)
    return unsafe, level if unsafe else 0.0
