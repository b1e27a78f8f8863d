"""What tests of the whole way from a raw file to a decision have in common."""

import json
from pathlib import Path
from typing import Any

import polars as pl
from click.testing import CliRunner

import unveil
from unveil.cli import main
from unveil.records.codebook import Codebook, Level, Variable

SYNTHPOP = Path(__file__).parents[2] / "../shared/reference/synthpop"
ANALYST, REVIEWER = "A. Nalyst, survey team", "R. Viewer, disclosure control"
OWNER = "O. Wner, data holder"
FACTORS = {
    "release_context": "to registered users, under an agreement",
    "taken_for_real": "no: its name and its label say that it is fake",
    "other_sources": "voters' lists",
    "intruder_knowledge": "what neighbours see",
    "method_released": "the class of method alone",
}


def write_sd2011_as_spss(folder: Path) -> None:
    """SD2011 as its users have it: codes with labels, and -8 of income as no answer."""
    frame = pl.read_csv(SYNTHPOP / "sd2011.csv", infer_schema_length=None)
    words = [name for name, kind in frame.schema.items() if kind == pl.String]
    levels = {name: frame[name].drop_nulls().unique().sort().to_list() for name in words}
    codes = frame.with_columns(
        pl.col(name).replace_strict({word: n for n, word in enumerate(known, start=1)})
        for name, known in levels.items()
    )
    declared = Codebook(
        source="sd2011",
        format="spss",
        variables=tuple(
            Variable(
                name=name,
                kind="number",
                levels=tuple(
                    Level(code=n, label=word) for n, word in enumerate(levels.get(name, ()), 1)
                ),
                missing=(-8,) if name == "income" else (),
            )
            for name in frame.columns
        ),
    )
    unveil.write_file(codes, folder / "sd2011.sav", codebook=declared, fake=False)


class Desk:
    """Runs commands in the current folder, and counts them."""

    def __init__(self) -> None:
        self.steps = 0

    def __call__(self, *arguments: str) -> tuple[int, str]:
        self.steps += 1
        done = CliRunner().invoke(_called, arguments, catch_exceptions=False)
        return done.exit_code, done.stdout

    def document(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        code, printed = self(*arguments, "--json")
        return code, json.loads(printed)


class _Called:
    """The whole command line, with its exit codes."""

    name = "unveil"

    def main(self, args, prog_name, **extra) -> None:
        main(list(args))


_called = _Called()
