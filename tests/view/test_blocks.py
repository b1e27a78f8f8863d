"""Blocks are drawn by every renderer, with hostile text made harmless, and give way for room."""

import shlex
from html.parser import HTMLParser
from io import StringIO

import pytest
from rich.console import Console

from unveil.view import blocks
from unveil.view.blocks import (
    AlertBox,
    Column,
    Command,
    Facts,
    Folded,
    Heading,
    Items,
    Sentence,
    ShareBar,
    TableBlock,
    table,
)
from unveil.view.render_html import render_html, render_notebook
from unveil.view.render_page import BAND, render_page
from unveil.view.render_rich import break_command, render_rich

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e\"'&"
EVERY = (
    Heading(HOSTILE),
    Sentence(HOSTILE, "lead", "a/b", HOSTILE),
    Sentence(HOSTILE, figure="19.6 %", symbol=HOSTILE),
    Facts(((HOSTILE, HOSTILE), ("empty", ""))),
    table(HOSTILE, ("target", HOSTILE, "status"), [(HOSTILE, HOSTILE, "■ above limit")]),
    Items((HOSTILE,), "▲"),
    Command(HOSTILE),
    AlertBox("block", HOSTILE, (HOSTILE, HOSTILE), HOSTILE),
    Folded(HOSTILE, (Sentence(HOSTILE),)),
)


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.seen = []

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        assert not any(name.startswith("on") or name in ("src", "style") for name, _ in attrs)


def on_terminal(shown, width=80, **settings):
    console = Console(width=width, force_terminal=False)
    with console.capture() as printed:
        console.print(render_rich(shown, width=width, **settings))
    return printed.get()


@pytest.mark.parametrize("render", [render_html, render_notebook])
def test_hostile_text_is_text_in_every_block(render):
    shown = render(EVERY)
    parser = Tags()
    parser.feed(shown)
    assert "script" not in parser.seen
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("alert(1)") >= len(EVERY)


def test_hostile_text_steers_no_terminal():
    shown = on_terminal(EVERY, has_details=True)
    assert "\x1b" not in shown
    assert "\u202e" not in shown


def test_details_are_folded_unless_asked_for():
    folded = [Sentence("first"), Folded("More", (Sentence("second"),))]
    assert "second" not in on_terminal(folded)
    assert "second" in on_terminal(folded, has_details=True)
    assert "<details" in render_html(folded)
    assert "More" not in on_terminal(folded)
    counted = Folded("... and 1 more", (Sentence("second"),), is_counted=True)
    assert "... and 1 more" in on_terminal([counted])


def test_spare_columns_give_way_the_first_of_them_first():
    heads = ("target", "least needed figure", "next figure", "DiSCO")
    shown = table("t", heads, [("health", "1.0 %", "2.0 %", "3.0 %")], spare=heads[1:3])
    wide, narrow, tiny = (on_terminal([shown], width=width) for width in (80, 32, 22))
    assert "1.0 %" in wide
    assert "1.0 %" not in narrow
    assert "2.0 %" in narrow
    assert "2.0 %" not in tiny
    assert "3.0 %" in tiny


def test_a_table_without_rows_is_not_drawn():
    empty = TableBlock("nothing here", (Column("a"),), ())
    assert "nothing here" not in render_html([empty])
    assert "nothing here" not in on_terminal([empty])


def test_cells_name_their_column_so_that_a_telephone_can_show_cards():
    shown = render_html([table("t", ("target", "DiSCO"), [("health", "3.0 %")])])
    assert '<th scope="row" class="text short">health</th>' in shown
    assert '<td class="number" data-l="DiSCO">3.0 %</td>' in shown


def test_a_page_keeps_a_number_beside_its_percent_sign():
    assert "3.0\u00a0%" in render_html([Sentence("It is 3.0 %.")], is_page=True)
    assert "3.0 %" in render_html([Sentence("It is 3.0 %.")])


def test_a_status_is_a_class_and_a_word():
    shown = render_html([table("t", ("target", "status"), [("health", "■ above limit")])])
    assert "s-above" in shown
    assert "■ above limit" in shown


def test_sentences_of_nothing_are_none():
    assert list(blocks.sentences([None, "", "one"])) == [Sentence("one")]


def test_a_table_may_have_a_bar_in_each_row_on_a_page():
    bars = [ShareBar(29.0, 18.7, 74.4, 10.0), ShareBar(0.0)]
    shown = render_html([table("", ("target", "n"), [("a", "1"), ("b", "2")], bars=bars)])
    assert shown.count('<td class="bar">') == 2
    assert '<rect class="wrong" x="29.0" width="18.7"' in shown
    assert 'd="M10.0 -2V12"' in shown
    assert 'd="M74.4 5h0"' in shown
    assert shown.count("<path") == 2


def test_a_page_is_self_contained_and_says_that_it_is_confidential():
    page = render_page("Title <b>", [Sentence("19.6 % of people")])
    assert "default-src 'none'" in page
    assert "<script" not in page
    assert "url(//" not in page
    assert BAND in page
    assert "<h1>Title &lt;b&gt;</h1>" in page
    assert "19.6\u00a0%" in page
    assert BAND not in render_page("Title", [], is_confidential=False)


def test_a_command_is_copied_as_it_is_typed():
    drawn = render_html([Command('unveil rule "t=10 %" --by "A & B"')], is_page=True)
    assert "t=10 %&#34; --by &#34;A &amp; B" in drawn


@pytest.mark.parametrize("width", [30, 50, 79, 200])
def test_a_long_command_is_one_command_to_a_shell(width):
    text = """unveil rule "neighbour/a=it's" --keep --reason "..." --by "A, b" --value 'b c'"""
    broken = break_command(text, width)
    assert shlex.split(broken.replace("\\\n", "")) == shlex.split(text)
    assert max(map(len, broken.split("\n"))) <= width
    beside = break_command(f"Next: {text}   More: --words", width)
    assert beside.endswith("More: --words")
    assert "\\\nMore" not in beside
    assert break_command("unveilled: so many words that they are broken", 20).count("\n") == 0


def test_where_a_table_has_no_room_its_rows_are_told_one_by_one_and_nothing_is_cut_off():
    heads = ("variable", "correctly disclosed", "wrongly disclosed", "status")
    block = table("", heads, [("income", "1,234,567", "7,654,321", "■ above limit")])
    console = Console(width=30, record=True, file=StringIO())
    console.print(render_rich([block], width=30))
    shown = " ".join(console.export_text().split())
    assert shown == (
        "income correctly disclosed 1,234,567; wrongly disclosed 7,654,321; status ■ above limit"
    )
