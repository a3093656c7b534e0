"""Figures to brush, held to the schema of Vega-Lite."""

from typing import Any

import orjson


def seen(drawn: dict[str, Any], first: int | None = None, last: int = 0) -> str:
    """Return what Vega draws of a figure at rest, or with groups brushed, as SVG."""
    import vl_convert

    ends = {} if first is None else {"first": str(first), "last": str(last)}
    params = [
        param | {"expr": ends[param["name"]]} if param["name"] in ends else param
        for param in drawn["params"]
    ]
    return vl_convert.vegalite_to_svg(drawn | {"params": params}, vl_version="6.1")


def understood(drawn: dict[str, Any]) -> None:
    """Hold a figure to the schema of Vega-Lite, with all that it looks up."""
    import altair  # takes a quarter of a second, and not every worker has such a figure

    names = [param["name"] for param in drawn["params"]]
    assert len(names) == len(set(names)), "Vega has no two signals of one name"
    altair.Chart.from_dict(orjson.loads(orjson.dumps(drawn)), validate=True)
    assert drawn["$schema"].rsplit("/", 1)[1].startswith("v6")


def titles(drawn: dict[str, Any], place: int) -> list[list[str]]:
    """Return what stands above a panel, for everybody and for each range that can be brushed."""
    return next(param["value"] for param in drawn["params"] if param["name"] == "titles")[place]


def now(drawn: dict[str, Any], place: int, mark: str, key: str) -> list[Any]:
    """Return what the points of a panel's first marks of a kind show, for each range."""
    layers = drawn["concat"][place]["layer"]
    rows = next(one for one in layers if one["mark"]["type"] == mark)["data"]["values"]
    return [row[key] for row in rows]
