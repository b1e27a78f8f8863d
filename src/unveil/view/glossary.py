"""What does each term mean? One everyday sentence, its formula, its paper, its other names.

The paper's letters: q is a combination of key levels, t a level of the target; d and s count
records of the original and of the synthetic data, N_d and N_s all of them; pd_tq = d_tq / d_q and
ps_tq = s_tq / s_q. The pages of `docs/measures` say more, with edge cases and worked examples.
"""

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from unveil.view.blocks import (
    AlertBox,
    Block,
    Facts,
    Figure,
    Folded,
    Heading,
    Items,
    Sentence,
    TableBlock,
)


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


def read_topics(file: str) -> Iterator[tuple[str, list[list[str]]]]:
    """A table beside the templates: its cells line by line, "# Title" before those of a topic."""
    text = (Path(__file__).parent / "templates" / file).read_text("utf-8")
    for topic in text.removeprefix("# ").split("\n# "):
        title, *rows = topic.strip("\n").split("\n")
        yield title, [row.split("\t") for row in rows]


def _read() -> Iterator[Topic]:
    for title, rows in read_topics("glossary.tsv"):
        terms = (GlossaryTerm(id_, (*names.split("; "),), *more) for id_, names, *more in rows)
        yield Topic(title, tuple(terms))


GLOSSARY = tuple(_read())
"""Every term of the report, by what it is about."""
TERMS = {name: term for topic in GLOSSARY for term in topic.terms for name in term.names}
"""Every term by each of its names."""
ALWAYS = {"key", "target", "unique", "exclusion"}
"""Terms that a reader of any report needs."""

_BY_LENGTH = sorted((name for name in TERMS if name != "Key"), key=len, reverse=True)
_NAMED = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, _BY_LENGTH))})(?!\w|\.\s?[A-Z])")
_WORDS = {name.lower(): term for name, term in TERMS.items() if name[1:].islower() and name[3:]}
"""Terms that are words and not symbols: "Linkability" is "linkability" within a sentence."""
_WORD = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, _WORDS))})s?(?!\w)", re.IGNORECASE)


class TermLinks:
    """Text of a section with each term, where it first occurs, leading to the glossary."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, text: str) -> list[tuple[str, str]]:
        """The text in pieces, each with the anchor it leads to; none leads nowhere."""
        pieces = _NAMED.split(text)  # text and names by turns
        return [(one, self._anchor(one) if at % 2 else "") for at, one in enumerate(pieces)]

    def _anchor(self, name: str) -> str:
        term = TERMS[name]
        is_first = term.id not in self._seen
        self._seen.add(term.id)
        return term.anchor if is_first else ""


def terms_in(texts: Iterable[str]) -> set[str]:
    """The ids of the terms that some texts use; words in any case."""
    found: set[str] = set()
    for text in texts:
        found |= {TERMS[one].id for one in _NAMED.findall(text)}
        found |= {_WORDS[one.lower()].id for one in _WORD.findall(text)}
    return found


def topics_of(used: Collection[str]) -> list[Topic]:
    """The terms with these ids, by what they are about."""
    topics = (Topic(one.title, tuple(t for t in one.terms if t.id in used)) for one in GLOSSARY)
    return [one for one in topics if one.terms]


def texts_of(blocks: Iterable[Block]) -> Iterator[str]:
    """Every text of some blocks, charts by their description."""
    for block in blocks:
        match block:
            case Heading() | Sentence():
                yield block.text
            case Facts():
                yield from (text for row in block.rows for text in row)
            case TableBlock():
                yield from (block.caption, block.footnote, *(one.head for one in block.columns))
                yield from (cell for row in block.rows for cell in row)
            case Items():
                yield from block.rows
            case AlertBox():
                yield from (block.head, *block.lines)
            case Figure():
                yield from (block.caption, block.chart.title, block.chart.description)
                yield from texts_of([block.sentence, *([block.table] if block.table else [])])
            case Folded():
                yield block.summary
                yield from texts_of(block.blocks)
