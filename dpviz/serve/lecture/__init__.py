"""A lecture as one file of HTML, which moves without a network.

It holds the figures of the states that its controls can reach, as the figure route gives them,
and the browser's halves of the stage and of the range control, which draw them.
"""
