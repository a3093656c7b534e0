"""The glossary: the field's terms in plain words, and every symbol with its range."""

import streamlit as st

import dpviz.ui.preload  # noqa: F401
from dpviz.ui.frame import begin_guide, prose
from dpviz.ui.glossary import symbols

if __name__ == "__main__":
    begin_guide("glossary")
    for heading, text in prose("glossary"):
        st.header(heading, anchor=False)
        st.markdown(text)
    st.header("Symbols", anchor=False)
    st.markdown(
        "Papers use a letter for several things; its meaning is the one beside the control. The "
        "last column is the name in links and in Python."
    )
    st.markdown(symbols())
