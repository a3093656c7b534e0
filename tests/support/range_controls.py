"""The range controls of a page under Streamlit's test driver, which has no browser to run them."""

import itertools
import json

_numbers = itertools.count(1)


def controls(app):
    """What each control was told, by its key."""
    descriptions = [json.loads(element.proto.json) for element in _components(app, "dpviz.range")]
    return {data["key"]: data for data in descriptions}


def shown(app, key):
    return controls(app)[key]["text"]


def end(app, key, text, number=None):
    """Let go of a thumb at `text`, or type it; return the app after its run.

    Where the figure alone has run, the driver has forgotten the rest of the page: all is run.
    """
    app = let_go(app, key, text, number)
    return app if controls(app) else app.run()


def let_go(app, key, text, number=None):
    """Let go of a thumb at `text`; return the app with what that run drew, and nothing else."""
    return _control(app, key, "end", text, number)


def _control(app, key, name, text, number):
    [control] = [
        element
        for element in _components(app, "dpviz.range")
        if json.loads(element.proto.json)["key"] == key
    ]
    return _run(app, control, {name: {"text": text, "number": number or next(_numbers)}})


def _components(app, name):
    return [e for e in app.get("bidi_component") if e.proto.component_name == name]


def _run(app, element, value):
    states = app._tree.get_widget_states()
    states.widgets.add(id=element.proto.id, json_value=json.dumps(value))
    return app._run(states)
