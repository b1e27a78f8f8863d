"""People with their rows in order: what the original keeps within a person, the copies keep."""

from collections import Counter, defaultdict
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.errors import InputError, SettingsError
from unveil.synthesis.synthesise import synthesise

RULES = ["discharged >= admitted", "los = discharged - admitted"]


def stays(n_people=300, seed=1):
    """Invented patients with one to several stays: dates, a stable weight, an age that rises."""
    rng = np.random.default_rng(seed)
    n = 1 + rng.poisson(1.5, n_people)
    n[0] = 40  # one person comes far more often than anybody else
    who = np.repeat(np.arange(n_people), n)
    gap = rng.integers(5, 150, len(who))
    day = np.array(
        [gap[(who == who[i]) & (np.arange(len(who)) <= i)].sum() for i in range(len(who))]
    )
    birth = rng.integers(1930, 2005, n_people)[who]
    long = rng.poisson(4, len(who))
    weight = rng.normal(75, 12, n_people)[who] + rng.normal(0, 1, len(who))
    start = np.datetime64("2020-01-01")
    frame = pl.DataFrame(
        {
            "patient": [f"P{w:04}" for w in who],
            "admitted": pl.Series(start + day),
            "discharged": pl.Series(start + day + long),
            "sex": rng.choice(["f", "m"], n_people)[who],
            "birth": birth,
            "age": 2020 + day // 365 - birth,
            "weight": weight.round(1),
            "los": long,
        }
    )
    return frame.with_columns(
        pl.when(pl.col("los") == 0).then(None).otherwise(pl.col("discharged")).alias("discharged"),
        pl.when(pl.col("los") == 0).then(None).otherwise(pl.col("los")).alias("los"),
    ).sample(fraction=1, shuffle=True, seed=1)


FRAME = stays()


def by_person(frame):
    """The rows of every person, in the order of the file: standard library only."""
    found = defaultdict(list)
    for row in frame.to_dicts():
        found[row["patient"]].append(row)
    return found


def correlation(pairs):
    x, y = (np.array(side, float) for side in zip(*pairs, strict=True))
    return float(np.corrcoef(x, y)[0, 1])


@pytest.mark.parametrize("method", ["cart", "parametric"])
def test_people_keep_what_people_of_the_original_keep(method):
    made = synthesise(
        FRAME, person="patient", time="admitted", rules=RULES, method=method, seed=1, workers=1
    )
    people = by_person(made.copies[0])
    assert len(people) == FRAME["patient"].n_unique()
    assert [*people] == [f"FAKE_{n}" for n in range(1, len(people) + 1)]
    for rows in people.values():
        assert len({(row["sex"], row["birth"]) for row in rows}) == 1
        for one, other in pairwise(rows):
            assert one["admitted"] <= other["admitted"]
            assert one["age"] <= other["age"]
        for row in rows:
            if row["discharged"] is None:
                assert row["los"] is None
            else:
                assert row["los"] == (row["discharged"] - row["admitted"]).days >= 0
    assert made.copies[0].columns == FRAME.columns
    assert made.copies[0].schema == FRAME.schema


def test_rows_of_a_person_belong_together():
    copy = synthesise(FRAME, person="patient", time="admitted", rules=RULES, seed=1).copies[0]
    pairs = [
        (one["weight"], other["weight"])
        for rows in by_person(copy).values()
        for one, other in pairwise(rows)
    ]
    assert correlation(pairs) > 0.9  # of the original: 0.99; of rows made one by one: 0
    wanted, found = (
        Counter(len(rows) for rows in by_person(frame).values()) for frame in (FRAME, copy)
    )
    assert all(abs(wanted[n] - found[n]) < 5 * wanted[n] ** 0.5 for n in (1, 2, 3))


def test_the_person_with_the_most_rows_is_not_shown():
    sizes = sorted(Counter(FRAME["patient"]).values())
    for seed in range(5):
        copy = synthesise(FRAME, person="patient", time="admitted", rules=RULES, seed=seed).copies[
            0
        ]
        assert max(Counter(copy["patient"]).values()) <= sizes[-5] < sizes[-1]


def test_a_model_file_draws_the_same_people(tmp_path):
    made = synthesise(FRAME, person="patient", time="admitted", rules=RULES, seed=3)
    again = unveil.Synthesiser.load(made.save(tmp_path / "CONFIDENTIAL_stays.model"))
    assert again.sample()[0].equals(made.copies[0])
    with pytest.raises(SettingsError, match="rows cannot be set together with time"):
        again.sample(rows=10)


def test_rules_with_if_hold_and_numbers_of_people_stay_numbers():
    numbered = FRAME.with_columns(patient=pl.col("patient").str.slice(1).cast(pl.Int64))
    rules = ["if sex = m then birth = 1950", *RULES]
    copy = synthesise(numbered, person="patient", time="admitted", rules=rules, seed=1).copies[0]
    assert copy["patient"].dtype == pl.Int64
    assert copy["patient"].min() == 1001  # behind the numbers of the original
    assert not {*copy["patient"]} & {*numbered["patient"]}
    assert {row["birth"] for row in copy.to_dicts() if row["sex"] == "m"} == {1950}


def test_the_record_says_what_was_done():
    record = synthesise(FRAME, person="patient", time="admitted", rules=RULES, seed=1).record
    assert record.time == "admitted"
    told = " ".join(record.notes)
    assert "Never changes within a person: sex, birth." in told
    assert "Never falls within a person: age." in told
    assert "Drawn as distance from the time: discharged." in told
    assert {c.name: c.role for c in record.columns}["patient"] == "renumbered"


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"person": None}, "no column says whose row it is"),
        ({"person": "none"}, "no column says whose row it is"),
        ({"time": "wave"}, "has no column 'wave'"),
        ({"time": 3}, "time is 3. Give the name of a column"),
        ({"time": "sex"}, "it must hold a date or a number in every row"),
        ({"time": "discharged"}, "it must hold a date or a number in every row"),
        ({"rows": 100}, "rows cannot be set together with time"),
        ({"strata": "sex"}, "strata cannot be set together with time"),
        ({"method": {"sex": "catall", "birth": "cart"}}, "cannot be combined with time"),
        (
            {"rules": "if admitted < 2020-05-05 then discharged = 2020-05-05"},
            "drawn as its distance",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(settings, sentence):
    given = {"person": "patient", "time": "admitted", "seed": 1, "drop": "los", **settings}
    with pytest.raises(InputError, match=sentence):
        synthesise(FRAME, **given)


def test_people_with_one_row_have_one():
    single = FRAME.unique("patient", keep="first", maintain_order=True)
    copy = synthesise(single, person="patient", time="admitted", rules=RULES, seed=1).copies[0]
    assert copy["patient"].is_unique().all()
    assert copy.height == single.height


@pytest.mark.slow
def test_protect_keeps_or_removes_people_with_all_their_rows():
    """The filter and noise leave whole people: no half sequence, no noise that rows average out."""
    columns = ["admitted", "sex", "birth", "weight"]
    made = unveil.protect(
        FRAME,
        steps=[
            {"do": "synthesise"},
            {"do": "distance_filter", "columns": columns, "max_rounds": 60},
            {"do": "add_noise", "column": "birth", "sigma": 2, "round": 0},
            {"do": "add_noise", "column": "age", "sigma": 3, "round": 0},
        ],
        synthesis={"person": "patient", "time": "admitted", "rules": RULES, "min_leaf": 10},
        seed=1,
    )
    refill = made.record.refill
    assert (refill.time, refill.rows_wanted, refill.n_rows) == ("admitted", 300, 300)
    assert len(by_person(made.s2)) == 300
    original = made.original.whole.frame
    again = unveil.distance_filter(
        original, made.s2, columns=columns, person="patient", time="admitted"
    )
    assert again.n_kept == 300
    for rows in by_person(made.s3).values():
        assert len({row["birth"] for row in rows}) == 1
        assert all(one["age"] <= other["age"] for one, other in pairwise(rows))
    assert "of 300 people with all their rows kept" in made.record.steps[1].sentence
    (noise,) = [one for one in made.record.warnings if one.startswith("No noise setting")]
    assert "patient" not in noise
    table = unveil.stages(made, keys=["sex", "birth"], targets=["weight", "los"], seed=1)
    assert [row.stage for row in table.rows] == ["S1", "S2", "S3"]
    assert table.rows[1].too_close == 0
    identity = unveil.disclosure(
        original, made.s1.drop("patient"), keys=["sex", "birth"], targets=["los"], person="patient"
    ).identity[0]
    assert table.rows[0].repU == identity.repU


def test_whole_people_go_where_one_of_their_rows_breaks_a_rule():
    made = synthesise(FRAME, person="patient", time="admitted", rules=RULES, seed=1)
    (copy,), is_first = made.copies, [True, *[False] * (made.copies[0].height - 1)]
    lost, said = made.models.sequence.take_out(copy, np.array(is_first))
    assert lost.tolist() == [one == copy["patient"][0] for one in copy["patient"]]
    assert said == "1 person taken out with all their rows, of which one broke a rule."
