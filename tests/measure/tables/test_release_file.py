"""Files of counts: long and wide, with and without margins, and what is refused."""

import polars as pl
import pytest

from unveil.errors import InputError, ReadError, RolesError, SettingsError
from unveil.measure.tables.published_table import OF_SAMPLE, PublishedTable

LONG = "sex,age,count\nm,old,1\nm,young,3\nf,old,0\nf,young,2\n"
LONG_WITH_SUMS = LONG + "m,Total,4\nf,Total,2\nTotal,old,1\nTotal,young,5\nTotal,Total,6\n"
WIDE = "sex,old,young\nm,1,3\nf,0,2\n"
WIDE_WITH_SUMS = "sex,old,young,Total\nm,1,3,4\nf,0,2,2\nTotal,1,5,6\n"
TABLE = (("m", "f"), ("old", "young")), (1, 3, 0, 2)


def saved(tmp_path, text, name="counts.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def found(release):
    return release.levels, release.system.counts


@pytest.mark.parametrize("text", [LONG, LONG_WITH_SUMS, WIDE, WIDE_WITH_SUMS])
def test_the_same_table_is_found_long_or_wide_with_or_without_its_sums(tmp_path, text):
    assert found(PublishedTable.from_file(saved(tmp_path, text))) == TABLE


def test_dimensions_are_named_as_the_file_names_them(tmp_path):
    assert PublishedTable.from_file(saved(tmp_path, LONG)).dims == ("sex", "age")
    assert PublishedTable.from_file(saved(tmp_path, WIDE)).dims == ("sex", "columns")
    named = PublishedTable.from_file(saved(tmp_path, WIDE), dims=["sex", "age"])
    assert named.dims == ("sex", "age")
    assert PublishedTable.from_file(saved(tmp_path, WIDE.replace("sex", "", 1))).dims == (
        "rows",
        "columns",
    )


def test_tabs_and_parquet_are_read_too(tmp_path):
    assert (
        found(PublishedTable.from_file(saved(tmp_path, LONG.replace(",", "\t"), "c.tsv"))) == TABLE
    )
    pl.read_csv(LONG.encode()).write_parquet(tmp_path / "counts.parquet")
    assert found(PublishedTable.from_file(tmp_path / "counts.parquet")) == TABLE
    assert found(PublishedTable.from_file(pl.read_csv(WIDE.encode()))) == TABLE


def test_what_is_published_is_asked_for_as_with_counts(tmp_path):
    path = saved(tmp_path, LONG_WITH_SUMS)
    release = PublishedTable.from_file(path, rounding="conventional:3", margins="all", total=True)
    assert release.published == (
        ("table", (0, 3, 0, 3)),
        ("sex", (3, 3)),
        ("age", (0, 6)),
        ("total", (6,)),
    )


def test_published_values_may_stand_beside_the_counts(tmp_path):
    text = "sex,count,shown\nm,4,5\nf,8,5\nTotal,12,15\n"
    release = PublishedTable.from_file(
        saved(tmp_path, text), published="shown", rounding="random:5", total=True
    )
    assert release.published == (("table", (5, 5)), ("total", (15,)))
    assert release.seed is None
    alone = PublishedTable.from_file(saved(tmp_path, text), published="shown", rounding="random:5")
    assert alone.published == (("table", (5, 5)),)


def test_a_column_of_counts_is_found_by_its_name_or_named(tmp_path):
    path = saved(tmp_path, "sex,year,N\nm,2020,3\nf,2020,4\n")
    assert PublishedTable.from_file(path).dims == ("sex", "year")
    other = saved(tmp_path, "sex,age,cases\nm,old,3\nf,old,4\n")
    assert PublishedTable.from_file(other, count="cases").system.counts == (3, 4)
    assert PublishedTable.from_file(other, dims=["sex", "age"]).system.counts == (3, 4)
    two = saved(tmp_path, "sex,cases\nm,3\nf,4\n")
    assert PublishedTable.from_file(two).dims == ("sex",)


def test_levels_keep_the_order_of_the_file_and_numbers_their_writing(tmp_path):
    path = saved(tmp_path, "year,count\n2021,1\n2019,2\n2020,3\n")
    assert PublishedTable.from_file(path).levels == (("2021", "2019", "2020"),)


def test_combinations_that_are_not_there_have_nobody_in_them(tmp_path):
    release = PublishedTable.from_file(saved(tmp_path, "a,b,n\nx,p,1\ny,q,2\n"))
    assert release.system.counts == (1, 0, 0, 2)
    assert release.notes == (
        "Read as long: counts in 'n', by a, b.",
        "2 of 4 cells are not in the file and taken to have no one in them.",
    )


def test_sums_are_marked_as_the_user_says(tmp_path):
    text = "sex,n\nm,1\nf,2\ninsgesamt,3\n"
    release = PublishedTable.from_file(saved(tmp_path, text), total_label="Insgesamt")
    assert release.levels == (("m", "f"),)
    kept = PublishedTable.from_file(saved(tmp_path, "sex,n\nm,1\nall,2\n"), total_label=[])
    assert kept.levels == (("m", "all"),)


def test_a_table_of_a_sample_is_marked(tmp_path):
    release = PublishedTable.from_file(saved(tmp_path, LONG), sample=True)
    assert (release.of_sample, release.notes[1:]) == (True, (OF_SAMPLE,))


def test_an_excel_workbook_is_read(tmp_path):
    pl.read_csv(WIDE_WITH_SUMS.encode()).write_excel(tmp_path / "counts.xlsx")
    assert found(PublishedTable.from_file(tmp_path / "counts.xlsx")) == TABLE


PLACE = "The dataset (counts.csv)"
BAD = {
    "a margin that does not add up": (
        LONG_WITH_SUMS.replace("f,Total,2", "f,Total,3"),
        {},
        InputError,
        f"{PLACE} gives another number for the total of sex=f than its cells add up to. Correct"
        " it; or, where a level is only called like a sum (all, total), state with the total label"
        " how sums are marked.",
    ),
    "a wide margin that does not add up": (
        WIDE_WITH_SUMS.replace("1,5,6", "1,6,6"),
        {"dims": ["sex", "age"]},
        InputError,
        f"{PLACE} gives another number for the total of age=young than its cells add up to."
        " Correct it; or, where a level is only called like a sum (all, total), state with the"
        " total label how sums are marked.",
    ),
    "a total that does not add up": (
        LONG_WITH_SUMS.replace("Total,Total,6", "Total,Total,7"),
        {},
        InputError,
        f"{PLACE} gives another number for the total than its cells add up to. Correct it; or,"
        " where a level is only called like a sum (all, total), state with the total label how"
        " sums are marked.",
    ),
    "negative": (
        LONG.replace("m,old,1", "m,old,-1"),
        {},
        InputError,
        "The count of the cell sex=m, age=old is negative. A table of counts holds whole numbers"
        " from 0.",
    ),
    "fractional": (
        LONG.replace("m,old,1", "m,old,1.5"),
        {},
        InputError,
        "The count of the cell sex=m, age=old is not a whole number. A table of counts holds whole"
        " numbers from 0.",
    ),
    "a cell twice": (
        LONG + "m,old,1\n",
        {},
        InputError,
        f"{PLACE} has more than one row for the cell sex=m, age=old. Name all columns that make"
        " the table with dims, or put these rows together.",
    ),
    "stars for small counts": (
        LONG.replace("m,old,1", "m,old,*"),
        {},
        ReadError,
        "The counts in column 'count' of the dataset (counts.csv) are not numbers in 1 of 4"
        " rows. The table must hold the true counts, as whole numbers; name their column with"
        " count.",
    ),
    "sums alone": (
        "sex,age,count\nTotal,old,3\n",
        {},
        InputError,
        "Dimension 'sex' of the table has no level but Total, which marks a sum. State with the"
        " total label how sums are marked.",
    ),
    "unknown dimension": (
        LONG,
        {"dims": ["sex", "aeg"]},
        RolesError,
        f"{PLACE} has no column 'aeg'. Did you mean 'age'? Its columns are: sex, age, count.",
    ),
    "unknown count": (
        LONG,
        {"count": "conut"},
        RolesError,
        f"{PLACE} has no column 'conut'. Did you mean 'count'? Its columns are: sex, age, count.",
    ),
    "counts as a dimension": (
        LONG,
        {"dims": ["sex", "count"], "count": "count"},
        RolesError,
        "Column 'count' cannot be counts and a dimension at once. Name at least one column of"
        " levels with dims, and the column of counts with count.",
    ),
    "no counts": (
        "sex,age\nm,old\nf,old\n",
        {},
        ReadError,
        "In the dataset (counts.csv) it is not clear which column holds the counts. Name it with"
        " count, or set layout='wide'. Its columns are: sex, age.",
    ),
    "an unknown layout": (
        LONG,
        {"layout": "wid"},
        SettingsError,
        "layout is 'wid'. Did you mean 'wide'? It must be one of: long, wide, crosstab.",
    ),
    "wide with text": (
        LONG,
        {"layout": "wide"},
        ReadError,
        f"{PLACE} is read as a wide file, but these columns are not numbers: age. The table must"
        " hold the true counts, as whole numbers.",
    ),
    "three names for a wide file": (
        WIDE,
        {"dims": ["a", "b", "c"], "layout": "wide"},
        RolesError,
        "A wide file has two dimensions, its rows and its columns; given are 3 names.",
    ),
    "a column of counts in a wide file": (
        WIDE,
        {"layout": "wide", "count": "old"},
        SettingsError,
        "A wide file has a column of counts for each level: count and published name columns of"
        " long files only.",
    ),
    "a label of sums that is no text": (
        LONG,
        {"total_label": 3},
        SettingsError,
        "total_label must be the text that marks a sum, such as 'Total', or a list of them.",
    ),
    "nothing": (
        "sex,count\n",
        {},
        ReadError,
        f"{PLACE} has a header but no rows. Check that its export was finished.",
    ),
    "an unknown setting": (
        LONG,
        {"margin": "all"},
        SettingsError,
        "A release has no setting 'margin'. Did you mean 'margins'? Its settings are: rounding,"
        " table, total, margins, published, constraints, structural, nested, seed.",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_files_are_refused_with_their_sentence(tmp_path, case):
    text, asked, kind, sentence = BAD[case]
    with pytest.raises(InputError) as refused:
        PublishedTable.from_file(saved(tmp_path, text), **asked)
    assert (type(refused.value), str(refused.value)) == (kind, sentence)
    assert refused.value.exit_code == 2


def test_an_ending_that_is_not_read_is_refused(tmp_path):
    with pytest.raises(ReadError, match=r"^The dataset \(counts\.doc\) has the ending '\.doc'"):
        PublishedTable.from_file(saved(tmp_path, LONG, "counts.doc"))
