"""Few users: what the views say in a sentence, and their notes."""

import math

from dpviz.plot.text import counted, power_of_ten, readable
from dpviz.topics.few_users.models import MODELS, substitution_budget
from dpviz.topics.few_users.stability import Measured
from dpviz.topics.few_users.views.agreement import AgreementChart
from dpviz.topics.few_users.views.messages import Messages
from dpviz.topics.few_users.views.parity import ParityChart
from dpviz.topics.few_users.views.success import SuccessChart
from dpviz.topics.few_users.views.votes import Votes

# ---- agreement against m -------------------------------------------------------------------


def agreement_takeaway(chart: AgreementChart) -> str:
    """State how often two users agree on shared darts, and with own coins."""
    shared, own = (f"{readable(100 * part.value)}%" for part in (chart.shared, chart.own))
    if math.isnan(chart.shared.value) or math.isnan(chart.own.value):
        return "The first runs are under way."
    return (
        f"Two users pick the same hypothesis in {shared} of cases on shared darts, in {own} with "
        "own coins."
    )


def agreement_detail(chart: AgreementChart) -> str:
    """State how often two users agree, the stability measured, and what the proof requires."""
    return (
        f"With m = {readable(chart.here, 7)} examples each, two users pick the same hypothesis "
        f"with probability {measured(chart.shared)} on shared darts, and {measured(chart.own)} "
        f"with coins of their own. This is measured in a practical setting; the proof asks for "
        f"m = {readable(chart.proof_examples, 2)}."
    )


def agreement_notes(chart: AgreementChart) -> list[str]:
    """Set the measured stability beside what the theorems require."""
    gammas = (
        f"γ = {readable(chart.gamma)} (practical), where the proof takes "
        f"{readable(chart.proof_gamma)}. "
        if math.isfinite(chart.gamma)
        else ""
    )
    return [
        _stability(chart),
        f"{gammas}Nothing here runs with the constants of the proof: at those "
        f"m = {readable(chart.proof_examples, 2)} examples for each user would be needed. What is "
        "measured holds for the practical setting alone.",
        "Both ways of drawing use the same examples.",
        "Every board has new darts, a new target (no hypothesis is good for two of those drawn "
        "from) and new examples; intervals are Clopper-Pearson at 95%, one by one.",
    ]


def _stability(chart: AgreementChart) -> str:
    """Tell between what bounds ν lies, and from what that is known."""
    found = chart.stability
    return (
        f"Pseudo-global stability at m = {readable(chart.here, 7)}: the share ν of boards on which "
        f"one hypothesis is picked with probability at least η = {readable(chart.eta)} is between "
        f"{readable(found.lower)} and {readable(found.upper)} (95%, over darts and targets). By "
        f"the picks of {found.users} users each, {found.stable} of {found.boards} boards are "
        f"surely of that kind and {found.unstable} surely not. Theorems 25, 29 and 30 ask for "
        f"η = 0.9 and ν = {readable(chart.wanted, 4)}."
    )


# ---- the votes -----------------------------------------------------------------------------


def votes_takeaway(result: Votes) -> str:
    """State how many users agree, on shared darts and with own coins."""
    so_far = "" if result.done == 1 else "So far, "
    return (
        f"{so_far}{result.shared.max():,} of {result.users:,} users vote alike on shared darts, "
        f"{result.own.max():,} with coins of their own."
    )


def votes_detail(result: Votes) -> str:
    """State how many users agree, and in which models a good hypothesis comes out."""
    right = sum(result.is_good(chosen) for chosen in result.released.values())
    alone = sum(result.is_good(chosen) for chosen in result.released_own.values())
    begin = "On" if result.done == 1 else f"So far, out of {result.expected:,} users: on"
    return (
        f"{begin} shared darts {result.shared.max():,} of {result.users:,} users vote for one "
        f"hypothesis, and {right} of 4 private votes release one of error at most "
        f"α = {readable(result.alpha)}; with own coins the largest group has "
        f"{result.own.max():,}, and {alone} of 4 do."
    )


def votes_notes(result: Votes) -> list[str]:
    """Say what is private, and what the colours mean."""
    return [
        "Green: error at most α. Red: what a model released is no such hypothesis, or nothing.",
        "The votes are not protected: you see what an analyser sees whom nobody should have to "
        "trust. What is released is one hypothesis.",
        neighbours(result.epsilon, result.delta),
    ]


def neighbours(epsilon: float, delta: float) -> str:
    """Say who is protected in which model, and what that makes of a comparison at one ε."""
    exchanged, lost = substitution_budget(epsilon=epsilon, delta=delta)
    return (
        f"At the same ε = {readable(epsilon)} the models do not promise the same. Central ones "
        "protect a user who is added or removed; the local and the shuffle model one whose "
        "examples are all exchanged, which is to remove one and add another. For that the central "
        f"models' promise is ε = {readable(exchanged)} only (and δ = {readable(lost)}; the pure "
        "one δ = 0): their task is up to twice as easy."
    )


# ---- success against n ---------------------------------------------------------------------


def success_takeaway(chart: SuccessChart) -> str:
    """State the users that are enough with a trusted server, and without one."""
    central, local = (chart.enough[model] for model in ("approximate", "local"))
    if not math.isfinite(central):
        tried = "were tried" if chart.done == 1 else "were tried so far"
        return f"Even with a trusted server more users are needed than {tried}."
    without = readable(local, 5) if math.isfinite(local) else "more than were tried"
    return (
        f"{readable(central, 5)} users are enough where a trusted server counts their votes; "
        f"where nobody is trusted, {without}."
    )


def success_detail(chart: SuccessChart) -> str:
    """State the users from which each model succeeds, and the lower bound."""
    parts = []
    for model, name in MODELS.items():
        n = chart.enough[model]
        parts.append(f"{name}: {readable(n, 5)}" if math.isfinite(n) else f"{name}: more")
    return (
        f"Users from which a share 1 − β = {readable(1 - chart.beta, 4)} of the simulated runs "
        f"succeeds: {'; '.join(parts)}.{_fewest(chart)}"
    )


def _fewest(chart: SuccessChart) -> str:
    """State the lower bound, and for whom it holds."""
    who = {
        "all": "No private learner does",
        "proper": "No private learner whose output is of the class does",
    }
    if chart.bounds not in who or chart.least < 2:
        return ""
    anyone = ""
    if chart.bounds == "proper" and chart.least_any > 1:
        anyone = f", and none at all with fewer than {chart.least_any:,}"
    return f" {who[chart.bounds]} with fewer than {chart.least:,}{anyone}."


def success_notes(chart: SuccessChart) -> list[str]:
    """Give the measured probabilities at the reader's n, and say what the shapes are."""
    told = [
        f"{name}: success {measured(chart.measured[model])} at n = {readable(chart.here, 5)} "
        f"({chart.measured[model].trials:,} runs, 95%)."
        for model, name in MODELS.items()
    ]
    bound = (
        "The black line holds for (ε, δ)-privacy, on average over the N targets drawn from: "
        "what n steps of group privacy make of a chance of 1/N: each takes a to e^ε·a + δ at most, "
        "and 1 − a to e^−ε(1 − a − δ) at least. "
    )
    limits = {
        "all": f"{bound}No function at all is good for two of them, so it binds every learner.",
        "proper": f"{bound}No hypothesis of the class is good for two of them, but another "
        "function may be: it binds proper learners, whose output is of the class, as here. The "
        f"thin line binds all: no function is good for more than {chart.served:,} of the targets.",
        "none": "No lower bound is drawn: its argument needs two targets or more that share no "
        "good hypothesis, and here the target is always the same.",
    }
    return [
        *told,
        "Dashed: the theorems' numbers of users with C for the hidden constant: "
        "ln(1/(δβ))/ε (Theorems 1 and 35), (d + ln(1/β))/ε (3), (d + ln(1/β))/ε² (2).",
        limits[chart.bounds],
        neighbours(chart.epsilon, chart.delta),
        "The theorems are stated for ε < 1 and α, β < 0.1; what is simulated needs neither.",
        "Every run draws target, darts and examples anew. Groups of more than 300 users come in "
        f"every second run. In the shuffle model r = {readable(chart.dispersion)}, for ε/2, δ/2.",
    ]


# ---- parity --------------------------------------------------------------------------------


def parity_takeaway(chart: ParityChart) -> str:
    """State the users that suffice at the reader's d, and how few do not with one example each."""
    d = int(chart.here)
    if not math.isfinite(chart.needed):
        return (
            f"No group simulated so far is large enough to learn a parity of {d} bits in private."
        )
    begin = (
        f"{readable(chart.needed, 4)} users with many examples each learn a parity of {d} bits, "
        "though nobody is trusted"
    )
    few = _down(chart.item[0])
    if few <= chart.needed:
        return f"{begin}."
    return f"{begin}; with one example each, {few:,} are too few."


def _down(value: float) -> int:
    """Round down to three digits: of a number of users who are too few, fewer are as well."""
    unit = int(10 ** max(math.floor(math.log10(max(value, 1.0))) - 2, 0))
    return math.floor(value / unit) * unit


def parity_detail(chart: ParityChart) -> str:
    """State the interval of the users needed, and what users with one example each need."""
    d = int(chart.here)
    found = "no group simulated suffices so far"
    if math.isfinite(chart.needed):
        upper = readable(chart.most, 4) if math.isfinite(chart.most) else "more"
        found = (
            f"{readable(chart.needed, 4)} users ({readable(chart.fewest, 4)} to {upper}) suffice"
        )
    few, many = chart.item
    return (
        f"For the {2**d:,} parities on d = {d} bits {found} in the local model when each holds "
        "many examples; the number grows like d. With one example each it doubles with every bit: "
        f"{_down(few):,} users are too few, {readable(many, 7)} are enough."
    )


def parity_notes(chart: ParityChart) -> list[str]:
    """Say what is simulated, what is proven and what is a shape."""
    return [
        f"Points: the least group from which on a share 1 − β = {readable(1 - chart.beta, 4)} of "
        "the runs releases the right parity. Intervals: from the least group for which that can't "
        "be excluded to the least for which it is certain, by Clopper-Pearson at 95% for each "
        "group.",
        f"The green line is proved: {readable(chart.proved, 5)} users certainly learn a parity of "
        f"{chart.largest} bits. Each solves linear equations and votes if one parity alone fits; "
        "the tail of every rival is exact, and a union bound adds them up, so nothing of size 2^d "
        "is listed.",
        "One example each, enough: an equal group is asked about each of the 2^d parities whether "
        "their label is its value, and answers with a coin's help; the number is exact. Too few: "
        "proven with all constants for every learner whom each user tells something once, also if "
        "it asks one user after another; the paper says 2^Ω(d). The two grow alike but for a "
        "factor d.",
        "The black line holds for every learner, however many examples users hold: no function is "
        "good for two parities (from α = 1/4 on: for more than 1/(1 − 2α)² of them).",
        "Dashed: a shape, times C.",
        "Parities other than the target err on half of all examples, so a few dozen examples "
        "make all users sure: here shared darts are needed by the theorem, not by the data.",
    ]


# ---- messages in the shuffle ---------------------------------------------------------------


def messages_takeaway(result: Messages) -> str:
    """State between what numbers the analyser knows the count."""
    low, high = (min(max(end, 0), result.bits.size) for end in result.estimates)
    users = f"{result.bits.size:,} users"
    if (low, high) == (0, result.bits.size):
        return f"So much noise hides everything: of {users}, any number may hold a one."
    return (
        f"From the mixed messages the analyser knows that {low:,} to {high:,} users hold a one; "
        f"{result.truth:,} {'does' if result.truth == 1 else 'do'}."
    )


def messages_detail(result: Messages) -> str:
    """State the estimates, the exact δ, and the theorem's."""
    low, high = result.estimates
    users = counted(result.bits.size, "user", digits=7)
    tiny = result.log_privacy < -690  # below what a double holds
    power = power_of_ten(round(max(result.log_privacy, -1e6) / math.log(10)))
    exact = f"about {power}" if tiny else readable(math.exp(result.log_privacy))
    return (
        f"{users} hold {counted(result.truth, 'one', digits=7)}. Counting ones they send "
        f"{high:,} message{'' if high == 1 else 's'}, never fewer; "
        f"counting zeros gives {whole(low)}, never more. At ε = "
        f"{readable(result.protocol.epsilon)} this r = {readable(result.protocol.dispersion)} "
        f"gives each count δ = {exact}, exactly; allowed is {readable(result.delta)}."
    )


def messages_notes(result: Messages) -> list[str]:
    """Say what is sent, seen and protected."""
    protocol = result.protocol
    return [
        f"Each user adds NB(r/n, p) messages of noise, p = e^(−0.2ε); together that is NB(r, p), "
        f"on average {readable(protocol.mean_noise)} messages. It exceeds {result.quantile:,} with "
        f"probability at most β = {readable(result.beta)}: the error bound, exactly.",
        "The exact δ is the larger hockey-stick divergence between the totals of two inputs that "
        "differ in one user's bit (substitution). It is that of one count: making both "
        "spends it twice. Theorem 39 is stated for ε < 1; the exact δ needs no limit.",
        "Selection (Lemma 36) counts every item by its zeros, with ε/2 and δ/2 each: for every "
        "item a user does not hold they send a message, and noise, all marked with the item. The "
        "estimate is what is missing from n, so an item that nobody holds never gets a positive "
        "one.",
    ]


# ---- numbers in words ----------------------------------------------------------------------


def measured(value: Measured) -> str:
    """Write a simulated probability with its interval."""
    if math.isnan(value.value):
        return "unknown as yet"
    low, high = readable(value.lower), readable(value.upper)
    return f"{readable(value.value)} ({low} to {high})"


def whole(value: int) -> str:
    """Write a whole number with a proper minus sign."""
    return f"{value:,}".replace("-", "−")
