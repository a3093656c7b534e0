"""dpviz: the theory of differential privacy, made visible.

``dpviz.results``, ``dpviz.maths`` and the theory and views in ``dpviz.topics`` are the numerical
core: pure functions of parameters, importable without streamlit, plotly or altair. ``dpviz.plot``
draws results, ``dpviz.scene`` says what a page and a state of it are, ``dpviz.serve`` answers
requests for figures, and only ``dpviz.ui`` and the pages know Streamlit.

A notebook needs only these names:

* ``radius``, ``sigma``, ``epsilon``, ``delta``, ``error``, ``users``: one number, with bounds and
  evidence
* ``compare``: noises of equal privacy, a row each
* ``sensitivity``: what one person moves, by contribution bounds and the kind of neighbours
* ``compose``: mechanisms of several kinds together; ``convert``: ρ, μ, Rényi orders, ε and δ
* ``minimal_radii``, ``minimal_sigma``, ``tuned_noises``, ``least_radii``: the same for arrays
* ``figure``: what a link or a view shows, live
* ``__version__``
"""

from typing import TYPE_CHECKING, Any

from dpviz.results import version

if TYPE_CHECKING:  # what is loaded by name below
    from dpviz.maths.calculator import delta as delta
    from dpviz.maths.calculator import epsilon as epsilon
    from dpviz.maths.calculator import error as error
    from dpviz.maths.calculator import radius as radius
    from dpviz.maths.calculator import sigma as sigma
    from dpviz.maths.calculator import users as users
    from dpviz.maths.comparison import compare as compare
    from dpviz.maths.composing import compose as compose
    from dpviz.maths.contributions import sensitivity as sensitivity
    from dpviz.maths.conversions import convert as convert
    from dpviz.maths.sweeps import least_radii as least_radii
    from dpviz.maths.sweeps import minimal_radii as minimal_radii
    from dpviz.maths.sweeps import minimal_sigma as minimal_sigma
    from dpviz.maths.sweeps import tuned_noises as tuned_noises
    from dpviz.notebook import figure as figure

__version__ = version.VERSION

_HOMES = {
    "radius": "dpviz.maths.calculator",
    "sigma": "dpviz.maths.calculator",
    "epsilon": "dpviz.maths.calculator",
    "delta": "dpviz.maths.calculator",
    "error": "dpviz.maths.calculator",
    "users": "dpviz.maths.calculator",
    "compare": "dpviz.maths.comparison",
    "sensitivity": "dpviz.maths.contributions",
    "compose": "dpviz.maths.composing",
    "convert": "dpviz.maths.conversions",
    "minimal_radii": "dpviz.maths.sweeps",
    "minimal_sigma": "dpviz.maths.sweeps",
    "tuned_noises": "dpviz.maths.sweeps",
    "least_radii": "dpviz.maths.sweeps",
    "figure": "dpviz.notebook",
}
__all__ = [*_HOMES, "__version__"]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load what is asked for by name: whoever wants one number needs no figures."""
        if name not in _HOMES:
            raise AttributeError(f"dpviz has no {name!r}; it offers {', '.join(_HOMES)}")
        from importlib import import_module

        from dpviz.results.extras import what_to_install

        try:
            return getattr(import_module(_HOMES[name]), name)
        except ModuleNotFoundError as missing:
            if words := what_to_install(missing):
                raise ModuleNotFoundError(words, name=missing.name) from missing
            raise


def __dir__() -> list[str]:
    return sorted(__all__)
