"""What the charts of the clipping page say in a sentence, and their notes."""

import math

import numpy as np

from dpviz.plot.text import readable
from dpviz.results.evidence import FloatArray
from dpviz.topics.clipping.views.choosing import ThresholdChart
from dpviz.topics.clipping.views.one_user import UserScores
from dpviz.topics.clipping.views.real_data import RealChart
from dpviz.topics.clipping.views.selected import Selected
from dpviz.topics.clipping.views.users_needed import UsersNeeded
from dpviz.topics.clipping.views.where_it_helps import WORTH, Helps

# ---- one user -------------------------------------------------------------------------------


def user_takeaway(result: UserScores) -> str:
    """State who is cut, how far the mean moves, and what noise is saved."""
    users = result.scores.size
    saved = result.unclipped_sensitivity / result.sensitivity
    cut = f"{result.cut:,} of {users:,} users" if users != 1 else f"{result.cut} of 1 user"
    moved = (
        f"moves a user's mean score from {readable(float(result.scores.mean()))} to "
        f"{readable(float(result.clipped.mean()))}"
    )
    if result.cut == 0:
        moved = "moves no score"
    noise = (
        f"makes the noise {readable(saved)} times smaller"
        if saved > 1.0005
        else f"saves no noise: one user still moves a score by {readable(result.sensitivity)}"
    )
    return f"Clipping at τ = {readable(result.threshold)} cuts {cut}, {moved}, and {noise}."


def user_notes(result: UserScores) -> list[str]:
    """Say which pair is shown, and what the noise is."""
    against = f"“{result.rival}” against the best candidate, “{result.best}”"
    return [
        f"Scores of {against}; positive ones speak against it. A user's expected score is "
        f"{readable(result.expected)} before clipping.",
        "The noise drawn is the scale 2Δ/ε of the exponential mechanism's Gumbel noise, divided by "
        f"the number of users; the sensitivity Δ is {readable(result.sensitivity)} with clipping "
        f"and {readable(result.unclipped_sensitivity)} without. Both are exact: no user of "
        f"{result.examples_per_user:,} examples moves a score further.",
        "The histogram and the means are not private: you see them as somebody does who holds the "
        "data.",
    ]


# ---- what gets selected ---------------------------------------------------------------------


def selected_takeaway(result: Selected) -> str:
    """State the probability of a good answer, with clipping and without."""
    clipped, unclipped = result.success(result.clipped), result.success(result.unclipped)
    sentence = (
        f"An answer within α = {readable(result.alpha)} of the best candidate comes with "
        f"probability {chance(clipped)}"
    )
    if result.threshold >= result.examples_per_user:
        return f"{sentence}; τ = m clips nothing."
    return (
        f"{sentence} when users are clipped at τ = {readable(result.threshold)}, and "
        f"{chance(unclipped)} without clipping."
    )


def selected_notes(result: Selected) -> list[str]:
    """Say what the candidates are, how they are compared, and how near they come."""
    task = result.task
    words = "every possible truth" if task.radius_exact else "95% of possible truths"
    notes = [
        f"{len(result.names)} candidates; within {readable(task.radius)} of {words}. The best has "
        f"{task.metric} {readable(task.optimum)}.",
        f"Comparison ψ: {task.comparison}."
        if task.loss is None
        else "Score: users who hold an example on which the candidate errs (Section 4), counted "
        "up to τ examples each.",
    ]
    if result.published is not None:
        notes.append(
            f"No user moves a score by more than Δ = {readable(result.sensitivity)}. The paper "
            f"takes 2τ = {readable(task.published_sensitivity(result.threshold))}; with that the "
            f"probability is {chance(result.success(result.published))}."
        )
    if task.loss is None and task.least_expected_score > 0.1 * result.alpha:
        notes.append(
            "Theorem 37 asks for a candidate whose expected score is at most 0.1α = "
            f"{readable(0.1 * result.alpha)}; here the least is "
            f"{readable(task.least_expected_score)}, so its guarantee does not apply."
        )
    return notes


# ---- choosing τ -----------------------------------------------------------------------------


def threshold_takeaway(chart: ThresholdChart) -> str:
    """State whether clipping helps on these data: the error at the best τ, and without."""
    errors = chart.errors
    if errors["least"] > WORTH * errors["unclipped"]:
        gain = "no τ lowers the expected error by a tenth"
        best = f"the best, {readable(chart.least)}, gives {readable(errors['least'])}"
        return f"On these data {gain}: {best}, and no clipping {readable(errors['unclipped'])}."
    sentence = (
        f"On these data clipping lowers the expected error from {readable(errors['unclipped'])} to "
        f"{readable(errors['least'])}, at τ = {readable(chart.least)}"
    )
    if math.isclose(chart.proposed, chart.least):
        return f"{sentence}, the paper's own."
    return (
        f"{sentence}; the paper's τ = {readable(chart.proposed)} gives "
        f"{readable(errors['proposed'])}."
    )


def threshold_notes(chart: ThresholdChart) -> list[str]:
    """Say what the curves are."""
    errors = chart.errors
    notes = [
        "The curve is exact for the data set of this seed; the dots are means over fresh data sets "
        "of as many users.",
        f"At your τ = {readable(chart.here)} the expected error is {readable(errors['here'])}. No "
        f"clipping is τ = m = {readable(chart.unclipped)}.",
        "The least τ is read off the data, which a private analysis could not do.",
    ]
    if any(curve.key == "published" for curve in chart.curves):
        notes.append(
            "Solid curve and dots divide by the exact sensitivity. The paper divides by 2τ, which "
            "is more than a user can move once τ exceeds m/2 or so: its own algorithm errs by "
            f"{readable(errors['published'])} at its τ."
        )
    if chart.runs:
        notes.append(
            f"{chart.runs:,} fresh data sets so far. Each interval holds with probability 95% at "
            "all times at once (an empirical Bernstein confidence sequence)."
        )
    return notes


# ---- where clipping helps -------------------------------------------------------------------


def helps_takeaway(chart: Helps) -> str:
    """State what clipping does at the reader's m and correlation, and whether noise does better."""
    errors = chart.errors
    where = (
        f"With m = {chart.examples_per_user:,} and correlation ρ = {readable(chart.correlation)}"
    )
    without = readable(errors["unclipped"])
    if errors["best"] > WORTH * errors["unclipped"]:
        return f"{where} no τ lowers the expected error of {without} by a tenth."
    sentence = (
        f"{where} clipping at the best τ lowers the expected error from {without} to "
        f"{readable(errors['best'])}"
    )
    if errors["laplace"] < errors["best"]:
        return f"{sentence}, but plain Laplace noise does better: {readable(errors['laplace'])}."
    return f"{sentence}; plain Laplace noise gives {readable(errors['laplace'])}."


def helps_notes(chart: Helps) -> list[str]:
    """Say what the boundaries mean, and what they rest on."""
    notes = [
        f"Below a line clipping brings the expected error to {readable(100 * WORTH)}% or less of "
        "its rival's: of the same choice without clipping, or of Laplace noise. Where a line is "
        "missing it does so at no correlation that was tried.",
        "The correlation ρ says how alike two examples of a user are: 0 for independent ones, 1 if "
        "all are the same. Each user draws from shares of their own, a Dirichlet variable around "
        "the truth.",
        f"The best τ at your point, {readable(chart.threshold)}, is the best in the mean over "
        "fresh data, which nobody knows beforehand; Theorem 37's τ, fixed beforehand, gives "
        f"{readable(chart.errors['paper'])}.",
        "Plain Laplace noise is added to the mean of the users' own shares: one user moves that by "
        "the same amount, however many examples they hold. It needs no candidates; the best of "
        f"those here errs by {readable(chart.optimum)}.",
    ]
    if not math.isnan(chart.beyond):
        notes.append(
            f"At your correlation the best τ helps from m = {readable(chart.beyond)} on, of the m "
            "that were tried."
        )
    if chart.passes:
        notes.append(
            f"Means over {chart.passes} fresh data sets at each point; intervals are two standard "
            "errors by the jackknife."
        )
    return notes


# ---- users needed ---------------------------------------------------------------------------


def needed_takeaway(chart: UsersNeeded) -> str:
    """State the users needed with one example and with many, clipped and not."""
    ours, theirs = chart.curve("clipped"), chart.curve("unclipped")
    known = np.isfinite(ours.y) & np.isfinite(theirs.y)
    if not known.any():
        return "No number of users is measured yet."
    last = int(np.flatnonzero(known)[-1])
    first = int(np.flatnonzero(known)[0])
    sentence = (
        f"An answer within α with probability 2/3 takes {_users(ours.y[first])} with "
        f"m = {readable(ours.x[first])}"
    )
    if last != first:
        sentence += (
            f" and {_users(ours.y[last])} with m = {readable(ours.x[last])} if they are clipped, "
            f"{_users(theirs.y[last])} if not"
        )
    sentence += "."
    steepest = chart.steepest
    if steepest is not None and chart.done == 1:
        sentence += (
            f" They fall fastest from m = {readable(steepest.first)} to {readable(steepest.last)}, "
            f"with slope {_signed(steepest.slope)}."
        )
    return sentence


def needed_notes(chart: UsersNeeded) -> list[str]:
    """State every slope with its interval, the fitted constant, and what was given up."""
    notes = [
        f"The steepest part measured has slope {_signed(s.slope)}, with the intervals of its ends "
        f"{_signed(s.lower)} to {_signed(s.upper)}; the theorem's leading term where it begins, "
        f"constants dropped, has {_signed(s.expected)}."
        for s in (chart.steepest,)
        if s is not None
    ]
    notes += [
        f"From m = {readable(s.first)} to {readable(s.last)} the theorem's leading term, constants "
        f"dropped, has slope {_signed(s.expected)}; measured is {_signed(s.slope)}, with the "
        f"intervals of the ends {_signed(s.lower)} to {_signed(s.upper)}."
        for s in chart.slopes
    ]
    notes.append(
        f"The dashed shape is the theorem's sum of terms times {readable(chart.constant)}, fitted "
        "to the points. Each term hides its own constant, so the real bends lie elsewhere."
    )
    if np.isfinite(chart.curve("published").y).any():
        notes.append(
            "While τ is more than about m/2, clipping saves no noise: one user moves a Scheffé "
            "score by at most m. There the paper's own algorithm, which divides by 2τ, needs more "
            "users; elsewhere the two are the same."
        )
    notes.append(
        f"{chart.runs:,} data sets drawn. At each n they are drawn until a confidence sequence of "
        "the success probability leaves out 2/3; the bracket of n that remains is the interval."
    )
    notes.append(
        "The item-level line is n₁/m: as many examples as item-level privacy needs, dealt out m "
        "each. It protects one example, and by Observation 28 no user-level algorithm needs fewer "
        "if n₁ is optimal."
    )
    if chart.hopeless:
        notes.append(
            "Where a clipped point is missing the search gave up: so tight a τ biases the scores, "
            "and more users do not help, or too many are needed."
        )
    return notes


def _users(count: float) -> str:
    return "1 user" if round(count) == 1 else f"{readable(float(round(count)))} users"


def _signed(value: float) -> str:
    return "0" if abs(value) < 0.005 else f"{value:.2f}".replace("-", "−")


# ---- real data ------------------------------------------------------------------------------


def real_takeaway(chart: RealChart) -> str:
    """State whether any τ helps on these data, and what it does if the rows are permuted."""
    without = readable(chart.unclipped)
    at = f"at τ = {readable(chart.threshold)} it is {readable(chart.error)}"
    if chart.threshold >= chart.examples:
        at = "your τ clips nothing"
    if chart.least_error > WORTH * chart.unclipped:
        sentence = f"No τ lowers the expected error of {without} by a tenth on these data; {at}."
    else:
        sentence = (
            f"The best τ, {readable(chart.least)}, lowers the expected error from {without} to "
            f"{readable(chart.least_error)} on these data; {at}."
        )
    if chart.permuted_error > WORTH * chart.unclipped:
        return f"{sentence} Nor does any with the rows permuted."
    return (
        f"{sentence} With the rows permuted, τ = {readable(chart.permuted_least)} would bring it "
        f"to {readable(chart.permuted_error)}."
    )


def real_notes(chart: RealChart) -> list[str]:
    """Say what the estimate is, what the comparison means, and what correlation does."""
    shares = _shares(chart.data.categories, chart.share)
    answer = _shares(chart.data.categories, chart.answer)
    covered = "" if chart.radius_exact else " for 95% of them"
    loss = readable(chart.examples * chart.epsilon)
    return [
        f"“{chart.data.name}” over all rows: {shares}. Likeliest answer at this τ, with "
        f"probability {chance(chart.probability)}: {answer}.",
        f"The candidates come within {readable(chart.radius)} of every distribution{covered}; "
        f"the nearest to the truth is {readable(chart.optimum)} away.",
        f"{chart.users:,} people, at most {chart.examples:,} rows each. “Per row” protects one row "
        "with ε, and is the same as treating every row as a user; for a person with "
        f"{chart.examples:,} rows it promises only {loss}. “No clipping” is the "
        "same algorithm with ε divided by the rows of a person (group privacy).",
        "Laplace noise, per person: everybody counts as the shares among their own rows, and the "
        "mean of these gets Laplace noise, with ε for a person. It errs by "
        f"{readable(chart.laplace)}, selection without clipping by {readable(chart.unclipped)}.",
        f"“Per person” divides by the exact sensitivity, {readable(chart.sensitivity)} at your τ; "
        "“as published” by the paper's 2τ. No τ makes one person move a score by more than "
        f"m = {chart.examples:,}.",
        *_left_out(chart),
        *_alike(chart),
        "Where a person's rows are alike, that person is far from the mean, so a τ that would be "
        "harmless for independent rows cuts the minority off. Permuting the rows over all people "
        "destroys the correlation, and shows what the theory with its i.i.d. examples would "
        "promise.",
        "The answer is private; the curves, the best τ and the true shares are not. Category names "
        "and bins count as public.",
    ]


def _left_out(chart: RealChart) -> list[str]:
    rows = chart.data.left_out
    return [f"Left out, as a cell is missing: {rows:,} row{'s' if rows > 1 else ''}."] * bool(rows)


def _alike(chart: RealChart) -> list[str]:
    if math.isnan(chart.correlation):
        return []
    return [
        f"Two rows of a person have the correlation ρ = {readable(chart.correlation, 2)}; the view "
        "“Where clipping helps” says how much is too much."
    ]


def _shares(names: tuple[str, ...], law: FloatArray) -> str:
    return ", ".join(
        f"{name[:24]}: {readable(float(share), 2)}"
        for name, share in zip(names, law, strict=True)
        if not math.isnan(share)
    )


# ---- numbers in words -----------------------------------------------------------------------


def chance(probability: float) -> str:
    """Write a probability; never 1 for one below 1, nor 0 for one above."""
    if 0.9995 < probability < 1:
        return f"1 − {readable(1 - probability)}"
    return readable(probability)
