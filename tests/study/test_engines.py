"""Every engine counts what memory counts, to the last digit; its faults quote nothing."""

import gc

import msgspec
import numpy as np
import polars as pl
import pytest

import unveil
from unveil.study.engine import use_engine

ENGINES = [
    "chunks",
    pytest.param("duckdb", marks=pytest.mark.large),
    pytest.param("spark", marks=[pytest.mark.spark, pytest.mark.slow]),
]


def people(n: int, seed: int) -> pl.DataFrame:
    """Nulls, NaN, empty text, whole numbers, decimals, truth values, dates."""
    r = np.random.default_rng(seed)
    u = r.random((5, n))
    return pl.DataFrame(
        {
            "sex": r.choice(["M", "F", ""], n, p=[0.5, 0.45, 0.05]),
            "age": r.integers(16, 80, n),
            "area": [None if x < 0.1 else f"a{int(x * 12)}" for x in u[0]],
            "income": [
                float("nan") if x < 0.05 else -8.0 if x < 0.1 else round(x * 1000, 1) for x in u[1]
            ],
            "job": [None if x < 0.1 else ["yes", "no", "no", "no"][int(x * 4)] for x in u[2]],
            "retired": u[3] < 0.1,
            "born": pl.Series((u[4] * 30).astype(int)).cast(pl.Date),
        }
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """An original, a copy that holds some of its people, and one with other types."""
    folder = tmp_path_factory.mktemp("engines")
    original, first, second = people(400, 1), people(300, 2), people(250, 3)
    first = pl.concat([first, original.head(150)])
    second = pl.concat([second, original.head(80)]).with_columns(
        pl.col("age").cast(pl.String), pl.col("retired").cast(pl.Int8), pl.col("job")
    )
    made = {"original": original, "first": first, "second": second}
    for name, frame in made.items():
        frame.write_parquet(folder / f"{name}.parquet")
    return {name: folder / f"{name}.parquet" for name in made}


CASES = {
    "plain": {"keys": ["sex", "age", "area"]},
    "bands": {
        "keys": ["sex", "age", "area"],
        "targets": ["job", "income"],
        "bands": {"age": 4, "income": "equal:5"},
        "special_codes": {"income": [-8]},
    },
    "exclusions": {
        "keys": ["sex", "age", "area"],
        "targets": ["job", "retired", "income"],
        "bands": {"age": 6, "income": 4},
        "exclude": [
            *("job=no", "retired=0@sex=M", "missing-keys=area", "missing-targets"),
            *("max-denominator=3", "max-denominator-syn=4"),
        ],
        "one_way": (1, 20),
        "two_way": (1, 20),
    },
    "segments": {
        "keys": ["sex", "area", "income"],
        "targets": ["job", "retired"],
        "bands": {"income": 3},
        "exclude": ["max-denominator=9", "missing-keys"],
        "checks_by": "age",
        "one_way": (1, 20),
        "two_way": (0, 20),
        "missing_values": ["no", "16"],
        "sensitive": {"job": ["yes"]},
    },
}


def record(result):
    """What was found, without the note on who counted."""
    found = msgspec.to_builtins(result.record)
    notes = [note for note in found["coercions"] if note["kind"] != "engine"]
    return {**found, "coercions": notes}


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("case", CASES)
def test_the_record_is_that_of_memory(files, engine, case):
    copies = [files["first"], files["second"]]
    expected = unveil.disclosure(files["original"], copies, **CASES[case])
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        found = unveil.disclosure(files["original"], copies, **CASES[case])
    assert record(found) == record(expected)
    (note,) = [one for one in found.record.coercions if one.kind == "engine"]
    assert note.sentence.startswith("Counted by")
    assert expected.record.flags or case in ("plain", "bands")
    again = {"exclude": ["job=yes", "max-denominator=2"]}
    assert record(found.whatif(**again)) == record(expected.whatif(**again))


@pytest.mark.parametrize("engine", ENGINES)
def test_the_original_itself_is_found_out(files, engine):
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        found = unveil.disclosure(files["original"], files["original"], keys=["sex", "age"])
    assert found.record.recurrence[0].kind == "equal"
    assert record(found) == record(
        unveil.disclosure(files["original"], files["original"], keys=["sex", "age"])
    )


def test_what_needs_rows_is_refused_with_what_to_do(files):
    with use_engine("chunks"), pytest.raises(unveil.EngineError, match="random sample"):
        unveil.disclosure(files["original"], files["first"], keys=["sex"], expected=True)
    with use_engine("chunks"), pytest.raises(unveil.EngineError, match="random sample"):
        unveil.singling_out(files["original"], files["first"])


def test_settings_of_engines_are_checked():
    for wrong in ({"name": "dukdb"}, {"memory": "2 apples"}, {"memory": "1MB"}, {"spill": "/none"}):
        with pytest.raises(unveil.SettingsError), use_engine(**wrong):
            pass


def test_nothing_is_left_behind(files, tmp_path):
    with use_engine("chunks", spill=tmp_path):
        found = unveil.disclosure(files["original"], files["first"], keys=["sex", "age"])
    assert [*tmp_path.iterdir()] != []  # for what-if questions to come
    del found
    gc.collect()
    assert [*tmp_path.iterdir()] == []
