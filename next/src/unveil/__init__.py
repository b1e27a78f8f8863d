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
    from unveil.measures.disclosure.disclosure import disclosure
    from unveil.measures.disclosure.excess import excess
    from unveil.measures.disclosure.key_sets import key_sets
    from unveil.results.result import Result
    from unveil.study import Study
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
    "PublishedTable",
    "Result",
    "Study",
    "UnveilError",
    "Variable",
    "bounds",
    "compare_schemes",
    "describe",
    "disclosure",
    "excess",
    "key_sets",
    "plan",
    "progress",
    "read",
    "sap",
    "split",
    "write",
]

_HOMES = {
    "Column": "data.columns",
    "Data": "data.codebook",
    "PublishedTable": "tables.published",
    "Result": "results.result",
    "Study": "study",
    "Variable": "data.codebook",
    "bounds": "tables.bounds",
    "compare_schemes": "tables.compare",
    "describe": "describing.describe",
    "disclosure": "measures.disclosure.disclosure",
    "excess": "measures.disclosure.excess",
    "key_sets": "measures.disclosure.key_sets",
    "plan": "tables.plan",
    "read": "data.read",
    "sap": "tables.sap",
    "split": "describing.split",
    "write": "data.write",
}
"""The module of each name that is imported when it is first used."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"unveil has no {name!r}")
    return getattr(import_module(f"unveil.{_HOMES[name]}"), name)
