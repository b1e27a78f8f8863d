"""What would a project have to say so that files can be compared? The line to add to it."""

import json
import re

from unveil.errors import AlignError, InputError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def in_project(fault: InputError) -> str:
    """A refusal as a run tells it: with the setting that mends it, where there is one."""
    if not isinstance(fault, AlignError) or not fault.types:
        return str(fault)
    lines = ", ".join(f'{_key(name)} = "{kind}"' for name, kind in fault.types.items())
    return f"{fault} Or say in project.toml what the column is to be read as: [data.types] {lines}"


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=False)
