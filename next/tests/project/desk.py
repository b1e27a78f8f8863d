"""A small project for tests: people with canaries, a synthetic file, and who does what."""

import shutil
from random import Random

import polars as pl

from unveil import Project

ANN, CARL = "Ann Bell, analyst", "Carl Dee, head of data"
CANARY = "Zq-canary"
ANSWERS = {
    "release_context": "Registered researchers.",
    "taken_for_real": "Users are told that nobody is in it.",
    "other_sources": "None is known.",
    "intruder_knowledge": "Neighbours see these.",
    "method_released": "Trees, as published.",
}


def people(seed: int, n: int = 120) -> pl.DataFrame:
    """Records in which health depends on age, and so can be learned from others."""
    chance = Random(seed)
    ages = [chance.choice([20, 30, 40, 50, 60]) for _ in range(n)]
    return pl.DataFrame({
        "sex": [chance.choice("mf") for _ in range(n)],
        "age": ages,
        "region": [chance.choice(["Ash", "Birch", "Cedar"]) for _ in range(n)],
        "health": [
            chance.choice(["good", "good", "poor"] if age < 50 else ["poor", "fair"])
            for age in ages
        ],
        "income": [chance.randrange(900, 3000, 50) for _ in range(n)],
    })  # fmt: skip


def with_canary(frame: pl.DataFrame) -> pl.DataFrame:
    """Somebody with values of their own, who has no twin in the synthetic data."""
    somebody = pl.DataFrame([("f", 60, CANARY, "poor", 7_654_321)], frame.schema, orient="row")
    return pl.concat([frame, somebody])


def make_project(folder, **settings) -> Project:
    """Files, and a project that is not run yet."""
    folder.mkdir(exist_ok=True)
    with_canary(people(1)).write_csv(folder / "secret_people.csv")
    people(2, 121).write_csv(folder / "made.csv")
    return Project.create(
        str(folder / "secret_people.csv"), str(folder / "made.csv"), folder=str(folder),
        keys=["sex", "age", "region"], targets=["health", "income"], by=ANN,
        audience="registered", **settings,
    )  # fmt: skip


def copy_of(project: Project, folder) -> Project:
    shutil.copytree(project.folder, folder / "desk")
    return Project(folder / "desk")


def settle(project: Project, by: str = ANN) -> None:
    """Everything that a release needs, as the run names it."""
    answers = {
        need.about: ANSWERS.get(need.about, need.choices[0]) for need in project.standing().missing
    }
    project.sign(answers, reason="Twins on coarse columns.", by=by)


def release(project: Project) -> None:
    settle(project)
    project.decide("release", reason="Registered researchers only.", by=CARL)


def change(project: Project, old: str, new: str) -> None:
    text = project.file.read_text()
    assert old in text
    project.file.write_text(text.replace(old, new, 1))
