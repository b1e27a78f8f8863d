"""A release on its way: one step after the other, with the stages S1, S2 and S3."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import Annotated, Any, Literal, cast

import msgspec
import numpy as np
import polars as pl

from unveil.arguments import hints_of
from unveil.counts.cells import Ints
from unveil.data.codebook import Data
from unveil.data.columns import Column
from unveil.errors import InputError
from unveil.making.add_noise import add_noise, compare_with_noise
from unveil.making.claims import Claims
from unveil.making.distance_filter import DistanceFilter, distance_filter
from unveil.making.made import Made, alone, change, say
from unveil.making.noise import Threshold, choose_noise, highest, open_claims
from unveil.making.recode import apply_step, levels_of
from unveil.making.rules import Rules
from unveil.making.steps import KINDS, Drop, RemoveUniques, RowStep, Step, parse_step
from unveil.making.synthesise import MOST_ROUNDS, Synthesis, synthesise
from unveil.making.undoing import check_order, check_told
from unveil.making.uniques import Uniques, leave_out
from unveil.progress import steps as progress_of
from unveil.results import Count, Note, Row
from unveil.study import ORIGINAL, Study

S1, S2, S3 = STAGES = ("S1", "S2", "S3")
MORE = 1.1  # records drawn for each that is likely to be kept


def step_of(call: Callable[..., Any]) -> type[Step]:
    """A step with the settings of a call on a study."""
    hints = hints_of(call)
    parameters = [p for p in inspect.signature(call).parameters.values() if p.name != "study"]
    fields = [(p.name, hints[p.name], p.default) for p in parameters]
    kind = msgspec.defstruct(
        call.__name__, fields, bases=(Step,), frozen=True, forbid_unknown_fields=True,
        tag_field="do", tag=call.__name__,
    )  # fmt: skip
    return cast(type[Step], kind)


class AddNoise(Step, frozen=True, tag="add_noise"):
    """Amounts as `add_noise` takes them, or a column and what `choose_noise` asks."""

    amounts: dict[str, Any] | None = None
    column: str = ""
    population: str | dict[Any, float] = ""
    N: int | None = None
    n: int | None = None
    threshold: Threshold = 0.1
    noise: Literal["normal", "laplace"] = "normal"
    discrete: bool = False
    replacement: bool = True
    round: int | None = None
    low: float | None = None
    high: float | None = None
    keep_variance: bool = False

    def __post_init__(self) -> None:
        if bool(self.amounts) == bool(self.column):
            raise ValueError("Give either 'amounts', or 'column' with 'population' and 'N'")
        if self.column and not (self.population and self.N):
            raise ValueError("With 'column' give 'population' and 'N', or 'amounts' in its place")

    @property
    def of(self) -> tuple[str, ...]:
        return tuple(self.amounts or [self.column])

    def amount(self, sigma: float) -> dict[str, Any]:
        """Of whole numbers it is rounded, as ECAP takes it to be."""
        digits = 0 if self.discrete and self.round is None else self.round
        return {
            "sigma": sigma, "noise": self.noise, "round": digits, "low": self.low,
            "high": self.high, "keep_variance": self.keep_variance,
        }  # fmt: skip


Synthesise, Filter = step_of(synthesise), step_of(distance_filter)
OF_PROTECT: dict[str, type[Step]] = {
    **KINDS, "synthesise": Synthesise, "distance_filter": Filter, "add_noise": AddNoise,
}  # fmt: skip


class StepRow(Row, frozen=True):
    """One step."""

    number: Annotated[int, Count("place of the step")]
    do: str
    rows: Annotated[int, Count("records after it: of the original, from synthesis on synthetic")]
    sentence: str


@dataclass(frozen=True, eq=False)
class Release:
    """A release on its way: its stages are versions of one study, all recoded likewise."""

    study: Study
    rows: Ints  # of the original's records at first, those still there
    stage: str = ""
    rules: Rules = field(default_factory=lambda: Rules((), {}))
    synthesis: Synthesis | None = None
    since: tuple[tuple[int, Step], ...] = ()  # steps after synthesis, by their number
    changed: Mapping[str, str] = field(default_factory=dict)  # columns, and by which step
    noise: Mapping[str, float] = field(default_factory=dict)
    claims: Mapping[str, Claims] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    sentence: str = ""

    @property
    def last(self) -> Study:
        """The study with the files of the last stage alone."""
        numbers = self.study.versions[self.stage]
        return self.study.replace(synthetic=[self.study.files[n].data for n in numbers])

    @property
    def records(self) -> int:
        """Records of its first file."""
        number = self.study.versions[self.stage][0] if self.stage else ORIGINAL
        return len(self.study.files[number].frame)

    def at(self, stage: str, study: Study, **about: Any) -> "Release":
        """The same with the files of a study as those of a stage, no earlier than it was."""
        stage = max(stage, self.stage)
        files = {
            version: [self.study.files[n].data for n in numbers]
            for version, numbers in self.study.versions.items()
        }
        files[stage] = [study.files[n].data for n in study.versions[""]]
        merged = self.study.replace(synthetic=files, columns=study.columns)
        return replace(self, study=merged, stage=stage, **about)

    def after(self, number: int, step: Step, seed: Sequence[int], rows: int | None) -> "Release":
        """The release after one more step; derived columns and rules hold again."""
        if isinstance(step, Synthesise):
            return _synthesised(self, step, seed, rows)
        if isinstance(step, Filter):
            release = _filtered(self, step, seed, rows)
        elif isinstance(step, AddNoise):
            release = _with_noise(self, number, step, seed)
        else:
            release = _recoded(self, number, step, seed)
        if release.stage:
            release = replace(_held(release), since=(*self.since, (number, step)))
        return release


def _seed(seed: Sequence[int]) -> int:
    return int(np.random.SeedSequence(seed).generate_state(1)[0])


def _settings(step: Step, seed: Sequence[int]) -> dict[str, Any]:
    """Those of a call; its seed is that of all steps, unless it has its own."""
    settings = msgspec.structs.asdict(step)
    if "seed" in settings and settings["seed"] is None:
        settings["seed"] = _seed(seed)
    return settings


def _new_notes(result: Made) -> tuple[Note, ...]:
    known = {*result.before.notes()}
    return tuple(note for note in result.notes if note not in known)


def _synthesised(release: Release, step: Any, seed: Sequence[int], rows: int | None) -> Release:
    settings = _settings(step, seed)
    settings["rows"] = settings["rows"] or rows
    result = synthesise(release.study, **settings)
    study = result.study
    files = [study.files[n].data for n in study.versions[""]]
    return replace(
        release, study=study.replace(synthetic={S1: files}), stage=S1, synthesis=result,
        rules=Rules.of(settings["rules"], settings["derive"]),
        notes=(*release.notes, *_new_notes(result)),
        sentence=f"{result.copies[0].records:,} records made from {result.people:,} people's",
    )  # fmt: skip


def _recoded(release: Release, number: int, step: Any, seed: Sequence[int]) -> Release:
    is_of_rows = isinstance(step, RowStep | RemoveUniques) and release.stage
    study, n, is_left = apply_step(release.last if is_of_rows else release.study, step, [*seed])
    about: dict[str, Any] = {"sentence": f"{', '.join(step.of)} {step.says()}".strip()}
    if isinstance(step, Drop):
        about["rules"] = release.rules.without(step.of, release.study.original)
        about["changed"] = {k: v for k, v in release.changed.items() if k not in step.of}
    elif isinstance(step, RowStep | RemoveUniques):
        about |= {"rows": release.rows[is_left], "sentence": f"{about['sentence']}: {n:,}"}
    else:
        where = f"step {number} ({step.name})"
        about["changed"] = {**release.changed, **dict.fromkeys(step.of, where)}
    return release.at(S2, study, **about) if is_of_rows else replace(release, study=study, **about)


def _filtered(release: Release, step: Any, seed: Sequence[int], rows: int | None) -> Release:
    """What is refused is drawn again, until enough records are kept or none is."""
    settings, before = msgspec.structs.asdict(step), release.last
    first = distance_filter(before, **settings)
    files, words = [], []
    for copy, row in enumerate(first.rounds, start=1):
        if not row.kept:
            raise InputError("It keeps no record. Compare fewer columns, or make leaves larger.")
        n_rows, n_drawn, frames, turn = rows or row.drawn, row.drawn, [_kept(first, copy)], 1
        while (n := sum(map(len, frames))) < n_rows and turn < MOST_ROUNDS:
            more = min(n_rows, ceil(MORE * (n_rows - n) * n_drawn / n))
            fresh = _drawn(release, more, [*seed, copy, turn])
            if fresh is None:
                break
            judged = distance_filter(fresh, **settings)
            n_drawn, turn = n_drawn + judged.rounds[0].drawn, turn + 1
            if not judged.rounds[0].kept:
                break
            frames.append(_kept(judged, 1))
        frame = pl.concat(frames).head(n_rows)
        files.append(Data(frame, before.files[copy].data.codebook))
        words.append(
            f"{n_drawn - sum(map(len, frames)):,} of {n_drawn:,} drawn in {turn:,} rounds refused"
            f" as too close to a person, {len(frame):,} kept"
        )
    return release.at(
        S2, before.replace(synthetic=files), sentence="; ".join(words),
        notes=(*release.notes, *_new_notes(first)),
    )  # fmt: skip


def _kept(result: DistanceFilter, copy: int) -> pl.DataFrame:
    return result.before.synthetic["", copy].filter(result.records().filter(copy=copy)["keep"])


def _drawn(release: Release, rows: int, seed: Sequence[int]) -> Study | None:
    """More records, with all steps since synthesis; none of people with several records."""
    if release.synthesis is None or release.study.has_people:
        return None
    base = release.synthesis.study
    frame = release.synthesis.draw(rows, _seed(seed)).select(base.synthetic["", 1].columns)
    files = [Data(frame, base.files[ORIGINAL].data.codebook)]
    fresh = replace(
        release, study=base.replace(synthetic={S1: files}), stage=S1, synthesis=None, since=(),
        rows=np.arange(len(base.original)),
    )  # fmt: skip
    for number, step in release.since:
        fresh = fresh.after(number, step, [*seed, number], None)
    return fresh.last


def _with_noise(release: Release, number: int, step: AddNoise, seed: Sequence[int]) -> Release:
    study, claims = release.last, dict(release.claims)
    amounts, sentence = step.amounts, ""
    if amounts is None:
        claims[step.column], sigma, sentence = _chosen(study, step)
        amounts = {step.column: step.amount(sigma)} if sigma else {}
    if not amounts:
        return release.at(S3, study, claims=claims, sentence=sentence)
    result = add_noise(study, amounts, seed=_seed(seed))
    with_noise = result.study
    sigmas = {row.column: row.sigma for row in result.columns}
    noisy = change(with_noise, lambda _, file: release.rules.derive(file.frame))
    columns, notes = dict(with_noise.columns), [*_new_notes(result)]
    for name in release.rules.formulas:
        before, after = (s.synthetic["", 1][name] for s in (study, noisy))
        moved = np.nanstd((after - before).to_numpy()) if before.dtype.is_numeric() else 0.0
        if not moved > 0:
            continue
        amounts_of = levels_of(study, name, np.random.default_rng(0)).amounts
        about = columns.get(name, Column())
        compared = compare_with_noise(about, name in study.keys, float(moved), amounts_of)
        if compared:
            columns = say(columns, name, **compared.about)
            notes.append(Note(about=name, sentence=f"With noise {name} {compared.sentence}"))
    close = _too_close(release, noisy)
    return release.at(
        S3, noisy.replace(columns=columns), claims=claims,
        noise={**release.noise, **sigmas}, notes=(*release.notes, *notes),
        changed={**release.changed, **dict.fromkeys(sigmas, f"step {number} ({step.name})")},
        sentence=" ".join(filter(None, (sentence, result.statement, close))),
    )  # fmt: skip


def _chosen(study: Study, step: AddNoise) -> tuple[Claims, float, str]:
    """What can be claimed of a column, and the least noise against it."""
    levels = levels_of(study, step.column, np.random.default_rng(0))
    assert step.N is not None
    about: dict[str, Any] = {
        "population": step.population, "N": step.N, "n": step.n or study.people()[1],
        "noise": step.noise, "discrete": step.discrete, "replacement": step.replacement,
    }  # fmt: skip
    values = levels.of_people
    result = choose_noise(values.tolist(), threshold=step.threshold, **about)
    sigma = result.choice[0].sigma_to_publish
    if sigma is None:
        raise InputError(result.sentences[0])
    sentence = f"{step.column}: ECAP at most {step.threshold:g}" + (
        "" if sigma else " without noise"
    )
    return open_claims(values.tolist(), **about), sigma, f"{sentence}."


def _too_close(release: Release, study: Study) -> str:
    """Records that noise brought too close to a person again."""
    for _, step in release.since:
        if isinstance(step, Filter):
            rounds = distance_filter(study, **msgspec.structs.asdict(step)).rounds
            n = sum(row.refused for row in rounds)
            return f"Too close to a person again: {n:,}."
    return ""


def _held(release: Release) -> Release:
    """With derived columns computed again, and without synthetic records that break a rule."""
    rules = release.rules
    if not rules.formulas and not rules.conditions:
        return release
    study = change(release.study, lambda _, file: rules.derive(file.frame))
    is_out = [
        ~rules.obeyed(file.frame).to_numpy()
        if file.role == "synthetic"
        else np.zeros(len(file.frame), bool)
        for file in study.files
    ]
    if n := sum(int(is_out[number].sum()) for number in study.versions[release.stage]):
        sentence = f"{release.sentence.rstrip('.')}; left out, for then they break a rule: {n:,}"
        return replace(release, study=leave_out(study, is_out), sentence=sentence)
    return replace(release, study=study)


def _begin(study: Study, steps: Sequence[Step]) -> Release:
    """Before the first step: what is synthesised here takes the place of what there was."""
    rows = np.arange(len(study.original))
    if any(step.name == "synthesise" for step in steps):
        return Release(study.replace(synthetic=None), rows)
    if len(study.versions) > 1:
        raise InputError("Steps are for one version of synthetic data, and there are several.")
    files = [file.data for file in study.files if file.role == "synthetic"]
    return Release(study.replace(synthetic={S1: files}), rows, S1)


def make_release(
    study: Study, steps: Sequence[Mapping[str, Any]], rows: int | None, seed: int
) -> tuple[Release, list[StepRow]]:
    """The release after all steps, and what each did; refused where they undo each other."""
    if not steps:
        raise InputError("'steps' are none. Start with {'do': 'synthesise'}.")
    parsed = [parse_step(n, table, OF_PROTECT) for n, table in enumerate(steps, start=1)]
    check_order(parsed, study.keys, has_synthetic=bool(study.versions))
    release, table = _begin(study, parsed), []
    for number, step in enumerate(progress_of("steps", parsed), start=1):
        try:
            release = release.after(number, step, [seed, number], rows)
        except InputError as fault:
            raise InputError(f"'steps', step {number} ({step.name}): {fault}") from None
        table.append(
            StepRow(number=number, do=step.name, rows=release.records, sentence=release.sentence)
        )
    last = release.last
    check_told(
        alone(study), release.rows, last, release.changed, release.noise, release.rules.formulas
    )
    come_back = _come_back(release, last)
    return replace(release, notes=(*release.notes, *come_back)), table


def _come_back(release: Release, last: Study) -> list[Note]:
    """Uniques that were left out, and are there again after later steps."""
    if not any(isinstance(step, RemoveUniques) for _, step in release.since):
        return []
    unique = Uniques(last)
    n = sum(int(unique.is_replicated(number).sum()) for number in unique.synthetic)
    sentence = f"{n:,} records are unique in both files again after later steps."
    return [Note(about="remove_uniques", sentence=sentence)] if n else []


def stages_of(release: Release) -> Study:
    """The stages, with the highest ECAP of each for the overview."""
    stages = release.study
    if release.claims:
        vars(stages)["_ECAP"] = {
            stage: max(
                highest(claims, release.noise.get(name, 0) if stage == S3 else 0)
                for name, claims in release.claims.items()
            )
            for stage in stages.versions
        }
    return stages
