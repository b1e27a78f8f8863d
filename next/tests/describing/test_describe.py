"""Roles, keys, recodings, differences: by hand, recounted in plain Python, on known files."""

import random
import tomllib
from collections import Counter, defaultdict
from datetime import date, datetime, time, timedelta

import polars as pl
import pytest

import every_call
import unveil
from reference import reference
from unveil.describing.describe import describe
from unveil.examples import KEYS, survey, survey_synthetic

N = 200


def draws(n_levels, *, seed=0, n=N):
    chance = random.Random(seed)
    return [chance.randrange(n_levels) for _ in range(n)]


def rows(result, table=""):
    return result.frame(table).to_dicts()


def columns(frame, synthetic=None, **about):
    return {row["column"]: row for row in rows(describe(unveil.Study(frame, synthetic, **about)))}


# By hand: six people. The region follows from the age; sex parts each age in two and one.

SIX = pl.DataFrame({
    "sex": ["f", "f", "m", "m", "f", "f"],
    "age": [30, 30, 30, 40, 40, 40],
    "region": ["N", "N", "N", "S", "S", "S"],
    "income": [100, 200, 100, 150, -8, -8],
})  # fmt: skip


def test_six_people_by_hand():
    result = describe(unveil.Study(SIX))
    shown = ("column", "kind", "role", "levels", "missing", "special", "unique")
    assert [tuple(row[name] for name in shown) for row in rows(result)] == [
        ("age", "category", "key", 2, 0, [], 0),
        ("sex", "category", "key", 2, 0, [], 0),
        ("income", "number", "target", 3, 0, ["-8"], 2),
        ("region", "category", "ignore", 2, 0, [], 0),
    ]
    assert [row["reason"] for row in rows(result)] == [
        "others see it. 0 more unique",
        "others see it. 2 more unique",
        "sensitive by name",
        "who knows age knows it",
    ]
    assert rows(result, "keys") == [
        {"keys": ["age"], "unique": 0, "share": 0.0},
        {"keys": ["age", "sex"], "unique": 2, "share": pytest.approx(100 / 3)},
    ]
    assert result.sentences == (
        "The original has 4 columns and 6 people.",
        "2 of 6 people (33.3 %) are unique on the proposed keys age and sex.",
    )


def test_levels_stand_beside_those_of_all_copies_together():
    copies = [SIX, SIX.with_columns(sex=pl.lit("f")), SIX.with_columns(sex=pl.lit("x"))]
    levels = rows(describe(unveil.Study(SIX, {"": copies[:2], "S1": copies[2]})), "levels")
    shares = [tuple(row.values()) for row in levels if row["column"] == "sex"]
    assert shares == [
        ("", "pooled", "sex", "f", "", pytest.approx(400 / 6), pytest.approx(1000 / 12)),
        ("", "pooled", "sex", "m", "", pytest.approx(200 / 6), pytest.approx(200 / 12)),
        ("", "pooled", "sex", "x", "", 0, 0),
        ("S1", "1", "sex", "f", "", pytest.approx(400 / 6), 0),
        ("S1", "1", "sex", "m", "", pytest.approx(200 / 6), 0),
        ("S1", "1", "sex", "x", "", 0, 100),
    ]
    alone = rows(describe(unveil.Study(SIX)), "levels")
    assert {row["synthetic"] for row in alone} == {None}
    assert sum(row["original"] for row in alone if row["column"] == "age") == pytest.approx(100)
    assert not [row for row in alone if row["column"] == "income"]  # amounts may be one person's


def test_labels_of_columns_and_of_codes_are_shown():
    codes = pl.DataFrame({"v1": draws(2), "v2": draws(60, seed=1), "v3": draws(40, seed=2)})
    labels = {
        "v1": unveil.Variable("Sex of the person", {"0": "man", "1": "woman"}),
        "v2": unveil.Variable("Age in years", {"59": "59 or more"}, ((59, 59),)),
        "v3": unveil.Variable("Income", {str(code): f"band {code}" for code in range(40)}),
    }
    result = describe(unveil.Study(unveil.Data(codes, labels)))
    about = {row["column"]: row for row in rows(result)}
    assert {name: about[name]["kind"] for name in labels} == {
        "v1": "category",
        "v2": "number",
        "v3": "category",
    }
    assert {name: about[name]["role"] for name in labels} == {
        "v1": "key",
        "v2": "key",
        "v3": "target",
    }
    assert (about["v2"]["label"], about["v2"]["special"]) == ("Age in years", ["59"])
    levels = {(row["column"], row["level"]): row["label"] for row in rows(result, "levels")}
    assert ("v1", "man") in levels  # by their labels, where every code has one
    assert [row["level"] for row in rows(result, "levels") if row["column"] == "v2"] == []


# Roles


@pytest.mark.parametrize(
    ("name", "values", "role"),
    [
        ("x", [f"p{i}" for i in range(N)], "identifier"),
        ("x", list(range(1000, 1000 + N)), "identifier"),
        ("x", [float(i) for i in range(N)], "identifier"),
        ("x", [f"I would like to say {i}" for i in range(N // 2)] * 2, "target"),
        (
            "comment",
            [f"I would like to say {i}" for i in range(N - 50)] + [None] * 50,
            "identifier",
        ),
        ("surname", [f"n{i % 120}" for i in range(N)], "identifier"),
        ("hhid", [i // 2 for i in range(400)], "identifier"),
        ("x", [i + 0.5 for i in range(N)], "target"),
        ("income", list(range(1000, 1000 + N)), "target"),
        ("mileage", [*range(195), 7, 8, 9, 10, 11], "target"),
        ("age", list(range(30)), "key"),
        ("hhsize", [i % 9 for i in range(600)], "key"),
        ("region_id", [i % 120 for i in range(4000)], "key"),
        ("has_email", ["yes", "no"] * 100, "target"),
        ("patient_id", [i // 2 for i in range(N)], "person"),
        ("id", [i // 60 for i in range(6000)], "target"),
        ("wt", [0.5, 1.5] * 100, "weight"),
        ("Gewicht", [10, 20] * 100, "weight"),
        ("survey_weight", [61.5, 80.0] * 100, "weight"),
        ("weight", [61.5, 80.0] * 100, "target"),
        ("weight", [1.5, None] * 100, "target"),
        ("weight", [0, 1] * 100, "target"),
        ("hiv", ["yes", None] * 20, "target"),
        ("sex", ["f"] * 30, "ignore"),
        ("sex", [None] * 30, "ignore"),
        ("x", [[1], [2]], "ignore"),
        ("marriage_date", [date(2000, 1, 1) + timedelta(days=d) for d in draws(30)], "target"),
        ("date_of_birth", [date(2000, 1, 1) + timedelta(days=d) for d in draws(30)], "key"),
        ("recorded", [date(2000, 1, 1) + timedelta(days=d) for d in range(N)], "identifier"),
    ],
)
def test_a_role_is_proposed(name, values, role):
    frame = pl.DataFrame({name: values, "other": draws(3, n=len(values))}, strict=False)
    assert columns(frame)[name]["role"] == role


def test_what_orders_the_records_of_a_person_is_told_where_people_have_several():
    visits = {"wave": [0, 1] * 100, "age": draws(40)}
    assert columns(pl.DataFrame(visits))["wave"]["role"] == "target"
    visits["pid"] = [row // 2 for row in range(N)]
    assert columns(pl.DataFrame(visits))["wave"]["role"] == "time"


def test_what_is_declared_is_taken_as_it_is():
    declared = columns(SIX, keys="region", columns={"age": "weight", "income": "target"})
    assert {name: (row["role"], row["reason"]) for name, row in declared.items()} == {
        "region": ("key", "declared"),
        "age": ("weight", "declared"),
        "income": ("target", "declared"),
        "sex": ("target", "others see it, no key"),
    }
    assert columns(SIX, keys="sex", targets=[("age", "region")])["region"]["reason"] == "declared"


def test_a_second_weight_is_none():
    frame = pl.DataFrame({"wt": [0.5, 1.5] * 100, "x": draws(3)})
    assert columns(frame, columns={"x": "weight"})["wt"]["role"] == "target"


@pytest.mark.parametrize(
    ("values", "special"),
    [
        ([0, 10, 2000, -8, -8], ["-8"]),
        ([0, 10, 2000, -8], []),  # what one person has is an amount
        ([0, 1, 0, 1, -1, -1], []),  # answers on a scale
        ([-2, -2, -1, -1, 0, 1, 2], []),
        ([1, 2, 3, 4, 5, 99, 99], ["99"]),
        ([1, 2, 3, 4, 5, -9, -9, 98, 98, 99, 99], ["-9", "98", "99"]),
        ([18, 40, 80, 99, 99], []),  # an age as far off as others are
        ([*range(100), 88, 99], []),
        ([0, 41310, 99999, 99999], ["99999"]),
        ([-100, 50, -8, -8], []),
        (["a", "b", "-8", "-8"], []),
    ],
)
def test_codes_look_so_where_amounts_do_not(values, special):
    assert columns(pl.DataFrame({"x": values}))["x"]["special"] == special


def test_codes_are_those_that_are_declared():
    frame = pl.DataFrame({"x": [1, 2, 3, 77, 77, -8, -8]})
    assert columns(frame, columns={"x": {"special": (77, 55)}})["x"]["special"] == ["77"]
    codebook = pl.DataFrame({"column": ["x"], "code": ["3"], "label": ["refused"], "missing": [1]})
    assert columns(frame, codebook=codebook)["x"]["special"] == ["3"]


# Keys and recodings, recounted in plain Python


def people_unique(records, persons):
    """People who are the only ones with some combination of theirs."""
    holders = defaultdict(set)
    for record, person in zip(records, persons, strict=True):
        holders[record].add(person)
    return len({next(iter(people)) for people in holders.values() if len(people) == 1})


def visits(seed):
    chance = random.Random(seed)
    n = chance.choice((40, 150, 400))
    several = chance.random() < 0.5
    frame = pl.DataFrame({
        "sex": chance.choices("fm", k=n),
        "age": chance.choices([*range(18, 80), None], k=n),
        "region": chance.choices("NNNNNSSSWWE", k=n),
        "born": [date(1950, 1, 1) + timedelta(days=chance.randrange(9000)) for _ in range(n)],
        "job": chance.choices(["a", "b", None], k=n),
        "pid": [row // 3 if several else row for row in range(n)],
    })  # fmt: skip
    return frame, {"columns": {"pid": "person", "born": "key" if seed % 2 else "ignore"}}


@pytest.mark.parametrize("seed", range(12))
def test_unique_people_are_those_of_a_plain_recount(seed):
    frame, about = visits(seed)
    result = describe(unveil.Study(frame, **about))
    persons = frame["pid"].to_list()
    for row in rows(result):
        assert row["unique"] == people_unique(frame[row["column"]].to_list(), persons)
    before = 0
    for row in rows(result, "keys"):
        unique = people_unique(frame.select(row["keys"]).rows(), persons)
        assert (row["unique"], row["share"]) == (
            unique,
            pytest.approx(100 * unique / len({*persons})),
        )
        *known, _ = row["keys"]
        others = [r["column"] for r in rows(result) if r["role"] == "key"]
        best = max(people_unique(frame.select(*known, other).rows(), persons)
                   for other in others if other not in known)  # fmt: skip
        assert before <= unique == (best if seed % 2 else unique)
        before = unique


def test_the_people_unique_on_declared_keys_are_those_of_disclosure():
    study = every_call.study()
    identity = unveil.disclosure(study, expected=False).frame("identity")
    identity = identity.filter(pl.col("copy") != "sd", unit="people")
    assert {describe(study).keys[-1].unique} == set(identity["unique"])


def recoded(values, do, setting):
    """A column after a step, by its definition."""
    about = tomllib.loads(f"step = {{{setting}}}")["step"]
    known = sorted(value for value in values if value is not None)
    if do == "merge_rare":
        counts = Counter(values)
        return [
            about["into"] if v is not None and counts[v] < about["below"] else v for v in values
        ]
    if do == "top_code":
        place = about["quantile"] * (len(known) - 1)
        low, high = known[int(place)], known[min(int(place) + 1, len(known) - 1)]
        limit = int(low + (high - low) * (place % 1) + 1e-9)
        return [None if v is None else min(v, limit) for v in values]
    if do == "coarsen_date":
        first = {"year": lambda d: d.year, "month": lambda d: (d.year, d.month),
                 "quarter": lambda d: (d.year, (d.month - 1) // 3)}[about["to"]]  # fmt: skip
        return [first(value) for value in values]
    bands = unveil.Study(pl.DataFrame({"x": values}), columns={"x": about}).column("x")
    return [bands.texts[code] for code in bands.codes]


@pytest.mark.parametrize("seed", range(12))
def test_recodings_have_the_effect_that_they_say(seed):
    frame, about = visits(seed)
    result = describe(unveil.Study(frame, **about))
    if not result.keys:
        return
    keys, persons = list(result.keys[-1].keys), frame["pid"].to_list()
    for row in result.recodings:
        values = recoded(frame[row.column].to_list(), row.do, row.setting)
        after = frame.with_columns(pl.Series(row.column, values, dtype=pl.Object, strict=False))
        records = zip(*(values if key == row.column else after[key] for key in keys), strict=True)
        assert row.after_uniques == people_unique(records, persons), row
        assert row.before_uniques == result.keys[-1].unique > row.after_uniques
    assert [row.after_uniques for row in result.recodings] == sorted(
        row.after_uniques for row in result.recodings
    )


def test_every_kind_of_step_is_proposed():
    done = {
        (row["column"], row["do"])
        for seed in range(12)
        for row in rows(describe(unveil.Study(visits(seed)[0], **visits(seed)[1])), "recodings")
    }
    assert {("age", "band"), ("age", "top_code"), ("region", "merge_rare")} <= done
    assert ("born", "coarsen_date") in done


def test_levels_that_are_all_rare_are_not_merged_to_one():
    frame = pl.DataFrame({"region": list("NNSSWWEE"), "sex": list("fmfmfmfm")})
    settings = [row["setting"] for row in rows(describe(unveil.Study(frame)), "recodings")]
    assert settings == []


# Differences


OTHER = {
    "sex": ["f", "F", "m", "m", "f", "f"],
    "age": [30, 31, 30, 39, 40, 41],
    "income": [100.5, 200, 100, 150, -8, -8],
    "region": ["N", "N", "N", "S", None, None],
    "extra": [1, 2, 3, 4, 5, 6],
    "v1": ["a", "b", "c", "d", "e", "f"],
}


def differences(original, synthetic, **about):
    found = rows(describe(unveil.Study(original, synthetic, **about)), "differences")
    return [(row["column"], row["kind"], row["original"], row["synthetic"]) for row in found]


def test_differences_by_hand():
    original = SIX.with_columns(v1=pl.Series([1, 2] * 3), region=pl.Series(["N", "S"] * 3))
    assert differences(original, pl.DataFrame(OTHER)) == [
        ("age", "levels", "0 only here", "3 only here"),
        ("extra", "column", "lacks it", "not in the original"),
        ("income", "decimals", "0", "1"),
        ("region", "missing", "0.0 %", "33.3 %"),
        ("sex", "levels", "0 only here", "1 only here"),
        ("v1", "kind", "number", "text"),
    ]
    assert differences(SIX, SIX) == []


def test_a_range_tells_how_many_lie_outside_and_no_value():
    amounts = pl.DataFrame({"x": [*range(100, 140), 100, 100, -8, -8]})
    beyond = pl.DataFrame({"x": [99, 100, 139, 140, -8]})
    assert differences(amounts, beyond) == [("x", "range", "all records", "2 records outside")]
    days = pl.DataFrame({"x": [date(2020, 1, day) for day in (2, 3, 4, 4)]})
    later = pl.DataFrame({"x": [date(2020, 1, day) for day in (1, 2, 4, 5)]})
    assert differences(days, later) == [("x", "range", "all records", "2 records outside")]
    remedies = [
        describe(unveil.Study(*pair)).differences[0].remedy
        for pair in ((amounts, beyond), (days, later))
    ]
    assert remedies == ["Cut them off; if they are codes, -c x:special=CODE", "Cut them off"]


def test_the_first_screen_says_how_the_original_was_read(tmp_path):
    for name in ("o.csv", "s.csv"):
        (tmp_path / name).write_text("Survey\nsex;height\nf;1,5\nm;1,8\n")
    foot = describe(unveil.Study(tmp_path / "o.csv", tmp_path / "s.csv")).foot
    assert foot[-2:] == (
        "o.csv: Read with semicolons and decimal commas.",
        "o.csv: The names are in line 2; the lines above were left out.",
    )


def test_five_points_of_missing_values_are_no_difference():
    whole = pl.DataFrame({"x": ["a"] * 50 + ["b"] * 50})
    for n, told in (5, []), (6, [("x", "missing", "0.0 %", "6.0 %")]):
        lacking = pl.DataFrame({"x": ["a"] * 50 + ["b"] * (50 - n) + [None] * n})
        assert differences(whole, lacking) == told


def test_a_remedy_fits_the_levels_that_differ():
    def remedies(*texts):
        frames = [pl.DataFrame({"x": list(text)}) for text in texts]
        return [row["remedy"] for row in rows(describe(unveil.Study(*frames)), "differences")]

    assert remedies("aabbcc", "aabb") == ["None, if these are rare"]
    assert remedies("aabb", "aabc") == ["Correct them: nobody has these"]
    assert remedies("aabb", "AABB") == ["Give it the same coding in every file"]


def test_a_column_that_a_control_sample_or_a_copy_lacks_is_told():
    copies = [SIX, SIX.drop("income")]
    assert differences(SIX, copies, control=SIX.drop("sex")) == [
        ("income", "column", "has it", "not in synthetic file 2"),
        ("sex", "column", "has it", "not in the control sample"),
    ]


def test_the_remedy_for_other_kinds_works_as_it_is_typed():
    original = pl.DataFrame({"a b": [1, 2, 3, 4] * 5, "x": ["u", "v"] * 10})
    synthetic = pl.DataFrame({"a b": ["1", "2", "3", "four"] * 5, "x": ["u", "v"] * 10})
    (row,) = rows(describe(unveil.Study(original, synthetic)), "differences")
    assert row["remedy"].startswith("-c 'a b':kind=text, or --missing TEXT")
    study = unveil.Study(original, synthetic, columns={"a b": {"kind": "text"}})
    assert study.column("a b").texts == ["1", "2", "3", "4", "four"]
    assert [row["kind"] for row in rows(describe(study), "differences")] == ["levels"]


def test_what_is_declared_must_hold_in_every_file():
    original = pl.DataFrame({"age": [1, 2, 3, 4] * 5})
    synthetic = pl.DataFrame({"age": ["1", "2", "3", "four"] * 5})
    assert describe(unveil.Study(original, synthetic)).frame()["role"].to_list() == ["key"]
    with pytest.raises(
        unveil.InputError, match="'age' in synthetic file 1: 5 of 20 entries cannot be read"
    ):
        describe(unveil.Study(original, synthetic, keys="age"))


# Any column


NAN, INF = float("nan"), float("inf")
ODD = {
    "infinite": pl.Series([INF, -INF, 1.5, NAN, None] * 10),
    "only infinite": pl.Series([INF, None] * 25),
    "yes or no": pl.Series([True, False, None, True, True] * 10),
    "times": pl.Series([time(hour) for hour in range(10)] * 5),
    "spans": pl.Series([timedelta(hours=hour) for hour in range(10)] * 5),
    "moments": pl.Series([datetime(2020, 1, 1, hour) for hour in range(10)] * 5),
    "decimals": pl.Series([1, 2, 3, 4, None] * 10, dtype=pl.Decimal(12, 2)),
    "categories": pl.Series(["a", "b", "", "d", None] * 10, dtype=pl.Categorical),
    "nothing": pl.Series([None] * 50),
    "codes": pl.Series([-8, None] * 25),
    "large": pl.Series([2**62, -(2**62), 0, 1, 1] * 10),
    "tiny": pl.Series([1e-300, 1e300, 0.0, 1.0, 1.0] * 10),
    "structs": pl.Series([{"a": 1}] * 50),
    "bytes": pl.Series([b"a", b"b"] * 25),
}


@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("name", ["x", "age", "date_of_birth", "pid", "weight", "income"])
def test_any_column_can_be_described(name, kind):
    frame = pl.DataFrame({name: ODD[kind], "sex": ["f", "m"] * 25})
    for study in unveil.Study(frame), unveil.Study(frame, [frame[:20], frame[30:]], control=frame):
        result = describe(study)
        assert {row.column for row in result.columns} == {name, "sex"}
        assert all(row.after_uniques < row.before_uniques for row in result.recodings)
    assert len(describe(unveil.Study(frame[:1])).columns) == 2


# Known files


def test_the_keys_of_the_example_are_those_it_documents():
    result = describe(unveil.Study(survey(), survey_synthetic()))
    assert set(result.keys[-1].keys) == set(KEYS)
    assert [row.unique for row in result.keys] == [0, 97, 1018, 1963]
    assert result.differences == ()
    assert columns(survey())["income"]["special"] == ["-8"]


@pytest.mark.parametrize("name", ["sd2011_ods.csv", "sd2011.csv"])
def test_the_keys_of_sd2011_are_those_that_its_users_take(name):
    result = describe(unveil.Study(reference(f"synthpop/{name}")))
    assert result.keys[-1].keys == ("age", "region", "placesize", "sex")
    assert [row.unique for row in result.keys] == [1, 156, 1450, 2419]
    roles = {row.column: row.role for row in result.columns}
    assert roles.get("agegr", "ignore") == "ignore"
    assert "identifier" not in roles.values()


def test_the_keys_of_adult_are_what_others_see_and_colleagues_know():
    result = describe(unveil.Study(reference("synthpop/adult.csv")))
    assert result.keys[-1].keys[:3] == ("age", "native.country", "sex")
    targets = {row.column for row in result.columns if row.role == "target"}
    assert {"income", "capital.gain", "capital.loss"} <= targets


def test_without_a_word_there_are_no_keys_and_the_next_step_says_so():
    result = describe(unveil.Study(pl.DataFrame({"v1": draws(3), "v2": draws(4, seed=1)})))
    assert (result.keys, result.recodings) == ((), ())
    assert result.sentences[-1].endswith("Name the keys (--keys).")
