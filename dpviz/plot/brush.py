"""People to choose among by hand: how many there are of each value, and what the chosen come to.

Charts of Altair answer a brush by themselves, and ask no server. Altair is loaded with the first of
them: nothing else that is loaded late imports it, so no two threads can wait for each other.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from dpviz.plot.theme import Theme
from dpviz.results.evidence import FloatArray

if TYPE_CHECKING:
    import altair as alt

MOST_POINTS = 5_000
"""People whose values go along with a chart, at most."""
_BARS, _WIDTH, _HEIGHT = 40, 700, 260


def brushed(values: Mapping[str, FloatArray], theme: Theme) -> "alt.VConcatChart | None":
    """Return a histogram of people to brush, and below it the means of all who are chosen.

    values: by what each is called, one for each person; along the first lie the bars. None if there
    are too many people.
    """
    names = list(values)
    if values[names[0]].size > MOST_POINTS:
        return None
    import altair as alt  # takes a fifth of a second

    columns = (column.tolist() for column in values.values())
    people = [dict(zip("abcdefgh", row, strict=False)) for row in zip(*columns, strict=True)]
    chosen = alt.selection_interval(encodings=["x"])
    every = alt.Chart({"values": people})
    bars = every.mark_bar(color=theme.aside).encode(
        x=alt.X("a:Q", bin=alt.Bin(maxbins=_BARS), title=names[0]),
        y=alt.Y("count()", title="Users"),
    )
    inked = bars.mark_bar(color=theme.palette[0]).transform_filter(chosen)
    histogram = (bars.add_params(chosen) + inked).properties(width=_WIDTH, height=_HEIGHT)
    means = [alt.AggregatedFieldDef("count", **{"as": "users"})]
    means += [
        alt.AggregatedFieldDef("mean", letter, **{"as": f"mean_{letter}"})
        for letter in "abcdefgh"[: len(names)]
    ]
    parts = [
        f"'; mean {name}: ' + format(datum.mean_{letter}, ',.4~g')"
        for letter, name in zip("abcdefgh", names, strict=False)
    ]
    text = (
        every.transform_filter(chosen)
        .transform_aggregate(means)
        .transform_calculate(said=f"datum.users + ' users' + {' + '.join(parts)}")
        .mark_text(align="left", fontSize=15, color=theme.text)
        .encode(x=alt.value(0), text="said:N")
        .properties(width=_WIDTH, height=20)
    )
    both: alt.VConcatChart = (
        alt.vconcat(histogram, text)
        .configure(background=theme.background)
        .configure_axis(labelColor=theme.text, titleColor=theme.text, gridColor=theme.grid)
        .configure_view(stroke=None)
    )
    return both
