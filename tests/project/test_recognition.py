"""Worlds by hand, the ways to make a release, and that work goes on where it was killed."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest

from oracles import recognition as oracle
from unveil.errors import InputError, SettingsError
from unveil.measure.attacks.worlds import WorldPool, check_enough
from unveil.project.make_worlds import WorldMaker
from unveil.project.recognition import recognition
from unveil.project.release_procedure import LiveProcedure, parse_procedure
from unveil.view.show import as_text

POOL = {"seed": 1, "n_original": 4, "n_reference": 6, "targets": (0, 1), "phantoms": (7,)}


def unlike(n, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame({f"x{j}": rng.integers(30, size=n) for j in range(5)}).cast(pl.String)


def resampled(data, seed, rows):
    return data[np.random.default_rng(seed).integers(data.height, size=rows)]


def unrelated(data, seed, rows):
    return unlike(rows, seed)


ASKED = {"reference": unlike(100, 2), "people": 20, "seed": 1}


@pytest.mark.parametrize("out", ["replace", "remove"])
@pytest.mark.parametrize("intruder", ["others", "population"])
def test_a_world_holds_who_the_coins_say_and_no_one_who_is_in_no_world(intruder, out):
    pool = WorldPool(**POOL, intruder=intruder, out=out)
    for world in range(50):
        rows = pool.world(world).tolist()
        is_in = pool.coins(world)[:2].tolist()
        assert [place in rows for place in (0, 1)] == is_in
        assert 7 not in rows
        assert len({*rows}) == len(rows) == (4 if out == "replace" else 2 + sum(is_in))
        assert ({2, 3} <= {*rows}) == (intruder == "others")


def test_too_few_people_are_refused_with_the_number_that_is_needed():
    with pytest.raises(SettingsError, match="has 30 people; 40 are needed to test 20"):
        check_enough(100, 30, 20, "others", "replace")
    with pytest.raises(SettingsError, match="120 are needed"):
        check_enough(100, 110, 20, "population", "replace")
    with pytest.raises(SettingsError, match="Test fewer, or give a reference"):
        check_enough(40, None, 20, "others", "remove")


def test_what_leaves_a_trace_is_found_as_well_as_it_can_be_and_nothing_else():
    found = recognition(unlike(60, 1), resampled, worlds=300, **ASKED).record
    assert found.auc_mean == pytest.approx(oracle.resampling_auc(60), abs=0.05)
    assert found.self_test.passed
    assert 0 < found.epsilon <= found.epsilon_most
    null = recognition(unlike(60, 1), unrelated, worlds=100, **ASKED, claimed_epsilon=0).record
    assert (null.epsilon, null.exceeds_claim) == (0, False)
    assert null.auc_interval[0] < 0.5 < null.auc_interval[1]


def test_worlds_without_a_release_are_refused_for_they_may_tell_who_is_in():
    kept = []

    def ends(data, seed, rows):
        kept.append(data.height)
        return data.head(0) if len(kept) > 3 else data

    with pytest.raises(SettingsError, match="may depend on who is in them, so nothing is said"):
        recognition(unlike(60, 1), ends, worlds=60, **ASKED)


def test_a_reference_that_holds_people_tested_is_warned_of():
    asked = {**ASKED, "reference": pl.concat([unlike(100, 2), unlike(60, 1)])}
    said = recognition(unlike(60, 1), unrelated, worlds=60, **asked).record.warnings
    assert "20 of the 20 people tested have an equal record in the reference." in said[0]
    assert recognition(unlike(60, 1), unrelated, worlds=60, **ASKED).record.warnings == ()


def test_no_figure_is_shown_where_people_in_no_world_are_told_apart(monkeypatch):
    held, look = {}, WorldMaker.look

    def noted(maker, world):
        held.update(maker=maker, is_in=maker.pool.coins(world)[maker.pool.k :])
        return look(maker, world)

    def tells(data, seed, rows):
        """What no release can know: the coins of people in no world."""
        absent = held["maker"].people[20:].filter(pl.Series(held["is_in"]))
        return pl.concat([absent, data]).head(rows)

    monkeypatch.setattr(WorldMaker, "look", noted)
    found = recognition(unlike(60, 1), tells, worlds=60, **ASKED)
    one = found.record
    assert (one.self_test.passed, one.self_test.failed[0]) == (False, "auc")
    assert one.self_test.auc_mean > 0.8
    shown = (one.auc_mean, one.auc_interval, one.n_shown, one.epsilon, one.n_recognised)
    assert (*shown, one.hit_rates) == (None, None, None, None, None, ())
    assert {"auc", "p", "epsilon", "is_shown"}.isdisjoint(found.people().columns)
    assert as_text(one).endswith("self-test failed, no figure is shown")


SCRIPT = """import random, sys
data, out, seed = sys.argv[1:]
head, *rows = open(data).read().splitlines()
rng = random.Random(int(seed))
open(out, "w").write("\\n".join([head, *(rng.choice(rows) for _ in rows)]))
"""


@pytest.fixture
def files(tmp_path):
    unlike(60, 1).write_csv(tmp_path / "original.csv")
    unlike(100, 2).write_csv(tmp_path / "others.csv")
    (tmp_path / "synth.py").write_text(SCRIPT)
    (tmp_path / "fails.py").write_text("raise SystemExit(1)")
    return tmp_path


@pytest.mark.slow
def test_a_command_is_run_with_its_words_and_its_failures_are_told_without_its_output(files):
    words = [sys.executable, str(files / "synth.py"), "{data}", "{out}", "{seed}"]
    found = recognition(files / "original.csv", words, worlds=60, **ASKED).record
    assert (found.n_failed, found.self_test.n_people, found.n_tested) == (0, 20, 30)
    with pytest.raises(SettingsError, match="ended with code 1 and wrote no file"):
        recognition(
            files / "original.csv",
            [words[0], str(files / "fails.py"), *words[2:]],
            worlds=60,
            **ASKED,
        )
    with pytest.raises(SettingsError, match=r"Add \{rows\} to it"):
        recognition(files / "original.csv", words, worlds=60, out="remove", **ASKED)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ("mysynth {data}", r"The command names no \{out\}"),
        ({"seed": 1}, "The settings hold seed, which differ from world to world"),
        (3, "The release procedure is 3. Give settings"),
    ],
)
def test_what_is_no_procedure_is_refused_in_a_sentence(given, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_procedure(given)


def test_a_function_of_this_process_alone_runs_in_it():
    assert isinstance(parse_procedure(lambda data, seed, rows: data), LiveProcedure)
    assert not isinstance(parse_procedure(resampled), LiveProcedure)


RUN = """import sys
from unveil.cli import main
main()
"""


def command(files, *more):
    words = ("recognise", "original.csv", "--reference", "others.csv", "--settings", "how.toml")
    asked = ("--people", "10", "--worlds", "80", "--seed", "3", "--workers", "2", "--json")
    return [sys.executable, "-c", RUN, *words, *asked, "--folder", "worlds", *more]


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
def test_killed_at_any_moment_it_goes_on_to_the_same_figures_and_names_no_one(files):
    (files / "how.toml").write_text('[synthesis]\nmethod = "sample"\n')
    process = subprocess.Popen(command(files), cwd=files, stdout=subprocess.DEVNULL)
    while len(list((files / "worlds").glob("world_*"))) < 5:
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    kept = {path: path.read_bytes() for path in sorted((files / "worlds").glob("world_*"))[:4]}
    cut = next(iter(kept))
    cut.write_bytes(kept[cut][:100])  # as if the disk had lost the rest
    first = subprocess.run(command(files), cwd=files, capture_output=True, text=True, check=True)
    assert all(path.read_bytes() == content for path, content in kept.items())
    assert len(list((files / "worlds").glob("world_*"))) == 80
    whole = subprocess.run(
        [*command(files, "--records", "who.csv")[:-4], "--folder", "other", "--records", "who.csv"],
        cwd=files, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert first.stdout == whole.stdout
    assert pl.read_csv(files / "who.csv").height == 10
    assert oct((files / "who.csv").stat().st_mode)[-3:] == "600"
    assert not any(name in whole.stdout for name in ('"row"', '"rows":', "is_shown", "isolation"))
    other = subprocess.run(
        command(files, "--intruder", "others", "--out", "remove"),
        cwd=files, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert other.returncode == 2
    assert "holds worlds of another way to be out of a world" in other.stderr
