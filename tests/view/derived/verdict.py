"""The numbers of the verdict, from the judged figures and the decision."""

from typing import Any

ORDER = ("above", "not measured", "review", "within", "no limit")
PLAIN = ("GTCAP", "R", "ECAP", "SAP", "membership", "match_risk", "pMSE", "S_pMSE")


def _kind(one: dict[str, Any]) -> str:
    if one["measure"] == "SAP":
        return "tables"
    if one["target"] is not None:
        return "targets"
    is_pair = one["part"].startswith("tables") and one["subject"] is not None
    return "pairs" if is_pair else "figures"


def _things(results: dict[str, Any], of: str = "") -> list[dict[str, Any]]:
    """Of everything that is judged the worst copy; a mean over copies is not judged.

    A table has one figure for each number of people known, and counts once.
    """
    measure, _, kind = of.partition("|")
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for one in results["contents"]["judgement"]["figures"]:
        if one["copy"] != "mean" and (not of or (measure, kind) == (one["measure"], _kind(one))):
            subject = None if one["measure"] == "SAP" else one["subject"]
            what = (one["measure"], one["part"], one["scenario"], one["target"], subject)
            found.setdefault(what, []).append(one)
    return [
        sorted(many, key=lambda one: (ORDER.index(one["status"]), -(one["value"] or 0)))[0]
        for many in found.values()
    ]


def _count(results: dict[str, Any], status: str) -> list[str]:
    return [f"{sum(one['status'] == status for one in _things(results)):,}"]


def _limit(one: dict[str, Any]) -> str:
    return f"{one['limit']:.15g}"


def _of_all(results: dict[str, Any], of: str) -> list[str]:
    things = _things(results, of)
    above = [one for one in things if one["status"] == "above"]
    limited = [one for one in things if one["status"] != "no limit"]
    return [f"{len(above):,}", f"{len(limited):,}", _limit(above[0])]


def _single(results: dict[str, Any], of: str) -> list[str]:
    (one,) = (thing for thing in _things(results, of) if thing["status"] == "above")
    is_plain = one["measure"] in PLAIN
    value = f"{one['value']:.2f}" if is_plain else f"{one['value']:.1f}"
    return [value, _limit(one), one["target"] or ""]


def _accepted(results: dict[str, Any], of: str) -> list[str]:
    judgement = results["contents"]["judgement"]
    return [judgement["accepted_by"], judgement["accepted_on"] or ""]


def _decision(results: dict[str, Any], of: str) -> list[str]:
    decision = results["contents"]["decision"]
    day, clock = decision["on"].split("T")
    return [decision["by"], day, clock[:5], f"{decision['run']:,}"]


def _open(results: dict[str, Any], of: str) -> list[str]:
    findings = results["contents"]["judgement"]["findings"]
    return [f"{sum(one['state'] == 'open' for one in findings):,}"]


def _alerts(results: dict[str, Any], of: str) -> list[str]:
    alerts = results["contents"]["judgement"]["alerts"]
    open_ = [one for one in alerts if one["status"] != "review" and one["accepted"] is None]
    return [f"{len(open_):,}"]


def _none(results: dict[str, Any], of: str) -> list[str]:
    return []


DERIVED = {
    "verdict/alerts": _alerts,
    "verdict/targets": _of_all,
    "verdict/pairs": _of_all,
    "verdict/tables": _of_all,
    "verdict/figures": _of_all,
    "verdict/figure": _single,
    "verdict/not measured": lambda results, of: _count(results, "not measured"),
    "verdict/review": lambda results, of: _count(results, "review"),
    "verdict/within": lambda results, of: _count(results, "within"),
    "verdict/no limits": _none,
    "verdict/accepted": _accepted,
    "verdict/open": _open,
    "verdict/release": _decision,
    "verdict/refuse": _decision,
    "verdict/undecided": _none,
    "verdict/evidence": _none,
}
