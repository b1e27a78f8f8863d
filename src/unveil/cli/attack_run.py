"""Run the attacks that were asked for on each copy, all from one seed."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from unveil.cli.attack_options import Sets, halves
from unveil.cli.progress import Report
from unveil.errors import ReadError, SettingsError, listed
from unveil.measure.attacks.inference import inference
from unveil.measure.attacks.linkability import linkability
from unveil.measure.attacks.membership import membership
from unveil.measure.attacks.opening import refuse_asked_for
from unveil.measure.attacks.singling_out import singling_out
from unveil.records.attack_run import AttackRun, CopyAttacked
from unveil.records.attacks import Attacks
from unveil.records.membership import Membership

N_COLS = 3


@dataclass(frozen=True)
class Asked:
    """What is attacked, and how."""

    original: str
    control: str | None
    everything: bool
    singling_out: bool
    linkability: tuple[Sets, ...]
    inference: bool
    membership: bool
    keys: tuple[str, ...]
    without: tuple[str, ...]
    k: tuple[int, ...]
    n: int | None
    n_cols: int | None
    guessing: dict[str, Any]  # the settings of inference alone
    shared: dict[str, Any]  # those of all attacks, the seed among them

    @cached_property
    def is_all(self) -> bool:
        """Whether every attack is to be run that can be."""
        named = (self.singling_out, self.linkability, self.inference, self.membership)
        return self.everything or not any(named)

    @property
    def runs_inference(self) -> bool:
        """Whether secrets are guessed."""
        return self.inference or self.is_all

    @cached_property
    def secrets(self) -> tuple[str, ...]:
        """What is guessed; nothing where it is left open."""
        return self.guessing["secrets"] or ()

    @cached_property
    def elsewhere(self) -> tuple[str, ...]:
        """Every column that is asked for by its name."""
        linked = (name for two in self.linkability for part in two for name in part)
        return (*self.keys, *self.secrets, *linked)

    def settings(self, compared: Sequence[str]) -> dict[str, Any]:
        """The settings of an attack on these columns; none are all.

        Codes of columns that only another attack looks at are left to that attack.
        """
        if not compared:
            return self.shared
        is_open = self.runs_inference and not (self.keys and self.secrets)
        sees_all = self.is_all or self.singling_out or self.membership or is_open

        def mine(name: str) -> bool:
            return name in compared or not (sees_all or name in self.elsewhere)

        codes = self.shared["special_codes"]
        return {
            **self.shared,
            "special_codes": {name: given for name, given in codes.items() if mine(name)},
            "categorical": [name for name in self.shared["categorical"] if mine(name)],
        }


@dataclass
class _Target:
    """One copy under attack, and what is noticed on the way."""

    asked: Asked
    synthetic: str
    report: Report
    notes: list[str] = field(default_factory=list)

    def made(self, attack: Any, what: str, of: Sequence[str] = (), /, **settings: Any) -> Any:
        """The record of an attack; `of` are its columns where it does not look at all."""
        asked = self.asked
        left_out = {} if attack is linkability else {"without": asked.without}

        def progress(step: str, done: int, total: int) -> None:
            self.report(f"{what}: {step}", done, total)

        return attack(
            asked.original,
            self.synthetic,
            control=asked.control,
            **settings,
            **left_out,
            **asked.settings(of),
            progress=progress,
        ).record


def attacked(asked: Asked, copies: Sequence[str], report: Report) -> AttackRun:
    """Every attack on every copy; what could not be run is noted."""
    if asked.membership and asked.control is None:
        raise ReadError(
            "--membership needs --control: whether members come closer to the copy than others"
            " shows only against people of the same kind who were not used. See unveil split."
        )
    _refuse_idle(asked)
    refuse_asked_for(asked.without, asked.elsewhere)
    targets = [_Target(asked, copy, report) for copy in copies]
    found = tuple(_copy(target, number) for number, target in enumerate(targets, start=1))
    first = found[0].attacks[0] if found[0].attacks else found[0].membership
    return AttackRun(
        seed=asked.shared["seed"],
        level=asked.shared["level"],
        control=None if first is None or asked.control is None else first.files[-1],
        copies=found,
        notes=tuple(dict.fromkeys(note for target in targets for note in target.notes)),
    )


def _refuse_idle(asked: Asked) -> None:
    """Refuse settings of an attack that is not run."""
    of_inference = {
        "--secrets": asked.secrets,
        "--absolute": asked.guessing["absolute"],
        "--groups": asked.guessing["groups"],
        "--keys": asked.keys,
    }
    for option, given in of_inference.items():
        if given and not asked.runs_inference:
            raise SettingsError(f"{option} is about inference, which is not run. Add --inference.")
    if asked.n_cols is not None and not (asked.singling_out or asked.is_all):
        raise SettingsError("--n-cols is about singling out, which is not run. Add --singling-out.")


def _copy(target: _Target, number: int) -> CopyAttacked:
    asked = target.asked
    attacks = tuple(_attacks(target))
    return CopyAttacked(
        copy=number,
        file=os.path.basename(target.synthetic),
        attacks=attacks,
        membership=_membership(target) if asked.membership or asked.is_all else None,
    )


def _attacks(target: _Target) -> Iterator[Attacks]:
    asked, columns = target.asked, ()
    if asked.is_all and asked.n_cols is None:
        alone = target.made(singling_out, "singling out", mode="univariate", **_wanted(asked))
        columns = alone.rows[0].keys
        yield alone
        yield from _joint(target, len(columns))
    elif asked.singling_out or asked.is_all:
        settings = {"n_cols": asked.n_cols or N_COLS, **_wanted(asked)}
        record = target.made(singling_out, "singling out", **settings)
        columns = record.rows[0].keys
        yield record
    for sets in asked.linkability or _two_halves(target, columns):
        for k in asked.k:
            both = (*sets[0], *sets[1])
            yield target.made(linkability, "linkability", both, columns=sets, k=k, n=asked.n)
    if asked.runs_inference:
        yield from _inference(target, columns)


def _wanted(asked: Asked) -> dict[str, int]:
    return {} if asked.n is None else {"n": asked.n}


def _joint(target: _Target, n_columns: int) -> Iterator[Attacks]:
    """Descriptions by several columns, where there are several."""
    if n_columns < 2:
        target.notes.append(
            "Singling out by several columns and inference were not run: the files have one column"
            " in common."
        )
        return
    yield target.made(
        singling_out,
        "singling out",
        mode="multivariate",
        n_cols=min(N_COLS, n_columns),
        **_wanted(target.asked),
    )


def _two_halves(target: _Target, columns: Sequence[str]) -> Iterator[Sets]:
    """Where everything is to be run and no sets are named: the keys, or the columns, in two."""
    if not target.asked.is_all:
        return
    keys = target.asked.keys
    what, names = ("keys", keys) if len(keys) > 1 else ("columns", tuple(columns))
    if len(names) < 2:
        target.notes.append("Linkability was not run: it needs two columns or more.")
        return
    one, other = halves(names)
    target.notes.append(
        f"No column sets are named for linkability, so the {what} were split in two halves:"
        f" {listed(one)}, and {listed(other)}. Name those of your scenario: --linkability A,B:C,D."
    )
    yield one, other


def _inference(target: _Target, columns: Sequence[str]) -> Iterator[Attacks]:
    asked = target.asked
    if asked.is_all and len(columns) == 1 and not asked.keys and not asked.inference:
        return
    of = (*asked.keys, *asked.secrets) if asked.keys and asked.secrets else ()
    keys = asked.keys or None
    yield target.made(inference, "inference", of, keys=keys, n=asked.n, **asked.guessing)


def _membership(target: _Target) -> Membership | None:
    if target.asked.control is None:
        target.notes.append(
            "Membership was not tried: it needs people who were not used, --control."
        )
        return None
    found: Membership = target.made(membership, "membership", n=target.asked.n)
    return found
