"""Numbers of the section on guesses: Taub et al. 2018, Taub and Elliot's TCAP, Raab's, Chen's."""

from statistics import linear_regression

from view.derived.written import (
    Results,
    name,
    nothing,
    part_of,
    percent,
    subject,
    whole,
)

NEAR = 0.01


def share(value: float | None) -> list[str]:
    return [] if value is None else [percent(100 * value)]


def row_of(results: Results, of: str) -> dict:
    rows = part_of(results, of)["rows"]
    return next(
        row for row in rows if row["scenario"] == subject(of) and row["m"] == int(subject(of, 2))
    )


def pool(row: dict) -> list[str]:
    """How many copies; one is said in a word."""
    return [whole(row["m"])] if row["m"] > 1 else []


def guess(results: Results, of: str) -> list[str]:
    row = row_of(results, of)
    assert 0 < row["n_match"] <= row["n"]
    # Whoever has no match is guessed wrongly, so the two ways differ by the share that has one.
    rate = row["n_match"] / row["n"]
    zero, undefined = row["cap_synthetic_zero"], row["cap_synthetic_undefined"]
    assert abs(zero - undefined * rate) < 1e-9
    numbers = [zero, row["cap_baseline"], row["cap_original"]]
    counts = [whole(row["n"])]
    if row["n_match"] < row["n"]:
        numbers += [undefined, rate, row["cap_baseline_matched"], row["cap_original_matched"]]
        counts.append(whole(row["n_match"]))
    told = [text for number in numbers for text in share(number)]
    return [*pool(row), *counts, *told, *way(row), *settled(results, of, row)]


def way(row: dict) -> list[str]:
    """What part of the way from baseline to original, where it is at neither end."""
    low, high = row["cap_baseline_matched"], row["cap_original_matched"]
    cap = row["cap_synthetic_undefined"]
    if cap - low <= NEAR or high - cap <= NEAR:
        return []
    return share((cap - low) / (high - low))


def settled(results: Results, of: str, row: dict) -> list[str]:
    if not part_of(results, of)["tolerance"]:
        return []
    return [whole(row["n_settled"]), whole(row["n_right"])]


def nobody(results: Results, of: str) -> list[str]:
    row = row_of(results, of)
    assert not row["n_match"]
    return pool(row) if row["n"] else []


def slopes(results: Results, of: str) -> dict[str, dict]:
    """The regressions on m of the first group, with slopes worked out again from the rows."""
    record = part_of(results, of)
    first = record["scenarios"][0]
    rows = [row for row in record["rows"] if row["scenario"] == first]
    found = {}
    for fit in record["on_m"]:
        if fit["scenario"] != first:
            continue
        field = f"cap_synthetic_{fit['nonmatch']}"
        points = [(row["m"], row[field]) for row in rows if row[field] is not None]
        slope = linear_regression(*zip(*points, strict=True)).slope
        assert abs(slope - fit["slope"]) < 1e-9
        found[fit["nonmatch"]] = {"slope": slope, "p": fit["p_slope"]}
    return found


def p_text(p: float | None) -> list[str]:
    if p is None:
        return []
    return ["0.001"] if p < 0.001 else [f"{p:.3f}" if p < 0.1 else f"{p:.2f}"]


def on_m(*sloped: str):
    def derive(results: Results, of: str) -> list[str]:
        fits = slopes(results, of)
        shown = [f"{abs(fits[rule]['slope']):.3g}" for rule in sloped]
        tests = [text for fit in fits.values() for text in p_text(fit["p"])]
        keys = [name(key) for key in part_of(results, of)["key_sets"][0]["keys"]]
        return [*shown, *tests, *keys]

    return derive


def tcap(results: Results, of: str) -> list[str]:
    record = part_of(results, of)
    row = record["rows"][-1]
    sure = [] if record["tau"] == 1 else share(record["tau"])
    if not row["n_selected"]:
        return sure
    selected = [whole(row["n_selected"]), *sure]
    if row["tcap"] is None:
        return selected
    counts = [whole(row["n_synthetic"]), whole(row["n_undefined"])]
    shares = [*share(row["tcap"]), *share(row["tcap_baseline"])]
    return [*selected, *counts, *shares, name(record["target"])]


def raab(results: Results, of: str) -> list[str]:
    row = part_of(results, of)["rows"][-1]
    if row["tcap_raab"] is None:
        return []
    shown = percent(row["tcap_raab"]), percent(row["tcap_raab_baseline"])
    return [*shown, name(row["target"])]


def uniques(results: Results, of: str) -> list[str]:
    row = part_of(results, of)["rows"][-1]
    if row["tcap_uniques"] is None:
        return []
    shares = [*share(row["tcap_uniques"]), *share(row["tcap_uniques_baseline"])]
    return [whole(row["n_uniques"]), *shares]


def determined(results: Results, of: str) -> list[str]:
    row = part_of(results, of)["rows"][-1]
    if row["correct_if_determined"] is None:
        return []
    figures = ("correct_if_determined", "correct_if_determined_baseline")
    return [
        whole(row["n_determined"]),
        *(percent(row[one]) for one in figures),
        name(row["target"]),
    ]


BOTH = ("zero", "undefined")
DERIVED = {
    "attribution/guess": guess,
    "attribution/guess all": guess,
    "attribution/no match": nobody,
    "attribution/nobody": nobody,
    "on m/m few": nothing,
    "on m/m guide": nothing,
    "on m/m matches": on_m("zero"),
    "on m/m both": on_m(*BOTH),
    "on m/m surer": on_m(*BOTH),
    "on m/m vaguer": on_m(*BOTH),
    "on m/m thinner": on_m(*BOTH),
    "on m/m none": on_m(),
    "on m/m other": on_m(*BOTH),
    "targeted/tcap": tcap,
    "targeted/tcap none": tcap,
    "targeted/tcap no keys": tcap,
    "targeted/tcap raab": raab,
    "targeted/tcap raab none": raab,
    "targeted/tcap uniques": uniques,
    "targeted/tcap uniques none": uniques,
    "targeted/tcap determined": determined,
    "targeted/tcap determined none": determined,
}
