"""The gate of a project: the same alerts everywhere, accepted by name, void once files change."""

import json
import random
import re
import shutil
from html import unescape
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from msgspec.structs import replace

import unveil
from unveil.cli.commands import Commands
from unveil.errors import AboveLimitError, RolesError, RulingNeededError, SettingsError
from unveil.project.decide import read_despite
from unveil.project.read_project import read_project
from unveil.records.alerts import Alert
from unveil.records.judgement import Decision
from unveil.records.run import Run

WHO = "C. Ustodian, head"
KEYS, TARGETS = ["sex", "age"], ["town", "illness", "cost"]
QUESTIONS = (
    *("release_context", "taken_for_real", "other_sources", "intruder_knowledge"),
    "method_released",
)
PROJECT = f"""\
schema = 1
title = "Gate"

[data]
original = "people.csv"
synthetic = ["copy.csv"]

[context]
audience = "registered"
analyst = "A. Nalyst, team"

[roles]
key = {json.dumps(KEYS)}
target = {json.dumps(TARGETS)}

[[scenario]]
name = "neighbour"
keys = {json.dumps(KEYS)}
targets = "all"
measures = ["disclosure", "suda", "singling_out"]
"""


def people(seed: int, n: int = 300) -> pl.DataFrame:
    chance = random.Random(seed)
    draw = lambda levels: [chance.choice(levels) for _ in range(n)]  # noqa: E731
    return pl.DataFrame(
        {
            "sex": draw("fm"),
            "age": draw(range(20, 60)),
            "town": draw([f"town {place}" for place in range(6)]),
            "illness": draw(["none", "none", "none", "flu", "HIV"]),
            "cost": draw(range(100, 160)),
        }
    )


def made(folder: Path, *, copy: pl.DataFrame | None = None, text: str = PROJECT) -> unveil.Project:
    """A project of invented people; the synthetic data are other people where none are given."""
    folder.mkdir(parents=True, exist_ok=True)
    people(1).write_csv(folder / "people.csv")
    (people(2) if copy is None else copy).write_csv(folder / "copy.csv")
    (folder / "project.toml").write_text(text, encoding="utf-8")
    return unveil.Project.open(folder)


def ids(alerts: object) -> list[str]:
    return [one["id"] if isinstance(one, dict) else one.id for one in alerts]  # type: ignore


def typed(*arguments: object) -> tuple[int, str, str]:
    done = CliRunner().invoke(
        Commands("unveil"), [*map(str, arguments)], env={"COLUMNS": "100"}, standalone_mode=False
    )
    if done.exception is not None:
        return getattr(done.exception, "exit_code", 1), done.stdout, str(done.exception)
    return done.return_value or 0, done.stdout, done.stderr


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that would release its original, every question answered; one run."""
    folder = tmp_path_factory.mktemp("gate") / "real"
    project = made(folder, copy=people(1).sample(fraction=1, shuffle=True, seed=1))
    for question in QUESTIONS:
        project.answer(question, "Thought about.", by=WHO)
    project.accept_limits(by=WHO, changes={"DiSCO": (1, 2)})
    for finding in project.run(seed=1).judgement.findings:
        project.rule(finding.id, accept=False, reason="Counted.", by=WHO)
    return folder


@pytest.fixture
def mine(real: Path, tmp_path: Path) -> unveil.Project:
    return unveil.Project.open(shutil.copytree(real, tmp_path / "mine"))


@pytest.mark.slow
def test_the_same_alerts_through_assess_run_json_decision_and_report(mine):
    folder = mine.folder
    found = unveil.assess(
        folder / "people.csv",
        folder / "copy.csv",
        keys=KEYS,
        targets=TARGETS,
        limits={"DiSCO": (1, 2)},
    )
    result = mine.run()
    assert ids(found.alerts)[0] == "real-records"
    files = [one for one in result.alerts if one.kind != "limit"]
    assert tuple(files) == tuple(one for one in found.alerts if one.kind != "limit")
    limits = [one for one in result.alerts if one.kind == "limit"]
    assert [one.id.removesuffix("@neighbour") for one in limits] == [
        one.id for one in found.alerts if one.kind == "limit"
    ]
    assert limits
    told = {"results": Run.from_json((folder / "runs/0001/results.json").read_bytes()).alerts}
    code, shown, _ = typed("run", folder, "--json")
    told["json"] = json.loads(shown)["judgement"]["alerts"]
    decision = mine.decide(release=False, by=WHO, note="No.")
    stored = Decision.from_json((folder / "decisions/0001.json").read_bytes())
    assert (code, stored) == (3, decision)
    told["decision"] = stored.judgement.alerts
    page = mine.report().report.read_text(encoding="utf-8")
    told["report"] = [
        {"id": unescape(one)}
        for one in re.findall(r'<div class="alert[^>]*data-alert="([^"]+)"', page)
    ]
    assert {where: ids(alerts) for where, alerts in told.items()} == dict.fromkeys(
        told, ids(result.alerts)
    )
    shown = typed("run", folder)[1].strip().splitlines()
    assert shown[1].startswith("■ NOT READY FOR RELEASE: ")
    assert any(line.startswith(" ■ block: 296 of 300 people (98.7 %)") for line in shown[:8])
    assert repr(result).startswith("■ Block  real-records: ")
    assert result._repr_html_().index('data-alert="real-records"') < result._repr_html_().index(
        "<h3>"
    )
    assert result.judgement.headline.startswith("Against a release: 296 of 300 people (98.7 %)")


@pytest.mark.slow
def test_an_alert_is_accepted_for_these_files_and_void_for_others(mine):
    for alert in mine.result().alerts:
        mine.accept(alert.id, reason="It is a teaching file.", by=WHO)
    result = mine.result()
    assert (result.exit_code, result.judgement.void) == (0, ())
    assert {one.accepted.reason for one in result.alerts} == {"It is a teaching file."}
    assert [line.event for line in mine.log()].count("exception") == len(result.alerts)
    assert mine.verify().faults == ()
    page = mine.report().report.read_text(encoding="utf-8")
    assert "accepted by name" in page
    assert page.count("for these files: It is a teaching file.") == len(result.alerts)
    people(1).sample(fraction=1, shuffle=True, seed=2).write_csv(mine.folder / "copy.csv")
    again = mine.run()
    assert again.exit_code == 3
    assert {one.void for one in again.alerts} == set(again.judgement.void)
    said = f"{WHO} accepted real-records for other files: this does not apply to these files."
    assert again.alerts[0].void == said
    shown = " ".join(typed("run", mine.folder, "--details")[1].split())
    assert said in shown


@pytest.mark.slow
def test_the_command_line_accepts_with_a_reason_and_a_name_and_refuses_what_is_not_there(mine):
    first, second = ids(mine.result().alerts)[:2]
    folder = mine.folder
    before = (folder / "project.toml").read_text(encoding="utf-8")
    by, why = ("--by", WHO), ("--reason", "Teaching.")
    code, shown, _ = typed(
        "run", folder, "--accept", first, *why, "--accept", second, *why, *by, "--details"
    )
    assert code == 3
    assert "Accepted by C. Ustodian, head on" in shown
    text = (folder / "project.toml").read_text(encoding="utf-8")
    assert text.startswith(before)
    assert [one.alert for one in read_project(folder).exceptions] == [first, second]
    assert read_project(folder).exceptions[0].files == mine.judgement().files_sha256
    for arguments, said in (
        (("--accept", "near-copy", *why, *by), "There is no alert 'near-copy'. Did you mean"),
        (("--accept", first, *why, *by), f"{first} was accepted already, by {WHO}."),
        (("--accept", first, *by), "Give one --reason for each --accept (alerts: 1, reasons: 0)."),
        (("--accept", "near-copies", *why), 'A name is required: --by "Name, role".'),
        (("--accept", "near-copies", "--reason", " ", *by), "Give one --reason for each --accept"),
    ):
        code, _, told = typed("run", folder, *arguments)
        assert (code, told[: len(said)]) == (2, said)
    assert (folder / "project.toml").read_text(encoding="utf-8") == text


def test_for_an_open_audience_nobody_accepts_real_records(mine):
    mine.accept("real-records", reason="Teaching.", by=WHO)
    place = mine.folder / "project.toml"
    place.write_text(place.read_text(encoding="utf-8").replace('"registered"', '"open"'))
    said = (
        "real-records cannot be accepted: for an open audience no one can accept identifiers or"
        " real records."
    )
    judgement = mine.judgement()
    assert (judgement.alerts[0].accepted, judgement.alerts[0].void) == (None, said)
    with pytest.raises(SettingsError, match=said):
        mine.accept("real-records", reason="Teaching.", by=WHO)
    despite = {one.id: "Teaching." for one in judgement.alerts}
    with pytest.raises(AboveLimitError, match=said):
        mine.decide(release=True, by=WHO, note="Yes.", despite=despite)


@pytest.mark.slow
def test_a_release_needs_a_reason_for_each_alert(mine):
    known = ids(mine.result().alerts)
    with pytest.raises(AboveLimitError) as refusal:
        mine.decide(release=True, by=WHO, note="Yes.", despite={known[0]: "Teaching."})
    assert known[0] not in str(refusal.value)
    assert [one for one in known[1:] if one not in str(refusal.value)] == []
    given = [part for one in known for part in ("--despite", f"{one}=Teaching.")]
    said = ("--release", "--by", WHO, "--note", "Yes.", "--project", mine.folder)
    code, shown, told = typed("decide", *said, *given)
    assert (code, told) == (0, "")
    assert [f"Released despite {one}: Teaching." in shown for one in known] == [True] * len(known)
    page = mine.report().report.read_text(encoding="utf-8")
    assert page.count("because: Teaching.") == len(known)


def test_the_id_in_a_despite_may_hold_an_equals_sign(mine):
    group = Alert(
        id="group:town=town 1",
        kind="group",
        columns=("town",),
        status="decide",
        sentence="s",
        action="a",
    )
    judgement = replace(mine.judgement(), alerts=(group, replace(group, id="group:town")))
    assert read_despite(["group:town=town 1=Why = how"], judgement) == {group.id: "Why = how"}


@pytest.mark.slow
def test_real_records_count_without_limits_and_an_honest_file_does_not(tmp_path):
    copied = made(tmp_path / "copied", copy=people(1)).run()
    assert (copied.exit_code, copied.alerts[0].id) == (3, "real-records")
    honest = made(tmp_path / "honest").run()
    assert honest.exit_code == 4
    assert [one for one in honest.alerts if one.status != "review"] == []
    assert [one.what for one in honest.not_tested] == ["control", "recognition", "sampling"]


@pytest.mark.slow
def test_limits_on_the_gate_take_the_place_of_ours_and_runs_compare(tmp_path):
    project = made(tmp_path)
    project.accept_limits(by=WHO, changes={"real_records": (3, 5), "DiSCO": (100, 100)})
    assert not any(one.kind == "real_records" for one in project.run().alerts)
    copy = pl.concat([people(2).head(280), people(1).head(20)])
    copy.write_csv(tmp_path / "copy.csv")
    result = project.run()
    (alert,) = (one for one in result.alerts if one.kind == "real_records")
    assert (alert.status, result.exit_code) == ("block", 3)
    figures = [one for one in result.judgement.figures if one.part == "gate"]
    assert [(one.measure, one.status) for one in figures] == [
        ("real_records", "above"),
        ("tied", "no limit"),
    ]
    assert figures[0].value == pytest.approx(alert.figure)
    changed = [one for one in project.compare().risk if one.measure == "real_records"]
    before, after = changed[0].values
    assert (before < 1, after) == (True, pytest.approx(alert.figure))


@pytest.mark.slow
def test_a_column_without_a_role_is_for_a_person_to_decide(tmp_path):
    extra = {f"q{n}": pl.Series(random.Random(n).choices("abc", k=300)) for n in range(5)}
    marked = {"FAKE": pl.lit("fake")}
    project = made(tmp_path, copy=people(2).with_columns(**marked, q0=extra["q0"]))
    people(1).with_columns(q0=extra["q0"]).write_csv(tmp_path / "people.csv")
    found = {one.id: one for one in project.run().alerts if one.kind == "roles"}
    assert sorted(found) == ["roles:FAKE", "roles:q0"]
    assert found["roles:q0"].status == "decide"
    assert "q0 has no role" in found["roles:q0"].sentence
    people(1).with_columns(**extra).write_csv(tmp_path / "people.csv")
    people(2).with_columns(**marked, **extra).write_csv(tmp_path / "copy.csv")
    (one,) = (one for one in project.run().alerts if one.kind == "roles")
    assert (one.id, one.columns) == ("roles", ("q0", "q1", "q2"))
    assert one.sentence.startswith("q0, q1, q2 and 3 more have no role")
    roles = f"ignore = {json.dumps([*marked, *extra])}\n"
    (tmp_path / "project.toml").write_text(PROJECT.replace("[roles]\n", f"[roles]\n{roles}"))
    result = project.run()
    assert not any(one.kind == "roles" for one in result.alerts)
    ignored = next(one for one in result.not_tested if one.what == "columns")
    assert ignored.columns == tuple(extra)
    assert project.result(1).record.parts[0].fingerprint != result.record.parts[0].fingerprint


@pytest.mark.slow
def test_an_identifier_by_role_blocks_where_its_values_are_real(tmp_path):
    number = pl.Series("number", random.Random(0).sample(range(10**6, 10**7), 300)).cast(str)
    text = PROJECT.replace("[roles]\n", '[roles]\nidentifier = ["number"]\n')
    project = made(tmp_path, copy=people(2).with_columns(number.reverse()), text=text)
    people(1).with_columns(number).write_csv(tmp_path / "people.csv")
    (alert,) = (one for one in project.run().alerts if one.kind == "identifier")
    assert (alert.id, alert.status) == ("identifier:number", "block")
    people(1).write_csv(tmp_path / "people.csv")
    (alert,) = (one for one in project.run().alerts if one.kind == "identifier")
    assert (alert.id, alert.status) == ("identifier:number", "decide")


@pytest.mark.slow
def test_a_part_of_the_gate_is_taken_over_and_its_absence_lets_nothing_pass(mine):
    people(2).write_csv(mine.folder / "copy.csv")
    first = mine.run()
    text = mine.path.read_text(encoding="utf-8")
    mine.path.write_text(text + '\n[[table]]\ndims = ["sex", "town"]\nn_max = 1\n')
    result = mine.run()
    assert [part.state for part in result.record.list_parts("gate")] == ["reused"]
    assert result.judgement.not_tested == first.judgement.not_tested
    assert result.record.parts[0].name == "gate"


SENSITIVE = PROJECT.replace("[[scenario]]", '[roles.sensitive]\nillness = ["HIV"]\n\n[[scenario]]')


@pytest.mark.slow
def test_sensitive_values_are_counted_by_themselves_with_a_limit_of_their_own(tmp_path):
    project = made(tmp_path, text=SENSITIVE)
    result = project.run()
    (alert,) = (one for one in result.alerts if one.kind == "sensitive_value")
    assert (alert.id, alert.columns, alert.level) == (
        "sensitive:illness=HIV",
        ("illness",),
        "HIV",
    )
    (row,) = (
        one
        for one in result.parts["disclosure neighbour"].by_value
        if (one.target, one.level) == ("illness", "HIV")
    )
    share = max(100 * row.n_correct / row.n_people, 100 * row.n_wrong / (300 - row.n_people))
    assert share > 0
    project.accept_limits(by=WHO, changes={"sensitive": (0, 100)})
    (judged,) = (one for one in project.judgement().figures if one.measure == "sensitive")
    assert (judged.value, judged.status) == (pytest.approx(share), "review")
    assert judged.subject == "HIV"
    project.accept_limits(by=WHO, changes={"sensitive": (0, share / 2)})
    alerts = {one.id: one.status for one in project.judgement().alerts}
    assert alerts["sensitive:illness=HIV"] == "block"
    assert not any(one.startswith("limit:sensitive") for one in alerts)


@pytest.mark.parametrize(
    ("sensitive", "said"),
    [
        ('ilness = ["HIV"]', "line 17: The original (people.csv) has no column 'ilness'. Did you"),
        ('sex = ["f"]', "line 17: 'sex' is not a target of any scenario, so its values are not"),
        ('illness = ["HVI"]', "line 17: no one has the value 'HVI' of 'illness'. Write a value as"),
    ],
)
def test_sensitive_values_that_nothing_could_be_measured_of_are_refused(tmp_path, sensitive, said):
    project = made(tmp_path, text=SENSITIVE.replace('illness = ["HIV"]', sensitive))
    with pytest.raises(RolesError) as refusal:
        project.run()
    assert str(refusal.value).startswith(f"project.toml, {said}")


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ('alert = "x"\nreason = "y"\nby = "Ann"', "line 22: [[exceptions]] has no files."),
        (
            'alert = "x"\nreason = "y"\nby = "Ann"\nfiles = "abc"',
            "line 26: files is 'abc'. It is the hash of the files of the exception;",
        ),
        (
            f'reason = "y"\nby = "Ann"\nfiles = "{"a" * 64}"',
            "line 22: [[exceptions]] has no alert.",
        ),
        (
            f'alert = "x"\nreason = "..."\nby = "Ann"\nfiles = "{"a" * 64}"',
            "line 24: reason is '...', which is only an example.",
        ),
    ],
)
def test_faults_of_an_exception_are_told_with_their_line(tmp_path, more, said):
    with pytest.raises(SettingsError) as refusal:
        made(tmp_path, text=f"{PROJECT}\n[[exceptions]]\n{more}\n")
    assert str(refusal.value).startswith(f"project.toml, {said}")


@pytest.mark.parametrize("given", ["0", "1.5", '"half"', "true"])
def test_a_sampling_fraction_is_a_share(tmp_path, given):
    text = PROJECT.replace("[context]", f"sampling_fraction = {given}\n\n[context]")
    with pytest.raises(SettingsError, match=r"sampling_fraction is .*above 0 and at most 1"):
        made(tmp_path, text=text)


@pytest.mark.slow
def test_dis_is_quoted_with_a_sampling_fraction_alone(tmp_path):
    project = made(tmp_path)
    assert [one.what for one in project.run().not_tested] == ["control", "recognition", "sampling"]
    assert 'data-says="uniques/DIS"' not in project.report().report.read_text(encoding="utf-8")
    text = PROJECT.replace("[context]", "sampling_fraction = 0.25\n\n[context]")
    (tmp_path / "project.toml").write_text(text)
    result = project.run()
    assert [one.what for one in result.not_tested] == ["control", "recognition"]
    assert result.parts["suda neighbour"].dis_fraction == 0.25
    assert 'data-says="uniques/DIS"' in project.report().report.read_text(encoding="utf-8")


@pytest.mark.slow
def test_singling_out_needs_no_control_sample_and_is_shown_beside_its_baseline(tmp_path):
    project = made(tmp_path)
    project.accept_limits(by=WHO, changes={"DiSCO": (100, 100)})
    result = project.run()
    rows = result.parts["singling_out"].rows
    assert [row.R for row in rows] == [None, None]
    assert any(row.main is not None and row.naive is not None for row in rows)
    assert not any(one.measure == "R" for one in result.judgement.figures)
    shown = " ".join(typed("run", tmp_path, "--details")[1].split())
    assert re.search(
        r"singling_out: Simulated attacks, no control: highest rate [<\d.]+ %, [<\d.]+ %"
        r" by an uninformed guess",
        shown,
    )


@pytest.mark.slow
def test_a_part_that_failed_is_told_among_what_was_not_tested(tmp_path):
    text = PROJECT.replace('"singling_out"]', '"gtcap"]')
    result = made(tmp_path, text=text).run()
    (left,) = (one for one in result.not_tested if one.what == "part")
    assert left.sentence.startswith("Not measured: gtcap neighbour")
    assert "radius" in left.sentence


def test_four_eyes_bar_whoever_accepted_an_alert(mine):
    mine.accept("real-records", reason="Teaching.", by="B. Oss, director")
    text = mine.path.read_text(encoding="utf-8")
    mine.path.write_text(text.replace("[context]\n", "[context]\nfour_eyes = true\n", 1))
    despite = {one: "Teaching." for one in ids(mine.result().alerts) if one != "real-records"}
    with pytest.raises(RulingNeededError, match=r"B\. Oss, director accepted an alert"):
        mine.decide(release=True, by="B. Oss, director", note="Yes.", despite=despite)


@pytest.mark.parametrize(
    ("column", "disguise"),
    [("illness", pl.col("illness").str.to_uppercase()), ("age", pl.col("age").cast(pl.String))],
)
def test_the_question_of_a_coding_shows_the_risk_under_the_mapping(tmp_path, column, disguise):
    bands = {"cost": [100, 130, 160]}
    copy = people(2).with_columns(disguise + pl.lit(" y" if column == "age" else ""))
    more = f"targets = {TARGETS[1:]}\nbands = {{cost = {bands['cost']}}}"
    result = made(tmp_path, copy=copy, text=PROJECT.replace('targets = "all"', more)).run()
    (row,) = (one for one in result.parts["gate"].codings if one.column == column)
    mapped = unveil.disclosure(
        people(1), people(2), keys=KEYS, targets=["illness", "cost"], bands=bands
    )
    wanted = {one.target: one.DiSCO for one in mapped.attribute}
    assert row.DiSCO_mapped == wanted[row.target] > 0
    (alert,) = (one for one in result.alerts if one.id == f"coding:{column}")
    figure = f"With this mapping DiSCO of {row.target} is {row.DiSCO_mapped:.1f} %, without it"
    assert figure in alert.sentence


FIVE = list("abcde")


def five_keys(folder: Path, copies: list[pl.DataFrame]) -> unveil.Project:
    """A project of five keys and one target; limits of DiSCO and of what is added are accepted."""
    folder.mkdir()
    names = [f"copy{number}.csv" for number in range(len(copies))]
    for name, frame in zip(["people.csv", *names], [invented(1), *copies], strict=True):
        frame.write_csv(folder / name)
    text = PROJECT.replace(json.dumps(KEYS), json.dumps(FIVE)).replace(json.dumps(TARGETS), '["t"]')
    text = text.replace('["copy.csv"]', json.dumps(names)).replace(', "suda", "singling_out"', "")
    (folder / "project.toml").write_text(text, encoding="utf-8")
    project = unveil.Project.open(folder)
    project.accept_limits(by=WHO, changes={"DiSCO": (15, 20), "repU": (90, 95), "adds": (4, 5)})
    return project


def invented(seed: int, n: int = 1200) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    made = {name: rng.integers(0, 10, n) for name in FIVE}
    return pl.DataFrame({**made, "t": rng.integers(0, 6, n)})


def test_limits_of_a_run_hold_for_an_intruder_who_uses_only_some_of_the_keys(tmp_path):
    # Two of five keys are drawn anew: all five match hardly anybody, three match everybody.
    copied = invented(1).with_columns(invented(2).select("d", "e"))
    result = five_keys(tmp_path / "copied", [copied]).run(seed=1)
    found = {one.id: one for one in result.alerts}
    alert = found["keysets:DiSCO:t@neighbour"]
    assert (alert.status, result.judgement.exit_code) == ("block", 3)
    assert "uses only a, b and c" in alert.sentence
    assert "own record or deeper pattern" in alert.sentence
    (figure,) = [one for one in result.judgement.figures if one.measure == "DiSCO"]
    assert figure.value < 15  # with all keys the limit is kept
    assert alert.figure > 20
    asked = " ".join(text for one in result.summary.decisions for text in one.commands)
    assert "--accept keysets:DiSCO:t@neighbour" in asked
    honest = five_keys(tmp_path / "honest", [invented(3)]).run(seed=1)
    assert all(one.status == "review" for one in honest.alerts)
    assert honest.judgement.exit_code != 3


def test_limits_of_a_run_hold_for_files_pooled_and_for_what_is_added(tmp_path):
    # Each file has a third of the people; together they have all.
    thirds = [invented(1)[start::3] for start in range(3)]
    result = five_keys(tmp_path / "thirds", thirds).run(seed=1)
    statuses = {
        (one.measure, one.copy): one.status
        for one in result.judgement.figures
        if one.measure in ("DiSCO", "adds")
    }
    assert statuses["DiSCO", "pooled"] == statuses["adds", "pooled"] == "above"
    assert "limit:adds:t@neighbour" in {one.id for one in result.alerts}
    assert result.judgement.exit_code == 3
