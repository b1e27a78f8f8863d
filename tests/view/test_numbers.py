"""Every number in every sentence of a rendered report is worked out again from the records."""

import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest

import unveil.view
from view import report_cases
from view.derived import every as derived

NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
CASES = ("example", "loaded", "copies", "many", "empty")


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


LITERAL = {
    "attacks/limits": "1",
    "attacks/meaning": "0 1",
    "disclosure/means": "0 1",
    "gtcap/dilution": "1",
    "gtcap/means": "0 1",
    "gtcap/scale": "0 1",
    "gtcap/unmatched": "0",
    "membership/F1": "0 1",
    "membership/limits": "1",
    "membership/people": "50.0",
    "membership/recall": "1 1.0",
    "pair tables/median": "1",
    "pair tables/tables": "10 3",
    "recognition/AUC": "100",
    "recognition/self-test": "1",
    "replication/means": "0 1",
    "sap/simulated": "95",
    "sap/starts": "0",
    "uniques/special": "0",
    "uniques/unscored": "0",
    "utility page/times": "1 10 3",
    "utility/PO50": "50",
    "utility/S": "1 10 3",
    "utility/sizes differ": "1",
}
"""The numbers that a sentence has whatever the record: "0 = baseline"; all others have none."""


def literal(key: str) -> set[str]:
    return numbers(LITERAL.get(key, ""))


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
        own, shown = literal(key), numbers(text)
        if shown - own - given:
            yield f"{key} of {of}: {sorted(shown - own - given)} stand in {text!r}"
        if given - shown:
            yield f"{key} of {of}: {sorted(given - shown)} do not stand in {text!r}"


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_every_number_of_every_sentence_is_derived_from_the_records(case):
    assert len(sentences(case)) > 5
    assert list(faults(case)) == []


def test_nothing_is_derived_that_is_no_sentence():
    folder = Path(unveil.view.__file__).parent
    source = "".join(path.read_text(encoding="utf-8") for path in folder.rglob("*.py"))
    unknown = [
        key for key in derived() if not {f'"{key}"', f'"{key.partition("/")[2]}"'} & quoted(source)
    ]
    put_together = {"checks.accept", "checks.accepted", "checks.grid missing"}
    assert {key for key in unknown if not key.endswith(".warning")} == put_together


def quoted(source: str) -> set[str]:
    return set(re.findall(r'"[^"\n]+"', source))
