"""What is an entry of the glossary? A term, what it says, how it is computed, and who says so."""

from dataclasses import dataclass
from typing import NamedTuple

RAAB = "Raab (2024)"
TAUB = "Taub, Elliot, Pampaka and Smith (2018)"
NOTE = "Taub and Elliot, note on TCAP"
CHAPELLE = "Chapelle and Falissard (2023)"
GIOMI = "Giomi, Boenisch, Wehmeyer and Tasnádi (2023)"
NOWOK = "Raab, Nowok and Dibben (2021)"


@dataclass(frozen=True)
class GlossaryTerm:
    """One entry: `names` are the words in sentences that lead here, the first is its heading."""

    id: str  # of its anchor: "disco" is #term-disco
    names: tuple[str, ...]
    sentence: str
    formula: str = ""
    out_of: str = ""
    source: str = ""
    also: str = ""  # other names in use, or what it must not be taken for

    @property
    def anchor(self) -> str:
        """Where a link to it leads."""
        return f"term-{self.id}"


class Topic(NamedTuple):
    """Terms that belong together."""

    title: str
    terms: tuple[GlossaryTerm, ...]
