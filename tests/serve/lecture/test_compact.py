"""What files hold of a figure is what the figure route draws of it, for every view."""

from dpviz.scene.catalogue import PAGES
from dpviz.scene.codec import encode
from dpviz.scene.lectures import LectureScene
from dpviz.serve.book import figures
from dpviz.serve.lecture import scenes
from dpviz.serve.topics import Topics
from tests.serve.lecture.files import agree, held
from tests.support.examples import chosen

# Between them they have paths, steps, dots, bars, circles, and curves that end before others.
_USUAL = {"bounded_noise/noise", "clipping/people", "perfect_generalization/pairs"}


def test_a_figure_is_held_as_it_is_drawn():
    topics = Topics()
    pages = filter(None, (topics.page(each.slug) for each in PAGES))
    names = {f"{page.slug}/{view.key}": (page, view.key) for page in pages for view in page.views}
    asked, said = [], []
    for page, key in map(names.__getitem__, chosen(names, _USUAL)):
        state = encode(page.usual(key), page.url_parameters)
        step = LectureScene(page.slug, state, "")
        first, scene, progress = _drawn(step, topics)
        for look, narrow in zip(figures.looks(step), (False, True), strict=True):
            asked.append(("lineOf", first, {"narrow": narrow}))
            said.append((scenes.final_line(scene, progress, look), narrow))
    for line, (route, narrow) in zip(held(*asked), said, strict=True):
        agree(line, route, within=0.02 if narrow else 0)


def _drawn(step: LectureScene, topics: Topics):
    scene = scenes.opened(step, topics)
    progress, _ = figures.settled(scene, 20)
    assert progress is not None
    return scenes.figure_of(scene, progress, figures.looks(step)), scene, progress
