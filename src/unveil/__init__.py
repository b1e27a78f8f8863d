"""unveil: what would a release give away, to whom, how surely?"""

from importlib import import_module
from typing import TYPE_CHECKING, Any
from warnings import warn

from unveil.errors import (
    AboveLimitError,
    AlignError,
    EngineError,
    InputError,
    InternalError,
    LeakError,
    LockedError,
    ReadError,
    RolesError,
    RulingNeededError,
    SettingsError,
    TamperedError,
    UnveilError,
    WriteError,
)
from unveil.version import __version__ as __version__

if TYPE_CHECKING:
    from unveil.io.read_file import read_file
    from unveil.io.table import Labelled
    from unveil.io.write_file import write_file
    from unveil.measure.attacks.inference import inference
    from unveil.measure.attacks.linkability import linkability
    from unveil.measure.attacks.membership import membership
    from unveil.measure.attacks.singling_out import singling_out
    from unveil.measure.cap.cap import cap
    from unveil.measure.cap.cap_table import cap_table
    from unveil.measure.cap.differential import differential_confidentiality
    from unveil.measure.cap.gcap import gcap
    from unveil.measure.cap.gtcap import gtcap
    from unveil.measure.cap.split import split
    from unveil.measure.cap.tcap import tcap
    from unveil.measure.disclosure.claims import claims
    from unveil.measure.disclosure.disclosure import disclosure
    from unveil.measure.disclosure.excess import excess
    from unveil.measure.disclosure.exclusion_table import exclusion_table
    from unveil.measure.disclosure.key_sets import key_sets
    from unveil.measure.ecap.arguments import ecap_from_probabilities
    from unveil.measure.ecap.choose_noise import choose_noise
    from unveil.measure.ecap.discrete import ecap_discrete
    from unveil.measure.ecap.ecap import ecap
    from unveil.measure.ecap.ecap_records import ecap_records
    from unveil.measure.gate.assess import assess
    from unveil.measure.roles.suggest import suggest
    from unveil.measure.structure.compare_structure import compare_structure
    from unveil.measure.structure.describe import codebook
    from unveil.measure.tables.audit import audit
    from unveil.measure.tables.bounds import bounds
    from unveil.measure.tables.compare_rounding import compare_rounding
    from unveil.measure.tables.neighbour_sap import neighbour_sap
    from unveil.measure.tables.plan.plan import Plan
    from unveil.measure.tables.protect_table import protect_table
    from unveil.measure.tables.ptable import ptable
    from unveil.measure.tables.published_table import PublishedTable
    from unveil.measure.tables.round_table import round_table
    from unveil.measure.tables.sap import sap
    from unveil.measure.uniques.match_risk import match_risk
    from unveil.measure.uniques.suda import suda
    from unveil.measure.utility.compare import compare
    from unveil.measure.utility.pair_tables import pair_tables
    from unveil.measure.utility.projection import projection
    from unveil.measure.utility.replicate import replicate
    from unveil.measure.utility.tstr import tstr
    from unveil.measure.utility.utility import utility
    from unveil.project.explore.explore import explore
    from unveil.project.project import Project
    from unveil.project.protect import protect
    from unveil.project.recognition import recognition
    from unveil.project.stages import stages
    from unveil.project.verify_pack import verify_pack
    from unveil.protection.distance_filter import distance_filter
    from unveil.protection.label_as_fake import label_as_fake
    from unveil.protection.noise import add_noise
    from unveil.protection.recoding.recode import recode
    from unveil.protection.recoding.suggest_coding import suggest_coding
    from unveil.protection.refill import refill
    from unveil.protection.replicated_uniques import remove_replicated_uniques
    from unveil.protection.smooth import smooth
    from unveil.records.exclusions import Exclusion
    from unveil.study.engine import use_engine
    from unveil.study.study import Study
    from unveil.synthesis.large import synthesise_strata, write_synthetic
    from unveil.synthesis.synthesise import synthesise
    from unveil.synthesis.synthesiser import Synthesiser

__all__ = [
    "AboveLimitError",
    "AlignError",
    "EngineError",
    "Exclusion",
    "InputError",
    "InternalError",
    "Labelled",
    "LeakError",
    "LockedError",
    "Plan",
    "Project",
    "PublishedTable",
    "ReadError",
    "RolesError",
    "RulingNeededError",
    "SettingsError",
    "Study",
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
    "claims",
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
    "ecap_records",
    "excess",
    "exclusion_table",
    "explore",
    "gcap",
    "gtcap",
    "inference",
    "key_sets",
    "label_as_fake",
    "linkability",
    "match_risk",
    "membership",
    "neighbour_sap",
    "pair_tables",
    "projection",
    "protect",
    "protect_table",
    "ptable",
    "read_file",
    "recode",
    "recognition",
    "refill",
    "remove_replicated_uniques",
    "replicate",
    "round_table",
    "sap",
    "singling_out",
    "smooth",
    "split",
    "stages",
    "suda",
    "suggest",
    "suggest_coding",
    "synthesise",
    "synthesise_strata",
    "tcap",
    "tstr",
    "use_engine",
    "utility",
    "verify_pack",
    "write_file",
    "write_synthetic",
]

# Modules are imported when they are first asked for: `unveil --version` and the process that reads
# files need none.
_HOMES = {
    "Exclusion": "records.exclusions",
    "Labelled": "io.table",
    "Plan": "measure.tables.plan.plan",
    "Project": "project.project",
    "PublishedTable": "measure.tables.published_table",
    "Study": "study.study",
    "Synthesiser": "synthesis.synthesiser",
    "add_noise": "protection.noise",
    "assess": "measure.gate.assess",
    "audit": "measure.tables.audit",
    "bounds": "measure.tables.bounds",
    "cap": "measure.cap.cap",
    "cap_table": "measure.cap.cap_table",
    "choose_noise": "measure.ecap.choose_noise",
    "claims": "measure.disclosure.claims",
    "codebook": "measure.structure.describe",
    "compare": "measure.utility.compare",
    "compare_rounding": "measure.tables.compare_rounding",
    "compare_structure": "measure.structure.compare_structure",
    "differential_confidentiality": "measure.cap.differential",
    "disclosure": "measure.disclosure.disclosure",
    "distance_filter": "protection.distance_filter",
    "ecap": "measure.ecap.ecap",
    "ecap_discrete": "measure.ecap.discrete",
    "ecap_from_probabilities": "measure.ecap.arguments",
    "ecap_records": "measure.ecap.ecap_records",
    "excess": "measure.disclosure.excess",
    "exclusion_table": "measure.disclosure.exclusion_table",
    "explore": "project.explore.explore",
    "gcap": "measure.cap.gcap",
    "gtcap": "measure.cap.gtcap",
    "inference": "measure.attacks.inference",
    "key_sets": "measure.disclosure.key_sets",
    "label_as_fake": "protection.label_as_fake",
    "linkability": "measure.attacks.linkability",
    "match_risk": "measure.uniques.match_risk",
    "membership": "measure.attacks.membership",
    "pair_tables": "measure.utility.pair_tables",
    "projection": "measure.utility.projection",
    "protect": "project.protect",
    "protect_table": "measure.tables.protect_table",
    "read_file": "io.read_file",
    "recode": "protection.recoding.recode",
    "recognition": "project.recognition",
    "refill": "protection.refill",
    "remove_replicated_uniques": "protection.replicated_uniques",
    "replicate": "measure.utility.replicate",
    "ptable": "measure.tables.ptable",
    "round_table": "measure.tables.round_table",
    "neighbour_sap": "measure.tables.neighbour_sap",
    "sap": "measure.tables.sap",
    "singling_out": "measure.attacks.singling_out",
    "smooth": "protection.smooth",
    "split": "measure.cap.split",
    "stages": "project.stages",
    "suda": "measure.uniques.suda",
    "suggest": "measure.roles.suggest",
    "suggest_coding": "protection.recoding.suggest_coding",
    "synthesise": "synthesis.synthesise",
    "synthesise_strata": "synthesis.large",
    "tcap": "measure.cap.tcap",
    "tstr": "measure.utility.tstr",
    "use_engine": "study.engine",
    "utility": "measure.utility.utility",
    "verify_pack": "project.verify_pack",
    "write_file": "io.write_file",
    "write_synthetic": "synthesis.large",
}


_FORMER = {"Release": "PublishedTable", "findings": "replicate", "tables": "pair_tables"}
"""Public names that have become others; the old ones work for one version more."""


def __getattr__(name: str) -> Any:
    if name in _FORMER:
        warn(
            f"unveil.{name} is now unveil.{_FORMER[name]}; the old name will go.",
            DeprecationWarning,
            stacklevel=2,
        )
        name = _FORMER[name]
        if name in globals():
            return globals()[name]
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    function = getattr(import_module(f"unveil.{_HOMES[name]}"), name)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(__all__)
