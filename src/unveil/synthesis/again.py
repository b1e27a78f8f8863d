"""More copies from models that are fitted: without the original, and recorded as they are."""

from dataclasses import replace

from msgspec.structs import replace as changed

from unveil.count.scenario import Progress, silent
from unveil.count.streams import drawn_seed
from unveil.records.synthesis import Synthesis
from unveil.synthesis.record import Size, of_size
from unveil.synthesis.settings import MOST_COPIES, heard, whole, workers_of
from unveil.synthesis.synthesiser import Synthesiser, drawn_copies, rows_of


def drawn_again(
    kept: Synthesiser,
    *,
    copies: int = 1,
    rows: int | None = None,
    seed: int | None = None,
    workers: int | None = None,
    progress: Progress = silent,
) -> Synthesiser:
    """The synthesiser with other copies; with its own seed where None, so copy 1 is its copy 1."""
    n_copies = whole("copies", copies, least=1, most=MOST_COPIES)
    n_rows = rows_of(kept.models.plan, rows, kept.models.n_original)
    own = kept.seed if seed is None else drawn_seed(seed)
    n_workers, say = workers_of(workers), heard(progress)
    made = drawn_copies(kept.models, n_copies, n_rows, own, workers=n_workers, progress=say)
    size = Size(n_rows, n_copies, is_seeded=seed is not None)
    return replace(kept, record=_resized(kept.record, size), copies=tuple(made), seed=own)


def _resized(record: Synthesis, size: Size) -> Synthesis:
    """The record of the fit, with the size of what was drawn from it now."""
    of_fit = of_size(record.n_rows, record.n_copies, record.n_original)
    others = [warning for warning in record.warnings if warning not in of_fit]
    return changed(
        record,
        n_rows=size.n_rows,
        n_copies=size.n_copies,
        is_seeded=size.is_seeded,
        warnings=(*of_size(size.n_rows, size.n_copies, record.n_original), *others),
    )
