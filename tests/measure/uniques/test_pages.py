"""The figures worked out by hand on the pages of SUDA and match risk are those computed."""

from pathlib import Path

import polars as pl

from unveil.measure.uniques.match_risk import match_risk
from unveil.measure.uniques.suda import suda

PAGES = Path(__file__).parents[3] / "docs" / "measures"
PEOPLE = pl.DataFrame(
    [list(row) for row in ("axp", "axq", "ayp", "bxq", "byq", "byq")],
    ["k1", "k2", "t"],
    orient="row",
).with_columns(w=pl.Series([10, 10, 5, 4, 3, 7]))


def worked_out(page: str) -> dict[str, str]:
    section = (PAGES / page).read_text(encoding="utf-8").partition("## Worked example")[2]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    start = next(place for place, row in enumerate(rows) if row[0] == "figure")
    end = next(place for place, row in enumerate(rows) if row[0] == "symbol")
    return {row[0]: row[-1] for row in rows[start + 2 : end]}


def test_the_page_of_suda():
    result = suda(PEOPLE, keys=["k1", "k2", "t"])
    figures = {
        "dis_file": result.dis_file,
        "dis of a score of 1": result.dis[0],
        "dis of a score of 2": result.dis[2],
        "special_threshold": result.record.special_threshold,
        "contribution of k1": result.contributions[0].percent,
        "contribution of k2": result.contributions[1].percent,
    }
    assert worked_out("suda.md") == {name: f"{value:.4f}" for name, value in figures.items()}


def test_the_page_of_match_risk():
    result = match_risk(PEOPLE, keys=["k1", "k2"], weights="w", sensitive="t")
    assert worked_out("match_risk.md") == {
        "expected_reidentifications": f"{result.expected_reidentifications:.4f}",
        "global_risk": f"{result.global_risk:.4f}",
        "break 2-anonymity": str(result.record.anonymity[0].n),
        "distinct below 2": str(result.record.diversity[0].n_below_2),
    }
    shown = (PAGES / "match_risk.md").read_text(encoding="utf-8")
    for risk in result.frame()["rk"].unique():
        assert f"= {risk:.4f} |" in shown
