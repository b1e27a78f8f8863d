"""What can be seen of a file from outside: refused before its parser is reached."""

import os
import struct
import zipfile

import pytest

from foreign_files import CANARY, FRAME, NAMES, WRITERS, make
from unveil.cli import main
from unveil.errors import ReadError
from unveil.io import file_checks, sources
from unveil.io.sources import read_table

ENDINGS = [*WRITERS, ".sas7bdat"]
TEN_GIGABYTES = 10 * 10**9
OLE = bytes.fromhex("d0cf11e0a1b11ae1")


@pytest.fixture
def unreached(monkeypatch):
    """No parser may be reached."""

    def never(*_, **__):
        raise AssertionError("a parser was reached")

    monkeypatch.setattr(sources, "read_apart", never)
    read_csv = sources.read_csv
    monkeypatch.setattr(
        sources, "read_csv", lambda path, **_: read_csv(path, **_) if path.stem == "s" else never()
    )


def refusal(path, **settings):
    with pytest.raises(ReadError) as caught:
        read_table(path, side="original", **settings)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None
    return str(caught.value)


def told(path, capsys):
    """The same through the command line: one sentence, exit code 2."""
    FRAME.write_csv(path.with_name("s.csv"))
    with pytest.raises(SystemExit) as ended:
        main(["disclosure", str(path), str(path.with_name("s.csv")), "--keys", "SEX"])
    shown = capsys.readouterr()
    assert ended.value.code == 2
    assert shown.out == ""
    assert CANARY not in shown.err
    assert "Traceback" not in shown.err
    return " ".join(shown.err.removeprefix("unveil: ").split())


@pytest.mark.parametrize("ending", WRITERS)
def test_a_good_file_of_each_kind_is_read(tmp_path, ending):
    frame = read_table(make(tmp_path, ending), side="original").frame
    assert frame["AGE"].to_list() == FRAME["AGE"].to_list()
    assert frame["ILL"].to_list()[:3] == FRAME["ILL"].to_list()[:3]


@pytest.mark.parametrize("ending", [*ENDINGS, ".csv", ".tsv", ".txt", ".pq", ".rds"])
def test_ten_gigabytes_of_nothing_are_refused_at_once(tmp_path, unreached, ending):
    path = tmp_path / f"f{ending}"
    if ending in WRITERS:
        make(tmp_path, ending)
    with path.open("ab") as file:
        file.truncate(TEN_GIGABYTES)
    message = refusal(path)
    assert message.startswith(f"The original (f{ending}) has 10.0 GB, of which 10.0 GB were never ")
    assert message.endswith("written: copying was not finished. Copy it again.")


def test_small_holes_are_no_fault(tmp_path):
    path = tmp_path / "f.csv"
    path.write_bytes(b"a\n" + b"1\n" * 100)
    assert file_checks.guard(path, "text", "The original") == 202
    with path.open("r+b") as file:
        file.seek(10 << 20)
        file.write(b"1\n")
    assert file_checks.guard(path, "text", "The original") > 10 << 20


@pytest.mark.parametrize("ending", WRITERS)
def test_what_memory_cannot_hold_is_refused_with_both_sizes(
    tmp_path, unreached, monkeypatch, ending
):
    path = make(tmp_path, ending)
    os.truncate(path, max(path.stat().st_size, 2_000))
    monkeypatch.setattr(file_checks, "free_memory", lambda: 100)
    size = file_checks.size_text(path.stat().st_size)
    assert refusal(path) == (
        f"The original (f{ending}) has {size}, more than the 100 bytes of memory that are free. "
        "Close other programs, or use a machine with more memory."
    )


def test_a_large_file_may_still_be_read_by_columns(tmp_path, monkeypatch):
    path = make(tmp_path, ".parquet")
    monkeypatch.setattr(file_checks, "free_memory", lambda: 100)
    assert read_table(path, side="original", columns=["AGE"]).frame.width == 1


@pytest.mark.parametrize("ending", ENDINGS)
def test_text_under_another_name_is_told(tmp_path, unreached, ending, capsys):
    path = tmp_path / f"f{ending}"
    path.write_text(f"SEX,AGE,ILL\n1,2,{CANARY}\n")
    sentence = (
        f"is not {NAMES[ending]}, whatever its name says. If it is text, give its name the ending "
        ".csv; otherwise export it again."
    )
    assert refusal(path) == f"The original (f{ending}) {sentence}"
    assert told(path, capsys) == f"The original (f{ending}) {sentence}"


@pytest.mark.parametrize(
    ("named", "really"),
    [
        (named, really)
        for named in ENDINGS
        for really in (".sav", ".por", ".dta", ".xpt", ".xlsx", ".parquet")
        if NAMES[named] != NAMES[really]
    ],
)
def test_a_file_under_the_name_of_another_kind_is_told(tmp_path, unreached, named, really):
    path = make(tmp_path, really, stem="real").rename(tmp_path / f"f{named}")
    assert refusal(path) == (
        f"The original (f{named}) is {NAMES[really]}, whatever its name says. Give its name the "
        f"ending {really} and try again."
    )


def test_a_packed_file_under_the_name_of_another_kind_is_told(tmp_path, unreached):
    path = make(tmp_path, ".csv.gz").rename(tmp_path / "f.sav")
    assert refusal(path) == (
        "The original (f.sav) is not an SPSS file, whatever its name says. It is compressed with "
        "gzip: unpack it and try again."
    )


def compound(name):
    """The beginning of a compound file with one name in its directory."""
    head = bytearray(512)
    head[:8] = OLE
    struct.pack_into("<H", head, 30, 9)
    struct.pack_into("<I", head, 48, 1)
    return bytes(head) + bytes(512) + name.encode("utf-16-le").ljust(512, b"\0")


@pytest.mark.usefixtures("unreached")
@pytest.mark.parametrize(
    ("ending", "content", "sentence"),
    [
        (
            ".sav",
            b"\x1c\0\0\0\0\0\0\0ENCRYPTEDSAV\x15" + bytes(500),
            "is an SPSS file encrypted with a password. Open it in SPSS and save it without one.",
        ),
        (
            ".xlsx",
            compound("EncryptedPackage"),
            "is an Excel workbook encrypted with a password. Open it in Excel and save it without "
            "one.",
        ),
        (
            ".xlsx",
            compound("Workbook"),
            "is an old Excel workbook (.xls). Open it in Excel and save it as .xlsx or CSV.",
        ),
        (
            ".parquet",
            b"PARE" + bytes(100) + b"PARE",
            "is an encrypted Parquet file. Save it without encryption.",
        ),
    ],
)
def test_encrypted_and_old_files_are_told_by_their_name(
    tmp_path, capsys, ending, content, sentence
):
    path = tmp_path / f"f{ending}"
    path.write_bytes(content)
    assert refusal(path) == f"The original (f{ending}) {sentence}"
    assert told(path, capsys) == f"The original (f{ending}) {sentence}"


def test_an_old_workbook_is_told_by_its_ending(tmp_path):
    (tmp_path / "f.xls").write_bytes(compound("Workbook"))
    assert refusal(tmp_path / "f.xls") == (
        "The original (f.xls) is an old Excel workbook (.xls). Save it as .xlsx or CSV in Excel."
    )


@pytest.mark.parametrize("ending", WRITERS)
@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_a_file_cut_short_is_refused(tmp_path, ending, share, capsys):
    path = make(tmp_path, ending, FRAME[[0, 1, 2, 3] * 300])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    sentence = (
        f"The original (f{ending}) is damaged: it begins as {NAMES[ending]} but cannot be read to "
        "its end. Export or copy it again."
    )
    assert refusal(path) == sentence
    assert told(path, capsys) == sentence


def test_a_transport_file_that_lacks_whole_lines_is_refused(tmp_path):
    path = make(tmp_path, ".xpt", FRAME[[0, 1, 2, 3] * 300])
    os.truncate(path, path.stat().st_size // 2 // 80 * 80)
    assert refusal(path).startswith("The original (f.xpt) is damaged: it begins as a SAS transport")


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_empty_file_is_told(tmp_path, ending, capsys):
    path = tmp_path / f"f{ending}"
    path.touch()
    sentence = f"The original (f{ending}) is empty: it has no bytes. Check that its export was "
    assert refusal(path) == f"{sentence}finished."
    assert told(path, capsys) == f"{sentence}finished."


def workbook(path, *sizes, entries=0):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, size in enumerate(sizes):
            with archive.open(f"xl/part{place}.xml", "w") as part:
                for _ in range(size >> 20):
                    part.write(bytes(1 << 20))
        for place in range(entries):
            archive.writestr(f"xl/{place}", b"")
    return path


def test_a_zip_bomb_is_refused_before_it_is_unpacked(tmp_path, unreached, monkeypatch, capsys):
    monkeypatch.setattr(file_checks, "HARMLESS", 16 << 20)
    path = workbook(tmp_path / "f.xlsx", 9 << 20, 9 << 20)
    assert path.stat().st_size < 1 << 20
    sentence = (
        "The original (f.xlsx) would unpack to more than 200 times its size. No table does; if it "
        "is one, save it uncompressed."
    )
    assert refusal(path) == sentence
    assert told(path, capsys) == sentence


def test_a_workbook_that_unpacks_to_more_than_it_says_is_refused(tmp_path, unreached, monkeypatch):
    monkeypatch.setattr(file_checks, "HARMLESS", 1 << 20)
    path = workbook(tmp_path / "f.xlsx", 3 << 20)
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = content.rindex(b"xl/part0.xml", 0, content.index(b"PK\x05\x06"))
        struct.pack_into("<I", content, content.rindex(mark, 0, at) + place, 1000)
    path.write_bytes(content)
    assert zipfile.ZipFile(path).getinfo("xl/part0.xml").file_size == 1000
    assert refusal(path) == (
        "The original (f.xlsx) unpacks to more than it declares, which no workbook does. Save it"
        " again in Excel, or as CSV."
    )


def test_a_large_workbook_that_tells_the_truth_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(file_checks, "HARMLESS", 1)
    monkeypatch.setattr(file_checks, "RATIO", 10**6)
    monkeypatch.setattr(file_checks, "_PIECE", 50)
    assert read_table(make(tmp_path, ".xlsx"), side="original").frame.height == 4


def test_a_workbook_that_unpacks_to_more_than_is_free_is_refused(tmp_path, unreached, monkeypatch):
    monkeypatch.setattr(file_checks, "free_memory", lambda: 5_000_000)
    assert refusal(workbook(tmp_path / "f.xlsx", 8 << 20)) == (
        "The original (f.xlsx) unpacks to at least 8.4 MB, more than the 5.0 MB of memory that are "
        "free. Close other programs, or use a machine with more memory."
    )


def test_an_archive_of_too_many_parts_is_refused(tmp_path, unreached):
    path = workbook(tmp_path / "f.xlsx", entries=file_checks.MOST_ENTRIES + 1)
    assert refusal(path) == (
        "The original (f.xlsx) is an archive of 10,001 parts, more than any workbook has. Save the "
        "sheet as CSV."
    )


def test_an_archive_that_is_no_workbook_is_told(tmp_path, unreached):
    with zipfile.ZipFile(tmp_path / "f.xlsx", "w") as archive:
        archive.writestr("survey.csv", CANARY)
    assert refusal(tmp_path / "f.xlsx") == (
        "The original (f.xlsx) is a zip archive, not an Excel workbook. Unpack it and give the path"
        " of the file in it, or save the sheet as .xlsx or CSV."
    )


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 KB"), (250e6, "250 MB"), (1e10, "10.0 GB")],
)
def test_sizes_are_said_as_people_say_them(n_bytes, text):
    assert file_checks.size_text(n_bytes) == text
