"""All sentences in one place, filled with exactly what they ask for, ready to be translated."""

import re
from importlib import import_module
from pathlib import Path
from string import Formatter

import pytest

import unveil.view
from unveil.errors import InternalError
from unveil.view.report_sentences import (
    SUBJECTS,
    TEMPLATES,
    all_templates,
    fields_of,
    fill_sentence,
    in_language,
    pot,
)

FOLDER = Path(unveil.view.__file__).parent


def test_a_sentence_is_filled_and_says_which_it_is():
    told = fill_sentence("verdict.within", "DiSCO", n="3")
    assert (told.key, told.of) == ("verdict.within", "DiSCO")
    assert told.text == "Every figure that you set a limit on (3) is within it."


@pytest.mark.parametrize(
    ("key", "fields", "message"),
    [
        ("verdict.unheard", {}, "No sentence is called 'verdict.unheard'."),
        ("verdict.within", {}, "does not have the fields it is filled with."),
        ("verdict.within", {"n": "1", "m": "2"}, "does not have the fields it is filled with."),
    ],
)
def test_unknown_sentences_and_fields_are_refused(key, fields, message):
    with pytest.raises(InternalError, match=re.escape(message)):
        fill_sentence(key, **fields)


def test_what_is_filled_in_is_not_read_as_a_template():
    assert "{n} {0}" in fill_sentence("verdict.within", n="{n} {0}").text


def test_every_module_of_the_folder_that_has_sentences_is_gathered():
    having = {
        ".".join(path.relative_to(FOLDER).with_suffix("").parts)
        for path in FOLDER.rglob("*.py")
        if re.search(r"^TEMPLATES\b.*=", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    own = {"report_sentences", "report_sentences_risk", "report_sentences_utility"}
    assert having - own == set(SUBJECTS.values())


def test_every_gathers_the_sentences_of_the_report_and_of_each_subject():
    found = all_templates()
    assert TEMPLATES.items() <= found.items()
    for subject, module in SUBJECTS.items():
        own = import_module(f"unveil.view.{module}").TEMPLATES
        assert {f"{subject}/{key}": text for key, text in own.items()}.items() <= found.items()


def test_fields_are_named_or_numbered_so_that_a_translation_may_put_them_in_another_order():
    for key, template in all_templates().items():
        named = [name for _, name, _, _ in Formatter().parse(template) if name is not None]
        assert all(named), key


def test_a_translation_is_used_while_it_is_in_force():
    def reversed_words(template: str) -> str:
        return "Auf Deutsch: {n}." if template == TEMPLATES["verdict.within"] else template

    with in_language(reversed_words):
        assert fill_sentence("verdict.within", n="3").text == "Auf Deutsch: 3."
    assert fill_sentence("verdict.within", n="3").text.startswith("Every figure")


def test_the_template_for_translators_has_every_sentence_once():
    listed = re.findall(r'^msgid "(.+)"$', pot(), re.MULTILINE)
    assert len(listed) == len(set(listed)) == len(set(all_templates().values()))
    escaped = {
        text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        for text in all_templates().values()
    }
    assert set(listed) == escaped


def test_the_template_for_translators_names_the_keys_of_each_sentence():
    document = pot()
    assert "#. disclosure/DiSCO\n" in document
    assert "#. verdict.within\n" in document


def test_fields_of_a_template_are_its_names():
    assert fields_of("{a} of {b}, {a} again and {{c}}") == {"a", "b"}
