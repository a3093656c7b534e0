"""Sample perfect generalization: how far apart the outputs on two fresh samples are.

Mechanisms, exactly how close their outputs are (`closeness.divergence_quantile`), what the theorems
promise (`item_privacy.bounds`), and the views of the page. All of Ghazi, Kamath et al. 2023,
Section 3.1 and Appendix C.
"""
