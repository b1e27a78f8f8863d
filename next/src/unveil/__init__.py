"""unveil: the disclosure risk of synthetic data and of tables of counts, before release."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unveil.errors import BlockedError, DecisionNeededError, InputError, UnveilError
from unveil.progress import progress

if TYPE_CHECKING:
    from unveil.data.codebook import Data, Variable
    from unveil.data.columns import Column
    from unveil.data.read import read
    from unveil.data.write import write
    from unveil.describing.describe import describe
    from unveil.describing.split import split
    from unveil.gate.assess import assess
    from unveil.making.add_noise import add_noise
    from unveil.making.distance_filter import distance_filter
    from unveil.making.noise import choose_noise, ecap
    from unveil.making.overview import overview
    from unveil.making.protect import protect
    from unveil.making.recode import recode
    from unveil.making.synthesise import synthesise
    from unveil.making.uniques import remove_uniques
    from unveil.measures.attacks.attack import attack
    from unveil.measures.attacks.inference import inference
    from unveil.measures.attacks.linkability import linkability
    from unveil.measures.attacks.membership import membership
    from unveil.measures.attacks.recognition import recognition
    from unveil.measures.attacks.singling_out import singling_out
    from unveil.measures.attribution.cap import cap
    from unveil.measures.attribution.differential import differential_confidentiality
    from unveil.measures.attribution.gtcap import gtcap
    from unveil.measures.disclosure.disclosure import disclosure
    from unveil.measures.disclosure.excess import excess
    from unveil.measures.disclosure.key_sets import key_sets
    from unveil.measures.uniques.match_risk import match_risk
    from unveil.measures.uniques.suda import suda
    from unveil.measures.utility.compare import compare
    from unveil.measures.utility.replicate import replicate
    from unveil.measures.utility.utility import utility
    from unveil.project.pack import verify
    from unveil.project.project import Project
    from unveil.results.result import Result
    from unveil.study import Study
    from unveil.tables.amounts import amounts
    from unveil.tables.bounds import bounds
    from unveil.tables.compare import compare_schemes
    from unveil.tables.plan import plan
    from unveil.tables.published import PublishedTable
    from unveil.tables.sap import sap

__version__ = "0.2.0.dev0"
__all__ = [
    "BlockedError",
    "Column",
    "Data",
    "DecisionNeededError",
    "InputError",
    "Project",
    "PublishedTable",
    "Result",
    "Study",
    "UnveilError",
    "Variable",
    "add_noise",
    "amounts",
    "assess",
    "attack",
    "bounds",
    "cap",
    "choose_noise",
    "compare",
    "compare_schemes",
    "describe",
    "differential_confidentiality",
    "disclosure",
    "distance_filter",
    "ecap",
    "excess",
    "gtcap",
    "inference",
    "key_sets",
    "linkability",
    "match_risk",
    "membership",
    "overview",
    "plan",
    "progress",
    "protect",
    "read",
    "recode",
    "recognition",
    "remove_uniques",
    "replicate",
    "sap",
    "singling_out",
    "split",
    "suda",
    "synthesise",
    "utility",
    "verify",
    "write",
]

_HOMES = {
    "Column": "data.columns",
    "Data": "data.codebook",
    "Project": "project.project",
    "PublishedTable": "tables.published",
    "Result": "results.result",
    "Study": "study",
    "Variable": "data.codebook",
    "add_noise": "making.add_noise",
    "amounts": "tables.amounts",
    "assess": "gate.assess",
    "attack": "measures.attacks.attack",
    "bounds": "tables.bounds",
    "cap": "measures.attribution.cap",
    "choose_noise": "making.noise",
    "compare": "measures.utility.compare",
    "compare_schemes": "tables.compare",
    "describe": "describing.describe",
    "differential_confidentiality": "measures.attribution.differential",
    "disclosure": "measures.disclosure.disclosure",
    "distance_filter": "making.distance_filter",
    "ecap": "making.noise",
    "excess": "measures.disclosure.excess",
    "gtcap": "measures.attribution.gtcap",
    "inference": "measures.attacks.inference",
    "key_sets": "measures.disclosure.key_sets",
    "linkability": "measures.attacks.linkability",
    "match_risk": "measures.uniques.match_risk",
    "membership": "measures.attacks.membership",
    "overview": "making.overview",
    "plan": "tables.plan",
    "protect": "making.protect",
    "read": "data.read",
    "recode": "making.recode",
    "recognition": "measures.attacks.recognition",
    "remove_uniques": "making.uniques",
    "replicate": "measures.utility.replicate",
    "sap": "tables.sap",
    "singling_out": "measures.attacks.singling_out",
    "split": "describing.split",
    "suda": "measures.uniques.suda",
    "synthesise": "making.synthesise",
    "utility": "measures.utility.utility",
    "verify": "project.pack",
    "write": "data.write",
}
"""The module of each name that is imported when it is first used."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"unveil has no {name!r}")
    return getattr(import_module(f"unveil.{_HOMES[name]}"), name)
