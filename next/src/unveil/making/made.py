"""What making gives: a new study, whose files were all changed likewise."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Self

import msgspec
import polars as pl

from unveil.data.codebook import Data
from unveil.data.columns import Coded, Column
from unveil.data.read import OpenFile
from unveil.errors import InputError
from unveil.results import Result
from unveil.study import ORIGINAL, Study


class Made(Result, frozen=True, kw_only=True):
    """Base of results that hold a new study; its records are not saved with them."""

    @property
    def head(self) -> tuple[str, ...]:
        return self.sentences

    def giving(self, study: Study) -> Self:
        """The same with what was made."""
        vars(self)["_made"] = study
        return self

    @property
    def study(self) -> Study:
        """The new study."""
        if "_made" not in vars(self):
            raise InputError("This result was loaded, without its files. Make the call again.")
        return vars(self)["_made"]

    @property
    def before(self) -> Study:
        """The study that it was made of."""
        return super().study


def change(
    study: Study,
    frame_of: Callable[[int, OpenFile], pl.DataFrame],
    recoded: Collection[str] = (),
    **about: Any,
) -> Study:
    """The study with other records in its files, by their numbers.

    Codebooks stay, but for columns whose codes were recoded to texts.
    """
    files = []
    for number, file in enumerate(study.files):
        codebook = {k: v for k, v in file.data.codebook.items() if k not in recoded}
        files.append(Data(frame_of(number, file), codebook, file.data.notes))
    synthetic = {v: [files[number] for number in numbers] for v, numbers in study.versions.items()}
    return study.replace(
        original=files[0], synthetic=synthetic or None,
        control=files[-1] if study.has_control else None, **about,
    )  # fmt: skip


def without(study: Study, names: set[str]) -> dict[str, Any]:
    """The settings of a study that lacks some columns."""
    targets = [study.joint.get(name, (name,)) for name in study.targets]
    left = [parts if len(parts) > 1 else parts[0] for parts in targets if not names & {*parts}]
    about: dict[str, Any] = {
        "columns": {name: about for name, about in study.columns.items() if name not in names},
        "keys": [name for name in study.keys if name not in names],
    }
    return about | ({"targets": left} if len(left) < len(targets) else {})


def has_amounts(study: Study, column: Coded) -> bool:
    """Whether distances mean anything in it: numbers and dates, but no codes that have labels."""
    about = study.columns.get(column.name, Column())
    is_labelled = all(column.labels.get(level or "") for level in column.written if level)
    is_number = column.kind in ("number", "date", "time")
    return is_number and about.kind != "category" and not is_labelled


def alone(study: Study) -> Study:
    """A study of the original alone."""
    data = study.files[ORIGINAL].data
    return study.replace(original=data, synthetic=None, control=None, columns=study.columns)


def say(columns: Mapping[str, Column], name: str, **about: Any) -> dict[str, Column]:
    """What is true of columns, with something else said of one."""
    before = columns.get(name, Column())
    return {**columns, name: msgspec.structs.replace(before, **about)}
