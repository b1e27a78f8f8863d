"""One thing is changed in a project file, and every other byte stays as it is."""

import os
import stat
import tomllib
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import InputError, WriteError
from unveil.project.edit_project import exclusion_table, limits_table, write_project
from unveil.project.model import Answer, ExcludeEntry, RulingEntry, limits_mark
from unveil.project.read_project import project_from, read_project
from unveil.project.rulings_in_force import parse_flag_name
from unveil.project.toml import add_entries, set_settings
from unveil.records.exclusions import Exclusion

HOSTILE = 'a "quoted" \\ name\n[limits]\x1b[31m = \u202e#'
TEXT = """# The survey of last year.
schema = 1

[data]
original = "people.csv"   # the one of May
synthetic = [ "old.csv" ]

[context]
audience = "registered"

[[scenario]]
name = "neighbour"
keys = ["sex", "age"]

[[exclude]]
target = "income"
level = "-8"
reason = "no answer"
by = "Ann"   # asked twice

[limits]   # ours
DiSCO = [ 5, 10 ]   # looked at in May
repU = [5, 10]
"""
EXCLUDE = ExcludeEntry(
    Exclusion(rule="level", target="workab", level="NO"), "common knowledge", "Ann", "2026-11-16"
)
RULING = RulingEntry("neighbour/workab=NO", True, "common knowledge", "Bob", "2026-11-16")
EDITS = {
    "exclusion": lambda text: add_exclusion(text, EXCLUDE),
    "ruling": lambda text: add_ruling(text, RULING),
    "limits": lambda text: set_limits(text, {"UiO": (5, 7.5)}),
    "answer": lambda text: set_answer(text, "other_sources", Answer("None.", "Ann", None)),
    "synthetic": lambda text: set_synthetic(text, ["new.csv", "new 2.csv"]),
}


def add_exclusion(text, entry):
    return add_entries(text, "exclude", [exclusion_table(entry)])


def add_ruling(text, *entries):
    return add_entries(text, "ruling", [vars(one) for one in entries])


def set_limits(text, values, by="Bob, head", on="2026-11-16"):
    """These limits beside those that are there."""
    given = said(text).get("limits", {}).items()
    before = {name: tuple(pair) for name, pair in given if isinstance(pair, list)}
    return set_settings(text, ("limits",), limits_table({**before, **values}, by, on))


def set_answer(text, factor, entry):
    return set_settings(text, ("context", factor), vars(entry))


def set_synthetic(text, paths):
    return set_settings(text, ("data",), {"synthetic": list(paths)})


def said(text):
    return tomllib.loads(text.removeprefix("\ufeff"))


def lines_changed(before, after):
    """Old lines that are gone, and new ones that came, without their line ends."""
    old, new = ([line.rstrip("\r") for line in text.split("\n")] for text in (before, after))
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [line for tag, i, j, _, _ in blocks if tag != "equal" for line in old[i:j]]
    came = [line for tag, _, _, i, j in blocks if tag != "equal" for line in new[i:j]]
    return gone, came


def test_an_exclusion_stands_behind_the_last_one():
    last = 'by = "Ann"   # asked twice\n'
    new = """
[[exclude]]
target = "workab"
level = "NO"
reason = "common knowledge"
by = "Ann"
on = 2026-11-16
"""
    assert add_exclusion(TEXT, EXCLUDE) == TEXT.replace(last, last + new)


@pytest.mark.parametrize(
    ("exclusion", "lines"),
    [
        (Exclusion(rule="missing-targets"), ['rule = "missing-targets"']),
        (Exclusion(rule="max-denominator-syn", limit=2), ['rule = "max-denominator-syn=2"']),
        (
            Exclusion(rule="missing-keys", keys=("age", "a,b")),
            ['rule = "missing-keys"', 'keys = ["age", "a,b"]'],
        ),
        (Exclusion(rule="level", target="income", level=""), ['target = "income"', 'level = ""']),
        (
            Exclusion(rule="pair", target="m", level="S", keys=("age",), key_levels=("16",)),
            ['target = "m"', 'level = "S"', 'key = "age"', 'key_level = "16"'],
        ),
        (
            Exclusion(rule="pair", target="m", level="S", keys=("a", "b"), key_levels=("1", "2")),
            ['target = "m"', 'level = "S"', 'keys = ["a", "b"]', 'key_levels = ["1", "2"]'],
        ),
    ],
)
def test_every_rule_is_read_back_as_it_was(tmp_path, exclusion, lines):
    entry = ExcludeEntry(exclusion, "known", "Ann", scenario="neighbour")
    made = add_exclusion(TEXT, entry)
    block = made.split("[[exclude]]\n")[2].partition("\n\n")[0].split("\n")
    assert block == ['scenario = "neighbour"', *lines, 'reason = "known"', 'by = "Ann"']
    found = project_from(tmp_path / "project.toml", made, needs_files=False)
    assert found.excludes[1] == entry


def test_a_value_is_changed_in_its_place_and_its_comment_stays():
    made = set_limits(TEXT, {"DiSCO": (1, 2.5)})
    gone, came = lines_changed(TEXT, made)
    assert gone == ["DiSCO = [ 5, 10 ]   # looked at in May"]
    assert came == [
        "DiSCO = [1, 2.5]   # looked at in May",
        'accepted_by = "Bob, head"',
        "on = 2026-11-16",
        f'accepted = "{limits_mark({"DiSCO": (1, 2.5), "repU": (5, 10)}, "Bob, head")}"',
    ]


def test_a_limit_is_taken_off_and_an_acceptance_withdrawn():
    accepted = set_limits(TEXT, {})
    off = dict.fromkeys(["DiSCO", "accepted_by", "on", "accepted"])
    made = set_settings(accepted, ("limits",), off)
    assert lines_changed(TEXT, made) == (["DiSCO = [ 5, 10 ]   # looked at in May"], [])


def test_limits_accepted_again_change_the_lines_about_it_alone():
    once = set_limits(TEXT, {})
    again = set_limits(once, {}, "Eve, head", "2026-11-17")
    gone, came = lines_changed(once, again)
    assert gone[:2] == ['accepted_by = "Bob, head"', "on = 2026-11-16"]
    assert came[:2] == ['accepted_by = "Eve, head"', "on = 2026-11-17"]
    assert [line.split()[0] for line in (*gone[2:], *came[2:])] == ["accepted", "accepted"]


def test_an_answer_begins_a_table_behind_the_context_and_is_changed_there():
    made = set_answer(TEXT, "taken_for_real", Answer("Yes.", "Ann", "2026-11-16"))
    assert lines_changed(TEXT, made)[1][1:] == [
        "[context.taken_for_real]",
        'answer = "Yes."',
        'by = "Ann"',
        "on = 2026-11-16",
    ]
    again = set_answer(made, "taken_for_real", Answer("No.", "Bob", None))
    gone, came = lines_changed(made, again)
    assert gone == ['answer = "Yes."', 'by = "Ann"', "on = 2026-11-16"]
    assert came == ['answer = "No."', 'by = "Bob"']


def test_copies_are_named_in_their_line():
    gone, came = lines_changed(TEXT, set_synthetic(TEXT, ["new.csv"]))
    assert (gone, came) == (['synthetic = [ "old.csv" ]'], ['synthetic = ["new.csv"]'])
    without = TEXT.replace('synthetic = [ "old.csv" ]\n', "")
    assert lines_changed(without, set_synthetic(without, ["n.csv"])) == (
        [],
        ['synthetic = ["n.csv"]'],
    )


def test_a_second_ruling_on_a_finding_takes_the_place_of_the_first():
    once = add_ruling(TEXT, RULING).replace("/workab=NO", '/workab=\\"NO\\"')
    other = RulingEntry("neighbour/workab=NO", False, "not known", "Eve", "2026-11-17")
    again = set_settings(once, ("ruling", 0), vars(other))
    assert len(said(again)["ruling"]) == 1
    assert said(again)["ruling"][0]["accept"] is False
    assert said(again)["ruling"][0]["finding"] == "neighbour/workab=NO"
    assert len(lines_changed(once, again)[0]) == 5


@pytest.mark.parametrize(
    ("text", "target", "rule"),
    [
        ("neighbour/workab=NO", "workab", "workab=NO"),
        ("neighbour/m=S@age=16", "m", "m=S@age=16"),
        ("neighbour/a/b=c", "a/b", "a/b=c"),
        ("neighbour/workab two-way", "workab", None),
        ('neighbour/"a=b" two-way', "a=b", None),
        ("neighbour/street=a two-way", "street", "street=a two-way"),
    ],
)
def test_the_name_of_a_finding_is_taken_apart(text, target, rule):
    found = parse_flag_name(text)
    assert (found.scenario, found.target) == ("neighbour", target)
    assert (None if found.exclusion is None else found.exclusion.text) == rule
    assert found.is_whole_target == (rule is None)


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("text", ["", "# nothing yet", TEXT.rstrip("\n"), TEXT + "\n\n"])
def test_a_text_without_an_end_or_with_nothing_in_it_is_added_to(edit, text):
    made = EDITS[edit](text)
    assert lines_changed(text.rstrip("\n"), made)[0] in ([], ['synthetic = [ "old.csv" ]'], [""])
    assert said(made) != said(text)
    assert made.endswith("\n") or made.endswith(text[-9:])


def test_hostile_text_stays_one_value():
    entry = ExcludeEntry(Exclusion(rule="level", target=HOSTILE, level=HOSTILE), HOSTILE, HOSTILE)
    made = add_exclusion(TEXT, entry)
    assert said(made)["exclude"][1] == {
        **{"target": HOSTILE, "level": HOSTILE, "reason": HOSTILE, "by": HOSTILE}
    }
    assert "\x1b" not in made
    assert "\u202e" not in made
    finding = f"neighbour/{entry.exclusion.text}"
    ruled = add_ruling(TEXT, RulingEntry(finding, True, HOSTILE, HOSTILE))
    assert said(ruled)["ruling"][0]["finding"] == finding
    assert parse_flag_name(finding).exclusion == entry.exclusion


ODD = [
    # The same things, laid out as hardly anybody would.
    'exclude = [{target = "a", level = "b", reason = "c", by="Al"}]\n[data]\noriginal = "p.csv"\n',
    'limits = {DiSCO = [5, 10]}\ncontext = {audience = "open"}\n[data]\noriginal = "p.csv"\n',
    'limits.DiSCO = [5, 10]\ndata.original = "p.csv"\ncontext.four_eyes = true\n',
    '[context.taken_for_real]\nanswer = "no"\nby = "Ann"\n[data]\noriginal = "p.csv"\n[limits]\n',
    '[data]\noriginal = "p.csv"\n[data.types]\nage = "text"\n[context]\n[limits]\nR = [0, 1]\n',
    '[[ruling]]\nfinding = "n/a=b"\naccept = true\nreason = "c"\nby = "Dan"\n[data]\n'
    'original = "p.csv"\n[[ruling]]\nfinding = "n/a=c"\naccept = true\nreason = "c"\nby = "Dan"\n',
    '[data]\noriginal = """\\\n  p.csv"""\nsynthetic = [\n  # the first\n  "a.csv",\n]\n',
]


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("text", ODD)
def test_odd_layouts_are_changed_rightly(edit, text):
    made = EDITS[edit](text)
    before, after = said(text), said(made)
    section = {"exclusion": "exclude", "answer": "context", "synthetic": "data"}.get(edit, edit)
    assert after[section] != before.get(section)
    assert {**after, section: None} == {**before, section: None}
    assert len(lines_changed(text, made)[0]) <= 4


def test_what_cannot_be_put_in_is_told_to_be_put_in_by_hand(monkeypatch):
    monkeypatch.setattr("unveil.project.toml._insert_lines", lambda text, *_: text)
    monkeypatch.setattr("unveil.project.toml.replace_table", lambda text, *_: text)
    with pytest.raises(WriteError) as refusal:
        add_ruling(TEXT, RULING)
    assert str(refusal.value) == (
        "The layout of the project file does not allow this entry at one place. Nothing was"
        ' written. Add it by hand:\n[[ruling]]\nfinding = "neighbour/workab=NO"\naccept ='
        ' true\nreason = "common knowledge"\nby = "Bob"\non = 2026-11-16'
    )


COMMENTS = ["", "# a note", "   ", "#[limits]", "\t# [[exclude]]"]
SECTIONS = {
    "data": ['original = "people.csv"', 'synthetic=["a.csv"]  # one', "special_codes = {a = [-8]}"],
    "context": ['audience = "open"', "four_eyes   =   true # yes", 'analyst = "Ann"'],
    "limits": ["repU = [ 5,10 ]", "DiSCO = [\n  1, # low\n  2,\n]", "GTCAP=[0,1]#x"],
    "roles": ['key = ["sex"]', 'target = ["a", "b"]', "ignore = []"],
}
MANY = {
    "exclude": ['rule = "missing-targets"', 'reason = "x # y"', 'by = """A\nB"""'],
    "scenario": ['name = "neighbour"', 'keys = ["sex"]', 'targets = "all"'],
}


@st.composite
def files(draw):
    """A project file as people write them: any order, odd spacing, any line end."""
    lines = ["schema = 1"]
    for name in draw(st.permutations([*SECTIONS, *MANY])):
        lines += draw(st.lists(st.sampled_from(COMMENTS), max_size=2))
        indent = draw(st.sampled_from(["", "  "]))
        if name in SECTIONS:
            if name != "data" and draw(st.booleans()):
                continue
            lines += [f"{indent}[{name}]{draw(st.sampled_from(['', '   # here']))}"]
            wanted = draw(st.lists(st.sampled_from(SECTIONS[name]), unique=True, max_size=3))
            own = wanted if name != "data" else dict.fromkeys([SECTIONS["data"][0], *wanted])
        else:
            own = MANY[name]
            lines += [f"[[ {name} ]]"]
        for one in own:
            lines += [indent + one, *draw(st.lists(st.sampled_from(COMMENTS), max_size=1))]
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    text = newline.join("\n".join(lines).split("\n")) + draw(st.sampled_from(["", newline]))
    return draw(st.sampled_from(["", "\ufeff"])) + text


@examples(40)
@given(files(), st.sampled_from([*EDITS]))
def test_every_edit_of_any_file_changes_its_own_lines_alone(text, edit):
    made = EDITS[edit](text)
    before, after = said(text), said(made)
    section = {"exclusion": "exclude", "answer": "context", "synthetic": "data"}.get(edit, edit)
    assert {**after, section: None} == {**before, section: None}
    gone, came = lines_changed(text, made)
    assert gone == [] or (edit == "synthetic" and len(gone) == 1 and "synthetic" in gone[0])
    assert came
    assert made.startswith("\ufeff") == text.startswith("\ufeff")
    assert ("\r\n" in made) == ("\r\n" in text)
    assert made.count("\n") - made.count("\r\n") == (0 if "\r\n" in text else made.count("\n"))


@examples(20)
@given(files())
def test_a_changed_limit_takes_the_place_of_its_own_lines_alone(text):
    made = set_settings(text, ("limits",), {"DiSCO": [0, 3]})
    gone, _ = lines_changed(text, made)
    assert [line.strip() for line in gone] in ([], ["DiSCO = [", "1, # low", "2,", "]"])
    assert said(made) == {
        **said(text),
        "limits": {**said(text).get("limits", {}), "DiSCO": [0, 3]},
    }


@examples(20)
@given(files())
def test_what_is_set_already_is_set_again_without_a_change(text):
    once = set_limits(text, {"UiO": (5, 7.5)}, "Bob")
    assert set_limits(once, {"UiO": (5, 7.5)}, "Bob") == once
    copies = said(text)["data"].get("synthetic")
    if copies is not None:
        assert set_synthetic(text, copies) == text


@pytest.mark.parametrize(
    "text",
    [
        TEXT,
        TEXT.replace("\n", "\r\n"),
        "\ufeff" + TEXT,
        TEXT.rstrip("\n"),
        "\ufeff" + TEXT.replace("\n", "\r\n").rstrip(),
    ],
)
def test_reading_and_writing_without_a_change_leaves_every_byte(tmp_path, text):
    (tmp_path / "people.csv").touch()
    (tmp_path / "old.csv").touch()
    path = tmp_path / "project.toml"
    path.write_bytes(text.encode("utf-8"))
    path.chmod(0o640)
    project = read_project(path)
    assert write_project(project, project.text) == project
    assert path.read_bytes() == text.encode("utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert sorted(os.listdir(tmp_path)) == ["old.csv", "people.csv", "project.toml"]


def test_a_file_that_was_changed_since_is_not_written_over(tmp_path):
    path = tmp_path / "project.toml"
    path.write_text(TEXT, encoding="utf-8")
    project = read_project(path, needs_files=False)
    path.write_text(TEXT + "# by hand\n", encoding="utf-8")
    with pytest.raises(WriteError) as refusal:
        write_project(project, add_exclusion(project.text, EXCLUDE))
    assert str(refusal.value) == (
        "The file 'project.toml' was changed since it was read. Nothing was written. Repeat the"
        " command: it starts from the file as it is now."
    )
    assert path.read_text(encoding="utf-8") == TEXT + "# by hand\n"
    path.unlink()
    with pytest.raises(WriteError, match="was changed since it was read"):
        write_project(project, project.text)


def test_what_would_be_a_fault_is_never_written(tmp_path):
    path = tmp_path / "project.toml"
    path.write_text(TEXT, encoding="utf-8")
    project = read_project(path, needs_files=False)
    twice = add_ruling(TEXT, RULING, RULING)
    with pytest.raises(InputError, match="is ruled on twice"):
        write_project(project, twice)
    assert path.read_text(encoding="utf-8") == TEXT


def test_a_project_file_behind_a_link_is_changed_where_it_is(tmp_path):
    (tmp_path / "real.toml").write_text(TEXT, encoding="utf-8")
    (tmp_path / "project.toml").symlink_to("real.toml")
    project = read_project(tmp_path, needs_files=False)
    changed = write_project(project, add_exclusion(project.text, EXCLUDE))
    assert (tmp_path / "project.toml").is_symlink()
    assert read_project(tmp_path, needs_files=False) == changed
    assert len(changed.excludes) == 2
