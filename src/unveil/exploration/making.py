"""From a setting to its copies: fitted once, drawn, and where asked for filtered and noised."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from unveil.count.scenario import Progress
from unveil.count.streams import stream
from unveil.errors import SettingsError
from unveil.exploration.joint import joint_method
from unveil.exploration.settings import Setting
from unveil.protection.distance.refill import refill
from unveil.protection.noise import add_noise
from unveil.read.labelled import Labelled
from unveil.read.table import Table
from unveil.synthesis.synthesise import synthesise
from unveil.synthesis.synthesiser import Synthesiser


@dataclass(frozen=True)
class Order:
    """What is the same for every setting."""

    keys: tuple[str, ...]
    first: tuple[str, ...]  # columns to be modelled jointly before others: keys, then targets
    n_copies: int
    special_codes: Mapping[str, Any]
    real_values: Mapping[str, str]
    workers: int | None


@dataclass(frozen=True)
class Made:
    """The copies of one setting, and what should be known of them."""

    copies: list[Any]
    warnings: tuple[str, ...]


def data_of(table: Table) -> Any:
    """The data with what is declared about its columns."""
    return table.frame if table.codebook is None else Labelled(table.frame, table.codebook)


def made(table: Table, setting: Setting, order: Order, seed: int, progress: Progress) -> Made:
    """Copies of a table."""
    method = setting.method
    if method in ("catall", "ipf"):
        method = joint_method(str(method), table, order.first)
    fitted = synthesise(
        data_of(table),
        method=method,
        special_codes=order.special_codes or None,
        real_values=order.real_values,
        seed=seed,
        workers=order.workers,
        progress=progress,
        **setting.options,
    )
    said = list(fitted.record.warnings)
    if setting.filter is None:
        frames = fitted.sample(order.n_copies, workers=order.workers, progress=progress)
    else:
        frames, short = _refilled(table, fitted, setting.filter, order, seed)
        said += short
    if setting.add_noise is not None:
        noise = _noise(setting.add_noise, table, order)
        frames = [
            _noised(frame, noise, drawn(seed, "noise", place)) for place, frame in enumerate(frames)
        ]
    if fitted.codebook is None:
        return Made(frames, tuple(dict.fromkeys(said)))
    labelled = [Labelled(frame, fitted.codebook) for frame in frames]
    return Made(labelled, tuple(dict.fromkeys(said)))


def drawn(seed: int, *path: int | str) -> int:
    """A seed for one piece of the work, whatever is done before it."""
    return int(stream(seed, "explore", *path).integers(2**53))


def _refilled(
    table: Table,
    fitted: Synthesiser,
    filter_: Mapping[str, Any],
    order: Order,
    seed: int,
) -> tuple[list[pl.DataFrame], list[str]]:
    """Copies drawn until enough rows pass the filter, on the keys unless said otherwise."""
    asked = {"columns": order.keys, **filter_}
    codes = {name: codes for name, codes in order.special_codes.items() if name in asked["columns"]}
    frames, said = [], []
    for copy in range(order.n_copies):
        found = refill(
            data_of(table),
            fitted,
            seed=drawn(seed, "filter", copy),
            special_codes=codes or None,
            **asked,
        )
        if not found.data.height:
            raise SettingsError(" ".join(found.record.warnings))
        frames.append(found.data)
        said += [warning for warning in found.record.warnings if warning.startswith("Only ")]
    return frames, said


def _noise(given: Mapping[str, Any], table: Table, order: Order) -> dict[str, Any]:
    """Noise by column: whole numbers stay whole, and special codes stay what they are."""
    return {name: _noise_of(name, one, table, order) for name, one in given.items()}


def _noise_of(name: str, given: Any, table: Table, order: Order) -> dict[str, Any]:
    asked = dict(given) if isinstance(given, Mapping) else {"sigma": given}
    if name in table.frame.columns and table.frame.schema[name].is_integer():
        asked.setdefault("round", 0)
    if codes := _codes(order.special_codes.get(name, ())):
        asked.setdefault("special_codes", codes)
    return asked


def _codes(given: Any) -> Sequence[Any]:
    return list(given) if isinstance(given, list | tuple) else [given]


def _noised(frame: pl.DataFrame, noise: Mapping[str, Any], seed: int) -> Any:
    return add_noise(frame, columns=noise, seed=seed).data
