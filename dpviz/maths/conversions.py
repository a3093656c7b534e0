r"""From one kind of promise to another, and from one row to a group of rows.

`dpviz.convert` and the command `dpviz convert` are `convert`. The promises are those of any
mechanism, for one record (or what a person may change) and in both directions:

* ρ-zCDP: the Rényi divergence of every order α > 1 is at most ρα (Bun & Steinke 2016);
* Rényi DP: at some orders it is at most so much (Mironov 2017);
* μ-GDP: no attack does better than against Gaussian noise of σ = Δ/μ (Dong, Roth & Su 2022);
* ε-DP and (ε, δ)-DP.

From μ-GDP to (ε, δ) is exact, as Gaussian noise is worst. From Rényi divergences there are two
ends. Above: Canonne, Kamath & Steinke 2020, Proposition 12, at the best order. Below: a mechanism
of two outcomes, of chances p and 1 − p against q and 1 − q, that keeps the promise and needs as
much; no proof that knows nothing else can give less. The ends meet in many digits where δ is small.
A pure guarantee is worst for randomised response, so that its ρ and its μ are exact: ε·tanh(ε/2),
its divergence of order 1, which is the worst one (Harrison & Manurangsi 2026, "Exact zCDP
characterizations for fundamental differentially private mechanisms"), and 2·Φ⁻¹(e^ε/(1 + e^ε)).
From (ε, δ) with δ > 0 nothing leads to ρ or μ: with probability δ all may be revealed.

m rows: m²ρ, mμ, mε, and (mε, δ·(e^(mε) − 1)/(e^ε − 1)).
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy.special import log_expit, ndtri_exp

from dpviz.maths.gaussian import least_epsilon, log_delta_of_mu
from dpviz.maths.logspace import log1mexp
from dpviz.results.answer import Answer, Beside, Parameters
from dpviz.results.ends import told_apart
from dpviz.results.evidence import Bracket, Evidence, FloatArray, Source
from dpviz.results.limit import Limit
from dpviz.results.numbers import read_number
from dpviz.results.parameters import PROMISES, ParameterError

RANGES = PROMISES
"""The ranges of what is converted."""

TARGETS = ("epsilon", "delta", "rho", "mu", "renyi")

_GAUSSIAN = Source("Balle & Wang 2018", "Theorem 8, which μ-GDP cannot exceed")
_RENYI = Source("Canonne, Kamath & Steinke 2020", "Proposition 12, and two outcomes from below")
_RESPONSE = Source("dpviz.maths.conversions", "randomised response, the worst that is ε-DP")
_DEFINED = Source("Bun & Steinke 2016", "Proposition 1.6: Gaussian noise reaches it")
_GROUP = Source("Bun & Steinke 2016", "Proposition 1.9: a shift of Gaussian noise reaches it")
_SHIFTED = Source("Dong, Roth & Su 2022", "Theorem 2.14: a shift of Gaussian noise reaches it")
_CHAIN = Source("Dwork & Roth 2014", "Theorem 2.2, and a chain of rows for δ")

_EXACT = 1e-11  # relative, of closed forms
_ORDERS = np.exp(np.linspace(math.log(1e-5), math.log(1e7), 400))  # α − 1
_FINE = np.linspace(-1.0, 1.0, 401)  # of log(α − 1) around the best order
_BETWEEN = 1e-5  # relative: no divergence is larger between two of those orders
_HALVINGS = 50
_TRIED = np.linspace(-0.5, 0.5, 41)  # of log p around the best one in the limit
_LONGEST, _MOST_ORDERS = 400, 50


def convert(
    *,
    rho: float | None = None,
    mu: float | None = None,
    renyi: Mapping[float, float] | str | None = None,
    epsilon: float | None = None,
    delta: float | None = None,
    rows: float = 1,
    to: str | None = None,
    order: float | None = None,
) -> Answer:
    """Return what a promise of one kind means in another kind, for a group of rows.

    One of rho: ρ-zCDP; mu: μ-GDP; renyi: orders with their ε, {8: 0.5} or "8:0.5,16:1.1"; or else
    epsilon: pure, or with delta. rows: m, how many of them one person may own. to: "epsilon" (needs
    delta), "delta" (needs epsilon), "rho", "mu" or "renyi" (needs order); what is not said follows
    from what is given. Both ends are those of all mechanisms that keep the promise: `lower` is
    needed by one of them. Raises `ParameterError`.
    """
    given = {"rho": rho, "mu": mu, "renyi": renyi}
    sources = [name for name, value in given.items() if value is not None]
    if len(sources) > 1:
        raise ParameterError(sources[1], f"left out beside {sources[0]}", given[sources[1]])
    source = sources[0] if sources else "epsilon"
    group = int(RANGES["rows"].validate(rows))
    goals = {"epsilon": epsilon, "delta": delta, "order": order}
    kind = _target(source, goals, group, to)
    wanted = {n: RANGES[n].validate(v) for n, v in goals.items() if v is not None}
    parameters: dict[str, float | str] = {} if group == 1 else {"rows": group}
    if source == "epsilon":
        return _of_pair(wanted, kind, group, parameters)
    if source == "renyi":
        assert renyi is not None
        if group > 1:
            raise ParameterError("rows", "left out beside renyi: use rho or mu", rows)
        orders = _read_orders(renyi)
        text = ",".join(f"{a:.12g}:{e:.12g}" for a, e in orders.items())
        return _of_renyi(_Renyi(orders), kind, wanted, {"renyi": text}, _orders_beside(orders))
    value = RANGES[source].validate(given[source])  # type: ignore[arg-type]
    parameters = {source: value, **parameters}
    if source == "mu":
        return _of_mu(value * group, kind, wanted, parameters, group)
    return _of_rho(value * group**2, kind, wanted, parameters, group)


def _target(source: str, goals: Mapping[str, object], rows: int, to: str | None) -> str:
    """Return what is asked for, or raise where that does not follow."""
    if to is not None and to not in TARGETS:
        raise ParameterError("to", f"one of {', '.join(TARGETS)}", to)
    has = {name for name, value in goals.items() if value is not None}
    if source == "epsilon":
        if "epsilon" not in has:
            raise ParameterError("epsilon", "given, or one of rho, mu and renyi", None)
        kind = to or ("renyi" if "order" in has else "delta" if "delta" in has else "epsilon")
        if "delta" in has and kind != "delta":
            raise ParameterError("to", "delta: all may be revealed with probability δ", to)
        if kind in ("epsilon", "delta") and rows == 1:
            raise ParameterError("to", "rho, mu or renyi, or rows above 1", to)
        if kind == "delta" and "delta" not in has:
            raise ParameterError("delta", "given, to be converted for rows", None)
    else:
        kind = to or next((k for k, n in _FOLLOWS if n in has), "")
        if not kind:
            raise ParameterError("delta", "given, or epsilon, order or to", None)
    needed = {"epsilon": "delta", "delta": "epsilon", "renyi": "order"}.get(kind)
    if source == "epsilon" and kind == "epsilon":
        needed = None
    if needed and needed not in has:
        raise ParameterError(needed, f"given for {kind}", None)
    used = {needed} | ({"epsilon", "delta"} if source == "epsilon" else set())
    for name in sorted(has - used):
        raise ParameterError(name, f"left out for {kind}", goals[name])
    if kind == source and kind != "epsilon" and rows == 1:
        raise ParameterError("to", f"another kind than {source}", to)
    return kind


_FOLLOWS = (("epsilon", "delta"), ("delta", "epsilon"), ("renyi", "order"))


def _read_orders(renyi: Mapping[float, float] | str) -> dict[float, float]:
    """Return the orders with their ε."""
    if isinstance(renyi, str):
        words = [word.partition(":") for word in renyi[: _LONGEST + 1].split(",")]
        pairs = [(read_number(order.strip()), read_number(at.strip())) for order, _, at in words]
    else:
        pairs = list(renyi.items())
    if not pairs or len(pairs) > _MOST_ORDERS or len(str(renyi)) > 40 * _LONGEST:
        raise ParameterError("renyi", f"1 to {_MOST_ORDERS} orders", "more or none")
    if isinstance(renyi, str) and (len(renyi) > _LONGEST or math.isnan(sum(map(sum, pairs)))):
        raise ParameterError("renyi", "orders with their ε, as in 8:0.5,16:1.1", renyi[:_LONGEST])
    limit = Limit("renyi", "ε", "at an order", 0.0, 1e6, 1.0)
    return {RANGES["order"].validate(order): limit.validate(at) for order, at in pairs}


# ---- from ε, and (ε, δ) --------------------------------------------------------------------------


def _of_pair(goals: Mapping[str, float], kind: str, rows: int, parameters: Parameters) -> Answer:
    one, delta = goals["epsilon"], goals.get("delta")
    epsilon = rows * one
    parameters = {"epsilon": one, **parameters}
    if kind == "epsilon":
        return _answer(kind, Bracket(epsilon, epsilon), Evidence.EXACT, _CHAIN, parameters)
    if kind == "delta":
        assert delta is not None
        grown = epsilon + float(log1mexp(-epsilon)) - one - float(log1mexp(-one))
        log_delta = math.log(delta) + grown
        if log_delta >= 0:
            raise ParameterError("rows", "fewer: nothing is promised to so many", rows)
        found = math.exp(log_delta)
        parameters = {**parameters, "delta": delta}
        how = {"epsilon_of_group": epsilon}
        return _answer(kind, Bracket(0.0, found), Evidence.UPPER, _CHAIN, parameters, how=how)
    if kind == "rho":
        beside = (Beside("ε²/2", epsilon**2 / 2, "Bun & Steinke 2016, Proposition 1.4; always"),)
        return _exact(kind, epsilon * math.tanh(epsilon / 2), _RESPONSE, parameters, beside)
    if kind == "mu":
        return _exact(kind, -2 * float(ndtri_exp(log_expit(-epsilon))), _RESPONSE, parameters)
    order = goals["order"]
    log_p, log_q = float(log_expit(epsilon)), float(log_expit(-epsilon))
    value = float(_divergence(np.array([order - 1]), log_p, log_q, log_q, log_p)[0])
    return _exact(kind, value, _RESPONSE, {**parameters, "order": order})


# ---- from μ and ρ --------------------------------------------------------------------------------


def _of_mu(
    mu: float, kind: str, goals: Mapping[str, float], parameters: Parameters, rows: int
) -> Answer:
    if kind == "mu":
        return _exact(kind, mu, _SHIFTED, parameters)
    if kind == "rho":
        return _exact(kind, mu**2 / 2, _DEFINED if rows == 1 else _GROUP, parameters)
    parameters = {**parameters, **goals}
    if kind == "renyi":
        return _exact(kind, goals["order"] * mu**2 / 2, _DEFINED, parameters)
    if kind == "epsilon":
        delta = goals["delta"]
        found = float(least_epsilon(np.array([mu]), np.array([delta]))[0])
        beside = _textbook_epsilon(mu, delta)
        bounds = Bracket(found * (1 - _EXACT), found)
        return _answer(kind, bounds, Evidence.CERTIFIED, _GAUSSIAN, parameters, beside=beside)
    log_delta = float(log_delta_of_mu(np.array([goals["epsilon"]]), np.array([mu]))[0][0])
    bounds = Bracket(math.exp(log_delta - _EXACT), min(math.exp(log_delta + _EXACT), 1.0))
    return _answer(kind, told_apart(bounds), Evidence.CERTIFIED, _GAUSSIAN, parameters)


def _textbook_epsilon(mu: float, delta: float) -> tuple[Beside, ...]:
    value = mu * math.sqrt(2 * math.log(1.25 / delta))
    holds = "proven for ε < 1" + ("" if value < 1 else ", not here")
    return (Beside("μ·√(2·ln(1.25/δ))", value, f"Dwork & Roth 2014, Theorem A.1; {holds}"),)


def _of_rho(
    rho: float, kind: str, goals: Mapping[str, float], parameters: Parameters, rows: int
) -> Answer:
    if kind == "mu":
        raise ParameterError("to", "epsilon, delta or renyi: ρ alone promises no μ", kind)
    if kind == "rho":
        return _exact(kind, rho, _GROUP, parameters)
    if kind == "renyi":
        source = _DEFINED if rows == 1 else _GROUP
        return _exact(kind, goals["order"] * rho, source, {**parameters, **goals})
    beside: tuple[Beside, ...] = ()
    if kind == "epsilon":
        usual = rho + 2 * math.sqrt(rho * math.log(1 / goals["delta"]))
        words = "Bun & Steinke 2016, Proposition 1.3; always"
        beside = (Beside("ρ + 2·√(ρ·ln(1/δ))", usual, words),)
    return _of_renyi(_Renyi(rho), kind, goals, parameters, beside)


def _orders_beside(orders: Mapping[float, float]) -> Callable[[float], tuple[Beside, ...]]:
    """Return the usual conversion of the best order, at a δ."""

    def beside(delta: float) -> tuple[Beside, ...]:
        value, order = min((e - math.log(delta) / (a - 1), a) for a, e in orders.items())
        words = f"Mironov 2017, Proposition 3, at α = {order:g}; always"
        return (Beside("ε + ln(1/δ)/(α − 1)", value, words),)

    return beside


# ---- from Rényi divergences ----------------------------------------------------------------------


class _Renyi:
    """What is promised: Rényi divergences of some orders, or at most ρα for all of them."""

    def __init__(self, promise: float | Mapping[float, float]) -> None:
        self._promise = promise
        if isinstance(promise, Mapping):
            self._gaps = np.array([order - 1 for order in promise])
            self._most = np.array(list(promise.values()))
        else:
            self._take(_ORDERS, promise)

    def _take(self, gaps: FloatArray, rho: float) -> None:
        self._gaps, self._most = gaps, rho * (1 + gaps)

    def _best(self, bound: Callable[[FloatArray, FloatArray], FloatArray]) -> tuple[float, float]:
        """Return the least of a bound and α − 1 there; orders around it are taken in, too."""
        if not isinstance(self._promise, Mapping):
            self._take(_ORDERS, self._promise)
            gap = self._gaps[int(np.argmin(bound(self._gaps, self._most)))]
            self._take(np.sort(np.concatenate([_ORDERS, gap * np.exp(_FINE)])), self._promise)
        enough = bound(self._gaps, self._most)
        best = int(np.argmin(enough))
        return float(enough[best]), float(self._gaps[best])

    def epsilon(self, log_delta: float) -> Bracket:
        """Return what mechanisms that keep the promise need, and what is enough for all."""

        def bound(gap: FloatArray, most: FloatArray) -> FloatArray:
            # Canonne, Kamath & Steinke: every order is enough
            return most - (log_delta + np.log1p(gap)) / gap + np.log(gap) - np.log1p(gap)

        upper, gap = self._best(bound)
        upper = max(upper, 0.0)
        near = min(log_delta + math.log1p(gap), -1e-9)
        log_p = np.minimum(near + _TRIED * math.log1p(gap), -1e-12)
        log_p = log_p[log_p > log_delta]
        lower = log_p + log1mexp(log_delta - log_p) - self._least(log_p)
        return Bracket(min(max(float(np.max(lower, initial=0.0)), 0.0), upper), upper)

    def log_delta(self, epsilon: float) -> tuple[float, float]:
        """Return ln δ likewise."""

        def bound(gap: FloatArray, most: FloatArray) -> FloatArray:
            log_share = gap * (np.log(gap) - np.log1p(gap)) - np.log1p(gap)
            return np.asarray(gap * (most - epsilon) + log_share)

        upper, gap = self._best(bound)
        upper = min(upper, 0.0)
        near = min(upper + math.log1p(gap), -1e-9)
        log_p = np.minimum(near + 3 * _TRIED * max(math.log1p(gap), 0.5), -1e-12)
        log_p = np.append(log_p, math.log(0.5) if upper > -6 else log_p[-1:])
        kept = log_p + log1mexp(np.minimum(epsilon + self._least(log_p) - log_p, 0.0))
        return min(float(np.max(kept)), upper), upper

    def _least(self, log_p: FloatArray) -> FloatArray:
        """Return the least ln q at which p against q, and q against p, keep the promise."""
        gap, most = self._gaps[:, None], self._most[:, None]
        high, low = log_p.copy(), log_p - 1 - (most - log_p / gap).min(axis=0)
        most = most * (1 - _BETWEEN) if not isinstance(self._promise, Mapping) else most
        rest_p = log1mexp(log_p)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            rest_q = log1mexp(middle)
            forth = _divergence(gap, log_p, rest_p, middle, rest_q)
            back = _divergence(gap, middle, rest_q, log_p, rest_p)
            kept = ((forth <= most) & (back <= most)).all(axis=0)
            low, high = np.where(kept, low, middle), np.where(kept, middle, high)
        return np.asarray(high)


def _divergence(gap: FloatArray, log_p: Any, rest_p: Any, log_q: Any, rest_q: Any) -> FloatArray:
    """Return the Rényi divergence of order 1 + gap of two outcomes, from their log chances."""
    first, second = gap * (log_p - log_q), gap * (rest_p - rest_q)
    with np.errstate(over="ignore", invalid="ignore"):
        near = np.log1p(np.exp(log_p) * np.expm1(first) + np.exp(rest_p) * np.expm1(second))
    far = np.logaddexp(log_p + first, rest_p + second)
    is_near = (np.abs(first) < 1) & (np.abs(second) < 1)
    return np.asarray(np.where(is_near, near, far) / gap)


def _of_renyi(
    promise: _Renyi,
    kind: str,
    goals: Mapping[str, float],
    parameters: Parameters,
    beside: tuple[Beside, ...] | Callable[[float], tuple[Beside, ...]],
) -> Answer:
    parameters = {**parameters, **goals}
    if kind == "epsilon":
        delta = goals["delta"]
        others = beside(delta) if callable(beside) else beside
        bounds = promise.epsilon(math.log(delta))
        return _answer(kind, bounds, Evidence.CERTIFIED, _RENYI, parameters, beside=others)
    if kind == "delta":
        low, high = promise.log_delta(goals["epsilon"])
        bounds = told_apart(Bracket(math.exp(low), math.exp(high)))
        return _answer(kind, bounds, Evidence.CERTIFIED, _RENYI, parameters)
    raise ParameterError("to", "epsilon or delta: some orders promise neither ρ nor μ", kind)


# ---- answers -------------------------------------------------------------------------------------

_SYMBOLS = {
    "epsilon": ("ε", "Smallest ε that the promise means"),
    "delta": ("δ", "Smallest δ that the promise means"),
    "rho": ("ρ", "Smallest ρ of zero-concentrated DP that the promise means"),
    "mu": ("μ", "Smallest μ of Gaussian DP that the promise means"),
    "renyi": ("ε(α)", "Largest Rényi divergence of this order that the promise allows"),
}


def _exact(
    kind: str, value: float, source: Source, parameters: Parameters, beside: tuple[Beside, ...] = ()
) -> Answer:
    return _answer(kind, Bracket(value, value), Evidence.EXACT, source, parameters, beside=beside)


def _answer(
    kind: str,
    bounds: Bracket,
    evidence: Evidence,
    source: Source,
    parameters: Parameters,
    *,
    how: Mapping[str, float] | None = None,
    beside: tuple[Beside, ...] = (),
) -> Answer:
    symbol, words = _SYMBOLS[kind]
    low, high = bounds.lower, bounds.upper
    return Answer(
        kind, symbol, "", words, low, high, high, evidence, source, parameters, how, beside=beside
    )
