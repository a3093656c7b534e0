"""What goes along from page to page, and in what state a page opens that is given it.

Of what the pages share (`CARRIED`), what the reader has changed goes along, and nothing else. It
does not lead to a picture that says that nothing happens: there a page opens as it always does, and
offers what was brought.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from dpviz.scene.codec import (
    CARRIED,
    MODES,
    Parameter,
    Value,
    decode_address,
    encode,
    usual_values,
)
from dpviz.scene.page import Page
from dpviz.scene.scene import Scene

_NOTHING: Mapping[str, Value] = MappingProxyType({})


def changed(values: Mapping[str, Value], parameters: Sequence[Parameter]) -> dict[str, str]:
    """Return what a reader has changed of what pages share, as links write it."""
    usual = usual_values(values, parameters)
    return {
        p.key: p.write(values[p.key])
        for p in parameters
        if p.key in CARRIED and values[p.key] != usual[p.key]
    }


@dataclass(frozen=True)
class Opened:
    """The state in which a page opens.

    notes: what is to be said of what could not be read. offered: what the reader brought along and
    the page does not open with, as nothing would happen there.
    """

    values: dict[str, Value]
    notes: tuple[str, ...]
    offered: Mapping[str, Value] = field(default_factory=dict)


def opened(
    page: Page, query: Mapping[str, Sequence[str]], before: Mapping[str, Value] = _NOTHING
) -> Opened:
    """Return how a page opens at an address.

    before: the values of the page from which the reader comes there, if it is the same: what has no
    effect in the view of a link written in full stays as it was, for views in which it has one.
    """
    parameters = page.url_parameters
    values, notes = decode_address(query, parameters)
    brought = {key: values[key] for key in CARRIED if key in query and key in values}
    if brought and query.keys() <= {*CARRIED, *MODES} and Scene.settled(page, values).is_still:
        others = {key: texts for key, texts in query.items() if key not in CARRIED}
        values, notes = decode_address(others, parameters)
        usual = encode(values, parameters)
        texts = {key: page.parameter(key).write(value) for key, value in brought.items()}
        brought = {key: value for key, value in brought.items() if texts[key] != usual[key]}
        return Opened(values, notes, brought)
    if before and "lecture" not in query:
        named = Scene.opened(page, values).query.keys()
        if named <= query.keys():
            values |= {key: old for key, old in before.items() if key not in {*named, *query}}
    return Opened(values, notes)
