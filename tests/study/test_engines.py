"""Every engine counts what memory counts, to the last digit; its faults quote nothing."""

import gc
import json

import msgspec
import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
import pytest

import unveil
from unveil.cli import main
from unveil.study.backends import DuckDB
from unveil.study.engine import use_engine

ENGINES = [
    "chunks",
    pytest.param("duckdb", marks=pytest.mark.large),
    pytest.param(
        "spark",
        marks=[
            *(pytest.mark.spark, pytest.mark.slow),
            pytest.mark.filterwarnings("ignore"),  # pyspark warns of newer versions of pandas
        ],
    ),
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
    original = original.with_columns(pl.col("area").cast(pl.Categorical))
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


@pytest.mark.large
@pytest.mark.parametrize("case", ["exclusions", "bands"])
def test_cells_that_are_counted_in_parts_are_those_of_memory(files, case, monkeypatch):
    copies, asked = [files["first"], files["second"]], []
    expected = unveil.disclosure(files["original"], copies, **CASES[case])
    monkeypatch.setattr(DuckDB, "count_parts", lambda _, n: asked.append(n) or 7)
    with use_engine("duckdb"):
        found = unveil.disclosure(files["original"], copies, **CASES[case])
    assert record(found) == record(expected)
    assert len(asked) >= 3 * len(CASES[case]["targets"])  # of each copy, and of both as one
    assert 0 < max(asked) <= 400 + 450 + 330


@pytest.mark.parametrize("engine", ENGINES)
def test_the_original_itself_is_found_out(files, engine):
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        found = unveil.disclosure(files["original"], files["original"], keys=["sex", "age"])
    assert found.record.recurrence[0].kind == "equal"
    assert record(found) == record(
        unveil.disclosure(files["original"], files["original"], keys=["sex", "age"])
    )


@pytest.mark.parametrize("engine", ENGINES)
def test_text_files_are_typed_as_when_they_are_read_whole(tmp_path, engine):
    original, copy = people(200, 4), people(150, 5)
    original = original.with_columns(income=pl.col("income").fill_nan(None), mark=pl.lit("12"))
    words = pl.Series(["n/a" if i % 3 else "7" for i in range(150)])  # a word in most of them
    copy = copy.with_columns(income=pl.col("income").fill_nan(None), mark=words)
    paths = tmp_path / "original.csv", tmp_path / "copy.csv"
    original.write_csv(paths[0])
    copy.write_csv(paths[1], separator=";")
    asked = {"keys": ["sex", "age"], "missing_values": ["n/a"], "bands": {"income": 3}}
    expected = unveil.disclosure(*paths, **asked)
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        assert record(unveil.disclosure(*paths, **asked)) == record(expected)


def test_cap_and_what_is_expected_while_key_combinations_are_few(files, monkeypatch):
    asked = files["original"], [files["first"], files["second"]]
    keys = {"keys": ["sex", "age"]}
    measures = {
        "cap": lambda: unveil.cap(*asked, **keys, target="job"),
        "tolerance": lambda: unveil.cap(*asked, **keys, target="income", tolerance={"income": 50}),
        "tcap": lambda: unveil.tcap(*asked, **keys, target="job"),
        "expected": lambda: unveil.disclosure(*asked, **keys, targets=["job"], expected=True),
    }
    for measure in measures.values():
        expected = measure()
        with use_engine("chunks"):
            assert record(measure()) == record(expected)
    monkeypatch.setattr("unveil.study.engine_scenario.MOST_CELLS", 20)
    with use_engine("chunks"), pytest.raises(unveil.EngineError, match="combinations of these"):
        measures["cap"]()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_recoded_original_is_that_of_memory(files, engine):
    from unveil.project.recode_original import Recipe, recode_opened
    from unveil.protection.recoding.steps import parse_steps
    from unveil.study.open_scenario import open_in_engine
    from unveil.study.study import Study, sides_of

    top = {"do": "top_code", "column": "age", "at": 60}
    recipe = Recipe(parse_steps([top, {"do": "round", "column": "income", "to": 100}]))
    copy = pl.read_parquet(files["first"]).with_columns(
        pl.col("age").clip(upper_bound=60), (pl.col("income") / 100).round() * 100
    )
    sides = sides_of(copy, original=files["original"])
    expected, _ = recode_opened(Study.open(files["original"], copy), recipe)
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        found, notes = recode_opened(open_in_engine(engine, sides, None, (), ()).study, recipe)
    assert "recoded as the synthetic data were" in notes[0]
    asked = {"keys": ["sex", "age"], "targets": ["income", "job"], "exclude": ["job=no"]}
    counted = unveil.disclosure(found.original, found.synthetic, **asked)
    here = record(unveil.disclosure(expected.original, expected.synthetic, **asked))
    assert record(counted) == here
    assert here != record(unveil.disclosure(files["original"], copy, **asked))


def held(files, library):
    if library == "relation":
        duckdb = pytest.importorskip("duckdb")
        return [duckdb.read_parquet(str(path)) for path in files.values()]
    ibis = pytest.importorskip("ibis")
    connection = ibis.duckdb.connect()
    return [connection.read_parquet(str(path)) for path in files.values()]


@pytest.mark.large
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # Ibis asks DuckDB in an older way
@pytest.mark.parametrize("library", ["relation", "table"])
def test_what_an_engine_holds_is_counted_there(files, library):
    original, *copies = held(files, library)
    expected = record(unveil.disclosure(*_split(files), **CASES["exclusions"]))
    found = unveil.disclosure(original, copies, **CASES["exclusions"])
    assert "Counted by" in str(found.record.coercions)
    assert {**record(found), "files": ()} == {**expected, "files": ()}


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_frames_of_spark_are_counted_there(files):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    session = builder.config("spark.sql.shuffle.partitions", "2").getOrCreate()
    asked = {"keys": ["sex", "age"], "targets": ["job"], "bands": {"age": 3}, "exclude": "job=yes"}
    original, copy = (session.read.parquet(str(files[name])) for name in ("original", "first"))
    found = record(unveil.disclosure(original, copy, **asked))
    expected = record(unveil.disclosure(files["original"], files["first"], **asked))
    assert {**found, "files": ()} == {**expected, "files": ()}


def _split(files):
    original, *copies = files.values()
    return original, copies


def test_what_needs_rows_is_refused_with_what_to_do(files):
    with use_engine("chunks"), pytest.raises(unveil.EngineError, match="random sample"):
        unveil.key_sets(files["original"], files["first"], keys=["sex", "age"])
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


@pytest.mark.parametrize("missing", ["wildcard", "category"])
@pytest.mark.parametrize("engine", ENGINES)
def test_k_anonymity_is_that_of_memory(files, engine, missing):
    asked = {"keys": ["sex", "area", "age"], "bands": {"age": 5}, "missing": missing}
    expected = unveil.match_risk(files["original"], **asked)
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        assert record(unveil.match_risk(files["original"], **asked)) == record(expected)


@pytest.mark.parametrize("engine", ENGINES)
def test_pair_tables_are_those_of_memory(files, engine, monkeypatch):
    asked = {"columns": ["sex", "age", "area", "income", "job"], "special_codes": {"income": [-8]}}
    asked |= {"categories": ["age"], "missing_values": ["no"], "n_worst": 2}
    expected = record(unveil.pair_tables(*_split(files), **asked))
    assert expected["worst"]
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        found = record(unveil.pair_tables(*_split(files), **asked))
        monkeypatch.setattr("unveil.measure.utility.table_statistics.MOST_CELLS", 0)
        monkeypatch.setattr("unveil.measure.utility.table_statistics.SPARSE", 0)
        by_cells = record(unveil.pair_tables(*_split(files), ways=1, **asked))
    assert found == expected
    assert by_cells == record(unveil.pair_tables(*_split(files), ways=1, **asked))


@pytest.mark.parametrize("engine", ENGINES)
def test_records_at_risk_stay_in_the_engine(files, engine):
    asked = {**CASES["exclusions"], "exclude": ["job=no", "missing-keys=area", "max-denominator=3"]}
    expected = unveil.disclosure(*_split(files), **asked)
    with use_engine(engine, address="local[2]" if engine == "spark" else None):
        found = unveil.disclosure(*_split(files), **asked)
    for measure in ("DiSCO", "repU", "Dorig") if engine != "spark" else ("DiSCO",):
        listed = found.records_at_risk("retired", copy=1, measure=measure)
        assert not isinstance(listed, pl.DataFrame)  # a frame of the engine, not yet computed
        here = nw.from_native(listed).collect("polars").to_native()
        there = expected.records_at_risk("retired", copy=1, measure=measure)
        assert there.height > 0
        columns = here.columns
        texts = there.select(columns).cast(pl.String).sort(columns).rows()
        assert here.cast(pl.String).sort(columns).rows() == texts


TABLES = ["--columns", "sex,age,area,income", "--categories", "age", "--ways", "1,2"]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("command", "refused"), [("uniques", "--weights"), ("utility", "--tstr")], ids=str
)
def test_commands_have_the_figures_of_memory_or_refuse(files, command, refused, engine, capsys):
    said, asked = ["--engine", engine, "--spark", "local[2]"], ["--keys", "sex,area", "--json"]
    names = [str(files["original"])]
    if command == "utility":
        names, asked = [*names, str(files["first"])], [*TABLES, "--json"]

    def answer(*more):
        with pytest.raises(SystemExit) as ended:
            main([command, *names, *asked, *more])
        out, err = capsys.readouterr()
        return ended.value.code, json.loads(out or "null"), err

    (_, here, _), (code, there, told) = answer(), answer(*said)
    assert code == 0
    assert "need the records in memory" in told
    for part in there:  # nothing else is told
        assert _without_engine(there[part]) == _without_engine(here[part])
    assert [*there] == (["match_risk"] if command == "uniques" else ["tables"])
    code, _, told = answer(*said, refused, "age")
    assert (code, told.count("\n")) == (2, 1)
    assert refused in told


def _without_engine(found):
    if isinstance(found, list):
        return [*map(_without_engine, found)]
    notes = [one for one in found["coercions"] if one["kind"] != "engine"]
    return {**found, "coercions": notes}
