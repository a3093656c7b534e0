"""What the views on shared darts say in a sentence, and their notes."""

from dpviz.plot.text import readable
from dpviz.topics.shared_darts.views.board import Board
from dpviz.topics.shared_darts.views.disagreement import DisagreementChart
from dpviz.topics.shared_darts.views.joint import JointLaws


def board_takeaway(board: Board) -> str:
    """Describe the game, and how often such games end in different picks."""
    mine, yours = board.picks
    early, late = sorted((board.first, board.second))
    who, other = ("P", "Q") if board.first < board.second else ("Q", "P")
    if early == late:
        game = (
            f"Dart {early + 1} is the first below either curve and lies below both, so both pick "
            f"outcome {mine}"
        )
    else:
        pick, waited = (mine, yours) if who == "P" else (yours, mine)
        result = "the same outcome all the same" if mine == yours else f"outcome {waited}"
        game = (
            f"Dart {early + 1} lies below {who} only, which picks outcome {pick}; {other} waits "
            f"for dart {late + 1} and picks {result}"
        )
    return (
        f"{game}. At TV = {readable(board.distance)} picks differ with probability "
        f"{readable(board.disagreement)}, exactly."
    )


def disagreement_takeaway(chart: DisagreementChart) -> str:
    """Compare the three kinds of randomness at the reader's bells."""
    return (
        f"At TV = {readable(chart.distance)} shared darts lead to different picks with "
        f"probability {readable(chart.outputs)} (bound 2TV: {readable(2 * chart.distance)}), one "
        f"shared uniform number with {readable(chart.inverse)}, and coins of their own with "
        f"{readable(chart.independent)}."
    )


def joint_takeaway(laws: JointLaws) -> str:
    """State how likely the picks agree."""
    darts, inverse, own = (readable(value) for value in laws.agreement)
    return (
        f"All three give each of the two the right law; they agree with probability {darts} on "
        f"shared darts, {inverse} with one shared uniform number, {own} with own coins."
    )


def notes(_: Board | DisagreementChart | JointLaws) -> list[str]:
    """Say what the strategies compared are."""
    return [
        "Shared darts: all throw the same sequence of darts, uniform on outcomes × [0, 1], and "
        "each takes the first below their own curve.",
        "One shared uniform number: each puts it into their own inverse distribution function. It "
        "gives the right laws too, but a small shift of mass moves all intervals behind it.",
        "The two need not talk, nor know each other's distribution. If they "
        "knew both, they could agree except with probability TV.",
    ]
