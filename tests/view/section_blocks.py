"""The blocks of one section of a report, taken apart: sentences, tables, what is folded."""

from collections.abc import Iterator
from importlib import import_module

import msgspec

from unveil.records.report import Parts
from unveil.view.blocks import Block, Figure, Folded, Sentence, TableBlock
from view import report_cases
from view.derived import every as derived
from view.test_numbers import literal, numbers

_drawn = {}


def draw(name, pair) -> list[Block]:
    """One section of a contents, made once; what it was made of is kept beside it."""
    key = (name, *map(id, pair))
    if key not in _drawn:
        _drawn[key] = list(import_module(f"unveil.view.sections.{name}").blocks(*pair)), pair
    return _drawn[key][0]


def flat(blocks, *, on_paper: bool = False) -> Iterator[Block]:
    """Every block, also those within others; on paper nothing that is folded."""
    for block in blocks:
        if isinstance(block, Folded):
            if not on_paper:
                yield from flat(block.blocks)
            continue
        yield block
        if isinstance(block, Figure):
            yield block.sentence
            if block.table is not None and not on_paper:
                yield block.table


def tables(name, pair, **settings) -> list[TableBlock]:
    return [one for one in flat(draw(name, pair), **settings) if isinstance(one, TableBlock)]


def table(name, pair, head, n: int = 0) -> list[tuple[str, ...]]:
    """The rows of the n-th table that has this head."""
    found = [one for one in tables(name, pair) if head in [column.head for column in one.columns]]
    return list(found[n].rows)


def keyed(name, pair, **settings) -> list[Sentence]:
    blocks = flat(draw(name, pair), **settings)
    return [one for one in blocks if isinstance(one, Sentence) and one.key]


def said(name, pair, **settings) -> dict[str, str]:
    """The sentences of a section by key, each with its numbers worked out again."""
    results = report_cases.as_json(*pair)
    found = keyed(name, pair, **settings)
    for one in found:
        given = numbers(" ".join(derived()[one.key](results, one.of)))
        shown = numbers(one.text)
        assert not shown - literal(one.key) - given, one
        assert not given - shown, (one, given - shown)
    return {one.key: one.text for one in found}


def folds(name, pair) -> list[str]:
    return [one.summary for one in draw(name, pair) if isinstance(one, Folded)]


def figures(name, pair, **settings) -> int:
    return sum(isinstance(one, Figure) for one in flat(draw(name, pair), **settings))


def changed(pair, part, **fields):
    """The same with another record of one part."""
    contents, parts = pair
    records = {one.name: parts[one.name] for one in contents.run.parts if one.file is not None}
    records[part] = msgspec.structs.replace(records[part], **fields)
    return contents, Parts(contents.run, records)


def judged_as(pair, **fields):
    contents, parts = pair
    judgement = msgspec.structs.replace(contents.judgement, **fields)
    return msgspec.structs.replace(contents, judgement=judgement), parts


def rows_changed(rows, **fields):
    return tuple(msgspec.structs.replace(row, **fields) for row in rows)
