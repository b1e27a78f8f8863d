"""`--records`: who is at risk, for the custodian's eyes, in a file only its owner may read."""

import io
from pathlib import Path

import polars as pl

from unveil.errors import WriteError
from unveil.measure.result import DisclosureResult
from unveil.report.words import counted, visible
from unveil.writing import refuse_present, write_private

OWN = (
    *("row", "target", "copy", "value", "copy_says"),
    *("d_tq", "s_tq", "d_q", "s_q", "measures", "why"),
)
# What `report.words.visible` makes visible, as a pattern: everything that steers a page.
_STEERING = r"[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]"


def refuse_records(path: Path) -> None:
    """Refuse, before anything is measured, a file that could not be written in the end."""
    if path.suffix.lower() != ".csv":
        raise WriteError(
            f"Records at risk are written as CSV. Name a file that ends in .csv, not {path.name!r}."
        )
    refuse_present(path)
    if not path.parent.is_dir():
        raise WriteError(f"There is no folder {str(path.parent)!r} to write records at risk to.")


def write_records(result: DisclosureResult, path: Path) -> str:
    """Write the records behind DiSCO, target after target, and say what was written."""
    frames = [_of_target(result, target) for target in result.record.targets]
    together = pl.concat(frames, how="vertical") if frames else pl.DataFrame()
    document = io.BytesIO()
    _harmless(together).write_csv(document)
    write_private(path, document.getvalue())
    records = counted(together.height, "record")
    return (
        f"CONFIDENTIAL: {records} at risk written to {path}; row 0 is the first of the original."
        " The file tells who they are and what would be learnt about them: keep it where the"
        " original is kept."
    )


def _of_target(result: DisclosureResult, target: str) -> pl.DataFrame:
    """The records of one target, its values under names that all targets share."""
    found = result.records_at_risk(target)
    row, copy, *keys, value, said = found.columns[: len(result.record.keys) + 4]
    rest = found.columns[len(result.record.keys) + 4 :]
    return pl.DataFrame(
        [
            found[row].alias("row"),
            pl.Series("target", [target]).new_from_index(0, found.height),
            found[copy].alias("copy"),
            *(found[key].cast(pl.String).alias(_heading(key)) for key in keys),
            found[value].cast(pl.String).alias("value"),
            found[said].cast(pl.String).alias("copy_says"),
            *(found[name].alias(name.rstrip("_")) for name in rest),
        ]
    )


def _heading(key: str) -> str:
    """The name of a key as a heading; beside one of ours with the same name it says what it is."""
    return f"{visible(key)} (key)" if key in OWN else visible(key)


def _harmless(frame: pl.DataFrame) -> pl.DataFrame:
    """Text that neither steers a terminal nor runs as a formula in a spreadsheet."""
    return pl.DataFrame([_guarded(column) for column in frame])


def _guarded(column: pl.Series) -> pl.Series:
    if column.dtype != pl.String:
        return column
    text = column.alias("").str.replace_all(_STEERING, "\N{REPLACEMENT CHARACTER}")
    is_number = text.str.contains(r"^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$")
    is_formula = text.str.contains(r"^[=+\-@]") & ~is_number
    return text.zip_with(~is_formula.fill_null(False), "'" + text).alias(column.name)
