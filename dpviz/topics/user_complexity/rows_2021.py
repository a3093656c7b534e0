"""The bounds of Ghazi, Kumar & Manurangsi 2021: Table 1, on PAC learning."""

from functools import partial

from dpviz.results.evidence import Source
from dpviz.results.papers import CS
from dpviz.topics.user_complexity.bounds import Condition, Row, at_least_examples, below
from dpviz.topics.user_complexity.monomials import monomial, monomials
from dpviz.topics.user_complexity.problems import PAC

TABLE_1 = f"{CS}, Table 1"

_BNS19 = "citing Beimel, Nissim & Stemmer 2019"
_GGKM21 = "citing Ghazi, Golowich, Kumar & Manurangsi 2021"

_sampling = partial(
    Row,
    problem=PAC,
    table=TABLE_1,
    premise="accuracy and success probability taken as constants",
)
_pure = partial(_sampling, privacy="pure", model="central", neighbouring="add/remove")
_local = partial(_sampling, privacy="pure", model="local")
_approximate = partial(_pure, privacy="approximate")
# Theorems 1 to 3 ask for ε < 1 and α < 0.1, Lemma 4 for ε < 1 and α ≤ 1/4.
_UPPER_RANGE = (below("epsilon", "1"), below("alpha", "1", 0.1))
_LOWER_RANGE = (below("epsilon", "1"), Condition("alpha", "<=", monomial("1", 0.25)))
_ANY_M = "Holds for every number of examples per user."

ROWS = (
    _pure(
        key="cs1-pure-upper",
        level="user",
        bound="upper",
        status="new",
        source=Source(CS, "Theorem 3"),
        summands=monomials("d epsilon^-1"),
        conditions=(at_least_examples("d^3 alpha^-2"), *_UPPER_RANGE),
        remark="The table asks for d^O(1) examples per user; Theorem 3 says d³/α².",
    ),
    _pure(
        key="cs1-pure-lower",
        level="user",
        bound="lower",
        status="new",
        source=Source(CS, "Lemma 4"),
        summands=monomials("d epsilon^-1"),
        conditions=_LOWER_RANGE,
        remark=_ANY_M,
    ),
    _pure(
        key="cs1-pure-item",
        level="item",
        bound="tight",
        status="prior",
        source=Source(CS, f"Table 1, {_BNS19}"),
        summands=monomials("d epsilon^-1"),
        remark="The factor 1/α is dropped: the table takes the accuracy as a constant.",
    ),
    _local(
        key="cs1-local-upper",
        level="user",
        bound="upper",
        status="new",
        source=Source(CS, "Theorem 2"),
        summands=monomials("d epsilon^-2"),
        conditions=(at_least_examples("d^3 alpha^-2"), *_UPPER_RANGE),
        remark=(
            "With public randomness. The table asks for d^O(1) examples per user; Theorem 2 "
            "says d³/α²."
        ),
    ),
    _local(
        key="cs1-local-lower",
        level="user",
        bound="lower",
        status="new",
        source=Source(CS, "Lemma 4"),
        summands=monomials("d epsilon^-1"),
        conditions=_LOWER_RANGE,
        remark=_ANY_M,
    ),
    _local(
        key="cs1-local-item",
        level="item",
        bound="tight",
        status="prior",
        source=Source(CS, "Table 1, citing Kasiviswanathan et al. 2011"),
        summands=monomials("d_SQ^c_SQ"),
        remark="Tight up to a polynomial: the power in the upper bound is not the lower bound's.",
    ),
    _approximate(
        key="cs1-approximate-upper",
        level="user",
        bound="upper",
        status="new",
        source=Source(CS, "Theorem 1"),
        summands=monomials("log_delta epsilon^-1"),
        conditions=(at_least_examples("d_L^c_m alpha^-c_m"), *_UPPER_RANGE),
        remark="The table asks for LDim^O(1) examples per user; Theorem 1 says (LDim/α)^O(1).",
    ),
    _approximate(
        key="cs1-approximate-lower",
        level="user",
        bound="lower",
        status="new",
        source=Source(CS, "Lemma 4"),
        summands=monomials("log_delta epsilon^-1", "d epsilon^-1"),
        least=True,
        conditions=(*_LOWER_RANGE, below("delta", "epsilon^1.1", 0.1)),
        remark=_ANY_M,
    ),
    _approximate(
        key="cs1-approximate-item",
        level="item",
        bound="upper",
        status="prior",
        source=Source(CS, f"Table 1, {_GGKM21}"),
        summands=monomials("d_L^c_L"),
        remark="The factors in ε, δ and α are dropped.",
    ),
    _approximate(
        key="cs1-approximate-item-lower",
        level="item",
        bound="lower",
        status="prior",
        source=Source(CS, "Table 1, citing Alon, Livni, Malliaris & Moran 2019"),
        summands=monomials("logstar_L"),
    ),
)
