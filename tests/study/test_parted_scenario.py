"""Files counted in parts: the same records as in memory, in bounded memory, and nothing left."""

import subprocess
import sys

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main
from unveil.errors import EngineError, ReadError
from unveil.examples import survey, survey_synthetic
from unveil.study import parted_scenario
from unveil.study.choose_engine import choose_engine, count_parts, plan_engine
from unveil.study.engine import parse_engine

KEYS = {"keys": ["sex", "age", "region"], "targets": ["income", "health", "condition"]}
CASES = {
    "plain": {},
    "excluded": {"exclude": ["missing-targets", "max-denominator=20", "health=good@sex=man"]},
    "missing keys": {"exclude": ["missing-keys", "max-denominator-syn=3"]},
    "segments": {"checks_by": "settlement"},
    "bands": {"bands": {"income": 5, "age": [30, 60]}},
    "expected": {"expected": True},
}


def without_engine(found):
    record = found.record.to_dict()
    record["coercions"] = [one for one in record["coercions"] if one["kind"] != "engine"]
    return record


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    original = survey().head(1500)
    gaps = pl.when(pl.int_range(pl.len()) % 11 > 0).then(pl.col("age")).alias("age")
    copies = [survey_synthetic().head(1200).with_columns(gaps), survey_synthetic().tail(800)]
    for name, frame in zip(("a", "b", "c"), (original, *copies), strict=True):
        frame.write_parquet(folder / f"{name}.parquet")
        frame.write_csv(folder / f"{name}.csv")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize(("case", "n_parts"), [*((case, 7) for case in CASES), ("plain", 150)])
def test_parts_give_what_memory_gives(files, case, n_parts, monkeypatch):
    monkeypatch.setattr(parted_scenario, "count_parts", lambda *_: n_parts)
    copies = [files / "b.parquet", files / "c.parquet"]
    here = unveil.disclosure(files / "a.parquet", copies, **{**KEYS, **CASES[case]})
    with unveil.use_engine("chunks"):
        there = unveil.disclosure(files / "a.parquet", copies, **{**KEYS, **CASES[case]})
    assert without_engine(there) == without_engine(here)
    assert there.whatif("missing-targets").record.attribute == (
        here.whatif("missing-targets").record.attribute
    )


def test_text_files_in_chunks_give_what_memory_gives(files):
    asked = {**KEYS, "missing_values": ["0"]}
    here = unveil.disclosure(files / "a.csv", files / "b.csv", **asked)
    with unveil.use_engine("chunks"):
        there = unveil.disclosure(files / "a.csv", files / "b.csv", **asked)
    assert without_engine(there) == without_engine(here)


def test_cap_of_parts_is_that_of_memory(files, monkeypatch):
    monkeypatch.setattr(parted_scenario, "count_parts", lambda *_: 5)
    copies = [files / "b.parquet", files / "c.parquet"]
    asked = {"keys": ["sex", "age"], "target": "health"}
    here = unveil.cap(files / "a.parquet", copies, **asked)
    with unveil.use_engine("chunks"):
        there = unveil.cap(files / "a.parquet", copies, **asked)
    assert without_engine(there) == without_engine(here)


def test_records_with_equal_keys_are_in_one_part():
    rng = np.random.default_rng(1)
    keys = [rng.integers(0, n, 5000).astype(np.uint16) for n in (3, 400)]
    part = parted_scenario._part_of(keys, 16)
    of_key = {}
    for key, number in zip(zip(*keys, strict=True), part.tolist(), strict=True):
        assert of_key.setdefault(key, number) == number
    assert np.bincount(part, minlength=16).min() > 200


def test_files_are_counted_in_chunks_where_memory_is_too_small(files):
    sources = [files / "a.parquet", files / "b.csv"]
    asked = {"by_counts": True, "n_columns": 6}
    assert choose_engine(sources, parse_engine("auto"), **asked) == "memory"
    assert choose_engine(sources, parse_engine("auto", 64_000_000), **asked) == "memory"
    settings = parse_engine("auto", 64_000_000)
    large = [files / "a.parquet"] * 250
    assert choose_engine(large, settings, **asked) == "chunks"
    assert choose_engine([*large, survey()], settings, **asked) == "memory"
    assert choose_engine(large, settings, by_counts=False) == "memory"


def test_a_plan_says_engine_memory_and_passes(files):
    sides = {"original": files / "a.parquet", "synthetic": files / "b.csv"}
    told = plan_engine(sides, parse_engine("chunks", "1GB"), n_columns=6).sentences()
    assert told[0] == "The original (a.parquet): about 1,500 rows, 6 columns compared."
    assert told[2].startswith("Engine: chunks. Read whole, the files need about")
    assert "1.0 GB can be used (as asked for). Expected in chunks: at most 400 MB." in told[2]
    assert len(told) == 6


def test_more_memory_means_fewer_parts_and_none_are_too_many():
    assert count_parts(1000, 10, 10**9) == 1
    assert count_parts(50_000_000, 10, 5 * 10**8) > count_parts(50_000_000, 10, 4 * 10**9)
    assert count_parts(10**12, 10, 10**9) == 512


def test_too_little_memory_is_one_sentence_that_names_enough(files, tmp_path):
    little = unveil.use_engine("chunks", memory="100MB", spill=tmp_path)
    with little, pytest.raises(EngineError) as fault:
        unveil.disclosure(files / "a.parquet", files / "b.parquet", **KEYS)
    told = str(fault.value)
    assert told.startswith("100 MB of memory are too little to count in chunks; with 401 MB the")
    del fault
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_count_leaves_no_files(files, tmp_path):
    def stop(what, done, _n):
        if what == "counting keys and targets":
            raise KeyboardInterrupt

    with unveil.use_engine("chunks", spill=tmp_path), pytest.raises(KeyboardInterrupt):
        unveil.disclosure(files / "a.parquet", files / "b.parquet", **KEYS, progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_file_is_one_sentence_without_values(files, tmp_path):
    whole = bytearray((files / "a.parquet").read_bytes())
    whole[len(whole) // 3 : len(whole) // 3 + 3000] = b"\xff" * 3000
    (tmp_path / "bad.parquet").write_bytes(whole)
    lines = (files / "a.csv").read_text().splitlines()
    lines[900] += ",more"
    (tmp_path / "bad.csv").write_text("\n".join(lines))
    with unveil.use_engine("chunks"):
        with pytest.raises(EngineError, match="Its message is not shown"):
            unveil.disclosure(tmp_path / "bad.parquet", files / "b.parquet", **KEYS)
        with pytest.raises(ReadError, match=r"damaged at line 901"):
            unveil.disclosure(tmp_path / "bad.csv", files / "b.parquet", **KEYS)


BOUNDED = """
import pathlib, re, resource, sys, unveil
resource.setrlimit(resource.RLIMIT_DATA, (900_000_000, 900_000_000))
with unveil.use_engine("chunks", memory="600MB"):
    unveil.disclosure(sys.argv[1], sys.argv[1], keys=["a", "b"], targets=["c"])
# Not ru_maxrss: a process that another one starts takes over the peak of that one.
print(re.search(r"VmHWM:\\s+(\\d+)", pathlib.Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_memory_stays_within_what_was_asked_for(tmp_path):
    peaks = []
    for n in (2_000_000, 10_000_000):
        rng, path = np.random.default_rng(n), tmp_path / f"{n}.parquet"
        columns = {
            name: rng.integers(0, top, n) for name, top in (("a", 500), ("b", 900), ("c", 9))
        }
        pl.DataFrame(columns).write_parquet(path)
        made = subprocess.run(
            [sys.executable, "-c", BOUNDED, str(path)], capture_output=True, text=True, check=True
        )
        peaks.append(int(made.stdout))
    assert max(peaks) * 1024 < 600_000_000


@pytest.mark.large
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="the limit is one of Linux")
def test_duckdb_reserves_little_beyond_its_memory(tmp_path):
    rng, path, n = np.random.default_rng(1), tmp_path / "rows.parquet", 200_000
    columns = {name: rng.integers(0, top, n) for name, top in (("a", 500), ("b", 900), ("c", 9))}
    pl.DataFrame(columns).write_parquet(path)
    asked = BOUNDED.replace('"chunks", memory="600MB"', '"duckdb", memory="300MB"')
    made = subprocess.run([sys.executable, "-c", asked, str(path)], check=True, capture_output=True)
    assert int(made.stdout) * 1024 < 600_000_000


def test_a_plan_of_a_file_that_is_not_there_is_refused(tmp_path):
    sides = {"original": tmp_path / "absent.csv"}
    with pytest.raises(ReadError, match=r"absent\.csv"):
        plan_engine(sides, parse_engine("chunks", "1GB"), n_columns=6)


@pytest.mark.parametrize("command", ["disclosure", "assess"])
def test_what_was_counted_elsewhere_does_not_pass_with_real_values(command, tmp_path, capsys):
    # Keys and target are drawn at random; every person's own pay is there, with a hair of noise.
    rng, n = np.random.default_rng(1), 400
    pay = rng.normal(2000, 500, n)
    for name, noise in (("original", 0.0), ("synthetic", 1e-3)):
        drawn = {"sex": rng.integers(0, 2, n), "job": rng.integers(0, 5, n)}
        frame = pl.DataFrame({**drawn, "pay": (pay + noise * rng.normal(size=n)).round(4)})
        frame.write_csv(tmp_path / f"{name}.csv")
    files = [str(tmp_path / f"{name}.csv") for name in ("original", "synthetic")]
    asked = [*files, "--keys", "sex", "--targets", "job", "--limit", "DiSCO=10"]
    with pytest.raises(SystemExit) as ended:
        main([command, *asked, "--engine", "chunks", "--json"])
    assert ended.value.code == 3
    assert "near-copies" in capsys.readouterr().out
