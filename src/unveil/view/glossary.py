"""What does each term mean? One everyday sentence, its formula, its paper, its other names.

The paper's letters: q is a combination of key levels, t a level of the target; d and s count
records of the original and of the copy, N_d and N_s all of them; pd_tq = d_tq / d_q and ps_tq =
s_tq / s_q. The pages of `docs/measures` say more, with edge cases and worked examples.
"""

import re
from collections.abc import Collection, Iterable
from html import escape

from unveil.view.glossary_attacks import GUESSED
from unveil.view.glossary_disclosure import FOUND
from unveil.view.glossary_entry import GlossaryTerm
from unveil.view.glossary_utility import UTILITY

GLOSSARY = (*FOUND, *GUESSED, *UTILITY)
"""Every term of the report, by what it is about."""

TERMS = {name: term for topic in GLOSSARY for term in topic.terms for name in term.names}
"""Every term by each of its names."""

_BY_LENGTH = sorted((name for name in TERMS if name != "Key"), key=len, reverse=True)
_NAMED = re.compile(
    r"(?<![\w&#])("
    + "|".join(re.escape(escape(name)) for name in _BY_LENGTH)
    + r")(?![\w;]|\.\s?[A-Z])"
)
_SAID = re.compile(r"(<p[^>]* data-says=\"[^\"]*\"[^>]*>)(.*?)(</p>)", re.DOTALL)


_TAG = re.compile(r"<style.*?</style>|<[^>]*>", re.DOTALL)
_WORDS = {name.lower(): term for name, term in TERMS.items() if name[1:].islower() and name[3:]}
"""Terms that are words and not symbols: "Linkability" is "linkability" within a sentence."""
_WORD = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, _WORDS))})s?(?!\w)", re.IGNORECASE)


def link_terms(body: str) -> str:
    """A section with each term in its sentences leading to the glossary, where it first occurs."""
    seen: set[str] = set()

    def once(found: re.Match[str]) -> str:
        term = TERMS[found[1]]
        if term.id in seen:
            return found[0]
        seen.add(term.id)
        return f'<a class="term" href="#{term.anchor}">{found[1]}</a>'

    return _SAID.sub(lambda said: said[1] + _NAMED.sub(once, said[2]) + said[3], body)


def terms_in(bodies: Iterable[str]) -> set[str]:
    """The ids of the terms that are used in some pieces of HTML; words in any case."""
    found: set[str] = set()
    for body in bodies:
        told = _TAG.sub(" ", body)
        found |= {TERMS[one].id for one in _NAMED.findall(told)}
        found |= {_WORDS[one.lower()].id for one in _WORD.findall(told)}
    return found


def glossary(used: Collection[str]) -> str:
    """Terms by what they are about, each with its anchor: those with these ids."""
    topics = [
        (topic.title, [term for term in topic.terms if term.id in used]) for topic in GLOSSARY
    ]
    return "".join(
        f'<h4>{escape(title)}</h4><dl class="glossary">{"".join(map(_entry, terms))}</dl>'
        for title, terms in topics
        if terms
    )


def _entry(term: GlossaryTerm) -> str:
    told = {
        "formula": f"<code>{escape(term.formula)}</code>" if term.formula else "",
        "out of": escape(term.out_of),
        "source": escape(term.source),
        "also": escape(term.also),
    }
    facts = "".join(
        f'<span class="fact"><span class="dim">{what}:</span> {text}</span>'
        for what, text in told.items()
        if text
    )
    return (
        f'<dt id="{term.anchor}">{escape(term.names[0])}</dt>'
        f"<dd><p>{escape(term.sentence)}</p>{facts}</dd>"
    )
