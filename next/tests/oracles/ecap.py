"""ECAP as its definition tells it: drawn, or summed up the slow way, or in sixty digits.

Chapelle and Falissard, section 4. A sample of n: each is x_a with probability 1/N, else somebody of
the population outside x_a's two neighbours. Noise is added to each. Given that some released value
lies nearer to x_a than to either neighbour, how often was x_a sampled?
"""

from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext
from itertools import combinations, product
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


def without_replacement_form(p: float, b: float, N: int, n: int) -> float:
    """n of N people are in the data, others drawn from a distribution; in sixty digits."""
    with localcontext() as context:
        context.prec = 60
        own, other, f = Decimal(p), Decimal(b), Decimal(n) / N
        inside = f * (1 - (1 - own) * (1 - other) ** (n - 1))
        outside = (1 - f) * (1 - (1 - other) ** n)
        return float(inside / (inside + outside))


def enumerated_people(chances: list[float], own: int, n: int, *, replaced: bool) -> float:
    """Every sample of n of these people, each landing where `own` is looked for by its chance."""
    everyone = range(len(chances))
    samples = product(everyone, repeat=n) if replaced else combinations(everyone, n)
    right = claimed = 0.0
    for sample in samples:
        missed = 1.0
        for person in sample:
            missed *= 1 - chances[person]
        claimed += 1 - missed
        right += (1 - missed) if own in sample else 0.0
    return right / claimed


class NoisyColumn:
    """Numbers of a column, one a row, None where missing; its noise as the custodian adds it."""

    def __init__(self, x, sigma, noise="normal", *, step=None, shrinks=False, share=1.0):
        self.x, self.kind, self.step, self.share = x, noise, step, share
        known = [one for one in x if one is not None]
        self.mean = fmean(known)
        variance = fmean((one - self.mean) ** 2 for one in known)
        self.factor = sqrt(variance / (variance + sigma**2)) if shrinks else 1.0
        self.sigma, self.sd = sigma, sigma * self.factor
        self.cdf = NOISE_CDF[noise](self.sd) if sigma else None

    def at(self, x):
        return self.mean + self.factor * (x - self.mean)

    def release(self, x, rng):
        """The number that is published."""
        if x is None:
            return None
        moved = self.at(x) + (draw(self.kind, self.sd, rng) if self.sigma else 0.0)
        return moved if self.step is None else round(moved / self.step) * self.step

    def window(self, x, *, informed=True):
        """From where to where somebody's number is looked for."""
        centre = self.at(x) if informed else x
        if self.step is not None:
            centre = round(centre / self.step) * self.step
            return centre - self.step / 2, centre + self.step / 2
        values = sorted({one for one in self.x if one is not None})
        place, scale = values.index(x), self.share / 2 * (self.factor if informed else 1)
        below = values[place] - values[place - 1] if place else None
        above = values[place + 1] - values[place] if place + 1 < len(values) else None
        if self.share < 1:  # of a sample the ends are not the population's
            below, above = below or above, above or below
        low = -inf if below is None else centre - scale * below
        return low, inf if above is None else centre + scale * above

    def chance(self, other, x, *, informed=True):
        """How often another number lands where x is looked for."""
        if x is None or other is None:
            return float(x is None and other is None)
        low, high = self.window(x, informed=informed)
        at = self.at(other)
        if not self.sigma:
            return float(low < at < high)
        first, last = low - at, high - at
        if first > 0:  # in the lower tail, where the difference loses least
            first, last = -last, -first
        return (1.0 if last == inf else self.cdf(last)) - (
            0.0 if first == -inf else self.cdf(first)
        )


def record_chances(columns, people, row, *, informed=True):
    """The chance of each person (a list of rows) to land where a row is looked for."""
    found = []
    for rows in people:
        missed = 1.0
        for other in rows:
            lands = 1.0
            for column in columns:
                lands *= column.chance(column.x[other], column.x[row], informed=informed)
            missed *= 1 - lands
        found.append(1 - missed)
    return found


def claimed_by_intruder(columns, people, row, n, *, rounds, seed, informed=True):
    """Draw samples, add noise, and count the claims about a row's person, right and in all."""
    rng, own = Random(seed), next(i for i, rows in enumerate(people) if row in rows)
    windows = [
        None if column.x[row] is None else column.window(column.x[row], informed=informed)
        for column in columns
    ]
    right = claimed = 0
    for _ in range(rounds):
        sample = rng.sample(range(len(people)), n)
        released = (
            [column.release(column.x[one], rng) for column in columns]
            for person in sample
            for one in people[person]
        )
        is_near = any(
            all(
                value is None if ends is None else value is not None and ends[0] < value < ends[1]
                for value, ends in zip(values, windows, strict=True)
            )
            for values in released
        )
        claimed += is_near
        right += is_near and own in sample
    return right, claimed
