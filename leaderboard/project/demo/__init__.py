"""The demo: the whole site on one machine, with example data (``make demo``).

It makes, in an empty folder, the environment of the demo's processes, and a site with benchmarks, published results,
two accounts, scored submissions, open studies and a grading round.
"""
