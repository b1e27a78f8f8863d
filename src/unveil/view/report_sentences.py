"""Where does every sentence of ours stand, so that a translator finds them all in one place?

`TEMPLATES` holds what only the report says, by section: "verdict.above". The sentences that
commands, notebooks and pages share stay with their subject, and are gathered here under its name:
"disclosure/DiSCO". Numbers and names are filled in by `fill_sentence`, from records only.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from string import Formatter

from unveil.errors import InternalError
from unveil.view import report_sentences_risk, report_sentences_utility
from unveil.view.report_sentences_page import PAGE
from unveil.view.sections.section import Phrase

TEMPLATES: dict[str, str] = {
    **PAGE,
    **report_sentences_risk.TEMPLATES,
    **report_sentences_utility.TEMPLATES,
}
"""The sentences that only the report says, by section and name."""

SUBJECTS = {
    "aligned match": "aligned_match",
    "attacks": "attacks",
    "attribution": "cap",
    "checks": "flags",
    "claims": "claims",
    "key sets": "key_sets",
    "codebook": "codebook",
    "comparison": "comparison",
    "confidentiality": "differential",
    "design": "rounding",
    "desk": "project",
    "disclosure": "disclosure",
    "distance filter": "distance_filter",
    "ecap": "ecap",
    "exploration": "exploration",
    "gtcap": "gtcap",
    "match risk": "match_risk",
    "membership": "membership",
    "noise": "noise",
    "on m": "cap_trend",
    "pair tables": "pair_tables",
    "projection": "projection",
    "protection": "protection",
    "recoding": "recoding",
    "replication": "replication",
    "sap": "sap",
    "synthesis": "synthesis",
    "tables": "count_tables",
    "targeted": "tcap",
    "tstr": "tstr",
    "uniques": "uniques",
    "utility": "utility",
    "utility page": "pages.utility",
}
"""The modules of this folder that have sentences, by the name of their subject."""

Translation = Callable[[str], str]

_translation: ContextVar[Translation | None] = ContextVar("translation", default=None)


def fill_sentence(key: str, of: str = "", **values: str) -> Phrase:
    """A sentence of the report, in the language in force, filled with exactly its fields."""
    template = TEMPLATES.get(key)
    if template is None:
        raise InternalError(f"No sentence is called {key!r}.")
    if fields_of(template) != set(values):
        raise InternalError(f"The sentence {key!r} does not have the fields it is filled with.")
    return Phrase(key, of, translate(template).format(**values))


def translate(template: str) -> str:
    """A template in the language in force; English where there is none."""
    translation = _translation.get()
    return template if translation is None else translation(template)


@contextmanager
def in_language(translation: Translation) -> Iterator[None]:
    """Every sentence of the report within is translated, say by a catalogue's `gettext`."""
    token = _translation.set(translation)
    try:
        yield
    finally:
        _translation.reset(token)


def fields_of(template: str) -> set[str]:
    """The names that a template has to be filled with."""
    return {name for _, name, _, _ in Formatter().parse(template) if name}


def all_templates() -> dict[str, str]:
    """Every template there is, by its key: those of the report and those of each subject."""
    shared = {
        f"{subject}/{key}": template
        for subject, module in SUBJECTS.items()
        for key, template in import_module(f"unveil.view.{module}").TEMPLATES.items()
    }
    return {**TEMPLATES, **shared}


def pot() -> str:
    """All templates as a portable object template, for translators' tools."""
    head = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
    keys: dict[str, list[str]] = {}
    for key, template in all_templates().items():
        keys.setdefault(template, []).append(key)
    return "\n".join([head, *(_entry(template, named) for template, named in keys.items())])


def _entry(template: str, keys: list[str]) -> str:
    text = template.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    named = "".join(f"#. {key}\n" for key in sorted(keys))
    return f'{named}#, python-brace-format\nmsgid "{text}"\nmsgstr ""\n'
