"""The notebook of the documentation shows what its cells give now.

`python tests/docs/test_notebook.py` executes it again and writes what it shows.
"""

import ast
import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

PLACE = Path(__file__).parents[2] / "docs" / "notebook.ipynb"


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def execute(notebook: dict[str, Any]) -> dict[str, Any]:
    """As Jupyter does: all cells in one namespace, the value of a last expression is shown."""
    names: dict[str, Any] = {}
    number = 0
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            number += 1
            cell |= {"execution_count": number, "outputs": outputs(cell, number, names)}
    return notebook


def outputs(cell: dict[str, Any], number: int, names: dict[str, Any]) -> list[dict[str, Any]]:
    tree, printed, shown = ast.parse("".join(cell["source"])), io.StringIO(), None
    with redirect_stdout(printed):
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell", "exec"), names)
        if isinstance(last, ast.Expr):
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if shown is not None:
        data = {"text/plain": lines(repr(shown))}
        result = {"execution_count": number, "metadata": {}, "output_type": "execute_result"}
        found.append({"data": data, **result})
    return found


def test_the_notebook_shows_what_its_cells_give() -> None:
    committed = PLACE.read_text(encoding="utf-8")
    assert sum(map(len, (cell.get("outputs", []) for cell in json.loads(committed)["cells"]))) > 4
    assert execute(json.loads(committed)) == json.loads(committed)


if __name__ == "__main__":
    executed = execute(json.loads(PLACE.read_text(encoding="utf-8")))
    PLACE.write_text(json.dumps(executed, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
