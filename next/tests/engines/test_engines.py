"""Records that stay in an engine have the figures of memory, to the last digit; or a refusal."""

import gc
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import unveil
from engines.cases import SETTINGS, differences, files, measures, people, study_of

duckdb = pytest.importorskip("duckdb")


def paths_of(frames, folder):
    paths = [folder / f"{place}.parquet" for place in range(len(frames))]
    for frame, path in zip(frames, paths, strict=True):
        frame.write_parquet(path)
    return paths


@pytest.mark.parametrize("seed", [0, 100])
@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_every_figure_is_that_of_memory(kind, seed, tmp_path):
    frames = files(400, seed)
    if kind == "polars":
        there = study_of([frame.lazy() for frame in frames])
    else:
        there = study_of(paths_of(frames, tmp_path), engine="duckdb")
    here = study_of(frames)
    for (name, counted), (_, known) in zip(measures(there), measures(here), strict=True):
        assert list(differences(counted, known)) == [], name


def test_relations_of_a_user_are_counted_where_they_are():
    connection = duckdb.connect()
    original, synthetic = people(300, 1), people(300, 2)
    sources = []
    for name, frame in (("a", original), ("b", synthetic)):
        table = frame.to_arrow()  # noqa: F841
        connection.execute(f'CREATE TABLE {name} AS SELECT * FROM "table"')
        sources.append(connection.table(name))
    there = unveil.Study(*sources, **SETTINGS)
    here = unveil.Study(original, synthetic, **SETTINGS)
    for (name, counted), (_, known) in zip(
        measures(there, few=True), measures(here, few=True), strict=True
    ):
        assert list(differences(counted, known)) == [], name
    del there
    gc.collect()
    assert connection.sql("SHOW TABLES").fetchall() == [("a",), ("b",)]


def test_published_tables_are_counted_there():
    original = people(500, 1)
    there = unveil.Study(original.lazy(), keys=("sex", "region"))
    table = unveil.PublishedTable.count(there, ("sex", "region"))
    here = unveil.PublishedTable.count(unveil.Study(original), ("sex", "region"))
    assert (table.counts == here.counts).all()
    assert table.levels == here.levels


CALLS = {
    "suda": lambda study: unveil.suda(study),
    "linkability": lambda study: unveil.linkability(study),
    "gtcap": lambda study: unveil.gtcap(study),
    "utility": lambda study: unveil.utility(study),
    "describe": lambda study: unveil.describe(study),
    "split": lambda study: unveil.split(study),
    "synthesise": lambda study: unveil.synthesise(study),
    "within": lambda study: unveil.disclosure(study, within="sex", expected=False),
    "aligned": lambda study: unveil.match_risk(study, aligned=True),
    "wildcard": lambda study: unveil.match_risk(study, wildcard=True),
    "weights": lambda study: unveil.match_risk(study.replace(columns={"income": "weight"})),
    "records": lambda study: unveil.disclosure(study, expected=False).records(),
    "scores": lambda study: unveil.cap(study).records(),
    "risks": lambda study: unveil.match_risk(study).records(),
    "frame": lambda study: study.original,
}


@pytest.mark.parametrize("name", CALLS)
def test_what_needs_memory_is_refused_and_says_how_to_go_on(name):
    lazy = people(200, 1).lazy()
    study = unveil.Study(lazy, lazy, keys=("sex", "age"), targets="health")
    with pytest.raises(unveil.InputError, match=r"study\.sample"):
        CALLS[name](study)


def test_people_with_several_records_are_refused():
    with pytest.raises(unveil.InputError, match="'age' says whose a record is"):
        unveil.Study(people(200, 1).lazy(), keys="sex", columns={"age": "person"})


def test_cap_says_what_it_leaves_out():
    lazy = people(200, 1).lazy()
    result = unveil.cap(unveil.Study(lazy, lazy, keys=("sex", "age"), targets="health"))
    assert {row.group for row in result.cap} == {"full", "uniques"}
    assert any("Special uniques and the nearest keys" in note.sentence for note in result.notes)


def test_a_sample_is_a_study_in_memory_that_says_so():
    study = study_of([frame.lazy() for frame in files(2_000)], fraction=0.5)
    sample = study.sample(300, records=500, seed=7)
    sizes = [file.size for file in sample.files]
    assert sizes == [300, 500, 500, 500, 300]
    assert sample.fraction == pytest.approx(0.075)
    assert sample.original.equals(study.sample(300, seed=7).original)
    assert not sample.original.equals(study.sample(300, seed=8).original)
    assert any("300 of 2,000 records, drawn at random" in n.sentence for n in sample.notes())


def test_learners_learn_from_people_drawn_at_random_and_say_so():
    frames = people(30_000, 1), people(30_000, 2)
    keys, targets = ("sex", "region"), "ill"
    there = unveil.Study(*(frame.lazy() for frame in frames), keys=keys, targets=targets)
    here = unveil.Study(*frames, keys=keys, targets=targets)
    [counted], [known] = (unveil.disclosure(study).attribute for study in (there, here))
    assert counted.DiSCO == known.DiSCO
    assert counted.expected == pytest.approx(known.expected, abs=3 * (known.margin or 0) + 30)
    assert any("20,000 of 30,000 people" in note.sentence for note in there.notes())


SECRET = "Wilhelmina"


@pytest.mark.parametrize("kind", ["polars", "duckdb"])
def test_messages_of_engines_are_not_repeated(kind):
    names = pl.DataFrame({"name": [SECRET, "3"], "sex": ["f", "m"]})
    if kind == "polars":
        frame = names.lazy().with_columns(pl.col("name").cast(pl.Int64))
    else:
        table = names.to_arrow()  # noqa: F841
        frame = duckdb.connect().sql('SELECT CAST(name AS INTEGER) AS name, sex FROM "table"')
    with pytest.raises(unveil.InputError, match="stopped while") as fault:
        unveil.match_risk(unveil.Study(frame, keys="name", targets="sex"))
    assert SECRET not in str(fault.value)


@pytest.mark.parametrize(
    ("engine", "sentence"),
    [
        ("warp", "takes memory, duckdb"),
        ("duckdb:quark", "takes duckdb with a size"),
        ("duckdb:1GB'; DROP", "takes duckdb with a size"),
        ("spark", "takes memory, duckdb"),
    ],
)
def test_engines_that_are_not_there(engine, sentence, tmp_path):
    [path] = paths_of([people(20, 1)], tmp_path)
    with pytest.raises(unveil.InputError, match=sentence):
        unveil.Study(path, keys="sex", engine=engine)


def test_engines_read_parquet_alone(tmp_path):
    people(20, 1).write_csv(tmp_path / "people.csv")
    with pytest.raises(unveil.InputError, match=r"give one of these: \.parquet"):
        unveil.Study(tmp_path / "people.csv", keys="sex", engine="duckdb")


def test_memory_is_said_before_work_and_a_command_leaves_nothing_behind(tmp_path):
    paths = paths_of([people(300, 1), people(300, 2)], tmp_path)
    command = [sys.executable, "-m", "unveil", "disclosure", *paths, "-k", "sex,age", "-t",
               "health", "--engine", "duckdb", "--no-expected"]  # fmt: skip
    folder = tmp_path / "temporary"
    folder.mkdir()
    about = {"TMPDIR": str(folder), "PYTHONPATH": ":".join(sys.path)}
    run = subprocess.run(command, capture_output=True, text=True, env=about)
    assert run.returncode == 0, run.stderr
    assert "600 records are counted in DuckDB" in run.stderr
    assert "MB of memory are needed" in run.stderr
    assert list(folder.iterdir()) == []


def test_what_is_interrupted_leaves_nothing_behind(tmp_path):
    program = (
        "import signal, os, unveil\n"
        "from unveil.cli.main import main\n"
        "import sys\n"
        "real = unveil.Study._say_memory\n"
        "def end(*about):\n"
        "    print(os.listdir(os.environ['TMPDIR']), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "unveil.Study._say_memory = end\n"
        "main()\n"
    )
    paths = paths_of([people(300, 1), people(300, 2)], tmp_path)
    folder = tmp_path / "temporary"
    folder.mkdir()
    words = ["disclosure", *map(str, paths), "-k", "sex", "-t", "health", "--engine", "duckdb"]
    run = subprocess.run(
        [sys.executable, "-c", program, *words], capture_output=True, text=True,
        env={"TMPDIR": str(folder), "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert run.returncode == 143, run.stderr
    assert "unveil-" in run.stdout
    assert list(Path(folder).iterdir()) == []
