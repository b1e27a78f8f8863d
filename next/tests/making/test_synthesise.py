"""Synthetic data: what is drawn, from whom, and what must hold of it."""

from collections import Counter
from datetime import date, timedelta
from itertools import product
from random import Random

import polars as pl
import pytest

import unveil


def people(n=600, seed=1):
    """Where schooling and marriage depend on age, and income on schooling; -8 is a code."""
    chance = Random(seed)
    rows = []
    for _ in range(n):
        age = chance.randint(16, 80)
        school = chance.choice("abc" if age > 30 else "ab")
        marital = "single" if age < 20 else chance.choice(["single", "married", "married"])
        income = round(chance.gauss({"a": 1000, "b": 2000, "c": 4000}[school], 100), -1)
        income = chance.choices([income, -8, None], (8, 1, 1))[0]
        rows.append((age, school, marital, income, date(2025, 1, 1) + timedelta(age % 28)))
    names = ["age", "school", "marital", "income", "seen"]
    return pl.DataFrame(rows, schema=names, orient="row")


def study(frame=None, **columns):
    frame = people() if frame is None else frame
    about = {"income": {"special": (-8,)}} if "income" in frame.columns else {}
    return unveil.Study(frame, columns=about | columns)


def made(files=None, **asked):
    return unveil.synthesise(files or study(), **{"seed": 1, **asked})


def first(result):
    return result.study.synthetic["", 1]


METHODS = ("cart", "parametric", "sample", "catall")


@pytest.mark.parametrize("method", METHODS)
def test_every_value_is_one_of_the_original_with_its_type(method):
    files = study(people().select("school", "marital", "income")) if method == "catall" else study()
    frame = first(made(files, method=method))
    assert frame.schema == files.original.schema
    assert len(frame) == 600
    for name in frame.columns:
        assert {*frame[name]} <= {*files.original[name]}, name


@pytest.mark.parametrize("method", ["cart", "parametric", "sample"])
def test_levels_codes_and_missing_values_are_as_frequent_as_before(method):
    """600 draws: four standard deviations are at most 0.082."""
    copies = made(method=method, copies=3).study.synthetic
    for frame in copies.values():
        for name in ("school", "marital"):
            shares = Counter(frame[name])
            for level, n in Counter(people()[name]).items():
                assert abs(shares[level] - n) / 600 < 0.082
        for is_odd in (pl.col("income") == -8, pl.col("income").is_null()):
            n, before = (f.select(is_odd.fill_null(False).sum()).item() for f in (frame, people()))
            assert abs(n - before) / 600 < 0.06


@pytest.mark.parametrize("method", ["cart", "parametric"])
def test_what_depends_on_another_column_still_does(method):
    means = [
        frame.filter(pl.col("income") > 0).group_by("school").agg(pl.mean("income")).sort("school")
        for frame in (people(), first(made(method=method)))
    ]
    for before, after in zip(*(mean["income"] for mean in means), strict=True):
        assert after == pytest.approx(before, rel=0.15)


def test_no_leaf_holds_fewer_people_than_asked_for():
    """Where the cost names the person, a leaf of 33 has 33 of them: each is drawn as rarely."""
    frame = pl.DataFrame({"x": [k % 2 for k in range(300)], "cost": [k * 1.5 for k in range(300)]})
    drawn = made(study(frame), leaf=(33, 100)).draw(20_000, seed=3)
    for half in (0, 1):
        counts = Counter(drawn.filter(pl.col("x") == half)["cost"])
        assert len(counts) == 150  # nobody but those of their own half, and each of them
        assert max(counts.values()) / sum(counts.values()) < 1.6 / 33


def test_the_same_seed_gives_the_same_file_and_each_copy_another():
    one, again, other = made(copies=2), made(copies=2), made(seed=2)
    assert first(one).equals(first(again))
    assert not first(one).equals(first(other))
    assert not first(one).equals(one.study.synthetic["", 2])
    assert [row.copy for row in one.copies] == [1, 2]


def test_what_a_file_looks_like_changes_no_synthetic_record():
    frame = people()
    labels = {text: float(code) for code, text in enumerate("abc", start=1)}
    coded = frame.with_columns(frame["school"].replace_strict(labels, return_dtype=pl.Float64))
    book = {
        "school": unveil.Variable(
            labels={str(code): text for text, code in zip("abc", "123", strict=True)}
        )
    }
    looks = {
        "categories": frame.with_columns(pl.col("school", "marital").cast(pl.Categorical)),
        "decimals": frame.with_columns(pl.col("age").cast(pl.Decimal(10, 2))),
    }
    plain = first(made())
    for changed in looks.values():
        same = first(made(study(changed))).cast(dict(plain.schema))
        assert same.equals(plain)
    labelled = first(unveil.synthesise(
        unveil.Study(unveil.Data(coded, book), columns={"income": {"special": (-8,)}}), seed=1
    ))  # fmt: skip
    assert [*labelled["school"]] == [labels[text] for text in plain["school"]]


def test_kept_columns_stay_together_as_they_are():
    frame = first(made(method={"age": "keep", "school": "keep"}))
    assert sorted(frame.select("age", "school").rows()) == sorted(
        people().select("age", "school").rows()
    )
    kept = first(made(method="keep"))
    assert sorted(kept.rows(), key=repr) == sorted(people().rows(), key=repr)


def test_rules_hold_of_every_record():
    """Drawn without regard to age, one in three records breaks it."""
    rule = "age >= 20 or marital = 'single'"
    broken = pl.sql_expr(f"not ({rule})")
    assert first(made(method="sample")).filter(broken).height > 0
    assert first(made(method="sample", rules=rule)).filter(broken).height == 0
    assert made(rules=[rule]).notes == ()
    (note,) = made(rules=["age > 20"]).notes
    n = people().filter(pl.col("age") <= 20).height
    assert note.sentence == f"{n} records of the original break 'age > 20'."


def test_derived_columns_are_computed_in_every_file():
    result = made(derive={"double": "age * 2"})
    for file in result.study.files:
        assert [*file.frame["double"]] == [2 * age for age in file.frame["age"]]
    assert {row.column: row.method for row in result.columns}["double"] == "derived"


def test_predictors_and_order_are_those_that_are_named():
    result = made(order=["school", "income"], predictors={"marital": "age"})
    rows = {row.column: row for row in result.columns}
    assert [*rows] == ["school", "income", "age", "marital", "seen"]
    assert rows["marital"].predictors == ("age",)
    assert rows["seen"].predictors == ("school", "income", "age", "marital")
    assert rows["school"].method == "sample"


def fitted(counts, margins):
    """Iterative proportional fitting, cell by cell."""
    table = dict.fromkeys(counts, 1.0)
    for _ in range(200):
        for margin in margins:
            sums = [Counter(), Counter()]
            for cell in counts:
                part = tuple(cell[k] for k in margin)
                sums[0][part] += counts[cell]
                sums[1][part] += table[cell]
            for cell in table:
                part = tuple(cell[k] for k in margin)
                table[cell] *= sums[0][part] / sums[1][part] if sums[1][part] else 0
    return table


def test_a_table_is_drawn_by_its_counts_or_by_its_margins_alone():
    names = ["school", "marital"]
    frame = people().select(names)
    frame = frame.with_columns(work=pl.Series([Random(k).choice("yn") for k in range(600)]))
    n = 40_000
    cells = [*product(*(sorted({*frame[name]}) for name in frame.columns))]
    counts = Counter(frame.rows())
    counts = {cell: counts[cell] for cell in cells}
    for margins in ((), (("school", "marital"), ("work",))):
        method = {"method": "ipf", "margins": margins} if margins else {"method": "catall"}
        drawn = Counter(made(study(frame), **method).draw(n, seed=2).rows())
        places = [[frame.columns.index(name) for name in margin] for margin in margins]
        expected = fitted(counts, places) if margins else counts
        for cell in cells:
            share = expected[cell] / 600
            assert abs(drawn[cell] / n - share) <= 4 * (share * (1 - share) / n) ** 0.5


def test_columns_that_point_at_people_are_refused_until_it_is_said_what_they_are():
    frame = people().with_columns(name=pl.Series([f"someone {k}" for k in range(600)]))
    with pytest.raises(unveil.InputError, match="'name' may point at people") as refusal:
        made(study(frame))
    assert "someone" not in str(refusal.value)
    left_out = made(study(frame, name="identifier"))
    assert "name" not in first(left_out).columns
    assert {row.column: row.method for row in left_out.columns}["name"] == "left out"
    stays = made(study(frame, name={"role": "identifier", "reason": "invented"}))
    assert "name" in first(stays).columns
    unveil.distance_filter(left_out.study)  # the study that is made can be assessed


def test_values_of_single_people_and_rare_levels_are_named():
    frame = people().with_columns(
        income=pl.Series([1000.5 + k / 7 if k < 20 else 900.0 for k in range(600)]),
        school=pl.Series(["x", "y", "z"] + ["a"] * 597),
    )
    rows = {row.column: row.notes for row in made(study(frame)).columns}
    assert rows["income"] == "20 numbers that one record has may be drawn"
    assert rows["school"] == (
        "3 levels that one record has may be drawn; 3 rare levels are one to later columns"
    )


def test_each_stratum_has_models_of_its_own_and_its_share():
    """Income depends on schooling; of each stratum comes as many, with incomes of its own."""
    result = made(strata=["school"], order=["income"])
    frame, before = first(result), people()
    assert Counter(frame["school"]) == Counter(before["school"])
    for level in "abc":
        own = {*before.filter(pl.col("school") == level)["income"]}
        assert {*frame.filter(pl.col("school") == level)["income"]} <= own
    with pytest.raises(unveil.InputError, match="fewer records than a leaf"):
        made(strata=["age"])


def test_smoothed_numbers_are_compared_with_the_original_smoothed_likewise():
    result = made(smooth=True)
    assert {*first(result)["income"]} <= {*result.study.original["income"]}
    assert [*result.study.original["income"]] != [*people()["income"]]
    assert Counter(result.study.original["income"])[-8] == Counter(people()["income"])[-8]


# People with several records


def visits(n=400, seed=2):
    chance, rows = Random(seed), []
    for k in range(n):
        sex, level = chance.choice("fm"), chance.gauss(50, 10)
        day = date(2025, 1, 1) + timedelta(chance.randint(0, 200))
        for _ in range(chance.choice([1, 2, 2, 3, 5])):
            rows.append((f"p{k}", sex, day, round(level)))
            day, level = day + timedelta(chance.randint(20, 60)), level + chance.gauss(0, 1)
    schema = ["pid", "sex", "day", "bp"]
    return pl.DataFrame(rows, schema=schema, orient="row").sample(fraction=1, shuffle=True, seed=3)


def visiting(**asked):
    files = unveil.Study(visits(), columns={"pid": "person", "day": "time"})
    return unveil.synthesise(files, **{"seed": 1, "leaf": (10, 30), **asked})


def lagged(frame):
    by_person = frame.sort("pid", "day").with_columns(
        before=pl.col("bp").shift(1).over("pid"), gap=pl.col("day").diff().over("pid")
    )
    return by_person.drop_nulls("before")


def test_records_of_a_person_stand_in_order_and_keep_what_does_not_change():
    frame = first(visiting())
    by_person = frame.group_by("pid", maintain_order=True).agg(pl.all())
    assert len(by_person) == 400
    assert not {*by_person["pid"]} & {*visits()["pid"]}
    assert all(len({*sexes}) == 1 for sexes in by_person["sex"])
    assert all([*days] == sorted(days) for days in by_person["day"])
    assert 0.85 < len(frame) / len(visits()) < 1.15
    assert frame["pid"].value_counts()["count"].max() <= 5


def test_each_record_depends_on_the_one_before():
    before, after = lagged(visits()), lagged(first(visiting()))
    correlations = [f.select(pl.corr("before", "bp")).item() for f in (before, after)]
    assert correlations[1] == pytest.approx(correlations[0], abs=0.05)
    gaps = [f["gap"].dt.total_days() for f in (before, after)]
    assert gaps[1].min() >= gaps[0].min()
    assert gaps[1].mean() == pytest.approx(gaps[0].mean(), rel=0.1)


def test_rules_hold_of_every_record_of_a_person():
    assert first(visiting(rules="bp < 65"))["bp"].max() < 65


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"method": "crat"}, "cart"),
        ({"method": {"age": "crat"}}, "cart"),
        ({"method": {"aeg": "cart"}}, "age"),
        ({"method": {"school": "normrank"}}, "normrank"),
        ({"method": "ipf"}, "margins"),
        ({"method": "ipf", "margins": [["age"]]}, "Name each column"),
        ({"margins": [["age", "school"]]}, "ipf"),
        ({"order": "aeg"}, "order"),
        ({"predictors": {"age": "income"}}, "must come before"),
        ({"leaf": (0, 5)}, "leaf"),
        ({"copies": 0}, "copies"),
        ({"rules": "age > 500"}, "no record of the original obeys"),
        ({"rules": "if age < 20 then marital = 'single'"}, "true of every record"),
        ({"rules": "age + 1"}, "not true or false"),
        ({"rules": "exists(select * from read_csv('/etc/passwd'))"}, "rules"),
        ({"rules": "school > 5 and age"}, "rules"),
        ({"derive": {"x": "agee * 2"}}, "agee"),
    ],
)
def test_a_wrong_setting_is_refused_in_a_sentence(wrong, word):
    with pytest.raises(unveil.InputError) as refusal:
        made(**wrong)
    assert word in str(refusal.value)


def test_rules_that_hardly_any_draw_obeys_end_with_what_the_original_breaks():
    with pytest.raises(unveil.InputError, match="Of the original break it") as refusal:
        made(method="sample", rules="age = 80")
    n = people().filter(pl.col("age") != 80).height
    assert "synthetic records still break one after 50 draws" in str(refusal.value)
    assert f"break it: {n} (age = 80)." in str(refusal.value)
