"""Which text do bytes stand for that are not in the encoding their file declares?

Such files were mostly put together from several: each text is read as UTF-8, and only the bytes
that cannot be UTF-8 as Windows-1252, or as Latin-1 where that gives them no meaning.
"""

import codecs

import polars as pl

_NAME = "unveil-mixed"


def _byte_by_byte(fault: UnicodeError) -> tuple[str, int]:
    assert isinstance(fault, UnicodeDecodeError)
    byte = fault.object[fault.start : fault.start + 1]
    try:
        return byte.decode("cp1252"), fault.start + 1
    except UnicodeDecodeError:
        return byte.decode("latin-1"), fault.start + 1


codecs.register_error(_NAME, _byte_by_byte)


def mended(text: str) -> str:
    """The text, given with one character for each of its bytes."""
    return text.encode("latin-1", "ignore").decode("utf-8", _NAME)


def mended_column(column: pl.Series) -> pl.Series:
    """A column of such texts; each that occurs is looked at once."""
    texts = column.drop_nulls().unique()
    high = texts.filter(texts.str.contains(r"[\x{80}-\x{ff}]"))
    if high.is_empty():
        return column
    # All in one go, a byte that no text has between them.
    whole = mended("\0".join(high.str.replace_all("\0", "").to_list()))
    return column.replace(high, pl.Series(whole.split("\0"), dtype=pl.String))
