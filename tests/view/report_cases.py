"""Dossiers to draw reports of: the embedded survey, many targets, hostile names, nothing at all.

Parts are measured with the plain Python calls; runs and judgements are written by hand, so that a
report can be tested without a project on disk. Each is made once in a process.
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from typing import Any
from unittest.mock import patch

import msgspec
import polars as pl

import unveil
from unveil.assessment.summarise import ProjectFacts, summarise_run
from unveil.examples import survey
from unveil.records.alerts import Acceptance, Alert, NotTested
from unveil.records.base import Record
from unveil.records.judgement import (
    Decision,
    FigureRow,
    FlagRuling,
    Judgement,
    Limit,
    LimitCheck,
    Outstanding,
)
from unveil.records.report import (
    ContextAnswer,
    ExclusionText,
    HistoryRow,
    Parts,
    ReportContents,
    ScenarioText,
)
from unveil.records.run import InputFile, PackageVersion, Run, RunPart
from unveil.view.pages.report import custodian_page

MADE = "2026-11-16T12:00:00Z"
KEYS = ("sex", "age", "region")
TARGETS = ("marital", "employment", "health", "condition", "income")
BANDS = {"age": {"breaks": list(range(15, 96, 5))}}
HOSTILE = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)><style>*{display:none}</style></svg>",
    "</style><style>@import url(//evil.example/x.css);body{background:url(//evil.example)}",
    '" onmouseover="alert(1)" x="',
    "' style='position:fixed",
    "javascript:alert(1)",
    '=HYPERLINK("//evil.example")',
    "a\u202egnp.exe\u2066b\u2069",
    "bell\x07 escape\x1b[31m null\x00 nel\x85 line\u2028end",
    "&lt;b&gt;&amp;#x3c;",
    "{keys} {0} {target!r} %s %(x)s",
    "very long " + "W" * 400,
)
"""Names and texts that would take over a page, a terminal, a sheet or a template."""

EMPTY_PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" class="marks"></svg>'

FACTORS = {
    "release_context": "To whom, and under what rules, are the data released?",
    "taken_for_real": "Would an intruder take the copy for real data?",
    "other_sources": "Which other sources could an intruder link?",
    "intruder_knowledge": "What does an intruder know of a person?",
    "method_released": "How much of the method is released?",
}
_Measured = tuple[str, str, str | None, str | None, Any]  # name, kind, scenario, target, record


@cache
def example() -> tuple[ReportContents, Parts]:
    """The embedded survey with a protected copy, a control, a table and published findings."""
    used, control, made = _protected()
    parts = [
        *_scenario(used, [made.data], "neighbour", KEYS, TARGETS, exclude=["missing-targets"]),
        *_scenario(
            used, [made.data], "colleague", ("sex", "age", "employment"), ("marital", "health")
        ),
        *_left_out(used, control, made.data),
        *_whole(used, [made.data]),
        ("sap region", "sap", None, None, _sap()),
        ("protection", "protection", None, None, made.record),
    ]
    return _contents("Embedded survey, protected copy", parts, sizes=(used.height, [used.height]))


@cache
def loaded() -> tuple[ReportContents, Parts]:
    """All that a project can declare: the example, with a third scenario, recognition of single
    people, a publication plan and every stage of protection.
    """
    contents, parts = example()
    used, control, made = _protected()
    stages = unveil.stages(
        made, keys=KEYS, targets=TARGETS, control=control, findings=FINDINGS, bands=BANDS, seed=5
    ).record
    more = [
        *_scenario(used, [made.data], "landlord", ("sex", "age", "settlement"), TARGETS),
        ("recognition", "recognition", None, None, _recognition(used)),
        ("plan", "plan", None, None, _plan(used)),
    ]
    protected = msgspec.structs.replace(made.record, stages=stages)
    own = {"protection": protected}
    every = [
        (one.name, one.kind, one.scenario, one.target, own.get(one.name, parts[one.name]))
        for one in contents.run.parts
    ]
    sizes = (used.height, [used.height])
    return _contents("Embedded survey, all measures", [*every, *more], sizes=sizes)


@cache
def _protected() -> tuple[pl.DataFrame, pl.DataFrame, Any]:
    """People who were used, people who were not, and the protected copy of the first."""
    used, control = unveil.split(survey().head(1_200), 0.75, seed=2023)
    made = unveil.protect(
        used,
        steps=[
            {"do": "top_code", "column": "age", "at": 85},
            {"do": "synthesise"},
            {"do": "distance_filter", "columns": ["age", "sex", "settlement"]},
            {
                "do": "add_noise",
                "column": "age",
                "population": "normal(45, 18)",
                "N": 60_000,
                "threshold": 0.1,
                "round": 0,
                "clip": [15, 90],
            },
            {"do": "add_noise", "column": "income", "not_needed": "asked in this survey alone"},
        ],
        seed=1,
        special_codes={"income": [-8]},
    )
    return used, control, made


def _recognition(used: pl.DataFrame) -> Record:
    def release(data: pl.DataFrame, seed: int, rows: int) -> pl.DataFrame:
        return data.sample(rows, with_replacement=True, seed=seed)

    return unveil.recognition(used.head(300), release, people=10, worlds=60, seed=1).record


def _plan(used: pl.DataFrame) -> Record:
    bands = {"age": [15, 18, 30, 45, 65]}
    tables = [
        {"name": "Regions", "by": ["region", "sex"], "publish": "suppress:5", "margins": "all"},
        {"name": "Work", "by": ["region", "employment"], "publish": "suppress:5"},
        {"name": "Adults", "by": ["sex", "employment"], "where": {"age": ">= 18"}},
        {"name": "Everyone", "by": ["sex", "employment"], "where": {"age": ">= 15"}},
        {"name": "Ages", "by": ["age", "sex"], "bands": bands, "publish": "suppress:5"},
    ]
    plan = unveil.Plan.from_tables(tables, data=used)
    return plan.disclosed(limits={"recovered": 0}, seconds=60).record


@cache
def copies(m: int = 3) -> tuple[ReportContents, Parts]:
    """A smaller survey with several copies and no control."""
    original = survey().head(600)
    synthetic = list(unveil.synthesise(original, copies=m, seed=5).copies)
    parts = [
        *_scenario(original, synthetic, "neighbour", KEYS, ("marital", "health", "condition")),
        *_whole(original, synthetic, findings=False),
    ]
    return _contents("Several copies", parts, sizes=(600, [600] * m))


@cache
def many(targets: int = 60, copies: int = 10) -> tuple[ReportContents, Parts]:
    """As many targets and copies as a report has to bear, of few people."""
    original = _wide(400, targets, seed=0)
    synthetic = [_wide(400, targets, seed=1 + copy) for copy in range(copies)]
    names = tuple(f"question_{n:02d}" for n in range(targets))
    keys = ("sex", "age", "region")
    found = unveil.disclosure(original, synthetic, keys=keys, targets=names)
    grid = unveil.exclusion_table(original, synthetic, keys=keys, targets=names)
    pairs = unveil.pair_tables(original, synthetic[0])
    parts: list[_Measured] = [
        ("disclosure neighbour", "disclosure", "neighbour", None, found.record),
        ("exclusion_table neighbour", "exclusion_table", "neighbour", None, grid.record),
        *_cap(original, synthetic, "neighbour", keys, names[:2]),
        *_gtcap(original, synthetic, "neighbour", keys, names[:2]),
        ("tables", "tables", None, None, pairs.record),
        ("compare", "compare", None, None, unveil.compare(original, synthetic).record),
    ]
    return _contents("Sixty targets", parts, sizes=(400, [400] * copies))


@cache
def hostile() -> tuple[ReportContents, Parts]:
    """The texts of HOSTILE as columns, levels, labels, scenarios, reasons, notes and names."""
    original = _hostile_frame(300, seed=0)
    synthetic = _hostile_frame(300, seed=1)
    keys, targets = tuple(HOSTILE[:3]), (*HOSTILE[3:6], HOSTILE[8], HOSTILE[9], HOSTILE[-1])
    parts = [
        *_scenario(original, [synthetic], HOSTILE[0], keys, targets),
        *_whole(original, [synthetic], findings=False),
        ("sap " + HOSTILE[1], "sap", None, None, _hostile_sap()),
    ]
    return _contents(HOSTILE[0], parts, sizes=(300, [300]), texts=HOSTILE)


@cache
def empty() -> tuple[ReportContents, Parts]:
    """A run that measured nothing: no part has a record, nobody has said anything."""
    asked = [
        ("disclosure neighbour", "disclosure", "neighbour", None),
        ("cap neighbour marital", "cap", "neighbour", "marital"),
        ("gtcap neighbour marital", "gtcap", "neighbour", "marital"),
        ("excess neighbour", "excess", "neighbour", None),
        ("suda neighbour", "suda", "neighbour", None),
        ("utility", "utility", None, None),
        ("tables", "tables", None, None),
        ("findings", "findings", None, None),
        ("sap region", "sap", None, None),
    ]
    run = _run("Nothing measured", [_part(*what, record=None) for what in asked], (), (900, [900]))
    judgement = _judgement(run, (), (), accepted_by=None)
    contents = ReportContents(
        title="Nothing measured",
        run=run,
        results_sha256="0" * 64,
        judgement=judgement,
        summary=summarise_run(run, [], judgement, ProjectFacts()),
        decision=None,
        factors=_factors(None),
        scenarios=(),
        exclusions=(),
        history=(),
        records_file=None,
    )
    return contents, Parts(run, {})


def as_json(contents: ReportContents, parts: Parts) -> dict[str, Any]:
    """What a reader of the project's files has: the contents, and the record of each part."""
    records = {part.name: parts[part.name] for part in contents.run.parts if part.file is not None}
    return {
        "contents": contents.to_dict(),
        "parts": {name: msgspec.to_builtins(record) for name, record in records.items()},
    }


def _scenario(
    original: pl.DataFrame,
    synthetic: Sequence[pl.DataFrame],
    name: str,
    keys: tuple[str, ...],
    targets: tuple[str, ...],
    *,
    exclude: Sequence[str] = (),
) -> list[_Measured]:
    bands = BANDS if "age" in keys else None
    asked: dict[str, Any] = {"keys": keys, "bands": bands}
    found = unveil.disclosure(
        original,
        list(synthetic),
        targets=targets,
        exclude=exclude,
        one_way=(10, 60),
        two_way=(3, 70),
        **asked,
    )
    grid = unveil.exclusion_table(
        original, list(synthetic), targets=targets, one_way=(10, 60), **asked
    )
    return [
        (f"disclosure {name}", "disclosure", name, None, found.record),
        (f"exclusion_table {name}", "exclusion_table", name, None, grid.record),
        *_cap(original, synthetic, name, keys, targets[:2], bands=bands),
        *_gtcap(original, synthetic, name, keys, targets[:2]),
        (f"suda {name}", "suda", name, None, unveil.suda(original, **asked).record),
        (
            f"match_risk {name}",
            "match_risk",
            name,
            None,
            unveil.match_risk(original, **asked).record,
        ),
    ]


def _cap(
    original: pl.DataFrame,
    synthetic: Sequence[pl.DataFrame],
    name: str,
    keys: tuple[str, ...],
    targets: tuple[str, ...],
    *,
    bands: Any = None,
) -> Iterable[_Measured]:
    given: dict[str, Any] = {"keys": keys, "bands": bands}
    for target in targets:
        for who in ("full", "uniques", "special"):
            record = unveil.cap(
                original, list(synthetic), target=target, scenario=who, **given
            ).record
            yield f"cap {name} {target} {who}", "cap", name, target, record
        record = unveil.tcap(original, list(synthetic), target=target, **given).record
        yield f"tcap {name} {target}", "tcap", name, target, record


def _gtcap(
    original: pl.DataFrame,
    synthetic: Sequence[pl.DataFrame],
    name: str,
    keys: tuple[str, ...],
    targets: tuple[str, ...],
) -> Iterable[_Measured]:
    radii = {"age": 2.5} if "age" in keys else None
    for target in targets:
        record = unveil.gtcap(
            original, list(synthetic), keys=keys, target=target, radii=radii
        ).record
        yield f"gtcap {name} {target}", "gtcap", name, target, record


def _left_out(used: pl.DataFrame, control: pl.DataFrame, copy: pl.DataFrame) -> Iterable[_Measured]:
    asked: dict[str, Any] = {"keys": KEYS, "targets": TARGETS, "bands": BANDS}
    attack: dict[str, Any] = {"control": control, "seed": 3}
    found = {
        "excess neighbour": unveil.excess(used, control, copy, **asked),
        "inference neighbour": unveil.inference(
            used, copy, secrets=TARGETS[:2], keys=KEYS, **attack
        ),
        "linkability neighbour": unveil.linkability(
            used, copy, columns=[["sex", "age"], ["region"]], **attack
        ),
        "singling_out neighbour": unveil.singling_out(used, copy, n=60, **attack),
        "membership neighbour": unveil.membership(used, copy, **attack),
    }
    for name, result in found.items():
        yield name, name.split()[0], "neighbour", None, result.record


def _whole(
    original: pl.DataFrame, synthetic: Sequence[pl.DataFrame], *, findings: bool = True
) -> Iterable[_Measured]:
    many = list(synthetic)
    yield (
        "structure", "structure", None, None, unveil.compare_structure(original, many[0]).record
    )  # fmt: skip
    yield (
        "utility", "utility", None, None,
        unveil.utility(original, many, n_permutations=5, seed=1).record,
    )  # fmt: skip
    yield "tables", "tables", None, None, unveil.pair_tables(original, many).record
    yield "compare", "compare", None, None, unveil.compare(original, many).record
    yield "projection", "projection", None, None, unveil.projection(original, many[0]).record
    if findings:
        yield "findings", "findings", None, None, unveil.replicate(original, many, FINDINGS).record


FINDINGS = [
    {"kind": "prevalence", "column": "condition", "level": "diabetes", "where": "age >= 65"},
    {"kind": "mean", "column": "income", "where": "employment = employee"},
    {"kind": "regression", "formula": "income ~ age + sex"},
]


def _sap() -> Record:
    return unveil.sap([[4, 2, 0], [1, 3, 2]], rounding="conventional:3", n_max=6).record


def _hostile_sap() -> Record:
    levels = [[HOSTILE[1], HOSTILE[3]], ["a", HOSTILE[8]]]
    table = unveil.sap([[3, 1], [2, 0]], dims=[HOSTILE[0], HOSTILE[5]], levels=levels, n_max=3)
    return table.record


def _wide(rows: int, targets: int, *, seed: int) -> pl.DataFrame:
    """Deterministic answers without a library of chance: a plain congruence."""
    state = 12_345 + 7_919 * seed

    def drawn(levels: int) -> list[int]:
        nonlocal state
        out = []
        for _ in range(rows):
            state = (1_103_515_245 * state + 12_345) % 2**31
            out.append((state >> 16) % levels)
        return out

    columns = {"sex": drawn(2), "age": [15 + age for age in drawn(50)], "region": drawn(4)}
    columns |= {f"question_{n:02d}": drawn(2 + n % 4) for n in range(targets)}
    names = [name for name in columns if name != "age"]
    return pl.DataFrame(columns).with_columns(pl.format("level {}", pl.col(names)).name.keep())


def _hostile_frame(rows: int, *, seed: int) -> pl.DataFrame:
    """Columns and levels of HOSTILE; of a target most people have one level, so checks flag it."""
    plain = _wide(rows, len(HOSTILE), seed=seed)
    is_usual = pl.int_range(pl.len()) % 10 < 9
    return plain.select(
        pl.when(is_usual & pl.lit(n > 2))
        .then(pl.lit("level 0"))
        .otherwise(pl.col(f"question_{n:02d}"))
        .replace({f"level {level}": HOSTILE[(n + level) % len(HOSTILE)] for level in range(5)})
        .alias(text)
        for n, text in enumerate(HOSTILE)
    )


def _part(
    name: str, kind: str, scenario: str | None, target: str | None, *, record: Any
) -> RunPart:
    measured = record is not None
    text = msgspec.json.encode(record)
    return RunPart(
        name=name,
        kind=kind,  # type: ignore[arg-type]
        scenario=scenario,
        target=target,
        settings=json.dumps({"kind": kind, **({"dis_fraction": 0.01} if kind == "suda" else {})}),
        fingerprint=sha256(name.encode()).hexdigest(),
        state="measured" if measured else "not measured",
        reason=None if measured else "The control has no column 'region'. Its columns are: sex.",
        file=f"parts/{sha256(name.encode()).hexdigest()[:12]}.json" if measured else None,
        sha256=sha256(text).hexdigest() if measured else None,
        seconds=0.25 if measured else None,
    )


def _run(
    title: str,
    parts: Sequence[RunPart],
    figures: Sequence[FigureRow],
    sizes: tuple[int, list[int]],
    by: str = "A. Analyst, statistician",
) -> Run:
    n_original, n_synthetic = sizes
    return Run(
        version="0.1.0",
        number=2,
        title=title,
        by=by,
        started="2026-11-16T10:00:00Z",
        finished="2026-11-16T10:00:12Z",
        seconds=12.25,
        n_resumed=0,
        project_sha256=sha256(b"project").hexdigest(),
        settings_sha256=sha256(b"settings").hexdigest(),
        log_head=sha256(b"log").hexdigest(),
        seed_file="confidential/seed.json",
        seed_sha256=sha256(b"seed").hexdigest(),
        python="3.12.4",
        packages=(
            PackageVersion(package="numpy", version="2.1.0"),
            PackageVersion(package="polars", version="1.32.0"),
        ),
        files=(
            InputFile(role="original", path="survey.csv", n_bytes=81_234, sha256="a1" * 32),
            *(
                InputFile(
                    role="synthetic",
                    copy=copy,
                    path=f"FAKE_{copy}.csv",
                    n_bytes=80_111,
                    sha256=f"b{copy % 10}" * 32,
                )
                for copy, _ in enumerate(n_synthetic, start=1)
            ),
        ),
        n_original=n_original,
        n_synthetic=tuple(n_synthetic),
        parts=tuple(parts),
        figures=tuple(figures),
        warnings=(),
    )


def _figures(parts: Sequence[_Measured]) -> Iterable[FigureRow]:
    for name, kind, scenario, target, record in parts:
        where: dict[str, Any] = {"part": name, "scenario": scenario}
        if kind == "disclosure":
            for row in record.identity:
                yield FigureRow(
                    measure="repU", copy=row.copy, value=row.repU, companion=row.UiO, **where
                )
            for row in record.attribute:
                yield FigureRow(
                    measure="DiSCO",
                    target=row.target,
                    copy=row.copy,
                    value=row.DiSCO,
                    companion=row.Dorig,
                    **where,
                )
        elif kind == "gtcap":
            yield FigureRow(
                measure="GTCAP",
                target=target,
                copy=record.headline_copy,
                value=record.mean,
                **where,
            )
        elif kind == "excess":
            for row in record.rows:
                yield FigureRow(measure="R", target=row.target, copy=row.copy, value=row.R, **where)
        elif kind == "tables":
            for row in record.rows:
                yield FigureRow(
                    measure="S_pMSE",
                    subject=" x ".join(row.variables),
                    copy=row.copy,
                    value=row.S_pMSE,
                    **where,
                )
        elif kind == "utility":
            for row in record.rows:
                yield FigureRow(measure="pMSE", copy=row.copy, value=row.pMSE, **where)


LIMITS = (
    Limit(
        measure="repU", review=5, limit=10, unit="percent",
        origin="no published value: your decision",
    ),
    Limit(
        measure="DiSCO", review=5, limit=10, unit="percent",
        origin="no published value: your decision",
    ),
    Limit(
        measure="GTCAP", review=0.2, limit=0.25, unit="share",
        origin="no published value: your decision",
    ),
    Limit(
        measure="S_pMSE", review=3, limit=10, unit="ratio",
        origin="synthpop's utility vignette: below 10, better below 3",
    ),
)  # fmt: skip


def _status(value: float | None, limit: Limit | None) -> str:
    if limit is None:
        return "no limit"
    if value is None:
        return "not measured"
    return "above" if value > limit.limit else "review" if value > limit.review else "within"


def _judgement(
    run: Run,
    limits: Sequence[Limit],
    findings: Sequence[FlagRuling],
    *,
    accepted_by: str | None,
    missing: Sequence[Outstanding] = (),
) -> Judgement:
    by_measure = {limit.measure: limit for limit in limits}
    figures = []
    for row in run.figures:
        limit = by_measure.get(row.measure) if row.copy != "mean" else None
        figures.append(
            LimitCheck(
                **{name: getattr(row, name) for name in row.__struct_fields__},
                review=limit.review if limit else None,
                limit=limit.limit if limit else None,
                status=_status(row.value, limit),  # type: ignore[arg-type]
            )
        )
    n_above = sum(figure.status == "above" for figure in figures)
    if accepted_by is None:
        missing = (
            *missing,
            Outstanding(
                kind="limits",
                sentence="Nobody has accepted limits yet.",
                fix='unveil limits --accept --by "Name, role"',
            ),
        )
    return Judgement(
        version="0.1.0",
        run=run.number,
        audience="registered",
        rule="Registered users under an agreement: every finding needs a ruling.",
        accepted_by=accepted_by,
        accepted_on="2026-11-15" if accepted_by else None,
        limits=tuple(limits),
        figures=tuple(figures),
        findings=tuple(findings),
        missing=tuple(missing),
        n_above=n_above,
        n_review=sum(figure.status == "review" for figure in figures),
        n_not_measured=sum(figure.status == "not measured" for figure in figures),
        is_current=True,
        stale=(),
        exit_code=3 if n_above else 4 if missing else 0,
        headline="Not ready for release." if n_above else "Nothing is above your limits.",
    )


def _findings(parts: Sequence[_Measured], by: str, reason: str) -> Iterable[FlagRuling]:
    for _, kind, scenario, _, record in parts:
        for place, flag in enumerate(record.flags if kind == "disclosure" else ()):
            ruled = place % 3 != 0
            yield FlagRuling(
                id=f"{scenario}/{flag.exclusion}",
                scenario=scenario or "",
                target=flag.target,
                kind=flag.kind,
                exclusion=flag.exclusion,
                n=flag.n,
                sentence=flag.sentence,
                state="common knowledge" if place % 3 == 1 else "keep" if ruled else "open",
                reason=reason if ruled else None,
                by=by if ruled else None,
                on="2026-11-16" if ruled else None,
            )


def _factors(
    by: str | None, text: str = "Registered users of the archive."
) -> tuple[ContextAnswer, ...]:
    return tuple(
        ContextAnswer(
            name=name,  # type: ignore[arg-type]
            question=question,
            answer=text if by and place < 4 else None,
            by=by if place < 4 else None,
            on="2026-11-14" if by and place < 4 else None,
        )
        for place, (name, question) in enumerate(FACTORS.items())
    )


def _contents(
    title: str,
    parts: Sequence[_Measured],
    *,
    sizes: tuple[int, list[int]],
    texts: Sequence[str] = (),
) -> tuple[ReportContents, Parts]:
    parts = list(parts)
    nasty = iter(list(texts) * 3)
    text = lambda plain: next(nasty, plain)  # noqa: E731
    by = text("R. Reviewer, disclosure officer")
    run = _run(
        title,
        [_part(name, kind, who, of, record=record) for name, kind, who, of, record in parts],
        tuple(_figures(parts)),
        sizes,
        text("A. Analyst, statistician"),
    )
    open_one = Outstanding(
        kind="context", sentence=text("One of the five factors is unanswered."), fix="unveil answer"
    )
    findings = tuple(_findings(parts, by, text("At 16 nobody is married: the law says so.")))
    judgement = _judgement(
        run, LIMITS, findings, accepted_by=text("G. Lead, governance"), missing=[open_one]
    )
    judgement = msgspec.structs.replace(judgement, **_gate(text))
    disclosures = [(who or "", record) for _, kind, who, _, record in parts if kind == "disclosure"]
    contents = ReportContents(
        title=title,
        run=run,
        results_sha256=sha256(b"results").hexdigest(),
        judgement=judgement,
        summary=summarise_run(run, disclosures, judgement, ProjectFacts()),
        decision=Decision(
            number=1,
            release=False,
            by=text("G. Lead, governance"),
            on="2026-11-16T11:00:00Z",
            note=text("Two targets are above the limit: another round."),
            despite=(_acceptance(text),),
            run=2,
            results_sha256=sha256(b"results").hexdigest(),
            project_sha256=run.project_sha256,
            log_head=run.log_head,
            judgement=judgement,
        ),
        factors=_factors(by, text("Registered users of the archive.")),
        scenarios=tuple(_scenario_texts(parts, text)),
        exclusions=(
            ExclusionText(
                scenario=None,
                rule=text("missing-targets"),
                reason=text("A missing answer tells nothing about a person."),
                by=by,
                on="2026-11-14",
                from_ruling=False,
            ),
        ),
        history=tuple(_history(run, text)),
        records_file=None,
    )
    return contents, Parts(run, {name: record for name, *_, record in parts})


def _acceptance(text: Any) -> Acceptance:
    return Acceptance(
        alert=text("near-copies"),
        reason=text("Ages were rounded."),
        by=text("G. Lead, governance"),
        on="2026-11-16",
        files_sha256="0" * 64,
    )


def _gate(text: Any) -> dict[str, Any]:
    """Four alerts alike, one that is accepted, and what was not tested."""
    alike = [
        Alert(
            id=f"group:{column}={level}",
            kind="group",
            columns=(column,),
            level=level,
            status="decide",
            sentence=f"{column} = {level}: looked at.",
            action="Check how the records of this group were made.",
            void=text("That is void for these files."),
        )
        for column, level in ((text(f"district {n}"), text("Opole")) for n in range(4))
    ]
    accepted = Alert(
        id="near-copies",
        kind="near_copies",
        columns=(),
        status="block",
        sentence="Many people have a record far nearer than another person.",
        action="Do not release.",
        accepted=_acceptance(text),
    )
    left = NotTested(what="columns", columns=(text("remarks"),), sentence="in no scenario.")
    return {"alerts": (accepted, *alike), "not_tested": (left,), "void": (text("Void."),)}


def _scenario_texts(parts: Sequence[_Measured], text: Any) -> Iterable[ScenarioText]:
    for _, kind, scenario, _, record in parts:
        if kind == "disclosure":
            yield ScenarioText(
                name=scenario or "",
                template="neighbour",
                keys=record.keys,
                targets=record.targets,
                sentence=text("Somebody next door who sees a person every day."),
            )


def _history(run: Run, text: Any) -> Iterable[HistoryRow]:
    found = [row for row in run.figures if row.measure == "DiSCO" and row.value is not None]
    worst = max(found, key=lambda row: row.value or 0.0)
    fit = [row.value for row in run.figures if row.measure == "S_pMSE" and row.value is not None]
    same = [row.value for row in run.figures if row.measure == "repU" and row.value is not None]
    yield HistoryRow(
        run=1,
        started="2026-11-15T09:00:00Z",
        repU=2 * max(same),
        DiSCO=(worst.value or 0.0) + 12.5,
        worst_target=worst.target,
        S_pMSE=max(fit) - 0.4 if fit else None,
        pMSE=None,
        changed=(),
        decision=None,
    )
    yield HistoryRow(
        run=2,
        started=run.started,
        repU=max(same),
        DiSCO=worst.value,
        worst_target=worst.target,
        S_pMSE=max(fit) if fit else None,
        pMSE=None,
        changed=(text("the synthetic data"), text("the bands of age")),
        decision=text("refused by G. Lead, governance"),
    )


@cache
def undrawn(case: str) -> str:
    """The same report with empty pictures: for what is said, not for what is drawn."""
    with patch("vl_convert.vegalite_to_svg", return_value=EMPTY_PICTURE):
        return custodian_page(*globals()[case](), made=MADE)


@cache
def rendered(case: str) -> str:
    """The report of one of the report_cases here, by its name; drawn once in a process."""
    return custodian_page(*globals()[case](), made=MADE)
