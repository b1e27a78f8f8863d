"""What was tried as one sealed page: the map, the sentences and the table."""

from html import escape

from unveil.records.exploration import Exploration
from unveil.view.charts.scatter import risk_utility
from unveil.view.exploration import TABLE, exploration_sentences, table
from unveil.view.html import notes, paragraph
from unveil.view.html_page import confidential, figure, figures, page

CAPTION = "Each point is a setting{copies}. The grey line joins the settings that no other betters."
COPIES = ", the mean of its copies; thin lines are one standard deviation over copies"


def exploration_page(record: Exploration) -> str:
    """The whole page."""
    told = list(exploration_sentences(record))
    plain = [sentence for kind, sentence in told if kind not in ("ends", "refused", "warning")]
    look = "".join(
        f"<p>{escape(sentence)}</p>" for kind, sentence in told if kind in ("refused", "warning")
    )
    caption = CAPTION.format(copies=COPIES if record.n_copies > 1 else "")
    ends = next((sentence for kind, sentence in told if kind == "ends"), plain[0])
    return page(
        "Risk and utility",
        [
            "<h1>Risk and utility of several ways to make copies</h1>",
            confidential(),
            paragraph(plain[0]),
            figure(ends, risk_utility(record).svg(), caption=caption),
            *map(paragraph, plain[1:]),
            f'<div class="look">{look}</div>' if look else "",
            figures(TABLE, *table(record)),
            notes(record.coercions),
        ],
    )
