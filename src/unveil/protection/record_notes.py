"""What was said that could not be used, and what is no protection: told with every copy."""

from collections.abc import Iterator, Mapping, Sequence

from unveil.errors import quoted
from unveil.protection.plan_columns import dropped
from unveil.protection.stages import Stages
from unveil.report.words import and_list

_ROLES = {"keys": "key", "targets": "target"}


def unused(stages: Stages, named: Mapping[str, Sequence[str]], *, is_swept: bool) -> Iterator[str]:
    """Columns that are kept, roles that the copy has not, and codes of what holds no numbers."""
    yield from _kept(stages)
    gone, columns = dropped(stages.plan), stages.frames["s1"].columns
    for role, word in _ROLES.items():
        for name in named[role]:
            if name not in columns:
                why = f"step {gone[name]} drops it" if name in gone else "it is not synthesised"
                rest = ", so that the sweep is without it" if is_swept else ""
                yield f"The {word} {quoted(name)} is not in the copy: {why}{rest}."
    for name in named["special_codes"]:
        if name in stages.table.frame.columns and name not in stages.codes:
            yield (
                f"The special codes of {quoted(name)} are not used: the column holds no numbers"
                " when it is synthesised."
            )


def _kept(stages: Stages) -> Iterator[str]:
    if stages.kept:
        one = len(stages.kept) == 1
        yield (
            f"{and_list(stages.kept)} {'is' if one else 'are'} kept as the original has"
            f" {'it' if one else 'them'}: {'its' if one else 'their'} values, and how they occur"
            " together, are those of real people. The rows were put into an order of chance, so"
            " that none stands where it stood in the original."
        )
