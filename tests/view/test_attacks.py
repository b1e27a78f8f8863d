"""Attacks in words, as a table, a picture and a page: what is said follows from the record."""

from html.parser import HTMLParser
from xml.dom import minidom

import pytest

from unveil.records.attacks import AttackRow, AttackRun, Attacks, CopyAttacks
from unveil.records.disclosure import Coercion
from unveil.view.attacks import (
    NO_CONTROL,
    AttackDisplayRow,
    attack_blocks,
    attack_rates,
    attack_rows,
    attack_sentences,
    attacks_page,
    cells,
    format_expected,
    row_sentences,
    sizes,
    warnings,
)
from unveil.view.blocks import Sentence
from unveil.view.charts.marks import MOST_ROWS
from unveil.view.show import as_html, as_text

HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e{0} {secret}"


def row(**fields):
    """An attack on 100 people and 100 others; R is 0.2, between 0.1 and 0.3."""
    given = {
        "attack": "inference",
        "target": "income",
        "keys": ("sex", "age"),
        "n_requested": None,
        "n_found": 100,
        "n_control": 100,
        "main_successes": 60.0,
        "naive_successes": 20.0,
        "control_successes": 50.0,
        "main": 0.6,
        "naive": 0.2,
        "control": 0.5,
        "main_interval": (0.5, 0.7),
        "naive_interval": (0.1, 0.3),
        "control_interval": (0.4, 0.6),
        "R": 0.2,
        "interval": (0.1, 0.3),
        "interval_delta": (-0.1, 0.5),
        "level": 0.95,
        "method": "nearest records",
    }
    return AttackRow(**(given | fields))


WITHOUT = {
    "n_control": None,
    "control": None,
    "control_successes": None,
    "control_interval": None,
    "R": None,
    "interval": (0.5, 0.7),
    "interval_delta": (0.5, 0.7),
}


def record(*rows, **fields):
    given = {
        "files": ("a.csv", "b.csv", "c.csv"),
        "seed": 1,
        "level": 0.95,
        "n_original": 4_000,
        "n_synthetic": 3_000,
        "n_control": 100,
        "n_shared_with_control": 0,
        "k": 1,
        "n_bootstrap": 2_000,
        "rows": rows,
    }
    return Attacks(**(given | fields))


def run_of(*records, **fields):
    copy = CopyAttacks(copy=1, file="b.csv", attacks=records, membership=None)
    given = {"seed": 1, "level": 0.95, "control": "c.csv", "copies": (copy,), "notes": ()}
    return AttackRun(**(given | fields))


def said(**fields):
    return [text for _, text in row_sentences(AttackDisplayRow(row(**fields), 1))]


def test_an_interval_above_0_is_put_down_to_the_records_used():
    assert said() == [
        "Taking income from the nearest synthetic record is correct for 60 of 100 people, and 50 of"
        " 100 in the control sample; from any synthetic record, for 20.",
        "Excess risk R of this attack: of the people whose income is not disclosed by general"
        " knowledge, 20.0 % (between 10.0 % and 30.0 %) are disclosed because their own records"
        " were used.",
    ]


@pytest.mark.parametrize(
    ("R", "interval", "sentence"),
    [
        (
            0.05,
            (-0.02, 0.12),
            "R of this attack is 0.05 and its interval, -0.02 to 0.12, includes 0: all of this may"
            " be general knowledge. An R of up to 0.12 is not ruled out.",
        ),
        (
            0.0004,
            (0.0, 0.0009),
            "R of this attack is below 0.01 and its interval, 0 to <0.01, includes 0: all of this"
            " may be general knowledge. An R of up to 0.01 is not ruled out.",
        ),
        (
            -0.003,
            (-0.004, 0.002),
            "R of this attack is above -0.01 and its interval, >-0.01 to <0.01, includes 0: all of"
            " this may be general knowledge. An R of up to 0.01 is not ruled out.",
        ),
        (
            -0.2,
            (-0.3, -0.1),
            "R of this attack is -0.20 and its interval, -0.30 to -0.10, lies below 0: the attack"
            " succeeds more often on the control sample. That is chance, or the two groups differ;"
            " it does not mean that no one is at risk.",
        ),
        (None, None, "R of this attack could not be computed."),
    ],
)
def test_what_an_interval_means_is_said(R, interval, sentence):
    assert said(R=R, interval=interval, interval_delta=interval)[1] == sentence


def test_the_other_attacks_have_their_own_words():
    linked = row(attack="linkability", target=None, other_keys=("job",), main_successes=0.4)
    assert next(row_sentences(AttackDisplayRow(linked, 5)))[1] == (
        "An intruder who knows sex and age from one file and job from another, and uses the 5"
        " nearest records, would link about 0.4 of 100 people, and 50 of 100 in the control sample;"
        " at random, 20."
    )
    assert said(attack="singling_out_multivariate", target=None) == [
        "Of 100 descriptions that fit exactly one synthetic record, 60 fit exactly one person of"
        " the original, and 50 exactly one of the control sample; of as many random descriptions,"
        " 20.",
        "Excess risk R of this attack: of the descriptions that single out no one in the control"
        " sample, 20.0 % (between 10.0 % and 30.0 %) do so because these people's own records were"
        " used.",
    ]


def test_without_a_control_nothing_is_said_of_others_and_there_is_no_r():
    assert said(**WITHOUT) == [
        "Taking income from the nearest synthetic record is correct for 60 of 100 people; from any"
        " synthetic record, for 20."
    ]
    alone = record(row(**WITHOUT), n_control=None, n_shared_with_control=None)
    assert Sentence(NO_CONTROL, "lead") in attack_blocks([alone])
    assert "in the control" not in sizes(alone)
    assert as_text(alone) == (
        "Simulated attacks, no control: highest rate 60.0 %, 20.0 % by an uninformed guess"
        " (inference: income)"
    )
    assert cells(attack_rows([alone])[0]) == ("100", "60.0", "20.0", "-", "-", "50.0 to 70.0")


def test_an_attack_that_made_no_guess_says_nothing():
    none = {"main": None, "naive": None, "control": None, "R": None, "interval": None}
    assert said(n_found=0, main_successes=0.0, interval_delta=None, **none) == []
    empty = record(row(n_found=0, interval_delta=None, **none))
    assert as_text(empty) == "Simulated attacks: nothing could be measured"
    assert "Nothing could be measured." in attack_rates(run_of(empty).copies).svg()


def test_the_interval_shown_is_the_one_of_the_record_however_few_were_attacked():
    shown = AttackDisplayRow(row(n_found=3, n_control=2), 1)
    assert shown.interval == (0.1, 0.3)


@pytest.mark.parametrize(
    ("successes", "words"),
    [
        *((0.0, "0"), (0.3, "about 0.3"), (3.0, "3"), (2.6, "about 2.6"), (1234.0, "1,234")),
        *((0.01, "fewer than 0.1"), (12.4, "about 12")),
    ],
)
def test_an_expectation_is_never_told_as_a_count(successes, words):
    assert format_expected(successes) == words


def test_rows_stand_by_attack_then_by_risk_with_groups_under_their_secret():
    rows = [
        row(target="low", R=0.1),
        row(target="low", group="x", R=0.9),
        row(target="high", R=0.5),
        row(target="none", R=None, interval=None, interval_delta=None),
        row(attack="singling_out_univariate", target=None, R=-0.1),
    ]
    assert [shown.label for shown in attack_rows([record(*rows)])] == [
        "singling out by one column",
        "inference: high",
        "inference: low",
        "inference: low = x",
        "inference: none",
    ]


def test_secrets_are_put_in_words_the_riskiest_first():
    rows = [row(target=f"c{i}", R=i / 10) for i in range(3)]
    labels = [label for label, _ in attack_sentences([record(*rows)])]
    assert labels == ["inference: c2", "inference: c1", "inference: c0"]


def test_each_warning_is_told_once_with_the_rows_it_is_about():
    small = "With {} attacks R is known to within 0.2."
    rows = [
        row(target="a", R=0.5, warnings=(small.format(10),)),
        row(target="b", R=0.4, warnings=(small.format(20), "Too weak.")),
        row(target="c", R=0.3, warnings=("Too weak.",)),
    ]
    by_few = record(*rows, warnings=("Shared: 88.",), n_shared_with_control=88)
    by_many = record(warnings=("Shared: 2.",), n_shared_with_control=2)
    assert warnings([by_few, by_many]) == [
        "Shared: 2.",
        "Inference: a; inference: b: With 10 attacks R is known to within 0.2. (Figures of the"
        " first.)",
        "Inference: b; inference: c: Too weak.",
    ]
    many = [row(target=f"c{i}", warnings=("Too weak.",)) for i in range(6)]
    assert "inference: c3 and 2 more rows: Too weak." in warnings([record(*many)])[0]


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)


@pytest.mark.slow
def test_hostile_names_are_shown_as_text_everywhere():
    fields = {"keys": (HOSTILE,), "other_keys": (HOSTILE,), "warnings": (HOSTILE,)}
    rows = (
        row(target=HOSTILE, **fields),
        row(target=HOSTILE, group=HOSTILE, **fields),
        row(attack="linkability", target=None, **fields),
    )
    note = Coercion(side="original", column=HOSTILE, kind="type", sentence=HOSTILE)
    attacks = record(*rows, warnings=(HOSTILE,), coercions=(note,))
    copy = CopyAttacks(copy=1, file=HOSTILE, attacks=(attacks,), membership=None)
    run = run_of(attacks, copies=(copy, copy), notes=(HOSTILE,))
    picture = attack_rates(run.copies).svg()
    minidom.parseString(picture)
    for text in (picture, attacks_page(run), as_html(attacks)):
        found = Tags()
        found.feed(text)
        assert "script" not in found.tags
        assert not {"\x1b", "\u202e"} & set(text)
        assert "{0} {secret}" in text
    assert not {"\x1b", "\u202e"} & set(as_text(attacks))


def test_the_page_holds_sentences_picture_table_and_warnings_and_asks_for_nothing():
    text = attacks_page(run_of(record(row(warnings=("Too weak.",))), notes=("Halves.",)))
    for part in (
        "CONFIDENTIAL",
        "default-src 'none'",
        "Halves.",
        "<svg",
        "because their own records were used",
        "↑ 0.20</td>",
        "0.10 to 0.30</td>",
        "Inference: income: Too weak.",
        "Limits: these are simple attacks",
    ):
        assert part in text
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org", "")


def test_a_mark_means_the_same_in_every_panel_of_the_picture():
    high, low = row(), row(R=-0.2, interval=(-0.3, -0.1))
    copies = [
        CopyAttacks(copy=n, file=f"{n}.csv", attacks=(record(one),), membership=None)
        for n, one in enumerate((high, low), start=1)
    ]
    specs = attack_rates(copies).spec["vconcat"]
    for spec in specs:
        marks = spec["layer"][3]["encoding"]
        assert marks["x"]["scale"]["domain"] == [-0.3, 0.3]
        assert marks["shape"]["scale"]["domain"] == ["interval above 0", "interval below 0"]
        assert marks["shape"]["scale"]["range"] == ["square", "triangle-down"]
    (point,) = specs[1]["data"]["values"]
    assert (point["value"], point["low"], point["high"]) == (-0.2, -0.3, -0.1)
    assert point["naive"] == 0.2
    assert point["reading"] == "interval below 0"


def test_a_long_picture_is_cut_and_says_so():
    rows = [row(target=f"c{i}", R=0.2 - i / 1000) for i in range(MOST_ROWS + 3)]
    picture = attack_rates(run_of(record(*rows)).copies).svg()
    assert "3 rows with lower risks not drawn." in picture
    assert f"c{MOST_ROWS - 1}<" in picture
    assert f"c{MOST_ROWS}<" not in picture


def test_the_record_of_a_run_survives_json():
    run = run_of(record(row()))
    assert AttackRun.from_json(run.to_json()) == run
