"""What sentences say of releases whose truth is known, and that each number in them is a figure."""

import re

import numpy as np
import polars as pl
import pytest

import unveil

ACCUSES = ("succeeds more often", "More are close")


def people(n, seed):
    """People of one population; more of the same are strangers to them."""
    random = np.random.default_rng(seed)
    sex, region = random.integers(2, size=n), random.integers(6, size=n)
    age, chance = random.integers(16, 90, size=n), random.random(n)
    school = np.clip((random.normal(size=n) + (age < 40)).round(), -2, 3).astype(int)
    job = (school + random.integers(3, size=n) + sex) % 5
    income = np.round(np.exp(6 + 0.2 * school + random.normal(scale=0.5, size=n)), -1)
    married = (age > 30) & (chance < 0.7)
    columns = {"sex": sex, "region": region, "school": school, "job": job, "married": married}
    texts = {name: pl.Series(values).cast(pl.String) for name, values in columns.items()}
    return pl.DataFrame({"age": age, "income": income, **texts})


def attack(original, synthetic, control, **settings):
    return unveil.attack(study(original, synthetic, control), **settings)


def study(original, synthetic, control, **about):
    about = {"keys": ("sex", "age", "region", "school")} | about
    return unveil.Study(original, synthetic, control=control, **about)


def text_of(result):
    return " ".join(result.sentences)


@pytest.mark.parametrize("n_control", [150, 400])
def test_a_release_that_is_independent_of_everyone_is_never_accused(n_control):
    for seed in range(20):
        files = people(400, 3 * seed), people(400, 3 * seed + 1), people(n_control, 3 * seed + 2)
        result = attack(*files, seed=seed)
        assert not any(word in text_of(result) for word in ACCUSES)
        assert "None of these attacks" in text_of(result)
        assert all(row.R_low < 0.1 for row in result.attacks)


@pytest.mark.parametrize(
    ("sizes", "seed"), [((1_000, 300, 60), 14), ((300, 2_000, 300), 1)], ids=["few", "alike"]
)
def test_a_release_is_not_accused_for_few_people_or_guesses_that_are_alike(sizes, seed):
    """Both have an R whose interval is far above 0: of 60 people, or of guesses about the same."""
    files = (people(n, 10_000 + 3 * seed + place) for place, n in enumerate(sizes))
    result = attack(*files, seed=seed)
    assert max(row.R_low for row in result.attacks) >= 0.05
    assert not any(word in text_of(result) for word in ACCUSES)


def test_a_small_control_sample_does_not_move_R():
    """Of about 0.9 of 2,000 people and of 40, Wilson's centres alone give an R of 0.2."""
    ratios = []
    for seed in range(30):
        files = (people(n, 3 * seed + place) for place, n in enumerate((2_000, 100, 40)))
        frames = [f.with_columns(rare=pl.col("income") > 1_000) for f in files]
        result = unveil.inference(study(*frames, targets="rare"))
        ratios.append(result.attacks[0].R)
    assert abs(np.mean(ratios)) < 3 * np.std(ratios) / np.sqrt(len(ratios))


@pytest.mark.parametrize("seed", range(3))
def test_a_copy_of_one_in_twenty_is_found(seed):
    original = people(1_000, 3 * seed)
    copied = original.sample(50, seed=seed)
    release = pl.concat([people(950, 3 * seed + 1), copied]).sample(fraction=1, shuffle=True)
    result = attack(original, release, people(500, 3 * seed + 2))
    assert "More are close than chance explains" in text_of(result)
    row = result.closest[0]
    assert 45 <= row.closest <= 75
    assert row.p < 1e-4


RELEASES = {
    "a shuffled copy": lambda original: original.sample(fraction=1, shuffle=True, seed=1),
    "half real records": lambda original: pl.concat([original[:500], people(500, 9)]),
}


@pytest.mark.parametrize("release", RELEASES)
def test_a_release_of_real_records_is_named(release):
    original = people(1_000, 1)
    result = attack(original, RELEASES[release](original), people(300, 2))
    assert all(word in text_of(result) for word in ACCUSES)
    assert "None of these" not in text_of(result)


def test_without_a_control_sample_nothing_reassures():
    original = people(400, 1)
    result = attack(original, original, None)
    assert "how much of this holds for anyone" in text_of(result)
    assert "None of these" not in text_of(result)
    assert all(row.R is None for row in result.attacks)


def test_an_attack_no_better_than_blind_guesses_is_not_said_to_be():
    files = study(people(400, 1), people(400, 2), None, keys="region", targets="sex")
    assert "not measurably more" in unveil.inference(files).sentences[1]


def test_people_in_both_samples_are_noticed():
    original = people(400, 1)
    result = attack(original, original, original[:100])
    assert any("100 of 100 records of the control sample are" in n.sentence for n in result.notes)


def test_a_whole_population_has_no_R():
    files = study(people(200, 1), people(200, 2), people(200, 3), fraction=1)
    result = unveil.attack(files)
    assert all(row.R is None for row in result.attacks)
    assert "whole population" in text_of(result)


def numbers(text):
    return {part.strip(".") for part in re.findall(r"-?[\d.,]*\d", text)}


def test_every_number_of_a_sentence_is_a_figure_of_its_row():
    files = people(300, 1), people(300, 2), people(200, 3)
    result = unveil.attack(study(*files, targets=("job", "income")))
    rates = ("main", "main_low", "main_high", "naive", "control", "control_low", "control_high")
    for row, sentence in zip(result.attacks, result.sentences, strict=False):
        figures = {f"{100 * row[rate]:.1f}" for rate in rates} | {f"{row.guesses:,}"}
        figures |= {f"{row[end]:z.2f}" for end in ("R", "R_low", "R_high")} | {"0.1", "1", "3"}
        assert numbers(sentence) <= figures, sentence
        assert (row.target or row.attack.partition(" by")[0] in sentence) or row.parts
    best = max(result.membership, key=lambda row: row.F1)
    shares = {f"{100 * best[name]:.1f}" for name in ("AUC", "AUC_low", "AUC_high")}
    figures = {f"{best.threshold:g}", f"{best.F1:.3f}", "1", "0.667", "50.0", *shares}
    assert numbers(result.sentences[-2]) <= figures


def test_what_succeeds_most_beyond_blind_guesses_stands_first():
    original = people(300, 1)
    rows = unveil.inference(study(original, original, None)).attacks
    gains = [row.main - row.naive for row in rows]
    assert gains == sorted(gains, reverse=True)


def test_people_are_drawn_whatever_the_order_of_rows():
    files = [people(n, n) for n in (300, 301, 200)]
    shuffled = [frame.sample(fraction=1, shuffle=True, seed=3) for frame in files]
    drawn = [attack(*frames, people=50, seed=2) for frames in (files, shuffled)]
    assert drawn[0].attacks == drawn[1].attacks
    assert drawn[0].membership == drawn[1].membership
    assert {row.guesses for row in drawn[0].attacks if row.target} == {50}


def test_one_call_makes_the_attacks_that_are_asked_for_or_that_files_allow():
    files = study(people(60, 1), people(60, 2), people(40, 3), targets="job")
    kinds = [row.attack.partition(" ")[0] for row in unveil.attack(files).attacks]
    assert kinds == ["inference", "linkability", "singling", "singling"]
    some = unveil.attack(files, only=("membership", "inference"), people=30, seed=4)
    assert [row.attack for row in some.attacks] == ["inference"]
    assert some.membership == unveil.membership(files, people=30, seed=4).membership
    alone = unveil.attack(files.replace(control=None, keys="sex"))
    assert not alone.membership
    assert "linkability" not in {row.attack for row in alone.attacks}
    with pytest.raises(unveil.InputError, match="Did you mean 'inference'"):
        unveil.attack(files, only="inferense")
    with pytest.raises(unveil.InputError, match="control sample"):
        unveil.attack(files.replace(control=None), only="membership")


def test_R_may_have_a_limit_and_without_a_control_sample_is_not_measured():
    original = people(200, 1)
    files = study(original, original, people(200, 2), targets=("job", "income"))
    checks = unveil.inference(files).check({"R@income": 0.2})
    assert [(check.subject, check.status) for check in checks] == [("income", "above limit")]
    checks = unveil.inference(files.replace(control=None)).check({"R": 0.2})
    assert {check.status for check in checks} == {"not measured"}


def interaction(n, seed):
    """Fourteen keys of four levels; the target is an interaction of two of them in most cases."""
    random = np.random.default_rng(seed)
    keys = random.integers(4, size=(n, 14))
    target = (keys[:, 0] + keys[:, 1]) % 4
    target = np.where(random.random(n) < 0.94, target, random.integers(4, size=n))
    frame = pl.DataFrame({f"key {place}": keys[:, place] for place in range(14)})
    return frame.with_columns(target=target).cast(pl.String)


def test_a_forest_learns_what_nearest_records_do_not():
    files = study(*(interaction(1_500, seed) for seed in (1, 2)), None,
                  keys=[f"key {place}" for place in range(14)])  # fmt: skip
    disclosed = unveil.disclosure(files, expected=False).attribute[0]
    nearest = unveil.inference(files).attacks[0]
    result = unveil.inference(files, model="forest")
    assert disclosed.DiSCO < 0.1
    assert nearest.main < 0.7
    assert result.attacks[0].main > 0.85
    everyone, surest = result.model
    assert (everyone.claimed, surest.claimed) == (1_500, 300)
    for row in result.model:
        assert row.precision == row.correct / row.claimed
        assert row.recall_others == row.expected / 1_500
        assert row.beyond == row.correct - row.expected
        assert row.beyond < 0.05 * row.claimed
    assert f"{everyone.correct:,.0f} of 1,500 people (" in text_of(result)
    assert f"{surest.correct:,.0f} of 300 people it is surest of" in text_of(result)
    assert text_of(result).count("nothing measurable") == 2


@pytest.mark.parametrize("seed", [2, 6])
def test_a_forest_does_not_accuse_a_release_of_strangers(seed):
    """Where a forest learns with each record, two samples of one population teach unlike much."""
    files = study(*(interaction(800, 100 + 2 * seed + place) for place in (0, 1)), None,
                  keys=[f"key {place}" for place in range(14)])  # fmt: skip
    result = unveil.inference(files, model="forest", seed=seed)
    assert result.model[0].beyond > 5
    assert text_of(result).count("nothing measurable") == 2


def test_a_forest_of_a_number_of_very_many_values_is_refused():
    original = people(600, 1).with_columns(height=pl.int_range(600))
    files = study(original, original, None, targets="height")
    with pytest.raises(unveil.InputError, match="height:bands=20"):
        unveil.inference(files, model="forest")
    few = files.replace(columns={"height": {"bands": 20}})
    assert unveil.inference(few, model="forest", people=50).attacks[0].guesses == 50


def test_a_forest_finds_copied_records():
    original = people(400, 1)
    files = study(original, original, people(400, 2), targets="job")
    result = unveil.inference(files, model="forest")
    row = result.model[0]
    assert f"about {row.beyond:,.0f}, at least {row.low:,.0f}" in text_of(result)
