import polars as pl

import unveil

FRAME = pl.DataFrame({"k": [1, 2], "t": ["a", "b"]})


def test_progress_names_each_stage_and_never_goes_back_within_it():
    told = []
    unveil.disclosure(FRAME, [FRAME, FRAME], keys="k", progress=lambda *step: told.append(step))
    stages = list(dict.fromkeys(what.split()[0] for what, _, _ in told))
    assert stages == ["reading", "counting", "measuring"]
    assert all(0 <= done < total for _, done, total in told)
    assert [step for step in told if step[0].startswith("reading the original")] == [
        ("reading the original data", 0, 3)
    ]
    assert told[-1] == ("measuring t", 2, 3)
