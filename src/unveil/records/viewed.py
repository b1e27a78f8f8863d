"""What record is handed to people as it is? One that shows itself in words."""

from unveil.records.base import Record
from unveil.records.view import as_html, as_text


class Viewed(Record, frozen=True, kw_only=True):
    """A record that prints itself as sentences, and in a notebook as sentences and tables."""

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)
