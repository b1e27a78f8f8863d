"""Records that are alone with their keys: in the original, or replicated (Raab 2024, section 6)."""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Literal

import numpy as np

from unveil.counts.cells import Ints
from unveil.counts.profile import Mask
from unveil.errors import InputError
from unveil.making.made import Made, change
from unveil.results import Copy, Count, Heading, Row
from unveil.results.words import join_names
from unveil.study import ORIGINAL, AnyStudy, Study, measure

Which = Literal["replicated", "original"]


class Uniques:
    """Which records of each file have keys that only one person of the file has."""

    def __init__(self, study: Study) -> None:
        if not study.keys:
            raise InputError("There are no keys. Name what an intruder would know (--keys).")
        self.study = study

    @cached_property
    def keys(self) -> list[Ints]:
        """The key combination of each record of each file."""
        _, packed, _ = self.study.once(Study._pack, self.study.keys)
        return [packed[rows] for rows in self.study.rows]

    @cached_property
    def is_unique(self) -> list[Mask]:
        masks = []
        for number, keys in enumerate(self.keys):
            _, group = np.unique(keys, return_inverse=True)
            person, n = self.study.people(number)
            holders = np.unique(group * np.int64(n) + person) // n
            masks.append((np.bincount(holders) == 1)[group])
        return masks

    def is_replicated(self, number: int) -> Mask:
        """Which records of a synthetic file are unique there and in the original."""
        own = self.keys[ORIGINAL][self.is_unique[ORIGINAL]]
        return self.is_unique[number] & np.isin(self.keys[number], own)

    def count(self, number: int) -> int:
        """The people of a file who are unique."""
        return len(np.unique(self.study.people(number)[0][self.is_unique[number]]))

    def count_replicated(self, number: int) -> int:
        """The people of the original who are unique, and unique in this synthetic file."""
        there = self.keys[number][self.is_unique[number]]
        both = self.is_unique[ORIGINAL] & np.isin(self.keys[ORIGINAL], there)
        return len(np.unique(self.study.people()[0][both]))

    @property
    def synthetic(self) -> list[int]:
        return [n for numbers in self.study.versions.values() for n in numbers]

    def left_out(self, which: Which) -> list[Mask]:
        """Unique people of the original and of the control sample, or replicated records."""
        if which == "replicated" and not self.synthetic:
            raise InputError("There are no synthetic data, and so no 'replicated' uniques.")
        if which == "original" and self.synthetic:
            raise InputError(
                "Uniques of the 'original' are left out before synthesis: people whose records were"
                " used are at risk, whatever is left out afterwards. Leave out 'replicated' ones."
            )
        is_out = [np.zeros_like(mask) for mask in self.is_unique]
        for number, file in enumerate(self.study.files):
            if which == "replicated" and file.role == "synthetic":
                is_out[number] = self.is_replicated(number)
            if which == "original":
                is_out[number] = self.is_unique[number]
        return is_out


def leave_out(study: Study, is_out: Sequence[Mask]) -> Study:
    """The study without these records of each file."""
    for number, file in enumerate(study.files):
        if is_out[number].all():
            raise InputError(f"No record of {file.label} would be left.")
    return change(study, lambda number, file: file.frame.filter(~is_out[number]))


class RemovalRow(Row, frozen=True):
    """What is left out of one file."""

    version: str
    copy: Copy
    original_uniques: Annotated[int, Count("unique on the keys in the original")]
    synthetic_uniques: Annotated[int, Count("unique on the keys in the synthetic data")]
    replicated: Annotated[int, Count("unique in both", "Raab 2024 (5)", limited=True)]
    removed: Annotated[int, Count("records left out")]


class Removal(Made, frozen=True, kw_only=True):
    """Records left out, and the study without them."""

    title: ClassVar[str] = "Removal of uniques"

    removal: Annotated[tuple[RemovalRow, ...], Heading("Uniques on the keys", (), True)]

    @property
    def sentences(self) -> tuple[str, ...]:
        keys, row = join_names(self.settings["keys"]), self.removal[0]
        n = sum(row.removed for row in self.removal)
        if self.settings["which"] == "original":
            return (f"{row.removed:,} records of the original, unique on {keys}, are left out.",)
        return (
            f"{n:,} synthetic records are left out: they were unique on {keys} in both files,"
            " possible matches.",
        )


@measure
def remove_uniques(study: AnyStudy, *, which: Which = "replicated") -> Removal:
    """Leave out records that are unique on the keys.

    Parameters
    ----------
    study
        The original, with synthetic data and keys.
    which
        replicated: synthetic records unique on the keys in both files, after synthesis; original:
        people unique in the original, before it.
    """
    unique = Uniques(study)
    is_out = unique.left_out(which)
    rows = []
    for version, numbers in (study.versions or {"": range(1)}).items():
        for copy, number in enumerate(numbers, start=1):
            is_synthetic = number != ORIGINAL
            rows.append(RemovalRow(
                version=version, copy=copy, original_uniques=unique.count(ORIGINAL),
                synthetic_uniques=unique.count(number) if is_synthetic else 0,
                replicated=unique.count_replicated(number) if is_synthetic else 0,
                removed=int(is_out[number if which == "replicated" else ORIGINAL].sum()),
            ))  # fmt: skip
    return Removal(removal=tuple(rows)).giving(leave_out(study, is_out))
