"""Do the screens of the app hold in a browser: accessible, by keyboard, without script?"""

import csv
import os
import random
import re
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress

import pytest
from click.testing import CliRunner

from app.conftest import serving
from app.conftest import wait_for as wait_until
from browser.conftest import chromium
from unveil import Project
from unveil.app.jobs import Jobs
from unveil.cli.demo import demo
from unveil.examples import KEYS, write_csv
from unveil.measure.tables.crosstab import write_workbook
from unveil.project.actions import SetSettings
from unveil.project.verify_pack import verify_pack

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
    abandoned = ("htmx:afterRequest", "htmx:sendAbort")  # a newer tick replaced the question
    assert "\n".join(one for one in opened.said if not one.startswith(abandoned)) == ""
    assert {url.split("/")[2] for url in opened.asked} == {opened.base.split("/")[2]}
    addresses = [url.partition("?")[2] for url in opened.asked if "/enter" not in url]
    assert {one for one in addresses if one.strip("stcb=&0123456789")} == set()


UNREACHED = """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")]
  .filter((one) => one.type !== "hidden" && !one.disabled && one.checkVisibility())
  .filter((one) => {
    one.focus();
    const at = one.matches(".seg input, .chip-tick input") ? one.nextElementSibling : one;
    const is_seen = getComputedStyle(at).outlineStyle !== "none";
    const bar = one.closest("#cli") ? Infinity : document.getElementById("cli").offsetTop;
    const is_covered = at.getBoundingClientRect().top + scrollY > bar - 4;
    return one.tabIndex < 0 || document.activeElement !== one || !is_seen || is_covered;
  }).map((one) => one.outerHTML.slice(0, 160))"""
"""What the keyboard does not reach, or what does not show that it has the focus."""


def test_an_app_that_has_ended_is_told(browser, project):
    """A button that nobody answers says so, and says that nothing is lost."""
    with serving(project) as app:
        page = browser.new_context().new_page()
        page.goto(app.browser.address)
        page.wait_for_url(f"{app.browser.base}/")
        page.goto(f"{app.browser.base}/decide")
        assert not page.locator("#gone").is_visible()
        app.end(signal.SIGKILL)
        page.get_by_label("Signed by: name, role").fill(OFFICER)
        page.get_by_role("button", name="Sign: limits and answers together").click()
        page.locator("#gone", has_text="The app does not answer.").wait_for()
        page.context.close()


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
        opened.page.keyboard.press("Tab")  # from here on the focus is that of a keyboard
        assert (path, opened.page.evaluate(UNREACHED)) == (path, [])
    check_everything_stayed_here(opened)


STATES = {
    "ticked": "/risk",
    "banded": "/risk/recode",
    "noise": "/synthesise",
    "refused": "/synthesise",
    "records": "/risk/records",
    "counts": "/table",
    "no counts": "/table",
    "nowhere": "/nowhere",
    "parts": "/jobs/parts",
    "job": "/jobs",
}
"""What a screen becomes once it is used, and where it begins."""


@pytest.mark.parametrize(
    "asked", [{"viewport": DESKTOP}, {"viewport": PHONE, "color_scheme": "dark"}], ids=str
)
def test_every_screen_stays_accessible_as_it_is_used(opening_app, project, asked):
    opened = opening_app(project, bypass_csp=True, **asked)
    for state, path in STATES.items():
        opened.go(path)
        use(opened, state)
        found = find_violations(opened.page)
        if found and state == "job":  # its end renews the page, which may have had no style yet
            opened.page.wait_for_load_state("load")
            found = find_violations(opened.page)
        assert (state, found) == (state, [])
        width = opened.page.evaluate("document.documentElement.scrollWidth")
        assert (state, width <= asked["viewport"]["width"]) == (state, True)


def use(opened, state):
    """What a person does on the screen; until it is answered."""
    page = opened.page
    if state == "ticked":
        page.locator("input[name=f]:not([disabled])").first.check()
        page.locator("#settled .hint", has_text="48 flags").wait_for(timeout=90_000)
    if state == "banded":
        opened.press("Try it")
        page.get_by_text("S_pMSE of age by target").wait_for(timeout=90_000)
    if state == "noise":
        page.get_by_label("Population size (N)").fill("500000")
        opened.press("Find the noise")
        page.get_by_role("slider", name="Amount of noise").wait_for()
    if state == "refused":
        page.locator("form", has_text="Add a step").get_by_label("Name, role").fill(ANALYST)
        opened.press("Record the steps")
        page.locator("#stepped .fault").wait_for()
    if state == "records":
        page.get_by_label("Name, role").fill(ANALYST)
        opened.press("Open the list")
        page.wait_for_selector(".people-at-risk table")
    if state in ("counts", "no counts"):
        page.get_by_label("Your table").fill(SHEET if state == "counts" else "a\tmany\n")
        page.wait_for_selector("#back" if state == "counts" else "#tabled .fault")
    if state == "job":
        page.get_by_label("Recompute everything").check()
        opened.press("Run")
        page.locator("progress").wait_for()
        page.wait_for_load_state("load")  # with its style sheet, on a busy machine too


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
    assert opened.wait_for_job().startswith("done")
    page.get_by_role("link", name="Check the roles").click()  # of the page as it is then
    assert page.locator(".steps small", has_text="1 scenario").count() == 1
    assert page.get_by_role("checkbox", name="age").first.is_checked()
    opened.go("/release")
    told = page.locator("form", has_text="What the public is told")
    for label, text in PUBLIC.items():
        told.get_by_label(re.compile(f"^{label}")).fill(text)  # a hint follows
    told.get_by_label("Name, role").fill(OFFICER)
    opened.press("Record it")
    wait_for(page, "Recorded.")
    measure(opened)
    project = Project.open(folder)
    assert project.runs() == (1,)
    rule_on_everything(opened)
    measure(opened)
    sign(opened)
    assert not [one for one in project.judgement().missing if one.kind != "finding"]
    decide(opened)
    opened.go("/release")
    opened.press("Build the pack")
    assert opened.wait_for_job() == "done: finished"
    opened.go("/release")
    assert "is as it was released" in page.inner_text("main")
    assert page.locator(".steps small", has_text=re.compile("^built")).count() == 1
    with page.expect_download() as taken:
        page.get_by_role("link", name="Take release_0001.zip").click()
    assert not verify_pack(taken.value.path()).faults
    assert not project.verify().faults
    check_everything_stayed_here(opened)


def measure(opened):
    opened.go("/jobs")
    opened.page.get_by_label("Name, role").fill(ANALYST)
    opened.press("Run")
    assert opened.wait_for_job().startswith("done")


def rule_on_everything(opened):
    """One ruling on all flags of the example: what is nested is settled with its value."""
    page = opened.page
    opened.go("/risk")
    page.locator("[data-all]").first.wait_for()
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    for box in page.locator("[data-all]").all():
        box.check()
    page.get_by_label("Reason").fill("Common knowledge in this region.")
    page.get_by_label("Name, role").fill(ANALYST)
    opened.press("Record the ruling")
    page.locator("#ruled .good").wait_for()


def sign(opened):
    page = opened.page
    opened.go("/decide")
    for measure, limit in (("repU", 100), ("DiSCO", 100), ("GTCAP", 1)):
        page.get_by_label(f"{measure}: limit").fill(str(limit))
        page.get_by_label(f"{measure}: review above").fill(str(0.9 * limit))
    for box in page.locator("textarea").all():
        box.fill("It was considered.")
    page.get_by_label("Signed by: name, role").fill(OFFICER)
    opened.press("Sign: limits and answers together")
    wait_for(page, "Signed: one entry in the log.")


def decide(opened):
    page = opened.page
    opened.go("/decide")
    page.get_by_role("radio", name="Release").check()
    page.get_by_label("Decided by: name, role").fill(OFFICER)
    page.get_by_label("Considerations").fill("For registered users.")
    for box in page.locator("input[name^=despite-]").all():
        box.fill("It was considered.")
    opened.press("Decide")
    wait_for(page, "Decided. The decision is kept")


def test_a_cross_table_is_pasted_read_rounded_and_taken_back_in_its_shape(opening_app, tmp_path):
    opened = opening_app(tmp_path, viewport=DESKTOP)
    page = opened.page
    opened.go("/table")
    page.get_by_label("Your table").fill(SHEET)
    page.wait_for_selector("#read")
    assert page.locator("#read td.count").count() == 12
    assert page.locator("#read td.sum").count() == 8
    page.wait_for_selector("#back")
    rows = [[cell.inner_text() for cell in row.locator("td").all()] for row in table_rows(page)]
    assert [row[0] for row in rows] == [line.split("\t")[0] for line in SHEET.splitlines()]
    for shown, line in zip(rows[1:], SHEET.splitlines()[1:], strict=True):
        true = [int(one) for one in line.split("\t")[1:]]
        assert [int(one.split()[0]) for one in shown[1:]] == [3 * round(one / 3) for one in true]
    with page.expect_download() as taken:
        opened.press("Save as .tsv")
    back = taken.value.path().read_text().splitlines()
    assert [line.split("\t") for line in back] == [[c.split("\n")[0] for c in row] for row in rows]
    page.get_by_role("radio", name="random").check()
    page.get_by_role("button", name="Draw again").wait_for()
    first = page.inner_text("#back")
    page.get_by_label("People an intruder may know").fill("8")
    page.locator("#cli-words", has_text="--sap-max-n 8").wait_for()
    assert page.inner_text("#back") == first
    assert "seed" not in page.content()
    assert list(tmp_path.rglob("*.tsv")) == []
    check_everything_stayed_here(opened)


def wait_for(page, text):
    page.locator("main .good", has_text=text).wait_for()


def table_rows(page):
    return page.locator("#back tr").all()


def test_a_workbook_is_dropped_and_a_table_that_cannot_be_read_is_refused(opening_app, tmp_path):
    opened = opening_app(tmp_path, viewport=PHONE, java_script_enabled=False)
    page = opened.page
    opened.go("/table")
    cells = [line.split("\t") for line in SHEET.splitlines()]
    numbers = [[int(one) if one.isdecimal() else one for one in row] for row in cells]
    book = {"name": "wards.xlsx", "mimeType": "", "buffer": write_workbook(numbers)}
    page.set_input_files("input[type=file]", book)
    opened.press("Check the table")
    assert page.locator("#read td.count").count() == 12
    assert page.get_by_label("Your table").input_value().splitlines()[0] == SHEET.splitlines()[0]
    page.get_by_label("Your table").fill("North\tmany\nSouth\tfew\n")
    opened.press("Check the table")
    assert page.locator("#tabled .fault").inner_text()
    assert "Traceback" not in page.content()


def test_records_at_risk_open_by_an_explicit_step_that_the_log_keeps(opening_app, project):
    opened = opening_app(project, viewport=DESKTOP)
    page = opened.page
    opened.go("/risk/records")
    assert page.locator("main table").count() == 0
    page.get_by_label("Name, role").fill(ANALYST)
    opened.press("Open the list")
    page.wait_for_selector(".people-at-risk table")
    last = Project.open(project).log()[-1]
    assert (last.event, last.by, last.subject) == ("records", ANALYST, "1")
    page.emulate_media(media="print")
    assert not page.locator(".people-at-risk").is_visible()
    opened.go("/risk/records")
    assert page.locator("main table").count() == 0
    stored = page.evaluate("[Object.keys(localStorage), Object.keys(sessionStorage)].flat()")
    assert [one for one in stored if one != "htmx-current-path-for-history"] == []
    check_everything_stayed_here(opened)


def test_by_keyboard_alone_limits_are_signed(opening_app, project):
    opened = opening_app(project, viewport=DESKTOP)
    page = opened.page
    opened.go("/decide")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    reach(page, "accept")
    page.keyboard.press("Space")
    reach(page, "by")
    page.keyboard.type(OFFICER)
    page.keyboard.press("Enter")
    wait_for(page, "Signed: one entry in the log.")
    assert Project.open(project).file.limits.accepted_by == OFFICER


def test_by_keyboard_alone_flags_are_ticked_and_ruled_on(opening_app, project):
    """j and k walk, x ticks; what changes is read out by the live region."""
    opened = opening_app(project, viewport=DESKTOP)
    page = opened.page
    opened.go("/risk")
    page.get_by_text("Disclosed correctly (DiSCO)").wait_for(timeout=90_000)
    for key in "jjkx":
        page.keyboard.press(key)
    page.locator("#say", has_text="1 ticked. condition from 44.4 % to 0.1 %.").wait_for(
        state="attached", timeout=90_000
    )
    assert page.locator("#say").get_attribute("aria-live") == "polite"
    reach(page, "reason")
    page.keyboard.type("j and k are letters here")
    reach(page, "by")
    page.keyboard.type(ANALYST)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("#ruled .good").wait_for()
    (ruling,) = Project.open(project).file.rulings
    assert (ruling.reason, ruling.by) == ("j and k are letters here", ANALYST)


def reach(page, name):
    """Walk to the field of that name by the tab key; wherever the focus is, it can be seen."""
    for _ in range(60):
        page.keyboard.press("Tab")
        here = "document.activeElement"
        beside = f"{here}.matches('.seg input, .chip-tick input')"
        shown = page.evaluate(f"getComputedStyle({here}).outlineStyle != 'none' || {beside}")
        assert shown, page.evaluate(f"{here}.outerHTML")
        if page.evaluate(f"{here}.name") == name:
            return
    raise AssertionError(f"{name} was not reached")


def test_roles_and_keys_are_changed_and_a_stale_page_is_refused(opening_app, project):
    opened, other = opening_app(project, viewport=DESKTOP), None
    page = opened.page
    opened.go("/roles")
    other = page.context.new_page()
    other.goto(f"{opened.base}/roles")
    for one, column in ((page, "region"), (other, "sex")):
        keys = one.get_by_role("group", name="neighbour")
        keys.get_by_role("checkbox", name=column).uncheck()
        one.get_by_label("Role of satisfaction").select_option("ignore")
        one.get_by_label("Name, role").fill(ANALYST)
        one.get_by_role("button", name="Record roles and keys").click()
        one.locator("#saved > p").first.wait_for()
    assert "Recorded." in page.inner_text("#saved")
    assert "Nothing was written." in other.inner_text("#saved")
    file = Project.open(project).file
    assert file.scenarios[0].keys == ("sex", "age", "settlement")
    assert file.roles.ignore == ("satisfaction",)
    assert '"income", # money in its name' in file.text


@pytest.mark.slow
def test_key_sets_noise_and_the_map_of_settings(opening_app, project):
    opened = opening_app(project, viewport=DESKTOP)
    page = opened.page
    opened.go("/roles/keysets")
    opened.press("Count the sets")
    assert opened.wait_for_job() == "done: finished"
    opened.go("/roles/keysets")
    assert "DiSCO by set of keys" in page.inner_text("main")
    assert page.locator("main svg[role=img]").count() == 1
    opened.go("/risk/recode")
    page.get_by_label("Own breaks").fill("20 40 65")
    opened.press("Try it")
    page.get_by_text("S_pMSE of age by target").wait_for(timeout=60_000)
    assert 'unveil whatif --bands "age=20,40,65"' in page.inner_text("#cli")
    opened.go("/synthesise")
    page.get_by_label("Column of numbers").select_option("age")
    page.get_by_label("Population size (N)").fill("500000")
    opened.press("Find the noise")
    page.get_by_role("slider", name="Amount of noise").wait_for()
    assert "must not be published" in page.inner_text("#noise")
    assert "at or below the threshold" in page.locator("#noise p").first.inner_text()
    slider = page.get_by_role("slider", name="Amount of noise")
    slider.fill("0")
    page.locator("#noise p", has_text="above the threshold").first.wait_for()
    slider.fill(slider.get_attribute("max"))  # no noise is no step
    page.locator("#noise p", has_text="at or below the threshold").first.wait_for()
    page.locator("#noise").get_by_label("Name, role").fill(ANALYST)
    page.get_by_role("button", name="Add noise of").click()
    wait_for(page, "Recorded as a step.")
    assert [one["do"] for one in Project.open(project).file.steps] == ["synthesise", "add_noise"]
    check_everything_stayed_here(opened)


def test_a_publication_plan_of_the_folder_is_checked(opening_app, tmp_path):
    """South, ill = yes: 13 - 12 = 1, which the sum of its row gives away."""
    counts = {("North", "yes"): 10, ("North", "no"): 20, ("South", "yes"): 1, ("South", "no"): 12}
    rows = [f"{town},{ill}\n" for (town, ill), n in counts.items() for _ in range(n)]
    (tmp_path / "people.csv").write_text("town,ill\n" + "".join(rows))
    head = 'data = "people.csv"\nthreshold = 3\n\n[[table]]\nname = "A <b>table</b>"\n'
    (tmp_path / "a_plan.toml").write_text(f'{head}by = ["town"]\n')
    more = 'by = ["town", "ill"]\npublish = "suppress:3"\nmargins = "all"\n'
    (tmp_path / "b_plan.toml").write_text(head + more)
    (tmp_path / "c_plan.toml").write_text(head.replace("people", "nobody") + more)
    before = {*tmp_path.rglob("*")}
    opened = opening_app(tmp_path, viewport=DESKTOP, bypass_csp=True)
    page = opened.page
    opened.go("/table")
    check_plan(opened, "a_plan.toml", "within your limit of 0")
    check_plan(opened, "b_plan.toml", "1 of 1 suppressed count can be worked out exactly")
    assert "shows that 1 person is in town = South, ill = yes" in page.inner_text("#planned")
    assert "A <b>table</b>" in page.inner_text("#planned")
    assert find_violations(page) == []
    check_plan(opened, "c_plan.toml", "nobody.csv")
    assert page.locator("#planned .fault").count() == 1
    made = {
        one for one in tmp_path.rglob("*") if one not in before and "confidential" not in str(one)
    }
    assert made == set()
    refused = [one for one in opened.said if "422" not in one and "Response Status" not in one]
    opened.said[:] = refused  # a browser notes every answer of that status
    check_everything_stayed_here(opened)


def check_plan(opened, name, says):
    """Choose a plan, have it checked; the command below does the same."""
    page = opened.page
    page.locator("select[name=plan]").select_option(label=name)
    opened.press("Check the plan")
    page.locator("#planned", has_text=says).wait_for()
    if "fault" not in page.inner_html("#planned"):
        command = page.inner_text("#cli-words")
        assert command == f'unveil plan {name} --limit "recovered=0" --seconds 20'


DROP = """([selector, name, bytes]) => {
  const given = new DataTransfer();
  given.items.add(new File([new Uint8Array(bytes)], name));
  const at = document.querySelector(selector);
  for (const kind of ["dragenter", "dragover", "drop"])
    at.dispatchEvent(new DragEvent(kind, {dataTransfer: given, bubbles: true, cancelable: true}));
}"""


def test_a_cross_table_is_dragged_from_a_folder_and_dropped(opening_app, tmp_path):
    opened = opening_app(tmp_path, viewport=DESKTOP)
    page = opened.page
    cells = [line.split("\t") for line in SHEET.splitlines()]
    numbers = [[int(one) if one.isdecimal() else one for one in row] for row in cells]
    book = list(write_workbook(numbers))
    opened.go("/table")
    page.evaluate(DROP, [".drop", "wards.xlsx", book])
    page.wait_for_selector("#read")
    assert page.locator("#read td.count").count() == 12
    assert page.input_value("#pasted") == SHEET
    page.get_by_role("radio", name="suppress small").check()  # its cells are in the text by now
    page.locator("#cli-words", has_text="--round suppress:3").wait_for()
    other = SHEET.replace("21\t4", "33\t7").replace("25", "40").replace("71\t11", "83\t14")
    page.evaluate(DROP, ["#pasted", "other.tsv", list(other.replace("\t86", "\t101").encode())])
    page.locator("#read", has_text="33").wait_for()
    page.evaluate(DROP, [".drop", "people.sav", [1, 2, 3]])
    page.locator(".fault", has_text="A table is read from").wait_for()
    assert list(tmp_path.rglob("*.xlsx")) == list(tmp_path.rglob("*.tsv")) == []


@pytest.fixture(scope="session")
def several(tmp_path_factory):
    """Two scenarios and three synthetic files of 500 people each, measured."""
    folder = tmp_path_factory.mktemp("several") / "survey"
    folder.mkdir()
    write_csv(folder)
    whole = (folder / "survey_synthetic.csv").read_text().splitlines(keepends=True)
    names = [folder / f"copy_{n}.csv" for n in (1, 2, 3)]
    for n, place in enumerate(names):
        place.write_text("".join([whole[0], *whole[1 + 500 * n : 501 + 500 * n]]))
    (folder / "survey_synthetic.csv").unlink()
    people = (folder / "survey.csv").read_text().splitlines(keepends=True)
    (folder / "survey.csv").write_text("".join(people[:501]))
    made = {"folder": folder, "synthetic": names, "keys": KEYS, "by": ANALYST}
    project = Project.create(folder / "survey.csv", **made)
    scenario = 'scenario+={name = "colleague", keys = ["sex", "education"]}'
    SetSettings(settings=(scenario,), by=ANALYST).do_in(folder)
    project.run(seed=1)
    return folder


def count_claims(folder, name, keys, target):
    """By value the people for whom a file shows it, and those of them who have it: by hand."""
    sides = []
    for one in ("survey.csv", name):
        with (folder / one).open(newline="") as file:
            sides.append([tuple(row[c] for c in (*keys, target)) for row in csv.DictReader(file)])
    shown = {}
    for *key, value in sides[1]:
        shown.setdefault(tuple(key), set()).add(value)
    found = {}
    for *key, value in sides[0]:
        claims = shown.get(tuple(key), ())
        if len(claims) == 1:
            (claim,) = claims
            was = found.get(claim, (0, 0))
            found[claim] = (was[0] + 1, was[1] + (value == claim))
    return found


def test_each_scenario_and_each_file_is_asked_for_by_itself(opening_app, several, tmp_path):
    folder = shutil.copytree(several, tmp_path / "survey")
    opened = opening_app(folder, viewport=DESKTOP)
    page = opened.page
    opened.go("/data")
    assert page.get_by_role("link", name="Codebook of").count() == 4
    opened.go("/risk")
    page.get_by_role("navigation", name="Scenario").get_by_role("link", name="colleague").click()
    assert [one.inner_text() for one in page.locator("main .chip").all()] == ["sex", "education"]
    page.get_by_role("link", name="By value").click()  # the scenario goes along
    page.get_by_role("navigation", name="Target").get_by_role("link", name="condition").click()
    page.get_by_role("navigation", name="Synthetic file").get_by_role("link").nth(2).click()
    chosen = page.locator(".pills [aria-current]").all_inner_texts()
    assert chosen[:2] == ["colleague", "condition"]
    assert "3" in chosen[2]
    expected = count_claims(folder, "copy_3.csv", ("sex", "education"), "condition")
    rows = page.locator("main table tbody tr").all()
    shown = {one.locator("th, td").first.inner_text(): one.inner_text() for one in rows}
    assert expected
    for value, (claimed, right) in expected.items():
        assert f"{right:,}" in shown[value].replace("\u202f", ","), (value, claimed, shown)
    page.get_by_role("link", name="Recode").click()
    page.get_by_label("Key").select_option("sex")
    opened.press("Try it")
    page.locator("#recoded .fault").wait_for()  # sex is no number
    opened.go("/risk/records")
    page.get_by_label("About").select_option("condition (colleague)")
    page.get_by_label("Name, role").fill(ANALYST)
    opened.press("Open the list")
    page.wait_for_selector(".people-at-risk")
    opened.go("/roles/keysets?s=1")
    ticked = page.locator("input[name=key]:checked + span").all_inner_texts()
    assert sorted(ticked) == ["education", "sex"]
    opened.go("/release")
    assert page.locator(".out b", has_text="FAKE_copy_").count() == 3
    opened.go("/synthesise")
    assert page.get_by_label("Synthetic file").locator("option").count() == 3


@contextmanager
def mortal(browser, folder):
    """A browser in a process group of its own, which can be killed, in the place of the shared."""
    words = (chromium(), "--headless", "--no-sandbox", "--remote-debugging-port=0")
    own = subprocess.Popen(
        [*words, f"--user-data-dir={folder}", "--disable-gpu", "about:blank"],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    place = folder / "DevToolsActivePort"

    def kill():
        with suppress(ProcessLookupError):
            os.killpg(own.pid, signal.SIGKILL)
        own.wait()

    try:
        wait_until(lambda: place.exists() and place.read_text().count("\n"))
        port = place.read_text().splitlines()[0]
        opened = browser.browser_type.connect_over_cdp(f"http://127.0.0.1:{port}")
        yield opened.contexts[0].pages[0], kill
    finally:
        kill()


@pytest.mark.slow
def test_a_browser_killed_at_any_moment_loses_nothing(browser, project, tmp_path):
    """What was sent is whole or not there; a job goes on; the next browser sees it."""
    rng, ruled = random.Random(31), 0
    for n in range(4):
        with serving(project) as app, mortal(browser, tmp_path / f"{n}") as (page, kill):
            page.goto(app.browser.address)
            page.wait_for_url(f"{app.browser.base}/")
            page.goto(f"{app.browser.base}/risk")
            page.locator("input[name=f]:not([disabled])").first.check()
            page.get_by_label("Reason").fill("known")
            page.get_by_label("Name, role").fill(ANALYST)
            page.evaluate("document.querySelector('[formaction=\"/risk/rule\"]').click()")
            time.sleep(rng.uniform(0, 0.6))
            kill()
        found = Project.open(project)
        assert len(found.file.rulings) in (ruled, ruled + 1)
        assert found.verify().faults == ()
        ruled = len(found.file.rulings)
    with serving(project) as app, mortal(browser, tmp_path / "job") as (page, kill):
        page.goto(app.browser.address)
        page.wait_for_url(f"{app.browser.base}/")
        page.goto(f"{app.browser.base}/jobs")
        page.locator("main").get_by_role("button", name="Run", exact=True).click()
        page.wait_for_url("**/jobs")
        wait_until(lambda: Jobs(project).list())
        kill()
        wait_until(lambda: not Jobs(project).list()[0].is_under_way, 240)
    assert Jobs(project).list()[0].state == "done"
    with serving(project) as app:
        assert "Done" in app.browser.enter().get("/jobs")[2]
    assert Project.open(project).verify().faults == ()
