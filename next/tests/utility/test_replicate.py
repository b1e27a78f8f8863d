"""Published results beside slow oracles; what cannot be measured is said in a sentence."""

import math

import polars as pl
import pytest

import unveil
from oracles import replication
from utility.frames import people, study, worse

LEVEL = 0.9


@pytest.fixture(scope="module")
def files():
    return people(1, 150), worse(people(2, 120))


def replicated(files, *results, **about):
    return unveil.replicate(study(*files, **about), list(results), level=LEVEL)


def of(files, kind, outcome, *predictors, subgroup=""):
    entry = {
        "name": "It",
        "kind": kind,
        "outcome": outcome,
        "predictors": predictors,
        "subgroup": subgroup,
    }
    return replicated(files, entry)


def test_shares_means_and_counts_are_as_defined(files):
    results = [
        {
            "name": "Villagers",
            "kind": "share",
            "outcome": "place = 'village'",
            "subgroup": "age >= 40",
        },
        {"name": "Income", "kind": "mean", "outcome": "income"},
        {"name": "Old", "kind": "count", "outcome": "age >= 70"},
    ]
    rows = {row.result: row for row in replicated(files, *results).terms}
    for figure, file in zip(("original", "synthetic"), files, strict=True):
        places = [r["place"] for r in file.to_dicts() if r["age"] >= 40 and r["place"] is not None]
        share, se = replication.share(places, "village")
        row = rows["Villagers"]
        assert (getattr(row, figure), getattr(row, f"{figure}_se")) == pytest.approx(
            (share / 100, se / 100)
        )
        incomes = [value for value in file["income"] if value not in (None, -8)]
        row = rows["Income"]
        assert (getattr(row, figure), getattr(row, f"{figure}_se")) == pytest.approx(
            replication.mean(incomes)
        )
        scale = len(files[0]) / len(file)
        p = (file["age"] >= 70).mean()
        row = rows["Old"]
        count = p * len(file) * scale, (len(file) * p * (1 - p)) ** 0.5 * scale
        assert (getattr(row, figure), getattr(row, f"{figure}_se")) == pytest.approx(count)
    row = rows["Villagers"]
    first = replication.normal_interval(row.original, row.original_se, LEVEL)
    second = replication.normal_interval(row.synthetic, row.synthetic_se, LEVEL)
    assert (row.original_low, row.original_high, row.low, row.high) == pytest.approx(
        (*first, *second)
    )
    assert row.overlap == pytest.approx(replication.overlap(first, second))
    assert row.difference == pytest.approx(row.synthetic - row.original)


def design(file, outcome):
    """Records with all values: 1, age, whether a man; and the outcome."""
    rows = [r for r in file.to_dicts() if outcome(r) is not None]
    return [[1.0, r["age"] / 10, r["sex"] == "m"] for r in rows], [outcome(r) for r in rows]


def test_regressions_are_as_defined(files):
    line = of(files, "linear", "income", "age / 10", "sex").terms
    place = of(files, "multinomial", "place", "age / 10", "sex").terms
    odds = of(files, "logistic", "place = 'village'", "age / 10", "sex = 'm'").terms
    for figure, file in zip(("original", "synthetic"), files, strict=True):

        def pay(row):
            return None if row["income"] in (None, -8) else row["income"]

        def where(row):
            return row["place"] and ["city", "town", "village"].index(row["place"])

        def is_village(row):
            return row["place"] and int(row["place"] == "village")

        expected = {
            "linear": (line, replication.linear(*design(file, pay))),
            "multinomial": (place, replication.multinomial(*design(file, where), 3)),
            "logistic": (odds, replication.multinomial(*design(file, is_village), 2)),
        }  # fmt: skip
        for kind, (rows, (b, errors)) in expected.items():
            assert [getattr(row, figure) for row in rows] == pytest.approx(b, rel=1e-5), kind
            ours = [getattr(row, f"{figure}_se") for row in rows]
            assert ours == pytest.approx(errors, rel=1e-5), kind
    assert [row.term for row in line] == ["(intercept)", "age / 10", "sex = m"]
    assert [row.term for row in odds] == ["(intercept)", "age / 10", "sex = 'm'"]
    assert [row.term for row in place][3] == "village | (intercept)"


def test_a_poisson_model_without_predictors_is_the_mean(files):
    row = of(files, "poisson", "age").terms[0]
    assert 2.718281828459045**row.original == pytest.approx(files[0]["age"].mean())


@pytest.mark.parametrize(
    ("entry", "reason"),
    [
        (("logistic", "age > 50", "age"), "determine the outcome"),
        (("logistic", "age > 0", "age"), "the outcome has one value"),
        (("multinomial", "upper('x') || sex", "age", "sex"), "determine the outcome"),
        (("linear", "income", "age", "sex"), "no record is in the subgroup"),
    ],
)
def test_what_has_no_figure_says_why(files, entry, reason):
    subgroup = "age > 200" if "subgroup" in reason else ""
    result = of(files, *entry, subgroup=subgroup)
    assert all(row.original is None for row in result.terms)
    notes = [note.sentence for note in result.notes if reason in note.sentence]
    assert len(notes) == 2
    assert all("It is not measured in" in text for text in notes)


def test_one_level_and_constant_outcomes():
    files = [people(seed, 80).with_columns(same=pl.lit(3.0)) for seed in (1, 2)]
    one_level = of(files, "linear", "income", "age", "sex", subgroup="sex = 'f'")
    assert [row.term for row in one_level.terms] == ["(intercept)", "age"]
    assert any("1 of its terms without a figure" in note.sentence for note in one_level.notes)
    constant = of(files, "mean", "same").terms[0]
    assert (constant.original, constant.original_se, constant.overlap) == (3, 0, None)
    nobody = of(files, "share", "sex = 'female'")
    assert [note.sentence for note in nobody.notes if "the same outcome" in note.sentence] == [
        "It has the same outcome for everyone in the original, and no overlap.",
        "It has the same outcome for everyone in synthetic file 1, and no overlap.",
    ]


def test_a_level_that_the_synthetic_data_lack_has_no_figure_there(files):
    synthetic = files[1].with_columns(pl.col("place").replace("town", "city"))
    result = of((files[0], synthetic), "linear", "age", "place")
    rows = {row.term: row for row in result.terms}
    assert rows["place = town"].original is not None
    assert rows["place = town"].synthetic is None
    assert any(
        "synthetic file 1" in n.sentence and "1 of its terms" in n.sentence for n in result.notes
    )


def test_levels_are_compared_with_the_same_one_in_every_file(files):
    """The first in the original's subgroup; a file without it has no figure, not another one."""
    without = files[1].filter(pl.col("place") != "city")
    for entry in (("linear", "age", "place"), ("multinomial", "place", "age")):
        result = of((files[0], without), *entry)
        assert result.terms[0].original is not None
        assert all(row.synthetic is None for row in result.terms)
        assert any("compared with" in note.sentence for note in result.notes)
    more = files[1].with_columns(pl.col("place").replace("village", "abbey"))
    both = pl.concat([files[1], more])
    rows = {row.term: row for row in of((files[0], both), "multinomial", "place").terms}
    n_town, n_city = (both["place"].to_list().count(place) for place in ("town", "city"))
    assert rows["town | (intercept)"].synthetic == pytest.approx(math.log(n_town / n_city))
    assert rows["abbey | (intercept)"].original is None
    result = of(files, "linear", "age", "place", subgroup="place <> 'city'")
    assert [row.term for row in result.terms] == ["(intercept)", "place = village"]
    towns = [r["age"] for r in files[0].to_dicts() if r["place"] == "town"]
    assert result.terms[0].original == pytest.approx(sum(towns) / len(towns))


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"name": "A", "kind": "mean"}, "outcome"),
        ({"name": "A", "kind": "median", "outcome": "age"}, "median"),
        ({"name": "A", "kind": "mean", "outcome": "age", "formula": "y ~ x"}, "formula"),
        ({"name": "A", "kind": "mean", "outcome": "place"}, "must be a number"),
        ({"name": "A", "kind": "share", "outcome": "age"}, "must be a condition"),
        ({"name": "A", "kind": "logistic", "outcome": "place"}, "must be a condition"),
        ({"name": "A", "kind": "multinomial", "outcome": "age"}, "must be a category"),
        ({"name": "A", "kind": "poisson", "outcome": "age - 50"}, "below 0"),
        ({"name": "A", "kind": "mean", "outcome": "agee"}, "agee"),
        ({"name": "A", "kind": "mean", "outcome": "age", "subgroup": "age + 1"}, "subgroup"),
        ({"name": "A", "kind": "mean", "outcome": "exists(select * from read_csv('x'))"}, "exists"),
    ],
)
def test_a_result_that_makes_no_sense_is_refused(files, entry, words):
    with pytest.raises(unveil.InputError, match=words):
        replicated(files, entry)


def test_results_come_from_a_file(files, tmp_path):
    path = tmp_path / "results.toml"
    path.write_text('[[result]]\nname = "Income"\nkind = "mean"\noutcome = "income"\n')
    from_file = unveil.replicate(study(*files), path)
    assert (
        from_file.terms
        == unveil.replicate(
            study(*files), [{"name": "Income", "kind": "mean", "outcome": "income"}]
        ).terms
    )
    path.write_text("[[result]\n")
    with pytest.raises(unveil.InputError, match=r"results\.toml"):
        unveil.replicate(study(*files), path)


def test_sentences_hold_their_figures(files):
    result = of(files, "linear", "income", "age")
    rows = result.terms
    apart = sum(row.overlap < 0 for row in rows)
    worst = min(rows, key=lambda row: row.overlap)
    assert apart == 2
    assert result.sentences == (
        f"{apart} of 2 published figures have intervals that are apart. The least overlap,"
        f" {worst.overlap:.2f}, has It, {worst.term}, with {worst.original:,.0f} in the original"
        f" and {worst.synthetic:,.0f} in the synthetic data.",
    )


def test_of_copies_the_mean_is_shown(files):
    result = of((files[0], [files[1], people(3, 120)]), "mean", "income")
    copies = {row.copy: row.synthetic for row in result.terms}
    assert copies["mean"] == pytest.approx((copies[1] + copies[2]) / 2)
