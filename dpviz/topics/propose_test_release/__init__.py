"""Propose, test, release: the algorithm DelStab on users' data.

The algorithm (`DelStab`), data to try it on, and the views of the page: all of Ghazi, Kamath et
al. 2023, Section 3.2 and Appendix C.4. Beside it stands plain noise on the same sum
(`plain`).
"""
