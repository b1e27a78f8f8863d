"""`unveil answer`: the five questions, and who answered them."""

import json

import pytest

from cli.project_commands import typed
from project_cases import ran


@pytest.mark.slow
def test_the_five_questions_are_listed_with_why_they_are_asked(tmp_path):
    code, shown, _ = typed(ran(tmp_path), "answer")
    assert code == 0
    assert "Context questions: 0 of 5 answered" in shown
    assert shown.count("○") == 5
    assert 'Next: unveil answer release_context "..." --by "Name, role"' in shown


def test_an_answer_is_kept_with_its_name(tmp_path):
    folder = ran(tmp_path)
    said = ("other_sources", "A register.", "--by", "A. Jones, analyst")
    code, shown, _ = typed(folder, "answer", *said)
    assert (code, "1 of 5 answered" in shown) == (0, True)
    assert "A register. (A. Jones, analyst on 20" in shown
    factors = json.loads(typed(folder, "answer", "--json")[1])["factors"]
    assert [one["answer"] for one in factors] == [None, None, "A register.", None, None]


def test_wrong_use(tmp_path):
    folder = ran(tmp_path)
    assert typed(folder, "answer", "other_sources", "--by", "Ann Bell")[::2] == (
        2,
        'Write the answer: unveil answer other_sources "...".',
    )
    assert typed(folder, "answer", "other_sources", "x")[2] == (
        'A name is required: --by "Name, role".'
    )
    assert "Did you mean 'other_sources'?" in typed(folder, "answer", "othersources", "x")[2]
    assert typed(folder, "answer", "--by", "x")[0] == 2
