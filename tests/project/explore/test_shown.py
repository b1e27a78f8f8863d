"""Explorations in words, as a picture and as a page: every figure is the record's."""

from xml.dom import minidom

import msgspec
import pytest

from unveil.project.explore.candidates import refused_row
from unveil.project.explore.settings import parse_settings
from unveil.records.exploration import Exploration, frontier
from unveil.view.exploration import (
    HEADS,
    cells,
    exploration_page,
    exploration_sentences,
    risk_utility,
    settings_table,
)
from unveil.view.show import as_html, as_text

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e"


def row_of(given, **figures):
    (setting,) = parse_settings(given, methods=(), min_leaf=(), filter_=False, add_noise=None)
    return msgspec.structs.replace(refused_row(setting, ""), reason=None, n_copies=2, **figures)


def record_of(*rows, **fields):
    best = tuple(row.name for row in frontier(rows, "DiSCO", "S_pMSE"))
    made = {
        "file": "people.csv",
        "keys": ("sex", "area"),
        "targets": ("job",),
        "n_original": 300,
        "n_copies": 2,
        "n_train": 240,
        "n_control": 60,
        "risk": "DiSCO",
        "utility": "S_pMSE",
        "UiO": 12.5,
        "Dorig": 60.0,
        "coercions": (),
    }
    return Exploration(**{**made, **fields}, rows=rows, frontier=best)


@pytest.fixture
def record():
    small = {"repU": 9.0, "DiSCO": 30.0, "DiSCO_sd": 1.0, "R": 0.25, "S_pMSE": 1.1}
    large = {"repU": 4.0, "DiSCO": 10.0, "R": 0.02, "S_pMSE": 1.6, "S_pMSE_sd": 0.1}
    poor = {"repU": 5.0, "DiSCO": 20.0, "R": 0.1, "S_pMSE": 4.0, "pMSE": 0.03}
    (setting,) = parse_settings(
        {"method": "ipf"}, methods=(), min_leaf=(), filter_=False, add_noise=None
    )
    return record_of(
        row_of({"min_leaf": 1}, **small),
        row_of({"min_leaf": 50}, **large),
        row_of({"method": "parametric", "filter": True}, **poor),
        refused_row(setting, "It has no table."),
    )


def test_the_floor_of_independent_columns_is_on_the_map(record):
    floor = row_of({"method": "sample"}, DiSCO=8.0, repU=0.5, S_pMSE=900.0)
    with_floor = msgspec.structs.replace(record, floor=floor)
    chart = risk_utility(with_floor)
    (rule,) = [one for one in chart.spec["layer"] if one["mark"].get("strokeDash") == [4, 3]]
    assert [row["risk"] for row in rule["data"]["values"]] == [8.0]
    low, high = rule["encoding"]["x"]["scale"]["domain"]
    assert low < 8.0 < high
    assert "independent columns: DiSCO 8.0" in chart.description
    assert (
        "DiSCO 8.00 % and repU 0.50 %: a floor" in dict(exploration_sentences(with_floor))["floor"]
    )
    assert floor.name not in with_floor.frontier
    assert "floor" not in dict(exploration_sentences(record))


def test_the_sentences_say_what_to_choose_from(record):
    said = dict(exploration_sentences(record))
    assert said["sizes"] == (
        "4 settings for the 300 records of people.csv, 2 copies each. Assumed intruder: knows sex"
        " and area."
    )
    assert said["frontier"].endswith("(S_pMSE) than: cart, min_leaf 50; cart, min_leaf 1.")
    assert said["ends"] == (
        "Least risk: cart, min_leaf 50 (DiSCO 10.00, S_pMSE 1.60). Best utility: cart, min_leaf 1"
        " (30.00, 1.10)."
    )
    assert said["leaves"] == (
        "As the minimum leaf of trees falls from 50 records to 1, repU goes from 4.00 to 9.00"
        " %, DiSCO from 10.00 to 30.00 %, R of DiSCO from 0.02 to 0.25, the median S_pMSE from"
        " 1.60 to 1.10."
    )
    assert said["refused"] == "ipf could not be computed: It has no table."
    assert said["held"] == "R of DiSCO: 240 training records against a control sample of 60 people."


def test_one_setting_that_has_the_best_of_both_is_said_to_have_it():
    said = dict(exploration_sentences(record_of(row_of({}, DiSCO=1.0, S_pMSE=1.0), n_copies=1)))
    assert said["ends"].startswith("cart, min_leaf 10 has the least risk and the best utility")
    assert "spread" not in said
    nothing = dict(exploration_sentences(record_of(row_of({}))))
    assert nothing["frontier"] == "No setting has both figures, so there is no frontier."


def test_a_row_has_a_cell_for_each_head(record):
    assert all(len(cells(record, row)) == len(HEADS) for row in record.rows)
    assert cells(record, record.rows[0])[-1] == "●"
    assert set(cells(record, record.rows[3])[1:-1]) == {"-"}


def test_the_table_has_no_column_without_a_figure_and_names_the_worst_pair(record):
    block = settings_table(record)
    assert [column.head for column in block.columns] == [
        *("setting", "repU", "DiSCO", "DiSCO sd", "R", "pMSE", "S_pMSE", "S_pMSE sd"),
        "frontier",
    ]
    assert all(len(row) == len(block.columns) for row in block.rows)
    pair = row_of({}, DiSCO=1.0, S_pMSE=1.0, S_pMSE_max=7.0, worst_pair=("age", HOSTILE))
    page = exploration_page(record_of(pair))
    assert "its columns" in page
    assert "age by &lt;script&gt;" in page
    assert "\x1b" not in page


def test_one_record_and_one_copy_are_said_in_the_singular():
    record = record_of(row_of({}, DiSCO=1.0, S_pMSE=1.0), n_original=1, n_copies=1)
    assert dict(exploration_sentences(record))["sizes"].startswith(
        "1 setting for the 1 record of people.csv, 1 copy each."
    )
    assert "standard deviation over copies" not in exploration_page(record)


def test_the_map_shows_every_measured_setting_by_shape_and_name(record):
    layers = risk_utility(record).spec["layer"]
    line, marks = layers[0], layers[3]
    assert [point["name"] for point in line["data"]["values"]] == list(record.frontier)
    shown = marks["data"]["values"]
    assert [(one["risk"], one["utility"]) for one in shown] == [(30, 1.1), (10, 1.6), (20, 4.0)]
    assert marks["encoding"]["shape"]["scale"] == {
        "domain": ["cart", "parametric"],
        "range": ["circle", "square"],
    }
    assert marks["encoding"]["color"]["scale"]["domain"] == ["untreated", "filtered"]
    named = [one["name"] for layer in layers[4:] for one in layer["data"]["values"]]
    assert sorted(named) == sorted(row.name for row in record.rows[:3])
    assert shown[0]["right"] == 31.0


def test_the_map_is_one_picture_and_the_same_each_time(record):
    picture = risk_utility(record).svg()
    minidom.parseString(picture)
    assert picture == risk_utility(record).svg()
    assert "cart, min_leaf 50: DiSCO 10.00, S_pMSE 1.60 (frontier)" in picture
    minidom.parseString(risk_utility(record_of(row_of({}))).svg())


def test_the_page_is_self_contained_and_says_that_it_is_confidential(record):
    page = exploration_page(record)
    assert "CONFIDENTIAL" in page
    assert "default-src 'none'" in page
    assert "It has no table." in page


def test_hostile_names_are_text_everywhere():
    record = record_of(
        row_of({"name": HOSTILE}, DiSCO=1.0, S_pMSE=2.0), keys=(HOSTILE,), file=HOSTILE
    )
    texts = [as_text(record), as_html(record), exploration_page(record), risk_utility(record).svg()]
    for text in texts:
        assert "\x1b" not in text
        assert "\u202e" not in text
    assert all("<script>" not in text for text in texts[1:])
