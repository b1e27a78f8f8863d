"""Charts as things to hold, `result.plot` of every result, and notebook views of aggregates."""

import inspect
import json
import re
import stat
import sys
from functools import cache
from pathlib import Path
from xml.dom import minidom

import polars as pl
import pytest

import unveil
from unveil.errors import SettingsError, WriteError
from unveil.examples import survey
from unveil.records.base import Record
from unveil.view.charts.chart import VEGA_LITE, Chart
from unveil.view.charts.chart_names import NAMED
from unveil.view.show import Plots, charts

WORD = "CANARY-HIV-positive-77"
NUMBER = 48151
TRACES = (WORD, "HIV", str(NUMBER), f"{NUMBER:,}")
KEYS = ["sex", "region", "marital"]
HOSTILE = "</desc><script>alert(1)</script>\x1b[31m\u202e"


def chart(**more):
    values = [{"name": HOSTILE, "value": 1}, {"name": "b", "value": 2}]
    encoding = {
        "y": {"field": "name", "type": "nominal"},
        "x": {"field": "value", "type": "quantitative"},
    }
    spec = {"data": {"values": values}, "mark": "bar", "encoding": encoding, **more}
    return Chart(spec, title=HOSTILE, description=f"Two bars: {HOSTILE}")


def test_the_still_picture_is_one_named_image_whatever_its_labels_are():
    picture = chart().svg()
    root = minidom.parseString(picture.encode()).documentElement
    assert root.getAttribute("role") == "img"
    assert "<script" not in picture
    assert "\x1b" not in picture
    assert picture == chart().svg()


def test_a_notebook_gets_the_figures_under_the_pointer_and_the_picture_beside():
    bundle = chart()._repr_mimebundle_()
    assert bundle["image/svg+xml"] == chart().svg()
    told = bundle[VEGA_LITE]
    assert told["config"]["mark"]["tooltip"] is True
    assert told["data"]["values"][1] == {"name": "b", "value": 2}
    assert "\x1b" not in json.dumps(told, ensure_ascii=False)
    assert "\u202e" not in bundle["text/plain"]
    assert json.loads(json.dumps(told)) == told


def test_a_look_of_its_own_is_kept_and_tooltips_added():
    told = chart(config={"mark": {"color": "red"}, "axis": {"grid": False}}).to_dict()
    assert told["config"]["mark"] == {"tooltip": True, "color": "red"}
    assert told["config"]["axis"] == {"grid": False}


@pytest.mark.slow
def test_a_saved_chart_is_its_owners_alone_and_never_written_over(tmp_path):
    path = chart().save(tmp_path / "one.svg")
    assert path.read_text(encoding="utf-8") == chart().svg()
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(WriteError, match="is there already"):
        chart().save(path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "magic"), [("a.PNG", b"\x89PNG\r\n\x1a\n"), ("a.pdf", b"%PDF-1.")]
)
def test_a_chart_is_saved_as_its_ending_says(name, magic, tmp_path):
    assert chart().save(tmp_path / name).read_bytes().startswith(magic)


@pytest.mark.parametrize("name", ["one.gif", "one", "one.svg.txt"])
def test_a_chart_is_saved_as_nothing_else(name, tmp_path):
    with pytest.raises(SettingsError) as caught:
        chart().save(tmp_path / name)
    assert f"{name!r} has to end in .svg, .png or .pdf." in str(caught.value)
    assert not list(tmp_path.iterdir())


# Every public function, on data of which one person has values that nobody else has


@cache
def people(start: int = 0) -> pl.DataFrame:
    columns = ["sex", "age", "region", "marital", "health", "income"]
    frame = survey().slice(start, 300).select(columns).with_columns(pl.col("income").fill_null(1))
    if start:
        return frame
    first = pl.int_range(pl.len()) == 7
    return frame.with_columns(
        health=pl.when(first).then(pl.lit(WORD)).otherwise("health"),
        income=pl.when(first).then(pl.lit(NUMBER)).otherwise("income"),
    )


@cache
def synthesiser():
    return unveil.synthesise(people(), seed=1)


def disclosure(name, **more):
    return getattr(unveil, name)(people(), people(300), keys=KEYS, targets=["health"], **more)


def attack(name, **more):
    return getattr(unveil, name)(people(), people(300), control=people(600), seed=1, **more)


POPULATION = {"population": "normal(2000, 90000)", "N": 60_000}
SMALL = [[4, 2, 0], [1, 3, 2]]
RESULTS = {
    "add_noise": lambda: unveil.add_noise(people(), columns={"income": {"sigma": 10}}, seed=1),
    "assess": lambda: disclosure("assess"),
    "audit": lambda: unveil.audit(SMALL, rounding="conventional:3"),
    "bounds": lambda: unveil.bounds(SMALL, rounding="conventional:3"),
    "protect_table": lambda: unveil.protect_table(SMALL, "suppress:3"),
    "neighbour_sap": lambda: unveil.neighbour_sap(SMALL, rounding="conventional:3", n_max=3),
    "cap": lambda: unveil.cap(people(), [people(300)] * 3, keys=KEYS, target="health"),
    "cap_table": lambda: unveil.cap_table(
        people(), {"a": [people(300)]}, key_sets=[KEYS], target="health", scenarios=["full"]
    ),
    "choose_noise": lambda: unveil.choose_noise(people()["income"], n=300, **POPULATION),
    "claims": lambda: disclosure("claims"),
    "codebook": lambda: unveil.codebook(people()),
    "compare": lambda: unveil.compare(people(), people(300)),
    "compare_structure": lambda: unveil.compare_structure(people(), people(300)),
    "disclosure": lambda: disclosure("disclosure"),
    "distance_filter": lambda: unveil.distance_filter(people(), people(300), columns=["age"]),
    "ecap": lambda: unveil.ecap(people()["income"], n=300, sigma=10, **POPULATION),
    "excess": lambda: unveil.excess(
        people(), people(600), people(300), keys=KEYS, targets=["health"]
    ),
    "exclusion_table": lambda: disclosure("exclusion_table"),
    "replicate": lambda: unveil.replicate(
        people(), people(300), [{"kind": "mean", "column": "income"}]
    ),
    "gcap": lambda: unveil.gcap(people(), people(300), keys=KEYS, target="health"),
    "gtcap": lambda: unveil.gtcap(people(), people(300), keys=KEYS, target="health"),
    "key_sets": lambda: disclosure("key_sets"),
    "inference": lambda: attack("inference", secrets=["health"], keys=["sex", "age"]),
    "linkability": lambda: attack("linkability", columns=[["sex", "age"], ["region"]]),
    "match_risk": lambda: unveil.match_risk(people(), keys=KEYS, sensitive="health"),
    "membership": lambda: attack("membership"),
    "projection": lambda: unveil.projection(people(), people(300)),
    "protect": lambda: unveil.protect(
        people(),
        steps=[
            {"do": "synthesise"},
            {"do": "distance_filter", "columns": ["age", "sex"]},
            {"do": "add_noise", "column": "income", "threshold": 0.1, **POPULATION},
            {"do": "add_noise", "column": "age", "not_needed": "known anyway"},
        ],
        seed=1,
    ),
    "recode": lambda: unveil.recode(
        people(), steps=[{"do": "top_code", "column": "income", "at": 9000}]
    ),
    "refill": lambda: unveil.refill(people(), synthesiser(), columns=["age", "sex"], seed=1),
    "remove_replicated_uniques": lambda: unveil.remove_replicated_uniques(
        people(), people(300), keys=KEYS
    ),
    "round_table": lambda: unveil.round_table(SMALL, "conventional:3"),
    "sap": lambda: unveil.sap(SMALL, rounding="conventional:3", n_max=6),
    "singling_out": lambda: attack("singling_out", n=20),
    "smooth": lambda: unveil.smooth(people(), "income"),
    "split": lambda: unveil.split(people(), 0.5, seed=1),
    "suda": lambda: unveil.suda(people(), keys=KEYS),
    "suggest": lambda: unveil.suggest(people()),
    "recognition": lambda: unveil.recognition(
        people(),
        lambda data, seed, rows: data.sample(rows, with_replacement=True, seed=seed),
        people=10,
        worlds=60,
        seed=1,
    ),
    "suggest_coding": lambda: unveil.suggest_coding(people()),
    "synthesise": synthesiser,
    "pair_tables": lambda: unveil.pair_tables(people(), people(300)),
    "tcap": lambda: unveil.tcap(people(), people(300), keys=KEYS, target="health"),
    "tstr": lambda: unveil.tstr(people(), people(300), control=people(600), outcome="sex"),
    "utility": lambda: unveil.utility(people(), people(300), n_permutations=2, seed=1),
}
"""How each public function that hands back a result is called."""
ELSEWHERE = {
    "compare_rounding": "a result of whole tables, without microdata",
    "differential_confidentiality": "takes minutes of copies; its rows are those of excess",
    "ecap_discrete": "values are given, not read",
    "ecap_from_probabilities": "a number",
    "ecap_records": "its rows are those of ecap, for several columns",
    "explore": "fits many models; its rows are those of disclosure and utility",
    "label_as_fake": "marks a file; its record has no figures",
    "ptable": "probabilities, without data",
    "read_file": "the data themselves",
    "stages": "its rows are those of disclosure, attacks and utility, stage by stage",
    "synthesise_strata": "writes a file; its record is that of synthesise",
    "use_engine": "says where rows are counted; it has no result",
    "verify_pack": "checks an archive; its record names files only",
    "write_file": "writes the data themselves",
    "write_synthetic": "writes the data themselves",
}


@cache
def result(name):
    return RESULTS[name]()


def test_every_public_function_is_looked_at_here_or_said_why_not():
    functions = {name for name in unveil.__all__ if inspect.isfunction(getattr(unveil, name))}
    assert functions == RESULTS.keys() | ELSEWHERE.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", RESULTS)
def test_the_notebook_view_of_every_result_holds_aggregates_only(name):
    shown = result(name)._repr_html_() + repr(result(name))
    assert len(shown) > 60
    assert [trace for trace in TRACES if trace in shown] == []
    assert "<script" not in shown
    assert not re.search(r"\son\w+=|https?://(?!www\.w3\.org/2000/svg)", shown)


OFFERED = [
    name
    for name in RESULTS
    if name
    in {
        *("disclosure", "exclusion_table", "cap", "cap_table", "gtcap", "suda", "excess"),
        *("inference", "linkability", "singling_out", "membership", "pair_tables", "compare"),
        *("projection", "replicate", "sap", "choose_noise", "refill", "protect"),
        *("tcap", "utility", "match_risk"),
    }
]


@pytest.mark.slow
@pytest.mark.parametrize("name", OFFERED)
def test_every_chart_of_every_result_is_drawn_from_aggregates(name):
    plot = result(name).plot
    assert dir(plot)
    for called in dir(plot):
        drawn = getattr(plot, called)()
        assert isinstance(drawn, Chart)
        picture = drawn.svg()
        minidom.parseString(picture.encode())
        told = json.dumps(drawn.to_dict()) + picture + repr(drawn)
        assert [trace for trace in TRACES if trace in told] == []


@pytest.mark.slow
def test_results_without_charts_say_so():
    with_charts = {name for name in RESULTS if getattr(result(name), "plot", None) is not None}
    assert set(OFFERED) <= with_charts
    without = result("compare_structure").plot
    assert repr(without) == "Charts: none"
    with pytest.raises(AttributeError, match=r"has no chart 'lollipop'. It has no charts."):
        without.lollipop()


def test_a_chart_of_one_target_is_of_the_worst_where_none_is_named():
    found = unveil.disclosure(
        people(), people(300), keys=["sex"], targets=["income", "marital", "health"]
    )
    rows = {row.target: row.DiSCO for row in found.record.attribute}
    worst = max(found.record.targets, key=lambda target: rows[target])
    for called in ("ladder", "steps"):
        drawn = getattr(found.plot, called)
        assert drawn().to_dict() == drawn(worst).to_dict()
    without = unveil.disclosure(people(), people(300), keys=["sex"], targets=[])
    with pytest.raises(SettingsError, match="No target was measured"):
        without.plot.ladder()


def test_bars_are_the_figures_of_their_record():
    record = result("match_risk").record
    rows = result("match_risk").plot.bars().spec["data"]["values"]
    shares = [one.share for one in (*record.anonymity, *record.risks)]
    assert [row["value"] for row in rows] == [100 * share for share in shares]
    record = result("tcap").record
    rows = result("tcap").plot.bars().spec["data"]["values"]
    assert [row["value"] for row in rows] == [
        None if record.tcap is None else 100 * record.tcap,
        record.tcap_raab,
        None if record.tcap_uniques is None else 100 * record.tcap_uniques,
        record.correct_if_determined,
    ]
    assert [row["baseline"] for row in rows][1:] == [
        record.tcap_raab_baseline,
        100 * record.tcap_uniques_baseline,
        record.correct_if_determined_baseline,
    ]
    rows = result("utility").plot.by_copy().spec["data"]["values"]
    assert [row["value"] for row in rows] == [row.S_pMSE for row in result("utility").record.rows]


def test_a_mistyped_chart_is_told_which_there_are():
    with pytest.raises(AttributeError) as caught:
        result("disclosure").plot.lolipop()
    assert str(caught.value) == (
        "Disclosure has no chart 'lolipop'. Its charts are: lollipop, funnel, ladder, steps,"
        " guesses."
    )


@cache
def unfiltered():
    return unveil.protect(people(), steps=[{"do": "synthesise"}], seed=1)


BAD = {
    "a column that is not there": (
        lambda: result("compare").plot.distribution("incom"),
        "There is no column 'incom'. Did you mean 'income'? There are: sex, age, region, marital,"
        " health, income.",
    ),
    "a target that is not there": (
        lambda: result("disclosure").plot.ladder("healt"),
        "There is no target 'healt'. Did you mean 'health'? There are: health.",
    ),
    "a copy that is not there": (
        lambda: result("pair_tables").plot.pair_map(9),
        "There is no copy 9. Copies are numbered from 1 to 1.",
    ),
    "tables that are no pairs": (
        lambda: unveil.pair_tables(people(), people(300), ways=1).plot.pair_map(None),
        "The map is of pairs of columns, and these are tables of 1. Ask for tables with ways=2.",
    ),
    "a curve of noise that nobody chose": (
        lambda: result("protect").plot.noise("age"),
        "There is no curve of column 'age'. There are: income.",
    ),
    "no curve at all": (
        lambda: unfiltered().plot.noise("age"),
        "The amount of no noise was chosen by ECAP, so there is no curve.",
    ),
    "rounds of no filter": (
        lambda: unfiltered().plot.rounds(*()),
        "No distance filter was used, so there are no rounds to draw.",
    ),
}


@pytest.mark.parametrize("what", BAD)
def test_what_a_chart_cannot_show_is_said(what):
    call, expected = BAD[what]
    with pytest.raises(SettingsError) as caught:
        call()
    assert expected in str(caught.value)


def test_the_page_on_charts_names_every_chart_there_is():
    page = (Path(__file__).parents[2] / "docs/charts.md").read_text(encoding="utf-8")
    told = set(re.findall(r"`(\w+)(?:\([^`]*\))?`", page))
    assert {name for named in NAMED.values() for name in named} <= told


def test_every_chart_is_offered_under_one_name_of_its_record():
    for record, named in NAMED.items():
        assert issubclass(record, Record)
        for name, draw in named.items():
            assert name.isidentifier()
            assert draw.__doc__
            assert next(iter(inspect.signature(draw).parameters)) in ("record", "records")


def test_what_is_offered_has_the_words_of_its_function():
    plot = result("sap").plot
    assert isinstance(plot, Plots)
    assert plot.curve.__doc__ == "The chance of a disclosure by the number of known people."
    assert list(inspect.signature(plot.curve).parameters) == ["threshold"]


def test_a_record_that_nobody_drew_has_no_charts():
    class Unknown(Record, frozen=True, kw_only=True):
        n: int

    assert dict(charts(Unknown(n=1))) == {}
