"""Does a text beside the table tell of a person: several values of one row of the original?

Labels, notes, metadata and names of columns are compared with the original's values, word by word
after folding. A text tells of a person where values of at least three columns stand in it, one
person alone has them together, and they are most of what it says or would not meet by chance.
"""

import base64
import binascii
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import comb, prod

import numpy as np
import polars as pl

from unveil.arrays import Floats, Ints
from unveil.io.table import Table
from unveil.measure.gate.values import fold_text

LEAST_COLUMNS = 3
"""Values of fewer columns of one person are no record."""
_LONGEST = 8  # words of a value; of longer ones the first are looked for
_MOSTLY, _NEARLY_ONLY = 0.5, 0.8
_NEVER, _HARDLY = 1e-3, 1e-2
_SINGLE = 1e-5
_WORDS, _PART = 2, 0.2
_LEAST_LETTERS = 4
_MOST_TEXTS = 100_000
_THOUSANDS = re.compile(r"(?<=\d)[,'\u2019\u00a0\u202f ](?=\d{3}(?!\d))")
_ZEROS = re.compile(r"(\d[.,]\d*?)0+(?!\d)")
_ENCODED = re.compile(r"[A-Za-z0-9+/_=-]{16,}")


@dataclass(frozen=True)
class _TextValue:
    """A value of a column as it stands in texts."""

    column: int
    level: int
    share: float  # of people who have it
    is_alone: bool  # whether one person has it, in a column where most people have such a value


@dataclass(frozen=True, eq=False)
class _TextValues:
    """The original's values that stand in texts, by their words, and whose they are."""

    said: dict[str, list[_TextValue]]
    codes: list[Ints]  # by column, of each row; -1 for what stands in no text
    chance: list[float]  # by column, that a number like its own is one that a single person has
    n_rows: int


@dataclass(frozen=True)
class Texts:
    """Texts of one kind beside a table; `in_order` if a record may go on in the next of them."""

    texts: Sequence[str]
    in_order: bool = False


def count_disclosed(original: Table, groups: Sequence[Texts]) -> list[int]:
    """How many texts of each group tell of one person, by themselves or one after the other."""
    every = [(place, text) for place, group in enumerate(groups) for text in group.texts if text]
    read: list[list[Forms]] = [[] for _ in groups]
    for (place, _), forms in zip(every, _spell([text for _, text in every]), strict=True):
        read[place].append(forms)
    joined = [
        _join(forms) if group.in_order else [] for group, forms in zip(groups, read, strict=True)
    ]
    if not every or not original.frame.height:
        return [0] * len(groups)
    held = _hold(original, [words for group in read for forms in group for words in forms])
    names = {word for name in original.frame.columns for word in _words([name])[0]}
    names |= {w for one in original.variables.values() for w in _words([one.label or ""])[0]}
    found = []
    for group, whole in zip(read, joined, strict=True):
        n = sum(any(_is_disclosive(words, held, names) for words in forms) for forms in group)
        n = n or int(any(_is_disclosive(words, held, names) for words in whole))
        found.append(n or _count_single(group, held))
    return found


Forms = list[list[str]]
"""The words of a text, in each way in which it may be read."""


def _spell(texts: Sequence[str]) -> Iterator[Forms]:
    """The words of each text, as they stand, with thousands joined, and with what is encoded."""
    ways = []
    for text in texts:
        forms = {text: None, _THOUSANDS.sub("", text): None}
        if decoded := " ".join(_decoded(text)):
            forms[f"{_ENCODED.sub(' ', text)} {decoded}"] = None
        ways.append(list(forms))
    words = iter(_words([way for found in ways for way in found]))
    for found in ways:
        yield [next(words) for _ in found]


def _decoded(text: str) -> Iterator[str]:
    """Words that are hexadecimal or base64, read."""
    for word in _ENCODED.findall(text):
        for read in (bytes.fromhex, _from_base64):
            try:
                said = read(word).decode()
            except (ValueError, binascii.Error):
                continue
            if said.isprintable():
                yield said
                break


def _from_base64(word: str) -> bytes:
    return base64.b64decode(word + "=" * (-len(word) % 4), altchars=b"-_" if "-" in word else None)


def _words(texts: Sequence[str]) -> Forms:
    """Folded words of texts; numbers without the zeros that they need not have."""
    bare = pl.Series([_ZEROS.sub(r"\1", text) for text in texts], dtype=pl.String)
    plain = fold_text(bare).str.replace_all(r"[^\p{L}\p{N}]+", " ")
    plain = plain.str.replace_all(r"(^| )0+(\d)", "${1}${2}").str.strip_chars()
    return [text.split() for text in plain]


def _join(group: Sequence[Forms]) -> Forms:
    """All texts of a group as one: a record may stand in several labels, a value in each."""
    return [[word for forms in group for word in forms[0]]] if len(group) > 1 else []


def _hold(original: Table, texts: Sequence[Sequence[str]]) -> _TextValues:
    """Look up which values of the original stand in the texts."""
    grams = {
        " ".join(words[i : i + n])
        for words in texts[:_MOST_TEXTS]
        for i in range(len(words))
        for n in range(1, _LONGEST + 1)
    }
    asked = pl.Series(sorted(grams), dtype=pl.String)
    said: dict[str, list[_TextValue]] = defaultdict(list)
    codes, chance = [], []
    n_rows = original.frame.height
    for place, name in enumerate(original.frame.columns):
        column = original.frame[name].alias("v")  # polars takes some names for patterns
        if column.dtype.is_nested() or column.dtype == pl.Boolean:
            column = pl.Series("v", [None] * n_rows, dtype=pl.String)
        levels = column.drop_nulls().unique(maintain_order=True)
        counts = levels.to_frame().join(
            column.drop_nulls().value_counts(name="n"), on="v", maintain_order="left"
        )["n"]
        n_alone = int((counts == 1).sum())
        is_own = 2 * n_alone >= n_rows
        chance.append(_chance(levels, n_alone) if is_own else 1.0)
        kept = set[int]()
        for spelling in _spellings(levels, original, name):
            for level in spelling.is_in(asked.implode()).arg_true():
                n = int(counts[level])
                one = _TextValue(place, level, n / n_rows, is_own and n == 1)
                if one not in said[spelling[level]]:
                    said[spelling[level]].append(one)
                    kept.add(level)
        codes.append(_codes(column, levels, sorted(kept)))
    return _TextValues(dict(said), codes, chance, n_rows)


def _codes(column: pl.Series, levels: pl.Series, kept: list[int]) -> Ints:
    if not kept:
        return np.full(len(column), -1)
    return (
        column.replace_strict(
            levels.gather(kept), pl.Series(kept), default=-1, return_dtype=pl.Int64
        )
        .fill_null(-1)
        .to_numpy()
    )


def _spellings(levels: pl.Series, original: Table, name: str) -> Iterator[pl.Series]:
    """Values as texts may have them: as they stand, as dates in other orders, by their labels."""
    if levels.dtype in (pl.Date, pl.Datetime):
        forms = [levels.dt.to_string(form) for form in ("%Y-%m-%d", "%d-%m-%Y", "%m-%d-%Y")]
    elif levels.dtype.is_float():
        whole = levels.cast(pl.Int64, strict=False)
        is_whole = (whole == levels).fill_null(value=False)
        forms = [whole.cast(pl.String).zip_with(is_whole, levels.cast(pl.String))]
    else:
        forms = [levels.cast(pl.String)]
    declared = original.variables.get(name)
    if declared is not None and declared.levels:
        labels = {str(one.code).removesuffix(".0"): one.label for one in declared.levels}
        forms.append(forms[0].replace_strict(labels, default=None, return_dtype=pl.String))
    for form in forms:
        words = _words(form.fill_null("").to_list())
        yield pl.Series([" ".join(one[:_LONGEST]) or None for one in words], dtype=pl.String)


def _chance(levels: pl.Series, n_alone: int) -> float:
    """How often a number drawn anew in the range of a column is one that a single person has."""
    if not levels.dtype.is_numeric() and not levels.dtype.is_temporal():
        return 0.0
    numbers: Floats = levels.to_physical().cast(pl.Float64).drop_nans().to_numpy()
    if levels.dtype.is_float():
        digits = next((d for d in range(9) if levels.round(d).equals(levels)), 9)
        return min(1.0, n_alone / (float(np.ptp(numbers)) * 10.0**digits + 1))
    return min(1.0, n_alone / (float(np.ptp(numbers)) + 1))


def _parts(words: Sequence[str], held: _TextValues) -> dict[str, int]:
    """Values that stand in a text, the longest first, and of how many words each is."""
    parts: dict[str, int] = {}
    start = 0
    while start < len(words):
        for n in range(min(_LONGEST, len(words) - start), 0, -1):
            gram = " ".join(words[start : start + n])
            if gram in held.said:
                parts[gram] = n
                break
        start += n
    return parts


def _is_disclosive(words: Sequence[str], held: _TextValues, names: set[str]) -> bool:
    """Whether a text holds values of one person's row, and not by chance."""
    parts = _parts(words, held)
    columns = {one.column for part in parts for one in held.said[part]}
    if min(len(parts), len(columns)) < LEAST_COLUMNS:
        return False
    by_part = np.zeros(held.n_rows, np.int64)
    by_column = {place: np.zeros(held.n_rows, bool) for place in columns}
    for part in parts:
        has = np.zeros(held.n_rows, bool)
        for one in held.said[part]:
            here = held.codes[one.column] == one.level
            has |= here
            by_column[one.column] |= here
        by_part += has
    met = np.minimum(by_part, np.sum(list(by_column.values()), axis=0))
    best = int(met.max())
    if best < LEAST_COLUMNS or (met == best).sum() > 1:
        return False
    row = int(met.argmax())
    own = [
        part
        for part in parts
        if any(held.codes[one.column][row] == one.level for one in held.said[part])
    ]
    return _is_record(words, parts, own, held, names)


def _is_record(
    words: Sequence[str], parts: dict[str, int], own: list[str], held: _TextValues, names: set[str]
) -> bool:
    """Whether one person's values are what a text says, or would hardly meet in it by chance."""
    shares = (min(1.0, sum(one.share for one in held.said[part])) for part in own)
    expected = held.n_rows * comb(len(parts), len(own)) * prod(shares)
    if expected < _NEVER:
        return True
    n_own = sum(parts[part] for part in own)
    n_other = sum(word not in names for word in words)
    covered = n_own / max(n_other, n_own)
    n_words = sum(len(held.said[part]) == 1 and not part[0].isdigit() for part in own)
    is_whole = len(own) >= max(LEAST_COLUMNS + 1, _NEARLY_ONLY * len(held.codes))
    if covered >= _NEARLY_ONLY and (n_words >= _WORDS or is_whole):
        return True
    return covered >= _MOSTLY and (n_words >= LEAST_COLUMNS or expected < _HARDLY)


def _count_single(group: Sequence[Forms], held: _TextValues) -> int:
    """Texts with a value that a single person has, where hardly any would by chance.

    Words say less than numbers and codes: a label may be what one person answered.
    """
    found: dict[tuple[int, bool], set[int]] = defaultdict(set)
    n_numbers = sum(word.isdigit() for forms in group for word in forms[0])
    for place, forms in enumerate(group):
        for part in {part for words in forms for part in _parts(words, held)}:
            has_digits = any(letter.isdigit() for letter in part)
            for one in held.said[part]:
                if one.is_alone and len(part) >= _LEAST_LETTERS:
                    found[one.column, has_digits].add(place)
    return max(
        (
            len(places)
            for (column, has_digits), places in found.items()
            if _is_rare(len(places), held.chance[column], n_numbers)
            and (has_digits or len(places) >= max(_WORDS, _PART * len(group)))
        ),
        default=0,
    )


def _is_rare(n: int, chance: float, n_numbers: int) -> bool:
    """Whether so many of some numbers would hardly be met: a bound of the binomial's tail."""
    return chance == 0 or comb(max(n_numbers, n), n) * chance**n < _SINGLE
