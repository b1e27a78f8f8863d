"""unveil called as synthpop was for its cases: their options in our words, one call for many.

And what of synthpop's figures can be expected under these options.
"""

import csv
from dataclasses import dataclass, replace
from functools import cache

import unveil
from golden import published
from golden.published import SYNTHPOP, as_tuple

# The code that synthpop was told of (cont.na). It matters only where income is grouped.
SPECIAL_CODES = {"income": [-8]}
PAIR = ("exclude.keys", "exclude.keylevs", "exclude.targetlevs")
OPTIONS = {
    "ngroups_target",
    "ngroups_keys",
    "not.targetlev",
    "usetargetNA",
    "usekeysNA",
    *PAIR,
    "denom_lim",
    "exclude_ov_denom_lim",
    "thresh_1way",
    "thresh_2way",
}


@dataclass(frozen=True)
class Call:
    original: str
    synthetic: tuple[str, ...]
    keys: tuple[str, ...]
    bands: tuple[tuple[str, int], ...] = ()
    exclude: tuple[str, ...] = ()
    one_way: tuple[float, float] = (50, 90)
    two_way: tuple[float, float] = (4, 80)


@cache
def measured(call: Call):
    """Every column that is no key is a target, so that cases share their calls."""
    columns = header_of(call.original)
    bands = dict(call.bands)
    codes = {name: codes for name, codes in SPECIAL_CODES.items() if name in bands}
    return unveil.disclosure(
        SYNTHPOP / call.original,
        [SYNTHPOP / name for name in call.synthetic],
        keys=list(call.keys),
        targets=[name for name in columns if name not in call.keys],
        bands=bands or None,
        special_codes=codes or None,
        exclude=list(call.exclude),
        one_way=call.one_way,
        two_way=call.two_way,
    )


def header_of(name: str) -> list[str]:
    with (SYNTHPOP / name).open(newline="", encoding="utf-8") as file:
        return next(csv.reader(file))


def without_exclusions(call: Call) -> Call:
    return replace(call, exclude=())


def call_of(case: dict) -> Call:
    options = case["options"]
    assert not set(options) - OPTIONS, "an option that nobody has put into our words"
    return Call(
        case["orig"],
        case["syn"],
        case["keys"],
        bands=tuple(_bands(case)),
        exclude=tuple(_exclude(case)),
        one_way=tuple(options.get("thresh_1way", (50, 90))),
        two_way=tuple(options.get("thresh_2way", (4, 80))),
    )


def _bands(case: dict):
    options = case["options"]
    if n := options.get("ngroups_target"):
        yield case["target"], n
    if numbers := options.get("ngroups_keys"):
        yield from ((key, n) for key, n in zip(case["keys"], numbers, strict=True) if n)


def _exclude(case: dict):
    """Our texts, in the order in which synthpop's rules act."""
    options, target = case["options"], case["target"]
    if "not.targetlev" in options:
        yield f"{target}={options['not.targetlev']}"
    if not options.get("usetargetNA", True):
        yield "missing-targets"
    use = options.get("usekeysNA", True)
    if use is False:
        yield "missing-keys"
    elif use is not True:
        unused = [key for key, used in zip(case["keys"], use, strict=True) if not used]
        yield f"missing-keys={','.join(unused)}"
    pairs = (as_tuple(options.get(part, [])) for part in PAIR)
    for key, key_level, level in zip(*pairs, strict=True):
        yield f"{target}={level}@{key}={key_level}"
    if options.get("exclude_ov_denom_lim"):  # without it, denom_lim does nothing
        yield f"max-denominator={options.get('denom_lim', 5)}"


def reason_of(rule: str | None) -> str:
    """synthpop's name for what our exclusion does."""
    if rule is None:
        return "remaining"
    if "@" in rule:
        return "set to exclude"
    named = {
        "missing-targets": "missing target",
        "missing-keys": "missing in  keys",
        "max-denominator": "over denom_lim",
    }
    return named.get(rule.partition("=")[0], "excluded target")


def identity_expected(case: dict, synthesis: dict) -> dict:
    kinds = {reason_of(rule) for rule in call_of(case).exclude}
    return published.identity_of(synthesis) if kinds <= {"missing in  keys"} else {}


def attribute_expected(case: dict, synthesis: dict) -> dict:
    return published.attribute_of(synthesis, excluding=bool(call_of(case).exclude))


def removed_expected(case: dict, synthesis: dict) -> dict:
    """Records by sum and reason, for the reasons that the case has an exclusion for."""
    reasons = {reason_of(rule) for rule in (*call_of(case).exclude, None)}
    for counts in synthesis["n_excluded"].values():
        assert not any(n for reason, n in counts.items() if reason not in reasons)
    across = () if synthesis["aligned_check"] else ("DiSCO", "DiSDiO")
    return {
        f"{table}, {reason}": n
        for table, counts in synthesis["n_excluded"].items()
        if table not in across
        for reason, n in counts.items()
        if reason in reasons
    }
