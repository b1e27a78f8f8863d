"""The record of a pack for programs: an RO-Crate (version 1.1), public or confidential.

`ro-crate-metadata.json` describes the pack in JSON-LD by the vocabulary of schema.org: what it
holds, by hash; who decided; which criteria were applied; with which versions. Thresholds are
confidential, unless a line in the project file releases them; no figure is ever in a public one.
Specification: https://w3id.org/ro/crate/1.1
"""

import json
import re
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath
from typing import Any

from unveil.records.judgement import Decision, Judgement, Limit
from unveil.records.pack import PackDocuments, PackMember, PublicDecision
from unveil.records.report import ContextAnswer
from unveil.records.run import Run
from unveil.version import __version__

CRATE = "ro-crate-metadata.json"
_VERSION = "https://w3id.org/ro/crate/1.1"
_CONTEXT = [f"{_VERSION}/context", {"sha256": "https://schema.org/sha256"}]
_TYPES = {
    ".csv": "text/csv",
    ".dta": "application/x-stata-dta",
    ".html": "text/html",
    ".json": "application/json",
    ".jsonl": "application/x-ndjson",
    ".md": "text/markdown",
    ".parquet": "application/vnd.apache.parquet",
    ".pdf": "application/pdf",
    ".sav": "application/x-spss-sav",
    ".toml": "application/toml",
    ".zsav": "application/x-spss-sav",
}

Entity = dict[str, Any]


def public_crate(
    documents: PackDocuments,
    members: Sequence[PackMember],
    limits: Sequence[Limit],
    *,
    with_thresholds: bool,
) -> bytes:
    """The public form: members, decision, checks, and which criteria were applied."""
    tested = [_criterion(one, with_threshold=with_thresholds) for one in limits]
    tested += [
        _value(f"check-{one.name}", one.name, "passed" if one.is_passed else "open", one.evidence)
        for one in documents.checks
    ]
    root = {
        "name": f"FAKE: {documents.title}",
        "description": documents.description or f"Synthetic data. {documents.method}",
        "datePublished": documents.decision.on[:10],
        "creativeWorkStatus": "FAKE: synthetic data, no real people",
        "contactPoint": _id("contact"),
    }
    contact = _entity("contact", "ContactPoint", name=documents.contact)
    publisher = documents.publisher or documents.contact or documents.decision.by
    extra = [contact, *_decision(documents.decision, tested), _software("unveil", __version__)]
    return _document(root, publisher, documents.licence or "", members, extra)


def confidential_crate(
    title: str,
    *,
    run: Run,
    decision: Decision | None,
    judgement: Judgement,
    answers: Sequence[ContextAnswer],
    members: Sequence[PackMember],
) -> bytes:
    """The confidential form: every criterion with threshold, origin and result; all hashes."""
    tested = [_criterion(one, with_threshold=True, judgement=judgement) for one in judgement.limits]
    tested += [
        _value(f"question-{one.name}", one.question, one.answer or "not answered", f"by {one.by}")
        for one in answers
    ]
    used = [("unveil", run.version), ("Python", run.python)]
    used += [(one.package, one.version) for one in run.packages]
    mentioned = [_software(*one) for one in used]
    mentioned += [
        _entity(f"input-{n}", "CreativeWork", name=f"{one.role}: {one.path}", sha256=one.sha256)
        for n, one in enumerate(run.files, start=1)
    ]
    if decision is None:
        mentioned += tested
    else:
        word = "released" if decision.release else "refused"
        hashes = (decision.results_sha256, decision.project_sha256, decision.log_head)
        made = [*_decision(decision, tested)]
        made[0] |= {
            "description": f"{word}: {decision.note}",
            "identifier": [
                f"{what} {one}"
                for what, one in zip(("results", "project", "log"), hashes, strict=True)
            ],
        }
        mentioned += made
    root = {
        "name": f"CONFIDENTIAL: {title}",
        "description": f"Runs, decisions and log of a project. {judgement.headline}",
        "datePublished": (run.finished if decision is None else decision.on)[:10],
        "mentions": [{"@id": one["@id"]} for one in mentioned],
    }
    licence = "Confidential: not to be released."
    return _document(root, run.by or "not stated", licence, members, mentioned)


def _document(
    root: Entity,
    publisher: str,
    licence: str,
    members: Iterable[PackMember],
    extra: Iterable[Entity],
) -> bytes:
    files = [
        {
            "@id": _quote(one.name),
            "@type": "File",
            "name": one.name,
            "description": one.what,
            "contentSize": str(one.n_bytes),
            "sha256": one.sha256,
            "encodingFormat": _TYPES.get(PurePosixPath(one.name).suffix.lower(), "text/plain"),
        }
        for one in members
    ]
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": {"@id": _VERSION},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            **root,
            **dict.fromkeys(("author", "publisher"), _id("publisher")),
            "license": _id("licence"),
            "hasPart": [{"@id": one["@id"]} for one in files],
        },
        _entity("licence", "CreativeWork", name=licence, description=f"Licence: {licence}"),
        _entity("publisher", "Organization", name=publisher),
        *files,
        *extra,
    ]
    document = {"@context": _CONTEXT, "@graph": graph}
    return (json.dumps(document, indent=2, ensure_ascii=True) + "\n").encode()


def _quote(name: str) -> str:
    """A name as part of an address."""
    found = re.sub(rb"[^A-Za-z0-9_.~/-]", lambda one: b"%%%02X" % one[0][0], name.encode())
    return found.decode()


def _id(name: str) -> Entity:
    return {"@id": f"#{name}"}


def _entity(of: str, kind: str, **told: Any) -> Entity:
    """What is described here, and is no file."""
    return {"@id": f"#{_quote(of)}", "@type": kind, **told}


def _value(name: str, title: str, value: str, evidence: str) -> Entity:
    return _entity(name, "PropertyValue", name=title, value=value, description=evidence)


def _software(name: str, version: str) -> Entity:
    return _entity(f"software-{name}", "SoftwareApplication", name=name, version=version)


def _decision(decision: Decision | PublicDecision, tested: Sequence[Entity]) -> list[Entity]:
    made = _entity(
        "decision",
        "AssessAction",
        name=f"Decision {decision.number}",
        agent=_id("decider"),
        instrument=_id("software-unveil"),
        object={"@id": "./"},
        endTime=decision.on,
        result=[{"@id": one["@id"]} for one in tested],
    )
    return [made, _entity("decider", "Person", name=decision.by), *tested]


def _criterion(limit: Limit, *, with_threshold: bool, judgement: Judgement | None = None) -> Entity:
    """One criterion; its threshold where that is told, its result in the confidential form only."""
    made = _entity(f"criterion-{limit.measure}", "PropertyValue", name=limit.measure)
    if not with_threshold or (limit.measure == "ECAP" and judgement is None):  # never public
        return {**made, "description": "a limit accepted by name; its threshold is confidential"}
    told = f"review above {limit.review:g}; origin: {limit.origin}"
    made |= {"description": told, "maxValue": limit.limit, "unitText": limit.unit}
    mine = [one for one in judgement.figures if one.measure == limit.measure] if judgement else []
    if mine:
        statuses = {one.status for one in mine}
        made["measurementTechnique"] = ", ".join(sorted(statuses))
        made |= {"value": max((one.value for one in mine if one.value is not None), default=None)}
    return made
