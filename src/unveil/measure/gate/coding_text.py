"""Are levels of the original spelt, shortened, cut or renamed in the synthetic data?

By levels and their frequencies alone. Levels that only the original has say nothing: rare ones are
often left out on purpose.
"""

import re
from collections.abc import Callable, Iterator

import numpy as np
import polars as pl

from unveil.measure.gate.coding_pair import (
    FEW_LEVELS,
    SYNTHETIC,
    CodingPair,
    CodingProposal,
)
from unveil.measure.gate.columns import ORIGINAL, Ints, Mask
from unveil.measure.gate.values import MOST, fold_text
from unveil.records.alerts import CodingKind

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
        told = pair.moved(pair.standing) if numbers is None else pair.spell(numbers, ORIGINAL)
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
                synthetic=pair.moved(np.where(told, to, pair.standing)),
            )
            return made, pair.joined(to)
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
            for held in map(np.flatnonzero, pair.held)
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
    mine, new = np.flatnonzero(pair.held[ORIGINAL] & ~pair.is_back), np.flatnonzero(theirs)
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
    theirs = text.filter(pl.Series(pair.held[SYNTHETIC]))
    cut = text
    for n in np.unique(lengths[pair.fresh]):
        short = text.str.head(int(n))
        is_cut = short.is_in(theirs.implode()) & pl.Series((lengths > n) & pair.held[ORIGINAL])
        cut = short.zip_with(is_cut.fill_null(value=False), cut)
    mine = pair.held[ORIGINAL]
    is_changed = (cut != text).fill_null(value=False).to_numpy() & mine
    made = cut.filter(pl.Series(mine))
    is_told = pair.held[SYNTHETIC] & text.is_in(made.implode()).fill_null(value=False).to_numpy()
    n_before, n_after = int(mine.sum()), made.n_unique()
    is_coarser = n_after < n_before and pair.share(is_told) >= MOST
    if is_coarser and pair.share(is_changed, ORIGINAL) >= 0.5:
        yield CodingProposal(
            "coarser",
            pair.share(is_told),
            pair.share(pair.held[SYNTHETIC] & pair.is_met),
            "levels of the original are cut short in the synthetic data",
            original=cut,
        )


def find_renamed(pair: CodingPair) -> Iterator[CodingProposal]:
    """Levels whose frequencies agree only when they are read as other levels."""
    if not pair.is_few:
        return
    folded, held = np.unique(pair.reading.folded, return_inverse=True)
    mine, theirs = (
        np.bincount(held, pair.counts[side] * pair.held[side], len(folded)) for side in (0, 1)
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
            synthetic=pair.moved(level_map(pair, held, to_code)),
        )


def find_united(pair: CodingPair) -> Iterator[CodingProposal]:
    """Levels that the synthetic file lacks, and one level that it has so many more records of.

    Rare levels that were left out raise all others alike.
    """
    gone = pair.held[ORIGINAL] & ~pair.is_back
    lost, new = pair.share(gone, ORIGINAL), pair.share(pair.fresh & ~pair.is_met)
    if not pair.is_few or pair.numbers is not None or lost < NEW_SHARE or new >= NEW_SHARE:
        return
    p, q = (
        np.bincount(pair.standing, pair.counts[side] * pair.held[side], len(gone)) / total
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
    theirs = np.flatnonzero(pair.held[SYNTHETIC] & (pair.standing == more))
    yield CodingProposal(
        "coarser",
        1 - alike,
        1 - apart,
        f"{int(gone.sum()):,} levels of the original are not in the synthetic data, and another is"
        " as much more frequent",
        original=pair.moved(np.where(gone, theirs[0], np.arange(len(gone)))),
    )


def _error(pair: CodingPair, n_levels: int) -> float:
    """About what two samples of one population differ by, as half the sum of differences."""
    return 0.5 * float(np.sqrt(n_levels * sum(1 / max(total, 1) for total in pair.totals)))


def level_map(pair: CodingPair, held: Ints, to_code: Ints, side: int = SYNTHETIC) -> Ints:
    """For each level of a file a level of the other, by a map of what they say; -1 for none."""
    theirs = np.flatnonzero(pair.held[1 - side])
    theirs = theirs[np.argsort(pair.counts[1 - side][theirs], kind="stable")]
    stands = np.full(len(to_code), -1)
    stands[held[theirs]] = theirs
    wanted = np.where(to_code[held] >= 0, stands[to_code[held]], -1)
    return np.where(pair.held[side] & (wanted >= 0), wanted, np.arange(len(held)))


def _pair_names(pair: CodingPair, held: Ints, to_code: Ints, is_used: Mask) -> str:
    to = level_map(pair, held, to_code)
    old = np.flatnonzero(pair.held[SYNTHETIC] & is_used[held] & (to_code[held] != held))
    return pair.example(old, to[old])


def find_replaced(pair: CodingPair) -> Iterator[CodingProposal]:
    """Levels that only the synthetic file has, and that nothing else explains.

    Another sample has new levels, too: about as many as the original has that one person holds
    (Good 1953), and none that are common.
    """
    new = pair.fresh & ~pair.is_met
    n_original, n_synthetic = pair.totals
    common = new & (pair.counts[SYNTHETIC] * min(1, n_original / n_synthetic) >= _SURE)
    n_single = int((pair.counts[ORIGINAL][pair.held[ORIGINAL]] == 1).sum())
    unseen = max(FAR, 5 * (n_single + 3) / n_original)
    if not pair.is_few or (pair.share(common) < NEW_SHARE and pair.share(new) < unseen):
        return
    gone = pair.held[ORIGINAL] & ~pair.is_back
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
    mine = np.flatnonzero(pair.held[ORIGINAL])
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
    return pair.moved(to)
