"""What the public is told of a protected copy: how it was made in one sentence, and its noise.

Chapelle and Falissard recommend publishing kind and amount of noise: an attacker is taken to know
them anyway. ECAP values, thresholds, seeds, sizes of leaves, keys and counts of rows that were
refused are never among it: an attacker could reckon back with them.
"""

from collections.abc import Iterator, Sequence

from unveil.records.noise import Noise, NoisedColumn
from unveil.records.synthesis import Synthesis
from unveil.synthesis.methods import REGRESSIONS
from unveil.synthesis.plan import CONSTANT
from unveil.view.format import and_list, truncate
from unveil.view.noise import plain

# What the public is told about the noise: its kind and amount, rounding and clipping.
#
# Chapelle and Falissard recommend publishing this, so that users can reckon with it: an attacker
# is taken to know it anyway. ECAP values, thresholds and seeds are never among it.


_HEAD = (
    "Random noise with mean 0 was added to the following columns, to each value by itself. Missing"
    " values and codes for missing values were left as they are."
)
_AGAIN = " Noise that would have turned a value into such a code was drawn again."
_KINDS = {"normal": "normal", "laplace": "Laplace", "uniform": "uniform"}


def statement(columns: Sequence[NoisedColumn], needless: Sequence[str]) -> str:
    """The whole statement, a line for each column."""
    noised = [column for column in columns if column.sigma > 0]
    silent = [column for column in columns if column.sigma == 0]
    changed = [column for column in silent if any(_after(column))]
    paragraphs = ["Noise statement"]
    if noised:
        paragraphs += [
            _HEAD + (_AGAIN if any(map(_has_redrawn, noised)) else ""),
            _list_columns(noised),
        ]
    without = [*(column.column for column in silent), *needless]
    if without:
        paragraphs.append(f"No noise was added to {and_list(without)}.")
    if changed:
        paragraphs += ["Changed without noise:", _list_columns(changed)]
    return "\n\n".join(paragraphs) + "\n"


def _has_redrawn(column: NoisedColumn) -> bool:
    return column.n_codes > 0 or column.n_redrawn > 0


def _list_columns(columns: Sequence[NoisedColumn]) -> str:
    return "\n".join(
        f"- {truncate(column.column)}: {_describe_noise(column)}." for column in columns
    )


def _describe_noise(column: NoisedColumn) -> str:
    noise = f"{_KINDS[column.noise]} noise with standard deviation {plain(column.sigma)}"
    return ", then ".join([*([noise] if column.sigma else []), *_after(column)])


def _after(column: NoisedColumn) -> Iterator[str]:
    """What follows the noise: variance given back, rounding, clipping."""
    if column.keeps_variance and column.sigma:
        yield "drawn towards the mean of the column by the factor that keeps its variance"
    if column.decimals == 0:
        yield "rounded to whole numbers"
    elif column.decimals is not None:
        yield f"rounded to {column.decimals} decimal{'s' if column.decimals > 1 else ''}"
    low = None if column.lowest is None else f"below {plain(column.lowest)}"
    high = None if column.highest is None else f"above {plain(column.highest)}"
    if low and high:
        yield f"values {low} or {high} set to these"
    elif low or high:
        yield f"values {low or high} set to it"


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
