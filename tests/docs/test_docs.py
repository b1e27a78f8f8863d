"""Do the pages say what unveil does? Every symbol, link, command and figure in them is checked."""

import doctest
import re
import shlex
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import click
import polars as pl
import pytest

import unveil
from golden.published import N_FIGURES
from unveil.cli import main
from unveil.cli.commands import COMMANDS, Commands
from unveil.measure.disclosure import attribute, identity
from unveil.measure.disclosure.measures import CATALOGUE
from unveil.records.attacks import (
    AttackRow,
    AttackRun,
    Attacks,
    ClosestRow,
    CopyAttacks,
    Membership,
    MembershipRow,
)
from unveil.records.base import Record
from unveil.records.cap import (
    Cap,
    CapNotMeasured,
    CapRow,
    Gcap,
    GcapRow,
    Gtcap,
    GtcapBin,
    GtcapCopy,
    KeySet,
    Method,
    OnM,
    Radius,
    Tcap,
    TcapNotMeasured,
    TcapRow,
    Tolerance,
    UniqueScore,
)
from unveil.records.codebook import (
    Codebook,
    CodebookDifferences,
    ColumnContents,
    DescribedFile,
    Difference,
    Level,
    MissingRange,
    Variable,
)
from unveil.records.comparison import (
    AssociationChange,
    AssociationRow,
    Comparison,
    Density,
    DistanceRow,
    Distribution,
    Histogram,
    LevelCount,
)
from unveil.records.count_tables import (
    Audit,
    AuditedValue,
    BandRow,
    Bounds,
    CellBounds,
    RoundedRow,
    RoundedTable,
    RoundingComparison,
    Sap,
    SapChance,
    SapDepth,
    SapLesson,
    SapTaught,
    SapTaughtVariable,
    SchemeRow,
    SchemeSummary,
)
from unveil.records.differential import (
    ConfidentialityRow,
    DifferentialConfidentiality,
    NotMeasuredAt,
    Split,
)
from unveil.records.disclosure import (
    AttributeRow,
    BandedColumn,
    Checks,
    Disclosure,
    Excess,
    ExcessRow,
    ExclusionColumn,
    ExclusionTable,
    ExclusionTableRow,
    Flag,
    IdentityRow,
    PeopleFigures,
    PeopleRow,
)
from unveil.records.exclusions import Effect, ExcludedCount, ExcludedIdentity
from unveil.records.exploration import Exploration, ExplorationCopy, ExplorationRow
from unveil.records.judgement import (
    Decision,
    DisclosureStep,
    ExplainedFlag,
    ExplainedScenario,
    Explanation,
    FigureRow,
    Judgement,
    Limit,
    LimitCheck,
    LogCheck,
    LogFault,
    LogLine,
    WhatIf,
    WhatIfRow,
    WhatIfScenario,
)
from unveil.records.judgement import FlagRuling as RuledFinding
from unveil.records.judgement import Outstanding as StillToSay
from unveil.records.limits import SapVerdict
from unveil.records.noise import (
    Bin,
    CurveRow,
    DiscreteEcap,
    Displacement,
    Ecap,
    LevelEcap,
    Noise,
    NoiseChoice,
    NoisedColumn,
    NotNeeded,
    NumberSummary,
    SensitivityRow,
)
from unveil.records.pack import MoreReleased, Pack, PackCheck, PackMember, PackVerification
from unveil.records.person import PeopleByKeys, PersonColumn
from unveil.records.protection import (
    ConfidentialProtection,
    DistanceFilter,
    FakeMarks,
    NoiseReason,
    Protection,
    ProtectionSeeds,
    ProtectStep,
    Refill,
    RefillRound,
    Removal,
    RemovalRow,
    Shift,
    SmoothedColumn,
    Smoothing,
    SweepRow,
    UnusableColumn,
    UsedColumn,
)
from unveil.records.publication_plan import (
    PlanBox,
    PlanTable,
    PlanTables,
    PlanVerdict,
    PublicationPlan,
)
from unveil.records.recoding import KeyFigures, Proposal, Recoding, StepDone, Suggestions
from unveil.records.replication import (
    ReplicatedResult,
    Replication,
    ReplicationCopy,
    ReplicationNotMeasured,
    ReplicationRow,
)
from unveil.records.report import (
    ContextAnswer,
    ExclusionText,
    HistoryRow,
    ReportContents,
    ScenarioText,
)
from unveil.records.run import (
    FigureChange,
    InputFile,
    PackageVersion,
    Run,
    RunComparison,
    RunPart,
    SettingChange,
)
from unveil.records.suggestion import (
    KeyStep,
    ProjectProposal,
    ProposedCodes,
    ProposedRadius,
    ProposedScenario,
    RoleRow,
    Suggestion,
)
from unveil.records.synthesis import ConfidentialSynthesis, Synthesis, SynthesisColumn, WrittenFile
from unveil.records.uniques import (
    AboveRisk,
    AlignedMatch,
    AlignedMatchRow,
    Anonymity,
    Diversity,
    KeyContribution,
    KeyTolerance,
    MatchRisk,
    MsuSize,
    Suda,
    SudaNotMeasured,
)
from unveil.records.utility import (
    Component,
    Grouping,
    Loading,
    PairTables,
    ProjectedGroup,
    Projection,
    TableCell,
    TableRow,
    Tstr,
    TstrRow,
    Utility,
    UtilityRow,
    VariableScore,
    WorstTable,
)
from unveil.records.utility import DroppedColumn as NotProjected

assert attribute
assert identity  # importing them fills the catalogue
ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
CONVENTIONS = ROOT / "docs" / "conventions.md"
VERIFICATION = ROOT / "docs" / "verification.md"
MEASURES = sorted((ROOT / "docs" / "measures").glob("*.md"))
PAGES = [README, *sorted(ROOT.glob("C*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
FIRST_LINES = {
    "unveil demo": "python3 -m venv .venv && .venv/bin/pip install -q . && .venv/bin/unveil demo",
    "pytest": 'python3 -m venv .venv && .venv/bin/pip install -q -e ".[test]"'
    " && .venv/bin/python -m pytest -q",
}

# Where the fields of each record are listed: section of the conventions, and row of its table.
DOCUMENT, EXCESS, TABLE = "The JSON document", "Train and control", "The exclusion table"
CAP, TARGETED = "Correct attribution", "Targeted attribution"
NEAREST = "Attribution from the nearest"
STANDING_OUT, SPECIAL, MATCH = "Statistical uniques", "Special uniques", "Match risk"
ATTACKS, ALL_ATTACKS, MEMBERSHIP = "Simulated attacks", "All attacks", "Membership"
ALIGNED = "Rows matched to rows"
LEFT_OUT, SPLIT = "Training against control sample", "Split"
CODEBOOK, STRUCTURE, WRITTEN = "Codebook", "Structure", "Written files"
SYNTHESIS = "Synthesis"
UTILITY, TABLES, COLUMNS = "Utility", "Tables compared", "Columns compared"
PROJECTION, TSTR = "Projection", "Train on synthetic, test on real"
REPLICATED, EXPLORATION = "Published results replicated", "Exploration"
ROUNDED, BOUNDS, AUDIT = "Rounded tables", "Bounds of a release", "Audit of what is suppressed"
PLAN = "Publication plan"
KNOWN_PEOPLE, SCHEMES = "Known people and a table", "Schemes side by side"
ECAP, CHOSEN, WHOLE, ADDED = "ECAP", "Chosen noise", "ECAP of whole numbers", "Added noise"
DISTANCE, REFILL = "Distance filter", "Refilled copies"
PROTECTION, CONFIDENTIAL = "Protection", "Confidential record of protection"
RECODING, PROPOSED, REMOVED = "Recoding", "Proposed codings", "Removed records"
SMOOTHED, MARKS = "Smoothed columns", "Marks"
ROLES = "Proposed roles"
PROJECTS, RUNS, COMPARED = "Proposed projects", "Runs", "Compared runs"
JUDGED, WHAT_IF, EXPLAINED = "Judgement", "What if", "Explanation"
DECISIONS, LOG, DOSSIER, PACKS = "Decisions", "Log", "Dossier", "Release packs"
SEED = "Confidential record of synthesis"
FIELDS: dict[type[Record], tuple[str, str | None]] = {
    Disclosure: (DOCUMENT, None),
    IdentityRow: (DOCUMENT, "identity"),
    AttributeRow: (DOCUMENT, "attribute"),
    PeopleFigures: (DOCUMENT, "people"),
    PeopleRow: (DOCUMENT, "people"),
    PersonColumn: (DOCUMENT, "people"),
    Checks: (DOCUMENT, "checks"),
    Flag: (DOCUMENT, "flags"),
    ExcludedCount: (DOCUMENT, "excluded"),
    ExcludedIdentity: (DOCUMENT, "excluded_identity"),
    Effect: (DOCUMENT, "effects"),
    BandedColumn: (DOCUMENT, "bands"),
    Excess: (EXCESS, None),
    ExcessRow: (EXCESS, "rows"),
    ExclusionTable: (TABLE, None),
    ExclusionColumn: (TABLE, "columns"),
    ExclusionTableRow: (TABLE, "rows"),
    Cap: (CAP, None),
    Method: (CAP, "methods"),
    KeySet: (CAP, "key_sets"),
    Tolerance: (CAP, "tolerance"),
    CapRow: (CAP, "rows"),
    OnM: (CAP, "on_m"),
    CapNotMeasured: (CAP, "not_measured"),
    Tcap: (TARGETED, None),
    TcapRow: (TARGETED, "rows"),
    TcapNotMeasured: (TARGETED, "not_measured"),
    Gcap: (NEAREST, None),
    GcapRow: (NEAREST, "rows"),
    Gtcap: (STANDING_OUT, None),
    Radius: (STANDING_OUT, "radii"),
    GtcapCopy: (STANDING_OUT, "copies"),
    GtcapBin: (STANDING_OUT, "histogram"),
    UniqueScore: (STANDING_OUT, "rows"),
    Suda: (SPECIAL, None),
    PeopleByKeys: (SPECIAL, "people"),
    MsuSize: (SPECIAL, "sizes"),
    SudaNotMeasured: (SPECIAL, "not_measured"),
    KeyContribution: (SPECIAL, "contributions"),
    MatchRisk: (MATCH, None),
    Anonymity: (MATCH, "anonymity"),
    AboveRisk: (MATCH, "risks"),
    Diversity: (MATCH, "diversity"),
    Attacks: (ATTACKS, None),
    AttackRow: (ATTACKS, "rows"),
    AttackRun: (ALL_ATTACKS, None),
    CopyAttacks: (ALL_ATTACKS, "copies"),
    Membership: (MEMBERSHIP, None),
    MembershipRow: (MEMBERSHIP, "rows"),
    ClosestRow: (MEMBERSHIP, "closest"),
    AlignedMatch: (ALIGNED, None),
    KeyTolerance: (ALIGNED, "tolerances"),
    AlignedMatchRow: (ALIGNED, "rows"),
    DifferentialConfidentiality: (LEFT_OUT, None),
    ConfidentialityRow: (LEFT_OUT, "rows"),
    NotMeasuredAt: (LEFT_OUT, "not_measured"),
    Split: (SPLIT, None),
    DescribedFile: (CODEBOOK, None),
    Codebook: (CODEBOOK, "codebook"),
    Variable: (CODEBOOK, "variables"),
    Level: (CODEBOOK, "variables"),
    MissingRange: (CODEBOOK, "variables"),
    ColumnContents: (CODEBOOK, "found"),
    CodebookDifferences: (STRUCTURE, None),
    Difference: (STRUCTURE, "rows"),
    WrittenFile: (WRITTEN, None),
    Synthesis: (SYNTHESIS, None),
    SynthesisColumn: (SYNTHESIS, "columns"),
    Ecap: (ECAP, None),
    NoiseChoice: (CHOSEN, None),
    CurveRow: (CHOSEN, "curve"),
    SensitivityRow: (CHOSEN, "sensitivity"),
    DiscreteEcap: (WHOLE, None),
    LevelEcap: (WHOLE, "levels"),
    Noise: (ADDED, None),
    NoisedColumn: (ADDED, "columns"),
    Displacement: (ADDED, "columns"),
    NumberSummary: (ADDED, "columns"),
    Bin: (ADDED, "columns"),
    NotNeeded: (ADDED, "not_needed"),
    DistanceFilter: (DISTANCE, None),
    UsedColumn: (DISTANCE, "used"),
    UnusableColumn: (DISTANCE, "dropped_columns"),
    Shift: (DISTANCE, "shifts"),
    Refill: (REFILL, None),
    RefillRound: (REFILL, "rounds"),
    Protection: (PROTECTION, None),
    ProtectStep: (PROTECTION, "steps"),
    NoiseReason: (PROTECTION, "reasons"),
    SweepRow: (PROTECTION, "sweep"),
    ConfidentialProtection: (CONFIDENTIAL, None),
    ProtectionSeeds: (CONFIDENTIAL, "seeds"),
    Recoding: (RECODING, None),
    StepDone: (RECODING, "rows"),
    KeyFigures: (RECODING, "before"),
    Suggestions: (PROPOSED, None),
    Proposal: (PROPOSED, "rows"),
    Removal: (REMOVED, None),
    RemovalRow: (REMOVED, "rows"),
    Suggestion: (ROLES, None),
    KeyStep: (ROLES, "steps"),
    RoleRow: (ROLES, "rows"),
    Smoothing: (SMOOTHED, None),
    SmoothedColumn: (SMOOTHED, "rows"),
    FakeMarks: (MARKS, None),
    Utility: (UTILITY, None),
    UtilityRow: (UTILITY, "rows"),
    PairTables: (TABLES, None),
    TableRow: (TABLES, "rows"),
    VariableScore: (TABLES, "scores"),
    WorstTable: (TABLES, "worst"),
    TableCell: (TABLES, "worst"),
    Grouping: (TABLES, "groupings"),
    Comparison: (COLUMNS, None),
    Distribution: (COLUMNS, "distributions"),
    LevelCount: (COLUMNS, "distributions"),
    Histogram: (COLUMNS, "distributions"),
    Density: (COLUMNS, "distributions"),
    DistanceRow: (COLUMNS, "rows"),
    AssociationRow: (COLUMNS, "associations"),
    AssociationChange: (COLUMNS, "changes"),
    Projection: (PROJECTION, None),
    NotProjected: (PROJECTION, "dropped_columns"),
    Component: (PROJECTION, "components"),
    Loading: (PROJECTION, "loadings"),
    ProjectedGroup: (PROJECTION, "rows"),
    Tstr: (TSTR, None),
    TstrRow: (TSTR, "rows"),
    Replication: (REPLICATED, None),
    ReplicatedResult: (REPLICATED, "findings"),
    ReplicationCopy: (REPLICATED, "findings"),
    ReplicationRow: (REPLICATED, "rows"),
    ReplicationNotMeasured: (REPLICATED, "not_measured"),
    Exploration: (EXPLORATION, None),
    ExplorationRow: (EXPLORATION, "rows"),
    ExplorationCopy: (EXPLORATION, "rows"),
    RoundedTable: (ROUNDED, None),
    RoundedRow: (ROUNDED, "rows"),
    Bounds: (BOUNDS, None),
    CellBounds: (BOUNDS, "cells"),
    Audit: (AUDIT, None),
    AuditedValue: (AUDIT, "rows"),
    PublicationPlan: (PLAN, None),
    PlanBox: (PLAN, "rows"),
    PlanTables: (PLAN, "by_tables"),
    PlanTable: (PLAN, "tables"),
    PlanVerdict: (PLAN, "verdicts"),
    Sap: (KNOWN_PEOPLE, None),
    SapChance: (KNOWN_PEOPLE, "monte_carlo"),
    SapDepth: (KNOWN_PEOPLE, "by_depth"),
    SapTaught: (KNOWN_PEOPLE, "taught"),
    SapTaughtVariable: (KNOWN_PEOPLE, "taught"),
    SapLesson: (KNOWN_PEOPLE, "taught"),
    SapVerdict: (KNOWN_PEOPLE, "limits"),
    RoundingComparison: (SCHEMES, None),
    SchemeSummary: (SCHEMES, "summaries"),
    SchemeRow: (SCHEMES, "rows"),
    BandRow: (SCHEMES, "bands"),
    ProjectProposal: (PROJECTS, None),
    ProposedScenario: (PROJECTS, "scenarios"),
    ProposedRadius: (PROJECTS, "radii"),
    ProposedCodes: (PROJECTS, "special_codes"),
    Run: (RUNS, None),
    PackageVersion: (RUNS, "packages"),
    InputFile: (RUNS, "files"),
    RunPart: (RUNS, "parts"),
    FigureRow: (RUNS, "figures"),
    RunComparison: (COMPARED, None),
    SettingChange: (COMPARED, "settings"),
    FigureChange: (COMPARED, "risk"),
    Judgement: (JUDGED, None),
    Limit: (JUDGED, "limits"),
    LimitCheck: (JUDGED, "figures"),
    RuledFinding: (JUDGED, "findings"),
    StillToSay: (JUDGED, "missing"),
    WhatIf: (WHAT_IF, None),
    WhatIfScenario: (WHAT_IF, "scenarios"),
    WhatIfRow: (WHAT_IF, "rows"),
    Explanation: (EXPLAINED, None),
    ExplainedScenario: (EXPLAINED, "scenarios"),
    ExplainedFlag: (EXPLAINED, "scenarios"),
    DisclosureStep: (EXPLAINED, "scenarios"),
    Decision: (DECISIONS, None),
    Pack: (PACKS, None),
    PackMember: (PACKS, "members"),
    PackCheck: (PACKS, "checks"),
    MoreReleased: (PACKS, "more"),
    PackVerification: (PACKS, None),
    LogCheck: (LOG, None),
    LogLine: (LOG, "line"),
    LogFault: (LOG, "faults"),
    ReportContents: (DOSSIER, None),
    ContextAnswer: (DOSSIER, "factors"),
    ScenarioText: (DOSSIER, "scenarios"),
    ExclusionText: (DOSSIER, "exclusions"),
    HistoryRow: (DOSSIER, "history"),
    ConfidentialSynthesis: (SEED, None),
}

# The reference figures of each golden module: its constant, and its words in the report.
REFERENCE = {
    "test_cap_cases": ("N_FIGURES", "of CAP, TCAP and GCAP"),
    "test_gtcap_cases": ("N_FIGURES", "of GTCAP"),
    "test_confidentiality_cases": ("N_FIGURES", "of differential confidentiality"),
    "test_suda": ("FIGURES", "of SUDA and DIS"),
    "test_sdcmicro": ("FIGURES", "of match risk"),
    "test_attacks": ("N_FIGURES", "of attack rates and inference"),
    "test_singling_out": ("N_FIGURES", "of singling out"),
    "test_ecap": ("N_FIGURES", "of ECAP"),
    "test_distance_filter": ("N_FIGURES", "of the distance filter"),
    "test_sdc": ("FIGURES", "of replicated uniques and recoding"),
    "test_utility": ("FIGURES", "of utility"),
    "test_sap": ("CASES", "cases of SAP"),
    "test_sap_general": ("FIGURES", "of bounds and SAP of general releases"),
    "test_trivial_bounds": ("N_FIGURES", "trivial bounds"),
    "test_fidelity": ("N_FIGURES", "of the fidelity of copies"),
}

# Pages whose worked example is a table of counts.
ABOUT_COUNTS = ("bounds", "sap", "ecap")
# Pages whose example is run, and not about keys and a target.
ABOUT_UTILITY = ("compare", "pair_tables", "projection", "recognition", "tstr", "utility")
# The worked example of every other page, as rows of keys and target.
ORIGINAL = "axp axq ayp bxq byq byq"
SYNTHETIC = "axp axp ayq byq byp cxp"


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose_of(page: Path) -> str:
    """The page without its code blocks."""
    return re.sub(r"^ *```.*?^ *```", "", text_of(page), flags=re.DOTALL | re.MULTILINE)


def blocks_of(page: Path) -> Iterator[tuple[str, str]]:
    """The language and text of each code block."""
    for found in re.finditer(r"^```(\w*)\n(.*?)^```", text_of(page), re.DOTALL | re.MULTILINE):
        yield found[1], found[2]


def headings_of(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", prose_of(page), re.MULTILINE)


def section_of(page: Path, heading: str) -> str:
    """The text between a heading and the next one."""
    start = re.split(rf"^#+ {re.escape(heading)}$", text_of(page), flags=re.MULTILINE)[1]
    return re.split(r"^#+ ", start, flags=re.MULTILINE)[0]


def anchors_of(page: Path) -> set[str]:
    """The headings as links name them: lower case, hyphens between the words."""
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings_of(page))
    return {heading.replace(" ", "-") for heading in kept}


def worked_example(page: Path) -> dict[str, str]:
    """The figures at the end of a page: symbol, and the last cell of its row."""
    section = text_of(page).partition("## Worked example")[2]
    rows = [line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("|")]
    start = next(place for place, row in enumerate(rows) if row[0] == "symbol")
    return {row[0]: row[-1] for row in rows[start + 2 :]}


def frame(rows: str) -> pl.DataFrame:
    return pl.DataFrame([list(row) for row in rows.split()], ["k1", "k2", "t"], orient="row")


@pytest.fixture(scope="module")
def computed() -> dict[str, object]:
    result = unveil.disclosure(frame(ORIGINAL), frame(SYNTHETIC), keys=["k1", "k2"], targets="t")
    rows = (result.identity[0], result.attribute[0], result.record.recurrence[0])
    return {field: value for row in rows for field, value in row.to_dict().items()}


@pytest.mark.parametrize("symbol", CATALOGUE)
def test_every_symbol_is_explained_on_exactly_one_page(symbol):
    lines = [line for page in MEASURES for line in text_of(page).splitlines()]
    assert lines.count(f"## {symbol}") == 1


@pytest.mark.parametrize("symbol", CATALOGUE)
def test_the_page_of_a_symbol_works_it_out(symbol):
    (page,) = (page for page in MEASURES if f"## {symbol}\n" in text_of(page))
    assert symbol in worked_example(page)


@pytest.mark.parametrize(
    "page",
    [page for page in MEASURES if page.stem not in (*ABOUT_COUNTS, *ABOUT_UTILITY)],
    ids=name_of,
)
def test_the_figures_worked_out_by_hand_are_those_computed(page, computed):
    by_hand = worked_example(page)
    shown = {
        symbol: f"{computed[symbol]:.2f}" if "." in figure else str(computed[symbol])
        for symbol, figure in by_hand.items()
    }
    assert by_hand == shown


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_somewhere(page):
    for link in re.findall(r"\]\(([^)]+)\)", prose_of(page)):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_the_list_of_pages_has_every_page():
    index = ROOT / "docs" / "README.md"
    named = {
        (index.parent / link).resolve() for link in re.findall(r"\]\(([^)#]+)", text_of(index))
    }
    assert [page for page in (ROOT / "docs").rglob("*.md") if page not in {*named, index}] == []


@pytest.mark.parametrize("words", FIRST_LINES)
def test_the_first_command_of_the_readme_stands_alone_and_is_right(words):
    lines = text_of(README).splitlines()
    assert next(line for line in lines if words in line) == FIRST_LINES[words]


@pytest.mark.parametrize("name", unveil.__all__)
def test_every_public_name_is_documented(name):
    assert any(f"unveil.{name}" in text_of(page) for page in PAGES)


@pytest.mark.parametrize("record", FIELDS, ids=lambda record: record.__name__)
def test_every_field_of_the_json_documents_is_documented(record):
    heading, row = FIELDS[record]
    told = section_of(CONVENTIONS, heading)
    if row is not None:
        (told,) = (line for line in told.splitlines() if line.startswith(f"| `{row}` |"))
    assert [f for f in record.__struct_fields__ if f"`{f}`" not in told] == []


def test_what_to_dict_adds_about_single_records_is_documented():
    people, copy, keys = frame(ORIGINAL), frame(SYNTHETIC), ["k1", "k2"]
    for heading, result in (
        (TARGETED, unveil.tcap(people, copy, keys=keys, target="t")),
        (STANDING_OUT, unveil.gtcap(people, copy, keys=keys, target="t", radii={})),
        (SPECIAL, unveil.suda(people, keys=keys)),
        (MATCH, unveil.match_risk(people, keys=keys, sensitive="t")),
    ):
        told = section_of(CONVENTIONS, heading)
        added = {**result.to_dict()}
        for field in result.record.to_dict():
            del added[field]
        fields = {*added, *(field for row in added.get("records", ()) for field in row)}
        assert fields
        assert {field for field in fields if f"`{field}`" not in told} == set()


def test_every_kind_of_note_is_documented():
    told = section_of(CONVENTIONS, "What is reported")
    source = "\n".join(text_of(path) for path in (ROOT / "src").rglob("*.py"))
    kinds = {
        *re.findall(r"Coercion\([^()]*?kind=\"(\w+)\"", source),
        *re.findall(r"_note\([^()]*?\"(no_\w+)\"", source),
    }
    assert {"baseline", "no_near_value"} <= kinds
    assert {kind for kind in kinds if f"`{kind}`" not in told} == set()


@pytest.mark.parametrize("page", [README, VERIFICATION], ids=name_of)
def test_pages_say_how_many_published_figures_are_reproduced(page):
    assert f"{N_FIGURES:,} figures" in text_of(page)


def constant(module: str, name: str) -> int:
    """A constant of a golden module, which ends early where its reference data are not there."""
    spec = spec_from_file_location(module, ROOT / "tests" / "golden" / f"{module}.py")
    made = module_from_spec(spec)
    with suppress(pytest.skip.Exception):
        spec.loader.exec_module(made)
    return getattr(made, name)


@pytest.mark.slow
@pytest.mark.parametrize("module", REFERENCE)
def test_the_verification_report_says_how_many_reference_figures_are_reproduced(module):
    name, subject = REFERENCE[module]
    assert f"{constant(module, name):,} {subject}" in " ".join(text_of(VERIFICATION).split())


def commands_shown(page: Path) -> Iterator[list[str]]:
    """The words of each call of unveil in a block that is shown and not run."""
    for language, block in blocks_of(page):
        for line in block.replace("\\\n", " ").splitlines() if language == "sh" else ():
            if line.startswith("unveil "):
                yield shlex.split(line)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_that_are_not_run_have_options_that_exist(page):
    for _, name, *words in commands_shown(page):
        command = Commands("unveil").get_command(click.Context(click.Command("unveil")), name)
        assert command is not None, name
        options = {option for param in command.params for option in param.opts}
        assert {word for word in words if word.startswith("-")} <= options


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_its_row_in_the_readme(command):
    assert f"| `unveil {command}` |" in text_of(README)


def test_the_fractions_of_the_new_pages_are_those_computed():
    files, asked = (frame(ORIGINAL), frame(SYNTHETIC)), {"keys": ["k1", "k2"], "target": "t"}
    row = unveil.cap(*files, **asked).rows[0]
    three = unveil.tcap(*files, **asked).record
    of_gtcap = unveil.gtcap(*files, **asked, radii={})
    left_out = frame("axq bxq byp cxq")
    against = unveil.differential_confidentiality(files[0], left_out, files[1], **asked, seed=1)
    for page, words, figure, expected in (
        ("taub_cap", "`cap_synthetic_zero` 1/3", row.cap_synthetic_zero, 1 / 3),
        ("taub_cap", "`cap_synthetic_undefined` 2/5", row.cap_synthetic_undefined, 2 / 5),
        ("taub_cap", "`cap_original` is 5/6", row.cap_original, 5 / 6),
        ("taub_cap", "= 5/9", row.cap_baseline, 5 / 9),
        ("weap", "(½ + ½ + 0) / 3 = 1/3", three.tcap, 1 / 3),
        ("weap", "(½ + ½ + 0 + 0) / 4 = 1/4", three.tcap_zero, 1 / 4),
        ("weap", "`tcap_uniques` 0", three.tcap_uniques, 0),
        ("weap", "`tcap_raab`: 1 of 5", three.tcap_raab, 20),
        ("gcap", "= 11/30", unveil.gcap(*files, **asked).record.gcap, 11 / 30),
        ("gtcap", "`mean` is -1.25", of_gtcap.mean, -1.25),
        ("gtcap", "= -1.\n", of_gtcap.ratio_of_means, -1),
        ("differential_confidentiality", "5/24 = 0.208", against.rows[0].difference, 5 / 24),
        ("differential_confidentiality", "t = 1", against.rows[0].t, 1),
    ):
        assert words in text_of(ROOT / "docs" / "measures" / f"{page}.md"), (page, words)
        assert figure == pytest.approx(expected), (page, words)


def test_every_dependency_has_its_line():
    project = tomllib.loads(text_of(ROOT / "pyproject.toml"))["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(package for extra in extras.values() for package in extra),
    ]
    page = text_of(ROOT / "docs" / "dependencies.md")
    assert [name for name in wanted if f"| {re.split('[<>=]', name)[0]} |" not in page] == []
    assert [name for name in extras if f"## Extra `{name}`" not in page] == []


class Terminal:
    """Runs the commands of a page, and keeps what they printed and how they ended."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys
        self.run("unveil demo")

    def run(self, command: str) -> None:
        if command == "echo $?":
            self.printed = [str(self._code)]
            return
        program, *arguments = shlex.split(command)
        assert program == "unveil", command
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        self._code = ended.value.code
        said = self._capsys.readouterr()
        self.printed = [line.rstrip() for line in (said.out + said.err).splitlines()]

    def check(self, excerpt: list[str]) -> None:
        """Each line shown was printed, in this order; empty lines and dots may stand for more."""
        rest = iter(self.printed)
        for line in excerpt:
            assert line in ("", "...") or line in rest, line

    def session(self, block: str) -> None:
        for step in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, *excerpt = step.splitlines()
            self.run(command)
            self.check(excerpt)


# The pages whose examples are run: all that have some.
EXAMPLES = {"console", "pycon"}
RUN = [page for page in PAGES if EXAMPLES & {language for language, _ in blocks_of(page)}]


@pytest.mark.slow
@pytest.mark.parametrize("page", RUN, ids=name_of)
def test_what_a_page_shows_is_what_happens(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    terminal = Terminal(capsys)
    names: dict[str, object] = {}
    for language, block in blocks_of(page):
        if language == "text":
            terminal.check(block.splitlines())
        if language == "console":
            terminal.session(block)
        if language == "pycon":
            test = doctest.DocTestParser().get_doctest(block, names, page.name, None, 0)
            said: list[str] = []
            doctest.DocTestRunner().run(test, out=said.append, clear_globs=False)
            names = test.globs
            assert not said, "".join(said)
