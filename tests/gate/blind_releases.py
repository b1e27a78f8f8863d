"""Releases to try the gate on, written from its promise alone: the detector was not looked at.

Each invented population is drawn from a model, so that an honest file can be an independent draw.
`releases` makes files that disclose, by many mechanisms, each followed by its honest twin: the same
original, and an honest file of the same columns. `honest_files` makes forty more honest files. What
a file discloses is counted by plain loops here, never by unveil.
"""

import hashlib
import zlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any, Literal

import numpy as np
import polars as pl

Rng = np.random.Generator
Frame = pl.DataFrame
Files = list[Frame]

# Names of columns that are used together.
CODES = "region sex education occupation contract"
HOME = "municipality tenure rooms persons cars"
PLACE = "municipality sex birth_year citizenship"
WORK = "region sex education occupation industry persons"
PARTS = [HOME.split(), ["income", "rent", "area", "children"]]
PARTS += [["heating", "water", "food", "savings", "internet"]]
TOWN, LARGE = "municipality = 1040", "amount > 8000"
HONEST = "Nothing of the original was kept."


@dataclass(frozen=True)
class BlindRelease:
    name: str
    mechanism: str
    original: Frame
    synthetic: Files
    keys: list[str]
    targets: list[str]
    control: Frame | None
    expected: Literal["disclosing", "honest"]
    explanation: str
    should: Literal["stop", "review", "silent"]  # stop: block or decide; silent: at most review
    truth: float  # share of `whom` who are disclosed, counted by plain loops
    whom: str
    claim: float = 0.0  # the least truth by which the release is called disclosing


@dataclass(frozen=True)
class Population:
    draw: Callable[[int, Rng], Frame]
    rows: int  # of an honest file
    keys: list[str]
    targets: list[str]
    coarse: list[str]  # two variables of few levels
    codes: list[str]  # whole numbers that are no amounts
    text_days: list[str]  # days written as text


POPULATIONS: dict[str, Population] = {}
GENERATORS: dict[str, Callable[[Population, Frame, int, Rng], Frame]] = {}
CASES: dict[str, tuple[str, Callable[[], list[BlindRelease]]]] = {}  # mechanism, how to make it


def population(rows: int, *named: str, codes: str = "", text_days: str = "") -> Any:
    roles = [names.split() for names in (*named, codes, text_days)]
    return lambda draw: POPULATIONS.setdefault(draw.__name__, Population(draw, rows, *roles)).draw


def _picks(rng: Rng, n: int, **columns: tuple) -> dict[str, Any]:
    """By column: its levels (or how many), how fast their shares fall, what shifts them."""
    drawn = {}
    for name, (levels, steep, *shift) in columns.items():
        made_up = [f"{name[0].upper()}{i:03d}" for i in range(1, 300)]
        given = levels.split() if isinstance(levels, str) else levels
        held = made_up[:levels] if isinstance(levels, int) else list(given)
        weights = 1 / np.arange(1, len(held) + 1) ** steep
        codes = rng.choice(len(held), n, p=weights / weights.sum())
        drawn[name] = np.asarray(held)[(codes + sum(shift)) % len(held)]
    return drawn


def _whole(values: np.ndarray, low: int, high: int) -> np.ndarray:
    return np.clip(np.round(values), low, high).astype(np.int64)


def _holes(rng: Rng, values: np.ndarray, share: Any) -> pl.Series:
    gone = rng.random(len(values)) < share
    return pl.Series([None if hole else v for v, hole in zip(pl.Series(values), gone, strict=True)])


@population(1500, "sex age district ward", "diagnosis outcome", "sex outcome")
def hospital(n: int, rng: Rng) -> Frame:
    age = _whole(rng.gamma(9, 6.5, n), 0, 99)
    nights = 1 + rng.negative_binomial(1, 1 / (2 + age / 20))
    one = _picks(rng, n, sex=("female male", 0.1), district=(25, 0.6), ward=(12, 0.5, age // 25))
    one |= _picks(rng, n, diagnosis=(90, 0.7, age // 10 * 5), outcome=("home care died", 1.5))
    one |= {"age": age, "admitted": np.datetime64("2021-01-01") + rng.integers(0, 730, n)}
    one |= {"nights": nights, "bmi": _holes(rng, np.round(rng.normal(25, 4, n) + age / 50, 1), 0.1)}
    one["cost"] = np.round(np.exp(7 + 0.6 * np.log(nights) + rng.normal(0, 0.5, n)), 2)
    return Frame(one)


@population(2500, "region sex age occupation", "wage contract union", "sex contract", codes=CODES)
def labour(n: int, rng: Rng) -> Frame:
    age, learnt = _whole(rng.normal(41, 12, n), 15, 74), rng.integers(0, 9, n)
    hours = _whole(rng.choice([20, 38, 40, 45], n) + rng.normal(0, 4, n), 1, 80)
    one = _picks(rng, n, region=(range(1, 17), 0.4), sex=([1, 2], 0.1))
    one |= {"age": age, "education": learnt}
    one |= _picks(rng, n, occupation=(range(1100, 9500, 70), 0.4, learnt * 9), industry=(21, 0.5))
    one |= _picks(rng, n, contract=([1, 2, 3, -8], 1.2, age < 22), union=("no yes", 1.5))
    one |= {"persons": 1 + rng.poisson(1.4, n), "union": _holes(rng, one["union"], 0.05)}
    one |= {"hours": hours, "tenure": _whole(rng.exponential(age * 2.0), 0, 600)}
    pay = hours * np.exp(3.8 + 0.1 * learnt + rng.normal(0, 0.35, n))
    return Frame(one | {"wage": _holes(rng, np.round(pay, 2), 0.15)})


@population(1200, "school grade sex language", "reading meals", "sex grade", text_days="born")
def school(n: int, rng: Rng) -> Frame:
    grade, able = rng.integers(5, 11, n), rng.normal(0, 1, n)
    born = np.datetime64("2016-09-01") - grade * 365 + rng.integers(0, 420, n)
    one = _picks(rng, n, school=(30, 0.3), sex=("f m", 0.1), language=(14, 1.6))
    one |= _picks(rng, n, meals=("no yes", 1.0, able < -1))
    one |= {"grade": grade, "born": [str(day) for day in born]}
    reading = _whole(55 + 15 * able + rng.normal(0, 8, n), 0, 100)
    one |= {"reading": _holes(rng, reading, 0.06), "absences": rng.negative_binomial(1, 0.12, n)}
    return Frame(one | {"maths": _whole(50 + 14 * able + rng.normal(0, 12, n), 0, 100)})


@population(2000, "municipality tenure rooms persons cars", "income savings", "tenure internet")
def households(n: int, rng: Rng) -> Frame:
    one = _picks(rng, n, municipality=(60, 0.5), tenure=("rent own other", 1.0))
    one |= _picks(rng, n, internet=("fibre cable mobile none", 0.9))
    one["persons"] = persons = 1 + rng.poisson(1.3, n)
    one["area"] = area = np.round(np.exp(3.6 + 0.2 * np.log(persons) + rng.normal(0, 0.35, n)), 1)
    income = np.round(np.exp(7.6 + 0.3 * np.log(persons) + rng.normal(0, 0.55, n)), 2)
    one |= {"rooms": _whole(area / 24, 1, 9), "children": rng.binomial(persons - 1, 0.5)}
    one |= {"cars": _whole(rng.poisson(0.4 + income / 4000), 0, 4), "income": income}
    one["rent"] = _holes(rng, np.round(area * rng.normal(9, 2, n), 2), one["tenure"] == "own")
    one["heating"] = np.round(area * rng.gamma(9, 0.12, n), 2)
    one["water"] = np.round(persons * rng.gamma(12, 1.1, n), 2)
    one["food"] = np.round(persons**0.7 * rng.gamma(8, 32, n), 2)
    one["savings"] = np.round(np.maximum(income * rng.normal(0.05, 0.15, n), 0), 2)
    return Frame(one)


@population(1800, "postcode birth_year make", "amount fault", "product fault", codes="postcode")
def claims(n: int, rng: Rng) -> Frame:
    one = _picks(rng, n, product=("basic plus fleet cycle van", 1.1), make=(40, 0.8))
    one |= _picks(rng, n, fault=("own other shared", 0.8), excess=([0, 150, 300, 500], 0.5))
    one |= _picks(rng, n, postcode=(range(10, 130), 0.4))
    one["birth_year"] = _whole(rng.normal(1975, 15, n), 1930, 2005)
    one["claimed"] = np.datetime64("2022-01-01") + rng.integers(0, 1000, n)
    one["mileage"] = _whole(rng.gamma(3, 28000, n), 50, 400000)
    amount = np.exp(7.2 + 0.4 * (one["fault"] == "own") + rng.normal(0, 0.9, n))
    days = 2 + rng.negative_binomial(2, 2 / (5 + amount / 300))
    return Frame(one | {"amount": np.round(amount, 2), "days": days})


@population(300, "sex birth_year centre", "gene status", "sex status")
def registry(n: int, rng: Rng) -> Frame:
    onset = _whole(rng.gamma(4, 6, n), 0, 70)
    one = _picks(rng, n, sex=("F M", 0.2), centre=(12, 0.6), gene=(15, 1.1))
    one |= _picks(rng, n, status=("stable active remission", 0.7, onset > 40))
    one |= {"birth_year": _whole(rng.normal(1978, 18, n), 1930, 2018), "onset": onset}
    one["height"] = height = _whole(rng.normal(165, 7, n) + 12 * (one["sex"] == "M"), 130, 205)
    one["weight"] = _holes(rng, np.round(height * 0.42 + rng.normal(0, 11, n), 1), 0.1)
    return Frame(one | {"marker": np.round(np.exp(rng.normal(1.5 - onset / 60, 0.9, n)), 3)})


@population(4000, PLACE, "income marital", "sex marital", codes="municipality education")
def register(n: int, rng: Rng) -> Frame:
    birth_year, learnt = _whole(rng.normal(1975, 20, n), 1925, 2006), rng.integers(1, 7, n)
    one = _picks(rng, n, municipality=(range(1001, 1301), 0.5), sex=("woman man", 0.1))
    one |= _picks(rng, n, marital=("S M D W P", 1.0, birth_year < 1980), citizenship=(40, 2.2))
    one |= _picks(rng, n, occupation=(200, 0.5, learnt * 20), dwelling=("flat house farm", 1.2))
    one |= {"birth_year": birth_year, "education": learnt}
    one["children"] = rng.poisson(np.clip((2000 - birth_year) / 25, 0, 1.5))
    income = np.exp(9.6 + 0.13 * learnt + rng.normal(0, 0.6, n))
    return Frame(one | {"income": _whole(income, 0, 10**6)})


@population(6000, "age_group sex region", "satisfied", "age_group sex", codes="satisfied")
def survey(n: int, rng: Rng) -> Frame:
    """Coarse on purpose: honest files repeat whole records by chance alone."""
    one = _picks(rng, n, age_group=("16-24 25-34 35-44 45-54 55-64 65+", 0.2), sex=("f m", 0.1))
    old = one["age_group"] > "45"
    one |= _picks(rng, n, region=(8, 0.8), education=("low mid high other", 0.9, old))
    satisfied = _picks(rng, n, satisfied=([4, 3, 5, 2, 1], 0.7, old))["satisfied"]
    return Frame(one | {"satisfied": _holes(rng, satisfied, 0.03)})


def _identify(frame: Frame, rng: Rng) -> Frame:
    """Columns that identify people, made up for these rows."""
    n, parts = frame.height, [a + b for a in ("be", "do", "fe", "ku", "li", "ma") for b in "nrst"]
    number = rng.choice(90_000_000, n, replace=False) + 10_000_000
    family = rng.choice(900_000, n, replace=False) + 100_000
    family[: n // 20] = family[n // 20 : n // 20 * 2]  # some have a brother or a sister here
    rows = []
    for a, b, c, d, e, f in rng.choice(parts, (n, 6)):
        phone, second, house = rng.integers(10**6, 10**7), rng.integers(86400), rng.integers(1, 999)
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        note = f"Fell near house {house} at {clock[:5]}, came with {a}{b}a, asked for Dr {f}{e}."
        dialled = f"0171 {phone // 10**4} {phone % 10**4:04d}"
        rows.append((f"{a.title()}{b}a {c}{d}{e}".title(), dialled, clock, note))
    more = Frame(rows, schema=["name", "phone", "reported", "note"], orient="row")
    return more.with_columns(pl.Series("patient_no", number), pl.Series("family_no", family))


def _plain(p: Population, frame: Frame) -> Frame:
    """Days as whole numbers, codes as text: numbers are amounts, and text is a category."""
    return frame.with_columns(
        *(pl.col(name).str.to_date() for name in p.text_days),
        *(pl.col(name).cast(pl.String) for name in p.codes),
    ).with_columns(pl.col(pl.Date).to_physical().cast(pl.Int64))


def _written(p: Population, made: Frame, original: Frame) -> Frame:
    """A file made from `_plain`, written as the original is."""
    columns = []
    for real in original:
        series = made[real.name]
        if real.name in p.text_days or real.dtype == pl.Date:
            series = series.cast(pl.Float64).round().cast(pl.Int32).cast(pl.Date)
        elif series.dtype == pl.Float64:
            digits = (d for d in range(3) if (real.round(d) == real).all())
            series = series.round(next(digits, 3) if real.dtype == pl.Float64 else 0)
        columns.append(series.cast(real.dtype))
    return Frame(columns)


def resample_in_cells(p: Population, original: Frame, n: int, rng: Rng) -> Frame:
    """Each column by itself within two coarse variables, numbers with noise of their own."""
    frame = _plain(p, original)
    members: dict[tuple, list[int]] = {}
    for row, cell in enumerate(frame.select(p.coarse).iter_rows()):
        members.setdefault(cell, []).append(row)
    everyone, cells = list(range(frame.height)), list(members)
    sizes = np.asarray([len(members[cell]) for cell in cells])
    which = np.sort(rng.choice(len(cells), n, p=sizes / sizes.sum()))
    pools = [members[cell] if len(members[cell]) >= 30 else everyone for cell in cells]
    columns: dict[str, Any] = {c: [cells[k][i] for k in which] for i, c in enumerate(p.coarse)}
    for name in frame.drop(p.coarse).columns:
        drawn = [rng.choice(pools[k], int((which == k).sum())) for k in range(len(cells))]
        values = frame[name][np.concatenate(drawn)]
        columns[name] = _jittered(values, rng) if values.dtype.is_numeric() else values
    return _written(p, Frame(columns), original)


def _jittered(series: pl.Series, rng: Rng) -> pl.Series:
    x = series.cast(pl.Float64).to_numpy()
    low, high, middle = np.nanmin(x), np.nanmax(x), np.nanmedian(x)
    x = low + abs(x + rng.normal(0, 0.15 * abs(x - middle) + 0.05 * np.nanstd(x)) - low)
    return pl.Series(np.clip(high - abs(high - x), low, high), nan_to_null=True)


def draw_by_copula(p: Population, original: Frame, n: int, rng: Rng) -> Frame:
    """Normal scores of ranks, drawn anew; numbers are interpolated between the original values."""
    frame = _plain(p, original)
    scores = np.column_stack([_scores(series, rng) for series in frame])
    drawn = rng.multivariate_normal(np.zeros(frame.width), np.corrcoef(scores.T), n)
    places = (drawn.argsort(axis=0).argsort(axis=0) + rng.random(drawn.shape)) / n
    columns: dict[str, Any] = {}
    for series, place in zip(frame, places.T, strict=True):
        if series.dtype.is_numeric():
            values = np.quantile(series.drop_nulls().to_numpy(), place)
            columns[series.name] = _holes(rng, values, series.null_count() / frame.height)
        else:
            in_order = sorted(series.to_list(), key=str)
            columns[series.name] = [in_order[int(at * frame.height)] for at in place]
    return _written(p, Frame(columns), original)


def _scores(series: pl.Series, rng: Rng) -> np.ndarray:
    """Normal deviates in the order of the values; missing numbers stand anywhere."""
    held = series.drop_nulls().to_list()
    values = [rng.choice(held) if v is None else v for v in series] if held else []
    order, scores = np.lexsort((rng.random(len(values)), values)), np.empty(len(values))
    scores[order] = np.sort(rng.normal(size=len(values)))
    return scores


def _synthesise(method: str, min_leaf: int = 20, smoothing: Any = "density") -> Callable:
    """unveil's own generator; real numbers are given back only where nearly all are shared."""

    def make(p: Population, original: Frame, n: int, rng: Rng) -> Frame:
        import unveil

        frame, seed = _plain(p, original), int(rng.integers(2**31))
        own = [c for c in frame if c.dtype.is_numeric() and c.n_unique() > 0.3 * len(c)]
        how: dict[str, Any] = {"min_leaf": min_leaf, "smoothing": smoothing if own else None}
        made = unveil.synthesise(frame, method=method, **how, rows=n, seed=seed, workers=1)
        return _written(p, made.copies[0], original)

    return make


GENERATORS |= {"fresh draw": lambda p, _, n, rng: p.draw(n, rng)}
GENERATORS |= {"cells": resample_in_cells, "copula": draw_by_copula}
GENERATORS |= {"cart": _synthesise("cart"), "parametric": _synthesise("parametric")}


def share_learnt(original: Frame, synthetic: Files, learn: str, **how: Any) -> float:
    """Share of people of whom all records that fit what is known tell what is learnt, correctly.

    `learn` is "what is known > what is learnt". A record fits if it agrees with all known values;
    with `need`, if it agrees with so many at least and none agrees with more. A number is correct
    if it is off by a share of `near` at most. `people` are row numbers: who is looked up.
    """
    near, need, people = how.get("near", 0), how.get("need"), how.get("people")
    known, learnt = (names.split() for names in learn.split(" > "))
    columns, k = known + learnt, len(known)
    rows = [row for file in synthetic for row in file.select(columns).iter_rows()]
    persons = list(original.select(columns).iter_rows())
    by_known: dict[tuple, list[tuple]] = {}
    for row in rows:
        by_known.setdefault(row[:k], []).append(row)
    chosen, right = list(range(len(persons)) if people is None else people), 0
    for person in (persons[i] for i in chosen):
        fits = by_known.get(person[:k], []) if need is None else _best(rows, person[:k], need)
        right += bool(fits) and all(_tells(row[k:], person[k:], near) for row in fits)
    return right / len(chosen)


def _best(rows: list[tuple], known: tuple, need: int) -> list[tuple]:
    best: list[tuple] = []
    for row in rows:
        agree = sum(a == b for a, b in zip(known, row, strict=False))
        if agree > need:
            best, need = [row], agree
        elif agree == need:
            best.append(row)
    return best


def _tells(found: tuple, true: tuple, near: float) -> bool:
    for a, b in zip(found, true, strict=True):
        if a is None or b is None or (a != b and not (near and abs(a - b) <= near * abs(b))):
            return False
    return True


def share_back(original: Frame, synthetic: Files, of: str, there: str, write: Any = 0) -> float:
    """Share of people whose value is no one else's and is found, as written, in the files."""
    found = {value for file in synthetic for value in file[there]}
    held, back = Counter(original[of]), 0
    for value in original[of]:
        back += held[value] == 1 and (write(value) if write else value) in found
    return back / original.height


def _with_twin(leaky: BlindRelease, twin: str, made: Files, count: Any) -> list[BlindRelease]:
    names = {"name": f"{leaky.name} (twin)", "mechanism": f"honest: {twin}", "explanation": HONEST}
    honest = replace(leaky, **names, expected="honest", should="silent", claim=0.0)
    honest = replace(honest, truth=count(made), synthetic=made)
    return [replace(leaky, truth=count(leaky.synthetic)), honest]


def leak(people: str, n: int, mechanism: str, learn: str, claim: float, **more: Any) -> Any:
    """Make a case of a function that leaks records, named and explained as the function is.

    More: how the `twin` is made, `who` is looked up, how to `look` at the files, whether there is a
    `control` sample, and what `share_learnt` takes.
    """
    p, twin, who = POPULATIONS[people], more.pop("twin", "fresh draw"), more.pop("who", "")
    look, has_control = more.pop("look", list), more.pop("control", False)
    whom = f"people with {who}" if who else "all people"

    def build(function: Callable[[Population, Frame, Rng], Files]) -> list[BlindRelease]:
        rng = np.random.default_rng(zlib.crc32(function.__name__.encode()))
        name, o = function.__name__.replace("_", " "), p.draw(n, rng)
        files = function(p, o, rng)
        made = [GENERATORS[twin](p, o, file.height, rng).select(file.columns) for file in files]
        held_back = p.draw(n // 2, rng) if has_control else None
        people = o.select(pl.sql_expr(who)).to_series().arg_true() if who else range(n)
        # With `need`, each person is held against every record: some people will do.
        how = more | {"people": people[:120] if "need" in more else people}
        shown = (name, mechanism, o, files, p.keys, p.targets, held_back, "disclosing")
        leaky = BlindRelease(*shown, str(function.__doc__), "stop", 0.0, whom, claim)
        return _with_twin(leaky, twin, made, lambda s: share_learnt(o, look(s), learn, **how))

    def add(function: Callable) -> Callable:
        CASES[function.__name__] = (mechanism, partial(build, function))
        return function

    return add


def _mixed(rows: Any, rng: Rng) -> Any:
    return rows[rng.permutation(len(rows))]


@leak("hospital", 1500, "whole records", "sex age district diagnosis > cost nights", 0.95)
def real_rows_in_other_order(p: Population, o: Frame, rng: Rng) -> Files:
    """All records are real, in another order of rows and columns, whole numbers as decimals."""
    return [_mixed(o, rng).with_columns(pl.col(pl.Int64).cast(pl.Float64))[:, ::-1]]


@leak("claims", 1800, "whole records", "postcode birth_year make > amount", 0.45, control=True)
def half_the_file_is_real(p: Population, o: Frame, rng: Rng) -> Files:
    """Every second record is real, the others are drawn."""
    return [_mixed(pl.concat([o[::2], p.draw(o.height // 2, rng)]), rng)]


@leak("claims", 1200, "whole records", "postcode birth_year make > amount", 0.2, twin="cart")
def tree_with_leaves_of_one(p: Population, o: Frame, rng: Rng) -> Files:
    """The trees were grown until each leaf held one person."""
    return [_synthesise("cart", min_leaf=1, smoothing=None)(p, o, o.height, rng)]


def _real_where(who: str, p: Population, o: Frame, rng: Rng) -> Files:
    fresh = p.draw(o.height, rng).remove(pl.sql_expr(who))
    return [_mixed(pl.concat([o.filter(pl.sql_expr(who)), fresh]), rng)]


@leak("school", 1200, "one group", "school grade born > maths absences", 0.85, who="sex = 'f'")
def only_girls_are_real(p: Population, o: Frame, rng: Rng) -> Files:
    """The records of girls are real, those of boys are drawn."""
    return _real_where("sex = 'f'", p, o, rng)


@leak("register", 20000, "one group", f"{PLACE} occupation > income", 0.9, who=TOWN, control=True)
def one_town_is_real(p: Population, o: Frame, rng: Rng) -> Files:
    """The records of one municipality of 300 are real."""
    return _real_where(TOWN, p, o, rng)


@leak("claims", 3000, "one group", "postcode birth_year make > amount", 0.9, who=LARGE)
def largest_claims_are_real(p: Population, o: Frame, rng: Rng) -> Files:
    """Extremes were hard to model, so the largest claims were left as they are."""
    return _real_where(LARGE, p, o, rng)


@leak("households", 1500, "near-copies", f"{HOME} > income food", 0.6, near=0.006, twin="cells")
def three_digits_of_each_number(p: Population, o: Frame, rng: Rng) -> Files:
    """Real records with every number rounded to three significant digits."""
    return [_mixed(o.with_columns(pl.col(pl.Float64).round_sig_figs(3)), rng)]


@leak("labour", 2500, "near-copies", f"{WORK} > wage", 0.7, near=0.01, twin="copula")
def each_row_twice_with_noise(p: Population, o: Frame, rng: Rng) -> Files:
    """Each real record twice, whole numbers off by one or two, wages by some per mille."""
    two, n = pl.concat([o, o]), 2 * o.height
    age, tenure = pl.col("age") + rng.integers(-1, 2, n), pl.col("tenure") + rng.integers(-2, 3, n)
    wage = (pl.col("wage") * rng.normal(1, 0.003, n)).round(2)
    return [_mixed(two.with_columns(age, tenure, wage), rng)]


@leak("households", 1200, "near-copies", f"{HOME} > heating water", 0.6, control=True)
def two_neighbours_averaged(p: Population, o: Frame, rng: Rng) -> Files:
    """Income, food and savings are the mean of two similar households, all else is the first's."""
    z = o.select("income", "area", "food").to_numpy()
    apart = (((z[:, None] - z[None]) / z.std(axis=0)) ** 2).sum(axis=2)
    other = o[(apart + 1e9 * np.eye(o.height)).argmin(axis=1)]
    mean = [((o[c] + other[c]) / 2).round(2) for c in ("income", "food", "savings")]
    return [_mixed(o.with_columns(mean), rng)]


@leak("registry", 300, "columns redrawn", "birth_year centre gene > marker", 0.9, control=True)
def only_sex_is_swapped(p: Population, o: Frame, rng: Rng) -> Files:
    """Real records in which sex alone was shuffled."""
    return [_mixed(o.with_columns(_mixed(o.select("sex"), rng)), rng)]


@leak("hospital", 900, "columns redrawn", "sex age district diagnosis > cost", 0.85, twin="copula")
def dates_moved_for_each_person(p: Population, o: Frame, rng: Rng) -> Files:
    """Real records, the day of admission moved by up to three months."""
    days = pl.Series(rng.integers(-90, 91, o.height)) * 86_400_000
    return [_mixed(o.with_columns(pl.col("admitted") + days.cast(pl.Duration("ms"))), rng)]


@leak("hospital", 2000, "columns redrawn", "district diagnosis nights > cost", 0.75, twin="cells")
def persons_redrawn_stays_real(p: Population, o: Frame, rng: Rng) -> Files:
    """Sex, age, ward and outcome come from a model, everything about the stay is real."""
    fresh = p.draw(o.height, rng)
    return [_mixed(o.with_columns(fresh.select("sex", "age", "ward", "outcome")), rng)]


@leak("labour", 1500, "columns redrawn", f"{WORK} age contract hours tenure > wage", 0.4, need=5)
def third_of_each_row_resampled(p: Population, o: Frame, rng: Rng) -> Files:
    """In each real record a third of the values, others each time, come from other people."""
    own = [pl.Series(rng.random(o.height) < 2 / 3) for _ in o]
    mixed = [c.zip_with(keep, _mixed(c, rng)) for c, keep in zip(o, own, strict=True)]
    return [_mixed(Frame(mixed), rng)]


@leak("school", 800, "columns redrawn", "school grade born sex language > maths", 0.25, need=3)
def third_of_each_row_blank(p: Population, o: Frame, rng: Rng) -> Files:
    """Real records with a third of the values left out at random."""
    return [_mixed(Frame({c.name: _holes(rng, c, 1 / 3) for c in o}), rng)]


@leak("register", 20000, "parts", "municipality birth_year occupation > income", 0.95, control=True)
def columns_shuffled_in_blocks(p: Population, o: Frame, rng: Rng) -> Files:
    """Columns were shuffled in three blocks: what is in one block still belongs together."""
    one, two = [*PLACE.split()[::2], "occupation", "income"], ["sex", "marital", "children"]
    parts = [_mixed(part, rng) for part in (o.select(one), o.select(two), o.drop(one + two))]
    return [pl.concat(parts, how="horizontal")]


def _side_by_side(files: Files) -> Files:
    parts = [file.select(part) for file, part in zip(files, PARTS, strict=True)]
    return [pl.concat(parts, how="horizontal")]


@leak("households", 1500, "several files", f"{HOME} > income food", 0.6, look=_side_by_side)
def each_file_holds_other_columns(p: Population, o: Frame, rng: Rng) -> Files:
    """Three files in the order of the original; each has other columns real, the rest drawn."""
    return [p.draw(o.height, rng).with_columns(o.select(part)) for part in PARTS]


@leak("school", 1500, "several files", "school grade born sex > maths absences", 0.8, twin="copula")
def each_file_holds_other_people(p: Population, o: Frame, rng: Rng) -> Files:
    """Five files; each has another fifth of the people real, all other records are drawn."""
    return [_mixed(pl.concat([o[i::5], p.draw(o.height * 4 // 5, rng)]), rng) for i in range(5)]


def _md5(value: Any) -> str:
    return hashlib.md5(str(value).encode(), usedforsecurity=False).hexdigest()[:16]


# Honest records beside one real column: its name in the original and in the file, how it is written
# there, and what a reasonable gate should do. Only by hashing is a hash told from made-up letters.
REAL_COLUMNS: dict[str, tuple[str, int, str, Any, str]] = {
    "cost > cost": ("hospital", 1500, "exact values", None, "stop"),
    "reported > reported": ("claims", 2000, "exact values", None, "stop"),
    "cost > cost_before": ("hospital", 1200, "second column", None, "stop"),
    "income > income_orig": ("households", 1200, "second column", lambda v: v * 12, "stop"),
    "patient_no > study_id": ("hospital", 1000, "second column", lambda v: f"S-{v}", "stop"),
    "patient_no > pseudonym": ("hospital", 800, "second column", _md5, "review"),
    "name > name": ("registry", 300, "identifiers", None, "stop"),
    "note > note": ("hospital", 1000, "identifiers", None, "stop"),
    "phone > phone": ("claims", 900, "identifiers", lambda v: "+49-" + v[1:4] + v[5:], "stop"),
    "family_no > family_no": ("school", 1200, "identifiers", None, "stop"),
}


def _real_column(columns: str) -> list[BlindRelease]:
    """Honest records with a real column in no order; in the twin it is that of other people."""
    (of, there), (people, n, mechanism, write, should) = columns.split(" > "), REAL_COLUMNS[columns]
    p, rng = POPULATIONS[people], np.random.default_rng(zlib.crc32(columns.encode()))
    o, others, fresh = (p.draw(n, rng) for _ in range(3))
    o, others = (f if of in f else f.with_columns(_identify(f, rng)[of]) for f in (o, others))
    sides = []
    for values in (o[of].shuffle(1).to_list(), others[of].to_list()):
        written = [write(value) if write else value for value in values]
        sides.append([fresh.with_columns(pl.Series(there, written))])
    about = f"Honest records carry the real {of} of people in the column {there}."
    shown = (f"real {of} in {there}", mechanism, o, sides[0], p.keys, p.targets, None, "disclosing")
    leaky = BlindRelease(*shown, about, should, 0.0, "all people", 0.85)
    return _with_twin(leaky, "fresh draw", sides[1], lambda s: share_back(o, s, of, there, write))


CASES |= {one: (row[2], partial(_real_column, one)) for one, row in REAL_COLUMNS.items()}


@cache
def releases() -> list[BlindRelease]:
    """Every release that discloses, each followed by its honest twin."""
    return [release for _, build in CASES.values() for release in build()]


def _without_rarest(frame: Frame) -> Frame:
    """A level that few have does not occur."""
    column = max(frame.select(pl.col(pl.String)), key=lambda c: c.n_unique() * (c.n_unique() < 100))
    rarest = min(column.drop_nulls().unique().sort(), key=Counter(column).__getitem__)
    return frame.filter(column.ne_missing(rarest))


VARIATIONS: tuple[tuple[str, float, Callable[[Frame], Frame]], ...] = (
    ("as it is", 1, lambda frame: frame),
    ("other order of columns", 1, lambda frame: frame[:, ::-1]),
    ("whole numbers as decimals", 1, lambda frame: frame.cast({pl.Int64: pl.Float64})),
    ("fewer rows", 0.6, lambda frame: frame),
    ("a rare level absent", 1, _without_rarest),
    ("more rows", 1.7, lambda frame: frame),
)


def honest_files(generators: Iterable[str] = tuple(GENERATORS)) -> list[BlindRelease]:
    """Five honest generators times eight data sets, each file varied in one way."""
    made = []
    for i, (people, p) in enumerate(POPULATIONS.items()):
        original = p.draw(p.rows, np.random.default_rng([1, i]))
        learn = " ".join(original.columns[:-1]) + " > " + original.columns[-1]
        for generator in generators:
            at = i + list(GENERATORS).index(generator)
            rng, (how, size, change) = np.random.default_rng([2, i, at]), VARIATIONS[at % 6]
            file = change(GENERATORS[generator](p, original, int(size * original.height), rng))
            control = p.draw(original.height // 2, rng) if at % 2 else None
            names = (f"{people}, {generator}, {how}", f"honest: {generator}", original, [file])
            more = (p.keys, p.targets, control, "honest", HONEST, "silent")
            truth = share_learnt(original, [file], learn)
            made.append(BlindRelease(*names, *more, truth, "all people"))
    return made
