"""Template tags and filters of studies.

Enters: values of studies and grading. Leaves: the text that participants, graders and maintainers see.
"""
