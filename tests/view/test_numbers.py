"""Every number in every sentence of a rendered report is worked out again from the records."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from string import Formatter

import pytest

from unveil.view.report_sentences import TEMPLATES
from unveil.view.report_sentences import all_templates as templates
from view import report_cases
from view.derived import every as derived

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
CASES = ("example", "copies", "many", "empty")


class Sentences(HTMLParser):
    """Every element that says which sentence it is: key, of what, and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str]] = []
        self._open: list[str] | None = None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "data-says" in given:
            self._open = [given["data-says"], given["data-of"], ""]

    def handle_data(self, data):
        if self._open is not None:
            self._open[2] += data

    def handle_endtag(self, tag):
        if tag == "p" and self._open is not None:
            self.found.append(tuple(self._open))
            self._open = None


def numbers(text: str) -> set[str]:
    return {found.rstrip(",").replace(",", "") for found in NUMBER.findall(text)}


def literal(template: str) -> set[str]:
    """The numbers that a template has without being filled."""
    return numbers(" ".join(text for text, *_ in Formatter().parse(template)))


@cache
def sentences(case: str) -> tuple[tuple[str, str, str], ...]:
    return tuple(Sentences(report_cases.undrawn(case)).found)


def faults(case: str) -> Iterator[str]:
    results = report_cases.as_json(*getattr(report_cases, case)())
    known = derived()
    for key, of, text in sentences(case):
        if key not in known:
            yield f"{key}: nothing derives it"
            continue
        given = numbers(" ".join(known[key](results, of)))
        own, shown = literal(templates()[key]), numbers(text)
        if shown - own - given:
            yield f"{key} of {of}: {sorted(shown - own - given)} stand in {text!r}"
        if given - shown:
            yield f"{key} of {of}: {sorted(given - shown)} do not stand in {text!r}"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_every_number_of_every_sentence_is_derived_from_the_records(case):
    assert len(sentences(case)) > 5
    assert list(faults(case)) == []


@pytest.mark.parametrize("case", CASES)
def test_every_sentence_is_one_of_the_catalogue(case):
    assert {key for key, _, _ in sentences(case)} <= templates().keys()


def test_every_sentence_of_the_report_has_a_function_that_derives_its_numbers():
    assert sorted(TEMPLATES.keys() - derived().keys()) == []


def test_nothing_is_derived_that_is_no_sentence():
    assert sorted(derived().keys() - templates().keys()) == []
