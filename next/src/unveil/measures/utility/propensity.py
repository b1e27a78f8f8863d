"""pMSE: does a model tell the records of two files apart better than by chance?

Snoke, Raab, Nowok, Dibben and Slavkovic (2018); Raab, Nowok and Dibben (2021), section 2; the tree
and its yardstick are those of synthpop 1.9-3, `utility.gen`.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unveil.errors import InputError
from unveil.measures.utility.columns import Floats, Ints, Mask, Variable, persons_of
from unveil.measures.utility.tables import score_figures
from unveil.models.regressions import fit_multinomial, independent
from unveil.models.trees import Predictors, leaves_of_tree
from unveil.progress import steps
from unveil.results import Figure
from unveil.study import ORIGINAL, Study

MOST_TERMS = 500  # of a logistic model
ALIKE = 1.1  # files of sizes within it are compared whole


class Compared(NamedTuple):
    """Records of an original and a synthetic file, and whose they are."""

    records: Ints
    is_synthetic: Mask
    person: Ints
    n_persons: tuple[int, int]


class Propensity(NamedTuple):
    """How well a model tells the files apart, and how well it would by chance."""

    pMSE: float
    expected: Figure
    leaves: Figure
    SPECKS: float
    PO50: float
    U: float

    @property
    def S_pMSE(self) -> Figure:
        return self.pMSE / self.expected if self.expected else None


def choose_records(study: Study, file: int, rows: int, seed: int) -> Compared:
    """The records of both files; of more than `rows`, or of unlike sizes, a random sample.

    A tree cuts less where most records are of one file, and its yardstick holds for equal sizes.
    """
    rng = np.random.default_rng(seed)
    sizes = [len(study.files[number].frame) for number in (ORIGINAL, file)]
    most = rows if max(sizes) <= ALIKE * min(sizes) else min(rows, *sizes)
    chosen = [np.sort(rng.permutation(size)[:most]) for size in sizes]
    records, persons = zip(*(
        (study.rows[number].start + places, persons_of(study, number)[places])
        for number, places in zip((ORIGINAL, file), chosen, strict=True)
    ), strict=True)  # fmt: skip
    ids = [np.unique(person, return_inverse=True) for person in persons]
    n_first, n_second = (len(found) for found, _ in ids)
    return Compared(
        np.concatenate(records), np.repeat([False, True], [len(part) for part in records]),
        np.concatenate([ids[0][1], ids[1][1] + n_first]), (n_first, n_second),
    )  # fmt: skip


def by_tree(
    variables: Sequence[Variable], compared: Compared, permutations: int, seed: int
) -> Propensity:
    """pMSE of rpart's tree, and half its mean where people are assigned to the files at random.

    Half, since that makes two samples of one distribution, but synthetic data drawn from the true
    model vary half as much about a given original (Raab and others 2021, section 2.3).
    """
    predictors = Predictors.of([p for v in variables for p in v.predictors(compared.records)])
    n, ts = leaves_of_tree(predictors, compared.is_synthetic)
    rng, order = np.random.default_rng(seed), _persons_in_order(predictors.codes, compared)
    is_synthetic = np.repeat([False, True], compared.n_persons)
    by_chance = []
    for _ in steps("permutations", range(permutations)):
        of_person = np.empty_like(is_synthetic)
        of_person[order] = rng.permutation(is_synthetic)
        by_chance.append(pmse(*leaves_of_tree(predictors, of_person[compared.person])))
    expected = float(np.mean(by_chance)) / 2
    return Propensity(pmse(n, ts), expected, len(n), **_scores(n - ts, ts, ts / n))


def _scores(td: Ints, ts: Ints, p: Floats) -> dict[str, float]:
    """SPECKS, PO50 and U of groups of records that have one propensity each."""
    figures = score_figures(td, ts, p, p > 0.5, np.zeros(1, np.int64))
    return {name: float(figure[0]) for name, figure in figures.items()}


def _persons_in_order(codes: Ints, compared: Compared) -> Ints:
    """People in an order that hangs on their records alone, not on where these stand."""
    if not codes.shape[1]:
        return np.arange(sum(compared.n_persons))
    _, content = np.unique(codes, axis=0, return_inverse=True)
    draws = np.random.default_rng(0).integers(2**40, size=content.max() + 1)
    key = np.zeros(sum(compared.n_persons), np.int64)
    np.add.at(key, compared.person, draws[content])
    return np.argsort(key, kind="stable")


def pmse(n: Ints, ts: Ints) -> float:
    """Mean squared distance of the propensity ts / n from c, over groups of n records."""
    c = ts.sum() / n.sum()
    return float((n * (ts / n - c) ** 2).sum() / n.sum())


def by_logit(variables: Sequence[Variable], compared: Compared) -> Propensity:
    """pMSE of a logistic model of main effects; (df (1 - c)^2 c / N) is expected of it.

    Snoke and others (2018), equation 2.
    """
    from threadpoolctl import threadpool_limits

    records, is_synthetic = compared.records, compared.is_synthetic
    n_terms = sum(v.n_states for v in variables)
    if n_terms > MOST_TERMS:
        raise InputError(
            f"'model' logit would have {n_terms:,} terms, of at most {MOST_TERMS:,}. Leave out"
            " columns of very many levels, or take cart."
        )
    terms = [np.ones(len(records)), *(t for v in variables for t in v.terms(records))]
    X = np.column_stack([terms[0], *((t - t.mean()) / t.std() for t in terms[1:] if t.std() > 0)])
    with threadpool_limits(1):  # more threads add in another order
        X = X[:, independent(X)]
        p = fit_multinomial(X, is_synthetic.astype(np.int64), 2).fitted[:, 1]
    n, c, df = len(p), float(is_synthetic.mean()), X.shape[1] - 1
    ts = is_synthetic.astype(np.int64)
    pMSE, expected = float(((p - c) ** 2).mean()), df * (1 - c) ** 2 * c / n
    return Propensity(pMSE, expected, None, **_scores(1 - ts, ts, p.round(12)))
