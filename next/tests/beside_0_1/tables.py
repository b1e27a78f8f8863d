"""Are bounds, SAP, depths and lessons of random tables those of 0.1?

    python tables.py [PYTHON_OF_0_1] [TABLES]

Counts, and the values that are published of them, are drawn here and given to both. Every figure
must be equal. Ends with 1 if any differs.
"""

import json
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import unveil

HERE = Path(__file__).resolve().parent
SCHEMES = ("exact", "conventional:3", "conventional:5", "random:3", "up:3", "down:3", "noise:1",
           "noise:2:zeros", "suppress:3", "suppress:5", "controlled:3")  # fmt: skip
SHAPES = ((6,), (3, 3), (2, 4), (3, 4), (2, 2, 2), (2, 2, 3))

OF_0_1 = """
import json, sys, unveil
for case in json.load(open(sys.argv[1])):
    settings = {n: case[n] for n in ("rounding", "published", "structural", "dims")}
    settings |= {"table": "table" in case["rounding"]}
    table = unveil.PublishedTable.from_counts(case["counts"], **settings)
    cells = unveil.bounds(table).cells
    figures = {"lower": [c.lower for c in cells], "upper": [c.upper for c in cells]}
    record = unveil.sap(table, n_max=case["people"], depth="all").record
    figures |= {f"depth {d}": c.exact for d, c in enumerate(record.by_depth, 1)}
    figures["SAP"] = record.exact
    taught = record.taught
    figures["lessons"] = [taught.settles, taught.rules_out_level, taught.combination_only]
    if case["given"]:
        curve = unveil.sap(table, n_max=case["people"], given={"dim1": "0"}).record
        figures["given"] = curve.exact
    if case["known"]:
        curve = unveil.sap(table, n_max=case["people"], known=[case["known"]]).record
        figures["known"] = curve.exact
    print(json.dumps(figures))
"""


def nested(flat, shape):
    step = len(flat) // shape[0]
    if len(shape) == 1:
        return flat
    return [nested(flat[i * step : (i + 1) * step], shape[1:]) for i in range(shape[0])]


def draw(seed):
    """A table, as here and as 0.1 takes it."""
    chance = random.Random(seed)
    shape = chance.choice(SHAPES)
    size = len(range(1))
    for n in shape:
        size *= n
    counts = [int(chance.expovariate(0.6)) for _ in range(size)]
    counts[-1] += not any(counts)
    parts = unveil.PublishedTable(nested(counts, shape)).all_parts
    publish = {part: chance.choice(SCHEMES) for part in parts[1:] if chance.random() < 0.6}
    publish |= {parts[0]: chance.choice(SCHEMES)}
    if "controlled:3" in publish.values() and len(shape) < 3:
        publish = dict.fromkeys(publish, "controlled:3")
    else:
        publish = {p: s.replace("controlled:3", "conventional:3") for p, s in publish.items()}
    zeros = [i for i, count in enumerate(counts) if not count]
    structural = zeros[:1] if chance.random() < 0.3 else []
    dims = [f"dim{axis + 1}" for axis in range(len(shape))]
    blank = unveil.PublishedTable(nested(counts, shape))
    levels = blank.levels_of(blank.dims)
    texts = [",".join(f"{d}={v}" for d, v in zip(dims, levels[i], strict=True)) for i in structural]
    table = unveil.PublishedTable(
        nested(counts, shape), publish=publish, structural=texts, seed=seed
    )
    names = {part: ",".join(part) for part in table.parts} | {table.dims: "table", (): "total"}
    values = {part: own.shown.tolist() for part, own in table.parts.items()}
    here = max(range(size), key=lambda i: counts[i])
    known = ",".join(f"{d}={v}" for d, v in zip(dims, levels[here], strict=True))
    published = {
        names[part]: [None if v != v else int(v) for v in own] for part, own in values.items()
    }
    if "total" in published:
        published["total"] = published["total"][0]
    case = {
        "counts": nested(counts, shape),
        "rounding": {names[p]: str(v.scheme) for p, v in table.parts.items()},
        "published": published,
        "structural": structural,
        "dims": dims,
        "people": min(sum(counts), 8),
        "given": len(shape) > 1 and any(c for i, c in enumerate(counts) if levels[i][0] == "0"),
        "known": known if sum(counts) > 1 else "",
    }  # fmt: skip
    return table, case


def measure(table, case):
    rows = [row for row in unveil.bounds(table).values if row.part == "table"]
    figures = {
        "lower": [row.tightest_lower for row in rows],
        "upper": [row.tightest_upper for row in rows],
    }
    result = unveil.sap(table, people=case["people"])
    for row in result.depths:
        figures.setdefault(f"depth {row.depth}", []).append(row.SAP)
    figures["SAP"] = [row.SAP for row in result.curve]
    kinds = {}
    for row in result.lessons:
        kinds.setdefault(row.levels, set()).add(row.kind.split()[0])
    settles = sum("settles" in own for own in kinds.values())
    several = [own for own in kinds.values() if "settles" not in own]
    rules = sum(row.kind.endswith("level") for row in result.lessons)
    combination = sum(row.kind.endswith("combination") for row in result.lessons)
    figures["lessons"] = [settles, len(several) - combination, combination]
    assert rules >= figures["lessons"][1]
    if case["given"]:
        curve = unveil.sap(table, people=case["people"], given="dim1=0").curve
        figures["given"] = [row.SAP for row in curve]
    if case["known"]:
        curve = unveil.sap(table, people=case["people"], known=case["known"]).curve
        figures["known"] = [row.SAP for row in curve]
    return figures


def compare(python, n):
    drawn = [draw(seed) for seed in range(n)]
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cases.json"
        path.write_text(json.dumps([case for _, case in drawn]))
        words = [python, "-c", OF_0_1, str(path)]
        lines = subprocess.run(words, capture_output=True, check=True, text=True).stdout
    equal, differing = Counter(), Counter()
    for (table, case), line in zip(drawn, lines.splitlines(), strict=True):
        here, before = measure(table, case), json.loads(line)
        for name, figures in before.items():
            as_numbers = [float(Fraction(f)) if isinstance(f, str) else f for f in figures]
            length = min(len(as_numbers), len(here[name]))
            same = here[name][:length] == as_numbers[:length]
            (equal if same else differing)[name] += length
            if not same:
                print(case, name, here[name], as_numbers)
    print("equal:", dict(equal), sum(equal.values()))
    print("differing:", dict(differing))
    return 1 if differing else 0


if __name__ == "__main__":
    default = HERE.parents[2] / ".venv" / "bin" / "python"
    given = sys.argv[1] if len(sys.argv) > 1 else str(default)
    sys.exit(compare(given, int(sys.argv[2]) if len(sys.argv) > 2 else 150))
