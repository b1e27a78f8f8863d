"""Are the numbers of people there in disguise? Moved, reversed, cut short or hashed.

An identifier that was changed by a rule anyone can guess is that identifier still: who knows the
number of a person makes the same change and finds the record. A hash without a secret is such a
rule, because every number can be hashed and looked up.
"""

import hashlib
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.arrays import Floats, Mask
from unveil.measure.gate.columns import ORIGINAL, LinkColumn
from unveil.measure.gate.values import fold_text

FEWEST = 20
OWN = 0.9  # so many values of the original are of one record each, if it numbers people
SHARED = 0.5
LEAST_PART = 4
_SAMPLE = 2_000
_HASHED = 0.02
_HEXADECIMAL = r"^[0-9a-f]{8,128}$"
_HASHES: dict[str, Callable[[bytes], str]] = {
    "MD5": lambda text: hashlib.md5(text, usedforsecurity=False).hexdigest(),
    "SHA-1": lambda text: hashlib.sha1(text, usedforsecurity=False).hexdigest(),
    "SHA-256": lambda text: hashlib.sha256(text).hexdigest(),
    "SHA-512": lambda text: hashlib.sha512(text).hexdigest(),
    "CRC-32": lambda text: f"{zlib.crc32(text):08x}",
}


@dataclass(frozen=True)
class Disguise:
    """How an identifier was changed, how many records hold one, and the share by chance."""

    words: str
    n_real: int
    expected: float


def find_disguise(column: LinkColumn, side: int) -> Disguise | None:
    """The rule by which a file's values are the original's; None where none is seen."""
    is_value = np.arange(column.n_levels) != column.missing
    here, there = (is_value & (column.counts[one] > 0) for one in (ORIGINAL, side))
    n_own = int((column.counts[ORIGINAL][here] == 1).sum())
    if min(here.sum(), there.sum()) < FEWEST or n_own < OWN * here.sum():
        return None
    written = column.source.levels.cast(pl.String).str.strip_chars().gather(column.example)
    known, theirs = written.filter(pl.Series(here)), written.filter(pl.Series(there))
    records = column.counts[side][there]
    for words, is_real, expected in _try_rules(column, here, there, known, theirs):
        share = float(records[is_real].sum() / records.sum())
        if share >= max(SHARED, expected + SHARED / 2):
            return Disguise(words, int(records[is_real].sum()), expected)
    return None


_Tried = tuple[str, Mask, float]


def _try_rules(
    column: LinkColumn,
    here: Mask,
    there: Mask,
    known: pl.Series,
    theirs: pl.Series,
) -> Iterator[_Tried]:
    """Each rule in words, which values it makes real ones, and how often it would by chance."""
    if column.numbers is not None:
        yield from _moved(column.numbers[here], column.numbers[there])
    # A number loses the zeros that it begins with where it is read as a number.
    mine, other = (fold_text(one).str.replace_all(r"[^\p{L}\p{N}]", "") for one in (known, theirs))
    bare = other.str.strip_chars_start("0")
    back = mine.str.reverse().str.strip_chars_start("0")
    yield "written backwards", _is_among(bare, back), _chance(mine, bare)
    length = int(bare.str.len_chars().max() or 0)  # type: ignore[arg-type]
    if LEAST_PART <= length < float(mine.str.len_chars().median() or 0):  # type: ignore[arg-type]
        ends = {"beginning": mine.str.tail(length), "end": mine.str.head(length)}
        for left_out, part in ends.items():
            short = part.str.strip_chars_start("0")
            if short.n_unique() >= OWN * len(short):
                yield f"without their {left_out}", _is_among(bare, short), _chance(short, bare)
    yield from _hashed(known, theirs)


def _moved(known: Floats, theirs: Floats) -> Iterator[_Tried]:
    """Numbers with one number added to all, the difference of the ends or of the middle.

    Numbers in equal steps are met by many such moves: what the best other one meets, moved by a
    usual step more or less, is chance.
    """
    if not (np.isfinite(known).all() and np.isfinite(theirs).all()):
        return
    mine, other = np.sort(known), np.sort(theirs)
    steps, times = np.unique(np.diff(mine), return_counts=True)
    usual = steps[np.argsort(-times)][:3]
    middle = float(np.median(other) - np.median(mine))
    for shift in {other[0] - mine[0], other[-1] - mine[-1], middle} - {0.0}:
        met = [
            np.isin(np.round(theirs - shift - step, 6), np.round(mine, 6))
            for step in (0.0, *usual, *-usual)
        ]
        yield f"plus {shift:.10g}", met[0], max(float(one.mean()) for one in met[1:])


def _is_among(values: pl.Series, known: pl.Series) -> Mask:
    return values.is_in(known.implode()).fill_null(value=False).to_numpy()


def _chance(known: pl.Series, theirs: pl.Series) -> float:
    """How often a number of that many digits drawn anew is among the known ones."""
    length = float(theirs.str.len_chars().median() or 0)  # type: ignore[arg-type]
    return min(1.0, known.n_unique() / 10**length)


def _hashed(known: pl.Series, theirs: pl.Series) -> Iterator[_Tried]:
    """Hashes without a secret: tried on some of the known values, then on all where one is met."""
    found = theirs.str.to_lowercase()
    length = int(found.str.len_chars().max() or 0)  # type: ignore[arg-type]
    if not found.str.contains(_HEXADECIMAL).all():
        return
    some = known.gather_every(max(1, len(known) // _SAMPLE))
    held = set(found.to_list())
    for name, make in _HASHES.items():
        for spelling in (pl.Series.to_list, lambda one: one.str.to_lowercase().to_list()):
            n_met = sum(make(text.encode())[:length] in held for text in spelling(some))
            if n_met >= max(3, _HASHED * len(some)):
                made = pl.Series([make(text.encode())[:length] for text in spelling(known)])
                yield f"hashed without a secret ({name})", _is_among(found, made), 0.0
