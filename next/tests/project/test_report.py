"""The page to sign: its numbers, rows, words and size, for projects from small to large."""

import re
import shutil
import subprocess
from html.parser import HTMLParser
from random import Random

import msgspec
import pytest

import unveil
from project.desk import CARL, change, release
from unveil import InputError
from unveil.project.rows import FigureRow
from unveil.project.view import MOST, blocks_of, view_of
from unveil.results import limit_figures
from unveil.show.report import report, variables_of

HOSTILE = '"><script>alert(1)</script>{{ 7 * 7 }}&amp;\u202e'
CELLS = ("n", "e", "b", "l", "status")


class Page(HTMLParser):
    """The texts of a page by the class or the tag they stand in, up to the first annex."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.rows, self.texts, self.widths = [], [], [], []
        self.place, self.is_first = "", True
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        about = dict(attributes)
        names = (about.get("class") or "").split()
        self.tags.append((tag, about))
        self.is_first = self.is_first and "annex" not in names
        if self.is_first and tag == "tr" and names and names[0].startswith("at-"):
            self.rows.append(dict.fromkeys(("label", *CELLS), "") | {"bar": {}})
        if tag in ("td", "th", "tr", "style", "h2", "p"):
            self.place = names[0] if tag == "td" and names else {"th": "label"}.get(tag, tag)
        if self.is_first and tag == "i" and self.rows and self.place == "chart":
            self.rows[-1]["bar"][names[0]] = float(re.search(r"[\d.]+", about["style"])[0])

    def handle_data(self, data):
        if self.place == "style" or not data.strip():
            return
        self.texts.append(data.strip())
        if self.is_first and self.rows and self.place in self.rows[-1]:
            self.rows[-1][self.place] += f"{data.strip()} "

    def handle_endtag(self, tag):
        if tag in ("td", "th", "style"):
            self.place = ""


def whole(text):
    return int(re.match(r"[+-]?[\d,]+", text)[0].replace(",", ""))


def figures(variables, scenarios=("everything",), copies=1, length=42, seed=1, people=1000):
    """Rows as a run has them, of as many variables, intruders and files."""
    chance = Random(seed)
    names = [f"{'variable_of_the_household_questionnaire'[: length - 3]}_{n}"[-length:]
             for n in range(variables)]  # fmt: skip

    def row(kind, what, by, copy, scenario):
        expected, beyond = chance.uniform(0, people / 2), chance.uniform(-20, people / 4)
        return FigureRow(
            version="", copy=copy, kind=kind, what=what, by=by, people=round(expected + beyond),
            of=people, shares=expected * chance.random(), expected=expected,
            beyond=round(expected + beyond) - expected, margin=chance.uniform(1, 30),
            scenario=scenario, symbol="DiSCO",
        )  # fmt: skip

    rows = []
    for copy in range(1, copies + 1):
        rows += [row("records", what, "", copy, "")
                 for what in ("equal in all variables", "different in at most one")]  # fmt: skip
        rows += [row("links", name, ", ".join(names[:3]), copy, "") for name in names]
        for place, scenario in enumerate(scenarios):
            by = ", ".join(names[place : place + 6])
            rows += [row("uniques", "unique in both files", by, copy, scenario)]
            rows += [row("keys", name, by, copy, scenario) for name in names]
            rows += [row("sensitive", f"{names[0]}=poor", by, copy, scenario)]
    return limit_figures(rows, {"beyond": 2, "real_records": 0.1}, people)


def like(view, rows, **about):
    """A view of a project with other figures."""
    return msgspec.structs.replace(view, blocks=tuple(blocks_of(rows, view.unit)), **about)


SIZES = [(3, 1, 1), (8, 1, 2), (12, 2, 1), (24, 3, 1), (40, 2, 5), (60, 3, 5)]
WHO = ("neighbour", "colleague at the same employer", "journalist")


@pytest.fixture(params=SIZES, ids=lambda size: "{} variables, {} intruders, {} files".format(*size))
def sized(request, project):
    variables, scenarios, copies = request.param
    return like(view_of(project), figures(variables, WHO[:scenarios], copies))


# Numbers


def test_every_number_of_a_row_is_that_of_the_figures(sized):
    """From the rows alone: people, of how many, from others, beyond, margin, limit and bar."""
    page = Page(report(sized))
    lines = [line for block in sized.blocks for line in block.lines]
    assert len(page.rows) == len(lines) <= MOST
    end = max(max(line.row.people, line.row.expected + (line.row.limit or 0))
              for block in sized.blocks for line in block.all_lines)  # fmt: skip
    for drawn, line in zip(page.rows, lines, strict=True):
        row = line.row
        assert whole(drawn["n"]) == row.people
        assert re.search(r"of ([\d,]+)", drawn["n"])[1].replace(",", "") == str(row.of)
        assert whole(drawn["b"]) == round(row.beyond)
        assert whole(drawn["n"]) - whole(drawn["e"]) == whole(drawn["b"])
        assert drawn["b"].endswith(f"± {row.margin:,.0f} ")
        assert drawn["l"].strip() == ("" if row.limit is None else f"{row.limit:,.0f}")
        assert drawn["status"].split(maxsplit=1)[1].strip() == row.status
        share = re.search(r"([\d.]+) %", drawn["n"])
        if share:
            assert float(share[1]) == pytest.approx(100 * row.people / row.of, abs=0.05)
        bar, known = drawn["bar"], min(row.people, row.expected)
        shares = known if row.kind == "sensitive" else min(row.shares, known)
        lengths = {"shares": shares, "others": known - shares, "beyond": row.people - known}
        for part, length in lengths.items():
            assert bar.get(part, 0) == pytest.approx(100 * length / end, abs=0.006)
        if row.limit is not None:
            assert bar["limit"] == pytest.approx(100 * (row.expected + row.limit) / end, abs=0.006)


def test_no_share_of_the_uniques_is_called_repU(project):
    """repU is of everybody: a row that is of the uniques does not state it."""
    rows = [line for block in view_of(project).blocks for line in block.lines
            if block.kind == "uniques"]  # fmt: skip
    assert [line.small for line in rows] == ["repU"]


def test_rows_stand_by_gravity_and_others_are_counted(sized):
    order = ("above limit", "not measured", "to be decided")
    for block in sized.blocks:
        places = [
            (order.index(line.status) if line.status in order else 3, -line.row.beyond)
            for line in block.all_lines
        ]
        assert places == sorted(places)
        assert block.lines == block.all_lines[: len(block.lines)]
        assert block.lines, "a question without its worst row"
    page = Page(report(sized))
    counted = sum(int(n) for text in page.texts for n in re.findall(r"[■▲●○] (\d+) more", text))
    shown = {block.kind: len(block.all_lines) for block in sized.blocks}
    assert len(page.rows) + counted == sum(shown.values())


def test_the_report_has_few_numbers(sized):
    """Of files and figures, charts and hashes aside."""
    texts = re.sub(r"(?s)<svg.*?</svg>|<style>.*?</style>", "", report(sized))
    words = re.sub(r"<[^>]+>", " ", texts)
    numbers = re.findall(r"(?<![\w.])[+-]?\d[\d,]*(?:\.\d+)?(?![\w.])", words)
    assert len(numbers) < 350


# Variables and annexes


def test_a_variable_stands_with_its_worst_intruder_and_the_figures_of_the_papers(project):
    view = view_of(project)
    disclosure = next(p.result for p in view.parts if p.row.measure == "disclosure")
    variables = {variable.name: variable for variable in variables_of(view)}
    for row in disclosure.attribute:
        small = variables[row.target].small
        assert f"DiSCO {row.DiSCO:.1f} %" in small
        assert f"{row.wrong:,.0f} wrongly" in small
    most = [max(line.row.beyond or 0 for line in (v.keys, v.link) if line)
            for v in variables.values()]  # fmt: skip
    assert most == sorted(most, reverse=True)


def test_what_is_asked_and_stated_stands_in_the_report(project):
    page = report(view_of(project))
    assert page.count("not answered") == 5
    assert "The limits are not accepted." in page
    for file in view_of(project).files:
        assert file.name in page
        assert file.sha256[:12] in page


# The decision


def test_a_decision_stands_at_the_head_and_in_the_place_of_the_boxes(project):
    release(project)
    page = report(view_of(project))
    assert page.index(f"Released by {CARL}") < page.index("Are records of real")
    assert "☐" not in page
    assert "Registered researchers only." in page


def test_a_refusal_stands_at_the_head(project):
    project.decide("refuse", reason="Too many real records.", by=CARL)
    page = report(view_of(project))
    assert "■ Not to be released" in page
    assert "Too many real records." in page
    assert "☐" not in page


def test_without_a_decision_there_are_boxes(project):
    page = report(view_of(project))
    for choice in view_of(project).choices:
        assert f"☐ <b>{choice}</b>" in page


# Labels, files and faces


def test_hostile_labels_are_texts(project):
    change(project, re.search("title = .*", project.file.read_text())[0], f"title = {HOSTILE!r}")
    rows = [msgspec.structs.replace(row, what=HOSTILE, by=HOSTILE) for row in figures(3)]
    view = like(view_of(project), rows, unit=HOSTILE, signature=HOSTILE)
    view = msgspec.structs.replace(view, choices=(HOSTILE,), not_tested=(HOSTILE,))
    page = Page(report(view))
    assert not {tag for tag, _ in page.tags} & {"script", "iframe", "img", "link", "object"}
    assert not [about for _, about in page.tags if any(name.startswith("on") for name in about)]
    assert any("{{ 7 * 7 }}" in text for text in page.texts)


def test_the_report_asks_for_nothing_outside(project):
    page = Page(report(view_of(project)))
    assert not [about for _, about in page.tags if {"src", "href"} & about.keys()
                and not str(about.get("href", "#")).startswith("#")]  # fmt: skip
    assert "@import" not in report(view_of(project))


@pytest.mark.parametrize("name", ["report.pdf", "report", "nowhere/report.html"])
def test_a_report_is_html_in_a_folder_that_is_there(project, name):
    with pytest.raises(InputError, match="A browser prints it on paper or as PDF"):
        project.report(project.folder / name)


def test_a_figure_without_a_number_is_not_a_nought(project):
    row = FigureRow(version="", copy="", kind="keys", what="health", by="sex", people=None,
                    of=None, limit=20, status="not measured", scenario="everything")  # fmt: skip
    drawn = Page(report(like(view_of(project), [row]))).rows[0]
    assert drawn["n"].strip() == "not measured"
    assert (drawn["e"], drawn["b"], drawn["bar"]) == ("", "", {})
    assert drawn["status"].strip() == "■ not measured"


def test_a_text_that_is_missing_is_a_fault():
    from jinja2 import UndefinedError

    from unveil.show.page import template

    with pytest.raises(UndefinedError):
        template("report.html").render(style="", view={})


def test_a_notebook_shows_the_rows_of_the_page(project):
    """Of the run, and of a plain assessment of the same files."""
    view = view_of(project)
    on_page = [{**row, "bar": None} for row in Page(report(view)).rows]
    run = [{**row, "bar": None} for row in Page(project.run()._repr_html_()).rows]
    assert run == on_page
    limits = dict(project.standing().limits)
    alone = Page(unveil.assess(project.study(), limits=limits)._repr_html_()).rows
    assert [row["n"] for row in alone] == [row["n"] for row in on_page]
    assert [row["b"] for row in alone] == [row["b"] for row in on_page]


# Paper


@pytest.fixture
def printed(tmp_path):
    """Prints a page with Chromium; the text of each sheet."""
    chromium, reader = shutil.which("chromium"), shutil.which("pdftotext")
    if not chromium or not reader:
        pytest.skip("chromium and pdftotext (poppler-utils) are not installed")

    def sheets(page):
        (tmp_path / "page.html").write_text(page)
        command = [
            chromium, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync",
            f"--user-data-dir={tmp_path / 'profile'}", "--no-pdf-header-footer",
            f"--print-to-pdf={tmp_path / 'page.pdf'}", f"file://{tmp_path / 'page.html'}",
        ]  # fmt: skip
        subprocess.run(command, check=True, capture_output=True, timeout=120)
        text = subprocess.run([reader, "-layout", tmp_path / "page.pdf", "-"], check=True,
                              capture_output=True, text=True).stdout  # fmt: skip
        return text.split("\f")[:-1]

    return sheets


def test_page_1_is_a_sheet_and_the_report_has_six_at_most(sized, printed):
    long = "A sentence of somebody who has much to say about the release of the data. " * 6
    view = msgspec.structs.replace(
        sized, title="The survey of households and their members, with all modules, of 2026",
        policy=(long,), alerted=long, not_tested=(long,) * 9, choices=(long[:70],) * 3,
        head=msgspec.structs.replace(sized.head, sentence=long, cause=long, next=long),
    )  # fmt: skip
    sheets = printed(report(view))
    assert "Evidence for a decision" in sheets[0]
    assert "Annex 2" in sheets[1]
    assert len(sheets) <= 6
