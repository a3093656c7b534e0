"""The bounds of Ghazi, Kamath et al. 2023: Tables 1 and 2, and Theorems 40 and 41."""

from functools import partial

from dpviz.results.evidence import Source
from dpviz.results.papers import CS, UL
from dpviz.topics.user_complexity.bounds import Row, at_least_examples, below
from dpviz.topics.user_complexity.monomials import monomials
from dpviz.topics.user_complexity.problems import (
    AGNOSTIC,
    DISCRETE,
    GAUSSIAN_BOUNDED,
    GAUSSIAN_KNOWN,
    PAC,
    PRODUCT,
    SELECTION,
)

TABLE_1 = f"{UL}, Table 1"
TABLE_2 = f"{UL}, Table 2"

_BNS19 = "citing Beimel, Nissim & Stemmer 2019"
_BKS19 = "citing Bun, Kamath, Steinke & Wu 2019"
_BKS19_ASZ21 = f"{_BKS19}, Acharya, Sun & Zhang 2021"
_BKS19_KLSU19 = f"{_BKS19}, Kamath, Li, Singhal & Ullman 2019"
_GGKM21 = "citing Ghazi, Golowich, Kumar & Manurangsi 2021"

_pure = partial(
    Row,
    privacy="pure",
    model="central",
    table=TABLE_1,
    premise="ε and α sufficiently small (no constant is stated)",
)
_approximate = partial(
    Row,
    privacy="approximate",
    model="central",
    table=TABLE_2,
    premise="δ far below ε; ε, δ and α sufficiently small (no constant is stated)",
)
_item = partial(_pure, level="item", bound="tight", status="prior")
_user = partial(_pure, level="user", bound="tight", status="new")

PURE_ROWS = (
    _item(
        key="ul1-pac-item",
        problem=PAC,
        source=Source(UL, f"Table 1, {_BNS19}"),
        summands=monomials("d epsilon^-1 alpha^-1"),
    ),
    _user(
        key="ul1-pac-earlier",
        problem=PAC,
        status="prior",
        source=Source(UL, f"Table 1, citing {CS}, Bun et al. 2023"),
        summands=monomials("d epsilon^-1"),
        conditions=(at_least_examples("d^2 epsilon^-2 alpha^-2"),),
    ),
    _user(
        key="ul1-pac-new",
        problem=PAC,
        source=Source(UL, "Theorem 4"),
        summands=monomials("d epsilon^-1", "d epsilon^-1 alpha^-1 m^-1"),
    ),
    _item(
        key="ul1-agnostic-item",
        problem=AGNOSTIC,
        source=Source(UL, f"Table 1, {_BNS19}"),
        summands=monomials("d alpha^-2", "d epsilon^-1 alpha^-1"),
        remark=(
            "The table prints this as tight with d in both terms, but Theorem 40 leaves the gap "
            "between d and d_VC open for every m, m = 1 included: lean on its lower end with care."
        ),
    ),
    _user(
        key="ul1-agnostic-new",
        problem=AGNOSTIC,
        bound="upper",
        source=Source(UL, "Theorem 40"),
        summands=monomials("d epsilon^-1", "d epsilon^-1 alpha^-1 m^-1/2", "d alpha^-2 m^-1"),
    ),
    _item(
        key="ul1-discrete-item",
        problem=DISCRETE,
        source=Source(UL, f"Table 1, {_BKS19_ASZ21}"),
        summands=monomials("k epsilon^-1 alpha^-1", "k alpha^-2"),
    ),
    _user(
        key="ul1-discrete-new",
        problem=DISCRETE,
        source=Source(UL, "Theorem 43"),
        summands=monomials("k epsilon^-1", "k epsilon^-1 alpha^-1 m^-1/2", "k alpha^-2 m^-1"),
    ),
    _item(
        key="ul1-product-item",
        problem=PRODUCT,
        source=Source(UL, f"Table 1, {_BKS19_ASZ21}"),
        summands=monomials("k d epsilon^-1 alpha^-1", "k d alpha^-2"),
    ),
    _user(
        key="ul1-product-new",
        problem=PRODUCT,
        source=Source(UL, "Theorem 44"),
        summands=monomials("k d epsilon^-1", "k d epsilon^-1 alpha^-1 m^-1/2", "k d alpha^-2 m^-1"),
    ),
    _item(
        key="ul1-gaussian-known-item",
        problem=GAUSSIAN_KNOWN,
        source=Source(UL, f"Table 1, {_BKS19_ASZ21}"),
        summands=monomials("d epsilon^-1 alpha^-1", "d alpha^-2"),
    ),
    _user(
        key="ul1-gaussian-known-new",
        problem=GAUSSIAN_KNOWN,
        source=Source(UL, "Theorem 45"),
        summands=monomials("d epsilon^-1", "d epsilon^-1 alpha^-1 m^-1/2", "d alpha^-2 m^-1"),
        remark="Polylogarithmic factors in the bound R on the mean are dropped as well.",
    ),
    _item(
        key="ul1-gaussian-bounded-item",
        problem=GAUSSIAN_BOUNDED,
        source=Source(UL, f"Table 1, {_BKS19_KLSU19}"),
        summands=monomials("d^2 epsilon^-1 alpha^-1", "d^2 alpha^-2"),
    ),
    _user(
        key="ul1-gaussian-bounded-new",
        problem=GAUSSIAN_BOUNDED,
        source=Source(UL, "Theorem 46"),
        summands=monomials("d^2 epsilon^-1", "d^2 epsilon^-1 alpha^-1 m^-1/2", "d^2 alpha^-2 m^-1"),
        remark=(
            "The bound κ > 1 on the covariance counts as a constant; polylogarithmic factors in "
            "the bound R on the mean are dropped as well."
        ),
    ),
)

APPROXIMATE_ROWS = (
    _approximate(
        key="ul2-pac-item",
        problem=PAC,
        level="item",
        bound="upper",
        status="prior",
        source=Source(UL, f"Table 2, {_GGKM21}"),
        summands=monomials("d_L^6 epsilon^-1 alpha^-2"),
        conditions=(below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-pac-earlier",
        problem=PAC,
        level="user",
        bound="upper",
        status="prior",
        source=Source(UL, f"Table 2, {_GGKM21}, Bun et al. 2023"),
        summands=monomials("epsilon^-1"),
        conditions=(at_least_examples("d_L^12 epsilon^-2 alpha^-4"), below("delta", "epsilon")),
    ),
    _approximate(
        key="ul2-pac-new",
        problem=PAC,
        level="user",
        bound="upper",
        status="new",
        source=Source(UL, "Theorem 10"),
        summands=monomials("epsilon^-1", "d_L^6 epsilon^-2 alpha^-2 m^-1/2"),
        conditions=(below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-discrete-item",
        problem=DISCRETE,
        level="item",
        bound="tight",
        status="prior",
        source=Source(UL, f"Table 2, {_BKS19_ASZ21}"),
        summands=monomials("k epsilon^-1 alpha^-1", "k alpha^-2"),
        conditions=(below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-discrete-earlier",
        problem=DISCRETE,
        level="user",
        bound="tight",
        status="prior",
        source=Source(UL, "Table 2, citing Narayanan, Mirrokni & Esfandiari 2022"),
        summands=monomials("epsilon^-1", "k epsilon^-1 alpha^-1 m^-1/2", "k alpha^-2 m^-1"),
        conditions=(below("delta", "epsilon"),),
        remark="The paper's introduction prints the same bound without the term 1/ε.",
    ),
    _approximate(
        key="ul2-discrete-new",
        problem=DISCRETE,
        level="user",
        bound="upper",
        status="new",
        source=Source(UL, "Theorem 10"),
        summands=monomials("epsilon^-1", "k epsilon^-2 alpha^-1 m^-1/2", "k alpha^-2 m^-1"),
        conditions=(below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-product-item",
        problem=PRODUCT,
        level="item",
        bound="upper",
        status="prior",
        source=Source(UL, f"Table 2, {_BKS19}"),
        summands=monomials("k d epsilon^-1 alpha^-1", "k d alpha^-2"),
        conditions=(below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-product-new",
        problem=PRODUCT,
        level="user",
        bound="upper",
        status="new",
        source=Source(UL, "Theorem 10"),
        summands=monomials("epsilon^-1", "k d epsilon^-2 alpha^-1 m^-1/2", "k d alpha^-2 m^-1"),
        conditions=(below("delta", "epsilon"),),
    ),
)

# Outside the tables.
OUTSIDE_ROWS = (
    _user(
        key="ul-agnostic-lower",
        problem=AGNOSTIC,
        table="",
        bound="lower",
        source=Source(UL, "Theorem 40"),
        summands=monomials("d epsilon^-1", "d_VC epsilon^-1 alpha^-1 m^-1/2", "d_VC alpha^-2 m^-1"),
    ),
    _user(
        key="ul-selection-new",
        problem=SELECTION,
        table="",
        bound="upper",
        source=Source(UL, "Theorem 41"),
        summands=monomials(
            "log_F epsilon^-1", "log_F epsilon^-1 alpha^-1 m^-1/2", "log_F alpha^-2 m^-1"
        ),
        conditions=(below("alpha", "1", 0.1), below("beta", "1", 0.1)),
        premise="one hypothesis lies within 0.1 α of the truth in total variation",
        remark=(
            "Enough users, printed with Θ̃; no lower bound is claimed. At m = 1 it matches the "
            "item-level bound of Bun, Kamath, Steinke & Wu 2019, which the papers do not tabulate."
        ),
    ),
)
