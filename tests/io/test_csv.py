import csv
import io

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import InputError, ReadError, RolesError
from unveil.io import read_csv as damage
from unveil.io.read_csv import read_csv

CANARY = "HIVpositive1847"
WHERE = "The original (f.csv)"


@pytest.fixture
def read(tmp_path):
    return reader(tmp_path)


@pytest.fixture(scope="module")
def read_many(tmp_path_factory):
    return reader(tmp_path_factory.mktemp("csv"))


def reader(folder):
    def read(content, **settings):
        path = folder / "f.csv"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return read_csv(path, side="original", **settings)

    return read


def refusal(read, content, error=ReadError, **settings):
    with pytest.raises(error) as caught:
        read(content, **settings)
    assert caught.value.__cause__ is None
    return str(caught.value)


def notes(table):
    return [(note.column, note.kind, note.sentence) for note in table.notes]


# What is read


def test_a_plain_file_is_read_and_nothing_is_noted(read):
    table = read("sex,age,height\nM,31,1.75\nF,,1.6\n")
    assert table.place == WHERE
    assert table.notes == ()
    assert table.frame.equals(
        pl.DataFrame({"sex": ["M", "F"], "age": [31, None], "height": [1.75, 1.6]})
    )


def test_only_the_columns_asked_for_are_read_in_that_order(read):
    table = read("sex,age,height\nM,31,1.75\n", columns=["height", "sex", "height"])
    assert table.frame.to_dict(as_series=False) == {"height": [1.75], "sex": ["M"]}


def test_a_type_depends_on_every_row_and_not_on_the_first(read):
    content = "age,code\n" + "1,2\n" * 20_000 + f"1,{CANARY}\n"
    table = read(content)
    assert table.frame.schema == {"age": pl.Int64, "code": pl.String}


def test_words_given_as_missing_are_missing(read):
    content = "age,city\n31,NA\nNA,Rome\n"
    assert read(content).frame["age"].to_list() == ["31", "NA"]
    frame = read(content, missing_values=["NA"]).frame
    assert frame.to_dict(as_series=False) == {"age": [31, None], "city": [None, "Rome"]}


def test_quoted_fields_hold_separators_quotation_marks_and_line_ends(read):
    table = read('a,b\r\n"x,y","say ""hi"""\r\n"two\r\nlines",""\r\n')
    assert table.frame.rows() == [("x,y", 'say "hi"'), ("two\r\nlines", None)]


def test_line_ends_of_old_macs_are_read_and_noted(read):
    table = read('a,b\r1,"x\ny"\r2,z')
    assert table.frame.rows() == [(1, "x\ny"), (2, "z")]
    assert notes(table) == [(None, "line_end", "The lines end as on old Macs.")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_blank_lines_at_the_start_and_end_are_passed_over_in_silence(read, end):
    table = read(end.join(["", "a,b", "1,2", "3,4", "", "", ""]))
    assert table.frame.rows() == [(1, 2), (3, 4)]
    assert [kind for _, kind, _ in notes(table)] == (["line_end"] if end == "\r" else [])


def test_blank_lines_between_records_are_passed_over_and_noted(read):
    table = read("a,b\n\n1,2\n\r\n3,4\n\n")
    assert table.frame.rows() == [(1, 2), (3, 4)]
    sentence = "Blank lines between the records were skipped."
    assert notes(table) == [(None, "blank_lines", sentence)]


def test_a_column_without_a_name_gets_one_and_is_noted(read):
    content = '"","age"\n"1",31\n"2",40\n'
    table = read(content)
    assert table.frame.columns == ["unnamed_1", "age"]
    sentence = "A column without a name in the header is called 'unnamed_1'."
    assert notes(table) == [("unnamed_1", "unnamed_column", sentence)]
    assert read(content, columns=["age"]).notes == ()


def test_numbers_with_one_word_among_them_stay_text_and_are_noted(read):
    table = read(f"age,n\n1,1\n{CANARY},2\n3,3\n")
    assert notes(table) == [
        (
            "age",
            "almost_numbers",
            "Column 'age' was read as text: most of its entries are numbers and all the others are"
            " the same word. If that word means missing, declare it with missing_values (--missing"
            " on the command line).",
        )
    ]


def test_decimal_commas_with_one_word_among_them_are_noted_too(read):
    table = read("age;n\n1,5;1\nNA;2\n3,5;3\n")
    assert [kind for _, kind, _ in notes(table)] == ["separator", "almost_numbers"]
    numbers = read("age;n\n1,5;1\nNA;2\n3,5;3\n", missing_values=["NA"]).frame["age"]
    assert numbers.to_list() == [1.5, None, 3.5]


def test_many_lines_in_quotes_over_many_pieces_are_read_whole(read):
    record = '"one\ntwo, ""three""",' + "x" * 50 + "\n"
    table = read("a,b\n" + record * 60_000)
    assert table.frame.height == 60_000
    assert table.frame["a"].unique().to_list() == ['one\ntwo, "three"']


# How it was written


@pytest.mark.parametrize(
    ("encoding", "sentence"),
    [
        ("utf-8-sig", "The file is written in UTF-8 with a mark at its start."),
        ("utf-16", "The file is written in UTF-16."),
        ("cp1252", "The file is not written in UTF-8; it was read as Windows-1252."),
    ],
)
def test_the_encoding_is_found_and_noted(read, encoding, sentence):
    table = read('"città",n\nForlì,1\nRoma,2\n'.encode(encoding))
    assert table.frame.to_dict(as_series=False) == {"città": ["Forlì", "Roma"], "n": [1, 2]}
    assert notes(table) == [(None, "encoding", sentence)]


def test_utf_16_of_the_other_byte_order_is_read(read):
    table = read(b"\xfe\xff" + "a,b\né,1\n".encode("utf-16-be"))
    assert table.frame.rows() == [("é", 1)]


def test_latin_1_is_the_last_resort(read):
    table = read(b"a,b\n\x81\xe9,1\n")
    assert table.frame.rows() == [("\x81é", 1)]
    sentence = "The file is not written in UTF-8; it was read as Latin-1."
    assert notes(table) == [(None, "encoding", sentence)]


def test_an_accent_far_down_decides_the_encoding(read):
    table = read(b"a,b\n" + b"x,1\n" * 500_000 + b"\xe9,2\n")
    assert table.frame["a"][-1] == "é"


def test_an_accent_across_two_pieces_is_still_utf_8(read):
    start = b"a,b\n"
    content = start + b"x" * ((1 << 20) - len(start) - 1) + "é,1\n".encode()
    assert read(content).notes == ()


@pytest.mark.parametrize(
    ("separator", "name"), [(";", "semicolons"), ("\t", "tabs"), ("|", "vertical bars")]
)
def test_the_separator_is_found_outside_quotes_and_noted(read, separator, name):
    rows = [["a", "b", "c"], ['"x,y;z|"', "1", "u, v"], ["w", "2", "k"]]
    table = read("\n".join(separator.join(row) for row in rows))
    assert table.frame.shape == (2, 3)
    sentence = f"The columns are separated by {name}, not by commas."
    assert notes(table) == [(None, "separator", sentence)]


def test_decimal_commas_are_found_and_noted(read):
    table = read("a;b;c\n1,5;x;7\n-0,25;y;8\n3;z;9\n")
    assert table.frame.rows() == [(1.5, "x", 7), (-0.25, "y", 8), (3.0, "z", 9)]
    sentence = "Decimals are written with a comma and were read as numbers."
    assert notes(table)[1:] == [(None, "decimal_comma", sentence)]


def test_commas_that_may_part_thousands_are_left_alone(read):
    table = read("a;b\n12,500;x\n1,250;y\n")
    assert table.frame["a"].to_list() == ["12,500", "1,250"]
    assert [kind for _, kind, _ in notes(table)] == ["separator"]


def test_commas_beside_points_are_left_as_text_and_noted(read):
    table = read("a;b\n1,5;1.5\n2,5;2.5\n")
    assert table.frame.rows() == [("1,5", 1.5), ("2,5", 2.5)]
    sentence = (
        "Some columns have decimal commas and others decimal points; those with commas were left "
        "as text."
    )
    assert notes(table)[1:] == [(None, "decimal_comma", sentence)]


def test_a_quoted_comma_in_a_comma_file_is_no_decimal(read):
    assert read('a,b\n"1,5",x\n"2,5",y\n').frame["a"].to_list() == ["1,5", "2,5"]


# What is refused


def test_a_misspelt_column_names_its_neighbour(read):
    message = refusal(read, "sex,age,region\nM,1,N\n", RolesError, columns=["aeg"])
    assert message == (
        f"{WHERE} has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age, region."
    )


def test_all_absent_columns_are_told_at_once(read):
    message = refusal(read, "sex,age\nM,1\n", RolesError, columns=["aeg", "age", "sxe"])
    assert message == (
        f"{WHERE} has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age.\n"
        f"{WHERE} has no column 'sxe'. Did you mean 'sex'? Its columns are: sex, age."
    )


def test_two_columns_of_one_name_are_refused(read):
    assert refusal(read, "age,sex,age\n1,2,3\n", RolesError) == (
        f"{WHERE} has more than one column 'age'. Give each column a name of its own."
    )


@pytest.mark.parametrize("content", ["a,b", "a,b\n", "a,b\r\n\r\n\r\n"])
def test_a_header_without_rows_is_refused(read, content):
    message = f"{WHERE} has a header but no rows. Check that its export was finished."
    assert refusal(read, content) == message


def test_no_bytes_are_refused(read):
    message = f"{WHERE} is empty: it has no bytes. Check that its export was finished."
    assert refusal(read, "") == message


@pytest.mark.parametrize("content", ["\n\n", "\r\n", b"\xef\xbb\xbf\n", b"\xef\xbb\xbf"])
def test_blank_lines_alone_are_refused(read, content):
    message = f"{WHERE} has nothing but blank lines. Check that its export was finished."
    assert refusal(read, content) == message


@pytest.mark.parametrize(
    ("content", "line", "found"),
    [
        (f"a,b,c\n1,2,3\n4,{CANARY}\n", 3, 2),
        (f"a,b,c\n1,2,3\n\n4,{CANARY},6,7", 4, 4),
        (f'a,b,c\n"1\n1\n1",2,3\n4,{CANARY},5,6\n', 5, 4),
        ("a,b,c\n" + "1,2,3\n" * 500_000 + CANARY, 500_002, 1),
        (f"a,b,c\r1,2,3\r{CANARY}\r", 3, 1),
    ],
)
def test_a_record_of_another_length_is_named_by_its_line(read, content, line, found):
    assert refusal(read, content) == (
        f"{WHERE} is damaged at line {line:,}: the header has 3 fields separated by commas, this "
        f"line has {found}. Look there for a missing or an extra separator, or for text that needs "
        "quotation marks."
    )


def test_row_names_of_r_without_a_heading_get_a_hint(read):
    message = refusal(read, 'age;sex\n"1";31;M\n"2";40;F\n')
    assert message.startswith(
        f"{WHERE} is damaged at line 2: the header has 2 fields separated by "
    )
    assert message.endswith(" If R wrote it, write it again with row.names = FALSE.")


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["", "1,2\n" * 3, "1,2\n" * 5_000_000])
def test_an_unclosed_quotation_mark_is_named_by_its_line(read, tail):
    assert refusal(read, f'a,b\n1,2\n3,"{CANARY}\n{tail}') == (
        f'{WHERE} is damaged at line 3: a quotation mark (") opens there and is not closed. '
        "Close it, or double it if it belongs to the text."
    )


@pytest.mark.parametrize(
    "line",
    [
        '3,5" nail',
        '3,"five" nails',
        '"3"4,5',
        '3,"a"\rb',
        '3,"a""b"c',
        '3,ab""cd',
        '3,"never closed\n5,6\n7,"closed"',
    ],
)
def test_a_quotation_mark_astray_is_named_by_its_line(read, line):
    assert refusal(read, f"a,b\n1,2\n{line}\n5,6\n") == (
        f'{WHERE} is damaged at line 3: a quotation mark (") there does not enclose a whole field. '
        "Close it at the end of the field, or put the whole field in quotation marks and double "
        "those inside it."
    )


def test_a_nul_byte_is_named_by_its_line(read):
    assert refusal(read, f"a,b\n1,2\n3,{CANARY}\0\n") == (
        f"{WHERE} is damaged at line 3: it has a NUL byte, which no text has. Export it again as "
        "CSV in UTF-8."
    )


@pytest.mark.parametrize(
    ("magic", "kind"),
    [
        (b"PK\x03\x04....", "is an Excel workbook or a zip archive, not plain text. Save the "),
        (b"\x1f\x8b....", "is compressed with gzip, not plain text. Unpack it and try again."),
        (b"PAR1\x15...", "is a Parquet file, not plain text. Give its name the ending .parquet "),
        (b"$FL2@(#)", "is an SPSS file, not plain text. Give its name the ending .sav and "),
    ],
)
def test_a_file_of_another_kind_is_called_by_its_kind(read, magic, kind):
    assert refusal(read, magic).startswith(f"{WHERE} {kind}")


def test_a_parquet_file_called_csv_is_called_a_parquet_file(read):
    content = io.BytesIO()
    pl.DataFrame({"a": [CANARY]}).write_parquet(content)
    assert refusal(read, content.getvalue()).startswith(f"{WHERE} is a Parquet file, not plain ")


def test_column_names_may_look_like_another_kind_of_file(read):
    assert read("PAR1,PAR2\n1,2\n").frame.columns == ["PAR1", "PAR2"]


def test_a_first_line_meant_for_excel_is_refused(read):
    message = f"{WHERE} begins with a line 'sep=' meant for Excel. Delete that line."
    assert refusal(read, "\ufeffsep=;\na;b\n1;2\n") == message


def test_a_mark_that_the_file_belies_is_refused(read):
    sentence = "is not written in it throughout. Save it again as CSV in UTF-8."
    assert refusal(read, b"\xef\xbb\xbfa,b\n\xe9,1\n") == (
        f"{WHERE} begins with the mark of UTF-8 but {sentence}"
    )
    assert refusal(read, b"\xff\xfea\0,\0b") == (
        f"{WHERE} begins with the mark of UTF-16 but {sentence}"
    )


def test_records_in_the_header_are_refused_before_they_are_named(read):
    assert refusal(read, f'"age,sex\n1,{CANARY}\n2,"\n3,4\n', columns=["age"]) == (
        f"{WHERE} has a header that cannot be read: a column name runs over the end of the line."
        " Look for a stray quotation mark in the first line, or shorten the name to one line."
    )


# Laws

CELL = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=6)
ODD_CELL = st.text(st.sampled_from(list(",;|\t\"'\n\r é€x1")), max_size=6)
TABLE = st.integers(2, 4).flatmap(
    lambda width: st.lists(
        st.lists(CELL | ODD_CELL | st.just(""), min_size=width, max_size=width), min_size=1
    )
)


def written(rows, separator, quoting, line_end):
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=line_end)
    writer.writerows([[f"c{i}" for i in range(len(rows[0]))], ["x"] * len(rows[0]), *rows])
    return text.getvalue()


@pytest.mark.slow
@examples(400)
@given(
    rows=TABLE,
    form=st.tuples(
        st.sampled_from(",;\t|"),
        st.sampled_from([csv.QUOTE_ALL, csv.QUOTE_MINIMAL]),
        st.sampled_from(["\n", "\r\n", "\r"]),
    ),
    encoding=st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"]),
)
def test_what_pythons_csv_module_wrote_is_read_back(read_many, rows, form, encoding):
    separator, quoting, line_end = form
    # A lone return or line feed left unquoted may be a line end or not: nobody can tell.
    cells = "".join(map("".join, rows))
    assume(quoting == csv.QUOTE_ALL or line_end == "\r\n" or not set("\r\n") & set(cells))
    try:
        content = written(rows, separator, quoting, line_end).encode(encoding)
    except UnicodeEncodeError:
        assume(False)
    # Bytes that mean something in both encodings are UTF-8.
    assume(encoding != "cp1252" or content.isascii() or not is_utf_8(content))
    frame = read_many(content).frame
    assert frame.rows()[1:] == [tuple(cell or None for cell in row) for row in rows]


def is_utf_8(content):
    try:
        return bool(content.decode())
    except UnicodeDecodeError:
        return False


@pytest.mark.slow
@examples(200)
@given(
    st.lists(st.tuples(st.none() | st.integers(-(2**63), 2**63 - 1), st.floats(-1e300, 1e300))),
    st.sampled_from(";\t|"),
    st.booleans(),
)
def test_numbers_are_read_back_to_the_last_digit(read_many, rows, separator, comma):
    rows = [(1, 0.5), *rows]
    lines = [f"{'' if n is None else n}{separator}{x!r}" for n, x in rows]
    content = "\n".join([f"n{separator}x", *lines])
    frame = read_many(content.replace(".", ",") if comma else content).frame
    assert frame.rows() == rows


@st.composite
def damaged(draw):
    rows = "".join(f'{i},"{CANARY}, {i}",{i}.5\n' for i in range(8))
    content = bytearray(("a,b,c\n" + rows).encode(draw(st.sampled_from(["utf-8", "utf-16"]))))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        stuff = draw(st.binary(max_size=3) | st.sampled_from([b'"', b"\n", b"\r", b",", b"\0"]))
        content[at : at + draw(st.integers(0, 5))] = stuff
    return bytes(content)


@pytest.mark.slow
@examples(1500)
@given(damaged())
def test_damage_gives_a_table_or_our_own_error_without_a_value(read_many, content):
    try:
        table = read_many(content)
    except InputError as error:
        said = [str(error)]
    else:
        assert table.frame.height > 0
        said = [note.sentence for note in table.notes]
    assert CANARY not in " ".join(said)


@pytest.mark.slow
@examples(300)
@given(damaged(), st.integers(1, 40))
def test_the_size_of_the_pieces_changes_nothing(content, size):
    monkeypatch = pytest.MonkeyPatch()
    dialect = damage.Dialect("utf-8", ",", "\n")

    def outcome():
        try:
            shape = damage.check_records(io.BytesIO(content), dialect, 3, WHERE)
        except ReadError as error:
            return str(error)
        return shape.n_lines, shape.blank.tolist()

    expected = outcome()
    with monkeypatch.context() as patch:
        patch.setattr("unveil.io.csv_dialect.CHUNK", size)
        assert outcome() == expected


LINES = st.lists(st.sampled_from(["1,2", "a,b", "3", "1,2,3", "", ",", "x,", ",y", "\r", "5,6\r"]))


@given(lines=LINES, end=st.sampled_from(["", "\n"]), header=st.sampled_from(["a,b", "\na,b"]))
@examples(200)
def test_a_file_without_quotation_marks_is_read_as_if_each_record_were_looked_at(
    read_many, lines, end, header
):
    content = "\n".join([header, *lines]) + end

    def outcome():
        try:
            table = read_many(content)
        except ReadError as fault:
            return str(fault)
        return table.frame.rows(), table.frame.schema, table.notes

    found = outcome()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(damage, "count_plain_lines", lambda *_: None)
        assert outcome() == found
