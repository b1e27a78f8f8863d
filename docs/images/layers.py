"""Draw docs/images/layers.svg from the import graph: `python docs/images/layers.py`.

One row for each part of the package, in the order of the layers in pyproject.toml; an arc for each
part that another imports, as wide as the logarithm of how many modules do.
"""

import ast
import math
import tomllib
from collections import Counter
from html import escape
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "unveil"
ROW, TOP, LEFT, BOX, WIDTH = 46, 64, 24, 470, 900


def layers() -> list[list[str]]:
    """The parts of the package, the uppermost first; those of one row do not import each other."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    (found,) = (one["layers"] for one in contracts["contracts"] if one["type"] == "layers")
    return [[name.strip() for name in row.split("|")] for row in found]


def part_of(path: Path) -> str:
    """`measure` for src/unveil/measure/gate/links.py, `errors` for src/unveil/errors.py."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports() -> Counter[tuple[str, str]]:
    """How many modules of one part import another, imports for type checkers included."""
    found: Counter[tuple[str, str]] = Counter()
    for path in SOURCE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {
            node.module.split(".")[1]
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("unveil.")
        }
        found.update((part_of(path), name) for name in names if name != part_of(path))
    return found


def purpose(name: str) -> str:
    """What a part says it is for, in its docstring's first line."""
    path = SOURCE / name / "__init__.py" if (SOURCE / name).is_dir() else SOURCE / f"{name}.py"
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]


def size(name: str) -> str:
    """Files and lines of a part."""
    files = [*(SOURCE / name).rglob("*.py")] or [SOURCE / f"{name}.py"]
    lines = sum(path.read_text(encoding="utf-8").count("\n") for path in files)
    return f"{len(files)} files, {lines:,} lines" if len(files) > 1 else f"{lines:,} lines"


def short(text: str, longest: int = 66) -> str:
    """A line that fits its box."""
    return text if len(text) <= longest else text[: longest - 1].rsplit(" ", 1)[0] + " …"


def svg() -> str:
    """The picture."""
    rows = [row for row in layers() if row]
    place = {name: i for i, row in enumerate(rows) for name in row}
    height = TOP + ROW * len(rows) + 16
    drawn = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"'
        ' font-family="system-ui, sans-serif" font-size="12">',
        "<title>The layers of unveil: imports only go down</title>",
        f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
        f'<text x="{LEFT}" y="28" font-size="16" font-weight="600">The layers of unveil</text>',
        f'<text x="{LEFT}" y="47" fill="#555">A part imports only what stands below it. An arc is'
        " an import; the more modules, the wider (none is drawn to the two lowest rows).</text>",
    ]
    for (upper, lower), n in sorted(imports().items(), key=lambda one: (-one[1], one[0])):
        if upper not in place or place.get(lower, len(rows)) >= len(rows) - 2:
            continue  # everything imports the two lowest rows
        y0, y1 = (TOP + ROW * place[name] + ROW / 2 - 4 for name in (upper, lower))
        reach = LEFT + BOX + 30 + 26 * abs(place[lower] - place[upper])
        drawn.append(
            f'<path d="M{LEFT + BOX} {y0:g} C{reach} {y0:g} {reach} {y1:g} {LEFT + BOX} {y1:g}"'
            f' fill="none" stroke="#2a6f97" stroke-opacity="0.45" stroke-width="{_wide(n):.1f}">'
            f"<title>{n} of {upper} import {lower}</title></path>"
        )
    for i, row in enumerate(rows):
        y = TOP + ROW * i
        what = purpose(row[0]) if len(row) == 1 else "; ".join(map(purpose, row))
        sizes = size(row[0]) if len(row) == 1 else ""
        right = LEFT + BOX - 12
        drawn += [
            f'<rect x="{LEFT}" y="{y}" width="{BOX}" height="{ROW - 8}" rx="5" fill="#eef4f8"'
            ' stroke="#a9c2d3"/>',
            f'<text x="{LEFT + 12}" y="{y + 16}" font-weight="600">{escape(", ".join(row))}</text>',
            f'<text x="{right}" y="{y + 16}" text-anchor="end" fill="#555">{sizes}</text>',
            f'<text x="{LEFT + 12}" y="{y + 31}" fill="#333" font-size="11">'
            f"{escape(short(what, 78))}</text>",
        ]
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _wide(n: int) -> float:
    return 0.6 + 1.1 * math.log2(n)


if __name__ == "__main__":
    (Path(__file__).parent / "layers.svg").write_text(svg(), encoding="utf-8")
