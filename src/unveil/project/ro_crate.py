"""The record of a pack for programs: an RO-Crate (version 1.1), public or confidential.

`ro-crate-metadata.json` describes the pack in JSON-LD by the vocabulary of schema.org: what it
holds, by hash; who decided; which criteria were applied; with which versions. Thresholds are
confidential, unless a line in the project file releases them; no figure is ever in a public one.
Specification: https://w3id.org/ro/crate/1.1
"""

import json
import mimetypes
import re
from collections.abc import Iterator, Sequence
from typing import Any

from unveil.records.judgement import Decision, Judgement, Limit
from unveil.records.pack import PackDocuments, PackMember
from unveil.records.report import ContextAnswer
from unveil.records.run import Run
from unveil.version import __version__

CRATE = "ro-crate-metadata.json"
_VERSION = "https://w3id.org/ro/crate/1.1"
_CONTEXT = [f"{_VERSION}/context", {"sha256": "https://schema.org/sha256"}]
_TYPES = {
    ".parquet": "application/vnd.apache.parquet",
    ".sav": "application/x-spss-sav",
    ".zsav": "application/x-spss-sav",
    ".dta": "application/x-stata-dta",
    ".csv": "text/csv",
    ".sha256": "text/plain",
    ".jsonl": "application/x-ndjson",
    ".toml": "application/toml",
    ".md": "text/markdown",
}

Entity = dict[str, Any]


def public_crate(
    documents: PackDocuments,
    members: Sequence[PackMember],
    criteria: Sequence[str],
    limits: Sequence[Limit],
) -> bytes:
    """The public form: members, decision, checks, and by which criteria; thresholds where given."""
    decision = documents.decision
    known = {one.measure: one for one in limits}
    tested = [_criterion(name, known.get(name)) for name in dict.fromkeys(criteria)]
    tested += [
        {
            "@id": f"#check-{one.name}",
            "@type": "PropertyValue",
            "name": one.name,
            "value": "passed" if one.is_passed else "open",
            "description": one.evidence,
        }
        for one in documents.checks
    ]
    root = {
        "name": f"FAKE: {documents.title}",
        "description": documents.description
        or f"Synthetic data, no real people. {documents.method}",
        "datePublished": decision.on[:10],
        "creativeWorkStatus": "FAKE: synthetic data, no real people",
        **({} if documents.contact is None else {"contactPoint": _id("#contact")}),
        **dict.fromkeys(("author", "publisher"), _id("#publisher")),
    }
    extra = [
        *([] if documents.contact is None else [_contact(documents.contact)]),
        _publisher(documents.publisher or documents.contact or decision.by),
        *_decision(decision.number, decision.by, decision.on, tested, members),
        _software("unveil", __version__),
    ]
    return _document(root, documents.licence, members, extra)


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
    tested = [_criterion(one.measure, one, judgement) for one in judgement.limits]
    tested += [
        {
            "@id": f"#question-{one.name}",
            "@type": "PropertyValue",
            "name": one.question,
            "value": one.answer or "not answered",
        }
        for one in answers
    ]
    made: list[Entity] = [_software("unveil", run.version), _software("Python", run.python)]
    made += [_software(one.package, one.version) for one in run.packages]
    made += [
        {
            "@id": f"#input-{number}",
            "@type": "CreativeWork",
            "name": f"{file.role}: {file.path}",
            "sha256": file.sha256,
        }
        for number, file in enumerate(run.files, start=1)
    ]
    root: Entity = {
        "name": f"CONFIDENTIAL: {title}",
        "description": f"Runs, decisions and log of a project. {judgement.headline}",
        "datePublished": (run.finished if decision is None else decision.on)[:10],
        "mentions": [_id(one["@id"]) for one in made],
        **dict.fromkeys(("author", "publisher"), _id("#publisher")),
    }
    made.append(_publisher(run.by or "not stated"))
    decided = []
    if decision is not None:
        decided = [*_decision(decision.number, decision.by, decision.on, tested, members)]
        word = "released" if decision.release else "refused"
        decided[0] |= {
            "description": f"{word}: {decision.note}",
            "identifier": [
                f"results {decision.results_sha256}",
                f"project {decision.project_sha256}",
                f"log {decision.log_head}",
            ],
        }
    else:
        root["mentions"] += [_id(one["@id"]) for one in tested]
        decided = tested
    return _document(root, "Confidential: not to be released.", members, [*made, *decided])


def _id(of: str) -> Entity:
    return {"@id": of}


def _document(
    root: Entity, licence: str | None, members: Sequence[PackMember], extra: Sequence[Entity]
) -> bytes:
    files = [
        {
            "@id": _path(one.name),
            "@type": "File",
            "name": one.name,
            "description": one.what,
            "contentSize": str(one.n_bytes),
            "sha256": one.sha256,
            "encodingFormat": _encoding(one.name),
        }
        for one in members
    ]
    licence = licence or "Not stated."
    graph = [
        {
            "@id": CRATE,
            "@type": "CreativeWork",
            "conformsTo": _id(_VERSION),
            "about": _id("./"),
        },
        {
            "@id": "./",
            "@type": "Dataset",
            **root,
            "license": _id("#licence"),
            "hasPart": [_id(one["@id"]) for one in files],
        },
        {
            "@id": "#licence",
            "@type": "CreativeWork",
            "name": licence,
            "description": f"Licence: {licence}",
        },
        *files,
        *extra,
    ]
    document = {"@context": _CONTEXT, "@graph": graph}
    return (json.dumps(document, indent=2, ensure_ascii=True) + "\n").encode()


def _path(name: str) -> str:
    """A name as part of an address, as the specification asks for."""
    kept = re.compile(r"[A-Za-z0-9_.~/-]")
    return "".join(
        one if kept.match(one) else "".join(f"%{byte:02X}" for byte in one.encode()) for one in name
    )


def _encoding(name: str) -> str:
    ending = re.search(r"\.\w+$", name)
    known = _TYPES.get(ending[0].lower() if ending else "")
    return known or mimetypes.types_map.get(ending[0].lower() if ending else "", "text/plain")


def _decision(
    number: int, by: str, on: str, tested: Sequence[Entity], members: Sequence[PackMember]
) -> Iterator[Entity]:
    data = [_id(_path(one.name)) for one in members if one.name.startswith("data/")]
    yield {
        "@id": "#decision",
        "@type": "AssessAction",
        "name": f"Decision {number}",
        "agent": _id("#decider"),
        "instrument": _id("#software-unveil"),
        "endTime": on,
        **({"object": data} if data else {}),
        "result": [_id(one["@id"]) for one in tested],
    }
    yield {"@id": "#decider", "@type": "Person", "name": by}
    yield from tested


def _criterion(name: str, limit: Limit | None, judgement: Judgement | None = None) -> Entity:
    """One criterion; its threshold where that is told, its result in the confidential form only."""
    made: Entity = {"@id": f"#criterion-{name}", "@type": "PropertyValue", "name": name}
    if limit is None:
        return {**made, "description": "a limit accepted by name; its threshold is confidential"}
    made |= {
        "description": f"review above {limit.review:g}; origin: {limit.origin}",
        "maxValue": limit.limit,
        "unitText": limit.unit,
    }
    mine = [one for one in judgement.figures if one.measure == name] if judgement else []
    values = [one.value for one in mine if one.value is not None]
    statuses = {one.status for one in mine}
    worst = next((one for one in ("above", "review", "within") if one in statuses), "not measured")
    return {
        **made,
        **({"value": max(values)} if values else {}),
        **({"measurementTechnique": worst} if mine else {}),
    }


def _contact(text: str) -> Entity:
    address = re.search(r"[\w.+-]+@[\w.-]+\w", text)
    told = {} if address is None else {"email": address[0]}
    return {"@id": "#contact", "@type": "ContactPoint", "name": text, **told}


def _publisher(name: str) -> Entity:
    return {"@id": "#publisher", "@type": "Organization", "name": name}


def _software(name: str, version: str) -> Entity:
    return {
        "@id": f"#software-{name}",
        "@type": "SoftwareApplication",
        "name": name,
        "version": version,
    }
