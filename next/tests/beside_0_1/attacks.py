"""Do attacks succeed as often as in 0.1? Groups of equal size, everyone attacked.

    python attacks.py [PYTHON_OF_0_1]

Not compared: predicates of several columns, which both draw; bootstrap intervals, which are no
more. Groups of different size differ by decision: 0.1 cuts the larger, here everyone is attacked.
Ends with 1 if any figure differs.
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

NAMES = ("sex", "age", "agegr", "placesize", "region", "edu", "income", "marital", "ls", "smoke")
N = 1_600  # records of each part of SD2011
OF_0_1 = """
import json, sys, unveil
task = json.load(open(sys.argv[1]))
*files, control = task["files"]
about = {"control": control, "seed": 1, "special_codes": task["special"]}
figures = {}
def add(place, row, names):
    for name in names.split():
        figures[f"{place} {name}"] = getattr(row, name)
def add_rates(place, row):
    add(place, row, "main naive control R")
    for name, ends in (("main", row.main_interval), ("control", row.control_interval),
                       ("R", row.interval_delta)):
        figures[f"{place} {name}_low"], figures[f"{place} {name}_high"] = ends
for row in unveil.inference(*files, **about).rows:
    add_rates(f"inference {row.target}", row)
for k in (1, 5):
    (row,) = unveil.linkability(*files, columns=task["parts"], k=k, **about).rows
    add_rates(f"linkability {k}", row)
(row,) = unveil.singling_out(*files, mode="univariate", **about).rows
add("singling out", row, "main control R")
record = unveil.membership(*files, **about).record
for row in record.rows:
    add(f"membership {row.threshold:g}", row, "recall false_positive_rate precision F1 advantage")
figures["membership AUC"] = record.people_auc
figures["membership AUC_low"], figures["membership AUC_high"] = record.people_auc_interval
figures["closest"] = round(record.recall_at_1 * record.n_original)
print(json.dumps(figures))
"""
RATES = ("main", "naive", "control", "R", *(
    f"{name}_{end}" for name in ("main", "control", "R") for end in ("low", "high")
))  # fmt: skip


def figures_of(files: list[str], parts: list[list[str]], special: dict) -> dict[str, float | None]:
    names = pl.read_csv(files[0], n_rows=0).columns
    columns = {name: {"special": codes} for name, codes in special.items()}
    study = unveil.Study(
        files[0], files[1], control=files[2], keys=names[:1], targets=names[1:], columns=columns
    )
    inferred = [
        unveil.inference(study),
        unveil.inference(study.replace(keys=names[1:], targets=names[:1])),
    ]
    figures = {
        f"inference {row.target} {rate}": row[rate]
        for result in inferred
        for row in result.attacks
        for rate in RATES
    }
    for k in (1, 5):
        (row,) = unveil.linkability(study, parts=parts, neighbours=k).attacks
        figures |= {f"linkability {k} {rate}": row[rate] for rate in RATES}
    row = unveil.singling_out(study).attacks[0]
    figures |= {f"singling out {rate}": row[rate] for rate in ("main", "control", "R")}
    result = unveil.membership(study)
    for row in result.membership:
        place = f"membership {row.threshold:g}"
        names = ("recall", "false_positive_rate", "precision", "F1", "advantage")
        figures |= {f"{place} {name}": row[name] for name in names}
    figures |= {f"membership {name}": row[name] for name in ("AUC", "AUC_low", "AUC_high")}
    return figures | {"closest": result.closest[0].closest}


def main() -> int:
    python = sys.argv[1] if sys.argv[1:] else str(HERE.parents[2] / ".venv/bin/python")
    golden, peer = (find_reference(n) for n in ("synthpop/golden.json", "anonymeter/orig.csv"))
    if golden is None or peer is None:
        sys.exit("The files of others are not beside the project: see reference.py.")
    with TemporaryDirectory() as folder:
        whole = pl.read_csv(golden.parent / "sd2011.csv", infer_schema_length=None).select(NAMES)
        survey = [str(Path(folder, f"{part}.csv")) for part in range(3)]
        for part, path in enumerate(survey):
            whole.gather_every(3, part).head(N).write_csv(path)
        adult = [str(peer.parent / f"{name}.csv") for name in ("orig", "syn", "control")]
        halves = [["age", "sex", "race"], ["marital", "hours", "gain"]]
        parts = [["sex", "age", "region"], ["edu", "income"]]
        tasks = {
            "Adult, 15 % copied": (adult, halves, {}),
            "SD2011, strangers": (survey, parts, {"income": [-8]}),
        }
        n_differing = 0
        for name, (files, parts, special) in tasks.items():
            task = Path(folder, "task.json")
            task.write_text(json.dumps({"files": files, "parts": parts, "special": special}))
            words = [python, "-I", "-c", OF_0_1, str(task)]
            printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
            before, here = json.loads(printed), figures_of(files, parts, special)
            wrong = [
                place
                for place in here
                if before[place] != here[place]
                and not isclose(before[place], here[place], rel_tol=1e-9, abs_tol=1e-12)
            ]
            print(f"{name:<20}{len(here):>5} figures, {len(here) - len(wrong)} equal")
            for place in wrong[:20]:
                print("DIFFERS", place, "0.1:", before[place], "here:", here[place])
            n_differing += len(wrong)
    return 1 if n_differing else 0


if __name__ == "__main__":
    sys.exit(main())
