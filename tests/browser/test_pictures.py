"""A picture made without a browser: what it draws is where the browser draws it."""

import json

import numpy as np
import pytest
from scipy.spatial import cKDTree

from dpviz.plot.framed import WIDTH
from dpviz.plot.picture import picture, svg
from dpviz.plot.theme import LIGHT
from dpviz.scene.codec import decode
from dpviz.scene.scene import Scene
from dpviz.serve.bundles import plotly
from tests.support.declarations import finest, page

BOUNDARY = {"task": "halfplanes", "learner": "perturbation", "samples": "200"}
BOUNDARY |= {"public_points": "10", "averages": "20"}
EXAMPLES = {
    "contour": ("public_data", "learn", BOUNDARY),
    "dots and words": ("bounded_noise", "noise", {}),
    "bars from a base": ("bounded_noise", "losses", {}),
    "walls": ("bounded_noise", "compare", {}),
    "filled between": ("adaptive_analysis", "attack", {"questions": "200", "sample_size": "101"}),
    "steps": ("perfect_generalization", "pairs", {}),
    "heatmap": ("shared_darts", "joint", {}),
    "tree": ("few_users", "mistakes", {}),
    "intervals": ("clipping", "user", {}),
}
# Points two pixels apart along all that is drawn of each trace, by the browser and in the picture.
DRAWN = """async ({ spec, picture, width }) => {
    document.body.innerHTML = "<div></div><div></div>";
    document.body.style.margin = 0;
    const [live, still] = document.body.children;
    live.style.cssText = `width: ${width}px; height: ${spec.layout.height}px`;
    // A picture takes the margins that a figure says; the browser may need some pixels more.
    const margin = { ...spec.layout.margin, autoexpand: false };
    await Plotly.newPlot(live, spec.data, { ...spec.layout, width, margin }, { staticPlot: true });
    still.innerHTML = picture;
    const hidden = part => part.tagName === "rect"
        ? Math.min(part.width.baseVal.value, part.height.baseVal.value) < 1
        : part.matches(".js-line") && part.style.strokeWidth === "0px";
    // Dots that are drawn as one, as the circles that are seen.
    const rings = (part, root) => {
        const [matrix, origin] = [part.getScreenCTM(), root.getBoundingClientRect()];
        const far = Number(part.getAttribute("stroke-width")) / 2;
        const turns = Array.from({ length: 24 }, (_, step) => step * Math.PI / 12);
        return [...part.getAttribute("d").matchAll(/M([^,]+),([^h]+)h/g)].flatMap(([, x, y]) =>
            turns.map(turn => new DOMPoint(+x + far * Math.cos(turn), +y + far * Math.sin(turn)))
                .map(point => point.matrixTransform(matrix))
                .map(at => [at.x - origin.x, at.y - origin.y]));
    };
    const along = (parts, root) => parts
        .filter(part => !part.closest("defs, clipPath, .legend") && !hidden(part))
        .filter(part => part.getClientRects().length && part.getTotalLength() > 0)
        .flatMap(part => part.matches(".dots") ? rings(part, root) : [part])
        .flatMap(part => {
            if (Array.isArray(part)) return [part];
            const [matrix, origin] = [part.getScreenCTM(), root.getBoundingClientRect()];
            const length = part.getTotalLength();
            const count = Math.ceil(length / 2);
            return Array.from({ length: count + 1 }, (_, step) => {
                const at = part.getPointAtLength(length * step / count).matrixTransform(matrix);
                return [at.x - origin.x, at.y - origin.y];
            });
        });
    const SHAPES = "path, line, rect, circle";
    const groups = [...live.querySelectorAll(".main-svg :is(g.trace, g.contour, g.hm)")];
    return live._fullData.map((trace, index) => {
        const [x, y] = ["x", "y"].map(
            letter => live._fullLayout[trace[`${letter}axis`].replace(letter, `${letter}axis`)]);
        const own = groups.filter(group => [group.__data__].flat()[0]?.trace?.index === index);
        const drawn = own.flatMap(group => [...group.querySelectorAll(SHAPES)]);
        const ours = [...still.querySelectorAll(`.part${index} :is(${SHAPES})`)];
        // plotly.js keeps an area between two curves with the first of them
        const area = part => part.matches(".fills path, .js-fill");
        const filled = part =>
            (trace.fill ?? "none") !== "none" && part.matches("path:not([stroke])");
        return {
            type: trace.type,
            image: own.some(group => group.querySelector("image")),
            frame: [x._offset, y._offset, x._offset + x._length, y._offset + y._length],
            live: along(drawn.filter(part => !area(part)), live),
            liveAreas: along(drawn.filter(area), live),
            still: along(ours.filter(part => !filled(part)), still),
            stillAreas: along(ours.filter(filled), still),
        };
    });
}"""
APART = 2.5  # pixels, at most: plotly.js leaves out points of a line that are nearer
EDGE = 4.0  # pixels from the end of an axis, where each cuts lines in its own way


def figure(slug, view, query):
    declared = page(slug)
    given = {"view": [view]} | {key: [text] for key, text in query.items()}
    values, notes = decode(given, declared.url_parameters)
    assert not notes
    scene = Scene.opened(declared, values)
    assert scene.view.key == view
    return scene.view.figure(finest(declared, scene.view, values), LIGHT)


def far(points, others, frame):
    """How far points inside a frame are from the nearest of the others, at most."""
    points = np.array(points).reshape(-1, 2)
    left, top, right, bottom = frame
    inside = (points > (left + EDGE, top + EDGE)) & (points < (right - EDGE, bottom - EDGE))
    points = points[inside.all(axis=1)]
    if not points.size:
        return 0.0
    return float(cKDTree(others).query(points)[0].max()) if others else np.inf


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_picture_draws_is_where_the_browser_draws_it(window, name):
    shown = figure(*EXAMPLES[name])
    # plotly.js widens no margin here; what of it gives way is tested in tests/plot/test_margins.py
    shown.update_layout(margin=picture(shown, LIGHT, WIDTH).layout["margin"])
    tab = window.new_page()
    tab.add_script_tag(path=plotly())
    given = {"spec": json.loads(shown.json()), "picture": svg(shown, LIGHT, WIDTH), "width": WIDTH}
    traces = tab.evaluate(DRAWN, given)
    tab.close()
    assert any(trace["live"] or trace["image"] for trace in traces)
    for number, trace in enumerate(traces):
        if trace["image"]:  # the colours of its cells are tested in tests/plot/test_picture.py
            assert trace["still"]
            continue
        there, here, frame = trace["live"], trace["still"], trace["frame"]
        assert far(there, here, frame) < APART, f"trace {number} misses a part"
        assert far(here, there, frame) < APART, f"trace {number} has a part too many"
    areas = [[point for one in traces for point in one[key]] for key in ("liveAreas", "stillAreas")]
    for some, others in (areas, areas[::-1]):
        for frame in {tuple(trace["frame"]) for trace in traces}:
            assert far(some, others, frame) < APART
