"""Texts that would take over a page appear in the report, and are nothing but text."""

import re
import unicodedata
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

import unveil.view
from view import report_cases

HTML = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav"),
    *("section", "div", "p", "b", "span", "strong", "em", "h1", "h2", "h3", "h4", "h5", "ul", "ol"),
    *("li", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td", "figure"),
    *("figcaption", "details", "summary", "code", "a", "time", "br", "blockquote"),
}
SVG = {
    *("svg", "title", "desc", "g", "path", "text", "tspan", "line", "rect", "circle", "defs"),
    *("clippath", "lineargradient", "stop", "pattern"),
}
HTML_ATTRIBUTES = {
    *("lang", "charset", "http-equiv", "content", "name", "class", "id", "href", "title", "scope"),
    *("role", "tabindex", "aria-label", "aria-labelledby", "data-says", "data-of", "data-l"),
    "data-alert",
    *("datetime", "open", "colspan", "rowspan"),
}
SVG_ATTRIBUTES = {
    *("xmlns", "xmlns:xlink", "version", "class", "id", "width", "height", "viewbox", "role", "d"),
    *("transform", "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "opacity"),
    *("stroke-opacity", "stroke-dasharray", "stroke-dashoffset", "stroke-linecap", "stroke-join"),
    *("stroke-linejoin", "stroke-miterlimit", "x", "y", "x1", "x2", "y1", "y2", "r", "cx", "cy"),
    *("rx", "ry", "text-anchor", "font-family", "font-size", "font-weight", "font-style"),
    *(
        "pointer-events",
        "clip-path",
        "offset",
        "stop-color",
        "gradientunits",
        "aria-hidden",
        "aria-label",
        "dy",
        "preserveaspectratio",
        "patternunits",
        "patterntransform",
    ),
}
CLIP = re.compile(r"url\(#[\w-]+\)")
CASES = ("hostile", "example", "empty")


class Page(HTMLParser):
    """Elements, attributes and texts of a page, each with whether it is inside a picture."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[bool, str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.styles: list[str] = []
        self._inside: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        in_picture = tag == "svg" or "svg" in self._inside
        self.elements.append((in_picture, tag, dict(attrs)))
        if tag in ("svg", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()

    def handle_data(self, data):
        (self.styles if "style" in self._inside else self.texts).append(data)


@cache
def parsed(case: str) -> Page:
    return Page(report_cases.rendered(case))


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_no_element_is_there_but_those_of_a_report(case):
    found = {(in_picture, tag) for in_picture, tag, _ in parsed(case).elements}
    assert {tag for in_picture, tag in found if not in_picture} <= HTML
    assert {tag for in_picture, tag in found if in_picture} <= SVG


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_no_attribute_is_there_but_those_of_a_report(case):
    known = {False: HTML_ATTRIBUTES, True: SVG_ATTRIBUTES}
    strange = {
        (tag, name)
        for in_picture, tag, given in parsed(case).elements
        for name in given
        if name not in known[in_picture]
    }
    assert strange == set()


@pytest.mark.parametrize("case", CASES)
def test_one_style_sheet_is_ours_and_fetches_nothing(case):
    style = Path(unveil.view.__file__).with_name("templates") / "page.css"
    (shown,) = parsed(case).styles
    assert shown.strip() == style.read_text(encoding="utf-8").strip()
    assert shown.count("url(") == shown.count("url(#hatch)")
    assert "@import" not in shown


@pytest.mark.parametrize("case", CASES)
def test_links_lead_to_the_page_itself_and_to_anchors_that_exist(case):
    given = [attributes for _, _, attributes in parsed(case).elements]
    ids = [one["id"] for one in given if "id" in one]
    links = [one["href"] or "" for one in given if "href" in one]
    assert len(ids) == len(set(ids))
    assert links
    assert {link for link in links if link.removeprefix("#") not in ids} == set()


@pytest.mark.parametrize("case", CASES)
def test_pictures_refer_to_nothing_but_their_own_parts(case):
    for in_picture, _, given in parsed(case).elements:
        for name, value in given.items():
            if in_picture and name != "aria-label":
                assert "url(" not in CLIP.sub("", value or "")
                assert "//" not in (value or "") or name.startswith("xmlns")


@pytest.mark.parametrize("case", CASES)
def test_no_character_steers_the_page(case):
    page = report_cases.rendered(case)
    steering = {
        character
        for character in set(page) - {"\n"}
        if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    }
    assert steering == set()
    told = "".join(parsed(case).texts)
    assert not {c for c in set(told) - {"\n"} if unicodedata.category(c) in ("Cc", "Cf")}


@pytest.mark.slow
def test_hostile_texts_are_shown_as_they_are_written():
    told = "".join(parsed("hostile").texts)
    for text in report_cases.HOSTILE[:8]:
        assert text[:40] in told


def test_what_steers_is_made_visible():
    told = "".join(parsed("hostile").texts)
    assert "\\u202egnp.exe" in told
    assert "escape\\u001b[31m null\\u0000" in told
    assert "nel\\u0085 line\\u2028end" in told


def test_braces_and_percent_signs_of_data_fill_no_template():
    assert "{keys} {0} {target!r} %s %(x)s" in "".join(parsed("hostile").texts)


def test_what_is_escaped_already_is_not_read_again():
    assert "&lt;b&gt;&amp;#x3c;" in "".join(parsed("hostile").texts)


def test_long_names_are_cut_where_names_stand():
    headings = re.findall(r"<h[1-5][^>]*>(.*?)</h[1-5]>", report_cases.rendered("hostile"))
    assert all("W" * 61 not in heading for heading in headings)
