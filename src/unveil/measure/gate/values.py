"""What does a cell say, whatever its spelling? Folded text, numbers and days, level by level."""

import re
import unicodedata

import numpy as np
import polars as pl
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Letters of other alphabets that look like a Latin one; NFKD takes care of widths and ligatures.
_ALIKE = dict(
    zip(
        "аеорсухіјѕԁһӏвкмнтАВЕКМНОРСТУХІЈЅοανρτυιΑΒΕΖΗΙΚΜΝΟΡΤΥΧłŁøØđĐß",
        "aeopcyxijsdhlbkmhtABEKMHOPCTYXIJSoavptuiABEZHIKMNOPTYXlLoOdDs",
        strict=True,
    )
)
_MARKS = r"[\p{M}\p{Cf}\p{Cc}]"
_BREAKS = r"[\s_\p{Pd}.,;:'\u2019`\"]+"
_DATES = (
    *("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y/%m/%d", "%d-%m-%Y", "%Y%m%d"),
    *("%d %b %Y", "%d %B %Y", "%b %d, %Y", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"),
)
_AMOUNT = re.compile(
    r"([^\w\s\-+.,]|EUR|USD|GBP|PLN|CHF|)\s*([-+]?\d[\d\s.,'\u2019]*)\s*([^\d\s]{0,6})", re.ASCII
)
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(,\d{3})+")
MOST = 0.9
"""A format is that of a column if it reads this share of its levels."""
DIGITS = 11
"""Numbers are equal if they agree in so many significant digits."""
_SAMPLE = 200


def fold_text(levels: pl.Series) -> pl.Series:
    """Text without what a reader calls no difference: Unicode form, look-alikes, case, blanks."""
    shown = levels.str.normalize("NFKD").str.replace_many(list(_ALIKE), list(_ALIKE.values()))
    plain = shown.str.replace_all(_MARKS, "").str.to_lowercase()
    return plain.str.replace_all(_BREAKS, " ").str.strip_chars()


def round_digits(values: Floats) -> Floats:
    """Numbers to as many digits as are compared."""
    return pl.Series(values).round_sig_figs(DIGITS).to_numpy()


def read_numbers(levels: pl.Series) -> tuple[Floats, str] | None:
    """Levels of text as numbers or days, by the one format that reads nearly all; else None.

    Also decimal commas, thousands, currencies and units. What the format does not read is NaN.
    """
    if not len(levels):
        return None
    plain = levels.str.strip_chars().cast(pl.Float64, strict=False)
    if plain.is_not_null().mean() >= MOST:  # type: ignore[operator]
        return _floats(plain), "number"
    probe = levels.gather_every(max(1, len(levels) // _SAMPLE))
    best = max(_DATES, key=lambda form: _days(probe, form).is_not_null().sum())
    if _days(probe, best).is_not_null().mean() >= MOST:  # type: ignore[operator]
        return _floats(_days(levels, best).cast(pl.Int32)), "date"
    if np.isfinite(_amounts(probe)).mean() >= MOST and _has_one_unit(probe):
        return _amounts(levels), "number"
    return None


def _floats(values: pl.Series) -> Floats:
    found = values.cast(pl.Float64).fill_null(np.nan).to_numpy().copy()
    found[~np.isfinite(found)] = np.nan
    return found


def _days(levels: pl.Series, form: str) -> pl.Series:
    text = levels.str.strip_chars()
    if "%H" in form:
        return text.str.to_datetime(form, strict=False).dt.date()
    return text.str.to_date(form, strict=False)


def _amounts(levels: pl.Series) -> Floats:
    return np.array([_amount(text) for text in levels.to_list()], np.float64)


def _has_one_unit(levels: pl.Series) -> bool:
    """Whether what stands around the digits is the same in all: a unit, not part of a code."""
    found = [_matched(text) for text in levels.to_list()]
    return len({(one[1], one[3]) for one in found if one}) == 1


def _matched(text: str) -> re.Match[str] | None:
    return _AMOUNT.fullmatch(unicodedata.normalize("NFKC", text).strip().replace("\u2212", "-"))


def _amount(text: str) -> float:
    """A number with a unit, a currency or signs between its digits; NaN where there is none."""
    found = _matched(text)
    if not found:
        return np.nan
    body = re.sub(r"[\s'\u2019]", "", found[2]).rstrip(".,")
    if "," in body and "." in body:
        is_comma_last = body.rfind(",") > body.rfind(".")
        body = body.replace(".", "").replace(",", ".") if is_comma_last else body.replace(",", "")
    elif "," in body:
        body = body.replace(",", "" if _THOUSANDS.fullmatch(body) else ".")
    elif body.count(".") > 1:
        body = body.replace(".", "")
    try:
        return float(body)
    except ValueError:
        return np.nan
