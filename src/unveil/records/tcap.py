"""What `unveil.tcap` and `unveil.gcap` found.

Three measures are called TCAP; each has its own field here. None of them is DiSCO. Shares are 0 to
1, but for Raab's, which is a percentage in her paper and everywhere else in unveil. ``None`` means
not measurable; the reason stands in `Tcap.not_measured`. GCAP is always measurable.
"""

from unveil.records.bands import Banded
from unveil.records.base import SCHEMA, Record
from unveil.records.disclosure import Coercion
from unveil.version import __version__

Target = str | tuple[str, ...]
"""One target, or several learnt jointly."""


class TcapRow(Record, frozen=True, kw_only=True):
    """The three with copies 1 to m of one method pooled."""

    method: str
    keys: tuple[str, ...]
    target: Target
    m: int
    n_synthetic: int  # records of the pooled copies
    n_selected: int  # those with WEAP of at least tau
    n_undefined: int  # those of them whose keys the original does not have
    tcap: float | None  # Taub and Elliot: mean over those selected that are defined
    tcap_zero: float | None  # the same with the undefined counted as 0
    tcap_raab: float | None  # Raab 2024, equation 13: a percentage, as in unveil.disclosure
    tcap_uniques: float | None  # Chen et al., Chapelle and Falissard: CAP on key uniques
    n_uniques: int  # original records alone with their keys


class TcapNotMeasured(Record, frozen=True, kw_only=True):
    """Why a field is None in the row of m pooled copies."""

    m: int
    field: str
    reason: str


class Tcap(Record, frozen=True, kw_only=True):
    """Targeted correct attribution of all copies pooled; `rows` has m = 1 to M."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    keys: tuple[str, ...]
    target: Target
    tau: float
    n_original: int
    n_synthetic: tuple[int, ...]
    n_selected: int
    n_undefined: int
    tcap: float | None
    tcap_zero: float | None
    tcap_raab: float | None
    tcap_uniques: float | None
    n_uniques: int
    rows: tuple[TcapRow, ...]
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
    not_measured: tuple[TcapNotMeasured, ...]


class GcapRow(Record, frozen=True, kw_only=True):
    """GCAP with copies 1 to m of one method pooled."""

    method: str
    keys: tuple[str, ...]
    target: Target
    m: int
    n: int  # original records
    n_match: int  # those whose keys the pooled copies have
    mean_distance: float  # keys in which the nearest records differ, mean over original records
    gcap: float


class Gcap(Record, frozen=True, kw_only=True):
    """Correct attribution from the nearest keys, all copies pooled; `rows` has m = 1 to M."""

    schema: int = SCHEMA
    version: str = __version__
    files: tuple[str, ...]
    keys: tuple[str, ...]
    target: Target
    n_original: int
    n_synthetic: tuple[int, ...]
    n_match: int
    mean_distance: float
    gcap: float
    rows: tuple[GcapRow, ...]
    bands: tuple[Banded, ...]
    coercions: tuple[Coercion, ...]
