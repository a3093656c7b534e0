"""One state of a page, and the snippet and the query that follow from it."""

import inspect
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from dpviz.results.parameters import ParameterError
from dpviz.scene.codec import Number, Parameter, Seed, Value, encode, in_words
from dpviz.scene.page import Page
from dpviz.scene.view import Prediction, Sketch, Upload, View


@dataclass(frozen=True)
class Scene:
    """A page, one of its views, and a value for every parameter of the page.

    own: the reader's own data by their keyword, where they are known.
    """

    page: Page
    view: View
    values: Mapping[str, Value]
    own: Mapping[str, object] = field(default_factory=dict, compare=False)

    @classmethod
    def opened(cls, page: Page, values: Mapping[str, Value]) -> "Scene":
        """Return the scene whose view is the one that `values` open."""
        return cls(page, page.open_view(values), values)

    @classmethod
    def settled(cls, page: Page, values: Mapping[str, Value]) -> "Scene":
        """Return the scene that `values` open, once what it cannot be has fallen back."""
        scene = cls.opened(page, values)
        return cls.opened(page, {**values, **scene.fallen_back})

    @property
    def name(self) -> str:
        """A name for files made of this scene."""
        return f"dpviz-{self.page.name}-{self.view.key}"

    @property
    def arguments(self) -> dict[str, Value]:
        """The values the view depends on, the seed still as a number."""
        return self.page.arguments(self.view, self.values)

    @cached_property
    def state(self) -> Mapping[str, Value]:
        """What the view is told of the values: its own; those of other views are as usual.

        So what a view shows no control of another decides, and a link can do without these.
        """
        key = self.view.key
        return {**self.page.usual(key), **self.arguments, "view": key}

    @cached_property
    def effective(self) -> dict[str, Value]:
        """The values the view depends on, without those that have no effect here."""
        idle = self.idle
        return {key: value for key, value in self.arguments.items() if key not in idle}

    @cached_property
    def query(self) -> dict[str, str]:
        """The query of a link to this scene: the view, and what has an effect in it.

        Defaults are written out, so that a link says the same in later versions.
        """
        named = {"view", *self.effective}
        return encode(self.values, [p for p in self.page.url_parameters if p.key in named])

    @property
    def movable(self) -> dict[str, str]:
        """The query of its figure: all parameters of the view, as a move may give one an effect."""
        keys = self.view.parameters
        return encode(self.values, [p for p in self.page.parameters if p.key in keys])

    @cached_property
    def idle(self) -> Collection[str]:
        """The parameters of the view that have no effect here."""
        most, page = self.most, self.page
        single = {key for key in most if most[key] <= page.number(key).limit.minimum}
        return single.union(self.view.idle(self.state)) & set(self.view.parameters)

    @property
    def in_front(self) -> tuple[str, ...]:
        """The parameters whose controls a class has: those in sight, and what draws again."""
        seeds = {p.key for p in self.page.parameters if isinstance(p, Seed)}
        waiting = set(self.view.parameters) - set(self.view.in_sight)
        return (*self.view.in_sight, *sorted(seeds & waiting))

    @cached_property
    def most(self) -> Mapping[str, float]:
        """The largest values that can be used here, of the numbers the page allows more of."""
        most = self.view.most({**self.state, **self.own})
        limits = {key: self.page.number(key).limit for key in most}
        return {
            key: max(value, limits[key].minimum)
            for key, value in most.items()
            if value < limits[key].maximum
        }

    def parameter(self, key: str) -> Parameter:
        """Return the parameter `key`, with the range that its control has here."""
        parameter, most = self.page.parameter(key), self.most.get(key)
        if most is None or not isinstance(parameter, Number):
            return parameter
        return replace(parameter, limit=parameter.limit.narrowed(maximum=most))

    @property
    def offers(self) -> Mapping[str, Sequence[str]]:
        """The options that are left of a choice here, for those that lose some."""
        return self.view.offers(self.state)

    @property
    def fallen_back(self) -> dict[str, Value]:
        """What has to change, as the state has options or numbers that cannot be used here."""
        offers = self.offers.items()
        changed = {key: left[0] for key, left in offers if left and self.values[key] not in left}
        return changed | self._lowered

    @property
    def _lowered(self) -> dict[str, Value]:
        return {
            key: int(most) if self.page.number(key).limit.integer else most
            for key, most in self.most.items()
            if float(self.values[key]) > most
        }

    @property
    def reset(self) -> tuple[str, ...]:
        """What is to be said of the numbers that fall back, a sentence each."""
        lowered = {self.page.number(key): most for key, most in self._lowered.items()}
        return tuple(
            f"**{one.key}**: {in_words(one, self.values[one.key])} is more than can be used here; "
            f"using {in_words(one, most)}, the most."
            for one, most in lowered.items()
        )

    @property
    def prediction(self) -> Prediction | None:
        """What can be predicted here, if anything."""
        return next((one for one in self.view.predictions if one.applies(self.state)), None)

    def guess_key(self, step: str = "") -> str:
        """Return the key of the control for a guess; another step of a lecture has another."""
        return f"ask-guess-{self.page.slug}-{self.view.key}-{step}"

    @property
    def sketch(self) -> Sketch | None:
        """Which curve can be drawn here before it is seen, if any."""
        sketch = self.view.sketch
        return sketch if sketch is not None and sketch.applies(self.state) else None

    @property
    def upload(self) -> Upload | None:
        """What the view does with the reader's own data, if this scene asks for them."""
        upload = self.view.upload
        return upload if upload is not None and upload.applies(self.state) else None

    @property
    def about(self) -> tuple[object, ...]:
        """All that the figure depends on, by which a session remembers what was said about it."""
        return (self.page.slug, self.view.key, *self.effective.items())

    @property
    def is_still(self) -> bool:
        """Whether the picture says that nothing happens in this state."""
        if self.view.still is None:
            return False
        try:
            result = self.view.compute(**self.page.call(self.arguments))
        except ParameterError:
            return True
        return self.view.still(result)

    @property
    def is_common(self) -> bool:
        """Whether everybody sees the same here, whatever their sessions hold."""
        return self.upload is None and self.view.rounds is None


def snippet(scene: Scene, columns: tuple[str, str] = ("person", "answer")) -> str:
    """Return Python code that computes the numbers of the figure, without the app.

    columns: those of the reader's own file that hold the user and the value.
    """
    compute = scene.view.compute
    imports, keywords = f"from {compute.__module__} import {compute.__name__}", []
    for key, value in scene.arguments.items():
        if isinstance(scene.page.parameter(key), Seed):
            imports = f"import numpy as np\n\n{imports}"
            keywords.append(f"    rng=np.random.default_rng({value!r}),")
        else:
            keywords.append(f"    {key}={value!r},")
    if scene.upload is not None:
        imports = f"from pathlib import Path\n\n{imports}\n{scene.upload.imports}"
        user, value = map(repr, columns)
        bins = scene.upload.categories(scene.values)
        keywords += scene.upload.code.format(user=user, value=value, bins=bins).splitlines()
    if scene.view.rounds is not None:
        letters = ", ".join(f'"{key}": {words}' for key, words in scene.view.rounds.answers.items())
        keywords.append(f'    # {scene.view.rounds.keyword}="...",  # a letter a round; {letters}')
    target = "*_, result" if inspect.isgeneratorfunction(compute) else "result"
    call = "\n".join([f"{target} = {compute.__name__}(", *keywords, ")"])
    return f"{imports}\n\n{call}\ntable = result.columns()\n"
