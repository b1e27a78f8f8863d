"""What was tried as one sealed page: the map, the sentences and the table."""

from html import escape

from unveil.records.exploration import Exploration
from unveil.report.charts.risk_utility import risk_utility_map
from unveil.report.exploration import HEADS, cells, exploration_sentences
from unveil.report.html import grid, notes, paragraph
from unveil.report.page import confidential, figure, page

CAPTION = (
    "Each point is a setting, the mean of its copies; thin lines are one standard deviation over"
    " copies. The grey line joins the settings that no other betters."
)


def exploration_page(record: Exploration) -> str:
    """The whole page."""
    told = list(exploration_sentences(record))
    plain = [sentence for kind, sentence in told if kind not in ("ends", "refused", "warning")]
    look = "".join(
        f"<p>{escape(sentence)}</p>" for kind, sentence in told if kind in ("refused", "warning")
    )
    ends = next((sentence for kind, sentence in told if kind == "ends"), plain[0])
    table = grid("Risk and utility", HEADS, [cells(record, row) for row in record.rows])
    return page(
        "Risk and utility",
        [
            "<h1>Risk and utility of several ways to make copies</h1>",
            confidential(),
            paragraph(plain[0]),
            figure(ends, risk_utility_map(record), caption=CAPTION),
            *map(paragraph, plain[1:]),
            f'<div class="look">{look}</div>' if look else "",
            f'<div class="scroll">{table}</div>',
            notes(record.coercions),
        ],
    )
