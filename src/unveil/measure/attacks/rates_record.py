"""The record of one call: its rows, and what they were found from."""

from collections.abc import Sequence

from unveil.measure.attacks.opening import Opened
from unveil.measure.attacks.rates import N_BOOTSTRAP
from unveil.measure.attacks.rates_row import AttacksResult
from unveil.records.attacks import AttackRow, Attacks


def recorded(
    opening: Opened,
    rows: Sequence[AttackRow],
    *,
    level: float,
    seed: int,
    k: int | None = None,
    warnings: Sequence[str] = (),
) -> AttacksResult:
    """Rows, files, sizes, the seed, and what is to be said of the data as a whole."""
    return AttacksResult(
        Attacks(
            files=opening.files,
            seed=seed,
            level=level,
            person=opening.person,
            n_original=opening.n_original,
            n_synthetic=opening.n_synthetic,
            n_control=opening.n_control,
            n_shared_with_control=opening.n_shared,
            k=k,
            n_bootstrap=N_BOOTSTRAP,
            rows=tuple(rows),
            warnings=(*warnings, *opening.shared_warnings()),
            coercions=opening.notes,
        )
    )
