"""Small tables whose figures were counted one by one, as fractions (cases.json)."""

import json
from fractions import Fraction

import polars as pl
import pytest

import unveil
from reference import differing, reference
from unveil.measures.attribution.formulas import line_through

CASES = json.loads(reference("measures/cases.json").read_text())["cases"]


def cases(measure):
    of_measure = [case for case in CASES if case["measure"] == measure]
    return pytest.mark.parametrize("case", of_measure, ids=lambda case: case["id"])


def study_of(tables, original="original", **about):
    names = [f"c{place}" for place in range(len(tables[original][0]))]

    def frame(rows):
        return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)

    synthetic = tables["synthetic"]
    copies = synthetic if isinstance(synthetic[0][0], list) else [synthetic]
    keys, target = ([names[place] for place in tables[role]] for role in ("keys", "targets"))
    if "held_out" in tables:
        about["control"] = frame(tables["held_out"])
    targets = target if len(target) == 1 else [tuple(target)]
    copies = [frame(rows) for rows in copies]
    return unveil.Study(frame(tables[original]), copies, keys=keys, targets=targets, **about)


def plain(value):
    return float(Fraction(value)) if isinstance(value, str) else value


NAMES = {"n": "people", "n_match": "matched", "cap_o": "cap_original", "cap_b": "cap_baseline"}
NAMES |= {"cap_s_zero": "cap_synthetic_zero", "cap_s_undefined": "cap_synthetic_undefined"}
TCAP = {"n_selected": "selected", "n_undefined": "undefined", "tcap": "tcap"}


@cases("cap")
def test_cap_tcap_gcap_and_the_scores_of_records(case):
    expected = case["expected"]
    study = study_of(case["input"])
    result = unveil.cap(study, groups=("full", "uniques"))
    half = unveil.cap(study, groups="full", tau=0.5)
    rows = {(row.group, row.m): row for row in result.cap}
    wanted = {("full", m): row for m, row in enumerate(expected["nested"], start=1)}
    wanted["uniques", len(expected["nested"])] = expected["uniques"]
    published = {
        (*place, name): plain(figures[name]) for place, figures in wanted.items() for name in NAMES
    }
    measured = {(*place, name): rows[place][NAMES[name]] for place in wanted for name in NAMES}
    for name, of_tau in (("tcap_m1", result), ("tcap_tau_half_m1", half)):
        published |= {(name, symbol): plain(expected[name][symbol]) for symbol in TCAP}
        measured |= {(name, symbol): of_tau.tcap[0][TCAP[symbol]] for symbol in TCAP}
    published["gcap"], measured["gcap"] = plain(expected["gcap_m1"]), result.gcap[0].gcap
    records = result.records()
    for name in ("cap_o", "cap_s"):
        scores = records.filter(file="original")[name.replace("_o", "_original").replace(
            "_s", "_synthetic")]  # fmt: skip
        published |= {(name, j): plain(row[name]) for j, row in enumerate(expected["per_record"])}
        measured |= {(name, j): score for j, score in enumerate(scores)}
    assert differing(measured, published) == {}


@cases("cap")
def test_weap_of_each_synthetic_record(case):
    tables = case["input"] | {"synthetic": case["input"]["synthetic"][0]}
    records = unveil.cap(study_of(tables), groups="full").records().filter(file="synthetic")
    assert records["weap"].to_list() == pytest.approx(list(map(plain, case["expected"]["weap_m1"])))


@cases("cap_on_m")
def test_the_line_through_copies(case):
    tables, expected = case["input"], case["expected"]
    line = line_through(list(zip(tables["m"], tables["cap"], strict=True)))
    names = {"intercept": "intercept", "slope": "slope", "se_slope": "se_slope", "p_slope": "p"}
    measured = {(name,): line[own] for name, own in names.items()}
    assert differing(measured, {(name,): expected[name] for name in names}) == {}


@cases("differential_confidentiality")
def test_differential_confidentiality(case):
    study = study_of(case["input"], "synthesised")
    rows = unveil.differential_confidentiality(study).difference
    row = {row.nonmatch: row for row in rows if row.m == len(case["input"]["synthetic"])}
    names = {"n_a": "training_people", "n_b": "control_people", "mean_a": "training"}
    names |= {"mean_b": "control", "diff": "difference", "t": "t", "df": "df", "p": "p"}
    published = {(n, name): case["expected"][n][name] for n in row for name in names}
    measured = {(n, name): row[n][names[name]] for n in row for name in names}
    assert differing(measured, published) == {}


@cases("gtcap")
def test_gtcap(case):
    tables, expected = case["input"], case["expected"]
    columns = {f"c{place}": {"tolerance": radius} for place, radius in tables["radii"].items()}
    study = study_of(tables, columns=columns)
    if not columns:  # categories alone: CAP of those alone with their keys
        cap = unveil.cap(study, groups="uniques").cap[0]
        wanted = expected["all_keys"]
        assert cap.people == wanted["n_unique"]
        assert cap.cap_synthetic_zero == pytest.approx(wanted["mean_synth"])
        assert cap.cap_baseline == pytest.approx(wanted["mean_base"])
        return
    for uniques in ("all_keys", "key"):
        wanted = expected[uniques]
        result = unveil.gtcap(study, uniques=uniques)
        names = {"n_unique": "uniques", "n_degenerate": "dropped", "mean": "GTCAP"}
        names |= {"mean_synth": "synthetic_mean", "mean_base": "baseline_mean"}
        names |= {"mean_orig": "original_mean"}
        measured = {(name,): result.gtcap[0][own] for name, own in names.items()}
        assert differing(measured, {(name,): wanted[name] for name in names}) == {}
        records = result.records()
        assert records["row"].to_list() == [j for j, is_in in enumerate(wanted["unique"]) if is_in]
        scores = records.select("synthetic", "baseline", "original", "GTCAP").rows()
        assert differing(cells(scores), cells(wanted["rows"])) == {}


def cells(rows):
    return {(j, place): value for j, row in enumerate(rows) for place, value in enumerate(row)}
