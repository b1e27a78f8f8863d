"""What leaves, what is refused, and that nothing else is in any byte of a public pack."""

import getpass
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import get_args

import polars as pl
import polars.selectors as cs
import pytest

import unveil
from project.whole_way import FACTORS, Desk
from unveil.errors import LeakError, RulingNeededError, SettingsError, TamperedError, WriteError
from unveil.io.archive import extract_archive, write_archive
from unveil.io.sources import read_table
from unveil.io.write_file import WriteSettings, write_files
from unveil.project.decide import load_decisions
from unveil.project.edit_project import list_flags_now
from unveil.project.leak_check import find_leaks, has_original_order
from unveil.project.pack import find_release, gather_secrets
from unveil.project.read_project import read_project
from unveil.project.verify import verify_project
from unveil.records.codebook import Codebook, Level, Variable
from unveil.records.pack import LeakKind

pytestmark = pytest.mark.slow

OWNER, ANALYST = "O. Wner, data holder", "Canna Ryanalyst, survey team"
VALUE, NUMBER, SEED, LABEL = "Zzyzx Kanarienvogel", 987654, 918273645, "hostilelabel4711"
NOTE, REASON, HIDDEN, USER = "secretnote4711", "secretreason4711", "onlyoriginal4711", "canaryuser"
FOLDER, LEVEL = "secretfolder4711", "rarelevel4711"
CANARIES = (VALUE, SEED, LABEL, NOTE, REASON, HIDDEN, USER, FOLDER, LEVEL, "Ryanalyst")
PROJECT = f"""\
title = "Survey"
[data]
original = "{FOLDER}/people.csv"
synthetic = ["FAKE_copy.csv"]
special_codes = {{income = [-8]}}
labels = "labels.json"
[context]
audience = "registered"
analyst = "{ANALYST}"
[roles]
key = ["sex", "age"]
target = ["town", "work", "income", "note", "{HIDDEN}"]
[[scenario]]
name = "neighbour"
keys = ["sex", "age"]
targets = ["work"]
measures = ["disclosure"]
"""
PACK = """
[pack]
formats = ["csv", "sav", "zsav", "dta", "parquet"]
marker = "FAKE"
licence = "CC BY 4.0"
contact = "Data service, data@office.example"
method = "Drawn from classification trees fitted to confidential data."
noise = "No noise was added."
utility = ["S_pMSE", "pairs"]
"""
LABELS = Codebook(
    source="people.csv",
    format="csv",
    variables=(
        Variable(
            name="town",
            kind="number",
            label=f"<script>alert('{LABEL}')</script>",
            levels=(
                Level(code=1, label="North"),
                Level(code=2, label="South"),
                Level(code=7, label=LEVEL),
            ),
        ),
        Variable(name="work", kind="text", levels=(Level(code="yes", label=f"=cmd|'{LABEL}'!A0"),)),
    ),
)


def people(seed: int, n: int = 400) -> dict[str, list]:
    chance = random.Random(seed)
    return {
        "sex": [chance.choice("fm") for _ in range(n)],
        "age": [chance.randrange(20, 60) for _ in range(n)],
        "town": [chance.choice([1, 2]) for _ in range(n)],
        "work": [chance.choice(["yes", "no", "no"]) for _ in range(n)],
        "income": [chance.randrange(100, 600) * 10 for _ in range(n)],
        "note": [chance.choice(["calm", "lively"]) for _ in range(n)],
    }


def append(path: Path, text: str) -> None:
    with path.open("a") as file:
        file.write(text)


def decided(folder: Path, more: str = "", said: str = "") -> unveil.Project:
    """A project of its own with planted values, in which a release was decided."""
    (folder / FOLDER).mkdir(parents=True)
    original = people(1)
    original["town"][7], original["income"][7], original["note"][7] = 7, NUMBER, VALUE
    original["income"][8:10] = [-8, 57]  # a code, and the lowest income
    pl.DataFrame({**original, HIDDEN: original["work"]}).write_csv(folder / FOLDER / "people.csv")
    pl.DataFrame(people(2)).write_csv(folder / "FAKE_copy.csv")
    (folder / "labels.json").write_text(LABELS.to_json())
    text = PROJECT.replace("[data]\n", f"[data]\n{said}")
    (folder / "project.toml").write_text(text + more)
    project = unveil.Project.open(folder)
    project.run(seed=SEED)
    release(project)
    append(folder / "project.toml", PACK)
    return project


def release(project: unveil.Project) -> None:
    limits = {"DiSCO": (100, 100), "repU": (100, 100)}
    project.accept_limits(by=OWNER, changes=limits)
    with project.edit(by=ANALYST) as change:
        for factor in FACTORS:
            change.answer(factor, REASON)
        for flag in list_flags_now(change.project):
            change.rule(flag.id, accept=False, reason=REASON)
    project.decide(release=True, by=OWNER, note=NOTE)


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> unveil.Project:
    return decided(tmp_path_factory.mktemp("released"))


@pytest.fixture
def project(whole, tmp_path) -> unveil.Project:
    shutil.copytree(whole.folder, tmp_path / "own")
    return unveil.Project.open(tmp_path / "own")


def edit(project: unveil.Project, old: str, new: str) -> None:
    text = project.path.read_text()
    assert old in text
    project.path.write_text(text.replace(old, new, 1))


@pytest.fixture(scope="module")
def members(whole, tmp_path_factory) -> dict[str, Path]:
    place = tmp_path_factory.mktemp("members")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(getpass, "getuser", lambda: USER)
        whole.pack(place / "out.zip")
    return extract_archive(place / "out.zip", place / "out")


# Canaries


def test_no_canary_is_in_any_byte_of_any_member(members):
    told = {}
    for name, path in members.items():
        told[name] = [name.encode(), path.read_bytes()]
        if path.suffix in (".csv", ".sav", ".zsav", ".dta", ".parquet"):
            read = unveil.read_file(path)
            told[name] += [read.frame.write_csv().encode(), read.codebook.to_json().encode()]
            for column in read.frame.select(cs.numeric()):
                assert NUMBER not in column.to_list()
    codes = ("utf-8", "utf-16-le", "utf-16-be")
    for canary in map(str, CANARIES):
        for code in codes:
            found = [
                name
                for name, pieces in told.items()
                for piece in pieces
                if canary.casefold().encode(code) in piece.lower()
            ]
            assert found == [], canary
    assert str(NUMBER) not in "".join(
        path.read_text() for name, path in members.items() if not name.startswith("data/")
    )
    labels = unveil.read_file(members["data/FAKE_copy.sav"]).codebook.variable("town").levels
    assert [one.label for one in labels] == ["North", "South"]  # what may be told is told


def test_nothing_of_recognition_is_in_any_member(members, tmp_path):
    words = [sys.executable, "-S", "-c", "import shutil, sys; shutil.copy(*sys.argv[1:3])"]
    words += ["{data}", "{out}", "{rows}"]
    asked = f"[recognition]\npeople = 10\nworlds = 60\ncommand = {json.dumps(words)}\n"
    project = decided(tmp_path / "tested", asked)
    (part,) = (one for one in project.result().record.parts if one.kind == "recognition")
    assert part.file is not None
    project.pack(tmp_path / "out.zip")
    tested = extract_archive(tmp_path / "out.zip", tmp_path / "out")
    assert tested.keys() == members.keys()
    when = rb"\d{4}-\d\d-\d\dT[\d:]+Z|[0-9a-f]{64}"  # of the decision, and sums over it
    for name, path in tested.items():
        assert b"recogni" not in path.read_bytes().lower()
        told = (re.sub(when, b"", one.read_bytes()) for one in (path, members[name]))
        assert len({*told}) == 1, name


def test_data_files_have_no_time_program_or_place(members):
    head = members["data/FAKE_copy.sav"].read_bytes()[:176].decode("latin-1")
    assert "01 Jan 70" in head
    assert "FAKE: synthetic data, no real people" in head
    foot = members["data/FAKE_copy.parquet"].read_bytes()[-6000:].decode("latin-1")
    assert "pandas" not in foot
    assert not re.search(r"/(home|root|tmp|work)/", foot)
    page = members["README.html"].read_text()
    assert not re.search(r'<meta name="(author|generator)', page)
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")


def test_the_rows_are_those_that_were_released_in_an_order_of_their_own(members, whole):
    released = pl.read_csv(whole.folder / "FAKE_copy.csv")
    for ending in ("csv", "sav", "dta", "parquet"):
        frame = unveil.read_file(members[f"data/FAKE_copy.{ending}"]).frame.drop("FAKE")
        plain = frame.cast({"age": pl.Int64, "town": pl.Int64, "income": pl.Int64})
        key = ["age", "income", "sex", "town", "work", "note"]
        assert plain.sort(key).equals(released.sort(key))
        assert not plain.equals(released)


def test_the_order_follows_from_the_rows_alone(project, members, tmp_path):
    again = pl.read_csv(project.folder / "FAKE_copy.csv").reverse()
    from unveil.project.pack import _shuffle

    first = unveil.read_file(members["data/FAKE_copy.csv"]).frame.drop("FAKE")
    assert _shuffle(again).equals(first.cast(again.schema))


# Without a decision on unchanged files there is no pack.


def test_exit_4_without_a_decision_that_releases(project, tmp_path, monkeypatch):
    shutil.rmtree(project.folder / "decisions")
    shutil.copytree(project.folder, tmp_path / "none")
    with pytest.raises((RulingNeededError, TamperedError)):
        project.pack(tmp_path / "out.zip")
    assert not (tmp_path / "out.zip").exists()


def test_exit_4_where_the_last_decision_refuses(project, tmp_path):
    project.decide(release=False, by=OWNER, note="no longer")
    with pytest.raises(RulingNeededError, match="The last decision refuses"):
        project.pack(tmp_path / "out.zip")


@pytest.mark.parametrize("file", ["FAKE_copy.csv", f"{FOLDER}/people.csv"])
def test_exit_4_where_a_file_changed_since(project, tmp_path, file):
    append(project.folder / file, "f,20,1,no,100,calm\n")
    with pytest.raises(RulingNeededError, match="was changed since decision 1"):
        project.pack(tmp_path / "out.zip")


def test_exit_4_where_the_project_names_another_file(project, tmp_path):
    shutil.copy(project.folder / "FAKE_copy.csv", project.folder / "other.csv")
    edit(project, '["FAKE_copy.csv"]', '["other.csv"]')
    with pytest.raises(RulingNeededError, match="names other files"):
        project.pack(tmp_path / "out.zip")


def test_exit_3_where_the_run_was_changed(project, tmp_path):
    place = project.folder / "runs/0001/results.json"
    place.write_text(place.read_text().replace("Survey", "Sorvey"))
    with pytest.raises(TamperedError, match="Nothing is packed"):
        project.pack(tmp_path / "out.zip")


@pytest.mark.parametrize("lacking", ["licence", "contact", "method", "noise"])
def test_an_open_check_names_what_to_write(project, tmp_path, lacking):
    edit(project, f"\n{lacking} =", f"\n# {lacking} =")
    with pytest.raises(RulingNeededError, match=f"documentation: Not stated: {lacking}.*in .pack."):
        project.pack(tmp_path / "out.zip")


def test_low_fidelity_data_need_a_marker_and_columns_drawn_by_themselves(project, tmp_path):
    edit(project, 'marker = "FAKE"', 'fidelity = "low"')
    with pytest.raises(RulingNeededError) as refused:
        project.pack(tmp_path / "out.zip")
    assert "labelling: Low-fidelity data need a column that says FAKE" in str(refused.value)
    assert "structure: Low fidelity is not shown of files made elsewhere" in str(refused.value)


def test_the_preset_leads_from_init_to_a_pack_with_four_checks_passed(tmp_path):
    pl.DataFrame(people(3)).write_csv(tmp_path / "survey.csv")
    project = unveil.Project.create(
        tmp_path / "survey.csv", folder=tmp_path, keys=["sex", "age"], preset="low-fidelity"
    )
    project.synthesise(seed=5)
    edit(project, "# licence", "licence")
    edit(project, "# contact", "contact")
    project.run(seed=5)
    project.accept_limits(by=OWNER)
    project.accept_limits(by=OWNER, changes={"DiSCO": (100, 100), "repU": (100, 100)})
    release_again(project)
    made = project.pack(tmp_path / "out.zip")
    assert [(one.name, one.is_passed) for one in made.checks] == [
        ("labelling", True),
        ("disclosure", True),
        ("structure", True),
        ("documentation", True),
    ]
    despite = load_decisions(project.folder)[-1].despite
    assert despite
    n = "1 alert" if len(despite) == 1 else f"{len(despite)} alerts"
    assert f"accepted by name, despite {n} accepted by name;" in made.checks[1].evidence
    files = extract_archive(tmp_path / "out.zip", tmp_path / "out")
    statement = files["noise_statement.txt"].read_text()
    assert "drawn from the distribution of each column by itself" in statement
    assert "of low fidelity" in files["README.html"].read_text()


def release_again(project: unveil.Project) -> None:
    with project.edit(by=ANALYST) as change:
        for factor in FACTORS:
            change.answer(factor, "talked over")
        for flag in list_flags_now(change.project):
            change.rule(flag.id, accept=False, reason="counted")
    alerts = [one for one in project.judgement().alerts if one.status != "review"]
    despite = {one.id: "small, and drawn by column" for one in alerts if one.accepted is None}
    project.decide(release=True, by=OWNER, note="low fidelity", despite=despite)


# Each reason for refusal has a pack that triggers it.


def replaced(members: dict[str, Path], tmp_path: Path, **columns) -> dict[str, Path]:
    """The same pack with other data, marked as they should be."""
    frame = unveil.read_file(members["data/FAKE_copy.csv"]).frame.with_columns(**columns)
    book = unveil.read_file(members["data/FAKE_copy.csv"]).codebook
    write_files([(frame, tmp_path / "FAKE_copy.csv")], WriteSettings(book))
    names = ("FAKE_copy.csv", "FAKE_copy.codebook.json")
    return {**members, **{f"data/{name}": tmp_path / name for name in names}}


def labelled(members: dict[str, Path], tmp_path: Path) -> dict[str, Path]:
    """The same pack with the label of a rare level, inside SPSS."""
    read = unveil.read_file(members["data/FAKE_copy.sav"])
    town = Variable(name="town", kind="number", levels=(Level(code=7, label=LEVEL),))
    book = Codebook(source="x", format="spss", variables=(town,))
    write_files([(read.frame, tmp_path / "FAKE_copy.sav")], WriteSettings(book))
    return {**members, "data/FAKE_copy.sav": tmp_path / "FAKE_copy.sav"}


def added(members: dict[str, Path], tmp_path: Path, name: str, text: str) -> dict[str, Path]:
    (tmp_path / "added").write_text(text)
    return {**members, name: tmp_path / "added"}


def edited(members: dict[str, Path], tmp_path: Path, name: str, text: str) -> dict[str, Path]:
    return added(members, tmp_path, name, members[name].read_text() + text)


def in_order(members: dict[str, Path], tmp_path: Path, whole: unveil.Project) -> dict[str, Path]:
    """Income is the original's with a little noise, in its order, every tenth row left out."""
    original = pl.read_csv(whole.folder / FOLDER / "people.csv")
    frame = unveil.read_file(members["data/FAKE_copy.csv"]).frame
    kept = original.with_row_index().filter(pl.col("index") % 10 != 0)
    income = (kept["income"] + kept["index"] % 7).extend(frame["income"].cast(pl.Int64).tail(40))
    return replaced(members, tmp_path, income=income)


NOISE = "\n- income: normal noise, then values {} set to it.\n"
PACKS = {
    "unexpected@extra.txt": lambda m, t, w: added(m, t, "extra.txt", "something"),
    "unreadable@extra.bin": lambda m, t, w: added(m, t, "extra.bin", "something"),
    "mark@data/copy.csv": lambda m, t, w: {**m, "data/copy.csv": m["data/FAKE_copy.csv"]},
    "disclosure-figures@README.html": lambda m, t, w: edited(m, t, "README.html", "ECAP is 0.08"),
    "disclosure-figures@codebook.csv": lambda m, t, w: edited(m, t, "codebook.csv", "DiSCO,12.5"),
    "seed@noise_statement.txt": lambda m, t, w: edited(m, t, "noise_statement.txt", "seed: 7"),
    "seed@README.html": lambda m, t, w: edited(m, t, "README.html", f"<p>{SEED}</p>"),
    "model-details@README.html": lambda m, t, w: edited(m, t, "README.html", "min_leaf = 5"),
    "path@codebook.csv": lambda m, t, w: edited(m, t, "codebook.csv", "/home/ann/survey.csv"),
    "path@README.html": lambda m, t, w: edited(m, t, "README.html", str(w.folder.resolve())),
    "user-name@decision.json": lambda m, t, w: edited(m, t, "decision.json", "Canna Ryanalyst"),
    "user-name@README.html": lambda m, t, w: edited(m, t, "README.html", f"<!-- {USER} -->"),
    "row-order": in_order,
    "rare-level:town": lambda m, t, w: labelled(m, t),
    "rare-level:note": lambda m, t, w: edited(m, t, "README.html", f"<p>{VALUE}</p>"),
    "extreme-value:income": lambda m, t, w: edited(
        m, t, "noise_statement.txt", NOISE.format("below 57")
    ),
    "script@README.html": lambda m, t, w: edited(m, t, "README.html", "<p onclick='x()'>"),
    "address@README.html": lambda m, t, w: edited(m, t, "README.html", "<img src=//evil.example>"),
    "formula:note": lambda m, t, w: replaced(m, t, note=pl.lit("=cmd|'/C calc'!A0")),
    "no-role:extra": lambda m, t, w: replaced(m, t, extra=pl.lit("x")),
}


@pytest.fixture(autouse=True)
def a_user(monkeypatch):
    monkeypatch.setattr(getpass, "getuser", lambda: USER)


def secrets(whole, members):
    return gather_secrets(find_release(whole.file), frozenset(members))


@pytest.mark.parametrize("id_", PACKS)
def test_each_reason_for_refusal_has_a_pack_that_triggers_it(id_, whole, members, tmp_path):
    made = PACKS[id_](members, tmp_path, whole)
    write_archive(tmp_path / "made.zip", made)
    known = secrets(whole, members)
    assert id_ in [one.id for one in find_leaks(tmp_path / "made.zip", known)]
    write_archive(tmp_path / "as_it_was.zip", members)
    assert find_leaks(tmp_path / "as_it_was.zip", known) == ()


@pytest.mark.parametrize(("end", "n"), [("above 987654", 1), ("below -8", 0), ("above 9000", 0)])
def test_only_the_ends_of_the_original_are_extreme_values(end, n, whole, members, tmp_path):
    made = edited(members, tmp_path, "noise_statement.txt", NOISE.format(end))
    write_archive(tmp_path / "made.zip", made)
    found = find_leaks(tmp_path / "made.zip", secrets(whole, members))
    assert [one.kind for one in found] == ["extreme-value"] * n


def test_times_and_comments_of_the_archive_are_refused(whole, members, tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        for name, path in sorted(members.items()):
            archive.write(path, name)
        archive.comment = USER.encode()
    found = find_leaks(tmp_path / "made.zip", secrets(whole, members))
    assert [one.kind for one in found] == ["zip-metadata"]


def test_no_kind_of_leak_is_left_untested():
    kinds = {id_.partition("@")[0].partition(":")[0] for id_ in PACKS}
    assert kinds | {"zip-metadata", "blocking-alert"} == set(get_args(LeakKind))


def test_a_leak_is_told_without_its_value(whole, members, tmp_path):
    for id_ in ("rare-level:note", "seed@README.html", "user-name@README.html", "rare-level:town"):
        place = tmp_path / id_.replace("@", "_").replace(":", "_")
        place.mkdir()
        write_archive(place / "made.zip", PACKS[id_](members, place, whole))
        told = " ".join(
            one.sentence for one in find_leaks(place / "made.zip", secrets(whole, members))
        )
        assert all(str(one) not in told for one in CANARIES)


# Through the command line, as a custodian meets it.


def packed(project: unveil.Project, *more: str) -> tuple[int, str]:
    out = project.folder / "out.zip"
    arguments = [sys.executable, "-c", "from unveil.cli import main; main()", "pack"]
    done = subprocess.run(
        [*arguments, "--public", str(out), "--project", str(project.path), *more],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_an_alert_that_blocks_since_the_decision_is_refused_with_exit_5(project):
    project.accept_limits(by=OWNER, changes={"DiSCO": (0, 0)})
    code, told = packed(project)
    assert code == 5
    assert "The leak check refused the pack, and nothing was written." in told
    assert "- blocking-alert:limit:DiSCO:work@neighbour: An alert stands" in told
    assert not (project.folder / "out.zip").exists()


def test_a_line_with_name_and_reason_releases_more(project, tmp_path):
    edit(project, "Drawn from classification trees", "Drawn from trees with leaf size 5")
    with pytest.raises(LeakError, match="model-details@README") as refused:
        project.pack(tmp_path / "out.zip")
    for id_ in re.findall(r"- (model-details@\S+):", str(refused.value)):
        release_more(project, id_)
    made = project.pack(tmp_path / "out.zip")
    assert {one.reason for one in made.more} == {"asked for"}


def test_a_line_without_name_or_reason_is_refused(project):
    append(project.path, '[[pack.more]]\nrelease = "row-order"\n')
    code, told = packed(project)
    assert code == 2
    assert "[[pack.more]] has no reason." in told
    assert "[[pack.more]] has no by." in told


def release_more(project: unveil.Project, what: str) -> None:
    line = f'[[pack.more]]\nrelease = "{what}"\nreason = "asked for"\nby = "{OWNER}"\n'
    append(project.path, line)


def test_a_file_is_added_by_name_and_searched_like_the_others(project, tmp_path):
    (project.folder / "method.md").write_text("How it was made, in more words.")
    release_more(project, "file:method.md")
    made = project.pack(tmp_path / "out.zip")
    assert "more/method.md" in [one.name for one in made.members]
    (project.folder / "method.md").write_text(f"Seen in {FOLDER}: seed = {SEED}, ECAP 0.09")
    with pytest.raises(LeakError) as refused:
        project.pack(tmp_path / "again.zip")
    assert "seed@more/method.md" in str(refused.value)
    assert "disclosure-figures@more/method.md" in str(refused.value)


def test_a_workbook_is_looked_into(project, tmp_path):
    import xlsxwriter

    with xlsxwriter.Workbook(project.folder / "FAKE_table.xlsx") as book:
        book.set_properties({"author": USER})
        sheet = book.add_worksheet()
        sheet.write_row(0, 0, ["sex", "n"])
        sheet.write_row(1, 0, ["f", "x"])
        sheet.write_formula(2, 1, "=1+1")
    release_more(project, "file:FAKE_table.xlsx")
    with pytest.raises(LeakError) as refused:
        project.pack(tmp_path / "out.zip")
    for id_ in ("formula@more/FAKE_table.xlsx", "user-name@more/FAKE_table.xlsx", "no-role:n"):
        assert id_ in str(refused.value)


@pytest.mark.parametrize("name", ["confidential/seed.json", f"{FOLDER}/people.csv", "log.jsonl"])
def test_what_is_confidential_cannot_be_added(project, tmp_path, name):
    release_more(project, f"file:{name}")
    with pytest.raises(SettingsError, match="is confidential"):
        project.pack(tmp_path / "out.zip")


def test_thresholds_are_public_only_by_a_line(project, members, tmp_path):
    def criteria(place: Path) -> list[dict]:
        graph = json.loads(place.read_text())["@graph"]
        return [one for one in graph if one["@id"].startswith("#criterion-")]

    before = criteria(members["ro-crate-metadata.json"])
    assert {one["name"] for one in before} >= {"DiSCO", "repU"}
    assert not any("maxValue" in one for one in before)
    release_more(project, "limits")
    project.pack(tmp_path / "out.zip")
    after = criteria(
        extract_archive(tmp_path / "out.zip", tmp_path / "o")["ro-crate-metadata.json"]
    )
    assert {one["maxValue"] for one in after} == {100.0}
    assert not any("value" in one for one in after)


# Two builds, one hash; one changed byte; signatures.


def test_two_builds_in_two_places_have_the_same_bytes(project, members, tmp_path):
    one, other = project.pack(tmp_path / "a.zip"), project.pack(tmp_path / "b.zip")
    assert one.sha256 == other.sha256
    write_archive(tmp_path / "c.zip", members)  # of the same project in another folder
    assert (tmp_path / "c.zip").read_bytes() == (tmp_path / "a.zip").read_bytes()
    assert [line.event for line in project.log()].count("pack") == 1
    assert project.verify().faults == ()


def test_another_file_is_never_overwritten_and_the_same_is_left_alone(project, tmp_path):
    (tmp_path / "out.zip").write_bytes(b"something else")
    with pytest.raises(WriteError, match="is there already"):
        project.pack(tmp_path / "out.zip")
    assert (tmp_path / "out.zip").read_bytes() == b"something else"
    first = project.pack(tmp_path / "b.zip")
    assert (first.is_new, project.pack(tmp_path / "b.zip").is_new) == (True, False)


def test_one_changed_byte_is_found_wherever_it_is(members, tmp_path):
    write_archive(tmp_path / "out.zip", members)
    assert unveil.verify_pack(tmp_path / "out.zip").faults == ()
    whole = (tmp_path / "out.zip").read_bytes()
    chance = random.Random(1)
    for place in (*chance.sample(range(len(whole)), 12), len(whole) - 1):
        changed = whole[:place] + bytes([whole[place] ^ 0x10]) + whole[place + 1 :]
        (tmp_path / "changed.zip").write_bytes(changed)
        try:
            assert unveil.verify_pack(tmp_path / "changed.zip").faults
        except unveil.ReadError:
            continue


def test_a_member_changed_with_its_checksum_is_found_by_the_manifest(members, tmp_path):
    text = members["data/FAKE_copy.csv"].read_text()
    (tmp_path / "x.csv").write_text(text.replace("calm", "carm", 1))
    write_archive(tmp_path / "out.zip", {**members, "data/FAKE_copy.csv": tmp_path / "x.csv"})
    faults = unveil.verify_pack(tmp_path / "out.zip").faults
    told = {(one.member, one.sentence) for one in faults}
    assert ("data/FAKE_copy.csv", "It was changed: its hash differs.") in told
    assert ("codebook.json", "The codebook does not describe the data.") in told


def test_what_is_added_taken_or_unmarked_is_found(members, tmp_path):
    rest = {name: path for name, path in members.items() if name != "data/FAKE_copy.dta"}
    renamed = {**rest, "data/copy.dta": members["data/FAKE_copy.dta"]}
    write_archive(tmp_path / "out.zip", renamed)
    told = {(one.member, one.sentence) for one in unveil.verify_pack(tmp_path / "out.zip").faults}
    assert ("data/FAKE_copy.dta", "It is in the manifest, but not in the pack.") in told
    assert ("data/copy.dta", "It is not in the manifest: it was added.") in told
    assert ("data/copy.dta", "The name of data/copy.dta does not begin with FAKE_.") in told


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs OpenSSH")
def test_a_signature_is_valid_for_its_key_and_its_bytes_alone(project, tmp_path):
    for name in ("mine", "other"):
        make = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", USER, "-f", tmp_path / name]
        subprocess.run(make, check=True)
    out = tmp_path / "out.zip"
    assert project.pack(out, sign=tmp_path / "mine").is_signed
    signature = (tmp_path / "out.zip.sig").read_bytes()
    assert USER.encode() not in signature
    assert project.pack(out, sign=tmp_path / "mine").sha256 == unveil.verify_pack(out).sha256
    assert (tmp_path / "out.zip.sig").read_bytes() == signature
    assert unveil.verify_pack(out).signature == "valid"
    assert unveil.verify_pack(out, key=tmp_path / "mine.pub").signature == "by this key"
    wrong = unveil.verify_pack(out, key=tmp_path / "other.pub")
    assert (wrong.signature, len(wrong.faults)) == ("not valid", 1)
    (tmp_path / "out.zip.sig").unlink()
    assert (
        unveil.verify_pack(out, key=tmp_path / "mine.pub")
        .faults[0]
        .sentence.startswith("There is no signature")
    )
    (tmp_path / "no key").write_text("no key")
    with pytest.raises(WriteError, match="cannot be signed: ssh-keygen refused the key"):
        project.pack(tmp_path / "b.zip", sign=tmp_path / "no key")
    assert not (tmp_path / "b.zip").exists()


# The archive of what stays.


def test_the_confidential_pack_has_all_that_stays_for_its_owner_alone(project, tmp_path):
    project.run(records=True)
    made = project.pack(tmp_path / "c.zip", form="confidential")
    names = {one.name for one in made.members}
    assert {"project.toml", "log.jsonl", "confidential/seed.json", "decisions/0001.json"} <= names
    assert any(name.startswith("runs/0001/parts/") for name in names)
    assert any("records_at_risk" in name for name in names)
    assert not any(name.endswith(("people.csv", "copy.csv")) for name in names)
    if os.name == "posix":
        assert (tmp_path / "c.zip").stat().st_mode & 0o077 == 0
    check = unveil.verify_pack(tmp_path / "c.zip")
    assert (check.form, check.faults) == ("confidential", ())
    assert project.pack(tmp_path / "d.zip", form="confidential").sha256 == made.sha256
    crate = extract_archive(tmp_path / "c.zip", tmp_path / "o")["ro-crate-metadata.json"]
    criteria = [
        one for one in json.loads(crate.read_text())["@graph"] if "#criterion-" in one["@id"]
    ]
    disco = next(one for one in criteria if one["name"] == "DiSCO")
    assert disco["maxValue"] == 100
    assert "origin:" in disco["description"]
    assert isinstance(disco["value"], float)


# Killed at any moment


RUN = "from unveil.cli import main; main()"
KILLS = 50 if os.environ.get("UNVEIL_HEAVY") == "1" else 5


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL is POSIX's")
def test_a_killed_pack_leaves_nothing_or_all_and_the_next_is_the_same(project, tmp_path):
    expected = project.pack(tmp_path / "expected.zip").sha256
    out = tmp_path / "kill" / "out.zip"
    command = [sys.executable, "-c", RUN, "pack", "--public", str(out), "--project"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    clock = time.perf_counter()
    assert subprocess.run([*command, str(project.path)], check=False, **quiet).returncode == 0
    needed = time.perf_counter() - clock
    for kill in range(KILLS):
        shutil.rmtree(out.parent)
        process = subprocess.Popen([*command, str(project.path)], **quiet)
        time.sleep(random.Random(kill).uniform(0.3, 1) * needed)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if out.exists():
            assert unveil.verify_pack(out).faults == ()
        assert project.pack(out).sha256 == expected
        assert [one.name for one in out.parent.iterdir()] == ["out.zip"]
        assert not (project.folder / "runs/.pack").exists()
        assert verify_project(project.folder).faults == ()


# Row order


def test_rows_that_follow_the_original_are_found_and_no_others():
    first, second = pl.DataFrame(people(1, 2000)), pl.DataFrame(people(2, 2000))

    def follows(original, released):
        return has_original_order(
            read_table(original, side="original"), read_table(released, side="data")
        )

    assert not any(follows(first, pl.DataFrame(people(seed, 2000))) for seed in range(3, 9))
    assert follows(first, first)
    assert follows(first, first.filter(pl.int_range(pl.len()) % 7 != 0))
    assert follows(first, second.with_columns(first["age"]))
    assert follows(first, first.select("sex", "town", "work", "note"))
    assert follows(first, first.reverse())
    assert not follows(first, first.sample(fraction=1, shuffle=True, seed=1))


def test_bad_use_is_one_sentence_and_exit_2(project, monkeypatch):
    monkeypatch.chdir(project.folder)
    desk = Desk()
    for arguments in (
        ("pack",),
        ("pack", "--public", "a.zip", "--confidential", "b.zip"),
        ("pack", "--public", "a.tar"),
        ("verify", "none.zip"),
        ("verify", "project.toml"),
    ):
        assert desk(*arguments)[0] == 2
    assert read_project(project.path).pack.formats[0] == "csv"
