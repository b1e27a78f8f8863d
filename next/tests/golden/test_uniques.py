"""SUDA by brute force and by sdcMicro 5.8.1, and sdcMicro's frequencies, risks and diversity.

Left out, for it is not promised: normalised scores, contributions of keys to single records,
missing keys as a level in SUDA, `alpha` below 1, entropy and recursive diversity. And what sdcMicro
does otherwise (suda/SEMANTICS.md): one key, which it refuses; two, padded to three; uniques in one
bucket of its hash table, where its DIS is NaN; keys that are relabellings of each other.
"""

import csv
import json
from functools import cache

import polars as pl
import pytest

import unveil
from reference import FIGURES, differing, reference

SUDA = sorted(path.stem for path in reference("suda").glob("???_*.json"))
SDCMICRO = {
    "f01_small5": "s05_small5",
    "f02_small5_weights": "s05_small5",
    "f03_missing": "s06_missing",
    "f04_medium6_weights": "m01_medium6",
    "f05_testdata": "x02_testdata",
}
FRACTIONS = ("0.01", "0.1")
NO_PEER = ("s09_onekey", "s15_twokeys_singles")
NO_PEER_DIS = (*NO_PEER, "s12_hashclash")


def numbers(name, column):
    with reference(f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return [float(row[column]) for row in csv.DictReader(file)]


@cache
def totals(name):
    return json.loads(reference(f"{name}.json").read_text())


def per_record(name, column, figures):
    """By the number of the record; whoever is not listed has 0."""
    values = numbers(name, column)
    known = dict(figures)
    return {(str(row),): known.get(row, 0) for row in range(len(values))}, {
        (str(row),): value for row, value in enumerate(values)
    }


def study_of(name, **about):
    return unveil.Study(reference(f"suda/{name}.csv"), keys=totals(f"suda/{name}")["keys"], **about)


def records(name):
    """What is known of single records: column of the set, ours, how near, for which fraction."""
    yield "n_msu", "sets", 1e-12, "0.01"
    yield "suda", "score", 1e-9, "0.01"
    yield "special", "special", 1e-12, "0.01"
    if name not in NO_PEER:
        yield "sdcmicro_score", "score", 1e-9, "0.01"
    for fraction in FRACTIONS:
        yield f"dis_{fraction}", "DIS", 1e-9, fraction
        if name not in NO_PEER_DIS:
            yield f"sdcmicro_dis_{fraction}", "DIS", 1e-6, fraction


@pytest.mark.parametrize("name", SUDA)
def test_each_record_has_its_sets_score_and_dis(name):
    for column, ours, near, fraction in records(name):
        frame = unveil.suda(study_of(name), fraction=float(fraction)).records()
        pairs = zip(frame["row"], frame[ours], strict=True)
        measured, published = per_record(f"suda/{name}.scores", column, pairs)
        assert differing(measured, published, rel=near) == {}, column


def of_file(name):
    """What is known of a whole file."""
    known = totals(f"suda/{name}")
    yield from ((("sets", size), number) for size, number in known["msus_by_size"].items())
    yield from ((("DIS", fraction), value) for fraction, value in known["dis_file"].items())
    parts = known["attribute_contribution_percent"]
    if known["positive"]:
        yield from ((("share of score", key), value) for key, value in parts.items())
        yield ("threshold",), known["special_threshold"]
    yield ("special",), known["special"]
    yield ("uniques",), known["uniques_missing_as_category"]


@pytest.mark.parametrize("name", SUDA)
def test_the_file_has_its_totals(name):
    results = {f: unveil.suda(study_of(name), fraction=float(f)) for f in FRACTIONS}
    result = results["0.01"]
    row = result.uniques[0]
    measured = {("DIS", f): other.uniques[0].DIS for f, other in results.items()}
    measured |= {("sets", str(size.size)): size.sets for size in result.sizes}
    measured |= {("share of score", key.key): key.share_of_score for key in result.keys}
    measured |= {("threshold",): row.special_threshold, ("special",): row.special}
    measured |= {("uniques",): row.uniques}
    assert differing(measured, dict(of_file(name))) == {}


@cache
def match_risk(name):
    known, data = totals(f"sdcmicro/{name}"), pl.read_csv(
        reference(f"suda/{SDCMICRO[name]}.csv"), infer_schema=False
    )  # fmt: skip
    study = unveil.Study(
        data.with_columns(w=pl.Series(numbers(f"sdcmicro/{name}", "w"))),
        keys=known["keys"],
        targets=known.get("ldiversity_sensitive", ()),
        columns={"w": "weight"},
    )
    return unveil.match_risk(study, wildcard=True)


def of_match_risk(name):
    """The columns of single records, and the totals."""
    yield from (("fk", "k"), ("Fk", "population"))
    if name != "f01_small5":
        yield from (("rk", "risk"), ("sdc_risk", "risk"))


@pytest.mark.parametrize("name", SDCMICRO)
def test_each_record_has_sdcmicros_frequencies_and_risk(name):
    frame = match_risk(name).records()
    for column, ours in of_match_risk(name):
        measured, published = per_record(f"sdcmicro/{name}", column, enumerate(frame[ours]))
        assert differing(measured, published, rel=1e-12) == {}, column


def of_sample(name):
    known = totals(f"sdcmicro/{name}")
    yield from ((("below", str(k)), known[f"violate_{k}_anonymity"]) for k in (2, 3, 5))
    if name != "f01_small5":
        for field in ("global_risk", "sdc_global_risk"):
            yield (field,), known[field]
        for field in ("global_risk_expected_reidentifications", "sdc_risk_ER"):
            yield (field,), known[field]
    if "ldiversity_sensitive" in known:
        values = numbers(f"sdcmicro/{name}", "ldiv_sens_Distinct_Ldiversity")
        yield ("lowest",), min(values)
        yield from ((("diversity", str(n)), sum(v < n for v in values)) for n in (2, 3))


@pytest.mark.parametrize("name", SDCMICRO)
def test_the_sample_has_sdcmicros_totals(name):
    result = match_risk(name)
    row = result.risk[0]
    measured = {("below", str(k.k)): k.people for k in result.anonymity}
    measured |= dict.fromkeys([("global_risk",), ("sdc_global_risk",)], row.global_risk)
    names = ("global_risk_expected_reidentifications", "sdc_risk_ER")
    measured |= {(name,): row.expected_matches for name in names}
    for of in result.diversity:
        measured |= {("lowest",): of.lowest}
        measured |= {("diversity", "2"): of.below_2, ("diversity", "3"): of.below_3}
    assert differing(measured, dict(of_sample(name)), rel=1e-12) == {}


def test_the_last_line_counts_all_of_these_figures():
    suda = sum(
        len(list(records(name))) * totals(f"suda/{name}")["records"] + len(list(of_file(name)))
        for name in SUDA
    )
    sdcmicro = sum(
        len(list(of_match_risk(name))) * totals(f"sdcmicro/{name}")["records"]
        + len(list(of_sample(name)))
        for name in SDCMICRO
    )
    assert suda == FIGURES["suda/SEMANTICS.md"][1]
    assert sdcmicro == FIGURES["sdcmicro/README.md"][1]
