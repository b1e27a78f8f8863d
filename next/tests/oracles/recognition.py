"""Recognition of single people from the definitions: exact fractions, one pair or record at a time.

AUC over all pairs; DeLong's error; max-T over every permutation of the coins; Clopper and Pearson
by exact binomial sums; the resampling and Laplace releases of which the best attack is known.
"""

import math
from fractions import Fraction
from itertools import combinations, permutations, product


def auc(members, others):
    """The chance that one of the first is above one of the others; ties are half."""
    wins = sum(Fraction(a > b) + Fraction(a == b, 2) for a in members for b in others)
    return wins / (len(members) * len(others))


def auc_variance(members, others):
    """DeLong's: the variances of how often each one wins, over how many there are."""

    def variance(values):
        mean = sum(values) / len(values)
        return sum((value - mean) ** 2 for value in values) / (len(values) - 1)

    wins = [[Fraction(a > b) + Fraction(a == b, 2) for b in others] for a in members]
    of_members = [sum(row) / len(row) for row in wins]
    of_others = [sum(column) / len(column) for column in zip(*wins, strict=True)]
    return variance(of_members) / len(members) + variance(of_others) / len(others)


def rank_sum_z(scores, coins):
    """The rank sum of worlds with the person, less its mean, by its standard deviation; squared."""
    n, n1 = len(scores), sum(coins)
    u = sum(
        Fraction(scores[i] > scores[j]) + Fraction(scores[i] == scores[j], 2)
        for i in range(n)
        for j in range(n)
        if coins[i] and not coins[j]
    )
    centred = u - Fraction(n1 * (n - n1), 2)
    return float(centred) / math.sqrt(n1 * (n - n1) * (n + 1) / 12)


def max_t(scores, coins):
    """The share of all permutations of everybody's coins whose highest z is as high as a person's.

    `scores` and `coins` are a list for each person.
    """
    seen = [rank_sum_z(s, c) for s, c in zip(scores, coins, strict=True)]
    ways = [sorted(set(permutations(c))) for c in coins]
    highest = [
        max(rank_sum_z(s, c) for s, c in zip(scores, chosen, strict=True))
        for chosen in product(*ways)
    ]
    return [sum(one >= z - 1e-9 for one in highest) / len(highest) for z in seen]


def binomial_tail(k, n, p):
    """The chance of k or more successes."""
    return sum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))


def clopper_pearson(k, n, alpha, steps=60):
    """The two limits, each at alpha by itself: where the tail of what was seen has that chance."""

    def solve(is_below):
        low, high = 0.0, 1.0
        for _ in range(steps):
            middle = (low + high) / 2
            low, high = (middle, high) if is_below(middle) else (low, middle)
        return low

    lower = 0.0 if k == 0 else solve(lambda p: binomial_tail(k, n, p) < alpha)
    upper = 1.0 if k == n else solve(lambda p: 1 - binomial_tail(k + 1, n, p) > alpha)
    return lower, upper


def epsilon_bound(hits, n1, alarms, n0, alpha):
    """ln(lowest hit rate / highest false alarm rate), each at half of alpha; at least 0."""
    low = clopper_pearson(hits, n1, alpha / 2)[0]
    high = clopper_pearson(alarms, n0, alpha / 2)[1]
    return max(0.0, math.log(low / high)) if low > 0 else 0.0


def hit_rate(members, others, rate):
    """Members above the score that at most this share of the others is above."""
    order = sorted(others, reverse=True)
    cut = order[math.floor(rate * len(others))]
    return Fraction(sum(one > cut for one in members), len(members))


def counts(person, rows, agree, largest=3):
    """Rows that agree with the person in every set of up to three columns, and in m or more."""
    p = len(person)
    same = [[agree(j, person[j], row[j]) for j in range(p)] for row in rows]
    sets = [one for size in range(1, largest + 1) for one in combinations(range(p), size)]
    of_sets = [sum(all(row[j] for j in one) for row in same) for one in sets]
    return of_sets + [sum(sum(row) >= m for row in same) for m in range(max(1, p - 5), p + 1)]


def resampling_auc(n):
    """Rows drawn with replacement: a person like no one else is seen, or it is a toss."""
    return 0.5 + (1 - (1 - 1 / n) ** n) / 2


def laplace_auc(epsilon):
    """One count with Laplace noise of scale 1 / epsilon: P(1 + L1 > L2)."""
    return 1 - math.exp(-epsilon) * (2 + epsilon) / 4
