"""Which colour has a status? One that is never alone: a shape and a word stand beside it."""

from unveil.records.judgement import Status
from unveil.view.charts.render_svg import BAD, GOOD, ORIGINAL, REVIEW

COLOURS: dict[Status, str] = {
    "above": BAD,
    "not measured": BAD,
    "review": REVIEW,
    "within": GOOD,
    "no limit": ORIGINAL,
}
