"""Do 0.1 and this tree read the same levels and counts from labelled files?

    python files.py [PYTHON_OF_0_1]

Two halves of SD2011 get codes with labels and codes for missing answers, and are
written in every format that is written. Of each, figures and the people behind every value must be
those of 0.1, and those of the plain texts; and so those of a file that SAS itself has written. Ends
with 1 if any differs.
"""

import json
import subprocess
import sys
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory

import polars as pl

import unveil

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from reference import find_reference  # noqa: E402

KEYS = ("sex", "age", "region", "placesize")
TARGETS = ("edu", "income", "marital", "ls", "depress", "smoke", "alcabuse", "workab", "bmi")
REFUSED = -8  # in SD2011
FIGURES = ("Dorig", "Dsyn", "iS", "DiS", "DiSCO", "CAPd", "DCAP", "baseCAPd", "max_denom")
ENDINGS = (".csv", ".parquet", ".sav", ".dta")
SAS = HERE.parents[2] / "tests" / "io" / "data" / "people.sas7bdat"

OF_0_1 = """
import json, sys, unveil
for folder, ending, keys, targets, labels in json.load(open(sys.argv[1])):
    files = [f"{folder}/original{ending}", f"{folder}/synthetic{ending}"]
    record = unveil.disclosure(*files, keys=keys, targets=targets)
    for row in record.attribute:
        figures = {name: getattr(row, name) for name in sys.argv[2].split(",")}
        print(json.dumps([ending, row.target, "figures", "", figures]))
    for row in record.by_value:
        if row.kind != "rare":
            level = labels.get(row.target, {}).get(row.level, row.level)
            people = {"people": row.n_people, "correct": row.n_correct, "wrong": row.n_wrong}
            print(json.dumps([ending, row.target, "value", level, people]))
"""


def coded(frame: pl.DataFrame, levels: dict[str, list[str]]) -> unveil.Data:
    """Texts as codes from 1 on with labels; the code of SD2011 for a missing answer declared."""
    codebook = {}
    for name, texts in levels.items():
        codes = {text: place for place, text in enumerate(texts, start=1)}
        frame = frame.with_columns(pl.col(name).replace_strict(codes, return_dtype=pl.Int64))
        codebook[name] = unveil.Variable(
            label=f"Answer to {name}", labels={str(code): text for text, code in codes.items()}
        )
    for name in ("income", "bmi"):
        codebook[name] = unveil.Variable(missing=((REFUSED, REFUSED),))
    return unveil.Data(frame, codebook)


def figures_of(study: unveil.Study) -> dict[tuple[str, str, str], dict[str, float | None]]:
    result = unveil.disclosure(study, expected=False)
    figures = {
        (row["target"], "figures", ""): {name: row[name] for name in FIGURES}
        for row in result.frame().to_dicts()
        if row["unit"] == "records"
    }
    for row in result.frame("values").to_dicts():
        people = {name: row[name] for name in ("people", "correct", "wrong")}
        figures[row["target"], "value", str(row["level"])] = people
    return figures


def differing(here: dict, before: dict) -> list:
    """The places where figures differ; values that only one of them lists are none."""
    return [
        (place, name, here[place][name], figure)
        for place, figures in before.items()
        if place in here
        for name, figure in figures.items()
        if not (here[place][name] == figure or isclose(here[place][name], figure, rel_tol=1e-9))
    ]


def main() -> int:
    python = sys.argv[1] if sys.argv[1:] else str(HERE.parents[2] / ".venv/bin/python")
    golden = find_reference("synthpop/golden.json")
    if golden is None:
        sys.exit("The files of synthpop are not beside the project: see reference.py.")
    names = [*KEYS, *TARGETS]
    whole = pl.read_csv(golden.parent / "sd2011.csv", infer_schema_length=None).select(names)
    frames = {role: whole.gather_every(2, k) for k, role in enumerate(("original", "synthetic"))}
    levels = {c.name: sorted(c.unique().drop_nulls()) for c in whole if c.dtype == pl.String}
    labels = {  # 0.1 tells codes
        name: {str(code): text for code, text in enumerate(texts, start=1)}
        for name, texts in levels.items()
    }
    with TemporaryDirectory() as folder:
        tasks, here = [], {}
        about = {"keys": KEYS, "targets": TARGETS}
        plain = figures_of(unveil.Study(*frames.values(), **about))
        for ending in ENDINGS:
            paths = [
                unveil.write(coded(frame, levels), Path(folder, f"{role}{ending}"), fake=False)
                for role, frame in frames.items()
            ]
            here[ending] = figures_of(unveil.Study(*paths, **about))
            tasks.append((folder, ending, KEYS, TARGETS, labels))
        for role in ("original", "synthetic"):
            Path(folder, f"{role}.sas7bdat").write_bytes(SAS.read_bytes())
        tasks.append((folder, ".sas7bdat", ("SEX",), ("WEIGHT", "ILL"), {}))
        here[".sas7bdat"] = figures_of(unveil.Study(SAS, SAS, keys="SEX"))
        Path(folder, "tasks.json").write_text(json.dumps(tasks))
        words = [python, "-I", "-c", OF_0_1, str(Path(folder, "tasks.json")), ",".join(FIGURES)]
        printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    before: dict = {}
    for ending, target, kind, level, figures in map(json.loads, printed.splitlines()):
        before.setdefault(ending, {})[target, kind, str(level)] = figures
    is_same = True
    for ending, figures in here.items():
        missing = [place for place in before[ending] if place not in figures]
        wrong = differing(figures, before[ending]) + [(place, "not here") for place in missing]
        if ending != ".sas7bdat":
            wrong += differing(figures, plain) + [
                (p, "not in text") for p in figures if p not in plain
            ]
        n = sum(len(row) for row in before[ending].values())
        print(f"{ending:<10}{n:>6,} figures of 0.1, {len(wrong):,} differ")
        for place in wrong[:10]:
            print("DIFFERS", *place)
        is_same &= not wrong and n > 0
    return 0 if is_same else 1


if __name__ == "__main__":
    sys.exit(main())
