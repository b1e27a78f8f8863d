"""A run against what people said: statuses, findings, what is missing, exit codes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from measure.small import ORIGINAL, SYNTHETIC, measured
from project_cases import FACTORS, a_run, figure, flagged, part
from unveil.assessment.assess_run import ProjectStatements, assess_run, status_of
from unveil.assessment.flag_rulings import ExclusionInForce, Ruling
from unveil.assessment.limits import limits_of
from unveil.assessment.outstanding import shell_quote
from unveil.records.disclosure import Flag
from unveil.records.judgement import Limit

OFFICER = "B. Smith, data protection"
ALL = frozenset(FACTORS)
RECORD = measured(ORIGINAL, SYNTHETIC).record
LIMIT = Limit(measure="DiSCO", review=5, limit=10, unit="percent", origin="o")


def said(values=None, **others):
    fields = {
        "audience": "registered",
        "accepted_by": OFFICER,
        "accepted_on": "2026-11-16",
        "answered": ALL,
        **others,
    }
    values = {"DiSCO": (5, 10)} if values is None else values
    return ProjectStatements(limits=limits_of(values), **fields)


def flag(exclusion, kind="one_way", n=10, copy=1, target="t"):
    key = "k" if kind == "two_way" else None
    return Flag(
        target=target,
        copy=copy,
        kind=kind,
        level="NO",
        key=key,
        key_level="1" if key else None,
        n=n,
        n_disclosive=20,
        n_level=50,
        n_all=60,
        percent=90.0,
        percent_all=80.0,
        by=None,
        segment=None,
        exclusion=exclusion,
        sentence=f"{n} are {exclusion}.",
    )


def judgement(value=1.0, flags=(), exclude=(), **others):
    from msgspec.structs import replace

    record = replace(flagged(RECORD, *flags), exclude=exclude)
    run = a_run((figure("DiSCO", value, copy=1),), (part("disclosure"),))
    return assess_run(run, [("neighbour", record)], said(**others))


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (0, "within"),
        (5, "within"),
        (5.000001, "review"),
        (10, "review"),
        (10.000001, "above"),
        (None, "not measured"),
    ],
)
def test_a_figure_is_within_up_to_the_first_number_and_above_beyond_the_second(value, status):
    assert status_of(value, LIMIT) == status
    assert status_of(value, None) == "no limit"


@pytest.mark.slow
@given(st.floats(0, 100), st.floats(0, 100), st.floats(0, 100))
def test_a_lower_figure_never_stands_worse(low, high, review):
    order = ["within", "review", "above"]
    low, high = sorted((low, high))
    limit = Limit(measure="DiSCO", review=review, limit=100, unit="percent", origin="o")
    assert order.index(status_of(low, limit)) <= order.index(status_of(high, limit))


def test_all_said_and_all_within_is_exit_code_0():
    found = judgement()
    assert (found.exit_code, found.missing, found.n_above) == (0, (), 0)
    assert found.headline == (
        "None of 1 figure is above the limits that B. Smith, data protection accepted. Nothing"
        " is outstanding before a decision."
    )


def test_a_figure_to_be_reviewed_does_not_shut_the_gate():
    found = judgement(value=7.0)
    assert (found.exit_code, found.n_review) == (0, 1)
    assert "1 of them to be reviewed" in found.headline


def test_a_limit_exceeded_is_exit_code_3_whatever_is_missing():
    found = judgement(value=12.0, answered=frozenset())
    assert (found.exit_code, found.n_above) == (3, 1)
    assert found.headline == (
        "1 figure of 1 with a limit is above the limits that B. Smith, data protection accepted;"
        " the furthest is DiSCO: 12.0 % (limit 10)."
    )


def test_limits_that_nobody_accepted_judge_nothing():
    found = judgement(value=99.0, accepted_by=None)
    assert [(row.status, row.limit) for row in found.figures] == [("no limit", None)]
    assert (found.exit_code, [one.kind for one in found.missing]) == (4, ["limits"])
    assert found.missing[0].fix == 'unveil limits --accept --by "Name, role"'
    assert found.headline.startswith("No verdict on run 1: no one has accepted limits.")


def test_no_limits_at_all_are_missing_too():
    found = judgement(values={}, accepted_by=None)
    assert found.missing[0].fix == 'unveil limits --preset registered --accept --by "Name, role"'


def test_what_has_a_limit_and_is_not_measured_counts_as_above_and_says_why():
    run = a_run(
        (figure("DiSCO", 1.0, copy=1),),
        (part("disclosure"), part("gtcap", state="not measured", reason="No column is near.")),
    )
    found = assess_run(run, [], said({"GTCAP": (0.1, 0.2)}))
    (row,) = [row for row in found.figures if row.status == "not measured"]
    assert (row.measure, row.reason, found.exit_code) == ("GTCAP", "No column is near.", 3)
    assert found.missing == ()  # it is told once
    assert found.headline.endswith("the first is GTCAP of gtcap neighbour: No column is near.")


def test_a_figure_that_is_not_defined_keeps_the_gate_shut():
    found = judgement(value=None)
    assert (found.exit_code, found.n_not_measured) == (3, 1)
    assert found.figures[0].reason == "it is not defined for these data"


def test_a_pair_of_constant_columns_has_nothing_that_could_differ():
    rows = (figure("S_pMSE", None, subject="a x b", copy=1), figure("S_pMSE", 2.0, copy=1))
    found = assess_run(a_run(rows), [], said({"S_pMSE": (3, 10)}))
    assert [(row.subject, row.status) for row in found.figures] == [(None, "within")]


def test_a_limit_on_what_the_run_does_not_have_is_missing_with_its_fix():
    found = judgement(values={"DiSCO": (5, 10), "R": (0.1, 0.2)})
    (missing,) = found.missing
    assert (found.exit_code, missing.kind) == (4, "measure")
    assert missing.sentence == "A limit is set on R, which the run does not have."
    assert "[data] control" in missing.fix
    assert "unveil limits --set R=off --accept" in missing.fix


def test_means_over_copies_are_not_judged_and_every_copy_and_the_pool_are():
    rows = tuple(figure("DiSCO", 1.0, copy=one) for one in (1, 2, "mean", "pooled"))
    found = assess_run(a_run(rows), [], said())
    assert [row.copy for row in found.figures] == [1, 2, "pooled"]


def test_an_open_finding_is_missing_with_the_command_that_rules_on_it():
    found = judgement(flags=[flag("t=NO")])
    (missing,) = found.missing
    assert found.exit_code == 4
    assert missing.sentence == "Open flag neighbour/t=NO: 10 are t=NO."
    assert missing.fix == (
        'unveil rule "neighbour/t=NO" --common-knowledge --reason "..." --by "Name, role" (or'
        " --keep)"
    )


def test_an_id_that_a_shell_would_read_is_quoted_so_that_it_does_not():
    (missing,) = judgement(flags=[flag('t="$(x)"')]).missing
    assert "unveil rule 'neighbour/t=\"$(x)\"' --common" in missing.fix


def test_a_finding_of_several_copies_is_one_and_from_the_worst():
    found = judgement(flags=[flag("t=NO", n=5), flag("t=NO", n=9, copy=2), flag("t=NO", n=7)])
    assert [(one.id, one.n) for one in found.findings] == [("neighbour/t=NO", 9)]


def ruling(finding, accept=True):
    return Ruling(finding, accept, "why", OFFICER, "2026-11-16")


@pytest.mark.parametrize(("accept", "state"), [(True, "common knowledge"), (False, "keep")])
def test_a_ruling_closes_its_finding(accept, state):
    found = judgement(flags=[flag("t=NO")], rulings=(ruling("neighbour/t=NO", accept),))
    (one,) = found.findings
    assert (one.state, one.reason, one.by, one.on) == (state, "why", OFFICER, "2026-11-16")
    assert found.exit_code == 0


def test_a_ruling_of_another_scenario_closes_nothing():
    found = judgement(flags=[flag("t=NO")], rulings=(ruling("colleague/t=NO"),))
    assert found.findings[0].state == "open"


@pytest.mark.parametrize(
    ("audience", "state"), [("closed", "keep"), ("registered", "keep"), ("open", "open")]
)
def test_pairs_of_one_target_may_be_ruled_together_unless_the_audience_is_open(audience, state):
    found = judgement(
        flags=[flag("t=NO@k=1", "two_way"), flag("t=NO@k=2", "two_way")],
        rulings=(ruling("neighbour/t two-way", accept=False),),
        audience=audience,
    )
    assert {one.state for one in found.findings} == {state}


def test_a_ruling_on_pairs_says_nothing_of_a_level_alone():
    found = judgement(flags=[flag("t=NO")], rulings=(ruling("neighbour/t two-way"),))
    assert found.findings[0].state == "open"


@pytest.mark.parametrize(
    ("audience", "state"),
    [("closed", "not needed"), ("registered", "open"), ("open", "open"), (None, "open")],
)
def test_the_quick_route_needs_no_ruling_where_the_audience_is_closed(audience, state):
    found = judgement(flags=[flag("t=NO")], exclude=("max-denominator=1",), audience=audience)
    assert found.findings[0].state == state


def test_an_exclusion_that_was_kept_since_the_run_closes_the_finding():
    entry = ExclusionInForce(None, "t=NO", "known", OFFICER, None)
    found = judgement(flags=[flag("t=NO")], exclusions=(entry,))
    assert (found.findings[0].state, found.findings[0].reason) == ("common knowledge", "known")
    elsewhere = ExclusionInForce("colleague", "t=NO", "known", OFFICER, None)
    assert judgement(flags=[flag("t=NO")], exclusions=(elsewhere,)).findings[0].state == "open"


PAIR = "t=NO@k=1"


def test_a_pair_is_settled_with_its_level():
    accepted = judgement(flags=[flag(PAIR, "two_way")], rulings=(ruling("neighbour/t=NO"),))
    assert (accepted.findings[0].state, accepted.findings[0].by) == ("common knowledge", OFFICER)
    entry = ExclusionInForce(None, "t=NO", "known", OFFICER, None)
    excluded = judgement(flags=[flag(PAIR, "two_way")], exclusions=(entry,))
    assert (excluded.findings[0].state, excluded.findings[0].reason) == (
        "common knowledge",
        "known",
    )


def test_a_level_that_is_kept_settles_no_pair():
    kept = ruling("neighbour/t=NO", accept=False)
    assert judgement(flags=[flag(PAIR, "two_way")], rulings=(kept,)).findings[0].state == "open"


def test_a_ruling_of_its_own_goes_before_that_of_its_level():
    both = (ruling("neighbour/t=NO"), ruling(f"neighbour/{PAIR}", accept=False))
    assert judgement(flags=[flag(PAIR, "two_way")], rulings=both).findings[0].state == "keep"


def test_every_unanswered_question_is_missing_and_so_is_the_audience():
    found = judgement(answered=ALL - {"other_sources"}, audience=None)
    assert [one.kind for one in found.missing] == ["context", "context"]
    assert found.missing[0].sentence == "The audience of the release is not stated."
    assert found.missing[1].fix == 'unveil answer other_sources "..." --by "Name, role"'


def test_four_eyes_need_the_name_of_the_one_who_ran_it():
    run = a_run((figure("DiSCO", 1.0, copy=1),), by=None)
    found = assess_run(run, [], said(four_eyes=True))
    assert [one.kind for one in found.missing] == ["four_eyes"]
    assert assess_run(run, [], said()).missing == ()


def test_what_changed_since_the_run_is_told_and_is_no_verdict():
    found = assess_run(a_run((figure("DiSCO", 1.0),)), [], said(), stale=("The file changed.",))
    assert (found.is_current, found.stale) == (False, ("The file changed.",))


def test_the_farthest_is_measured_by_its_own_limit():
    rows = (figure("DiSCO", 20.0, target="a", copy=1), figure("repU", 90.0, copy=1))
    found = assess_run(a_run(rows), [], said({"DiSCO": (1, 2), "repU": (10, 60)}))
    assert found.headline.endswith("the furthest is DiSCO of a: 20.0 % (limit 2).")


def test_a_positive_figure_is_never_shown_as_nothing():
    found = assess_run(a_run((figure("DiSCO", 0.01, copy=1),)), [], said({"DiSCO": (0, 0)}))
    assert "less than 0.1 %" in found.headline


def test_what_changed_since_the_run_shuts_the_gate_and_is_in_the_headline():
    one = figure("DiSCO", 1.0, copy=1)
    found = assess_run(a_run((one,)), [], said(), stale=("The file changed.",))
    assert (found.exit_code, found.missing) == (4, ())
    assert found.headline.endswith(
        "Files or settings have changed since: measure again before a decision, unveil run."
    )
    above = assess_run(a_run((figure("DiSCO", 50.0),)), [], said(), stale=("The file changed.",))
    assert above.exit_code == 3
    assert "have changed since" in above.headline


@pytest.mark.parametrize(
    ("parts", "fix"),
    [
        (
            (part("utility", name="utility", scenario=None),),
            "Declare a scenario, [[scenario]] with name and keys in project.toml, and run again:"
            " unveil run",
        ),
        (
            (part("suda"),),
            'Let a scenario measure it: measures = ["disclosure"] in a [[scenario]], or no such'
            " line, and run again: unveil run",
        ),
        (
            (part("disclosure", state="not measured", reason="Keys differ."),),
            "Correct this and run again: Keys differ.",
        ),
    ],
)
def test_a_copy_whose_disclosure_nobody_measured_passes_no_gate(parts, fix):
    run = a_run((figure("S_pMSE", 1.0, copy=1),), parts)
    found = assess_run(run, [], said({"S_pMSE": (3, 10)}))
    (missing,) = found.missing
    assert (found.exit_code, missing.kind, missing.fix) == (4, "measure", fix)
    assert missing.sentence == "No scenario measured disclosure."


def test_without_a_copy_the_headline_says_that_none_is_judged():
    table = part("sap", name="sap t", scenario=None)
    run = a_run((figure("SAP", 0.0, part="sap t"),), (table,), n_synthetic=())
    found = assess_run(run, [], said({"SAP": (0.1, 0.2)}))
    assert (found.exit_code, found.missing) == (0, ())
    assert (
        "The project names no synthetic file: only the original and tables are assessed"
    ) in found.headline


@pytest.mark.parametrize(
    ("run", "fix"),
    [
        (a_run(parts=(), n_synthetic=()), "Name a synthetic file, [data] synthetic"),
        (a_run(parts=()), "Declare a scenario, [[scenario]]"),
        (a_run(parts=(part("suda"),)), "Let a scenario measure it: measures = ["),
    ],
)
def test_the_fix_of_a_limit_that_the_run_cannot_answer_fits_what_it_lacks(run, fix):
    found = assess_run(run, [], said({"DiSCO": (5, 10)}))
    told = [one.fix for one in found.missing if "A limit is set on DiSCO" in one.sentence]
    assert [one.startswith(fix) for one in told] == [True]


def test_limits_that_are_not_in_force_say_why():
    found = judgement(accepted_by=None, not_in_force="the limits were changed since Ann accepted")
    assert found.exit_code == 4
    assert found.missing[0].sentence == (
        "The limits were changed since Ann accepted, so they are not in force."
    )
    assert found.headline.startswith("No verdict on run 1: the limits were changed since Ann")


def test_what_cannot_be_printed_is_written_so_that_a_shell_reads_it():
    assert shell_quote("a b") == '"a b"'
    assert shell_quote("it's \x1b\\\u202e") == r"$'it\'s \x1b\\\U0000202e'"
