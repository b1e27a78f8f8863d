"""How a record shows itself: one line as text, and HTML in a notebook.

Rooms above teach these functions about their records (`as_html.register`), so that a record can be
shown without knowing who draws it. Without a drawer it is shown by its name alone: no figure is
shown by accident.
"""

from functools import singledispatch
from html import escape

from unveil.records.base import Record


@singledispatch
def as_text(record: Record) -> str:
    """The record in a line or two, for a console."""
    return f"<{type(record).__name__}>"


@singledispatch
def as_html(record: Record) -> str:
    """The record as a fragment of HTML, for a notebook."""
    return f"<pre>{escape(as_text(record))}</pre>"
