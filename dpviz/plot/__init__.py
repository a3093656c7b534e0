"""Results of the core, drawn: one theme and one encoding of evidence. No Streamlit, no numerics."""
