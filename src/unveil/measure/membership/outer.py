"""How often does somebody else's value land where that of one person would be looked for?

b = P(Y + B in I1), with Y of the population outside the person's two neighbours, B the noise, and
I1 from halfway to the neighbour below to halfway to the one above (004, Equation 1). It is summed
over the two outer pieces of the population, each by Gauss and Legendre on short panels: nothing is
subtracted, so that no digit is lost where b is tiny.
"""

from dataclasses import dataclass, replace

import numpy as np

from unveil.measure.membership.neighbours import Gaps
from unveil.measure.membership.noises import Noise
from unveil.measure.membership.shapes import Floats, Mirror, Shape

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)
_NODES, _WEIGHTS = (_NODES + 1) / 2, _WEIGHTS / 2
_GRADES: Floats = np.linspace(0, 1, 11) ** 2  # panels are shortest where the noise is
_MOST_POINTS = 4_000_000  # at which density and noise are computed at once
_MOST_GROWTH = 700.0
_RATIO = 3.0
_THIRDS: Floats = _RATIO ** -np.arange(17.0)
_NO_DISTANCE = 1e-15  # of the end: what is left where two equal numbers were subtracted


def others(shape: Shape, noise: Noise, z: Floats, gaps: Gaps, sigma: float) -> Floats:
    """The b of each value, everything in the units of the shape."""
    below, above = z - gaps.below, z + gaps.above
    width = (gaps.below + gaps.above) / 2 / sigma
    pieces = (
        _Piece(shape, noise, sigma, below, gaps.below / 2 / sigma, width),
        _Piece(Mirror(shape), noise, sigma, -above, gaps.above / 2 / sigma, width),
    )
    mass = sum((piece.mass() for piece in pieces), np.zeros_like(z))
    outside = shape.cdf(below) + shape.sf(above)
    found = np.divide(mass, outside, out=np.zeros_like(mass), where=outside > 0)
    return np.minimum(found, 1.0)


@dataclass(frozen=True)
class _Piece:
    """The population below `end`; at end - t sigma the noise must be from a + t to a + t + w."""

    shape: Shape
    noise: Noise
    sigma: float
    end: Floats
    a: Floats  # in standard deviations of the noise, as w and t
    w: Floats

    def mass(self) -> Floats:
        """How much of the population lands in I1, in blocks that bound memory."""
        found = np.zeros_like(self.end)
        knots = self.shape.knots()
        peak = float(np.log(max(self.shape.pdf(knots).max(), np.finfo(float).tiny)))
        if self.shape.begins_at_zero:
            peak = min(peak, -float(np.log(self.sigma)))  # a pole is high, but has little mass
        n_panels = (len(knots) + len(_GRADES)) * (len(_THIRDS) if self.shape.begins_at_zero else 1)
        size = max(_MOST_POINTS // (n_panels * len(_NODES)), 1)
        for first in range(0, len(self.end), size):
            part = slice(first, first + size)
            block = replace(self, end=self.end[part], a=self.a[part], w=self.w[part])
            found[part] = block.summed(block.edges(knots, peak))
        return found

    def edges(self, knots: Floats, peak: float) -> Floats:
        """Where panels begin and end, one row a value."""
        with np.errstate(divide="ignore"):
            growth = np.clip(peak - np.log(self.shape.pdf(self.end)), 0.0, _MOST_GROWTH)
        reach = self.noise.reach(self.a, growth)[:, None]
        of_shape = (self.end[:, None] - knots) / self.sigma
        all_of_them = [reach * _GRADES, self.noise.kinks(self.a, self.w), of_shape]
        return np.sort(np.clip(np.concatenate(all_of_them, axis=1), 0.0, reach), axis=1)

    def summed(self, edges: Floats) -> Floats:
        """Gauss and Legendre on every panel that is no point."""
        row, panel = np.nonzero(np.diff(edges, axis=1) > 0)
        first, last = edges[row, panel], edges[row, panel + 1]
        if not self.shape.begins_at_zero:
            return self._gathered(row, self._gauss(row, first, last))
        near, far = self._from_zero(row, first, last)
        is_steep = near < far / _RATIO
        masses = np.zeros(len(row))
        plain, steep = np.nonzero(~is_steep & (far > 0))[0], np.nonzero(is_steep)[0]
        masses[plain] = self._gauss(row[plain], first[plain], last[plain])
        masses[steep] = self._graded(row[steep], near[steep], far[steep])
        return self._gathered(row, masses)

    def _gathered(self, row: np.ndarray, masses: Floats) -> Floats:
        return np.bincount(row, masses, len(self.end)).astype(np.float64)

    def _gauss(self, row: np.ndarray, first: Floats, last: Floats) -> Floats:
        length = last - first
        t = first[:, None] + length[:, None] * _NODES
        density = self.shape.pdf(self.end[row, None] - self.sigma * t)
        return np.asarray(((density * self._kernel(row, t)) @ _WEIGHTS) * length * self.sigma)

    def _kernel(self, row: np.ndarray, t: Floats) -> Floats:
        width = np.broadcast_to(self.w[row, None], t.shape)
        return self.noise.beyond(self.a[row, None] + t, width)

    @property
    def _sign(self) -> float:
        return -1.0 if isinstance(self.shape, Mirror) else 1.0

    def _from_zero(self, row: np.ndarray, first: Floats, last: Floats) -> tuple[Floats, Floats]:
        """How far the nearer and the farther end of each panel are from where the shape begins."""
        ends = self.end[row] - self.sigma * first, self.end[row] - self.sigma * last
        lengths = [np.maximum(self._sign * one, 0.0) for one in ends]
        least = _NO_DISTANCE * np.abs(self.end[row])
        near, far = (
            np.where(one < least, 0.0, one) for one in (np.minimum(*lengths), np.maximum(*lengths))
        )
        return near, far

    def _graded(self, row: np.ndarray, near: Floats, far: Floats) -> Floats:
        """Panels towards a pole, each a third as far from it, and the rest by its mass.

        Over the rest the noise is as good as constant, while the density may be without bound.
        """
        edges = np.maximum(far[:, None] * _THIRDS, near[:, None])
        lengths = edges[:, :-1] - edges[:, 1:]
        n_points = lengths.shape[1] * len(_NODES)
        y = (edges[:, 1:, None] + lengths[..., None] * _NODES).reshape(len(row), n_points)
        weights = (lengths[..., None] * _WEIGHTS).reshape(len(row), n_points)
        kernel = self._kernel(row, self._at(row, y))
        masses = (self.shape.pdf(self._sign * y) * kernel * weights).sum(axis=1)
        base = self.shape.of if isinstance(self.shape, Mirror) else self.shape
        at_rest = self._kernel(row, self._at(row, (near + edges[:, -1])[:, None] / 2))[:, 0]
        return np.asarray(masses + at_rest * (base.cdf(edges[:, -1]) - base.cdf(near)))

    def _at(self, row: np.ndarray, y: Floats) -> Floats:
        """The t of places at a distance y from where the shape begins."""
        return np.maximum((self.end[row, None] - self._sign * y) / self.sigma, 0.0)
