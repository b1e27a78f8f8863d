"""A measure without its test or its page, or a room that reaches up, fails here."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import unveil
from unveil.cli.commands import COMMANDS
from unveil.measure.catalogue import CATALOGUE
from unveil.measure.figures import FORMULAS
from unveil.records.disclosure import AttributeRow, IdentityRow

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "unveil"
MODULES = sorted(SOURCE.rglob("*.py"))
MEASURES = sorted(
    path
    for kind in ("identity", "attribute")
    for path in (SOURCE / "measure" / kind).glob("[a-z]*.py")
)
# What is no formula of the profile: public functions, each in the room of its kind.
ROOMS = (
    "attacks",
    "attribution",
    "codebook",
    "confidentiality",
    "gate",
    "membership",
    "risk",
    "roles",
    "tables",
    "uniques",
    "utility",
)
FUNCTIONS = {
    name: Path(*function.__module__.split(".")[2:])
    for name in unveil.__all__
    if (function := getattr(unveil, name)).__module__.split(".")[2:-1] in [[room] for room in ROOMS]
}
PAGES = [*(ROOT / "docs").glob("*.md"), *sorted((ROOT / "docs" / "measures").glob("*.md"))]


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", MEASURES, ids=lambda path: path.stem)
def test_every_measure_has_its_test_and_its_page(path):
    assert (ROOT / "docs" / "measures" / f"{path.stem}.md").exists()
    assert (ROOT / "tests" / "measure" / f"test_{path.stem}.py").exists()


def test_every_room_of_measures_is_known():
    found = {path.parent.name for path in (SOURCE / "measure").glob("*/__init__.py")}
    assert found == {"identity", "attribute", *ROOMS}
    assert {path.parts[0] for path in FUNCTIONS.values()} == set(ROOMS)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_of_a_room_has_its_test_and_its_page(name):
    room, module = FUNCTIONS[name].parts
    assert (ROOT / "tests" / "measure" / room / f"test_{module}.py").exists()
    # A class is made by its class methods.
    call = f"unveil.{name}." if name[0].isupper() else f"unveil.{name}("
    assert any(call in page.read_text(encoding="utf-8") for page in PAGES)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_described(command):
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(f"unveil {command} " in page.read_text(encoding="utf-8") for page in pages)


def test_every_formula_is_a_field_of_the_record_and_says_where_it_comes_from():
    fields = {*IdentityRow.__struct_fields__, *AttributeRow.__struct_fields__}
    assert {module.__name__.rpartition(".")[2] for module in FORMULAS} <= {p.stem for p in MEASURES}
    for symbol, entry in CATALOGUE.items():
        assert symbol in fields
        assert "Raab 2024" in entry.equation
        assert entry.formula.__doc__


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_every_module_says_which_question_it_answers(path):
    if path.read_text(encoding="utf-8").strip():
        assert ast.get_docstring(tree_of(path)), path


@pytest.mark.slow
@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_forks_pickles_evaluates_or_reaches_the_network(path):
    forbidden = {"pickle", "socket", "urllib", "http", "requests", "multiprocessing", "marshal"}
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            assert not {alias.name.partition(".")[0] for alias in node.names} & forbidden
        if isinstance(node, ast.ImportFrom):
            assert (node.module or "").partition(".")[0] not in forbidden
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            assert node.func.id not in ("eval", "exec", "print", "__import__")
        if isinstance(node, ast.Attribute):
            assert node.attr != "fork"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_no_module_outgrows_one_thing(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400


def test_the_version_is_said_in_one_voice():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert unveil.__version__ == project["version"]
    assert f"[{unveil.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_public_names_are_all_there():
    assert sorted(unveil.__all__) == unveil.__all__
    for name in unveil.__all__:
        assert hasattr(unveil, name)


@pytest.mark.slow
def test_importing_unveil_brings_no_heavy_library():
    heavy = ["scipy", "sklearn", "altair", "pandas", "pyarrow", "matplotlib", "duckdb", "pyspark"]
    code = f"import sys, unveil; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_oracles_stand_alone():
    for path in (ROOT / "tests" / "oracles").glob("*.py"):
        for node in ast.walk(tree_of(path)):
            names = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                assert name.partition(".")[0] in {*sys.stdlib_module_names, "oracles"}, path
