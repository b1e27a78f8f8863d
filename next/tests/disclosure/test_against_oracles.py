"""Every figure of every table beside stories told person by person, on random small worlds."""

import os
from dataclasses import replace

import pytest

import unveil
from disclosure.frames import study_of
from oracles import disclosed, shown
from oracles.compare import assert_agrees
from oracles.worlds import draw_world, label_of

WORLDS = range(2_000 if os.environ.get("UNVEIL_TESTS") == "all" else 60)
ABOUT = {
    "attribute": ("target", "unit"),
    "identity": ("unit",),
    "values": ("target", "level"),
    "flags": ("target", "kind", "level", "key", "key_level", "within"),
    "excluded": ("target", "rule"),
    "effect": ("target", "figure"),
    "exclusions": ("target", "figure"),
    "together": (),
    "sensitive": ("target", "level"),
    "excess": ("target", "figure"),
    "sets": ("keys", "target"),
}


def rows_of(result, table):
    """The rows of a table by what they are about."""
    names = ("version", "copy", *ABOUT[table])
    rows = getattr(result, table)
    by_subject = {tuple(getattr(row, name) for name in names): row for row in rows}
    assert len(by_subject) == len(rows), (table, [*by_subject])
    return by_subject


def assert_table(result, table, expected):
    rows = rows_of(result, table)
    assert set(rows) == set(expected), table
    for subject, figures in expected.items():
        measured = {name: getattr(rows[subject], name) for name in figures}
        assert_agrees(measured, figures, where=f"{table} {subject}")


def disclose(world):
    return unveil.disclosure(
        study_of(world),
        exclude=[world.rule_text(rule) for rule in world.rules],
        thresholds=sum(world.thresholds, ()),
        within=world.within or None,
        expected=False,
    )


@pytest.mark.parametrize("seed", WORLDS)
def test_every_figure_is_that_of_its_story(seed):
    world = draw_world(seed)
    result = disclose(world)
    for table, expected in disclosed.tables(world).items():
        assert_table(result, table, expected)


FIGURES = (*disclosed.PERCENTS, *disclosed.IDENTITY_PERCENTS)


@pytest.mark.parametrize("seed", WORLDS)
def test_excess_has_the_figures_of_the_control_sample_in_the_place_of_the_original(seed):
    world = draw_world(seed)
    exclude = [world.rule_text(rule) for rule in world.rules]
    result = unveil.excess(study_of(world), exclude=exclude, figures=FIGURES)
    assert_table(result, "excess", disclosed.excess(world, FIGURES))


@pytest.mark.parametrize("seed", WORLDS[::2])
def test_every_set_of_keys_has_the_figures_of_an_intruder_who_knows_these_alone(seed):
    world = draw_world(seed)
    exclude = [world.rule_text(rule) for rule in world.rules]
    largest = seed % 4 or None
    result = unveil.key_sets(study_of(world), exclude=exclude, largest=largest, seed=1)
    expected = disclosed.key_sets(world, largest)
    assert_table(result, "sets", expected)
    sizes = {}
    for (version, copy, keys, target), figures in expected.items():
        for figure, about in (("DiSCO", target), ("repU", "")):
            share = figures[figure] if copy != "sd" else 0
            sizes.setdefault((version, copy, figure, about), []).append((share, -len(keys), keys))
    for row in result.worst:
        if row.figure != "beyond":
            of_sets = sizes[row.version, row.copy, row.figure, row.target]
            share, size, _ = max(of_sets)
            assert row.value == pytest.approx(float(share) * len(world.original) / 100)
            assert (share, size, row.keys) in of_sets
            assert row.all_keys == (row.keys == world.keys)


@pytest.mark.parametrize("seed", WORLDS)
def test_a_flag_can_be_excluded_and_takes_out_those_it_counts(seed):
    world = replace(draw_world(seed), rules=(), within="")
    result = disclose(world)
    for flag in {(flag.target, flag.rule): flag for flag in result.flags}.values():
        rows = result.what_if(flag.rule).excluded
        excluded = [row.DiSCO for row in rows if row.rule and row.target == flag.target
                    and (row.version, row.copy) == (flag.version, flag.copy)]  # fmt: skip
        assert excluded == [flag.correct]


@pytest.mark.parametrize("seed", WORLDS)
def test_records_are_everyone_who_is_shown_a_value(seed):
    world = replace(draw_world(seed), rules=())
    expected = [
        (s.place, version, str(copy), label_of(target), *texts(world, target, s))
        for version, copy, target, files in disclosed.each_target(world)
        for s in shown.showings(*files, (), label_of(target))
    ]
    columns = ["row", "version", "copy", "target", "level", "shown"]
    assert sorted(disclose(world).records().select(columns).rows()) == sorted(expected)


def texts(world, target, showing):
    return [world.text(target, level) or "" for level in (showing.own, showing.value)]
