"""The demo: the whole site on one machine, with example data (``make demo``).

Enters: an empty folder. Leaves: the environment of the demo's processes, and a site with benchmarks, published results,
two accounts, scored submissions, open studies and a grading round.
"""
