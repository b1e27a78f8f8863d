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
    from unveil.measure.codebook.compare import compare_structure
    from unveil.measure.codebook.describe import codebook
    from unveil.measure.confidentiality.differential import differential_confidentiality
    from unveil.measure.confidentiality.split import split
    from unveil.measure.risk.match_risk import match_risk
    from unveil.measure.tables.audit import audit
    from unveil.measure.tables.bounds import bounds
    from unveil.measure.tables.design import compare_rounding
    from unveil.measure.tables.release import Release
    from unveil.measure.tables.rounding import round_table
    from unveil.measure.tables.sap import sap
    from unveil.measure.uniques.suda import suda
    from unveil.read.labelled import Labelled
    from unveil.read.reading import read_file
    from unveil.synthesis.synthesise import synthesise
    from unveil.synthesis.synthesiser import Synthesiser
    from unveil.write.copies import write_file

__all__ = [
    "AlignError",
    "Exclusion",
    "InputError",
    "InternalError",
    "Labelled",
    "ReadError",
    "Release",
    "RolesError",
    "SettingsError",
    "Synthesiser",
    "UnveilError",
    "WriteError",
    "audit",
    "bounds",
    "cap",
    "cap_table",
    "codebook",
    "compare_rounding",
    "compare_structure",
    "differential_confidentiality",
    "disclosure",
    "excess",
    "exclusion_table",
    "gcap",
    "gtcap",
    "match_risk",
    "read_file",
    "round_table",
    "sap",
    "split",
    "suda",
    "synthesise",
    "tcap",
    "write_file",
]

# The main job is there at once; the other rooms are entered when they are first asked for, each
# with the module that teaches its records to show themselves.
_ROOMS: dict[str, tuple[str, str | None]] = {
    "Labelled": ("read.labelled", None),
    "Release": ("measure.tables.release", "tables"),
    "Synthesiser": ("synthesis.synthesiser", "synthesis"),
    "audit": ("measure.tables.audit", "tables"),
    "bounds": ("measure.tables.bounds", "tables"),
    "cap": ("measure.attribution.cap", "attribution"),
    "cap_table": ("measure.attribution.cap_table", "attribution"),
    "codebook": ("measure.codebook.describe", "codebook"),
    "compare_rounding": ("measure.tables.design", "design"),
    "compare_structure": ("measure.codebook.compare", "codebook"),
    "differential_confidentiality": ("measure.confidentiality.differential", "confidentiality"),
    "gcap": ("measure.attribution.gcap", "targeted"),
    "gtcap": ("measure.attribution.gtcap", "gtcap"),
    "match_risk": ("measure.risk.match_risk", "match_risk"),
    "round_table": ("measure.tables.rounding", "tables"),
    "sap": ("measure.tables.sap", "sap"),
    "read_file": ("read.reading", None),
    "split": ("measure.confidentiality.split", "confidentiality"),
    "suda": ("measure.uniques.suda", "uniques"),
    "synthesise": ("synthesis.synthesise", "synthesis"),
    "tcap": ("measure.attribution.tcap", "targeted"),
    "write_file": ("write.copies", None),
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home, drawer = _ROOMS[name]
    if drawer:
        import_module(f"unveil.report.{drawer}")
    function = getattr(import_module(f"unveil.{home}"), name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
