"""What the public is told of a protected copy: how it was made in one sentence, and its noise.

Chapelle and Falissard recommend publishing kind and amount of noise: an attacker is taken to know
them anyway. ECAP values, thresholds, seeds, sizes of leaves, keys and counts of rows that were
refused are never among it: an attacker could reckon back with them.
"""

from collections.abc import Sequence

from unveil.records.noise import Noise
from unveil.records.synthesis import Synthesis
from unveil.synthesis.methods import REGRESSIONS
from unveil.synthesis.plan import CONSTANT

_METHODS = {
    "cart": "classification and regression trees",
    **dict.fromkeys(("parametric", *REGRESSIONS), "parametric models"),
    "sample": "the distribution of each column by itself",
    "catall": "a joint table",
    "ipf": "a joint table",
}
_MIXED = "statistical models of each column"
NO_NOISE = "Noise statement\n\nNo noise was added.\n"


def statement_of(synthesis: Synthesis, does: Sequence[str], noise: Noise | None) -> str:
    """The whole statement."""
    text = NO_NOISE if noise is None else noise.statement
    head, _, rest = text.partition("\n\n")
    return f"{head}\n\n{_method(synthesis, does)}\n\n{rest}"


def _method(synthesis: Synthesis, does: Sequence[str]) -> str:
    """The class of method, in one sentence."""
    kept = any(column.role == "kept" for column in synthesis.columns)
    what = "Some columns of these data are synthetic" if kept else "These data are synthetic"
    # The first column has none before it to be modelled on: it is sampled, whatever the method.
    # A column with one value repeats it, and is modelled by nothing.
    used = {column.method for column in synthesis.columns} - {None, "sample", CONSTANT}
    classes = {_METHODS.get(str(method), _MIXED) for method in used or {"sample"}}
    by = classes.pop() if len(classes) == 1 else _MIXED
    then = {
        "distance_filter": "filtered by distance",
        "remove_replicated_uniques": "cleared of replicated uniques",
        "smooth": "smoothed",
    }
    done = [words for do, words in then.items() if do in does]
    listed = "" if not done else f", and then {_and(done)}"
    return f"{what}: drawn from {by} fitted to confidential data{listed}."


def _and(parts: Sequence[str]) -> str:
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
