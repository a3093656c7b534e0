"""Several copies of the app behind one proxy: ``python -m hosting``, or compose.yaml."""
