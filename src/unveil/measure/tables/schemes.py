"""How is a count changed before it is published, and what does the published value say about it?

Trivial bounds are what one published value says by itself: Smith and Elliot 2008, section 2.2.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from unveil.arguments import quote_value
from unveil.errors import SettingsError, hint_at, list_names
from unveil.measure.tables.ptable import Ptable, ptable, read_ptable

MULTIPLES = ("conventional", "random", "controlled", "up", "down")
"""Schemes that publish multiples of a base."""
SIZED = (*MULTIPLES, "noise", "cellkey", "suppress")
UNSIZED = ("exact", "interval")
KINDS = (*UNSIZED, *SIZED)
NOT_PUBLISHED = "none"
CHANCE = ("random", "controlled", "noise", "cellkey")
"""Schemes that draw: the same count may be published as one value or another."""

WORDS = ("interval", "zeros", "unknown")
LARGEST_SIZE = 10**9
_NUMBERS = re.compile(r"\d{1,3}:\d{1,5}(\.\d{1,9})?(:\d{1,3})?", re.ASCII)
_FILES = (".csv", ".tsv", ".parquet", ".xlsx")
EXAMPLES = "conventional:5, random:3, controlled:3, up:5, down:5, noise:2, cellkey:3:2, suppress:5"

Bounds = tuple[int, int | None]
Published = int | tuple[int, int | None] | None
"""A value, an interval, or nothing: suppressed."""


@dataclass(frozen=True)
class Scheme:
    """How counts are published; `size` is the base, the largest noise, or the threshold."""

    kind: str
    size: int = 0
    interval: bool = False
    """Of a suppressed cell: whether it is said that its count is from 1 to the threshold less 1."""
    zeros: bool = False
    """Of noise: 0 stays 0 and no other count becomes 0. Of suppression: 0 is suppressed too."""
    unknown: bool = False
    """Of suppression: whether a reader is taken not to know the rule."""
    form: str = ""
    """Of cell keys: D:V, D:V:js, or the file of the office's own table."""

    @property
    def text(self) -> str:
        """The scheme as a user writes it."""
        if self.kind in UNSIZED:
            return self.kind
        if self.kind == "cellkey":
            return f"cellkey:{self.form}"
        return ":".join([self.kind, f"{self.size}", *(w for w in WORDS if getattr(self, w))])

    @cached_property
    def ptable(self) -> Ptable:
        """Of cell keys: the probabilities of each shift."""
        if _NUMBERS.fullmatch(self.form):
            D, V, *js = self.form.split(":")
            return ptable(int(D), float(V), int(js[0]) if js else 0)
        return read_ptable(self.form)

    @property
    def draws(self) -> bool:
        """Whether chance takes part."""
        return self.kind in CHANCE


def parse_scheme(given: Any) -> Scheme:
    """The scheme that a text names, or a sentence on what is wrong with it."""
    if isinstance(given, Scheme):
        return given
    if not isinstance(given, str):
        raise SettingsError(
            f"A rounding scheme is {quote_value(given)}. Write it as text, such as {EXAMPLES}, "
            "or exact."
        )
    kind, *rest = (part.strip() for part in given.strip().lower().split(":"))
    if kind == "cellkey":
        return _make_cellkey(given, given.strip().partition(":")[2].strip())
    if kind not in KINDS:
        raise SettingsError(
            f"There is no rounding scheme {quote_value(given)}.{hint_at(kind, KINDS)}"
            f" The schemes are: {list_names(KINDS)}."
        )
    if kind in UNSIZED:
        if rest:
            raise SettingsError(f"The scheme {quote_value(given)} takes no number: write {kind}.")
        return Scheme(kind)
    return _make_scheme(given, kind, rest)


def _make_scheme(given: str, kind: str, rest: list[str]) -> Scheme:
    words = {"suppress": WORDS, "noise": ("zeros",)}.get(kind, ())
    has_word = len(rest) == 2 and rest[1] in words
    if not (len(rest) == 1 or has_word) or not re.fullmatch(r"\d{1,12}", rest[0], re.ASCII):
        also = "".join(f", or {kind}:5:{word}" for word in words)
        raise SettingsError(
            f"The scheme {quote_value(given)} needs one whole number: write it as {kind}:5{also}."
        )
    size = int(rest[0])
    least = 1 if kind == "noise" else 2
    if not least <= size <= LARGEST_SIZE:
        what = {"noise": "noise", "suppress": "threshold"}.get(kind, "base")
        raise SettingsError(
            f"The {what} of the scheme {quote_value(given)} must be a whole number from {least} to"
            f" {LARGEST_SIZE:,}."
        )
    interval, zeros, unknown = (word in rest[1:] for word in WORDS)
    return Scheme(kind, size, interval, zeros, unknown)


def _make_cellkey(given: str, form: str) -> Scheme:
    """Cell keys by D, V and js, or by the office's own table."""
    bare = re.sub(r"\s*:\s*", ":", form)
    form = bare if _NUMBERS.fullmatch(bare) else form
    if not (_NUMBERS.fullmatch(form) or form.lower().endswith(_FILES)):
        raise SettingsError(
            f"The scheme {quote_value(given)} needs the largest change and its variance, or a file"
            " of probabilities: write cellkey:3:2 or cellkey:ptable.csv. For noise that is drawn"
            " for each value write noise:2:zeros."
        )
    made = Scheme("cellkey", form=form)
    return Scheme("cellkey", made.ptable.largest_shift, form=form)


def trivial_bounds(published: Published, scheme: str | Scheme) -> Bounds:
    """Between which counts one published value leaves the true one, by itself.

    Notes
    -----
    With the published value x, base b, largest noise D and threshold k, cut at 0 below:

    - exact: [x, x]; an interval: as it is printed;
    - conventional: odd b [x - (b-1)/2, x + (b-1)/2]; even b, where a half goes up,
      [x - b/2, x + b/2 - 1];
    - random and controlled: [x - b + 1, x + b - 1];
    - up: [x - b + 1, x]; down: [x, x + b - 1];
    - noise: [x - D, x + D], a sum below 0 being published as 0; with ``:zeros``, where 0 stays 0
      and nothing else becomes 0: [0, 0] of 0, else [max(1, x - D), x + D];
    - cellkey: from the least to the largest count that its table of probabilities may publish so;
    - suppress: a value that is published is exact; a suppressed small one is [1, k - 1], for
      readers know the rule, whether it is printed (``:interval``) or not; with ``:zeros``
      [0, k - 1], and with ``:unknown``, to a reader who does not know it, [0, no bound).

    A value that the scheme never publishes is refused. ``None`` is a suppressed value, under any
    other scheme: nothing is known but that no count is below 0.

    References
    ----------
    Smith and Elliot 2008, section 2.2, for conventional rounding to an odd base; the others by
    inverting the scheme. That controlled values add up says nothing more about the true counts.
    """
    chosen = parse_scheme(scheme)
    if published is None:
        if chosen.kind != "suppress" or chosen.unknown:
            return 0, None
        return 0 if chosen.zeros else 1, chosen.size - 1
    if isinstance(published, tuple):
        return published
    _check_impossible(published, chosen)
    if chosen.kind == "cellkey":
        counts = chosen.ptable.possible_counts(published)
        return counts[0], counts[-1]
    if chosen.zeros and not published:
        return 0, 0
    below, above = _reach(published, chosen)
    return max(1 if chosen.zeros else 0, published - below), published + above


def bounds_of_values(
    values: Sequence[Published], scheme: str | Scheme, truth: Sequence[int]
) -> list[Bounds]:
    """Trivial bounds of the values of one part, of which the true counts are known.

    A suppressed count of k or more was suppressed to protect others, and a reader is taken to know
    which these are: [k, no bound). Where some 0 is suppressed, others may be.
    """
    chosen = parse_scheme(scheme)
    made = [trivial_bounds(value, chosen) for value in values]
    if chosen.kind == "suppress" and not chosen.unknown:
        hidden = [i for i, value in enumerate(values) if value is None]
        least = min((truth[i] for i in hidden), default=1)
        for i in hidden:
            made[i] = (
                (chosen.size, None)
                if truth[i] >= chosen.size
                else (min(least, made[i][0]), chosen.size - 1)
            )
    return made


def _reach(published: int, scheme: Scheme) -> tuple[int, int]:
    """How far below and above a published value the true one may be."""
    b = D = scheme.size
    reach = {
        "conventional": (b // 2, (b - 1) // 2),
        "random": (b - 1, b - 1),
        "controlled": (b - 1, b - 1),
        "up": (b - 1, 0),
        "down": (0, b - 1),
        "noise": (D, D),
    }
    return reach.get(scheme.kind, (0, 0))


def _check_impossible(published: int, scheme: Scheme) -> None:
    """Refuse a value that the scheme never publishes."""
    if scheme.kind == "interval":
        raise SettingsError(
            "The scheme 'interval' publishes pairs of numbers: give the lowest and the highest"
            " count, or None for no highest."
        )
    fault = None
    if published < 0:
        fault = "values below 0"
    elif scheme.kind in MULTIPLES and published % scheme.size:
        fault = f"anything but multiples of {scheme.size:,}"
    elif scheme.kind == "suppress" and 0 < published < scheme.size:
        fault = f"counts from 1 to {scheme.size - 1:,}"
    elif scheme.kind == "cellkey" and not scheme.ptable.possible_counts(published):
        fault = "it"
    if fault:
        raise SettingsError(
            f"The published value {published:,} cannot be: the scheme '{scheme.text}' never"
            f" publishes {fault}."
        )
