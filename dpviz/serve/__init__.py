"""What leaves the server without a run of a page's script: figures. Starlette, no Streamlit."""
