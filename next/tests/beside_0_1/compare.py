"""Are the figures those of 0.1? Run by hand, and before a release.

    python compare.py [PYTHON_OF_0_1]

Every figure that both have must be equal to 1e-9, but for those that differ by decision: they are
listed below with the reason. Ends with 1 if any other differs. 0.1 is the project around this tree,
in its own environment, unless its Python is named.
"""

import json
import subprocess
import sys
import tomllib
from collections import Counter
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import unveil

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent))

from reference import find_reference  # noqa: E402

Case = dict[str, Any]
Place = tuple[str, ...]

ROWS = {
    "identity": ("unit",),
    "attribute": ("target", "unit"),
    "values": ("target", "level"),
    "flags": ("target", "kind", "level", "key", "key_level", "within"),
    "excluded": ("target", "rule"),
    "effect": ("target", "figure"),
    "exclusions": ("target", "figure"),
    "together": (),
    "sensitive": ("target", "level"),
    "excess": ("target", "figure"),
    "sets": ("target", "keys"),
}
"""What tells the rows of a table, beside their copy."""

VALUES = "values under exclusions: 0.1 counts people before them, here after"
IDENTITY = "missing keys that are excluded take people out of all identity; in 0.1 not of these"
UNKNOWN = "a rule that names a key acts only in sets with that key; in 0.1 in all sets"
DECISIONS = {
    ("values", "correct"): VALUES,
    ("values", "wrong"): VALUES,
    ("identity", "matched"): IDENTITY,
    ("sets", "repU"): IDENTITY,
    ("sets", "DiS"): UNKNOWN,
    ("sets", "DiSCO"): UNKNOWN,
}


def is_decided(place: Place, case: Case, here: Any, before: Any) -> bool:
    """Whether a figure differs where it was decided, and in that direction."""
    if (place[0], place[-1]) not in DECISIONS or here is None:
        return False
    rules, keys = case.get("exclude", ()), set(place[-2].split(","))
    missing = [rule for rule in rules if rule.startswith("missing-keys")]
    no_holes = {name for rule in missing for name in rule.partition("=")[2].split(",")}
    in_pairs = {part.partition("=")[0] for rule in rules for part in rule.split("@")[1:]}
    match place[0], place[-1]:
        case "values", _:
            return bool(rules) and here < before
        case "identity", _:
            return bool(missing) and here < before
        case "sets", "repU":
            return bool(no_holes & keys) and here < before
        case _:
            return bool((no_holes | in_pairs) - keys) and here > before


def measure(case: Case, folders: list[Path]) -> unveil.Result:
    names = [case["original"], *case["synthetic"], *case.get("control", "").split()]
    paths = [next(f / name for f in folders if (f / name).exists()) for name in names]
    copies = len(case["synthetic"])
    columns = {name: as_column(about) for name, about in case.get("columns", {}).items()}
    study = unveil.Study(
        paths[0],
        paths[1 : copies + 1],
        control=next(iter(paths[copies + 1 :]), None),
        keys=case["keys"],
        targets=[tuple(t) if isinstance(t, list) else t for t in case.get("targets", ())],
        columns=columns,
    )
    call = case.get("call", "disclosure")
    settings = {name: case[name] for name in ("exclude", "within", "figures") if name in case}
    if "thresholds" in case:
        settings["thresholds"] = tuple(case["thresholds"])
    if call != "excess":
        settings["expected"] = False
    result: unveil.Result = getattr(unveil, call)(study, **settings)
    return result


def as_column(about: Any) -> Any:
    if isinstance(about, str):
        return about
    lists = {name: tuple(value) for name, value in about.items() if isinstance(value, list)}
    return unveil.Column(**about | lists)


def figures_of(result: unveil.Result) -> dict[Place, Any]:
    figures: dict[Place, Any] = {}
    for table in set(result.tables) & set(ROWS):
        for row in result.frame(table).to_dicts():
            row["keys"] = ",".join(row.get("keys", ()))
            place = (table, row["copy"], *(row[part] or "" for part in ROWS[table]))
            if (*place, "copy") in figures:
                place = (*place, "twice")
            figures |= {(*place, column): value for column, value in row.items()}
    return figures


def is_same(here: Any, before: Any) -> bool:
    if isinstance(before, str) or here is None or before is None:
        return bool(here == before)
    return isclose(here, before, rel_tol=1e-9, abs_tol=1e-12)


def compare(case: Case, here: dict[Place, Any], before: dict[Place, Any]) -> Counter[str]:
    """How many figures are equal, and how many differ for each reason; others are printed."""
    counts: Counter[str] = Counter()
    for place, figure in before.items():
        if is_same(here.get(place), figure):
            counts["equal"] += 1
        elif is_decided(place, case, here.get(place), figure):
            counts[DECISIONS[place[0], place[-1]]] += 1
        else:
            counts["unexplained"] += 1
            print("DIFFERS", case["name"], place, "0.1:", figure, "here:", here.get(place))
    more = {place[:-1] for place in here} - {place[:-1] for place in before}
    for place in more:
        if place[0] == "flags" or place[-1] == "twice":
            counts["unexplained"] += 1
            print("ONE MORE", case["name"], place)
    return counts


def run_0_1(python: str, folders: list[Path]) -> dict[str, dict[Place, Any]]:
    script, cases = HERE / "figures_of_0_1.py", HERE / "cases.toml"
    subprocess.run([python, "-I", script, cases, *reversed(folders)], check=True)
    document = json.loads((folders[0] / "figures.json").read_text())
    return {
        name: {tuple(str(part or "") for part in place): figure for *place, figure in figures}
        for name, figures in document.items()
    }


def main() -> int:
    python = sys.argv[1] if sys.argv[1:] else str(HERE.parents[2] / ".venv/bin/python")
    golden = find_reference("synthpop/golden.json")
    if golden is None:
        sys.exit("The files of synthpop are not beside the project: see reference.py.")
    total: Counter[str] = Counter()
    with TemporaryDirectory() as work:
        folders = [Path(work), golden.parent]
        before = run_0_1(python, folders)
        print(f"{'case':<40}{'compared':>9}{'equal':>8}{'decided':>9}{'unexplained':>13}")
        for case in tomllib.loads((HERE / "cases.toml").read_text())["case"]:
            counts = compare(case, figures_of(measure(case, folders)), before[case["name"]])
            equal, unexplained = counts["equal"], counts["unexplained"]
            decided = counts.total() - equal - unexplained
            print(
                f"{case['name']:<40}{counts.total():>9,}{equal:>8,}{decided:>9,}{unexplained:>13,}"
            )
            total += counts
    for reason, n in total.most_common():
        print(f"{n:>8,} {reason}")
    return 1 if total["unexplained"] else 0


if __name__ == "__main__":
    sys.exit(main())
