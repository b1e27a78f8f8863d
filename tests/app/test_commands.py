"""Every form that writes, in one story from a bare folder to a decision: the command that its page
shows, typed in a shell in a twin of the folder, makes the same files byte for byte.

Left out of the comparison, and nothing else: times and what is hashed over them (`TIMES`), the
seeds that the system draws for the steps of a protection, and the app's own notes. The seed of the
project and that of an exploration are carried over to the twin before it draws one of its own.
"""

import json
import re
import shlex
import shutil
from importlib import import_module
from io import BytesIO
from itertools import islice
from zipfile import ZipFile

import pytest

from app.conftest import files_in, serving, wait_for
from app.test_actions import (
    ANSWERS,
    HOSTILE,
    actions,
    open_twin,
    shown_command,
    type_in,
    without_times,
)
from unveil.assessment.limits import limits_of
from unveil.examples import write_csv
from unveil.project import actions as of
from unveil.project.project import Project

pytestmark = pytest.mark.app
ANALYST, OFFICER = "Ann Bell, analyst", "Bo Smith, data protection"
OWNER = "Cy Ford, custodian"  # neither ran nor ruled: a second person must decide
WRITES_NOTHING = {
    *("/risk/whatif", "/risk/settle", "/risk/recode/try", "/synthesise/noise"),
    *("/table", "/table/live", "/table/again", "/table/file", "/table/plan"),
    *("/jobs/{number}/resume", "/jobs/{number}/cancel"),  # see test_survives
}
SEED, EXPLORED = "confidential/seed.json", "confidential/explore_*/exploration.json"
DOES = {
    "/data/start": of.InitProject,
    "/data/fix": of.SetSettings,
    "/data/confirm": of.AcceptAlert,
    "/data/file/{number}/codes": of.SetSettings,
    "/roles/save": of.SetSettings,
    "/roles/keysets/explore": of.MeasureKeySets,
    "/synthesise/make": of.SynthesiseCopies,
    "/synthesise/protect": of.ProtectCopies,
    "/synthesise/steps": of.SetSettings,
    "/synthesise/explore": of.ExploreSettings,
    "/synthesise/noise/use": of.SetSettings,
    "/risk/rule": of.RuleOnFlags,
    "/risk/records/open": of.OpenRecords,
    "/decide/sign": of.Sign,
    "/decide/people": of.SetSettings,
    "/decide/decide": of.Decide,
    "/release/build": of.BuildPack,
    "/release/describe": of.SetSettings,
    "/membership/declare": of.SetSettings,
    "/jobs/run": of.RunMeasures,
}
"""What each form that writes does."""
TOLD = ("title", "description", "licence", "contact", "publisher", "method", "noise")


class Twins:
    """A folder that pages change, and one that the commands change."""

    def __init__(self, folder):
        self.folder, self.twin = folder, open_twin(folder)
        self.pressed = set()

    def press(self, path, route=None, before=None, **fields):
        """Send a form, wait for its job, type the command in the twin, compare."""
        was = contents(self.folder)
        status, _, page = self.browser.post(path, {"mark": self.browser.mark(), **fields})
        assert status in (200, 303), page.partition("<main")[2]
        if status == 303:
            job = wait_for(self._ended, 180)
            assert (job.state, job.what) == ("done", "finished")
            page = self.browser.get("/jobs")[2]
        self.command = command = shown_command(page)
        if before is not None:
            before()
        type_in(self.twin, command)
        assert contents(self.folder) == contents(self.twin), command
        assert command.split()[1] == DOES[route or path].name
        self.pressed.add(route or path)
        return contents(self.folder) != was

    def write(self, path, **fields):
        """Send a form that changes something."""
        assert self.press(path, **fields), path

    def both(self, do):
        """What a page has no form for."""
        for one in (self.folder, self.twin):
            do(one)

    def carry(self, name):
        """A file with a seed, so that the twin draws no other."""
        (place,) = self.folder.glob(name)
        to = self.twin / place.relative_to(self.folder)
        to.parent.mkdir(exist_ok=True, mode=0o700)
        shutil.copy2(place, to)

    def _ended(self):
        from unveil.app.jobs import Jobs

        job = Jobs(self.folder).list()[0]
        return None if job.is_under_way else job


DRAWN = re.compile(r'"(seed|recode|distance_filter|add_noise|sweep)": \d+')


TIMED = re.compile(rb"[0-9a-f]{64}(?=  (decision|ro-crate-metadata)\.json\n)")
"""Hashes over the two members of a pack that say when it was decided."""


def contents(folder):
    """Files without times; of a pack, what is in it."""
    found = without_times(dict(unpacked(files_in(folder))))
    for name in found:
        if name.endswith("protection.json"):
            found[name] = DRAWN.sub(r'"\1"', found[name])
        if name.endswith("MANIFEST.sha256"):
            found[name] = TIMED.sub(b"", found[name])
    return found


def unpacked(files):
    """Each file, and each member of a pack in its place."""
    for name, content in files.items():
        if name.endswith(".zip"):
            with ZipFile(BytesIO(content)) as pack:
                yield from ((f"{name}/{one}", pack.read(one)) for one in pack.namelist())
        else:
            yield name, content


@pytest.fixture
def bare(tmp_path):
    """The first people of the example, with a code for missing and a column that is text."""
    folder = tmp_path / "work"
    folder.mkdir()
    write_csv(folder)
    for name, at in (("survey.csv", 0), ("survey_synthetic.csv", 1)):
        with (folder / name).open() as file:
            rows = [line.rstrip("\n").split(",") for line in islice(file, 601)]
        income = rows[0].index("income")
        for n, row in enumerate(rows[1:]):
            row[income] = "-8" if n % 20 == 0 else row[income]
            row.append(f"{n % 7}{'' if at == 0 else ' h'}")
        rows[0].append("hours")
        (folder / name).write_text("".join(",".join(row) + "\n" for row in rows))
    return folder


def test_every_form_and_every_action_has_a_case():
    """Another form, or another kind of action, needs a case here or in test_actions."""
    from unveil.app.server import PAGES

    modules = [import_module(f"unveil.app.pages.{name}") for name in PAGES]
    routes = [one for module in modules for one in module.ROUTES if "POST" in one.methods]
    assert {one.path for one in routes} == {*DOES} | WRITES_NOTHING
    tried = {*DOES.values(), *(type(one) for one in actions().values())}
    assert {one for one in of._kinds(of.Action) if one.name} == tried


@pytest.mark.slow
def test_every_form_does_what_its_command_does(bare):
    twins = Twins(bare)
    with serving(bare) as app:
        twins.browser = app.browser.enter()
        start(twins)
        make(twins)
        measure(twins)
        release(twins)
        change(twins)
    assert twins.pressed == {*DOES}


def start(twins):
    """A project, and what is said about its files."""
    files = {"file": ["survey.csv", "survey_synthetic.csv"], "role-0": "original"}
    files |= {"role-1": "synthetic", "template": ["0", "1"]}
    twins.write("/data/start", **files, audience="registered", title=HOSTILE, by=ANALYST)
    assert Project(twins.folder).file.title == HOSTILE
    of_file = "/data/file/{number}/codes"
    twins.write("/data/file/1/codes", route=of_file, code="0", by=ANALYST)
    told = {name: f"{name} -- {HOSTILE}" for name in TOLD}
    twins.write("/release/describe", **told | {"description": ""}, by=OFFICER)
    run(twins)
    twins.write("/data/confirm", alert="0", reason=HOSTILE, by=OFFICER)
    twins.write("/data/fix", fix="0", by=ANALYST)


def run(twins, **fields):
    twins.write("/jobs/run", by=ANALYST, before=lambda: twins.carry(SEED), **fields)


def make(twins):
    """Other synthetic data, and settings that were tried."""
    columns = [*Project(twins.folder).file.roles.key, *Project(twins.folder).file.roles.target]
    hours = {f"role-{columns.index('hours')}": "ignore"}
    scenario = {"new-name": "it's -- <b> é", "keys-new": ["1", "3"]}
    twins.write("/roles/save", **hours, **scenario, by=ANALYST)
    settings = ("synthesis.seed=7", 'protect.step+={do = "synthesise"}')
    twins.both(of.SetSettings(settings=settings, by=ANALYST).do_in)
    twins.write("/synthesise/make", method="0", copies="2", min_leaf="20")
    twins.write("/synthesise/protect")
    twins.write("/synthesise/make", method="2", copies="", min_leaf="")
    asked = {"methods": ["0", "2"], "leaf-0": "50"}
    twins.write("/synthesise/explore", **asked, before=lambda: twins.carry(EXPLORED))
    check_answer(twins, of.ExploreSettings.FILE)
    twins.press("/roles/keysets/explore", key=["0", "1", "3"], at_most="2", s="0")
    (kept,) = (twins.folder / "confidential/app").glob("keysets_*.json")
    check_answer(twins, kept.name)


def check_answer(twins, name):
    """What a page shows of files alone, the command prints; it writes nothing more."""
    kept = json.loads((twins.folder / "confidential/app" / name).read_bytes())
    program, what, *options = shlex.split(twins.command)
    told = type_in(twins.twin, shlex.join([program, what, "--json", *options])).stdout
    assert json.loads(told) == kept


def measure(twins):
    """A run, rulings, and who looked at records."""
    run(twins, again="yes")
    flags = [str(n) for n in range(len(Project(twins.folder).judgement().findings))]
    assert len(flags) > 2
    twins.write("/risk/rule", f=flags[:1], accept="yes", reason=HOSTILE, by=ANALYST)
    twins.write("/risk/rule", f=flags[1:], accept="no", reason="-- rare", by=ANALYST)
    run(twins)
    twins.write("/risk/records/open", about="0", by=OFFICER)


def release(twins):
    """Limits and answers, and a decision."""
    project = Project(twins.folder)
    limits = {
        f"{name}-{n}": "1" if one.measure in ("GTCAP", "SAP") else "100"
        for n, one in enumerate(limits_of(project.file.limits.values))
        for name in ("limit", "review")
    }
    answers = {f"answer-{name}": f"{HOSTILE} = {name}" for name in ANSWERS}
    twins.write("/decide/people", four_eyes="1", audience="closed", analyst=HOSTILE, by=OFFICER)
    twins.write("/decide/sign", accept="1", **limits, **answers, by=OFFICER)
    despite = {f"despite-{n}": HOSTILE for n in range(20)}
    twins.write("/decide/decide", decision="release", note=HOSTILE, **despite, by=OWNER)
    twins.write("/release/build")


def change(twins):
    """What the next files and the next run would be made with."""
    age = [*Project(twins.folder).file.roles.key].index("age")
    twins.write("/synthesise/noise/use", column=age, sigma="0.5", discrete="1", by=ANALYST)
    twins.write("/synthesise/steps", do="0", column=age, value="20 40 65", by=ANALYST)
    twins.write("/synthesise/steps", do="3", gone="0", by=ANALYST)
    steps = [one["do"] for one in Project(twins.folder).file.steps]
    assert steps == ["synthesise", "distance_filter", "add_noise"]
    twins.write("/membership/declare", people="3", worlds="500", by=ANALYST)
