"""How is the original recoded as the synthetic data were, so that like is compared with like?

By the recipe that `protect` kept beside its record, or by the recodings that the project declares.
A recipe is set aside, and the gate asks why, where one synthetic record does not follow it: applied
to data that were recoded by it, it changes nothing. One age above the top code may be a real
person's, who would not be looked for among the ages that were cut off. Only noise that `protect`
added may change them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from unveil.assessment.alerts import percent
from unveil.errors import EngineError, InputError, SettingsError, list_names, quote_text
from unveil.io.read_toml import parse_document, read_text
from unveil.io.table import Table
from unveil.measure.gate.columns import ORIGINAL, link_column
from unveil.measure.gate.evidence import Files
from unveil.project.model import ProjectFile
from unveil.protection.plan import SETTINGS
from unveil.protection.recoding.recode import RecipeRun
from unveil.protection.recoding.steps import parse_steps
from unveil.records.alerts import CodingRow
from unveil.records.disclosure import Coercion
from unveil.records.recoding import KINDS, Step, step_word
from unveil.study.choose_engine import NEEDS_ROWS
from unveil.study.study import Study

RECODINGS = tuple(do for do in KINDS if not do.startswith(("drop", "perturb")))
"""Steps that code values otherwise; the others leave out columns or people, or add chance."""


@dataclass(frozen=True)
class Recipe:
    """Recodings in their order: as somebody wrote them, and with the limits found in the data."""

    written: tuple[Step, ...] = ()
    fixed: tuple[Step, ...] | None = None  # as `protect` kept it; None: to be found in the original
    noisy: tuple[str, ...] = ()  # columns to which `protect` added noise after recoding them

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are recoded."""
        steps = (*self.written, *(self.fixed or ()))
        return tuple(dict.fromkeys(step.column for step in steps if step.column))


@dataclass(frozen=True)
class RecodedFiles:
    """The original and the control sample as they are compared, and what was done to them."""

    original: Table
    control: Table | None
    steps: tuple[Step, ...] = ()  # those in force, as written: no limit found in the data
    notes: tuple[str, ...] = ()
    unfollowed: tuple[CodingRow, ...] = ()  # declared, and not what was done to the synthetic data

    def is_banded(self, column: str) -> bool:
        """Whether bands stand in the place of its numbers."""
        return any(step_word(step) == "band" for step in self.steps if step.column == column)


def read_declared_recipe(project: ProjectFile) -> Recipe:
    """The recodings among the `[[protect.step]]` of a project."""
    own = [step for step in project.steps if _is_recoding(step)]
    return Recipe(parse_steps(own) if own else ())


def _is_recoding(step: object) -> bool:
    """Whether a step is one of a recipe, or too wrong to be anything else."""
    return not isinstance(step, Mapping) or step.get("do") not in SETTINGS


def check_one_recipe(recipes: Sequence[Recipe]) -> Recipe:
    """The recipe that all synthetic files were made by, or a refusal."""
    if any(other != recipes[0] for other in recipes[1:]):
        raise SettingsError(
            "The synthetic files were recoded by different recipes, so no single recoding of the"
            " original fits all of them. Assess each in its own project."
        )
    return recipes[0] if recipes else Recipe()


def recipe_in(path: str) -> Recipe:
    """The recodings that a TOML file declares, as a project file does."""
    file = Path(path)
    document = parse_document(file.name, read_text(file))
    protect = document.get("protect")
    given = protect.get("step") if isinstance(protect, dict) else None
    if not given:
        raise SettingsError(
            f"The file {quote_text(file.name)} has no [[protect.step]]. Write each recoding as one:"
            ' do = "round", column = "income", to = 100.'
        )
    return Recipe(parse_steps([one for one in given if _is_recoding(one)]))


def recode_opened(opened: Study, recipe: Recipe) -> tuple[Study, tuple[str, ...]]:
    """Files that are open, with original and control sample recoded; and what is to be noted."""
    files = files_to_recode(opened, recipe)
    made = recode_files(files.original, files.control, files.synthetic, recipe)
    if made.unfollowed:
        told = "; ".join(f"{one.column}, {one.sentence}" for one in made.unfollowed)
        raise SettingsError(
            f"The synthetic data were not recoded as declared: {told}. Declare what was done to"
            " them."
        )
    recoded = {0: made.original}
    if made.control is not None:
        recoded[len(opened.tables) - 1] = made.control
    return opened.with_tables(recoded), made.notes


def files_to_recode(opened: Study, recipe: Recipe) -> Files:
    """The files with the columns of a recipe; an engine gives each column by itself."""
    leaves_out = any("outliers" in step_word(step) for step in recipe.written)
    if not opened.has_rows and recipe.fixed is None and leaves_out:
        raise EngineError(NEEDS_ROWS)
    return Files(opened.expand(recipe.columns).files)


def recode_files(
    original: Table, control: Table | None, synthetic: Sequence[Table], recipe: Recipe
) -> RecodedFiles:
    """The original and the control sample, recoded as the synthetic data were."""
    held = [one.frame.columns for one in synthetic]
    shared = [n for n in original.frame.columns if all(n in columns for columns in held)]
    fixed, notes = (recipe.fixed, []) if recipe.fixed is not None else _fix(original, recipe)
    tables = [original] if control is None else [original, control]
    steps: list[Step] = []
    unfollowed: list[CodingRow] = []
    for column in dict.fromkeys(step.column for step in fixed if step.column in shared):
        written = _steps_of_column(recipe.written, column)
        if not written:
            continue
        asked = _steps_of_column(fixed, column)
        made, fault = _apply(tables, asked)
        if fault is not None:
            notes.append(
                f"{_recoding_phrase(written)} could not be applied to the original: {fault}"
            )
        elif (share := _compute_followed(asked, made[0], [original, *synthetic])) < 1 and not (
            column in recipe.noisy and _is_nearer(column, made[0], original, synthetic)
        ):
            unfollowed.append(_unfollowed_row(column, written, share))
        else:
            tables = [_with_note(table, column, written) for table in made]
            steps += written
    if steps:
        notes.insert(0, _sentence(steps))
    others = None if control is None else tables[1]
    return RecodedFiles(tables[0], others, tuple(steps), tuple(notes), tuple(unfollowed))


def _unfollowed_row(column: str, steps: Sequence[Step], share: float) -> CodingRow:
    followed = f"{percent(100 * share)} of records, not all,"
    return CodingRow(
        copy="pooled",
        column=column,
        coding="coarser",
        share=share,
        expected=1.0,
        joint=False,
        sentence=f"{followed} are as the declared recoding ({_does(steps)}) leaves them",
    )


def _fix(original: Table, recipe: Recipe) -> tuple[tuple[Step, ...], list[str]]:
    """The recipe with limits as `protect` would find them, and the steps that cannot be done."""
    run = RecipeRun(Study([original]), (), 0)
    for number, step in enumerate(recipe.written, start=1):
        run.apply_step(number, step)
    return tuple(run.fixed), [f"Not recoded: {fault.error}" for fault in run.faults]


def _steps_of_column(steps: Sequence[Step], column: str) -> tuple[Step, ...]:
    return tuple(step for step in steps if step.column == column and step_word(step) in RECODINGS)


def _apply(tables: list[Table], steps: Sequence[Step]) -> tuple[list[Table], InputError | None]:
    run = RecipeRun(Study(tables), (), 0)
    for number, step in enumerate(steps, start=1):
        run.apply_step(number, step)
    return [*run.tables], run.faults[0].error if run.faults else None


def _compute_followed(steps: Sequence[Step], recoded: Table, files: Sequence[Table]) -> float:
    """Of the synthetic records, those as these steps leave them; the original is the first file."""
    name, synthetic = steps[0].column, files[1:]
    if any(step_word(step) == "band" for step in steps):
        return _compute_known(name, recoded, synthetic)
    again, fault = _apply([*files], steps)
    if fault is not None:
        return 0.0
    column = link_column(name, Study([*synthetic, *again[1:]]).files)
    half = len(synthetic)
    pairs = [(column.select_side(i), column.select_side(half + i)) for i in range(half)]
    n_equal = sum(int((before == after).sum()) for before, after in pairs)
    return n_equal / max(sum(len(before) for before, _ in pairs), 1)


def _is_nearer(name: str, recoded: Table, original: Table, synthetic: Sequence[Table]) -> bool:
    """Whether at least as many synthetic values are values of the recoded original."""
    return _compute_known(name, recoded, synthetic) >= _compute_known(name, original, synthetic)


def _compute_known(name: str, original: Table, synthetic: Sequence[Table]) -> float:
    """Of all synthetic records, how many have a value of this column that the original has."""
    column = link_column(name, Study([original, *synthetic]).files)
    counts = column.counts[ORIGINAL + 1 :].sum(axis=0)
    return float(counts[column.counts[ORIGINAL] > 0].sum()) / max(int(counts.sum()), 1)


def _with_note(table: Table, column: str, steps: Sequence[Step]) -> Table:
    said = f"Column {column!r} was recoded as in the synthetic data: {_does(steps)}."
    note = Coercion(side=table.side, column=column, kind="recoded", sentence=said)
    return replace(table, notes=(*table.notes, note))


def _does(steps: Sequence[Step]) -> str:
    return ", ".join(step_word(step) for step in steps)


def _recoding_phrase(steps: Sequence[Step]) -> str:
    return f"The recoding of {steps[0].column!r} ({_does(steps)})"


def _sentence(steps: Sequence[Step]) -> str:
    columns = dict.fromkeys(step.column for step in steps)
    told = [f"{name!r} ({_does([one for one in steps if one.column == name])})" for name in columns]
    return (
        "Like with like: the original was recoded as the synthetic data were, in"
        f" {list_names(told, most=len(told))}."
    )
