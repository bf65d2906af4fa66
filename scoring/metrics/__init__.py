"""Metrics for answers to questions, in plain Python; usable without the site by ``python -m scoring``.

Enters: the reference answers of a revision, then any number of answers to them. Leaves: named scores, each with its
value per item, and a signature that says how they were made. One metric, one paper, one module; ``built_in`` lists the
metrics, ``base`` holds the common interface, ``text`` the text processing of the string metrics.
"""
