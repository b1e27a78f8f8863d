"""The tables for a project file are TOML, whatever the columns are called."""

import tomllib

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.examples import survey
from unveil.measure.roles.suggest import suggest
from unveil.view.suggestion_toml import toml_string

HOSTILE = [
    'a"b',
    "a\\",
    "a\nb",
    "]\n[evil",
    "\x1b[31m",
    "\u202ex",
    "# x",
    "x = 1",
    "",
    "é",
    "💥",
    "\x7f",
]


@examples(200)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_quoted_name_is_read_as_it_was(name):
    assert tomllib.loads(f"x = {toml_string(name)}") == {"x": name}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_could_steer_a_terminal_is_escaped(name):
    assert not any(letter in toml_string(name) for letter in "\n\x1b\x7f\u202e")


def test_hostile_columns_are_read_back_as_they_are():
    frame = pl.DataFrame({name: [1, 2] * 20 for name in [*HOSTILE, "age", "age\n]"]})
    made = tomllib.loads(suggest(frame).to_toml())
    assert made["roles"]["key"] == ["age"]
    assert made["roles"]["ignore"] == ["age\n]"]
    assert made["roles"]["target"] == HOSTILE
    assert made["scenario"][0]["keys"] == ["age"]


def test_the_tables_of_the_example_are_those_of_the_result():
    found = suggest(survey())
    made = tomllib.loads(found.to_toml())
    assert made == {
        "roles": {
            "identifier": [],
            "key": list(found.keys),
            "target": list(found.targets),
            "ignore": [],
        },
        "scenario": [
            {"name": "neighbours and colleagues", "keys": list(found.keys), "targets": "all"}
        ],
    }


def test_a_weight_is_one_name_and_no_keys_are_a_note():
    frame = pl.DataFrame({"x": ["a", "b"] * 20, "wt": [1.5, 2.5] * 20})
    text = suggest(frame).to_toml()
    assert tomllib.loads(text)["roles"]["weight"] == "wt"
    assert "scenario" not in tomllib.loads(text)
    assert "# No keys are proposed. Name what an intruder knows, and take the marks away:" in text


def test_named_keys_make_a_scenario_of_their_own_name():
    made = tomllib.loads(suggest(survey(), keys="age").to_toml())
    assert made["scenario"] == [{"name": "as named", "keys": ["age"], "targets": "all"}]
