"""Numbers of the sections on recognition of single people, and on the stages of protection."""

from view.derived.written import Results, nothing, part_of, percent, two, whole


def auc(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    low, high = record["auc_interval"]
    picked = round(100 * record["auc_mean"])
    return [*map(two, (record["auc_mean"], low, high)), whole(picked)]


def shown(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    error = round(100 * (1 - record["level"]), 6)
    return [whole(record["n_shown"]), whole(record["n_people"]), f"{error:g}"]


def epsilon(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    level = round(100 * record["level"], 6)
    return [two(record["epsilon"]), f"{level:g}", two(record["epsilon_most"])]


def intruder(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    counts = (len(record["columns"]), record["n_people"], record["n_files"], record["n_rows"])
    return [whole(n) for n in counts]


def self_test(results: Results, of: str) -> list[str]:
    checked = part_of(results, of)["self_test"]
    hits = percent(100 * checked["hit_rate"])
    return [whole(checked["n_people"]), two(checked["auc_mean"]), hits]


def choice(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    n = record["n_exposed"]
    return [whole(n), whole(record["n_people"] - n)]


def stages(results: Results, of: str) -> list[str]:
    return [whole(part_of(results, of)["stages"]["n_original"])]


def control(results: Results, of: str) -> list[str]:
    return [whole(part_of(results, of)["stages"]["n_control"])]


def as_many(results: Results, of: str) -> list[str]:
    rows = {row["stage"]: row["n_rows"] for row in part_of(results, of)["stages"]["rows"]}
    assert rows["S1"] == rows["S2"]
    return ["S1", "S2"]


DERIVED = {
    "recognition/AUC": auc,
    "recognition/shown": shown,
    "recognition/epsilon": epsilon,
    "recognition/intruder": intruder,
    "recognition/limits": nothing,
    "recognition/self-test": self_test,
    "recognition/choice": choice,
    "stages/stages": stages,
    "stages/control": control,
    "stages/same": as_many,
}
