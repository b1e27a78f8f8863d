"""Does the report hold in a real browser: sealed, accessible, on paper and on a telephone?"""

import io
import os
import re
from pathlib import Path
from random import Random
from unicodedata import normalize

import pytest
from click.testing import CliRunner

from unveil.cli.demo import demo
from unveil.project.read_project import read_project
from unveil.project.run import run_project
from unveil.project.write_report import write_report
from unveil.view.pages.report import PAPER, custodian_page
from view.report_cases import empty, example, hostile, loaded, many

pytestmark = pytest.mark.browser

MADE = "2026-11-16T12:00:00Z"
DESKTOP = {"width": 1100, "height": 900}
PHONE = {"width": 390, "height": 844}
ZOOMED = {"width": 550, "height": 450}  # 1100 by 900 at 200 %
SHEET = {"width": 680, "height": 960}  # A4 less its margins
PAGES = {"loaded": loaded, "hostile": hostile, "empty": empty}
# Sixty targets and ten copies are more of the same, and take longer than all the others.
if os.environ.get("UNVEIL_HEAVY") == "1":
    PAGES["many"] = many
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


@pytest.fixture(scope="session", params=PAGES)
def path(request, tmp_path_factory):
    return written(PAGES[request.param](), tmp_path_factory.mktemp("report"))


def written(made, folder):
    file = folder / "report.html"
    file.write_text(custodian_page(*made, made=MADE), encoding="utf-8")
    return file


def test_a_report_of_sixty_targets_and_ten_copies_is_sealed_and_fits_a_telephone(opening, tmp_path):
    path = written(many(), tmp_path)
    opened = opening(path, viewport=PHONE)
    assert opened.asked == [path.as_uri()]
    assert opened.said == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_nothing_is_said_and_nothing_is_asked_for_but_the_file(opening, path, viewport):
    opened = opening(path, viewport=viewport)
    assert opened.asked == [path.as_uri()]
    assert opened.said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(opening, path, scheme):
    from axe_playwright_python.sync_playwright import Axe

    opened = opening(path, viewport=DESKTOP, color_scheme=scheme, bypass_csp=True)
    opened.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = Axe().run(opened.page, options={"runOnly": {"type": "tag", "values": RULES}})
    told = [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]])
        for one in found.response["violations"]
    ]
    assert told == []
    assert len(found.response["passes"]) > 20


@pytest.mark.parametrize("viewport", [PHONE, ZOOMED], ids=["phone", "200 %"])
def test_the_page_itself_never_scrolls_sideways(opening, path, viewport):
    opened = opening(path, viewport=viewport)
    opened.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    width = opened.page.evaluate("document.documentElement.scrollWidth")
    assert width <= viewport["width"]


CALLOUTS = ".alert, .look, .stop, .lead, figcaption, tr, li"


def printed(opened) -> list[str]:
    """The text of each page on paper, letters alone."""
    from pypdf import PdfReader

    pdf = opened.page.pdf(format="A4", prefer_css_page_size=True, tagged=True, outline=True)
    return [squeezed(page.extract_text()) for page in PdfReader(io.BytesIO(pdf)).pages]


def test_the_paper_has_every_annex_and_nothing_that_is_folded(opening, path):
    opened = opening(path, viewport=DESKTOP)
    opened.page.emulate_media(media="print")
    headings = opened.page.locator("main > h2, section h2").all_inner_texts()
    assert headings
    text = "".join(printed(opened))
    for heading in headings:
        assert squeezed(heading) in text
    folded = opened.page.locator("details").evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height > 0).length"
    )
    assert folded == 0


def test_no_callout_and_no_row_is_split_between_two_pages(opening, path):
    opened = opening(path, viewport=DESKTOP)
    opened.page.emulate_media(media="print")
    found = opened.page.locator(CALLOUTS).evaluate_all(
        "all => all.filter(one => one.getBoundingClientRect().height > 0 && !one.closest('thead')"
        " && !one.closest('svg')).map(one => one.innerText)"
    )
    pages = printed(opened)
    kept = {squeezed(one) for one in found if 12 <= len(squeezed(one)) <= 1_500}
    assert kept
    assert sorted(one for one in kept if not any(one in page for page in pages)) == []


def test_no_text_on_paper_is_below_eight_and_a_half_points(opening, path):
    opened = opening(path, viewport=SHEET)
    opened.page.emulate_media(media="print")
    sizes = opened.page.evaluate(
        "[...document.querySelectorAll('main *, footer *')].filter(one => !one.closest('svg') &&"
        " one.getBoundingClientRect().height > 1 && one.innerText && one.innerText.trim())"
        ".map(one => parseFloat(getComputedStyle(one).fontSize))"
    )
    assert min(sizes) >= 8.5 / 0.75 - 0.01  # points in pixels


def test_text_in_charts_on_paper_is_at_least_eight_points(opening, tmp_path):
    opened = opening(written(loaded(), tmp_path), viewport=SHEET)
    opened.page.emulate_media(media="print")
    sizes = opened.page.evaluate(
        "[...document.querySelectorAll('figure svg.marks')].flatMap(chart => {"
        " const box = chart.getBoundingClientRect();"
        " const scale = box.width / chart.viewBox.baseVal.width;"
        " return box.height ? [...chart.querySelectorAll('text')].map(one =>"
        " [scale * parseFloat(getComputedStyle(one).fontSize), one.textContent]) : []; })"
    )
    assert [one for one in sizes if one[0] < 8 / 0.75 - 0.01] == []


@pytest.fixture(scope="session")
def embedded(tmp_path_factory):
    """The report of the embedded example, as `unveil demo --project` writes it."""
    folder = tmp_path_factory.mktemp("embedded") / "project"
    assert CliRunner().invoke(demo, ["--project", str(folder)]).exit_code == 0
    return folder / "confidential" / "report_0001.html"


def test_the_embedded_example_prints_on_at_most_twelve_pages(opening, embedded):
    opened = opening(embedded, viewport=DESKTOP)
    pages = printed(opened)
    assert len(pages) <= 12
    assert "AnnexAAttribute" in pages[1]  # page 1 is one page
    assert "AnnexAAttribute" not in pages[0].replace("AAttributedisclosure", "", 1)


def test_ten_targets_three_scenarios_and_five_files_print_on_at_most_twelve_pages(
    opening, tmp_path
):
    opened = opening(large_project(tmp_path), viewport=DESKTOP)
    pages = printed(opened)
    assert len(pages) <= 12
    assert "AnnexAAttribute" in pages[1]  # page 1 is one page
    assert len({n for n in range(10) if f"question_{n}" in "".join(pages)}) == 10


@pytest.mark.parametrize("case", [example, loaded], ids=["example", "loaded"])
def test_all_that_a_project_can_declare_prints_on_at_most_twelve_pages(opening, tmp_path, case):
    opened = opening(written(case(), tmp_path), viewport=DESKTOP)
    pages = printed(opened)
    assert len(pages) <= 12
    assert "AnnexAAttribute" in pages[1]  # page 1 is one page
    assert squeezed(PAPER) in pages[1]


def large_project(folder) -> Path:
    """The report of a project as large as a usual one gets, run with the measures of `init`."""
    targets = [f"question_{n}" for n in range(10)]
    keys = {"neighbour": ["sex", "age"], "employer": ["age", "job"], "school": ["sex", "region"]}
    for name, seed in {"original": 0, **{f"synthetic_{n}": n for n in range(1, 6)}}.items():
        (folder / f"{name}.csv").write_text(people(targets, Random(seed)), encoding="utf-8")
    files = [f"synthetic_{n}.csv" for n in range(1, 6)]
    text = f'schema = 1\ntitle = "Large"\n[data]\noriginal = "original.csv"\nsynthetic = {files}\n'
    text += '[context]\naudience = "registered"\nanalyst = "A. Jones, analyst"\n'
    for name, known in keys.items():
        text += f'[[scenario]]\nname = "{name}"\nkeys = {known}\ntargets = {targets}\n'
    (folder / "project.toml").write_text(text, encoding="utf-8")
    run_project(read_project(folder))
    return write_report(read_project(folder)).report


def people(targets, random) -> str:
    levels = {"sex": 2, "age": 40, "job": 12, "region": 6, **dict.fromkeys(targets, 4)}
    rows = (
        ",".join(f"{name[0]}{random.randrange(n)}" for name, n in levels.items())
        for _ in range(600)
    )
    return "\n".join([",".join(levels), *rows]) + "\n"


def test_nothing_is_wider_than_the_paper_so_that_letters_keep_their_size(opening, path):
    opened = opening(path, viewport=SHEET)
    opened.page.emulate_media(media="print")
    wide = opened.page.evaluate(
        "[...document.querySelectorAll('table, figure')]"
        f".filter(one => one.getBoundingClientRect().right > {SHEET['width']} + 1)"
        ".map(one => one.textContent.slice(0, 80))"
    )
    assert wide == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= SHEET["width"]


def test_a_picture_that_is_wider_than_a_telephone_says_so(opening, path):
    opened = opening(path, viewport=PHONE)
    hints = opened.page.evaluate(
        "[...document.querySelectorAll('figure')].map(one => [one.scrollWidth > one.clientWidth,"
        " getComputedStyle(one, '::before').content])"
    )
    assert all("sideways" in content for is_wide, content in hints if is_wide)


def test_every_link_leads_to_something_on_the_page(opening, path):
    opened = opening(path, viewport=DESKTOP)
    lost = opened.page.evaluate(
        "[...document.querySelectorAll('a[href^=\"#\"]')]"
        ".map(one => one.getAttribute('href').slice(1))"
        ".filter(id => !document.getElementById(id))"
    )
    assert lost == []


def test_a_keyboard_reaches_every_fold_and_shows_where_it_is(opening, path):
    opened = opening(path, viewport=DESKTOP)
    unseen = opened.page.evaluate(
        "[...document.querySelectorAll('a[href], summary')].filter(one => {"
        " one.focus({focusVisible: true}); const style = getComputedStyle(one);"
        " return document.activeElement === one && style.outlineStyle === 'none';"
        "}).length"
    )
    assert unseen == 0


def squeezed(text: str) -> str:
    """Letters alone: a line on paper ends where it will, and two letters may be one sign."""
    return re.sub(r"\W+", "", normalize("NFKC", text))
