"""What is the text of a TOML file, and what does it say? One reader for all who read one."""

import tomllib
from pathlib import Path
from typing import Any

from unveil.errors import ReadError, quote_text

MARK = "\ufeff"
"""The byte order mark that some editors put in front."""

LARGEST = 1_000_000

# What the parser says, in part, and what helps.
_HINTS = {
    "Expected ']": "A table begins with [name], one of several with [[name]].",
    "Cannot overwrite": "Each name may occur only once in its table.",
    "twice": "Each table may begin only once; begin several of a kind with [[ and ]].",
    "Cannot mutate immutable": (
        "Each table may begin only once; begin several of a kind with [[ and ]]."
    ),
    "Unescaped '\\'": "In double quotes a backslash is written twice; paths may have / instead.",
    "hex value": "In double quotes a backslash is written twice; paths may have / instead.",
    "Invalid value": "Put text in double quotes; write true and false in lower case.",
    "Invalid statement": "Write name = value; put a name with blanks in double quotes.",
    "Expected '='": "Write name = value; put a name with blanks in double quotes.",
    "Unclosed array": "A list ends with ] and has commas between its entries.",
    "Unclosed inline table": "A table in braces ends with } on the same line.",
    "Expected newline or end": "Write one setting per line.",
    "Illegal character": "Text ends with a double quote in its own line.",
}


def read_text(file: Path, what: str = "a project file") -> str:
    """The text as it is, to the byte: mark, line ends and all; `what` it should be."""
    try:
        if file.stat().st_size > LARGEST:
            raise ReadError(f"The file {quote_text(file.name)} is too large for {what}.")
        return file.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ReadError(f"The file {quote_text(file.name)} is not UTF-8 text.") from None
    except (OSError, ValueError) as fault:
        why = getattr(fault, "strerror", None) or "it is not a file"
        raise ReadError(f"The file {quote_text(str(file))} cannot be read: {why}.") from None


def parse_plain(text: str) -> dict[str, Any]:
    """What a text says; a ValueError where it is no TOML."""
    return tomllib.loads(text.removeprefix(MARK))


def parse_document(name: str, text: str) -> dict[str, Any]:
    """What a text says as TOML, or where it is none."""
    try:
        return parse_plain(text)
    except tomllib.TOMLDecodeError as fault:
        hint = next((f" {help_}" for said, help_ in _HINTS.items() if said in str(fault)), "")
        if "\r" in text.replace("\r\n", "\n"):
            hint = " Its lines end as on old Macs (CR): save it with line ends LF or CRLF."
        raise ReadError(f"The file {quote_text(name)} is not valid TOML: {fault}.{hint}") from None
    except RecursionError:
        raise ReadError(f"The file {quote_text(name)} has tables nested too deeply.") from None
