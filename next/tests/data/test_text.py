"""Files of text, each written as some office does."""

import csv
import gzip
import io
import os
import random
from datetime import date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unveil.data.reading import Reading
from unveil.data.text import read_text
from unveil.errors import InputError

IS_ALL = os.environ.get("UNVEIL_TESTS") == "all"


@pytest.fixture(scope="module")
def read(tmp_path_factory):
    folder = tmp_path_factory.mktemp("text")

    def read(content, *missing, name="people.csv", **reading):
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_text(path, Reading(**reading), missing)

    return read


@pytest.fixture(scope="module")
def column(read):
    """The entries of one column, read beside another that has no gaps."""

    def column(*entries, **reading):
        lines = "".join(f"{entry};x\n" for entry in entries)
        return read(f"c;d\n{lines}", **reading).frame["c"]

    return column


@pytest.fixture(scope="module")
def refusal(read):
    def refusal(content, **settings):
        with pytest.raises(InputError) as caught:
            read(content, **settings)
        assert caught.value.__cause__ is None
        path, _, fault = str(caught.value)[1:].partition("' ")
        assert path.endswith(settings.get("name", "people.csv"))
        return fault

    return refusal


# Types


def test_a_plain_file_is_read_without_a_note(read):
    data = read("sex,age,height,smokes\nM,31,1.75,TRUE\nF,,1.6,FALSE\n")
    assert data.frame.to_dict(as_series=False) == {
        "sex": ["M", "F"],
        "age": [31, None],
        "height": [1.75, 1.6],
        "smokes": [True, False],
    }
    assert (data.codebook, data.notes) == ({}, ())


@pytest.mark.parametrize(
    ("entries", "values"),
    [
        (["1", "-20", " 3 "], [1, -20, 3]),
        (["123456789012345678"], [123456789012345678]),
        (["1", ".5", "-1E-2"], [1, 0.5, -0.01]),
        (["true", "false"], [True, False]),
        (["2024-02-29"], [date(2024, 2, 29)]),
        (["2024-02-29 10:30"], [datetime(2024, 2, 29, 10, 30)]),
        (["2024-02-29T10:30:01.5"], [datetime(2024, 2, 29, 10, 30, 1, 500_000)]),
    ],
)
def test_a_column_has_the_type_of_all_its_entries(column, entries, values):
    assert column(*entries).to_list() == values


@pytest.mark.parametrize(
    "entries",
    [
        ["1", "01"],
        ["8", "007"],
        ["10.20", "01.11"],
        [" 01", "2"],
        ["1", "NA"],
        ["1.5", "inf"],
        ["1.5", "nan"],
        ["1", "1234567890123456789"],
        ["1.5", "12345678901234567890"],
        ["1e400", "1"],
        ["T", "F"],
        ["true", "yes"],
        ["2023-02-29", "2023-02-28"],
        ["01.02.99", "13.02.99"],
        ["2024-01-02", "2024-01-02 10:00"],
        ["1_000", "1"],
    ],
)
def test_what_fits_no_type_stays_as_it_is_written_wherever_it_stands(column, entries):
    assert column(*entries).to_list() == entries
    usual = [entries[0]] * 2_000
    assert column(*usual, entries[1])[-1] == entries[1]


def test_what_stands_for_missing_is_missing_only_if_it_is_named(read):
    text = 'age,city\n1,NA\nNA,Ash\n"2",""\n'
    assert read(text).frame["age"].to_list() == ["1", "NA", "2"]
    assert read(text, "NA").frame.rows() == [(1, None), (None, "Ash"), (2, None)]


def test_days_before_months_are_dates_with_a_note(read):
    data = read("admitted,left\n1.3.2020,13/03/2020\n02.03.2020,14/03/2020\n")
    assert data.frame.row(1) == (date(2020, 3, 2), date(2020, 3, 14))
    assert data.notes == (
        "admitted holds dates as day.month.year.",
        "left holds dates as day/month/year.",
    )


def test_dates_whose_day_may_be_a_month_stay_text_with_a_note(read):
    text = "born,n\n03/04/2020,1\n05/06/2020,2\n"
    data = read(text)
    assert data.frame["born"][0] == "03/04/2020"
    assert data.notes[0].startswith(
        "born stayed text: its dates may be day/month/year or month/day/year."
    )
    first, second = (
        read(text, dates=order).frame["born"].to_list() for order in ("day first", "month first")
    )
    assert [day.month for day in first] == [day.day for day in second]


# Dialects


def test_a_note_says_how_a_file_was_read(read):
    data = read("größe;n\n1,75;1\n,5;2\n".encode("latin-1"))
    assert data.frame.rows() == [(1.75, 1), (0.5, 2)]
    assert data.notes == ("Read with semicolons, decimal commas and encoding windows-1252.",)


def test_commas_that_may_part_thousands_are_left_alone(read):
    text = "pay;n\n12,500;1\n1,250;2\n"
    data = read(text)
    assert data.frame["pay"].to_list() == ["12,500", "1,250"]
    assert data.notes[1].startswith("pay stayed text: its commas may part thousands.")
    assert read(text, decimal=",").frame["pay"].to_list() == [12.5, 1.25]


@pytest.mark.parametrize(
    "late",
    ["2,5", "1.5", "1.200", "1.200,5", "-,5", "1,5 ", "inf", "nan", "007", "1,2,3", "x.y", ""],
)
@pytest.mark.parametrize("beside", ["Nr. 1", "31.12.2020"])
def test_decimal_commas_are_read_alike_wherever_an_odd_entry_stands(column, read, late, beside):
    early = [late, *["1,5"] * 1_200]
    content = "Nr.;c;d\n" + "".join(
        f"{n},25;{entry};{beside}\n" for n, entry in enumerate(early[::-1])
    )
    frame = read(content).frame
    assert frame["c"].reverse().equals(column(*early), null_equal=True)
    assert frame["Nr."].to_list() == [n + 0.25 for n in range(1_201)]


def test_a_file_that_was_misread_is_read_as_it_is_told(read):
    assert read("a;b,c\n1;2,3\n", delimiter=",").frame.columns == ["a;b", "c"]
    assert read("a;b\n1.500;2\n", decimal=",").frame["a"].to_list() == [1500]
    assert read("a,b\né,1\n", encoding="latin-1").frame["a"].to_list() == ["Ã©"]
    assert read("a,b\n1,2\n".encode("utf-16-le"), encoding="utf-16-le").frame.row(0) == (1, 2)


def test_what_excel_makes_of_a_table_is_read(read):
    text = 'Survey 2024;;;\n"sex\nof person";pay, gross;bmi;\nf;950;22,5;\nm;1.200;20,1;\n;;;\n'
    data = read(text)
    assert data.frame.rows(named=True) == [
        {"sex of person": "f", "pay, gross": 950, "bmi": 22.5},
        {"sex of person": "m", "pay, gross": 1200, "bmi": 20.1},
    ]
    assert "pay, gross was read with dots that part thousands." in data.notes
    names = read("Name, first;age\nA, B;35\nC, D;40\n").frame.columns
    assert names == ["Name, first", "age"]
    assert read("sep=;\na, b;c, d\n1,5;2,5\n").frame.rows() == [(1.5, 2.5)]
    for mark, amount in ((";", "1.234,50"), ("\t", "1,234.50")):
        assert read(f"a{mark}b\n{amount}{mark}1\n").frame["a"].to_list() == [1234.5]


def test_row_numbers_without_a_name_are_left_out_with_a_note(read):
    sentence = "Column 1 has no name and numbers the records; it was left out."
    for first in (0, 1):
        data = read(f'"","sex"\n"{first}","f"\n"{first + 1}","m"\n')
        assert (data.frame.columns, data.notes) == (["sex"], (sentence,))


def test_what_programs_write_for_no_number_is_told(read):
    data = read("age,region\n30,NA\nNA,North\n.,South\n")
    assert data.frame["age"].to_list() == ["30", "NA", "."]
    say = "If they are missing: --missing . --missing NA"
    assert data.notes == (f"age stayed text: . and NA among numbers. {say}",)
    assert read("age,region\n30,NA\nNA,North\n.,South\n", "NA", ".").frame["age"][0] == 30


def test_lines_above_the_names_are_left_out_with_a_note(read):
    data = read("Survey of 2020\n\na,b\n1,2\n")
    assert data.frame.rows() == [(1, 2)]
    assert data.notes == ("The names are in line 3; the lines above were left out.",)


def test_a_line_that_tells_excel_the_delimiter_is_not_the_names(read):
    assert read("\ufeffsep=;\na;b\n1;2\n").frame.to_dict(as_series=False) == {"a": [1], "b": [2]}


def test_blank_lines_are_no_records_where_there_are_several_columns(read):
    data = read("\na,b\n1,\n\n,\r\n2,3\n\n")
    assert data.frame.rows() == [(1, None), (2, 3)]
    assert data.notes[-1] == "1 line(s) without any entry were left out."
    assert read("a\n1\n\n2\n").frame.rows() == [(1,), (None,), (2,)]


def test_quotes_hold_delimiters_quotes_and_lines(read):
    data = read('"a"\t"b"\r\n"x\ty","z"\r\n"say ""hi"""\t"two\r\nlines"\r\n'.replace('","', '"\t"'))
    assert data.frame.rows() == [("x\ty", "z"), ('say "hi"', "two\r\nlines")]


def test_a_packed_file_is_unpacked(read):
    packed = gzip.compress(b"a,b\n1,2\n")
    assert read(packed, name="people.csv.gz").frame.rows() == [(1, 2)]


ALPHABET = "ab é0.,;|\t\"'-\n"
WHOLE = st.integers(1 - 10**18, 10**18 - 1)
DECIMAL = st.floats(allow_nan=False, allow_infinity=False)
DAY = st.dates(min_value=date(1000, 1, 1))
ROWS = st.lists(st.tuples(st.text(ALPHABET, max_size=6), WHOLE | st.none(), DECIMAL, DAY))


@settings(max_examples=1_000 if IS_ALL else 40, deadline=None)
@given(
    ROWS,
    st.sampled_from(",;\t|"),
    st.sampled_from(".,"),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y"]),
    st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_a_frame_is_read_back_equal_in_every_dialect(
    read, rows, delimiter, mark, form, quoting, end, encoding
):
    rows = [("word", 1, 0.5, date(2020, 1, 31)), *rows]
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=delimiter, quoting=quoting, lineterminator=end)
    writer.writerow(["word", "whole", "decimal", "day"])
    for word, whole, decimal, day in rows:
        year = f"{day.year:04}"
        written = day.replace(year=2020 if day.month == 2 else 2001).strftime(form)
        written = written.replace("2020" if day.month == 2 else "2001", year)
        writer.writerow([word, whole, repr(decimal).replace(".", mark), written])
    frame = read(text.getvalue().encode(encoding)).frame
    assert frame.rows() == [(word or None, *others) for word, *others in rows]


# Refusals


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("", "is empty. Check that its export was finished."),
        ("\n\n", "is empty. Check that its export was finished."),
        ("a,b\n", "has names but no records. Check that its export was finished."),
        ("a,5\n1,2\n", "has a number for the name of column 2. Give each one a name."),
        ("a,\n1,2\n", "has nothing readable for the name of column 2. Give each one a name."),
        ("a,b,a\n1,2,3\n", "has the same name for columns 1 and 3. Give each a name of its own."),
        ("a,b\n1,2\0\n", "has NUL bytes, which no text has. Export it again as UTF-8."),
        (
            b"\xff\xfea",
            "cannot be read as a table in utf-16. Is it damaged, or a quotation mark astray?",
        ),
    ],
)
def test_what_is_no_table_is_refused(refusal, content, fault):
    assert refusal(content) == fault


@pytest.mark.parametrize(
    ("content", "line", "fields", "header"),
    [
        ("a,b,c\n1,2,3\n4,5\n", 3, 2, 3),
        ("a,b,c\n1,2,3\n4\n", 3, 1, 3),
        ("a,b,c\n1,2,3\n\n4,5,6,7\n", 4, 4, 3),
        ('a,b,c\n"1\n1",2,3\n4,5\n', 4, 2, 3),
        ('a,b\n"x, y",1\nz\n', 3, 1, 2),
        ('age;sex\n"1";31;M\n"2";40;F\n', 2, 3, 2),
        ("Survey\na,b\n1,2\n3\n", 4, 1, 2),
        ("a,b\n" + "1,2\n" * 200_000 + "3", 200_002, 1, 2),
    ],
)
def test_a_line_of_another_length_is_named(refusal, content, line, fields, header):
    fault = f"is damaged: line {line:,} has {fields} field(s), the header {header}."
    assert refusal(content).startswith(fault)


@pytest.mark.parametrize(
    "content",
    [
        'a,b\n1,2\n3,"secret\n4,5\n',
        'a,b\n1,"five" nails\n',
        'a,b\n5" nail,2\n6" nail,3\n7,8\n',
        'a"b,c\n1,2\n3,4\n5,6"\n7,8\n',
    ],
)
def test_a_quotation_mark_astray_is_refused_before_records_are_lost(refusal, content):
    assert "quotation mark" in refusal(content)


def test_a_packed_file_that_is_damaged_or_a_bomb_is_refused(refusal, monkeypatch):
    packed = gzip.compress(b"a,b\n" + b"1,2\n" * 100_000)
    assert "damaged" in refusal(packed[:-9], name="people.csv.gz")
    monkeypatch.setattr("unveil.data.text.BOMB", 1_000)
    assert refusal(packed, name="people.csv.gz").startswith("is over 100 times as large")


SECRET = "HIVpositive1847"


def test_damage_gives_a_frame_or_a_refusal_without_a_value(read):
    choose = random.Random(1)
    day = date(2020, 1, 1)
    for _ in range(5_000 if IS_ALL else 100):
        lines = [f'{n},"{SECRET}, {n}",{n}.5,{day + timedelta(n)}\n' for n in range(8)]
        content = bytearray(
            "".join(["a,b,c,d\n", *lines]).encode(choose.choice(["utf-8", "utf-16"]))
        )
        for _ in range(choose.randint(1, 4)):
            place = choose.randrange(len(content))
            content[place : place + choose.randint(0, 3)] = choose.choice(
                [b'"', b"\n", b"\r", b",", b"\0", b"", choose.randbytes(1)]
            )
        if choose.random() < 0.3:
            del content[choose.randrange(len(content)) :]
        try:
            said = read(bytes(content)).notes
        except InputError as fault:
            said = fault.args
        assert SECRET not in "".join(said)
