"""Retired forms occur in no string of the source, no help, and no page."""

import ast
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import unveil

ROOT = Path(__file__).parents[2]
RETIRED = {
    r"\balone with\b|\bagain alone\b": "unique",
    r"\bgiv(?:e|es|en|ing) (?:\w+ )?away\b|\bgave away\b": "disclose",
    r"\brightly\b": "correctly",
    r"\blearnt\b": "disclosed",
    r"(?<!\bnot )\b(?:un)?settle[sd]?\b": "determine; not settled is a status of a proof",
    r"\bstands? (?:whole |also )?in (?:the|each|it)\b": "reappear",
    r"\bfound at all\b|\blook(?:s|ed|ing)? (?:\w+ ){0,2}up\b": "match",
    r"\bfindings?\b": "flag, published result or disclosure",
    r"\bsomebody\b|\bsomeone\b|\bwhoever\b": "intruder",
    r"\beverybody\b": "everyone",
    r"\bnobody\b": "no one",
    r"\bfrequenc(?:y|ies) alone\b|\bby frequenc(?:y|ies)\b": "baseline",
    r"\b(?:leave|leaves|left|leaving) (?:\w+ )?out\b": "exclude",
    r"\bstory\b|\bstill tells\b": "utility",
    r"\bpeople who stand out\b": "statistical uniques",
    r"\b(?:the|a|this|its|synthetic) copy\b": "synthetic data; copy m of several",
    r"\bheld back\b|\bpeople (?:who were )?left out\b": "control sample",
    r"\bpeople who were used\b": "training records",
    r"\btaken over\b": "reused",
    r"\bno answer\b": "missing value",
    r"\bwho gets the\b": "audience",
    r"\bfaults?\b": "error",
    r"\bsealed page\b": "self-contained page",
    r"\byour eyes\b|\bcustodian's eyes\b": "confidential",
    r"\bsafe(?:ly|r|st)?\b": "what was measured",
    r"\braised no more\b": "cleared",
    r"\bhow sure\b|\bsurely\b": "probability",
    r"\bhas to say\b|\bsay something\b": "outstanding",
    r"\b(?:is|be|was) right\b": "correct",
}
"""What is no longer written, as a pattern, and what is written instead."""

QUOTED = {
    "NOTHING": "how the files of others write a missing value",
    "_TEXT": "formulas of another tool",
}
"""Names whose texts are words of others and not ours, each with the reason."""

KEYS = ("--findings", "[[finding]]", "finding = ", "with finding, accept", "findings must be")
"""Names of settings, options and columns: what files of users hold keeps its name."""

VALUES = {"left out", "left out on average", "leave out", "leave out some", "given away"}
"""Statuses and names of figures in documents, which other programs read: they keep their name."""

SOURCES = [*sorted((ROOT / "src").rglob("*.py")), *sorted((ROOT / "src").rglob("*.tsv"))]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def texts(path: Path) -> Iterator[str]:
    """Every text that a reader may see, without what is filled in; a single word is a key."""
    if path.suffix == ".tsv":
        yield from path.read_text(encoding="utf-8").split("\n")
        return
    if path.suffix == ".md":
        yield from prose(path.read_text(encoding="utf-8"))
        return
    tree = ast.parse(path.read_text(encoding="utf-8"))
    unseen: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            unseen.add(node.value)  # a docstring
        if isinstance(node, ast.FunctionDef) and any(
            "command" in ast.unparse(one) for one in node.decorator_list
        ):
            yield (ast.get_docstring(node) or "").replace("--findings", "")  # of a command
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in QUOTED:
            unseen |= {*ast.walk(node.value)}
        if isinstance(node, ast.Dict):
            unseen |= {key for key in node.keys if key is not None}
        if isinstance(node, ast.Subscript):
            unseen.add(node.slice)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in unseen:
            text = re.sub(r"\{[^{}]*\}", "", node.value)
            if " " in text.strip() and text not in VALUES and not any(key in text for key in KEYS):
                yield text


def prose(page: str) -> Iterator[str]:
    """The paragraphs of a page, without code and what stands in backticks."""
    page = re.sub(r"^```.*?^```", "", page, flags=re.DOTALL | re.MULTILINE)
    yield from re.sub(r"`[^`]*`|\]\([^)]*\)", "", page).split("\n\n")


def public_docstrings() -> Iterator[tuple[str, str]]:
    """What `help()` says of each public name."""
    for name in unveil.__all__:
        text = inspect.getdoc(getattr(unveil, name)) or ""
        yield name, re.sub(r"`[^`]*`|^\w+$", "", text, flags=re.MULTILINE)  # names stay


def retired(text: str) -> list[tuple[str, str]]:
    """The retired forms of a text, each with what to write."""
    found = ((re.search(form, text, re.IGNORECASE), new) for form, new in RETIRED.items())
    return [(match[0], new) for match, new in found if match]


@pytest.mark.parametrize("path", [*SOURCES, *PAGES], ids=lambda path: str(path.relative_to(ROOT)))
def test_no_retired_form_is_left(path):
    found = [(text, form) for text in texts(path) for form in retired(text)]
    assert found == []


def test_help_has_no_retired_form():
    found = [(name, form) for name, text in public_docstrings() for form in retired(text)]
    assert found == []


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("They are alone with their keys.", "alone with"),
        ("What the synthetic data would give away", "give away"),
        ("99 % of the findings", "findings"),
        ("found in the copy", "the copy"),
        ("An intruder who looks a person up", "looks a person up"),
    ],
)
def test_a_retired_form_is_seen(text, form):
    assert form in [found for found, _ in retired(text)]


def test_terms_of_the_field_are_not_retired():
    assert retired("2,220 of 5,000 people are unique in copy 2 of 5; each copy is matched.") == []
