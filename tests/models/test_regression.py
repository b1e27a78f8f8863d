"""The family of regressions and the trees beside scikit-learn's, where both say the same."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from unveil.models.regression import fit_line, fit_softmax, softmax_probabilities
from unveil.models.tree import grow_tree


def records(seed, n=500):
    """A number and all dummies of two categories: collinear."""
    rng = np.random.default_rng(seed)
    dummies = [np.eye(k)[rng.integers(k, size=n)] for k in (3, 5)]
    x = np.column_stack((rng.normal(size=n), *dummies))
    return x, x[:, 0] + x[:, 1] + rng.normal(size=n)


@pytest.mark.parametrize(("n_classes", "ridge"), [(2, 2.0), (4, 1.0)])
def test_a_ridge_is_the_penalty_of_scikit_learn(n_classes, ridge):
    from sklearn.linear_model import LogisticRegression  # here: it takes long to import

    x, z = records(1)
    y = np.clip(np.round(z + n_classes / 2), 0, n_classes - 1).astype(int)
    ours = softmax_probabilities(fit_softmax(csr_array(x), y, n_classes, ridge=ridge), x)
    theirs = LogisticRegression(max_iter=5_000, tol=1e-10).fit(x, y).predict_proba(x)
    assert ours == pytest.approx(theirs, abs=2e-4)


def test_a_slight_ridge_shares_an_effect_among_collinear_columns_as_the_shortest_solution_does():
    from sklearn.linear_model import LinearRegression

    x, z = records(2)
    fit, _ = fit_line(csr_array(x), z, ridge=1e-8 * len(z))
    theirs = LinearRegression().fit(x, z)
    assert fit.coefficients == pytest.approx(theirs.coef_, abs=1e-6)
    assert fit.intercept[0] == pytest.approx(theirs.intercept_, abs=1e-6)


def test_a_tree_predicts_what_scikit_learn_predicts():
    from sklearn.tree import DecisionTreeClassifier

    x, z = records(3)
    matrix, y = x.astype(np.float32), (z > 0).astype(int)
    ours = grow_tree(matrix, y, is_number=False, min_leaf=10, seed=1).predict(matrix)
    theirs = DecisionTreeClassifier(min_samples_leaf=10, random_state=1).fit(matrix, y)
    assert ours == pytest.approx(theirs.predict_proba(matrix))
