"""A labelled SPSS file through the whole desk: none of its labels is in the log."""

import msgspec
import pytest

import unveil
from project_cases import ANALYST, OFFICER
from unveil.examples import labelled_survey, survey_synthetic_codes

LABEL, REASON, NOTE, FILE = (
    "canarylabel4711",
    "canaryreason4711",
    "canarynote4711",
    "canaryfile4711",
)
COLUMNS = ["sex", "age", "settlement", "marital", "condition"]


def with_canaries(book):
    def marked(variable):
        levels = tuple(
            msgspec.structs.replace(level, label=f"{LABEL} {level.label}")
            for level in variable.levels
        )
        return msgspec.structs.replace(variable, label=f"{LABEL} {variable.label}", levels=levels)

    kept = tuple(marked(one) for one in book.variables if one.name in COLUMNS)
    return msgspec.structs.replace(book, variables=kept)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("labelled")
    survey = labelled_survey()
    book = with_canaries(survey.codebook)
    rows = survey.frame.select(COLUMNS).head(800)
    copied = survey_synthetic_codes().select(COLUMNS).head(800)
    unveil.write_file(unveil.Labelled(rows, book), folder / f"{FILE}.sav", fake=False)
    copy = unveil.write_file(unveil.Labelled(copied, book), folder / "copy.sav")
    made = unveil.Project.create(
        folder / f"{FILE}.sav", folder=folder, synthetic=[copy.path], by=ANALYST
    )
    made.run(seed=1)
    made.accept_limits(by=OFFICER)
    finding = made.judgement().findings[0]
    assert LABEL in finding.sentence  # labels do reach what people read
    made.rule(finding.id, accept=True, reason=REASON, by=ANALYST)
    made.whatif("missing-targets", keep=True, reason=REASON, by=ANALYST)
    made.run()
    made.decide(release=False, by=OFFICER, note=NOTE)
    made.report()
    made.synthesise(seed=1)
    return made


@pytest.mark.slow
def test_every_command_that_logs_was_driven(project):
    events = {line.event for line in project.log()}
    assert events >= {"init", "run", "limits", "ruling", "exclude", "decision", "report"}
    assert "synthesise" in events
    assert project.verify().faults == ()


@pytest.mark.slow
@pytest.mark.parametrize("canary", [LABEL, REASON, NOTE, FILE])
def test_no_canary_is_in_the_log(project, canary):
    assert canary not in (project.folder / "log.jsonl").read_text(encoding="utf-8")
