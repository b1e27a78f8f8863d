"""Two classes, from the columns before: logistic regression."""

import numpy as np

from unveil.count.likelihoods import Codes, Floats
from unveil.errors import SettingsError, listed
from unveil.synthesis.class_model import ClassModel
from unveil.synthesis.design_matrix import Predictors
from unveil.synthesis.likelihood import Fit, Sparse
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.softmax import fit_softmax


def fit_logistic(x: Sparse, y: Codes, n_classes: int) -> Fit:
    """The log-odds of the second class: the multinomial model of two, by their difference."""
    both = fit_softmax(x, y, n_classes)
    intercept, coefficients = np.diff(both.intercept), np.diff(both.coefficients)[:, 0]
    return Fit(intercept, coefficients, both.ridge, both.converged, both.dropped)


def probability(fit: Fit, x: Sparse) -> Floats:
    """P(second class | row) = 1 / (1 + exp(-a - x b))."""
    from scipy.special import expit

    chance: Floats = expit(x @ fit.coefficients + fit.intercept)
    return chance


def drawn(fit: Fit, x: Sparse, rng: np.random.Generator) -> Codes:
    """0 or 1 for each row."""
    chance = probability(fit, x)
    return (rng.random(len(chance)) < chance).astype(np.int64)


class Model(ClassModel):
    """P(second class | predictors) is the logistic function of a line."""

    @staticmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> Fit:
        """By maximum likelihood."""
        return fit_logistic(x, y, n_classes)

    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """By the probabilities of each row."""
        return drawn(self.fit, x, rng)


def fit(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> Model:
    """Fit by maximum likelihood (`softmax.fit_softmax`); nothing is left to chance.

    References
    ----------
    What synthpop calls `logreg`; separation is met by a ridge, as in `multinomial`.
    """
    del options, rng
    if target.kind == "number":
        raise SettingsError(
            f"The method 'logistic' is for two levels, and {listed([target.name])} holds numbers."
            " Use 'normrank', 'cart' or 'sample' for it."
        )
    n_seen = len(np.unique(target.values))
    if n_seen > 2:
        raise SettingsError(
            f"The method 'logistic' is for two levels, and {listed([target.name])} has {n_seen:,}"
            " (missing counts as one). Use 'multinomial', 'ordered' or 'cart' for it."
        )
    return Model.of(target, predictors)
