"""What-if: equal to measuring with the exclusions, started from those in force, kept on request."""

import pytest

import unveil
from project_cases import ANALYST, OFFICER, edited, made, ran, run
from unveil.errors import InputError, RolesError, SettingsError
from unveil.project import measure_parts
from unveil.project.log import read_log
from unveil.project.project import Project
from unveil.project.read_project import read_project
from unveil.project.store import load_parts, load_run
from unveil.project.whatif import whatif
from unveil.study.open_scenario import open_scenario

ASKED = {"keys": ["sex", "age"], "targets": ["abroad", "ill"]}


def measured(folder, exclude=()):
    return unveil.disclosure(
        folder / "original.csv", folder / "copy.csv", exclude=exclude, **ASKED
    ).record


def row(found, target, measure="DiSCO"):
    (one,) = [one for one in found.rows if (one.target, one.measure) == (target, measure)]
    return one


def test_before_and_after_are_what_the_plain_call_measures(tmp_path):
    folder = ran(tmp_path)
    found = whatif(read_project(folder), ["abroad=NO"])
    before, after = measured(folder), measured(folder, ["abroad=NO"])
    for measure in ("Dorig", "DiSCO", "DCAP"):
        one = row(found, "abroad", measure)
        assert one.before == getattr(before.attribute_of("abroad", 1), measure)
        assert one.after == getattr(after.attribute_of("abroad", 1), measure)
    effects = {(e.target, e.measure): e.R for e in after.effects if e.copy == 1}
    assert effects["abroad", "DiSCO"] == row(found, "abroad").R


def test_only_what_changes_is_told(tmp_path):
    found = whatif(read_project(ran(tmp_path)), "abroad=NO")
    assert {one.target for one in found.rows} == {"abroad"}
    assert all(one.before != one.after for one in found.rows)


def test_it_starts_from_the_exclusions_in_force(tmp_path):
    folder = ran(tmp_path)
    with open(folder / "project.toml", "a", encoding="utf-8") as file:
        file.write('\n[[exclude]]\ntarget = "ill"\nlevel = "no"\nreason = "r"\nby = "Xan"\n')
    Project(folder).rule("neighbour/abroad=NO@sex=m", accept=True, reason="r", by=ANALYST)
    found = whatif(read_project(folder), ["abroad=NO"])
    (scenario,) = found.scenarios
    assert "ill=no" in scenario.in_force
    assert "abroad=NO@sex=m" in scenario.in_force
    after = measured(folder, [*scenario.in_force, "abroad=NO"])
    assert row(found, "abroad", "Dorig").after == after.attribute_of("abroad", 1).Dorig
    assert {one.target for one in found.rows} <= {"abroad", None}


def test_pairs_that_were_ruled_on_together_are_in_force(tmp_path):
    folder = ran(tmp_path)
    Project(folder).rule("neighbour/abroad two-way", accept=True, reason="r", by=ANALYST)
    (scenario,) = whatif(read_project(folder), ["abroad=NO"]).scenarios
    pairs = [
        flag.exclusion for flag in measured(folder).flags if flag.exclusion[:10] == "abroad=NO@"
    ]
    assert set(pairs) == set(scenario.in_force)
    assert scenario.sentences == ("Excluding abroad=NO changes no figure.",)


def test_identity_figures_are_told_where_keys_are_left_out(tmp_path):
    folder = made(tmp_path / "desk")
    place = folder / "original.csv"
    place.write_text(place.read_text(encoding="utf-8") + ",33,NO,no\n", encoding="utf-8")
    found = whatif(read_project(folder), ["missing-keys"])
    one = row(found, None, "UiO")
    assert one.before > one.after
    assert "If missing-keys is excluded" not in found.scenarios[0].sentences  # repU is as it was


def test_statuses_are_against_accepted_limits_alone(tmp_path):
    folder = ran(tmp_path)
    found = whatif(read_project(folder), ["abroad=NO"])
    assert row(found, "abroad").status_before == "no limit"
    Project(folder).accept_limits(by=OFFICER, changes={"DiSCO": (5, 10)})
    found = whatif(read_project(folder), ["abroad=NO"])
    assert (row(found, "abroad").status_before, row(found, "abroad").status_after) == (
        "above",
        "within",
    )


def test_it_says_which_findings_are_raised_no_more(tmp_path):
    (scenario,) = whatif(read_project(ran(tmp_path)), ["abroad=NO"]).scenarios
    assert "neighbour/abroad=NO" in scenario.closes
    assert all(one.startswith("neighbour/abroad") for one in scenario.closes)


def test_the_sentence_has_the_figures_of_the_row(tmp_path):
    found = whatif(read_project(ran(tmp_path)), ["abroad=NO"])
    one, said = row(found, "abroad"), found.scenarios[0].sentences[0]
    assert said.startswith("If abroad=NO is common knowledge, DiSCO of abroad falls from ")
    assert f"{one.before:.1f} % ({round(one.before * 120 / 100)} of 120 people)" in said


def test_a_rule_is_in_force_and_not_common_knowledge(tmp_path):
    found = whatif(read_project(ran(tmp_path)), ["max-denominator-syn=1"])
    said = found.scenarios[0].sentences
    assert any(one.startswith("With max-denominator-syn=1 in force, DiSCO of ") for one in said)
    assert not any("common knowledge" in one for one in said)


def test_nothing_is_stored_without_keep(tmp_path):
    folder = ran(tmp_path)
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    found = whatif(read_project(folder), ["abroad=NO"])
    assert not found.kept
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_what_is_kept_is_in_force_at_the_next_run(tmp_path):
    folder = ran(tmp_path)
    asked = ["abroad=NO", "missing-targets"]
    found = whatif(read_project(folder), asked, keep=True, reason="Known.", by=ANALYST)
    assert (found.kept, found.by) == (True, ANALYST)
    project = read_project(folder)
    assert [(one.exclusion.text, one.reason, one.by) for one in project.excludes] == [
        ("abroad=NO", "Known.", ANALYST),
        ("missing-targets", "Known.", ANALYST),
    ]
    line = read_log(folder)[-1]
    assert (line.event, line.subject) == ("exclude", "abroad missing-targets")
    run(folder)
    parts = load_parts(folder, load_run(folder))
    assert parts["disclosure neighbour"].exclude == ("abroad=NO", "missing-targets")
    assert (
        row(found, "abroad").after == parts["disclosure neighbour"].attribute_of("abroad", 1).DiSCO
    )


def test_one_scenario_alone_can_be_asked_about_and_kept_for(tmp_path):
    folder = ran(tmp_path)
    with open(folder / "project.toml", "a", encoding="utf-8") as file:
        file.write('\n[[scenario]]\nname = "colleague"\nkeys = ["age"]\ntargets = ["abroad"]\n')
    both = whatif(read_project(folder), ["abroad=NO"])
    assert [one.scenario for one in both.scenarios] == ["neighbour", "colleague"]
    ill = whatif(read_project(folder), ["ill=no"])  # no target of the colleague
    assert [one.scenario for one in ill.scenarios] == ["neighbour"]
    whatif(
        read_project(folder), ["abroad=NO"], scenario="colleague", keep=True, reason="r", by=ANALYST
    )
    assert read_project(folder).excludes[0].scenario == "colleague"
    assert read_log(folder)[-1].subject == "colleague abroad"


@pytest.mark.parametrize(
    ("exclude", "asked", "kind", "sentence"),
    [
        ([], {}, SettingsError, "Name what to exclude: unveil whatif --exclude workab=NO."),
        (
            ["abroad=NO"],
            {"reason": "r"},
            SettingsError,
            "--reason and --by record an exclusion. Add --keep.",
        ),
        (["abroad=NO"], {"keep": True}, SettingsError, 'A name is required: --by "Name, role".'),
        (
            ["abroad=NO"],
            {"keep": True, "by": ANALYST},
            SettingsError,
            'State the reason: --reason "...".',
        ),
        (
            ["abroad=NO"],
            {"scenario": "neigbour"},
            RolesError,
            "There is no scenario 'neigbour'. Did you mean 'neighbour'? The scenarios are:"
            " neighbour.",
        ),
    ],
)
def test_what_cannot_be_asked(tmp_path, exclude, asked, kind, sentence):
    folder = ran(tmp_path)
    with pytest.raises(kind) as refusal:
        whatif(read_project(folder), exclude, **asked)
    assert str(refusal.value) == sentence
    assert len(read_log(folder)) == 1


def test_unknown_columns_and_levels_are_refused(tmp_path):
    project = read_project(ran(tmp_path))
    with pytest.raises(InputError, match="abraod"):
        whatif(project, ["abraod=NO"])
    with pytest.raises(InputError):
        whatif(project, ["abroad=PERHAPS"])


def test_what_is_in_force_already_is_said_to_be(tmp_path):
    folder = ran(tmp_path)
    whatif(read_project(folder), ["abroad=NO"], keep=True, reason="r", by=ANALYST)
    with pytest.raises(
        SettingsError, match="abroad=NO is excluded already in scenario 'neighbour'"
    ):
        whatif(read_project(folder), ["abroad=NO"])


def test_a_project_without_a_scenario_is_told_what_it_lacks(tmp_path):
    folder = ran(tmp_path)
    edited(folder, 'measures = ["disclosure", "suda"]', 'measures = ["suda"]')
    with pytest.raises(RolesError, match="No scenario of the project measures disclosure"):
        whatif(read_project(folder), ["abroad=NO"])


def test_a_second_what_if_counts_nothing_and_a_changed_file_everything(tmp_path, monkeypatch):
    folder = ran(tmp_path)
    counted = []
    monkeypatch.setattr(measure_parts, "open_scenario", lambda *a, **k: _opened(counted, *a, **k))
    first = whatif(read_project(folder), ["abroad=NO"])
    n_first = len(counted)
    assert n_first > 0
    assert whatif(read_project(folder), ["abroad=NO"]) == first
    assert len(counted) == n_first
    copy = folder / "copy.csv"
    head, *rows = copy.read_text("utf-8").splitlines(keepends=True)
    copy.write_text("".join([head, *rows[1:], rows[-1]]), "utf-8")
    again = whatif(read_project(folder), ["abroad=NO"])
    assert len(counted) == 2 * n_first
    assert row(again, "abroad").before == measured(folder).attribute_of("abroad", 1).DiSCO


def _opened(counted, *given, **asked):
    counted.append(asked["keys"])
    return open_scenario(*given, **asked)
