"""A book: the course as plain files, which need no server and move all the same.

Each page holds question, sentence and figure as HTML; the figures that its controls reach lie
beside it in chunks, as scripts that register themselves: browsers refuse anything else on file://.
What draws them is what draws in the app and in the file of a lecture.
"""
