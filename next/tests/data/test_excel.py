"""Books, each a few cells of which the XML is written here."""

import base64
import io
import logging
import struct
import zipfile
import zlib
from datetime import date, datetime, time
from html import escape
from string import ascii_uppercase

import pytest

from unveil.data.excel import read_excel
from unveil.errors import InputError

MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NO_DAY = datetime(1899, 12, 30)
FORMATS = {date: 14, datetime: 22, time: 21}  # as Excel numbers them


def write_cell(place, value):
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{value:d}</v></c>'
    if isinstance(value, str):
        kind = "e" if value.startswith("#") else "str"
        return f'<c r="{place}" t="{kind}"><v>{escape(value)}</v></c>'
    style = 0
    if type(value) in FORMATS:
        style = list(FORMATS).index(type(value)) + 1
        if isinstance(value, time):
            value = datetime.combine(NO_DAY, value)
        elif not isinstance(value, datetime):
            value = datetime.combine(value, time())
        value = (value - NO_DAY).total_seconds() / 86_400
    return "" if value is None else f'<c r="{place}" s="{style}"><v>{value!r}</v></c>'


def write_book(**sheets):
    styles = "".join(f'<xf numFmtId="{number}"/>' for number in [0, *FORMATS.values()])
    names = "".join(
        f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in enumerate(sheets, 1)
    )
    links = "".join(
        f'<Relationship Id="r{i}" Type="{LINKS}/worksheet" Target="worksheets/{i}.xml"/>'
        for i, _ in enumerate(sheets, 1)
    )
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{LINKS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook {MAIN} xmlns:r="{LINKS}"><sheets>{names}</sheets>'
        "</workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">{links}'
        f'<Relationship Id="s" Type="{LINKS}/styles" Target="styles.xml"/></Relationships>',
        "xl/styles.xml": f"<styleSheet {MAIN}><cellXfs>{styles}</cellXfs></styleSheet>",
    }
    for i, rows in enumerate(sheets.values(), 1):
        lines = "".join(
            f'<row r="{k}">'
            + "".join(
                write_cell(f"{letter}{k}", value)
                for letter, value in zip(ascii_uppercase, row, strict=False)
            )
            + "</row>"
            for k, row in enumerate(rows, 1)
        )
        parts[f"xl/worksheets/{i}.xml"] = (
            f"<worksheet {MAIN}><sheetData>{lines}</sheetData></worksheet>"
        )
    book = io.BytesIO()
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{part}')
    return book.getvalue()


@pytest.fixture
def read(tmp_path):
    def read(content, sheet="", *missing):
        path = tmp_path / "people.xlsx"
        path.write_bytes(content)
        return read_excel(path, sheet, missing)

    return read


@pytest.fixture
def refusal(read):
    def refusal(content, sheet=""):
        with pytest.raises(InputError) as caught:
            read(content, sheet)
        assert caught.value.__cause__ is None
        return str(caught.value).partition("people.xlsx' ")[2]

    return refusal


def test_columns_have_the_types_of_their_cells(read):
    data = read(
        write_book(
            People=[
                ["name", "age", "height", "smokes", "born", "seen", "at"],
                ["Ash", 31, 1.75, True, date(1990, 2, 28), datetime(2020, 1, 1, 9), time(10, 5)],
                ["Birch", None, 1.5, False, None, datetime(2020, 1, 2), time(23, 59, 59)],
            ]
        )
    )
    assert data.frame.to_dict(as_series=False) == {
        "name": ["Ash", "Birch"],
        "age": [31, None],
        "height": [1.75, 1.5],
        "smokes": [True, False],
        "born": [date(1990, 2, 28), None],
        "seen": [datetime(2020, 1, 1, 9), datetime(2020, 1, 2)],
        "at": [time(10, 5), time(23, 59, 59)],
    }
    assert data.frame["age"].dtype.is_integer()
    assert data.notes == ()


def test_text_among_numbers_makes_text_wherever_it_stands(read):
    rows = [["mixed", "code"], *([n, "01"] for n in range(2_000)), ["none", "02"]]
    frame = read(write_book(S=rows)).frame
    assert frame.row(1) == ("1", "01")
    assert frame.row(2_000) == ("none", "02")


def test_a_text_named_as_missing_leaves_numbers(read):
    book = write_book(S=[["age", "city"], [1, "NA"], ["NA", "Ash"], [2.5, "01"]])
    assert read(book).frame["age"].to_list() == ["1", "NA", "2.5"]
    assert read(book, "", "NA").frame.rows() == [(1, None), (None, "Ash"), (2.5, "01")]
    days = write_book(S=[["day", "n"], [date(2020, 1, 1), 1], ["NA", 2]])
    assert read(days, "", "NA").frame["day"].to_list() == [date(2020, 1, 1), None]


def test_of_several_sheets_the_first_is_read_and_named(read):
    book = write_book(People=[["a"], [1]], Notes=[["b"], [2]])
    assert read(book).notes == ("Sheet 'People' was read, of 'People', 'Notes'.",)
    assert read(book, "Notes").frame.to_dict(as_series=False) == {"b": [2]}


def test_row_numbers_and_marks_for_no_number_are_told(read):
    data = read(write_book(S=[[None, "age", "sex"], [0, 30, "f"], [1, "NA", "m"]]))
    assert data.frame.to_dict(as_series=False) == {"age": ["30", "NA"], "sex": ["f", "m"]}
    assert data.notes == (
        "Column 1 has no name and numbers the records; it was left out.",
        "age stayed text: NA among numbers. If they are missing: --missing NA",
    )


def test_rows_above_the_names_and_empty_rows_are_left_out(read):
    rows = [["Survey of 2020"], [], ["a", "b", "a_1"], [1, "x", 3], [], [None, "y", 4]]
    data = read(write_book(S=rows))
    assert data.frame.columns == ["a", "b", "a_1"]
    assert data.frame.rows() == [(1, "x", 3), (None, "y", 4)]
    assert data.notes == ("The names are in row 3; the rows above were left out.",)


@pytest.mark.parametrize(
    ("rows", "fault"),
    [
        ([], "has nothing on sheet 'S'. Name another, as in book.xlsx#people."),
        ([["a", "b"]], "has names but no records. Check that its export was finished."),
        (
            [["a", "a"], [1, 2]],
            "has the same name for columns 1 and 2. Give each a name of its own.",
        ),
        ([["a", 5], [1, 2]], "has a number for the name of column 2. Give each one a name."),
        (
            [["a", None, "c"], [1, 2, 3]],
            "has nothing readable for the name of column 2. Give each one a name.",
        ),
    ],
)
def test_what_is_no_table_is_refused(refusal, rows, fault):
    assert refusal(write_book(S=rows)) == fault


def test_a_misspelt_sheet_suggests_the_nearest(refusal):
    book = write_book(People=[["a"], [1]], Notes=[["b"], [2]])
    assert refusal(book, "Poeple") == "has no sheet 'Poeple'. Did you mean 'People'?"


def test_a_bomb_is_refused_before_it_is_unpacked(refusal, monkeypatch):
    monkeypatch.setattr("unveil.data.excel.BOMB", 1_000)
    book = write_book(S=[["a"], ["x" * 1_000_000]])
    assert refusal(book).startswith("is over 100 times as large when unpacked.")


def test_the_libraries_are_silent(read, caplog, capfd):
    with caplog.at_level(logging.WARNING):
        read(write_book(S=[["a", "b"], [1, None], [2, None]]))
    assert (caplog.text, *capfd.readouterr()) == ("", "", "")


OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def test_a_sheet_of_libreoffice_is_read(tmp_path):
    def cell(value):
        if isinstance(value, str):
            text = f"<text:p>{value}</text:p>"
            return f'<table:table-cell office:value-type="string">{text}</table:table-cell>'
        return f'<table:table-cell office:value-type="float" office:value="{value}"/>'

    rows = [("sex", "age"), ("f", 30), ("m", 41.5)]
    lines = "".join(f"<table:table-row>{''.join(map(cell, r))}</table:table-row>" for r in rows)
    content = (
        f'<office:document-content xmlns:office="{OFFICE}:office:1.0" office:version="1.2"'
        f' xmlns:table="{OFFICE}:table:1.0" xmlns:text="{OFFICE}:text:1.0"><office:body>'
        f'<office:spreadsheet><table:table table:name="people">{lines}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    path = tmp_path / "people.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", "<manifest/>")
    assert read_excel(path, "", ()).frame.rows() == [("f", 30.0), ("m", 41.5)]


def record(kind, content=b""):
    """One of a binary workbook; what it is and how long have seven bits a byte."""
    bytes_of = [[n] if n < 128 else [n & 127 | 128, n >> 7] for n in (kind, len(content))]
    return bytes(sum(bytes_of, [])) + content


def long_text(text):
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def test_a_binary_workbook_is_read(tmp_path):
    rows = [("sex", "age"), ("f", 30.0), ("m", 41.5), (None, 2.0)]
    cells = b""
    for r, row in enumerate(rows):
        cells += record(0, struct.pack("<I", r) + bytes(16))
        for c, value in enumerate(row):
            place = struct.pack("<II", c, 0)
            if isinstance(value, str):
                cells += record(6, place + long_text(value))
            elif value is not None:
                cells += record(5, place + struct.pack("<d", value))
    sheet = struct.pack("<II", 0, 1) + long_text("r1") + long_text("people")
    size = struct.pack("<IIII", 0, len(rows) - 1, 0, 1)
    parts = {
        "xl/_rels/workbook.bin.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="r1" Type="{LINKS}/worksheet" Target="worksheets/1.bin"/>'
        "</Relationships>",
        "xl/workbook.bin": record(0x9C, sheet) + record(0x90) + record(0x9D, bytes(26)),
        "xl/worksheets/1.bin": record(0x94, size) + record(0x91) + cells + record(0x92),
    }
    with zipfile.ZipFile(path := tmp_path / "people.xlsb", "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    assert read_excel(path, "people", ()).frame.rows() == [("f", 30), ("m", 41.5), (None, 2)]


OLD_BOOK = (
    "c-rk)O=uHA6#izjX?{raQ&XW8N~oG@Ed}x7rQIsko>Hn8e-JdWt4M1SRu9^X)taLqcv8F+>cLCZi$AEKHxELk9t1^5"
    "6i=Q61rKeuZ{F_Kv{q<93zhkndGqGYd^>M<-n{*JGm|J!K4`6A8G7ME)efPd#wMtQyha?<Z`)G!>L3+cVO=2<q=jto"
    "<7wmTfLuel-W6!LufHS-e4=s;MGO}5W@-(wmwm_z=|c}mf!kz>qJ_O`VtJC~2A21D<TI9iY`Mm=hsKu0QOp>Fox9yA"
    "KCHEKUlj7ZkC^kGEj!VSS2Bt(T^G(+KlWH>vZL#)qfL)s3bddDX5O@9JBB+51O5HonN0T)LK#U~>?!=PQ^0p`SHDOp"
    "``X$C$o_MwJ@5y6kQQ;d{f4Fk<FHTgCMi)+M|5W+7tKO()SSa+iVAS?0q4vMB(tYY8k8$od5W7;RL+KFZs%MOUy=(N"
    "d5=U$4kN~Tf_F-soSD1(Z8nn|GLExlob$i)l-Merf{n|PLF6d+_!ea+Gj_1N!e`yYdMnE$IZJhVsM%HaPw<$l+?%F("
    "b}`->9X0wk(o0_tJZ>v}Hnx*KJy01-PQNoI(N0gTVdBeU0$rj@+`1|8#PDk2W|WUCTYk$fK`rk3Zo7}d80O`EA|zNk"
    "EqQmuVoP)Hm1K(**n-*eemtl71+&LEyUlLVh$(s63OtQ@y32Fc<U^n2rN0Pj_i9aeC<jp{{Dm+S6ciK`6ciK`6a>Gg"
    "I&bB=`<Wo$`vdNOop~x%^_%3s#X%J4I8Psy`;e#F!o|AcXCwT=JC|4`$NOI>afoKOFoGQWF;aK@()W+3y`EJQ<9}}p"
    ")jNN+9zXx_{0oHO)dB"
)
"""Of the years before 2007, packed: sex, age and date of birth of two people."""


def test_an_old_book_is_read(tmp_path):
    path = tmp_path / "people.xls"
    path.write_bytes(zlib.decompress(base64.b85decode(OLD_BOOK)))
    frame = read_excel(path, "", ()).frame
    assert frame.rows() == [("f", 30, date(1996, 2, 29)), ("m", 41.5, date(1985, 1, 2))]


def test_a_cell_far_away_does_not_fill_the_memory(refusal):
    content = write_book(people=[["sex", "age"], ["f", 30]])
    book = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(book, "w") as new:
        for part in old.namelist():
            far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
            new.writestr(part, old.read(part).replace(b"</sheetData>", far))
    assert "is damaged, or needs more memory than there is." in refusal(book.getvalue())
