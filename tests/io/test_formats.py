"""A format stays what it is in its own program, and becomes the nearest in another."""

import pytest

from unveil.io.write_labels import spss_format, stata_format, text_width


@pytest.mark.parametrize(
    ("declared", "kind", "whole", "expected"),
    [
        ("F8.2", "number", False, "F8.2"),
        ("f5.1", "number", False, "F5.1"),
        ("COMMA10.2", "number", False, "COMMA10.2"),
        ("N5", "number", True, "N5"),
        ("WKDAY3", "number", True, "WKDAY3"),
        (None, "number", True, "F8.0"),
        (None, "number", False, "F8.2"),
        ("%9.2f", "number", False, "F9.2"),
        ("%9.0g", "number", False, "F9.2"),
        ("%9.0g", "number", True, "F9.0"),
        ("BEST12", "number", False, "F12.2"),
        ("8.2", "number", False, "F8.2"),
        ("F99.2", "number", False, "F40.2"),
        ("%21x", "number", True, "F8.0"),
        ("nonsense", "number", True, "F8.0"),
        ("DATE11", "number", True, "F8.0"),
        ("EDATE10", "date", True, "EDATE10"),
        ("MOYR8", "date", True, "MOYR8"),
        ("%td", "date", True, "DATE11"),
        ("DATETIME23.2", "moment", True, "DATETIME23.2"),
        ("DATE11", "moment", True, "DATETIME20"),
        ("DTIME12", "time", True, "DTIME12"),
        (None, "time", True, "TIME8"),
    ],
)
def test_formats_of_spss(declared, kind, whole, expected):
    assert spss_format(declared, kind, is_whole=whole) == expected


@pytest.mark.parametrize(
    ("declared", "kind", "expected"),
    [
        ("%9.0g", "number", "%9.0g"),
        ("%12.0gc", "number", "%12.0gc"),
        ("%tm", "number", "%tm"),
        ("F8.2", "number", "%8.2f"),
        ("F1.0", "number", "%8.0g"),
        ("BEST12", "number", "%12.0g"),
        ("nonsense", "number", None),
        (None, "number", None),
        ("%tdD_m_Y", "date", "%tdD_m_Y"),
        ("EDATE10", "date", "%td"),
        ("%tc", "moment", "%tc"),
        ("%tcHH:MM", "time", "%tcHH:MM"),
        ("%tc", "time", "%tcHH:MM:SS"),
        ("%-20s", "text", "%-20s"),
        ("A12", "text", None),
    ],
)
def test_formats_of_stata(declared, kind, expected):
    assert stata_format(declared, kind) == expected


@pytest.mark.parametrize(
    ("declared", "width"), [("A12", 12), ("$20", 20), ("%-9s", 9), ("F8.2", 0), (None, 0)]
)
def test_the_width_of_a_text(declared, width):
    assert text_width(declared) == width
