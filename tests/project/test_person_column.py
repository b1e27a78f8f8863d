"""A project of a file with several rows for a person: from raw file to verdict, and bad input."""

import random

import polars as pl
import pytest
from click.testing import CliRunner

import unveil
from oracles import people as oracle
from unveil.cli.commands import Commands
from unveil.errors import InputError
from unveil.project.fingerprint import settings_sha256
from unveil.project.protect import plan_protection
from unveil.project.read_project import project_from, read_project

N_PEOPLE = 300
KNOWN = "2d36d12767ccedef6ccb9ec073592058a197f525ed775c1360d4dea6f786c6fe"
KEYS = ["birth_year", "region", "sex"]
PERSON = 'person = "patient_id"'


def visits(seed, n_people=N_PEOPLE):
    """Invented people, each with a sex, a year of birth and a region, and one to five visits."""
    draw = random.Random(seed)
    rows = []
    for person in range(n_people):
        own = (draw.choice("fm"), draw.randint(1940, 2005), draw.choice(["north", "south", "east"]))
        rows += [
            (f"P{7919 * person + 104729}", *own, draw.choice("abc"), draw.choice(["flu", "none"]))
            for _ in range(draw.randint(1, 5))
        ]
    schema = ["patient_id", "sex", "birth_year", "region", "ward", "diagnosis"]
    return pl.DataFrame(rows, schema=schema, orient="row")


def typed(*arguments):
    """Exit code and standard output of a command."""
    done = CliRunner().invoke(Commands("unveil"), [*arguments], standalone_mode=False)
    assert done.exception is None
    return done.return_value or 0, done.stdout


@pytest.fixture
def folder(tmp_path, monkeypatch):
    visits(1).write_csv(tmp_path / "visits.csv")
    visits(2).drop("patient_id").write_csv(tmp_path / "copy.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def mine(folder):
    """The project as `init` proposes it."""
    code, shown = typed("init", "visits.csv", "--synthetic", "copy.csv")
    assert code == 0
    assert f"rows of {N_PEOPLE} people" in shown
    return folder


def change(folder, old, new):
    path = folder / "project.toml"
    text = path.read_text("utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), "utf-8")


def oracle_rows(frame, target):
    return [
        (row.get("patient_id"), tuple(row[key] for key in KEYS), row[target])
        for row in frame.to_dicts()
    ]


@pytest.mark.slow
def test_init_proposes_the_person_and_a_run_counts_people_as_the_oracle_does(mine):
    project = read_project(mine)
    assert project.roles.person == "patient_id"
    assert project.roles.identifier == ("patient_id",)
    assert project.scenarios[0].keys == tuple(KEYS)
    run = unveil.Project(mine).run()
    record = run.parts["disclosure neighbour"]
    original, copy = visits(1), visits(2).drop("patient_id")
    assert {row.target for row in record.people.rows} == {None, "ward", "diagnosis"}
    figures = {(row.measure, row.target): row.value for row in run.judgement.figures}
    for target in ("ward", "diagnosis"):
        found = oracle.figures(oracle_rows(original, target), oracle_rows(copy, target))
        for measure, value in found.items():
            of = target if measure not in ("UiO", "UiOiS", "repU") else None
            of_people = record.percent_of_people(measure, of, 1)
            assert of_people == pytest.approx(float(value), abs=1e-9)
            row = record.identity_of(1) if of is None else record.attribute_of(of, 1)
            assert figures[measure, of] == max(of_people, getattr(row, measure))
    fewest = oracle.fewest_sharing(oracle_rows(original, "ward")).values()
    alone = 100 * sum(n == 1 for n in fewest) / N_PEOPLE
    assert figures["unique", None] == pytest.approx(alone)
    assert figures["match_risk", None] == pytest.approx(sum(1 / n for n in fewest) / N_PEOPLE)
    assert not [one for one in run.alerts if one.kind in ("person", "identifier")]
    said = [one.sentence for one in run.judgement.not_tested]
    assert "Counted rows, not people: exclusion_table, cap, tcap, gtcap." in said
    repeats = f"repeats: {original.height:,} rows of 300 people."
    assert [
        one for one in said if one.startswith(f"{repeats} Of the checks of the files, those of")
    ]


@pytest.mark.slow
def test_a_person_that_nobody_declares_is_to_be_decided(mine):
    change(mine, PERSON, "# nobody says whose row it is")
    change(mine, "identifier = []", 'identifier = ["patient_id"]')
    asked = [one for one in unveil.Project(mine).run().alerts if one.kind == "person"]
    assert [(one.id, one.status, one.columns) for one in asked] == [
        ("person:patient_id", "decide", ("patient_id",))
    ]
    assert asked[0].sentence.endswith("rows of 300 people. Figures count rows, not people.")
    assert 'person = "patient_id" under [roles] in project.toml' in asked[0].action
    change(mine, "# nobody says whose row it is", 'person = "none" #')
    run = unveil.Project(mine).run()
    assert run.parts["disclosure neighbour"].people is None
    assert not [one for one in run.alerts if one.kind == "person"]
    asked = ("disclosure", "visits.csv", "copy.csv", "-k", ",".join(KEYS), "-t", "ward")
    limits = ("--limit", "DiSCO=100", "--limit", "tied=100")
    codes = {
        person: typed(*asked, *limits, *person)[0]
        for person in ((), ("--person", "patient_id"), ("--person", "none"))
    }
    assert codes == {(): 4, ("--person", "patient_id"): 0, ("--person", "none"): 0}


@pytest.mark.slow
def test_rows_without_a_value_are_people_of_their_own(mine):
    gaps = visits(1).with_columns(
        patient_id=pl.when(pl.int_range(pl.len()) >= 10).then("patient_id")
    )
    gaps.write_csv(mine / "visits.csv")
    record = unveil.Project(mine).run().parts["disclosure neighbour"]
    assert record.people.person.n_people == gaps["patient_id"].n_unique() - 1 + 10
    found = oracle.figures(oracle_rows(gaps, "ward"), oracle_rows(visits(2), "ward"))
    assert record.percent_of_people("DiSCO", "ward", 1) == pytest.approx(float(found["DiSCO"]))


def test_the_column_is_neither_synthesised_nor_protected(mine):
    assert typed("synthesise", "--seed", "1")[0] == 0
    (copy,) = (mine / "copies" / "0001").glob("FAKE_*.csv")
    assert pl.read_csv(copy).columns == visits(1).columns[1:]
    step = '[[protect.step]]\ndo = "round"\ncolumn = "birth_year"\nto = 5\n'
    change(mine, "\n[context]", f"\n{step}\n[context]")
    assert plan_protection(read_project(mine))[1] == ("patient_id",)
    text = (mine / "project.toml").read_text("utf-8").replace(PERSON, 'person = "none"')
    (mine / "project.toml").write_text(text, "utf-8")
    assert plan_protection(read_project(mine))[1] == ()


STEPS = """
[[protect.step]]
do = "round"
column = "birth_year"
to = 5

[[protect.step]]
do = "synthesise"

[[protect.step]]
do = "distance_filter"
columns = ["birth_year", "sex"]
metric = "gower"

[[protect.step]]
do = "remove_replicated_uniques"
"""


def test_a_project_is_protected_by_person(mine):
    change(mine, "\n[context]", f"\n{STEPS}\n[context]")
    made = unveil.Project(mine).protect(seed=1, sweep=[40, 5])
    record = made.record
    assert record.synthesis.person.n_people == record.removal.person.n_people == N_PEOPLE
    assert "patient_id" not in made.result.s3.columns
    assert "patient_id" not in made.result.recoded.columns
    assert "leaves of at least 33 people." in record.steps[1].sentence
    near = f"nearest to {record.refill.n_people_near} of {N_PEOPLE} people."
    assert record.steps[2].sentence.endswith(near)
    assert {row.min_leaf for row in record.sweep} == {5, 33, 40}
    (note,) = (one for one in record.synthesis.notes if "repeats" in one)
    assert "Leaves and rare levels were counted by person." in note


def test_leaves_larger_than_the_people_are_refused_and_so_is_dropping_the_column(mine):
    change(mine, "\n[context]", f"\n{STEPS}\n[synthesis]\nmin_leaf = 301\n\n[context]")
    with pytest.raises(InputError, match="min_leaf is 301, but the original has 300 people"):
        unveil.Project(mine).protect(seed=1)
    drop = STEPS.replace('"round"\ncolumn = "birth_year"\nto = 5', '"drop"\ncolumn = "patient_id"')
    change(mine, STEPS, drop)
    with pytest.raises(
        InputError,
        match=("'patient_id' identifies the person of a row and is never in the synthetic data"),
    ):
        unveil.Project(mine).protect(seed=1)


@pytest.mark.slow
def test_with_a_control_sample_people_are_attacked(folder):
    visits(3).write_csv(folder / "control.csv")
    typed("init", "visits.csv", "--synthetic", "copy.csv", "--control", "control.csv")
    parts = unveil.Project(folder).run().parts
    assert parts["excess neighbour"].n_train == parts["excess neighbour"].n_control == N_PEOPLE
    for name in ("inference neighbour", "linkability neighbour"):
        assert {row.n_found for row in parts[name].rows} == {N_PEOPLE}
    assert parts["membership"].n_attacked_original == N_PEOPLE
    (note,) = (one for one in parts["singling_out"].coercions if one.kind == "person")
    assert note.sentence.startswith("'patient_id' repeats: ")
    assert "A predicate singles out a person where all rows that" in note.sentence
    assert parts["singling_out"].person.n_people == N_PEOPLE


HEAD = 'schema = 1\n[data]\noriginal = "visits.csv"\nsynthetic = ["copy.csv"]\n[roles]\n'
SCENARIO = '[[scenario]]\nname = "one"\nkeys = ["sex"]\n'
SAYS = (
    "'{}' identifies the person of a row, so it cannot be a key or a target. Remove it from the"
    " keys and"
)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            'person = ["ward"]\n',
            "project.toml, line 6: person is of type list. Name one column, as text.",
        ),
        (
            'key = ["ward"]\nperson = "ward"\n',
            "project.toml, line 7: 'ward' cannot be key and person: a column has one role here.",
        ),
        (
            'weight = "ward"\nperson = "ward"\n',
            "project.toml, line 7: 'ward' cannot be weight and person: a column has one role here.",
        ),
        (
            f'person = "sex"\n{SCENARIO}',
            f"project.toml, line 9: Column {SAYS.format('sex')} targets.",
        ),
        (
            f'person = "ward"\n{SCENARIO}targets = ["ward"]\n',
            f"project.toml, line 10: Column {SAYS.format('ward')} targets.",
        ),
        (
            f'person = "patient"\n{SCENARIO}',
            "project.toml, line 6: The original (visits.csv) has no column 'patient'. Did you mean"
            " 'patient_id'?",
        ),
    ],
)
def test_faults_are_told_with_their_line(folder, more, said):
    (folder / "project.toml").write_text(HEAD + more, "utf-8")
    with pytest.raises(InputError) as refusal:
        unveil.Project(folder).run()
    assert refusal.value.exit_code == 2
    assert str(refusal.value).startswith(said)
    assert "\n" not in str(refusal.value)


def test_a_person_may_be_listed_as_an_identifier_and_settings_without_one_are_as_before(folder):
    def read(more):
        return project_from(folder / "project.toml", HEAD + more + SCENARIO)

    both = read('identifier = ["patient_id"]\nperson = "patient_id"\n')
    assert both.roles.identifier == ("patient_id",)
    listed, plain = read('identifier = ["patient_id"]\n'), read("")
    assert len({settings_sha256(one) for one in (both, listed, plain)}) == 3
    # As the version before there was such a role wrote it into its runs.
    assert settings_sha256(plain) == KNOWN
