"""How the files were read, on screens that are not made of blocks yet."""

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from unveil.records.disclosure import Coercion
from unveil.view.format import lines


def notes(coercions: Sequence[Coercion]) -> Iterator[RenderableType]:
    """What was noticed and changed while reading."""
    if coercions:
        yield Text("How the files were read and matched", style="bold underline")
        for note in coercions:
            yield Padding(Text(f"{note.side}: {lines(note.sentence)}"), (0, 0, 0, 1))
        yield Text()
