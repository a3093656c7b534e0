"""The buttons that play a figure, pressed by mouse and by keys, and what they then show."""

import json

import pytest

from dpviz.serve.bundles import plotly
from tests.support.examples import chosen, in_nightly
from tests.support.plays import PLAYS, played

KEYS = {
    ("perfect_generalization", "pairs"): "Enter",
    ("bounded_noise", "noise"): " ",
    ("adaptive_analysis", "attack"): "Enter",
    ("few_users", "stability"): " ",
}
USUAL = list(KEYS)[:2]


@pytest.mark.parametrize(("slug", "view"), chosen(KEYS, USUAL))
def test_a_figure_is_played_by_key(reader, slug, view):
    reader.open(slug, {"view": view})
    first = reader.figure()
    reader.unfold("seed")
    reader.page.get_by_role("button", name="Draw again").click()
    reader.figure_after(first)  # what is drawn a second time plays as well
    reader.settle()
    still = reader.figure()
    button = reader.page.get_by_role("button", name="Play")
    button.focus()
    assert button.evaluate("element => element === document.activeElement")
    reader.page.keyboard.press(KEYS[slug, view])
    reader.figure_after(still)


# Plays a figure frame by frame, and draws beside it what each frame is by itself; returns what is
# seen of the one and not of the other.
PLAYED = """async ({ spec, every }) => {
    document.body.innerHTML = "<div style='width: 900px'></div><div style='width: 900px'></div>";
    const [player, still] = document.body.children;
    const PARTS = [".trace path", ".shapelayer path", ".annotation-text", ".textpoint"];
    const rounded = text => text.replace(/-?\\d+\\.?\\d*/g, number => (+number).toFixed(1));
    const seen = plot => [...plot.querySelectorAll(PARTS.map(part => `.main-svg ${part}`).join())]
        .filter(part => part.getClientRects().length && getComputedStyle(part).display !== "none")
        .map(part => {
            const { stroke, strokeWidth, fill, opacity } = getComputedStyle(part);
            const where = part.getAttribute("d") ?? part.textContent;
            const { e, f } = part.getCTM();
            return rounded([where, stroke, strokeWidth, fill, opacity, e, f].join(" "));
        }).sort();
    const only = (some, others) => some.filter(part => !others.includes(part));
    const { args: [, timing] } = spec.layout.updatemenus[0].buttons[0];
    await Plotly.newPlot(player, structuredClone(spec));
    const said = {};
    const found = [];
    for (const [index, frame] of spec.frames.entries()) {
        Object.assign(said, frame.layout);
        const now = { ...timing, frame: { ...timing.frame, duration: 0 } };
        await Plotly.animate(player, [frame.name], structuredClone(now));
        if (index % every && index < spec.frames.length - 1) continue;
        const { data, layout } = structuredClone(spec);
        frame.traces.forEach((number, place) => {
            for (const [key, part] of Object.entries(structuredClone(frame.data[place]))) {
                const deep = part?.constructor === Object && !("bdata" in part);
                data[number][key] = deep ? { ...data[number][key], ...part } : part;
            }
        });
        await Plotly.newPlot(still, data, Object.assign(layout, structuredClone(said)));
        const [played, drawn] = [seen(player), seen(still)];
        if (!drawn.length) throw new Error("nothing is drawn");
        found.push([...only(played, drawn), ...only(drawn, played)]);
    }
    return found;
}"""


@pytest.mark.parametrize(("slug", "view"), PLAYS)
def test_each_frame_is_drawn_as_it_would_be_by_itself(window, slug, view):
    spec = json.loads(played(slug, view).json())
    page = window.new_page()
    page.add_script_tag(path=plotly())
    every = 1 if in_nightly() else 5
    frames = page.evaluate(PLAYED, {"spec": spec, "every": every})
    page.close()
    assert len(frames) > 1
    assert not [part for parts in frames for part in parts]
