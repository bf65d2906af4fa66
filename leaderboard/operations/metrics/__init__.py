"""Metrics of the site for Prometheus.

The text that Prometheus reads has the requests as each process counted them, and the state of the database.
"""
