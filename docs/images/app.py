"""Make the pictures of the app again: every screen on the embedded example, as it is seen.

Needs the extras `app` and `browser`, a chromium, and pillow to make the pictures small:
python docs/images/app.py [NAME ...]
"""

import re
import shutil
import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from make import ANSWERS, BY
from PIL import Image
from playwright.sync_api import Page, sync_playwright

import unveil
from unveil.examples import KEYS, write_csv
from unveil.project.actions import ExploreSettings, MeasureKeySets

HOME = Path(__file__).with_name("app")
WIDTHS, HIGHEST, COLOURS = (1280, 390), 1500, 48
PAGES = {
    "overview": "/",
    "data": "/data",
    "codebook": "/data/file/0",
    "roles": "/roles",
    "keysets": "/roles/keysets",
    "synthesise": "/synthesise",
    "noise": "/synthesise",
    "flags": "/risk",
    "values": "/risk/values",
    "recode": "/risk/recode",
    "records": "/risk/records",
    "utility": "/utility",
    "signoff": "/decide",
    "release": "/release",
    "table": "/table",
    "membership": "/membership",
    "jobs": "/jobs",
}
SHEET = (
    "Ward / diagnosis\tAsthma\tDiabetes\tEpilepsy\tTotal\nNorth\t21\t4\t0\t25\n"
    "South\t13\t2\t1\t16\n"
    "East\t7\t0\t2\t9\nWest\t30\t5\t1\t36\nTotal\t71\t11\t4\t86\n"
)


def main(names: list[str]) -> None:
    """Serve a project that was measured, and draw its screens; and the first of an empty folder."""
    HOME.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
        start, project = Path(place) / "start", Path(place) / "survey"
        for folder in (start, project):
            folder.mkdir()
            write_csv(folder)
        if not names or "start" in names:
            draw(browser, start, {"start": "/data"})
        wanted = {one: path for one, path in PAGES.items() if not names or one in names}
        if wanted:
            measured(project)
            draw(browser, project, wanted)
        browser.close()


def measured(folder: Path) -> None:
    """A project whose limits are accepted, with key sets and settings that were tried."""
    project = unveil.Project.create(
        folder / "survey.csv",
        folder=folder,
        synthetic=[folder / "survey_synthetic.csv"],
        keys=KEYS,
        by=BY,
    )
    project.accept_limits(by=BY)
    for factor, answer in list(ANSWERS.items())[:3]:
        project.answer(factor, answer, by=BY)
    project.run(seed=1)
    file = project.file
    MeasureKeySets.of(file, file.scenarios[0]).do(file)
    ExploreSettings.of(file, file.scenarios[0], min_leaf=(5, 50), copies=1).do(file)


def draw(browser: object, folder: Path, pages: dict[str, str]) -> None:
    """Each page at each width, its head and as much below it as fits."""
    command = [sys.executable, "-m", "unveil", "app", str(folder), "--no-open"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        try:
            address = re.search(r"http://\S+", server.stderr.readline())[0]
            page = browser.new_context().new_page()
            page.goto(address)
            page.wait_for_url(address.split("/enter")[0] + "/")
            for name, path in pages.items():
                for width in WIDTHS:
                    page.set_viewport_size({"width": width, "height": 900})
                    page.goto(address.split("/enter")[0] + path)
                    fill(page, name)
                    page.evaluate("document.activeElement.blur()")
                    height = page.evaluate("document.querySelector('main').scrollHeight")
                    beside = page.evaluate("document.querySelector('.side').scrollHeight")
                    high = max(height, beside) if width > 800 else height + beside
                    page.set_viewport_size({"width": width, "height": min(high + 60, HIGHEST)})
                    page.wait_for_timeout(300)
                    save(page, HOME / f"{name}_{width}.png")
        finally:
            server.terminate()


def fill(page: Page, name: str) -> None:
    """What a person would have typed."""
    if name == "table":
        page.get_by_label("Your table").fill(SHEET)
        page.wait_for_selector("#back")
    if name == "recode":
        page.get_by_label("Own breaks").fill("20 40 65")
        page.get_by_role("button", name="Try it").click()
        page.get_by_text("S_pMSE of age by target").wait_for(timeout=90_000)
    if name == "flags":
        page.locator("#live svg").wait_for(timeout=90_000)
        page.locator("input[name=f]:not([disabled])").first.check()
        page.get_by_text("Disclosed correctly, as ticked").wait_for(timeout=90_000)
    if name == "jobs" and not page.locator("main progress").count():
        page.get_by_label("Recompute everything").check()
        page.locator("main").get_by_role("button", name="Run", exact=True).click()
        page.get_by_text("left").first.wait_for(timeout=90_000)
    if name == "noise":
        page.get_by_label("Column of numbers").select_option("income")
        page.locator("input[name=population]").fill("lognormal(7.3, 0.7)")
        page.get_by_label("Population size (N)").fill("500000")
        page.get_by_label("whole numbers").check()
        page.get_by_role("button", name="Find the noise").click()
        page.get_by_role("slider", name="Amount of noise").wait_for(timeout=180_000)


def save(page: Page, place: Path) -> None:
    """The picture with few colours: screens have no more, and the file is a third."""
    picture = Image.open(BytesIO(page.screenshot())).convert("RGB")
    picture.quantize(COLOURS, dither=Image.Dither.NONE).save(place, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
