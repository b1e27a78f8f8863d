"""What is a column about, by the whole words of its name and its label, in nine languages?

Never parts of words: "stage" is not about age. A word that is made of known words without a rest,
such as placesize, agegr or Geburtsjahr, counts as these. The words stand in words.toml.
"""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import Any
from unicodedata import combining, normalize

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
OF_LABEL = 8  # words of a label that are looked at: long ones are questions on many things


@cache
def vocabulary() -> dict[str, Any]:
    """The topics with their words, and lists of words."""
    return tomllib.loads(files("unveil.describing").joinpath("words.toml").read_text("utf-8"))


@cache
def topics_by_word(kind: str) -> dict[str, str]:
    return {
        word: name
        for name, topic in vocabulary()["topics"].items()
        for word in " ".join(topic.get(kind, {}).values()).split()
    }


@cache
def words_for(name: str) -> set[str]:
    return set(" ".join(vocabulary()["lists"][name].values()).split())


def words_of(text: str) -> list[str]:
    """Words, parted by signs, digits and capitals; in small letters without accents."""
    letters = normalize("NFKD", text.translate(str.maketrans(vocabulary()["letters"])))
    plain = "".join(letter for letter in letters if not combining(letter))
    return [word.lower() for word in WORD.findall(plain)]


def take_apart(word: str, known: set[str]) -> tuple[str, ...]:
    """Known words, one after the other, that make the whole of a word; nothing if none do."""
    ways: dict[int, tuple[str, ...]] = {0: ()}
    for end in range(2, len(word) + 1):
        for start in sorted(ways):
            if end - start > 1 and word[start:end] in known:
                ways[end] = (*ways[start], word[start:end])
                break
    return ways.get(len(word), ())


@cache
def parts_of(word: str) -> tuple[str, ...]:
    """The known words that a word is made of; itself where there are none."""
    about = topics_by_word("words").keys()
    parts = take_apart(word, about | words_for("fillers"))
    return parts if about & parts else (word,)


def find_topic(name: str, label: str = "") -> str:
    """What the name says, or else the label; empty where neither does.

    Of several topics the one that stands first in the file: what is sensitive is so anywhere.
    """
    topic_of, weak = topics_by_word("words"), topics_by_word("weak")
    clause = re.split(r"[,;:(\[]", label)[0]
    for words in (words_of(name), words_of(clause)[:OF_LABEL]):
        topics = [topic_of[part] for word in words for part in parts_of(word) if part in topic_of]
        if topics := topics or [weak[word] for word in words if word in weak]:
            return min(topics, key=[*vocabulary()["topics"]].index)
    return ""


def says(list_name: str, name: str) -> bool:
    """Whether a name has a word of a list."""
    return not words_for(list_name).isdisjoint(words_of(name))


def numbers_people(name: str) -> bool:
    """Whether a column is named as the number of a person, or of what may be one."""
    words = {*words_of(name)}
    parts = {*take_apart("".join(words_of(name)), words_for("persons") | words_for("numbers"))}
    is_other = find_topic(name) not in ("", "identity") or words & words_for("others")
    is_number = parts & words_for("persons") or (words | parts) & words_for("ids")
    return bool(is_number) and not is_other
