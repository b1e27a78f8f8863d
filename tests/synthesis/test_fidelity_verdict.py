import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "fidelity.py"


def test_one_copy_has_no_standard_error_and_so_no_verdict(monkeypatch, capsys):
    spec = spec_from_file_location("fidelity", BENCHMARK)
    fidelity = module_from_spec(spec)
    spec.loader.exec_module(fidelity)
    monkeypatch.setattr(fidelity, "read", lambda name: pytest.fail("nothing is to be computed"))
    monkeypatch.setattr(sys, "argv", ["fidelity.py", "--seeds", "1"])
    with pytest.raises(SystemExit) as ended:
        fidelity.main()
    assert ended.value.code == 2
    assert "take --seeds 2 or more for a verdict" in capsys.readouterr().err
