"""`unveil.stages`: every figure of S1, S2 and S3 is that of the single call."""

import numpy as np
import polars as pl
import pytest

import unveil
from unveil.examples import survey
from unveil.project.stages import AS_LONG
from unveil.view.protection import stage_sentences

KEYS, TARGETS = ["sex", "age", "settlement"], ["marital", "health"]
BANDS = {"age": {"breaks": list(range(15, 91, 5))}}
RESULTS = [{"kind": "mean", "column": "income"}, {"kind": "table", "columns": ["marital"]}]
CODES = {"income": [-8]}


@pytest.fixture(scope="module")
def used():
    columns = [*KEYS, *TARGETS, "income"]
    return unveil.split(survey().head(800).select(columns), 0.75, seed=2023)


@pytest.fixture(scope="module")
def made(used):
    steps = [
        {"do": "top_code", "column": "age", "at": 85},
        {"do": "synthesise"},
        {"do": "distance_filter", "columns": KEYS, "max_rounds": 1},
        {"do": "add_noise", "column": "age", "sigma": 1, "round": 0, "clip": [15, 90]},
    ]
    return unveil.protect(
        used.included, steps=steps, seed=1, keys=KEYS, targets=TARGETS, special_codes=CODES
    )


@pytest.fixture(scope="module")
def found(made, used):
    return unveil.stages(
        made,
        control=used.left_out,
        findings=RESULTS,
        bands=BANDS,
        special_codes=CODES,
        seed=5,
    )


def test_a_part_of_s1_as_long_as_s2_stands_beside_it(made, found):
    """One round of the filter leaves fewer rows, and fewer rows disclose less by themselves."""
    assert [row.stage for row in found.rows] == ["S1", AS_LONG, "S2", "S3"]
    assert [row.n_rows for row in found.rows] == [
        600,
        made.s2.height,
        made.s2.height,
        made.s3.height,
    ]
    assert found.rows[1].n_rows < 600


@pytest.mark.parametrize("stage", ["S1", "S2", "S3"])
def test_every_figure_is_that_of_the_single_call(made, used, found, stage):
    copy = getattr(made, stage.lower())
    row = next(row for row in found.rows if row.stage == stage)
    told = unveil.disclosure(made.recoded, copy, keys=KEYS, targets=TARGETS, bands=BANDS)
    assert row.repU == told.identity[0].repU
    assert row.DiSCO == pytest.approx(sum(one.DiSCO for one in told.attribute) / 2)
    assert row.DiSCO_max == max(one.DiSCO for one in told.attribute)
    control = unveil.recode(used.left_out, [{"do": "top_code", "column": "age", "at": 85}]).data
    excess = unveil.excess(made.recoded, control, copy, keys=KEYS, targets=TARGETS, bands=BANDS)
    train, others = (
        sum(getattr(one, side) for one in excess.rows) / 2 for side in ("train", "control")
    )
    assert pytest.approx((train - others) / (100 - others)) == row.R
    like = unveil.utility(made.recoded, copy, special_codes=CODES, seed=5)
    assert row.pMSE == like.rows[0].pMSE
    attack = unveil.inference(
        made.recoded, copy, control=control, secrets=TARGETS, keys=KEYS, seed=5
    )
    own = next(one for one in row.attacks if one.attack == "inference")
    assert pytest.approx(sum(one.R for one in attack.rows) / 2) == own.R
    replicated = unveil.replicate(made.recoded, copy, RESULTS, special_codes=CODES).record
    overlaps = [one.copies[0].mean_overlap for one in replicated.findings]
    assert row.overlap == pytest.approx(sum(overlaps) / 2)
    filtered = unveil.distance_filter(made.recoded, copy, columns=KEYS)
    assert row.too_close == (copy.height - filtered.n_kept) / copy.height


def test_noise_that_brings_rows_back_to_originals_is_told(found, made):
    s2, s3 = (next(row for row in found.rows if row.stage == name) for name in ("S2", "S3"))
    assert s2.too_close == 0 < s3.too_close
    assert made.record.n_close_after == round(s3.too_close * s3.n_rows)
    assert any("brought" in one and "would refuse them" in one for one in made.record.warnings)
    said = " ".join(text for _, text in stage_sentences(found.record))
    assert "What was done after the filter brings rows back to originals" in said
    assert "Compare it with the part of S1 that is as long" in said
    assert found.record.projection == made.record.projection is not None


def test_without_a_control_attacks_tell_their_success_alone(made):
    row = unveil.stages(made, special_codes=CODES, seed=5).rows[0]
    assert row.R is None
    assert all(one.R is None and one.success is not None for one in row.attacks)


def test_what_is_no_protected_data_set_is_refused():
    with pytest.raises(unveil.UnveilError, match="it must be the result of unveil"):
        unveil.stages(pl.DataFrame({"a": [1]}))


@pytest.mark.slow
@pytest.mark.parametrize("by", ["noise", "smoothing"])
def test_rows_that_later_steps_bring_too_close_are_repaired_where_asked(used, by):
    noise = {"do": "add_noise", "column": "height", "sigma": 3}
    later = noise if by == "noise" else {"do": "smooth", "columns": ["height"]}
    heights = np.random.default_rng(1).normal(170, 10, used.included.height).round(2)
    data = used.included.with_columns(height=heights)

    def protected(**asked):
        steps = [{"do": "distance_filter", "columns": ["age", "height"], **asked}, later]
        settings = {"special_codes": CODES, "synthesis": {"min_leaf": 5}}
        return unveil.protect(data, steps=steps, seed=1, keys=KEYS, **settings)

    def too_close(made):
        return ~unveil.distance_filter(made.recoded, made.s3, columns=["age", "height"]).keep

    counted, repaired = protected(), protected(repair=True)
    n_close = too_close(counted).sum()
    assert n_close == counted.record.n_close_after == repaired.record.n_close_after > 0
    assert counted.record.n_close_removed is None
    assert not too_close(repaired).any()
    gone = repaired.record.n_close_removed
    assert repaired.s3.height == counted.s3.height - gone == repaired.record.steps[-1].n_rows
    assert gone < n_close if by == "noise" else gone >= n_close
    (told,) = [one for one in repaired.record.warnings if one.startswith("After the filter")]
    assert told.endswith(": now there is none.")
    assert f"brought {n_close} rows of {counted.s3.height} so close" in told
    # Rows that were far enough keep their noise: nothing else is drawn again.
    fine = counted.s3.filter(pl.Series(~too_close(counted)))
    held = repaired.s3.join(fine.unique(), on=fine.columns, how="semi", nulls_equal=True)
    assert held.height >= 0.9 * fine.height
