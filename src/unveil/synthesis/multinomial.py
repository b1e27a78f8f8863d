"""Categories without an order, from those before: multinomial logistic regression."""

import numpy as np

from unveil.count.likelihoods import Codes
from unveil.errors import SettingsError, listed
from unveil.synthesis.class_model import ClassModel
from unveil.synthesis.design_matrix import Predictors
from unveil.synthesis.likelihood import Fit, Sparse
from unveil.synthesis.methods import Options, Target
from unveil.synthesis.softmax import drawn, fit_softmax


class Model(ClassModel):
    """P(class | predictors) is proportional to exp(intercept + predictors x coefficients)."""

    @staticmethod
    def estimate(x: Sparse, y: Codes, n_classes: int) -> Fit:
        """By maximum likelihood."""
        return fit_softmax(x, y, n_classes)

    def draw(self, x: Sparse, rng: np.random.Generator) -> Codes:
        """By the probabilities of each row."""
        return drawn(self.fit, x, rng)


def fit(
    target: Target, predictors: Predictors, options: Options, rng: np.random.Generator
) -> Model:
    """Fit by maximum likelihood (`softmax.fit_softmax`); nothing is left to chance.

    References
    ----------
    What synthpop calls `polyreg`. It adds a few made-up records to every fit against separation
    (White, Daniel and Royston 2010); we add a ridge, and only where classes are separated.
    """
    del options, rng
    if target.kind == "number":
        raise SettingsError(
            f"The method 'multinomial' is for categories, and {listed([target.name])} holds"
            " numbers. Use 'normrank', 'cart' or 'sample' for it."
        )
    return Model.of(target, predictors)
