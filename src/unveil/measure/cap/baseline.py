"""What does the intruder know about the target already, without any copy?

Taub et al. (2018), equation 5: by default the shares of the target's levels in the original. "In
principle, the baseline could be set to any level": a number, a published marginal, or a table of
what is known given some of the keys.
"""

import math
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from typing import Any

import numpy as np

from unveil.arguments import is_like_data, number_in, number_in_text, quote_value
from unveil.arrays import Floats, Ints
from unveil.count.codes import CodedColumn, code_of
from unveil.count.packing import number, pack
from unveil.errors import RolesError, SettingsError, list_names
from unveil.io.sources import read_table
from unveil.measure.cap.classes import KeyClasses, sum_agreeing_levels
from unveil.records.disclosure import Coercion

# A table of what an intruder knows already: how is it written, and what does it say of a person?
#
# Rows of target values with counts or shares and, where more is known, levels of some keys.
# Counts (whole numbers) become shares within each combination of these keys; shares must add up
# to 1 there.


# Published shares are rounded: so far from 1 may they add up.
ROUNDING = 0.02

Texts = tuple[str, ...]


@dataclass(frozen=True)
class PriorTable:
    """The share of each target value given the levels of `keys`; values are texts, "" missing."""

    keys: Texts
    targets: Texts
    rows: tuple[Texts, ...]  # keys, then targets
    shares: Floats

    def compute_by_cell(self, classes: KeyClasses) -> Floats:
        """The share that each cell of the original has; 0 where the table does not have it."""
        named = {column.name: column for column in (*classes.key_columns, *classes.joint.parts)}
        columns = [named[name] for name in (*self.keys, *self.targets)]
        listed_codes = [
            _codes([row[i] for row in self.rows], column) for i, column in enumerate(columns)
        ]
        self._check_known(listed_codes, columns)
        own_codes = [_own_codes(classes, column) for column in columns]
        # Table and cells are stacked, so that equal numbers are equal combinations in both. A value
        # that the data do not have has a code of its own, which no cell has.
        digits = [
            (np.concatenate(both), column.n_levels + 1)
            for *both, column in zip(listed_codes, own_codes, columns, strict=True)
        ]
        n_rows = len(self.rows)
        ids, n_ids = number(*pack(digits, n_rows + len(classes.own)))
        shares: Floats = np.bincount(ids[:n_rows], self.shares, minlength=n_ids).astype(float)
        return shares[ids[n_rows:]]

    def _check_known(self, codes: Sequence[Ints], columns: Sequence[CodedColumn]) -> None:
        for of_rows, column in zip(codes, columns, strict=True):
            if (of_rows == column.n_levels).all():
                raise SettingsError(
                    f"The baseline has no value of {column.name!r} that the data have. Write the"
                    " values as in the files."
                )


def _codes(texts: Sequence[str], column: CodedColumn) -> Ints:
    """The code of each text; one past the last where the data do not have it."""
    code_by_text = {text: code_of(column, text) for text in dict.fromkeys(texts)}
    found = (code_by_text[text] for text in texts)
    return np.array([column.n_levels if code is None else code for code in found], np.int64)


def _own_codes(classes: KeyClasses, column: CodedColumn) -> Ints:
    """The code that a key or a target has in each cell of the original."""
    targets = [part.name for part in classes.joint.parts]
    if column.name in targets:
        return classes.joint.places[targets.index(column.name)][classes.t]
    of_key = classes.codes_of_keys[classes.key_names.index(column.name)]
    return of_key[classes.q].astype(np.int64)


def parse_prior(given: Mapping[Any, Any], targets: Sequence[str]) -> PriorTable:
    """A published marginal: {value: count or share}, {(value, value): ...} for a joint target."""
    rows = []
    for value in given:
        parts = value if len(targets) > 1 and isinstance(value, tuple) else (value,)
        if len(parts) != len(targets):
            raise SettingsError(
                f"A value in the baseline has {len(parts)} of {len(targets)} parts. Write"
                f" {list_names(targets)} as a tuple, in this order."
            )
        rows.append(tuple(text_of(part) for part in parts))
    return _make_prior((), tuple(targets), rows, list(given.values()))


def read_prior(
    source: Any, *, keys: Sequence[str], targets: Sequence[str], missing_values: Sequence[str]
) -> PriorTable:
    """A file or frame: the target's columns, any of the keys, and one column of numbers."""
    table = read_table(source, side="baseline", missing_values=missing_values)
    names = table.frame.columns
    others = [name for name in names if name not in (*keys, *targets)]
    if len(others) != 1 or not set(targets) <= set(names):
        found = f"Its columns are: {list_names(names)}"
        if is_like_data(names):
            found = "Its first line looks like a record, not like names of columns"
        raise RolesError(
            "A table as a baseline has the columns of the target, any of the keys, and one column"
            f" of counts or shares. {found}; the target is: {list_names(targets)}; the keys are:"
            f" {list_names(keys)}."
        )
    known = tuple(name for name in keys if name in names)
    columns = [table.frame[name].to_list() for name in (*known, *targets)]
    rows = [tuple(map(text_of, row)) for row in zip(*columns, strict=True)]
    return _make_prior(known, tuple(targets), rows, table.frame[others[0]].to_list())


def _make_prior(
    keys: Texts, targets: Texts, rows: Sequence[Texts], given: Sequence[Any]
) -> PriorTable:
    numbers = np.array([_number(one) for one in given], float)
    total: defaultdict[Texts, float] = defaultdict(float)
    for row, share in zip(rows, numbers.tolist(), strict=True):
        total[row[: len(keys)]] += share
    of_rows = np.array([total[row[: len(keys)]] for row in rows])
    is_share = bool((numbers != np.rint(numbers)).any())
    where = " for each combination of the keys in it" if keys else ""
    if is_share and (abs(of_rows - 1) > ROUNDING).any():
        raise SettingsError(
            f"The shares of the baseline do not add up to 1{where}. Give every value of the target"
            " its share, or give counts."
        )
    if not len(numbers) or not (of_rows > 0).all():
        raise SettingsError(f"The counts of the baseline are all 0{where}. Give those above 0.")
    return PriorTable(keys, targets, tuple(rows), numbers / of_rows)


def _number(given: Any) -> float:
    value = number_in(given)
    if value is None or not math.isfinite(value) or value < 0:
        # Not quoted: whoever names the wrong file must not find its cells in a message.
        raise SettingsError(
            "A count or share of the baseline is negative or not a number. Give numbers of at"
            " least 0."
        )
    return value


def text_of(value: Any) -> str:
    """A value as text in which the levels of a column are looked up; missing is nothing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date | time) else str(value)


MARGINAL = "marginal"


@dataclass(frozen=True)
class Baseline:
    """What is known already: the marginal of the original, a number, or a table."""

    number: float | None = None
    known: PriorTable | None = None

    @property
    def text(self) -> str:
        """What it is, in a few words."""
        if self.number is not None:
            return f"{self.number:.15g}"
        if self.known is None:
            return MARGINAL
        keys = self.known.keys
        return f"table by {', '.join(keys)}" if keys else "published marginal"

    def compute_by_cell(self, classes: KeyClasses) -> Floats:
        """CAP_b of the people in each cell of the original."""
        if self.number is not None:
            return np.full(len(classes.own), self.number)
        if self.known is not None:
            return self.known.compute_by_cell(classes)
        return _marginal(classes) / classes.n_original

    def check_keys(self, key_names: Sequence[str]) -> None:
        """Refuse a table by keys that this intruder does not know."""
        others = [name for name in self.known.keys if name not in key_names] if self.known else []
        if others:
            raise RolesError(
                f"The baseline is a table by {list_names(others)}, which an intruder with the keys"
                f" {list_names(key_names)} does not know. Remove it from the table."
            )

    def notes(self, classes: KeyClasses) -> tuple[Coercion, ...]:
        """How many people a table says nothing about."""
        if self.known is None:
            return ()
        n = int(classes.d_tq[self.known.compute_by_cell(classes) == 0].sum())
        sentence = (
            f"The table has no count above 0 for {n:,} of {classes.n_original:,} original records:"
            " their baseline is 0."
        )
        note = Coercion(side="baseline", column=None, kind="baseline", sentence=sentence)
        return (note,) if n else ()


def _marginal(classes: KeyClasses) -> Ints:
    """For each cell, the original records of whatever keys whose target agrees (equation 5)."""
    joint = classes.joint
    d_t = np.bincount(classes.t, classes.d_tq, minlength=joint.n_levels).astype(np.int64)
    return d_t[classes.t] if joint.is_exact else sum_agreeing_levels(joint, d_t)[classes.t]


def parse_baseline(
    given: Any,
    *,
    keys: Sequence[str],
    targets: Sequence[str],
    has_tolerance: bool = False,
    missing_values: Sequence[str] = (),
) -> Baseline:
    """A baseline as people give it: nothing, "marginal", a number, shares by value, or a table."""
    if given is None or (isinstance(given, str) and given == MARGINAL):
        return Baseline()
    value = number_in(given) if not isinstance(given, str) else number_in_text(given)
    if value is not None:
        if not 0 <= value <= 1:
            raise SettingsError(f"The baseline is {value:.15g}. Give a share from 0 to 1.")
        return Baseline(number=value)
    if has_tolerance:
        raise SettingsError(
            "A table as a baseline has no tolerance. Give the baseline as a number, or omit it."
        )
    if isinstance(given, Mapping):
        return Baseline(known=parse_prior(given, targets))
    if isinstance(given, str | os.PathLike) or hasattr(given, "columns"):
        known = read_prior(given, keys=keys, targets=targets, missing_values=missing_values)
        return Baseline(known=known)
    raise SettingsError(
        f"The baseline is {quote_value(given)}. Give a share from 0 to 1, {{value: share}}, or a"
        " table with the target and a column of counts or shares."
    )
