"""Are the figures of utility those of 0.1? Run by hand, and before a release.

    python utility.py [PYTHON_OF_0_1]

Every figure that both have must be equal to 1e-9. Ends with 1 if any differs. 0.1 is the project
around this tree, in its own environment, unless its Python is named.
"""

import json
import subprocess
import sys
from collections import Counter
from math import isclose
from pathlib import Path

import unveil

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from reference import find_reference  # noqa: E402

COLUMNS = ("sex", "age", "region", "placesize", "depress", "income", "ls", "marital", "workab")
RESULTS = [
    {"name": "Income", "kind": "mean", "outcome": "income"},
    {"name": "Women", "kind": "share", "outcome": "sex = 'FEMALE'"},
    {"name": "Depressed", "kind": "linear", "outcome": "depress",
     "predictors": ["age", "sex", "placesize"]},
    {"name": "Abroad", "kind": "logistic", "outcome": "workab", "predictors": ["age", "sex"]},
]  # fmt: skip
TERMS = {"Income, mean": "Income, mean of income", "Women, share": "Women, sex = FEMALE"}


def figures(study: unveil.Study) -> dict[tuple[str, ...], float | None]:
    results: list[unveil.Result] = [
        unveil.utility(study, permutations=1),
        unveil.compare(study),
        unveil.replicate(study, RESULTS),
    ]
    logit = unveil.utility(study, model="logit")
    tables = [table for result in results for table in result.all_tables()]
    found: dict[tuple[str, ...], float | None] = {}
    for table in [*tables, logit.table("overall")]:
        for row in table.rows:
            names = [
                row[name] for name in ("a", "b") if table.name in ("statistics", "associations")
            ]
            subject = row["model"] if table.name == "overall" else row.subject
            subject = " by ".join(sorted(filter(None, names))) or TERMS.get(subject, subject)
            for name in row.__struct_fields__:
                found[table.name, str(row["copy"]), subject, name] = row[name]
    return found


def main() -> int:
    python = sys.argv[1] if sys.argv[1:] else str(HERE.parents[2] / ".venv/bin/python")
    golden = find_reference("synthpop/golden.json")
    if golden is None:
        sys.exit("The files of synthpop are not beside the project: see reference.py.")
    counts: Counter[str] = Counter()
    for version in ("s5", "parametric5"):
        names = ["sd2011_ods", *(f"{version}_{copy}" for copy in range(1, 6))]
        original, *copies = (str(golden.parent / f"{name}.csv") for name in names)
        about = {"income": {"special": (-8,)}}
        study = unveil.Study(original, copies, targets=COLUMNS, columns=about, missing=("NA",))
        here = figures(study)
        words = [python, "-I", str(HERE / "utility_of_0_1.py"), original, *copies]
        printed = subprocess.run(words, capture_output=True, check=True, text=True).stdout
        for *place, before in json.loads(printed):
            value = here.get(tuple(map(str, place)), "no such figure")
            is_same = value is before
            if isinstance(value, int | float) and before is not None:
                is_same = isclose(value, before, rel_tol=1e-9, abs_tol=1e-12)
            counts["equal" if is_same else "differs"] += 1
            if not is_same:
                print("DIFFERS", version, place, "0.1:", before, "here:", value)
    print(f"{counts.total():,} figures compared, {counts['equal']:,} equal")
    return 1 if counts["differs"] else 0


if __name__ == "__main__":
    sys.exit(main())
