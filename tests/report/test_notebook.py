import polars as pl

import unveil
from measure.small import ORIGINAL, SYNTHETIC, measured
from unveil.records.base import Record
from unveil.records.view import as_html, as_text


def test_printing_a_result_shows_its_headline_and_nothing_of_the_data():
    assert repr(measured(ORIGINAL, SYNTHETIC)) == (
        "Disclosure from k1 and k2: repU 16.7 %; highest DiSCO 16.7 % (t)"
    )


def test_the_notebook_view_has_the_figures_and_no_script():
    html = measured(ORIGINAL, SYNTHETIC)._repr_html_()
    assert "<td>16.7 %</td>" in html
    assert "<script" not in html
    assert "http" not in html


def test_a_copy_that_is_the_original_is_shouted_about():
    assert 'class="stop">The copy IS the original' in measured(ORIGINAL, ORIGINAL)._repr_html_()


def test_without_targets_the_view_shows_identity_alone():
    frame = pl.DataFrame({"k": [1, 2]})
    result = unveil.disclosure(frame, frame, keys="k")
    assert repr(result) == "Disclosure from k: repU 100.0 %"
    assert "<table" not in result._repr_html_()


def test_a_record_nobody_draws_shows_its_name_alone():
    class Secret(Record, frozen=True, kw_only=True):
        value: int

    assert as_text(Secret(value=7)) == "<Secret>"
    assert as_html(Secret(value=7)) == "<pre>&lt;Secret&gt;</pre>"
