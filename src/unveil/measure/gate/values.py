"""What does a cell say, whatever its spelling? Folded text, numbers and days, level by level."""

import numpy as np
import polars as pl

from unveil.arrays import Floats

# Small letters of other alphabets that look like a Latin one, in this case or as capitals; NFKD
# takes care of accents, widths and ligatures.
_ALIKE = {
    **dict(
        zip(
            "аеорсухіјѕԁһӏвкмнтүѵԛԝέαβεζηικμνορςστυχϲϳłøđħŧıɑɡʏօսհոց",
            "aeopcyxijsdhlbkmhtyvqweabezhikmnopcctyxcjlodhtiagyouhng",
            strict=True,
        )
    ),
    **{"ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ð": "d"},
    # Digits: Arabic, Persian, Devanagari, Bengali, Thai.
    **{chr(zero + i): str(i) for zero in (0x660, 0x6F0, 0x966, 0x9E6, 0xE50) for i in range(10)},
}
# Greek letters that look like one Latin letter when small and like another as capitals: what stands
# beside a Latin letter is taken by its look, all else by its capital.
_SMALL_GREEK = dict(zip("νυημ", "vunu", strict=True))
_MARKS = r"[\p{M}\p{Cf}[\p{Cc}--\s]]"
_BREAKS = r"[\s_\p{Pd}.,;:'\u2018\u2019`\"\u2800\u3164\u115F\u1160]+"
_DATES = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%m-%d-%Y"),
    *("%Y%m%d", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y", "%d %b %Y", "%d %B %Y", "%b %d, %Y"),
    *("%B %d, %Y", "%d%b%Y", "%d-%b-%Y", "%d-%b-%y", "%Y.%m.%d"),
    *("%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%d.%m.%Y %H:%M", "%d/%m/%Y %H:%M"),
)
_FORMATS = (*_DATES, "%Y-%m", "%m/%Y", "%m.%Y", "%b %Y", "%B %Y")
# What is no digit and no month at its beginning is no date in any of them.
_DATE_START = r"^(?:[+-]?[0-9]|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))"
_MOST_FORMATS = 3
_PART = 0.3  # of what is left, that one more format has to read
_AMOUNT = (
    r"^([^0-9A-Za-z_\s+.,-]|EUR|USD|GBP|PLN|CHF|)\s*"
    r"([-+]?[0-9][0-9\s.,'\u2019]*?)\s*([^0-9\s]{0,6})$"
)
MOST = 0.9
"""A format is that of a column if it reads this share of its levels."""
DIGITS = 11
"""Numbers are equal if they agree in so many significant digits."""
_SAMPLE = 200


def fold_text(levels: pl.Series) -> pl.Series:
    """Text without what a reader calls no difference: Unicode form, look-alikes, case, blanks."""
    if (levels.str.len_bytes() != levels.str.len_chars()).any():
        levels = levels.str.normalize("NFKD")
        for letter, look in _SMALL_GREEK.items():
            if levels.str.contains(letter, literal=True).any():
                levels = levels.str.replace_all(_beside_latin(letter), f"${{1}}{look}${{2}}")
        levels = levels.str.to_lowercase().str.normalize("NFKD")
        levels = levels.str.replace_many(list(_ALIKE), list(_ALIKE.values()))
    plain = levels.str.to_lowercase().str.replace_all(_MARKS, "")
    return plain.str.replace_all(_BREAKS, " ").str.strip_chars()


def _beside_latin(letter: str) -> str:
    return f"([A-Za-z]){letter}|{letter}([A-Za-z])"


def round_digits(values: Floats) -> Floats:
    """Numbers to as many digits as are compared."""
    return pl.Series(values).round_sig_figs(DIGITS).to_numpy()


def read_numbers(levels: pl.Series) -> tuple[Floats, str] | None:
    """Levels of text as numbers or days; None where nearly all of them cannot be read.

    Also decimal commas, thousands, currencies and units; dates in up to three formats, for part of
    a file may be written otherwise. What is not read is NaN.
    """
    if not len(levels):
        return None
    plain = levels.str.strip_chars().cast(pl.Float64, strict=False)
    if plain.is_not_null().mean() >= MOST:  # type: ignore[operator]
        return floats_of(plain), "number"
    days = read_days(levels)
    if days is not None:
        return days, "date"
    probe = _parts(_probe(levels))
    has_digits = probe.struct.field("2").is_not_null()
    if has_digits.mean() < MOST:  # type: ignore[operator]
        return None
    if np.isfinite(_amounts(probe)).mean() >= MOST and _has_one_unit(probe):
        return _amounts(_parts(levels)), "number"
    return None


def read_days(levels: pl.Series) -> Floats | None:
    """Levels of text as days since 1970, months and years as their first; None for no dates."""
    text = levels.str.strip_chars()
    found = pl.Series([None] * len(text), dtype=pl.Date)
    for _ in range(_MOST_FORMATS):
        left = _probe(text.filter(found.is_null()))
        if not len(left) or left.str.contains(_DATE_START).mean() < _PART:  # type: ignore[operator]
            break
        best = max(_FORMATS, key=lambda form: _days(left, form).is_not_null().sum())
        if _days(left, best).is_not_null().mean() < _PART:  # type: ignore[operator]
            break
        found = found.zip_with(found.is_not_null(), _days(text, best))
    is_read = len(text) > 0 and found.is_not_null().mean() >= MOST  # type: ignore[operator]
    return floats_of(found.cast(pl.Int32)) if is_read else None


def read_years(levels: pl.Series) -> Floats | None:
    """Levels of text that are years, as the days of their first of January; None for others."""
    text = levels.str.strip_chars().str.strip_suffix(".0")
    is_year = text.str.contains(r"^(1[6-9]|20|21)\d\d$")
    return read_days(text + "-01-01") if len(text) and is_year.mean() >= MOST else None  # type: ignore[operator]


def _probe(levels: pl.Series) -> pl.Series:
    return levels.gather_every(max(1, len(levels) // _SAMPLE))


def floats_of(values: pl.Series) -> Floats:
    """Numbers as floats; what is none is NaN."""
    found = values.cast(pl.Float64).fill_null(np.nan).to_numpy().copy()
    found[~np.isfinite(found)] = np.nan
    return found


def _days(text: pl.Series, form: str) -> pl.Series:
    if "%H" in form:
        days = text.str.to_datetime(form, strict=False, time_unit="us").dt.date()
    elif "%d" not in form:
        days = ("1 " + text).str.to_date(f"%d {form}", strict=False)
    else:
        days = text.str.to_date(form, strict=False)
    # A year of two digits is no year of the first century.
    return days.set(days.dt.year() < 1000, None)


def _amounts(parts: pl.Series) -> Floats:
    """Numbers with a unit, a currency or signs between their digits; NaN where there is none."""
    body = parts.struct.field("2").str.replace_all(r"[\s'\u2019]", "")
    body = body.str.strip_chars_end(".,").alias("")
    last = body.str.extract(r"([.,])[^.,]*$")
    has_both = body.str.contains(",") & body.str.contains(".", literal=True)
    is_comma = (last == ",") & (has_both | ~body.str.contains(r"^[-+]?[0-9]{1,3}(,[0-9]{3})+$"))
    is_stop = (last == ".") & (has_both | (body.str.count_matches(".", literal=True) == 1))
    by_comma = body.str.replace_all(".", "", literal=True).str.replace_all(",", ".", literal=True)
    by_stop = body.str.replace_all(",", "", literal=True)
    whole = body.str.replace_all("[.,]", "")
    read = by_comma.zip_with(is_comma, by_stop.zip_with(is_stop, whole))
    return floats_of(read.cast(pl.Float64, strict=False))


def _has_one_unit(parts: pl.Series) -> bool:
    """Whether what stands around the digits, if anything, is the same: a unit, not a code."""
    around = (parts.struct.field("1") + "\0" + parts.struct.field("3")).drop_nulls().unique()
    return int((around != "\0").sum()) <= 1


def _parts(levels: pl.Series) -> pl.Series:
    """What stands before the digits, the digits, and what stands behind them."""
    text = levels.str.normalize("NFKC").str.strip_chars().str.replace_all("\u2212", "-")
    return text.str.extract_groups(_AMOUNT)
