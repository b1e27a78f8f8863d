"""Cross-tables as offices lay them out: read as they stand, and written again in their shape."""

import random
from itertools import product

import fastexcel
import polars as pl
import pytest
import xlsxwriter

import unveil
from unveil.cli import main
from unveil.errors import ReadError
from unveil.measure.tables.crosstab import parse_value

TITLES = [["Table 3: people by region and health"], ["All people"], []]
NOTES = [[], ["Source: invented; 12 regions."], ["=HYPERLINK(1)"]]
TWO_HEADERS = [
    [None, "Men", None, "Women", None, "Total"],
    ["Region", "good", "bad", "good", "bad", None],
    ["Ash", "1 200", 3, "1,150", 7, 2360],
    ["Birch", 410, "-", 402, 2, 814],
    ["Elm", 12, 1, 15, 4, 32],
    ["Total", 1622, 4, 1567, 13, 3206],
]
LABELS = [
    ["Region", "Sex", "young", "old", "All"],
    ["Ash", "m", 1, 2, 3],
    [None, "f", 3, 4, 7],
    ["Elm", "m", 5, 6, 11],
    [None, "f", 7, 8, 15],
    ["Total", None, 16, 20, 36],
]


def write_book(path, *sheets):
    with xlsxwriter.Workbook(str(path)) as book:
        for rows in sheets:
            sheet = book.add_worksheet()
            for i, row in enumerate(rows):
                for j, cell in enumerate(row):
                    if isinstance(cell, int):
                        sheet.write_number(i, j, cell)
                    elif cell is not None:
                        sheet.write_string(i, j, cell)
    return path


def cells_of(path):
    book = fastexcel.read_excel(path)
    frame = book.load_sheet(0, header_row=None, skip_rows=0, dtypes="string").to_polars()
    return [list(row) for row in frame.iter_rows()]


def call(*arguments):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 0


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1 200", 1200), ("1\u202f200", 1200), ("1'200", 1200), ("1,200,000", 1200000)),
        *(("7.0", 7), ("-", 0), ("\u2013", 0), ("c", None), (" X ", None), ("..", None)),
        ("1 to 4", "1 to 4"),
    ],
)
def test_counts_as_offices_write_them(text, value):
    assert parse_value(text) == value


@pytest.mark.parametrize("text", ["1.200", "12,00", "1,20", "n/a", "", "-3", "3.5"])
def test_what_may_mean_something_else_is_no_count(text):
    with pytest.raises(ValueError, match="not a count"):
        parse_value(text)


def test_titles_two_rows_of_headers_totals_and_notes(tmp_path):
    path = write_book(tmp_path / "t.xlsx", TITLES + TWO_HEADERS + NOTES)
    found = unveil.PublishedTable.from_file(path, dims=["region", "sex", "health"])
    assert found.levels == (("Ash", "Birch", "Elm"), ("Men", "Women"), ("good", "bad"))
    assert found.system.counts == (1200, 3, 1150, 7, 410, 0, 402, 2, 12, 1, 15, 4)
    assert found.notes == (
        "Read as a cross-table: 4 rows by 5 columns of values, by Region, columns1, columns2. Kept"
        " as text: 2 rows of titles, 2 rows of notes.",
    )


def test_several_columns_of_labels_repeat_what_is_above(tmp_path):
    found = unveil.PublishedTable.from_file(write_book(tmp_path / "t.xlsx", [["T"], *LABELS]))
    assert found.dims == ("Region", "Sex", "columns")
    assert found.system.counts == (1, 2, 3, 4, 5, 6, 7, 8)


def lay_out(rng, counts, levels):
    """A table by region, sex and age as some office would lay it out, and its shape as text."""
    region, sex, age = levels
    spell = rng.choice([str, "{:,}".format, lambda n: f"{n:,}".replace(",", " "), int])
    write = lambda n: "-" if n == 0 and rng.random() < 0.3 else spell(n)  # noqa: E731
    has_totals, is_deep = rng.random() < 0.5, rng.random() < 0.5
    sums = lambda r, s, a: sum(  # noqa: E731
        n
        for key, n in counts.items()
        if all(w in (None, k) for w, k in zip((r, s, a), key, strict=True))
    )
    regions = [*region, *([None] if has_totals else [])]
    columns = [*product(sex, age), *([(None, None)] if has_totals else [])]
    if is_deep:
        head = [[None, *(s or "Total" for s, _ in columns)], ["Region", *(a for _, a in columns)]]
        for j in range(len(columns), 1, -1):
            if head[0][j] == head[0][j - 1]:
                head[0][j] = None
        body = [[r or "Total", *(write(sums(r, s, a)) for s, a in columns)] for r in regions]
    else:
        head = [["Region", "Sex", *age, *(["All"] if has_totals else [])]]
        ages = [*age, *([None] if has_totals else [])]
        body = [
            [r if i == 0 else None, s, *(write(sums(r, s, a)) for a in ages)]
            for r in region
            for i, s in enumerate(sex)
        ]
    titles = [[f"Table {rng.randint(1, 9)}"], []][: rng.choice((0, 1, 2))]
    return [*titles, *head, *body, *([[], ["Note."]] if rng.random() < 0.5 else [])]


def test_any_layout_gives_the_counts_it_was_made_of(tmp_path):
    for seed in range(60):
        rng = random.Random(seed)
        levels = [f"R{i}" for i in range(rng.randint(2, 5))], ["m", "f"], ["young", "old"]
        counts = {key: rng.choice((0, 1, 7, 1234, 45678)) for key in product(*levels)}
        path = write_book(tmp_path / f"{seed}.xlsx", lay_out(rng, counts, levels))
        found = unveil.PublishedTable.from_file(path, layout="crosstab")
        assert dict(zip(product(*found.levels), found.system.counts, strict=True)) == counts


def test_the_workbook_to_publish_has_the_same_shape_and_no_true_count(tmp_path, capsys):
    rows = TITLES + TWO_HEADERS + NOTES
    path, out = write_book(tmp_path / "t.xlsx", rows), tmp_path / "publish.xlsx"
    asked = ["-r", "conventional:5", "--margins", "all", "--total", "--out", str(out)]
    call("table", str(path), *asked)
    assert "Read as a cross-table" in capsys.readouterr().out
    made, given = cells_of(out), cells_of(path)
    rounded = lambda text: str((parse_value(text) + 2) // 5 * 5)  # noqa: E731
    for i, row in enumerate(given):
        for j, cell in enumerate(row):
            is_count = 5 <= i <= 8 and j > 0
            assert made[i][j] == (rounded(cell) if is_count else cell)
    again = tmp_path / "again.xlsx"
    call("table", str(path), *asked[:-1], str(again))
    assert again.read_bytes() == out.read_bytes()


def test_hidden_values_are_marked_and_a_plan_reads_them_again(tmp_path):
    path, out = write_book(tmp_path / "t.xlsx", [["T"], *LABELS]), tmp_path / "publish.xlsx"
    asked = ["-r", "suppress:5", "--margins", "all", "--total", "--out", str(out)]
    call("table", str(path), *asked)
    assert cells_of(out)[2] == ["Ash", "m", "c", "c", "c"]
    plan = unveil.Plan.from_tables(
        [
            {
                "name": "T",
                "by": ["Region", "Sex", "age"],
                "file": str(out),
                "publish": "suppress:5",
                "margins": "all",
            }
        ]
    )
    assert plan.facts.hidden.sum() == 5
    assert plan.facts.upper[plan.facts.hidden].max() == 4


@pytest.mark.parametrize("dim", ["sex", "a", "b"])
def test_a_wide_text_file_with_a_level_called_n(tmp_path, dim):
    path = tmp_path / "t.csv"
    path.write_text(f"{dim},A,B,N\nf,1,2,3\nm,4,5,9\n")
    found = unveil.PublishedTable.from_file(path)
    assert (found.dims, found.levels) == ((dim, "columns"), (("f", "m"), ("A", "B")))
    assert found.notes == (
        "Read as wide: 2 rows by 2 columns, 12 people.",
        "A level of 'columns' is the sum of the others and is read as the total.",
    )
    path.write_text("sex,A,B,N\nf,1,2,30\nm,4,5,9\n")
    with pytest.raises(ReadError, match="can be read in two ways"):
        unveil.PublishedTable.from_file(path)
    found = unveil.PublishedTable.from_file(path, layout="wide")
    assert found.levels[1] == ("A", "B", "N")


@pytest.mark.parametrize("labels", ["12", "AC"])
def test_labels_of_a_wide_text_file_may_look_like_counts(tmp_path, labels):
    path = tmp_path / "t.csv"
    path.write_text("ward,good,bad\n" + "".join(f"{label},40,6\n" for label in labels))
    found = unveil.PublishedTable.from_file(path)
    assert found.notes == ("Read as wide: 2 rows by 2 columns, 92 people.",)


SHEET = "The dataset (t.xlsx) "
ENDING = (
    " A cross-table has labels in its first columns, headers above, whole numbers in every cell,"
    " and text only above and below."
)
REFUSED = {
    "hidden": (
        [["T"], [], ["Region", "young", "old"], ["Ash", 1, "c"], ["Elm", 3, 4]],
        "has hidden values (1). The table must hold the true counts; a table that is published"
        " already belongs into a plan (unveil plan).",
    ),
    "blank": (
        [["T"], [], ["Region", "young", "old"], ["Ash", 1, None], ["Elm", 3, 4]],
        "has empty cells among its numbers (1), which may be 0 or hidden. State that they are 0:"
        " blank='zero' (--blank zero).",
    ),
    "sections": (
        [["T"], ["Region", "a", "b"], ["Men"], ["Ash", 1, 2], ["Women"], ["Ash", 5, 6]],
        "has numbers outside the block that was read as the table: headings between rows, or"
        f" several tables on one sheet. See row 6.{ENDING}",
    ),
    "no header": (
        [["T"], ["Ash", 1, 2], ["Elm", 3, 4]],
        f"has no row of headers above its numbers.{ENDING}",
    ),
    "labels in unequal numbers": (
        [["T"], ["Region", "young", "old"], ["Ash", 1, 2], ["Elm", "N", 4]],
        f"has text among its numbers. See row 4.{ENDING}",
    ),
    "one header missing": (
        [["T"], ["Region", "young", "old", None], ["Ash", 1, 2, 5], ["Elm", 3, 4, 6]],
        f"has a column of numbers without a header. See row 2.{ENDING}",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_refused_with_a_sentence(tmp_path, case):
    rows, sentence = REFUSED[case]
    path = write_book(tmp_path / "t.xlsx", rows)
    with pytest.raises(ReadError) as refused:
        unveil.PublishedTable.from_file(path, layout="crosstab")
    assert str(refused.value) == SHEET + sentence


def test_a_wrong_total_a_chance_total_and_an_unnamed_sheet_are_refused(tmp_path):
    wrong = [row[:] for row in LABELS]
    wrong[-1][-1] = 37
    with pytest.raises(unveil.InputError, match="than its cells add up to"):
        unveil.PublishedTable.from_file(write_book(tmp_path / "w.xlsx", [["T"], *wrong]))
    chance = [["T"], ["Region", "a", "b", "c"], ["Ash", 1, 2, 3]]
    with pytest.raises(ReadError, match="can be read in two ways"):
        unveil.PublishedTable.from_file(write_book(tmp_path / "c.xlsx", chance), layout="crosstab")
    path = write_book(tmp_path / "s.xlsx", [["T"], *LABELS], [["T"], *LABELS])
    with pytest.raises(ReadError, match=r"has 2 sheets: Sheet1, Sheet2\. Name one behind"):
        unveil.PublishedTable.from_file(path, layout="crosstab")
    assert unveil.PublishedTable.from_file(f"{path}#Sheet2").N == 36


def test_frames_have_no_cells():
    with pytest.raises(unveil.SettingsError, match="from a workbook or a text file only"):
        unveil.PublishedTable.from_file(pl.DataFrame({"a": [1]}), layout="crosstab")
