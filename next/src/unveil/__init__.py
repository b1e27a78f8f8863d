"""unveil: the disclosure risk of synthetic data and of tables of counts, before release."""

from unveil.data.codebook import Data, Variable
from unveil.data.columns import Column
from unveil.data.read import read
from unveil.data.write import write
from unveil.errors import BlockedError, DecisionNeededError, InputError, UnveilError
from unveil.measures.attacks.attack import attack
from unveil.measures.attacks.inference import inference
from unveil.measures.attacks.linkability import linkability
from unveil.measures.attacks.membership import membership
from unveil.measures.attacks.singling_out import singling_out
from unveil.measures.disclosure.disclosure import disclosure
from unveil.measures.disclosure.excess import excess
from unveil.measures.disclosure.key_sets import key_sets
from unveil.progress import progress
from unveil.results import Result
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
    "attack",
    "disclosure",
    "excess",
    "inference",
    "key_sets",
    "linkability",
    "membership",
    "progress",
    "read",
    "singling_out",
    "write",
]
