"""`/risk/values`: for which values are the synthetic data correct, and for how many people?"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from unveil.app.form_fields import parse_place
from unveil.app.render_app import draw_page, workspace_of
from unveil.records.disclosure import Disclosure
from unveil.view.disclosure_blocks import value_blocks
from unveil.view.format import copy_name


async def show(request: Request) -> Response:
    """Each value of a target, in one synthetic file or in all of them pooled."""
    workspace = workspace_of(request)
    found = [] if workspace.result is None else workspace.result.parts.of("disclosure")
    if workspace.result is None or not found:
        return draw_page(request, "empty.html", title="Risk by value", command="unveil run")
    scenario = workspace.scenario_of(request)
    record: Disclosure = dict(zip(workspace.result.scenarios, found, strict=True))[scenario][1]
    copies = [row.copy for row in record.identity if row.copy != "mean"]
    at_target, at_copy = (
        parse_place(request, "t", record.targets),
        parse_place(request, "c", copies),
    )
    target = record.targets[at_target] if record.targets else ""
    return draw_page(
        request,
        "values.html",
        title="Risk by value",
        tab="values",
        s=workspace.result.scenarios.index(scenario),
        record=record,
        copies=[copy_name(one) for one in copies],
        at_target=at_target,
        at_copy=at_copy,
        blocks=value_blocks(record, target, copies[at_copy]) if target else (),
        command=("unveil", "explain", target, "--scenario", scenario, "--values"),
    )


ROUTES = (Route("/risk/values", show),)
