"""Dictionaries beside text files: REDCap's, lists of codes, and our own."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from profiles import examples
from unveil.errors import ReadError
from unveil.io.dictionary import LARGEST, dictionary_beside, read_dictionary
from unveil.measure.structure.describe import codebook
from unveil.records.codebook import Codebook, DescribedFile, Level, MissingRange, Variable
from unveil.view.codebook_csv import codebook_csv

REDCAP = """"Variable / Field Name","Form Name","Section Header","Field Type","Field Label",\
"Choices, Calculations, OR Slider Labels","Field Note",\
"Text Validation Type OR Show Slider Number","Text Validation Min"
record_id,baseline,,text,Study ID,,,,
born,baseline,,text,"<div class=""rich""><p>Date of  birth</p></div>",,,date_dmy,
seen,baseline,,text,Seen,,,datetime_seconds_ymd,
clock,baseline,,text,Clock,,,time,
weight,baseline,,text,"Weight, if <5 kg",,,number_1dp,
bmi,baseline,,calc,BMI,round([weight]/2),,,
hint,baseline,,descriptive,Read this,,,,
sex,baseline,,radio,Sex,"1, Male | 2, Female, adult | -9, Refused",,,
smokes,habits,,yesno,Smokes?,,,,
agrees,habits,,truefalse,Agrees?,,,,
meals,habits,,checkbox,Meals,"1, Breakfast | -1, None | A, Other",,,
place,habits,,dropdown,Place,"01, North | 02, South",,,
pain,habits,,slider,Pain,"none | some | worst",,number,
"""


def written(tmp_path, text, name="survey_dictionary.csv", encoding="utf-8"):
    path = tmp_path / name
    path.write_text(text, encoding=encoding)
    return path


def labels(variable):
    return [(level.code, level.label) for level in variable.levels]


def test_redcap_fields_become_the_columns_of_its_export(tmp_path):
    book = read_dictionary(written(tmp_path, REDCAP))
    assert [variable.name for variable in book.variables] == [
        *("record_id", "born", "seen", "clock", "weight", "bmi", "sex", "baseline_complete"),
        *("smokes", "agrees", "meals___1", "meals____1", "meals___a", "place", "pain"),
        "habits_complete",
    ]
    kinds = {variable.name: variable.kind for variable in book.variables}
    assert [kinds[name] for name in ("record_id", "born", "seen", "clock", "weight", "bmi")] == [
        *("text", "date", "moment", "time", "number", "number")
    ]
    assert book.variable("born").label == "Date of birth"
    assert book.variable("weight").label == "Weight, if <5 kg"
    assert book.variable("born").format == "date_dmy"
    assert labels(book.variable("sex")) == [(1, "Male"), (2, "Female, adult"), (-9, "Refused")]
    assert labels(book.variable("smokes")) == [(1, "Yes"), (0, "No")]
    assert labels(book.variable("agrees")) == [(1, "True"), (0, "False")]
    assert book.variable("meals____1").label == "Meals (choice=None)"
    assert labels(book.variable("place")) == [("01", "North"), ("02", "South")]
    assert book.variable("place").kind == "text"
    assert labels(book.variable("habits_complete"))[2] == (2, "Complete")


def test_redcap_for_programs_has_other_names(tmp_path):
    text = (
        "field_name,form_name,section_header,field_type,field_label,select_choices_or_calculations\n"
        'sex,one,,radio,Sex,"1, Male | 2, Female"\n'
    )
    book = read_dictionary(written(tmp_path, text))
    assert labels(book.variable("sex")) == [(1, "Male"), (2, "Female")]


@pytest.mark.parametrize(
    "head",
    [
        "variable,code,label,variable label,missing",
        "Variable Name;Value;Value Label;Question;Is missing",
        "data_element\toption_code\toption_name\tdata_element_label\tmissing",
        "OptionSetName|OptionCode|OptionName|Title|missing",
    ],
)
def test_a_list_of_codes_whatever_its_columns_are_called(tmp_path, head):
    mark = next(mark for mark in ",;\t|" if mark in head)
    rows = ["sex,1,Male,Sex,", "sex,2,Female,,no", "sex,-9,Refused,,yes", "place,A1,North,Where,"]
    text = "\n".join([head, *(row.replace(",", mark) for row in rows)])
    sex, place = read_dictionary(written(tmp_path, text)).variables
    assert (sex.label, sex.kind, sex.missing) == ("Sex", "number", (-9,))
    assert labels(sex) == [(1, "Male"), (2, "Female"), (-9, "Refused")]
    assert (place.label, place.kind, labels(place)) == ("Where", "text", [("A1", "North")])


def test_a_list_of_columns_alone(tmp_path):
    text = "name,type,label\nage,integer,Age in years\nnote,TEXT,\nborn,DATE,Born\nyes,BOOLEAN,\n"
    book = read_dictionary(written(tmp_path, text))
    assert [(v.name, v.kind, v.label) for v in book.variables] == [
        ("age", "number", "Age in years"),
        ("note", "text", None),
        ("born", "date", "Born"),
        ("yes", "truth", None),
    ]


def test_rows_without_a_code_are_about_the_column(tmp_path):
    text = "variable,code,label\nsex,,Sex of the person\nsex,1,Male\n"
    (sex,) = read_dictionary(written(tmp_path, text)).variables
    assert (sex.label, labels(sex)) == ("Sex of the person", [(1, "Male")])


def test_codes_are_numbers_only_where_all_are(tmp_path):
    text = "variable,code,label\na,1,x\na,UNK,y\nb,007,z\nc,1.5,w\nd,1.0,v\ne,.a,u\ne,3,t\n"
    codes = [
        [level.code for level in v.levels]
        for v in read_dictionary(written(tmp_path, text)).variables
    ]
    assert codes == [["1", "UNK"], ["007"], [1.5], [1], [".a", 3]]


def test_other_encodings_are_understood(tmp_path):
    text = "variable;code;label\nort;1;Köln\n"
    for number, encoding in enumerate(("utf-8-sig", "utf-16", "cp1252")):
        path = written(tmp_path, text, f"{number}.csv", encoding)
        assert labels(read_dictionary(path).variables[0]) == [(1, "Köln")]


BAD = {
    "other columns": (
        "x,y\n1,2\n",
        "The dictionary (d.csv) is not a dictionary that unveil knows; its columns are: x, y. It"
        " reads REDCap's data dictionary, lists with the columns variable, code and label, and"
        " what unveil codebook FILE --csv writes.",
    ),
    "two labels": (
        "variable,code,label\nsex,1,Male\nsex,1,Female\n",
        "The dictionary (d.csv) gives one code of 'sex' two labels. Give each code one label.",
    ),
    "declared twice": (
        "field_name,field_type,field_label\na,text,\na,text,\n",
        "The dictionary (d.csv) declares 'a' twice. Remove one of the two.",
    ),
    "missing is neither": (
        "variable,code,label,missing\nsex,1,Male,perhaps\n",
        "The dictionary (d.csv) does not state whether a code of 'sex' stands for a missing value."
        " Write yes or no in its column of missing codes.",
    ),
    "an end is no number": (
        "variable,label,missing from,missing to\nsex,Sex,low,-1\n",
        "The dictionary (d.csv) has an end of the missing numbers of 'sex' that is not a number."
        " Write a number, or nothing if the range is open.",
    ),
    "nothing declared": (
        "variable,code,label\n,1,Male\n",
        "The dictionary (d.csv) declares no column. Check that its export was finished.",
    ),
    "too many fields": (
        "variable,code,label\nsex,1,Male\nsex,2,Female, adult\n",
        "The dictionary (d.csv) has rows with more fields than its header, first in row 3. Put"
        " labels that hold a separator in double quotes.",
    ),
    "a field without end": (
        'variable,code,label\nsex,1,"' + "x" * 200_000 + '"\n',
        "The dictionary (d.csv) cannot be read as a table. Look for a stray quotation mark, or"
        " export it again as CSV.",
    ),
    "other JSON": (
        '{"schema": 1}',
        "The dictionary (d.csv) is not a codebook of unveil, although it is JSON or is named so."
        " Write it again with unveil codebook FILE --json, or give a dictionary in CSV.",
    ),
    "endless JSON": (
        '{"codebook":' + "[" * 100_000,
        "The dictionary (d.csv) is not a codebook of unveil, although it is JSON or is named so."
        " Write it again with unveil codebook FILE --json, or give a dictionary in CSV.",
    ),
    "empty": (
        "",
        "The dictionary (d.csv) is empty: it has no bytes. Check that its export was finished.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_dictionaries_are_a_sentence(tmp_path, case):
    text, sentence = BAD[case]
    with pytest.raises(ReadError) as caught:
        read_dictionary(written(tmp_path, text, "d.csv"))
    assert str(caught.value) == sentence


def test_a_file_as_large_as_data_is_refused(tmp_path):
    path = tmp_path / "d.csv"
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(ReadError, match="has more than 64 MB, which no dictionary has"):
        read_dictionary(path)


def test_a_workbook_is_told_by_name(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b"PK\x03\x04" + bytes(100))
    with pytest.raises(ReadError, match="is an Excel workbook or a zip archive, not plain text"):
        read_dictionary(path)


@pytest.mark.parametrize(
    ("data", "beside"),
    [
        ("survey.csv", "survey.codebook.json"),
        ("survey.csv", "survey.codebook.csv"),
        ("survey.csv", "survey_codebook.csv"),
        ("survey.tsv", "survey_dictionary.csv"),
        ("survey.csv.gz", "survey_dictionary.csv"),
        ("Survey.csv", "survey_DataDictionary.csv"),
        ("My_DATA_2024-05-01_1010.csv", "My_DataDictionary_2024-05-01.csv"),
        ("My_DATA_LABELS_2024-05-01_1010.csv", "My_DataDictionary_2023-01-01.csv"),
    ],
)
def test_a_dictionary_beside_is_found(tmp_path, data, beside):
    for name in (data, beside, "other_dictionary.csv", "Mine_DataDictionary_2024-05-01.csv"):
        (tmp_path / name).write_text("x", encoding="utf-8")
    assert dictionary_beside(tmp_path / data) == tmp_path / beside


def test_redcap_of_the_same_day_goes_before_a_later_one(tmp_path):
    for day in ("2024-04-01", "2024-05-01", "2024-06-01"):
        (tmp_path / f"My_DataDictionary_{day}.csv").write_text("x", encoding="utf-8")
    found = dictionary_beside(tmp_path / "My_DATA_2024-05-01_1010.csv")
    assert found.name == "My_DataDictionary_2024-05-01.csv"
    assert dictionary_beside(tmp_path / "My_DATA_2020-01-01_0000.csv").name.endswith("06-01.csv")


def test_without_one_there_is_none(tmp_path):
    (tmp_path / "survey_dictionary.csv").mkdir()
    assert dictionary_beside(tmp_path / "survey.csv") is None
    assert dictionary_beside(tmp_path / "no" / "survey.csv") is None
    assert dictionary_beside("\0.csv") is None
    itself = tmp_path / "x_dictionary.csv"
    itself.write_text("x", encoding="utf-8")
    assert dictionary_beside(itself) is None


text = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Zl", "Zp"]), max_size=8)
names = text.filter(bool)
numbers = st.integers(-(10**9), 10**9) | st.floats(-1e6, 1e6).filter(lambda x: not x.is_integer())


@st.composite
def variables(draw):
    is_text = draw(st.booleans())
    codes = draw(st.lists(names if is_text else numbers, unique=True, max_size=6))
    cut = draw(st.integers(0, len(codes)))
    missing = [code for code in codes if draw(st.booleans())]
    labelled = [code for code in codes[:cut] or codes]
    return Variable(
        name=draw(names),
        label=draw(names | st.none()),
        kind="text" if is_text else draw(st.sampled_from(["number", "date", "unknown"])),
        measure=draw(st.sampled_from([None, "nominal", "ordinal", "scale"])),
        format=draw(names | st.none()),
        width=draw(st.integers(1, 100) | st.none()),
        levels=tuple(Level(code=code, label=draw(text)) for code in labelled),
        missing=tuple(code for code in codes if code in missing),
        missing_ranges=draw(
            st.sampled_from(
                [(), (MissingRange(lo=None, hi=-1.5),), (MissingRange(lo=97.0, hi=99.0),)]
            )
        ),
    )


def described(book):
    return DescribedFile(
        codebook=book, n_records=1, declared_only=True, found=(), not_in_file=(), coercions=()
    )


@given(st.lists(variables(), min_size=1, max_size=4, unique_by=lambda v: v.name))
@examples(60)
def test_what_is_written_can_be_read_back(tmp_path_factory, declared):
    folder = tmp_path_factory.mktemp("round")
    book = Codebook(source="survey.sav", format="spss", variables=tuple(declared))
    document = written(folder, described(book).to_json(), "a.json")
    assert read_dictionary(document) == book
    assert read_dictionary(written(folder, book.to_json(), "b.codebook.json")) == book
    listed = read_dictionary(written(folder, codebook_csv(described(book)), "c.csv"))
    assert listed.variables == book.variables


def test_what_was_found_in_the_records_is_not_declared_by_reading_it_back(tmp_path):
    data = written(tmp_path, "place\n" + "N\n" * 9 + "S\n" * 9, "people.csv")
    result = codebook(data)
    assert result.found[0].occurring == ("N", "S")
    document = codebook_csv(result.record)
    assert "found,place" in document
    assert read_dictionary(written(tmp_path, document, "c.csv")).variables == result.variables
    path = written(tmp_path, json.dumps(result.to_dict()), "c.json")
    assert read_dictionary(path) == result.codebook


@pytest.mark.slow
@given(
    st.sampled_from([REDCAP, "variable,code,label,missing\nsex,1,Male,\nsex,-9,Refused,yes\n"]),
    st.lists(st.tuples(st.integers(0, 2000), st.binary(max_size=3)), max_size=6),
)
@examples(150)
def test_a_damaged_dictionary_is_read_or_refused_and_nothing_else(tmp_path_factory, text, wounds):
    content = bytearray(text.encode())
    for place, bites in wounds:
        content[place % len(content) : place % len(content) + len(bites)] = bites
    path = tmp_path_factory.getbasetemp() / "damaged.csv"
    path.write_bytes(content)
    found = read_or_refused(path)
    if isinstance(found, str):
        assert found.startswith("The dictionary (damaged.csv) ")
    else:
        assert Codebook.from_json(found.to_json()) == found


def read_or_refused(path):
    try:
        return read_dictionary(path)
    except ReadError as fault:
        return str(fault)
