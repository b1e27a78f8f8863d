"""A codebook in sentences, on a page and in a notebook: correct, readable, and harmless."""

import re
from html.parser import HTMLParser

import polars as pl
import pytest

from unveil.measure.structure.compare_structure import compare_structure
from unveil.measure.structure.describe import codebook
from unveil.records.codebook import Codebook, Level, MissingRange, Variable
from unveil.view import codebook as drawn
from unveil.view.codebook import (
    code,
    codebook_page,
    file_remarks,
    list_values,
    missing,
    missing_codes,
    range_of,
    values,
)
from unveil.view.codebook_csv import codebook_csv
from unveil.view.show import as_html, as_text

SEX = Variable(
    name="sex",
    label="Sex",
    kind="number",
    levels=(
        Level(code=1, label="Male"),
        Level(code=2, label="Female"),
        Level(code=4, label="Other"),
        Level(code=-9, label="Refused"),
    ),
    missing=(-9, -8),
    missing_ranges=(MissingRange(lo=None, hi=-10), MissingRange(lo=97, hi=99)),
)
HOSTILE = [
    "<script>alert(1)</script>",
    "</td></table><img src=x onerror=alert(1)>",
    "\"' onclick='x",
    "=cmd|' /C calc'!A0",
    "\x1b[31mred",
    "a\u202eb",
    "{keys} %s",
    "https://example.org/x.js",
]


def described(frame, *variables, **asked):
    dictionary = Codebook(source="survey.sav", format="spss", variables=variables)
    return codebook(pl.DataFrame(frame, strict=False), dictionary=dictionary, **asked).record


@pytest.fixture
def record():
    entries = [1] * 40 + [2] * 40 + [3] * 5 + [7] + [-9] * 2 + [None]
    frame = {
        "sex": entries,
        # 20 to 48 twice and 49 to 79 once: the fifth from below is 22, from above 75.
        "age": [20 + i % 60 for i in range(89)],
        "place": ["North"] * 60 + ["South"] * 26 + ["X", "Y", None],
    }
    return described(frame, SEX, Variable(name="gone"))


def test_the_headline_says_what_the_file_is(record):
    assert as_text(record) == (
        "Codebook of a data frame: 89 records, 3 columns, 1 of them with declared codes"
    )


def test_what_to_look_at_by_hand(record):
    assert list(file_remarks(record)) == [
        (
            "sex",
            "6 records have a value outside the declared codes: 3; 1 value that fewer than"
            " 5 people have.",
        ),
        ("sex", "Declared, but not used: 4 Other and -8."),
        ("", "Declared, but not in the file: gone."),
    ]


def test_one_record_and_no_value_to_tell():
    record = described({"sex": [1, 2, 4, -9, -8, 7]}, SEX)
    assert list(file_remarks(record)) == [
        (
            "sex",
            "1 record has a value outside the declared codes: 1 value that fewer than 5 people"
            " have.",
        )
    ]


def test_labels_other_kinds_and_empty_columns_are_told():
    frame = {"sex": ["Male", "Female", "Other", "Refused"], "n": ["a"] * 4, "e": [None] * 4}
    record = described(
        frame, SEX, Variable(name="n", kind="number"), Variable(name="e", kind="date")
    )
    assert list(file_remarks(record)) == [
        ("sex", "The entries are labels, not codes."),
        ("sex", "Declared, but not used: -8."),
        ("n", "Declared as number, but the file holds text."),
        ("e", "All entries are missing."),
    ]


def test_many_unused_codes_are_cut_short():
    levels = tuple(Level(code=i, label=f"L{i}") for i in range(20))
    record = described({"x": [0]}, Variable(name="x", levels=levels))
    ((_, sentence),) = file_remarks(record)
    assert sentence == "Declared, but not used: 1 L1, 2 L2, 3 L3, 4 L4, 5 L5, 6 L6 and 13 more."


def test_cells_of_a_table(record):
    sex, age, place = record.codebook.variables
    assert list(map(values, (sex, age, place), record.found)) == [
        "1 Male, 2 Female, 4 Other, -9 Refused (missing)",
        "22 to 75",
        "North, South; and 2 that fewer than 5 people have",
    ]
    assert [missing(one) for one in record.found] == ["3 %", "0 %", "1 % or less"]
    assert range_of(record.found[1]) == "22 to 75"
    assert list_values(record.found[2]) == "North, South; and 2 that fewer than 5 people have"
    assert missing_codes(sex) == ["-9 Refused", "-8", "the lowest to -10", "97 to 99"]
    assert [code(one) for one in (1, 1.0, 1.5, "01", ".a", "\x1b")] == [
        *("1", "1", "1.5", "01", ".a", "\\u001b")
    ]


def test_nothing_of_the_records_is_shown_where_only_declarations_are_asked_for():
    frame = {"sex": [1, 2, 7], "place": ["canary"] * 3}
    record = described(frame, SEX, declared_only=True)
    shown = [as_html(record), codebook_page(record), codebook_csv(record), *file_remarks(record)]
    assert all("canary" not in text and "not used" not in text for text in shown)
    assert "nothing from the records is shown" in shown[0]


class Page(HTMLParser):
    """What a browser would make of a page: its tags, attributes, links and text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, *one) for one in attrs]

    def handle_data(self, data):
        self.text.append(data)


ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "p", "div"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "dl", "dt", "dd", "ul", "li", "h4"),
    *("svg", "defs", "pattern", "path"),  # the hatching of the frame
}


def hostile_record():
    names = [f"{text}{number}" for number, text in enumerate(HOSTILE)]
    variables = [
        Variable(
            name=name,
            label=text,
            format=text,
            levels=(Level(code=text, label=text), Level(code=f"x{text}", label=text)),
            missing=(text,),
        )
        for name, text in zip(names, HOSTILE, strict=True)
    ]
    frame = {name: [text] * 9 + [f"{text}!"] * 9 for name, text in zip(names, HOSTILE, strict=True)}
    return described(frame, *variables, Variable(name=HOSTILE[0]))


def pages():
    record = hostile_record()
    frame = pl.DataFrame({name: ["a"] * 9 for name in HOSTILE})
    other = pl.DataFrame({name[::-1]: ["a"] * 9 for name in HOSTILE})
    differences = compare_structure(frame, other).record
    coded = compare_structure(
        pl.DataFrame({"x": HOSTILE * 5}), pl.DataFrame({"x": [t[::-1] for t in HOSTILE] * 5})
    ).record
    return {
        "page": codebook_page(record),
        "notebook": as_html(record),
        "differences": codebook_page(differences),
        "differences in a notebook": as_html(differences),
        "categories": codebook_page(coded),
    }


@pytest.mark.parametrize("kind", pages())
def test_hostile_labels_stay_text(kind):
    text = pages()[kind]
    page = Page(text)
    assert set(page.tags) <= ALLOWED
    assert not [one for one in page.attributes if one[1].startswith("on") or one[1] == "src"]
    assert not [one for one in page.attributes if one[1] == "href" and not one[2].startswith("#")]
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert re.search(r"alert\(1\)|\)1\(trela", "".join(page.text))


def test_the_page_asks_for_nothing_and_runs_nothing(record):
    page = Page(codebook_page(record))
    (policy,) = (one[2] for one in page.attributes if one[1] == "content" and "src" in one[2])
    assert policy.startswith("default-src 'none'")
    assert not re.search(r"url\((?!#)|@import|https?:", codebook_page(record))
    assert ("html", "lang", "en") in page.attributes
    assert page.tags.count("h1") == 1


def test_the_page_says_what_is_declared_and_what_is_there(record):
    text = "".join(Page(codebook_page(record)).text)
    for words in ("Refused", "missing value", "not used", "22 to 75", "North, South"):
        assert words in text
    assert "-9 Refused, -8, the lowest to -10, 97 to 99" in text


def test_no_single_value_is_on_any_page():
    people = [f"canary{i}" for i in range(60)]
    record = described({"name": people, "n": [10**6 + 7 * i for i in range(60)]})
    for text in (codebook_page(record), as_html(record), codebook_csv(record), record.to_json()):
        assert "canary" not in text
        assert "1000000" not in text.replace(",", "")
        assert "1000413" not in text.replace(",", "")


def test_spreadsheets_run_nothing_and_codes_stay_numbers():
    lines = codebook_csv(hostile_record()).splitlines()
    assert any(",'=cmd" in line for line in lines)
    assert not any(re.search(r'(^|,)"?[=@]', line) for line in lines)
    record = described({"sex": [1]}, SEX)
    assert "code,sex,,,,,,-9,number,Refused,yes" in codebook_csv(record)


def test_differences_in_words():
    frame = pl.DataFrame({"a": [1], "b": [1]})
    alike = compare_structure(frame, frame).record
    assert as_text(alike) == ("a data frame has the structure of a data frame: no differences.")
    other = compare_structure(frame, frame.rename({"b": "B"})).record
    assert as_text(other) == (
        "a data frame differs in structure from a data frame: 1 difference; 1 of 2 columns alike."
    )
    assert drawn.difference_cells(other.rows[0]) == (
        "b",
        "Column 'b' is called 'B' in the synthetic dataset, in other capitals or blanks.",
        "Rename it to 'b' in the synthetic data.",
    )


def test_a_notebook_shows_the_first_columns_of_very_wide_files():
    record = described({f"c{i}": [1] for i in range(230)})
    assert "... and 30 more columns" in as_html(record)
    assert codebook_page(record).count("<h3>") == 230
