"""Make the pictures of this folder again: the real report of the embedded example, as it is seen.

Needs the extra `browser` and a chromium:  python docs/images/make.py
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

import unveil
from unveil.examples import KEYS, write_csv

BY = "A. Reader, data custodian"
VIEWS = {
    "report-desktop": {"viewport": {"width": 1100, "height": 1500}},
    "report-phone": {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2},
    "report-dark": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
}
PAPER = {"width": 794, "height": 1123}  # A4 at 96 dots to the inch
ANSWERS = {
    "release_context": "Researchers who signed the archive's agreement.",
    "taken_for_real": "No: every file says that it is fake.",
    "other_sources": "A register of voters with sex, age and region.",
    "intruder_knowledge": "What neighbours know: sex, age, region and settlement.",
    "method_released": "The class of method in one sentence.",
}


def main() -> None:
    """Go through a project, and draw every view of its report into this folder."""
    with tempfile.TemporaryDirectory() as place:
        report = reported(Path(place))
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=shutil.which("chromium"))
            for name, asked in VIEWS.items():
                page = browser.new_context(offline=True, **asked).new_page()
                page.goto(report.as_uri())
                page.screenshot(path=Path(__file__).with_name(f"{name}.png"))
            page = browser.new_context(offline=True, viewport=PAPER).new_page()
            page.goto(report.as_uri())
            page.emulate_media(media="print")
            page.screenshot(path=Path(__file__).with_name("report-print.png"))
            browser.close()


def reported(folder: Path) -> Path:
    """The report of a project on the embedded example, limits accepted and questions answered."""
    original, copy = write_csv(folder)
    project = unveil.Project.create(
        original, folder=folder, synthetic=[copy], keys=KEYS, title="Invented people", by=BY
    )
    project.accept_limits(by=BY)
    for factor, answer in ANSWERS.items():
        project.answer(factor, answer, by=BY)
    project.run(seed=1)
    return project.report().report


if __name__ == "__main__":
    main()
