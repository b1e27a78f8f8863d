"""Published results: what they are, and their estimates in one file.

Shares, means, counts and regressions. Outcomes, predictors and subgroups are expressions of SQL
(`unveil.data.expressions`), never of Python or of a formula language.
"""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
import numpy as np
import polars as pl

from unveil.arguments import Form
from unveil.data.expressions import evaluate
from unveil.errors import InputError, printable
from unveil.measures.utility.columns import Floats, Mask
from unveil.models.regressions import Fit, fit_linear, fit_multinomial, fit_poisson, independent

INTERCEPT = "(intercept)"
LARGEST = 1_000_000  # bytes of a file of results


class PublishedResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One result of the original's analysis.

    The outcome of a share, of a count and of a logistic model is a condition, or one of two levels.
    """

    name: str
    kind: Literal["share", "mean", "count", "linear", "logistic", "multinomial", "poisson"]
    outcome: str
    predictors: tuple[str, ...] = ()
    subgroup: str = ""


def read_results(results: Any) -> list[PublishedResult]:
    """Each result held against its type."""
    if isinstance(results, str | Path):
        path = Path(results)
        try:
            if not path.is_file() or path.stat().st_size > LARGEST:
                raise OSError
            results = tomllib.loads(path.read_text("utf-8")).get("result")
        except (OSError, ValueError, RecursionError):
            raise InputError(
                f"'results' ({printable(str(results))!r}) is no .toml file that can be read."
            ) from None
    entries = results if isinstance(results, list | tuple) else []
    if not entries:
        raise InputError("'results' takes a .toml file of [[result]] entries, or a list of them.")
    return [_as_result(entry, place) for place, entry in enumerate(entries, start=1)]


def _as_result(entry: Any, place: int) -> PublishedResult:
    try:
        return msgspec.convert(entry, PublishedResult)
    except msgspec.ValidationError as fault:
        text = printable(str(fault)).replace(".", "")
        raise InputError(f"Result {place} of 'results' makes no sense: {text}.") from None


def _read_typed(texts: Sequence[str]) -> Any:
    """As mappings, before long work begins."""
    return [msgspec.to_builtins(result) for result in read_results(texts[-1])]


PublishedResults = Annotated[Any, Form("a file of published results", "FILE", _read_typed)]
"""A .toml file of [[result]] entries, or a sequence of mappings."""


class Estimate(NamedTuple):
    """A figure with its standard error, and the degrees of freedom of its interval."""

    value: float
    se: float
    freedom: float = np.inf

    def interval(self, level: float) -> tuple[float, float]:
        """By the normal distribution, or by Student's where the variance is estimated too."""
        from scipy.special import ndtri, stdtrit

        tail = (1 + level) / 2
        quantile = ndtri(tail) if np.isinf(self.freedom) else stdtrit(self.freedom, tail)
        reach = float(quantile) * self.se
        return self.value - reach, self.value + reach


class NotMeasured(Exception):
    """Why a file has no such result, as a part of a sentence."""


class Model(NamedTuple):
    """A result's variables in all files, their levels in one order."""

    result: PublishedResult
    outcome: Floats  # amounts, or the place of the level
    levels: list[str]  # of an outcome that is no number
    terms: dict[str, Floats]
    references: list[Mask]  # who has the level that the others of a category are compared with
    is_used: Mask  # in the subgroup, with all that is needed

    def estimates(self, rows: slice, n_original: int) -> tuple[dict[str, Estimate], int]:
        """In one file, and how many terms others determine, or nobody has."""
        records = np.flatnonzero(self.is_used[rows]) + rows.start
        if not len(records):
            raise NotMeasured("no record is in the subgroup with all values known")
        y, kind = self.outcome[records], self.result.kind
        if kind in ("share", "count", "mean"):
            n_file = rows.stop - rows.start
            return {kind: _simple(kind, y, n_file, n_original / n_file)}, 0
        if kind != "linear" and np.ptp(y) == 0:
            raise NotMeasured("the outcome has one value")
        if not all(has_reference[records].any() for has_reference in self.references):
            raise NotMeasured("nobody has a level that others are compared with")
        X = np.column_stack([term[records] for term in self.terms.values()])
        is_kept = independent(X)
        names = [name for name, kept in zip(self.terms, is_kept, strict=True) if kept]
        return self._fit(X[:, is_kept], y, names), len(self.terms) - len(names)

    def _fit(self, X: Floats, y: Floats, names: Sequence[str]) -> dict[str, Estimate]:
        from threadpoolctl import threadpool_limits

        if self.result.kind == "linear" and len(y) <= X.shape[1]:
            raise NotMeasured("there are no more records than terms")
        classes, codes = np.unique(y, return_inverse=True)
        with threadpool_limits(1):  # more threads add in another order
            if self.result.kind in ("linear", "poisson"):
                fit = (fit_linear if self.result.kind == "linear" else fit_poisson)(X, y)
            else:
                fit = fit_multinomial(X, codes, len(classes))
        labels = [""]
        if self.result.kind == "multinomial":
            labels = [f"{self.levels[int(code)]} | " for code in classes[1:]]
        return _estimates(fit, labels, names)


def _simple(kind: str, y: Floats, n_file: int, scale: float) -> Estimate:
    """A mean, a share, or a count as of a file of the original's size."""
    n, mean = len(y), float(y.mean())
    if kind == "mean":
        if n < 2:
            raise NotMeasured("there is one record")
        return Estimate(mean, float(y.std(ddof=1) / np.sqrt(n)), n - 1)
    if kind == "share":
        return Estimate(mean, float(np.sqrt(mean * (1 - mean) / n)))
    share = y.sum() / n_file
    return Estimate(float(y.sum()) * scale, float(np.sqrt(n_file * share * (1 - share))) * scale)


def _estimates(fit: Fit, labels: Sequence[str], names: Sequence[str]) -> dict[str, Estimate]:
    if not fit.has_maximum:
        raise NotMeasured("a predictor, or several together, determine the outcome")
    return {
        label + name: Estimate(float(value), float(error), fit.freedom)
        for label, values, errors in zip(labels, fit.coefficients, fit.errors, strict=True)
        for name, value, error in zip(names, values, errors, strict=True)
    }


def build_model(result: PublishedResult, frame: pl.DataFrame, n_original: int) -> Model:
    """Outcome, terms and subgroup of all records of all files, the original's first."""
    about = f"Result {printable(result.name)!r}"
    is_used = np.ones(len(frame), bool)
    if result.subgroup:
        condition = _evaluate(about, result.subgroup, frame)
        if condition.dtype != pl.Boolean:
            raise InputError(f"{about}: its subgroup must be a condition, such as age >= 18.")
        is_used &= condition.fill_null(False).to_numpy()
    outcome = _evaluate(about, result.outcome, frame)
    predictors = [_evaluate(about, predictor, frame) for predictor in result.predictors]
    for values in (outcome, *predictors):
        is_used &= values.is_not_null().to_numpy()
    first = np.flatnonzero(is_used[:n_original])
    y, levels = _coded(outcome)
    _check_outcome(about, result.kind, y[is_used], levels)
    terms, references = {INTERCEPT: np.ones(len(frame))}, []
    if result.kind == "multinomial" and len(first):
        references.append(y == y[first].min())
        y = np.where(references[0], -1, y)  # the first class in every file
    for predictor, values in zip(result.predictors, predictors, strict=True):
        x, names = _coded(values)
        if not names:
            terms[predictor] = np.nan_to_num(x)
            continue
        reference = int(x[first].min()) if len(first) else 0
        references.append(x == reference)
        for place, name in enumerate(names):
            is_condition = values.dtype == pl.Boolean and name == "true"
            if place != reference:
                term = predictor if is_condition else f"{predictor} = {name}"
                terms[term] = (x == place).astype(float)
    return Model(result, y, levels, terms, references, is_used)


def _check_outcome(about: str, kind: str, y: Floats, levels: list[str]) -> None:
    """Refuse an outcome of another kind than the result needs."""
    if kind in ("share", "count", "logistic") and not 0 < len(levels) <= 2:
        raise InputError(f"{about}: its outcome must be a condition, such as age >= 18.")
    if kind == "multinomial" and not levels:
        raise InputError(f"{about}: its outcome must be a category, not a number.")
    if kind in ("mean", "linear", "poisson") and levels:
        raise InputError(f"{about}: its outcome must be a number.")
    if kind == "poisson" and (y < 0).any():
        raise InputError(f"{about}: its outcome must be a count, without values below 0.")


def _evaluate(about: str, text: str, frame: pl.DataFrame) -> pl.Series:
    try:
        return evaluate(text, frame)
    except InputError as fault:
        raise InputError(f"{about}: {fault}") from None


def _coded(values: pl.Series) -> tuple[Floats, list[str]]:
    """Amounts, or the places of levels, false before true, and the levels."""
    if values.dtype.is_numeric():
        return values.to_numpy().astype(float), []
    if values.dtype == pl.Boolean:
        return values.cast(pl.Float64).to_numpy(), ["false", "true"]
    texts = values.cast(pl.String)
    levels = list(texts.drop_nulls().unique().sort())
    places = {level: float(place) for place, level in enumerate(levels)}
    return texts.replace_strict(places, default=None, return_dtype=pl.Float64).to_numpy(), levels
