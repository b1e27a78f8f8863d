"""Which columns follow from others? Copies, sums, products, curves, and lookups.

A relation is found in the original, where the columns are as they were collected. What follows from
columns that are published is published too, whatever was done to the column itself.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal

import numpy as np
import polars as pl

from unveil.arrays import Floats, Mask
from unveil.count.kinds import kind_of_series
from unveil.models.regression import fit_plane
from unveil.records.codebook import Variable
from unveil.seeding import stream

RelationKind = Literal[
    "copy", "linear", "product", "terms", "curve", "lookup", "coarse", "together"
]
Term = tuple[tuple[str, int], ...]
"""Columns with their powers, multiplied: price * quantity, or total / quantity."""

CLOSE = 0.02
"""A relation holds where 19 of 20 rows are within this share of the column's spread."""
COARSE = 0.2
"""A column is a coarse form of another whose half are given to within this share of the spread."""
_FINE_GRID = 0.1  # of the spread: numbers that are whole hide a relation by half a step
_EXACT = 1e-7  # looked for first: the difference of two dates is lost beside one of them otherwise
_SURE = 0.95
_MOST_ROWS = 4_000
_MOST_COLUMNS = 60
_MOST_FOUND = 4
_FEWEST_ROWS = 20
_ROWS_PER_COLUMN = 5
_OFTEN_KNOWN = 0.8
_REPEATED = 0.9  # of the rows must share their level, or any column would be a lookup
_DEPENDENT = 0.99
_MOST_LEVELS = 0.2  # of the rows
_MOST_CODES = 6  # that no one declared, at either end of a column
_FAR_GAPS = 10.0
_OFTEN_REPEATED = 0.005
_ONE_CURVE = 0.999  # rank correlation of a column and a rising or falling function of it
_MOST_KNOTS = 200
_MOST_TRIPLED = 8  # columns of which three are multiplied and divided
_MOST_FACTORS = 24  # columns whose products and ratios are tried; those of most values
_FEWEST_FACTORED = 50  # rows, or among so many terms two would fit by chance
_SEARCHED_ROWS = 1_000
_MOST_TRIES = 200
_MOST_STARTS = 8
_MOST_TERMS = 4
_EXPLAINS = 0.2
_ONE_DIRECTION = 1e-8  # of two terms that hardly differ no weights can be found


@dataclass(frozen=True, eq=False)
class Relation:
    """How one column follows from others: weight = 0.0001 * bmi * height^2."""

    column: str
    sources: tuple[str, ...]
    kind: RelationKind
    weights: tuple[float, ...] = ()  # slopes, or exponents of a product
    constant: float = 0.0  # added, or multiplied
    terms: tuple[Term, ...] = ()  # of a sum of products, one for each weight
    levels: pl.DataFrame | None = field(default=None, repr=False)  # by, value: lookups and curves

    @property
    def text(self) -> str:
        """The relation as a formula; a lookup names its column only."""
        if self.kind in ("lookup", "coarse", "curve", "together"):
            return f"{self.column} follows from {', '.join(self.sources)}"
        if self.kind == "copy":
            return f"{self.column} = {self.sources[0]}"
        if self.kind == "product":
            powers = [
                name if power == 1 else f"{name}^{power:.4g}"
                for name, power in zip(self.sources, self.weights, strict=True)
            ]
            factor = [] if abs(self.constant - 1) < 1e-9 else [f"{self.constant:.4g}"]
            return f"{self.column} = {' * '.join([*factor, *powers])}"
        names = [_product_text(term) for term in self.terms] or self.sources
        terms = [_term(name, slope) for name, slope in zip(names, self.weights, strict=True)]
        terms = [one.replace(" * 1 / ", " / ") for one in terms] if self.terms else terms
        shift = [f"{self.constant:.4g}"] if self.constant else []
        return f"{self.column} = {' + '.join([*terms, *shift])}".replace("+ -", "- ")

    def values(self, frame: pl.DataFrame) -> pl.Series:
        """What the relation gives for every row; missing where a source is."""
        if self.kind == "curve":
            assert self.levels is not None
            by, value = (self.levels[name].to_numpy() for name in ("by", "value"))
            read = np.interp(column_numbers(frame[self.sources[0]]), by, value)
            return pl.Series(read).fill_nan(None).alias(self.column)
        if self.kind in ("lookup", "coarse") or (self.kind == "copy" and not self.weights):
            source = frame[self.sources[0]]
            if self.kind == "copy":
                return source.alias(self.column)
            assert self.levels is not None
            asked = pl.DataFrame({"by": source.cast(self.levels.schema["by"], strict=False)})
            found = asked.join(
                self.levels, on="by", how="left", nulls_equal=True, maintain_order="left"
            )
            return found["value"].alias(self.column)
        own = {name: column_numbers(frame[name]) for name in self.sources}
        parts = [_multiply(term, own) for term in self.terms] or [*own.values()]
        x, weights = np.column_stack(parts), np.array(self.weights)
        with np.errstate(all="ignore"):
            if self.kind == "product":
                made = self.constant * np.prod(np.where(x > 0, x, np.nan) ** weights, axis=1)
            else:
                made = self.constant + x @ weights
        known = pl.Series(np.where(np.isfinite(made), made, np.nan)).fill_nan(None)
        return known.alias(self.column)


def _multiply(term: Term, table: Mapping[str, Floats]) -> Floats:
    with np.errstate(all="ignore"):
        made: Floats = np.prod([table[name] ** float(power) for name, power in term], axis=0)
    return made


def _product_text(term: Term) -> str:
    above = " * ".join(name for name, power in term if power > 0) or "1"
    return " / ".join([above, *(name for name, power in term if power < 0)])


def _term(name: str, slope: float) -> str:
    shown = f"{slope:.4g}"
    return {"1": name, "-1": f"-{name}"}.get(shown, f"{shown} * {name}")


def column_numbers(series: pl.Series, codes: Sequence[float] = ()) -> Floats:
    """A column as numbers, days for dates; NaN where it is missing, a code, or no number."""
    dtype, series = series.dtype, series.alias("")  # some names polars takes for patterns of names
    if dtype == pl.Date:
        series = series.cast(pl.Int32)
    elif dtype == pl.Datetime:
        series = series.dt.epoch("s") / 86_400
    elif not (dtype.is_numeric() or dtype == pl.Boolean):
        return np.full(len(series), np.nan)
    found = series.cast(pl.Float64).fill_null(np.nan).to_numpy().astype(np.float64)
    found[~np.isfinite(found) | np.isin(found, codes)] = np.nan
    return found


def find_named_codes(frame: pl.DataFrame, variables: Mapping[str, Variable]) -> list[str]:
    """Columns of numbers that only name levels, by what is declared of them: they obey no sum."""
    kinds = {
        name: kind_of_series(frame[name], said)
        for name, said in variables.items()
        if name in frame.columns and frame.schema[name].is_numeric()
    }
    return [name for name, kind in kinds.items() if kind in ("category", "ordered")]


def codes_as_text(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """A frame in which the codes of some columns are the texts that they might as well be."""
    held = [frame[name] for name in names if name in frame.columns]
    numbers = [one for one in held if one.dtype.is_numeric()]
    return frame.with_columns(one.cast(pl.Float64).cast(pl.String) for one in numbers)


def find_relations(
    frame: pl.DataFrame,
    column: str,
    among: Sequence[str],
    special_codes: Mapping[str, Sequence[float]] | None = None,
    *,
    is_thorough: bool = False,
) -> tuple[Relation, ...]:
    """Ways to compute a column from others, each with as few of them as will do.

    `is_thorough` also looks for sums of products, and for what holds once codes are put aside that
    no one declared.
    """
    codes = special_codes or {}
    others = [name for name in among if name != column]
    found = [*_copies(frame, column, others)]
    taken = {one.sources[0] for one in found}
    if frame.height > _MOST_ROWS:  # evenly spread, so that a sorted file is seen whole
        rows = np.linspace(0, frame.height - 1, _MOST_ROWS).astype(np.int64)
        frame = frame[rows]
    y = column_numbers(frame[column], codes.get(column, ()))
    left = [name for name in others if name not in taken]
    table = {name: column_numbers(frame[name], codes.get(name, ())) for name in left}
    if np.isfinite(y).mean() > _OFTEN_KNOWN / 2:
        numeric = _sums_and_products(column, y, table)
        if not numeric and is_thorough:
            plain = {name: drop_codes(x) for name, x in table.items()}
            numeric = _sums_and_products(column, drop_codes(y), plain)
        numeric += _sums_of_products(column, y, table) if is_thorough else []
        alone = {one.sources[0] for one in numeric if len(one.sources) == 1}
        if is_thorough:
            numeric += _curves(column, y, {n: x for n, x in table.items() if n not in alone})
        found += numeric or ([*_obeyed_by_most(column, y, table)] if is_thorough else [])
    taken |= {one.sources[0] for one in found if len(one.sources) == 1}
    found += _lookups(frame, column, [name for name in left if name not in taken])
    return tuple(found)


def find_coarse(
    frame: pl.DataFrame,
    column: str,
    among: Sequence[str],
    special_codes: Mapping[str, Sequence[float]] | None = None,
) -> tuple[Relation, ...]:
    """Columns that are a coarse form of a number, as its bands are, or give one: a rounded index.

    They say no value exactly. Whether they say more than a step hides is for whoever asks.
    """
    codes = special_codes or {}
    frame = frame[np.linspace(0, frame.height - 1, min(frame.height, _MOST_ROWS)).astype(np.int64)]
    y, others = (
        column_numbers(frame[column], codes.get(column, ())),
        [n for n in among if n != column],
    )
    if np.isfinite(y).mean() <= _OFTEN_KNOWN / 2 or np.nanstd(y) == 0:
        return ()
    table = {name: column_numbers(frame[name], codes.get(name, ())) for name in others}
    found = [*_coarse_lookups(frame.with_columns(pl.Series(column, y)), column, others)]
    return (*found, *_sums_and_products(column, y, table, COARSE))


def _coarse_lookups(frame: pl.DataFrame, column: str, others: Sequence[str]) -> Iterator[Relation]:
    """Columns of few levels, with the median of the column in each."""
    spread = float(np.nanstd(frame[column].to_numpy()))
    for name in others:
        if not 2 <= frame[name].n_unique() <= max(2, _MOST_LEVELS * frame.height):
            continue
        pairs = pl.DataFrame({"by": frame[name], "value": frame[column].alias("x").fill_nan(None)})
        pairs = pairs.filter(pl.col("value").is_not_null())
        levels = pairs.group_by("by", maintain_order=True).agg(pl.col("value").median())
        missed = pairs.select((pl.col("value") - pl.col("value").median().over("by")).abs())
        if missed.to_series().quantile(0.5) <= COARSE * spread:  # type: ignore[operator]
            yield Relation(column, (name,), "coarse", levels=levels)


def _curves(column: str, y: Floats, table: Mapping[str, Floats]) -> list[Relation]:
    """Columns of which this one is a rising or falling function: its logarithm, or its rank."""
    found = []
    for name, x in list(table.items())[:_MOST_COLUMNS]:
        rows = np.isfinite(x) & np.isfinite(y)
        own, to = x[rows], y[rows]
        if rows.sum() < max(_FEWEST_FACTORED, _OFTEN_KNOWN * np.isfinite(y).sum()):
            continue
        if not (np.ptp(own) > 0 and np.ptp(to) > 0):
            continue
        ranks = [pl.Series(one).rank().to_numpy() for one in (own, to)]
        if abs(np.corrcoef(ranks[0], ranks[1])[0, 1]) < _ONE_CURVE:
            continue
        knots = pl.DataFrame({"by": own, "value": to}).group_by("by").agg(pl.col("value").median())
        knots = knots.sort("by")
        most = min(_MOST_KNOTS, int(rows.sum()) // _ROWS_PER_COLUMN, knots.height)
        knots = knots[np.unique(np.linspace(0, knots.height - 1, most).astype(np.int64))]
        one = Relation(column, (name,), "curve", levels=knots)
        missed = np.abs(np.interp(own, knots["by"].to_numpy(), knots["value"].to_numpy()) - to)
        if np.quantile(missed, _SURE) <= _closeness(to) * to.std():
            found.append(one)
    return found


def _closeness(y: Floats) -> float:
    """How near a relation must come, as a share of the spread: half a step of a fine grid will do.

    Ages are whole; from the date of birth they come back to half a year.
    """
    values = np.unique(y[np.isfinite(y)])
    spread = float(np.nanstd(y))
    if len(values) < 2 or spread == 0:
        return CLOSE
    step = float(np.median(np.diff(values))) / spread
    return max(CLOSE, 0.5 * step) if step <= _FINE_GRID else CLOSE


def drop_codes(x: Floats) -> Floats:
    """Numbers without codes that no one declared: they hide what the other rows obey.

    Such is the lowest or highest number if many rows repeat it and the next one is far away,
    beside how far numbers are from their next otherwise: 999 among weights, -8 among heights.
    """
    found = x.copy()
    for _ in range(_MOST_CODES):
        values, counts = np.unique(found[np.isfinite(found)], return_counts=True)
        if len(values) <= _MOST_CODES:
            break
        gaps = np.diff(values)
        far = np.array([gaps[0], gaps[-1]]) > _FAR_GAPS * np.median(gaps)
        often = counts[[0, -1]] >= max(_FEWEST_ROWS / 4, _OFTEN_REPEATED * counts.sum())
        codes = values[[0, -1]][far & often]
        if not len(codes):
            break
        found[np.isin(found, codes)] = np.nan
    return found


def _copies(frame: pl.DataFrame, column: str, others: Sequence[str]) -> Iterator[Relation]:
    """Columns with the same value in nearly every row, under another name."""
    mine = frame[column].alias("")
    if mine.n_unique() < 2:
        return
    for name in others:
        theirs = frame[name].alias("")
        if theirs.dtype != mine.dtype:
            if not (theirs.dtype.is_numeric() and mine.dtype.is_numeric()):
                continue
            theirs = theirs.cast(pl.Float64)
            same = mine.cast(pl.Float64).eq_missing(theirs)
        else:
            same = mine.eq_missing(theirs)
        if same.mean() >= _DEPENDENT:  # type: ignore[operator]
            yield Relation(column, (name,), "copy")


def _sums_and_products(
    column: str, y: Floats, table: Mapping[str, Floats], coarse: float | None = None
) -> list[Relation]:
    """Sums and differences first; products and ratios of what is not found by then."""
    known = np.isfinite(y)
    usable = {
        name: x
        for name, x in table.items()
        if np.isfinite(x[known]).mean() >= _OFTEN_KNOWN and np.nanstd(x[known]) > 0
    }
    near = coarse or _closeness(y)
    found = _search(column, y, usable, near, is_product=False)
    used = {one.sources for one in found}
    positive = {
        name: np.log(np.where(x > 0, x, np.nan))
        for name, x in usable.items()
        if (x[np.isfinite(x)] > 0).mean() >= _SURE
    }
    if (y[known] > 0).mean() >= _SURE:
        log_y = np.log(np.where(y > 0, y, np.nan))
        products = _search(column, log_y, positive, coarse or CLOSE, is_product=True)
        found += [one for one in products if one.sources not in used]
    return found[:_MOST_FOUND]


def _obeyed_by_most(column: str, y: Floats, table: Mapping[str, Floats]) -> Iterator[Relation]:
    """Sums, and products, that most rows obey: those that break them are put aside.

    Few rows say what a relation would be; if most of all rows agree with them, it is one.
    """
    known = np.isfinite(y)
    usable = {
        name: x
        for name, x in list(table.items())[:_MOST_FACTORS]
        if np.isfinite(x[known]).mean() >= _OFTEN_KNOWN and np.nanstd(x[known]) > 0
    }
    logs = {
        name: np.log(np.where(x > 0, x, np.nan))
        for name, x in usable.items()
        if (x[np.isfinite(x)] > 0).mean() >= _SURE
    }
    log_y = np.log(np.where(y > 0, y, np.nan))
    for is_product, own, of in ((False, y, usable), (True, log_y, logs)):
        agreed = _find_agreeing(own, of) if of else None
        if agreed is not None:
            left = np.where(agreed, own, np.nan)
            yield from _search(column, left, of, CLOSE, is_product=is_product)


def _find_agreeing(y: Floats, table: Mapping[str, Floats]) -> Mask | None:
    """Rows that agree on a weighted sum: more than half of them, or None."""
    x = np.column_stack([*table.values()])
    rows = np.flatnonzero(np.isfinite(y) & np.isfinite(x).all(axis=1))
    n_few = x.shape[1] + 3
    if len(rows) < _FEWEST_ROWS + _ROWS_PER_COLUMN * n_few:
        return None
    x, own = x[rows], y[rows]
    near, draw = CLOSE * own.std(), stream(0, "agreeing rows")
    for _ in range(_MOST_TRIES):
        agree = draw.permutation(len(rows))[:n_few]
        for _ in range(3):
            slopes, shift, _ = fit_plane(x[agree], own[agree])
            agree = np.flatnonzero(np.abs(x @ slopes + shift - own) <= near)
            if len(agree) < n_few:
                break
        if len(agree) > len(rows) / 2:
            found = np.zeros(len(y), np.bool_)
            found[rows[agree]] = True
            return found
    return None


def _sums_of_products(column: str, y: Floats, table: Mapping[str, Floats]) -> list[Relation]:
    """A sum of two to four products or ratios of columns, as total = price * quantity + postage.

    Every pair of terms is tried at once: what two terms explain follows from correlations alone.
    What the best pairs leave is looked for among the other terms.
    """
    known = np.isfinite(y)
    varied = sorted(table, key=lambda name: -len(np.unique(table[name][known])))
    names = [
        name
        for name in varied[:_MOST_FACTORS]
        if np.isfinite(table[name][known]).mean() >= _OFTEN_KNOWN and np.nanstd(table[name]) > 0
    ]
    rows = known & np.all([np.isfinite(table[name]) for name in names] or [known], axis=0)
    divisors = [name for name in names if (table[name][rows] != 0).mean() >= _SURE]
    rows &= np.all([table[name] != 0 for name in divisors] or [rows], axis=0)
    if len(names) < 2 or rows.sum() < _FEWEST_FACTORED:
        return []
    own = {name: table[name][rows][:_SEARCHED_ROWS] for name in names}
    terms = [*_list_terms(names, divisors)]
    parts = np.column_stack([_multiply(term, own) for term in terms])
    spread = parts.std(axis=0)
    some = np.flatnonzero(np.isfinite(spread) & (spread > 0))
    z, target = parts[:, some], y[rows][:_SEARCHED_ROWS]
    z, target = (z - z.mean(axis=0)) / z.std(axis=0), target - target.mean()
    if not target.any():
        return []
    for start in _best_pairs(z, target / target.std()):
        for places in _extended(z, target, start):
            chosen = {str(n): _multiply(terms[some[n]], table) for n in places}
            for close in (_EXACT, CLOSE):
                fit = _fewest(y, chosen, close)
                if fit is not None and len(fit[0]) > 1:
                    used = tuple(terms[some[int(n)]] for n in fit[0])
                    if all(term == ((term[0][0], 1),) for term in used):
                        return []  # a plain sum, which is found without this
                    sources = tuple(dict.fromkeys(name for term in used for name, _ in term))
                    weights = tuple(float(one) for one in fit[1])
                    return [
                        Relation(column, sources, "terms", weights, _tidy(fit[2], y), terms=used)
                    ]
    return []


def _list_terms(names: Sequence[str], divisors: Sequence[str]) -> Iterator[Term]:
    yield from (((name, 1),) for name in names)
    yield from (((name, -1),) for name in divisors)
    yield from (((one, 1), (other, 1)) for one, other in combinations(names, 2))
    yield from (((one, 1), (by, -1)) for by in divisors for one in names if one != by)
    few = names[:_MOST_TRIPLED]
    below = [name for name in few if name in divisors]
    yield from (tuple((name, 1) for name in three) for three in combinations(few, 3))
    for by in below:
        rest = [name for name in few if name != by]
        yield from (((one, 1), (other, 1), (by, -1)) for one, other in combinations(rest, 2))
    for one in few:
        two = combinations([name for name in below if name != one], 2)
        yield from (((one, 1), (by, -1), (also, -1)) for by, also in two)


def _best_pairs(z: Floats, y: Floats) -> Iterator[tuple[int, int]]:
    """The pairs of columns that explain most of y, all of them standardised."""
    alike, of_y = z.T @ z / len(z), z.T @ y / len(z)
    with np.errstate(all="ignore"):
        both = of_y[:, None] ** 2 + of_y**2 - 2 * np.outer(of_y, of_y) * alike
        share = both / (1 - alike**2)
    share[~(1 - alike**2 > _ONE_DIRECTION) | ~np.isfinite(share)] = 0.0
    share[np.tril_indices(len(share))] = 0.0
    order = np.argsort(share, axis=None)[::-1][:_MOST_STARTS]
    for one, other in zip(*np.unravel_index(order, share.shape), strict=True):
        if share[one, other] > _EXPLAINS:
            yield int(one), int(other)


def _extended(z: Floats, y: Floats, start: tuple[int, int]) -> Iterator[list[int]]:
    """The pair, then with the columns that explain most of what is left, one by one."""
    places = [*start]
    yield places
    while len(places) < _MOST_TERMS:
        base = np.linalg.qr(z[:, places])[0]
        rest, left = z - base @ (base.T @ z), y - base @ (base.T @ y)
        size = np.maximum((rest**2).sum(axis=0), _ONE_DIRECTION * len(z))
        places = [*places, int(np.argmax((rest.T @ left) ** 2 / size))]
        yield places


def _search(
    column: str, y: Floats, table: Mapping[str, Floats], near: float, *, is_product: bool
) -> list[Relation]:
    """Relations one after the other, each without the column that the last one leaned on most."""
    found: list[Relation] = []
    for close in (_EXACT, near):
        again = _search_within(column, y, table, close, is_product=is_product)
        known = {one.sources for one in found}
        found += [one for one in again if one.sources not in known]
    return found


def _search_within(
    column: str, y: Floats, table: Mapping[str, Floats], close: float, *, is_product: bool
) -> list[Relation]:
    found: list[Relation] = []
    left = dict(list(table.items())[:_MOST_COLUMNS])
    while left and len(found) < _MOST_FOUND:
        fit = _fewest(y, left, close)
        if fit is None:
            break
        names, slopes, shift = fit
        if is_product:
            slopes, shift = _plain_powers(y, [left[name] for name in names], slopes)
        kind: RelationKind = "product" if is_product else "linear"
        constant = float(np.exp(shift)) if is_product else _tidy(shift, y)
        weights = tuple(float(one) for one in slopes)
        found.append(Relation(column, names, kind, weights, constant))
        heaviest = max(
            zip(names, slopes, strict=True), key=lambda one: _weight(left[one[0]], one[1])
        )
        del left[heaviest[0]]
    return found


def _fewest(
    y: Floats, table: Mapping[str, Floats], close: float
) -> tuple[tuple[str, ...], Floats, float] | None:
    """The fewest columns whose weighted sum is y in nearly every row, by excluding one by one."""
    names = list(table)
    fit = _fit(y, table, names, close)
    if fit is None and len(names) * _ROWS_PER_COLUMN > np.isfinite(y).sum():
        names = names[: int(np.isfinite(y).sum() / _ROWS_PER_COLUMN)]
        fit = _fit(y, table, names, close)
    if fit is None:
        return None
    size = [_weight(table[name], slope) for name, slope in zip(names, fit[0], strict=True)]
    for name in [names[place] for place in np.argsort(size)]:
        fewer = [one for one in names if one != name]
        trial = _fit(y, table, fewer, close) if fewer else None
        if trial is not None:
            names, fit = fewer, trial
    slopes = np.array([_tidy(one, np.ones(1)) for one in fit[0]])
    return tuple(names), slopes, fit[1]


def _fit(
    y: Floats, table: Mapping[str, Floats], names: Sequence[str], close: float
) -> tuple[Floats, float] | None:
    """Least squares on complete rows; None where it misses too many of them."""
    x = np.column_stack([table[name] for name in names])
    rows = np.isfinite(y) & np.isfinite(x).all(axis=1)
    if rows.sum() < _FEWEST_ROWS + _ROWS_PER_COLUMN * len(names):
        return None
    x, own = x[rows], y[rows]
    spread = own.std()
    if spread == 0 or not x.std(axis=0).any():
        return None
    slopes, shift, missed = fit_plane(x, own)
    return None if np.quantile(np.abs(missed), _SURE) > close * spread else (slopes, shift)


def _weight(x: Floats, slope: float) -> float:
    return float(abs(slope) * np.nanstd(x))


def _tidy(value: float, beside: Floats) -> float:
    """A number without the dust of the fit: whole where it is whole to six digits."""
    near = round(value)
    size = max(1.0, float(np.nanmax(np.abs(beside))))
    return float(near) if abs(value - near) <= 1e-6 * size else float(value)


def _plain_powers(y: Floats, logs: Sequence[Floats], powers: Floats) -> tuple[Floats, float]:
    """Powers such as 2, -1 or 0.5 where the fit is near them, with the factor that then fits."""
    halves = np.round(np.asarray(powers) * 2) / 2
    plain = np.where((np.abs(powers - halves) < 0.02) & (halves != 0), halves, powers)
    return plain, float(np.nanmedian(y - np.column_stack(logs) @ plain))


def _lookups(frame: pl.DataFrame, column: str, others: Sequence[str]) -> Iterator[Relation]:
    """Columns whose every level has one value of this one: a postcode and its district."""
    height = frame.height
    most = frame[column].alias("").value_counts()["count"].max() if height else None
    if not height or not isinstance(most, int) or most == height:
        return
    guessed = most / height  # by the commonest value alone
    for name in others:
        if not 2 <= frame[name].n_unique() <= max(2, _MOST_LEVELS * height):
            continue
        pairs = pl.DataFrame({"by": frame[name], "value": frame[column]})
        cells = pairs.group_by("by", "value").len()
        best = cells.sort("len", descending=True).group_by("by", maintain_order=True).first()
        of_level = cells.group_by("by").agg(pl.col("len").sum().alias("n"))
        best = best.join(of_level, on="by", nulls_equal=True)
        shared = best.filter(pl.col("n") > 1)
        n_shared = int(shared["n"].sum())
        if n_shared < _REPEATED * height:
            continue
        right = int(shared["len"].sum()) / n_shared
        if right >= _DEPENDENT and right - guessed >= (1 - guessed) / 2:
            yield Relation(column, (name,), "lookup", levels=best.select("by", "value"))
