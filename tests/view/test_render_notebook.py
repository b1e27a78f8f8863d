import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import polars as pl

import unveil
from measure.small import ORIGINAL, SYNTHETIC, measured
from unveil import view
from unveil.records.base import Record
from unveil.view.show import SHOWN_IN, as_html, as_text


def test_printing_a_result_shows_its_headline_and_nothing_of_the_data():
    assert repr(measured(ORIGINAL, SYNTHETIC)) == (
        "Disclosure from k1 and k2: repU 16.7 %; highest DiSCO 16.7 % (t)"
    )


def test_the_notebook_view_has_the_figures_and_no_script():
    html = measured(ORIGINAL, SYNTHETIC)._repr_html_()
    assert ">16.7 %</td>" in html
    assert "<script" not in html
    assert "http" not in html


def test_the_notebook_view_tells_what_the_screen_tells():
    frame = pl.DataFrame({"k": ["a", "b"], "t": [1, 2]})
    copies = [frame.with_columns(t=pl.Series([1.0, 3.0])), frame.with_columns(t=pl.Series([2, 2]))]
    html = unveil.disclosure(frame, copies, keys="k")._repr_html_()
    assert ">pooled DiSCO</th>" in html
    assert "Figures are means over the 2 copies" in html
    assert "Random guess among matching records" in html
    assert "original records (" in html
    assert "stored as decimals here" in html


def test_a_copy_that_is_the_original_is_shouted_about():
    assert repr(measured(ORIGINAL, ORIGINAL)).startswith(
        "STOP: The synthetic data ARE the original"
    )
    assert (
        'class="stop">The synthetic data ARE the original'
        in measured(ORIGINAL, ORIGINAL)._repr_html_()
    )


def test_without_targets_the_view_shows_identity_alone():
    frame = pl.DataFrame({"k": [1, 2]})
    result = unveil.disclosure(frame, pl.DataFrame({"k": [1, 3]}), keys="k")
    assert repr(result) == "Disclosure from k: repU 50.0 %"
    assert "Attribute disclosure" not in result._repr_html_()
    assert "highest DiSCO" not in result._repr_html_()


def test_a_record_nobody_draws_shows_its_name_alone():
    class Secret(Record, frozen=True, kw_only=True):
        value: int

    assert as_text(Secret(value=7)) == "<Secret>"
    assert as_html(Secret(value=7)).endswith("<p>&lt;Secret&gt;</p></div>")


def test_one_table_says_which_module_shows_a_record():
    for module in iter_modules(view.__path__):
        import_module(f"unveil.view.{module.name}")
    shown = {*as_text.registry, *as_html.registry} - {object}
    assert {one.__name__ for one in shown} == set(SHOWN_IN)


def test_a_record_is_shown_by_whoever_imports_it_first():
    program = (
        "from unveil.measure.cap.tcap import tcap\n"
        "from polars import DataFrame\n"
        "data = DataFrame({'k': ['a', 'b'], 't': ['x', 'y']})\n"
        "print(tcap(data, data, keys='k', target='t'))\n"
    )
    path = ":".join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("TCAP of t from k: ")
