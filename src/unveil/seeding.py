"""Where does chance come from? From one seed, by the name of what is drawn, never by its order.

A stream of random numbers belongs to a path: (seed, "copy", 2, "income", "value"). Work may be done
in any order and in any number of threads, and the same path gives the same numbers.
"""

import secrets
from hashlib import blake2b
from typing import Any

import numpy as np

from unveil.errors import SettingsError

_SEEDS = 2**63


def stream(seed: int, *path: int | str) -> np.random.Generator:
    """The random numbers of one path: of `SeedSequence` over stable hashes of its parts."""
    words = [_word(seed), *map(_word, path)]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def tree_seed(rng: np.random.Generator) -> int:
    """A seed for a library that takes whole numbers of 32 bits."""
    return int(rng.integers(2**31 - 1))


def choose_seed(seed: Any) -> int:
    """The seed given, or one that the operating system drew."""
    if seed is None:
        return secrets.randbelow(_SEEDS)
    if isinstance(seed, np.integer):
        seed = int(seed)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed < _SEEDS:
        raise SettingsError(
            f"The seed is {seed!r}; it must be a whole number from 0 to {_SEEDS - 1}."
        )
    return seed


def _word(part: int | str) -> int:
    # The kind is hashed too, so that copy 1 and a column called "1" have streams of their own.
    text = f"{'i' if isinstance(part, int) else 's'}{part}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
