"""ECAP without replacement: every sample of a small population, and an intruder drawn by chance."""

from math import sqrt
from random import Random

import pytest

import unveil
from oracles.ecap import enumerated_ecap, printed_form
from unveil.errors import SettingsError

WITHOUT = {"sampling": "without replacement"}
NOISE = {-1: 0.25, 0: 0.5, 1: 0.25}


@pytest.mark.parametrize("N", [2, 4, 7])
@pytest.mark.parametrize("noise", [NOISE, {0: 1.0}, {-1: 0.1, 0: 0.2, 1: 0.7}])
def test_it_is_what_every_sample_of_a_small_population_gives(N, noise):
    b = sum(k for step, k in noise.items() if 1 + step == 0)
    for n in range(1, N + 1):
        exact = enumerated_ecap([0, *[1] * (N - 1)], 0, noise, n)
        found = unveil.ecap_from_probabilities(noise[0], b, N, n, **WITHOUT)
        assert found == pytest.approx(exact, abs=1e-12)


def test_an_intruder_is_right_as_often_as_it_says():
    """Populations are drawn anew; who was sampled is known, and claims are counted."""
    rng, pmf = Random(4), {0: 0.1, 1: 0.3, 2: 0.6}
    N, n, rounds = 12, 9, 30_000
    steps, weights = [*NOISE], [*NOISE.values()]
    right = claimed = 0
    for _ in range(rounds):
        people = [0, *rng.choices([*pmf], [*pmf.values()], k=N - 1)]
        sample = rng.sample(range(N), n)
        moved = rng.choices(steps, weights, k=n)
        released = [people[i] + step for i, step in zip(sample, moved, strict=True)]
        if 0 in released:
            claimed += 1
            right += 0 in sample
    expected = unveil.ecap_discrete(pmf, N, n, NOISE, **WITHOUT).ecap[0]
    error = sqrt(expected * (1 - expected) / claimed)
    assert abs(right / claimed - expected) / error < 3.5
    assert abs(right / claimed - printed_form(0.5, 0.1 * 0.5 + 0.3 * 0.25, N, n)) / error > 5


@pytest.mark.parametrize(("N", "n"), [(15, 14), (600, 600), (60_000, 600)])
def test_no_noise_goes_below_the_sampling_fraction(N, n):
    values = [170.0, 178.0]
    for sigma in (0.1, 5, 1e6):
        found = unveil.ecap(values, population="normal(170, 12)", N=N, n=n, sigma=sigma, **WITHOUT)
        assert found.limit == n / N
        assert all(one >= n / N - 1e-9 for one in found.ecap)


def test_where_everybody_was_sampled_no_noise_is_enough():
    asked = {"population": "normal(170, 12)", "N": 300, "n": 300, "threshold": 0.7}
    assert unveil.choose_noise([178.0], **asked).sigma is not None  # as equation 1 has it
    found = unveil.choose_noise([178.0], **asked, **WITHOUT)
    assert found.sigma is None
    assert found.warnings


def test_both_agree_where_few_are_sampled_and_equation_1_keeps_its_name():
    one = unveil.ecap_from_probabilities(0.3, 0.001, 10**7, 50)
    two = unveil.ecap_from_probabilities(0.3, 0.001, 10**7, 50, **WITHOUT)
    assert one == pytest.approx(two, rel=1e-4)
    assert one == unveil.ecap_from_probabilities(0.3, 0.001, 10**7, 50, sampling="equation 1")
    with pytest.raises(SettingsError, match="sampling"):
        unveil.ecap_from_probabilities(0.3, 0.1, 10, 5, sampling="with")
