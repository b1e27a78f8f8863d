"""What is a column about, by the words of its name and of its label?

Whole words count, never parts of them: "stage" is not about age. A word that is made of known words
without a rest, such as "placesize" or "agegr", counts as these.
"""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal
from unicodedata import combining, normalize

from unveil.measure.roles.words import (
    BARE_NUMBERS,
    BODY,
    DATES,
    DESIGN,
    FILLERS,
    NUMBERS,
    ONLY_OF_SAMPLES,
    OTHERS,
    PERSONS,
    PERSONS_NUMBERED,
    TOPIC_OF,
    WEAK_TOPIC_OF,
    Topic,
)

LONGEST_LABEL = 8
"""Words of a label that are looked at: long ones are questions that mention many things."""

_LETTERS = str.maketrans({"ł": "l", "Ł": "L", "ß": "ss", "ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE"})
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WORD = re.compile(r"[^\W\d_]+")
_CLAUSE_END = re.compile(r"[,;:(\[]")
_LONGEST_WORD = 40
_KNOWN = FILLERS.union(TOPIC_OF)
_OF_NUMBERS = PERSONS | PERSONS_NUMBERED | NUMBERS


@dataclass(frozen=True)
class Said:
    """What a column is about, and which of its texts says so."""

    topic: Topic
    source: Literal["name", "label"]


def plain(text: str) -> str:
    """Text without accents; capitals stay, for they part words."""
    marked = normalize("NFKD", text.translate(_LETTERS))
    return "".join(letter for letter in marked if not combining(letter))


def tokens(text: str) -> list[str]:
    """The words of a name or a label: parted by other signs, digits, and capitals within."""
    parted = _CAMEL.sub(" ", plain(text))
    return [word.casefold() for word in _WORD.findall(parted)]


def said(name: str, label: str | None) -> Said | None:
    """What the name says, or else the label; None where neither has a known word."""
    topic = _of_name(tokens(name))
    if topic is not None:
        return Said(topic, "name")
    topic = _of_label(tokens(_CLAUSE_END.split(label or "", maxsplit=1)[0]))
    return None if topic is None else Said(topic, "label")


def is_of_sample(name: str, label: str | None) -> bool:
    """Whether the words say that a weight is that of a sample."""
    words = {part for word in tokens(f"{name} {label or ''}") for part in parts(word)}
    return bool(words & (DESIGN | ONLY_OF_SAMPLES))


def is_of_body(name: str, label: str | None) -> bool:
    """Whether the words say that a weight is that of a body."""
    return not BODY.isdisjoint(tokens(f"{name} {label or ''}"))


def numbers_people(name: str, label: str | None) -> Literal["person", "number"] | None:
    """Whether a name says that it numbers people, or something that may be people; else None.

    The label counts where the name says nothing, and only where it speaks of nothing else.
    """
    texts = [name] if label is None or said(name, None) is not None else [name, label]
    if any(_is_person(_number_parts(text)) for text in texts):
        return "person"
    words = _number_parts(name)
    topic = _of_name(tokens(name))
    is_other = topic is not None and topic.kind != "identifier"
    if is_other or not words & BARE_NUMBERS or words & OTHERS:
        return None
    return "number"


def _is_person(words: set[str]) -> bool:
    """Whether the words name a person, or the number of one, and nothing else."""
    if not words <= _OF_NUMBERS:
        return False
    return bool(words & PERSONS or (words & PERSONS_NUMBERED and words & NUMBERS))


def _number_parts(text: str) -> set[str]:
    """The words of a text, with those parted that are made of a person and a number: patientid."""
    return {
        part
        for word in tokens(text)
        for part in ((word,) if word in OTHERS else _made_of(word, _OF_NUMBERS) or (word,))
    }


def is_of_date(name: str) -> bool:
    """Whether the name says that it is a date."""
    return not DATES.isdisjoint(part for word in tokens(name) for part in parts(word))


def _of_name(words: Sequence[str]) -> Topic | None:
    """The last word decides; words for identifiers only where no other says anything."""
    found = [topic for word in words for topic in topics(word)]
    told = [topic for topic in found if topic.kind != "identifier"]
    if told:
        return told[-1]
    weak = [WEAK_TOPIC_OF[word] for word in words if word in WEAK_TOPIC_OF]
    return next(iter(found or weak), None)


def _of_label(words: Sequence[str]) -> Topic | None:
    """A sensitive word goes first, then the first of all: labels mention what else was asked."""
    found = [topic for word in words[:LONGEST_LABEL] for topic in topics(word)]
    for kinds in (("sensitive", "opinion"), ("visible", "often", "sometimes", "weight")):
        for topic in found:
            if topic.kind in kinds:
                return topic
    return next(iter(found), None)


def topics(word: str) -> list[Topic]:
    """What a word is about, or each of the known words it is made of."""
    return [TOPIC_OF[part] for part in parts(word) if part in TOPIC_OF]


@lru_cache(maxsize=4096)
def parts(word: str) -> tuple[str, ...]:
    """The known words that a word is made of, without a rest; itself where there are none."""
    if word in TOPIC_OF or len(word) > _LONGEST_WORD:
        return (word,)
    if word.endswith("s") and word[:-1] in TOPIC_OF and len(word) > 4:
        return (word[:-1],)
    made = _made_of(word, _KNOWN)
    return made if made is not None and any(part in TOPIC_OF for part in made) else (word,)


def _made_of(word: str, known: Container[str]) -> tuple[str, ...] | None:
    """Known words, one after the other, that make the whole of a word."""
    ways: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(2, len(word) + 1):
        for start in sorted(ways):
            part = word[start:end]
            if len(part) > 1 and part in known:
                ways[end] = (*ways[start], part)
                break
    return ways.get(len(word))
