"""From an original to a fitted synthesiser and its copies, in one call."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Literal

from unveil.arguments import parse_whole_number
from unveil.seeding import choose_seed
from unveil.study.scenario import Progress, no_progress
from unveil.study.take_study import takes_study
from unveil.synthesis.draw import Drawing
from unveil.synthesis.fit import fit_all
from unveil.synthesis.identifiers import Instructions
from unveil.synthesis.ipf import published_total
from unveil.synthesis.long import check_with_time, prepare_long
from unveil.synthesis.methods import Options
from unveil.synthesis.plan import default_method
from unveil.synthesis.prepare import SynthesisData, prepare_synthesis, take_sample
from unveil.synthesis.record import Size, make_record
from unveil.synthesis.settings import (
    MOST_COPIES,
    check_progress,
    parse_missing_entries,
    parse_workers,
)
from unveil.synthesis.synthesiser import Models, Synthesiser, draw_copies, parse_rows


@takes_study
def synthesise(
    original: Any,
    *,
    method: str | Mapping[str, str] = "cart",
    copies: int = 1,
    rows: int | None = None,
    order: Sequence[str] | Literal["auto"] | None = None,
    predictors: Mapping[str, Sequence[str]] | None = None,
    keep: str | Iterable[str] | None = None,
    drop: str | Iterable[str] | None = None,
    renumber: str | Iterable[str] | None = None,
    real_values: Mapping[str, str] | None = None,
    rules: str | Sequence[str] | None = None,
    derived: Mapping[str, str] | None = None,
    special_codes: Mapping[str, Any] | None = None,
    spikes: Mapping[str, Any] | None = None,
    min_leaf: int = 10,
    min_split: int | None = None,
    complexity: float = 1e-8,
    min_spread: float | None = None,
    smoothing: Literal["density"] | None = None,
    smooth: str | Iterable[str] | None = None,
    prior: float | None = None,
    noise: float | None = None,
    margins: Sequence[Sequence[str]] | None = None,
    protect_margins: str | None = None,
    strata: str | Iterable[str] | None = None,
    seed: int | None = None,
    person: str | None = None,
    time: str | None = None,
    missing_values: str | Sequence[str] = (),
    sample: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Synthesiser:
    """Synthetic copies of an original: column by column, each modelled on those before it.

    Parameters
    ----------
    original
        A file, or a frame of any library.
    method
        "cart" (default), "parametric" or "sample" for all columns, or a method for each column by
        name; columns without one have "cart". All columns with "catall" are modelled together, and
        so are all with "ipf".
    copies
        How many copies to draw at once; `Synthesiser.sample` draws more without fitting again.
    rows
        Rows of each copy; as many as the original has where None.
    order
        Columns in the order in which they are synthesised; those omitted are not in the synthetic
        data. "auto" orders by dependency; None is the order of the original.
    predictors
        For a column, by name, the columns that predict it, each before it in the order. A column
        that is named only here predicts with its original values, and is not in the synthetic
        data.
    keep
        Columns that stay as they are in the original: partial synthesis.
    drop, renumber, real_values
        What to do with columns that point at people, which are refused otherwise: columns
        to omit, columns that get running numbers in place of their values, and by column the
        reason why real values may be repeated all the same. Identifiers and free text are
        recognised as in `unveil.suggest`.
    rules
        What holds in every synthetic row: "if age < 16 then marital = SINGLE". Rows that meet a
        rule are omitted when its column is fitted.
    derived
        Columns that are computed from others, by name: {"bmi": "weight / (height / 100) ^ 2"}.
    special_codes, spikes
        For a column of numbers, by name, the codes that are no amounts (-8), and the amounts that
        are met so often that they are modelled apart (0).
    min_leaf, min_split, complexity
        The fewest rows in a leaf, the fewest that are cut (three times as many where None), and
        the least gain of a cut, as a share of the impurity at the root.
    min_spread
        The least spread within a leaf, from 0 to 1: of a number the variance as a share of the
        column's; of a category what the most frequent level leaves to the others.
    smoothing
        "density": numbers are drawn from a smooth density within the leaf, inside the column's
        range, instead of repeating original values.
    smooth
        Columns of numbers that alone are drawn from a smooth density, not beyond the fifth smallest
        and largest value and on the grid of the column; values that five people have stay.
    prior, noise, margins
        Of "catall" and "ipf": how many records are spread evenly over the table (1 where None),
        the epsilon of Laplace noise on its counts (none where None), and of "ipf" the sets of
        columns whose counts are fitted (all pairs where None).
    protect_margins
        A scheme ("conventional:5", "suppress:10") by which the counts of `margins` are published
        before anything is drawn. All columns are then those of the margins, with "ipf", and the
        synthetic data depend on the published margins and the levels alone; `rows` is their total
        where None.
    strata
        Columns whose combinations are synthesised apart.
    seed
        Same seed, same copies, on any number of cores; drawn by the operating system where None.
    person
        The column that says whose row it is, where people have several. It is omitted, or
        renumbered where that is asked for; `min_leaf`, `min_split` and what makes a level rare
        then count people. "none": every row is a person.
    time
        With `person`, the column by which the rows of a person follow one another (a date, a wave).
        People are then made with their rows: a first row, then each given the one before it; the
        time never runs backwards, what never changes or never falls within a person does not in
        the synthetic data, and people have running numbers.
    missing_values
        Entries that mean missing.
    sample
        Fit to so many rows of the original, drawn at random by the seed; a Parquet or text file is
        then read in batches and need not fit into memory. Copies have as many rows where `rows` is
        None; `unveil.write_synthetic` draws any number of them in batches.
    workers
        Threads; as many as there are cores where None.
    progress
        Called with what was done, how many steps are done, and how many there are.

    References
    ----------
    Reiter 2005, "Using CART to generate partially synthetic, public use microdata". Nowok, Raab
    and Dibben 2016, "synthpop: bespoke creation of synthetic data in R".
    """
    options = Options(
        min_leaf=min_leaf,
        min_split=min_split,
        complexity=complexity,
        min_spread=min_spread,
        smoothing=smoothing,
        smooth=() if smooth is None else smooth,  # type: ignore[arg-type]
        prior=prior,
        noise=noise,
        margins=margins,  # type: ignore[arg-type]  # read by the record
        protect_margins=protect_margins,
    )
    if protect_margins is not None and method == "cart" and options.margins:
        named = [name for margin in options.margins for name in margin]
        method, order = dict.fromkeys(named, "ipf"), order or [*dict.fromkeys(named)]
    n_copies = parse_whole_number("copies", copies, most=MOST_COPIES)
    n_workers, say = parse_workers(workers), check_progress(progress or no_progress)
    instructions: Any = (drop, renumber, real_values)
    if time is not None:
        given = {"rows": rows, "keep": keep, "strata": strata, "predictors": predictors}
        check_with_time(given, method)
    own, n_file = choose_seed(seed), None
    if sample is not None:
        original, n_file = take_sample(
            original, sample, own, parse_missing_entries(missing_values), person
        )
    data = prepare_synthesis(
        original,
        method=method,
        order=order,
        predictors=predictors,
        keep=keep,
        rules=rules,
        derived=derived,
        special_codes=special_codes,
        spikes=spikes,
        strata=strata,
        missing_values=missing_values,
        instructions=Instructions(*instructions),
        options=options,
        seed=own,
        person=person,
        time=time,
    )
    n_rows = parse_rows(data.plan, rows, data.n_rows)
    if time is not None:
        data, models = _fit_people(data, time, method, n_workers, say)
        n_rows = models.n_original
    else:
        models = fit_models(data, workers=n_workers, progress=say)
    if protect_margins is not None and rows is None:
        n_rows = published_total(models.drawing.strata[0][0].joint, options)
    made = draw_copies(models, n_copies, n_rows, data.seed, workers=n_workers, progress=say)
    size = Size(len(made[0]), n_copies, is_seeded=seed is not None, n_file=n_file)
    record = make_record(data, models, size, default_method(method))
    return Synthesiser(record, tuple(made), models, data.seed, data.codebook(models.names))


def _fit_people(
    data: SynthesisData,
    time: str,
    method: str | Mapping[str, str],
    workers: int,
    progress: Progress,
) -> tuple[SynthesisData, Models]:
    """The models of first and later rows, and the opening as its record shows it."""
    long = prepare_long(data, time, method)
    person = long.rows.person
    plan = replace(
        data.plan,
        left_out=tuple(name for name in data.plan.left_out if name != person),
        renumbered={**data.plan.renumbered, person: long.rows.numbering},
    )
    drop = tuple(name for name in data.instructions.drop if name != person)
    instructions = replace(data.instructions, drop=drop)
    shown = replace(data, plan=plan, instructions=instructions, told=(long.note, *data.told))
    fit = partial(fit_models, workers=workers, progress=progress)
    first = fit(long.first)
    return shown, replace(
        first,
        plan=replace(first.plan, time=time, renumbered=data.plan.renumbered),
        names=shown.names_of_copy(),
        sequence=long.rows,
        later=None if long.later is None else fit(long.later),
    )


def fit_models(data: SynthesisData, *, workers: int, progress: Progress) -> Models:
    """Every model of an opened original."""
    plan, parts = data.plan, data.parts
    strata = fit_all(
        parts,
        plan.steps,
        data.rows_to_fit(),
        data.options,
        data.seed,
        workers=workers,
        people=data.whose,
        impossible=data.impossible(),
        progress=progress,
    )
    return Models(
        plan,
        data.strata,
        Drawing(strata, data.rules),
        {name: parts[name] for name in (*plan.kept, *plan.predictor_only)},
        data.derived,
        data.names_of_copy(),
        data.n_rows,
        data.constraints,
    )
