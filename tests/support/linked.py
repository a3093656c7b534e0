"""Figures to brush, held to the schema of Vega-Lite."""

import orjson

from dpviz.plot.linked import Linked
from dpviz.plot.theme import DARK, LIGHT

THEMES = [LIGHT, DARK, LIGHT.narrow(), DARK.projected(480)]


def seen(drawn: Linked) -> str:
    """Return what Vega draws of a figure at rest, as SVG."""
    import vl_convert

    return vl_convert.vegalite_to_svg(drawn.still(900), vl_version="6.1")


def understood(drawn: Linked) -> None:
    """Hold a figure to the schema of Vega-Lite, with all that it looks up."""
    import altair  # takes a quarter of a second, and not every worker has such a figure

    params = [{"name": name, "value": value} for name, value in drawn.values.items()]
    whole = dict(drawn.specification) | {"datasets": dict(drawn.tables)}
    whole["params"] = [*whole["params"], *params]
    names = [param["name"] for param in whole["params"]]
    assert len(names) == len(set(names)), "Vega has no two signals of one name"
    altair.Chart.from_dict(orjson.loads(orjson.dumps(whole)), validate=True)
    assert drawn.specification["$schema"].rsplit("/", 1)[1].startswith("v6")
