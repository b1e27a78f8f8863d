"""Project, plain Python call and command line give the same record of the same files."""

import json
from collections.abc import Callable
from typing import Any, get_args

import pytest
from click.testing import CliRunner

import unveil
from unveil.cli.commands import Commands
from unveil.examples import survey, survey_synthetic
from unveil.measure.gate.evidence import DeclaredRoles, Files, gather_evidence
from unveil.measure.gate.recoded_columns import ScenarioKeys
from unveil.project.make_copies import protect_copy
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.seeds import ProjectSeed, stored_seed
from unveil.project.store import load_parts
from unveil.records.base import Record
from unveil.records.protection import ConfidentialProtection
from unveil.records.report import Parts
from unveil.records.run import Kind, Run
from unveil.study.study import Study

ORIGINAL, COPIES, CONTROL = "survey.csv", ("copy_1.csv", "copy_2.csv"), "control.csv"
KEYS, TARGETS = ["sex", "age", "settlement"], ["marital", "income"]
BANDS, CODES = {"age": {"breaks": [0, 30, 50, 70, 100]}}, {"income": [-8]}
RADII = {"age": 5, "income": 300}
PROJECT = """
[data]
original = "survey.csv"
synthetic = ["copy_1.csv", "copy_2.csv"]
control = "control.csv"
missing_values = ["refused"]
special_codes = {income = [-8]}

[roles]
ignore = ["condition"]

[[scenario]]
name = "neighbour"
keys = ["sex", "age", "settlement"]
targets = ["marital", "income"]
bands = {age = {breaks = [0, 30, 50, 70, 100]}}
radii = {age = 5, income = 300}

[[exclude]]
target = "marital"
level = "never married"
reason = "known"
by = "Ann"

[[published]]
table = "published.csv"
count = "n"

[[table]]
name = "places"
dims = ["sex", "settlement"]
rounding = "conventional:5"
n_max = 3

[[finding]]
name = "mean satisfaction"
kind = "mean"
column = "satisfaction"

[[protect.step]]
do = "synthesise"
"""
MISSING = ["refused"]
READ = {"missing_values": MISSING}
SCENARIO = {"keys": KEYS, "bands": BANDS, "special_codes": CODES, **READ}
COMPARED = [name for name in survey().columns if name != "condition"]
ALL = {"columns": COMPARED, "special_codes": CODES, **READ}
Attacked = Callable[..., Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("equal")
    people, copy = survey(), survey_synthetic()
    people.head(260).write_csv(place / ORIGINAL)
    people[260:400].write_csv(place / CONTROL)
    for number, name in enumerate(COPIES):
        copy[number * 260 : (number + 1) * 260].write_csv(place / name)
    people["marital"].value_counts(name="n").write_csv(place / "published.csv")
    (place / "project.toml").write_text(PROJECT, encoding="utf-8")
    return place


@pytest.fixture(scope="module")
def made(folder) -> tuple[Run, Parts, ProjectSeed]:
    kept = protect_copy(read_project(folder), seed=5)
    text = kept.project.text.replace('synthetic = ["protected/FAKE_survey.csv"]', "synthetic = []")
    assert text != kept.project.text
    kept_record = folder / "confidential/protected/protection.json"
    of_other_copy = json.loads(kept_record.read_bytes()) | {"copy_sha256": None}  # as of old
    (folder / "confidential/protection.json").write_text(json.dumps(of_other_copy))
    kept_record.unlink()
    (folder / "project.toml").write_text(PROJECT, encoding="utf-8")
    project = read_project(folder)
    run = run_project(project, seed=11)
    seed = stored_seed(folder)
    assert seed is not None
    return run, load_parts(folder, run), seed


def files(folder) -> dict[str, Any]:
    return {
        "original": folder / ORIGINAL,
        "copies": [folder / name for name in COPIES],
        "control": folder / CONTROL,
    }


def attacks(attack: Attacked, of: dict[str, Any], part: str, seed: int, **asked: Any) -> Record:
    copy = of["copies"][int(part[-1]) - 1]
    found = attack(of["original"], copy, control=of["control"], seed=seed, **asked, **READ)
    return found.record


def halves() -> list[list[str]]:
    return [KEYS[:2], KEYS[2:]]


def evidence(of: dict[str, Any]) -> Record:
    opened = Study.open(of["original"], of["copies"], of["control"], missing_values=MISSING)
    asked = ScenarioKeys(tuple(KEYS), tuple(TARGETS))
    roles = DeclaredRoles((), (*KEYS, *TARGETS), ("condition",), (asked,))
    return gather_evidence(Files(opened.files), roles)


PLAIN: dict[Kind, Callable[..., Record]] = {
    "gate": lambda of, part, seed: evidence(of),
    "disclosure": lambda of, part, seed: (
        unveil.disclosure(
            of["original"],
            of["copies"],
            targets=TARGETS,
            exclude=["marital=never married"],
            **SCENARIO,
        )
        .with_expected(has_parts=True)
        .with_key_sets()
        .record
    ),
    "exclusion_table": lambda of, part, seed: (
        unveil.exclusion_table(of["original"], of["copies"], targets=TARGETS, **SCENARIO).record
    ),
    "cap": lambda of, part, seed: (
        unveil.cap_table(
            of["original"],
            {"synthetic": of["copies"]},
            key_sets=[KEYS],
            target=part.split()[-1],
            scenarios=["full", "uniques", "special"],
            baseline=of["original"].parent / "published.csv" if part.endswith("marital") else None,
            **{name: of_ for name, of_ in SCENARIO.items() if name != "keys"}
            | ({"special_codes": {}} if part.endswith("marital") else {}),
        ).record
    ),
    "tcap": lambda of, part, seed: (
        unveil.tcap(
            of["original"],
            of["copies"],
            target=part.split()[-1],
            **SCENARIO | ({"special_codes": {}} if part.endswith("marital") else {}),
        ).record
    ),
    "gtcap": lambda of, part, seed: (
        unveil.gtcap(
            of["original"],
            of["copies"],
            target=part.split()[-1],
            radii=RADII if part.endswith("income") else {"age": 5},
            keys=KEYS,
            special_codes=CODES if part.endswith("income") else {},
            **READ,
        ).record
    ),
    "suda": lambda of, part, seed: (
        unveil.suda(of["original"], keys=KEYS, bands=BANDS, **READ).record
    ),
    "match_risk": lambda of, part, seed: (
        unveil.match_risk(of["original"], keys=KEYS, bands=BANDS, **READ).record
    ),
    "excess": lambda of, part, seed: (
        unveil.excess(
            of["original"],
            of["control"],
            of["copies"],
            targets=TARGETS,
            exclude=["marital=never married"],
            **SCENARIO,
        ).record
    ),
    "inference": lambda of, part, seed: attacks(
        unveil.inference, of, part, seed, keys=KEYS, secrets=TARGETS, special_codes=CODES
    ),
    "linkability": lambda of, part, seed: attacks(
        unveil.linkability, of, part, seed, columns=halves()
    ),
    "singling_out": lambda of, part, seed: attacks(
        unveil.singling_out, of, part, seed, columns=COMPARED, special_codes=CODES, n_cols=3
    ),
    "membership": lambda of, part, seed: attacks(
        unveil.membership, of, part, seed, columns=COMPARED, special_codes=CODES
    ),
    "structure": lambda of, part, seed: (
        unveil.compare_structure(of["original"], of["copies"][int(part[-1]) - 1], **READ).record
    ),
    "utility": lambda of, part, seed: (
        unveil.utility(of["original"], of["copies"], seed=seed, **ALL).record
    ),
    "tables": lambda of, part, seed: unveil.pair_tables(of["original"], of["copies"], **ALL).record,
    "compare": lambda of, part, seed: unveil.compare(of["original"], of["copies"], **ALL).record,
    "projection": lambda of, part, seed: (
        unveil.projection(of["original"], of["copies"], **ALL).record
    ),
    "findings": lambda of, part, seed: (
        unveil.replicate(
            of["original"],
            of["copies"],
            [{"name": "mean satisfaction", "kind": "mean", "column": "satisfaction"}],
            special_codes=CODES,
            **READ,
        ).record
    ),
    "sap": lambda of, part, seed: (
        unveil.sap(
            unveil.PublishedTable.from_microdata(
                of["original"], ["sex", "settlement"], rounding="conventional:5", seed=seed, **READ
            ),
            n_max=3,
            seed=seed,
        ).record
    ),
    "protection": lambda of, part, seed: (
        ConfidentialProtection.from_json(
            (of["original"].parent / "confidential/protection.json").read_bytes()
        ).protection
    ),
}
"""Every kind of part as one would call it by hand."""


APART = ("plan", "recognition")
"""Of several files, or of many worlds: test_publication.py and test_recognition_in_project.py."""
KINDS = [kind for kind in get_args(Kind) if kind not in APART]


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_record_of_a_part_is_that_of_the_plain_call(kind, folder, made):
    run, parts, seed = made
    found = parts.of(kind)
    assert found, [part.reason for part in run.parts if part.kind == kind]
    for name, record in found:
        assert record == PLAIN[kind](files(folder), name, seed.of(name)), name


@pytest.mark.slow
def test_nothing_that_the_project_declares_went_unmeasured(made):
    run, _, _ = made
    assert [(part.name, part.reason) for part in run.parts if part.file is None] == []
    assert {part.kind for part in run.parts} == set(KINDS)


BOTH = [ORIGINAL, *COPIES]
ASKED = ["--keys", ",".join(KEYS), "--bands", "age=0,30,50,70,100", "--missing", "refused"]
INCOME = ["--special-codes", "income=-8"]
EVERY = ["--columns", ",".join(COMPARED), *INCOME, "--missing", "refused"]
TWO = ["--targets", ",".join(TARGETS)]
ATTACK = [ORIGINAL, COPIES[1], "--control", CONTROL, "--missing", "refused"]
COMMANDS: dict[Kind, tuple[str, list[str], Callable[[dict[str, Any]], Any]]] = {
    "disclosure": (
        "disclosure neighbour",
        ["disclosure", *BOTH, *ASKED, *TWO, *INCOME, "--exclude", "marital=never married"],
        lambda document: document,
    ),
    "exclusion_table": (
        "exclusion_table neighbour",
        ["exclusion-table", *BOTH, *ASKED, *TWO, *INCOME],
        lambda document: document,
    ),
    "cap": (
        "cap neighbour income",
        [
            *("cap", ORIGINAL, "--method", f"synthetic={','.join(COPIES)}"),
            *("--target", "income", *ASKED, *INCOME),
            *("--scenario", "full", "--scenario", "uniques", "--scenario", "special"),
        ],
        lambda document: document,
    ),
    "gtcap": (
        "gtcap neighbour income",
        [
            *("gtcap", *BOTH, "--keys", ",".join(KEYS), "--missing", "refused", *INCOME),
            *("--target", "income", "--radius", "age=5", "--radius", "income=300"),
        ],
        lambda document: document,
    ),
    "suda": ("suda neighbour", ["uniques", ORIGINAL, *ASKED], lambda document: document),
    "match_risk": (
        "match_risk neighbour",
        ["uniques", ORIGINAL, *ASKED],
        lambda document: document["match_risk"],
    ),
    "excess": (
        "excess neighbour",
        [
            "excess",
            ORIGINAL,
            CONTROL,
            *COPIES,
            *ASKED,
            *TWO,
            *INCOME,
            *("-x", "marital=never married", "--measure", "DiSCO"),
        ],
        lambda document: document,
    ),
    "inference": (
        "inference neighbour copy 2",
        [
            *("attack", *ATTACK, *INCOME, "--inference"),
            *("--keys", ",".join(KEYS), "--secrets", ",".join(TARGETS)),
        ],
        lambda document: document["copies"][0]["attacks"][0],
    ),
    "linkability": (
        "linkability neighbour copy 2",
        ["attack", *ATTACK, "--linkability", "sex,age:settlement"],
        lambda document: document["copies"][0]["attacks"][0],
    ),
    "singling_out": (
        "singling_out copy 2",
        ["attack", *ATTACK, *INCOME, "--singling-out", "--without", "condition"],
        lambda document: document["copies"][0]["attacks"][0],
    ),
    "membership": (
        "membership copy 2",
        ["attack", *ATTACK, *INCOME, "--membership", "--without", "condition"],
        lambda document: document["copies"][0]["membership"],
    ),
    "structure": (
        "structure copy 2",
        ["codebook", ORIGINAL, COPIES[1], "--missing", "refused"],
        lambda document: document,
    ),
    "utility": ("utility", ["utility", *BOTH, *EVERY], lambda document: document["utility"]),
    "tables": ("tables", ["utility", *BOTH, *EVERY], lambda document: document["tables"][0]),
    "compare": (
        "compare",
        ["utility", *BOTH, *EVERY, "--compare"],
        lambda document: document["comparison"],
    ),
    "projection": (
        "projection",
        ["utility", *BOTH, *EVERY, "--projection"],
        lambda document: document["projection"],
    ),
    "findings": (
        "findings",
        ["replicate", *BOTH, "-f", "findings.toml", *INCOME, "--missing", "refused"],
        lambda document: document,
    ),
    "sap": (
        "sap places",
        [
            *("table", ORIGINAL, "--microdata", "--dims", "sex,settlement"),
            *("--round", "conventional:5", "--sap-max-n", "3", "--missing", "refused"),
        ],
        lambda document: document,
    ),
}
"""The name of one part of each kind, the command that measures it, and where its record is.

TCAP stands in the document of `unveil cap`; the record of protection is that of `unveil protect`.
"""
ELSEWHERE = {"cap": ("tau", "tcap", "not_measured"), "disclosure": ("key_sets", "parts", "groups")}
WITH_SEED = ("inference", "linkability", "singling_out", "membership", "utility", "sap")


def printed(arguments: list[str]) -> dict[str, Any]:
    done = CliRunner().invoke(Commands("unveil"), [*arguments, "--json"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    document: dict[str, Any] = json.loads(done.stdout)
    return document


@pytest.mark.slow
@pytest.mark.parametrize("kind", COMMANDS)
def test_the_command_line_prints_the_record_of_the_part(kind, folder, made, monkeypatch):
    monkeypatch.chdir(folder)
    (folder / "findings.toml").write_text(
        '[[finding]]\nname = "mean satisfaction"\nkind = "mean"\ncolumn = "satisfaction"\n',
        encoding="utf-8",
    )
    _, parts, seed = made
    name, arguments, record_in = COMMANDS[kind]
    chance = ["--seed", str(seed.of(name))] if kind in WITH_SEED else []
    document = record_in(printed([*arguments, *chance]))
    record = json.loads(parts[name].to_json())
    # The command adds TCAP to the document of CAP; it looks at sets of keys where there is a limit.
    elsewhere = ELSEWHERE.get(kind, ())
    if kind == "disclosure":  # not another figure, but none
        assert [document[field] for field in elsewhere] == [[], [], []]
    shared = [field for field in record if field not in elsewhere]
    assert {field: document[field] for field in shared} == {name: record[name] for name in shared}


def test_tcap_of_the_command_line_has_the_figures_of_the_part(folder, made, monkeypatch):
    monkeypatch.chdir(folder)
    _, parts, _ = made
    _, arguments, _ = COMMANDS["cap"]
    rows = printed(arguments)["tcap"]
    expected = [row.to_dict() for row in parts["tcap neighbour income"].rows]
    shared = ("m", "n_synthetic", "n_selected", "n_undefined", "tcap", "tcap_raab")
    assert [[row[name] for name in shared] for row in rows] == [
        [row[name] for name in shared] for row in expected
    ]
