"""SD2011 in every format that people bring: the same figures from every pair of files.

The files are written here by other hands than ours: pyreadstat, polars and gzip. SPSS and Stata get
codes with labels, as their users have them; text files and SAS transport files get the words.
"""

import gzip
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

import unveil

SYNTHPOP = Path(__file__).parents[2] / "../shared/reference/synthpop"
KEYS = ("sex", "age", "region", "placesize")
TARGETS = ("depress", "income", "ls", "marital", "workab")
FORMATS = ("csv", "csv.gz", "parquet", "sav", "zsav", "dta", "xpt", "xlsx")
N_FIGURES = len(FORMATS) ** 2 * (6 + 17 * len(TARGETS))

if not SYNTHPOP.is_dir():
    pytest.skip(
        f"{N_FIGURES:,} figures of SD2011 in other formats went unchecked: ../shared is not there",
        allow_module_level=True,
    )


def coded(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, dict[int, str]]]:
    """Words as codes from 1 in the order of the alphabet, and what they stand for."""
    words = [name for name, dtype in frame.schema.items() if dtype == pl.String]
    levels = {name: frame[name].drop_nulls().unique().sort().to_list() for name in words}
    labels = {name: dict(enumerate(known, start=1)) for name, known in levels.items()}
    codes = frame.with_columns(
        pl.col(name).replace_strict({word: code for code, word in labels[name].items()})
        for name in words
    )
    return codes, labels


def write_sav(frame: pl.DataFrame, path: Path, *, compress: bool = False) -> None:
    import pyreadstat

    codes, labels = coded(frame)
    missing = {"income": [-8]} if "income" in frame.columns else {}
    pyreadstat.write_sav(
        codes, path, variable_value_labels=labels, missing_ranges=missing, compress=compress
    )


def write_dta(frame: pl.DataFrame, path: Path) -> None:
    import pyreadstat

    codes, labels = coded(frame)
    pyreadstat.write_dta(codes, path, variable_value_labels=labels)


def write_xpt(frame: pl.DataFrame, path: Path) -> None:
    import pyreadstat

    pyreadstat.write_xport(frame, path, file_format_version=8)


WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "csv": lambda frame, path: frame.write_csv(path),
    "csv.gz": lambda frame, path: path.write_bytes(gzip.compress(frame.write_csv().encode())),
    "parquet": lambda frame, path: frame.write_parquet(path),
    "sav": write_sav,
    "zsav": lambda frame, path: write_sav(frame, path, compress=True),
    "dta": write_dta,
    "xpt": write_xpt,
    "xlsx": lambda frame, path: frame.write_excel(path),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[tuple[str, str], unveil.Labelled]:
    """Original and copy in every format, each file read once."""
    folder = tmp_path_factory.mktemp("formats")
    frames = {
        "original": pl.read_csv(SYNTHPOP / "sd2011.csv", infer_schema_length=None),
        "synthetic": pl.read_csv(SYNTHPOP / "s1.csv", infer_schema_length=None),
    }
    read = {}
    for name, frame in frames.items():
        for ending in FORMATS:
            path = folder / f"{name}.{ending}"
            WRITERS[ending](frame, path)
            read[name, ending] = unveil.read_file(path)
    return read


def figures(original, synthetic) -> list[dict]:
    result = unveil.disclosure(original, synthetic, keys=KEYS, targets=TARGETS)
    record = result.to_dict()
    attribute = sorted(record["attribute"], key=lambda row: row["target"])
    return [*record["identity"], *attribute]


@pytest.fixture(scope="module")
def expected() -> list[dict]:
    return figures(SYNTHPOP / "sd2011.csv", SYNTHPOP / "s1.csv")


@pytest.mark.slow
@pytest.mark.parametrize("copy", FORMATS)
@pytest.mark.parametrize("original", FORMATS)
def test_every_pair_of_formats_gives_the_same_figures(original, copy, files, expected):
    found = figures(files["original", original], files["synthetic", copy])
    assert found == expected


@pytest.mark.slow
def test_what_was_compared_by_label_is_said(files):
    result = unveil.disclosure(
        files["original", "sav"], files["synthetic", "csv"], keys=KEYS, targets=TARGETS
    )
    said = {note.sentence for note in result.coercions if note.kind == "matched_by"}
    assert said == {"Compared by label: sex, region, placesize, ls, marital, workab."}
