"""Private selection: release the item that most users hold.

The selection problem of Ghazi, Kumar & Manurangsi 2021, Section 2.3: each of n users holds an item
of a universe U, and c_u counts who holds u. The output u* should have c_u* >= max c − error. One
mechanism for each model of privacy: `StableHistogram` (Lemma 11, central, approximate),
`CountExponential` (Lemma 12, central, pure), `HadamardHistogram` (Lemma 13, local, pure) and
`ShuffleSelection` (Lemma 36, shuffle). The central ones protect the addition or removal of a user,
the others the substitution of one user's item.
"""
