"""`unveil.utility`: can anyone, or any model, tell the synthetic data from the original?

Chapelle and Falissard (2023), Figures 23 to 25; Raab, Nowok and Dibben (2021); synthpop.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, ClassVar, Literal

import msgspec
import numpy as np
from msgspec import Meta

from unveil.arguments import Seed
from unveil.measures.utility.columns import copies_of, records_note, variables_of
from unveil.measures.utility.prediction import PredictionRow, predict
from unveil.measures.utility.propensity import ALIKE, by_logit, by_tree, choose_records
from unveil.measures.utility.tables import count_tables, table_figures
from unveil.results import (
    Chart,
    Copy,
    Count,
    Figure,
    Heading,
    Note,
    Number,
    Result,
    Row,
    Share,
    Text,
    with_mean,
)
from unveil.results.words import side_of
from unveil.study import ORIGINAL, Alike, Side, Study, measure

GOOD, FAIR = 3, 10  # S_pMSE up to which utility is good, and fair (synthpop's vignette on utility)
NOT_MEASURED = "not measured"
CLOSE = 0.5  # S_pMSE below which files are closer than two samples of the same people
SYNTHPOP = "synthpop 1.9-3"
RAAB = "Raab 2021"


class OverallRow(Row, frozen=True):
    """How well a model of all columns tells the files apart."""

    version: str
    copy: Copy
    word: Annotated[str, Text(f"by the larger S_pMSE: good to {GOOD}, fair to {FAIR}, then poor")]
    model: str
    records: Annotated[Figure, Count("records compared, of both files")]
    pMSE: Annotated[
        Figure, Share("mean squared distance of the propensity from its mean", "Snoke 2018 (1)")
    ]
    expected: Annotated[
        Figure,
        Share("pMSE expected of data drawn from the true model: of a tree half the mean where"
              " people are assigned to the files at random", "Snoke 2018 (2); Raab 2021, 2.3"),
    ]  # fmt: skip
    S_pMSE: Annotated[
        Figure,
        Number("pMSE over what is expected", RAAB, "S_pMSE", "nothing expected", limited=True),
    ]
    leaves: Annotated[Figure, Count("leaves of the tree")]
    S_pMSE_worst: Annotated[
        Figure, Number("the highest S_pMSE of a pair", RAAB, "S_pMSE worst", limited=True)
    ]
    worst: Annotated[str, Text("that pair")]
    SPECKS: Annotated[Figure, Share("distance of Kolmogorov and Smirnov of propensities", RAAB)]
    PO50: Annotated[Figure, Number("percent put in the right file, less 50", RAAB)]
    U: Annotated[Figure, Number("rank sum of the synthetic propensities", SYNTHPOP)]


class PairRow(Row, frozen=True):
    """One table of two columns, numbers in five groups."""

    version: str
    copy: Copy
    a: str
    b: str
    df: Annotated[Figure, Count("cells less 1")]
    pMSE: Annotated[Figure, Share("of the shares of its cells", RAAB)]
    S_pMSE: Annotated[Figure, Number("pMSE over what is expected", RAAB, "S_pMSE", "a single cell")]

    @property
    def subject(self) -> str:
        return pair(self)


class StatisticsRow(Row, frozen=True):
    """All that synthpop says of one table of a column, or of two; S_ is over df."""

    version: str
    copy: Copy
    a: str
    b: Annotated[str, Text("empty: a table of one column")]
    df: Annotated[Figure, Count("cells less 1")]
    dfG: Annotated[Figure, Count("cells that both files have, less 1")]
    VW: Annotated[Figure, Number("statistic of Voas and Williamson", RAAB)]
    FT: Annotated[Figure, Number("statistic of Freeman and Tukey", RAAB)]
    JSD: Annotated[Figure, Number("divergence of Jensen and Shannon, in bits", RAAB)]
    G: Annotated[Figure, Number("twice the log of the likelihood ratio", RAAB)]
    pMSE: Annotated[Figure, Share("VW c (1 - c)^2 / N", RAAB)]
    SPECKS: Annotated[Figure, Share("distance of Kolmogorov and Smirnov of propensities", RAAB)]
    PO50: Annotated[Figure, Number("percent put in the right file, less 50", RAAB)]
    U: Annotated[Figure, Number("rank sum of the synthetic propensities", SYNTHPOP)]
    MabsDD: Annotated[Figure, Number("mean absolute difference of distributions", RAAB)]
    WMabsDD: Annotated[Figure, Number("the same, each over its standard error", RAAB)]
    dBhatt: Annotated[Figure, Share("distance of Bhattacharyya", RAAB)]
    S_pMSE: Annotated[Figure, Number("VW / df", RAAB, "S_pMSE", "a single cell")]
    S_FT: Annotated[Figure, Number("FT / df", RAAB)]
    S_JSD: Annotated[Figure, Number("2 N JSD / (df log 2)", SYNTHPOP)]
    S_G: Annotated[Figure, Number("G / dfG", RAAB, undefined="less than two cells in both files")]
    S_WMabsDD: Annotated[Figure, Number("WMabsDD / df", SYNTHPOP)]


def pair(row: Any) -> str:
    return f"{row['a']} by {row['b']}"


def word_of(*ratios: Figure) -> str:
    """Of the largest S_pMSE."""
    largest = max((ratio for ratio in ratios if ratio is not None), default=None)
    if largest is None:
        return NOT_MEASURED
    return "good" if largest <= GOOD else "fair" if largest <= FAIR else "poor"


class Utility(Result, frozen=True, kw_only=True):
    """How hard it is to tell the synthetic data from the original."""

    title: ClassVar[str] = "Utility of synthetic data"
    drawings: ClassVar[dict[str, Chart]] = {
        "heat": Chart(
            spec="heat", table="pairs", title="S_pMSE of every pair of columns",
            columns={"label": "a", "other": "b", "value": "S_pMSE"},
        )
    }  # fmt: skip

    overall: Annotated[
        tuple[OverallRow, ...],
        Heading("All columns", ("word", "model", "records", "S_pMSE", "leaves", "S_pMSE_worst",
                                "worst"), True),
    ]  # fmt: skip
    pairs: Annotated[
        tuple[PairRow, ...],
        Heading("Pairs of columns, the worst first", ("a", "b", "df", "S_pMSE"), True),
    ]
    statistics: Annotated[tuple[StatisticsRow, ...], Heading("All statistics of tables")]
    prediction: Annotated[
        tuple[PredictionRow, ...], Heading("Predicting people in the control sample")
    ]

    @property
    def head(self) -> tuple[str, ...]:
        rows = self.table("overall").first_rows
        return tuple(self._overall(rows[0])) if len(rows) == 1 else ()

    @property
    def sentences(self) -> tuple[str, ...]:
        overall = (s for row in self.table("overall").first_rows for s in self._overall(row))
        return (*overall, *map(self._predicted, self.table("prediction").first_rows))

    def _overall(self, row: OverallRow) -> Iterator[str]:
        model = "a tree" if row.model == "cart" else "a logistic model"
        largest = max(filter(None, (row.S_pMSE, row.S_pMSE_worst)), default=0)
        whose = row.worst if largest == row.S_pMSE_worst else f"{model} of all columns"
        if row.word != NOT_MEASURED:
            yield (
                f"{side_of(row)}Utility is {row.word} by the largest S_pMSE, {largest:.2f} of"
                f" {whose} (good to {GOOD}, fair to {FAIR})."
            )
        if row.S_pMSE is None:
            yield f"{side_of(row)}S_pMSE of all columns is not measured: nothing is expected of it."
            return
        halved = ", half the mean where records are assigned to the files at random"
        yardstick = halved if row.model == "cart" else " by chance"
        yield (
            f"{side_of(row)}{model.capitalize()} tells the files apart with pMSE {row.pMSE:.4f},"
            f" {row.S_pMSE:.2f} times what is expected ({row.expected or 0:.4f}{yardstick})."
        )
        if row.S_pMSE < CLOSE:
            yield (
                f"{side_of(row)}S_pMSE is below {CLOSE}: the files are more alike than two samples"
                " of the same people would be. See whether real records reappear (disclosure)."
            )

    def _predicted(self, row: PredictionRow) -> str:
        shown = [
            "not measured" if figure is None else f"{figure:.3f}"
            for figure in (row.trained_on_synthetic, row.trained_on_original, row.shares_alone)
        ]
        return (
            f"{side_of(row)}{row.target} of people in the control sample, {row.figure}: {shown[0]}"
            f" by the synthetic data, {shown[1]} by the original, {shown[2]} by its shares alone."
        )


@measure
def utility(
    study: Alike,
    *,
    model: Literal["cart", "logit"] = "cart",
    permutations: Annotated[int, Meta(ge=1, le=10_000)] = 50,
    rows: Annotated[int, Meta(ge=2)] = 50_000,
    seed: Seed = None,
) -> Utility:
    """Measure how hard it is to tell the synthetic data from the original.

    Parameters
    ----------
    study
        The files; what is compared are the keys and the targets, in no bands.
    model
        A tree, cart, or a logistic model, logit.
    permutations
        How often people are assigned to the files at random, for the pMSE of a tree by chance.
    rows
        The most records of each file that a model sees; of more, so many are drawn.
    seed
        The start of the random numbers.
    """
    assert seed is not None
    variables, sides = variables_of(study), copies_of(study)
    tables = count_tables(list(variables.values()))
    figures = [table_figures(tables, ORIGINAL, side.files[0]) for side in sides]
    statistics = [
        row
        for place, names in enumerate(tables.names)
        for row in with_mean([
            StatisticsRow(
                version=side.version, copy=side.copy, a=names[0], b=names[1],
                **{name: _figure(values[place]) for name, values in of_side.items()},
            )
            for side, of_side in zip(sides, figures, strict=True)
        ])
    ]  # fmt: skip
    pairs = _worst_first(
        PairRow(**{name: row[name] for name in PairRow.__struct_fields__})
        for row in statistics
        if row.b
    )
    overall = with_mean([_overall(study, side, model, permutations, rows, seed) for side in sides])
    predictions = predict(study, variables, sides, rows, seed)
    return Utility(
        overall=tuple(_with_worst(row, pairs) for row in overall),
        pairs=tuple(pairs),
        statistics=tuple(statistics),
        prediction=tuple(row for of_target in predictions for row in with_mean(of_target)),
        notes=(
            *_sampled(study, overall),
            *records_note(study, "Permutations keep the records of a person together."),
        ),
    )


def _figure(value: float) -> Figure:
    return None if np.isnan(value) else float(value)


def _worst_first(pairs: Iterable[PairRow]) -> list[PairRow]:
    """By version and copy, the highest S_pMSE first."""
    by_side: dict[Any, list[PairRow]] = {}
    for row in pairs:
        by_side.setdefault((row.version, row.copy), []).append(row)
    return [
        row
        for rows in by_side.values()
        for row in sorted(rows, key=lambda row: -1 if row.S_pMSE is None else -row.S_pMSE)
    ]


def _overall(
    study: Study, side: Side, model: str, permutations: int, rows: int, seed: int
) -> OverallRow:
    variables = list(variables_of(study).values())
    compared = choose_records(study, side.files[0], rows, seed)
    fit = (
        by_tree(variables, compared, permutations, seed)
        if model == "cart"
        else by_logit(variables, compared)
    )
    return OverallRow(
        version=side.version, copy=side.copy, word="", model=model,
        records=len(compared.records), S_pMSE=fit.S_pMSE, S_pMSE_worst=None, worst="",
        **fit._asdict(),
    )  # fmt: skip


def _with_worst(row: OverallRow, pairs: Sequence[PairRow]) -> OverallRow:
    """With the pair that differs most, and a word for the whole."""
    of_side = [pair for pair in pairs if (pair.version, pair.copy) == (row.version, row.copy)]
    if row.copy == "sd" or not of_side:
        word = "" if row.copy == "sd" else word_of(row.S_pMSE)
        return msgspec.structs.replace(row, word=word)
    worst = of_side[0]
    return msgspec.structs.replace(
        row, word=word_of(row.S_pMSE, worst.S_pMSE), S_pMSE_worst=worst.S_pMSE, worst=pair(worst)
    )


def _sampled(study: Study, overall: Iterable[OverallRow]) -> Iterator[Note]:
    """Where a model sees a part of the records."""
    n = len(study.original)
    sizes = {(f.version, f.copy): len(f.frame) for f in study.files if f.role == "synthetic"}
    for row in overall:
        size = sizes.get((row.version, row.copy))  # type: ignore[arg-type]
        if size and row.records != n + size:
            why = "of unlike sizes" if max(n, size) > ALIKE * min(n, size) else "of many records"
            yield Note(
                about="overall",
                sentence=f"{side_of(row)}The model sees {row.records:,} of {n + size:,} records,"
                f" drawn from files {why}; in more records it would see more differences.",
            )
