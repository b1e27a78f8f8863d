"""What people are to have written in the project file is checked as on the command line."""

import pytest

from project_cases import PROJECT, made
from unveil.errors import InputError
from unveil.project.read_project import read_project

EXCLUDE = '[[exclude]]\ntarget = "ill"\nlevel = "no"\nreason = "Known."\nby = "Ann Bell, analyst"\n'
LINE = PROJECT.count("\n") + 1  # of the first line that is added
BY = 'Name who decided: by = "Name, role".'
ODD = "with a line break or an unprintable character"


def refusal(tmp_path, text):
    folder = made(tmp_path / "desk", text)
    with pytest.raises(InputError) as told:
        read_project(folder)
    return str(told.value)


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        (
            '"Ann Bell, analyst"',
            '"Name, role"',
            4,
            f"by is 'Name, role', which is only an example. {BY}",
        ),
        (
            '"Known."',
            '"..."',
            3,
            "reason is '...', which is only an example. State the reason in a sentence: reason ="
            ' "...".',
        ),
        ('"Ann Bell, analyst"', '" , boss"', 4, f"by is ' , boss', which is not a name. {BY}"),
        ('"Ann Bell, analyst"', '"Ann\\u200b Bell"', 4, rf"by is 'Ann\u200b Bell', {ODD}. {BY}"),
        ('"Ann Bell, analyst"', '"Ann\\nBell"', 4, rf"by is 'Ann\nBell', {ODD}. {BY}"),
    ],
)
def test_what_the_commands_refuse_is_a_fault_in_the_file(tmp_path, old, new, line, sentence):
    told = refusal(tmp_path, PROJECT + EXCLUDE.replace(old, new))
    assert told == f"project.toml, line {LINE + line}: {sentence}"


@pytest.mark.parametrize("by", ['"Name, role"', '"..."', '"Ann\\u001b[31m"', '"-"'])
def test_limits_are_accepted_by_no_example_and_no_hidden_character(tmp_path, by):
    told = refusal(tmp_path, f"{PROJECT}[limits]\nDiSCO = [5, 10]\naccepted_by = {by}\n")
    assert told.startswith(f"project.toml, line {LINE + 2}: accepted_by is ")
    assert told.endswith('Write who accepts them: accepted_by = "Name, role", or omit it.')


def test_an_answer_that_is_the_example_is_no_answer(tmp_path):
    entry = '[context.other_sources]\nanswer = "..."\nby = "Ann Bell"\n'
    assert "answer is '...', which is only an example." in refusal(tmp_path, PROJECT + entry)


def test_a_title_that_steers_a_terminal_is_refused(tmp_path):
    told = refusal(tmp_path, PROJECT.replace('"Desk"', r'"De\u001b[31msk"'))
    assert told == (rf"project.toml, line 2: title is 'De\x1b[31msk', {ODD}. Write it in a line.")


@pytest.mark.parametrize(
    ("on", "sentence"),
    [
        ("2999-01-01", "on is 2999-01-01, which is years ahead. Write the date of the statement."),
        (
            '"2999-01-01"',
            "on is 2999-01-01, which is years ahead. Write the date of the statement.",
        ),
        ("2026-11-16T10:00:00", "on is of type datetime. Write a day as 2026-11-16."),
    ],
)
def test_a_day_is_a_day_and_not_years_ahead(tmp_path, on, sentence):
    told = refusal(tmp_path, f"{PROJECT}{EXCLUDE}on = {on}\n")
    assert told == f"project.toml, line {LINE + 5}: {sentence}"


def test_the_same_exclusion_twice_is_a_fault(tmp_path):
    told = refusal(tmp_path, PROJECT + EXCLUDE + EXCLUDE)
    assert told == (
        f"project.toml, line {LINE + 5}: 'ill=no' is excluded twice. Keep one of the two."
    )


def test_old_line_ends_are_told_as_what_they_are(tmp_path):
    folder = made(tmp_path / "desk")
    (folder / "project.toml").write_bytes(PROJECT.replace("\n", "\r").encode())
    with pytest.raises(InputError, match=r"Its lines end as on old Macs \(CR\)"):
        read_project(folder)
