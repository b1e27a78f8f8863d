"""Which settings of a comparison mean something, and what is said of those that do not?"""

import math
import secrets
from typing import Any, get_args

from unveil.errors import SettingsError
from unveil.read.given import choice, number_in, shown
from unveil.records.confidentiality import Nonmatch

LARGEST_SEED = 2**63 - 1


def settings_asked(
    nonmatch: Any, margin: Any, confidence: Any, n_bootstrap: Any, seed: Any
) -> dict[str, Any]:
    """The settings as the record holds them, or a sentence on what is wrong with one."""
    return {
        "nonmatch": choice("The rule for people without a match", nonmatch, get_args(Nonmatch)),
        "margin": None if margin is None else _margin(margin),
        "confidence": _confidence(confidence),
        "n_bootstrap": _whole(n_bootstrap, "n_bootstrap", 100, 1_000_000),
        "seed": secrets.randbits(53) if seed is None else seed_asked(seed),
    }


def seed_asked(given: Any) -> int:
    """The seed a user gave, or a sentence on what a seed is."""
    return _whole(given, "The seed", 0, LARGEST_SEED)


def share_asked(given: Any) -> float:
    """The share of people to be included."""
    share = number_in(given)
    if share is None or not 0 < share < 1:
        raise SettingsError(
            f"The share is {shown(given)}. It must lie between 0 and 1, such as 0.5 for one half."
        )
    return share


def _margin(given: Any) -> float:
    margin = number_in(given)
    if margin is None or not 0 < margin < 1:
        raise SettingsError(
            f"The margin is {shown(given)}. It must be a share between 0 and 1, such as 0.02 for"
            " two points."
        )
    return margin


def _confidence(given: Any) -> float:
    confidence = number_in(given)
    if confidence is None or not 0.5 <= confidence < 1:
        raise SettingsError(
            f"The confidence is {shown(given)}. It must be a share from 0.5 to below 1, such as"
            " 0.95."
        )
    return confidence


def _whole(given: Any, name: str, least: int, most: int) -> int:
    number = number_in(given)
    if number is None or not math.isfinite(number) or number != float(found := int(given)):
        raise SettingsError(f"{name} is {shown(given)}. It must be a whole number.")
    if not least <= found <= most:
        raise SettingsError(
            f"{name} is {shown(given)}. It must be a whole number from {least:,} to {most:,}."
        )
    return found
