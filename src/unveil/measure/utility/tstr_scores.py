"""How good are predictions? Scores of classes and of numbers, from their definitions."""

import math

import numpy as np

from unveil.count.centring import centre
from unveil.measure.utility.associations import doubled_ranks
from unveil.measure.utility.coding import Floats, Whole

FLOOR = 1e-6
"""A class that a model holds impossible counts as this likely, so that one surprise is finite."""


def class_scores(truth: Whole, chances: Floats) -> dict[str, float | None]:
    """Accuracy, balanced accuracy, AUC and log loss of chances by record and class."""
    return {
        "accuracy": accuracy(truth, chances),
        "balanced_accuracy": balanced_accuracy(truth, chances),
        "AUC": mean_auc(truth, chances),
        "log_loss": log_loss(truth, chances),
    }


def number_scores(truth: Floats, predicted: Floats) -> dict[str, float | None]:
    """R2, RMSE and MAE.

    Notes
    -----
    R2 = 1 - sum (y - f)^2 / sum (y - mean y)^2 over the tested records: below 0 where the mean of
    the tested would have been better, and undefined where they are all the same.
    """
    n = len(truth)
    if not n:
        return dict.fromkeys(("R2", "RMSE", "MAE"))
    error = truth - predicted
    middle = centre(truth)
    scaled = error * middle.unit
    return {
        "R2": 1 - float(scaled @ scaled) / middle.squares if middle.squares else None,
        "RMSE": math.sqrt(float(error @ error) / n),
        "MAE": float(np.abs(error).mean()),
    }


def accuracy(truth: Whole, chances: Floats) -> float | None:
    """The share of records whose likeliest class is theirs; the first of equally likely ones."""
    return float((chances.argmax(axis=1) == truth).mean()) if len(truth) else None


def balanced_accuracy(truth: Whole, chances: Floats) -> float | None:
    """The mean over classes of the share of its records that is classed rightly.

    Classes that nobody tested has take no part. A guess has 1 / classes.
    """
    if not len(truth):
        return None
    is_right = chances.argmax(axis=1) == truth
    n_of = np.bincount(truth, minlength=chances.shape[1])
    right = np.bincount(truth, is_right, chances.shape[1])
    return float((right[n_of > 0] / n_of[n_of > 0]).mean())


def log_loss(truth: Whole, chances: Floats) -> float | None:
    """The mean of -ln of the chance given to what was true, chances below 1e-6 taken as 1e-6."""
    if not len(truth):
        return None
    given = chances[np.arange(len(truth)), truth]
    return float(-np.log(np.clip(given, FLOOR, 1.0)).mean())


def auc(is_case: Floats, score: Floats) -> float | None:
    """How often a case has a higher score than another record, ties counting half.

    Notes
    -----
    (sum of the cases' mid-ranks - n1 (n1 + 1) / 2) / (n1 n0). Undefined without cases or without
    others.

    References
    ----------
    Hanley and McNeil (1982), Radiology 143, 29-36; Mann and Whitney (1947).
    """
    n_cases = int(is_case.sum())
    n_others = len(is_case) - n_cases
    if not n_cases or not n_others:
        return None
    _, place, counts = np.unique(score, return_inverse=True, return_counts=True)
    ranks = doubled_ranks(counts.astype(np.int64))[place]
    doubled = int(ranks[is_case > 0].sum()) - n_cases * (n_cases + 1)
    return doubled / (2 * n_cases * n_others)


def mean_auc(truth: Whole, chances: Floats) -> float | None:
    """AUC of two classes; of more the mean over each class against the rest.

    Classes that no tested record has, or all have, take no part. A constant guess has 0.5.
    """
    n_classes = chances.shape[1]
    wanted = [1] if n_classes == 2 else range(n_classes)
    found = [auc((truth == one).astype(np.float64), chances[:, one]) for one in wanted]
    known = [one for one in found if one is not None]
    return sum(known) / len(known) if known else None
