"""What the declared keys tell: uniques, values shown beyond others' records, sensitive values."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np

from unveil.arguments import Texts, quote_name
from unveil.counts.cells import Floats, Ints
from unveil.counts.profile import CellProfile
from unveil.errors import InputError
from unveil.gate.records import Z, beside_control, claims_beside_control
from unveil.gate.rows import ASKS, UNIQUE, AlertRow
from unveil.measures.disclosure.disclosure import Disclosure, disclosure
from unveil.measures.disclosure.exclusions import parse_exclusions
from unveil.measures.disclosure.formulas import AttributeRow, IdentityRow
from unveil.measures.disclosure.values import SensitiveRow
from unveil.results import Note, PeopleFigure
from unveil.study import ORIGINAL, Side, Study

SUMMARIES = ("mean", "sd")  # of copies: each has its own figures, and all together


class KeyFigures(NamedTuple):
    """What an intruder who knows the keys would learn."""

    uniques: tuple[PeopleFigure, ...] = ()
    figures: tuple[PeopleFigure, ...] = ()
    sensitive: tuple[PeopleFigure, ...] = ()
    attribute: tuple[AttributeRow, ...] = ()
    identity: tuple[IdentityRow, ...] = ()
    notes: tuple[Note, ...] = ()


def measure_keys(study: Study, exclude: Texts, seed: int) -> KeyFigures:
    """Disclosure by the keys, as figures of people; of columns that files code alike."""
    if not study.keys or not (targets := comparable_targets(study)):
        return KeyFigures()
    names = [study.joint.get(name, name) for name in targets]
    asked = study.replace(targets=names)
    result = disclosure(asked, exclude=exclude, seed=seed)
    sides = {(side.version, side.copy): side for side in asked.sides()}
    rows = [figure for figure in result.figures if figure.copy not in SUMMARIES]
    figures = [
        msgspec.structs.replace(_beside_control(_of_few(figure), asked, sides), searched=len(rows))
        for figure in rows
    ]
    return KeyFigures(
        uniques=tuple(_uniques(asked, result, sides)),
        figures=tuple(figures),
        sensitive=tuple(_sensitive(asked, result, sides)),
        attribute=result.attribute,
        identity=result.identity,
        notes=tuple(note for note in result.notes if note not in set(study.notes())),
    )


def comparable_targets(study: Study) -> list[str]:
    """The targets that files code alike, if they code the keys alike."""

    def is_comparable(name: str) -> bool:
        try:
            for part in study.joint.get(name, [name]):
                study.once(Study._check_overlap, part, True)
        except InputError:
            return False
        return True

    are_keys = all(map(is_comparable, study.keys))
    return [name for name in study.targets if are_keys and is_comparable(name)]


def is_too_low(study: Study, figure: PeopleFigure, alerts: Sequence[AlertRow]) -> bool:
    """Whether a figure of the keys is quiet while one of its columns is coded otherwise."""
    if figure.kind not in ("keys", "uniques", "sensitive") or figure.status in ASKS:
        return False
    targets = [t for t in study.targets if figure.what == t or figure.what.startswith(f"{t}=")]
    recoded = {
        name
        for alert in alerts
        if alert.id.startswith("coding:") and alert.status == "decide"
        if alert.version == figure.version and figure.copy in (alert.copy, "pooled")
        for name in alert.columns
    }
    names = (*study.keys, *targets)
    return any(part in recoded for name in names for part in study.joint.get(name, [name]))


def _of_few(figure: PeopleFigure) -> PeopleFigure:
    """With the variance of a person more: of hardly any expected, two or three are no surprise."""
    if figure.margin is None:
        return figure
    return msgspec.structs.replace(figure, margin=float(np.hypot(figure.margin, Z)))


def _beside_control(
    figure: PeopleFigure, study: Study, sides: dict[tuple[str, int | str], Side]
) -> PeopleFigure:
    """The rate of the control sample in the place of a model of others' records."""
    if not study.has_control or figure.symbol != "DiSCO":
        return figure
    side = sides[figure.version, figure.copy]
    told = []
    for number in (ORIGINAL, study.control_number):
        p = study.profile(figure.what, side, people=number)
        told += [p.of_people(p.ps_is_1), p.of_people(p.shown >= 0)]
    n = int(figure.of or 0)
    expected, variance = claims_beside_control(*told)
    scale = n / len(told[0])
    return msgspec.structs.replace(
        figure, expected=expected * scale, beyond=(figure.people or 0) - expected * scale,
        margin=Z * float(np.sqrt(variance)) * scale,
    )  # fmt: skip


def _uniques(
    study: Study, result: Disclosure, sides: dict[tuple[str, int | str], Side]
) -> Iterator[PeopleFigure]:
    """People unique in both files; expected only by a control sample."""
    by, unit = _names(study.keys), "people" if study.has_people else "records"
    for row in result.identity:
        if row.unit != unit or row.copy in SUMMARIES:
            continue
        figure = PeopleFigure(
            version=row.version, copy=row.copy, kind="uniques", what=UNIQUE,
            by=by, people=row.replicated, of=row.unique, symbol="repU",
            searched=len(sides),
        )  # fmt: skip
        if study.has_control and row.replicated is not None:
            hit, strangers = _unique_in_both(study, sides[row.version, row.copy])
            expected, variance = beside_control(hit, strangers)
            figure = msgspec.structs.replace(
                figure, expected=expected, beyond=row.replicated - expected,
                margin=Z * float(np.sqrt(variance)),
            )  # fmt: skip
        yield figure


def _names(keys: Sequence[str]) -> str:
    return ", ".join(map(quote_name, keys))


def _unique_in_both(study: Study, side: Side) -> tuple[Ints, Ints]:
    """Records of the original alone with their keys, and of strangers who would be."""
    _, packed, _ = study.once(Study._pack, study.keys)
    parts = [packed[study.rows[number]] for number in (ORIGINAL, study.control_number)]
    records = np.concatenate([packed[study.rows[number]] for number in side.files])

    def count(asked: Ints, among: Ints) -> Ints:
        values, counts = np.unique(among, return_counts=True)
        place = np.searchsorted(values, asked).clip(0, len(values) - 1)
        return np.where(values[place] == asked, counts[place], 0)

    alone = (1, 0)  # with oneself, a stranger without
    hit, strangers = (
        (count(part, parts[0]) == n) & (count(part, records) == 1)
        for part, n in zip(parts, alone, strict=True)
    )
    return hit, strangers


def _sensitive(
    study: Study, result: Disclosure, sides: dict[tuple[str, int | str], Side]
) -> Iterator[PeopleFigure]:
    """Declared sensitive values beside the shares alone, from whatever source they are known."""
    by, rules = _names(study.keys), parse_exclusions(result.settings["exclude"])
    for row in result.sensitive:
        if row.copy in SUMMARIES:
            continue
        p = study.profile(row.target, sides[row.version, row.copy], rules)
        expected = row.shares
        yield PeopleFigure(
            version=row.version, copy=row.copy, kind="sensitive", what=f"{row.target}={row.level}",
            by=by, people=row.correct, of=row.of, shares=expected,
            expected=expected, beyond=None if expected is None else row.correct - expected,
            margin=_margin_of(p, row), searched=1,
        )  # fmt: skip


def _margin_of(p: CellProfile, row: SensitiveRow) -> float | None:
    """Of claims of one value: people with the same keys are shown it together."""
    code = p.target.code(row.level or "")
    share = None if row.shares is None else row.shares / max(row.correct + row.falsely_shown, 1)
    if code is None or share is None:
        return None
    is_claimed = p.claimed == code
    residual = np.where(is_claimed, ((p.t == code) - share) * p.d_tq, 0.0)
    starts = p.cells.starts
    of_keys: Floats = np.add.reduceat(residual, starts) if len(starts) else residual
    weight = p.w[starts] if len(starts) else p.w
    return Z * float(np.sqrt((weight * of_keys**2).sum()))
