"""One sealed page: no script, no outside resource, readable on paper and on a telephone.

Every picture has a sentence above it, a caption below, and the same figures as a table, folded on
the screen.
"""

from collections.abc import Sequence
from html import escape

from unveil.view.html import grid, paragraph

SAME_FIGURES = "The same figures as a table"
CONFIDENTIAL = "CONFIDENTIAL: drawn from the original data. It stays with the custodian."
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
STYLE = """
:root{color-scheme:light dark;--line:#c9ced6;--dim:#4f5b6b;--soft:#f3f5f8;--warn:#8a3b00}
@media (prefers-color-scheme:dark){
:root{--line:#444c58;--dim:#a9b4c2;--soft:#1d2229;--warn:#ffb27a}}
*{box-sizing:border-box}
body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;padding:1rem;max-width:64rem}
h1{font-size:1.5rem;line-height:1.25;margin:.5rem 0}
h2{font-size:1.2rem;margin:2rem 0 .5rem}
h3{font-size:1.05rem;margin:0;overflow-wrap:anywhere}
p,li,dd,.text{overflow-wrap:anywhere}td,th{overflow-wrap:break-word}
.dim,dt,thead th{color:var(--dim)}
.scroll{overflow-x:auto}
table{border-collapse:collapse}.scroll table{width:100%}
caption{text-align:left;font-weight:600;padding:.25rem 0}
th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0}
tr{border-bottom:1px solid var(--line)}
thead th{font-weight:600;font-size:.9rem}
tbody th{font-weight:600}tbody th span{display:block;font-weight:400}
td.number,th.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
section.column{border:1px solid var(--line);border-radius:.4rem;padding:.8rem 1rem;margin:.8rem 0;
break-inside:avoid-page}
section.column>p{margin:.1rem 0 .5rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}
dt{font-size:.9rem}dd{margin:0}
.look{border-left:.25rem solid var(--warn);background:var(--soft);padding:.4rem .8rem;
margin:.5rem 0;list-style:none}
.look p{margin:.1rem 0}
.stop{border:2px solid var(--warn);padding:.5rem .8rem;font-weight:600}
.figures :is(td,th):not(:first-child){text-align:right;font-variant-numeric:tabular-nums}
.figures td:not(:first-child){white-space:nowrap}
figure{margin:1rem 0;break-inside:avoid-page;overflow-x:auto}
figcaption{color:var(--dim);font-size:.9rem}
figure svg{max-width:100%;height:auto}
details{margin:.3rem 0}summary{cursor:pointer;color:var(--dim)}
a{color:inherit}
a:focus-visible{outline:3px solid var(--warn);outline-offset:2px}
@media (max-width:40rem){.wide{display:none}figure svg{max-width:none}}
@media print{details::details-content{content-visibility:visible;display:block}
body{max-width:none;padding:0;font-size:10pt}a{text-decoration:none}
.scroll,figure{overflow:visible}.wide{display:table-cell}figure svg{max-width:100%}}
"""


def page(title: str, body: Sequence[str], *, style: str = STYLE, band: str = "") -> str:
    """A whole document from its parts, which are escaped already; a band stands above them."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)}</title><style>{style}</style></head>\n"
        f"<body>{band}<main>{''.join(body)}</main></body></html>\n"
    )


def confidential() -> str:
    """What stands on top of every page that is drawn from the original."""
    return f'<p class="stop">{CONFIDENTIAL}</p>'


def figures(caption: str, heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of figures, right-aligned but for what they are of; it scrolls where it is wide."""
    table = grid(caption, heads, rows)
    return f'<div class="scroll figures">{table}</div>' if table else ""


def figure(
    sentence: str,
    picture: str,
    *,
    caption: str,
    heads: tuple[str, ...] = (),
    rows: Sequence[tuple[str, ...]] = (),
) -> str:
    """A picture (SVG) with its sentence, its caption, and its figures as a table."""
    told = paragraph(sentence)
    shown = f"<figure>{picture}<figcaption>{escape(caption)}</figcaption></figure>"
    return f"{told}{shown}{render_details(SAME_FIGURES, figures('', heads, rows))}"


def render_details(summary: str, content: str) -> str:
    """Something to unfold on the screen; open on paper. Nothing of nothing."""
    return f"<details><summary>{escape(summary)}</summary>{content}</details>" if content else ""
