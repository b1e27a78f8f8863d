"""A list of findings in a TOML file: read from it, and written as one."""

import json
import os
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from unveil.errors import ReadError, nearest

LARGEST = 2_000_000


def read_findings(path: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """The `[[finding]]` entries of a file; its other tables are left to others."""
    file = Path(path)
    try:
        if file.stat().st_size > LARGEST:
            raise ReadError(f"The file {file.name!r} is too large for a list of findings.")
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as fault:
        raise ReadError(f"The file {file.name!r} is no TOML: {fault}.") from None
    except UnicodeDecodeError:
        raise ReadError(f"The file {file.name!r} is no text in UTF-8.") from None
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "it is no file"
        raise ReadError(f"The file {str(path)!r} cannot be read: {why}.") from None
    except RecursionError:
        raise ReadError(f"The file {file.name!r} has tables inside one another too deep.") from None
    found = document.get("finding")
    if not isinstance(found, list):
        raise ReadError(
            f"The file {file.name!r} holds no [[finding]].{_hint(document)} Begin each with"
            " [[finding]], then name, kind and what it is about."
        )
    return found


def _hint(document: Mapping[str, Any]) -> str:
    return next((hint for key in document if (hint := nearest(key, ["finding"]))), "")


def findings_toml(findings: Sequence[Mapping[str, Any]]) -> str:
    """A list of findings as the text of a TOML file; `read_findings` reads the same from it."""
    return "\n".join(
        "\n".join(
            ["[[finding]]", *(f"{_key(key)} = {_value(given)}" for key, given in one.items()), ""]
        )
        for one in findings
    )


def _key(key: str) -> str:
    is_bare = bool(key) and all(c.isascii() and (c.isalnum() or c in "_-") for c in key)
    return key if is_bare else _quoted(key)


def _value(given: Any) -> str:
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str):
        return _quoted(given)
    if isinstance(given, Mapping):
        return "{" + ", ".join(f"{_key(key)} = {_value(part)}" for key, part in given.items()) + "}"
    if isinstance(given, list | tuple):
        return "[" + ", ".join(map(_value, given)) + "]"
    return given.isoformat() if hasattr(given, "isoformat") else repr(given)


def _quoted(text: str) -> str:
    # JSON's escapes are TOML's, but for the one control character that JSON lets stand.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
