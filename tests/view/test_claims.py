"""Claims and sets of keys in words: every number comes from the record, and no warning is lost."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.view.blocks import Sentence, TableBlock
from unveil.view.claims import FOOTNOTE, added_cells, claim_sentence, points
from unveil.view.format import percent
from unveil.view.show import as_blocks, as_html

HOSTILE = "<b>\x1b[31mx"


def files(is_copied):
    rng = np.random.default_rng(2)
    made = {name: rng.integers(0, 8, 600) for name in "ab"}
    original = pl.DataFrame({**made, "t": rng.integers(0, 5, 600)}).cast(pl.String)
    original = original.with_columns(pl.col("t").replace({"1": HOSTILE}))
    fresh = original.with_columns(t=original["t"].sample(600, shuffle=True, seed=1))
    return original, original if is_copied else fresh


def texts(record):
    blocks = list(as_blocks(record))
    found = [one.text for one in blocks if isinstance(one, Sentence)]
    return found + [c for b in blocks if isinstance(b, TableBlock) for r in b.rows for c in r]


@pytest.mark.parametrize("is_copied", [True, False])
def test_what_is_added_is_said_with_its_warning(is_copied):
    original, copy = files(is_copied)
    record = unveil.claims(original, copy, keys=["a", "b"], targets="t").record
    row = record.row_of("t", 1)
    sentence = claim_sentence(row)
    assert f"for {row.correct:,} of 600 people" in sentence
    assert f"about {round(row.expected):,} of these" in sentence
    assert ("own record or deeper pattern" in sentence) == (row.low > 0)
    assert any("whether it may be is your ruling" in one for one in texts(record))


def test_disclosure_shows_what_is_added_beside_its_warning():
    original, copy = files(is_copied=False)
    found = unveil.disclosure(original, copy, keys=["a", "b"], targets="t", expected=True)
    tables = [one for one in as_blocks(found.record) if isinstance(one, TableBlock)]
    heads = [[column.head for column in one.columns] for one in tables]
    (added,) = [one for one, of in zip(tables, heads, strict=True) if "adds points" in of]
    assert added.footnote.endswith(FOOTNOTE)
    assert added_cells(found.record)["t"] == added.rows[0][3:5]
    row = found.record.find_claim("t", 1)
    half = 100 * (row.high - row.adds) / 600
    assert added.rows[0][3] == percent(100 * row.expected / 600)
    assert added.rows[0][4] == f"{points(100 * row.adds / 600)} ± {half:.1f}"
    plain = unveil.disclosure(original, copy, keys=["a", "b"], targets="t").record
    shown = [
        column.head
        for one in as_blocks(plain)
        if isinstance(one, TableBlock)
        for column in one.columns
    ]
    assert "adds points" not in shown


def test_no_set_of_keys_is_shown_without_what_is_expected():
    original, copy = files(is_copied=False)
    record = unveil.key_sets(original, copy, keys=["a", "b"], targets="t").record
    assert any("read it beside what is expected" in one for one in texts(record))
    for one in as_blocks(record):
        if isinstance(one, TableBlock):
            assert "expected" in [column.head for column in one.columns]


def test_labels_of_the_data_are_harmless():
    original, copy = files(is_copied=True)
    for result in (
        unveil.claims(original, copy, keys=["a", "t"], targets="b", at_least=1, certainty=0.51),
        unveil.key_sets(original, copy, keys=["a", "b"], targets="t"),
    ):
        assert "\x1b" not in as_html(result.record)
        assert "<b>" not in as_html(result.record)


def test_points_have_a_sign_and_no_negative_nothing():
    assert [points(x) for x in (0.04, -0.04, 1.26, -2)] == ["0.0", "0.0", "+1.3", "-2.0"]
