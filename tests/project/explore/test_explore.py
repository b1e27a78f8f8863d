"""`unveil.explore`: the figures are those of the single calls; work goes on where it stopped."""

import json
import os
import stat
import sys

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.io.sources import read_table
from unveil.project.explore import explore as module
from unveil.project.explore.candidates import (
    CommonSettings,
    draw_copies,
    joint_columns,
    make_copies,
)
from unveil.project.explore.settings import parse_settings
from unveil.records.exploration import Exploration
from unveil.study.scenario import no_progress

KEYS = ("sex", "area")
N = 300


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(1)
    area = rng.integers(80, size=N)
    return pl.DataFrame(
        {
            "sex": rng.choice(["m", "f"], N),
            "area": [f"a{one}" for one in area],
            "job": [f"j{one % 4}" for one in area + rng.integers(2, size=N)],
            "pay": np.where(rng.random(N) < 0.1, -8, 100 * area + 10 * rng.integers(5, size=N)),
        }
    )


ASKED = {"keys": KEYS, "targets": ["job", "pay"], "special_codes": {"pay": [-8]}, "seed": 3}


def settings(*given):
    return parse_settings(list(given), methods=(), min_leaf=(), filter_=False, add_noise=None)


def test_identifiers_are_left_out_or_take_part_for_a_reason(people):
    named = people.with_columns(who=pl.Series([f"P{n}" for n in range(N)]))
    less = {**ASKED, "methods": "sample", "copies": 1, "control": None}
    with pytest.raises(unveil.UnveilError, match="Column 'who': 300 different values"):
        unveil.explore(named, **less)
    dropped = unveil.explore(named, **less, drop="who")
    assert dropped.record.rows == unveil.explore(people, **less).record.rows
    kept = unveil.explore(named, **less, real_values={"who": "beds"})
    assert any("Stated reason: beds" in told for told in kept.rows[0].warnings)


@pytest.fixture(scope="module")
def result(people):
    return unveil.explore(people, **ASKED, min_leaf=(2, 40), methods=("cart", "sample"), copies=2)


@pytest.mark.slow
def test_every_figure_is_that_of_the_single_call(people, result):
    (setting,) = settings({"method": "cart", "min_leaf": 40})
    row = result.record.row_of("cart, min_leaf 40")
    codes = {"pay": [-8]}
    seeds = {part: draw_copies(3, setting.model_mark, part) for part in ("whole", "train")}
    made = {"min_leaf": 40, "special_codes": codes, "copies": 2}
    copies = unveil.synthesise(people, **made, seed=seeds["whole"]).copies
    found = unveil.disclosure(people, list(copies), keys=KEYS, targets=["job", "pay"])
    risks = [found.record.attribute_of(target, "mean").DiSCO for target in ("job", "pay")]
    assert row.repU == pytest.approx(found.record.identity_of("mean").repU)
    assert row.DiSCO == pytest.approx(np.mean(risks))
    assert row.DiSCO_max == pytest.approx(
        np.mean(
            [
                max(found.record.attribute_of(t, copy).DiSCO for t in ("job", "pay"))
                for copy in (1, 2)
            ]
        )
    )
    pairs = unveil.pair_tables(people, list(copies), special_codes=codes).record
    middle = [np.median([one.S_pMSE for one in pairs.list_tables(copy)]) for copy in (1, 2)]
    assert row.S_pMSE == pytest.approx(np.mean(middle))
    assert row.S_pMSE_sd == pytest.approx(np.std(middle, ddof=1))
    apart = unveil.utility(people, copies[1], special_codes=codes, n_permutations=0)
    assert row.copies[1].pMSE == pytest.approx(apart.rows[0].pMSE)
    train, control = unveil.split(people, 0.8, seed=draw_copies(3, "split"))
    used = unveil.synthesise(train, **made, seed=seeds["train"]).copies
    rows = unveil.excess(train, control, list(used), keys=KEYS, targets=["job", "pay"]).rows
    means = [
        np.mean([getattr(one, part) for one in rows if one.copy == "mean"])
        for part in ("train", "control")
    ]
    assert (row.train, row.control) == pytest.approx(tuple(means))
    general = means[1]
    assert pytest.approx((means[0] - general) / (100 - general)) == row.R
    assert (result.record.n_train, result.record.n_control) == (240, 60)


@pytest.mark.slow
def test_smaller_leaves_give_more_away(result):
    small, large = (result.record.row_of(f"cart, min_leaf {leaf}") for leaf in (2, 40))
    assert small.DiSCO > large.DiSCO
    assert small.R > large.R
    assert small.S_pMSE < large.S_pMSE


def test_the_record_holds_what_the_original_is_and_returns_from_json(people, result):
    own = unveil.disclosure(people, people, keys=KEYS, targets=["job", "pay"])
    assert result.record.UiO == own.identity[0].UiO
    assert result.record.Dorig == pytest.approx(np.mean([row.Dorig for row in own.attribute]))
    assert Exploration.from_json(result.to_json()) == result.record
    assert "seed" not in result.to_dict()


def test_the_frontier_can_be_of_other_measures_without_new_work(result, monkeypatch):
    monkeypatch.setattr(module, "make_copies", None)
    other = result.by(risk="R", utility="pMSE")
    assert (other.record.risk, other.record.utility) == ("R", "pMSE")
    assert tuple(row.name for row in other.frontier) == other.record.frontier
    assert other.rows == result.rows


def test_the_frame_has_a_line_for_each_setting(result):
    frame = result.frame()
    assert frame["name"].to_list() == ["cart, min_leaf 2", "cart, min_leaf 40", "sample"]
    assert frame.filter("on_frontier")["name"].to_list() == sorted(
        result.record.frontier, key=frame["name"].to_list().index
    )


@pytest.mark.slow
def test_one_more_setting_and_fewer_threads_change_no_figure(people, result):
    again = unveil.explore(
        people,
        **ASKED,
        settings=[{"method": "sample"}, {"method": "cart", "min_leaf": 40}],
        copies=2,
        workers=1,
    )
    assert again.record.row_of("sample") == result.record.row_of("sample")
    assert again.rows[1] == result.record.row_of("cart, min_leaf 40")


def test_without_control_there_is_no_r(people):
    found = unveil.explore(people, **ASKED, min_leaf=20, methods="cart", copies=1, control=None)
    (row,) = found.rows
    assert (row.R, row.train, row.control, found.record.n_train) == (None, None, None, None)
    assert (row.DiSCO_sd, row.S_pMSE_sd) == (None, None)


@pytest.mark.slow
def test_filter_and_noise_are_tried_beside_the_plain_copies(people):
    found = unveil.explore(
        people,
        **ASKED,
        methods="cart",
        min_leaf=10,
        filter={"columns": ["area", "pay"], "max_rounds": 3},
        add_noise={"pay": 40},
        copies=1,
        control=0,
    )
    assert [(row.is_filtered, row.is_noised) for row in found.rows] == [
        (False, False),
        (False, True),
        (True, False),
        (True, True),
    ]
    plain, noised = found.rows[:2]
    assert noised.name == "cart, min_leaf 10, noise pay"
    # The same copy, with noise on a target: the keys are as before, and less is learnt of pay.
    assert noised.repU == plain.repU
    assert noised.DiSCO < plain.DiSCO


@pytest.mark.slow
def test_a_filter_that_leaves_too_few_rows_is_told(people):
    found = unveil.explore(
        people,
        **ASKED,
        settings=[
            {"filter": {"columns": ["area", "pay"], "max_rounds": 1}},
            {"filter": {"columns": ["pay"], "rule": "strict", "missing": "exact", "max_rounds": 1}},
        ],
        copies=1,
        control=0,
    )
    fewer, none = found.rows
    assert 0 < fewer.n_rows < N
    assert fewer.warnings[-1].startswith(f"Only {fewer.n_rows:.0f} of the 300 wanted were kept")
    assert none.reason.startswith(
        "Only 0 of the 300 wanted were kept: the filter refused every row"
    )


def test_catall_and_ipf_model_the_same_columns(people):
    table = read_table(people, side="original")
    assert joint_columns(table, KEYS) == ("sex", "area", "job")
    found = unveil.explore(people, **ASKED, methods=["catall", "ipf"], copies=1, control=0)
    assert [row.reason for row in found.rows] == [None, None]
    assert [row.name for row in found.rows] == ["catall", "ipf"]
    # The saturated table repeats combinations of the original; its pairs alone do not.
    assert found.rows[0].DiSCO >= found.rows[1].DiSCO


def test_a_setting_that_cannot_be_done_is_told_and_others_go_on(people):
    found = unveil.explore(people, **ASKED, methods="cart", min_leaf=(20, 5_000), copies=1)
    row = found.rows[1]
    assert row.reason.startswith("min_leaf is 5,000, but the original has 300 rows.")
    assert row.DiSCO is None
    assert found.record.frontier == ("cart, min_leaf 20",)


def test_where_no_setting_can_be_done_it_is_refused(people):
    with pytest.raises(unveil.SettingsError, match=r"No setting could be tried. cart, min_leaf 5"):
        unveil.explore(people, **ASKED, methods="cart", min_leaf=5_000, copies=1)


# The folder.

GRID = {"methods": "cart", "min_leaf": (20, 40), "copies": 1, "control": 0}


def test_what_is_done_is_not_done_again(people, tmp_path, monkeypatch):
    first = unveil.explore(people, **ASKED, **GRID, folder=tmp_path / "a")
    monkeypatch.setattr(module, "make_copies", None)
    assert unveil.explore(people, **ASKED, **GRID, folder=tmp_path / "a").record == first.record
    if sys.platform != "win32":
        modes = {stat.S_IMODE(one.stat().st_mode) for one in (tmp_path / "a").iterdir()}
        assert modes == {0o600}


@pytest.mark.slow
def test_work_that_was_stopped_goes_on_to_the_same_figures(people, tmp_path, monkeypatch):
    whole = unveil.explore(people, **ASKED, **GRID)
    make = module.make_copies

    def stopped(table, setting, *rest):
        if setting.min_leaf == 40:
            raise KeyboardInterrupt
        return make(table, setting, *rest)

    monkeypatch.setattr(module, "make_copies", stopped)
    with pytest.raises(KeyboardInterrupt):
        unveil.explore(people, **ASKED, **GRID, folder=tmp_path)
    assert len(list(tmp_path.glob("setting_*.json"))) == 1
    assert not list(tmp_path.glob(".*"))
    monkeypatch.setattr(module, "make_copies", make)
    assert unveil.explore(people, **ASKED, **GRID, folder=tmp_path).record == whole.record


def test_a_seed_that_was_drawn_is_kept_in_the_folder(people, tmp_path):
    given = {**ASKED, "seed": None}
    first = unveil.explore(people, **given, **GRID, folder=tmp_path)
    assert unveil.explore(people, **given, **GRID, folder=tmp_path).seed == first.seed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seed": 4}, "another seed"),
        ({"keys": ["sex"]}, "other keys"),
        ({"targets": ["job"]}, "other targets"),
        ({"copies": 2}, "another number of copies"),
        ({"control": 0.5}, "another share of control"),
        ({"bands": {"pay": 3}}, "other bands"),
        ({"special_codes": None}, "other special codes"),
        ({"missing_values": ["j1"]}, "other entries that mean missing"),
    ],
)
def test_other_questions_are_not_mixed_in(people, tmp_path, change, words):
    asked_first = {**ASKED, **GRID, "min_leaf": 40}
    unveil.explore(people, **asked_first, folder=tmp_path)
    before = {one.name: one.read_bytes() for one in tmp_path.iterdir()}
    with pytest.raises(unveil.SettingsError, match=words):
        unveil.explore(people, **{**asked_first, **change}, folder=tmp_path)
    assert {one.name: one.read_bytes() for one in tmp_path.iterdir()} == before


def test_other_data_are_not_mixed_in(people, tmp_path):
    unveil.explore(people, **ASKED, **GRID, folder=tmp_path)
    missing = people.with_columns(
        pl.when(pl.int_range(N) == 0).then(pl.lit("")).otherwise("job").alias("job")
    )
    for other in (people.reverse(), people.with_columns(pl.col("pay").cast(pl.Float64)), missing):
        with pytest.raises(unveil.SettingsError, match="other data"):
            unveil.explore(other, **ASKED, **GRID, folder=tmp_path)


@pytest.mark.slow
def test_files_of_another_version_are_not_mixed_in(people, tmp_path):
    unveil.explore(people, **ASKED, **GRID, folder=tmp_path)
    head = tmp_path / "exploration.json"
    head.write_text(json.dumps({**json.loads(head.read_text()), "version": "0.0.1"}))
    with pytest.raises(unveil.SettingsError, match="another version of unveil"):
        unveil.explore(people, **ASKED, **GRID, folder=tmp_path)


def test_a_damaged_file_is_told_by_its_name(people, tmp_path):
    unveil.explore(people, **ASKED, **GRID, folder=tmp_path)
    one = sorted(tmp_path.glob("setting_*.json"))[0]
    one.write_bytes(one.read_bytes()[:100])
    with pytest.raises(unveil.ReadError, match=r"is damaged or of another setting. Remove it"):
        unveil.explore(people, **ASKED, **GRID, folder=tmp_path)
    (tmp_path / "exploration.json").write_text("{")
    with pytest.raises(unveil.ReadError, match="it is not known what the folder holds"):
        unveil.explore(people, **ASKED, **GRID, folder=tmp_path)


def test_a_folder_of_other_files_is_not_written_into(people, tmp_path):
    (tmp_path / "mine.txt").write_text("mine")
    with pytest.raises(unveil.WriteError, match="holds other files and no exploration"):
        unveil.explore(people, **ASKED, **GRID, folder=tmp_path)
    with pytest.raises(unveil.WriteError, match=r"is a file. Name a folder"):
        unveil.explore(people, **ASKED, **GRID, folder=tmp_path / "mine.txt")
    assert os.listdir(tmp_path) == ["mine.txt"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"risk": "disco"}, "risk is 'disco'. Did you mean 'DiSCO'?"),
        ({"utility": 3}, "utility is 3. It must be one of: S_pMSE, S_pMSE_max, pMSE."),
        ({"copies": 0}, "copies is 0"),
        ({"control": 1}, "control is 1. It must be a number from 0 to below 1"),
        ({"methods": "carp"}, "The method of a setting is 'carp'. Did you mean 'cart'?"),
        ({"methods": []}, "methods is empty. Name at least one, or omit it."),
        ({"min_leaf": (5, 5)}, "The setting 'cart, min_leaf 5' is given twice. Give it once."),
        ({"settings": 3}, "A setting is 3. Write it as a mapping"),
        ({"settings": []}, "settings is empty"),
        (
            {"settings": {"min_leef": 5}},
            "A setting has no field 'min_leef'. Did you mean 'min_leaf'",
        ),
        ({"settings": {"name": ""}}, "The name of a setting is ''; it must be text."),
        ({"settings": {"rules": [object()]}}, "contains something other than text, finite numbers"),
        ({"min_leaf": (5, float("inf"))}, "contains something other than text, finite numbers"),
        (
            {"min_leaf": float("nan")},
            "contains something other than text, finite numbers and lists",
        ),
        (
            {"add_noise": {"pay": float("inf")}},
            "contains something other than text, finite numbers",
        ),
        ({"settings": {}, "filter": True}, "filter and add_noise are parts of each setting"),
        ({"filter": 3}, "filter is 3. Write True, or how to filter"),
        ({"filter": {"metrik": "gower"}}, "filter has no field 'metrik'. Did you mean 'metric'?"),
        ({"add_noise": 3}, "add_noise is 3. Write how much noise by column"),
        ({"keys": "sez"}, "None of the files has a column 'sez'. Did you mean 'sex'?"),
        ({"special_codes": {"pai": [-8]}}, "has no column 'pai'. Did you mean 'pay'?"),
        ({"progress": 3}, "progress is 3"),
        ({"seed": -1}, "The seed is -1"),
    ],
)
def test_what_means_nothing_is_refused_before_anything_is_done(people, change, sentence, tmp_path):
    with pytest.raises(unveil.InputError) as refused:
        unveil.explore(people, **{**ASKED, **change}, folder=tmp_path / "new")
    assert sentence in " ".join(str(refused.value).split())
    assert not (tmp_path / "new").exists()


def test_files_made_elsewhere_have_the_figures_of_the_single_calls(people, tmp_path):
    """A swapped and a shortened file beside a setting: one map, the same measures."""
    swapped = people.with_columns(job=people["job"].shuffle(seed=1), mark=pl.lit("FAKE"))
    path = tmp_path / "short.csv"
    people.head(120).write_csv(path)
    asked = {**ASKED, "methods": "sample", "copies": 1, "control": None}
    files = {"swapped": [swapped, people.sample(N, seed=2)], "short": str(path)}
    found = unveil.explore(people, **asked, files=files)
    assert [row.name for row in found.rows] == ["sample", "swapped", "short"]
    plain = swapped.drop("mark")
    for row, copies in zip(
        found.rows[1:], [[plain, people.sample(N, seed=2)], [path]], strict=True
    ):
        told = unveil.disclosure(people, copies, keys=KEYS, targets=ASKED["targets"]).record
        for number, copy in enumerate(row.copies, 1):
            assert copy.repU == told.identity_of(number).repU
            discos = [told.attribute_of(target, number).DiSCO for target in ASKED["targets"]]
            assert copy.DiSCO == pytest.approx(sum(discos) / 2)
            own = unveil.utility(people, copies[number - 1], special_codes={"pay": [-8]}, seed=3)
            assert copy.pMSE == own.rows[0].pMSE
            assert copy.R is None
    assert [row.n_copies for row in found.rows] == [1, 2, 1]
    assert json.loads(found.rows[2].settings) == {"files": ["short.csv"]}
    assert found.rows[2].n_rows == 120
    assert found.record.floor.DiSCO is not None


def test_files_alone_and_what_cannot_be_measured_of_them(people):
    asked = {**ASKED, "methods": "none", "copies": 1, "control": None}
    found = unveil.explore(people, **asked, files={"same": people, "less": people.drop("job")})
    assert found.rows[0].DiSCO == pytest.approx(found.record.Dorig)
    assert found.record.frontier == ("same",)
    assert "job" in found.rows[1].reason
    for files, said in [
        (None, "No method and no file is given"),
        ({"": people}, "is no name of its own"),
        ([people], "Name what made the files"),
        (["a/x.csv", "b/x.csv"], "Two files have one name"),
    ]:
        with pytest.raises(unveil.UnveilError, match=said):
            unveil.explore(people, **asked, files=files)


@pytest.mark.slow
def test_derived_columns_and_rules_hold_after_noise():
    rng = np.random.default_rng(5)
    low = rng.integers(20, 80, N)
    stays = pl.DataFrame({"sex": rng.choice(["m", "f"], N), "low": low})
    stays = stays.with_columns(high=low + rng.integers(0, 9, N), both=2 * pl.col("low"))
    ways = {"rules": ["high >= low"], "derived": {"both": "2 * low"}, "add_noise": {"low": 20}}
    (setting,) = settings({"method": "sample", **ways})
    order = CommonSettings(("sex",), ("sex",), 1, {}, {}, None)
    original = unveil.Study.open(stays).original
    (copy,) = make_copies(original, setting, order, 1, no_progress).copies
    assert not copy["low"].is_in(stays["low"].implode()).all()  # there is noise
    assert (copy["high"] >= copy["low"]).all()
    assert (copy["both"] - 2 * copy["low"]).abs().max() < 1e-9


@pytest.mark.slow
def test_people_with_several_rows_are_counted_and_split_as_people():
    rng = np.random.default_rng(6)
    who = np.repeat(np.arange(100), 3)
    visits = pl.DataFrame({"who": who, "wave": np.tile([1, 2, 3], 100)})
    visits = visits.with_columns(
        sex=pl.Series(rng.choice(["m", "f"], 100)[who]),
        area=pl.Series(rng.choice([f"a{n}" for n in range(30)], 100)[who]),
        job=pl.Series(rng.choice(["j1", "j2", "j3"], 300)),
    )
    asked = {"keys": ["sex", "area"], "targets": ["job"], "seed": 3, "methods": "cart"}
    asked |= {"min_leaf": 5, "copies": 1, "control": 0.2, "person": "who"}
    (row,) = unveil.explore(visits, **asked, time="wave").rows
    assert (row.reason, row.n_copies) == (None, 1)
    assert "who" not in row.worst_pair
    record = unveil.explore(visits, **asked).record
    assert (record.n_train, record.n_control) == (240, 60)  # 80 and 20 people, each with 3 rows
    with pytest.raises(unveil.UnveilError, match="time is given without person"):
        unveil.explore(visits, **{**asked, "person": None}, time="wave")
