"""The numbers of the context, from the run and the answers to the five factors."""

import math
from typing import Any


def _begun(results: dict[str, Any], of: str) -> list[str]:
    run = results["contents"]["run"]
    day, clock = run["started"].split("T")
    return [
        f"{run['number']:,}",
        run["by"] or "",
        day,
        clock[:5],
        f"{math.ceil(run['seconds']):,}",
    ]


def _state(results: dict[str, Any], state: str) -> list[str]:
    return [f"{sum(part['state'] == state for part in results['contents']['run']['parts']):,}"]


def _sizes(results: dict[str, Any], of: str) -> list[str]:
    run = results["contents"]["run"]
    sizes = sorted(set(run["n_synthetic"]))
    shown = [f"{run['n_original']:,}", f"{sizes[0]:,}", f"{sizes[-1]:,}"]
    return shown if len(run["n_synthetic"]) == 1 else [*shown, f"{len(run['n_synthetic']):,}"]


def _answered(results: dict[str, Any], of: str) -> list[str]:
    factors = results["contents"]["factors"]
    return [f"{sum(one['answer'] is not None for one in factors):,}", f"{len(factors):,}"]


DERIVED = {
    "context.run": _begun,
    "context.run_unnamed": _begun,
    "context.measured": lambda results, of: _state(results, "measured"),
    "context.reused": lambda results, of: _state(results, "reused"),
    "context.lacking": lambda results, of: _state(results, "not measured"),
    "context.resumed": lambda results, of: [f"{results['contents']['run']['n_resumed']:,}"],
    "context.sizes": _sizes,
    "context.answered": _answered,
}
