"""Vectors and lists as R writes them: its binary serialisation, item by item."""

import struct

HEAD = b"X\n" + struct.pack(">3i", 2, 0x30602, 0x20300)


def whole_numbers(*values):
    return struct.pack(f">{len(values)}i", *values)


def texts(*values):
    """A vector of text as R writes it: its type, its length, and each text by its bytes."""
    parts = (whole_numbers(0x40009, len(text)) + text for text in values)
    return whole_numbers(16, len(values)) + b"".join(parts)


def a_list(*items, **attributes):
    content = whole_numbers(0x313 if attributes else 19, len(items)) + b"".join(items)
    for tag, values in attributes.items():
        content += whole_numbers(0x402, 1, 0x40009, len(tag)) + tag.encode() + texts(*values)
    return content + (whole_numbers(254) if attributes else b"")


def numbers(*values):
    return struct.pack(f">ii{len(values)}d", 14, len(values), *values)


def with_attributes(content, **attributes):
    """A vector of R with more told about it."""
    flags = int.from_bytes(content[:4], "big") | 0x200
    told = b"".join(
        whole_numbers(0x402, 1, 0x40009, len(tag)) + tag.encode() + values
        for tag, values in attributes.items()
    )
    return whole_numbers(flags) + content[4:] + told + whole_numbers(254)
