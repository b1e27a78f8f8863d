import unicodedata
from datetime import timedelta
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles.coding import best_agreement, near
from profiles import examples
from unveil.assessment.alerts import gate_alerts
from unveil.io.table import Table
from unveil.measure.gate.coding import best_assignment, has_common_value, propose_codings, swap_days
from unveil.measure.gate.coding_levels import pair_of
from unveil.measure.gate.coding_numbers import near_statistic
from unveil.measure.gate.columns import LinkColumn, link_column
from unveil.measure.gate.linked_people import TiedSearch
from unveil.measure.gate.links import LinkRows
from unveil.measure.gate.recoded_columns import (
    ScenarioKeys,
    find_codings,
    make_coding_rows,
    map_frames,
)
from unveil.measure.gate.values import fold_text
from unveil.records.alerts import GateEvidence
from unveil.study.study import Study

ICD = ["J45.0", "J45.1", "E11.0", "E11.9", "I10.0", "M54.2", "M54.5", "Z00.0", "F32.1", "F32.9"]
DISTRICTS = ["Łódź", "Kraków", "Gdańsk North", "Radom", "Piła", "Smith's Ferry"]


def people(seed: int, n: int = 1500) -> pl.DataFrame:
    """Invented people of one population; another seed is another sample."""
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, n)
    height = np.round(rng.normal(171, 9, n)).astype(int)
    born = pl.Series(19723 - (age * 365.25 + rng.integers(0, 365, n)).astype(int)).cast(pl.Int32)
    pay = np.round(rng.lognormal(7.5, 0.6, n))
    return pl.DataFrame(
        {
            "sex": rng.choice(["female", "male"], n, p=[0.55, 0.45]),
            "age": age,
            "district": rng.choice(DISTRICTS, n, p=[0.3, 0.25, 0.2, 0.12, 0.08, 0.05]),
            "born": born.cast(pl.Date),
            "illness": rng.choice(
                ["none", "asthma", "stroke", "eczema"], n, p=[0.45, 0.3, 0.15, 0.1]
            ),
            "icd": rng.choice(ICD, n, p=[0.2, 0.05, 0.15, 0.1, 0.2, 0.1, 0.05, 0.08, 0.05, 0.02]),
            "cost": np.round(rng.lognormal(7, 0.8, n), 2),
            "height": height,
            "weight": np.round(height - 100 + rng.normal(0, 9, n), 1),
            "pay": np.where(
                rng.random(n) < 0.8, np.round(pay / 100) * 100, np.round(pay / 10) * 10
            ),
            "grade": rng.choice([1, 2, 3, 4, 5], n, p=[0.1, 0.3, 0.35, 0.2, 0.05]),
        }
    )


ORIGINAL = people(1)
REAL = ORIGINAL.sample(fraction=1, shuffle=True, seed=4)
OTHERS = people(2)


def coded(name: str, original: pl.DataFrame, synthetic: pl.DataFrame) -> LinkColumn:
    tables = [Table("original", "o", original), Table("synthetic", "s", synthetic)]
    return link_column(name, Study(tables).files)


def ask(original: pl.DataFrame, synthetic: pl.DataFrame, *names: str):
    """What is proposed about these columns, or about all, with people linked by what links most."""
    columns = {name: coded(name, original, synthetic) for name in synthetic.columns}
    search = TiedSearch(LinkRows.of(list(columns.values()), [0], [1]))
    return find_codings([columns[name] for name in names or columns], 1, search), columns


def kinds_of(found):
    return [(one.column.name, [(p.kind, p.evidence) for p in one.proposals]) for one in found]


def propose(mine: pl.Series, theirs: pl.Series):
    column = coded("x", mine.alias("x").to_frame(), theirs.alias("x").to_frame())
    return propose_codings(pair_of(column, 1))


def text(change):
    return lambda column: pl.Series([change(value) for value in column], dtype=pl.String)


def part(change, share):
    """The change in part of the rows."""

    def changed(column):
        new = change(column)
        is_new = pl.Series(np.random.default_rng(5).random(len(column)) < share)
        as_text = new.dtype != column.dtype
        old = column.cast(pl.String) if as_text else column
        return (new.cast(pl.String) if as_text else new).zip_with(is_new, old)

    return changed


def turned(names):
    """Other names for the levels."""
    return lambda column: column.replace_strict(dict(names), return_dtype=pl.String)


def jitter(size):
    return lambda column: column * (1 + np.random.default_rng(6).normal(0, size, len(column)))


ALIKE = str.maketrans("AEOPCTaeopcK", "АЕОРСТаеорсК")  # noqa: RUF001
CODES = [("none", "Z00"), ("asthma", "J45"), ("stroke", "I64"), ("eczema", "L30")]
ROUND_ROBIN = [("none", "asthma"), ("asthma", "stroke"), ("stroke", "eczema"), ("eczema", "none")]
AREAS = [(one, "north" if k % 2 else "south") for k, one in enumerate(DISTRICTS)]

# Disguise: column, change, the kinds it may be taken for, and whether other people show it, too.
DISGUISES = {
    "capitals": ("district", text(str.upper), "spelling", True),
    "blanks in half": ("district", part(text(lambda v: v + " "), 0.5), "spelling", True),
    "capitals in a tenth": ("illness", part(text(str.upper), 0.1), "spelling", True),
    "accents apart": (
        "district",
        text(lambda v: unicodedata.normalize("NFD", v)),
        "spelling",
        True,
    ),
    "look-alikes": ("district", text(lambda v: v.translate(ALIKE)), "spelling", True),
    "wide letters": (
        "sex",
        text(lambda v: "".join(chr(ord(c) + 0xFEE0) for c in v)),
        "spelling",
        True,
    ),
    "zero-width": ("illness", text(lambda v: v[:2] + "\u200b" + v[2:]), "spelling", True),
    "no-break blank": (
        "district",
        text(lambda v: v.replace(" ", "\u00a0") + "."),
        "spelling",
        True,
    ),
    "no accents": (
        "district",
        text(lambda v: v.translate(str.maketrans("ŁóźńłŚ", "LoznlS"))),
        "spelling",
        True,
    ),
    "no apostrophe": ("district", text(lambda v: v.replace("'", "")), "spelling", True),
    "first letters": ("sex", text(lambda v: v[0].upper()), "spelling", True),
    "letters before": ("illness", text(lambda v: f"ill_{v}"), "spelling", True),
    "words turned": ("district", text(lambda v: ", ".join(reversed(v.split()))), "spelling", True),
    "codes cut": ("icd", text(lambda v: v[:3]), "coarser", True),
    "no stop": ("icd", text(lambda v: v.replace(".", "")), "spelling", True),
    "decimal comma": ("weight", text(lambda v: f"{v:.2f}".replace(".", ",")), "format", True),
    "decimal comma, a third": (
        "weight",
        part(text(lambda v: f"{v}".replace(".", ",")), 0.3),
        "format",
        True,
    ),
    "thousands": ("cost", text(lambda v: f"{v:,.2f}"), "format", False),
    "with unit": ("weight", text(lambda v: f"{v} kg"), "format", True),
    "unit in half": ("height", part(text(lambda v: f"{v} cm"), 0.5), "format", True),
    "currency": ("pay", text(lambda v: f"EUR {v:.2f}"), "format", True),
    "float dust": ("weight", lambda v: v * 1.1 / 1.1 + 0.3 - 0.3, "dust", True),
    "decimals": ("age", lambda v: v + 0.24, "format near shift", True),
    "noise": ("cost", jitter(1e-5), "near", False),
    "noise on whole numbers": ("height", jitter(1e-4), "near format", True),
    "thousandth": ("cost", lambda v: v / 1000, "factor", True),
    "inches": ("height", lambda v: (v / 2.54).round(4), "factor", True),
    "pounds": ("weight", lambda v: v * 2.2046226, "factor", True),
    "a year": ("pay", lambda v: v * 12, "factor", True),
    "plus 1": ("age", lambda v: v + 1, "shift", False),
    "plus 7 in half": ("age", part(lambda v: v + 7, 0.5), "shift", False),
    "minus 150": ("height", lambda v: v - 150, "shift", True),
    "fahrenheit": ("weight", lambda v: v * 1.8 + 32, "factor", True),
    "turned scale": ("grade", lambda v: 6 - v, "factor renamed", False),
    "from 0": ("grade", lambda v: v - 1, "shift renamed", True),
    "rounded to 5": ("age", lambda v: v // 5 * 5, "coarser", True),
    "middles of bands": ("age", lambda v: v // 10 * 10 + 5, "coarser", True),
    "whole numbers": ("weight", lambda v: v.round(), "coarser", True),
    "rounded pay": ("pay", lambda v: (v / 500).round() * 500, "coarser", True),
    "top": ("age", lambda v: v.clip(None, 75), "coarser", True),
    "bands": ("age", text(lambda v: f"{v // 10 * 10}-{v // 10 * 10 + 9}"), "coarser", True),
    "open bands": (
        "age",
        text(lambda v: "under 30" if v < 30 else "30 to 59" if v < 60 else "60+"),
        "coarser",
        True,
    ),
    "other dates": ("born", lambda v: v.dt.strftime("%d.%m.%Y"), "format", True),
    "American dates": ("born", lambda v: v.dt.strftime("%m/%d/%Y"), "format", True),
    "dates as numbers": ("born", lambda v: v.dt.strftime("%Y%m%d").cast(pl.Int64), "format", True),
    "dates in part": ("born", part(lambda v: v.dt.strftime("%d %B %Y"), 0.3), "format", True),
    "days since 1900": ("born", lambda v: v.cast(pl.Int32) + 25569, "shift", True),
    "a day later": ("born", lambda v: v + timedelta(days=1), "shift", False),
    "first of month": ("born", lambda v: v.dt.truncate("1mo"), "coarser", True),
    "months": ("born", lambda v: v.dt.strftime("%Y-%m"), "coarser", True),
    "years": ("born", lambda v: v.dt.year(), "coarser", True),
    "codes": ("illness", turned(CODES), "renamed", True),
    "one word left": ("illness", turned([("none", "none"), *CODES[1:]]), "renamed replaced", True),
    "codes in a third": ("illness", part(turned(CODES), 0.3), "renamed replaced", True),
    "permuted": ("illness", turned(ROUND_ROBIN), "renamed", True),
    "sexes turned": ("sex", turned([("male", "female"), ("female", "male")]), "renamed", False),
    "numbers for words": ("sex", lambda v: (v == "male").cast(pl.Int8) + 1, "renamed", True),
    "united": ("district", turned(AREAS), "coarser renamed replaced", True),
    "put to another": (
        "illness",
        lambda v: v.replace({"eczema": "asthma", "stroke": "asthma"}),
        "coarser",
        True,
    ),
    "word for missing": (
        "icd",
        text(lambda v: "n/a" if v == "I10.0" else v),
        "replaced renamed",
        True,
    ),
    "other money": ("cost", lambda v: (v / 4.27).round(2), "factor", True),
    "day and month exchanged": (
        "born",
        lambda v: pl.Series(swap_days(v.cast(pl.Float64).to_numpy())).cast(pl.Int32).cast(pl.Date),
        "format",
        False,
    ),
}
ON_OTHERS = [name for name, (*_, is_shown) in DISGUISES.items() if is_shown]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "synthetic"),
    [*((name, REAL) for name in DISGUISES), *((name, OTHERS) for name in ON_OTHERS)],
    ids=[*(f"real {name}" for name in DISGUISES), *(f"others {name}" for name in ON_OTHERS)],
)
def test_a_disguised_column_is_seen_and_its_mapping_undoes_it(name, synthetic):
    column, change, kinds, _ = DISGUISES[name]
    changed = synthetic.with_columns(change(synthetic[column]).alias(column))
    found, columns = ask(ORIGINAL, changed, column)
    assert [one.column.name for one in found] == [column]
    assert found[0].proposals[0].kind in kinds.split()
    if found[0].mapping is not None and name != "plus 7 in half":  # no one mapping is for all
        again, _ = ask(*map_frames(columns, 1, found), column)
        assert kinds_of(again) == []


def resampled(frame: pl.DataFrame) -> pl.DataFrame:
    """Each column drawn anew by itself."""
    return frame.select(
        frame[name].sample(fraction=1, shuffle=True, seed=k) for k, name in enumerate(frame.columns)
    )


RARE = pl.when(pl.int_range(pl.len()) < 4).then(pl.lit("Elsewhere")).otherwise(pl.col("district"))
HONEST = {
    "other people": (ORIGINAL, OTHERS),
    "a fifth of the rows": (ORIGINAL, people(3, 300)),
    "three times the rows": (people(4, 500), people(5)),
    "few people": (people(6, 40), people(7, 800)),
    "few records": (ORIGINAL, people(8, 40)),
    "the same": (ORIGINAL, REAL),
    "each column by itself": (ORIGINAL, resampled(ORIGINAL)),
    "real rows among others": (ORIGINAL, pl.concat([REAL[:300], OTHERS[:1200]])),
    "whole numbers as decimals": (
        ORIGINAL,
        OTHERS.with_columns(pl.col("age", "height", "grade").cast(pl.Float64)),
    ),
    "numbers as text": (
        ORIGINAL,
        OTHERS.with_columns(pl.col("age", "cost", "born").cast(pl.String)),
    ),
    "rare levels absent": (ORIGINAL.with_columns(RARE.alias("district")), OTHERS),
    "a rare level more": (ORIGINAL, OTHERS.with_columns(RARE.alias("district"))),
    "rare numbers absent": (ORIGINAL, OTHERS.filter(pl.len().over("pay") > 3)),
    "a level left out": (ORIGINAL, OTHERS.filter(pl.col("illness") != "stroke")),
    "some missing": (
        ORIGINAL.with_columns(pl.when(pl.col("age") > 20).then(pl.all().exclude("age"))),
        OTHERS.with_columns(pl.when(pl.col("age") > 22).then(pl.all().exclude("age"))),
    ),
    "coarse in both": (
        ORIGINAL.with_columns(pl.col("age") // 5 * 5, pl.col("born").dt.truncate("1mo")),
        OTHERS.with_columns(pl.col("age") // 5 * 5, pl.col("born").dt.truncate("1mo")),
    ),
    "capitals in both": (
        ORIGINAL.with_columns(pl.col("district", "icd").str.to_uppercase()),
        OTHERS.with_columns(pl.col("district", "icd").str.to_uppercase()),
    ),
    "record numbers": (
        ORIGINAL.with_columns(age=pl.int_range(1, pl.len() + 1)),
        OTHERS.with_columns(age=pl.int_range(900_001, pl.len() + 900_001)),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_honest_columns_are_left_alone(name):
    found, columns = ask(*HONEST[name])
    assert len(columns) == 11
    assert kinds_of(found) == []
    assert all(has_common_value(pair_of(one, 1)) for one in columns.values())


SOME = st.lists(
    st.one_of(
        st.sampled_from(["a", "b", "NA", "3,5", "2024-01-31", "20-29", "-9", "Ł "]),
        st.text(max_size=3),
        st.integers(-99, 99).map(str),
        st.none(),
    ),
    min_size=1,
    max_size=40,
)


@pytest.mark.slow
@examples(80)
@given(SOME, st.sampled_from([pl.String, pl.Float64, pl.Date]), st.integers(1, 30))
def test_a_column_is_not_coded_differently_from_itself(values, dtype, times):
    column = pl.Series(values, dtype=pl.String)
    if dtype != pl.String:
        column = column.cast(pl.Float64, strict=False)
    column = column.cast(pl.Int32, strict=False).cast(pl.Date) if dtype == pl.Date else column
    column = pl.concat([column] * times)
    assert propose(column, column.shuffle(seed=1)) == ()


@examples(200)
@given(st.lists(st.text(max_size=9), min_size=1))
def test_folding_twice_is_folding_once(texts):
    once = fold_text(pl.Series(texts))
    assert fold_text(once).to_list() == once.to_list()


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["permuted", "plus 1", "codes in a third", "united", "rounded pay"]
)
def test_the_order_of_rows_does_not_matter(name):
    column, change, *_ = DISGUISES[name]
    changed = REAL.with_columns(change(REAL[column]).alias(column))
    mixed = [frame.sample(fraction=1, shuffle=True, seed=9) for frame in (ORIGINAL, changed)]
    assert kinds_of(ask(ORIGINAL, changed, column)[0]) == kinds_of(ask(*mixed, column)[0])


def test_near_by_hand():
    assert near_statistic(np.array([0.0, 10, 20]), np.array([9.9, 10.1, 5]), np.ones(3)) == (
        pytest.approx((2 / 3 - 0.02, 0.02, 2 / 3))
    )


@examples(100)
@given(
    st.lists(st.integers(0, 60), min_size=2, max_size=12, unique=True),
    st.lists(st.integers(-10, 700), min_size=1, max_size=30),
)
def test_near_is_what_plain_loops_count(grid, tenths):
    values = np.sort(np.array(tenths) / 10)
    found, _, _ = near_statistic(np.sort(np.array(grid, float)), values, np.ones(len(values)))
    plain = near([Fraction(one) for one in grid], [Fraction(one, 10) for one in tenths])
    assert found == pytest.approx(float(plain), abs=1e-9)


def test_fresh_numbers_have_uniform_shares_of_the_gap():
    rng = np.random.default_rng(8)
    excess, *_ = near_statistic(
        np.sort(rng.normal(size=3000)), rng.normal(size=3000), np.ones(3000)
    )
    assert excess < 0.036  # Kolmogorov at 0.001


def test_levels_by_hand():
    links = [("a", "2"), ("a", "2"), ("b", "1"), ("b", "1"), ("b", "2")]
    assert best_agreement(links) == (0, Fraction(4, 5))
    assert best_assignment(np.array([[0.0, 2], [2, 1]])).tolist() == [1, 0]


@examples(60)
@given(
    st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.lists(st.integers(0, 9), min_size=n, max_size=n), min_size=n, max_size=n
        )
    )
)
def test_the_best_assignment_is_the_best_of_all(table):
    counts = np.array(table, float)
    links = [
        (f"p{i}", f"r{j}")
        for i, row in enumerate(table)
        for j, n in enumerate(row)
        for _ in range(n)
    ]
    found = best_assignment(counts)
    total = sum(counts[i, j] for j, i in enumerate(found) if i >= 0)
    assert not links or Fraction(int(total), len(links)) == best_agreement(links)[1]


def test_levels_of_few_people_are_never_named():
    names = pl.Series([f"person {k}" for k in range(400)] + ["common"] * 200)
    (found,) = propose(names, names.str.to_uppercase())
    assert found.kind == "spelling"
    assert "person" not in found.evidence.lower()
    assert "COMMON" in found.evidence
    (alone,) = propose(names[:400], names[:400].str.to_uppercase())
    assert "person" not in alone.evidence.lower()


SCENARIO = ScenarioKeys(("sex", "age", "district", "height"), ("illness",))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "is_measured"), [("capitals", True), ("codes", False), ("rounded to 5", True)]
)
def test_the_risk_is_measured_under_the_mapping(name, is_measured):
    column, change, *_ = DISGUISES[name]
    found, columns = ask(ORIGINAL, REAL.with_columns(change(REAL[column]).alias(column)))
    (row,) = make_coding_rows(columns, found, compared=[column], scenarios=[SCENARIO])
    assert (row.column, row.is_measured, row.target) == (column, is_measured, "illness")
    assert row.DiSCO_mapped > 80
    assert (row.DiSCO or 0) < 25
    evidence = GateEvidence(
        files=("o", "s"),
        n_original=1500,
        n_synthetic=(1500,),
        compared=(),
        checks=(),
        codings=(row,),
    )
    (alert,) = gate_alerts(evidence)
    assert (alert.id, alert.kind) == (f"coding:{column}", "coding")
    assert alert.status == ("decide" if is_measured else "block")
    assert f"With this mapping DiSCO of illness is {row.DiSCO_mapped:.1f} %" in alert.sentence
    assert ("not measured" in alert.sentence) is not is_measured
