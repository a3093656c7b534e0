"""What learners are called, and what is said of one whose privacy the paper does not prove."""

from dpviz.topics.public_data.learners import claim

CALLED = {
    "rrspm": "RRSPM",
    "perturbation": "the perturbed learner",
    "regularization": "the regularised learner",
    "rspm": "RSPM",
}
"""What sentences call the learners."""


def privacy_notes(learner: str, noise: str) -> list[str]:
    """Say what is not proved of a learner's privacy, or not by the paper; nothing of most."""
    if claim(learner, noise) == "broken":
        return [
            "Gaussian weights: Theorem 4 states them with an unspecified constant C and without a "
            "proof. For rich classes they fail, see the view “Gaussian weights”; for the classes "
            "here nothing is proved."
        ]
    if learner == "perturbation":
        return [
            "Algorithm 2: its noise suffices for a stability proved by this app; the proof of the "
            "paper's Lemma 1 bounds the square of the norm only. The price: its noise "
            "shrinks with the number J of averaged minimisers, like 1/√J, and hardly as n grows."
        ]
    return []
