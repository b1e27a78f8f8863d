import random

import numpy as np
import polars as pl
import pytest

import unveil
from measure.tables.test_plan_bounds import EVERY, as_oracle_box
from oracles import ptable as oracle
from unveil.errors import InputError, ReadError, RolesError, SettingsError
from unveil.measure.tables.plan.closure import NO_LIMIT

PRIOR = (0.45, 0.2, 0.1, 0.07, 0.05, 0.04, 0.03, 0.02, 0.02, 0.01, 0.01)


@pytest.mark.parametrize(
    ("D", "V", "js"), [(3, 2, 2), (2, 1, 0), (5, 3, 0), (5, 3.5, 2), (7, 4, 3)]
)
def test_each_row_has_the_largest_entropy(D, V, js):
    found = unveil.ptable(D, V, js)
    assert len(found.rows) == D + js + 2
    for i, row in enumerate(found.rows[1:], 1):
        own = dict(zip(row.shifts, row.probabilities, strict=True))
        v = oracle.shifts(i, D, js)
        least = 0 if 0 in v else -max(x for x in v if x < 0) * min(x for x in v if x > 0)
        if least < V < -min(v) * max(v):
            assert own == pytest.approx(oracle.row(i, D, V, js), abs=1e-9)
        assert sum(own.values()) == pytest.approx(1, abs=1e-14)
        assert oracle.moment(own, own.values(), 1) == pytest.approx(0, abs=1e-12)


def test_the_worked_example():
    found = unveil.ptable(D=3, V=2, js=2)
    assert found.rows[0].shifts == (0,)
    assert found.rows[1].shifts == (-1, 2)
    assert found.rows[1].probabilities == pytest.approx((2 / 3, 1 / 3))
    assert found.rows[2].probabilities == pytest.approx((1 / 3, 2 / 3))
    last = [0.0374, 0.1119, 0.2161, 0.2692, 0.2161, 0.1119, 0.0374]
    assert found.rows[6].probabilities == pytest.approx(last, abs=5e-5)
    says = {x: found.possible_counts(x) for x in range(5)}
    assert says == {0: (0, 1, 2, 3), 1: (), 2: (), 3: (1, 2, 3, 4, 5, 6), 4: (3, 4, 5, 6, 7)}
    assert found.posterior(0, PRIOR)[:2] == pytest.approx((0.72, 0.21), abs=0.005)
    assert found.posterior(3, PRIOR)[1:3] == pytest.approx((0.32, 0.32), abs=0.005)
    assert found.check()["variance"].to_list() == pytest.approx([0, 2, 2, 2, 2, 2, 2])


def people(seed, n=60):
    rng = random.Random(seed)
    return pl.DataFrame(
        {
            "sex": [rng.choice("fm") for _ in range(n)],
            "age": [rng.choice("abc") for _ in range(n)],
            "key": [rng.random() for _ in range(n)],
        }
    )


def test_values_are_those_of_the_definition_and_the_same_people_have_the_same_value():
    rows = [
        [*zip(row.shifts, row.probabilities, strict=True)] for row in unveil.ptable(3, 2, 1).rows
    ]
    for seed in range(20):
        data = people(seed)
        release = unveil.PublishedTable.from_microdata(
            data,
            ["sex", "age"],
            rounding="cellkey:3:2:1",
            margins="all",
            total=True,
            record_keys="key",
        )
        records, keys = data.rows(named=True), data["key"].to_list()
        for value in release.frame().rows(named=True):
            group = {dim: value[dim] for dim in ("sex", "age") if value[dim] is not None}
            members = [i for i, r in enumerate(records) if all(r[d] == g for d, g in group.items())]
            assert value["published"] == oracle.published(members, keys, rows)
        for dims in (["sex"], ["age", "sex"]):
            again = unveil.PublishedTable.from_microdata(
                data, dims, rounding="cellkey:3:2:1", record_keys="key", margins="all"
            )
            of_sex = release.frame().filter(pl.col("part") == "sex")["published"]
            part = "table" if dims == ["sex"] else "sex"
            assert (again.frame().filter(pl.col("part") == part)["published"] == of_sex).all()


def test_an_offices_own_table_is_read(tmp_path):
    file = tmp_path / "Own.csv"
    unveil.ptable(3, 2, 2).frame().select("i", "j", "p").write_csv(file)
    data = people(1)
    made = [
        unveil.PublishedTable.from_microdata(
            data, ["sex", "age"], rounding=scheme, record_keys="key"
        )
        for scheme in (f"cellkey:{file}", "cellkey:3:2:2")
    ]
    columns = ["published", "lower", "upper"]
    assert made[0].frame().select(columns).equals(made[1].frame().select(columns))


def test_somebody_is_in_the_difference_of_two_values():
    data = pl.DataFrame({"a": ["x"] * 9 + ["y"], "key": [0.05] * 9 + [0.2]})
    release = unveil.PublishedTable.from_microdata(
        data, ["a"], rounding="cellkey:2:1", total=True, record_keys="key"
    )
    values = dict(zip(release.frame()["a"], release.frame()["published"], strict=True))
    assert values["y"] == 0  # one person, published as no one
    assert values["x"] != values[None]
    assert [(row.lower, row.upper) for row in unveil.bounds(release).rows] == [(7, 11), (1, 2)]


def test_one_table_of_probabilities_may_be_written_in_several_ways():
    data = pl.DataFrame({"a": ["x"] * 9 + ["y"], "key": [0.05] * 9 + [0.2]})
    release = unveil.PublishedTable.from_microdata(
        data,
        ["a"],
        rounding={"table": "cellkey:2:1", "total": "cellkey:2:1.0:0"},
        record_keys="key",
    )
    assert unveil.bounds(release).rows[1].lower == 1
    tables = [
        {"name": "A", "by": ["a"], "publish": "cellkey:2:1"},
        {
            "name": "B",
            "by": ["a"],
            "publish": {"table": "noise:9", "total": "cellkey:2:1.0:0"},
            "total": True,
        },
    ]
    plan = unveil.Plan.from_tables(tables, data=data, record_keys="key")
    assert (plan.facts.also >= 0).any()


SHAPE = {"age": (1, 2, 3), "sex": ("f", "m"), "area": ("A", "B")}


def random_plan(seed):
    rng = random.Random(seed)
    data = {name: [rng.choice(of) for _ in range(7)] for name, of in SHAPE.items()}
    tables = []
    for number in range(3):
        by = rng.sample(["age", "sex", "area"], rng.choice((1, 2)))
        one = {"name": f"T{number}", "by": by, "publish": "cellkey:2:1"}
        if rng.random() < 0.5:
            one["margins"] = "all"
        if rng.random() < 0.4:
            one["where"] = {"age": ">= 2"}
        tables.append(one)
    tables.append({"name": "N", "by": ["age", "sex", "area"], "publish": {"total": "exact"}})
    tables[-1]["publish"]["table"] = "noise:7"
    columns = {"age": {"range": [1, 3]}, "sex": {"levels": ["f", "m"]}}
    columns["area"] = {"levels": ["A", "B"]}
    return unveil.Plan.from_tables(tables, data=pl.DataFrame(data), columns=columns, seed=seed)


def test_bounds_of_plans_with_cell_keys_hold_in_every_fitting_table():
    n_more = 0
    for seed in range(60):
        plan = random_plan(seed)
        bounds, _ = plan.close()
        facts = [
            (
                as_oracle_box(plan, plan.facts.boxes.ends[box]),
                low,
                None if high >= NO_LIMIT else high,
                also,
            )
            for box, low, high, also in zip(
                plan.facts.box,
                plan.facts.lower,
                plan.facts.upper,
                plan.facts.also,
                strict=True,
            )
        ]
        fitting = EVERY.fitting([fact[:3] for fact in facts])
        for box, ends in enumerate(plan.boxes.ends):
            low, high = EVERY.bounds(fitting, as_oracle_box(plan, ends))
            assert bounds.lower[box] <= low <= plan.truth[box] <= high <= bounds.upper[box]
        without = EVERY.fitting([fact[:3] for fact in facts if fact[3] < 0])
        n_more += fitting != without
        # Two tables are needed for what only their difference says.
        for row in np.flatnonzero(plan.facts.also >= 0).tolist():
            table, also = int(plan.facts.table[row]), int(plan.facts.also[row])
            for gone in {table, also}:
                assert row not in plan.facts.said_by(np.arange(len(plan.names)) != gone)
    assert n_more > 20


REFUSED = {
    "counts": (
        lambda: unveil.round_table([1, 2], "cellkey:3:2"),
        SettingsError,
        "Cell keys are sums of the secret keys of people, and counts have none: give people's"
        " records (--microdata), or choose noise:D:zeros, which draws for each value.",
    ),
    "keys": (
        lambda: unveil.PublishedTable.from_microdata(
            people(0).with_columns(key=pl.lit(1.5)),
            ["sex"],
            rounding="cellkey:3:2",
            record_keys="key",
        ),
        RolesError,
        "The record keys in column 'key' must be numbers from 0 to below 1, one for every record.",
    ),
    "weights": (
        lambda: unveil.PublishedTable.from_microdata(
            people(0), ["sex"], rounding="cellkey:3:2", record_keys="key", weights="age"
        ),
        RolesError,
        "Cell keys count people: weights and record_keys cannot both be given. Omit one.",
    ),
    "two values": (
        lambda: unveil.Plan.from_tables(
            [
                {"name": one, "by": ["sex"], "publish": "cellkey:3:2", "file": file}
                for one, file in (
                    ("A", pl.DataFrame({"sex": ["f", "m"], "count": [10, 12]})),
                    ("B", pl.DataFrame({"sex": ["f", "m"], "count": [10, 13]})),
                )
            ]
        ),
        InputError,
        "Tables 'A' and 'B' publish different values of the same people, which cell keys never do."
        " Correct them, or give them different populations.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cell_keys_cannot_do_is_refused(case):
    make, error, sentence = REFUSED[case]
    with pytest.raises(error) as refused:
        make()
    assert str(refused.value) == sentence


def test_a_file_that_is_no_table_of_probabilities_is_refused(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("i,v,p\n0,0,1\n1,-1,0.5\n1,1,0.4\n")
    with pytest.raises(ReadError) as refused:
        unveil.PublishedTable.from_microdata(people(0), ["sex"], rounding=f"cellkey:{file}")
    assert str(refused.value).endswith(
        "is no table of probabilities: for i = 1 they must add up to 1, each shift once, and no"
        " value below 0 be published."
    )
