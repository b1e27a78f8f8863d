"""unveil: what would a release give away, to whom, how surely?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from unveil.measure.attribution.cap import cap
    from unveil.measure.attribution.cap_table import cap_table
    from unveil.measure.attribution.gcap import gcap
    from unveil.measure.attribution.gtcap import gtcap
    from unveil.measure.attribution.tcap import tcap
    from unveil.measure.confidentiality.differential import differential_confidentiality
    from unveil.measure.confidentiality.split import split
    from unveil.measure.risk.match_risk import match_risk
    from unveil.measure.uniques.suda import suda

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
    "cap",
    "cap_table",
    "differential_confidentiality",
    "disclosure",
    "excess",
    "exclusion_table",
    "gcap",
    "gtcap",
    "match_risk",
    "split",
    "suda",
    "tcap",
]

# The main job is there at once; the other rooms are entered when they are first asked for, each
# with the module that teaches its records to show themselves.
_ROOMS = {
    "cap": ("attribution.cap", "attribution"),
    "cap_table": ("attribution.cap_table", "attribution"),
    "differential_confidentiality": ("confidentiality.differential", "confidentiality"),
    "gcap": ("attribution.gcap", "targeted"),
    "gtcap": ("attribution.gtcap", "gtcap"),
    "match_risk": ("risk.match_risk", "match_risk"),
    "split": ("confidentiality.split", "confidentiality"),
    "suda": ("uniques.suda", "uniques"),
    "tcap": ("attribution.tcap", "targeted"),
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, drawer = _ROOMS[name]
    import_module(f"unveil.report.{drawer}")
    function = getattr(import_module(f"unveil.measure.{home}"), name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
