"""What holds of the tree: imports go down, names are used once, what is public is tested."""

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

import unveil
from unveil.cli import main
from unveil.cli.commands import COMMANDS, FORMER
from unveil.measure.disclosure.figures import FORMULAS
from unveil.measure.disclosure.measures import CATALOGUE
from unveil.records.disclosure import AttributeRow, IdentityRow

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "unveil"
MODULES = sorted(SOURCE.rglob("*.py"))
NAMES = {
    ".".join(("unveil", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in MODULES
}
# The measures of Raab 2024, as their pages and their tests are called.
MEASURES = (
    "cap",
    "checks",
    "claims",
    "disco",
    "excess",
    "key_sets",
    "recurrence",
    "tcap",
    "uniques",
)
# The layers, lowest first: a module may import its own and those before it.
LAYERS = (
    *("errors", "version", "arrays", "arguments", "atomic", "seeding", "records", "assessment"),
    *("view", "io", "expressions", "count", "study", "models", "measure", "synthesis"),
    *("protection", "project", "examples", "doctor", "app", "cli", "__main__", "__init__"),
)
MOST_LINES = 700
SHORT = 125
"""A module that one sibling alone imports is longer than this, or a part of that sibling."""
FUNCTIONS = {
    name: function.__module__.split(".")[2:]
    for name in unveil.__all__
    if (function := getattr(unveil, name)).__module__.startswith("unveil.measure.")
    and not function.__module__.startswith("unveil.measure.disclosure.")  # told symbol by symbol
}
PAGES = [*(ROOT / "docs").glob("*.md"), *sorted((ROOT / "docs" / "measures").glob("*.md"))]


RENDERING = {"rich", "jinja2", "markupsafe"}
TAG = re.compile(r"(?<!P)</?[a-z][a-z0-9]*(?: [a-z-]+=|/?>)")


def test_only_renderers_touch_html_and_the_terminal():
    """A view is made of blocks; the bar of progress and the still picture draw themselves."""
    for path in MODULES:
        where = path.relative_to(SOURCE).as_posix()
        if path.name.startswith("render_") or where in ("cli/progress.py", "view/charts/chart.py"):
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [
            one.module or "" if isinstance(one, ast.ImportFrom) else one.names[0].name
            for one in ast.walk(tree)
            if isinstance(one, ast.Import | ast.ImportFrom)
        ]
        assert not RENDERING & {name.partition(".")[0] for name in names}, where
        if where.startswith(("view/", "cli/")):
            texts = (one.value for one in ast.walk(tree) if isinstance(one, ast.Constant))
            found = [text for text in texts if isinstance(text, str) and TAG.search(text)]
            assert found == [], where


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imported(path: Path) -> set[Path]:
    """The modules that a module imports when it runs, also those within functions."""
    found: set[Path] = set()

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.ImportFrom):
                for alias in child.names:
                    whole = f"{child.module}.{alias.name}"
                    found.add(NAMES.get(whole, NAMES.get(child.module or "", path)))
            elif isinstance(child, ast.Import):
                found.update(NAMES[one.name] for one in child.names if one.name in NAMES)
            visit(child)

    visit(tree_of(path))
    return found - {path}


@cache
def imports() -> dict[Path, set[Path]]:
    return {path: imported(path) for path in MODULES}


def layer_of(path: Path) -> int:
    return LAYERS.index(path.relative_to(SOURCE).parts[0].removesuffix(".py"))


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_its_test_and_its_page(name):
    assert (ROOT / "docs" / "measures" / f"{name}.md").exists()
    assert (ROOT / "tests" / "measure" / "disclosure" / f"test_{name}.py").exists()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_measure_has_its_test_and_its_page(name):
    folder, *_, module = FUNCTIONS[name]
    assert (ROOT / "tests" / "measure" / folder / f"test_{module}.py").exists()
    # A class is made by its class methods.
    call = f"unveil.{name}." if name[0].isupper() else f"unveil.{name}("
    assert any(call in page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_described(command):
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(f"unveil {command} " in page.read_text(encoding="utf-8") for page in pages)


def test_every_formula_is_a_field_of_the_record_and_says_where_it_comes_from():
    fields = {*IdentityRow.__struct_fields__, *AttributeRow.__struct_fields__}
    homes = {entry.formula.__module__ for entry in CATALOGUE.values()}
    assert homes == {module.__name__ for module in FORMULAS}
    for symbol, entry in CATALOGUE.items():
        assert symbol in fields
        assert "Raab 2024" in entry.equation
        assert entry.formula.__doc__


@pytest.mark.slow
def test_every_module_and_every_package_says_what_it_is_for():
    assert [path for path in MODULES if not ast.get_docstring(tree_of(path))] == []


@pytest.mark.slow
def test_no_module_forks_pickles_evaluates_or_reaches_the_network():
    forbidden = {"pickle", "socket", "urllib", "http", "requests", "multiprocessing", "marshal"}
    # The app listens on this machine's own address; doctor asks which interfaces there are.
    known = {"server.py": {"socket"}, "examine.py": {"socket"}}
    for path in MODULES:
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                names = {alias.name.partition(".")[0] for alias in node.names}
                assert not names & forbidden - known.get(path.name, set()), path
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").partition(".")[0] not in forbidden, path
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("eval", "exec", "print", "__import__"), path
            if isinstance(node, ast.Attribute):
                assert node.attr != "fork", path


@pytest.mark.slow
def test_imports_go_down():
    up = [
        (path, other)
        for path in MODULES
        for other in imports()[path]
        if layer_of(other) > layer_of(path)
    ]
    assert up == []


def test_no_modules_import_each_other_in_a_ring():
    done: set[Path] = set()
    while ready := [p for p in MODULES if p not in done and imports()[p] <= done]:
        done.update(ready)
    assert set(MODULES) - done == set()


def test_no_class_name_is_used_twice():
    homes = defaultdict(list)
    for path in MODULES:
        for node in tree_of(path).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.relative_to(SOURCE))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


# What is done in one place alone: how it would be done again, and where it is.
HOMES = {
    "kinds of columns are decided": (
        r"def kind_of_|NEAR_UNIQUE = |LABELLED_CODES = ",
        "count/kinds",
    ),
    "levels that are numbers are found": (
        r"is_?in\([^\n]*special_codes|not_answers",
        "count/codes",
    ),
    "columns are aligned": (r"\balign_column\(|\bmatch_column\(", "study/"),
    "numbers of files get one type": (r"\bunify_number_types\(", "io/numbers"),
    "TOML is read": (r"tomllib\.loads?\(", "io/read_toml|project/toml"),
    "TOML is changed": (r"\btomlkit\b", "project/toml"),
    "nearest records are searched": (
        r"cKDTree|NearestNeighbors|BallTree|cdist\(",
        "models/neighbours/",
    ),
    "regressions are fitted": (
        r"lstsq|linalg\.solve|cho_solve|minimize\(|LogisticRegression|solve_triangular",
        "models/",
    ),
    "trees are grown": (r"sklearn|DecisionTree", "models/tree"),
    "rows are sampled": (r"np\.sort\([^\n]*\.choice\(", "seeding"),
    "intervals of rates are Wilson's": (r"def _?wilson", "models/intervals"),
    "records become arrays of a model file": (
        r"def to_arrays",
        "models/(array_record|design)|synthesis/(catall|impossible|methods)",
    ),
    "JSON of a record": (r"def to_json", "records/base|view/show|project/run_result"),
}


@pytest.mark.parametrize("what", HOMES)
def test_what_is_done_in_one_place_is_done_nowhere_else(what):
    sign, home = HOMES[what]
    found = [
        path.relative_to(SOURCE).as_posix()
        for path in MODULES
        if re.search(sign, path.read_text(encoding="utf-8"))
    ]
    assert found
    assert [path for path in found if not re.match(home, path)] == []


def test_nothing_is_defined_that_the_product_does_not_use():
    # A name is used in its module, imported from it, an attribute, or looked up by its text.
    inside, anywhere = set(), set()
    for module, path in NAMES.items():
        for part in tree_of(path).body:
            own = set(_defined(part))
            for node in ast.walk(part):
                match node:
                    case ast.Name(id=name, ctx=ast.Load()) if name not in own:
                        inside.add((module, name))
                    case ast.ImportFrom(module=str(source), names=names):
                        inside.update((source, one.name) for one in names)
                    case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                        anywhere.add(name)
    unused = [
        (module, name)
        for module, path in NAMES.items()
        for part in tree_of(path).body
        for name in _defined(part)
        if (module, name) not in inside and name not in anywhere and not name.startswith("__")
    ]
    # Imported for the catalogue they fill.
    assert [one for one in unused if one[1] != "FORMULAS"] == []


def _defined(part: ast.stmt) -> list[str]:
    match part:
        case ast.FunctionDef(name=name, decorator_list=[]) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def test_no_module_outgrows_one_thing():
    lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: n for path, n in lines.items() if n > MOST_LINES} == {}


def test_no_short_module_serves_one_sibling_only():
    # A file for each format stays apart, and so do pages and screens.
    apart = ("io/read_parquet.py", "io/write_parquet.py", "cli/commands.py")
    apart += ("study/engine.py",)  # what other engines are to answer
    apart += ("synthesis/spark_strata.py",)  # runs on a cluster's workers, with its library alone
    apart += ("measure/gate/near_copies.py",)  # a check of the gate is looked for by its name
    importers = defaultdict(list)
    for path in MODULES:
        for other in imports()[path]:
            importers[other].append(path)
    public = {NAMES[getattr(unveil, name).__module__] for name in unveil.__all__}
    short = [
        path.relative_to(SOURCE).as_posix()
        for path, (one, *more) in importers.items()
        if not more and one.parent == path.parent and path not in public
        if path.name != "__init__.py" and len(path.read_text("utf-8").splitlines()) <= SHORT
    ]
    assert [name for name in short if not name.startswith("view/") and name not in apart] == []


def test_the_architecture_page_names_what_is_there():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"`((?:src/unveil/|tests/|docs/)?[a-z_]+/[a-z_/]*(?:\.py)?)`", page)
    assert len(named) > 40
    gone = [one for one in named if not (ROOT / one).exists() and not (SOURCE / one).exists()]
    assert gone == []
    parts = {path.relative_to(SOURCE).parts[0].removesuffix(".py") for path in MODULES}
    picture = (ROOT / "docs" / "images" / "layers.svg").read_text(encoding="utf-8")
    assert {one for one in parts if one not in picture} == {"__init__", "__main__"}


def test_the_version_is_said_in_one_voice():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert unveil.__version__ == project["version"]
    assert f"[{unveil.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_public_names_are_all_there():
    assert sorted(unveil.__all__) == unveil.__all__
    for name in unveil.__all__:
        assert hasattr(unveil, name)


@pytest.mark.parametrize(("former", "name"), unveil._FORMER.items())
def test_former_public_names_work_and_warn(former, name):
    with pytest.warns(DeprecationWarning, match=f"unveil.{former} is now unveil.{name}"):
        assert getattr(unveil, former) is getattr(unveil, name)
    assert former not in dir(unveil)


@pytest.mark.parametrize(("former", "name"), FORMER.items())
def test_former_commands_work_and_say_their_new_name(former, name, capsys):
    with pytest.raises(SystemExit) as ended:
        main([former, "--help"])
    said = capsys.readouterr()
    assert ended.value.code in (0, None)
    assert f"Usage: unveil {name}" in said.out
    assert said.err == f"`unveil {former}` is now `unveil {name}`.\n"


@pytest.mark.slow
def test_importing_unveil_brings_no_heavy_library():
    heavy = ["scipy", "sklearn", "altair", "pandas", "pyarrow", "matplotlib", "duckdb", "pyspark"]
    code = f"import sys, unveil; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_oracles_stand_alone():
    for path in (ROOT / "tests" / "oracles").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                assert name.partition(".")[0] in {*sys.stdlib_module_names, "oracles"}, path
