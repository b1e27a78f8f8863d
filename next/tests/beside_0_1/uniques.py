"""Are the figures of one file those of 0.1? Run by hand, as compare.py is.

    python uniques.py [PYTHON_OF_0_1]

Left out: what only one of them has, and by decision scores and DIS of people with several records,
whose own records do not hide them here; in 0.1 they do. Diversity is of people with the same keys
here, in 0.1 also of those who might have them: it is compared where no key is missing or may be
any.
"""

import json
import subprocess
import sys
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import polars as pl

import unveil
from unveil.examples import survey, survey_synthetic

HERE = Path(__file__).resolve().parent
Figures = dict[str, Any]

EXAMPLE = ["sex", "age", "region", "settlement"]
HOLES = ["sex", "education", "household", "health"]
SD2011 = ["sex", "age", "region", "placesize"]
ADULT = ["age", "education.num", "marital.status", "relationship", "sex", "native.country"]
COPIES = ["s5_1.csv", "s5_2.csv", "s5_3.csv", "s5_4.csv", "s5_5.csv"]
CASES: list[dict[str, Any]] = [
    {"name": "example", "file": "survey.csv", "keys": EXAMPLE, "target": "condition"},
    {"name": "example, one key", "file": "survey.csv", "keys": ["age"], "target": "health"},
    {"name": "example, missing keys", "file": "survey.csv", "keys": HOLES, "target": "income"},
    {"name": "example, sets of two", "file": "survey.csv", "keys": EXAMPLE, "largest": 2},
    {"name": "example, weights", "file": "survey.csv", "keys": EXAMPLE, "weights": "w"},
    {"name": "example, wildcard", "file": "survey.csv", "keys": HOLES, "wildcard": True},
    {"name": "example, wildcard and weights", "file": "survey.csv", "keys": [*EXAMPLE, "health"],
     "weights": "w", "wildcard": True},
    {"name": "example, people", "file": "survey.csv", "keys": ["sex", "age"], "person": "pid"},
    {"name": "example, aligned", "file": "survey.csv", "copies": ["survey_synthetic.csv"],
     "keys": EXAMPLE},
    {"name": "example, partly synthetic", "file": "survey.csv", "keys": EXAMPLE,
     "copies": ["partly.csv", "survey_synthetic.csv", "partly_2.csv"]},
    {"name": "SD2011", "file": "sd2011.csv", "keys": SD2011, "target": "depress"},
    {"name": "SD2011, seven keys", "file": "sd2011.csv", "target": "ls",
     "keys": [*SD2011, "edu", "socprof", "marital"]},
    {"name": "SD2011, wildcard", "file": "sd2011.csv", "wildcard": True,
     "keys": [*SD2011, "edu", "socprof", "marital"]},
    {"name": "SD2011, aligned", "file": "sd2011_ods.csv", "copies": COPIES,
     "keys": ["sex", "age", "region", "placesize", "depress"]},
    {"name": "Adult", "file": "adult.csv", "keys": ADULT, "target": "income"},
    {"name": "Adult, aligned", "file": "adult.csv", "copies": ["adult_syn.csv"], "keys": ADULT},
]  # fmt: skip
FRACTION = 0.02


def make_files(work: Path) -> None:
    """The example with weights and people, and with some of its values replaced."""
    row = pl.int_range(pl.len())
    original, synthetic = survey(), survey_synthetic()
    original.with_columns(w=row * 7919 % 97 / 4 + 1, pid=row * 7919 % 1_700).write_csv(
        work / "survey.csv"
    )
    synthetic.write_csv(work / "survey_synthetic.csv")
    for name, column in ("partly", "age"), ("partly_2", "region"):
        original.with_columns(synthetic[column]).write_csv(work / f"{name}.csv")


def find(name: str, folders: list[Path]) -> Path:
    return next(folder / name for folder in folders if (folder / name).exists())


def spread(name: str, values: Any) -> Figures:
    """A figure of each record."""
    return {f"{name} {place}": value for place, value in enumerate(values)}


def of_0_1(case: dict[str, Any], folders: list[Path]) -> Figures:
    """The figures of 0.1 in the words of this tree."""
    file, keys = str(find(case["file"], folders)), case["keys"]
    if "copies" in case:
        copies = [str(find(name, folders)) for name in case["copies"]]
        rows = unveil.match_risk(file, copies, keys=keys).rows
        names = {name: name for name in ALIGNED} | {"matched": "n_matched"}
        return {
            f"{row.copy} {name}": getattr(row, old) for row in rows for name, old in names.items()
        }
    person, target = case.get("person"), case.get("target")
    risk = unveil.match_risk(
        file, keys=keys, weights=case.get("weights"), sensitive=target, person=person,
        missing="wildcard" if case.get("wildcard") else "category",
    )  # fmt: skip
    if person:
        people = risk.record.people
        return {"uniques": people.n_unique, "global_risk": people.global_risk}
    found = unveil.suda(file, keys=keys, max_msu=case.get("largest"), dis_fraction=FRACTION)
    record, of_risk = found.record, risk.record
    figures = {
        "uniques": record.n_uniques, "special": record.n_special, "pairs": record.n_in_pairs,
        "threshold": record.special_threshold, "DIS": record.dis_file,
        "DIS_highest": record.dis_highest, "combinations": record.n_q,
        "population": of_risk.n_population, "global_risk": of_risk.global_risk,
        "expected_matches": of_risk.expected_reidentifications,
        "highest_risk": of_risk.highest_risk,
    }  # fmt: skip
    figures |= {f"{size.size} sets": size.n_msu for size in record.sizes}
    figures |= {f"{size.size} people": size.n_records for size in record.sizes}
    figures |= {f"{key.key} sets": key.n_msu for key in record.contributions}
    figures |= {f"{key.key} share_of_score": key.percent for key in record.contributions}
    figures |= {f"below {row.k}": row.n for row in of_risk.anonymity}
    figures |= {f"above {row.above}": row.n for row in of_risk.risks}
    for row in of_risk.diversity:
        if row.kind == "distinct":
            figures |= {"lowest": row.lowest, "below_2": row.n_below_2, "below_3": row.n_below_3}
    scores, risks = found.frame(), risk.frame()
    for name, old in {"score": "suda", "DIS": "dis", "sets": "n_msu"}.items():
        figures |= spread(name, scores[old].to_list())
    for name, old in {"k": "fk", "population": "Fk", "risk": "rk"}.items():
        figures |= spread(name, risks[old].to_list())
    return figures


ALIGNED = ("matched", "expected_match_risk", "perceived_match_rate", "true_match_rate",
           "false_match_rate")  # fmt: skip


def here(case: dict[str, Any], folders: list[Path]) -> Figures:
    roles = {case.get("person", ""): "person", case.get("weights", ""): "weight"}
    roles.pop("", None)
    copies = [find(name, folders) for name in case.get("copies", ())]
    study = unveil.Study(
        find(case["file"], folders), copies or None, keys=case["keys"], columns=roles,
        targets=case.get("target", ()),
    )  # fmt: skip
    if copies:
        study = study.replace(targets=next(n for n in study.targets if n in study.original.columns))
        rows = unveil.match_risk(study, aligned=True).aligned
        return {f"{row.copy} {name}": row[name] for row in rows for name in ALIGNED}
    risk = unveil.match_risk(study, wildcard=case.get("wildcard", False))
    suda = unveil.suda(study, largest=case.get("largest"), fraction=FRACTION)
    row = suda.uniques[0]
    figures = {name: row[name] for name in ("uniques", "special", "pairs", "DIS", "DIS_highest")}
    figures |= {name: risk.risk[0][name] for name in type(risk.risk[0]).units()}
    figures |= {"threshold": row.special_threshold}
    for size in suda.sizes:
        figures |= {f"{size.size} sets": size.sets, f"{size.size} people": size.people}
    for key in suda.keys:
        figures |= {f"{key.key} {name}": key[name] for name in ("sets", "share_of_score")}
    figures |= {f"below {k.k}": k.people for k in risk.anonymity}
    figures |= {f"above {limit.above}": limit.people for limit in risk.risks}
    if "target" in case:
        figures |= {name: risk.diversity[0][name] for name in ("lowest", "below_2", "below_3")}
    n = len(study.original)
    listed = pl.DataFrame({"row": range(n)}).join(suda.records(), "row", "left").sort("row")
    for name in ("score", "DIS", "sets"):
        figures |= spread(name, listed[name].fill_null(0).to_list())
    for name in ("k", "population", "risk"):
        figures |= spread(name, risk.records()[name].to_list())
    return figures


def is_same(measured: Any, before: Any) -> bool:
    if measured is None or before is None:
        return measured is before
    return isclose(measured, before, rel_tol=1e-9, abs_tol=1e-12)


def main() -> int:
    from reference import find_reference

    golden = find_reference("synthpop/golden.json")
    if golden is None:
        sys.exit("The files of synthpop are not beside the project: see reference.py.")
    python = sys.argv[1] if sys.argv[1:] else str(HERE.parents[2] / ".venv/bin/python")
    total, wrong = 0, 0
    with TemporaryDirectory() as work:
        folders = [Path(work), golden.parent]
        make_files(folders[0])
        asked = [python, "-I", __file__, "--before", *map(str, folders)]
        before = json.loads(subprocess.run(asked, check=True, capture_output=True).stdout)
        for case in CASES:
            measured, expected = here(case, folders), before[case["name"]]
            differ = [name for name in expected if not is_same(measured[name], expected[name])]
            print(f"{case['name']:<32}{len(expected):>10,} compared{len(differ):>6,} differ")
            for name in differ[:5]:
                print("   ", name, "0.1:", expected[name], "here:", measured[name])
            total, wrong = total + len(expected), wrong + len(differ)
    print(f"{total - wrong:,} of {total:,} are equal to 1e-9")
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--before"]:
        places = [Path(name) for name in sys.argv[2:]]
        print(json.dumps({case["name"]: of_0_1(case, places) for case in CASES}, default=float))
        sys.exit()
    sys.path.append(str(HERE.parent))
    sys.exit(main())
