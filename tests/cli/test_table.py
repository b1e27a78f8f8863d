"""`unveil table`: what it prints, what it writes, and what it refuses."""

import csv
import io
import json
import os
import re
from itertools import product
from xml.etree import ElementTree as ET

import pytest

import unveil
from unveil.cli import main

# Smith and Elliot 2008, Figure 1.
FIGURE_1 = "row,column,count\nA,D,1\nA,E,3\nA,F,0\nB,D,4\nB,E,0\nB,F,0\nC,D,3\nC,E,2\nC,F,0\n"
TABLE = [[1, 3, 0], [4, 0, 0], [3, 2, 0]]
NAMES = {"dims": ["row", "column"], "levels": [["A", "B", "C"], ["D", "E", "F"]]}


@pytest.fixture
def counts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "counts.csv"
    path.write_text(FIGURE_1, encoding="utf-8")
    return "counts.csv"


@pytest.fixture
def run(capsys, monkeypatch):
    def called(*arguments, columns=80):
        monkeypatch.setenv("COLUMNS", str(columns))
        with pytest.raises(SystemExit) as ended:
            main(["table", *map(str, arguments)])
        return ended.value.code, *capsys.readouterr()

    return called


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def told(shown):
    return " ".join(shown.split())


def test_the_screen_says_at_how_many_known_people_the_risk_starts(run, counts):
    code, shown, _ = run(counts, "-r", "conventional:3", "--structural", "column=F")
    assert code == 0
    said = told(shown)
    assert "The risk starts at 1 person known; below that SAP is 0." in said
    assert "SAP exceeds 0.05 from 1 person known." in said
    assert (
        "An intruder who knows 1 of the 13 members can, with probability 0.077, be certain that"
        " some combination applies to none of the others." in said
    )
    assert re.search(r"^ 4   0.309  ███████$", shown, re.MULTILINE)


def test_every_probability_on_the_screen_is_that_of_the_library(run, counts):
    shown = run(counts, "-r", "conventional:3", "--total")[1]
    found = unveil.sap(TABLE, **NAMES, rounding="conventional:3", total=True).fractions
    rows = re.findall(r"^ +(\d+) +([01](?:\.\d+)?)\b", shown, re.MULTILINE)
    assert len(rows) == 14
    for n, figure in rows:
        assert float(figure) == round(float(found[int(n)]), 3)


def test_the_document_is_that_of_the_library_with_what_was_asked_for(run, counts):
    asked = ("-r", "conventional:3", "--margins", "all", "--total", "--sap-max-n", 5, "--bounds")
    code, shown, _ = run(counts, *asked, "--audit", 10, "--limit", "2=1", "--json")
    document = json.loads(shown)
    for one in (document, document["bounds"], document["audit"]):
        assert one["notes"].pop(0) == "Read as long: counts in 'count', by row, column."
    release = unveil.PublishedTable.from_counts(
        TABLE, **NAMES, rounding="conventional:3", margins="all", total=True
    )
    assert document.pop("bounds") == json.loads(unveil.bounds(release).to_json())
    assert document.pop("audit") == json.loads(unveil.audit(release, percent=10).to_json())
    assert document.pop("limits") == [
        {"n": 2, "lower": 1.0, "upper": 1.0, "limit": 1.0, "status": "within"}
    ]
    assert (document.pop("threshold"), document.pop("passes")) == (0.05, 0)
    assert document.pop("alerts") == []
    assert document == json.loads(unveil.sap(release, n_max=5).to_json())
    assert code == 0


@pytest.fixture
def wards(tmp_path):
    rows = [f"W{ward},{job},{n}" for ward in range(12) for job, n in (("a", 9), ("b", 14))]
    path = tmp_path / "wards.csv"
    path.write_text("\n".join(["ward,job,count", *rows, "W12,a,2", "W12,b,1", "W12,c,3"]))
    return path


def test_a_limit_holds_in_every_area_and_the_output_says_so(run, wards):
    asked = (wards, "-r", "conventional:5", "--sap-max-n", 3, "--limit", "2=0.05")
    code, shown, _ = run(*asked)
    assert code == 3
    assert "In 1 of 13 levels of ward, SAP with 2 people known is above your limit" in told(shown)
    assert "Areas are the levels of ward, the dimension with the most levels." in told(shown)
    document = json.loads(run(*asked, "--json")[1])
    (verdict,) = document["area_limits"]
    assert (verdict["level"], verdict["people"], verdict["n_above"]) == ("W12", 6, 1)
    (alert,) = document["alerts"]
    assert (alert["columns"], alert["level"], alert["status"]) == (["ward"], "W12", "block")
    assert document["limits"][0]["status"] == "within"
    code, shown, _ = run(*asked, "--area", "none")
    assert code == 0
    assert "ward=W12" not in shown


def test_further_counts_are_suppressed_and_the_file_does_not_say_why(run, tmp_path):
    rows = ["A,x,2", "A,y,9", "B,x,30", "B,y,12", "C,x,25", "C,y,26"]
    (tmp_path / "t.csv").write_text("\n".join(["ward,job,count", *rows]))
    asked = (tmp_path / "t.csv", "-r", "suppress:5", "--margins", "all", "--secondary", "width=2")
    code, shown, _ = run(*asked, "--out", tmp_path / "publish.csv", "--sap-max-n", 2)
    assert code == 0
    assert "3 further values are suppressed to protect 1 small count." in told(shown)
    assert "controlled:5" in shown
    written = (tmp_path / "publish.csv").read_text().splitlines()
    assert written[1:7] == ["A,x,", "A,y,", "B,x,", "B,y,", "C,x,25", "C,y,26"]
    document = json.loads(run(*asked, "--json")[1])["secondary"]
    assert (document["n_secondary"], document["proven"]) == (3, True)
    assert all(row["upper"] - row["lower"] >= 2 for row in document["rows"] if row["small"])


def test_a_hierarchy_leaves_impossible_combinations_out(run, tmp_path):
    rows = ["N,W1,a,4", "N,W1,b,3", "N,W2,b,5", "S,W3,a,6", "S,W3,b,2"]
    (tmp_path / "t.csv").write_text("\n".join(["region,ward,job,count", *rows]))
    asked = (tmp_path / "t.csv", "-r", "suppress:3", "--nested", "ward=region")
    code, shown, _ = run(*asked, "--out", tmp_path / "out.csv", "--sap-max-n", 1)
    assert code == 0
    assert "Published zeros disclose, without knowing anyone: 1 empty cell." in told(shown)
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 7


def test_an_area_that_is_asked_for_is_shown_and_printed_as_csv(run, wards):
    code, shown, _ = run(wards, "-r", "conventional:5", "--area", "job", "--sap-max-n", 2, "--csv")
    rows = list(csv.DictReader(io.StringIO(shown)))
    assert code == 0
    assert {row["area"] for row in rows} == {"a", "b", "c"}
    assert len(rows) == 9
    assert "Areas are the levels" not in run(wards, "--area", "job", "--sap-max-n", 2)[1]


def test_the_curve_the_bounds_and_the_audit_as_csv(run, counts):
    def rows(*more):
        asked = (counts, "-r", "suppress:4", "--margins", "row,column", "--total", "--csv")
        return list(csv.DictReader(io.StringIO(run(*asked, *more)[1])))

    assert [row["exact"] for row in rows("--structural", 2, "--sap-max-n", 1)] == ["1/1", "1/1"]
    bounds = rows("--bounds")
    assert len(bounds) == 9
    assert [bounds[3][name] for name in ("row", "column", "lower", "upper")] == ["B", "D", "4", "4"]
    assert {(row["row"], row["column"]) for row in rows("--audit", 5)} == {
        ("A", "D"),
        ("A", "E"),
        ("C", "D"),
        ("C", "E"),
    }


@pytest.mark.parametrize(
    ("limit", "code", "said"),
    [
        ("1=0.05", 3, "■ SAP with 1 person known is 0.077, above your limit of 0.05."),
        ("1=0.1", 0, "● SAP with 1 person known is 0.077, within your limit of 0.1."),
        ("0=0", 0, "● SAP with 0 people known is 0, within your limit of 0."),
        ("40=0.5", 3, "■ SAP with 40 people known is 1, above your limit of 0.5."),
    ],
)
def test_a_limit_ends_with_three_where_it_is_exceeded(run, counts, limit, code, said):
    asked = (counts, "-r", "conventional:3", "--limit", limit)
    ended, shown, _ = run(*asked)
    assert ended == code
    assert said in told(shown)
    ended, shown, _ = run(*asked, "--json")
    assert ended == code
    (verdict,) = json.loads(shown)["limits"]
    assert verdict["status"] == ("above" if code else "within")


def test_a_suppressed_count_that_sums_disclose_is_above_every_limit(run, tmp_path):
    file = tmp_path / "counts.csv"
    file.write_text("r,c,count\nA,x,2\nA,y,30\nB,x,40\nB,y,50\n", encoding="utf-8")
    asked = (file, "-r", "table=suppress:5", "--limit", "1=0.05", "--sap-max-n", 1)
    code, shown, _ = run(*asked)
    assert code == 0
    code, shown, _ = run(*asked, "-r", "margins=exact", "--margins", "all")
    assert code == 3
    assert "1 of 1 suppressed value can be recomputed exactly" in told(shown)
    code, shown, _ = run(*asked, "-r", "margins=exact", "--margins", "all", "--json")
    assert [alert["id"] for alert in json.loads(shown)["alerts"]] == ["table:recomputed"]


@pytest.mark.slow
def test_a_limit_that_bounds_do_not_settle_counts_as_exceeded(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cells = product(range(3), repeat=3)
    rows = [f"{a},{b},{c},{(a + 2 * b + 3 * c) % 4}" for a, b, c in cells]
    (tmp_path / "cube.csv").write_text("a,b,c,n\n" + "\n".join(rows), encoding="utf-8")
    asked = ("cube.csv", "-r", "conventional:5", "--margins", "all", "--nodes", 1, "--seed", 1)
    code, shown, _ = run(*asked, "--sap-max-n", 6, "--limit", "4=0.3")
    said = told(shown)
    assert code == 3
    assert re.search(
        r"known is between 0?\S* and \S+: whether it is within your limit of 0.3", said
    )
    assert "SAP lies between the certified bounds shown" in said
    assert re.search(r"with a probability between \S+ and \S+, be certain", said)
    assert "with 95 % confidence" in said


def test_what_is_to_be_published_has_no_true_count_in_it(run, counts, tmp_path):
    code, _, said = run(
        counts, "-r", "random:5", "--margins", "all", "--total", "--seed", 3, "--out", "publish.csv"
    )
    assert code == 0
    assert "16 published values written to publish.csv; true counts are not in it." in said
    rows = rows_of(tmp_path / "publish.csv")
    assert list(rows[0]) == ["row", "column", "published"]
    drawn = unveil.PublishedTable.from_counts(
        TABLE, **NAMES, rounding="random:5", margins="all", total=True, seed=3
    )
    assert [row["published"] for row in rows] == [
        str(value) for _, values in drawn.published for value in values
    ]
    assert all(int(row["published"]) % 5 == 0 for row in rows)
    assert (rows[-1]["row"], rows[-1]["column"]) == ("Total", "Total")


def test_suppressed_values_are_left_empty_or_told_as_intervals(run, counts, tmp_path):
    run(counts, "-r", "suppress:4", "--out", "hidden.csv")
    run(counts, "-r", "suppress:4:interval", "--out", "told.csv")
    values = [
        [row["published"] for row in rows_of(tmp_path / name)]
        for name in ("hidden.csv", "told.csv")
    ]
    assert values[0] == ["", "", "0", "4", "0", "0", "", "", "0"]
    assert values[1] == [value or "1 to 3" for value in values[0]]


def test_what_was_written_for_publication_can_be_measured_again(run, counts):
    asked = ("-r", "random:3", "--margins", "all", "--total", "--json")
    first = json.loads(run(counts, *asked, "--seed", 7, "--out", "drawn.csv")[1])
    again = json.loads(run(counts, *asked, "--published", "drawn.csv")[1])
    for field in ("exact", "cell_bounds", "total_bounds"):
        assert first[field] == again[field]


def test_a_level_of_one_person_is_left_out_where_its_rows_are_0_else_told_of(
    run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    people = ["sex,job", *["f,nurse", "m,=clerk"] * 12, "f,astronaut"]
    (tmp_path / "people.csv").write_text("\n".join(people), encoding="utf-8")
    asked = ("people.csv", "--microdata", "--dims", "sex,job", "--margins", "all")
    asked = (*asked, "--sap-max-n", 1)
    said = run(*asked, "-r", "conventional:5", "--out", "zero.csv")[2]
    assert said.splitlines()[1:] == [
        "unveil: 1 level of 'job' is omitted: all published values are 0, and the rows would only"
        " disclose that the level occurs."
    ]
    written = (tmp_path / "zero.csv").read_text(encoding="utf-8")
    assert "astronaut" not in written
    assert "m,'=clerk,10" in written.splitlines()
    again = run(*asked, "-r", "conventional:5", "--published", "zero.csv", "--json")[1]
    assert json.loads(again) == json.loads(run(*asked, "-r", "conventional:5", "--json")[1])
    said = run(*asked, "-r", "up:5", "--out", "up.csv")[2]
    assert said.splitlines()[1:] == [
        "unveil: 1 level of 'job' belongs to one person: a row in the table discloses that the"
        " level occurs. Merge rare levels before you publish."
    ]
    assert "f,astronaut,5" in (tmp_path / "up.csv").read_text(encoding="utf-8").splitlines()


def test_published_values_can_stand_in_a_column_beside_the_counts(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "row,column,count,drawn\nA,D,1,0\nA,E,3,3\nB,D,4,6\nB,E,2,3\n"
    (tmp_path / "counts.csv").write_text(text, encoding="utf-8")
    shown = run("counts.csv", "-r", "random:3", "--published", "drawn", "--json")[1]
    assert json.loads(shown)["cell_bounds"] == [[0, 2], [1, 5], [4, 8], [1, 5]]


def test_the_chart_is_a_private_picture_that_says_it_is_confidential(run, counts, tmp_path):
    code, _, said = run(counts, "-r", "conventional:3", "--sap-max-n", 4, "--chart", "curve.svg")
    assert code == 0
    assert "The curve was written to curve.svg; it is drawn from true counts: confidential." in said
    path = tmp_path / "curve.svg"
    if os.name == "posix":
        assert path.stat().st_mode & 0o077 == 0
    drawn = ET.fromstring(path.read_text(encoding="utf-8"))
    texts = {element.text for element in drawn.iter() if element.text and element.text.strip()}
    assert "13" not in texts
    assert any(text.startswith("Confidential: drawn from true counts") for text in texts)
    assert {"0", "1", "2", "3", "4", "threshold 0.05"} <= texts


def test_people_are_counted_from_their_records(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "sex,age,w\nm,1,2\nm,2,1\nf,1,1\nf,2,3\nf,2,0\n"
    (tmp_path / "people.csv").write_text(text, encoding="utf-8")
    asked = ("people.csv", "--microdata", "--dims", "sex,age", "--json")
    exact = json.loads(run(*asked)[1])
    assert (exact["N"], exact["exact"][1]) == (5, "3/5")
    weighed = json.loads(run(*asked, "--weights", "w")[1])
    assert (weighed["N"], weighed["exact"][1]) == (7, "2/7")
    shown = run(*asked[:-1], "--sample")[1]
    assert told(shown).count("assumes that the intruder knows who is in the sample") == 1
    assert json.loads(run(*asked, "--sample")[1])["of_sample"] is True


def test_a_wide_file_with_sums_of_its_own_name(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "county,White,Black,Sum\nA,15,20,35\nB,0,30,30\nSum,15,50,65\n"
    (tmp_path / "wide.csv").write_text(text, encoding="utf-8")
    asked = ("wide.csv", "--layout", "wide", "--total-label", "Sum", "--sap-max-n", 0)
    shown = told(run(*asked)[1])
    assert "county and columns (2 x 2 cells), 65 people." in shown
    assert "without knowing anyone: SAP = 1 for all n." in shown
    assert "1 empty cell. 1 determines the remaining variable" in shown


def test_known_people_key_levels_and_depth_reach_the_measure(run, counts):
    asked = (counts, "--known", "row=A,column=D", "--known", "2 row=C", "--given", "row=C")
    document = json.loads(run(*asked, "--depth", "all", "--json")[1])
    assert document["known"] == [["row=A, column=D", 1], ["row=C", 2]]
    assert document["given"] == [["row", "C"]]
    assert (document["N"], [one["depth"] for one in document["by_depth"]]) == (5, [1])
    shown = told(run(*asked, "-r", "conventional:5")[1])
    assert "of the 5 members with row=C" in shown
    assert "Assumed known from the start: 1 person with row=A, column=D and 2 people with" in shown


def test_each_part_can_have_its_own_scheme(run, counts):
    asked = ("-r", "conventional:3", "-r", "row=exact", "-r", "column=none", "-r", "total=up:5")
    document = json.loads(run(counts, *asked, "--total", "--margins", "all", "--json")[1])
    assert document["schemes"] == [["table", "conventional:3"], ["row", "exact"], ["total", "up:5"]]


def test_margins_are_named_with_commas_and_joined_by_plus(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{a},{b},{c},3" for a in "xy" for b in "xy" for c in "xy"]
    (tmp_path / "cube.csv").write_text("a,b,c,n\n" + "\n".join(rows), encoding="utf-8")
    asked = ("cube.csv", "-r", "conventional:5", "--margins", "a,b+c", "--sap-max-n", 1, "--json")
    parts = [part for part, _ in json.loads(run(*asked)[1])["schemes"]]
    assert parts == ["table", "b,c", "a"]


def test_schemes_side_by_side_on_one_table(run, counts):
    asked = ("--compare", "conventional:3,conventional:5,random:3", "--seed", 1, "--sap-max-n", 4)
    code, shown, _ = run(counts, *asked, "--draws", 5, "--chart", "all.svg")
    found = unveil.compare_rounding(
        TABLE, ["conventional:3", "conventional:5", "random:3"], seed=1, n_max=4, draws=5
    )
    assert code == 0
    said = told(shown)
    assert "conventional:5: the risk starts at 2 people known, and SAP exceeds 0.05 from 4;" in said
    assert "Schemes that draw were drawn 5 times for every table" in said
    document = json.loads(run(counts, *asked, "--draws", 5, "--json")[1])
    assert document == json.loads(found.to_json())
    rows = list(csv.DictReader(io.StringIO(run(counts, *asked, "--csv")[1])))
    assert len(rows) == 3 * 5
    assert {row["scheme"] for row in rows} == {"conventional:3", "conventional:5", "random:3"}


def test_schemes_on_many_tables_by_area_or_in_a_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = [
        f"{area},{age},{n}" for area, ns in (("N", "123"), ("S", "402")) for age, n in enumerate(ns)
    ]
    (tmp_path / "areas.csv").write_text("area,age,n\n" + "\n".join(lines), encoding="utf-8")
    (tmp_path / "folder").mkdir()
    for area, ns in (("N", "123"), ("S", "402")):
        rows = "\n".join(f"{age},{n}" for age, n in enumerate(ns))
        (tmp_path / "folder" / f"{area}.csv").write_text("age,n\n" + rows, encoding="utf-8")
    asked = ("--compare", "conventional:3,suppress:3", "--total", "--sap-max-n", 3)
    by_area = run("areas.csv", "--area", "area", *asked, "--json")[1]
    assert by_area == run("folder", *asked, "--json")[1]
    shown = run("folder", *asked)[1]
    assert "Tables by SAP: conventional:3" in shown
    assert "cells of a table are suppressed on average" in told(shown)
    for asked_of in (("folder",), ("areas.csv", "--area", "area"), ("folder/N.csv",)):
        said = told(run(*asked_of, *asked, "--sample")[1])
        assert said.count("assumes that the intruder knows who is in the sample.") == 1


@pytest.mark.parametrize("columns", [40, 80])
@pytest.mark.parametrize(
    "asked",
    [
        ("-r", "conventional:3", "--margins", "all", "--total", "--bounds", "--limit", "1=0.1"),
        ("-r", "suppress:4", "--margins", "all", "--total", "--audit", 20, "--depth", "all"),
        ("--compare", "conventional:3,random:3,suppress:3", "--seed", 1, "--sap-max-n", 5),
    ],
)
def test_the_screen_fits_wide_and_narrow_terminals(run, counts, asked, columns):
    shown = run(counts, *asked, columns=columns)[1]
    assert max(len(line) for line in shown.splitlines()) <= columns


def test_true_counts_stand_in_the_screen_of_bounds_alone(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "counts.csv").write_text("a,n\nx,617\ny,3\nz,44\n", encoding="utf-8")
    asked = ("counts.csv", "-r", "conventional:100", "--sap-max-n", 2)
    assert "617" in run(*asked, "--bounds")[1]
    for more in ((), ("--csv",), ("--json",), ("--bounds", "--json"), ("--bounds", "--csv")):
        assert "617" not in run(*asked, *more)[1]


def test_hostile_labels_steer_nothing(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = '"=cmd()\x1b[31m",count\n"<script>alert(1)</script>",2\n"=1+1\x1b]0;x\x07",0\nc,5\n'
    (tmp_path / "counts.csv").write_text(text, encoding="utf-8")
    asked = ("counts.csv", "-r", "conventional:3", "--bounds")
    code, shown, said = run(*asked, "--out", "out.csv", "--chart", "out.svg")
    assert code == 0
    written = (tmp_path / "out.csv").read_text(encoding="utf-8")
    for text in (shown, said, written, (tmp_path / "out.svg").read_text(encoding="utf-8")):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert written.splitlines()[0].startswith("'=cmd()")
    assert all(not line.startswith(("=", "+", "-", "@")) for line in written.splitlines())
    assert "<script" not in (tmp_path / "out.svg").read_text(encoding="utf-8")


GOOD = "row,column,count\nA,D,1\nA,E,2\nB,D,3\nB,E,4\n"
FILES = {
    "good.csv": GOOD,
    "negative.csv": GOOD.replace("A,D,1", "A,D,-1"),
    "fraction.csv": GOOD.replace("A,D,1", "A,D,1.5"),
    "margin.csv": GOOD + "Total,D,5\n",
    "empty.csv": "row,column,count\n",
    "text.csv": GOOD.replace("A,D,1", "A,D,x"),
    "few.csv": "row,column,published\nA,D,0\nA,E,3\nB,D,3\n",
    "other.csv": "row,column,published\nA,D,0\nA,E,3\nB,D,3\nB,Z,3\n",
    "words.csv": "row,column,published\nA,D,0\nA,E,3\nB,D,3\nB,E,much\n",
    "false.csv": "row,column,published\nA,D,0\nA,E,3\nB,D,3\nB,E,6\n",
}
SUM = (
    "The dataset (margin.csv) gives another number for the total of column=D than its cells add up"
    " to. Correct it; or, where a level is only called like a sum (all, total), state with the"
    " total label how sums are marked."
)
WHOLE = "A table of counts holds whole numbers from 0."
ONE_RELEASE = "is for one published table, and --compare for several. Omit one of them."
BAD = [
    ((), "Name the file of counts: unveil table counts.csv --round conventional:5."),
    (("negative.csv",), f"The count of the cell row=A, column=D is negative. {WHOLE}"),
    (("fraction.csv",), f"The count of the cell row=A, column=D is not a whole number. {WHOLE}"),
    (("margin.csv",), SUM),
    (
        ("empty.csv",),
        "The dataset (empty.csv) has a header but no rows. Check that its export was finished.",
    ),
    (
        ("text.csv",),
        "The counts in column 'count' of the dataset (text.csv) are not numbers in 1 of 4 rows. The"
        " table must hold the true counts, as whole numbers; name their column with count.",
    ),
    (
        ("good.csv", "-r", "conventional:1"),
        "The base of the scheme 'conventional:1' must be a whole number from 2 to 1,000,000,000.",
    ),
    (
        ("good.csv", "--structural", "row=A,column=D"),
        "People are counted in the cell row=A, column=D, which is declared impossible"
        " (structural). Remove it from the structural cells, or correct its count.",
    ),
    (
        ("good.csv", "--structural", "9"),
        "--structural names cell 9, but the cells are numbered from 0 to 3.",
    ),
    (
        ("good.csv", "--sap-max-n", "-1"),
        "--sap-max-n is -1. It must be a whole number from 0 to 100,000: how many people an"
        " intruder may know.",
    ),
    (
        ("good.csv", "--audit", "-1"),
        "--audit is -1. It must be a number from 0 on, such as 10 for estimates within 10 percent"
        " of the true count.",
    ),
    (
        ("good.csv", "--threshold", "2"),
        "The threshold is 2. It must be a number from 0 to 1, such as 0.05.",
    ),
    (
        ("good.csv", "--margins", "roww"),
        "--margins names 'roww', which is not a dimension of the table. Did you mean 'row'? Its"
        " dimensions are: row, column.",
    ),
    (
        ("good.csv", "--known", "5 row=A"),
        "5 people are said to be known in row=A, more than the table counts there. Correct the"
        " known people or the counts.",
    ),
    (
        ("good.csv", "--limit", "DiSCO=1"),
        "'DiSCO=1' is not a limit. Write a number of known people, =, and a probability: 4=0.05.",
    ),
    (
        ("good.csv", "--limit", "4=2"),
        "The limit of SAP with 4 known people is 2. It is a probability: write a number from 0 to"
        " 1.",
    ),
    (
        ("good.csv", "--limit", "4=0.1", "--limit", "4=0.2"),
        "SAP with 4 known people is given two limits. Give it one.",
    ),
    (
        ("good.csv", "--limit", "9=0.1", "--sap-max-n", "3"),
        "A limit is set on SAP with 9 known people, but it is measured up to 3. Measure further, or"
        " set the limit on fewer.",
    ),
    (
        ("good.csv", "--out", "o.csv"),
        "--out would write the true counts: the table is published exactly. Choose a scheme with"
        " --round.",
    ),
    (
        ("good.csv", "-r", "up:3", "--out", "o.txt"),
        "--out writes a file that ends in .csv or .xlsx, not 'o.txt'.",
    ),
    (
        ("good.csv", "--chart", "c.gif"),
        "A chart is written as SVG, PNG or PDF: 'c.gif' has to end in .svg, .png or .pdf.",
    ),
    (
        ("good.csv", "-r", "up:3", "--out", "good.csv"),
        "The file 'good.csv' is there already. Nothing was written. Name another file, or move the"
        " old one away first.",
    ),
    (
        ("good.csv", "--chart", "no/c.svg"),
        "There is no folder 'no' to write to. Make it first, or name another.",
    ),
    (
        ("good.csv", "-r", "conventional:3", "--published", "few.csv"),
        "The dataset (few.csv) with the published values has no row for 1 of 4 cells. Give every"
        " cell; an empty value is a suppressed one.",
    ),
    (
        ("good.csv", "-r", "conventional:3", "--published", "other.csv"),
        "The dataset (other.csv) with the published values has a level of 'column' that the"
        " table does not have. Its levels must be those of the counts.",
    ),
    (
        ("good.csv", "-r", "conventional:3", "--published", "words.csv"),
        "The published values in column 'published' of the dataset (words.csv) cannot be read in"
        " 1 of 4 rows. Write whole numbers, nothing where a value is suppressed, or intervals: 1"
        " to 4, 5 or more.",
    ),
    (
        ("good.csv", "-r", "conventional:3", "--published", "false.csv"),
        "What is said of the cell row=B, column=E does not hold in the true table: its count is not"
        " from 5 to 7. Correct the bounds, the published value or the counts.",
    ),
    (
        ("good.csv", "-r", "random:3", "--published", "nix"),
        "The dataset (good.csv) has no column 'nix'. Its columns are: row, column, count.",
    ),
    (
        ("good.csv", "-r", "random:3", "-r", "random:5"),
        "--round is given twice for everything. Give it once.",
    ),
    (
        ("good.csv", "-r", "=random:5"),
        "--round '=random:5' cannot be read. Write a scheme, or part=scheme.",
    ),
    (("good.csv", "--json", "--csv"), "--json and --csv cannot be printed together. Choose one."),
    (
        ("good.csv", "--csv", "--bounds", "--audit", "1"),
        "--csv prints one table: that of --bounds or of --audit. Choose one.",
    ),
    (
        ("good.csv", "--secondary", "wide"),
        "--secondary 'wide' cannot be read. Write width=2, cost=cells, or both with a comma between"
        " them.",
    ),
    (
        ("good.csv", "-r", "suppress:5", "--secondary", "--published", "p.csv"),
        "--secondary chooses which values to suppress, and --published says which were. Omit one of"
        " them.",
    ),
    (
        ("good.csv", "--nested", "row"),
        "--nested 'row' cannot be read. Write ward=region for wards within regions.",
    ),
    (
        ("good.csv", "--area", "rwo"),
        "The table has no dimension 'rwo' of areas. Did you mean 'row'? Its dimensions are: row,"
        " column.",
    ),
    (
        ("good.csv", "--area", "row", "--given", "row=A"),
        "'row' is given a level, so its levels are not compared as areas. Omit one of them.",
    ),
    (("good.csv", "--compare", "up:3", "-r", "up:3"), f"--round {ONE_RELEASE}"),
    (("good.csv", "--compare", "up:3", "--limit", "1=0"), f"--limit {ONE_RELEASE}"),
    (("good.csv", "--compare", "up:3", "--audit", "0"), f"--audit {ONE_RELEASE}"),
    (
        ("good.csv", "--compare", "up:3,"),
        "--compare holds an empty scheme. Write them with one comma between: --compare"
        " conventional:3,random:3.",
    ),
    (
        ("good.csv", "--weights", "w"),
        "--weights, --record-keys, --bands, --special-codes and --missing are for people's records."
        " Add --microdata if FILE contains them.",
    ),
    (
        ("good.csv", "--compare", "up:3", "--area", "row", "--weights", "w"),
        "--weights, --record-keys, --bands, --special-codes and --missing are for people's records."
        " Add --microdata if FILE contains them.",
    ),
    (
        ("good.csv", "--compare", "up:3", "--area", "row", "--layout", "long"),
        "--microdata, --layout and --total-label are for one table. Omit them with --area.",
    ),
    (
        (".", "--compare", "up:3", "--area", "row"),
        "--area is for one file, and FILE is a folder. Omit one of them.",
    ),
    (("good.csv", "--microdata"), "Name the columns of the table: --dims sex,age."),
    (
        ("good.csv", "--microdata", "--dims", "row", "--published", "drawn"),
        "There is no file 'drawn' of published values. Only a file of counts can have a column of"
        " them, not people's records.",
    ),
]


@pytest.mark.parametrize(("asked", "sentence"), BAD, ids=lambda case: " ".join(case)[:40])
def test_bad_input_is_a_sentence_and_nothing_is_written(
    run, tmp_path, monkeypatch, asked, sentence
):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    code, shown, said = run(*asked)
    assert (code, shown, said) == (2, "", f"unveil: {sentence}\n")
    assert {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()} == FILES
