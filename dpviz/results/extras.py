"""Which extra of the package brings what is missing, as the core needs few libraries."""

EXTRAS = {
    "markdown2": "figures",
    "orjson": "figures",
    "segno": "figures",
    "starlette": "figures",
    "vl_convert": "figures",
    "altair": "notebook",
    "pandas": "notebook",
    "plotly": "notebook",
    "pdoc": "app",
    "streamlit": "app",
    "threadpoolctl": "app",
    "shtab": "completion",
    "dp_accounting": "pld",
    "redis": "rooms",
}
"""The extra that brings a module of another library along."""


def what_to_install(missing: ModuleNotFoundError) -> str:
    """Return what to type where a module is missing; empty where no extra has it."""
    library = (missing.name or "").partition(".")[0]
    if library not in EXTRAS:
        return ""
    extra = EXTRAS[library]
    return (
        f"this needs {library}, which the extra {extra} brings: "
        f'in a clone, pip install ".[{extra}]"; of a wheel, pip install "dpviz-....whl[{extra}]"'
    )
