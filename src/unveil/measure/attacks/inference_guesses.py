"""Every secret guessed for every person: counted where that can be, searched where it cannot."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from unveil.count.packing import Whole
from unveil.count.scenario import Progress
from unveil.measure.attacks.distances import Axis, Floats
from unveil.measure.attacks.inference_scores import (
    can_be_grouped,
    grouped,
    searched_by_keys,
    searched_together,
)
from unveil.measure.attacks.inference_secrets import Secret
from unveil.measure.attacks.opening import SYNTHETIC, Opened


@dataclass(frozen=True)
class Guess:
    """One secret, what it was guessed from and how, and each person's chance of being guessed."""

    secret: Secret
    keys: tuple[str, ...]
    method: str
    shares: Floats


def guesses(
    opening: Opened,
    axes: tuple[Axis, ...],
    secrets: Sequence[Secret],
    persons: Whole,
    progress: Progress,
) -> Iterator[Guess]:
    """Guess every secret: by counting where that can be, others in one search for all of them."""
    copy = opening.slice_of(SYNTHETIC)
    keys = {s.name: [axis for axis in axes if axis.name != s.name] for s in secrets}
    left = [secret for secret in secrets if not can_be_grouped(keys[secret.name], secret)]
    shares = _searched(axes, left, persons, copy, progress)
    for done, secret in enumerate(secrets):
        names_of_keys = tuple(axis.name for axis in keys[secret.name])
        if secret.name in shares:
            yield Guess(secret, names_of_keys, "nearest records", shares[secret.name])
            continue
        progress(f"counting the keys of {secret.name}", done, len(secrets))
        columns = [opening.column(name) for name in names_of_keys]
        of_persons = grouped(columns, secret, persons, copy)
        yield Guess(secret, names_of_keys, "key combinations", of_persons)


def _searched(
    axes: tuple[Axis, ...],
    secrets: Sequence[Secret],
    persons: Whole,
    copy: slice,
    progress: Progress,
) -> dict[str, Floats]:
    """Search for all secrets that are no axis at once, and for all that are one at once."""
    known = [axis.name for axis in axes]
    among = [secret for secret in secrets if secret.name in known]
    apart = [secret for secret in secrets if secret.name not in known]
    if len(among) == 1:  # nothing to share: the search without its axis is the shorter one
        own = tuple(axis for axis in axes if axis.name != among[0].name)
        return _searched(own, among, persons, copy, progress)
    found: dict[str, Floats] = {}
    for chosen, search in ((among, searched_together), (apart, searched_by_keys)):
        if chosen:
            shares = search(axes, chosen, persons, copy, progress)
            found |= {secret.name: of for secret, of in zip(chosen, shares, strict=True)}
    return found
