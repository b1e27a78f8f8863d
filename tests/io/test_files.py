import os
from pathlib import Path

import polars as pl
import pytest

import unveil
from unveil.errors import ReadError, RolesError, SettingsError
from unveil.io import isolated
from unveil.io.sources import read_table
from unveil.records.codebook import Codebook, Level, Variable

CANARY = "HIVpositive1847"
FRAME = pl.DataFrame({"sex": ["M", "F", "NA"], "age": [31, -9, 40], "w": [1.5, -9.0, 2.0]})


def refusal(source, error=ReadError, side="original", **settings):
    with pytest.raises(error) as caught:
        read_table(source, side=side, **settings)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


@pytest.fixture
def parquet(tmp_path):
    path = tmp_path / "f.parquet"
    FRAME.write_parquet(path)
    return path


@pytest.mark.parametrize("ending", [".csv", ".CSV", ".tsv", ".txt"])
@pytest.mark.parametrize("spelt", [str, Path])
def test_text_files_are_known_by_their_ending(tmp_path, ending, spelt):
    path = tmp_path / f"f{ending}"
    FRAME.write_csv(path)
    assert read_table(spelt(path), side="original").frame.equals(FRAME)


@pytest.mark.parametrize("ending", [".parquet", ".PQ"])
def test_parquet_files_are_known_by_their_ending(tmp_path, ending):
    path = tmp_path / f"f{ending}"
    FRAME.write_parquet(path)
    table = read_table(path, side="synthetic 2")
    assert table.frame.equals(FRAME)
    assert table.place == f"Synthetic dataset 2 (f{ending})"


def test_a_name_with_the_signs_of_a_pattern_is_a_name(tmp_path):
    for name in ("a[1].csv", "b*.csv", "~c.csv"):
        FRAME.write_csv(tmp_path / name)
        assert read_table(tmp_path / name, side="original").frame.equals(FRAME)
    FRAME.write_parquet(tmp_path / "year=2020[1].parquet")
    read = read_table(tmp_path / "year=2020[1].parquet", side="original")
    assert read.frame.equals(FRAME)


def test_only_the_columns_asked_for_are_read(parquet):
    table = read_table(parquet, side="original", columns=["w", "sex"])
    assert table.frame.equals(FRAME.select("w", "sex"))


def test_missing_values_mean_the_same_in_every_kind_of_source(tmp_path, parquet):
    FRAME.write_csv(tmp_path / "f.csv")
    frames = [
        read_table(source, side="original", missing_values=["NA", "-9", "-9.0"]).frame
        for source in (
            tmp_path / "f.csv",
            parquet,
            FRAME,
            FRAME.cast({"sex": pl.Categorical}),
            FRAME.lazy(),
        )
    ]
    for frame in frames:
        assert frame.cast({"sex": pl.String}).rows() == [
            ("M", 31, 1.5),
            ("F", None, None),
            (None, 40, 2.0),
        ]


def test_a_misspelt_column_names_its_neighbour(parquet):
    assert refusal(parquet, RolesError, columns=["aeg"]) == (
        "The original (f.parquet) has no column 'aeg'. Did you mean 'age'? "
        "Its columns are: sex, age, w."
    )


@pytest.mark.parametrize("name", ["absent.csv", "absent.parquet"])
def test_a_file_that_is_not_there_is_refused(tmp_path, name):
    path = tmp_path / name
    assert refusal(path) == (
        f"The original ({name}) was not found: there is no file {str(path)!r}. "
        "Check the name and the folder."
    )


def test_a_path_that_no_system_could_have_is_not_found():
    assert refusal("a\0b.csv").endswith("Check the name and the folder.")
    assert refusal("a" * 5000 + ".csv").endswith("and try again.")


@pytest.mark.parametrize("name", ["folder", "folder.csv", "folder.parquet"])
def test_a_folder_is_refused(tmp_path, name):
    (tmp_path / name).mkdir()
    assert refusal(tmp_path / name) == (
        f"The original ({name}) is a folder, not a file. Give the path of one file in it."
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes with a name are of Unix")
def test_a_pipe_is_refused_before_it_blocks(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert refusal(tmp_path / "pipe.csv") == (
        "The original (pipe.csv) is a device or a pipe. Save the data to a file and give its path."
    )


@pytest.mark.parametrize(
    ("problem", "message"),
    [
        (
            PermissionError(f"not you, {CANARY}"),
            "may not be read by this user. Ask its owner for permission, or use your own copy of"
            " the file.",
        ),
        (
            OSError(5, CANARY),
            "could not be read from the disk. Check that the disk or network folder is still "
            "there, and try again.",
        ),
    ],
)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_disk_that_refuses_is_told_in_our_words(tmp_path, monkeypatch, ending, problem, message):
    def no(*_, **__):
        raise problem

    path = tmp_path / f"f{ending}"
    FRAME.write_csv(path)
    monkeypatch.setattr(Path, "open", no)
    assert refusal(path, side="synthetic") == f"The synthetic dataset (f{ending}) {message}"


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_no_bytes_are_refused(tmp_path, ending):
    path = tmp_path / f"f{ending}"
    path.touch()
    assert refusal(path) == (
        f"The original (f{ending}) is empty: it has no bytes. Check that its export was finished."
    )


@pytest.mark.parametrize(
    ("name", "ending"),
    [("f.docx", "the ending '.docx'"), ("f.sav.gz", "the ending '.gz'"), ("f", "no ending")],
)
def test_another_ending_is_refused(tmp_path, name, ending):
    (tmp_path / name).touch()
    assert refusal(tmp_path / name) == (
        f"The original ({name}) has {ending}; unveil reads files that end in .csv, .tsv, .txt, "
        ".csv.gz, .parquet, .pq, .sav, .zsav, .por, .dta, .sas7bdat, .xpt, .xlsx or .rds. Save it "
        "as CSV or Parquet."
    )


def test_parquet_without_rows_or_columns_is_refused(tmp_path):
    path = tmp_path / "f.parquet"
    FRAME.clear().write_parquet(path)
    assert refusal(path) == (
        "The original (f.parquet) has columns but no rows. Check that its export was finished."
    )
    pl.DataFrame().write_parquet(path)
    assert refusal(path) == (
        "The original (f.parquet) has no columns. Check that it is the file or frame you meant."
    )


def test_text_called_parquet_is_refused(tmp_path):
    path = tmp_path / "f.parquet"
    FRAME.write_csv(path)
    assert refusal(path) == (
        "The original (f.parquet) is not a Parquet file, whatever its name says. If it is text, "
        "give its name the ending .csv; otherwise export it again."
    )


def test_parquet_cut_short_is_refused(parquet):
    parquet.write_bytes(parquet.read_bytes()[:-20])
    assert refusal(parquet) == (
        "The original (f.parquet) is damaged: it begins as a Parquet file but cannot be read to "
        "its end. Export or copy it again."
    )


@pytest.mark.slow
def test_parquet_cut_anywhere_is_refused_without_a_value(tmp_path):
    path = tmp_path / "f.parquet"
    pl.DataFrame({"diagnosis": [CANARY] * 5}).write_parquet(path)
    content = path.read_bytes()
    for n in range(1, len(content), 7):
        path.write_bytes(content[:n])
        assert CANARY not in refusal(path)


def test_parquet_that_makes_polars_panic_is_refused(parquet, monkeypatch):
    def panic(*_, **__):
        raise pl.exceptions.PanicException(CANARY)

    monkeypatch.setattr(isolated, "_ready_process", lambda _: None)  # read in this process
    monkeypatch.setattr(pl, "scan_parquet", panic)
    assert refusal(parquet).startswith("The original (f.parquet) is damaged: it begins as a ")


def test_parquet_carries_its_codebook(tmp_path):
    book = Codebook(
        source="f.sav",
        format="spss",
        variables=(
            Variable(name="sex", label="Sex", levels=(Level(code="M", label="male"),)),
            Variable(name="age", label="Age"),
        ),
    )
    path = tmp_path / "f.parquet"
    FRAME.write_parquet(path, metadata={"unveil.codebook": book.to_json()})
    assert read_table(path, side="original").codebook == book
    chosen = read_table(path, side="original", columns=["age"]).codebook
    assert [known.name for known in chosen.variables] == ["age"]
    FRAME.write_parquet(path, metadata={"unveil.codebook": f"{{{CANARY}"})
    assert read_table(path, side="original").codebook is None


def test_a_dictionary_beside_a_text_file_is_found_and_told(tmp_path):
    FRAME.write_csv(tmp_path / "f.csv")
    book = Codebook(source="f.csv", format="csv", variables=(Variable(name="age", label="Age"),))
    (tmp_path / "f.codebook.json").write_text(book.to_json())
    table = read_table(tmp_path / "f.csv", side="original")
    assert table.codebook.variable("age").label == "Age"
    assert [(note.kind, note.sentence) for note in table.notes][-1] == (
        "dictionary",
        "What columns and codes mean was taken from 'f.codebook.json' beside the file.",
    )


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("{rubbish", "The file 'f.codebook.json' beside it is not a dictionary unveil can read."),
        (
            Codebook(source="g", format="csv", variables=(Variable(name="g"),)).to_json(),
            "The dictionary 'f.codebook.json' beside it names none of its columns.",
        ),
    ],
)
def test_a_dictionary_beside_that_does_not_fit_is_told_and_not_used(tmp_path, content, sentence):
    FRAME.write_csv(tmp_path / "f.csv")
    (tmp_path / "f.codebook.json").write_text(content)
    table = read_table(tmp_path / "f.csv", side="original")
    assert table.codebook is None
    assert table.notes[-1].sentence == sentence


def test_a_dictionary_that_was_named_must_fit(tmp_path):
    book = Codebook(source="g", format="csv", variables=(Variable(name="g"),))
    (tmp_path / "d.json").write_text(book.to_json())
    assert refusal(FRAME, dictionary=tmp_path / "d.json") == (
        "The dictionary (d.json) names none of the columns of the file. Its columns are: sex, age,"
        " w."
    )


@pytest.mark.parametrize("given", [3, b"d.json", FRAME])
def test_a_dictionary_of_another_type_is_refused(given):
    with pytest.raises(SettingsError, match=r"^dictionary is .* or a codebook\.$"):
        unveil.read_file(FRAME, dictionary=given)


def test_a_dictionary_goes_before_what_the_file_says_and_leaves_the_rest(tmp_path):
    own = (Variable(name="sex", label="Sex"), Variable(name="age", label="Age"))
    path = tmp_path / "f.parquet"
    book = Codebook(source="f.parquet", format="parquet", variables=own)
    FRAME.write_parquet(path, metadata={"unveil.codebook": book.to_json()})
    given = Codebook(
        source="another file", format="csv", variables=(Variable(name="age", label="Years"),)
    )
    found = unveil.read_file(path, dictionary=given).codebook
    assert [(known.name, known.label) for known in found.variables] == [
        ("sex", "Sex"),
        ("age", "Years"),
    ]
    assert (found.source, found.format) == ("f.parquet", "parquet")


def test_a_table_keeps_the_name_of_its_file_whatever_its_dictionary_is_called(tmp_path):
    FRAME.write_csv(tmp_path / "f.csv")
    (tmp_path / "codes.csv").write_text("variable,label\nage,Age\n")
    labelled = unveil.read_file(tmp_path / "f.csv", dictionary=tmp_path / "codes.csv")
    assert labelled.codebook.variable("age").label == "Age"
    assert read_table(labelled, side="original").source == "f.csv"


def test_a_code_beyond_all_numbers_is_no_code_of_the_column():
    levels = (Level(code=10**400, label="huge"), Level(code=1, label="one"))
    book = Codebook(source="f", format="csv", variables=(Variable(name="age", levels=levels),))
    labelled = unveil.read_file(FRAME, dictionary=book)
    result = unveil.disclosure(labelled, FRAME, keys=["sex"], targets=["age"])
    assert [note.sentence for note in result.coercions] == ["Compared by code: age."]


def test_a_labelled_table_is_read_with_its_codebook(tmp_path):
    FRAME.write_csv(tmp_path / "f.csv")
    labelled = unveil.read_file(tmp_path / "f.csv", missing_values=["NA"], columns=["age", "sex"])
    assert isinstance(labelled, unveil.Labelled)
    assert repr(labelled) == (
        "Labelled(3 records, 2 columns, 0 of them with labelled codes: age, sex)"
    )
    assert labelled.frame["sex"].to_list() == ["M", "F", None]
    assert [(known.name, known.kind) for known in labelled.codebook.variables] == [
        ("age", "number"),
        ("sex", "text"),
    ]
    table = read_table(labelled, side="synthetic")
    assert table.frame.equals(labelled.frame)
    assert table.codebook == labelled.codebook
    assert table.source == "f.csv"


def test_the_fixed_categories_of_a_frame_are_its_codes():
    labelled = unveil.read_file(FRAME.cast({"sex": pl.Enum(["M", "F", "NA"])}))
    assert labelled.codebook.variable("sex").levels[0] == Level(code="M", label="M")
