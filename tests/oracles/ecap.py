"""ECAP as its definition tells it: drawn, or summed up the slow way, or in sixty digits.

Chapelle and Falissard, section 4. A sample of n: each is x_a with probability 1/N, else somebody of
the population outside x_a's two neighbours. Noise is added to each. Given that some released value
lies nearer to x_a than to either neighbour, how often was x_a sampled?
"""

from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from itertools import combinations
from math import exp, inf, pi, sqrt
from random import Random
from statistics import NormalDist, fmean, stdev

Cdf = Callable[[float], float]


def printed_form(p: float, b: float, N: int, n: int) -> float:
    """Equation 1 as it is printed, in sixty digits."""
    with localcontext() as context:
        context.prec = 60
        own, other = Decimal(p), Decimal(b)
        one = Decimal(1)
        stays_out = one - (own / N + (one - one / N) * other)
        above = (one - one / N) ** n - (stays_out - (one - own) / N) ** n
        return float(one - above / (one - stays_out**n))


def normal_cdf(sigma: float) -> Cdf:
    return NormalDist(0, sigma).cdf


def laplace_cdf(sigma: float) -> Cdf:
    scale = sigma / sqrt(2)
    return lambda x: exp(x / scale) / 2 if x < 0 else 1 - exp(-x / scale) / 2


def uniform_cdf(sigma: float) -> Cdf:
    reach = sqrt(3) * sigma
    return lambda x: min(max((x + reach) / (2 * reach), 0.0), 1.0)


NOISE_CDF = {"normal": normal_cdf, "laplace": laplace_cdf, "uniform": uniform_cdf}


def draw(kind: str, sigma: float, rng: Random) -> float:
    if kind == "normal":
        return rng.gauss(0, sigma)
    if kind == "uniform":
        return rng.uniform(-sqrt(3) * sigma, sqrt(3) * sigma)
    return rng.expovariate(sqrt(2) / sigma) * rng.choice((-1, 1))


def own_chance(x: float, below: float, above: float, cdf: Cdf) -> float:
    """P(B in I2)."""
    return cdf((above - x) / 2) - cdf((below - x) / 2)


def others_chance(
    x: float,
    below: float,
    above: float,
    *,
    density: Cdf,
    ends: tuple[float, float],
    cdf: Cdf,
    n: int = 40_000,
) -> float:
    """P(Y + B in I1) with Y outside [below, above], by many thin slices of the population."""
    low, high = (x + below) / 2, (x + above) / 2
    hit = mass = 0.0
    for start, end in ((ends[0], below), (above, ends[1])):
        width = (end - start) / n
        for i in range(n):
            y = start + (i + 0.5) * width
            weight = density(y) * width
            mass += weight
            hit += weight * (cdf(high - y) - cdf(low - y))
    return hit / mass


def normal_density(mean: float, sd: float) -> Cdf:
    return lambda y: exp(-(((y - mean) / sd) ** 2) / 2) / (sd * sqrt(2 * pi))


def drawn_neighbours(
    x: float, someone: Callable[[Random], float], N: int, rounds: int, seed: int
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean and its standard error of the neighbour below and above, over drawn populations."""
    rng = Random(seed)
    below, above = [], []
    for _ in range(rounds):
        low, high = -inf, inf
        for _ in range(N - 1):
            y = someone(rng)
            if y <= x:
                low = max(low, y)
            else:
                high = min(high, y)
        if low > -inf:
            below.append(low)
        if high < inf:
            above.append(high)
    return tuple((fmean(side), stdev(side) / sqrt(len(side))) for side in (below, above))


def drawn_ecap(
    x: float,
    neighbours: tuple[float, float],
    *,
    someone: Callable[[Random], float],
    noise: Callable[[Random], float],
    sizes: tuple[int, int],
    rounds: int,
    seed: int,
) -> tuple[int, int]:
    """How often x was sampled, of the draws in which a released value lies next to it."""
    (below, above), (N, n) = neighbours, sizes
    low, high = (x + below) / 2, (x + above) / 2
    rng = Random(seed)
    right = claimed = 0
    for _ in range(rounds):
        is_in = is_near = False
        for _ in range(n):
            if rng.random() < 1 / N:
                is_in, value = True, x
            else:
                value = someone(rng)
                while below <= value <= above:
                    value = someone(rng)
            is_near = is_near or low <= value + noise(rng) <= high
        claimed += is_near
        right += is_near and is_in
    return right, claimed


def discrete(
    pmf: Mapping[int, float], N: int, n: int, noise: Mapping[int, float]
) -> dict[int, float | None]:
    """ECAP of whole numbers: all pairs of a person's number and a step of the noise."""
    found = {}
    for x in pmf:
        b = sum(share * k for v, share in pmf.items() for step, k in noise.items() if v + step == x)
        p = noise.get(0, 0.0)
        found[x] = printed_form(p, min(b, 1.0), N, n) if p or b else None
    return found


def enumerated_ecap(places: list[int], own: int, noise: Mapping[int, float], n: int) -> float:
    """Without replacement, by every sample of n of a small population and every noise of theirs.

    People stand at whole places; given that some released place is that of person `own`, how often
    is that person among the n?
    """
    there = [  # with which chance each person lands there
        sum(k for step, k in noise.items() if at + step == places[own]) for at in places
    ]
    right = claimed = 0.0
    for sample in combinations(range(len(places)), n):
        missed = 1.0
        for person in sample:
            missed *= 1 - there[person]
        claimed += 1 - missed
        right += (1 - missed) if own in sample else 0.0
    return right / claimed
