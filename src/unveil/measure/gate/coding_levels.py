"""Do two files say the same in other words? Pairs of columns, their levels, and what is missing."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from unveil.arrays import Floats, Ints, Mask
from unveil.count.codes import CodedColumn
from unveil.count.profile import distinct
from unveil.measure.gate.columns import ORIGINAL, LinkColumn, Reading, read_levels
from unveil.measure.gate.links import Links
from unveil.measure.gate.values import MOST, fold_text, round_digits
from unveil.records.alerts import CodingKind

# What is known of a column in two files, and what can be proposed about its coding?
#
# A pair holds the levels as they are compared, with the records of either file, and what the
# levels say whatever their spelling. A proposal says how they go together, and holds the levels
# anew, so that both files can be compared again.


SYNTHETIC = 1
LEAST_RECORDS = 10
"""A mapping explains so many records or people; levels of fewer people are never named."""
LEAST_SHARE = 0.05
SIGMAS = 6.0
FEW_LEVELS = 50
FEW_NUMBERS = 20
"""Numbers of so few values are levels, too: codes, grades, scales."""


@dataclass(frozen=True, eq=False)
class CodingProposal:
    """How two files may say the same things in other words; the new levels are by level.

    `synthetic` and `original` are what the levels of that file become; None where they stay.
    """

    kind: CodingKind
    share: float  # of the synthetic records or, if joint, of the linked people, that it explains
    expected: float  # the same where nothing is coded differently
    evidence: str  # no level that fewer than ten people have
    is_joint: bool = False
    synthetic: pl.Series | None = None
    original: pl.Series | None = None

    @property
    def gain(self) -> float:
        """What it explains beyond its yardstick."""
        return self.share - self.expected


@dataclass(frozen=True, eq=False)
class Sample:
    """The distinct numbers of one file, sorted, and how many records hold each."""

    values: Floats
    counts: Ints

    @cached_property
    def total(self) -> int:
        """Records with a number."""
        return int(self.counts.sum())

    @property
    def repeated_share(self) -> float:
        """The share of records whose number another one has, too."""
        return float(self.counts[self.counts > 1].sum()) / max(self.total, 1)

    def share(self, mask: Mask) -> float:
        """The share of records whose number is marked."""
        return float(self.counts[mask].sum()) / max(self.total, 1)

    def quantiles(self, at: Floats) -> Floats:
        """The numbers below which these shares of records lie."""
        place = np.searchsorted(np.cumsum(self.counts) / max(self.total, 1), at)
        found: Floats = self.values[place.clip(0, len(self.values) - 1)]
        return found


def sample_of(values: Floats, counts: Ints) -> Sample:
    """Distinct numbers to eleven digits, with the records of each."""
    known = np.isfinite(values) & (counts > 0)
    distinct, place = np.unique(round_digits(values[known]), return_inverse=True)
    totals = np.bincount(place, counts[known], len(distinct)).astype(np.int64)
    return Sample(distinct, totals)


@dataclass(frozen=True, eq=False)
class CodingPair:
    """One column of the original and of a synthetic file."""

    name: str
    levels: pl.Series  # as they are compared; null is missing
    counts: Ints  # records by file and level
    reading: Reading

    @cached_property
    def text(self) -> pl.Series:
        """The levels as text."""
        # A duration has no text of its own.
        plain = self.levels.to_physical() if self.levels.dtype == pl.Duration else self.levels
        return plain.cast(pl.String)

    @cached_property
    def has_level(self) -> NDArray[np.bool_]:
        """By file and level: does it have the level? Missing is none."""
        mask: Mask = (self.counts > 0) & self.levels.is_not_null().to_numpy()
        return mask

    @cached_property
    def fresh(self) -> Mask:
        """Levels that only the synthetic file has, as they are compared."""
        mask: Mask = self.has_level[SYNTHETIC] & ~self.has_level[ORIGINAL]
        return mask

    @cached_property
    def is_met(self) -> Mask:
        """Levels that say what a level of the original says."""
        folded = self.reading.folded
        return np.isin(folded, folded[self.has_level[ORIGINAL]])

    @cached_property
    def is_back(self) -> Mask:
        """Levels that say what a level of the synthetic file says."""
        folded = self.reading.folded
        return np.isin(folded, folded[self.has_level[SYNTHETIC]])

    @cached_property
    def totals(self) -> tuple[int, int]:
        """Records of either file that are not missing."""
        sums = (self.counts * self.has_level).sum(axis=1)
        return int(sums[0]), int(sums[1])

    @property
    def numbers(self) -> Floats | None:
        """The levels as numbers or days."""
        return self.reading.numbers

    def sample(self, side: int) -> Sample:
        """The numbers of one file."""
        assert self.reading.numbers is not None
        return sample_of(self.reading.numbers, self.counts[side])

    def numbers_of(self, side: int) -> Floats:
        """By level the numbers of one file; NaN where it does not have the level."""
        assert self.numbers is not None
        return np.where(self.has_level[side], self.numbers, np.nan)

    @cached_property
    def is_few(self) -> bool:
        """Whether both files have few levels, so that each is a word and not a name."""
        n_levels = [len(np.unique(self.reading.folded[self.has_level[side]])) for side in (0, 1)]
        if self.numbers is not None:
            return max(n_levels) <= FEW_NUMBERS
        return all(
            n <= max(FEW_LEVELS, 0.2 * total)
            for n, total in zip(n_levels, self.totals, strict=True)
        )

    def records(self, mask: Mask, side: int = SYNTHETIC) -> int:
        """Records of a file whose level is marked."""
        return int(self.counts[side][mask].sum())

    def share(self, mask: Mask, side: int = SYNTHETIC) -> float:
        """The same as a share of all that are not missing."""
        return self.records(mask, side) / max(self.totals[side], 1)

    def is_enough(self, mask: Mask) -> bool:
        """Whether the synthetic records with a marked level are worth a question."""
        return self.records(mask) >= max(LEAST_RECORDS, 0.002 * self.totals[SYNTHETIC])

    @cached_property
    def standing(self) -> Ints:
        """For each level the one of the original that says the same; itself where there is none."""
        folded, found = self.reading.folded, np.arange(len(self.levels))
        mine = np.flatnonzero(self.has_level[ORIGINAL])
        if not len(mine):
            return found
        mine = mine[np.argsort(-self.counts[ORIGINAL][mine], kind="stable")]
        known, first = np.unique(folded[mine], return_index=True)
        place = np.searchsorted(known, folded).clip(0, len(known) - 1)
        is_told = (known[place] == folded) & ~self.has_level[ORIGINAL]
        return np.where(is_told, mine[first[place]], found)

    def join_levels(self, to: Ints) -> "CodingPair":
        """The pair in which each level says what the level at its new place says."""
        return replace(self, reading=replace(self.reading, folded=self.reading.folded[to]))

    def move_levels(self, to: Ints) -> pl.Series:
        """The levels, each replaced by the level at its new place."""
        return self.levels.gather(to)

    def spell(self, numbers: Floats, like: int) -> pl.Series:
        """Numbers by level as levels, written as that file does; NaN leaves the level."""
        assert self.numbers is not None
        held = np.flatnonzero(self.has_level[like] & np.isfinite(self.numbers))
        known, first = np.unique(round_digits(self.numbers[held]), return_index=True)
        wanted = round_digits(numbers)
        place = np.searchsorted(known, wanted).clip(0, len(known) - 1)
        is_known = pl.Series(known[place] == wanted)
        own = self.levels.gather(held[first[place]])
        if own.dtype.is_numeric():
            written, own, levels = pl.Series(wanted), own.cast(pl.Float64), self.levels
            told = own.zip_with(is_known, written)
            return told.zip_with(pl.Series(np.isfinite(wanted)), levels.cast(pl.Float64))
        told = own.zip_with(is_known, self._convert_numbers(wanted))
        return told.zip_with(pl.Series(np.isfinite(wanted)), self.levels)

    def _convert_numbers(self, numbers: Floats) -> pl.Series:
        """Numbers that no level has, in the type of the levels."""
        shown = pl.Series(numbers).fill_nan(None)
        dtype = self.levels.dtype
        if self.reading.is_date:
            if dtype == pl.Datetime:
                return (shown * 86_400_000_000).cast(pl.Int64).cast(pl.Datetime("us")).cast(dtype)
            return shown.floor().cast(pl.Int32).cast(pl.Date).cast(dtype)
        if dtype.is_temporal():
            return shown.round().cast(pl.Int64).cast(dtype)
        return shown.cast(dtype)

    def example(self, old: Ints, new: Ints, side: int = SYNTHETIC) -> str:
        """The most common of these pairs of levels, if both are common enough to be named."""
        n_people = self.counts[ORIGINAL][old if side == ORIGINAL else new]
        n_records = self.counts[SYNTHETIC][new if side == ORIGINAL else old]
        n = np.minimum(n_people, n_records)
        if not len(n) or n.max() < LEAST_RECORDS:
            return ""
        top = int(n.argmax())
        here, there = str(self.text[int(old[top])]), str(self.text[int(new[top])])
        said = self.reading.folded[[old[top], new[top]]]
        if said[0] == said[1] and here.strip().casefold() != there.strip().casefold():
            return f", such as {here!a} for {there!a}"  # what looks the same, letter by letter
        if side == ORIGINAL:
            here, there = there, here
        return f", such as {here!r} for {there!r}"


def pair_of(column: LinkColumn, side: int) -> CodingPair:
    """A column of the original and of one synthetic file."""
    source: CodedColumn = column.source
    counts = np.asarray(source.counts, np.int64)[[ORIGINAL, side]]
    is_pair = len(column.sides.rows) == 2  # read already
    reading = column.reading if is_pair else read_levels(source, [ORIGINAL, side])
    return CodingPair(column.name, source.levels, counts, reading)


@dataclass(frozen=True, eq=False)
class LinkedCodes:
    """What linked people and their records say of a column, each pair of levels once a half.

    What is found in one half of the people is counted in the other, so that nothing is found by
    looking long enough. Pairs have the number of their links, the sum of their weights and that of
    the squares.
    """

    mine: Ints
    theirs: Ints
    is_first: Mask
    n_links: Ints
    weight: Floats
    square: Floats


def find_linked_codes(links: Links, column: LinkColumn, side: int) -> LinkedCodes:
    """The levels that linked people and their records have."""
    codes, slices = column.source.codes, column.sides.slices
    (is_first, mine, theirs), place, n_links = distinct(
        [
            links.is_first.view(np.uint8),
            codes[slices[ORIGINAL]].take(links.person),
            codes[slices[side]].take(links.record),
        ]
    )
    return LinkedCodes(
        mine,
        theirs,
        is_first.astype(bool),
        n_links,
        np.bincount(place, links.weight, len(mine)).astype(np.float64),
        np.bincount(place, links.weight**2, len(mine)).astype(np.float64),
    )


# Is missing a word or a code in one file, and something else in the other?


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
        synthetic=pair.move_levels(to),
    )


def _is_nothing(pair: CodingPair) -> Mask:
    """Levels that say missing: a word, or one of the usual codes at the edge of the numbers."""
    text = pair.text.str.strip_chars().str.to_lowercase()
    found: Mask = text.is_in(NOTHING).fill_null(value=False).to_numpy()
    if pair.numbers is not None and not pair.reading.is_date:
        known = np.nan_to_num(pair.numbers)
        found = found | (np.isin(known, CODES) & ((known < 0) | (known == known.max(initial=0.0))))
    return found


# Are levels of the original spelt, shortened, cut or renamed in the synthetic data?
#
# By levels and their frequencies alone. Levels that only the original has say nothing: rare ones
# are often excluded on purpose.


NEW_SHARE = 0.02
"""Levels that only the synthetic file has are asked about from this share of records on."""
FAR = 0.2
CLOSE = 0.05
_MANY = 200
_SURE = 12  # records expected that do not occur are no chance


def find_spellings(pair: CodingPair) -> Iterator[CodingProposal]:
    """Levels of the synthetic file that say, spelt otherwise, what a level of the original says."""
    hit = pair.fresh & pair.is_met
    if pair.is_enough(hit):
        old = np.flatnonzero(hit)
        kind = _kind_of_spelling(pair, hit)
        what = {
            "spelling": "levels are spelt differently",
            "dust": "numbers differ in their last digits only",
            "format": "numbers or dates are written differently",
        }[kind]
        numbers = None if pair.numbers is None else np.where(pair.fresh, pair.numbers, np.nan)
        told = pair.move_levels(pair.standing) if numbers is None else pair.spell(numbers, ORIGINAL)
        yield CodingProposal(
            kind,
            pair.share(hit),
            0.0,
            f"{int(hit.sum()):,} {what}{pair.example(old, pair.standing[old])}",
            synthetic=told,
        )


def _kind_of_spelling(pair: CodingPair, hit: Mask) -> CodingKind:
    if pair.numbers is None:
        return "spelling"
    both = pair.text.gather(np.concatenate([np.flatnonzero(hit), pair.standing[hit]]))
    is_plain = bool(both.cast(pl.Float64, strict=False).is_not_null().all())
    return "dust" if is_plain and not pair.reading.is_date else "format"


def _letters(text: pl.Series) -> pl.Series:
    """Letters and digits alone; an umlaut written as two letters is one."""
    return text.str.replace_all(r"[^\p{L}\p{N}]", "").str.replace_all("([aou])e", "$1")


def _words(text: pl.Series) -> pl.Series:
    """The words in the order of the alphabet."""
    return text.str.split(" ").list.sort().list.join(" ")


def _bare(text: pl.Series) -> pl.Series:
    """What is left without the letters that all of them begin or end with, and without zeros."""
    known = text.drop_nulls()
    if len(known) < 2:
        return text
    start, stop = _common(known), _common(known.str.reverse())
    shortest = int(known.str.len_chars().min() or 0)  # type: ignore[arg-type]
    bare = text.str.slice(start)
    bare = bare.str.head(-stop) if stop and start + stop < shortest else bare
    return bare.str.strip_chars(" ()[]").str.replace(r"^0+(\d)", "$1")


def _common(texts: pl.Series) -> int:
    """How many letters all of them begin with; digits do not count."""
    first, last = str(texts.min()), str(texts.max())
    n = next(
        (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b),
        min(len(first), len(last)),
    )
    return len(re.sub(r"\d+$", "", first[:n]))


def find_loose_spellings(pair: CodingPair) -> tuple[CodingProposal, CodingPair] | None:
    """Levels that meet when more is left aside, if that joins no two levels of either file.

    With the pair in which these levels say the same.
    """
    theirs = pair.fresh & ~pair.is_met
    if pair.numbers is not None or not pair.is_enough(theirs):
        return None
    folded = fold_text(pair.text)
    for what, to in _loose_maps(pair, folded, theirs):
        told = theirs & (to != np.arange(len(to)))
        if pair.is_enough(told) and pair.records(told) >= MOST * pair.records(theirs):
            old = np.flatnonzero(told)
            made = CodingProposal(
                "spelling",
                pair.share(told),
                0.0,
                f"{len(old):,} levels are {what}{pair.example(old, to[old])}",
                synthetic=pair.move_levels(np.where(told, to, pair.standing)),
            )
            return made, pair.join_levels(to)
    return None


def _loose_maps(pair: CodingPair, folded: pl.Series, theirs: Mask) -> Iterator[tuple[str, Ints]]:
    """Ways to find a level of the original for each new level: in words, and by level."""
    ways: tuple[tuple[str, Callable[[pl.Series], pl.Series]], ...] = (
        ("spelt differently", _letters),
        ("written in another order", _words),
        ("written with other letters around them", _bare),
    )
    for what, way in ways:
        mine, new = (
            pl.DataFrame({"key": way(folded.gather(held)), "level": held})
            for held in map(np.flatnonzero, pair.has_level)
        )
        if any(one["key"].is_duplicated().any() for one in (mine, new)) or "" in mine["key"]:
            continue
        both = mine.join(new, on="key")
        to = np.arange(len(pair.levels))
        to[both["level_right"].to_numpy()] = both["level"].to_numpy()
        yield what, to
    yield "shortened or written in full", _abbreviations(pair, folded.to_list(), theirs)


def _abbreviations(pair: CodingPair, texts: list[str | None], theirs: Mask) -> Ints:
    """New levels that begin as exactly one level of the original does, and it as they do."""
    mine, new = np.flatnonzero(pair.has_level[ORIGINAL] & ~pair.is_back), np.flatnonzero(theirs)
    to = np.arange(len(pair.levels))
    if not 2 <= len(new) <= _MANY or not 2 <= len(mine) <= _MANY:
        return to
    starts = np.array([[_begins(texts[i], texts[j]) for i in mine] for j in new], bool)
    is_sure = starts.sum(axis=1) == 1
    if (starts[is_sure].sum(axis=0) <= 1).all():
        to[new[is_sure]] = mine[starts[is_sure].argmax(axis=1)]
    return to


def _begins(one: str | None, other: str | None) -> bool:
    """Whether one word is the beginning of the other; numbers are no words."""
    if not one or not other or not (one[0].isalpha() and other[0].isalpha()):
        return False
    return one.startswith(other) or other.startswith(one)


def find_prefixes(pair: CodingPair) -> Iterator[CodingProposal]:
    """Codes of the original cut after some letters: J45.1 to J45."""
    if pair.numbers is not None or not pair.is_enough(pair.fresh & ~pair.is_met):
        return
    text, lengths = pair.text, pair.text.str.len_chars().fill_null(0).to_numpy()
    theirs = text.filter(pl.Series(pair.has_level[SYNTHETIC]))
    cut = text
    for n in np.unique(lengths[pair.fresh]):
        short = text.str.head(int(n))
        is_cut = short.is_in(theirs.implode()) & pl.Series((lengths > n) & pair.has_level[ORIGINAL])
        cut = short.zip_with(is_cut.fill_null(value=False), cut)
    mine = pair.has_level[ORIGINAL]
    is_changed = (cut != text).fill_null(value=False).to_numpy() & mine
    made = cut.filter(pl.Series(mine))
    is_told = (
        pair.has_level[SYNTHETIC] & text.is_in(made.implode()).fill_null(value=False).to_numpy()
    )
    n_before, n_after = int(mine.sum()), made.n_unique()
    is_coarser = n_after < n_before and pair.share(is_told) >= MOST
    if is_coarser and pair.share(is_changed, ORIGINAL) >= 0.5:
        yield CodingProposal(
            "coarser",
            pair.share(is_told),
            pair.share(pair.has_level[SYNTHETIC] & pair.is_met),
            "levels of the original are cut short in the synthetic data",
            original=cut,
        )


def find_renamed(pair: CodingPair) -> Iterator[CodingProposal]:
    """Levels whose frequencies agree only when they are read as other levels."""
    if not pair.is_few:
        return
    folded, held = np.unique(pair.reading.folded, return_inverse=True)
    mine, theirs = (
        np.bincount(held, pair.counts[side] * pair.has_level[side], len(folded)) for side in (0, 1)
    )
    if not mine.any() or not theirs.any() or ((mine > 0) | (theirs > 0)).sum() > FEW_LEVELS:
        return
    p, q = mine / mine.sum(), theirs / theirs.sum()
    before = 0.5 * float(np.abs(p - q).sum())
    rank_p, rank_q = (np.argsort(-one, kind="stable") for one in (p, q))
    after = 0.5 * float(np.abs(p[rank_p] - q[rank_q]).sum())
    n_levels = max(int((p > 0).sum()), int((q > 0).sum()))
    error = _error(pair, n_levels)
    is_apart = before > max(FAR, 4 * error) and n_levels > 1
    if is_apart and after < 0.25 * before and after < max(CLOSE, 3 * error):
        to_code = np.empty(len(folded), np.int64)
        to_code[rank_q] = rank_p
        yield CodingProposal(
            "renamed",
            1 - after,
            1 - before,
            "frequencies agree if levels are read as others"
            + _pair_names(pair, held, to_code, q > 0),
            synthetic=pair.move_levels(level_map(pair, held, to_code)),
        )


def find_united(pair: CodingPair) -> Iterator[CodingProposal]:
    """Levels that the synthetic file lacks, and one level that it has so many more records of.

    Rare levels that were excluded raise all others alike.
    """
    gone = pair.has_level[ORIGINAL] & ~pair.is_back
    lost, new = pair.share(gone, ORIGINAL), pair.share(pair.fresh & ~pair.is_met)
    if not pair.is_few or pair.numbers is not None or lost < NEW_SHARE or new >= NEW_SHARE:
        return
    p, q = (
        np.bincount(pair.standing, pair.counts[side] * pair.has_level[side], len(gone)) / total
        for side, total in enumerate(pair.totals)
    )
    more = int((q - p).argmax())
    left = np.where(gone, 0.0, p)
    joined = left.copy()
    joined[more] += lost
    alike, apart = (0.5 * float(np.abs(q - one).sum()) for one in (joined, left / left.sum()))
    error = _error(pair, int((p > 0).sum()))
    if gone[more] or alike > max(CLOSE, 2 * error) or apart < 2 * alike or apart < 2 * error:
        return
    theirs = np.flatnonzero(pair.has_level[SYNTHETIC] & (pair.standing == more))
    yield CodingProposal(
        "coarser",
        1 - alike,
        1 - apart,
        f"{int(gone.sum()):,} levels of the original are not in the synthetic data, and another is"
        " as much more frequent",
        original=pair.move_levels(np.where(gone, theirs[0], np.arange(len(gone)))),
    )


def _error(pair: CodingPair, n_levels: int) -> float:
    """About what two samples of one population differ by, as half the sum of differences."""
    return 0.5 * float(np.sqrt(n_levels * sum(1 / max(total, 1) for total in pair.totals)))


def level_map(pair: CodingPair, held: Ints, to_code: Ints, side: int = SYNTHETIC) -> Ints:
    """For each level of a file a level of the other, by a map of what they say; -1 for none."""
    theirs = np.flatnonzero(pair.has_level[1 - side])
    theirs = theirs[np.argsort(pair.counts[1 - side][theirs], kind="stable")]
    stands = np.full(len(to_code), -1)
    stands[held[theirs]] = theirs
    wanted = np.where(to_code[held] >= 0, stands[to_code[held]], -1)
    return np.where(pair.has_level[side] & (wanted >= 0), wanted, np.arange(len(held)))


def _pair_names(pair: CodingPair, held: Ints, to_code: Ints, is_used: Mask) -> str:
    to = level_map(pair, held, to_code)
    old = np.flatnonzero(pair.has_level[SYNTHETIC] & is_used[held] & (to_code[held] != held))
    return pair.example(old, to[old])


def find_replaced(pair: CodingPair) -> Iterator[CodingProposal]:
    """Levels that only the synthetic file has, and that nothing else explains.

    Another sample has new levels, too: about as many as the original has that one person holds
    (Good 1953), and none that are common.
    """
    new = pair.fresh & ~pair.is_met
    n_original, n_synthetic = pair.totals
    common = new & (pair.counts[SYNTHETIC] * min(1, n_original / n_synthetic) >= _SURE)
    n_single = int((pair.counts[ORIGINAL][pair.has_level[ORIGINAL]] == 1).sum())
    unseen = max(FAR, 5 * (n_single + 3) / n_original)
    if not pair.is_few or (pair.share(common) < NEW_SHARE and pair.share(new) < unseen):
        return
    gone = pair.has_level[ORIGINAL] & ~pair.is_back
    yield CodingProposal(
        "replaced",
        pair.share(new),
        0.0,
        f"{int(new.sum()):,} levels of {pair.records(new):,} synthetic records are not in the"
        f" original, and {int(gone.sum()):,} of its levels are not in the synthetic data",
        synthetic=_by_frequency(pair, np.flatnonzero(new)),
    )


def _by_frequency(pair: CodingPair, new: Ints) -> pl.Series | None:
    """New levels read as those that the synthetic file has too few of, the most frequent first."""
    mine = np.flatnonzero(pair.has_level[ORIGINAL])
    stands = np.bincount(pair.standing, pair.counts[SYNTHETIC], len(pair.levels))
    p, q = (
        counts / total for counts, total in zip((pair.counts[0], stands), pair.totals, strict=True)
    )
    lacking = (p - q)[mine]
    if len(new) > len(mine):
        return None
    to = np.arange(len(pair.levels))
    by_size = np.argsort(-pair.counts[SYNTHETIC][new], kind="stable")
    to[new[by_size]] = mine[np.argsort(-lacking, kind="stable")[: len(new)]]
    return pair.move_levels(to)
