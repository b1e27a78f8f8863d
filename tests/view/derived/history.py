"""The numbers about the rounds so far, from the lines of the history."""

from typing import Any


def _rows(results: dict[str, Any], of: str) -> tuple[dict[str, Any], dict[str, Any]]:
    by_run = {str(row["run"]): row for row in results["contents"]["history"]}
    before, now = of.split("|")
    return by_run[before], by_run[now]


def _risk(results: dict[str, Any], of: str) -> list[str]:
    before, now = _rows(results, of)
    return [*of.split("|"), f"{before['DiSCO']:.1f}", f"{now['DiSCO']:.1f}"]


def _other_rules(results: dict[str, Any], of: str) -> list[str]:
    _, now = _rows(results, of)
    rules = [*now["left_out"][:3], *now["counted_again"][:3]]
    more = [len(now[field]) - 3 for field in ("left_out", "counted_again")]
    return [*_risk(results, of), *rules, *(f"{n:,}" for n in more if n > 0)]


def _fit(results: dict[str, Any], of: str) -> list[str]:
    before, now = _rows(results, of)
    return [f"{before['S_pMSE']:.2f}", f"{now['S_pMSE']:.2f}"]


def _price(results: dict[str, Any], of: str) -> list[str]:
    before, now = _rows(results, of)
    return [*_fit(results, of), f"{now['S_pMSE'] - before['S_pMSE']:.2f}"]


DERIVED = {
    "history.first": lambda results, of: [],
    "history.risk": _risk,
    "history.rules": _other_rules,
    "history.fit": _fit,
    "history.price": _price,
}
