"""`--records`: who is at risk, for the custodian's eyes, in a file only its owner may read."""

import io
from pathlib import Path

import polars as pl

from unveil.errors import WriteError
from unveil.measure.result import DisclosureResult
from unveil.report.documents import guarded
from unveil.report.words import counted, people, visible
from unveil.write.guarding import harmless
from unveil.writing import refuse_present, write_private

OWN = ("row", "target", "copy")


def refuse_records(path: Path) -> None:
    """Refuse, before anything is measured, a file that could not be written in the end."""
    if not path.name.lower().endswith(".csv"):
        raise WriteError(
            f"Records at risk are written as CSV. Name a file that ends in .csv, not {path.name!r}."
        )
    refuse_present(path)
    if not path.parent.is_dir():
        raise WriteError(
            f"There is no folder {str(path.parent)!r} to write records at risk to. Make it first,"
            " or name another."
        )


def write_records(result: DisclosureResult, path: Path) -> str:
    """Write the records behind DiSCO, target after target, and say what was written."""
    frames = [_of_target(result, target) for target in result.record.targets]
    together = pl.concat(frames, how="vertical") if frames else pl.DataFrame({"row": []})
    document = io.BytesIO()
    harmless(together).write_csv(document)
    write_private(path, document.getvalue())
    found, who = counted(together.height, "finding"), people(together["row"].n_unique())
    return (
        f"CONFIDENTIAL: {found} about {who} written to {visible(str(path))}; row 0 is the first of"
        " the original. The file tells who they are and what would be learnt about them: keep it"
        " where the original is kept."
    )


def _of_target(result: DisclosureResult, target: str) -> pl.DataFrame:
    """The records of one target, its values under names that all targets share."""
    found = result.records_at_risk(target, as_text=True)
    n_keys = len(result.record.keys)
    row, copy, *data = found.columns
    names = [
        *result.record.keys,
        "value",
        "copy_says",
        *(name.rstrip("_") for name in data[n_keys + 2 :]),
    ]
    return pl.DataFrame(
        [
            found[row].alias("row"),
            pl.Series("target", [target]).new_from_index(0, found.height),
            found[copy].alias("copy"),
            *(
                found[old].alias(new)
                for old, new in zip(data, headings_of(names, n_keys), strict=True)
            ),
        ]
    )


def headings_of(names: list[str], n_keys: int) -> list[str]:
    """Harmless headings, each once; a key with the name of another column says that it is one."""
    ours = [*OWN, *names[n_keys:]]
    keys: list[str] = []
    for name in names[:n_keys]:
        heading = str(guarded(name))
        while heading in (*ours, *keys):
            heading += " (key)"
        keys.append(heading)
    return [*keys, *names[n_keys:]]
