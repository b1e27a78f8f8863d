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
from unveil.measure.excess import excess
from unveil.measure.exclusion_table import exclusion_table
from unveil.records.exclusions import Exclusion
from unveil.report import notebook as _notebook  # noqa: F401  (teaches records to show themselves)
from unveil.version import __version__ as __version__

__all__ = [
    "AlignError",
    "Exclusion",
    "InputError",
    "InternalError",
    "ReadError",
    "RolesError",
    "SettingsError",
    "UnveilError",
    "WriteError",
    "disclosure",
    "excess",
    "exclusion_table",
]
