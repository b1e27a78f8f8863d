"""Names that would do harm: none reaches a terminal, a spreadsheet or a page as it stands."""

import csv
import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from html.parser import HTMLParser

import polars as pl
import pytest

import unveil
from unveil.cli import main

LONG = "n" * 10_000
CUT = "n" * 59 + "…"
WIDTH = "400"

PLAIN = {
    "script": "<script>alert(1)</script>",
    "image": "<img src=x onerror=alert(1)>",
    "end of the table": "</td></table><script>1</script>",
    "entity": "&lt;b&gt;&#x1b;",
    "quotation marks": "\"' onclick='x",
    "formula": "=cmd|' /C calc'!A0",
    "plus": "+1+1",
    "minus": "-2+3",
    "at": "@SUM(1)",
    "rich markup": "[red]x[/red]",
    "rich end": "[/]",
    "rich link": "[link=http://x]y[/link]",
    "rich emoji": ":smile:",
    "template": "{keys} {0} %s $HOME",
    "comma": "a,b",
    "emoji": "\N{GRINNING FACE}\N{THUMBS UP SIGN}",
    "Arabic": "الجنس",
    "combining": "e\u0301a\u0308",
}
"""Names that may be shown as they are, wherever nothing reads them as more than text."""

UNSAFE = {
    "colour": ("\x1b[31mred\x1b[0m", "\\u001b[31mred\\u001b[0m"),
    "terminal title": ("\x1b]0;mine\x07", "\\u001b]0;mine\\u0007"),
    "hyperlink": ("\x1b]8;;http://x\x1b\\y", "\\u001b]8;;http://x\\u001b\\y"),
    "eight-bit escape": ("\x9b31mred", "\\u009b31mred"),
    "bell and back": ("a\x07\x08b", "a\\u0007\\u0008b"),
    "NUL and delete": ("a\x00b\x7f", "a\\u0000b\\u007f"),
    "tab": ("\t=1+1", "\\u0009=1+1"),
    "return": ("\r=1+1", "\\u000d=1+1"),
    "line end": ("a\nunveil: all is well", "a\\u000aunveil: all is well"),
    "line separator": ("a\u2028b\u2029c", "a\\u2028b\\u2029c"),
    "override": ("\u202elive\u202c", "\\u202elive\\u202c"),
    "isolate": ("\u2066x\u2069\u200f", "\\u2066x\\u2069\\u200f"),
    "zero width": ("a\u200bb\ufeff", "a\\u200bb\\ufeff"),
    "private": ("a\ue000b", "a\\ue000b"),
    "very long": (LONG, CUT),
}
"""Names that are not, and how they are shown instead."""

NAMES = {**{key: (name, name) for key, name in PLAIN.items()}, **UNSAFE}
FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def every(names):
    return pytest.mark.parametrize(("name", "shown"), names.values(), ids=list(names))


def all_but(*left_out):
    return {key: pair for key, pair in NAMES.items() if key not in left_out}


every_name = every(NAMES)
# The command line trims the names of columns, so it can name no column that begins with a blank.
every_name_that_can_be_typed = every(all_but("tab", "return", "line end"))


@pytest.fixture
def run(tmp_path, capfd, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", WIDTH)

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        out, err = capfd.readouterr()
        return ended.value.code, out, err

    return run


def frames(name):
    original = pl.DataFrame({"k": ["x", "y", "z"], name: ["p", "q", "r"], "t": [1, 2, 3]})
    return original, original.with_columns(pl.col(name).reverse(), pl.col("t").shift(1))


def write(name):
    for path, frame in zip(("o.parquet", "s.parquet"), frames(name), strict=True):
        frame.write_parquet(path)
    return "disclosure", "o.parquet", "s.parquet"


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def assert_harmless(text):
    raw = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    assert not raw


# On a terminal


@pytest.mark.slow
@every_name
def test_a_target_is_shown_by_its_signs(run, name, shown):
    code, out, err = run(*write(name), "-k", "k", "--words")
    assert (code, err) == (0, "")
    assert_harmless(out)
    assert f"\n {shown} " in out
    told = " ".join(out.split())
    assert f"{' '.join(shown.split())} would be correctly disclosed for" in told or (
        f"No one's {' '.join(shown.split())} would be" in told
    )


@pytest.mark.slow
@every_name_that_can_be_typed
def test_a_key_is_shown_by_its_signs(run, name, shown):
    code, out, err = run(*write(name), "-k", quoted(name))
    assert (code, err) == (0, "")
    assert_harmless(out)
    assert shown in out


@pytest.mark.slow
@every_name
def test_a_column_left_out_is_told_by_its_signs(run, name, shown):
    original, synthetic = frames(name)
    original.write_parquet("o.parquet")
    synthetic.drop(name).write_parquet("s.parquet")
    code, out, err = run("disclosure", "o.parquet", "s.parquet", "-k", "k")
    assert (code, err) == (0, "")
    assert_harmless(out)
    assert "original: Column" in out


@every_name
def test_a_message_that_lists_the_columns_is_harmless(run, name, shown):
    code, out, err = run(*write(name), "-k", "zzz")
    assert (code, out) == (2, "")
    assert_harmless(err)


@every_name
def test_a_message_about_a_column_is_harmless(run, name, shown):
    original, synthetic = frames(name)
    original.write_parquet("o.parquet")
    synthetic.with_columns(pl.lit(1).alias(name)).write_parquet("s.parquet")
    code, out, err = run("disclosure", "o.parquet", "s.parquet", "-k", "k")
    assert (code, out) == (2, "")
    assert err.startswith("unveil: Column ")
    assert err.count("\n") == 1
    assert_harmless(err)


@pytest.mark.parametrize("typed", ["\x1b[31mx", "\u202ex", "[red]x", "[bold]", "{0}%s"])
@pytest.mark.parametrize(
    "arguments",
    [
        ("{}",),
        ("disclosure", "o.csv", "s.csv", "-k", "{}"),
        ("disclosure", "{}", "s.csv", "-k", "k"),
        ("disclosure", "{}.csv", "s.csv", "-k", "k"),
        ("disclosure", "o.csv", "s.csv", "-k", "k", "--limit", "{}=1"),
        ("disclosure", "o.csv", "s.csv", "-k", "k", "--limit", "DiSCO={}"),
        ("disclosure", "o.csv", "s.csv", "-k", "k", "--words", "{}"),
        ("disclosure", "o.csv", "s.csv", "-k", "k", "--{}"),
    ],
)
def test_what_was_typed_comes_back_harmless(run, tmp_path, arguments, typed):
    for name in ("o.csv", "s.csv"):
        (tmp_path / name).write_text("k,t\nx,1\n")
    code, out, err = run(*(argument.replace("{}", typed) for argument in arguments))
    assert (code, out) == (2, "")
    assert err.startswith("unveil: ")
    assert_harmless(err)
    if typed[0] in "[{":
        assert typed in err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such file names")
@pytest.mark.parametrize("name", ["\x1b[31m.csv", "\u202evsc.csv", "[red]x.csv"])
def test_the_name_of_a_file_comes_back_harmless(run, tmp_path, name):
    (tmp_path / name).write_text("k,t\nx,1\nx\n")
    code, out, err = run("disclosure", name, name, "-k", "k")
    assert (code, out) == (2, "")
    assert "is damaged at line 3" in err
    assert_harmless(err)


@pytest.mark.slow
def test_the_bar_on_a_terminal_shows_no_name_as_it_stands(tmp_path):
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    name = "\x1b]0;mine\x07[blink]"
    for path, frame in zip(("o.parquet", "s.parquet"), frames(name), strict=True):
        frame.write_parquet(tmp_path / path)
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "unveil", "disclosure", "o.parquet", "s.parquet", "-k", "k"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": WIDTH}
    with subprocess.Popen(
        command, cwd=tmp_path, stdin=inner, stdout=inner, stderr=inner, env=environment
    ) as process:
        os.close(inner)
        out = b""
        while chunk := read_or_end(outer):
            out += chunk
        os.close(outer)
    assert process.returncode == 0
    assert b"\x1b]0;" not in out
    assert b"\x07" not in out
    assert b"\\u001b]0;mine\\u0007[blink]" in out


def read_or_end(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


# Names with commas


def test_names_with_commas_stand_in_quotation_marks(run):
    original = pl.DataFrame({"a,b": ["x", "y"], "c": [1, 2], 'd"e': [1, 1]})
    original.write_parquet("o.parquet")
    original.head(1).write_parquet("s.parquet")
    arguments = ("--keys", '"a,b",c', "--targets", '"d""e"', "--json")
    code, out, err = run("disclosure", "o.parquet", "s.parquet", *arguments)
    assert (code, err) == (0, "")
    assert json.loads(out)["keys"] == ["a,b", "c"]
    assert json.loads(out)["targets"] == ['d"e']


def test_spaces_after_the_commas_do_no_harm(run, tmp_path):
    for name in ("o.csv", "s.csv"):
        (tmp_path / name).write_text('"a,b",c,d\nx,1,1\n')
    code, out, _ = run("disclosure", "o.csv", "s.csv", "-k", ' "a,b" , c', "--json")
    assert code == 0
    assert json.loads(out)["keys"] == ["a,b", "c"]


# Documents


@pytest.mark.slow
@every_name
def test_json_is_plain_ascii_and_gives_the_name_back(run, name, shown):
    code, out, err = run(*write(name), "-k", "k", "--json")
    assert (code, err) == (0, "")
    assert out.isascii()
    assert "\x1b" not in out
    assert name in json.loads(out)["targets"]


@pytest.mark.slow
@every(all_but("return"))
def test_csv_gives_the_name_back_or_guards_it_with_an_apostrophe(run, name, shown):
    code, out, err = run(*write(name), "-k", "k", "--csv")
    assert (code, err) == (0, "")
    read = csv.DictReader(io.StringIO(out, newline=""))
    targets = {row["target"] for row in read}
    for target in targets:
        assert not target.startswith(FORMULAS)
    if name in PLAIN.values():
        assert targets == {"t", f"'{name}" if name.startswith(FORMULAS) else name}


# In a notebook


OWN_ATTRIBUTES = {"class", "tabindex", "role", "aria-label", "scope", "data-l", "data-alert"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text = set(), set(), ""

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {attribute for attribute, _ in attrs}

    def handle_data(self, data):
        self.text += data

    def handle_comment(self, data):
        self.tags.add("comment")


@every_name
def test_a_page_holds_no_element_of_a_name(name, shown):
    html = unveil.disclosure(*frames(name), keys="k")._repr_html_()
    assert_harmless(html)
    page = Page()
    page.feed(html)
    page.close()
    allowed = {"style", "div", "p", "ul", "li", "b", "table", "thead", "tbody", "tr", "th", "td"}
    allowed |= {"h3", "h4", "caption", "details", "summary"}
    assert page.tags <= allowed
    assert page.attributes <= OWN_ATTRIBUTES
    assert shown in page.text
    assert not re.search(r"(?i)javascript:|@import|url\(", html)


@every_name
def test_a_page_holds_no_element_of_a_key(name, shown):
    result = unveil.disclosure(*frames(name), keys=name)
    page = Page()
    page.feed(result._repr_html_())
    assert "script" not in page.tags
    assert page.attributes <= OWN_ATTRIBUTES
    assert shown in page.text
    assert_harmless(repr(result))
    assert shown in repr(result)


# Levels


@pytest.mark.slow
@pytest.mark.parametrize("form", [(), ("--json",), ("--csv",)], ids=["screen", "json", "csv"])
def test_a_level_is_shown_nowhere(run, form):
    levels = [name for name, _ in NAMES.values()]
    original = pl.DataFrame({"k": levels, "t": levels})
    original.write_parquet("o.parquet")
    original.tail(4).write_parquet("s.parquet")
    code, out, err = run("disclosure", "o.parquet", "s.parquet", "-k", "k", *form)
    assert (code, err) == (0, "")
    assert_harmless(out)
    for level in levels:
        assert level not in out
