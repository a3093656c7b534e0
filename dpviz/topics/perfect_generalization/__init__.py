"""Sample perfect generalization: how far apart the outputs on two fresh samples are.

Mechanisms, the exact law of how close their outputs are (`closeness_probability`,
`divergence_quantile`, `log_expected_divergence`), what the theorems promise (`bounds`), and the
views of the page. All of Ghazi, Kamath et al. 2023, Section 3.1 and Appendix C.
"""
