"""The figures of 0.1 in the words of this tree; compare.py runs it with the Python of 0.1.

    python figures_of_0_1.py CASES REFERENCE WORK

Writes figures.json into the folder WORK: for each case its figures, each behind its table, copy,
row and column. First it makes the files there that REFERENCE does not have.

Left out is what only one of them has: figures renormalised or scaled, recurrence, values of under
ten people as one sum; five sets of exclusions with max-denominator-syn, within, or of people. And
what is another thing here: expected and beyond, by another model of other people's records; shares
under exclusions, for here claims are taken out by the value shown alone.
"""

import json
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

import unveil
from unveil.examples import write_csv

Case = dict[str, Any]
Figure = tuple[Any, ...]


def same(names: str) -> dict[str, str]:
    return {name: name for name in names.split()}


# The columns of each table, and what 0.1 calls them.
IDENTITY = same("UiO UiS UiOiS repU")
SUMS = same("Dorig Dsyn iS DiS DiSCO DiSDiO")
ATTRIBUTE = SUMS | same("CAPd CAPs DCAP TCAP baseCAPd protection")
ATTRIBUTE |= same("max_denom mean_denom max_denom_syn mean_denom_syn")
NEAR = {"correct": "n_correct"} | same("Dorig DiS DiSCO CAPd DCAP")
SINGLE = {"correct": "n_correct", "wrong": "n_wrong", "uncommon": "n_not_most_common"}
VALUE = {"people": "n_people", "correct": "n_correct", "wrong": "n_wrong"}
SENSITIVE = {"of": "n_people", "correct": "n_correct", "falsely_shown": "n_wrong"}
FLAG = {"disclosed": "n_disclosive", "people": "n_level", "people_all": "n_all"}
FLAG |= {"rule": "exclusion"}
EXCLUDED = {"people": "original", "records": "synthetic"} | SUMS
EFFECT = {"before": "all", "after": "after", "R": "R"}
COUNTS = {"UiO": "unique", "repU": "replicated", "DiSCO": "correct"}
SETS = ("all", "levels", "levels_missing", "levels_missing_large", "large")


def make_files(reference: Path, work: Path) -> None:
    """The example, also of people with several records; two halves of SD2011."""
    write_csv(work)
    for name, people in (("survey", 1700), ("survey_synthetic", 1500)):
        frame = pl.read_csv(work / f"{name}.csv").with_row_index("person")
        frame = frame.with_columns(pl.col("person") * 7919 % people)
        frame.write_csv(work / f"{name.replace('survey', 'people')}.csv")
    frame.with_columns(pl.col("health").reverse()).write_csv(work / "people_synthetic_2.csv")
    whole = pl.read_csv(reference / "sd2011.csv", infer_schema_length=None)
    for half in (1, 2):
        whole.gather_every(2, half - 1).write_csv(work / f"half_{half}.csv")


def open_file(path: Path, case: Case) -> Path | pl.DataFrame:
    """A file; as a frame if it needs what 0.1 lacks: groups of levels, targets taken together."""
    joint = [parts for parts in case.get("targets", ()) if isinstance(parts, list)]
    groups = {name: bands for name, bands in declared(case, "bands") if isinstance(bands, dict)}
    if not joint and not groups:
        return path
    frame = pl.read_csv(path)
    for name, bands in groups.items():
        group_of = {level: group for group, levels in bands.items() for level in levels}
        frame = frame.with_columns(pl.col(name).replace(group_of))
    for parts in joint:
        texts = [pl.col(part).cast(pl.String).fill_null("?") for part in parts]
        frame = frame.with_columns(pl.concat_str(texts, separator="+").alias("+".join(parts)))
    return frame


def declared(case: Case, setting: str) -> list[tuple[str, Any]]:
    """What a case says of its columns in one setting."""
    columns = case.get("columns", {}).items()
    tables = [(name, {"role": c} if isinstance(c, str) else c) for name, c in columns]
    return [(name, column[setting]) for name, column in tables if setting in column]


def arguments(case: Case) -> dict[str, Any]:
    names = ["+".join(t) if isinstance(t, list) else t for t in case.get("targets", ())]
    return {
        "keys": case["keys"],
        "targets": names or None,
        "exclude": case.get("exclude", ()),
        "bands": {name: b for name, b in declared(case, "bands") if not isinstance(b, dict)},
        "special_codes": dict(declared(case, "special")),
    }


def rows(
    table: str, records: Iterable[Any], parts: str, columns: Mapping[str, str], *unit: str
) -> Iterator[Figure]:
    for record in records:
        place = (table, record.copy, *(getattr(record, part) for part in parts.split()), *unit)
        for column, name in columns.items():
            yield *place, column, getattr(record, name)


def disclosure(original: Any, synthetic: list[Any], case: Case) -> Iterator[Figure]:
    thresholds = case.get("thresholds", (50, 90, 4, 80))
    person = next((name for name, role in declared(case, "role") if role == "person"), None)
    sensitive = dict(declared(case, "sensitive"))
    settings = arguments(case) | {
        "one_way": thresholds[:2],
        "checks_by": case.get("within"),
        "person": person,
        "tolerance": dict(declared(case, "tolerance")),
        "sensitive": sensitive,
    }
    above, share = thresholds[2:]
    record, cells_of_any_size = (
        unveil.disclosure(
            original, synthetic, **settings, two_way=(n, share), expected=shares
        ).record
        for n, shares in ((above, not settings["exclude"]), (0, False))
    )
    single = record.single_values
    identity = IDENTITY | {"matched": "N_d_both"}
    yield from rows("identity", record.identity, "", identity, "records")
    yield from rows("attribute", record.attribute, "target", ATTRIBUTE, "records")
    yield from rows("attribute", record.tolerance, "target", NEAR, "near")
    yield from rows("attribute", record.claims, "target", {"shares": "at_random"}, "records")
    unit = "people" if person else "records"
    yield from rows("attribute", single.targets, "target", SINGLE, unit)
    yield from rows("together", single.any_correct, "", {"any_correct": "n_people"})
    values = [row for row in record.by_value if row.kind != "rare"]
    yield from rows("values", values, "target level", VALUE)
    values = [row for row in values if row.level in sensitive.get(row.target, ())]
    yield from rows("sensitive", values, "target level", SENSITIVE)
    yield from rows("excluded", record.excluded, "target rule", EXCLUDED)
    yield from rows("effect", record.effects, "target measure", EFFECT)
    yield from flags(record, cells_of_any_size)
    yield from of_people(record)
    yield from spreads(record)
    if len(synthetic) == 1 and not person and "within" not in case:
        yield from sets_of_exclusions(original, synthetic, case)


def flags(record: Any, cells_of_any_size: Any) -> Iterator[Figure]:
    """Flags; their people are counted in cells of any size, 0.1 counts only those it flags by."""
    correct = {place_of(flag): flag.n for flag in cells_of_any_size.flags}
    for flag in record.flags:
        place = place_of(flag)
        yield *place, "correct", correct[place]
        yield *place, "share", 100 * correct[place] / flag.n_disclosive
        yield *place, "share_all", flag.percent if flag.key else flag.percent_all
        for column, name in FLAG.items():
            yield *place, column, getattr(flag, name)


def place_of(flag: Any) -> Figure:
    within = f"{flag.by}={flag.segment or ''}" if flag.by else ""
    kind = flag.kind.replace("_", "-")
    return "flags", flag.copy, flag.target, kind, flag.level, flag.key, flag.key_level, within


def of_people(record: Any) -> Iterator[Figure]:
    """Figures counted by person, where people have several records."""
    for row in record.people.rows if record.people else ():
        about = ("attribute", row.copy, row.target) if row.target else ("identity", row.copy)
        yield *about, "people", row.measure, row.percent
        if row.measure in COUNTS:
            yield *about, "people", COUNTS[row.measure], row.n_people


def spreads(record: Any) -> Iterator[Figure]:
    for row in record.spread:
        about = ("attribute", "sd", row.target) if row.target else ("identity", "sd")
        if row.measure in IDENTITY | ATTRIBUTE:
            yield *about, "records", row.measure, row.standard_deviation


def sets_of_exclusions(original: Any, synthetic: list[Any], case: Case) -> Iterator[Figure]:
    """Table 2 of Raab: without the levels of the case, or else those that are flagged."""
    settings = arguments(case)
    rules = [rule.partition("=") for rule in settings.pop("exclude")]
    limits = {name: int(value) for name, _, value in rules if name.startswith("max-denominator")}
    if "max-denominator-syn" in limits:
        return
    levels = ["".join(rule) for rule in rules if not rule[0].startswith(("missing-", "max-"))]
    record = unveil.exclusion_table(
        original, synthetic, **settings, levels=levels or None,
        one_way=case.get("thresholds", (50, 90))[:2],
        max_denominator=limits.get("max-denominator", 1),
    ).record  # fmt: skip
    for row in record.rows:
        for figure, value in (("Dorig", row.original), ("DiSCO", row.synthetic)):
            yield "exclusions", 1, row.target, figure, SETS[row.column], value


def excess(original: Any, synthetic: list[Any], case: Case) -> Iterator[Figure]:
    *synthetic, control = synthetic
    settings = arguments(case)
    record = unveil.excess(original, control, synthetic, **settings, measure=case["figures"]).record
    after = "_after" if settings["exclude"] else ""
    columns = {"training": f"train{after}", "control": f"control{after}", "R": f"R{after}"}
    yield from rows("excess", record.rows, "target measure", columns)


def key_sets(original: Any, synthetic: list[Any], case: Case) -> Iterator[Figure]:
    for row in unveil.key_sets(original, synthetic, **arguments(case)).record.rows:
        place = ("sets", row.copy, row.target, ",".join(row.keys))
        for column in ("repU", "DiS", "DiSCO"):
            yield *place, column, getattr(row, column)


CALLS = {"disclosure": disclosure, "excess": excess, "key_sets": key_sets}


def measure(case: Case, folders: Iterable[Path]) -> list[Figure]:
    names = [case["original"], *case["synthetic"], *case.get("control", "").split()]
    paths = [next(f / name for f in folders if (f / name).exists()) for name in names]
    original, *synthetic = (open_file(path, case) for path in paths)
    return list(CALLS[case.get("call", "disclosure")](original, synthetic, case))


def main() -> None:
    cases, reference, work = map(Path, sys.argv[1:])
    make_files(reference, work)
    figures = {
        case["name"]: measure(case, (work, reference))
        for case in tomllib.loads(cases.read_text())["case"]
    }
    (work / "figures.json").write_text(json.dumps(figures))


if __name__ == "__main__":
    main()
