"""Are the limits of a project file those that somebody accepted? A mark beside the name tells.

The mark is a hash over the values and the name. It is no signature: it shows a change by hand, and
that nobody typed a name instead of asking its bearer.
"""

from collections.abc import Mapping
from hashlib import sha256

_LENGTH = 12


def mark_of(values: Mapping[str, tuple[float, float]], accepted_by: str) -> str:
    """The first 12 hexadecimal digits of the SHA-256 of the name and the sorted values."""
    lines = [
        accepted_by,
        *(f"{name} = {float(a)!r}, {float(b)!r}" for name, (a, b) in sorted(values.items())),
    ]
    return sha256("\n".join(lines).encode()).hexdigest()[:_LENGTH]
