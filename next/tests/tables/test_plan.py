"""Plans of a few people beside every whole table of them; sets of tables with one left out."""

import itertools
import os

import numpy as np
import polars as pl
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

import unveil
from unveil.tables.plan import network_of
from unveil.tables.system import propagate

MANY = 1000 if os.environ.get("UNVEIL_TESTS") == "all" else 25
PEOPLE, SMALL = 7, 3


def write_plan(folder, seed):
    rng = np.random.default_rng(seed)
    pl.DataFrame({
        "age": rng.integers(0, 3, PEOPLE),
        "sex": rng.choice(["m", "f"], PEOPLE),
        "job": rng.choice(["w", "n"], PEOPLE),
    }).write_csv(folder / "people.csv")  # fmt: skip
    lines = ["[data]", 'original = "people.csv"']
    for number in range(int(rng.integers(2, 6))):
        dims = [name for name in ("sex", "job") if rng.random() < 0.6] or ["sex"]
        scheme = rng.choice(["exact", "suppress:3", "conventional:3"])
        lines += ["[[table]]", f'name = "{number}"', f'publish = "{scheme}"', 'margins = "all"']
        cut = int(rng.integers(1, 3))
        if rng.random() < 0.6:
            lines.append(f'where = "age >= {cut}"')
        elif rng.random() < 0.5:
            dims.append("age")
            lines.append(f"columns = {{ age = {{ bands = [0, {cut}] }} }}")
        lines.append(f"dims = {dims}")
    path = folder / "plan.toml"
    path.write_text("\n".join(lines))
    return path


WHOLE: dict[int, np.ndarray] = {}


def whole_tables(n_cells):
    """Every table of at most so many people."""
    if n_cells not in WHOLE:
        tables = np.zeros((1, 0), np.int64)
        for _ in range(n_cells):
            tables = np.concatenate([
                np.column_stack([tables, np.full(len(tables), n)]) for n in range(PEOPLE + 1)
            ])  # fmt: skip
            tables = tables[tables.sum(axis=1) <= PEOPLE]
        WHOLE[n_cells] = tables
    return WHOLE[n_cells]


def members(network):
    """Figures by base cells: which people each counts."""
    base = list(itertools.product(*(range(len(c.atoms)) for c in network.columns)))
    holds = np.zeros((network.system.size, len(base)), bool)
    for key in network.classes:
        labels = [p.labels[n] for p, n in zip(network.partitions, key, strict=True)]
        for cell, code in enumerate(base):
            place = [label[atom] for label, atom in zip(labels, code, strict=True)]
            at = np.ravel_multi_index(place, network.shape(key))
            holds[network.figures[key][at], cell] = True
    return holds


def tells(network, figure, names):
    """Whether these tables alone bound the figure from both sides."""
    low, high = np.zeros(network.system.size), np.full(network.system.size, np.inf)
    for at, number, lower, upper in network.statements:
        if network.tables[number].name in names:
            low[at], high[at] = np.maximum(low[at], lower), np.minimum(high[at], upper)
    closed = propagate(network.system.within(low, high))
    return closed.lower[figure] == closed.upper[figure]


@pytest.mark.parametrize("seed", range(MANY))
def test_bounds_sets_and_what_is_left_are_those_of_every_whole_table(seed, tmp_path):
    path = write_plan(tmp_path, seed)
    network = network_of(path)
    holds = members(network)
    counts = whole_tables(holds.shape[1]) @ holds.T
    fits = np.ones(len(counts), bool)
    for at, _, low, high in network.statements:
        fits &= ((counts[:, at] >= low) & (counts[:, at] <= high)).all(axis=1)
    least, most = counts[fits].min(axis=0), counts[fits].max(axis=0)
    closed = propagate(network.system)
    assert (closed.lower <= least).all()
    assert (closed.upper >= most).all()
    targets = network.targets(SMALL, closed.lower)
    known = {network.label(f): f for f in targets.tolist() if least[f] == most[f]}
    result = unveil.plan(path, below=SMALL)
    assert {row.levels for row in result.recovered} == known.keys()
    names = {row.table for row in result.planned}
    for row in result.recovered:
        figure = known[row.levels]
        assert row.people == least[figure]
        if row.smallest_set:
            assert tells(network, figure, set(row.smallest_set))
            assert not any(
                tells(network, figure, set(row.smallest_set) - {n}) for n in row.smallest_set
            )
            assert len(row.smallest_set) == 1 or not any(tells(network, figure, {n}) for n in names)
    sets = [(row.smallest_set, known[row.levels]) for row in result.recovered if row.smallest_set]
    for row in result.planned:
        assert row.recovered == sum(row.table in own for own, _ in sets)
        assert row.left == sum(tells(network, f, names - {row.table}) for _, f in sets)


@pytest.mark.parametrize("seed", range(MANY // 5))
def test_a_plan_with_values_hidden_tells_no_small_count(seed, tmp_path):
    """By whole-number programmes over the people of each base cell."""
    path = write_plan(tmp_path, seed)
    tables = unveil.plan(path, below=SMALL).suppressed(below=SMALL)
    network = network_of(path)
    kind = type(network.tables[0])
    planned = [kind(p.name, p.blocks, tables[p.name]) for p in network.tables]
    again = type(network)(network.columns, planned)
    holds = members(again).astype(float)
    rows = [LinearConstraint(holds[at], low, high) for at, _, low, high in again.statements]
    truth = again.system.truth
    is_own = network.is_exact | network.is_hidden | ~network.is_published
    still = [n.sentence for t in tables.values() for n in t.notes if "told by" in n.sentence]
    whole = np.ones(holds.shape[1])
    for figure in np.flatnonzero((truth > 0) & (truth < SMALL) & is_own):
        ends = [
            milp(sign * holds[figure], constraints=rows, integrality=whole, bounds=Bounds(0, 99))
            for sign in (1, -1)
        ]
        assert still or round(ends[0].fun) < round(-ends[1].fun), network.label(figure)


def two_tables(**settings):
    people = pl.DataFrame({
        "age": [16, 17, 17, 18, 19, 20, 30, 40, 40, 41], "sex": ["m", "f"] * 5,
    })  # fmt: skip
    people.write_csv("people.csv")
    with open("plan.toml", "w") as file:
        file.write(
            """
[data]
original = "people.csv"
unit = "patients"
[[table]]
name = "adults at 16"
dims = ["sex"]
where = "age >= 16"
[[table]]
name = "adults at 18"
dims = ["sex"]
where = "age >= 18"
margins = "all"
""".replace(" and sex != x", "")
        )
    return unveil.plan("plan.toml", **settings)


def test_two_tables_that_part_ages_differently_tell_those_between(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = two_tables()
    rows = {frozenset(row.levels): row for row in result.recovered}
    row = rows[frozenset({"sex = m", "age = 16 to 17"})]
    assert (row.people, row.tables, row.published) == (2, (), None)
    assert row.smallest_set == ("adults at 16", "adults at 18")
    assert any("Tables adults at 16 and adults at 18 together show" in s for s in result.sentences)
    assert any("patients" in sentence for sentence in result.sentences)
    assert {r.left for r in result.planned} == {0}
    assert [c.status for c in result.check({"recovered": 0})] == ["above limit"] * 2


DATA, TABLE = '[data]\noriginal = "people.csv"\n', '[[table]]\nname = "a"\n'
REFUSED = {
    "no TOML": "[[",
    "no name": f'{DATA}[[table]]\ndims = ["sex"]',
    "no condition": f'{DATA}{TABLE}dims = ["sex"]\nwhere = "age older 3"',
    "no such level": f'{DATA}{TABLE}dims = ["sex"]\nwhere = "sex = x"',
    "no records": f'{TABLE}dims = ["sex"]',
    "no such setting": f'{DATA}{TABLE}dims = ["sex"]\nround = 5',
    "no such column": f'{DATA}{TABLE}dims = ["sxe"]',
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_plan_is_refused_in_a_sentence(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    two_tables()
    (tmp_path / "plan.toml").write_text(REFUSED[case])
    with pytest.raises(unveil.InputError) as refused:
        unveil.plan("plan.toml")
    assert str(refused.value).isprintable()


def test_tables_of_other_levels_or_people_are_no_plan_by_name():
    one = unveil.PublishedTable([1, 2], dims="sex", levels=[["m", "f"]])
    other = unveil.PublishedTable([1, 2, 3], dims="sex", levels=[["m", "f", "x"]])
    fewer = unveil.PublishedTable([1, 1], dims="sex", levels=[["m", "f"]])
    for tables in ({"a": one, "b": other}, {"a": one, "b": fewer}, {"a": 5}, {}, 5):
        with pytest.raises(unveil.InputError, match="'tables'"):
            unveil.plan(tables)


def test_rounded_and_exact_values_of_the_same_people_are_one_figure():
    names = {"dims": ("sex", "job"), "levels": [["m", "f"], ["w", "n"]]}
    counts = [[2, 5], [7, 1]]
    rounded = unveil.PublishedTable(counts, publish="conventional:5", **names)
    exact = unveil.PublishedTable(counts, publish={"table": "none", "job": "exact"}, **names)
    sums = unveil.PublishedTable(counts, publish={"table": "none", "sex": "exact"}, **names)
    result = unveil.plan({"rounded": rounded, "by job": exact, "by sex": sums})
    assert {row.tables for row in result.recovered} <= {("rounded",)}
    assert result.planned[0].values == 4
