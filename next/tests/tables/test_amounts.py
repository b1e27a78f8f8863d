"""Tables of sums beside linear programmes over every combination of levels, and by hand."""

import itertools
import os
from collections import Counter

import numpy as np
import polars as pl
import pytest
from scipy.optimize import linprog

import unveil
from oracles import amounts as oracle
from unveil.tables.plan import network_of
from unveil.tables.ranges import tighten

MANY = 100 if os.environ.get("UNVEIL_TESTS") == "all" else 12
RULES = (
    {"least": 3},
    {"least": 3, "p": 10},
    {"n": 2, "k": 85},
    {"least": 2, "n": 1, "k": 70, "p": 15},
)
DIMS = ("a", "b", "c")
KINDS = (("a", "b"), ("a", "c"), ("b", "c"), ("a",), ("a", "b", "c"))


def draw(seed):
    """Records, the columns and the filter of each table, and a rule."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(12, 60))
    people = pl.DataFrame({
        "a": rng.choice(list("pqrs")[: int(rng.integers(2, 5))], n),
        "b": rng.choice(list("xyz")[: int(rng.integers(2, 4))], n),
        "c": rng.choice(list("uvw")[: int(rng.integers(2, 4))], n),
        "firm": rng.integers(0, int(rng.integers(5, 40)), n),
        "money": np.round(rng.pareto(1.3, n) * 100) * (rng.random(n) > 0.05),
    })  # fmt: skip
    tables = []
    for kind in rng.choice(len(KINDS), int(rng.integers(1, 4)), replace=False):
        free = [dim for dim in DIMS if dim not in KINDS[kind]]
        where = str(rng.choice(free)) if free and rng.random() < 0.3 else ""
        tables.append((KINDS[kind], where))
    return people, tables, RULES[int(rng.integers(len(RULES)))]


def measure(people, tables, rule, folder, **settings):
    """By names where no table has a filter, else by a plan."""
    study = unveil.Study(people, unit="firms")
    if not any(where for _, where in tables):
        return unveil.amounts(
            study, "money", [dims for dims, _ in tables], unit="firm", rule=rule, **settings
        )
    lines = []
    for number, (dims, where) in enumerate(tables):
        lines += ["[[table]]", f'name = "{number}"', f"dims = {[*dims]}", 'margins = "all"']
        lines += [f'where = "{where} != {people[where].max()}"'] if where else []
    (folder / "plan.toml").write_text("\n".join(lines))
    return unveil.amounts(study, "money", folder / "plan.toml", unit="firm", rule=rule, **settings)


class World:
    """Every combination of levels, and the records in each."""

    def __init__(self, people):
        self.people = people
        levels = [people[dim].unique().sort().to_list() for dim in DIMS]
        self.cells = list(itertools.product(*levels))
        self.of_record = np.array([self.cells.index(row) for row in people.select(DIMS).rows()])
        self.money, self.firm = people["money"].to_numpy(), people["firm"].to_numpy()

    def holds(self, levels):
        """The combinations that a sum holds, as its row says."""
        parts = dict(text.split(" = ") for text in levels if text != "total")
        allowed = {dim: set(text.split(" or ")) for dim, text in parts.items()}
        return np.array([
            all(cell[DIMS.index(dim)] in own for dim, own in allowed.items()) for cell in self.cells
        ])  # fmt: skip

    def contributions(self, holds):
        inside = holds[self.of_record]
        return oracle.contributions(
            zip(self.firm[inside].tolist(), self.money[inside].tolist(), strict=True)
        )

    def amounts(self, inside):
        return np.bincount(self.of_record[inside], self.money[inside], len(self.cells))


def extreme(holds, sign, least, sums):
    """The least (-1) or the most (1) that a sum can be, by sums that are known."""
    matrix = np.array([own for own, _ in sums], float).reshape(-1, len(holds))
    values = [value for _, value in sums]
    result = linprog(
        -sign * holds.astype(float), A_eq=matrix, b_eq=values,
        bounds=[(low, None) for low in least],
    )  # fmt: skip
    return sign * np.inf if result.status == 3 else -sign * result.fun


def slack(value):
    return 1e-4 * (1 + abs(value))


@pytest.mark.parametrize("seed", range(MANY))
def test_what_is_said_to_be_left_open_is_left_open(seed, tmp_path):
    people, tables, rule = draw(seed)
    result, world = measure(people, tables, rule, tmp_path), World(people)
    sums, unsafe = [], []
    for row in result.cells:
        holds = world.holds(row.levels)
        x = world.contributions(holds)
        is_unsafe, protection = oracle.judge(x, rule)
        assert (row.contributors, row.unsafe) == (len(x), is_unsafe)
        assert row.protection == pytest.approx(protection, abs=1e-6 * (1 + protection))
        assert row.hidden == (row.value is None)
        assert row.hidden or (row.value == sum(x) and not is_unsafe)
        if row.hidden:
            unsafe += [(row, holds)] if is_unsafe else []
        else:
            sums.append((holds, row.value))
    nobody, exposed = np.zeros(len(world.cells)), {row.levels for row in result.insiders}
    every = np.ones(len(people), bool)
    for row, holds in unsafe:
        true = float(holds @ world.amounts(every))
        least, most = (extreme(holds, sign, nobody, sums) for sign in (-1, 1))
        assert row.lower <= least + slack(least)
        assert row.upper is None or row.upper >= most - slack(most)
        if row.safe:
            assert most >= true + row.protection - slack(true)
            assert least <= max(0, true - row.protection) + slack(true)
            assert most - least > 1e-7 * true
    hidden = [(world.holds(row.levels), row) for row in result.cells if row.hidden and row.table]
    p = rule.get("p", 0) / 100
    for firm in people["firm"].unique():
        own = world.amounts(world.firm == firm)
        alone = [
            (holds, own @ holds) for holds, _ in hidden
            if own @ holds > 0 and own @ holds == holds @ world.amounts(every)
        ]  # fmt: skip
        for row, holds in unsafe:
            others = Counter()
            for other, cell, amount in zip(world.firm, world.of_record, world.money, strict=True):
                if other != firm and holds[cell]:
                    others[other] += amount
            largest = max(others.values(), default=0)
            if not largest:
                continue
            most = extreme(holds, 1, own, [*sums, *alone]) - own @ holds
            if most < (1 + p) * largest - 10 * slack(largest) or most < largest * (1 + 1e-7):
                assert row.levels in exposed, (firm, row.levels, most, largest)


def parts_and_wholes(rows, dims):
    """The rows of each table that add up to one of its rows."""
    names = {row.levels: dict(text.split(" = ") for text in row.levels if text != "total")
             for row in rows}  # fmt: skip
    for whole in rows:
        for dim in set(dims) - names[whole.levels].keys():
            own = [
                row for row in rows
                if names[row.levels].keys() == names[whole.levels].keys() | {dim}
                and names[whole.levels].items() <= names[row.levels].items()
            ]  # fmt: skip
            if own:
                yield whole, own


@pytest.mark.parametrize("seed", range(MANY))
def test_hidden_parts_of_a_published_sum_are_together_no_unsafe_sum(seed, tmp_path):
    people, tables, rule = draw(seed)
    dims = tables[0][0]
    result, world = measure(people, [(dims, "")], rule, tmp_path), World(people)
    is_told = any("hidden values are known" in note.sentence for note in result.notes)
    for whole, parts in parts_and_wholes(result.cells, dims):
        hidden = [row for row in parts if row.hidden]
        if not whole.hidden and 1 < len(hidden) < len(parts):
            holds = np.logical_or.reduce([world.holds(row.levels) for row in hidden])
            assert is_told or not oracle.judge(world.contributions(holds), rule)[0]


@pytest.mark.parametrize("seed", range(5))
def test_shuffled_records_have_the_same_pattern(seed, tmp_path):
    people, tables, rule = draw(seed)
    rows = [
        measure(people.sample(fraction=1, shuffle=True, seed=i), tables, rule, tmp_path).cells
        for i in range(3)
    ]
    assert rows[0] == rows[1] == rows[2]


# By hand

FIRMS = pl.DataFrame(
    [
        *(("05", "a", 900), ("05", "b", 40), ("06", "a", 700), ("06", "c", 50)),
        *(("07", "a", 800), ("07", "d", 30), ("08", "e", 420), ("08", "f", 380)),
        *(("08", "g", 350), ("09", "h", 60), ("09", "i", 50), ("09", "j", 40)),
        *(("10", "k", 5000), ("10", "l", 4000), ("10", "m", 4500)),
    ],
    schema=["nace", "firm", "turnover"], orient="row",
)  # fmt: skip
DOMINANCE = {"n": 2, "k": 80}


def of_firms(frame=FIRMS, tables=("nace",), columns=None, **settings):
    study = unveil.Study(frame, unit="firms", columns=columns or {"firm": "person"})
    return unveil.amounts(study, "turnover", [*tables], **settings)


def hidden_of(result):
    return [", ".join(row.levels) for row in result.cells if row.hidden]


def test_protection_levels_by_hand():
    """05: 940 of two firms. 100/80 x 940 - 940 = 235; 10 percent of 900, less nothing, is 90."""
    rows = {row.levels: row for row in of_firms(rule=DOMINANCE, hide=None).cells}
    row = rows["nace = 05",]
    assert (row.value, row.contributors, row.unsafe, row.protection) == (940, 2, True, 235)
    row = of_firms(rule={"p": 10}, hide=None).cells[0]
    assert (row.unsafe, row.protection) == (True, 90)
    row = rows["nace = 08",]  # 800 of 1,150 are 70 percent
    assert (row.unsafe, row.protection, row.safe) == (False, 0, True)


def test_firms_that_are_one_holding_are_one_unit():
    """08 has three firms; as two of one holding it has two units."""
    with_holdings = FIRMS.with_columns(holding=pl.col("firm").replace({"f": "e"}))
    rows = of_firms(with_holdings, unit="holding", hide=None).cells
    assert {row.levels[0]: row.contributors for row in rows}["nace = 08"] == 2
    assert [row.unsafe for row in rows] == [True, True, True, True, False, False, False]


def test_a_firm_that_dominates_the_hidden_industries_together_is_seen():
    """A thread of another tool: a gives 2,400 of the 2,520 in 05 to 07. With 08 it is no union."""
    assert hidden_of(of_firms(rule=DOMINANCE)) == [f"nace = {n}" for n in ("05", "06", "07", "08")]


def cells(*values):
    """Sums of three firms each, of equal shares."""
    rows = [(name, f"{name}{i}", value / 4) for name, value in zip("stuv", values, strict=False)
            for i in range(4)]  # fmt: skip
    return pl.DataFrame(rows, schema=["cell", "firm", "turnover"], orient="row")


def test_zeros_protect_no_zero():
    """15 = 10 + 5 + x + x: two hidden zeros are known to be zeros. The 5 is hidden beside one."""
    result = of_firms(cells(10, 5, 0, 0), ["cell"], hide=["cell=u"])
    assert hidden_of(result) == ["cell = t", "cell = u"]
    assert [(row.lower, row.upper) for row in result.cells if row.hidden] == [(0, 5), (0, 5)]
    nothing = of_firms(cells(0, 0, 0), ["cell"], hide=["cell=s"])
    assert not nothing.cells[0].safe
    assert "can be estimated more closely" in nothing.sentences[1]


def test_ones_protect_no_one():
    """15 = 10 + 3 + x + x with x from 1 to 2: both are 1. The 10 is hidden too."""
    counts = unveil.PublishedTable([10, 3, 1, 1], margins="total")
    alone = unveil.PublishedTable([10, 3, 1, 1], publish="suppress:3", margins="total")
    assert sum(row.recovered for row in unveil.bounds(alone).values) == 2
    values = unveil.bounds(counts.suppressed(below=3)).values
    assert [row.levels for row in values if row.suppressed] == [("0",), ("2",), ("3",)]
    assert not any(row.recovered for row in values)


COUNTY = """
[[table]]
name = "counties"
dims = ["region"]
columns = { region = { bands = { one = ["A", "B", "I", "J"], two = ["K", "L", "M", "N"] } } }
[[table]]
name = "regions, by county"
dims = ["region"]
margins = "all"
"""
GROUP = """
[[table]]
name = "groups"
dims = ["region"]
columns = { region = { bands = { inner = ["L", "M"], outer = ["A", "B", "I", "J", "K", "N"] } } }
[[table]]
name = "regions, by group"
dims = ["region"]
margins = "all"
"""


def told_by(path, tables):
    """The regions that are known by tables of the plan with values hidden."""
    network = network_of(path)
    kind = type(network.tables[0])
    planned = [kind(p.name, p.blocks, tables[p.name]) for p in network.tables]
    network = type(network)(network.columns, planned)
    ranges = tighten(network.system, np.flatnonzero(network.is_hidden))
    return {network.label(f)[0] for f in ranges.figures[ranges.is_known]}


def test_regions_in_counties_and_in_groups_are_one_system(tmp_path):
    """Each hierarchy is protected by itself; both together tell regions of 3 people."""
    people = {"A": 2, "B": 2, "I": 8, "J": 8, "K": 3, "L": 3, "M": 3, "N": 7}
    pl.DataFrame({"region": [r for r, n in people.items() for _ in range(n)]}).write_csv(
        tmp_path / "regions.csv"
    )
    paths = {name: tmp_path / f"{name}.toml" for name in ("county", "group", "both")}
    for path, text in zip(paths.values(), (COUNTY, GROUP, COUNTY + GROUP), strict=True):
        path.write_text(f'[data]\noriginal = "regions.csv"\n{text}')
    alone = {n: unveil.plan(paths[n], below=4).suppressed(below=4) for n in ("county", "group")}
    for name, tables in alone.items():
        assert told_by(paths[name], tables) == set()
    apart = told_by(paths["both"], alone["county"] | alone["group"])
    assert {"region = L", "region = M"} <= apart
    tables = unveil.plan(paths["both"], below=4).suppressed(below=4)
    assert not [note for table in tables.values() for note in table.notes]
    assert told_by(paths["both"], tables) == set()


AGES = """
[[table]]
name = "from 16"
dims = ["sex"]
where = "age >= 16"
margins = "all"
[[table]]
name = "from 18"
dims = ["sex"]
where = "age >= 18"
margins = "all"
"""


def test_a_piece_between_two_tables_is_protected_too(tmp_path):
    """One man of 17 earns 900: 5,900 of men from 16, less 5,000 of men from 18."""
    rows = [("m", 17, 900), *(("m", 40, 1000),) * 5, *(("f", 17, 500),) * 4, *(("f", 30, 800),) * 5]
    people = pl.DataFrame(rows, schema=["sex", "age", "income"], orient="row")
    (tmp_path / "plan.toml").write_text(AGES)
    study = unveil.Study(people)
    result = unveil.amounts(study, "income", tmp_path / "plan.toml")
    assert not any(row.unsafe for row in result.cells)
    assert hidden_of(result)
    assert all(row.safe for row in result.cells)
    kept = ["sex=m", "sex=f", "total"]
    result = unveil.amounts(study, "income", tmp_path / "plan.toml", keep=kept)
    piece = next(row for row in result.cells if not row.table)
    assert (piece.table, set(piece.levels)) == ("", {"sex = m", "age = 16 to 17"})
    assert (piece.lower, piece.upper, piece.value, piece.safe) == (900, 900, None, False)
    assert "1 can be estimated" in result.sentences[1]


def test_who_gives_a_sum_alone_knows_it():
    """Row p: a alone gives 100 to px, and b alone 90 to py. To readers both are from 0 to 190."""
    rows = [("p", "x", "a", 100), ("p", "y", "b", 90)]
    rows += [("q", place, f"{place}{i}", 60) for place in "xy" for i in range(4)]
    rows += [("r", place, f"r{place}{i}", 70) for place in "xy" for i in range(4)]
    frame = pl.DataFrame(rows, schema=["row", "place", "firm", "turnover"], orient="row")
    kept = ["row=q, place=x", "row=q, place=y"]
    result = of_firms(frame, [("row", "place")], rule={"p": 10})
    assert not result.insiders
    assert "row = p" in hidden_of(result)  # else each of the two knows the other
    result = of_firms(frame, [("row", "place")], rule={"p": 10}, keep=[*kept, "row=p"])
    exposed = {row.levels: row for row in result.insiders}
    assert exposed.keys() == {("row = p", "place = x"), ("row = p", "place = y"), ("row = p",)}
    row = exposed["row = p", "place = y"]
    assert (row.unit, row.most, row.largest) == ("gives nothing to it", 90, 90)
    assert exposed["row = p",].unit in ("number 1", "number 2")
    assert "Contributors who know their own amounts" in result.sentences[-1]


def test_a_firm_that_knows_a_neighbouring_cell_knows_its_partner():
    """a gives py alone: by row, columns and py it knows qx, qy and px, and so the 90 of b in it."""
    rows = [("p", "x", "a", 100), ("p", "x", "b", 90), ("p", "y", "a", 50)]
    rows += [("p", "z", f"pz{i}", 60) for i in range(5)]
    rows += [(r, c, f"{r}{c}{i}", 70) for r in "qr" for c in "xyz" for i in range(4)]
    frame = pl.DataFrame(rows, schema=["row", "place", "firm", "turnover"], orient="row")
    names = [f"row={r}, place={c}" for r in "pqr" for c in "xyz"]
    keep = [n for n in names if n[4] + n[-1] not in ("px", "py", "qx", "qy")]
    keep += [f"row={r}" for r in "pqr"] + [f"place={c}" for c in "xyz"] + ["total"]
    result = of_firms(frame, [("row", "place")], keep=keep)
    assert all(row.safe for row in result.cells)  # to readers
    [row] = result.insiders
    assert (row.levels, row.unit) == (("row = p", "place = x"), "number 1")
    assert (row.most, row.largest) == (90, 90)
    free = of_firms(frame, [("row", "place")])
    assert not free.insiders


def test_what_is_published_stays_and_what_is_secret_is_hidden():
    result = of_firms(rule=DOMINANCE, keep=["nace=08"], hide="nace=10")
    assert "nace = 08" not in hidden_of(result)
    assert "nace = 10" in hidden_of(result)
    result = of_firms(rule=DOMINANCE, keep=["nace=05"])
    assert [row.levels for row in result.cells if not row.safe] == [("nace = 05",)]


def test_nothing_is_hidden_where_only_a_list_is_asked_for():
    result = of_firms(rule=DOMINANCE, hide=None)
    assert not hidden_of(result)
    assert not result.insiders
    assert result.sentences[0].startswith("3 of 7 sums are unsafe by the rule. Hidden: 0 of")


def test_cents_add_up_and_missing_amounts_are_told():
    frame = pl.DataFrame({"nace": ["a"] * 4, "turnover": [0.1, 0.2, 0.7, None]})
    result = of_firms(frame, columns={"nace": {"kind": "category"}})
    assert [row.value for row in result.cells] == [1.0, 1.0]
    assert "1 records have no amount and give nothing." in [n.sentence for n in result.notes]


@pytest.mark.parametrize("size", [1e-9, 1e9])
def test_amounts_of_any_size_have_their_sums(size):
    frame = pl.DataFrame({"nace": ["a", "a", "a", "b", "b", "b", "b"], "turnover": [
        amount * size for amount in (1.5, 2.5, 3.0, 1.0, 1.0, 1.0, 1.0)
    ]})  # fmt: skip
    rows = of_firms(frame, columns={"nace": {"kind": "category"}}).cells
    assert [row.value for row in rows] == pytest.approx([7 * size, 4 * size, 11 * size])


def test_a_large_table_of_large_amounts_has_the_sums_of_the_records():
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({
        "nace": rng.integers(0, 5, 4000), "turnover": (rng.pareto(1.2, 4000) * 1e7).round(2)
    })  # fmt: skip
    result = of_firms(frame, columns={"nace": {"kind": "category"}}, hide=None)
    sums = frame.group_by("nace").agg(pl.col("turnover").sum()).sort("nace")["turnover"]
    measured = [row.value for row in result.cells if row.levels != ("total",)]
    assert measured == pytest.approx(sums.to_list(), rel=1e-12)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"of": "firm"}, "firm"), ({"of": "trunover"}, "turnover"), ({"of": "loss"}, "negative"),
        ({"tables": []}, "tables"), ({"tables": [()]}, "tables"), ({"tables": ["nice"]}, "nace"),
        ({"tables": "nowhere.toml"}, "tables"), ({"unit": "holding"}, "holding"),
        ({"rule": {"n": 2}}, "rule"), ({"rule": {"p": 0}}, "rule"), ({"rule": {"q": 5}}, "rule"),
        ({"rule": {"n": 1, "k": 100}}, "rule"), ({"rule": {"least": 0}}, "rule"),
        ({"keep": "nace=99"}, "keep"),
        ({"keep": "total", "hide": "total"}, "keep"), ({"hide": "place=05"}, "hide"),
        ({"columns": {"firm": "person", "loss": "weight"}}, "eights"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused_in_a_sentence(settings, named):
    frame = FIRMS.with_columns(loss=-pl.col("turnover") if settings.get("of") else pl.lit(2))
    columns = settings.pop("columns", {"firm": "person"})
    study = unveil.Study(frame, columns=columns)
    about = {"of": "turnover", "tables": ["nace"]} | settings
    with pytest.raises(unveil.InputError, match=named):
        unveil.amounts(study, **about)


@pytest.mark.parametrize("line", ['publish = "suppress:5"', 'file = "t.csv"'])
def test_a_plan_of_counts_is_no_plan_of_sums(line, tmp_path):
    (tmp_path / "plan.toml").write_text(f'[[table]]\nname = "a"\ndims = ["nace"]\n{line}\n')
    with pytest.raises(unveil.InputError, match="as they are or hidden"):
        unveil.amounts(unveil.Study(FIRMS), "turnover", tmp_path / "plan.toml")
