"""Bad input, case by case, with the exact sentence each is answered with.

Every case plants a value in its data files that must never be shown again.
"""

import gzip
import io
import os
import re
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from unveil.cli import main

CANARY = "CANARY-HIV-positive-77"

ORIGINAL = f"sex,age,ill\nM,31,{CANARY}\nF,42,no\nM,53,no\n"
SYNTHETIC = f"sex,age,ill\nM,31,no\nF,42,{CANARY}\nF,53,no\n"
GOOD = {"o.csv": ORIGINAL, "s.csv": SYNTHETIC}
FOLDER = object()

COMPARE = ("disclosure", "o.csv", "s.csv")
BY_SEX = (*COMPARE, "--keys", "sex")
COLUMNS_OF_ORIGINAL = "The columns of the original are: sex, age, ill."
LIMITABLE = (
    "Limits can be set on: UiO, UiS, UiOiS, repU, Dorig, Dsyn, iS, DiS, DiSCO, DiSDiO, CAPd, CAPs,"
    " DCAP, TCAP, adds, real_records, tied, sensitive."
)
NAME_THE_FILES = (
    "Name the original file and at least one synthetic file: unveil disclosure survey.csv"
    " synthetic.csv --keys sex,age,region."
)
READS = (
    "unveil reads files that end in .csv, .tsv, .txt, .csv.gz, .parquet, .pq, .sav, .zsav, .por,"
    " .dta, .sas7bdat, .xpt, .xlsx or .rds. Save it as CSV or Parquet."
)
LOOKS_LIKE_ZERO = "Matching would find nothing and the risk would look like zero."
SAME_CODING = "Give the column the same coding in every file"
MISSING_HINT = (
    "; where a text such as NA stands for missing, say so with missing_values (--missing on the"
    " command line)."
)
LOOK_THERE = (
    "Look there for a missing or an extra separator, or for text that needs quotation marks."
)
NOBODY = (
    "Nothing would match, so the risk would appear as zero. Give the column the same coding in"
    " both files."
)


@dataclass(frozen=True)
class Case:
    name: str
    files: dict[str, object]
    arguments: tuple[str, ...]
    sentence: str


def differs(
    column: str, kind: str, place: str, failed: str, typed: str = "the original (o.csv)"
) -> str:
    return (
        f"Column '{column}' holds {kind} in {typed} but text in {place}, where {failed} entries are"
        f" not {kind}. {LOOKS_LIKE_ZERO} {SAME_CODING}{MISSING_HINT}"
    )


def parquet(frame: pl.DataFrame) -> bytes:
    written = io.BytesIO()
    frame.write_parquet(written)
    return written.getvalue()


def zipped(text: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        archive.writestr("o.csv", text)
    return written.getvalue()


def people(**columns: object) -> bytes:
    return parquet(pl.DataFrame({"sex": ["M", "F"], **columns}))


def original(content: object) -> dict[str, object]:
    return {"o.csv": content, "s.csv": SYNTHETIC}


def copy(content: object) -> dict[str, object]:
    return {"o.csv": ORIGINAL, "s.csv": content}


def column(first: tuple[object, ...], second: tuple[object, ...]) -> dict[str, object]:
    """Two text files that differ in the column x, and hold the canary beside it."""
    head = "sex,x,ill\n"
    files = {}
    for name, values in (("o.csv", first), ("s.csv", second)):
        rows = "".join(f"{sex},{x},{CANARY}\n" for sex, x in zip("MF", values, strict=True))
        files[name] = head + rows
    return files


FILES = [
    Case(
        "the original is not there",
        {"s.csv": SYNTHETIC},
        BY_SEX,
        "The original (o.csv) was not found: there is no file 'o.csv'. Check the name and the"
        " folder.",
    ),
    Case(
        "the copy is not there",
        {"o.csv": ORIGINAL},
        BY_SEX,
        "The synthetic dataset (s.csv) was not found: there is no file 's.csv'. Check the name"
        " and the folder.",
    ),
    Case(
        "only the second copy is not there",
        GOOD,
        ("disclosure", "o.csv", "s.csv", "gone.csv", "-k", "sex"),
        "Synthetic dataset 2 (gone.csv) was not found: there is no file 'gone.csv'. Check the"
        " name and the folder.",
    ),
    Case(
        "a path with an escape sequence is shown by its signs",
        GOOD,
        ("disclosure", "\x1b[31mo.csv", "s.csv", "-k", "sex"),
        "The original (\\u001b[31mo.csv) was not found: there is no file '\\x1b[31mo.csv'. Check"
        " the name and the folder.",
    ),
    Case(
        "a folder",
        {"data": FOLDER, "s.csv": SYNTHETIC},
        ("disclosure", "data", "s.csv", "-k", "sex"),
        "The original (data) is a folder, not a file. Give the path of one file in it.",
    ),
    Case(
        "a folder called csv",
        {"o.csv": ORIGINAL, "s.csv": FOLDER},
        BY_SEX,
        "The synthetic dataset (s.csv) is a folder, not a file. Give the path of one file in it.",
    ),
    Case(
        "no bytes",
        original(b""),
        BY_SEX,
        "The original (o.csv) is empty: it has no bytes. Check that its export was finished.",
    ),
    Case(
        "no bytes called parquet",
        {"o.csv": ORIGINAL, "s.parquet": b""},
        ("disclosure", "o.csv", "s.parquet", "-k", "sex"),
        "The synthetic dataset (s.parquet) is empty: it has no bytes. Check that its export was"
        " finished.",
    ),
    Case(
        "a header and no rows",
        copy("sex,age,ill\n"),
        BY_SEX,
        "The synthetic dataset (s.csv) has a header but no rows. Check that its export was"
        " finished.",
    ),
    Case(
        "nothing but blank lines",
        original("\n\r\n\n"),
        BY_SEX,
        "The original (o.csv) has nothing but blank lines. Check that its export was finished.",
    ),
    Case(
        "an ending of another program",
        {"o.docx": zipped(ORIGINAL), "s.csv": SYNTHETIC},
        ("disclosure", "o.docx", "s.csv", "-k", "sex"),
        f"The original (o.docx) has the ending '.docx'; {READS}",
    ),
    Case(
        "no ending",
        {"survey": ORIGINAL, "s.csv": SYNTHETIC},
        ("disclosure", "survey", "s.csv", "-k", "sex"),
        f"The original (survey) has no ending; {READS}",
    ),
    Case(
        "keys without commas between them",
        GOOD,
        ("disclosure", "o.csv", "s.csv", "-k", "sex", "age"),
        f"Synthetic dataset 2 (age) has no ending; {READS} If it is a column, join the names with"
        " commas, without blanks.",
    ),
    Case(
        "a zip archive called csv",
        original(zipped(ORIGINAL)),
        BY_SEX,
        "The original (o.csv) is an Excel workbook or a zip archive, not plain text. Save the sheet"
        " as CSV, or unpack it and try again.",
    ),
    Case(
        "gzip called csv",
        copy(gzip.compress(SYNTHETIC.encode())),
        BY_SEX,
        "The synthetic dataset (s.csv) is compressed with gzip, not plain text. Unpack it and try"
        " again.",
    ),
    Case(
        "parquet called csv",
        original(people(ill=[CANARY, "no"])),
        BY_SEX,
        "The original (o.csv) is a Parquet file, not plain text. Give its name the ending .parquet"
        " and try again.",
    ),
    Case(
        "an old workbook called csv",
        original(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + CANARY.encode()),
        BY_SEX,
        "The original (o.csv) is an old Excel workbook, not plain text. Save the sheet as CSV and"
        " try again.",
    ),
    Case(
        "SPSS called csv",
        original(b"$FL2@(#) SPSS DATA FILE " + CANARY.encode()),
        BY_SEX,
        "The original (o.csv) is an SPSS file, not plain text. Give its name the ending .sav and"
        " try again.",
    ),
    Case(
        "a web page called csv",
        copy(f"<!DOCTYPE html><p>{CANARY}</p>"),
        BY_SEX,
        "The synthetic dataset (s.csv) is a web page, not plain text. Download the table itself and"
        " try again.",
    ),
    Case(
        "bytes of no known kind called csv",
        original(b"\x7fELF\x02\x01\n\x00\x00" + CANARY.encode()),
        BY_SEX,
        "The original (o.csv) is damaged at line 2: it has a NUL byte, which no text has. Export it"
        " again as CSV in UTF-8.",
    ),
    Case(
        "a NUL byte in a record",
        original(ORIGINAL.replace("53", "5\x003")),
        BY_SEX,
        "The original (o.csv) is damaged at line 4: it has a NUL byte, which no text has. Export it"
        " again as CSV in UTF-8.",
    ),
    Case(
        "a record too short",
        original(ORIGINAL + f"{CANARY}\n"),
        BY_SEX,
        "The original (o.csv) is damaged at line 5: the header has 3 fields separated by commas,"
        f" this line has 1. {LOOK_THERE}",
    ),
    Case(
        "a record too long",
        copy(SYNTHETIC + f"M,31,no,{CANARY},no\n"),
        BY_SEX,
        "The synthetic dataset (s.csv) is damaged at line 5: the header has 3 fields separated by"
        f" commas, this line has 5. {LOOK_THERE}",
    ),
    Case(
        "row names of R",
        original(f"sex;age;ill\n1;M;31;{CANARY}\n2;F;42;no\n"),
        BY_SEX,
        "The original (o.csv) is damaged at line 2: the header has 3 fields separated by"
        f" semicolons, this line has 4. {LOOK_THERE} If R wrote it, write it again with row.names ="
        " FALSE.",
    ),
    Case(
        "a quotation mark not closed",
        original(ORIGINAL + f'M,64,"{CANARY}\nF,31,no\n'),
        BY_SEX,
        'The original (o.csv) is damaged at line 5: a quotation mark (") opens there and is not'
        " closed. Close it, or double it if it belongs to the text.",
    ),
    Case(
        "a quotation mark inside a field",
        original(ORIGINAL + f'M,64,"{CANARY}"x\nF,31,no\n'),
        BY_SEX,
        'The original (o.csv) is damaged at line 5: a quotation mark (") there does not enclose a'
        " whole field. Close it at the end of the field, or put the whole field in quotation marks"
        " and double those inside it.",
    ),
    Case(
        "a quotation mark not closed in the header",
        original(f'sex,"age,ill\nM,31,{CANARY}\n'),
        BY_SEX,
        "The original (o.csv) has a header that cannot be read: a column name runs over the end of"
        " the line. Look for a stray quotation mark in the first line, or shorten the name to one"
        " line.",
    ),
    Case(
        "a line for Excel before the header",
        original("sep=;\n" + ORIGINAL.replace(",", ";")),
        BY_SEX,
        "The original (o.csv) begins with a line 'sep=' meant for Excel. Delete that line.",
    ),
    Case(
        "a mark of UTF-8 that the file belies",
        original(b"\xef\xbb\xbf" + ORIGINAL.encode() + b"M,64,\xe9\n"),
        BY_SEX,
        "The original (o.csv) begins with the mark of UTF-8 but is not written in it throughout."
        " Save it again as CSV in UTF-8.",
    ),
    Case(
        "two columns of one name",
        original(f"sex,ill,ill\nM,{CANARY},no\n"),
        BY_SEX,
        "The original (o.csv) has more than one column 'ill'. Give each column a name of its own.",
    ),
    Case(
        "a name that unveil gave to a column without one",
        original(f",unnamed_1,sex\n{CANARY},2,M\n"),
        BY_SEX,
        "The original (o.csv) has more than one column 'unnamed_1'. Give each column a name of its"
        " own.",
    ),
    Case(
        "a column without a name, misspelt",
        {"o.csv": f",sex\n{CANARY},M\n", "s.csv": "unnamed_1,sex\n1,M\n"},
        (*COMPARE, "-k", "unnamed"),
        "None of the files has a column 'unnamed'. Did you mean 'unnamed_1'? The columns of the"
        " original are: unnamed_1, sex.",
    ),
    Case(
        "text called parquet",
        {"o.csv": ORIGINAL, "s.parquet": SYNTHETIC},
        ("disclosure", "o.csv", "s.parquet", "-k", "sex"),
        "The synthetic dataset (s.parquet) is not a Parquet file, whatever its name says. If it is"
        " text, give its name the ending .csv; otherwise export it again.",
    ),
    Case(
        "parquet cut short",
        {"o.parquet": people(ill=[CANARY, "no"])[:-20], "s.csv": SYNTHETIC},
        ("disclosure", "o.parquet", "s.csv", "-k", "sex"),
        "The original (o.parquet) is damaged: it begins as a Parquet file but cannot be read to its"
        " end. Export or copy it again.",
    ),
    Case(
        "parquet without rows",
        {"o.parquet": parquet(pl.DataFrame({"sex": []}, {"sex": pl.String})), "s.csv": SYNTHETIC},
        ("disclosure", "o.parquet", "s.csv", "-k", "sex"),
        "The original (o.parquet) has columns but no rows. Check that its export was finished.",
    ),
    Case(
        "only the second copy is damaged",
        {**GOOD, "c.csv": SYNTHETIC + CANARY},
        ("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex"),
        "Synthetic dataset 2 (c.csv) is damaged at line 5: the header has 3 fields separated by"
        f" commas, this line has 1. {LOOK_THERE}",
    ),
]

ROLES = [
    Case(
        "a misspelt key, targets open",
        GOOD,
        (*COMPARE, "--keys", "sxe"),
        f"None of the files has a column 'sxe'. Did you mean 'sex'? {COLUMNS_OF_ORIGINAL}",
    ),
    Case(
        "a key in capitals",
        copy(SYNTHETIC.replace("sex", "SEX")),
        BY_SEX,
        "The synthetic dataset (s.csv) has no column 'sex'. Did you mean 'SEX'? Its columns are:"
        " SEX, age, ill.",
    ),
    Case(
        "a key like no column",
        copy(SYNTHETIC.replace("sex", "gender")),
        BY_SEX,
        "The synthetic dataset (s.csv) has no column 'sex'. Its columns are: gender, age, ill.",
    ),
    Case(
        "a file of very many columns lists a dozen",
        copy(",".join(f"v{i}" for i in range(1, 41)) + "\n" + ",".join([CANARY] * 40) + "\n"),
        BY_SEX,
        "The synthetic dataset (s.csv) has no column 'sex'. Its columns are: v1, v2, v3, v4, v5,"
        " v6, v7, v8, v9, v10, v11, v12 and 28 more.",
    ),
    Case(
        "a misspelt target that is only in one file",
        copy(SYNTHETIC.replace("ill", "sick")),
        (*BY_SEX, "--targets", "ill"),
        "The synthetic dataset (s.csv) has no column 'ill'. Its columns are: sex, age, sick.",
    ),
    Case(
        "only the second copy lacks a key",
        {**GOOD, "c.csv": f"age,ill\n31,{CANARY}\n"},
        ("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex"),
        "Synthetic dataset 2 (c.csv) has no column 'sex'. Its columns are: age, ill.",
    ),
    Case(
        "a key that is a target",
        GOOD,
        (*COMPARE, "-k", "sex,age", "-t", "ill,age"),
        "'age' cannot be key and target of the same scenario: what the intruder knows already"
        " cannot be disclosed. Remove it from one of the two.",
    ),
    Case(
        "a key given twice",
        GOOD,
        (*COMPARE, "-k", "sex,age,sex"),
        "Column 'sex' is given twice among the keys. Name it once.",
    ),
    Case(
        "a target given twice",
        GOOD,
        (*BY_SEX, "-t", "ill,ill"),
        "Column 'ill' is given twice among the targets. Name it once.",
    ),
    Case(
        "an empty name among the keys",
        GOOD,
        (*COMPARE, "--keys", "sex,,age"),
        "--keys holds an empty name. Write the names with one comma between them, such as --keys"
        " sex,age,region.",
    ),
    Case(
        "a comma after the last target",
        GOOD,
        (*BY_SEX, "-t", "ill,"),
        "--targets holds an empty name. Write the names with one comma between them, such as"
        " --targets sex,age,region.",
    ),
    Case(
        "keys of nothing",
        GOOD,
        (*COMPARE, "--keys", ""),
        "--keys holds an empty name. Write the names with one comma between them, such as --keys"
        " sex,age,region.",
    ),
    Case(
        "a quotation mark that is not closed",
        GOOD,
        (*COMPARE, "--keys", 'sex,"age'),
        "--keys cannot be read: a name in double quotes must end with one, before a comma.",
    ),
    Case(
        "no keys",
        GOOD,
        COMPARE,
        "Name the key variables an intruder would know: --keys sex,age,region.",
    ),
]

COMPARISON = [
    Case(
        "text against numbers in the copy",
        copy(SYNTHETIC.replace("31", CANARY).replace("42", "young")),
        BY_SEX,
        differs("age", "numbers", "the synthetic dataset (s.csv)", "2 of 3"),
    ),
    Case(
        "text against numbers in the original",
        original(ORIGINAL.replace("53", CANARY)),
        (*COMPARE, "-k", "age"),
        differs(
            "age",
            "numbers",
            "the original (o.csv)",
            "1 of 3",
            typed="the synthetic dataset (s.csv)",
        ),
    ),
    Case(
        "dates against numbers",
        column(("2020-01-31", "2021-02-28"), (2020, 2021)),
        BY_SEX,
        "Column 'x' differs: dates in the original (o.csv), numbers in the synthetic dataset"
        f" (s.csv). {LOOKS_LIKE_ZERO} {SAME_CODING}.",
    ),
    Case(
        "dates against text",
        column(("2020-01-31", "2021-02-28"), ("2020-01-31", f"31 Jan {CANARY}")),
        BY_SEX,
        differs("x", "dates", "the synthetic dataset (s.csv)", "1 of 2"),
    ),
    Case(
        "truth values against text",
        column(("true", "false"), ("true", CANARY)),
        BY_SEX,
        differs("x", "truth values", "the synthetic dataset (s.csv)", "1 of 2"),
    ),
    Case(
        "truth values against dates",
        column(("true", "false"), ("2020-01-31", "2021-02-28")),
        BY_SEX,
        "Column 'x' differs: truth values in the original (o.csv), dates in the synthetic dataset"
        f" (s.csv). {LOOKS_LIKE_ZERO} {SAME_CODING}.",
    ),
    Case(
        "times of day against text",
        {
            "o.parquet": people(x=[datetime(2020, 1, 1, h).time() for h in (1, 2)]),
            "s.parquet": people(x=[CANARY, "02:00:00"]),
        },
        ("disclosure", "o.parquet", "s.parquet", "-k", "sex"),
        differs(
            "x",
            "times of day",
            "the synthetic dataset (s.parquet)",
            "1 of 2",
            typed="the original (o.parquet)",
        ),
    ),
    Case(
        "times with a zone against times without",
        column(
            ("2020-01-31T10:00:00Z", "2020-01-31T11:00:00Z"),
            ("2020-01-31T10:00:00", "2020-01-31T11:00:00"),
        ),
        BY_SEX,
        "Column 'x' has times with a time zone in the original (o.csv) and without in the"
        " synthetic dataset (s.csv), which cannot be compared. Give the column the same form in"
        " every file.",
    ),
    Case(
        "times with a zone in parquet against times without in text",
        {
            "o.parquet": people(x=[datetime(2020, 1, 31, h, tzinfo=UTC) for h in (10, 11)]),
            "s.csv": "sex,x\nM,2020-01-31T10:00:00\nF,2020-01-31T11:00:00\n",
        },
        ("disclosure", "o.parquet", "s.csv", "-k", "sex"),
        "Column 'x' has times with a time zone in the original (o.parquet) and without in the"
        " synthetic dataset (s.csv), which cannot be compared. Give the column the same form in"
        " every file.",
    ),
    Case(
        "long identifiers against decimals",
        column((9007199254740993, 9007199254740995), (1.5, 2.5)),
        BY_SEX,
        "Column 'x' has whole numbers beyond 9,007,199,254,740,992 in one file and decimals in"
        " another, which cannot be compared exactly. If they are identifiers, drop the column or"
        " store it as text in every file.",
    ),
    *(
        Case(
            f"parquet with {kind}",
            {"o.parquet": people(x=values), "s.parquet": people(x=values)},
            ("disclosure", "o.parquet", "s.parquet", "-k", "sex"),
            f"Column 'x' of the original (o.parquet) holds {kind}, not single values. Drop it, or"
            " split it into columns of numbers, text or dates.",
        )
        for kind, values in {
            "lists": [[CANARY], ["no", "no"]],
            "records": [{"ill": CANARY}, {"ill": "no"}],
            "binary data": [CANARY.encode(), b"no"],
        }.items()
    ),
    Case(
        "no key level in common, text",
        copy(SYNTHETIC.replace("M,", f"{CANARY},").replace("F,", "woman,")),
        BY_SEX,
        "Key 'sex' has no level in common between the original (o.csv) and the synthetic dataset"
        f" (s.csv). {NOBODY}",
    ),
    Case(
        "no key level in common, numbers",
        copy(SYNTHETIC.replace("31", "1031").replace("42", "1042").replace("53", "1053")),
        (*COMPARE, "-k", "sex,age"),
        "Key 'age' has no level in common between the original (o.csv) and the synthetic dataset"
        f" (s.csv). {NOBODY}",
    ),
    Case(
        "no key level in common but the missing one",
        {"o.csv": f"sex,ill\nM,{CANARY}\n,no\n", "s.csv": f"sex,ill\nwoman,{CANARY}\n,no\n"},
        BY_SEX,
        "Key 'sex' has no level in common between the original (o.csv) and the synthetic dataset"
        f" (s.csv). {NOBODY}",
    ),
    Case(
        "a key that only the copy leaves empty",
        {"o.csv": ORIGINAL, "s.csv": f"sex,age,ill\n,31,{CANARY}\n,42,no\n"},
        BY_SEX,
        f"Key 'sex' is empty throughout the synthetic dataset (s.csv). {NOBODY}",
    ),
    Case(
        "only the second copy has text for numbers",
        {**GOOD, "c.csv": SYNTHETIC.replace("31", CANARY)},
        ("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex"),
        differs("age", "numbers", "synthetic dataset 2 (c.csv)", "1 of 3"),
    ),
    Case(
        "only the second copy has dates for numbers",
        {**GOOD, "c.csv": f"sex,age,ill\nM,2020-01-31,{CANARY}\n"},
        ("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex"),
        "Column 'age' differs: numbers in the original (o.csv), numbers in synthetic dataset 1"
        f" (s.csv), dates in synthetic dataset 2 (c.csv). {LOOKS_LIKE_ZERO} {SAME_CODING}.",
    ),
    Case(
        "only the second copy has no key level in common",
        {**GOOD, "c.csv": f"sex,age,ill\n{CANARY},31,no\n"},
        ("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex"),
        "Key 'sex' has no level in common between the original (o.csv) and synthetic dataset 2"
        f" (c.csv). {NOBODY}",
    ),
]

SEVERAL_AT_ONCE = [
    Case(
        "two unknown keys in three files",
        {**GOOD, "c.csv": SYNTHETIC},
        ("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sxe,agee"),
        f"None of the files has a column 'sxe'. Did you mean 'sex'? {COLUMNS_OF_ORIGINAL}\n"
        f"None of the files has a column 'agee'. Did you mean 'age'? {COLUMNS_OF_ORIGINAL}",
    ),
    Case(
        "two keys that two of three files lack",
        {"o.csv": ORIGINAL, "s.csv": f"sx,ag\n{CANARY},1\n", "c.csv": f"x,y\n{CANARY},1\n"},
        ("disclosure", "o.csv", "s.csv", "c.csv", "-k", "sex,age"),
        "Synthetic dataset 1 (s.csv) has no column 'sex'. Did you mean 'sx'? Its columns are:"
        " sx, ag.\n"
        "Synthetic dataset 2 (c.csv) has no column 'sex'. Its columns are: x, y.\n"
        "Synthetic dataset 1 (s.csv) has no column 'age'. Did you mean 'ag'? Its columns are:"
        " sx, ag.\n"
        "Synthetic dataset 2 (c.csv) has no column 'age'. Its columns are: x, y.",
    ),
    Case(
        "a key and a target that the original lacks",
        original(ORIGINAL.replace("sex", "sx").replace("ill", "il")),
        (*BY_SEX, "-t", "ill"),
        "The original (o.csv) has no column 'sex'. Did you mean 'sx'? Its columns are: sx, age,"
        " il.\n"
        "The original (o.csv) has no column 'ill'. Did you mean 'il'? Its columns are: sx, age,"
        " il.",
    ),
    Case(
        "two columns that cannot be compared",
        {
            "o.csv": f"sex,age,born,ill\nM,31,1990-01-31,{CANARY}\nF,42,1979-02-28,no\n",
            "s.csv": f"sex,age,born,ill\nM,{CANARY},1990,no\nF,old,1979,no\n",
        },
        BY_SEX,
        differs("age", "numbers", "the synthetic dataset (s.csv)", "2 of 2")
        + "\nColumn 'born' differs: dates in the original (o.csv), numbers in the synthetic"
        f" dataset (s.csv). {LOOKS_LIKE_ZERO} {SAME_CODING}.",
    ),
    Case(
        "two keys that match nowhere",
        copy(f"sex,age,ill\nman,131,{CANARY}\nwoman,142,no\n"),
        (*COMPARE, "-k", "sex,age"),
        "Key 'sex' has no level in common between the original (o.csv) and the synthetic dataset"
        f" (s.csv). {NOBODY}\nKey 'age' has no level in common between the original (o.csv) and"
        f" the synthetic dataset (s.csv). {NOBODY}",
    ),
]


def limit(name: str, *texts: str, sentence: str) -> Case:
    given = tuple(part for text in texts for part in ("--limit", text))
    return Case(f"a limit {name}", GOOD, (*BY_SEX, *given), sentence)


def out_of_range(shown: str) -> str:
    return (
        f"The limit of DiSCO is {shown}. It is a percentage of people: write a number from 0 to"
        " 100."
    )


def not_a_number(shown: str) -> str:
    return f"The limit of DiSCO is '{shown}', which is not a number. Write it as DiSCO=10."


SETTINGS = [
    Case(
        "two documents",
        GOOD,
        (*BY_SEX, "--json", "--csv"),
        "--json and --csv cannot be printed together. Choose one.",
    ),
    limit(
        "on a misspelt measure",
        "disco=10",
        sentence=f"No limit can be set on 'disco'. Did you mean 'DiSCO'? {LIMITABLE}",
    ),
    limit(
        "on no measure at all",
        "height=10",
        sentence=f"No limit can be set on 'height'. {LIMITABLE}",
    ),
    limit(
        "on protection, which falls with risk",
        "protection=5",
        sentence=f"No limit can be set on 'protection'. {LIMITABLE}",
    ),
    Case(
        "a limit that no target can be held against",
        copy(SYNTHETIC.replace("age,ill", "AGE,ILL")),
        (*BY_SEX, "--limit", "DiSCO=10"),
        "The limit of DiSCO applies to nothing: no target is measured. Name a target, or remove"
        " the limit.",
    ),
    limit("in words", "DiSCO=ten", sentence=not_a_number("ten")),
    limit("with a percent sign", "DiSCO=10%", sentence=not_a_number("10%")),
    limit("with a decimal comma", "DiSCO=2,5", sentence=not_a_number("2,5")),
    limit("of nothing", "DiSCO=", sentence=not_a_number("")),
    limit("below 0", "DiSCO=-0.5", sentence=out_of_range("-0.5")),
    limit("above 100", "DiSCO=101", sentence=out_of_range("101")),
    limit("that is nan", "DiSCO=nan", sentence=not_a_number("nan")),
    limit("just above 100", "DiSCO=100.0000001", sentence=out_of_range("100.0000001")),
    limit("with an underscore", "DiSCO=1_0", sentence=not_a_number("1_0")),
    limit("on nothing", "=5", sentence="'=5' is not a limit. Write it as DiSCO=10."),
    limit("that is endless", "DiSCO=inf", sentence=not_a_number("inf")),
    limit(
        "without an equals sign",
        "DiSCO",
        sentence="'DiSCO' is not a limit. Write it as DiSCO=10.",
    ),
    limit("given twice", "DiSCO=5", "DiSCO=10", sentence="DiSCO is given two limits. Give it one."),
    Case(
        "a limit that is wrong is told before a file that is not there",
        {},
        (*BY_SEX, "--limit", "DiSCO"),
        "'DiSCO' is not a limit. Write it as DiSCO=10.",
    ),
    Case("words with a number", GOOD, (*BY_SEX, "--words", "-1"), "No such option '-1'."),
    Case(
        "an option nearly right",
        GOOD,
        (*COMPARE, "--audienc", "open"),
        "No such option '--audienc'. Did you mean '--audience'?",
    ),
    Case("an option unknown", GOOD, (*BY_SEX, "--quiet"), "No such option '--quiet'."),
    Case(
        "an option without its value", GOOD, (*COMPARE, "-k"), "Option '-k' requires an argument."
    ),
    Case(
        "a command nearly right",
        GOOD,
        ("disclsure", "o.csv", "s.csv"),
        "No such command 'disclsure'. Did you mean 'disclosure'?",
    ),
    Case("a command unknown", GOOD, ("publish",), "No such command 'publish'."),
    Case("no original", GOOD, ("disclosure", "-k", "sex"), NAME_THE_FILES),
    Case("no copy", GOOD, ("disclosure", "o.csv", "-k", "sex"), NAME_THE_FILES),
    Case("a file for the demo", GOOD, ("demo", "o.csv"), "Got unexpected extra argument (o.csv)"),
]

CASES = FILES + ROLES + COMPARISON + SEVERAL_AT_ONCE + SETTINGS
IN_A_PROCESS = (
    "the original is not there",
    "a record too short",
    "text against numbers in the copy",
)


def test_the_table_has_many_cases_each_of_its_own_name():
    assert len({case.name for case in CASES}) == len(CASES) >= 45


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_bad_input_is_answered_with_its_sentence_and_nothing_else(
    case, tmp_path, monkeypatch, capfd
):
    make(case.files, tmp_path)
    before = contents(tmp_path)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SystemExit) as ended:
        main(case.arguments)

    out, err = capfd.readouterr()
    assert err == f"unveil: {case.sentence}\n"
    assert out == ""
    assert ended.value.code == 2
    assert CANARY not in err
    assert contents(tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", IN_A_PROCESS)
def test_a_real_process_ends_with_2_and_the_same_sentence(name, tmp_path):
    case = next(case for case in CASES if case.name == name)
    make(case.files, tmp_path)
    before = contents(tmp_path)

    ended = subprocess.run(
        [sys.executable, "-m", "unveil", *case.arguments],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )

    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", f"unveil: {case.sentence}\n")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_sentence_is_a_sentence(case):
    for line in case.sentence.split("\n"):
        assert line[0].isupper() or line[0] in "'-"
        assert "Traceback" not in line
        assert not re.search(r"polars|pyarrow|msgspec|Error\b", line)


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read every file"
)
@pytest.mark.parametrize("name", ["o.csv", "o.parquet"])
def test_a_file_that_may_not_be_read_is_told(name, tmp_path, monkeypatch, capfd):
    make({name: ORIGINAL, "s.csv": SYNTHETIC}, tmp_path)
    (tmp_path / name).chmod(0)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SystemExit) as ended:
        main(["disclosure", name, "s.csv", "-k", "sex"])

    out, err = capfd.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert err.startswith("unveil: ")
    assert name in err
    assert err.count("\n") == 1


def test_the_demo_overwrites_no_file(tmp_path, monkeypatch, capfd):
    make({"survey.csv": ORIGINAL}, tmp_path)
    before = contents(tmp_path)

    with pytest.raises(SystemExit) as ended:
        main(["demo", "--files", str(tmp_path)])

    _, err = capfd.readouterr()
    assert ended.value.code == 2
    assert err == (
        f"unveil: The folder {str(tmp_path)!r} already holds survey.csv. Nothing was written. Name"
        " another folder, or move the old files away first.\n"
    )
    assert contents(tmp_path) == before


def make(files: dict[str, object], folder: Path) -> None:
    for name, content in files.items():
        if content is FOLDER:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


def contents(folder: Path) -> dict[str, tuple[bytes | None, int]]:
    return {
        str(path.relative_to(folder)): (
            path.read_bytes() if path.is_file() else None,
            path.stat().st_mtime_ns,
        )
        for path in folder.rglob("*")
    }
