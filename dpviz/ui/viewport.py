"""Whether the reader's window is narrow, which only the browser knows."""

import streamlit as st

# Speaks up only when it disagrees with what the server assumed, so that a desktop never waits.
_SCRIPT = """
export default function ({ data, setStateValue }) {
  const query = window.matchMedia("(max-width: 820px)");
  const report = () => {
    if (query.matches !== data.narrow) setStateValue("narrow", query.matches);
  };
  query.addEventListener("change", report);
  report();
  return () => query.removeEventListener("change", report);
}
"""
_viewport = st.components.v2.component("dpviz.viewport", js=_SCRIPT)
_KEY = "dpviz-narrow"


def is_narrow() -> bool:
    """Return whether the window is narrower than a figure beside its controls."""
    narrow = bool(st.session_state.get(_KEY, False))
    reported = _viewport(
        key="viewport", data={"narrow": narrow}, height=0, on_narrow_change=lambda: None
    ).narrow
    if reported is not None:
        st.session_state[_KEY] = narrow = bool(reported)
    return narrow
