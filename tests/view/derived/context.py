"""The numbers of the context, from the run and the answers to the five factors."""

import math
from typing import Any


def _begun(results: dict[str, Any], of: str) -> list[str]:
    run = results["contents"]["run"]
    day, clock = run["started"].split("T")
    seconds = f"{math.ceil(run['seconds']):,}"
    return [f"{run['number']:,}", run["by"] or "", day, clock[:5], seconds]


def _states(results: dict[str, Any], of: str) -> list[str]:
    run = results["contents"]["run"]
    states = [part["state"] for part in run["parts"]]
    others = [states.count("reused"), states.count("not measured"), run["n_resumed"]]
    return [f"{states.count('measured'):,}", *(f"{n:,}" for n in others if n)]


def _sizes(results: dict[str, Any], of: str) -> list[str]:
    run = results["contents"]["run"]
    sizes = sorted(set(run["n_synthetic"]))
    shown = [f"{run['n_original']:,}", f"{sizes[0]:,}", f"{sizes[-1]:,}"]
    return shown if len(run["n_synthetic"]) == 1 else [*shown, f"{len(run['n_synthetic']):,}"]


def _answered(results: dict[str, Any], of: str) -> list[str]:
    factors = results["contents"]["factors"]
    return [f"{sum(one['answer'] is not None for one in factors):,}", f"{len(factors):,}"]


def _decision(results: dict[str, Any], of: str) -> list[str]:
    decision = results["contents"]["decision"]
    day, clock = decision["on"].split("T")
    return [decision["by"], day, clock[:5], f"{decision['run']:,}"]


DERIVED = {
    "decision.made": _decision,
    "decision.none": lambda results, of: [],
    "context.run": _begun,
    "context.measured": _states,
    "context.sizes": _sizes,
    "context.answered": _answered,
}
