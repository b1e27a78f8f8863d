"""What `unveil.excess` found: train against control, target by target."""

from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.copies import Copy
from unveil.records.disclosure import Coercion, NotMeasured
from unveil.records.person import PersonColumn
from unveil.version import __version__


class ExcessRow(Record, frozen=True, kw_only=True):
    """One measure of one target, for people whose records were used and people whose were not."""

    target: str
    measure: str
    copy: Copy
    train: float | None
    control: float | None
    R: float | None  # (train - control) / (100 - control): Raab 2024, equation 1
    train_after: float | None  # under the exclusions; None where there are none
    control_after: float | None
    R_after: float | None
    R_exclusion: float | None  # (train - train_after) / (100 - train_after)


class Excess(Record, frozen=True, kw_only=True):
    """How much more the copies give away about the people they were made from."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]  # train, control, copies
    keys: tuple[str, ...]
    targets: tuple[str, ...]
    measures: tuple[str, ...]
    person: PersonColumn | None = None  # of train; None: every row is taken for a person
    n_train: int  # people where a person is declared, records otherwise
    n_control: int
    n_synthetic: tuple[int, ...]
    exclude: tuple[str, ...]
    rows: tuple[ExcessRow, ...]
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[NotMeasured, ...]

    @property
    def headline_copy(self) -> Copy:
        """The copy whose figures stand for all: the only one, or the mean of several."""
        return 1 if len(self.n_synthetic) == 1 else "mean"
