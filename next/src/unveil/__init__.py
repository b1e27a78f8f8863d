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
    from unveil.making.add_noise import add_noise
    from unveil.making.distance_filter import distance_filter
    from unveil.making.noise import choose_noise, ecap
    from unveil.making.recode import recode
    from unveil.making.synthesise import synthesise
    from unveil.making.uniques import remove_uniques
    from unveil.measures.disclosure.disclosure import disclosure
    from unveil.measures.disclosure.excess import excess
    from unveil.measures.disclosure.key_sets import key_sets
    from unveil.results.result import Result
    from unveil.study import Study

__version__ = "0.2.0.dev0"
__all__ = [
    "BlockedError",
    "Column",
    "Data",
    "DecisionNeededError",
    "InputError",
    "Result",
    "Study",
    "UnveilError",
    "Variable",
    "add_noise",
    "choose_noise",
    "describe",
    "disclosure",
    "distance_filter",
    "ecap",
    "excess",
    "key_sets",
    "progress",
    "read",
    "recode",
    "remove_uniques",
    "split",
    "synthesise",
    "write",
]

_HOMES = {
    "Column": "data.columns",
    "Data": "data.codebook",
    "Result": "results.result",
    "Study": "study",
    "Variable": "data.codebook",
    "add_noise": "making.add_noise",
    "choose_noise": "making.noise",
    "describe": "describing.describe",
    "disclosure": "measures.disclosure.disclosure",
    "distance_filter": "making.distance_filter",
    "ecap": "making.noise",
    "excess": "measures.disclosure.excess",
    "key_sets": "measures.disclosure.key_sets",
    "read": "data.read",
    "recode": "making.recode",
    "remove_uniques": "making.uniques",
    "split": "describing.split",
    "synthesise": "making.synthesise",
    "write": "data.write",
}
"""The module of each name that is imported when it is first used."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"unveil has no {name!r}")
    return getattr(import_module(f"unveil.{_HOMES[name]}"), name)
