"""What leaves: only what may, with nothing of the original in it, and anybody can check it."""

import io
import json
import re
import zipfile

import polars as pl
import pytest

import unveil
from project.desk import ANN, CANARY, CARL, change, make_project, people, release, settle
from unveil import BlockedError, InputError, Project
from unveil.project.pack import MANIFEST


@pytest.fixture
def packed(project, tmp_path):
    """A project whose data are released, and their pack."""
    release(project)
    path = tmp_path / "release.zip"
    project.pack(path)
    return path


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def failed(pack):
    return [row.test for row in pack.tests if not row.passed]


def test_a_pack_has_what_may_leave_and_a_recipient_can_check_it(packed):
    assert [*members(packed)] == [
        "data/FAKE_made.csv", "codebook.csv", "README.html", "decision.json",
        "ro-crate-metadata.json", "MANIFEST.sha256",
    ]  # fmt: skip
    assert failed(unveil.verify(packed)) == []
    page = members(packed)["README.html"].decode()
    assert "Explore here; confirm on the original" in page
    assert f"Released by {CARL}" in page
    frame = pl.read_csv(io.BytesIO(members(packed)["data/FAKE_made.csv"]))
    assert set(frame["FAKE"]) == {1}
    assert frame.drop("FAKE").equals(people(2, 121))


def test_a_pack_is_the_same_when_it_is_built_again(project, packed, tmp_path):
    project.pack(tmp_path / "again.zip")
    assert packed.read_bytes() == (tmp_path / "again.zip").read_bytes()


def test_no_public_member_holds_anything_of_the_original(project, packed):
    for name, body in members(packed).items():
        for secret in (CANARY, "7654321", "7,654,321", "secret_people", str(project.folder), ANN):
            assert secret.encode() not in body, (name, secret)


HARM = {
    "another member": "only members that may leave, each once",
    "a member twice": "only members that may leave, each once",
    "no decision": "only members that may leave, each once",
    "another value": "every member is as in the manifest",
    "another value and manifest": "released, with the hash of each file",
    "a file more": "every member is described",
    "no mark": "records are marked as synthetic",
    "a refusal": "released, with the hash of each file",
}


@pytest.mark.parametrize("harm", HARM)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_pack_that_was_changed_is_found(packed, tmp_path, harm):
    body = members(packed)
    data = body["data/FAKE_made.csv"]
    if harm == "another member":
        body["../people.csv"] = b"a"
    elif harm == "no decision":
        del body["decision.json"]
    elif harm in ("another value", "another value and manifest"):
        body["data/FAKE_made.csv"] = data.replace(b"good", b"poor", 1)
    elif harm == "a file more":
        body["data/FAKE_more.csv"] = data
    elif harm == "no mark":
        lines = data.splitlines()
        body["data/FAKE_made.csv"] = b"\n".join(line.rpartition(b",")[0] for line in lines)
    elif harm == "a refusal":
        body["decision.json"] = body["decision.json"].replace(b'"release"', b'"refuse"')
    if harm == "another value and manifest":
        digest = unveil.project.store.sha256
        body[MANIFEST] = body[MANIFEST].replace(
            digest(data).encode(), digest(body["data/FAKE_made.csv"]).encode()
        )
    path = tmp_path / "changed.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in body.items():
            archive.writestr(name, content)
        if harm == "a member twice":
            archive.writestr("codebook.csv", b"a")
    pack = unveil.verify(path)
    assert HARM[harm] in failed(pack)
    assert pack.exit_code == 3


@pytest.mark.parametrize("content", [b"", b"PK", b"no zip", None])
def test_what_is_no_pack_is_refused(tmp_path, content):
    path = tmp_path / "release.zip"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=r"is no pack, or is damaged|that can be read"):
        unveil.verify(path)


def test_only_what_is_released_is_packed(project, tmp_path):
    with pytest.raises(BlockedError, match="Only what is released can be packed"):
        project.pack(tmp_path / "release.zip")


@pytest.mark.parametrize("where", ["reason", "title", "method"])
def test_a_confidential_figure_in_a_text_refuses_the_pack(project, tmp_path, where):
    figures = [row for row in project.run().figures if (row.people or 0) > 100]
    text = f"Only {figures[0].people:,.0f} people are shown."
    if where != "reason":
        change(project, "[limits]", f'[pack]\n{where} = "{text}"\n\n[limits]')
    settle(project)
    project.decide("release", reason=text if where == "reason" else "Trees.", by=CARL)
    with pytest.raises(BlockedError, match="no confidential figure"):
        project.pack(tmp_path / "release.zip")
    assert not (tmp_path / "release.zip").exists()


@pytest.mark.parametrize("text", ["As in secret_people.csv.", "See {folder}."])
def test_a_name_or_place_of_the_original_refuses_the_pack(project, tmp_path, text):
    settle(project)
    reason = text.format(folder=project.folder.resolve())
    project.decide("release", reason=reason, by=CARL)
    with pytest.raises(BlockedError, match="no name or place of the original"):
        project.pack(tmp_path / "release.zip")


def test_real_values_of_an_identifier_refuse_the_pack_without_a_reason(tmp_path):
    for name, seed in ("people", 1), ("made", 2):
        frame = people(seed).with_columns(number=pl.int_range(pl.len()) + 10_000)
        frame.write_csv(tmp_path / f"{name}.csv")
    project = Project.create(
        str(tmp_path / "people.csv"), str(tmp_path / "made.csv"), folder=str(tmp_path),
        keys=["sex", "age"], targets="health", columns={"number": "identifier"}, by=ANN,
    )  # fmt: skip
    project.run()
    release(project)
    with pytest.raises(BlockedError, match="no real values of identifiers: number in"):
        project.pack(tmp_path / "release.zip")


def test_texts_of_people_are_escaped(project, tmp_path):
    change(project, "[limits]", '[pack]\ntitle = "<script>alert(1)</script>"\n\n[limits]')
    release(project)
    project.pack(tmp_path / "release.zip")
    page = members(tmp_path / "release.zip")["README.html"].decode()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("formats", [["parquet"], ["csv", "sav", "dta"]])
def test_data_leave_in_the_formats_that_are_asked_for(project, tmp_path, formats):
    change(project, "[limits]", f"[pack]\nformats = {json.dumps(formats)}\n\n[limits]")
    release(project)
    pack = project.pack(tmp_path / "release.zip")
    names = [row.name for row in pack.members if row.what == "synthetic data"]
    assert names == [f"data/FAKE_made.{ending}" for ending in formats]
    assert failed(unveil.verify(tmp_path / "release.zip")) == []


def test_a_pack_of_several_versions_has_each_of_them(tmp_path):
    project = make_project(tmp_path)
    people(3, 121).write_csv(tmp_path / "other.csv")
    change(
        project, 'synthetic = "made.csv"', 'synthetic = {"S 1" = ["made.csv"], b = ["other.csv"]}'
    )
    project.run()
    release(project)
    pack = project.pack(tmp_path / "release.zip")
    names = [row.name for row in pack.members if row.what == "synthetic data"]
    assert len(names) == len(set(names)) == 2
    assert all(re.fullmatch(r"data/FAKE_[\w.-]+", name) for name in names)
