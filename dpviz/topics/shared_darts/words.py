"""What the views on shared darts say in a sentence, and their notes."""

from dpviz.plot.text import counted, readable
from dpviz.topics.shared_darts.views.board import Board
from dpviz.topics.shared_darts.views.disagreement import DisagreementChart
from dpviz.topics.shared_darts.views.joint import JointLaws
from dpviz.topics.shared_darts.views.supply import SupplyChart


def board_takeaway(board: Board) -> str:
    """State how the game ends, and how often such games end in different picks."""
    mine, yours = board.picks
    early, late = sorted((board.first, board.second))
    often = f"{readable(100 * board.disagreement)}% of such games"
    if early == late:
        return (
            f"Dart {early + 1} is the first below either curve and lies below both, so both make "
            f"the same pick; in {often} the picks differ."
        )
    who, other = ("P", "Q") if board.first < board.second else ("Q", "P")
    said = f"Person {who} takes dart {early + 1}, person {other} waits for dart {late + 1}"
    if mine == yours:
        return f"{said}, and they pick the same all the same; in {often} the picks differ."
    return f"{said}, and their picks differ, as in {often}."


def board_detail(board: Board) -> str:
    """State who picked what, and how far apart the two laws are."""
    mine, yours = board.picks
    picks = f"Both pick outcome {mine}" if mine == yours else f"P picks {mine}, Q picks {yours}"
    return (
        f"{picks}. At total variation {readable(board.distance)} the picks differ with probability "
        f"{readable(board.disagreement)}, exactly."
    )


def disagreement_takeaway(chart: DisagreementChart) -> str:
    """Compare the two extremes at the reader's bells: shared darts and own coins."""
    return (
        f"With shared darts two people pick differently in {readable(100 * chart.outputs)}% of "
        f"games, with coins of their own in {readable(100 * chart.independent)}%."
    )


def disagreement_detail(chart: DisagreementChart) -> str:
    """State the three probabilities, and the bound where it says something."""
    bound = ""
    if 2 * chart.distance < 1:
        bound = f" (at most {readable(2 * chart.distance)}, twice the total variation)"
    return (
        f"At total variation {readable(chart.distance)} shared darts lead to different picks with "
        f"probability {readable(chart.outputs)}{bound}, one shared uniform number with "
        f"{readable(chart.inverse)}, and coins of their own with {readable(chart.independent)}."
    )


def supply_takeaway(chart: SupplyChart) -> str:
    """Compare so many shared darts with endless ones."""
    few, endless = (readable(100 * value) for value in (chart.limited, chart.endless))
    than = "as with endless ones" if few == endless else f"with endless ones in {endless}%"
    return (
        f"With {counted(chart.here, 'shared dart', digits=7)} the two pick differently in {few}% "
        f"of games, {than}."
    )


def supply_detail(chart: SupplyChart) -> str:
    """State how many darts are enough, and what that grows with."""
    verb = "is" if chart.enough == 1 else "are"
    return (
        f"Whoever none of the darts hits uses coins of their own; with those alone the two differ "
        f"with probability {readable(chart.independent)}. "
        f"{counted(chart.enough, 'shared dart', digits=7)} {verb} enough that the chance to hit "
        f"nobody at all is {readable(chart.missed)} at most: a number that grows like that of the "
        f"outcomes, {chart.outcomes}."
    )


def joint_takeaway(laws: JointLaws) -> str:
    """State how likely the picks agree."""
    darts, inverse, own = (readable(value) for value in laws.agreement)
    return (
        f"Three ways to pick give each person the right law; picks agree with probability {darts} "
        f"on shared darts, {inverse} with one shared uniform number, {own} with own coins."
    )


def notes(_: Board | DisagreementChart | JointLaws | SupplyChart) -> list[str]:
    """Say what the strategies compared are."""
    return [
        "Shared darts: all throw the same sequence of darts, uniform on outcomes × [0, 1], and "
        "each takes the first below their own curve.",
        "One shared uniform number: each puts it into their own inverse distribution function. It "
        "gives the right laws too, but a small shift of mass moves all intervals behind it.",
        "The two need not talk, nor know each other's distribution. If they "
        "knew both, they could agree except with probability TV; as they don't, no strategy does "
        "essentially better than 2TV/(1 + TV) on all pairs at this distance (Bavarian et al. "
        "2016), which is how often the darts differ. On some pairs one does: different darts may "
        "show the same outcome.",
        "The darts may be long: one small seed, shared once, makes as many as are needed.",
    ]
