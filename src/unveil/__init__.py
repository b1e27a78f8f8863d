"""unveil: what would a release give away, to whom, how surely?"""

from unveil.errors import (
    AlignError,
    InputError,
    InternalError,
    ReadError,
    RolesError,
    SettingsError,
    UnveilError,
    WriteError,
)
from unveil.measure.disclosure import disclosure
from unveil.report import notebook as _notebook  # noqa: F401  (teaches records to show themselves)
from unveil.version import __version__ as __version__

__all__ = [
    "AlignError",
    "InputError",
    "InternalError",
    "ReadError",
    "RolesError",
    "SettingsError",
    "UnveilError",
    "WriteError",
    "disclosure",
]
