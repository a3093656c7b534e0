"""What the charts of the clipping page say in a sentence, and their notes."""

import math

from dpviz.plot.text import readable
from dpviz.results.evidence import FloatArray
from dpviz.topics.clipping.views.choosing import ThresholdChart
from dpviz.topics.clipping.views.one_user import UserScores
from dpviz.topics.clipping.views.real_data import RealChart
from dpviz.topics.clipping.views.selected import Selected
from dpviz.topics.clipping.views.where_it_helps import WORTH, Helps

_RARE = 5e-4  # a probability below which the rest is told as such

# ---- one user -------------------------------------------------------------------------------


def user_takeaway(result: UserScores) -> str:
    """State who is cut, and what noise that saves."""
    users, saved = result.scores.size, result.unclipped_sensitivity / result.sensitivity
    cut = f"{result.cut:,} of {users:,} user{'' if users == 1 else 's'}"
    if not _saves(result):
        return f"Clipping cuts {cut} and saves no noise."
    return f"Clipping cuts {cut}, and makes the noise {readable(saved)} times smaller."


def user_detail(result: UserScores) -> str:
    """State how far the mean moves, and how far one user can still move it."""
    moved = (
        f"moves a user's mean score from {readable(float(result.scores.mean()))} to "
        f"{readable(float(result.clipped.mean()))}"
    )
    if result.cut == 0:
        moved = "moves no score"
    still = "" if _saves(result) else "still "
    return (
        f"Clipping at τ = {readable(result.threshold)} {moved}; one user {still}moves a score by "
        f"{readable(result.sensitivity)} at most."
    )


def _saves(result: UserScores) -> bool:
    return result.unclipped_sensitivity > 1.0005 * result.sensitivity


def user_notes(result: UserScores) -> list[str]:
    """Say which pair is shown, and what the noise is."""
    against = f"“{result.rival}” against the best candidate, “{result.best}”"
    return [
        f"Scores of {against}: sums of {result.comparison} over a user's examples; positive ones "
        f"speak against it. A user's expected score is {readable(result.expected)} before "
        "clipping.",
        "The noise drawn is the scale 2Δ/ε of the exponential mechanism's Gumbel noise, divided by "
        f"the number of users; the sensitivity Δ is {readable(result.sensitivity)} with clipping "
        f"and {readable(result.unclipped_sensitivity)} without. Both are exact: no user of "
        f"{result.examples_per_user:,} examples moves a score further.",
        "The histogram and the means are not private: you see them as somebody does who holds the "
        "data.",
    ]


# ---- what gets selected ---------------------------------------------------------------------


def selected_takeaway(result: Selected) -> str:
    """State how often a good answer comes, with clipping and without."""
    clipped, unclipped = (
        _often(result.success(law), result.failure(law))
        for law in (result.clipped, result.unclipped)
    )
    if result.threshold >= result.examples_per_user:
        return f"A good answer comes in {clipped} of runs; this τ clips nothing."
    if clipped == unclipped:
        return f"A good answer comes in {clipped} of runs, with clipping and without."
    return (
        f"With clipping a good answer comes in {clipped} of runs, without clipping in {unclipped}."
    )


def selected_detail(result: Selected) -> str:
    """State what is a good answer, and how likely one is, with clipping and without."""
    clipped, unclipped = (
        chance(result.success(law), result.failure(law))
        for law in (result.clipped, result.unclipped)
    )
    sentence = (
        f"An answer within α = {readable(result.alpha)} of the best candidate comes with "
        f"probability {clipped}"
    )
    if result.threshold >= result.examples_per_user:
        return f"{sentence}; τ = m clips nothing."
    return (
        f"{sentence} when users are clipped at τ = {readable(result.threshold)}, and "
        f"{unclipped} without clipping."
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
        stated = chance(result.success(result.published), result.failure(result.published))
        notes.append(
            f"No user moves a score by more than Δ = {readable(result.sensitivity)}. The paper "
            f"takes 2τ = {readable(task.published_sensitivity(result.threshold))}; with that the "
            f"probability is {stated}."
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
    without, least = chart.errors["unclipped"], chart.errors["least"]
    if least > WORTH * without:
        return (
            f"On these data no threshold τ lowers the expected error of {readable(without)} by a "
            "tenth."
        )
    return (
        "On these data clipping at the best threshold τ lowers the expected error from "
        f"{readable(without)} to {readable(least)}."
    )


def threshold_detail(chart: ThresholdChart) -> str:
    """State which τ is the best, and what the paper's and the reader's give."""
    errors = chart.errors
    best = f"The best τ is {readable(chart.least)}, with the error {readable(errors['least'])}"
    yours = f"yours, τ = {readable(chart.here)}, gives {readable(errors['here'])}"
    if math.isclose(chart.proposed, chart.least):
        return f"{best}; it is the paper's own, and {yours}."
    return (
        f"{best}; the paper's, τ = {readable(chart.proposed)}, gives "
        f"{readable(errors['proposed'])}, and {yours}."
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
    without, best, laplace = (readable(errors[key]) for key in ("unclipped", "best", "laplace"))
    if errors["best"] > WORTH * errors["unclipped"]:
        return (
            f"For users like these no threshold τ lowers the expected error of {without} by a "
            "tenth."
        )
    better = "but plain Laplace noise does better" if errors["laplace"] < errors["best"] else ""
    better = better or "better than plain Laplace noise"
    return (
        f"For users like these clipping lowers the expected error from {without} to {best}, "
        f"{better}: {laplace}."
    )


def helps_detail(chart: Helps) -> str:
    """State the reader's m and correlation, the best τ there, and the errors."""
    errors = chart.errors
    return (
        f"With m = {chart.examples_per_user:,} examples each and correlation "
        f"ρ = {readable(chart.correlation)} the best τ, {readable(chart.threshold)}, gives the "
        f"error {readable(errors['best'])}, no clipping {readable(errors['unclipped'])}, and plain "
        f"Laplace noise {readable(errors['laplace'])}."
    )


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


# ---- real data ------------------------------------------------------------------------------


def real_takeaway(chart: RealChart) -> str:
    """State whether any τ helps on these data, and whether it would with the rows shuffled."""
    without = readable(chart.unclipped)
    if chart.least_error <= WORTH * chart.unclipped:
        return (
            f"Clipping at the best threshold τ lowers the expected error from {without} to "
            f"{readable(chart.least_error)} on these data."
        )
    sentence = f"No threshold τ lowers the expected error of {without} by a tenth on these data"
    if chart.permuted_error > WORTH * chart.unclipped:
        return f"{sentence}, nor with the rows shuffled over all people."
    return (
        f"{sentence}; with the rows shuffled over all people it would fall to "
        f"{readable(chart.permuted_error)}."
    )


def real_detail(chart: RealChart) -> str:
    """State what the reader's τ does, and which τ is the best, on these rows and shuffled."""
    at = f"At τ = {readable(chart.threshold)} the error is {readable(chart.error)}"
    if chart.threshold >= chart.examples:
        at = "Your τ clips nothing"
    return (
        f"{at}; the best τ, {readable(chart.least)}, gives {readable(chart.least_error)}, with the "
        f"rows shuffled τ = {readable(chart.permuted_least)} gives "
        f"{readable(chart.permuted_error)}, and no clipping {readable(chart.unclipped)}."
    )


def real_notes(chart: RealChart) -> list[str]:
    """Say what the estimate is, what the comparison means, and what correlation does."""
    shares = _shares(chart.data.categories, chart.share)
    answer = _shares(chart.data.categories, chart.answer)
    covered = "" if chart.radius_exact else " for 95% of them"
    loss = readable(chart.examples * chart.epsilon)
    return [
        f"“{chart.data.name}” over all rows: {shares}. Likeliest answer at this τ, with "
        f"probability {chance(chart.probability, chart.otherwise)}: {answer}.",
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


def _often(probability: float, otherwise: float) -> str:
    """Write a probability as a percentage; one below 1 never as 100%. otherwise: see `chance`."""
    if 0 < otherwise < _RARE:
        return "more than 99.9%"
    return f"{readable(100 * probability)}%"


def chance(probability: float, otherwise: float) -> str:
    """Write a probability; never 1 for one below 1, nor 0 for one above.

    otherwise: the probability of all else, known by itself: the difference to 1 may be rounding.
    """
    if 0 < otherwise < _RARE:
        return f"1 − {readable(otherwise)}"
    return readable(probability)
