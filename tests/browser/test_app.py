"""Do the screens of the app hold in a browser: accessible, by keyboard, without script?"""

import shutil

import pytest
from click.testing import CliRunner

from unveil import Project
from unveil.cli.demo import demo

pytestmark = [pytest.mark.browser, pytest.mark.app]

DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
ZOOMED = {"width": 640, "height": 450}  # 1280 by 900 at 200 %
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
PAGES = (
    *("/", "/data", "/data/file/0", "/data/file/1", "/roles", "/roles/keysets", "/synthesise"),
    *("/risk", "/risk/values", "/risk/values?t=3", "/risk/recode", "/risk/records", "/utility"),
    *("/decide", "/release", "/table", "/membership", "/jobs"),
)
ANALYST, OFFICER = "Ann Bell, analyst", "Bo Smith, data protection"
PUBLIC = {"Licence": "CC BY 4.0", "Contact": "the data desk", "Method": "Trees, column by column."}
PUBLIC |= {"Noise": "No noise was added."}
SHEET = """Ward / diagnosis\tAsthma\tDiabetes\tEpilepsy\tTotal
North\t21\t4\t0\t25
South\t13\t2\t1\t16
East\t7\t0\t2\t9
West\t30\t5\t1\t36
Total\t71\t11\t4\t86
"""


@pytest.fixture
def project(example_project, tmp_path):
    return shutil.copytree(example_project, tmp_path / "survey")


def find_violations(page):
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    found = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    assert len(found.response["passes"]) > 15
    return [
        (one["id"], one["help"], [node["html"][:160] for node in one["nodes"][:3]])
        for one in found.response["violations"]
    ]


def check_everything_stayed_here(opened):
    assert opened.said == []
    assert {url.split("/")[2] for url in opened.asked} == {opened.base.split("/")[2]}
    addresses = [url.partition("?")[2] for url in opened.asked if "/enter" not in url]
    assert {one for one in addresses if one.strip("stcb=&0123456789")} == set()


@pytest.mark.parametrize(
    "asked",
    [
        {"viewport": DESKTOP},
        {"viewport": DESKTOP, "color_scheme": "dark"},
        {"viewport": DESKTOP, "forced_colors": "active"},
        {"viewport": PHONE},
        {"viewport": PHONE, "color_scheme": "dark"},
        {"viewport": ZOOMED, "device_scale_factor": 2},
    ],
    ids=["desktop", "dark", "forced", "phone", "dark phone", "200 %"],
)
def test_every_screen_is_accessible_and_fits(opening_app, example_project, asked):
    opened = opening_app(example_project, bypass_csp=True, **asked)
    for path in PAGES:
        assert opened.go(path).status == 200, path
        opened.page.wait_for_selector("h1")
        assert (path, find_violations(opened.page)) == (path, [])
        width = opened.page.evaluate("document.documentElement.scrollWidth")
        assert (path, width <= asked["viewport"]["width"]) == (path, True)
    check_everything_stayed_here(opened)


def test_without_script_every_screen_reads_and_every_form_posts(opening_app, example_project):
    opened = opening_app(example_project, java_script_enabled=False)
    for path in PAGES:
        assert opened.go(path).status in (200, 202), path
        for form in opened.page.locator("form").all():
            assert form.get_attribute("action"), path
            assert form.get_attribute("method") == "post", path
            assert form.locator("button:not([type=button])").count(), path
        assert "Not tested" in opened.page.inner_text(".side")
        assert "Alerts" in opened.page.inner_text(".side")
    assert "style=" not in opened.page.content()


def test_an_empty_folder_reads_on_every_screen(opening_app, tmp_path):
    opened = opening_app(tmp_path, viewport=PHONE, bypass_csp=True)
    for path in (one for one in PAGES if "file" not in one):
        assert opened.go(path).status == 200, path
        assert (path, find_violations(opened.page)) == (path, [])
        width = opened.page.evaluate("document.documentElement.scrollWidth")
        assert (path, width <= PHONE["width"]) == (path, True)
    check_everything_stayed_here(opened)


@pytest.mark.slow
def test_from_an_empty_folder_to_a_decision_and_a_pack(opening_app, tmp_path):
    CliRunner().invoke(demo, ["--files", str(tmp_path / "work")], catch_exceptions=False)
    opened = opening_app(tmp_path / "work", viewport=DESKTOP)
    page, folder = opened.page, opened.folder
    opened.go("/data")
    page.get_by_label("survey.csv: use it as").select_option("original")
    page.get_by_label("survey_synthetic.csv: use it as").select_option("synthetic")
    page.get_by_label("Analyst: name, role").fill(ANALYST)
    opened.press("Propose a project")
    page.wait_for_url("**/jobs")
    assert opened.wait_for_job().startswith("done")
    opened.go("/roles")
    assert page.get_by_role("checkbox", name="age").first.is_checked()
    measure(opened)
    project = Project.open(folder)
    assert project.runs() == (1,)
    rule_on_everything(opened)
    measure(opened)
    sign(opened)
    assert not [one for one in project.judgement().missing if one.kind != "finding"]
    decide(opened)
    opened.go("/release")
    for label, text in (
        ("Licence", "CC BY 4.0"),
        ("Contact", "desk@example.org"),
        ("Method", "Trees"),
    ):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_label("Noise", exact=True).fill("No noise was added.")
    page.locator("form", has_text="What the public is told").get_by_label("Name, role").fill(
        OFFICER
    )
    opened.press("Record it")
    page.get_by_text("Recorded.", exact=True).wait_for()


def measure(opened):
    opened.go("/jobs")
    opened.page.get_by_label("Name, role").fill(ANALYST)
    opened.press("Run")
    assert opened.wait_for_job().startswith("done")


def rule_on_everything(opened):
    """One ruling on all flags of the example, on its own page or by the project."""
    project = Project.open(opened.folder)
    with project.edit(by=ANALYST) as change:
        for target in dict.fromkeys(one.target for one in project.judgement().findings):
            change.rule_target(target, accept=True, reason="Common knowledge in this region.")


def sign(opened):
    page = opened.page
    opened.go("/decide")
    for box in page.locator("input[name^=limit-]").all():
        box.fill("100")
    for box in page.locator("input[name^=review-]").all():
        box.fill("90")
    for box in page.locator("textarea").all():
        box.fill("It was considered.")
    page.get_by_label("Signed by: name, role").fill(OFFICER)
    opened.press("Sign: limits and answers together")
    page.get_by_text("Signed: one entry in the log.").wait_for()


def decide(opened):
    page = opened.page
    opened.go("/decide")
    page.get_by_text("Release", exact=True).click()
    page.get_by_label("Decided by: name, role").fill(OFFICER)
    page.get_by_label("Considerations").fill("For registered users.")
    for box in page.locator("input[name^=despite-]").all():
        box.fill("It was considered.")
    opened.press("Decide")
    page.get_by_text("Decided. The decision is kept").wait_for()
