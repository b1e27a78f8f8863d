"""unveil: what would a release give away, to whom, how surely?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unveil.errors import (
    AboveLimitError,
    AlignError,
    InputError,
    InternalError,
    LockedError,
    ReadError,
    RolesError,
    RulingNeededError,
    SettingsError,
    TamperedError,
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
    from unveil.exploration.explore import explore
    from unveil.measure.attacks.inference import inference
    from unveil.measure.attacks.linkability import linkability
    from unveil.measure.attacks.membership import membership
    from unveil.measure.attacks.singling_out import singling_out
    from unveil.measure.attribution.cap import cap
    from unveil.measure.attribution.cap_table import cap_table
    from unveil.measure.attribution.gcap import gcap
    from unveil.measure.attribution.gtcap import gtcap
    from unveil.measure.attribution.tcap import tcap
    from unveil.measure.codebook.compare import compare_structure
    from unveil.measure.codebook.describe import codebook
    from unveil.measure.confidentiality.differential import differential_confidentiality
    from unveil.measure.confidentiality.split import split
    from unveil.measure.gate.assess import assess
    from unveil.measure.membership.choosing import choose_noise
    from unveil.measure.membership.discrete import ecap_discrete
    from unveil.measure.membership.ecap import ecap
    from unveil.measure.membership.probability import ecap_from_probabilities
    from unveil.measure.risk.match_risk import match_risk
    from unveil.measure.roles.suggest import suggest
    from unveil.measure.tables.audit import audit
    from unveil.measure.tables.bounds import bounds
    from unveil.measure.tables.design import compare_rounding
    from unveil.measure.tables.release import Release
    from unveil.measure.tables.rounding import round_table
    from unveil.measure.tables.sap import sap
    from unveil.measure.uniques.suda import suda
    from unveil.measure.utility.compare import compare
    from unveil.measure.utility.findings import findings
    from unveil.measure.utility.projection import projection
    from unveil.measure.utility.tables import tables
    from unveil.measure.utility.tstr import tstr
    from unveil.measure.utility.utility import utility
    from unveil.protection.distance.filter import distance_filter
    from unveil.protection.distance.refill import refill
    from unveil.protection.fake import label_as_fake
    from unveil.protection.noise import add_noise
    from unveil.protection.protect import protect
    from unveil.protection.recoding.recode import recode
    from unveil.protection.recoding.suggest import suggest_coding
    from unveil.protection.replicated import remove_replicated_uniques
    from unveil.protection.smoothing import smooth
    from unveil.read.labelled import Labelled
    from unveil.read.reading import read_file
    from unveil.release.project import Project
    from unveil.synthesis.synthesise import synthesise
    from unveil.synthesis.synthesiser import Synthesiser
    from unveil.write.copies import write_file

__all__ = [
    "AboveLimitError",
    "AlignError",
    "Exclusion",
    "InputError",
    "InternalError",
    "Labelled",
    "LockedError",
    "Project",
    "ReadError",
    "Release",
    "RolesError",
    "RulingNeededError",
    "SettingsError",
    "Synthesiser",
    "TamperedError",
    "UnveilError",
    "WriteError",
    "add_noise",
    "assess",
    "audit",
    "bounds",
    "cap",
    "cap_table",
    "choose_noise",
    "codebook",
    "compare",
    "compare_rounding",
    "compare_structure",
    "differential_confidentiality",
    "disclosure",
    "distance_filter",
    "ecap",
    "ecap_discrete",
    "ecap_from_probabilities",
    "excess",
    "exclusion_table",
    "explore",
    "findings",
    "gcap",
    "gtcap",
    "inference",
    "label_as_fake",
    "linkability",
    "match_risk",
    "membership",
    "projection",
    "protect",
    "read_file",
    "recode",
    "refill",
    "remove_replicated_uniques",
    "round_table",
    "sap",
    "singling_out",
    "smooth",
    "split",
    "suda",
    "suggest",
    "suggest_coding",
    "synthesise",
    "tables",
    "tcap",
    "tstr",
    "utility",
    "write_file",
]

# The main job is there at once; the other rooms are entered when they are first asked for, each
# with the module that teaches its records to show themselves.
_ROOMS: dict[str, tuple[str, str | None]] = {
    "Labelled": ("read.labelled", None),
    "Project": ("release.project", "desk_view"),
    "Release": ("measure.tables.release", "tables"),
    "Synthesiser": ("synthesis.synthesiser", "synthesis"),
    "add_noise": ("protection.noise", "noise"),
    "assess": ("measure.gate.assess", "alerts"),
    "audit": ("measure.tables.audit", "tables"),
    "bounds": ("measure.tables.bounds", "tables"),
    "cap": ("measure.attribution.cap", "attribution"),
    "cap_table": ("measure.attribution.cap_table", "attribution"),
    "choose_noise": ("measure.membership.choosing", "ecap"),
    "codebook": ("measure.codebook.describe", "codebook"),
    "compare": ("measure.utility.compare", "comparison"),
    "compare_rounding": ("measure.tables.design", "design"),
    "compare_structure": ("measure.codebook.compare", "codebook"),
    "differential_confidentiality": ("measure.confidentiality.differential", "confidentiality"),
    "distance_filter": ("protection.distance.filter", "distance_filter"),
    "ecap": ("measure.membership.ecap", "ecap"),
    "ecap_discrete": ("measure.membership.discrete", "ecap"),
    "ecap_from_probabilities": ("measure.membership.probability", None),
    "explore": ("exploration.explore", "exploration"),
    "findings": ("measure.utility.findings", "replication"),
    "gcap": ("measure.attribution.gcap", "targeted"),
    "gtcap": ("measure.attribution.gtcap", "gtcap"),
    "inference": ("measure.attacks.inference", "attacks"),
    "label_as_fake": ("protection.fake", "recoding"),
    "linkability": ("measure.attacks.linkability", "attacks"),
    "match_risk": ("measure.risk.match_risk", "aligned_match"),
    "membership": ("measure.attacks.membership", "membership"),
    "projection": ("measure.utility.projection", "projection"),
    "protect": ("protection.protect", "protection"),
    "read_file": ("read.reading", None),
    "recode": ("protection.recoding.recode", "recoding"),
    "refill": ("protection.distance.refill", "distance_filter"),
    "remove_replicated_uniques": ("protection.replicated", "recoding"),
    "round_table": ("measure.tables.rounding", "tables"),
    "sap": ("measure.tables.sap", "sap"),
    "singling_out": ("measure.attacks.singling_out", "attacks"),
    "smooth": ("protection.smoothing", "recoding"),
    "split": ("measure.confidentiality.split", "confidentiality"),
    "suda": ("measure.uniques.suda", "uniques"),
    "suggest": ("measure.roles.suggest", "suggestion"),
    "suggest_coding": ("protection.recoding.suggest", "recoding"),
    "synthesise": ("synthesis.synthesise", "synthesis"),
    "tables": ("measure.utility.tables", "pair_tables"),
    "tcap": ("measure.attribution.tcap", "targeted"),
    "tstr": ("measure.utility.tstr", "tstr"),
    "utility": ("measure.utility.utility", "utility"),
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
