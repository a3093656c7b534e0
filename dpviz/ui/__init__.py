"""The only part of dpviz, beside app.py and pages/, that knows Streamlit."""
