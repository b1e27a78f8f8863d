"""Are the numbers of people there in disguise? Moved, reversed, cut short, encoded or hashed.

And is a column another one recoded: rounded, in another unit, moved, or with letters around it?

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
from unveil.measure.gate.values import fold_text, round_digits

FEWEST = 20
OWN = 0.9  # so many values of the original are of one record each, if it numbers people
SHARED = 0.5
PART, RARE = 0.1, 0.01
LEAST_PART = 4
FEW_LEVELS = 20
NEARLY_ALL = 0.9
_FEWEST_STEPS = 6  # of a rounded column, or any would look like one
_SAME_SHARES = 0.05
_FACTORS = (
    *(12.0, 7.0, 24.0, 60.0, 52.0, 365.25, 3600.0, 86400.0, 2.0, 4.0),
    *(2.54, 0.45359237, 1.609344, 0.3048, 28.349523, 4.184, 18.0182, 88.42),
)
_SAMPLE = 2_000
_HASHED = 0.02
_HEXADECIMAL = r"^[0-9a-f]{8,128}$"
_HASHES: dict[str, Callable[[bytes], str]] = {
    "MD5": lambda text: hashlib.md5(text, usedforsecurity=False).hexdigest(),
    "SHA-1": lambda text: hashlib.sha1(text, usedforsecurity=False).hexdigest(),
    "SHA-256": lambda text: hashlib.sha256(text).hexdigest(),
    "SHA-512": lambda text: hashlib.sha512(text).hexdigest(),
    "CRC-32": lambda text: f"{zlib.crc32(text):08x}",
    "CRC-32, as a number": lambda text: str(zlib.crc32(text)),
}


@dataclass(frozen=True)
class Disguise:
    """How an identifier was changed, how many records hold one, and the share by chance."""

    words: str
    n_real: int
    expected: float


def find_disguise(column: LinkColumn, side: int) -> Disguise | None:
    """The rule by which a file's values are the original's; None where none is seen."""
    is_value = column.is_value
    here, there = (is_value & (column.counts[one] > 0) for one in (ORIGINAL, side))
    n_own = int((column.counts[ORIGINAL][here] == 1).sum())
    if min(here.sum(), there.sum()) < FEWEST or n_own < OWN * here.sum():
        return None
    written = column.source.levels.cast(pl.String).str.strip_chars().gather(column.example)
    known, theirs = written.filter(pl.Series(here)), written.filter(pl.Series(there))
    records = column.counts[side][there]
    best = None
    for words, is_real, expected in _try_rules(column, here, there, known, theirs):
        n_real = int(records[is_real].sum())
        # What hardly ever happens by chance needs few records to be seen.
        least = PART if expected < RARE else max(SHARED, expected + SHARED / 2)
        if n_real >= least * records.sum() and (best is None or n_real > best.n_real):
            best = Disguise(words, n_real, expected)
    return best


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
    for encoding in ("hex", "base64"):
        made = known.str.encode(encoding)
        yield f"encoded ({encoding})", _is_among(theirs.str.strip_chars(), made), 0.0
    yield from _hashed(known, theirs)


def _moved(known: Floats, theirs: Floats) -> Iterator[_Tried]:
    """Numbers times one number, plus another, as the ends or the middle of both files say.

    Numbers in equal steps are met by many such moves: what the best other one meets, moved by a
    usual step more or less, is chance.
    """
    if not (np.isfinite(known).all() and np.isfinite(theirs).all()):
        return
    mine, other = np.sort(known), np.sort(theirs)
    usual = usual_steps(mine)
    middle = float(np.median(other) - np.median(mine))
    ways = [(1.0, shift) for shift in (other[0] - mine[0], other[-1] - mine[-1], middle)]
    if mine[-1]:
        ways.append((other[-1] / mine[-1], 0.0))
    wider = float(np.ptp(other) / np.ptp(mine))
    ways += [(wider, other[0] - wider * mine[0]), (-wider, other[0] + wider * mine[-1])]
    for factor, shift in dict.fromkeys(ways):
        if factor and (factor, shift) != (1.0, 0.0):
            back = (theirs - shift) / factor
            met = [is_near(back - step, mine, 1e-11) for step in (0.0, *usual)]
            words = f"plus {shift:.10g}" if factor == 1 else f"times {factor:.6g}, plus {shift:.6g}"
            yield words, met[0], max(float(one.mean()) for one in met[1:])


def usual_steps(known: Floats) -> list[float]:
    """How far sorted numbers are most often apart, up and down: a move that tells chance."""
    steps, times = np.unique(np.diff(known), return_counts=True)
    usual = steps[np.argsort(-times)][:3]
    return [*usual, *-usual]


def is_near(values: Floats, known: Floats, digits: float) -> Mask:
    """Which values are among the known ones, sorted, to a share of their size."""
    place = np.searchsorted(known, values).clip(1, len(known) - 1)
    gap = np.minimum(np.abs(values - known[place - 1]), np.abs(values - known[place]))
    found: Mask = gap <= digits * np.maximum(np.abs(values), 1e-300)
    return found


def _is_among(values: pl.Series, known: pl.Series) -> Mask:
    return values.is_in(known.implode()).fill_null(value=False).to_numpy()


def _chance(known: pl.Series, theirs: pl.Series) -> float:
    """How often a number of that many digits drawn anew is among the known ones."""
    length = float(theirs.str.len_chars().median() or 0)  # type: ignore[arg-type]
    return min(1.0, known.n_unique() / 10**length)


def _hashed(known: pl.Series, theirs: pl.Series) -> Iterator[_Tried]:
    """Hashes without a secret: tried on some of the known values, then on all where one is met."""
    found = theirs.str.to_lowercase().str.replace_all("-", "", literal=True)
    length = int(found.str.len_chars().max() or 0)  # type: ignore[arg-type]
    if not found.str.contains(_HEXADECIMAL).any():
        return
    some = known.gather_every(max(1, len(known) // _SAMPLE))
    held = set(found.to_list())
    for name, make in _HASHES.items():
        for spelling in (pl.Series.to_list, lambda one: one.str.to_lowercase().to_list()):
            n_met = sum(make(text.encode())[:length] in held for text in spelling(some))
            if n_met >= max(3, _HASHED * len(some)):
                made = pl.Series([make(text.encode())[:length] for text in spelling(known)])
                yield f"hashed without a secret ({name})", _is_among(found, made), 0.0


def describe_recoding(column: LinkColumn) -> str | None:
    """How one column is made from the other, in words; None where it is not seen."""
    return _describe_recoded_numbers(column) if column.is_number else _describe_recoded_text(column)


def _describe_recoded_numbers(column: LinkColumn) -> str | None:
    assert column.numbers is not None
    mine, theirs = (_sample(column, side) for side in (0, 1))
    if (step := _rounded_to(mine, theirs)) is not None:
        return f"rounded to {step:.6g}"
    if min(len(np.unique(one)) for one in (mine, theirs)) <= FEW_LEVELS:
        return None
    at = np.linspace(0.05, 0.95, 19)
    here, there = np.quantile(mine, at), np.quantile(theirs, at)
    known = np.unique(round_digits(np.unique(mine)))
    is_used = (here != 0) & (np.sign(here) == np.sign(there))
    if is_used.sum() >= 3:
        factor = float(np.median(there[is_used] / here[is_used]))
        for one in usual_factors(factor):
            if abs(one - 1) > 1e-9 and share_among(theirs / one, known) >= SHARED:
                return f"times {one:.6g}"
    shift = float(np.median(there - here))
    for one in {shift, float(np.round(shift))}:
        is_spaced = len(known) > 2 * np.ptp(known) if len(known) else True
        if one and not is_spaced and share_among(theirs - one, known) >= NEARLY_ALL:
            close = np.abs(np.quantile(theirs - one, at) - here).max()
            if close <= 0.02 * np.ptp(here):
                return f"plus {one:.6g}"
    return None


def _rounded_to(mine: Floats, theirs: Floats) -> float | None:
    """The step to which numbers were rounded, up, down or to the nearest; None where not."""
    levels = np.unique(theirs)
    if len(levels) < _FEWEST_STEPS or len(np.unique(mine)) < 2 * len(levels):
        return None
    step = float(f"{np.diff(levels).min():.6g}")
    if not np.allclose(levels / step, np.round(levels / step), atol=1e-6):
        return None
    ends = np.append(levels, np.inf)
    there = np.searchsorted(np.sort(theirs), ends) / len(theirs)
    for way in (np.round, np.floor, np.ceil):
        here = np.searchsorted(np.sort(way(mine / step) * step), ends - step / 4) / len(mine)
        if np.abs(here - there).max() < _SAME_SHARES:
            return step
    return None


def _sample(column: LinkColumn, side: int) -> Floats:
    assert column.numbers is not None
    values = column.numbers[column.select_side(side)]
    return values[np.isfinite(values)]


def usual_factors(factor: float) -> list[float]:
    """The factor, and powers of ten and usual units within five percent of it."""
    usual = [10.0**k for k in range(-9, 10)] + [f for u in _FACTORS for f in (u, 1 / u)]
    return [*(one for one in usual if abs(np.log(factor / one)) < 0.05), factor]


def share_among(values: Floats, known: Floats) -> float:
    """The share of values that are among the known ones, to six digits."""
    return float(np.mean(is_near(values, known, 1e-6))) if len(values) else 0.0


def _describe_recoded_text(column: LinkColumn) -> str | None:
    """Text with something put before or after it: a prefix on the numbers of people."""
    levels = column.source.levels.cast(pl.String)
    here, there = (
        levels.filter(pl.Series(column.source.counts[side] > 0)).drop_nulls().unique()
        for side in (0, 1)
    )
    if len(here) <= FEW_LEVELS or len(there) <= FEW_LEVELS:
        return None
    n_before, n_after = common_start(there), common_start(there.str.reverse())
    for start, stop in ((n_before, 0), (0, n_after), (n_before, n_after)):
        if start or stop:
            bare = there.str.slice(start, None)
            bare = bare.str.head(-stop) if stop else bare
            known = pl.concat([here, here.str.slice(common_start(here), None)])
            if bare.is_in(known.implode()).mean() >= SHARED:  # type: ignore[operator]
                return "with letters put around them"
    return None


def common_start(texts: pl.Series) -> int:
    """How many letters all texts begin with."""
    first, last = str(texts.min()), str(texts.max())
    return next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
