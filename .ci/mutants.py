"""Do the tests notice a small change of a formula?

`python .ci/mutants.py --mutants 1000` changes one operator, constant or edge at a time in what
counts and measures, runs the tests that enter the changed function, and prints one line for each
change that no test noticed. The edges of bands come first, all of them; the others are drawn with
a seed.

Changes that no figure can show are listed with the reason in `mutants_equivalent.txt`: they are
printed with it, and the share is given with and without them.

A change is made in the running process: the code of one function is replaced, the tests are run
until one fails, and the code is put back. Nothing is written to the source.
"""

import argparse
import ast
import builtins
import copy
import importlib
import os
import random
import signal
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import _lru_cache_wrapper, partial
from itertools import pairwise
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
FIRST = ("study/bands.py",)
PACKAGES = ("count", "measure/disclosure", "measure/cap")
TESTS = (
    *("tests/count", "tests/laws", "tests/measure/disclosure", "tests/measure/cap", "tests/study"),
    *sorted(str(one.relative_to(ROOT)) for one in (ROOT / "tests").glob("test_*.py")),
)
EQUIVALENT = ROOT / ".ci" / "mutants_equivalent.txt"
NOTE = "__entered__"
FREE = "not frames and not models and not browser and not app and not large and not spark"
LONGEST_TEST = 4.0  # seconds; longer ones are left out, which can only leave more unnoticed
LONGEST = 40.0  # seconds of tests for one change

OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.And: ast.Or,
    ast.Or: ast.And,
}
NAMES = {
    **{"min": "max", "max": "min", "any": "all", "all": "any"},
    **{"minimum": "maximum", "maximum": "minimum", "left": "right", "right": "left"},
    **{"floor": "ceil", "ceil": "floor", "first": "last", "last": "first"},
}


@dataclass(frozen=True)
class Mutant:
    """One change: in which function of which file, at which of its places."""

    file: Path
    function: str
    place: int
    what: str
    text: str

    def __str__(self) -> str:
        where = self.file.relative_to(SOURCE / "unveil").as_posix()
        return f"{where} {self.function}: {self.what} | {self.text}"


def changes(function: ast.AST) -> Iterator[tuple[ast.AST, Any, str]]:
    """Each place of a function that can be changed: the node, how to change it, in words.

    What is written for people (messages, docstrings) and for the type checker is left alone.
    """
    for node in _code_of(function):
        match node:
            case ast.Compare() | ast.BinOp() | ast.BoolOp() | ast.AugAssign():
                yield from _operators(node)
            case ast.UnaryOp(op=ast.Not() | ast.Invert() | ast.USub() as op):
                yield node, _drop_operator, f"without {type(op).__name__}"
            case ast.Constant(value=bool(value)):
                yield node, partial(_set_value, value=not value), f"{value} -> {not value}"
            case ast.Constant(value=int(value)):
                yield node, partial(_set_value, value=value + 1), f"{value} -> {value + 1}"
            case ast.Constant(value="left" | "right" as value):
                yield node, partial(_set_value, value=NAMES[value]), f"not {value}"
            case ast.Call(func=ast.Name(id=name)) if name in NAMES:
                yield node, _rename, f"{name} -> {NAMES[name]}"
            case ast.Call(func=ast.Attribute(attr=name)) if name in NAMES:
                yield node, _rename, f"{name} -> {NAMES[name]}"
            case ast.IfExp():
                yield node, _swap, "branches swapped"


def _code_of(node: ast.AST) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "defaults", "kw_defaults"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.keyword) and child.arg == "strict":
                continue  # of zip: a check that never fails cannot be noticed
            if isinstance(child, ast.AST) and not isinstance(child, (ast.Raise, ast.JoinedStr)):
                yield child
                yield from _code_of(child)


def _operators(node: Any) -> Iterator[tuple[ast.AST, Any, str]]:
    many = isinstance(node, ast.Compare)
    for at, op in enumerate(node.ops if many else [node.op]):
        other = OPERATORS.get(type(op))
        if other is not None:
            change = partial(_set_operator, at=at if many else None, op=other)
            yield node, change, f"{type(op).__name__} -> {other.__name__}"


def _set_operator(node: Any, *, at: int | None, op: type[ast.AST]) -> None:
    if at is None:
        node.op = op()
    else:
        node.ops[at] = op()


def _set_value(node: Any, *, value: Any) -> None:
    node.value = value


def _drop_operator(node: Any) -> None:
    node.op = ast.UAdd() if isinstance(node.op, ast.USub) else node.op
    if not isinstance(node.op, ast.UAdd):
        node.operand = ast.UnaryOp(op=copy.copy(node.op), operand=node.operand)


def _rename(node: Any) -> None:
    if isinstance(node.func, ast.Name):
        node.func.id = NAMES[node.func.id]
    else:
        node.func.attr = NAMES[node.func.attr]


def _swap(node: Any) -> None:
    node.body, node.orelse = node.orelse, node.body


def functions(tree: ast.AST, before: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions of a module and methods of its classes, with their names."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield before + node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from functions(node, f"{before}{node.name}.")


def mutants_of(file: Path) -> list[Mutant]:
    """Every change of one file, each with its line and where in it."""
    source = file.read_text()
    lines = source.splitlines()
    return [
        Mutant(file, name, place, what, f"{node.col_offset}: {lines[node.lineno - 1].strip()}")
        for name, function in functions(ast.parse(source))
        for place, (node, _, what) in enumerate(changes(function))
    ]


def changed_code(mutant: Mutant) -> CodeType:
    """The compiled function with the change made."""
    tree = ast.parse(mutant.file.read_text())
    function = dict(functions(tree))[mutant.function]
    node, change, _ = list(changes(function))[mutant.place]
    change(node)
    module = compile(ast.fix_missing_locations(tree), str(mutant.file), "exec")
    return next(code for code in _codes(module) if code.co_qualname == mutant.function)


def noting_codes(file: Path) -> dict[str, CodeType]:
    """Each function of a file, compiled so that it notes that it was entered."""
    tree = ast.parse(file.read_text())
    for name, function in functions(tree):
        note = ast.parse(f"{NOTE}(({str(file)!r}, {name!r}))").body
        function.body[:0] = note
    module = compile(ast.fix_missing_locations(tree), str(file), "exec")
    return {code.co_qualname: code for code in _codes(module)}


def _codes(code: CodeType) -> Iterator[CodeType]:
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from _codes(one)


def live_function(mutant: Mutant) -> FunctionType | None:
    """The function as it is loaded, out of whatever is wrapped around it."""
    name = ".".join(mutant.file.relative_to(SOURCE).with_suffix("").parts)
    found: Any = importlib.import_module(name)
    for part in mutant.function.split("."):
        found = vars(found)[part] if isinstance(found, type) else getattr(found, part)
    for inner in ("fget", "func", "__func__", "__wrapped__", "__wrapped__"):
        found = getattr(found, inner, found) if not isinstance(found, FunctionType) else found
    while isinstance(found, FunctionType) and hasattr(found, "__wrapped__"):
        found = found.__wrapped__
    return found if isinstance(found, FunctionType) else None


class Runner:
    """Runs the tests of each change inside one session of pytest."""

    def __init__(self, given: argparse.Namespace) -> None:
        self.n, self.seed = given.mutants, given.seed
        self.longest, self.cases = given.seconds, given.cases
        self.shard = tuple(map(int, given.shard.split("/")))
        self.only = given.only and set(given.only.read_text(encoding="utf-8").splitlines())
        self.failed = False
        self.survivors: list[str] = []
        self.killed = self.untested = self.unended = 0
        self._caches: list[Any] = []
        self._noticed: dict[Any, Counter[tuple[Path, str]]] = defaultdict(Counter)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Examples that fail stay as they are found."""
        from hypothesis import Phase, settings

        # An example that fails is enough: it need not become a small one, nor be remembered.
        short = settings(phases=(Phase.explicit, Phase.generate), database=None, deadline=None)
        settings.register_profile("mutants", short)
        settings.load_profile("mutants")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Whether the test noticed."""
        self.failed |= report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run each test once as it is, then those of each change."""
        for one in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(one, _stop)
        # What a test or the product remembers was counted without the change.
        loaded = [vars(module).values() for module in list(sys.modules.values()) if module]
        self._caches = [
            one for all_ in loaded for one in all_ if isinstance(one, _lru_cache_wrapper)
        ]
        drawn = self._drawn()
        tests, seconds = self._who_enters_what(session, drawn)
        for number, mutant in enumerate(drawn, 1):
            chosen = tests.get((str(mutant.file), mutant.function), ())
            self._try(mutant, sorted(chosen, key=partial(self._when, mutant, seconds)), seconds)
            if number % 25 == 0:
                self._say(f"{number} changes, {self.killed} noticed")
        return True

    def _some(self, items: list[pytest.Item]) -> list[pytest.Item]:
        """Of each test a few of its cases, drawn: fewer can only leave more unnoticed."""
        cases: dict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            cases[item.nodeid.partition("[")[0]].append(item)
        dice = random.Random(self.seed)
        return [
            one for all_ in cases.values() for one in dice.sample(all_, min(self.cases, len(all_)))
        ]

    def _drawn(self) -> list[Mutant]:
        first = [one for name in FIRST for one in mutants_of(SOURCE / "unveil" / name)]
        rest = [
            mutant
            for package in PACKAGES
            for file in sorted((SOURCE / "unveil" / package).rglob("*.py"))
            for mutant in mutants_of(file)
        ]
        if self.only:
            return [one for one in first + rest if str(one) in self.only]
        drawn = random.Random(self.seed).sample(rest, min(max(self.n - len(first), 0), len(rest)))
        mine, of = self.shard
        self._say(f"{len(first)} changes of bands, {len(drawn)} of {len(rest)} others")
        return (first + drawn)[: self.n][mine - 1 :: of]

    def _who_enters_what(
        self, session: pytest.Session, drawn: list[Mutant]
    ) -> tuple[dict[Any, Any], dict[Any, float]]:
        entered: set[tuple[str, str]] = set()
        builtins.__dict__[NOTE] = entered.add
        places = {(one.file, one.function): one for one in drawn}
        live = {place: live_function(one) for place, one in places.items()}
        kept = [(one, one.__code__) for one in live.values() if one is not None]
        noting = {file: noting_codes(file) for file in {one.file for one in drawn}}
        for (file, name), function in live.items():
            if function is not None:
                function.__code__ = noting[file][name]
        tests: dict[Any, set[Any]] = defaultdict(set)
        seconds: dict[Any, float] = {}
        for item in self._some(session.items):
            entered.clear()
            self.failed = False
            began = time.process_time()
            self._run(item, 60)
            seconds[item] = time.process_time() - began
            if not self.failed and seconds[item] <= LONGEST_TEST:
                for place in entered:
                    tests[place].add(item)
        for function, code in kept:
            function.__code__ = code
        took = sum(seconds.values())
        self._say(f"{len(seconds)} tests, {took:.0f} s, enter {len(tests)} functions")
        return tests, seconds

    def _when(self, mutant: Mutant, seconds: dict[Any, float], item: Any) -> tuple[int, float]:
        """Tests that noticed other changes of the function or file come first, then the quick."""
        noticed = self._noticed[item]
        same = 10 * noticed[mutant.file, mutant.function] + noticed[mutant.file, ""]
        return -min(same, 10), seconds[item]

    def _try(self, mutant: Mutant, chosen: list[Any], seconds: dict[Any, float]) -> None:
        function = live_function(mutant)
        if not chosen or function is None:
            self.untested += 1
            self.survivors.append(str(mutant))
            self._say(f"no test enters: {mutant}")
            return
        kept, function.__code__ = function.__code__, changed_code(mutant)
        spent, self.failed = 0.0, False
        try:
            for item in chosen:
                spent += seconds[item]
                if spent > self.longest and spent > seconds[item]:
                    break
                self._run(item, 10 + 10 * seconds[item])
                if self.failed:
                    self.killed += 1
                    self._noticed[item].update([(mutant.file, mutant.function), (mutant.file, "")])
                    return
        finally:
            function.__code__ = kept
        self.survivors.append(str(mutant))
        self._say(f"not noticed: {mutant}")

    def _run(self, item: pytest.Item, limit: float) -> None:
        for cached in self._caches:
            cached.cache_clear()
        # By the time of the processor, for others may use it; a test that waits ends by the clock.
        signal.setitimer(signal.ITIMER_PROF, limit)
        signal.setitimer(signal.ITIMER_REAL, 60 * limit)
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
        except TimeoutError:
            self.failed = True
            self.unended += 1
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)

    @staticmethod
    def _say(text: str) -> None:
        print(text, file=sys.__stdout__, flush=True)


def _stop(*_: object) -> None:
    raise TimeoutError


def main() -> int:
    """Print the share of changes that the tests notice, and those they do not."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--mutants", type=int, default=1000)
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--shard", default="1/1", help="2/4: the second of four parts")
    asked.add_argument("--bound", type=float, default=0.9)
    asked.add_argument("--seconds", type=float, default=LONGEST, help="of tests for one change")
    asked.add_argument("--cases", type=int, default=1000, help="of each test")
    asked.add_argument("--tests", nargs="*", default=TESTS, help="these tests only")
    asked.add_argument("--slow", action="store_true", help="tests that are marked slow, too")
    asked.add_argument("--only", type=Path, help="the changes that this file lists, one a line")
    given = asked.parse_args()
    os.environ.setdefault("CI", "1")  # the same random examples for each change
    os.chdir(ROOT)
    runner = Runner(given)
    with open(os.devnull, "w") as nowhere, redirect_stdout(nowhere):
        told = [*given.tests, "-q", "-n", "0", "-p", "no:cacheprovider"]
        told += ["-m", FREE] if given.slow else []
        pytest.main(told, [runner])
    n, why = runner.killed + len(runner.survivors), reasons()
    same = [one for one in sorted(runner.survivors) if one in why]
    real = [one for one in sorted(runner.survivors) if one not in why]
    print("\nNot noticed, and no figure can show it:")
    print(*(f"  {one}\n    {why[one]}" for one in same), sep="\n")
    print("Not noticed:", *real, sep="\n  ")
    print(f"{runner.killed} of {n} changes noticed ({runner.killed / max(n, 1):.1%}),")
    able = max(n - len(same), 1)
    print(f"{runner.killed / able:.1%} of the {able} that a figure can show;")
    print(f"{runner.untested} in functions that none of these tests enters;")
    print(f"{runner.unended} noticed by a test that takes ten times as long")
    return int(runner.killed < given.bound * able)


def reasons() -> dict[str, str]:
    """Why no figure can show a change: each change, and below it the reason."""
    listed = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    return {one: why.strip() for one, why in pairwise(listed) if why.startswith("    ")}


if __name__ == "__main__":
    sys.exit(main())
