"""A training and a control sample: whole people, each stratum to one person."""

import random
from collections import Counter

import polars as pl
import pytest

import unveil
from unveil.describing.split import split


def people(n=101, seed=0):
    chance = random.Random(seed)
    return pl.DataFrame({
        "row": range(n),
        "sex": chance.choices("fffm", k=n),
        "region": chance.choices(["N", "S", None], k=n),
    })  # fmt: skip


@pytest.mark.parametrize("share", [0.5, 0.8, 1 / 3, 0.01])
@pytest.mark.parametrize("seed", [1, 2])
def test_each_stratum_has_its_share_to_one_person(share, seed):
    frame = people(400)
    result = split(unveil.Study(frame), strata=("sex", "region"), share=share, seed=seed)
    used = Counter(result.training.select("sex", "region").rows())
    for stratum, n in Counter(frame.select("sex", "region").rows()).items():
        assert abs(used[stratum] - share * n) < 1
    assert abs(len(result.training) - share * 400) < 1


def test_every_record_is_in_one_part_in_the_order_of_the_original():
    frame = people()
    result = split(unveil.Study(frame), share=0.3, seed=4)
    assert pl.concat([result.training, result.control]).sort("row").equals(frame)
    assert result.training["row"].is_sorted()
    assert result.control["row"].is_sorted()
    assert result.frame().rows() == [
        ("training", len(result.training), len(result.training)),
        ("control", len(result.control), len(result.control)),
    ]


def test_the_same_seed_gives_the_same_parts_and_another_seed_others():
    study = unveil.Study(people())
    first = split(study, seed=1)
    assert split(study, seed=1).training.equals(first.training)
    assert not split(study, seed=2).training.equals(first.training)
    assert first.settings["seed"] == 1


def test_everyone_has_the_same_chance():
    study = unveil.Study(people(20))
    used = Counter(
        row for seed in range(400) for row in split(study, share=0.25, seed=seed).training["row"]
    )
    assert len(used) == 20
    assert all(60 <= n <= 140 for n in used.values())


def test_all_records_of_a_person_stay_together():
    visits = pl.DataFrame({"pid": [row // 3 for row in range(90)], "day": range(90)})
    result = split(unveil.Study(visits, columns={"pid": "person"}))
    assert set(result.training["pid"]).isdisjoint(result.control["pid"])
    assert result.frame().rows() == [("training", 45, 15), ("control", 45, 15)]
    assert result.notes == ()
    assert "declare it" in split(unveil.Study(visits)).notes[0].sentence


def test_people_in_several_strata_count_in_one():
    visits = pl.DataFrame({"pid": [0, 0, 1, 1, 2, 2, 3, 3], "sex": list("fmfmfmfm")})
    result = split(unveil.Study(visits, columns={"pid": "person"}), strata="sex", seed=3)
    assert [row.people for row in result.parts] == [2, 2]


def test_strata_may_be_bands():
    frame = pl.DataFrame({"age": range(100)})
    result = split(unveil.Study(frame, columns={"age": {"bands": (50,)}}), strata="age")
    assert len(result.training.filter(pl.col("age") < 50)) == 25


def test_shares_that_leave_nobody_are_refused():
    for share, n in (1, 10), (0.01, 10), (0.5, 1):
        with pytest.raises(unveil.InputError, match="'share' of"):
            split(unveil.Study(people(n)), share=share, seed=1)


def test_unknown_strata_suggest_the_nearest_column():
    with pytest.raises(unveil.InputError, match=r"no column 'regoin'\. Did you mean 'region'\?"):
        split(unveil.Study(people()), strata="regoin")


def test_the_parts_make_a_study_and_are_not_saved(tmp_path):
    study = unveil.Study(people(), keys="sex")
    result = split(study, seed=1)
    beside = study.replace(original=result.training, control=result.control)
    assert (len(beside.original), len(beside.control)) == (
        len(result.training),
        len(result.control),
    )
    loaded = unveil.Result.load(result.save(tmp_path / "split.json"))
    assert loaded == result
    with pytest.raises(unveil.InputError, match="without its files"):
        loaded.training  # noqa: B018
