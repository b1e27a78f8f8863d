"""A model file: what was fitted draws the same again, and nothing else gets in."""

import datetime as dt
import io
import json
import os
import stat
import zipfile

import numpy as np
import polars as pl
import pytest

from unveil.errors import ReadError, WriteError
from unveil.records.codebook import Codebook, Level, Variable
from unveil.synthesis.model_archive import NOTICE
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import load, save

NAME = "CONFIDENTIAL_people.model"
DAMAGED = (
    f"The model file ({NAME}) is damaged, or is not a model file of unveil. Use a backup, or fit"
    " again."
)


def people(n=150):
    rng = np.random.default_rng(1)
    age = rng.integers(5, 90, n)
    born = pl.Series([dt.date(2011, 6, 1) - dt.timedelta(days=365 * int(a)) for a in age])
    return pl.DataFrame(
        {
            "sex": rng.choice(["f", "m"], n),
            "age": pl.Series(age, dtype=pl.Int16),
            "born": born,
            "seen": born.cast(pl.Datetime("ms")).dt.replace_time_zone("Europe/Vienna"),
            "at": pl.Series([dt.time(int(a) % 24, 30) for a in age]),
            "region": pl.Series(rng.choice(list("abcd"), n), dtype=pl.Categorical),
            "edu": pl.Series(rng.choice(["none", "some", "all"], n)).cast(
                pl.Enum(["none", "some", "all"])
            ),
            "income": pl.Series(np.where(rng.random(n) < 0.2, np.nan, age * 9.5)).fill_nan(None),
            "share": pl.Series(rng.random(n), dtype=pl.Float32),
            "price": pl.Series(age).cast(pl.Decimal(10, 2)),
            "hours": np.where(age > 65, -8, rng.integers(10, 50, n)),
            "smokes": [None if r < 0.1 else bool(r > 0.6) for r in rng.random(n)],
            "wide": pl.Series([2**63 + int(a) % 3 for a in age], dtype=pl.UInt64),
            "same": ["x"] * n,
            "none": pl.Series([None] * n, dtype=pl.Date),
        }
    )


PEOPLE = people()
CODES = {"hours": [-8]}
LETTERS = ["sex", "region", "edu", "smokes"]
NUMBERS = ["age", "income", "hours"]


def bytes_of(frames):
    return [frame.serialize() for frame in frames]


def round_trip(made, folder):
    path = folder / NAME
    save(made, path)
    return load(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        {"method": "cart"},
        {"method": "sample"},
        {"method": "parametric"},
        {"method": {name: "catall" for name in LETTERS}},
        {"method": {name: "ipf" for name in LETTERS}},
        {"method": {name: "normrank" for name in NUMBERS}},
        {"method": {"region": "multinomial", "edu": "ordered", "same": "cart"}},
        {"method": "cart", "smoothing": "density"},
        {"method": "sample", "smoothing": "density"},
        {"strata": "sex"},
        {"strata": ["sex", "smokes"], "order": ["age", "income"]},
        {"keep": ["age", "smokes"]},
        {"keep": "income", "strata": "sex"},
        {"order": ["born", "hours"], "predictors": {"hours": ["age", "born"]}},
    ],
    ids=str,
)
def test_the_same_bytes_are_drawn_after_loading(asked, tmp_path):
    made = synthesise(PEOPLE, special_codes=CODES, seed=7, copies=2, min_leaf=3, **asked)
    again = round_trip(made, tmp_path)
    assert bytes_of(again.sample(2)) == bytes_of(made.copies)
    assert bytes_of(again.sample(1, seed=8)) == bytes_of(made.sample(1, seed=8))
    assert again.record == made.record
    assert (again.seed, again.copies, repr(again)) == (7, (), repr(made))


def test_another_number_of_rows_is_drawn_from_a_file(tmp_path):
    made = synthesise(PEOPLE, seed=1)
    assert bytes_of(round_trip(made, tmp_path).sample(1, rows=17)) == bytes_of(
        made.sample(1, rows=17)
    )


@pytest.mark.slow
def test_rules_and_derived_columns_hold_after_loading(tmp_path):
    order = ["sex", "age", "born", "hours", "smokes", "income", "seen"]
    made = synthesise(
        PEOPLE,
        rules=[
            "if age < 16 and not (sex = m and hours in (-8, 12)) then smokes = false",
            "if born < 1930-01-01 then seen = 1925-02-03T04:05",
            "if smokes is missing then income = missing",
            "if age >= 80 then smokes = true",
        ],
        derived={
            "twice": "if(age < 20, 0, round(income / hours, 2))",
            "kind": "if(age<18,'c','a')",
        },
        order=order,
        special_codes=CODES,
        seed=3,
    )
    again = round_trip(made, tmp_path)
    copy = again.sample(1, rows=100)[0]
    assert bytes_of([copy]) == bytes_of(made.sample(1, rows=100))
    assert set(copy.filter(pl.col("age") >= 80)["smokes"]) == {True}
    assert copy.filter(pl.col("smokes").is_null())["income"].null_count() > 0
    assert copy["kind"].to_list() == ["c" if age < 18 else "a" for age in copy["age"]]


def test_the_codebook_is_kept(tmp_path):
    made = synthesise(PEOPLE.select("sex", "age"), seed=1)
    book = Codebook(
        source="people.sav",
        format="spss",
        variables=(Variable(name="sex", levels=(Level(code="f", label="woman"),)),),
    )
    with_book = type(made)(made.record, made.copies, made.models, made.seed, book)
    assert round_trip(with_book, tmp_path).codebook == book


def test_the_file_is_confidential_private_and_without_anything_that_runs(tmp_path):
    made = synthesise(PEOPLE, seed=12345)
    path = tmp_path / NAME
    save(made, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [NAME]
    with zipfile.ZipFile(path) as archive:
        assert archive.comment == archive.read("CONFIDENTIAL.txt") == NOTICE.encode()
        document = json.loads(archive.read("model.json"))
        names = archive.namelist()
        for name in names[2:]:
            np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
    assert next(iter(document)) == "notice"
    assert (document["notice"], document["seed"]) == (NOTICE, 12345)
    assert {name.rsplit(".", 1)[1] for name in names} == {"txt", "json", "npy"}
    save(made, tmp_path / "again_CONFIDENTIAL.model")
    assert (tmp_path / "again_CONFIDENTIAL.model").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (
            "people.model",
            "A model file holds values of the original, and its name must say so: 'people.model'"
            " needs CONFIDENTIAL in it and .model at its end, such as CONFIDENTIAL_survey.model.",
        ),
        (
            "CONFIDENTIAL.zip",
            "A model file holds values of the original, and its name must say so:"
            " 'CONFIDENTIAL.zip' needs CONFIDENTIAL in it and .model at its end, such as"
            " CONFIDENTIAL_survey.model.",
        ),
        (
            "absent/CONFIDENTIAL.model",
            "There is no folder 'absent' to write the model to. Make it first, or name another.",
        ),
        (
            "there_CONFIDENTIAL.model",
            "The file 'there_CONFIDENTIAL.model' is there already. Nothing was written. Name"
            " another file, or move the old one away first.",
        ),
    ],
)
def test_a_name_that_hides_what_the_file_is_is_refused(name, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there_CONFIDENTIAL.model").write_bytes(b"old")
    with pytest.raises(WriteError) as caught:
        save(synthesise(PEOPLE.select("age"), seed=1), name)
    assert str(caught.value) == sentence
    assert os.listdir(tmp_path) == ["there_CONFIDENTIAL.model"]
    assert (tmp_path / "there_CONFIDENTIAL.model").read_bytes() == b"old"


@pytest.fixture(scope="module")
def members(tmp_path_factory):
    """What a good file holds, by name."""
    path = tmp_path_factory.mktemp("good") / NAME
    save(synthesise(PEOPLE.select("sex", "age", "hours"), special_codes=CODES, seed=1), path)
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path, members, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def array(values, **asked):
    content = io.BytesIO()
    np.save(content, values, **asked)
    return content.getvalue()


def changed(members, **fields):
    document = json.loads(members["model.json"]) | fields
    return members | {"model.json": json.dumps(document).encode()}


def tree_of(members):
    """The numbers of the arrays of the last column's tree."""
    return json.loads(members["model.json"])["fitted"][0][-1]["value"]["arrays"]


def with_array(members, name, change):
    number = tree_of(members)[name]
    old = np.load(io.BytesIO(members[f"arrays/{number}.npy"]))
    return members | {f"arrays/{number}.npy": array(change(old))}


def without(members, name):
    return {key: value for key, value in members.items() if key != name}


def cyclic(left):
    new = left.copy()
    new[np.flatnonzero(left > 0)[-1]] = 0
    return new


def as_model(members, **fields):
    document = json.loads(members["model.json"])
    document["fitted"][0][-1]["value"] |= fields
    return members | {"model.json": json.dumps(document).encode()}


HOSTILE = {
    "an array of objects": lambda m: m | {"arrays/0.npy": array(np.array([{}]), allow_pickle=True)},
    "an array of records": lambda m: m | {"arrays/0.npy": array(np.zeros(3, "i4,f8"))},
    "an array of text": lambda m: m | {"arrays/0.npy": array(np.array(["a"]))},
    "an array that says it is larger": lambda m: (
        m | {"arrays/0.npy": array(np.zeros(3)).replace(b"(3,)", b"(9,)")}
    ),
    "a path out of the file": lambda m: m | {"../../etc/evil.npy": array(np.zeros(3))},
    "an absolute path": lambda m: m | {"/tmp/evil.npy": array(np.zeros(3))},
    "a member too many": lambda m: m | {"run.py": b"print(1)"},
    "an array too few": lambda m: without(m, "arrays/1.npy"),
    "no document": lambda m: without(m, "model.json"),
    "no mark": lambda m: without(m, "CONFIDENTIAL.txt"),
    "no JSON": lambda m: m | {"model.json": b"{"},
    "deep JSON": lambda m: m | {"model.json": b"[" * 100_000},
    "another format": lambda m: changed(m, format="other"),
    "an unknown field": lambda m: changed(m, run="rm"),
    "an array that is not there": lambda m: changed(m, sizes=10_000),
    "a negative number of an array": lambda m: changed(m, sizes=-1),
    "other sizes": lambda m: changed(m, n_original=10**12),
    "an unknown method": lambda m: as_model(m, method="os"),
    "a method of another kind": lambda m: as_model(m, method="catall"),
    "a tree that never ends": lambda m: with_array(m, "cuts.left", cyclic),
    "a tree that leaves the table": lambda m: with_array(m, "cuts.feature", lambda a: a + 99),
    "leaves beyond the donors": lambda m: with_array(m, "donors.start", lambda a: a + 10**6),
    "leaves without donors": lambda m: with_array(m, "donors.size", lambda a: a * 0),
}


@pytest.mark.parametrize("hostile", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_damaged_or_hostile_file_is_refused(hostile, members, tmp_path):
    written(tmp_path / NAME, hostile(members))
    with pytest.raises(ReadError) as caught:
        load(tmp_path / NAME)
    assert str(caught.value) == DAMAGED
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def test_the_file_those_are_made_from_is_good(members, tmp_path):
    written(tmp_path / NAME, members)
    assert load(tmp_path / NAME).sample(1)[0].shape == (150, 3)


def test_a_file_that_would_unpack_to_more_than_it_is_is_refused(members, tmp_path):
    bomb = members | {"arrays/0.npy": array(np.zeros(10**6))}
    written(tmp_path / NAME, bomb, zipfile.ZIP_DEFLATED)
    with pytest.raises(ReadError) as caught:
        load(tmp_path / NAME)
    assert str(caught.value) == DAMAGED


@pytest.mark.parametrize("cut", [0, 10, 500, -1])
def test_a_file_that_was_cut_off_is_refused(cut, members, tmp_path):
    written(tmp_path / NAME, members)
    whole = (tmp_path / NAME).read_bytes()
    (tmp_path / NAME).write_bytes(whole[:cut])
    with pytest.raises(ReadError) as caught:
        load(tmp_path / NAME)
    assert str(caught.value) == DAMAGED


def test_one_wrong_byte_in_an_array_is_found(members, tmp_path):
    written(tmp_path / NAME, members)
    content = bytearray((tmp_path / NAME).read_bytes())
    place = content.index(members["arrays/0.npy"]) + len(members["arrays/0.npy"]) - 1
    content[place] ^= 1
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(ReadError) as caught:
        load(tmp_path / NAME)
    assert str(caught.value) == DAMAGED


def test_a_file_of_a_newer_unveil_says_so(members, tmp_path):
    written(tmp_path / NAME, changed(members, schema=3, version="9.1", news=1))
    with pytest.raises(ReadError) as caught:
        load(tmp_path / NAME)
    assert str(caught.value) == (
        f"The model file ({NAME}) was written by a newer unveil (9.1); this one is 0.1.0. Install"
        " the newer one."
    )


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(ReadError) as caught:
        load(tmp_path / NAME)
    assert str(caught.value) == (
        f"The model file ({NAME}) cannot be read: No such file or directory. Check the path."
    )
