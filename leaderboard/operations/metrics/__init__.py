"""Metrics of the site for Prometheus.

Enters: requests as each process counted them, and the state of the database. Leaves: the text that Prometheus reads.
"""
