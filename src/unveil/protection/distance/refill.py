"""`unveil.refill`: draw and filter until a copy has enough rows.

Chapelle and Falissard (paper 004): new rows are synthesised and undergo the same filter until the
number wanted is reached. The rows are the first that were kept, in the order they were drawn in;
they are a selected sample of what the synthesiser would draw.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any, Literal

from unveil.count.scenario import Progress, silent
from unveil.count.streams import drawn_seed, stream
from unveil.errors import SettingsError
from unveil.measure.opening import read_all
from unveil.protection.distance.filter import decided
from unveil.protection.distance.prepare import Prepared, prepared
from unveil.protection.distance.refill_result import Drawn, RefillResult
from unveil.protection.distance.settings import Settings, parse_settings
from unveil.read.given import shown
from unveil.read.table import Table, place_of
from unveil.synthesis.settings import MOST_ROWS, whole
from unveil.synthesis.synthesiser import Synthesiser

SPARE = 1.1
"""How many more rows are drawn than would be enough at the acceptance seen so far."""

Stop = Literal["enough rows", "nothing is kept", "cannot finish", "last round"]


def refill(
    original: Any,
    synthesiser: Synthesiser,
    *,
    rows: int | None = None,
    max_rounds: int = 20,
    seed: int | None = None,
    columns: str | Iterable[str] | None = None,
    metric: str = "mahalanobis",
    rule: str = "paper",
    ties: str = "any",
    missing: str = "exact",
    protect_columns: str | Iterable[str] = (),
    drop: str = "auto",
    special_codes: Mapping[str, Any] | None = None,
    missing_values: str | Sequence[str] = (),
    progress: Progress | None = None,
) -> RefillResult:
    """Draw rows and keep those that pass `unveil.distance_filter`, until there are enough.

    Parameters
    ----------
    original
        What the synthesiser was fitted to.
    synthesiser
        The result of `unveil.synthesise`.
    rows
        How many rows are wanted; as many as the original has where None.
    max_rounds
        After so many rounds it stops, with what is kept by then. It stops before if nothing is
        kept, or if at the acceptance seen the rounds left cannot be enough.
    seed
        Of the draws; each round has a stream of its own. Drawn by the system where None.
    columns, metric, rule, ties, missing, protect_columns, drop, special_codes, missing_values
        As in `unveil.distance_filter`. Distances between originals are taken once. The range of a
        missing value is that over the original and the rows of the first round, in all rounds.

    Returns
    -------
    RefillResult
        `.data`, at most `rows` rows; `.record` with `rounds`, `is_finished`, `stopped`,
        `rows_to_draw`, `shifts` of the rows kept against all rows drawn, and `warnings`.
    """
    if not isinstance(synthesiser, Synthesiser):
        raise SettingsError(
            f"synthesiser is {shown(type(synthesiser).__name__)}; it must be the result of"
            " unveil.synthesise, or a model that was loaded."
        )
    if synthesiser.models.plan.is_beside:
        raise SettingsError(
            "Columns of this synthesiser are kept as the original has them, row for row, so rows"
            " cannot be drawn anew. Synthesise every column, or use unveil.distance_filter."
        )
    settings = parse_settings(
        metric=metric,
        rule=rule,
        ties=ties,
        missing=missing,
        drop=drop,
        columns=columns,
        protect_columns=protect_columns,
        special_codes=special_codes,
        inverse_covariance=None,
        ranges=None,
        missing_values=missing_values,
    )
    told = progress or silent
    (table,) = read_all({"original": original}, None, missing_values, None, told)
    n_wanted = table.frame.height if rows is None else whole("rows", rows, least=1, most=MOST_ROWS)
    n_rounds = whole("max_rounds", max_rounds, least=1, most=100_000)
    loop = _Loop(table, synthesiser, settings, n_wanted, n_rounds, drawn_seed(seed))
    return loop.run(told)


@dataclass
class _Loop:
    """Rounds so far."""

    table: Table
    synthesiser: Synthesiser
    settings: Settings
    n_wanted: int
    max_rounds: int
    seed: int
    found: Prepared | None = None
    """What round 1 found out about the columns and the originals; the others go by the same."""

    def run(self, progress: Progress) -> RefillResult:
        drawn: list[Drawn] = []
        stopped: Stop | None = None
        while stopped is None:
            n_kept = sum(one.n_kept for one in drawn)
            progress("drawing and filtering", min(n_kept, self.n_wanted), self.n_wanted)
            drawn.append(self._round(len(drawn) + 1, self._to_draw(drawn)))
            stopped = self._stopped(drawn)
        return RefillResult(
            tuple(drawn), self.settings, self.n_wanted, self.max_rounds, stopped, self.seed
        )

    @property
    def _most(self) -> int:
        """Rows of one round: not more than the original has, which a copy is not meant to pass."""
        return self.synthesiser.models.n_original

    def _to_draw(self, drawn: Sequence[Drawn]) -> int:
        n_kept = sum(one.n_kept for one in drawn)
        wanting = self.n_wanted - n_kept
        if n_kept:
            wanting = ceil(SPARE * wanting * sum(len(one.keep) for one in drawn) / n_kept)
        return min(max(wanting, 1), self._most)

    def _round(self, number: int, n_rows: int) -> Drawn:
        seed = int(stream(self.seed, "refill", number).integers(2**63 - 1))
        (frame,) = self.synthesiser.sample(1, n_rows, seed)
        copy = Table("synthetic", place_of("synthetic"), frame)
        tables = (self.table, copy)
        if self.found is None:
            self.found = prepared(tables, self.settings)
            self.settings = _with_columns(self.settings, self.found)
        else:
            self.found = self.found.again(tables, self.settings)
        return Drawn(frame, decided(self.found, tables, self.settings, silent, is_labelled=False))

    def _stopped(self, drawn: Sequence[Drawn]) -> Stop | None:
        n_kept = sum(one.n_kept for one in drawn)
        if n_kept >= self.n_wanted:
            return "enough rows"
        if not n_kept:
            return "nothing is kept"
        if len(drawn) == self.max_rounds:
            return "last round"
        n_drawn = sum(len(one.keep) for one in drawn)
        need = (self.n_wanted - n_kept) * n_drawn / n_kept
        return "cannot finish" if need > self._most * (self.max_rounds - len(drawn)) else None


def _with_columns(settings: Settings, found: Prepared) -> Settings:
    """The settings of the rounds after the first: the columns that it used."""
    used = tuple(column.column for column in found.used)
    codes = {name: c for name, c in settings.special_codes.items() if name in used}
    return replace(settings, columns=used, protected=(), special_codes=codes)
