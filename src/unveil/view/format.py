"""How figures, names and lists are written for people: one place, so that all pages agree.

Percentages have one decimal and never round a person away: a positive share is "less than 0.1 %",
never "0.0 %", and "more than 99.9 %" is not everyone. Names that come from data are hostile text:
control characters and marks that turn the writing direction are made visible, and long ones cut.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import ceil, floor
from string import Formatter
from typing import Any

from unveil.records.base import Copy
from unveil.records.limits import MEASURES

LONGEST_NAME = 60
MISSING = "(missing)"
_NO_LEVEL = re.compile(r'"(?:[^"]|"")*"|=(?=@|$)')


def percent(value: float) -> str:
    """A percentage as people read it."""
    shown = f"{value:.1f}"
    if value and shown in ("0.0", "-0.0"):
        return "less than 0.1 %" if value > 0 else "just below 0 %"
    if shown == "100.0" and value < 100:
        return "more than 99.9 %"
    return f"{shown} %" if value else "0 %"


def percent_or_dash(value: float | None) -> str:
    """A percentage in a table; a dash where nothing could be measured."""
    return "-" if value is None else percent(value)


def format_share(value: float | None) -> str:
    """A share as a percentage in a table; a dash where nothing could be measured."""
    return percent_or_dash(None if value is None else 100 * value)


def copy_name(copy: Copy) -> str:
    """A copy before a row of its figures."""
    return {"mean": "mean", "pooled": "all pooled"}.get(str(copy), f"copy {copy}")


def limit_text(measure: str, value: float) -> str:
    """A limit as its custodian typed it."""
    return f"{value:.15g}{' %' if MEASURES[measure].unit == 'percent' else ''}"


def percent_figure(value: float | None) -> str:
    """A percentage in a dense table, with two decimals as in the paper and without its sign."""
    return format_figure(value, 2)


def rounded_percent(value: float | None) -> str:
    """A percentage in a grid, with one decimal and without its sign; never a positive 0.0."""
    return format_figure(value, 1)


def format_figure(value: float | None, digits: int, sign: str = "") -> str:
    """A figure with so many decimals, never rounded to nothing; a dash where there is none."""
    if value is None:
        return "-"
    shown = f"{value:{sign}.{digits}f}"
    if value and not float(shown):
        least = 10.0**-digits
        return f"<{sign}{least:.{digits}f}" if value > 0 else f">-{least:.{digits}f}"
    return shown if value else "0"


def format_value(value: float, unit: str) -> str:
    """A figure that a limit can be set on."""
    if unit == "count":
        return f"{value:,.0f}"
    return percent(value) if unit == "percent" else ratio(value)


def ratio(value: float | None) -> str:
    """A share from 0 to 1 with two decimals, as Raab's Table 3 has R; never a positive 0.00."""
    return format_figure(value, 2)


def format_signed(value: float | None) -> str:
    """A difference with its sign and two decimals; never a 0.00 that is not 0."""
    return format_figure(value, 2, "+")


def n_of(value: float, total: int) -> str:
    """How many people a percentage is of so many; "about" where it is a mean over copies."""
    exact = value * total / 100
    whole = round(exact)
    return f"{whole:,}" if abs(exact - whole) < 1e-6 else f"about {whole:,}"


def truncate(text: str) -> str:
    """A name from the data, safe to show anywhere text is shown."""
    shown = visible(text)
    return shown if len(shown) <= LONGEST_NAME else shown[: LONGEST_NAME - 1] + "…"


def format_rule(rule: str) -> str:
    """An exclusion as it is read: one without a level excludes the missing level."""
    return _NO_LEVEL.sub(lambda found: f"={MISSING}" if found[0] == "=" else found[0], rule)


def visible(text: str) -> str:
    """Text from the data with every character that steers a terminal or a page made visible."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _is_plain(c) else f"\\u{ord(c):04x}" for c in text)


def _is_plain(character: str) -> bool:
    # Cc: control (terminal escapes among them), Cf: direction marks, Zl/Zp: line breaks; Cn: no
    # character, some of which no page may hold.
    return unicodedata.category(character) not in ("Cc", "Cf", "Cn", "Cs", "Co", "Zl", "Zp")


def and_list(names: Iterable[str]) -> str:
    """Names in a sentence: "sex, age and region"."""
    shown = [truncate(text) for text in names]
    if len(shown) < 2:
        return "".join(shown)
    return f"{', '.join(shown[:-1])} and {shown[-1]}"


def people(count: int) -> str:
    """A number of people."""
    return format_count(count, "person", "people")


def format_count(count: int, one: str, many: str | None = None) -> str:
    """A number of things, in the singular where it is one."""
    return f"1 {one}" if count == 1 else f"{count:,} {many or one + 's'}"


def format_copies(n_synthetic: Sequence[int], by: str = "") -> str:
    """How many records the synthetic data have, or each of several copies."""
    if len(n_synthetic) == 1:
        return f"{format_count(n_synthetic[0], 'record')} in the synthetic data{by}"
    return f"{len(n_synthetic)} copies{by} of {and_list(f'{n:,}' for n in n_synthetic)} records"


def agree(count: int | str, one: str = "is", many: str = "are") -> str:
    """The word that follows a count: 1 "is", 2 "are", about 1 "is"."""
    return one if str(count).removeprefix("about ") == "1" else many


class _Agreement(Formatter):
    """Templates in which a word follows a count: "{k} of {N} people {k:is|are} unique"."""

    def format_field(self, value: Any, format_spec: str) -> Any:
        one, bar, many = format_spec.partition("|")
        if not bar:
            return super().format_field(value, format_spec)
        return agree(value, one, many)


def fill(template: str, **values: Any) -> str:
    """A template with its values, each verb and noun in the number of its count."""
    return _Agreement().vformat(template, (), values)


def copy_phrase(copy: Copy) -> str:
    """Which of several copies a figure is of."""
    if isinstance(copy, int):
        return f"copy {copy}"
    return "all copies pooled" if copy == "pooled" else "mean of the copies"


def lines(text: str) -> str:
    """A message of one or several lines with names from the data in it, made safe to show."""
    return "\n".join(visible(line) for line in text.split("\n"))


# Probabilities: never a positive one as 0, nor one below 1 as 1

DECIMALS = 1000
OPEN = "not settled"
"""What is said of a probability of which nothing is known: that it lies between 0 and 1."""


def is_open(low: float | Fraction, high: float | Fraction) -> bool:
    """Whether two bounds say nothing."""
    return low <= 0 and high >= 1


def probability(value: float | Fraction) -> str:
    """A probability in a sentence."""
    shown = _round_probability(value)
    return {"<0.001": "less than 0.001", ">0.999": "more than 0.999"}.get(shown, shown)


def probability_figure(low: float | Fraction, high: float | Fraction) -> str:
    """A probability in a table; where only bounds are known both, rounded outwards."""
    if _is_one_figure(low, high):
        return _round_probability(high)
    if is_open(low, high):
        return OPEN
    return f"{_down(low)}-{_up(high)}"


def between(low: float | Fraction, high: float | Fraction) -> str | None:
    """Bounds in a sentence, rounded outwards; None where they are one figure."""
    if _is_one_figure(low, high):
        return None
    if is_open(low, high):
        return OPEN
    below = {">0": "more than 0"}.get(_down(low), _down(low))
    above = {"<1": "less than 1"}.get(_up(high), _up(high))
    return f"between {below} and {above}"


def _is_one_figure(low: float | Fraction, high: float | Fraction) -> bool:
    # What floating point leaves open is far below the last digit that is shown.
    return _round_probability(low) == _round_probability(high) or high - low < 1e-6


def _round_probability(value: float | Fraction) -> str:
    if value in (0, 1):
        return f"{int(value)}"
    shown = f"{float(value):.3f}"
    return {"0.000": "<0.001", "1.000": ">0.999"}.get(shown, shown)


def _down(value: float | Fraction) -> str:
    if value in (0, 1):
        return f"{int(value)}"
    cut = floor(value * DECIMALS)
    return f"{cut / DECIMALS:.3f}" if cut else ">0"


def _up(value: float | Fraction) -> str:
    if value in (0, 1):
        return f"{int(value)}"
    cut = ceil(value * DECIMALS)
    return f"{cut / DECIMALS:.3f}" if cut < DECIMALS else "<1"
