"""Every number in the sentences about uniques and matches is derived again from the record."""

import re

import polars as pl
import pytest

from unveil.examples import survey
from unveil.measure.uniques.match_risk import match_risk
from unveil.measure.uniques.suda import suda
from unveil.view.match_risk import risk_sentences
from unveil.view.uniques import figure, suda_sentences

KEYS = ["sex", "age", "region", "settlement"]
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def numbers(text: str) -> list[str]:
    return NUMBER.findall(text)


def said(record, told=suda_sentences) -> dict[str, str]:
    return dict(told(record))


def one(value: float) -> str:
    return f"{value:.1f}"


@pytest.fixture(scope="module")
def alone():
    return suda(survey(), keys=KEYS, dis_fraction=0.05).record


@pytest.fixture(scope="module")
def risk():
    return match_risk(survey(), keys=KEYS, sensitive="health").record


def test_the_numbers_of_the_sentences_about_uniques(alone):
    told = said(alone)
    assert list(told) == ["uniques", "sizes", "DIS", "special", "key"]
    n = alone.n_uniques
    assert numbers(told["uniques"]) == [f"{n:,}", "5,000", one(n / 50)]
    assert numbers(told["sizes"]) == [f"{row.n_records:,}" for row in alone.sizes if row.n_records]
    assert numbers(told["DIS"]) == [one(100 * alone.dis_file), "5.0"]
    threshold, highest = figure(alone.special_threshold), one(100 * alone.dis_highest)
    assert numbers(told["special"]) == [f"{alone.n_special:,}", threshold, "10.0", "0", highest]
    assert numbers(told["key"]) == [one(max(row.percent for row in alone.contributions))]


def test_the_people_of_all_sizes_are_those_with_a_score(alone):
    assert sum(row.n_records for row in alone.sizes) == alone.n_scored


def test_the_numbers_of_the_sentences_about_matches(risk):
    told = said(risk, risk_sentences)
    assert list(told) == ["k = 2", "k = 3", "k = 5", "risk", "above", "l"]
    for row in risk.anonymity:
        assert numbers(told[f"k = {row.k}"]) == [f"{row.n:,}", "5,000", one(row.n / 50)]
    expected = f"{risk.expected_reidentifications:,.0f}"  # of thousands no tenth is told
    assert numbers(told["risk"]) == [expected, "5,000", one(100 * risk.global_risk)]
    (above,) = (row for row in risk.risks if row.above == 0.1)
    assert numbers(told["above"]) == [f"{above.n:,}", "10.0"]
    n = risk.diversity[0].n_below_2
    assert numbers(told["l"]) == [f"{n:,}", "5,000", one(n / 50)]


def test_nothing_found_is_said_in_its_own_words():
    data = pl.DataFrame({"a": ["x"] * 6, "s": ["p", "q"] * 3})
    assert said(suda(data, keys="a").record) == {
        "uniques": "None of the people is unique on a.",
        "DIS": "DIS cannot be measured: no one is unique on their keys, and no one shares them"
        " with exactly one other.",
    }
    told = said(match_risk(data, keys="a", sensitive="s").record, risk_sentences)
    assert told["k"] == "Every person shares their keys with at least four others."
    assert told["l"] == "No one shares their keys only with records of one value of s."


def test_those_without_a_score_are_named():
    data = pl.DataFrame({"a": ["x", "x", "y", "y"], "b": ["p", None, "q", "q"]})
    told = said(suda(data, keys=["a", "b"], max_msu=1).record)
    assert told["unscored"] == (
        "1 person is unique on all keys but has no score: sets of more than 1 key were not searched"
        " or a missing key takes part in no set. A score of 0 does not mean that they cannot be"
        " matched."
    )


def test_no_key_is_named_where_two_take_part_alike():
    data = pl.DataFrame({"a": ["x", "y", "x", "y"], "b": ["p", "p", "q", "q"]})
    assert "key" not in said(suda(data, keys=["a", "b"]).record)


def test_weights_are_named_where_they_are_used():
    data = pl.DataFrame({"a": ["x", "y"], "w": [10, 20]})
    told = said(match_risk(data, keys="a", weights="w").record, risk_sentences)
    assert told["risk"].endswith("with w as the number of people that each record represents.")


def test_views_have_figures_of_the_file_alone():
    rows = {"job": ["CANARY", "b", "b"], "area": ["x", "x", "y"]}
    alone = suda(pl.DataFrame(rows), keys=["job", "area"])
    risk = match_risk(pl.DataFrame(rows), keys="job", sensitive="area")
    for result in (alone, risk):
        shown = (repr(result), result._repr_html_(), result.to_json(), repr(result.record))
        assert not any("CANARY" in text or '"records"' in text for text in shown)
        assert "<table>" in shown[1]
        assert "records" in result.to_dict()
    assert repr(alone) == "Uniques by job and area: 3 people of 3 unique, 3 special; DIS 100.0 %"
    assert repr(risk) == ("Match risk by job: about 2.0 of 3 expected to match correctly (66.7 %)")


def test_names_from_the_data_are_escaped():
    name = "<script>alert(1)</script>"
    data = pl.DataFrame({name: ["x", "y"], "s\x1b": ["p", "p"]})
    for result in (suda(data, keys=name), match_risk(data, keys=name, sensitive="s\x1b")):
        assert "<script>" not in result._repr_html_()
        assert "\x1b" not in result._repr_html_()
