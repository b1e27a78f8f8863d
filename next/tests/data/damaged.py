"""Damaged files of every kind: each is read, or refused in a sentence.

    python tests/data/damaged.py --files 1500

Good files are cut, and bits and bytes in them flipped and inserted. Reading one must give a frame
or a refusal, in time, without a value of the data in a message or anything printed.
"""

import argparse
import gzip
import os
import random
import re
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import date, datetime
from functools import partial
from pathlib import Path

import polars as pl
import pyreadstat

import unveil
from unveil.data.apart import SECONDS

sys.path.append(str(Path(__file__).parents[1]))

from data.test_excel import write_book

CANARY = "HIVpositive1847"
SAS = Path(__file__).parents[3] / "tests" / "io" / "data" / "people.sas7bdat"
LETTERS = pl.Series("letter", [1, "a", None, "z"] * 10, dtype=pl.Object)
FRAME = pl.DataFrame({
    "sex": [1.0, 2.0, 9.0, None] * 10,
    "ill": [CANARY, "no", "", CANARY * 25] * 10,
    "born": [date(1583, 1, 1), date(2026, 11, 19), None, date(1900, 1, 1)] * 10,
    "seen": [datetime(2026, 11, 19, 1, 2, 3), None] * 20,
    "n": [1, 2, 3, None] * 10,
})  # fmt: skip
LABELS = {"sex": {1: "male", 2: CANARY}}
LABELLED = re.compile(
    r"(is damaged: it cannot be read|is damaged, or needs more memory than there is"
    r"|is no file of \w+, whatever its ending says)\. Ask for it again, or export it as CSV\."
    r"|is (empty\. Ask for it again|locked with a password\. Save it without one)\."
)
PLAIN = re.compile(r"[a-z][^\x00-\x1f]{10,300}[.?]")


def good_files(folder: Path) -> dict[str, list[bytes]]:
    """The bytes of sound files, by ending."""
    spss = partial(pyreadstat.write_sav, missing_ranges={"sex": [9]}, variable_value_labels=LABELS)
    stata = partial(
        pyreadstat.write_dta,
        variable_value_labels=LABELS,
        missing_user_values={"letter": ["a", "z"]},
    )
    writers = {
        ".sav": [spss, partial(spss, row_compress=True), partial(spss, compress=True)],
        ".dta": [partial(stata, version=version) for version in (14, 12)],
        ".xpt": [
            partial(pyreadstat.write_xport, file_format_version=version) for version in (5, 8)
        ],
    }
    files: dict[str, list[bytes]] = {}
    for ending, writes in writers.items():
        frame = FRAME.with_columns(LETTERS) if ending == ".dta" else FRAME
        if ending == ".dta":
            frame = frame.with_columns(pl.col("ill").fill_null("").str.head(200))
        for write in writes:
            write(frame, path := folder / f"good{ending}")
            files.setdefault(ending, []).append(path.read_bytes())
    if SAS.exists():
        files[".sas7bdat"] = [SAS.read_bytes()]
    texts = FRAME.with_columns(pl.col("ill").str.head(40)).write_csv().encode()
    sheet = [FRAME.columns, *FRAME.with_columns(pl.col("ill").str.head(40)).rows()]
    FRAME.write_parquet(path := folder / "good.parquet")
    return files | {
        ".csv": [texts], ".csv.gz": [gzip.compress(texts)], ".parquet": [path.read_bytes()],
        ".xlsx": [write_book(people=sheet)],
    }  # fmt: skip


def damage(content: bytes, chance: random.Random) -> bytes:
    """Cut, with bits flipped, or with bytes inserted or overwritten."""
    damaged = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 8])):
        # Half of the faults are in the beginning, where a file says what it holds.
        place = chance.randrange(len(damaged) if chance.random() < 0.5 else min(len(damaged), 1500))
        some = chance.randbytes(chance.choice([1, 4, 8, 100]))
        match chance.choice(["flip", "flip", "cut", "insert", "overwrite"]):
            case "flip":
                damaged[place] ^= 1 << chance.randrange(8)
            case "cut":
                del damaged[place : place + chance.choice([1, 8, 100, len(damaged)])]
            case "insert":
                damaged[place:place] = some
            case "overwrite":
                damaged[place : place + len(some)] = some
        damaged = damaged or bytearray(b"\0")
    return bytes(damaged)


def outcome(path: Path) -> str:
    """What reading a file comes to."""
    start = time.monotonic()
    try:
        height = unveil.read(path).frame.height
        result = "read" if height else "read without records"
    except unveil.InputError as refusal:
        text = str(refusal).removeprefix(f"{str(path)!r} ")
        sentence = PLAIN if path.suffix in (".csv", ".gz", ".parquet", ".xlsx") else LABELLED
        is_plain = sentence.fullmatch(text) and CANARY not in text and not refusal.__cause__
        result = "refused" if is_plain else f"WRONG: {text}"
    except BaseException as fault:  # whatever it is, it should not come
        result = f"WRONG: {type(fault).__name__}: {fault}"
    return "WRONG: too late" if time.monotonic() - start > 1.5 * SECONDS else result


def try_files(
    ending: str, contents: list[bytes], n: int, folder: Path, seed: int = 1
) -> Counter[str]:
    """How often each outcome came; a file with a wrong one stays in the folder."""
    chance = random.Random(f"{ending} {seed}")
    damaged = [damage(contents[number % len(contents)], chance) for number in range(n)]

    def attempt(number: int) -> str:
        path = folder / f"{number}{ending}"
        path.write_bytes(damaged[number])
        result = outcome(path)
        if not result.startswith("WRONG"):
            path.unlink()
        return result

    with ThreadPoolExecutor(min(os.cpu_count() or 1, 4)) as threads:
        return Counter(threads.map(attempt, range(n)))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--files", type=int, default=1500, help="of each format")
    parser.add_argument("--only", help="one format, such as .sav")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    folder, is_sound = Path(tempfile.mkdtemp(prefix="damaged-")), True
    files = good_files(folder)
    for ending in [asked.only] if asked.only else files:
        start = time.monotonic()
        counts = try_files(ending, files[ending], asked.files, folder, asked.seed)
        each = ", ".join(f"{n:,} {result}" for result, n in counts.most_common())
        print(f"{ending}: {each} ({time.monotonic() - start:.0f} s)", flush=True)
        is_sound &= not any(result.startswith("WRONG") for result in counts)
    print("" if is_sound else f"The files are in {folder}.")
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
