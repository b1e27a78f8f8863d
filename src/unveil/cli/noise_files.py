"""Where do the copy with noise, its statement and the curve go? All of them, or none."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from unveil.cli.confidential_files import refuse_targets
from unveil.cli.noise_screen import Found
from unveil.errors import WriteError, quoted
from unveil.report.charts.ecap import ecap_chart, noise_chart, populations_chart
from unveil.write.copies import Asked, target_of, write_all
from unveil.writing import all_or_none, write_new, write_private


@dataclass(frozen=True)
class Targets:
    """Files that are not there yet, in folders that are."""

    NAMES: ClassVar = ("out", "statement", "curve", "populations", "before_after")

    out: Path | None
    statement: Path | None
    curve: Path | None
    populations: Path | None
    before_after: Path | None

    @classmethod
    def of(cls, **given: Path | None) -> "Targets":
        """Refuse, before anything is computed, what could not be written in the end."""
        _refuse_other_pictures(given["curve"], given["populations"], given["before_after"])
        out = given["out"]
        made = cls(**{**given, "out": None if out is None else target_of(out, fake=True)})
        refuse_targets({f"--{name.replace('_', '-')}": getattr(made, name) for name in cls.NAMES})
        return made


def _refuse_other_pictures(*paths: Path | None) -> None:
    for path in paths:
        if path is not None and path.suffix.lower() != ".svg":
            raise WriteError(
                "The curve is drawn as SVG. Name a file that ends in .svg, not"
                f" {quoted(path.name)}."
            )


def written(targets: Targets, found: Found, data: Any) -> tuple[str, ...]:
    """Write what was asked for, and give the paths; where one fails, none is left."""
    with all_or_none() as paths:
        if targets.out is not None:
            (made,) = write_all([(data, targets.out)], Asked())
            paths.extend(Path(one) for one in (made.path, *made.beside))
        if targets.statement is not None and found.noise is not None:
            place = targets.statement
            paths.extend(write_new(place.parent, {place.name: found.noise.statement.encode()}))
        for place, picture in _pictures(targets, found):
            write_private(place, picture.encode())
            paths.append(place)
    return tuple(str(path) for path in paths)


def _pictures(targets: Targets, found: Found) -> Iterator[tuple[Path, str]]:
    """Each for its owner alone."""
    if targets.curve is not None and found.choice is not None:
        yield targets.curve, ecap_chart(found.choice)
    if targets.populations is not None and found.choice is not None:
        yield targets.populations, populations_chart(found.choice)
    if targets.before_after is not None and found.noise is not None:
        yield targets.before_after, noise_chart(found.noise.columns[0])
