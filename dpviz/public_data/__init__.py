"""Oracle-efficient private learning with public data."""
