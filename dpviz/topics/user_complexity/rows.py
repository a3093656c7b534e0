"""The 31 bounds of the papers' three tables, and two theorems that stand outside them.

Each row is written as its table prints it, checked against the theorem that it cites.
"""

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType

from dpviz.results.evidence import Source
from dpviz.results.papers import CS, UL
from dpviz.results.parameters import ParameterError
from dpviz.topics.user_complexity.bounds import Condition, Row
from dpviz.topics.user_complexity.monomials import Monomial, monomial

UL_TABLE_1 = f"{UL}, Table 1"
UL_TABLE_2 = f"{UL}, Table 2"
CS_TABLE_1 = f"{CS}, Table 1"

PAC = "pac"
AGNOSTIC = "agnostic"
DISCRETE = "discrete"
PRODUCT = "product"
GAUSSIAN_KNOWN = "gaussian_known"
GAUSSIAN_BOUNDED = "gaussian_bounded"
SELECTION = "selection"
# What each problem is called, in the papers' order.
PROBLEMS: Mapping[str, str] = MappingProxyType(
    {
        PAC: "PAC learning",
        AGNOSTIC: "agnostic PAC learning",
        DISCRETE: "discrete distributions",
        PRODUCT: "product distributions",
        GAUSSIAN_KNOWN: "Gaussians with known covariance",
        GAUSSIAN_BOUNDED: "Gaussians with bounded covariance",
        SELECTION: "hypothesis selection",
    }
)

_BNS19 = "citing Beimel, Nissim & Stemmer 2019"
_BKS19 = "citing Bun, Kamath, Steinke & Wu 2019"
_BKS19_ASZ21 = f"{_BKS19}, Acharya, Sun & Zhang 2021"
_BKS19_KLSU19 = f"{_BKS19}, Kamath, Li, Singhal & Ullman 2019"
_GGKM21 = "citing Ghazi, Golowich, Kumar & Manurangsi 2021"


def _sum(*specs: str) -> tuple[Monomial, ...]:
    return tuple(monomial(spec) for spec in specs)


def _below(symbol: str, limit: str, coefficient: float = 1.0) -> Condition:
    return Condition(symbol, "<", monomial(limit, coefficient))


def _examples(limit: str) -> Condition:
    """Require that many examples per user."""
    return Condition("m", ">=", monomial(limit))


_pure = partial(
    Row,
    privacy="pure",
    model="central",
    table=UL_TABLE_1,
    premise="ε and α sufficiently small (no constant is stated)",
)
_approximate = partial(
    Row,
    privacy="approximate",
    model="central",
    table=UL_TABLE_2,
    premise="δ far below ε; ε, δ and α sufficiently small (no constant is stated)",
)
_sampling = partial(
    Row,
    problem=PAC,
    table=CS_TABLE_1,
    premise="accuracy and success probability taken as constants",
)
_item = partial(_pure, level="item", bound="tight", status="prior", order="Θ̃")
_user = partial(_pure, level="user", bound="tight", status="new", order="Θ̃")

_PURE_ROWS = (
    _item(
        key="ul1-pac-item",
        problem=PAC,
        source=Source(UL, f"Table 1, {_BNS19}"),
        summands=_sum("d epsilon^-1 alpha^-1"),
    ),
    _user(
        key="ul1-pac-earlier",
        problem=PAC,
        status="prior",
        source=Source(UL, f"Table 1, citing {CS}, Bun et al. 2023"),
        summands=_sum("d epsilon^-1"),
        conditions=(_examples("d^2 epsilon^-2 alpha^-2"),),
    ),
    _user(
        key="ul1-pac-new",
        problem=PAC,
        source=Source(UL, "Theorem 4"),
        summands=_sum("d epsilon^-1", "d epsilon^-1 alpha^-1 m^-1"),
    ),
    _item(
        key="ul1-agnostic-item",
        problem=AGNOSTIC,
        source=Source(UL, f"Table 1, {_BNS19}"),
        summands=_sum("d alpha^-2", "d epsilon^-1 alpha^-1"),
        remark=(
            "The table prints this as tight with d in both terms, but Theorem 40 leaves the gap "
            "between d and d_VC open for every m, m = 1 included: lean on its lower end with care."
        ),
    ),
    _user(
        key="ul1-agnostic-new",
        problem=AGNOSTIC,
        bound="upper",
        order="Õ",
        source=Source(UL, "Theorem 40"),
        summands=_sum("d epsilon^-1", "d epsilon^-1 alpha^-1 m^-1/2", "d alpha^-2 m^-1"),
    ),
    _item(
        key="ul1-discrete-item",
        problem=DISCRETE,
        source=Source(UL, f"Table 1, {_BKS19_ASZ21}"),
        summands=_sum("k epsilon^-1 alpha^-1", "k alpha^-2"),
    ),
    _user(
        key="ul1-discrete-new",
        problem=DISCRETE,
        source=Source(UL, "Theorem 43"),
        summands=_sum("k epsilon^-1", "k epsilon^-1 alpha^-1 m^-1/2", "k alpha^-2 m^-1"),
    ),
    _item(
        key="ul1-product-item",
        problem=PRODUCT,
        source=Source(UL, f"Table 1, {_BKS19_ASZ21}"),
        summands=_sum("k d epsilon^-1 alpha^-1", "k d alpha^-2"),
    ),
    _user(
        key="ul1-product-new",
        problem=PRODUCT,
        source=Source(UL, "Theorem 44"),
        summands=_sum("k d epsilon^-1", "k d epsilon^-1 alpha^-1 m^-1/2", "k d alpha^-2 m^-1"),
    ),
    _item(
        key="ul1-gaussian-known-item",
        problem=GAUSSIAN_KNOWN,
        source=Source(UL, f"Table 1, {_BKS19_ASZ21}"),
        summands=_sum("d epsilon^-1 alpha^-1", "d alpha^-2"),
    ),
    _user(
        key="ul1-gaussian-known-new",
        problem=GAUSSIAN_KNOWN,
        source=Source(UL, "Theorem 45"),
        summands=_sum("d epsilon^-1", "d epsilon^-1 alpha^-1 m^-1/2", "d alpha^-2 m^-1"),
        remark="Polylogarithmic factors in the bound R on the mean are dropped as well.",
    ),
    _item(
        key="ul1-gaussian-bounded-item",
        problem=GAUSSIAN_BOUNDED,
        source=Source(UL, f"Table 1, {_BKS19_KLSU19}"),
        summands=_sum("d^2 epsilon^-1 alpha^-1", "d^2 alpha^-2"),
    ),
    _user(
        key="ul1-gaussian-bounded-new",
        problem=GAUSSIAN_BOUNDED,
        source=Source(UL, "Theorem 46"),
        summands=_sum("d^2 epsilon^-1", "d^2 epsilon^-1 alpha^-1 m^-1/2", "d^2 alpha^-2 m^-1"),
        remark=(
            "The bound κ > 1 on the covariance counts as a constant; polylogarithmic factors in "
            "the bound R on the mean are dropped as well."
        ),
    ),
)

_APPROXIMATE_ROWS = (
    _approximate(
        key="ul2-pac-item",
        problem=PAC,
        level="item",
        bound="upper",
        status="prior",
        order="Õ",
        source=Source(UL, f"Table 2, {_GGKM21}"),
        summands=_sum("d_L^6 epsilon^-1 alpha^-2"),
        conditions=(_below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-pac-earlier",
        problem=PAC,
        level="user",
        bound="upper",
        status="prior",
        order="Õ",
        source=Source(UL, f"Table 2, {_GGKM21}, Bun et al. 2023"),
        summands=_sum("epsilon^-1"),
        conditions=(_examples("d_L^12 epsilon^-2 alpha^-4"), _below("delta", "epsilon")),
    ),
    _approximate(
        key="ul2-pac-new",
        problem=PAC,
        level="user",
        bound="upper",
        status="new",
        order="Õ",
        source=Source(UL, "Theorem 10"),
        summands=_sum("epsilon^-1", "d_L^6 epsilon^-2 alpha^-2 m^-1/2"),
        conditions=(_below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-discrete-item",
        problem=DISCRETE,
        level="item",
        bound="tight",
        status="prior",
        order="Θ̃",
        source=Source(UL, f"Table 2, {_BKS19_ASZ21}"),
        summands=_sum("k epsilon^-1 alpha^-1", "k alpha^-2"),
        conditions=(_below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-discrete-earlier",
        problem=DISCRETE,
        level="user",
        bound="tight",
        status="prior",
        order="Θ̃",
        source=Source(UL, "Table 2, citing Narayanan, Mirrokni & Esfandiari 2022"),
        summands=_sum("epsilon^-1", "k epsilon^-1 alpha^-1 m^-1/2", "k alpha^-2 m^-1"),
        conditions=(_below("delta", "epsilon"),),
        remark="The paper's introduction prints the same bound without the term 1/ε.",
    ),
    _approximate(
        key="ul2-discrete-new",
        problem=DISCRETE,
        level="user",
        bound="upper",
        status="new",
        order="Õ",
        source=Source(UL, "Theorem 10"),
        summands=_sum("epsilon^-1", "k epsilon^-2 alpha^-1 m^-1/2", "k alpha^-2 m^-1"),
        conditions=(_below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-product-item",
        problem=PRODUCT,
        level="item",
        bound="upper",
        status="prior",
        order="Õ",
        source=Source(UL, f"Table 2, {_BKS19}"),
        summands=_sum("k d epsilon^-1 alpha^-1", "k d alpha^-2"),
        conditions=(_below("delta", "epsilon"),),
    ),
    _approximate(
        key="ul2-product-new",
        problem=PRODUCT,
        level="user",
        bound="upper",
        status="new",
        order="Õ",
        source=Source(UL, "Theorem 10"),
        summands=_sum("epsilon^-1", "k d epsilon^-2 alpha^-1 m^-1/2", "k d alpha^-2 m^-1"),
        conditions=(_below("delta", "epsilon"),),
    ),
)

# Theorems 1 to 3 ask for ε < 1 and α < 0.1, Lemma 4 for ε < 1 and α ≤ 1/4.
_UPPER_RANGE = (_below("epsilon", "1"), _below("alpha", "1", 0.1))
_LOWER_RANGE = (_below("epsilon", "1"), Condition("alpha", "<=", monomial("1", 0.25)))
_ANY_M = "Holds for every number of examples per user."

_SAMPLING_ROWS = (
    _sampling(
        key="cs1-pure-upper",
        privacy="pure",
        model="central",
        level="user",
        bound="upper",
        status="new",
        order="O",
        source=Source(CS, "Theorem 3"),
        summands=_sum("d epsilon^-1"),
        conditions=(_examples("d^3 alpha^-2"), *_UPPER_RANGE),
        neighbouring="add/remove",
        remark="The table asks for d^O(1) examples per user; Theorem 3 says d³/α².",
    ),
    _sampling(
        key="cs1-pure-lower",
        privacy="pure",
        model="central",
        level="user",
        bound="lower",
        status="new",
        order="Ω̃",
        source=Source(CS, "Lemma 4"),
        summands=_sum("d epsilon^-1"),
        conditions=_LOWER_RANGE,
        neighbouring="add/remove",
        remark=_ANY_M,
    ),
    _sampling(
        key="cs1-pure-item",
        privacy="pure",
        model="central",
        level="item",
        bound="tight",
        status="prior",
        order="Θ",
        source=Source(CS, f"Table 1, {_BNS19}"),
        summands=_sum("d epsilon^-1"),
        neighbouring="add/remove",
        remark="The factor 1/α is dropped: the table takes the accuracy as a constant.",
    ),
    _sampling(
        key="cs1-local-upper",
        privacy="pure",
        model="local",
        level="user",
        bound="upper",
        status="new",
        order="O",
        source=Source(CS, "Theorem 2"),
        summands=_sum("d epsilon^-2"),
        conditions=(_examples("d^3 alpha^-2"), *_UPPER_RANGE),
        remark=(
            "With public randomness. The table asks for d^O(1) examples per user; Theorem 2 "
            "says d³/α²."
        ),
    ),
    _sampling(
        key="cs1-local-lower",
        privacy="pure",
        model="local",
        level="user",
        bound="lower",
        status="new",
        order="Ω̃",
        source=Source(CS, "Lemma 4"),
        summands=_sum("d epsilon^-1"),
        conditions=_LOWER_RANGE,
        remark=_ANY_M,
    ),
    _sampling(
        key="cs1-local-item",
        privacy="pure",
        model="local",
        level="item",
        bound="tight",
        status="prior",
        order="",
        source=Source(CS, "Table 1, citing Kasiviswanathan et al. 2011"),
        summands=_sum("d_SQ^c_SQ"),
        remark="Tight up to a polynomial: the power in the upper bound is not the lower bound's.",
    ),
    _sampling(
        key="cs1-approximate-upper",
        privacy="approximate",
        model="central",
        level="user",
        bound="upper",
        status="new",
        order="O",
        source=Source(CS, "Theorem 1"),
        summands=_sum("log_delta epsilon^-1"),
        conditions=(_examples("d_L^c_m alpha^-c_m"), *_UPPER_RANGE),
        neighbouring="add/remove",
        remark="The table asks for LDim^O(1) examples per user; Theorem 1 says (LDim/α)^O(1).",
    ),
    _sampling(
        key="cs1-approximate-lower",
        privacy="approximate",
        model="central",
        level="user",
        bound="lower",
        status="new",
        order="Ω̃",
        source=Source(CS, "Lemma 4"),
        summands=_sum("log_delta epsilon^-1", "d epsilon^-1"),
        least=True,
        conditions=(*_LOWER_RANGE, _below("delta", "epsilon^1.1", 0.1)),
        neighbouring="add/remove",
        remark=_ANY_M,
    ),
    _sampling(
        key="cs1-approximate-item",
        privacy="approximate",
        model="central",
        level="item",
        bound="upper",
        status="prior",
        order="",
        source=Source(CS, f"Table 1, {_GGKM21}"),
        summands=_sum("d_L^c_L"),
        neighbouring="add/remove",
        remark="The factors in ε, δ and α are dropped.",
    ),
    _sampling(
        key="cs1-approximate-item-lower",
        privacy="approximate",
        model="central",
        level="item",
        bound="lower",
        status="prior",
        order="Ω̃",
        source=Source(CS, "Table 1, citing Alon, Livni, Malliaris & Moran 2019"),
        summands=_sum("logstar_L"),
        neighbouring="add/remove",
    ),
)

_OUTSIDE_ROWS = (
    _user(
        key="ul-agnostic-lower",
        problem=AGNOSTIC,
        table="",
        bound="lower",
        order="Ω̃",
        source=Source(UL, "Theorem 40"),
        summands=_sum("d epsilon^-1", "d_VC epsilon^-1 alpha^-1 m^-1/2", "d_VC alpha^-2 m^-1"),
    ),
    _user(
        key="ul-selection-new",
        problem=SELECTION,
        table="",
        bound="upper",
        order="Θ̃",
        source=Source(UL, "Theorem 41"),
        summands=_sum(
            "log_F epsilon^-1", "log_F epsilon^-1 alpha^-1 m^-1/2", "log_F alpha^-2 m^-1"
        ),
        conditions=(_below("alpha", "1", 0.1), _below("beta", "1", 0.1)),
        premise="one hypothesis lies within 0.1 α of the truth in total variation",
        remark=(
            "Enough users, printed with Θ̃; no lower bound is claimed. At m = 1 it matches the "
            "item-level bound of Bun, Kamath, Steinke & Wu 2019, which the papers do not tabulate."
        ),
    ),
)

ROWS: tuple[Row, ...] = (*_PURE_ROWS, *_APPROXIMATE_ROWS, *_SAMPLING_ROWS, *_OUTSIDE_ROWS)


def select(*, problem: str, privacy: str, model: str) -> tuple[Row, ...]:
    """Return the rows for a problem, "pure" or "approximate" DP, "central" or "local".

    Raises `ParameterError` that names the settings the papers do cover, if there is no row.
    """
    if problem not in PROBLEMS:
        raise ParameterError("problem", f"one of {', '.join(PROBLEMS)}", problem)
    rows = tuple(row for row in ROWS if row.problem == problem)
    chosen = tuple(row for row in rows if (row.privacy, row.model) == (privacy, model))
    if not chosen:
        covered = dict.fromkeys(f"{row.privacy}-DP in the {row.model} model" for row in rows)
        raise ParameterError(
            "privacy and model",
            f"{' or '.join(covered)} for {PROBLEMS[problem]} (the papers bound nothing else)",
            f"{privacy}-DP in the {model} model",
        )
    return chosen
