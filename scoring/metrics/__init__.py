"""Metrics for answers to questions, in plain Python; usable without the site by ``python -m scoring``.

One metric, one paper, one module; ``built_in`` lists the metrics, ``base`` holds the common interface, ``text`` the
text processing of the string metrics.
"""
