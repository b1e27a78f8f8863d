"""`--chart`: the picture of a command, written whole, for its owner alone, over nothing."""

import stat
import sys
from xml.dom import minidom

import pytest

import unveil
from unveil.cli import main
from unveil.examples import write_csv

KEYS = ("--keys", "sex,region")
FILES = ("survey.csv", "survey_synthetic.csv")
COMMANDS = {
    "disclosure": (*FILES, *KEYS, "--targets", "marital,health"),
    "exclusion-table": (*FILES, *KEYS, "--targets", "marital,health"),
    "gtcap": (*FILES, *KEYS, "--target", "marital"),
    "cap": (*FILES, *KEYS, "--target", "marital"),
    "uniques": ("survey.csv", "--keys", "sex,region,marital"),
    "excess": ("survey.csv", "survey.csv", "survey_synthetic.csv", *KEYS, "-t", "marital"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("survey")
    write_csv(place)
    return place


def code_of(folder, command, *more):
    given = [folder / one if one.endswith(".csv") else one for one in COMMANDS[command]]
    with pytest.raises(SystemExit) as ended:
        main([command, *map(str, given), *map(str, more)])
    return ended.value.code


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_the_picture_is_written_for_its_owner_alone(command, folder, tmp_path, capsys):
    path = tmp_path / "picture.svg"
    assert code_of(folder, command, "--json", "--chart", path) == 0
    out, err = capsys.readouterr()
    assert "It is confidential." in err
    assert out.startswith("{")
    root = minidom.parseString(path.read_text(encoding="utf-8")).documentElement
    assert root.tagName == "svg"
    assert root.getAttribute("role") == "img"
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.slow
def test_the_picture_is_the_chart_of_the_python_call(folder, tmp_path):
    path = tmp_path / "picture.svg"
    assert code_of(folder, "disclosure", "--chart", path) == 0
    files = [str(folder / name) for name in FILES]
    result = unveil.disclosure(*files, keys=["sex", "region"], targets=["marital", "health"])
    assert path.read_text(encoding="utf-8") == result.plot.lollipop().svg()
    assert code_of(folder, "disclosure", "--chart", tmp_path / "picture.png") == 0
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_there_is_not_written_over(command, folder, tmp_path, capsys):
    path = tmp_path / "picture.svg"
    path.write_text("mine")
    assert code_of(folder, command, "--chart", path) == 2
    assert "is there already. Nothing was written." in capsys.readouterr().err
    assert path.read_text() == "mine"


@pytest.mark.parametrize("command", COMMANDS)
def test_other_endings_are_refused(command, folder, tmp_path, capsys):
    assert code_of(folder, command, "--chart", tmp_path / "picture.gif") == 2
    expected = "'picture.gif' has to end in .svg, .png or .pdf."
    assert expected in " ".join(capsys.readouterr().err.split())
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_refused_before_anything_is_read(folder, tmp_path, capsys):
    path = tmp_path / "nowhere" / "picture.svg"
    with pytest.raises(SystemExit) as ended:
        main(["uniques", "no-such-file.csv", "--keys", "a", "--chart", str(path)])
    assert ended.value.code == 2
    assert "There is no folder" in capsys.readouterr().err


@pytest.mark.slow
def test_no_picture_is_left_where_the_records_cannot_be_written(
    folder, tmp_path, capsys, monkeypatch
):
    def fails(*_):
        raise unveil.WriteError("The disk is full.")

    monkeypatch.setattr("unveil.cli.disclosure.write_records", fails)
    chart, records = tmp_path / "picture.svg", tmp_path / "records.csv"
    assert code_of(folder, "disclosure", "--chart", chart, "--records", records) == 2
    assert "The disk is full." in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
