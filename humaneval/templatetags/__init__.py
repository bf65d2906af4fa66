"""Template tags and filters of studies.

Enters: values of studies and grading. Leaves: the text on pages for participants, graders and maintainers.
"""
