"""Is a pack as it was released? For its recipient: no project and no network is needed.

The manifest is in the form of sha256sum, so that its hashes can be checked without unveil. A
signature is OpenSSH's (`ssh-keygen -Y sign`): the key is the user's own, and the program that made
it checks it.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

from unveil.errors import ReadError, WriteError, quote_text
from unveil.io.archive import archive_faults, extract_archive
from unveil.io.code_meanings import codebook_of
from unveil.io.table import Table
from unveil.measure.structure.describe import describe_table
from unveil.project.fingerprint import file_sha256
from unveil.project.leak_check import BESIDE, DATA, mark_faults, open_pack
from unveil.records.codebook import DescribedFile
from unveil.records.pack import PackFault, PackForm, PackMember, PackVerification
from unveil.study.scenario import no_progress

MANIFEST, CODEBOOK, PAGE = "MANIFEST.sha256", "codebook.json", "README.html"
_NAMESPACE = "unveil-release-pack"
_CONFIDENTIAL = "project.toml"
_PATIENCE = 60  # seconds

# Manifest and codebook, as they are written and as they are checked.


def manifest_text(members: Sequence[PackMember]) -> str:
    """Hash and name of each member, as `sha256sum -c` reads them."""
    return "".join(f"{one.sha256}  {one.name}\n" for one in members)


def pooled_codebook(tables: Sequence[Table]) -> DescribedFile:
    """What data files declare and hold, all of them together: only what they show to anybody."""
    frame = _pooled([one.frame for one in tables])
    whole = replace(tables[0], frame=frame, codebook=codebook_of(tables[0]))
    found = describe_table(whole, None, progress=no_progress)
    return DescribedFile(
        codebook=found.codebook,
        n_records=found.n_records,
        declared_only=False,
        found=found.found,
        not_in_file=(),
        coercions=(),
    )


def _pooled(frames: Sequence[pl.DataFrame]) -> pl.DataFrame:
    try:
        return pl.concat(frames, how="vertical_relaxed")
    except pl.exceptions.PolarsError:  # text in one file, numbers in another
        return pl.concat([one.cast(pl.String) for one in frames], how="vertical")


def verify_pack(
    pack: str | os.PathLike[str], *, key: str | os.PathLike[str] | None = None
) -> PackVerification:
    """Whether a release pack is as it was written: manifest, marks, codebook, signature.

    Parameters
    ----------
    pack
        The archive. Its signature, where there is one, lies beside it with .sig behind its name.
    key
        The public key of the one who released it, as a file of OpenSSH; then the signature must be
        there and be by this key.

    Raises
    ------
    ReadError
        If it cannot be read as a pack at all.
    """
    place = Path(os.fsdecode(pack))
    if not place.is_file():
        raise ReadError(f"There is no file {quote_text(str(place))}. Name the pack: out.zip.")
    with TemporaryDirectory() as folder:
        files = extract_archive(place, Path(folder))
        form: PackForm = "confidential" if _CONFIDENTIAL in files else "public"
        faults = [PackFault(member=None, sentence=one) for one in archive_faults(place, files)]
        faults += _manifest_faults(files)
        data = [one for one in files if one.startswith(DATA) and not one.endswith(BESIDE)]
        if form == "public":
            faults += _public_faults(files)
    signature, signer, told = _check_signature(place, key)
    if told is not None:
        faults.append(PackFault(member=None, sentence=told))
    return PackVerification(
        file=place.name,
        form=form if MANIFEST in files else None,
        sha256=file_sha256(place)[1],
        n_members=len(files),
        n_data=len(data),
        signature=signature,
        signer=signer,
        faults=tuple(faults),
    )


def _manifest_faults(files: Mapping[str, Path]) -> Iterator[PackFault]:
    if MANIFEST not in files:
        yield PackFault(member=None, sentence=f"There is no {MANIFEST}.")
        return
    lines = files[MANIFEST].read_bytes().decode("utf-8", "replace").splitlines()
    known = {name: digest for digest, _, name in (line.partition("  ") for line in lines)}
    for name, digest in known.items():
        if name not in files:
            yield PackFault(member=name, sentence="It is in the manifest, but not in the pack.")
        elif file_sha256(files[name])[1] != digest:
            yield PackFault(member=name, sentence="It was changed: its hash differs.")
    for name in files:
        if name not in known and name != MANIFEST:
            yield PackFault(member=name, sentence="It is not in the manifest: it was added.")


def _public_faults(files: Mapping[str, Path]) -> Iterator[PackFault]:
    """Marks and codebook, against the data."""
    opened = open_pack(files)
    for name in opened.unreadable:
        if name.startswith(DATA):
            yield PackFault(member=name, sentence="It cannot be read as data.")
    for name, sentence in mark_faults(opened, None):
        yield PackFault(member=name, sentence=sentence)
    yield from _codebook_faults(files, opened.tables)


def _codebook_faults(files: Mapping[str, Path], tables: Mapping[str, Table]) -> Iterator[PackFault]:
    try:
        book = DescribedFile.from_json(files[CODEBOOK].read_bytes())
        names = [one.name for one in book.codebook.variables]
    except (KeyError, OSError, ReadError):
        yield PackFault(member=CODEBOOK, sentence="The codebook is missing or cannot be read.")
        return
    data = {name: one for name, one in tables.items() if name.startswith(DATA)}
    if not data:
        yield PackFault(member=None, sentence="The pack has no data.")
        return
    for name, table in data.items():
        if table.frame.columns != names:
            yield PackFault(member=name, sentence="Its columns are not those of the codebook.")
    ending = Path(book.codebook.source).suffix
    mine = [data[name] for name in sorted(data) if Path(name).suffix == ending]
    if not mine or pooled_codebook(mine).found != book.found:
        yield PackFault(member=CODEBOOK, sentence="The codebook does not describe the data.")
    sizes = [
        sorted(one.frame.height for name, one in data.items() if Path(name).suffix == of)
        for of in {Path(name).suffix for name in data}
    ]
    if any(one != sizes[0] for one in sizes):
        yield PackFault(member=None, sentence="The formats do not hold the same records.")


# A detached signature by OpenSSH, which is installed nearly everywhere and needs no network.


def sign_file(place: Path, key: Path) -> bytes:
    """The signature of a file by a private key of the user's."""
    if not key.is_file():
        raise WriteError(f"There is no key {quote_text(str(key))}. Name a private key of OpenSSH.")
    done = _ssh_keygen("-Y", "sign", "-q", "-f", str(key), "-n", _NAMESPACE, stdin=place)
    if done is None or done.returncode:
        what = "ssh-keygen is not installed" if done is None else "ssh-keygen refused the key"
        raise WriteError(f"The pack cannot be signed: {what}. Nothing was written.")
    return done.stdout


def _check_signature(
    place: Path, key: str | os.PathLike[str] | None
) -> tuple[Any, str | None, str | None]:
    """Whether there is a signature, whose it is, and what is wrong with it."""
    beside = place.with_name(f"{place.name}.sig")
    if not beside.is_file():
        told = f"There is no signature {beside.name!r} beside it." if key is not None else None
        return "none", None, told
    if key is None:
        arguments = ["-Y", "check-novalidate", "-n", _NAMESPACE, "-s", str(beside)]
        done = _ssh_keygen(*arguments, stdin=place)
    else:
        done = _verify_by(place, beside, Path(os.fsdecode(key)))
    if done is None:
        told = "The signature cannot be checked: ssh-keygen is not installed."
        return "not checked", None, told if key is not None else None
    if done.returncode:
        return "not valid", None, "The signature is not valid, or not by this key."
    words = done.stdout.decode("utf-8", "replace").split()
    signer = next((one for one in words if one.startswith("SHA256:")), None)
    return ("valid" if key is None else "by this key"), signer, None


def _verify_by(
    place: Path, signature: Path, key: Path
) -> "subprocess.CompletedProcess[bytes] | None":
    try:
        text = key.read_text(encoding="utf-8").strip().splitlines()[0]
    except (OSError, UnicodeDecodeError, IndexError):
        raise ReadError(
            f"The key {quote_text(str(key))} cannot be read. Name a public key of OpenSSH (.pub)."
        ) from None
    with TemporaryDirectory() as folder:
        allowed = Path(folder) / "allowed"
        allowed.write_text(f"signer {text}\n", encoding="utf-8")
        told = ["-Y", "verify", "-n", _NAMESPACE, "-f", str(allowed), "-I", "signer"]
        return _ssh_keygen(*told, "-s", str(signature), stdin=place)


def _ssh_keygen(*arguments: str, stdin: Path) -> "subprocess.CompletedProcess[bytes] | None":
    """Run it on a file; None where it is not installed. What it says of keys stays here."""
    program = shutil.which("ssh-keygen")
    if program is None:
        return None
    with stdin.open("rb") as content:
        return subprocess.run(
            [program, *arguments],
            stdin=content,
            capture_output=True,
            check=False,
            timeout=_PATIENCE,
        )
