"""Expressions of SQL: what they mean, and what they must never reach."""

from pathlib import Path

import polars as pl
import pytest

import unveil
from unveil.data.expressions import evaluate, expression

FRAME = pl.DataFrame({
    "age": [15, 40, None], "sex": ["f", "m", "f"], "my pay": [1.5, 2.0, 0.0], "select": [1, 2, 3],
    "born": pl.Series(["2001-05-01", "1980-01-31", None]).str.to_date(),
})  # fmt: skip


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("age >= 18 or sex = 'f'", [True, True, True]),
        ("not (age > 20) and sex in ('f', 'x')", [True, False, None]),
        ("age between 1 and 20", [True, False, None]),
        ("power(age / 10, 2)", [2.25, 16.0, None]),
        ("`my pay` * 2 + -1", [2.0, 3.0, -1.0]),
        ("age / `my pay`", [10.0, 20.0, None]),
        ("1 / `my pay` > 0", [True, True, True]),
        ('1 / "my pay"', [1 / 1.5, 0.5, None]),
        ("case when age > 20 then 'old' else 'young' end", ["young", "old", "young"]),
        ("cast(sex = 'f' as int) * ((age))", [15.0, 0.0, None]),
        ("sex like 'f%'", [True, False, True]),
        ("sex || '''' = 'f'''", [True, False, True]),
        ("coalesce(age, 0) - 1", [14.0, 39.0, -1.0]),
        ("born < DATE '1990-01-01'", [False, True, None]),
        ('"select" + 1', [2.0, 3.0, 4.0]),
        ("sex = 'read_csv(''x''); drop -- /* $'", [False, False, False]),
        ("round(ln(exp(age)), 0)", [15.0, 40.0, None]),
    ],
)
def test_what_a_text_means(text, values):
    assert evaluate(text, FRAME).to_list() == values


FILE = str(Path(__file__))
ATTACKS = [
    f"exists(select * from read_csv('{FILE}'))",
    f"age in (select 1 from read_csv('{FILE}'))",
    f"age > (from read_csv('{FILE}'))",
    f"read_csv('{FILE}')",
    f"\"read_csv\"('{FILE}')",
    f"`read_csv`('{FILE}')",
    f"age = 1 union select * from '{FILE}'",
    f"age = 1; select * from read_csv('{FILE}')",
    f"'\\' || exists(select * from read_csv(\"{FILE}\")) || '\\'",
    f"E'\\' || exists(select * from read_csv($${FILE}$$)) || '",
    f"$$'$$ || exists(select * from read_csv('{FILE}'))",
    f"age /* ' */ in (select 1 from read_csv('{FILE}')) /* ' */",
    "age -- '\n in (select 1)",
    "select",
    "select * from self",
    "values (1)",
    "age in (values (1))",
    "age in (table self)",
    "(with x as (select 1) select * from x)",
    "sum(age) over ()",
    "sum(age) > 1",
    "count(*)",
    "first(age)",
    "unnest(age)",
    "age > all (1)",
    "*",
    "age + *",
    "-(*)",
    '"*"',
    '"^.*$"',
    "age::int",
    "age[1]",
    "sex.x",
    "@x",
    "age > :x",
    "1 = 1",
    "'f'",
    "",
    "   ",
    "((((",
    "age +",
    "agee > 1",
    "age > 'x'",
    "cast(sex as int)",
    "cast(sex as json)",
    "born > 5 + sex",
    "age > date '9999999-01-01'",
    "born + INTERVAL '99999999999 years'",
    "age\x00 > 1",
    "age\u202e > 1",
    "age" + " + 1" * 1_000,
    "(" * 400 + "age" + ")" * 400,
    "- " * 400 + "age",
    "not " * 240 + "age > 1",
    "case when " * 90 + "age",
]


@pytest.mark.parametrize("text", ATTACKS, ids=range(len(ATTACKS)))
def test_what_is_no_expression_of_one_record_is_refused(text, monkeypatch):
    """What names a file is refused before polars parses it, for parsing reads."""
    parsed, parse = [], pl.sql_expr
    monkeypatch.setattr(pl, "sql_expr", lambda text: parsed.append(text) or parse(text))
    with pytest.raises(unveil.InputError) as fault:
        expression(text, FRAME)
    assert not (parsed and any(word in text for word in (FILE, "select", "values", "table")))
    assert str(fault.value).isprintable()
    assert fault.value.__suppress_context__ or fault.value.__context__ is None
    assert not any(value in str(fault.value) for value in ("2001", "1980-01-31"))


def test_hostile_names_of_columns_are_columns_alone():
    """A column called select, exists or read_csv makes none of these words usable."""
    names = ["select", "exists", "read_csv", "from", "x"]
    frame = pl.DataFrame({name: [1] for name in names})
    for text in (
        "exists(select x from read_csv('x'))",
        "read_csv('x')",
        "x in (select x)",
        "select x",
    ):
        with pytest.raises(unveil.InputError):
            expression(text, frame)
    assert evaluate('"select" + "exists" + read_csv + x', frame).to_list() == [4.0]
