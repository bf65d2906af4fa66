"""The demo: the whole site on one machine, with example data (``make demo``).

Enters: an empty folder. Leaves: the environment of the demo's processes, and a site with benchmarks, published results,
two accounts, one scored submission and an open study.
"""
