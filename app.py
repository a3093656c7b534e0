"""The home page: what dpviz is, how to read its curves, and the map of its pages."""

import streamlit as st

from dpviz.evidence import Chart
from dpviz.figures.chart import draw
from dpviz.figures.text import readable
from dpviz.limits import LIMITS
from dpviz.reading import five_ways
from dpviz.ui import navigation
from dpviz.ui.codec import Number, Seed
from dpviz.ui.frame import begin, folds, stage
from dpviz.ui.page import Page, View


def takeaway(chart: Chart) -> str:
    """Compare the truth with the theorem at ε = 1."""
    nearest = abs(chart.curve("exact").x - 1).argmin()
    exact, published = (float(chart.curve(key).y[nearest]) for key in ("exact", "published"))
    return (
        f"At ε = 1 the true δ is {readable(exact, 2)}; the textbook theorem promises "
        f"{readable(published, 2)}, {readable(published / exact, 2)} times as much."
    )


PAGE = Page(
    slug="",
    parameters=(Number(LIMITS["sigma"].narrowed(minimum=0.5, maximum=8, default=2)), Seed()),
    views=(View("reading", "How to read a curve", five_ways, draw, takeaway, ("sigma", "seed")),),
)

if __name__ == "__main__":
    values = begin(PAGE)
    st.markdown(
        "Every curve here says what it is: exact, certified between two bounds, simulated, an "
        "asymptotic shape, or as a paper printed it. It says where it comes from, and it moves "
        "when you move the parameters. So you see the theorem, and the truth beside it."
    )
    with st.container(key="map"):
        for group, pages in navigation.groups().items():
            st.subheader(group, anchor=False)
            for page in pages:
                with st.container(key=f"map-{page.slug}", gap=None):
                    navigation.link(page)
                    st.markdown(f"*{page.question}* {page.summary}")
    st.header("How to read a curve", anchor=False)
    folds(PAGE, values, stage(PAGE, values).result)
