"""`unveil.assess`: which alerts, which exit code, who may accept what, and what is never shown."""

from random import Random

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.assessment.alerts import gate_alerts
from unveil.assessment.assess_release import assess_release
from unveil.assessment.key_set_alerts import key_set_sentence
from unveil.errors import UnveilError
from unveil.examples import survey, survey_synthetic
from unveil.records.alerts import Acceptance, GateEvidence, OwnValue

SCENARIO = {"keys": ["age", "town"], "targets": "ill"}
NO_LIMIT = {"tied": 100, "real_records": 100}


def clinic(seed: int) -> pl.DataFrame:
    rng = Random(seed)
    return pl.DataFrame(
        {
            "age": [rng.randrange(18, 80) for _ in range(300)],
            "town": rng.choices("abcdef", k=300),
            "ill": rng.choices("pqrst", k=300),
            "pay": [rng.randrange(9000) / 7 for _ in range(300)],
        }
    )


def with_column(frame: pl.DataFrame, name: str, values: list) -> pl.DataFrame:
    return frame.with_columns(pl.Series(name, values))


ORIGINAL, HONEST = clinic(1), clinic(2)
COPY = ORIGINAL.sample(fraction=1, shuffle=True, seed=1)
IS_C = pl.col("town") == "c"
GROUP = pl.concat([ORIGINAL.filter(IS_C), HONEST.filter(~IS_C)])
SURNAMES = [f"Kowal{k * 7919 % 9973:04}" for k in range(300)]


def statuses(result) -> dict[str, str]:
    return {one.id: one.status for one in result.alerts}


def assess(*files, **given) -> dict[str, str]:
    return statuses(unveil.assess(*files, **given))


@pytest.mark.parametrize(("bands", "asked"), [([20, 40, 60], False), ([23, 47], True)])
def test_steps_that_stay_within_declared_bands_are_no_other_coding(bands, asked):
    steps = HONEST.with_columns(pl.col("age") // 5 * 5)
    found = assess(ORIGINAL, steps, **SCENARIO, bands={"age": bands}, limits=NO_LIMIT)
    assert ("coding:age" in found) is asked


@pytest.mark.slow
def test_an_honest_file_is_quiet_and_a_copy_is_not():
    honest = unveil.assess(ORIGINAL, HONEST)
    assert (honest.exit_code, statuses(honest)) == (0, {})
    assert [one.what for one in honest.not_tested] == ["control"]
    copy = unveil.assess(ORIGINAL, COPY)
    blocking = {"real-records", "near-copies", "single-holder:pay"}
    blocking |= {f"own-value:{name}" for name in ORIGINAL.columns}
    assert copy.exit_code == 3
    assert blocking == {name for name, status in statuses(copy).items() if status == "block"}
    (real,) = (one for one in copy.alerts if one.id == "real-records")
    assert (real.kind, real.figure) == ("real_records", 100)
    assert real.sentence.startswith("300 of 300 people (100.0 %) have a unique record")


@pytest.mark.slow
def test_a_copied_group_is_for_a_person_to_decide():
    found = unveil.assess(ORIGINAL, GROUP, limits=NO_LIMIT)
    assert (found.exit_code, statuses(found)["group:town=c"]) == (4, "decide")
    assert {*statuses(found).values()} <= {"decide", "review"}
    why = {"group:town=c": ("the group is public", "A. Berg")}
    assert unveil.assess(ORIGINAL, GROUP, limits=NO_LIMIT, accept=why).exit_code == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limits", "name", "expected"),
    [
        ({"DiSCO": 0}, "limit:DiSCO:ill", "block"),
        ({"DiSCO": 100}, "limit:DiSCO:ill", None),
        ({"real_records": (5, 10)}, "real-records", "block"),
        ({"real_records": (5, 100)}, "real-records", "review"),
        ({"real_records": 100}, "real-records", None),
        ({"tied": (1, 5)}, "own-value:ill", "block"),
        ({"tied": (5, 100)}, "own-value:ill", "review"),
        ({"tied": 100}, "own-value:ill", None),
        ({"sensitive": 0}, "sensitive:ill=q", "block"),
        ({"sensitive": 100}, "sensitive:ill=q", "review"),
    ],
)
def test_a_limit_of_the_custodian_replaces_ours(limits, name, expected):
    found = assess(ORIGINAL, COPY, **SCENARIO, sensitive={"ill": ["q"]}, limits=limits)
    assert found.get(name) == expected


@pytest.mark.slow
def test_an_acceptance_holds_for_these_files_alone():
    why = {name: ("an exercise", "A. Berg") for name in assess(ORIGINAL, COPY)}
    found = unveil.assess(ORIGINAL, COPY, accept=why)
    digest = found.record.files_sha256
    assert found.exit_code == 0
    assert {(one.accepted.by, one.accepted.files_sha256) for one in found.alerts} == {
        ("A. Berg", digest)
    }
    other = unveil.assess(ORIGINAL, COPY.head(299)).record.files_sha256
    bindings = [(digest, digest, 0), (other, digest, 3), (None, digest, 3), (None, None, 3)]
    for bound, files, code in bindings:
        given = [Acceptance(alert=name, reason="r", by="b", files_sha256=bound) for name in why]
        again = assess_release(found.evidence, acceptances=given, files_sha256=files)
        assert again.exit_code == code


@pytest.mark.slow
@pytest.mark.parametrize(
    ("audience", "barred"),
    [("closed", set()), ("registered", set()), ("open", {"identifier:surname", "real-records"})],
)
def test_for_an_open_audience_nobody_accepts_identifiers_or_real_records(audience, barred):
    files = [with_column(one, "surname", SURNAMES) for one in (ORIGINAL, ORIGINAL)]
    given = {"identifiers": "surname", "audience": audience}
    why = {name: ("why", "who") for name in assess(*files, **given)}
    for name in barred:
        with pytest.raises(UnveilError, match="for an open audience no one can accept"):
            unveil.assess(*files, **given, accept={name: ("why", "who")})
    accepted = {name: pair for name, pair in why.items() if name not in barred}
    found = unveil.assess(*files, **given, accept=accepted)
    assert {one.id for one in found.alerts if one.accepted is None} == barred
    assert found.exit_code == (3 if barred else 0)


def test_a_declared_identifier_is_looked_for():
    original, real = (with_column(one, "badge", [*range(0, 900, 3)]) for one in (ORIGINAL, HONEST))
    assert assess(original, real, identifiers="badge")["identifier:badge"] == "block"
    fresh = with_column(HONEST, "badge", [*range(1, 900, 3)])
    assert assess(original, fresh, identifiers="badge") == {"identifier:badge": "review"}


@pytest.mark.slow
def test_a_control_sample_replaces_the_yardstick():
    """An eighth of real rows is beyond what reappears of people who were not used."""
    mixed = pl.concat([ORIGINAL.head(40), HONEST.head(260)])
    found = unveil.assess(ORIGINAL, mixed, control=clinic(3))
    assert statuses(found)["real-records"] == "block"
    assert (found.evidence.whole[0].control_share, found.not_tested) == (0, ())
    assert assess(ORIGINAL, HONEST, control=clinic(3)) == {}


def test_pooled_files_return_at_least_as_many_people_as_each():
    files = [pl.concat([half, HONEST.head(150)]) for half in (COPY.head(150), COPY.tail(180))]
    found = unveil.assess(ORIGINAL, files)
    n_back = {row.copy: row.n_reappearing for row in found.evidence.whole}
    assert n_back == {1: 150, 2: 180, "pooled": 300}
    assert statuses(found)["real-records:pooled"] == "block"


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"identifiers": "surnam"}, "The original has no column 'surnam'."),
        ({"limits": {"DiSKO": 5}}, "No limit can be set on 'DiSKO'."),
        ({"limits": {"tied": 101}}, "The limit of tied is 101. It is a percentage of people"),
        ({"limits": {"tied": "5"}}, "The limit of tied must be a number, or two"),
        ({"accept": {"real-records": ("why", "")}}, "must be a reason and a name"),
        ({"accept": {"real-records": "why"}}, "must be a reason and a name"),
        ({"keys": "aje", "targets": "ill"}, "no column 'aje'"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(given, sentence):
    with pytest.raises(UnveilError) as fault:
        unveil.assess(ORIGINAL, HONEST, **given)
    assert sentence in str(fault.value)


@pytest.mark.parametrize(
    "given",
    [
        {"limits": {"DiSCO": 0}},
        {"sensitive": {"ill": ["q"]}},
        {**SCENARIO, "sensitive": {"il": ["q"]}},
        {"targets": "ill"},
        {"audience": "Open"},
        {"limits": {"tied": (10, 5)}},
        {"accept": {"real-recods": ("why", "who")}},
    ],
)
def test_what_would_have_no_effect_is_refused(given):
    with pytest.raises(UnveilError):
        unveil.assess(ORIGINAL, HONEST, **given)


def test_hostile_names_are_shown_escaped():
    hostile = "\x1b[31mc\u202e<b>"
    turned = [
        one.with_columns(pl.col("town").replace("c", hostile)).rename({"ill": hostile})
        for one in (ORIGINAL, GROUP)
    ]
    given = {"keys": ["age", "town"], "targets": hostile, "sensitive": {hostile: ["q"]}}
    found = unveil.assess(*turned, **given)
    assert {one.kind for one in found.alerts if hostile in one.id} >= {"group", "sensitive_value"}
    for text in (repr(found), found._repr_html_()):
        assert "\\u001b[31mc\\u202e" in text
        assert not {"\x1b", "\u202e"} & {*text}
    assert "<b>" not in found._repr_html_()


def test_nothing_that_is_shown_holds_a_record():
    original = with_column(ORIGINAL, "surname", SURNAMES)
    copy = original.rename({"pay": "wage"})
    found = unveil.assess(original, copy, **SCENARIO, sensitive={"ill": ["q"]})
    assert found.exit_code == 3
    for text in (repr(found), found._repr_html_(), found.to_json(), str(found.to_dict())):
        cells = [*SURNAMES, *(f"{pay}" for pay in ORIGINAL["pay"] if pay % 1)]
        assert not [cell for cell in cells if cell in text]


@pytest.mark.slow
def test_frames_and_files_in_any_order_of_records_and_columns_give_the_same_alerts(tmp_path):
    found = unveil.assess(ORIGINAL, GROUP, **SCENARIO)
    paths = [tmp_path / "original.csv", tmp_path / "synthetic.csv"]
    for path, frame in zip(paths, (ORIGINAL, GROUP), strict=True):
        frame.write_csv(path)
    assert unveil.assess(*paths, **SCENARIO).alerts == found.alerts != ()
    mixed = GROUP.sample(fraction=1, shuffle=True, seed=3)
    files = [one.select(one.columns[::-1]) for one in (ORIGINAL, mixed)]
    turned = unveil.assess(*files, **SCENARIO)
    assert sorted(map(str, turned.alerts)) == sorted(map(str, found.alerts))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "letters"), [(60, "abcdef"), (45, "abcdefghi")])
def test_a_whole_copy_of_few_people_is_stopped(n, letters):
    rng = Random(0)
    original = pl.DataFrame({name: rng.choices(letters, k=n) for name in ("a", "b", "c")})
    assert unveil.assess(original, original).exit_code == 3


def test_renamed_columns_are_looked_at():
    found = assess(ORIGINAL, COPY.rename({name: f"{name}_" for name in COPY.columns}))
    assert {one.split(":")[0] for one in found} == {"extra-column"}


def test_a_column_without_control_people_keeps_its_limits():
    figures = {"links": 100, "own": 0.9, "neighbour": 0.1, "twin": None, "z": 9, "tied": 60}
    alone = OwnValue(copy=1, column="b", linked_by=("l",), **figures)
    first = OwnValue(copy=1, column="a", linked_by=("l",), **figures, control_own=0.9, excess=0)
    files = {"files": ("o", "s"), "n_original": 1000, "n_synthetic": (1000,), "compared": ("a",)}
    found = [
        gate_alerts(GateEvidence(**files, checks=("own values",), own=own))
        for own in ((alone,), (first, alone))
    ]
    assert found[0] == found[1]


def unlike(original: pl.DataFrame, synthetic: pl.DataFrame, keys: list[str]) -> set[str]:
    result = unveil.assess(original, synthetic, keys=keys, targets="ill", limits={"DiSCO": 50})
    return {one.id for one in result.alerts if one.id.startswith(("unmatched", "worse"))}


def test_keys_that_hardly_anybody_has_are_a_question():
    """By age and pay to the cent nobody is matched, so nothing was measured."""
    assert unlike(ORIGINAL, HONEST, ["age", "pay"]) == {"unmatched:age+pay"}
    assert unlike(ORIGINAL, HONEST, ["age", "town"]) == set()


def test_a_guess_worse_than_by_frequencies_is_a_question():
    """Most are p in the original, most are t in the synthetic data: 0.7 x 0.1 of guesses hold."""
    often, seldom = (
        with_column(ORIGINAL, "ill", [values[k % 10] for k in range(300)])
        for values in ("pppppppqrt", "tttttttqrp")
    )
    assert unlike(often, seldom, ["town"]) == {"worse-than-guessing:ill"}
    assert unlike(often, often.sample(fraction=1, shuffle=True, seed=3), ["town"]) == set()


def visits_of(n_people, seed, repeats):
    """Invented people; each row of theirs comes so many times."""
    draw = Random(seed)
    rows = []
    for person in range(n_people):
        own = (draw.choice("fm"), draw.randint(20, 80), draw.randint(100, 999))
        for _ in range(draw.randint(1, 3)):
            rows += [(f"P{person}", *own, draw.choice("abcdef"))] * repeats
    return pl.DataFrame(rows, ["who", "sex", "age", "height", "ward"], orient="row")


@pytest.mark.parametrize("repeats", [1, 2])
def test_with_people_rows_of_one_person_do_not_hide_each_other(repeats):
    original = visits_of(120, 1, repeats)
    copy = pl.concat(
        [original.drop("who")[: original.height // 2], visits_of(60, 2, 1).drop("who")]
    )
    made = unveil.assess(original, copy, person="who")
    (row,) = made.record.evidence.whole
    # By hand: rows that one person alone has, the people who have them, and the rows.
    shown = set(copy.rows())
    holders = {}
    for who, *values in original.rows():
        holders.setdefault(tuple(values), []).append(who)
    alone = {values: whose for values, whose in holders.items() if len(set(whose)) == 1}
    back = {values: whose for values, whose in alone.items() if values in shown}
    assert (row.n_unique, row.n_reappearing) == (len(alone), len(back))
    assert row.n_people == sum(len(set(whose)) for whose in holders.values())
    people = {whose[0] for whose in back.values()}
    n_rows = sum(map(len, back.values()))
    assert row.people.to_dict() == {
        "n_people": 120,
        "n_reappearing": len(people),
        "n_rows": n_rows,
    }
    (alert,) = (one for one in made.alerts if one.id == "real-records")
    share = f"{100 * len(people) / 120:.1f} %"
    assert alert.sentence.startswith(
        f"{len(people)} of 120 people ({share}; {n_rows} rows) have a unique record"
    )
    assert alert.figure == pytest.approx(100 * len(people) / 120)
    held = {}
    for who, value in zip(original["who"], original["height"], strict=True):
        held.setdefault(value, set()).add(who)
    (single,) = (one for one in made.record.evidence.single if one.column == "height")
    only = {value: min(whose) for value, whose in held.items() if len(whose) == 1}
    assert single.n_held == len(set(only.values()))
    there = set(copy["height"])
    assert single.n_reappearing == len({who for value, who in only.items() if value in there})


def test_without_people_the_evidence_is_of_rows():
    original = visits_of(120, 1, 1)
    plain = unveil.assess(original, visits_of(120, 2, 1).drop("who"), person="none")
    assert plain.record.evidence.person is None
    assert plain.record.evidence.whole[0].people is None


def test_a_limit_is_held_against_every_set_of_the_keys():
    # Two of five keys are drawn anew: with all five nobody is matched, with three everybody.
    rng = np.random.default_rng(3)
    n = 1500
    made = {name: rng.integers(0, 10, n) for name in "abcde"}
    original = pl.DataFrame({**made, "t": rng.integers(0, 6, n)}).cast(pl.String)
    fresh = {name: pl.Series(rng.integers(0, 10, n)).cast(pl.String) for name in "de"}
    keys = list("abcde")
    found = unveil.assess(
        original, original.with_columns(**fresh), keys=keys, targets="t", limits={"DiSCO": 20}
    )
    (alert,) = [one for one in found.alerts if one.id == "keysets:DiSCO:t"]
    assert (alert.status, found.exit_code) == ("block", 3)
    assert alert.figure > 20 > found.disclosure.attribute[0].DiSCO
    assert "uses only a, b and c" in alert.sentence
    honest = original.with_columns(t=pl.Series(rng.integers(0, 6, n)).cast(pl.String))
    found = unveil.assess(original, honest, keys=keys, targets="t", limits={"DiSCO": 5})
    assert {one.status for one in found.alerts if one.id.startswith("keysets")} <= {"review"}


def test_an_intruder_who_uses_all_of_the_keys_does_not_use_only_some():
    figure = unveil.key_sets(survey(), survey_synthetic(), keys=["sex", "age"], targets="health")
    (all_keys,) = [one for one in figure.record.find_figures("all_keys") if one.measure == "DiSCO"]
    assert "who uses sex and age reaches" in key_set_sentence(all_keys, 3, 0.0)
    assert "who uses only sex and age reaches" in key_set_sentence(all_keys, 7, 0.0)


def test_a_target_above_its_limit_with_all_keys_is_told_once():
    rng = np.random.default_rng(4)
    made = {name: rng.integers(0, 10, 400) for name in "abt"}
    original = pl.DataFrame(made).cast(pl.String)
    found = unveil.assess(original, original, keys=["a", "b"], targets="t", limits={"DiSCO": 1})
    assert [one.id for one in found.alerts if one.kind == "limit"] == ["limit:DiSCO:t"]
