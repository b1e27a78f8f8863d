"""How is a count changed before it is published, and what does the value say of it by itself?"""

from typing import NamedTuple

import numpy as np

from unveil.counts.cells import Floats
from unveil.errors import InputError
from unveil.tables.programme import Programme
from unveil.tables.system import System, Truths

ROUNDING = ("conventional", "random", "controlled", "up", "down")
KINDS = ("exact", *ROUNDING, "noise", "suppress")
WORDS = {"noise": ("zeros",), "suppress": ("zeros", "unknown")}
DRAWN = ("random", "controlled", "noise")


class Scheme(NamedTuple):
    """A scheme and its size: the base of a rounding, the largest noise, where suppression ends.

    The word is "zeros" (noise: 0 stays 0 and nothing becomes 0; suppression: zeros are hidden too)
    or "unknown" (readers do not know the rule of suppression).
    """

    kind: str = "exact"
    size: int = 0
    word: str = ""

    def __str__(self) -> str:
        return ":".join(str(part) for part in self if part)

    @property
    def is_drawn(self) -> bool:
        return self.kind in DRAWN

    @property
    def may_be_hidden(self) -> bool:
        """Whether it publishes counts as they are, so that one of them can be hidden."""
        return self.kind in ("exact", "suppress")


def parse_scheme(text: str) -> Scheme:
    """``conventional:5``, ``suppress:5:zeros``."""
    kind, *rest = text.strip().lower().split(":")
    word = rest[1] if len(rest) > 1 else ""
    if kind not in KINDS or len(rest) > 2 or (word and word not in WORDS.get(kind, ())):
        raise InputError(
            f"There is no scheme {text!r} (publish). Write exact, none, or one of"
            f" {', '.join(KINDS[1:])} with a number: suppress:5."
        )
    if kind == "exact" and not rest:
        return Scheme()
    least = 1 if kind == "noise" else 2
    if not rest or not rest[0].isdecimal() or not least <= int(rest[0]) <= 10**6:
        raise InputError(f"The scheme {text!r} (publish) takes a number: {kind}:5.")
    return Scheme(kind, int(rest[0]), word)


def draw(counts: Floats, scheme: Scheme, rng: np.random.Generator) -> Floats:
    """The values that a scheme publishes; NaN where one is hidden. See also `round_together`."""
    kind, size, word = scheme
    if kind == "noise":
        noise = rng.integers(-size, size + 1, counts.shape)
        if word == "zeros":
            return np.where(counts > 0, np.maximum(1.0, counts + noise), 0.0)
        return np.maximum(0.0, counts + noise)
    if kind == "suppress":
        return np.where((counts < size) & ((counts > 0) | (word == "zeros")), np.nan, counts)
    if kind == "random":
        return size * np.floor(counts / size + rng.random(counts.shape))
    if kind == "exact":
        return counts
    shift = {"conventional": size // 2, "up": size - 1, "down": 0}[kind]
    return size * ((counts + shift) // size)


def round_together(system: System, base: int, rng: np.random.Generator) -> Floats:
    """Controlled rounding of the true figures: each to a neighbouring multiple, and all add up.

    A vertex of the system in units of the base, by a random objective that draws each figure up as
    its remainder is large (after Cox and Ernst 1982).
    """
    assert system.truth is not None
    units = system.truth / base
    rounding = Programme(system.within(np.floor(units), np.ceil(units)))
    share = (units - np.floor(units))[rounding.index]
    figures = rounding.most(share - rng.random(len(share))).figures
    if figures is None:
        raise InputError(
            "These tables have no controlled rounding that adds up. Choose random rounding"
            " (publish), or publish fewer margins."
        )
    rounded = np.floor(units)
    rounded[rounding.index] = figures
    return base * rounded


def intervals(values: Floats, scheme: Scheme, truth: Floats | None = None) -> tuple[Floats, Floats]:
    """Trivial bounds: what each value says by itself (Smith and Elliot 2008, section 2.2).

    Readers know the rule of suppression. A hidden count of k or more protects others: with the
    true counts it is known which these are, and readers are taken to know; without them a hidden
    count has no upper bound.
    """
    kind, size, word = scheme
    is_hidden: Truths = np.isnan(values)
    below, above = {
        "conventional": (size // 2, (size - 1) // 2), "random": (size - 1, size - 1),
        "controlled": (size - 1, size - 1), "up": (size - 1, 0), "down": (0, size - 1),
        "noise": (size, size),
    }.get(kind, (0, 0))  # fmt: skip
    lower, upper = np.maximum(values - below, 0.0), values + above
    if kind == "noise" and word:
        lower = np.where(values > 0, np.maximum(lower, 1.0), 0.0)
        upper = np.where(values > 0, upper, 0.0)
    lower, upper = np.where(is_hidden, 0.0, lower), np.where(is_hidden, np.inf, upper)
    if kind != "suppress" or word == "unknown":
        return lower, upper
    least = 0.0 if word == "zeros" else 1.0
    if truth is None:
        return np.where(is_hidden, least, lower), upper
    is_small = is_hidden & (truth < size)
    if (truth[is_small] == 0).any():
        least = 0.0
    lower = np.where(is_hidden, np.where(is_small, least, size), lower)
    return lower, np.where(is_small, size - 1.0, upper)


def is_possible(values: Floats, scheme: Scheme) -> bool:
    """Whether the scheme ever publishes these values."""
    shown = values[~np.isnan(values)]
    is_rounded = scheme.kind not in ROUNDING or not (shown % scheme.size).any()
    return bool(is_rounded and (shown >= 0).all() and not (shown % 1).any())
