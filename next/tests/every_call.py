"""Every public call on a study or on tables counted from one, and the small study it is made on.

A new call is found by itself. What it needs beside the study stands in NEEDED, and arguments that
take any text in FREE.
"""

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from random import Random
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import polars as pl
from msgspec import Meta

import unveil

SUBJECTS = ("study", "table", "tables")


def calls_on(*subjects: str) -> dict[str, Callable[..., Any]]:
    """The public calls whose first argument is one of these."""
    functions = {n: f for n in unveil.__all__ if inspect.isfunction(f := getattr(unveil, n))}
    return {
        name: call
        for name, call in functions.items()
        if next(iter(inspect.signature(call).parameters), "") in subjects
    }


def on_tables(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call on published tables, made on tables that are counted from a study."""

    @wraps(call)
    def counted(study: Any, **settings: Any) -> Any:
        return call(tables_of(call.__name__, study), **settings)

    return counted


def tables_of(name: str, study: Any) -> Any:
    """What a call on tables is made on: people by two keys, small counts hidden."""
    if not isinstance(study, unveil.Study):
        return study
    publish = {"table": "suppress:3", "": "exact"}
    table = unveil.PublishedTable.count(
        study, study.keys[:2], publish=publish, margins="all", seed=1
    )
    rounded = {"rounded": table.republish("conventional:3")}
    return {"hidden": table, **rounded} if name == "plan" else table


def by_keys(call: Callable[..., Any]) -> Callable[..., Any]:
    """A call on tables of sums, by two keys."""

    @wraps(call)
    def summed(study: Any, **settings: Any) -> Any:
        return call(study, **{"tables": [getattr(study, "keys", ())[:2]]} | settings)

    return summed


TABLE_CALLS = calls_on("table", "tables")
CALLS = calls_on("study") | {name: on_tables(call) for name, call in TABLE_CALLS.items()}
CALLS |= {"amounts": by_keys(unveil.amounts)}
NEEDED: dict[str, dict[str, Any]] = {
    "amounts": {"of": "income"},
    "add_noise": {"amounts": {"income": {"sigma": 50, "round": 0}}},
    "recode": {
        "steps": [
            {"do": "merge_rare", "column": "age", "below": 15},
            {"do": "round", "column": "income", "to": 100},
            {"do": "smooth", "columns": "income"},
            {"do": "remove_uniques"},
        ]
    },
    "protect": {
        "steps": [
            {"do": "round", "column": "income", "to": 100},
            {"do": "synthesise", "leaf": [5, 10]},
            {"do": "add_noise", "amounts": {"income": 20}},
        ]
    },
    "compare_schemes": {"schemes": ("exact", "random:3"), "people": 2, "draws": 2},
    "replicate": {
        "results": [
            {"name": "Income", "kind": "mean", "outcome": "income"},
            {"name": "<script>alert(1)</script>", "kind": "share", "outcome": "income >= 1100"},
            {
                "name": "Line",
                "kind": "linear",
                "outcome": "income",
                "predictors": ["income > 1100"],
            },
        ]
    },
    "recognition": {
        "synthesiser": lambda data, seed: data.frame.sample(
            fraction=1, with_replacement=True, seed=seed
        ),
        "worlds": 20,
        "people": 5,
    },
}
FREE = {"missing", "unit", "by", "reason"}
CANARIES = ("Zq-key", "Zq-target", "Zq-pid", "Zq-note", "7654321")
ABOUT: dict[str, Any] = {
    "keys": ("sex", "age", "region"),
    "targets": ("health", "income"),
    "columns": {
        "income": {"special": (-8,), "tolerance": 200},
        "pid": "person",
        "note": "ignore",
        "health": {"sensitive": ("poorly",)},
    },
    "missing": ("unknown",),
}


def people(seed: int, n: int = 70) -> pl.DataFrame:
    """Records of people who have one or two, and what they say of themselves."""
    chance = Random(seed)

    def draws(*levels: Any) -> list[Any]:
        weights = range(len(levels) + 1, 1, -1)
        return chance.choices(levels, weights, k=n)

    return pl.DataFrame({
        "sex": draws("womanly", "manly"),
        "age": draws(30, 40, 50, 60),
        "region": draws("Ashwick", "Birchby", None, "unknown"),
        "health": draws("finely", "fairly", "poorly"),
        "income": draws(1000, -8, 1150, 2000, None),
        "pid": [f"person-{row * 9 // 10}" for row in range(n)],
        "note": draws("remark", "aside"),
    })  # fmt: skip


def with_canaries(frame: pl.DataFrame) -> pl.DataFrame:
    """Somebody whose every value is their own."""
    somebody = ("womanly", 60, "Zq-key", "Zq-target", 7654321, "Zq-pid", "Zq-note")
    return pl.concat([frame, pl.DataFrame([somebody], schema=frame.schema, orient="row")])


def frames() -> dict[str, Any]:
    """The original with canaries, copies of two versions, and a control sample."""
    return {
        "original": with_canaries(people(1)),
        "synthetic": {"cart": [people(2), people(3)], "S 1": [people(4)]},
        "control": people(5),
    }


def change_files(files: Any, change: Callable[[pl.DataFrame], Any]) -> Any:
    """The same with something done to every file."""
    if isinstance(files, Mapping):
        return {name: change_files(file, change) for name, file in files.items()}
    return [change_files(f, change) for f in files] if isinstance(files, list) else change(files)


def study(change: Callable[[pl.DataFrame], Any] = pl.DataFrame.clone, **about: Any) -> unveil.Study:
    return unveil.Study(**change_files(frames(), change), **ABOUT | about)


def make(name: str, files: unveil.Study, **settings: Any) -> unveil.Result:
    """A call without what takes long."""
    return CALLS[name](files, **settings_of(name, **{"expected": False} | settings))


def settings_of(name: str, **settings: Any) -> dict[str, Any]:
    """What the call needs, and of these settings those it has; always of the same seed."""
    known = inspect.signature(CALLS[name]).parameters
    settings = {"seed": 1} | settings
    return NEEDED.get(name, {}) | {k: v for k, v in settings.items() if k in known}


def tables(result: unveil.Result) -> dict[str, pl.DataFrame]:
    return {name: result.frame(name) for name in result.tables}


# Wrong values


def arguments(call: Callable[..., Any]) -> dict[str, Any]:
    """The declared types of a call's arguments, the study aside."""
    hints = get_type_hints(call, include_extras=True)
    return {n: hint for n, hint in hints.items() if n not in ("return", "self", *SUBJECTS)}


def wrong_values(name: str, hint: Any) -> Iterator[Any]:
    """What an argument of this type must refuse."""
    parts = [*parts_of(hint)]
    kinds = {get_origin(kind) or kind for kind, _ in parts}
    yield object()
    yield from (value for kind in kinds & WRONG.keys() for value in WRONG[kind])
    if not kinds & {Any, Mapping}:
        yield from () if name in FREE else ("no such name", "", "no such \x1b[31mname")
    for _, metas in parts:
        yield from beyond(metas)


WRONG: dict[Any, tuple[Any, ...]] = {
    Any: (5, "no such file.csv", ".", ""),  # a file
    Sequence: (5, [5], [None], [["no such part", 5]]),
    Mapping: (5, ["sex"], {"no such name": "key"}, {5: "key"}),
    tuple: ((1,), (1, 2, 3, "four"), 7),
    int: ([], 1.5),
    float: ([], float("nan"), "1e999"),
    bool: (3,),
}


def parts_of(hint: Any, metas: Sequence[Any] = ()) -> Iterator[tuple[Any, Sequence[Any]]]:
    """The types that a declared type allows, each with its bounds."""
    if get_origin(hint) is Annotated:
        hint, *extras = get_args(hint)
        yield from parts_of(hint, [extra for extra in extras if isinstance(extra, Meta)])
    elif get_origin(hint) in (Union, UnionType):
        for part in get_args(hint):
            yield from parts_of(part, metas)
    elif hint is not NoneType:
        yield hint, metas


def beyond(metas: Sequence[Meta]) -> Iterator[float]:
    """Numbers just outside the bounds of a type."""
    for meta in metas:
        yield from (bound - 1 for bound in (meta.ge,) if bound is not None)
        yield from (bound + 1 for bound in (meta.le,) if bound is not None)
        yield from (bound for bound in (meta.gt, meta.lt) if bound is not None)


if __name__ == "__main__":  # what threads must not change
    documents = {}
    for call_name in CALLS:
        frames_of = tables(CALLS[call_name](study(), **settings_of(call_name)))
        documents[call_name] = {table: frame.to_dicts() for table, frame in frames_of.items()}
    json.dump(documents, sys.stdout)
