"""Which charts has a result? Teaches records what `result.plot` offers.

What draws them is read when the first chart is asked for.
"""

from collections.abc import Callable, Mapping

from unveil.records.base import Record, charts
from unveil.view.charts.chart import Chart


@charts.register
def _(record: Record) -> Mapping[str, Callable[..., Chart]]:
    from unveil.view.charts.catalogue import NAMED

    return NAMED.get(type(record), {})
