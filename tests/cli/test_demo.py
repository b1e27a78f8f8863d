"""`unveil demo`, as far as it writes: the example as a project, with its run and its report."""

import webbrowser

import pytest

import unveil
from unveil.cli import main
from unveil.cli.commands import COMMANDS, Commands


def ended(*arguments):
    with pytest.raises(SystemExit) as end:
        main([*map(str, arguments)])
    return end.value.code


@pytest.mark.slow
def test_a_project_on_the_example_is_begun_measured_and_reported(tmp_path, capsys, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    folder = tmp_path / "example"
    assert ended("demo", "--project", folder, "--open") == 0
    report = folder / "confidential" / "report_0001.html"
    assert opened == [report.as_uri()]
    assert "CONFIDENTIAL" in report.read_text(encoding="utf-8")
    project = unveil.Project.open(folder)
    assert project.runs() == (1,)
    assert not project.verify().faults
    assert str(report) in capsys.readouterr().out.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--open"], "--open shows the report of a project. Name its folder: --project."),
        (
            ["--project", "a", "--files", "b"],
            "--project writes the files too. Omit --files.",
        ),
    ],
)
def test_what_does_not_go_together_is_said(arguments, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ended("demo", *arguments) == 2
    assert capsys.readouterr().err == f"unveil: {sentence}\n"
    assert not any(tmp_path.iterdir())


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_shows_a_mark_of_its_own_making(name):
    command = Commands().get_command(None, name)
    assert "\\b" not in (command.help or "")
