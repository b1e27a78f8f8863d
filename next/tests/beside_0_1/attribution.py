"""Are the figures of correct attribution those of 0.1? Run by hand, and before a release.

    python attribution.py [PYTHON_OF_0_1]

The script calls itself with the Python of 0.1. Every figure that both have must be equal to 1e-9.
Not compared is the interval of differential confidentiality: 0.1 draws key combinations anew, here
it follows from the variance between them, and needs no seed; the two are printed beside each other.
"""

import json
import subprocess
import sys
from collections import Counter
from math import isclose
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import unveil

IS_0_1 = unveil.__version__.startswith("0.1")
SD = [f"{kind}5_{m}.csv" for kind in ("s", "parametric") for m in range(1, 6)]
SD_VERSIONS = {"cart": SD[:5], "parametric": SD[5:]}
KEYS = ["sex", "age", "region", "placesize"]
WHO = ["sex", "age", "region", "settlement"]
NAMES = ["education", "marital", "employment", "household", "health", "condition", "satisfaction"]
ADULT = ["age", "sex", "race", "marital.status", "education.num"]
CASES: list[dict[str, Any]] = [
    {"name": "example", "files": ["survey.csv", "survey_synthetic.csv"], "keys": WHO,
     "targets": [*NAMES, "income", ["income", "health"]], "scores": True,
     "radii": {"age": 5, "income": 200}, "special": {"income": [-8]}},
    {"name": "example, three keys", "files": ["survey.csv", "survey_synthetic.csv"],
     "keys": ["sex", "age", "household"], "targets": ["income", "education"], "tau": 0.6,
     "radii": {"age": 3, "household": 2, "income": 0}, "special": {"income": [-8]}},
    {"name": "SD2011", "files": ["sd2011_ods.csv", SD_VERSIONS], "keys": KEYS,
     "targets": ["depress", "ls", "marital", "workab", "income"],
     "radii": {"age": 5, "income": 300, "depress": 2}, "special": {"income": [-8]}},
    {"name": "SD2011, three keys", "files": ["sd2011_ods.csv", SD_VERSIONS], "keys": KEYS[:3],
     "targets": ["depress", ["ls", "marital"]], "radii": {"age": 2, "depress": 0}, "tau": 0.8},
    {"name": "SD2011, a baseline", "files": ["sd2011_ods.csv", SD_VERSIONS], "keys": KEYS,
     "targets": ["depress"], "radii": {"age": 2, "depress": 3}, "baseline": 0.25},
    {"name": "Adult", "files": ["adult.csv", "adult_syn.csv"], "keys": ADULT,
     "targets": ["income", "occupation", "hours.per.week"],
     "radii": {"age": 3, "hours.per.week": 5}},
    {"name": "SD2011, control", "files": ["train.csv", ["syntrain.csv", "s5_2.csv"]],
     "control": "control.csv", "keys": KEYS,
     "targets": ["depress", "ls", "marital", "workab", "income"], "radii": {}},
]  # fmt: skip
CAP = {
    "people": "n", "matched": "n_match", "cap_original": "cap_original",
    "cap_baseline": "cap_baseline", "cap_synthetic_zero": "cap_synthetic_zero",
    "cap_synthetic_undefined": "cap_synthetic_undefined",
}  # fmt: skip
TREND = {"points": "n_points", "intercept": "intercept", "slope": "slope", "se_slope": "se_slope"}
TREND |= {"t": "t_slope", "p": "p_slope"}
TCAP = {"selected": "n_selected", "undefined": "n_undefined", "tcap": "tcap"}
TCAP |= {"tcap_baseline": "tcap_baseline"}
GCAP = {"distance": "mean_distance", "gcap": "gcap"}
GTCAP = {"unmatched": "n_unmatched", "GTCAP": "mean", "ratio_of_means": "ratio_of_means"}
GTCAP |= {f"{name}_mean": f"mean_{name}" for name in ("original", "synthetic", "baseline")}
DIFFERENCE = {
    "training_people": "n_included", "control_people": "n_left_out", "training": "mean_included",
    "control": "mean_left_out", "difference": "difference", "t": "t", "df": "df", "p": "p",
}  # fmt: skip
Figures = dict[str, Any]


def put(figures: Figures, place: tuple[Any, ...], row: Any, columns: dict[str, str]) -> None:
    for here, before in columns.items():
        figures["|".join(map(str, (*place, here)))] = getattr(row, before if IS_0_1 else here)


def name_of(target: Any) -> str:
    return target if isinstance(target, str) else "+".join(target)


def before(case: dict[str, Any], original: Any, methods: dict[str, Any], control: Any) -> Figures:
    figures: Figures = {}
    for target in case["targets"]:
        name, radii = name_of(target), case["radii"]
        parts = [target] if isinstance(target, str) else target
        special = case.get("special", {}).items()
        about = {"special_codes": {n: s for n, s in special if n in (*case["keys"], *parts)}}
        settings = {"key_sets": [case["keys"]], "target": target, **about}
        groups = ["full", "uniques", "special"]
        if control is not None:
            for nonmatch in ("zero", "undefined"):
                record = unveil.differential_confidentiality(
                    original, control, methods, keys=case["keys"], target=target, seed=1,
                    nonmatch=nonmatch, **about,
                ).record  # fmt: skip
                for row in record.rows:
                    place = ("difference", row.method, name, nonmatch, row.m)
                    put(figures, place, row, DIFFERENCE)
                    figures["|".join(map(str, (*place, "interval")))] = row.interval
            continue
        record = unveil.cap_table(
            original, methods, scenarios=groups, tau=case.get("tau", 1.0), gcap=True,
            baseline=case.get("baseline"), **settings,
        ).record  # fmt: skip
        by_unit = {"records": record}
        if name in radii:
            by_unit["near"] = unveil.cap_table(
                original, methods, scenarios=groups, tolerance={name: radii[name]},
                baseline=case.get("baseline"), **settings,
            ).record  # fmt: skip
        for unit, of_unit in by_unit.items():
            for row in of_unit.rows:
                put(figures, ("cap", row.method, name, unit, row.scenario, row.m), row, CAP)
            for row in of_unit.on_m if len(next(iter(methods.values()))) > 1 else ():
                place = ("trend", row.method, name, unit, row.scenario, row.nonmatch)
                put(figures, place, row, TREND)
        for row in record.tcap:
            columns = {here: there for here, there in TCAP.items()
                       if not (here == "tcap_baseline" and "baseline" in case)}  # fmt: skip
            put(figures, ("tcap", row.method, name, row.m), row, columns)
        for row in record.gcap:
            put(figures, ("gcap", row.method, name, row.m), row, GCAP)
        near = {n: r for n, r in radii.items() if n in (*case["keys"], *parts)}
        if not near:
            continue
        for method, copies in methods.items():
            for rule in ("all_keys", "key"):
                result = unveil.gtcap(
                    original, copies, keys=case["keys"], target=parts, radii=near,
                    unique_rule=rule, **about,
                )  # fmt: skip
                record = result.record
                for row in record.copies:
                    columns = {
                        k: v for k, v in GTCAP.items() if k != "unmatched" or row.copy != "mean"
                    }
                    put(figures, ("gtcap", rule, method, name, row.copy), row, columns)
                place = ("gtcap", rule, method, name)
                figures["|".join((*place, "uniques"))] = record.n_unique
                figures["|".join((*place, "dropped"))] = record.n_dropped
                figures["|".join((*place, "bins"))] = [row.n for row in record.histogram]
                if case.get("scores"):
                    figures["|".join((*place, "scores"))] = result.frame().rows()
        if case.get("scores"):
            found = unveil.cap(original, methods["only"], keys=case["keys"], target=target, **about)
            scores = found.scores().select("cap_original", "cap_synthetic")
            figures[f"scores|{name}"] = scores.rows()
            found = unveil.tcap(
                original, methods["only"], keys=case["keys"], target=target, **about
            )
            figures[f"weap|{name}"] = found.synthetic_scores().select("weap", "tcap").rows()
    return figures


def here(case: dict[str, Any], original: Any, methods: dict[str, Any], control: Any) -> Figures:
    figures: Figures = {}
    special = case.get("special", {})
    columns: dict[str, dict[str, Any]] = {
        name: {"tolerance": radius, "special": tuple(special.get(name, ()))}
        for name, radius in case["radii"].items()
    }
    columns |= {n: {"special": tuple(s)} for n, s in special.items() if n not in columns}
    targets = [t if isinstance(t, str) else tuple(t) for t in case["targets"]]
    study = unveil.Study(
        original, methods, control=control, keys=case["keys"], targets=targets, columns=columns
    )
    if control is not None:
        for row in unveil.differential_confidentiality(study).difference:
            place = ("difference", row.version, row.target, row.nonmatch, row.m)
            put(figures, place, row, DIFFERENCE)
            ends = None if row.low is None else (row.low, row.high)
            figures["|".join(map(str, (*place, "interval")))] = ends
        return figures
    result = unveil.cap(study, baseline=case.get("baseline"), tau=case.get("tau", 1.0))
    for row in result.cap:
        put(figures, ("cap", row.version, row.target, row.unit, row.group, row.m), row, CAP)
    for row in result.trend:
        place = ("trend", row.version, row.target, row.unit, row.group, row.nonmatch)
        put(figures, place, row, TREND)
    for row in result.tcap:
        put(figures, ("tcap", row.version, row.target, row.m), row, TCAP)
    for row in result.gcap:
        put(figures, ("gcap", row.version, row.target, row.m), row, GCAP)
    for rule in ("all_keys", "key"):
        gtcap = unveil.gtcap(study, uniques=rule)
        for row in gtcap.gtcap:
            place = ("gtcap", rule, row.version, row.target)
            put(figures, (*place, row.copy), row, GTCAP)
            several = len(methods[row.version]) > 1
            if row.copy == ("pooled" if several else 1):
                figures["|".join((*place, "uniques"))] = row.uniques
                figures["|".join((*place, "dropped"))] = row.dropped
                figures["|".join((*place, "bins"))] = [
                    b.people for b in gtcap.bins
                    if (b.version, b.copy, b.target) == (row.version, row.copy, row.target)
                ]  # fmt: skip
                if case.get("scores"):
                    records = gtcap.records(row.target).drop("version", "copy", "target")
                    figures["|".join((*place, "scores"))] = records.rows()
    for target in study.targets if case.get("scores") else ():
        records = result.records(target)
        scores = records.filter(file="original").select("cap_original", "cap_synthetic")
        figures[f"scores|{target}"] = scores.rows()
        figures[f"weap|{target}"] = records.filter(file="synthetic").select("weap", "tcap").rows()
    return figures


def measure(folders: list[Path]) -> dict[str, Figures]:
    figures = {}
    for case in CASES:
        original, synthetic = case["files"]
        if not isinstance(synthetic, dict):
            synthetic = {"only": synthetic if isinstance(synthetic, list) else [synthetic]}
        paths = {name: next(f / name for f in folders if (f / name).exists())
                 for name in (original, *(c for copies in synthetic.values() for c in copies),
                              *([case["control"]] if "control" in case else []))}  # fmt: skip
        methods: dict[str, Any] = {
            method: [str(paths[copy]) for copy in copies] for method, copies in synthetic.items()
        }
        control = str(paths[case["control"]]) if "control" in case else None
        run = before if IS_0_1 else here
        figures[case["name"]] = run(case, str(paths[original]), methods, control)
    return figures


def flat(place: str, value: Any) -> dict[str, Any]:
    if not isinstance(value, list | tuple):
        return {place: value}
    return {p: v for j, part in enumerate(value) for p, v in flat(f"{place}|{j}", part).items()}


def is_same(ours: Any, theirs: Any) -> bool:
    if ours is None or theirs is None:
        return ours is theirs
    return isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)


def main() -> int:
    if IS_0_1:
        folders = [Path(folder) for folder in sys.argv[1:]]
        (folders[0] / "figures.json").write_text(json.dumps(measure(folders)))
        return 0
    sys.path.append(str(Path(__file__).resolve().parents[1]))
    from reference import find_reference
    from unveil.examples import survey, survey_synthetic

    python = sys.argv[1] if sys.argv[1:] else str(Path(__file__).parents[3] / ".venv/bin/python")
    golden = find_reference("synthpop/golden.json")
    if golden is None:
        sys.exit("The files of synthpop are not beside the project: see reference.py.")
    total: Counter[str] = Counter()
    with TemporaryDirectory() as work:
        folders = [Path(work), golden.parent]
        survey().write_csv(folders[0] / "survey.csv")
        survey_synthetic().write_csv(folders[0] / "survey_synthetic.csv")
        subprocess.run([python, "-I", __file__, *folders], check=True)
        theirs = json.loads((folders[0] / "figures.json").read_text())
        for name, figures in measure(folders).items():
            ours = {p: v for place, value in figures.items() for p, v in flat(place, value).items()}
            counts: Counter[str] = Counter()
            for place, value in theirs[name].items():
                for p, figure in flat(place, value).items():
                    if "|interval" in p:
                        print(f"  {p:<60} 0.1 {figure:.5f}, here {ours[p]:.5f}")
                        continue
                    same = p in ours and is_same(ours[p], figure)
                    counts["equal" if same else "different"] += 1
                    if not same and counts["different"] < 10:
                        print("DIFFERS", name, p, "0.1:", figure, "here:", ours.get(p, "lacking"))
            print(f"{name:<24}", dict(counts))
            total += counts
    print(dict(total))
    return 1 if total["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
