"""From a raw file to a decision: init, every coding it proposes, protect, run, decide."""

import csv
import random
import tomllib
from datetime import date, timedelta
from pathlib import Path

import polars as pl
import pytest

import unveil
from project.whole_way import ANALYST, FACTORS, OWNER, SYNTHPOP, Desk, write_sd2011_as_spss

HEAD = "# then: unveil protect\n"
WARDS = {
    "cardiology": ("I21.4", "I50.1", "I48.0"),
    "surgery": ("K35.8", "K80.2", "S72.0"),
    "oncology": ("C50.9", "C34.1", "C18.7"),
    "internal": ("J18.9", "E11.9", "N39.0"),
}


def write_hospital(path: Path, n: int = 700) -> None:
    """Invented stays: dates, ICD codes with rare ones, -8 and -9 for no answer, free text."""
    chance = random.Random(5)
    rows = []
    for number in range(n):
        sex, ward = chance.choice("FM"), chance.choice([*WARDS])
        admitted = date(2024, 1, 1) + timedelta(chance.randrange(366))
        usual = chance.choices(WARDS[ward], [5, 3, 2])[0]
        rows.append(
            {
                "patient": f"H{100_000 + 7 * number}",
                "sex": sex,
                "age": min(99, max(18, round(chance.gauss(58, 18)))),
                "postcode": f"{chance.randrange(10, 40)}-{chance.randrange(100, 999)}",
                "ward": ward,
                "icd10": usual if chance.random() > 0.02 else f"Q{chance.randrange(10, 99)}.1",
                "admitted": admitted,
                "discharged": admitted + timedelta(1 + int(chance.expovariate(1 / 5))),
                "weight": round(chance.gauss(82 if sex == "M" else 70, 14), 1),
                "smoker": chance.choices([0, 1, -8, -9], [60, 30, 4, 6])[0],
                "pain": chance.choices([*range(11), -9], [8] * 11 + [6])[0],
                "note": f"Seen on {admitted:%d %B} by Dr Wolf, {chance.randrange(60, 110)} bpm,"
                f" {chance.choice(['stable', 'febrile'])}, review in {chance.randrange(9)} days",
            }
        )
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def use_all_codings(project: Path) -> list[dict]:
    """Take the first mark of every proposed coding away; the steps that are then in force."""
    head, _, proposals = project.read_text(encoding="utf-8").partition(HEAD)
    lines = [line.removeprefix("# ").removesuffix("#") for line in proposals.splitlines()]
    project.write_text(head + "\n" + "\n".join(lines) + "\n", encoding="utf-8")
    return tomllib.loads(project.read_text(encoding="utf-8"))["protect"]["step"]


def verdict_on(file: str, *said: str) -> tuple[list[dict], dict]:
    """The steps that init proposed for a file, and the run of what protect made with them."""
    unveil_ = Desk()
    assert unveil_("init", file, "--by", ANALYST, *said)[0] == 0
    steps = use_all_codings(Path("project.toml"))
    assert unveil_("protect", "project.toml", "--seed", "3")[0] == 0
    assert unveil_("limits", "--accept", "--by", OWNER)[0] == 0
    for factor, answer in FACTORS.items():
        assert unveil_("answer", factor, answer, "--by", OWNER)[0] == 0
    code, made = unveil_.document("run", "--seed", "1")
    assert code == 3
    # Nothing is left unmeasured, and no coding is in doubt: like was compared with like.
    assert [part["name"] for part in made["run"]["parts"] if part["state"] != "measured"] == []
    alerts = {alert["id"] for alert in made["judgement"]["alerts"]}
    assert not {one for one in alerts if one.startswith("coding:")}
    assert unveil_("decide", "--release", "--by", OWNER, "--note", "as it is")[0] in (3, 4)
    assert unveil_("decide", "--refuse", "--by", OWNER, "--note", "too much is told")[0] == 0
    return steps, made


def disco_by_hand(original: str, copy: str, steps: list[dict], made: dict) -> dict[str, float]:
    """DiSCO of the copy against the original recoded by `unveil.recode`, as a run has it."""
    asked = made["run"]["parts"]
    (settings,) = (part["settings"] for part in asked if part["kind"] == "disclosure")
    known = pl.Series([settings]).str.json_decode(infer_schema_length=1)[0]
    result = unveil.disclosure(
        unveil.recode(original, [step for step in steps if step["do"] != "drop"]).data,
        copy,
        keys=known["keys"],
        targets=known["targets"],
    )
    return {row["target"]: row["DiSCO"] for row in result.frame().to_dicts()}


def figures(made: dict, measure: str) -> dict[str, float]:
    rows = [row for row in made["run"]["figures"] if row["measure"] == measure]
    return {row["target"]: row["value"] for row in rows}


@pytest.mark.slow
def test_a_hospital_s_file_comes_to_a_verdict(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_hospital(tmp_path / "stays.csv")
    steps, made = verdict_on("stays.csv")
    does = {(step["do"], step["column"]) for step in steps}
    assert {("band", "age"), ("merge_rare", "icd10"), ("coarsen_date", "admitted")} <= does
    assert {("drop", "patient"), ("drop", "note")} <= does
    published = pl.read_csv("protected/FAKE_stays.csv")
    assert not {"patient", "postcode", "note"} & {*published.columns}
    assert {-9, -8} <= {*published["smoker"]}
    by_hand = disco_by_hand("stays.csv", "protected/FAKE_stays.csv", steps, made)
    assert figures(made, "DiSCO") == pytest.approx(by_hand, abs=1e-12)


@pytest.mark.slow
@pytest.mark.skipif(not SYNTHPOP.is_dir(), reason="SD2011 went unchecked: ../shared is not there")
def test_sd2011_in_spss_form_comes_to_a_verdict(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_sd2011_as_spss(tmp_path)
    steps, made = verdict_on("sd2011.sav")
    assert ("band", "age") in {(step["do"], step["column"]) for step in steps}
    recoded = [step for step in steps if step["do"] != "perturb_outliers"]
    by_hand = disco_by_hand("sd2011.sav", "protected/FAKE_sd2011.sav", recoded, made)
    assert figures(made, "DiSCO") == pytest.approx(by_hand, abs=1e-12)
