"""Adaptive data analysis: how many questions one data set may answer.

The transfer theorem (`transfer`), the most queries it allows (`max_queries`), what
competes with it, the attack on answers without noise, and the views of the page.
"""
