"""Where does chance come from? From one seed, by the name of what is drawn, never by its order.

A stream of random numbers belongs to a path: (seed, "copy", 2, "income", "value"). Work may be done
in any order and in any number of threads, and the same path gives the same numbers.
"""

import secrets
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unveil.arguments import parse_whole_number

_LAST_SEED = 2**63 - 1


def stream(seed: int, *path: int | str) -> np.random.Generator:
    """The random numbers of one path: of `SeedSequence` over stable hashes of its parts."""
    words = [_word(seed), *map(_word, path)]
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(words)))


def sample_rows(
    rows: NDArray[np.integer], most: int, seed: int, *path: int | str
) -> NDArray[np.int64]:
    """So many of the rows, in their order, drawn without replacement; all where they are fewer."""
    if len(rows) <= most:
        return rows.astype(np.int64, copy=False)
    return np.sort(stream(seed, *path).choice(rows, most, replace=False)).astype(np.int64)


def tree_seed(rng: np.random.Generator) -> int:
    """A seed for a library that takes whole numbers of 32 bits."""
    return int(rng.integers(2**31 - 1))


def choose_seed(seed: Any) -> int:
    """The seed given, or one that the operating system drew."""
    # 53 bits: JSON, R and spreadsheets read such a seed back as it was.
    return secrets.randbits(53) if seed is None else parse_seed(seed)


def parse_seed(seed: Any) -> int:
    """The seed given, or a refusal."""
    return parse_whole_number("The seed", seed, least=0, most=_LAST_SEED)


def _word(part: int | str) -> int:
    # The kind is hashed too, so that copy 1 and a column called "1" have streams of their own.
    text = f"{'i' if isinstance(part, int) else 's'}{part}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
