"""What is a section of the report? A title, sentences that name their figures, and pictures.

Every sentence with a number says which template it is and of what, so that a test can look the
number up in the records again, and a reader's tool can find it.
"""

from dataclasses import dataclass
from html import escape

from unveil.view.format import visible


@dataclass(frozen=True)
class Phrase:
    """A sentence of the catalogue, filled: its key, what it is of, and its text."""

    key: str  # "attribute.DiSCO"
    of: str  # "disclosure neighbour|workab|1": part, target or subject, copy; as far as it has them
    text: str

    def html(self, kind: str = "") -> str:
        """A paragraph; `kind` is a class of the style sheet."""
        style = f' class="{kind}"' if kind else ""
        return (
            f'<p{style} data-says="{escape(self.key)}" data-of="{escape(visible(self.of))}">'
            f"{escape(visible(self.text))}</p>"
        )


@dataclass(frozen=True)
class Section:
    """One section of the page; its number is given where the page is put together."""

    id: str  # of the heading: "identity"
    title: str
    body: str  # HTML, escaped
    note: str = ""  # a word for the table of contents: "3 above limit"
