"""What learners are called, and what is said of one whose privacy the paper does not prove."""

CALLED = {
    "rrspm": "the public-points learner",
    "perturbation": "the perturbed learner",
    "regularization": "the regularised learner",
    "rspm": "the grid learner",
}
"""What sentences call the learners."""


def privacy_notes(learner: str, claimed: str) -> list[str]:
    """Say what is not proved of a learner's privacy, or not by the paper; nothing of most.

    claimed: see `dpviz.topics.public_data.learners.claim`.
    """
    if claimed == "broken":
        return [
            "Gaussian weights: Theorem 4 states them with an unspecified constant C and without "
            "a proof. For rich classes they fail (view “Gaussian weights”); for the classes "
            "here nothing is proved."
        ]
    if learner == "perturbation":
        return [
            "Algorithm 2 has the noise that a stability proved by this app asks for; the proof "
            "of the paper's Lemma 1 bounds only the square of the norm. The price is calls: the "
            "noise shrinks like 1/√J with the number J of averaged minimisers, and hardly as n "
            "grows."
        ]
    return []
