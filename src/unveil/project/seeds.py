"""Where does the chance of a run come from? From one seed of the project, by the name of a part.

The seed is drawn by the system at the first run and stays in the confidential folder, with a
random text beside it, so that the SHA-256 of the file tells nothing about the seed.
"""

import json
import secrets
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from unveil.atomic import replace_file
from unveil.errors import ReadError, WriteError
from unveil.project.fingerprint import hash_bytes
from unveil.seeding import choose_seed

CONFIDENTIAL = "confidential"
FILE = f"{CONFIDENTIAL}/seed.json"
_NOTE = "CONFIDENTIAL: with this seed and the data, every random draw can be repeated."


@dataclass(frozen=True)
class ProjectSeed:
    """The seed of a project, and its file by content."""

    seed: int
    sha256: str

    def of(self, part: str) -> int:
        """The seed of one part, whatever the order of the parts."""
        text = f"{self.seed}\n{part}".encode("utf-8", "surrogatepass")
        # So many bits that every reader of JSON has the number whole.
        return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 11


def project_seed(folder: Path, given: int | None) -> ProjectSeed:
    """The seed that is kept; a new one where there is none, or another is given."""
    asked = None if given is None else choose_seed(given)
    kept = stored_seed(folder)
    if kept is not None and asked in (None, kept.seed):
        return kept
    return _keep(folder, choose_seed(asked))


def stored_seed(folder: Path) -> ProjectSeed | None:
    """The seed that an earlier run left; None where there was none."""
    place = folder / FILE
    if not place.exists():
        return None
    try:
        content = place.read_bytes()
        seed = json.loads(content)["seed"]
        return ProjectSeed(choose_seed(int(seed)), hash_bytes(content))
    except (OSError, ValueError, KeyError, TypeError):
        raise ReadError(
            f"The file {FILE!r} of the project cannot be read, so random draws would differ from"
            " before. Restore it, or remove it: a new seed is then drawn."
        ) from None


def _keep(folder: Path, seed: int) -> ProjectSeed:
    document = {"schema": 1, "note": _NOTE, "seed": seed, "nonce": secrets.token_hex(32)}
    content = json.dumps(document, indent=2).encode()
    confidential_folder(folder)
    try:
        replace_file(folder / FILE, content, mode=0o600)
    except OSError as fault:
        raise WriteError(
            f"The seed cannot be kept in {FILE!r}: {fault.strerror}. Nothing was measured."
        ) from None
    return ProjectSeed(seed, hash_bytes(content))


def confidential_folder(folder: Path) -> Path:
    """The folder that must not be released, for its owner alone."""
    place = folder / CONFIDENTIAL
    try:
        place.mkdir(mode=0o700, exist_ok=True)
    except OSError as fault:
        raise WriteError(
            f"The folder {str(place)!r} cannot be made: {fault.strerror}. Move the project to a"
            " folder in which you may create files."
        ) from None
    return place
