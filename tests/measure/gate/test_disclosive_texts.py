"""Which texts tell of a person, counted by hand on eight people."""

from fractions import Fraction
from math import comb

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import gate
from profiles import examples
from unveil.io.sources import read_table
from unveil.measure.gate.disclosive_texts import Texts, count_disclosed

PEOPLE = pl.DataFrame(
    {
        "sex": ["man", "woman"] * 4,
        "age": [31, 42, 42, 57, 57, 31, 42, 63],
        "town": ["Opole", "Opole", "Lublin", "Lublin", "Tychy", "Tychy", "Opole", "Lublin"],
        "work": ["cook", "cook", "nurse", "nurse", "smith", "smith", "smith", "none"],
        "children": [0, 1, 2, 3, 0, 1, 2, 3],
    }
)
AMOUNTS = PEOPLE.with_columns(
    number=pl.Series([10_417 + 9_973 * i for i in range(8)]),
    name=pl.Series([f"{a} {b}" for a in ("Anna", "Jan") for b in ("Kos", "Lis", "Wilk", "Sowa")]),
)


def tells(*texts, people=PEOPLE, in_order=False):
    (found,) = count_disclosed(read_table(people, side="original"), [Texts(texts, in_order)])
    return found


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("man Opole cook", 1),  # the first person alone; all of the text
        ("MAN, OPOLE; Cook", 1),
        ("man Opole", 0),  # two columns
        ("man Lublin smith", 0),  # no one: the man of Lublin is a nurse, smiths live elsewhere
        ("woman Opole cook or nurse", 1),  # four words of five; nurse is another's
        ("a man who lives in Opole and is a cook by trade", 0),  # three words of twelve
        ("the woman of 42 in Opole with 1 child is a cook", 0),  # eight people: chance says enough
        ("31 Opole 0 man", 1),  # four of five columns, nothing else
        ("31 0 2 Opole", 0),  # numbers meet in anyone
        ("sex: man, town: Opole, work: cook", 1),  # names of columns do not count
        ("bWFuLCBPcG9sZSwgY29vaw==", 1),  # "man, Opole, cook" in base64
        ("6d616e2c204f706f6c652c20636f6f6b", 1),  # in hexadecimal
        ("", 0),
    ],
)
def test_a_text_tells_of_a_person_by_values_of_three_columns(text, n):
    assert tells(text) == n


def test_people_who_share_all_that_is_said_are_no_one():
    twins = pl.concat([PEOPLE, PEOPLE.head(1)])
    assert tells("man Opole cook", people=twins) == 0


def test_a_record_may_go_on_from_text_to_text():
    labels = ("man", "Opole", "cook")
    assert tells(*labels) == 0
    assert tells(*labels, in_order=True) == 1


def test_what_would_not_meet_by_chance_needs_no_short_text():
    """800 people: n C(P, m) times the shares of the m values is below 0.001 for one, not another.

    Of the text's P = 4 values (man, 31, Opole, 17) person 17 has all four: half of the people are
    men, a quarter 31, 3/8 of Opole, and one has the serial number 17.
    """
    many = pl.concat([PEOPLE] * 100).with_columns(serial=pl.int_range(100_017, 100_817))
    share = Fraction(1, 2) * Fraction(1, 4) * Fraction(3, 8)
    assert 800 * comb(4, 4) * share * Fraction(1, 800) > Fraction(1, 1000)
    filler = "we met someone of the north who was there that day and said very little of it"
    text = "man 31 Opole 100017"  # the first person
    assert tells(f"{filler} {text}", people=many) == 0
    fine = many.with_columns(other=pl.int_range(700_000, 700_800))
    assert 800 * share * Fraction(1, 800) ** 2 < Fraction(1, 1000)
    assert tells(f"{filler} {text} 700000", people=fine) == 1


@pytest.mark.parametrize(
    ("texts", "n"),
    [
        (["20390"], 0),  # 8 of 69,812 numbers: 1.1e-4 is not below 1e-5
        (["20390", "30363"], 2),  # comb(2, 2) (8 / 69,812)^2 = 1.3e-8
        (["20390", *(str(i) for i in range(40_000, 40_050))], 0),
        (["Anna Kos"], 0),  # one name may be the author's
        (["Anna Kos", "Jan Lis"], 2),
        (["Anna Kos", "Jan Lis", *(["north", "green"] * 5)], 0),  # 2 of 12
    ],
)
def test_values_of_single_people_tell_where_they_are_rare(texts, n):
    assert tells(*texts, people=AMOUNTS) == n


WORDS = {
    "sex": ("man", "woman"),
    "town": ("opole", "lublin", "tychy", "none"),
    "work": ("cook", "nurse", "smith", "none"),
    "car": ("red", "blue", "green"),
    "age": (31, 42, 57, 63),
    "children": (0, 1, 2, 31),
}


@st.composite
def people_and_texts(draw):
    """People of three to six columns, and texts: their words, those of others, and any.

    There are so many that no column has a value of its own for most of them.
    """
    names = draw(st.lists(st.sampled_from(list(WORDS)), min_size=3, max_size=6, unique=True))
    chance = draw(st.randoms(use_true_random=False))
    rows = [tuple(chance.choice(WORDS[n]) for n in names) for _ in range(chance.randint(12, 40))]
    texts = []
    for _ in range(4):
        said = [str(one) for one in chance.choice(rows) if chance.random() < 0.9]
        said += chance.choices([str(v) for n in names for v in WORDS[n]], k=chance.randint(0, 2))
        said += chance.choices(["the", "and", "of", *names], k=chance.randint(0, 4))
        chance.shuffle(said)
        texts.append(" ".join(said))
    return names, rows, texts


@examples(200)
@given(people_and_texts())
def test_texts_tell_as_the_story_says(case):
    names, rows, texts = case
    frame = pl.DataFrame(rows, schema=names, orient="row")
    expected = sum(gate.tells(rows, names, text) for text in texts)
    assert tells(*texts, people=frame) == expected
