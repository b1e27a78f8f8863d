"""The same data, held as text, labelled codes, categories or other types, give the same figures."""

import re
from collections.abc import Callable, Iterator
from functools import partial
from inspect import isfunction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unveil
from profiles import examples
from unveil.io.table import Labelled
from unveil.records.codebook import Codebook, Level, Variable

LEVELS = {
    "sex": ("female", "male"),
    "area": ("east", "north", "south", "west"),
    "ill": ("always", "never", "often"),
}
CODES = {name: {label: code for code, label in enumerate(of, 1)} for name, of in LEVELS.items()}


def people(seed: int, n: int = 90) -> pl.DataFrame:
    """People of whom the same is true whatever the types: text, whole numbers, decimals, dates."""
    draw = np.random.default_rng(seed)
    sex, area = draw.integers(0, 2, n), draw.integers(0, 4, n)
    ill = np.where(draw.random(n) < 0.3, draw.integers(0, 3, n), (sex + area) % 3)
    age = draw.integers(20, 60, n) + 3 * area
    return pl.DataFrame(
        {
            "sex": np.array(LEVELS["sex"])[sex],
            "area": np.array(LEVELS["area"])[area],
            "age": age,
            "pay": np.round(age * 0.5 + draw.normal(size=n), 1),
            "ill": np.array(LEVELS["ill"])[ill],
            "day": pl.Series(age + 18_000).cast(pl.Date),
        }
    ).with_columns(ill=pl.when(pl.Series(draw.random(n) < 0.05)).then(None).otherwise("ill"))


def as_codes(frame: pl.DataFrame, dtype: pl.DataType) -> Labelled:
    """Codes in the place of labels, as SPSS has them."""
    coded = frame.with_columns(
        pl.col(name).replace_strict(codes, return_dtype=dtype) for name, codes in CODES.items()
    )
    variables = [
        Variable(
            name=name,
            kind="number",
            levels=tuple(Level(code=code, label=label) for label, code in codes.items()),
        )
        for name, codes in CODES.items()
    ]
    return Labelled(coded, Codebook(source="x.sav", format="spss", variables=tuple(variables)))


def cast(**dtypes: Any) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda frame: frame.with_columns(pl.col(n).cast(to) for n, to in dtypes.items())


WRITTEN: dict[str, Callable[[pl.DataFrame], Any]] = {
    "labelled codes": lambda frame: as_codes(frame, pl.Int64),
    "labelled codes of one byte": lambda frame: as_codes(frame, pl.Int8),
    "labelled codes as decimals": lambda frame: as_codes(frame, pl.Float64),
    "categoricals": cast(**dict.fromkeys(LEVELS, pl.Categorical)),
    "ordered categories": cast(**{name: pl.Enum(of) for name, of in LEVELS.items()}),
    "short integers": cast(age=pl.UInt8),
    "decimals for integers": cast(age=pl.Float64),
    "decimal numbers": cast(pay=pl.Decimal(10, 1), age=pl.Decimal(6, 0)),
    "moments for days": cast(day=pl.Datetime("ms")),
}
KEYS, TARGETS = ["sex", "area", "age"], ["ill", "pay"]
RADII = {"age": 3}
RESULTS = [
    {"name": "ill", "kind": "prevalence", "column": "ill", "level": "never"},
    {"name": "pay", "kind": "regression", "formula": "pay ~ age + sex"},
]
STEPS = [
    {"do": "merge_rare", "column": "area", "below": 20, "into": "other"},
    {"do": "merge", "column": "ill", "levels": ["never", "often"], "into": "not always"},
    {"do": "top_code", "column": "age", "at": 50},
    {"do": "band", "column": "pay", "n": 4, "style": "quantile"},
    {"do": "coarsen_date", "column": "day", "to": "month"},
]
TABLES = [
    {"by": ["sex", "area"], "publish": "suppress:4", "margins": "all"},
    {"by": ["sex", "ill"], "publish": "conventional:3"},
]


def refill(a: Any) -> Any:
    """Rows drawn until enough pass the filter."""
    made = unveil.synthesise(a, order=[*LEVELS, "age", "pay"], seed=1)
    return unveil.refill(a, made, rows=40, seed=1, max_rounds=3)


def protect(a: Any) -> Any:
    """Recoded, synthesised, filtered, and with noise."""
    steps = [
        *STEPS[:3],
        {"do": "synthesise"},
        {"do": "distance_filter", "columns": ["age", "pay"], "max_rounds": 2},
        {"do": "add_noise", "column": "age", "sigma": 1, "round": 0},
    ]
    synthesis = {"order": [*LEVELS, "age", "pay"], "min_leaf": 10}
    return unveil.protect(a, steps=steps, synthesis=synthesis, keys=KEYS, seed=1)


MEASURES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "disclosure": lambda a, b, c: unveil.disclosure(a, [b, c], keys=KEYS, targets=TARGETS),
    "bands": lambda a, b, c: unveil.disclosure(a, b, keys=KEYS, targets="ill", bands={"age": 3}),
    "excess": lambda a, b, c: unveil.excess(a, c, b, keys=KEYS, targets="ill"),
    "exclusions": lambda a, b, c: unveil.exclusion_table(a, b, keys=KEYS, targets=TARGETS),
    "assess": lambda a, b, c: unveil.assess(a, b, keys=KEYS, targets=TARGETS, control=c),
    "key sets": lambda a, b, c: unveil.key_sets(a, b, keys=KEYS[:2], targets="ill", seed=1),
    "cap table": lambda a, b, c: unveil.cap_table(
        a, {"one": b, "two": c}, key_sets=[KEYS, KEYS[:2]], target="ill"
    ),
    "differential": lambda a, b, c: unveil.differential_confidentiality(
        a, c, b, keys=KEYS, target="ill", n_bootstrap=100, seed=1
    ),
    "cap": lambda a, b, c: unveil.cap(a, b, keys=KEYS, target="ill"),
    "tcap": lambda a, b, c: unveil.tcap(a, b, keys=KEYS, target="ill"),
    "gtcap": lambda a, b, c: unveil.gtcap(a, b, keys=KEYS, target="ill", radii=RADII),
    "gcap": lambda a, b, c: unveil.gcap(a, b, keys=KEYS, target="ill"),
    "suda": lambda a, b, c: unveil.suda(a, keys=KEYS),
    "match risk": lambda a, b, c: unveil.match_risk(a, keys=KEYS, sensitive="ill"),
    "linkability": lambda a, b, c: unveil.linkability(
        a, b, control=c, columns=(["sex", "age"], ["area", "pay", "day"]), seed=1
    ),
    "inference": lambda a, b, c: unveil.inference(a, b, control=c, seed=1),
    "singling out": lambda a, b, c: unveil.singling_out(a, b, control=c, n=30, seed=1),
    "membership": lambda a, b, c: unveil.membership(a, b, control=c, seed=1),
    "utility": lambda a, b, c: unveil.utility(a, b, n_permutations=2, seed=1),
    "logit": lambda a, b, c: unveil.utility(a, b, model="logit", seed=1),
    "tables": lambda a, b, c: unveil.pair_tables(a, b),
    "compare": lambda a, b, c: unveil.compare(a, b),
    "projection": lambda a, b, c: unveil.projection(a, b),
    "tstr": lambda a, b, c: unveil.tstr(a, b, outcome="ill", seed=1),
    "replication": lambda a, b, c: unveil.replicate(a, [b, c], RESULTS),
    "mahalanobis": lambda a, b, c: unveil.distance_filter(a, b),
    "gower": lambda a, b, c: unveil.distance_filter(a, b, metric="gower"),
    "uniques removed": lambda a, b, c: unveil.remove_replicated_uniques(a, b, keys=KEYS),
    "suggest": lambda a, b, c: unveil.suggest(a),
    "coding": lambda a, b, c: unveil.suggest_coding(a, keys=KEYS),
    "noise": lambda a, b, c: unveil.add_noise(a, columns={"age": 1, "pay": 0.1}, seed=1),
    "claims": lambda a, b, c: unveil.claims(a, b, c, keys=KEYS[:2], targets="ill"),
    "refill": lambda a, b, c: refill(a),
    "recode": lambda a, b, c: unveil.recode(a, STEPS, keys=KEYS, seed=1),
    "smooth": lambda a, b, c: unveil.smooth(b, ["age", "pay"]),
    "table of counts": lambda a, b, c: unveil.sap(
        unveil.PublishedTable.from_microdata(a, ["sex", "area", "ill"], margins="all"), n_max=2
    ),
    "plan": lambda a, b, c: unveil.Plan.from_tables(TABLES, data=a).disclosed(),
    "structure": lambda a, b, c: unveil.compare_structure(a, b),
    "protect": lambda a, b, c: protect(a),
    "stages": lambda a, b, c: unveil.stages(protect(a), control=c, targets="ill", seed=1),
    "explore": lambda a, b, c: unveil.explore(
        a, keys=KEYS[:2], targets="ill", methods="cart", min_leaf=10, copies=1, seed=1, drop="day"
    ),
    "ecap": lambda a, b, c: unveil.ecap_records(a, columns={"age": 1, "pay": 1}, N=10_000),
    "split": lambda a, b, c: unveil.split(a, strata="sex", seed=1),
}
DISTANCES = ("mahalanobis", "gower", "refill")
WORDS = ("coercions", "warnings", "notes", "sentence", "files", "breaks")


def figures(given: Any) -> Iterator[float]:
    """Every number of a record, in its order; what is only said in words is left out."""
    if isinstance(given, dict):
        for name, value in given.items():
            if name not in WORDS:
                yield from figures(value)
    elif isinstance(given, list | tuple):
        for value in given:
            yield from figures(value)
    elif isinstance(given, int | float) and not isinstance(given, bool):
        yield given


@pytest.mark.slow
@pytest.mark.parametrize("measure", MEASURES)
@examples(10)
@given(st.integers(1, 10_000), st.permutations([*WRITTEN]))
def test_figures_do_not_depend_on_types(measure, seed, written):
    plain = [people(seed + more) for more in range(3)]
    wanted = list(figures(MEASURES[measure](*plain).record.to_dict()))
    assert wanted
    for name in written[:3]:
        if name == "ordered categories" and measure in DISTANCES:
            continue  # an order is more than levels: distances count the steps between them
        sides = [WRITTEN[name](frame) for frame in plain]
        found = list(figures(MEASURES[measure](*sides).record.to_dict()))
        assert found == pytest.approx(wanted, rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize("measure", ["disclosure", "excess", "exclusions", "key sets", "claims"])
def test_a_result_says_of_how_many_records_it_is(measure):
    a, b, c = (people(1, n) for n in (90, 60, 70))
    found = MEASURES[measure](a, b, c).record.to_dict()
    assert found.get("n_original", found.get("n_train")) == 90
    assert found["n_synthetic"] == ((60, 70) if measure == "disclosure" else (60,))
    assert found.get("n_control", 70) == 70
    assert found.get("single_values", {"n_people": 90})["n_people"] == 90


# All methods of synthesis: parametric is normrank, logistic and multinomial here.
METHODS = {
    **{method: (method, [*LEVELS, "age", "pay"]) for method in ("cart", "parametric", "sample")},
    **{method: (dict.fromkeys(LEVELS, method), [*LEVELS]) for method in ("catall", "ipf")},
    "ordered": ({"area": "ordered", "ill": "ordered"}, [*LEVELS, "age", "pay"]),
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("written", [name for name in WRITTEN if name != "ordered categories"])
def test_synthesis_does_not_depend_on_types(method, written):
    plain = people(1)
    settings = {"method": METHODS[method][0], "order": METHODS[method][1], "seed": 7}
    (wanted,) = unveil.synthesise(plain, **settings).sample()
    (found,) = unveil.synthesise(WRITTEN[written](plain), **settings).sample()
    for name, codes in CODES.items():
        if found.schema[name].is_numeric():
            labels = {code: label for label, code in codes.items()}
            column = pl.col(name).cast(pl.Int64).replace_strict(labels, return_dtype=pl.String)
            found = found.with_columns(column)
    same = [pl.col(n).cast(dtype, strict=False) for n, dtype in wanted.schema.items()]
    assert found.select(same).equals(wanted)


@pytest.mark.slow
@pytest.mark.parametrize("written", ["labelled codes", "categoricals", "decimals for integers"])
def test_people_in_order_do_not_depend_on_types(written):
    plain = people(1).with_columns(person=pl.int_range(90) // 3, time=pl.int_range(90) % 3)
    settings = {"person": "person", "time": "time", "order": ["time", "age", "pay"], "seed": 7}
    (wanted,) = unveil.synthesise(plain, **settings).copies
    (found,) = unveil.synthesise(WRITTEN[written](plain), **settings).copies
    assert found.cast(dict(wanted.schema)).equals(wanted)
    with pytest.raises(
        unveil.errors.InputError, match="order lacks 'time', the column of the time"
    ):
        unveil.synthesise(plain, **{**settings, "order": ["age"]})


@pytest.mark.parametrize("written", [pl.Int8, pl.UInt32, pl.Float32, pl.Float64, pl.Decimal(6, 0)])
def test_noise_of_a_column_does_not_depend_on_types(written):
    plain = people(1)["age"]
    settings = {"population": "empirical", "N": 10_000, "n": 90}
    for call in (unveil.choose_noise, partial(unveil.ecap, sigma=2)):
        wanted, found = (call(one, **settings).record for one in (plain, plain.cast(written)))
        assert [*figures(found.to_dict())] == pytest.approx([*figures(wanted.to_dict())])


@pytest.mark.parametrize("written", ["categoricals", "short integers", "decimals for integers"])
def test_strata_do_not_depend_on_types(tmp_path, written):
    plain, settings = people(1).drop("day"), {"strata": "sex", "seed": 1, "min_leaf": 5}
    made = []
    for number, write in enumerate((lambda frame: frame, WRITTEN[written])):
        path = tmp_path / f"{number}.parquet"
        write(plain).write_parquet(path)
        unveil.synthesise_strata(path, tmp_path / f"FAKE_{number}.parquet", **settings)
        made.append(pl.read_parquet(tmp_path / f"FAKE_{number}.parquet"))
    assert made[1].cast(dict(made[0].schema)).equals(made[0])


NO_RECORDS = {
    # of counts, which PublishedTable.from_microdata makes in the law on tables
    *("audit", "bounds", "compare_rounding", "neighbour_sap", "protect_table", "round_table"),
    *("ecap_discrete", "ecap_from_probabilities", "ptable"),  # of probabilities
    *("read_file", "write_file", "codebook", "label_as_fake", "write_synthetic"),  # types as given
    *("use_engine", "verify_pack"),  # no data
}


def test_every_public_call_that_takes_records_is_held_to_the_law():
    public = {name for name in unveil.__all__ if isfunction(getattr(unveil, name))}
    told = set(re.findall(r"unveil\.(\w+)[(,]", Path(__file__).read_text(encoding="utf-8")))
    assert public - told == NO_RECORDS


@pytest.mark.slow
def test_recognition_does_not_depend_on_types():
    settings = {"without": "day", "people": 5, "worlds": 60, "seed": 1, "workers": 1}

    def recognise(write):
        sides = [write(people(seed)) for seed in (5, 7)]
        release = {"min_leaf": 5, "drop": ["day"]}
        found = unveil.recognition(sides[0], release, reference=sides[1], **settings)
        return list(figures(found.record.to_dict()))

    assert recognise(WRITTEN["labelled codes"]) == pytest.approx(recognise(lambda frame: frame))
