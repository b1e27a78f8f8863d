"""One ruling for all that one thing explains: which flags it settles, and what it writes."""

import json
import tomllib
from collections import defaultdict

import polars as pl
import pytest

import unveil
from cli.project_commands import typed
from unveil.assessment.decisions import next_command
from unveil.assessment.ruling_groups import _levels
from unveil.assessment.summarise import summarise_disclosure
from unveil.examples import survey, survey_synthetic
from unveil.project.project import Project
from unveil.records.summary import SummaryDecision

KEYS = ["age", "sex"]
TARGETS = ["marital", "condition", "education"]
SAID = ("--reason", "Everybody knows.", "--by", "A. Jones, analyst")


@pytest.fixture(scope="module")
def record():
    files = survey().head(2500), survey_synthetic().head(2500)
    found = unveil.disclosure(*files, keys=KEYS, targets=TARGETS)
    return found.with_expected(has_parts=True).record


def test_every_flag_stands_in_one_group_and_every_group_is_explained_or_flagged(record):
    decisions = summarise_disclosure(record).decisions
    groups = [group for one in decisions for group in one.groups]
    flags = sorted(flag for group in groups for flag in group.flags)
    assert flags == sorted({one.exclusion for one in record.flags})
    assert all(group.part is not None or group.flags for group in groups)
    assert sum(one.n_flags for one in decisions) == len(flags)
    by = {(group.target, group.level, group.keys): group for group in groups}
    single = by["marital", "never married", ("age",)]
    assert single.id == "/marital=never married@age"
    assert "marital=never married@age=16" in single.exclusions


def test_a_group_counts_the_people_that_its_levels_explain(record):
    """Recounted from the files: correct single values at the levels of the group."""
    people, copy = survey().head(2500), survey_synthetic().head(2500)
    shown = defaultdict(set)
    for *key, value in copy.select(*KEYS, "marital").rows():
        shown[tuple(key)].add(value)
    rows = people.select(*KEYS, "marital").rows()
    groups = [one for d in summarise_disclosure(record).decisions for one in d.groups]
    (group,) = [one for one in groups if one.id == "/marital=never married@age"]
    ages = {int(level) for (level,) in group.key_levels}
    hits = [age for age, sex, t in rows if shown[age, sex] == {t} == {"never married"}]
    assert group.n == sum(age in ages for age in hits)
    # Sure by age alone: at least four of five of the other people of that age.
    for age in {*hits}:
        of_age = [t for other, _, t in rows if other == age]
        share = (of_age.count("never married") - 1) / (len(of_age) - 1)
        assert (share >= 0.8 and len(of_age) > 10) == (age in ages)


@pytest.mark.parametrize(
    ("levels", "words"),
    [
        ([("16",), ("18",), ("17",), ("24",)], "16 to 18, 24"),
        ([("a",), (None,)], "a, (missing)"),
        ([(f"x{i}", "y") for i in range(8)], "and 2 more"),
    ],
)
def test_levels_in_a_few_words(levels, words):
    assert _levels(levels).endswith(words)


@pytest.fixture
def folder(tmp_path):
    for name, file in (("survey", survey()), ("copy", survey_synthetic())):
        file.head(2500).select(*KEYS, "region", *TARGETS).write_csv(tmp_path / f"{name}.csv")
    made = Project.create(
        tmp_path / "survey.csv",
        folder=tmp_path,
        synthetic=[tmp_path / "copy.csv"],
        keys=[*KEYS, "region"],
    )
    made.run()
    return tmp_path


@pytest.mark.slow
def test_a_ruling_on_a_group_writes_ordinary_exclusions_and_the_next_run_follows_it(folder):
    before = json.loads(typed(folder, "rule", "--json")[1])
    (group,) = [one for one in before["groups"] if one["id"].endswith("never married@age")]
    shown = " ".join(typed(folder, "rule")[1].split())
    assert f"☐ {group['sentence']}" in shown
    assert f'unveil rule "{group["id"]}" --common-knowledge' in shown
    first = f"{group['id'].partition('/')[0]}/{group['flags'][0]}"
    assert typed(folder, "rule", first, "--common-knowledge", *SAID)[0] == 0  # the rest is left
    code, told, _ = typed(folder, "rule", group["id"], "--common-knowledge", *SAID)
    assert (code, "Next: unveil" in told) == (0, True)
    file = tomllib.loads((folder / "project.toml").read_text())
    scenario = group["id"].partition("/")[0]
    ruled = {one["finding"].removeprefix(f"{scenario}/") for one in file["ruling"]}
    excluded = {
        f"{one['target']}={one['level']}@{one['key']}={one['key_level']}" for one in file["exclude"]
    }
    assert ruled == set(group["flags"])
    assert ruled | excluded == set(group["exclusions"])
    assert not ruled & excluded
    after = json.loads(typed(folder, "rule", "--json")[1])
    assert group["id"] not in [one["id"] for one in after["groups"]]
    summary = json.loads(typed(folder, "run", "--json")[1])["summary"]
    assert set(group["exclusions"]) == set(summary["excluded"])


@pytest.mark.slow
def test_what_cannot_be_ruled_on_is_refused_and_nothing_is_written(folder):
    ids = {one["id"]: one for one in json.loads(typed(folder, "rule", "--json")[1])["groups"]}
    project = folder / "project.toml"
    before = project.read_text()
    plain = [one for one in ids.values() if not one["flags"]]
    if plain:
        code, _, told = typed(folder, "rule", plain[0]["id"], "--keep", *SAID)
        assert (code, "holds no flag" in told) == (2, True)
    group = next(one for one in ids if one.endswith("never married@age"))
    project.write_text(before.replace('"registered"', '"open"'))
    before = project.read_text()
    code, _, told = typed(folder, "rule", group, "--common-knowledge", *SAID)
    assert (code, "each pair needs a ruling of its own" in told) == (2, True)
    assert f'"{group}"' not in typed(folder, "rule")[1]
    assert project.read_text() == before


def test_a_record_without_parts_has_groups_of_its_flags():
    frame = pl.DataFrame({"k": ["a"] * 60 + ["b"] * 40, "t": ["x"] * 58 + ["y"] * 42})
    record = unveil.disclosure(frame, frame.unique(), keys="k", targets="t").record
    groups = [one for d in summarise_disclosure(record).decisions for one in d.groups]
    assert {flag for one in groups for flag in one.flags} == {one.exclusion for one in record.flags}
    assert all(one.part is None for one in groups)


@pytest.mark.parametrize("kind", ["alerts", "identity", "figure"])
def test_to_accept_what_stands_against_a_release_is_never_the_next_step(kind):
    accept = 'unveil decide --despite "real-records=..."'
    one = SummaryDecision(kind=kind, subject="alerts", sentence="-", commands=(accept,))
    assert next_command([one]) == "unveil report"
    stale = SummaryDecision(kind="stale", subject="run", sentence="-", commands=("unveil run",))
    assert next_command([one, stale]) == "unveil run"
