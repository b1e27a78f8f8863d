"""The record of a pack for programs is an RO-Crate: by a validator, and by the published rules."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from project.test_pack import decided
from unveil.io.archive import extract_archive
from unveil.project.ro_crate import CRATE

pytestmark = pytest.mark.slow

# An environment of its own has the extra crate: the validator needs an older rich than our tools.
PYTHON = os.environ.get("UNVEIL_CRATE_PYTHON")

# The validator wants the vocabulary from the network; it gets the one that the package rocrate
# brings, and everything else is refused.
VALIDATE = """
import json, sys
from pathlib import Path
import requests, requests_cache, rocrate
import rdflib.plugins.shared.jsonld.context as context
words = (Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_bytes()
def answer(self, method, url, **more):
    made = requests.Response()
    made.url, made._content = url, words
    made.status_code = 200 if url.endswith("/context") else 404
    made.headers["Content-Type"] = "application/ld+json"
    return made
requests.Session.request = requests_cache.CachedSession.request = answer
whole = context.source_to_json
context.source_to_json = lambda source, *more, **named: (
    (json.loads(words), None) if str(source).endswith("/context") else whole(source, *more, **named)
)
from rocrate_validator import services
from rocrate_validator.models import Severity
found = services.validate(services.ValidationSettings(
    rocrate_uri=sys.argv[1], profile_identifier="ro-crate-1.1",
    requirement_severity=Severity.RECOMMENDED,
))
print(json.dumps([issue.message for issue in found.get_issues()]))
"""


@pytest.fixture(scope="module")
def crates(tmp_path_factory) -> dict[str, Path]:
    project = decided(tmp_path_factory.mktemp("crates"))
    made = {}
    for form in ("public", "confidential"):
        made[form] = tmp_path_factory.mktemp(form)
        project.pack(made[form] / "out.zip", form=form)
        extract_archive(made[form] / "out.zip", made[form])
        (made[form] / "out.zip").unlink()
    return made


@pytest.mark.skipif(PYTHON is None, reason="needs an environment with the extra crate")
@pytest.mark.parametrize("form", ["public", "confidential"])
def test_the_validator_of_the_community_agrees(crates, form):
    done = subprocess.run(
        [PYTHON, "-c", VALIDATE, str(crates[form])],
        capture_output=True,
        text=True,
        check=True,
    )
    # All required rules hold; of the recommended ones, publishers here need not have an address.
    assert json.loads(done.stdout.splitlines()[-1]) == ["The organization SHOULD have a URL."]


@pytest.mark.parametrize("form", ["public", "confidential"])
def test_the_rules_of_the_specification_hold(crates, form):
    """RO-Crate 1.1: root data entity, descriptor, flat graph, every file, every reference."""
    document = json.loads((crates[form] / CRATE).read_text())
    assert document["@context"][0] == "https://w3id.org/ro/crate/1.1/context"
    graph = {one["@id"]: one for one in document["@graph"]}
    assert len(graph) == len(document["@graph"])  # no @id twice
    descriptor, root = graph[CRATE], graph["./"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}
    assert root["@type"] == "Dataset"
    assert all(root[name] for name in ("name", "description", "datePublished", "license"))
    files = {
        path.relative_to(crates[form]).as_posix()
        for path in crates[form].rglob("*")
        if path.is_file()
    }
    parts = {one["@id"] for one in root["hasPart"]}
    assert parts == files - {CRATE, "MANIFEST.sha256"}
    assert all(graph[one]["@type"] == "File" for one in parts)

    def references(value):
        if isinstance(value, list):
            return [found for one in value for found in references(one)]
        if isinstance(value, dict):
            assert set(value) == {"@id"}  # flat: nothing is nested
            return [value["@id"]]
        return []

    for one in document["@graph"]:
        for name, value in one.items():
            for of in references(value):
                assert of in graph or name == "conformsTo"
