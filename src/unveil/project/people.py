"""Who says so? Everything that is said in a project is said by a named person.

Names are compared, not persons: whoever signs with another name is another person here.
"""

import re
import unicodedata

from unveil.assessment.context import QUESTIONS
from unveil.errors import SettingsError, quote_text
from unveil.project.model import ProjectFile
from unveil.records.report import ContextAnswer

# What did people answer to the five questions about the context?


def list_answers(project: ProjectFile) -> tuple[ContextAnswer, ...]:
    """Raab's five factors in their order, each with its answer or without."""
    none = dict.fromkeys(("answer", "by", "on"))
    given = {name: vars(one) for name, one in project.context.factors.items()}
    return tuple(
        ContextAnswer(name=name, question=asked.question, **given.get(name, none))
        for name, asked in QUESTIONS.items()
    )


LONGEST = 200
LONGEST_TEXT = 4_000
PLACEHOLDERS = ("...", "Name, role")
"""What our own examples write where a person is to write something else."""

_FEWEST_LETTERS = 2
_TITLES = frozenset(["dr", "prof", "professor", "mr", "mrs", "ms", "miss", "mx", "sir"])
_ROLE = re.compile(r"[,;(\[{]|\s[-\u2010-\u2015]+\s")
"""Where a role begins: a comma, a semicolon, a bracket, a dash between blanks."""
_ALIKE = str.maketrans("аеорсухіјѕ", "aeopcyxijs")  # noqa: RUF001 - Cyrillic that looks like Latin


def check_name(by: str | None) -> str:
    """The name of a person as it is kept; an empty one is refused."""
    how = '--by "Name, role"'
    text = _text(by, "A name is required", how, LONGEST)
    if not is_name(text):
        raise SettingsError(f"A name of at least {_FEWEST_LETTERS} letters is required: {how}.")
    return text


def parse_reason(
    reason: str | None,
    option: str = "--reason",
    what: str = "State the reason",
    how: str = "...",
) -> str:
    """Why somebody says so, or what they say, in a line."""
    return _text(reason, what, f'{option} "{how}"', LONGEST_TEXT)


def is_name(by: str) -> bool:
    """Whether letters stand before the role."""
    return sum(one.isalpha() for one in _plain(_parts(by)[0])) >= _FEWEST_LETTERS


def is_same_person(one: str, other: str) -> bool:
    """Whether two names are the same, whatever the role, title, accents or capitals.

    "Bell, Ann" is Ann Bell too: what stands before the role, and that with what follows, are both
    compared, as words in any order.
    """
    return not _names(one).isdisjoint(_names(other))


def text_fault(text: str, longest: int = LONGEST_TEXT) -> str | None:
    """What is wrong with a text that a person is to have written; None where nothing is."""
    if text.strip() in PLACEHOLDERS:
        return "which is only an example"
    if not text.isprintable():
        return "with a line break or an unprintable character"
    return f"with more than {longest:,} characters" if len(text) > longest else None


def _names(by: str) -> set[frozenset[str]]:
    first, *rest = _parts(by)
    found = {_words(first), _words(" ".join([first, *rest[:1]]))}
    return {words for words in found if words}


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"\w+", text)) - _TITLES


def _parts(by: str) -> list[str]:
    return _ROLE.split(_plain(by))


def _plain(by: str) -> str:
    """A name without capitals, accents, wide forms and what cannot be seen."""
    apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", by).casefold())
    kept = (one for one in apart if unicodedata.category(one) not in ("Mn", "Me", "Cf"))
    return "".join(kept).translate(_ALIKE)


def _text(given: str | None, what: str, how: str, longest: int) -> str:
    text = (given or "").strip()
    if text in PLACEHOLDERS:
        what = f"{quote_text(text)} is only an example; write your own. {what}"
    if not text or text in PLACEHOLDERS:
        raise SettingsError(f"{what}: {how}.")
    if not text.isprintable():
        raise SettingsError(f"{what}, in one line and without unprintable characters: {how}.")
    if len(text) > longest:
        raise SettingsError(f"{what}, in at most {longest:,} characters: {how}.")
    return text
