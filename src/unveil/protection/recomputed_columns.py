"""Do published columns give back what a step protected?

Noise on weight protects nobody where a body mass index computed before it is published beside the
height. Every column that a step changed is computed again from the columns that are released, by
the relations that the original obeys, and set beside what the step was to hide.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from unveil.arrays import Floats, Mask
from unveil.measure.structure.relations import (
    CLOSE,
    Relation,
    column_numbers,
    find_coarse,
    find_relations,
)
from unveil.records.protection import GivenBack, ProtectedBy
from unveil.seeding import stream
from unveil.view.format import and_list, truncate

_DUST = 1e-9  # of a column's spread: no more than the dust of a computation
HALF = 0.5
"""A value is given back where it comes nearer than half of what the step moved it by."""
_PER_LEVEL = 5  # rows of a published value, on average, or people with about the same are taken
_LEVELS = 20
_WORDS: dict[ProtectedBy, str] = {
    "add_noise": "has noise",
    "smooth": "is smoothed",
    "recode": "is recoded",
    "drop": "is dropped",
}


@dataclass(frozen=True, eq=False)
class ProtectedColumn:
    """A column as it was before its steps and as it is released, row beside row."""

    name: str
    by: ProtectedBy
    before: pl.Series
    published: pl.Series | None  # None: it is not released

    @classmethod
    def of(
        cls, name: str, by: ProtectedBy, before: pl.Series, published: pl.Series | None
    ) -> "ProtectedColumn":
        """The column without the names of its series, which polars may take for patterns."""
        return cls(name, by, before.alias(""), None if published is None else published.alias(""))

    def changed(self) -> Mask:
        """The rows in which there was something to hide, and it was hidden."""
        known = self.before.is_not_null()
        if self.published is None:
            return known.to_numpy()
        same = self.before.cast(pl.String).eq_missing(self.published.cast(pl.String))
        if self.before.dtype.is_numeric() and self.published.dtype.is_numeric():
            same = self.before.cast(pl.Float64).eq_missing(self.published.cast(pl.Float64))
        return (known & ~same).to_numpy()


def find_recomputed(
    columns: Sequence[ProtectedColumn],
    original: Mapping[str, pl.DataFrame],
    released: Mapping[str, pl.DataFrame],
    special_codes: Mapping[str, Sequence[float]],
) -> Iterator[GivenBack]:
    """Protected columns that others give back, with the columns that do.

    `original` is where relations are looked for and `released` what an intruder has, by the name of
    the protected column; rows of `released` stand beside those of the column.
    """
    for column in columns:
        frame, has = original[column.name], released[column.name]
        among = [name for name in has.columns if name in frame.columns and name != column.name]
        codes = {name: tuple(some) for name, some in special_codes.items()}
        best: GivenBack | None = None
        known = find_relations(frame, column.name, among, codes, is_thorough=True)
        own = codes.get(column.name, ())
        made = [(one, one.values(has).alias("")) for one in known]
        for relation, values in made:
            found = _measure(column, relation, values, own)
            if found is not None and (best is None or found.share > best.share):
                best = found
        for relation, values in _together(column, made, own) if best is None else ():
            best = _measure(column, relation, values, own)
        for relation in find_coarse(frame, column.name, among, codes) if best is None else ():
            found = _measure(column, relation, relation.values(has).alias(""), own, is_coarse=True)
            if found is not None and (best is None or found.share > best.share):
                best = found
        if best is not None:
            yield best


def _together(
    column: ProtectedColumn, made: Sequence[tuple[Relation, pl.Series]], codes: Sequence[float]
) -> Iterator[tuple[Relation, pl.Series]]:
    """What several columns with noise of their own say together, each by how near it comes.

    Noise that is independent averages out: the column itself is one of those who say it.
    """
    truth = column_numbers(column.before, codes)
    said = [column_numbers(values) for _, values in made]
    if column.published is not None:
        said.append(column_numbers(column.published))
    if len(made) < 2 or not np.isfinite(truth).any():
        return
    with np.errstate(all="ignore"):
        missed = np.array([np.nanmedian(np.abs(one - truth)) for one in said])
        near = np.isfinite(missed)
        weights = 1 / np.maximum(missed[near], 1e-12) ** 2
        mean = np.average(np.array(said)[near], axis=0, weights=weights)
    sources = tuple(dict.fromkeys(name for one, _ in made for name in one.sources))
    relation = Relation(column.name, sources, "together")
    yield relation, pl.Series(mean).fill_nan(None)


def find_set_back(
    column: ProtectedColumn, codes: Sequence[float], relation: str, sources: Sequence[str]
) -> Iterator[GivenBack]:
    """A column that is released as it was: computed anew after its step, or rounded back."""
    if column.published is None:
        return
    truth, now = column_numbers(column.before, codes), column_numbers(column.published)
    rows = np.isfinite(truth)
    if not rows.any() or np.nanstd(truth) == 0:
        return
    share = float((np.abs(now - truth) <= _DUST * np.nanstd(truth))[rows].mean())
    if share < HALF:
        return
    how = (
        f"is computed from {and_list(sources)} after it, which sets" if sources else "rounding sets"
    )
    advice = (
        f"Protect {and_list(sources)} instead."
        if sources
        else "Choose more noise, with discrete = true for whole numbers, or no rounding."
    )
    yield GivenBack(
        column=column.name,
        by=column.by,
        sources=tuple(sources),
        kind="rule" if sources else "rounding",
        relation=relation,
        n_rows=int(rows.sum()),
        share=share,
        expected=0.0,
        sentence=(
            f"{truncate(column.name)} {_WORDS[column.by]}, but {how} it back in"
            f" {100 * share:.3g} % of {int(rows.sum()):,} rows. {advice}"
        ),
    )


def _measure(
    column: ProtectedColumn,
    relation: Relation,
    made: pl.Series,
    codes: Sequence[float],
    *,
    is_coarse: bool = False,
) -> GivenBack | None:
    """How near one relation comes; None where it does not give the column back.

    A coarse form must come nearer than a guess from the published column, which may be near too.
    """
    rows = column.changed()
    truth = column_numbers(column.before, codes)
    if np.isfinite(truth).any():
        rows &= np.isfinite(truth)
        if not rows.any():
            return None
        hidden = _hidden(column, truth, rows)
        missed = np.abs(column_numbers(made) - truth)
        back = missed <= HALF * hidden
        share = float(back[rows].mean())
        baseline = _guess_number(column, truth, HALF * hidden, rows) if is_coarse else 0.0
        error = float(np.nanmedian(missed[rows])) if np.isfinite(missed[rows]).any() else None
    else:
        if not rows.any():
            return None
        same = column.before.cast(pl.String).eq_missing(made.cast(pl.String))
        share = float(same.to_numpy()[rows].mean())
        baseline, hidden, error = _guess(column, rows), None, None
    if share < baseline + HALF * (1 - baseline):
        return None
    return GivenBack(
        column=column.name,
        by=column.by,
        sources=relation.sources,
        kind=relation.kind,
        relation=relation.text,
        n_rows=int(rows.sum()),
        share=share,
        expected=baseline,
        hidden=hidden,
        error=error,
        sentence=_sentence(column, relation, share, int(rows.sum())),
    )


def _hidden(column: ProtectedColumn, truth: Floats, rows: Mask) -> float:
    """By how much a step typically moved a number; a share of its spread where it left none."""
    published = None if column.published is None else column_numbers(column.published)
    if published is None or not np.isfinite(published[rows]).any():
        return float(2 * CLOSE * np.nanstd(truth))
    return float(np.nanmedian(np.abs(published - truth)[rows]))


def _guess_number(column: ProtectedColumn, truth: Floats, near: float, rows: Mask) -> float:
    """The share that the median among people with about the same published value comes near."""
    level = np.zeros(len(truth))
    if column.published is not None:
        shown = pl.Series(column_numbers(column.published)).fill_nan(None)
        if not shown.count():  # bands
            shown = column.published.cast(pl.String)
        level = shown.rank("dense").fill_null(0).to_numpy().astype(float)
        if shown.n_unique() > len(truth) / _PER_LEVEL:
            ranks = shown.rank("ordinal").fill_null(0).to_numpy().astype(float)
            level = np.floor(ranks * _LEVELS / len(ranks))
    cells = pl.DataFrame({"level": level, "truth": truth}).filter(pl.Series(rows))
    missed = cells.select((pl.col("truth") - pl.col("truth").median().over("level")).abs())
    return float((missed.to_series() <= near).mean())  # type: ignore[arg-type]


def _guess(column: ProtectedColumn, rows: Mask) -> float:
    """The share that the commonest value within each published level gives by itself."""
    truth = column.before.cast(pl.String).filter(pl.Series(rows))
    level = pl.Series(["all"] * len(truth))
    if column.published is not None:
        level = column.published.cast(pl.String).filter(pl.Series(rows))
    cells = pl.DataFrame({"level": level, "truth": truth}).group_by("level", "truth").len()
    return float(cells.group_by("level").agg(pl.col("len").max())["len"].sum() / len(truth))


def _sentence(column: ProtectedColumn, relation: Relation, share: float, n_rows: int) -> str:
    name, sources = truncate(column.name), and_list(relation.sources)
    percent = f"{100 * share:.3g} %"
    how = (
        "" if relation.kind in ("lookup", "curve", "coarse", "together") else f" ({relation.text})"
    )
    return (
        f"{name} {_WORDS[column.by]}, but {sources}"
        f" {'gives' if len(relation.sources) == 1 else 'give'} it back in {percent} of {n_rows:,}"
        f" rows{how}. Protect {'it' if len(relation.sources) == 1 else 'them'} too, compute"
        f" {'it' if len(relation.sources) == 1 else 'them'} from the protected {name}, or remove"
        f" {'it' if len(relation.sources) == 1 else 'one of them'}."
    )


def with_planned_noise(frame: pl.DataFrame, sigmas: Mapping[str, float]) -> pl.DataFrame:
    """The original as its columns would be released: with noise of the planned amounts."""
    made = []
    for name, sigma in sigmas.items():
        if name in frame.columns and sigma > 0:
            drawn = stream(0, "given back", name).normal(0, sigma, frame.height)
            made.append((frame[name].cast(pl.Float64) + pl.Series(drawn)).alias(name))
    return frame.with_columns(made)
