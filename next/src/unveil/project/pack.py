"""The release pack: what may leave, reopened and searched before it is written.

Every text in it is made of the synthetic data, the decision and what `[pack]` says. The data are
written anew, so that nothing that hides in a file leaves with it.
"""

import io
import json
import re
import shlex
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import msgspec
import polars as pl

from unveil.arguments import Form, checked, last_text
from unveil.data.codebook import Variable
from unveil.data.columns import as_columns
from unveil.data.files import guard, replace_file
from unveil.data.read import OpenFile, read
from unveil.data.write import FAKE, PREFIX, WRITERS, write
from unveil.errors import BlockedError, InputError, UnveilError
from unveil.project.parts import open_study
from unveil.project.protecting import read_recoded
from unveil.project.rows import MemberRow, Pack, TestRow
from unveil.project.standing import Standing
from unveil.project.store import sha256
from unveil.results.words import join_names
from unveil.study import Study

MANIFEST, CRATE, DECISION = "MANIFEST.sha256", "ro-crate-metadata.json", "decision.json"
WHAT = {
    r"data/FAKE_[\w.-]+_codebook\.csv": "labels of the data",
    r"data/FAKE_[\w.-]+": "synthetic data",
    r"codebook\.csv": "columns, levels and labels",
    r"README\.html": "what the data are, and are not",
    r"decision\.json": "who released them, and when",
    r"ro-crate-metadata\.json": "description for catalogues (RO-Crate 1.1)",
    r"MANIFEST\.sha256": "hashes of all members",
}
"""What may leave, and nothing else."""
LARGEST = 4 * 2**30  # bytes of all members together
LISTED = 50  # levels of a column that the codebook lists
SMALL = 10  # numbers below it stand in any text
NUMBER = re.compile(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?")
Members = dict[str, bytes]


def build(standing: Standing, folder: Path, path: Path) -> Pack:
    """Make the pack, reopen it, search it; it is written only if nothing is found."""
    study = open_study(standing.settings, folder)
    files = [file for file in study.files if file.role == "synthetic"]
    members, about = _members(standing, files)
    content = _zip(members)
    pack = _examine(path, content)
    tests = (*pack.tests, *_searched(standing, study, files, members, about, folder))
    step = f"unveil pack --verify {shlex.quote(str(path))}"
    pack = msgspec.structs.replace(pack, tests=tests, settings={"next": step})
    if pack.faults:
        raise BlockedError(f"{path.name} is not written. {' '.join(pack.sentences)}")
    replace_file(path, content)
    return pack


@checked
def verify(pack: Annotated[Any, Form("a path", "PACK", last_text)]) -> Pack:
    """Check a pack that was received: its members, their hashes, and the marks of synthetic data.

    Parameters
    ----------
    pack
        The pack: a path.
    """
    try:
        return _examine(Path(pack), Path(pack).read_bytes())
    except OSError:
        raise InputError(f"There is no file {str(pack)!r} that can be read.") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError):
        raise InputError(f"{str(pack)!r} is no pack, or is damaged. Ask for it again.") from None


# Members


def _members(standing: Standing, files: Sequence[OpenFile]) -> tuple[Members, dict[str, Any]]:
    """What leaves, made of what is public."""
    settings, decision = standing.settings.pack, standing.decision
    assert decision is not None
    data: Members = {}
    sizes = []
    with TemporaryDirectory() as apart:
        for file in files:
            for path in _write_data(file, settings.formats, Path(apart), len(files)):
                data[f"data/{path.name}"] = path.read_bytes()
                if not path.name.endswith("_codebook.csv"):
                    of = f" ({join_names([file.version])})" if file.version else ""
                    sizes.append({"name": f"data/{path.name}", "records": len(file.frame),
                                  "columns": len(file.frame.columns), "of": of})  # fmt: skip
        for path in Path(apart).glob("*_codebook.csv"):
            data[f"data/{path.name}"] = path.read_bytes()
    said = {name: decision.settings[name] for name in ("answer", "by", "on", "reason")}
    about = {
        **{name: getattr(settings, name) for name in settings.__struct_fields__},
        "title": settings.title or "Synthetic data",
        "by": said["by"], "on": said["on"], "files": sizes, "columns": list(_columns(files[0])),
    }  # fmt: skip
    hashes = {name: sha256(body) for name, body in data.items()}
    members = data | {
        "codebook.csv": _codebook(files[0]),
        "README.html": _readme(about),
        DECISION: _json(said | {"files": hashes}),
    }
    members[CRATE] = _json(_crate(about, members))
    lines = (f"{sha256(body)}  {name}\n" for name, body in members.items())
    return members | {MANIFEST: "".join(lines).encode()}, about


def _write_data(
    file: OpenFile, formats: Sequence[str], folder: Path, n_files: int
) -> Iterator[Path]:
    """The records anew, with their mark, in each format that is asked for."""
    name = Path(file.name)
    own = name.suffix.lower() if name.suffix.lower() in WRITERS else ".csv"
    stem = re.sub(r"[^\w.-]", "_", name.stem.removeprefix(PREFIX))
    version = re.sub(r"[^\w.-]", "_", file.version)
    several = "_".join(filter(None, (version, str(file.copy)))) if n_files > 1 else ""
    for ending in [f".{name}" for name in formats] or [own]:
        yield write(file.data, folder / ("_".join(filter(None, (stem, several))) + ending))


def _columns(file: OpenFile) -> Iterator[dict[str, Any]]:
    for column in file.frame.drop(FAKE, strict=False):
        about = file.data.codebook.get(column.name, Variable())
        levels, missing = column.drop_nulls().n_unique(), column.null_count()
        yield {"column": column.name, "label": about.label, "levels": levels, "missing": missing}


def _codebook(file: OpenFile) -> bytes:
    """Each column, and the levels of categories with their labels, as in the synthetic data."""
    rows: list[tuple[str, str, str, int]] = []
    for column in file.frame.drop(FAKE, strict=False):
        about = file.data.codebook.get(column.name, Variable())
        rows.append((column.name, "", about.label, len(column) - column.null_count()))
        counts = column.cast(pl.String, strict=False).drop_nulls().value_counts(sort=True)
        if len(counts) <= LISTED and (about.labels or not column.dtype.is_float()):
            rows += [(column.name, level, about.labels.get(level, ""), n)
                     for level, n in counts.iter_rows()]  # fmt: skip
    table = pl.DataFrame(rows, ["column", "level", "label", "records"], orient="row")
    texts = pl.col("column", "level", "label").map_elements(guard, return_dtype=pl.String)
    return table.with_columns(texts).write_csv().encode()


def _readme(about: Mapping[str, Any]) -> bytes:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    loader = PackageLoader("unveil.project", ".")
    environment = Environment(loader=loader, autoescape=True, undefined=StrictUndefined)
    return environment.get_template("readme.html").render(about=about).encode()


def _crate(about: Mapping[str, Any], members: Members) -> dict[str, Any]:
    """RO-Crate 1.1, as plain data."""
    files = [
        {"@id": name, "@type": "File", "contentSize": str(len(body)), "sha256": sha256(body)}
        for name, body in members.items()
    ]
    root = {
        "@id": "./", "@type": "Dataset", "name": about["title"],
        "description": about["description"] or "Synthetic data. Explore here; confirm on the"
        " original.",
        "datePublished": about["on"], "license": about["licence"] or "not stated",
        "hasPart": [{"@id": name} for name in members],
    }  # fmt: skip
    if about["publisher"]:
        files.append({"@id": "#publisher", "@type": "Organization", "name": about["publisher"]})
        root["publisher"] = {"@id": "#publisher"}
    itself = {
        "@id": CRATE, "@type": "CreativeWork", "about": {"@id": "./"},
        "conformsTo": {"@id": "https://w3id.org/ro/crate/1.1"},
    }  # fmt: skip
    return {"@context": "https://w3id.org/ro/crate/1.1/context", "@graph": [itself, root, *files]}


def _json(value: Any) -> bytes:
    return json.dumps(value, indent=1, ensure_ascii=False).encode()


def _zip(members: Members) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in members.items():
            archive.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), body)
    return packed.getvalue()


# What anybody can check


def _examine(path: Path, content: bytes) -> Pack:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = archive.infolist()
        if sum(entry.file_size for entry in entries) > LARGEST:
            raise InputError(
                f"{path.name} unpacks to more than {LARGEST / 2**30:.0f} GB. Ask who made it."
            )
        members = {entry.filename: archive.read(entry) for entry in entries}
    tests = _tests(members, [entry.filename for entry in entries])
    rows = (
        MemberRow(name=member, what=_what(member), bytes=len(body), sha256=sha256(body))
        for member, body in members.items()
    )
    return Pack(
        members=tuple(rows),
        tests=tuple(tests),
        settings={"next": f"unzip {shlex.quote(str(path))}"},
    )


def _what(member: str) -> str:
    return next((what for form, what in WHAT.items() if re.fullmatch(form, member)), "")


def _tests(members: Members, names: Sequence[str]) -> Iterator[TestRow]:
    yield _test("only members that may leave, each once", [
        *(name for name in members if not _what(name)),
        *(name for name in members if names.count(name) > 1),
        *(name for name in (MANIFEST, CRATE, DECISION) if name not in members),
    ])  # fmt: skip
    lines = members.get(MANIFEST, b"").decode("utf-8", "replace").splitlines()
    listed = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    yield _test("every member is as in the manifest", [
        name for name in sorted({*members, *listed} - {MANIFEST})
        if name not in members or listed.get(name) != sha256(members[name])
    ])  # fmt: skip
    described = {str(entry.get("@id")) for entry in _entries(members.get(CRATE, b""))}
    yield _test("every member is described", sorted(set(members) - described - {MANIFEST, CRATE}))
    yield _test("released, with the hash of each file", [*_not_released(members)])
    yield _test("records are marked as synthetic", [*_unmarked(members)])


def _test(test: str, faults: Iterable[str]) -> TestRow:
    faults = list(faults)
    evidence = join_names(faults) if faults else "nothing found"
    return TestRow(test=test, passed=not faults, evidence=evidence)


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except ValueError:
        return {}
    return document if isinstance(document, dict) else {}


def _entries(crate: bytes) -> list[dict[str, Any]]:
    graph = _document(crate).get("@graph")
    return [entry for entry in graph if isinstance(entry, dict)] if isinstance(graph, list) else []


def _not_released(members: Members) -> Iterator[str]:
    decision = _document(members.get(DECISION, b""))
    if decision.get("answer") != "release":
        yield f"{DECISION} is no release"
    hashes = decision.get("files")
    for name, body in members.items():
        if name.startswith("data/") and (
            not isinstance(hashes, dict) or hashes.get(name) != sha256(body)
        ):
            yield name


def _unmarked(members: Members) -> Iterator[str]:
    """Files without the column FAKE, or with records that it does not mark."""
    with TemporaryDirectory() as apart:
        for name, body in members.items():
            if _what(name) != "synthetic data":
                continue
            path = Path(apart, Path(name).name)
            path.write_bytes(body)
            try:
                frame = read(path).frame
            except UnveilError:
                yield f"{name} cannot be read"
                continue
            marks = frame[FAKE].cast(pl.String) if FAKE in frame.columns else pl.Series([None])
            if not set(marks) <= {"1", "1.0"}:
                yield f"{name} has no mark {FAKE}"


# What only the project can check


def _searched(
    standing: Standing, study: Study, files: Sequence[OpenFile], members: Members,
    about: Mapping[str, Any], folder: Path,
) -> Iterator[TestRow]:  # fmt: skip
    decision = standing.decision
    assert decision is not None
    roles = {role for role in standing.record.files if role.startswith("synthetic")}
    released = {decision.settings["files"][role] for role in roles}
    yield _test("the data are those that were decided on", [
        *(file.name for file in files if file.sha256 not in released),
        *_not_the_same(files, members),
    ])  # fmt: skip
    texts = {name: body.decode() for name, body in members.items() if not name.startswith("data/")}
    public = {number for name in ("codebook.csv",) for number in _numbers(texts[name])}
    public |= {str(file[name]) for file in about["files"] for name in ("records", "columns")}
    public |= {number for text in (about["on"], *members) for number in _numbers(text)}
    public |= {str(len(body)) for body in members.values()}
    public |= {number for row in about["columns"] for number in _numbers(str(row))}
    secret = _confidential(standing) - public
    yield _test("no confidential figure", [
        f"{name} holds {number}"
        for name, text in texts.items() if name != MANIFEST
        for number in dict.fromkeys(_numbers(text)) if number in secret
    ])  # fmt: skip
    yield _test("no name or place of the original, no seed", [
        f"{name} names {what}"
        for name, body in members.items()
        for what, form in _secrets(standing, study, folder)
        if form.search(body)
    ])  # fmt: skip
    yield _test("no real values of identifiers", [*_real_values(standing, study, files)])


def _not_the_same(files: Sequence[OpenFile], members: Members) -> Iterator[str]:
    """Files that do not hold the records that were assessed."""
    with TemporaryDirectory() as apart:
        for name, body in members.items():
            Path(apart, Path(name).name).write_bytes(body)
        data = [name for name in members if _what(name) == "synthetic data"]
        per_file = len(data) // len(files)
        for place, name in enumerate(data):
            file = files[place // per_file]
            both = Study(file.data, str(Path(apart, Path(name).name)))
            names = [column for column in file.frame.columns if column != FAKE]
            codes = [both.unbanded(column).codes for column in names]
            if any((column[both.rows[0]] != column[both.rows[1]]).any() for column in codes):
                yield name


def _confidential(standing: Standing) -> set[str]:
    """Every figure of the assessment, as a text might quote it."""
    numbers: set[str] = set()
    rows = standing.rows
    for row in (*rows.figures, *rows.attribute, *rows.identity, *rows.alerts):
        for name, unit in row.units().items():
            value = row[name]
            if unit.is_figure and isinstance(value, int | float) and abs(value) >= SMALL:
                size = abs(value)
                numbers |= {f"{size:.0f}", f"{size:.1f}", f"{size:.2f}"}
    return {number for number in numbers if number not in WHOLE}


WHOLE = {"100", "100.0", "100.00"}


def _numbers(text: str) -> list[str]:
    visible = re.sub(
        r"<style>.*?</style>|<[^>]+>|&#?\w+;|\b[0-9a-f]{64}\b", " ", text, flags=re.DOTALL
    )
    return [number.replace(",", "") for number in NUMBER.findall(visible)]


def _secrets(
    standing: Standing, study: Study, folder: Path
) -> Iterator[tuple[str, re.Pattern[bytes]]]:
    """Texts that must not leave, each with what it is."""
    for file in study.files:
        if file.role != "synthetic" and file.path:
            yield f"the file of {file.label}", _word(file.path.name)
            yield f"the hash of {file.label}", _word(file.sha256)
            yield f"the folder of {file.label}", _word(str(file.path.resolve().parent))
    if recoded := read_recoded(standing.settings, folder):
        yield from (("a confidential file", _word(name)) for name in recoded.names)
    yield "the folder of the project", _word(str(folder.resolve()))
    seeds = {standing.record.seed, standing.settings.synthesis.get("seed")} - {None}
    for seed in (seed for seed in seeds if len(str(seed)) > 3):
        yield "a seed", _word(str(seed))


def _word(text: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?<![\w.-])" + re.escape(text.encode()) + rb"(?![\w])")


def _real_values(standing: Standing, study: Study, files: Sequence[OpenFile]) -> Iterator[str]:
    """Columns that point at people and hold values of theirs, without a reason."""
    for name, column in as_columns(standing.settings.columns).items():
        if column.role not in ("identifier", "person") or column.reason:
            continue
        real = (
            set(study.original[name].drop_nulls().cast(pl.String))
            if name in study.original.columns
            else set()
        )
        for file in files:
            if name in file.frame.columns and real & set(file.frame[name].cast(pl.String)):
                yield f"{name} in {file.name}"
