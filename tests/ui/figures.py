"""What the stage of a page under Streamlit's test driver shows: asked of the route, as it says."""

import json

from tests.serve.asgi import Answer, app, asked
from tests.support.loops import run


def stage_data(app_test):
    """What the script told the stage."""
    [element] = [
        element
        for element in app_test.get("bidi_component")
        if element.proto.component_name == "dpviz.stage"
    ]
    return json.loads(element.proto.json)


def figure(app_test, **more: str) -> Answer:
    """The answer to what the stage of a page would ask for, and `more`."""
    data = stage_data(app_test)
    name, token = data["token"]
    query = data["query"] | {key: value for key, value in data["look"].items() if value} | more
    return run(asked(app(), data["figure"], query, {name: token}))


def takeaway(app_test) -> str:
    """The sentence above the figure, or what stands in its place."""
    last = figure(app_test).last
    return last.get("takeaway") or last["problem"]
