"""The scenes in which a test looks at every kind of figure there is."""

import itertools
from collections.abc import Iterator
from functools import cache

from dpviz.scene.codec import Choice, Flag, decode
from dpviz.scene.lectures import shipped
from dpviz.scene.scene import Scene
from tests.support.declarations import opened, page


@cache
def scenes(slug: str) -> tuple[Scene, ...]:
    """All views of a page with each of their choices, all its presets, its scenes of lectures."""
    return tuple({scene.about: scene for scene in _scenes(slug)}.values())


def _scenes(slug: str) -> Iterator[Scene]:
    declared = page(slug)
    for view in declared.views:
        scene = opened(declared, view.key)
        switches = {
            p.key: list(p.options) if isinstance(p, Choice) else [False, True]
            for p in declared.parameters
            if isinstance(p, Choice | Flag) and p.key in view.parameters
        }
        for chosen in itertools.product(*switches.values()):
            values = {**scene.values, **dict(zip(switches, chosen, strict=True))}
            found = Scene.opened(declared, values)
            yield Scene.opened(declared, values | found.fallen_back)
    for preset in declared.presets:
        yield Scene.opened(declared, declared.preset_values(preset))
    for lecture in shipped().values():
        for scene in lecture.scenes:
            if scene.page == slug:
                values, _ = decode(
                    {key: [text] for key, text in scene.state.items()}, declared.url_parameters
                )
                yield Scene.opened(declared, values)
