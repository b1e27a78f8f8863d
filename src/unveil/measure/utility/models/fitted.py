"""What comes out of a regression: coefficients with standard errors, or why there are none."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unveil.count.likelihoods import Floats
from unveil.errors import listed

INTERCEPT = "intercept"


@dataclass(frozen=True)
class Coefficient:
    """An estimate and its standard error."""

    estimate: float
    se: float


@dataclass(frozen=True)
class Fitted:
    """Coefficients by their terms.

    `df` are the degrees of freedom of Student's t; None where the normal distribution serves.
    """

    coefficients: Mapping[str, Coefficient]
    n: int
    df: int | None = None


@dataclass(frozen=True)
class Unfit:
    """Why a model has no coefficients in one file."""

    reason: str
    n: int = 0


def told(
    labels: Sequence[str], place: Floats, covariance: Floats, turn: Floats
) -> dict[str, Coefficient]:
    """Each term with its estimate and standard error, turned back to the columns as they are."""
    estimates, errors = turn @ place, _errors(turn, covariance)
    return {
        label: Coefficient(float(estimate), float(error))
        for label, estimate, error in zip(labels, estimates, errors, strict=True)
    }


def _errors(turn: Floats, covariance: Floats) -> Floats:
    """Roots of the diagonal of turn x covariance x turn', without its squares, which may overflow.

    With covariance = L L', they are the lengths of the rows of turn x L.
    """
    try:
        rows = turn @ np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:  # a perfect fit: no error at all
        rows = turn @ np.diag(np.sqrt(np.maximum(np.diag(covariance), 0.0)))
    longest = np.abs(rows).max(axis=1, initial=0.0)
    unit = np.where(longest > 0, longest, 1.0)
    lengths: Floats = unit * np.sqrt(((rows / unit[:, None]) ** 2).sum(axis=1))
    return lengths


def separated(labels: Sequence[str]) -> str:
    """Why there is no finite coefficient."""
    return (
        f"{listed(labels, 6)} {'separates' if len(labels) == 1 else 'separate'} the levels of the"
        " outcome, so that no finite coefficient is the most likely"
    )


SEPARATED = (
    "the terms separate the levels of the outcome, so that no finite coefficient is the most likely"
)
UNSETTLED = "no most likely coefficients were found: too little holds them"
